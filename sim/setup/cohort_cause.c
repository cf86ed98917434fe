#include "setup/cohort_cause.h"

const char *sdsim_stall_cause_text(enum sdsim_stall_cause cause)
{
    static const char *const texts[SDSIM_STALL_CAUSES] = {
        [SDSIM_STALL_WRITE] = "the write itself",
        [SDSIM_STALL_PAUSE] = "the card's regular pause",
        [SDSIM_STALL_RARE] = "the card's rare housekeeping",
        [SDSIM_STALL_START] = "the card's work after power-up",
        [SDSIM_STALL_MERGE] = "AUs opened and merged",
        [SDSIM_STALL_ORDER] = "a write out of order",
        [SDSIM_STALL_BOUNDARY] = "the FAT's next sector",
        [SDSIM_STALL_FAT] = "cluster allocation",
        [SDSIM_STALL_DIRECTORY] = "the directory entry",
        [SDSIM_STALL_SYNC] = "the sync",
        [SDSIM_STALL_FILE] = "the change to the next file",
    };
    return texts[cause];
}

enum sdsim_stall_cause sdsim_longest_stall(const struct sdsim_cohort_run *run)
{
    int longest = 0;
    for (int cause = 1; cause < SDSIM_STALL_CAUSES; cause++) {
        longest = run->stalls[cause].length > run->stalls[longest].length ? cause : longest;
    }
    return (enum sdsim_stall_cause)longest;
}

/* What a purpose took, pauses and idle time aside; its pauses. */
static sdsim_ps spent_on(const struct sdsim_cohort_state *before,
                         const struct sdsim_cohort_state *after, enum sdsim_purpose purpose)
{
    const sdsim_ps *then = before->meter.account.ps[purpose];
    const sdsim_ps *now = after->meter.account.ps[purpose];
    sdsim_ps sum = 0;
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        sum += kind != SDSIM_PAUSE && kind != SDSIM_IDLE ? now[kind] - then[kind] : 0;
    }
    return sum;
}

static sdsim_ps paused_for(const struct sdsim_cohort_state *before,
                           const struct sdsim_cohort_state *after, enum sdsim_purpose purpose)
{
    return after->meter.account.ps[purpose][SDSIM_PAUSE] -
           before->meter.account.ps[purpose][SDSIM_PAUSE];
}

/* How many clusters a sector of the FAT, or of the bitmap, tells of. */
static uint32_t clusters_a_sector(const struct sdsim_volume *volume)
{
    switch (volume->geometry.type) {
    case SDSIM_FAT12:
        return SDSIM_SECTOR * 2 / 3;
    case SDSIM_FAT16:
        return SDSIM_SECTOR / 2;
    case SDSIM_EXFAT:
        return SDSIM_SECTOR * 8;
    default:
        return SDSIM_SECTOR / 4;
    }
}

/* Whether the file got its first cluster of such a sector, or its second: FatFs writes the sector it
 * leaves with either. */
static bool goes_on_in_next_sector(const struct sdsim_cohort_state *before,
                                   const struct sdsim_cohort_state *after)
{
    const uint32_t then = before->task.stream.file.cluster;
    const uint32_t now = after->task.stream.file.cluster;
    if (after->volume.geometry.type == SDSIM_FAT_UNMOUNTED || now <= then) {
        return false;
    }
    const uint32_t entries = clusters_a_sector(&after->volume);
    return now / entries != then / entries || now % entries < 2;
}

/* Whose the pauses are: the rare one's, those of power-up, or the regular one's. */
static enum sdsim_stall_cause whose_luck(const struct sdsim_flash_luck *then,
                                         const struct sdsim_flash_luck *now)
{
    return now->next_rare != then->next_rare       ? SDSIM_STALL_RARE
           : now->starts_left != then->starts_left ? SDSIM_STALL_START
                                                   : SDSIM_STALL_PAUSE;
}

/* Whose pauses those are that the translation layer does not explain; SDSIM_STALL_CAUSES: there are
 * none. */
static int owner_of_pauses(const struct sdsim_cohort_state *before,
                           const struct sdsim_flash_luck *luck, const struct sdsim_flash_luck *end)
{
    const bool struck = end->next_pause != luck->next_pause || end->next_rare != luck->next_rare ||
                        end->starts_left != luck->starts_left;
    return struck                              ? (int)whose_luck(luck, end)
           : sdsim_cohort_state_pauses(before) ? before->pausing
                                               : SDSIM_STALL_CAUSES;
}

enum sdsim_stall_cause sdsim_stall_cause(const struct sdsim_cohort_state *before,
                                         struct sdsim_cohort_state *after,
                                         const struct sdsim_flash_luck *luck, bool syncs)
{
    const struct sdsim_translation_stats *then = &before->card.flash.translation.stats;
    const struct sdsim_translation_stats *now = &after->card.flash.translation.stats;
    const struct sdsim_flash_luck end = sdsim_flash_luck_of(&after->card.flash);
    const int owner = owner_of_pauses(before, luck, &end);
    const sdsim_ps pause = sdsim_account_kind(&after->meter.account, SDSIM_PAUSE) -
                           sdsim_account_kind(&before->meter.account, SDSIM_PAUSE);
    const sdsim_ps merge = now->merge_time - then->merge_time;
    const sdsim_ps order = now->order_time - then->order_time;
    if (sdsim_cohort_state_pauses(after)) {
        after->pausing = owner != SDSIM_STALL_CAUSES ? owner
                         : order > merge             ? SDSIM_STALL_ORDER
                                                     : SDSIM_STALL_MERGE;
    }
    /* What the translation layer did was for the data, the FAT or an entry. */
    const sdsim_ps for_fat =
        paused_for(before, after, SDSIM_FOR_FAT) + paused_for(before, after, SDSIM_FOR_BITMAP);
    const sdsim_ps for_entry = paused_for(before, after, SDSIM_FOR_DIRECTORY) +
                               paused_for(before, after, SDSIM_FOR_FSINFO) +
                               paused_for(before, after, SDSIM_FOR_BOOT);
    const bool owned = owner != SDSIM_STALL_CAUSES;
    const sdsim_ps moved = owned && merge + order < pause ? merge + order : pause;
    const sdsim_ps moved_fat = for_fat < moved ? for_fat : moved;
    const sdsim_ps moved_entry = for_entry < moved - moved_fat ? for_entry : moved - moved_fat;
    const sdsim_ps moved_data = moved - moved_fat - moved_entry;
    const enum sdsim_stall_cause fat =
        goes_on_in_next_sector(before, after) ? SDSIM_STALL_BOUNDARY : SDSIM_STALL_FAT;
    sdsim_ps parts[SDSIM_STALL_CAUSES] = {0};
    parts[SDSIM_STALL_ORDER] = order < moved_data ? order : moved_data;
    parts[SDSIM_STALL_MERGE] = moved_data - parts[SDSIM_STALL_ORDER];
    if (owned) {
        parts[owner] += pause - moved;
    }
    parts[SDSIM_STALL_WRITE] = spent_on(before, after, SDSIM_FOR_DATA);
    parts[fat] = moved_fat + spent_on(before, after, SDSIM_FOR_FAT) +
                 spent_on(before, after, SDSIM_FOR_BITMAP);
    parts[SDSIM_STALL_DIRECTORY] = moved_entry + spent_on(before, after, SDSIM_FOR_DIRECTORY) +
                                   spent_on(before, after, SDSIM_FOR_FSINFO) +
                                   spent_on(before, after, SDSIM_FOR_BOOT);
    const bool next_file = after->task.file_number != before->task.file_number;
    if (syncs || next_file) { /* one thing with one name */
        parts[next_file ? SDSIM_STALL_FILE : SDSIM_STALL_SYNC] =
            parts[SDSIM_STALL_WRITE] + parts[fat] + parts[SDSIM_STALL_DIRECTORY];
    }
    int most = SDSIM_STALL_WRITE;
    for (int cause = 0; cause < SDSIM_STALL_CAUSES; cause++) {
        most = parts[cause] > parts[most] ? cause : most;
    }
    return (enum sdsim_stall_cause)most;
}

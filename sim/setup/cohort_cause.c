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

/* What a purpose took, pauses and idle time aside. */
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

/* Whose the pauses are: the rare one's, those of power-up, or the regular one's. */
static enum sdsim_stall_cause whose_luck(const struct sdsim_flash_luck *then,
                                         const struct sdsim_flash_luck *now)
{
    return now->next_rare != then->next_rare       ? SDSIM_STALL_RARE
           : now->starts_left != then->starts_left ? SDSIM_STALL_START
                                                   : SDSIM_STALL_PAUSE;
}

enum sdsim_stall_cause sdsim_stall_cause(const struct sdsim_cohort_state *before,
                                         const struct sdsim_cohort_state *after,
                                         const struct sdsim_flash_luck *luck, bool syncs)
{
    const struct sdsim_translation_stats *then = &before->card.flash.translation.stats;
    const struct sdsim_translation_stats *now = &after->card.flash.translation.stats;
    const struct sdsim_flash_luck end = sdsim_flash_luck_of(&after->card.flash);
    const bool struck = end.next_pause != luck->next_pause || end.next_rare != luck->next_rare ||
                        end.starts_left != luck->starts_left || before->card.flash.carried > 0;
    const sdsim_ps pause = sdsim_account_kind(&after->meter.account, SDSIM_PAUSE) -
                           sdsim_account_kind(&before->meter.account, SDSIM_PAUSE);
    const sdsim_ps merge = now->merge_time - then->merge_time;
    const sdsim_ps order = now->order_time - then->order_time;
    sdsim_ps parts[SDSIM_STALL_CAUSES] = {0};
    parts[SDSIM_STALL_ORDER] = order;
    parts[SDSIM_STALL_MERGE] = struck ? merge : sdsim_time_since(pause, order);
    if (struck) {
        parts[whose_luck(luck, &end)] = sdsim_time_since(pause, merge + order);
    }
    parts[SDSIM_STALL_WRITE] = spent_on(before, after, SDSIM_FOR_DATA);
    parts[SDSIM_STALL_FAT] =
        spent_on(before, after, SDSIM_FOR_FAT) + spent_on(before, after, SDSIM_FOR_BITMAP);
    parts[SDSIM_STALL_DIRECTORY] = spent_on(before, after, SDSIM_FOR_DIRECTORY) +
                                   spent_on(before, after, SDSIM_FOR_FSINFO) +
                                   spent_on(before, after, SDSIM_FOR_BOOT);
    const bool next_file = after->task.file_number != before->task.file_number;
    if (syncs || next_file) { /* one thing with one name */
        parts[next_file ? SDSIM_STALL_FILE : SDSIM_STALL_SYNC] =
            parts[SDSIM_STALL_WRITE] + parts[SDSIM_STALL_FAT] + parts[SDSIM_STALL_DIRECTORY];
    }
    int most = SDSIM_STALL_WRITE;
    for (int cause = 0; cause < SDSIM_STALL_CAUSES; cause++) {
        most = parts[cause] > parts[most] ? cause : most;
    }
    return (enum sdsim_stall_cause)most;
}

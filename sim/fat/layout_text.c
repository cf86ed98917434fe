#include "fat/layout_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

#define AU_SECTORS 8192u /* for a survey of which only the findings are wanted */

char *sdsim_print_count(uint64_t count, const char *what, char *out, size_t size)
{
    snprintf(out, size, "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
    return out;
}

char *sdsim_print_sectors(uint64_t sectors, char *out, size_t size)
{
    return sdsim_unit_print(SDSIM_UNIT_SIZE, (double)sectors * SDSIM_SECTOR, out, size);
}

/* What needs no figures to be said. */
static const char *plain_text(enum sdsim_finding_kind kind)
{
    static const char *const texts[SDSIM_FINDING_KINDS] = {
        [SDSIM_FINDING_GPT_SUM] = "the GPT has a wrong check sum",
        [SDSIM_FINDING_BOOT_SUM] = "the boot region has a wrong check sum: PCs refuse the volume",
        [SDSIM_FINDING_DIRTY] = "marked as in use: it was not unmounted cleanly",
        [SDSIM_FINDING_MEDIA_ERROR] = "marked as having had read or write errors",
        [SDSIM_FINDING_FSINFO] =
            "the FSINFO sector is damaged: free space has to be counted at every mount",
        [SDSIM_FINDING_NO_BITMAP] =
            "the allocation bitmap is not to be found: what no file uses counts as free",
        [SDSIM_FINDING_BITMAP_SPLIT] =
            "the allocation bitmap is not in one piece: FatFs refuses the volume",
    };
    return texts[kind];
}

/* What is wrong with the volume as a whole. */
static void print_about_volume(const struct sdsim_layout *layout,
                               const struct sdsim_finding *finding, char *out, size_t size)
{
    const uint64_t said = finding->said;
    const uint64_t found = finding->found;
    char bytes[32];
    char clusters[48];
    char runs[48];
    switch (finding->kind) {
    case SDSIM_FINDING_TRUNCATED:
        snprintf(out, size,
                 "the volume goes on to sector %" PRIu64 ", but there are only %" PRIu64
                 ": the last %s are missing",
                 said, found, sdsim_print_sectors(said - found, bytes, sizeof bytes));
        break;
    case SDSIM_FINDING_UNREADABLE:
        snprintf(out, size, "%s failed, the first here",
                 sdsim_print_count(found, "read", runs, sizeof runs));
        break;
    case SDSIM_FINDING_PARTITION:
        snprintf(out, size,
                 "the partition has %" PRIu64 " sectors and the volume in it %" PRIu64
                 ": it reaches beyond",
                 said, found);
        break;
    case SDSIM_FINDING_BOOT_BACKUP:
        snprintf(out, size, "the copy of the boot sector %s",
                 layout->geometry.type == SDSIM_EXFAT ? "and what belongs to it is damaged"
                                                      : "differs from it");
        break;
    case SDSIM_FINDING_FREE_COUNT:
        snprintf(out, size, "FSINFO says %s free, there are %" PRIu64,
                 sdsim_print_count(said, "cluster", clusters, sizeof clusters), found);
        break;
    case SDSIM_FINDING_PERCENT:
        snprintf(out, size,
                 "the boot sector says %" PRIu64 "%% are in use, there are %" PRIu64 "%%", said,
                 found);
        break;
    case SDSIM_FINDING_FATS_DIFFER:
        snprintf(out, size, "the two FATs differ in %s: an update ended between them",
                 sdsim_print_count(found, "sector", runs, sizeof runs));
        break;
    case SDSIM_FINDING_LOST_CLUSTERS:
        sdsim_print_sectors(found * layout->geometry.cluster_sectors, bytes, sizeof bytes);
        snprintf(out, size,
                 "%s (%s) allocated to no file, in %s, the first at cluster %" PRIu32
                 " (LBA %" PRIu32 "): written after the last sync, or of a file half deleted",
                 sdsim_print_count(found, "cluster", clusters, sizeof clusters), bytes,
                 sdsim_print_count(said, "run", runs, sizeof runs), finding->cluster,
                 sdsim_layout_lba(layout, finding->cluster));
        break;
    case SDSIM_FINDING_GPT_BACKUP:
        snprintf(out, size,
                 "the second GPT header, sector %" PRIu64
                 ", is missing or damaged: is the end of the card missing?",
                 said);
        break;
    default:
        snprintf(out, size, "%s", plain_text(finding->kind));
        break;
    }
}

/* What is wrong with a chain of clusters. */
static void print_about_chain(const struct sdsim_finding *finding, char *out, size_t size)
{
    const uint64_t said = finding->said;
    const uint64_t found = finding->found;
    const uint32_t cluster = finding->cluster;
    char clusters[48];
    switch (finding->kind) {
    case SDSIM_FINDING_SHORT:
        snprintf(out, size, "its size needs %s, it has %" PRIu64 ": the rest is gone",
                 sdsim_print_count(said, "cluster", clusters, sizeof clusters), found);
        break;
    case SDSIM_FINDING_LONG:
        snprintf(out, size,
                 "%s more than its size needs: written after the last sync, or allocated in "
                 "advance",
                 sdsim_print_count(found - said, "cluster", clusters, sizeof clusters));
        break;
    case SDSIM_FINDING_LOOP:
        snprintf(out, size, "its chain comes back to cluster %" PRIu32 " after %s", cluster,
                 sdsim_print_count(found, "cluster", clusters, sizeof clusters));
        break;
    case SDSIM_FINDING_CROSS:
        snprintf(out, size, "cluster %" PRIu32 " belongs to %s, too", cluster,
                 finding->other != NULL ? finding->other : "something else");
        break;
    case SDSIM_FINDING_WILD:
        if (cluster == 0) {
            snprintf(out, size, "its entry names a first cluster that there is not");
        } else {
            snprintf(out, size,
                     "its chain leaves the volume behind cluster %" PRIu32 ": %" PRIu64
                     " of %s left",
                     cluster, found, sdsim_print_count(said, "cluster", clusters, sizeof clusters));
        }
        break;
    case SDSIM_FINDING_UNMARKED:
        snprintf(out, size,
                 "cluster %" PRIu32 " is its own but marked as free: another file will be written "
                 "over it",
                 cluster);
        break;
    case SDSIM_FINDING_BAD:
        snprintf(out, size, "cluster %" PRIu32 " is its own but marked as bad", cluster);
        break;
    case SDSIM_FINDING_MISSING:
        snprintf(out, size, "%" PRIu64 " of its %s missing: behind the end of the image", found,
                 sdsim_print_count(said, "cluster", clusters, sizeof clusters));
        break;
    default:
        snprintf(out, size, "the FAT can't be read at its cluster %" PRIu32, cluster);
        break;
    }
}

/* What is wrong with an entry or a directory. */
static void print_about_entry(const struct sdsim_finding *finding, char *out, size_t size)
{
    char count[64];
    switch (finding->kind) {
    case SDSIM_FINDING_VALID:
        snprintf(out, size, "%" PRIu64 " valid bytes in a file of %" PRIu64, finding->said,
                 finding->found);
        break;
    case SDSIM_FINDING_NO_DOTS:
        snprintf(out, size, "does not begin with \".\" and \"..\": was never written, or is none");
        break;
    case SDSIM_FINDING_ORPHANS:
        snprintf(out, size, "%s whose entry is gone",
                 sdsim_print_count(finding->found, "slot of long names", count, sizeof count));
        break;
    case SDSIM_FINDING_BROKEN_SET:
        snprintf(out, size, "%s incomplete or with a wrong check sum: what it names is lost",
                 sdsim_print_count(finding->found, "entry set", count, sizeof count));
        break;
    default:
        snprintf(out, size, "not looked into, its path is too long; what is in it counts as lost");
        break;
    }
}

char *sdsim_finding_text(const struct sdsim_layout *layout, const struct sdsim_finding *finding,
                         char *out, size_t size)
{
    size_t used = 0;
    if (finding->path != NULL) {
        (void)snprintf(out, size, "%s: ", finding->path);
        used = strlen(out);
    }
    if (finding->path == NULL) {
        print_about_volume(layout, finding, out, size);
    } else if (finding->kind <= SDSIM_FINDING_MISSING) {
        print_about_chain(finding, out + used, size - used);
    } else {
        print_about_entry(finding, out + used, size - used);
    }
    used = strlen(out);
    (void)snprintf(out + used, size - used, " (sector %" PRIu32 ", %s)", finding->lba,
                   sdsim_layout_structure(layout, finding->lba));
    return out;
}

/* Whether a firmware may stumble over it: not what only takes room, or is only marked. */
static bool is_in_the_way(enum sdsim_finding_kind kind)
{
    switch (kind) {
    case SDSIM_FINDING_PARTITION:
    case SDSIM_FINDING_MEDIA_ERROR:
    case SDSIM_FINDING_FATS_DIFFER:
    case SDSIM_FINDING_LOST_CLUSTERS:
    case SDSIM_FINDING_LONG:
        return false;
    default:
        return sdsim_finding_is_damage(kind);
    }
}

bool sdsim_layout_explain(const struct sdsim_disk *disk, char *out, size_t size)
{
    const struct sdsim_layout_wishes wishes = {.au_sectors = AU_SECTORS};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_layout *layout = sdsim_layout_create(disk, &wishes, &diags);
    out[0] = '\0';
    if (diags.count > 0) {
        (void)snprintf(out, size, "%s", diags.items[0].text);
    }
    for (size_t i = 0; layout != NULL && i < layout->finding_count && out[0] == '\0'; i++) {
        if (is_in_the_way(layout->findings[i].kind)) {
            (void)sdsim_finding_text(layout, &layout->findings[i], out, size);
        }
    }
    sdsim_layout_destroy(layout);
    sdsim_diags_free(&diags);
    return out[0] != '\0';
}

#include "occupancy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "fat/layout_text.h"

enum { READ_AHEAD = 64, TEXT = 48 };

/* The card as a disk, read in pieces of READ_AHEAD sectors. */
struct card_disk {
    struct sdsim_card_io *io;
    uint32_t first; /* of what is held */
    uint32_t count;
    uint8_t held[READ_AHEAD * SDSIM_SECTOR];
    bool failed;
};

static bool hold(struct card_disk *disk, uint32_t lba)
{
    if (lba >= disk->first && lba - disk->first < disk->count) {
        return true;
    }
    const uint32_t left = disk->io->sectors - lba;
    disk->first = lba;
    disk->count = left < READ_AHEAD ? left : READ_AHEAD;
    if (!sdsim_card_io_read(disk->io, lba, disk->count, disk->held, NULL)) {
        disk->count = 0;
        disk->failed = true;
    }
    return disk->count > 0;
}

static enum sdsim_disk_error read_sectors(void *context, sdsim_ps *now, uint32_t lba,
                                          uint32_t count, enum sdsim_purpose purpose, void *out)
{
    struct card_disk *disk = context;
    (void)now;
    (void)purpose;
    if (lba >= disk->io->sectors || count > disk->io->sectors - lba) {
        return SDSIM_DISK_RANGE;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!hold(disk, lba + i)) {
            return SDSIM_DISK_IO;
        }
        if (out != NULL) {
            memcpy((uint8_t *)out + (size_t)i * SDSIM_SECTOR,
                   disk->held + (size_t)(lba + i - disk->first) * SDSIM_SECTOR, SDSIM_SECTOR);
        }
    }
    return SDSIM_DISK_OK;
}

static enum sdsim_disk_error no_write(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                      enum sdsim_purpose purpose,
                                      const struct sdsim_content *content)
{
    (void)context;
    (void)now;
    (void)lba;
    (void)count;
    (void)purpose;
    (void)content;
    return SDSIM_DISK_IO;
}

/* Whether the beginning of the card is empty, and whether sector 0 has the signature. */
static bool look_at_beginning(struct card_disk *disk, struct sdsim_occupancy *occupancy)
{
    if (!hold(disk, 0)) {
        return false;
    }
    const size_t bytes = (size_t)disk->count * SDSIM_SECTOR;
    const uint8_t first = disk->held[0];
    occupancy->blank =
        (first == 0 || first == 0xFF) && memcmp(disk->held, disk->held + 1, bytes - 1) == 0;
    occupancy->table = disk->held[510] == 0x55 && disk->held[511] == 0xAA;
    return true;
}

bool sdsim_occupancy_look(struct sdsim_card_io *io, uint32_t au_blocks, const char *path,
                          struct sdsim_occupancy *occupancy, struct sdsim_diags *diags)
{
    static const struct sdsim_disk_ops ops = {.read = read_sectors, .write = no_write};
    const struct sdsim_layout_wishes wishes = {
        .au_sectors = au_blocks > 0 ? au_blocks : 8192, .path = path, .contents = "the card"};
    *occupancy = (struct sdsim_occupancy){0};
    struct card_disk *card = calloc(1, sizeof *card);
    if (card == NULL) {
        snprintf(io->error, sizeof io->error, "out of memory");
        return false;
    }
    card->io = io;
    const struct sdsim_disk disk = {.ops = &ops, .context = card, .sectors = io->sectors};
    bool fine = look_at_beginning(card, occupancy);
    if (fine) {
        struct sdsim_diags ignored;
        sdsim_diags_init(&ignored);
        occupancy->layout = sdsim_layout_create(&disk, &wishes, path != NULL ? diags : &ignored);
        sdsim_diags_free(&ignored);
        fine = !card->failed && (path == NULL || occupancy->layout != NULL);
    }
    free(card);
    return fine;
}

void sdsim_occupancy_free(struct sdsim_occupancy *occupancy)
{
    sdsim_layout_destroy(occupancy->layout);
    occupancy->layout = NULL;
}

static void print_volume(const struct sdsim_layout *layout, FILE *out)
{
    static const char *const tables[] = {"no partition table", "an MBR", "a GPT"};
    char size[TEXT];
    char used[TEXT];
    const double cluster = (double)layout->geometry.cluster_sectors * SDSIM_SECTOR;
    fprintf(out, "%s, and a volume of %s from sector %" PRIu32 ": %s",
            tables[layout->partition.table],
            sdsim_unit_print(SDSIM_UNIT_SIZE, (double)layout->geometry.sectors * SDSIM_SECTOR, size,
                             sizeof size),
            layout->geometry.start, sdsim_fat_type_name(layout->geometry.type));
    if (layout->label[0] != '\0') {
        fprintf(out, " \"%s\"", layout->label);
    }
    fprintf(out, ",\n       %" PRIu64 " files in %" PRIu64 " directories, %s in use",
            layout->tree.files, layout->tree.directories,
            sdsim_unit_print(SDSIM_UNIT_SIZE, layout->space.used * cluster, used, sizeof used));
}

/* What of the volume lies where something is to be written. */
static void print_overlap(const struct sdsim_layout *layout, uint32_t from, uint32_t to, FILE *out)
{
    const uint32_t cell = 64;
    const size_t count = layout->device_sectors / cell + 1;
    struct sdsim_map_cell *cells = calloc(count, sizeof *cells);
    uint64_t sums[SDSIM_MAP_KINDS] = {0};
    if (cells == NULL) {
        return;
    }
    sdsim_layout_map(layout, cell, cells, count);
    for (uint32_t i = from / cell; i <= (to - 1) / cell && i < count; i++) {
        for (unsigned k = 0; k < SDSIM_MAP_KINDS; k++) {
            sums[k] += cells[i].sectors[k];
        }
    }
    free(cells);
    fprintf(out,
            "       of the range: %" PRIu64 " sectors of files, %" PRIu64
            " of the file system's own, %" PRIu64 " free\n",
            sums[SDSIM_MAP_USED] + sums[SDSIM_MAP_CHOSEN] + sums[SDSIM_MAP_LOST],
            sums[SDSIM_MAP_SYSTEM], sums[SDSIM_MAP_FREE] + sums[SDSIM_MAP_OUTSIDE]);
}

void sdsim_occupancy_print(const struct sdsim_occupancy *occupancy, uint32_t from, uint32_t to,
                           FILE *out)
{
    fputs("on it  ", out);
    if (occupancy->layout != NULL) {
        print_volume(occupancy->layout, out);
        fputc('\n', out);
        if (to > from) {
            print_overlap(occupancy->layout, from, to, out);
        }
        return;
    }
    fputs(occupancy->blank   ? "nothing: its first sectors are empty\n"
          : occupancy->table ? "a partition table or boot sector, but no FAT or exFAT volume\n"
                             : "something that is no FAT or exFAT volume\n",
          out);
}

const char *sdsim_occupancy_refusal(const struct sdsim_occupancy *occupancy, uint32_t sectors)
{
    uint32_t from;
    uint32_t to;
    sdsim_occupancy_file(occupancy, &from, &to);
    if (occupancy->layout->chosen.file.directory) {
        return "what --scratch names is a directory\nhelp: make a file for it";
    }
    if (to > sectors) {
        return "the scratch file reaches beyond the end of the card\n"
               "help: its volume is larger than the card, or damaged: make a new one";
    }
    if (occupancy->layout->damage_total > 0) {
        return "the volume is damaged, so nobody knows what else lies where the file does\n"
               "help: have it repaired (fsck, chkdsk), or give --range";
    }
    if (from == to) {
        return "the scratch file has no sectors\n"
               "help: fill it with anything first, e.g. 64 MB of zeros";
    }
    return NULL;
}

void sdsim_occupancy_file(const struct sdsim_occupancy *occupancy, uint32_t *from, uint32_t *to)
{
    const struct sdsim_layout *layout = occupancy->layout;
    *from = 0;
    *to = 0;
    for (size_t i = 0; layout != NULL && i < layout->chosen.run_count; i++) {
        const struct sdsim_cluster_run *run = &layout->chosen.runs[i];
        const uint32_t sectors = run->count * layout->geometry.cluster_sectors;
        if (sectors > *to - *from) {
            *from = sdsim_layout_lba(layout, run->first);
            *to = *from + sectors;
        }
    }
}

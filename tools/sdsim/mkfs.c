#include "fat/mkfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "fat/medium_disk.h"
#include "images.h"
#include "output.h"
#include "report/layout_report.h"

#define AU_SECTORS 8192u /* without a card: 4 MiB, as most cards have */

/* What is to be made. */
struct order {
    uint32_t sectors;
    uint32_t au_sectors;
    struct sdsim_mkfs wishes;
};

static bool take_capacity(const struct sdsim_arguments *arguments, struct order *order)
{
    const char *size = arguments->values[SDSIM_OPTION_SIZE];
    const char *name = arguments->values[SDSIM_OPTION_CARD];
    if (size == NULL && name == NULL) {
        fputs("error: how large is the card?\nhelp: say --size 32GB, or --card NAME\n", stderr);
        return false;
    }
    order->au_sectors = AU_SECTORS;
    if (name != NULL && !sdsim_take_card(name, &order->sectors, &order->au_sectors)) {
        return false;
    }
    return size == NULL || sdsim_take_sectors("--size", size, &order->sectors);
}

static bool take_number(const char *option, const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
        fprintf(stderr, "error: %s takes a whole number, not '%s'\n", option, text);
        return false;
    }
    return true;
}

static bool take_wishes(const struct sdsim_arguments *arguments, struct sdsim_mkfs *wishes)
{
    const char *type = arguments->values[SDSIM_OPTION_TYPE];
    const char *cluster = arguments->values[SDSIM_OPTION_CLUSTER];
    const char *fats = arguments->values[SDSIM_OPTION_FATS];
    const char *seed = arguments->values[SDSIM_OPTION_SERIAL];
    uint32_t sectors = 0;
    uint64_t count = 0;
    if ((type != NULL && !sdsim_take_volume_type(type, &wishes->type)) ||
        (cluster != NULL && !sdsim_take_sectors("--cluster", cluster, &sectors)) ||
        (fats != NULL && !take_number("--fats", fats, &count)) ||
        (seed != NULL && !take_number("--seed", seed, &wishes->seed))) {
        return false;
    }
    if (fats != NULL && count != 1 && count != 2) {
        fputs("error: a volume has 1 or 2 FATs\n", stderr);
        return false;
    }
    if (sectors > UINT32_MAX / SDSIM_SECTOR) {
        fputs("error: no volume has clusters as large as that\n", stderr);
        return false;
    }
    wishes->cluster_bytes = sectors * SDSIM_SECTOR;
    wishes->fats = (uint8_t)count;
    wishes->no_partition = arguments->values[SDSIM_OPTION_NO_PARTITION] != NULL;
    wishes->label = arguments->values[SDSIM_OPTION_LABEL];
    return true;
}

/* Prints what was made, as a look at it shows it; false after a message. */
static bool print_made(const struct sdsim_arguments *arguments, struct sdsim_medium *medium,
                       uint32_t au_sectors, FILE *out)
{
    const char *image = arguments->operands[0];
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    const struct sdsim_layout_wishes wishes = {.au_sectors = au_sectors, .contents = image};
    const struct sdsim_style style = sdsim_output_style(arguments);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_layout *layout = sdsim_layout_create(&disk, &wishes, &diags);
    bool printed = layout != NULL;
    if (printed && arguments->json) {
        struct sdsim_json json;
        sdsim_json_start(&json, out);
        sdsim_json_object(&json, NULL);
        sdsim_layout_json_geometry(layout, image, &json);
        sdsim_json_end(&json);
    } else if (printed && !sdsim_layout_print_geometry(layout, image, &style, out)) {
        sdsim_error(&diags, NULL, "out of memory");
        printed = false;
    }
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    sdsim_layout_destroy(layout);
    return printed;
}

static enum sdsim_exit store_made(const struct sdsim_arguments *arguments,
                                  struct sdsim_medium *medium, uint32_t au_sectors)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    enum sdsim_exit code = print_made(arguments, medium, au_sectors, output.stream)
                               ? sdsim_image_store(medium, arguments->operands[0])
                               : SDSIM_EXIT_FAULT;
    if (code != SDSIM_EXIT_OK) {
        sdsim_output_discard(&output);
        return code;
    }
    return sdsim_output_send(&output, NULL);
}

static enum sdsim_exit mkfs(const struct sdsim_arguments *arguments)
{
    struct order order = {0};
    if (!take_capacity(arguments, &order) || !take_wishes(arguments, &order.wishes) ||
        !sdsim_image_may_write(arguments->operands[0],
                               arguments->values[SDSIM_OPTION_FORCE] != NULL)) {
        return SDSIM_EXIT_INPUT;
    }
    struct sdsim_medium *medium = sdsim_medium_create(order.sectors, 0);
    if (medium == NULL) {
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const bool made = sdsim_mkfs(medium, &order.wishes, &diags);
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    const enum sdsim_exit code =
        made ? store_made(arguments, medium, order.au_sectors) : SDSIM_EXIT_INPUT;
    sdsim_medium_destroy(medium);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_SIZE,  SDSIM_OPTION_CARD,         SDSIM_OPTION_TYPE,  SDSIM_OPTION_CLUSTER,
    SDSIM_OPTION_FATS,  SDSIM_OPTION_NO_PARTITION, SDSIM_OPTION_LABEL, SDSIM_OPTION_SERIAL,
    SDSIM_OPTION_FORCE, SDSIM_OPTION_JSON,         SDSIM_OPTION_COLOR, SDSIM_OPTION_HELP,
    SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_mkfs = {
    .name = "mkfs",
    .operands = "IMAGE",
    .summary = "make an image of a card with an empty volume",
    .details =
        "Without further wishes the volume is what the SD Association's formatter makes: FAT12 or "
        "FAT16 up to 2GiB, FAT32 with clusters of 32KiB up to 32GiB, exFAT with clusters of 128KiB "
        "above; one MBR partition, and partition and data begin on the borders that the SD "
        "specification asks for. IMAGE is a sparse file, and is there whole or not at all. The "
        "same options make the same bytes.\n"
        "The JSON is {image, sectors, partition {table, number, type, start, sectors}, volume "
        "{type, label, serial, start, sectors, cluster_bytes, clusters, fats, fat_start, "
        "fat_sectors, data_start, root_start, root_entries, root_cluster, bitmap_start}, alignment "
        "{au_bytes, start_offset, fat_offset, data_offset, system_aus, data_shares_au, "
        "clusters_cross_au}}; places and lengths in sectors.\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = mkfs,
};

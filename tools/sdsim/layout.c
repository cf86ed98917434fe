#include "fat/layout.h"

#include <stdlib.h>

#include "command.h"
#include "fat/medium_disk.h"
#include "images.h"
#include "output.h"
#include "plot.h"
#include "report/layout_picture.h"
#include "report/layout_report.h"

#define AU_SECTORS     8192u /* 4 MiB, as most cards have */
#define AU_SECTORS_MIN 32u   /* 16 KiB, the least the SD specification knows */

static bool take_au(const struct sdsim_arguments *arguments, uint32_t *sectors)
{
    const char *au = arguments->values[SDSIM_OPTION_AU];
    const char *name = arguments->values[SDSIM_OPTION_CARD];
    *sectors = AU_SECTORS;
    if (au != NULL && name != NULL) {
        fputs("error: --au and --card exclude each other\n", stderr);
        return false;
    }
    uint32_t capacity;
    if (name != NULL && !sdsim_take_card(name, &capacity, sectors)) {
        return false;
    }
    if (au != NULL && !sdsim_take_sectors("--au", au, sectors)) {
        return false;
    }
    if (*sectors < AU_SECTORS_MIN) {
        fputs("error: an AU has at least 16KiB\n", stderr);
        return false;
    }
    return true;
}

static bool print(const struct sdsim_layout *layout, const struct sdsim_arguments *arguments,
                  FILE *out)
{
    const char *image = arguments->operands[0];
    const struct sdsim_style style = sdsim_output_style(arguments);
    if (!arguments->json) {
        return sdsim_layout_print(layout, image, &style, out);
    }
    struct sdsim_json json;
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_layout_json_geometry(layout, image, &json);
    sdsim_layout_json_survey(layout, &json);
    sdsim_json_end(&json);
    return true;
}

/* What is drawn, and the name in its title. */
struct picture {
    const struct sdsim_layout *layout;
    const char *image;
};

static bool picture_data(const void *context, FILE *out)
{
    return sdsim_layout_picture_data(((const struct picture *)context)->layout, out);
}

static void picture_script(const void *context, enum sdsim_picture_format format,
                           const char *data_name, const char *picture_name, FILE *out)
{
    const struct picture *picture = context;
    sdsim_layout_picture_script(picture->layout, picture->image, format, data_name, picture_name,
                                out);
}

/* Draws and prints; damage is worth an exit code of its own. */
static enum sdsim_exit report(const struct sdsim_layout *layout,
                              const struct sdsim_arguments *arguments)
{
    const char *picture = arguments->values[SDSIM_OPTION_PICTURE];
    const bool keep = arguments->values[SDSIM_OPTION_KEEP_PLOT] != NULL;
    struct sdsim_output output;
    enum sdsim_exit drawn = SDSIM_EXIT_OK;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    if (!print(layout, arguments, output.stream)) {
        fputs("error: out of memory\n", stderr);
        sdsim_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    if (picture != NULL) {
        const struct picture drawing = {.layout = layout, .image = arguments->operands[0]};
        const struct sdsim_plot plot = {picture_data, picture_script, &drawing};
        drawn = sdsim_plot_draw(&plot, picture, keep);
    }
    const enum sdsim_exit sent = sdsim_output_send(&output, arguments->output);
    if (drawn != SDSIM_EXIT_OK || sent != SDSIM_EXIT_OK) {
        return SDSIM_EXIT_FAULT;
    }
    return layout->damage_total > 0 ? SDSIM_EXIT_FINDING : SDSIM_EXIT_OK;
}

static enum sdsim_exit survey(struct sdsim_medium *medium, const struct sdsim_arguments *arguments,
                              uint32_t au_sectors)
{
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    const struct sdsim_layout_wishes wishes = {
        .au_sectors = au_sectors,
        .path = arguments->operand_count > 1 ? arguments->operands[1] : NULL,
        .contents = arguments->operands[0],
    };
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_layout *layout = sdsim_layout_create(&disk, &wishes, &diags);
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (sdsim_medium_failed(medium)) {
        sdsim_error(&diags, arguments->operands[0], "can't be read");
        code = SDSIM_EXIT_FAULT;
    } else if (layout != NULL) {
        code = report(layout, arguments);
    }
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    sdsim_layout_destroy(layout);
    return code;
}

static enum sdsim_exit layout(const struct sdsim_arguments *arguments)
{
    uint32_t au_sectors;
    if (!take_au(arguments, &au_sectors)) {
        return SDSIM_EXIT_INPUT;
    }
    struct sdsim_medium *medium = sdsim_image_open_medium(arguments->operands[0]);
    if (medium == NULL) {
        return SDSIM_EXIT_INPUT;
    }
    const enum sdsim_exit code = survey(medium, arguments, au_sectors);
    sdsim_medium_destroy(medium);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_AU,        SDSIM_OPTION_CARD, SDSIM_OPTION_PICTURE,
    SDSIM_OPTION_KEEP_PLOT, SDSIM_OPTION_JSON, SDSIM_OPTION_OUTPUT,
    SDSIM_OPTION_COLOR,     SDSIM_OPTION_HELP, SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_layout = {
    .name = "layout",
    .operands = "IMAGE [FILE]",
    .summary = "show what lies where on a card, and what was lost",
    .details =
        "IMAGE is an image file or a card (a block device); it is only read. FILE is the path of a "
        "file on it, whose pieces are listed. Reports where partition, FATs and data begin within "
        "the card's allocation units (AUs), free space by length of its runs, files in several "
        "pieces, and findings: clusters that are allocated to no file or to two, chains that end "
        "too early, go on too long, or in circles, FATs that differ, counts that are wrong - what "
        "a "
        "power cut leaves behind.\n"
        "The exit code is 1 if something is damaged or lost, 0 if there are notes at most.\n"
        "The JSON has the members of mkfs and: space {used, free, bad, lost, lost_runs, aus, "
        "free_aus, free_runs, largest_free_run, free_runs_by_length [{from, to, runs, clusters}]} "
        "in "
        "clusters; tree {files, directories, bytes, file_clusters, fragments, fragmented_files, "
        "most_fragmented [{path, directory, size, clusters, fragments}]}; file, null without FILE, "
        "with extents [{cluster, clusters, lba, sectors}], marked_contiguous and aus; "
        "finding_count, damage_count, findings [{kind, damage, path, other, cluster, said, found, "
        "text}].\n",
    .least = 1,
    .most = 2,
    .options = options,
    .run = layout,
};

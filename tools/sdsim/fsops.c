#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "fat/blocks.h"
#include "fat/engines.h"
#include "fat/layout_text.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"
#include "images.h"
#include "output.h"
#include "report/fsops_report.h"
#include "report/table.h"

#define SEED 1u /* of what the operations write */

/* The operations, read and checked. */
struct list {
    char *text;
    size_t size;
    struct item {
        uint32_t line;
        struct sdsim_op op; /* with pointers into the text */
    } * items;
    size_t count;
    size_t capacity;
};

/* The engine to use. Without a name it is the one that takes every volume and every file name. */
static bool find_engine(const char *name, struct sdsim_volume_config *config)
{
    const struct sdsim_engine *engine = sdsim_engine_find(name != NULL ? name : "esp-idf-full");
    if (engine != NULL) {
        *config = engine->config;
        return true;
    }
    char names[600];
    size_t used = 0;
    names[0] = '\0';
    for (size_t i = 0; sdsim_engine_at(i) != NULL && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 sdsim_engine_at(i)->name);
    }
    fprintf(stderr, "error: there is no engine '%s'\n", name);
    sdsim_print_wrapped(stderr, "help: the engines are ", names);
    return false;
}

/* ---- the volume ---- */

/* Takes the next part of "32GB:fat32:32KiB" off the text; NULL if there is none. */
static char *take_part(char **text)
{
    char *part = *text;
    char *colon = part != NULL ? strchr(part, ':') : NULL;
    *text = colon != NULL ? colon + 1 : NULL;
    if (colon != NULL) {
        *colon = '\0';
    }
    return part;
}

/* "32GB[:fat32[:32KiB]]" */
static bool take_new_volume(const char *text, uint32_t *sectors, struct sdsim_mkfs *wishes)
{
    char copy[200];
    snprintf(copy, sizeof copy, "%s", text);
    char *rest = copy;
    const char *size = take_part(&rest);
    const char *type = take_part(&rest);
    const char *cluster = take_part(&rest);
    uint32_t cluster_sectors = 0;
    if (!sdsim_take_sectors("new:SIZE", size, sectors) ||
        (type != NULL && !sdsim_take_volume_type(type, &wishes->type)) ||
        (cluster != NULL &&
         !sdsim_take_sectors("new:SIZE:TYPE:CLUSTER", cluster, &cluster_sectors))) {
        return false;
    }
    if (rest != NULL || cluster_sectors > UINT32_MAX / SDSIM_SECTOR) {
        fprintf(stderr, "error: a new volume is new:SIZE[:TYPE[:CLUSTER]], not 'new:%s'\n", text);
        return false;
    }
    wishes->cluster_bytes = cluster_sectors * SDSIM_SECTOR;
    return true;
}

static struct sdsim_medium *make_volume(const char *text)
{
    struct sdsim_mkfs wishes = {0};
    uint32_t sectors;
    if (!take_new_volume(text, &sectors, &wishes)) {
        return NULL;
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(sectors, 0);
    if (medium == NULL) {
        sdsim_error(&diags, NULL, "out of memory");
    } else if (!sdsim_mkfs(medium, &wishes, &diags)) {
        sdsim_medium_destroy(medium);
        medium = NULL;
    }
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    return medium;
}

static struct sdsim_medium *open_volume(const char *name)
{
    return strncmp(name, "new:", 4) == 0 ? make_volume(name + 4) : sdsim_image_open_medium(name);
}

/* Says so if the engine will find no volume where a PC finds one. */
static void warn_unreadable(struct sdsim_medium *medium, const struct sdsim_volume_config *config)
{
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    struct sdsim_volume_config any = *config;
    struct sdsim_volume volume = {0};
    sdsim_ps now = 0;
    any.gpt = true;
    if (sdsim_volume_mount(&volume, &disk, config, &now) == SDSIM_FAT_OK) {
        return;
    }
    char why[400];
    const char *reason = why;
    if (sdsim_volume_mount(&volume, &disk, &any, &now) == SDSIM_FAT_OK) {
        reason = "there is one, but in a GPT, which it does not read";
    } else if (!sdsim_layout_explain(&disk, why, sizeof why)) {
        reason = "there is one, but of a kind it does not read";
    }
    fprintf(stderr, "warning: the engine finds no volume to mount: %s\n", reason);
}

/* ---- the list ---- */

static bool read_all(FILE *in, struct list *list)
{
    size_t capacity = 0;
    for (;;) {
        if (capacity - list->size < 4096) {
            capacity = capacity * 2 + 65536;
            char *grown = realloc(list->text, capacity);
            if (grown == NULL) {
                errno = ENOMEM;
                return false;
            }
            list->text = grown;
        }
        const size_t got = fread(list->text + list->size, 1, capacity - list->size, in);
        list->size += got;
        if (got == 0) {
            return ferror(in) == 0;
        }
    }
}

static bool read_list(const char *path, struct list *list)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "rb");
    bool done = in != NULL;
    if (done) {
        done = read_all(in, list);
        const int reason = errno;
        if (!standard) {
            (void)fclose(in);
        }
        errno = reason;
    }
    if (!done) {
        fprintf(stderr, "error: cannot read %s: %s\n", path, strerror(errno));
    }
    return done;
}

static bool add_item(struct list *list, const struct item *item)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity * 2 + 64;
        struct item *grown = realloc(list->items, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->count++] = *item;
    return true;
}

/* Parses all lines; the messages, too, are for all of them. */
static void parse_list(const char *path, struct list *list, struct sdsim_diags *diags)
{
    struct item item = {.line = 0};
    const bool marked = list->size >= 3 && memcmp(list->text, "\xEF\xBB\xBF", 3) == 0;
    for (size_t at = marked ? 3 : 0; at < list->size;) { /* Windows marks UTF-8 */
        const char *line = list->text + at;
        const char *end = memchr(line, '\n', list->size - at);
        const size_t length = end != NULL ? (size_t)(end - line) : list->size - at;
        const struct sdsim_place place = {.file = path, .line = ++item.line};
        if (sdsim_op_parse(&item.op, line, length, &place, diags) == SDSIM_OP_LINE &&
            !add_item(list, &item)) {
            sdsim_error(diags, path, "out of memory");
            return;
        }
        at += length + 1;
    }
    if (list->count > 0 && list->items[0].op.kind != SDSIM_OP_MOUNT) {
        const struct sdsim_place place = {.file = path, .line = list->items[0].line};
        sdsim_diag_add(diags, SDSIM_WARNING, &place, NULL, 0, "begin with a line 'mount'",
                       "nothing is mounted yet, so this operation fails");
    }
}

/* How messages call the list. */
static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static bool load_list(const char *path, struct list *list)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    bool good = read_list(path, list);
    if (good) {
        parse_list(name_of(path), list, &diags);
        good = diags.errors == 0;
    }
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    return good;
}

/* ---- running ---- */

/* A run of the list, which prints as it goes: a trace may be much longer than memory. */
struct run {
    const struct list *list;
    struct sdsim_session session;
    struct sdsim_blocks blocks;
    const char *image; /* where the volume goes to; NULL: nowhere, only the trace counts */
    FILE *out;
    uint32_t damage_line; /* of the first operation that met damage; 0: none */
    enum sdsim_fat_result damage;
};

/* Notes an operation that failed as none fails on a sound volume. */
static void note_damage(struct run *run, uint32_t line, enum sdsim_fat_result result)
{
    const bool damage = result == SDSIM_FAT_DISK_ERROR || result == SDSIM_FAT_CORRUPT;
    if (damage && run->damage_line == 0) {
        run->damage_line = line;
        run->damage = result;
    }
}

/* Whether there is a point in going on: nobody reads any more, no memory, an unreadable image. */
static bool is_over(const struct run *run)
{
    return (run->image == NULL && ferror(run->out) != 0) || run->blocks.failed ||
           sdsim_medium_failed(run->blocks.medium);
}

/* Runs an operation as often as it says; with `json` each time is an item of its list. */
static void run_item(struct run *run, const struct item *item, struct sdsim_json *json)
{
    sdsim_ps now = 0;
    for (uint64_t k = 1; k <= item->op.repeat && !is_over(run); k++) {
        const uint32_t repetition = (uint32_t)k;
        const struct sdsim_answer outcome = sdsim_session_run(&run->session, &item->op, &now, NULL);
        if (json != NULL) {
            sdsim_fsops_json_operation(&run->blocks, item->line, &item->op, repetition, &outcome,
                                       json);
        }
        sdsim_blocks_note(&run->blocks, item->line, &item->op, repetition, &outcome);
        note_damage(run, item->line, outcome.result);
    }
}

static void run_list(struct run *run, struct sdsim_json *json)
{
    for (size_t i = 0; i < run->list->count; i++) {
        run_item(run, &run->list->items[i], json);
    }
}

/* Runs the list and prints what is asked for; false without memory. */
static bool print_run(const struct sdsim_arguments *arguments, struct run *run)
{
    struct sdsim_blocks *blocks = &run->blocks;
    FILE *out = run->out;
    const bool summary = arguments->values[SDSIM_OPTION_SUMMARY] != NULL;
    const struct sdsim_style style = sdsim_output_style(arguments);
    if (arguments->json) {
        struct sdsim_json json;
        sdsim_json_start(&json, out);
        sdsim_json_object(&json, NULL);
        sdsim_json_text(&json, "volume", arguments->operands[0]);
        if (!summary) {
            blocks->keep = true;
            sdsim_json_array(&json, "operations");
        }
        run_list(run, summary ? NULL : &json);
        if (!summary) {
            sdsim_json_end(&json);
        }
        sdsim_fsops_json_summary(blocks, &json);
        sdsim_json_end(&json);
        return !blocks->failed;
    }
    blocks->out = summary ? NULL : out;
    run_list(run, NULL);
    if (summary) {
        return sdsim_fsops_print_summary(blocks, &style, out);
    }
    if (!is_over(run)) {
        sdsim_blocks_end(blocks);
    }
    return !blocks->failed;
}

/* The firmware only gets a number; the image says more. */
static void explain_damage(const struct run *run, const char *path)
{
    char why[400];
    const struct sdsim_disk disk = sdsim_medium_disk(run->blocks.medium);
    if (run->damage_line == 0) {
        return;
    }
    fprintf(stderr, "%s:%" PRIu32 ": warning: rc=%d, %s", path, run->damage_line, (int)run->damage,
            sdsim_fat_result_text(run->damage));
    if (sdsim_layout_explain(&disk, why, sizeof why)) {
        fprintf(stderr, ": %s", why);
    }
    fputc('\n', stderr);
}

/* False with a message. */
static bool run_on(const struct sdsim_arguments *arguments, const struct list *list,
                   const struct sdsim_volume_config *config, struct sdsim_medium *medium)
{
    struct run *run = calloc(1, sizeof *run);
    bool done = false;
    if (run != NULL) {
        run->list = list;
        run->image = arguments->values[SDSIM_OPTION_IMAGE];
        run->out = stdout;
        sdsim_blocks_init(&run->blocks, medium, NULL);
        sdsim_session_init(&run->session, &run->blocks.disk, config, SEED);
        run->blocks.geometry = &run->session.volume.geometry;
        done = print_run(arguments, run);
        explain_damage(run, name_of(arguments->operands[1]));
        sdsim_session_end(&run->session);
        sdsim_blocks_free(&run->blocks);
    }
    free(run);
    if (!done) {
        fputs("error: out of memory\n", stderr);
    } else if (sdsim_medium_failed(medium)) {
        fprintf(stderr, "error: %s: can't be read\n", arguments->operands[0]);
        done = false;
    }
    return done;
}

static enum sdsim_exit run_and_store(const struct sdsim_arguments *arguments,
                                     const struct list *list,
                                     const struct sdsim_volume_config *config,
                                     struct sdsim_medium *medium)
{
    const char *image = arguments->values[SDSIM_OPTION_IMAGE];
    if (image != NULL) {
        (void)signal(SIGPIPE, SIG_IGN); /* the image is wanted even if nobody reads the trace */
    }
    const bool done = run_on(arguments, list, config, medium);
    const bool printed = fflush(stdout) == 0 && ferror(stdout) == 0;
    if (!printed) {
        fprintf(stderr, "error: cannot write to standard output: %s\n", strerror(errno));
    }
    const bool stored =
        image == NULL || (done && sdsim_image_store(medium, image) == SDSIM_EXIT_OK);
    return done && printed && stored ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}

static enum sdsim_exit fsops(const struct sdsim_arguments *arguments)
{
    const char *engine = arguments->values[SDSIM_OPTION_ENGINE];
    const char *image = arguments->values[SDSIM_OPTION_IMAGE];
    struct sdsim_volume_config config;
    struct list list = {.text = NULL};
    struct sdsim_medium *medium = NULL;
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (find_engine(engine, &config) &&
        (image == NULL ||
         sdsim_image_may_write(image, arguments->values[SDSIM_OPTION_FORCE] != NULL)) &&
        load_list(arguments->operands[1], &list)) {
        medium = open_volume(arguments->operands[0]);
    }
    if (medium != NULL) {
        warn_unreadable(medium, &config);
        code = run_and_store(arguments, &list, &config, medium);
    }
    sdsim_medium_destroy(medium);
    free(list.items);
    free(list.text);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_ENGINE, SDSIM_OPTION_SUMMARY, SDSIM_OPTION_JSON, SDSIM_OPTION_IMAGE,
    SDSIM_OPTION_FORCE,  SDSIM_OPTION_COLOR,   SDSIM_OPTION_HELP, SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_fsops = {
    .name = "fsops",
    .operands = "VOLUME LIST",
    .summary = "show which sectors file operations read and write",
    .details =
        "VOLUME is an image file, which stays as it is, or new:SIZE[:TYPE[:CLUSTER]] for a fresh "
        "one, as mkfs makes it: new:32GB, new:4GB:fat32:32KiB. LIST is a file, or - for standard "
        "input, with an operation a line, each with an optional *COUNT behind it: mount, unmount, "
        "open NAME MODE, write N, read N, seek P, sync, close, truncate, expand N, mkdir NAME, "
        "unlink NAME, rename OLD NEW, stat NAME, list DIR, free, print N, fill K (until K clusters "
        "are "
        "free). MODE is r, w, w+, r+, rw, a or A; "
        "N "
        "is a number of bytes, with units c (a cluster), s (512), k (1024) and m if need be: "
        "2c+100; "
        "P is such a number, end, end-N or cur+N. @0 to @9 in front chooses one of ten open "
        "files.\n"
        "Prints '#@ LINE[.REPETITION]' for each operation that did something, with rc=N if it "
        "failed, and behind it its block operations: 'R LBA COUNT # LABEL' and 'W ...' with what "
        "is "
        "touched (data, FAT1, FAT2, directory, FSINFO, bitmap, boot), '#S' for a sync, '#T LBA "
        "COUNT' for a trim; at the end '#end' with totals.\n"
        "The JSON is {volume, operations [{line, repetition, operation, result, n, size, entries, "
        "clusters, blocks [{kind, lba, count, label}]}], summary {operations, block_operations, "
        "sectors_read, sectors_written, syncs, trims {calls, sectors}, labels {LABEL {reads, "
        "writes}}}}; with --summary without operations.\n",
    .least = 2,
    .most = 2,
    .options = options,
    .run = fsops,
};

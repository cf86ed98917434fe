/*
 * sdsim sweep: one scenario at many points.
 *
 * A row's number says which point and run it is, so that rows may be computed in any order and on
 * any machine. Rows that are done go to FILE.part one after the other; a sweep that was interrupted
 * takes them from there.
 */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/kinds.h"
#include "core/rng.h"
#include "core/version.h"
#include "output.h"
#include "plot.h"
#include "report/sweep.h"
#include "run_names.h"
#include "spool.h"
#include "sweep_values.h"

#define MOST_ROWS   1000000u
#define TABLE_ROWS  60u
#define RANDOM_SEED 1u

enum form { FORM_TABLE, FORM_CSV, FORM_JSON };

struct task {
    const struct sdsim_arguments *arguments;
    struct sdsim_cli_session session;
    struct sdsim_vary axes[SDSIM_SWEEP_AXES];
    struct sdsim_sweep sweep;
    const char **runs; /* ids */
    const char **does; /* what each of them does */
    size_t run_count;
    const char *path;
    char (*drawn)[SDSIM_VARY_SIZE]; /* values of points at random */
    bool *chosen;                   /* rows of this shard */
    uint64_t shard;                 /* from 0 */
    uint64_t shards;
    char part[4096]; /* FILE.part, or "" */
    FILE *journal;
    bool journal_failed;
};

__attribute__((format(printf, 3, 4))) static bool complain(struct task *task, const char *help,
                                                           const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sdsim_diag_add(&task->session.diags, SDSIM_ERROR, NULL, NULL, 0, help, "%s", text);
    return false;
}

static bool no_memory(struct task *task)
{
    return complain(task, NULL, "out of memory");
}

/* ---- what is swept ---- */

static bool read_axes(struct task *task)
{
    const char **texts = task->arguments->vary;
    const bool random = task->arguments->values[SDSIM_OPTION_RANDOM] != NULL;
    size_t count = 0;
    while (texts[count] != NULL) {
        if (count == SDSIM_SWEEP_AXES) {
            return complain(task, NULL, "--vary may be given four times");
        }
        struct sdsim_vary *axis = &task->axes[count];
        if (!sdsim_vary_parse(axis, texts[count], &task->session.diags)) {
            return false;
        }
        for (size_t a = 0; a < count; a++) {
            if (strcmp(task->axes[a].path, axis->path) == 0) {
                return complain(task, "give all its values with one --vary", "'%s' is varied twice",
                                axis->path);
            }
        }
        task->sweep.axis_count = ++count;
        if (axis->count == 0 && !random) {
            return complain(task, "say how many values, e.g. 100us..1ms/10, or take --random N",
                            "'%s' is a range without a step", texts[count - 1]);
        }
    }
    task->sweep.axes = task->axes;
    return count > 0 || complain(task, "for example --vary workload.call=512B..64KiB*2",
                                 "nothing to vary: --vary PATH=VALUES is missing");
}

/* "write file calls": what a run does, and what of it is measured. Lives as long as the config. */
static const char *deed_of(struct sdsim_config *config, const struct sdsim_run *run)
{
    const struct sdsim_node *workload = sdsim_node_get(run->tree, "workload");
    const char *const words[] = {sdsim_node_text(workload, "do"), sdsim_node_text(workload, "on"),
                                 sdsim_node_text(workload, "timed"),
                                 sdsim_node_text(run->tree, "measure")};
    static const char *const usual[] = {"write", "file", "calls", ""};
    char text[200];
    size_t used = 0;
    for (size_t i = 0; i < 4 && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s ",
                                 words[i] != NULL ? words[i] : usual[i]);
    }
    const char *kept = sdsim_config_text(config, text);
    return kept != NULL ? kept : run->id; /* no memory: no two do the same */
}

static bool read_runs(struct task *task)
{
    struct sdsim_cli_session *session = &task->session;
    const struct sdsim_arguments *arguments = task->arguments;
    task->path = sdsim_cli_find(session, "scenario", arguments->operands[0]);
    if (task->path == NULL) {
        return false;
    }
    const struct sdsim_scenario *scenario = sdsim_cli_load_scenario(
        session, task->path, arguments, arguments->overrides, SDSIM_FOR_PREDICTIONS);
    if (scenario == NULL) {
        return false;
    }
    const size_t named = arguments->operand_count - 1;
    task->sweep.scenario = scenario->name;
    task->runs = calloc(scenario->count + 1, sizeof *task->runs);
    task->does = calloc(scenario->count + 1, sizeof *task->does);
    if (task->runs == NULL || task->does == NULL) {
        return no_memory(task);
    }
    for (size_t n = 0; n < named; n++) {
        if (sdsim_cli_find_run(session, scenario, arguments->operands[1 + n]) == NULL) {
            return false;
        }
    }
    for (size_t i = 0; i < scenario->count; i++) { /* in the scenario's order, each once */
        bool wanted = named == 0;
        for (size_t n = 0; n < named; n++) {
            wanted = wanted || strcmp(arguments->operands[1 + n], scenario->runs[i].id) == 0;
        }
        if (wanted) {
            task->does[task->run_count] = deed_of(session->config, &scenario->runs[i]);
            task->runs[task->run_count++] = scenario->runs[i].id;
        }
    }
    task->sweep.does = task->does;
    return true;
}

static bool count_rows(struct task *task)
{
    struct sdsim_sweep *sweep = &task->sweep;
    const char *random = task->arguments->values[SDSIM_OPTION_RANDOM];
    uint64_t points = 1;
    if (random != NULL) {
        char *end = NULL;
        points = strtoull(random, &end, 10);
        if (*end != '\0' || random[0] == '-' || points == 0) {
            return complain(task, NULL, "--random takes a number of points, not '%s'", random);
        }
        sweep->random = true;
    }
    for (size_t a = 0; random == NULL && a < sweep->axis_count; a++) {
        points *=
            sweep->axes[a].count; /* each is at most 100000, so this can't overflow before ... */
        if (points > MOST_ROWS) {
            break;
        }
    }
    if (points * task->run_count > MOST_ROWS) { /* ... it is noticed here */
        return complain(task, "take larger steps, or --random N", "more than %u rows", MOST_ROWS);
    }
    sweep->count = (size_t)points * task->run_count;
    return true;
}

/* Gives each row its values and run. */
static bool make_rows(struct task *task)
{
    struct sdsim_sweep *sweep = &task->sweep;
    const size_t points = sweep->count / task->run_count;
    sweep->rows = calloc(sweep->count, sizeof *sweep->rows);
    task->chosen = calloc(sweep->count, sizeof *task->chosen);
    task->drawn = sweep->random ? calloc(points * sweep->axis_count, sizeof *task->drawn) : NULL;
    if (sweep->rows == NULL || task->chosen == NULL || (sweep->random && task->drawn == NULL)) {
        return no_memory(task);
    }
    const char *seed = task->arguments->seed;
    const uint64_t luck = sdsim_hash_text(RANDOM_SEED, seed);
    for (size_t point = 0; point < points; point++) {
        const char *values[SDSIM_SWEEP_AXES];
        size_t rest = point;
        for (size_t a = sweep->axis_count; a-- > 0;) { /* the last axis moves first */
            const struct sdsim_vary *axis = &sweep->axes[a];
            values[a] = sweep->random ? sdsim_vary_draw(axis, luck, point,
                                                        task->drawn[point * sweep->axis_count + a])
                                      : axis->values[rest % axis->count];
            rest = sweep->random ? rest : rest / axis->count;
        }
        for (size_t r = 0; r < task->run_count; r++) {
            const size_t row = point * task->run_count + r;
            memcpy(sweep->rows[row].values, values, sizeof values);
            sweep->rows[row].run = task->runs[r];
            task->chosen[row] = point % task->shards == task->shard;
        }
    }
    return true;
}

/* ---- the mark ---- */

static uint64_t hash_file(uint64_t hash, const char *path)
{
    char block[4097];
    size_t size;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return sdsim_hash_text(hash, "missing");
    }
    while ((size = fread(block, 1, sizeof block - 1, file)) > 0) {
        block[size] = '\0';
        hash = sdsim_hash_text(hash, block);
    }
    fclose(file);
    return hash;
}

/* All that the numbers of a row depend on: version, files, values. Not where the files lie. */
static void set_mark(struct task *task)
{
    static const char *const kinds[] = {
#define SDSIM_KIND_NAME(kind, folder) #kind,
        SDSIM_KIND_LIST(SDSIM_KIND_NAME)
#undef SDSIM_KIND_NAME
    };
    const struct sdsim_arguments *arguments = task->arguments;
    uint64_t hash = hash_file(sdsim_hash_text(0, SDSIM_VERSION), task->path);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct sdsim_profile_file *files = NULL;
        const size_t count = sdsim_config_list(task->session.config, kinds[k], &files);
        for (size_t f = 0; f < count && strcmp(kinds[k], "scenario") != 0; f++) {
            hash = hash_file(sdsim_hash_text(hash, files[f].name), files[f].path);
        }
    }
    for (const char **text = arguments->overrides; *text != NULL; text++) {
        hash = sdsim_hash_text(hash, *text);
    }
    for (const char **text = arguments->vary; *text != NULL; text++) {
        hash = sdsim_hash_text(hash, *text);
    }
    for (size_t r = 0; r < task->run_count; r++) {
        hash = sdsim_hash_text(hash, task->runs[r]);
    }
    hash = sdsim_hash_number(hash, task->sweep.draws);
    task->sweep.mark = sdsim_hash_number(hash, task->sweep.count);
}

static bool read_shard(struct task *task)
{
    const char *text = task->arguments->values[SDSIM_OPTION_SHARD];
    unsigned long long number = 1;
    unsigned long long of = 1;
    char rest;
    if (text != NULL && (sscanf(text, "%llu/%llu%c", &number, &of, &rest) != 2 || number == 0 ||
                         number > of || of > MOST_ROWS)) {
        return complain(task, "for example --shard 1/4", "--shard takes I/N, not '%s'", text);
    }
    task->shard = number - 1;
    task->shards = of;
    return true;
}

static bool prepare(struct task *task)
{
    task->sweep.draws = task->arguments->draws;
    if (!read_shard(task) || !read_axes(task) || !read_runs(task) || !count_rows(task) ||
        !make_rows(task)) {
        return false;
    }
    set_mark(task);
    return true;
}

/* ---- rows from files ---- */

static bool merge(struct task *task)
{
    for (const char **path = task->arguments->merge; *path != NULL; path++) {
        FILE *file = fopen(*path, "r");
        if (file == NULL) {
            sdsim_error(&task->session.diags, *path, "%s", strerror(errno));
            return false;
        }
        const bool fine = sdsim_sweep_read(&task->sweep, file, *path, false, &task->session.diags);
        fclose(file);
        if (!fine) {
            return false;
        }
    }
    for (size_t row = 0; row < task->sweep.count; row++) {
        if (!task->sweep.rows[row].done) {
            sdsim_diag_add(&task->session.diags, SDSIM_ERROR, NULL, NULL, 0,
                           "name the file of every part, with --merge", "row %zu of %zu is missing",
                           row, task->sweep.count);
            return false;
        }
    }
    return true;
}

/* Opens FILE.part, and takes over what it has. */
static bool open_journal(struct task *task)
{
    const char *output = task->arguments->values[SDSIM_OPTION_TABLE_FILE];
    if (output == NULL) {
        return true;
    }
    if (snprintf(task->part, sizeof task->part, "%s.part", output) >= (int)sizeof task->part) {
        task->part[0] = '\0';
        return complain(task, NULL, "the name of the output is too long");
    }
    FILE *old = fopen(task->part, "r");
    size_t found = 0;
    if (old != NULL) {
        const bool fine =
            sdsim_sweep_read(&task->sweep, old, task->part, true, &task->session.diags);
        fclose(old);
        if (!fine) {
            return complain(task, NULL, "%s: remove it to begin anew", task->part);
        }
    }
    /* Written anew, so that a cut last line is gone. */
    task->journal = fopen(task->part, "w");
    if (task->journal == NULL) {
        task->journal_failed = true;
        sdsim_error(&task->session.diags, task->part, "cannot be written: %s", strerror(errno));
        return false;
    }
    sdsim_sweep_csv_head(&task->sweep, task->journal);
    for (size_t row = 0; row < task->sweep.count; row++) {
        if (task->sweep.rows[row].done) {
            sdsim_sweep_csv_row(&task->sweep, row, task->journal);
            found++;
        }
    }
    if (found > 0) {
        fprintf(stderr, "%s: %zu of %zu rows were there already\n", task->part, found,
                task->sweep.count);
    }
    return true;
}

static bool keep_row(void *context, size_t row)
{
    struct task *task = context;
    sdsim_sweep_csv_row(&task->sweep, row, task->journal);
    task->journal_failed = fflush(task->journal) != 0 || ferror(task->journal) != 0;
    return !task->journal_failed;
}

static struct sdsim_sweep_plan plan_of(struct task *task)
{
    return (struct sdsim_sweep_plan){
        .data_dir = task->session.data_dir,
        .path = task->path,
        .overrides = task->arguments->overrides,
        .runs = task->runs,
        .run_count = task->run_count,
        .sweep = &task->sweep,
        .done = task->journal != NULL ? keep_row : NULL,
        .context = task,
    };
}

static bool values_fit(struct task *task)
{
    const struct sdsim_sweep_plan plan = plan_of(task);
    return sdsim_sweep_values_fit(&plan, task->arguments->vary, &task->session.diags);
}

static bool compute(struct task *task)
{
    const struct sdsim_sweep_plan plan = plan_of(task);
    sdsim_sweep_points(&plan, task->chosen, task->arguments->jobs);
    return !task->journal_failed || complain(task, NULL, "%s: it can't be written", task->part);
}

/* ---- output ---- */

static bool ends_in(const char *text, const char *end)
{
    const size_t size = strlen(text);
    return size > strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

static enum form form_of(const struct task *task)
{
    const char *output = task->arguments->values[SDSIM_OPTION_TABLE_FILE];
    if (task->arguments->csv || task->shards > 1 || (output != NULL && ends_in(output, ".csv"))) {
        return FORM_CSV;
    }
    return task->arguments->json || (output != NULL && ends_in(output, ".json")) ? FORM_JSON
                                                                                 : FORM_TABLE;
}

static enum sdsim_exit print(const struct task *task)
{
    struct sdsim_output output;
    const struct sdsim_style style = sdsim_output_style(task->arguments);
    bool fine = true;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    switch (form_of(task)) {
    case FORM_CSV:
        sdsim_sweep_csv(&task->sweep, output.stream);
        break;
    case FORM_JSON:
        sdsim_sweep_json(&task->sweep, output.stream);
        break;
    default:
        fine = sdsim_sweep_print(&task->sweep, TABLE_ROWS, &style, output.stream);
        break;
    }
    if (!fine) {
        fputs("error: out of memory\n", stderr);
        sdsim_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    return sdsim_output_send(&output, task->arguments->values[SDSIM_OPTION_TABLE_FILE]);
}

static bool plot_data(const void *context, FILE *out)
{
    return sdsim_sweep_data(context, out);
}

static void plot_script(const void *context, enum sdsim_picture_format format, const char *data,
                        const char *picture, FILE *out)
{
    sdsim_sweep_script(context, format, data, picture, out);
}

static enum sdsim_exit draw(const struct task *task)
{
    const char *path = task->arguments->values[SDSIM_OPTION_PICTURE];
    const struct sdsim_plot plot = {plot_data, plot_script, &task->sweep};
    return path == NULL ? SDSIM_EXIT_OK
                        : sdsim_plot_draw(&plot, path,
                                          task->arguments->values[SDSIM_OPTION_KEEP_PLOT] != NULL);
}

/* Before anything is computed: whether what is asked for can be given. */
static bool makes_sense(struct task *task)
{
    const char *picture = task->arguments->values[SDSIM_OPTION_PICTURE];
    if (picture == NULL) {
        return true;
    }
    if (task->shards > 1) {
        return complain(task, "draw it with --merge", "a part has not all of the picture");
    }
    const char *why = sdsim_sweep_why_no_picture(&task->sweep);
    return why == NULL || complain(task, NULL, "there is no picture of this: %s", why);
}

static enum sdsim_exit finish(struct task *task)
{
    bool failed = false;
    for (size_t row = 0; row < task->sweep.count; row++) {
        failed = failed || (task->sweep.rows[row].done && task->sweep.rows[row].failed);
    }
    enum sdsim_exit code = draw(task);
    code = code == SDSIM_EXIT_OK ? print(task) : code;
    if (task->journal != NULL) {
        fclose(task->journal);
        task->journal = NULL;
        if (code == SDSIM_EXIT_OK) {
            unlink(task->part);
        }
    }
    return code == SDSIM_EXIT_OK && failed ? SDSIM_EXIT_FINDING : code;
}

static enum sdsim_exit work(struct task *task)
{
    const bool merges = task->arguments->merge[0] != NULL;
    const bool fine = prepare(task) && makes_sense(task) && values_fit(task) &&
                      (merges ? merge(task) : open_journal(task) && compute(task));
    if (sdsim_cli_report(&task->session) || !fine) {
        return task->journal_failed ? SDSIM_EXIT_FAULT : SDSIM_EXIT_INPUT;
    }
    return finish(task);
}

static void release(struct task *task)
{
    for (size_t row = 0; task->sweep.rows != NULL && row < task->sweep.count; row++) {
        free(task->sweep.rows[row].error);
    }
    for (size_t a = 0; a < SDSIM_SWEEP_AXES; a++) {
        sdsim_vary_free(&task->axes[a]);
    }
    if (task->journal != NULL) {
        fclose(task->journal);
    }
    free(task->sweep.rows);
    free(task->runs);
    free(task->does);
    free(task->chosen);
    free(task->drawn);
}

static enum sdsim_exit run(const struct sdsim_arguments *arguments)
{
    struct task *task = calloc(1, sizeof *task);
    if (task == NULL) {
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    task->arguments = arguments;
    const enum sdsim_exit code = sdsim_cli_open(&task->session) ? work(task) : SDSIM_EXIT_FAULT;
    release(task);
    sdsim_cli_close(&task->session);
    free(task);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_VARY,      SDSIM_OPTION_RANDOM, SDSIM_OPTION_SHARD,      SDSIM_OPTION_MERGE,
    SDSIM_OPTION_SET,       SDSIM_OPTION_SEED,   SDSIM_OPTION_DRAWS,      SDSIM_OPTION_JOBS,
    SDSIM_OPTION_JSON,      SDSIM_OPTION_CSV,    SDSIM_OPTION_TABLE_FILE, SDSIM_OPTION_PICTURE,
    SDSIM_OPTION_KEEP_PLOT, SDSIM_OPTION_COLOR,  SDSIM_OPTION_HELP,       SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_sweep = {
    .name = "sweep",
    .operands = "SCENARIO [RUN...]",
    .summary = "predict a scenario at many points: what changes with what",
    .details =
        "Each --vary gives a key and its values; all combinations are predicted, of every run or "
        "of those that are named. Keys are those of --set: of the scenario, or of a profile it "
        "names (card.rd1, host.drivers.esp-idf-sdspi.call, driver, card).\n"
        "Below the table stand the best and the worst point, where more of something stops to "
        "help, and where one choice overtakes another. --picture draws lines along the first key "
        "with numbers, or a heat map of two.\n"
        "For many machines each computes a part, 'sdsim sweep ... --shard 2/8 -o part2.csv', and "
        "the same command with '--merge part1.csv --merge part2.csv ...' puts them together: the "
        "output is that of one run, byte for byte. Parts of another scenario, profile, value or "
        "version are refused. tools/examples/sweep has scripts for GNU parallel and Slurm.\n"
        "The CSV has a line a row: its number, how many there are, a mark of the sweep, the "
        "values, run, metric, unit, predicted, low, high, clock on the wire, mean and longest "
        "call in seconds, and in the last column why there is no prediction. The exit code is 1 if "
        "a row has none.",
    .least = 1,
    .most = SIZE_MAX,
    .options = options,
    .needs_file = sdsim_spool_scenario,
    .run = run,
};

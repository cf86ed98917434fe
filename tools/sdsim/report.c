#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "output.h"
#include "page_pictures.h"
#include "page_watch.h"
#include "pool.h"
#include "predict.h"
#include "report/page.h"
#include "session.h"
#include "spool.h"

struct task {
    struct sdsim_cli_session session;
    const struct sdsim_arguments *arguments;
    struct sdsim_files files;
    struct sdsim_job *jobs;
    size_t count;
    struct sdsim_page page;
    bool *watched; /* of each run: it was heard to its end */
};

/* ---- what is reported ---- */

static bool add_runs(struct task *task, const struct sdsim_scenario *scenario)
{
    struct sdsim_job *jobs =
        realloc(task->jobs, (task->count + scenario->count) * sizeof *task->jobs);
    if (jobs == NULL) {
        sdsim_error(&task->session.diags, NULL, "out of memory");
        return false;
    }
    task->jobs = jobs;
    for (size_t i = 0; i < scenario->count; i++) {
        sdsim_job_init(&jobs[task->count], scenario, &scenario->runs[i]);
        jobs[task->count++].with_exact = true;
    }
    return true;
}

/* Loads all files, so that every mistake in any of them is told at once. */
static void load_all(struct task *task)
{
    const struct sdsim_arguments *arguments = task->arguments;
    struct sdsim_cli_session *session = &task->session;
    for (size_t i = 0; i < arguments->operand_count; i++) {
        (void)sdsim_files_add(&task->files, session, arguments->operands[i], SDSIM_FILES_SCENARIOS);
    }
    for (size_t i = 0; i < task->files.count; i++) {
        const struct sdsim_scenario *scenario = sdsim_scenario_load(
            session->config, task->files.paths[i], arguments->overrides, &session->diags);
        if (scenario != NULL && !add_runs(task, scenario)) {
            return;
        }
    }
    sdsim_jobs_refuse_idle(session, task->jobs, task->count, task->arguments->overrides);
    if (session->diags.errors == 0 && task->count == 0) {
        sdsim_error(&session->diags, NULL, "there is no scenario to report on");
    }
}

/* ---- the model of the page ---- */

static void watch(void *context, size_t index)
{
    struct task *task = context;
    task->watched[index] = sdsim_page_watch(&task->page.runs[index]);
}

static void run_parallel(void *pool, size_t count, void (*work)(void *context, size_t index),
                         void *context)
{
    sdsim_pool_run(count, *(const unsigned *)pool, NULL, work, context);
}

/* Why the run is as it is; what can't be bound any more was bound before, so only memory fails. */
static bool explain(struct task *task, struct sdsim_page_run *run)
{
    unsigned threads = task->arguments->jobs;
    const struct sdsim_explain_options options = {.parallel = run_parallel, .pool = &threads};
    struct sdsim_scenario_subject scenario = {
        .config = task->session.config,
        .path = run->report->scenario->path,
        .id = run->report->run->id,
        .overrides = task->arguments->overrides,
    };
    const struct sdsim_subject subject = sdsim_subject_of_scenario(&scenario);
    run->explanation = sdsim_explain(&subject, &options, &task->session.diags);
    return run->explanation != NULL;
}

/* What can't be explained says so in the session's messages; the rest fails for want of memory. */
static enum sdsim_exit fill_in(struct task *task)
{
    struct sdsim_page *page = &task->page;
    const char *title = task->arguments->values[SDSIM_OPTION_TITLE];
    page->overrides = task->arguments->overrides;
    page->runs = calloc(task->count, sizeof *page->runs);
    task->watched = calloc(task->count, sizeof *task->watched);
    bool fine = page->runs != NULL && task->watched != NULL;
    for (size_t i = 0; fine && i < task->count; i++) {
        struct sdsim_page_run *run = &page->runs[page->count++];
        run->report = &task->jobs[i].report;
        fine = sdsim_inputs_of(run->report->run, &run->inputs);
    }
    if (fine) {
        const bool one =
            page->runs[0].report->scenario == page->runs[page->count - 1].report->scenario;
        page->title = title != NULL ? title
                      : one         ? page->runs[0].report->scenario->name
                                    : "How fast these SD cards are";
        sdsim_pool_run(page->count, task->arguments->jobs, "runs", watch, task);
    }
    for (size_t i = 0; fine && i < page->count; i++) {
        fine = task->watched[i] && explain(task, &page->runs[i]);
    }
    if (fine) {
        return SDSIM_EXIT_OK;
    }
    if (sdsim_cli_report(&task->session)) {
        return SDSIM_EXIT_INPUT;
    }
    fputs("error: out of memory\n", stderr);
    return SDSIM_EXIT_FAULT;
}

static void empty(struct task *task)
{
    struct sdsim_page *page = &task->page;
    sdsim_page_undraw(page);
    for (size_t i = 0; i < page->count; i++) {
        sdsim_inputs_free(&page->runs[i].inputs);
        sdsim_page_unwatch(&page->runs[i]);
        sdsim_explanation_free(page->runs[i].explanation);
    }
    free(page->runs);
    free(task->watched);
    for (size_t i = 0; i < task->count; i++) {
        sdsim_job_free(&task->jobs[i]);
    }
    free(task->jobs);
    sdsim_files_free(&task->files);
}

/* ---- the command ---- */

static enum sdsim_exit print(struct task *task)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    sdsim_page_print(&task->page, output.stream);
    return sdsim_output_send(&output, task->arguments->output);
}

static enum sdsim_exit work(struct task *task)
{
    load_all(task);
    if (sdsim_cli_report(&task->session)) {
        return SDSIM_EXIT_INPUT;
    }
    enum sdsim_exit code = sdsim_predict_jobs(task->session.config, task->jobs, task->count,
                                              task->arguments->draws, task->arguments->jobs);
    if (code == SDSIM_EXIT_OK) {
        code = fill_in(task);
    }
    if (code == SDSIM_EXIT_OK) {
        code = sdsim_page_draw(&task->page);
    }
    return code == SDSIM_EXIT_OK ? print(task) : code;
}

static enum sdsim_exit report(const struct sdsim_arguments *arguments)
{
    if (arguments->output == NULL && isatty(STDOUT_FILENO) != 0) {
        fputs("error: the page is HTML, which a terminal does not show\n"
              "help: write it to a file: -o page.html\n",
              stderr);
        return SDSIM_EXIT_INPUT;
    }
    struct task task = {.arguments = arguments};
    const enum sdsim_exit code = sdsim_cli_open(&task.session) ? work(&task) : SDSIM_EXIT_FAULT;
    empty(&task);
    sdsim_cli_close(&task.session);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_TITLE, SDSIM_OPTION_SET,    SDSIM_OPTION_SEED, SDSIM_OPTION_DRAWS,
    SDSIM_OPTION_JOBS,  SDSIM_OPTION_OUTPUT, SDSIM_OPTION_HELP, SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_report = {
    .name = "report",
    .operands = "SCENARIO...",
    .summary = "write a page that shows a prediction to others: one file of HTML",
    .details =
        "A scenario is a file, the name of one that 'sdsim list scenario' shows, or a folder of "
        "them; all their runs are reported.\n"
        "The page has predicted against measured, as a table and as a plot, and of each run what "
        "the numbers mean, the waterfall from the raw bus down to the prediction with what gives "
        "each step away, what is to blame and what would change it, how long calls take and how "
        "often, what the application, the driver, the bus and the card do when, and the commands; "
        "then all inputs with range, origin and source. It needs no network, no scripts and no "
        "fonts, and is made for a desk, a phone and paper.\n"
        "Pictures are drawn by gnuplot and stand in the page. The same inputs make the same page, "
        "byte for byte.",
    .least = 1,
    .most = SIZE_MAX,
    .options = options,
    .needs_file = sdsim_spool_scenario,
    .run = report,
};

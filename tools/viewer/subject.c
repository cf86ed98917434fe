#include "subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/run_report.h"
#include "restore.h"
#include "setup/replay.h"
#include "timeline/read.h"
#include "tools/sdsim/import_capture.h"
#include "tools/sdsim/replay_setup.h"
#include "tools/sdsim/trace_file.h"
#include "trace/formats.h"
#include "view/capture_spans.h"

enum {
    MOST_CALLS = 2000000,      /* of a trace: 64 MB */
    MOST_PRELOADED = 20000000, /* spans: 330 MB */
};

struct sdsim_subject {
    enum sdsim_operand_kind kind;
    const struct sdsim_arguments *arguments;
    struct sdsim_operand operand;
    struct sdsim_timeline *timeline;
    char title[200];
    struct sdsim_timeline_reader *reader;
    struct sdsim_cli_session session;
    bool looked; /* TIMELINE: its run was looked for */
    const struct sdsim_run *run;
    struct sdsim_setup *setup;
    struct sdsim_medium *medium; /* prepared, before the first call; NULL: not yet */
    char why[300];               /* there is no run */
    char fault[200];             /* CAPTURE: where it is broken; "": nowhere */
    struct sdsim_trace trace;
    struct sdsim_trace_options trace_options;
    struct sdsim_trace_list list;
    bool think;
    bool preloaded;
};

/* ---- what they have in common ---- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static enum sdsim_exit code_of(enum sdsim_failure failure)
{
    static const enum sdsim_exit codes[] = {
        [SDSIM_FAILURE_NONE] = SDSIM_EXIT_OK,
        [SDSIM_FAILURE_INPUT] = SDSIM_EXIT_INPUT,
        [SDSIM_FAILURE_RUN] = SDSIM_EXIT_FINDING,
        [SDSIM_FAILURE_MEMORY] = SDSIM_EXIT_FAULT,
    };
    return codes[failure];
}

static enum sdsim_exit no_memory(void)
{
    fputs("error: out of memory\n", stderr);
    return SDSIM_EXIT_FAULT;
}

/* A run is over: completes the timeline. What went wrong in the run is said, and it is shown up to
 * there. */
static enum sdsim_exit finish(struct sdsim_subject *subject, const char *error,
                              enum sdsim_failure failure)
{
    char clock[64];
    const char *why;
    const struct sdsim_driver_clocks *clocks = &subject->setup->clocks;
    snprintf(clock, sizeof clock, "%" PRIu64 "/%" PRIu64, clocks->num, clocks->den);
    const char *addresses = subject->setup->card.type == SDSIM_SDSC ? "bytes" : "sectors";
    if (!sdsim_timeline_add_text(subject->timeline, "clock", clock, strlen(clock)) ||
        !sdsim_timeline_add_text(subject->timeline, "addresses", addresses, strlen(addresses))) {
        return no_memory();
    }
    if (!sdsim_timeline_finish(subject->timeline, &why)) {
        fprintf(stderr, "error: %s\n", why);
        return SDSIM_EXIT_FAULT;
    }
    if (error[0] != '\0') {
        fprintf(stderr, "error: run %s: %s\n", sdsim_run_label(subject->run), error);
    }
    return code_of(failure);
}

/* ---- timelines ---- */

static enum sdsim_exit open_timeline(struct sdsim_subject *subject)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    subject->reader = sdsim_timeline_open(subject->operand.name, subject->timeline, &diags);
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    snprintf(subject->title, sizeof subject->title, "%.199s", file_name(subject->operand.name));
    if (subject->reader == NULL) {
        return SDSIM_EXIT_INPUT;
    }
    return sdsim_timeline_reader_was_cut(subject->reader) ? SDSIM_EXIT_FINDING : SDSIM_EXIT_OK;
}

/* ---- scenarios ---- */

/* Binds the run that was chosen, and says what there is to be said. */
static bool bind_run(struct sdsim_subject *subject, uint32_t draw)
{
    struct sdsim_cli_session *session = &subject->session;
    const bool bound = subject->run != NULL && sdsim_setup_bind(session->config, subject->run, draw,
                                                                subject->setup, &session->diags);
    return !sdsim_cli_report(session) && bound;
}

static enum sdsim_exit simulate(struct sdsim_subject *subject)
{
    struct sdsim_outcome_report report;
    struct sdsim_medium *medium = NULL;
    subject->medium = sdsim_prepare_medium(subject->setup, &report);
    if (subject->medium == NULL) {
        fprintf(stderr, "error: run %s: %s\n", sdsim_run_label(subject->run), report.error);
        return code_of(report.failure);
    }
    medium = sdsim_medium_copy(subject->medium);
    if (medium == NULL) {
        return no_memory();
    }
    sdsim_simulate_on(subject->setup, medium, &subject->timeline->recorder, &report);
    sdsim_medium_destroy(medium);
    return finish(subject, report.error, report.failure);
}

static enum sdsim_exit open_scenario(struct sdsim_subject *subject)
{
    uint32_t draw;
    if (!sdsim_cli_open(&subject->session)) {
        return SDSIM_EXIT_FAULT;
    }
    if (!sdsim_arguments_draw(subject->arguments, &draw)) {
        return SDSIM_EXIT_INPUT;
    }
    subject->run = sdsim_replay_scenario(&subject->session, subject->arguments,
                                         subject->operand.name, subject->operand.run);
    if (!bind_run(subject, draw)) {
        return SDSIM_EXIT_INPUT;
    }
    snprintf(subject->title, sizeof subject->title, "%.99s %.99s", subject->run->scenario,
             subject->run->id);
    return simulate(subject);
}

/* ---- traces ---- */

/* Reads the trace into memory. */
static bool load_trace(struct sdsim_subject *subject)
{
    struct sdsim_diags *diags = &subject->session.diags;
    const char *path = subject->operand.name;
    if (!sdsim_trace_file_open(&subject->trace, subject->arguments, path, &subject->trace_options,
                               diags)) {
        return false;
    }
    const enum sdsim_trace_load loaded =
        sdsim_trace_list_load(&subject->list, &subject->trace, MOST_CALLS);
    if (loaded == SDSIM_TRACE_LOAD_NO_MEMORY) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    if (loaded == SDSIM_TRACE_TOO_LONG) {
        fprintf(stderr, "note: %s is long: its first %d calls are shown\n", path, MOST_CALLS);
    }
    if (sdsim_trace_failed(&subject->trace)) {
        return false;
    }
    if (subject->list.count == 0) {
        sdsim_trace_file_tell_empty(&subject->trace, subject->arguments, path, SDSIM_ERROR, diags);
        return false;
    }
    if (!sdsim_trace_list_sort(&subject->list)) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    return true;
}

/* Replays the list on a copy of the medium; with a view or a recorder. */
static bool replay(const struct sdsim_subject *subject, struct sdsim_recorder *recorder,
                   struct sdsim_view *view, struct sdsim_replay_result *result)
{
    const struct sdsim_replay_options options = {.think = subject->think, .view = view};
    struct sdsim_trace trace;
    struct sdsim_medium *medium = sdsim_medium_copy(subject->medium);
    *result = (struct sdsim_replay_result){.calls = 0};
    if (medium == NULL || !sdsim_trace_list_open(&trace, &subject->list, NULL)) {
        sdsim_medium_destroy(medium);
        return false;
    }
    sdsim_replay(subject->setup, medium, &trace, &options, recorder, NULL, result);
    sdsim_trace_close(&trace);
    sdsim_medium_destroy(medium);
    return true;
}

static enum sdsim_exit play(struct sdsim_subject *subject)
{
    struct sdsim_replay_result result;
    const bool files = subject->trace.ops != NULL;
    subject->medium =
        sdsim_replay_prepare(subject->setup, files ? &subject->list : NULL, NULL, 0, &result);
    if (subject->medium == NULL) {
        fprintf(stderr, "error: %s\n", result.error);
        return code_of(result.failure);
    }
    if (!replay(subject, &subject->timeline->recorder, NULL, &result)) {
        return no_memory();
    }
    const enum sdsim_exit code = finish(subject, result.error, result.failure);
    sdsim_replay_result_free(&result);
    return code;
}

static enum sdsim_exit open_trace(struct sdsim_subject *subject)
{
    struct sdsim_arguments arguments = *subject->arguments;
    char *words[] = {NULL, NULL};
    arguments.operands =
        words; /* a scenario beside the trace would be the second thing to look at */
    arguments.operand_count = 1;
    if (!sdsim_cli_open(&subject->session)) {
        return SDSIM_EXIT_FAULT;
    }
    const bool loaded = load_trace(subject);
    if (loaded) {
        const bool files = subject->trace.ops != NULL;
        subject->run =
            sdsim_replay_choose(&subject->session, &arguments, subject->trace.info, files);
    }
    if (!bind_run(subject, 0) || !loaded) {
        return SDSIM_EXIT_INPUT;
    }
    if (subject->trace.ops != NULL && subject->setup->run.workload.target != SDSIM_ON_FILE) {
        fputs("error: the trace is of files, but the scenario works on raw sectors\n", stderr);
        return SDSIM_EXIT_INPUT;
    }
    snprintf(subject->title, sizeof subject->title, "%.90s on %.90s",
             file_name(subject->operand.name),
             subject->run->board_name != NULL ? subject->run->board_name : subject->run->host_name);
    return play(subject);
}

/* ---- captures ---- */

static enum sdsim_exit open_capture(struct sdsim_subject *subject)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const bool fine =
        sdsim_capture_spans(subject->operand.name, subject->arguments->values[SDSIM_OPTION_CHANNEL],
                            subject->timeline, &diags);
    for (size_t i = 0; fine && i < diags.count; i++) {
        if (diags.items[i].severity == SDSIM_ERROR) {
            snprintf(subject->fault, sizeof subject->fault, "%s", diags.items[i].text);
        }
    }
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    snprintf(subject->title, sizeof subject->title, "%.199s", file_name(subject->operand.name));
    snprintf(subject->why, sizeof subject->why, "it was recorded, not simulated");
    return fine ? SDSIM_EXIT_OK : SDSIM_EXIT_INPUT;
}

/* ---- opening ---- */

struct sdsim_subject *sdsim_subject_open(const struct sdsim_arguments *arguments,
                                         const struct sdsim_operand *operand,
                                         struct sdsim_timeline *timeline, enum sdsim_exit *code)
{
    static enum sdsim_exit (*const openers[])(struct sdsim_subject *) = {
        [SDSIM_OPERAND_TIMELINE] = open_timeline,
        [SDSIM_OPERAND_CAPTURE] = open_capture,
        [SDSIM_OPERAND_TRACE] = open_trace,
        [SDSIM_OPERAND_SCENARIO] = open_scenario,
    };
    struct sdsim_subject *subject = calloc(1, sizeof *subject);
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    if (subject == NULL || setup == NULL) {
        free(subject);
        free(setup);
        *code = no_memory();
        return NULL;
    }
    subject->kind = operand->kind;
    subject->arguments = arguments;
    subject->operand = *operand;
    subject->timeline = timeline;
    subject->setup = setup;
    subject->think = arguments->values[SDSIM_OPTION_THINK] != NULL;
    *code = openers[operand->kind](subject);
    if (*code != SDSIM_EXIT_OK && *code != SDSIM_EXIT_FINDING) {
        sdsim_subject_close(subject);
        return NULL;
    }
    return subject;
}

void sdsim_subject_close(struct sdsim_subject *subject)
{
    if (subject == NULL) {
        return;
    }
    sdsim_timeline_reader_close(subject->reader);
    sdsim_trace_list_free(&subject->list);
    sdsim_trace_close(&subject->trace);
    sdsim_medium_destroy(subject->medium);
    sdsim_cli_close(&subject->session);
    free(subject->setup);
    free(subject);
}

const char *sdsim_subject_title(const struct sdsim_subject *subject)
{
    return subject->title;
}

const struct sdsim_run *sdsim_subject_run(struct sdsim_subject *subject)
{
    if (subject->kind == SDSIM_OPERAND_TIMELINE && !subject->looked) {
        subject->looked = true;
        subject->run = sdsim_restore_run(subject->timeline, &subject->session, subject->setup,
                                         subject->why, sizeof subject->why);
    }
    return subject->run;
}

const char *sdsim_subject_fault(const struct sdsim_subject *subject)
{
    if (subject->fault[0] != '\0') {
        return subject->fault;
    }
    return subject->reader != NULL ? sdsim_timeline_reader_fault(subject->reader) : NULL;
}

bool sdsim_subject_is_capture(const struct sdsim_subject *subject)
{
    return subject->kind == SDSIM_OPERAND_CAPTURE;
}

bool sdsim_subject_preload(struct sdsim_subject *subject)
{
    if (subject->reader == NULL || subject->preloaded ||
        sdsim_timeline_spans(subject->timeline) > MOST_PRELOADED) {
        return false;
    }
    size_t done = 0;
    bool fine = true;
    for (int lane = 0; lane < SDSIM_LANE_COUNT && done == 0 && fine; lane++) {
        fine = sdsim_store_preload(&subject->timeline->lanes[lane], 2, &done);
    }
    subject->preloaded = done == 0 || !fine;
    return !subject->preloaded;
}

double sdsim_subject_clock(const struct sdsim_subject *subject)
{
    const struct sdsim_setup_text *text = sdsim_timeline_text(subject->timeline, "clock");
    unsigned long long num = 0;
    unsigned long long den = 0;
    const bool known = text != NULL && sscanf(text->text, "%llu/%llu", &num, &den) == 2 && den > 0;
    return known ? (double)num / (double)den : 0;
}

/* ---- bits ---- */

/* Goes through the run once. */
static bool run_view(const struct sdsim_subject *subject, struct sdsim_view *view, char *why,
                     size_t size)
{
    struct sdsim_outcome_report report = {.error = ""};
    if (subject->kind == SDSIM_OPERAND_TRACE) {
        struct sdsim_replay_result result;
        const bool played = replay(subject, NULL, view, &result);
        sdsim_replay_result_free(&result);
        snprintf(why, size, "%s", played ? "" : "out of memory");
        return played;
    }
    struct sdsim_medium *medium = sdsim_medium_copy(subject->medium);
    if (medium == NULL) {
        snprintf(why, size, "out of memory");
        return false;
    }
    sdsim_simulate_view(subject->setup, medium, view, &report);
    sdsim_medium_destroy(medium);
    return true;
}

static bool simulate_bits(const struct sdsim_subject *subject, sdsim_ps from, sdsim_ps to,
                          struct sdsim_waves *waves, char *why, size_t size)
{
    struct sdsim_view view = {.kind = SDSIM_VIEW_SCOUT, .from = from, .to = to};
    if (!run_view(subject, &view, why, size)) {
        return false;
    }
    if (!view.found) {
        snprintf(why, size, "the run has no bus clocks there");
        return false;
    }
    struct sdsim_waves_maker *maker =
        sdsim_waves_begin(waves, (enum sdsim_bus_mode)subject->setup->run.bus, from, to);
    if (maker == NULL) {
        snprintf(why, size, "out of memory");
        return false;
    }
    view.kind = SDSIM_VIEW_BITS;
    view.listener = sdsim_waves_listener(maker);
    const bool fine = run_view(subject, &view, why, size);
    sdsim_waves_end(maker);
    return fine;
}

static bool read_bits(const struct sdsim_subject *subject, sdsim_ps from, sdsim_ps to,
                      struct sdsim_waves *waves, char *why, size_t size)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const bool fine =
        sdsim_waves_of_capture(waves, subject->operand.name,
                               subject->arguments->values[SDSIM_OPTION_CHANNEL], from, to, &diags);
    if (!fine) {
        snprintf(why, size, "%s", diags.count > 0 ? diags.items[0].text : "it can't be read");
    }
    sdsim_diags_free(&diags);
    return fine;
}

bool sdsim_subject_waves(struct sdsim_subject *subject, sdsim_ps from, sdsim_ps to,
                         struct sdsim_waves *waves, char *why, size_t size)
{
    *waves = (struct sdsim_waves){.edges = NULL};
    if (subject->kind == SDSIM_OPERAND_CAPTURE) {
        return read_bits(subject, from, to, waves, why, size);
    }
    if (sdsim_subject_run(subject) == NULL) {
        snprintf(why, size, "%s", subject->why);
        return false;
    }
    if (subject->medium == NULL) {
        struct sdsim_outcome_report report;
        subject->medium = sdsim_prepare_medium(subject->setup, &report);
        if (subject->medium == NULL) {
            snprintf(why, size, "%s", report.error);
            return false;
        }
    }
    return simulate_bits(subject, from, to, waves, why, size);
}

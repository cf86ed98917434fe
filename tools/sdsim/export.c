#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/units.h"
#include "export_window.h"
#include "export_write.h"
#include "report/json.h"
#include "report/run_report.h"
#include "run_names.h"
#include "session.h"
#include "spool.h"

#define MOST_BYTES 1000000000u /* without --yes */

/* ---- options ---- */

static const struct {
    const char *name;
    const char *ending; /* of file names that mean it */
} formats[SDSIM_EXPORT_FORMATS] = {
    [SDSIM_EXPORT_VCD] = {"vcd", ".vcd"},
    [SDSIM_EXPORT_PINS] = {"pins", NULL},
    [SDSIM_EXPORT_PERFETTO] = {"perfetto", ".json"},
    [SDSIM_EXPORT_CSV] = {"csv", ".csv"},
};

/* What the options say. */
struct wish {
    enum sdsim_export_format format;
    struct sdsim_export_wish window;
    uint32_t draw;
    sdsim_ps tick; /* 0: not said */
};

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text);
    return length > strlen(ending) && strcmp(text + length - strlen(ending), ending) == 0;
}

static bool choose_format(const struct sdsim_arguments *arguments, enum sdsim_export_format *format)
{
    const char *to = arguments->values[SDSIM_OPTION_TO];
    for (int i = 0; i < SDSIM_EXPORT_FORMATS; i++) {
        if (to != NULL ? strcmp(to, formats[i].name) == 0
                       : arguments->output != NULL && formats[i].ending != NULL &&
                             ends_with(arguments->output, formats[i].ending)) {
            *format = (enum sdsim_export_format)i;
            return true;
        }
    }
    if (to != NULL) {
        fprintf(stderr, "error: --to takes vcd, pins, perfetto or csv, not '%s'\n", to);
    } else {
        fputs("error: say in which format: --to vcd, pins, perfetto or csv\n", stderr);
    }
    return false;
}

/* A power of ten from 1 ps to 1 s: that is what a VCD can say. */
static bool choose_tick(const struct sdsim_arguments *arguments, struct wish *wish)
{
    const char *text = arguments->values[SDSIM_OPTION_TIMESCALE];
    sdsim_ps tick = 0;
    if (text == NULL) {
        return true;
    }
    const bool time = sdsim_unit_parse(SDSIM_UNIT_TIME, text, &tick) == SDSIM_UNIT_OK;
    sdsim_ps power = tick;
    while (power > 1 && power % 10 == 0) {
        power /= 10;
    }
    if (!time || power != 1 || tick > SDSIM_S) {
        fprintf(stderr,
                "error: --timescale takes 1, 10 or 100 of ps, ns, us or ms, as in 10ns; not '%s'\n",
                text);
        return false;
    }
    if (wish->format != SDSIM_EXPORT_VCD) {
        fputs("error: --timescale is for VCD; the other formats are exact\n", stderr);
        return false;
    }
    wish->tick = tick;
    return true;
}

static bool read_wish(const struct sdsim_arguments *arguments, struct wish *wish)
{
    *wish = (struct wish){.tick = 0};
    return choose_format(arguments, &wish->format) && sdsim_export_wish(arguments, &wish->window) &&
           sdsim_arguments_draw(arguments, &wish->draw) && choose_tick(arguments, wish);
}

/* ---- the run ---- */

static const struct sdsim_run *choose_run(struct sdsim_cli_session *session,
                                          const struct sdsim_arguments *arguments,
                                          const struct sdsim_scenario *scenario)
{
    if (arguments->operand_count > 1) {
        return sdsim_cli_find_run(session, scenario, arguments->operands[1]);
    }
    if (scenario->count == 1) {
        return &scenario->runs[0];
    }
    return sdsim_cli_find_run(session, scenario, ""); /* which says what runs there are */
}

static enum sdsim_exit complain(const struct sdsim_run *run,
                                const struct sdsim_outcome_report *report)
{
    static const enum sdsim_exit codes[] = {
        [SDSIM_FAILURE_NONE] = SDSIM_EXIT_OK,
        [SDSIM_FAILURE_INPUT] = SDSIM_EXIT_INPUT,
        [SDSIM_FAILURE_RUN] = SDSIM_EXIT_FINDING,
        [SDSIM_FAILURE_MEMORY] = SDSIM_EXIT_FAULT,
    };
    fprintf(stderr, "error: run %s: %s\n", sdsim_run_label(run), report->error);
    return codes[report->failure];
}

/* Goes through the run once, and fills in what is known of the window then. What goes wrong in the
 * run itself is left in the report. */
static bool scout(struct sdsim_export *export, struct sdsim_outcome_report *report,
                  enum sdsim_exit *code)
{
    char from[32];
    char end[32];
    struct sdsim_view view = {.kind = SDSIM_VIEW_SCOUT, .from = export->from, .to = export->to};
    struct sdsim_medium *medium = sdsim_medium_copy(export->medium);
    if (medium == NULL) {
        fputs("error: out of memory\n", stderr);
        *code = SDSIM_EXIT_FAULT;
        return false;
    }
    sdsim_simulate_view(export->setup, medium, &view, report);
    sdsim_medium_destroy(medium);
    if (!view.found) {
        fprintf(stderr, "error: the window begins at %s, but the run ends at %s\n",
                sdsim_unit_print(SDSIM_UNIT_TIME, (double)export->from, from, sizeof from),
                sdsim_unit_print(SDSIM_UNIT_TIME, (double)report->end, end, sizeof end));
        *code = SDSIM_EXIT_INPUT;
        return false;
    }
    export->first = view.first;
    export->clocks = view.clocks;
    export->end = view.cut || export->to < report->end ? export->to : report->end;
    return true;
}

static bool is_too_large(const struct sdsim_arguments *arguments, const struct sdsim_export *export)
{
    const uint64_t bytes = sdsim_export_size(export);
    if (bytes <= MOST_BYTES || arguments->values[SDSIM_OPTION_YES] != NULL) {
        return false;
    }
    fprintf(stderr,
            "error: the file would take about %.0f GB (%s)\n"
            "help: say --window, --call or --around for a part of the run, or --yes\n",
            (double)bytes / 1e9,
            sdsim_export_is_bits(export->format) ? "each clock is two lines"
                                                 : "each span is a line");
    return true;
}

static enum sdsim_exit export_window(const struct sdsim_arguments *arguments,
                                     const struct wish *wish, const struct sdsim_run *run,
                                     const struct sdsim_setup *setup,
                                     const struct sdsim_medium *medium)
{
    char about[400];
    char from[32];
    struct sdsim_outcome_report report;
    enum sdsim_exit code = SDSIM_EXIT_OK;
    struct sdsim_export export = {
        .format = wish->format,
        .setup = setup,
        .medium = medium,
        .tick = wish->tick,
        .high_speed = arguments->values[SDSIM_OPTION_HIGH_SPEED] != NULL,
        .about = about,
    };
    if (!sdsim_export_find(&wish->window, setup, medium, &export.from, &export.to, &code) ||
        !scout(&export, &report, &code)) {
        return code;
    }
    if (is_too_large(arguments, &export)) {
        return SDSIM_EXIT_INPUT;
    }
    snprintf(about, sizeof about, "%.200s, run %.100s, draw %u, from %s s after power-up",
             run->scenario, sdsim_run_label(run), (unsigned)setup->draw,
             sdsim_seconds_text(export.from, from, sizeof from));
    code = sdsim_export_write(&export, arguments->output);
    /* The window shows how it came to that. */
    return code == SDSIM_EXIT_OK && report.error[0] != '\0' ? complain(run, &report) : code;
}

static enum sdsim_exit export_setup(const struct sdsim_arguments *arguments,
                                    const struct wish *wish, const struct sdsim_run *run,
                                    const struct sdsim_setup *setup)
{
    struct sdsim_outcome_report report;
    struct sdsim_medium *medium = sdsim_prepare_medium(setup, &report);
    const enum sdsim_exit code = medium != NULL ? export_window(arguments, wish, run, setup, medium)
                                                : complain(run, &report);
    sdsim_medium_destroy(medium);
    return code;
}

static enum sdsim_exit export_in(struct sdsim_cli_session *session,
                                 const struct sdsim_arguments *arguments, const struct wish *wish)
{
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    if (setup == NULL) {
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    const char *path = sdsim_cli_find(session, "scenario", arguments->operands[0]);
    const struct sdsim_scenario *scenario =
        path != NULL ? sdsim_cli_load_scenario(session, path, arguments, arguments->overrides,
                                               SDSIM_FOR_TIMES)
                     : NULL;
    const struct sdsim_run *run =
        scenario != NULL ? choose_run(session, arguments, scenario) : NULL;
    const bool bound =
        run != NULL && sdsim_setup_bind(session->config, run, wish->draw, setup, &session->diags);
    if (bound && arguments->values[SDSIM_OPTION_HIGH_SPEED] != NULL &&
        (setup->run.bus == SDSIM_BUS_SPI || !sdsim_export_is_bits(wish->format))) {
        sdsim_error(&session->diags, NULL, "--high-speed is for waveforms of the SD bus");
    }
    const enum sdsim_exit code = sdsim_cli_report(session) || !bound
                                     ? SDSIM_EXIT_INPUT
                                     : export_setup(arguments, wish, run, setup);
    free(setup);
    return code;
}

static enum sdsim_exit run(const struct sdsim_arguments *arguments)
{
    struct wish wish;
    struct sdsim_cli_session session;
    if (!read_wish(arguments, &wish)) {
        return SDSIM_EXIT_INPUT;
    }
    const enum sdsim_exit code =
        sdsim_cli_open(&session) ? export_in(&session, arguments, &wish) : SDSIM_EXIT_FAULT;
    sdsim_cli_close(&session);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_TO,         SDSIM_OPTION_WINDOW, SDSIM_OPTION_CALL,   SDSIM_OPTION_AROUND,
    SDSIM_OPTION_DRAW,       SDSIM_OPTION_SET,    SDSIM_OPTION_SEED,   SDSIM_OPTION_TIMESCALE,
    SDSIM_OPTION_HIGH_SPEED, SDSIM_OPTION_YES,    SDSIM_OPTION_OUTPUT, SDSIM_OPTION_HELP,
    SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_export = {
    .name = "export",
    .operands = "SCENARIO [RUN]",
    .summary = "write a run, or a window of it, as a waveform or a trace for other tools",
    .details =
        "Bits are not stored anywhere: the run is simulated again, quickly up to the window and "
        "byte "
        "by byte within it. They are the bits of a run that was on the wire all the time, at the "
        "same picoseconds.\n"
        "vcd: the pins of the bus (CS SCK MOSI MISO, or CLK CMD DAT0 to DAT3) for waveform viewers "
        "and sigrok; time 0 is the beginning of the window, and the timescale the coarsest that is "
        "exact. pins: the same as CSV, a line a change, in seconds since power-up. perfetto: what "
        "was done and what the time went to, for ui.perfetto.dev; a track for each of application, "
        "file system, disk, commands, CPU, bus and card. csv: the same as a table. Without --to "
        "the "
        "name of the file decides: .vcd, .json or .csv.\n"
        "Times of windows count from power-up; 'sdsim run' tells which call was the longest.\n"
        "The exit code is 1, after the file is written, if the run ends early: a limit of the "
        "driver, a full volume.\n",
    .least = 1,
    .most = 2,
    .options = options,
    .needs_file = sdsim_spool_scenario,
    .run = run,
};

#include "export_write.h"

#include <stdlib.h>
#include <unistd.h>

#include "big_output.h"
#include "capture/wave_file.h"
#include "core/units.h"
#include "report/span_files.h"

bool sdsim_export_is_bits(enum sdsim_export_format format)
{
    return format == SDSIM_EXPORT_VCD || format == SDSIM_EXPORT_PINS;
}

uint64_t sdsim_export_size(const struct sdsim_export *export)
{
    /* A block is some ten spans, however many clocks it takes. */
    const uint64_t clocks = export->setup->run.bus == SDSIM_BUS_SD4 ? 1000 : 4000;
    switch (export->format) {
    case SDSIM_EXPORT_VCD:
        return sdsim_wave_vcd_size(export->clocks, export->end - export->from,
                                   export->tick > 0 ? export->tick : 1);
    case SDSIM_EXPORT_PINS:
        return export->clocks * 46; /* two edges a clock, each a line */
    case SDSIM_EXPORT_PERFETTO:
        return export->clocks / clocks * 5200;
    default:
        return export->clocks / clocks * 1800;
    }
}

/* ---- progress ---- */

/* Stands before a sink, or a recorder, and tells the user how far it is. */
struct progress {
    struct sdsim_wave_sink sink;
    struct sdsim_recorder recorder;
    struct sdsim_wave_sink *to_sink;
    struct sdsim_recorder *to_recorder;
    const struct sdsim_export *export;
    uint64_t seen;
    bool shown; /* on a terminal only */
};

static void tell(struct progress *progress, sdsim_ps at)
{
    if (progress->shown && ++progress->seen % (1 << 17) == 0) {
        const struct sdsim_export *export = progress->export;
        const double whole = (double)(export->end - export->from);
        const double part = (double)sdsim_time_since(at, export->from);
        fprintf(stderr, "\r%.0f%% written\033[K", part < whole ? 100.0 * part / whole : 100.0);
        fflush(stderr);
    }
}

static void pass_levels(struct sdsim_wave_sink *sink, sdsim_ps at, unsigned levels)
{
    struct progress *progress = (struct progress *)sink;
    tell(progress, at);
    progress->to_sink->levels(progress->to_sink, at, levels);
}

static struct progress *of_recorder(struct sdsim_recorder *recorder)
{
    return (struct progress *)((char *)recorder - offsetof(struct progress, recorder));
}

static void pass_span(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    struct progress *progress = of_recorder(recorder);
    tell(progress, span->start);
    progress->to_recorder->span(progress->to_recorder, span);
}

static uint32_t pass_detail(struct sdsim_recorder *recorder, const struct sdsim_detail *detail)
{
    struct progress *progress = of_recorder(recorder);
    return progress->to_recorder->detail(progress->to_recorder, detail);
}

static struct progress new_progress(const struct sdsim_export *export)
{
    return (struct progress){
        .sink = {pass_levels},
        .recorder = {.span = pass_span, .detail = pass_detail},
        .export = export,
        .shown = isatty(STDERR_FILENO) != 0,
    };
}

static void end_progress(const struct progress *progress)
{
    if (progress->shown && progress->seen >= 1 << 17) {
        fputs("\r\033[K", stderr);
    }
}

/* ---- looking ---- */

/* Simulates the window once more for whoever the view says. False without memory. */
static bool look(const struct sdsim_export *export, struct sdsim_view *view)
{
    struct sdsim_outcome_report report;
    struct sdsim_medium *medium = sdsim_medium_copy(export->medium);
    view->from = export->from;
    view->to = export->to;
    view->first = export->first;
    if (medium != NULL) {
        sdsim_simulate_view(export->setup, medium, view, &report);
        sdsim_medium_destroy(medium);
    }
    if (medium == NULL || report.failure == SDSIM_FAILURE_MEMORY) {
        fputs("error: out of memory\n", stderr);
        return false;
    }
    return true;
}

static enum sdsim_bus_mode mode_of(const struct sdsim_export *export)
{
    return (enum sdsim_bus_mode) export->setup->run.bus;
}

static bool look_at_bits(const struct sdsim_export *export, struct sdsim_wave_sink *sink)
{
    struct sdsim_wave wave;
    struct sdsim_view view = {.kind = SDSIM_VIEW_BITS, .listener = &wave.listener};
    sdsim_wave_init(&wave, mode_of(export), export->from, export->to, sink);
    if (export->high_speed) {
        sdsim_wave_high_speed(&wave);
    }
    const bool seen = look(export, &view);
    sdsim_wave_finish(&wave);
    return seen;
}

/* ---- VCD ---- */

/* A tick as people write times. */
static const char *tick_text(sdsim_ps tick, char *out, size_t size)
{
    return sdsim_unit_print(SDSIM_UNIT_TIME, (double)tick, out, size);
}

/* The timescale: the coarsest that is exact, or the one asked for if the clock survives it; 0 after a
 * message. */
static sdsim_ps choose_tick(const struct sdsim_export *export,
                            const struct sdsim_wave_measure *measure)
{
    char text[32];
    char clock[32];
    /* Without an edge the end of the window is all there is to tell. */
    const sdsim_ps exact =
        sdsim_wave_timescale(measure->grid > 0 ? measure->grid : export->end - export->from);
    const sdsim_ps tick = export->tick > 0 ? export->tick : exact;
    if (tick > measure->shortest) {
        fprintf(
            stderr,
            "error: a timescale of %s is too coarse: there are only %s between two edges of the "
            "clock\n",
            tick_text(tick, text, sizeof text), tick_text(measure->shortest, clock, sizeof clock));
        return 0;
    }
    if (export->tick > exact) {
        fprintf(stderr, "note: edges are rounded to %s; %s would be exact\n",
                tick_text(tick, text, sizeof text), tick_text(exact, clock, sizeof clock));
    }
    /* The shortest time that samples must tell apart: half a clock, or how long a line is held. */
    const bool held = export->high_speed && SDSIM_WAVE_HOLD < measure->shortest;
    const sdsim_ps apart = held ? SDSIM_WAVE_HOLD : measure->shortest;
    if (measure->shortest != SDSIM_TIME_END && apart / tick >= 8) {
        fprintf(stderr,
                "note: a tick is %s; sigrok-cli makes a sample of each, so tell it "
                "-I vcd:downsample=%llu\n",
                tick_text(tick, text, sizeof text), (unsigned long long)(apart / tick / 4));
    }
    return tick;
}

static enum sdsim_exit write_vcd(const struct sdsim_export *export, struct progress *progress,
                                 FILE *out)
{
    struct sdsim_wave_measure measure;
    sdsim_wave_measure_init(&measure, mode_of(export), export->from);
    if (!look_at_bits(export, &measure.sink)) {
        return SDSIM_EXIT_FAULT;
    }
    const sdsim_ps tick = choose_tick(export, &measure);
    if (tick == 0) {
        return SDSIM_EXIT_INPUT;
    }
    struct sdsim_wave_file file;
    sdsim_wave_vcd_begin(&file, out, mode_of(export), export->from, tick, export->about);
    progress->to_sink = &file.sink;
    if (!look_at_bits(export, &progress->sink)) {
        return SDSIM_EXIT_FAULT;
    }
    sdsim_wave_vcd_end(&file, export->end);
    return SDSIM_EXIT_OK;
}

/* ---- the others ---- */

static enum sdsim_exit write_pins(const struct sdsim_export *export, struct progress *progress,
                                  FILE *out)
{
    struct sdsim_wave_file file;
    sdsim_wave_csv_begin(&file, out, mode_of(export), export->from);
    progress->to_sink = &file.sink;
    if (!look_at_bits(export, &progress->sink)) {
        return SDSIM_EXIT_FAULT;
    }
    sdsim_wave_csv_end(&file, export->end);
    return SDSIM_EXIT_OK;
}

static enum sdsim_exit write_spans(const struct sdsim_export *export, struct progress *progress,
                                   FILE *out)
{
    struct sdsim_span_file *file = malloc(sizeof *file);
    if (file == NULL) {
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    const struct sdsim_card_params *card = &export->setup->card;
    const bool perfetto = export->format == SDSIM_EXPORT_PERFETTO;
    if (perfetto) {
        sdsim_perfetto_begin(file, out, card, export->from, export->to, export->about);
    } else {
        sdsim_span_csv_begin(file, out, card, export->from, export->to);
    }
    struct sdsim_view view = {.kind = SDSIM_VIEW_SPANS, .recorder = &progress->recorder};
    progress->to_recorder = &file->stream.recorder;
    const bool seen = look(export, &view);
    if (perfetto) {
        sdsim_perfetto_end(file);
    }
    free(file);
    return seen ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}

enum sdsim_exit sdsim_export_write(const struct sdsim_export *export, const char *path)
{
    static enum sdsim_exit (*const writers[SDSIM_EXPORT_FORMATS])(
        const struct sdsim_export *export, struct progress *progress, FILE *out) = {
        [SDSIM_EXPORT_VCD] = write_vcd,
        [SDSIM_EXPORT_PINS] = write_pins,
        [SDSIM_EXPORT_PERFETTO] = write_spans,
        [SDSIM_EXPORT_CSV] = write_spans,
    };
    struct sdsim_big_output output;
    if (!sdsim_big_output_open(&output, path)) {
        sdsim_big_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    struct progress progress = new_progress(export);
    const enum sdsim_exit code = writers[export->format](export, &progress, output.stream);
    end_progress(&progress);
    if (code != SDSIM_EXIT_OK) {
        sdsim_big_output_discard(&output);
        return code;
    }
    return sdsim_big_output_send(&output);
}

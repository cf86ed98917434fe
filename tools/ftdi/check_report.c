/*
 * Checks as text.
 */
#include <inttypes.h>

#include "check.h"
#include "core/units.h"
#include "report/table.h"

enum { TEXT = 64 };

static char *clock_text(uint64_t hz, char text[TEXT])
{
    return sdsim_unit_print(SDSIM_UNIT_FREQUENCY, (double)hz, text, TEXT);
}

/* ---- answers ---- */

static void answer_gaps(const struct sdsim_chip_findings *findings, char *text, size_t size)
{
    const struct sdsim_gap_row *rows = findings->gaps;
    const struct sdsim_gap_fact *slow = &rows[0].facts[SDSIM_GAP_READ];
    const struct sdsim_gap_fact *fast = &rows[1].facts[SDSIM_GAP_READ];
    if (!slow->known || !fast->known) {
        snprintf(text, size,
                 "Not known: by the host's clock it took less time than its clocks do.");
        return;
    }
    snprintf(
        text, size,
        "After each byte that is read the clock stands still for %.1f ns at 15 MHz and %.1f ns "
        "at 30 MHz, at most %.1f and %.1f. The host %s at 15 MHz and %s at 30 MHz.",
        slow->gap / 1e3, fast->gap / 1e3, slow->most / 1e3, fast->most / 1e3,
        rows[0].keeps_up ? "keeps up" : "is too slow",
        rows[1].keeps_up ? "keeps up" : "is too slow");
}

static void answer_edges(const struct sdsim_chip_findings *findings, char *text, size_t size)
{
    static const char *const rests[] = {
        [SDSIM_MOSI_UNKNOWN] = "What MOSI does while a command only reads did not show.",
        [SDSIM_MOSI_KEEPS] = "While a command only reads, MOSI keeps its last level.",
        [SDSIM_MOSI_LOW] = "While a command only reads, MOSI is low.",
        [SDSIM_MOSI_HIGH] = "While a command only reads, MOSI is high.",
    };
    const struct sdsim_edge_fact *edges = &findings->edges;
    const char *const rest = rests[edges->mosi];
    const bool falling = edges->understood[SDSIM_EDGE_FALLING][SDSIM_EDGE_RISING] == edges->tries;
    const bool rising = edges->understood[SDSIM_EDGE_RISING][SDSIM_EDGE_RISING] == edges->tries;
    snprintf(text, size, "%s %s",
             falling && rising ? "The card understands bits written on either edge."
             : falling         ? "The card understands bits written on the falling edge (0x11)."
             : rising          ? "The card understands bits written on the rising edge (0x10), "
                                 "not on the falling one."
                      : "The card was understood reliably with neither edge; is one there?",
             rest);
}

static void answer_poll(const struct sdsim_chip_findings *findings, char *text, size_t size)
{
    const struct sdsim_poll_fact *poll = &findings->poll;
    snprintf(
        text, size,
        "A look costs %.0f us (median; 5 to 95 %%: %.0f to %.0f us, longest %.0f us), and %.0f us "
        "if it is left to the latency timer.",
        poll->now.median, poll->now.low, poll->now.high, poll->now.most, poll->timer.median);
}

static void answer_margin(const struct sdsim_chip_findings *findings, char *text, size_t size)
{
    const struct sdsim_margin_fact *margin = &findings->margin;
    char rising[TEXT] = "none";
    char falling[TEXT] = "none";
    if (margin->best[SDSIM_EDGE_RISING] > 0) {
        clock_text(margin->best[SDSIM_EDGE_RISING], rising);
    }
    if (margin->best[SDSIM_EDGE_FALLING] > 0) {
        clock_text(margin->best[SDSIM_EDGE_FALLING], falling);
    }
    snprintf(
        text, size,
        "Without errors up to: %s read on the rising edge (0x20), %s on the falling one (0x24).%s",
        rising, falling,
        margin->best[SDSIM_EDGE_FALLING] > margin->best[SDSIM_EDGE_RISING]
            ? " The bits come late; half a clock helps."
            : "");
}

static void answer_stop(const struct sdsim_chip_findings *findings, char *text, size_t size)
{
    const struct sdsim_stop_fact *stop = &findings->stop;
    if (!stop->wired) {
        snprintf(text, size, "Not known: MISO is not wired to ADBUS5 (D2 to D5).");
    } else if (!stop->known) {
        snprintf(text, size,
                 "Not known: what came behind the stop is not what the card sends. Try again.");
    } else {
        snprintf(text, size,
                 "The pin was high after %u clocks, and the chip stopped after %u: %s. SCK is %s "
                 "then.",
                 stop->due, stop->taken,
                 stop->taken % 8 == 0 ? "at the border of a byte" : "inside of a byte",
                 stop->sck_high ? "high" : "low");
    }
}

char *sdsim_check_answer(const struct sdsim_chip_findings *findings, enum sdsim_check check,
                         char *text, size_t size)
{
    static void (*const answers[SDSIM_CHECKS])(const struct sdsim_chip_findings *findings,
                                               char *text, size_t size) = {
        [SDSIM_CHECK_GAPS] = answer_gaps, [SDSIM_CHECK_EDGES] = answer_edges,
        [SDSIM_CHECK_POLL] = answer_poll, [SDSIM_CHECK_MARGIN] = answer_margin,
        [SDSIM_CHECK_STOP] = answer_stop,
    };
    if (findings->failed[check] != NULL) {
        snprintf(text, size, "Not known: %s.", findings->failed[check]);
    } else {
        answers[check](findings, text, size);
    }
    return text;
}

/* ---- tables ---- */

static void finish(struct sdsim_table *table, FILE *out)
{
    const struct sdsim_style style = {.color = false};
    sdsim_table_print(table, &style, out);
    sdsim_table_free(table);
}

static void table_gaps(const struct sdsim_chip_findings *findings, FILE *out)
{
    static const struct sdsim_column columns[] = {
        {.title = "clock"},
        {.title = "bytes"},
        {.title = "of a run", .right = true},
        {.title = "runs", .right = true},
        {.title = "gap", .right = true},
        {.title = "low", .right = true},
        {.title = "at most", .right = true},
    };
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (unsigned i = 0; i < SDSIM_GAP_CLOCKS; i++) {
        const struct sdsim_gap_row *row = &findings->gaps[i];
        for (int run = 0; run < SDSIM_GAP_RUNS; run++) {
            const struct sdsim_gap_fact *fact = &row->facts[run];
            const double values[] = {fact->gap, fact->low, fact->most};
            char clock[32];
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                             run == 0 ? sdsim_mpsse_clock_text(&row->clock, clock) : "");
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s (0x%02X)",
                             sdsim_gap_run_name((enum sdsim_gap_run)run),
                             sdsim_gap_run_opcode((enum sdsim_gap_run)run));
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, fact->bytes);
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%u", fact->runs);
            for (unsigned v = 0; v < 3; v++) {
                if (fact->known) {
                    sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%.1f ns", values[v] / 1e3);
                } else {
                    sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", "?");
                }
            }
        }
    }
    finish(&table, out);
}

static const char *const edge_names[SDSIM_EDGES] = {
    [SDSIM_EDGE_FALLING] = "falling", [SDSIM_EDGE_RISING] = "rising"};

static void table_edges(const struct sdsim_chip_findings *findings, FILE *out)
{
    static const struct sdsim_column columns[] = {
        {.title = "written on"}, {.title = "read on"}, {.title = "understood", .right = true}};
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (int written = 0; written < SDSIM_EDGES; written++) {
        for (int read = 0; read < SDSIM_EDGES; read++) {
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", edge_names[written]);
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", edge_names[read]);
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%u of %u",
                             findings->edges.understood[written][read], findings->edges.tries);
        }
    }
    finish(&table, out);
}

static void table_poll(const struct sdsim_chip_findings *findings, FILE *out)
{
    static const struct sdsim_column columns[] = {
        {.title = "one byte"},
        {.title = "looks", .right = true},
        {.title = "median", .right = true},
        {.title = "5 %", .right = true},
        {.title = "95 %", .right = true},
        {.title = "longest", .right = true},
    };
    const struct {
        const char *name;
        const struct sdsim_quantiles *times;
    } rows[] = {{"sent at once (0x87)", &findings->poll.now},
                {"by the latency timer", &findings->poll.timer}};
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (unsigned i = 0; i < 2; i++) {
        const struct sdsim_quantiles *times = rows[i].times;
        const double values[] = {times->median, times->low, times->high, times->most};
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", rows[i].name);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%zu", times->count);
        for (unsigned v = 0; v < 4; v++) {
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%.1f us", values[v]);
        }
    }
    finish(&table, out);
}

static void table_margin(const struct sdsim_chip_findings *findings, FILE *out)
{
    static const struct sdsim_column columns[] = {
        {.title = "clock"},
        {.title = "blocks", .right = true},
        {.title = "errors, rising", .right = true},
        {.title = "errors, falling", .right = true},
    };
    struct sdsim_table table;
    if (findings->failed[SDSIM_CHECK_MARGIN] != NULL) {
        return;
    }
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (unsigned i = 0; i < SDSIM_MARGIN_CLOCKS; i++) {
        const struct sdsim_margin_row *row = &findings->margin.rows[i];
        char clock[32];
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", sdsim_mpsse_clock_text(&row->clock, clock));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, row->blocks);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu64, row->faults[SDSIM_EDGE_RISING]);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu64, row->faults[SDSIM_EDGE_FALLING]);
    }
    finish(&table, out);
}

void sdsim_check_report(const struct sdsim_chip_findings *findings, enum sdsim_check check,
                        FILE *out)
{
    static void (*const tables[SDSIM_CHECKS])(const struct sdsim_chip_findings *findings,
                                              FILE *out) = {
        [SDSIM_CHECK_GAPS] = table_gaps,
        [SDSIM_CHECK_EDGES] = table_edges,
        [SDSIM_CHECK_POLL] = table_poll,
        [SDSIM_CHECK_MARGIN] = table_margin,
    };
    char text[400];
    fprintf(out, "\n%-7s %s\n", sdsim_check_name(check), sdsim_check_question(check));
    if (tables[check] != NULL) {
        tables[check](findings, out);
    }
    sdsim_print_wrapped(out, "answer  ", sdsim_check_answer(findings, check, text, sizeof text));
}

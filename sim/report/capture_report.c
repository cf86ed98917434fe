#include "report/capture_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "capture/words.h"
#include "card/decode.h"
#include "core/units.h"
#include "report/format.h"
#include "report/table.h"

enum {
    TEXT = 48,
    LISTED = 60, /* commands, without --all */
    POLLS_SHOWN = 2,
};

static char *hertz_text(double hertz, char *out)
{
    return sdsim_unit_print(SDSIM_UNIT_FREQUENCY, hertz, out, TEXT);
}

static char *time_text(sdsim_ps time, char *out)
{
    return sdsim_print_time(time, out, TEXT);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void line(FILE *out, const char *head, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "  clock      text", wrapped. */
static void line(FILE *out, const char *head, const char *format, ...)
{
    char text[640];
    char first[24];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(first, sizeof first, "  %-11s", head);
    sdsim_print_wrapped(out, first, text);
}

static void print_head(const struct sdsim_capture_view *view, const struct sdsim_style *style,
                       FILE *out)
{
    const struct sdsim_capture *capture = view->capture;
    const struct sdsim_pin_facts *facts = capture->facts;
    const uint64_t end = sdsim_pins_end(capture->pins);
    char rate[TEXT];
    char time[TEXT];
    char channels[400] = "";
    const bool spi = capture->roles.bus == SDSIM_CAPTURE_SPI;
    fprintf(out, "%s%s%s: ", sdsim_ink_begin(style, SDSIM_INK_BOLD), capture->path,
            sdsim_ink_end(style, SDSIM_INK_BOLD));
    if (spi) {
        fprintf(out, "SPI mode %u\n", sdsim_spi_mode(&capture->spi_sampler));
    } else {
        fputs("SD mode\n", out);
    }
    if (facts->rate != 0) {
        line(out, "recording", "%s, %s, %s", facts->format, hertz_text((double)facts->rate, rate),
             time_text(sdsim_capture_time(capture, end), time));
    } else {
        line(out, "recording", "%s, %s, times to %s", facts->format,
             time_text(sdsim_capture_time(capture, end), time),
             time_text(sdsim_capture_time(capture, capture->survey.quantum), rate));
    }
    for (int i = 0; i < SDSIM_LINE_COUNT; i++) {
        const int channel = capture->roles.channel[i];
        if (channel != SDSIM_NO_CHANNEL) {
            const size_t used = strlen(channels);
            snprintf(channels + used, sizeof channels - used, "%s%s=%s%s", used > 0 ? ", " : "",
                     sdsim_line_name((enum sdsim_line)i), facts->channels[channel].name,
                     capture->roles.by_behaviour[i] ? " (by behaviour)" : "");
        }
    }
    line(out, "channels", "%s", channels);
    line(out, "sampling", "%s",
         sdsim_sampling_name(spi ? capture->survey.sampling
                                 : (enum sdsim_sampling)capture->sd.sampling));
}

static void print_clock(const struct sdsim_capture_view *view, FILE *out)
{
    const struct sdsim_capture *capture = view->capture;
    const double rate = sdsim_capture_rate(capture);
    char hertz[TEXT];
    char from[TEXT];
    char to[TEXT];
    if (capture->meter.count == 0) {
        line(out, "clock", "does not run");
    }
    for (size_t i = 0; i < capture->meter.count; i++) {
        const struct sdsim_clock_stretch *one = &capture->meter.stretches[i];
        const double mean = sdsim_stretch_hertz(capture, one);
        const bool under = sdsim_stretch_undersampled(one, capture->survey.quantum);
        line(out, i == 0 ? "clock" : "",
             "%s%s, %.1f samples a clock, %s to %s, %" PRIu64 " clocks%s",
             under ? "looks like " : "", hertz_text(mean, hertz), mean > 0 ? rate / mean : 0,
             time_text(sdsim_capture_time(capture, one->start), from),
             time_text(sdsim_capture_time(capture, one->end), to), one->clocks,
             under ? ": undersampled" : "");
    }
}

/* Bytes or clocks from one thing to another. */
static void print_counts(FILE *out, const char *head, const struct sdsim_spread *spread, bool spi)
{
    const char *unit = spi ? "byte" : "clock";
    if (spread->count > 0 && spread->least == spread->greatest) {
        line(out, head, "%" PRIu64 " %s%s, %" PRIu64 " times", spread->least, unit,
             plural(spread->least), spread->count);
    } else if (spread->count > 0) {
        line(out, head, "%" PRIu64 " to %" PRIu64 " %ss, mostly %" PRIu64, spread->least,
             spread->greatest, unit, sdsim_spread_mode(spread));
    }
}

static void print_checks(const struct sdsim_capture_view *view, FILE *out)
{
    const struct sdsim_summary *summary = view->summary;
    line(out, "check sums",
         "CRC7 right in %" PRIu64 " of %" PRIu64 " frames, CRC16 in %" PRIu64 " of %" PRIu64
         " blocks",
         summary->crc7.right, summary->crc7.checked, summary->crc16.right, summary->crc16.checked);
    if (view->capture->sd.frames_lost > 0) {
        line(out, "", "%" PRIu64 " frames can't be read: undersampled",
             view->capture->sd.frames_lost);
    }
    print_counts(out, "N_CR", &summary->n_cr, summary->spi);
    print_counts(out, "N_RC", &summary->n_rc, summary->spi);
}

static void print_inits(const struct sdsim_summary *summary, FILE *out)
{
    char start[TEXT];
    char ready[TEXT];
    char pitch[TEXT];
    for (size_t i = 0; i < summary->init_count; i++) {
        const struct sdsim_capture_init *init = &summary->inits[i];
        if (init->polls == 0) {
            continue;
        }
        const sdsim_ps mean =
            init->polls > 1 ? (init->last_poll - init->first_poll) / (init->polls - 1) : 0;
        line(out, i == 0 ? "start-up" : "",
             "at %s: asked %" PRIu32 " time%s whether it is ready%s%s%s%s",
             time_text(init->start, start), init->polls, plural(init->polls),
             mean > 0 ? ", every " : "", mean > 0 ? time_text(mean, pitch) : "",
             init->ready ? ", ready after " : ", not ready",
             init->ready ? time_text(sdsim_time_since(init->ready_at, init->start), ready) : "");
    }
}

static void print_spread(FILE *out, const char *head, const char *what,
                         const struct sdsim_spread *spread)
{
    char least[TEXT];
    char median[TEXT];
    char greatest[TEXT];
    if (spread->count == 1) {
        line(out, head, "%s %s", what, time_text(spread->least, least));
    } else if (spread->count > 1) {
        line(out, head, "%s %s (%s to %s, %" PRIu64 " times)", what,
             time_text(sdsim_spread_median(spread), median), time_text(spread->least, least),
             time_text(spread->greatest, greatest), spread->count);
    }
}

/* How the host clocks its bytes: over the longest exchange. */
static void print_pitch(const struct sdsim_capture_view *view, FILE *out)
{
    const struct sdsim_capture_row *longest = NULL;
    char median[TEXT];
    char least[TEXT];
    char greatest[TEXT];
    for (size_t i = 0; i < view->summary->row_count; i++) {
        const struct sdsim_capture_row *row = &view->summary->rows[i];
        if (row->pitch_count > 0 && (longest == NULL || row->pitch_count > longest->pitch_count)) {
            longest = row;
        }
    }
    if (longest != NULL) {
        const struct sdsim_capture *capture = view->capture;
        line(out, "byte pitch", "%s (%s to %s, in the longest exchange)",
             time_text(sdsim_capture_time(capture, longest->pitch_median), median),
             time_text(sdsim_capture_time(capture, longest->pitch_least), least),
             time_text(sdsim_capture_time(capture, longest->pitch_greatest), greatest));
    }
    if (view->summary->cs_high.count > 0) {
        const struct sdsim_spread *high = &view->summary->cs_high;
        line(out, "CS high", "%s (%s to %s)",
             time_text(sdsim_capture_time(view->capture, sdsim_spread_median(high)), median),
             time_text(sdsim_capture_time(view->capture, high->least), least),
             time_text(sdsim_capture_time(view->capture, high->greatest), greatest));
    }
}

static void print_transfers(const struct sdsim_summary *summary, FILE *out)
{
    static const char *const heads[] = {"reads", "writes"};
    char time[TEXT];
    char rate[TEXT];
    char sector[TEXT];
    for (unsigned way = 0; way < 2; way++) {
        const sdsim_ps span = sdsim_time_since(summary->last_end[way], summary->first_start[way]);
        const uint64_t sectors = summary->sector_bytes[way] / 512;
        if (summary->exchanges[way] > 0 && span > 0) {
            line(out, heads[way], "%" PRIu64 " bytes by %" PRIu64 " command%s in %s: %s%s%s",
                 summary->sector_bytes[way], summary->exchanges[way],
                 plural(summary->exchanges[way]), time_text(span, time),
                 sdsim_unit_print(SDSIM_UNIT_RATE,
                                  (double)summary->sector_bytes[way] * (double)SDSIM_S /
                                      (double)span,
                                  rate, TEXT),
                 sectors > 0 ? ", a sector each " : "",
                 sectors > 0 ? time_text(span / sectors, sector) : "");
        }
        if (way == 0) {
            print_spread(out, "", "data begins after", &summary->n_ac);
            print_spread(out, "", "next block after", &summary->n_ac_next);
        }
    }
    print_spread(out, "busy", "after a single block", &summary->busy_single);
    print_spread(out, "busy", "between blocks", &summary->busy_between);
    print_spread(out, "busy", "at the stop", &summary->busy_stop);
    if (summary->ready_polls > 0) {
        line(out, "CS", "%" PRIu64 " frames that hold only FF (looks whether the card is ready)",
             summary->ready_polls);
    }
}

static void print_registers(const struct sdsim_seen_registers *seen, FILE *out)
{
    char size[TEXT];
    char taac[TEXT];
    if (seen->has_cid) {
        const struct sdsim_cid_facts cid = sdsim_cid_decode(seen->cid);
        line(out, "CID", "maker %u (%02X), OEM %s, product %s, serial %08" PRIx32 ", %04u-%02u",
             cid.maker, cid.maker, cid.oem, cid.product, cid.serial, cid.year, cid.month);
    }
    if (seen->has_csd) {
        const struct sdsim_csd_facts csd = sdsim_csd_decode(seen->csd);
        line(out, "CSD", "version %u, %s, TAAC %s, NSAC %u, R2W_FACTOR %u, TRAN_SPEED %.0f Mbit/s",
             csd.version,
             sdsim_unit_print(SDSIM_UNIT_SIZE, (double)csd.capacity, size, sizeof size),
             time_text(csd.taac, taac), csd.nsac, csd.r2w_factor, (double)csd.tran_speed / 1000000);
    }
    if (seen->has_scr) {
        const struct sdsim_scr_facts scr = sdsim_scr_decode(seen->scr);
        line(out, "SCR", "version %s, %s%s%s", scr.version, scr.four_lines ? "4 lines" : "1 line",
             scr.cmd20 ? ", CMD20" : "", scr.cmd23 ? ", CMD23" : "");
    }
    if (seen->has_status) {
        const struct sdsim_status_facts status = sdsim_sd_status_decode(seen->status);
        line(out, "SD status", "class %u, U%u, V%u, A%u, AU %s", status.speed_class,
             status.uhs_grade, status.video_class, status.app_class,
             sdsim_unit_print(SDSIM_UNIT_SIZE, (double)status.au, size, sizeof size));
    }
}

static void data_text(const struct sdsim_capture_view *view, const struct sdsim_capture_row *row,
                      char *out, size_t size)
{
    char time[TEXT];
    out[0] = '\0';
    size_t used = 0;
    if (row->blocks > 0) {
        char behind[48] = "";
        if (row->wait_response > 0) {
            snprintf(behind, sizeof behind, ", %" PRIu32 " behind the response",
                     row->wait_response);
        }
        used += (size_t)snprintf(out, size, "%" PRIu64 " B, %s %" PRIu32 " (%s%s)%s", row->bytes,
                                 row->writes ? "N_WR" : "N_AC", row->wait,
                                 time_text(row->wait_time, time), behind,
                                 row->blocks_wrong > 0                      ? ", wrong CRC16"
                                 : row->block_crc == SDSIM_ITEM_CRC_MISSING ? ", no CRC16"
                                                                            : "");
    }
    if (row->has_data_response && used < size) {
        used += (size_t)snprintf(out + used, size - used, ", %s",
                                 sdsim_words_data_response(row->data_response, view->summary->spi));
    }
    if (row->error_token != 0 && used < size) {
        used += (size_t)snprintf(out + used, size - used, "error token %02x", row->error_token);
    }
    if (row->no_data && used < size) {
        used += (size_t)snprintf(out + used, size - used, "no data");
    }
    if (row->busies > 0 && used < size) {
        snprintf(out + used, size - used, "%sbusy %s%s", used > 0 ? ", " : "",
                 time_text(row->busy, time), row->busy_open ? " at least" : "");
    }
}

static void add_row(struct sdsim_table *table, const struct sdsim_capture_view *view,
                    const struct sdsim_time_scale *scale, const struct sdsim_capture_row *row)
{
    char text[SDSIM_WORDS];
    char argument[SDSIM_WORDS];
    char data[SDSIM_WORDS];
    char name[16];
    const bool spi = view->summary->spi;
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     sdsim_print_quanta(scale, row->start / scale->quantum, text, sizeof text));
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     sdsim_words_name(row->index, row->app, name, sizeof name));
    sdsim_words_argument(row, argument, sizeof argument);
    if (row->answer == SDSIM_ROW_ANSWERED) {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%" PRIu32, row->n_cr);
    } else {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "-");
    }
    sdsim_words_response(row, spi, text, sizeof text);
    data_text(view, row, data, sizeof data);
    sdsim_table_cell(table,
                     row->answer == SDSIM_ROW_SILENT || row->blocks_wrong > 0 ? SDSIM_INK_BAD
                                                                              : SDSIM_INK_PLAIN,
                     "%s%s%s%s%s", argument, " -> ", text, data[0] != '\0' ? "; " : "", data);
}

static bool is_poll(const struct sdsim_capture_row *row)
{
    return (row->index == 41 && row->app) || (row->index == 1 && !row->app) ||
           (row->index == 55 && !row->app);
}

/* Polls behind the first ones and before the last one of a run say nothing new. */
static size_t polls_to_skip(const struct sdsim_summary *summary, size_t from)
{
    size_t end = from;
    while (end < summary->row_count && is_poll(&summary->rows[end])) {
        end++;
    }
    const size_t shown = 2 * POLLS_SHOWN;
    return end - from > 2 * shown ? end - from - shown : 0;
}

static bool print_commands(const struct sdsim_capture_view *view, const struct sdsim_style *style,
                           FILE *out)
{
    static const struct sdsim_column columns[] = {
        {.title = "at", .right = true},
        {.title = "command"},
        {.title = "N_CR", .right = true},
        {.title = "argument -> response; data", .wrap = true},
    };
    const struct sdsim_summary *summary = view->summary;
    const struct sdsim_time_scale scale = sdsim_time_scale(
        sdsim_capture_time(view->capture, sdsim_pins_end(view->capture->pins)) / 100);
    struct sdsim_table table;
    size_t listed = 0;
    size_t i = 0;
    size_t polls = 0;
    if (summary->row_count == 0) {
        return true;
    }
    sdsim_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    table.indent = 2;
    for (; i < summary->row_count && (listed < LISTED || view->all); i++) {
        const struct sdsim_capture_row *row = &summary->rows[i];
        polls = is_poll(row) ? polls + 1 : 0;
        const size_t skip =
            polls == 2 * POLLS_SHOWN + 1 && !view->all ? polls_to_skip(summary, i) : 0;
        if (skip > 0) {
            char text[64];
            snprintf(text, sizeof text, "  ... %zu more of these", skip);
            sdsim_table_heading(&table, text);
            i += skip - 1;
            continue;
        }
        add_row(&table, view, &scale, row);
        listed++;
    }
    fputc('\n', out);
    const bool fine = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    if (i < summary->commands) {
        fprintf(out, "  ... %" PRIu64 " more; --all lists them\n", summary->commands - i);
    }
    return fine;
}

bool sdsim_capture_print(const struct sdsim_capture_view *view, const struct sdsim_style *style,
                         FILE *out)
{
    const struct sdsim_summary *summary = view->summary;
    print_head(view, style, out);
    print_clock(view, out);
    if (summary->commands > 0) {
        print_checks(view, out);
    }
    print_inits(summary, out);
    print_pitch(view, out);
    print_transfers(summary, out);
    print_registers(&summary->seen, out);
    const bool fine = print_commands(view, style, out);
    if (view->findings->count > 0) {
        fputc('\n', out);
    }
    for (size_t i = 0; i < view->findings->count; i++) {
        const struct sdsim_finding *finding = &view->findings->list[i];
        sdsim_print_wrapped(
            out, finding->severity == SDSIM_NOTE ? "note: " : "warning: ", finding->text);
    }
    return fine;
}

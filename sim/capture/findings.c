#include "capture/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/busy_limit.h"
#include "card/registers.h"
#include "core/units.h"

enum {
    NEEDED_SAMPLES = 4,
    IDENTIFICATION_HERTZ = 400000, /* SD Physical Layer Simplified Specification, section 4.2 */
    TOLERANCE = 102,               /* percent */
};

#define READ_LIMIT (100 * SDSIM_MS) /* section 4.6.2.1 */

static void say(struct sdsim_findings *findings, enum sdsim_severity severity, const char *format,
                ...) __attribute__((format(printf, 3, 4)));

static void say(struct sdsim_findings *findings, enum sdsim_severity severity, const char *format,
                ...)
{
    if (findings->count == SDSIM_FINDINGS) {
        return;
    }
    struct sdsim_finding *finding = &findings->list[findings->count++];
    finding->severity = severity;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

double sdsim_capture_rate(const struct sdsim_capture *capture)
{
    const struct sdsim_tick *tick = &capture->facts->tick;
    if (capture->facts->rate != 0) {
        return (double)capture->facts->rate;
    }
    return (double)SDSIM_S * (double)tick->den /
           ((double)tick->num * (double)capture->survey.quantum);
}

double sdsim_stretch_hertz(const struct sdsim_capture *capture,
                           const struct sdsim_clock_stretch *stretch)
{
    const struct sdsim_tick *tick = &capture->facts->tick;
    const double period = sdsim_stretch_period(stretch);
    return period > 0 ? (double)SDSIM_S * (double)tick->den / ((double)tick->num * period) : 0;
}

double sdsim_capture_hertz(const struct sdsim_capture *capture)
{
    const struct sdsim_clock_stretch *best = NULL;
    for (size_t i = 0; i < capture->meter.count; i++) {
        const struct sdsim_clock_stretch *one = &capture->meter.stretches[i];
        if (!sdsim_stretch_undersampled(one, capture->survey.quantum) &&
            (best == NULL || one->clocks > best->clocks)) {
            best = one;
        }
    }
    return best != NULL ? sdsim_stretch_hertz(capture, best) : 0;
}

static char *hertz_text(double hertz, char out[32])
{
    return sdsim_unit_print(SDSIM_UNIT_FREQUENCY, hertz, out, 32);
}

static char *time_text(sdsim_ps time, char out[32])
{
    return sdsim_unit_print(SDSIM_UNIT_TIME, (double)time, out, 32);
}

static void find_undersampled(struct sdsim_findings *findings, const struct sdsim_capture *capture)
{
    char rate[32];
    char most[32];
    char from[32];
    char to[32];
    const double samples = sdsim_capture_rate(capture);
    for (size_t i = 0; i < capture->meter.count; i++) {
        const struct sdsim_clock_stretch *one = &capture->meter.stretches[i];
        if (sdsim_stretch_undersampled(one, capture->survey.quantum)) {
            say(findings, SDSIM_WARNING,
                "undersampled from %s to %s: %.1f samples a clock, uneven, and %" PRIu64
                " of %" PRIu64 " %s; at %s clocks up to %s can be "
                "read, and the clock was faster, so nothing is decoded",
                time_text(sdsim_capture_time(capture, one->start), from),
                time_text(sdsim_capture_time(capture, one->end), to),
                sdsim_stretch_period(one) / (double)capture->survey.quantum, one->frames_wrong,
                one->frames_wrong + one->frames_right,
                capture->roles.bus == SDSIM_CAPTURE_SPI ? "bytes there are no good"
                                                        : "frames there have a wrong CRC7",
                hertz_text(samples, rate), hertz_text(samples / NEEDED_SAMPLES, most));
        }
    }
}

/* A DAT line by name that never moves, beside a channel without a line that does. */
static void find_misnamed(struct sdsim_findings *findings, const struct sdsim_capture *capture)
{
    const struct sdsim_pin_facts *facts = capture->facts;
    uint64_t moving = 0;
    for (int line = SDSIM_LINE_DAT0; line <= SDSIM_LINE_DAT3; line++) {
        const int channel = capture->roles.channel[line];
        if (channel >= 0 && capture->moves[facts->channels[channel].bit] > 0) {
            moving = capture->moves[facts->channels[channel].bit];
        }
    }
    for (int line = SDSIM_LINE_DAT0; line <= SDSIM_LINE_DAT3 && moving > 0; line++) {
        const int channel = capture->roles.channel[line];
        if (channel < 0 || (capture->moved >> facts->channels[channel].bit & 1) != 0) {
            continue;
        }
        for (size_t c = 0; c < facts->channel_count; c++) {
            bool used = false;
            for (int other = 0; other < SDSIM_LINE_COUNT; other++) {
                used = used || capture->roles.channel[other] == (int)c;
            }
            const uint64_t moves = capture->moves[facts->channels[c].bit];
            if (!used && 2 * moves >= moving && moves <= 2 * moving) {
                say(findings, SDSIM_WARNING,
                    "channel \"%s\" never moves, but channel \"%s\" moves as the other data lines "
                    "do: it may be %s (--channel %s=%s)",
                    facts->channels[channel].name, facts->channels[c].name,
                    sdsim_line_name((enum sdsim_line)line), sdsim_line_name((enum sdsim_line)line),
                    facts->channels[c].name);
                return;
            }
        }
    }
}

static void find_edges(struct sdsim_findings *findings, const struct sdsim_capture *capture)
{
    if (capture->roles.bus == SDSIM_CAPTURE_SD) {
        const uint64_t high = capture->sd.edges_high;
        if (high > capture->sd.edges_low) {
            say(findings, SDSIM_NOTE,
                "the card changes its output at the rising edge (%" PRIu64 " of %" PRIu64
                " changes of its responses): that is high speed; a host must sample before the "
                "next rising edge",
                high, high + capture->sd.edges_low);
        }
        return;
    }
    char hold[32];
    char setup[32];
    const struct sdsim_output_edges *edges = &capture->spi_sampler.edges;
    const uint64_t all = edges->behind_sampling + edges->behind_other;
    if (all > 0 && edges->behind_sampling * 2 > all) {
        say(findings, SDSIM_WARNING,
            "no hold time: the card changes MISO at the edge at which the host samples (%" PRIu64
            " of %" PRIu64 " changes, the soonest %s after it; it is stable %s before the next): "
            "sample at the other edge, or slow the clock down",
            edges->behind_sampling, all, time_text(sdsim_capture_time(capture, edges->hold), hold),
            time_text(edges->setup >= SDSIM_NO_TICK ? 0 : sdsim_capture_time(capture, edges->setup),
                      setup));
    }
}

static void find_sampling(struct sdsim_findings *findings, const struct sdsim_capture *capture)
{
    const unsigned sampling = capture->roles.bus == SDSIM_CAPTURE_SD
                                  ? capture->sd.sampling
                                  : (unsigned)capture->survey.sampling;
    if (sampling == SDSIM_SAMPLE_AT_RISE || sampling == SDSIM_SAMPLE_AT_FALL) {
        say(findings, SDSIM_NOTE,
            "data and clock change in the same sample, so lines are read at the edge and not in "
            "front of it; more samples a clock would tell them apart");
    }
}

/* The clock at an instant. */
static double hertz_at(const struct sdsim_capture *capture, uint64_t tick)
{
    double hertz = 0;
    for (size_t i = 0; i < capture->meter.count; i++) {
        if (capture->meter.stretches[i].start <= tick || i == 0) {
            hertz = sdsim_stretch_hertz(capture, &capture->meter.stretches[i]);
        }
    }
    return hertz;
}

static void find_init(struct sdsim_findings *findings, const struct sdsim_capture *capture,
                      const struct sdsim_summary *summary)
{
    char text[32];
    bool fast = false;
    for (size_t i = 0; i < summary->init_count; i++) {
        const struct sdsim_capture_init *init = &summary->inits[i];
        const double hertz = hertz_at(capture, init->at);
        if (hertz * 100 > (double)IDENTIFICATION_HERTZ * TOLERANCE && !fast) {
            fast = true;
            say(findings, SDSIM_WARNING,
                "the card was identified at %s; the specification allows 100kHz to 400kHz",
                hertz_text(hertz, text));
        }
        if (init->polls > 0 && !init->ready && i + 1 == summary->init_count) {
            say(findings, SDSIM_WARNING,
                "the card was asked %" PRIu32 " times whether it is ready, and never was",
                init->polls);
        }
    }
}

static void find_rows(struct sdsim_findings *findings, const struct sdsim_summary *summary)
{
    size_t early = 0;
    size_t no_crc = 0;
    size_t slow_busy = 0;
    size_t slow_read = 0;
    size_t hidden = 0;
    const struct sdsim_seen_registers *seen = &summary->seen;
    const struct sdsim_busy_limit limit = sdsim_busy_limit(
        seen->has_csd ? seen->csd : NULL,
        seen->has_ocr && (seen->ocr & SDSIM_OCR_READY) != 0 && (seen->ocr & SDSIM_OCR_CCS) == 0);
    sdsim_ps busy = 0;
    char text[32];
    for (size_t i = 0; i < summary->row_count; i++) {
        const struct sdsim_capture_row *row = &summary->rows[i];
        const bool block = row->blocks > 0;
        early += block && row->writes && row->wait < (summary->spi ? 1u : 2u);
        no_crc += block && row->block_crc == SDSIM_ITEM_CRC_MISSING;
        slow_busy += row->busy > limit.longest && row->index != 38;
        slow_read += block && !row->writes && row->wait_time > READ_LIMIT;
        hidden += row->deselected;
        busy = row->busy > busy && row->index != 38 ? row->busy : busy;
    }
    if (early > 0) {
        say(findings, SDSIM_WARNING,
            "%zu writes began their data sooner than the specification allows (N_WR is at least "
            "%s)",
            early, summary->spi ? "1 byte" : "2 clocks");
    }
    if (no_crc > 0) {
        say(findings, SDSIM_WARNING, "%zu block%s without any CRC16", no_crc,
            no_crc == 1 ? "" : "s");
    }
    if (slow_busy > 0) {
        say(findings, SDSIM_WARNING, "busy lasted up to %s; the specification allows %s%s",
            time_text(busy, text), limit.longest > 250 * SDSIM_MS ? "500ms" : "250ms",
            limit.perhaps > limit.longest ? " (SDXC 500ms)" : "");
    }
    if (slow_read > 0) {
        say(findings, SDSIM_WARNING, "%zu reads waited more than 100ms for data", slow_read);
    }
    if (hidden > 0) {
        say(findings, SDSIM_WARNING,
            "%zu commands were sent with CS high: the card did not see them", hidden);
    }
}

static void find_checks(struct sdsim_findings *findings, const struct sdsim_capture *capture,
                        const struct sdsim_summary *summary)
{
    const uint64_t wrong16 = summary->crc16.checked - summary->crc16.right;
    const uint64_t wrong7 = summary->crc7.checked - summary->crc7.right;
    size_t dummies = 0;
    size_t bad = 0;
    for (size_t i = 0; i < summary->row_count; i++) {
        dummies += summary->rows[i].block_crc == SDSIM_ITEM_CRC_DUMMY;
        bad += summary->rows[i].blocks_wrong;
    }
    if (bad > 0) {
        say(findings, SDSIM_WARNING, "%zu of %" PRIu64 " blocks have a wrong CRC16", bad,
            summary->crc16.checked);
    } else if (dummies > 0 && wrong16 > 0) {
        say(findings, SDSIM_NOTE, "%" PRIu64 " block%s with FFFF in place of a CRC16", wrong16,
            wrong16 == 1 ? "" : "s");
    }
    if (wrong7 > 0) {
        say(findings, capture->roles.bus == SDSIM_CAPTURE_SPI ? SDSIM_NOTE : SDSIM_WARNING,
            "CRC7 is wrong in %" PRIu64 " of %" PRIu64 " frames%s", wrong7, summary->crc7.checked,
            capture->roles.bus == SDSIM_CAPTURE_SPI ? " (SPI cards check CMD0 and CMD8 only)" : "");
    }
}

static void find_nothing(struct sdsim_findings *findings, const struct sdsim_capture *capture,
                         const struct sdsim_summary *summary)
{
    if (summary->commands > 0) {
        return;
    }
    if (capture->meter.count == 0) {
        say(findings, SDSIM_WARNING, "the clock hardly moves: there is no traffic in this capture");
    } else if (capture->sd.frames_lost == 0 && capture->spi_lost == 0) {
        say(findings, SDSIM_WARNING,
            "no command of an SD card was found; if this is a bus of a card, name its lines with "
            "--channel");
    }
}

/* Bytes nobody meant, and commands nobody lists. */
static void find_limits(struct sdsim_findings *findings, const struct sdsim_summary *summary)
{
    if (summary->counts[SDSIM_ITEM_STRAY] > 0 && summary->spi) {
        say(findings, SDSIM_NOTE,
            "%" PRIu64 " times bytes without a meaning, such as a filler other than FF",
            summary->counts[SDSIM_ITEM_STRAY]);
    }
    if (summary->row_count < summary->commands) {
        say(findings, SDSIM_NOTE,
            "only the first %zu of %" PRIu64 " commands are listed; sums are of all",
            summary->row_count, summary->commands);
    }
}

enum sdsim_pin_result sdsim_findings_collect(struct sdsim_findings *findings,
                                             struct sdsim_capture *capture,
                                             struct sdsim_summary *summary)
{
    sdsim_capture_attach(capture, &summary->items, &summary->bytes);
    const enum sdsim_pin_result result = sdsim_capture_decode(capture);
    sdsim_summary_end(summary);
    findings->count = 0;
    find_nothing(findings, capture, summary);
    find_undersampled(findings, capture);
    find_misnamed(findings, capture);
    find_checks(findings, capture, summary);
    find_edges(findings, capture);
    find_sampling(findings, capture);
    find_init(findings, capture, summary);
    find_rows(findings, summary);
    find_limits(findings, summary);
    return result;
}

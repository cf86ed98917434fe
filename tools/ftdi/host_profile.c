#include "host_profile.h"

#include <inttypes.h>

static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

/* A time of which ps are known, with its range. */
static void time_value(FILE *out, const char *indent, const char *key, double ps, double low,
                       double high, const char *source)
{
    fprintf(out,
            "%s%s: {value: %.3fns, range: %.3fns..%.3fns, from: measured,\n%s  source: \"%s\"}\n",
            indent, key, ps / 1e3, (low < ps ? low : ps) / 1e3, (high > ps ? high : ps) / 1e3,
            indent, source);
}

static void gap_values(const struct sdsim_chip_findings *findings, FILE *out)
{
    static const char *const keys[SDSIM_GAP_CLOCKS] = {"gap_15", "gap_30"};
    static const char *const words[SDSIM_GAP_CLOCKS] = {"keeps_up_15", "keeps_up_30"};
    for (unsigned i = 0; i < SDSIM_GAP_CLOCKS; i++) {
        const struct sdsim_gap_fact *read = &findings->gaps[i].facts[SDSIM_GAP_READ];
        char source[120];
        if (!read->known) {
            fprintf(out, "  # %s: the host's clock runs slower than this chip's.\n", keys[i]);
            continue;
        }
        snprintf(source, sizeof source, "sdsim probe --check gaps: %u runs of %" PRIu32 " bytes",
                 read->runs, read->bytes);
        time_value(out, "  ", keys[i], read->gap, read->low, read->most, source);
        fprintf(out, "  %s: %s\n", words[i], findings->gaps[i].keeps_up ? "yes" : "no");
    }
}

static void poll_value(FILE *out, const char *indent, const char *key,
                       const struct sdsim_quantiles *times, double less)
{
    char source[120];
    const double us = 1e6;
    snprintf(source, sizeof source, "sdsim probe --check poll: median and 5 to 95 %% of %zu looks",
             times->count);
    const double low = times->low > less ? times->low - less : 0;
    time_value(out, indent, key, (times->median > less ? times->median - less : 0) * us, low * us,
               (times->high - less) * us, source);
}

static void edge_values(const struct sdsim_edge_fact *edges, FILE *out)
{
    static const char *const rests[] = {
        [SDSIM_MOSI_KEEPS] = "keeps", [SDSIM_MOSI_LOW] = "low", [SDSIM_MOSI_HIGH] = "high"};
    const bool falling = edges->understood[SDSIM_EDGE_FALLING][SDSIM_EDGE_RISING] == edges->tries;
    const bool rising = edges->understood[SDSIM_EDGE_RISING][SDSIM_EDGE_RISING] == edges->tries;
    if (falling || rising) {
        fprintf(out, "  write_edge: %s # --check edges: %u exchanges with a card\n",
                falling && rising ? "either"
                : falling         ? "falling"
                                  : "rising",
                edges->tries);
    } else {
        fputs("  # write_edge: the card was understood reliably with neither edge.\n", out);
    }
    if (edges->mosi != SDSIM_MOSI_UNKNOWN) {
        fprintf(out, "  mosi_rest: %s # --check edges, in the chip's loop-back\n",
                rests[edges->mosi]);
    }
}

static void margin_values(const struct sdsim_chip_findings *findings, FILE *out)
{
    static const char *const keys[SDSIM_EDGES] = {
        [SDSIM_EDGE_FALLING] = "falling_to", [SDSIM_EDGE_RISING] = "rising_to"};
    for (int edge = 0; edge < SDSIM_EDGES; edge++) {
        const uint64_t hz = findings->margin.best[edge];
        if (findings->failed[SDSIM_CHECK_MARGIN] == NULL && hz > 0) {
            fprintf(out,
                    "  %s: {value: %" PRIu64
                    "Hz, from: measured,\n    source: \"sdsim probe --check "
                    "margin: %" PRIu32 " blocks without errors\"}\n",
                    keys[edge], hz, findings->margin.rows[0].blocks);
        }
    }
}

static void stop_values(const struct sdsim_chip_findings *findings, FILE *out)
{
    const struct sdsim_stop_fact *stop = &findings->stop;
    char text[400];
    if (stop->wired && stop->known) {
        fprintf(out,
                "  stops_in_byte: %s # --check stop: high after %u clocks, stopped after %u\n"
                "  stops_high: %s\n",
                stop->taken % 8 != 0 ? "yes" : "no", stop->due, stop->taken,
                stop->sck_high ? "yes" : "no");
    } else {
        fprintf(out, "  # stop: %s\n",
                sdsim_check_answer(findings, SDSIM_CHECK_STOP, text, sizeof text));
    }
}

/* What the driver of which nothing is known costs on such a host. */
static void driver_values(const struct sdsim_chip_findings *findings, FILE *out)
{
    const struct sdsim_gap_fact *gap = &findings->gaps[0].facts[SDSIM_GAP_READ];
    fputs("drivers:\n  generic-spi:\n", out);
    if (findings->done[SDSIM_CHECK_POLL]) {
        poll_value(out, "    ", "transfer", &findings->poll.now, findings->poll.byte);
    } else {
        fputs("    transfer: {value: 0us, from: assumed, source: \"--check poll was not made\"}\n",
              out);
    }
    if (findings->done[SDSIM_CHECK_GAPS] && gap->known && gap->gap > 0) {
        fputs("    chunk: {value: 1B, from: measured, source: \"gaps are between bytes\"}\n", out);
        time_value(out, "    ", "chunk_gap", gap->gap, gap->low, gap->most,
                   "sdsim probe --check gaps, at 15 MHz");
    }
}

void sdsim_host_profile_write(const struct sdsim_chip_findings *findings, const char *chip,
                              FILE *out)
{
    unsigned done = 0;
    fputs("kind: host\nname: ", out);
    quoted(out, chip);
    fputs("\ndescription: an FTDI chip on a PC that looks at the card over USB\n"
          "source: \"measured by sdsim probe --check\"\n"
          "cpu: 60MHz # of the MPSSE\n"
          "clocks:\n  spi: {rule: ftdi, source: 60MHz}\n",
          out);
    driver_values(findings, out);
    for (int check = 0; check < SDSIM_CHECKS; check++) {
        done += findings->done[check] ? 1 : 0;
    }
    fputs(done > 0 ? "mpsse:\n" : "", out);
    if (findings->done[SDSIM_CHECK_GAPS]) {
        gap_values(findings, out);
    }
    if (findings->done[SDSIM_CHECK_POLL]) {
        poll_value(out, "  ", "poll", &findings->poll.now, 0);
        poll_value(out, "  ", "poll_timer", &findings->poll.timer, 0);
    }
    if (findings->done[SDSIM_CHECK_EDGES]) {
        edge_values(&findings->edges, out);
    }
    if (findings->done[SDSIM_CHECK_MARGIN]) {
        margin_values(findings, out);
    }
    if (findings->done[SDSIM_CHECK_STOP]) {
        stop_values(findings, out);
    }
}

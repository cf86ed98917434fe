#include "card_profile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "card/decode.h"

enum { TEXT = 96 };

double sdsim_findings_span(const struct sdsim_card_findings *findings, double bytes)
{
    return bytes * 8 * (double)SDSIM_S * findings->clock.den / findings->clock.num;
}

/* ---- values ---- */

/* A profile being written. */
struct writer {
    const struct sdsim_card_findings *findings;
    FILE *out;
};

/* In whole nanoseconds, which a profile takes exactly. */
static char *time_text(const struct writer *writer, double bytes, char text[TEXT])
{
    const double ns = sdsim_findings_span(writer->findings, bytes > 0 ? bytes : 0) / 1000;
    snprintf(text, TEXT, "%.0fns", ns);
    return text;
}

static void source(const struct writer *writer, const char *format, va_list arguments)
{
    char what[160];
    char clock[32];
    vsnprintf(what, sizeof what, format, arguments);
    fprintf(writer->out, "source: \"sdsim probe at %s: %s\"}\n",
            sdsim_mpsse_clock_text(&writer->findings->clock, clock), what);
}

/* A value as it is. */
static void exact(const struct writer *writer, const char *key, const char *value,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
static void exact(const struct writer *writer, const char *key, const char *value,
                  const char *format, ...)
{
    va_list arguments;
    fprintf(writer->out, "%s: {value: %s, from: measured, ", key, value);
    va_start(arguments, format);
    source(writer, format, arguments);
    va_end(arguments);
}

/* A time in bytes with its range. */
static void range(const struct writer *writer, const char *key, double value, double low,
                  double high, const char *format, ...) __attribute__((format(printf, 6, 7)));
static void range(const struct writer *writer, const char *key, double value, double low,
                  double high, const char *format, ...)
{
    char texts[3][TEXT];
    va_list arguments;
    low = low < value - SDSIM_SAMPLE_LATE ? low : value - SDSIM_SAMPLE_LATE;
    high = high > value + SDSIM_SAMPLE_LATE ? high : value + SDSIM_SAMPLE_LATE;
    fprintf(writer->out, "%s: {value: %s, range: %s..%s, from: measured,\n  ", key,
            time_text(writer, value, texts[0]), time_text(writer, low, texts[1]),
            time_text(writer, high, texts[2]));
    va_start(arguments, format);
    source(writer, format, arguments);
    va_end(arguments);
}

static void spread(const struct writer *writer, const char *key,
                   const struct sdsim_spread_facts *facts, const char *what)
{
    /* The slow level is told apart, or is a pause. */
    const double high = facts->high < facts->median * SDSIM_SAMPLE_OTHER_LEVEL + SDSIM_SAMPLE_SLACK
                            ? facts->high
                            : facts->typical;
    char most[TEXT];
    if (facts->gap_free < facts->upper.count) {
        range(writer, key, facts->typical, facts->low, high,
              "%s, %zu samples, at most %s where the clock may have stood still", what,
              facts->count, time_text(writer, facts->upper.high, most));
    } else {
        range(writer, key, facts->typical, facts->low, high, "%s, %zu samples", what, facts->count);
    }
}

/* ---- registers ---- */

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

static bool is_sdsc(const struct sdsim_csd_facts *csd)
{
    return csd->version == 1;
}

static const char *type_name(const struct sdsim_csd_facts *csd)
{
    return is_sdsc(csd)                                         ? "sdsc"
           : csd->capacity <= UINT64_C(32) * 1024 * 1024 * 1024 ? "sdhc"
                                                                : "sdxc";
}

static const char *version_name(const char *version)
{
    return strcmp(version, "1.0") == 0    ? "1.0"
           : strcmp(version, "1.10") == 0 ? "1.1"
           : strcmp(version, "2.00") == 0 ? "2"
                                          : "3";
}

static void register_values(const struct writer *writer)
{
    const struct sdsim_card_registers *registers = &writer->findings->registers;
    const struct sdsim_csd_facts csd = sdsim_csd_decode(registers->csd);
    const struct sdsim_cid_facts cid = sdsim_cid_decode(registers->cid);
    const struct sdsim_scr_facts scr = sdsim_scr_decode(registers->scr);
    const struct sdsim_status_facts status = sdsim_sd_status_decode(registers->status);
    char text[TEXT];
    FILE *out = writer->out;
    fprintf(out, "type: %s\nversion: \"%s\"\n", type_name(&csd), version_name(scr.version));
    snprintf(text, sizeof text, "%" PRIu64 "B", (uint64_t)registers->sectors * SDSIM_SECTOR);
    exact(writer, "capacity", text, "CSD");
    snprintf(text, sizeof text, "%" PRIu64 "Hz", csd.tran_speed);
    if (csd.tran_speed >= 400000 && csd.tran_speed <= 25000000) {
        exact(writer, "clock", text, "TRAN_SPEED in the CSD");
    }
    if (csd.high_speed) {
        fputs("high_speed_clock: {value: 50MHz, from: published,\n"
              "  source: \"the CSD has command class 10; not tried, SPI has no high speed\"}\n",
              out);
    }
    fprintf(out, "maker: %u\noem: ", cid.maker);
    quoted(out, cid.oem);
    fputs("\nproduct: ", out);
    quoted(out, cid.product);
    fprintf(out, "\nserial: %" PRIu32 "\n", cid.serial);
    if (registers->has_status) {
        fprintf(out, "speed_class: %u\nuhs_grade: %u\nvideo_class: %u\napp_class: %u\n",
                status.speed_class, status.uhs_grade, status.video_class, status.app_class);
    }
    if (status.au >= 16384) {
        snprintf(text, sizeof text, "%" PRIu64 "KiB", status.au / 1024);
        exact(writer, "au", text, "SD status");
    }
    if (registers->init_time < SDSIM_S) {
        snprintf(text, sizeof text, "%.0fns", (double)registers->init_time / 1000);
        exact(writer, "init_time", text, "clocks from the first ACMD41 to ready");
    }
}

/* ---- reads ---- */

/* Bytes of a block on the bus, from its token to its CRC: what hides behind it. */
static const double block_around = 1 + 512 + 2;

static void page_fetch(const struct writer *writer)
{
    const struct sdsim_read_measures *reads = &writer->findings->reads;
    if (reads->page.blocks > 0) {
        const double fetch = reads->page.step + block_around + SDSIM_SAMPLE_LATE;
        range(writer, "rdpg", fetch, fetch, fetch,
              "what crossing a border takes, and the block it hides behind");
    } else {
        fputs("# No step was seen at borders of page groups: fetching one takes no longer than a\n"
              "# block does on the bus.\n",
              writer->out);
        range(writer, "rdpg", 0, 0, block_around, "hidden behind a block");
    }
}

/* One slow read in 200 is a level; less is a pause, or chance: of 256 samples it is one. */
static const double least_share = 0.005;

/* A page that is held is worth a value if it saves a tenth. */
static const double hit_gain = 0.9;

/* Two means may differ by this many bytes for nothing: a look at each. */
static const double two_looks = 2;

/* A quarter of a byte above N_AC is less than samples to half a byte can tell from nothing. */
static const double no_gap = 0.25;

static void read_values(const struct writer *writer)
{
    const struct sdsim_read_measures *reads = &writer->findings->reads;
    char text[TEXT];
    snprintf(text, sizeof text, "%.0f", reads->n_cr.median);
    exact(writer, "n_cr", text, "bytes in front of %zu responses", reads->n_cr.count);
    /* Of more than a byte nobody can tell how much is N_AC; it is taken for the card's own time. */
    const unsigned n_ac = reads->next.least + SDSIM_SAMPLE_LATE < 1 ? 0 : 1;
    snprintf(text, sizeof text, "%u", n_ac);
    exact(writer, "n_ac", text, "least number of bytes in front of a token");
    spread(writer, "rd1", &reads->first, "command to data, anywhere on the card");
    if (reads->first.slow_share > least_share && reads->first.slow > 0) {
        const double more = reads->first.slow - reads->first.typical;
        range(writer, "rd_slow", more, more, more, "a slower level among %zu reads",
              reads->first.count);
        snprintf(text, sizeof text, "%.1f%%", reads->first.slow_share * 100);
        exact(writer, "slow_share", text, "of %zu reads", reads->first.count);
    }
    if (reads->again.count > 0 &&
        reads->again.typical < reads->first.typical * hit_gain - two_looks) {
        spread(writer, "rd_hit", &reads->again, "in the page group read last");
    }
    if (reads->next.typical + SDSIM_SAMPLE_LATE <= n_ac + no_gap) {
        range(writer, "rdn", 0, 0, n_ac, "no more than N_AC between blocks");
    } else {
        spread(writer, "rdn", &reads->next, "block to block");
    }
    page_fetch(writer);
    if (reads->au.blocks > 0) {
        range(writer, "rdau", reads->au.step, reads->au.step, reads->au.step,
              "step every %" PRIu32 " blocks", reads->au.blocks);
    }
}

/* ---- writes ---- */

static void page_value(const struct writer *writer)
{
    const struct sdsim_read_measures *reads = &writer->findings->reads;
    const struct sdsim_write_measures *writes = &writer->findings->writes;
    const bool by_writes = writer->findings->written && writes->page.blocks > 0;
    const uint32_t blocks = by_writes ? writes->page.blocks : reads->page.blocks;
    char text[TEXT];
    if (blocks > 0) {
        snprintf(text, sizeof text, "%" PRIu64 "B", (uint64_t)blocks * SDSIM_SECTOR);
        exact(writer, "page", text, "borders seen in %s", by_writes ? "ends of writes" : "reads");
    } else if (writer->findings->written) {
        fputs("page: {value: 16KiB, from: assumed, source: \"no borders were seen\"}\n",
              writer->out);
    }
}

static void order_values(const struct writer *writer)
{
    const struct sdsim_write_measures *writes = &writer->findings->writes;
    char text[TEXT];
    if (writes->rand.count > 0) {
        spread(writer, "rand", &writes->rand, "end of a write against the order");
    }
    if (writes->small_blocks > 0) {
        snprintf(text, sizeof text, "%" PRIu32 "B", writes->small_blocks * SDSIM_SECTOR);
        exact(writer, "small", text, "largest write that costs otherwise against the order");
        spread(writer, "w_small", &writes->small, "end of such a write");
    }
}

/* What closing an AU takes, in bytes: `block` for each block that must be copied, and `fixed`. */
struct merge_parts {
    double block;
    double fixed;
    bool told; /* apart by two merges; else all of it is taken for copying */
};

/* A merge with little, and one with much written since the AU was opened, are two equations. A part of
 * less than 3 % is none: it is as small as what merges differ by. */
static struct merge_parts split_merge(const struct sdsim_write_measures *writes)
{
    static const double none = 0.03;
    const double few = writes->merge.median;
    const double many = writes->merge_fuller.median;
    const double copied = (double)(writes->au_blocks - writes->turn_blocks);
    const bool told = writes->merge_fuller.count > 0 && many <= few * (1 + none);
    const struct merge_parts all = {.block = few / copied, .told = told};
    if (!told) {
        return all;
    }
    const double more = (double)(writes->fuller_blocks - writes->turn_blocks);
    const double block = many < few ? (few - many) / more : 0;
    const double fixed = few - block * copied;
    if (fixed < few * none) {
        return all;
    }
    return block * copied < few * none ? (struct merge_parts){.fixed = few, .told = true}
                                       : (struct merge_parts){block, fixed, true};
}

static double milliseconds(const struct writer *writer, double bytes)
{
    return sdsim_findings_span(writer->findings, bytes) / (double)SDSIM_MS;
}

static void merge_values(const struct writer *writer)
{
    const struct sdsim_write_measures *writes = &writer->findings->writes;
    const struct merge_parts parts = split_merge(writes);
    const double block = sdsim_findings_span(writer->findings, parts.block) / (double)SDSIM_S;
    char text[TEXT];
    if (block > 0) {
        snprintf(text, sizeof text, "%.0fB/s", (double)SDSIM_SECTOR / block);
        if (parts.told) {
            exact(writer, "move_rate", text,
                  "merges of %.3f ms with %" PRIu32 " blocks written, %.3f ms with %" PRIu32,
                  milliseconds(writer, writes->merge.median), writes->turn_blocks,
                  milliseconds(writer, writes->merge_fuller.median), writes->fuller_blocks);
        } else {
            exact(writer, "move_rate", text, "a merge of %.3f ms, all of it taken for copying",
                  milliseconds(writer, writes->merge.median));
        }
    }
    if (parts.fixed > 0) {
        range(writer, "au_erase", parts.fixed, parts.fixed, parts.fixed,
              "what a merge takes however much is copied");
    }
}

static void au_values(const struct writer *writer)
{
    const struct sdsim_write_measures *writes = &writer->findings->writes;
    char text[TEXT];
    if (writes->open_aus > 0) {
        snprintf(text, sizeof text, "%" PRIu32, writes->open_aus);
        exact(writer, "open_aus", text, "AUs written in turn");
        merge_values(writer);
    } else {
        fprintf(writer->out, "# Open AUs, limit: none up to %" PRIu32 ".\n", writes->aus_tried);
    }
}

static void pause_values(const struct writer *writer)
{
    const struct sdsim_write_measures *writes = &writer->findings->writes;
    char text[TEXT];
    if (writes->pause_every > 0) {
        snprintf(text, sizeof text, "%" PRIu64 "B", writes->pause_every);
        exact(writer, "pause_every", text, "%zu pauses in %" PRIu64 " MB", writes->pause.count,
              writes->pause_written / 1000000);
        spread(writer, "pause_length", &writes->pause, "pauses of a stream");
    } else {
        fprintf(writer->out,
                "# Pauses: %zu in %" PRIu64 " MB written; write more to learn how often.\n",
                writes->pause.count, writes->pause_written / 1000000);
    }
}

static void erase_values(const struct writer *writer)
{
    const struct sdsim_write_measures *writes = &writer->findings->writes;
    if (writes->erase.count == 0) {
        return;
    }
    const double each = writes->erase_two.typical - writes->erase.typical;
    const double more = each > two_looks && each < writes->erase.typical ? each : 0;
    const double base = writes->erase.typical - more;
    range(writer, "erase", base, base, base, "CMD38 within an AU");
    if (more > 0) {
        range(writer, "erase_per_au", more, more, more, "CMD38 across a border, less that");
    }
}

static void write_values(const struct writer *writer)
{
    const struct sdsim_write_measures *writes = &writer->findings->writes;
    char text[TEXT];
    spread(writer, "w1", &writes->lone, "busy of a lone block");
    spread(writer, "wn", &writes->stream, "busy between the blocks of a stream");
    if (writes->stop.count > 0) {
        spread(writer, "wstop", &writes->stop, "busy at the end of a stream");
    } else {
        range(writer, "wstop", writes->lone.typical, 0, writes->lone.typical,
              "taken to be that of a lone block");
    }
    if (writes->large_blocks > 0) {
        spread(writer, "wstop_large", &writes->stop_large, "busy at the end of a large stream");
        snprintf(text, sizeof text, "%" PRIu32 "B", writes->large_blocks * SDSIM_SECTOR);
        exact(writer, "large_from", text, "size from which the end takes otherwise");
    }
    if (writes->page.blocks > 0) {
        range(writer, "wpg", writes->page.step, writes->page.step, writes->page.step,
              "what the end of a stream takes longer at a border");
    }
    order_values(writer);
    au_values(writer);
    pause_values(writer);
    erase_values(writer);
}

/* ---- the file ---- */

/* The class a card is of, for what was not measured. */
static const char *base_of(const struct sdsim_card_findings *findings)
{
    static const struct {
        uint64_t most;
        const char *base;
    } bases[] = {
        {UINT64_C(256) << 20, "sdsc64-slc"}, {UINT64_C(2) << 30, "sdsc2g"},
        {UINT64_C(4) << 30, "sdhc4g-c4"},    {UINT64_C(8) << 30, "sdhc8g-c4"},
        {UINT64_C(16) << 30, "sdhc16g-c10"}, {UINT64_C(32) << 30, "sdhc32g-u1"},
        {UINT64_C(64) << 30, "sdxc64g-a2"},  {UINT64_MAX, "sdxc128g-v30"},
    };
    const uint64_t capacity = (uint64_t)findings->registers.sectors * SDSIM_SECTOR;
    size_t i = 0;
    while (capacity > bases[i].most) {
        i++;
    }
    return bases[i].base;
}

void sdsim_card_profile_write(const struct sdsim_card_findings *findings, FILE *out)
{
    const struct writer writer = {findings, out};
    const struct sdsim_cid_facts cid = sdsim_cid_decode(findings->registers.cid);
    char title[120];
    char clock[32];
    snprintf(title, sizeof title, "%s of %04u-%02u, maker %02X", cid.product, cid.year, cid.month,
             cid.maker);
    fputs("kind: card\n", out);
    if (!findings->written) {
        fprintf(out, "base: %s\n", base_of(findings));
    }
    fputs("name: ", out);
    quoted(out, title);
    fprintf(out, "\nsource: \"measured on a %s at %s\"\n",
            findings->chip != NULL ? findings->chip : "FT232H",
            sdsim_mpsse_clock_text(&findings->clock, clock));
    if (!findings->written) {
        fputs("# Only reads were measured: what writes cost is that of the class.\n", out);
    }
    register_values(&writer);
    page_value(&writer);
    read_values(&writer);
    if (findings->written) {
        write_values(&writer);
    }
}

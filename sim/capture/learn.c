#include "capture/learn.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "bus/counts.h"
#include "capture/findings.h"
#include "card/decode.h"
#include "core/units.h"

enum {
    TEXT = 48,
    N_CR_MOST = 8,
    N_BR_MOST = SDSIM_SD_N_WR - 1, /* later, a host may send the next block already */
    SEEN_MOST = 64,
};

/* Classes of cards by capacity, with the profile that stands for them. */
static const struct {
    uint64_t most; /* bytes */
    const char *base;
} bases[] = {
    {UINT64_C(2200000000), "sdsc2g"},      {UINT64_C(4400000000), "sdhc4g-c4"},
    {UINT64_C(8800000000), "sdhc8g-c4"},   {UINT64_C(17600000000), "sdhc16g-c10"},
    {UINT64_C(35200000000), "sdhc32g-u1"}, {UINT64_C(70000000000), "sdxc64g-a2"},
    {UINT64_MAX, "sdxc128g-v30"},
};

/* Where a profile is being written. */
struct profile {
    const struct sdsim_capture *capture;
    const struct sdsim_summary *summary;
    const char *name;
    FILE *out;
    unsigned values;
};

/* A text in double quotes of YAML. */
static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fputc('\\', out);
        }
        fputc(c < 0x20 || c == 0x7F ? '?' : c, out);
    }
    fputc('"', out);
}

static void value(struct profile *profile, const char *key, const char *text, const char *range,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* "key: {value: ..., range: ..., from: measured, source: ...}" */
static void value(struct profile *profile, const char *key, const char *text, const char *range,
                  const char *format, ...)
{
    char source[200];
    char all[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(source, sizeof source, format, arguments);
    va_end(arguments);
    snprintf(all, sizeof all, "%.150s: %s", profile->name, source);
    fprintf(profile->out, "%s: {value: %s, ", key, text);
    if (range[0] != '\0') {
        fprintf(profile->out, "range: %s, ", range);
    }
    fputs("from: measured,\n    source: ", profile->out);
    quoted(profile->out, all);
    fputs("}\n", profile->out);
    profile->values++;
}

static char *time_text(sdsim_ps time, char *out)
{
    return sdsim_unit_print(SDSIM_UNIT_TIME, (double)time, out, TEXT);
}

static void time_value(struct profile *profile, const char *key, const struct sdsim_spread *spread,
                       const char *what)
{
    char median[TEXT];
    char least[TEXT];
    char greatest[TEXT];
    char range[2 * TEXT + 4] = "";
    if (spread->count == 0) {
        return;
    }
    if (spread->least != spread->greatest) {
        snprintf(range, sizeof range, "%s..%s", time_text(spread->least, least),
                 time_text(spread->greatest, greatest));
    }
    value(profile, key, time_text(sdsim_spread_median(spread), median), range,
          "%s, %" PRIu64 " times", what, spread->count);
}

static void register_values(struct profile *profile)
{
    const struct sdsim_seen_registers *seen = &profile->summary->seen;
    char text[TEXT];
    if (seen->has_csd) {
        const struct sdsim_csd_facts csd = sdsim_csd_decode(seen->csd);
        fprintf(profile->out, "type: %s\n",
                csd.version == 1                                    ? "sdsc"
                : csd.capacity <= UINT64_C(32) * 1024 * 1024 * 1024 ? "sdhc"
                                                                    : "sdxc");
        snprintf(text, sizeof text, "%" PRIu64 "B", csd.capacity);
        value(profile, "capacity", text, "", "CSD");
    }
    if (seen->has_scr) {
        const char *version = sdsim_scr_decode(seen->scr).version;
        fprintf(profile->out, "version: \"%s\"\n",
                strcmp(version, "1.0") == 0    ? "1.0"
                : strcmp(version, "1.10") == 0 ? "1.1"
                : strcmp(version, "2.00") == 0 ? "2"
                                               : "3");
    }
    if (seen->has_cid) {
        const struct sdsim_cid_facts cid = sdsim_cid_decode(seen->cid);
        fprintf(profile->out, "maker: %u\noem: ", cid.maker);
        quoted(profile->out, cid.oem);
        fputs("\nproduct: ", profile->out);
        quoted(profile->out, cid.product);
        fprintf(profile->out, "\nserial: %" PRIu32 "\n", cid.serial);
    }
    if (seen->has_status) {
        const struct sdsim_status_facts status = sdsim_sd_status_decode(seen->status);
        fprintf(profile->out, "speed_class: %u\nuhs_grade: %u\nvideo_class: %u\napp_class: %u\n",
                status.speed_class, status.uhs_grade, status.video_class, status.app_class);
        if (status.au >= 16384) {
            snprintf(text, sizeof text, "%" PRIu64 "KiB", status.au / 1024);
            value(profile, "au", text, "", "SD status");
        }
    }
}

/* SPI: the least N_AC of all reads is what the card never undercuts. */
static void spi_values(struct profile *profile)
{
    const struct sdsim_summary *summary = profile->summary;
    char text[TEXT];
    uint32_t least = UINT32_MAX;
    if (summary->n_cr.count > 0 && sdsim_spread_median(&summary->n_cr) <= N_CR_MOST) {
        char range[TEXT] = "";
        if (summary->n_cr.least != summary->n_cr.greatest && summary->n_cr.greatest <= N_CR_MOST) {
            snprintf(range, sizeof range, "%" PRIu64 "..%" PRIu64, summary->n_cr.least,
                     summary->n_cr.greatest);
        }
        snprintf(text, sizeof text, "%" PRIu64, sdsim_spread_median(&summary->n_cr));
        value(profile, "n_cr", text, range, "bytes in front of %" PRIu64 " responses",
              summary->n_cr.count);
    }
    for (size_t i = 0; i < summary->row_count; i++) {
        const struct sdsim_capture_row *row = &summary->rows[i];
        if (row->blocks > 0 && !row->writes && row->wait < least) {
            least = row->wait;
        }
    }
    if (least <= N_CR_MOST) {
        snprintf(text, sizeof text, "%" PRIu32, least);
        value(profile, "n_ac", text, "", "least number of bytes in front of a token");
    }
}

/* SD mode: where busy begins behind a block. One later than a card may show it is no value of a card. */
static void n_br_value(struct profile *profile)
{
    const struct sdsim_spread *n_br = &profile->summary->n_br;
    char text[TEXT];
    char range[TEXT] = "";
    if (n_br->count == 0 || n_br->greatest > N_BR_MOST) {
        return;
    }
    if (n_br->least != n_br->greatest) {
        snprintf(range, sizeof range, "%" PRIu64 "..%" PRIu64, n_br->least, n_br->greatest);
    }
    snprintf(text, sizeof text, "%" PRIu64, sdsim_spread_median(n_br));
    value(profile, "n_br_clocks", text, range,
          "clocks from CRC status to busy of %" PRIu64 " blocks", n_br->count);
}

/* SD mode: identification has an N_CR of its own (N_ID), so addressed commands count. */
static void sd_values(struct profile *profile)
{
    const struct sdsim_summary *summary = profile->summary;
    struct sdsim_spread n_cr;
    char text[TEXT];
    char range[TEXT] = "";
    sdsim_spread_clear(&n_cr);
    for (size_t i = 0; i < summary->row_count; i++) {
        const struct sdsim_capture_row *row = &summary->rows[i];
        const bool identifies = row->index == 2 || (row->app && row->index == 41);
        if (row->answer == SDSIM_ROW_ANSWERED && !identifies && row->n_cr >= 2 &&
            row->n_cr <= SEEN_MOST) {
            sdsim_spread_add(&n_cr, row->n_cr);
        }
    }
    if (n_cr.count == 0) {
        return;
    }
    if (n_cr.least != n_cr.greatest) {
        snprintf(range, sizeof range, "%" PRIu64 "..%" PRIu64, n_cr.least, n_cr.greatest);
    }
    snprintf(text, sizeof text, "%" PRIu64, sdsim_spread_median(&n_cr));
    value(profile, "n_cr_clocks", text, range, "clocks in front of %" PRIu64 " responses",
          n_cr.count);
}

static void init_value(struct profile *profile)
{
    const struct sdsim_summary *summary = profile->summary;
    const struct sdsim_capture_init *longest = NULL;
    for (size_t i = 0; i < summary->init_count; i++) {
        const struct sdsim_capture_init *init = &summary->inits[i];
        if (init->ready && (longest == NULL || init->ready_at - init->first_poll >
                                                   longest->ready_at - longest->first_poll)) {
            longest = init;
        }
    }
    if (longest == NULL || longest->ready_at - longest->first_poll > SDSIM_S) {
        return;
    }
    char text[TEXT];
    value(profile, "init_time", time_text(longest->ready_at - longest->first_poll, text), "",
          "first poll to ready, %" PRIu32 " polls; the longest of %zu", longest->polls,
          summary->init_count);
}

static void host_comments(const struct profile *profile)
{
    const struct sdsim_summary *summary = profile->summary;
    char text[TEXT];
    const double hertz = sdsim_capture_hertz(profile->capture);
    fputs("# Of the host, which is no part of this profile:\n", profile->out);
    fprintf(profile->out, "#   clock %s\n",
            sdsim_unit_print(SDSIM_UNIT_FREQUENCY, hertz, text, sizeof text));
    for (unsigned way = 0; way < 2; way++) {
        const sdsim_ps span = sdsim_time_since(summary->last_end[way], summary->first_start[way]);
        if (summary->exchanges[way] > 0 && span > 0) {
            fprintf(profile->out, "#   %s %s\n", way == 0 ? "reads" : "writes",
                    sdsim_unit_print(SDSIM_UNIT_RATE,
                                     (double)summary->sector_bytes[way] * (double)SDSIM_S /
                                         (double)span,
                                     text, sizeof text));
        }
    }
    if (summary->busy_single.count + summary->busy_stop.count == 0) {
        fputs("# No write was recorded: w1, wn, wpg and wstop are those of the class.\n",
              profile->out);
    }
    if (!summary->seen.has_csd) {
        fputs("# No CSD was recorded: the base is a guess; give it the class and capacity of the "
              "card.\n",
              profile->out);
    }
    if (summary->n_ac.count == 0) {
        fputs("# No read of a sector was recorded: rd1 is that of the class.\n", profile->out);
    }
}

/* Without a CSD the OCR tells small cards; all others get a class that is neither best nor worst, and
 * not the mixture `unknown`, whose draws would not keep what was learnt. */
static const char *base_of(const struct sdsim_seen_registers *seen)
{
    if (!seen->has_csd) {
        const bool bytes =
            seen->has_ocr && (seen->ocr & SDSIM_OCR_READY) != 0 && (seen->ocr & SDSIM_OCR_CCS) == 0;
        return bytes ? "sdsc2g" : "sdhc32g-u1";
    }
    const uint64_t capacity = sdsim_csd_decode(seen->csd).capacity;
    size_t i = 0;
    while (capacity > bases[i].most) {
        i++;
    }
    return bases[i].base;
}

static void write_head(const struct profile *profile)
{
    const struct sdsim_seen_registers *seen = &profile->summary->seen;
    char title[120];
    if (seen->has_cid) {
        const struct sdsim_cid_facts cid = sdsim_cid_decode(seen->cid);
        snprintf(title, sizeof title, "%s of %04u-%02u, maker %02X", cid.product, cid.year,
                 cid.month, cid.maker);
    } else {
        snprintf(title, sizeof title, "card of %.80s", profile->name);
    }
    fprintf(profile->out, "kind: card\nbase: %s\nname: ", base_of(seen));
    quoted(profile->out, title);
    fputs("\nsource: ", profile->out);
    quoted(profile->out, profile->name);
    fputc('\n', profile->out);
}

bool sdsim_learn_card(const struct sdsim_capture *capture, const struct sdsim_summary *summary,
                      const char *name, FILE *out)
{
    struct profile profile = {capture, summary, name, out, 0};
    if (summary->n_cr.count == 0) {
        return false;
    }
    write_head(&profile);
    register_values(&profile);
    if (summary->spi) {
        spi_values(&profile);
    } else {
        sd_values(&profile);
        n_br_value(&profile);
    }
    init_value(&profile);
    time_value(&profile, "rd1", &summary->n_ac, "command to data of the first block");
    time_value(&profile, "rdn", &summary->n_ac_next, "block to block");
    time_value(&profile, "w1", &summary->busy_single, "busy behind a lone block");
    time_value(&profile, "wn", &summary->busy_between, "busy between blocks");
    time_value(&profile, "wstop", &summary->busy_stop, "busy at the end of a stream");
    host_comments(&profile);
    return true;
}

#include "probe_report.h"

#include <inttypes.h>
#include <string.h>

#include "card/decode.h"
#include "core/units.h"
#include "report/table.h"

enum { TEXT = 64 };

static char *size_text(uint64_t bytes, char text[TEXT])
{
    return sdsim_unit_print(SDSIM_UNIT_SIZE, (double)bytes, text, TEXT);
}

static char *time_text(double ps, char text[TEXT])
{
    return sdsim_unit_print(SDSIM_UNIT_TIME, ps > 0 ? ps : 0, text, TEXT);
}

/* ---- registers ---- */

static void card_class(const struct sdsim_card_registers *registers,
                       const struct sdsim_csd_facts *csd, FILE *out)
{
    const uint64_t bytes = (uint64_t)registers->sectors * SDSIM_SECTOR;
    const char *kind = csd->version == 1                            ? "SDSC, byte addresses"
                       : bytes <= UINT64_C(32) * 1024 * 1024 * 1024 ? "SDHC, block addresses"
                                                                    : "SDXC, block addresses";
    fprintf(out, "capacity           %.3f GB (%" PRIu32 " sectors), %s\n", (double)bytes / 1e9,
            registers->sectors, kind);
}

static void speed_classes(const struct sdsim_status_facts *status, FILE *out)
{
    fputs("classes            ", out);
    if (status->speed_class + status->uhs_grade + status->video_class + status->app_class == 0) {
        fputs("none\n", out);
        return;
    }
    const struct {
        char letter;
        unsigned value;
    } marks[] = {{'C', status->speed_class},
                 {'U', status->uhs_grade},
                 {'V', status->video_class},
                 {'A', status->app_class}};
    const char *between = "";
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (marks[i].value > 0) {
            fprintf(out, "%s%c%u", between, marks[i].letter, marks[i].value);
            between = ", ";
        }
    }
    fputs(" (a card promises nothing in SPI mode)\n", out);
}

static void erase_words(const struct sdsim_status_facts *status, FILE *out)
{
    char au[TEXT];
    if (status->au == 0) {
        fputs("allocation unit    not said\n", out);
        return;
    }
    fprintf(out, "allocation unit    %s\n", size_text(status->au, au));
    if (status->erase_aus == 0) {
        fputs("erase limit        250 ms a block: the card says nothing else\n", out);
    } else {
        fprintf(out, "erase limit        %u s for %u AUs, and %u s\n", status->erase_seconds,
                status->erase_aus, status->erase_offset);
    }
}

static void voltages(uint32_t ocr, FILE *out)
{
    double low = 0;
    double high = 0;
    for (unsigned bit = 15; bit < 24; bit++) {
        if ((ocr >> bit & 1) != 0) {
            low = low > 0 ? low : 2.7 + 0.1 * (bit - 15);
            high = 2.8 + 0.1 * (bit - 15);
        }
    }
    fprintf(out, "OCR                0x%08" PRIX32 ", %.1f to %.1f V%s%s\n", ocr, low, high,
            (ocr & SDSIM_OCR_CCS) != 0 ? ", CCS" : "", (ocr & SDSIM_OCR_S18) != 0 ? ", 1.8 V" : "");
}

void sdsim_report_registers(const struct sdsim_card_registers *registers, FILE *out)
{
    const struct sdsim_csd_facts csd = sdsim_csd_decode(registers->csd);
    const struct sdsim_cid_facts cid = sdsim_cid_decode(registers->cid);
    const struct sdsim_scr_facts scr = sdsim_scr_decode(registers->scr);
    const struct sdsim_status_facts status = sdsim_sd_status_decode(registers->status);
    char taac[TEXT];
    char bus[TEXT];
    char host[TEXT];
    fprintf(out, "card               %s, maker %u (0x%02X), OEM \"%s\", revision %u.%u\n",
            cid.product, cid.maker, cid.maker, cid.oem, cid.revision >> 4, cid.revision & 15);
    fprintf(out, "made               %04u-%02u, serial number 0x%08" PRIX32 "\n", cid.year,
            cid.month, cid.serial);
    card_class(registers, &csd, out);
    fprintf(out, "specification      %s%s%s\n", scr.version, scr.four_lines ? ", 4 data lines" : "",
            scr.cmd23 ? ", CMD23" : "");
    if (registers->has_status) {
        speed_classes(&status, out);
        erase_words(&status, out);
    } else {
        fputs("SD status          not given\n", out);
    }
    fprintf(out, "CSD                version %u, TAAC %s, NSAC %u, %.0f Mbit/s, classes 0x%03X%s\n",
            csd.version, time_text((double)csd.taac, taac), csd.nsac, (double)csd.tran_speed / 1e6,
            csd.ccc, csd.high_speed ? " (CMD6)" : "");
    voltages(registers->ocr, out);
    fprintf(out, "initialisation     %s of clocks, %s by the host's clock\n",
            time_text((double)registers->init_time, bus),
            time_text((double)registers->init_host, host));
}

/* ---- clock ---- */

void sdsim_report_sweep(const struct sdsim_card_findings *findings, FILE *out)
{
    const struct sdsim_sweep_row *rows = findings->sweep;
    fputs("\nclock              blocks   errors\n", out);
    for (size_t i = 0; i < findings->sweep_count; i++) {
        char clock[32];
        fprintf(out, "%-15s %9" PRIu32 "  %7" PRIu64 "\n",
                sdsim_mpsse_clock_text(&rows[i].clock, clock), rows[i].blocks, rows[i].faults);
    }
}

/* ---- times ---- */

/* Spreads, side by side: counted clocks and what they can be off by, or the host's time of the calls they
 * were seen in. */
struct times {
    const struct sdsim_card_findings *findings;
    struct sdsim_table table;
    bool host;
};

static const struct sdsim_column bus_columns[] = {
    {.title = "bus time"},
    {.title = "samples", .right = true},
    {.title = "typical", .right = true},
    {.title = "5 %", .right = true},
    {.title = "95 %", .right = true},
    {.title = "longest", .right = true},
    {.title = "gap-free", .right = true},
};

static const struct sdsim_column host_columns[] = {
    {.title = "host time"},
    {.title = "calls", .right = true},
    {.title = "median", .right = true},
    {.title = "5 %", .right = true},
    {.title = "95 %", .right = true},
    {.title = "longest", .right = true},
    {.title = "of each"},
};

static void begin_times(struct times *times, const struct sdsim_card_findings *findings, bool host)
{
    *times = (struct times){.findings = findings, .host = host};
    sdsim_table_init(&times->table, host ? host_columns : bus_columns,
                     sizeof bus_columns / sizeof *bus_columns);
}

static void end_times(struct times *times, FILE *out)
{
    const struct sdsim_style style = {.color = false};
    sdsim_table_print(&times->table, &style, out);
    sdsim_table_free(&times->table);
}

static void add_row(struct times *times, const char *what, size_t count, const double values[4],
                    const char *last)
{
    char text[TEXT];
    sdsim_table_cell(&times->table, SDSIM_INK_PLAIN, "%s", what);
    if (count > 0) {
        sdsim_table_cell(&times->table, SDSIM_INK_PLAIN, "%zu", count);
    } else {
        sdsim_table_cell(&times->table, SDSIM_INK_PLAIN, "%s", "");
    }
    for (size_t i = 0; i < 4; i++) {
        sdsim_table_cell(&times->table, SDSIM_INK_PLAIN, "%s", time_text(values[i], text));
    }
    sdsim_table_cell(&times->table, SDSIM_INK_PLAIN, "%s", last);
}

/* Rounded down: 100% are all. */
static char *share_text(size_t part, size_t count, char text[TEXT])
{
    snprintf(text, TEXT, "%zu%%", part * 100 / count);
    return text;
}

static void add_bus(struct times *times, const char *what, const struct sdsim_spread_facts *facts)
{
    const struct sdsim_card_findings *findings = times->findings;
    const double values[] = {
        sdsim_findings_span(findings, facts->typical), sdsim_findings_span(findings, facts->low),
        sdsim_findings_span(findings, facts->high), sdsim_findings_span(findings, facts->most)};
    char text[TEXT];
    const struct sdsim_quantiles *upper = &facts->upper;
    add_row(times, what, facts->count, values,
            upper->count == 0 ? "?" : share_text(facts->gap_free, facts->count, text));
    if (facts->gap_free < upper->count) {
        const double most[] = {
            sdsim_findings_span(findings, upper->median), sdsim_findings_span(findings, upper->low),
            sdsim_findings_span(findings, upper->high), sdsim_findings_span(findings, upper->most)};
        add_row(times, "  at most", 0, most, "");
    }
}

/* `call` is what each of the calls was. */
static void add_times(struct times *times, const char *what, const struct sdsim_spread_facts *facts,
                      const char *call)
{
    const struct sdsim_quantiles *host = &facts->host;
    if (!times->host && facts->count > 0) {
        add_bus(times, what, facts);
    } else if (times->host && host->count > 0) {
        const double us = (double)SDSIM_US;
        const double values[] = {host->median * us, host->low * us, host->high * us,
                                 host->most * us};
        add_row(times, what, host->count, values, call);
    }
}

void sdsim_report_bounds(const struct sdsim_card_findings *findings, enum sdsim_probe_time time,
                         FILE *out)
{
    const struct sdsim_gap_fact *gap = &findings->gap;
    char text[TEXT];
    char clock[32];
    if ((time & SDSIM_PROBE_BUS) == 0) {
        return;
    }
    sdsim_mpsse_clock_text(&findings->clock, clock);
    fprintf(out, "\ngap between bytes  ");
    if (gap->known) {
        fprintf(out, "%.1f ns, at most %.1f ns; a byte takes %s\n", gap->gap / 1e3, gap->most / 1e3,
                time_text(sdsim_findings_span(findings, 1), text));
    } else {
        fputs("unknown: the host's clock runs slower than this chip's\n", out);
    }
    fprintf(out,
            "Bus times are clocks counted at %s, each good to %s either way. A card\n"
            "goes on working while the clock stands still, so they are lower bounds; \"at\n"
            "most\" adds all the time it may have stood, by the host's clock. In samples that\n"
            "are \"gap-free\" that is nothing: their bounds are within 2 %% or a byte.\n",
            clock, time_text(sdsim_findings_span(findings, SDSIM_SAMPLE_LATE), text));
}

static void border_line(const char *what, uint32_t blocks, double bytes,
                        const struct sdsim_card_findings *findings, FILE *out)
{
    char size[TEXT];
    char time[TEXT];
    fprintf(out, "%-28s every %s, %s\n", what, size_text((uint64_t)blocks * SDSIM_SECTOR, size),
            time_text(sdsim_findings_span(findings, bytes), time));
}

static void read_rows(struct times *times, const struct sdsim_read_measures *reads)
{
    add_times(times, "first block", &reads->first, "CMD17");
    add_times(times, "in the same page", &reads->again, "CMD17");
    add_times(times, "next block", &reads->next, "CMD18, 16 blocks");
    if (reads->page.blocks > 0) {
        add_times(times, "at a page's border", &reads->page.spread, "CMD18, 2 blocks");
    }
    if (reads->au.blocks > 0) {
        add_times(times, "at an AU's border", &reads->au.spread, "CMD18, 2 blocks");
    }
    if (times->host) {
        add_times(times, "a command", &reads->n_cr, "CMD13");
    }
}

static void print_reads(const struct sdsim_card_findings *findings, bool host, FILE *out)
{
    struct times times;
    begin_times(&times, findings, host);
    read_rows(&times, &findings->reads);
    end_times(&times, out);
}

static void slow_line(const struct sdsim_card_findings *findings, FILE *out)
{
    const struct sdsim_spread_facts *first = &findings->reads.first;
    char slow[TEXT];
    if (first->slow > 0) {
        fprintf(out, "%-28s %.1f %% of first blocks, %s\n", "slow reads", first->slow_share * 100,
                time_text(sdsim_findings_span(findings, first->slow), slow));
    }
}

void sdsim_report_reads(const struct sdsim_card_findings *findings, enum sdsim_probe_time time,
                        FILE *out)
{
    const struct sdsim_read_measures *reads = &findings->reads;
    fprintf(out, "\nreads\n");
    if ((time & SDSIM_PROBE_BUS) != 0) {
        print_reads(findings, false, out);
        slow_line(findings, out);
        fprintf(out, "%-28s %.0f bytes (%.0f to %.0f)\n", "N_CR, command to response",
                reads->n_cr.median, reads->n_cr.least, reads->n_cr.most);
        if (reads->page.blocks > 0) {
            border_line("page groups", reads->page.blocks, reads->page.step, findings, out);
        } else {
            fprintf(out, "%-28s none seen: hidden behind the transfer of a block\n", "page groups");
        }
        if (reads->au.blocks > 0) {
            border_line("AU borders", reads->au.blocks, reads->au.step, findings, out);
        } else {
            fprintf(out, "%-28s none seen\n", "AU borders");
        }
    }
    if ((time & SDSIM_PROBE_HOST) != 0) {
        print_reads(findings, true, out);
    }
    if (reads->lost > 0) {
        fprintf(out, "%zu samples were lost to errors that were repeated\n", reads->lost);
    }
}

static void pause_lines(const struct sdsim_card_findings *findings, FILE *out)
{
    const struct sdsim_write_measures *writes = &findings->writes;
    char text[TEXT];
    if (writes->pause_written == 0) {
        return;
    }
    fprintf(out, "%-28s %zu in %.1f MB", "pauses", writes->pause.count,
            (double)writes->pause_written / 1e6);
    if (writes->pause_every > 0) {
        fprintf(out, ", every %.2f MB, %s", (double)writes->pause_every / 1e6,
                time_text(sdsim_findings_span(findings, writes->pause.mean), text));
    }
    fputc('\n', out);
    for (size_t i = 0; i < writes->pause_count && i < 12; i++) {
        const struct sdsim_pause_fact *pause = &writes->pauses[i];
        fprintf(out, "    %9.3f MB  %-10s%s\n", (double)pause->at / 1e6,
                time_text(sdsim_findings_span(findings, pause->bytes), text),
                pause->border ? "  with a new AU" : "");
    }
    if (writes->pause_count > 12) {
        fprintf(out, "    and %zu more\n", writes->pause_count - 12);
    }
}

static void write_rows(struct times *times, const struct sdsim_write_measures *writes)
{
    add_times(times, "lone block", &writes->lone, "CMD24");
    add_times(times, "block of a stream", &writes->stream, "CMD25, 64 blocks");
    add_times(times, "end of a stream", &writes->stop, "CMD25, 2 blocks");
    if (writes->page.blocks > 0) {
        add_times(times, "end at a page's border", &writes->page.spread, "CMD25, 2 blocks");
    }
    if (writes->large_blocks > 0) {
        add_times(times, "end of a long one", &writes->stop_large, "");
    }
    add_times(times, "against the order", &writes->rand, "CMD25");
    if (writes->small_blocks > 0) {
        add_times(times, "the same, small", &writes->small, "CMD24, CMD25");
    }
    add_times(times, "one AU too many", &writes->merge, "CMD25");
    if (writes->merge_fuller.count > 0) {
        add_times(times, "the same, fuller AUs", &writes->merge_fuller, "CMD25");
    }
    add_times(times, "pauses", &writes->pause, "");
    add_times(times, "erase in an AU", &writes->erase, "CMD38");
    add_times(times, "across two", &writes->erase_two, "CMD38");
}

static void print_writes(const struct sdsim_card_findings *findings, bool host, FILE *out)
{
    struct times times;
    begin_times(&times, findings, host);
    write_rows(&times, &findings->writes);
    end_times(&times, out);
}

static void size_line(const char *what, const char *words, uint32_t blocks, FILE *out)
{
    char size[TEXT];
    if (blocks > 0) {
        fprintf(out, "%-28s %s %s\n", what, words,
                size_text((uint64_t)blocks * SDSIM_SECTOR, size));
    }
}

void sdsim_report_writes(const struct sdsim_card_findings *findings, enum sdsim_probe_time time,
                         FILE *out)
{
    const struct sdsim_write_measures *writes = &findings->writes;
    fprintf(out, "\nwrites\n");
    if ((time & SDSIM_PROBE_BUS) != 0) {
        print_writes(findings, false, out);
        size_line("long streams", "from", writes->large_blocks, out);
        size_line("small writes", "up to", writes->small_blocks, out);
        if (writes->page.blocks > 0) {
            border_line("page groups", writes->page.blocks, writes->page.step, findings, out);
        }
        if (writes->open_aus > 0) {
            fprintf(out, "%-28s %" PRIu32 "\n", "open AUs", writes->open_aus);
        } else if (writes->aus_tried > 0) {
            fprintf(out, "%-28s limit: none up to %" PRIu32 "\n", "open AUs", writes->aus_tried);
        }
        pause_lines(findings, out);
    }
    if ((time & SDSIM_PROBE_HOST) != 0) {
        print_writes(findings, true, out);
    }
    if (writes->lost > 0) {
        fprintf(out, "%zu samples were lost to errors that were repeated\n", writes->lost);
    }
}

void sdsim_report_usb(const struct sdsim_card_io *io, FILE *out)
{
    const struct sdsim_mpsse_faults *faults = &io->port.faults;
    const struct sdsim_link_counters *counters = &io->port.line.link->counters;
    fprintf(out, "\nUSB                %" PRIu64 " batches, %" PRIu64 " round trips, %.1f MB\n",
            counters->batches, counters->round_trips,
            (double)(counters->bytes_in + counters->bytes_out) / 1e6);
    const uint64_t retries = sdsim_mpsse_retries(&io->port);
    if (retries == 0) {
        fputs("repeated           nothing\n", out);
        return;
    }
    fprintf(out,
            "repeated           %" PRIu64 ": %" PRIu64 " USB transfers, %" PRIu64
            " blocks read with a wrong CRC,\n                   %" PRIu64 " responses, %" PRIu64
            " blocks not accepted\n",
            retries, faults->transfers, faults->blocks, faults->refusals + faults->misjudged,
            faults->rejections);
}

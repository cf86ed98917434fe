#include "probe_json.h"

#include "card/decode.h"

/* ---- measured times ---- */

static void seconds(struct sdsim_json *json, const char *key, double ps)
{
    sdsim_json_seconds(json, key, ps > 0 ? (sdsim_ps)(ps + 0.5) : 0);
}

/* `unit` is what a value is worth in ps. */
static void quantiles(struct sdsim_json *json, const char *key,
                      const struct sdsim_quantiles *values, double unit)
{
    if (values->count == 0) {
        sdsim_json_text(json, key, NULL);
        return;
    }
    sdsim_json_object(json, key);
    sdsim_json_count(json, "count", values->count);
    seconds(json, "low", values->low * unit);
    seconds(json, "median", values->median * unit);
    seconds(json, "high", values->high * unit);
    seconds(json, "longest", values->most * unit);
    sdsim_json_end(json);
}

static void counted(struct sdsim_json *json, const struct sdsim_spread_facts *facts, double byte)
{
    sdsim_json_object(json, "counted");
    sdsim_json_count(json, "count", facts->count);
    seconds(json, "typical", facts->typical * byte);
    seconds(json, "mean", facts->mean * byte);
    seconds(json, "shortest", facts->least * byte);
    seconds(json, "low", facts->low * byte);
    seconds(json, "median", facts->median * byte);
    seconds(json, "high", facts->high * byte);
    seconds(json, "longest", facts->most * byte);
    sdsim_json_end(json);
    quantiles(json, "at_most", &facts->upper, byte);
    sdsim_json_count(json, "gap_free", facts->gap_free);
}

static void spread(struct sdsim_json *json, const char *name,
                   const struct sdsim_spread_facts *facts,
                   const struct sdsim_card_findings *findings, enum sdsim_probe_time time)
{
    if (facts->count == 0) {
        return;
    }
    sdsim_json_object(json, name);
    if ((time & SDSIM_PROBE_BUS) != 0) {
        counted(json, facts, sdsim_findings_span(findings, 1));
    }
    if ((time & SDSIM_PROBE_HOST) != 0) {
        quantiles(json, "host", &facts->host, (double)SDSIM_US);
    }
    sdsim_json_end(json);
}

static void border(struct sdsim_json *json, const char *name, const struct sdsim_border_fact *fact,
                   const struct sdsim_card_findings *findings, enum sdsim_probe_time time)
{
    if (fact->blocks == 0) {
        sdsim_json_text(json, name, NULL);
        return;
    }
    sdsim_json_object(json, name);
    sdsim_json_count(json, "bytes", (uint64_t)fact->blocks * SDSIM_SECTOR);
    seconds(json, "step", sdsim_findings_span(findings, fact->step));
    spread(json, "across", &fact->spread, findings, time);
    sdsim_json_end(json);
}

/* ---- the card ---- */

static void gap(struct sdsim_json *json, const char *key, const struct sdsim_gap_fact *fact)
{
    if (!fact->known) {
        sdsim_json_text(json, key, NULL);
        return;
    }
    sdsim_json_object(json, key);
    sdsim_json_number(json, "ns", fact->gap / 1e3);
    sdsim_json_number(json, "low_ns", fact->low / 1e3);
    sdsim_json_number(json, "at_most_ns", fact->most / 1e3);
    sdsim_json_count(json, "runs", fact->runs);
    sdsim_json_count(json, "bytes", fact->bytes);
    sdsim_json_end(json);
}

static void registers_of(struct sdsim_json *json, const struct sdsim_card_registers *registers)
{
    const struct sdsim_cid_facts cid = sdsim_cid_decode(registers->cid);
    const struct sdsim_status_facts status = sdsim_sd_status_decode(registers->status);
    sdsim_json_object(json, "card");
    sdsim_json_text(json, "product", cid.product);
    sdsim_json_count(json, "maker", cid.maker);
    sdsim_json_text(json, "oem", cid.oem);
    sdsim_json_count(json, "serial", cid.serial);
    sdsim_json_count(json, "year", cid.year);
    sdsim_json_count(json, "month", cid.month);
    sdsim_json_count(json, "capacity", (uint64_t)registers->sectors * SDSIM_SECTOR);
    sdsim_json_count(json, "au", registers->has_status ? status.au : 0);
    sdsim_json_count(json, "ocr", registers->ocr);
    sdsim_json_seconds(json, "init_counted", registers->init_time);
    sdsim_json_seconds(json, "init_host", registers->init_host);
    sdsim_json_end(json);
}

static void sweep(struct sdsim_json *json, const struct sdsim_card_findings *findings)
{
    sdsim_json_array(json, "sweep");
    for (size_t i = 0; i < findings->sweep_count; i++) {
        const struct sdsim_sweep_row *row = &findings->sweep[i];
        sdsim_json_object(json, NULL);
        sdsim_json_number(json, "hz", (double)row->clock.num / row->clock.den);
        sdsim_json_count(json, "blocks", row->blocks);
        sdsim_json_count(json, "errors", row->faults);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

static void reads_of(struct sdsim_json *json, const struct sdsim_card_findings *findings,
                     enum sdsim_probe_time time)
{
    const struct sdsim_read_measures *reads = &findings->reads;
    sdsim_json_object(json, "reads");
    spread(json, "first", &reads->first, findings, time);
    spread(json, "again", &reads->again, findings, time);
    spread(json, "next", &reads->next, findings, time);
    sdsim_json_object(json, "n_cr_bytes");
    sdsim_json_number(json, "median", reads->n_cr.median);
    sdsim_json_number(json, "least", reads->n_cr.least);
    sdsim_json_number(json, "most", reads->n_cr.most);
    sdsim_json_end(json);
    border(json, "page", &reads->page, findings, time);
    border(json, "au", &reads->au, findings, time);
    sdsim_json_count(json, "lost", reads->lost);
    sdsim_json_end(json);
}

static void pauses_of(struct sdsim_json *json, const struct sdsim_card_findings *findings)
{
    const struct sdsim_write_measures *writes = &findings->writes;
    sdsim_json_count(json, "pause_every", writes->pause_every);
    sdsim_json_count(json, "pause_searched", writes->pause_written);
    sdsim_json_array(json, "pauses");
    for (size_t i = 0; i < writes->pause_count; i++) {
        const struct sdsim_pause_fact *pause = &writes->pauses[i];
        sdsim_json_object(json, NULL);
        sdsim_json_count(json, "at", pause->at);
        seconds(json, "counted", sdsim_findings_span(findings, pause->bytes));
        if (pause->most > 0) {
            seconds(json, "at_most", sdsim_findings_span(findings, pause->most));
        }
        sdsim_json_bool(json, "with_new_au", pause->border);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

static void writes_of(struct sdsim_json *json, const struct sdsim_card_findings *findings,
                      enum sdsim_probe_time time)
{
    const struct sdsim_write_measures *writes = &findings->writes;
    sdsim_json_object(json, "writes");
    spread(json, "lone", &writes->lone, findings, time);
    spread(json, "stream", &writes->stream, findings, time);
    spread(json, "stop", &writes->stop, findings, time);
    spread(json, "stop_large", &writes->stop_large, findings, time);
    spread(json, "against_order", &writes->rand, findings, time);
    spread(json, "small", &writes->small, findings, time);
    spread(json, "merge", &writes->merge, findings, time);
    spread(json, "merge_fuller", &writes->merge_fuller, findings, time);
    spread(json, "pause", &writes->pause, findings, time);
    spread(json, "erase", &writes->erase, findings, time);
    spread(json, "erase_two", &writes->erase_two, findings, time);
    border(json, "page", &writes->page, findings, time);
    sdsim_json_count(json, "open_aus", writes->open_aus);
    sdsim_json_count(json, "open_aus_tried", writes->aus_tried);
    pauses_of(json, findings);
    sdsim_json_count(json, "lost", writes->lost);
    sdsim_json_end(json);
}

void sdsim_json_card(struct sdsim_json *json, const struct sdsim_card_findings *findings,
                     enum sdsim_probe_time time)
{
    registers_of(json, &findings->registers);
    if (findings->sweep_count > 0) {
        sweep(json, findings);
    }
    if (findings->measured) {
        sdsim_json_number(json, "hz", (double)findings->clock.num / findings->clock.den);
        seconds(json, "byte", sdsim_findings_span(findings, 1));
        gap(json, "gap", &findings->gap);
        reads_of(json, findings, time);
    }
    if (findings->written) {
        writes_of(json, findings, time);
    }
}

void sdsim_json_usb(struct sdsim_json *json, const struct sdsim_link *link)
{
    const struct sdsim_link_counters *counters = &link->counters;
    sdsim_json_object(json, "usb");
    sdsim_json_count(json, "batches", counters->batches);
    sdsim_json_count(json, "round_trips", counters->round_trips);
    sdsim_json_count(json, "bytes", counters->bytes_in + counters->bytes_out);
    sdsim_json_count(json, "retries", counters->retries);
    sdsim_json_count(json, "recoveries", counters->recoveries);
    sdsim_json_end(json);
}

/* ---- checks ---- */

static void gaps_check(struct sdsim_json *json, const struct sdsim_chip_findings *findings)
{
    sdsim_json_array(json, "rows");
    for (unsigned i = 0; i < SDSIM_GAP_CLOCKS; i++) {
        const struct sdsim_gap_row *row = &findings->gaps[i];
        sdsim_json_object(json, NULL);
        sdsim_json_number(json, "hz", (double)row->clock.num / row->clock.den);
        for (int run = 0; run < SDSIM_GAP_RUNS; run++) {
            gap(json, sdsim_gap_run_name((enum sdsim_gap_run)run), &row->facts[run]);
        }
        sdsim_json_bool(json, "keeps_up", row->keeps_up);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

static void edges_check(struct sdsim_json *json, const struct sdsim_chip_findings *findings)
{
    static const char *const rests[] = {[SDSIM_MOSI_UNKNOWN] = NULL,
                                        [SDSIM_MOSI_KEEPS] = "keeps",
                                        [SDSIM_MOSI_LOW] = "low",
                                        [SDSIM_MOSI_HIGH] = "high"};
    static const char *const names[SDSIM_EDGES] = {
        [SDSIM_EDGE_FALLING] = "falling", [SDSIM_EDGE_RISING] = "rising"};
    const struct sdsim_edge_fact *edges = &findings->edges;
    sdsim_json_array(json, "rows");
    for (int written = 0; written < SDSIM_EDGES; written++) {
        for (int read = 0; read < SDSIM_EDGES; read++) {
            sdsim_json_object(json, NULL);
            sdsim_json_text(json, "written", names[written]);
            sdsim_json_text(json, "read", names[read]);
            sdsim_json_count(json, "understood", edges->understood[written][read]);
            sdsim_json_count(json, "tries", edges->tries);
            sdsim_json_end(json);
        }
    }
    sdsim_json_end(json);
    sdsim_json_text(json, "mosi_rest", rests[edges->mosi]);
}

static void poll_check(struct sdsim_json *json, const struct sdsim_chip_findings *findings)
{
    quantiles(json, "at_once", &findings->poll.now, (double)SDSIM_US);
    quantiles(json, "timer", &findings->poll.timer, (double)SDSIM_US);
}

static void margin_check(struct sdsim_json *json, const struct sdsim_chip_findings *findings)
{
    const struct sdsim_margin_fact *margin = &findings->margin;
    sdsim_json_array(json, "rows");
    for (unsigned i = 0; i < SDSIM_MARGIN_CLOCKS; i++) {
        const struct sdsim_margin_row *row = &margin->rows[i];
        sdsim_json_object(json, NULL);
        sdsim_json_number(json, "hz", (double)row->clock.num / row->clock.den);
        sdsim_json_count(json, "blocks", row->blocks);
        sdsim_json_count(json, "errors_rising", row->faults[SDSIM_EDGE_RISING]);
        sdsim_json_count(json, "errors_falling", row->faults[SDSIM_EDGE_FALLING]);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
    sdsim_json_count(json, "best_rising", margin->best[SDSIM_EDGE_RISING]);
    sdsim_json_count(json, "best_falling", margin->best[SDSIM_EDGE_FALLING]);
}

static void stop_check(struct sdsim_json *json, const struct sdsim_chip_findings *findings)
{
    const struct sdsim_stop_fact *stop = &findings->stop;
    sdsim_json_bool(json, "wired", stop->wired);
    if (stop->known) {
        sdsim_json_count(json, "due", stop->due);
        sdsim_json_count(json, "taken", stop->taken);
        sdsim_json_bool(json, "in_byte", stop->taken % 8 != 0);
        sdsim_json_bool(json, "sck_high", stop->sck_high);
    }
}

void sdsim_json_checks(struct sdsim_json *json, const struct sdsim_chip_findings *findings)
{
    static void (*const writers[SDSIM_CHECKS])(struct sdsim_json * json,
                                               const struct sdsim_chip_findings *findings) = {
        [SDSIM_CHECK_GAPS] = gaps_check, [SDSIM_CHECK_EDGES] = edges_check,
        [SDSIM_CHECK_POLL] = poll_check, [SDSIM_CHECK_MARGIN] = margin_check,
        [SDSIM_CHECK_STOP] = stop_check,
    };
    sdsim_json_array(json, "checks");
    for (int i = 0; i < SDSIM_CHECKS; i++) {
        const enum sdsim_check check = (enum sdsim_check)i;
        char text[400];
        if (!findings->done[check]) {
            continue;
        }
        sdsim_json_object(json, NULL);
        sdsim_json_text(json, "check", sdsim_check_name(check));
        sdsim_json_text(json, "answer", sdsim_check_answer(findings, check, text, sizeof text));
        if (findings->failed[check] == NULL) {
            writers[check](json, findings);
        }
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

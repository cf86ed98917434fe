#include <inttypes.h>
#include <string.h>

#include "capture/words.h"
#include "card/decode.h"
#include "report/capture_report.h"

static void hex(struct sdsim_json *json, const char *key, const uint8_t *bytes, size_t size)
{
    char text[2 * 64 + 1];
    for (size_t i = 0; i < size && i < 64; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    text[2 * (size < 64 ? size : 64)] = '\0';
    sdsim_json_text(json, key, text);
}

/* A number as so many hexadecimal digits. */
static void hex_number(struct sdsim_json *json, const char *key, uint32_t value, int digits)
{
    char text[12];
    snprintf(text, sizeof text, "%0*" PRIx32, digits, value);
    sdsim_json_text(json, key, text);
}

static const char *crc_name(uint8_t crc)
{
    static const char *const names[] = {
        [SDSIM_ITEM_CRC_NONE] = "none",       [SDSIM_ITEM_CRC_RIGHT] = "right",
        [SDSIM_ITEM_CRC_WRONG] = "wrong",     [SDSIM_ITEM_CRC_DUMMY] = "dummy",
        [SDSIM_ITEM_CRC_MISSING] = "missing",
    };
    return crc < sizeof names / sizeof names[0] ? names[crc] : "?";
}

static void write_source(const struct sdsim_capture_view *view, struct sdsim_json *json)
{
    const struct sdsim_capture *capture = view->capture;
    const struct sdsim_pin_facts *facts = capture->facts;
    const uint64_t end = sdsim_pins_end(capture->pins);
    sdsim_json_text(json, "file", capture->path);
    sdsim_json_text(json, "format", facts->format);
    sdsim_json_bool(json, "partial", view->partial);
    if (facts->rate != 0) {
        sdsim_json_count(json, "rate", facts->rate);
    } else {
        sdsim_json_text(json, "rate", NULL);
    }
    sdsim_json_number(json, "tick_ps", (double)facts->tick.num / (double)facts->tick.den);
    sdsim_json_count(json, "ticks", end);
    sdsim_json_seconds(json, "duration", sdsim_capture_time(capture, end));
}

static void write_bus(const struct sdsim_capture *capture, struct sdsim_json *json)
{
    const bool spi = capture->roles.bus == SDSIM_CAPTURE_SPI;
    sdsim_json_text(json, "bus", spi ? "SPI" : "SD");
    if (spi) {
        sdsim_json_count(json, "mode", sdsim_spi_mode(&capture->spi_sampler));
        sdsim_json_text(json, "sampling", sdsim_sampling_name(capture->survey.sampling));
    } else {
        sdsim_json_text(json, "sampling",
                        sdsim_sampling_name((enum sdsim_sampling)capture->sd.sampling));
        sdsim_json_object(json, "frames_by_sampling");
        for (unsigned i = 0; i < SDSIM_SAMPLING_COUNT; i++) {
            sdsim_json_count(json, sdsim_sampling_name((enum sdsim_sampling)i),
                             capture->sd.right_by[i]);
        }
        sdsim_json_end(json);
    }
    sdsim_json_array(json, "channels");
    for (int line = 0; line < SDSIM_LINE_COUNT; line++) {
        const int channel = capture->roles.channel[line];
        if (channel != SDSIM_NO_CHANNEL) {
            sdsim_json_object(json, NULL);
            sdsim_json_text(json, "line", sdsim_line_name((enum sdsim_line)line));
            sdsim_json_text(json, "channel", capture->facts->channels[channel].name);
            sdsim_json_text(json, "by", capture->roles.by_behaviour[line] ? "behaviour" : "name");
            sdsim_json_end(json);
        }
    }
    sdsim_json_end(json);
}

static void write_clock(const struct sdsim_capture *capture, struct sdsim_json *json)
{
    const double rate = sdsim_capture_rate(capture);
    bool undersampled = false;
    sdsim_json_number(json, "clock", sdsim_capture_hertz(capture));
    sdsim_json_array(json, "stretches");
    for (size_t i = 0; i < capture->meter.count; i++) {
        const struct sdsim_clock_stretch *one = &capture->meter.stretches[i];
        const bool under = sdsim_stretch_undersampled(one, capture->survey.quantum);
        const double hertz = sdsim_stretch_hertz(capture, one);
        undersampled = undersampled || under;
        sdsim_json_object(json, NULL);
        sdsim_json_seconds(json, "start", sdsim_capture_time(capture, one->start));
        sdsim_json_seconds(json, "end", sdsim_capture_time(capture, one->end));
        sdsim_json_count(json, "clocks", one->clocks);
        sdsim_json_number(json, "clock", hertz);
        sdsim_json_number(json, "samples_per_clock", hertz > 0 ? rate / hertz : 0);
        sdsim_json_bool(json, "undersampled", under);
        sdsim_json_count(json, "frames_right", one->frames_right);
        sdsim_json_count(json, "frames_wrong", one->frames_wrong);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
    sdsim_json_bool(json, "undersampled", undersampled);
    sdsim_json_number(json, "readable_clock", rate / 4);
}

static void write_sums(struct sdsim_json *json, const char *key, const struct sdsim_item_sums *sums)
{
    sdsim_json_object(json, key);
    sdsim_json_count(json, "right", sums->right);
    sdsim_json_count(json, "checked", sums->checked);
    sdsim_json_end(json);
}

static void write_spread(struct sdsim_json *json, const char *key,
                         const struct sdsim_spread *spread, const struct sdsim_capture *ticks)
{
    sdsim_json_object(json, key);
    sdsim_json_count(json, "count", spread->count);
    if (spread->count > 0) {
        const uint64_t values[] = {spread->least, sdsim_spread_median(spread), spread->greatest};
        static const char *const keys[] = {"least", "median", "greatest"};
        for (unsigned i = 0; i < 3; i++) {
            sdsim_json_seconds(json, keys[i],
                               ticks != NULL ? sdsim_capture_time(ticks, values[i]) : values[i]);
        }
    }
    sdsim_json_end(json);
}

static void write_counts(struct sdsim_json *json, const char *key,
                         const struct sdsim_spread *spread)
{
    sdsim_json_object(json, key);
    sdsim_json_count(json, "count", spread->count);
    sdsim_json_count(json, "least", spread->least);
    sdsim_json_count(json, "median", sdsim_spread_median(spread));
    sdsim_json_count(json, "most_often", sdsim_spread_mode(spread));
    sdsim_json_count(json, "greatest", spread->greatest);
    sdsim_json_end(json);
}

static void write_exchanges(const struct sdsim_summary *summary, unsigned way, const char *key,
                            struct sdsim_json *json)
{
    const sdsim_ps span = sdsim_time_since(summary->last_end[way], summary->first_start[way]);
    sdsim_json_object(json, key);
    sdsim_json_count(json, "exchanges", summary->exchanges[way]);
    sdsim_json_count(json, "bytes", summary->sector_bytes[way]);
    if (summary->exchanges[way] > 0 && span > 0) {
        sdsim_json_seconds(json, "time", span);
        sdsim_json_number(json, "bytes_per_second",
                          (double)summary->sector_bytes[way] * (double)SDSIM_S / (double)span);
        sdsim_json_seconds(
            json, "time_per_sector",
            span / (summary->sector_bytes[way] / 512 > 0 ? summary->sector_bytes[way] / 512 : 1));
    }
    sdsim_json_end(json);
}

static void write_totals(const struct sdsim_capture_view *view, struct sdsim_json *json)
{
    const struct sdsim_summary *summary = view->summary;
    write_sums(json, "crc7", &summary->crc7);
    write_sums(json, "crc7_commands", &summary->crc7_commands);
    write_sums(json, "crc16", &summary->crc16);
    sdsim_json_count(json, "unreadable_frames", view->capture->sd.frames_lost);
    write_counts(json, "n_cr", &summary->n_cr);
    write_counts(json, "n_rc", &summary->n_rc);
    write_spread(json, "n_ac", &summary->n_ac, NULL);
    write_spread(json, "n_ac_next_blocks", &summary->n_ac_next, NULL);
    write_spread(json, "busy_single", &summary->busy_single, NULL);
    write_spread(json, "busy_between", &summary->busy_between, NULL);
    write_spread(json, "busy_stop", &summary->busy_stop, NULL);
    write_spread(json, "cs_high", &summary->cs_high, view->capture);
    sdsim_json_count(json, "ready_polls", summary->ready_polls);
    write_exchanges(summary, 0, "reads", json);
    write_exchanges(summary, 1, "writes", json);
    sdsim_json_object(json, "items");
    for (unsigned kind = 0; kind < SDSIM_ITEM_COUNT; kind++) {
        sdsim_json_count(json, sdsim_item_name((enum sdsim_item_kind)kind), summary->counts[kind]);
    }
    sdsim_json_end(json);
}

static void write_edges(const struct sdsim_capture *capture, struct sdsim_json *json)
{
    const struct sdsim_output_edges *edges = &capture->spi_sampler.edges;
    sdsim_json_object(json, "card_output");
    if (capture->roles.bus == SDSIM_CAPTURE_SPI) {
        sdsim_json_count(json, "changes_behind_sampling_edge", edges->behind_sampling);
        sdsim_json_count(json, "changes_behind_other_edge", edges->behind_other);
        if (edges->hold < SDSIM_NO_TICK) {
            sdsim_json_seconds(json, "hold", sdsim_capture_time(capture, edges->hold));
        }
        if (edges->setup < SDSIM_NO_TICK) {
            sdsim_json_seconds(json, "setup", sdsim_capture_time(capture, edges->setup));
        }
    } else {
        sdsim_json_count(json, "changes_clock_low", capture->sd.edges_low);
        sdsim_json_count(json, "changes_clock_high", capture->sd.edges_high);
    }
    sdsim_json_end(json);
}

static void write_inits(const struct sdsim_summary *summary, struct sdsim_json *json)
{
    sdsim_json_array(json, "initialisations");
    for (size_t i = 0; i < summary->init_count; i++) {
        const struct sdsim_capture_init *init = &summary->inits[i];
        sdsim_json_object(json, NULL);
        sdsim_json_seconds(json, "start", init->start);
        sdsim_json_bool(json, "reset", init->reset);
        sdsim_json_count(json, "polls", init->polls);
        sdsim_json_bool(json, "ready", init->ready);
        if (init->ready) {
            sdsim_json_seconds(json, "time_to_ready",
                               sdsim_time_since(init->ready_at, init->start));
            sdsim_json_seconds(json, "first_poll_to_ready",
                               sdsim_time_since(init->ready_at, init->first_poll));
        }
        if (init->polls > 1) {
            sdsim_json_seconds(json, "poll_pitch",
                               (init->last_poll - init->first_poll) / (init->polls - 1));
        }
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

/* ---- registers ---- */

static void begin_register(struct sdsim_json *json, const char *key, const uint8_t *bytes,
                           size_t size)
{
    sdsim_json_object(json, key);
    hex(json, "hex", bytes, size);
}

/* A field that is a number. */
struct field {
    const char *key; /* NULL: the end of a list */
    uint64_t value;
};

static void write_fields(struct sdsim_json *json, const struct field *fields)
{
    for (; fields->key != NULL; fields++) {
        sdsim_json_count(json, fields->key, fields->value);
    }
}

static void write_csd(const struct sdsim_seen_registers *seen, struct sdsim_json *json)
{
    const struct sdsim_csd_facts csd = sdsim_csd_decode(seen->csd);
    const struct field sizes[] = {{"version", csd.version}, {"capacity", csd.capacity}, {NULL, 0}};
    const struct field rest[] = {
        {"nsac", csd.nsac},
        {"tran_speed", csd.tran_speed},
        {"ccc", csd.ccc},
        {"read_bl_len", csd.read_bl_len},
        {"r2w_factor", csd.r2w_factor},
        {NULL, 0},
    };
    begin_register(json, "csd", seen->csd, sizeof seen->csd);
    write_fields(json, sizes);
    sdsim_json_seconds(json, "taac", csd.taac);
    write_fields(json, rest);
    sdsim_json_end(json);
}

static void write_cid(const struct sdsim_seen_registers *seen, struct sdsim_json *json)
{
    const struct sdsim_cid_facts cid = sdsim_cid_decode(seen->cid);
    char made[24];
    snprintf(made, sizeof made, "%04u-%02u", cid.year, cid.month);
    begin_register(json, "cid", seen->cid, sizeof seen->cid);
    sdsim_json_count(json, "maker", cid.maker);
    sdsim_json_text(json, "oem", cid.oem);
    sdsim_json_text(json, "product", cid.product);
    sdsim_json_count(json, "revision", cid.revision);
    sdsim_json_count(json, "serial", cid.serial);
    sdsim_json_text(json, "made", made);
    sdsim_json_end(json);
}

static void write_scr(const struct sdsim_seen_registers *seen, struct sdsim_json *json)
{
    const struct sdsim_scr_facts scr = sdsim_scr_decode(seen->scr);
    begin_register(json, "scr", seen->scr, sizeof seen->scr);
    sdsim_json_text(json, "version", scr.version);
    sdsim_json_bool(json, "four_lines", scr.four_lines);
    sdsim_json_bool(json, "cmd20", scr.cmd20);
    sdsim_json_bool(json, "cmd23", scr.cmd23);
    sdsim_json_end(json);
}

static void write_status(const struct sdsim_seen_registers *seen, struct sdsim_json *json)
{
    const struct sdsim_status_facts status = sdsim_sd_status_decode(seen->status);
    const struct field fields[] = {
        {"bus_width", status.bus_width},
        {"speed_class", status.speed_class},
        {"au", status.au},
        {"erase_aus", status.erase_aus},
        {"erase_seconds", status.erase_seconds},
        {"erase_offset", status.erase_offset},
        {"uhs_grade", status.uhs_grade},
        {"video_class", status.video_class},
        {"app_class", status.app_class},
        {NULL, 0},
    };
    begin_register(json, "sd_status", seen->status, sizeof seen->status);
    write_fields(json, fields);
    sdsim_json_end(json);
}

/* "registers": what CSD, CID, SCR, SD status, switch status and OCR say. */
static void write_registers(const struct sdsim_seen_registers *seen, struct sdsim_json *json)
{
    sdsim_json_object(json, "registers");
    if (seen->has_csd) {
        write_csd(seen, json);
    }
    if (seen->has_cid) {
        write_cid(seen, json);
    }
    if (seen->has_scr) {
        write_scr(seen, json);
    }
    if (seen->has_status) {
        write_status(seen, json);
    }
    if (seen->has_switch) {
        hex(json, "switch_status", seen->switched, sizeof seen->switched);
    }
    if (seen->has_ocr) {
        hex_number(json, "ocr", seen->ocr, 8);
    }
    sdsim_json_end(json);
}

/* ---- commands ---- */

static void write_data(const struct sdsim_capture_view *view, const struct sdsim_capture_row *row,
                       struct sdsim_json *json)
{
    const bool spi = view->summary->spi;
    sdsim_json_object(json, row->writes ? "write" : "read");
    sdsim_json_count(json, "blocks", row->blocks);
    sdsim_json_count(json, "bytes", row->bytes);
    sdsim_json_count(json, "crc_right", row->blocks_right);
    sdsim_json_count(json, "crc_wrong", row->blocks_wrong);
    sdsim_json_text(json, "crc", crc_name(row->block_crc));
    if (row->block_crc == SDSIM_ITEM_CRC_RIGHT) {
        hex_number(json, "crc16", row->crc16, 4);
    }
    sdsim_json_count(json, row->writes ? "n_wr" : "n_ac", row->wait);
    sdsim_json_seconds(json, row->writes ? "n_wr_time" : "n_ac_time", row->wait_time);
    if (spi) {
        sdsim_json_seconds(json, "token_to_data", row->token_to_data);
    } else {
        sdsim_json_count(json, "width", row->width);
        if (!row->writes) {
            sdsim_json_count(json, "n_ac_from_response", row->wait_response);
            sdsim_json_seconds(json, "n_ac_from_response_time", row->wait_response_time);
        }
    }
    sdsim_json_seconds(json, "data_time", row->data_time);
    sdsim_json_end(json);
}

static void write_answer(const struct sdsim_capture_view *view, const struct sdsim_capture_row *row,
                         struct sdsim_json *json)
{
    const bool spi = view->summary->spi;
    char text[SDSIM_WORDS];
    if (row->answer == SDSIM_ROW_ANSWERED) {
        hex(json, "response", row->response, row->response_size);
        sdsim_json_text(json, "response_crc", crc_name(row->response_crc));
        sdsim_json_count(json, "n_cr", row->n_cr);
        sdsim_json_seconds(json, "n_cr_time", row->n_cr_time);
    } else {
        sdsim_json_text(json, "response", NULL);
    }
    sdsim_json_text(json, "answer", sdsim_words_response(row, spi, text, sizeof text));
}

static void write_row(const struct sdsim_capture_view *view, const struct sdsim_capture_row *row,
                      struct sdsim_json *json)
{
    const bool spi = view->summary->spi;
    char text[SDSIM_WORDS];
    sdsim_json_object(json, NULL);
    sdsim_json_seconds(json, "time", row->start);
    sdsim_json_count(json, "tick", row->at);
    sdsim_json_text(json, "command", sdsim_words_name(row->index, row->app, text, sizeof text));
    sdsim_json_text(json, "title", sdsim_words_title(row->index, row->app));
    hex_number(json, "argument", row->argument, 8);
    sdsim_json_text(json, "meaning", sdsim_words_argument(row, text, sizeof text));
    sdsim_json_text(json, "crc", crc_name(row->crc));
    sdsim_json_count(json, "gap", row->gap);
    sdsim_json_seconds(json, "gap_time", row->gap_time);
    if (row->first_in_frame) {
        sdsim_json_seconds(json, "cs_to_clock", row->cs_to_clock);
    }
    write_answer(view, row, json);
    if (row->blocks > 0) {
        write_data(view, row, json);
    }
    if (row->has_data_response) {
        hex_number(json, "data_response", row->data_response, 2);
        sdsim_json_count(json, "data_response_gap", row->data_response_gap);
        sdsim_json_text(json, "data_answer", sdsim_words_data_response(row->data_response, spi));
    }
    if (row->error_token != 0) {
        sdsim_json_count(json, "error_token", row->error_token);
    }
    if (row->busies > 0) {
        sdsim_json_seconds(json, "busy", row->busy);
        sdsim_json_count(json, "busy_count", row->busy_count);
        sdsim_json_bool(json, "busy_open", row->busy_open);
    }
    if (row->pitch_count > 0) {
        const struct sdsim_capture *capture = view->capture;
        sdsim_json_object(json, "byte_pitch");
        sdsim_json_seconds(json, "least", sdsim_capture_time(capture, row->pitch_least));
        sdsim_json_seconds(json, "median", sdsim_capture_time(capture, row->pitch_median));
        sdsim_json_seconds(json, "greatest", sdsim_capture_time(capture, row->pitch_greatest));
        sdsim_json_end(json);
    }
    sdsim_json_seconds(json, "duration", sdsim_time_since(row->end, row->start));
    sdsim_json_end(json);
}

void sdsim_capture_json(const struct sdsim_capture_view *view, FILE *out)
{
    struct sdsim_json json;
    const struct sdsim_summary *summary = view->summary;
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    write_source(view, &json);
    write_bus(view->capture, &json);
    write_clock(view->capture, &json);
    write_totals(view, &json);
    write_edges(view->capture, &json);
    write_inits(summary, &json);
    write_registers(&summary->seen, &json);
    sdsim_json_array(&json, "commands");
    for (size_t i = 0; i < summary->row_count; i++) {
        write_row(view, &summary->rows[i], &json);
    }
    sdsim_json_end(&json);
    sdsim_json_count(&json, "commands_left_out", summary->commands - summary->row_count);
    sdsim_json_array(&json, "findings");
    for (size_t i = 0; i < view->findings->count; i++) {
        sdsim_json_object(&json, NULL);
        sdsim_json_text(&json, "severity", sdsim_severity_name(view->findings->list[i].severity));
        sdsim_json_text(&json, "text", view->findings->list[i].text);
        sdsim_json_end(&json);
    }
    sdsim_json_end(&json);
    sdsim_json_end(&json);
}

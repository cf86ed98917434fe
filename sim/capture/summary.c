#include "capture/summary.h"

#include <stdlib.h>
#include <string.h>

#include "capture/summary_parts.h"
#include "core/crc.h"

static const enum sdsim_item_kind no_row[] = {SDSIM_ITEM_SELECT, SDSIM_ITEM_DESELECT,
                                              SDSIM_ITEM_IDLE_CLOCKS};

static bool is_sector(uint8_t index, bool app)
{
    return !app && (index == 17 || index == 18 || index == 24 || index == 25);
}

/* A place for the next row. Where no more are kept, one that is used again and again. */
static struct sdsim_capture_row *new_row(struct sdsim_summary *summary)
{
    if (summary->row_count == SDSIM_SUMMARY_ROWS || summary->failed) {
        return &summary->extra;
    }
    if (summary->row_count == summary->row_capacity) {
        const size_t capacity = summary->row_capacity > 0 ? 2 * summary->row_capacity : 256;
        struct sdsim_capture_row *rows = realloc(summary->rows, capacity * sizeof *rows);
        if (rows == NULL) {
            summary->failed = true;
            return &summary->extra;
        }
        summary->rows = rows;
        summary->row_capacity = capacity;
    }
    return &summary->rows[summary->row_count++];
}

/* The row at work is complete. */
static void close_row(struct sdsim_summary *summary)
{
    struct sdsim_capture_row *row = summary->row;
    if (row == NULL) {
        return;
    }
    row->pitch_count = summary->pitch.count;
    row->pitch_least = summary->pitch.least;
    row->pitch_greatest = summary->pitch.greatest;
    row->pitch_median = sdsim_spread_median(&summary->pitch);
    if (is_sector(row->index, row->app) && row->bytes > 0 && !row->cut) {
        const unsigned way = row->writes;
        summary->sector_bytes[way] += row->bytes;
        if (summary->exchanges[way]++ == 0) {
            summary->first_start[way] = row->start;
        }
        summary->last_end[way] = row->end;
    }
    summary->row = NULL;
}

static void take_command(struct sdsim_summary *summary, const struct sdsim_item *item)
{
    if (summary->row != NULL && summary->row->answer == SDSIM_ROW_ANSWERED) {
        sdsim_spread_add(&summary->n_rc, item->gap);
    }
    close_row(summary);
    struct sdsim_capture_row *row = new_row(summary);
    *row = (struct sdsim_capture_row){
        .start = item->start,
        .end = item->end,
        .at = item->at,
        .argument = item->argument,
        .index = item->index,
        .app = item->app,
        .crc = (uint8_t)item->crc,
        .deselected = item->deselected,
        .gap = item->gap,
        .gap_time = item->gap_time,
    };
    if (summary->spi && summary->frame_fresh) {
        row->first_in_frame = true;
        row->cs_to_clock = sdsim_time_since(summary->first_clock, summary->select_time);
    }
    summary->frame_fresh = false;
    summary->row = row;
    summary->commands++;
    sdsim_summary_pitch_from(summary, item->at);
    sdsim_summary_init_command(summary, item);
}

static void take_response(struct sdsim_summary *summary, const struct sdsim_item *item)
{
    struct sdsim_capture_row *row = summary->row;
    sdsim_summary_init_response(summary, item);
    summary->response_end = item->end;
    if (row == NULL || row->answer != SDSIM_ROW_WAITING) {
        return;
    }
    row->answer = SDSIM_ROW_ANSWERED;
    row->n_cr = item->gap;
    row->n_cr_time = item->gap_time;
    row->response_crc = (uint8_t)item->crc;
    row->response_size =
        (uint8_t)(item->size < SDSIM_SUMMARY_RESPONSE ? item->size : SDSIM_SUMMARY_RESPONSE);
    if (item->bytes != NULL) {
        memcpy(row->response, item->bytes, row->response_size);
    }
    row->end = item->end;
    sdsim_spread_add(&summary->n_cr, item->gap);
    sdsim_summary_register_response(summary, item);
}

static void take_first_block(struct sdsim_summary *summary, struct sdsim_capture_row *row,
                             const struct sdsim_item *item)
{
    row->wait = item->gap;
    row->wait_time = item->gap_time;
    row->token = item->token;
    row->block_crc = (uint8_t)item->crc;
    row->data_time = sdsim_time_since(item->data_end, item->data_start);
    if (item->crc == SDSIM_ITEM_CRC_RIGHT && item->bytes != NULL) {
        row->crc16 = sdsim_crc16(item->bytes, item->size);
    }
    if (summary->spi) {
        row->token_to_data = sdsim_summary_token_gap(summary, item);
    } else if (!row->writes && row->answer == SDSIM_ROW_ANSWERED) {
        /* the response lies within the N_AC of the specification, which counts from the command */
        const uint32_t before = row->n_cr + 8u * row->response_size;
        row->wait_response = item->gap > before ? item->gap - before : 0;
        row->wait_response_time = sdsim_time_since(item->start, summary->response_end);
    }
}

static void take_block(struct sdsim_summary *summary, const struct sdsim_item *item)
{
    struct sdsim_capture_row *row = summary->row;
    if (row == NULL) {
        return;
    }
    if (item->open && row->blocks > 0) {
        return; /* what came of a block nobody wanted, until CMD12 */
    }
    row->writes = item->kind == SDSIM_ITEM_WRITE_BLOCK;
    row->cut = item->open;
    if (row->blocks == 0) {
        take_first_block(summary, row, item);
    }
    if (!row->writes && is_sector(row->index, row->app)) {
        sdsim_spread_add(row->blocks == 0 ? &summary->n_ac : &summary->n_ac_next, item->gap_time);
    }
    row->blocks++;
    row->bytes += item->size;
    row->blocks_right += item->crc == SDSIM_ITEM_CRC_RIGHT;
    row->blocks_wrong += item->crc == SDSIM_ITEM_CRC_WRONG;
    row->width = (uint8_t)item->count;
    row->end = item->end > row->end ? item->end : row->end;
    sdsim_summary_register_block(summary, item);
}

static void take_busy(struct sdsim_summary *summary, const struct sdsim_item *item)
{
    struct sdsim_capture_row *row = summary->row;
    const sdsim_ps busy = sdsim_time_since(item->end, item->start) + item->gap_time;
    if (row == NULL) {
        return;
    }
    if (!summary->spi && row->writes && item->index == row->index && row->index != 12) {
        sdsim_spread_add(&summary->n_br, item->gap);
    }
    row->busies++;
    row->busy_open = row->busy_open || item->open;
    row->end = item->end > row->end ? item->end : row->end;
    if (busy > row->busy) {
        row->busy = busy;
        row->busy_count = item->count;
    }
    if (item->open) {
        return;
    }
    if (row->index == 24 && !row->app) {
        sdsim_spread_add(&summary->busy_single, busy);
    } else if (row->index == 12 || summary->stopped) {
        sdsim_spread_add(&summary->busy_stop, busy);
    } else if (row->index == 25) {
        sdsim_spread_add(&summary->busy_between, busy);
    }
}

static void count_check(struct sdsim_item_sums *sums, enum sdsim_item_crc crc)
{
    sums->right += crc == SDSIM_ITEM_CRC_RIGHT;
    sums->checked += crc != SDSIM_ITEM_CRC_NONE && crc != SDSIM_ITEM_CRC_MISSING;
}

static void take_checks(struct sdsim_summary *summary, const struct sdsim_item *item)
{
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        count_check(&summary->crc7, item->crc);
        count_check(&summary->crc7_commands, item->crc);
        break;
    case SDSIM_ITEM_RESPONSE:
        count_check(&summary->crc7, item->crc);
        break;
    case SDSIM_ITEM_READ_BLOCK:
    case SDSIM_ITEM_WRITE_BLOCK:
        count_check(&summary->crc16, item->crc);
        break;
    default:
        break;
    }
}

static void take_row_item(struct sdsim_summary *summary, const struct sdsim_item *item)
{
    struct sdsim_capture_row *row = summary->row;
    switch (item->kind) {
    case SDSIM_ITEM_NO_RESPONSE:
        row->answer = SDSIM_ROW_SILENT;
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        row->has_data_response = true;
        row->data_response = item->token;
        row->data_response_gap = item->gap;
        break;
    case SDSIM_ITEM_ERROR_TOKEN:
        row->error_token = item->token;
        break;
    case SDSIM_ITEM_NO_DATA:
        row->no_data = true;
        break;
    default:
        break;
    }
    if (item->end > row->end && item->kind != SDSIM_ITEM_CUT) {
        row->end = item->end;
    }
}

static bool belongs_to_row(enum sdsim_item_kind kind)
{
    for (size_t i = 0; i < sizeof no_row / sizeof no_row[0]; i++) {
        if (kind == no_row[i]) {
            return false;
        }
    }
    return true;
}

static void take_item(struct sdsim_item_listener *listener, const struct sdsim_item *item)
{
    struct sdsim_summary *summary = (struct sdsim_summary *)listener;
    summary->counts[item->kind]++;
    summary->frame_meant = summary->frame_meant || belongs_to_row(item->kind);
    take_checks(summary, item);
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        summary->stopped = false;
        take_command(summary, item);
        break;
    case SDSIM_ITEM_RESPONSE:
        take_response(summary, item);
        break;
    case SDSIM_ITEM_READ_BLOCK:
    case SDSIM_ITEM_WRITE_BLOCK:
        take_block(summary, item);
        break;
    case SDSIM_ITEM_BUSY:
        take_busy(summary, item);
        break;
    default:
        summary->stopped = summary->stopped || item->kind == SDSIM_ITEM_STOP_TOKEN;
        if (summary->row != NULL && belongs_to_row(item->kind)) {
            take_row_item(summary, item);
        }
        break;
    }
}

struct sdsim_summary *sdsim_summary_new(bool spi)
{
    struct sdsim_summary *summary = calloc(1, sizeof *summary);
    if (summary != NULL) {
        summary->spi = spi;
        summary->items = (struct sdsim_item_listener){take_item};
        summary->bytes = sdsim_summary_bytes();
    }
    return summary;
}

void sdsim_summary_free(struct sdsim_summary *summary)
{
    if (summary != NULL) {
        free(summary->rows);
        free(summary);
    }
}

void sdsim_summary_end(struct sdsim_summary *summary)
{
    close_row(summary);
}

#include <string.h>

#include "capture/summary_parts.h"
#include "card/registers.h"

enum {
    R1_IDLE = 1,
    REGISTER_BYTES = 16,
    STATUS_BYTES = 64,
    SCR_BYTES = 8,
};

static struct sdsim_capture_init *open_init(struct sdsim_summary *summary)
{
    if (summary->init_count == 0) {
        return NULL;
    }
    struct sdsim_capture_init *init = &summary->inits[summary->init_count - 1];
    return init->ready ? NULL : init;
}

static struct sdsim_capture_init *begin_init(struct sdsim_summary *summary,
                                             const struct sdsim_item *item, bool reset)
{
    struct sdsim_capture_init *init = open_init(summary);
    /* A reset that was repeated before anything was asked is the same initialisation. */
    if (init == NULL || init->polls > 0 || !init->reset) {
        if (summary->init_count == SDSIM_SUMMARY_INITS) {
            return NULL;
        }
        init = &summary->inits[summary->init_count++];
    }
    *init = (struct sdsim_capture_init){.start = item->start, .at = item->at, .reset = reset};
    return init;
}

static bool is_poll(const struct sdsim_item *item)
{
    return item->index == (item->app ? 41 : 1);
}

void sdsim_summary_init_command(struct sdsim_summary *summary, const struct sdsim_item *item)
{
    if (item->deselected) {
        return;
    }
    if (item->index == 0 && !item->app) {
        begin_init(summary, item, true);
        return;
    }
    if (!is_poll(item)) {
        return;
    }
    struct sdsim_capture_init *init = open_init(summary);
    if (init == NULL) {
        init = begin_init(summary, item, false);
        if (init == NULL) {
            return;
        }
    }
    if (init->polls++ == 0) {
        init->first_poll = item->start;
    }
    init->last_poll = item->start;
}

static uint32_t word_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void sdsim_summary_init_response(struct sdsim_summary *summary, const struct sdsim_item *item)
{
    struct sdsim_capture_init *init = open_init(summary);
    if (init == NULL || !is_poll(item) || item->size == 0) {
        return;
    }
    if (summary->spi) {
        init->ready = (item->bytes[0] & ~R1_IDLE) == 0 && (item->bytes[0] & R1_IDLE) == 0;
    } else if (item->size >= 5) {
        init->ocr = word_of(item->bytes + 1);
        init->ready = (init->ocr & SDSIM_OCR_READY) != 0;
    }
    init->ready_at = init->ready ? item->start : 0;
}

void sdsim_summary_register_response(struct sdsim_summary *summary, const struct sdsim_item *item)
{
    struct sdsim_seen_registers *seen = &summary->seen;
    if (!summary->spi && item->size == REGISTER_BYTES + 1 && item->crc == SDSIM_ITEM_CRC_RIGHT) {
        const bool csd = item->index == 9;
        memcpy(csd ? seen->csd : seen->cid, item->bytes + 1, REGISTER_BYTES);
        seen->has_csd = seen->has_csd || csd;
        seen->has_cid = seen->has_cid || !csd;
    } else if (!summary->spi && item->index == 41 && item->app && item->size >= 5) {
        seen->has_ocr = true;
        seen->ocr = word_of(item->bytes + 1);
    } else if (summary->spi && item->index == 58 && !item->app && item->size == 5) {
        seen->has_ocr = true;
        seen->ocr = word_of(item->bytes + 1);
    }
}

/* A register that comes as a block, if it came whole. */
static void take(const struct sdsim_item *item, uint8_t *out, size_t size, bool *has)
{
    if (item->size == size && item->crc != SDSIM_ITEM_CRC_WRONG && item->bytes != NULL) {
        memcpy(out, item->bytes, size);
        *has = true;
    }
}

void sdsim_summary_register_block(struct sdsim_summary *summary, const struct sdsim_item *item)
{
    struct sdsim_seen_registers *seen = &summary->seen;
    if (item->kind != SDSIM_ITEM_READ_BLOCK) {
        return;
    }
    if (item->app && item->index == 51) {
        take(item, seen->scr, SCR_BYTES, &seen->has_scr);
    } else if (item->app && item->index == 13) {
        take(item, seen->status, STATUS_BYTES, &seen->has_status);
    } else if (!item->app && item->index == 6) {
        take(item, seen->switched, STATUS_BYTES, &seen->has_switch);
    } else if (!item->app && item->index == 9) {
        take(item, seen->csd, REGISTER_BYTES, &seen->has_csd);
    } else if (!item->app && item->index == 10) {
        take(item, seen->cid, REGISTER_BYTES, &seen->has_cid);
    }
}

#include "capture/summary_parts.h"

static struct sdsim_summary *summary_of(struct sdsim_spi_listener *listener)
{
    return (struct sdsim_summary *)((char *)listener - offsetof(struct sdsim_summary, bytes));
}

/* The byte `back` bytes ago; 0 is the newest. */
static size_t slot(const struct sdsim_summary *summary, uint64_t back)
{
    return (size_t)((summary->byte_count - 1 - back) % SDSIM_SUMMARY_BYTES);
}

/* The byte in front of which others of the frame still count comes before its items: the command that
 * ends a row ends it before its last byte, and the first pitches of the next are made up for. */
static void take_byte(struct sdsim_spi_listener *listener, const struct sdsim_spi_byte *byte)
{
    struct sdsim_summary *summary = summary_of(listener);
    if (byte->selected) {
        if (summary->frame_bytes++ == 0) {
            summary->first_clock = byte->start;
        }
        if (summary->has_last && summary->row != NULL) {
            sdsim_spread_add(&summary->pitch, byte->at - summary->last_at);
            summary->row->end = byte->end;
        }
        summary->last_at = byte->at;
        summary->has_last = true;
    }
    summary->byte_count++;
    summary->ring[slot(summary, 0)].start = byte->start;
    summary->ring[slot(summary, 0)].end = byte->end;
    summary->ring[slot(summary, 0)].at = byte->at;
}

static void take_select(struct sdsim_spi_listener *listener, bool low, sdsim_ps at, uint64_t place)
{
    struct sdsim_summary *summary = summary_of(listener);
    if (summary->selected && !low) {
        summary->ready_polls += !summary->frame_meant && summary->frame_bytes > 0;
        summary->deselect_at = place;
        summary->deselected_once = true;
    } else if (!summary->selected && low && summary->deselected_once) {
        sdsim_spread_add(&summary->cs_high, place - summary->deselect_at);
    }
    summary->selected = low;
    if (low) {
        summary->select_time = at;
        summary->frame_fresh = true;
        summary->frame_bytes = 0;
        summary->frame_meant = false;
    }
    summary->has_last = false;
}

static void take_clocks(struct sdsim_spi_listener *listener, unsigned count, sdsim_ps start,
                        sdsim_ps end, uint64_t place)
{
    (void)listener;
    (void)count;
    (void)start;
    (void)end;
    (void)place;
}

struct sdsim_spi_listener sdsim_summary_bytes(void)
{
    return (struct sdsim_spi_listener){take_byte, take_select, take_clocks};
}

void sdsim_summary_pitch_from(struct sdsim_summary *summary, uint64_t at)
{
    sdsim_spread_clear(&summary->pitch);
    if (!summary->spi) {
        return;
    }
    for (uint64_t back = 0; back < 6 && back + 1 < summary->byte_count; back++) {
        const uint64_t here = summary->ring[slot(summary, back)].at;
        if (here <= at) {
            break;
        }
        sdsim_spread_add(&summary->pitch, here - summary->ring[slot(summary, back + 1)].at);
    }
}

sdsim_ps sdsim_summary_token_gap(const struct sdsim_summary *summary,
                                 const struct sdsim_item *block)
{
    const uint64_t known =
        summary->byte_count < SDSIM_SUMMARY_BYTES ? summary->byte_count : SDSIM_SUMMARY_BYTES;
    for (uint64_t back = 0; back < known; back++) {
        if (summary->ring[slot(summary, back)].start == block->start) {
            return sdsim_time_since(block->data_start, summary->ring[slot(summary, back)].end);
        }
    }
    return 0;
}

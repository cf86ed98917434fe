#include "capture/spi_decoder.h"

#include "capture/spi_decoder_parts.h"

void sdsim_spi_decoder_init(struct sdsim_spi_decoder *d, struct sdsim_item_listener *listener,
                            bool timed)
{
    *d = (struct sdsim_spi_decoder){
        .listener = listener,
        .timed = timed,
        .lost = true,
        .block_length = 512,
        .mosi = SDSIM_SPI_HIGH,
        .miso = SDSIM_SPI_HIGH,
    };
}

/* ---- CS ---- */

static void tell_edge(struct sdsim_spi_decoder *d, enum sdsim_item_kind kind, sdsim_ps at,
                      uint64_t place)
{
    sdsim_spi_tell(d, &(struct sdsim_item){
                          .kind = kind,
                          .start = at,
                          .end = at,
                          .at = place,
                          .gap = d->quiet,
                          .gap_time = sdsim_time_since(at, d->quiet_end),
                      });
}

static void go_low(struct sdsim_spi_decoder *d, sdsim_ps at, uint64_t place)
{
    d->frame.count = 0;
    sdsim_spi_tell_idle(d);
    d->quiet = 0;
    d->quiet_end = at;
    tell_edge(d, SDSIM_ITEM_SELECT, at, place);
    d->selected = true;
    d->certain = true;
    d->mosi = d->miso = SDSIM_SPI_HIGH;
    d->due = d->transfer.reads ? SDSIM_SPI_DUE_TOKEN : SDSIM_SPI_DUE_NOTHING;
}

/* A block of the host that is given up. One that was only guessed at leaves no trace. */
static void cut_sending(struct sdsim_spi_decoder *d)
{
    if (!d->block.guess) {
        sdsim_spi_tell_block(d, SDSIM_ITEM_CRC_MISSING, true);
    }
    d->transfer.writes = d->transfer.multiple && (!d->block.guess || d->transfer.block > 0);
    d->block.guess = false;
    d->sending = false;
}

/* CS goes high, or the record ends while it is low: nothing that is under way goes on. */
static void end_frame(struct sdsim_spi_decoder *d, bool over)
{
    sdsim_spi_drop_frame(d);
    if (d->sending) {
        cut_sending(d);
    }
    sdsim_spi_give_up(d, over);
    sdsim_spi_tell_busy(d, d->last_end, true);
    sdsim_spi_tell_strays(d);
}

static void go_high(struct sdsim_spi_decoder *d, sdsim_ps at, uint64_t place)
{
    end_frame(d, false);
    tell_edge(d, SDSIM_ITEM_DESELECT, at, place);
    d->selected = false;
    d->idle = (struct sdsim_spi_idle){.clocks = 0};
}

void sdsim_spi_decoder_select(struct sdsim_spi_decoder *d, bool low, sdsim_ps at, uint64_t place)
{
    if (d->begun && d->selected == low) {
        return;
    }
    const bool first = !d->begun;
    d->begun = true;
    if (low) {
        go_low(d, at, place);
    } else if (!first) { /* else it only says how CS stands */
        go_high(d, at, place);
    }
}

/* ---- clocks with CS high ---- */

static void add_idle(struct sdsim_spi_decoder *d, unsigned clocks, sdsim_ps start, sdsim_ps end,
                     uint64_t place)
{
    if (d->idle.clocks == 0) {
        d->idle.start = start;
        d->idle.at = place;
    }
    d->idle.clocks += clocks;
    d->idle.end = end;
}

/* A command that no card sees, if nothing but FF came before it: else it is likely for another
 * device, and looks like one by chance. */
static void look_for_unseen_command(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    if (d->frame.count == 0) {
        if (!sdsim_spi_frame_starts(b->mosi) || d->idle.odd_host > 0) {
            return;
        }
        d->idle_before = d->idle;
    }
    d->frame.bytes[d->frame.count++] = *b;
}

static void take_idle(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    look_for_unseen_command(d, b);
    if (d->frame.count == 6) {
        d->frame.count = 0;
        if (sdsim_spi_frame_crc(&d->frame) == SDSIM_ITEM_CRC_RIGHT) {
            d->idle = d->idle_before;
            sdsim_spi_tell_idle(d);
            sdsim_spi_tell_command(d, true);
            return;
        }
    }
    add_idle(d, 8, b->start, b->end, b->at);
    d->idle.odd_host += b->mosi != SDSIM_SPI_HIGH;
    d->idle.odd_card += b->miso != SDSIM_SPI_HIGH;
    if (d->idle.kept < SDSIM_SPI_STRAY_KEPT) {
        d->idle.bytes[d->idle.kept++] = b->mosi;
    }
}

/* ---- bytes ---- */

void sdsim_spi_decoder_byte(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b)
{
    if (!d->begun) {
        d->begun = true;
        d->selected = b->selected;
        d->quiet_end = b->start;
    } else if (d->selected != b->selected) {
        sdsim_spi_decoder_select(d, b->selected, b->start, b->at);
    }
    d->last_end = b->end;
    d->last_at = b->at;
    if (!b->selected) {
        take_idle(d, b);
        return;
    }
    d->meant = false;
    d->host_quiet = d->quiet;
    d->host_quiet_end = d->quiet_end;
    sdsim_spi_take_card(d, b);
    sdsim_spi_take_host(d, b);
    d->mosi = b->mosi;
    d->miso = b->miso;
    d->quiet += !d->meant;
}

void sdsim_spi_decoder_clocks(struct sdsim_spi_decoder *d, unsigned count, sdsim_ps start,
                              sdsim_ps end, uint64_t place)
{
    if (!d->begun || !d->selected) {
        add_idle(d, count, start, end, place);
        return;
    }
    sdsim_spi_tell(d, &(struct sdsim_item){
                          .kind = SDSIM_ITEM_TORN,
                          .start = start,
                          .end = end,
                          .at = place,
                          .index = d->asked.index,
                          .count = count,
                      });
}

/* Whether something has begun that the record does not show to its end. */
static bool is_unfinished(const struct sdsim_spi_decoder *d)
{
    return d->frame.count > 0 || d->sending || d->due == SDSIM_SPI_DUE_STUFF ||
           d->due == SDSIM_SPI_DUE_RESPONSE || d->due == SDSIM_SPI_DUE_BLOCK;
}

void sdsim_spi_decoder_end(struct sdsim_spi_decoder *d)
{
    if (!d->begun || !d->selected) {
        sdsim_spi_tell_idle(d);
        return;
    }
    const bool unfinished = is_unfinished(d);
    const uint8_t index =
        d->sending || d->due == SDSIM_SPI_DUE_BLOCK ? d->transfer.index : d->asked.index;
    end_frame(d, true);
    if (unfinished) {
        sdsim_spi_tell(d, &(struct sdsim_item){
                              .kind = SDSIM_ITEM_CUT,
                              .start = d->last_end,
                              .end = d->last_end,
                              .at = d->last_at,
                              .index = index,
                          });
    }
}

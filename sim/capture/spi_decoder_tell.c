#include "capture/spi_decoder_parts.h"

#include <string.h>

void sdsim_spi_tell(struct sdsim_spi_decoder *d, struct sdsim_item *item)
{
    item->timed = d->timed;
    if (!d->timed) {
        item->start = item->end = item->gap_time = item->data_start = item->data_end = 0;
    }
    d->listener->item(d->listener, item);
}

void sdsim_spi_tell_command(struct sdsim_spi_decoder *d, bool deselected)
{
    const struct sdsim_spi_collected *frame = &d->frame;
    uint8_t bytes[6];
    for (unsigned i = 0; i < 6; i++) {
        bytes[i] = frame->bytes[i].mosi;
    }
    sdsim_spi_tell(d, &(struct sdsim_item){
                          .kind = SDSIM_ITEM_COMMAND,
                          .start = frame->bytes[0].start,
                          .end = frame->bytes[5].end,
                          .at = frame->bytes[0].at,
                          .index = bytes[0] & 63,
                          .app = !deselected && d->asked.app,
                          .argument = (uint32_t)bytes[1] << 24 | (uint32_t)bytes[2] << 16 |
                                      (uint32_t)bytes[3] << 8 | bytes[4],
                          .crc = sdsim_spi_frame_crc(frame),
                          .gap = deselected ? 0 : frame->gap,
                          .gap_time = deselected ? 0 : frame->gap_time,
                          .busy = !deselected && frame->busy,
                          .deselected = deselected,
                          .bytes = bytes,
                          .size = sizeof bytes,
                      });
}

void sdsim_spi_tell_response(struct sdsim_spi_decoder *d)
{
    const struct sdsim_spi_asked *asked = &d->asked;
    const sdsim_ps from = asked->stuff.end > asked->end ? asked->stuff.end : asked->end;
    sdsim_spi_tell(d, &(struct sdsim_item){
                          .kind = SDSIM_ITEM_RESPONSE,
                          .start = asked->first.start,
                          .end = asked->last_end,
                          .at = asked->first.at,
                          .index = asked->index,
                          .app = asked->app,
                          .gap = asked->gap,
                          .gap_time = sdsim_time_since(asked->first.start, from),
                          .open = asked->count < asked->size,
                          .bytes = asked->response,
                          .size = asked->count,
                      });
}

void sdsim_spi_tell_no_response(struct sdsim_spi_decoder *d, bool over)
{
    const struct sdsim_spi_asked *asked = &d->asked;
    sdsim_spi_tell(d, &(struct sdsim_item){
                          .kind = SDSIM_ITEM_NO_RESPONSE,
                          .start = asked->end,
                          .end = d->last_end,
                          .at = d->last_at,
                          .index = asked->index,
                          .app = asked->app,
                          .gap = asked->looked,
                          .gap_time = sdsim_time_since(d->last_end, asked->end),
                          .open = over,
                      });
}

void sdsim_spi_tell_no_data(struct sdsim_spi_decoder *d, bool over)
{
    sdsim_spi_tell(d, &(struct sdsim_item){
                          .kind = SDSIM_ITEM_NO_DATA,
                          .start = d->quiet_end,
                          .end = d->last_end,
                          .at = d->last_at,
                          .index = d->transfer.index,
                          .app = d->transfer.app,
                          .gap = d->quiet,
                          .gap_time = sdsim_time_since(d->last_end, d->quiet_end),
                          .open = over,
                      });
}

void sdsim_spi_tell_block(struct sdsim_spi_decoder *d, enum sdsim_item_crc crc, bool open)
{
    const struct sdsim_spi_block *block = &d->block;
    sdsim_spi_tell(d, &(struct sdsim_item){
                          .kind = block->from_host ? SDSIM_ITEM_WRITE_BLOCK : SDSIM_ITEM_READ_BLOCK,
                          .start = block->token.start,
                          .end = block->end,
                          .at = block->token.at,
                          .index = d->transfer.index,
                          .app = d->transfer.app,
                          .crc = crc,
                          .gap = block->gap,
                          .gap_time = block->gap_time,
                          .token = block->from_host ? block->token.mosi : block->token.miso,
                          .open = open,
                          .busy = block->busy,
                          .data_start = block->data_start,
                          .data_end = block->data_end,
                          .block = d->transfer.block,
                          .bytes = block->bytes,
                          .size = block->count < block->size ? block->count : block->size,
                      });
    d->transfer.block++;
}

void sdsim_spi_tell_token(struct sdsim_spi_decoder *d, enum sdsim_item_kind kind,
                          const struct sdsim_spi_byte *b, uint8_t token)
{
    sdsim_spi_tell(d, &(struct sdsim_item){
                          .kind = kind,
                          .start = b->start,
                          .end = b->end,
                          .at = b->at,
                          .index = d->transfer.index,
                          .app = d->transfer.app,
                          .gap = d->quiet,
                          .gap_time = sdsim_time_since(b->start, d->quiet_end),
                          .busy = d->busy.count > 0,
                          .token = token,
                      });
    sdsim_spi_mean(d, b->end);
}

void sdsim_spi_tell_busy(struct sdsim_spi_decoder *d, sdsim_ps end, bool open)
{
    struct sdsim_spi_busy *busy = &d->busy;
    if (busy->count == 0) {
        return;
    }
    if (busy->count == 1 && busy->first != SDSIM_SPI_BUSY && !open) {
        /* a lone byte that only looked like the start of busy */
        sdsim_spi_add_stray(
            &d->card_stray,
            &(struct sdsim_spi_byte){.at = busy->at, .start = busy->start, .end = d->last_end},
            busy->first);
    } else {
        sdsim_spi_tell(d, &(struct sdsim_item){
                              .kind = SDSIM_ITEM_BUSY,
                              .start = busy->start,
                              .end = end,
                              .at = busy->at,
                              .index = d->asked.index,
                              .app = d->asked.app,
                              .gap = busy->gap,
                              .gap_time = busy->gap_time,
                              .count = busy->count,
                              .open = open,
                              .resumed = busy->resumed,
                          });
    }
    busy->count = 0;
    busy->hidden = open;
}

void sdsim_spi_tell_idle(struct sdsim_spi_decoder *d)
{
    struct sdsim_spi_idle *idle = &d->idle;
    if (idle->clocks > 0) {
        sdsim_spi_tell(d, &(struct sdsim_item){
                              .kind = SDSIM_ITEM_IDLE_CLOCKS,
                              .start = idle->start,
                              .end = idle->end,
                              .at = idle->at,
                              .count = idle->clocks,
                              .odd_host = idle->odd_host,
                              .odd_card = idle->odd_card,
                              .bytes = idle->odd_host > 0 ? idle->bytes : NULL,
                              .size = idle->odd_host > 0 ? idle->kept : 0,
                          });
    }
    *idle = (struct sdsim_spi_idle){.clocks = 0};
}

/* ---- bytes without a meaning ---- */

void sdsim_spi_add_stray(struct sdsim_spi_stray *stray, const struct sdsim_spi_byte *b,
                         uint8_t byte)
{
    if (stray->count == 0) {
        stray->at = b->at;
        stray->start = b->start;
    }
    if (stray->count < SDSIM_SPI_STRAY_KEPT) {
        stray->bytes[stray->count] = byte;
    }
    stray->count++;
    stray->end = b->end;
}

void sdsim_spi_tell_stray(struct sdsim_spi_decoder *d, struct sdsim_spi_stray *stray)
{
    if (stray->count == 0) {
        return;
    }
    sdsim_spi_tell(
        d, &(struct sdsim_item){
               .kind = SDSIM_ITEM_STRAY,
               .start = stray->start,
               .end = stray->end,
               .at = stray->at,
               .index = d->asked.index,
               .app = d->asked.app,
               .count = stray->count,
               .from_card = stray == &d->card_stray,
               .bytes = stray->bytes,
               .size = stray->count < SDSIM_SPI_STRAY_KEPT ? stray->count : SDSIM_SPI_STRAY_KEPT,
           });
    stray->count = 0;
}

void sdsim_spi_tell_strays(struct sdsim_spi_decoder *d)
{
    sdsim_spi_tell_stray(d, &d->host_stray);
    sdsim_spi_tell_stray(d, &d->card_stray);
}

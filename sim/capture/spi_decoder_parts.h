/*
 * Private to the SPI decoder: what its files share.
 *
 *     spi_decoder.c        bytes and CS in; CS high
 *     spi_decoder_host.c   MOSI: frames, blocks that are written
 *     spi_decoder_card.c   MISO: responses, blocks that are read, busy
 *     spi_decoder_tell.c   items out
 */
#ifndef SDSIM_CAPTURE_SPI_DECODER_PARTS_H
#define SDSIM_CAPTURE_SPI_DECODER_PARTS_H

#include "bus/frame.h"
#include "capture/spi_command.h"
#include "capture/spi_decoder.h"
#include "core/crc.h"

enum {
    SDSIM_SPI_HIGH = 0xFF,
    SDSIM_SPI_BUSY = 0x00,
};

/* ---- host ---- */

/* What MOSI says in a byte with CS low. */
void sdsim_spi_take_host(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b);
/* The frame that was begun comes to nothing: its bytes are stray. */
void sdsim_spi_drop_frame(struct sdsim_spi_decoder *d);
enum sdsim_item_crc sdsim_spi_frame_crc(const struct sdsim_spi_collected *frame);
static inline bool sdsim_spi_frame_starts(uint8_t byte)
{
    return (byte & 0xC0) == 0x40;
}

/* ---- card ---- */

/* What MISO says in a byte with CS low. */
void sdsim_spi_take_card(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b);
/* Nobody waits any more for what the card owes. `over`: because the record ends. */
void sdsim_spi_give_up(struct sdsim_spi_decoder *d, bool over);

/* ---- blocks ---- */

void sdsim_spi_begin_block(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *token,
                           bool from_host, bool guess);
/* Takes a byte; true when it was the last one of the CRC. */
bool sdsim_spi_add_to_block(struct sdsim_spi_decoder *d, const struct sdsim_spi_byte *b,
                            uint8_t byte);
enum sdsim_item_crc sdsim_spi_block_crc(const struct sdsim_spi_block *block);

/* ---- telling ---- */

/* Something with a meaning ended at `end`: gaps count from here. */
static inline void sdsim_spi_mean(struct sdsim_spi_decoder *d, sdsim_ps end)
{
    d->meant = true;
    d->quiet = 0;
    d->quiet_end = end;
}
void sdsim_spi_tell(struct sdsim_spi_decoder *d, struct sdsim_item *item);
void sdsim_spi_tell_command(struct sdsim_spi_decoder *d, bool deselected);
void sdsim_spi_tell_response(struct sdsim_spi_decoder *d);
void sdsim_spi_tell_no_response(struct sdsim_spi_decoder *d, bool over);
void sdsim_spi_tell_no_data(struct sdsim_spi_decoder *d, bool over);
void sdsim_spi_tell_block(struct sdsim_spi_decoder *d, enum sdsim_item_crc crc, bool open);
/* A byte of the card or of the host: data response, error token, stop token. */
void sdsim_spi_tell_token(struct sdsim_spi_decoder *d, enum sdsim_item_kind kind,
                          const struct sdsim_spi_byte *b, uint8_t token);
/* The busy that was seen is over, or CS or the record's end hides the rest. */
void sdsim_spi_tell_busy(struct sdsim_spi_decoder *d, sdsim_ps end, bool open);
void sdsim_spi_tell_idle(struct sdsim_spi_decoder *d);
void sdsim_spi_add_stray(struct sdsim_spi_stray *stray, const struct sdsim_spi_byte *b,
                         uint8_t byte);
void sdsim_spi_tell_stray(struct sdsim_spi_decoder *d, struct sdsim_spi_stray *stray);
void sdsim_spi_tell_strays(struct sdsim_spi_decoder *d);

#endif

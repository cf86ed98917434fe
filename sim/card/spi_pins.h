/*
 * The byte-exact card in SPI mode: what is on MISO for every byte the host clocks.
 *
 * The host raises and lowers CS and exchanges bytes; each exchange names the instant at which its
 * first clock edge comes and the one after its last. The face collects command frames and data
 * blocks from MOSI, hands them to the card (card/card.h) when they are complete, and plays back
 * responses, tokens, data and busy, counting N_CR, N_AC and N_BR in bytes.
 *
 * What MISO shows for a byte is decided at its first edge; the first of these that applies:
 *  - Before CMD0 with CS low the card is in SD mode and answers on the CMD line, which is MOSI here:
 *    MISO shows what first_do says: high, low, or what is on MOSI.
 *  - CS high: 0xFF (pull-up), and the card sees nothing. Raising CS drops a frame that is not
 *    complete and an answer that was not fetched; a transfer goes on when CS is low again. With
 *    release_clocks 1 the first bit behind the edge still is the one the card would have sent.
 *  - Busy: 0x00 as long as the card is busy. What answers a command or a block is masked only by a
 *    busy that began before it, not by the one it caused: R1 of CMD38 is seen, and busy after it.
 *    After a stop token busy shows only after N_BR bytes clocked with CS low, and with
 *    reselect_clocks 1 only from the second bit behind CS low on (0x80). Commands are received all
 *    the same: a busy card answers CMD0, CMD12 and CMD13, the answer's bytes masked by busy.
 *  - A response: N_CR bytes of 0xFF behind the command frame (behind CMD12 at least one, the stuff
 *    byte, which need not be 0xFF), then R1 and what belongs to it. A written block's data response
 *    is the byte right behind its CRC.
 *  - A read block: behind the response, or behind the CRC of the block before, at least N_AC bytes
 *    of 0xFF, and on until the data is ready at a byte's first edge; then the start token, the data
 *    and its CRC16. Behind the card's last block comes an error token in their place, again and
 *    again. CMD12 ends it with the byte behind its frame, and so does any other command that the
 *    card takes.
 *  - otherwise 0xFF.
 *
 * CRC: frames with a wrong CRC7 are refused with R1's CRC bit where the card checks (CMD0, CMD8,
 * and all after CMD59), as are data blocks with a wrong CRC16 (data response 0x0B).
 *
 * How it is fast: most bytes are one of many alike - a byte of a block, a look at a busy card, a
 * byte nobody cares for. After each byte that is not, it is worked out which kind the next ones are
 * (`quick`), and those are dealt with inline.
 *
 * Limits: whole bytes aligned to CS; busy and data change at byte borders only.
 */
#ifndef SDSIM_CARD_SPI_PINS_H
#define SDSIM_CARD_SPI_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "card/card.h"
#include "core/clock.h"

enum sdsim_spi_phase {
    SDSIM_SPI_COMMAND, /* waiting for a command frame */
    SDSIM_SPI_SEND,    /* sending blocks to the host */
    SDSIM_SPI_RECEIVE, /* waiting for a start or stop token, or taking a block */
};

/* What the next bytes are like, as long as the host does nothing new. */
enum sdsim_spi_quick {
    SDSIM_SPI_UNLIKE, /* nothing is known */
    SDSIM_SPI_OPEN,   /* CS high: nobody listens, nobody drives */
    SDSIM_SPI_LISTEN, /* 0xFF from the host: busy or not */
    SDSIM_SPI_WAIT,   /* 0xFF from the host: a block that is not ready yet */
    SDSIM_SPI_GIVE,   /* 0xFF from the host: bytes of a block */
    SDSIM_SPI_TAKE,   /* bytes of a block from the host */
};

struct sdsim_spi_pins {
    struct sdsim_card *card; /* not owned */
    enum sdsim_spi_quick quick;
    bool selected;
    bool edge; /* no byte since CS changed */
    enum sdsim_spi_phase phase;
    uint8_t frame[6];
    uint8_t frame_count;
    uint8_t answer[1 + 16]; /* R1 and what belongs to it, or a data response */
    uint8_t answer_count;
    uint8_t answer_at;    /* answer_count: nothing to be answered */
    uint8_t answer_gap;   /* 0xFF bytes before it ... */
    uint8_t answer_stuff; /* ... but for the first, which is this */
    sdsim_ps held;        /* the answer is masked by a busy that lasts until then */
    uint8_t busy_gap;     /* bytes until busy shows (N_BR) */
    bool multiple;        /* RECEIVE: blocks until a stop token */
    bool from_register;   /* SEND: one block, of a register */
    uint32_t gap;         /* SEND: bytes of N_AC still due before a token may come */
    bool dropped;         /* SEND: nothing more comes (fault) */
    bool beyond;          /* SEND: the token that says so is on its way */
    bool in_block;        /* its token was sent or seen */
    uint8_t block[SDSIM_SECTOR + 2];
    uint32_t block_bytes; /* without the CRC */
    uint32_t block_at;    /* position in the block at work */
};

/* Connects the pins to a card that was just powered up; CS is high. */
void sdsim_spi_pins_init(struct sdsim_spi_pins *pins, struct sdsim_card *card);

void sdsim_spi_select(struct sdsim_spi_pins *pins, bool low);

/* The same as sdsim_spi_exchange() for any byte. */
uint8_t sdsim_spi_exchange_any(struct sdsim_spi_pins *pins, sdsim_ps start, sdsim_ps end,
                               uint8_t mosi);

/* One byte each way: first clock edge at `start`, over at `end`. Returns what MISO showed. */
static inline uint8_t sdsim_spi_exchange(struct sdsim_spi_pins *pins, sdsim_ps start, sdsim_ps end,
                                         uint8_t mosi)
{
    switch (pins->quick) {
    case SDSIM_SPI_OPEN:
        return 0xFF;
    case SDSIM_SPI_LISTEN:
        if (mosi == 0xFF) {
            return start < pins->card->busy.at ? 0x00 : 0xFF;
        }
        break;
    case SDSIM_SPI_WAIT:
        if (mosi == 0xFF && start < pins->card->ready.at) {
            return 0xFF;
        }
        break;
    case SDSIM_SPI_GIVE: /* up to the last byte, which ends the block */
        if (mosi == 0xFF && pins->block_at <= pins->block_bytes) {
            return pins->block[pins->block_at++];
        }
        break;
    case SDSIM_SPI_TAKE:
        if (pins->block_at <= SDSIM_SECTOR) {
            pins->block[pins->block_at++] = mosi;
            return start < pins->card->busy.at ? 0x00 : 0xFF;
        }
        break;
    case SDSIM_SPI_UNLIKE:
        break;
    }
    return sdsim_spi_exchange_any(pins, start, end, mosi);
}

/*
 * The same as `count` calls of sdsim_spi_exchange(), each of eight clocks of `clock`, from *now on;
 * leaves the end of the last in *now. `mosi` holds what the host sends, NULL: 0xFF all the time.
 * `miso` takes what the card sends, or is NULL; it may be the same array. Data in the middle of a
 * block goes by in bulk.
 */
void sdsim_spi_exchange_many(struct sdsim_spi_pins *pins, sdsim_ps *now, struct sdsim_clock *clock,
                             const uint8_t *mosi, uint8_t *miso, size_t count);

#endif

/*
 * Blocks in and out of the card: what happens between a transfer's command and its end.
 */
#include "card/transfer.h"

#include <string.h>

bool sdsim_card_to_lba(struct sdsim_card *card, uint32_t address, uint8_t *fault, uint32_t *lba)
{
    const bool bytes = card->params->type == SDSIM_SDSC;
    if (bytes && address % SDSIM_SECTOR != 0) {
        *fault = SDSIM_R1_ADDRESS;
        card->errors |= card->spi ? 0 : SDSIM_STATUS_ADDRESS;
        return false;
    }
    const uint32_t sector = bytes ? address / SDSIM_SECTOR : address;
    if (sector >= card->sectors) {
        *fault = SDSIM_R1_PARAMETER;
        card->errors |= SDSIM_STATUS_OUT_OF_RANGE;
        return false;
    }
    *lba = sector;
    return true;
}

void sdsim_card_end_write(struct sdsim_card *card, sdsim_ps end)
{
    const bool stuck = card->busy.at == SDSIM_TIME_END;
    const struct sdsim_ready committed = sdsim_flash_write_stop(&card->flash, end, card->busy);
    card->state = SDSIM_CARD_TRANSFER;
    if (!stuck) {
        sdsim_card_begin_busy(card, committed);
    }
}

void sdsim_card_stop_token(struct sdsim_card *card, sdsim_ps end)
{
    if (card->state == SDSIM_CARD_RECEIVE) {
        sdsim_card_end_write(card, end);
    }
}

void sdsim_card_read_failed(struct sdsim_card *card)
{
    card->errors |= SDSIM_STATUS_ECC_FAILED;
    if (card->left == 1) {
        card->state = SDSIM_CARD_TRANSFER;
    }
}

void sdsim_card_write_failed(struct sdsim_card *card)
{
    card->errors |= SDSIM_STATUS_ERROR;
}

bool sdsim_card_read_beyond(const struct sdsim_card *card)
{
    return card->lba >= card->sectors;
}

/* The first sector a fake card does not really have. */
static uint32_t real_sectors(const struct sdsim_card *card)
{
    const uint64_t real = card->params->real_bytes / SDSIM_SECTOR;
    return real > 0 && real < card->sectors ? (uint32_t)real : card->sectors;
}

void sdsim_card_read_many(const struct sdsim_card *card, uint32_t count, uint8_t *out)
{
    if (out == NULL) {
        return;
    }
    const uint32_t real = real_sectors(card);
    const uint32_t stored = card->lba >= real          ? 0
                            : count < real - card->lba ? count
                                                       : real - card->lba;
    if (stored > 0) {
        sdsim_medium_read(card->medium, card->lba, stored, out);
    }
    memset(out + (size_t)stored * SDSIM_SECTOR, 0xFF, (size_t)(count - stored) * SDSIM_SECTOR);
}

void sdsim_card_read_bytes(const struct sdsim_card *card, uint8_t out[SDSIM_SECTOR])
{
    sdsim_card_read_many(card, 1, out);
}

/* `blocks` of the transfer are over; a counted one ends by itself. */
static void count_blocks(struct sdsim_card *card, uint32_t blocks)
{
    card->lba += blocks;
    if (card->left != SDSIM_CARD_OPEN_ENDED) {
        card->left -= blocks;
    }
}

void sdsim_card_hold(struct sdsim_card *card, uint32_t lba, uint32_t count)
{
    sdsim_flash_hold(&card->flash, lba, count);
}

void sdsim_card_read_done(struct sdsim_card *card, sdsim_ps end)
{
    sdsim_flash_read_taken(&card->flash);
    count_blocks(card, 1);
    if (card->left == 0) {
        card->state = SDSIM_CARD_TRANSFER;
        return;
    }
    card->ready = sdsim_flash_read_next(&card->flash, end);
}

uint32_t sdsim_card_read_alike(const struct sdsim_card *card, uint32_t most)
{
    /* The last block of a counted transfer, and the first one beyond the end, are unlike. */
    if (card->left != SDSIM_CARD_OPEN_ENDED && most > card->left - 1) {
        most = card->left - 1;
    }
    if (most > card->sectors - card->lba) {
        most = card->sectors - card->lba;
    }
    return (uint32_t)sdsim_flash_read_alike(&card->flash, most);
}

uint32_t sdsim_card_read_run(const struct sdsim_card *card, uint32_t most)
{
    most = most < card->left ? most : card->left;
    if (most > card->sectors - card->lba) {
        most = card->sectors - card->lba;
    }
    return (uint32_t)sdsim_flash_read_run(&card->flash, most);
}

void sdsim_card_read_skip(struct sdsim_card *card, uint32_t blocks, sdsim_ps span)
{
    sdsim_flash_read_skip(&card->flash, blocks);
    count_blocks(card, blocks);
    card->ready.at = sdsim_time_sum(card->ready.at, span);
}

static bool store(struct sdsim_card *card, uint32_t count, const struct sdsim_content *content)
{
    const uint32_t real = real_sectors(card);
    if (card->lba >= real) {
        return true; /* a fake card says yes and forgets */
    }
    const uint32_t kept = count < real - card->lba ? count : real - card->lba;
    return sdsim_medium_write(card->medium, card->lba, kept, content);
}

bool sdsim_card_write_block(struct sdsim_card *card, sdsim_ps end,
                            const struct sdsim_content *content)
{
    if (card->refused) {
        return false;
    }
    if (card->lba >= card->sectors) {
        sdsim_card_out_of_range(card);
        card->refused = true;
        return false;
    }
    if (!store(card, 1, content)) {
        card->refused = true;
        return false;
    }
    const struct sdsim_ready taken = sdsim_flash_write_block(&card->flash, end);
    card->well_written++;
    count_blocks(card, 1);
    if (card->left == 0) { /* a single block, or the last of a counted transfer: commits at once */
        card->busy = taken;
        sdsim_card_end_write(card, end);
    } else {
        sdsim_card_begin_busy(card, taken);
    }
    return true;
}

uint32_t sdsim_card_write_alike(const struct sdsim_card *card, uint32_t most)
{
    if (card->refused) {
        return 0;
    }
    /* The last block of a counted transfer commits and is unlike the others. */
    if (card->left != SDSIM_CARD_OPEN_ENDED && most > card->left - 1) {
        most = card->left - 1;
    }
    if (most > card->sectors - card->lba) {
        most = card->sectors - card->lba;
    }
    return (uint32_t)sdsim_flash_write_alike(&card->flash, most);
}

/* Blocks that are alike are stored. */
static bool pass_blocks(struct sdsim_card *card, uint32_t blocks,
                        const struct sdsim_content *content)
{
    if (!store(card, blocks, content)) {
        return false;
    }
    sdsim_flash_write_skip(&card->flash, blocks);
    card->well_written += blocks;
    count_blocks(card, blocks);
    return true;
}

bool sdsim_card_write_skip(struct sdsim_card *card, uint32_t blocks, sdsim_ps span,
                           const struct sdsim_content *content)
{
    if (!pass_blocks(card, blocks, content)) {
        return false;
    }
    card->busy.at = sdsim_time_sum(card->busy.at, span);
    return true;
}

bool sdsim_card_write_many(struct sdsim_card *card, uint32_t blocks, sdsim_ps end,
                           const struct sdsim_content *content)
{
    if (!pass_blocks(card, blocks, content)) {
        return false;
    }
    card->busy = (struct sdsim_ready){.at = sdsim_time_sum(end, card->params->flash.wn)};
    return true;
}

#include "card/card_state.h"

#include "flash/flash_state.h"

static bool transfers(const struct sdsim_card *card)
{
    return card->state == SDSIM_CARD_DATA || card->state == SDSIM_CARD_RECEIVE;
}

/* What of a pause is still to come; once it is over it does not matter. */
static void digest_ready(const struct sdsim_ready *ready, sdsim_ps now, struct sdsim_digest *digest)
{
    const sdsim_ps left = sdsim_time_since(ready->at, now);
    sdsim_digest_add(digest, left);
    sdsim_digest_add(digest, left > 0 ? ready->pause : 0);
}

void sdsim_card_digest(const struct sdsim_card *card, sdsim_ps now, struct sdsim_digest *digest)
{
    sdsim_digest_add(digest, (uint64_t)card->state << 8 | (uint64_t)card->refused << 6 |
                                 (uint64_t)card->knows_host << 5 | (uint64_t)card->spi << 4 |
                                 (uint64_t)card->app << 3 | (uint64_t)card->crc_on << 2 |
                                 (uint64_t)card->low_voltage << 1 | (uint64_t)card->slow_edges);
    sdsim_digest_add(digest, (uint64_t)card->access_mode << 32 | card->errors);
    sdsim_digest_add(digest, (uint64_t)card->width << 16 | card->rca);
    if (transfers(card)) {
        sdsim_digest_add(digest, (uint64_t)card->lba << 32 | card->left);
    }
    sdsim_digest_add(digest, (uint64_t)card->block_count << 32 | card->announced);
    sdsim_digest_add(digest, (uint64_t)card->erase_from << 32 | card->erase_to);
    sdsim_digest_add(digest, card->well_written);
    digest_ready(&card->busy, now, digest);
    if (card->state == SDSIM_CARD_DATA) {
        digest_ready(&card->ready, now, digest);
    }
    sdsim_flash_digest(&card->flash, now, digest);
}

sdsim_ps sdsim_card_settles(const struct sdsim_card *card)
{
    sdsim_ps at = sdsim_flash_settles(&card->flash);
    if (card->busy.at > at) {
        at = card->busy.at;
    }
    return card->state == SDSIM_CARD_DATA && card->ready.at > at ? card->ready.at : at;
}

/*
 * Erasing: CMD32, CMD33 and CMD38.
 */
#include "card/transfer.h"

/* Argument of CMD38: the blocks are not needed, and need not be erased (section 4.3.5). */
#define ERASE_DISCARD 1u

void sdsim_card_erase_address(struct sdsim_card *card, sdsim_ps end, uint8_t index,
                              uint32_t argument, struct sdsim_reply *reply)
{
    uint8_t fault = 0;
    uint32_t lba = SDSIM_CARD_NO_SECTOR;
    (void)sdsim_card_to_lba(card, argument, &fault, &lba);
    if (index == 33 && card->erase_from == SDSIM_CARD_NO_SECTOR) {
        fault |= SDSIM_R1_ERASE_SEQUENCE;
        card->errors |= card->spi ? 0 : SDSIM_STATUS_ERASE_SEQUENCE;
    }
    card->erase_from = index == 32 ? lba : card->erase_from;
    card->erase_to = index == 32 ? SDSIM_CARD_NO_SECTOR : lba;
    sdsim_card_reply(card, end, reply);
    reply->r1 |= fault;
}

void sdsim_card_erase(struct sdsim_card *card, sdsim_ps end, uint32_t argument,
                      struct sdsim_reply *reply)
{
    const uint32_t from = card->erase_from;
    const uint32_t to = card->erase_to;
    const bool complete = from != SDSIM_CARD_NO_SECTOR && to != SDSIM_CARD_NO_SECTOR;
    sdsim_card_erase_forget(card);
    if (complete && to < from) {
        card->errors |= SDSIM_STATUS_ERASE_PARAM;
    }
    if (!complete || to < from || !sdsim_medium_erase(card->medium, from, to - from + 1)) {
        card->errors |= card->spi ? 0 : SDSIM_STATUS_ERASE_SEQUENCE;
        sdsim_card_reply(card, end, reply);
        reply->r1 |= SDSIM_R1_ERASE_SEQUENCE;
        return;
    }
    sdsim_card_reply(card, end, reply);
    const bool discard = !card->spi && argument == ERASE_DISCARD;
    sdsim_card_begin_busy(card, sdsim_flash_erase(&card->flash, end, from, to - from + 1, discard));
    reply->busy = true;
}

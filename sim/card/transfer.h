/*
 * Between the parts of the card: commands (card/card.c) begin and end transfers, blocks
 * (card/transfer.c) make them up; erasing is in card/erase.c. Not for other folders; theirs is
 * card/card.h.
 */
#ifndef SDSIM_CARD_TRANSFER_H
#define SDSIM_CARD_TRANSFER_H

#include "card/card.h"

/* card->left of a transfer that goes on until it is stopped. */
#define SDSIM_CARD_OPEN_ENDED UINT32_MAX

#define SDSIM_CARD_NO_SECTOR UINT32_MAX

/* R1: the idle bit over SPI, the card status on the SD bus, which forgets the errors it tells. */
void sdsim_card_reply(struct sdsim_card *card, sdsim_ps end, struct sdsim_reply *reply);

/* From the address of a command to a sector; false with R1's error bit in *fault, and nothing in
 * *lba. */
bool sdsim_card_to_lba(struct sdsim_card *card, uint32_t address, uint8_t *fault, uint32_t *lba);

/* CMD32 and CMD33: the first block and the last. */
void sdsim_card_erase_address(struct sdsim_card *card, sdsim_ps end, uint8_t index,
                              uint32_t argument, struct sdsim_reply *reply);

/* CMD38, behind CMD32 and CMD33 in this order, or the card forgets what it was told (section
 * 4.3.5). A discard is known on the SD bus only (section 7.2.7). */
void sdsim_card_erase(struct sdsim_card *card, sdsim_ps end, uint32_t argument,
                      struct sdsim_reply *reply);

/* Whether a CMD32 or CMD33 waits for its CMD38; and takes it back. */
static inline bool sdsim_card_erase_begun(const struct sdsim_card *card)
{
    return card->erase_from != SDSIM_CARD_NO_SECTOR || card->erase_to != SDSIM_CARD_NO_SECTOR;
}
static inline void sdsim_card_erase_forget(struct sdsim_card *card)
{
    card->erase_from = SDSIM_CARD_NO_SECTOR;
    card->erase_to = SDSIM_CARD_NO_SECTOR;
}

/* The card is busy until then, or for ever if a test wants that (SDSIM_FAULT_STUCK_BUSY). */
static inline void sdsim_card_begin_busy(struct sdsim_card *card, struct sdsim_ready busy)
{
    card->busy = busy;
    if (card->faults != NULL && sdsim_faults_occasion(card->faults, SDSIM_FAULT_STUCK_BUSY, 0)) {
        card->busy.at = SDSIM_TIME_END;
    }
}

/* Ends a write transfer: the card commits what it has, from `end` or the end of its busy on. */
void sdsim_card_end_write(struct sdsim_card *card, sdsim_ps end);

#endif

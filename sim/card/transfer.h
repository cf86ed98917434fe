/*
 * Between the two halves of the card: commands (card/card.c) begin and end transfers, blocks
 * (card/transfer.c) make them up. Not for other folders; theirs is card/card.h.
 */
#ifndef SDSIM_CARD_TRANSFER_H
#define SDSIM_CARD_TRANSFER_H

#include "card/card.h"

/* card->left of a transfer that goes on until it is stopped. */
#define SDSIM_CARD_OPEN_ENDED UINT32_MAX

/* Ends a write transfer: the card commits what it has, from `end` or the end of its busy on. */
void sdsim_card_end_write(struct sdsim_card *card, sdsim_ps end);

#endif

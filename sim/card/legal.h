/*
 * Which commands a card takes when: what the specification says of its states, and of cards of older
 * versions. Not for other folders; theirs is card/card.h.
 */
#ifndef SDSIM_CARD_LEGAL_H
#define SDSIM_CARD_LEGAL_H

#include "card/card.h"

/* Whether a command, or an application command, may come in that state; and in the one the card is
 * in when its frame ends at `end`. */
bool sdsim_card_legal_in(const struct sdsim_card *card, enum sdsim_card_state state, uint8_t index,
                         bool app);
bool sdsim_card_legal(const struct sdsim_card *card, sdsim_ps end, uint8_t index, bool app);

/* Whether a command, none of the application, is meant for this card: on the SD bus CMD9, CMD10, CMD13,
 * CMD15 and CMD55 carry the RCA of one card, and all others ignore them (section 4.7.4, type ac). CMD7
 * is for all cards: it deselects those whose RCA it does not carry. */
bool sdsim_card_addressed(const struct sdsim_card *card, uint8_t index, uint32_t argument);

#endif

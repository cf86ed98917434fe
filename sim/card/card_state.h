/*
 * What the next answers of the card depend on, apart from the luck of its flash.
 */
#ifndef SDSIM_CARD_CARD_STATE_H
#define SDSIM_CARD_CARD_STATE_H

#include "card/card.h"
#include "core/digest.h"

/* Of a card that is initialised and has no faults to come. */
void sdsim_card_digest(const struct sdsim_card *card, sdsim_ps now, struct sdsim_digest *digest);

/* When everything that runs by itself is over: if nothing is asked of the card before, it does not
 * matter when. */
sdsim_ps sdsim_card_settles(const struct sdsim_card *card);

#endif

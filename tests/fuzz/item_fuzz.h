/*
 * What the targets of bus decoders share: a listener that holds the promises of capture/item.h
 * against each item and hands it on.
 */
#ifndef SDSIM_TEST_ITEM_FUZZ_H
#define SDSIM_TEST_ITEM_FUZZ_H

#include "capture/item.h"
#include "fuzz/fuzz.h"

struct sdsim_fuzz_items {
    struct sdsim_item_listener listener; /* first */
    struct sdsim_item_listener *next;    /* NULL: nobody */
    uint64_t sum;                        /* of what was looked at, so that it is */
};

static inline void sdsim_fuzz_item(struct sdsim_item_listener *listener,
                                   const struct sdsim_item *item)
{
    struct sdsim_fuzz_items *items = (struct sdsim_fuzz_items *)listener;
    SDSIM_FUZZ_HOLDS((unsigned)item->kind < SDSIM_ITEM_COUNT && item->index < 64);
    SDSIM_FUZZ_HOLDS(!item->timed || item->start <= item->end);
    SDSIM_FUZZ_HOLDS((unsigned)item->crc <= SDSIM_ITEM_CRC_MISSING);
    for (size_t i = 0; item->bytes != NULL && i < item->size; i++) {
        items->sum += item->bytes[i];
    }
    if (items->next != NULL) {
        items->next->item(items->next, item);
    }
}

static inline void sdsim_fuzz_items_init(struct sdsim_fuzz_items *items,
                                         struct sdsim_item_listener *next)
{
    *items = (struct sdsim_fuzz_items){.listener = {.item = sdsim_fuzz_item}, .next = next};
}

#endif

#include "capture/spread.h"

#include <stdlib.h>
#include <string.h>

enum { FULL = 480 };

void sdsim_spread_clear(struct sdsim_spread *spread)
{
    memset(spread, 0, sizeof *spread);
}

void sdsim_spread_add(struct sdsim_spread *spread, uint64_t value)
{
    if (spread->count++ == 0) {
        spread->least = value;
        spread->greatest = value;
    }
    spread->least = value < spread->least ? value : spread->least;
    spread->greatest = value > spread->greatest ? value : spread->greatest;
    spread->sum += (double)value;
    uint64_t slot = (value * UINT64_C(0x9E3779B97F4A7C15)) >> 55;
    while (spread->slots[slot].count != 0 && spread->slots[slot].value != value) {
        slot = (slot + 1) % SDSIM_SPREAD_SLOTS;
    }
    if (spread->slots[slot].count == 0) {
        if (spread->used == FULL) {
            return;
        }
        spread->used++;
        spread->slots[slot].value = value;
    }
    spread->slots[slot].count++;
}

struct pair {
    uint64_t value;
    uint64_t count;
};

static int by_value(const void *a, const void *b)
{
    const struct pair *x = a;
    const struct pair *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

uint64_t sdsim_spread_median(const struct sdsim_spread *spread)
{
    struct pair pairs[SDSIM_SPREAD_SLOTS];
    size_t count = 0;
    uint64_t total = 0;
    for (unsigned i = 0; i < SDSIM_SPREAD_SLOTS; i++) {
        if (spread->slots[i].count > 0) {
            pairs[count++] = (struct pair){spread->slots[i].value, spread->slots[i].count};
            total += spread->slots[i].count;
        }
    }
    qsort(pairs, count, sizeof pairs[0], by_value);
    uint64_t passed = 0;
    for (size_t i = 0; i < count; i++) {
        passed += pairs[i].count;
        if (2 * passed >= total) {
            return pairs[i].value;
        }
    }
    return 0;
}

uint64_t sdsim_spread_mode(const struct sdsim_spread *spread)
{
    uint64_t value = 0;
    uint64_t count = 0;
    for (unsigned i = 0; i < SDSIM_SPREAD_SLOTS; i++) {
        const uint64_t here = spread->slots[i].count;
        if (here > count || (here == count && here > 0 && spread->slots[i].value < value)) {
            value = spread->slots[i].value;
            count = here;
        }
    }
    return value;
}

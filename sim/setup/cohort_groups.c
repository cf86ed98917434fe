#include "setup/cohort_groups.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t none = SDSIM_COHORT_NONE;

/* ---- the pool ---- */

struct sdsim_cohort_state *sdsim_cohort_pool_copy(struct sdsim_cohort_pool *pool,
                                                  const struct sdsim_cohort_state *of)
{
    struct sdsim_cohort_state *state =
        pool->count > 0 ? pool->spare[--pool->count] : malloc(sizeof *state);
    if (state == NULL || !sdsim_cohort_state_copy(state, of)) {
        free(state);
        return NULL;
    }
    return state;
}

static void give_back(struct sdsim_cohort_pool *pool, struct sdsim_cohort_state *state)
{
    sdsim_cohort_state_drop(state);
    if (pool->count < sizeof pool->spare / sizeof pool->spare[0]) {
        pool->spare[pool->count++] = state;
    } else {
        free(state);
    }
}

void sdsim_cohort_pool_free(struct sdsim_cohort_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        free(pool->spare[i]);
    }
    pool->count = 0;
}

/* ---- tables ---- */

bool sdsim_cohort_grow(void **items, uint32_t *room, size_t size)
{
    const uint32_t more = *room > 0 ? 2 * *room : 64;
    void *larger = realloc(*items, more * size);
    if (larger == NULL) {
        return false;
    }
    *items = larger;
    *room = more;
    return true;
}

static void put_in_slot(struct sdsim_cohort_table *table, uint32_t index)
{
    const uint32_t mask = table->slot_count - 1;
    uint32_t at = (uint32_t)table->groups[index].digest.a & mask;
    while (table->slots[at] != none) {
        at = (at + 1) & mask;
    }
    table->slots[at] = index;
}

/* Makes that many slots, a power of two, for the groups there are. */
static bool make_slots(struct sdsim_cohort_table *table, uint32_t count)
{
    uint32_t *slots = malloc(count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    memset(slots, 0xFF, count * sizeof *slots);
    for (uint32_t i = 0; i < table->count; i++) {
        put_in_slot(table, i);
    }
    return true;
}

static uint32_t find(const struct sdsim_cohort_table *table, const struct sdsim_digest *digest)
{
    if (table->slot_count == 0) {
        return none;
    }
    uint32_t at = (uint32_t)digest->a & (table->slot_count - 1);
    while (table->slots[at] != none) {
        if (sdsim_digest_equal(&table->groups[table->slots[at]].digest, digest)) {
            return table->slots[at];
        }
        at = (at + 1) & (table->slot_count - 1);
    }
    return none;
}

static uint32_t add(struct sdsim_cohort_table *table, struct sdsim_cohort_state *state,
                    const struct sdsim_digest *digest)
{
    if (table->count == table->room &&
        !sdsim_cohort_grow((void **)&table->groups, &table->room, sizeof *table->groups)) {
        return none;
    }
    if (2 * (table->count + 1) > table->slot_count &&
        !make_slots(table, table->slot_count > 0 ? 2 * table->slot_count : 128)) {
        return none;
    }
    table->groups[table->count] = (struct sdsim_cohort_group){
        .state = state,
        .digest = *digest,
        .settles = sdsim_cohort_state_settles(state),
        .step = none,
    };
    put_in_slot(table, table->count);
    return table->count++;
}

uint32_t sdsim_cohort_table_take(struct sdsim_cohort_table *table, struct sdsim_cohort_pool *pool,
                                 struct sdsim_cohort_state *state, struct sdsim_account *shift)
{
    const struct sdsim_digest digest = sdsim_cohort_state_digest(state);
    uint32_t group = find(table, &digest);
    if (group != none) {
        if (shift != NULL) {
            sdsim_cohort_shift(shift, &state->meter.account,
                               &table->groups[group].state->meter.account);
        }
        give_back(pool, state);
        return group;
    }
    group = add(table, state, &digest);
    if (group == none) {
        give_back(pool, state);
    }
    return group;
}

void sdsim_cohort_table_clear(struct sdsim_cohort_table *table, struct sdsim_cohort_pool *pool)
{
    for (uint32_t i = 0; i < table->count; i++) {
        give_back(pool, table->groups[i].state);
    }
    table->count = 0;
    if (table->slots != NULL) {
        memset(table->slots, 0xFF, table->slot_count * sizeof *table->slots);
    }
}

void sdsim_cohort_table_free(struct sdsim_cohort_table *table, struct sdsim_cohort_pool *pool)
{
    sdsim_cohort_table_clear(table, pool);
    free(table->groups);
    free(table->slots);
    table->groups = NULL;
    table->slots = NULL;
}

void sdsim_cohort_shift(struct sdsim_account *x, const struct sdsim_account *y,
                        const struct sdsim_account *z)
{
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
            x->ps[p][k] += y->ps[p][k] - z->ps[p][k];
        }
    }
}

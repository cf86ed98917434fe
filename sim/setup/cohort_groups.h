/*
 * For sim/setup/cohort.c: groups of runs whose stacks are in one state, found again by its digest.
 */
#ifndef SDSIM_SETUP_COHORT_GROUPS_H
#define SDSIM_SETUP_COHORT_GROUPS_H

#include "setup/cohort_state.h"

#define SDSIM_COHORT_NONE UINT32_MAX

/* States that nobody needs at the moment, kept because the next ones are needed soon. Begins as zeros. */
struct sdsim_cohort_pool {
    struct sdsim_cohort_state *spare[64];
    size_t count;
};

/* A copy of a state, NULL without memory; and back. */
struct sdsim_cohort_state *sdsim_cohort_pool_copy(struct sdsim_cohort_pool *pool,
                                                  const struct sdsim_cohort_state *of);
void sdsim_cohort_pool_free(struct sdsim_cohort_pool *pool);

struct sdsim_cohort_group {
    struct sdsim_cohort_state *state; /* owned */
    struct sdsim_digest digest;
    sdsim_ps settles; /* gaps from here on are alike */
    uint32_t step;    /* cohort.c: the first of its steps in this round */
};

/* Begins as zeros. */
struct sdsim_cohort_table {
    struct sdsim_cohort_group *groups;
    uint32_t count;
    uint32_t room;
    uint32_t *slots; /* by digest: index of a group, or SDSIM_COHORT_NONE */
    uint32_t slot_count;
};

/*
 * The group of a state, which the table takes, or the pool gets back if there is a group already;
 * SDSIM_COHORT_NONE without memory. `shift`, unless NULL, gets what the state's account has more than
 * the group's. Pointers to groups are invalid afterwards.
 */
uint32_t sdsim_cohort_table_take(struct sdsim_cohort_table *table, struct sdsim_cohort_pool *pool,
                                 struct sdsim_cohort_state *state, struct sdsim_account *shift);

void sdsim_cohort_table_clear(struct sdsim_cohort_table *table, struct sdsim_cohort_pool *pool);
void sdsim_cohort_table_free(struct sdsim_cohort_table *table, struct sdsim_cohort_pool *pool);

/* x + y - z, cell by cell. */
void sdsim_cohort_shift(struct sdsim_account *x, const struct sdsim_account *y,
                        const struct sdsim_account *z);

/* Room for more of something of `size` bytes each; false without memory. */
bool sdsim_cohort_grow(void **items, uint32_t *room, size_t size);

#endif

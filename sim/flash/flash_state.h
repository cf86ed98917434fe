/*
 * What the next answers of the flash depend on, apart from its luck.
 *
 * Its luck is which block written, or which command that reads, brings an event: the random numbers
 * and the distances to the events. Two cards of one profile differ in nothing else, so what is between
 * two events can be worked out once for many of them (setup/cohort.h): their luck is taken out, and
 * given back where an event is near.
 */
#ifndef SDSIM_FLASH_FLASH_STATE_H
#define SDSIM_FLASH_FLASH_STATE_H

#include "core/digest.h"
#include "flash/flash.h"

struct sdsim_flash_luck {
    struct sdsim_rng rng;
    bool typical;
    uint64_t blocks_written;
    uint64_t next_pause;
    uint64_t next_rare;
    uint64_t next_start;
    uint64_t starts_left;
    uint64_t slow_phase;
};

/* Its luck; gives it another; leaves it without events, which `rd_slow` levels are not. */
struct sdsim_flash_luck sdsim_flash_luck_of(const struct sdsim_flash *flash);
void sdsim_flash_set_luck(struct sdsim_flash *flash, const struct sdsim_flash_luck *luck);
void sdsim_flash_no_luck(struct sdsim_flash *flash);

/* Whether something happens within the next `blocks` blocks written. */
static inline bool sdsim_flash_luck_strikes(const struct sdsim_flash_luck *luck, uint64_t blocks)
{
    const uint64_t end = luck->blocks_written + blocks;
    return luck->next_pause <= end || luck->next_rare <= end || luck->next_start <= end;
}

/* Whether commands that read need luck, too. */
bool sdsim_flash_reads_need_luck(const struct sdsim_flash *flash);

void sdsim_flash_digest(const struct sdsim_flash *flash, sdsim_ps now, struct sdsim_digest *digest);

/* When everything that runs by itself is over: if nothing is asked of the flash before, it does not
 * matter when. */
sdsim_ps sdsim_flash_settles(const struct sdsim_flash *flash);

#endif

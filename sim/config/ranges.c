#include "config/ranges.h"

#include <string.h>

#include "config/config.h"
#include "core/rng.h"

/* How much the values of one profile share their luck. */
#define COMMON_LUCK 0.85

/*
 * A number for each value of each profile in each draw, the same whatever else changes. What is
 * slow in one way is slow in others: with a chance of COMMON_LUCK a value has the number all values
 * of its profile share, else one of its own. Each by itself is uniform.
 */
static double luck_of(const char *profile, const char *path, const struct sdsim_draw *draw)
{
    uint64_t hash = sdsim_hash_number(0, draw->seed);
    hash = sdsim_hash_number(hash, draw->k);
    hash = sdsim_hash_text(hash, profile);
    const uint64_t own = sdsim_hash_text(hash, path);
    const bool common = sdsim_hash_unit(sdsim_hash_number(own, 1)) < COMMON_LUCK;
    return sdsim_hash_unit(common ? sdsim_hash_number(hash, 2) : own);
}

struct sdsim_scalar sdsim_ranged_draw(const struct sdsim_ranged *ranged, const char *profile,
                                      const struct sdsim_draw *draw)
{
    return sdsim_value_draw(ranged->key, &ranged->value, &ranged->low, &ranged->high,
                            luck_of(profile, ranged->path, draw));
}

bool sdsim_ranges_add(struct sdsim_config *config, struct sdsim_ranges *ranges,
                      const struct sdsim_ranged *ranged)
{
    struct sdsim_ranged *kept = sdsim_arena_alloc(&config->arena, 1, sizeof *kept);
    const char *path = sdsim_arena_text(&config->arena, ranged->path, strlen(ranged->path));
    if (kept == NULL || path == NULL) {
        return false;
    }
    *kept = *ranged;
    kept->path = path;
    kept->next = ranges->first;
    ranges->first = kept;
    return true;
}

void sdsim_ranges_draw(const struct sdsim_ranges *ranges, const struct sdsim_draw *draw, void *out)
{
    for (const struct sdsim_ranged *at = ranges->first; at != NULL; at = at->next) {
        const struct sdsim_scalar drawn = sdsim_ranged_draw(at, ranges->profile, draw);
        sdsim_scalar_store(at->key, &drawn, (unsigned char *)out + at->offset);
    }
}

void sdsim_scalar_store(const struct sdsim_key *key, const struct sdsim_scalar *value, void *out)
{
    switch (key->type) {
    case SDSIM_VALUE_NUMBER:
        memcpy(out, &value->real, sizeof value->real);
        break;
    case SDSIM_VALUE_BOOL:
        memcpy(out, &value->flag, sizeof value->flag);
        break;
    case SDSIM_VALUE_CHOICE:
        memcpy(out, &value->choice, sizeof value->choice);
        break;
    case SDSIM_VALUE_QUANTITY:
        memcpy(out, &value->quantity, sizeof value->quantity);
        break;
    default:
        memcpy(out, &value->whole, sizeof value->whole);
        break;
    }
}

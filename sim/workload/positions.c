#include "workload/positions.h"

#include <assert.h>

#include "core/rng.h"

enum pattern {
    IN_SEQUENCE,
    AT_RANDOM,
    IN_REGIONS,
};

enum { ROUNDS = 4 }; /* of the Feistel network; three already make a pseudorandom permutation */

static uint64_t at_least_one(uint64_t count)
{
    return count > 0 ? count : 1;
}

/* How many sets of regions fit into the span before all begins again. */
static uint64_t count_sets(const struct sdsim_positions *positions, uint64_t span)
{
    const uint64_t whole = positions->streams * positions->distance;
    const uint64_t least = whole - positions->distance + positions->region; /* of one set */
    const uint64_t rest = span % whole;
    const uint64_t more = rest >= least ? (rest - least) / positions->region + 1 : 0;
    return at_least_one(span / whole * positions->moves +
                        (more < positions->moves ? more : positions->moves));
}

static void init_regions(struct sdsim_positions *positions,
                         const struct sdsim_workload_params *params)
{
    positions->pattern = IN_REGIONS;
    positions->shuffled = params->order == SDSIM_ORDER_RANDOM ||
                          sdsim_workload_is_random((enum sdsim_action)params->action);
    positions->streams = at_least_one(params->streams);
    positions->region = params->region;
    positions->distance = params->stream_distance > 0 ? params->stream_distance : positions->region;
    positions->places = positions->region / params->call;
    positions->moves = positions->distance / positions->region;
    positions->sets = count_sets(positions, params->span);
}

void sdsim_positions_init(struct sdsim_positions *positions,
                          const struct sdsim_workload_params *params)
{
    const uint64_t start = params->target != SDSIM_ON_FILE ? params->start : 0;
    *positions = (struct sdsim_positions){
        .pattern = IN_SEQUENCE,
        .seed = sdsim_hash_text(params->seed, "positions"),
        .first = start,
        .step = params->call,
    };
    if (sdsim_workload_in_regions(params)) {
        init_regions(positions, params);
    } else if (sdsim_workload_is_random((enum sdsim_action)params->action)) {
        positions->pattern = AT_RANDOM;
        positions->first = start + params->offset;
        positions->step = params->align > 0 ? params->align : params->call;
        positions->places = (params->span - params->offset - params->call) / positions->step + 1;
    } else {
        positions->places = params->span / params->call;
    }
}

/* ---- permutations ---- */

/* Bits of each half, so that both together number at least `count` values. */
static unsigned half_bits(uint64_t count)
{
    unsigned bits = 1;
    while (bits < 32 && (count - 1) >> (2 * bits) != 0) {
        bits++;
    }
    return bits;
}

/* One way through the network: a permutation of all numbers of 2 * bits bits. */
static uint64_t scramble(uint64_t key, unsigned bits, uint64_t number)
{
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    uint64_t left = number >> bits;
    uint64_t right = number & mask;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t next = left ^ (sdsim_mix(key ^ (round << 56) ^ right) & mask);
        left = right;
        right = next;
    }
    return left << bits | right;
}

uint64_t sdsim_permuted(uint64_t key, uint64_t count, uint64_t index)
{
    assert(index < count);
    const unsigned bits = half_bits(count);
    uint64_t number = index;
    do { /* ends: the cycle that index lies on comes back to it at the latest */
        number = scramble(key, bits, number);
    } while (number >= count);
    return number;
}

/* ---- positions ---- */

static uint64_t random_place(const struct sdsim_positions *positions, uint64_t index)
{
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, sdsim_hash_number(positions->seed, index));
    return sdsim_rng_below(&rng, positions->places);
}

static uint64_t in_regions(const struct sdsim_positions *positions, uint64_t index)
{
    const uint64_t turn = index / positions->streams;
    const uint64_t stream = index % positions->streams;
    const uint64_t round = turn / positions->places; /* sets that are full already */
    const uint64_t set = round % positions->sets;
    uint64_t place = turn % positions->places;
    if (positions->shuffled) {
        const uint64_t key = sdsim_hash_number(sdsim_hash_number(positions->seed, round), stream);
        place = sdsim_permuted(key, positions->places, place);
    }
    return positions->first +
           (set / positions->moves * positions->streams + stream) * positions->distance +
           set % positions->moves * positions->region + place * positions->step;
}

uint64_t sdsim_position(const struct sdsim_positions *positions, uint64_t index)
{
    switch ((enum pattern)positions->pattern) {
    case AT_RANDOM:
        return positions->first + random_place(positions, index) * positions->step;
    case IN_REGIONS:
        return in_regions(positions, index);
    case IN_SEQUENCE:
    default:
        return positions->first +
               (positions->places > 0 ? index % positions->places : index) * positions->step;
    }
}

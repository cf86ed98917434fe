#include "borders.h"

void sdsim_border_scan_free(struct sdsim_border_scan *scan)
{
    for (unsigned k = 0; k < SDSIM_BORDER_POWERS; k++) {
        sdsim_samples_free(&scan->classes[k][0]);
        sdsim_samples_free(&scan->classes[k][1]);
    }
}

unsigned sdsim_border_power(uint32_t lba)
{
    unsigned k = 0;
    while (k + 1 < SDSIM_BORDER_POWERS && lba != 0 && (lba >> k & 1) == 0) {
        k++;
    }
    return lba == 0 ? SDSIM_BORDER_POWERS - 1 : k;
}

/* A distance between borders: 2^power, or three times that. */
struct distance {
    unsigned power;
    bool three;
};

static bool shows_in(struct distance distance, unsigned k, unsigned three)
{
    return k >= distance.power && (three != 0 || !distance.three);
}

/* Whether all classes a border of that distance shows in are above the level, and there is one. */
static bool all_above(struct sdsim_border_scan *scan, struct distance distance, double level)
{
    bool some = false;
    for (unsigned k = distance.power; k < SDSIM_BORDER_POWERS; k++) {
        for (unsigned three = distance.three ? 1 : 0; three < 2; three++) {
            struct sdsim_samples *samples = &scan->classes[k][three];
            if (samples->count == 0) {
                continue;
            }
            some |= k == distance.power;
            if (sdsim_samples_facts(samples).median <= level) {
                return false;
            }
        }
    }
    return some;
}

/* The mean of what shows at one distance and not at the next larger one; if there is none, everything. */
static double typical_of(struct sdsim_border_scan *scan, struct distance here,
                         const struct distance *next)
{
    double sum = 0;
    unsigned count = 0;
    for (unsigned k = 0; k < SDSIM_BORDER_POWERS; k++) {
        for (unsigned three = 0; three < 2; three++) {
            struct sdsim_samples *samples = &scan->classes[k][three];
            if (samples->count > 0 && shows_in(here, k, three) &&
                (next == NULL || !shows_in(*next, k, three))) {
                sum += sdsim_samples_facts(samples).median;
                count++;
            }
        }
    }
    return count > 0 ? sum / count : 0;
}

static uint32_t blocks_of(struct distance distance)
{
    return (distance.three ? UINT32_C(3) : UINT32_C(1)) << distance.power;
}

/* The smallest distance of more than `above` blocks whose places are all above the level: 1, 2, 3, 4, 6,
 * 8, 12 and so on. */
static bool find_distance(struct sdsim_border_scan *scan, uint32_t above, double level,
                          struct distance *found)
{
    for (unsigned k = 0; k < SDSIM_BORDER_POWERS; k++) {
        const struct distance pair[] = {{k, false}, {k > 0 ? k - 1 : 0, true}};
        for (unsigned i = 0; i < (k > 0 ? 2 : 1); i++) {
            if (blocks_of(pair[i]) > above && all_above(scan, pair[i], level)) {
                *found = pair[i];
                return true;
            }
        }
    }
    return false;
}

/* What is seen at the places of a distance that are of no larger one. */
static double own_level(struct sdsim_border_scan *scan, struct distance distance)
{
    struct sdsim_samples *own = &scan->classes[distance.power][distance.three ? 1 : 0];
    return own->count > 0 ? sdsim_samples_facts(own).median : typical_of(scan, distance, NULL);
}

unsigned sdsim_border_levels(struct sdsim_border_scan *scan, double base, double slack,
                             struct sdsim_border_level *levels, unsigned most)
{
    struct distance distances[8];
    const unsigned room = sizeof distances / sizeof *distances;
    unsigned count = 0;
    double level = base;
    while (count < most && count < room) {
        const uint32_t above = count > 0 ? blocks_of(distances[count - 1]) : 0;
        if (!find_distance(scan, above, level * 1.03 + slack, &distances[count])) {
            break;
        }
        level = own_level(scan, distances[count]);
        count++;
    }
    for (unsigned i = 0; i < count; i++) {
        levels[i].blocks = blocks_of(distances[i]);
        levels[i].typical =
            typical_of(scan, distances[i], i + 1 < count ? &distances[i + 1] : NULL);
    }
    return count;
}

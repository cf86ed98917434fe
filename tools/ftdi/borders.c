#include "borders.h"

enum { SDSIM_BORDERS = 8 };

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

static uint32_t blocks_of(struct distance distance)
{
    return (distance.three ? UINT32_C(3) : UINT32_C(1)) << distance.power;
}

/* What was found so far. */
struct found {
    struct sdsim_border_scan *scan;
    double base;
    double slack;
    struct distance distances[SDSIM_BORDERS];
    double steps[SDSIM_BORDERS];
    unsigned count;
};

/* What a class of places takes by that. */
static double expected_at(const struct found *found, unsigned k, unsigned three)
{
    double bytes = found->base;
    for (unsigned i = 0; i < found->count; i++) {
        bytes += shows_in(found->distances[i], k, three) ? found->steps[i] : 0;
    }
    return bytes;
}

/* Whether all classes a border of that distance shows in take longer, and some are its own. */
static bool all_above(const struct found *found, struct distance distance)
{
    bool own = false;
    for (unsigned k = distance.power; k < SDSIM_BORDER_POWERS; k++) {
        for (unsigned three = distance.three ? 1 : 0; three < 2; three++) {
            struct sdsim_samples *samples = &found->scan->classes[k][three];
            if (samples->count == 0) {
                continue;
            }
            own |= k == distance.power;
            if (sdsim_samples_facts(samples).median <=
                expected_at(found, k, three) * SDSIM_SAMPLE_SCATTER + found->slack) {
                return false;
            }
        }
    }
    return own;
}

/* How much longer: at its own places, which are at no larger border, both with three and without. */
static double step_at(const struct found *found, struct distance distance)
{
    double sum = 0;
    unsigned count = 0;
    for (unsigned three = distance.three ? 1 : 0; three < 2; three++) {
        struct sdsim_samples *samples = &found->scan->classes[distance.power][three];
        if (samples->count > 0 && (three == 0 || distance.three)) {
            sum += sdsim_samples_facts(samples).median - expected_at(found, distance.power, three);
            count++;
        }
    }
    if (count == 0) {
        sum = sdsim_samples_facts(&found->scan->classes[distance.power][1]).median -
              expected_at(found, distance.power, 1);
        count = 1;
    }
    return sum / count;
}

/* What crossing takes at these places, in all: as a distribution. */
static struct sdsim_spread_facts spread_at(const struct found *found, struct distance distance)
{
    struct sdsim_samples *samples = &found->scan->classes[distance.power][0];
    if (distance.three || samples->count == 0) {
        samples = &found->scan->classes[distance.power][1];
    }
    return sdsim_samples_facts(samples);
}

/* The smallest distance of more than `above` blocks whose places all take longer: 1, 2, 3, 4, 6, 8, 12 and
 * so on. */
static bool find_distance(const struct found *found, uint32_t above, struct distance *distance)
{
    for (unsigned k = 0; k < SDSIM_BORDER_POWERS; k++) {
        const struct distance pair[] = {{k, false}, {k > 0 ? k - 1 : 0, true}};
        for (unsigned i = 0; i < (k > 0 ? 2 : 1); i++) {
            if (blocks_of(pair[i]) > above && all_above(found, pair[i])) {
                *distance = pair[i];
                return true;
            }
        }
    }
    return false;
}

unsigned sdsim_border_levels(struct sdsim_border_scan *scan, double base, double slack,
                             struct sdsim_border_level *levels, unsigned most)
{
    struct found found = {.scan = scan, .base = base, .slack = slack};
    uint32_t above = 0;
    while (found.count < most && found.count < SDSIM_BORDERS) {
        struct distance distance;
        if (!find_distance(&found, above, &distance)) {
            break;
        }
        const double step = step_at(&found, distance);
        above = blocks_of(distance);
        levels[found.count] = (struct sdsim_border_level){above, step, spread_at(&found, distance)};
        found.distances[found.count] = distance;
        found.steps[found.count] = step;
        found.count++;
    }
    return found.count;
}

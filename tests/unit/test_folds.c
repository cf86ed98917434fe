/* Folds: sources stay whole, five of about one size, the same in any order of the records. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "core/rng.h"
#include "measure/folds.h"

#define MOST 4000

/* A list of records with its own texts. */
struct list {
    struct sdsim_measurements records;
    struct sdsim_measurement items[MOST];
    char sources[MOST][24];
    char groups[MOST][24];
    unsigned folds[MOST];
};

/* Adds a record; group -1: none said. */
static void add(struct list *list, unsigned source, int group)
{
    const size_t i = list->records.count++;
    assert_true(i < MOST);
    snprintf(list->sources[i], sizeof *list->sources, "source %u", source);
    if (group >= 0) {
        snprintf(list->groups[i], sizeof *list->groups, "group %d", group);
    } else {
        list->groups[i][0] = '\0';
    }
    list->items[i] =
        (struct sdsim_measurement){.source = list->sources[i], .group = list->groups[i]};
    list->records.items = list->items;
}

static struct list *create(void)
{
    struct list *list = calloc(1, sizeof *list);
    assert_non_null(list);
    return list;
}

/* Sources of `sizes` groups, of three records each. */
static struct list *create_sources(const unsigned *sizes, unsigned count)
{
    struct list *list = create();
    int group = 0;
    for (unsigned s = 0; s < count; s++) {
        for (unsigned g = 0; g < sizes[s]; g++, group++) {
            for (int record = 0; record < 3; record++) {
                add(list, s, group);
            }
        }
    }
    return list;
}

static void assign(struct list *list, uint64_t seed)
{
    assert_true(sdsim_folds_assign(&list->records, SDSIM_FOLDS, seed, list->folds));
}

/* How many groups of `list` are in each fold; the records of a group stand together. */
static void count_groups(const struct list *list, size_t sizes[SDSIM_FOLDS])
{
    memset(sizes, 0, SDSIM_FOLDS * sizeof *sizes);
    for (size_t i = 0; i < list->records.count; i++) {
        assert_in_range(list->folds[i], 1, SDSIM_FOLDS);
        if (i == 0 || strcmp(list->groups[i], list->groups[i - 1]) != 0) {
            sizes[list->folds[i] - 1]++;
        }
    }
}

static void test_whole_sources(void **state)
{
    (void)state;
    static const unsigned sizes[] = {1, 7, 3, 3, 20, 1, 1, 2, 5, 4, 9, 1, 1};
    struct list *list = create_sources(sizes, sizeof sizes / sizeof *sizes);
    for (uint64_t seed = 0; seed < 50; seed++) {
        assign(list, seed);
        for (size_t i = 1; i < list->records.count; i++) {
            if (strcmp(list->sources[i], list->sources[i - 1]) == 0) {
                assert_int_equal(list->folds[i], list->folds[i - 1]);
            }
        }
    }
    free(list);
}

/* No fold can be ahead of another by more than the largest source. */
static void test_balanced(void **state)
{
    (void)state;
    static const struct {
        unsigned sizes[20];
        unsigned count;
        size_t largest;
    } rows[] = {
        {{1, 1, 1, 1, 1}, 5, 0}, /* one each */
        {{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 10, 0},
        {{1, 1, 1, 1, 1, 1, 1}, 7, 1},
        {{1, 9, 2, 4, 3, 3, 5, 1, 1, 8, 2, 2, 1, 6, 1, 1, 7, 2, 3, 1}, 20, 9},
        {{50, 1, 1, 1, 1, 1, 1}, 7, 50},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct list *list = create_sources(rows[r].sizes, rows[r].count);
        for (uint64_t seed = 0; seed < 30; seed++) {
            size_t sizes[SDSIM_FOLDS];
            assign(list, seed);
            count_groups(list, sizes);
            size_t least = SIZE_MAX;
            size_t most = 0;
            for (size_t f = 0; f < SDSIM_FOLDS; f++) {
                least = sizes[f] < least ? sizes[f] : least;
                most = sizes[f] > most ? sizes[f] : most;
            }
            if (least == 0 || most - least > rows[r].largest) {
                fail_msg("row %zu, seed %llu: from %zu to %zu groups", r, (unsigned long long)seed,
                         least, most);
            }
        }
        free(list);
    }
}

/* A group counts once, however many records it has; records without a group count each. */
static void test_counts_groups(void **state)
{
    (void)state;
    struct list *list = create();
    for (unsigned source = 0; source < 5; source++) {
        for (unsigned record = 0; record < (source == 3 ? 400 : 1); record++) {
            add(list, source, (int)source);
        }
    }
    for (unsigned source = 5; source < 10; source++) {
        add(list, source, -1);
    }
    for (uint64_t seed = 0; seed < 30; seed++) {
        size_t sources[SDSIM_FOLDS] = {0};
        assign(list, seed);
        for (size_t i = 0; i < list->records.count; i++) {
            if (i == 0 || strcmp(list->sources[i], list->sources[i - 1]) != 0) {
                sources[list->folds[i] - 1]++;
            }
        }
        for (size_t f = 0; f < SDSIM_FOLDS; f++) {
            assert_int_equal(sources[f], 2);
        }
    }
    free(list);
    list = create(); /* one source of three lone records, and four of one group of three */
    for (unsigned source = 0; source < 5; source++) {
        for (int record = 0; record < 3; record++) {
            add(list, source, source == 0 ? -1 : (int)source);
        }
    }
    for (unsigned source = 5; source < 9; source++) {
        add(list, source, (int)source);
    }
    for (uint64_t seed = 0; seed < 30; seed++) {
        unsigned alone = 0;
        assign(list, seed);
        for (size_t i = 3; i < list->records.count; i++) {
            alone += list->folds[i] == list->folds[0];
        }
        assert_true(alone <= 3); /* records; whoever shares its fold came before it */
    }
    free(list);
}

/* Shuffled records get the same folds, also where a group name stands in several sources. */
static void test_any_order(void **state)
{
    (void)state;
    struct sdsim_rng rng;
    struct list *list = create();
    struct list *other = create();
    size_t places[MOST];
    const uint64_t seed = 20;
    sdsim_rng_seed(&rng, seed);
    for (int i = 0; i < 600; i++) {
        const unsigned source = (unsigned)sdsim_rng_below(&rng, 40);
        const int group = (int)sdsim_rng_below(&rng, 60) - 5;
        add(list, source, group < 0 ? -1 : group);
    }
    assign(list, SDSIM_FOLD_SEED);
    for (int round = 0; round < 50; round++) {
        const size_t count = list->records.count;
        for (size_t i = 0; i < count; i++) {
            const size_t j = (size_t)sdsim_rng_below(&rng, i + 1);
            places[i] = places[j];
            places[j] = i;
        }
        for (size_t i = 0; i < count; i++) {
            other->items[i] = list->items[places[i]];
        }
        other->records = (struct sdsim_measurements){.items = other->items, .count = count};
        assign(other, SDSIM_FOLD_SEED);
        for (size_t i = 0; i < count; i++) {
            if (other->folds[i] != list->folds[places[i]]) {
                fail_msg("seed %llu, round %d: %s in fold %u, then %u", (unsigned long long)seed,
                         round, list->sources[places[i]], list->folds[places[i]], other->folds[i]);
            }
        }
    }
    free(other);
    free(list);
}

/* Another seed, another split; the same seed, the same. */
static void test_seed(void **state)
{
    (void)state;
    static const unsigned sizes[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct list *list = create_sources(sizes, 15);
    unsigned first[MOST];
    unsigned different = 0;
    assign(list, 1);
    memcpy(first, list->folds, sizeof first);
    for (uint64_t seed = 2; seed < 12; seed++) {
        assign(list, seed);
        different += memcmp(first, list->folds, sizeof first) != 0;
    }
    assert_int_equal(different, 10);
    assign(list, 1);
    assert_memory_equal(first, list->folds, sizeof first);
    free(list);
}

static void test_few(void **state)
{
    (void)state;
    struct list *list = create();
    assign(list, 1); /* nothing at all */
    add(list, 0, -1);
    add(list, 0, -1);
    assign(list, 1);
    assert_int_equal(list->folds[0], 1);
    assert_int_equal(list->folds[1], 1);
    sdsim_test_fail_allocation(1);
    assert_false(sdsim_folds_assign(&list->records, SDSIM_FOLDS, 1, list->folds));
    assert_true(sdsim_test_allocation_failed());
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_sources), cmocka_unit_test(test_balanced),
        cmocka_unit_test(test_counts_groups), cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_seed),          cmocka_unit_test(test_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

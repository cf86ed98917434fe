/* The account books every picosecond once, and splits waits by the rule of core/account.h. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core/account.h"
#include "core/rng.h"

struct listener {
    struct sdsim_recorder recorder; /* first, so that a pointer to it is one to the listener */
    struct sdsim_span spans[8];
    size_t count;
};

static void listen(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    struct listener *const listener = (struct listener *)recorder;
    assert_true(listener->count < sizeof(listener->spans) / sizeof(*listener->spans));
    listener->spans[listener->count++] = *span;
}

static sdsim_ps cell(const struct sdsim_meter *meter, enum sdsim_kind kind)
{
    return meter->account.ps[meter->purpose][kind];
}

struct wait_row {
    const char *name;
    sdsim_ps from, to, ready_at, pause;
    sdsim_ps normal, paused, poll; /* expected */
};

/* From 1000 on; the card's normal work comes first and its pause last. */
static const struct wait_row waits[] = {
    {"nothing at all", 1000, 1000, 1000, 0, 0, 0, 0},
    {"ready long ago", 1000, 1300, 400, 0, 0, 0, 300},
    {"ready long ago, after a pause", 1000, 1300, 400, 300, 0, 0, 300},
    {"ready at the start", 1000, 1300, 1000, 0, 0, 0, 300},
    {"ready at the start, after a pause", 1000, 1300, 1000, 500, 0, 0, 300},
    {"normal work only", 1000, 1300, 1200, 0, 200, 0, 100},
    {"normal work to the end", 1000, 1300, 1300, 0, 300, 0, 0},
    {"pause last", 1000, 1300, 1250, 100, 150, 100, 50},
    {"pause to the end", 1000, 1300, 1300, 100, 200, 100, 0},
    {"host comes late, sees the tail of the pause", 1000, 1300, 1200, 700, 0, 200, 100},
    {"pause begins just then", 1000, 1300, 1200, 200, 0, 200, 100},
    {"pause longer than all time before", 1000, 1300, 1200, 5000, 0, 200, 100},
    {"host gives up in normal work", 1000, 1300, 9000, 100, 300, 0, 0},
    {"host gives up in the pause", 1000, 1300, 9000, 7900, 100, 200, 0},
    {"host gives up at the start of the pause", 1000, 1300, 9000, 7700, 300, 0, 0},
    {"host gives up, all pause", 1000, 1300, 9000, 8500, 0, 300, 0},
    {"from the beginning of time", 0, 300, 200, 150, 50, 150, 100},
    {"the card never gets ready", 1000, 1300, SDSIM_TIME_END, 0, 300, 0, 0},
};

static void waits_are_split_by_the_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
        const struct wait_row *const row = &waits[i];
        for (int busy = 0; busy < 2; busy++) {
            const enum sdsim_kind normal = busy ? SDSIM_BUSY : SDSIM_ACCESS;
            struct sdsim_meter meter = {.purpose = SDSIM_FOR_FAT};
            sdsim_book_wait(&meter, normal, row->from, row->to, row->ready_at, row->pause);
            const sdsim_ps wait = row->normal + row->paused;
            if (cell(&meter, normal) != row->normal || cell(&meter, SDSIM_PAUSE) != row->paused ||
                cell(&meter, SDSIM_POLL) != row->poll ||
                sdsim_account_total(&meter.account) != row->to - row->from) {
                fail_msg("%s", row->name);
            }
            if (meter.counters.longest_wait != wait ||
                meter.counters.longest_wait_at != (wait != 0 ? row->from : 0)) {
                fail_msg("%s: longest wait", row->name);
            }
        }
    }
}

/* What the recorder hears about a wait is what was booked, without a gap: in the card's lane, and the
 * poll behind it in that of the CPU. */
static void waits_are_recorded_as_booked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
        const struct wait_row *const row = &waits[i];
        struct listener listener = {.recorder = {.span = listen}};
        struct sdsim_meter meter = {.purpose = SDSIM_FOR_DIRECTORY, .recorder = &listener.recorder};
        sdsim_book_wait(&meter, SDSIM_BUSY, row->from, row->to, row->ready_at, row->pause);
        sdsim_ps at = row->from;
        sdsim_ps heard[SDSIM_KIND_COUNT] = {0};
        for (size_t s = 0; s < listener.count; s++) {
            const struct sdsim_span *const span = &listener.spans[s];
            if (span->start != at || span->duration == 0 || span->count != 1 ||
                span->lane != (span->kind == SDSIM_POLL ? SDSIM_LANE_CPU : SDSIM_LANE_CARD) ||
                span->purpose != SDSIM_FOR_DIRECTORY) {
                fail_msg("%s: span %zu", row->name, s);
            }
            heard[span->kind] += span->duration;
            at += span->duration;
        }
        if (heard[SDSIM_BUSY] != row->normal || heard[SDSIM_PAUSE] != row->paused ||
            heard[SDSIM_POLL] != row->poll) {
            fail_msg("%s: recorded other than booked", row->name);
        }
    }
}

static void random_waits_add_up(void **state)
{
    (void)state;
    const uint64_t seed = 99;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    struct sdsim_meter meter = {.purpose = SDSIM_FOR_DATA};
    sdsim_ps total = 0;
    sdsim_ps longest = 0;
    for (int round = 0; round < 20000; round++) {
        const sdsim_ps from = sdsim_rng_below(&rng, 1000);
        const sdsim_ps to = from + sdsim_rng_below(&rng, 1000);
        const sdsim_ps ready_at = sdsim_rng_below(&rng, 2500);
        const sdsim_ps pause = sdsim_rng_below(&rng, 2500);
        sdsim_book_wait(&meter, SDSIM_ACCESS, from, to, ready_at, pause);
        total += to - from;
        const sdsim_ps card = ready_at < from ? 0 : (ready_at > to ? to : ready_at) - from;
        longest = card > longest ? card : longest;
        if (sdsim_account_total(&meter.account) != total ||
            meter.counters.longest_wait != longest) {
            fail_msg("seed %llu, round %d", (unsigned long long)seed, round);
        }
    }
}

static void the_first_of_equal_waits_is_kept(void **state)
{
    (void)state;
    struct sdsim_meter meter = {0};
    sdsim_book_wait(&meter, SDSIM_BUSY, 100, 200, 150, 0);
    sdsim_book_wait(&meter, SDSIM_BUSY, 300, 400, 350, 0);
    assert_true(meter.counters.longest_wait == 50 && meter.counters.longest_wait_at == 100);
    sdsim_book_wait(&meter, SDSIM_ACCESS, 500, 600, 551, 20);
    assert_true(meter.counters.longest_wait == 51 && meter.counters.longest_wait_at == 500);
    sdsim_book_wait(&meter, SDSIM_ACCESS, 700, 800, 710, 0);
    assert_true(meter.counters.longest_wait == 51 && meter.counters.longest_wait_at == 500);
}

static void spend_books_moves_and_records(void **state)
{
    (void)state;
    struct listener listener = {.recorder = {.span = listen}};
    struct sdsim_meter meter = {.purpose = SDSIM_FOR_INIT, .recorder = &listener.recorder};
    sdsim_ps now = 5000;
    sdsim_spend(&meter, &now, SDSIM_PAYLOAD, SDSIM_LANE_BUS, 700);
    sdsim_spend(&meter, &now, SDSIM_GAP, SDSIM_LANE_BUS, 0);
    meter.purpose = SDSIM_FOR_DATA;
    sdsim_spend(&meter, &now, SDSIM_HOST, SDSIM_LANE_CPU, 30);
    assert_true(now == 5730);
    assert_true(meter.account.ps[SDSIM_FOR_INIT][SDSIM_PAYLOAD] == 700);
    assert_true(meter.account.ps[SDSIM_FOR_DATA][SDSIM_HOST] == 30);
    assert_true(sdsim_account_total(&meter.account) == 730);
    assert_int_equal(listener.count, 2); /* an empty span is none */
    assert_true(listener.spans[0].start == 5000 && listener.spans[0].duration == 700);
    assert_int_equal(listener.spans[0].lane, SDSIM_LANE_BUS);
    assert_int_equal(listener.spans[0].kind, SDSIM_PAYLOAD);
    assert_int_equal(listener.spans[0].purpose, SDSIM_FOR_INIT);
    assert_true(listener.spans[1].start == 5700 && listener.spans[1].duration == 30);
    assert_int_equal(listener.spans[1].lane, SDSIM_LANE_CPU);
    assert_int_equal(listener.spans[1].purpose, SDSIM_FOR_DATA);

    meter.recorder = NULL;
    sdsim_book(&meter, SDSIM_COPY, 11);
    assert_true(now == 5730); /* booking alone moves no time */
    assert_true(sdsim_account_total(&meter.account) == 741);

    now = SDSIM_TIME_END - 5;
    sdsim_spend(&meter, &now, SDSIM_IDLE, SDSIM_LANE_TASK, 100);
    assert_true(now == SDSIM_TIME_END);
}

static void sums_of_rows_and_columns(void **state)
{
    (void)state;
    struct sdsim_account account = {0};
    sdsim_ps total = 0;
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
            account.ps[p][k] = (sdsim_ps)(1000 * p + k + 1); /* all different */
            total += account.ps[p][k];
        }
    }
    assert_true(sdsim_account_total(&account) == total);
    for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
        sdsim_ps sum = 0;
        for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
            sum += account.ps[p][k];
        }
        assert_true(sdsim_account_kind(&account, (enum sdsim_kind)k) == sum);
    }
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        sdsim_ps sum = 0;
        for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
            sum += account.ps[p][k];
        }
        assert_true(sdsim_account_purpose(&account, (enum sdsim_purpose)p) == sum);
    }
    account.ps[1][2] = SDSIM_TIME_END - 1;
    assert_true(sdsim_account_total(&account) == SDSIM_TIME_END);
    assert_true(sdsim_account_kind(&account, (enum sdsim_kind)2) == SDSIM_TIME_END);
    assert_true(sdsim_account_purpose(&account, (enum sdsim_purpose)1) == SDSIM_TIME_END);
}

static void names(void **state)
{
    (void)state;
    static const char *const kinds[] = {"payload", "protocol", "gap",  "poll", "access", "busy",
                                        "pause",   "copy",     "host", "idle", "outside"};
    static const char *const purposes[] = {"data",   "fat",  "directory", "fsinfo",
                                           "bitmap", "boot", "init"};
    assert_int_equal(sizeof(kinds) / sizeof(*kinds), SDSIM_KIND_COUNT);
    assert_int_equal(sizeof(purposes) / sizeof(*purposes), SDSIM_PURPOSE_COUNT);
    for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
        assert_string_equal(sdsim_kind_name((enum sdsim_kind)k), kinds[k]);
    }
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        assert_string_equal(sdsim_purpose_name((enum sdsim_purpose)p), purposes[p]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_are_split_by_the_rule),
        cmocka_unit_test(waits_are_recorded_as_booked),
        cmocka_unit_test(random_waits_add_up),
        cmocka_unit_test(the_first_of_equal_waits_is_kept),
        cmocka_unit_test(spend_books_moves_and_records),
        cmocka_unit_test(sums_of_rows_and_columns),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

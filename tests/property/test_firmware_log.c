/*
 * Whatever is recorded with tools/firmware/sdtrace.h comes back from sim/trace/firmware_log.h:
 * random calls of all kinds, hours and wraps of the clock apart, dumped as text among other output
 * or raw, with rings that are large enough or overflow in both ways. Where records were lost, the
 * reader knows how many. What was damaged on the way is left out, and nothing else changes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "firmware/trace_host.h"
#include "trace/firmware_log.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define MINUTE_US UINT64_C(60000000)
#define HOUR_US   (60 * MINUTE_US)

enum { CALLS = 400, RING_MAX = 2000, SMALL = 50 /* rings that overflow */, NAME_ROOM = 60 };

/* The numbers of the two sides are the same. */
_Static_assert((int)SDSIM_FIRMWARE_HEAD == (int)SDTRACE_HEAD &&
                   (int)SDSIM_FIRMWARE_END == (int)SDTRACE_END &&
                   (int)SDSIM_FIRMWARE_LOST == (int)SDTRACE_LOST &&
                   (int)SDSIM_FIRMWARE_EPOCH == (int)SDTRACE_EPOCH &&
                   (int)SDSIM_FIRMWARE_MORE == (int)SDTRACE_MORE &&
                   (int)SDSIM_FIRMWARE_NAME == (int)SDTRACE_NAME,
               "helpers");
_Static_assert((int)SDSIM_FIRMWARE_READ == (int)SDTRACE_READ &&
                   (int)SDSIM_FIRMWARE_WRITE == (int)SDTRACE_WRITE &&
                   (int)SDSIM_FIRMWARE_SYNC == (int)SDTRACE_SYNC &&
                   (int)SDSIM_FIRMWARE_TRIM == (int)SDTRACE_TRIM &&
                   (int)SDSIM_FIRMWARE_STATUS == (int)SDTRACE_STATUS,
               "blocks");
_Static_assert((int)SDSIM_FIRMWARE_OPEN == (int)SDTRACE_OPEN &&
                   (int)SDSIM_FIRMWARE_CLOSE == (int)SDTRACE_CLOSE &&
                   (int)SDSIM_FIRMWARE_FILE_READ == (int)SDTRACE_FILE_READ &&
                   (int)SDSIM_FIRMWARE_FILE_WRITE == (int)SDTRACE_FILE_WRITE &&
                   (int)SDSIM_FIRMWARE_FILE_SYNC == (int)SDTRACE_FILE_SYNC &&
                   (int)SDSIM_FIRMWARE_SEEK == (int)SDTRACE_SEEK &&
                   (int)SDSIM_FIRMWARE_MARK == (int)SDTRACE_MARK,
               "files");

/* How a test records. */
struct plan {
    const char *name;
    unsigned ring;
    enum sdtrace_when_full when_full;
    bool raw;
    bool dumps; /* now and then, not only at the end */
    uint64_t longest_gap_us;
    bool ticks; /* the slow clock is taken to be broken, sdtrace_tick() is called instead */
};

struct call {
    struct sdsim_firmware_event event;
    char name[NAME_ROOM];
};

struct world {
    struct sdsim_rng rng;
    const struct plan *plan;
    struct sdtrace trace;
    struct sdtrace_record ring[RING_MAX];
    struct call calls[CALLS];
    size_t count;
    uint64_t zero_us; /* what the recorder doesn't know: wraps before it started */
    char *bytes;
    size_t size;
};

static uint64_t below(struct world *world, uint64_t limit)
{
    return sdsim_rng_below(&world->rng, limit);
}

/* A gap: mostly none or short, seldom as long as the plan has it. */
static uint64_t random_gap(struct world *world)
{
    static const uint64_t spans[] = {1, 50, 5000, 1000000, MINUTE_US, 0};
    const uint64_t span = spans[below(world, COUNT(spans))];
    return below(world, span != 0 ? span : world->plan->longest_gap_us);
}

static void pass(struct world *world, uint64_t micros)
{
    while (world->plan->ticks && micros > 25 * MINUTE_US) {
        trace_host_micros += 25 * MINUTE_US;
        micros -= 25 * MINUTE_US;
        sdtrace_tick(&world->trace);
    }
    trace_host_micros += micros;
}

static uint32_t random_number(struct world *world)
{
    return (uint32_t)sdsim_rng_next(&world->rng) >> below(world, 32);
}

static void random_name(struct world *world, char *name)
{
    const size_t length = 1 + below(world, NAME_ROOM - 1);
    for (size_t i = 0; i < length; i++) {
        name[i] = (char)('!' + below(world, 90));
        if (name[i] == '"') {
            name[i] = '.';
        }
    }
    name[length] = '\0';
}

static const enum sdsim_firmware_kind kinds[] = {
    SDSIM_FIRMWARE_READ,      SDSIM_FIRMWARE_WRITE,     SDSIM_FIRMWARE_SYNC,
    SDSIM_FIRMWARE_TRIM,      SDSIM_FIRMWARE_STATUS,    SDSIM_FIRMWARE_OPEN,
    SDSIM_FIRMWARE_CLOSE,     SDSIM_FIRMWARE_FILE_READ, SDSIM_FIRMWARE_FILE_WRITE,
    SDSIM_FIRMWARE_FILE_SYNC, SDSIM_FIRMWARE_SEEK,      SDSIM_FIRMWARE_MARK,
    SDSIM_FIRMWARE_READ, /* more often */
    SDSIM_FIRMWARE_WRITE,
};

/* Records one call through the header. */
static void do_call(struct world *world, struct call *call)
{
    static const enum sdsim_open_mode modes[] = {
        [SDTRACE_READ_ONLY] = SDSIM_OPEN_READ,           [SDTRACE_CREATE] = SDSIM_OPEN_WRITE,
        [SDTRACE_CREATE_RW] = SDSIM_OPEN_WRITE_READ,     [SDTRACE_UPDATE] = SDSIM_OPEN_UPDATE,
        [SDTRACE_UPDATE_NEW] = SDSIM_OPEN_UPDATE_CREATE, [SDTRACE_APPEND] = SDSIM_OPEN_APPEND,
    };
    struct sdsim_firmware_event *event = &call->event;
    const enum sdtrace_kind kind = (enum sdtrace_kind)event->kind;
    const int32_t result = below(world, 8) == 0 ? (int32_t)random_number(world) : 0;
    const uint32_t start = sdtrace_now();
    if (event->kind != SDSIM_FIRMWARE_MARK) {
        pass(world, random_gap(world) % (40 * MINUTE_US));
        event->result = (uint8_t)(result != 0 && (result & 0xFF) == 0 ? 0xFF : result);
    }
    switch (event->kind) {
    case SDSIM_FIRMWARE_READ:
    case SDSIM_FIRMWARE_WRITE:
    case SDSIM_FIRMWARE_TRIM:
        event->lba = random_number(world);
        event->count = random_number(world);
        sdtrace_block(&world->trace, kind, event->lba, event->count, start, result);
        break;
    case SDSIM_FIRMWARE_SYNC:
    case SDSIM_FIRMWARE_STATUS:
        sdtrace_block(&world->trace, kind, 0, 0, start, result);
        break;
    case SDSIM_FIRMWARE_OPEN: {
        const unsigned mode = (unsigned)below(world, COUNT(modes));
        event->handle = (uint8_t)random_number(world);
        event->bytes = random_number(world);
        event->mode = modes[mode];
        random_name(world, call->name);
        sdtrace_open(&world->trace, event->handle, call->name, (enum sdtrace_mode)mode,
                     (uint32_t)event->bytes, start, result);
        break;
    }
    case SDSIM_FIRMWARE_MARK:
        event->count = (uint16_t)random_number(world);
        event->value = random_number(world);
        sdtrace_mark(&world->trace, (uint16_t)event->count, event->value);
        break;
    default:
        event->handle = (uint8_t)random_number(world);
        event->bytes = (uint64_t)random_number(world) << below(world, 9);
        sdtrace_file(&world->trace, kind, event->handle, event->bytes, start, result);
        break;
    }
}

static void record_call(struct world *world)
{
    struct call *call = &world->calls[world->count++];
    memset(call, 0, sizeof *call);
    pass(world, random_gap(world));
    call->event.kind = kinds[below(world, COUNT(kinds))];
    const uint64_t start = trace_host_micros;
    do_call(world, call);
    call->event.start = (start - world->zero_us) * SDSIM_US;
    call->event.duration = (trace_host_micros - start) * SDSIM_US;
}

/* Other output between the lines, some of it looking like theirs. */
static void make_noise(struct world *world)
{
    static const char *const noises[] = {
        "I (4712) main: free heap 123456\r\n",
        "[12:34:56.789] ",
        "s",
        "sdt1:",
        "sdt1:AAAA\n",
        "\xff\xfe\x01",
        "\r\n\r\n",
        "sdt1:sdt1:",
        "sdt",
    };
    while (!world->plan->raw && below(world, 3) == 0) {
        fputs(noises[below(world, COUNT(noises))], trace_host_out);
    }
}

static void dump(struct world *world)
{
    if (world->plan->raw) {
        sdtrace_dump_raw(&world->trace);
    } else if (below(world, 2) == 0) {
        while (sdtrace_print(&world->trace, 1 + (unsigned)below(world, 5)) != 0) {
            make_noise(world);
        }
    } else {
        make_noise(world);
        sdtrace_dump(&world->trace);
    }
}

/* Records random calls; the output is in world->bytes. */
static void record(struct world *world, const struct plan *plan, uint64_t seed)
{
    memset(world, 0, sizeof *world);
    world->plan = plan;
    sdsim_rng_seed(&world->rng, seed);
    trace_host_micros = sdsim_rng_next(&world->rng) >> (8 + below(world, 50));
    if (below(world, 2) == 0) { /* shortly before a wrap */
        trace_host_micros |= UINT64_C(0xFFFF0000);
    }
    world->zero_us = trace_host_micros >> 32 << 32;
    trace_host_out = open_memstream(&world->bytes, &world->size);
    assert_non_null(trace_host_out);
    sdtrace_init(&world->trace, world->ring, plan->ring, plan->when_full);
    while (world->count < CALLS) {
        record_call(world);
        if (plan->dumps && below(world, 20) == 0) {
            dump(world);
        }
    }
    dump(world);
    assert_int_equal(fclose(trace_host_out), 0);
}

static struct sdsim_firmware_log *open_log(struct world *world, struct sdsim_diags *diags)
{
    struct sdsim_input *input = sdsim_input_memory("test", world->bytes, world->size, diags);
    assert_non_null(input);
    struct sdsim_firmware_log *log = sdsim_firmware_log_open(input);
    if (log == NULL) {
        sdsim_diags_print(diags, stdout);
        fail();
    }
    return log;
}

static bool same(const struct call *call, const struct sdsim_firmware_event *event, bool time)
{
    const struct sdsim_firmware_event *wanted = &call->event;
    return wanted->kind == event->kind && wanted->result == event->result &&
           wanted->handle == event->handle && wanted->mode == event->mode &&
           wanted->lba == event->lba && wanted->count == event->count &&
           wanted->value == event->value && wanted->bytes == event->bytes &&
           wanted->duration == event->duration && (!time || wanted->start == event->start);
}

/* All that was recorded comes back, or is counted as lost. Returns how many were lost. */
static size_t expect_all(struct world *world, uint64_t seed)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_firmware_log *log = open_log(world, &diags);
    struct sdsim_firmware_event event;
    size_t at = 0;
    size_t lost = 0;
    const bool may_lose = world->plan->ring <= SMALL; /* if not the call, then its name */
    while (sdsim_firmware_log_next(log, &event)) {
        if (event.kind == SDSIM_FIRMWARE_LOST) {
            at += event.lost;
            lost += event.lost;
            continue;
        }
        const struct call *call = at < world->count ? &world->calls[at] : NULL;
        const bool named = call != NULL && (strcmp(event.name, call->name) == 0 ||
                                            (event.name[0] == '\0' && may_lose));
        if (call == NULL || !same(call, &event, true) || !named) {
            fail_msg("%s, seed %llu: call %zu of kind %d is not what was read: kind %d, name '%s', "
                     "start %llu us, expected kind %d, '%s', %llu us",
                     world->plan->name, (unsigned long long)seed, at, event.kind, event.kind,
                     event.name, (unsigned long long)(event.start / SDSIM_US),
                     call != NULL ? (int)call->event.kind : -1, call != NULL ? call->name : "",
                     call != NULL ? (unsigned long long)(call->event.start / SDSIM_US) : 0);
        }
        at++;
    }
    if (at != world->count || sdsim_firmware_log_failed(log) || diags.errors != 0) {
        sdsim_diags_print(&diags, stdout);
        fail_msg("%s, seed %llu: %zu of %zu calls", world->plan->name, (unsigned long long)seed, at,
                 world->count);
    }
    sdsim_firmware_log_close(log);
    sdsim_diags_free(&diags);
    return lost;
}

static void test_round_trip(void **state)
{
    (void)state;
    static const struct plan plans[] = {
        {"text", RING_MAX, SDTRACE_STOP_WHEN_FULL, false, false, 5 * HOUR_US, false},
        {"raw", RING_MAX, SDTRACE_STOP_WHEN_FULL, true, false, 5 * HOUR_US, false},
        {"text, many dumps", 500, SDTRACE_STOP_WHEN_FULL, false, true, 90 * MINUTE_US, false},
        {"raw, many dumps", 500, SDTRACE_STOP_WHEN_FULL, true, true, 90 * MINUTE_US, false},
        {"days", RING_MAX, SDTRACE_KEEP_NEWEST, false, true, 100 * HOUR_US, false},
        {"with ticks", RING_MAX, SDTRACE_STOP_WHEN_FULL, true, true, 100 * HOUR_US, true},
        {"stops", 30, SDTRACE_STOP_WHEN_FULL, false, true, 5 * HOUR_US, false},
        {"stops, raw", 17, SDTRACE_STOP_WHEN_FULL, true, true, 5 * HOUR_US, false},
        {"stops for good", 50, SDTRACE_STOP_WHEN_FULL, false, false, 5 * HOUR_US, false},
        {"overwrites", 30, SDTRACE_KEEP_NEWEST, false, true, 5 * HOUR_US, false},
        {"overwrites, raw", 17, SDTRACE_KEEP_NEWEST, true, true, 5 * HOUR_US, false},
        {"flight recorder", 50, SDTRACE_KEEP_NEWEST, false, false, 5 * HOUR_US, false},
        {"one record", 1, SDTRACE_KEEP_NEWEST, false, true, 5 * HOUR_US, false},
        {"two records", 2, SDTRACE_STOP_WHEN_FULL, true, true, 5 * HOUR_US, false},
        {"none", 0, SDTRACE_KEEP_NEWEST, false, true, 5 * HOUR_US, false},
    };
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    for (size_t i = 0; i < COUNT(plans); i++) {
        size_t lost = 0;
        for (uint64_t seed = 1; seed <= 40; seed++) {
            record(world, &plans[i], seed);
            lost += expect_all(world, seed);
            free(world->bytes);
        }
        if ((lost != 0) != (plans[i].ring <= SMALL)) {
            fail_msg("%s: lost %zu", plans[i].name, lost);
        }
    }
    free(world);
}

/* Damages the text: a few bytes changed, cut out or put in, or whole stretches cut out. */
static void damage(struct world *world)
{
    for (uint64_t i = 1 + below(world, 10); i > 0; i--) {
        char *place = world->bytes + below(world, world->size);
        const size_t behind = (size_t)(world->bytes + world->size - place);
        const size_t cut = 1 + below(world, behind < 200 ? behind : 200);
        if (below(world, 2) == 0) {
            *place = (char)sdsim_rng_next(&world->rng);
        } else {
            memmove(place, place + cut, behind - cut);
            world->size -= cut;
        }
    }
}

/* What comes back was recorded, in that order, and what is missing is told. */
static void test_damage(void **state)
{
    (void)state;
    static const struct plan plan = {"damage", RING_MAX, SDTRACE_STOP_WHEN_FULL, false, true,
                                     HOUR_US,  false};
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    size_t missing = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        record(world, &plan, seed);
        damage(world);
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_firmware_log *log = open_log(world, &diags);
        struct sdsim_firmware_event event;
        size_t at = 0;
        size_t count = 0;
        sdsim_ps end = 0;
        while (sdsim_firmware_log_next(log, &event)) {
            if (event.kind == SDSIM_FIRMWARE_LOST) {
                continue; /* its count's helper is missing */
            }
            while (at < world->count && !same(&world->calls[at], &event, false)) {
                at++;
            }
            if (at == world->count || event.start + event.duration < end) {
                fail_msg("seed %llu: an event that was not recorded", (unsigned long long)seed);
            }
            end = event.start + event.duration;
            at++;
            count++;
        }
        assert_int_equal(diags.errors, 0);
        if (count < world->count && diags.warnings == 0) {
            fail_msg("seed %llu: %zu events got lost without a word", (unsigned long long)seed,
                     world->count - count);
        }
        missing += world->count - count;
        sdsim_firmware_log_close(log);
        sdsim_diags_free(&diags);
        free(world->bytes);
    }
    assert_true(missing > 500);
    free(world);
}

/* Any change of a raw dump is an error; what was there before it is given out. */
static void test_raw_damage(void **state)
{
    (void)state;
    static const struct plan plan = {"raw damage", RING_MAX, SDTRACE_STOP_WHEN_FULL, true, false,
                                     HOUR_US,      false};
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    for (uint64_t seed = 1; seed <= 100; seed++) {
        record(world, &plan, seed);
        const size_t place = 16 + below(world, world->size - 16 - 8); /* END has 8 spare bytes */
        if (seed % 2 == 0) {
            world->bytes[place] = (char)(world->bytes[place] ^ (1 << below(world, 8)));
        } else {
            world->size = place;
        }
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_firmware_log *log = open_log(world, &diags);
        struct sdsim_firmware_event event;
        while (sdsim_firmware_log_next(log, &event)) {
        }
        if (!sdsim_firmware_log_failed(log) || diags.errors == 0) {
            sdsim_diags_print(&diags, stdout);
            fail_msg("seed %llu: nobody noticed a change at %zu", (unsigned long long)seed, place);
        }
        sdsim_firmware_log_close(log);
        sdsim_diags_free(&diags);
        free(world->bytes);
    }
    free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_raw_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * No data is lost: a process that measures writes is killed, or its chip is unplugged, at 200 random
 * moments (30 with sanitizers); afterwards the journal puts everything back, and the card holds what it held
 * before, sector by sector. The card's guard sees every sector that is written: none lies outside
 * of what was permitted.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/slot.h"
#include "core/rng.h"
#include "ftdi/card_world.h"
#include "ftdi/pipe_link.h"
#include "sanitized.h"
#include "tools/ftdi/guard.h"

enum {
    RUNS = SDSIM_SANITIZED ? 30 : 200,
    FROM = 1000, /* within an AU, so that not all of it may be used */
    TO = 2600,
};

/* Small AUs, so that all questions fit a small range, with open AUs, merges and pauses. */
static const char small_card[] =
    "kind: card\ntype: sdsc\ncapacity: 8MiB\nau: 64KiB\npage: 8KiB\ninit_time: 1ms\n"
    "rd1: 50us\nw1: 90us\nwn: 2us\nwpg: 30us\nwstop: 70us\nopen_aus: 2\nmove_rate: 100MB/s\n"
    "au_erase: 100us\nrand: 400us\npause_every: 100kB\npause_length: 900us\nerase: 200us\n"
    "serial: 77\n";

static const struct sdsim_measure_plan plan = {.reads = 4,
                                               .writes = 12,
                                               .pause_bytes = 128 * 1024,
                                               .pause_time = SDSIM_S,
                                               .most_aus = 3,
                                               .erase = true};

static char journal_path[64];

static struct sdsim_card_world *new_world(void)
{
    struct sdsim_card_world *world = sdsim_card_world_of_text(small_card, 0);
    uint8_t block[512];
    for (uint32_t lba = 0; lba < sdsim_slot_sectors(world->slot); lba++) {
        sdsim_generate(7, (uint64_t)lba * 512, block, sizeof block);
        assert_int_equal(sdsim_slot_write_sectors(world->slot, lba, 1, block), SDSIM_OK);
    }
    return world;
}

/* Measures all there is to measure; 0, or 3 as the program would. */
static int measure(struct sdsim_link *link)
{
    struct sdsim_card_io io;
    struct sdsim_card_registers registers;
    struct sdsim_guard guard = {0};
    struct sdsim_write_measures measures;
    const struct sdsim_mpsse_clock clock = sdsim_mpsse_clock_of(1);
    sdsim_card_io_init(&io, link, &clock);
    const bool fine = sdsim_card_io_identify(&io, &registers) &&
                      sdsim_guard_open(&guard, &io, journal_path, registers.cid, FROM, TO) &&
                      sdsim_measure_writes(&io, &guard.writer, &plan, 128, &measures) &&
                      sdsim_guard_restore(&guard, NULL);
    if (!fine && getenv("SDSIM_TEST_TELL") != NULL) {
        fprintf(stderr, "%s\n", io.error);
    }
    sdsim_guard_close(&guard);
    sdsim_card_io_free(&io);
    return fine ? 0 : 3;
}

/* What `sdsim probe --restore` does. */
static int restore(struct sdsim_link *link)
{
    struct sdsim_card_io io;
    struct sdsim_card_registers registers;
    struct sdsim_guard guard = {0};
    const struct sdsim_mpsse_clock clock = sdsim_mpsse_clock_of(1);
    sdsim_card_io_init(&io, link, &clock);
    const bool fine = sdsim_card_io_identify(&io, &registers) &&
                      sdsim_guard_reopen(&guard, &io, journal_path, registers.cid) &&
                      sdsim_guard_restore(&guard, NULL);
    if (!fine && getenv("SDSIM_TEST_TELL") != NULL) {
        fprintf(stderr, "%s\n", io.error);
    }
    sdsim_guard_close(&guard);
    sdsim_card_io_free(&io);
    return fine ? 0 : 3;
}

typedef int client_function(struct sdsim_link *link);

static pid_t start_client(client_function *client, int *server)
{
    int sockets[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(sockets[0]);
        struct sdsim_link *link = sdsim_pipe_link(sockets[1], sdsim_ftdi_chip(SDSIM_FT232H));
        _exit(link != NULL ? client(link) : 4);
    }
    close(sockets[1]);
    *server = sockets[0];
    return child;
}

struct outcome {
    uint64_t batches;
    bool ended; /* by itself */
    int status;
};

/* One client, until `stop`; then it is killed, or its chip unplugged. */
static struct outcome run_client(struct sdsim_card_world *world, client_function *client,
                                 const struct sdsim_pipe_stop *stop, bool kill_it)
{
    struct outcome outcome = {0};
    int server;
    const uint64_t before = world->link->counters.batches;
    const pid_t child = start_client(client, &server);
    outcome.ended = sdsim_pipe_serve(server, world->link, stop);
    if (!outcome.ended && kill_it) {
        assert_int_equal(kill(child, SIGKILL), 0);
    }
    close(server);
    assert_int_equal(waitpid(child, &outcome.status, 0), child);
    outcome.batches = world->link->counters.batches - before;
    return outcome;
}

static void check_card(struct sdsim_card_world *world, const struct sdsim_medium *before, int run)
{
    const struct sdsim_write_guard *guard = &world->slave.guard;
    if (!sdsim_medium_equal(world->slot->medium, before)) {
        fail_msg("run %d: the card does not hold what it held before", run);
    }
    if (guard->outside > 0) {
        fail_msg("run %d: %" PRIu64 " sectors were written outside, the first is %" PRIu32, run,
                 guard->outside, guard->first);
    }
}

static void test_killed(void **state)
{
    (void)state;
    struct sdsim_card_world *world = new_world();
    struct sdsim_medium *before = sdsim_medium_copy(world->slot->medium);
    struct sdsim_rng rng;
    const uint64_t seed = 20261201;
    uint64_t interrupted = 0;
    uint64_t dirty = 0;
    assert_non_null(before);
    sdsim_rng_seed(&rng, seed);
    print_message("seed %" PRIu64 "\n", seed);
    /* Memory, where there is some: the disk is synchronised for each record. */
    snprintf(journal_path, sizeof journal_path, "%s/sdsim-safety-%ld.journal",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    remove(journal_path);
    sdsim_card_slave_guard(&world->slave, FROM, TO);

    const struct sdsim_pipe_stop never = {.batch = UINT64_MAX};
    const struct outcome whole = run_client(world, measure, &never, false);
    assert_true(whole.ended);
    assert_true(WIFEXITED(whole.status) && WEXITSTATUS(whole.status) == 0);
    assert_true(world->slave.guard.written > 1000);
    assert_true(world->slave.guard.erased > 0);
    check_card(world, before, -1);
    assert_false(sdsim_journal_exists(journal_path));

    for (int run = 0; run < RUNS; run++) {
        const struct sdsim_pipe_stop stop = {sdsim_rng_below(&rng, whole.batches),
                                             (unsigned)sdsim_rng_below(&rng, 5)};
        const struct outcome outcome = run_client(world, measure, &stop, run % 2 == 0);
        interrupted += outcome.ended ? 0 : 1;
        dirty += sdsim_medium_equal(world->slot->medium, before) ? 0 : 1;
        if (!outcome.ended && run % 2 == 1) { /* unplugged: it ends by itself, with a fault */
            assert_true(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 3);
        }
        sdsim_card_world_reconnect(world);
        if (sdsim_journal_exists(journal_path) && run % 3 == 0) { /* and killed while it restores */
            const struct sdsim_pipe_stop again = {sdsim_rng_below(&rng, 100), 2};
            (void)run_client(world, restore, &again, true);
            sdsim_card_world_reconnect(world);
        }
        if (sdsim_journal_exists(journal_path)) {
            assert_int_equal(restore(world->link), 0);
            assert_false(sdsim_journal_exists(journal_path));
        }
        check_card(world, before, run);
    }
    print_message("%" PRIu64 " of %d runs of up to %" PRIu64 " batches were interrupted; %" PRIu64
                  " left the card changed\n",
                  interrupted, RUNS, whole.batches, dirty);
    assert_true(interrupted > RUNS * 9 / 10);
    assert_true(dirty > RUNS / 2);
    sdsim_medium_destroy(before);
    sdsim_card_world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

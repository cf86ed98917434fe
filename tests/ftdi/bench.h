/*
 * The test bench for programs that use an FTDI chip: a virtual one (ftdi/vft232h.h) with the simulated
 * card, or anything else, on its pins; the program, as it was built, runs as a child under umockdev.
 *
 *     struct sdsim_bench *bench = sdsim_bench_up(&(struct sdsim_bench_setup){.profile = "sdhc32g-a1"});
 *     struct sdsim_bench_run run = sdsim_bench_sdsim(bench, (const char *[]){"probe", NULL});
 *     assert_int_equal(run.result.code, 0);
 *     sdsim_test_result_free(&run.result);
 *     sdsim_bench_down(bench);
 *
 * Between runs everything stays as it is: the card keeps its power, its state and its data, the engine
 * its time. Engine, card and slot may be looked at and changed then, not while a program runs.
 *
 * Everything fails through cmocka. Limits: one bench at a time in a process; a program that runs for
 * longer than ten minutes is ended.
 */
#ifndef SDSIM_TEST_FTDI_BENCH_H
#define SDSIM_TEST_FTDI_BENCH_H

#include <sys/types.h>

#include "api/slot.h"
#include "ftdi/card_log.h"
#include "ftdi/card_slave.h"
#include "ftdi/vft232h.h"
#include "program.h"

struct sdsim_bench_setup {
    struct sdsim_virtual_chip chip;
    struct sdsim_wiring wiring;
    const char *profile;       /* of the card, by name or path; NULL: a plain one */
    const char *card;          /* or its profile as a text */
    uint64_t seed;             /* its luck */
    uint32_t draw;             /* and which one; 0: typical values */
    const char *image;         /* what is on it; NULL: nothing */
    struct sdsim_slave *slave; /* in the place of a card */
    bool watch;                /* keep the card's log */
};

struct sdsim_bench {
    struct sdsim_slot *slot;      /* NULL with a slave of its own */
    struct sdsim_card_slave card; /* with the guard and bit errors; has bytes and errors made */
    struct sdsim_engine engine;   /* with virtual time and clock counts */
    struct sdsim_card_log *log;   /* NULL: none is kept */
    struct sdsim_medium *before;  /* the content to compare with */
    UMockdevTestbed *bed;
    struct sdsim_vft232h *chip;
    bool as_nobody; /* programs run as a user without rights */
    pid_t child;    /* 0: no program runs */
};

struct sdsim_bench *sdsim_bench_up(const struct sdsim_bench_setup *setup);
void sdsim_bench_down(struct sdsim_bench *bench);

struct sdsim_bench_run {
    struct sdsim_test_result result; /* code 1009: killed by SDSIM_USB_KILL, or by whoever */
    struct sdsim_usb_counters usb;   /* of this run */
    sdsim_ps bus;                    /* virtual time that passed */
    uint64_t clocks;
    double seconds; /* of the wall clock: for limits that are far away */
};

/* Runs a program, found in the path if its name has no slash. `arguments` without its name, with NULL
 * at the end; `environment` as in tests/program.h, or NULL. */
struct sdsim_bench_run sdsim_bench_program(struct sdsim_bench *bench, const char *program,
                                           const char *const *arguments,
                                           const char *const *environment);

/* Runs build/sdsim. */
struct sdsim_bench_run sdsim_bench_sdsim(struct sdsim_bench *bench, const char *const *arguments);

/* For the next runs: a fault on USB, counted from now on; whatever was unplugged is there again. */
void sdsim_bench_fault(struct sdsim_bench *bench, struct sdsim_usb_fault fault);

/* Takes the card's power away and gives it back: as if it were pulled out and put in again. */
void sdsim_bench_power_cycle(struct sdsim_bench *bench);

/* Fills sectors with generated content. */
void sdsim_bench_fill(struct sdsim_bench *bench, uint32_t lba, uint32_t count, uint64_t seed);

/* Keeps a copy of what is on the card now, which sdsim_bench_up() did before; and whether every byte is
 * the same as then, or the first sector that isn't. */
void sdsim_bench_remember(struct sdsim_bench *bench);
bool sdsim_bench_unchanged(const struct sdsim_bench *bench, uint32_t *sector);

#endif

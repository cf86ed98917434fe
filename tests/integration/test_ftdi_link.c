/*
 * The link over USB, under load: batches of all sizes, several under way, in chips with small FIFOs, with
 * and without faults. No byte is lost, doubled or out of order; what the link counts is what the
 * device saw; nothing stands still for want of transfers.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftdi/bench.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *echo; /* the program ftdi/usb_echo.c */

struct counted {
    unsigned long long out;
    unsigned long long in;
    unsigned long long round_trips;
    unsigned long long recoveries;
    unsigned long long retries;
};

static struct counted counted(const struct sdsim_bench_run *run)
{
    struct counted it = {0};
    if (run->result.code != 0 ||
        sscanf(run->result.out, "out %llu in %llu round-trips %llu recoveries %llu retries %llu",
               &it.out, &it.in, &it.round_trips, &it.recoveries, &it.retries) != 5) {
        fail_msg("exit code %d\n%s%s", run->result.code, run->result.out, run->result.err);
    }
    return it;
}

static struct sdsim_bench_run run_echo(struct sdsim_bench *bench, const char *size,
                                       const char *depth, const char *count)
{
    return sdsim_bench_program(bench, echo, (const char *const[]){size, depth, count, NULL}, NULL);
}

static const struct {
    const char *size;
    const char *depth;
    const char *count;
    enum sdsim_ftdi_kind kind;
} loads[] = {
    {"1", "1", "50", SDSIM_FT232H},      {"1", "8", "200", SDSIM_FT232H},
    {"3", "300", "900", SDSIM_FT232H},   {"509", "2", "30", SDSIM_FT232H},
    {"510", "2", "30", SDSIM_FT232H},    {"511", "2", "30", SDSIM_FT232H},
    {"1020", "4", "30", SDSIM_FT2232H},  {"1024", "4", "30", SDSIM_FT4232H},
    {"5000", "3", "20", SDSIM_FT4232H},  {"16320", "1", "10", SDSIM_FT232H},
    {"65536", "2", "8", SDSIM_FT232H},   {"65537", "2", "8", SDSIM_FT2232H},
    {"1048576", "1", "3", SDSIM_FT232H}, {"300000", "3", "6", SDSIM_FT4232H},
};

static void test_loads(void **state)
{
    (void)state;
    enum { OPENING = 1, OPENING_IN = 2, OPENING_OUT = 2 }; /* 0xAA is sent, and answered */
    for (size_t i = 0; i < COUNT(loads); i++) {
        struct sdsim_bench *bench =
            sdsim_bench_up(&(struct sdsim_bench_setup){.chip.kind = loads[i].kind});
        struct sdsim_bench_run run = run_echo(bench, loads[i].size, loads[i].depth, loads[i].count);
        const struct counted it = counted(&run);
        const unsigned long long batches = strtoull(loads[i].count, NULL, 10);
        const unsigned long long bytes = strtoull(loads[i].size, NULL, 10) * batches;
        assert_int_equal(it.in, bytes);
        /* what is sent one by one waits for each answer; of what is under way at once, some does */
        const unsigned long long most = OPENING + batches - strtoull(loads[i].depth, NULL, 10);
        assert_true(strcmp(loads[i].depth, "1") == 0 ? it.round_trips == most
                                                     : it.round_trips <= most);
        assert_int_equal(it.recoveries, 0);
        assert_int_equal(run.usb.in_bytes, it.in + OPENING_IN);
        assert_int_equal(run.usb.out_bytes, it.out + OPENING_OUT);
        assert_int_equal(run.usb.round_trips, it.round_trips);
        assert_int_equal(run.clocks, 8 * bytes);
        sdsim_test_result_free(&run.result);
        sdsim_bench_down(bench);
    }
}

/* Without SEND_NOW the end of the answers comes by the latency timer. */
static void test_latency_timer(void **state)
{
    (void)state;
    struct sdsim_bench *bench = sdsim_bench_up(&(struct sdsim_bench_setup){.profile = NULL});
    struct sdsim_bench_run run = sdsim_bench_program(
        bench, echo, (const char *const[]){"700", "2", "30", "lazy", NULL}, NULL);
    const struct counted it = counted(&run);
    assert_int_equal(it.in, 700 * 30);
    assert_int_equal(it.recoveries, 0);
    sdsim_test_result_free(&run.result);
    sdsim_bench_down(bench);
}

/* All bytes come back in the end, after at least one recovery (if any) and at most `recoveries`. */
static void survive(const struct sdsim_usb_fault *fault, const char *size, const char *count,
                    unsigned recoveries)
{
    struct sdsim_bench *bench = sdsim_bench_up(&(struct sdsim_bench_setup){.chip.fault = *fault});
    struct sdsim_bench_run run = run_echo(bench, size, "3", count);
    const struct counted it = counted(&run);
    assert_in_range(it.recoveries, recoveries > 0 ? 1 : 0, recoveries);
    assert_int_equal(it.retries, it.recoveries);
    assert_true(run.usb.faults > 0);
    assert_true(it.in >= strtoull(size, NULL, 10) * strtoull(count, NULL, 10));
    sdsim_test_result_free(&run.result);
    sdsim_bench_down(bench);
}

/* Faults at any place: of one kind, once or some times. */
static void test_faults(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_usb_fault_kind kind;
        uint64_t times;
        unsigned recoveries;
    } faults[] = {
        {SDSIM_USB_STALL, 1, 1},  {SDSIM_USB_STALL, 2, 1}, {SDSIM_USB_BROKEN, 1, 1},
        {SDSIM_USB_BROKEN, 2, 2}, {SDSIM_USB_HANG, 1, 1},  {SDSIM_USB_SHORT, 300, 0},
        {SDSIM_USB_LOSE, 1, 1},
    };
    for (size_t i = 0; i < COUNT(faults); i++) {
        for (uint64_t skip = 1; skip < 12; skip += 5) {
            survive(&(struct sdsim_usb_fault){.kind = faults[i].kind,
                                              .skip = skip,
                                              .times = faults[i].times},
                    "3000", "20", faults[i].recoveries);
        }
        /* batches of five URBs, which fail in the middle */
        survive(
            &(struct sdsim_usb_fault){.kind = faults[i].kind, .skip = 4, .times = faults[i].times},
            "65536", "3", faults[i].recoveries);
    }
}

int main(void)
{
    echo = getenv("SDSIM_USB_ECHO");
    assert_non_null(echo);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_latency_timer),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests_name("ftdi_link", tests, NULL, NULL);
}

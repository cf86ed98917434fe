/*
 * sdsim-probe, as it was built, on a virtual FT232H: what it finds, what it says when something is
 * wrong with chip, wires, card or USB, and how and when it ends.
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

enum { SKIPPED = 77 };

/* A fault that lasts must be told within this time. */
#define MOST_SECONDS 10

static const char profile[] = "sdhc32g-a1";

/* ---- one run, one line of a table ---- */

struct expected {
    int code;
    const char *out; /* must be in the output, */
    const char *err; /* and in the messages; NULL: there is none */
};

static void judge(const char *what, const struct sdsim_bench_run *run,
                  const struct expected *expected)
{
    const struct sdsim_test_result *result = &run->result;
    const bool out = strstr(result->out, expected->out) != NULL;
    const bool err =
        expected->err != NULL ? strstr(result->err, expected->err) != NULL : result->err[0] == '\0';
    if (result->code != expected->code || !out || !err || run->seconds > MOST_SECONDS) {
        fail_msg("%s: %d after %.1f s, not %d, '%s', '%s'\n%s%s", what, result->code, run->seconds,
                 expected->code, expected->out, expected->err != NULL ? expected->err : "",
                 result->out, result->err);
    }
}

static void check(const char *what, const struct sdsim_bench_setup *setup,
                  const char *const *arguments, const struct expected *expected)
{
    struct sdsim_bench *bench = sdsim_bench_up(setup);
    sdsim_bench_fill(bench, 0, 1000, 1);
    sdsim_bench_remember(bench);
    sdsim_card_slave_guard(&bench->card, 0, 0);
    struct sdsim_bench_run run = sdsim_bench_sdsim(bench, arguments);
    judge(what, &run, expected);
    uint32_t sector;
    if (bench->card.guard.outside > 0 || !sdsim_bench_unchanged(bench, &sector)) {
        fail_msg("%s: the card was written to", what);
    }
    sdsim_test_result_free(&run.result);
    sdsim_bench_down(bench);
}

/* ---- chips ---- */

static const struct {
    const char *what;
    struct sdsim_virtual_chip chip;
    const char *arguments[6];
    struct expected expected;
} chips[] = {
    {"FT232H",
     {.serial = "FT1A2B3C"},
     {"probe", "--identify"},
     {0, "chip   FT232H, serial number FT1A2B3C, 0403:6014 at bus 1, device 4, interface A\n",
      NULL}},
    {"FT2232H", {.kind = SDSIM_FT2232H}, {"probe", "--identify"}, {0, "FT2232H, serial", NULL}},
    {"FT4232H",
     {.kind = SDSIM_FT4232H},
     {"probe", "--identify", "--interface", "A"},
     {0, "FT4232H, serial", NULL}},
    {"15 MHz",
     {0},
     {"probe", "--identify", "--clock", "29999kHz"},
     {0, "clock  15 MHz (divisor 1)\n", NULL}},
    {"30 MHz",
     {0},
     {"probe", "--identify", "--clock", "48MHz"},
     {0, "clock  30 MHz (divisor 0)\n", NULL}},
    {"400 kHz",
     {0},
     {"probe", "--identify", "--clock", "400kHz"},
     {0, "clock  400 kHz (divisor 74)\n", NULL}},
    {"by its serial number",
     {0},
     {"probe", "--identify", "--device", "ftdi:SDSIM001"},
     {0, "FT232H", NULL}},
    {"by its numbers", {0}, {"probe", "--identify", "--usb", "0403:6014"}, {0, "FT232H", NULL}},
    {"the kernel's driver has it", {.driver = true}, {"probe", "--identify"}, {0, "FT232H", NULL}},

    {"other serial number",
     {0},
     {"probe", "--identify", "--device", "ftdi:X1"},
     {3, "", "there is no FT232H, FT2232H or FT4232H with the serial number X1\nhelp: "}},
    {"other numbers",
     {0},
     {"probe", "--identify", "--usb", "0403:6015"},
     {3, "", "there is no USB device 0403:6015\nhelp: is it plugged in?"}},
    {"two of them",
     {.second = true},
     {"probe", "--identify"},
     {3, "",
      "2 chips are plugged in\nhelp: say which with --device ftdi:SERIAL; their serial numbers: "}},
    {"one of two",
     {.second = true},
     {"probe", "--identify", "--device", "ftdi:SDSIM001"},
     {0, "serial number SDSIM001", NULL}},
    {"FT232R",
     {.ft232r = true},
     {"probe", "--identify"},
     {3, "", "the FT232R that is plugged in has no MPSSE (or a slow one)\nhelp: an FT232H, "}},
    {"FT232R asked for",
     {.ft232r = true},
     {"probe", "--identify", "--usb", "0403:6001"},
     {3, "", "0403:6001 is FT232R, which has no MPSSE"}},
    {"no second channel",
     {0},
     {"probe", "--identify", "--interface", "B"},
     {3, "", "FT232H: its interface B has no MPSSE\nhelp: use --interface A"}},
    {"no permission",
     {.denied = true},
     {"probe", "--identify"},
     {3, "", "60-sdsim-ftdi.rules\nhelp: to /etc/udev/rules.d, run 'udevadm control --reload'"}},
    {"another program has it",
     {.busy = true},
     {"probe", "--identify"},
     {3, "", "FT232H: another program or driver has it\nhelp: end what uses it"}},
    {"the driver doesn't let go",
     {.stubborn = true},
     {"probe", "--identify"},
     {3, "", "'rmmod ftdi_sio' as root frees it"}},

    {"no clock",
     {0},
     {"probe", "--identify", "--clock", "400Hz"},
     {2, "", "--clock takes a frequency from 458Hz"}},
    {"no unit", {0}, {"probe", "--identify", "--clock", "15"}, {2, "", "--clock takes"}},
    {"no device",
     {0},
     {"probe", "--identify", "--device", "usb"},
     {2, "", "--device takes ftdi or ftdi:SERIAL"}},
    {"no numbers",
     {0},
     {"probe", "--identify", "--usb", "403"},
     {2, "", "--usb takes numbers like 0403:6014"}},
    {"no interface",
     {0},
     {"probe", "--identify", "--interface", "C"},
     {2, "", "--interface takes A or B"}},
};

static void test_chips(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(chips); i++) {
        const struct sdsim_bench_setup setup = {.profile = profile, .chip = chips[i].chip};
        check(chips[i].what, &setup, chips[i].arguments, &chips[i].expected);
    }
}

/* ---- wires ---- */

static const struct {
    const char *what;
    struct sdsim_wiring wiring;
    const char *row; /* of the table */
} wirings[] = {
    {"SCK to ground", {.stuck_low = SDSIM_PIN_SCK}, "SCK        fault  can't be driven high"},
    {"SCK to 3.3 V", {.stuck_high = SDSIM_PIN_SCK}, "SCK        fault  can't be driven low"},
    {"MOSI to ground", {.stuck_low = SDSIM_PIN_MOSI}, "MOSI       fault  can't be driven high"},
    {"CS to 3.3 V", {.stuck_high = SDSIM_PIN_CS}, "CS         fault  can't be driven low"},
    {"MISO to ground", {.stuck_low = SDSIM_PIN_MISO}, "MISO       fault  low while the card"},
    {"MISO to 3.3 V", {.stuck_high = SDSIM_PIN_MISO}, "card       fault  no answer to CMD0"},
    {"SCK to MOSI",
     {.shorted = SDSIM_PIN_SCK | SDSIM_PIN_MOSI},
     "SCK        fault  MOSI moves along"},
    {"CS to MISO",
     {.shorted = SDSIM_PIN_CS | SDSIM_PIN_MISO},
     "CS         fault  MISO moves along"},
    {"no pull-up at CS", {.floating = SDSIM_PIN_CS}, "CS         fault  stays low when released"},
    {"SCK missing", {.open = SDSIM_PIN_SCK}, "card       fault  no answer to CMD0"},
    {"MOSI missing", {.open = SDSIM_PIN_MOSI}, "card       fault  no answer to CMD0"},
    {"MISO missing", {.open = SDSIM_PIN_MISO}, "card       fault  no answer to CMD0"},
    {"CS missing", {.open = SDSIM_PIN_CS}, "card       fault  no answer to CMD0"},
};

static void test_wires(void **state)
{
    (void)state;
    static const char *const arguments[] = {"probe", "--identify", NULL};
    for (size_t i = 0; i < COUNT(wirings); i++) {
        const struct sdsim_bench_setup setup = {.profile = profile, .wiring = wirings[i].wiring};
        const struct expected expected = {3, wirings[i].row,
                                          "error: the card can't be used like this"};
        check(wirings[i].what, &setup, arguments, &expected);
    }
}

/* ---- USB ---- */

#define FOREVER   UINT64_MAX
#define RECOVERED "\nUSB failed and was set up again: 1\n"

static const struct {
    const char *what;
    struct sdsim_usb_fault fault;
    struct expected expected;
} faults[] = {
    {"a URB that hangs", {.kind = SDSIM_USB_HANG, .skip = 3, .times = 1}, {0, RECOVERED, NULL}},
    {"all hang",
     {.kind = SDSIM_USB_HANG, .skip = 3, .times = FOREVER},
     {3, "", "FT232H: its MPSSE does not answer\nhelp: unplug it"}},
    {"all hang from the beginning",
     {.kind = SDSIM_USB_HANG, .times = FOREVER},
     {3, "", "FT232H: its MPSSE does not answer"}},
    {"a stall", {.kind = SDSIM_USB_STALL, .skip = 4, .times = 1}, {0, RECOVERED, NULL}},
    {"a stall at the first URB", {.kind = SDSIM_USB_STALL, .times = 1}, {0, RECOVERED, NULL}},
    {"stalls",
     {.kind = SDSIM_USB_STALL, .skip = 4, .times = FOREVER},
     {3, "", "FT232H: it refused a USB transfer (stall)"}},
    {"a transmission error",
     {.kind = SDSIM_USB_BROKEN, .skip = 5, .times = 1},
     {0, RECOVERED, NULL}},
    {"transmission errors",
     {.kind = SDSIM_USB_BROKEN, .times = FOREVER},
     {3, "", "FT232H: a USB transfer failed; a bad cable or hub?"}},
    {"short packets", {.kind = SDSIM_USB_SHORT, .times = FOREVER}, {0, "card       ok ", NULL}},
    {"a lost byte", {.kind = SDSIM_USB_LOSE, .skip = 2, .times = 1}, {0, RECOVERED, NULL}},
    {"lost bytes", {.kind = SDSIM_USB_LOSE, .skip = 1, .times = FOREVER}, {3, "", "FT232H: "}},
    {"unplugged at once",
     {.kind = SDSIM_USB_UNPLUG},
     {3, "", "FT232H: unplugged, or it lost its power"}},
    {"unplugged later",
     {.kind = SDSIM_USB_UNPLUG, .skip = 7, .part = 5},
     {3, "", "FT232H: unplugged, or it lost its power"}},
    {"killed", {.kind = SDSIM_USB_KILL, .skip = 7, .part = 5}, {1009, "", NULL}},
};

static void test_usb(void **state)
{
    (void)state;
    static const char *const arguments[] = {"probe", "--identify", NULL};
    for (size_t i = 0; i < COUNT(faults); i++) {
        const struct sdsim_bench_setup setup = {.profile = profile, .chip.fault = faults[i].fault};
        check(faults[i].what, &setup, arguments, &faults[i].expected);
    }
}

/* What is wrong at one run is forgotten at the next. */
static void test_next_run(void **state)
{
    (void)state;
    static const char *const arguments[] = {"probe", "--identify", NULL};
    static const struct expected fine = {0, "card       ok ", NULL};
    struct sdsim_bench *bench = sdsim_bench_up(&(struct sdsim_bench_setup){.profile = profile});
    for (uint64_t skip = 0; skip <= 9; skip += 3) {
        for (int kind = SDSIM_USB_UNPLUG; kind <= SDSIM_USB_KILL; kind++) {
            sdsim_bench_fault(bench,
                              (struct sdsim_usb_fault){.kind = (enum sdsim_usb_fault_kind)kind,
                                                       .skip = skip,
                                                       .part = (size_t)skip * 3});
            struct sdsim_bench_run run = sdsim_bench_sdsim(bench, arguments);
            assert_int_equal(run.result.code, kind == SDSIM_USB_KILL ? 1009 : 3);
            sdsim_test_result_free(&run.result);
            sdsim_bench_fault(bench, (struct sdsim_usb_fault){.kind = SDSIM_USB_FINE});
            run = sdsim_bench_sdsim(bench, arguments);
            judge("the run after", &run, &fine);
            sdsim_test_result_free(&run.result);
        }
    }
    sdsim_bench_down(bench);
}

/* ---- the card ---- */

static void test_cards(void **state)
{
    (void)state;
    static const char *const arguments[] = {"probe", "--identify", NULL};
    struct sdsim_bench *bench = sdsim_bench_up(&(struct sdsim_bench_setup){.profile = profile});
    /* a bit that was turned in its answer */
    bench->card.errors = (struct sdsim_bit_errors){.skip = 7, .period = 1, .left = 1};
    struct sdsim_bench_run run = sdsim_bench_sdsim(bench, arguments);
    judge("one bit", &run, &(struct expected){0, "answers CMD0\n", NULL});
    assert_int_equal(bench->card.errors.left, 0);
    sdsim_test_result_free(&run.result);
    /* many */
    bench->card.errors = (struct sdsim_bit_errors){.period = 1, .left = UINT64_MAX};
    run = sdsim_bench_sdsim(bench, arguments);
    judge("all bits", &run,
          &(struct expected){3, "card       fault  answers CMD0 with", "error: "});
    sdsim_test_result_free(&run.result);
    bench->card.errors.left = 0;
    /* pulled out */
    sdsim_slot_power(bench->slot, 0);
    run = sdsim_bench_sdsim(bench, arguments);
    judge("no card", &run, &(struct expected){3, "card       fault  no answer to CMD0", "error: "});
    sdsim_test_result_free(&run.result);
    sdsim_slot_power(bench->slot, 1);
    run = sdsim_bench_sdsim(bench, arguments);
    judge("back again", &run, &(struct expected){0, "answers CMD0\n", NULL});
    sdsim_test_result_free(&run.result);
    sdsim_bench_down(bench);
}

/* The card is pulled out at some command; the next run, with the card back, is fine. */
static void test_removed_cards(void **state)
{
    (void)state;
    static const char *const modes[] = {"--identify", "--time=bus"};
    static const uint32_t places[] = {1, 2, 5, 60, 200, 400, 600, 800};
    struct sdsim_bench *bench = sdsim_bench_up(&(struct sdsim_bench_setup){.profile = profile});
    for (size_t i = 0; i < COUNT(places); i++) {
        const char *const arguments[] = {"probe", modes[i / 4], NULL};
        assert_int_equal(
            sdsim_slot_inject(bench->slot, SDSIM_INJECT_REMOVED, places[i], 1, SDSIM_ANY_COMMAND),
            SDSIM_OK);
        struct sdsim_bench_run run = sdsim_bench_sdsim(bench, arguments);
        char what[40];
        snprintf(what, sizeof what, "%s, removed at %u", modes[i / 4], (unsigned)places[i]);
        judge(what, &run, &(struct expected){3, "", "error: "});
        sdsim_test_result_free(&run.result);
        sdsim_bench_power_cycle(bench);
    }
    sdsim_bench_down(bench);
}

/* ---- again ---- */

/* Two chips and two cards that are alike: bus time and bytes are the same, whatever else the computer
 * has to do. */
static void test_the_same_again(void **state)
{
    (void)state;
    static const char *const arguments[] = {"probe", "--identify", "--time", "bus", NULL};
    struct sdsim_bench_run runs[2];
    for (int i = 0; i < 2; i++) {
        struct sdsim_bench *bench = sdsim_bench_up(&(struct sdsim_bench_setup){.profile = profile});
        runs[i] = sdsim_bench_sdsim(bench, arguments);
        assert_int_equal(runs[i].result.code, 0);
        sdsim_bench_down(bench);
    }
    /* but for the last lines, which tell host time */
    const char *end = strstr(runs[0].result.out, " of clocks, ");
    assert_non_null(end);
    const size_t size = (size_t)(end - runs[0].result.out);
    assert_true(strlen(runs[1].result.out) > size);
    assert_memory_equal(runs[0].result.out, runs[1].result.out, size);
    assert_int_equal(runs[0].bus, runs[1].bus);
    assert_int_equal(runs[0].clocks, runs[1].clocks);
    assert_int_equal(runs[0].usb.out_bytes, runs[1].usb.out_bytes);
    assert_int_equal(runs[0].usb.in_bytes, runs[1].usb.in_bytes);
    for (int i = 0; i < 2; i++) {
        sdsim_test_result_free(&runs[i].result);
    }
}

int main(void)
{
    if (!sdsim_test_has_program()) {
        puts("there is no program to run");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chips),
        cmocka_unit_test(test_wires),
        cmocka_unit_test(test_usb),
        cmocka_unit_test(test_next_run),
        cmocka_unit_test(test_cards),
        cmocka_unit_test(test_removed_cards),
        cmocka_unit_test(test_the_same_again),
    };
    return cmocka_run_group_tests_name("ftdi_chip", tests, NULL, NULL);
}

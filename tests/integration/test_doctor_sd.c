/*
 * sdsim's doctor over an SD bus: made-up waveforms, each of which violates the rules it was made for and
 * no other; what the simulator's own drivers do, and recordings of real cards, in which nothing is wrong.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/doctor.h"
#include "capture/wave_file.h"
#include "capture_json.h"
#include "doctor_bench.h"
#include "program.h"
#include "scratch.h"
#include "sd_wave.h"
#include "shell.h"

/* ---- waveforms as words ---- */

/*
 * f400000   the clock from here on, in Hz
 * i80       so many idle clocks
 * t30       so many ms without clocks
 * c8:1AA    a command and its argument in hex; C: with a wrong check sum
 * r8:1AA    its response (R1, R6, R7); R: with a wrong check sum
 * q:C0FF8000, l     R3 with the OCR, R2
 * b4        a sector from the card over so many lines; B: with a wrong check sum
 * w4        a sector to the card, its CRC status and a short busy; v: refused, u: without a status
 * x4        the same, busy beginning only in the third clock behind the status
 * z         DAT0 stayed low since the last of these, the last response, or the last time without clocks
 * g         CMD low for a clock
 */
#define START    "f400000 i80 c0:0 "
#define ASKED    START "c8:1AA r8:1AA "
#define READY    ASKED "c55:0 r55:120 c41:40FF8000 q:C0FF8000 "
#define SELECTED READY "c2:0 l c3:0 r3:12340520 c7:12340000 r7:700 f20000000 "
#define WIDE     SELECTED "c55:12340000 r55:920 c6:2 r6:920 "

static const struct {
    const char *words;
    const char *found; /* in the order of the table */
    const char *text;  /* a part of what the first of them says */
} rows[] = {
    {WIDE "c17:1000 r17:900 b4 c13:12340000 r13:900", "", NULL},
    {WIDE "c18:1000 r18:900 b4 b4 c12:0 r12:B00", "", NULL},
    {WIDE "c23:2 r23:900 c18:1000 r18:900 b4 b4 c17:0 r17:900 b4", "", NULL},
    {WIDE "c25:1000 r25:900 w4 w4 c12:0 r12:C00", "", NULL},
    {SELECTED "c17:1000 r17:900 b1", "sd-one-line", "1 block of data went over DAT0 alone"},
    {"f400000 i20 c0:0", "sd-power-up-clocks", "28 clocks"},
    {"f4000000 i80 c0:0", "sd-init-clock", "CMD0 was sent at about 4MHz"},
    {START "c8:1AA r8:1AB", "sd-cmd8-echo", "1AA and was answered 00 00 01 AB"},
    {ASKED "c55:0 r55:120 c41:40FF8000 q:00FF8000 c2:0", "sd-not-ready sd-no-response",
     "ACMD41 was sent 1 time and last answered 00FF8000"},
    {ASKED "c2:0", "sd-not-ready sd-no-response", "no ACMD41"},
    {ASKED "c41:40FF8000", "sd-acmd41-without-cmd55 sd-no-response",
     "The command before it is CMD8"},
    {ASKED "c55:0 r55:120 c41:FF8000 q:00FF8000 c55:0 r55:120 c41:FF8000 q:00FF8000 t990 c55:0 "
           "r55:120 t10 c41:FF8000 q:00FF8000",
     "sd-acmd41-no-hcs sd-acmd41-slow-polls", "3 times without HCS"},
    {ASKED "c55:0 r55:120 c41:40FF8000 q:00FF8000 t20 c55:0 r55:120 c41:40FF8000 q:00FF8000 i100",
     "sd-acmd41-gave-up", "2 times in 20."},
    {READY "c2:0 l c3:0 r3:12340520 f20000000 c17:0", "sd-not-selected sd-no-response",
     "CMD17 was sent after CMD3"},
    {WIDE "c13:43210000", "sd-wrong-rca sd-no-response", "sent to 4321; the card is 1234"},
    {WIDE "c13:12340000 r13:100", "sd-idle-again", "answered with state 0"},
    {WIDE "C17:1000 c13:12340000 r13:800900", "sd-command-crc sd-crc-told", "CMD17 ends with"},
    {WIDE "c13:12340000 R13:900", "sd-response-crc", "In the response to CMD13"},
    {WIDE "c17:1000", "sd-no-response", "CMD17 was not answered"},
    {WIDE "c30:0 c13:12340000 r13:400900", "sd-no-response sd-illegal-told", "CMD30"},
    {START "c5:0 c52:0 c8:1AA c55:0 r55:400120", "", NULL},
    {WIDE "c17:1000 r17:900 b4 c13:12340000 r13:80900", "sd-error-told", "bit 19"},
    {WIDE "c17:FFFFFFF0 r17:80000900", "sd-address-told", "status 80000900"},
    {WIDE "c17:200 r17:900 b4 c17:400 r17:900 b4 c17:600 r17:900 b4", "sd-byte-address",
     "All 3 addresses"},
    {START
     "c55:0 r55:120 c41:FF8000 q:80FF8000 c2:0 l c3:0 r3:12340520 c7:12340000 r7:700 f20000000 "
     "c55:12340000 r55:920 c6:2 r6:920 c17:5 r17:900 b4",
     "sd-block-address", "CMD17 with address 5"},
    {WIDE "f50000000 c17:1000 r17:900 b4", "sd-too-fast", "CMD17 was sent at about 50MHz"},
    {WIDE "c6:80FFFFF1 r6:900 i2000 f50000000 c17:1000 r17:900 b4", "", NULL},
    {WIDE "c17:1000 r17:900 B4", "sd-read-crc", "Block 0 of CMD17"},
    {WIDE "c24:1000 r24:900 v4", "sd-block-refused", "101, wrong check sum"},
    {WIDE "c24:1000 r24:900 u4 i100 c13:12340000 r13:900", "sd-status-missing", "Block 0 of CMD24"},
    {WIDE "c24:1000 r24:900 x4", "sd-busy-late", "high for 2 clocks"},
    {WIDE "c17:1000 r17:900 i200 c17:1000 r17:900 b4", "sd-no-data", "CMD17 was answered"},
    {WIDE "c24:1000 r24:900 w4 c17:1000 i100 z", "sd-no-response sd-read-while-busy", "CMD17"},
    {WIDE "c18:1000 r18:900 b4 c17:2000 r17:900 b4", "sd-not-stopped",
     "CMD17 was sent while CMD18 went on"},
    {WIDE "c17:1000 r17:900 t150 b4", "sd-limits", "before a block was read"},
    {WIDE "c24:1000 r24:900 w4 i20 z t300 i20 z", "sd-limits", "busy"},
    {WIDE "c32:0 r32:900 c33:7 r33:900 c38:0 r38:900 i20 z t300 i20 z", "", NULL},
    {WIDE "i50 g i50 c13:12340000 r13:900", "sd-glitch", "CMD was low for 1 clock"},
    {READY "f4000000 c2:0 l c3:0 r3:12340520", "sd-init-clock", "CMD2 was sent at about 4MHz"},
    {WIDE "c7:0 i100 c13:12340000 r13:700", "", NULL},
    {WIDE "c7:0 i100 c17:1000", "sd-not-selected sd-no-response", "CMD17 was sent after CMD3"},
    {WIDE "c18:1000 r18:900 b4 c12:0 r12:80000B00", "", NULL},
    {WIDE "c25:1000 r25:900 w4 c12:0 r12:80000C00", "sd-address-told",
     "CMD12 was answered with status 80000C00: of the transfer before it"},
    {WIDE "c23:10000 r23:900 c18:1000 r18:900 b4 c17:0 r17:900 b4", "", NULL},
    {START "c1:0 q:80FF8080", "", NULL},
    {START "c5:0 q:90FF8000 c52:80022C00 r52:1000 c52:2200 r52:1200", "", NULL},
    {WIDE "c6:80FFFFF1 r6:900 i2000 c6:80FFFFF0 r6:900 i2000 f50000000 c17:1000 r17:900 b4",
     "sd-too-fast", "CMD17 was sent at about 50MHz"},
    {SELECTED "c17:1000 r17:900 b4", "sd-width", "has 4 lines, and no ACMD6 set four"},
};

enum { ROWS = sizeof rows / sizeof *rows };

struct bus {
    struct sdsim_test_sd_wave wave;
    struct sdsim_wave_file file;
    FILE *out;
    sdsim_ps now;
    sdsim_ps period;
    size_t busy_end; /* clock of the last busy's end */
};

static void play(struct bus *bus)
{
    sdsim_test_sd_play(&bus->wave, &bus->now, bus->period, false, &bus->file.sink);
    bus->busy_end = 0;
}

/* Turns the last bits of CMD but one over. */
static void spoil(struct bus *bus)
{
    bus->wave.clocks[bus->wave.cmd - 2] ^= SDSIM_TEST_SD_CMD;
}

static void block(struct bus *bus, char kind, unsigned width)
{
    uint8_t bytes[512];
    const bool reads = kind == 'b' || kind == 'B';
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 37);
    }
    sdsim_test_sd_join(&bus->wave);
    sdsim_test_sd_block(&bus->wave, 4, width, bytes, sizeof bytes, reads, kind == 'B');
    if (kind == 'w' || kind == 'v') {
        sdsim_test_sd_status(&bus->wave, kind == 'v' ? 5 : 2, 40);
        bus->busy_end = bus->wave.dat;
    } else if (kind == 'x') {
        sdsim_test_sd_status(&bus->wave, 2, 0);
        bus->wave.dat -= 1; /* the clock that the status keeps for a busy */
        sdsim_test_sd_busy(&bus->wave, 2, 40);
    }
    bus->wave.cmd = bus->wave.dat + 2;
}

static void act(struct bus *bus, const char *word)
{
    char *rest;
    const unsigned number = (unsigned)strtoul(word + 1, &rest, 10);
    const uint32_t value = *rest == ':' ? (uint32_t)strtoul(rest + 1, NULL, 16) : 0;
    switch (word[0]) {
    case 'f':
        play(bus);
        bus->period = SDSIM_S / number;
        break;
    case 'i':
        sdsim_test_sd_idle(&bus->wave, number);
        break;
    case 't':
        play(bus);
        bus->now += number * SDSIM_MS;
        break;
    case 'c':
    case 'C':
        sdsim_test_wave_command(&bus->wave, 8, (uint8_t)number, value);
        break;
    case 'r':
    case 'R':
        sdsim_test_sd_response(&bus->wave, 5, (uint8_t)number, value, true);
        bus->busy_end = bus->wave.cmd;
        break;
    case 'q':
        sdsim_test_sd_response(&bus->wave, 5, 63, value, false);
        break;
    case 'l':
        sdsim_test_sd_long_response(&bus->wave, 5, (const uint8_t[15]){3, 'S', 'D'});
        break;
    case 'g':
        bus->wave.clocks[bus->wave.count - 1] &= (uint8_t)~SDSIM_TEST_SD_CMD;
        break;
    case 'z':
        for (size_t i = bus->busy_end; i < bus->wave.count; i++) {
            bus->wave.clocks[i] &= (uint8_t)~SDSIM_TEST_SD_DAT;
        }
        break;
    default:
        block(bus, word[0], number);
        break;
    }
    if (word[0] == 'C' || word[0] == 'R') {
        spoil(bus);
    }
}

/* Writes a waveform to a file. */
static void write_wave(const char *words, const char *path)
{
    struct bus bus = {.period = SDSIM_US};
    char text[1000];
    snprintf(text, sizeof text, "%s", words);
    bus.out = fopen(path, "w");
    assert_non_null(bus.out);
    sdsim_wave_vcd_begin(&bus.file, bus.out, SDSIM_BUS_SD4, 0, 1000, "made by a test");
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        act(&bus, word);
    }
    sdsim_test_sd_idle(&bus.wave, 200);
    play(&bus);
    sdsim_wave_vcd_end(&bus.file, bus.now);
    fclose(bus.out);
    sdsim_test_sd_free(&bus.wave);
}

/* What the doctor finds in a capture. */
static void examine(const char *path, struct sdsim_doctor *doctor)
{
    const struct sdsim_doctor_source source = {.unit = "tick", .sd = true, .timed = true};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_capture *capture = sdsim_capture_open(path, NULL, &diags);
    if (capture == NULL) {
        sdsim_diags_print(&diags, stderr);
        fail_msg("%s can't be read", path);
        return;
    }
    assert_int_equal(capture->roles.bus, SDSIM_CAPTURE_SD);
    sdsim_doctor_init(doctor, &source, NULL);
    sdsim_capture_attach(capture, &doctor->listener, NULL);
    assert_int_equal(sdsim_capture_decode(capture), SDSIM_PINS_END);
    sdsim_doctor_end(doctor);
    sdsim_capture_close(capture);
    sdsim_diags_free(&diags);
}

static void test_rows(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const char *path = sdsim_test_path("wave.vcd");
        char names[1024];
        struct sdsim_doctor doctor;
        write_wave(rows[i].words, path);
        examine(path, &doctor);
        sdsim_test_doctor_names(&doctor, SDSIM_NOTE, names, sizeof names);
        if (strcmp(names, rows[i].found) != 0) {
            print_error("%s: found \"%s\", not \"%s\"\n", rows[i].words, names, rows[i].found);
            wrong++;
            continue;
        }
        for (size_t r = 0; rows[i].text != NULL && r < sdsim_doctor_book(true)->count; r++) {
            const struct sdsim_doctor_finding *finding = sdsim_doctor_finding(&doctor, r);
            if (finding->count > 0) {
                if (strstr(finding->text, rows[i].text) == NULL) {
                    print_error("%s: said \"%s\"\n", rows[i].words, finding->text);
                    wrong++;
                }
                break;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

/* Each rule has a waveform that violates it, and explains itself. */
static void test_rules(void **state)
{
    (void)state;
    for (size_t r = 0; r < sdsim_doctor_book(true)->count; r++) {
        const struct sdsim_doctor_rule *rule = &sdsim_doctor_book(true)->rules[r];
        bool found = false;
        for (size_t i = 0; i < ROWS; i++) {
            found = found || strstr(rows[i].found, rule->name) != NULL;
        }
        if (!found) {
            fail_msg("no waveform violates %s", rule->name);
        }
        assert_true(strlen(rule->title) > 5 && strlen(rule->why) > 10 && strlen(rule->mend) > 10);
    }
}

/* What drivers of the box do is in order, from power-up to the first calls; but NuttX's sleeps for 50 ms
 * between two ACMD41s, so that they are further apart than that. */
static void test_drivers(void **state)
{
    (void)state;
    static const char *const runs[][4] = {
        {"esp-idf-sdmmc", "esp32s3", "sd4", ""},
        {"arduino-esp32-sdmmc", "esp32", "sd1", ""},
        {"carlk3-sdio", "rp2040", "sd4", ""},
        {"sdfat-teensy-sdio", "imxrt1062", "sd4", ""},
        {"circuitpython-sdioio-samd", "samd51", "sd4", ""},
        {"nuttx-mmcsd-sdio", "stm32f4", "sd4", "sd-acmd41-slow-polls"},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct sdsim_test_output made = sdsim_test_sh(
            "printf 'kind: scenario\\nhost: %s\\ndriver: %s\\nbus: %s\\nclock: 20MHz\\ncard: "
            "sdhc32g-u1\\n"
            "workload: {do: write, on: raw, call: 4KiB, total: 16KiB}\\n' > $d/x.yaml && "
            "\"$SDSIM_PROGRAM\" export $d/x.yaml -o $d/x.vcd",
            runs[i][1], runs[i][0], runs[i][2]);
        sdsim_test_expect_success(made);
        char names[1024];
        struct sdsim_doctor doctor;
        examine(sdsim_test_path("x.vcd"), &doctor);
        sdsim_test_doctor_names(&doctor, SDSIM_WARNING, names, sizeof names);
        if (strcmp(names, runs[i][3]) != 0 || doctor.bus.blocks_written == 0) {
            fail_msg("%s: %llu blocks, %s", runs[i][0],
                     (unsigned long long)doctor.bus.blocks_written, names);
        }
    }
}

/* Real cards and hosts that work. */
static void test_recordings(void **state)
{
    (void)state;
    static const char *const files[] = {
        "sigrok-dumps/sd_mode/imx6_quad/working.sr",
        "sigrok-dumps/sd_mode/imx6_quad/failing.sr",
        "derived/imx6_linux_init.sr",
        "derived/imx6_uboot_init_hs_switch.sr",
    };
    if (!sdsim_test_has_captures()) {
        skip();
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[200];
        char names[1024];
        struct sdsim_doctor doctor;
        snprintf(path, sizeof path, "../shared/captures/%s", files[i]);
        examine(path, &doctor);
        sdsim_test_doctor_names(&doctor, SDSIM_WARNING, names, sizeof names);
        if (names[0] != '\0' || doctor.bus.commands == 0) {
            fail_msg("%s: %llu commands, %s", files[i], (unsigned long long)doctor.bus.commands,
                     names);
        }
    }
}

/* What is printed reads like the findings of SPI. */
static void test_output(void **state)
{
    (void)state;
    const char *path = sdsim_test_path("wave.vcd");
    write_wave(WIDE "c25:1000 r25:900 w4 v4 c12:0 r12:C00", path);
    struct sdsim_test_result result = sdsim_test_run_quiet((const char *[]){"doctor", path, NULL});
    assert_int_equal(result.code, 1);
    static const char *const parts[] = {
        "ACMD6 set bus width, 4 lines -> transfer\n",
        "CMD25 write blocks, address 4096 -> transfer; 2 blocks of 512",
        "error: the card refused a block [sd-block-refused]\n",
        "Its CRC status is 101, wrong check sum.\n",
        "ACMD41: sent 1 time in 0s (limit 1s), ready\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(result.out, parts[i]) == NULL) {
            fail_msg("not said: %s\n%s", parts[i], result.out);
        }
    }
    sdsim_test_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_rules),
        cmocka_unit_test(test_drivers), cmocka_unit_test(test_recordings),
        cmocka_unit_test(test_output),
    };
    sdsim_test_need_program();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

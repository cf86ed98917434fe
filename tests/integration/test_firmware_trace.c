/*
 * The recorder that users put into their firmware, tools/firmware/sdtrace.h: it compiles without a
 * warning, as C99 and as C++11, for this PC, a Cortex-M0 and an AVR, and keeps its promises of size
 * and speed on the Cortex-M0; and the code its README.md shows compiles, runs over stubs
 * (tests/firmware/trace) and records what happened.
 *
 * Each compiler found is used; what needs one that isn't there is skipped.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "scratch.h"
#include "shell.h"
#include "thumb_paths.h"
#include "trace/firmware_log.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void need(bool there, const char *what)
{
    if (!there) {
        print_message("no %s\n", what);
        skip();
    }
}

/* ---- what it costs ---- */

/* The first two numbers of the second line of `size`: code and constants, and data. */
static void expect_size(const char *size, const char *object, unsigned most)
{
    struct sdsim_test_output output = sdsim_test_sh("%s $d/%s | tail -n 1", size, object);
    unsigned text;
    unsigned data;
    unsigned bss;
    if (sscanf(output.text, "%u %u %u", &text, &data, &bss) != 3) {
        fail_msg("%s said: %s", size, output.text);
    }
    print_message("%s: %u bytes\n", object, text);
    if (text > most || data + bss != 0) {
        fail_msg("%s: %u bytes of code, at most %u; %u bytes of data, should be none", object, text,
                 most, data + bss);
    }
    free(output.text);
}

static void test_cortex_m0(void **state)
{
    (void)state;
    need(sdsim_test_has("arm-none-eabi-gcc"), "arm-none-eabi-gcc");
    sdsim_test_expect_success(
        sdsim_test_sh("arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -Os -std=c99 "
                      "-ffreestanding -Wall -Wextra -Wshadow -Wconversion -pedantic "
                      "-Werror -Itools/firmware -c -o $d/m0.o "
                      "tests/firmware/trace/size.c 2>&1"));
    expect_size("arm-none-eabi-size", "m0.o", 2048);
}

static void test_avr(void **state)
{
    (void)state;
    need(sdsim_test_has("avr-gcc"), "avr-gcc");
    sdsim_test_expect_success(
        sdsim_test_sh("avr-gcc -mmcu=atmega328p -Os -std=c99 -Wall -Wextra -Wshadow "
                      "-pedantic -Werror -Itools/firmware -c -o $d/avr.o "
                      "tests/firmware/trace/size.c 2>&1"));
    expect_size("avr-size", "avr.o", 4096);
}

/* On C++ compilers for these, as Arduino uses them. */
static void test_cross_cxx(void **state)
{
    (void)state;
    static const struct {
        const char *compiler;
        const char *options;
    } rows[] = {
        {"arm-none-eabi-g++", "-mcpu=cortex-m0 -mthumb -ffreestanding"},
        {"avr-g++", "-mmcu=atmega328p"},
    };
    bool any = false;
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (sdsim_test_has(rows[i].compiler)) {
            any = true;
            sdsim_test_expect_success(sdsim_test_sh(
                "%s %s -Os -std=c++11 -x c++ -Wall -Wextra -Wshadow -pedantic -Werror "
                "-Itools/firmware -c -o $d/cxx.o tests/firmware/trace/size.c 2>&1",
                rows[i].compiler, rows[i].options));
        }
    }
    need(any, "arm-none-eabi-g++, avr-g++");
}

/* No path of a record is longer than promised, and none has a loop. */
static void test_instructions(void **state)
{
    (void)state;
    static const struct {
        const char *function;
        const char *without;
        int most;
    } rows[] = {
        /* a record, with the oldest overwritten */
        {"sdtrace_block", "sdtrace_rare_", 120},
        {"sdtrace_file", "sdtrace_rare_", 120},
        {"sdtrace_mark", "sdtrace_rare_", 120},
        {"sdtrace_tick", "sdtrace_rare_", 50},
        /* the same after an idle hour and with two helpers: three records */
        {"sdtrace_block", NULL, 330},
    };
    need(sdsim_test_has("arm-none-eabi-gcc") && sdsim_test_has("arm-none-eabi-objdump"),
         "arm-none-eabi-gcc with its binutils");
    sdsim_test_expect_success(
        sdsim_test_sh("arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -Os -std=c99 "
                      "-ffreestanding -nostdlib -Wl,-e,start -Wl,-Ttext=0x1000 "
                      "-DWITH_MAIN -Itools/firmware -o $d/m0.elf "
                      "tests/firmware/trace/size.c -lgcc 2>&1"));
    struct sdsim_test_output output = sdsim_test_sh("arm-none-eabi-objdump -d $d/m0.elf");
    assert_int_equal(output.code, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int longest =
            sdsim_thumb_longest_path(output.text, rows[i].function, rows[i].without);
        print_message("%s: at most %d instructions\n", rows[i].function, longest);
        if (longest < 10 || longest > rows[i].most) {
            fail_msg("%s: %d instructions, at most %d", rows[i].function, longest, rows[i].most);
        }
    }
    /* the count itself: this one has a loop */
    assert_int_equal(sdsim_thumb_longest_path(output.text, "sdtrace_name", NULL), SDSIM_THUMB_LOOP);
    assert_int_equal(sdsim_thumb_longest_path(output.text, "sdtrace_nothing", NULL),
                     SDSIM_THUMB_UNKNOWN);
    free(output.text);
}

/* ---- the code in the README ---- */

/* Writes the block of code that begins with the comment NAME into $d/readme/NAME. */
static void extract(const char *name)
{
    sdsim_test_expect_success(sdsim_test_sh("mkdir -p $d/readme && awk -v head='/* %s */' '"
                                            "/^```/ { inside = 0 } inside { print } "
                                            "$0 == head { inside = 1; print }' "
                                            "tools/firmware/README.md >$d/readme/%s && "
                                            "test $(wc -l <$d/readme/%s) -gt 3",
                                            name, name, name));
}

/* What the README of the whole shows compiles, too. */
static void short_hooks(void **state)
{
    (void)state;
    sdsim_test_expect_success(sdsim_test_sh(
        "sed -n '/^.. linked with -Wl,--wrap=disk_read/,/^```$/p' README.md | sed '/^```/d' "
        ">$d/short.c && grep -q SDTRACE_WRAP_DISKIO $d/short.c && "
        "cc -std=c99 -Wall -Wextra -Werror -Itools/firmware -Itests/firmware/trace/fatfs "
        "'-DSDTRACE_MICROS()=0u' -c $d/short.c -o $d/short.o && "
        "for name in read write ioctl; do nm $d/short.o | grep -q \" T __wrap_disk_$name$\" || "
        "exit 1; done"));
}

/* An event that is expected; times are from the start of the first one, in microseconds. */
struct expected {
    enum sdsim_firmware_kind kind;
    uint32_t start;
    uint32_t duration;
    uint32_t lba;
    uint32_t count;
    uint64_t bytes;
    uint8_t result;
    const char *name;
};

static void expect_events(const char *command, const struct expected *rows, size_t count)
{
    struct sdsim_test_output output = sdsim_test_sh("%s", command);
    if (output.code != 0) {
        fail_msg("%s: exit code %d: %s", command, output.code, output.text);
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_firmware_log *log =
        sdsim_firmware_log_open(sdsim_input_memory("output", output.text, output.size, &diags));
    assert_non_null(log);
    struct sdsim_firmware_event event;
    sdsim_ps zero = 0;
    size_t at = 0;
    for (; sdsim_firmware_log_next(log, &event); at++) {
        assert_true(at < count);
        const struct expected *row = &rows[at];
        /* the first event began first in all of these programs, or its caller did */
        zero = at == 0 ? event.start - row->start * SDSIM_US : zero;
        if (event.kind != row->kind || event.start != zero + row->start * SDSIM_US ||
            event.duration != row->duration * SDSIM_US || event.lba != row->lba ||
            event.count != row->count || event.bytes != row->bytes || event.result != row->result ||
            strcmp(event.name, row->name == NULL ? "" : row->name) != 0) {
            fail_msg("%s, event %zu: kind %d, start %u, duration %u, lba %u, count %u, bytes %u, "
                     "result %u, name '%s'",
                     command, at, event.kind, (unsigned)((event.start - zero) / SDSIM_US),
                     (unsigned)(event.duration / SDSIM_US), (unsigned)event.lba,
                     (unsigned)event.count, (unsigned)event.bytes, event.result, event.name);
        }
    }
    if (at != count || diags.count != 0) {
        sdsim_diags_print(&diags, stdout);
        fail_msg("%s: %zu events of %zu: %s", command, at, count, output.text);
    }
    sdsim_firmware_log_close(log);
    sdsim_diags_free(&diags);
    free(output.text);
}

static void test_fatfs(void **state)
{
    (void)state;
    /* f_open reads a sector, f_write writes 8, f_close syncs */
    static const struct expected rows[] = {
        {SDSIM_FIRMWARE_READ, 0, 110, 0, 1, 0, 0, NULL},
        {SDSIM_FIRMWARE_OPEN, 0, 110, 0, 0, 0, 0, "0:/LOGS/DATA0001.CSV"},
        {SDSIM_FIRMWARE_WRITE, 110, 180, 8192, 8, 0, 0, NULL},
        {SDSIM_FIRMWARE_FILE_WRITE, 110, 180, 0, 0, 4096, 0, NULL},
        {SDSIM_FIRMWARE_SYNC, 290, 1000, 0, 0, 0, 0, NULL},
        {SDSIM_FIRMWARE_CLOSE, 290, 1000, 0, 0, 0, 0, NULL},
        {SDSIM_FIRMWARE_READ, 1340, 120, 13, 2, 0, 1, NULL},
        {SDSIM_FIRMWARE_TRIM, 1460, 1004, 100000, 200000, 0, 0, NULL},
        {SDSIM_FIRMWARE_STATUS, 2464, 7, 0, 0, 0, 2, NULL},
    };
    static const char sources[] =
        "-Itests/firmware/trace/fatfs -include %s/clock.h %s %s/readme/trace_start.c "
        "%s/readme/trace_files.c %s/readme/trace_fatfs.c tests/firmware/trace/fatfs/disk.c "
        "tests/firmware/trace/fatfs/main.c";
    static const struct {
        const char *edit; /* of the hooks as they stand in the README */
        const char *options;
    } ways[] = {
        {"s/^SDTRACE_WRAP_DISKIO/SDTRACE_WRAP_DISK_STATUS(\\&trace, __real_, __wrap_);\\n&/",
         "-Wl,--wrap=disk_read,--wrap=disk_write,--wrap=disk_ioctl,--wrap=disk_status"},
        {"s/^SDTRACE_WRAP_DISKIO.*/SDTRACE_WRAP_DISK_STATUS(\\&trace, real_, );\\n"
         "SDTRACE_WRAP_DISKIO(\\&trace, real_, );/",
         "-DRENAMED"},
    };
    extract("trace_start.c");
    extract("trace_clock.h");
    extract("trace_files.c");
    sdsim_test_expect_success(sdsim_test_sh(
        "printf '#include \"stm32.h\"\\n#include \"readme/trace_clock.h\"\\n' >$d/clock.h"));
    for (size_t i = 0; i < COUNT(ways); i++) {
        char arguments[1000];
        extract("trace_fatfs.c");
        sdsim_test_expect_success(
            sdsim_test_sh("sed -i '%s' $d/readme/trace_fatfs.c", ways[i].edit));
        (void)snprintf(arguments, sizeof arguments, sources, sdsim_test_folder(), ways[i].options,
                       sdsim_test_folder(), sdsim_test_folder(), sdsim_test_folder());
        need(sdsim_test_build_all("fatfs", false, arguments), "C compiler");
        expect_events("$d/fatfs", rows, COUNT(rows));
    }
}

static void test_esp_idf(void **state)
{
    (void)state;
    static const struct expected rows[] = {
        {SDSIM_FIRMWARE_READ, 0, 180, 8192, 8, 0, 0, NULL},
        {SDSIM_FIRMWARE_READ, 180, 110, 13, 1, 0, 7, NULL},
        {SDSIM_FIRMWARE_WRITE, 290, 110, 70000, 1, 0, 0, NULL},
        {SDSIM_FIRMWARE_SYNC, 400, 0, 0, 0, 0, 0, NULL},
    };
    static const struct {
        const char *file;
        const char *options;
        size_t count;
    } ways[] = {
        {"trace_idf.c", "-Wl,--wrap=sdmmc_read_sectors,--wrap=sdmmc_write_sectors", 3},
        {"trace_idf_diskio.c", "-DOWN_DRIVER", 4},
    };
    extract("trace_start.c");
    for (size_t i = 0; i < COUNT(ways); i++) {
        char arguments[1000];
        extract(ways[i].file);
        (void)snprintf(arguments, sizeof arguments,
                       "-DESP_PLATFORM -Itests/firmware/trace/idf %s %s/readme/trace_start.c "
                       "%s/readme/%s tests/firmware/trace/idf/card.c "
                       "tests/firmware/trace/idf/main.c",
                       ways[i].options, sdsim_test_folder(), sdsim_test_folder(), ways[i].file);
        need(sdsim_test_build_all("idf", false, arguments), "C compiler");
        expect_events("$d/idf", rows, ways[i].count);
    }
}

/* Each look at a clock of the stub takes a microsecond: one in a call, and one between calls. */
static void test_sdfat(void **state)
{
    (void)state;
    static const struct expected rows[] = {
        {SDSIM_FIRMWARE_READ, 0, 36, 0, 1, 0, 0, NULL},
        {SDSIM_FIRMWARE_READ, 38, 51, 8192, 4, 0, 0, NULL},
        {SDSIM_FIRMWARE_WRITE, 91, 46, 9000, 3, 0, 0, NULL},
        {SDSIM_FIRMWARE_WRITE, 139, 36, 9003, 1, 0, 0, NULL},
        {SDSIM_FIRMWARE_SYNC, 177, 31, 0, 0, 0, 0, NULL},
        {SDSIM_FIRMWARE_READ, 210, 36, 13, 1, 0, 1, NULL},
    };
    char arguments[500];
    extract("trace_sdfat.h");
    extract("trace_sdfat.cpp");
    (void)snprintf(arguments, sizeof arguments,
                   "-DARDUINO=10819 -Itests/firmware/trace/sdfat -Itests/firmware/arduino "
                   "-I%s/readme tests/firmware/trace/sdfat/main.cpp",
                   sdsim_test_folder());
    need(sdsim_test_build_all("sdfat", true, arguments), "C++ compiler");
    expect_events("$d/sdfat", rows, COUNT(rows));
}

/* A write of 100 bytes takes 40 + 25 us and a look at the clock, a sync 1 ms. */
static void test_sd_files(void **state)
{
    (void)state;
    static const struct expected rows[] = {
        {SDSIM_FIRMWARE_OPEN, 0, 1, 0, 0, 0, 0, "log.txt"},
        {SDSIM_FIRMWARE_FILE_WRITE, 3, 66, 0, 0, 100, 0, NULL},
        {SDSIM_FIRMWARE_FILE_SYNC, 71, 1001, 0, 0, 0, 0, NULL},
        {SDSIM_FIRMWARE_CLOSE, 1074, 1, 0, 0, 0, 0, NULL},
        {SDSIM_FIRMWARE_OPEN, 1077, 1, 0, 0, 100, 0, "log.txt"},
        {SDSIM_FIRMWARE_MARK, 1080, 1, 0, 5, 0, 0, NULL},
        {SDSIM_FIRMWARE_SEEK, 1083, 31, 0, 0, 20, 0, NULL},
        {SDSIM_FIRMWARE_FILE_READ, 1116, 27, 0, 0, 50, 0, NULL},
        {SDSIM_FIRMWARE_CLOSE, 1145, 1, 0, 0, 0, 0, NULL},
    };
    char arguments[500];
    extract("trace_file.h");
    (void)snprintf(arguments, sizeof arguments,
                   "-DARDUINO=10819 -Itests/firmware/arduino -I%s/readme "
                   "tests/firmware/trace/sdfat/file.cpp",
                   sdsim_test_folder());
    need(sdsim_test_build_all("files", true, arguments), "C++ compiler");
    expect_events("$d/files", rows, COUNT(rows));
}

/* ---- the program ---- */

static void expect_text(struct sdsim_test_output output, const char *text)
{
    assert_int_equal(output.code, 0);
    assert_string_equal(output.text, text);
    free(output.text);
}

/* The log of the firmware above as the traces that the command line makes of it; and replayed. */
static void test_import(void **state)
{
    (void)state;
    static const char blocks[] = "@5ms +110us R 0 1\n"
                                 "@5.11ms +180us W 8192 8\n"
                                 "@5.29ms +1ms #S\n"
                                 "@6.34ms +120us R 13 2 rc=1\n"
                                 "@6.46ms +1.004ms #T 100000 200000\n"
                                 "@7.464ms +7us #D rc=1\n";
    static const char files[] = "mount\n"
                                "@5ms +110us open DATA0001.CSV w\n"
                                "@5.11ms +180us write 4096\n"
                                "@5.29ms +1ms close\n";
    need(sdsim_test_has_program(), "program");
    struct sdsim_test_output output = sdsim_test_sh("$d/fatfs >$d/serial.log");
    need(output.code == 0, "firmware from the test of FatFs");
    free(output.text);
    expect_text(sdsim_test_sh("\"$SDSIM_PROGRAM\" import $d/serial.log"), blocks);
    expect_text(sdsim_test_sh("\"$SDSIM_PROGRAM\" import --from sdtrace-files $d/serial.log"),
                files);
    output = sdsim_test_sh(
        "\"$SDSIM_PROGRAM\" replay --board esp32s3-devkit-spi --card sandisk-ultra-16gb "
        "$d/serial.log");
    if (output.code != 0 || output.size == 0) {
        fail_msg("replay: exit code %d: %s", output.code, output.text);
    }
    free(output.text);
}

/* Without settings, on a PC: the header finds a clock, and tells what is missing where it can't. */
static void test_plain(void **state)
{
    (void)state;
    static const struct expected rows[] = {{SDSIM_FIRMWARE_MARK, 0, 0, 0, 9, 0, 0, NULL}};
    sdsim_test_expect_success(
        sdsim_test_sh("cat >$d/plain.c <<'END'\n"
                      "#include \"sdtrace.h\"\n"
                      "int main(void)\n"
                      "{\n"
                      "    struct sdtrace trace;\n"
                      "    struct sdtrace_record ring[8];\n"
                      "    sdtrace_init(&trace, ring, 8, SDTRACE_STOP_WHEN_FULL);\n"
                      "    sdtrace_add(&trace, SDTRACE_MARK, 0, 9, trace.last, 0);\n"
                      "    ring[0].word[3] = 0;\n"
                      "    sdtrace_dump(&trace);\n"
                      "    return 0;\n"
                      "}\n"
                      "END\n"));
    char source[100];
    (void)snprintf(source, sizeof source, "%s/plain.c", sdsim_test_folder());
    need(sdsim_test_build_all("plain", false, source), "C compiler");
    expect_events("$d/plain", rows, COUNT(rows));
    if (sdsim_test_has("arm-none-eabi-gcc")) {
        struct sdsim_test_output output = sdsim_test_sh(
            "arm-none-eabi-gcc -ffreestanding -Itools/firmware -c -o $d/x.o %s 2>&1", source);
        assert_int_not_equal(output.code, 0);
        assert_non_null(strstr(output.text, "sdtrace: define SDTRACE_MICROS()"));
        free(output.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_hooks),       cmocka_unit_test(test_cortex_m0),
        cmocka_unit_test(test_avr),          cmocka_unit_test(test_cross_cxx),
        cmocka_unit_test(test_instructions), cmocka_unit_test(test_plain),
        cmocka_unit_test(test_fatfs),        cmocka_unit_test(test_esp_idf),
        cmocka_unit_test(test_sdfat),        cmocka_unit_test(test_sd_files),
        cmocka_unit_test(test_import),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

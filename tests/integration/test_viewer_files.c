/*
 * What the viewer is given to look at: everything it opens, and what it says of what it can't; fonts and
 * pictures. Left out where the viewer was not built.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "scratch.h"
#include "viewer.h"

enum { SKIPPED = 77 };

#define TEXT_SIZE 16384

static size_t read_file(const char *name, uint8_t *bytes, size_t most)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", sdsim_test_folder(), name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

static void subjects(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        const char *shows[3];
    } rows[] = {
        {"read.sdtl", {"Application", "Bytes"}},
        {"bench read", {"Application", "Bytes"}},
        {"bench read --set workload.total=64KiB --seed 3 --draw 2", {"Application"}},
        {"bench read --card plain", {"Application"}},
        {"bench read write", {"shift: "}},
        {"bench read read.sdtl", {"shift: "}},
        {"calls.blocks --board devkit --card plain", {"File system", "Bus", "Bytes"}},
        {"calls.ops --board devkit --card plain --filesystem fat32", {"File library", "Bus"}},
        {"calls.blocks bench read --board devkit --card plain", {"shift: "}},
        {"pins.vcd", {"Commands", "Bus", "Card"}},
        {"bench read pins.vcd --align 'bus data'", {"shift: "}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[TEXT_SIZE];
        const char *dump = sdsim_test_view_script(rows[i].words, "", text, sizeof text);
        for (size_t k = 0; k < 3 && rows[i].shows[k] != NULL; k++) {
            if (strstr(dump, rows[i].shows[k]) == NULL) {
                fail_msg("%s: no %s in\n%s", rows[i].words, rows[i].shows[k], text);
            }
        }
    }
}

/* Bits of each kind of thing: simulated again, or read again. */
static void bits(void **state)
{
    (void)state;
    static const char *const words[] = {
        "bench read",
        "read.sdtl",
        "calls.blocks --board devkit --card plain",
        "pins.vcd",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[TEXT_SIZE];
        const char *dump = sdsim_test_view_script(
            words[i], "key /\ntype bus token\nkey return\nkey z", text, sizeof text);
        if (strstr(dump, "bits 0: ") == NULL || strstr(dump, "bits 0: 0 edges") != NULL) {
            fail_msg("%s: no bits in\n%s", words[i], text);
        }
    }
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int code;
        const char *says;
    } rows[] = {
        {"", 2, "say what to look at"},
        {"nothing.sdtl", 2, "nothing.sdtl"},
        {"nothing", 2, "there is no scenario 'nothing'"},
        {"bench", 2, "it has several runs"},
        {"bench nothing", 2, "its runs are: write, read"},
        {"read.sdtl read.sdtl read.sdtl", 2, "a third"},
        {"text", 2, "text"},
        {"text.sdtl", 2, "offset 15"},
        {"old.sdtl", 2, "version"},
        {"damaged.sdtl", 2, "offset"},
        {"damaged.vcd", 2, "offset"},
        {"cut.vcd", 2, "offset"},
        {"calls.blocks", 2, "the trace does not say what it was recorded on"},
        {"one.vcd", 2, "one.vcd"},
        {"read.sdtl --size 10", 2, "--size"},
        {"read.sdtl --size 0x0", 2, "--size"},
        {"read.sdtl --text 2", 2, "--text"},
        {"read.sdtl --view 2ms..1ms", 2, "--view"},
        {"read.sdtl --view 2ms", 2, "--view"},
        {"read.sdtl --select nonsense", 2, "--select"},
        {"read.sdtl --align pause", 2, "--align"},
        {"read.sdtl --font text", 2, "no font"},
        {"read.sdtl --script nothing", 2, "nothing"},
        {"read.sdtl --script bad-script", 2, "bad-script:2"},
        {"read.sdtl --nonsense", 2, "nonsense"},
        {"bench read --draw x", 2, "--draw"},
        {"read.sdtl --screenshot /nowhere/x.png", 3, "/nowhere/x.png"},
        {"read.sdtl --screenshot x.jpg", 2, "makes .png and .ppm files"},
        {"read.sdtl --screenshot x", 2, "makes .png and .ppm files"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[TEXT_SIZE];
        char words[300];
        snprintf(words, sizeof words, "%s%s", rows[i].words,
                 strstr(rows[i].words, "--script") == NULL &&
                         strstr(rows[i].words, "--screenshot") == NULL
                     ? " --screenshot x.png"
                     : "");
        const int code = sdsim_test_view(words, text, sizeof text);
        if (code != rows[i].code || strstr(text, rows[i].says) == NULL) {
            fail_msg("%s: ended with %d and %s", rows[i].words, code, text);
        }
    }
}

/* A file that was cut off anywhere is shown up to there and ends with 1, or is refused; a run
 * without anything is empty. */
static void cut_and_empty(void **state)
{
    (void)state;
    static uint8_t bytes[1 << 20];
    const size_t size = read_file("read.sdtl", bytes, sizeof bytes);
    static const unsigned percents[] = {0, 1, 5, 30, 60, 90, 99};
    unsigned shown = 0;
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        char text[TEXT_SIZE];
        sdsim_test_write_file(sdsim_test_path("cut.sdtl"), bytes, size * percents[i] / 100);
        const int code = sdsim_test_view("cut.sdtl --screenshot cut.png", text, sizeof text);
        if ((code != 1 && code != 2) || strstr(text, "cut") == NULL) {
            fail_msg("cut at %u%%: ended with %d and %s", percents[i], code, text);
        }
        shown += code == 1;
    }
    assert_true(shown >= 3);
    char text[TEXT_SIZE];
    sdsim_test_write_file(sdsim_test_path("empty.sdtl"), bytes, 16); /* the head alone */
    const char *dump =
        sdsim_test_view_script("empty.sdtl",
                               "key w\nkey n\nkey l\nkey ]\nkey m\nkey z\nkey r\nkey x\nkey space\n"
                               "click 500 220\nwheel 500 100 3\ndrag 300 50 600 50\nkey ?\ndraw",
                               text, sizeof text);
    assert_non_null(strstr(dump, "rows:"));
}

/* Without a font of its own, and with another: all is drawn. */
static void fonts(void **state)
{
    (void)state;
    static const char mono[] = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf";
    char text[TEXT_SIZE];
    char words[300];
    snprintf(words, sizeof words, "read.sdtl --font %s --screenshot mono.png", mono);
    assert_int_equal(sdsim_test_view(words, text, sizeof text), access(mono, R_OK) == 0 ? 0 : 2);
    /* No file of that name is there: the built-in one. */
    assert_int_equal(
        sdsim_test_view("read.sdtl --font '' --screenshot plain.png", text, sizeof text), 0);
}

static void screenshots(void **state)
{
    (void)state;
    static uint8_t all[4 << 20];
    static uint8_t part[4 << 20];
    char text[TEXT_SIZE];
    assert_int_equal(
        sdsim_test_view("read.sdtl --size 640x400 --screenshot all.png", text, sizeof text), 0);
    size_t size = read_file("all.png", all, sizeof all);
    assert_true(size > 24);
    assert_memory_equal(all, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(all + 16, "\0\0\x02\x80\0\0\x01\x90", 8); /* 640 x 400 */
    assert_int_equal(
        sdsim_test_view("read.sdtl --size 640x400 --screenshot all.ppm", text, sizeof text), 0);
    size = read_file("all.ppm", all, sizeof all);
    assert_int_equal(size, 15 + 640 * 400 * 3);
    assert_memory_equal(all, "P6\n640 400\n255\n", 15);
    /* Another window of time, another picture; the same one, the same picture. */
    assert_int_equal(sdsim_test_view("read.sdtl --size 640x400 --view 10ms..12ms --screenshot "
                                     "part.ppm",
                                     text, sizeof text),
                     0);
    assert_int_equal(read_file("part.ppm", part, sizeof part), size);
    assert_true(memcmp(all, part, size) != 0);
    assert_int_equal(
        sdsim_test_view("read.sdtl --size 640x400 --screenshot again.ppm", text, sizeof text), 0);
    assert_int_equal(read_file("again.ppm", part, sizeof part), size);
    assert_memory_equal(all, part, size);
}

static int set_up(void **state)
{
    (void)state;
    static uint8_t bytes[1 << 20];
    static const char calls[] = "W 8192 8\nW 8200 8\nR 8192 16\n";
    static const char ops[] = "@1 open /A.BIN w\n@1 write 4096\n@1 close\n";
    static const char one_pin[] =
        "$timescale 1ns $end\n$var wire 1 ! CLK $end\n$enddefinitions $end\n#0\n0!\n";
    char path[PATH_MAX];
    sdsim_test_viewer_record("bench", "read", "read");
    sdsim_test_write_file(sdsim_test_path("text"), "not a timeline\n", 15);
    sdsim_test_write_file(sdsim_test_path("text.sdtl"), "not a timeline\n", 15);
    sdsim_test_write_file(sdsim_test_path("old.sdtl"), "sdsimTL\n\1\0\0\0\0\0\0\0", 16);
    sdsim_test_write_file(sdsim_test_path("bad-script"), "key w\nnonsense\n", 15);
    sdsim_test_write_file(sdsim_test_path("calls.blocks"), calls, sizeof calls - 1);
    sdsim_test_write_file(sdsim_test_path("calls.ops"), ops, sizeof ops - 1);
    sdsim_test_write_file(sdsim_test_path("one.vcd"), one_pin, sizeof one_pin - 1);
    const size_t size = read_file("read.sdtl", bytes, sizeof bytes);
    memset(bytes + size / 2, 0xA5, 16);
    sdsim_test_write_file(sdsim_test_path("damaged.sdtl"), bytes, size);
    snprintf(path, sizeof path, "%s/pins.vcd", sdsim_test_folder());
    struct sdsim_test_result result = sdsim_test_run_quiet((const char *const[]){
        "export", "bench", "read", "--window", "100ms..110ms", "-o", path, NULL});
    const int code = result.code;
    sdsim_test_result_free(&result);
    const size_t pins = read_file("pins.vcd", bytes, sizeof bytes);
    if (code != 0) {
        return -1;
    }
    size_t line = pins / 2; /* up to the '#' of a time */
    while (bytes[line] != '#') {
        line++;
    }
    sdsim_test_write_file(sdsim_test_path("cut.vcd"), bytes, line + 1);
    memset(bytes + line, '?', 4);
    sdsim_test_write_file(sdsim_test_path("damaged.vcd"), bytes, pins);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subjects),      cmocka_unit_test(bits),  cmocka_unit_test(refusals),
        cmocka_unit_test(cut_and_empty), cmocka_unit_test(fonts), cmocka_unit_test(screenshots),
    };
    return sdsim_test_has_viewer() ? cmocka_run_group_tests(tests, set_up, NULL) : SKIPPED;
}

/*
 * Inputs of `import` in which there is not one call: it says so, says what is there instead, ends with 1
 * and writes nothing. The captures are drawn here, edge by edge.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/crc.h"
#include "program.h"
#include "scratch.h"
#include "shell.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { CLK, MOSI, MISO, CS, LINES };

/* An SPI bus in nanoseconds, seen by an analyser that looks every `step`. */
struct pen {
    FILE *file;
    unsigned long now;
    unsigned long step;
    unsigned long seen; /* when it looked last */
    int level[LINES];
    int shown[LINES];
};

/* What the analyser sees of the levels until `to`: only those at its instants. */
static void pass(struct pen *pen, unsigned long to)
{
    while (pen->seen + pen->step <= to) {
        pen->seen += pen->step;
        for (int i = 0; i < LINES; i++) {
            if (pen->level[i] != pen->shown[i]) {
                fprintf(pen->file, "#%lu\n%d%c\n", pen->seen, pen->level[i], "cdqs"[i]);
                pen->shown[i] = pen->level[i];
            }
        }
    }
    pen->now = to;
}

static struct pen pen_down(const char *path, unsigned long step)
{
    struct pen pen = {.file = fopen(path, "w"), .step = step, .level = {0, 1, 1, 1}};
    assert_non_null(pen.file);
    memcpy(pen.shown, pen.level, sizeof pen.shown);
    fputs("$timescale 1ns $end\n$scope module bus $end\n$var wire 1 c clk $end\n"
          "$var wire 1 d mosi $end\n$var wire 1 q miso $end\n$var wire 1 s cs $end\n"
          "$upscope $end\n$enddefinitions $end\n#0\n0c\n1d\n1q\n1s\n",
          pen.file);
    pass(&pen, 2000);
    return pen;
}

static void pen_up(struct pen *pen)
{
    fprintf(pen->file, "#%lu\n", pen->now + 5000);
    assert_int_equal(fclose(pen->file), 0);
}

static void byte(struct pen *pen, uint8_t mosi, uint8_t miso)
{
    for (int bit = 7; bit >= 0; bit--) {
        pen->level[MOSI] = mosi >> bit & 1;
        pen->level[MISO] = miso >> bit & 1;
        pass(pen, pen->now + 50);
        pen->level[CLK] = 1;
        pass(pen, pen->now + 50);
        pen->level[CLK] = 0;
    }
}

static void select_card(struct pen *pen, bool selected)
{
    pen->level[CS] = !selected;
    pass(pen, pen->now + 1000);
}

/* A command in a frame of its own, a response behind it, and `more` bytes of FF. */
static void command(struct pen *pen, uint8_t index, const char *response, size_t size, size_t more)
{
    uint8_t frame[6] = {(uint8_t)(0x40 | index), 0, 0, index == 8, index == 8 ? 0xAA : 0, 0};
    frame[5] = sdsim_crc7_byte(frame, 5);
    select_card(pen, true);
    for (size_t i = 0; i < sizeof frame; i++) {
        byte(pen, frame[i], 0xFF);
    }
    byte(pen, 0xFF, 0xFF);
    for (size_t i = 0; i < size; i++) {
        byte(pen, 0xFF, (uint8_t)response[i]);
    }
    for (size_t i = 0; i < more; i++) {
        byte(pen, 0xFF, 0xFF);
    }
    select_card(pen, false);
}

static void initialise(struct pen *pen)
{
    command(pen, 0, "\x01", 1, 1);
    command(pen, 8, "\x01\0\0\x01\xAA", 5, 1);
    command(pen, 55, "\x01", 1, 1);
    command(pen, 41, "\0", 1, 1);
    command(pen, 58, "\0\xC0\xFF\x80\0", 5, 1);
}

static void draw(void)
{
    struct pen pen = pen_down(sdsim_test_path("idle.vcd"), 10);
    pen_up(&pen);
    pen = pen_down(sdsim_test_path("start.vcd"), 10);
    initialise(&pen);
    pen_up(&pen);
    pen = pen_down(sdsim_test_path("noise.vcd"), 10);
    select_card(&pen, true);
    for (int i = 0; i < 20; i++) {
        byte(&pen, 0xFF, 0xFF);
    }
    pen_up(&pen);
    pen = pen_down(sdsim_test_path("seldom.vcd"), 77);
    for (int i = 0; i < 40; i++) {
        initialise(&pen);
    }
    pen_up(&pen);
    pen = pen_down(sdsim_test_path("given-up.vcd"), 10); /* a read without a token */
    initialise(&pen);
    command(&pen, 17, "\0", 1, 40);
    command(&pen, 13, "\0\0", 2, 1);
    pen_up(&pen);
    sdsim_test_write_text(sdsim_test_path("comments.ops"), "# mount\n\n# nothing else\n");
    sdsim_test_write_text(sdsim_test_path("one.blocks"), "R 0 8\n");
    sdsim_test_write_text(sdsim_test_path("other.log"),
                          "openat(AT_FDCWD, \"/mnt/a\", O_RDWR) = 3\nwrite(3, \"x\", 1) = 1\n"
                          "close(3) = 0\n");
}

static void says_what_is_there(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"$s import $d/idle.vcd", 1, "error: there is not one call in it, but an idle bus", NULL},
        {"$s import $d/start.vcd", 1, "but 5 commands, none of which moves a block: CMD0, CMD8, ",
         NULL},
        {"$s import $d/noise.vcd", 1, "but 160 clocks, and no command of an SD card", NULL},
        {"$s import $d/seldom.vcd", 1, "a clock that was sampled too seldom to be read", NULL},
        {"$s import $d/seldom.vcd", 1, "record with four samples a clock or more", NULL},
        {"$s import $d/given-up.vcd", 1, "7 commands (", NULL},
        {"$s import $d/given-up.vcd", 1, "and not one block came of them", NULL},
        {"$s import $d/start.vcd --call 4KiB", 1, "none of which moves a block", NULL},
        {"$s import $d/start.vcd --to zst", 1, "none of which moves a block", NULL},
        {"$s import --partial $d/start.vcd", 1, "none of which moves a block", NULL},
        {"$s import - <$d/start.vcd", 1, "none of which moves a block", NULL},
        {"$s import --from ops $d/comments.ops", 1, "there is not one call in it", NULL},
        {"$s import --from strace --file /mnt/b $d/other.log", 1,
         "but nothing of the file '/mnt/b'", NULL},
        {"$s replay $d/start.vcd single", 2, "none of which moves a block", "predicted"},
        {"$s explain $d/idle.vcd single", 2, "but an idle bus", "predicted"},
        {"$s diff $d/idle.vcd $d/idle.vcd", 2, "but an idle bus", NULL},
    };
    draw();
    sdsim_test_lines(lines, COUNT(lines));
}

static void writes_nothing(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"$s import $d/start.vcd -o $d/out.blocks; c=$?; ls $d | grep -c out; exit $c", 1, "0\n",
         NULL},
        {"$s import $d/start.vcd --to sdt -o $d/out.sdt; c=$?; ls $d | grep -c out; exit $c", 1,
         "0\n", NULL},
        {"echo old >$d/old.blocks; $s import $d/idle.vcd -o $d/old.blocks; cat $d/old.blocks; exit "
         "1",
         1, "old\n", NULL},
        /* one of several that has nothing to add is told of, and does not keep the others back */
        {"$s import $d/start.vcd $d/one.blocks", 0, "R 0 8", NULL},
        {"$s import $d/start.vcd $d/one.blocks", 0, "start.vcd: warning: there is not one call",
         NULL},
        {"$s import $d/start.vcd $d/idle.vcd", 1, "idle.vcd: warning: there is not one call", NULL},
        {"$s import $d/one.blocks", 0, "R 0 8", "not one call"},
    };
    draw();
    sdsim_test_lines(lines, COUNT(lines));
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_there),
        cmocka_unit_test(writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The MPSSE engine of the tests, against a slave that writes down every clock: opcodes in all their
 * variants, clock rates, FIFOs that run full and empty, pins and what may be wrong with them; and the
 * simulated card behind it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftdi/card_slave.h"
#include "ftdi/engine_link.h"
#include "slot_bench.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- a slave that writes down what it is told ---- */

struct scribe {
    struct sdsim_slave slave;
    char log[4096]; /* '<' CS low, '>' CS high, '0' and '1' MOSI at each clock */
    size_t used;
    uint8_t play[4]; /* on MISO, again and again */
    unsigned at;     /* the next bit of it */
};

static void note(struct scribe *scribe, char what)
{
    if (scribe->used + 1 < sizeof scribe->log) {
        scribe->log[scribe->used++] = what;
        scribe->log[scribe->used] = '\0';
    }
}

static void scribe_select(struct sdsim_slave *slave, sdsim_ps now, bool low)
{
    (void)now;
    note((struct scribe *)slave, low ? '<' : '>');
}

static bool scribe_miso(struct sdsim_slave *slave, sdsim_ps now)
{
    const struct scribe *scribe = (struct scribe *)slave;
    (void)now;
    return (scribe->play[scribe->at / 8] >> (7 - scribe->at % 8) & 1) != 0;
}

static bool scribe_bit(struct sdsim_slave *slave, sdsim_ps start, sdsim_ps end, bool mosi)
{
    struct scribe *scribe = (struct scribe *)slave;
    const bool miso = scribe_miso(slave, start);
    (void)end;
    note(scribe, mosi ? '1' : '0');
    scribe->at = (scribe->at + 1) % (8 * sizeof scribe->play);
    return miso;
}

static void scribe_exchange(struct sdsim_slave *slave, sdsim_ps *now, struct sdsim_clock *clock,
                            const uint8_t *mosi, uint8_t *miso, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        miso[i] = 0;
        for (int bit = 7; bit >= 0; bit--) {
            const bool got = scribe_bit(slave, *now, *now, (mosi[i] >> bit & 1) != 0);
            miso[i] = (uint8_t)(miso[i] << 1 | (got ? 1 : 0));
        }
    }
    *now += sdsim_clock_take(clock, 8 * (uint64_t)count);
}

static const struct sdsim_slave_class scribe_class = {
    .select = scribe_select, .exchange = scribe_exchange, .bit = scribe_bit, .miso = scribe_miso};

static const struct scribe fresh_scribe = {.slave = {.class = &scribe_class},
                                           .play = {0xA5, 0x0F, 0xC3, 0x81}};

/* ---- bytes as text ---- */

static size_t parse(const char *text, uint8_t *bytes)
{
    size_t count = 0;
    for (int used = 0, value = 0; sscanf(text, " %2x%n", (unsigned *)&value, &used) == 1;
         text += used) {
        bytes[count++] = (uint8_t)value;
    }
    return count;
}

static const char *print(const uint8_t *bytes, size_t count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used + 4 < size; i++) {
        used += (size_t)snprintf(text + used, size - used, i > 0 ? " %02x" : "%02x", bytes[i]);
    }
    return text;
}

/* ---- commands ---- */

/* Pins as for SPI: SCK low, MOSI low, CS high; SCK, MOSI and CS are outputs. */
#define PINS    "80 08 0b "
#define MOSI_UP "80 0a 0b "

static const struct {
    const char *what;
    const char *sent;
    const char *answer;
    const char *log;
    uint64_t clocks;
} commands[] = {
    {"nonsense", "aa", "fa aa", "", 0},
    {"nonsense among others", PINS "ab 81 00 81", "fa ab fc fa 00 fc", "", 0},
    {"the CPU bus", "90 91 92 93 98 9f", "fa 90 fa 91 fa 92 fa 93 fa 98 fa 9f", "", 0},
    {"neither read nor write", "01 02 0f 40", "fa 01 fa 02 fa 0f fa 40", "", 0},

    {"write bytes, falling", PINS "11 01 00 a5 3c", "", "1010010100111100", 16},
    {"write bytes, rising: a bit late", PINS "10 01 00 a5 3c", "", "0101001010011110", 16},
    {"late ones begin with the level before", MOSI_UP "10 00 00 00", "", "10000000", 8},
    {"write bytes, LSB first", PINS "19 00 00 a0", "", "00000101", 8},
    {"read bytes, rising", PINS "20 02 00", "a5 0f c3", "000000000000000000000000", 24},
    {"read bytes, falling", PINS "24 02 00", "a5 0f c3", "000000000000000000000000", 24},
    {"read bytes with MOSI high", MOSI_UP "20 00 00", "a5", "11111111", 8},
    {"read bytes, LSB first", PINS "28 01 00", "a5 f0", "0000000000000000", 16},
    {"both", PINS "31 01 00 12 ff", "a5 0f", "0001001011111111", 16},
    {"both, other edges", PINS "34 01 00 12 ff", "a5 0f", "0000100101111111", 16},
    {"both, falling", PINS "35 00 00 12", "a5", "00010010", 8},
    {"both, LSB first", PINS "39 00 00 12", "a5", "01001000", 8},
    {"MOSI stays where a write left it", PINS "11 00 00 01 8e 01", "", "0000000111", 10},

    {"write bits", PINS "13 02 a0", "", "101", 3},
    {"write bits, late", PINS "12 02 a0", "", "010", 3},
    {"write bits, LSB first", PINS "1b 02 05", "", "101", 3},
    {"read bits come from the right", PINS "22 02", "05", "000", 3},
    {"read bits, falling", PINS "26 07", "a5", "00000000", 8},
    {"read bits, LSB first, from the left", PINS "2a 02", "a0", "000", 3},
    {"both in bits", PINS "33 03 f0", "0a", "1111", 4},
    {"both in bits, LSB first", PINS "3b 03 01", "50", "1000", 4},

    {"clocks only", PINS "8e 04", "", "00000", 5},
    {"bytes of clocks only", PINS "8f 01 00", "", "0000000000000000", 16},
    {"TMS is CS", PINS "4b 02 06", "", "<0>00", 3},
    {"TMS with MOSI", PINS "4b 00 80", "", "<1", 1},
    {"TMS and read", PINS "6b 03 0f", "50", "0000", 4},

    {"loop-back, bytes", PINS "84 31 02 00 00 55 ff 85", "00 55 ff", "000000000101010111111111",
     24},
    {"loop-back, bits", PINS "84 33 04 a8 85", "15", "10101", 5},
    {"loop-back reads the level of MOSI", MOSI_UP "84 20 00 00", "ff", "11111111", 8},
    {"loop-back off again", PINS "84 85 31 00 00 00", "a5", "00000000", 8},

    {"CS", "80 00 0b 80 08 0b", "", "<>", 0},
    {"CS as an input is high", "80 00 0b 80 00 03", "", "<>", 0},
    {"nothing driven", "81", "ff", "", 0},
    {"pins read back", PINS "81 80 02 0b 81", "fc f6", "<", 0},
    {"SCK as an input: no clocks arrive", "80 08 0a 11 00 00 55", "", "", 8},
    {"SCK by hand", PINS "80 0b 0b 80 0a 0b 80 0b 0b", "", "11", 2},
    {"ACBUS", "83 82 50 f0 83", "ff 5f", "", 0},

    {"wait for high: MISO is", PINS "88 81", "fc", "", 0},
    {"clock until low", PINS "95 81", "d8", "0", 1},
    {"clock bytes until high, at most", PINS "9c 04 00", "", "0000000000000000", 16},
    {"send now answers nothing", "87", "", "", 0},
};

static void test_commands(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(commands); i++) {
        struct scribe scribe = fresh_scribe;
        struct sdsim_engine engine;
        uint8_t sent[256];
        uint8_t answer[256];
        char text[1024];
        sdsim_engine_init(&engine, SDSIM_FT232H, &scribe.slave);
        const size_t count = parse(commands[i].sent, sent);
        assert_int_equal(sdsim_engine_put(&engine, sent, count), count);
        (void)sdsim_engine_run(&engine);
        const size_t got = sdsim_engine_take(&engine, answer, sizeof answer);
        print(answer, got, text, sizeof text);
        if (strcmp(text, commands[i].answer) != 0 || strcmp(scribe.log, commands[i].log) != 0 ||
            engine.clocks != commands[i].clocks) {
            print_error("%s: answered '%s', log '%s', %llu clocks; not '%s', '%s', %llu\n",
                        commands[i].what, text, scribe.log, (unsigned long long)engine.clocks,
                        commands[i].answer, commands[i].log,
                        (unsigned long long)commands[i].clocks);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
    };
    return cmocka_run_group_tests_name("mpsse_engine", tests, NULL, NULL);
}

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

/* ---- clock ---- */

static const struct {
    const char *what;
    const char *sent; /* before 8 bits are clocked */
    sdsim_ps bits;    /* what they take */
} rates[] = {
    {"after a reset: 6 MHz", "", 1333333},      {"30 MHz", "8a", 266666},
    {"15 MHz", "8a 86 01 00", 533333},          {"10 MHz", "8a 86 02 00", 800000},
    {"400 kHz", "8a 86 4a 00", 20 * SDSIM_US},  {"the slowest", "86 ff ff", 87381333333},
    {"three phases", "8a 86 01 00 8c", 800000}, {"two again", "8a 86 01 00 8c 8d", 533333},
    {"divide-by-5 again", "8a 8b", 1333333},
};

static void test_rates(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rates); i++) {
        struct sdsim_engine engine;
        uint8_t sent[64];
        sdsim_engine_init(&engine, SDSIM_FT232H, NULL);
        size_t count = parse(rates[i].sent, sent);
        sdsim_engine_put(&engine, sent, count);
        count = parse("8f 00 00", sent);
        sdsim_engine_put(&engine, sent, count);
        assert_int_equal(sdsim_engine_run(&engine), SDSIM_ENGINE_IDLE);
        if (engine.now != rates[i].bits) {
            fail_msg("%s: %llu ps", rates[i].what, (unsigned long long)engine.now);
        }
    }
}

static void test_divisors(void **state)
{
    (void)state;
    static const struct {
        uint64_t asked;
        int divisor; /* -1: none */
        const char *text;
    } rows[] = {
        {50000000, 0, "30 MHz"},
        {30000000, 0, "30 MHz"},
        {29999999, 1, "15 MHz"},
        {25000000, 1, "15 MHz"},
        {15000000, 1, "15 MHz"},
        {14999999, 2, "10 MHz"},
        {8000000, 3, "7.5 MHz"},
        {4300000, 6, "4.28 MHz"},
        {400000, 74, "400 kHz"},
        {1000, 29999, "1 kHz"},
        {999, 30030, "998.96 Hz"},
        {458, 65502, "457.99 Hz"},
        {457, -1, ""},
        {0, -1, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_mpsse_clock clock = {.den = 1};
        char text[32];
        const bool found = sdsim_mpsse_clock_below(rows[i].asked, &clock);
        assert_int_equal(found ? clock.divisor : -1, rows[i].divisor);
        if (found) {
            assert_string_equal(sdsim_mpsse_clock_text(&clock, text), rows[i].text);
            assert_true((uint64_t)clock.num <= rows[i].asked * clock.den);
        }
    }
}

/* ---- FIFOs ---- */

/* Answers that nobody takes stop the clock when the FIFO is full, and all go on where they stopped. */
static void test_full_fifos(void **state)
{
    (void)state;
    for (int kind = 0; kind < SDSIM_FTDI_KINDS; kind++) {
        struct scribe scribe = fresh_scribe;
        struct sdsim_engine engine;
        uint8_t sent[16];
        uint8_t answer[4096];
        sdsim_engine_init(&engine, (enum sdsim_ftdi_kind)kind, &scribe.slave);
        const size_t fifo = engine.chip->in_fifo;
        sdsim_engine_put(&engine, sent, parse(PINS "20 ff ff", sent));
        assert_int_equal(sdsim_engine_run(&engine), SDSIM_ENGINE_FULL);
        assert_int_equal(engine.clocks, 8 * fifo);
        assert_int_equal(sdsim_engine_run(&engine), SDSIM_ENGINE_FULL);
        assert_int_equal(engine.full_stops, 1);
        for (size_t left = 65536, at = 0; left > 0;) {
            const size_t got = sdsim_engine_take(&engine, answer, 100);
            for (size_t i = 0; i < got; i++, at++) {
                assert_int_equal(answer[i], fresh_scribe.play[at % 4]);
            }
            left -= got;
            const enum sdsim_engine_state now = sdsim_engine_run(&engine);
            assert_int_equal(now, left > fifo ? SDSIM_ENGINE_FULL : SDSIM_ENGINE_IDLE);
        }
        assert_int_equal(engine.clocks, 8 * 65536);
    }
}

/* A command waits for the rest of it, and is refused room beyond the FIFO. */
static void test_empty_fifos(void **state)
{
    (void)state;
    struct scribe scribe = fresh_scribe;
    struct sdsim_engine engine;
    uint8_t bytes[2048] = {0x11, 0xFF, 0x03};
    sdsim_engine_init(&engine, SDSIM_FT232H, &scribe.slave);
    assert_int_equal(sdsim_engine_put(&engine, bytes, sizeof bytes), 1024);
    assert_int_equal(sdsim_engine_run(&engine), SDSIM_ENGINE_NEEDS);
    assert_int_equal(engine.clocks, 8 * (1024 - 3));
    sdsim_engine_reset(&engine);
    assert_int_equal(sdsim_engine_put(&engine, bytes, 2), 2);
    assert_int_equal(sdsim_engine_run(&engine), SDSIM_ENGINE_NEEDS);
    assert_int_equal(sdsim_engine_put(&engine, bytes + 2, 11), 11);
    const uint64_t before = engine.clocks;
    assert_int_equal(sdsim_engine_run(&engine), SDSIM_ENGINE_NEEDS);
    assert_int_equal(engine.clocks - before, 80);
    sdsim_engine_purge_out(&engine);
    assert_int_equal(sdsim_engine_run(&engine), SDSIM_ENGINE_IDLE);
}

static void test_send_now(void **state)
{
    (void)state;
    struct sdsim_engine engine;
    uint8_t bytes[16];
    sdsim_engine_init(&engine, SDSIM_FT232H, NULL);
    sdsim_engine_put(&engine, bytes, parse("20 03 00 87 20 01 00", bytes));
    sdsim_engine_run(&engine);
    assert_int_equal(engine.in.count, 6);
    assert_int_equal(engine.due, 4);
    sdsim_engine_take(&engine, bytes, 3);
    assert_int_equal(engine.due, 1);
    sdsim_engine_take(&engine, bytes, 3);
    assert_int_equal(engine.due, 0);
}

/* ---- what may be wrong with the wires ---- */

static const struct {
    const char *what;
    struct sdsim_wiring wiring;
    const char *sent;
    const char *answer;
    const char *log;
} wirings[] = {
    {"as it should be", {0}, PINS "31 00 00 12 81", "a5 d8", "00010010"},
    {"MISO stuck low", {.stuck_low = SDSIM_PIN_MISO}, PINS "20 00 00 81", "00 d8", "00000000"},
    {"MISO stuck high", {.stuck_high = SDSIM_PIN_MISO}, PINS "20 00 00", "ff", "00000000"},
    {"MISO not connected", {.open = SDSIM_PIN_MISO}, PINS "20 00 00", "ff", "00000000"},
    {"MOSI stuck low", {.stuck_low = SDSIM_PIN_MOSI}, PINS "11 00 00 ff", "", "00000000"},
    {"MOSI not connected", {.open = SDSIM_PIN_MOSI}, PINS "11 00 00 00", "", "11111111"},
    {"SCK not connected", {.open = SDSIM_PIN_SCK}, PINS "31 00 00 00", "ff", ""},
    {"SCK stuck low", {.stuck_low = SDSIM_PIN_SCK}, PINS "80 09 0b 81 20 00 00", "fc ff", ""},
    {"CS not connected", {.open = SDSIM_PIN_CS}, "80 00 0b", "", ""},
    {"CS stuck low", {.stuck_low = SDSIM_PIN_CS}, PINS "81", "f4", "<"},
    {"no pull-up on MOSI", {.floating = SDSIM_PIN_MOSI}, "80 00 02 80 00 00 81", "fd", ""},
    {"pull-up on MOSI", {0}, "80 00 02 80 00 00 81", "ff", ""},
    {"SCK and MOSI connected",
     {.shorted = SDSIM_PIN_SCK | SDSIM_PIN_MOSI},
     "80 00 01 81",
     "fc",
     ""},
    {"MISO not at ADBUS5", {.no_wait = true}, PINS "20 00 00 20 00 00 81", "a5 0f fc", NULL},
};

static void test_wirings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wirings); i++) {
        struct scribe scribe = fresh_scribe;
        struct sdsim_engine engine;
        uint8_t bytes[64];
        char text[256];
        sdsim_engine_init(&engine, SDSIM_FT232H, &scribe.slave);
        engine.wiring = wirings[i].wiring;
        sdsim_engine_put(&engine, bytes, parse(wirings[i].sent, bytes));
        sdsim_engine_run(&engine);
        print(bytes, sdsim_engine_take(&engine, bytes, sizeof bytes), text, sizeof text);
        if (strcmp(text, wirings[i].answer) != 0 ||
            (wirings[i].log != NULL && strcmp(scribe.log, wirings[i].log) != 0)) {
            fail_msg("%s: '%s', log '%s'", wirings[i].what, text, scribe.log);
        }
    }
}

/* ---- chips ---- */

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_ftdi_kind kind;
        const char *answer; /* to 0x9E, and to ACBUS */
    } rows[] = {{SDSIM_FT232H, "5f"}, {SDSIM_FT2232H, "fa 9e 5f"}, {SDSIM_FT4232H, "fa 9e ff"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_engine engine;
        uint8_t bytes[64];
        char text[64];
        sdsim_engine_init(&engine, rows[i].kind, NULL);
        /* 0x88 and 0x87 are arguments, or commands that do nothing here */
        sdsim_engine_put(&engine, bytes, parse("9e 88 87 82 50 f0 83", bytes));
        sdsim_engine_run(&engine);
        print(bytes, sdsim_engine_take(&engine, bytes, sizeof bytes), text, sizeof text);
        assert_string_equal(text, rows[i].answer);
    }
}

static void test_adaptive_clock_hangs(void **state)
{
    (void)state;
    struct sdsim_engine engine;
    uint8_t bytes[16];
    sdsim_engine_init(&engine, SDSIM_FT232H, NULL);
    sdsim_engine_put(&engine, bytes, parse("96 20 00 00", bytes));
    assert_int_equal(sdsim_engine_run(&engine), SDSIM_ENGINE_WAITS);
    assert_int_equal(engine.clocks, 0);
    sdsim_engine_reset(&engine);
    sdsim_engine_put(&engine, bytes, parse("97 20 00 00", bytes));
    assert_int_equal(sdsim_engine_run(&engine), SDSIM_ENGINE_IDLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_divisors),
        cmocka_unit_test(test_full_fifos),
        cmocka_unit_test(test_empty_fifos),
        cmocka_unit_test(test_send_now),
        cmocka_unit_test(test_wirings),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_adaptive_clock_hangs),
    };
    return cmocka_run_group_tests_name("mpsse_engine", tests, NULL, NULL);
}

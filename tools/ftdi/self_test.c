#include "self_test.h"

#include <stdio.h>
#include <string.h>

#include "core/crc.h"

enum {
    IDLE_LEVELS = SDSIM_PIN_MOSI | SDSIM_PIN_CS,
    SPI_PINS = SDSIM_PIN_SCK | SDSIM_PIN_MOSI | SDSIM_PIN_CS,
    SLOW_DIVISOR = 74, /* 400 kHz, the most before a card is initialised */
    R1_IDLE = 0x01,
    WINDOW = 16,      /* bytes behind CMD0; N_CR is at most 8 */
    ATTEMPTS = 4,     /* of CMD0 */
    LEFT_OVER = 1056, /* bytes that end what a card was doing when it was left alone: two blocks */
};

/* ---- batches ---- */

struct bytes {
    uint8_t at[2048];
    size_t count;
};

static void add(struct bytes *batch, const uint8_t *bytes, size_t count)
{
    memcpy(batch->at + batch->count, bytes, count);
    batch->count += count;
}

static void add_word(struct bytes *batch, uint8_t opcode, uint16_t value)
{
    const uint8_t bytes[] = {opcode, (uint8_t)value, (uint8_t)(value >> 8)};
    add(batch, bytes, sizeof bytes);
}

static void add_pins(struct bytes *batch, uint8_t levels, uint8_t driven)
{
    const uint8_t bytes[] = {SDSIM_MPSSE_SET_LOW, levels, driven};
    add(batch, bytes, sizeof bytes);
}

static void add_opcode(struct bytes *batch, uint8_t opcode)
{
    add(batch, &opcode, 1);
}

/* Sends the batch, takes its answers, and empties it. */
static bool ask(struct sdsim_link *link, struct bytes *batch, uint8_t *answer, size_t count)
{
    if (count > 0) {
        add_opcode(batch, SDSIM_MPSSE_SEND_NOW);
    }
    const size_t size = batch->count;
    batch->count = 0;
    return sdsim_link_ask(link, batch->at, size, answer, count, SDSIM_LINK_PATIENCE);
}

static void tell(struct sdsim_self_test_row *row, bool fine, const char *text)
{
    row->fine = fine;
    snprintf(row->text, sizeof row->text, "%s", text);
}

/* ---- loop-back ---- */

void sdsim_self_test_pattern(uint8_t bytes[SDSIM_SELF_TEST_BYTES])
{
    uint32_t state = 5; /* of those without a command in it */
    for (int i = 0; i < SDSIM_SELF_TEST_BYTES; i++) {
        state = state * 1664525 + 1013904223; /* the generator of Numerical Recipes */
        bytes[i] = (uint8_t)(state >> 24);
    }
}

/* The pattern through the chip at one clock; returns by `*wrong` how many bytes came back wrong. */
static bool loop(struct sdsim_link *link, uint16_t divisor, unsigned *wrong)
{
    struct bytes batch = {.count = 0};
    uint8_t sent[SDSIM_SELF_TEST_BYTES];
    uint8_t got[SDSIM_SELF_TEST_BYTES];
    sdsim_self_test_pattern(sent);
    add_word(&batch, SDSIM_MPSSE_DIVISOR, divisor);
    add_pins(&batch, IDLE_LEVELS, SPI_PINS);
    add_opcode(&batch, SDSIM_MPSSE_LOOP_ON);
    add_word(&batch, SDSIM_MPSSE_BYTES_BOTH, sizeof sent - 1);
    add(&batch, sent, sizeof sent);
    add_opcode(&batch, SDSIM_MPSSE_LOOP_OFF);
    add_pins(&batch, IDLE_LEVELS, SPI_PINS);
    if (!ask(link, &batch, got, sizeof got)) {
        return false;
    }
    for (size_t i = 0; i < sizeof sent; i++) {
        *wrong += sent[i] != got[i] ? 1 : 0;
    }
    return true;
}

static bool test_loop(struct sdsim_link *link, struct sdsim_self_test_row *row)
{
    unsigned wrong = 0;
    if (!loop(link, SLOW_DIVISOR, &wrong) || !loop(link, 1, &wrong) || !loop(link, 0, &wrong)) {
        return false;
    }
    row->fine = wrong == 0;
    if (wrong == 0) {
        tell(row, true, "what is sent inside the chip comes back, at 400 kHz, 15 and 30 MHz");
    } else {
        snprintf(row->text, sizeof row->text,
                 "%u of %u bytes came back wrong inside the chip: cable, hub, or a bad chip", wrong,
                 3u * SDSIM_SELF_TEST_BYTES);
    }
    return true;
}

/* ---- lines ---- */

static const struct {
    uint8_t pin;
    const char *name;
} lines[] = {{SDSIM_PIN_SCK, "SCK"},
             {SDSIM_PIN_MOSI, "MOSI"},
             {SDSIM_PIN_CS, "CS"},
             {SDSIM_PIN_MISO, "MISO"}};

enum { LINES = sizeof lines / sizeof *lines };

/* The levels with one line released, driven low and driven high, the other ones released. */
struct levels {
    uint8_t low;
    uint8_t high;
    uint8_t released;
};

static bool read_levels(struct sdsim_link *link, uint8_t pin, struct levels *levels)
{
    struct bytes batch = {.count = 0};
    uint8_t answer[3];
    add_pins(&batch, IDLE_LEVELS & (uint8_t)~pin, pin);
    add_opcode(&batch, SDSIM_MPSSE_GET_LOW);
    add_pins(&batch, IDLE_LEVELS | pin, pin);
    add_opcode(&batch, SDSIM_MPSSE_GET_LOW);
    /* released from low, so that only a pull-up brings it up again */
    add_pins(&batch, IDLE_LEVELS & (uint8_t)~pin, pin);
    add_pins(&batch, IDLE_LEVELS & (uint8_t)~pin, 0);
    add_opcode(&batch, SDSIM_MPSSE_GET_LOW);
    add_pins(&batch, IDLE_LEVELS, 0);
    if (!ask(link, &batch, answer, sizeof answer)) {
        return false;
    }
    *levels = (struct levels){.low = answer[0], .high = answer[1], .released = answer[2]};
    return true;
}

/* A line that is low while only `pin` is driven low, although it can be high; NULL: none. */
static const char *follower(uint8_t pin, const struct levels *levels)
{
    for (int i = 0; i < LINES; i++) {
        const uint8_t other = lines[i].pin;
        if (other != pin && (levels->low & other) == 0 && (levels->high & other) != 0) {
            return lines[i].name;
        }
    }
    return NULL;
}

static bool test_line(struct sdsim_link *link, uint8_t pin, struct sdsim_self_test_row *row)
{
    struct levels levels;
    if (!read_levels(link, pin, &levels)) {
        return false;
    }
    const char *other = follower(pin, &levels);
    if ((levels.high & pin) == 0) {
        tell(row, false, "can't be driven high: a short to ground, or to a pin that is low");
    } else if ((levels.low & pin) != 0) {
        tell(row, false, "can't be driven low: a short to 3.3 V, or to a pin that is high");
    } else if (other != NULL) {
        snprintf(row->text, sizeof row->text, "%s moves along: the two are connected", other);
    } else if ((levels.released & pin) == 0) {
        tell(row, false, "stays low when released: no pull-up (10 to 50 kohm to 3.3 V)");
    } else {
        tell(row, true, "goes low, goes high, and high again when released");
    }
    return true;
}

static bool test_miso(struct sdsim_link *link, struct sdsim_self_test_row *row)
{
    struct bytes batch = {.count = 0};
    uint8_t pins;
    add_pins(&batch, IDLE_LEVELS, SPI_PINS);
    add_opcode(&batch, SDSIM_MPSSE_GET_LOW);
    if (!ask(link, &batch, &pins, 1)) {
        return false;
    }
    if ((pins & SDSIM_PIN_MISO) != 0) {
        tell(row, true, "high while the card isn't selected");
    } else {
        tell(row, false,
             "low while the card isn't selected: short to ground, no pull-up, or driven by a "
             "buffer");
    }
    return true;
}

/* ---- card ---- */

/* CMD0 in a window of its own; `answer` is what came behind the frame. */
static bool go_idle(struct sdsim_link *link, uint8_t answer[WINDOW])
{
    static const uint8_t idle[] = {0x40, 0, 0, 0, 0, 0x95}; /* the CRC7 of CMD0 is known */
    struct bytes batch = {.count = 0};
    add_pins(&batch, IDLE_LEVELS, SPI_PINS);
    add_word(&batch, SDSIM_MPSSE_CLOCK_BYTES, 9); /* at least 74 clocks with CS and MOSI high */
    add_pins(&batch, SDSIM_PIN_MOSI, SPI_PINS);
    add_word(&batch, SDSIM_MPSSE_BYTES_OUT, sizeof idle - 1);
    add(&batch, idle, sizeof idle);
    add_pins(&batch, SDSIM_PIN_MOSI, SPI_PINS);
    add_word(&batch, SDSIM_MPSSE_BYTES_IN, WINDOW - 1);
    add_pins(&batch, IDLE_LEVELS, SPI_PINS);
    add_word(&batch, SDSIM_MPSSE_CLOCK_BYTES, 0); /* so that the card lets MISO go */
    return ask(link, &batch, answer, WINDOW);
}

/* Clocks with CS low for a card that was left in the middle of a block. */
static bool finish_old(struct sdsim_link *link)
{
    struct bytes batch = {.count = 0};
    add_pins(&batch, SDSIM_PIN_MOSI, SPI_PINS);
    add_word(&batch, SDSIM_MPSSE_CLOCK_BYTES, LEFT_OVER - 1);
    add_pins(&batch, IDLE_LEVELS, SPI_PINS);
    return ask(link, &batch, NULL, 0);
}

static uint8_t first_answer(const uint8_t answer[WINDOW])
{
    for (int i = 0; i < WINDOW; i++) {
        if (answer[i] != 0xFF) {
            return answer[i];
        }
    }
    return 0xFF;
}

static bool test_card(struct sdsim_link *link, struct sdsim_self_test_row *row)
{
    uint8_t answer[WINDOW];
    uint8_t r1 = 0xFF;
    for (int i = 0; i < ATTEMPTS && r1 != R1_IDLE; i++) {
        if ((i > 0 && !finish_old(link)) || !go_idle(link, answer)) {
            return false;
        }
        r1 = first_answer(answer);
    }
    if (r1 == R1_IDLE) {
        tell(row, true, "answers CMD0");
    } else if (r1 == 0xFF) {
        tell(row, false, "no answer to CMD0: no card, no power, or a wire that is missing");
    } else if (r1 == 0x00) {
        tell(row, false, "MISO stays low: a card that is stuck (take its power away), or a short");
    } else {
        snprintf(row->text, sizeof row->text,
                 "answers CMD0 with %02X instead of 01: wires too long, or bad contacts", r1);
    }
    return true;
}

/* ---- all of it ---- */

/* Fast clock source, no adaptive and no three-phase clocking, pins as inputs. */
static bool prepare(struct sdsim_link *link)
{
    static const uint8_t set_up[] = {SDSIM_MPSSE_DIVIDE_5_OFF, SDSIM_MPSSE_ADAPTIVE_OFF,
                                     SDSIM_MPSSE_THREE_PHASE_OFF, SDSIM_MPSSE_LOOP_OFF};
    struct bytes batch = {.count = 0};
    add(&batch, set_up, sizeof set_up);
    add_pins(&batch, IDLE_LEVELS, 0);
    return ask(link, &batch, NULL, 0);
}

static bool set_slow(struct sdsim_link *link)
{
    struct bytes batch = {.count = 0};
    add_word(&batch, SDSIM_MPSSE_DIVISOR, SLOW_DIVISOR);
    add_pins(&batch, IDLE_LEVELS, SPI_PINS);
    return ask(link, &batch, NULL, 0);
}

bool sdsim_self_test(struct sdsim_link *link, struct sdsim_self_test *test)
{
    struct sdsim_self_test_row *rows = test->rows;
    *test = (struct sdsim_self_test){.rows = {[SDSIM_SELF_LOOP] = {.name = "loop-back"},
                                              [SDSIM_SELF_SCK] = {.name = "SCK"},
                                              [SDSIM_SELF_MOSI] = {.name = "MOSI"},
                                              [SDSIM_SELF_CS] = {.name = "CS"},
                                              [SDSIM_SELF_MISO] = {.name = "MISO"},
                                              [SDSIM_SELF_CARD] = {.name = "card"}}};
    if (!prepare(link) || !test_line(link, SDSIM_PIN_SCK, &rows[SDSIM_SELF_SCK]) ||
        !test_line(link, SDSIM_PIN_MOSI, &rows[SDSIM_SELF_MOSI]) ||
        !test_line(link, SDSIM_PIN_CS, &rows[SDSIM_SELF_CS]) ||
        !test_miso(link, &rows[SDSIM_SELF_MISO]) || !test_loop(link, &rows[SDSIM_SELF_LOOP]) ||
        !set_slow(link) || !test_card(link, &rows[SDSIM_SELF_CARD])) {
        return false;
    }
    test->fine = true;
    for (int i = 0; i < SDSIM_SELF_TESTS; i++) {
        test->fine = test->fine && rows[i].fine;
    }
    return true;
}

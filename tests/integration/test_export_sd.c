/*
 * SD-mode waveforms as sigrok-cli reads them: commands, arguments, check sums and responses on CMD, and
 * every nibble on DAT, from which blocks and their CRC16s are put together here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/crc.h"
#include "driver/driver.h"
#include "wave_tape.h"

/* ---- an exchange ---- */

static const struct sdsim_card_params card_params = {
    .type = SDSIM_SDHC,
    .capacity = 64 << 20,
    .spi_hz = 25000000,
    .high_hz = 50000000,
    .n_cr_clocks = 5,
    .init_time = 2 * SDSIM_MS,
    .speed_class = 10,
    .au_bytes = 4 << 20,
    .flash = {.rd1 = 30 * SDSIM_US,
              .rdn = 4 * SDSIM_US,
              .w1 = 150 * SDSIM_US,
              .wn = 20 * SDSIM_US,
              .wstop = 90 * SDSIM_US,
              .page_bytes = 16384},
};

static const struct sdsim_content content = {
    .kind = SDSIM_CONTENT_GENERATED, .seed = 78, .offset = 0};

enum { READ_FROM = 100, WRITTEN_TO = 300 };

struct exchange {
    const char *name;
    enum sdsim_bus_mode mode;
    int code; /* of the driver */
    uint64_t hz_num;
    uint64_t hz_den;
};

struct world {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_wire wire;
    struct sdsim_driver driver;
    struct sdsim_driver_params params;
    struct sdsim_test_tape tape;
    sdsim_ps now;
    sdsim_ps ready; /* when init was over */
};

/* Init, reads of one block and of three, writes of one and of three. */
static struct world *hold_exchange(const struct exchange *exchange)
{
    static const struct sdsim_driver_costs costs = {
        .call = 3 * SDSIM_US, .command = 2 * SDSIM_US, .wake = 4 * SDSIM_US};
    const struct sdsim_driver_clocks clocks = {
        .init_num = 400000, .init_den = 1, .num = exchange->hz_num, .den = exchange->hz_den};
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->params = (struct sdsim_driver_params){.code = exchange->code, .dma = true};
    world->medium = sdsim_medium_create(sdsim_csd_sectors(&card_params), 0);
    assert_non_null(world->medium);
    assert_true(sdsim_medium_write(world->medium, READ_FROM, 4, &content));
    sdsim_test_tape_init(&world->tape);
    sdsim_card_init(&world->card, &card_params, world->medium, 1, 0);
    sdsim_wire_init(&world->wire, exchange->mode, &world->card, &world->meter);
    world->wire.listener = &world->tape.listener;
    sdsim_driver_attach(&world->driver, &world->params, &costs, &world->wire.port, &clocks, true);
    assert_int_equal(sdsim_driver_init(&world->driver, &world->now), SDSIM_DRIVER_OK);
    world->ready = world->now;
    const struct sdsim_content behind = sdsim_content_after(&content, SDSIM_SECTOR);
    assert_int_equal(
        sdsim_driver_read(&world->driver, &world->now, READ_FROM, 1, SDSIM_FOR_DATA, NULL),
        SDSIM_DRIVER_OK);
    assert_int_equal(
        sdsim_driver_read(&world->driver, &world->now, READ_FROM + 1, 3, SDSIM_FOR_DATA, NULL),
        SDSIM_DRIVER_OK);
    assert_int_equal(
        sdsim_driver_write(&world->driver, &world->now, WRITTEN_TO, 1, SDSIM_FOR_DATA, &content),
        SDSIM_DRIVER_OK);
    assert_int_equal(
        sdsim_driver_write(&world->driver, &world->now, WRITTEN_TO + 1, 3, SDSIM_FOR_DATA, &behind),
        SDSIM_DRIVER_OK);
    assert_int_equal(sdsim_driver_sync(&world->driver, &world->now), SDSIM_DRIVER_OK);
    return world;
}

static void end_exchange(struct world *world)
{
    sdsim_test_tape_free(&world->tape);
    sdsim_medium_destroy(world->medium);
    free(world);
}

/* ---- CMD ---- */

/* A token of 48 bits, as it was on CMD. */
struct token {
    bool from_host;
    unsigned index;
    unsigned argument;
    unsigned crc;
    bool is_long; /* a response of 136 bits, of which only the beginning is here */
    bool is_ocr;  /* R3, which has no index and no check sum */
    size_t at;    /* its first clock */
    size_t end;
};

static unsigned take_bits(const struct sdsim_test_tape *tape, size_t *at, unsigned count)
{
    unsigned bits = 0;
    while (count > 0 && *at < tape->count) {
        bits = bits << 1 | tape->events[*at].lines.cmd;
        ++*at;
        count--;
    }
    return bits;
}

/* The next token from *at on, which is left behind it; false: none. `asked` is the last command. */
static bool next_token(const struct sdsim_test_tape *tape, size_t *at, unsigned asked,
                       struct token *token)
{
    while (*at < tape->count && tape->events[*at].lines.cmd != 0) {
        ++*at;
    }
    if (tape->count - *at < 48) {
        return false;
    }
    token->at = *at;
    take_bits(tape, at, 1);
    token->from_host = take_bits(tape, at, 1) == 1;
    token->index = take_bits(tape, at, 6);
    token->argument = take_bits(tape, at, 32);
    token->crc = take_bits(tape, at, 7);
    take_bits(tape, at, 1);
    token->is_long = !token->from_host && (asked == 2 || asked == 9 || asked == 10);
    if (token->is_long) {
        take_bits(tape, at, 136 - 48);
    }
    token->is_ocr = !token->from_host && asked == 41;
    token->end = *at;
    return true;
}

/* The next line of sigrok's that begins with `start`; what stands behind it. NULL: none. */
static const char *next_line(const char *text, const char *start)
{
    const size_t length = strlen(start);
    while (text != NULL && *text != '\0') {
        const char *line = strncmp(text, "sdcard_sd-1: ", 13) == 0 ? text + 13 : text;
        if (strncmp(line, start, length) == 0) {
            return line + length;
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return NULL;
}

static unsigned number_behind(const char *line, char mark, int base)
{
    const char *at = line != NULL ? strchr(line, mark) : NULL;
    return at != NULL ? (unsigned)strtoul(at + 1, NULL, base) : UINT32_MAX;
}

static unsigned same_tokens(const struct exchange *exchange, const struct world *world, size_t at,
                            const char *text)
{
    struct token token = {.index = 0};
    unsigned tokens = 0;
    unsigned asked = 0;
    while (next_token(&world->tape, &at, asked, &token)) {
        asked = token.from_host ? token.index : asked;
        text = next_line(text, "Transmission: ");
        if (text == NULL) {
            fail_msg("%s: sigrok knows of %u tokens only", exchange->name, tokens);
        }
        const bool from_host = strncmp(text, "host", 4) == 0;
        const char *command = next_line(text, "Command: ");
        if ((token.is_long || token.is_ocr) && !from_host) {
            tokens++;
            continue; /* the decoder takes them apart by other fields */
        }
        const unsigned index = number_behind(command, '(', 10);
        const char *argument = next_line(text, "Argument: 0x");
        const char *crc = next_line(text, "CRC: 0x");
        if (from_host != token.from_host || index != token.index || argument == NULL ||
            strtoul(argument, NULL, 16) != token.argument || crc == NULL ||
            strtoul(crc, NULL, 16) != token.crc) {
            fail_msg("%s, token %u: %.200s, not %s %u 0x%08x crc 0x%x", exchange->name, tokens,
                     text, token.from_host ? "host" : "card", token.index, token.argument,
                     token.crc);
        }
        tokens++;
    }
    assert_null(next_line(text, "Transmission: "));
    return tokens;
}

/* Every bit of every token: "sdcard_sd-1: 0" lines. */
static void same_bits(const struct exchange *exchange, const struct world *world, size_t at,
                      const char *text)
{
    struct token token = {.index = 0};
    unsigned asked = 0;
    size_t bits = 0;
    while (next_token(&world->tape, &at, asked, &token)) {
        asked = token.from_host ? token.index : asked;
        for (size_t i = token.at; i < token.end; i++) {
            const unsigned expected = world->tape.events[i].lines.cmd;
            const unsigned got = sdsim_test_take_hex(&text, "sdcard_sd-1: ");
            if (got != expected) {
                fail_msg("%s, bit %zu of the tokens, bit %zu of %s %u: %u, not %u", exchange->name,
                         bits, i - token.at, token.from_host ? "command" : "the response to", asked,
                         got, expected);
            }
            bits++;
        }
    }
    assert_true(*text == '\0' && bits > 8 * 48);
}

/* ---- DAT ---- */

/* sigrok's "parallel-1: f" lines as nibbles; returns how many. */
static size_t nibbles_of(const char *text, uint8_t **nibbles)
{
    size_t count = 0;
    *nibbles = malloc(strlen(text) / 12 + 1);
    assert_non_null(*nibbles);
    while (*text != '\0') {
        const unsigned nibble = sdsim_test_take_hex(&text, "parallel-1: ");
        if (nibble < 16) {
            (*nibbles)[count++] = (uint8_t)nibble;
        }
    }
    return count;
}

/* Puts the block together that begins behind the start bit; false if a CRC16 is wrong. */
static bool take_block(const uint8_t *nibbles, unsigned lines, uint8_t block[SDSIM_SECTOR])
{
    const size_t clocks = 8 / lines * SDSIM_SECTOR;
    uint16_t made[4] = {0};
    uint16_t sent[4] = {0};
    memset(block, 0, SDSIM_SECTOR);
    for (size_t i = 0; i < clocks + 16; i++) {
        for (unsigned line = 0; line < lines; line++) {
            const unsigned bit = (unsigned)nibbles[i] >> line & 1u;
            if (i < clocks) {
                const size_t place = i * lines + (lines - 1 - line);
                block[place / 8] = (uint8_t)(block[place / 8] | bit << (7 - place % 8));
                const unsigned top = ((unsigned)made[line] >> 15 & 1u) ^ bit;
                made[line] = (uint16_t)((unsigned)made[line] << 1 ^ (top != 0 ? 0x1021u : 0u));
            } else {
                sent[line] = (uint16_t)((unsigned)sent[line] << 1 | bit);
            }
        }
    }
    return memcmp(made, sent, sizeof made) == 0;
}

/* Finds the eight blocks of the exchange among the nibbles, in their order. */
static void same_blocks(const struct exchange *exchange, const uint8_t *nibbles, size_t count)
{
    const unsigned lines = exchange->mode == SDSIM_BUS_SD4 ? 4 : 1;
    const size_t clocks = 8 / lines * SDSIM_SECTOR + 16;
    unsigned blocks = 0;
    for (size_t at = 0; at + clocks < count && blocks < 8; at++) {
        uint8_t block[SDSIM_SECTOR];
        uint8_t expected[SDSIM_SECTOR];
        /* A busy and a CRC status are no blocks: their CRC16 would have to be right by chance. */
        const bool start = (nibbles[at] & ((1u << lines) - 1)) == 0;
        if (!start || !take_block(nibbles + at + 1, lines, block)) {
            continue;
        }
        sdsim_content_bytes(&content, blocks % 4 * SDSIM_SECTOR, expected, sizeof expected);
        if (memcmp(block, expected, sizeof block) == 0) {
            blocks++;
            at += clocks;
        }
    }
    if (blocks != 8) {
        fail_msg("%s: %u of 8 blocks", exchange->name, blocks);
    }
}

static void same_nibbles(const struct exchange *exchange, const struct world *world, size_t at,
                         const uint8_t *nibbles, size_t count)
{
    const unsigned mask = exchange->mode == SDSIM_BUS_SD4 ? 0xF : 1;
    for (size_t i = 0; i < count; i++) {
        const unsigned expected = at + i < world->tape.count
                                      ? (unsigned)world->tape.events[at + i].lines.dat & mask
                                      : 0x100;
        if ((nibbles[i] & mask) != expected) {
            fail_msg("%s, clock %zu: %x, not %x", exchange->name, i, nibbles[i], expected);
        }
    }
    /* An item is printed when the next one comes. */
    assert_int_equal(count, world->tape.count - at - 1);
}

static void sigrok_reads_the_bus(void **state)
{
    (void)state;
    static const struct exchange exchanges[] = {
        {"4 bits at 20 MHz", SDSIM_BUS_SD4, SDSIM_DRIVER_GENERIC_SD, 20000000, 1},
        {"4 bits at 26.67 MHz", SDSIM_BUS_SD4, SDSIM_DRIVER_GENERIC_SD, 80000000, 3},
        {"1 bit at 25 MHz", SDSIM_BUS_SD1, SDSIM_DRIVER_GENERIC_SD, 25000000, 1},
    };
    if (!sdsim_test_has_sigrok()) {
        print_message("no sigrok-cli\n");
        skip();
    }
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++) {
        const struct exchange *exchange = &exchanges[i];
        struct world *world = hold_exchange(exchange);
        /* The identification at 400 kHz is most of the time. */
        size_t first = 0;
        const sdsim_ps from = i == 0 ? 0 : world->ready;
        while (first < world->tape.count && world->tape.events[first].start < from) {
            first++;
        }
        char path[40];
        int status;
        const uint64_t downsample =
            sdsim_test_tape_vcd(&world->tape, exchange->mode, from, world->now, path);
        char *text = sdsim_test_sigrok(path, downsample, "sdcard_sd:cmd=CMD:clk=CLK",
                                       "sdcard_sd=fields", &status);
        assert_int_equal(status, 0);
        assert_true(same_tokens(exchange, world, first, text) >= 8);
        free(text);
        text = sdsim_test_sigrok(path, downsample, "sdcard_sd:cmd=CMD:clk=CLK", "sdcard_sd=bits",
                                 &status);
        assert_int_equal(status, 0);
        same_bits(exchange, world, first, text);
        free(text);
        /* Its status is 134: it aborts when it has printed everything. */
        text = sdsim_test_sigrok(path, downsample,
                                 exchange->mode == SDSIM_BUS_SD4
                                     ? "parallel:clk=CLK:d0=DAT0:d1=DAT1:d2=DAT2:d3=DAT3"
                                     : "parallel:clk=CLK:d0=DAT0",
                                 "parallel=items", &status);
        uint8_t *nibbles;
        const size_t count = nibbles_of(text, &nibbles);
        same_nibbles(exchange, world, first, nibbles, count);
        same_blocks(exchange, nibbles, count);
        free(nibbles);
        free(text);
        unlink(path);
        end_exchange(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigrok_reads_the_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * SPI waveforms as sigrok-cli reads them: every byte on MOSI and MISO of whole exchanges, and what its
 * SD card decoder makes of those it can follow (one data transfer a file).
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
    .n_cr = 1,
    .n_ac = 1, /* the SD card decoder looks for a register four bytes behind its command */
    .n_br = 1,
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

struct exchange {
    const char *name;
    int code; /* of the driver */
    uint64_t hz_num;
    uint64_t hz_den;
    const char
        *operations; /* r: read 1, R: read 3, w: write 1, W: write 3 sectors, s: status, y: sync */
};

struct world {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_wire wire;
    struct sdsim_driver driver;
    struct sdsim_test_tape tape;
    sdsim_ps now;
    sdsim_ps ready; /* when init was over */
};

/* What stands in the sectors, and what is written. */
static const struct sdsim_content content = {
    .kind = SDSIM_CONTENT_GENERATED, .seed = 77, .offset = 0};

static void operate(struct world *world, char operation)
{
    enum sdsim_driver_error error = SDSIM_DRIVER_OK;
    switch (operation) {
    case 'r':
        error = sdsim_driver_read(&world->driver, &world->now, 100, 1, SDSIM_FOR_DATA, NULL);
        break;
    case 'R':
        error = sdsim_driver_read(&world->driver, &world->now, 101, 3, SDSIM_FOR_DATA, NULL);
        break;
    case 'w':
        error = sdsim_driver_write(&world->driver, &world->now, 200, 1, SDSIM_FOR_DATA, &content);
        break;
    case 'W':
        error = sdsim_driver_write(&world->driver, &world->now, 300, 3, SDSIM_FOR_DATA, &content);
        break;
    case 's':
        error = sdsim_driver_status(&world->driver, &world->now);
        break;
    default:
        error = sdsim_driver_sync(&world->driver, &world->now);
        break;
    }
    assert_int_equal(error, SDSIM_DRIVER_OK);
}

static struct world *hold_exchange(const struct exchange *exchange)
{
    static const struct sdsim_driver_costs costs = {.call = 3 * SDSIM_US,
                                                    .transfer = 1500 * SDSIM_NS,
                                                    .bulk = 5 * SDSIM_US,
                                                    .chunk = 64,
                                                    .chunk_gap = 800 * SDSIM_NS,
                                                    .command = 2 * SDSIM_US};
    const struct sdsim_driver_clocks clocks = {
        .init_num = 400000, .init_den = 1, .num = exchange->hz_num, .den = exchange->hz_den};
    static struct sdsim_driver_params params;
    params = (struct sdsim_driver_params){
        .code = exchange->code, .status_after_write = 1, .status_on_call = true};
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->medium = sdsim_medium_create(sdsim_csd_sectors(&card_params), 0);
    assert_non_null(world->medium);
    assert_true(sdsim_medium_write(world->medium, 100, 4, &content));
    sdsim_test_tape_init(&world->tape);
    sdsim_card_init(&world->card, &card_params, world->medium, 1, 0);
    sdsim_wire_init(&world->wire, SDSIM_BUS_SPI, &world->card, &world->meter);
    world->wire.listener = &world->tape.listener;
    sdsim_driver_attach(&world->driver, &params, &costs, &world->wire.port, &clocks, true);
    assert_int_equal(sdsim_driver_init(&world->driver, &world->now), SDSIM_DRIVER_OK);
    world->ready = world->now;
    for (const char *at = exchange->operations; *at != '\0'; at++) {
        operate(world, *at);
    }
    return world;
}

static void end_exchange(struct world *world)
{
    sdsim_test_tape_free(&world->tape);
    sdsim_medium_destroy(world->medium);
    free(world);
}

/* ---- bytes ---- */

/* Compares "spi-1: 40" lines with the bytes that were clocked with CS low. */
static void same_bytes(const struct exchange *exchange, const struct world *world, sdsim_ps from,
                       const char *line, bool mosi, const char *text)
{
    size_t compared = 0;
    for (size_t i = 0; i < world->tape.count; i++) {
        const struct sdsim_test_tape_event *event = &world->tape.events[i];
        if (event->kind != SDSIM_TAPE_BYTE || !event->selected || event->start < from) {
            continue;
        }
        const uint8_t expected = mosi ? event->mosi : event->miso;
        const char *line_at = text;
        const unsigned got = sdsim_test_take_hex(&text, "spi-1: ");
        if (got != expected) {
            fail_msg("%s, %s, byte %zu at %llu ps: %02x, not %02x (%.20s)", exchange->name, line,
                     compared, (unsigned long long)event->start, got, expected, line_at);
        }
        compared++;
    }
    if (*text != '\0' || compared < 1000) {
        fail_msg("%s, %s: %zu bytes, then %.40s", exchange->name, line, compared, text);
    }
}

/* Which commands an exchange has, so that none is missing by mistake. */
static uint64_t commands_in(const struct world *world)
{
    uint64_t commands = 0;
    for (unsigned i = 0; i < 64; i++) {
        commands |= (uint64_t)(world->meter.counters.commands[i] > 0) << i;
    }
    return commands;
}

static void bytes_are_the_same(void **state)
{
    (void)state;
    static const struct exchange exchanges[] = {
        {"arduino-esp32-sd at 20 MHz", SDSIM_DRIVER_ARDUINO_SD, 20000000, 1, "rRswWsyr"},
        {"arduino-esp32-sd at 26.67 MHz", SDSIM_DRIVER_ARDUINO_SD, 80000000, 3, "RWrw"},
        {"sdfat-spi-dedicated at 25 MHz", SDSIM_DRIVER_SDFAT_DEDICATED, 25000000, 1, "rRwWyR"},
        {"chan-mmc-spi at 12.5 MHz", SDSIM_DRIVER_CHAN_MMC, 12500000, 1, "rRwWy"},
        {"generic-spi at 5 MHz", SDSIM_DRIVER_GENERIC_SPI, 5000000, 1, "rRwWy"},
    };
    static const uint8_t wanted[] = {0, 8, 9, 12, 13, 17, 18, 24, 25, 41, 55, 58};
    if (!sdsim_test_has_sigrok()) {
        print_message("no sigrok-cli\n");
        skip();
    }
    uint64_t commands = 0;
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++) {
        const struct exchange *exchange = &exchanges[i];
        struct world *world = hold_exchange(exchange);
        /* The identification at 400 kHz is most of the time, and the same each time. */
        const sdsim_ps from = i == 0 ? 0 : world->ready;
        char path[40];
        int status;
        const uint64_t downsample =
            sdsim_test_tape_vcd(&world->tape, SDSIM_BUS_SPI, from, world->now, path);
        const char *decoder = "spi:clk=SCK:mosi=MOSI:miso=MISO:cs=CS";
        char *mosi = sdsim_test_sigrok(path, downsample, decoder, "spi=mosi-data", &status);
        assert_int_equal(status, 0);
        same_bytes(exchange, world, from, "MOSI", true, mosi);
        char *miso = sdsim_test_sigrok(path, downsample, decoder, "spi=miso-data", &status);
        assert_int_equal(status, 0);
        same_bytes(exchange, world, from, "MISO", false, miso);
        assert_non_null(strstr(miso, "spi-1: 00\nspi-1: 00\nspi-1: 00\n")); /* busy */
        commands |= commands_in(world);
        free(mosi);
        free(miso);
        unlink(path);
        end_exchange(world);
    }
    for (size_t i = 0; i < sizeof wanted; i++) {
        if ((commands >> wanted[i] & 1) == 0) {
            fail_msg("no exchange has CMD%u", wanted[i]);
        }
    }
}

/* ---- what an SD card decoder sees ---- */

/* The next line of sigrok's that begins with `start`; what stands behind it. NULL: none. */
static const char *next_line(const char *text, const char *start)
{
    const size_t length = strlen(start);
    while (*text != '\0') {
        const char *line = strncmp(text, "sdcard_spi-1: ", 14) == 0 ? text + 14 : text;
        if (strncmp(line, start, length) == 0) {
            return line + length;
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return NULL;
}

/* Where in the tape a command frame begins, from `at` on; count if there is none. */
static size_t next_frame(const struct sdsim_test_tape *tape, size_t at)
{
    while (at < tape->count &&
           (tape->events[at].kind != SDSIM_TAPE_BYTE || !tape->events[at].selected ||
            (tape->events[at].mosi & 0xC0) != 0x40)) {
        at++;
    }
    return at;
}

/* The commands of the tape and their arguments, up to the data block of CMD24, whose bytes are not to
 * be taken for commands. */
static void same_commands(const char *name, const struct sdsim_test_tape *tape, const char *text)
{
    unsigned commands = 0;
    for (size_t at = next_frame(tape, 0); at < tape->count; at = next_frame(tape, at + 6)) {
        const struct sdsim_test_tape_event *frame = &tape->events[at];
        const unsigned index = frame[0].mosi & 0x3F;
        const unsigned argument = (unsigned)frame[1].mosi << 24 | (unsigned)frame[2].mosi << 16 |
                                  (unsigned)frame[3].mosi << 8 | frame[4].mosi;
        unsigned got_index = 64;
        unsigned got_argument = 0;
        const char *line = next_line(text, "Command: ");
        if (line != NULL) {
            sscanf(line, *line == 'A' ? "ACMD%u" : "CMD%u", &got_index);
            text = next_line(line, "Argument: 0x");
            sscanf(text, "%x", &got_argument);
        }
        if (got_index != index || got_argument != argument) {
            fail_msg("%s, command %u: CMD%u 0x%x, not CMD%u 0x%x", name, commands, got_index,
                     got_argument, index, argument);
        }
        commands++;
        if (index == 24) {
            return;
        }
    }
    assert_true(commands > 8);
    assert_null(next_line(text, "Command: "));
}

/* A list of decimal numbers: "[254, 64, 14]". */
static void same_list(const char *name, const char *list, const uint8_t *bytes, size_t count)
{
    assert_non_null(list);
    for (size_t i = 0; i < count; i++) {
        char *end;
        const unsigned long got = strtoul(list + 1, &end, 10);
        if (got != bytes[i] || *end != (i + 1 < count ? ',' : ']')) {
            fail_msg("%s, byte %zu: %lu, not %u (%.20s)", name, i, got, bytes[i], list);
        }
        list = end + 1;
    }
}

/* The 16 bytes behind the token that answers CMD9. */
static void csd_of(const struct sdsim_test_tape *tape, uint8_t csd[16])
{
    size_t at = next_frame(tape, 0);
    while (at < tape->count && (tape->events[at].mosi & 0x3F) != 9) {
        at = next_frame(tape, at + 6);
    }
    while (at < tape->count &&
           (tape->events[at].kind != SDSIM_TAPE_BYTE || tape->events[at].miso != 0xFE)) {
        at++;
    }
    /* Register bytes may come in a burst of their own, but with nothing between them. */
    for (unsigned i = 0; i < 16; i++) {
        csd[i] = tape->events[at + 1 + i].miso;
    }
}

static void one_transfer_is_decoded(void **state)
{
    (void)state;
    static const struct exchange exchanges[] = {
        {"init and CMD9", SDSIM_DRIVER_GENERIC_SPI, 20000000, 1, ""},
        {"init and CMD17", SDSIM_DRIVER_GENERIC_SPI, 20000000, 1, "r"},
        {"init and CMD24", SDSIM_DRIVER_GENERIC_SPI, 20000000, 1, "w"},
    };
    if (!sdsim_test_has_sigrok()) {
        print_message("no sigrok-cli\n");
        skip();
    }
    uint8_t block[SDSIM_SECTOR];
    sdsim_content_bytes(&content, 0, block, sizeof block);
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++) {
        struct world *world = hold_exchange(&exchanges[i]);
        const char *name = exchanges[i].name;
        char path[40];
        int status;
        const uint64_t downsample =
            sdsim_test_tape_vcd(&world->tape, SDSIM_BUS_SPI, 0, world->now, path);
        char *text =
            sdsim_test_sigrok(path, downsample, "spi:clk=SCK:mosi=MOSI:miso=MISO:cs=CS,sdcard_spi",
                              "sdcard_spi", &status);
        assert_int_equal(status, 0);
        same_commands(name, &world->tape, text);
        uint8_t csd[16];
        csd_of(&world->tape, csd);
        same_list(name, next_line(text, "CSD: "), csd, sizeof csd);
        const char *data = next_line(text, "Block data: ");
        if (exchanges[i].operations[0] != '\0') {
            same_list(name, data, block, sizeof block);
        } else {
            assert_null(data);
        }
        if (exchanges[i].operations[0] == 'w') {
            assert_non_null(next_line(data, "Data accepted"));
            assert_non_null(next_line(data, "Card is busy"));
        }
        free(text);
        unlink(path);
        end_exchange(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_the_same),
        cmocka_unit_test(one_transfer_is_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Captures whose truth is known: a driver reads and writes over the wire port, its pins are written as
 * VCD, and what the decoders find must be every command and every block, byte for byte, with the right
 * verdict on its check sum - also of many transfers in one file, where the usual decoder stops at the
 * first.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "bus_recording.h"
#include "capture/capture.h"
#include "scratch.h"
#include "sd_wave.h"

enum { READS = 400, BLOCKS = 8 };

/* What was found, and what it should be. */
struct found {
    struct sdsim_item_listener items;
    bool spi;
    unsigned commands[128]; /* index, + 64 behind CMD55 */
    unsigned blocks[128];
    unsigned right[128];
    unsigned same[128]; /* blocks with the content the card held at that address, or was sent */
    unsigned silent;
    unsigned stray;
    unsigned torn;
    unsigned accepted;
    unsigned busies;
    uint32_t address;
    uint8_t status[64];
    uint8_t csd[16];
    uint8_t scr[8];
};

static void take_block(struct found *found, const struct sdsim_item *item, unsigned code)
{
    uint8_t expected[512];
    found->blocks[code]++;
    found->right[code] += item->crc == SDSIM_ITEM_CRC_RIGHT;
    if (item->size == 512) {
        sdsim_test_bus_sector(found->address + item->block, expected);
        found->same[code] += memcmp(expected, item->bytes, sizeof expected) == 0;
    } else if (code == 6 || code == 64 + 13) {
        memcpy(found->status, item->bytes, sizeof found->status);
    } else if (code == 9) {
        memcpy(found->csd, item->bytes, sizeof found->csd);
    } else if (code == 64 + 51) {
        memcpy(found->scr, item->bytes, sizeof found->scr);
    }
}

static void take_item(struct sdsim_item_listener *listener, const struct sdsim_item *item)
{
    struct found *found = (struct found *)listener;
    const unsigned code = item->index + (item->app ? 64u : 0);
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        found->commands[code]++;
        found->address = item->argument;
        break;
    case SDSIM_ITEM_READ_BLOCK:
    case SDSIM_ITEM_WRITE_BLOCK:
        if (!item->open) {
            take_block(found, item, code);
        }
        break;
    case SDSIM_ITEM_NO_RESPONSE:
        found->silent++;
        break;
    case SDSIM_ITEM_STRAY:
        found->stray++;
        break;
    case SDSIM_ITEM_TORN:
        found->torn++;
        break;
    case SDSIM_ITEM_BUSY:
        found->busies++;
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        found->accepted += found->spi ? (item->token & 0x1F) == 5 : item->token == 2;
        break;
    default:
        break;
    }
}

/* Decodes the file. */
static struct found decode(const char *path, enum sdsim_capture_bus bus)
{
    struct found found = {.items = {take_item}, .spi = bus == SDSIM_CAPTURE_SPI};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_capture *capture = sdsim_capture_open(path, NULL, &diags);
    sdsim_diags_print(&diags, stderr);
    assert_non_null(capture);
    assert_int_equal(capture->roles.bus, bus);
    sdsim_capture_attach(capture, &found.items, NULL);
    assert_int_equal(sdsim_capture_decode(capture), SDSIM_PINS_END);
    sdsim_capture_close(capture);
    sdsim_diags_free(&diags);
    return found;
}

static void finds_all_of_400_reads(void **state)
{
    (void)state;
    const char *path = sdsim_test_path("capture");
    struct sdsim_test_bus *bus =
        sdsim_test_bus_up(SDSIM_BUS_SPI, SDSIM_DRIVER_SDFAT_SHARED, true, 8000000, 1000, path);
    for (uint32_t i = 0; i < READS; i++) {
        assert_int_equal(sdsim_driver_read(&bus->driver, &bus->now, i * 7, 1, SDSIM_FOR_DATA, NULL),
                         SDSIM_DRIVER_OK);
    }
    sdsim_test_bus_down(bus);
    const struct found found = decode(path, SDSIM_CAPTURE_SPI);
    assert_int_equal(found.commands[17], READS);
    assert_int_equal(found.blocks[17], READS);
    assert_int_equal(found.right[17], READS);
    assert_int_equal(found.same[17], READS);
    assert_int_equal(found.torn, 0);
    assert_int_equal(found.stray, 0);
}

static void app(struct sdsim_test_bus *bus)
{
    sdsim_test_bus_do(bus, (struct sdsim_transaction){
                               .flags = SDSIM_COMMAND,
                               .command = 55,
                               .argument = bus->driver.rca << 16,
                               .response = SDSIM_RESPONSE_R1,
                           });
}

static void read_register(struct sdsim_test_bus *bus, uint8_t command, uint32_t argument,
                          uint16_t bytes, uint8_t *out)
{
    const struct sdsim_result result =
        sdsim_test_bus_do(bus, (struct sdsim_transaction){
                                   .flags = SDSIM_COMMAND,
                                   .command = command,
                                   .argument = argument,
                                   .response = command == 13 && bus->wire.port.mode == SDSIM_BUS_SPI
                                                   ? SDSIM_RESPONSE_R2
                                                   : SDSIM_RESPONSE_R1,
                                   .direction = SDSIM_READ_BLOCKS,
                                   .blocks = 1,
                                   .block_bytes = bytes,
                                   .out = out,
                               });
    assert_int_equal(result.outcome, SDSIM_OUTCOME_OK);
}

/* Reads and writes many blocks, through the driver. */
static void move_blocks(struct sdsim_test_bus *bus)
{
    const struct sdsim_content content = {
        .kind = SDSIM_CONTENT_GENERATED, .seed = 1, .offset = 1000 * 512};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(
            sdsim_driver_read(&bus->driver, &bus->now, 100 + 50 * i, BLOCKS, SDSIM_FOR_DATA, NULL),
            SDSIM_DRIVER_OK);
        assert_int_equal(
            sdsim_driver_write(&bus->driver, &bus->now, 1000, BLOCKS, SDSIM_FOR_DATA, &content),
            SDSIM_DRIVER_OK);
    }
    assert_int_equal(sdsim_driver_sync(&bus->driver, &bus->now), SDSIM_DRIVER_OK);
}

static void finds_every_kind_of_transfer_over_spi(void **state)
{
    (void)state;
    const char *path = sdsim_test_path("capture");
    uint8_t csd[16];
    uint8_t switched[64];
    uint8_t status[64];
    uint8_t scr[8];
    struct sdsim_test_bus *bus =
        sdsim_test_bus_up(SDSIM_BUS_SPI, SDSIM_DRIVER_IDF_SDSPI, false, 10000000, 1000, path);
    move_blocks(bus);
    read_register(bus, 9, 0, 16, csd);
    read_register(bus, 6, 0x00FFFFF1, 64, switched);
    sdsim_test_bus_do(bus, (struct sdsim_transaction){.flags = SDSIM_COMMAND,
                                                      .command = 13,
                                                      .response = SDSIM_RESPONSE_R2});
    app(bus);
    read_register(bus, 51, 0, 8, scr);
    app(bus);
    read_register(bus, 13, 0, 64, status);
    move_blocks(bus);
    sdsim_test_bus_down(bus);

    const struct found found = decode(path, SDSIM_CAPTURE_SPI);
    assert_int_equal(found.commands[18], 6);
    assert_int_equal(found.same[18], 6 * BLOCKS);
    assert_int_equal(found.right[18], 6 * BLOCKS);
    assert_int_equal(found.commands[12], 6);
    assert_int_equal(found.commands[25], 6);
    assert_int_equal(found.same[25], 6 * BLOCKS);
    assert_int_equal(found.accepted, 6 * BLOCKS);
    assert_true(found.busies >= 6);
    assert_true(found.right[6] >= 1);
    assert_true(found.right[9] >= 1);
    assert_int_equal(found.right[64 + 51], found.blocks[64 + 51]);
    assert_true(found.right[64 + 13] >= 1);
    assert_memory_equal(found.csd, csd, sizeof csd);
    assert_memory_equal(found.scr, scr, sizeof scr);
    assert_memory_equal(found.status, status, sizeof status);
    assert_int_equal(found.torn, 0);
}

/* ---- SD mode, from an encoder of our own ---- */

struct sd_file {
    struct sdsim_test_sd_wave wave;
    struct sdsim_wave_file file;
    FILE *out;
    sdsim_ps now;
    const char *path;
};

static void sd_begin(struct sd_file *sd)
{
    memset(sd, 0, sizeof *sd);
    sd->path = sdsim_test_path("sd.vcd");
    sd->out = fopen(sd->path, "w");
    assert_non_null(sd->out);
    sdsim_wave_vcd_begin(&sd->file, sd->out, SDSIM_BUS_SD4, 0, 1000, "generated by a test");
    sdsim_test_sd_idle(&sd->wave, 80);
}

static void sd_play(struct sd_file *sd, uint64_t hertz, bool high_speed)
{
    sdsim_test_sd_idle(&sd->wave, 8);
    sdsim_test_sd_play(&sd->wave, &sd->now, SDSIM_S / hertz, high_speed, &sd->file.sink);
}

static struct found sd_end(struct sd_file *sd)
{
    sdsim_wave_vcd_end(&sd->file, sd->now);
    fclose(sd->out);
    sdsim_test_sd_free(&sd->wave);
    return decode(sd->path, SDSIM_CAPTURE_SD);
}

static void sd_answered(struct sd_file *sd, uint8_t index, uint32_t argument)
{
    sdsim_test_wave_command(&sd->wave, 8, index, argument);
    sdsim_test_sd_response(&sd->wave, 5, index, 0x900, true);
}

/* CMD18 with data that begins while the response is still on its way, and CMD12. */
static void sd_read(struct sd_file *sd, uint32_t lba, uint32_t blocks, unsigned width)
{
    uint8_t bytes[512];
    sd_answered(sd, 18, lba);
    for (uint32_t i = 0; i < blocks; i++) {
        sdsim_test_bus_sector(lba + i, bytes);
        sdsim_test_sd_block(&sd->wave, i == 0 ? 2 : 40, width, bytes, 512, true, false);
    }
    sd_answered(sd, 12, 0);
}

static void sd_write(struct sd_file *sd, uint32_t lba, uint32_t blocks, unsigned width, bool broken)
{
    uint8_t bytes[512];
    sd_answered(sd, blocks == 1 ? 24 : 25, lba);
    sdsim_test_sd_join(&sd->wave);
    for (uint32_t i = 0; i < blocks; i++) {
        sdsim_test_bus_sector(lba + i, bytes);
        sdsim_test_sd_block(&sd->wave, 3, width, bytes, 512, false, broken);
        sdsim_test_sd_status(&sd->wave, broken ? 5 : 2, i == 1 ? 0 : 20000);
    }
    if (blocks > 1) {
        sdsim_test_wave_command(&sd->wave, 8, 12, 0);
        sdsim_test_sd_busy(&sd->wave, 2, 5000);
        sdsim_test_sd_response(&sd->wave, 6, 12, 0x900, true);
    }
}

static void check_transfers(const struct found *found)
{
    assert_int_equal(found->commands[18], 3);
    assert_int_equal(found->same[18], 3 * BLOCKS);
    assert_int_equal(found->right[18], 3 * BLOCKS);
    assert_int_equal(found->commands[25], 1);
    assert_int_equal(found->same[25], BLOCKS);
    assert_int_equal(found->right[25], BLOCKS);
    assert_int_equal(found->commands[24], 1);
    assert_int_equal(found->same[24], 1);
    assert_int_equal(found->commands[12], 4);
    assert_int_equal(found->accepted, BLOCKS + 1);
    assert_int_equal(found->busies, BLOCKS - 1 + 1 + 1);
    assert_int_equal(found->silent, 0);
    assert_int_equal(found->stray, 0);
}

/* Blocks one and four lines wide, with nothing that says how wide the bus is. */
static void finds_transfers_on_one_line_and_on_four(void **state)
{
    (void)state;
    static const unsigned widths[] = {1, 4};
    for (size_t w = 0; w < 2; w++) {
        struct sd_file sd;
        sd_begin(&sd);
        for (uint32_t i = 0; i < 3; i++) {
            sd_read(&sd, 100 * i, BLOCKS, widths[w]);
        }
        sd_write(&sd, 500, BLOCKS, widths[w], false);
        sd_write(&sd, 600, 1, widths[w], false);
        sd_play(&sd, 25000000, false);
        const struct found found = sd_end(&sd);
        check_transfers(&found);
    }
}

/* The card changes its lines at the rising edge after a while, as it does after CMD6. */
static void follows_a_switch_to_high_speed(void **state)
{
    (void)state;
    struct sd_file sd;
    sd_begin(&sd);
    sd_read(&sd, 0, BLOCKS, 4);
    sd_play(&sd, 400000, false);
    sd_read(&sd, 100, BLOCKS, 4);
    sd_play(&sd, 25000000, false);
    sd_read(&sd, 200, BLOCKS, 4);
    sd_write(&sd, 500, BLOCKS, 4, false);
    sd_write(&sd, 600, 1, 4, false);
    sd_play(&sd, 50000000, true);
    const struct found found = sd_end(&sd);
    check_transfers(&found);
}

/* Wrong check sums are told as such, and cost nothing that comes behind. */
static void tells_wrong_check_sums(void **state)
{
    (void)state;
    uint8_t bytes[512];
    struct sd_file sd;
    sd_begin(&sd);
    sdsim_test_bus_sector(7, bytes);
    for (unsigned i = 0; i < 10; i++) {
        sd_answered(&sd, 17, 7);
        sdsim_test_sd_block(&sd.wave, 100, 4, bytes, 512, true, i % 3 == 1);
        sd_write(&sd, 30, 1, 4, i % 4 == 1);
    }
    sdsim_test_wave_command(&sd.wave, 8, 52, 0);    /* nobody answers */
    sdsim_test_wave_command(&sd.wave, 1000, 13, 0); /* and the next command is one */
    sdsim_test_sd_response(&sd.wave, 5, 13, 0x900, true);
    sd_play(&sd, 20000000, false);
    const struct found found = sd_end(&sd);
    assert_int_equal(found.blocks[17], 10);
    assert_int_equal(found.right[17], 7);
    assert_int_equal(found.same[17], 7);
    assert_int_equal(found.blocks[24], 10);
    assert_int_equal(found.right[24], 7);
    assert_int_equal(found.accepted, 7);
    assert_int_equal(found.silent, 1);
    assert_int_equal(found.commands[13], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_of_400_reads),
        cmocka_unit_test(finds_every_kind_of_transfer_over_spi),
        cmocka_unit_test(finds_transfers_on_one_line_and_on_four),
        cmocka_unit_test(follows_a_switch_to_high_speed),
        cmocka_unit_test(tells_wrong_check_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

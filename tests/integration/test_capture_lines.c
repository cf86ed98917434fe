/*
 * One recorded bus in every dress: sigrok sessions of all unit sizes and versions, VCD and CSV, channels
 * with other names or none at all, other SPI modes, edges at the wrong place, and too few samples. The
 * blocks found must stay the same, or the verdict must say why there are none.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "capture/wave_file.h"
#include "capture_json.h"
#include "core/crc.h"
#include "flash/medium.h"
#include "scratch.h"
#include "sd_wave.h"
#include "sr_file.h"

enum { BLOCKS = 5 };

/* Initialisation and some reads in SD mode. */
static sdsim_ps sd_bus(struct sdsim_wave_sink *sink, sdsim_ps period)
{
    struct sdsim_test_sd_wave wave = {0};
    sdsim_ps now = 0;
    uint8_t bytes[512];
    sdsim_test_sd_idle(&wave, 80);
    sdsim_test_wave_command(&wave, 8, 0, 0);
    sdsim_test_wave_command(&wave, 8, 8, 0x1AA);
    sdsim_test_sd_response(&wave, 5, 8, 0x1AA, true);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        sdsim_generate(9, i * UINT64_C(512), bytes, sizeof bytes);
        sdsim_test_wave_command(&wave, 20, 17, i);
        sdsim_test_sd_response(&wave, 5, 17, 0x900, true);
        sdsim_test_sd_block(&wave, 80, 4, bytes, sizeof bytes, true, false);
    }
    sdsim_test_sd_idle(&wave, 16);
    sdsim_test_sd_play(&wave, &now, period, false, sink);
    sdsim_test_sd_free(&wave);
    return now;
}

/* How an SPI bus is wired and clocked. */
struct spi_dress {
    unsigned mode;     /* 0 to 3 */
    bool early_card;   /* the card changes MISO at the edge at which the host samples */
    unsigned place[4]; /* bits of CS, SCK, MOSI, MISO */
};

struct spi_bus {
    const struct spi_dress *dress;
    struct sdsim_wave_sink *sink;
    sdsim_ps now;
    sdsim_ps bit;
    unsigned cs;
    unsigned mosi;
    unsigned miso;
};

static void spi_tell(struct spi_bus *bus, sdsim_ps at, bool active)
{
    const unsigned *place = bus->dress->place;
    const bool clock = active != (bus->dress->mode >= 2);
    bus->sink->levels(bus->sink, at,
                      bus->cs << place[0] | (clock ? 1u : 0u) << place[1] | bus->mosi << place[2] |
                          bus->miso << place[3]);
}

static void spi_bit(struct spi_bus *bus, unsigned mosi, unsigned miso)
{
    const bool trailing =
        (bus->dress->mode & 1) != 0; /* CPHA 1: data changes at the leading edge */
    if (!trailing) {
        bus->mosi = mosi;
        if (!bus->dress->early_card) {
            bus->miso = miso;
        }
        spi_tell(bus, bus->now, false);
    }
    if (trailing) {
        bus->mosi = mosi;
        bus->miso = miso;
    }
    spi_tell(bus, bus->now + bus->bit / 2, true);
    if (trailing) {
        spi_tell(bus, bus->now + bus->bit, false);
    }
    bus->now += bus->bit;
}

static void spi_byte(struct spi_bus *bus, unsigned mosi, unsigned miso, unsigned next_miso)
{
    for (unsigned i = 8; i-- > 0;) {
        spi_bit(bus, mosi >> i & 1, miso >> i & 1);
        if (bus->dress->early_card) { /* the next bit comes out a little behind the rising edge */
            bus->miso = i > 0 ? miso >> (i - 1) & 1 : next_miso >> 7 & 1;
            spi_tell(bus, bus->now - bus->bit / 2 + bus->bit / 10, true);
        }
    }
}

static void spi_bytes(struct spi_bus *bus, const uint8_t *mosi, const uint8_t *miso, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        spi_byte(bus, mosi != NULL ? mosi[i] : 0xFF, miso != NULL ? miso[i] : 0xFF,
                 miso != NULL && i + 1 < count ? miso[i + 1] : 0xFF);
    }
}

/* CMD17s. */
static sdsim_ps spi_reads(const struct spi_dress *dress, struct sdsim_wave_sink *sink, sdsim_ps bit)
{
    struct spi_bus bus = {.dress = dress, .sink = sink, .bit = bit, .cs = 1, .mosi = 1, .miso = 1};
    spi_tell(&bus, 0, false);
    bus.now = 10 * bit;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint8_t frame[6] = {0x51, 0, 0, 0, (uint8_t)i, 0};
        uint8_t miso[1 + 1 + 4 + 1 + 514] = {0xFF, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE};
        frame[5] = sdsim_crc7_byte(frame, 5);
        sdsim_generate(9, i * UINT64_C(512), miso + 7, 512);
        const uint16_t crc = sdsim_crc16(miso + 7, 512);
        miso[519] = (uint8_t)(crc >> 8);
        miso[520] = (uint8_t)crc;
        bus.cs = 0;
        spi_tell(&bus, bus.now, false);
        bus.now += bit;
        spi_bytes(&bus, frame, NULL, sizeof frame);
        spi_bytes(&bus, NULL, miso, sizeof miso);
        spi_tell(&bus, bus.now, false);
        bus.now += bit;
        bus.cs = 1;
        bus.mosi = 1;
        bus.miso = 1;
        spi_tell(&bus, bus.now, false);
        bus.now += 30 * bit;
    }
    return bus.now;
}

static json_int_t count_at(json_t *root, const char *path)
{
    return json_integer_value(sdsim_test_at(root, path));
}

/* Reports, and compares the blocks. */
static json_t *expect_blocks(const char *path, const char *what)
{
    char messages[1000] = "";
    json_t *root = sdsim_test_capture(path, NULL, messages, sizeof messages);
    if (root == NULL || count_at(root, "crc16.right") != BLOCKS ||
        count_at(root, "crc16.checked") != BLOCKS) {
        fail_msg("%s: %s, %lld of %lld blocks %s", path, what,
                 (long long)count_at(root, "crc16.right"),
                 (long long)count_at(root, "crc16.checked"), messages);
    }
    return root;
}

static void reads_sessions_of_every_make(void **state)
{
    (void)state;
    for (unsigned unit = 1; unit <= 8; unit++) {
        for (unsigned variant = 0; variant < 4; variant++) {
            const char *path = sdsim_test_path("capture");
            char metadata[600];
            char what[64];
            const unsigned shift = unit > 2 ? 8 * unit - 7 : 1; /* probes far up, and not from 1 */
            const char *equals = variant % 2 == 0 ? "=" : " = ";
            size_t used = (size_t)snprintf(
                metadata, sizeof metadata,
                "[global]\nsigrok version%s0.5.2\n[device 1]\ndriver%sx\ncapturefile%slogic-1\n"
                "unitsize%s%u\ntotal probes%s%u\nsamplerate%s%s\n",
                equals, equals, equals, equals, unit, equals, 8 * unit, equals,
                variant % 2 == 0 ? "10000000 Hz" : "10 MHz");
            static const char *const names[] = {"CLK", "CMD", "DAT0", "DAT1", "DAT2", "DAT3"};
            for (unsigned i = 0; i < 6; i++) {
                used += (size_t)snprintf(metadata + used, sizeof metadata - used, "probe%u%s%s\n",
                                         shift + i + 1, equals, names[i]);
            }
            struct sdsim_test_sr sr = {
                .path = path,
                .metadata = metadata,
                .version = variant == 1 ? 1 : 2,
                .unit = unit,
                .shift = shift,
                .period = 100 * SDSIM_NS,
                .member = 10007,
                .stored = variant == 2,
                .backwards = variant == 3,
            };
            sdsim_test_sr_begin(&sr);
            const sdsim_ps end = sd_bus(&sr.sink, 1200 * SDSIM_NS);
            assert_true(sdsim_test_sr_write(&sr, end));
            snprintf(what, sizeof what, "unit %u, variant %u", unit, variant);
            json_t *root = expect_blocks(path, what);
            assert_string_equal(json_string_value(sdsim_test_at(root, "bus")), "SD");
            json_decref(root);
        }
    }
}

/* Channels of which names say nothing: the bus and its lines are told by what happens on them. */
static void finds_lines_by_behaviour(void **state)
{
    (void)state;
    static const struct spi_dress dresses[] = {
        {.mode = 0, .place = {0, 1, 2, 3}},
        {.mode = 0, .place = {3, 0, 1, 2}},
        {.mode = 3, .place = {2, 3, 1, 0}},
        {.mode = 1, .place = {1, 0, 3, 2}},
    };
    static const char metadata[] =
        "[device 1]\ncapturefile=logic-1\nsamplerate=20 MHz\nunitsize=1\n"
        "probe1=D0\nprobe2=D1\nprobe3=D2\nprobe4=D3\nprobe5=D4\nprobe6=D5\n";
    static const char *const lines[] = {"CS", "CLK", "MOSI", "MISO"};
    for (size_t d = 0; d < sizeof dresses / sizeof dresses[0]; d++) {
        const char *path = sdsim_test_path("capture");
        char what[64];
        struct sdsim_test_sr sr = {.path = path,
                                   .metadata = metadata,
                                   .version = 2,
                                   .unit = 1,
                                   .period = 50 * SDSIM_NS,
                                   .member = 1 << 20};
        sdsim_test_sr_begin(&sr);
        const sdsim_ps end = spi_reads(&dresses[d], &sr.sink, SDSIM_US);
        assert_true(sdsim_test_sr_write(&sr, end));
        snprintf(what, sizeof what, "dress %zu", d);
        json_t *root = expect_blocks(path, what);
        size_t i;
        json_t *channel;
        assert_int_equal(count_at(root, "mode"), dresses[d].mode);
        json_array_foreach(sdsim_test_at(root, "channels"), i, channel)
        {
            const char *line = json_string_value(json_object_get(channel, "line"));
            const char *name = json_string_value(json_object_get(channel, "channel"));
            for (size_t k = 0; k < 4; k++) {
                if (strcmp(line, lines[k]) == 0) {
                    assert_int_equal(name[1] - '0', dresses[d].place[k]);
                }
            }
        }
        json_decref(root);
    }
    /* SD mode */
    const char *path = sdsim_test_path("capture");
    struct sdsim_test_sr sr = {.path = path,
                               .metadata = metadata,
                               .version = 2,
                               .unit = 1,
                               .period = 50 * SDSIM_NS,
                               .member = 1 << 20};
    sdsim_test_sr_begin(&sr);
    const sdsim_ps end = sd_bus(&sr.sink, SDSIM_US);
    assert_true(sdsim_test_sr_write(&sr, end));
    json_t *root = expect_blocks(path, "SD mode");
    json_decref(root);
}

/* The four modes, by name. */
static void finds_the_spi_mode(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < 4; mode++) {
        const char *path = sdsim_test_path("capture");
        char what[32];
        const struct spi_dress dress = {.mode = mode, .place = {0, 1, 2, 3}};
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        struct sdsim_wave_file file;
        sdsim_wave_vcd_begin(&file, out, SDSIM_BUS_SPI, 0, 10 * SDSIM_NS, "a test");
        const sdsim_ps end = spi_reads(&dress, &file.sink, SDSIM_US);
        sdsim_wave_vcd_end(&file, end);
        fclose(out);
        snprintf(what, sizeof what, "mode %u", mode);
        json_t *root = expect_blocks(path, what);
        assert_int_equal(count_at(root, "mode"), mode);
        json_decref(root);
    }
}

static bool has_finding(json_t *root, const char *text)
{
    size_t i;
    json_t *finding;
    json_array_foreach(sdsim_test_at(root, "findings"), i, finding)
    {
        if (strstr(json_string_value(json_object_get(finding, "text")), text) != NULL) {
            return true;
        }
    }
    return false;
}

/* A card at 400 kHz that changes its output right behind the edge at which the host samples (SdFat
 * issue 528): a warning, with the hold time there is; one that does as it should is not warned of. */
static void warns_of_a_card_without_hold_time(void **state)
{
    (void)state;
    for (unsigned early = 0; early < 2; early++) {
        const char *path = sdsim_test_path("capture");
        const struct spi_dress dress = {.early_card = early != 0, .place = {0, 1, 2, 3}};
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        struct sdsim_wave_file file;
        sdsim_wave_csv_begin(&file, out, SDSIM_BUS_SPI, 0);
        const sdsim_ps bit = SDSIM_S / 400000;
        const sdsim_ps end = spi_reads(&dress, &file.sink, bit);
        sdsim_wave_csv_end(&file, end);
        fclose(out);
        json_t *root = expect_blocks(path, early ? "early" : "in time");
        assert_int_equal(has_finding(root, "no hold time"), early);
        if (early != 0) {
            const double hold = json_number_value(sdsim_test_at(root, "card_output.hold"));
            assert_true(hold > 0.249e-6 && hold < 0.251e-6); /* a tenth of a bit */
        }
        json_decref(root);
    }
}

/* How fast a bus is, and whether it can be read with samples 100 ns apart. */
struct pace {
    sdsim_ps period;
    bool readable;
};

/* The capture has all blocks and commands, or none of either and the verdict. */
static void all_or_nothing(const char *path, const struct pace *pace, json_int_t all_commands)
{
    json_t *root = sdsim_test_capture(path, NULL, NULL, 0);
    assert_non_null(root);
    const json_int_t blocks = count_at(root, "crc16.right");
    const json_int_t commands = count_at(root, "items.command");
    const bool undersampled = json_is_true(sdsim_test_at(root, "undersampled"));
    if (blocks != (pace->readable ? BLOCKS : 0) ||
        commands != (pace->readable ? all_commands : 0) || undersampled == pace->readable) {
        fail_msg("period %llu ps: %lld blocks, %lld commands, %sundersampled",
                 (unsigned long long)pace->period, (long long)blocks, (long long)commands,
                 undersampled ? "" : "not ");
    }
    json_decref(root);
}

/* From 24 samples a clock down to 1.3: everything, or nothing and a verdict; never something else. */
static void reads_all_or_says_undersampled(void **state)
{
    (void)state;
    static const struct pace rows[] = {
        {2400000, true}, {830000, true},  {610000, true},  {430000, true},
        {190000, false}, {151000, false}, {130000, false},
    };
    static const char metadata[] =
        "[device 1]\ncapturefile=logic-1\nsamplerate=10 MHz\nunitsize=1\n"
        "probe1=CLK\nprobe2=CMD\nprobe3=DAT0\nprobe4=DAT1\nprobe5=DAT2\nprobe6=DAT3\n";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *path = sdsim_test_path("capture");
        struct sdsim_test_sr sr = {.path = path,
                                   .metadata = metadata,
                                   .version = 2,
                                   .unit = 1,
                                   .period = 100 * SDSIM_NS,
                                   .member = 1 << 20};
        sdsim_test_sr_begin(&sr);
        const sdsim_ps end = sd_bus(&sr.sink, rows[i].period);
        assert_true(sdsim_test_sr_write(&sr, end));
        all_or_nothing(path, &rows[i], BLOCKS + 2);
    }
}

/* The same over SPI. */
static void reads_all_of_spi_or_says_undersampled(void **state)
{
    (void)state;
    static const struct pace rows[] = {
        {2400000, true}, {830000, true},  {410000, true},  {290000, true},
        {184000, false}, {151000, false}, {130000, false},
    };
    static const char spi_metadata[] =
        "[device 1]\ncapturefile=logic-1\nsamplerate=10 MHz\nunitsize=1\n"
        "probe1=CS\nprobe2=SCK\nprobe3=MOSI\nprobe4=MISO\n";
    const struct spi_dress dress = {.place = {0, 1, 2, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *path = sdsim_test_path("capture");
        struct sdsim_test_sr sr = {.path = path,
                                   .metadata = spi_metadata,
                                   .version = 2,
                                   .unit = 1,
                                   .period = 100 * SDSIM_NS,
                                   .member = 1 << 20};
        sdsim_test_sr_begin(&sr);
        const sdsim_ps end = spi_reads(&dress, &sr.sink, rows[i].period);
        assert_true(sdsim_test_sr_write(&sr, end));
        all_or_nothing(path, &rows[i], BLOCKS);
    }
}

/* Without CS, bytes are told by the pauses between the commands. */
static void reads_spi_without_cs(void **state)
{
    (void)state;
    const char *path = sdsim_test_path("capture");
    static const char no_cs[] = "[device 1]\ncapturefile=logic-1\nsamplerate=10 MHz\nunitsize=1\n"
                                "probe2=SCK\nprobe3=MOSI\nprobe4=MISO\n";
    const struct spi_dress dress = {.place = {0, 1, 2, 3}};
    struct sdsim_test_sr sr = {.path = path,
                               .metadata = no_cs,
                               .version = 2,
                               .unit = 1,
                               .period = 100 * SDSIM_NS,
                               .member = 1 << 20};
    sdsim_test_sr_begin(&sr);
    const sdsim_ps end = spi_reads(&dress, &sr.sink, SDSIM_US);
    assert_true(sdsim_test_sr_write(&sr, end));
    json_t *root = expect_blocks(path, "no CS");
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_sessions_of_every_make),
        cmocka_unit_test(finds_lines_by_behaviour),
        cmocka_unit_test(finds_the_spi_mode),
        cmocka_unit_test(warns_of_a_card_without_hold_time),
        cmocka_unit_test(reads_all_or_says_undersampled),
        cmocka_unit_test(reads_all_of_spi_or_says_undersampled),
        cmocka_unit_test(reads_spi_without_cs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

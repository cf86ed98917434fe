/* Registers, bit for bit: what a host reads out of them is what the profile says. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "card/registers.h"
#include "core/crc.h"

#define KIB ((uint64_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

static uint64_t get(const uint8_t *reg, unsigned bytes, unsigned high, unsigned low)
{
    return sdsim_register_get(reg, bytes, low, high - low + 1);
}

static void put_and_get(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 40; width++) {
        for (unsigned low = 0; low + width <= 128; low++) {
            uint8_t reg[16];
            memset(reg, 0xA5, sizeof reg);
            const uint64_t value = UINT64_C(0x5A3C96E7D1) & ((UINT64_C(1) << width) - 1);
            sdsim_register_put(reg, sizeof reg, low, width, value);
            assert_int_equal(sdsim_register_get(reg, sizeof reg, low, width), value);
            for (unsigned bit = 0; bit < 128; bit++) {
                if (bit < low || bit >= low + width) {
                    assert_int_equal(sdsim_register_get(reg, sizeof reg, bit, 1),
                                     0xA5 >> bit % 8 & 1);
                }
            }
        }
    }
    /* Bit 0 is the last one sent, bit 127 the first. */
    uint8_t reg[16] = {0};
    sdsim_register_put(reg, sizeof reg, 127, 1, 1);
    sdsim_register_put(reg, sizeof reg, 0, 1, 1);
    assert_int_equal(reg[0], 0x80);
    assert_int_equal(reg[15], 0x01);
}

/* What a host computes from CSD version 1: (C_SIZE + 1) * 2^(C_SIZE_MULT + 2) * 2^READ_BL_LEN, or
 * version 2: (C_SIZE + 1) * 512 KiB. */
static uint64_t capacity_of(const uint8_t csd[16])
{
    if (get(csd, 16, 127, 126) == 1) {
        return (get(csd, 16, 69, 48) + 1) * 512 * KIB;
    }
    assert_int_equal(get(csd, 16, 127, 126), 0);
    return (get(csd, 16, 73, 62) + 1) << (get(csd, 16, 49, 47) + 2 + get(csd, 16, 83, 80));
}

static void csd_capacity(void **state)
{
    (void)state;
    static const struct {
        int type;
        uint64_t capacity;
        uint64_t told; /* what the coding can express */
        unsigned read_bl_len;
    } rows[] = {
        {SDSIM_SDSC, 2 * KIB, 2 * KIB, 9},
        {SDSIM_SDSC, 8 * MIB, 8 * MIB, 9},
        {SDSIM_SDSC, 8 * MIB + 512, 8 * MIB, 9},
        {SDSIM_SDSC, 13 * MIB + 5 * KIB, 13 * MIB + 4 * KIB, 9},
        {SDSIM_SDSC, 64 * MIB, 64 * MIB, 9},
        {SDSIM_SDSC, 512 * MIB - 256 * KIB, 512 * MIB - 256 * KIB, 9},
        {SDSIM_SDSC, 1 * GIB, 1 * GIB, 9},
        {SDSIM_SDSC, 1 * GIB + 256 * KIB, 1 * GIB, 10},
        {SDSIM_SDSC, 2 * GIB - 512 * KIB, 2 * GIB - 512 * KIB, 10},
        {SDSIM_SDSC, 2 * GIB, 2 * GIB, 10},
        {SDSIM_SDHC, 512 * KIB, 512 * KIB, 9},
        {SDSIM_SDHC, 4 * GIB, 4 * GIB, 9},
        {SDSIM_SDHC, 4 * GIB + 512 * KIB - 512, 4 * GIB, 9},
        {SDSIM_SDHC, 32 * GIB - 512 * KIB, 32 * GIB - 512 * KIB, 9},
        {SDSIM_SDXC, 64 * GIB, 64 * GIB, 9},
        {SDSIM_SDXC, 2048 * GIB - 512 * KIB, 2048 * GIB - 512 * KIB, 9},
        /* 2 TiB are one sector more than 32 bits can count. */
        {SDSIM_SDXC, 2048 * GIB, 2048 * GIB - 512 * KIB, 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sdsim_card_params params = {.type = rows[i].type,
                                                 .capacity = rows[i].capacity};
        uint8_t csd[SDSIM_CSD_BYTES];
        sdsim_csd(&params, SDSIM_DEFAULT_SPEED, csd);
        if (capacity_of(csd) != rows[i].told ||
            (uint64_t)sdsim_csd_sectors(&params) * 512 != rows[i].told ||
            get(csd, 16, 83, 80) != rows[i].read_bl_len) {
            fail_msg("row %zu: CSD says %llu bytes in blocks of 2^%u, %lu sectors", i,
                     (unsigned long long)capacity_of(csd), (unsigned)get(csd, 16, 83, 80),
                     (unsigned long)sdsim_csd_sectors(&params));
        }
        assert_int_equal(get(csd, 16, 25, 22), rows[i].read_bl_len);
        assert_int_equal(csd[15], sdsim_crc7_byte(csd, 15));
    }
}

static void csd_speed(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_card_version version;
        enum sdsim_access_mode mode;
        unsigned tran_speed;
        unsigned class_10;
    } rows[] = {{SDSIM_VERSION_1_00, SDSIM_DEFAULT_SPEED, 0x32, 0},
                {SDSIM_VERSION_1_10, SDSIM_DEFAULT_SPEED, 0x32, 1},
                {SDSIM_VERSION_LATEST, SDSIM_DEFAULT_SPEED, 0x32, 1},
                {SDSIM_VERSION_LATEST, SDSIM_HIGH_SPEED, 0x5A, 1},
                {SDSIM_VERSION_LATEST, SDSIM_SDR50, 0x0B, 1},
                {SDSIM_VERSION_LATEST, SDSIM_SDR104, 0x2B, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sdsim_card_params params = {
            .type = SDSIM_SDHC, .capacity = 8 * GIB, .version = (int)rows[i].version};
        uint8_t csd[SDSIM_CSD_BYTES];
        sdsim_csd(&params, rows[i].mode, csd);
        assert_int_equal(get(csd, 16, 103, 96), rows[i].tran_speed);
        assert_int_equal(get(csd, 16, 94, 94), rows[i].class_10);
        /* What version 2 fixes. */
        assert_int_equal(get(csd, 16, 119, 112), 0x0E);
        assert_int_equal(get(csd, 16, 111, 104), 0);
        assert_int_equal(get(csd, 16, 46, 46), 1);
        assert_int_equal(get(csd, 16, 45, 39), 0x7F);
        assert_int_equal(get(csd, 16, 28, 26), 2);
    }
}

static void cid(void **state)
{
    (void)state;
    const struct sdsim_card_params params = {
        .maker = 0x1B, .oem = "SM", .product = "EB1Q", .serial = 0xDEADBEEF};
    uint8_t reg[SDSIM_CID_BYTES];
    sdsim_cid(&params, reg);
    assert_int_equal(reg[0], 0x1B);
    assert_memory_equal(reg + 1, "SM", 2);
    assert_memory_equal(reg + 3, "EB1Q ", 5);
    assert_int_equal(get(reg, 16, 55, 24), 0xDEADBEEF);
    assert_int_equal(get(reg, 16, 23, 20), 0);
    assert_in_range(get(reg, 16, 11, 8), 1, 12); /* month */
    assert_int_equal(reg[15], sdsim_crc7_byte(reg, 15));

    /* No names, and one that is too long. */
    const struct sdsim_card_params odd = {.product = "EB1QTEXTRA"};
    sdsim_cid(&odd, reg);
    assert_memory_equal(reg + 1, "  EB1QT", 7);
}

static void scr(void **state)
{
    (void)state;
    static const struct {
        int type;
        enum sdsim_card_version version;
        unsigned spec, security, spec3, cmd23;
    } rows[] = {{SDSIM_SDSC, SDSIM_VERSION_1_00, 0, 2, 0, 0},
                {SDSIM_SDSC, SDSIM_VERSION_1_10, 1, 2, 0, 0},
                {SDSIM_SDHC, SDSIM_VERSION_2_00, 2, 3, 0, 0},
                {SDSIM_SDHC, SDSIM_VERSION_LATEST, 2, 3, 1, 1},
                {SDSIM_SDSC, SDSIM_VERSION_3_00, 2, 2, 1, 0},
                {SDSIM_SDXC, SDSIM_VERSION_3_00, 2, 4, 1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sdsim_card_params params = {.type = rows[i].type,
                                                 .version = (int)rows[i].version};
        uint8_t reg[SDSIM_SCR_BYTES];
        sdsim_scr(&params, reg);
        assert_int_equal(get(reg, 8, 63, 60), 0);
        assert_int_equal(get(reg, 8, 59, 56), rows[i].spec);
        assert_int_equal(get(reg, 8, 54, 52), rows[i].security);
        assert_int_equal(get(reg, 8, 51, 48), 5);
        assert_int_equal(get(reg, 8, 47, 47), rows[i].spec3);
        assert_int_equal(get(reg, 8, 33, 33), rows[i].cmd23);
    }
}

static void sd_status_au(void **state)
{
    (void)state;
    static const struct {
        uint64_t au_bytes;
        unsigned code;
    } rows[] = {
        {0, 0},          {16 * KIB, 1},   {32 * KIB, 2},    {64 * KIB, 3},   {128 * KIB, 4},
        {256 * KIB, 5},  {512 * KIB, 6},  {1 * MIB, 7},     {2 * MIB, 8},    {4 * MIB, 9},
        {8 * MIB, 0xA},  {12 * MIB, 0xB}, {16 * MIB, 0xC},  {24 * MIB, 0xD}, {32 * MIB, 0xE},
        {64 * MIB, 0xF}, {3 * MIB, 8},    {128 * MIB, 0xF},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned uhs = 0; uhs <= 3; uhs += 3) {
            const struct sdsim_card_params params = {.au_bytes = rows[i].au_bytes,
                                                     .uhs_grade = uhs};
            uint8_t status[SDSIM_STATUS_BYTES];
            sdsim_sd_status(&params, 1, status);
            if (get(status, 64, 431, 428) != rows[i].code ||
                get(status, 64, 395, 392) != (uhs > 0 ? rows[i].code : 0)) {
                fail_msg("AU of %llu bytes has codes %u and %u",
                         (unsigned long long)rows[i].au_bytes, (unsigned)get(status, 64, 431, 428),
                         (unsigned)get(status, 64, 395, 392));
            }
            assert_int_equal(get(status, 64, 399, 396), uhs);
        }
    }
}

static void sd_status_fields(void **state)
{
    (void)state;
    static const struct {
        uint64_t speed_class;
        unsigned code;
    } classes[] = {{0, 0}, {2, 1}, {4, 2}, {6, 3}, {10, 4}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const struct sdsim_card_params params = {.speed_class = classes[i].speed_class};
        uint8_t status[SDSIM_STATUS_BYTES];
        sdsim_sd_status(&params, 1, status);
        assert_int_equal(get(status, 64, 447, 440), classes[i].code);
        assert_int_equal(get(status, 64, 511, 510), 0);
    }
    /* A card that was read out in public: 1 AU in 6 s with 3 s on top, V30, A2. */
    const struct sdsim_card_params params = {
        .erase_aus = 1, .erase_seconds = 6, .erase_offset = 3, .video_class = 30, .app_class = 2};
    uint8_t status[SDSIM_STATUS_BYTES];
    sdsim_sd_status(&params, 4, status);
    assert_int_equal(get(status, 64, 511, 510), 2);
    assert_int_equal(get(status, 64, 423, 408), 1);
    assert_int_equal(get(status, 64, 407, 402), 6);
    assert_int_equal(get(status, 64, 401, 400), 3);
    assert_int_equal(get(status, 64, 391, 384), 30);
    assert_int_equal(get(status, 64, 339, 336), 2);
}

static void switch_function(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint64_t high_hz;
        uint64_t uhs_hz;
        bool low_voltage;
        uint32_t argument;
        int before, after;
        unsigned selected; /* of the group of access modes */
        unsigned supported;
    } rows[] = {
        {"asking for high speed", 50000000, 0, false, 0x00FFFFF1, 0, 0, 1, 3},
        {"switching to high speed", 50000000, 0, false, 0x80FFFFF1, 0, 1, 1, 3},
        {"switching back", 50000000, 0, false, 0x80FFFFF0, 1, 0, 0, 3},
        {"leaving it", 50000000, 0, false, 0x80FFFFFF, 1, 1, 1, 3},
        {"a function that is not there", 50000000, 0, false, 0x80FFFFF3, 1, 1, 0xF, 3},
        {"a reserved function", 50000000, 208000000, true, 0x80FFFFFE, 1, 1, 0xF, 0xF},
        {"a card without high speed", 0, 0, false, 0x80FFFFF1, 0, 0, 0xF, 1},
        {"UHS-I at 3.3 V", 50000000, 208000000, false, 0x80FFFFF3, 0, 0, 0xF, 3},
        {"SDR104", 50000000, 208000000, true, 0x80FFFFF3, 0, 3, 3, 0xF},
        {"SDR50", 50000000, 100000000, true, 0x80FFFFF2, 0, 2, 2, 7},
        {"SDR104 of a slower card", 50000000, 100000000, true, 0x80FFFFF3, 0, 0, 0xF, 7},
        {"high speed, all else at its default", 50000000, 0, false, 0x80000001, 0, 1, 1, 3},
        {"high speed, and a command system", 50000000, 0, false, 0x80FFFF11, 0, 0, 1, 3},
        {"high speed, and a current limit", 50000000, 0, false, 0x80FF1FF1, 0, 0, 1, 3},
        {"high speed, and a sixth group", 50000000, 0, false, 0x802FFFF1, 0, 0, 1, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sdsim_card_params params = {.high_hz = rows[i].high_hz,
                                                 .uhs_hz = rows[i].uhs_hz};
        uint8_t status[SDSIM_STATUS_BYTES];
        const int after = (int)sdsim_switch_status(&params, rows[i].argument,
                                                   (enum sdsim_access_mode)rows[i].before,
                                                   rows[i].low_voltage, status);
        if (after != rows[i].after || get(status, 64, 379, 376) != rows[i].selected) {
            fail_msg("%s: access mode %d, function %u", rows[i].what, after,
                     (unsigned)get(status, 64, 379, 376));
        }
        assert_int_equal(get(status, 64, 415, 400), 0x8000 | rows[i].supported);
        /* Functions 0 and 15 are always there; what isn't is 15 in the answer, with no current. */
        bool possible = rows[i].selected != 0xF;
        for (unsigned group = 1; group < 6; group++) {
            const unsigned asked = rows[i].argument >> 4 * group & 0xF;
            const bool there = asked == 0 || asked == 0xF;
            assert_int_equal(get(status, 64, 415 + 16 * group, 400 + 16 * group), 0x8001);
            assert_int_equal(get(status, 64, 379 + 4 * group, 376 + 4 * group), there ? 0 : 0xF);
            possible = possible && there;
        }
        assert_int_equal(get(status, 64, 511, 496) > 0, possible);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_and_get),
        cmocka_unit_test(csd_capacity),
        cmocka_unit_test(csd_speed),
        cmocka_unit_test(cid),
        cmocka_unit_test(scr),
        cmocka_unit_test(sd_status_au),
        cmocka_unit_test(sd_status_fields),
        cmocka_unit_test(switch_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

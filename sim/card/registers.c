#include "card/registers.h"

#include <string.h>

#include "core/crc.h"

void sdsim_register_put(uint8_t *reg, unsigned bytes, unsigned low_bit, unsigned width,
                        uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        const unsigned bit = low_bit + i;
        uint8_t *byte = &reg[bytes - 1 - bit / 8];
        const uint8_t mask = (uint8_t)(1u << bit % 8);
        *byte = (uint8_t)((value >> i & 1) != 0 ? *byte | mask : *byte & ~mask);
    }
}

uint64_t sdsim_register_get(const uint8_t *reg, unsigned bytes, unsigned low_bit, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = width; i-- > 0;) {
        const unsigned bit = low_bit + i;
        value = value << 1 | (reg[bytes - 1 - bit / 8] >> bit % 8 & 1u);
    }
    return value;
}

/* Version 1: capacity = (C_SIZE + 1) * 2^(MULT + 2) * 2^READ_BL_LEN; the smallest MULT that fits.
 */
static void csd1_size(uint64_t capacity, unsigned *read_bl_len, unsigned *mult, unsigned *c_size)
{
    *read_bl_len = 9;
    *mult = 0;
    while ((capacity >> (*mult + 2 + *read_bl_len)) > 4096) {
        if (*mult < 7) {
            (*mult)++;
        } else {
            (*read_bl_len)++; /* 1024- and 2048-byte blocks: how 2 GB cards say their size */
        }
    }
    const uint64_t units = capacity >> (*mult + 2 + *read_bl_len);
    *c_size = units > 0 ? (unsigned)(units - 1) : 0;
}

/* Version 2: the capacity in units of 512 KiB. A 2 TiB card says one unit less, so that the number
 * of its sectors fits 32 bits. */
static uint32_t csd2_units(uint64_t capacity)
{
    const uint64_t most = UINT32_MAX / 1024;
    const uint64_t units = capacity / (512 * 1024);
    return (uint32_t)(units < most ? units : most);
}

uint32_t sdsim_csd_sectors(const struct sdsim_card_params *params)
{
    if (params->type != SDSIM_SDSC) {
        return csd2_units(params->capacity) * 1024;
    }
    unsigned read_bl_len;
    unsigned mult;
    unsigned c_size;
    csd1_size(params->capacity, &read_bl_len, &mult, &c_size);
    return (uint32_t)(((uint64_t)c_size + 1) << (mult + 2 + read_bl_len - 9));
}

/* 25, 50, 100 and 200 Mbit/s per line (section 5.3.2). */
static const uint8_t tran_speeds[] = {
    [SDSIM_DEFAULT_SPEED] = 0x32,
    [SDSIM_HIGH_SPEED] = 0x5A,
    [SDSIM_SDR50] = 0x0B,
    [SDSIM_SDR104] = 0x2B,
};

void sdsim_csd(const struct sdsim_card_params *params, enum sdsim_access_mode mode,
               uint8_t csd[SDSIM_CSD_BYTES])
{
    memset(csd, 0, SDSIM_CSD_BYTES);
    const struct {
        unsigned low;
        unsigned width;
        unsigned value;
    } common[] = {
        {112, 8, 0x0E},             /* TAAC 1 ms */
        {96, 8, tran_speeds[mode]}, /* TRAN_SPEED */
        {84, 12,
         sdsim_card_version(params) >= SDSIM_VERSION_1_10
             ? 0x5B5u
             : 0x1B5u}, /* CCC: classes 0 2 4 5 7 8, 10 = CMD6 */
        {46, 1, 1},     /* ERASE_BLK_EN */
        {39, 7, 0x7F},  /* SECTOR_SIZE */
        {26, 3, 2},     /* R2W_FACTOR */
    };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        sdsim_register_put(csd, SDSIM_CSD_BYTES, common[i].low, common[i].width, common[i].value);
    }
    unsigned bl_len = 9;
    if (params->type == SDSIM_SDSC) {
        unsigned mult;
        unsigned c_size;
        csd1_size(params->capacity, &bl_len, &mult, &c_size);
        sdsim_register_put(csd, SDSIM_CSD_BYTES, 62, 12, c_size);
        sdsim_register_put(csd, SDSIM_CSD_BYTES, 47, 3, mult);
    } else {
        sdsim_register_put(csd, SDSIM_CSD_BYTES, 126, 2, 1); /* CSD_STRUCTURE version 2 */
        sdsim_register_put(csd, SDSIM_CSD_BYTES, 48, 22, csd2_units(params->capacity) - 1);
    }
    sdsim_register_put(csd, SDSIM_CSD_BYTES, 80, 4, bl_len); /* READ_BL_LEN */
    sdsim_register_put(csd, SDSIM_CSD_BYTES, 22, 4, bl_len); /* WRITE_BL_LEN */
    csd[15] = sdsim_crc7_byte(csd, 15);
}

void sdsim_cid(const struct sdsim_card_params *params, uint8_t cid[SDSIM_CID_BYTES])
{
    memset(cid, 0, SDSIM_CID_BYTES);
    cid[0] = (uint8_t)params->maker;
    const char *const texts[] = {params->oem, params->product};
    const size_t lengths[] = {2, 5};
    uint8_t *out = cid + 1;
    for (size_t t = 0; t < 2; t++) {
        const size_t given = texts[t] != NULL ? strlen(texts[t]) : 0;
        for (size_t i = 0; i < lengths[t]; i++) {
            *out++ = i < given ? (uint8_t)texts[t][i] : ' ';
        }
    }
    cid[8] = 0x10; /* revision 1.0 */
    sdsim_register_put(cid, SDSIM_CID_BYTES, 24, 32, params->serial);
    sdsim_register_put(cid, SDSIM_CID_BYTES, 8, 12, 24u << 4 | 1u); /* made in January 2024 */
    cid[15] = sdsim_crc7_byte(cid, 15);
}

void sdsim_scr(const struct sdsim_card_params *params, uint8_t scr[SDSIM_SCR_BYTES])
{
    memset(scr, 0, SDSIM_SCR_BYTES);
    const int sdsc = params->type == SDSIM_SDSC;
    const enum sdsim_card_version version = sdsim_card_version(params);
    static const uint64_t sd_spec[] = {[SDSIM_VERSION_1_00] = 0,
                                       [SDSIM_VERSION_1_10] = 1,
                                       [SDSIM_VERSION_2_00] = 2,
                                       [SDSIM_VERSION_3_00] = 2};
    sdsim_register_put(scr, SDSIM_SCR_BYTES, 56, 4, sd_spec[version]);
    sdsim_register_put(scr, SDSIM_SCR_BYTES, 55, 1, 0); /* erased data is 0 */
    sdsim_register_put(scr, SDSIM_SCR_BYTES, 52, 3, sdsc ? 2 : params->type == SDSIM_SDHC ? 3 : 4);
    sdsim_register_put(scr, SDSIM_SCR_BYTES, 48, 4, 5); /* 1-bit and 4-bit bus */
    if (version >= SDSIM_VERSION_3_00) {
        sdsim_register_put(scr, SDSIM_SCR_BYTES, 47, 1, 1); /* SD_SPEC3 */
    }
    sdsim_register_put(scr, SDSIM_SCR_BYTES, 33, 1, sdsim_card_counts_blocks(params) ? 1 : 0);
}

/* AU_SIZE code: 1 is 16 KiB and each step doubles, up to 9; A to F as in the table of section 4.10.
 */
static unsigned au_code(uint64_t au_bytes)
{
    static const uint64_t kib[] = {0,    16,   32,   64,    128,   256,   512,   1024,
                                   2048, 4096, 8192, 12288, 16384, 24576, 32768, 65536};
    unsigned code = 0;
    for (unsigned i = 1; i < 16; i++) {
        if (kib[i] * 1024 <= au_bytes) {
            code = i;
        }
    }
    return code;
}

void sdsim_sd_status(const struct sdsim_card_params *params, unsigned bus_width,
                     uint8_t status[SDSIM_STATUS_BYTES])
{
    memset(status, 0, SDSIM_STATUS_BYTES);
    const unsigned class_code =
        params->speed_class == 10 ? 4u : (unsigned)(params->speed_class / 2);
    const struct {
        unsigned low;
        unsigned width;
        uint64_t value;
    } fields[] = {
        {510, 2, bus_width == 4 ? 2 : 0},
        {440, 8, class_code},
        {428, 4, au_code(params->au_bytes)},
        {408, 16, params->erase_aus},
        {402, 6, params->erase_seconds},
        {400, 2, params->erase_offset},
        {396, 4, params->uhs_grade},
        {392, 4, params->uhs_grade > 0 ? au_code(params->au_bytes) : 0},
        {384, 8, params->video_class},
        {336, 4, params->app_class},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        sdsim_register_put(status, SDSIM_STATUS_BYTES, fields[i].low, fields[i].width,
                           fields[i].value);
    }
}

/* The modes a card has, a bit for each. */
static unsigned access_modes(const struct sdsim_card_params *params, bool low_voltage)
{
    const unsigned slow = 1u << SDSIM_DEFAULT_SPEED;
    const unsigned high = params->high_hz > 0 ? 1u << SDSIM_HIGH_SPEED : 0;
    const unsigned uhs = !low_voltage || params->uhs_hz == 0 ? 0
                         : params->uhs_hz < SDSIM_SDR104_HZ
                             ? 1u << SDSIM_SDR50
                             : 1u << SDSIM_SDR50 | 1u << SDSIM_SDR104;
    return slow | high | uhs;
}

enum {
    SWITCH_GROUPS = 6,
    SWITCH_LEAVE = 0xF,   /* in the argument: as it is */
    SWITCH_REFUSED = 0xF, /* in the status: there is no such function */
};

enum sdsim_access_mode sdsim_switch_status(const struct sdsim_card_params *params,
                                           uint32_t argument, enum sdsim_access_mode mode,
                                           bool low_voltage, uint8_t status[SDSIM_STATUS_BYTES])
{
    memset(status, 0, SDSIM_STATUS_BYTES);
    bool possible = true;
    unsigned access = (unsigned)mode;
    for (unsigned group = 0; group < SWITCH_GROUPS; group++) {
        /* Of all groups but that of access modes only the default, function 0. */
        const unsigned supported = group == 0 ? access_modes(params, low_voltage) : 1;
        const unsigned now = group == 0 ? (unsigned)mode : 0;
        const unsigned wanted = argument >> 4 * group & 0xF;
        unsigned selected = wanted == SWITCH_LEAVE ? now : wanted;
        if ((supported >> selected & 1u) == 0) {
            selected = SWITCH_REFUSED;
            possible = false;
        } else if (group == 0) {
            access = selected;
        }
        sdsim_register_put(status, SDSIM_STATUS_BYTES, 400 + 16 * group, 16, 0x8000u | supported);
        sdsim_register_put(status, SDSIM_STATUS_BYTES, 376 + 4 * group, 4, selected);
    }
    sdsim_register_put(status, SDSIM_STATUS_BYTES, 496, 16, possible ? 100 : 0); /* mA */
    const bool switching = (argument >> 31) != 0 && possible;
    return switching ? (enum sdsim_access_mode)access : mode;
}

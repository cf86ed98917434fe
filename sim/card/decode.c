#include "card/decode.h"

static unsigned take(const uint8_t *reg, unsigned bytes, unsigned low, unsigned width)
{
    return (unsigned)sdsim_register_get(reg, bytes, low, width);
}

/* Mantissas of TAAC and TRAN_SPEED, in tenths. */
static unsigned tenths(unsigned code)
{
    static const uint8_t mantissas[16] = {0,  10, 12, 13, 15, 20, 25, 30,
                                          35, 40, 45, 50, 55, 60, 70, 80};
    return mantissas[code & 15];
}

struct sdsim_csd_facts sdsim_csd_decode(const uint8_t csd[SDSIM_CSD_BYTES])
{
    struct sdsim_csd_facts facts = {0};
    const unsigned structure = take(csd, SDSIM_CSD_BYTES, 126, 2);
    const unsigned taac = take(csd, SDSIM_CSD_BYTES, 112, 8);
    const unsigned speed = take(csd, SDSIM_CSD_BYTES, 96, 8);
    facts.version = structure < 3 ? structure + 1 : 0;
    facts.taac = (sdsim_ps)tenths(taac >> 3) * 100;
    for (unsigned i = 0; i < (taac & 7); i++) {
        facts.taac *= 10;
    }
    facts.nsac = take(csd, SDSIM_CSD_BYTES, 104, 8);
    facts.tran_speed = (uint64_t)tenths(speed >> 3) * 10000;
    for (unsigned i = 0; i < (speed & 7); i++) {
        facts.tran_speed *= 10;
    }
    facts.ccc = take(csd, SDSIM_CSD_BYTES, 84, 12);
    facts.high_speed = (facts.ccc >> 10 & 1) != 0;
    facts.read_bl_len = 1u << take(csd, SDSIM_CSD_BYTES, 80, 4);
    facts.r2w_factor = 1u << take(csd, SDSIM_CSD_BYTES, 26, 3);
    if (facts.version == 1) {
        const uint64_t blocks = (uint64_t)take(csd, SDSIM_CSD_BYTES, 62, 12) + 1;
        facts.capacity = (blocks << (take(csd, SDSIM_CSD_BYTES, 47, 3) + 2)) * facts.read_bl_len;
    } else if (facts.version == 2) {
        facts.capacity = ((uint64_t)take(csd, SDSIM_CSD_BYTES, 48, 22) + 1) << 19;
    } else if (facts.version == 3) {
        facts.capacity = ((uint64_t)take(csd, SDSIM_CSD_BYTES, 48, 28) + 1) << 19;
    }
    return facts;
}

/* Printable, without the blanks or zeros that fill it up. */
static void text_of(const uint8_t *bytes, unsigned count, char *out)
{
    while (count > 0 && (bytes[count - 1] == ' ' || bytes[count - 1] == 0)) {
        count--;
    }
    for (unsigned i = 0; i < count; i++) {
        out[i] = (char)(bytes[i] >= 0x20 && bytes[i] < 0x7F ? bytes[i] : '?');
    }
    out[count] = '\0';
}

struct sdsim_cid_facts sdsim_cid_decode(const uint8_t cid[SDSIM_CID_BYTES])
{
    struct sdsim_cid_facts facts = {.maker = cid[0]};
    text_of(cid + 1, 2, facts.oem);
    text_of(cid + 3, 5, facts.product);
    facts.revision = cid[8];
    facts.serial = take(cid, SDSIM_CID_BYTES, 24, 32);
    facts.year = 2000 + take(cid, SDSIM_CID_BYTES, 12, 8);
    facts.month = take(cid, SDSIM_CID_BYTES, 8, 4);
    return facts;
}

struct sdsim_scr_facts sdsim_scr_decode(const uint8_t scr[SDSIM_SCR_BYTES])
{
    static const char *const versions[] = {"1.0", "1.10", "2.00"};
    const unsigned spec = take(scr, SDSIM_SCR_BYTES, 56, 4);
    const bool spec3 = take(scr, SDSIM_SCR_BYTES, 47, 1) != 0;
    const unsigned support = take(scr, SDSIM_SCR_BYTES, 32, 2);
    return (struct sdsim_scr_facts){
        .version = spec3      ? (take(scr, SDSIM_SCR_BYTES, 42, 1) != 0 ? "4.XX" : "3.0X")
                   : spec < 3 ? versions[spec]
                              : "later",
        .four_lines = (take(scr, SDSIM_SCR_BYTES, 48, 4) & 4) != 0,
        .cmd20 = (support & 1) != 0,
        .cmd23 = (support & 2) != 0,
    };
}

struct sdsim_status_facts sdsim_sd_status_decode(const uint8_t status[SDSIM_STATUS_BYTES])
{
    static const uint8_t classes[] = {0, 2, 4, 6, 10};
    static const uint64_t aus[16] = {0,         16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10,
                                     512 << 10, 1 << 20,  2 << 20,  4 << 20,  8 << 20,   12 << 20,
                                     16 << 20,  24 << 20, 32 << 20, 64 << 20};
    const unsigned speed_class = take(status, SDSIM_STATUS_BYTES, 440, 8);
    return (struct sdsim_status_facts){
        .bus_width = take(status, SDSIM_STATUS_BYTES, 510, 2) == 2 ? 4 : 1,
        .speed_class = speed_class < sizeof classes ? classes[speed_class] : 0,
        .au = aus[take(status, SDSIM_STATUS_BYTES, 428, 4)],
        .erase_aus = take(status, SDSIM_STATUS_BYTES, 408, 16),
        .erase_seconds = take(status, SDSIM_STATUS_BYTES, 402, 6),
        .erase_offset = take(status, SDSIM_STATUS_BYTES, 400, 2),
        .uhs_grade = take(status, SDSIM_STATUS_BYTES, 396, 4),
        .video_class = take(status, SDSIM_STATUS_BYTES, 384, 8),
        .app_class = take(status, SDSIM_STATUS_BYTES, 336, 4),
    };
}

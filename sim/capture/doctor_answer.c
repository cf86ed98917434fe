#include "capture/doctor_parts.h"

static const char *prefix(bool app)
{
    return app ? "ACMD" : "CMD";
}

/* ---- shifted answers ---- */

/* FF and then 01 (or 00), read late by n bits, are a byte of ones and n zeros and then the rest. */
unsigned sdsim_doctor_late_bits(uint8_t byte, uint8_t r1, uint8_t *right)
{
    unsigned zeros = 0;
    while (zeros < 8 && (byte >> zeros & 1) == 0) {
        zeros++;
    }
    const bool ones_above = byte == (uint8_t)(0xFF << zeros);
    if (zeros > 0 && zeros < 8 && ones_above) {
        *right = (uint8_t)((unsigned)(byte << 8 | r1) >> zeros);
        return zeros;
    }
    return 0;
}

/* 03, 07, ... 7F: 01 with as many bits behind it as it is late. */
static unsigned late_idle_bits(uint8_t r1)
{
    unsigned ones = 0;
    while ((r1 >> ones & 1) != 0) {
        ones++;
    }
    return r1 < 0x80 && (r1 >> ones) == 0 && ones > 1 ? ones - 1 : 0;
}

/* Late by n bits looks like early by 8 - n; the smaller one comes first. */
static void report_shift(struct sdsim_doctor_case *c, unsigned bits, uint8_t shown, uint8_t right)
{
    const bool early = bits > 4;
    const unsigned less = early ? 8 - bits : bits;
    sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                        "%s%u was answered %02X %02X: that is %02X read %u bit%s %s, or %u %s.",
                        prefix(c->item->app), c->item->index, c->bus->stray_last, shown, right,
                        less, less == 1 ? "" : "s", early ? "early" : "late", 8 - less,
                        early ? "late" : "early");
}

static void check_shifted_response(struct sdsim_doctor_case *c)
{
    const uint8_t r1 = c->item->bytes[0];
    uint8_t right;
    const unsigned shown =
        c->bus->strays > 0 ? sdsim_doctor_late_bits(c->bus->stray_last, r1, &right) : 0;
    if (shown > 0) {
        report_shift(c, shown, r1, right);
        return;
    }
    const unsigned bits = late_idle_bits(r1);
    if (bits > 0 && (c->item->index == 0 || r1 > 0x07)) {
        sdsim_doctor_report(c, c->item->index == 0 ? SDSIM_DOCTOR_SURE : SDSIM_DOCTOR_LIKELY,
                            "%s%u was answered %02X: that is 01 read %u bit%s late.",
                            prefix(c->item->app), c->item->index, r1, bits, bits == 1 ? "" : "s");
    }
}

void sdsim_doctor_check_answer_shifted(struct sdsim_doctor_case *c)
{
    uint8_t right;
    if (sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE)) {
        check_shifted_response(c);
    } else if (sdsim_doctor_is(c, SDSIM_ITEM_NO_RESPONSE) && c->bus->strays > 0 &&
               sdsim_doctor_late_bits(c->bus->stray_last, 0xFF, &right) > 0 && right == 1) {
        /* 80 FF: seven late, or one early; bit 7 of no byte is clear */
        report_shift(c, 7, 0xFF, right);
    }
}

/* ---- no answer ---- */

static bool is_silence(const struct sdsim_doctor_case *c)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_NO_RESPONSE) && !c->bus->asked.busy &&
           !c->doctor->source.card_unknown;
}

/* Hosts repeat CMD0 until a card answers, so its silence is judged at the end. */
static void check_resets(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    if (bus->silent_resets > 0 && bus->responses == 0 && !c->doctor->source.card_unknown) {
        sdsim_doctor_report_at(
            c, SDSIM_DOCTOR_SURE, bus->silent_at, bus->silent_start,
            "CMD0 was not answered within %u bytes, %llu time%s: MISO stayed FF.",
            bus->silent_looked, (unsigned long long)bus->silent_resets,
            bus->silent_resets == 1 ? "" : "s");
    }
}

void sdsim_doctor_check_no_response(struct sdsim_doctor_case *c)
{
    if (c->item == NULL) {
        check_resets(c);
    } else if (is_silence(c) && c->item->index != 0 && c->item->gap >= 8 && c->bus->strays == 0) {
        sdsim_doctor_report_at(c, SDSIM_DOCTOR_SURE, c->bus->asked.at, c->bus->asked.start,
                               "%s%u was not answered within %u bytes: MISO stayed FF.",
                               prefix(c->item->app), c->item->index, c->item->gap);
    }
}

void sdsim_doctor_check_response_not_awaited(struct sdsim_doctor_case *c)
{
    if (is_silence(c) && !c->item->open && c->item->gap < 8 && c->bus->strays == 0) {
        sdsim_doctor_report_at(c, SDSIM_DOCTOR_LIKELY, c->bus->asked.at, c->bus->asked.start,
                               "The host looked at %u byte%s behind %s%u and went on.",
                               c->item->gap, c->item->gap == 1 ? "" : "s", prefix(c->item->app),
                               c->item->index);
    }
}

/* Typed by hand, six FF behind a frame may have been meant as what came after it. */
void sdsim_doctor_check_answer_not_there(struct sdsim_doctor_case *c)
{
    if (is_silence(c) && c->item->open && c->item->gap == 0 && !c->doctor->source.sampled &&
        c->bus->strays == 0) {
        sdsim_doctor_report_at(c, SDSIM_DOCTOR_SURE, c->bus->asked.at, c->bus->asked.start,
                               "Behind the frame of %s%u no byte was read.", prefix(c->item->app),
                               c->item->index);
    }
}

void sdsim_doctor_check_stuck_low(struct sdsim_doctor_case *c)
{
    if (c->item == NULL && c->bus->commands > 0 && c->bus->responses == 0 &&
        c->bus->busy_bytes >= 8) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "%llu bytes of 00 were read, and no answer.",
                            (unsigned long long)c->bus->busy_bytes);
    }
}

/* ---- what R1 says ---- */

/* R1 with one bit beside idle: what a card really sends. */
static bool says_only(const struct sdsim_doctor_case *c, uint8_t bit)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE) &&
           (c->item->bytes[0] & ~SDSIM_SPI_R1_IDLE) == bit && c->bus->strays == 0;
}

void sdsim_doctor_check_crc_refused(struct sdsim_doctor_case *c)
{
    if (says_only(c, SDSIM_SPI_R1_CRC)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "%s%u was answered %02X.", prefix(c->item->app),
                            c->item->index, c->item->bytes[0]);
    }
}

void sdsim_doctor_check_crc_on(struct sdsim_doctor_case *c)
{
    if (!c->bus->crc_on || c->item == NULL || c->item->index == 0 || c->item->index == 8) {
        return;
    }
    const bool command = c->item->kind == SDSIM_ITEM_COMMAND && !c->item->deselected;
    const bool block = c->item->kind == SDSIM_ITEM_WRITE_BLOCK && !c->item->open;
    if ((command || block) && c->item->crc != SDSIM_ITEM_CRC_RIGHT) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "CMD59 switched CRC on; %s%u %s a wrong one.",
                            prefix(c->item->app), c->item->index,
                            command ? "has" : "sent a block with");
    }
}

static bool is_mandatory(uint8_t index, bool app)
{
    static const uint8_t basic[] = {0, 9, 10, 12, 13, 16, 17, 18, 24, 25, 55, 58, 59};
    static const uint8_t application[] = {13, 22, 23, 41, 42, 51};
    const uint8_t *list = app ? application : basic;
    const size_t count = app ? sizeof application : sizeof basic;
    for (size_t i = 0; i < count; i++) {
        if (list[i] == index) {
            return true;
        }
    }
    return false;
}

/* In idle state only a few commands are legal; when ready, all of them. */
void sdsim_doctor_check_illegal_mandatory(struct sdsim_doctor_case *c)
{
    if (says_only(c, SDSIM_SPI_R1_ILLEGAL) && (c->item->bytes[0] & SDSIM_SPI_R1_IDLE) == 0 &&
        is_mandatory(c->item->index, c->item->app) && !c->bus->open_read && !c->bus->open_write) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "%s%u was answered %02X.", prefix(c->item->app),
                            c->item->index, c->item->bytes[0]);
    }
}

void sdsim_doctor_check_illegal_command(struct sdsim_doctor_case *c)
{
    if (!says_only(c, SDSIM_SPI_R1_ILLEGAL)) {
        return;
    }
    const bool idle = (c->item->bytes[0] & SDSIM_SPI_R1_IDLE) != 0;
    const bool moves_data =
        sdsim_spi_command(c->item->index, c->item->app)->data != SDSIM_SPI_NO_DATA;
    const bool own_rule = c->item->index == 8 || (idle && moves_data && !c->bus->was_ready) ||
                          c->item->index == 41 ||
                          (!idle && is_mandatory(c->item->index, c->item->app));
    if (!own_rule) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "%s%u was answered %02X.", prefix(c->item->app),
                            c->item->index, c->item->bytes[0]);
    }
}

/* ---- longer responses ---- */

/* Told by what comes behind it: at the end of the record nobody knows. */
void sdsim_doctor_check_response_cut(struct sdsim_doctor_case *c)
{
    const struct sdsim_item *pending = &c->bus->pending;
    if (pending->kind == SDSIM_ITEM_RESPONSE &&
        (sdsim_doctor_is(c, SDSIM_ITEM_COMMAND) || sdsim_doctor_is(c, SDSIM_ITEM_DESELECT))) {
        sdsim_doctor_report_at(c, SDSIM_DOCTOR_SURE, pending->at, pending->start,
                               "%llu byte%s of the response of %s%u were read.",
                               (unsigned long long)pending->size, pending->size == 1 ? "" : "s",
                               prefix(pending->app), pending->index);
    }
}

static bool is_r2(const struct sdsim_doctor_case *c)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE) && c->item->index == 13 && c->item->size == 2;
}

void sdsim_doctor_check_r2_not_driven(struct sdsim_doctor_case *c)
{
    if (is_r2(c) && (c->item->bytes[0] & ~SDSIM_SPI_R1_IDLE) == 0 && c->item->bytes[1] == 0xFF) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "R2 is %02XFF: R1 says no error, and FF is an idle line, not eight "
                            "errors.",
                            c->item->bytes[0]);
    }
}

static unsigned bits_of(uint8_t byte)
{
    unsigned bits = 0;
    for (; byte != 0; byte &= (uint8_t)(byte - 1)) {
        bits++;
    }
    return bits;
}

void sdsim_doctor_check_r2_shifted(struct sdsim_doctor_case *c)
{
    if (is_r2(c) && bits_of(c->item->bytes[0]) >= 3) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "R2 is %02X%02X: %u error bits in the first byte alone.",
                            c->item->bytes[0], c->item->bytes[1], bits_of(c->item->bytes[0]));
    }
}

void sdsim_doctor_check_acmd13_r1(struct sdsim_doctor_case *c)
{
    if (is_r2(c) && c->item->app && c->item->bytes[1] == SDSIM_TOKEN_START) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "Its second byte is FE, which looks like the start token.");
    }
}

/* ---- what the host sends ---- */

static bool is_host_stray(const struct sdsim_doctor_case *c)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_STRAY) && !c->item->from_card;
}

static bool is_headless(const struct sdsim_item *item)
{
    return item->size >= 6 && sdsim_spi_is_headless(item->bytes);
}

void sdsim_doctor_check_transmission_bit(struct sdsim_doctor_case *c)
{
    if (is_host_stray(c) && is_headless(c->item)) {
        const uint8_t first = c->item->bytes[0];
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "The host sent %02X, for %sCMD%u it is %02X.",
                            first, first == 41 ? "A" : "", first, first | 0x40u);
    }
}

/* A frame with less than six bytes, and nothing behind it. */
static bool is_torn_frame(const struct sdsim_item *item)
{
    return item->count < 6 && (item->bytes[0] & 0xC0) == 0x40;
}

void sdsim_doctor_check_frame_cut(struct sdsim_doctor_case *c)
{
    if (is_host_stray(c) && is_torn_frame(c->item)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "%llu byte%s from %02X (CMD%u) on, then CS went high.",
                            (unsigned long long)c->item->count, c->item->count == 1 ? "" : "s",
                            c->item->bytes[0], c->item->bytes[0] & 63);
    }
}

void sdsim_doctor_check_mosi_low(struct sdsim_doctor_case *c)
{
    if (!is_host_stray(c) || is_headless(c->item) || is_torn_frame(c->item)) {
        return;
    }
    const bool zero = c->item->bytes[0] == 0;
    sdsim_doctor_report(
        c, SDSIM_DOCTOR_SURE, "MOSI low while waiting: %llu byte%s of MOSI from %02X on%s%s.",
        (unsigned long long)c->item->count, c->item->count == 1 ? "" : "s", c->item->bytes[0],
        c->bus->asked.known ? ", behind the last command" : "", zero ? "; the filler is 00" : "");
}

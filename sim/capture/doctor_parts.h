/*
 * Private to the doctor: what its files share.
 *
 *     doctor.c         items in, the picture of the bus, findings
 *     doctor_steps.c   items put together to steps
 *     doctor_rules.c   the table of rules
 *     doctor_init.c    rules about power-up and initialisation
 *     doctor_answer.c  rules about commands and responses
 *     doctor_data.c    rules about blocks, busy and CS
 *     doctor_sd.c      the picture of an SD bus
 *     doctor_sd_rules.c, doctor_sd_init.c, doctor_sd_data.c
 *                      its rules, in the same way
 */
#ifndef SDSIM_CAPTURE_DOCTOR_PARTS_H
#define SDSIM_CAPTURE_DOCTOR_PARTS_H

#include <stdio.h>

#include "bus/frame.h"
#include "capture/busy_limit.h"
#include "capture/doctor.h"
#include "capture/spi_command.h"
#include "capture/spi_decoder.h"
#include "card/card.h"

/* The three bits of a CRC status for a block that arrived. */
#define SDSIM_DOCTOR_BLOCK_RIGHT 2

/* A rule looks at an item; the bus is as it was before it. */
struct sdsim_doctor_case {
    struct sdsim_doctor *doctor;
    const struct sdsim_doctor_bus *bus;
    const struct sdsim_item *item; /* NULL: the record is over */
    size_t rule;
};

/* The rule is violated at the item, or at a place before it. The text says what is special about
 * this place. */
void sdsim_doctor_report(struct sdsim_doctor_case *c, enum sdsim_doctor_confidence confidence,
                         const char *format, ...) __attribute__((format(printf, 3, 4)));
void sdsim_doctor_report_at(struct sdsim_doctor_case *c, enum sdsim_doctor_confidence confidence,
                            uint64_t at, sdsim_ps time, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static inline bool sdsim_doctor_is(const struct sdsim_doctor_case *c, enum sdsim_item_kind kind)
{
    return c->item != NULL && c->item->kind == kind;
}

/* A response to CMD `index`, or ACMD. */
static inline bool sdsim_doctor_answers(const struct sdsim_doctor_case *c, uint8_t index, bool app)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE) && c->item->index == index &&
           c->item->app == app;
}

/* A command that reads or writes blocks by address: CMD17, 18, 24, 25. */
static inline bool sdsim_doctor_moves_blocks(uint8_t index, bool app)
{
    return !app && (index == 17 || index == 18 || index == 24 || index == 25);
}

/* An ACMD41, a data command's address: what both buses note alike. */
void sdsim_doctor_note_init(struct sdsim_doctor_bus *bus, const struct sdsim_item *item);
void sdsim_doctor_note_address(struct sdsim_doctor_bus *bus, uint32_t address);
void sdsim_doctor_note_reset(struct sdsim_doctor_bus *bus);

/* Whether an SD response is R1 or R1b, and so the card status; and that status. The others: R2 to R7 of
 * memory cards, R4 and R5 of SDIO, R3 of CMD1 of MMC. */
static inline bool sdsim_doctor_has_status(const struct sdsim_item *item)
{
    static const uint64_t others = UINT64_C(1) << 1 | UINT64_C(1) << 2 | UINT64_C(1) << 3 |
                                   UINT64_C(1) << 5 | UINT64_C(1) << 8 | UINT64_C(1) << 9 |
                                   UINT64_C(1) << 10 | UINT64_C(1) << 52 | UINT64_C(1) << 53;
    const bool other = item->app ? item->index == 41 : (others >> item->index & 1) != 0;
    return item->size == SDSIM_FRAME_SIZE && item->crc != SDSIM_ITEM_CRC_WRONG && !other;
}

static inline uint32_t sdsim_doctor_status(const struct sdsim_item *item)
{
    const uint8_t *bytes = item->bytes;
    return (uint32_t)bytes[1] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 8 | bytes[4];
}

/* A command of the SD bus that hosts send to find out what the card is, and that a memory card need not
 * know: CMD8 before 2.00, CMD1 of MMC, CMD5 and CMD52 of SDIO. */
static inline bool sdsim_doctor_is_probe(const struct sdsim_item *item)
{
    return !item->app &&
           (item->index == 8 || item->index == 1 || item->index == 5 || item->index == 52);
}

/* Status bits of a command that was not carried out, of an address or a length (section 4.10.1). */
#define SDSIM_DOCTOR_REFUSALS                                                                      \
    (SDSIM_STATUS_OUT_OF_RANGE | SDSIM_STATUS_ADDRESS | SDSIM_STATUS_BLOCK_LENGTH)

/* A CMD7 that takes the card's selection away: with RCA 0, or another card's. It is not answered (section
 * 4.9.2: R1b comes from the selected card). */
static inline bool sdsim_doctor_deselects(const struct sdsim_doctor_bus *bus, uint8_t index,
                                          uint32_t argument)
{
    return index == 7 && bus->sd.rca_known && argument >> 16 != bus->sd.rca;
}

/* Whether what was busy behind a command has the limit of a write. Erase (38), a forced erase of a locked
 * card (42) and speed class control (20, up to 1 s) depend on more than a record shows. */
static inline bool sdsim_doctor_busy_has_limit(const struct sdsim_item *busy)
{
    return busy->app || (busy->index != 20 && busy->index != 38 && busy->index != 42);
}

/* Keeps the CSD, if the item is one; it stands `before` bytes behind the item's first. */
void sdsim_doctor_note_csd(struct sdsim_doctor_bus *bus, const struct sdsim_item *item,
                           size_t before);

/* More than a card may take, and what is said of what only some cards may. */
struct sdsim_overrun {
    sdsim_ps took;
    bool busy; /* else the wait for a block */
    enum sdsim_doctor_confidence certainty;
    const char *unless; /* "", or what would make it none */
};

/* Whether the case's item took longer than a card may: busy, or until a block came (100 ms). */
bool sdsim_doctor_overran(const struct sdsim_doctor_case *c, struct sdsim_overrun *overrun);

/* An item of an SD bus, for the picture of it. */
void sdsim_doctor_note_sd(struct sdsim_doctor_bus *bus, const struct sdsim_item *item);

extern const struct sdsim_doctor_book sdsim_doctor_spi_book;
extern const struct sdsim_doctor_book sdsim_doctor_sd_book;

/* R7 of either bus, in c->item, against what CMD8 asked: voltage and pattern are its last two bytes. */
void sdsim_doctor_compare_echo(struct sdsim_doctor_case *c);

/* The last byte a command's frame should have. */
uint8_t sdsim_doctor_frame_crc(const struct sdsim_item *command);

/* How many bits late a response byte was read, 0 if it was not. `byte` is what came directly before
 * it, FF if nothing did. The right value goes to *right. */
unsigned sdsim_doctor_late_bits(uint8_t byte, uint8_t r1, uint8_t *right);

void sdsim_doctor_add_to_step(struct sdsim_doctor *doctor, const struct sdsim_item *item);
void sdsim_doctor_end_steps(struct sdsim_doctor *doctor);

#define SDSIM_DOCTOR_RULES(X)                                                                      \
    X(power_up_cs_low)                                                                             \
    X(power_up_clocks)                                                                             \
    X(power_up_mosi)                                                                               \
    X(init_clock)                                                                                  \
    X(cmd0_crc)                                                                                    \
    X(cmd0_not_idle)                                                                               \
    X(cmd8_crc)                                                                                    \
    X(cmd8_illegal)                                                                                \
    X(cmd8_echo)                                                                                   \
    X(not_initialised)                                                                             \
    X(acmd41_not_repeated)                                                                         \
    X(acmd41_without_cmd55)                                                                        \
    X(acmd41_illegal)                                                                              \
    X(acmd41_no_hcs)                                                                               \
    X(acmd41_gave_up)                                                                              \
    X(acmd41_slow)                                                                                 \
    X(silence_not_retried)                                                                         \
    X(cmd1)                                                                                        \
    X(ocr_contradiction)                                                                           \
    X(idle_again)                                                                                  \
    X(transmission_bit)                                                                            \
    X(answer_shifted)                                                                              \
    X(no_response)                                                                                 \
    X(response_not_awaited)                                                                        \
    X(answer_not_there)                                                                            \
    X(stuck_low)                                                                                   \
    X(crc_refused)                                                                                 \
    X(crc_on)                                                                                      \
    X(illegal_mandatory)                                                                           \
    X(illegal_command)                                                                             \
    X(response_cut)                                                                                \
    X(r2_not_driven)                                                                               \
    X(r2_shifted)                                                                                  \
    X(acmd13_r1)                                                                                   \
    X(frame_cut)                                                                                   \
    X(mosi_low)                                                                                    \
    X(cs_high_command)                                                                             \
    X(cs_high_data)                                                                                \
    X(cs_high_answer)                                                                              \
    X(shared_bus)                                                                                  \
    X(torn_byte)                                                                                   \
    X(address_refused)                                                                             \
    X(byte_address)                                                                                \
    X(block_address)                                                                               \
    X(cmd16_missing)                                                                               \
    X(response_for_data)                                                                           \
    X(token_shifted)                                                                               \
    X(no_data)                                                                                     \
    X(read_cut)                                                                                    \
    X(write_cut)                                                                                   \
    X(read_crc)                                                                                    \
    X(error_token)                                                                                 \
    X(read_not_stopped)                                                                            \
    X(token_before_response)                                                                       \
    X(token_while_busy)                                                                            \
    X(wrong_token)                                                                                 \
    X(n_wr_0)                                                                                      \
    X(write_crc_missing)                                                                           \
    X(data_response_missing)                                                                       \
    X(block_refused)                                                                               \
    X(data_response_odd)                                                                           \
    X(busy_polled_early)                                                                           \
    X(command_while_busy)                                                                          \
    X(write_not_stopped)                                                                           \
    X(limits)                                                                                      \
    X(payload_commands)

#define SDSIM_DOCTOR_SD_RULES(X)                                                                   \
    X(sd_power_up)                                                                                 \
    X(sd_init_clock)                                                                               \
    X(sd_cmd8_echo)                                                                                \
    X(sd_not_ready)                                                                                \
    X(sd_acmd41_without_cmd55)                                                                     \
    X(sd_acmd41_no_hcs)                                                                            \
    X(sd_acmd41_slow)                                                                              \
    X(sd_acmd41_gave_up)                                                                           \
    X(sd_not_selected)                                                                             \
    X(sd_wrong_rca)                                                                                \
    X(sd_idle_again)                                                                               \
    X(sd_command_crc)                                                                              \
    X(sd_response_crc)                                                                             \
    X(sd_no_response)                                                                              \
    X(sd_crc_told)                                                                                 \
    X(sd_illegal_told)                                                                             \
    X(sd_error_told)                                                                               \
    X(sd_address_told)                                                                             \
    X(sd_byte_address)                                                                             \
    X(sd_block_address)                                                                            \
    X(sd_too_fast)                                                                                 \
    X(sd_read_crc)                                                                                 \
    X(sd_block_refused)                                                                            \
    X(sd_status_missing)                                                                           \
    X(sd_busy_late)                                                                                \
    X(sd_no_data)                                                                                  \
    X(sd_read_while_busy)                                                                          \
    X(sd_not_stopped)                                                                              \
    X(sd_limits)                                                                                   \
    X(sd_glitch)                                                                                   \
    X(sd_width)                                                                                    \
    X(sd_one_line)

#define SDSIM_DOCTOR_DECLARE(name) void sdsim_doctor_check_##name(struct sdsim_doctor_case *c);
SDSIM_DOCTOR_RULES(SDSIM_DOCTOR_DECLARE)
SDSIM_DOCTOR_SD_RULES(SDSIM_DOCTOR_DECLARE)
#undef SDSIM_DOCTOR_DECLARE

#endif

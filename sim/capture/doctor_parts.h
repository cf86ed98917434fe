/*
 * Private to the doctor: what its files share.
 *
 *     doctor.c         items in, the picture of the bus, findings
 *     doctor_steps.c   items put together to steps
 *     doctor_rules.c   the table of rules
 *     doctor_init.c    rules about power-up and initialisation
 *     doctor_answer.c  rules about commands and responses
 *     doctor_data.c    rules about blocks, busy and CS
 */
#ifndef SDSIM_CAPTURE_DOCTOR_PARTS_H
#define SDSIM_CAPTURE_DOCTOR_PARTS_H

#include <stdio.h>

#include "bus/frame.h"
#include "capture/doctor.h"
#include "capture/spi_command.h"
#include "capture/spi_decoder.h"

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

#define SDSIM_DOCTOR_DECLARE(name) void sdsim_doctor_check_##name(struct sdsim_doctor_case *c);
SDSIM_DOCTOR_RULES(SDSIM_DOCTOR_DECLARE)
#undef SDSIM_DOCTOR_DECLARE

#endif

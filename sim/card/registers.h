/*
 * The card's registers, bit for bit: CSD (versions 1 and 2), CID, OCR, SCR, SD status and the CMD6
 * switch status, as in sections 4.10, 5 and 4.3.10 of the SD Physical Layer Simplified
 * Specification. All are built from the profile; nothing is stored twice.
 */
#ifndef SDSIM_CARD_REGISTERS_H
#define SDSIM_CARD_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "card/params.h"

#define SDSIM_CSD_BYTES    16
#define SDSIM_CID_BYTES    16
#define SDSIM_SCR_BYTES    8
#define SDSIM_STATUS_BYTES 64 /* SD status and switch status */

/* What SDR104 is for; slower UHS-I cards have SDR50 only. */
#define SDSIM_SDR104_HZ 208000000u

/* Bits of the OCR. */
#define SDSIM_OCR_VOLTAGES 0x00FF8000u /* 2.7 V to 3.6 V */
#define SDSIM_OCR_CCS      0x40000000u /* block addressing */
#define SDSIM_OCR_S18      0x01000000u /* ACMD41: 1.8 V asked for, and granted */
#define SDSIM_OCR_READY    0x80000000u

/* Puts `width` bits of value into a register of `bytes` bytes; bit 0 is the last bit sent. */
void sdsim_register_put(uint8_t *reg, unsigned bytes, unsigned low_bit, unsigned width,
                        uint64_t value);
/* Takes `width` (up to 64) bits out of it. */
uint64_t sdsim_register_get(const uint8_t *reg, unsigned bytes, unsigned low_bit, unsigned width);

/* The capacity in sectors the CSD of this profile can express (at most the profile's). */
uint32_t sdsim_csd_sectors(const struct sdsim_card_params *params);

/* Access modes of CMD6, function group 1 (section 4.3.10). */
enum sdsim_access_mode {
    SDSIM_DEFAULT_SPEED = 0,
    SDSIM_HIGH_SPEED = 1, /* SDR25 at 1.8 V */
    SDSIM_SDR50 = 2,
    SDSIM_SDR104 = 3,
};

/* TRAN_SPEED is that of the access mode. */
void sdsim_csd(const struct sdsim_card_params *params, enum sdsim_access_mode mode,
               uint8_t csd[SDSIM_CSD_BYTES]);
void sdsim_cid(const struct sdsim_card_params *params, uint8_t cid[SDSIM_CID_BYTES]);
void sdsim_scr(const struct sdsim_card_params *params, uint8_t scr[SDSIM_SCR_BYTES]);
void sdsim_sd_status(const struct sdsim_card_params *params, unsigned bus_width,
                     uint8_t status[SDSIM_STATUS_BYTES]);
/* Answer to CMD6 with this argument of a card in `mode`; returns the mode afterwards, which is as
 * before if the card lacks a function asked for, in whatever group. The UHS modes need
 * `low_voltage`, 1.8 V on the lines. */
enum sdsim_access_mode sdsim_switch_status(const struct sdsim_card_params *params,
                                           uint32_t argument, enum sdsim_access_mode mode,
                                           bool low_voltage, uint8_t status[SDSIM_STATUS_BYTES]);

#endif

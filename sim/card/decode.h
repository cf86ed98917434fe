/*
 * What the registers of a real card say: the other way of card/registers.h.
 */
#ifndef SDSIM_CARD_DECODE_H
#define SDSIM_CARD_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "card/registers.h"
#include "core/time.h"

struct sdsim_csd_facts {
    unsigned version;  /* 1 or 2, 3 for SDUC; 0: reserved */
    uint64_t capacity; /* bytes */
    sdsim_ps taac;
    unsigned nsac;       /* in 100 clocks */
    uint64_t tran_speed; /* bits a second on a line */
    unsigned ccc;
    unsigned read_bl_len; /* bytes */
    unsigned r2w_factor;  /* 1, 2, ... 32 */
    bool high_speed;      /* class 10: CMD6 */
};

struct sdsim_cid_facts {
    unsigned maker;
    char oem[3];
    char product[6]; /* what can't be printed is '?' */
    unsigned revision;
    uint32_t serial;
    unsigned year;
    unsigned month;
};

struct sdsim_scr_facts {
    const char *version; /* "1.0", "1.10", "2.00", "3.0X", "later" */
    bool four_lines;
    bool cmd20;
    bool cmd23;
};

struct sdsim_status_facts {
    unsigned bus_width;
    unsigned speed_class; /* 0, 2, 4, 6, 10 */
    uint64_t au;          /* bytes, 0: not said */
    unsigned erase_aus;
    unsigned erase_seconds;
    unsigned erase_offset;
    unsigned uhs_grade;
    unsigned video_class;
    unsigned app_class;
};

/* SD Physical Layer Simplified Specification, sections 5.3, 5.2, 5.6 and 4.10.2. */
struct sdsim_csd_facts sdsim_csd_decode(const uint8_t csd[SDSIM_CSD_BYTES]);
struct sdsim_cid_facts sdsim_cid_decode(const uint8_t cid[SDSIM_CID_BYTES]);
struct sdsim_scr_facts sdsim_scr_decode(const uint8_t scr[SDSIM_SCR_BYTES]);
struct sdsim_status_facts sdsim_sd_status_decode(const uint8_t status[SDSIM_STATUS_BYTES]);

#endif

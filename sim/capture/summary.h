/*
 * What a capture shows, in figures: one row for each command with what belongs to it, and sums and
 * spreads over all of them.
 *
 * It listens to the items of a capture (and in SPI to its bytes) and knows nothing of files; whoever
 * prints it reads the struct. Times are of the capture. Definitions:
 *  - N_CR, N_AC, N_WR as item.h and the decoders have them; in SD mode N_AC is given from the end of
 *    the response too, as people read it off a screen.
 *  - byte pitch: from the first edge of a byte to that of the next one, over all bytes of one CS frame
 *    from the command on.
 *  - an exchange lasts from the first edge of its command to the last edge of the last byte in
 *    its CS frame; in SD mode to the end of the last thing that belongs to it.
 *  - time to ready: from the start of CMD0 to the start of the response with the ready OCR.
 *
 * Limits: keeps the first 65536 commands; sums go on. 64 initialisations.
 */
#ifndef SDSIM_CAPTURE_SUMMARY_H
#define SDSIM_CAPTURE_SUMMARY_H

#include "capture/capture.h"
#include "capture/item.h"
#include "capture/spread.h"

enum {
    SDSIM_SUMMARY_ROWS = 1 << 16,
    SDSIM_SUMMARY_INITS = 64,
    SDSIM_SUMMARY_RESPONSE = 17,
    SDSIM_SUMMARY_BYTES = 4096, /* whose times are remembered */
};

enum sdsim_row_answer {
    SDSIM_ROW_WAITING, /* the record ended first */
    SDSIM_ROW_ANSWERED,
    SDSIM_ROW_SILENT,
    SDSIM_ROW_UNREADABLE, /* SD: what came was sampled too seldom */
};

struct sdsim_capture_row {
    sdsim_ps start;
    sdsim_ps end; /* of the exchange */
    uint64_t at;  /* sample or tick of its first edge */
    uint32_t argument;
    uint8_t index;
    bool app;
    uint8_t crc; /* enum sdsim_item_crc */
    bool deselected;
    uint8_t answer; /* enum sdsim_row_answer */
    uint8_t response_crc;
    uint8_t response_size;
    uint8_t response[SDSIM_SUMMARY_RESPONSE];
    uint32_t gap; /* from the last frame (N_RC), bytes or clocks */
    sdsim_ps gap_time;
    bool first_in_frame;  /* SPI: the first command since CS fell; then */
    sdsim_ps cs_to_clock; /* CS low to the first clock */
    uint32_t n_cr;
    sdsim_ps n_cr_time;

    uint32_t blocks;
    uint32_t blocks_right;
    uint32_t blocks_wrong;
    uint64_t bytes;
    bool writes;
    bool cut;      /* its only block did not come whole */
    uint8_t width; /* SD: lines of the last block */
    uint8_t token; /* SPI: of the first block */
    uint8_t block_crc;
    uint16_t crc16; /* of the first block, if it is right */
    uint32_t wait;  /* N_AC or N_WR of the first block */
    sdsim_ps wait_time;
    uint32_t wait_response; /* SD reads: from the end of the response, in clocks */
    sdsim_ps wait_response_time;
    sdsim_ps token_to_data; /* SPI, first block */
    sdsim_ps data_time;     /* first block: first edge of the first byte to last of the last */
    bool has_data_response;
    uint8_t data_response;      /* the last one */
    uint32_t data_response_gap; /* bytes or clocks from the block */
    uint8_t error_token;
    bool no_data;
    uint32_t busies;
    sdsim_ps busy; /* the longest */
    uint64_t busy_count;
    bool busy_open;
    uint64_t pitch_count; /* SPI; the rest in ticks */
    uint64_t pitch_least;
    uint64_t pitch_median;
    uint64_t pitch_greatest;
};

/* One initialisation, from CMD0 to a ready card. */
struct sdsim_capture_init {
    sdsim_ps start; /* of CMD0, or of the first poll */
    bool reset;     /* it begins with CMD0 */
    uint64_t at;
    uint32_t polls;
    sdsim_ps first_poll;
    sdsim_ps last_poll;
    bool ready;
    sdsim_ps ready_at; /* start of the response that said so */
    uint32_t ocr;      /* SD */
};

struct sdsim_item_sums {
    uint64_t right;
    uint64_t checked; /* that have a check sum */
};

/* The registers seen last. */
struct sdsim_seen_registers {
    bool has_csd;
    bool has_cid;
    bool has_scr;
    bool has_status;
    bool has_switch;
    bool has_ocr;
    uint8_t csd[16];
    uint8_t cid[16];
    uint8_t scr[8];
    uint8_t status[64];
    uint8_t switched[64];
    uint32_t ocr;
};

struct sdsim_summary {
    struct sdsim_item_listener items; /* first */
    struct sdsim_spi_listener bytes;
    bool spi;
    struct sdsim_capture_row *rows;
    size_t row_count;
    size_t row_capacity;
    uint64_t commands;              /* all of them */
    bool failed;                    /* no memory */
    struct sdsim_capture_row *row;  /* at work, or NULL */
    struct sdsim_capture_row extra; /* ... where rows are full */
    uint64_t counts[SDSIM_ITEM_COUNT];
    struct sdsim_item_sums crc7; /* commands and responses */
    struct sdsim_item_sums crc7_commands;
    struct sdsim_item_sums crc16;
    struct sdsim_capture_init inits[SDSIM_SUMMARY_INITS];
    size_t init_count;
    struct sdsim_seen_registers seen;
    uint64_t ready_polls; /* SPI: frames that hold only FF */
    struct sdsim_spread n_cr;
    struct sdsim_spread n_rc;         /* bytes or clocks from a response to the next command */
    struct sdsim_spread n_ac;         /* picoseconds: reads of sectors, first block */
    struct sdsim_spread n_ac_next;    /* ... the next ones */
    struct sdsim_spread busy_single;  /* CMD24 */
    struct sdsim_spread busy_between; /* CMD25, between blocks */
    struct sdsim_spread busy_stop;    /* CMD12, stop token */
    struct sdsim_spread n_br;         /* SD: clocks from the CRC status of a block to busy */
    struct sdsim_spread cs_high;      /* ticks between frames */
    struct sdsim_spread pitch;        /* of the row at work, ticks */
    uint64_t sector_bytes[2];         /* read, written */
    sdsim_ps first_start[2];          /* of the first such exchange, and the last one's end */
    sdsim_ps last_end[2];
    uint64_t exchanges[2];
    sdsim_ps first_command[2]; /* start of the first and the last single-block command */
    sdsim_ps last_command[2];

    /* SPI, bytes */
    bool selected;
    bool frame_fresh; /* no command in this frame yet */
    uint64_t frame_bytes;
    bool frame_meant;
    sdsim_ps select_time;
    sdsim_ps first_clock; /* in the frame */
    bool deselected_once;
    uint64_t deselect_at;
    uint64_t last_at;
    bool has_last;
    uint64_t byte_count;
    struct {
        sdsim_ps start;
        sdsim_ps end;
        uint64_t at;
    } ring[SDSIM_SUMMARY_BYTES];
    sdsim_ps response_end; /* SD */
    bool stopped;          /* SPI: a stop token was sent since the command */
};

/* On the heap; NULL without memory. */
struct sdsim_summary *sdsim_summary_new(bool spi);
void sdsim_summary_free(struct sdsim_summary *summary);

/* Closes the last row. */
void sdsim_summary_end(struct sdsim_summary *summary);

#endif

/*
 * The spans of a window, one after the other, with names in words: what the writers of Perfetto JSON
 * and CSV have in common.
 *
 * A stream is a recorder. It cuts what reaches beyond the window to it, puts the number on each data
 * block of a transaction, and hands each span on with its name ("CMD25 lba 8192", "block 3", "busy").
 * It keeps nothing but the latest few details.
 *
 * Spans come in the order in which they end; those of one lane nest and never overlap otherwise. The
 * booked ones of a kind add up to the account of the window.
 */
#ifndef SDSIM_REPORT_SPAN_STREAM_H
#define SDSIM_REPORT_SPAN_STREAM_H

#include "card/params.h"
#include "core/account.h"

struct sdsim_named_span {
    sdsim_ps start;
    sdsim_ps duration; /* > 0 */
    enum sdsim_lane lane;
    const char *kind;     /* of booked time that of the account; else "call", "command", "looks" */
    const char *purpose;  /* "data", "fat", ... */
    const char *name;     /* in words */
    bool cut;             /* it began before the window, or ends after it */
    enum sdsim_call call; /* in the lanes of calls */
    const struct sdsim_detail *detail; /* never NULL; kind NONE: nothing is known */
};

enum { SDSIM_SPAN_DETAILS = 64 }; /* kept of each kind */

struct sdsim_span_detail {
    struct sdsim_detail detail;
    char name[64];
};

struct sdsim_span_stream {
    struct sdsim_recorder recorder; /* first: a stream is a recorder */
    void (*take)(struct sdsim_span_stream *stream, const struct sdsim_named_span *span);
    sdsim_ps from;
    sdsim_ps to;
    bool byte_addresses; /* arguments of the card's commands are bytes */
    uint32_t block;      /* data blocks of the transaction so far */
    bool in_block;       /* the last thing on the bus was data */
    uint32_t counts[SDSIM_DETAIL_LEVEL + 1];
    struct sdsim_span_detail details[SDSIM_DETAIL_LEVEL + 1][SDSIM_SPAN_DETAILS];
};

/* A stream of the window from <= t < to; `take` gets the spans. It must not move afterwards. */
void sdsim_span_stream_init(struct sdsim_span_stream *stream, const struct sdsim_card_params *card,
                            sdsim_ps from, sdsim_ps to,
                            void (*take)(struct sdsim_span_stream *stream,
                                         const struct sdsim_named_span *span));

/* "application", "file system", "disk", "commands", "cpu", "bus", "card", "queue". */
const char *sdsim_lane_name(enum sdsim_lane lane);

/* A time in microseconds, exactly: "204.800001"; 32 bytes are always enough. Returns out. */
char *sdsim_microseconds_text(sdsim_ps time, char *out, size_t size);

#endif

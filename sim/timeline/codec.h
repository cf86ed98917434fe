/*
 * What is inside the blocks of a timeline file (timeline/file.h), unpacked: writing and reading it.
 *
 * Readers take any bytes: what is not as the format says is refused, with the reason.
 */
#ifndef SDSIM_TIMELINE_CODEC_H
#define SDSIM_TIMELINE_CODEC_H

#include "timeline/timeline.h"

/* Bytes that are written. */
struct sdsim_buffer {
    uint8_t *data; /* owned */
    size_t size;
    size_t capacity;
    bool failed; /* out of memory */
};

void sdsim_buffer_free(struct sdsim_buffer *buffer);
void sdsim_put_bytes(struct sdsim_buffer *buffer, const void *data, size_t size);
void sdsim_put_varint(struct sdsim_buffer *buffer, uint64_t value);

/* Bytes that are read; `bad` once something was not there. */
struct sdsim_bytes {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
};

uint64_t sdsim_get_varint(struct sdsim_bytes *bytes);
/* The next `size` bytes, NULL (and bad) if there are fewer. */
const uint8_t *sdsim_get_bytes(struct sdsim_bytes *bytes, size_t size);

/* The contents of blocks; the writers append to an empty buffer. */
void sdsim_encode_spans(struct sdsim_buffer *buffer, const struct sdsim_block *block, size_t count,
                        const sdsim_ps *starts);
void sdsim_encode_details(struct sdsim_buffer *buffer, const struct sdsim_details *details,
                          size_t first_row, size_t first_name);
void sdsim_encode_items(struct sdsim_buffer *buffer, const struct sdsim_pyramid *summary,
                        size_t first, size_t count);
void sdsim_encode_nodes(struct sdsim_buffer *buffer, const struct sdsim_pyramid *summary,
                        size_t first, size_t count);

/*
 * The other way. NULL, or what is wrong. Spans: fills an empty block (on failure it may hold memory)
 * and the starts of its groups; *end is the latest end. Items and nodes: appended to a summary that has
 * room for them; nodes take their start from the items, which must be there. `rank` is the lane's.
 */
const char *sdsim_decode_spans(struct sdsim_bytes *bytes, enum sdsim_lane lane, size_t details,
                               struct sdsim_block *block, size_t count, sdsim_ps *starts,
                               sdsim_ps *end);
const char *sdsim_decode_details(struct sdsim_bytes *bytes, struct sdsim_details *details,
                                 size_t count);
const char *sdsim_decode_items(struct sdsim_bytes *bytes, struct sdsim_pyramid *summary,
                               size_t count);
const char *sdsim_decode_nodes(struct sdsim_bytes *bytes, enum sdsim_lane lane,
                               struct sdsim_pyramid *summary, size_t count);

#endif

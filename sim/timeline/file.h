/*
 * The timeline file, *.sdtl.
 *
 * It is written while the run goes on and can be opened at any moment of that; what closes it makes
 * opening quick. All numbers are little-endian. "varint" is 7 bits a byte, the lowest first, the top bit
 * set in all but the last; "zigzag" a varint of 0, -1, 1, -2, ...
 *
 *     head      "sdsimTL\n", u32 version (2), u32 0
 *     blocks    a head of 32 bytes and a zstd frame with its check sum:
 *                   u32 "TLBK"; u8 type; u8 lane; u16 0; u64 first; u32 count; u32 bytes unpacked;
 *                   u32 bytes packed; u32 FNV-1a of the 28 bytes before
 *     tail      "TLEND\n\0\0", u64 offset of the index block, u64 size of the file, u32 0,
 *               u32 FNV-1a of the 28 bytes before
 *
 * Types of blocks:
 *
 *     text      (1) one text of the setup: varint length of its name, the name, the text
 *     details   (2) `count` details from number `first` + 1 on: varint how many names come first, each
 *                   a varint length and the bytes; then for each detail varint about, varint size,
 *                   zigzag place less that of the one before
 *     spans     (3) `count` spans of `lane` from number `first` on, which is a multiple of 16384. Six
 *                   planes, each with a varint length in front of all: zigzag start less the end of the
 *                   span before; varint duration; kind * 16 + part; purpose * 2 + rare; zigzag detail
 *                   less the one before; of the rare ones varint period, varint count. Fillers (kind
 *                   15) have the third and fourth plane only. A lane's last block may be there several
 *                   times, the last one counts
 *     items     (4) level 1 of `lane`, `count` items from `first` on: varint start less that of the one
 *                   before; then all worst ranks; then all covers
 *     nodes     (5) level 2 of `lane`: varint bytes, varint classes as bits; of each class varint sum,
 *                   varint count, u8 longest
 *     index     (6) varint for each lane: spans, end; then `count` blocks: u8 type, u8 lane, varint
 *                   first, varint count, varint offset less that of the one before
 *
 * Texts of the setup (struct sdsim_setup_text) are named
 *
 *     scenario        path of the scenario within the data directory
 *     run             the run's id
 *     draw            its number
 *     set 0, set 1    overrides, "path=value", in their order; the seed is one of them
 *     file PATH       a file of the data directory that the run is made from
 *     version         of sdsim
 *     addresses       of commands: "bytes" or "sectors"
 *     clock           of the bus once the card is initialised, "NUM/DEN" in Hz
 *
 * so writing the files into a directory and running the scenario from it gives the run again. Images and
 * lists of arrivals are not among them: these are needed where the run found them.
 *
 * Limits: blocks of at most 64 MiB unpacked; files of the same version only.
 */
#ifndef SDSIM_TIMELINE_FILE_H
#define SDSIM_TIMELINE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline/timeline.h"

enum {
    SDSIM_TL_VERSION = 2,
    SDSIM_TL_HEAD = 16,
    SDSIM_TL_BLOCK_HEAD = 32,
    SDSIM_TL_TAIL = 32,
    SDSIM_TL_UNPACKED_MOST = 64 << 20,
    SDSIM_TL_ITEMS = 1 << 18, /* most items of level 1 in a block */
    SDSIM_TL_NODES = 1 << 14, /* most nodes in a block */
};

enum sdsim_tl_type {
    SDSIM_TL_TEXT = 1,
    SDSIM_TL_DETAILS,
    SDSIM_TL_SPANS,
    SDSIM_TL_ITEMS_OF,
    SDSIM_TL_NODES_OF,
    SDSIM_TL_INDEX,
};

/* The head of a block, and where it is. */
struct sdsim_tl_block {
    uint8_t type;
    uint8_t lane;
    uint64_t first;
    uint32_t count;
    uint32_t unpacked;
    uint32_t packed;
    uint64_t offset;
};

void sdsim_tl_put_head(uint8_t head[SDSIM_TL_HEAD]);
/* NULL, or why it is none. */
const char *sdsim_tl_check_head(const uint8_t head[SDSIM_TL_HEAD]);

void sdsim_tl_put_block(uint8_t head[SDSIM_TL_BLOCK_HEAD], const struct sdsim_tl_block *block);
/* NULL, or why it is none. Leaves `offset` alone. */
const char *sdsim_tl_get_block(const uint8_t head[SDSIM_TL_BLOCK_HEAD],
                               struct sdsim_tl_block *block);

void sdsim_tl_put_tail(uint8_t tail[SDSIM_TL_TAIL], uint64_t index, uint64_t size);
/* True if it is a tail of a file of that size. */
bool sdsim_tl_get_tail(const uint8_t tail[SDSIM_TL_TAIL], uint64_t size, uint64_t *index);

#endif

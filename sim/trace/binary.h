/*
 * Block traces in binary (.sdt): the same records as .blocks text in a tenth of the bytes and time.
 * Version 1. Everything is little-endian.
 *
 *     file    = magic chunk*
 *     magic   = 89 'S' 'D' 'T' 0D 0A 1A 0A, u16 version (1), u16 0, u32 0         16 bytes
 *     chunk   = u32 type, u32 size, u32 count, u32 0, u64 check, payload           24 + size bytes
 *
 * `size` is that of the payload, a multiple of 8 up to 1 MiB; `check` is over the chunk's first 16
 * bytes and its payload (sdsim_binary_check). A file may be cut off anywhere: the chunks in front of
 * the cut are good, and the reader says how far it came. Types, as their four letters:
 *
 *     HEAD    `count` headers, each "key=value\n", then zeros
 *     LABL    `count` more labels, each "text\n", then zeros. They are numbered on from 8; 1 to 7 are
 *             data, FAT1, FAT2, directory, FSINFO, bitmap, boot
 *     RECS    `count` (1 to 4096) records
 *     DONE    the end: u64 number of all records. Missing: the file was cut off
 *
 * A chunk of records is a column for each field, so that equal fields in a row cost nothing:
 *
 *     u8 width[7]     bytes of an entry of each column below: 0, 1, 2, 4 or 8; 0: all entries are 0
 *     u8 unit         0: times are in picoseconds, 1: ns, 2: us
 *     u64 start       of the first record with a start, in units
 *     u64 duration    the least, in units; it is added to the entries
 *     u32 lba         where the first block record is expected
 *     u32 count       the least; it is added to the entries
 *     u32 marks       how many records are marks
 *     u32 kind        of the first record that is no mark: kind, flags << 4
 *     column kind     of all records: kind, flags << 4, XOR that of the first
 *     column lba      of all records but marks, as all that follow: distance from where it is
 *                     expected: behind the record in front. Signed, zigzag: 0, -1, 1, -2 as 0, 1, 2, 3
 *     column count
 *     column start    distance from the start in front, in units, zigzag; 0 if there is none
 *     column duration 0 if there is none
 *     column repeat   less 1
 *     column label
 *     marks           of each u64 answer, u32 line, u32 repetition, u32 result, u32 answer kind
 *
 * each column padded with zeros to a multiple of 8 bytes.
 *
 * Speed is why it is so: columns are unpacked by loops that compilers turn into vector code.
 */
#ifndef SDSIM_TRACE_BINARY_H
#define SDSIM_TRACE_BINARY_H

#include <stdio.h>

#include "trace/block_trace.h"
#include "trace/input.h"

#define SDSIM_BINARY_MAGIC       "\x89SDT\r\n\x1A\n"
#define SDSIM_BINARY_MAGIC_BYTES 8

/* Reads; takes over the input, also when it fails. NULL after a message. */
struct sdsim_block_source *sdsim_binary_open(struct sdsim_input *input);

/* Writes to `out`, which stays the caller's. NULL without memory. */
struct sdsim_block_sink *sdsim_binary_sink(FILE *out);

/* The same, compressed with zstd. */
struct sdsim_block_sink *sdsim_binary_sink_zstd(FILE *out);

/*
 * The check of `size` bytes (a multiple of 8), continuing `check` (0 at first): four sums h, one for
 * every fourth 64-bit word w, h = rotate_left((h ^ w) * 0x9E3779B97F4A7C15, 29), which start as check +
 * 1, 2, 3, 4; in the end they are joined in the same way, from 0.
 */
uint64_t sdsim_binary_check(uint64_t check, const void *bytes, size_t size);

#endif

/*
 * The GUID partition table: the header in sector 1 (and its copy in the last sector) and the
 * entries it points to.
 *
 * Functions read sectors the caller has fetched, so that each reader keeps its own way to the disk.
 * Whatever a header says is held against the device before it is believed. The sums are a separate
 * matter: firmware that only looks for a volume doesn't read all entries, a check of the disk does.
 *
 * Source: UEFI Specification 2.10, sections 5.3.2 and 5.3.3. Limits: 512-byte sectors; at most 1024
 * entries of at most 4096 bytes.
 */
#ifndef SDSIM_FAT_GPT_H
#define SDSIM_FAT_GPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SDSIM_MBR_PROTECTIVE 0xEE /* partition type in the MBR of a disk with a GPT */

struct sdsim_gpt {
    uint32_t entries_lba;
    uint32_t entry_count;
    uint32_t entry_bytes; /* 128 x 2^n */
    uint32_t entries_sum; /* CRC-32 over all entries */
    uint64_t other_lba;   /* of the other header, as this one says */
    bool sum_right;       /* the header's own CRC-32 */
};

/* Reads the header in sector `lba` of a device of `sectors` sectors. False if there is none, or
 * what it says is out of bounds. A wrong sum is noted, not judged. */
bool sdsim_gpt_header(const uint8_t *sector, uint32_t lba, uint32_t sectors, struct sdsim_gpt *gpt);

/* The sector in which entry `index` (below entry_count) begins, and its offset in there. */
uint32_t sdsim_gpt_entry_lba(const struct sdsim_gpt *gpt, uint32_t index);
uint32_t sdsim_gpt_entry_offset(const struct sdsim_gpt *gpt, uint32_t index);

/* Where the partition of an entry lies: its first sector and their number. False if the entry is
 * unused, or doesn't lie on the device. */
bool sdsim_gpt_partition(const uint8_t *entry, uint32_t sectors, uint32_t *start, uint32_t *count);

/* Goes on with a CRC-32 (IEEE 802.3, reflected); `sum` 0 begins one. */
uint32_t sdsim_gpt_sum(uint32_t sum, const uint8_t *bytes, size_t size);

#endif

#include "fat/gpt.h"

#include <string.h>

#include "fat/bytes.h"
#include "flash/medium.h"

#define ENTRIES_MAX     1024u
#define ENTRY_BYTES_MIN 128u
#define ENTRY_BYTES_MAX 4096u

enum {
    HEADER_BYTES = 12,
    HEADER_SUM = 16,
    HEADER_LBA = 24,
    HEADER_OTHER_LBA = 32,
    HEADER_ENTRIES_LBA = 72,
    HEADER_ENTRY_COUNT = 80,
    HEADER_ENTRY_BYTES = 84,
    HEADER_ENTRIES_SUM = 88,
    HEADER_BYTES_MIN = 92,
    ENTRY_TYPE_BYTES = 16,
    ENTRY_FIRST = 32,
    ENTRY_LAST = 40,
};

uint32_t sdsim_gpt_sum(uint32_t sum, const uint8_t *bytes, size_t size)
{
    sum = ~sum;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ (0xEDB88320u & (0u - (sum & 1)));
        }
    }
    return ~sum;
}

/* The sum is made with its own field as zero. */
static bool sum_is_right(const uint8_t *header, uint32_t size)
{
    static const uint8_t zero[4];
    uint32_t sum = sdsim_gpt_sum(0, header, HEADER_SUM);
    sum = sdsim_gpt_sum(sum, zero, sizeof zero);
    sum = sdsim_gpt_sum(sum, header + HEADER_SUM + 4, size - HEADER_SUM - 4);
    return sum == sdsim_get32(header + HEADER_SUM);
}

bool sdsim_gpt_header(const uint8_t *sector, uint32_t lba, uint32_t sectors, struct sdsim_gpt *gpt)
{
    const uint32_t size = sdsim_get32(sector + HEADER_BYTES);
    const uint64_t entries = sdsim_get64(sector + HEADER_ENTRIES_LBA);
    gpt->entry_count = sdsim_get32(sector + HEADER_ENTRY_COUNT);
    gpt->entry_bytes = sdsim_get32(sector + HEADER_ENTRY_BYTES);
    if (memcmp(sector, "EFI PART", 8) != 0 || size < HEADER_BYTES_MIN || size > SDSIM_SECTOR ||
        sdsim_get64(sector + HEADER_LBA) != lba || gpt->entry_count > ENTRIES_MAX ||
        gpt->entry_bytes < ENTRY_BYTES_MIN || gpt->entry_bytes > ENTRY_BYTES_MAX ||
        (gpt->entry_bytes & (gpt->entry_bytes - 1)) != 0) {
        return false;
    }
    const uint64_t room = ((uint64_t)gpt->entry_count * gpt->entry_bytes + SDSIM_SECTOR - 1) /
                          SDSIM_SECTOR; /* at most 8192 sectors */
    if (entries < 2 || entries >= sectors || room > sectors - entries) {
        return false;
    }
    gpt->entries_lba = (uint32_t)entries;
    gpt->entries_sum = sdsim_get32(sector + HEADER_ENTRIES_SUM);
    gpt->other_lba = sdsim_get64(sector + HEADER_OTHER_LBA);
    gpt->sum_right = sum_is_right(sector, size);
    return true;
}

uint32_t sdsim_gpt_entry_lba(const struct sdsim_gpt *gpt, uint32_t index)
{
    return gpt->entries_lba + index * gpt->entry_bytes / SDSIM_SECTOR;
}

uint32_t sdsim_gpt_entry_offset(const struct sdsim_gpt *gpt, uint32_t index)
{
    return index * gpt->entry_bytes % SDSIM_SECTOR;
}

bool sdsim_gpt_partition(const uint8_t *entry, uint32_t sectors, uint32_t *start, uint32_t *count)
{
    static const uint8_t unused[ENTRY_TYPE_BYTES];
    const uint64_t first = sdsim_get64(entry + ENTRY_FIRST);
    const uint64_t last = sdsim_get64(entry + ENTRY_LAST);
    if (memcmp(entry, unused, sizeof unused) == 0 || first == 0 || first >= sectors ||
        last < first) {
        return false;
    }
    *start = (uint32_t)first;
    *count = last - first < UINT32_MAX - first ? (uint32_t)(last - first + 1)
                                               : UINT32_MAX - (uint32_t)first;
    return true;
}

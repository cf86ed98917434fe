#include "flash/au.h"

#include <assert.h>

int sdsim_au_find(const struct sdsim_au_table *table, uint32_t au)
{
    for (int i = 0; i < table->count; i++) {
        if (table->open[i].au == au) {
            return i;
        }
    }
    return -1;
}

int sdsim_au_oldest(const struct sdsim_au_table *table)
{
    int oldest = 0;
    assert(table->count > 0);
    for (int i = 1; i < table->count; i++) {
        /* Differences, so that the clock may come round. */
        if (table->clock - table->open[i].used > table->clock - table->open[oldest].used) {
            oldest = i;
        }
    }
    return oldest;
}

static void forget_range(struct sdsim_au_table *table, unsigned index)
{
    for (unsigned i = index + 1; i < table->erased_count; i++) {
        table->erased[i - 1] = table->erased[i];
    }
    table->erased_count--;
}

static void add_range(struct sdsim_au_table *table, uint32_t from, uint32_t end)
{
    if (from >= end) {
        return;
    }
    if (table->erased_count == SDSIM_ERASED_RANGES) {
        forget_range(table, 0);
    }
    table->erased[table->erased_count++] = (struct sdsim_au_range){from, end};
}

/* Takes AUs out of the erased ranges; true if the first of them was in one. */
static bool take_erased(struct sdsim_au_table *table, uint32_t from, uint32_t end)
{
    bool taken = false;
    for (unsigned i = 0; i < table->erased_count;) {
        const struct sdsim_au_range range = table->erased[i];
        if (range.from >= end || range.end <= from) {
            i++;
            continue;
        }
        taken |= range.from <= from && from < range.end;
        if (range.from < from) {
            table->erased[i].end = from;
            i++;
        } else {
            forget_range(table, i);
        }
        if (range.end > end) {
            add_range(table, end, range.end);
        }
    }
    return taken;
}

int sdsim_au_open(struct sdsim_au_table *table, uint32_t au, uint32_t lba)
{
    assert(table->count < SDSIM_AU_SLOTS);
    table->open[table->count] = (struct sdsim_open_au){
        .au = au,
        .next = lba,
        .high = lba,
        .log_next = UINT32_MAX,
        .used = table->clock,
        .erased = table->erased_count > 0 && take_erased(table, au, au + 1),
    };
    return table->count++;
}

void sdsim_au_close(struct sdsim_au_table *table, int slot)
{
    table->count--;
    table->open[slot] = table->open[table->count];
}

void sdsim_au_erased(struct sdsim_au_table *table, uint32_t from, uint32_t end)
{
    for (int i = table->count - 1; i >= 0; i--) {
        if (table->open[i].au >= from && table->open[i].au < end) {
            sdsim_au_close(table, i);
        }
    }
    (void)take_erased(table, from, end);
    add_range(table, from, end);
}

/* What it takes to copy `blocks` blocks. */
static sdsim_ps copy_time(const struct sdsim_flash_params *params, uint64_t blocks)
{
    if (params->move_rate == 0) {
        return 0;
    }
    return sdsim_time_times(SDSIM_FLASH_SECTOR * SDSIM_S / params->move_rate, blocks);
}

sdsim_ps sdsim_au_merge_time(const struct sdsim_flash_params *params,
                             const struct sdsim_open_au *open)
{
    const uint64_t blocks = params->au_bytes / SDSIM_FLASH_SECTOR;
    if (open->erased || (!open->scattered && open->written >= blocks)) {
        return 0;
    }
    const uint64_t kept = open->scattered ? 0 : open->written;
    return sdsim_time_sum(copy_time(params, blocks - kept), params->au_erase);
}

sdsim_ps sdsim_au_full_merge(const struct sdsim_flash_params *params)
{
    const uint64_t blocks = params->au_bytes / SDSIM_FLASH_SECTOR;
    return sdsim_time_sum(copy_time(params, blocks), params->au_erase);
}

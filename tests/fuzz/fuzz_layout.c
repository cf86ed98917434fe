/*
 * The survey of a volume. The first byte chooses one of four sound volumes, into which the rest is
 * written as changes of single bytes (sector: two bytes, its upper bits counted from the first FAT;
 * offset: two; value: one), or takes the rest as an image.
 */
#include "fuzz/fuzz.h"

#include "fat/disk.h"
#include "fat/layout_text.h"
#include "fat/medium_disk.h"
#include "layout_volume.h"

const unsigned sdsim_fuzz_runs = 1500;

enum { IMAGE_SECTORS = 64 };

/* A copy of a sound volume, which is made only once. */
static struct sdsim_medium *volume(unsigned which, uint32_t *fat_start)
{
    static const enum sdsim_fat_type types[] = {SDSIM_FAT12, SDSIM_FAT16, SDSIM_FAT32, SDSIM_EXFAT};
    static struct sdsim_medium *made[4];
    static uint32_t starts[4];
    if (made[which] == NULL) {
        made[which] = sdsim_test_volume_make(types[which]);
        starts[which] = sdsim_test_volume_places(made[which]).geometry.fat_start;
    }
    *fat_start = starts[which];
    return sdsim_medium_copy(made[which]);
}

static void change(struct sdsim_medium *medium, uint32_t fat_start, const uint8_t *data,
                   size_t size)
{
    struct sdsim_fuzz_bytes bytes = {data, size};
    while (bytes.left >= 5) {
        const uint32_t sector = sdsim_fuzz_half(&bytes);
        const uint32_t offset = sdsim_fuzz_half(&bytes);
        const uint32_t lba = ((sector & 0x8000) != 0 ? fat_start + (sector & 0x7FFF) : sector) %
                             sdsim_medium_sectors(medium);
        const uint8_t value = sdsim_fuzz_byte(&bytes);
        sdsim_test_poke(medium, lba, offset % SDSIM_SECTOR, &value, 1);
    }
}

/* The rest of a last sector is zeros, of an image the erased card. */
static struct sdsim_medium *image(const uint8_t *data, size_t size)
{
    struct sdsim_medium *medium = sdsim_medium_create(IMAGE_SECTORS, 0);
    SDSIM_FUZZ_HOLDS(medium != NULL);
    for (size_t at = 0; at < size && at < (size_t)IMAGE_SECTORS * SDSIM_SECTOR; at++) {
        if (data[at] != 0) {
            sdsim_test_poke(medium, (uint32_t)(at / SDSIM_SECTOR), (uint32_t)(at % SDSIM_SECTOR),
                            &data[at], 1);
        }
    }
    return medium;
}

static void survey(struct sdsim_medium *medium)
{
    char text[2000];
    struct sdsim_layout *layout = sdsim_test_survey(medium, NULL);
    if (layout != NULL) {
        static struct sdsim_map_cell cells[100];
        for (size_t i = 0; i < layout->finding_count; i++) {
            (void)sdsim_finding_text(layout, &layout->findings[i], text, sizeof text);
        }
        sdsim_layout_map(layout, 1 + layout->device_sectors / 100, cells, 100);
    }
    sdsim_layout_destroy(layout);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct sdsim_medium *medium;
    uint32_t fat_start;
    if (data[0] % 5 == 4) {
        medium = image(data + 1, size - 1);
    } else {
        medium = volume(data[0] % 5, &fat_start);
        SDSIM_FUZZ_HOLDS(medium != NULL);
        change(medium, fat_start, data + 1, size - 1);
    }
    survey(medium);
    sdsim_medium_destroy(medium);
    return 0;
}

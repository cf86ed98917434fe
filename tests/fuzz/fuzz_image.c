/* Image files of any size and content under a medium: what is read back is what is in them. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "flash/medium.h"

const unsigned sdsim_fuzz_runs = 3000;

enum { SECTORS = 40, LBA = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(SECTORS, 0xFF);
    SDSIM_FUZZ_HOLDS(medium != NULL);
    const bool loaded = sdsim_medium_load(medium, LBA, sdsim_fuzz_file(data, size, ".img"), &diags);
    const uint32_t used = (uint32_t)((size + SDSIM_SECTOR - 1) / SDSIM_SECTOR);
    SDSIM_FUZZ_HOLDS(loaded == (diags.errors == 0));
    SDSIM_FUZZ_HOLDS(loaded || size == 0 || used > SECTORS - LBA);
    for (uint32_t i = 0; loaded && i < used; i++) {
        uint8_t sector[SDSIM_SECTOR];
        uint8_t expected[SDSIM_SECTOR] = {0};
        const size_t left = size - (size_t)i * SDSIM_SECTOR;
        memcpy(expected, data + (size_t)i * SDSIM_SECTOR,
               left < SDSIM_SECTOR ? left : SDSIM_SECTOR);
        sdsim_medium_read(medium, LBA + i, 1, sector);
        SDSIM_FUZZ_HOLDS(memcmp(sector, expected, SDSIM_SECTOR) == 0);
    }
    sdsim_medium_destroy(medium);
    sdsim_diags_free(&diags);
    return 0;
}

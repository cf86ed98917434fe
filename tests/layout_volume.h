/*
 * Small volumes of every type with the same files on them, for tests that look at volumes or damage
 * them.
 *
 * There are /A.BIN (5 clusters) and /DIR/b with a long name.bin (3), each in three pieces because
 * they were written in turns, and /C.BIN (4) in one. All volumes have clusters of 512 bytes and lie
 * in the first partition of an MBR. Functions fail the test that calls them if anything goes wrong.
 */
#ifndef SDSIM_TEST_LAYOUT_VOLUME_H
#define SDSIM_TEST_LAYOUT_VOLUME_H

#include "fat/layout.h"
#include "flash/medium.h"

#define SDSIM_TEST_AU        32u /* sectors */
#define SDSIM_TEST_LONG_PATH "/DIR/b with a long name.bin"

/* Size of the device, and the volume's label or "". */
uint32_t sdsim_test_volume_sectors(enum sdsim_fat_type type);
const char *sdsim_test_volume_label(enum sdsim_fat_type type);

/* The caller destroys it. */
struct sdsim_medium *sdsim_test_volume_make(enum sdsim_fat_type type);

/* Surveys a volume, with AUs of SDSIM_TEST_AU; NULL exactly if there was a message. */
struct sdsim_layout *sdsim_test_survey(struct sdsim_medium *medium, const char *path);

/* Where the files of a sound volume lie, cluster by cluster. */
struct sdsim_test_places {
    struct sdsim_geometry geometry;
    uint32_t a[5];
    uint32_t b[3];
    uint32_t c[4];
    uint32_t dir;
    uint32_t root_lba;
};
struct sdsim_test_places sdsim_test_volume_places(struct sdsim_medium *medium);

/* First sector of a cluster. */
uint32_t sdsim_test_lba(const struct sdsim_test_places *places, uint32_t cluster);

/* Reads or changes bytes at an offset from a sector, which may lie in a later one but not across
 * two. */
uint8_t sdsim_test_peek(const struct sdsim_medium *medium, uint32_t lba, uint32_t offset);
void sdsim_test_poke(struct sdsim_medium *medium, uint32_t lba, uint32_t offset,
                     const uint8_t *bytes, uint32_t count);

/* Sets the entry of a cluster in the first `fats` FATs. */
void sdsim_test_set_fat(struct sdsim_medium *medium, const struct sdsim_geometry *geometry,
                        uint32_t cluster, uint32_t value, uint32_t fats);

#endif

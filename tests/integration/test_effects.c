/*
 * Known effects of file systems, as block counts: what the scenarios effect-* show must be exactly
 * the commands real FatFs issues. Metadata is always single sectors, the data of these runs mostly
 * is not, so the counts of CMD17 and CMD24 are those of the metadata where nothing else is said.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "setup/simulate.h"

struct row {
    const char *scenario;
    const char *run;
    uint64_t read_one;   /* CMD17 */
    uint64_t read_many;  /* CMD18 */
    uint64_t write_one;  /* CMD24 */
    uint64_t write_many; /* CMD25 */
    const char *why;
};

static const struct row rows[] = {
    /* 256 data sectors, one command each; 256 clusters are two FAT sectors. */
    {"effect-small-clusters", "clusters-512-4KiB", 7, 0, 269, 0, "256 data, 13 metadata writes"},
    {"effect-small-clusters", "clusters-512-32KiB", 7, 0, 269, 0, "the same for any call size"},
    {"effect-small-clusters", "clusters-32k-32KiB", 1, 0, 1, 4, "four 64-sector writes"},
    /* 32 clusters; each allocation: 2 FATs, FSINFO; each sync: the entry. */
    {"effect-sync", "never", 1, 0, 1, 256, "the entry of the new file, and the first FAT sector"},
    {"effect-sync", "each-call", 96, 0, 353, 256, "32 x (8 entry + 2 FAT + 1 FSINFO) + 1"},
    {"effect-sync", "each-64th", 8, 0, 17, 256, "4 x (1 entry + 2 FAT + 1 FSINFO) + 1"},
    /* ten times: one FAT sector for 128 clusters on the way, and the sector itself. */
    {"effect-seek", "fat32-4k", 1930, 0, 0, 0, "24415 clusters: 191 FAT sectors, 10 times"},
    {"effect-seek", "fat32-32k", 260, 0, 0, 0, "3052 clusters: 24 or 25 FAT sectors, 10 times"},
    {"effect-seek", "exfat", 20, 0, 0, 0, "contiguous: no FAT at all"},
    {"effect-free-space", "fat32-fsinfo", 0, 0, 0, 0, "from memory"},
    {"effect-free-space", "fat32-unknown", 14536, 0, 0, 0, "the whole FAT"},
    {"effect-free-space", "exfat", 114, 0, 0, 0, "the bitmap"},
    {"effect-directory", "of-10", 20, 0, 0, 0, "root, then one sector"},
    {"effect-directory", "of-2000", 1280, 0, 0, 0, "126 directory sectors, FAT in between"},
    /* 16 MiB: 512 clusters of 32 KiB cross three FAT sectors, 256 of 64 KiB one or two. */
    {"effect-fat-boundary", "clusters-32k", 13, 0, 25, 4096, "table: 13 reads, 24 writes, + entry"},
    {"effect-fat-boundary", "clusters-64k", 7, 0, 13, 4096, "table: 7 reads, 12 writes, + entry"},
};

static void block_counts(void **state)
{
    (void)state;
    struct sdsim_config *config = sdsim_config_create(".");
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        char path[256];
        snprintf(path, sizeof path, "scenarios/%s.yaml", row->scenario);
        const struct sdsim_scenario *scenario = sdsim_scenario_load(config, path, NULL, &diags);
        assert_non_null(scenario);
        const struct sdsim_run *run = NULL;
        for (size_t r = 0; r < scenario->count; r++) {
            run = strcmp(scenario->runs[r].id, row->run) == 0 ? &scenario->runs[r] : run;
        }
        assert_non_null(run);
        struct sdsim_setup setup;
        struct sdsim_outcome_report report;
        assert_true(sdsim_setup_bind(config, run, 0, &setup, &diags));
        sdsim_simulate(&setup, NULL, &report);
        const uint64_t *sent = report.workload.counters.commands;
        if (sent[17] != row->read_one || sent[18] != row->read_many || sent[24] != row->write_one ||
            sent[25] != row->write_many) {
            print_error("%s/%s (%s): CMD17 %llu CMD18 %llu CMD24 %llu CMD25 %llu\n", row->scenario,
                        row->run, row->why, (unsigned long long)sent[17],
                        (unsigned long long)sent[18], (unsigned long long)sent[24],
                        (unsigned long long)sent[25]);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    sdsim_diags_free(&diags);
    sdsim_config_destroy(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(block_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

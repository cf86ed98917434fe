/*
 * Replays every operation sequence of the FatFs oracle on every volume, state and configuration it
 * has traces for, and compares block operations, marks and answers line by line.
 *
 * The oracle folder comes from the environment variable SDSIM_ORACLE, else ../shared/fatfs-oracle
 * from the source directory; without it the test is skipped. Volumes are made by mkfs from plans
 * with the geometry that the oracle states; states by running its preparations.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat/blocks.h"
#include "fat/bytes.h"
#include "fat/mkfs.h"
#include "fat/session.h"

#define SKIPPED 77

static const char *oracle;

/* The volumes the oracle was recorded on. */
static const struct {
    const char *name;
    uint32_t device;
    struct sdsim_mkfs_plan plan;
} volumes[] = {
    {"fat12-1440k",
     2880,
     {.type = SDSIM_FAT12,
      .start = 0,
      .partition = 2880,
      .sectors = 2880,
      .cluster_sectors = 1,
      .clusters = 2847,
      .fats = 2,
      .fat_offset = 1,
      .fat_sectors = 9,
      .root_entries = 224,
      .data_offset = 33,
      .media = 0xF0,
      .label = "FLOPPY"}},
    {"fat12-16m",
     31360,
     {.type = SDSIM_FAT12,
      .start = 63,
      .partition = 31297,
      .sectors = 31296,
      .cluster_sectors = 16,
      .clusters = 1951,
      .fats = 2,
      .fat_offset = 16,
      .fat_sectors = 16,
      .root_entries = 512,
      .data_offset = 80,
      .media = 0xF8,
      .mbr_type = 1,
      .label = "FAT12VOL"}},
    {"fat16-64m",
     125440,
     {.type = SDSIM_FAT16,
      .start = 2048,
      .partition = 123392,
      .sectors = 123392,
      .cluster_sectors = 4,
      .clusters = 30777,
      .fats = 2,
      .fat_offset = 4,
      .fat_sectors = 124,
      .root_entries = 512,
      .data_offset = 284,
      .media = 0xF8,
      .mbr_type = 6,
      .label = "FAT16VOL"}},
    {"fat32-4g",
     7744512,
     {.type = SDSIM_FAT32,
      .start = 8192,
      .partition = 7736320,
      .sectors = 7736274,
      .cluster_sectors = 64,
      .clusters = 120848,
      .fats = 2,
      .fat_offset = 64,
      .fat_sectors = 960,
      .data_offset = 1984,
      .media = 0xF8,
      .mbr_type = 12,
      .label = "FAT32VOL"}},
    {"fat32-32g",
     62333952,
     {.type = SDSIM_FAT32,
      .start = 8192,
      .partition = 62325760,
      .sectors = 62325711,
      .cluster_sectors = 64,
      .clusters = 973600,
      .fats = 2,
      .fat_offset = 64,
      .fat_sectors = 7616,
      .data_offset = 15296,
      .media = 0xF8,
      .mbr_type = 12,
      .label = "FAT32BIG"}},
    {"exfat-64g",
     124735488,
     {.type = SDSIM_EXFAT,
      .start = 32768,
      .partition = 124702720,
      .sectors = 124702720,
      .cluster_sectors = 256,
      .clusters = 487096,
      .fats = 1,
      .fat_offset = 2048,
      .fat_sectors = 3840,
      .data_offset = 6144,
      .media = 0xF8,
      .mbr_type = 7,
      .label = "EXFATVOL"}},
};

static const char *const states[] = {"fresh", "frag", "full", "nofsi"};
static const char *const configs[] = {"esp", "cpy"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The whole of a file with a zero behind it, or NULL. The caller frees it. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    size_t size = 0;
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    assert_non_null(text);
    for (size_t got; (got = fread(text + size, 1, capacity - size - 1, file)) > 0;) {
        size += got;
        if (capacity - size < 2) {
            capacity *= 2;
            text = realloc(text, capacity);
            assert_non_null(text);
        }
    }
    (void)fclose(file);
    text[size] = '\0';
    return text;
}

static struct sdsim_volume_config config_of(size_t config)
{
    return config == 0 ? sdsim_volume_config_esp_idf() : sdsim_volume_config_circuitpython();
}

/* Runs a whole sequence on the medium. */
static void run_sequence(struct sdsim_medium *medium, const char *ops, const char *ops_path,
                         const struct sdsim_volume_config *config, FILE *out)
{
    struct sdsim_blocks blocks;
    struct sdsim_session session;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    sdsim_blocks_init(&blocks, medium, out);
    sdsim_session_init(&session, &blocks.disk, config, 1);
    struct sdsim_place place = {.file = ops_path, .line = 0};
    sdsim_ps now = 0;
    for (const char *line = ops; *line != '\0';) {
        const char *end = strchr(line, '\n');
        const size_t length = end != NULL ? (size_t)(end - line) : strlen(line);
        struct sdsim_op op;
        place.line++;
        if (sdsim_op_parse(&op, line, length, &place, &diags) == SDSIM_OP_LINE) {
            for (uint32_t i = 1; i <= op.repeat; i++) {
                const struct sdsim_answer outcome = sdsim_session_run(&session, &op, &now, NULL);
                sdsim_blocks_note(&blocks, place.line, &op, i, &outcome);
            }
        }
        line += length + (end != NULL);
    }
    sdsim_blocks_end(&blocks);
    sdsim_diags_print(&diags, stderr);
    assert_int_equal(diags.errors, 0);
    assert_false(blocks.failed);
    assert_int_equal(now, 0);
    sdsim_session_end(&session);
    sdsim_blocks_free(&blocks);
    sdsim_diags_free(&diags);
}

/* The FSINFO sector of FAT32 with both values unknown. */
static void forget_fsinfo(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan)
{
    uint8_t bytes[SDSIM_SECTOR];
    sdsim_medium_read(medium, plan->start + 1, 1, bytes);
    sdsim_put32(bytes + 488, UINT32_MAX);
    sdsim_put32(bytes + 492, UINT32_MAX);
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = bytes};
    assert_true(sdsim_medium_write(medium, plan->start + 1, 1, &content));
}

static struct sdsim_medium *make_state(size_t volume, const char *state)
{
    struct sdsim_medium *medium = sdsim_medium_create(volumes[volume].device, 0);
    assert_non_null(medium);
    assert_true(sdsim_mkfs_write(medium, &volumes[volume].plan));
    char path[512];
    if (strcmp(state, "nofsi") == 0) {
        forget_fsinfo(medium, &volumes[volume].plan);
    } else if (strcmp(state, "fresh") != 0) {
        (void)snprintf(path, sizeof path, "%s/sequences/prep/prep-%s%s%s.ops", oracle, state,
                       strcmp(state, "frag") == 0 ? "-" : "",
                       strcmp(state, "frag") == 0 ? volumes[volume].name : "");
        char *ops = read_file(path);
        assert_non_null(ops);
        const struct sdsim_volume_config config = sdsim_volume_config_esp_idf();
        run_sequence(medium, ops, path, &config, NULL);
        free(ops);
    }
    return medium;
}

/* Line number of the first difference, 0 if there is none. Comment lines at the head don't count.
 */
static int first_difference(const char *expected, const char *got)
{
    int line = 1;
    while (strncmp(expected, "# ", 2) == 0) {
        expected = strchr(expected, '\n') + 1;
        line++;
    }
    while (*expected != '\0' && *expected == *got) {
        line += *expected == '\n';
        expected++;
        got++;
    }
    return *expected == *got ? 0 : line;
}

static void print_line(const char *text, int line, int skip)
{
    for (int i = 1 + skip; i < line && strchr(text, '\n') != NULL; i++) {
        text = strchr(text, '\n') + 1;
    }
    (void)fprintf(stderr, "%.*s", (int)strcspn(text, "\n"), text);
}

/* One trace; true if it comes out the same. */
static bool replay(const struct sdsim_medium *state, size_t config, const char *folder,
                   const char *sequence)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s/%s.blocks", oracle, folder, sequence);
    char *expected = read_file(path);
    assert_non_null(expected);
    (void)snprintf(path, sizeof path, "%s/sequences/%s.ops", oracle, sequence);
    char *ops = read_file(path);
    assert_non_null(ops);

    char *got = NULL;
    size_t got_size = 0;
    FILE *out = open_memstream(&got, &got_size);
    assert_non_null(out);
    struct sdsim_medium *medium = sdsim_medium_copy(state);
    assert_non_null(medium);
    const struct sdsim_volume_config setup = config_of(config);
    run_sequence(medium, ops, path, &setup, out);
    (void)fclose(out);

    const int line = first_difference(expected, got);
    if (line != 0) {
        (void)fprintf(stderr, "%s/%s.blocks:%d: expected '", folder, sequence, line);
        print_line(expected, line, 0);
        (void)fprintf(stderr, "', got '");
        int head = 0;
        for (const char *p = expected; strncmp(p, "# ", 2) == 0; p = strchr(p, '\n') + 1) {
            head++;
        }
        print_line(got, line, head);
        (void)fprintf(stderr, "'\n");
    }
    sdsim_medium_destroy(medium);
    free(got);
    free(ops);
    free(expected);
    return line == 0;
}

/* All traces of a folder; counts them. */
static void replay_folder(const struct sdsim_medium *state, size_t config, const char *folder,
                          int *same, int *all)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", oracle, folder);
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *dot = strrchr(entries[i]->d_name, '.');
        if (dot != NULL && strcmp(dot, ".blocks") == 0) {
            *dot = '\0';
            ++*all;
            *same += replay(state, config, folder, entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

static bool has_folder(const char *folder)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", oracle, folder);
    DIR *dir = opendir(path);
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return dir != NULL;
}

static void test_all_traces_match(void **unused)
{
    (void)unused;
    int same = 0;
    int all = 0;
    const char *only = getenv("SDSIM_ORACLE_ONLY"); /* part of a folder's name, for debugging */
    for (size_t volume = 0; volume < COUNT(volumes); volume++) {
        for (size_t state = 0; state < COUNT(states); state++) {
            struct sdsim_medium *medium = NULL;
            for (size_t config = 0; config < COUNT(configs); config++) {
                char folder[64];
                (void)snprintf(folder, sizeof folder, "%s-%s-%s", volumes[volume].name,
                               states[state], configs[config]);
                if (!has_folder(folder) || (only != NULL && strstr(folder, only) == NULL)) {
                    continue;
                }
                if (medium == NULL) {
                    medium = make_state(volume, states[state]);
                }
                replay_folder(medium, config, folder, &same, &all);
            }
            sdsim_medium_destroy(medium);
        }
    }
    (void)printf("%d of %d traces match\n", same, all);
    assert_true(all > 0);
    assert_int_equal(same, all);
}

int main(void)
{
    const char *path = getenv("SDSIM_ORACLE");
    oracle = path != NULL ? path : "../shared/fatfs-oracle";
    DIR *dir = opendir(oracle);
    if (dir == NULL) {
        (void)printf("no oracle at %s: skipped\n", oracle);
        return SKIPPED;
    }
    (void)closedir(dir);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_traces_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * What reaches the disk, for each library: tables that were made with the libraries themselves,
 * row by row. The rows are in tests/data/fat-patterns.txt, whose head tells how to read them.
 *
 * The disk is one of 16 GiB, as the one the tables were made on; volumes are fresh, so clusters are
 * allocated one behind the other.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat/blocks.h"
#include "fat/engines.h"
#include "fat/mkfs.h"
#include "fat/session.h"

#define DISK_SECTORS 33554432u
#define KIB          1024u
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define ROWS     "tests/data/fat-patterns.txt"
#define ROWS_MIN 150 /* fewer would mean that the file was not read to its end */

/* The volumes of the tables. */
static const struct {
    const char *name;
    struct sdsim_mkfs wishes;
} volumes[] = {
    {"fat32-4k", {.type = SDSIM_FAT32, .cluster_bytes = 4 * KIB}},
    {"fat32-16k", {.type = SDSIM_FAT32, .cluster_bytes = 16 * KIB}},
    {"fat32-32k", {.type = SDSIM_FAT32, .cluster_bytes = 32 * KIB}},
    {"fat32-64k", {.type = SDSIM_FAT32, .cluster_bytes = 64 * KIB}},
    {"fat32-1fat", {.type = SDSIM_FAT32, .cluster_bytes = 32 * KIB, .fats = 1}},
    {"exfat-4k", {.type = SDSIM_EXFAT, .cluster_bytes = 4 * KIB}},
    {"exfat-32k", {.type = SDSIM_EXFAT, .cluster_bytes = 32 * KIB}},
    {"exfat-128k", {.type = SDSIM_EXFAT, .cluster_bytes = 128 * KIB}},
};

enum { WHERE, ENGINE, VOLUME, BEFORE, WATCHED, EXPECTED, COLUMNS };

/* A line of the file. */
struct row {
    char *columns[COLUMNS];
};

/* ---- running operations ---- */

struct bench {
    struct sdsim_blocks blocks;
    struct sdsim_session session;
    sdsim_ps now;
};

static void run_line(struct bench *bench, const struct row *row, const char *line, size_t length)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const struct sdsim_place place = {.file = row->columns[WHERE], .line = 1};
    struct sdsim_op op;
    const enum sdsim_op_line kind = sdsim_op_parse(&op, line, length, &place, &diags);
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    assert_int_equal(kind, SDSIM_OP_LINE);
    for (uint32_t i = 0; i < op.repeat; i++) {
        const struct sdsim_answer answer =
            sdsim_session_run(&bench->session, &op, &bench->now, NULL);
        if (answer.result != SDSIM_FAT_OK || answer.kind == SDSIM_ANSWER_COUNT) {
            fail_msg("%s, %s: '%.*s' failed: %s", row->columns[WHERE], row->columns[ENGINE],
                     (int)length, line, sdsim_fat_result_text(answer.result));
        }
    }
}

/* Operations between semicolons, up to `end`; "Nx{ ... }" runs what is in the braces N times. */
static void run_text(struct bench *bench, const struct row *row, const char *text, const char *end)
{
    while (text < end) {
        const size_t gap = strspn(text, " ;");
        const char *start = text + gap < end ? text + gap : end;
        const char *brace = start + strspn(start, "0123456789");
        if (brace < end && brace[0] == 'x' && brace[1] == '{') {
            const char *close = strchr(brace, '}');
            assert_non_null(close);
            for (unsigned long n = strtoul(start, NULL, 10); n > 0; n--) {
                run_text(bench, row, brace + 2, close);
            }
            text = close + 1;
            continue;
        }
        size_t length = strcspn(start, ";}");
        text = start + length;
        while (length > 0 && start[length - 1] == ' ') {
            length--;
        }
        if (length > 0) {
            run_line(bench, row, start, length);
        }
    }
}

/* ---- what came of it ---- */

/* "Wdata8", "S"; "" for CTRL_TRIM, which is no business of these tables. */
static void name_block(const struct sdsim_block *block, char *out, size_t size)
{
    static const char *const labels[SDSIM_BLOCK_LABELS] = {
        [SDSIM_BLOCK_DATA] = "data",     [SDSIM_BLOCK_FAT1] = "FAT1",
        [SDSIM_BLOCK_FAT2] = "FAT2",     [SDSIM_BLOCK_DIRECTORY] = "dir",
        [SDSIM_BLOCK_FSINFO] = "FSINFO", [SDSIM_BLOCK_BITMAP] = "bitmap",
        [SDSIM_BLOCK_BOOT] = "boot",
    };
    out[0] = '\0';
    if (block->kind == SDSIM_BLOCK_SYNC) {
        (void)snprintf(out, size, "S");
    } else if (block->kind != SDSIM_BLOCK_TRIM) {
        const int used = snprintf(out, size, "%c%s", block->kind == SDSIM_BLOCK_READ ? 'R' : 'W',
                                  labels[block->label]);
        if (block->count > 1) {
            (void)snprintf(out + used, size - (size_t)used, "%u", (unsigned)block->count);
        }
    }
}

/* All blocks in order, equal ones in a row counted; cut where it gets too long. */
static void print_sequence(const struct sdsim_blocks *blocks, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < blocks->pending_count && used + 40 < size;) {
        char name[32];
        char other[32];
        size_t n = 1;
        name_block(&blocks->pending[i], name, sizeof name);
        while (i + n < blocks->pending_count) {
            name_block(&blocks->pending[i + n], other, sizeof other);
            if (strcmp(name, other) != 0) {
                break;
            }
            n++;
        }
        i += n;
        if (name[0] == '\0') {
            continue;
        }
        used += (size_t)snprintf(out + used, size - used, used > 0 ? " " : "");
        used += (size_t)(n > 1 ? snprintf(out + used, size - used, "%zu*%s", n, name)
                               : snprintf(out + used, size - used, "%s", name));
    }
}

/* Blocks that fit "Wdata8", "Wdata+", "Wdata", "W". */
static uint64_t count_matches(const struct sdsim_blocks *blocks, const char *wanted, size_t length)
{
    size_t letters = length; /* without the size */
    while (letters > 0 && isdigit((unsigned char)wanted[letters - 1])) {
        letters--;
    }
    /* The digit of FAT1 and FAT2 is no size. */
    if (letters >= 4 && letters < length && memcmp(wanted + letters - 3, "FAT", 3) == 0) {
        letters++;
    }
    const bool several = letters > 0 && wanted[letters - 1] == '+';
    const unsigned long size = letters < length ? strtoul(wanted + letters, NULL, 10) : 0;
    letters -= several;
    uint64_t matches = 0;
    for (size_t i = 0; i < blocks->pending_count; i++) {
        char name[32];
        const struct sdsim_block *block = &blocks->pending[i];
        struct sdsim_block single = *block;
        single.count = 1;
        name_block(&single, name, sizeof name);
        const bool fits = strncmp(name, wanted, letters) == 0 &&
                          (letters == 1 || strlen(name) == letters) && name[0] != '\0';
        matches += fits && (size == 0 || block->count == size) && (!several || block->count > 1);
    }
    return matches;
}

/* Each "what=count" of `expected`; the first that is wrong, or NULL. */
static const char *wrong_count(const struct sdsim_blocks *blocks, const char *expected,
                               uint64_t *got)
{
    while (*expected != '\0') {
        const char *equals = strchr(expected, '=');
        assert_non_null(equals);
        char *end;
        const unsigned long long wanted = strtoull(equals + 1, &end, 10);
        *got = count_matches(blocks, expected, (size_t)(equals - expected));
        if (*got != wanted) {
            return expected;
        }
        expected = end + strspn(end, " ");
    }
    return NULL;
}

static bool check(const struct row *row, const struct sdsim_blocks *blocks)
{
    static char sequence[2000];
    print_sequence(blocks, sequence, sizeof sequence);
    if (row->columns[EXPECTED][0] == '=') {
        if (strcmp(row->columns[EXPECTED] + 1, sequence) != 0) {
            (void)fprintf(stderr, "%s, %s:\n  expected %s\n  got      %s\n", row->columns[WHERE],
                          row->columns[ENGINE], row->columns[EXPECTED] + 1, sequence);
            return false;
        }
        return true;
    }
    uint64_t got;
    const char *wrong = wrong_count(blocks, row->columns[EXPECTED], &got);
    if (wrong != NULL) {
        (void)fprintf(stderr, "%s, %s: expected %.*s, got %llu, of %s\n", row->columns[WHERE],
                      row->columns[ENGINE], (int)strcspn(wrong, " "), wrong,
                      (unsigned long long)got, sequence);
    }
    return wrong == NULL;
}

/* ---- the rows ---- */

static void run_column(struct bench *bench, const struct row *row, int column)
{
    const char *text = row->columns[column];
    run_text(bench, row, text, text + strlen(text));
}

static size_t volume_of(const struct row *row)
{
    for (size_t i = 0; i < COUNT(volumes); i++) {
        if (strcmp(volumes[i].name, row->columns[VOLUME]) == 0) {
            return i;
        }
    }
    fail_msg("%s: no volume %s", row->columns[WHERE], row->columns[VOLUME]);
    return 0;
}

static bool run_row(const struct row *row, struct sdsim_medium *const *fresh)
{
    const struct sdsim_engine *engine = sdsim_engine_find(row->columns[ENGINE]);
    const size_t volume = volume_of(row);
    assert_non_null(engine);
    struct sdsim_volume_config config = engine->config;
    if (volumes[volume].wishes.type == SDSIM_EXFAT && config.long_names == SDSIM_LFN_NONE) {
        config.exfat = true; /* a build that can */
        config.long_names = SDSIM_LFN_STACK;
    }
    struct sdsim_medium *medium = sdsim_medium_copy(fresh[volume]);
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(medium);
    assert_non_null(bench);
    struct sdsim_blocks *blocks = &bench->blocks;
    sdsim_blocks_init(blocks, medium, NULL);
    sdsim_session_init(&bench->session, &blocks->disk, &config, 1);
    run_column(bench, row, BEFORE);
    blocks->keep = true;
    blocks->geometry = &bench->session.volume.geometry;
    run_column(bench, row, WATCHED);
    assert_false(blocks->failed);
    const bool good = check(row, blocks);
    sdsim_session_end(&bench->session);
    sdsim_blocks_free(blocks);
    free(bench);
    sdsim_medium_destroy(medium);
    return good;
}

/* Cuts a line at its bars; false for one that is no row. */
static bool split(char *line, struct row *row)
{
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '\0' || line[0] == '#') {
        return false;
    }
    for (int i = 0; i < COLUMNS; i++) {
        line += strspn(line, " ");
        row->columns[i] = line;
        char *end = line + strcspn(line, "|");
        line = *end == '|' ? end + 1 : end;
        while (end > row->columns[i] && end[-1] == ' ') {
            end--;
        }
        if (*line == '\0' && i + 1 < COLUMNS) {
            fail_msg("%s: a column is missing", row->columns[WHERE]);
        }
        *end = '\0';
    }
    return true;
}

static void test_patterns(void **unused)
{
    (void)unused;
    struct sdsim_medium *fresh[COUNT(volumes)];
    for (size_t i = 0; i < COUNT(volumes); i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        fresh[i] = sdsim_medium_create(DISK_SECTORS, 0);
        assert_non_null(fresh[i]);
        assert_true(sdsim_mkfs(fresh[i], &volumes[i].wishes, &diags));
        sdsim_diags_free(&diags);
    }
    FILE *file = fopen(ROWS, "r");
    assert_non_null(file);
    char line[600];
    int rows = 0;
    int wrong = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        struct row row;
        assert_non_null(strchr(line, '\n'));
        if (split(line, &row)) {
            rows++;
            wrong += !run_row(&row, fresh);
        }
    }
    (void)fclose(file);
    for (size_t i = 0; i < COUNT(volumes); i++) {
        sdsim_medium_destroy(fresh[i]);
    }
    (void)printf("%d rows\n", rows);
    assert_true(rows >= ROWS_MIN);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

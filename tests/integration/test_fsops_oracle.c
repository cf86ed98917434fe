/*
 * What fsops prints of an image is, block by block, what real FAT libraries did on it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat/mkfs.h"
#include "fsops_bench.h"
#include "golden.h"
#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The volume fat32-4g of the oracle. */
static const struct sdsim_mkfs_plan oracle_plan = {.type = SDSIM_FAT32,
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
                                                   .label = "FAT32VOL"};

static void make_oracle_image(void)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(7744512, 0);
    assert_non_null(medium);
    assert_true(sdsim_mkfs_write(medium, &oracle_plan));
    assert_true(sdsim_medium_save(medium, "oracle.img", &diags));
    sdsim_medium_destroy(medium);
    sdsim_diags_free(&diags);
}

/* Cuts the labels off a trace; every R and W line must have one. */
static void strip_labels(char *trace)
{
    char *out = trace;
    for (char *line = trace; *line != '\0';) {
        const size_t size = strcspn(line, "\n");
        char *label = memchr(line + 1, '#', size > 0 ? size - 1 : 0);
        const bool block = line[0] == 'R' || line[0] == 'W';
        assert_int_equal(block, label != NULL);
        const size_t kept = label != NULL ? (size_t)(label - 1 - line) : size;
        const bool ends = line[size] == '\n';
        memmove(out, line, kept);
        out += kept;
        if (ends) {
            *out++ = '\n';
        }
        line += size + ends;
    }
    *out = '\0';
}

static void test_oracle(void **state)
{
    (void)state;
    static const char *const sequences[] = {
        "mount",     "log40",    "log-512-sync", "append-4096",    "dir-grow", "delete",
        "list-stat", "truncate", "mixed-case",   "interleave-512", "expand",   "patch-middle"};
    static const struct {
        const char *engine;
        const char *traces;
    } engines[] = {{"esp-idf-full", "fat32-4g-fresh-esp"}, {"circuitpython", "fat32-4g-fresh-cpy"}};
    const char *set = getenv("SDSIM_ORACLE");
    char oracle[PATH_MAX + 40];
    (void)snprintf(oracle, sizeof oracle, "%s", set != NULL ? set : "");
    if (set == NULL) {
        (void)snprintf(oracle, sizeof oracle, "%s/../shared/fatfs-oracle",
                       sdsim_test_fsops_source());
    }
    if (!sdsim_test_exists(oracle)) {
        printf("no oracle at %s: nothing compared\n", oracle);
        return;
    }
    make_oracle_image();
    size_t compared = 0;
    for (size_t i = 0; i < COUNT(engines) * COUNT(sequences); i++) {
        const char *sequence = sequences[i / COUNT(engines)];
        char ops[PATH_MAX + 120];
        char trace[PATH_MAX + 120];
        size_t size;
        (void)snprintf(ops, sizeof ops, "%s/sequences/%s.ops", oracle, sequence);
        (void)snprintf(trace, sizeof trace, "%s/%s/%s.blocks", oracle,
                       engines[i % COUNT(engines)].traces, sequence);
        char *expected = sdsim_test_read_file(trace, &size);
        if (expected == NULL) {
            continue;
        }
        const char *body = expected;
        while (strncmp(body, "# ", 2) == 0) {
            body += strcspn(body, "\n") + 1;
        }
        struct sdsim_test_result result =
            sdsim_test_fsops_run((const char *const[]){"fsops", "oracle.img", ops, "--engine",
                                                       engines[i % COUNT(engines)].engine, NULL},
                                 NULL);
        assert_int_equal(result.code, 0);
        strip_labels(result.out);
        if (strcmp(result.out, body) != 0) {
            sdsim_test_diff(stderr, trace, body, result.out);
            fail_msg("%s differs", trace);
        }
        compared++;
        sdsim_test_result_free(&result);
        free(expected);
    }
    printf("%zu traces compared\n", compared);
    assert_true(compared >= 12);
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),
    };
    return cmocka_run_group_tests(tests, sdsim_test_fsops_enter, sdsim_test_fsops_leave);
}

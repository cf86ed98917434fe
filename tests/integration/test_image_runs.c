/*
 * Scenarios that start from an image: sound, in a GPT, without partition, with one FAT, cut off and
 * damaged ones. What the firmware can't go on with ends in a message that names structure and
 * sector; the image is never changed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *scenario;

/* Runs shell commands in the folder. */
static void shell(const char *commands)
{
    char whole[1600];
    (void)snprintf(whole, sizeof whole, "cd %s && { %s; } >log 2>&1 </dev/null",
                   sdsim_test_folder(), commands);
    if (system(whole) != 0) {
        (void)snprintf(whole, sizeof whole, "cat %s/log >&2", sdsim_test_folder());
        (void)!system(whole);
        fail_msg("failed: %s", commands);
    }
}

/* Runs the scenario from card.img with a workload. */
static struct sdsim_test_result run(const char *workload)
{
    char filesystem[120];
    char set[200];
    (void)snprintf(filesystem, sizeof filesystem, "filesystem={image: %s/card.img}",
                   sdsim_test_folder());
    (void)snprintf(set, sizeof set, "workload=%s", workload);
    const char *const arguments[] = {"run",      scenario, "--draws", "0", "--set",
                                     filesystem, "--set",  set,       NULL};
    return sdsim_test_run_quiet(arguments);
}

/* The file the workload overwrites: three clusters, the first is number 2 on FAT12 and FAT16. */
#define MAKE                                                                                       \
    "printf 'mount\\nopen /DATA.BIN w\\nwrite 3c\\nclose\\nmkdir /FILES\\n' >make.ops; "           \
    "$SDSIM_PROGRAM fsops fresh.img make.ops -o card.img --force"

/* Changes bytes of card.img: `bytes` in printf's notation, at `lba` x 512 + `offset`. */
static void poke(uint32_t lba, uint32_t offset, const char *bytes)
{
    char command[200];
    (void)snprintf(command, sizeof command,
                   "printf '%s' | dd of=card.img bs=1 seek=%u conv=notrunc", bytes,
                   lba * 512 + offset);
    shell(command);
}

static const char write_data[] = "{do: write, total: 16KiB}";
static const char list_files[] = "{do: list, files: 5}";

/* What a sound image is like: all of them run, and stay as they are. */
static void test_sound(void **state)
{
    (void)state;
    static const char *const makes[] = {
        "--size 64MiB --force fresh.img",
        "--size 64MiB --fats 1 --force fresh.img",
        "--size 64MiB --no-partition --force fresh.img",
        "--size 64MiB --type exfat --force fresh.img",
    };
    static const char *const workloads[] = {write_data, list_files, "{do: read, total: 16KiB}",
                                            "{do: free-space}", "{do: mount}"};
    for (size_t i = 0; i < COUNT(makes); i++) {
        char command[200];
        (void)snprintf(command, sizeof command, "$SDSIM_PROGRAM mkfs %s; " MAKE, makes[i]);
        shell(command);
        shell("cksum card.img >before");
        for (size_t k = 0; k < COUNT(workloads); k++) {
            struct sdsim_test_result result = run(workloads[k]);
            if (result.code != 0) {
                fail_msg("%s, %s: %d, %s", makes[i], workloads[k], result.code, result.err);
            }
            sdsim_test_result_free(&result);
        }
        shell("cksum card.img | cmp - before");
    }
}

/* One fault each in a FAT16 volume that begins at sector 32, its FAT at 64, its root at 96. */
static void test_damaged(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t lba;
        uint32_t offset;
        const char *bytes;
        const char *says[2];
    } rows[] = {
        {"cluster out of range",
         64,
         4,
         "\\376\\177",
         {"/DATA.BIN: its chain leaves the volume behind cluster 2", "(sector 64, FAT 1)"}},
        {"loop",
         64,
         6,
         "\\002\\000",
         {"/DATA.BIN: its chain comes back to cluster 2", "(sector 64, FAT 1)"}},
        {"free cluster in a chain",
         64,
         6,
         "\\000\\000",
         {"/DATA.BIN: cluster 3 is its own but marked as free", "(sector 64, FAT 1)"}},
        {"chain that ends early",
         64,
         6,
         "\\377\\377",
         {"/DATA.BIN: its size needs 3 clusters, it has 2", "(sector 96, directory)"}},
        {"cross link",
         64,
         8,
         "\\005\\000",
         {"/FILES: cluster 5 belongs to /DATA.BIN, too", "(sector 96, directory)"}},
        {"first cluster out of range",
         96,
         26,
         "\\377\\177",
         {"/DATA.BIN: its entry names a first cluster that there is not",
          "(sector 96, directory)"}},
        {"clusters of no size",
         32,
         13,
         "\\000",
         {"there is no FAT12", "sector 32 (boot sector): 0 sectors a cluster"}},
        {"no FATs",
         32,
         16,
         "\\000",
         {"there is no FAT12", "sector 32 (boot sector): 0 FATs instead of 1 or 2"}},
        {"no partition table",
         0,
         510,
         "\\000\\000",
         {"there is no FAT12", "sector 0 (boot sector or partition table)"}},
        {"partition beyond the end",
         0,
         454,
         "\\377\\377\\377\\100",
         {"there is no FAT12", "sector 0 (partition table): partition 1 begins at"}},
        {"volume beyond the end",
         32,
         32,
         "\\040\\000\\002\\000",
         {"the volume goes on to sector 131136, but there are only 131072",
          "(sector 32, boot sector)"}},
    };
    size_t wrong = 0;
    shell("$SDSIM_PROGRAM mkfs --size 64MiB --force fresh.img");
    for (size_t i = 0; i < COUNT(rows); i++) {
        shell(MAKE);
        poke(rows[i].lba, rows[i].offset, rows[i].bytes);
        struct sdsim_test_result result = run(i % 2 == 0 ? write_data : list_files);
        if (result.code != 2 || strstr(result.err, rows[i].says[0]) == NULL ||
            strstr(result.err, rows[i].says[1]) == NULL) {
            wrong++;
            fprintf(stderr, "%s: exit code %d, messages:\n%s", rows[i].name, result.code,
                    result.err);
        }
        sdsim_test_result_free(&result);
    }
    assert_int_equal(wrong, 0);
}

/* exFAT: a wrong sum of the boot region, and of a file's entries in the root directory. */
static void test_damaged_exfat(void **state)
{
    (void)state;
    static const struct {
        const char *find; /* a text on the card, whose first byte is changed */
        const char *says[2];
    } rows[] = {
        {"\\xF4\\xF4\\xF4\\xF4", {"the boot region has a wrong check sum", "boot sector)"}},
        {"D\\x00A\\x00T\\x00A\\x00", {"/: 1 entry set incomplete", "directory)"}},
    };
    shell("$SDSIM_PROGRAM mkfs --size 64MiB --type exfat --force fresh.img");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char command[300];
        shell(MAKE);
        (void)snprintf(command, sizeof command,
                       "at=$(LC_ALL=C grep -obUaP '%s' card.img | head -n 1 | cut -d: -f1); "
                       "printf X | dd of=card.img bs=1 seek=$at conv=notrunc",
                       rows[i].find);
        shell(command);
        struct sdsim_test_result result = run(list_files);
        if (result.code != 2 || strstr(result.err, rows[i].says[0]) == NULL ||
            strstr(result.err, rows[i].says[1]) == NULL) {
            fail_msg("row %zu: exit code %d, messages:\n%s", i, result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* What a power cut leaves is no obstacle: the firmware goes on with it. */
static void test_power_cut(void **state)
{
    (void)state;
    shell("$SDSIM_PROGRAM mkfs --size 64MiB --force fresh.img; "
          "printf 'mount\\nopen /LOG w\\nwrite 1c\\nsync\\nwrite 3c\\n' >cut.ops; "
          "$SDSIM_PROGRAM fsops fresh.img cut.ops -o card.img --force");
    struct sdsim_test_result result = run(list_files);
    if (result.code != 0) {
        fail_msg("exit code %d, messages:\n%s", result.code, result.err);
    }
    sdsim_test_result_free(&result);
}

/* An image that was cut off is no card: wherever it ends, the message says so. */
static void test_cut_off(void **state)
{
    (void)state;
    static const struct {
        const char *size;
        const char *says;
    } rows[] = {
        {"67108352", "the volume goes on to sector 131072, but there are only 131071"},
        {"20000000", "the volume goes on to sector 131072, but there are only 39063"},
        {"40000", "the last 67.07MB are missing (sector 32, boot sector)"},
        {"600",
         "sector 0 (partition table): partition 1 begins at sector 32, but there are only 2"},
        {"1", "there is no FAT12, FAT16, FAT32 or exFAT volume on it: sector 0"},
    };
    shell("$SDSIM_PROGRAM mkfs --size 64MiB --force fresh.img; " MAKE);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char command[80];
        (void)snprintf(command, sizeof command, "truncate -s %s card.img", rows[i].size);
        shell(command);
        struct sdsim_test_result result = run(write_data);
        if (result.code != 2 || strstr(result.err, rows[i].says) == NULL) {
            fail_msg("%s bytes: exit code %d, messages:\n%s", rows[i].size, result.code,
                     result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* What is too large for FAT, or has no room, isn't called a full volume. */
static void test_limits(void **state)
{
    (void)state;
    static const struct {
        const char *workload;
        const char *says;
    } rows[] = {
        {"{do: write, call: 1GiB, total: 4GiB}", "as large as a file on FAT may be"},
        {"{do: append, call: 1GiB, times: 4, total: 1GiB}", "as large as a file on FAT may be"},
        {"{do: write, total: 4GiB, preallocate: yes}", "may not be as large as"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char set[120];
        (void)snprintf(set, sizeof set, "workload=%s", rows[i].workload);
        const char *const arguments[] = {"run",   scenario, "--draws",
                                         "0",     "--set",  "card={base: plain, capacity: 16GB}",
                                         "--set", set,      NULL};
        struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
        if (result.code != 1 || strstr(result.err, rows[i].says) == NULL) {
            fail_msg("%s: exit code %d, messages:\n%s", rows[i].workload, result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

int main(void)
{
    sdsim_test_need_program();
    scenario = sdsim_test_path("scenario.yaml");
    sdsim_test_write_text(scenario, "kind: scenario\nboard: devkit\ncard: plain\n");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),         cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_damaged_exfat), cmocka_unit_test(test_power_cut),
        cmocka_unit_test(test_cut_off),       cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The survey of volumes that other people's tools made: mkfs.fat, mkfs.exfat, mtools and sgdisk.
 * They have no finding, their files lie where mtools says, and a volume in a GPT is found.
 *
 * Skipped without dosfstools, exfatprogs, mtools and gdisk.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat/engines.h"
#include "fat/layout.h"
#include "fat/medium_disk.h"
#include "scratch.h"

#define SKIPPED      77
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define AU_SECTORS   8192u

/* Runs shell commands in the folder; what they print goes to the file log. */
static void run(const char *commands)
{
    char whole[1200];
    (void)snprintf(whole, sizeof whole, "cd %s && { %s; } >log 2>&1", sdsim_test_folder(),
                   commands);
    if (system(whole) != 0) {
        (void)snprintf(whole, sizeof whole, "cat %s/log >&2", sdsim_test_folder());
        (void)!system(whole);
        fail_msg("failed: %s", commands);
    }
}

static struct sdsim_medium *load(const char *name, uint32_t sectors)
{
    const char *path = sdsim_test_path(name);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(sectors, 0);
    assert_non_null(medium);
    const bool loaded = sdsim_medium_load(medium, 0, path, &diags);
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    assert_true(loaded);
    return medium;
}

static struct sdsim_layout *survey(struct sdsim_medium *medium, const char *path)
{
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    const struct sdsim_layout_wishes wishes = {.au_sectors = AU_SECTORS, .path = path};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_layout *layout = sdsim_layout_create(&disk, &wishes, &diags);
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    return layout;
}

static void expect_no_finding(const struct sdsim_layout *layout, const char *name)
{
    for (size_t i = 0; i < layout->finding_count; i++) {
        fprintf(stderr, "%s: %s\n", name, sdsim_finding_name(layout->findings[i].kind));
    }
    assert_int_equal(layout->finding_total, 0);
}

/* ---- volumes without partition table ---- */

static void test_formatters(void **state)
{
    (void)state;
    static const struct {
        const char *command;
        uint32_t sectors;
        enum sdsim_fat_type type;
        const char *label;
        uint32_t cluster_sectors;
        uint32_t used;
    } rows[] = {
        {"mkfs.fat -C image 1440 -n FLOPPY", 2880, SDSIM_FAT12, "FLOPPY", 1, 0},
        {"truncate -s 16M image && mkfs.fat -F 12 -s 16 -f 1 image", 32768, SDSIM_FAT12, "", 16, 0},
        {"truncate -s 64M image && mkfs.fat -F 16 -s 4 -n SIXTEEN image", 131072, SDSIM_FAT16,
         "SIXTEEN", 4, 0},
        {"truncate -s 512M image && mkfs.fat -F 32 -s 8 -n 'MY CARD' image", 1048576, SDSIM_FAT32,
         "MY CARD", 8, 1},
        {"truncate -s 1G image && mkfs.fat -F 32 -s 1 -f 1 image", 2097152, SDSIM_FAT32, "", 1, 1},
        {"truncate -s 64M image && mkfs.exfat -c 4K -L Foto image", 131072, SDSIM_EXFAT, "Foto", 8,
         4},
        {"truncate -s 4G image && mkfs.exfat -c 128K image", 8388608, SDSIM_EXFAT, "", 256, 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        run("rm -f image");
        run(rows[i].command);
        struct sdsim_medium *medium = load("image", rows[i].sectors);
        struct sdsim_layout *layout = survey(medium, NULL);
        assert_non_null(layout);
        expect_no_finding(layout, rows[i].command);
        assert_int_equal(layout->partition.table, SDSIM_TABLE_NONE);
        if (layout->geometry.type != rows[i].type || strcmp(layout->label, rows[i].label) != 0 ||
            layout->geometry.cluster_sectors != rows[i].cluster_sectors ||
            layout->space.used != rows[i].used) {
            fail_msg("%s: %s '%s', %u sectors a cluster, %u used", rows[i].command,
                     sdsim_fat_type_name(layout->geometry.type), layout->label,
                     layout->geometry.cluster_sectors, layout->space.used);
        }
        sdsim_layout_destroy(layout);
        sdsim_medium_destroy(medium);
    }
}

/* ---- files ---- */

/* The runs of a file the way mshowfat prints them: "<2-11> <23>". */
static void print_runs(const struct sdsim_layout_chosen *chosen, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < chosen->run_count && used < size; i++) {
        const struct sdsim_cluster_run *piece = &chosen->runs[i];
        if (piece->count == 1) {
            used += (size_t)snprintf(out + used, size - used, " <%u>", piece->first);
        } else {
            used += (size_t)snprintf(out + used, size - used, " <%u-%u>", piece->first,
                                     piece->first + piece->count - 1);
        }
    }
}

static void expect_runs_as_mtools(struct sdsim_medium *medium, const char *path)
{
    char command[200];
    char line[1000] = "";
    char ours[1000];
    (void)snprintf(command, sizeof command, "mshowfat -i image '::%s'", path);
    run(command);
    FILE *log = fopen(sdsim_test_path("log"), "r");
    assert_non_null(log);
    assert_non_null(fgets(line, sizeof line, log));
    (void)fclose(log);
    line[strcspn(line, "\n")] = '\0';
    const char *theirs = strstr(line, " <");
    assert_non_null(theirs);
    while (theirs[-1] == ' ') {
        theirs--;
    }
    struct sdsim_layout *layout = survey(medium, path);
    assert_non_null(layout);
    expect_no_finding(layout, path);
    print_runs(&layout->chosen, ours, sizeof ours);
    assert_string_equal(ours, theirs);
    sdsim_layout_destroy(layout);
}

static void test_files_of_mtools(void **state)
{
    (void)state;
    static const char *const formats[] = {
        "truncate -s 16M image && mkfs.fat -F 12 -s 16 image",
        "truncate -s 16M image && mkfs.fat -F 16 -s 1 image",
        "truncate -s 64M image && mkfs.fat -F 32 -s 1 image",
    };
    static const char *const paths[] = {"/B.BIN", "/SUB/long name, with points.and.more.dat",
                                        "/SUB/DEEP/\303\204rger im \303\226l.txt"};
    static const uint32_t sectors[] = {32768, 32768, 131072};
    for (size_t i = 0; i < COUNT(formats); i++) {
        run("rm -f image && head -c 10000 /dev/zero >small && head -c 900000 /dev/zero >large");
        run(formats[i]);
        run("export LC_ALL=C.UTF-8; mmd -i image ::SUB ::SUB/DEEP && mcopy -i image small ::A.BIN "
            "&& "
            "mcopy -i image small ::B.BIN && mcopy -i image small ::SUB/C.BIN && "
            "mdel -i image ::A.BIN ::SUB/C.BIN && "
            "mcopy -i image large '::SUB/long name, with points.and.more.dat' && "
            "mcopy -i image small '::SUB/DEEP/\303\204rger im \303\226l.txt'");
        struct sdsim_medium *medium = load("image", sectors[i]);
        struct sdsim_layout *layout = survey(medium, NULL);
        assert_non_null(layout);
        expect_no_finding(layout, formats[i]);
        assert_int_equal(layout->tree.files, 3);
        assert_int_equal(layout->tree.directories, 2);
        assert_int_equal(layout->tree.bytes, 920000);
        sdsim_layout_destroy(layout);
        for (size_t k = 0; k < COUNT(paths); k++) {
            expect_runs_as_mtools(medium, paths[k]);
        }
        sdsim_medium_destroy(medium);
    }
}

/* ---- GPT ---- */

#define GPT_SECTORS 524288u /* 256 MiB */

/* Two partitions; the second has the volume. */
static void make_gpt(const char *volume)
{
    char command[400];
    (void)snprintf(command, sizeof command,
                   "rm -f image part && truncate -s 256M image && "
                   "sgdisk -n 1:2048:+20M -t 1:8300 -n 2:65536:+128M -t 2:0700 image && "
                   "truncate -s 128M part && %s part && "
                   "dd if=part of=image bs=512 seek=65536 conv=notrunc,sparse",
                   volume);
    run(command);
}

static void test_gpt(void **state)
{
    (void)state;
    static const struct {
        const char *command;
        enum sdsim_fat_type type;
    } rows[] = {
        {"mkfs.fat -F 16 -s 8", SDSIM_FAT16},
        {"mkfs.fat -F 32 -s 1", SDSIM_FAT32},
        {"mkfs.exfat -c 32K", SDSIM_EXFAT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        make_gpt(rows[i].command);
        struct sdsim_medium *medium = load("image", GPT_SECTORS);
        struct sdsim_layout *layout = survey(medium, NULL);
        assert_non_null(layout);
        expect_no_finding(layout, rows[i].command);
        assert_int_equal(layout->geometry.type, rows[i].type);
        assert_int_equal(layout->geometry.start, 65536);
        assert_int_equal(layout->partition.table, SDSIM_TABLE_GPT);
        assert_int_equal(layout->partition.number, 2);
        assert_int_equal(layout->partition.sectors, 262144);
        sdsim_layout_destroy(layout);
        sdsim_medium_destroy(medium);
    }
}

/* Firmware does not find it. */
static void test_gpt_in_firmware(void **state)
{
    (void)state;
    make_gpt("mkfs.fat -F 32 -s 1");
    struct sdsim_medium *medium = load("image", GPT_SECTORS);
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    const struct sdsim_volume_config configs[] = {sdsim_engine_find("esp-idf-full")->config,
                                                  sdsim_engine_find("circuitpython")->config};
    for (size_t i = 0; i < COUNT(configs); i++) {
        struct sdsim_volume volume = {0};
        sdsim_ps now = 0;
        assert_int_equal(sdsim_volume_mount(&volume, &disk, &configs[i], &now),
                         SDSIM_FAT_NO_FILE_SYSTEM);
    }
    sdsim_medium_destroy(medium);
}

static void test_damaged_gpt(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t lba;
        uint32_t offset;
        uint8_t value;
        bool found; /* the volume */
        enum sdsim_finding_kind kind;
    } rows[] = {
        {"sum of the header", 1, 16, 0x5A, true, SDSIM_FINDING_GPT_SUM},
        {"disk GUID", 1, 60, 0x5A, true, SDSIM_FINDING_GPT_SUM},
        {"name in an entry", 2, 128 + 57, 0x5A, true, SDSIM_FINDING_GPT_SUM},
        {"unused entry", 20, 300, 0x5A, true, SDSIM_FINDING_GPT_SUM},
        {"second header", GPT_SECTORS - 1, 0, 'X', true, SDSIM_FINDING_GPT_BACKUP},
        {"sum of the second header", GPT_SECTORS - 1, 16, 0x5A, true, SDSIM_FINDING_GPT_BACKUP},
        {"place of the second header", 1, 38, 1, true, SDSIM_FINDING_GPT_BACKUP},
        {"signature", 1, 0, 'X', false, 0},
        {"number of entries", 1, 83, 0x80, false, 0},
        {"size of an entry", 1, 84, 0x81, false, 0},
        {"place of the entries", 1, 75, 0xFF, false, 0},
        {"place of the volume", 2, 128 + 39, 0x7F, false, 0},
    };
    make_gpt("mkfs.fat -F 32 -s 1");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_medium *medium = load("image", GPT_SECTORS);
        uint8_t bytes[SDSIM_SECTOR];
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = bytes};
        sdsim_medium_read(medium, rows[i].lba, 1, bytes);
        /* Sums and GUIDs are random here: one in 256 has the value already. */
        const bool same = bytes[rows[i].offset] == rows[i].value;
        bytes[rows[i].offset] = same ? rows[i].value ^ 0xFF : rows[i].value;
        assert_true(sdsim_medium_write(medium, rows[i].lba, 1, &content));
        const struct sdsim_disk disk = sdsim_medium_disk(medium);
        const struct sdsim_layout_wishes wishes = {.au_sectors = AU_SECTORS};
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_layout *layout = sdsim_layout_create(&disk, &wishes, &diags);
        if ((layout != NULL) != rows[i].found) {
            fail_msg("%s: the volume is %sfound", rows[i].name, layout != NULL ? "" : "not ");
        }
        bool reported = layout == NULL;
        for (size_t k = 0; layout != NULL && k < layout->finding_count; k++) {
            reported = reported || layout->findings[k].kind == rows[i].kind;
        }
        if (!reported) {
            fail_msg("%s: no finding %s", rows[i].name, sdsim_finding_name(rows[i].kind));
        }
        sdsim_layout_destroy(layout);
        sdsim_diags_free(&diags);
        sdsim_medium_destroy(medium);
    }
}

/* An image of a card that was copied only to the end of its volume. */
static void test_gpt_cut_off(void **state)
{
    (void)state;
    make_gpt("mkfs.fat -F 16 -s 8");
    run("truncate -s 100M image");
    struct sdsim_medium *medium = load("image", 204800);
    struct sdsim_layout *layout = survey(medium, NULL);
    assert_non_null(layout);
    assert_int_equal(layout->finding_total, 2);
    assert_int_equal(layout->findings[0].kind, SDSIM_FINDING_GPT_BACKUP);
    assert_int_equal(layout->findings[1].kind, SDSIM_FINDING_TRUNCATED);
    sdsim_layout_destroy(layout);
    sdsim_medium_destroy(medium);
}

/* ---- */

int main(void)
{
    if (system("for tool in mkfs.fat mkfs.exfat mmd mcopy mdel mshowfat sgdisk; do "
               "command -v $tool >/dev/null || { echo \"skipped: there is no $tool\"; exit 1; }; "
               "done") != 0) {
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formatters),  cmocka_unit_test(test_files_of_mtools),
        cmocka_unit_test(test_gpt),         cmocka_unit_test(test_gpt_in_firmware),
        cmocka_unit_test(test_damaged_gpt), cmocka_unit_test(test_gpt_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

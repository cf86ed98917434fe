/*
 * mkfs, fsops and layout as a user meets them: what they print (in tests/golden/fsops), exit codes,
 * messages, and which files they leave and don't touch.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fsops_bench.h"
#include "golden.h"
#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST_WORDS   12

/* ---- what is printed ---- */

static void test_golden(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int code;
        const char *const arguments[MOST_WORDS];
    } rows[] = {
        {"help-mkfs.txt", 0, {"mkfs", "--help"}},
        {"help-fsops.txt", 0, {"fsops", "--help"}},
        {"help-layout.txt", 0, {"layout", "--help"}},
        {"mkfs-fat16.txt", 0, {"mkfs", "16.img", "--size", "64MiB", "--label", "SMALL"}},
        {"mkfs-fat32.txt", 0, {"mkfs", "32.img", "--size", "32GB", "--seed", "7"}},
        {"mkfs-exfat.txt", 0, {"mkfs", "ex.img", "--size", "256GB", "--cluster", "256KiB"}},
        {"mkfs-floppy.txt",
         0,
         {"mkfs", "floppy.img", "--size", "1440KiB", "--no-partition", "--cluster", "512B"}},
        {"mkfs-card.json", 0, {"mkfs", "card.img", "--card", "plain", "--json"}},
        {"trace-fat16.blocks", 0, {"fsops", "16.img", "cut.ops", "-o", "cut.img"}},
        {"trace-exfat.blocks", 0, {"fsops", "ex.img", "cut.ops"}},
        {"trace-tiny.blocks",
         0,
         {"fsops", "new:16MiB:fat12:4KiB", "cut.ops", "--engine", "circuitpython"}},
        {"summary.txt", 0, {"fsops", "32.img", "cut.ops", "--summary"}},
        {"summary.json", 0, {"fsops", "32.img", "cut.ops", "--summary", "--json"}},
        {"trace.json", 0, {"fsops", "new:32GB", "short.ops", "--json"}},
        {"layout-fresh.txt", 0, {"layout", "32.img", "--au", "8MiB"}},
        {"layout-cut.txt", 1, {"layout", "cut.img", "logs/log.txt", "--card", "plain"}},
        {"layout-cut.json", 1, {"layout", "cut.img", "/LOGS/LOG.TXT", "--json"}},
    };
    sdsim_test_write_text("cut.ops", sdsim_test_power_cut);
    sdsim_test_write_text("short.ops", "mount\nopen /A w\nwrite 1000\nclose\nstat /A\n");
    bool same = true;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char path[PATH_MAX + 80];
        struct sdsim_test_result result = sdsim_test_fsops_run(rows[i].arguments, NULL);
        (void)snprintf(path, sizeof path, "%s/tests/golden/fsops/%s", sdsim_test_fsops_source(),
                       rows[i].file);
        same = sdsim_test_golden(path, result.out) && same;
        if (result.code != rows[i].code || result.err[0] != '\0') {
            fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(rows[i].arguments),
                     result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
    assert_true(same);
}

/* Nothing that is made for a terminal is wider than one. */
static void test_80_columns(void **state)
{
    (void)state;
    static const char *const rows[][MOST_WORDS] = {
        {"mkfs", "--help"},
        {"fsops", "--help"},
        {"layout", "--help"},
        {"mkfs", "wide.img", "--size", "2TB", "--type", "fat32", "--force"},
        {"layout", "wide.img"},
        {"fsops", "new:2TB:exfat", "wide.ops", "--summary", "-o", "wide2.img", "--force"},
        {"layout", "wide2.img", "/A name that is as long as names of files sometimes are.bin"},
    };
    sdsim_test_write_text(
        "wide.ops",
        "mount\nopen \"/A name that is as long as names of files sometimes are.bin\" w\n"
        "expand 900000m\nclose\nopen /B w\nwrite 3m\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_result result = sdsim_test_fsops_run(rows[i], NULL);
        assert_true(result.code <= 1);
        for (const char *line = result.out; *line != '\0';) {
            const size_t size = strcspn(line, "\n");
            if (size > 80) {
                fail_msg("%s: %zu columns:\n%.*s", sdsim_test_command(rows[i]), size, (int)size,
                         line);
            }
            line += size + (line[size] == '\n');
        }
        sdsim_test_result_free(&result);
    }
}

/* ---- what is refused ---- */

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        int code;
        const char *message;
        const char *const arguments[MOST_WORDS];
    } rows[] = {
        {2, "how large is the card?", {"mkfs", "x.img"}},
        {2, "--size takes a size with a unit", {"mkfs", "x.img", "--size", "32"}},
        {2, "--size takes less than 2TiB, not '2TiB'", {"mkfs", "x.img", "--size", "2TiB"}},
        {2, "--size takes less than 2TiB", {"mkfs", "x.img", "--size", "99999999999999999GiB"}},
        {2, "--au takes less than 2TiB", {"layout", "x.img", "--au", "99999999999999999GiB"}},
        {2, "multiple of 512 bytes, not", {"mkfs", "x.img", "--size", "1000B"}},
        {2, "did you mean 'exfat'", {"mkfs", "x.img", "--size", "1GB", "--type", "exfta"}},
        {2, "1 or 2 FATs", {"mkfs", "x.img", "--size", "1GB", "--fats", "3"}},
        {2, "--fats takes a whole number", {"mkfs", "x.img", "--size", "1GB", "--fats", "two"}},
        {2, "no power of two", {"mkfs", "x.img", "--size", "1GB", "--cluster", "3KiB"}},
        {2, "clusters as large as that", {"mkfs", "x.img", "--size", "1GB", "--cluster", "4GiB"}},
        {2, "volume label", {"mkfs", "x.img", "--size", "1GB", "--label", "a:b"}},
        {2,
         "FAT32 needs",
         {"mkfs", "x.img", "--size", "2TB", "--type", "fat32", "--cluster", "1KiB"}},
        {2, "there is no card 'none'", {"mkfs", "x.img", "--card", "none"}},
        {2, "missing arguments", {"mkfs", "--size", "1GB"}},
        {2, "--force replaces it", {"mkfs", "there.img", "--size", "1GB"}},
        {2, "no regular file", {"mkfs", "/dev/null", "--size", "1GB", "--force"}},
        {3, "can't be created", {"mkfs", "none/x.img", "--size", "1GB"}},
        {2, "'': No such file", {"mkfs", "", "--size", "1GB"}},
        {2, "too small", {"mkfs", "x.img", "--size", "64KiB"}},
        {2, "one FAT", {"mkfs", "x.img", "--size", "1GB", "--type", "exfat", "--fats", "2"}},
        {2, "there is no engine 'idf'", {"fsops", "new:1GB", "good.ops", "--engine", "idf"}},
        {2, "new:SIZE takes a size", {"fsops", "new:", "good.ops"}},
        {2, "no volume type 'fat23'", {"fsops", "new:1GB:fat23", "good.ops"}},
        {2, "a new volume is", {"fsops", "new:1GB:fat32:4KiB:1", "good.ops"}},
        {2, "cannot read none.ops", {"fsops", "new:1GB", "none.ops"}},
        {2, "bad.ops:2:1: error: no file operation: 'wrte'", {"fsops", "new:1GB", "bad.ops"}},
        {2, "bad.ops:3:6: error: no number of bytes", {"fsops", "new:1GB", "bad.ops"}},
        {2, "none.img: error: can't be opened", {"fsops", "none.img", "good.ops"}},
        {2, "--force replaces it", {"fsops", "new:1GB", "good.ops", "-o", "there.img"}},
        {3, "cannot write to none/x.img", {"fsops", "new:1GB", "good.ops", "-o", "none/x.img"}},
        {2, "none.img: error: can't be opened", {"layout", "none.img"}},
        {2, "there is no FAT12, FAT16, FAT32 or exFAT volume", {"layout", "good.ops"}},
        {2, "there is no file '/NONE'", {"layout", "there.img", "/NONE"}},
        {2, "exclude each other", {"layout", "there.img", "--au", "1MiB", "--card", "plain"}},
        {2, "at least 16KiB", {"layout", "there.img", "--au", "512B"}},
        {2, "--au takes", {"layout", "there.img", "--au", "large"}},
        {2, ".svg and .png", {"layout", "there.img", "--picture", "map.gif"}},
        {2, ".svg and .png", {"layout", "there.img", "--picture", "folder.png/map"}},
        {2, "goes with --picture", {"layout", "there.img", "--keep-plot"}},
        {3, "cannot write to", {"layout", "there.img", "--picture", "none/map.svg"}},
    };
    sdsim_test_fsops_expect((const char *const[]){"mkfs", "there.img", "--size", "64MiB", NULL}, 0);
    sdsim_test_write_text("good.ops", "mount\n");
    sdsim_test_write_text("bad.ops", "mount\nwrte 5\nread x\n");
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_result result = sdsim_test_fsops_run(rows[i].arguments, NULL);
        if (result.code != rows[i].code || strstr(result.err, rows[i].message) == NULL) {
            wrong++;
            fprintf(stderr, "%s: exit code %d, messages:\n%s",
                    sdsim_test_command(rows[i].arguments), result.code, result.err);
        }
        if (rows[i].code == 2 && result.out[0] != '\0') {
            wrong++;
            fprintf(stderr, "%s: prints\n%s", sdsim_test_command(rows[i].arguments), result.out);
        }
        sdsim_test_result_free(&result);
    }
    assert_int_equal(wrong, 0);
    assert_false(sdsim_test_exists("x.img"));
}

/* What works, but deserves a word. */
static void test_warnings(void **state)
{
    (void)state;
    sdsim_test_write_text("unmounted.ops", "open /A w\n");
    struct sdsim_test_result result = sdsim_test_fsops_run(
        (const char *const[]){"fsops", "new:1GB", "unmounted.ops", NULL}, NULL);
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.err, "unmounted.ops:1: warning: nothing is mounted yet"));
    assert_string_equal(result.out, "#@ 1 rc=12\n#end ops=1 blockops=0 read=0 written=0\n");
    sdsim_test_result_free(&result);

    sdsim_test_write_text("empty.img", "no volume");
    sdsim_test_write_text("good.ops", "mount\n");
    result =
        sdsim_test_fsops_run((const char *const[]){"fsops", "empty.img", "good.ops", NULL}, NULL);
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.err, "warning: the engine finds no volume to mount: there is no "
                                       "FAT12, FAT16, FAT32 or exFAT volume on it: sector 0"));
    assert_non_null(strstr(result.out, "#@ 1 rc=13\nR 0 1 # boot\n"));
    sdsim_test_result_free(&result);
}

/* Windows puts a mark in front of UTF-8. */
static void test_marked_list(void **state)
{
    (void)state;
    sdsim_test_write_text("marked.ops", "\xEF\xBB\xBFmount\r\nfree\r\n");
    struct sdsim_test_result result =
        sdsim_test_fsops_run((const char *const[]){"fsops", "new:64MiB", "marked.ops", NULL}, NULL);
    assert_int_equal(result.code, 0);
    assert_string_equal(result.err, "");
    assert_non_null(strstr(result.out, "#@ 2 clusters="));
    sdsim_test_result_free(&result);
}

/* Operations that meet damage are answered with its place, the trace is that of the firmware. */
static void test_damaged_volume(void **state)
{
    (void)state;
    sdsim_test_write_text("make.ops", "mount\nopen /A w\nwrite 3c\nclose\n");
    sdsim_test_write_text("read.ops", "mount\nopen /A r\nread 1\n\nread 3c\n");
    sdsim_test_fsops_expect(
        (const char *const[]){"fsops", "new:64MiB", "make.ops", "-o", "damaged.img", NULL}, 0);
    FILE *file = fopen("damaged.img", "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 64 * 512 + 2 * 2, SEEK_SET), 0); /* the entry of cluster 2 */
    assert_int_equal(fputc(1, file), 1);                          /* is followed by cluster 1 */
    assert_int_equal(fputc(0, file), 0);
    assert_int_equal(fclose(file), 0);
    struct sdsim_test_result result =
        sdsim_test_fsops_run((const char *const[]){"fsops", "damaged.img", "read.ops", NULL}, NULL);
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.out, "#@ 5 rc=2"));
    assert_non_null(strstr(result.err, "read.ops:5: warning: rc=2, volume is corrupt: /A: its "
                                       "chain leaves the volume behind cluster 2"));
    assert_non_null(strstr(result.err, "(sector 64, FAT 1)"));
    sdsim_test_result_free(&result);
}

/* ---- files ---- */

/* The only file of the folder whose name begins with `start` is `start` itself. */
static void expect_alone(const char *start)
{
    DIR *all = opendir(".");
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
        if (strncmp(entry->d_name, start, strlen(start)) == 0 &&
            strcmp(entry->d_name, start) != 0) {
            fail_msg("%s is left behind", entry->d_name);
        }
    }
    assert_int_equal(closedir(all), 0);
}

/* Killed half-way (by the limit of a file's size), it leaves the old image as it was, and nothing
 * beside it. */
static void test_killed(void **state)
{
    (void)state;
    char command[PATH_MAX + 200];
    struct stat before;
    struct stat after;
    sdsim_test_write_text("long.ops", "mount\nopen /A w\nwrite 30m\nclose\n");
    sdsim_test_fsops_expect((const char *const[]){"mkfs", "victim.img", "--size", "8MiB", NULL}, 0);
    assert_int_equal(stat("victim.img", &before), 0);
    (void)snprintf(command, sizeof command,
                   "ulimit -c 0; ulimit -f 20000; exec %s fsops new:64MiB long.ops --summary -o "
                   "victim.img --force >/dev/null 2>&1",
                   getenv("SDSIM_PROGRAM"));
    assert_true(system(command) != 0);
    assert_int_equal(stat("victim.img", &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_size, after.st_size);
    expect_alone("victim.img");
}

/* A link stays a link; one that leads nowhere is refused. */
static void test_links(void **state)
{
    (void)state;
    struct stat status;
    sdsim_test_fsops_expect((const char *const[]){"mkfs", "real.img", "--size", "8MiB", NULL}, 0);
    assert_int_equal(symlink("real.img", "link.img"), 0);
    assert_int_equal(symlink("nowhere.img", "lost.img"), 0);
    sdsim_test_fsops_expect(
        (const char *const[]){"mkfs", "link.img", "--size", "16MiB", "--force", NULL}, 0);
    assert_int_equal(lstat("link.img", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat("real.img", &status), 0);
    assert_int_equal(status.st_size, 16 << 20);
    sdsim_test_fsops_expect(
        (const char *const[]){"mkfs", "lost.img", "--size", "8MiB", "--force", NULL}, 2);
    assert_int_equal(lstat("lost.img", &status), 0);
    assert_false(sdsim_test_exists("nowhere.img"));
}

/* A trace nobody reads to its end: the image that was asked for is there all the same. */
static void test_full_output(void **state)
{
    (void)state;
    sdsim_test_write_text("trace.ops", "mount\nopen /A w\nwrite 1 *5000\nclose\n");
    struct sdsim_test_result result = sdsim_test_fsops_run(
        (const char *const[]){"fsops", "new:64MiB", "trace.ops", "-o", "full.img", NULL},
        ">/dev/full");
    assert_int_equal(result.code, 3);
    assert_non_null(strstr(result.err, "cannot write to standard output"));
    sdsim_test_result_free(&result);
    sdsim_test_fsops_expect((const char *const[]){"layout", "full.img", "/A", NULL}, 0);
    result = sdsim_test_fsops_run((const char *const[]){"fsops", "new:64MiB", "trace.ops", NULL},
                                  ">/dev/full");
    assert_int_equal(result.code, 3);
    sdsim_test_result_free(&result);
}

/* The image stays as it is, to the byte and the second; the new one has what was written. */
static void test_image_is_not_changed(void **state)
{
    (void)state;
    struct stat before;
    struct stat after;
    size_t size;
    size_t size_after;
    sdsim_test_fsops_expect((const char *const[]){"mkfs", "kept.img", "--size", "16MiB", NULL}, 0);
    sdsim_test_write_text("write.ops", "mount\nopen /A.BIN w\nwrite 100000\nclose\n");
    char *bytes = sdsim_test_read_file("kept.img", &size);
    assert_int_equal(stat("kept.img", &before), 0);
    sdsim_test_fsops_expect((const char *const[]){"fsops", "kept.img", "write.ops", NULL}, 0);
    sdsim_test_fsops_expect(
        (const char *const[]){"fsops", "kept.img", "write.ops", "-o", "new.img", NULL}, 0);
    sdsim_test_fsops_expect((const char *const[]){"layout", "kept.img", NULL}, 0);
    char *bytes_after = sdsim_test_read_file("kept.img", &size_after);
    assert_int_equal(stat("kept.img", &after), 0);
    assert_int_equal(size, size_after);
    assert_memory_equal(bytes, bytes_after, size);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_mtime, after.st_mtime);
    sdsim_test_fsops_expect((const char *const[]){"layout", "kept.img", "/A.BIN", NULL}, 2);
    sdsim_test_fsops_expect((const char *const[]){"layout", "new.img", "/A.BIN", NULL}, 0);
    free(bytes);
    free(bytes_after);
    /* The image may be replaced by what comes out of it, if that is wanted. */
    sdsim_test_fsops_expect(
        (const char *const[]){"fsops", "kept.img", "write.ops", "-o", "kept.img", "--force", NULL},
        0);
    sdsim_test_fsops_expect((const char *const[]){"layout", "kept.img", "/A.BIN", NULL}, 0);
}

/* A refused or failed command leaves no file; the same options make the same bytes. */
static void test_mkfs_files(void **state)
{
    (void)state;
    size_t size;
    size_t other_size;
    sdsim_test_fsops_expect(
        (const char *const[]){"mkfs", "a.img", "--size", "8MiB", "--seed", "1", NULL}, 0);
    sdsim_test_fsops_expect(
        (const char *const[]){"mkfs", "b.img", "--size", "8MiB", "--seed", "1", NULL}, 0);
    sdsim_test_fsops_expect(
        (const char *const[]){"mkfs", "c.img", "--size", "8MiB", "--seed", "2", NULL}, 0);
    char *a = sdsim_test_read_file("a.img", &size);
    char *b = sdsim_test_read_file("b.img", &other_size);
    char *c = sdsim_test_read_file("c.img", &other_size);
    assert_int_equal(size, 8 << 20);
    assert_memory_equal(a, b, size);
    assert_true(memcmp(a, c, size) != 0);
    free(a);
    free(b);
    free(c);
    sdsim_test_fsops_expect(
        (const char *const[]){"mkfs", "a.img", "--size", "16MiB", "--force", NULL}, 0);
    struct stat status;
    assert_int_equal(stat("a.img", &status), 0);
    assert_int_equal(status.st_size, 16 << 20);
    /* A file that stands for 64 GB takes next to no room. */
    sdsim_test_fsops_expect((const char *const[]){"mkfs", "sparse.img", "--size", "64GB", NULL}, 0);
    assert_int_equal(stat("sparse.img", &status), 0);
    assert_int_equal(status.st_size, 64000000000);
    assert_true(status.st_blocks < 4096);
}

static void test_list_from_standard_input(void **state)
{
    (void)state;
    char row[PATH_MAX + 20];
    sdsim_test_write_text("in.ops", "mount\nfree\n");
    (void)snprintf(row, sizeof row, "<%s/in.ops", sdsim_test_folder());
    struct sdsim_test_result result =
        sdsim_test_fsops_run((const char *const[]){"fsops", "new:64MiB", "-", NULL}, row);
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.out, "#@ 2 clusters="));
    sdsim_test_result_free(&result);
    sdsim_test_write_text("in.ops", "mount\nfreee\n");
    result = sdsim_test_fsops_run((const char *const[]){"fsops", "new:64MiB", "-", NULL}, row);
    assert_int_equal(result.code, 2);
    assert_non_null(strstr(result.err, "<stdin>:2:1: error: no file operation: 'freee'"));
    sdsim_test_result_free(&result);
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden), /* first: the others use its images */
        cmocka_unit_test(test_80_columns),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_marked_list),
        cmocka_unit_test(test_damaged_volume),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_full_output),
        cmocka_unit_test(test_image_is_not_changed),
        cmocka_unit_test(test_mkfs_files),
        cmocka_unit_test(test_list_from_standard_input),
    };
    return cmocka_run_group_tests(tests, sdsim_test_fsops_enter, sdsim_test_fsops_leave);
}

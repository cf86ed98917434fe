/* Image files under a medium, and media written to image files. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* SEEK_HOLE */
#endif
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "core/rng.h"
#include "flash/medium.h"
#include "unit/medium_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Files of the tests, in a directory of their own. */
struct folder {
    char path[64];
};

static int make_folder(void **state)
{
    static struct folder folder;
    strcpy(folder.path, "/tmp/sdsim-test-medium-XXXXXX");
    *state = &folder;
    return mkdtemp(folder.path) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    return rmdir(((const struct folder *)*state)->path);
}

static const char *name_in(void *const *state, const char *name, char out[128])
{
    snprintf(out, 128, "%s/%s", ((const struct folder *)*state)->path, name);
    return out;
}

static void write_file(const char *path, size_t size, size_t (*fill)(uint8_t *bytes, size_t size))
{
    uint8_t *const bytes = malloc(size);
    assert_non_null(bytes);
    fill(bytes, size);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

static size_t fill_with_stream(uint8_t *bytes, size_t size)
{
    sdsim_generate(999, 0, bytes, size);
    return size;
}

static void image_lies_over_the_medium(void **state)
{
    char path[128];
    write_file(name_in(state, "image", path), 10 * SDSIM_SECTOR + 100, fill_with_stream);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *const medium = sdsim_medium_create(100, 0xFF);
    sdsim_test_write_generated(medium, 0, 100, 5, 0);
    assert_true(sdsim_medium_load(medium, 20, path, &diags));
    assert_int_equal(diags.errors, 0);

    uint8_t expected[100 * SDSIM_SECTOR];
    sdsim_generate(5, 0, expected, sizeof(expected));
    memset(expected + 20 * SDSIM_SECTOR, 0, 11 * SDSIM_SECTOR);
    sdsim_generate(999, 0, expected + 20 * SDSIM_SECTOR, 10 * SDSIM_SECTOR + 100);
    uint8_t got[100 * SDSIM_SECTOR];
    sdsim_medium_read(medium, 0, 100, got);
    assert_memory_equal(got, expected, sizeof(got));
    assert_false(sdsim_medium_failed(medium));
    sdsim_medium_read(medium, 30, 1, got); /* the partial one alone */
    assert_memory_equal(got, expected + 30 * SDSIM_SECTOR, SDSIM_SECTOR);

    /* Content of an image and the same as generated content, and as the image of a copy. */
    struct sdsim_medium *const same = sdsim_medium_create(100, 0x00);
    sdsim_test_write_generated(same, 0, 100, 5, 0);
    sdsim_test_write_generated(same, 20, 10, 999, 0);
    const struct sdsim_content last = {.kind = SDSIM_CONTENT_BYTES,
                                       .bytes = expected + 30 * SDSIM_SECTOR};
    assert_true(sdsim_medium_write(same, 30, 1, &last));
    assert_true(sdsim_medium_equal(medium, same));
    struct sdsim_medium *const copy = sdsim_medium_copy(medium);
    sdsim_medium_destroy(medium); /* the copy still reads from the file */
    assert_true(sdsim_medium_equal(copy, same));

    /* Writes go over the image, not into the file. */
    sdsim_test_write_generated(copy, 25, 1, 6, 0);
    assert_true(sdsim_medium_erase(copy, 27, 1));
    sdsim_generate(6, 0, expected + 25 * SDSIM_SECTOR, SDSIM_SECTOR);
    memset(expected + 27 * SDSIM_SECTOR, 0xFF, SDSIM_SECTOR);
    sdsim_medium_read(copy, 0, 100, got);
    assert_memory_equal(got, expected, sizeof(got));
    assert_false(sdsim_medium_equal(copy, same));

    /* The same file twice: two images with the same content. */
    struct sdsim_medium *const twice = sdsim_medium_create(100, 0xFF);
    assert_true(sdsim_medium_load(twice, 50, path, &diags));
    assert_true(sdsim_medium_load(twice, 0, path, &diags));
    assert_true(sdsim_medium_load(twice, 20, path, &diags));
    assert_true(sdsim_medium_erase(twice, 0, 11));
    assert_true(sdsim_medium_erase(twice, 50, 11));
    struct sdsim_medium *const once = sdsim_medium_create(100, 0xFF);
    assert_true(sdsim_medium_load(once, 20, path, &diags));
    assert_true(sdsim_medium_equal(once, twice));
    /* Sectors of one file at another place are not the same content. */
    struct sdsim_medium *const moved = sdsim_medium_copy(twice);
    assert_true(sdsim_medium_load(moved, 21, path, &diags));
    assert_true(sdsim_medium_erase(moved, 31, 1));
    assert_false(sdsim_medium_equal(moved, twice));
    sdsim_medium_destroy(moved);
    sdsim_medium_destroy(once);
    sdsim_medium_destroy(twice);
    sdsim_medium_destroy(copy);
    sdsim_medium_destroy(same);
    sdsim_diags_free(&diags);
    unlink(path);
}

/* A file with data, a hole of a whole gigabyte, data that starts amid a sector, and a hole at the
 * end. */
static void holes_cost_nothing_and_read_as_zeros(void **state)
{
    char path[128];
    name_in(state, "sparse", path);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    const off_t far = (off_t)1 << 30;
    assert_int_equal(ftruncate(file, 2 * far), 0);
    assert_int_equal(pwrite(file, "first", 5, 0), 5);
    assert_int_equal(pwrite(file, "second", 6, far + 100), 6);
    const bool tells = lseek(file, 0, SEEK_HOLE) < far; /* the system, of holes */
    close(file);
    for (int ones = 0; ones < 2; ones++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        const uint32_t sectors = (uint32_t)(2 * far / SDSIM_SECTOR);
        struct sdsim_medium *const medium = sdsim_medium_create(sectors + 10, ones ? 0xFF : 0x00);
        sdsim_test_write_generated(medium, 0, sectors + 10, 1, 0);
        assert_true(sdsim_medium_load(medium, 10, path, &diags));
        struct sdsim_medium *const expected = sdsim_medium_create(sectors + 10, ones ? 0xFF : 0x00);
        const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL, .fill = 0x00};
        assert_true(sdsim_medium_write(expected, 0, sectors + 10, &zeros));
        sdsim_test_write_generated(expected, 0, 10, 1, 0);
        uint8_t sector[SDSIM_SECTOR] = "first";
        const struct sdsim_content bytes = {.kind = SDSIM_CONTENT_BYTES, .bytes = sector};
        assert_true(sdsim_medium_write(expected, 10, 1, &bytes));
        memset(sector, 0, 5);
        memcpy(sector + 100, "second", 6);
        assert_true(sdsim_medium_write(expected, 10 + (uint32_t)(far / SDSIM_SECTOR), 1, &bytes));
        assert_true(sdsim_medium_equal(medium, expected));
        const struct sdsim_medium_usage usage = sdsim_medium_usage(medium);
        assert_true(usage.bytes < 16384);
        assert_in_range(usage.extents, 2, 6);
        if (tells) {
            assert_int_equal(usage.extents, ones ? 5 : 3);
            assert_true(ones || usage.written < 1000); /* erased is as good as zeros */
        }
        sdsim_medium_destroy(medium);
        sdsim_medium_destroy(expected);
        sdsim_diags_free(&diags);
    }
    unlink(path);
}

/* Some content of up to 40 sectors: bytes, fills, streams. `pool` holds 41 sectors of anything. */
static struct sdsim_content some_content(struct sdsim_rng *rng, const uint8_t *pool)
{
    const uint64_t offset = sdsim_rng_below(rng, SDSIM_SECTOR);
    return (const struct sdsim_content[]){
        {.kind = SDSIM_CONTENT_BYTES, .bytes = pool + offset},
        {.kind = SDSIM_CONTENT_FILL, .fill = 0x00},
        {.kind = SDSIM_CONTENT_FILL, .fill = 0x55},
        {.kind = SDSIM_CONTENT_GENERATED, .seed = 1, .offset = offset},
    }[sdsim_rng_below(rng, 4)];
}

static void saved_media_come_back(void **state)
{
    enum { SECTORS = 400 };
    char path[128];
    name_in(state, "saved", path);
    for (uint64_t seed = 20; seed < 26; seed++) {
        struct sdsim_rng rng;
        sdsim_rng_seed(&rng, seed);
        uint8_t pool[41 * SDSIM_SECTOR];
        sdsim_generate(seed, 0, pool, sizeof(pool));
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_medium *const medium = sdsim_medium_create(SECTORS, 0x00);
        for (int step = 0; step < 30; step++) {
            const uint32_t count = 1 + (uint32_t)sdsim_rng_below(&rng, 40);
            const uint32_t lba = (uint32_t)sdsim_rng_below(&rng, SECTORS - count + 1);
            const struct sdsim_content content = some_content(&rng, pool);
            assert_true(sdsim_medium_write(medium, lba, count, &content));
        }
        if (seed % 2 == 0) {
            assert_true(sdsim_medium_erase(medium, 100, 200));
        }
        assert_true(sdsim_medium_save(medium, path, &diags)); /* over the one before, too */
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        assert_true(status.st_size == SECTORS * SDSIM_SECTOR);

        FILE *const file = fopen(path, "rb");
        assert_non_null(file);
        static uint8_t bytes[SECTORS * SDSIM_SECTOR];
        assert_int_equal(fread(bytes, 1, sizeof(bytes), file), sizeof(bytes));
        fclose(file);
        static uint8_t expected[sizeof(bytes)];
        sdsim_medium_read(medium, 0, SECTORS, expected);
        if (memcmp(bytes, expected, sizeof(bytes)) != 0) {
            fail_msg("seed %llu", (unsigned long long)seed);
        }

        struct sdsim_medium *const loaded = sdsim_medium_create(SECTORS, 0x00);
        assert_true(sdsim_medium_load(loaded, 0, path, &diags));
        assert_true(sdsim_medium_equal(loaded, medium));
        /* Saving over the file that lies under a medium does it no harm. */
        sdsim_test_write_generated(loaded, 0, 3, 1234, 0);
        assert_true(sdsim_medium_save(loaded, path, &diags));
        struct sdsim_medium *const again = sdsim_medium_create(SECTORS, 0x00);
        assert_true(sdsim_medium_load(again, 0, path, &diags));
        assert_true(sdsim_medium_equal(loaded, again));
        assert_int_equal(diags.errors, 0);
        sdsim_medium_destroy(again);
        sdsim_medium_destroy(loaded);
        sdsim_medium_destroy(medium);
        sdsim_diags_free(&diags);
    }
    unlink(path);
}

static void saved_files_are_sparse(void **state)
{
    char path[128];
    name_in(state, "large", path);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const uint32_t sectors = 62521344; /* a 32 GB card */
    struct sdsim_medium *const medium = sdsim_medium_create(sectors, 0xFF);
    const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL, .fill = 0x00};
    assert_true(sdsim_medium_write(medium, 0, 10000000, &zeros));
    sdsim_test_write_generated(medium, 30000000, 300, 1, 0);
    static uint8_t gaps[1000 * SDSIM_SECTOR]; /* zeros, with a little at both ends and amid */
    gaps[0] = gaps[sizeof(gaps) - 1] = gaps[300000] = 1;
    const struct sdsim_content bytes = {.kind = SDSIM_CONTENT_BYTES, .bytes = gaps};
    assert_true(sdsim_medium_write(medium, 40000003, 1000, &bytes));
    assert_true(sdsim_medium_save(medium, path, &diags));
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size == (off_t)sectors * SDSIM_SECTOR);
    assert_true(status.st_blocks < 1000); /* of 512 bytes */
    struct sdsim_medium *const loaded = sdsim_medium_create(sectors, 0x00);
    assert_true(sdsim_medium_load(loaded, 0, path, &diags));
    uint8_t got[300 * SDSIM_SECTOR];
    uint8_t expected[300 * SDSIM_SECTOR];
    sdsim_medium_read(loaded, 30000000, 300, got);
    sdsim_generate(1, 0, expected, sizeof(expected));
    assert_memory_equal(got, expected, sizeof(got));
    static uint8_t gaps_got[sizeof(gaps)];
    sdsim_medium_read(loaded, 40000003, 1000, gaps_got);
    assert_memory_equal(gaps_got, gaps, sizeof(gaps));
    sdsim_medium_destroy(loaded);
    sdsim_medium_destroy(medium);
    sdsim_diags_free(&diags);
    unlink(path);
}

static void bad_images_are_refused(void **state)
{
    char path[128];
    const char *const folder = ((const struct folder *)*state)->path;
    write_file(name_in(state, "image", path), 4 * SDSIM_SECTOR + 1, fill_with_stream);
    char empty[128];
    name_in(state, "empty", empty);
    fclose(fopen(empty, "wb"));
    char fifo[128];
    name_in(state, "fifo", fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    char missing[128];
    name_in(state, "missing", missing);
    const struct {
        const char *path;
        uint32_t lba;
        const char *words; /* that must be in the message; NULL: it is a good one */
    } rows[] = {
        {path, 0, NULL},
        {path, 5, NULL}, /* just fits */
        {path, 6, "does not fit: the image has 5 sectors, the card 10"},
        {path, 10, "does not fit"},
        {path, 11, "does not fit"},
        {path, UINT32_MAX, "does not fit"},
        {empty, 0, "is empty"},
        {folder, 0, "neither a regular file nor a block device"},
        {fifo, 0, "neither a regular file nor a block device"},
        {missing, 0, "can't be opened: No such file"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_medium *const medium = sdsim_medium_create(10, 0x00);
        const bool done = sdsim_medium_load(medium, rows[i].lba, rows[i].path, &diags);
        if (done != (rows[i].words == NULL) || diags.errors != !done) {
            fail_msg("row %zu", i);
        }
        if (!done && strstr(diags.items[0].text, rows[i].words) == NULL) {
            fail_msg("row %zu: %s", i, diags.items[0].text);
        }
        if (!done) {
            assert_string_equal(diags.items[0].file, rows[i].path);
            assert_true(sdsim_medium_usage(medium).written == 0);
        }
        sdsim_medium_destroy(medium);
        sdsim_diags_free(&diags);
    }
    unlink(path);
    unlink(empty);
    unlink(fifo);
}

static void a_file_cut_short_is_noticed(void **state)
{
    char path[128];
    char saved[128];
    write_file(name_in(state, "image", path), 8 * SDSIM_SECTOR, fill_with_stream);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *const medium = sdsim_medium_create(20, 0xA5);
    assert_true(sdsim_medium_load(medium, 0, path, &diags));
    assert_int_equal(truncate(path, 3 * SDSIM_SECTOR + 10), 0);
    uint8_t got[8 * SDSIM_SECTOR];
    sdsim_medium_read(medium, 0, 3, got);
    assert_false(sdsim_medium_failed(medium));
    sdsim_medium_read(medium, 0, 8, got);
    assert_true(sdsim_medium_failed(medium));
    uint8_t expected[8 * SDSIM_SECTOR];
    memset(expected, 0xA5, sizeof(expected));
    sdsim_generate(999, 0, expected, 3 * SDSIM_SECTOR);
    assert_memory_equal(got, expected, sizeof(got));
    /* And what can't be read is not saved as if it were. */
    assert_false(sdsim_medium_save(medium, name_in(state, "saved", saved), &diags));
    assert_int_equal(diags.errors, 1);
    assert_int_equal(access(saved, F_OK), -1);
    sdsim_medium_destroy(medium);
    sdsim_diags_free(&diags);
    unlink(path);
}

static void saving_that_fails_leaves_nothing(void **state)
{
    char path[128];
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *const medium = sdsim_medium_create(20, 0xFF);
    sdsim_test_write_generated(medium, 0, 5, 1, 0);
    assert_false(sdsim_medium_save(medium, name_in(state, "no/such/folder", path), &diags));
    assert_int_equal(diags.errors, 1);
    /* A folder stands where the file should go: writing works, renaming does not. */
    name_in(state, "folder", path);
    assert_int_equal(mkdir(path, 0700), 0);
    char inside[140];
    snprintf(inside, sizeof(inside), "%s/x", path);
    assert_int_equal(mkdir(inside, 0700), 0);
    assert_false(sdsim_medium_save(medium, path, &diags));
    assert_int_equal(diags.errors, 2);
    rmdir(inside);
    rmdir(path);
    /* The disk is full, or this user's share of it. */
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit small = {.rlim_cur = 1000, .rlim_max = limit.rlim_max};
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_false(sdsim_medium_save(medium, name_in(state, "too-large", path), &diags));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(diags.errors, 3);
    assert_non_null(strstr(diags.items[2].text, "can't be written: File too large"));
    sdsim_medium_destroy(medium);
    sdsim_diags_free(&diags); /* and the folder of the test is empty, or it can't be removed */
}

static void files_without_memory(void **state)
{
    char path[128];
    char saved[128];
    write_file(name_in(state, "image", path), 8 * SDSIM_SECTOR, fill_with_stream);
    name_in(state, "saved", saved);
    struct sdsim_medium *const medium = sdsim_medium_create(20, 0xFF);
    for (int save = 0; save < 2; save++) {
        for (size_t n = 1;; n++) {
            struct sdsim_diags diags;
            sdsim_diags_init(&diags);
            sdsim_test_fail_allocation(n);
            const bool done = save ? sdsim_medium_save(medium, saved, &diags)
                                   : sdsim_medium_load(medium, 0, path, &diags);
            const bool failed = sdsim_test_allocation_failed();
            assert_true(done || diags.errors == 1);
            sdsim_diags_free(&diags);
            if (done && !failed) {
                break;
            }
            assert_false(done); /* a regular file without holes needs all it asks for */
            assert_int_equal(access(saved, F_OK), -1);
            assert_int_equal(sdsim_medium_usage(medium).written, save ? 8 : 0);
        }
    }
    unlink(saved);
    sdsim_test_copy_without_memory(medium);
    sdsim_medium_destroy(medium);

    /* Without memory to leave out holes, they are read like the rest of the file. */
    assert_int_equal(truncate(path, (off_t)1 << 24), 0);
    struct sdsim_medium *const expected = sdsim_medium_create(1 << 15, 0x00);
    sdsim_test_write_generated(expected, 0, 8, 999, 0);
    for (size_t n = 1;; n++) {
        struct sdsim_medium *const sparse = sdsim_medium_create(1 << 15, 0x00);
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        sdsim_test_fail_allocation(n);
        const bool done = sdsim_medium_load(sparse, 0, path, &diags);
        const bool failed = sdsim_test_allocation_failed();
        assert_true(done ? sdsim_medium_equal(sparse, expected) : diags.errors == 1);
        sdsim_diags_free(&diags);
        sdsim_medium_destroy(sparse);
        if (!failed) {
            break;
        }
    }
    sdsim_medium_destroy(expected);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(image_lies_over_the_medium, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(holes_cost_nothing_and_read_as_zeros, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(saved_media_come_back, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(saved_files_are_sparse, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(bad_images_are_refused, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_file_cut_short_is_noticed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(saving_that_fails_leaves_nothing, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(files_without_memory, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The library's card: profiles and what is wrong with them, image files, sectors, memory that runs
 * out. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "scratch.h"
#include "sdsim/sdsim.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define SMALL_CARD                                                                                 \
    "kind: card\ntype: sdhc\ncapacity: 4MiB\npage: 32KiB\nrd1: 250us\nw1: 800us\nwstop: 1ms\n"
#define SMALL_SECTORS 8192u

static int32_t insert_text(struct sdsim_slot *slot, const char *text)
{
    return sdsim_slot_insert_text(slot, "small.yaml", text, strlen(text), 1, 0);
}

static struct sdsim_slot *small_card(void)
{
    struct sdsim_slot *slot = sdsim_slot_create();
    assert_non_null(slot);
    assert_int_equal(insert_text(slot, SMALL_CARD), SDSIM_OK);
    return slot;
}

static void fill(uint8_t *bytes, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}

static void make_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ---- profiles ---- */

static void profiles(void **state)
{
    (void)state;
    static const struct {
        const char *profile;
        uint32_t sectors;
        uint64_t clock;
        uint64_t high;
    } rows[] = {
        /* 4 GB, and 30400 MB, in units of 512 KiB as a CSD counts */
        {NULL, 7629u * 1024, 25000000, 50000000},
        {"sdhc32g-a1", 57983u * 1024, 25000000, 50000000},
        {"cards/sdhc32g-a1.yaml", 57983u * 1024, 25000000, 50000000},
        {"sdsc64-slc", 0, 25000000, 0},
    };
    struct sdsim_slot *slot = sdsim_slot_create();
    assert_int_equal(sdsim_slot_insert(slot, "sdhc32g-a1", 1, 0), SDSIM_E_PROFILE);
    assert_int_equal(sdsim_slot_set_data_dir(slot, "."), SDSIM_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (sdsim_slot_insert(slot, rows[i].profile, 1, 0) != SDSIM_OK) {
            fail_msg("row %zu: %s", i, sdsim_slot_error(slot));
        }
        if (rows[i].sectors != 0) {
            assert_int_equal(sdsim_slot_sectors(slot), rows[i].sectors);
        }
        assert_int_equal(sdsim_slot_rated_clock(slot, 0), rows[i].clock);
        assert_int_equal(sdsim_slot_rated_clock(slot, 1), rows[i].high);
    }
    sdsim_slot_destroy(slot);
}

/* Every card that comes with the simulator can be inserted, in several draws. */
static void all_profiles(void **state)
{
    (void)state;
    FILE *names = popen("ls cards/*.yaml", "r");
    struct sdsim_slot *slot = sdsim_slot_create();
    char path[200];
    size_t count = 0;
    assert_non_null(names);
    assert_int_equal(sdsim_slot_set_data_dir(slot, "."), SDSIM_OK);
    while (fgets(path, sizeof path, names) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        for (uint32_t draw = 0; draw < 3; draw++) {
            if (sdsim_slot_insert(slot, path, 7, draw) != SDSIM_OK) {
                fail_msg("%s: %s", path, sdsim_slot_error(slot));
            }
        }
        count++;
    }
    assert_int_equal(pclose(names), 0);
    assert_in_range(count, 40, 1000);
    sdsim_slot_destroy(slot);
}

static void bad_profiles(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *expected; /* in the error text, each separated by '|' */
    } rows[] = {
        {"", "small.yaml"},
        {"kind: host\n", "small.yaml:1:7: error: |card"},
        {SMALL_CARD "rd2: 1us\n", "small.yaml:8:1: error: |rd2"},
        {SMALL_CARD "rdn: 5\n", "small.yaml:8:6: error: |unit"},
        {SMALL_CARD "n_cr: 9\n", "small.yaml:8:7: error: "},
        {SMALL_CARD "speed_class: 5\n", "small.yaml:8:14: error: |speed class|help: "},
        {SMALL_CARD "n_cr: 9\nrdn: 5\n", "small.yaml:8:7: error: |small.yaml:9:6: error: "},
        {"kind: card\ntype: sdhc\ncapacity: 64GB\npage: 32KiB\nrd1: 1us\nw1: 1us\nwstop: 1us\n",
         "small.yaml:3:11: error: |at most 32GB"},
        {"kind: card\nbase: nothing-like-it\n", "small.yaml:2:7: error: |nothing-like-it"},
        {"kind: card\n", "rd1|capacity|type"},
        {"{", "small.yaml:"},
    };
    struct sdsim_slot *slot = small_card();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char expected[300];
        if (insert_text(slot, rows[i].text) != SDSIM_E_PROFILE) {
            fail_msg("row %zu was taken", i);
        }
        snprintf(expected, sizeof expected, "%s", rows[i].expected);
        for (char *part = strtok(expected, "|"); part != NULL; part = strtok(NULL, "|")) {
            if (strstr(sdsim_slot_error(slot), part) == NULL) {
                fail_msg("row %zu lacks '%s':\n%s", i, part, sdsim_slot_error(slot));
            }
        }
        const char *text = sdsim_slot_error(slot);
        assert_true(text[strlen(text) - 1] != '\n');
        assert_int_equal(sdsim_slot_sectors(slot), SMALL_SECTORS); /* the old card is in */
    }
    assert_int_equal(sdsim_slot_insert(slot, "cards/no-such-card.yaml", 1, 0), SDSIM_E_PROFILE);
    assert_non_null(strstr(sdsim_slot_error(slot), "no-such-card"));
    assert_int_equal(sdsim_slot_insert_text(slot, NULL, "x", 1, 1, 0), SDSIM_E_ARGUMENT);
    assert_int_equal(sdsim_slot_insert_text(slot, "x", NULL, 1, 1, 0), SDSIM_E_ARGUMENT);
    sdsim_slot_destroy(slot);
}

/* ---- sectors ---- */

static void sectors(void **state)
{
    (void)state;
    struct sdsim_slot *slot = small_card();
    uint8_t written[3 * 512];
    uint8_t read[4 * 512];
    static const uint8_t zeros[4 * 512];
    fill(written, sizeof written, 1);
    assert_int_equal(sdsim_slot_read_sectors(slot, SMALL_SECTORS - 4, 4, read), SDSIM_OK);
    assert_memory_equal(read, zeros, sizeof read);
    assert_int_equal(sdsim_slot_write_sectors(slot, SMALL_SECTORS - 3, 3, written), SDSIM_OK);
    assert_int_equal(sdsim_slot_read_sectors(slot, SMALL_SECTORS - 4, 4, read), SDSIM_OK);
    assert_memory_equal(read, zeros, 512);
    assert_memory_equal(read + 512, written, sizeof written);
    assert_int_equal(sdsim_slot_erase_sectors(slot, SMALL_SECTORS - 2, 2), SDSIM_OK);
    assert_int_equal(sdsim_slot_read_sectors(slot, SMALL_SECTORS - 4, 4, read), SDSIM_OK);
    assert_memory_equal(read + 512, written, 512);
    assert_memory_equal(read + 1024, zeros, 1024);
    assert_int_equal(sdsim_slot_now(slot), 0);
    /* A new card is empty. */
    assert_int_equal(insert_text(slot, SMALL_CARD), SDSIM_OK);
    assert_int_equal(sdsim_slot_read_sectors(slot, SMALL_SECTORS - 4, 4, read), SDSIM_OK);
    assert_memory_equal(read, zeros, sizeof read);
    sdsim_slot_destroy(slot);
}

static void bad_sectors(void **state)
{
    (void)state;
    static const struct {
        uint32_t lba;
        uint32_t count;
        int32_t result;
    } rows[] = {
        {0, 0, SDSIM_OK},
        {SMALL_SECTORS, 0, SDSIM_OK},
        {SMALL_SECTORS, 1, SDSIM_E_ARGUMENT},
        {SMALL_SECTORS + 1, 0, SDSIM_E_ARGUMENT},
        {SMALL_SECTORS - 1, 2, SDSIM_E_ARGUMENT},
        {UINT32_MAX, 1, SDSIM_E_ARGUMENT},
        {1, UINT32_MAX, SDSIM_E_ARGUMENT},
    };
    struct sdsim_slot *slot = small_card();
    uint8_t bytes[512];
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint32_t lba = rows[i].lba;
        const uint32_t count = rows[i].count;
        if (sdsim_slot_read_sectors(slot, lba, count, bytes) != rows[i].result ||
            sdsim_slot_write_sectors(slot, lba, count, bytes) != rows[i].result ||
            sdsim_slot_erase_sectors(slot, lba, count) != rows[i].result) {
            fail_msg("row %zu", i);
        }
    }
    assert_non_null(strstr(sdsim_slot_error(slot), "the card has 8192 sectors"));
    assert_int_equal(sdsim_slot_read_sectors(slot, 0, 1, NULL), SDSIM_E_ARGUMENT);
    assert_int_equal(sdsim_slot_write_sectors(slot, 0, 1, NULL), SDSIM_E_ARGUMENT);
    assert_string_equal(sdsim_slot_error(slot), "the buffer is NULL");
    sdsim_slot_destroy(slot);
}

/* ---- image files ---- */

static void images(void **state)
{
    (void)state;
    struct sdsim_slot *slot = small_card();
    uint8_t image[5 * 512 + 100]; /* the last sector is not complete */
    uint8_t read[7 * 512] = {0};
    uint8_t expected[7 * 512] = {0};
    fill(image, sizeof image, 2);
    memcpy(expected, image, sizeof image);
    make_file(sdsim_test_path("card.img"), image, sizeof image);
    assert_int_equal(sdsim_slot_write_sectors(slot, 6, 1, image), SDSIM_OK);
    assert_int_equal(sdsim_slot_load_image(slot, sdsim_test_path("card.img")), SDSIM_OK);
    assert_int_equal(sdsim_slot_read_sectors(slot, 0, 7, read), SDSIM_OK);
    assert_memory_equal(read, expected, sizeof read);

    /* What is written stays in memory; saved, it is an image as large as the card. */
    memset(expected + 512, 0xA5, 512);
    assert_int_equal(sdsim_slot_write_sectors(slot, 1, 1, expected + 512), SDSIM_OK);
    assert_int_equal(sdsim_slot_save_image(slot, sdsim_test_path("saved.img")), SDSIM_OK);
    FILE *file = fopen(sdsim_test_path("card.img"), "rb");
    assert_non_null(file);
    assert_int_equal(fread(read, 1, sizeof read, file), sizeof image);
    assert_memory_equal(read, image, sizeof image);
    fclose(file);
    file = fopen(sdsim_test_path("saved.img"), "rb");
    assert_non_null(file);
    assert_int_equal(fread(read, 1, sizeof read, file), sizeof read);
    assert_memory_equal(read, expected, sizeof read);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    assert_int_equal(ftell(file), SMALL_SECTORS * 512);
    fclose(file);
    sdsim_slot_destroy(slot);
}

static void bad_images(void **state)
{
    (void)state;
    struct sdsim_slot *slot = small_card();
    uint8_t kept[512];
    uint8_t read[512];
    fill(kept, sizeof kept, 3);
    assert_int_equal(sdsim_slot_write_sectors(slot, 9, 1, kept), SDSIM_OK);

    make_file(sdsim_test_path("empty.img"), kept, 0);
    make_file(sdsim_test_path("large.img"), kept, 1);
    assert_int_equal(truncate(sdsim_test_path("large.img"), SMALL_SECTORS * 512 + 1), 0);
    make_file(sdsim_test_path("just.img"), kept, 1);
    assert_int_equal(truncate(sdsim_test_path("just.img"), SMALL_SECTORS * 512), 0);
    static const struct {
        const char *name;
        const char *text;
    } rows[] = {
        {"empty.img", "empty.img: error: is empty"},
        {"large.img", "does not fit: the image has 8193 sectors, the card 8192"},
        {"none.img", "none.img: error: "},
        {".", "error: "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (sdsim_slot_load_image(slot, sdsim_test_path(rows[i].name)) != SDSIM_E_IMAGE ||
            strstr(sdsim_slot_error(slot), rows[i].text) == NULL ||
            strstr(sdsim_slot_error(slot), sdsim_test_folder()) == NULL) {
            fail_msg("row %zu: %s", i, sdsim_slot_error(slot));
        }
        assert_int_equal(sdsim_slot_read_sectors(slot, 9, 1, read), SDSIM_OK);
        assert_memory_equal(read, kept, sizeof read);
    }
    assert_int_equal(sdsim_slot_load_image(slot, NULL), SDSIM_E_ARGUMENT);
    assert_int_equal(sdsim_slot_save_image(slot, NULL), SDSIM_E_ARGUMENT);
    assert_int_equal(sdsim_slot_save_image(slot, sdsim_test_path("no/such/folder.img")),
                     SDSIM_E_IMAGE);
    assert_non_null(strstr(sdsim_slot_error(slot), "folder.img: error: "));
    assert_int_equal(sdsim_slot_load_image(slot, sdsim_test_path("just.img")), SDSIM_OK);
    sdsim_slot_destroy(slot);
}

/* An image that was cut off while in use is told, and does no harm. */
static void image_cut_off(void **state)
{
    (void)state;
    struct sdsim_slot *slot = small_card();
    uint8_t bytes[8 * 512];
    fill(bytes, sizeof bytes, 4);
    make_file(sdsim_test_path("cut.img"), bytes, sizeof bytes);
    assert_int_equal(sdsim_slot_load_image(slot, sdsim_test_path("cut.img")), SDSIM_OK);
    assert_int_equal(truncate(sdsim_test_path("cut.img"), 512), 0);
    assert_int_equal(sdsim_slot_read_sectors(slot, 4, 1, bytes), SDSIM_E_READ);
    assert_string_equal(sdsim_slot_error(slot), "the image file can't be read");
    sdsim_slot_destroy(slot);
}

/* ---- memory that runs out ---- */

static int32_t insert_base(struct sdsim_slot *slot)
{
    return insert_text(slot, "kind: card\nbase: cards/sdhc32g-a1.yaml\nrd1: 1us\n");
}

static int32_t insert_broken(struct sdsim_slot *slot)
{
    return insert_text(slot, SMALL_CARD "rd2: 1us\n");
}

static int32_t load(struct sdsim_slot *slot)
{
    return sdsim_slot_load_image(slot, sdsim_test_path("card.img"));
}

static int32_t save(struct sdsim_slot *slot)
{
    return sdsim_slot_save_image(slot, sdsim_test_path("saved.img"));
}

static int32_t write_some(struct sdsim_slot *slot)
{
    uint8_t bytes[1024] = {1};
    return sdsim_slot_write_sectors(slot, 5, 2, bytes);
}

static int32_t erase_some(struct sdsim_slot *slot)
{
    return sdsim_slot_erase_sectors(slot, 1, 1);
}

static void out_of_memory(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int32_t (*call)(struct sdsim_slot *slot);
        int32_t last; /* when all allocations succeed */
    } rows[] = {
        {"insert", insert_base, SDSIM_OK}, {"insert a broken one", insert_broken, SDSIM_E_PROFILE},
        {"load", load, SDSIM_OK},          {"save", save, SDSIM_OK},
        {"write", write_some, SDSIM_OK},   {"erase", erase_some, SDSIM_OK},
    };
    uint8_t kept[3 * 512];
    uint8_t read[3 * 512];
    fill(kept, sizeof kept, 5);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_slot *slot = small_card();
        assert_int_equal(sdsim_slot_write_sectors(slot, 0, 3, kept), SDSIM_OK);
        for (size_t n = 1;; n++) {
            sdsim_test_fail_allocation(n);
            const int32_t result = rows[i].call(slot);
            if (!sdsim_test_allocation_failed()) {
                assert_int_equal(result, rows[i].last);
                break;
            }
            if (result == SDSIM_OK) {
                break; /* it did without, as loading holes may */
            }
            if (result != SDSIM_E_MEMORY && result != SDSIM_E_PROFILE && result != SDSIM_E_IMAGE) {
                fail_msg("%s, allocation %zu: %ld", rows[i].name, n, (long)result);
            }
            assert_true(sdsim_slot_error(slot)[0] != '\0');
            assert_int_equal(sdsim_slot_sectors(slot), SMALL_SECTORS);
            assert_int_equal(sdsim_slot_read_sectors(slot, 0, 3, read), SDSIM_OK);
            assert_memory_equal(read, kept, sizeof read);
        }
        sdsim_slot_destroy(slot);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles),      cmocka_unit_test(all_profiles),
        cmocka_unit_test(bad_profiles),  cmocka_unit_test(sectors),
        cmocka_unit_test(bad_sectors),   cmocka_unit_test(images),
        cmocka_unit_test(bad_images),    cmocka_unit_test(image_cut_off),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The journal of what was overwritten: what comes back of it, cut off at every byte, and damaged anywhere.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flash/medium.h"
#include "tools/ftdi/journal.h"

static const uint8_t cid[SDSIM_CID_BYTES] = "a card";
static char path[64];

static const struct {
    uint32_t lba;
    uint32_t count;
} records[] = {{100, 3}, {50, 2}, {200, 1}};

enum { RECORDS = 3, SECTORS = 1000, HEAD = 8 + 4 + SDSIM_CID_BYTES + 4 + 8 };

static void data_of(size_t i, uint8_t *data)
{
    sdsim_generate(i, 0, data, (size_t)records[i].count * SDSIM_SECTOR);
}

static void make(void)
{
    struct sdsim_journal journal;
    uint8_t data[3 * SDSIM_SECTOR];
    remove(path);
    assert_true(sdsim_journal_create(&journal, path, cid, SECTORS));
    for (size_t i = 0; i < RECORDS; i++) {
        data_of(i, data);
        assert_true(sdsim_journal_append(&journal, records[i].lba, records[i].count, data));
    }
    sdsim_journal_close(&journal);
}

/* Every record that is there is right. */
static void check_records(struct sdsim_journal *journal)
{
    uint8_t data[3 * SDSIM_SECTOR];
    uint8_t found[3 * SDSIM_SECTOR];
    for (size_t r = 0; r < journal->count; r++) {
        const struct sdsim_journal_record *record = &journal->records[r];
        size_t i = 0;
        while (i < RECORDS && records[i].lba != record->lba) {
            i++;
        }
        assert_true(i < RECORDS);
        assert_int_equal(record->count, records[i].count);
        data_of(i, data);
        assert_true(sdsim_journal_read(journal, record, 0, record->count, found));
        assert_memory_equal(found, data, (size_t)record->count * SDSIM_SECTOR);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    struct sdsim_journal journal;
    uint32_t first;
    uint32_t count;
    make();
    assert_false(sdsim_journal_create(&journal, path, cid, SECTORS)); /* it is there already */
    sdsim_journal_close(&journal);
    assert_true(sdsim_journal_open(&journal, path));
    assert_int_equal(journal.count, RECORDS);
    assert_int_equal(journal.sectors, SECTORS);
    assert_memory_equal(journal.cid, cid, sizeof cid);
    check_records(&journal);
    assert_true(sdsim_journal_gap(&journal, 51, 104, &first, &count));
    assert_int_equal(first, 52);
    assert_int_equal(count, 48);
    assert_true(sdsim_journal_gap(&journal, 101, 104, &first, &count));
    assert_int_equal(first, 103);
    assert_int_equal(count, 1);
    assert_false(sdsim_journal_gap(&journal, 100, 103, &first, &count));
    assert_true(sdsim_journal_remove(&journal));
    assert_false(sdsim_journal_exists(path));
}

/* Cut off anywhere: the records before the cut are there, and right. */
static void test_cut(void **state)
{
    (void)state;
    make();
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    fclose(file);
    for (long cut = size; cut >= 0; cut -= cut > HEAD + 40 ? 37 : 1) {
        struct sdsim_journal journal;
        assert_int_equal(truncate(path, cut), 0);
        if (cut < HEAD) {
            assert_false(sdsim_journal_open(&journal, path));
            assert_non_null(strstr(journal.error, path));
        } else {
            assert_true(sdsim_journal_open(&journal, path));
            check_records(&journal);
            const size_t whole = cut >= size                      ? 3
                                 : cut >= HEAD + 2 * 20 + 5 * 512 ? 2
                                 : cut >= HEAD + 20 + 3 * 512     ? 1
                                                                  : 0;
            assert_int_equal(journal.count, whole);
        }
        sdsim_journal_close(&journal);
    }
    assert_int_equal(remove(path), 0);
}

/* A wrong bit in front of the last record makes all of it unusable; in the last, that one. */
static void test_damage(void **state)
{
    (void)state;
    for (long at = 0; at < HEAD + 20 + 3 * 512; at += 41) {
        struct sdsim_journal journal;
        make();
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        const int byte = fgetc(file);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        assert_int_equal(fputc(byte ^ 0x10, file), byte ^ 0x10);
        assert_int_equal(fclose(file), 0);
        if (sdsim_journal_open(&journal, path)) { /* a count that reaches beyond the end */
            check_records(&journal);
            assert_int_equal(journal.count, 0);
        }
        sdsim_journal_close(&journal);
    }
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damage),
    };
    snprintf(path, sizeof path, "%s/sdsim-journal-%ld",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    return cmocka_run_group_tests(tests, NULL, NULL);
}

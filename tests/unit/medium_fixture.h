/*
 * What tests of media share.
 *
 * For cmocka tests: whatever goes wrong in here fails the test.
 */
#ifndef SDSIM_TEST_MEDIUM_FIXTURE_H
#define SDSIM_TEST_MEDIUM_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "alloc.h"
#include "flash/medium.h"

/* Writes the sectors of a generated stream from `first_sector` of it on. */
static inline void sdsim_test_write_generated(struct sdsim_medium *medium, uint32_t lba,
                                              uint32_t count, uint64_t seed, uint64_t first_sector)
{
    const struct sdsim_content content = {
        .kind = SDSIM_CONTENT_GENERATED, .seed = seed, .offset = first_sector * SDSIM_SECTOR};
    assert_true(sdsim_medium_write(medium, lba, count, &content));
}

/* A copy is equal, or there is none: whichever allocation fails. */
static inline void sdsim_test_copy_without_memory(const struct sdsim_medium *medium)
{
    for (size_t n = 1;; n++) {
        sdsim_test_fail_allocation(n);
        struct sdsim_medium *const copy = sdsim_medium_copy(medium);
        if (!sdsim_test_allocation_failed()) {
            assert_true(sdsim_medium_equal(copy, medium));
            sdsim_medium_destroy(copy);
            break;
        }
        assert_null(copy);
    }
}

#endif

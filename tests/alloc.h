/*
 * Allocations that fail on demand, so that running out of memory is a path that is tested.
 *
 * The linker sends every malloc, calloc, realloc, strdup and strndup of the code under test through
 * here (see tests/CMakeLists.txt). As long as nothing is armed they go to the C library. To walk
 * through every failure of a function:
 *
 *     for (size_t n = 1;; n++) {
 *         sdsim_test_fail_allocation(n);
 *         struct thing *thing = thing_create();
 *         if (!sdsim_test_allocation_failed()) {
 *             thing_destroy(thing);
 *             break; // it took n - 1 allocations
 *         }
 *         assert_null(thing); // and the sanitizer sees that nothing leaked
 *     }
 *
 * Limits: one allocation fails, the ones behind it succeed. Allocations inside shared libraries
 * (libyaml, cmocka, the C library's own) are not seen. Not for programs with threads.
 */
#ifndef SDSIM_TEST_ALLOC_H
#define SDSIM_TEST_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* Lets the n-th allocation from now fail, 1 is the next; 0 lets none fail. */
void sdsim_test_fail_allocation(size_t n);

/* Whether the armed failure has happened. Disarms it if not. */
bool sdsim_test_allocation_failed(void);

#endif

/*
 * Varints of timeline files: every length, at every distance from the end of what there is; and what is none.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "timeline/codec.h"

static void back_again(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        for (int d = -2; d <= 2; d++) {
            const uint64_t value = ((uint64_t)1 << bit) + (uint64_t)d;
            struct sdsim_buffer buffer = {.data = NULL};
            sdsim_put_varint(&buffer, value);
            assert_false(buffer.failed);
            for (size_t behind = 0; behind < 10; behind++) {
                uint8_t bytes[32];
                memset(bytes, behind % 2 == 0 ? 0xFF : 0x00, sizeof bytes);
                memcpy(bytes, buffer.data, buffer.size);
                struct sdsim_bytes in = {.at = bytes, .end = bytes + buffer.size + behind};
                const uint64_t read = sdsim_get_varint(&in);
                if (in.bad || read != value || in.at != bytes + buffer.size) {
                    fail_msg("%" PRIu64 " with %zu bytes behind it comes back as %" PRIu64, value,
                             behind, read);
                }
            }
            sdsim_buffer_free(&buffer);
        }
    }
}

static void none(void **state)
{
    (void)state;
    uint8_t bytes[16];
    memset(bytes, 0x80, sizeof bytes);
    for (size_t size = 0; size <= sizeof bytes; size++) { /* without an end, or too long */
        struct sdsim_bytes in = {.at = bytes, .end = bytes + size};
        (void)sdsim_get_varint(&in);
        assert_true(in.bad);
        assert_true(in.at <= in.end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(back_again), cmocka_unit_test(none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

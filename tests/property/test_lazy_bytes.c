/* A buffer of generated content holds the bytes it would hold if each had been made at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/rng.h"
#include "flash/lazy_bytes.h"

enum { SIZE = 96, LIVES = 4000, PUTS = 12 };

static const uint64_t seed = 1;

/* Mostly what continues the put before it; else any place, stream and kind. */
static struct sdsim_content draw_content(struct sdsim_rng *rng, const uint8_t *text,
                                         uint64_t position)
{
    const uint64_t kind = sdsim_rng_below(rng, 8);
    if (kind == 0) {
        return (struct sdsim_content){.kind = SDSIM_CONTENT_BYTES, .bytes = text};
    }
    if (kind == 1) {
        return (struct sdsim_content){.kind = SDSIM_CONTENT_FILL,
                                      .fill = (uint8_t)sdsim_rng_below(rng, 256)};
    }
    return (struct sdsim_content){
        .kind = SDSIM_CONTENT_GENERATED,
        .seed = kind == 2 ? sdsim_rng_below(rng, 3) : 7,
        .offset = kind == 3 ? sdsim_rng_below(rng, 64) : position,
    };
}

static void compare(struct sdsim_lazy_bytes *lazy, uint8_t *buffer, const uint8_t *expected,
                    uint32_t count)
{
    uint8_t got[SIZE];
    const struct sdsim_content content = sdsim_lazy_bytes_content(lazy, buffer, count);
    sdsim_content_bytes(&content, 0, got, count);
    assert_memory_equal(got, expected, count);
}

static void as_if_made_at_once(void **state)
{
    (void)state;
    static const uint8_t text[SIZE] = "a line of text";
    struct sdsim_rng rng;
    unsigned generated = 0;
    print_message("seed %u\n", (unsigned)seed);
    sdsim_rng_seed(&rng, seed);
    for (int life = 0; life < LIVES; life++) {
        struct sdsim_lazy_bytes lazy = {0};
        uint8_t buffer[SIZE] = {0};
        uint8_t expected[SIZE] = {0};
        uint32_t at = 0;
        for (int put = 0; put < PUTS; put++) {
            const uint32_t skip = (uint32_t)sdsim_rng_below(&rng, 16);
            if (at == SIZE || sdsim_rng_below(&rng, 6) == 0) {
                at = (uint32_t)sdsim_rng_below(&rng, SIZE);
            }
            const uint32_t count = (uint32_t)sdsim_rng_below(&rng, SIZE - at + 1);
            const struct sdsim_content content = draw_content(&rng, text, 1000 + at - skip);
            const uint32_t fits =
                content.kind == SDSIM_CONTENT_BYTES && skip + count > SIZE ? SIZE - skip : count;
            sdsim_lazy_bytes_put(&lazy, buffer, at, &content, skip, fits);
            sdsim_content_bytes(&content, skip, expected + at, fits);
            at += fits;
            if (sdsim_rng_below(&rng, 4) == 0) {
                compare(&lazy, buffer, expected, (uint32_t)sdsim_rng_below(&rng, SIZE + 1));
            }
            generated += lazy.begin == 0 && lazy.end == SIZE;
        }
        compare(&lazy, buffer, expected, SIZE);
        sdsim_lazy_bytes_make(&lazy, buffer);
        assert_memory_equal(buffer, expected, SIZE);
    }
    assert_true(generated > LIVES / 100); /* the case that it is made for did occur */
}

/* Lines that continue each other are one piece of content, however short they are. */
static void lines_are_one_piece(void **state)
{
    (void)state;
    for (uint32_t line = 1; line <= SIZE; line++) {
        struct sdsim_lazy_bytes lazy = {0};
        uint8_t buffer[SIZE] = {0};
        for (uint32_t at = 0; at < SIZE; at += line) {
            const struct sdsim_content content = {
                .kind = SDSIM_CONTENT_GENERATED, .seed = 5, .offset = 300 + at};
            const uint32_t count = SIZE - at < line ? SIZE - at : line;
            sdsim_lazy_bytes_put(&lazy, buffer, at, &content, 0, count);
        }
        const struct sdsim_content all = sdsim_lazy_bytes_content(&lazy, buffer, SIZE);
        assert_int_equal(all.kind, SDSIM_CONTENT_GENERATED);
        assert_int_equal(all.seed, 5);
        assert_int_equal(all.offset, 300);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_if_made_at_once),
        cmocka_unit_test(lines_are_one_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

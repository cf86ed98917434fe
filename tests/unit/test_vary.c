/*
 * What --vary means: which values a list or a range stands for, and what is refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "setup/vary.h"

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *values; /* separated by blanks */
        bool numeric;
    } rows[] = {
        {"workload.call=512B,4KiB", "512B 4KiB", true},
        {"workload.call=512B..4KiB*2", "512B 1KiB 2KiB 4KiB", true},
        {"workload.call=512B..5KiB*2", "512B 1KiB 2KiB 4KiB", true},
        {"a.b=1000B..4000B*3", "1kB 3kB", true},
        {"clock=4MHz..16MHz+4MHz", "4MHz 8MHz 12MHz 16MHz", true},
        {"clock=4MHz..15MHz+4MHz", "4MHz 8MHz 12MHz", true},
        {"card.rd1=100us..1ms/4", "100us 400us 700us 1ms", true},
        {"card.rd1=1ns..2ns/4", "1ns 1.333ns 1.666ns 2ns", true},
        {"x=1..10+3", "1 4 7 10", true},
        {"x=5", "5", true},
        {"x=1.5MB/s..3MB/s/2", "1.5MB/s 3MB/s", true},
        {"x=0%..50%+25%", "0% 25% 50%", true},
        {"card=sdhc32g-u1,sdxc64g-a2", "sdhc32g-u1 sdxc64g-a2", false},
        {"x=1ms,2MHz", "1ms 2MHz", false},
        {"x=12345678B..12345680B+1B", "12345678B 12345679B 12345680B", true},
        {"file=a..b,c", "a..b c", false},
        {"x=1us..3us", "", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_vary vary;
        struct sdsim_diags diags;
        char text[256] = "";
        sdsim_diags_init(&diags);
        if (!sdsim_vary_parse(&vary, rows[i].text, &diags)) {
            fail_msg("%s: %s", rows[i].text, diags.items[0].text);
        }
        for (size_t v = 0; v < vary.count; v++) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", v > 0 ? " " : "",
                     vary.values[v]);
        }
        if (strcmp(text, rows[i].values) != 0 || vary.numeric != rows[i].numeric) {
            fail_msg("%s: %s (%snumeric)", rows[i].text, text, vary.numeric ? "" : "not ");
        }
        sdsim_vary_free(&vary);
        sdsim_diags_free(&diags);
    }
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says; /* part of the message */
    } rows[] = {
        {"workload.call", "PATH=VALUES"},
        {"=1", "PATH=VALUES"},
        {"x=", "PATH=VALUES"},
        {"x=1,,2", "empty value"},
        {"x=1,", "empty value"},
        {"x=4KiB..512B*2", "must be larger"},
        {"x=4KiB..4KiB*2", "must be larger"},
        {"x=1us..4KiB*2", "same unit"},
        {"x=1us..4us*1", "from 2 on"},
        {"x=1us..4us*2us", "from 2 on"},
        {"x=0us..4us*2", "nothing of 0"},
        {"x=1us..4us+1KiB", "unit of the ends"},
        {"x=1us..4us+0us", "the step is 0"},
        {"x=1us..4us/1", "at least 2"},
        {"x=1us..", "a number at each end"},
        {"x=one..two", "a number at each end"},
        {"x=1ps..1s+1ps", "more than 100000"},
        {"x=1us..4us*", "a number at each end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_vary vary;
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        assert_false(sdsim_vary_parse(&vary, rows[i].text, &diags));
        if (diags.count != 1 || strstr(diags.items[0].text, rows[i].says) == NULL) {
            fail_msg("%s: %s", rows[i].text, diags.count > 0 ? diags.items[0].text : "no message");
        }
        assert_null(vary.path);
        sdsim_diags_free(&diags);
    }
}

static void draws(void **state)
{
    (void)state;
    static const char *const texts[] = {"x=1us..3us", "x=a,b,c", "x=10..20"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sdsim_vary vary;
        struct sdsim_diags diags;
        char first[SDSIM_VARY_SIZE];
        char second[SDSIM_VARY_SIZE];
        bool differs = false;
        sdsim_diags_init(&diags);
        assert_true(sdsim_vary_parse(&vary, texts[i], &diags));
        for (uint64_t n = 0; n < 100; n++) {
            uint64_t value = 0;
            const char *text = sdsim_vary_draw(&vary, 7, n, first);
            assert_string_equal(text, sdsim_vary_draw(&vary, 7, n, second));
            differs = differs || strcmp(text, sdsim_vary_draw(&vary, 8, n, second)) != 0;
            if (i == 0) {
                assert_int_equal(sdsim_unit_parse(SDSIM_UNIT_TIME, text, &value), SDSIM_UNIT_OK);
                assert_in_range(value, vary.from, vary.to);
            }
        }
        assert_true(differs);
        sdsim_vary_free(&vary);
        sdsim_diags_free(&diags);
    }
}

/* Whichever allocation fails, nothing is left over. */
static void without_memory(void **state)
{
    (void)state;
    for (unsigned n = 1; n < 14; n++) {
        struct sdsim_vary vary;
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        sdsim_test_fail_allocation(n);
        const bool fine = sdsim_vary_parse(&vary, "x=1us..16us*2", &diags);
        (void)sdsim_test_allocation_failed();
        assert_true(fine || vary.path == NULL);
        sdsim_vary_free(&vary);
        sdsim_diags_free(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(refusals),
        cmocka_unit_test(draws),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

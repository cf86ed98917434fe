/* What is told of a word that is not among those there are: the nearest, nearest first, and how to
 * see all. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/closest.h"
#include "core/diag.h"

static const char *const few[] = {"bench", "places", "single"};
static const char *const many[] = {
    "fake-ultra-8gb",        "generic-sdhc",       "samsung-evo-32gb",  "sandisk-ultra-16gb",
    "sandisk-ultra-a1-64gb", "sandisk-ultra-32gb", "kingston-canvas-a", "sdhc32g-a1",
};

static void nearest_first(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        const char *const *words;
        size_t count;
        const char *help;
    } rows[] = {
        {"bensh", few, 3, "did you mean 'bench'? 'sdsim list card' shows all"},
        {"x", few, 3, "known are: bench, places, single"},
        {"x", few, 0, ""},
        {"", many, 8, "'sdsim list card' shows what there is"},
        {"zzz", many, 8, "'sdsim list card' shows what there is"},
        {"SDHC32g-A1", many, 8, "did you mean 'sdhc32g-a1'? 'sdsim list card' shows all"},
        {"evo", many, 8, "did you mean 'samsung-evo-32gb'? 'sdsim list card' shows all"},
        /* the misspelt word before those that hold it, and no more than three */
        {"ultra", many, 8,
         "did you mean 'fake-ultra-8gb', 'sandisk-ultra-16gb' or 'sandisk-ultra-a1-64gb'? 'sdsim "
         "list card' shows all"},
        {"sandisk-ultra-33gb", many, 8,
         "did you mean 'sandisk-ultra-32gb', 'sandisk-ultra-16gb' or 'sandisk-ultra-a1-64gb'? "
         "'sdsim list card' shows all"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char help[300];
        sdsim_suggest(rows[i].word, rows[i].words, rows[i].count, "sdsim list card", help,
                      sizeof help);
        assert_string_equal(help, rows[i].help);
    }
}

static void is_cut_and_terminated(void **state)
{
    (void)state;
    for (size_t size = 1; size < 120; size++) {
        char help[120];
        memset(help, '#', sizeof help);
        sdsim_suggest("ultra", many, 8, "sdsim list card", help, size);
        assert_true(strlen(help) < size);
        sdsim_suggest("x", few, 3, "sdsim list card", help, size);
        assert_true(strlen(help) < size);
    }
}

/* No line of the help with a message is wider than 80 columns, unless a word is. */
static void help_is_wrapped(void **state)
{
    (void)state;
    static const struct {
        const char *help;
        const char *printed;
    } rows[] = {
        {"short", "error: wrong\nhelp: short\n"},
        {"1234567890 1234567890 1234567890 1234567890 1234567890 1234567890 12345678",
         "error: wrong\nhelp: 1234567890 1234567890 1234567890 1234567890 1234567890 1234567890 "
         "12345678\n"},
        {"1234567890 1234567890 1234567890 1234567890 1234567890 1234567890 123456789",
         "error: wrong\nhelp: 1234567890 1234567890 1234567890 1234567890 1234567890 1234567890\n"
         "      123456789\n"},
        {"a  b", "error: wrong\nhelp: a  b\n"},
        /* columns, not bytes */
        {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 1234567890 1234567890 1234567890 1234567890 "
         "1234567890 1234567890 12",
         "error: wrong\nhelp: \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 1234567890 1234567890 "
         "1234567890 1234567890 1234567890 1234567890 12\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_diags diags;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        sdsim_diags_init(&diags);
        sdsim_diag_add(&diags, SDSIM_ERROR, NULL, NULL, 0, rows[i].help, "wrong");
        sdsim_diags_print(&diags, out);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(text, rows[i].printed);
        sdsim_diags_free(&diags);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_first),
        cmocka_unit_test(is_cut_and_terminated),
        cmocka_unit_test(help_is_wrapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

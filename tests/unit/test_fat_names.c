#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "fat/names.h"
#include "fat/volume.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum {
    LOST = SDSIM_NAME_LOST,
    LONG = SDSIM_NAME_LONG,
    LAST = SDSIM_NAME_LAST,
    BODY = SDSIM_NAME_LOWER_BODY,
    EXT = SDSIM_NAME_LOWER_EXT,
};

/* Parts of paths: the short form, its flags, and what is left of the path. */
static const struct {
    const char *path;
    const char *short_form; /* 11 characters, NULL: invalid */
    uint8_t flags;
    const char *rest;
    const char *long_form; /* NULL: as the path */
} parts[] = {
    {"README.TXT", "README  TXT", LAST, "", NULL},
    {"readme.txt", "README  TXT", LAST | BODY | EXT, "", NULL},
    {"readme.TXT", "README  TXT", LAST | BODY, "", NULL},
    {"README.txt", "README  TXT", LAST | EXT, "", NULL},
    {"Readme.txt", "README  TXT", LAST | LONG, "", NULL},
    {"README.Txt", "README  TXT", LAST | LONG, "", NULL},
    {"1234.567", "1234    567", LAST, "", NULL},
    {"12345678.ABC", "12345678ABC", LAST, "", NULL},
    {"123456789.ABC", "12345678ABC", LAST | LOST | LONG, "", NULL},
    {"A.ABCD", "A       ABC", LAST | LOST | LONG, "", NULL},
    {"A B.C", "AB      C  ", LAST | LOST | LONG, "", NULL},
    {"a.b.c", "AB      C  ", LAST | LOST | LONG, "", NULL},
    {".hidden", "        HID", LAST | LOST | LONG, "", NULL},
    {" x", "X          ", LAST | LOST | LONG, "", NULL},
    {"a+b", "A_B        ", LAST | LOST | LONG, "", NULL},
    {"n\xC3\xA4h", "N_H        ", LAST | LOST | LONG, "", NULL},
    {"NAME.", "NAME       ", LAST, "", "NAME"},
    {"NAME. . ", "NAME       ", LAST, "", "NAME"},
    {"DIR/FILE", "DIR        ", 0, "FILE", "DIR"},
    {"DIR//FILE", "DIR        ", 0, "FILE", "DIR"},
    {"DIR\\FILE", "DIR        ", 0, "FILE", "DIR"},
    {"DIR/", "DIR        ", LAST, "", "DIR"},
    {"...", NULL, 0, NULL, NULL},
    {" ", NULL, 0, NULL, NULL},
    {"a*b", NULL, 0, NULL, NULL},
    {"a?b", NULL, 0, NULL, NULL},
    {"a:b", NULL, 0, NULL, NULL},
    {"a\"b", NULL, 0, NULL, NULL},
    {"a\x7F", NULL, 0, NULL, NULL},
    {"a\xC3", NULL, 0, NULL, NULL},
    {"a\xFF.txt", NULL, 0, NULL, NULL},
};

static void test_parts(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(parts); i++) {
        const char *path = parts[i].path;
        uint16_t name[SDSIM_NAME_MAX + 1];
        struct sdsim_short_name short_name;
        const enum sdsim_fat_result result = sdsim_name_take(&path, name, &short_name);
        if (parts[i].short_form == NULL) {
            if (result != SDSIM_FAT_INVALID_NAME) {
                fail_msg("'%s' was taken", parts[i].path);
            }
            continue;
        }
        char printed[SDSIM_NAME_MAX * 3 + 1];
        sdsim_name_print(name, printed, sizeof printed);
        const char *expected = parts[i].long_form != NULL ? parts[i].long_form : parts[i].path;
        if (result != SDSIM_FAT_OK || memcmp(short_name.bytes, parts[i].short_form, 11) != 0 ||
            short_name.flags != parts[i].flags || strcmp(path, parts[i].rest) != 0 ||
            strcmp(printed, expected) != 0) {
            fail_msg("'%s': result %d, '%.11s', flags 0x%02x, rest '%s', name '%s'", parts[i].path,
                     result, (const char *)short_name.bytes, short_name.flags, path, printed);
        }
    }
}

/* Builds without long names take 8.3 names of any case and nothing else. */
static void test_short_only(void **unused)
{
    (void)unused;
    static const struct {
        const char *path;
        const char *short_form;
    } rows[] = {
        {"readme.txt", "README  TXT"},
        {"A", "A          "},
        {"A.", "A          "},
        {"12345678.123", "12345678123"},
        {"123456789", NULL},
        {"A.1234", NULL},
        {"A.B.C", NULL},
        {"", NULL},
        {"A B", NULL},
        {"A+B", NULL},
        {"\xC3\xA4", NULL},
        {".A", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *path = rows[i].path;
        struct sdsim_short_name short_name;
        const enum sdsim_fat_result result = sdsim_name_take_short(&path, &short_name);
        const bool good = rows[i].short_form == NULL
                              ? result == SDSIM_FAT_INVALID_NAME
                              : result == SDSIM_FAT_OK && short_name.flags == SDSIM_NAME_LAST &&
                                    memcmp(short_name.bytes, rows[i].short_form, 11) == 0;
        if (!good) {
            fail_msg("'%s': result %d, '%.11s'", rows[i].path, result,
                     (const char *)short_name.bytes);
        }
    }
}

static void test_length_limit(void **unused)
{
    (void)unused;
    char longest[SDSIM_NAME_MAX + 4];
    memset(longest, 'x', sizeof longest);
    longest[SDSIM_NAME_MAX + 1] = '\0';
    uint16_t name[SDSIM_NAME_MAX + 1];
    struct sdsim_short_name short_name;
    const char *path = longest;
    assert_int_equal(sdsim_name_take(&path, name, &short_name), SDSIM_FAT_INVALID_NAME);
    path = longest + 1;
    assert_int_equal(sdsim_name_take(&path, name, &short_name), SDSIM_FAT_OK);
    assert_int_equal(sdsim_name_length(name), SDSIM_NAME_MAX);
    /* A character outside the basic plane takes two units. */
    static const char clef[] = "\xF0\x9D\x84\x9E";
    memcpy(longest + 1, clef, 4);
    longest[SDSIM_NAME_MAX + 1] = 'x';
    longest[SDSIM_NAME_MAX + 3] = '\0';
    path = longest + 1;
    assert_int_equal(sdsim_name_take(&path, name, &short_name), SDSIM_FAT_OK);
    assert_int_equal(sdsim_name_length(name), SDSIM_NAME_MAX);
    assert_int_equal(name[0], 0xD834);
    assert_int_equal(name[1], 0xDD1E);
    char printed[SDSIM_NAME_MAX * 3 + 1];
    sdsim_name_print(name, printed, sizeof printed);
    assert_memory_equal(printed, clef, 4);
}

static void test_numbers(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        uint32_t number;
        const char *expected; /* NULL: only that it begins like the base, with a tilde behind */
    } rows[] = {
        {"long file name.text", 1, "LONGFI~1TEX"},
        {"long file name.text", 5, "LONGFI~5TEX"},
        {"long file name.text", 6, NULL},
        {"a b", 1, "AB~1       "},
        {".x", 1, "~1      X  "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *path = rows[i].name;
        uint16_t name[SDSIM_NAME_MAX + 1];
        struct sdsim_short_name base;
        struct sdsim_short_name numbered;
        assert_int_equal(sdsim_name_take(&path, name, &base), SDSIM_FAT_OK);
        sdsim_name_number(&base, name, rows[i].number, &numbered);
        const bool good = rows[i].expected != NULL
                              ? memcmp(numbered.bytes, rows[i].expected, 11) == 0
                              : memchr(numbered.bytes, '~', 8) != NULL &&
                                    memcmp(numbered.bytes, "LONGFI~", 7) != 0 &&
                                    memcmp(numbered.bytes, "LO", 2) == 0;
        if (!good) {
            fail_msg("'%s', number %u: '%.11s'", rows[i].name, rows[i].number,
                     (const char *)numbered.bytes);
        }
    }
}

static void test_upcase(void **unused)
{
    (void)unused;
    static const uint16_t rows[][2] = {
        {'a', 'A'},     {'z', 'Z'},     {'{', '{'},     {'A', 'A'},       {0xE4, 0xC4},
        {0xF7, 0xF7},   {0xFF, 0x178},  {0x101, 0x100}, {0x100, 0x100},   {0x13A, 0x139},
        {0x138, 0x138}, {0x17E, 0x17D}, {0x3B1, 0x391}, {0x3C2, 0x3C2},   {0x430, 0x410},
        {0x451, 0x401}, {0x461, 0x460}, {0x561, 0x531}, {0x4E00, 0x4E00}, {0xFFFF, 0xFFFF},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (sdsim_upcase(rows[i][0]) != rows[i][1]) {
            fail_msg("U+%04X becomes U+%04X", rows[i][0], sdsim_upcase(rows[i][0]));
        }
    }
    for (uint32_t unit = 0; unit < 0x10000; unit++) {
        const uint16_t upper = sdsim_upcase((uint16_t)unit);
        if (sdsim_upcase(upper) != upper) {
            fail_msg("U+%04X: the upper case U+%04X has an upper case", unit, upper);
        }
    }
}

static void test_sums(void **unused)
{
    (void)unused;
    /* The example of Microsoft's long-name paper: the sum of "THEQUI~1FOX" is 0x07. */
    assert_int_equal(sdsim_name_sum((const uint8_t *)"THEQUI~1FOX"), 0x07);
    static const uint16_t lower[] = {'a', 'b', 0};
    static const uint16_t upper[] = {'A', 'B', 0};
    static const uint16_t other[] = {'B', 'A', 0};
    assert_int_equal(sdsim_name_hash(lower), sdsim_name_hash(upper));
    assert_int_not_equal(sdsim_name_hash(lower), sdsim_name_hash(other));
    /* A name whose sum is 0xFFFF on the way, where it must not overflow. */
    uint16_t many[25 + 1] = {0};
    for (size_t i = 0; i < 25; i++) {
        many[i] = 'L';
    }
    assert_int_equal(sdsim_name_hash(many), 0x8025);
}

static void test_print_is_cut(void **unused)
{
    (void)unused;
    static const uint16_t name[] = {'a', 0xE4, 0xD800, 0x4E00, 0};
    char out[16];
    sdsim_name_print(name, out, sizeof out);
    assert_string_equal(out, "a\xC3\xA4\xEF\xBF\xBD\xE4\xB8\x80");
    sdsim_name_print(name, out, 3); /* no half characters */
    assert_string_equal(out, "a");
    sdsim_name_print(name, out, 1);
    assert_string_equal(out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),        cmocka_unit_test(test_short_only),
        cmocka_unit_test(test_length_limit), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_upcase),       cmocka_unit_test(test_sums),
        cmocka_unit_test(test_print_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

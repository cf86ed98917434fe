/* What is said about texts that are no acceptable YAML. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "config/tree.h"
#include "unit/config_fixture.h"

#define TEXT SDSIM_TEST_BYTES

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *printed;
    } rows[] = {
        {TEXT("a: 1\n\tb: 2\n"), "t.yaml:2:1: error: a tab can't indent a line in YAML\n"
                                 "    2 |  b: 2\n"
                                 "      | ^\n"
                                 "help: indent with spaces\n"},
        {TEXT("\tb: 2\n"), "t.yaml:1:1: error: a tab can't indent a line in YAML\n"
                           "    1 |  b: 2\n"
                           "      | ^\n"
                           "help: indent with spaces\n"},
        {TEXT("a:\n  b: 1\n\tc: 2\n"), "t.yaml:3:1: error: a tab can't indent a line in YAML\n"
                                       "    3 |  c: 2\n"
                                       "      | ^\n"
                                       "help: indent with spaces\n"},
        {TEXT("a: |\n  x\n\ty\n"), "t.yaml:3:1: error: a tab can't indent a line in YAML\n"
                                   "    3 |  y\n"
                                   "      | ^\n"
                                   "help: indent with spaces\n"},
        {TEXT("a: [1, 2\nb: 3\n"),
         "t.yaml:1:4: error: this '[' is never closed\n"
         "    1 | a: [1, 2\n"
         "      |    ^\n"
         "help: the items of a list are separated by ',' and end with ']'\n"},
        {TEXT("a: {x: 1\nb: 3\n"),
         "t.yaml:1:4: error: this '{' is never closed\n"
         "    1 | a: {x: 1\n"
         "      |    ^\n"
         "help: the entries of a map are separated by ',' and end with '}'\n"},
        {TEXT("a: [\n"), "t.yaml:1:4: error: this bracket is never closed\n"
                         "    1 | a: [\n"
                         "      |    ^\n"
                         "help: each '[' needs a ']' and each '{' a '}'\n"},
        {TEXT("a: [1, 2,\n\n"), "t.yaml:1:4: error: this bracket is never closed\n"
                                "    1 | a: [1, 2,\n"
                                "      |    ^\n"
                                "help: each '[' needs a ']' and each '{' a '}'\n"},
        {TEXT("a: {b: 1,\n"), "t.yaml:1:4: error: this bracket is never closed\n"
                              "    1 | a: {b: 1,\n"
                              "      |    ^\n"
                              "help: each '[' needs a ']' and each '{' a '}'\n"},
        {TEXT("a: {b: [1, }\n"), "t.yaml:1:8: error: this bracket is never closed\n"
                                 "    1 | a: {b: [1, }\n"
                                 "      |        ^\n"
                                 "help: each '[' needs a ']' and each '{' a '}'\n"},
        {TEXT("a: [1, 2}\n"), "t.yaml:1:4: error: this '[' is never closed\n"
                              "    1 | a: [1, 2}\n"
                              "      |    ^\n"
                              "help: the items of a list are separated by ',' and end with ']'\n"},
        {TEXT("a: [[1], [2\nb: 1\nc: 3\n"),
         "t.yaml:1:10: error: this '[' is never closed\n"
         "    1 | a: [[1], [2\n"
         "      |          ^\n"
         "help: the items of a list are separated by ',' and end with ']'\n"},
        {TEXT("a: ]\n"), "t.yaml:1:4: error: this ']' closes nothing\n"
                         "    1 | a: ]\n"
                         "      |    ^\n"},
        {TEXT("a: }\n"), "t.yaml:1:4: error: this '}' closes nothing\n"
                         "    1 | a: }\n"
                         "      |    ^\n"},
        {TEXT("a: [1]]\n"), "t.yaml:1:7: error: this ']' closes nothing\n"
                            "    1 | a: [1]]\n"
                            "      |       ^\n"},
        {TEXT("a: , b\n"), "t.yaml:1:4: error: a ',' with no value in front of it\n"
                           "    1 | a: , b\n"
                           "      |    ^\n"
                           "help: a text that starts with ',' needs quotes\n"},
        {TEXT("a: [1,,2]\n"), "t.yaml:1:7: error: a ',' with no value in front of it\n"
                              "    1 | a: [1,,2]\n"
                              "      |       ^\n"
                              "help: a text that starts with ',' needs quotes\n"},
        {TEXT("a: \"abc\nb: 1\n"), "t.yaml:1:4: error: this quote is never closed\n"
                                   "    1 | a: \"abc\n"
                                   "      |    ^\n"},
        {TEXT("a: 'abc\n"), "t.yaml:1:4: error: this quote is never closed\n"
                            "    1 | a: 'abc\n"
                            "      |    ^\n"},
        {TEXT("a: \"abc\n---\nb: 1\n"), "t.yaml:1:4: error: this quote is never closed\n"
                                        "    1 | a: \"abc\n"
                                        "      |    ^\n"},
        {TEXT("a: \"\\q\"\n"), "t.yaml:1:5: error: unknown escape in a text in double quotes\n"
                               "    1 | a: \"\\q\"\n"
                               "      |     ^\n"
                               "help: write '\\\\' for a backslash, or use single quotes\n"},
        {TEXT("a: \"x\" y\n"),
         "t.yaml:1:8: error: this fits no map above it\n"
         "    1 | a: \"x\" y\n"
         "      |        ^\n"
         "help: check how far the line is indented, and that quotes enclose the whole text\n"},
        {TEXT("a: b: c\n"),
         "t.yaml:1:5: error: a ':' is not expected here\n"
         "    1 | a: b: c\n"
         "      |     ^\n"
         "help: put a text with ': ' in it into quotes, and line up keys of one map\n"},
        {TEXT("a: 1\n  b: 2\n"),
         "t.yaml:2:4: error: a ':' is not expected here\n"
         "    2 |   b: 2\n"
         "      |    ^\n"
         "help: put a text with ': ' in it into quotes, and line up keys of one map\n"},
        {TEXT("a: [b: c: d]\n"), "t.yaml:1:9: error: a ':' is not expected here\n"
                                 "    1 | a: [b: c: d]\n"
                                 "      |         ^\n"
                                 "help: put a text with ': ' in it into quotes\n"},
        {TEXT("key value\nb: 1\n"),
         "t.yaml:2:2: error: a ':' is not expected here\n"
         "    2 | b: 1\n"
         "      |  ^\n"
         "help: put a text with ': ' in it into quotes, and line up keys of one map\n"},
        {TEXT("a: 1\nkey:value\nb: 2\n"), "t.yaml:2:1: error: expected 'key: value'\n"
                                          "    2 | key:value\n"
                                          "      | ^\n"
                                          "help: a space must follow the ':' behind a key\n"},
        {TEXT("x: 1\n: 2\n"),
         "t.yaml:2:1: error: this fits no map above it\n"
         "    2 | : 2\n"
         "      | ^\n"
         "help: check how far the line is indented, and that quotes enclose the whole text\n"},
        {TEXT(": 1\n"), "t.yaml:1:1: error: a key is missing in front of ':'\n"
                        "    1 | : 1\n"
                        "      | ^\n"},
        {TEXT("a:\n    b: 1\n  c: 2\n"),
         "t.yaml:3:3: error: this fits no map above it\n"
         "    3 |   c: 2\n"
         "      |   ^\n"
         "help: check how far the line is indented, and that quotes enclose the whole text\n"},
        {TEXT("a: - b\n"), "t.yaml:1:4: error: a list can't start here\n"
                           "    1 | a: - b\n"
                           "      |    ^\n"
                           "help: begin it on a line of its own, or write [a, b]\n"},
        {TEXT("a:\n - 1\n b: 2\n"), "t.yaml:3:2: error: this line is no item of the list above it\n"
                                    "    3 |  b: 2\n"
                                    "      |  ^\n"
                                    "help: check how far the line is indented\n"},
        {TEXT("a: 1\n- 2\n"), "t.yaml:2:1: error: a list item where a key is expected\n"
                              "    2 | - 2\n"
                              "      | ^\n"
                              "help: check how far the line is indented\n"},
        {TEXT("- a\nb: 1\n"), "t.yaml:2:1: error: this line is no item of the list above it\n"
                              "    2 | b: 1\n"
                              "      | ^\n"
                              "help: check how far the line is indented\n"},
        {TEXT("[a][b]\n"),
         "t.yaml:1:4: error: this is no part of what stands above it\n"
         "    1 | [a][b]\n"
         "      |    ^\n"
         "help: a file is one map of 'key: value' lines; check the indentation\n"},
        {TEXT("a: @x\n"), "t.yaml:1:4: error: a text can't start with this sign in YAML\n"
                          "    1 | a: @x\n"
                          "      |    ^\n"
                          "help: put the text into quotes\n"},
        {TEXT("a: `ls`\n"), "t.yaml:1:4: error: a text can't start with this sign in YAML\n"
                            "    1 | a: `ls`\n"
                            "      |    ^\n"
                            "help: put the text into quotes\n"},
        {TEXT("a: %x\n"), "t.yaml:1:4: error: a text can't start with this sign in YAML\n"
                          "    1 | a: %x\n"
                          "      |    ^\n"
                          "help: put the text into quotes\n"},
        {TEXT("a: >x\n"), "t.yaml:1:4: error: a text can't start with this sign in YAML\n"
                          "    1 | a: >x\n"
                          "      |    ^\n"
                          "help: put the text into quotes\n"},
        {TEXT("a: *x\n"),
         "t.yaml:1:4: error: YAML aliases ('*name') are not used here\n"
         "    1 | a: *x\n"
         "      |    ^\n"
         "help: write the value again, or inherit with 'base:'; a text that starts with\n"
         "      '*' needs quotes\n"},
        {TEXT("a: * x\n"), "t.yaml:1:4: error: YAML aliases ('*name') are not used here\n"
                           "    1 | a: * x\n"
                           "      |    ^\n"
                           "help: a text that starts with '*' needs quotes\n"},
        {TEXT("a: &x 1\nb: 2\n"),
         "t.yaml:1:4: error: YAML anchors ('&name') are not used here\n"
         "    1 | a: &x 1\n"
         "      |    ^\n"
         "help: write the value again, or inherit with 'base:'; a text that starts with\n"
         "      '&' needs quotes\n"},
        {TEXT("a: & x\n"), "t.yaml:1:4: error: YAML anchors ('&name') are not used here\n"
                           "    1 | a: & x\n"
                           "      |    ^\n"
                           "help: a text that starts with '&' needs quotes\n"},
        {TEXT("a: &x {b: 1}\n"),
         "t.yaml:1:4: error: YAML anchors ('&name') are not used here\n"
         "    1 | a: &x {b: 1}\n"
         "      |    ^\n"
         "help: write the value again, or inherit with 'base:'; a text that starts with\n"
         "      '&' needs quotes\n"},
        {TEXT("a: &x [1]\n"),
         "t.yaml:1:4: error: YAML anchors ('&name') are not used here\n"
         "    1 | a: &x [1]\n"
         "      |    ^\n"
         "help: write the value again, or inherit with 'base:'; a text that starts with\n"
         "      '&' needs quotes\n"},
        {TEXT("&x a: 1\n"),
         "t.yaml:1:1: error: YAML anchors ('&name') are not used here\n"
         "    1 | &x a: 1\n"
         "      | ^\n"
         "help: write the value again, or inherit with 'base:'; a text that starts with\n"
         "      '&' needs quotes\n"},
        {TEXT("*x : 1\n"), "t.yaml:1:1: error: a key must be a plain word\n"
                           "    1 | *x : 1\n"
                           "      | ^\n"
                           "help: a text that starts with '[', '{' or '*' needs quotes\n"},
        {TEXT("a: !!int 1\n"), "t.yaml:1:4: error: YAML tags ('!type') are not used here\n"
                               "    1 | a: !!int 1\n"
                               "      |    ^\n"
                               "help: a text that starts with '!' needs quotes\n"},
        {TEXT("a: !x!y 1\n"), "t.yaml:1:4: error: YAML tags ('!type') are not used here\n"
                              "    1 | a: !x!y 1\n"
                              "      |    ^\n"
                              "help: a text that starts with '!' needs quotes\n"},
        {TEXT("a: !!map {b: 1}\n"), "t.yaml:1:4: error: YAML tags ('!type') are not used here\n"
                                    "    1 | a: !!map {b: 1}\n"
                                    "      |    ^\n"
                                    "help: a text that starts with '!' needs quotes\n"},
        {TEXT("a: !!seq [1]\n"), "t.yaml:1:4: error: YAML tags ('!type') are not used here\n"
                                 "    1 | a: !!seq [1]\n"
                                 "      |    ^\n"
                                 "help: a text that starts with '!' needs quotes\n"},
        {TEXT("<<: {b: 1}\n"), "t.yaml:1:1: error: YAML merge keys ('<<') are not used here\n"
                               "    1 | <<: {b: 1}\n"
                               "      | ^\n"
                               "help: inherit with 'base: NAME'\n"},
        {TEXT("'': 1\n"), "t.yaml:1:1: error: a key is missing in front of ':'\n"
                          "    1 | '': 1\n"
                          "      | ^\n"},
        {TEXT("\"a\\0b\": 1\n"), "t.yaml:1:1: error: a text can't contain the character NUL\n"
                                 "    1 | \"a\\0b\": 1\n"
                                 "      | ^\n"},
        {TEXT("? [a]\n: 1\n"), "t.yaml:1:3: error: a key must be a plain word\n"
                               "    1 | ? [a]\n"
                               "      |   ^\n"
                               "help: a text that starts with '[', '{' or '*' needs quotes\n"},
        {TEXT("{a: 1}: 2\n"), "t.yaml:1:1: error: a key must be a plain word\n"
                              "    1 | {a: 1}: 2\n"
                              "      | ^\n"
                              "help: a text that starts with '[', '{' or '*' needs quotes\n"},
        {TEXT("a: 1\nb: 2\na: 3\n"), "t.yaml:3:1: error: duplicate key 'a'\n"
                                     "    3 | a: 3\n"
                                     "      | ^\n"
                                     "help: the first one is in line 1\n"},
        {TEXT("a: 1\na: 2\na: 3\n"), "t.yaml:2:1: error: duplicate key 'a'\n"
                                     "    2 | a: 2\n"
                                     "      | ^\n"
                                     "help: the first one is in line 1\n"
                                     "t.yaml:3:1: error: duplicate key 'a'\n"
                                     "    3 | a: 3\n"
                                     "      | ^\n"
                                     "help: the first one is in line 1\n"},
        {TEXT("b:\n  \"c\": 1\n  c: 2\n"), "t.yaml:3:3: error: duplicate key 'c'\n"
                                           "    3 |   c: 2\n"
                                           "      |   ^\n"
                                           "help: the first one is in line 2\n"},
        {TEXT("a: 1\n---\nb: 1\n"), "t.yaml:2:1: error: a second YAML document in one file\n"
                                    "    2 | ---\n"
                                    "      | ^\n"
                                    "help: put it into a file of its own\n"},
        {TEXT("a: 1\n...\nb\n"),
         "t.yaml:3:1: error: this is no part of what stands above it\n"
         "    3 | b\n"
         "      | ^\n"
         "help: a file is one map of 'key: value' lines; check the indentation\n"},
        {TEXT(""), "t.yaml: error: empty: there is nothing in it but blanks and comments\n"},
        {TEXT("\n\n"), "t.yaml: error: empty: there is nothing in it but blanks and comments\n"},
        {TEXT("# only a comment\n"),
         "t.yaml: error: empty: there is nothing in it but blanks and comments\n"},
        {TEXT("---\n"), "t.yaml: error: empty: there is nothing in it but blanks and comments\n"},
        {TEXT("\357\273\277"),
         "t.yaml: error: empty: there is nothing in it but blanks and comments\n"},
        {TEXT("%YAML 3.0\n---\na: 1\n"),
         "t.yaml:1:1: error: this is no YAML: found incompatible YAML document\n"
         "    1 | %YAML 3.0\n"
         "      | ^\n"},
        {TEXT("a: \"x\\0y\"\n"), "t.yaml:1:4: error: a text can't contain the character NUL\n"
                                 "    1 | a: \"x\\0y\"\n"
                                 "      |    ^\n"},
        {TEXT("ab\n: \000x\n"),
         "t.yaml:2:3: error: this is no text file: it contains a NUL byte\n"},
        {TEXT("a: 1\nb\377: 2\n"), "t.yaml:2:2: error: this is no UTF-8 text: invalid byte 0xff\n"
                                   "help: save the file with the encoding UTF-8\n"},
        {TEXT("a: \303\n"), "t.yaml:1:4: error: this is no UTF-8 text: invalid byte 0xc3\n"
                            "help: save the file with the encoding UTF-8\n"},
        {TEXT("\377\376a\000:\000 \000"),
         "t.yaml:1:1: error: this is no UTF-8 text: invalid byte 0xff\n"
         "help: save the file with the encoding UTF-8\n"},
        {TEXT("a: \033[31m\n"),
         "t.yaml:1:4: error: this is no text file: it contains the control character U+001B\n"},
        {TEXT("a: b\rc: d\r"), "t.yaml:1:5: error: a carriage return without a line feed\n"
                               "help: end lines with LF or CR LF\n"},
        {TEXT("a: \302\205\n"), "t.yaml:1:4: error: the line separator U+0085 is not allowed\n"
                                "help: end lines with LF or CR LF\n"},
        {TEXT("a: \342\200\250\n"), "t.yaml:1:4: error: the line separator U+2028 is not allowed\n"
                                    "help: end lines with LF or CR LF\n"},
        {TEXT("a: \302\233\n"),
         "t.yaml:1:4: error: this is no text file: it contains the control character U+009B\n"},
        {TEXT("a: \357\277\276\n"),
         "t.yaml:1:4: error: this is no text file: it contains the control character U+FFFE\n"},
        {TEXT("a: \177\n"),
         "t.yaml:1:4: error: this is no text file: it contains the control character U+007F\n"},
        {TEXT("\177ELF\002\001\001\000\000"),
         "t.yaml:1:1: error: this is no text file: it contains the control character U+007F\n"},
        {TEXT("PK\003\004"),
         "t.yaml:1:3: error: this is no text file: it contains the control character U+0003\n"},
        {TEXT("a: &x *y\n*z : !t 1\n"),
         "t.yaml:1:4: error: YAML anchors ('&name') are not used here\n"
         "    1 | a: &x *y\n"
         "      |    ^\n"
         "help: write the value again, or inherit with 'base:'; a text that starts with\n"
         "      '&' needs quotes\n"
         "t.yaml:1:7: error: this fits no map above it\n"
         "    1 | a: &x *y\n"
         "      |       ^\n"
         "help: check how far the line is indented, and that quotes enclose the whole text\n"},
        {TEXT("a: \"\303\251\303\251\" &b c\n"),
         "t.yaml:1:11: error: this fits no map above it\n"
         "    1 | a: \"\303\251\303\251\" &b c\n"
         "      |         ^\n"
         "help: check how far the line is indented, and that quotes enclose the whole text\n"},
        {TEXT("\303\251: 1\n\303\251: 2\n"), "t.yaml:2:1: error: duplicate key '\303\251'\n"
                                             "    2 | \303\251: 2\n"
                                             "      | ^\n"
                                             "help: the first one is in line 1\n"},
        {TEXT("a: [1, &b c, *d]\r\nb: !e f\r\n"),
         "t.yaml:1:8: error: YAML anchors ('&name') are not used here\n"
         "    1 | a: [1, &b c, *d]\n"
         "      |        ^\n"
         "help: write the value again, or inherit with 'base:'; a text that starts with\n"
         "      '&' needs quotes\n"
         "t.yaml:1:14: error: YAML aliases ('*name') are not used here\n"
         "    1 | a: [1, &b c, *d]\n"
         "      |              ^\n"
         "help: write the value again, or inherit with 'base:'; a text that starts with\n"
         "      '*' needs quotes\n"
         "t.yaml:2:4: error: YAML tags ('!type') are not used here\n"
         "    2 | b: !e f\n"
         "      |    ^\n"
         "help: a text that starts with '!' needs quotes\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, NULL);
        const struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", rows[i].text, rows[i].size, &f.diags);
        char *printed = sdsim_test_diag_text(&f.diags);
        if (root != NULL || strcmp(printed, rows[i].printed) != 0) {
            fail_msg("row %zu: expected\n%sgot%s\n%s", i, rows[i].printed,
                     root != NULL ? " a tree, and" : "", printed);
        }
        free(printed);
        sdsim_test_config_tear_down(&f);
    }
}

/* Texts made to hurt: each is refused for the reason that is seen first. */
static void test_refuses_hostile_texts(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        const char *unit;
        size_t count;
        const char *first_line;
    } rows[] = {
        {"", "[", 100000, "t.yaml:1:33: error: more than 32 maps or lists inside each other\n"},
        {"", "{", 100000, "t.yaml:1:2: error: a key must be a plain word\n"},
        {"", "{a: ", 100000, "t.yaml:1:129: error: more than 32 maps or lists inside each other\n"},
        {"", "- ", 100000, "t.yaml:1:65: error: more than 32 maps or lists inside each other\n"},
        {"", "? ", 100000, "t.yaml:1:3: error: a key must be a plain word\n"},
        {"", "x", 1048577, "t.yaml: error: larger than 1024 KiB, the limit for a YAML file\n"},
        {"a: [", "b,", 100001, "t.yaml:1:200001: error: more than 100000 values in one file\n"},
        {"- a\n", "-\n", 100000, "t.yaml:100000:2: error: more than 100000 values in one file\n"},
        {"[", "&a b,", 90000, "t.yaml:1:2: error: YAML anchors ('&name') are not used here\n"},
        {"[", "*a ,", 90000, "t.yaml:1:2: error: YAML aliases ('*name') are not used here\n"},
        {"", "a: b\n", 90000, "t.yaml:2:1: error: duplicate key 'a'\n"},
        {"\"", "\n", 1000000, "t.yaml:1:1: error: this quote is never closed\n"},
        {"", "\t", 1000000, "t.yaml:1:1: error: a tab can't indent a line in YAML\n"},
        {"", ":", 1000000, "t.yaml:1:1000000: error: a ':' is not expected here\n"},
        {"", "%", 1000000,
         "t.yaml:1:2: error: this is no YAML: while scanning a directive, could not "
         "find expected directive name\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, NULL);
        size_t size;
        char *text = sdsim_test_repeat(rows[i].head, rows[i].unit, rows[i].count, &size);
        assert_null(sdsim_config_parse_text(f.config, "t.yaml", text, size, &f.diags));
        char *printed = sdsim_test_diag_text(&f.diags);
        if (strncmp(printed, rows[i].first_line, strlen(rows[i].first_line)) != 0) {
            fail_msg("row %zu: expected\n%sgot\n%.500s", i, rows[i].first_line, printed);
        }
        free(printed);
        free(text);
        sdsim_test_config_tear_down(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_refuses_hostile_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

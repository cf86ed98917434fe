/* YAML to trees: what is read, where nodes stand, which files are read. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "config/tree.h"
#include "unit/config_fixture.h"

static void test_reads(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *tree;
    } rows[] = {
        {"a: 1", "{a:'1'}"},
        {"a: 20MHz # comment\nb: [4KiB, 32KiB]\n", "{a:'20MHz' b:['4KiB''32KiB']}"},
        {"a:\n  b: {c: x}\n  d:\n  - 1\n  - e: 2\n    f: 3\n",
         "{a:{b:{c:'x'} d:['1'{e:'2' f:'3'}]}}"},
        {"a: {}\nb: []\nc:\nd: ''\ne: \"\"\n", "{a:{} b:[] c:'' d:'' e:''}"},
        {"a: no\nb: 0x10\nc: ~\nd: 1_000\n", "{a:'no' b:'0x10' c:'~' d:'1_000'}"},
        {"\"a b\": 'it''s'\n'c': \"x\\ty\"\n", "{a b:'it's' c:'x\ty'}"},
        {"a: |\n  two\n  lines\nb: >\n  one\n  line\n", "{a:'two\nlines\n' b:'one line\n'}"},
        {"a: plain text\n  goes on\n", "{a:'plain text goes on'}"},
        {"---\na: 1\n...\n", "{a:'1'}"},
        {"%YAML 1.1\n---\na: 1\n", "{a:'1'}"},
        {"- 1\n- 2\n", "['1''2']"},
        {"just a text", "'just a text'"},
        {"\"\"", "''"},
        {"a: 1\r\nb:\r\n  c: 2\r\n", "{a:'1' b:{c:'2'}}"},
        {"\xef\xbb\xbf"
         "a: 1\n",
         "{a:'1'}"},
        {"\xc3\xa9: \xe2\x82\xac\n", "{\xc3\xa9:'\xe2\x82\xac'}"},
        {"{a: 1, b: {c: [x, {y: z}]}}", "{a:'1' b:{c:['x'{y:'z'}]}}"},
        {"a: 1\n\n\n# end", "{a:'1'}"},
        {"a:\t1\n", "{a:'1'}"},
        {"{a, b: }", "{a:'' b:''}"},
        {"card: ../cards/x.yaml\n", "{card:'../cards/x.yaml'}"},
        {"a: 1]\nb: x:y\nc: -1\nd: .5\n", "{a:'1]' b:'x:y' c:'-1' d:'.5'}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, NULL);
        const struct sdsim_node *root = sdsim_config_parse_text(f.config, "t.yaml", rows[i].text,
                                                                strlen(rows[i].text), &f.diags);
        char *said = sdsim_test_diag_text(&f.diags);
        if (root == NULL || said[0] != '\0') {
            fail_msg("row %zu: %s", i, said);
        }
        char *tree = sdsim_test_tree_text(root);
        if (strcmp(tree, rows[i].tree) != 0) {
            fail_msg("row %zu: expected %s, got %s", i, rows[i].tree, tree);
        }
        free(tree);
        free(said);
        sdsim_test_config_tear_down(&f);
    }
}

/* Places are lines and columns of the file, in bytes, from 1. */
static void test_places(void **state)
{
    (void)state;
    static const char text[] = "a: 20MHz\n"
                               "bus:\n"
                               "  \xc3\xa9: \xe2\x82\xac\xe2\x82\xac  # x\n"
                               "  list: [1, 'two', {x: y}]\r\n"
                               "  none:\n"
                               "  text: |\n"
                               "    long\n"
                               "  more: two words\n"
                               "    on two lines\n"
                               "  \"quoted\": z\n";
    static const struct {
        const char *path[4];
        uint32_t line, column, length;
        uint32_t key_line, key_column;
    } rows[] = {
        {{"a"}, 1, 4, 5, 1, 1},
        {{"bus"}, 3, 3, 1, 2, 1},
        {{"bus", "\xc3\xa9"}, 3, 7, 6, 3, 3},
        {{"bus", "list"}, 4, 9, 1, 4, 3},
        {{"bus", "none"}, 5, 3, 4, 5, 3},
        {{"bus", "text"}, 6, 9, 1, 6, 3},
        {{"bus", "more"}, 8, 9, 9, 8, 3},
        {{"bus", "quoted"}, 10, 13, 1, 10, 3},
    };
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_node *root =
        sdsim_config_parse_text(f.config, "t.yaml", text, sizeof text - 1, &f.diags);
    assert_non_null(root);
    assert_int_equal(root->line, 1);
    assert_int_equal(root->column, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sdsim_node *node = root;
        const struct sdsim_entry *entry = NULL;
        for (const char *const *key = rows[i].path; *key != NULL; key++) {
            for (size_t at = 0; at < node->count; at++) {
                if (strcmp(node->entries[at].key, *key) == 0) {
                    entry = &node->entries[at];
                }
            }
            node = sdsim_node_get(node, *key);
            assert_non_null(node);
        }
        if (node->line != rows[i].line || node->column != rows[i].column ||
            node->length != rows[i].length || entry->line != rows[i].key_line ||
            entry->column != rows[i].key_column) {
            fail_msg("row %zu: value %u:%u+%u, key %u:%u", i, node->line, node->column,
                     node->length, entry->line, entry->column);
        }
        assert_string_equal(node->source->path, "t.yaml");
        assert_ptr_equal(node->source, entry->source);
    }
    const struct sdsim_node *list = sdsim_node_get(sdsim_node_get(root, "bus"), "list");
    static const uint32_t columns[] = {10, 13, 20};
    static const uint32_t lengths[] = {1, 5, 1};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(list->items[i]->column, columns[i]);
        assert_int_equal(list->items[i]->length, lengths[i]);
    }
    sdsim_test_config_tear_down(&f);
}

/* The limits themselves are allowed. */
static void test_reads_up_to_the_limits(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    size_t size;
    sdsim_test_config_set_up(&f, NULL);
    char *text = sdsim_test_repeat("a: ", "x", 1048576 - 3, &size);
    const struct sdsim_node *root = sdsim_config_parse_text(f.config, "t", text, size, &f.diags);
    assert_non_null(root);
    assert_int_equal(strlen(sdsim_node_text(root, "a")), 1048573);
    free(text);

    text = sdsim_test_repeat("", "-\n", 99999, &size);
    root = sdsim_config_parse_text(f.config, "t", text, size, &f.diags);
    assert_non_null(root);
    assert_int_equal(root->count, 99999);
    free(text);

    char nested[65] = "";
    memset(nested, '[', 32);
    memset(nested + 32, ']', 32);
    root = sdsim_config_parse_text(f.config, "t", nested, 64, &f.diags);
    for (int level = 1; level < 32; level++) {
        assert_non_null(root);
        assert_int_equal(root->kind, SDSIM_NODE_LIST);
        root = root->items[0];
    }
    assert_int_equal(root->count, 0);
    assert_int_equal(f.diags.count, 0);
    sdsim_test_config_tear_down(&f);
}

static void test_files(void **state)
{
    (void)state;
    char home[4096];
    assert_non_null(getcwd(home, sizeof home));
    assert_int_equal(chdir(sdsim_test_folder()), 0);
    size_t size;
    char *large = sdsim_test_repeat("a: ", "x", 2000000, &size);
    sdsim_test_write_file("good.yaml", SDSIM_TEST_BYTES("a: 1\n"));
    sdsim_test_write_file("empty.yaml", "", 0);
    sdsim_test_write_file("binary.yaml", SDSIM_TEST_BYTES("\x89PNG\r\n\x1a\n\0\0"));
    sdsim_test_write_file("syntax.yaml", SDSIM_TEST_BYTES("a: [\n"));
    sdsim_test_write_file("large.yaml", large, size);
    assert_int_equal(mkdir("folder.yaml", 0777), 0);
    static const struct {
        const char *path;
        const char *printed;
    } rows[] = {
        {"good.yaml", ""},
        {"./good.yaml", ""},
        {"empty.yaml",
         "empty.yaml: error: empty: there is nothing in it but blanks and comments\n"},
        {"missing.yaml", "missing.yaml: error: cannot be read: No such file or directory\n"},
        {"good.yaml/x", "good.yaml/x: error: cannot be read: Not a directory\n"},
        {"", ": error: cannot be read: No such file or directory\n"},
        {"folder.yaml", "folder.yaml: error: this is a directory, not a file\n"},
        {"binary.yaml", "binary.yaml:1:1: error: this is no UTF-8 text: invalid byte 0x89\n"
                        "help: save the file with the encoding UTF-8\n"},
        {"syntax.yaml", "syntax.yaml:1:4: error: this bracket is never closed\n"
                        "    1 | a: [\n"
                        "      |    ^\n"
                        "help: each '[' needs a ']' and each '{' a '}'\n"},
        {"large.yaml", "large.yaml: error: larger than 1024 KiB, the limit for a YAML file\n"},
        {"/dev/zero", "/dev/zero: error: larger than 1024 KiB, the limit for a YAML file\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, NULL);
        const struct sdsim_node *root = sdsim_config_parse(f.config, rows[i].path, &f.diags);
        char *printed = sdsim_test_diag_text(&f.diags);
        if ((root != NULL) != (rows[i].printed[0] == '\0') ||
            strcmp(printed, rows[i].printed) != 0) {
            fail_msg("%s: expected\n%sgot\n%s", rows[i].path, rows[i].printed, printed);
        }
        free(printed);
        sdsim_test_config_tear_down(&f);
    }
    free(large);
    assert_int_equal(chdir(home), 0);
}

/* The texts belong to the config: what they were read from may go. */
static void test_keeps_its_own_copy(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    char *text = strdup("a: [x, y]\n");
    char *name = strdup("t.yaml");
    assert_true(text != NULL && name != NULL);
    const struct sdsim_node *root =
        sdsim_config_parse_text(f.config, name, text, strlen(text), &f.diags);
    free(text);
    free(name);
    assert_non_null(root);
    sdsim_node_diag(&f.diags, SDSIM_WARNING, sdsim_node_get(root, "a")->items[1], "help %", "t%d",
                    1);
    char *printed = sdsim_test_diag_text(&f.diags);
    assert_string_equal(printed, "t.yaml:1:8: warning: t1\n"
                                 "    1 | a: [x, y]\n"
                                 "      |        ^\n"
                                 "help: help %\n");
    free(printed);
    sdsim_test_config_tear_down(&f);
}

static void test_get(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    static const char text[] = "a: 1\nb: [x]\n";
    const struct sdsim_node *root =
        sdsim_config_parse_text(f.config, "t", text, sizeof text - 1, &f.diags);
    assert_string_equal(sdsim_node_text(root, "a"), "1");
    assert_null(sdsim_node_text(root, "b"));
    assert_null(sdsim_node_text(root, "c"));
    assert_null(sdsim_node_get(NULL, "a"));
    assert_null(sdsim_node_text(NULL, "a"));
    assert_null(sdsim_node_get(sdsim_node_get(root, "a"), "a"));
    assert_null(sdsim_node_get(sdsim_node_get(root, "b"), "x"));
    sdsim_test_config_tear_down(&f);
}

static void test_closest(void **state)
{
    (void)state;
    static const char *const words[] = {"clock", "mode", "crc", "timeout", "wr", "block"};
    static const struct {
        const char *word;
        const char *closest; /* or NULL */
    } rows[] = {
        {"clok", "clock"},
        {"clokc", "clock"},
        {"clock", "clock"},
        {"CLOCK", "clock"},
        {"mdoe", "mode"},
        {"crcs", "crc"},
        {"cr", NULL},
        {"cc", NULL},
        {"timeot", "timeout"},
        {"time-out", "timeout"},
        {"tmout", NULL},
        {"x", NULL},
        {"", NULL},
        {"wr", "wr"},
        {"lock", "clock"},
        {"something", NULL},
        {"bolck", "block"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *closest = sdsim_closest(rows[i].word, words, 6);
        if ((closest == NULL) != (rows[i].closest == NULL) ||
            (closest != NULL && strcmp(closest, rows[i].closest) != 0)) {
            fail_msg("'%s': got %s", rows[i].word, closest != NULL ? closest : "nothing");
        }
    }
    char longer[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    const char *const same[] = {longer};
    assert_null(sdsim_closest("x", same, 1));
    assert_null(sdsim_closest(longer, same, 1)); /* words of more than 64 bytes aren't compared */
    assert_null(sdsim_closest("clok", words, 0));
}

/* Each failing allocation ends in an error, and nothing leaks. */
static void test_out_of_memory(void **state)
{
    (void)state;
    static const char text[] = "a: [1, {b: c}]\nd: {e: f, g: h}\n";
    size_t failures = 0;
    for (size_t used = 0; used < SDSIM_TEST_BLOCK; used += 16) {
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            struct sdsim_test_config f;
            sdsim_test_config_set_up(&f, "data");
            sdsim_test_config_use(&f, used);
            sdsim_test_fail_allocation(n);
            const struct sdsim_node *root =
                sdsim_config_parse_text(f.config, "t", text, sizeof text - 1, &f.diags);
            failed = sdsim_test_allocation_failed();
            if (failed != (root == NULL) || failed != (f.diags.errors > 0)) {
                fail_msg("%zu bytes used, allocation %zu: %s, %zu errors", used, n,
                         root != NULL ? "a tree" : "none", f.diags.errors);
            }
            sdsim_test_config_tear_down(&f);
            failures += failed;
        }
    }
    assert_in_range(failures, 2048 * 3, 2048 * 6);
    for (size_t n = 1; n <= 3; n++) {
        sdsim_test_fail_allocation(n);
        struct sdsim_config *config = sdsim_config_create("data");
        const bool failed = sdsim_test_allocation_failed();
        assert_int_equal(config == NULL, failed);
        assert_int_equal(failed, n <= 2);
        sdsim_config_destroy(config);
    }
}

static void test_huge_allocations_are_refused(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    assert_null(sdsim_config_alloc(f.config, SIZE_MAX, 2));
    assert_null(sdsim_config_alloc(f.config, SIZE_MAX, 1));
    const unsigned char *memory = sdsim_config_alloc(f.config, 100, 1000);
    assert_non_null(memory);
    for (size_t i = 0; i < 100000; i++) {
        assert_int_equal(memory[i], 0);
    }
    sdsim_test_config_tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_reads_up_to_the_limits),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_keeps_its_own_copy),
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_closest),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_huge_allocations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* path=value: what it changes, what it leaves alone, what is said about a wrong one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "config/tree.h"
#include "unit/config_fixture.h"

static const char file[] = "card: ultra\n"
                           "host: {cpu: 240MHz}\n"
                           "steps: [{call: 4KiB}, {call: 8KiB}]\n"
                           "sizes: [1, 2]\n"
                           "rd1: 200us\n"
                           "none:\n";

/* The tree of `file` after one assignment, with only what it changed. */
static void test_sets(void **state)
{
    (void)state;
    static const struct {
        const char *assignment;
        const char *key; /* of the root */
        const char *tree;
    } rows[] = {
        {"card=other", "card", "'other'"},
        {"new=1", "new", "'1'"},
        {"new.deep.er=1", "new", "{deep:{er:'1'}}"},
        {"card.rd1=200us", "card", "{base:'ultra' rd1:'200us'}"},
        {"card.au.open=3", "card", "{base:'ultra' au:{open:'3'}}"},
        {"host.cpu=80MHz", "host", "{cpu:'80MHz'}"},
        {"host.dma=yes", "host", "{cpu:'240MHz' dma:'yes'}"},
        {"host={x: 1}", "host", "{x:'1'}"},
        {"host.cpu.range=1..2", "host", "{cpu:{value:'240MHz' range:'1..2'}}"},
        {"rd1.from=measured", "rd1", "{value:'200us' from:'measured'}"},
        {"rd1.fit=headline", "rd1", "{value:'200us' fit:'headline'}"},
        {"rd1.value=1us", "rd1", "{base:'200us' value:'1us'}"},
        {"none.x=1", "none", "{x:'1'}"},
        {"steps[1].call=16KiB", "steps", "[{call:'4KiB'}{call:'16KiB'}]"},
        {"steps[0]=x", "steps", "['x'{call:'8KiB'}]"},
        {"steps[0].sync=no", "steps", "[{call:'4KiB' sync:'no'}{call:'8KiB'}]"},
        {"sizes[1]=[5, 6]", "sizes", "['1'['5''6']]"},
        {"sizes=[4KiB, 32KiB]", "sizes", "['4KiB''32KiB']"},
        {"card[0]=x", "card", "['x']"}, /* one value is a list of one */
        {"host[0].cpu=1MHz", "host", "[{cpu:'1MHz'}]"},
        {"card='a: b'", "card", "'a: b'"},
        {"card=a=b", "card", "'a=b'"},
        {"card=\"\"", "card", "''"},
        {"card= spaced ", "card", "'spaced'"},
        {"\xc3\xa9=\xe2\x82\xac", "\xc3\xa9", "'\xe2\x82\xac'"},
        {"a b=1", "a b", "'1'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, NULL);
        struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", file, sizeof file - 1, &f.diags);
        char *before = sdsim_test_tree_text(root);
        struct sdsim_node shared = *root; /* another tree with the same nodes */
        if (!sdsim_config_set(f.config, root, rows[i].assignment, &f.diags)) {
            fail_msg("%s: %s", rows[i].assignment, f.diags.items[0].text);
        }
        const struct sdsim_node *value = sdsim_node_get(root, rows[i].key);
        assert_non_null(value);
        char *tree = sdsim_test_tree_text(value);
        char *after = sdsim_test_tree_text(&shared);
        if (strcmp(tree, rows[i].tree) != 0) {
            fail_msg("%s: expected %s, got %s", rows[i].assignment, rows[i].tree, tree);
        }
        if (strcmp(before, after) != 0) {
            fail_msg("%s: the other tree became %s", rows[i].assignment, after);
        }
        assert_int_equal(f.diags.count, 0);
        free(tree);
        free(after);
        free(before);
        sdsim_test_config_tear_down(&f);
    }
}

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *assignment;
        const char *said;
    } rows[] = {
        {"card", "--set:1:1: error: expected path=value\n"
                 "    1 | card\n"
                 "      | ^~~~\n"
                 "help: write it like 'card.rd1=200us'\n"},
        {"card=", "--set:1:1: error: there is no value behind the '='\n"
                  "    1 | card=\n"
                  "      | ^~~~\n"
                  "help: write it like 'card.rd1=200us'\n"},
        {"", "--set:1:1: error: expected path=value\n"
             "    1 | \n"
             "      | ^\n"
             "help: write it like 'card.rd1=200us'\n"},
        {"=1", "--set:1:1: error: expected a key\n"
               "    1 | =1\n"
               "      | ^\n"
               "help: write it like 'card.rd1=200us'\n"},
        {".card=1", "--set:1:1: error: expected a key\n"
                    "    1 | .card=1\n"
                    "      | ^\n"
                    "help: write it like 'card.rd1=200us'\n"},
        {"card..rd1=1", "--set:1:6: error: expected a key\n"
                        "    1 | card..rd1=1\n"
                        "      |      ^\n"
                        "help: write it like 'card.rd1=200us'\n"},
        {"card.=1", "--set:1:6: error: expected a key\n"
                    "    1 | card.=1\n"
                    "      |      ^\n"
                    "help: write it like 'card.rd1=200us'\n"},
        {"[0]=1", "--set:1:1: error: expected a key\n"
                  "    1 | [0]=1\n"
                  "      | ^\n"
                  "help: write it like 'card.rd1=200us'\n"},
        {"sizes[x]=1", "--set:1:6: error: expected a number in brackets\n"
                       "    1 | sizes[x]=1\n"
                       "      |      ^\n"
                       "help: write [0] for the first item\n"},
        {"sizes[=1", "--set:1:6: error: expected a number in brackets\n"
                     "    1 | sizes[=1\n"
                     "      |      ^\n"
                     "help: write [0] for the first item\n"},
        {"sizes[-1]=1", "--set:1:6: error: expected a number in brackets\n"
                        "    1 | sizes[-1]=1\n"
                        "      |      ^\n"
                        "help: write [0] for the first item\n"},
        {"sizes[2]=1", "--set:1:6: error: there are 2 items, the first is [0]\n"
                       "    1 | sizes[2]=1\n"
                       "      |      ^~~\n"},
        {"card[1]=1", "--set:1:5: error: there is 1 item, the first is [0]\n"
                      "    1 | card[1]=1\n"
                      "      |     ^~~\n"},
        {"new[0]=1", "--set:1:4: error: there are 0 items, the first is [0]\n"
                     "    1 | new[0]=1\n"
                     "      |    ^~~\n"},
        {"sizes[99999999999999999999]=1", "--set:1:6: error: expected a number in brackets\n"
                                          "    1 | sizes[99999999999999999999]=1\n"
                                          "      |      ^\n"
                                          "help: write [0] for the first item\n"},
        {"steps.call=1", "--set:1:7: error: what stands here is a list, it has no keys\n"
                         "    1 | steps.call=1\n"
                         "      |       ^~~~\n"
                         "help: choose an item with [n], the first is [0]\n"},
        {"sizes=[1, 2", "--set:1:7: error: this '[' is never closed\n"
                        "    1 | sizes=[1, 2\n"
                        "      |       ^\n"
                        "help: the items of a list are separated by ',' and end with ']'\n"},
        {"card=*x",
         "--set:1:6: error: YAML aliases ('*name') are not used here\n"
         "    1 | card=*x\n"
         "      |      ^\n"
         "help: write the value again, or inherit with 'base:'; a text that starts with\n"
         "      '*' needs quotes\n"},
        {"\xc3\xa9=\xc3\xa9: [", "--set:1:8: error: this bracket is never closed\n"
                                 "    1 | \xc3\xa9=\xc3\xa9: [\n"
                                 "      |      ^\n"
                                 "help: each '[' needs a ']' and each '{' a '}'\n"},
        {"card=\xff", "--set:1:6: error: this is no UTF-8 text: invalid byte 0xff\n"
                      "help: save the file with the encoding UTF-8\n"},
        {"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b=1",
         "--set:1:64: error: more than 32 keys in one path\n"
         "    1 | a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b=1\n"
         "      |                                                                ^\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, NULL);
        struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", file, sizeof file - 1, &f.diags);
        char *before = sdsim_test_tree_text(root);
        const bool set = sdsim_config_set(f.config, root, rows[i].assignment, &f.diags);
        char *printed = sdsim_test_diag_text(&f.diags);
        char *after = sdsim_test_tree_text(root);
        if (set || strcmp(printed, rows[i].said) != 0) {
            fail_msg("%s: expected\n%sgot\n%s", rows[i].assignment, rows[i].said, printed);
        }
        if (strcmp(before, after) != 0) {
            fail_msg("%s: the tree became %s", rows[i].assignment, after);
        }
        free(after);
        free(printed);
        free(before);
        sdsim_test_config_tear_down(&f);
    }
}

/* Values set know where they stand in the assignment, those that were there keep their place. */
static void test_places(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    struct sdsim_node *root =
        sdsim_config_parse_text(f.config, "t.yaml", file, sizeof file - 1, &f.diags);
    assert_true(sdsim_config_set(f.config, root, "card.rd1=200us", &f.diags));
    assert_true(sdsim_config_set(f.config, root, "host.x={y: [1, 2]}", &f.diags));
    const struct sdsim_node *card = sdsim_node_get(root, "card");
    const struct sdsim_node *base = sdsim_node_get(card, "base");
    const struct sdsim_node *rd1 = sdsim_node_get(card, "rd1");
    assert_string_equal(base->source->path, "t.yaml");
    assert_int_equal(base->column, 7);
    assert_string_equal(rd1->source->path, "--set");
    assert_string_equal(rd1->source->text, "card.rd1=200us");
    assert_int_equal(rd1->column, 10);
    assert_int_equal(rd1->length, 5);
    assert_int_equal(card->entries[1].column, 6);
    const struct sdsim_node *host = sdsim_node_get(root, "host");
    assert_string_equal(host->source->path, "t.yaml");
    assert_int_equal(sdsim_node_get(sdsim_node_get(host, "x"), "y")->items[1]->column, 16);
    sdsim_test_config_tear_down(&f);
}

/* A second assignment builds on the first. */
static void test_sets_one_after_the_other(void **state)
{
    (void)state;
    static const char *const assignments[] = {"card.rd1=1ms", "card.rd1=2ms", "card.au.open=3",
                                              "card.au.size=4MiB", "card.base=other"};
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    struct sdsim_node *root =
        sdsim_config_parse_text(f.config, "t.yaml", file, sizeof file - 1, &f.diags);
    for (size_t i = 0; i < sizeof assignments / sizeof assignments[0]; i++) {
        assert_true(sdsim_config_set(f.config, root, assignments[i], &f.diags));
    }
    char *tree = sdsim_test_tree_text(sdsim_node_get(root, "card"));
    assert_string_equal(tree, "{base:'other' rd1:'2ms' au:{open:'3' size:'4MiB'}}");
    free(tree);
    sdsim_test_config_tear_down(&f);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    static const char *const assignments[] = {"card.au.open=3", "steps[1].call={a: 1}",
                                              "card[0]=x"};
    size_t failures = 0;
    for (size_t used = 0; used < 3 * SDSIM_TEST_BLOCK; used += 16) {
        const char *assignment = assignments[used / SDSIM_TEST_BLOCK];
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, NULL);
        struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", file, sizeof file - 1, &f.diags);
        char *before = sdsim_test_tree_text(root);
        sdsim_test_config_use(&f, used % SDSIM_TEST_BLOCK);
        sdsim_test_fail_allocation(1);
        const bool set = sdsim_config_set(f.config, root, assignment, &f.diags);
        const bool failed = sdsim_test_allocation_failed();
        char *after = sdsim_test_tree_text(root);
        if (set == failed && failed) {
            fail_msg("%s, %zu bytes used: set without memory", assignment, used);
        }
        assert_int_equal(f.diags.errors > 0, !set);
        assert_int_equal(strcmp(before, after) == 0, !set);
        failures += failed;
        free(after);
        free(before);
        sdsim_test_config_tear_down(&f);
    }
    assert_in_range(failures, 2048 + 50, 3 * 2048);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),          cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_places),        cmocka_unit_test(test_sets_one_after_the_other),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

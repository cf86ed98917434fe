/* Profiles: where they are found, what they inherit, what is said when that fails. */
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

/* The world of these tests, in a folder of its own. A path that ends in '/' is a folder. */
static const struct {
    const char *path;
    const char *text;
} world[] = {
    {"data/", NULL},
    {"data/cards/", NULL},
    {"data/scenarios/", NULL},
    {"data/scenarios/hosts/", NULL},
    {"data/scenarios/drivers/", NULL},
    {"data/scenarios/boards/", NULL},
    {"mine/", NULL},
    {"data/cards/generic.yaml", "kind: card\nname: Generic\nrd1: 200us\nau: {size: 4MiB, open: 2}\n"
                                "rates: [1MB/s, 2MB/s]\n"},
    {"data/cards/ultra.yaml", "kind: card\nbase: generic\nname: Ultra\nau: {open: 4}\n"
                              "rates: [9MB/s]\nrd2: 1ms\n"},
    {"data/cards/ultra-old.yaml", "kind: card\nbase: ultra\nau: 5\n"},
    {"data/cards/a.yaml", "kind: card\nbase: b\n"},
    {"data/cards/b.yaml", "kind: card\nbase: ./c.yaml\n"},
    {"data/cards/c.yaml", "kind: card\nbase: ../cards/a.yaml\n"},
    {"data/cards/self.yaml", "kind: card\nbase: self\n"},
    {"data/cards/broken.yaml", "kind: card\nx: [\n"},
    {"data/cards/orphan.yaml", "kind: card\nbase: ultar\n"},
    {"data/cards/wrongbase.yaml", "kind: card\nbase: esp32\nx: 1\n"},
    {"data/cards/listbase.yaml", "kind: card\nbase: [ultra]\n"},
    {"data/cards/nobase.yaml", "kind: card\nbase:\n"},
    {"data/cards/nokind.yaml", "name: no kind\n"},
    {"data/cards/badkind.yaml", "kind: crad\n"},
    {"data/cards/oddkind.yaml", "kind: something\n"},
    {"data/cards/mapkind.yaml", "kind: {a: 1}\n"},
    {"data/cards/ishost.yaml", "kind: host\n"},
    {"data/cards/list.yaml", "- 1\n"},
    {"data/cards/notes.txt", "kind: card\n"},
    {"data/cards/valued.yaml", "kind: card\nrd1: {value: 1ms, range: 1ms..2ms, from: measured}\n"},
    {"data/cards/revalued.yaml", "kind: card\nbase: valued\nrd1: {value: 5ms}\n"},
    {"data/cards/reranged.yaml", "kind: card\nbase: valued\nrd1: {range: 1ms..9ms}\n"},
    {"data/scenarios/hosts/esp32.yaml", "kind: host\ncpu: 240MHz\n"},
    {"data/scenarios/drivers/fast.yaml", "kind: driver\n"},
    {"data/scenarios/boards/devkit.yaml", "kind: board\nhost: esp32\n"},
    {"data/scenarios/ultra.yaml", "kind: scenario\ncard: ultra\n"},
    {"mine/ultra.yaml", "kind: card\nbase: ultra\nrd1: 77us\n"},
    {"mine/near.yaml", "kind: scenario\ncard: ultra\n"},
    {"mine/esp32.yaml", "kind: scenario\n"},
    {"mine/bad.yaml", "kind: card\n a: 1\n"},
    {"mine/refers.yaml", "kind: scenario\n"
                         "name: ultra\n"
                         "byname: generic\n"
                         "bypath: ../data/cards/ultra.yaml\n"
                         "changed: {base: generic, rd1: 1ms}\n"
                         "inline: {rd1: 3ms}\n"
                         "nested: {base: {base: generic, rd1: 1ms}, rd2: 4ms}\n"
                         "wrong: {kind: host, base: generic}\n"
                         "unknown: genric\n"
                         "nofile: ./none.yaml\n"
                         "list: [generic]\n"
                         "empty:\n"
                         "local: ultra\n"
                         "hostname: esp32\n"
                         "broken: bad\n"},
};

#define WORLD (sizeof world / sizeof world[0])

struct place {
    char folder[32];
    char home[4096];
};

static int make_world(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    if (place == NULL) {
        return -1;
    }
    *state = place;
    strcpy(place->folder, "/tmp/sdsim-profile-XXXXXX");
    if (mkdtemp(place->folder) == NULL || getcwd(place->home, sizeof place->home) == NULL ||
        chdir(place->folder) != 0) {
        return -1;
    }
    for (size_t i = 0; i < WORLD; i++) {
        if (world[i].text == NULL) {
            assert_int_equal(mkdir(world[i].path, 0777), 0);
        } else {
            sdsim_test_write_file(world[i].path, world[i].text, strlen(world[i].text));
        }
    }
    return 0;
}

static int remove_world(void **state)
{
    struct place *place = *state;
    for (size_t i = WORLD; i-- > 0;) {
        if (world[i].text == NULL) {
            rmdir(world[i].path);
        } else {
            unlink(world[i].path);
        }
    }
    const int failed = chdir(place->home) != 0 || rmdir(place->folder) != 0;
    free(place);
    return failed;
}

/* Compares the outcome of a row: a tree, or all that is said. */
static void check(const char *row, const struct sdsim_node *root, const struct sdsim_diags *diags,
                  const char *tree, const char *said)
{
    char *printed = sdsim_test_diag_text(diags);
    char *got = root != NULL ? sdsim_test_tree_text(root) : strdup("nothing");
    if (strcmp(printed, said) != 0 || strcmp(got, tree) != 0) {
        fail_msg("%s: expected %s and\n%sgot %s and\n%s", row, tree, said, got, printed);
    }
    free(got);
    free(printed);
}

static void test_profile(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        const char *name;
        const char *tree;
        const char *said;
    } rows[] = {
        {"card", "generic",
         "{kind:'card' name:'Generic' rd1:'200us' au:{size:'4MiB' open:'2'} "
         "rates:['1MB/s''2MB/s']}",
         ""},
        /* maps are merged, lists and scalars replaced, new keys come last */
        {"card", "ultra",
         "{kind:'card' name:'Ultra' rd1:'200us' au:{size:'4MiB' open:'4'} rates:['9MB/s'] "
         "base:'generic' rd2:'1ms'}",
         ""},
        {"card", "ultra-old",
         "{kind:'card' name:'Ultra' rd1:'200us' au:'5' rates:['9MB/s'] base:'ultra' rd2:'1ms'}",
         ""},
        {"card", "data/cards/generic.yaml",
         "{kind:'card' name:'Generic' rd1:'200us' au:{size:'4MiB' open:'2'} "
         "rates:['1MB/s''2MB/s']}",
         ""},
        {"host", "esp32", "{kind:'host' cpu:'240MHz'}", ""},
        {"driver", "fast", "{kind:'driver'}", ""},
        {"board", "devkit", "{kind:'board' host:'esp32'}", ""},
        {"scenario", "ultra", "{kind:'scenario' card:'ultra'}", ""},
        /* beside this file: mine/ultra.yaml inherits from the one in the data directory */
        {"card", "mine/ultra.yaml",
         "{kind:'card' name:'Ultra' rd1:'77us' au:{size:'4MiB' open:'4'} rates:['9MB/s'] "
         "base:'ultra' rd2:'1ms'}",
         ""},
        /* a value with its origin is replaced whole, but can be added to */
        {"card", "revalued", "{kind:'card' rd1:{value:'5ms'} base:'valued'}", ""},
        {"card", "reranged",
         "{kind:'card' rd1:{value:'1ms' range:'1ms..9ms' from:'measured'} base:'valued'}", ""},
        {"card", "ultar", "nothing",
         "error: there is no card 'ultar'\nhelp: did you mean 'ultra'? 'sdsim list card' shows "
         "all\n"},
        {"host", "zzz", "nothing", "error: there is no host 'zzz'\nhelp: known are: esp32\n"},
        {"card", "", "nothing", "error: expected the name of a card, got nothing\n"},
        {"crad", "x", "nothing", "error: there are no profiles of kind 'crad'\n"},
        {"card", "no/such.yaml", "nothing", "error: there is no file 'no/such.yaml'\n"},
        {"card", "such.yaml", "nothing", "error: there is no file 'such.yaml'\n"},
        {"card", "data/cards/", "nothing", "data/cards/: error: this is a directory, not a file\n"},
        {"card", "a", "nothing",
         "data/cards/c.yaml:2:7: error: a profile can't inherit from itself: a -> b -> ./c.yaml -> "
         "../cards/a.yaml\n"
         "    2 | base: ../cards/a.yaml\n"
         "      |       ^~~~~~~~~~~~~~~\n"},
        {"card", "self", "nothing",
         "data/cards/self.yaml:2:7: error: a profile can't inherit from itself: self -> self\n"
         "    2 | base: self\n"
         "      |       ^~~~\n"},
        {"card", "broken", "nothing",
         "data/cards/broken.yaml:2:4: error: this bracket is never closed\n"
         "    2 | x: [\n"
         "      |    ^\n"
         "help: each '[' needs a ']' and each '{' a '}'\n"},
        {"card", "orphan", "nothing",
         "data/cards/orphan.yaml:2:7: error: there is no card 'ultar'\n"
         "    2 | base: ultar\n"
         "      |       ^~~~~\n"
         "help: did you mean 'ultra'? 'sdsim list card' shows all\n"},
        {"card", "wrongbase", "nothing",
         "data/cards/wrongbase.yaml:2:7: error: there is no card 'esp32'\n"
         "    2 | base: esp32\n"
         "      |       ^~~~~\n"
         "help: 'sdsim list card' shows what there is\n"},
        {"card", "listbase", "nothing",
         "data/cards/listbase.yaml:2:7: error: expected the name of a card, got a list\n"
         "    2 | base: [ultra]\n"
         "      |       ^\n"},
        {"card", "nobase", "nothing",
         "data/cards/nobase.yaml:2:1: error: expected the name of a card, got nothing\n"
         "    2 | base:\n"
         "      | ^~~~\n"},
        {"card", "nokind", "nothing",
         "data/cards/nokind.yaml:1:1: error: this file does not say what it is\n"
         "    1 | name: no kind\n"
         "      | ^\n"
         "help: begin it with 'kind: card'\n"},
        {"card", "list", "nothing",
         "data/cards/list.yaml:1:1: error: this file does not say what it is\n"
         "    1 | - 1\n"
         "      | ^\n"
         "help: begin it with 'kind: card'\n"},
        {"card", "badkind", "nothing",
         "data/cards/badkind.yaml:1:7: error: unknown kind 'crad'\n"
         "    1 | kind: crad\n"
         "      |       ^~~~\n"
         "help: did you mean 'card'?\n"},
        {"card", "oddkind", "nothing",
         "data/cards/oddkind.yaml:1:7: error: unknown kind 'something'\n"
         "    1 | kind: something\n"
         "      |       ^~~~~~~~~\n"
         "help: begin it with 'kind: card'\n"},
        {"card", "mapkind", "nothing",
         "data/cards/mapkind.yaml:1:7: error: expected a word behind 'kind:', got a map\n"
         "    1 | kind: {a: 1}\n"
         "      |       ^\n"
         "help: begin it with 'kind: card'\n"},
        {"card", "ishost", "nothing",
         "data/cards/ishost.yaml:1:7: error: this is a host, expected a card\n"
         "    1 | kind: host\n"
         "      |       ^~~~\n"},
        {"card", "mine/near.yaml", "nothing",
         "mine/near.yaml:1:7: error: this is a scenario, expected a card\n"
         "    1 | kind: scenario\n"
         "      |       ^~~~~~~~\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, "data");
        const struct sdsim_node *root =
            sdsim_config_profile(f.config, rows[i].kind, rows[i].name, NULL, &f.diags);
        check(rows[i].name, root, &f.diags, rows[i].tree, rows[i].said);
        sdsim_test_config_tear_down(&f);
    }
}

/* References in mine/refers.yaml: names, paths and maps, and whose folder they are relative to. */
static void test_resolve(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        const char *key;
        const char *tree;
        const char *said;
    } rows[] = {
        {"card", "byname",
         "{kind:'card' name:'Generic' rd1:'200us' au:{size:'4MiB' open:'2'} "
         "rates:['1MB/s''2MB/s']}",
         ""},
        {"card", "bypath",
         "{kind:'card' name:'Ultra' rd1:'200us' au:{size:'4MiB' open:'4'} rates:['9MB/s'] "
         "base:'generic' rd2:'1ms'}",
         ""},
        {"card", "changed",
         "{kind:'card' name:'Generic' rd1:'1ms' au:{size:'4MiB' open:'2'} rates:['1MB/s''2MB/s'] "
         "base:'generic'}",
         ""},
        {"card", "inline", "{rd1:'3ms'}", ""},
        {"card", "nested",
         "{kind:'card' name:'Generic' rd1:'1ms' au:{size:'4MiB' open:'2'} rates:['1MB/s''2MB/s'] "
         "base:{base:'generic' rd1:'1ms'} rd2:'4ms'}",
         ""},
        /* mine/ultra.yaml is nearer than the one in the data directory */
        {"card", "local",
         "{kind:'card' name:'Ultra' rd1:'77us' au:{size:'4MiB' open:'4'} rates:['9MB/s'] "
         "base:'ultra' rd2:'1ms'}",
         ""},
        /* mine/esp32.yaml is no host and is passed over */
        {"host", "hostname", "{kind:'host' cpu:'240MHz'}", ""},
        {"card", "wrong", "nothing",
         "mine/refers.yaml:8:15: error: this is a host, expected a card\n"
         "    8 | wrong: {kind: host, base: generic}\n"
         "      |               ^~~~\n"},
        {"card", "unknown", "nothing",
         "mine/refers.yaml:9:10: error: there is no card 'genric'\n"
         "    9 | unknown: genric\n"
         "      |          ^~~~~~\n"
         "help: did you mean 'generic'? 'sdsim list card' shows all\n"},
        {"card", "nofile", "nothing",
         "mine/refers.yaml:10:9: error: there is no file 'mine/none.yaml'\n"
         "   10 | nofile: ./none.yaml\n"
         "      |         ^~~~~~~~~~~\n"},
        {"card", "list", "nothing",
         "mine/refers.yaml:11:7: error: expected the name of a card, got a list\n"
         "   11 | list: [generic]\n"
         "      |       ^\n"},
        {"card", "empty", "nothing",
         "mine/refers.yaml:12:1: error: expected the name of a card, got nothing\n"
         "   12 | empty:\n"
         "      | ^~~~~\n"},
        /* a broken file beside may be what is meant, and is not passed over in silence */
        {"card", "broken", "nothing",
         "mine/bad.yaml:2:3: error: a ':' is not expected here\n"
         "    2 |  a: 1\n"
         "      |   ^\n"
         "help: put a text with ': ' in it into quotes, and line up keys of one map\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, "data");
        const struct sdsim_node *file = sdsim_config_parse(f.config, "mine/refers.yaml", &f.diags);
        assert_non_null(file);
        const struct sdsim_node *root = sdsim_config_resolve(
            f.config, rows[i].kind, sdsim_node_get(file, rows[i].key), &f.diags);
        check(rows[i].key, root, &f.diags, rows[i].tree, rows[i].said);
        sdsim_test_config_tear_down(&f);
    }
}

/* Nodes of a merged tree remember the file they came from. */
static void test_merged_nodes_know_their_file(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, "data");
    const struct sdsim_node *root =
        sdsim_config_profile(f.config, "card", "mine/ultra.yaml", NULL, &f.diags);
    assert_non_null(root);
    const struct sdsim_node *au = sdsim_node_get(root, "au");
    assert_string_equal(sdsim_node_get(root, "rd1")->source->path, "mine/ultra.yaml");
    assert_string_equal(sdsim_node_get(root, "rd2")->source->path, "data/cards/ultra.yaml");
    assert_string_equal(sdsim_node_get(root, "rates")->source->path, "data/cards/ultra.yaml");
    assert_string_equal(sdsim_node_get(au, "open")->source->path, "data/cards/ultra.yaml");
    assert_string_equal(sdsim_node_get(au, "size")->source->path, "data/cards/generic.yaml");
    sdsim_test_config_tear_down(&f);
}

static void test_without_data_directory(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_profile_file *files;
    assert_int_equal(sdsim_config_list(f.config, "card", &files), 0);
    assert_null(files);
    const struct sdsim_node *root = sdsim_config_profile(f.config, "card", "ultra", NULL, &f.diags);
    check("no data", root, &f.diags, "nothing", "error: there is no card 'ultra'\n");
    assert_non_null(
        sdsim_config_profile(f.config, "card", "data/cards/ultra.yaml", NULL, &f.diags));
    sdsim_test_config_tear_down(&f);
}

static void test_list(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        const char *names; /* with a blank behind each */
    } rows[] = {
        {"card",
         "a b c generic listbase nobase orphan reranged revalued self ultra ultra-old valued "
         "wrongbase "},
        {"host", "esp32 "},
        {"driver", "fast "},
        {"board", "devkit "},
        {"scenario", "ultra "},
        {"nonsense", ""},
    };
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, "data");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sdsim_profile_file *files;
        const struct sdsim_profile_file *again;
        const size_t count = sdsim_config_list(f.config, rows[i].kind, &files);
        char names[400] = "";
        for (size_t file = 0; file < count; file++) {
            strcat(strcat(names, files[file].name), " ");
            assert_int_equal(access(files[file].path, R_OK), 0);
        }
        if (strcmp(names, rows[i].names) != 0) {
            fail_msg("%s: expected %s, got %s", rows[i].kind, rows[i].names, names);
        }
        assert_int_equal(sdsim_config_list(f.config, rows[i].kind, &again), count);
        assert_ptr_equal(files, again);
    }
    sdsim_test_config_tear_down(&f);
}

static void test_overlay_changes_neither(void **state)
{
    (void)state;
    static const char base_text[] = "a: {x: 1, y: [1, 2]}\nb: 2\n";
    static const char over_text[] = "a: {y: 5, z: {}}\nc: 3\n";
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_node *base =
        sdsim_config_parse_text(f.config, "base", base_text, sizeof base_text - 1, &f.diags);
    const struct sdsim_node *over =
        sdsim_config_parse_text(f.config, "over", over_text, sizeof over_text - 1, &f.diags);
    assert_true(base != NULL && over != NULL);
    static const struct {
        int base, over; /* 0: base, 1: over, 2: base's list */
        const char *tree;
    } rows[] = {
        {0, 1, "{a:{x:'1' y:'5' z:{}} b:'2' c:'3'}"},
        {1, 0, "{a:{y:['1''2'] z:{} x:'1'} c:'3' b:'2'}"},
        {0, 0, "{a:{x:'1' y:['1''2']} b:'2'}"},
        {0, 2, "['1''2']"},
        {2, 0, "{a:{x:'1' y:['1''2']} b:'2'}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sdsim_node *nodes[] = {base, over,
                                            sdsim_node_get(sdsim_node_get(base, "a"), "y")};
        const struct sdsim_node *merged =
            sdsim_config_overlay(f.config, nodes[rows[i].base], nodes[rows[i].over]);
        assert_non_null(merged);
        check("overlay", merged, &f.diags, rows[i].tree, "");
        check("base", base, &f.diags, "{a:{x:'1' y:['1''2']} b:'2'}", "");
        check("over", over, &f.diags, "{a:{y:'5' z:{}} c:'3'}", "");
    }
    sdsim_test_config_tear_down(&f);
}

/* Two large maps are merged without comparing each key with each. 90000 x 90000 would be seen. */
static void test_overlay_of_large_maps(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_node *maps[2];
    for (int i = 0; i < 2; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        for (int key = 0; key < 60000; key++) {
            fprintf(out, "%d: %d\n", key * (i + 2), i);
        }
        assert_int_equal(fclose(out), 0);
        maps[i] = sdsim_config_parse_text(f.config, "t", text, size, &f.diags);
        assert_non_null(maps[i]);
        free(text);
    }
    const struct sdsim_node *merged = sdsim_config_overlay(f.config, maps[0], maps[1]);
    assert_non_null(merged);
    assert_int_equal(merged->count, 120000 - 20000); /* every sixth number is in both */
    assert_string_equal(sdsim_node_text(merged, "6"), "1");
    assert_string_equal(sdsim_node_text(merged, "2"), "0");
    sdsim_test_config_tear_down(&f);
}

/* More files than one step of the list has room for, and their order. */
static void test_list_of_many(void **state)
{
    (void)state;
    assert_int_equal(mkdir("many", 0777), 0);
    assert_int_equal(mkdir("many/cards", 0777), 0);
    for (int i = 0; i < 40; i++) {
        char path[64];
        snprintf(path, sizeof path, "many/cards/c%02d.yaml", i * 7 % 40);
        sdsim_test_write_file(path, "kind: card\n", 11);
    }
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, "many");
    const struct sdsim_profile_file *files;
    assert_int_equal(sdsim_config_list(f.config, "card", &files), 40);
    for (int i = 0; i < 40; i++) {
        char path[64];
        snprintf(path, sizeof path, "many/cards/c%02d.yaml", i);
        assert_string_equal(files[i].path, path);
        unlink(path);
    }
    sdsim_test_config_tear_down(&f);
    rmdir("many/cards");
    rmdir("many");
}

static void test_without(void **state)
{
    (void)state;
    static const char text[] = "a: 1\nb: {c: 2}\nd: [3]\n";
    static const struct {
        const char *key;
        const char *tree;
    } rows[] = {
        {"a", "{b:{c:'2'} d:['3']}"},
        {"d", "{a:'1' b:{c:'2'}}"},
        {"c", "{a:'1' b:{c:'2'} d:['3']}"},
    };
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_node *root =
        sdsim_config_parse_text(f.config, "t", text, sizeof text - 1, &f.diags);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(rows[i].key, sdsim_config_without(f.config, root, rows[i].key), &f.diags,
              rows[i].tree, "");
        check("the map itself", root, &f.diags, "{a:'1' b:{c:'2'} d:['3']}", "");
    }
    check("a list", sdsim_config_without(f.config, sdsim_node_get(root, "d"), "x"), &f.diags,
          "['3']", "");
    sdsim_test_config_tear_down(&f);
}

/* Loads and lists with one allocation failing, the n-th of those that are made when `used` bytes of
 * a block are gone. Returns whether it failed. */
static bool load_with_failure(size_t used, size_t n)
{
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, "data");
    const struct sdsim_node *file = sdsim_config_parse(f.config, "mine/refers.yaml", &f.diags);
    assert_non_null(file);
    sdsim_test_config_use(&f, used);
    sdsim_test_fail_allocation(n);
    const struct sdsim_node *root =
        sdsim_config_resolve(f.config, "card", sdsim_node_get(file, "nested"), &f.diags);
    const struct sdsim_profile_file *files;
    sdsim_config_list(f.config, "host", &files);
    const bool failed = sdsim_test_allocation_failed();
    if ((root == NULL) != (f.diags.errors > 0)) {
        fail_msg("%zu bytes used, allocation %zu: %s, %zu errors", used, n,
                 root != NULL ? "a tree" : "none", f.diags.errors);
    }
    sdsim_test_config_tear_down(&f);
    return failed;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    size_t failures = 0;
    while (load_with_failure(0, failures + 1)) {
        failures++;
    }
    assert_in_range(failures, 10, 200);
    /* The first blocks that are needed: what else is allocated while loading goes the same way. */
    for (size_t used = SDSIM_TEST_BLOCK - 8192; used < SDSIM_TEST_BLOCK; used += 16) {
        for (size_t n = 1; n <= failures && load_with_failure(used, n); n += 5) {
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_resolve),
        cmocka_unit_test(test_merged_nodes_know_their_file),
        cmocka_unit_test(test_without_data_directory),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_overlay_changes_neither),
        cmocka_unit_test(test_overlay_of_large_maps),
        cmocka_unit_test(test_list_of_many),
        cmocka_unit_test(test_without),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, make_world, remove_world);
}

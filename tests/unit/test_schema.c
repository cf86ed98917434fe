/* Binding a tree: every type, lists, fallbacks, what is given, running out of memory. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "config/schema.h"
#include "core/units.h"
#include "unit/config_fixture.h"
#include "unit/schema_example.h"

static const char full[] = "kind: scenario\n"
                           "name: all\n"
                           "base: not looked at\n"
                           "description: every key\n"
                           "source: [one, two]\n"
                           "card: {base: ultra, rd1: 1ms}\n"
                           "bus: {clock: 26.667MHz, mode: '1', crc: on, timeout: 1s}\n"
                           "rd1: {value: 200us, range: 150..300us, from: fitted, fit: headline}\n"
                           "clock: 1GHz\n"
                           "au: 4MiB\n"
                           "rate: {value: 1.37MB/s, source: P2}\n"
                           "lines: 2581 lines/s\n"
                           "fill: 12.5%\n"
                           "slots: {value: 4, range: 2..6}\n"
                           "factor: {value: 0.25, range: 0.1..0.5}\n"
                           "offset: -1.5\n"
                           "policy: {value: sd1, from: published}\n"
                           "cache: {value: yes}\n"
                           "label: hello world\n"
                           "calls: [4KiB, 8 sectors, 0]\n"
                           "modes: [sd4, spi]\n"
                           "steps:\n"
                           "- {call: 1B, label: first}\n"
                           "- {call: 2B, count: 7}\n"
                           "cards: [a, {base: b}]\n"
                           "costs: [1us, {value: 2us, range: 1us..3us}]\n"
                           "measured: 0.75..0.8MB/s\n"
                           "wide: 18446744073709551615\n";

static bool bind(struct sdsim_test_config *f, const char *text, struct example *out)
{
    const struct sdsim_node *root =
        sdsim_config_parse_text(f->config, "t.yaml", text, strlen(text), &f->diags);
    memset(out, 0xa5, sizeof *out);
    return root != NULL && sdsim_bind(f->config, &example_schema, root, "p",
                                      &(struct sdsim_draw){0}, out, &f->diags);
}

static void assert_same(double a, double b)
{
    if (a < b || a > b) {
        fail_msg("%.17g is not %.17g", a, b);
    }
}

static void test_binds_every_type(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    struct example e;
    sdsim_test_config_set_up(&f, NULL);
    if (!bind(&f, full, &e)) {
        fail_msg("%s", f.diags.items[0].text);
    }
    assert_string_equal(sdsim_node_text(e.card, "base"), "ultra");
    assert_true(e.bus_given);
    assert_int_equal(e.bus.clock, 26667000);
    assert_int_equal(e.bus.mode, EXAMPLE_ONE);
    assert_true(e.bus.crc);
    assert_int_equal(e.bus.timeout, UINT64_C(1000000000000));
    assert_int_equal(e.rd1, 200000000);
    assert_true(e.rd1_given);
    assert_int_equal(e.clock, 1000000000);
    assert_int_equal(e.au, 4194304);
    assert_int_equal(e.rate, 1370000);
    assert_int_equal(e.lines, 2581);
    assert_int_equal(e.fill, 125000000);
    assert_int_equal(e.slots, 4);
    assert_same(e.factor, 0.25);
    assert_same(e.offset, -1.5);
    assert_int_equal(e.policy, EXAMPLE_SD1);
    assert_true(e.cache);
    assert_string_equal(e.label, "hello world");
    assert_int_equal(e.wide, UINT64_MAX);

    const uint64_t *calls = e.calls.items;
    assert_int_equal(e.calls.count, 3);
    assert_int_equal(calls[0], 4096);
    assert_int_equal(calls[1], 4096);
    assert_int_equal(calls[2], 0);
    const int *modes = e.modes.items;
    assert_int_equal(e.modes.count, 2);
    assert_int_equal(modes[0], EXAMPLE_SD4);
    assert_int_equal(modes[1], EXAMPLE_SPI);
    const struct example_step *steps = e.steps.items;
    assert_int_equal(e.steps.count, 2);
    assert_int_equal(steps[0].call, 1);
    assert_int_equal(steps[0].count, 1);
    assert_string_equal(steps[0].label, "first");
    assert_int_equal(steps[1].call, 2);
    assert_int_equal(steps[1].count, 7);
    assert_null(steps[1].label);
    const struct sdsim_node *const *cards = e.cards.items;
    assert_int_equal(e.cards.count, 2);
    assert_string_equal(cards[0]->text, "a");
    assert_string_equal(sdsim_node_text(cards[1], "base"), "b");
    const uint64_t *costs = e.costs.items;
    assert_int_equal(e.costs.count, 2);
    assert_int_equal(costs[0], 1000000);
    assert_int_equal(costs[1], 2000000);
    assert_true(e.measured.given);
    assert_int_equal(e.measured.unit, SDSIM_UNIT_RATE);
    assert_same(e.measured.low, 750000.0);
    assert_same(e.measured.high, 800000.0);
    assert_int_equal(f.diags.count, 0);
    sdsim_test_config_tear_down(&f);
}

static void test_missing_keys(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    struct example e;
    sdsim_test_config_set_up(&f, NULL);
    assert_true(bind(&f, "steps: {call: 1B}", &e));
    assert_int_equal(e.card->kind, SDSIM_NODE_SCALAR);
    assert_string_equal(e.card->text, "generic");
    assert_false(e.bus_given);
    assert_int_equal(e.bus.clock, 0); /* required in a bus, but there is none */
    assert_int_equal(e.bus.mode, EXAMPLE_SPI);
    assert_false(e.bus.crc);
    assert_int_equal(e.bus.timeout, UINT64_C(250000000000));
    assert_int_equal(e.rd1, 0);
    assert_false(e.rd1_given);
    assert_same(e.factor, 1.5);
    assert_int_equal(e.policy, EXAMPLE_SD4);
    assert_string_equal(e.label, "none");
    assert_int_equal(e.calls.count, 1);
    assert_int_equal(*(const uint64_t *)e.calls.items, 4096);
    assert_int_equal(e.modes.count, 0);
    assert_null(e.modes.items);
    assert_int_equal(e.steps.count, 1); /* one map is a list of one */
    assert_false(e.measured.given);
    assert_int_equal(f.diags.count, 0);
    sdsim_test_config_tear_down(&f);
}

static void test_quantities(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int unit;
        double low, high;
    } rows[] = {
        {"1.37MB/s", SDSIM_UNIT_RATE, 1370000.0, 1370000.0},
        {"0.75MB/s..0.8MB/s", SDSIM_UNIT_RATE, 750000.0, 800000.0},
        {"750kB/s..0.8MB/s", SDSIM_UNIT_RATE, 750000.0, 800000.0},
        {"12ms", SDSIM_UNIT_TIME, 0.012, 0.012},
        {"1..2.5s", SDSIM_UNIT_TIME, 1.0, 2.5},
        {"0..5ms", SDSIM_UNIT_TIME, 0.0, 0.005},
        {"2581 lines/s", SDSIM_UNIT_PER_SECOND, 2581.0, 2581.0},
        {"2580.5..2590/s", SDSIM_UNIT_PER_SECOND, 2580.5, 2590.0},
        {"0", SDSIM_UNIT_TIME, 0.0, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        struct example e;
        char text[100];
        sdsim_test_config_set_up(&f, NULL);
        snprintf(text, sizeof text, "steps: {call: 1B}\nmeasured: %s\n", rows[i].text);
        if (!bind(&f, text, &e)) {
            fail_msg("%s: %s", rows[i].text, f.diags.items[0].text);
        }
        if (!e.measured.given || e.measured.unit != rows[i].unit || e.measured.low < rows[i].low ||
            e.measured.low > rows[i].low || e.measured.high < rows[i].high ||
            e.measured.high > rows[i].high) {
            fail_msg("%s: unit %d, %.17g..%.17g", rows[i].text, e.measured.unit, e.measured.low,
                     e.measured.high);
        }
        sdsim_test_config_tear_down(&f);
    }
}

static void test_switches(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool value;
    } rows[] = {{"yes", true}, {"true", true},   {"on", true},
                {"no", false}, {"false", false}, {"off", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        struct example e;
        char text[100];
        sdsim_test_config_set_up(&f, NULL);
        snprintf(text, sizeof text, "steps: {call: 1B}\ncache: %s\n", rows[i].text);
        assert_true(bind(&f, text, &e));
        assert_int_equal(e.cache, rows[i].value);
        sdsim_test_config_tear_down(&f);
    }
}

/* The keys every file may have are for the top; a schema's own key of that name counts first. */
static void test_common_keys(void **state)
{
    (void)state;
    static const struct sdsim_key keys[] = {
        {.name = "name", .type = SDSIM_VALUE_COUNT, .doc = "A number here."}};
    const struct sdsim_schema schema = {
        .name = "s", .keys = keys, .key_count = 1, .size = sizeof(uint64_t)};
    static const char text[] = "kind: x\nbase: y\nname: 5\ndescription: z\nsource: w\n";
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_node *root =
        sdsim_config_parse_text(f.config, "t.yaml", text, sizeof text - 1, &f.diags);
    uint64_t out = 0;
    assert_true(sdsim_bind(f.config, &schema, root, NULL, &(struct sdsim_draw){0}, &out, &f.diags));
    assert_int_equal(out, 5);
    sdsim_test_config_tear_down(&f);
}

static void test_root_must_be_a_map(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    struct example e;
    sdsim_test_config_set_up(&f, NULL);
    assert_false(bind(&f, "[1]", &e));
    assert_string_equal(f.diags.items[0].text, "expected a map for example, got a list");
    sdsim_test_config_tear_down(&f);
}

/* Lists of the types the example has no list of, and provenance of a text. */
static void test_lists_of_other_types(void **state)
{
    (void)state;
    struct others {
        struct sdsim_list numbers, switches, texts, quantities;
        const char *text;
    };
    static const struct sdsim_key keys[] = {
        {.name = "numbers",
         .type = SDSIM_VALUE_NUMBER,
         .offset = offsetof(struct others, numbers),
         .list = true},
        {.name = "switches",
         .type = SDSIM_VALUE_BOOL,
         .offset = offsetof(struct others, switches),
         .list = true},
        {.name = "texts",
         .type = SDSIM_VALUE_TEXT,
         .offset = offsetof(struct others, texts),
         .list = true},
        {.name = "quantities",
         .type = SDSIM_VALUE_QUANTITY,
         .offset = offsetof(struct others, quantities),
         .list = true},
        {.name = "text",
         .type = SDSIM_VALUE_TEXT,
         .offset = offsetof(struct others, text),
         .profile = true},
    };
    const struct sdsim_schema schema = {
        .name = "s", .keys = keys, .key_count = 5, .size = sizeof(struct others)};
    static const char *const rows[][2] = {
        {"numbers: [0.5, -1]\nswitches: [no, yes, no]\ntexts: [a, b c]\nquantities: [5ms, "
         "1..2MB/s]\n"
         "text: {value: x y, from: measured}\n",
         ""},
        {"text: {value: x, range: a..b}", "t.yaml:1:25: error: only a number can have a range\n"
                                          "    1 | text: {value: x, range: a..b}\n"
                                          "      |                         ^~~~\n"},
        {"text: {from: measured}", "t.yaml:1:7: error: missing key 'value' in the value text\n"
                                   "    1 | text: {from: measured}\n"
                                   "      |       ^\n"
                                   "help: write it like {value: 200us, range: 150us..300us}\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        struct others out;
        sdsim_test_config_set_up(&f, NULL);
        const struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", rows[i][0], strlen(rows[i][0]), &f.diags);
        const bool bound =
            sdsim_bind(f.config, &schema, root, "p", &(struct sdsim_draw){0}, &out, &f.diags);
        char *printed = sdsim_test_diag_text(&f.diags);
        assert_string_equal(printed, rows[i][1]);
        assert_int_equal(bound, rows[i][1][0] == '\0');
        free(printed);
        if (i == 0) {
            const double *numbers = out.numbers.items;
            const bool *switches = out.switches.items;
            const char *const *texts = out.texts.items;
            const struct sdsim_quantity *quantities = out.quantities.items;
            assert_same(numbers[0], 0.5);
            assert_same(numbers[1], -1.0);
            assert_true(!switches[0] && switches[1] && !switches[2]);
            assert_string_equal(texts[0], "a");
            assert_string_equal(texts[1], "b c");
            assert_same(quantities[0].low, 0.005);
            assert_same(quantities[1].high, 2e6);
            assert_string_equal(out.text, "x y");
        }
        sdsim_test_config_tear_down(&f);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    size_t failures = 0;
    for (size_t used = 0; used < SDSIM_TEST_BLOCK; used += 16) {
        struct sdsim_test_config f;
        struct example e;
        sdsim_test_config_set_up(&f, NULL);
        const struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", full, sizeof full - 1, &f.diags);
        assert_non_null(root);
        sdsim_test_config_use(&f, used);
        sdsim_test_fail_allocation(1);
        const bool bound =
            sdsim_bind(f.config, &example_schema, root, "p", &(struct sdsim_draw){0}, &e, &f.diags);
        const bool failed = sdsim_test_allocation_failed();
        assert_int_equal(bound, !failed);
        assert_int_equal(f.diags.errors > 0, failed);
        failures += failed;
        sdsim_test_config_tear_down(&f);
    }
    assert_in_range(failures, 5, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binds_every_type),     cmocka_unit_test(test_missing_keys),
        cmocka_unit_test(test_quantities),           cmocka_unit_test(test_switches),
        cmocka_unit_test(test_common_keys),          cmocka_unit_test(test_root_must_be_a_map),
        cmocka_unit_test(test_lists_of_other_types), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

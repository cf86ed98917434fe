/* Drawing from noted ranges gives what binding gives, for every type and many draws. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "config/ranges.h"
#include "unit/config_fixture.h"
#include "unit/schema_example.h"

static const char all_types[] = "card: c\n"
                                "bus: {clock: 20MHz}\n"
                                "rd1: {value: 200us, range: 150us..300us}\n"
                                "clock: {value: 20MHz, range: 10..40MHz}\n"
                                "au: 4MiB\n"
                                "rate: {value: 2MB/s, range: 1..2MB/s}\n"
                                "fill: {value: 50%, range: 10%..90%}\n"
                                "slots: {value: 4, range: 1..64}\n"
                                "factor: {value: 2.5, range: 0.5..9.5}\n"
                                "offset: {value: -1, range: -2..100}\n"
                                "policy: {value: sd1, source: somebody}\n"
                                "cache: yes\n"
                                "wide: {value: 1, range: 0..18446744073709551615}\n"
                                "steps: {call: 1B}\n";

static const char in_a_list[] = "card: c\n"
                                "bus: {clock: 20MHz}\n"
                                "rd1: {value: 200us, range: 150us..300us}\n"
                                "costs: [1us, {value: 2us, range: 1us..3us}]\n"
                                "steps: {call: 1B}\n";

static struct sdsim_node *parse(struct sdsim_test_config *f, const char *text)
{
    struct sdsim_node *root =
        sdsim_config_parse_text(f->config, "t.yaml", text, strlen(text), &f->diags);
    assert_non_null(root);
    return root;
}

/* All that has no memory of its own. */
static void assert_same(const struct example *a, const struct example *b)
{
    assert_memory_equal(&a->bus, &b->bus, sizeof a->bus);
    assert_int_equal(a->rd1, b->rd1);
    assert_int_equal(a->clock, b->clock);
    assert_int_equal(a->au, b->au);
    assert_int_equal(a->rate, b->rate);
    assert_int_equal(a->fill, b->fill);
    assert_int_equal(a->slots, b->slots);
    assert_memory_equal(&a->factor, &b->factor, sizeof a->factor);
    assert_memory_equal(&a->offset, &b->offset, sizeof a->offset);
    assert_int_equal(a->policy, b->policy);
    assert_int_equal(a->cache, b->cache);
    assert_int_equal(a->wide, b->wide);
}

static void test_draws(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_node *root = parse(&f, all_types);
    struct sdsim_ranges ranges;
    struct example typical;
    struct example bound;
    assert_true(
        sdsim_bind_ranges(f.config, &example_schema, root, "p", &ranges, &typical, &f.diags));
    assert_false(ranges.in_lists);
    size_t noted = 0;
    for (const struct sdsim_ranged *at = ranges.first; at != NULL; at = at->next) {
        noted++;
    }
    assert_int_equal(noted, 8);
    assert_true(sdsim_bind(f.config, &example_schema, root, "p", &(struct sdsim_draw){.seed = 9},
                           &bound, &f.diags));
    assert_same(&typical, &bound);
    size_t differ = 0;
    for (uint32_t k = 1; k <= 500; k++) {
        const struct sdsim_draw draw = {.seed = 9, .k = k};
        struct example drawn = typical;
        sdsim_ranges_draw(&ranges, &draw, &drawn);
        assert_true(sdsim_bind(f.config, &example_schema, root, "p", &draw, &bound, &f.diags));
        assert_same(&drawn, &bound);
        differ += drawn.rd1 != typical.rd1 && drawn.slots != typical.slots;
    }
    assert_true(differ > 100);
    sdsim_test_config_tear_down(&f);
}

static void test_lists_are_told(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    struct sdsim_ranges ranges;
    struct example out;
    assert_true(sdsim_bind_ranges(f.config, &example_schema, parse(&f, in_a_list), NULL, &ranges,
                                  &out, &f.diags));
    assert_true(ranges.in_lists);
    assert_non_null(ranges.first);
    assert_null(ranges.first->next);
    assert_string_equal(ranges.first->path, "rd1");
    sdsim_test_config_tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_draws),
                                       cmocka_unit_test(test_lists_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

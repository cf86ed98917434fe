/* What a schema says about itself: documentation, JSON Schema, the values of a tree. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "config/schema.h"
#include "golden.h"
#include "unit/config_fixture.h"
#include "unit/schema_example.h"

static void test_describe(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_schema_describe(&example_schema, out);
    assert_int_equal(fclose(out), 0);
    assert_true(sdsim_test_golden("tests/golden/schema-describe.txt", text));
    size_t column = 0;
    for (const char *c = text; *c != '\0'; c++) {
        column = *c == '\n' ? 0 : column + 1;
        assert_in_range(column, 0, 80);
        assert_false(*c == '\n' && c > text && c[-1] == ' ');
    }
    free(text);
}

static void test_json(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_schema_json(&example_schema, "scenario", out);
    assert_int_equal(fclose(out), 0);
    assert_true(sdsim_test_golden("tests/golden/schema.json", text));
    free(text);
}

/* Names of a schema go into JSON, whatever they contain. */
static void test_json_escapes(void **state)
{
    (void)state;
    const struct sdsim_schema schema = {.name = "a\"b", .doc = "tab\t back\\slash\nline"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_schema_json(&schema, "card", out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "\"title\": \"a\\\"b\",\n"));
    assert_non_null(strstr(text, "\"description\": \"tab\\u0009 back\\\\slash\\u000aline\",\n"));
    free(text);
}

static void list_value(void *context, const struct sdsim_value_info *info)
{
    fprintf(context, "%s=%s range=%s from=%s%s source=%s key=%s\n", info->path, info->value,
            info->range != NULL ? info->range : "-", sdsim_origin_name(info->origin),
            info->fit_headline ? " headline" : "", info->source != NULL ? info->source : "-",
            info->key->name);
}

static void test_values(void **state)
{
    (void)state;
    static const char file[] =
        "kind: card\n"
        "rate: {value: 1MB/s, from: published, source: sheet}\n"
        "rd1: {value: 200us, range: 150us..300us, from: fitted, fit: headline}\n"
        "slots: 4\n"
        "fill: {from: assumed}\n"                       /* no value: not listed */
        "clock: {value: [1MHz]}\n"                      /* no scalar: not listed */
        "offset: {value: 1, from: guess, range: [1]}\n" /* listed with what is right */
        "costs: [1us, {value: 2us, from: measured}]\n"
        "label: not a profile value\n"
        "steps: [{call: 1B}]\n"
        "unknown: 1\n";
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_node *root =
        sdsim_config_parse_text(f.config, "t.yaml", file, sizeof file - 1, &f.diags);
    assert_non_null(root);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_schema_values(&example_schema, root, list_value, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "rd1=200us range=150us..300us from=fitted headline source=- key=rd1\n"
                              "rate=1MB/s range=- from=published source=sheet key=rate\n"
                              "slots=4 range=- from=unsaid source=- key=slots\n"
                              "offset=1 range=- from=unsaid source=- key=offset\n"
                              "costs[0]=1us range=- from=unsaid source=- key=costs\n"
                              "costs[1]=2us range=- from=measured source=- key=costs\n");
    free(text);
    assert_int_equal(f.diags.count, 0);
    sdsim_test_config_tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_escapes),
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

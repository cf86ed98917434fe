/*
 * Whatever bytes come in: no crash, no silence.
 *
 * Random bytes, random pieces of YAML, and good files with a few bytes changed are read, changed by
 * path=value, and bound. Each must give a tree or an error, never both and never neither; the
 * places of all messages and nodes must lie in their text. Run under the sanitizers this also finds
 * reads and writes out of bounds.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "config/schema.h"
#include "core/rng.h"
#include "core/units.h"
#include "unit/config_fixture.h"
#include "unit/schema_example.h"

#define MOST_BYTES 4096

struct input {
    char bytes[MOST_BYTES];
    size_t size;
};

static const char good[] = "kind: scenario\n"
                           "card: {base: ultra, rd1: 1ms}\n"
                           "bus: {clock: 26.667MHz, mode: '1', crc: on, timeout: 1s}\n"
                           "rd1: {value: 200us, range: 150..300us, from: fitted, fit: headline}\n"
                           "au: 4MiB\n"
                           "factor: {value: 0.25, range: 0.1..0.5}\n"
                           "label: |\n"
                           "  h\xc3\xa9llo\n"
                           "  world\n"
                           "calls: [4KiB, 8 sectors, 0]\n"
                           "steps:\n"
                           "- {call: 1B, label: \"fir\\tst\"}\n"
                           "- call: 2B\n"
                           "  count: 7\n"
                           "measured: 0.75..0.8MB/s\n";

static void append(struct input *input, const char *bytes, size_t size)
{
    if (size <= MOST_BYTES - input->size) {
        memcpy(input->bytes + input->size, bytes, size);
        input->size += size;
    }
}

static void make_random_bytes(struct sdsim_rng *rng, struct input *input)
{
    input->size = sdsim_rng_below(rng, 200);
    for (size_t i = 0; i < input->size; i++) {
        input->bytes[i] = (char)sdsim_rng_below(rng, 256);
    }
}

static void make_random_yaml(struct sdsim_rng *rng, struct input *input)
{
    static const char *const pieces[] = {
        "a",     "b: ",         "- ",     "[",       "]",        "{",
        "}",     ",",           ": ",     "\n",      "\n  ",     "\n    ",
        "\t",    "\"",          "'",      "|",       ">",        "&x ",
        "*x",    "!t ",         "<<: ",   "? ",      "#",        "---\n",
        "...\n", "%YAML 1.1\n", "\\",     "\\0",     "\xc3\xa9", "\xe2\x80\xa8",
        "\r\n",  "\r",          "kind: ", "rd1: ",   "value: ",  "range: ",
        "200us", "1..2ms",      "..",     "steps: ", "call: ",   "4KiB",
        "bus: ", "base: ",      "@",      "`",       "\xff",     "0",
        "-1",
    };
    const uint64_t count = sdsim_rng_below(rng, 16);
    input->size = 0;
    for (uint64_t i = 0; i < count; i++) {
        const char *piece = pieces[sdsim_rng_below(rng, sizeof pieces / sizeof pieces[0])];
        append(input, piece, strlen(piece));
    }
}

static void make_changed_file(struct sdsim_rng *rng, struct input *input)
{
    static const char signs[] = "\n\t :-[]{},#&*!|>'\"%@`.0\\\xff\xc3";
    input->size = 0;
    append(input, good, sizeof good - 1);
    for (uint64_t changes = sdsim_rng_below(rng, 4) + 1; changes > 0 && input->size > 0;
         changes--) {
        const size_t at = sdsim_rng_below(rng, input->size);
        switch (sdsim_rng_below(rng, 4)) {
        case 0: /* another sign */
            input->bytes[at] = signs[sdsim_rng_below(rng, sizeof signs)];
            break;
        case 1: /* a byte less */
            memmove(input->bytes + at, input->bytes + at + 1, input->size - at - 1);
            input->size--;
            break;
        case 2: /* cut off */
            input->size = at + 1;
            break;
        default: /* a piece of the file once more */
            append(input, input->bytes + at, sdsim_rng_below(rng, input->size - at) + 1);
            break;
        }
    }
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 1;
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    return lines;
}

/* Every node lies in its text, and so does what the caret underlines. */
static void check_places(const struct sdsim_node *node)
{
    const size_t lines = count_lines(node->source->text, node->source->size);
    assert_in_range(node->line, 1, lines);
    assert_in_range(node->column, 1, node->source->size + 1);
    assert_in_range(node->column + node->length - 1, 0, node->source->size + 1);
    for (size_t i = 0; i < node->count; i++) {
        check_places(node->kind == SDSIM_NODE_LIST ? node->items[i] : node->entries[i].value);
    }
}

/* Messages are one line of clean text each. */
static void check_messages(const struct sdsim_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        const struct sdsim_diag *diag = &diags->items[i];
        const char *texts[] = {diag->text, diag->help, diag->source_line};
        for (size_t which = 0; which < 3; which++) {
            for (const char *c = texts[which]; c != NULL && *c != '\0'; c++) {
                assert_false((unsigned char)*c < 0x20 || *c == 0x7f);
            }
        }
        assert_true(diag->source_line == NULL ||
                    diag->source_column <= strlen(diag->source_line) + 2);
    }
}

static bool bind_all(struct sdsim_test_config *f, struct sdsim_node *root)
{
    static const char *const assignments[] = {"rd1=5us", "bus.clock=1MHz", "steps[0].call=4KiB",
                                              "card.au.open=3", "rd1.range=1us..2us"};
    bool fine = true;
    for (size_t i = 0; i < sizeof assignments / sizeof assignments[0]; i++) {
        sdsim_config_set(f->config, root, assignments[i], &f->diags);
    }
    for (uint32_t k = 0; k < 2; k++) {
        struct example out;
        const size_t errors = f->diags.errors;
        const bool bound = sdsim_bind(f->config, &example_schema, root, "p",
                                      &(struct sdsim_draw){.seed = 1, .k = k}, &out, &f->diags);
        fine = fine && bound == (f->diags.errors == errors);
    }
    return fine;
}

static void test_any_bytes(void **state)
{
    (void)state;
    static void (*const makers[])(struct sdsim_rng *, struct input *) = {
        make_random_bytes, make_random_yaml, make_changed_file};
    const uint64_t seed = 20240917;
    struct sdsim_rng rng;
    size_t trees[3] = {0};
    sdsim_rng_seed(&rng, seed);
    for (int i = 0; i < 6000; i++) {
        struct input input = {.size = 0};
        struct sdsim_test_config f;
        makers[i % 3](&rng, &input);
        sdsim_test_config_set_up(&f, NULL);
        /* A copy without a byte to spare, so that a look behind its end is seen. */
        char *exact = malloc(input.size + (input.size == 0));
        assert_non_null(exact);
        memcpy(exact, input.bytes, input.size);
        struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", exact, input.size, &f.diags);
        free(exact);
        if ((root == NULL) != (f.diags.errors > 0)) {
            fail_msg("seed %llu, input %d: %s and %zu errors", (unsigned long long)seed, i,
                     root != NULL ? "a tree" : "no tree", f.diags.errors);
        }
        if (root != NULL) {
            trees[i % 3]++;
            check_places(root);
            if (!bind_all(&f, root)) {
                fail_msg("seed %llu, input %d: bound with errors, or not without",
                         (unsigned long long)seed, i);
            }
        }
        check_messages(&f.diags);
        char *printed = sdsim_test_diag_text(&f.diags);
        free(printed);
        sdsim_test_config_tear_down(&f);
    }
    /* The inputs are neither all good nor all bad, or the test would say little. */
    assert_in_range(trees[1], 100, 1900);
    assert_in_range(trees[2], 100, 1900);
}

/* path=value with anything for a path. */
static void test_any_assignment(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a",   ".",        "[",    "]",     "0",     "=",     "1",
                                         "[0]", "card",     "bus",  "steps", "clock", "99999", "=[",
                                         "{}",  "\xc3\xa9", "\xff", "-",     " ",     "range"};
    const uint64_t seed = 7;
    struct sdsim_rng rng;
    size_t set = 0;
    sdsim_rng_seed(&rng, seed);
    for (int i = 0; i < 5000; i++) {
        char assignment[200] = "";
        for (uint64_t count = sdsim_rng_below(&rng, 12); count > 0; count--) {
            strcat(assignment, pieces[sdsim_rng_below(&rng, sizeof pieces / sizeof pieces[0])]);
        }
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, NULL);
        struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", good, sizeof good - 1, &f.diags);
        assert_non_null(root);
        const bool done = sdsim_config_set(f.config, root, assignment, &f.diags);
        if (done != (f.diags.errors == 0)) {
            fail_msg("seed %llu, '%s': %d with %zu errors", (unsigned long long)seed, assignment,
                     done, f.diags.errors);
        }
        set += done;
        check_places(root);
        check_messages(&f.diags);
        sdsim_test_config_tear_down(&f);
    }
    assert_in_range(set, 50, 4900);
}

/* Quantities made of random pieces are read as what they print as, or refused. */
static void test_any_quantity(void **state)
{
    (void)state;
    static const char *const pieces[] = {"0",  "1", "9",         "25",  ".",    "00", "ms",
                                         "us", "s", "B",         "KiB", "MB/s", "%",  " ",
                                         "-",  "e", "999999999", "min", "/s",   "Hz"};
    const uint64_t seed = 11;
    struct sdsim_rng rng;
    size_t read = 0;
    sdsim_rng_seed(&rng, seed);
    for (int i = 0; i < 50000; i++) {
        char text[100] = "";
        for (uint64_t count = sdsim_rng_below(&rng, 6); count > 0; count--) {
            strcat(text, pieces[sdsim_rng_below(&rng, sizeof pieces / sizeof pieces[0])]);
        }
        for (int unit = SDSIM_UNIT_TIME; unit <= SDSIM_UNIT_PERCENT; unit++) {
            uint64_t value = 0;
            double real = 0.0;
            const enum sdsim_unit_error error =
                sdsim_unit_parse((enum sdsim_unit)unit, text, &value);
            const enum sdsim_unit_error real_error =
                sdsim_unit_parse_real((enum sdsim_unit)unit, text, &real);
            if (error == SDSIM_UNIT_OK) {
                read++;
                assert_true(real_error == SDSIM_UNIT_OK && real >= (double)value &&
                            real <= (double)value);
            } else if (error != SDSIM_UNIT_INEXACT) {
                assert_int_equal(error, real_error);
            }
        }
    }
    assert_in_range(read, 1000, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_any_assignment),
        cmocka_unit_test(test_any_quantity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

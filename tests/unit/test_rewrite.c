/*
 * Fitted values written back into profiles: values and ranges change in place, nothing else does;
 * first on texts made for it, then on every profile there is.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/rng.h"
#include "measure/rewrite.h"
#include "unit/config_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The scratch folder is a data directory. */
static int set_up(void **state)
{
    (void)state;
    static const char *const folders[] = {"cards", "scenarios", "scenarios/hosts"};
    bool fine = true;
    for (size_t i = 0; i < COUNT(folders); i++) {
        fine = fine && mkdir(sdsim_test_path(folders[i]), 0777) == 0;
    }
    return fine ? 0 : -1;
}

/* ---- knobs of a data directory ---- */

struct bench {
    struct sdsim_test_config f;
    struct sdsim_knobs knobs;
};

static void bench_open(struct bench *bench, const char *directory)
{
    sdsim_test_config_set_up(&bench->f, directory);
    if (!sdsim_knobs_find(&bench->knobs, bench->f.config, &bench->f.diags)) {
        fail_msg("%s", bench->f.diags.count > 0 ? bench->f.diags.items[0].text : "no knobs");
    }
}

static void bench_close(struct bench *bench)
{
    sdsim_knobs_free(&bench->knobs);
    sdsim_test_config_tear_down(&bench->f);
}

/* The file as it is rewritten, for the caller to free. */
static char *rewritten(struct bench *bench, const char *path, bool *changed)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (!sdsim_rewrite(&bench->knobs, path, out, changed, &bench->f.diags)) {
        fail_msg("%s: %s", path, bench->f.diags.items[0].text);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

/* ---- texts ---- */

/* What knobs are turned to: by path, in picoseconds or bytes per second, and the range. */
struct turn {
    const char *path;
    double value;
    double range;
};

static void turn(struct bench *bench, const struct turn *turns)
{
    for (size_t i = 0; i < bench->knobs.count; i++) {
        struct sdsim_knob *knob = &bench->knobs.items[i];
        for (const struct turn *t = turns; t->path != NULL; t++) {
            if (strcmp(knob->path, t->path) == 0) {
                sdsim_knob_set(knob, t->value);
                sdsim_knob_set_range(knob, t->range, t->range);
            }
        }
    }
    sdsim_round_knobs(&bench->knobs);
}

static void check_text(size_t row, const char *before, const struct turn *turns, const char *after)
{
    const char *path = sdsim_test_path("cards/t.yaml");
    struct bench bench;
    bool changed;
    sdsim_test_write_text(path, before);
    bench_open(&bench, sdsim_test_folder());
    turn(&bench, turns);
    char *once = rewritten(&bench, path, &changed);
    bench_close(&bench);
    if (strcmp(once, after) != 0) {
        fail_msg("row %zu becomes\n%s", row, once);
    }
    assert_int_equal(changed, strstr(before, "from: fitted,") != NULL);
    /* Once more changes nothing. */
    sdsim_test_write_text(path, once);
    bench_open(&bench, sdsim_test_folder());
    turn(&bench, turns);
    char *twice = rewritten(&bench, path, NULL);
    bench_close(&bench);
    assert_string_equal(once, twice);
    free(twice);
    free(once);
    assert_int_equal(remove(path), 0);
}

#define US 1e6
#define MS 1e9

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        struct turn turns[4];
        const char *after;
    } rows[] = {
        /* comments, blanks, odd spaces; what is not fitted stays */
        {"# a card\nkind: card\n\nrd1:   {value: 200us,   range: 150us..300us, from: fitted, x: 1}"
         "  # 200us\n\nwstop: {value: 1ms, range: 1ms..2ms, from: published}\t\n# end",
         {{"rd1", 431 * US, 2.0}, {"wstop", 9 * MS, 2.0}},
         "# a card\nkind: card\n\nrd1:   {value: 431us,   range: 216us..862us, from: fitted, x: 1}"
         "  # 200us\n\nwstop: {value: 1ms, range: 1ms..2ms, from: published}\t\n# end"},
        /* several on a line, in any order of their keys */
        {"kind: card\nflow: {a: 1}\nrd1: {from: fitted, range: 1us..3us, value: 2us}\n",
         {{"rd1", 5 * US, 1.1}},
         "kind: card\nflow: {a: 1}\nrd1: {from: fitted, range: 4.55us..5.5us, value: 5us}\n"},
        {"{kind: card, rd1: {value: 2us, range: 1us..3us, from: fitted, start: 2us}, "
         "w1: {range: 1us..3us, value: 2us, from: fitted, start: 2us}, wstop: 7us}\n",
         {{"w1", 1234.4 * US, 1.5}, {"rd1", 7 * US, 2.0}},
         "{kind: card, rd1: {value: 7us, range: 3.5us..14us, from: fitted, start: 2us}, "
         "w1: {range: 820us..1.85ms, value: 1.23ms, from: fitted, start: 2us}, wstop: 7us}\n"},
        /* flow maps over several lines, block maps */
        {"kind: card\nrd1: {\n  value:\n    2us,\n  range: 1us..3us, # why\n  from: fitted,\n"
         "  source: \"2us, range: 1us..3us\"}\nw1:\n  from: fitted\n  value: 2us\n  range: 1us..3us"
         "\n",
         {{"rd1", 40 * US, 2.0}, {"w1", 1 * MS, 1.25}},
         "kind: card\nrd1: {\n  value:\n    40us,\n  range: 20us..80us, # why\n  from: fitted,\n"
         "  source: \"2us, range: 1us..3us\"}\nw1:\n  from: fitted\n  value: 1ms\n"
         "  range: 800us..1.25ms\n"},
        /* quotes go; line ends and letters of several bytes stay */
        {"kind: card\r\nrd1: {value: \"2us\", range: '1us..3us', from: fitted, a: b}\r\n",
         {{"rd1", 40 * US, 2.0}},
         "kind: card\r\nrd1: {value: 40us, range: 20us..80us, from: fitted, a: b}\r\n"},
        {"kind: card\nrd1: {source: \"\xc2\xb5s \xe2\x80\x94 gr\xc3\xb6\xc3\x9f"
         "er\", value: 2us, range: 1us..3us, from: fitted, "
         "a: b}\n",
         {{"rd1", 40 * US, 2.0}},
         "kind: card\nrd1: {source: \"\xc2\xb5s \xe2\x80\x94 gr\xc3\xb6\xc3\x9f"
         "er\", value: 40us, range: 20us..80us, from: fitted, "
         "a: b}\n"},
        /* no shorter than a picosecond, no longer than the key allows */
        {"kind: card\nrd1: {value: 2us, range: 1us..3us, from: fitted, a: b}\n",
         {{"rd1", 0.0, 3.0}},
         "kind: card\nrd1: {value: 1ps, range: 1ps..3ps, from: fitted, a: b}\n"},
        {"kind: card\npause_length: {value: 2us, range: 1us..3us, from: fitted, a: b}\n",
         {{"pause_length", 1e15, 2.0}},
         "kind: card\npause_length: {value: 100s, range: 50s..100s, from: fitted, a: b}\n"},
        /* headline values stay */
        {"kind: card\nrd1: {value: 2us, from: fitted, fit: headline}\n"
         "w1: {value: 2us, range: 1us..3us, from: fitted, a: b}\n",
         {{"rd1", 40 * US, 2.0}, {"w1", 40 * US, 2.0}},
         "kind: card\nrd1: {value: 2us, from: fitted, fit: headline}\n"
         "w1: {value: 40us, range: 20us..80us, from: fitted, a: b}\n"},
        /* nothing fitted */
        {"kind: card\nname: none\n\n\n", {{"rd1", 40 * US, 2.0}}, "kind: card\nname: none\n\n\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_text(i, rows[i].before, rows[i].turns, rows[i].after);
    }
}

/* A headline value goes back to its start where what it was fitted to may not be used. */
static void test_dropped(void **state)
{
    (void)state;
    static const char before[] =
        "kind: card\n"
        "rd1: {value: 2us, from: fitted, fit: headline, start: 5us, fitted_to: that}\n"
        "w1: {value: 2us, range: 1us..3us, from: fitted, fit: headline, start: 5us,\n"
        "     fitted_to: that}\n"
        "wstop: {value: 2us, from: fitted, fit: headline, start: 5us, fitted_to: another}\n";
    static const char after[] =
        "kind: card\n"
        "rd1: {value: 5us, from: fitted, fit: headline, start: 5us, fitted_to: that}\n"
        "w1: {value: 5us, range: 3.13us..8us, from: fitted, fit: headline, start: 5us,\n"
        "     fitted_to: that}\n"
        "wstop: {value: 2us, from: fitted, fit: headline, start: 5us, fitted_to: another}\n";
    const char *path = sdsim_test_path("cards/t.yaml");
    struct bench bench;
    sdsim_test_write_text(path, before);
    bench_open(&bench, sdsim_test_folder());
    sdsim_knobs_drop(&bench.knobs, "that");
    sdsim_round_knobs(&bench.knobs);
    char *text = rewritten(&bench, path, NULL);
    assert_string_equal(text, after);
    free(text);
    bench_close(&bench);
    assert_int_equal(remove(path), 0);
}

/* Only what stands in a file is written there. */
static void test_inherited(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *before;
        const char *after;
    } files[] = {
        {"cards/base.yaml",
         "kind: card\nrd1: {value: 2us, range: 1us..3us, from: fitted}\n"
         "w1: {value: 2us, range: 1us..3us, from: fitted}\n",
         "kind: card\nrd1: {value: 40us, range: 20us..80us, from: fitted}\n"
         "w1: {value: 9us, range: 4.5us..18us, from: fitted}\n"},
        {"cards/over.yaml",
         "kind: card\nbase: base\nw1: {value: 4us, range: 3us..5us, from: fitted}\n",
         "kind: card\nbase: base\nw1: {value: 9us, range: 4.5us..18us, from: fitted}\n"},
        {"cards/same.yaml", "kind: card\nbase: base\n", "kind: card\nbase: base\n"},
    };
    static const struct turn turns[] = {
        {"rd1", 40 * US, 2.0}, {"w1", 9 * US, 2.0}, {NULL, 0.0, 0.0}};
    struct bench bench;
    for (size_t i = 0; i < COUNT(files); i++) {
        sdsim_test_write_text(sdsim_test_path(files[i].name), files[i].before);
    }
    bench_open(&bench, sdsim_test_folder());
    assert_int_equal(bench.knobs.count, 3);
    turn(&bench, turns);
    for (size_t i = 0; i < COUNT(files); i++) {
        bool changed;
        char *text = rewritten(&bench, sdsim_test_path(files[i].name), &changed);
        assert_string_equal(text, files[i].after);
        assert_int_equal(changed, i < 2);
        free(text);
    }
    bench_close(&bench);
    for (size_t i = 0; i < COUNT(files); i++) {
        assert_int_equal(remove(sdsim_test_path(files[i].name)), 0);
    }
}

static void test_unreadable(void **state)
{
    (void)state;
    struct bench bench;
    bench_open(&bench, sdsim_test_folder());
    assert_false(sdsim_rewrite(&bench.knobs, "none.yaml", stdout, NULL, &bench.f.diags));
    char *text = sdsim_test_diag_text(&bench.f.diags);
    assert_string_equal(text, "none.yaml: error: can't be opened: No such file or directory\n");
    free(text);
    bench_close(&bench);
}

/* ---- every profile ---- */

/* Random values and ranges, the same ones for the same knobs. */
static void turn_at_random(struct bench *bench, uint64_t seed)
{
    for (size_t i = 0; i < bench->knobs.count; i++) {
        struct sdsim_knob *knob = &bench->knobs.items[i];
        struct sdsim_rng rng;
        sdsim_rng_seed(&rng, sdsim_hash_text(sdsim_hash_text(seed, knob->profile), knob->path));
        const double power = (double)sdsim_rng_below(&rng, 11) - 5.0;
        const double digits = 1.0 + (double)sdsim_rng_below(&rng, 1000000) / 111111.0;
        if (sdsim_knob_is_free(knob)) {
            sdsim_knob_set(knob, 1e7 * digits * pow(10.0, power));
            sdsim_knob_set_range(knob, 1.0 + (double)sdsim_rng_below(&rng, 4000) / 1000.0,
                                 1.0 + (double)sdsim_rng_below(&rng, 4000) / 1000.0);
        }
    }
    sdsim_round_knobs(&bench->knobs);
}

/* Does work on all profiles of a data directory; `name` is the file's in it. */
static void each_profile(struct bench *bench,
                         void (*work)(struct bench *bench, const char *from, const char *name))
{
    static const struct {
        const char *kind;
        const char *folder;
    } kinds[] = {{"card", "cards"}, {"host", "scenarios/hosts"}};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const struct sdsim_profile_file *files;
        const size_t count = sdsim_config_list(bench->f.config, kinds[k].kind, &files);
        for (size_t i = 0; i < count; i++) {
            char name[200];
            snprintf(name, sizeof name, "%s/%s.yaml", kinds[k].folder, files[i].name);
            work(bench, files[i].path, name);
        }
    }
}

static void write_profile(struct bench *bench, const char *from, const char *name)
{
    char *text = rewritten(bench, from, NULL);
    sdsim_test_write_text(sdsim_test_path(name), text);
    free(text);
}

static void check_profile(struct bench *bench, const char *from, const char *name)
{
    (void)name;
    char *old = sdsim_test_read_file(from, NULL);
    char *new = rewritten(bench, from, NULL);
    assert_string_equal(new, old);
    free(new);
    free(old);
}

/* What was written is what is read; and written again, it is the same. */
static void test_all_profiles(void **state)
{
    (void)state;
    const uint64_t seed = 31;
    struct bench before;
    struct bench after;
    bench_open(&before, ".");
    turn_at_random(&before, seed);
    each_profile(&before, write_profile);
    bench_open(&after, sdsim_test_folder());
    assert_int_equal(before.knobs.count, after.knobs.count);
    assert_true(before.knobs.count > 100);
    for (size_t i = 0; i < after.knobs.count; i++) {
        const struct sdsim_knob *old = &before.knobs.items[i];
        const struct sdsim_knob *new = &after.knobs.items[i];
        assert_string_equal(old->profile, new->profile);
        assert_string_equal(old->path, new->path);
        if (fabs(old->value - new->value) > 0.5) {
            fail_msg("seed %llu, %s %s: %.0f, read as %.0f", (unsigned long long)seed, old->profile,
                     old->path, old->value, new->value);
        }
    }
    turn_at_random(&after, seed);
    for (size_t i = 0; i < after.knobs.count; i++) {
        assert_string_equal(before.knobs.items[i].text, after.knobs.items[i].text);
    }
    each_profile(&after, check_profile);
    bench_close(&after);
    bench_close(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),        cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_inherited),    cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_all_profiles),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

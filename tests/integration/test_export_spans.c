/*
 * Exported spans of scenarios, SPI and SD: on each track of the Perfetto file slices nest and never
 * overlap otherwise, the slices of a kind and purpose add up to the account to the picosecond, and a
 * window shows what the whole run shows there, no more and no less.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/rng.h"
#include "report/span_files.h"
#include "setup/simulate.h"

/* ---- runs ---- */

struct subject {
    const struct sdsim_run *run;
    struct sdsim_setup setup;
    struct sdsim_medium *medium;
    struct sdsim_outcome_report report; /* of the run as it is without anybody looking */
};

static void prepare(struct subject *subject)
{
    struct sdsim_outcome_report report;
    subject->medium = sdsim_prepare_medium(&subject->setup, &report);
    assert_non_null(subject->medium);
    struct sdsim_medium *medium = sdsim_medium_copy(subject->medium);
    assert_non_null(medium);
    sdsim_simulate_on(&subject->setup, medium, NULL, &subject->report);
    sdsim_medium_destroy(medium);
    assert_string_equal(subject->report.error, "");
}

static void view(const struct subject *subject, struct sdsim_view *view)
{
    struct sdsim_outcome_report report;
    struct sdsim_medium *medium = sdsim_medium_copy(subject->medium);
    assert_non_null(medium);
    sdsim_simulate_view(&subject->setup, medium, view, &report);
    sdsim_medium_destroy(medium);
    assert_string_equal(report.error, "");
}

/* The first transaction for a window. */
static uint64_t scout(const struct subject *subject, sdsim_ps from, sdsim_ps to)
{
    struct sdsim_view scouting = {.kind = SDSIM_VIEW_SCOUT, .from = from, .to = to};
    view(subject, &scouting);
    assert_true(scouting.found);
    return scouting.first;
}

static char *perfetto(const struct subject *subject, sdsim_ps from, sdsim_ps to)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct sdsim_span_file *file = malloc(sizeof *file);
    assert_true(out != NULL && file != NULL);
    sdsim_perfetto_begin(file, out, &subject->setup.card, from, to, "a \"test\"");
    struct sdsim_view viewing = {.kind = SDSIM_VIEW_SPANS,
                                 .from = from,
                                 .to = to,
                                 .first = scout(subject, from, to),
                                 .recorder = &file->stream.recorder};
    view(subject, &viewing);
    sdsim_perfetto_end(file);
    free(file);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* ---- the Perfetto file ---- */

struct slice {
    sdsim_ps start;
    sdsim_ps end;
    int tid;
    const char *category;
    const char *purpose;
    const char *name;
};

/* Microseconds with up to six decimals; exact below 2^53 ps. */
static sdsim_ps picoseconds(const json_t *value)
{
    return (sdsim_ps)(json_number_value(value) * 1e6 + 0.5);
}

static size_t slices_of(const json_t *trace, struct slice **slices)
{
    const json_t *events = json_object_get(trace, "traceEvents");
    size_t count = 0;
    *slices = calloc(json_array_size(events) + 1, sizeof **slices);
    assert_non_null(*slices);
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const char *phase = json_string_value(json_object_get(event, "ph"));
        assert_non_null(phase);
        if (strcmp(phase, "X") != 0) {
            assert_true(strcmp(phase, "M") == 0 || strcmp(phase, "C") == 0);
            continue;
        }
        struct slice *slice = &(*slices)[count++];
        slice->start = picoseconds(json_object_get(event, "ts"));
        slice->end = slice->start + picoseconds(json_object_get(event, "dur"));
        slice->tid = (int)json_integer_value(json_object_get(event, "tid"));
        slice->category = json_string_value(json_object_get(event, "cat"));
        slice->name = json_string_value(json_object_get(event, "name"));
        slice->purpose = json_string_value(json_object_get(json_object_get(event, "args"), "for"));
        assert_true(slice->end > slice->start && slice->category != NULL && slice->name != NULL &&
                    slice->purpose != NULL);
    }
    return count;
}

/* By track, then by start, the longer one first. */
static int by_place(const void *a, const void *b)
{
    const struct slice *one = a;
    const struct slice *other = b;
    if (one->tid != other->tid) {
        return one->tid < other->tid ? -1 : 1;
    }
    if (one->start != other->start) {
        return one->start < other->start ? -1 : 1;
    }
    return one->end > other->end ? -1 : one->end < other->end;
}

static void slices_nest(const struct subject *subject, const struct slice *slices, size_t count)
{
    sdsim_ps ends[32];
    unsigned depth = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && slices[i].tid != slices[i - 1].tid) {
            depth = 0;
        }
        while (depth > 0 && ends[depth - 1] <= slices[i].start) {
            depth--;
        }
        if (depth == 32 || (depth > 0 && slices[i].end > ends[depth - 1])) {
            fail_msg("%s/%s: '%s' from %llu to %llu ps overlaps another on track %d",
                     subject->run->scenario, subject->run->id, slices[i].name,
                     (unsigned long long)slices[i].start, (unsigned long long)slices[i].end,
                     slices[i].tid);
        }
        ends[depth++] = slices[i].end;
    }
}

static void slices_add_up(const struct subject *subject, const struct slice *slices, size_t count,
                          const struct sdsim_account *account)
{
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
            const char *kind = sdsim_kind_name((enum sdsim_kind)k);
            const char *purpose = sdsim_purpose_name((enum sdsim_purpose)p);
            sdsim_ps sum = 0;
            for (size_t i = 0; i < count; i++) {
                if (strcmp(slices[i].category, kind) == 0 &&
                    strcmp(slices[i].purpose, purpose) == 0) {
                    sum += slices[i].end - slices[i].start;
                }
            }
            if (sum != account->ps[p][k]) {
                fail_msg("%s/%s: the slices of %s for %s add up to %llu ps, not %llu",
                         subject->run->scenario, subject->run->id, kind, purpose,
                         (unsigned long long)sum, (unsigned long long)account->ps[p][k]);
            }
        }
    }
}

/* Whether a name that begins like this is among the slices. */
static bool has_name(const struct slice *slices, size_t count, const char *start)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(slices[i].name, start, strlen(start)) == 0) {
            return true;
        }
    }
    return false;
}

static void check_perfetto(const struct subject *subject)
{
    const struct sdsim_workload_result *result = &subject->report.workload;
    json_error_t error;
    struct slice *slices;
    char *text = perfetto(subject, result->started, result->started + result->elapsed);
    json_t *trace = json_loads(text, 0, &error);
    if (trace == NULL) {
        fail_msg("%s/%s: line %d: %s", subject->run->scenario, subject->run->id, error.line,
                 error.text);
    }
    const size_t count = slices_of(trace, &slices);
    assert_true(count > 0);
    qsort(slices, count, sizeof *slices, by_place);
    slices_nest(subject, slices, count);
    slices_add_up(subject, slices, count, &result->account);
    if (result->counters.blocks_read + result->counters.blocks_written > 8) {
        assert_true(has_name(slices, count, "block 1"));
    }
    if (subject->setup.driver.params.code == SDSIM_DRIVER_ARDUINO_SD &&
        (has_name(slices, count, "CMD18 lba ") || has_name(slices, count, "CMD25 lba "))) {
        assert_true(has_name(slices, count, "block 2")); /* others do a block at a time */
    }
    free(slices);
    json_decref(trace);
    free(text);
}

/* ---- windows ---- */

/* A line a span: sorted, they can be compared. */
struct list {
    struct sdsim_span_stream stream;
    char **lines;
    size_t count;
    size_t capacity;
    sdsim_ps from; /* what is outside is left away, and what reaches out is cut */
    sdsim_ps to;
};

static void take(struct sdsim_span_stream *stream, const struct sdsim_named_span *span)
{
    struct list *list = (struct list *)stream;
    char line[300];
    const sdsim_ps end = span->start + span->duration;
    const sdsim_ps from = span->start > list->from ? span->start : list->from;
    const sdsim_ps to = end < list->to ? end : list->to;
    if (from >= to) {
        return;
    }
    snprintf(line, sizeof line, "%d %020llu %020llu %s %s %s %llu", (int)span->lane,
             (unsigned long long)from, (unsigned long long)to, span->kind, span->purpose,
             span->name, (unsigned long long)span->detail->place);
    if (list->count == list->capacity) {
        list->capacity = list->capacity > 0 ? 2 * list->capacity : 1024;
        list->lines = realloc(list->lines, list->capacity * sizeof *list->lines);
        assert_non_null(list->lines);
    }
    list->lines[list->count] = strdup(line);
    assert_non_null(list->lines[list->count]);
    list->count++;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The spans of from <= t < to, as they are in the view of a window. */
static struct list *spans_of(const struct subject *subject, sdsim_ps view_from, sdsim_ps view_to,
                             sdsim_ps from, sdsim_ps to)
{
    struct list *list = calloc(1, sizeof *list);
    assert_non_null(list);
    sdsim_span_stream_init(&list->stream, &subject->setup.card, view_from, view_to, take);
    list->from = from;
    list->to = to;
    struct sdsim_view viewing = {.kind = SDSIM_VIEW_SPANS,
                                 .from = view_from,
                                 .to = view_to,
                                 .first = view_from == 0 ? 0 : scout(subject, view_from, view_to),
                                 .recorder = &list->stream.recorder};
    view(subject, &viewing);
    qsort(list->lines, list->count, sizeof *list->lines, by_text);
    return list;
}

static void free_list(struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->lines[i]);
    }
    free(list->lines);
    free(list);
}

static void check_windows(const struct subject *subject, struct sdsim_rng *rng)
{
    const sdsim_ps end = subject->report.end;
    for (int i = 0; i < 3; i++) {
        const sdsim_ps from =
            subject->report.init_time + sdsim_rng_below(rng, end - subject->report.init_time);
        const sdsim_ps to = from + 1 + sdsim_rng_below(rng, (end - from) / 4 + 1);
        struct list *whole = spans_of(subject, 0, SDSIM_TIME_END, from, to);
        struct list *part = spans_of(subject, from, to, from, to);
        for (size_t n = 0; n < whole->count || n < part->count; n++) {
            const char *expected = n < whole->count ? whole->lines[n] : "nothing";
            const char *got = n < part->count ? part->lines[n] : "nothing";
            if (strcmp(expected, got) != 0) {
                fail_msg("%s/%s, %llu..%llu ps: '%s', not '%s'", subject->run->scenario,
                         subject->run->id, (unsigned long long)from, (unsigned long long)to, got,
                         expected);
            }
        }
        free_list(whole);
        free_list(part);
    }
}

/* ---- all scenarios ---- */

static void each_run(void (*check)(const struct subject *subject, struct sdsim_rng *rng))
{
    struct sdsim_config *config = sdsim_config_create(".");
    struct sdsim_diags diags;
    struct sdsim_rng rng;
    glob_t files;
    size_t spi = 0;
    size_t sd = 0;
    sdsim_diags_init(&diags);
    sdsim_rng_seed(&rng, 11);
    assert_int_equal(glob("scenarios/*.yaml", 0, NULL, &files), 0);
    struct subject *subject = calloc(1, sizeof *subject);
    assert_non_null(subject);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        const struct sdsim_scenario *scenario =
            sdsim_scenario_load(config, files.gl_pathv[f], NULL, &diags);
        assert_non_null(scenario);
        for (size_t r = 0; r < scenario->count; r++) {
            subject->run = &scenario->runs[r];
            assert_true(sdsim_setup_bind(config, subject->run, 0, &subject->setup, &diags));
            /* Enough of the large ones do the same. */
            if (subject->setup.run.workload.total > 1 << 20 ||
                (subject->setup.run.workload.total > 1 << 18 && r % 3 != 0)) {
                continue;
            }
            prepare(subject);
            check(subject, &rng);
            sdsim_medium_destroy(subject->medium);
            spi += subject->setup.run.bus == SDSIM_BUS_SPI;
            sd += subject->setup.run.bus != SDSIM_BUS_SPI;
        }
    }
    free(subject);
    globfree(&files);
    sdsim_diags_free(&diags);
    sdsim_config_destroy(config);
    print_message("%zu runs over SPI, %zu in SD mode\n", spi, sd);
    assert_true(spi >= 8 && sd >= 3);
}

static void one_perfetto(const struct subject *subject, struct sdsim_rng *rng)
{
    (void)rng;
    check_perfetto(subject);
}

static void slices_are_sound(void **state)
{
    (void)state;
    each_run(one_perfetto);
}

static void windows_are_parts(void **state)
{
    (void)state;
    each_run(check_windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_sound),
        cmocka_unit_test(windows_are_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

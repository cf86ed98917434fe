/*
 * Timelines of random spans against a plain list of them: what comes out is what went in, a picture
 * hides nothing and invents nothing, sums and searches are those one gets by looking at every span.
 * SDSIM_SEED=N runs one seed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"
#include "timeline/find.h"
#include "timeline/query.h"
#include "timeline/read.h"
#include "timeline/write.h"
#include "timeline_random.h"

enum { WIDTH_MOST = 400 };

static const struct sdsim_test_shape shapes[] = {
    {SDSIM_LANE_BUS, 0, 1000, 50, 0, 0},
    {SDSIM_LANE_BUS, 1, 1000, 50, 0, 0},
    {SDSIM_LANE_BUS, 17, 1000, 100, 0, 0},
    {SDSIM_LANE_BUS, 300, SDSIM_MS, 20, 10, 0},
    {SDSIM_LANE_BUS, 20000, SDSIM_US, 30, 0, 0},
    {SDSIM_LANE_CARD, 50000, 20 * SDSIM_MS, 10, 5, 0},
    {SDSIM_LANE_DISK, 40000, SDSIM_US, 90, 0, 0},
    {SDSIM_LANE_TASK, 40000, SDSIM_MS, 50, 20, 0},
    {SDSIM_LANE_COMMAND, 17000, SDSIM_MS, 50, 0, 0},
    {SDSIM_LANE_CPU, 20000, SDSIM_S, 50, 5, 30},
    {SDSIM_LANE_CARD, 3000, 30 * SDSIM_S, 100, 0, 3000},
};

struct bench {
    uint64_t seed;
    size_t shape;
    struct sdsim_rng rng;
    struct sdsim_timeline timeline;
    struct sdsim_timeline_reader *reader; /* NULL: in memory */
    struct sdsim_test_spans spans;
    struct sdsim_store *store;
};

#define FAIL(bench, ...)                                                                           \
    do {                                                                                           \
        print_error("SDSIM_SEED=%llu, shape %zu%s: ", (unsigned long long)(bench)->seed,           \
                    (bench)->shape, (bench)->reader != NULL ? " from a file" : "");                \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

/* ---- what went in comes out ---- */

static void check_spans(struct bench *bench)
{
    size_t k = 0;
    for (uint64_t i = 0; i < bench->store->count; i++) {
        struct sdsim_span span;
        if (!sdsim_store_span(bench->store, i, &span)) {
            continue; /* a filler */
        }
        for (uint64_t n = 0; n < span.count; n++, k++) {
            const struct sdsim_span *item = &bench->spans.items[k];
            if (k >= bench->spans.count || item->start != span.start + n * span.period ||
                item->duration != span.duration || item->kind != span.kind ||
                item->purpose != span.purpose || item->part != span.part ||
                item->detail != span.detail) {
                FAIL(bench, "span %zu is not the one that went in", k);
            }
        }
    }
    if (k != bench->spans.count) {
        FAIL(bench, "%zu spans came out, %zu went in", k, bench->spans.count);
    }
}

/* ---- pictures ---- */

static sdsim_ps overlap(const struct sdsim_span *span, sdsim_ps from, sdsim_ps to)
{
    const sdsim_ps end = span->start + span->duration;
    const sdsim_ps a = span->start > from ? span->start : from;
    const sdsim_ps b = end < to ? end : to;
    return b > a ? b - a : 0;
}

struct truth {
    uint8_t rank[WIDTH_MOST];
    sdsim_ps busy[WIDTH_MOST];
};

static void look(const struct bench *bench, sdsim_ps from, sdsim_ps to, uint32_t width,
                 struct truth *truth)
{
    const struct sdsim_lane_info *info = sdsim_lane_info(bench->store->lane);
    memset(truth, 0, sizeof *truth);
    uint32_t first = 0; /* spans come in order */
    for (size_t i = 0; i < bench->spans.count; i++) {
        const struct sdsim_span *span = &bench->spans.items[i];
        while (first < width && sdsim_column_start(from, to, width, first + 1) <= span->start) {
            first++;
        }
        for (uint32_t c = first; c < width; c++) {
            const sdsim_ps a = sdsim_column_start(from, to, width, c);
            const sdsim_ps b = sdsim_column_start(from, to, width, c + 1);
            const sdsim_ps busy = overlap(span, a, b);
            const bool point = span->duration == 0 && span->start >= a && span->start < b;
            const uint8_t rank = info->rank[sdsim_span_class(span)];
            if (busy > 0 || point) {
                truth->busy[c] += busy;
                truth->rank[c] = rank > truth->rank[c] ? rank : truth->rank[c];
            }
            if (span->start + span->duration <= b) {
                break;
            }
        }
    }
}

static uint8_t rank_of(const struct bench *bench, const struct sdsim_column *column)
{
    return column->class == SDSIM_NO_CLASS
               ? 0
               : sdsim_lane_info(bench->store->lane)->rank[column->class];
}

static void check_column(struct bench *bench, const struct truth *truth,
                         const struct sdsim_column *columns, uint32_t c, uint32_t width,
                         sdsim_ps length, bool exact)
{
    const uint8_t rank = rank_of(bench, &columns[c]);
    uint8_t around = truth->rank[c];
    if (c > 0 && truth->rank[c - 1] > around) {
        around = truth->rank[c - 1];
    }
    if (c + 1 < width && truth->rank[c + 1] > around) {
        around = truth->rank[c + 1];
    }
    if (rank < truth->rank[c]) {
        FAIL(bench, "column %u of %u hides rank %u: it shows %u", c, width, truth->rank[c], rank);
    }
    if (rank > (exact ? truth->rank[c] : around)) {
        FAIL(bench, "column %u of %u invents rank %u", c, width, rank);
    }
    if (exact) {
        const double share = (double)truth->busy[c] / (double)length;
        const double shown = columns[c].cover / 255.0;
        if (length > 100000 && (share > shown + 0.02 || share < shown - 0.02)) {
            FAIL(bench, "column %u of %u is covered by %f, not %f", c, width, share, shown);
        }
        if (rank > 0) {
            struct sdsim_span span;
            if (!sdsim_store_span(bench->store, columns[c].span, &span) ||
                sdsim_span_class(&span) != columns[c].class) {
                FAIL(bench, "column %u of %u names a span of another class", c, width);
            }
        }
    }
}

static void check_picture(struct bench *bench, sdsim_ps from, sdsim_ps to, uint32_t width)
{
    struct sdsim_column columns[WIDTH_MOST];
    struct truth truth;
    sdsim_lane_columns(bench->store, from, to, width, columns);
    look(bench, from, to, width, &truth);
    bool exact = true;
    for (uint32_t c = 0; c < width; c++) {
        exact = exact && columns[c].level == 0;
    }
    for (uint32_t c = 0; c < width; c++) {
        const sdsim_ps length =
            sdsim_column_start(from, to, width, c + 1) - sdsim_column_start(from, to, width, c);
        check_column(bench, &truth, columns, c, width, length, exact);
    }
}

/* ---- sums ---- */

static void check_range(struct bench *bench, sdsim_ps from, sdsim_ps to)
{
    struct sdsim_range range;
    struct sdsim_range truth = {.bytes = 0};
    sdsim_lane_range(bench->store, from, to, &range);
    for (size_t i = 0; i < bench->spans.count; i++) {
        const struct sdsim_span *span = &bench->spans.items[i];
        const uint8_t class = sdsim_span_class(span);
        truth.sum[class] += overlap(span, from, to);
        truth.busy += overlap(span, from, to);
        if (span->start >= from && span->start < to) {
            truth.count[class]++;
            truth.bytes += sdsim_details_bytes(&bench->timeline.details, bench->store->lane,
                                               span->part, span->detail);
        }
    }
    if (memcmp(&range, &truth, sizeof range) != 0) {
        FAIL(bench, "the sums of %llu..%llu differ: busy %llu, not %llu; bytes %llu, not %llu",
             (unsigned long long)from, (unsigned long long)to, (unsigned long long)range.busy,
             (unsigned long long)truth.busy, (unsigned long long)range.bytes,
             (unsigned long long)truth.bytes);
    }
}

/* ---- searches ---- */

static void check_search(struct bench *bench)
{
    struct sdsim_store *store = bench->store;
    const struct sdsim_wanted wanted = {
        .classes = (uint16_t)(sdsim_rng_below(&bench->rng, 3) == 0
                                  ? 0
                                  : 1 + sdsim_rng_below(&bench->rng, 2047)),
        .at_least = sdsim_test_size(&bench->rng, shapes[bench->shape].longest),
    };
    const uint64_t from = sdsim_rng_below(&bench->rng, store->count + 1);
    uint64_t next = UINT64_MAX;
    uint64_t previous = UINT64_MAX;
    for (uint64_t i = 0; i < store->count; i++) {
        struct sdsim_span span;
        if (sdsim_store_span(store, i, &span) && span.duration >= wanted.at_least &&
            (wanted.classes == 0 || (wanted.classes >> sdsim_span_class(&span) & 1) != 0)) {
            previous = i < from ? i : previous;
            next = i >= from && next == UINT64_MAX ? i : next;
        }
    }
    uint64_t found = UINT64_MAX;
    if (sdsim_lane_next(store, from, &wanted, &found) != (next != UINT64_MAX) || found != next) {
        FAIL(bench, "the next from %llu is not %llu", (unsigned long long)from,
             (unsigned long long)found);
    }
    found = UINT64_MAX;
    if (sdsim_lane_previous(store, from, &wanted, &found) != (previous != UINT64_MAX) ||
        found != previous) {
        FAIL(bench, "the one before %llu is not %llu", (unsigned long long)from,
             (unsigned long long)found);
    }
}

static int longer(const void *a, const void *b)
{
    const struct sdsim_found *x = a;
    const struct sdsim_found *y = b;
    return x->duration != y->duration ? (x->duration < y->duration ? 1 : -1)
                                      : (x->number > y->number) - (x->number < y->number);
}

static void check_longest(struct bench *bench)
{
    struct sdsim_store *store = bench->store;
    struct sdsim_found found[25];
    const struct sdsim_wanted wanted = {.classes = 0};
    struct sdsim_found *all = calloc(store->count + 1, sizeof *all);
    assert_non_null(all);
    size_t count = 0;
    for (uint64_t i = 0; i < store->count; i++) {
        struct sdsim_span span;
        if (sdsim_store_span(store, i, &span)) {
            all[count++] = (struct sdsim_found){i, span.start, span.duration};
        }
    }
    qsort(all, count, sizeof *all, longer);
    const size_t there = sdsim_lane_longest(store, &wanted, 25, found);
    if (there != (count < 25 ? count : 25) ||
        (there > 0 && memcmp(found, all, there * sizeof *found) != 0)) {
        FAIL(bench, "the %zu longest spans are others", there);
    }
    free(all);
}

static void check_at(struct bench *bench, sdsim_ps instant)
{
    uint64_t expected = 0;
    bool there = false;
    for (uint64_t i = 0; i < bench->store->count; i++) {
        struct sdsim_span span;
        if (sdsim_store_span(bench->store, i, &span) && span.start <= instant) {
            expected = i;
            there = true;
        }
    }
    uint64_t number = 0;
    if (sdsim_lane_at(bench->store, instant, &number) != there || number != expected) {
        FAIL(bench, "at %llu there is another span", (unsigned long long)instant);
    }
}

/* ---- all of it ---- */

static void ask_everything(struct bench *bench)
{
    const sdsim_ps end = bench->timeline.end;
    check_spans(bench);
    check_longest(bench);
    check_picture(bench, 0, end + 1, WIDTH_MOST);
    for (int i = 0; i < 12; i++) {
        const uint32_t width = 1 + (uint32_t)sdsim_rng_below(&bench->rng, WIDTH_MOST);
        const sdsim_ps length = width + sdsim_test_size(&bench->rng, end);
        const sdsim_ps from = sdsim_rng_below(&bench->rng, end + 2);
        check_picture(bench, from, from + length, width);
        check_range(bench, from, from + length);
        check_search(bench);
        check_at(bench, from);
    }
    check_range(bench, 0, end + 1);
}

static void seed_of(struct bench *bench, uint64_t seed, size_t shape)
{
    *bench = (struct bench){.seed = seed, .shape = shape};
    sdsim_rng_seed(&bench->rng, seed * 1000 + shape);
    sdsim_timeline_init(&bench->timeline);
    bench->store = &bench->timeline.lanes[shapes[shape].lane];
}

static void in_memory(uint64_t seed, size_t shape)
{
    struct bench bench;
    const char *why;
    seed_of(&bench, seed, shape);
    bench.spans = sdsim_test_fill_timeline(&bench.timeline, &shapes[shape], &bench.rng);
    assert_true(sdsim_timeline_finish(&bench.timeline, &why));
    ask_everything(&bench);
    free(bench.spans.items);
    sdsim_timeline_free(&bench.timeline);
}

static void through_a_file(uint64_t seed, size_t shape)
{
    struct bench bench;
    const char *path = sdsim_test_path("run.sdtl");
    char why[200];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    seed_of(&bench, seed, shape);
    assert_true(sdsim_timeline_add_text(&bench.timeline, "scenario", "a\nb", 3));
    struct sdsim_timeline_writer *writer =
        sdsim_timeline_writer_open(file, &bench.timeline, why, sizeof why);
    assert_non_null(writer);
    bench.spans = sdsim_test_fill_timeline(&bench.timeline, &shapes[shape], &bench.rng);
    if (!sdsim_timeline_writer_close(writer, why, sizeof why)) {
        FAIL(&bench, "%s", why);
    }
    fclose(file);
    sdsim_timeline_free(&bench.timeline);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    bench.reader = sdsim_timeline_open(path, &bench.timeline, &diags);
    sdsim_diags_print(&diags, stderr);
    assert_non_null(bench.reader);
    assert_int_equal(diags.errors + diags.warnings, 0);
    assert_string_equal(sdsim_timeline_text(&bench.timeline, "scenario")->text, "a\nb");
    ask_everything(&bench);
    assert_null(sdsim_timeline_reader_fault(bench.reader));
    free(bench.spans.items);
    sdsim_timeline_reader_close(bench.reader);
    sdsim_timeline_free(&bench.timeline);
    sdsim_diags_free(&diags);
}

static void random_timelines(void **state)
{
    (void)state;
    const char *given = getenv("SDSIM_SEED");
    const uint64_t first = given != NULL ? strtoull(given, NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + (given != NULL ? 1 : 3); seed++) {
        for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
            in_memory(seed, shape);
            through_a_file(seed, shape);
        }
    }
    print_message("seeds from SDSIM_SEED=%llu\n", (unsigned long long)first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_timelines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

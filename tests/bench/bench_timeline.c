/*
 * Timelines of 1 and of 100 million spans: bytes a span, how long the pyramid takes to build, a picture
 * of all lanes at 1920 columns at random zooms, in memory and from a file.
 *
 * The spans are those of a long recording: per transaction a handful of CPU work, a command, a few dozen
 * bits on the bus, waits for the card; now and then a pause. `bench_timeline N` takes N million instead;
 * the file goes to TMPDIR.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "core/rng.h"
#include "timeline/query.h"
#include "timeline/read.h"
#include "timeline/write.h"

enum { WIDTH = 1920, PICTURES = 1000 };

/* ---- what is recorded ---- */

static void record(struct sdsim_timeline *timeline, enum sdsim_lane lane, sdsim_ps start,
                   sdsim_ps duration, enum sdsim_kind kind, uint8_t part, uint32_t detail)
{
    const struct sdsim_span span = {
        .start = start,
        .duration = duration,
        .count = 1,
        .lane = (uint8_t)lane,
        .kind = (uint8_t)kind,
        .purpose = (uint8_t)(detail % 16 == 0 ? SDSIM_FOR_FAT : SDSIM_FOR_DATA),
        .part = part,
        .detail = detail,
    };
    timeline->recorder.span(&timeline->recorder, &span);
}

/* One write of 8 blocks: about 110 spans. */
static void transaction(struct sdsim_timeline *timeline, struct sdsim_rng *rng, sdsim_ps *now,
                        uint32_t number)
{
    const sdsim_ps start = *now;
    const struct sdsim_detail command = {
        .kind = SDSIM_DETAIL_COMMAND, .code = 25, .place = 8 * number, .size = 8};
    const struct sdsim_detail call = {.kind = SDSIM_DETAIL_CALL,
                                      .place = 4096 * (uint64_t)number,
                                      .size = 4096,
                                      .name = "/DATA.BIN"};
    const uint32_t about = timeline->recorder.detail(&timeline->recorder, &command);
    const uint32_t what = timeline->recorder.detail(&timeline->recorder, &call);
    record(timeline, SDSIM_LANE_CPU, *now, 30 * SDSIM_US, SDSIM_HOST, 0, 0);
    *now += 30 * SDSIM_US;
    record(timeline, SDSIM_LANE_BUS, *now, 2400 * SDSIM_NS, SDSIM_PROTOCOL, SDSIM_PART_COMMAND,
           about);
    *now += 2400 * SDSIM_NS;
    for (int block = 0; block < 8; block++) {
        const sdsim_ps luck = sdsim_rng_below(rng, 3 * SDSIM_US);
        record(timeline, SDSIM_LANE_CPU, *now, 4 * SDSIM_US, SDSIM_COPY, 0, about);
        *now += 4 * SDSIM_US;
        record(timeline, SDSIM_LANE_BUS, *now, 400 * SDSIM_NS, SDSIM_PROTOCOL, SDSIM_PART_TOKEN,
               about);
        for (int chunk = 0; chunk < 4; chunk++) {
            record(timeline, SDSIM_LANE_BUS, *now + 400 * SDSIM_NS, 51200 * SDSIM_NS, SDSIM_PAYLOAD,
                   SDSIM_PART_DATA, about);
            *now += 51600 * SDSIM_NS;
            record(timeline, SDSIM_LANE_BUS, *now, 300 * SDSIM_NS, SDSIM_GAP, SDSIM_PART_DATA,
                   about);
        }
        *now += 400 * SDSIM_NS;
        record(timeline, SDSIM_LANE_BUS, *now, 800 * SDSIM_NS, SDSIM_PROTOCOL, SDSIM_PART_CRC,
               about);
        *now += 800 * SDSIM_NS;
        const bool pause = sdsim_rng_below(rng, 20000) == 0;
        const sdsim_ps busy = 20 * SDSIM_US + luck;
        record(timeline, SDSIM_LANE_BUS, *now, busy, SDSIM_POLL, SDSIM_PART_LOOKS, 0);
        record(timeline, SDSIM_LANE_CARD, *now, busy, SDSIM_BUSY, 0, about);
        *now += busy;
        if (pause) {
            record(timeline, SDSIM_LANE_CARD, *now, 90 * SDSIM_MS + luck, SDSIM_PAUSE, 0, about);
            *now += 90 * SDSIM_MS + luck;
        }
    }
    record(timeline, SDSIM_LANE_COMMAND, start, *now - start, SDSIM_HOST, SDSIM_GROUP_WRITE, about);
    record(timeline, SDSIM_LANE_DISK, start, *now - start, SDSIM_HOST, SDSIM_CALL_WRITE, about);
    record(timeline, SDSIM_LANE_FILE, start, *now - start, SDSIM_HOST, SDSIM_CALL_WRITE, what);
    record(timeline, SDSIM_LANE_TASK, start, *now - start, SDSIM_HOST, SDSIM_CALL_WRITE, what);
    *now += sdsim_rng_below(rng, 10 * SDSIM_US);
}

static void fill(struct sdsim_timeline *timeline, uint64_t spans)
{
    struct sdsim_rng rng;
    sdsim_ps now = 0;
    uint32_t number = 0;
    sdsim_rng_seed(&rng, 1);
    while (sdsim_timeline_spans(timeline) < spans) {
        transaction(timeline, &rng, &now, number++);
    }
}

/* ---- what is measured ---- */

/* Builds all summaries again. */
static double rebuild(const struct sdsim_timeline *timeline)
{
    double seconds[5];
    for (int round = 0; round < 5; round++) {
        const double begun = sdsim_bench_now();
        for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
            const struct sdsim_store *store = &timeline->lanes[lane];
            struct sdsim_pyramid summary = {.count = 0};
            sdsim_pyramid_reserve(&summary, store->summary.count + 1024,
                                  store->summary.counts[2] + 64);
            for (size_t b = 0; b < store->block_count; b++) {
                sdsim_ps starts[SDSIM_BLOCK_GROUPS];
                const uint64_t left = store->count - (uint64_t)b * SDSIM_BLOCK_SPANS;
                const size_t count = left < SDSIM_BLOCK_SPANS ? (size_t)left : SDSIM_BLOCK_SPANS;
                for (size_t g = 0; g * SDSIM_GROUP_SPANS < count; g++) {
                    starts[g] = store->summary.nodes[2][b * SDSIM_BLOCK_GROUPS + g].start;
                }
                sdsim_pyramid_add(&summary, store->lane, store->details, &store->blocks[b], count,
                                  starts);
            }
            sdsim_pyramid_finish(&summary, store->end);
            sdsim_pyramid_free(&summary);
        }
        seconds[round] = sdsim_bench_now() - begun;
    }
    return sdsim_bench_median(seconds, 5);
}

static double picture(struct sdsim_timeline *timeline, sdsim_ps from, sdsim_ps to)
{
    static struct sdsim_column columns[WIDTH];
    const double begun = sdsim_bench_now();
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        sdsim_lane_columns(&timeline->lanes[lane], from, to, WIDTH, columns);
    }
    return sdsim_bench_now() - begun;
}

/* Random windows, every width from all of it down to a microsecond equally likely. */
static void pictures(struct sdsim_timeline *timeline, const char *where)
{
    static double seconds[PICTURES];
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 2);
    const double first = picture(timeline, 0, timeline->end);
    for (int i = 0; i < PICTURES; i++) {
        sdsim_ps length = timeline->end >> sdsim_rng_below(&rng, 32);
        length = length > SDSIM_US ? length : SDSIM_US;
        const sdsim_ps from = sdsim_rng_below(&rng, timeline->end - length + 1);
        seconds[i] = picture(timeline, from, from + length);
    }
    qsort(seconds, PICTURES, sizeof *seconds, sdsim_bench_order);
    printf("  picture %-12s all of it %7.3f ms; random zooms: median %7.3f ms  p99 %7.3f ms  "
           "worst %7.3f ms\n",
           where, 1e3 * first, 1e3 * seconds[PICTURES / 2], 1e3 * seconds[PICTURES * 99 / 100],
           1e3 * seconds[PICTURES - 1]);
}

static void in_memory(uint64_t spans)
{
    struct sdsim_timeline timeline;
    const char *why;
    sdsim_timeline_init(&timeline);
    const double begun = sdsim_bench_now();
    fill(&timeline, spans);
    const bool fine = sdsim_timeline_finish(&timeline, &why);
    const double recorded = sdsim_bench_now() - begun;
    const double stored = (double)sdsim_timeline_spans(&timeline);
    if (!fine) {
        printf("  %s\n", why);
    }
    printf("  recorded %.0f spans of %.1f s in %.2f s, %.0f ns each\n", stored,
           (double)timeline.end / (double)SDSIM_S, recorded, 1e9 * recorded / stored);
    printf("  memory %.2f bytes a span (of it details %.2f)\n",
           (double)sdsim_timeline_memory(&timeline) / stored,
           (double)sdsim_details_memory(&timeline.details) / stored);
    printf("  pyramid built again in %.1f ms\n", 1e3 * rebuild(&timeline));
    pictures(&timeline, "in memory:");
    sdsim_timeline_free(&timeline);
}

static void from_a_file(uint64_t spans)
{
    struct sdsim_timeline timeline;
    struct sdsim_diags diags;
    char why[200] = "can't be written";
    char path[300];
    const char *folder = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    snprintf(path, sizeof path, "%.200s/sdsim-bench-%ld.sdtl", folder, (long)getpid());
    sdsim_diags_init(&diags);
    sdsim_timeline_init(&timeline);
    double begun = sdsim_bench_now();
    FILE *file = fopen(path, "wb");
    struct sdsim_timeline_writer *writer =
        file != NULL ? sdsim_timeline_writer_open(file, &timeline, why, sizeof why) : NULL;
    if (writer == NULL) {
        printf("  %s: %s\n", path, why);
        return;
    }
    fill(&timeline, spans);
    if (!sdsim_timeline_writer_close(writer, why, sizeof why)) {
        printf("  %s: %s\n", path, why);
    }
    fclose(file);
    const double written = sdsim_bench_now() - begun;
    const double stored = (double)sdsim_timeline_spans(&timeline);
    sdsim_timeline_free(&timeline);
    struct stat info;
    if (stat(path, &info) == 0) {
        printf("  file %.1f MB, %.2f bytes a span, recorded and written in %.2f s\n",
               1e-6 * (double)info.st_size, (double)info.st_size / stored, written);
    }
    begun = sdsim_bench_now();
    struct sdsim_timeline_reader *reader = sdsim_timeline_open(path, &timeline, &diags);
    const double opened = sdsim_bench_now() - begun;
    if (reader != NULL) {
        printf("  opened in %.1f ms, then %.2f bytes of memory a span\n", 1e3 * opened,
               (double)sdsim_timeline_memory(&timeline) / stored);
        pictures(&timeline, "from file:");
        printf("  memory afterwards %.2f bytes a span\n",
               (double)sdsim_timeline_memory(&timeline) / stored);
    }
    sdsim_diags_print(&diags, stderr);
    sdsim_timeline_reader_close(reader);
    sdsim_timeline_free(&timeline);
    sdsim_diags_free(&diags);
    unlink(path);
}

int main(int argc, char **argv)
{
    const uint64_t sizes[] = {1, 100};
    const uint64_t given = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    for (size_t i = 0; i < (given > 0 ? 1 : sizeof sizes / sizeof *sizes); i++) {
        const uint64_t millions = given > 0 ? given : sizes[i];
        printf("%llu million spans\n", (unsigned long long)millions);
        in_memory(millions * 1000000);
        from_a_file(millions * 1000000);
    }
    return 0;
}

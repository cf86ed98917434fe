/*
 * Timelines of 1 and of 100 million spans: bytes a span, how long the pyramid takes to build, a picture
 * of all lanes at 1920 columns at random zooms, in memory and from a file.
 *
 * The spans are those of recording.h. `bench_timeline N` takes N million instead;
 * the file goes to TMPDIR.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "recording.h"
#include "timeline/query.h"
#include "timeline/read.h"

enum { WIDTH = 1920, PICTURES = 1000 };

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
    sdsim_bench_fill(&timeline, spans);
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
    char path[300];
    sdsim_bench_path(path, sizeof path);
    sdsim_diags_init(&diags);
    double begun = sdsim_bench_now();
    const double stored = (double)sdsim_bench_write(path, spans);
    const double written = sdsim_bench_now() - begun;
    struct stat info;
    if (stored > 0 && stat(path, &info) == 0) {
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
    return sdsim_bench_timelines(argc, argv, in_memory, from_a_file);
}

/*
 * Pictures of the viewer at 1920 x 1080, all of them: rows, curves, whole run, panel, text, for timelines
 * of 1 and of 100 million spans, in memory and from a file. The first picture from opening on, then random
 * windows, every length from all of it down to a microsecond equally likely, and the same with small steps
 * as a hand makes them.
 *
 * `bench_viewer N` takes N million spans; the file goes to TMPDIR. Everything is drawn by the CPU into
 * memory, as it is under SDL's software renderer and dummy driver; copying that to a window comes on top.
 * Pictures are told in processor time, the first one from opening on by the wall clock.
 */
#include "bench.h"

#ifdef SDSIM_BENCH_HAS_VIEWER

#include <string.h>
#include <unistd.h>

#include "recording.h"
#include "timeline/read.h"
#include "tools/viewer/pointer.h"
#include "tools/viewer/scene.h"

enum { WIDTH = 1920, HEIGHT = 1080, PICTURES = 600 };

struct stage {
    struct sdsim_app *app;
    struct sdsim_scene scene;
    struct sdsim_font font;
    struct sdsim_canvas canvas;
    uint32_t *pixels;
};

/* Of this thread: what others do on the machine does not count. */
static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double draw(struct stage *stage)
{
    const double begun = cpu_now();
    stage->canvas = (struct sdsim_canvas){.pixels = stage->pixels,
                                          .width = WIDTH,
                                          .height = HEIGHT,
                                          .pitch = WIDTH,
                                          .font = &stage->font};
    if (!sdsim_scene_draw(&stage->scene, stage->app, &stage->canvas)) {
        printf("  out of memory\n");
    }
    return cpu_now() - begun;
}

static void print_times(const char *what, double *seconds, size_t count)
{
    qsort(seconds, count, sizeof *seconds, sdsim_bench_order);
    printf("  %-22s median %6.2f ms  p99 %6.2f ms  worst %6.2f ms\n", what,
           1e3 * seconds[count / 2], 1e3 * seconds[count * 99 / 100], 1e3 * seconds[count - 1]);
}

static void random_windows(struct stage *stage, sdsim_ps end)
{
    static double seconds[PICTURES];
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 2);
    for (int i = 0; i < PICTURES; i++) {
        sdsim_ps length = end >> sdsim_rng_below(&rng, 32);
        length = length > SDSIM_US ? length : SDSIM_US;
        const sdsim_ps from = sdsim_rng_below(&rng, end - length + 1);
        sdsim_axis_set(&stage->app->axis, from, from + length);
        seconds[i] = draw(stage);
    }
    print_times("random windows", seconds, PICTURES);
}

/* Zooms in and out at one place and drags, as a hand does. */
static void steps(struct stage *stage)
{
    static double seconds[PICTURES];
    sdsim_axis_fit(&stage->app->axis);
    for (int i = 0; i < PICTURES; i++) {
        if (i % 4 == 3) {
            sdsim_press(stage->app, 900, 700, 1);
            sdsim_release(stage->app, 860, 700);
        } else {
            sdsim_wheel(stage->app, 700 + i % 7 * 50, 500, i / 60 % 2 == 0 ? 1 : -1);
        }
        seconds[i] = draw(stage);
    }
    print_times("wheel and drag", seconds, PICTURES);
}

static void show(struct sdsim_timeline *timeline, double begun)
{
    static struct sdsim_app app; /* large */
    static struct stage stage;
    stage = (struct stage){.app = &app, .pixels = malloc(sizeof(uint32_t) * WIDTH * HEIGHT)};
    sdsim_font_built_in(&stage.font, 13);
    sdsim_app_init(&app, timeline, NULL, WIDTH, HEIGHT, stage.font.height);
    const double first = draw(&stage);
    printf("  first picture after %.1f ms (%.1f ms of it drawing)\n",
           1e3 * (sdsim_bench_now() - begun), 1e3 * first);
    random_windows(&stage, timeline->end);
    steps(&stage);
    sdsim_scene_free(&stage.scene);
    sdsim_font_free(&stage.font);
    free(stage.pixels);
}

static void in_memory(uint64_t spans)
{
    struct sdsim_timeline timeline;
    const char *why;
    sdsim_timeline_init(&timeline);
    sdsim_bench_fill(&timeline, spans);
    if (!sdsim_timeline_finish(&timeline, &why)) {
        printf("  %s\n", why);
    }
    printf(" in memory, %.2f bytes a span\n",
           (double)sdsim_timeline_memory(&timeline) / (double)sdsim_timeline_spans(&timeline));
    show(&timeline, sdsim_bench_now());
    sdsim_timeline_free(&timeline);
}

static void from_a_file(uint64_t spans)
{
    struct sdsim_timeline timeline;
    struct sdsim_diags diags;
    char path[300];
    sdsim_bench_path(path, sizeof path);
    sdsim_diags_init(&diags);
    sdsim_timeline_init(&timeline);
    if (sdsim_bench_write(path, spans) > 0) {
        const double begun = sdsim_bench_now();
        struct sdsim_timeline_reader *reader = sdsim_timeline_open(path, &timeline, &diags);
        printf(" from a file\n");
        if (reader != NULL) {
            show(&timeline, begun);
        }
        sdsim_diags_print(&diags, stderr);
        sdsim_timeline_reader_close(reader);
    }
    sdsim_timeline_free(&timeline);
    sdsim_diags_free(&diags);
    unlink(path);
}

int main(int argc, char **argv)
{
    return sdsim_bench_timelines(argc, argv, in_memory, from_a_file);
}

#else

int main(void)
{
    printf("the viewer was not built\n");
    return 0;
}

#endif

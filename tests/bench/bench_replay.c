/*
 * How fast block traces are replayed, bus and card simulated: ten million calls on SD and SPI boards.
 */
#include "bench.h"

#include "setup/replay.h"

enum {
    CALLS = 10000000,
    RUNS = 1,
};

/* Makes calls as they are asked for: nothing is read. */
struct maker {
    struct sdsim_block_source base;
    uint32_t sectors; /* of a data call */
    uint64_t made;
};

static size_t make(struct sdsim_block_source *base, struct sdsim_block_record *records, size_t most)
{
    struct maker *maker = (struct maker *)base;
    size_t count = 0;
    for (; count < most && maker->made < CALLS; count++, maker->made++) {
        const uint64_t i = maker->made;
        const bool metadata = i % 16 == 15;
        records[count] = (struct sdsim_block_record){
            .lba = metadata ? 8192 + (uint32_t)(i % 3)
                            : 32768 + (uint32_t)(i % 100000) * maker->sectors,
            .count = metadata ? 1 : maker->sectors,
            .repeat = 1,
            .kind = i % 4 == 0 ? SDSIM_TRACE_READ : SDSIM_TRACE_WRITE,
        };
    }
    return count;
}

static void leave(struct sdsim_block_source *base)
{
    (void)base;
}

struct job {
    const char *board;
    uint32_t sectors;
    struct sdsim_setup setup;
};

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(EXIT_FAILURE);
}

static void prepare(struct job *job, struct sdsim_config *config)
{
    char board[100];
    struct sdsim_diags diags;
    snprintf(board, sizeof board, "board=%s", job->board);
    const char *const overrides[] = {board, "card=sandisk-ultra-16gb", NULL};
    sdsim_diags_init(&diags);
    const struct sdsim_scenario *scenario =
        sdsim_scenario_of_text(config, "bench",
                               "kind: scenario\n"
                               "workload: {do: write, on: raw, total: 64KiB, call: 64KiB}\n",
                               overrides, &diags);
    if (scenario == NULL || !sdsim_setup_bind(config, &scenario->runs[0], 0, &job->setup, &diags)) {
        sdsim_diags_print(&diags, stderr);
        fail("no set-up: run it in the top folder");
    }
    sdsim_diags_free(&diags);
}

static void replay(void *context)
{
    const struct job *job = context;
    const struct sdsim_replay_options options = {.think = false};
    struct sdsim_replay_result result;
    struct sdsim_medium *medium = sdsim_replay_prepare(&job->setup, NULL, NULL, 0, &result);
    struct maker maker = {.base = {.next = make, .close = leave, .info = sdsim_trace_info_new()},
                          .sectors = job->sectors};
    struct sdsim_trace trace = {.blocks = &maker.base, .info = maker.base.info};
    if (medium == NULL || trace.info == NULL) {
        fail("out of memory");
    }
    sdsim_replay(&job->setup, medium, &trace, &options, NULL, NULL, &result);
    if (result.error[0] != '\0' || result.failed > 0 || result.calls != CALLS) {
        fail("the replay failed");
    }
    sdsim_replay_result_free(&result);
    sdsim_trace_info_free(maker.base.info);
    sdsim_medium_destroy(medium);
}

int main(void)
{
    struct job jobs[] = {
        {.board = "esp32s3-devkit-sdmmc", .sectors = 1},
        {.board = "esp32s3-devkit-sdmmc", .sectors = 64},
        {.board = "esp32-devkit-v1-spi", .sectors = 1},
    };
    struct sdsim_config *config = sdsim_config_create(".");
    if (config == NULL) {
        fail("out of memory");
    }
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        prepare(&jobs[i], config);
        const struct sdsim_bench_result result = sdsim_bench_run(replay, &jobs[i], RUNS);
        (void)fflush(stdout);
        printf("%-22s calls of %2u sectors: 10 million in %5.2f s (best %.2f)\n", jobs[i].board,
               (unsigned)jobs[i].sectors, result.median, result.min);
    }
    sdsim_config_destroy(config);
    return 0;
}

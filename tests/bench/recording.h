/*
 * What benches of timelines record: the spans of a long logging run. Per transaction a handful of CPU work,
 * a command, a few dozen bits on the bus, waits for the card, what the card does inside; a queue that fills
 * and is emptied; now and then a pause. And what these benches share.
 */
#ifndef SDSIM_BENCH_RECORDING_H
#define SDSIM_BENCH_RECORDING_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/rng.h"
#include "timeline/timeline.h"
#include "timeline/write.h"

static inline void sdsim_bench_record(struct sdsim_timeline *timeline, enum sdsim_lane lane,
                                      sdsim_ps start, sdsim_ps duration, enum sdsim_kind kind,
                                      uint8_t part, uint32_t detail)
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

/* One write of 8 blocks: about 120 spans. */
static inline void sdsim_bench_transaction(struct sdsim_timeline *timeline, struct sdsim_rng *rng,
                                           sdsim_ps *now, uint32_t number)
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
    sdsim_bench_record(timeline, SDSIM_LANE_CPU, *now, 30 * SDSIM_US, SDSIM_HOST, 0, 0);
    *now += 30 * SDSIM_US;
    sdsim_bench_record(timeline, SDSIM_LANE_BUS, *now, 2400 * SDSIM_NS, SDSIM_PROTOCOL,
                       SDSIM_PART_COMMAND, about);
    *now += 2400 * SDSIM_NS;
    for (int block = 0; block < 8; block++) {
        const sdsim_ps luck = sdsim_rng_below(rng, 3 * SDSIM_US);
        sdsim_bench_record(timeline, SDSIM_LANE_CPU, *now, 4 * SDSIM_US, SDSIM_COPY, 0, about);
        *now += 4 * SDSIM_US;
        sdsim_bench_record(timeline, SDSIM_LANE_BUS, *now, 400 * SDSIM_NS, SDSIM_PROTOCOL,
                           SDSIM_PART_TOKEN, about);
        for (int chunk = 0; chunk < 4; chunk++) {
            sdsim_bench_record(timeline, SDSIM_LANE_BUS, *now + 400 * SDSIM_NS, 51200 * SDSIM_NS,
                               SDSIM_PAYLOAD, SDSIM_PART_DATA, about);
            *now += 51600 * SDSIM_NS;
            sdsim_bench_record(timeline, SDSIM_LANE_BUS, *now, 300 * SDSIM_NS, SDSIM_GAP,
                               SDSIM_PART_DATA, about);
        }
        *now += 400 * SDSIM_NS;
        sdsim_bench_record(timeline, SDSIM_LANE_BUS, *now, 800 * SDSIM_NS, SDSIM_PROTOCOL,
                           SDSIM_PART_CRC, about);
        *now += 800 * SDSIM_NS;
        const bool pause = sdsim_rng_below(rng, 20000) == 0;
        const sdsim_ps busy = 20 * SDSIM_US + luck;
        sdsim_bench_record(timeline, SDSIM_LANE_BUS, *now, busy, SDSIM_POLL, SDSIM_PART_LOOKS, 0);
        sdsim_bench_record(timeline, SDSIM_LANE_CARD, *now, busy, SDSIM_BUSY, 0, about);
        sdsim_bench_record(timeline, SDSIM_LANE_FLASH, *now, busy, SDSIM_BUSY, 0, 0);
        *now += busy;
        if (pause) {
            sdsim_bench_record(timeline, SDSIM_LANE_CARD, *now, 90 * SDSIM_MS + luck, SDSIM_PAUSE,
                               0, about);
            *now += 90 * SDSIM_MS + luck;
        }
    }
    sdsim_bench_record(timeline, SDSIM_LANE_COMMAND, start, *now - start, SDSIM_HOST,
                       SDSIM_GROUP_WRITE, about);
    sdsim_bench_record(timeline, SDSIM_LANE_DISK, start, *now - start, SDSIM_HOST, SDSIM_CALL_WRITE,
                       about);
    sdsim_bench_record(timeline, SDSIM_LANE_FILE, start, *now - start, SDSIM_HOST, SDSIM_CALL_WRITE,
                       what);
    sdsim_bench_record(timeline, SDSIM_LANE_TASK, start, *now - start, SDSIM_HOST, SDSIM_CALL_WRITE,
                       what);
    const struct sdsim_detail level = {
        .kind = SDSIM_DETAIL_LEVEL, .place = 512 * (number % 17), .size = 8192, .name = "bytes"};
    sdsim_bench_record(timeline, SDSIM_LANE_QUEUE, start, *now - start, SDSIM_PAYLOAD,
                       (uint8_t)(number % 17 * 10 / 16),
                       timeline->recorder.detail(&timeline->recorder, &level));
    *now += sdsim_rng_below(rng, 10 * SDSIM_US);
}

static inline void sdsim_bench_fill(struct sdsim_timeline *timeline, uint64_t spans)
{
    struct sdsim_rng rng;
    sdsim_ps now = 0;
    uint32_t number = 0;
    sdsim_rng_seed(&rng, 1);
    while (sdsim_timeline_spans(timeline) < spans) {
        sdsim_bench_transaction(timeline, &rng, &now, number++);
    }
}

/* Where a bench puts its file: in TMPDIR, by a name of its own. */
static inline void sdsim_bench_path(char *path, size_t size)
{
    const char *folder = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    snprintf(path, size, "%s/sdsim-bench-%ld.sdtl", folder, (long)getpid());
}

/* Records so many spans into a file; how many there are, or 0 after a message. */
static inline uint64_t sdsim_bench_write(const char *path, uint64_t spans)
{
    struct sdsim_timeline timeline;
    char why[200] = "can't be written";
    uint64_t written = 0;
    FILE *file = fopen(path, "wb");
    sdsim_timeline_init(&timeline);
    struct sdsim_timeline_writer *writer =
        file != NULL ? sdsim_timeline_writer_open(file, &timeline, why, sizeof why) : NULL;
    if (writer != NULL) {
        sdsim_bench_fill(&timeline, spans);
        written = sdsim_timeline_spans(&timeline);
        if (!sdsim_timeline_writer_close(writer, why, sizeof why)) {
            written = 0;
        }
    }
    if (written == 0) {
        printf("  %s: %s\n", path, why);
    }
    if (file != NULL) {
        fclose(file);
    }
    sdsim_timeline_free(&timeline);
    return written;
}

/* main(): for 1 and 100 million spans, or as many million as the first argument says. */
static inline int sdsim_bench_timelines(int argc, char **argv, void (*in_memory)(uint64_t spans),
                                        void (*from_a_file)(uint64_t spans))
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

#endif

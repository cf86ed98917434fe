/*
 * How fast block traces are read: text without and with times, binary, and binary compressed with
 * zstd, from a file; and what memory reading takes.
 */
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include "bench.h"
#include "core/rng.h"
#include "trace/binary.h"
#include "trace/blocks_text.h"

enum {
    RECORDS = 5000000,
    RUNS = 9,
};

struct job {
    const char *name;
    struct sdsim_block_source *(*open)(struct sdsim_input *input);
    struct sdsim_block_sink *(*sink)(FILE *out);
    bool timed;
    bool packed;
    double target; /* million records a second */
    char path[64];
    uint64_t bytes;
};

static void check(bool fine, const char *what)
{
    if (!fine) {
        fprintf(stderr, "%s failed\n", what);
        exit(EXIT_FAILURE);
    }
}

/* A logger: appends of 64 sectors, now and then a directory entry and a FAT sector. */
static void make(struct sdsim_block_record *record, uint64_t i, bool timed, struct sdsim_rng *rng)
{
    static _Thread_local sdsim_ps now;
    const bool metadata = i % 16 == 15;
    *record = (struct sdsim_block_record){
        .start = now,
        .duration = 300 * SDSIM_US + sdsim_rng_below(rng, 50000) * SDSIM_NS,
        .lba = metadata ? 8192 + (uint32_t)(i % 3) : 32768 + (uint32_t)(i % 1000000) * 64,
        .count = metadata ? 1 : 64,
        .repeat = 1,
        .label = timed ? (metadata ? 2 : 1) : 0,
        .kind = SDSIM_TRACE_WRITE,
        .flags = timed ? SDSIM_TRACE_HAS_START | SDSIM_TRACE_HAS_DURATION : 0,
    };
    now += record->duration + 20 * SDSIM_US;
}

static void pack(const char *path)
{
    char packed[80];
    snprintf(packed, sizeof packed, "%s.zst", path);
    FILE *in = fopen(path, "rb");
    FILE *out = fopen(packed, "wb");
    check(in != NULL && out != NULL, "opening");
    fseek(in, 0, SEEK_END);
    const size_t size = (size_t)ftell(in);
    rewind(in);
    char *bytes = malloc(size);
    const size_t room = ZSTD_compressBound(size);
    char *small = malloc(room);
    check(bytes != NULL && small != NULL && fread(bytes, 1, size, in) == size, "reading");
    const size_t length = ZSTD_compress(small, room, bytes, size, 3);
    check(!ZSTD_isError(length) && fwrite(small, 1, length, out) == length, "packing");
    fclose(in);
    fclose(out);
    free(bytes);
    free(small);
    check(rename(packed, path) == 0, "renaming");
}

static void prepare(struct job *job)
{
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 1);
    snprintf(job->path, sizeof job->path, "/tmp/sdsim-bench-%ld.trace", (long)getpid());
    FILE *out = fopen(job->path, "wb");
    check(out != NULL, "opening");
    struct sdsim_block_sink *sink = job->sink(out);
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    for (uint64_t i = 0; i < RECORDS; i++) {
        struct sdsim_block_record record;
        make(&record, i, job->timed, &rng);
        check(sink->put(sink, info, &record, 1), "writing");
    }
    check(sink->finish(sink), "writing");
    sdsim_trace_info_free(info);
    fclose(out);
    if (job->packed) {
        pack(job->path);
    }
    FILE *in = fopen(job->path, "rb");
    check(in != NULL && fseek(in, 0, SEEK_END) == 0, "reading");
    job->bytes = (uint64_t)ftell(in);
    fclose(in);
}

static void read_all(void *context)
{
    static struct sdsim_block_record records[1024];
    const struct job *job = context;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_input *input = sdsim_input_open(job->path, &diags);
    struct sdsim_block_source *source = input != NULL ? job->open(input) : NULL;
    check(source != NULL, "opening");
    uint64_t count = 0;
    size_t got;
    while ((got = source->next(source, records, 1024)) > 0) {
        count += got;
    }
    sdsim_diags_print(&diags, stderr);
    check(count == RECORDS && !source->failed, "reading");
    source->close(source);
    sdsim_diags_free(&diags);
}

int main(void)
{
    struct job jobs[] = {
        {"text", sdsim_blocks_text_open, sdsim_blocks_text_sink, false, false, 30, "", 0},
        {"text with times and labels", sdsim_blocks_text_open, sdsim_blocks_text_sink, true, false,
         30, "", 0},
        {"binary", sdsim_binary_open, sdsim_binary_sink, false, false, 200, "", 0},
        {"binary with times and labels", sdsim_binary_open, sdsim_binary_sink, true, false, 200, "",
         0},
        {"binary with times and labels, zstd", sdsim_binary_open, sdsim_binary_sink, true, true, 40,
         "", 0},
    };
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        prepare(&jobs[i]);
        const struct sdsim_bench_result result = sdsim_bench_run(read_all, &jobs[i], RUNS);
        printf("%-36s %7.1f million records/s (best %.1f, target %.0f), %5.2f bytes each\n",
               jobs[i].name, RECORDS / result.median / 1e6, RECORDS / result.min / 1e6,
               jobs[i].target, (double)jobs[i].bytes / RECORDS);
        unlink(jobs[i].path);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("most memory (packing counts too): %ld KiB\n", usage.ru_maxrss);
    return 0;
}

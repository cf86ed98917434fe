/*
 * How fast the libraries for FAT and exFAT run without a bus: appending and reading a file of 1 GiB
 * in calls of one sector, of 100 bytes and of 32 KiB, per engine; and what memory it takes.
 */
#include <sys/resource.h>

#include "bench.h"
#include "fat/engines.h"
#include "fat/file.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"

enum {
    CARD_SECTORS = 16 << 21, /* 16 GiB */
    RUNS = 3,
};

#define FILE_BYTES ((uint64_t)1 << 30)

struct job {
    const struct sdsim_engine *engine;
    const struct sdsim_mkfs *volume;
    uint64_t call; /* bytes */
    bool read;
    double seconds; /* without making the volume */
};

static void check(bool fine, const char *what)
{
    if (!fine) {
        fprintf(stderr, "%s failed\n", what);
        exit(EXIT_FAILURE);
    }
}

static void append(struct sdsim_file *file, uint64_t call)
{
    sdsim_ps now = 0;
    for (uint64_t at = 0; at + call <= FILE_BYTES; at += call) {
        const struct sdsim_content content = {
            .kind = SDSIM_CONTENT_GENERATED, .seed = 1, .offset = at};
        uint64_t done;
        check(sdsim_file_write(file, &now, &content, call, &done) == SDSIM_FAT_OK && done == call,
              "a write");
    }
}

static void read_all(struct sdsim_file *file, uint64_t call)
{
    sdsim_ps now = 0;
    uint64_t done = 1;
    while (done > 0) {
        check(sdsim_file_read(file, &now, call, NULL, &done) == SDSIM_FAT_OK, "a read");
    }
}

static void run(struct job *job)
{
    struct sdsim_medium *medium = sdsim_medium_create(CARD_SECTORS, 0);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    check(medium != NULL && sdsim_mkfs(medium, job->volume, &diags), "making the volume");
    sdsim_diags_free(&diags);
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    struct sdsim_volume volume = {0};
    struct sdsim_file file;
    sdsim_ps now = 0;
    check(sdsim_volume_mount(&volume, &disk, &job->engine->config, &now) == SDSIM_FAT_OK &&
              sdsim_file_open(&file, &volume, &now, "/LOG.BIN", SDSIM_OPEN_WRITE) == SDSIM_FAT_OK,
          "opening the file");
    double start = sdsim_bench_now();
    append(&file, job->read ? 32768 : job->call);
    check(sdsim_file_close(&file, &now) == SDSIM_FAT_OK, "closing the file");
    if (job->read) {
        start = sdsim_bench_now();
        check(sdsim_file_open(&file, &volume, &now, "/LOG.BIN", SDSIM_OPEN_READ) == SDSIM_FAT_OK,
              "opening the file");
        read_all(&file, job->call);
        check(sdsim_file_close(&file, &now) == SDSIM_FAT_OK, "closing the file");
    }
    job->seconds = sdsim_bench_now() - start;
    sdsim_medium_destroy(medium);
}

static void print_median(struct job *job)
{
    double seconds[RUNS];
    for (size_t i = 0; i < RUNS; i++) {
        run(job);
        seconds[i] = job->seconds;
    }
    const double median = sdsim_bench_median(seconds, RUNS);
    printf("  %-20s %-5s %9.1f ms %8.1f ns a call\n", job->engine->name,
           job->read ? "read" : "write", median * 1e3,
           median / ((double)FILE_BYTES / (double)job->call) * 1e9);
}

static void by_engine(const char *title, const struct sdsim_mkfs *volume, uint64_t call)
{
    static const char *const engines[] = {"esp-idf", "circuitpython", "sdfat-one-cache",
                                          "sdfat-two-caches", "arduino-classic"};
    printf("\n%s, %llu-byte calls (1 GiB, median of %d runs)\n", title, (unsigned long long)call,
           RUNS);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        struct job job = {.engine = sdsim_engine_find(engines[i]), .volume = volume, .call = call};
        check(job.engine != NULL, "finding an engine");
        if (volume->type == SDSIM_EXFAT && !job.engine->config.exfat) {
            continue;
        }
        print_median(&job);
        job.read = true;
        print_median(&job);
    }
}

int main(void)
{
    const struct sdsim_mkfs fat32 = {.type = SDSIM_FAT32, .cluster_bytes = 32768};
    const struct sdsim_mkfs exfat = {.type = SDSIM_EXFAT, .cluster_bytes = 131072};
    by_engine("FAT32, 32 KiB clusters", &fat32, 512);
    by_engine("FAT32, 32 KiB clusters", &fat32, 32768);
    by_engine("FAT32, 32 KiB clusters", &fat32, 100);
    by_engine("exFAT, 128 KiB clusters", &exfat, 512);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("\npeak memory %.1f MiB\n", (double)usage.ru_maxrss / 1024);
    return 0;
}

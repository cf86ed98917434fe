/*
 * How many sectors of raw transfer the fast port simulates a second, with the full account, per driver,
 * direction and call size; how that grows from 10^4 to 10^9 sectors; and what memory it takes.
 */
#include <sys/resource.h>

#include "bench.h"
#include "driver/driver.h"

enum {
    CARD_SECTORS_SHIFT = 30, /* 512 GiB: a billion sectors without wrapping */
    RUNS = 5,
};

/* An A2-class card; the values don't matter here, that none of them is zero does. */
static const struct sdsim_card_params card_params = {
    .type = SDSIM_SDXC,
    .capacity = (uint64_t)512 << CARD_SECTORS_SHIFT,
    .spi_hz = 25000000,
    .high_hz = 50000000,
    .n_cr = 1,
    .n_ac = 1,
    .n_br = 1,
    .n_cr_clocks = 4,
    .init_time = 100 * SDSIM_MS,
    .flash = {.rd1 = 200 * SDSIM_US,
              .rdpg = 60 * SDSIM_US,
              .w1 = 540 * SDSIM_US,
              .wn = SDSIM_US,
              .wpg = 200 * SDSIM_US,
              .wstop = 300 * SDSIM_US,
              .page_bytes = 49152,
              .pause_every = 20000000,
              .pause_length = 8 * SDSIM_MS,
              .rare_every = 14300000000,
              .rare_length = 110 * SDSIM_MS,
              .busy_limit = 250 * SDSIM_MS,
              .rd_folded = 3 * SDSIM_US,
              .au_bytes = 8388608,
              .open_aus = 16,
              .move_rate = 350000000,
              .au_erase = 3 * SDSIM_MS,
              .rand = SDSIM_MS,
              .cache_bytes = 500000000,
              .fold_rate = 30000000,
              .drain_rate = 30000000},
};

struct job {
    enum sdsim_driver_code code;
    bool write;
    uint32_t call; /* sectors */
    uint64_t sectors;
    uint64_t checked; /* virtual time, so that nothing is optimised away */
};

static void transfer(void *context)
{
    struct job *job = context;
    const struct sdsim_driver_class *class = sdsim_driver_class(job->code);
    const struct sdsim_driver_params params = {.code = (int)job->code, .status_after_write = 1};
    const struct sdsim_driver_costs costs = {.call = 5 * SDSIM_US,
                                             .transfer = 2 * SDSIM_US,
                                             .bulk = 20 * SDSIM_US,
                                             .chunk = job->code == SDSIM_DRIVER_ARDUINO_SD ? 64 : 0,
                                             .chunk_gap = 5 * SDSIM_US,
                                             .crc16 = 20 * SDSIM_US,
                                             .command = 20 * SDSIM_US,
                                             .wake = 30 * SDSIM_US};
    const struct sdsim_driver_clocks clocks = {
        .init_num = 400000, .init_den = 1, .num = class->spi ? 20000000 : 40000000, .den = 1};
    struct sdsim_medium *medium = sdsim_medium_create((uint32_t)1 << CARD_SECTORS_SHIFT, 0);
    struct sdsim_card card;
    struct sdsim_meter meter = {.recorder = NULL};
    struct sdsim_port port;
    struct sdsim_driver driver;
    sdsim_ps now = 0;
    if (medium == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(EXIT_FAILURE);
    }
    sdsim_card_init(&card, &card_params, medium, 1, 0);
    sdsim_fast_init(&port, class->spi ? SDSIM_BUS_SPI : SDSIM_BUS_SD4, &card, &meter);
    sdsim_driver_attach(&driver, &params, &costs, &port, &clocks, true);
    bool fine = sdsim_driver_init(&driver, &now) == SDSIM_DRIVER_OK;
    for (uint64_t lba = 0; lba < job->sectors && fine; lba += job->call) {
        if (job->write) {
            const struct sdsim_content content = {
                .kind = SDSIM_CONTENT_GENERATED, .seed = 1, .offset = lba * SDSIM_SECTOR};
            fine = sdsim_driver_write(&driver, &now, (uint32_t)lba, job->call, SDSIM_FOR_DATA,
                                      &content) == SDSIM_DRIVER_OK;
        } else {
            fine = sdsim_driver_read(&driver, &now, (uint32_t)lba, job->call, SDSIM_FOR_DATA,
                                     NULL) == SDSIM_DRIVER_OK;
        }
    }
    if (!fine || sdsim_account_total(&meter.account) != now) {
        fprintf(stderr, "%s: the run failed\n", class->name);
        exit(EXIT_FAILURE);
    }
    job->checked = now;
    sdsim_medium_destroy(medium);
}

static void by_driver(uint32_t call)
{
    printf("\n%u-sector calls (2 million sectors, median of %d runs)\n", (unsigned)call, RUNS);
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        for (int write = 0; write < 2; write++) {
            struct job job = {.code = (enum sdsim_driver_code)code,
                              .write = write != 0,
                              .call = call,
                              .sectors = 2000000};
            const struct sdsim_bench_result result = sdsim_bench_run(transfer, &job, RUNS);
            const double calls = (double)job.sectors / call;
            printf("  %-24s %-5s %7.1f Msectors/s %8.1f ns a call\n",
                   sdsim_driver_class(job.code)->name, write != 0 ? "write" : "read",
                   (double)job.sectors / result.median / 1e6, result.median / calls * 1e9);
        }
    }
}

static void by_length(void)
{
    printf("\nesp-idf-sdspi write, 128-sector calls, by length\n");
    for (uint64_t sectors = 10000; sectors <= 1000000000; sectors *= 10) {
        struct job job = {.code = SDSIM_DRIVER_IDF_SDSPI,
                          .write = true,
                          .call = 128,
                          .sectors = sectors / 128 * 128};
        const struct sdsim_bench_result result =
            sdsim_bench_run(transfer, &job, sectors > 100000000 ? 1 : RUNS);
        printf("  %11llu sectors %10.3f ms %8.3f ns a sector\n", (unsigned long long)sectors,
               result.median * 1e3, result.median / (double)job.sectors * 1e9);
    }
}

int main(void)
{
    by_driver(128);
    by_driver(8);
    by_length();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("\npeak memory %.1f MiB\n", (double)usage.ru_maxrss / 1024);
    return 0;
}

/*
 * How fast the byte-exact and the bit-exact card are, on one core: bytes over SPI, clocks in 4-bit
 * mode, blocks with real data whose check sums are all made by one side and checked by the other.
 *
 * Everything goes through the card: commands, responses, busy and data are those of a transfer that
 * a driver would make, and what comes back is looked at.
 */
#include <string.h>

#include "bench.h"
#include "card/sd_pins.h"
#include "card/spi_pins.h"
#include "core/crc.h"

enum {
    RUNS = 9,
    SECTORS = 1 << 17,
    BLOCKS = 2000, /* of a transfer */
    POLLS = 64,    /* looks behind each block, in the mix */
    SPI_BLOCK = SDSIM_SECTOR + 2,
    SD_CLOCKS = 1 + 2 * SDSIM_SECTOR + 16 + 1,
};

static const struct sdsim_card_params card_params = {
    .type = SDSIM_SDHC,
    .capacity = (uint64_t)SECTORS * SDSIM_SECTOR,
    .n_cr = 1,
    .n_ac = 1,
    .n_br = 1,
    .n_cr_clocks = 4,
    .flash = {.rd1 = SDSIM_US, .wstop = SDSIM_US, .w1 = SDSIM_US, .page_bytes = 65536},
};

struct bench {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_spi_pins spi;
    struct sdsim_sd_pins sd;
    struct sdsim_clock clock;
    sdsim_ps now;
    bool many; /* in batches, or one by one */
    uint64_t things;
};

static void check(bool fine, const char *what)
{
    if (!fine) {
        fprintf(stderr, "%s failed\n", what);
        exit(EXIT_FAILURE);
    }
}

static void open_card(struct bench *bench)
{
    static uint8_t bytes[BLOCKS * SDSIM_SECTOR];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 131 + (i >> 9) * 7);
    }
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = bytes};
    bench->medium = sdsim_medium_create(SECTORS, 0);
    check(bench->medium != NULL && sdsim_medium_write(bench->medium, 0, BLOCKS, &content),
          "the medium");
    sdsim_card_init(&bench->card, &card_params, bench->medium, 1, 0);
    sdsim_spi_pins_init(&bench->spi, &bench->card);
    sdsim_sd_pins_init(&bench->sd, &bench->card);
    sdsim_clock_set(&bench->clock, 50000000, 1);
}

/* ---- SPI ---- */

static uint8_t one_byte(struct bench *bench, uint8_t mosi)
{
    const sdsim_ps end = bench->now + sdsim_clock_take(&bench->clock, 8);
    const uint8_t miso = sdsim_spi_exchange(&bench->spi, bench->now, end, mosi);
    bench->now = end;
    return miso;
}

static void spi_bytes(struct bench *bench, const uint8_t *mosi, uint8_t *miso, size_t count)
{
    if (bench->many) {
        sdsim_spi_exchange_many(&bench->spi, &bench->now, &bench->clock, mosi, miso, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t byte = one_byte(bench, mosi != NULL ? mosi[i] : (uint8_t)0xFF);
        if (miso != NULL) {
            miso[i] = byte;
        }
    }
}

/* A command; returns R1. */
static uint8_t spi_command(struct bench *bench, uint8_t index, uint32_t argument)
{
    uint8_t frame[6] = {(uint8_t)(0x40 | index), (uint8_t)(argument >> 24),
                        (uint8_t)(argument >> 16), (uint8_t)(argument >> 8), (uint8_t)argument};
    frame[5] = sdsim_crc7_byte(frame, 5);
    spi_bytes(bench, frame, NULL, sizeof frame);
    uint8_t r1 = 0xFF;
    for (int i = 0; i < 9 && r1 == 0xFF; i++) {
        r1 = one_byte(bench, 0xFF);
    }
    return r1;
}

static void spi_until(struct bench *bench, uint8_t byte)
{
    unsigned looks = 0;
    while (one_byte(bench, 0xFF) != byte) {
        check(++looks < 100000, "waiting");
    }
}

static void spi_init(struct bench *bench)
{
    open_card(bench);
    sdsim_spi_select(&bench->spi, true);
    (void)spi_command(bench, 0, 0);
    (void)spi_command(bench, 8, 0x1AA);
    for (int i = 0; i < 4; i++) {
        (void)one_byte(bench, 0xFF);
    }
    (void)spi_command(bench, 55, 0);
    check(spi_command(bench, 41, SDSIM_OCR_CCS) == 0, "ACMD41");
    check(spi_command(bench, 59, 1) == 0, "CMD59");
}

/* Reads blocks, with so many idle bytes behind each. */
static void spi_read(struct bench *bench, unsigned idle)
{
    uint8_t block[SPI_BLOCK];
    uint8_t looks[POLLS];
    check(spi_command(bench, 18, 0) == 0, "CMD18");
    for (unsigned i = 0; i < BLOCKS; i++) {
        spi_until(bench, 0xFE);
        spi_bytes(bench, NULL, block, sizeof block);
        check(sdsim_crc16(block, SDSIM_SECTOR) ==
                  (block[SDSIM_SECTOR] << 8 | block[SDSIM_SECTOR + 1]),
              "a check sum");
        sdsim_spi_select(&bench->spi, idle == 0);
        spi_bytes(bench, NULL, looks, idle);
        sdsim_spi_select(&bench->spi, true);
    }
    (void)spi_command(bench, 12, 0);
    bench->things += BLOCKS;
}

/* Writes blocks, with so many looks at a ready card behind each. */
static void spi_write(struct bench *bench, unsigned idle)
{
    uint8_t block[1 + SPI_BLOCK];
    uint8_t looks[POLLS];
    block[0] = 0xFC;
    memset(block + 1, 0x5A, SDSIM_SECTOR);
    check(spi_command(bench, 25, 4096) == 0, "CMD25");
    for (unsigned i = 0; i < BLOCKS; i++) {
        block[1] = (uint8_t)i;
        const uint16_t crc = sdsim_crc16(block + 1, SDSIM_SECTOR);
        block[SDSIM_SECTOR + 1] = (uint8_t)(crc >> 8);
        block[SDSIM_SECTOR + 2] = (uint8_t)crc;
        spi_bytes(bench, block, NULL, sizeof block);
        check((one_byte(bench, 0xFF) & 0x1F) == 0x05, "a block");
        spi_until(bench, 0xFF);
        spi_bytes(bench, NULL, looks, idle);
    }
    (void)one_byte(bench, 0xFD);
    (void)one_byte(bench, 0xFF);
    spi_until(bench, 0xFF);
    bench->things += BLOCKS;
}

static void spi_mix(void *context)
{
    struct bench *bench = context;
    spi_read(bench, POLLS);
    spi_write(bench, POLLS);
}

static void spi_reads(void *context)
{
    spi_read(context, 0);
}

static void spi_writes(void *context)
{
    spi_write(context, 0);
}

/* ---- SD, four lines ---- */

static void sd_clocks(struct bench *bench, const struct sdsim_sd_lines *host,
                      struct sdsim_sd_lines *bus, size_t count)
{
    if (bench->many) {
        sdsim_sd_clock_many(&bench->sd, &bench->now, &bench->clock, host, bus, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const sdsim_ps end = bench->now + sdsim_clock_take(&bench->clock, 1);
        bus[i] =
            sdsim_sd_clock(&bench->sd, bench->now, end, host != NULL ? host[i] : SDSIM_SD_RELEASED);
        bench->now = end;
    }
}

/* A command and the clocks of its response; returns bits 39..8 of that. */
static uint32_t sd_command(struct bench *bench, uint8_t index, uint32_t argument)
{
    uint8_t frame[6] = {(uint8_t)(0x40 | index), (uint8_t)(argument >> 24),
                        (uint8_t)(argument >> 16), (uint8_t)(argument >> 8), (uint8_t)argument};
    frame[5] = sdsim_crc7_byte(frame, 5);
    struct sdsim_sd_lines lines[48 + 5 + 136];
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        const uint8_t bit = i < 48 ? frame[i / 8] >> (7 - i % 8) & 1 : 1;
        lines[i] = (struct sdsim_sd_lines){.cmd = bit, .dat = 0xF};
    }
    const bool data = index == 18; /* its block begins soon */
    const unsigned clocks = index == 2 ? 48 + 5 + 136 : 48 + 5 + 48;
    sd_clocks(bench, lines, lines, data ? 48 : clocks);
    uint32_t word = 0;
    unsigned at = 48;
    while (!data && at < clocks && lines[at].cmd != 0) {
        at++;
    }
    for (unsigned i = at + 8; !data && i < at + 40 && i < clocks; i++) {
        word = word << 1 | lines[i].cmd;
    }
    return word;
}

static void sd_init(struct bench *bench)
{
    open_card(bench);
    (void)sd_command(bench, 0, 0);
    (void)sd_command(bench, 8, 0x1AA);
    for (int i = 0; i < 2; i++) {
        (void)sd_command(bench, 55, 0);
        (void)sd_command(bench, 41, SDSIM_OCR_CCS | SDSIM_OCR_VOLTAGES);
    }
    (void)sd_command(bench, 2, 0);
    const uint32_t rca = sd_command(bench, 3, 0) & 0xFFFF0000u;
    (void)sd_command(bench, 7, rca);
    (void)sd_command(bench, 55, rca);
    (void)sd_command(bench, 6, 2);
    check(bench->card.state == SDSIM_CARD_TRANSFER && bench->card.width == 4, "identification");
}

static uint64_t word_of(const uint8_t *bytes)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++) {
        word = word << 8 | bytes[i];
    }
    return word;
}

static void sd_read(void *context)
{
    struct bench *bench = context;
    struct sdsim_sd_lines lines[SD_CLOCKS];
    uint8_t block[SDSIM_SECTOR + 8];
    (void)sd_command(bench, 18, 0);
    for (unsigned i = 0; i < BLOCKS; i++) {
        unsigned looks = 0;
        do {
            sd_clocks(bench, NULL, lines, 1);
            check(++looks < 100000, "waiting");
        } while (lines[0].dat != 0);
        sd_clocks(bench, NULL, lines, SD_CLOCKS - 1);
        sdsim_sd_lines_bytes(lines, sizeof block, block);
        check(sdsim_crc16_four(block, SDSIM_SECTOR) == word_of(block + SDSIM_SECTOR),
              "a check sum");
        bench->things += SD_CLOCKS + looks;
    }
    (void)sd_command(bench, 12, 0);
}

static void sd_write(void *context)
{
    struct bench *bench = context;
    struct sdsim_sd_lines lines[SD_CLOCKS];
    struct sdsim_sd_lines status[8];
    uint8_t block[SDSIM_SECTOR + 8];
    memset(block, 0xA5, SDSIM_SECTOR);
    (void)sd_command(bench, 25, 4096);
    for (unsigned i = 0; i < BLOCKS; i++) {
        block[0] = (uint8_t)i;
        const uint64_t crc = sdsim_crc16_four(block, SDSIM_SECTOR);
        for (unsigned b = 0; b < 8; b++) {
            block[SDSIM_SECTOR + b] = (uint8_t)(crc >> (56 - 8 * b));
        }
        lines[0] = (struct sdsim_sd_lines){.cmd = 1, .dat = 0};
        sdsim_sd_lines_of(block, sizeof block, lines + 1);
        lines[SD_CLOCKS - 1] = SDSIM_SD_RELEASED;
        sd_clocks(bench, lines, lines, SD_CLOCKS);
        sd_clocks(bench, NULL, status, 8);
        check((status[2].dat & 1) == 0 && (status[4].dat & 1) == 1, "a block");
        bench->things += SD_CLOCKS + 8;
    }
    (void)sd_command(bench, 12, 0);
    sd_clocks(bench, NULL, lines, 200);
}

/* ---- ---- */

/* How many things one run is. */
static double per_run(struct bench *bench, void (*work)(void *))
{
    bench->things = 0;
    work(bench);
    return (double)bench->things;
}

static void bench_spi(const char *name, void (*work)(void *), bool many, bool bytes)
{
    struct bench bench = {.many = many};
    spi_init(&bench);
    const sdsim_ps start = bench.now;
    double things = per_run(&bench, work);
    if (bytes) {
        things = (double)((bench.now - start) / sdsim_clock_peek(&bench.clock, 8));
    }
    const struct sdsim_bench_result result = sdsim_bench_run(work, &bench, RUNS);
    sdsim_bench_print(name, &result, things, bytes ? "bytes" : "sectors");
    sdsim_medium_destroy(bench.medium);
}

static void bench_sd(const char *name, void (*work)(void *), bool many, bool clocks)
{
    struct bench bench = {.many = many};
    sd_init(&bench);
    double things = per_run(&bench, work);
    things = clocks ? things : BLOCKS;
    const struct sdsim_bench_result result = sdsim_bench_run(work, &bench, RUNS);
    sdsim_bench_print(name, &result, things, clocks ? "clocks" : "sectors");
    sdsim_medium_destroy(bench.medium);
}

static uint8_t sums[64][SDSIM_SECTOR];

static void check_sums_one_line(void *context)
{
    uint64_t *sum = context;
    for (unsigned i = 0; i < 6400; i++) {
        *sum += sdsim_crc16(sums[i % 64], SDSIM_SECTOR);
    }
}

static void check_sums_four_lines(void *context)
{
    uint64_t *sum = context;
    for (unsigned i = 0; i < 6400; i++) {
        *sum += sdsim_crc16_four(sums[i % 64], SDSIM_SECTOR);
    }
}

int main(void)
{
    bench_spi("SPI, data and looks, by bytes", spi_mix, false, true);
    bench_spi("SPI, data and looks, in batches", spi_mix, true, true);
    bench_spi("SPI, read, CRC made and checked", spi_reads, true, false);
    bench_spi("SPI, write, CRC made and checked", spi_writes, true, false);
    bench_sd("SD 4-bit, read, by clocks", sd_read, false, true);
    bench_sd("SD 4-bit, read, in batches", sd_read, true, true);
    bench_sd("SD 4-bit, write, in batches", sd_write, true, true);
    bench_sd("SD 4-bit, read, CRC checked", sd_read, true, false);
    bench_sd("SD 4-bit, write, CRC checked", sd_write, true, false);
    for (size_t i = 0; i < sizeof sums; i++) {
        sums[i / SDSIM_SECTOR][i % SDSIM_SECTOR] = (uint8_t)(i * 37 + i / 11);
    }
    uint64_t sum = 0;
    struct sdsim_bench_result result = sdsim_bench_run(check_sums_one_line, &sum, RUNS);
    sdsim_bench_print("CRC16, one line", &result, 6400, "sectors");
    result = sdsim_bench_run(check_sums_four_lines, &sum, RUNS);
    sdsim_bench_print("CRC16, four lines", &result, 6400, "sectors");
    return sum == 0; /* used */
}

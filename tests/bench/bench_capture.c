/*
 * How fast captures become commands, blocks and verdicts on check sums: sigrok sessions in samples a
 * second, VCD in bytes a second, for a busy SPI bus and a busy 4-bit SD bus; and what memory it
 * takes. The captures are generated. With arguments, it reads those files instead.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../sd_wave.h"
#include "../sr_file.h"
#include "bench.h"
#include "capture/capture.h"
#include "capture/summary.h"
#include "capture/wave_file.h"
#include "core/crc.h"

enum { RUNS = 5, SPI_READS = 1200, SD_READS = 400, SD_BLOCKS = 16 };

static void check(bool fine, const char *what)
{
    if (!fine) {
        fprintf(stderr, "%s failed\n", what);
        exit(EXIT_FAILURE);
    }
}

struct job {
    const char *path;
    uint64_t ticks;
    uint64_t blocks;
    uint64_t right;
    uint64_t commands;
};

static void decode(void *context)
{
    struct job *job = context;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_capture *capture = sdsim_capture_open(job->path, NULL, &diags);
    sdsim_diags_print(&diags, stderr);
    check(capture != NULL, "opening");
    struct sdsim_summary *summary = sdsim_summary_new(capture->roles.bus == SDSIM_CAPTURE_SPI);
    check(summary != NULL, "memory");
    sdsim_capture_attach(capture, &summary->items, &summary->bytes);
    while (sdsim_capture_step(capture) == SDSIM_PINS_MORE) {
    }
    sdsim_summary_end(summary);
    job->ticks = sdsim_pins_end(capture->pins);
    job->commands = summary->commands;
    job->blocks = summary->crc16.checked;
    job->right = summary->crc16.right;
    sdsim_summary_free(summary);
    sdsim_capture_close(capture);
    sdsim_diags_free(&diags);
}

/* What one core should do: millions of samples of a session, and of bytes of a VCD, a second. */
enum { TARGET = 200 };

static void print(const char *name, struct job *job, double things, const char *unit)
{
    const struct sdsim_bench_result result = sdsim_bench_run(decode, job, RUNS);
    printf("  %-35s %5.0f M%s/s (target %d), %llu commands, %llu of %llu blocks right\n", name,
           (things > 0 ? things : (double)job->ticks) / result.median / 1e6, unit, TARGET,
           (unsigned long long)job->commands, (unsigned long long)job->right,
           (unsigned long long)job->blocks);
}

/* ---- what is recorded ---- */

/* A byte of SPI: the clock in the middle of each bit. */
static void spi_byte(struct sdsim_wave_sink *sink, sdsim_ps *now, sdsim_ps bit, unsigned mosi,
                     unsigned miso)
{
    for (unsigned i = 8; i-- > 0;) {
        const unsigned lines =
            (mosi >> i & 1 ? SDSIM_WAVE_MOSI : 0u) | (miso >> i & 1 ? SDSIM_WAVE_MISO : 0u);
        sink->levels(sink, *now, lines);
        sink->levels(sink, *now + bit / 2, lines | SDSIM_WAVE_SCK);
        *now += bit;
    }
}

static void spi_bytes(struct sdsim_wave_sink *sink, sdsim_ps *now, sdsim_ps bit,
                      const uint8_t *mosi, const uint8_t *miso, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        spi_byte(sink, now, bit, mosi != NULL ? mosi[i] : 0xFF, miso != NULL ? miso[i] : 0xFF);
    }
}

/* CMD17 again and again, with hardly a pause. */
static sdsim_ps spi_wave(struct sdsim_wave_sink *sink, sdsim_ps bit)
{
    sdsim_ps now = 0;
    uint8_t block[515] = {0xFE};
    sink->levels(sink, now, SDSIM_WAVE_CS | SDSIM_WAVE_MOSI | SDSIM_WAVE_MISO);
    now += 10 * bit;
    for (uint32_t i = 0; i < SPI_READS; i++) {
        uint8_t frame[6] = {0x51, 0, 0, (uint8_t)(i >> 8), (uint8_t)i, 0};
        static const uint8_t answer[] = {0xFF, 0x00};
        frame[5] = sdsim_crc7_byte(frame, 5);
        sdsim_generate(1, i * UINT64_C(512), block + 1, 512);
        const uint16_t crc = sdsim_crc16(block + 1, 512);
        block[513] = (uint8_t)(crc >> 8);
        block[514] = (uint8_t)crc;
        sink->levels(sink, now, SDSIM_WAVE_MOSI | SDSIM_WAVE_MISO);
        now += bit;
        spi_bytes(sink, &now, bit, frame, NULL, 6);
        spi_bytes(sink, &now, bit, NULL, answer, 2);
        spi_bytes(sink, &now, bit, NULL, NULL, 8);
        spi_bytes(sink, &now, bit, NULL, block, sizeof block);
        sink->levels(sink, now, SDSIM_WAVE_CS | SDSIM_WAVE_MOSI | SDSIM_WAVE_MISO);
        now += 4 * bit;
    }
    return now;
}

/* CMD18 with blocks on four lines, a pause between them as a card makes. */
static sdsim_ps sd_wave(struct sdsim_wave_sink *sink, sdsim_ps period)
{
    sdsim_ps now = 0;
    uint8_t bytes[512];
    struct sdsim_test_sd_wave wave = {0};
    for (uint32_t i = 0; i < SD_READS; i++) {
        sdsim_test_sd_idle(&wave, 16);
        sdsim_test_wave_command(&wave, 8, 18, i);
        sdsim_test_sd_response(&wave, 5, 18, 0x900, true);
        for (uint32_t k = 0; k < SD_BLOCKS; k++) {
            sdsim_generate(2, (i * SD_BLOCKS + k) * UINT64_C(512), bytes, 512);
            sdsim_test_sd_block(&wave, k == 0 ? 100 : 12, 4, bytes, 512, true, false);
        }
        sdsim_test_wave_command(&wave, 4, 12, 0);
        sdsim_test_sd_response(&wave, 5, 12, 0x900, true);
        sdsim_test_sd_play(&wave, &now, period, false, sink);
    }
    sdsim_test_sd_free(&wave);
    return now;
}

static const char spi_metadata[] =
    "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=8\n"
    "samplerate=100 MHz\ntotal analog=0\nprobe1=CS\nprobe2=SCK\nprobe3=MOSI\nprobe4=MISO\n"
    "unitsize=1\n";
static const char sd_metadata[] =
    "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=8\n"
    "samplerate=100 MHz\ntotal analog=0\nprobe1=CLK\nprobe2=CMD\nprobe3=DAT0\nprobe4=DAT1\n"
    "probe5=DAT2\nprobe6=DAT3\nunitsize=1\n";

static void bench_session(const char *name, bool spi, unsigned samples_a_clock)
{
    char path[] = "/tmp/sdsim-bench-XXXXXX";
    close(mkstemp(path));
    struct sdsim_test_sr sr = {.path = path,
                               .metadata = spi ? spi_metadata : sd_metadata,
                               .version = 2,
                               .unit = 1,
                               .period = 10 * SDSIM_NS,
                               .member = 4 << 20};
    sdsim_test_sr_begin(&sr);
    const sdsim_ps period = samples_a_clock * sr.period;
    const sdsim_ps end = spi ? spi_wave(&sr.sink, period) : sd_wave(&sr.sink, period);
    check(sdsim_test_sr_write(&sr, end), "writing the session");
    struct job job = {.path = path};
    print(name, &job, 0, "samples");
    unlink(path);
}

static void bench_vcd(const char *name, bool spi)
{
    char path[] = "/tmp/sdsim-bench-XXXXXX";
    close(mkstemp(path));
    FILE *out = fopen(path, "w");
    check(out != NULL, "opening");
    struct sdsim_wave_file file;
    const enum sdsim_bus_mode mode = spi ? SDSIM_BUS_SPI : SDSIM_BUS_SD4;
    sdsim_wave_vcd_begin(&file, out, mode, 0, SDSIM_NS, "generated");
    const sdsim_ps period = 40 * SDSIM_NS;
    const sdsim_ps end = spi ? spi_wave(&file.sink, period) : sd_wave(&file.sink, period);
    sdsim_wave_vcd_end(&file, end);
    const double size = (double)ftello(out);
    fclose(out);
    struct job job = {.path = path};
    print(name, &job, size, "B");
    unlink(path);
}

int main(int argc, char **argv)
{
    printf("captures to commands, blocks and verdicts (median of %d runs)\n", RUNS);
    for (int i = 1; i < argc; i++) {
        struct job job = {.path = argv[i]};
        struct stat info;
        print(argv[i], &job, 0, "ticks");
        if (stat(argv[i], &info) == 0) {
            printf("    %.1f MB\n", (double)info.st_size / 1e6);
        }
    }
    if (argc == 1) {
        bench_session("sigrok, SPI, 24 samples a clock", true, 24);
        bench_session("sigrok, SPI, 10 samples a clock", true, 10);
        bench_session("sigrok, SPI, 4 samples a clock", true, 4);
        bench_session("sigrok, SD 4-bit, 20 samples a clock", false, 20);
        bench_session("sigrok, SD 4-bit, 8 samples a clock", false, 8);
        bench_session("sigrok, SD 4-bit, 4 samples a clock", false, 4);
        bench_vcd("VCD, SPI", true);
        bench_vcd("VCD, SD 4-bit", false);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory %.1f MiB%s\n", (double)usage.ru_maxrss / 1024,
           argc == 1 ? ", with the captures in the making" : "");
    return 0;
}

/*
 * What memory reading takes: inputs of every kind, larger than the limit by far, are read by the
 * program, whose greatest resident size must stay below 64 MiB.
 *
 * Each input is generated into a file that is deleted behind its test, by a child of its own, so that
 * what generating takes is not counted. SDSIM_INPUT_MIB makes the inputs larger (2048 MiB by hand),
 * SDSIM_INPUT_DIR tells where they go, and an argument which of them ("bin*"). Under
 * AddressSanitizer every byte has a shadow and freed memory is kept, so the sizes would mean
 * nothing: skipped.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* wait4 */
#endif
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/wave_file.h"
#include "core/rng.h"
#include "program.h"
#include "sanitized.h"
#include "sd_wave.h"
#include "sr_file.h"
#include "trace/binary.h"
#include "trace/blocks_text.h"

enum {
    LIMIT_KIB = 64 << 10,
    USUAL_MIB = 96, /* of an input: half as much again as may be used */
    SKIPPED = 77,
};

struct input {
    const char *name;
    const char *suffix;
    void (*generate)(const struct input *input, const char *path, uint64_t bytes);
    bool capture; /* it is read for its report, too */
    /* of inputs made of lines or records: one of them, the `i`th */
    void (*line)(FILE *out, uint64_t i);
    struct sdsim_block_sink *(*sink)(FILE *out);
    unsigned record; /* bytes of one, about, unpacked */
};

static void check(bool fine, const char *what)
{
    if (!fine) {
        perror(what);
        _exit(EXIT_FAILURE);
    }
}

/* ---- lines ---- */

static void ftrace_line(FILE *out, uint64_t i)
{
    static const char request[] = "cmd_flags=0xb5 cmd_retries=0 stop_opcode=12 stop_arg=0x0 "
                                  "stop_flags=0x49d stop_retries=0 sbc_opcode=0 sbc_arg=0x0 "
                                  "sbc_flags=0x0 sbc_retires=0";
    const uint64_t us = i * 700;
    fprintf(out,
            "  kworker/0:1H-82 [000] .... %" PRIu64 ".%06" PRIu64
            ": mmc_request_start: mmc0: start struct mmc_request[000000%04" PRIx64
            "]: cmd_opcode=25 cmd_arg=0x%" PRIx64 " %s blocks=8 block_size=512 blk_addr=0 "
            "data_flags=0x100 tag=0 can_retune=0 doing_retune=0\n",
            us / 1000000, us % 1000000, i % 16, i % 1000000 * 8, request);
    fprintf(out,
            "  <idle>-0 [000] ..s. %" PRIu64 ".%06" PRIu64
            ": mmc_request_done: mmc0: end struct mmc_request[000000%04" PRIx64
            "]: cmd_opcode=25 cmd_err=0 cmd_resp=0x900 0x0 0x0 0x0 cmd_retries=0 stop_opcode=12 "
            "stop_err=0 bytes_xfered=4096 data_err=0 tag=0 can_retune=0\n",
            (us + 400) / 1000000, (us + 400) % 1000000, i % 16);
}

static void blkparse_line(FILE *out, uint64_t i)
{
    const uint64_t ns = i * 700000;
    for (unsigned k = 0; k < 2; k++) {
        fprintf(out,
                "179,0 3 %" PRIu64 " %" PRIu64 ".%09" PRIu64 " 697 %s W %" PRIu64 " + 8 [%s]\n",
                2 * i + k, (ns + k * 400000) / 1000000000, (ns + k * 400000) % 1000000000,
                k == 0 ? "D" : "C", i % 1000000 * 8, k == 0 ? "kjournald" : "0");
    }
}

static void diskio_line(FILE *out, uint64_t i)
{
    fprintf(out, "disk_write sector=%" PRIu64 " count=8 took %" PRIu64 " us\n", i % 1000000 * 8,
            300 + i % 100);
}

static void generate_lines(const struct input *input, const char *path, uint64_t bytes)
{
    FILE *out = fopen(path, "w");
    check(out != NULL, path);
    for (uint64_t i = 0; (i & 255) != 0 || (uint64_t)ftello(out) < bytes; i++) {
        input->line(out, i);
    }
    check(fclose(out) == 0, path);
}

/* ---- our own ---- */

static void generate_trace(const struct input *input, const char *path, uint64_t bytes)
{
    enum { BATCH = 1024 };
    struct sdsim_block_record records[BATCH];
    struct sdsim_rng rng;
    FILE *out = fopen(path, "wb");
    check(out != NULL, path);
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    struct sdsim_block_sink *sink = input->sink(out);
    check(info != NULL && sink != NULL, "memory");
    sdsim_rng_seed(&rng, 1);
    sdsim_ps now = 0;
    for (uint64_t made = 0; made * input->record < bytes; made += BATCH) {
        for (size_t i = 0; i < BATCH; i++) {
            records[i] = (struct sdsim_block_record){
                .start = now,
                .duration = 300 * SDSIM_US + sdsim_rng_below(&rng, 50000) * SDSIM_NS,
                .lba = (uint32_t)sdsim_rng_below(&rng, UINT32_MAX - 64),
                .count = 1 + (uint32_t)sdsim_rng_below(&rng, 64),
                .repeat = 1,
                .label = 1,
                .kind = SDSIM_TRACE_WRITE,
                .flags = SDSIM_TRACE_HAS_START | SDSIM_TRACE_HAS_DURATION,
            };
            now += records[i].duration;
        }
        check(sink->put(sink, info, records, BATCH), path);
    }
    check(sink->finish(sink) && fclose(out) == 0, path);
    sdsim_trace_info_free(info);
}

/* ---- captures: CMD18 with sixteen blocks, and again ---- */

enum { PERIOD_NS = 40, SAMPLE_NS = 10 };

static void play_exchange(struct sdsim_wave_sink *sink, sdsim_ps *now, uint32_t i)
{
    uint8_t bytes[512];
    struct sdsim_test_sd_wave wave = {0};
    sdsim_test_sd_idle(&wave, 16);
    sdsim_test_wave_command(&wave, 8, 18, i);
    sdsim_test_sd_response(&wave, 5, 18, 0x900, true);
    for (uint32_t k = 0; k < 16; k++) {
        sdsim_generate(2, (i % 64 * 16 + k) * UINT64_C(512), bytes, sizeof bytes);
        sdsim_test_sd_block(&wave, k == 0 ? 100 : 12, 4, bytes, sizeof bytes, true, false);
    }
    sdsim_test_wave_command(&wave, 4, 12, 0);
    sdsim_test_sd_response(&wave, 5, 12, 0x900, true);
    sdsim_test_sd_play(&wave, now, PERIOD_NS * SDSIM_NS, false, sink);
    sdsim_test_sd_free(&wave);
}

static void generate_vcd(const struct input *input, const char *path, uint64_t bytes)
{
    (void)input;
    FILE *out = fopen(path, "w");
    check(out != NULL, path);
    struct sdsim_wave_file file;
    sdsim_ps now = 0;
    sdsim_wave_vcd_begin(&file, out, SDSIM_BUS_SD4, 0, SDSIM_NS, "generated");
    for (uint32_t i = 0; (uint64_t)ftello(out) < bytes; i++) {
        play_exchange(&file.sink, &now, i);
    }
    sdsim_wave_vcd_end(&file, now);
    check(fclose(out) == 0, path);
}

static void generate_csv(const struct input *input, const char *path, uint64_t bytes)
{
    (void)input;
    FILE *out = fopen(path, "w");
    check(out != NULL, path);
    struct sdsim_wave_file file;
    sdsim_ps now = 0;
    sdsim_wave_csv_begin(&file, out, SDSIM_BUS_SD4, 0);
    for (uint32_t i = 0; (uint64_t)ftello(out) < bytes; i++) {
        play_exchange(&file.sink, &now, i);
    }
    sdsim_wave_csv_end(&file, now);
    check(fclose(out) == 0, path);
}

/* The samples are as many as the bytes asked for; packed they are a fifth. */
static void generate_sr(const struct input *input, const char *path, uint64_t bytes)
{
    (void)input;
    struct sdsim_test_sr sr = {
        .path = path,
        .metadata = "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\n"
                    "total probes=8\nsamplerate=100 MHz\ntotal analog=0\nprobe1=CLK\nprobe2=CMD\n"
                    "probe3=DAT0\nprobe4=DAT1\nprobe5=DAT2\nprobe6=DAT3\nunitsize=1\n",
        .version = 2,
        .unit = 1,
        .period = SAMPLE_NS * SDSIM_NS,
        .member = 4 << 20,
    };
    sdsim_ps now = 0;
    sdsim_test_sr_begin(&sr);
    for (uint32_t i = 0; sr.count < bytes; i++) {
        play_exchange(&sr.sink, &now, i);
    }
    check(sdsim_test_sr_write(&sr, now), path);
}

/* ---- what is read ---- */

static const struct input inputs[] = {
    {"text", ".blocks", generate_trace, false, NULL, sdsim_blocks_text_sink, 48},
    {"binary", ".sdt", generate_trace, false, NULL, sdsim_binary_sink, 16},
    {"binary, zstd", ".sdt", generate_trace, false, NULL, sdsim_binary_sink_zstd, 16},
    {"Linux ftrace", ".txt", generate_lines, false, ftrace_line, NULL, 0},
    {"blkparse", ".txt", generate_lines, false, blkparse_line, NULL, 0},
    {"diskio", ".txt", generate_lines, false, diskio_line, NULL, 0},
    {"VCD", ".vcd", generate_vcd, true, NULL, NULL, 0},
    {"CSV of pins", ".csv", generate_csv, true, NULL, NULL, 0},
    {"sigrok", ".sr", generate_sr, true, NULL, NULL, 0},
};

static char path[512]; /* of the input at hand */

static uint64_t input_bytes(void)
{
    const char *text = getenv("SDSIM_INPUT_MIB");
    return (text != NULL ? strtoull(text, NULL, 10) : USUAL_MIB) << 20;
}

static void generate(const struct input *input)
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        input->generate(input, path, input_bytes());
        _exit(EXIT_SUCCESS);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* In a child: the program reads the file; what it says goes nowhere, unless it fails. */
static void become_reader(bool report)
{
    const char *program = getenv("SDSIM_PROGRAM");
    const int null = open("/dev/null", O_WRONLY);
    if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0) {
        execl(program, program, "import", path, report ? "--report" : (char *)NULL, (char *)NULL);
    }
    _exit(127);
}

/* Reads the file; the most memory that took, in KiB. */
static long read_file(const struct input *input, bool report)
{
    struct rusage usage;
    struct stat info;
    int status;
    assert_int_equal(stat(path, &info), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        become_reader(report);
    }
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_int_equal(status, 0);
    print_message("%-13s%-9s %7.1f MiB in %6.2f s of processor time, most memory %5.1f MiB\n",
                  input->name, report ? " (report)" : "", (double)info.st_size / (1 << 20),
                  (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                      1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
                  (double)usage.ru_maxrss / 1024);
    return usage.ru_maxrss;
}

static void test_input(void **state)
{
    const struct input *input = *state;
    const char *folder = getenv("SDSIM_INPUT_DIR");
    snprintf(path, sizeof path, "%s/sdsim-memory-%ld%s", folder != NULL ? folder : "/tmp",
             (long)getpid(), input->suffix);
    generate(input);
    const long calls = read_file(input, false);
    const long report = input->capture ? read_file(input, true) : 0;
    assert_in_range(calls, 1, LIMIT_KIB - 1);
    assert_in_range(report, 0, LIMIT_KIB - 1);
}

/* Also when the test failed. */
static int remove_input(void **state)
{
    (void)state;
    return unlink(path);
}

int main(int argc, char **argv)
{
    enum { COUNT = sizeof inputs / sizeof inputs[0] };
    struct CMUnitTest tests[COUNT];
    if (SDSIM_SANITIZED || !sdsim_test_has_program()) {
        puts(SDSIM_SANITIZED ? "skipped: a sanitizer takes memory of its own"
                             : "skipped: SDSIM_PROGRAM names no program");
        return SKIPPED;
    }
    for (size_t i = 0; i < COUNT; i++) {
        union { /* cmocka takes the state without const, and the tests do not change it */
            const void *kept;
            void *given;
        } state = {.kept = &inputs[i]};
        tests[i] = (struct CMUnitTest){inputs[i].name, test_input, NULL, remove_input, state.given};
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("constant memory", tests, NULL, NULL);
}

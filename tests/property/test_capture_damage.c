/*
 * Damaged captures: files of every format with bytes changed, taken out, doubled, or cut off must be
 * read to an end, or to an error that says where; never more, and never a crash. What is decoded of them
 * must be sane as far as anything can be said: items in order of their ends, counts that agree.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/calls.h"
#include "capture/findings.h"
#include "capture/wave_file.h"
#include "core/rng.h"
#include "flash/medium.h"
#include "report/capture_report.h"
#include "sd_wave.h"
#include "sr_file.h"

enum { ROUNDS = 120, FORMATS = 4 };

#define SEED 20261130

static const char metadata[] =
    "[device 1]\ncapturefile=logic-1\nsamplerate=10 MHz\nunitsize=1\n"
    "probe1=CLK\nprobe2=CMD\nprobe3=DAT0\nprobe4=DAT1\nprobe5=DAT2\nprobe6=DAT3\n";

static sdsim_ps record(struct sdsim_wave_sink *sink)
{
    struct sdsim_test_sd_wave wave = {0};
    sdsim_ps now = 0;
    uint8_t bytes[512];
    sdsim_generate(5, 0, bytes, sizeof bytes);
    sdsim_test_sd_idle(&wave, 80);
    sdsim_test_wave_command(&wave, 8, 0, 0);
    for (uint32_t i = 0; i < 3; i++) {
        sdsim_test_wave_command(&wave, 8, 18, i);
        sdsim_test_sd_response(&wave, 5, 18, 0x900, true);
        sdsim_test_sd_block(&wave, 20, 4, bytes, sizeof bytes, true, false);
        sdsim_test_wave_command(&wave, 8, 12, 0);
        sdsim_test_sd_response(&wave, 5, 12, 0x900, true);
        sdsim_test_wave_command(&wave, 8, 24, i);
        sdsim_test_sd_response(&wave, 5, 24, 0x900, true);
        sdsim_test_sd_join(&wave);
        sdsim_test_sd_block(&wave, 4, 4, bytes, sizeof bytes, false, false);
        sdsim_test_sd_status(&wave, 2, 300);
    }
    sdsim_test_sd_play(&wave, &now, SDSIM_US, false, sink);
    sdsim_test_sd_free(&wave);
    return now;
}

/* A file of a format in memory. */
struct original {
    uint8_t *bytes;
    size_t size;
};

static void make(unsigned format, const char *path)
{
    if (format >= 2) {
        struct sdsim_test_sr sr = {.path = path,
                                   .metadata = metadata,
                                   .version = 2,
                                   .unit = 1,
                                   .period = 100 * SDSIM_NS,
                                   .member = 20000,
                                   .stored = format == 3};
        sdsim_test_sr_begin(&sr);
        const sdsim_ps end = record(&sr.sink);
        assert_true(sdsim_test_sr_write(&sr, end));
        return;
    }
    struct sdsim_wave_file file;
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    if (format == 0) {
        sdsim_wave_vcd_begin(&file, out, SDSIM_BUS_SD4, 0, 100 * SDSIM_NS, "a test");
        sdsim_wave_vcd_end(&file, record(&file.sink));
    } else {
        sdsim_wave_csv_begin(&file, out, SDSIM_BUS_SD4, 0);
        sdsim_wave_csv_end(&file, record(&file.sink));
    }
    fclose(out);
}

static struct original load(const char *path)
{
    struct original original;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    original.size = (size_t)ftell(file);
    rewind(file);
    original.bytes = malloc(original.size);
    assert_non_null(original.bytes);
    assert_int_equal(fread(original.bytes, 1, original.size, file), original.size);
    fclose(file);
    return original;
}

/* Writes the file with some damage. */
static void damage(struct sdsim_rng *rng, const struct original *original, const char *path)
{
    uint8_t *bytes = malloc(2 * original->size);
    assert_non_null(bytes);
    memcpy(bytes, original->bytes, original->size);
    size_t size = original->size;
    const uint64_t times = 1 + sdsim_rng_below(rng, 6);
    for (uint64_t i = 0; i < times && size > 64; i++) {
        const size_t at = (size_t)sdsim_rng_below(rng, size - 32);
        const size_t some = 1 + (size_t)sdsim_rng_below(rng, 31);
        switch (sdsim_rng_below(rng, 5)) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << sdsim_rng_below(rng, 8));
            break;
        case 1:
            memset(bytes + at, (int)sdsim_rng_below(rng, 256), some);
            break;
        case 2:
            memmove(bytes + at, bytes + at + some, size - at - some);
            size -= some;
            break;
        case 3:
            if (size + some <= 2 * original->size) {
                memmove(bytes + at + some, bytes + at, size - at);
                size += some;
            }
            break;
        default:
            if (i == 0) {
                size = at + 1;
            }
            break;
        }
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
}

static void report(struct sdsim_capture *capture, struct sdsim_diags *diags)
{
    struct sdsim_summary *summary = sdsim_summary_new(capture->roles.bus == SDSIM_CAPTURE_SPI);
    struct sdsim_findings findings;
    char *text = NULL;
    size_t size = 0;
    const struct sdsim_style style = {0};
    assert_non_null(summary);
    const enum sdsim_pin_result result = sdsim_findings_collect(&findings, capture, summary);
    assert_int_equal(result == SDSIM_PINS_BROKEN, diags->errors > 0);
    assert_int_equal(summary->counts[SDSIM_ITEM_COMMAND], summary->commands);
    assert_true(summary->crc7.right <= summary->crc7.checked);
    assert_true(summary->crc16.right <= summary->crc16.checked);
    for (size_t i = 0; i < summary->row_count; i++) {
        assert_true(summary->rows[i].start <= summary->rows[i].end);
        assert_true(i == 0 || summary->rows[i - 1].start <= summary->rows[i].start);
    }
    const struct sdsim_capture_view view = {.capture = capture,
                                            .summary = summary,
                                            .findings = &findings,
                                            .partial = result == SDSIM_PINS_BROKEN};
    FILE *out = open_memstream(&text, &size);
    assert_true(sdsim_capture_print(&view, &style, out));
    sdsim_capture_json(&view, out);
    fclose(out);
    free(text);
    sdsim_summary_free(summary);
}

static void survives(const char *path)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_capture *capture = sdsim_capture_open(path, NULL, &diags);
    if (capture != NULL) {
        report(capture, &diags);
        sdsim_capture_close(capture);
    } else {
        assert_true(diags.errors > 0);
    }
    sdsim_diags_free(&diags);
    sdsim_diags_init(&diags);
    struct sdsim_block_source *calls = sdsim_capture_calls(path, NULL, &diags);
    if (calls != NULL) {
        struct sdsim_block_record records[16];
        while (calls->next(calls, records, 16) > 0) {
        }
        assert_int_equal(calls->failed, diags.errors > 0);
        calls->close(calls);
    }
    sdsim_diags_free(&diags);
}

static void survives_damage(void **state)
{
    (void)state;
    char path[] = "/tmp/sdsim-damage-XXXXXX";
    struct sdsim_rng rng;
    close(mkstemp(path));
    sdsim_rng_seed(&rng, SEED);
    print_message("seed %d\n", SEED);
    for (unsigned format = 0; format < FORMATS; format++) {
        make(format, path);
        const struct original original = load(path);
        survives(path);
        for (unsigned round = 0; round < ROUNDS; round++) {
            damage(&rng, &original, path);
            survives(path);
        }
        free(original.bytes);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

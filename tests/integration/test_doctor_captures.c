/*
 * The doctor over recordings of real cards, byte by byte as they were taken from the captures: what
 * is wrong with them is found, and nothing else.
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

#include "doctor_bench.h"
#include "program.h"

#define FOLDER "../shared/captures/extracted/"

/* A line of a table: number, first rise and last fall in us, MOSI, MISO, number of the CS frame. */
static bool read_row(const char *line, struct sdsim_spi_byte *byte, unsigned *frame)
{
    unsigned long long n;
    double start;
    double end;
    unsigned mosi;
    unsigned miso;
    if (sscanf(line, "%llu,%lf,%lf,%x,%x,%u", &n, &start, &end, &mosi, &miso, frame) != 6) {
        return false;
    }
    *byte = (struct sdsim_spi_byte){.start = (sdsim_ps)(start * 1e6),
                                    .end = (sdsim_ps)(end * 1e6),
                                    .at = n,
                                    .selected = true,
                                    .mosi = (uint8_t)mosi,
                                    .miso = (uint8_t)miso};
    return true;
}

static void feed(FILE *in, struct sdsim_test_doctor *bench)
{
    char line[200];
    unsigned frame;
    unsigned last_frame = 0;
    sdsim_ps last = 0;
    bool begun = false;
    while (fgets(line, sizeof line, in) != NULL) {
        struct sdsim_spi_byte byte;
        if (!read_row(line, &byte, &frame)) {
            continue;
        }
        if (begun && frame != last_frame) {
            sdsim_spi_decoder_select(&bench->decoder, false, last, byte.at);
        }
        if (!begun || frame != last_frame) {
            sdsim_spi_decoder_select(&bench->decoder, true, byte.start, byte.at);
        }
        sdsim_spi_decoder_byte(&bench->decoder, &byte);
        last = byte.end;
        last_frame = frame;
        begun = true;
    }
}

/*
 * The host of the first two sends 00 while it reads R1; its write has N_WR 0. The simulated one has
 * no CRC bytes. The host of the 512 MB card initialises it at 1 MHz, with CMD1 at last; it sends 95
 * behind every command, which is right only behind CMD0.
 */
static const struct {
    const char *file;
    uint64_t commands;
    uint64_t read;
    uint64_t written;
    const char *found;
} captures[] = {
    {"cmd17.bytes.csv", 1, 1, 0, "mosi-low-while-waiting"},
    {"write_single_block_real.bytes.csv", 1, 0, 1, "mosi-low-while-waiting n-wr-0"},
    {"write_single_block_simulated.bytes.csv", 1, 0, 1, "write-crc-missing"},
    {"write_start_snippet.bytes.csv", 1, 0, 0, ""},
    {"xmore_512mb_get_csd.bytes.csv", 9, 2, 0, "init-clock cmd1"},
    {"xmore_512mb_read_3blocks_A.bytes.csv", 11, 4, 0, "init-clock cmd1"},
};

static void real_cards(void **state)
{
    (void)state;
    static const struct sdsim_doctor_source source = {
        .unit = "byte", .timed = true, .cs_known = true};
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
        char path[200];
        snprintf(path, sizeof path, FOLDER "%s", captures[i].file);
        FILE *in = fopen(path, "r");
        if (in == NULL) {
            print_message("no %s here\n", path);
            skip();
        }
        struct sdsim_test_doctor *bench = calloc(1, sizeof *bench);
        assert_non_null(bench);
        sdsim_test_doctor_begin(bench, &source);
        feed(in, bench);
        fclose(in);
        const char *found = sdsim_test_doctor_end(bench, SDSIM_NOTE);
        const struct sdsim_doctor_bus *bus = &bench->doctor.bus;
        if (strcmp(found, captures[i].found) != 0 || bus->commands != captures[i].commands ||
            bus->blocks_read != captures[i].read || bus->blocks_written != captures[i].written) {
            fail_msg("%s: %llu commands, %llu blocks read, %llu written; found '%s', expected "
                     "'%s'",
                     path, (unsigned long long)bus->commands, (unsigned long long)bus->blocks_read,
                     (unsigned long long)bus->blocks_written, found, captures[i].found);
        }
        free(bench);
    }
}

/* The same recording in three formats, read from the pins. */
static void captures_are_read(void **state)
{
    (void)state;
    static const char *const files[] = {"sigrok-dumps/spi_mode/cmds/cmd17.sr", "derived/cmd17.vcd",
                                        "derived/cmd17.csv"};
    if (!sdsim_test_has_program()) {
        skip();
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[200];
        snprintf(path, sizeof path, "../shared/captures/%s", files[i]);
        if (access(path, R_OK) != 0) {
            print_message("no %s here\n", path);
            skip();
        }
        struct sdsim_test_result result =
            sdsim_test_run_quiet((const char *[]){"doctor", path, NULL});
        assert_int_equal(result.code, 1);
        assert_non_null(strstr(result.out, "CMD17 read block, address 15, dummy CRC 01 -> 00 no "
                                           "error; 1\n"));
        assert_non_null(strstr(result.out, "512 bytes read, CRC right, N_AC 39;"));
        assert_non_null(strstr(result.out, "[mosi-low-while-waiting]"));
        sdsim_test_result_free(&result);
    }
    struct sdsim_test_result result = sdsim_test_run_quiet((const char *[]){
        "doctor", "../shared/captures/sigrok-dumps/sd_mode/rcar-h2/cmd23_cmd18.sr", NULL});
    assert_int_equal(result.code, 1); /* sampled too seldom */
    assert_non_null(strstr(result.out, "No command could be read.\n"));
    sdsim_test_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_cards),
        cmocka_unit_test(captures_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

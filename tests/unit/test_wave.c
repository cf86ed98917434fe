/*
 * Waveforms: which edges bytes and clocks become, what of them lies in a window, and how instants are
 * rounded and written.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/wave_file.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- edges ---- */

/* Writes each instant as "TIME:LEVELS " with one digit a pin, in the order of the bits. */
struct scribe {
    struct sdsim_wave_sink sink;
    unsigned pins;
    char text[2000];
    size_t used;
};

static void write_levels(struct sdsim_wave_sink *sink, sdsim_ps at, unsigned levels)
{
    struct scribe *scribe = (struct scribe *)sink;
    scribe->used +=
        (size_t)snprintf(scribe->text + scribe->used, sizeof scribe->text - scribe->used,
                         "%llu:", (unsigned long long)at);
    for (unsigned pin = 0; pin < scribe->pins; pin++) {
        scribe->text[scribe->used++] = (char)('0' + (levels >> pin & 1u));
    }
    scribe->text[scribe->used++] = ' ';
    scribe->text[scribe->used] = '\0';
}

static void spi_bytes_become_edges(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        sdsim_ps from;
        sdsim_ps to;
        const char *edges; /* CS SCK MOSI MISO */
    } rows[] = {
        {"all", 0, 10000,
         /* CS falls at 100; a byte of 800 ps: A0 one way, 40 the other */
         "0:1011 100:0011 200:0010 250:0110 300:0001 350:0101 400:0010 450:0110 500:0000 "
         "550:0100 600:0000 650:0100 700:0000 750:0100 800:0000 850:0100 900:0000 950:0100 "
         "1000:0000 1100:1000 "},
        {"from the middle of a bit", 320, 460, "320:0001 350:0101 400:0010 450:0110 "},
        {"from an edge, which is part of the beginning", 350, 460, "350:0101 400:0010 450:0110 "},
        {"up to an edge, which is not part of it", 320, 400, "320:0001 350:0101 "},
        {"between edges", 320, 330, "320:0001 "},
        {"behind everything", 5000, 6000, "5000:1000 "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scribe scribe = {.sink = {write_levels}, .pins = 4};
        struct sdsim_wave wave;
        sdsim_wave_init(&wave, SDSIM_BUS_SPI, rows[i].from, rows[i].to, &scribe.sink);
        wave.listener.select(&wave.listener, 100, true);
        wave.listener.byte(&wave.listener, 200, 1000, true, 0xA0, 0x40);
        wave.listener.select(&wave.listener, 1100, false);
        sdsim_wave_finish(&wave);
        if (strcmp(scribe.text, rows[i].edges) != 0) {
            fail_msg("%s: %s, not %s", rows[i].name, scribe.text, rows[i].edges);
        }
    }
}

static void a_bus_at_rest_has_a_beginning(void **state)
{
    (void)state;
    struct scribe scribe = {.sink = {write_levels}, .pins = 4};
    struct sdsim_wave wave;
    sdsim_wave_init(&wave, SDSIM_BUS_SPI, 70, 90, &scribe.sink);
    sdsim_wave_finish(&wave);
    assert_string_equal(scribe.text, "70:1011 ");
}

/* Bytes that follow each other without a gap: SCK falls and the data changes at one instant. */
static void bytes_in_a_row(void **state)
{
    (void)state;
    struct scribe scribe = {.sink = {write_levels}, .pins = 4};
    struct sdsim_wave wave;
    sdsim_wave_init(&wave, SDSIM_BUS_SPI, 950, 1120, &scribe.sink);
    wave.listener.byte(&wave.listener, 200, 1000, true, 0xFF, 0x00);
    wave.listener.byte(&wave.listener, 1000, 1800, true, 0x7F, 0xFF);
    sdsim_wave_finish(&wave);
    assert_string_equal(scribe.text, "950:0110 1000:0001 1050:0101 1100:0011 ");
}

static void sd_clocks_become_edges(void **state)
{
    (void)state;
    struct scribe scribe = {.sink = {write_levels}, .pins = 6};
    struct sdsim_wave wave;
    sdsim_wave_init(&wave, SDSIM_BUS_SD4, 0, 1000, &scribe.sink);
    const struct sdsim_sd_lines start = {.cmd = 0, .dat = 0xF};
    const struct sdsim_sd_lines data = {.cmd = 1, .dat = 0x6};
    wave.listener.clock(&wave.listener, 100, 140, start, true, false);
    wave.listener.clock(&wave.listener, 140, 181, data, false, false);
    wave.listener.clock(&wave.listener, 300, 340, SDSIM_SD_RELEASED, false, false);
    sdsim_wave_finish(&wave);
    /* CLK CMD DAT0 DAT1 DAT2 DAT3 */
    assert_string_equal(scribe.text,
                        "0:011111 100:001111 120:101111 140:010110 160:110110 181:010110 "
                        "300:011111 320:111111 340:011111 ");
}

/* Lines that change behind the rising edge, and one that had to wait for the clock to go on. */
static void high_speed_launches_late(void **state)
{
    (void)state;
    struct scribe scribe = {.sink = {write_levels}, .pins = 6};
    struct sdsim_wave wave;
    sdsim_wave_init(&wave, SDSIM_BUS_SD4, 0, 1000000, &scribe.sink);
    sdsim_wave_high_speed(&wave);
    const struct sdsim_sd_lines start = {.cmd = 0, .dat = 0xF};
    const struct sdsim_sd_lines data = {.cmd = 1, .dat = 0x6};
    wave.listener.clock(&wave.listener, 100000, 120000, start, true, false);
    wave.listener.clock(&wave.listener, 120000, 140000, data, false, false);
    wave.listener.clock(&wave.listener, 300000, 304000, SDSIM_SD_RELEASED, false, false);
    wave.listener.clock(&wave.listener, 304000, 308000, start, false, false);
    sdsim_wave_finish(&wave);
    assert_string_equal(scribe.text,
                        "0:011111 100000:001111 110000:101111 112500:110110 120000:010110 "
                        "130000:110110 140000:010110 300000:011111 302000:111111 303000:101111 "
                        "304000:001111 306000:101111 308000:001111 ");
}

/* ---- measuring and rounding ---- */

static void timescales_divide(void **state)
{
    (void)state;
    static const struct {
        sdsim_ps grid;
        sdsim_ps scale;
        const char *text;
    } rows[] = {
        {0, SDSIM_S, "1 s"},
        {1, 1, "1 ps"},
        {3, 1, "1 ps"},
        {50, 10, "10 ps"},
        {500, 100, "100 ps"},
        {25000, SDSIM_NS, "1 ns"},
        {10000, 10000, "10 ns"},
        {SDSIM_MS * 300, SDSIM_MS * 100, "100 ms"},
        {SDSIM_S * 20, SDSIM_S, "1 s"},
        {1250000, 10000, "10 ns"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[32];
        const sdsim_ps scale = sdsim_wave_timescale(rows[i].grid);
        if (scale != rows[i].scale ||
            strcmp(sdsim_wave_tick_text(scale, text, sizeof text), rows[i].text) != 0) {
            fail_msg("%llu: %s", (unsigned long long)rows[i].grid, text);
        }
    }
    assert_int_equal(sdsim_wave_ticks(14, 10), 1);
    assert_int_equal(sdsim_wave_ticks(15, 10), 2);
    assert_int_equal(sdsim_wave_ticks(7, 1), 7);
}

static void a_waveform_is_measured(void **state)
{
    (void)state;
    struct sdsim_wave_measure measure;
    struct sdsim_wave wave;
    sdsim_wave_measure_init(&measure, SDSIM_BUS_SPI, 1000);
    sdsim_wave_init(&wave, SDSIM_BUS_SPI, 1000, 1000000, &measure.sink);
    wave.listener.byte(&wave.listener, 11000, 91000, true, 0x55, 0xFF);
    wave.listener.select(&wave.listener, 93500, false);
    sdsim_wave_finish(&wave);
    assert_int_equal(measure.grid, 2500); /* edges every 5 ns from 10 ns on, CS at 92.5 ns */
    assert_int_equal(measure.shortest, 5000);
    assert_int_equal(measure.instants, 1 + 16 + 1);
}

static void a_coarse_vcd_goes_forward(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct sdsim_wave_file file;
    struct sdsim_wave wave;
    sdsim_wave_vcd_begin(&file, out, SDSIM_BUS_SPI, 1000, 1000, "about");
    sdsim_wave_init(&wave, SDSIM_BUS_SPI, 1000, 20000, &file.sink);
    wave.listener.select(&wave.listener, 1400, true);  /* rounds to the beginning */
    wave.listener.select(&wave.listener, 2600, false); /* and these two to one tick, */
    wave.listener.select(&wave.listener, 3400, true);  /* in which nothing changes */
    wave.listener.select(&wave.listener, 5500, false);
    sdsim_wave_finish(&wave);
    sdsim_wave_vcd_end(&file, 9100);
    fclose(out);
    assert_non_null(strstr(text, "$timescale 1 ns $end"));
    assert_string_equal(strstr(text, "$enddefinitions"), "$enddefinitions $end\n"
                                                         "#0\n0!\n0\"\n1#\n1$\n"
                                                         "#5\n1!\n"
                                                         "#9\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spi_bytes_become_edges),   cmocka_unit_test(a_bus_at_rest_has_a_beginning),
        cmocka_unit_test(bytes_in_a_row),           cmocka_unit_test(sd_clocks_become_edges),
        cmocka_unit_test(high_speed_launches_late), cmocka_unit_test(timescales_divide),
        cmocka_unit_test(a_waveform_is_measured),   cmocka_unit_test(a_coarse_vcd_goes_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

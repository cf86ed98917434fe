/*
 * Recordings of real cards, made by other people, against the figures their index states: clocks, N_CR,
 * N_AC, N_WR, busy, byte pitches, polling, check sums, rates, and where the recording is too slow to
 * be read. A time must be right within one sample, and half of the last digit the index gives.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture_json.h"

#define CAPTURES "../shared/captures/"
#define SPI      CAPTURES "sigrok-dumps/spi_mode/"
#define SD       CAPTURES "sigrok-dumps/sd_mode/"
#define READER   SD "card_reader/unknown_card/"

enum kind {
    EXACT,  /* a number */
    TIME,   /* seconds: within a sample */
    PERIOD, /* hertz: its period within a sample */
    RATE,   /* bytes per second: what a sample more or less makes, and rounding */
    TEXT,
    TRUE_OR_FALSE,
};

struct figure {
    const char *path;
    enum kind kind;
    double value;
    double rounding; /* half of the last digit */
    const char *text;
};

struct file {
    const char *path;
    double rate; /* samples a second */
    const struct figure *figures;
    size_t count;
};

#define US 1e-6
#define MS 1e-3

static const struct figure cmd17[] = {
    {"bus", TEXT, 0, 0, "SPI"},
    {"mode", EXACT, 0, 0, NULL},
    {"rate", EXACT, 24e6, 0, NULL},
    {"clock", PERIOD, 1.151e6, 0, NULL},
    {"commands.CMD17#0.argument", TEXT, 0, 0, "0000000f"},
    {"commands.CMD17#0.crc", TEXT, 0, 0, "dummy"},
    {"commands.CMD17#0.cs_to_clock", TIME, 2.9 * US, 0.05 * US, NULL},
    {"commands.CMD17#0.n_cr", EXACT, 1, 0, NULL},
    {"commands.CMD17#0.n_cr_time", TIME, 9.5 * US, 0, NULL},
    {"commands.CMD17#0.read.n_ac", EXACT, 39, 0, NULL},
    {"commands.CMD17#0.read.n_ac_time", TIME, 318.1 * US, 0.05 * US, NULL},
    {"commands.CMD17#0.byte_pitch.median", TIME, 8.25 * US, 0, NULL},
    {"commands.CMD17#0.byte_pitch.least", TIME, 7.9 * US, 0.05 * US, NULL},
    {"commands.CMD17#0.byte_pitch.greatest", TIME, 9.2 * US, 0.05 * US, NULL},
    {"commands.CMD17#0.read.token_to_data", TIME, 1.9 * US, 0.05 * US, NULL},
    {"commands.CMD17#0.read.data_time", TIME, 4.223 * MS, 0.0005 * MS, NULL},
    {"commands.CMD17#0.read.bytes", EXACT, 512, 0, NULL},
    {"commands.CMD17#0.read.crc16", TEXT, 0, 0, "291d"},
    {"crc16.right", EXACT, 1, 0, NULL},
    {"crc7.right", EXACT, 0, 0, NULL},
    {"reads.bytes_per_second", RATE, 110.6e3, 50, NULL},
    {"undersampled", TRUE_OR_FALSE, 0, 0, NULL},
};

static const struct figure write_real[] = {
    {"mode", EXACT, 0, 0, NULL},
    {"clock", PERIOD, 1.151e6, 0, NULL},
    {"commands.CMD24#0.cs_to_clock", TIME, 3.0 * US, 0.05 * US, NULL},
    {"commands.CMD24#0.crc", TEXT, 0, 0, "dummy"},
    {"commands.CMD24#0.n_cr", EXACT, 1, 0, NULL},
    {"commands.CMD24#0.n_cr_time", TIME, 9.5 * US, 0.05 * US, NULL},
    {"commands.CMD24#0.write.n_wr", EXACT, 0, 0, NULL},
    {"commands.CMD24#0.write.n_wr_time", TIME, 2.6 * US, 0.05 * US, NULL},
    {"commands.CMD24#0.byte_pitch.median", TIME, 8.08 * US, 0.005 * US, NULL},
    {"commands.CMD24#0.byte_pitch.least", TIME, 7.9 * US, 0.05 * US, NULL},
    {"commands.CMD24#0.byte_pitch.greatest", TIME, 9.2 * US, 0.05 * US, NULL},
    {"commands.CMD24#0.write.token_to_data", TIME, 1.7 * US, 0.05 * US, NULL},
    {"commands.CMD24#0.write.data_time", TIME, 4.195 * MS, 0.0005 * MS, NULL},
    {"commands.CMD24#0.write.crc", TEXT, 0, 0, "dummy"},
    {"commands.CMD24#0.data_response", TEXT, 0, 0, "e5"},
    {"commands.CMD24#0.data_answer", TEXT, 0, 0, "accepted"},
    {"commands.CMD24#0.data_response_gap", EXACT, 0, 0, NULL},
    {"commands.CMD24#0.busy", TIME, 203.94 * MS, 0.005 * MS, NULL},
    {"commands.CMD24#0.busy_count", EXACT, 25213, 0, NULL},
    {"writes.bytes_per_second", RATE, 2.46e3, 5, NULL},
};

static const struct figure write_snippet[] = {
    {"mode", EXACT, 0, 0, NULL},
    {"clock", PERIOD, 1.151e6, 0, NULL},
    {"commands.CMD24#0.cs_to_clock", TIME, 0.75 * US, 0, NULL},
    {"commands.CMD24#0.n_cr", EXACT, 1, 0, NULL},
    {"commands.CMD24#0.n_cr_time", TIME, 562 * US, 0.5 * US, NULL},
    {"commands.CMD24#0.write.n_wr", EXACT, 1, 0, NULL},
    {"commands.CMD24#0.write.n_wr_time", TIME, 1210 * US, 0.5 * US, NULL},
    {"commands.CMD24#0.write.bytes", EXACT, 9, 0, NULL},
    {"commands.CMD24#0.byte_pitch.median", TIME, 260.6 * US, 0.05 * US, NULL},
    {"commands.CMD24#0.byte_pitch.greatest", TIME, 608 * US, 0.5 * US, NULL},
};

static const struct figure write_simulated[] = {
    {"mode", EXACT, 0, 0, NULL},
    {"clock", PERIOD, 2.4e6, 0, NULL},
    {"commands.CMD24#0.cs_to_clock", TIME, 0.67 * US, 0.005 * US, NULL},
    {"commands.CMD24#0.n_cr", EXACT, 1, 0, NULL},
    {"commands.CMD24#0.n_cr_time", TIME, 4.4 * US, 0.05 * US, NULL},
    {"commands.CMD24#0.write.n_wr", EXACT, 1, 0, NULL},
    {"commands.CMD24#0.byte_pitch.least", TIME, 3.75 * US, 0, NULL},
    {"commands.CMD24#0.byte_pitch.median", TIME, 3.75 * US, 0, NULL},
    {"commands.CMD24#0.byte_pitch.greatest", TIME, 3.75 * US, 0, NULL},
    {"commands.CMD24#0.write.token_to_data", TIME, 0.67 * US, 0.005 * US, NULL},
    {"commands.CMD24#0.write.data_time", TIME, 1.919 * MS, 0.0005 * MS, NULL},
    {"commands.CMD24#0.write.crc", TEXT, 0, 0, "missing"},
    {"commands.CMD24#0.write.bytes", EXACT, 512, 0, NULL},
    {"commands.CMD24#0.data_response", TEXT, 0, 0, "05"},
    {"commands.CMD24#0.busy", TIME, 15.7 * US, 0.05 * US, NULL},
    {"writes.bytes_per_second", RATE, 258.7e3, 50, NULL},
};

static const struct figure xmore_csd[] = {
    {"mode", EXACT, 0, 0, NULL},
    {"clock", PERIOD, 1e6, 0, NULL},
    {"n_cr.least", EXACT, 1, 0, NULL},
    {"n_cr.greatest", EXACT, 1, 0, NULL},
    {"n_cr.count", EXACT, 9, 0, NULL},
    {"commands.CMD0#0.cs_to_clock", TIME, 1.0 * US, 0.05 * US, NULL},
    {"commands.CMD0#0.n_cr_time", TIME, 20.75 * US, 0, NULL},
    {"commands.CMD55#0.n_cr_time", TIME, 21.0 * US, 0, NULL},
    {"commands.CMD9#0.read.n_ac", EXACT, 1, 0, NULL},
    {"commands.CMD9#0.read.n_ac_time", TIME, 39.3 * US, 0.05 * US, NULL},
    {"commands.CMD9#1.read.n_ac_time", TIME, 39.3 * US, 0.05 * US, NULL},
    {"commands.CMD9#0.byte_pitch.median", TIME, 17.8 * US, 0.05 * US, NULL},
    {"commands.CMD9#1.byte_pitch.median", TIME, 17.8 * US, 0.05 * US, NULL},
    {"commands.CMD0#0.crc", TEXT, 0, 0, "right"},
    {"crc7_commands.right", EXACT, 1, 0, NULL},
    {"crc7_commands.checked", EXACT, 9, 0, NULL},
    {"crc16.right", EXACT, 2, 0, NULL},
    {"registers.csd.taac", TIME, 5.0 * MS, 0, NULL},
    {"registers.csd.nsac", EXACT, 0, 0, NULL},
    {"registers.csd.r2w_factor", EXACT, 32, 0, NULL},
    {"registers.csd.tran_speed", EXACT, 25e6, 0, NULL},
    {"ready_polls", EXACT, 2, 0, NULL},
};

static const struct figure xmore_read[] = {
    {"mode", EXACT, 0, 0, NULL},
    {"clock", PERIOD, 1e6, 0, NULL},
    {"n_cr.least", EXACT, 1, 0, NULL},
    {"n_cr.greatest", EXACT, 1, 0, NULL},
    {"commands.CMD17#0.cs_to_clock", TIME, 1.0 * US, 0.05 * US, NULL},
    {"commands.CMD17#0.read.n_ac", EXACT, 7, 0, NULL},
    {"commands.CMD17#0.read.n_ac_time", TIME, 173.5 * US, 0.05 * US, NULL},
    {"commands.CMD17#1.read.n_ac", EXACT, 7, 0, NULL},
    {"commands.CMD17#1.read.n_ac_time", TIME, 173.3 * US, 0.05 * US, NULL},
    {"commands.CMD17#2.read.n_ac_time", TIME, 173.5 * US, 0.05 * US, NULL},
    {"commands.CMD17#0.byte_pitch.median", TIME, 8.0 * US, 0.005 * US, NULL},
    {"commands.CMD17#0.read.token_to_data", TIME, 7.00 * MS, 0.0055 * MS, NULL},
    {"commands.CMD17#0.read.data_time", TIME, 4.107 * MS, 0.0005 * MS, NULL},
    {"commands.CMD17#2.read.data_time", TIME, 4.107 * MS, 0.0005 * MS, NULL},
    {"commands.CMD17#0.read.crc16", TEXT, 0, 0, "bf75"},
    {"commands.CMD17#1.read.crc16", TEXT, 0, 0, "bf75"},
    {"commands.CMD17#2.read.crc16", TEXT, 0, 0, "bf75"},
    {"commands.CMD9#0.read.n_ac_time", TIME, 39.3 * US, 0.05 * US, NULL},
    {"crc16.right", EXACT, 4, 0, NULL},
    {"crc7_commands.right", EXACT, 1, 0, NULL},
    {"reads.bytes", EXACT, 1536, 0, NULL},
    {"reads.bytes_per_second", RATE, 26.2e3, 50, NULL},
};

/* A command and a response of one kind, and nothing else. */
#define READER_FIGURES(name, command, ncr, frequency, frames)                                      \
    static const struct figure name[] = {                                                          \
        {"bus", TEXT, 0, 0, "SD"},                                                                 \
        {"rate", EXACT, 125e6, 0, NULL},                                                           \
        {"clock", PERIOD, frequency, 0, NULL},                                                     \
        {"commands." command "#0.n_cr", EXACT, ncr, 0, NULL},                                      \
        {"commands." command "#0.response_crc", TEXT, 0, 0, "right"},                              \
        {"crc7.right", EXACT, frames, 0, NULL},                                                    \
        {"crc7.checked", EXACT, frames, 0, NULL},                                                  \
        {"unreadable_frames", EXACT, 0, 0, NULL},                                                  \
    }

READER_FIGURES(cmd13_r1, "CMD13", 11, 187.4e3, 2);
READER_FIGURES(cmd3_r6, "CMD3", 11, 187.4e3, 2);
READER_FIGURES(cmd6_r1, "CMD6", 11, 187.4e3, 2);
READER_FIGURES(cmd7_r6, "CMD7", 11, 187.4e3, 2);
READER_FIGURES(cmd9_r2, "CMD9", 11, 187.4e3, 2);

static const struct figure cmd13_r1_2[] = {
    {"clock", PERIOD, 25e6, 0, NULL},
    {"commands.CMD13#0.n_cr", EXACT, 11, 0, NULL},
    {"crc7.right", EXACT, 2, 0, NULL},
    {"sampling", TEXT, 0, 0, "at the rising edge"},
    {"undersampled", TRUE_OR_FALSE, 0, 0, NULL},
};

static const struct figure cmd2_r2[] = {
    {"clock", PERIOD, 187.4e3, 0, NULL},
    {"commands.CMD2#0.n_cr", EXACT, 5, 0, NULL},
    {"crc7.right", EXACT, 2, 0, NULL},
    {"registers.cid.maker", EXACT, 9, 0, NULL},
    {"registers.cid.oem", TEXT, 0, 0, "AP"},
    {"registers.cid.product", TEXT, 0, 0, "AFSDI"},
    {"registers.cid.made", TEXT, 0, 0, "2008-07"},
};

static const struct figure acmd41[] = {
    {"clock", PERIOD, 187.4e3, 0, NULL},
    {"commands.CMD55#0.n_cr", EXACT, 5, 0, NULL},
    {"commands.ACMD41#0.n_cr", EXACT, 5, 0, NULL},
    {"commands.ACMD41#0.gap", EXACT, 200, 0, NULL},
    {"crc7.right", EXACT, 3, 0, NULL},
    {"crc7.checked", EXACT, 3, 0, NULL},
};

static const struct figure acmd51[] = {
    {"clock", PERIOD, 187.4e3, 0, NULL},
    {"commands.CMD55#0.n_cr", EXACT, 11, 0, NULL},
    {"commands.ACMD51#0.n_cr", EXACT, 11, 0, NULL},
    {"commands.ACMD51#0.gap", EXACT, 10, 0, NULL},
    {"crc7.right", EXACT, 4, 0, NULL},
};

static const struct figure rcar[] = {
    {"clock", EXACT, 0, 0, NULL}, /* none that can be read */
    {"stretches.0.clock", PERIOD, 25e6, 0, NULL},
    {"stretches.0.undersampled", TRUE_OR_FALSE, 1, 0, NULL},
    {"undersampled", TRUE_OR_FALSE, 1, 0, NULL},
    {"crc7.right", EXACT, 0, 0, NULL},
    {"unreadable_frames", EXACT, 4, 0, NULL},
    {"items.command", EXACT, 0, 0, NULL},
    {"readable_clock", EXACT, 12.5e6, 0, NULL},
};

static const struct figure snippet[] = {
    {"clock", PERIOD, 344.8e3, 0, NULL},  {"crc7.right", EXACT, 7, 0, NULL},
    {"crc7.checked", EXACT, 7, 0, NULL},  {"n_cr.least", EXACT, 5, 0, NULL},
    {"n_cr.greatest", EXACT, 5, 0, NULL}, {"n_cr.count", EXACT, 3, 0, NULL},
    {"ticks", EXACT, 524288, 0, NULL},    {"items.cut off", EXACT, 1, 0, NULL},
};

static const struct figure working[] = {
    {"bus", TEXT, 0, 0, "SD"},
    {"ticks", EXACT, 627712672, 0, NULL},
    {"stretches.0.clock", PERIOD, 344.8e3, 0, NULL},
    {"stretches.0.undersampled", TRUE_OR_FALSE, 0, 0, NULL},
    {"stretches.1.undersampled", TRUE_OR_FALSE, 1, 0, NULL},
    {"stretches.2.clock", PERIOD, 388.3e3, 0, NULL},
    {"stretches.2.undersampled", TRUE_OR_FALSE, 0, 0, NULL},
    {"stretches.3.undersampled", TRUE_OR_FALSE, 1, 0, NULL},
    {"stretches.4.clock", PERIOD, 388.3e3, 0, NULL},
    {"stretches.5.undersampled", TRUE_OR_FALSE, 1, 0, NULL},
    {"undersampled", TRUE_OR_FALSE, 1, 0, NULL},
    {"sampling", TEXT, 0, 0, "before the rising edge"},
    {"crc7.right", EXACT, 1079, 0, NULL},
    {"crc7.checked", EXACT, 1079, 0, NULL},
    {"n_cr.count", EXACT, 704, 0, NULL},
    {"n_cr.least", EXACT, 5, 0, NULL},
    {"n_cr.greatest", EXACT, 5, 0, NULL},
    {"n_rc.most_often", EXACT, 26, 0, NULL},
    {"items.no response", EXACT, 6, 0, NULL}, /* CMD52 twice, CMD5 four times */
    {"commands.CMD52#1.argument", TEXT, 0, 0, "80000c08"},
    {"commands.CMD5#3.argument", TEXT, 0, 0, "00000000"},
    {"commands.CMD55#1.gap", EXACT, 26, 0, NULL},
    {"commands.CMD2#1.gap", EXACT, 18, 0, NULL},
    {"commands.CMD7#0.gap", EXACT, 18, 0, NULL},
    {"commands.CMD2#2.gap", EXACT, 53, 0, NULL},
    {"commands.ACMD51#1.gap", EXACT, 62, 0, NULL},
    {"initialisations.0.start", TIME, 850.2 * MS, 0.05 * MS, NULL},
    {"initialisations.0.polls", EXACT, 334, 0, NULL},
    {"initialisations.0.time_to_ready", TIME, 270.5 * MS, 0.05 * MS, NULL},
    {"initialisations.0.poll_pitch", TIME, 808.7 * US, 0.05 * US, NULL},
    {"initialisations.1.start", TIME, 1415.7 * MS, 0.05 * MS, NULL},
    {"initialisations.1.polls", EXACT, 2, 0, NULL},
    {"initialisations.1.time_to_ready", TIME, 4.6 * MS, 0.05 * MS, NULL},
    {"initialisations.1.poll_pitch", TIME, 1650 * US, 0.5 * US, NULL},
    {"initialisations.3.start", TIME, 14379.1 * MS, 0.05 * MS, NULL},
    {"initialisations.3.polls", EXACT, 2, 0, NULL},
    {"initialisations.3.time_to_ready", TIME, 16.9 * MS, 0.05 * MS, NULL},
    {"crc16.right", EXACT, 7, 0, NULL},
    {"crc16.checked", EXACT, 7, 0, NULL},
    {"commands.ACMD51#0.read.n_ac_from_response", EXACT, 98, 0, NULL},
    {"commands.ACMD51#0.read.n_ac_from_response_time", TIME, 256.025 * US, 0, NULL},
    {"commands.ACMD51#0.read.width", EXACT, 1, 0, NULL},
    {"commands.ACMD51#1.read.n_ac_from_response", EXACT, 98, 0, NULL},
    {"commands.CMD6#0.read.n_ac_from_response", EXACT, 54, 0, NULL},
    {"commands.CMD6#0.read.n_ac_from_response_time", TIME, 142 * US, 0.5 * US, NULL},
    {"commands.CMD6#1.read.n_ac_from_response", EXACT, 77, 0, NULL},
    {"commands.CMD6#2.read.n_ac_from_response", EXACT, 54, 0, NULL},
    {"commands.CMD6#3.read.n_ac_from_response", EXACT, 169, 0, NULL},
    {"commands.CMD6#3.read.n_ac_from_response_time", TIME, 440 * US, 0.5 * US, NULL},
    {"commands.ACMD13#0.read.n_ac_from_response", EXACT, 99, 0, NULL},
    {"registers.cid.maker", EXACT, 0x74, 0, NULL},
    {"registers.cid.made", TEXT, 0, 0, "2013-10"},
};

static const struct figure failing[] = {
    {"stretches.0.clock", PERIOD, 344.8e3, 0, NULL},
    {"stretches.1.undersampled", TRUE_OR_FALSE, 1, 0, NULL},
    {"ticks", EXACT, 216023040, 0, NULL},
    {"crc7.right", EXACT, 316, 0, NULL},
    {"crc7.checked", EXACT, 316, 0, NULL},
    {"commands.CMD8#0.n_cr", EXACT, 10, 0, NULL},
    {"commands.CMD55#5.n_cr", EXACT, 7, 0, NULL},
    {"commands.ACMD41#5.n_cr", EXACT, 5, 0, NULL},
    {"commands.CMD2#0.n_cr", EXACT, 5, 0, NULL},
    {"commands.CMD3#0.n_cr", EXACT, 8, 0, NULL},
    {"commands.CMD55#3.gap", EXACT, 26, 0, NULL},
    {"initialisations.0.start", TIME, 376.5 * MS, 0.05 * MS, NULL},
    {"initialisations.0.polls", EXACT, 103, 0, NULL},
    {"initialisations.0.time_to_ready", TIME, 84.5 * MS, 0.05 * MS, NULL},
    {"initialisations.0.poll_pitch", TIME, 816.0 * US, 0.05 * US, NULL},
    {"registers.cid.product", TEXT, 0, 0, "SD02G"},
    {"registers.cid.made", TEXT, 0, 0, "2011-04"},
    {"items.command", EXACT, 210, 0, NULL}, /* no phantoms: CMD0, 8, (55, 41) x 103, 2, 3 */
};

/* Crops: what is whole in them is as in their origin. */
static const struct figure uboot[] = {
    {"clock", PERIOD, 388.3e3, 0, NULL},
    {"initialisations.0.polls", EXACT, 2, 0, NULL},
    {"commands.ACMD51#0.read.n_ac_from_response", EXACT, 98, 0, NULL},
    {"commands.CMD6#1.read.n_ac_from_response", EXACT, 77, 0, NULL},
    {"crc16.right", EXACT, 3, 0, NULL},
    {"commands.ACMD6#0.response_crc", TEXT, 0, 0, "right"}, /* behind the high-speed switch */
};

static const struct figure linux_init[] = {
    {"clock", PERIOD, 388.3e3, 0, NULL},
    {"items.no response", EXACT, 6, 0, NULL},
    {"commands.ACMD13#0.read.n_ac_from_response", EXACT, 99, 0, NULL},
    {"crc16.right", EXACT, 3, 0, NULL},
    {"crc7.right", EXACT, 41, 0, NULL},
};

#define FILE_ROW(path, rate, figures)                                                              \
    {                                                                                              \
        path, rate, figures, sizeof figures / sizeof figures[0]                                    \
    }

static const struct file files[] = {
    FILE_ROW(SPI "cmds/cmd17.sr", 24e6, cmd17),
    FILE_ROW(SPI "write_single_block/data_transfer_complete_real.sr", 24e6, write_real),
    FILE_ROW(SPI "write_single_block/data_transfer_start_snippet.sr", 24e6, write_snippet),
    FILE_ROW(SPI "write_single_block/data_transfer_complete_simulated.sr", 24e6, write_simulated),
    FILE_ROW(SPI "xmore_512mb/xmore_512mb_get_csd.sr", 4e6, xmore_csd),
    FILE_ROW(SPI "xmore_512mb/xmore_512mb_read_3blocks_A.sr", 4e6, xmore_read),
    FILE_ROW(READER "cmd13_r1.sr", 125e6, cmd13_r1),
    FILE_ROW(READER "cmd13_r1_2.sr", 125e6, cmd13_r1_2),
    FILE_ROW(READER "cmd2_r2.sr", 125e6, cmd2_r2),
    FILE_ROW(READER "cmd3_r6.sr", 125e6, cmd3_r6),
    FILE_ROW(READER "cmd55_r1_acmd41_r3.sr", 125e6, acmd41),
    FILE_ROW(READER "cmd55_r1_acmd51_r1.sr", 125e6, acmd51),
    FILE_ROW(READER "cmd6_r1.sr", 125e6, cmd6_r1),
    FILE_ROW(READER "cmd6_r1_2.sr", 125e6, cmd6_r1),
    FILE_ROW(READER "cmd7_r6.sr", 125e6, cmd7_r6),
    FILE_ROW(READER "cmd9_r2.sr", 125e6, cmd9_r2),
    FILE_ROW(SD "rcar-h2/cmd23_cmd18.sr", 50e6, rcar),
    FILE_ROW(SD "imx6_quad/working_snippet.sr", 40e6, snippet),
    FILE_ROW(SD "imx6_quad/working.sr", 40e6, working),
    FILE_ROW(SD "imx6_quad/failing.sr", 40e6, failing),
    FILE_ROW(CAPTURES "derived/imx6_uboot_init_hs_switch.sr", 40e6, uboot),
    FILE_ROW(CAPTURES "derived/imx6_linux_init.sr", 40e6, linux_init),
    FILE_ROW(CAPTURES "derived/imx6_linux_init.vcd", 40e6, linux_init),
    FILE_ROW(CAPTURES "derived/cmd17.vcd", 24e6, cmd17),
    FILE_ROW(CAPTURES "derived/cmd17.csv", 24e6, cmd17),
    FILE_ROW(CAPTURES "derived/cmd13_r1_2.vcd", 125e6, cmd13_r1_2),
    FILE_ROW(CAPTURES "derived/cmd13_r1_2.csv", 125e6, cmd13_r1_2),
    FILE_ROW(CAPTURES "derived/xmore_512mb_read_3blocks_A.vcd", 4e6, xmore_read),
};

/* How far off a number may be. */
static double allowed(const struct figure *figure, double found, double rate)
{
    const double sample = 1.0000001 / rate;
    switch (figure->kind) {
    case TIME:
        return sample + figure->rounding;
    case PERIOD:
        return figure->value * found * sample;
    case RATE:
        return figure->rounding + figure->value * 1e-4;
    default:
        return 0;
    }
}

static bool holds(const struct figure *figure, json_t *value, double rate)
{
    if (value == NULL) {
        return false;
    }
    if (figure->kind == TEXT) {
        return json_is_string(value) && strcmp(json_string_value(value), figure->text) == 0;
    }
    if (figure->kind == TRUE_OR_FALSE) {
        return json_is_boolean(value) && json_is_true(value) == (figure->value != 0);
    }
    const double found = json_number_value(value);
    return json_is_number(value) && fabs(found - figure->value) <= allowed(figure, found, rate);
}

static unsigned check(const struct file *file)
{
    unsigned wrong = 0;
    char messages[1000] = "";
    json_t *root = sdsim_test_capture(file->path, NULL, messages, sizeof messages);
    if (root == NULL) {
        print_error("%s: no report\n%s", file->path, messages);
        return 1;
    }
    for (size_t i = 0; i < file->count; i++) {
        const struct figure *figure = &file->figures[i];
        json_t *value = sdsim_test_at(root, figure->path);
        if (!holds(figure, value, file->rate)) {
            char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
            print_error("%s: %s is %s, should be %s%.9g\n", file->path, figure->path,
                        text != NULL ? text : "missing", figure->text != NULL ? figure->text : "",
                        figure->value);
            free(text);
            wrong++;
        }
    }
    json_decref(root);
    return wrong;
}

static void states_the_figures_of_the_index(void **state)
{
    (void)state;
    unsigned wrong = 0;
    if (!sdsim_test_has_captures()) {
        print_message("../shared/captures is not here\n");
        skip();
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        wrong += check(&files[i]);
    }
    assert_int_equal(wrong, 0);
}

static double number_at(json_t *root, const char *path)
{
    return json_number_value(sdsim_test_at(root, path));
}

/* "sector to sector: 23.60 and 23.59 ms", "N_AC is 3.5 % of TAAC" */
static void relates_commands_of_a_capture(void **state)
{
    (void)state;
    if (!sdsim_test_has_captures()) {
        skip();
    }
    json_t *root =
        sdsim_test_capture(SPI "xmore_512mb/xmore_512mb_read_3blocks_A.sr", NULL, NULL, 0);
    const double first = number_at(root, "commands.CMD17#0.time");
    const double second = number_at(root, "commands.CMD17#1.time");
    const double third = number_at(root, "commands.CMD17#2.time");
    assert_true(fabs(second - first - 23.60 * MS) < 0.0055 * MS);
    assert_true(fabs(third - second - 23.59 * MS) < 0.0055 * MS);
    const double share =
        number_at(root, "commands.CMD17#0.read.n_ac_time") / number_at(root, "registers.csd.taac");
    assert_true(fabs(share - 0.035) < 0.0005);
    json_decref(root);
}

/* All N_CR of CMD55 are 7, one is 6; those of all others of their kind are alike. */
static void counts_n_cr_of_every_command(void **state)
{
    (void)state;
    if (!sdsim_test_has_captures()) {
        skip();
    }
    json_t *root = sdsim_test_capture(SD "imx6_quad/failing.sr", NULL, NULL, 0);
    unsigned sevens = 0;
    unsigned sixes = 0;
    unsigned fives = 0;
    size_t i;
    json_t *row;
    json_array_foreach(sdsim_test_at(root, "commands"), i, row)
    {
        const char *command = json_string_value(json_object_get(row, "command"));
        const json_int_t n_cr = json_integer_value(json_object_get(row, "n_cr"));
        sevens += strcmp(command, "CMD55") == 0 && n_cr == 7;
        sixes += strcmp(command, "CMD55") == 0 && n_cr == 6;
        fives += strcmp(command, "ACMD41") == 0 && n_cr == 5;
    }
    assert_int_equal(sevens, 102);
    assert_int_equal(sixes, 1);
    assert_int_equal(fives, 103);
    json_decref(root);
}

/* The file calls a dead channel DAT3; a live one has no name. */
static void finds_the_misnamed_data_line(void **state)
{
    (void)state;
    if (!sdsim_test_has_captures()) {
        skip();
    }
    json_t *root = sdsim_test_capture(SD "imx6_quad/working.sr", NULL, NULL, 0);
    bool found = false;
    size_t i;
    json_t *finding;
    json_array_foreach(sdsim_test_at(root, "findings"), i, finding)
    {
        const char *text = json_string_value(json_object_get(finding, "text"));
        found = found || strstr(text, "--channel DAT3=6") != NULL;
    }
    assert_true(found);
    json_decref(root);
}

/* What was made by hand has no figures: it must be read, and nothing invented. */
static void reads_synthetic_captures(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *bus;
        json_int_t commands;
        json_int_t blocks;
    } rows[] = {
        {CAPTURES "handmade/spi_cmd0.vcd", "SPI", 1, 0},
        {CAPTURES "handmade/spi_session.vcd", "SPI", 8, 3},
        {CAPTURES "handmade/sd_4bit_session.vcd", "SD", 6, 1},
        {CAPTURES "handmade/sd_4bit_50mhz.vcd", "SD", 6, 1},
    };
    if (!sdsim_test_has_captures()) {
        skip();
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *root = sdsim_test_capture(rows[i].path, NULL, NULL, 0);
        assert_non_null(root);
        assert_string_equal(json_string_value(sdsim_test_at(root, "bus")), rows[i].bus);
        assert_int_equal(number_at(root, "items.command"), rows[i].commands);
        assert_int_equal(number_at(root, "crc16.right"), rows[i].blocks);
        assert_false(json_is_true(sdsim_test_at(root, "undersampled")));
        json_decref(root);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_the_figures_of_the_index),
        cmocka_unit_test(relates_commands_of_a_capture),
        cmocka_unit_test(counts_n_cr_of_every_command),
        cmocka_unit_test(finds_the_misnamed_data_line),
        cmocka_unit_test(reads_synthetic_captures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "report/layout_picture.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/format.h"
#include "report/layout_report.h"

#define COLUMNS  128u
#define ROWS_MAX 72u
#define TICS     8u

struct color {
    double red;
    double green;
    double blue;
};

static const struct {
    const char *name;
    unsigned rgb;
} kinds[SDSIM_MAP_KINDS] = {
    [SDSIM_MAP_OUTSIDE] = {"outside the volume", 0xFFFFFF},
    [SDSIM_MAP_SYSTEM] = {"boot, FATs", 0x34495E},
    [SDSIM_MAP_FREE] = {"free", 0xE3EEDD},
    [SDSIM_MAP_USED] = {"used", 0x8FA8C8},
    [SDSIM_MAP_LOST] = {"lost or bad", 0xD62728},
    [SDSIM_MAP_CHOSEN] = {"this file", 0xFF8C00},
};

/* ---- the grid ---- */

static uint32_t cell_sectors_for(uint32_t device_sectors)
{
    uint32_t cell = 1;
    while ((uint64_t)cell * COLUMNS * ROWS_MAX < device_sectors) {
        cell *= 2;
    }
    return cell;
}

static uint32_t rows_for(uint32_t device_sectors)
{
    const uint64_t row = (uint64_t)cell_sectors_for(device_sectors) * COLUMNS;
    return (uint32_t)((device_sectors + row - 1) / row);
}

static struct color color_of(enum sdsim_map_kind kind)
{
    const unsigned rgb = kinds[kind].rgb;
    return (struct color){(double)(rgb >> 16), (double)(rgb >> 8 & 0xFF), (double)(rgb & 0xFF)};
}

static void mix(struct color *color, const struct color *other, double part)
{
    color->red += (other->red - color->red) * part;
    color->green += (other->green - color->green) * part;
    color->blue += (other->blue - color->blue) * part;
}

/* Mixes the kinds in one after the other; with each share counted of what came so far, the result
 * does not depend on the order, the least weight of the last two excepted. */
static struct color mix_cell(const struct sdsim_map_cell *cell)
{
    struct color color = color_of(SDSIM_MAP_OUTSIDE);
    double sum = 0.0;
    for (int kind = 0; kind < SDSIM_MAP_KINDS; kind++) {
        const double sectors = (double)cell->sectors[kind];
        if (!(sectors > 0.0)) {
            continue;
        }
        sum += sectors;
        double part = sectors / sum;
        if (kind >= SDSIM_MAP_LOST && part < 2.0 / 3.0) {
            part = 2.0 / 3.0;
        }
        const struct color other = color_of((enum sdsim_map_kind)kind);
        mix(&color, &other, part);
    }
    return color;
}

static unsigned rgb_of(const struct sdsim_map_cell *cell)
{
    const struct color color = mix_cell(cell);
    return (unsigned)(color.red + 0.5) << 16 | (unsigned)(color.green + 0.5) << 8 |
           (unsigned)(color.blue + 0.5);
}

static void put_row(const struct sdsim_map_cell *cells, uint32_t row, FILE *out)
{
    uint32_t first = 0;
    for (uint32_t column = 1; column <= COLUMNS; column++) {
        const unsigned rgb = rgb_of(&cells[first]);
        if (column == COLUMNS || rgb_of(&cells[column]) != rgb) {
            fprintf(out, "%" PRIu32 " %" PRIu32 " %" PRIu32 " 0x%06x\n", first, column, row, rgb);
            first = column;
        }
    }
}

bool sdsim_layout_picture_data(const struct sdsim_layout *layout, FILE *out)
{
    const uint32_t rows = rows_for(layout->device_sectors);
    const size_t count = (size_t)rows * COLUMNS;
    struct sdsim_map_cell *cells = malloc(count * sizeof *cells);
    if (cells == NULL) {
        return false;
    }
    sdsim_layout_map(layout, cell_sectors_for(layout->device_sectors), cells, count);
    fputs("# column end row color\n", out);
    for (uint32_t row = 0; row < rows; row++) {
        put_row(cells + (size_t)row * COLUMNS, row, out);
    }
    free(cells);
    return true;
}

/* ---- the script ---- */

/* A text in single quotes; a quote in it is doubled, and what could end the line becomes '?'. */
static void put_quoted(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputc('\'', out);
        }
        fputc((unsigned char)*text < ' ' ? '?' : *text, out);
    }
    fputc('\'', out);
}

static void put_terminal(enum sdsim_picture_format format, FILE *out)
{
    if (format == SDSIM_PICTURE_SVG) {
        fputs("set terminal svg size 1000,700 font 'sans-serif,14' background '#ffffff'\n", out);
    } else {
        fputs("if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
              "    set terminal pngcairo size 1000,700 font 'Sans,11' background '#ffffff'\n"
              "} else {\n"
              "    set terminal png size 1000,700 background '#ffffff'\n"
              "}\n",
              out);
    }
}

/* Marks "SIZE" position along an axis; each step is `sectors` long. */
static void put_tics(const char *axis, uint32_t steps, uint64_t sectors, FILE *out)
{
    const uint32_t every = steps > TICS ? (steps + TICS - 1) / TICS : 1;
    uint32_t step = 1;
    while (step < every) {
        step *= 2;
    }
    fprintf(out, "set %s (", axis);
    for (uint32_t at = 0; at <= steps; at += step) {
        char size[32];
        fprintf(out, "%s'%s' %" PRIu32, at > 0 ? ", " : "",
                sdsim_print_sectors(at * sectors, size, sizeof size), at);
    }
    fputs(")\n", out);
}

static void put_title(const struct sdsim_layout *layout, const char *title, FILE *out)
{
    char text[600];
    char device[32];
    char share[16];
    char run[32];
    const struct sdsim_layout_space *space = &layout->space;
    snprintf(text, sizeof text, "%.200s%s%.200s: %s, %s, %s used, largest free run %s", title,
             layout->chosen.found ? " " : "", layout->chosen.found ? layout->chosen.file.path : "",
             sdsim_print_sectors(layout->device_sectors, device, sizeof device),
             sdsim_fat_type_name(layout->geometry.type),
             sdsim_print_share((double)space->used / (double)layout->geometry.clusters, share,
                               sizeof share),
             sdsim_print_sectors((uint64_t)space->largest.count * layout->geometry.cluster_sectors,
                                 run, sizeof run));
    fputs("set title ", out);
    put_quoted(text, out);
    fputs(" noenhanced\n", out);
}

/* The map itself, and a point of each colour for the key. Each box reaches a little under the ones
 * that are drawn after it, right and below, so that no hairlines show between them. */
static void put_plot(const struct sdsim_layout *layout, const char *data, FILE *out)
{
    fputs("plot ", out);
    put_quoted(data, out);
    fputs(" using (($1+$2)/2.0):($3+0.5):1:($2+0.1):3:($3+1.1):4 with boxxyerror"
          " lc rgb variable notitle",
          out);
    for (int kind = SDSIM_MAP_SYSTEM; kind < SDSIM_MAP_KINDS; kind++) {
        const bool shown = (kind != SDSIM_MAP_CHOSEN || layout->chosen.found) &&
                           (kind != SDSIM_MAP_LOST || layout->space.lost + layout->space.bad > 0);
        if (shown) {
            fprintf(out, ", \\\n    NaN with points pt 5 ps 2 lc rgb '#%06x' title '%s'",
                    kinds[kind].rgb, kinds[kind].name);
        }
    }
    fputc('\n', out);
}

void sdsim_layout_picture_script(const struct sdsim_layout *layout, const char *title,
                                 enum sdsim_picture_format format, const char *data,
                                 const char *picture, FILE *out)
{
    const uint32_t rows = rows_for(layout->device_sectors);
    const uint32_t cell = cell_sectors_for(layout->device_sectors);
    char size[32];
    put_terminal(format, out);
    fputs("set output ", out);
    put_quoted(picture, out);
    fputc('\n', out);
    put_title(layout, title, out);
    fputs("set key at screen 0.5, screen 0.02 center bottom horizontal maxrows 1 samplen 1\n"
          "set bmargin 6\n",
          out);
    fputs("set border lc rgb '#888888'\nset tics out nomirror\nset style fill solid noborder\n",
          out);
    put_tics("xtics", COLUMNS, cell, out);
    put_tics("ytics", rows, (uint64_t)cell * COLUMNS, out);
    fprintf(out, "set xlabel 'position in the row; a cell is %s'\n",
            sdsim_print_sectors(cell, size, sizeof size));
    fputs("set ylabel 'position on the card'\n", out);
    fprintf(out, "set xrange [0:%u]\nset yrange [%" PRIu32 ":0]\n", COLUMNS, rows);
    put_plot(layout, data, out);
}

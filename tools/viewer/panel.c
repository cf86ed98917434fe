#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "scene.h"
#include "view/ruler.h"

/* Lines of the panel, from top to bottom. */
struct lines {
    const struct sdsim_picture *picture;
    int32_t x;
    int32_t y;
    int32_t width;
    int32_t names; /* width of the first column */
};

static void heading(struct lines *lines, const char *text)
{
    lines->y += 4;
    sdsim_canvas_text(lines->picture->canvas, lines->x, lines->y, lines->width, text,
                      lines->picture->theme->text);
    lines->y += lines->picture->app->layout.unit;
    sdsim_canvas_fill(lines->picture->canvas, lines->x, lines->y - 2, lines->width, 1,
                      lines->picture->theme->line);
    lines->y += 2;
}

/* A value in one line, or in two if it is too long: broken at a blank. */
static void broken(struct lines *lines, const char *value, sdsim_color color)
{
    struct sdsim_canvas *canvas = lines->picture->canvas;
    const int32_t room = lines->width - lines->names;
    char first[120];
    snprintf(first, sizeof first, "%s", value);
    char *blank = NULL;
    while (sdsim_font_width(canvas->font, first) > room && (blank = strrchr(first, ' ')) != NULL) {
        *blank = '\0';
    }
    const size_t used = strlen(first);
    if (blank != NULL && used > 0 && sdsim_font_width(canvas->font, first) <= room) {
        sdsim_canvas_text(canvas, lines->x + lines->names, lines->y, room, first, color);
        lines->y += lines->picture->app->layout.unit;
        value += used + 1;
    }
    sdsim_canvas_text(canvas, lines->x + lines->names, lines->y, room, value, color);
    lines->y += lines->picture->app->layout.unit;
}

static void line(struct lines *lines, const char *name, const char *value)
{
    sdsim_canvas_text(lines->picture->canvas, lines->x, lines->y, lines->names - 6, name,
                      lines->picture->theme->faint);
    broken(lines, value, lines->picture->theme->text);
}

static void colored(struct lines *lines, sdsim_color color, const char *name, const char *value)
{
    const int32_t size = lines->picture->canvas->font->height - 4;
    sdsim_canvas_fill(lines->picture->canvas, lines->x, lines->y + 2, size, size, color);
    sdsim_canvas_text(lines->picture->canvas, lines->x + size + 6, lines->y,
                      lines->names - size - 12, name, lines->picture->theme->faint);
    sdsim_canvas_text(lines->picture->canvas, lines->x + lines->names, lines->y,
                      lines->width - lines->names, value, lines->picture->theme->text);
    lines->y += lines->picture->app->layout.unit;
}

/* The values of the profiles behind the selected span: two lines each, as many as there is room for. */
static void show_causes(struct lines *lines)
{
    const struct sdsim_app *app = lines->picture->app;
    const int32_t bottom = app->height - app->layout.status - 2 * app->layout.unit;
    if (app->cause_count == 0 || lines->y + 3 * app->layout.unit > bottom) {
        return;
    }
    heading(lines, "Made by these values");
    for (size_t i = 0; i < app->cause_count && lines->y < bottom; i++) {
        const struct sdsim_cause *cause = &app->causes[i];
        char name[80];
        char value[160];
        snprintf(name, sizeof name, "%s %s", sdsim_profile_kind_name(cause->profile), cause->key);
        snprintf(value, sizeof value, "%s%s%s%s", cause->value,
                 cause->origin[0] != '\0' ? ", " : "", cause->origin,
                 cause->exact ? ", exactly" : "");
        line(lines, name, value);
        if (cause->source[0] != '\0') {
            broken(lines, cause->source, lines->picture->theme->faint);
        }
    }
}

static void show_facts(struct lines *lines)
{
    struct sdsim_app *app = lines->picture->app;
    struct sdsim_facts facts;
    heading(lines, "Selected");
    if (!sdsim_facts_of(app->pair.timelines[app->track], app->place.lane, app->place.number,
                        &facts)) {
        line(lines, "", "can't be read");
        return;
    }
    for (size_t i = 0; i < facts.count; i++) {
        line(lines, facts.items[i].name, facts.items[i].value);
    }
    show_causes(lines);
}

static void show_piece(struct lines *lines)
{
    const struct sdsim_app *app = lines->picture->app;
    const struct sdsim_bus_piece *piece = &app->piece;
    const struct sdsim_waves *waves = app->bits[app->track].waves;
    char text[80];
    heading(lines, piece->row == SDSIM_PIECE_BYTE ? "Selected byte" : "Selected field");
    if (waves != NULL) {
        line(lines, "line", sdsim_wave_pins(waves->mode)->names[piece->pin]);
    }
    line(lines, "what", piece->text);
    line(lines, "start", sdsim_time_print(piece->from, text, sizeof text));
    line(lines, "duration", sdsim_time_print(piece->to - piece->from, text, sizeof text));
    line(lines, "end", sdsim_time_print(piece->to, text, sizeof text));
}

/* How often each command was sent; false if there are too many to look at each. */
static bool show_commands(struct lines *lines, sdsim_ps from, sdsim_ps to)
{
    struct sdsim_app *app = lines->picture->app;
    uint64_t counts[128];
    if (!sdsim_measure_commands(app->pair.timelines[0], sdsim_pair_own(&app->pair, 0, from),
                                sdsim_pair_own(&app->pair, 0, to), 50000, counts)) {
        return false;
    }
    for (unsigned i = 0; i < 128; i++) {
        if (counts[i] > 0) {
            char name[80];
            char text[32];
            snprintf(name, sizeof name, "%s%u", i >= 64 ? "ACMD" : "CMD", i & 63);
            snprintf(text, sizeof text, "%" PRIu64 " times", counts[i]);
            line(lines, name, text);
        }
    }
    return true;
}

/* Sums of [from, to) of the first run. */
static void show_sums(struct lines *lines, const char *title, sdsim_ps from, sdsim_ps to)
{
    struct sdsim_app *app = lines->picture->app;
    const struct sdsim_theme *theme = lines->picture->theme;
    struct sdsim_measured measured;
    char text[80];
    char number[40];
    sdsim_measure(app->pair.timelines[0], sdsim_pair_own(&app->pair, 0, from),
                  sdsim_pair_own(&app->pair, 0, to), &measured);
    heading(lines, title);
    line(lines, "from", sdsim_time_print(from, text, sizeof text));
    line(lines, "time", sdsim_short_time(measured.time, text, sizeof text));
    snprintf(text, sizeof text, "%" PRIu64, measured.bytes);
    line(lines, "bytes", text);
    line(lines, "rate", sdsim_unit_print(SDSIM_UNIT_RATE, measured.rate, text, sizeof text));
    lines->y += 4;
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        if (measured.kinds[kind] > 0) {
            snprintf(text, sizeof text, "%s  %.1f%%",
                     sdsim_short_time(measured.kinds[kind], number, sizeof number),
                     100.0 * (double)measured.kinds[kind] / (double)measured.time);
            colored(lines, sdsim_theme_class(theme, SDSIM_LANE_BUS, (uint8_t)kind),
                    sdsim_kind_name((enum sdsim_kind)kind), text);
        }
    }
    lines->y += 4;
    if (app->measured && show_commands(lines, from, to)) {
        return;
    }
    const struct sdsim_lane_info *commands = sdsim_lane_info(SDSIM_LANE_COMMAND);
    for (uint8_t group = 0; group < SDSIM_GROUP_COUNT; group++) {
        if (measured.commands[group] > 0) {
            snprintf(text, sizeof text, "%" PRIu64, measured.commands[group]);
            snprintf(number, sizeof number, "%s cmds", commands->called[group]);
            colored(lines, sdsim_theme_class(theme, SDSIM_LANE_COMMAND, group), number, text);
        }
    }
}

/* Text that ends at x. */
static void right(struct lines *lines, int32_t x, const char *text, sdsim_color color)
{
    struct sdsim_canvas *canvas = lines->picture->canvas;
    sdsim_canvas_text(canvas, x - sdsim_font_width(canvas->font, text), lines->y, 0, text, color);
}

static void difference_value(const struct sdsim_difference *one, uint64_t value, char *out,
                             size_t size)
{
    if (one->unit[0] == 't') {
        sdsim_short_time(value, out, size);
    } else if (one->unit[0] == 'b') {
        sdsim_unit_print(SDSIM_UNIT_SIZE, (double)value, out, size);
    } else {
        snprintf(out, size, "%" PRIu64, value);
    }
}

static void show_difference(struct lines *lines, sdsim_ps from, sdsim_ps to)
{
    struct sdsim_app *app = lines->picture->app;
    const struct sdsim_theme *theme = lines->picture->theme;
    struct sdsim_difference differences[SDSIM_DIFFERENCES_MOST];
    const size_t count = sdsim_pair_differ(&app->pair, from, to, differences);
    const int32_t column = lines->width * 17 / 80;
    const int32_t last = lines->width * 21 / 80; /* has a sign, too */
    const int32_t end = lines->x + lines->width;
    char text[40];
    heading(lines, app->measured ? "Measured" : "In this window");
    line(lines, "from", sdsim_time_print(from, text, sizeof text));
    line(lines, "time", sdsim_short_time(sdsim_time_since(to, from), text, sizeof text));
    lines->y += 4;
    right(lines, end - last - column, "A", theme->faint);
    right(lines, end - last, "B", theme->faint);
    right(lines, end, "B - A", theme->faint);
    lines->y += app->layout.unit;
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_difference *one = &differences[i];
        const bool less = one->of[1] < one->of[0];
        const uint64_t by = less ? one->of[0] - one->of[1] : one->of[1] - one->of[0];
        char signed_by[44];
        sdsim_canvas_text(lines->picture->canvas, lines->x, lines->y,
                          lines->width - last - 2 * column - 4, one->name, theme->faint);
        difference_value(one, one->of[0], text, sizeof text);
        right(lines, end - last - column, text, theme->text);
        difference_value(one, one->of[1], text, sizeof text);
        right(lines, end - last, text, theme->text);
        difference_value(one, by, text, sizeof text);
        snprintf(signed_by, sizeof signed_by, "%s%s", by == 0 ? "" : less ? "-" : "+", text);
        right(lines, end, signed_by, by == 0 ? theme->faint : theme->mark);
        lines->y += app->layout.unit;
    }
}

static void show_longest(struct lines *lines)
{
    struct sdsim_app *app = lines->picture->app;
    struct sdsim_timeline *timeline = app->pair.timelines[app->longest_track];
    heading(lines, "Longest of this row");
    lines->names = lines->width / 4;
    for (size_t i = 0; i < app->longest_count; i++) {
        const struct sdsim_long_one *one = &app->longest[i];
        struct sdsim_span span;
        char label[80] = "";
        char duration[40];
        char at[48];
        char text[160];
        if (sdsim_store_span(&timeline->lanes[one->place.lane], one->place.number, &span)) {
            sdsim_span_label(timeline, &span, label, sizeof label);
        }
        snprintf(text, sizeof text, "%s, at %s", label,
                 sdsim_short_time(one->start, at, sizeof at));
        if (i == app->longest_at) {
            sdsim_canvas_blend(lines->picture->canvas, lines->x - 4, lines->y - 1, lines->width + 8,
                               app->layout.unit, lines->picture->theme->mark, 50);
        }
        sdsim_short_time(one->duration, duration, sizeof duration);
        sdsim_canvas_text(lines->picture->canvas, lines->x, lines->y, lines->names - 6, duration,
                          lines->picture->theme->text);
        sdsim_canvas_text(lines->picture->canvas, lines->x + lines->names, lines->y,
                          lines->width - lines->names, text, lines->picture->theme->text);
        lines->y += app->layout.unit;
    }
}

/* What the colors of the chosen row mean. */
static void show_legend(struct lines *lines)
{
    struct sdsim_app *app = lines->picture->app;
    const struct sdsim_row *row = &app->rows.items[app->row];
    if (app->row >= app->rows.count || row->kind != SDSIM_ROW_LANE ||
        row->lane == SDSIM_LANE_QUEUE) {
        return;
    }
    const struct sdsim_lane_info *info = sdsim_lane_info((enum sdsim_lane)row->lane);
    const int32_t unit = app->layout.unit;
    char title[60];
    const int32_t top = app->height - app->layout.status - unit * ((info->classes + 1) / 2 + 2);
    if (top < lines->y + unit) {
        return;
    }
    lines->y = top;
    snprintf(title, sizeof title, "Colors of %s", info->title);
    heading(lines, title);
    const int32_t left = lines->x;
    const int32_t first = lines->y;
    for (uint8_t class = 0; class < info->classes; class ++) {
        lines->x = left + (class % 2 == 0 ? 0 : lines->width / 2);
        lines->y = first + class / 2 * unit;
        colored(lines, sdsim_theme_class(lines->picture->theme, (enum sdsim_lane)row->lane, class),
                info->called[class], "");
    }
    lines->x = left;
}

/* What is looked at; two of them below each other. */
static void draw_names(const struct sdsim_picture *picture, int32_t x)
{
    const struct sdsim_app *app = picture->app;
    const struct sdsim_layout *layout = &app->layout;
    const bool two = app->names[1] != NULL;
    const int32_t height = picture->canvas->font->height;
    for (int i = 0; i < (two ? 2 : 1); i++) {
        char text[220];
        snprintf(text, sizeof text, "%s%s", two ? (i == 0 ? "A  " : "B  ") : "", app->names[i]);
        sdsim_canvas_text(picture->canvas, x,
                          two ? layout->minimap / 2 * i + (layout->minimap / 2 - height) / 2 + 1
                              : (layout->minimap - height) / 2,
                          layout->panel - 24, text, picture->theme->text);
    }
}

void sdsim_panel_draw(const struct sdsim_picture *picture)
{
    struct sdsim_app *app = picture->app;
    const struct sdsim_layout *layout = &app->layout;
    const int32_t left = app->width - layout->panel;
    const sdsim_ps from = app->measured ? app->measure_from : app->axis.from;
    const sdsim_ps to = app->measured ? app->measure_to : app->axis.from + app->axis.length;
    struct lines lines = {.picture = picture,
                          .x = left + 12,
                          .y = layout->minimap + 6,
                          .width = layout->panel - 24,
                          .names = layout->panel * 2 / 5};
    sdsim_canvas_fill(picture->canvas, left, layout->minimap, layout->panel, app->height,
                      picture->theme->bar);
    sdsim_canvas_fill(picture->canvas, left, 0, 1, app->height, picture->theme->line);
    sdsim_canvas_clip(picture->canvas, left, 0, layout->panel, app->height - layout->status);
    draw_names(picture, left + 12);
    if (app->rows.count == 0) {
        heading(&lines, "Nothing was recorded");
    } else if (app->panel == SDSIM_PANEL_LONGEST) {
        show_longest(&lines);
    } else if (app->on_piece) {
        show_piece(&lines);
    } else if (app->selected) {
        show_facts(&lines);
    } else if (app->pair.timelines[1] != NULL) {
        show_difference(&lines, from, to);
    } else {
        show_sums(&lines, app->measured ? "Measured" : "In this window", from, to);
    }
    if (app->rows.count > 0) {
        show_legend(&lines);
    }
    sdsim_canvas_unclip(picture->canvas);
}

void sdsim_help_draw(const struct sdsim_picture *picture)
{
    static const char *const rows[][2] = {
        {"wheel", "zoom at the pointer; over titles: scroll"},
        {"drag", "move; on the ruler: measure; on the whole run: go there"},
        {"click, double click", "select a span; zoom to it. On a title: choose, fold a row"},
        {"W S  A D  arrows", "zoom, move, choose a row"},
        {"F  Z  End", "show the whole run, the selection, the end"},
        {"Tab  [  ]", "next and previous span of the row"},
        {"/  N  P", "go to (pause over 10ms, fat write, CMD25, ...), next, previous"},
        {"L", "list the longest of the chosen row; up and down go through it"},
        {"R", "measure the selection, one more joined to it, or the window"},
        {"M  ,  .", "set or take a marker, go to the previous, the next"},
        {"Space  H  shift H", "fold a row, hide it, show all"},
        {"shift up, down", "move a row; or drag its title"},
        {"X", "two runs: align on the first span like the selected one"},
        {"T  ?  Esc  Q", "light or dark, this help, back, quit"},
    };
    const int32_t count = sizeof rows / sizeof *rows;
    struct sdsim_canvas *canvas = picture->canvas;
    const int32_t unit = picture->app->layout.unit;
    const int32_t w = unit * 34 < canvas->width - 20 ? unit * 34 : canvas->width - 20;
    const int32_t h = unit * (count + 3);
    const int32_t x = (canvas->width - w) / 2;
    const int32_t y = (canvas->height - h) / 2;
    sdsim_canvas_blend(canvas, 0, 0, canvas->width, canvas->height, 0x000000, 110);
    sdsim_canvas_fill(canvas, x, y, w, h, picture->theme->ground);
    sdsim_canvas_frame(canvas, x, y, w, h, picture->theme->line);
    sdsim_canvas_text(canvas, x + unit, y + unit / 2, 0, "Keys and pointer", picture->theme->text);
    for (int32_t i = 0; i < count; i++) {
        const int32_t row = y + unit * (i + 2);
        sdsim_canvas_text(canvas, x + unit, row, unit * 9, rows[i][0], picture->theme->mark);
        sdsim_canvas_text(canvas, x + unit * 10, row, w - unit * 11, rows[i][1],
                          picture->theme->text);
    }
}

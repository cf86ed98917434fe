#include "keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "select.h"
#include "timeline/find.h"

static int32_t middle(struct sdsim_app *app)
{
    struct sdsim_span span;
    if (!sdsim_selected_span(app, &span)) {
        return (int32_t)app->axis.width / 2;
    }
    const int32_t x =
        sdsim_axis_pixel(&app->axis, sdsim_pair_common(&app->pair, app->track, span.start));
    return x >= 0 && x < (int32_t)app->axis.width ? x : (int32_t)app->axis.width / 2;
}

static void set_marker(struct sdsim_app *app)
{
    struct sdsim_span span;
    char label[32];
    const sdsim_ps at = sdsim_selected_span(app, &span)
                            ? sdsim_pair_common(&app->pair, app->track, span.start)
                            : sdsim_axis_time(&app->axis, middle(app));
    if (sdsim_markers_remove(&app->markers, at)) {
        return;
    }
    snprintf(label, sizeof label, "%zu", app->markers.count + 1);
    sdsim_markers_set(&app->markers, at, label);
}

static void to_marker(struct sdsim_app *app, bool forward)
{
    const sdsim_ps now = sdsim_axis_time(&app->axis, (int32_t)app->axis.width / 2);
    const struct sdsim_marker *marker = forward ? sdsim_markers_next(&app->markers, now)
                                                : sdsim_markers_previous(&app->markers, now);
    if (marker != NULL) {
        sdsim_axis_anchor(&app->axis, marker->at, (int32_t)app->axis.width / 2);
    }
}

/* Puts the selected span under the first of the same class in the other track. */
static void align(struct sdsim_app *app)
{
    struct sdsim_span span;
    uint64_t number;
    if (app->pair.timelines[1] == NULL || !sdsim_selected_span(app, &span)) {
        snprintf(app->message, sizeof app->message, "select a span of one of two runs first");
        return;
    }
    const uint8_t other = (uint8_t)(1 - app->track);
    struct sdsim_store *store = &app->pair.timelines[other]->lanes[app->place.lane];
    const struct sdsim_wanted wanted = {.classes = (uint16_t)(1u << sdsim_span_class(&span))};
    struct sdsim_span match;
    if (sdsim_lane_next(store, 0, &wanted, &number) && sdsim_store_span(store, number, &match)) {
        sdsim_pair_align(&app->pair, app->track == 0 ? span.start : match.start,
                         app->track == 0 ? match.start : span.start);
        app->axis.end = sdsim_pair_end(&app->pair);
        snprintf(app->message, sizeof app->message, "aligned on the first of its kind");
    }
}

static void move_row_mark(struct sdsim_app *app, int by)
{
    int64_t row = (int64_t)app->row + by;
    while (row >= 0 && row < app->rows.count && app->rows.items[row].hidden) {
        row += by;
    }
    if (row >= 0 && row < app->rows.count) {
        app->row = (uint32_t)row;
        app->selected = false;
        sdsim_app_see_row(app);
    }
}

static void show_all_rows(struct sdsim_app *app)
{
    for (uint32_t i = 0; i < app->rows.count; i++) {
        app->rows.items[i].hidden = false;
    }
    sdsim_rows_lay(&app->rows);
}

enum action {
    ZOOM_IN,
    ZOOM_OUT,
    PAN_LEFT,
    PAN_RIGHT,
    ROW_UP,
    ROW_DOWN,
    FIT,
    SHOW,
    NEXT,
    PREVIOUS,
    STEP,
    STEP_BACK,
    MARK,
    NEXT_MARK,
    PREVIOUS_MARK,
    FOLD,
    HIDE,
    ALL_ROWS,
    MOVE_UP,
    MOVE_DOWN,
    LONGEST,
    ASK,
    HELP,
    THEME,
    ALIGN,
    MEASURE,
    TO_END,
    CANCEL,
    QUIT,
    NOTHING
};

static const struct {
    const char *key;
    enum action action;
} keys[] = {
    {"w", ZOOM_IN},
    {"s", ZOOM_OUT},
    {"a", PAN_LEFT},
    {"d", PAN_RIGHT},
    {"left", PAN_LEFT},
    {"right", PAN_RIGHT},
    {"up", ROW_UP},
    {"down", ROW_DOWN},
    {"+", ZOOM_IN},
    {"-", ZOOM_OUT},
    {"f", FIT},
    {"home", FIT},
    {"z", SHOW},
    {"return", SHOW},
    {"n", NEXT},
    {"p", PREVIOUS},
    {"]", STEP},
    {"[", STEP_BACK},
    {"tab", STEP},
    {"m", MARK},
    {".", NEXT_MARK},
    {",", PREVIOUS_MARK},
    {"space", FOLD},
    {"h", HIDE},
    {"H", ALL_ROWS},
    {"shift up", MOVE_UP},
    {"shift down", MOVE_DOWN},
    {"l", LONGEST},
    {"/", ASK},
    {"?", HELP},
    {"t", THEME},
    {"x", ALIGN},
    {"r", MEASURE},
    {"end", TO_END},
    {"escape", CANCEL},
    {"q", QUIT},
};

static enum action action_of(const char *key)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].key, key) == 0) {
            return keys[i].action;
        }
    }
    return NOTHING;
}

static void cancel(struct sdsim_app *app)
{
    if (app->help) {
        app->help = false;
    } else if (app->panel == SDSIM_PANEL_LONGEST) {
        app->panel = SDSIM_PANEL_FACTS;
    } else if (app->selected || app->on_piece) {
        app->selected = false;
        app->on_piece = false;
    } else {
        app->measured = false;
        app->panel = SDSIM_PANEL_FACTS;
    }
}

/* Measures the selected span, or what is in the window; what was measured before goes on. */
static void measure(struct sdsim_app *app)
{
    struct sdsim_span span;
    sdsim_ps from = app->axis.from;
    sdsim_ps to = sdsim_time_sum(app->axis.from, app->axis.length);
    if (sdsim_selected_span(app, &span)) {
        from = sdsim_pair_common(&app->pair, app->track, span.start);
        to = sdsim_pair_common(&app->pair, app->track, sdsim_span_end(&span));
        if (app->measured) {
            from = from < app->measure_from ? from : app->measure_from;
            to = to > app->measure_to ? to : app->measure_to;
        }
    }
    app->measured = to > from;
    app->measure_from = from;
    app->measure_to = to;
    app->selected = false;
    app->panel = SDSIM_PANEL_FACTS;
}

/* Up and down in the list of the longest; false for other actions. */
static bool act_in_list(struct sdsim_app *app, enum action action)
{
    switch (action) {
    case ROW_UP:
        app->longest_at -= app->longest_at > 0;
        break;
    case ROW_DOWN:
        app->longest_at += app->longest_at + 1 < app->longest_count;
        break;
    default:
        return false;
    }
    sdsim_select_longest(app);
    return true;
}

static void act(struct sdsim_app *app, enum action action)
{
    const int32_t tenth = (int32_t)app->axis.width / 10 + 1;
    const struct sdsim_row *row = &app->rows.items[app->row];
    switch (action) {
    case ZOOM_IN:
        sdsim_axis_zoom(&app->axis, 2, middle(app));
        break;
    case ZOOM_OUT:
        sdsim_axis_zoom(&app->axis, -2, middle(app));
        break;
    case PAN_LEFT:
        sdsim_axis_pan(&app->axis, -tenth);
        break;
    case PAN_RIGHT:
        sdsim_axis_pan(&app->axis, tenth);
        break;
    case ROW_UP:
        move_row_mark(app, -1);
        break;
    case ROW_DOWN:
        move_row_mark(app, 1);
        break;
    case FIT:
        sdsim_axis_fit(&app->axis);
        break;
    case SHOW:
        sdsim_select_show(app);
        break;
    case NEXT:
        sdsim_select_jump(app, app->quest_text, true);
        break;
    case PREVIOUS:
        sdsim_select_jump(app, app->quest_text, false);
        break;
    case STEP:
        sdsim_select_step(app, true);
        break;
    case STEP_BACK:
        sdsim_select_step(app, false);
        break;
    case MARK:
        set_marker(app);
        break;
    case NEXT_MARK:
        to_marker(app, true);
        break;
    case PREVIOUS_MARK:
        to_marker(app, false);
        break;
    case FOLD:
        sdsim_rows_fold(&app->rows, app->row, !row->folded);
        break;
    case HIDE:
        sdsim_rows_hide(&app->rows, app->row, true);
        move_row_mark(app, 1);
        break;
    case ALL_ROWS:
        show_all_rows(app);
        break;
    case MOVE_UP:
        app->row = sdsim_rows_move(&app->rows, app->row, -1);
        break;
    case MOVE_DOWN:
        app->row = sdsim_rows_move(&app->rows, app->row, 1);
        break;
    case LONGEST:
        sdsim_list_longest(app);
        break;
    case ASK:
        app->asking = true;
        app->asked[0] = '\0';
        break;
    case HELP:
        app->help = !app->help;
        break;
    case THEME:
        app->dark = !app->dark;
        break;
    case ALIGN:
        align(app);
        break;
    case MEASURE:
        measure(app);
        break;
    case TO_END:
        sdsim_axis_set(&app->axis, sdsim_time_since(app->axis.end, app->axis.length),
                       app->axis.end);
        break;
    case CANCEL:
        cancel(app);
        break;
    case QUIT:
        app->quit = true;
        break;
    default:
        break;
    }
}

/* Keys while the search line is open. */
static void edit(struct sdsim_app *app, const char *key)
{
    const size_t length = strlen(app->asked);
    if (strcmp(key, "backspace") == 0 && length > 0) {
        size_t last = length - 1;
        while (last > 0 && ((unsigned char)app->asked[last] & 0xC0) == 0x80) { /* within UTF-8 */
            last--;
        }
        app->asked[last] = '\0';
    } else if (strcmp(key, "escape") == 0) {
        app->asking = false;
    } else if (strcmp(key, "return") == 0) {
        app->asking = false;
        sdsim_select_jump(app, app->asked, true);
    }
}

void sdsim_key(struct sdsim_app *app, const char *key)
{
    app->dirty = true;
    if (app->asking) {
        edit(app, key);
    } else if (app->rows.count > 0 || action_of(key) == QUIT || action_of(key) == HELP) {
        const enum action action = action_of(key);
        if (app->panel != SDSIM_PANEL_LONGEST || !act_in_list(app, action)) {
            act(app, action);
        }
    }
}

void sdsim_type(struct sdsim_app *app, const char *text)
{
    const size_t used = strlen(app->asked);
    if (app->asking) {
        snprintf(app->asked + used, sizeof app->asked - used, "%s", text);
        app->dirty = true;
    }
}

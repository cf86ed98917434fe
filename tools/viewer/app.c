#include "app.h"

#include <inttypes.h>
#include <string.h>

#include "timeline/query.h"
#include "view/ruler.h"

static const char help_hint[] = "? for help";

static void lay_out(struct sdsim_app *app, int32_t text_height)
{
    struct sdsim_layout *layout = &app->layout;
    const int32_t unit = text_height + 4;
    *layout = (struct sdsim_layout){
        .unit = unit,
        .titles = unit * 7,
        .panel = unit * 17,
        .minimap = unit * 2,
        .ruler = unit * 2,
        .rows_top = unit * 4,
        .status = unit + 4,
    };
    app->rows.full = unit * 2;
    app->rows.thin = unit / 2 + 2;
}

static uint32_t lanes_width(const struct sdsim_app *app)
{
    const int32_t width = app->width - app->layout.titles - app->layout.panel;
    return width > 16 ? (uint32_t)width : 16;
}

void sdsim_app_init(struct sdsim_app *app, struct sdsim_timeline *first,
                    struct sdsim_timeline *second, int32_t width, int32_t height,
                    int32_t text_height)
{
    *app = (struct sdsim_app){
        .pair = sdsim_pair_of(first, second), .width = width, .height = height, .dirty = true};
    lay_out(app, text_height);
    sdsim_rows_add(&app->rows, first, 0);
    if (second != NULL) {
        sdsim_rows_add(&app->rows, second, 1);
    }
    app->axis = sdsim_axis_of(sdsim_pair_end(&app->pair), lanes_width(app));
    snprintf(app->quest_text, sizeof app->quest_text, "pause over 10ms");
    snprintf(app->message, sizeof app->message, "%s",
             sdsim_pair_end(&app->pair) > 0 ? help_hint : "the run is empty: nothing was recorded");
}

void sdsim_app_resize(struct sdsim_app *app, int32_t width, int32_t height)
{
    app->width = width;
    app->height = height;
    sdsim_axis_resize(&app->axis, lanes_width(app));
    app->dirty = true;
}

struct sdsim_timeline *sdsim_app_track(const struct sdsim_app *app, uint8_t track,
                                       struct sdsim_axis *own, int32_t *x)
{
    const sdsim_ps shift = app->pair.shift[track];
    *own = app->axis;
    *x = 0;
    if (app->axis.from >= shift) {
        own->from = app->axis.from - shift;
        return app->pair.timelines[track];
    }
    /* The track begins within the window, or behind it. */
    const int32_t begin = sdsim_axis_pixel(&app->axis, shift);
    const sdsim_ps at = sdsim_axis_time(&app->axis, begin);
    *x = begin;
    own->width = app->axis.width - (uint32_t)begin;
    own->from = sdsim_time_since(at, shift);
    own->length = app->axis.from + app->axis.length - at;
    return own->width > 0 ? app->pair.timelines[track] : NULL;
}

/* ---- selecting ---- */

static bool selected_span(struct sdsim_app *app, struct sdsim_span *span)
{
    return app->selected &&
           sdsim_store_span(&app->pair.timelines[app->track]->lanes[app->place.lane],
                            app->place.number, span);
}

void sdsim_app_select(struct sdsim_app *app, uint8_t track, struct sdsim_place_in place, bool reach)
{
    struct sdsim_span span;
    app->selected = true;
    app->track = track;
    app->place = place;
    app->panel = SDSIM_PANEL_FACTS;
    app->message[0] = '\0';
    app->dirty = true;
    if (!selected_span(app, &span)) {
        app->selected = false;
        snprintf(app->message, sizeof app->message, "that part of the file can't be read");
        return;
    }
    if (reach) {
        sdsim_axis_reach(&app->axis, sdsim_pair_common(&app->pair, track, span.start),
                         sdsim_pair_common(&app->pair, track, sdsim_span_end(&span)));
    }
    const uint32_t row = sdsim_rows_of_lane(&app->rows, place.lane, track);
    app->row = row < app->rows.count ? row : app->row;
}

bool sdsim_app_jump(struct sdsim_app *app, const char *text, bool forward)
{
    struct sdsim_quest quest;
    struct sdsim_place_in place;
    struct sdsim_span span;
    const uint8_t track = app->selected ? app->track : 0;
    struct sdsim_timeline *timeline = app->pair.timelines[track];
    app->dirty = true;
    if (!sdsim_quest_read(timeline, text, &quest, app->message, sizeof app->message)) {
        return false;
    }
    const bool from_span = selected_span(app, &span);
    const sdsim_ps from =
        from_span ? span.start : sdsim_pair_own(&app->pair, track, app->axis.from);
    const bool found = forward ? sdsim_quest_next(timeline, &quest, from, !from_span, &place)
                               : sdsim_quest_previous(timeline, &quest, from, &place);
    sdsim_quest_free(&quest);
    if (!found) {
        snprintf(app->message, sizeof app->message, "no %s '%s'", forward ? "further" : "earlier",
                 text);
        return false;
    }
    if (text != app->quest_text) {
        snprintf(app->quest_text, sizeof app->quest_text, "%s", text);
    }
    sdsim_app_select(app, track, place, true);
    return true;
}

/* The next or previous span of the selected one's lane; the first in the window if none is. */
static void step(struct sdsim_app *app, bool forward)
{
    struct sdsim_place_in place = app->place;
    struct sdsim_span span;
    struct sdsim_wanted any = {.classes = 0};
    const struct sdsim_row *row = &app->rows.items[app->row];
    if (!app->selected) {
        app->track = row->track;
        place.lane = row->kind == SDSIM_ROW_LANE ? (enum sdsim_lane)row->lane : SDSIM_LANE_TASK;
    }
    struct sdsim_store *store = &app->pair.timelines[app->track]->lanes[place.lane];
    bool found;
    if (selected_span(app, &span)) {
        found = forward ? sdsim_lane_next(store, place.number + 1, &any, &place.number)
                        : sdsim_lane_previous(store, place.number, &any, &place.number);
    } else {
        const sdsim_ps from = sdsim_pair_own(&app->pair, app->track, app->axis.from);
        found = sdsim_lane_next(store, sdsim_lane_before(store, from), &any, &place.number);
    }
    if (found) {
        sdsim_app_select(app, app->track, place, true);
    }
}

static void list_longest(struct sdsim_app *app)
{
    struct sdsim_quest quest;
    app->longest_track = app->selected ? app->track : 0;
    struct sdsim_timeline *timeline = app->pair.timelines[app->longest_track];
    const struct sdsim_row *row = &app->rows.items[app->row];
    const char *lane =
        row->kind == SDSIM_ROW_LANE ? sdsim_lane_info((enum sdsim_lane)row->lane)->name : "task";
    if (sdsim_quest_read(timeline, lane, &quest, app->message, sizeof app->message)) {
        app->longest_count = sdsim_quest_longest(timeline, &quest, 20, app->longest);
        app->panel = SDSIM_PANEL_LONGEST;
        sdsim_quest_free(&quest);
    }
}

/* ---- keys ---- */

static int32_t middle(struct sdsim_app *app)
{
    struct sdsim_span span;
    if (!selected_span(app, &span)) {
        return (int32_t)app->axis.width / 2;
    }
    const int32_t x =
        sdsim_axis_pixel(&app->axis, sdsim_pair_common(&app->pair, app->track, span.start));
    return x >= 0 && x < (int32_t)app->axis.width ? x : (int32_t)app->axis.width / 2;
}

static void zoom_to_selection(struct sdsim_app *app)
{
    struct sdsim_span span;
    if (selected_span(app, &span)) {
        sdsim_axis_show(&app->axis, sdsim_pair_common(&app->pair, app->track, span.start),
                        sdsim_pair_common(&app->pair, app->track, sdsim_span_end(&span)));
    } else if (app->measured) {
        sdsim_axis_show(&app->axis, app->measure_from, app->measure_to);
    }
}

static void set_marker(struct sdsim_app *app)
{
    struct sdsim_span span;
    char label[32];
    const sdsim_ps at = selected_span(app, &span)
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
    if (app->pair.timelines[1] == NULL || !selected_span(app, &span)) {
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
    } else if (app->selected) {
        app->selected = false;
    } else {
        app->measured = false;
        app->panel = SDSIM_PANEL_FACTS;
    }
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
        zoom_to_selection(app);
        break;
    case NEXT:
        sdsim_app_jump(app, app->quest_text, true);
        break;
    case PREVIOUS:
        sdsim_app_jump(app, app->quest_text, false);
        break;
    case STEP:
        step(app, true);
        break;
    case STEP_BACK:
        step(app, false);
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
        list_longest(app);
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
        app->asked[length - 1] = '\0';
    } else if (strcmp(key, "escape") == 0) {
        app->asking = false;
    } else if (strcmp(key, "return") == 0) {
        app->asking = false;
        sdsim_app_jump(app, app->asked, true);
    }
}

void sdsim_app_key(struct sdsim_app *app, const char *key)
{
    app->dirty = true;
    if (app->asking) {
        edit(app, key);
    } else if (app->rows.count > 0 || action_of(key) == QUIT || action_of(key) == HELP) {
        act(app, action_of(key));
    }
}

void sdsim_app_type(struct sdsim_app *app, const char *text)
{
    const size_t used = strlen(app->asked);
    if (app->asking) {
        snprintf(app->asked + used, sizeof app->asked - used, "%s", text);
        app->dirty = true;
    }
}

/* ---- the pointer ---- */

/* Where a pixel of the window is on the axis. */
static int32_t axis_x(const struct sdsim_app *app, int32_t x)
{
    return x - app->layout.titles;
}

static bool on_lanes(const struct sdsim_app *app, int32_t x)
{
    return axis_x(app, x) >= 0 && axis_x(app, x) < (int32_t)app->axis.width;
}

void sdsim_app_wheel(struct sdsim_app *app, int32_t x, int32_t y, int steps)
{
    (void)y;
    if (on_lanes(app, x)) {
        sdsim_axis_zoom(&app->axis, 2 * steps, axis_x(app, x));
    } else {
        const int32_t room = app->height - app->layout.rows_top - app->layout.status;
        const int32_t most = app->rows.height > room ? app->rows.height - room : 0;
        app->scroll -= steps * app->layout.unit;
        app->scroll = app->scroll < 0 ? 0 : app->scroll > most ? most : app->scroll;
    }
    app->dirty = true;
}

/* What lies at a point of the rows; a click on a title chooses the row. */
static void click(struct sdsim_app *app, int32_t x, int32_t y, int clicks)
{
    struct sdsim_axis own;
    int32_t begin;
    const uint32_t row = sdsim_rows_at(&app->rows, y - app->layout.rows_top + app->scroll);
    if (row >= app->rows.count) {
        app->selected = false;
        return;
    }
    app->row = row;
    const struct sdsim_row *at = &app->rows.items[row];
    if (x < app->layout.titles) {
        sdsim_rows_fold(&app->rows, row, clicks > 1 ? !at->folded : at->folded);
        return;
    }
    struct sdsim_timeline *timeline = sdsim_app_track(app, at->track, &own, &begin);
    struct sdsim_place_in place = {.lane = (enum sdsim_lane)at->lane};
    if (at->kind == SDSIM_ROW_LANE && timeline != NULL &&
        sdsim_pick(&timeline->lanes[at->lane], &own, axis_x(app, x) - begin, 4, &place.number)) {
        sdsim_app_select(app, at->track, place, false);
        if (clicks > 1) {
            zoom_to_selection(app);
        }
    } else {
        app->selected = false;
    }
}

static void to_minimap(struct sdsim_app *app, int32_t x)
{
    const struct sdsim_axis whole = sdsim_axis_of(app->axis.end, app->axis.width);
    sdsim_axis_anchor(&app->axis, sdsim_axis_time(&whole, axis_x(app, x)),
                      (int32_t)app->axis.width / 2);
}

void sdsim_app_press(struct sdsim_app *app, int32_t x, int32_t y, int clicks)
{
    const struct sdsim_layout *layout = &app->layout;
    app->dirty = true;
    app->pressed_x = x;
    app->pressed_y = y;
    if (y < layout->minimap && on_lanes(app, x)) {
        app->drag = SDSIM_DRAG_MINIMAP;
        to_minimap(app, x);
    } else if (y < layout->rows_top && on_lanes(app, x)) {
        app->drag = SDSIM_DRAG_MEASURE;
        app->grabbed = sdsim_axis_time(&app->axis, axis_x(app, x));
        app->measured = false;
    } else if (y < app->height - layout->status) {
        if (on_lanes(app, x) || x < layout->titles) {
            click(app, x, y, clicks);
        }
        if (on_lanes(app, x) && clicks == 1) {
            app->drag = SDSIM_DRAG_PAN;
            app->grabbed = sdsim_axis_time(&app->axis, axis_x(app, x));
        }
    }
}

void sdsim_app_move(struct sdsim_app *app, int32_t x, int32_t y)
{
    app->pointer_x = x;
    app->pointer_y = y;
    if (app->drag == SDSIM_DRAG_PAN) {
        sdsim_axis_anchor(&app->axis, app->grabbed, axis_x(app, x));
    } else if (app->drag == SDSIM_DRAG_MINIMAP) {
        to_minimap(app, x);
    } else if (app->drag == SDSIM_DRAG_MEASURE) {
        const sdsim_ps at = sdsim_axis_time(&app->axis, axis_x(app, x));
        app->measure_from = at < app->grabbed ? at : app->grabbed;
        app->measure_to = at < app->grabbed ? app->grabbed : at;
        app->measured = app->measure_to > app->measure_from;
        app->selected = app->selected && !app->measured;
        app->panel = SDSIM_PANEL_FACTS;
    } else {
        return;
    }
    app->dirty = true;
}

void sdsim_app_release(struct sdsim_app *app, int32_t x, int32_t y)
{
    sdsim_app_move(app, x, y);
    app->drag = SDSIM_DRAG_NONE;
    app->dirty = true;
}

/* ---- for tests ---- */

void sdsim_app_dump(struct sdsim_app *app, FILE *out)
{
    struct sdsim_facts facts;
    fprintf(out, "view: %" PRIu64 "ps + %" PRIu64 "ps in %" PRIu32 " pixels\n", app->axis.from,
            app->axis.length, app->axis.width);
    fprintf(out, "rows:");
    for (uint32_t i = 0; i < app->rows.count; i++) {
        const struct sdsim_row *row = &app->rows.items[i];
        fprintf(out, " %s%s%s%s", i == app->row ? "*" : "", sdsim_row_title(row),
                row->folded ? " (folded)" : "", row->hidden ? " (hidden)" : "");
        fputc(i + 1 < app->rows.count ? ',' : '\n', out);
    }
    if (app->selected && sdsim_facts_of(app->pair.timelines[app->track], app->place.lane,
                                        app->place.number, &facts)) {
        fprintf(out, "selected: track %u, %s %" PRIu64 ", %s at %s\n", app->track,
                sdsim_lane_info(app->place.lane)->name, app->place.number,
                sdsim_fact(&facts, "what"), sdsim_fact(&facts, "start"));
    }
    if (app->measured) {
        fprintf(out, "measured: %" PRIu64 "ps to %" PRIu64 "ps\n", app->measure_from,
                app->measure_to);
    }
    for (size_t i = 0; i < app->markers.count; i++) {
        fprintf(out, "marker %s: %" PRIu64 "ps\n", app->markers.items[i].label,
                app->markers.items[i].at);
    }
    fprintf(out, "panel: %s, %s%s%s\n", app->panel == SDSIM_PANEL_FACTS ? "facts" : "longest",
            app->dark ? "dark" : "light", app->help ? ", help" : "", app->asking ? ", asking" : "");
    if (app->message[0] != '\0') {
        fprintf(out, "message: %s\n", app->message);
    }
}

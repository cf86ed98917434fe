#include "select.h"

#include <stdio.h>

#include <string.h>

#include "timeline/find.h"
#include "timeline/query.h"

bool sdsim_selected_span(struct sdsim_app *app, struct sdsim_span *span)
{
    return app->selected &&
           sdsim_store_span(&app->pair.timelines[app->track]->lanes[app->place.lane],
                            app->place.number, span);
}

/* The group of the command a span is part of. */
static enum sdsim_command_group group_of(struct sdsim_timeline *timeline,
                                         const struct sdsim_span *span)
{
    struct sdsim_store *commands = &timeline->lanes[SDSIM_LANE_COMMAND];
    struct sdsim_span command;
    uint64_t number;
    return sdsim_lane_at(commands, span->start, &number) &&
                   sdsim_store_span(commands, number, &command) &&
                   sdsim_span_end(&command) > span->start
               ? (enum sdsim_command_group)command.part
               : SDSIM_GROUP_COUNT;
}

static void find_causes(struct sdsim_app *app, const struct sdsim_span *span)
{
    const struct sdsim_run *run =
        app->run_of != NULL ? app->run_of(app->run_context, app->track) : NULL;
    if (run != NULL) {
        app->cause_count = sdsim_made_of(run, span, group_of(app->pair.timelines[app->track], span),
                                         app->causes, SDSIM_CAUSES_MOST);
    }
}

void sdsim_select(struct sdsim_app *app, uint8_t track, struct sdsim_place_in place, bool reach)
{
    struct sdsim_span span;
    app->selected = true;
    app->track = track;
    app->place = place;
    app->on_piece = false;
    app->panel = SDSIM_PANEL_FACTS;
    app->message[0] = '\0';
    app->dirty = true;
    app->cause_count = 0;
    if (!sdsim_selected_span(app, &span)) {
        app->selected = false;
        snprintf(app->message, sizeof app->message, "that part of the file can't be read");
        return;
    }
    find_causes(app, &span);
    if (reach) {
        sdsim_axis_reach(&app->axis, sdsim_pair_common(&app->pair, track, span.start),
                         sdsim_pair_common(&app->pair, track, sdsim_span_end(&span)));
    }
    const uint32_t row = sdsim_rows_of_lane(&app->rows, place.lane, track);
    app->row = row < app->rows.count ? row : app->row;
    sdsim_app_see_row(app);
}

bool sdsim_select_jump(struct sdsim_app *app, const char *text, bool forward)
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
    const bool from_span = sdsim_selected_span(app, &span);
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
    sdsim_select(app, track, place, true);
    return true;
}

/* The next or previous span of the selected one's lane; the first in the window if none is. */
void sdsim_select_step(struct sdsim_app *app, bool forward)
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
    if (sdsim_selected_span(app, &span)) {
        found = forward ? sdsim_lane_next(store, place.number + 1, &any, &place.number)
                        : sdsim_lane_previous(store, place.number, &any, &place.number);
    } else {
        const sdsim_ps from = sdsim_pair_own(&app->pair, app->track, app->axis.from);
        found = sdsim_lane_next(store, sdsim_lane_before(store, from), &any, &place.number);
    }
    if (found) {
        sdsim_select(app, app->track, place, true);
    }
}

void sdsim_list_longest(struct sdsim_app *app)
{
    struct sdsim_quest quest;
    app->longest_track = app->selected ? app->track : 0;
    struct sdsim_timeline *timeline = app->pair.timelines[app->longest_track];
    const struct sdsim_row *row = &app->rows.items[app->row];
    const char *lane =
        row->kind == SDSIM_ROW_LANE ? sdsim_lane_info((enum sdsim_lane)row->lane)->name : "task";
    if (sdsim_quest_read(timeline, lane, &quest, app->message, sizeof app->message)) {
        app->longest_count = sdsim_quest_longest(timeline, &quest, 20, app->longest);
        app->longest_at = 0;
        app->panel = SDSIM_PANEL_LONGEST;
        sdsim_quest_free(&quest);
    }
}

void sdsim_select_show(struct sdsim_app *app)
{
    struct sdsim_span span;
    if (sdsim_selected_span(app, &span)) {
        sdsim_axis_show(&app->axis, sdsim_pair_common(&app->pair, app->track, span.start),
                        sdsim_pair_common(&app->pair, app->track, sdsim_span_end(&span)));
    } else if (app->measured) {
        sdsim_axis_show(&app->axis, app->measure_from, app->measure_to);
    }
}

void sdsim_select_longest(struct sdsim_app *app)
{
    if (app->longest_at < app->longest_count) {
        sdsim_select(app, app->longest_track, app->longest[app->longest_at].place, true);
        app->panel = SDSIM_PANEL_LONGEST;
    }
}

/* The start of the first span of a quest in a track. */
static bool first_of(struct sdsim_app *app, int track, const char *text, sdsim_ps *start)
{
    struct sdsim_quest quest;
    struct sdsim_place_in place;
    struct sdsim_span span;
    struct sdsim_timeline *timeline = app->pair.timelines[track];
    if (!sdsim_quest_read(timeline, text, &quest, app->message, sizeof app->message)) {
        return false;
    }
    const bool found = sdsim_quest_next(timeline, &quest, 0, true, &place) &&
                       sdsim_store_span(&timeline->lanes[place.lane], place.number, &span);
    sdsim_quest_free(&quest);
    if (!found) {
        snprintf(app->message, sizeof app->message, "%s has no '%s'", track == 0 ? "A" : "B", text);
    }
    *start = found ? span.start : 0;
    return found;
}

bool sdsim_select_align(struct sdsim_app *app, const char *quest)
{
    sdsim_ps starts[2];
    if (app->pair.timelines[1] == NULL) {
        snprintf(app->message, sizeof app->message, "there is only one run");
        return false;
    }
    if (!first_of(app, 0, quest, &starts[0]) || !first_of(app, 1, quest, &starts[1])) {
        return false;
    }
    sdsim_pair_align(&app->pair, starts[0], starts[1]);
    app->axis = sdsim_axis_of(sdsim_pair_end(&app->pair), app->axis.width);
    app->dirty = true;
    return true;
}

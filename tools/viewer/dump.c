#include "dump.h"

#include <inttypes.h>

#include "view/facts.h"

static void dump_measured(struct sdsim_app *app, FILE *out)
{
    struct sdsim_measured measured;
    sdsim_measure(app->pair.timelines[0], sdsim_pair_own(&app->pair, 0, app->measure_from),
                  sdsim_pair_own(&app->pair, 0, app->measure_to), &measured);
    fprintf(out, "measured: %" PRIu64 "ps to %" PRIu64 "ps, %" PRIu64 " bytes, commands",
            app->measure_from, app->measure_to, measured.bytes);
    for (int group = 0; group < SDSIM_GROUP_COUNT; group++) {
        if (measured.commands[group] > 0) {
            fprintf(out, " %s %" PRIu64, sdsim_lane_info(SDSIM_LANE_COMMAND)->called[group],
                    measured.commands[group]);
        }
    }
    fputc('\n', out);
}

static void dump_longest(const struct sdsim_app *app, FILE *out)
{
    for (size_t i = 0; i < app->longest_count; i++) {
        fprintf(out, "longest:%s %" PRIu64 "ps at %" PRIu64 "ps\n",
                i == app->longest_at ? " *" : "", app->longest[i].duration, app->longest[i].start);
    }
}

void sdsim_dump(struct sdsim_app *app, FILE *out)
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
    for (size_t i = 0; app->selected && i < app->cause_count; i++) {
        const struct sdsim_cause *cause = &app->causes[i];
        fprintf(out, "made by: %s %s %s%s%s\n", sdsim_profile_kind_name(cause->profile), cause->key,
                cause->value, cause->origin[0] != '\0' ? ", " : "", cause->origin);
    }
    for (int track = 0; track < 2; track++) {
        const struct sdsim_app_bits *bits = &app->bits[track];
        if (bits->waves != NULL) {
            fprintf(out, "bits %d: %zu edges, %zu pieces%s\n", track, bits->waves->edge_count,
                    bits->waves->piece_count, bits->waves->full ? ", full" : "");
        }
    }
    if (app->on_piece) {
        fprintf(out, "piece: %s at %" PRIu64 "ps\n", app->piece.text, app->piece.from);
    }
    if (app->measured) {
        dump_measured(app, out);
    }
    for (size_t i = 0; i < app->markers.count; i++) {
        fprintf(out, "marker %s: %" PRIu64 "ps\n", app->markers.items[i].label,
                app->markers.items[i].at);
    }
    if (app->panel == SDSIM_PANEL_LONGEST) {
        dump_longest(app, out);
    }
    if (app->pair.timelines[1] != NULL) {
        fprintf(out, "shift: %" PRIu64 "ps, %" PRIu64 "ps\n", app->pair.shift[0],
                app->pair.shift[1]);
    }
    fprintf(out, "scroll: %d\n", (int)app->scroll);
    fprintf(out, "panel: %s, %s%s%s\n", app->panel == SDSIM_PANEL_FACTS ? "facts" : "longest",
            app->dark ? "dark" : "light", app->help ? ", help" : "", app->asking ? ", asking" : "");
    if (app->quit) {
        fputs("quit\n", out);
    }
    if (app->message[0] != '\0') {
        fprintf(out, "message: %s\n", app->message);
    }
}

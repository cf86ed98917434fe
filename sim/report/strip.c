#include "report/strip.h"

#include "timeline/query.h"

void sdsim_strip_fill(struct sdsim_strip *strip, struct sdsim_timeline *timeline, sdsim_ps from,
                      sdsim_ps to)
{
    strip->from = from;
    strip->to = to;
    strip->count = 0;
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        struct sdsim_column columns[SDSIM_STRIP_COLUMNS];
        struct sdsim_strip_lane *row = &strip->lanes[strip->count];
        bool any = false;
        if (timeline->lanes[lane].count == 0) {
            continue;
        }
        sdsim_lane_columns(&timeline->lanes[lane], from, to, SDSIM_STRIP_COLUMNS, columns);
        row->lane = (enum sdsim_lane)lane;
        for (size_t c = 0; c < SDSIM_STRIP_COLUMNS; c++) {
            row->classes[c] = columns[c].class;
            any = any || columns[c].class != SDSIM_NO_CLASS;
        }
        strip->count += any;
    }
}

/*
 * The picture of the viewer's state.
 */
#ifndef SDSIM_VIEWER_SCENE_H
#define SDSIM_VIEWER_SCENE_H

#include "app.h"
#include "canvas.h"
#include "theme.h"
#include "timeline/query.h"
#include "view/levels.h"
#include "view/ruler.h"

/* What is kept between pictures. A zeroed one is empty. */
struct sdsim_scene {
    struct sdsim_column *columns; /* of one lane, owned */
    struct sdsim_column *minimap; /* of all, owned; made when the width changes */
    uint32_t minimap_width;
    struct sdsim_level_scale scales[2]; /* of the tracks' queues; made with the minimap */
    double *values;                     /* of a curve, owned */
    uint32_t *line;                     /* pixels of a line of a row, owned */
    int32_t *heights;                   /* of bars, owned */
    sdsim_color *colors;                /* of bars, owned */
    uint32_t room;
    struct sdsim_ruler ruler; /* large */
};

/* Draws everything. False without memory. */
bool sdsim_scene_draw(struct sdsim_scene *scene, struct sdsim_app *app,
                      struct sdsim_canvas *canvas);
void sdsim_scene_free(struct sdsim_scene *scene);

/* Of scene.c and panel.c: a picture at work. */
struct sdsim_picture {
    struct sdsim_scene *scene;
    struct sdsim_app *app;
    struct sdsim_canvas *canvas;
    const struct sdsim_theme *theme;
};
/* The panel and the help over all. */
void sdsim_panel_draw(const struct sdsim_picture *picture);
void sdsim_help_draw(const struct sdsim_picture *picture);
/* Of rows_draw.c: all rows; and a column's color: rare things show, too, but what fills its column is
 * stronger. */
void sdsim_rows_draw(const struct sdsim_picture *picture);
sdsim_color sdsim_column_color(const struct sdsim_picture *picture, enum sdsim_lane lane,
                               const struct sdsim_column *column, sdsim_color ground);
/* Of bits_draw.c: the bits of a track in their row; the names of its pins beside it, if there are waves. */
void sdsim_bits_draw(const struct sdsim_picture *picture, const struct sdsim_row *row, int32_t y);
void sdsim_bits_titles(const struct sdsim_picture *picture, const struct sdsim_row *row, int32_t y);
/* "1.25ms" with four digits; "4.1MB". Returns out. */
char *sdsim_short_time(sdsim_ps time, char *out, size_t size);

#endif

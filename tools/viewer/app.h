/*
 * The viewer's state. Knows nothing of windows: events change it (keys.h, pointer.h), wherever they come
 * from (main.c, script.h), and pictures are made of it (scene.h).
 */
#ifndef SDSIM_VIEWER_APP_H
#define SDSIM_VIEWER_APP_H

#include "font.h"
#include "setup/made_of.h"
#include "view/explore.h"
#include "view/facts.h"
#include "view/markers.h"
#include "view/pair.h"
#include "view/rows.h"
#include "view/waves.h"

enum sdsim_panel {
    SDSIM_PANEL_FACTS,   /* of the selected span, of the measured range, or of the window */
    SDSIM_PANEL_LONGEST, /* list of the longest spans */
};

enum sdsim_drag {
    SDSIM_DRAG_NONE,
    SDSIM_DRAG_PAN,
    SDSIM_DRAG_MEASURE,
    SDSIM_DRAG_MINIMAP,
    SDSIM_DRAG_ROW, /* the chosen one, by its title */
};

/* Where things are, in pixels. */
struct sdsim_layout {
    int32_t unit;    /* the height of a line of text, with some room */
    int32_t titles;  /* width of the titles of rows */
    int32_t panel;   /* width of the panel on the right */
    int32_t minimap; /* heights */
    int32_t ruler;
    int32_t rows_top;
    int32_t status; /* height of the bottom line */
};

/* What is known of the bits of a track; whoever sets it (bits.h) keeps them. */
struct sdsim_app_bits {
    const struct sdsim_waves *waves; /* NULL: none */
    const char *note;                /* why there are none; NULL: all is there */
};

enum { SDSIM_CAUSES_MOST = 12 };

/* Where the first line below the first heading of the panel is. */
static inline int32_t sdsim_panel_top(const struct sdsim_layout *layout)
{
    return layout->minimap + 12 + layout->unit;
}

struct sdsim_app {
    struct sdsim_pair pair;
    /* Tells the run behind a track, NULL if there is none; NULL: nobody knows runs. */
    const struct sdsim_run *(*run_of)(void *context, uint8_t track);
    void *run_context;
    const char *names[2]; /* of what is looked at */
    struct sdsim_app_bits bits[2];
    struct sdsim_axis axis;
    struct sdsim_rows rows;
    struct sdsim_layout layout;
    int32_t width;
    int32_t height;
    int32_t scroll; /* pixels the rows are moved up */
    uint32_t row;   /* that keys act on */
    bool selected;
    uint8_t track;
    struct sdsim_place_in place;
    struct sdsim_cause causes[SDSIM_CAUSES_MOST]; /* values that made the selected span */
    size_t cause_count;
    bool on_piece; /* a piece of the bits is selected, not a span */
    struct sdsim_bus_piece piece;
    bool measured;
    sdsim_ps measure_from;
    sdsim_ps measure_to;
    struct sdsim_markers markers;
    enum sdsim_panel panel;
    char quest_text[100]; /* what is jumped to and listed */
    struct sdsim_long_one longest[20];
    size_t longest_count;
    uint8_t longest_track;
    size_t longest_at; /* the one that is chosen */
    bool asking;       /* the search line is open */
    char asked[100];
    char message[160];
    bool help;
    bool dark;
    bool quit;
    bool dirty;
    enum sdsim_drag drag;
    sdsim_ps grabbed;
    int32_t pointer_x;
    int32_t pointer_y;
    int32_t pressed_x;
    int32_t pressed_y;
};

/* Sets up a view of one or two timelines that stay the caller's. */
void sdsim_app_init(struct sdsim_app *app, struct sdsim_timeline *first,
                    struct sdsim_timeline *second, int32_t width, int32_t height,
                    int32_t text_height);
void sdsim_app_resize(struct sdsim_app *app, int32_t width, int32_t height);

/* Lines of text the bits of a track take: a line a pin, and two for each one that is decoded. */
int32_t sdsim_app_pin_lines(const struct sdsim_waves *waves);
/* Where a pin's line is among them, and whether bytes and fields follow it. */
int32_t sdsim_app_pin_line(const struct sdsim_waves *waves, unsigned pin, bool *decoded);

/* The line of a piece; the piece in a line at an instant of the track's own time, NULL: none. */
int32_t sdsim_piece_line(const struct sdsim_waves *waves, const struct sdsim_bus_piece *piece);
const struct sdsim_bus_piece *sdsim_piece_at(const struct sdsim_waves *waves, sdsim_ps instant,
                                             int32_t line);

/* Gives the rows of bits the height they need. */
void sdsim_app_fit_pins(struct sdsim_app *app);

/* Scrolls so that the chosen row is in sight. */
void sdsim_app_see_row(struct sdsim_app *app);
/* Scrolls the rows by pixels, as far as there are any. */
void sdsim_app_scroll(struct sdsim_app *app, int32_t pixels);

/* What the track's lane looks like in the window: its timeline, and the axis in its own time. */
struct sdsim_timeline *sdsim_app_track(const struct sdsim_app *app, uint8_t track,
                                       struct sdsim_axis *own, int32_t *x);

#endif

/*
 * sdsim-view: looks at one or two runs, traces or captures.
 *
 * With --screenshot and --script no display is needed.
 */
#include <SDL.h>
#include <SDL_image.h>
#include <SDL_ttf.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "dump.h"
#include "script.h"
#include "select.h"
#include "tools/sdsim/command.h"
#include "tools/sdsim/options.h"
#include "tools/sdsim/output.h"
#include "viewer.h"
#include "window.h"

/* ---- options ---- */

struct options {
    int width;
    int height;
    int text; /* 0: not said */
};

static bool read_size(const char *text, struct options *options)
{
    char rest;
    if (text == NULL) {
        return true;
    }
    if (sscanf(text, "%dx%d%c", &options->width, &options->height, &rest) != 2 ||
        options->width < 320 || options->height < 200 || options->width > 16384 ||
        options->height > 16384) {
        fprintf(stderr,
                "error: --size takes a width and a height, 320x200 to 16384x16384, not '%s'\n",
                text);
        return false;
    }
    return true;
}

static bool read_text_size(const char *text, struct options *options)
{
    char rest;
    if (text != NULL && (sscanf(text, "%d%c", &options->text, &rest) != 1 || options->text < 6 ||
                         options->text > 100)) {
        fprintf(stderr, "error: --text takes 6 to 100 pixels, not '%s'\n", text);
        return false;
    }
    return true;
}

static bool apply_view(struct sdsim_app *app, const char *text)
{
    sdsim_ps from;
    sdsim_ps to;
    char first[64] = "";
    const char *dots = text != NULL ? strstr(text, "..") : NULL;
    if (text == NULL) {
        return true;
    }
    if (dots != NULL && (size_t)(dots - text) < sizeof first) {
        memcpy(first, text, (size_t)(dots - text));
    }
    if (dots == NULL || sdsim_unit_parse(SDSIM_UNIT_TIME, first, &from) != SDSIM_UNIT_OK ||
        sdsim_unit_parse(SDSIM_UNIT_TIME, dots + 2, &to) != SDSIM_UNIT_OK || to <= from) {
        char limit[64];
        const char *large = sdsim_unit_is_too_large(SDSIM_UNIT_TIME, first) ? first
                            : dots != NULL && sdsim_unit_is_too_large(SDSIM_UNIT_TIME, dots + 2)
                                ? dots + 2
                                : NULL;
        if (large != NULL) {
            fprintf(stderr, "error: --view takes times of %s, not '%s'\n",
                    sdsim_unit_at_most(SDSIM_UNIT_TIME, UINT64_MAX, limit, sizeof limit), large);
            return false;
        }
        fprintf(stderr, "error: --view takes two times, as in 10ms..12ms, not '%s'\n", text);
        return false;
    }
    sdsim_axis_set(&app->axis, from, to);
    return true;
}

static bool apply_select(struct sdsim_app *app, const char *text)
{
    if (text != NULL && !sdsim_select_jump(app, text, true)) {
        fprintf(stderr, "error: --select: %s\n", app->message);
        return false;
    }
    return true;
}

static bool apply_align(struct sdsim_app *app, const char *text)
{
    if (text != NULL && !sdsim_select_align(app, text)) {
        fprintf(stderr, "error: --align: %s\n", app->message);
        return false;
    }
    return true;
}

/* ---- what is looked at ---- */

static enum sdsim_exit open_all(struct sdsim_viewer *viewer,
                                const struct sdsim_arguments *arguments)
{
    struct sdsim_operand operands[SDSIM_OPERANDS_MOST];
    const size_t count =
        sdsim_operands_sort(arguments->operands, arguments->operand_count, operands);
    enum sdsim_exit worst = count > 0 ? SDSIM_EXIT_OK : SDSIM_EXIT_INPUT;
    bool simulated = false;
    for (size_t i = 0; i < count; i++) {
        simulated = simulated || operands[i].kind == SDSIM_OPERAND_SCENARIO ||
                    operands[i].kind == SDSIM_OPERAND_TRACE;
    }
    if (count > 0 && !simulated && arguments->overrides[0] != NULL) {
        fputs("error: --set changes what is simulated; a timeline or a capture is as it is\n"
              "help: name the scenario, or record it with 'sdsim run --record FILE --set ...'\n",
              stderr);
        return SDSIM_EXIT_INPUT;
    }
    for (size_t i = 0; i < count; i++) {
        enum sdsim_exit code;
        viewer->subjects[i] =
            sdsim_subject_open(arguments, &operands[i], &viewer->timelines[i], &code);
        worst = code > worst ? code : worst;
    }
    return worst;
}

static void close_all(struct sdsim_viewer *viewer)
{
    sdsim_bits_free(viewer->bits);
    sdsim_scene_free(&viewer->scene);
    sdsim_font_free(&viewer->font);
    for (int i = 0; i < 2; i++) {
        sdsim_subject_close(viewer->subjects[i]);
        sdsim_timeline_free(&viewer->timelines[i]);
    }
}

/* ---- pictures ---- */

/* Spans of a timeline are read when they are drawn: damage shows then. That of a capture was told when
 * it was read. */
static void note_damage(struct sdsim_viewer *viewer)
{
    for (int i = 0; i < 2; i++) {
        const char *fault =
            viewer->subjects[i] != NULL ? sdsim_subject_fault(viewer->subjects[i]) : NULL;
        if (fault != NULL && !viewer->damaged[i]) {
            viewer->damaged[i] = true;
            viewer->app.dirty = true;
            snprintf(viewer->app.message, sizeof viewer->app.message, "%.60s is damaged: %.80s",
                     viewer->app.names[i], fault);
            if (!sdsim_subject_is_capture(viewer->subjects[i])) {
                fprintf(stderr, "%s: error: %s\nhelp: what can be read is shown\n",
                        viewer->app.names[i], fault);
            }
        }
    }
}

bool sdsim_viewer_draw(struct sdsim_viewer *viewer, SDL_Surface *surface)
{
    struct sdsim_canvas *canvas = &viewer->canvas;
    *canvas = (struct sdsim_canvas){.pixels = surface->pixels,
                                    .width = surface->w,
                                    .height = surface->h,
                                    .pitch = surface->pitch / 4,
                                    .font = &viewer->font};
    viewer->app.dirty = false;
    sdsim_bits_update(viewer->bits, &viewer->app);
    const bool drawn = sdsim_scene_draw(&viewer->scene, &viewer->app, canvas);
    note_damage(viewer);
    return drawn;
}

SDL_Surface *sdsim_viewer_surface(const struct sdsim_viewer *viewer)
{
    return SDL_CreateRGBSurfaceWithFormat(0, viewer->app.width, viewer->app.height, 32,
                                          SDL_PIXELFORMAT_ARGB8888);
}

static bool ends_in(const char *path, const char *end)
{
    const size_t length = strlen(path);
    return length > strlen(end) && strcmp(path + length - strlen(end), end) == 0;
}

/* A picture as bytes of red, green and blue, for programs. */
static bool save_ppm(const SDL_Surface *surface, FILE *file)
{
    fprintf(file, "P6\n%d %d\n255\n", surface->w, surface->h);
    for (int y = 0; y < surface->h; y++) {
        const uint32_t *row = (const uint32_t *)surface->pixels + (ptrdiff_t)y * surface->pitch / 4;
        for (int x = 0; x < surface->w; x++) {
            const uint8_t pixel[3] = {(uint8_t)(row[x] >> 16), (uint8_t)(row[x] >> 8),
                                      (uint8_t)row[x]};
            (void)fwrite(pixel, 1, sizeof pixel, file);
        }
    }
    return ferror(file) == 0;
}

static bool save_png(SDL_Surface *surface, FILE *file)
{
    SDL_RWops *out = SDL_RWFromFP(file, SDL_FALSE);
    return out != NULL && IMG_SavePNG_RW(surface, out, 1) == 0;
}

static enum sdsim_exit screenshot(struct sdsim_viewer *viewer, const char *path)
{
    SDL_Surface *surface = sdsim_viewer_surface(viewer);
    if (surface == NULL || !sdsim_viewer_draw(viewer, surface)) {
        fputs("error: out of memory\n", stderr);
        SDL_FreeSurface(surface);
        return SDSIM_EXIT_FAULT;
    }
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        SDL_FreeSurface(surface);
        return SDSIM_EXIT_FAULT;
    }
    const bool saved =
        ends_in(path, ".ppm") ? save_ppm(surface, output.stream) : save_png(surface, output.stream);
    SDL_FreeSurface(surface);
    if (!saved) {
        sdsim_output_discard(&output);
        fprintf(stderr, "error: cannot make the picture %s: %s\n", path, SDL_GetError());
        return SDSIM_EXIT_FAULT;
    }
    return sdsim_output_send(&output, path);
}

/* ---- all of it ---- */

static bool load_font(struct sdsim_viewer *viewer, const char *path, int text)
{
    const bool built_in = path != NULL && path[0] == '\0';
    if (!built_in && TTF_Init() == 0 && sdsim_font_load(&viewer->font, path, text)) {
        return true;
    }
    if (path != NULL && !built_in) {
        fprintf(stderr, "error: %s is no font: %s\n", path, TTF_GetError());
        return false;
    }
    sdsim_font_built_in(&viewer->font, text);
    return true;
}

static int text_size(const struct options *options, bool window)
{
    const int wide = options->width > 1280 ? (options->width - 1280) / 180 : 0;
    return options->text > 0 ? options->text : window ? sdsim_window_text() : 13 + wide;
}

static const struct sdsim_run *run_of(void *context, uint8_t track)
{
    struct sdsim_viewer *viewer = context;
    return viewer->subjects[track] != NULL ? sdsim_subject_run(viewer->subjects[track]) : NULL;
}

static enum sdsim_exit start(struct sdsim_viewer *viewer, const struct sdsim_arguments *arguments,
                             const struct options *options, bool window)
{
    const char *const *values = arguments->values;
    struct sdsim_app *app = &viewer->app;
    if (!load_font(viewer, values[SDSIM_OPTION_FONT], text_size(options, window))) {
        return SDSIM_EXIT_INPUT;
    }
    viewer->bits = sdsim_bits_new(viewer->subjects, window ? sdsim_window_wake : NULL);
    if (viewer->bits == NULL) {
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    sdsim_app_init(app, &viewer->timelines[0],
                   viewer->subjects[1] != NULL ? &viewer->timelines[1] : NULL, options->width,
                   options->height, viewer->font.height);
    for (int i = 0; i < 2 && viewer->subjects[i] != NULL; i++) {
        app->names[i] = sdsim_subject_title(viewer->subjects[i]);
    }
    app->run_of = run_of;
    app->run_context = viewer;
    app->dark = values[SDSIM_OPTION_DARK] != NULL;
    return apply_align(app, values[SDSIM_OPTION_ALIGN]) &&
                   apply_view(app, values[SDSIM_OPTION_VIEW]) &&
                   apply_select(app, values[SDSIM_OPTION_SELECT])
               ? SDSIM_EXIT_OK
               : SDSIM_EXIT_INPUT;
}

static enum sdsim_exit run(struct sdsim_viewer *viewer, const struct sdsim_arguments *arguments,
                           const struct options *options)
{
    const char *script = arguments->values[SDSIM_OPTION_SCRIPT];
    const char *picture = arguments->values[SDSIM_OPTION_SCREENSHOT];
    const bool window = script == NULL && picture == NULL;
    if (picture != NULL && !ends_in(picture, ".png") && !ends_in(picture, ".ppm")) {
        fprintf(stderr, "error: --screenshot makes .png and .ppm files, not '%s'\n", picture);
        return SDSIM_EXIT_INPUT;
    }
    if (window && !sdsim_window_begin()) {
        return SDSIM_EXIT_FAULT;
    }
    const enum sdsim_exit opened = open_all(viewer, arguments);
    if (opened > SDSIM_EXIT_FINDING) {
        return opened;
    }
    enum sdsim_exit code = start(viewer, arguments, options, window);
    note_damage(viewer);
    if (code == SDSIM_EXIT_OK && script != NULL && !sdsim_script_run(viewer, script)) {
        code = SDSIM_EXIT_INPUT;
    }
    if (code == SDSIM_EXIT_OK && picture != NULL) {
        code = screenshot(viewer, picture);
    }
    if (code == SDSIM_EXIT_OK && window && !sdsim_window_show(viewer)) {
        code = SDSIM_EXIT_FAULT;
    }
    if (code == SDSIM_EXIT_OK && arguments->values[SDSIM_OPTION_DUMP] != NULL) {
        sdsim_dump(&viewer->app, stdout);
    }
    if (code == SDSIM_EXIT_OK && (viewer->damaged[0] || viewer->damaged[1])) {
        code = SDSIM_EXIT_INPUT;
    }
    return code == SDSIM_EXIT_OK ? opened : code;
}

static enum sdsim_exit run_arguments(const struct sdsim_arguments *arguments)
{
    struct options options = {.width = 1280, .height = 720};
    if (arguments->operand_count == 0) {
        fputs("error: say what to look at: a timeline, a scenario, a trace or a capture\n"
              "help: 'sdsim view --help' tells more\n",
              stderr);
        return SDSIM_EXIT_INPUT;
    }
    if (!read_size(arguments->values[SDSIM_OPTION_WINDOW_SIZE], &options) ||
        !read_text_size(arguments->values[SDSIM_OPTION_TEXT_SIZE], &options)) {
        return SDSIM_EXIT_INPUT;
    }
    struct sdsim_viewer *viewer = calloc(1, sizeof *viewer);
    if (viewer == NULL) {
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    sdsim_timeline_init(&viewer->timelines[0]);
    sdsim_timeline_init(&viewer->timelines[1]);
    const enum sdsim_exit code = run(viewer, arguments, &options);
    close_all(viewer);
    free(viewer);
    TTF_Quit();
    SDL_Quit();
    return code;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    return (int)sdsim_command_main(&sdsim_command_view, run_arguments, argc, argv);
}

/*
 * sdsim-view: looks at one or two recorded runs.
 *
 * The window is drawn by the CPU and only when something has changed. With --screenshot and --script no
 * display is needed.
 */
#include <SDL.h>
#include <SDL_image.h>
#include <SDL_ttf.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "core/units.h"
#include "core/version.h"
#include "keys.h"
#include "pointer.h"
#include "scene.h"
#include "script.h"
#include "select.h"
#include "timeline/read.h"

enum { EXIT_OK, EXIT_FINDING, EXIT_INPUT, EXIT_FAULT };

static const char usage[] =
    "usage: sdsim-view [OPTION...] RUN.sdtl [OTHER.sdtl]\n"
    "\n"
    "Shows what a run does, and when; two runs one above the other. 'sdsim run SCENARIO RUN "
    "--record\n"
    "RUN.sdtl' records one. Press ? in the window for the keys.\n"
    "\n"
    "options:\n"
    "  --view FROM..TO      the stretch of time to begin with, e.g. 10ms..12ms\n"
    "  --select WHAT        select the first of these, e.g. 'pause over 10ms' or 'fat write'\n"
    "  --dark               light letters on dark ground\n"
    "  --size WxH           of the window or picture; default 1280x720\n"
    "  --text PIXELS        size of the letters; default 13\n"
    "  --font FILE          a TrueType font\n"
    "  --screenshot FILE    write a PNG and end; needs no display\n"
    "  --script FILE        replay events and end; needs no display\n"
    "  --version, --help\n"
    "\n"
    "Exit code: 0 all is well; 2 bad input or usage; 3 a fault of this computer.\n";

struct options {
    const char *view;
    const char *select;
    const char *screenshot;
    const char *script;
    const char *font;
    int width;
    int height;
    int text;
    bool dark;
};

struct viewer {
    struct sdsim_timeline timelines[2];
    struct sdsim_timeline_reader *readers[2];
    struct sdsim_app app;
    struct sdsim_scene scene;
    struct sdsim_font font;
    struct sdsim_canvas canvas;
};

/* ---- options ---- */

static bool read_size(const char *text, struct options *options)
{
    char rest;
    if (sscanf(text, "%dx%d%c", &options->width, &options->height, &rest) != 2 ||
        options->width < 320 || options->height < 200 || options->width > 16384 ||
        options->height > 16384) {
        fprintf(stderr, "error: --size takes a width and a height, as in 1280x720, not '%s'\n",
                text);
        return false;
    }
    return true;
}

static bool read_text_size(const char *text, struct options *options)
{
    char rest;
    if (sscanf(text, "%d%c", &options->text, &rest) != 1 || options->text < 6 ||
        options->text > 100) {
        fprintf(stderr, "error: --text takes 6 to 100 pixels, not '%s'\n", text);
        return false;
    }
    return true;
}

/* Reads the options; -1: go on, else end with this code. */
static int read_options(int argc, char **argv, struct options *options)
{
    static const struct option longs[] = {
        {"view", required_argument, NULL, 'v'},
        {"select", required_argument, NULL, 's'},
        {"dark", no_argument, NULL, 'd'},
        {"size", required_argument, NULL, 'z'},
        {"text", required_argument, NULL, 't'},
        {"font", required_argument, NULL, 'f'},
        {"script", required_argument, NULL, 'r'},
        {"screenshot", required_argument, NULL, 'p'},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        switch (option) {
        case 'v':
            options->view = optarg;
            break;
        case 's':
            options->select = optarg;
            break;
        case 'd':
            options->dark = true;
            break;
        case 'z':
            if (!read_size(optarg, options)) {
                return EXIT_INPUT;
            }
            break;
        case 't':
            if (!read_text_size(optarg, options)) {
                return EXIT_INPUT;
            }
            break;
        case 'f':
            options->font = optarg;
            break;
        case 'r':
            options->script = optarg;
            break;
        case 'p':
            options->screenshot = optarg;
            break;
        case 'V':
            puts("sdsim-view " SDSIM_VERSION);
            return EXIT_OK;
        case 'h':
            fputs(usage, stdout);
            return EXIT_OK;
        default:
            return EXIT_INPUT;
        }
    }
    if (argc - optind < 1 || argc - optind > 2) {
        fputs("error: name one or two timelines\nhelp: 'sdsim-view --help' tells more\n", stderr);
        return EXIT_INPUT;
    }
    return -1;
}

static bool apply_view(struct sdsim_app *app, const char *text)
{
    sdsim_ps from;
    sdsim_ps to;
    char first[64];
    const char *dots = strstr(text, "..");
    const size_t length = dots != NULL ? (size_t)(dots - text) : 0;
    if (length == 0 || length >= sizeof first) {
        fprintf(stderr, "error: --view takes two times, as in 10ms..12ms, not '%s'\n", text);
        return false;
    }
    memcpy(first, text, length);
    first[length] = '\0';
    if (sdsim_unit_parse(SDSIM_UNIT_TIME, first, &from) != SDSIM_UNIT_OK ||
        sdsim_unit_parse(SDSIM_UNIT_TIME, dots + 2, &to) != SDSIM_UNIT_OK || to <= from) {
        fprintf(stderr, "error: --view takes two times, as in 10ms..12ms, not '%s'\n", text);
        return false;
    }
    sdsim_axis_set(&app->axis, from, to);
    return true;
}

/* ---- files ---- */

static bool open_all(struct viewer *viewer, char **paths, int count)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    bool fine = true;
    for (int i = 0; i < 2; i++) {
        sdsim_timeline_init(&viewer->timelines[i]);
        if (i < count) {
            viewer->readers[i] = sdsim_timeline_open(paths[i], &viewer->timelines[i], &diags);
            fine = fine && viewer->readers[i] != NULL;
        }
    }
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    return fine;
}

static void close_all(struct viewer *viewer)
{
    sdsim_scene_free(&viewer->scene);
    sdsim_font_free(&viewer->font);
    for (int i = 0; i < 2; i++) {
        sdsim_timeline_reader_close(viewer->readers[i]);
        sdsim_timeline_free(&viewer->timelines[i]);
    }
}

/* ---- pictures ---- */

static bool draw_on(struct viewer *viewer, SDL_Surface *surface)
{
    struct sdsim_canvas *canvas = &viewer->canvas;
    *canvas = (struct sdsim_canvas){.pixels = surface->pixels,
                                    .width = surface->w,
                                    .height = surface->h,
                                    .pitch = surface->pitch / 4,
                                    .font = &viewer->font};
    viewer->app.dirty = false;
    return sdsim_scene_draw(&viewer->scene, &viewer->app, canvas);
}

static int screenshot(struct viewer *viewer, const char *path)
{
    SDL_Surface *surface = SDL_CreateRGBSurfaceWithFormat(0, viewer->app.width, viewer->app.height,
                                                          32, SDL_PIXELFORMAT_ARGB8888);
    if (surface == NULL || !draw_on(viewer, surface)) {
        fputs("error: out of memory\n", stderr);
        SDL_FreeSurface(surface);
        return EXIT_FAULT;
    }
    const int saved = IMG_SavePNG(surface, path);
    SDL_FreeSurface(surface);
    if (saved != 0) {
        fprintf(stderr, "error: cannot write to %s: %s\n", path, SDL_GetError());
        return EXIT_FAULT;
    }
    return EXIT_OK;
}

/* ---- the window ---- */

/* A key as the app names it; "" if typed text tells it better. */
static const char *key_name(const SDL_Keysym *key)
{
    static const struct {
        SDL_Keycode code;
        const char *name;
    } names[] = {
        {SDLK_LEFT, "left"},     {SDLK_RIGHT, "right"}, {SDLK_UP, "up"},
        {SDLK_DOWN, "down"},     {SDLK_HOME, "home"},   {SDLK_RETURN, "return"},
        {SDLK_ESCAPE, "escape"}, {SDLK_TAB, "tab"},     {SDLK_BACKSPACE, "backspace"},
        {SDLK_SPACE, "space"},
    };
    const bool shift = (key->mod & KMOD_SHIFT) != 0;
    if (shift && key->sym == SDLK_UP) {
        return "shift up";
    }
    if (shift && key->sym == SDLK_DOWN) {
        return "shift down";
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].code == key->sym) {
            return names[i].name;
        }
    }
    return "";
}

static void take_text(struct sdsim_app *app, const char *text)
{
    char key[2] = {text[0], '\0'};
    if (app->asking) {
        sdsim_type(app, text);
    } else if (strcmp(text, " ") != 0) {
        sdsim_key(app, key);
    }
}

static void take_event(struct viewer *viewer, const SDL_Event *event)
{
    struct sdsim_app *app = &viewer->app;
    switch (event->type) {
    case SDL_QUIT:
        app->quit = true;
        break;
    case SDL_KEYDOWN:
        if (key_name(&event->key.keysym)[0] != '\0' &&
            !(app->asking && event->key.keysym.sym == SDLK_SPACE)) {
            sdsim_key(app, key_name(&event->key.keysym));
        }
        break;
    case SDL_TEXTINPUT:
        take_text(app, event->text.text);
        break;
    case SDL_MOUSEWHEEL:
        sdsim_wheel(app, app->pointer_x, app->pointer_y, event->wheel.y);
        break;
    case SDL_MOUSEMOTION:
        sdsim_move(app, event->motion.x, event->motion.y);
        break;
    case SDL_MOUSEBUTTONDOWN:
        if (event->button.button == SDL_BUTTON_LEFT) {
            sdsim_press(app, event->button.x, event->button.y, event->button.clicks);
        }
        break;
    case SDL_MOUSEBUTTONUP:
        sdsim_release(app, event->button.x, event->button.y);
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED) {
            sdsim_app_resize(app, event->window.data1, event->window.data2);
        }
        app->dirty = true;
        break;
    default:
        break;
    }
}

static int show(struct viewer *viewer)
{
    if (SDL_Init(SDL_INIT_VIDEO) != 0) {
        fprintf(stderr, "error: there is no display: %s\nhelp: --screenshot FILE needs none\n",
                SDL_GetError());
        return EXIT_FAULT;
    }
    SDL_Window *window =
        SDL_CreateWindow("sdsim", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                         viewer->app.width, viewer->app.height, SDL_WINDOW_RESIZABLE);
    int code = EXIT_OK;
    if (window == NULL) {
        fprintf(stderr, "error: no window: %s\n", SDL_GetError());
        code = EXIT_FAULT;
    }
    SDL_StartTextInput();
    SDL_Surface *picture = NULL;
    while (window != NULL && !viewer->app.quit && code == EXIT_OK) {
        SDL_Event event;
        if (viewer->app.dirty) {
            SDL_Surface *surface = SDL_GetWindowSurface(window);
            if (picture == NULL || picture->w != viewer->app.width ||
                picture->h != viewer->app.height) {
                SDL_FreeSurface(picture);
                picture = SDL_CreateRGBSurfaceWithFormat(0, viewer->app.width, viewer->app.height,
                                                         32, SDL_PIXELFORMAT_ARGB8888);
            }
            if (surface == NULL || picture == NULL || !draw_on(viewer, picture)) {
                fprintf(stderr, "error: can't draw: %s\n", SDL_GetError());
                code = EXIT_FAULT;
                break;
            }
            SDL_BlitSurface(picture, NULL, surface, NULL);
            SDL_UpdateWindowSurface(window);
        }
        if (SDL_WaitEvent(&event) == 1) {
            do {
                take_event(viewer, &event);
            } while (SDL_PollEvent(&event) == 1);
        }
    }
    SDL_FreeSurface(picture);
    SDL_DestroyWindow(window);
    SDL_Quit();
    return code;
}

/* ---- all of it ---- */

static int run(struct viewer *viewer, const struct options *options, char **paths, int count)
{
    struct sdsim_app *app = &viewer->app;
    if (!open_all(viewer, paths, count)) {
        return EXIT_INPUT;
    }
    if (TTF_Init() != 0 || !sdsim_font_load(&viewer->font, options->font, options->text)) {
        if (options->font != NULL) {
            fprintf(stderr, "error: %s is no font: %s\n", options->font, TTF_GetError());
            return EXIT_INPUT;
        }
        sdsim_font_built_in(&viewer->font, options->text);
    }
    sdsim_app_init(app, &viewer->timelines[0], count > 1 ? &viewer->timelines[1] : NULL,
                   options->width, options->height, viewer->font.height);
    for (int i = 0; i < count; i++) {
        const char *slash = strrchr(paths[i], '/');
        app->names[i] = slash != NULL ? slash + 1 : paths[i];
    }
    app->dark = options->dark;
    if (options->view != NULL && !apply_view(app, options->view)) {
        return EXIT_INPUT;
    }
    if (options->select != NULL && !sdsim_select_jump(app, options->select, true)) {
        fprintf(stderr, "error: --select: %s\n", app->message);
        return EXIT_INPUT;
    }
    if (options->script != NULL && !sdsim_script_run(app, options->script)) {
        return EXIT_INPUT;
    }
    if (options->screenshot != NULL) {
        return screenshot(viewer, options->screenshot);
    }
    return options->script != NULL ? EXIT_OK : show(viewer);
}

int main(int argc, char **argv)
{
    struct options options = {.width = 1280, .height = 720, .text = 13};
    const int code = read_options(argc, argv, &options);
    if (code >= 0) {
        return code;
    }
    struct viewer *viewer = calloc(1, sizeof *viewer);
    if (viewer == NULL) {
        fputs("error: out of memory\n", stderr);
        return EXIT_FAULT;
    }
    const int result = run(viewer, &options, argv + optind, argc - optind);
    close_all(viewer);
    free(viewer);
    TTF_Quit();
    return result;
}

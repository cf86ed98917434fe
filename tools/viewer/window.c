#include "window.h"

#include <stdio.h>
#include <string.h>

#include "keys.h"
#include "pointer.h"

bool sdsim_window_begin(void)
{
    if (SDL_Init(SDL_INIT_VIDEO) != 0) {
        fprintf(stderr, "error: there is no display: %s\nhelp: --screenshot FILE needs none\n",
                SDL_GetError());
        return false;
    }
    return true;
}

int sdsim_window_text(void)
{
    float dots = 0;
    const bool known = SDL_GetDisplayDPI(0, NULL, &dots, NULL) == 0;
    return known && dots > 120 && dots < 600 ? (int)(dots / 96 * 13) : 13;
}

void sdsim_window_wake(void)
{
    SDL_Event event = {.type = SDL_USEREVENT};
    (void)SDL_PushEvent(&event);
}

/* ---- events ---- */

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
        {SDLK_SPACE, "space"},   {SDLK_END, "end"},
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

static void take_event(struct sdsim_viewer *viewer, const SDL_Event *event)
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
    case SDL_USEREVENT:
        app->dirty = true;
        break;
    default:
        break;
    }
}

/* ---- pictures ---- */

static bool draw(struct sdsim_viewer *viewer, SDL_Window *window, SDL_Surface **picture)
{
    SDL_Surface *surface = SDL_GetWindowSurface(window);
    if (*picture == NULL || (*picture)->w != viewer->app.width ||
        (*picture)->h != viewer->app.height) {
        SDL_FreeSurface(*picture);
        *picture = sdsim_viewer_surface(viewer);
    }
    return surface != NULL && *picture != NULL && sdsim_viewer_draw(viewer, *picture) &&
           SDL_BlitSurface(*picture, NULL, surface, NULL) == 0 &&
           SDL_UpdateWindowSurface(window) == 0;
}

/* Reads files ahead while there is nothing else to do; false once all is read. */
static bool read_ahead(struct sdsim_viewer *viewer)
{
    for (int i = 0; i < 2; i++) {
        if (viewer->subjects[i] != NULL && sdsim_subject_preload(viewer->subjects[i])) {
            return true;
        }
    }
    return false;
}

/* Waits for something to happen, and takes all that has. */
static void take_events(struct sdsim_viewer *viewer)
{
    SDL_Event event;
    bool there = SDL_PollEvent(&event) == 1;
    while (!there && read_ahead(viewer)) {
        there = SDL_PollEvent(&event) == 1;
    }
    if (there || SDL_WaitEvent(&event) == 1) {
        do {
            take_event(viewer, &event);
        } while (SDL_PollEvent(&event) == 1);
    }
}

static void set_title(const struct sdsim_viewer *viewer, SDL_Window *window)
{
    const struct sdsim_app *app = &viewer->app;
    char title[450];
    snprintf(title, sizeof title, app->names[1] != NULL ? "%s | %s - sdsim" : "%s%s - sdsim",
             app->names[0], app->names[1] != NULL ? app->names[1] : "");
    SDL_SetWindowTitle(window, title);
}

bool sdsim_window_show(struct sdsim_viewer *viewer)
{
    SDL_Surface *picture = NULL;
    bool fine = true;
    SDL_Window *window =
        SDL_CreateWindow("sdsim", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                         viewer->app.width, viewer->app.height, SDL_WINDOW_RESIZABLE);
    if (window == NULL) {
        fprintf(stderr, "error: no window: %s\n", SDL_GetError());
        return false;
    }
    SDL_StartTextInput();
    for (bool first = true; !viewer->app.quit && fine; first = false) {
        if (viewer->app.dirty && !draw(viewer, window, &picture)) {
            fprintf(stderr, "error: can't draw: %s\n", SDL_GetError());
            fine = false;
            continue;
        }
        if (first) { /* who waits for the title finds what it tells of */
            set_title(viewer, window);
        }
        take_events(viewer);
    }
    SDL_FreeSurface(picture);
    SDL_DestroyWindow(window);
    return fine;
}

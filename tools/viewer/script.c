#include "script.h"

#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "dump.h"
#include "keys.h"
#include "pointer.h"

/* Events act on what was drawn last, as they do in a window: rows have the heights of a picture. */
static void draw(struct sdsim_viewer *viewer)
{
    SDL_Surface *surface = sdsim_viewer_surface(viewer);
    if (surface != NULL) {
        (void)sdsim_viewer_draw(viewer, surface);
    }
    SDL_FreeSurface(surface);
}

static bool run_line(struct sdsim_viewer *viewer, char *line)
{
    struct sdsim_app *app = &viewer->app;
    int a[4];
    char word[16] = "";
    int used = 0;
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '#' || sscanf(line, "%15s%n", word, &used) != 1) {
        return true;
    }
    const char *rest = line + used + strspn(line + used, " ");
    const int numbers = sscanf(rest, "%d %d %d %d", &a[0], &a[1], &a[2], &a[3]);
    if (strcmp(word, "key") == 0 && *rest != '\0') {
        sdsim_key(app, rest);
    } else if (strcmp(word, "type") == 0) {
        sdsim_type(app, rest);
    } else if (strcmp(word, "wheel") == 0 && numbers == 3) {
        sdsim_wheel(app, a[0], a[1], a[2]);
    } else if ((strcmp(word, "click") == 0 || strcmp(word, "double") == 0) && numbers == 2) {
        sdsim_press(app, a[0], a[1], word[0] == 'd' ? 2 : 1);
        sdsim_release(app, a[0], a[1]);
    } else if (strcmp(word, "drag") == 0 && numbers == 4) {
        sdsim_press(app, a[0], a[1], 1);
        sdsim_move(app, (a[0] + a[2]) / 2, (a[1] + a[3]) / 2);
        sdsim_release(app, a[2], a[3]);
    } else if (strcmp(word, "size") == 0 && numbers == 2) {
        sdsim_app_resize(app, a[0], a[1]);
    } else if (strcmp(word, "dump") == 0 || strcmp(word, "draw") == 0) {
        draw(viewer);
        if (word[1] == 'u') {
            sdsim_dump(app, stdout);
        }
    } else {
        return false;
    }
    return true;
}

bool sdsim_script_run(struct sdsim_viewer *viewer, const char *path)
{
    char line[300];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "error: can't read %s: %s\n", path, strerror(errno));
        return false;
    }
    bool fine = true;
    for (unsigned number = 1; fine && fgets(line, sizeof line, file) != NULL; number++) {
        fine = run_line(viewer, line);
        if (!fine) {
            fprintf(stderr, "%s:%u: error: '%s' is no event\n", path, number, line);
        }
    }
    fclose(file);
    return fine;
}

#include "page_pictures.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot.h"
#include "signals.h"

/* One picture: what it is of. */
struct subject {
    const struct sdsim_page *page;
    enum sdsim_page_scatter scatter;
    const struct sdsim_histogram *calls;
};

static bool scatter_data(const void *context, FILE *out)
{
    const struct subject *subject = context;
    sdsim_page_scatter_data(subject->page, subject->scatter, out);
    return true;
}

static void scatter_script(const void *context, enum sdsim_picture_format format, const char *data,
                           const char *picture, FILE *out)
{
    const struct subject *subject = context;
    (void)format;
    sdsim_page_scatter_script(subject->page, subject->scatter, data, picture, out);
}

static bool histogram_data(const void *context, FILE *out)
{
    const struct subject *subject = context;
    sdsim_page_histogram_data(subject->calls, out);
    return true;
}

static void histogram_script(const void *context, enum sdsim_picture_format format,
                             const char *data, const char *picture, FILE *out)
{
    const struct subject *subject = context;
    (void)format;
    sdsim_page_histogram_script(subject->calls, data, picture, out);
}

static bool percentile_data(const void *context, FILE *out)
{
    const struct subject *subject = context;
    sdsim_page_percentile_data(subject->calls, out);
    return true;
}

static void percentile_script(const void *context, enum sdsim_picture_format format,
                              const char *data, const char *picture, FILE *out)
{
    const struct subject *subject = context;
    (void)format;
    sdsim_page_percentile_script(subject->calls, data, picture, out);
}

/* The file as a text, owned; NULL after a message. */
static char *read_picture(const char *path)
{
    char *text = NULL;
    size_t room = 0;
    FILE *in = fopen(path, "r");
    if (in == NULL || getdelim(&text, &room, '\0', in) < 0) {
        fprintf(stderr, "error: cannot read a picture back: %s\n", strerror(errno));
        free(text);
        text = NULL;
    }
    if (in != NULL) {
        fclose(in);
    }
    return text;
}

/* Draws to a file that is then removed. NULL after a message. */
static char *draw(const struct sdsim_plot *plot, const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/picture.svg", folder);
    if (sdsim_plot_draw(plot, path, false) != SDSIM_EXIT_OK) {
        return NULL;
    }
    char *text = read_picture(path);
    unlink(path);
    return text;
}

static bool draw_scatters(struct sdsim_page *page, const char *folder)
{
    for (int s = 0; s < 3; s++) {
        const struct subject subject = {.page = page, .scatter = (enum sdsim_page_scatter)s};
        const struct sdsim_plot plot = {scatter_data, scatter_script, &subject};
        if (sdsim_page_has_scatter(page, subject.scatter) &&
            (page->scatter_pictures[s] = draw(&plot, folder)) == NULL) {
            return false;
        }
    }
    return true;
}

static bool draw_run(struct sdsim_page_run *run, const char *folder)
{
    const struct subject subject = {.calls = run->calls};
    const struct sdsim_plot histogram = {histogram_data, histogram_script, &subject};
    const struct sdsim_plot percentile = {percentile_data, percentile_script, &subject};
    if (run->calls == NULL || run->calls->count < 2 || run->calls->least == 0) {
        return true; /* one call makes no picture */
    }
    run->histogram_picture = draw(&histogram, folder);
    run->percentile_picture = run->histogram_picture != NULL ? draw(&percentile, folder) : NULL;
    return run->percentile_picture != NULL;
}

enum sdsim_exit sdsim_page_draw(struct sdsim_page *page)
{
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX];
    const int size = snprintf(folder, sizeof folder, "%s/sdsim-report-XXXXXX",
                              temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    sigset_t signals;
    sdsim_signals_hold(&signals);
    if (size >= (int)sizeof folder || mkdtemp(folder) == NULL) {
        fprintf(stderr, "error: cannot make a temporary folder: %s\n", strerror(errno));
        sdsim_signals_release(&signals);
        return SDSIM_EXIT_FAULT;
    }
    bool fine = draw_scatters(page, folder);
    for (size_t i = 0; fine && i < page->count; i++) {
        fine = draw_run(&page->runs[i], folder);
    }
    rmdir(folder);
    sdsim_signals_release(&signals);
    return fine ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}

void sdsim_page_undraw(struct sdsim_page *page)
{
    for (int s = 0; s < 3; s++) {
        free(page->scatter_pictures[s]);
        page->scatter_pictures[s] = NULL;
    }
    for (size_t i = 0; i < page->count; i++) {
        free(page->runs[i].histogram_picture);
        free(page->runs[i].percentile_picture);
        page->runs[i].histogram_picture = page->runs[i].percentile_picture = NULL;
    }
}

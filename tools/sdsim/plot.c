#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"

/* Where the files of a picture lie: names in the temporary folder and the final paths. */
struct places {
    char folder[PATH_MAX];
    char made[3][PATH_MAX]; /* picture, data, script */
    char kept[3][PATH_MAX];
    const char *names[3]; /* the last parts of `kept` */
    enum sdsim_picture_format format;
};

enum { PICTURE, DATA, SCRIPT, FILES };

static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strchr(dot, '/') == NULL ? dot : "";
}

static bool format_of(const char *path, enum sdsim_picture_format *format)
{
    const char *ending = ending_of(path);
    *format = strcmp(ending, ".svg") == 0 ? SDSIM_PICTURE_SVG : SDSIM_PICTURE_PNG;
    return *format == SDSIM_PICTURE_SVG || strcmp(ending, ".png") == 0;
}

bool sdsim_plot_path_is_good(const char *path)
{
    enum sdsim_picture_format format;
    const bool good = format_of(path, &format);
    if (!good) {
        fprintf(stderr, "error: --picture makes .svg and .png files, not '%s'\n", path);
    }
    return good;
}

static bool join(char out[PATH_MAX], const char *head, int head_size, const char *tail)
{
    const int length = snprintf(out, PATH_MAX, "%.*s%s", head_size, head, tail);
    return length >= 0 && length < PATH_MAX;
}

/* Makes the names, and the folder; false with errno. */
static bool prepare(struct places *places, const char *path)
{
    static const char *const endings[] = {[DATA] = ".dat", [SCRIPT] = ".gnuplot"};
    const int stem = (int)(strlen(path) - strlen(ending_of(path)));
    (void)format_of(path, &places->format);
    errno = ENAMETOOLONG;
    if (!join(places->folder, path, INT_MAX, ".XXXXXX") ||
        !join(places->kept[PICTURE], path, INT_MAX, "") ||
        !join(places->kept[DATA], path, stem, endings[DATA]) ||
        !join(places->kept[SCRIPT], path, stem, endings[SCRIPT]) ||
        mkdtemp(places->folder) == NULL) {
        return false;
    }
    for (int i = 0; i < FILES; i++) {
        const char *slash = strrchr(places->kept[i], '/');
        places->names[i] = slash != NULL ? slash + 1 : places->kept[i];
        const int length =
            snprintf(places->made[i], PATH_MAX, "%s/%s", places->folder, places->names[i]);
        if (length < 0 || length >= PATH_MAX) {
            rmdir(places->folder);
            errno = ENAMETOOLONG;
            return false;
        }
    }
    return true;
}

static void clean_up(const struct places *places)
{
    for (int i = 0; i < FILES; i++) {
        unlink(places->made[i]);
    }
    rmdir(places->folder);
}

/* Moves a file to its final place; false with errno. */
static bool keep_file(const struct places *places, int i)
{
    return rename(places->made[i], places->kept[i]) == 0;
}

static bool write_data(const struct places *places, const struct sdsim_plot *plot)
{
    FILE *out = fopen(places->made[DATA], "w");
    const bool made = out != NULL && plot->data(plot->context, out);
    return out != NULL && fclose(out) == 0 && made;
}

static bool write_script(const struct places *places, const struct sdsim_plot *plot)
{
    FILE *out = fopen(places->made[SCRIPT], "w");
    if (out == NULL) {
        return false;
    }
    plot->script(plot->context, places->format, places->names[DATA], places->names[PICTURE], out);
    return fclose(out) == 0;
}

/* ---- the child ---- */

static void become_gnuplot(const struct places *places, int failure)
{
    sigset_t none;
    (void)sigemptyset(&none);
    sdsim_signals_release(&none);
    (void)setenv("LC_ALL", "C.UTF-8", 1); /* it warns of scripts in UTF-8 elsewhere */
    const int nothing = open("/dev/null", O_RDONLY);
    if (chdir(places->folder) == 0 && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
        /* -d, and the locale: what the user's own settings are must not show in a picture; and in the
         * locale "C" gnuplot has something to say about the degree sign */
        (void)setenv("LC_ALL", "C.UTF-8", 1);
        execlp("gnuplot", "gnuplot", "-d", places->names[SCRIPT], (char *)NULL);
    }
    const int error = errno;
    (void)!write(failure, &error, sizeof error);
    _exit(127);
}

/* Waits for the child. 0, or the errno with which it failed to start, or -1 if it failed later. */
static int wait_for(pid_t child, int failure)
{
    int error = 0;
    int status = 0;
    const bool started = read(failure, &error, sizeof error) != (ssize_t)sizeof error;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!started) {
        return error;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* Runs gnuplot; the result is that of wait_for. The pipe closes by itself when exec succeeds. */
static int run_gnuplot(const struct places *places)
{
    int failure[2];
    if (pipe(failure) != 0) {
        return errno;
    }
    (void)fcntl(failure[1], F_SETFD, FD_CLOEXEC);
    const pid_t child = fork();
    if (child == 0) {
        close(failure[0]);
        become_gnuplot(places, failure[1]);
    }
    const int error = errno;
    close(failure[1]);
    const int result = child > 0 ? wait_for(child, failure[0]) : error;
    close(failure[0]);
    return result;
}

static bool explain(int result, const char *path, bool keep)
{
    if (sdsim_signals_waiting()) {
        return false; /* the user knows why */
    }
    if (result == ENOENT) {
        fputs("error: there is no gnuplot to draw the picture\nhelp: install it (the package may "
              "be called gnuplot-nox)",
              stderr);
        fputs(keep ? "; data and script are there\n" : ", or say --keep-plot for data and script\n",
              stderr);
    } else if (result > 0) {
        fprintf(stderr, "error: cannot run gnuplot: %s\n", strerror(result));
    } else {
        fprintf(stderr, "error: gnuplot could not draw %s\n", path);
    }
    return false;
}

bool sdsim_plot_can_draw(void)
{
    char path[PATH_MAX];
    const char *folders = getenv("PATH");
    for (const char *at = folders; at != NULL && *at != '\0';) {
        const size_t size = strcspn(at, ":");
        if (join(path, at, (int)size, "/gnuplot") && access(path, X_OK) == 0) {
            return true;
        }
        at += size + (at[size] == ':');
    }
    return folders == NULL || explain(ENOENT, "", false);
}

/* ---- the picture ---- */

static bool fail(const char *path)
{
    fprintf(stderr, "error: cannot write to %s: %s\n", path, strerror(errno));
    return false;
}

static bool draw(const struct places *places, const struct sdsim_plot *plot, bool keep)
{
    if (!write_data(places, plot) || !write_script(places, plot)) {
        return fail(places->kept[PICTURE]);
    }
    const int result = run_gnuplot(places);
    if (keep && (!keep_file(places, DATA) || !keep_file(places, SCRIPT))) {
        return fail(places->kept[SCRIPT]);
    }
    if (result != 0) {
        return explain(result, places->kept[PICTURE], keep);
    }
    return keep_file(places, PICTURE) || fail(places->kept[PICTURE]);
}

enum sdsim_exit sdsim_plot_draw(const struct sdsim_plot *plot, const char *path, bool keep)
{
    struct places *places = malloc(sizeof *places);
    sigset_t signals;
    bool drawn = false;
    sdsim_signals_hold(&signals);
    if (places == NULL) {
        fputs("error: out of memory\n", stderr);
    } else if (!prepare(places, path)) {
        (void)fail(path);
    } else {
        drawn = draw(places, plot, keep);
        clean_up(places);
    }
    free(places);
    sdsim_signals_release(&signals);
    return drawn ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}

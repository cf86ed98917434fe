#include "setup/idle.h"

#include <stdio.h>
#include <string.h>

#include "setup/check.h"

/* A change taken apart, and room for what is said of it. */
struct change {
    char path[256]; /* "workload.call": without board. in front, [n] and what follows */
    char *why;
    size_t why_size;
    char *help;
    size_t help_size;
};

static bool idle(const struct change *change, const char *why, const char *help)
{
    snprintf(change->why, change->why_size, "%s", why);
    snprintf(change->help, change->help_size, "%s", help);
    return true;
}

/* Whether the path is `key` or inside of it. */
static bool is_in(const char *path, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(path, key, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

static const char *text_or(const struct sdsim_node *map, const char *key, const char *otherwise)
{
    const char *text = sdsim_node_text(map, key);
    return text != NULL ? text : otherwise;
}

static const struct sdsim_node *workload_of(const struct sdsim_run *run)
{
    return sdsim_node_get(run->tree, "workload");
}

/* What is said of a file, or decides how it is read before anything in it is changed. */
static bool is_about_file(const struct change *change)
{
    static const char *const keys[] = {"id", "name", "description", "source", "kind", "base"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(change->path, keys[i]) == 0) {
            return idle(change, "it is said of the file, and no run takes notice of it",
                        "leave it out, or write it into the file");
        }
    }
    return false;
}

static bool is_about_measurement(const struct change *change, const char *why)
{
    static const char *const keys[] = {"measure", "measured", "tolerance", "headline"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(change->path, keys[i]) == 0) {
            return idle(change, why,
                        "leave it out; 'sdsim run' and 'sdsim compare' take notice of it");
        }
    }
    return false;
}

/* ---- runs ---- */

/* Keys of the workload, by what is done and on what. */
static bool is_idle_work(const struct sdsim_run *run, const struct change *change)
{
    const struct sdsim_node *workload = workload_of(run);
    char key[64];
    if (!is_in(change->path, "workload") || change->path[strlen("workload")] == '\0') {
        return false;
    }
    const char *start = change->path + strlen("workload.");
    snprintf(key, sizeof key, "%.*s", (int)strcspn(start, "."), start);
    if (strcmp(key, "usb") == 0 && strcmp(text_or(workload, "on", "file"), "usb") != 0) {
        return idle(change, "the run is not over USB", "leave it out; it is for on: usb");
    }
    return sdsim_unused_key(workload, key, change->why, change->why_size, change->help,
                            change->help_size);
}

/* What stands between the application and the sectors, if it works on sectors. */
static bool is_idle_volume(const struct sdsim_run *run, const struct change *change)
{
    const char *target = text_or(workload_of(run), "on", "file");
    const bool mounts = strcmp(text_or(workload_of(run), "do", "write"), "mount") == 0;
    const bool volume = is_in(change->path, "filesystem");
    const bool file = is_in(change->path, "file") || is_in(change->path, "reads_exfat");
    if (strcmp(target, "file") == 0 || (!volume && !file) ||
        (volume && mounts && strcmp(target, "usb") == 0)) {
        return false;
    }
    snprintf(change->why, change->why_size, "the run works on sectors (on: %s), without a %s",
             target, volume ? "file system" : "file");
    snprintf(change->help, change->help_size, "leave it out; it is for on: file");
    return true;
}

/* What the host has for other drivers, clock generators and file APIs, and for USB. */
static bool is_idle_host(const struct sdsim_run *run, const struct change *change)
{
    if (!is_in(change->path, "host") || change->path[strlen("host")] == '\0' ||
        sdsim_run_uses_host(run, change->path + strlen("host."))) {
        return false;
    }
    snprintf(change->why, change->why_size,
             "the run takes no notice of it: it is of another driver, clock generator or file API "
             "of the host, or of its USB");
    snprintf(change->help, change->help_size, "the run's driver is %.80s%s%.40s", run->driver_name,
             strcmp(text_or(workload_of(run), "on", "file"), "file") == 0 ? ", its file API " : "",
             strcmp(text_or(workload_of(run), "on", "file"), "file") == 0
                 ? text_or(sdsim_node_get(run->tree, "file"), "api", "posix")
                 : "");
    return true;
}

/* ---- replays ---- */

/* Files that a workload expects are there in a replay, too; it does nothing else. */
static bool is_made_beforehand(const struct sdsim_run *run, const char *path)
{
    static const struct {
        const char *path;
        const char *actions; /* "": any */
    } made[] = {
        {"workload.on", ""},
        {"workload.do", ""},
        {"workload.total", " read play seek append "},
        {"workload.parallel", " read play "},
        {"workload.span", " random-write random-read random-mixed "},
        {"workload.files", " open open-each create list "},
        {"workload.name_length", " open open-each create list "},
    };
    char action[40];
    snprintf(action, sizeof action, " %.30s ", text_or(workload_of(run), "do", "write"));
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        if (strcmp(path, made[i].path) == 0) {
            return made[i].actions[0] == '\0' || strstr(made[i].actions, action) != NULL;
        }
    }
    return false;
}

static bool is_idle_in_replay(const struct sdsim_run *run, const struct change *change, bool files)
{
    if (is_about_measurement(change, "a replay is held against the times in its trace")) {
        return true;
    }
    if (is_in(change->path, "workload")) {
        return !(files && is_made_beforehand(run, change->path)) &&
               idle(change, "a replay has its calls from the trace, and no workload",
                    "'sdsim replay --call 32KiB' cuts the calls anew, --think keeps the pauses "
                    "between them; 'sdsim run' simulates a workload");
    }
    if (!files && (is_in(change->path, "filesystem") || is_in(change->path, "file") ||
                   is_in(change->path, "reads_exfat"))) {
        return idle(change,
                    "the trace is of block operations: file API and file system are "
                    "above them",
                    "replay a trace of file operations; 'sdsim fsops' shows what these do to the "
                    "card");
    }
    if (is_in(change->path, "host.usb") || (!files && is_in(change->path, "host.files"))) {
        return idle(change,
                    files ? "a replay goes over no USB"
                          : "the trace is of block operations, which go neither through a file API "
                            "nor over USB",
                    "leave it out; 'sdsim run' takes notice of it if a workload goes there");
    }
    return false;
}

/* ---- the question ---- */

static bool is_idle(const struct sdsim_run *run, enum sdsim_wanted purpose,
                    const struct change *change)
{
    if (is_about_file(change)) {
        return true;
    }
    if (purpose == SDSIM_FOR_BLOCK_REPLAYS || purpose == SDSIM_FOR_FILE_REPLAYS) {
        return is_idle_in_replay(run, change, purpose == SDSIM_FOR_FILE_REPLAYS) ||
               is_idle_host(run, change);
    }
    return (purpose == SDSIM_FOR_TIMES &&
            is_about_measurement(change, "nothing is held against measurements here")) ||
           is_idle_work(run, change) || is_idle_volume(run, change) || is_idle_host(run, change);
}

bool sdsim_change_is_idle(const struct sdsim_run *const *runs, size_t count,
                          enum sdsim_wanted purpose, const char *change, char *why, size_t why_size,
                          char *help, size_t help_size)
{
    struct change taken = {.why = why, .why_size = why_size, .help = help, .help_size = help_size};
    const char *path = strncmp(change, "board.", 6) == 0 ? change + 6 : change;
    snprintf(taken.path, sizeof taken.path, "%.*s", (int)strcspn(path, "=["), path);
    for (size_t i = 0; i < count; i++) {
        if (!is_idle(runs[i], purpose, &taken)) {
            return false;
        }
    }
    return count > 0;
}

bool sdsim_refuse_idle(const struct sdsim_run *const *runs, size_t count, enum sdsim_wanted purpose,
                       const char *const *changes, struct sdsim_diags *diags)
{
    bool fine = true;
    for (size_t i = 0; changes != NULL && changes[i] != NULL; i++) {
        char why[200];
        char help[200];
        const uint32_t length = (uint32_t)strcspn(changes[i], "=");
        if (sdsim_change_is_idle(runs, count, purpose, changes[i], why, sizeof why, help,
                                 sizeof help)) {
            const struct sdsim_place place = {
                .file = "--set", .line = 1, .column = 1, .length = length};
            sdsim_diag_add(diags, SDSIM_ERROR, &place, changes[i], strlen(changes[i]), help,
                           "%.*s changes nothing: %s", (int)length, changes[i], why);
            fine = false;
        }
    }
    return fine;
}

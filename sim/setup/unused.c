/*
 * Keys of a workload that what is done takes no notice of: most likely a slip, or a leftover.
 *
 * Runs share keys with their scenario, so a key is only told about if no run of the scenario uses
 * it; and keys are left alone where `do` or the key was set by hand, for one run.
 *
 * Limits: only keys that have no check of their own (setup/check_workload.c).
 */
#include <stdio.h>
#include <string.h>

#include "setup/check.h"

enum target {
    ANY,
    RAW, /* or over USB */
    FILES,
};

struct use {
    const char *key;
    const char *actions; /* the words of `do` that use it */
    enum target only;    /* and on what */
};

#define DATA "write read random-write random-read random-mixed play"

static const struct use uses[] = {
    {"start", DATA " stream", RAW},
    {"call", DATA " append seek stream", ANY},
    {"total", DATA " append seek stream", ANY},
    {"lines", "log", ANY},
    {"times", "append seek open create list mount", ANY},
    {"files", "open open-each create list", ANY},
    {"name_length", "open open-each create list", ANY},
    {"reads", "random-mixed", ANY},
    {"parallel", "write read play", ANY},
    {"play", "play", ANY},
    {"position", "seek", ANY},
    {"sync_every", DATA " log seek stream", ANY},
    {"rate", "stream", ANY},
    {"burst", "stream", ANY},
    {"burst_every", "stream", ANY},
    {"arrivals", "stream", ANY},
    {"duration", "stream", ANY},
    {"queue", "stream", ANY},
    {"ram", "stream", ANY},
    {"item", "stream", ANY},
    {"sync_interval", "stream", ANY},
    {"rotate_every", "write stream", FILES},
    {"preallocate", "write stream", FILES},
};

/* Whether `word` is one of the words of `list`. */
static bool lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
        const bool begins = at == list || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static const char *text_or(const struct sdsim_node *map, const char *key, const char *otherwise)
{
    const char *text = sdsim_node_text(map, key);
    return text != NULL ? text : otherwise;
}

static bool uses_key(const struct sdsim_node *workload, const struct use *use)
{
    const bool raw = strcmp(text_or(workload, "on", "file"), "file") != 0;
    const bool passes = strcmp(text_or(workload, "timed", "calls"), "passes") == 0;
    if (use->only != ANY && (use->only == RAW) != raw) {
        return false;
    }
    return lists(use->actions, text_or(workload, "do", "write")) ||
           (passes && strcmp(use->key, "times") == 0);
}

static const struct sdsim_node *workload_of(const struct sdsim_run *run)
{
    return sdsim_node_get(run->tree, "workload");
}

static bool same_place(const struct sdsim_node *a, const struct sdsim_node *b)
{
    return a->source == b->source && a->line == b->line && a->column == b->column;
}

/* Whether any run takes notice of this value. */
static bool is_used(const struct sdsim_run *runs, size_t count, const struct use *use,
                    const struct sdsim_node *value)
{
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_node *other = sdsim_node_get(workload_of(&runs[i]), use->key);
        if (other != NULL && same_place(other, value) && uses_key(workload_of(&runs[i]), use)) {
            return true;
        }
    }
    return false;
}

static void explain(const struct sdsim_node *workload, const struct use *use, char *why,
                    size_t why_size, char *help, size_t help_size)
{
    static const char *const on[] = {[ANY] = "", [RAW] = "on: raw, ", [FILES] = "on: file, "};
    snprintf(why, why_size, "do: %s%s takes no notice of %s", text_or(workload, "do", "write"),
             use->only == RAW     ? " on a file"
             : use->only == FILES ? " on sectors"
                                  : "",
             use->key);
    snprintf(help, help_size, "leave it out; it is for %sdo: %s", on[use->only], use->actions);
}

bool sdsim_unused_key(const struct sdsim_node *workload, const char *key, char *why,
                      size_t why_size, char *help, size_t help_size)
{
    for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
        if (strcmp(uses[u].key, key) == 0 && !uses_key(workload, &uses[u])) {
            explain(workload, &uses[u], why, why_size, help, help_size);
            return true;
        }
    }
    return false;
}

static void warn(const struct sdsim_node *workload, const struct use *use,
                 const struct sdsim_node *value, struct sdsim_diags *diags)
{
    char why[160];
    char help[160];
    explain(workload, use, why, sizeof why, help, sizeof help);
    sdsim_node_diag(diags, SDSIM_WARNING, value, help, "%s", why);
}

void sdsim_warn_unused_keys(const struct sdsim_run *runs, size_t count, struct sdsim_diags *diags)
{
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_node *workload = workload_of(&runs[i]);
        const struct sdsim_node *action = sdsim_node_get(workload, "do");
        for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
            const struct sdsim_node *value = sdsim_node_get(workload, uses[u].key);
            if (value != NULL && (action == NULL || action->source == value->source) &&
                !is_used(runs, count, &uses[u], value)) {
                warn(workload, &uses[u], value, diags);
            }
        }
    }
}

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

struct use {
    const char *key;
    const char *actions; /* the words of `do` that use it */
    bool raw_only;       /* and only with on: raw */
};

#define DATA "write read random-write random-read random-mixed play"

static const struct use uses[] = {
    {"start", DATA " stream", true},
    {"call", DATA " append seek stream", false},
    {"total", DATA " append seek stream", false},
    {"lines", "log", false},
    {"times", "append seek open create list mount", false},
    {"files", "open open-each create list", false},
    {"name_length", "open open-each create list", false},
    {"reads", "random-mixed", false},
    {"parallel", "write read play", false},
    {"play", "play", false},
    {"position", "seek", false},
    {"sync_every", DATA " log seek stream", false},
    {"rate", "stream", false},
    {"burst", "stream", false},
    {"burst_every", "stream", false},
    {"arrivals", "stream", false},
    {"duration", "stream", false},
    {"queue", "stream", false},
    {"ram", "stream", false},
    {"item", "stream", false},
    {"sync_interval", "stream", false},
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
    if (use->raw_only && !raw) {
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

static void warn(const struct sdsim_node *workload, const struct use *use,
                 const struct sdsim_node *value, struct sdsim_diags *diags)
{
    char help[160];
    snprintf(help, sizeof help, "leave it out; it is for %sdo: %s",
             use->raw_only ? "on: raw, " : "", use->actions);
    sdsim_node_diag(diags, SDSIM_WARNING, value, help, "do: %s%s takes no notice of %s",
                    text_or(workload, "do", "write"), use->raw_only ? " on a file" : "", use->key);
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

/*
 * Results out of the JSON of `run` and `replay`. Whatever is missing is not known; whatever is of another
 * type than expected counts as missing, so a file of an older or newer version is read as far as it goes.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "report/diff.h"

enum { MOST_RESULTS = 10000 };

void sdsim_diff_side_free(struct sdsim_diff_side *side)
{
    for (size_t i = 0; i < side->count; i++) {
        sdsim_inputs_free(&side->results[i].inputs);
    }
    free(side->results);
    *side = (struct sdsim_diff_side){.name = side->name};
}

/* ---- members ---- */

static void text_of(const json_t *object, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(object, key));
    snprintf(out, size, "%s", text != NULL ? text : "");
    for (char *at = out; *at != '\0'; at++) { /* names of files may hold anything */
        *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
    }
}

/* A number that can be a time, a rate or a count; 0 if it is none. */
static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    const double number = json_is_number(value) ? json_number_value(value) : 0;
    return isfinite(number) && number > 0 && number < 1e30 ? number : 0;
}

static uint64_t count_of(const json_t *object, const char *key)
{
    const double number = number_of(object, key);
    return number < 1e18 ? (uint64_t)number : 0;
}

static bool kinds_of(const json_t *object, double kinds[SDSIM_KIND_COUNT])
{
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        kinds[kind] = number_of(object, sdsim_kind_name((enum sdsim_kind)kind));
    }
    return json_is_object(object);
}

static void clock_of(double hz, struct sdsim_diff_result *result)
{
    if (hz > 0) {
        sdsim_unit_print(SDSIM_UNIT_FREQUENCY, hz, result->facts[SDSIM_DIFF_CLOCK],
                         SDSIM_DIFF_TEXT);
    }
}

static void facts_of(const json_t *object, struct sdsim_diff_result *result)
{
    static const char *const keys[] = {"board", "host", "driver", "card", "bus"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        text_of(object, keys[i], result->facts[i], SDSIM_DIFF_TEXT);
    }
}

/* ---- a run ---- */

static bool metric_of(const json_t *run, struct sdsim_diff_result *result)
{
    const char *name = json_string_value(json_object_get(run, "metric"));
    for (int m = 0; name != NULL && m <= SDSIM_METRIC_MAX_LATENCY; m++) {
        if (strcmp(name, sdsim_metric_name((enum sdsim_metric)m)) == 0) {
            result->metric = (enum sdsim_metric)m;
            result->value = number_of(run, "predicted");
            return result->value > 0;
        }
    }
    return false;
}

static void account_of(const json_t *run, struct sdsim_diff_result *result)
{
    const json_t *cells = json_object_get(run, "account");
    result->has_kinds = kinds_of(json_object_get(run, "kinds"), result->kinds);
    result->has_cells = json_is_object(cells);
    for (int purpose = 0; purpose < SDSIM_PURPOSE_COUNT; purpose++) {
        (void)kinds_of(json_object_get(cells, sdsim_purpose_name((enum sdsim_purpose)purpose)),
                       result->cells[purpose]);
    }
}

static void counters_of(const json_t *run, struct sdsim_diff_result *result)
{
    const json_t *commands = json_object_get(run, "commands");
    result->has_counters = json_is_array(commands);
    result->sectors_read = count_of(run, "sectors_read");
    result->sectors_written = count_of(run, "sectors_written");
    result->bus_clocks = count_of(run, "bus_clocks");
    result->mean_call = number_of(run, "mean_call");
    result->shortest_call = number_of(run, "shortest_call");
    result->longest_call = number_of(json_object_get(run, "longest_call"), "seconds");
    result->longest_wait = number_of(json_object_get(run, "longest_wait"), "seconds");
    for (size_t i = 0; i < json_array_size(commands) && result->command_count < SDSIM_DIFF_COMMANDS;
         i++) {
        struct sdsim_diff_command *command = &result->commands[result->command_count];
        text_of(json_array_get(commands, i), "command", command->name, sizeof command->name);
        command->count = count_of(json_array_get(commands, i), "count");
        result->command_count += command->name[0] != '\0';
    }
}

static void inputs_of(json_t *inputs, struct sdsim_diff_result *result)
{
    const char *path;
    json_t *value;
    result->has_inputs = json_is_object(inputs);
    json_object_foreach(inputs, path, value)
    {
        const char *text = json_string_value(value);
        result->has_inputs =
            result->has_inputs && (text == NULL || sdsim_inputs_add(&result->inputs, path, text));
    }
}

static bool run_of(const json_t *run, struct sdsim_diff_result *result)
{
    text_of(run, "id", result->id, sizeof result->id);
    facts_of(run, result);
    clock_of(number_of(json_object_get(run, "clock"), "real_hz"), result);
    result->has_metric = metric_of(run, result);
    const double low = number_of(run, "low");
    const double high = number_of(run, "high");
    result->low = low > 0 ? low : result->value;
    result->high = high > 0 ? high : result->value;
    result->seconds = number_of(run, "seconds");
    result->calls = count_of(run, "calls");
    result->bytes = count_of(run, "bytes");
    result->between = -1;
    account_of(run, result);
    counters_of(run, result);
    inputs_of(json_object_get(run, "inputs"), result);
    return result->has_metric;
}

/* ---- a replay ---- */

static void class_of(const json_t *group, struct sdsim_diff_class *class)
{
    const json_t *times = json_object_get(group, "predicted");
    text_of(group, "call", class->name, sizeof class->name);
    class->calls = class->timed = count_of(times, "count");
    class->bytes = class->timed_bytes = count_of(group, "bytes");
    class->total = number_of(times, "total");
    class->median = number_of(times, "median");
    class->p90 = number_of(times, "p90");
    class->longest = number_of(times, "longest");
}

static bool replay_of(const json_t *root, struct sdsim_diff_result *result)
{
    const json_t *groups = json_object_get(root, "groups");
    text_of(root, "trace", result->id, sizeof result->id);
    facts_of(root, result);
    clock_of(number_of(root, "bus_hz"), result);
    result->calls = count_of(root, "calls");
    result->bytes = count_of(root, "bytes_read") + count_of(root, "bytes_written");
    result->seconds = number_of(json_object_get(root, "predicted"), "in_calls");
    result->between = -1;
    result->has_kinds = kinds_of(json_object_get(root, "kinds"), result->kinds);
    for (size_t i = 0; i < json_array_size(groups) && result->class_count < SDSIM_DIFF_CLASSES;
         i++) {
        class_of(json_array_get(groups, i), &result->classes[result->class_count++]);
    }
    return json_is_array(groups) && json_is_object(json_object_get(root, "predicted"));
}

/* ---- the file ---- */

static bool complain(const char *path, uint32_t line, uint32_t column, const char *text,
                     struct sdsim_diags *diags)
{
    const struct sdsim_place place = {.file = path, .line = line, .column = column};
    sdsim_diag_add(diags, SDSIM_ERROR, &place, NULL, 0,
                   "'sdsim run --json' and 'sdsim replay --json' print what can be compared", "%s",
                   text);
    return false;
}

/* Room for `count` results; false with a message. */
static bool make_room(struct sdsim_diff_side *side, size_t count, struct sdsim_diags *diags)
{
    side->results = calloc(count, sizeof *side->results);
    if (side->results == NULL) {
        sdsim_error(diags, NULL, "out of memory");
    }
    return side->results != NULL;
}

static bool take(struct sdsim_diff_side *side, const char *path, const json_t *root,
                 struct sdsim_diags *diags)
{
    const json_t *runs = json_object_get(root, "runs");
    if (!json_is_array(runs)) {
        if (!make_room(side, 1, diags)) {
            return false;
        }
        side->count = 1;
        return replay_of(root, &side->results[0]) ||
               complain(path, 0, 0, "this JSON is no result of a run or a replay", diags);
    }
    const size_t count = json_array_size(runs);
    if (count == 0 || count > MOST_RESULTS) {
        return complain(path, 0, 0, count == 0 ? "there is no run in it" : "too many runs", diags);
    }
    if (!make_room(side, count, diags)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!run_of(json_array_get(runs, i), &side->results[side->count++])) {
            return complain(path, 0, 0, "a run in it has no metric and prediction", diags);
        }
    }
    return true;
}

bool sdsim_diff_read_json(struct sdsim_diff_side *side, const char *path, const char *text,
                          size_t size, struct sdsim_diags *diags)
{
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    side->results = NULL;
    side->count = 0;
    if (root == NULL) {
        return complain(path, error.line > 0 ? (uint32_t)error.line : 0,
                        error.column > 0 ? (uint32_t)error.column : 0, error.text, diags);
    }
    const bool fine = take(side, path, root, diags);
    json_decref(root);
    if (!fine) {
        sdsim_diff_side_free(side);
    }
    return fine;
}

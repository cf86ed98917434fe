#include "measure/measurement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "measure/record_file.h"

static const struct {
    const char *name;
    const char *unit;
} metrics[] = {
    [SDSIM_MEASURED_THROUGHPUT] = {"throughput_Bps", "B/s"},
    [SDSIM_MEASURED_MEAN] = {"latency_mean_s", "s"},
    [SDSIM_MEASURED_MIN] = {"latency_min_s", "s"},
    [SDSIM_MEASURED_MAX] = {"latency_max_s", "s"},
};

const char *sdsim_measured_name(enum sdsim_measured metric)
{
    return metrics[metric].name;
}

const char *sdsim_measured_unit(enum sdsim_measured metric)
{
    return metrics[metric].unit;
}

/* ---- fields ---- */

enum field_type {
    FIELD_TEXT,
    FIELD_COUNT,
    FIELD_ANSWER,
};

#define FIELD(name, type)                                                                          \
    {                                                                                              \
#name, type, offsetof(struct sdsim_measurement, name)                                      \
    }

static const struct {
    const char *name;
    enum field_type type;
    size_t offset;
} fields[] = {
    FIELD(id, FIELD_TEXT),
    FIELD(source, FIELD_TEXT),
    FIELD(group, FIELD_TEXT),
    FIELD(host, FIELD_TEXT),
    FIELD(bus, FIELD_TEXT),
    FIELD(driver, FIELD_TEXT),
    FIELD(api, FIELD_TEXT),
    FIELD(card, FIELD_TEXT),
    FIELD(card_class, FIELD_TEXT),
    FIELD(fs, FIELD_TEXT),
    FIELD(op, FIELD_TEXT),
    FIELD(year, FIELD_COUNT),
    FIELD(cpu_hz, FIELD_COUNT),
    FIELD(clock_requested_hz, FIELD_COUNT),
    FIELD(clock_hz, FIELD_COUNT),
    FIELD(cluster_bytes, FIELD_COUNT),
    FIELD(chunk_bytes, FIELD_COUNT),
    FIELD(total_bytes, FIELD_COUNT),
    FIELD(dma, FIELD_ANSWER),
    FIELD(preallocated, FIELD_ANSWER),
    FIELD(sync_per_write, FIELD_ANSWER),
};

#define FIELD_COUNT_ALL (sizeof fields / sizeof *fields)

struct reading {
    const struct sdsim_record_file *file;
    struct sdsim_measurement *measurement;
    bool has_value;
    bool has_metric;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void complain(struct reading *reading,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sdsim_record_complain(reading->file, NULL, format, arguments);
    va_end(arguments);
    reading->failed = true;
}

static void set_count(struct reading *reading, const char *name, const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    const double number = strtod(text, &end);
    if (*end != '\0' || errno != 0 || !(number >= 0.0 && number <= 1e15)) {
        complain(reading, "%s: expected a whole number, not '%.40s'", name, text);
        return;
    }
    *out = (uint64_t)(number + 0.5);
}

static void set_answer(struct reading *reading, const char *name, const char *text,
                       enum sdsim_answer *out)
{
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0 || strcmp(text, "yes") == 0) {
        *out = SDSIM_YES;
    } else if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0 || strcmp(text, "no") == 0) {
        *out = SDSIM_NO;
    } else {
        complain(reading, "%s: expected true or false, not '%.40s'", name, text);
    }
}

static void set_value(struct reading *reading, const char *text)
{
    char *end;
    errno = 0;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(number > 0.0 && number < 1e15)) {
        complain(reading, "value: expected a number above zero, not '%.40s'", text);
        return;
    }
    reading->measurement->value = number;
    reading->has_value = true;
}

static void set_metric(struct reading *reading, const char *text)
{
    for (int i = 0; i < SDSIM_MEASURED_COUNT; i++) {
        if (strcmp(metrics[i].name, text) == 0) {
            reading->measurement->metric = (enum sdsim_measured)i;
            reading->has_metric = true;
            return;
        }
    }
    complain(reading,
             "metric: '%.40s' is not one of: throughput_Bps, latency_mean_s, latency_min_s, "
             "latency_max_s",
             text);
}

/* Names are printed on terminals: no control characters, nothing but UTF-8. */
static bool is_plain(const char *text)
{
    const size_t size = strlen(text);
    for (size_t at = 0; at < size;) {
        uint32_t point;
        const size_t length = sdsim_utf8_decode(text + at, size - at, &point);
        if (length == 0 || sdsim_utf8_is_control(point)) {
            return false;
        }
        at += length;
    }
    return true;
}

static void set_text(struct reading *reading, const char *name, const char *text, const char **out)
{
    if (!is_plain(text)) {
        complain(reading, "%s: expected text in UTF-8 without control characters", name);
        return;
    }
    *out = text;
}

/* One field of a record; `text` is the config's. Unknown names are passed over. */
static void set_field(void *context, const char *name, const char *text)
{
    struct reading *reading = context;
    if (strcmp(name, "value") == 0) {
        set_value(reading, text);
        return;
    }
    if (strcmp(name, "metric") == 0) {
        set_metric(reading, text);
        return;
    }
    for (size_t i = 0; i < FIELD_COUNT_ALL; i++) {
        if (strcmp(fields[i].name, name) != 0) {
            continue;
        }
        void *at = (char *)reading->measurement + fields[i].offset;
        switch (fields[i].type) {
        case FIELD_TEXT:
            set_text(reading, name, text, at);
            return;
        case FIELD_COUNT:
            set_count(reading, name, text, at);
            return;
        case FIELD_ANSWER:
            set_answer(reading, name, text, at);
            return;
        }
    }
}

static void set_assumptions(void *context, const char *const *texts, size_t count)
{
    struct reading *reading = context;
    reading->measurement->assumptions = texts;
    reading->measurement->assumption_count = count;
}

/* ---- records ---- */

static bool is_one_of(const char *text, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strcmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Everything a record must have. */
static void check(struct reading *reading)
{
    static const char *const buses[] = {"spi", "sd1", "sd4", NULL};
    static const char *const ops[] = {"read",        "write",        "append",
                                      "random-read", "random-write", NULL};
    const struct sdsim_measurement *measurement = reading->measurement;
    if (!reading->has_value) {
        complain(reading, "the record has no value");
    }
    if (!reading->has_metric) {
        complain(reading, "the record has no metric");
    }
    if (measurement->id[0] == '\0' || measurement->host[0] == '\0' ||
        measurement->driver[0] == '\0') {
        complain(reading, "the record has no %s",
                 measurement->id[0] == '\0'     ? "id"
                 : measurement->host[0] == '\0' ? "host"
                                                : "driver");
    }
    if (!is_one_of(measurement->bus, buses)) {
        complain(reading, "bus: '%.40s' is not one of: spi, sd1, sd4", measurement->bus);
    }
    if (!is_one_of(measurement->op, ops)) {
        complain(reading,
                 "op: '%.40s' is not one of: read, write, append, random-read, random-write",
                 measurement->op);
    }
}

static struct sdsim_measurement *add(struct sdsim_measurements *list)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        struct sdsim_measurement *items = realloc(list->items, capacity * sizeof *items);
        if (items == NULL) {
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    struct sdsim_measurement *measurement = &list->items[list->count++];
    *measurement = (struct sdsim_measurement){.value = 0.0};
    for (size_t i = 0; i < FIELD_COUNT_ALL; i++) {
        if (fields[i].type == FIELD_TEXT) {
            *(const char **)((char *)measurement + fields[i].offset) = "";
        }
    }
    return measurement;
}

/* The ends of a measured range are two records of one set-up that did the same. */
static bool same_run(const struct sdsim_measurement *a, const struct sdsim_measurement *b)
{
    return a->metric == b->metric && a->chunk_bytes == b->chunk_bytes &&
           a->total_bytes == b->total_bytes && a->clock_hz == b->clock_hz &&
           strcmp(a->op, b->op) == 0 && strcmp(a->group, b->group) == 0 &&
           strcmp(a->source, b->source) == 0 && strcmp(a->host, b->host) == 0 &&
           strcmp(a->bus, b->bus) == 0 && strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->card, b->card) == 0;
}

/* Whichever is called low: the smaller value is. */
static void join(struct sdsim_measurement *a, struct sdsim_measurement *b)
{
    a->low = b->low = a->value < b->value ? a->value : b->value;
    a->high = b->high = a->value < b->value ? b->value : a->value;
}

static void join_ranges(struct sdsim_measurements *list, size_t from)
{
    for (size_t i = from; i < list->count; i++) {
        struct sdsim_measurement *low = &list->items[i];
        if (!sdsim_assumes(low, "range", "low")) {
            continue;
        }
        for (size_t j = from; j < list->count; j++) {
            struct sdsim_measurement *high = &list->items[j];
            if (sdsim_assumes(high, "range", "high") && same_run(low, high)) {
                join(low, high);
                break;
            }
        }
    }
}

bool sdsim_measurements_read(struct sdsim_measurements *list, struct sdsim_config *config,
                             const char *path, struct sdsim_diags *diags)
{
    struct sdsim_record_file file;
    const size_t from = list->count;
    if (!sdsim_record_file_open(&file, config, path, diags)) {
        return false;
    }
    bool fine = true;
    while (sdsim_record_file_next(&file)) {
        struct sdsim_measurement *measurement = add(list);
        if (measurement == NULL) {
            sdsim_error(diags, NULL, "out of memory");
            fine = false;
            break;
        }
        struct reading reading = {.file = &file, .measurement = measurement};
        measurement->file = path;
        measurement->line = file.line;
        sdsim_record_file_fields(&file, set_field, set_assumptions, &reading);
        if (!file.failed && !reading.failed) {
            check(&reading);
        }
        measurement->low = measurement->value;
        measurement->high = measurement->value;
        fine = fine && !reading.failed;
    }
    fine = fine && !file.failed;
    sdsim_record_file_close(&file);
    if (fine && list->count == from) {
        sdsim_error(diags, path, "there is no measurement in it");
        fine = false;
    }
    join_ranges(list, from);
    return fine;
}

void sdsim_measurements_free(struct sdsim_measurements *list)
{
    free(list->items);
    *list = (struct sdsim_measurements){.items = NULL};
}

bool sdsim_measurements_is_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".csv") == 0);
}

/* ---- assumptions ---- */

const char *sdsim_assumption(const struct sdsim_measurement *measurement, const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i < measurement->assumption_count; i++) {
        const char *text = measurement->assumptions[i];
        if (strncmp(text, key, length) == 0 && text[length] == '=') {
            return text + length + 1;
        }
    }
    return NULL;
}

bool sdsim_assumes(const struct sdsim_measurement *measurement, const char *key, const char *value)
{
    const char *found = sdsim_assumption(measurement, key);
    return found != NULL && strcmp(found, value) == 0;
}

bool sdsim_remarks(const struct sdsim_measurement *measurement, const char *text)
{
    for (size_t i = 0; i < measurement->assumption_count; i++) {
        if (strncmp(measurement->assumptions[i], text, strlen(text)) == 0) {
            return true;
        }
    }
    return false;
}

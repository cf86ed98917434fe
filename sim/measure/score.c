#include "measure/score.h"

#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "core/sorted.h"

struct sdsim_score sdsim_score_of(const struct sdsim_plan *plan,
                                  const struct sdsim_forecast *forecast)
{
    const struct sdsim_measurement *measurement = plan->measurement;
    struct sdsim_score row = {.measurement = measurement, .reason = plan->reason, .error = 1.0};
    if (row.reason == NULL && forecast->error[0] != '\0') {
        row.reason = forecast->error;
    }
    if (row.reason != NULL) {
        return row;
    }
    const size_t m = measurement->metric;
    row.predicted = forecast->value[m];
    row.low = forecast->low[m];
    row.high = forecast->high[m];
    const double nearest = row.predicted < measurement->low    ? measurement->low
                           : row.predicted > measurement->high ? measurement->high
                                                               : row.predicted;
    row.error = (row.predicted - nearest) / nearest;
    row.covered = row.low <= measurement->high && row.high >= measurement->low;
    return row;
}

/* ---- groups ---- */

/* Numbers texts in the order they come. */
struct numbers {
    const char **slots; /* 0: free */
    uint32_t *values;
    size_t size; /* a power of two */
    uint32_t next;
};

static bool numbers_init(struct numbers *numbers, size_t most)
{
    size_t size = 64;
    while (size < 2 * most) {
        size *= 2;
    }
    *numbers = (struct numbers){
        .slots = calloc(size, sizeof *numbers->slots),
        .values = calloc(size, sizeof *numbers->values),
        .size = size,
    };
    return numbers->slots != NULL && numbers->values != NULL;
}

static void numbers_free(struct numbers *numbers)
{
    free(numbers->slots);
    free(numbers->values);
}

static uint32_t number_of(struct numbers *numbers, const char *text)
{
    const uint64_t hash = sdsim_hash_text(0, text);
    size_t i = (size_t)hash & (numbers->size - 1);
    while (numbers->slots[i] != NULL && strcmp(numbers->slots[i], text) != 0) {
        i = (i + 1) & (numbers->size - 1);
    }
    if (numbers->slots[i] == NULL) {
        numbers->slots[i] = text;
        numbers->values[i] = numbers->next++;
    }
    return numbers->values[i];
}

bool sdsim_scores_number(struct sdsim_score *rows, size_t count)
{
    struct numbers groups;
    struct numbers sources;
    const bool enough = numbers_init(&groups, count);
    const bool fine = numbers_init(&sources, count) && enough;
    for (size_t i = 0; fine && i < count; i++) {
        const struct sdsim_measurement *measurement = rows[i].measurement;
        rows[i].group = number_of(&groups, measurement->group[0] != '\0' ? measurement->group
                                                                         : measurement->id);
        rows[i].source = number_of(&sources, measurement->source);
    }
    numbers_free(&groups);
    numbers_free(&sources);
    return fine;
}

/* ---- sums ---- */

static int by_group(const void *a, const void *b)
{
    const struct sdsim_score *x = *(const struct sdsim_score *const *)a;
    const struct sdsim_score *y = *(const struct sdsim_score *const *)b;
    return x->group < y->group ? -1 : x->group > y->group;
}

static size_t count_sources(const struct sdsim_score *const *rows, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t j = i; j > 0 && !seen; j--) {
            seen = rows[j - 1]->source == rows[i]->source;
        }
        found += !seen;
    }
    return found;
}

/* `rows` are sorted by group; `errors` and `medians` have room for one number a row. */
static void sum_groups(const struct sdsim_score *const *rows, double *errors, double *medians,
                       struct sdsim_summary *summary)
{
    double covered = 0.0;
    size_t from = 0;
    while (from < summary->records) {
        size_t to = from;
        size_t judged = 0;
        size_t hits = 0;
        bool modelled = true;
        for (; to < summary->records && rows[to]->group == rows[from]->group; to++) {
            const struct sdsim_score *row = rows[to];
            hits += row->covered;
            modelled = modelled && row->reason == NULL;
            if (row->measurement->metric != SDSIM_MEASURED_MAX) {
                errors[judged++] = row->error < 0.0 ? -row->error : row->error;
            }
        }
        if (judged > 0) {
            medians[summary->judged++] = sdsim_median(errors, judged);
        }
        covered += (double)hits / (double)(to - from);
        summary->unpredicted += !modelled;
        summary->groups++;
        from = to;
    }
    if (summary->groups > 0) {
        summary->coverage = covered / (double)summary->groups;
    }
    if (summary->judged > 0) {
        summary->median_error = sdsim_median(medians, summary->judged);
        summary->p90_error = medians[(9 * summary->judged + 9) / 10 - 1];
    }
}

bool sdsim_scores_sum(const struct sdsim_score *rows, size_t count,
                      bool (*wanted)(const void *context, const struct sdsim_score *row),
                      const void *context, struct sdsim_summary *summary)
{
    *summary = (struct sdsim_summary){.records = 0};
    const struct sdsim_score **chosen = malloc((count + 1) * sizeof *chosen);
    double *errors = malloc((count + 1) * sizeof *errors);
    double *medians = malloc((count + 1) * sizeof *medians);
    const bool enough = chosen != NULL && errors != NULL && medians != NULL;
    if (enough) {
        for (size_t i = 0; i < count; i++) {
            if (wanted == NULL || wanted(context, &rows[i])) {
                chosen[summary->records++] = &rows[i];
            }
        }
        summary->sources = count_sources(chosen, summary->records);
        qsort(chosen, summary->records, sizeof *chosen, by_group);
        sum_groups(chosen, errors, medians, summary);
    }
    free(chosen);
    free(errors);
    free(medians);
    return enough;
}

/* ---- strata ---- */

static const struct {
    const char *name;
    size_t offset;
} dimensions[] = {
    [SDSIM_BY_HOST] = {"host", offsetof(struct sdsim_measurement, host)},
    [SDSIM_BY_BUS] = {"bus", offsetof(struct sdsim_measurement, bus)},
    [SDSIM_BY_DRIVER] = {"driver", offsetof(struct sdsim_measurement, driver)},
    [SDSIM_BY_OP] = {"op", offsetof(struct sdsim_measurement, op)},
    [SDSIM_BY_CARD_CLASS] = {"card_class", offsetof(struct sdsim_measurement, card_class)},
};

const char *sdsim_dimension_name(enum sdsim_dimension dimension)
{
    return dimensions[dimension].name;
}

static const char *word_of(const struct sdsim_score *row, enum sdsim_dimension dimension)
{
    return *(const char *const *)((const char *)row->measurement + dimensions[dimension].offset);
}

struct wish {
    enum sdsim_dimension dimension;
    const char *word;
};

static bool has_word(const void *context, const struct sdsim_score *row)
{
    const struct wish *wish = context;
    return strcmp(word_of(row, wish->dimension), wish->word) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sdsim_stratum *)a)->name, ((const struct sdsim_stratum *)b)->name);
}

struct sdsim_stratum *sdsim_scores_strata(const struct sdsim_score *rows, size_t count,
                                          enum sdsim_dimension dimension, size_t *found)
{
    struct sdsim_stratum *strata = calloc(count + 1, sizeof *strata);
    *found = 0;
    for (size_t i = 0; strata != NULL && i < count; i++) {
        const char *word = word_of(&rows[i], dimension);
        bool known = false;
        for (size_t s = 0; s < *found && !known; s++) {
            known = strcmp(strata[s].name, word) == 0;
        }
        if (!known) {
            strata[(*found)++].name = word;
        }
    }
    bool fine = strata != NULL;
    for (size_t s = 0; fine && s < *found; s++) {
        const struct wish wish = {.dimension = dimension, .word = strata[s].name};
        fine = sdsim_scores_sum(rows, count, has_word, &wish, &strata[s].summary);
    }
    if (!fine) {
        free(strata);
        return NULL;
    }
    qsort(strata, *found, sizeof *strata, by_name);
    return strata;
}

/* ---- kinds of numbers ---- */

static const char *const kind_names[] = {
    [SDSIM_READ_RATE] = "read, throughput",
    [SDSIM_WRITE_RATE] = "write and append, throughput",
    [SDSIM_READ_LATENCY] = "read, mean latency",
    [SDSIM_WRITE_LATENCY] = "write, mean latency",
    [SDSIM_LATENCY] = "read and write, mean latency",
    [SDSIM_SHORTEST] = "shortest call",
    [SDSIM_LONGEST] = "longest call",
    [SDSIM_RANDOM] = "random reads and writes",
};

const char *sdsim_number_kind_name(enum sdsim_kind_of_number kind)
{
    return kind_names[kind];
}

bool sdsim_is_microcontroller(const struct sdsim_measurement *measurement)
{
    return strncmp(measurement->host, "linux", 5) != 0;
}

struct kind_wish {
    enum sdsim_kind_of_number kind;
    bool microcontroller;
};

static bool is_of_kind(const void *context, const struct sdsim_score *row)
{
    const struct kind_wish *wish = context;
    const struct sdsim_measurement *measurement = row->measurement;
    const bool random = strncmp(measurement->op, "random-", 7) == 0;
    const bool read = strcmp(measurement->op, "read") == 0;
    const bool rate = measurement->metric == SDSIM_MEASURED_THROUGHPUT;
    const bool mean = measurement->metric == SDSIM_MEASURED_MEAN;
    if (sdsim_is_microcontroller(measurement) != wish->microcontroller) {
        return false;
    }
    switch (wish->kind) {
    case SDSIM_READ_RATE:
        return !random && read && rate;
    case SDSIM_WRITE_RATE:
        return !random && !read && rate;
    case SDSIM_READ_LATENCY:
        return !random && read && mean;
    case SDSIM_WRITE_LATENCY:
        return !random && !read && mean;
    case SDSIM_LATENCY:
        return !random && mean;
    case SDSIM_SHORTEST:
        return measurement->metric == SDSIM_MEASURED_MIN;
    case SDSIM_LONGEST:
        return measurement->metric == SDSIM_MEASURED_MAX;
    case SDSIM_RANDOM:
    default:
        return random && (rate || mean);
    }
}

bool sdsim_scores_sum_kind(const struct sdsim_score *rows, size_t count,
                           enum sdsim_kind_of_number kind, bool microcontroller,
                           struct sdsim_summary *summary)
{
    const struct kind_wish wish = {.kind = kind, .microcontroller = microcontroller};
    return sdsim_scores_sum(rows, count, is_of_kind, &wish, summary);
}

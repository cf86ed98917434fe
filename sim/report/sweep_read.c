/*
 * Reading the CSV of a sweep back: parts made elsewhere, or what was done before an interruption.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "report/sweep.h"

enum { MOST_FIELDS = 20, NUMBERS = 6 };

struct reader {
    struct sdsim_sweep *sweep;
    FILE *in;
    const char *path;
    struct sdsim_diags *diags;
    uint32_t line;
    char *text;
    size_t room;
    bool complete; /* the line ended in a newline */
};

static bool next_line(struct reader *reader)
{
    const ssize_t size = getline(&reader->text, &reader->room, reader->in);
    if (size <= 0) {
        return false;
    }
    reader->line++;
    reader->complete = reader->text[size - 1] == '\n';
    reader->text[size - (reader->complete ? 1 : 0)] = '\0';
    return true;
}

static bool complain(const struct reader *reader, const char *help, const char *what)
{
    const struct sdsim_place place = {.file = reader->path, .line = reader->line};
    sdsim_diag_add(reader->diags, SDSIM_ERROR, &place, NULL, 0, help, "%s", what);
    return false;
}

/* The head as this sweep would write it. */
static bool same_head(const struct reader *reader)
{
    char *head = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&head, &size);
    if (out == NULL) {
        return false;
    }
    sdsim_sweep_csv_head(reader->sweep, out);
    const bool same = fclose(out) == 0 && size == strlen(reader->text) + 1 &&
                      memcmp(head, reader->text, size - 1) == 0;
    free(head);
    return same;
}

/* The metric of a name; false: there is none. */
static bool find_metric(const char *name, enum sdsim_metric *metric)
{
    for (int m = 0; m <= SDSIM_METRIC_MAX_LATENCY; m++) {
        if (strcmp(sdsim_metric_name((enum sdsim_metric)m), name) == 0) {
            *metric = (enum sdsim_metric)m;
            return true;
        }
    }
    return false;
}

/* Fields behind the axes: run, metric, unit, six numbers, error. */
static bool take_results(struct sdsim_sweep_row *row, char *const *fields)
{
    double *const numbers[NUMBERS] = {&row->predicted, &row->low,       &row->high,
                                      &row->clock_hz,  &row->mean_call, &row->longest_call};
    if (fields[3 + NUMBERS][0] != '\0') {
        sdsim_sweep_row_fail(row, fields[3 + NUMBERS]);
        return true;
    }
    for (size_t n = 0; n < NUMBERS; n++) {
        char *end = NULL;
        *numbers[n] = strtod(fields[3 + n], &end);
        if (end == fields[3 + n] || *end != '\0') {
            return false;
        }
    }
    return find_metric(fields[1], &row->metric);
}

static bool take_row(struct reader *reader)
{
    struct sdsim_sweep *sweep = reader->sweep;
    const size_t wanted = 3 + sweep->axis_count + 4 + NUMBERS;
    char *fields[MOST_FIELDS];
    char mark[24];
    size_t count = 0;
    for (char *at = reader->text; at != NULL && count < MOST_FIELDS; count++) {
        fields[count] = sdsim_csv_next_field(&at);
        if (fields[count] == NULL) {
            return complain(reader, NULL, "a quote is not closed");
        }
    }
    if (count != wanted) {
        return complain(reader, NULL, "not as many fields as in the first line");
    }
    snprintf(mark, sizeof mark, "%016" PRIx64, sweep->mark);
    if (strcmp(fields[2], mark) != 0) {
        return complain(reader,
                        "its scenario, profiles, values, draws or version of sdsim are others",
                        "this row is of another sweep");
    }
    char *end = NULL;
    const unsigned long long number = strtoull(fields[0], &end, 10);
    if (*end != '\0' || end == fields[0] || number >= sweep->count) {
        return complain(reader, NULL, "there is no such row");
    }
    struct sdsim_sweep_row *row = &sweep->rows[number];
    if (!take_results(row, fields + 3 + sweep->axis_count)) {
        return complain(reader, NULL, "the row's results can't be read");
    }
    row->done = true;
    return true;
}

bool sdsim_sweep_read(struct sdsim_sweep *sweep, FILE *in, const char *path, bool may_be_cut,
                      struct sdsim_diags *diags)
{
    struct reader reader = {.sweep = sweep, .in = in, .path = path, .diags = diags};
    bool fine = true;
    if (!next_line(&reader) || !(reader.complete || !may_be_cut)) {
        fine = may_be_cut || complain(&reader, NULL, "the file is empty");
    } else if (!same_head(&reader)) {
        fine = complain(&reader, "it has the first line that 'sdsim sweep --csv' writes",
                        "not a file of this sweep");
    } else {
        while (fine && next_line(&reader)) {
            if (!reader.complete && may_be_cut) {
                break;
            }
            fine = take_row(&reader);
        }
    }
    free(reader.text);
    return fine;
}

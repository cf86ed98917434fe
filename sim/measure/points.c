#include "measure/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sorted.h"
#include "measure/forecast.h"
#include "measure/own.h"
#include "measure/score.h"

/* The records of one group and operation. */
struct party {
    const struct sdsim_plans *plans;
    size_t *members;
    size_t count;
    struct sdsim_medium **media; /* by member; of the first with the same run, else NULL */
    double *errors;
    size_t error_count;
    size_t error_capacity;
};

static bool push(double **values, size_t *count, size_t *capacity, double value)
{
    if (*count == *capacity) {
        const size_t larger = *capacity > 0 ? 2 * *capacity : 64;
        double *moved = realloc(*values, larger * sizeof *moved);
        if (moved == NULL) {
            return false;
        }
        *values = moved;
        *capacity = larger;
    }
    (*values)[(*count)++] = value;
    return true;
}

static bool is_judged(const struct sdsim_plan *plan, enum sdsim_points_op op)
{
    const struct sdsim_measurement *measurement = plan->measurement;
    const bool read = strcmp(measurement->op, "read") == 0;
    const bool write =
        strcmp(measurement->op, "write") == 0 || strcmp(measurement->op, "append") == 0;
    return plan->reason == NULL && sdsim_is_microcontroller(measurement) &&
           (measurement->metric == SDSIM_MEASURED_THROUGHPUT ||
            measurement->metric == SDSIM_MEASURED_MEAN) &&
           (op == SDSIM_POINTS_READ ? read : write);
}

/* What a run is predicted to measure now; false if it fails. */
static bool predict(const struct party *party, size_t member, double values[SDSIM_MEASURED_COUNT])
{
    char error[200];
    const struct sdsim_plan *plan = &party->plans->items[party->members[member]];
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    struct sdsim_diags diags;
    struct sdsim_outcome_report report;
    sdsim_diags_init(&diags);
    bool fine =
        setup != NULL && sdsim_setup_bind(party->plans->config, &plan->run, 0, setup, &diags);
    if (fine && party->media[member] == NULL) {
        party->media[member] = sdsim_prepare_medium(setup, &report);
    }
    fine = fine && party->media[member] != NULL &&
           sdsim_forecast_draw(setup, party->media[member], values, error, sizeof error);
    sdsim_diags_free(&diags);
    free(setup);
    return fine;
}

/* Whether two members are of one configuration. */
static bool same_run(const struct party *party, size_t a, size_t b)
{
    return party->plans->items[party->members[a]].same ==
           party->plans->items[party->members[b]].same;
}

/* Fits to two members (which may be one) and judges all others. */
static bool judge(struct party *party, size_t first, size_t second)
{
    struct sdsim_own_fit fit;
    bool *wanted = calloc(party->plans->count + 1, sizeof *wanted);
    if (wanted == NULL) {
        return false;
    }
    wanted[party->members[first]] = true;
    wanted[party->members[second]] = true;
    bool fine = sdsim_own_fit(party->plans, wanted, &fit);
    for (size_t i = 0; fine && i < party->count; i++) {
        double values[SDSIM_MEASURED_COUNT];
        if (same_run(party, i, first) || same_run(party, i, second) || !predict(party, i, values)) {
            continue;
        }
        const struct sdsim_measurement *measurement =
            party->plans->items[party->members[i]].measurement;
        const double error = fabs(values[measurement->metric] / measurement->value - 1.0);
        fine = push(&party->errors, &party->error_count, &party->error_capacity, error);
    }
    sdsim_own_free(&fit);
    free(wanted);
    return fine;
}

static uint64_t call_of(const struct party *party, size_t member)
{
    return party->plans->items[party->members[member]].measurement->chunk_bytes;
}

static bool judge_all(struct party *party, int given)
{
    bool fine = true;
    for (size_t a = 0; fine && a < party->count; a++) {
        if (given == 1) {
            fine = judge(party, a, a);
            continue;
        }
        for (size_t b = 0; fine && b < party->count; b++) {
            /* a small and a large call: at least a factor of four between them */
            if (4 * call_of(party, a) <= call_of(party, b)) {
                fine = judge(party, a, b);
            }
        }
    }
    return fine;
}

static bool add_group(struct sdsim_points *points, const struct sdsim_plans *plans, size_t first,
                      enum sdsim_points_op op)
{
    const char *group = plans->items[first].measurement->group;
    struct party party = {.plans = plans,
                          .members = calloc(plans->count + 1, sizeof *party.members),
                          .media = calloc(plans->count + 1, sizeof *party.media)};
    bool fine = party.members != NULL && party.media != NULL;
    for (size_t i = first; fine && i < plans->count; i++) {
        if (is_judged(&plans->items[i], op) &&
            strcmp(plans->items[i].measurement->group, group) == 0) {
            party.members[party.count++] = i;
        }
    }
    for (int given = 1; fine && given <= 2; given++) {
        party.error_count = 0;
        fine = judge_all(&party, given);
        if (fine && party.error_count > 0) {
            fine = push(&points->errors[op][given - 1], &points->count[op][given - 1],
                        &points->capacity[op][given - 1],
                        sdsim_median(party.errors, party.error_count));
        }
    }
    for (size_t i = 0; party.media != NULL && i < party.count; i++) {
        sdsim_medium_destroy(party.media[i]);
    }
    free(party.media);
    free(party.members);
    free(party.errors);
    return fine;
}

/* Whether a plan is the first of its group that is judged. */
static bool is_first(const struct sdsim_plans *plans, size_t i, enum sdsim_points_op op)
{
    for (size_t j = 0; j < i; j++) {
        if (is_judged(&plans->items[j], op) &&
            strcmp(plans->items[j].measurement->group, plans->items[i].measurement->group) == 0) {
            return false;
        }
    }
    return is_judged(&plans->items[i], op) && plans->items[i].measurement->group[0] != '\0';
}

bool sdsim_points_add(struct sdsim_points *points, const struct sdsim_plans *plans)
{
    bool fine = true;
    for (int op = 0; op < SDSIM_POINTS_OPS; op++) {
        for (size_t i = 0; fine && i < plans->count; i++) {
            if (is_first(plans, i, (enum sdsim_points_op)op)) {
                fine = add_group(points, plans, i, (enum sdsim_points_op)op);
            }
        }
    }
    return fine;
}

void sdsim_points_free(struct sdsim_points *points)
{
    for (int op = 0; op < SDSIM_POINTS_OPS; op++) {
        free(points->errors[op][0]);
        free(points->errors[op][1]);
    }
    *points = (struct sdsim_points){.count = {{0}}};
}

double sdsim_points_median(const struct sdsim_points *points, enum sdsim_points_op op, int given)
{
    const size_t count = points->count[op][given - 1];
    return count > 0 ? sdsim_median(points->errors[op][given - 1], count) : 0.0;
}

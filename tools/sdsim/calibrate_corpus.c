#include "calibrate_corpus.h"

#include <stdlib.h>
#include <string.h>

#include "data_copy.h"
#include "measure/folds.h"
#include "measure/rewrite.h"
#include "pool.h"

/* What the ranges are to hold of the records they were fitted to; those that were not seen lie
 * outside more often. */
#define WANTED_COVERAGE 0.945

/* Runs pieces of a fit on `*(unsigned *)pool` threads. */
static void fit_parallel(void *pool, const char *what, size_t count,
                         void (*work)(void *context, size_t index), void *context)
{
    const unsigned *threads = pool;
    sdsim_pool_run(count, *threads, what, work, context);
}

/* Puts back the headline values that were fitted to a source that is left out. */
static void drop_headlines(struct sdsim_knobs *knobs, const struct sdsim_measurements *measurements,
                           const unsigned *folds, unsigned fold)
{
    for (size_t i = 0; i < measurements->count; i++) {
        if (folds[i] == fold) {
            sdsim_knobs_drop(knobs, measurements->items[i].source);
        }
    }
}

/* The cards a fold knows by name: those its records were made with. */
struct cards {
    const char **seen;
    size_t seen_count;
    const char **named; /* cards that some record names, seen or not */
    size_t named_count;
};

static bool holds(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void note_card(struct cards *cards, const struct sdsim_plan *plan, bool seen)
{
    const char *name = plan->run.card_name;
    if (plan->reason != NULL || sdsim_node_get(plan->run.card, "matches") == NULL) {
        return;
    }
    if (!holds(cards->named, cards->named_count, name)) {
        cards->named[cards->named_count++] = name;
    }
    if (seen && !holds(cards->seen, cards->seen_count, name)) {
        cards->seen[cards->seen_count++] = name;
    }
}

/* A card that only records of the fold name must not be known to it. */
static bool is_unseen_card(const void *context, const char *file)
{
    const struct cards *cards = context;
    char name[256];
    if (strncmp(file, "cards/", 6) != 0) {
        return false;
    }
    snprintf(name, sizeof name, "%s", file + 6);
    name[strcspn(name, ".")] = '\0';
    return holds(cards->named, cards->named_count, name) &&
           !holds(cards->seen, cards->seen_count, name);
}

static bool fit(struct sdsim_cli_session *session, const struct sdsim_measurements *measurements,
                const unsigned *folds, unsigned fold, bool ranges, unsigned threads,
                struct sdsim_knobs *knobs, struct cards *cards, struct sdsim_fit_result *result)
{
    struct sdsim_plans plans;
    bool *wanted = calloc(measurements->count + 1, sizeof *wanted);
    bool fine = sdsim_plans_make(&plans, session->config, measurements, NULL, &session->diags) &&
                wanted != NULL;
    for (size_t i = 0; fine && i < plans.count; i++) {
        wanted[i] = folds[i] != fold;
        note_card(cards, &plans.items[i], wanted[i]);
        if (plans.items[i].reason == NULL && plans.items[i].same == i) {
            fine = sdsim_knobs_tie(knobs, &plans.items[i].run);
        }
    }
    if (fine) {
        const struct sdsim_fit_options options = {
            .wanted = wanted,
            .coverage = ranges ? WANTED_COVERAGE : 0.0,
            .parallel = fit_parallel,
            .pool = &threads,
        };
        drop_headlines(knobs, measurements, folds, fold);
        sdsim_knobs_reset(knobs);
        fine = sdsim_fit(&plans, knobs, &options, result);
        sdsim_round_knobs(knobs);
    }
    if (!fine) {
        sdsim_error(&session->diags, NULL, "out of memory");
    }
    free(wanted);
    sdsim_plans_free(&plans);
    return fine;
}

enum sdsim_exit sdsim_fit_fold(struct sdsim_cli_session *session,
                               const struct sdsim_measurements *measurements, const unsigned *folds,
                               unsigned fold, bool ranges, unsigned threads, const char *directory,
                               struct sdsim_fit_result *result)
{
    struct sdsim_knobs knobs = {.items = NULL};
    struct cards cards = {
        .seen = calloc(measurements->count + 1, sizeof *cards.seen),
        .named = calloc(measurements->count + 1, sizeof *cards.named),
    };
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (cards.seen == NULL || cards.named == NULL) {
        sdsim_error(&session->diags, NULL, "out of memory");
    } else if (sdsim_knobs_find(&knobs, session->config, &session->diags) &&
               fit(session, measurements, folds, fold, ranges, threads, &knobs, &cards, result)) {
        code = sdsim_data_copy(session, &knobs, is_unseen_card, &cards, directory);
    }
    sdsim_knobs_free(&knobs);
    free(cards.seen);
    free(cards.named);
    return code;
}

/* "3/5" -> 3; 0 without the option. False after a message. */
static bool parse_fold(const struct sdsim_arguments *arguments, unsigned *fold)
{
    const char *text = arguments->values[SDSIM_OPTION_FOLD];
    *fold = 0;
    if (text == NULL) {
        return true;
    }
    if (text[0] >= '1' && text[0] <= '5' && strcmp(text + 1, "/5") == 0) {
        *fold = (unsigned)(text[0] - '0');
        return true;
    }
    fprintf(stderr, "error: --fold takes 1/5 to 5/5, not '%s'\n", text);
    return false;
}

enum sdsim_exit sdsim_calibrate_corpus(struct sdsim_cli_session *session,
                                       const struct sdsim_arguments *arguments)
{
    struct sdsim_measurements measurements = {.items = NULL};
    unsigned fold;
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    const char *directory = arguments->values[SDSIM_OPTION_DIRECTORY];
    if (!parse_fold(arguments, &fold)) {
        return SDSIM_EXIT_INPUT;
    }
    if (directory == NULL) {
        fputs("error: --corpus needs -o DIR\n", stderr);
        return SDSIM_EXIT_INPUT;
    }
    if (sdsim_measurements_read(&measurements, session->config,
                                arguments->values[SDSIM_OPTION_CORPUS], &session->diags)) {
        unsigned *folds = calloc(measurements.count + 1, sizeof *folds);
        struct sdsim_fit_result result;
        code = SDSIM_EXIT_FAULT;
        if (folds != NULL &&
            sdsim_folds_assign(&measurements, SDSIM_FOLDS, SDSIM_FOLD_SEED, folds)) {
            code = sdsim_fit_fold(session, &measurements, folds, fold, true, arguments->jobs,
                                  directory, &result);
        }
        if (code == SDSIM_EXIT_OK) {
            printf("%zu records, %zu values determined, mean error %.1f%% before, %.1f%% after, "
                   "ranges x%.2f and x%.2f hold %.0f%%\n",
                   result.records, result.values, 100.0 * result.before, 100.0 * result.after,
                   result.slow_factor, result.fast_factor, 100.0 * result.coverage);
        }
        free(folds);
    }
    (void)sdsim_cli_report(session);
    sdsim_measurements_free(&measurements);
    return code;
}

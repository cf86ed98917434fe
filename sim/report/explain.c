#include "report/explain.h"

#include <stdlib.h>

#include "report/explain_parts.h"

struct work {
    const struct sdsim_subject *subject;
    struct sdsim_explanation *explanation;
};

void sdsim_explain_each(const struct sdsim_explain_options *options, size_t count,
                        void (*work)(void *context, size_t index), void *context)
{
    if (options != NULL && options->parallel != NULL) {
        options->parallel(options->pool, count, work, context);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        work(context, i);
    }
}

/* The probes, and behind them the what-ifs. */
static void simulate_one(void *context, size_t index)
{
    const struct work *work = context;
    struct sdsim_explanation *explanation = work->explanation;
    if (index < SDSIM_PROBE_COUNT) {
        sdsim_probe_run((enum sdsim_probe_kind)index, work->subject, &explanation->setup,
                        &explanation->outcome, &explanation->probes[index]);
    } else {
        sdsim_whatif_run(work->subject, &explanation->outcome,
                         &explanation->whatifs[index - SDSIM_PROBE_COUNT]);
    }
}

static void simulate_all(struct work *work, const struct sdsim_explain_options *options)
{
    sdsim_explain_each(options, SDSIM_PROBE_COUNT + work->explanation->whatif_count, simulate_one,
                       work);
}

/* The run itself. False with a message. */
static bool take_run(const struct sdsim_subject *subject,
                     const struct sdsim_explain_options *options,
                     struct sdsim_explanation *explanation, struct sdsim_diags *diags)
{
    if (!subject->bind(subject->context, NULL, 0, &explanation->setup, diags)) {
        return false;
    }
    subject->simulate(subject->context, &explanation->setup, &explanation->outcome);
    if (explanation->outcome.error[0] != '\0') {
        if (options != NULL && options->failure != NULL) {
            *options->failure = explanation->outcome.failure;
        }
        sdsim_error(diags, subject->place, "%s%s%s", subject->name != NULL ? subject->name : "",
                    subject->name != NULL ? ": " : "", explanation->outcome.error);
        return false;
    }
    return true;
}

static bool explain(const struct sdsim_subject *subject,
                    const struct sdsim_explain_options *options,
                    struct sdsim_explanation *explanation, struct sdsim_diags *diags)
{
    explanation->whatifs = calloc(SDSIM_WHATIF_MOST, sizeof *explanation->whatifs);
    if (explanation->whatifs == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    if (!take_run(subject, options, explanation, diags)) {
        return false;
    }
    explanation->replayed = subject->replayed;
    sdsim_waterfall(&explanation->setup, &explanation->outcome, &explanation->waterfall);
    explanation->whatif_count = sdsim_whatifs_plan(subject, &explanation->setup,
                                                   &explanation->outcome, explanation->whatifs);
    struct work work = {.subject = subject, .explanation = explanation};
    simulate_all(&work, options);
    explanation->whatif_count = sdsim_whatifs_rank(explanation->whatifs, explanation->whatif_count);
    if (!sdsim_explain_draw(subject, options, explanation, diags)) {
        return false;
    }
    sdsim_explain_tells(explanation);
    sdsim_explain_suspects(explanation);
    sdsim_explain_verdicts(explanation);
    return true;
}

struct sdsim_explanation *sdsim_explain(const struct sdsim_subject *subject,
                                        const struct sdsim_explain_options *options,
                                        struct sdsim_diags *diags)
{
    struct sdsim_explanation *explanation = calloc(1, sizeof *explanation);
    if (explanation == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return NULL;
    }
    if (!explain(subject, options, explanation, diags)) {
        sdsim_explanation_free(explanation);
        return NULL;
    }
    return explanation;
}

void sdsim_explanation_free(struct sdsim_explanation *explanation)
{
    if (explanation != NULL) {
        free(explanation->whatifs);
        free(explanation);
    }
}

const struct sdsim_tell *sdsim_explain_tell(const struct sdsim_explanation *explanation,
                                            enum sdsim_loss loss)
{
    for (size_t i = 0; i < explanation->tell_count; i++) {
        if (explanation->tells[i].loss == loss) {
            return &explanation->tells[i];
        }
    }
    return NULL;
}

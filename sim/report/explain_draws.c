#include <stdlib.h>

#include "report/explain_parts.h"

/* The draws of the run at hand, simulated once, and those of one what-if. */
struct draws {
    const struct sdsim_subject *subject;
    uint32_t count;
    struct sdsim_setup *setups;           /* count + 1: 0 is typical, and not used */
    struct sdsim_outcome_report *base;    /* count: of draws 1 up */
    struct sdsim_outcome_report *changed; /* the same */
};

static void simulate_base(void *context, size_t index)
{
    const struct draws *draws = context;
    draws->subject->simulate(draws->subject->context, &draws->setups[index + 1],
                             &draws->base[index]);
}

static void simulate_changed(void *context, size_t index)
{
    const struct draws *draws = context;
    draws->subject->simulate(draws->subject->context, &draws->setups[index + 1],
                             &draws->changed[index]);
}

/* The interval of one what-if; a draw that fails, with or without the change, is left out. */
static bool draw_whatif(struct draws *draws, const struct sdsim_explain_options *options,
                        struct sdsim_whatif *whatif, double *gains, struct sdsim_diags *diags)
{
    const char *sets[SDSIM_WHATIF_SETS + 1] = {NULL};
    const struct sdsim_subject *subject = draws->subject;
    size_t count = 0;
    for (size_t i = 0; i < whatif->set_count; i++) {
        sets[i] = whatif->sets[i];
    }
    if (!subject->bind(subject->context, sets, draws->count, draws->setups, diags)) {
        return false;
    }
    sdsim_explain_each(options, draws->count, simulate_changed, draws);
    for (uint32_t k = 0; k < draws->count; k++) {
        if (draws->base[k].error[0] == '\0' && draws->changed[k].error[0] == '\0') {
            gains[count++] = sdsim_speed(&draws->base[k], &draws->changed[k]) - 1;
        }
    }
    sdsim_whatif_interval(whatif, gains, count);
    return true;
}

bool sdsim_explain_draw(const struct sdsim_subject *subject,
                        const struct sdsim_explain_options *options,
                        struct sdsim_explanation *explanation, struct sdsim_diags *diags)
{
    const uint32_t count = options != NULL ? options->draws : 0;
    if (count == 0) {
        return true;
    }
    struct draws draws = {
        .subject = subject,
        .count = count,
        .setups = calloc((size_t)count + 1, sizeof *draws.setups),
        .base = calloc(count, sizeof *draws.base),
        .changed = calloc(count, sizeof *draws.changed),
    };
    double *gains = calloc(count, sizeof *gains);
    bool fine = false;
    if (draws.setups == NULL || draws.base == NULL || draws.changed == NULL || gains == NULL) {
        sdsim_error(diags, NULL, "out of memory");
    } else if (subject->bind(subject->context, NULL, count, draws.setups, diags)) {
        sdsim_explain_each(options, count, simulate_base, &draws);
        fine = true;
        for (size_t i = 0; fine && i < explanation->whatif_count; i++) {
            fine = draw_whatif(&draws, options, &explanation->whatifs[i], gains, diags);
        }
        explanation->draws = count;
    }
    free(gains);
    free(draws.changed);
    free(draws.base);
    free(draws.setups);
    return fine;
}

#include "check.h"

#include <string.h>

static const struct {
    const char *name;
    const char *question;
} checks[SDSIM_CHECKS] = {
    [SDSIM_CHECK_GAPS] = {"gaps", "how long the clock stands still between bytes"},
    [SDSIM_CHECK_EDGES] = {"edges", "which edges a card understands, and where MOSI rests"},
    [SDSIM_CHECK_POLL] = {"poll", "what one look at the card costs the host"},
    [SDSIM_CHECK_MARGIN] = {"margin", "up to which clock the card's bits are there in time"},
    [SDSIM_CHECK_STOP] = {"stop", "where clocking until a pin is high stops"},
};

const char *sdsim_check_name(enum sdsim_check check)
{
    return checks[check].name;
}

const char *sdsim_check_question(enum sdsim_check check)
{
    return checks[check].question;
}

bool sdsim_check_parse(const char *text, unsigned *bits)
{
    if (strcmp(text, "all") == 0) {
        *bits |= (1u << SDSIM_CHECKS) - 1;
        return true;
    }
    for (unsigned i = 0; i < SDSIM_CHECKS; i++) {
        if (strcmp(text, checks[i].name) == 0) {
            *bits |= 1u << i;
            return true;
        }
    }
    return false;
}

static bool ask(struct sdsim_link *link, enum sdsim_check check,
                struct sdsim_chip_findings *findings)
{
    const char **why = &findings->failed[check];
    switch (check) {
    case SDSIM_CHECK_GAPS:
        return sdsim_check_gaps(link, findings->gaps);
    case SDSIM_CHECK_EDGES:
        return sdsim_check_edges(link, &findings->edges);
    case SDSIM_CHECK_POLL:
        return sdsim_check_poll(link, &findings->poll);
    case SDSIM_CHECK_MARGIN:
        return sdsim_check_margin(link, &findings->margin, why);
    default:
        return sdsim_check_stop(link, &findings->stop, why);
    }
}

bool sdsim_check_run(struct sdsim_link *link, enum sdsim_check check,
                     struct sdsim_chip_findings *findings)
{
    enum { TRIES = 3 }; /* a fault of USB that goes away costs a repetition, not the answer */
    for (unsigned i = 0; i < TRIES; i++) {
        if (ask(link, check, findings)) {
            findings->done[check] = true;
            return true;
        }
        if (!sdsim_link_recover(link)) {
            return false;
        }
        link->counters.retries++;
    }
    return sdsim_link_fail(link, SDSIM_LINK_BROKEN, "%s: the check '%s' fails each time",
                           link->chip->name, checks[check].name);
}

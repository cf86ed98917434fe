#include "export_window.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

/* ---- options ---- */

/* The two sides of "A..B"; B may be missing with its dots. False: an empty side, or too long. */
static bool split(const char *text, char from[40], char to[40])
{
    const char *dots = strstr(text, "..");
    const size_t length = dots != NULL ? (size_t)(dots - text) : strlen(text);
    const char *rest = dots != NULL ? dots + 2 : "";
    if (length >= 40 || strlen(rest) >= 40) {
        return false;
    }
    snprintf(from, 40, "%.*s", (int)length, text);
    snprintf(to, 40, "%s", dots != NULL ? rest : from);
    return true;
}

/* A time; its unit may be written in any case, since all units of time differ in their letters. */
static bool parse_time(const char *text, sdsim_ps *time)
{
    char lower[40];
    snprintf(lower, sizeof lower, "%s", text);
    for (char *at = lower; *at != '\0'; at++) {
        *at = (char)tolower((unsigned char)*at);
    }
    return sdsim_unit_parse(SDSIM_UNIT_TIME, lower, time) == SDSIM_UNIT_OK;
}

/* Whether it is a time, but one that no run reaches; tells so. */
static bool refuse_large(const char *text)
{
    char limit[64];
    if (!sdsim_unit_is_too_large(SDSIM_UNIT_TIME, text)) {
        return false;
    }
    fprintf(stderr, "error: --window takes times of %s, not '%s'\n",
            sdsim_unit_at_most(SDSIM_UNIT_TIME, UINT64_MAX, limit, sizeof limit), text);
    return true;
}

static bool wish_time(const char *text, struct sdsim_export_wish *wish)
{
    char from[40] = "";
    char to[40] = "";
    wish->kind = SDSIM_WISH_TIME;
    wish->from = 0;
    wish->to = SDSIM_TIME_END;
    if (strstr(text, "..") == NULL || !split(text, from, to) ||
        (from[0] != '\0' && !parse_time(from, &wish->from)) ||
        (to[0] != '\0' && !parse_time(to, &wish->to))) {
        if (refuse_large(from) || refuse_large(to)) {
            return false;
        }
        fprintf(
            stderr,
            "error: --window takes two times, as in 10ms..12.5ms, not '%s'\n"
            "help: a time has a unit (ps, ns, us, ms, s, min, h); either side may be left out\n",
            text);
        return false;
    }
    if (wish->from >= wish->to) {
        fprintf(stderr, "error: --window %s: it ends %s it begins\n", text,
                wish->to == wish->from ? "where" : "before");
        return false;
    }
    return true;
}

static bool parse_number(const char *text, uint64_t *number)
{
    *number = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || *number > UINT64_MAX / 10 - 1) {
            return false;
        }
        *number = *number * 10 + (uint64_t)(*at - '0');
    }
    return *text != '\0' && *number > 0;
}

static bool wish_calls(const char *text, struct sdsim_export_wish *wish)
{
    char first[40];
    char last[40];
    wish->kind = SDSIM_WISH_CALLS;
    if (!split(text, first, last) || !parse_number(first, &wish->first) ||
        !parse_number(last, &wish->last) || wish->last < wish->first) {
        fprintf(stderr,
                "error: --call takes the number of a call, from 1, or two: 3..5; not '%s'\n", text);
        return false;
    }
    return true;
}

static bool wish_around(const char *text, struct sdsim_export_wish *wish)
{
    const bool longest = strcmp(text, "longest") == 0;
    wish->kind = longest ? SDSIM_WISH_LONGEST : SDSIM_WISH_PAUSE;
    if (!longest && strcmp(text, "pause") != 0) {
        fprintf(stderr,
                "error: --around takes longest, for the longest call, or pause, for the "
                "longest wait for the card; not '%s'\n",
                text);
        return false;
    }
    return true;
}

bool sdsim_export_wish(const struct sdsim_arguments *arguments, struct sdsim_export_wish *wish)
{
    static const struct {
        enum sdsim_option_id option;
        bool (*parse)(const char *text, struct sdsim_export_wish *wish);
    } rows[] = {
        {SDSIM_OPTION_WINDOW, wish_time},
        {SDSIM_OPTION_CALL, wish_calls},
        {SDSIM_OPTION_AROUND, wish_around},
    };
    *wish = (struct sdsim_export_wish){.kind = SDSIM_WISH_ALL, .to = SDSIM_TIME_END};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = arguments->values[rows[i].option];
        if (text == NULL) {
            continue;
        }
        if (wish->kind != SDSIM_WISH_ALL) {
            fputs("error: --window, --call and --around exclude each other\n", stderr);
            return false;
        }
        if (!rows[i].parse(text, wish)) {
            return false;
        }
    }
    return true;
}

/* ---- windows ---- */

/* Notes when the calls of interest begin and end. */
struct calls {
    struct sdsim_recorder recorder;
    uint64_t first;
    uint64_t last;
    sdsim_ps from;
    sdsim_ps to; /* 0: the last one has not been seen */
    uint64_t seen;
};

static void hear_nothing(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    (void)recorder;
    (void)span;
}

static void hear_call(struct sdsim_recorder *recorder, uint64_t number, sdsim_ps start,
                      sdsim_ps end)
{
    struct calls *calls = (struct calls *)recorder;
    if (number + 1 == calls->first) {
        calls->from = start;
    }
    if (number + 1 == calls->last) {
        calls->to = end;
    }
    calls->seen = number + 1;
}

static bool simulate(const struct sdsim_setup *setup, const struct sdsim_medium *prepared,
                     struct sdsim_recorder *recorder, struct sdsim_outcome_report *report,
                     enum sdsim_exit *code)
{
    struct sdsim_medium *medium = sdsim_medium_copy(prepared);
    if (medium == NULL) {
        fputs("error: out of memory\n", stderr);
        *code = SDSIM_EXIT_FAULT;
        return false;
    }
    sdsim_simulate_on(setup, medium, recorder, report);
    sdsim_medium_destroy(medium);
    return true;
}

/* From the first to the last of some calls. */
static bool find_calls(const struct sdsim_setup *setup, const struct sdsim_medium *medium,
                       uint64_t first, uint64_t last, sdsim_ps *from, sdsim_ps *to,
                       enum sdsim_exit *code)
{
    struct sdsim_outcome_report report;
    struct calls calls = {
        .recorder = {.span = hear_nothing, .call = hear_call}, .first = first, .last = last};
    if (!simulate(setup, medium, &calls.recorder, &report, code)) {
        return false;
    }
    if (calls.to == 0) {
        fprintf(stderr, "error: there is no call %" PRIu64 ": the run has %" PRIu64 "\n", last,
                calls.seen);
        if (report.error[0] != '\0') {
            fprintf(stderr, "error: the run ended early: %s\n", report.error);
        }
        *code = SDSIM_EXIT_INPUT;
        return false;
    }
    *from = calls.from;
    *to = calls.to;
    return true;
}

/* A tenth more on both sides. */
static void widen(sdsim_ps *from, sdsim_ps *to)
{
    const sdsim_ps margin = (*to - *from) / 10;
    *from = sdsim_time_since(*from, margin);
    *to = sdsim_time_sum(*to, margin);
}

static bool find_longest(const struct sdsim_export_wish *wish, const struct sdsim_setup *setup,
                         const struct sdsim_medium *medium, sdsim_ps *from, sdsim_ps *to,
                         enum sdsim_exit *code)
{
    struct sdsim_outcome_report report;
    if (!simulate(setup, medium, NULL, &report, code)) {
        return false;
    }
    const struct sdsim_workload_result *result = &report.workload;
    const bool call = wish->kind == SDSIM_WISH_LONGEST;
    if (call ? result->calls == 0 : result->counters.longest_wait == 0) {
        fprintf(stderr, "error: the run has no %s%s%s\n",
                call ? "call that came to its end" : "wait for the card",
                report.error[0] != '\0' ? ": " : "", report.error);
        *code = SDSIM_EXIT_INPUT;
        return false;
    }
    if (call) {
        const uint64_t number = result->longest_call_index + 1;
        if (!find_calls(setup, medium, number, number, from, to, code)) {
            return false;
        }
    } else {
        *from = result->counters.longest_wait_at;
        *to = *from + result->counters.longest_wait;
    }
    widen(from, to);
    return true;
}

bool sdsim_export_find(const struct sdsim_export_wish *wish, const struct sdsim_setup *setup,
                       const struct sdsim_medium *medium, sdsim_ps *from, sdsim_ps *to,
                       enum sdsim_exit *code)
{
    switch (wish->kind) {
    case SDSIM_WISH_CALLS:
        return find_calls(setup, medium, wish->first, wish->last, from, to, code);
    case SDSIM_WISH_LONGEST:
    case SDSIM_WISH_PAUSE:
        return find_longest(wish, setup, medium, from, to, code);
    default:
        *from = wish->from;
        *to = wish->to;
        return true;
    }
}

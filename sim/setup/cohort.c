#include "setup/cohort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "flash/flash_state.h"
#include "setup/cohort_cause.h"
#include "setup/cohort_groups.h"
#include "setup/cohort_memo.h"

static const uint32_t none = SDSIM_COHORT_NONE;

enum act {
    ACT_OPEN,
    ACT_UNIT,
    ACT_SYNC,
    ACT_REST, /* what is left at the end, and the final sync */
    ACT_CLOSE,
};

/* What an act does to a group, if nobody's luck strikes. */
struct step {
    uint32_t next;  /* of the same group */
    sdsim_ps gap;   /* since the group's last act; larger ones may be alike */
    uint64_t first; /* REST: offset of the rest, */
    uint64_t bytes; /* and its size */
    sdsim_ps took;
    sdsim_ps longest; /* call in it */
    uint64_t blocks;  /* written by the card */
    uint64_t reads;   /* commands */
    enum sdsim_stall_cause cause;
    uint32_t group;              /* it leads to */
    const char *error;           /* or NULL */
    struct sdsim_account *shift; /* what the account of a run gets, or NULL */
};

struct run {
    struct sdsim_logger_state logger;
    struct sdsim_flash_luck luck;
    sdsim_ps zero; /* the start of its stream, in its own time, */
    sdsim_ps now;  /* and where it is */
    uint32_t group;
    struct sdsim_account *base; /* its account, less its group's */
};

struct cohort {
    const struct sdsim_cohort_plan *plan;
    const struct sdsim_logger *logger;
    struct sdsim_cohort_run *results;
    struct sdsim_cohort_work *work;
    struct run *runs;
    struct sdsim_cohort_table tables[2];
    struct step *steps;
    uint32_t step_count;
    uint32_t step_room;
    struct sdsim_cohort_pool pool;
    struct sdsim_cohort_memo memo;
    bool reads_need_luck;
    bool no_memory;
};

/* ---- states and steps ---- */

static struct sdsim_cohort_state *new_state(struct cohort *cohort,
                                            const struct sdsim_cohort_state *of)
{
    struct sdsim_cohort_state *state = sdsim_cohort_pool_copy(&cohort->pool, of);
    cohort->no_memory = cohort->no_memory || state == NULL;
    return state;
}

/* The group of a state that was stepped. `shift` gets the difference of the accounts. */
static uint32_t settle_state(struct cohort *cohort, struct sdsim_cohort_table *into,
                             struct sdsim_cohort_state *state, struct sdsim_account *shift)
{
    const uint32_t group = sdsim_cohort_table_take(into, &cohort->pool, state, shift);
    cohort->no_memory = cohort->no_memory || group == none;
    return group;
}

static uint32_t add_step(struct cohort *cohort)
{
    if (cohort->step_count == cohort->step_room &&
        !sdsim_cohort_grow((void **)&cohort->steps, &cohort->step_room, sizeof *cohort->steps)) {
        cohort->no_memory = true;
        return none;
    }
    return cohort->step_count++;
}

static void forget_steps(struct cohort *cohort)
{
    for (uint32_t i = 0; i < cohort->step_count; i++) {
        free(cohort->steps[i].shift);
    }
    cohort->step_count = 0;
    for (int t = 0; t < 2; t++) {
        for (uint32_t i = 0; i < cohort->tables[t].count; i++) {
            cohort->tables[t].groups[i].step = none;
        }
    }
}

/* ---- one act ---- */

/* What is done, and when. */
struct wish {
    enum act act;
    uint64_t unit;  /* UNIT: its number */
    sdsim_ps gap;   /* since the run's last act */
    uint64_t first; /* REST */
    uint64_t bytes;
};

static const char *do_act(const struct cohort *cohort, struct sdsim_cohort_state *state,
                          const struct wish *wish, sdsim_ps *longest)
{
    struct sdsim_workload_task *task = &state->task;
    const uint64_t calls = cohort->logger->calls;
    const char *error;
    switch (wish->act) {
    case ACT_OPEN:
        return sdsim_workload_open_file(task, &state->now);
    case ACT_UNIT:
        return sdsim_workload_unit(task, &state->now, wish->unit * calls, calls, longest);
    case ACT_SYNC:
        return sdsim_workload_sync(task, &state->now);
    case ACT_REST:
        error = sdsim_workload_rest(task, &state->now, wish->first, 0, wish->bytes);
        return error == NULL && task->params->final_sync ? sdsim_workload_sync(task, &state->now)
                                                         : error;
    case ACT_CLOSE:
    default:
        return sdsim_workload_finish(task, &state->now, NULL);
    }
}

/* Does it to a state, and says in `step` what came of it, but for the group. */
static void carry_out(struct cohort *cohort, struct sdsim_cohort_state *state,
                      const struct wish *wish, const struct sdsim_cohort_state *before,
                      struct step *step)
{
    const struct sdsim_flash_luck luck = sdsim_flash_luck_of(&state->card.flash);
    state->now = sdsim_time_sum(state->now, wish->gap);
    const sdsim_ps start = state->now;
    *step = (struct step){.next = none, .gap = wish->gap, .first = wish->first, .group = none};
    step->bytes = wish->bytes;
    step->error = do_act(cohort, state, wish, &step->longest);
    step->took = state->now - start;
    if (wish->act != ACT_UNIT) {
        step->longest = step->took;
    }
    step->blocks = state->card.flash.blocks_written - luck.blocks_written;
    const uint64_t *commands = state->meter.counters.commands;
    const uint64_t *earlier = before->meter.counters.commands;
    step->reads = commands[17] + commands[18] - earlier[17] - earlier[18];
    step->cause = sdsim_stall_cause(before, state, &luck, wish->act == ACT_SYNC);
    cohort->work->stepped++;
}

/* The group's own step for a wish; `none` without memory. */
static uint32_t step_of(struct cohort *cohort, struct sdsim_cohort_table *from, uint32_t group,
                        struct sdsim_cohort_table *into, const struct wish *wish)
{
    const sdsim_ps settles = from->groups[group].settles;
    for (uint32_t i = from->groups[group].step; i != none; i = cohort->steps[i].next) {
        const struct step *step = &cohort->steps[i];
        const bool alike = step->gap == wish->gap || (step->gap >= settles && wish->gap >= settles);
        if (alike && step->first == wish->first && step->bytes == wish->bytes) {
            return i;
        }
    }
    const uint32_t index = add_step(cohort);
    struct sdsim_cohort_state *state =
        index != none ? new_state(cohort, from->groups[group].state) : NULL;
    if (state == NULL) {
        return none;
    }
    struct step *step = &cohort->steps[index];
    carry_out(cohort, state, wish, from->groups[group].state, step);
    if (cohort->plan->accounts) {
        step->shift = calloc(1, sizeof *step->shift);
        cohort->no_memory = cohort->no_memory || step->shift == NULL;
    }
    step->group = settle_state(cohort, into, state, step->shift);
    step->next = from->groups[group].step;
    from->groups[group].step = index;
    return step->group != none && !cohort->no_memory ? index : none;
}

/* A step of one run alone, with its luck; step->group is `none` without memory. */
static void step_alone(struct cohort *cohort, struct sdsim_cohort_table *from, struct run *run,
                       struct sdsim_cohort_table *into, const struct wish *wish, struct step *step)
{
    const struct sdsim_cohort_state *before = from->groups[run->group].state;
    struct sdsim_cohort_state *state = new_state(cohort, before);
    step->group = none;
    if (state == NULL) {
        return;
    }
    sdsim_flash_set_luck(&state->card.flash, &run->luck);
    carry_out(cohort, state, wish, before, step);
    run->luck = sdsim_flash_luck_of(&state->card.flash);
    sdsim_flash_no_luck(&state->card.flash);
    step->group = settle_state(cohort, into, state, run->base);
}

static void note_stall(struct sdsim_cohort_run *result, const struct step *step, sdsim_ps at,
                       const struct wish *wish, uint64_t unit)
{
    struct sdsim_stall *stall = &result->stalls[step->cause];
    if (step->longest > stall->length && wish->act != ACT_OPEN && wish->act != ACT_CLOSE) {
        *stall = (struct sdsim_stall){
            .length = step->longest, .at = at, .unit = unit, .syncs = wish->act == ACT_SYNC};
    }
}

/* One act of one run. False without memory, or if the run ended early (its result says so). */
static bool act_of(struct cohort *cohort, struct sdsim_cohort_table *from,
                   struct sdsim_cohort_table *into, size_t index, const struct wish *wish)
{
    struct run *run = &cohort->runs[index];
    struct sdsim_cohort_run *result = &cohort->results[index];
    struct step alone;
    const struct step *step = &alone;
    const uint32_t shared = step_of(cohort, from, run->group, into, wish);
    if (shared == none) {
        return false;
    }
    cohort->work->calls++;
    if (sdsim_flash_luck_strikes(&run->luck, cohort->steps[shared].blocks) ||
        (cohort->reads_need_luck && cohort->steps[shared].reads > 0)) {
        step_alone(cohort, from, run, into, wish, &alone);
        if (alone.group == none) {
            return false;
        }
    } else {
        step = &cohort->steps[shared];
        run->luck.blocks_written += step->blocks;
        if (run->base != NULL && step->shift != NULL) {
            static const struct sdsim_account zero;
            sdsim_cohort_shift(run->base, step->shift, &zero);
        }
    }
    const sdsim_ps start = sdsim_time_sum(run->now, wish->gap);
    run->now = sdsim_time_sum(start, step->took);
    run->group = step->group;
    note_stall(result, step, start - run->zero, wish, run->logger.units);
    result->error = step->error;
    return step->error == NULL;
}

static struct sdsim_logger_time time_of(struct cohort *cohort, sdsim_ps at)
{
    return sdsim_cohort_time(&cohort->memo, cohort->logger, at);
}

static sdsim_ps next_of(struct cohort *cohort, const struct run *run)
{
    return sdsim_cohort_next(&cohort->memo, cohort->logger, &run->logger, run->now - run->zero);
}

/* ---- the rounds ---- */

static struct sdsim_cohort_table *other(struct cohort *cohort,
                                        const struct sdsim_cohort_table *table)
{
    return table == &cohort->tables[0] ? &cohort->tables[1] : &cohort->tables[0];
}

/* Behind a round that led from `from` to another table. */
static struct sdsim_cohort_table *turn(struct cohort *cohort, struct sdsim_cohort_table *from)
{
    struct sdsim_cohort_table *into = other(cohort, from);
    forget_steps(cohort);
    sdsim_cohort_table_clear(from, &cohort->pool);
    cohort->work->groups = into->count > cohort->work->groups ? into->count : cohort->work->groups;
    return into;
}

static void tell(struct cohort *cohort, size_t index)
{
    const struct run *run = &cohort->runs[index];
    struct sdsim_cohort_run *result = &cohort->results[index];
    const struct sdsim_queue *queue = &run->logger.queue;
    result->arrived = sdsim_arrivals_total(&cohort->logger->arrivals);
    result->lost = queue->lost;
    result->lost_at = queue->lost_at;
    result->highest = queue->highest;
    result->highest_at = queue->highest_at;
    result->exposed = run->logger.exposed;
    result->exposed_at = run->logger.exposed_at;
    result->units = run->logger.units;
}

/* The account from the start of the stream to now: what was not spent was idle. */
static void close_account(struct cohort *cohort, const struct sdsim_cohort_table *table,
                          size_t index)
{
    const struct run *run = &cohort->runs[index];
    struct sdsim_account *account = &cohort->results[index].account;
    if (run->base == NULL) {
        return;
    }
    static const struct sdsim_account zero;
    *account = *run->base;
    sdsim_cohort_shift(account, &table->groups[run->group].state->meter.account, &zero);
    account->ps[SDSIM_FOR_DATA][SDSIM_IDLE] += run->now - run->zero - sdsim_account_total(account);
}

/* Opens the file for all; the stream of each begins right behind. */
static size_t open_all(struct cohort *cohort, struct sdsim_cohort_table **table, size_t *active)
{
    size_t kept = 0;
    const struct wish wish = {.act = ACT_OPEN};
    struct sdsim_cohort_table *into = other(cohort, *table);
    for (size_t i = 0; i < cohort->plan->count && !cohort->no_memory; i++) {
        if (act_of(cohort, *table, into, i, &wish)) {
            active[kept++] = i;
        }
    }
    *table = turn(cohort, *table);
    for (size_t i = 0; i < kept && !cohort->no_memory; i++) {
        struct run *run = &cohort->runs[active[i]];
        run->zero = run->now;
        sdsim_logger_begin(&run->logger, cohort->logger);
        if (cohort->plan->accounts) {
            static const struct sdsim_account zero;
            run->base = calloc(1, sizeof *run->base);
            cohort->no_memory = run->base == NULL;
            if (run->base != NULL) {
                sdsim_cohort_shift(run->base, &zero,
                                   &(*table)->groups[run->group].state->meter.account);
            }
        }
    }
    return kept;
}

/* The runs in `ended` are over: what is left is written, the file closed. They are in `table`, and
 * leave their results there. */
static void end_runs(struct cohort *cohort, struct sdsim_cohort_table *table, const size_t *ended,
                     size_t count)
{
    for (size_t i = 0; i < count && !cohort->no_memory; i++) {
        struct run *run = &cohort->runs[ended[i]];
        struct sdsim_logger_state *logger = &run->logger;
        const sdsim_ps now = run->now - run->zero;
        const sdsim_ps end = cohort->logger->arrivals.end;
        cohort->results[ended[i]].ended = now;
        sdsim_logger_ended(logger, cohort->logger, time_of(cohort, now > end ? now : end));
        tell(cohort, ended[i]);
        const struct wish rest = {
            .act = ACT_REST,
            .gap = sdsim_time_since(end, now),
            .first = logger->units * cohort->logger->shape.unit,
            .bytes = sdsim_logger_rest(logger),
        };
        (void)act_of(cohort, table, table, ended[i], &rest); /* an error stands in its result */
    }
    forget_steps(cohort);
    for (size_t i = 0; i < count && !cohort->no_memory; i++) {
        const struct wish close = {.act = ACT_CLOSE};
        if (cohort->results[ended[i]].error != NULL) {
            continue;
        }
        close_account(cohort, table, ended[i]);
        if (act_of(cohort, table, table, ended[i], &close) && cohort->plan->ended != NULL) {
            cohort->plan->ended(cohort->plan->context, ended[i],
                                table->groups[cohort->runs[ended[i]].group].state);
        }
    }
    forget_steps(cohort);
}

/* One unit of one run. */
static bool unit_of(struct cohort *cohort, struct sdsim_cohort_table *from,
                    struct sdsim_cohort_table *into, size_t index, sdsim_ps next)
{
    struct run *run = &cohort->runs[index];
    const struct wish wish = {
        .act = ACT_UNIT, .unit = run->logger.units, .gap = next - (run->now - run->zero)};
    if (!act_of(cohort, from, into, index, &wish)) {
        return false;
    }
    const struct sdsim_logger_time start = time_of(cohort, next);
    sdsim_logger_wrote(&run->logger, cohort->logger, start, time_of(cohort, run->now - run->zero));
    return true;
}

static bool sync_of(struct cohort *cohort, struct sdsim_cohort_table *table, size_t index)
{
    struct run *run = &cohort->runs[index];
    const struct wish wish = {.act = ACT_SYNC};
    const sdsim_ps start = run->now - run->zero;
    if (!act_of(cohort, table, table, index, &wish)) {
        return false;
    }
    sdsim_logger_synced(&run->logger, cohort->logger, start, time_of(cohort, run->now - run->zero));
    return true;
}

/* Runs that have another unit come to the front of `active`, the others behind them. Returns how
 * many have. */
static size_t part(struct cohort *cohort, size_t *active, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (next_of(cohort, &cohort->runs[active[i]]) != SDSIM_TIME_END) {
            const size_t run = active[i];
            active[i] = active[kept];
            active[kept++] = run;
        }
    }
    return kept;
}

static bool goes_on(const struct cohort *cohort, size_t index)
{
    return !cohort->plan->stop_at_loss || cohort->runs[index].logger.queue.lost == 0;
}

/* A unit of each run, and the syncs behind it. Returns how many go on. */
static size_t round_of(struct cohort *cohort, struct sdsim_cohort_table **table, size_t *active,
                       size_t count)
{
    struct sdsim_cohort_table *into = other(cohort, *table);
    size_t kept = 0;
    for (size_t i = 0; i < count && !cohort->no_memory; i++) {
        const sdsim_ps next = next_of(cohort, &cohort->runs[active[i]]);
        if (unit_of(cohort, *table, into, active[i], next) && goes_on(cohort, active[i])) {
            active[kept++] = active[i];
        } else {
            tell(cohort, active[i]);
        }
    }
    *table = turn(cohort, *table);
    count = kept;
    kept = 0;
    for (size_t i = 0; i < count && !cohort->no_memory; i++) {
        const struct run *run = &cohort->runs[active[i]];
        if (!sdsim_logger_sync_due(&run->logger, cohort->logger, run->now - run->zero) ||
            (sync_of(cohort, *table, active[i]) && goes_on(cohort, active[i]))) {
            active[kept++] = active[i];
        } else {
            tell(cohort, active[i]);
        }
    }
    forget_steps(cohort);
    return kept;
}

static void all_rounds(struct cohort *cohort, size_t *active)
{
    struct sdsim_cohort_table *table = &cohort->tables[0];
    size_t count = open_all(cohort, &table, active);
    while (count > 0 && !cohort->no_memory) {
        const size_t going = part(cohort, active, count);
        if (going < count) {
            end_runs(cohort, table, active + going, count - going);
        }
        count = round_of(cohort, &table, active, going);
    }
}

/* ---- beginning and end ---- */

static uint32_t draw_of(const struct cohort *cohort, size_t index)
{
    const struct sdsim_cohort_plan *plan = cohort->plan;
    return plan->draws != NULL ? plan->draws[index] : plan->first + (uint32_t)index;
}

/* The luck of run `index` when its volume is mounted. */
static struct sdsim_flash_luck first_luck(const struct cohort *cohort, size_t index)
{
    const struct sdsim_setup *setup = cohort->plan->setup;
    struct sdsim_flash flash;
    sdsim_flash_init(&flash, &setup->card.flash, setup->run.seed, draw_of(cohort, index));
    return sdsim_flash_luck_of(&flash);
}

/* A run that went through initialisation and mount by itself. */
struct start {
    struct cohort *cohort;
    struct run *run;
};

static const char *take_start(void *context, const struct sdsim_stage *stage, sdsim_ps *now)
{
    const struct start *start = context;
    struct cohort *cohort = start->cohort;
    struct sdsim_cohort_state *state = malloc(sizeof *state);
    if (state == NULL) {
        return "out of memory";
    }
    start->run->luck = sdsim_flash_luck_of(&stage->driver->port->card->flash);
    start->run->now = *now;
    sdsim_cohort_state_take(state, cohort->plan->setup, stage, *now);
    start->run->group = settle_state(cohort, &cohort->tables[0], state, NULL);
    return start->run->group == none ? "out of memory" : NULL;
}

/* The group of a run that reads with its own luck, from the beginning. */
static bool begin_alone(struct cohort *cohort, size_t index, struct sdsim_medium *medium)
{
    const struct sdsim_cohort_plan *plan = cohort->plan;
    struct sdsim_setup setup = *plan->setup;
    struct sdsim_outcome_report report;
    struct start start = {cohort, &cohort->runs[index]};
    setup.draw = draw_of(cohort, index);
    sdsim_simulate_act(&setup, medium, NULL, NULL, setup.run.workload.target == SDSIM_ON_FILE,
                       take_start, &start, &report);
    return report.error[0] == '\0';
}

static bool begin(struct cohort *cohort, const struct sdsim_stage *stage, sdsim_ps now)
{
    const struct sdsim_cohort_plan *plan = cohort->plan;
    struct sdsim_cohort_state *state = malloc(sizeof *state);
    cohort->runs = calloc(plan->count, sizeof *cohort->runs);
    if (state == NULL || cohort->runs == NULL) {
        free(state);
        return false;
    }
    sdsim_cohort_state_take(state, plan->setup, stage, now);
    const struct sdsim_card *card = &state->card;
    cohort->reads_need_luck = sdsim_flash_reads_need_luck(&card->flash);
    const uint32_t group = settle_state(cohort, &cohort->tables[0], state, NULL);
    bool fine = group != none;
    for (size_t i = 0; i < plan->count && fine; i++) {
        struct run *run = &cohort->runs[i];
        if (cohort->reads_need_luck) {
            fine = begin_alone(cohort, i, stage->driver->port->card->medium);
        } else {
            run->luck = first_luck(cohort, i);
            run->luck.blocks_written = stage->driver->port->card->flash.blocks_written;
            run->group = group;
            run->now = now;
        }
        run->zero = run->now;
    }
    return fine;
}

static void end(struct cohort *cohort)
{
    forget_steps(cohort);
    for (int t = 0; t < 2; t++) {
        sdsim_cohort_table_free(&cohort->tables[t], &cohort->pool);
    }
    sdsim_cohort_pool_free(&cohort->pool);
    for (size_t i = 0; cohort->runs != NULL && i < cohort->plan->count; i++) {
        free(cohort->runs[i].base);
    }
    free(cohort->steps);
    free(cohort->runs);
}

static const char *work_out(void *context, const struct sdsim_stage *stage, sdsim_ps *now)
{
    struct cohort *cohort = context;
    size_t *active = calloc(cohort->plan->count + 1, sizeof *active);
    const bool begun = active != NULL && begin(cohort, stage, *now);
    if (begun) {
        all_rounds(cohort, active);
    }
    cohort->no_memory = cohort->no_memory || !begun;
    end(cohort);
    free(active);
    return cohort->no_memory ? "out of memory" : NULL;
}

bool sdsim_cohort_simulate(const struct sdsim_cohort_plan *plan, struct sdsim_cohort_run *runs,
                           struct sdsim_cohort_work *work, struct sdsim_outcome_report *report)
{
    struct sdsim_cohort_work unasked;
    struct cohort cohort = {
        .plan = plan,
        .logger = plan->logger,
        .results = runs,
        .work = work != NULL ? work : &unasked,
    };
    const struct sdsim_setup *setup = plan->setup;
    struct sdsim_medium *medium = sdsim_medium_copy(plan->prepared);
    assert(setup->run.workload.action == SDSIM_DO_STREAM);
    memset(runs, 0, plan->count * sizeof *runs);
    *cohort.work = (struct sdsim_cohort_work){.calls = 0};
    sdsim_cohort_memo_init(&cohort.memo);
    if (medium == NULL) {
        *report = (struct sdsim_outcome_report){.failure = SDSIM_FAILURE_MEMORY};
        return false;
    }
    sdsim_medium_forget(medium);
    sdsim_simulate_act(setup, medium, NULL, NULL, setup->run.workload.target == SDSIM_ON_FILE,
                       work_out, &cohort, report);
    sdsim_medium_destroy(medium);
    return report->error[0] == '\0';
}

#include "setup/probe.h"

static const uint64_t fastest_hz = 1000000000; /* core/clock.h */

/* Time for each byte, or for each call. */
static double unit_time(const struct sdsim_workload_result *workload, bool by_bytes)
{
    const uint64_t units = by_bytes ? workload->bytes : workload->calls;
    return units > 0 ? (double)workload->elapsed / (double)units : 0;
}

double sdsim_speed(const struct sdsim_outcome_report *base,
                   const struct sdsim_outcome_report *changed)
{
    const bool extreme =
        base->metric == SDSIM_METRIC_MIN_LATENCY || base->metric == SDSIM_METRIC_MAX_LATENCY;
    if (extreme && base->metric == changed->metric) {
        return changed->value > 0 ? base->value / changed->value : 0;
    }
    const bool by_bytes = base->workload.bytes > 0 && changed->workload.bytes > 0;
    const double before = unit_time(&base->workload, by_bytes);
    const double after = unit_time(&changed->workload, by_bytes);
    return after > 0 ? before / after : 0;
}

/* ---- one layer takes no time ---- */

static bool no_card(struct sdsim_setup *setup)
{
    const struct sdsim_flash_params was = setup->card.flash;
    /* Where it writes and how much it caches stays; how long all of it takes is gone. */
    setup->card.flash = (struct sdsim_flash_params){
        .page_bytes = was.page_bytes,
        .busy_limit = was.busy_limit,
        .au_bytes = was.au_bytes,
        .cache_bytes = was.cache_bytes,
    };
    return true;
}

static bool no_host(struct sdsim_setup *setup)
{
    setup->costs = (struct sdsim_driver_costs){.call = 0};
    setup->run.file.costs = (struct sdsim_file_costs){.call = 0};
    return true;
}

static bool no_bus(struct sdsim_setup *setup)
{
    setup->clocks.num = fastest_hz;
    setup->clocks.den = 1;
    return true;
}

/* Sequential calls of whole sectors, one behind the other. */
static bool is_plain_stream(const struct sdsim_workload_params *workload)
{
    return (workload->action == SDSIM_DO_WRITE || workload->action == SDSIM_DO_READ) &&
           !sdsim_workload_in_regions(workload);
}

/* Of a card that names no AU: only where a raw stream begins depends on it. */
static const uint64_t usual_au = UINT64_C(4) << 20;

static bool no_fat(struct sdsim_setup *setup)
{
    struct sdsim_workload_params *workload = &setup->run.workload;
    const uint64_t au = setup->card.au_bytes > 0 ? setup->card.au_bytes : usual_au;
    if (workload->target != SDSIM_ON_FILE || !is_plain_stream(workload) ||
        workload->call % SDSIM_SECTOR != 0 || workload->timed == SDSIM_TIMED_PASSES) {
        return false;
    }
    if (setup->run.filesystem.preparation.writer == SDSIM_WRITER_MCU) {
        setup->card.flash.rd_folded = 0; /* it was written just before, as the file was */
    }
    workload->target = SDSIM_ON_RAW;
    workload->timed = SDSIM_TIMED_CALLS;
    workload->start = setup->card.capacity / 4 / au * au / SDSIM_SECTOR * SDSIM_SECTOR;
    workload->span = 0;
    workload->sync_every = 0;
    workload->rotate_every = 0;
    workload->final_sync = false;
    workload->preallocate = false;
    return true;
}

/* ---- suspects ---- */

static bool no_sector_wait(struct sdsim_setup *setup)
{
    struct sdsim_flash_params *flash = &setup->card.flash;
    flash->rdn = 0;
    flash->rdpg = 0;
    flash->rdau = 0;
    flash->rd_folded = 0;
    flash->wn = 0;
    flash->wpg = 0;
    flash->fold_rate = 0;
    return true;
}

static bool no_first_wait(struct sdsim_setup *setup)
{
    struct sdsim_flash_params *flash = &setup->card.flash;
    flash->rd1 = 0;
    flash->rd_slow = 0;
    flash->rd_hit = 0;
    flash->w1 = flash->wn;
    flash->w_fat = 0;
    flash->wstop = 0;
    flash->wstop_large = 0;
    flash->w_small = 0;
    return true;
}

static bool no_pauses(struct sdsim_setup *setup)
{
    struct sdsim_flash_params *flash = &setup->card.flash;
    flash->pause_every = 0;
    flash->rare_every = 0;
    flash->start_count = 0;
    flash->open_aus = 0;
    flash->au_open = 0;
    flash->rand = 0;
    flash->rand_full = 0;
    flash->small_bytes = 0;
    flash->move_rate = 0;
    flash->au_erase = 0;
    return true;
}

static bool no_syncs(struct sdsim_setup *setup)
{
    const bool some = setup->run.workload.sync_every > 0;
    setup->run.workload.sync_every = 0;
    return some;
}

static bool no_sleeps(struct sdsim_setup *setup)
{
    struct sdsim_driver_params *params = &setup->driver.params;
    const bool some =
        params->poll_sleep > 0 || params->stop_retry > 0 || params->ready_wait == SDSIM_WAIT_SLEEPS;
    params->poll_sleep = 0;
    params->stop_retry = 0;
    params->ready_wait =
        params->ready_wait == SDSIM_WAIT_SLEEPS ? SDSIM_WAIT_SPINS : params->ready_wait;
    return some;
}

static bool no_call_cost(struct sdsim_setup *setup)
{
    struct sdsim_file_costs *costs = &setup->run.file.costs;
    const bool some = setup->run.workload.target == SDSIM_ON_FILE &&
                      (costs->call > 0 || costs->line > 0 || costs->refill > 0);
    costs->call = 0;
    costs->line = 0;
    costs->refill = 0;
    return some;
}

/* ---- tells ---- */

static bool twice_the_clock(struct sdsim_setup *setup)
{
    setup->clocks.num *= 2;
    return setup->clocks.num <= fastest_hz * setup->clocks.den;
}

static bool other_direction(struct sdsim_setup *setup)
{
    struct sdsim_workload_params *workload = &setup->run.workload;
    switch ((enum sdsim_action)workload->action) {
    case SDSIM_DO_WRITE:
        workload->action = SDSIM_DO_READ;
        workload->rotate_every = 0;
        workload->preallocate = false;
        workload->sync_every = 0;
        workload->final_sync = false;
        break;
    case SDSIM_DO_READ:
        workload->action = SDSIM_DO_WRITE;
        break;
    case SDSIM_DO_RANDOM_WRITE:
        workload->action = SDSIM_DO_RANDOM_READ;
        break;
    case SDSIM_DO_RANDOM_READ:
        workload->action = SDSIM_DO_RANDOM_WRITE;
        break;
    default:
        return false;
    }
    return workload->timed != SDSIM_TIMED_PASSES;
}

static bool set_call(struct sdsim_setup *setup, uint64_t call)
{
    struct sdsim_workload_params *workload = &setup->run.workload;
    const bool append = workload->action == SDSIM_DO_APPEND;
    const bool raw = workload->target == SDSIM_ON_RAW;
    if (call == 0 || call > 1048576 || (raw && call % SDSIM_SECTOR != 0) ||
        (!append && !is_plain_stream(workload))) {
        return false;
    }
    workload->call = call;
    if (!append && workload->total < 4 * call) {
        workload->total = 4 * call;
    }
    return true;
}

static bool smaller_calls(struct sdsim_setup *setup)
{
    const uint64_t call = setup->run.workload.call;
    return call % 4 == 0 && set_call(setup, call / 4);
}

static bool larger_calls(struct sdsim_setup *setup)
{
    return set_call(setup, 4 * setup->run.workload.call);
}

static bool nearer(struct sdsim_setup *setup)
{
    struct sdsim_workload_params *workload = &setup->run.workload;
    switch ((enum sdsim_action)workload->action) {
    case SDSIM_DO_SEEK:
        workload->position =
            (workload->position > 0 ? workload->position : workload->total / 2) / 2;
        return workload->position > 0;
    case SDSIM_DO_APPEND:
        workload->total /= 2;
        return workload->total >= workload->call;
    case SDSIM_DO_OPEN:
    case SDSIM_DO_CREATE:
    case SDSIM_DO_LIST:
        workload->files /= 2;
        return workload->files > 0;
    default:
        return false;
    }
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    bool (*change)(struct sdsim_setup *setup); /* false: it makes no sense for this one */
    bool of_workload; /* changes what the application does, which a recording doesn't let it */
} probes[SDSIM_PROBE_COUNT] = {
    [SDSIM_PROBE_NO_CARD] = {"no-card", no_card, false},
    [SDSIM_PROBE_NO_HOST] = {"no-host", no_host, false},
    [SDSIM_PROBE_NO_BUS] = {"no-bus", no_bus, false},
    [SDSIM_PROBE_NO_FAT] = {"no-file-system", no_fat, true},
    [SDSIM_PROBE_NO_SECTOR_WAIT] = {"no-wait-between-sectors", no_sector_wait, false},
    [SDSIM_PROBE_NO_FIRST_WAIT] = {"no-wait-for-commands", no_first_wait, false},
    [SDSIM_PROBE_NO_PAUSES] = {"no-pauses", no_pauses, false},
    [SDSIM_PROBE_NO_SYNCS] = {"no-syncs", no_syncs, true},
    [SDSIM_PROBE_NO_SLEEPS] = {"no-sleeps", no_sleeps, false},
    [SDSIM_PROBE_NO_CALL_COST] = {"no-call-cost", no_call_cost, false},
    [SDSIM_PROBE_TWICE_THE_CLOCK] = {"twice-the-clock", twice_the_clock, false},
    [SDSIM_PROBE_OTHER_DIRECTION] = {"other-direction", other_direction, true},
    [SDSIM_PROBE_SMALLER_CALLS] = {"smaller-calls", smaller_calls, true},
    [SDSIM_PROBE_LARGER_CALLS] = {"larger-calls", larger_calls, true},
    [SDSIM_PROBE_NEARER] = {"nearer", nearer, true},
};

const char *sdsim_probe_name(enum sdsim_probe_kind kind)
{
    return probes[kind].name;
}

bool sdsim_probe_setup(enum sdsim_probe_kind kind, const struct sdsim_subject *subject,
                       const struct sdsim_setup *base, struct sdsim_setup *setup)
{
    *setup = *base;
    return !(subject->replayed && probes[kind].of_workload) && probes[kind].change(setup);
}

void sdsim_probe_run(enum sdsim_probe_kind kind, const struct sdsim_subject *subject,
                     const struct sdsim_setup *base, const struct sdsim_outcome_report *outcome,
                     struct sdsim_probe *probe)
{
    struct sdsim_setup setup;
    *probe = (struct sdsim_probe){.there = false};
    if (!sdsim_probe_setup(kind, subject, base, &setup)) {
        return;
    }
    subject->simulate(subject->context, &setup, &probe->outcome);
    probe->speed = sdsim_speed(outcome, &probe->outcome);
    probe->there = probe->outcome.error[0] == '\0' && probe->speed > 0;
}

#include "setup/call_cost.h"

#define CALLS     64
#define MOST_CALL 262144

/* The account of CALLS calls of `call` bytes. */
static bool account_of(const struct sdsim_setup *setup, uint64_t call,
                       struct sdsim_account *account)
{
    struct sdsim_setup calls = *setup;
    struct sdsim_workload_params *workload = &calls.run.workload;
    workload->call = call;
    workload->total = CALLS * call;
    workload->timed = SDSIM_TIMED_CALLS;
    workload->sync_every = 0;
    workload->rotate_every = 0;
    workload->final_sync = false;
    workload->span = 0;
    struct sdsim_outcome_report report;
    sdsim_simulate(&calls, NULL, &report);
    *account = report.workload.account;
    return report.failure == SDSIM_FAILURE_NONE;
}

/* Twice the first less the second, for one call; 0 if that is negative. */
static sdsim_ps excess(sdsim_ps once, sdsim_ps twice)
{
    return 2 * once > twice ? (2 * once - twice) / CALLS : 0;
}

static sdsim_ps without_pauses(const struct sdsim_account *account)
{
    return sdsim_account_total(account) - sdsim_account_kind(account, SDSIM_PAUSE);
}

static enum sdsim_kind largest(const struct sdsim_account *once, const struct sdsim_account *twice)
{
    enum sdsim_kind most = SDSIM_HOST;
    sdsim_ps most_time = 0;
    for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
        const enum sdsim_kind kind = (enum sdsim_kind)k;
        const sdsim_ps time =
            excess(sdsim_account_kind(once, kind), sdsim_account_kind(twice, kind));
        if (kind != SDSIM_PAUSE && time > most_time) {
            most = kind;
            most_time = time;
        }
    }
    return most;
}

static sdsim_ps wire_time(const struct sdsim_setup *setup, uint64_t bytes)
{
    const double clocks = setup->run.bus == SDSIM_BUS_SD4 ? 2.0 : 8.0;
    const double hz = (double)setup->clocks.num / (double)setup->clocks.den;
    return (sdsim_ps)(clocks * (double)bytes * (double)SDSIM_S / hz);
}

static uint64_t power_of_two_from(uint64_t bytes)
{
    uint64_t power = 1;
    while (power < bytes) {
        power *= 2;
    }
    return power;
}

bool sdsim_call_cost(const struct sdsim_setup *setup, struct sdsim_call_cost *cost)
{
    const struct sdsim_workload_params *workload = &setup->run.workload;
    struct sdsim_account once;
    *cost = (struct sdsim_call_cost){.small = false};
    if ((workload->action != SDSIM_DO_WRITE && workload->action != SDSIM_DO_READ) ||
        sdsim_workload_in_regions(workload) || workload->timed == SDSIM_TIMED_PASSES ||
        workload->call > MOST_CALL || !account_of(setup, workload->call, &once)) {
        return false;
    }
    for (uint64_t call = workload->call; call <= MOST_CALL; call *= 2) {
        struct sdsim_account twice;
        if (!account_of(setup, 2 * call, &twice)) {
            return cost->small;
        }
        const sdsim_ps fixed = excess(without_pauses(&once), without_pauses(&twice));
        const sdsim_ps payload = wire_time(setup, call);
        const bool small = SDSIM_SMALL_CALL * fixed > payload;
        if (call == workload->call) {
            *cost = (struct sdsim_call_cost){
                .small = small, .fixed = fixed, .payload = payload, .most = largest(&once, &twice)};
        }
        if (!small) {
            cost->enough = power_of_two_from(call);
            return true;
        }
        once = twice;
    }
    return true;
}

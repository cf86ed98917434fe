#include "setup/cohort_state.h"

#include <stdlib.h>
#include <string.h>

#include "driver/driver_state.h"
#include "fat/driver_disk.h"
#include "fat/volume_state.h"
#include "file/stream_state.h"
#include "flash/flash_state.h"

/* Its parts point at each other. */
static void connect(struct sdsim_cohort_state *state)
{
    state->port.meter = &state->meter;
    state->port.card = &state->card;
    state->port.spi = &state->driver.spi;
    state->port.sd = &state->driver.sd;
    state->driver.port = &state->port;
    state->linux_disk.driver = &state->driver;
    state->p2_disk.driver = &state->driver;
    state->branch.disk = &state->lower;
    state->disk = sdsim_branch_disk(&state->branch);
    state->volume.disk = &state->disk;
    state->volume.now = &state->now;
    state->task.driver = &state->driver;
    state->task.volume = &state->volume;
    state->task.meter = &state->meter;
    state->task.result = &state->result;
    state->task.stream.meter = &state->meter;
    if (state->task.stream.file.volume != NULL) {
        state->task.stream.file.volume = &state->volume;
    }
}

/* The disk below the branch, of the same kind as the run's. */
static void connect_lower(struct sdsim_cohort_state *state, int api)
{
    switch (api) {
    case SDSIM_API_LINUX:
        state->lower.context = &state->linux_disk;
        break;
    case SDSIM_API_P2_FILE:
        state->lower.context = &state->p2_disk;
        break;
    default:
        state->lower.context = &state->driver;
        break;
    }
}

/* The parameters may be those of a copy of the setup that is gone when the state is still there. */
static void point_at(struct sdsim_cohort_state *state, const struct sdsim_setup *setup)
{
    state->driver.params = &setup->driver.params;
    state->driver.costs = &setup->costs;
    state->card.params = &setup->card;
    state->card.flash.params = &setup->card.flash;
    state->card.flash.translation.params = &setup->card.flash;
}

void sdsim_cohort_state_take(struct sdsim_cohort_state *state, const struct sdsim_setup *setup,
                             const struct sdsim_stage *stage, sdsim_ps now)
{
    const struct sdsim_workload_params *params = &setup->run.workload;
    memset(state, 0, sizeof *state);
    state->now = now;
    state->driver = *stage->driver;
    state->port = *stage->driver->port;
    state->card = *stage->driver->port->card;
    state->meter = *stage->meter;
    if (params->target == SDSIM_ON_FILE) {
        state->volume = *stage->volume;
        state->lower = *stage->volume->disk;
        if (setup->run.file.api == SDSIM_API_LINUX) {
            state->linux_disk = *(const struct sdsim_linux_disk *)state->lower.context;
        } else if (setup->run.file.api == SDSIM_API_P2_FILE) {
            state->p2_disk = *(const struct sdsim_p2_disk *)state->lower.context;
        }
    }
    state->task = (struct sdsim_workload_task){.params = params, .file = &setup->run.file};
    sdsim_positions_init(&state->task.positions, params);
    point_at(state, setup);
    sdsim_flash_no_luck(&state->card.flash);
    connect_lower(state, setup->run.file.api);
    connect(state);
}

bool sdsim_cohort_state_copy(struct sdsim_cohort_state *copy,
                             const struct sdsim_cohort_state *state)
{
    memcpy(copy, state, sizeof *copy);
    if (!sdsim_stream_own_buffer(&copy->task.stream)) {
        return false;
    }
    sdsim_branch_copy(&copy->branch, &state->branch);
    connect_lower(copy, copy->task.file->api);
    connect(copy);
    return true;
}

void sdsim_cohort_state_drop(struct sdsim_cohort_state *state)
{
    free(state->task.stream.buffer);
    state->task.stream.buffer = NULL;
    sdsim_branch_drop(&state->branch);
}

static void digest_disks(const struct sdsim_cohort_state *state, struct sdsim_digest *digest)
{
    sdsim_digest_add(digest, state->branch.contents.a);
    sdsim_digest_add(digest, state->branch.contents.b);
    if (state->lower.context == &state->linux_disk) {
        const struct sdsim_linux_disk *joined = &state->linux_disk;
        sdsim_digest_add(digest, (uint64_t)joined->lba << 32 | joined->count);
        sdsim_digest_add(digest, (uint64_t)joined->writes);
        sdsim_digest_add(digest, joined->count > 0 ? joined->content.offset : 0);
    } else if (state->lower.context == &state->p2_disk) {
        sdsim_digest_bytes(digest, state->p2_disk.buffered, sizeof state->p2_disk.buffered);
    }
}

bool sdsim_cohort_state_pauses(const struct sdsim_cohort_state *state)
{
    const struct sdsim_card *card = &state->card;
    return card->flash.carried > 0 || (card->busy.at > state->now && card->busy.pause > 0);
}

struct sdsim_digest sdsim_cohort_state_digest(const struct sdsim_cohort_state *state)
{
    struct sdsim_digest digest;
    const struct sdsim_workload_task *task = &state->task;
    sdsim_digest_start(&digest);
    sdsim_driver_digest(&state->driver, state->now, &digest);
    sdsim_digest_add(&digest, task->file_number << 1 | (uint64_t)task->open);
    if (sdsim_cohort_state_pauses(state)) { /* so that it keeps its name */
        sdsim_digest_add(&digest, (uint64_t)state->pausing);
    }
    if (task->params->target == SDSIM_ON_FILE) {
        digest_disks(state, &digest);
        sdsim_volume_digest(&state->volume, &digest);
        if (task->open) {
            sdsim_stream_digest(&task->stream, &digest);
        }
    }
    return digest;
}

sdsim_ps sdsim_cohort_state_settles(const struct sdsim_cohort_state *state)
{
    if (sdsim_driver_tick(&state->driver) > 0) {
        return SDSIM_TIME_END;
    }
    return sdsim_time_since(sdsim_driver_settles(&state->driver), state->now);
}

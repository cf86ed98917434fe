/*
 * Playing: a reader that keeps the buffers of one or several streams filled (workload/player.h).
 */
#include <stdlib.h>

#include "workload/calls.h"
#include "workload/player.h"

/* Beyond that many reads it isn't worked out how many buffers would be enough. */
static const uint64_t most_durations = 16777216;

/* Waits until there is room for the next chunk. */
static void wait_for_room(struct sdsim_workload_task *task, const struct sdsim_player *player,
                          sdsim_ps *now)
{
    task->meter->purpose = SDSIM_FOR_DATA;
    sdsim_spend(task->meter, now, SDSIM_IDLE, SDSIM_LANE_CPU,
                sdsim_time_since(sdsim_player_room(player), *now));
}

const char *sdsim_workload_play(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t calls)
{
    const struct sdsim_workload_params *params = task->params;
    const uint64_t streams = params->parallel > 0 ? params->parallel : 1;
    struct sdsim_player player;
    sdsim_ps *durations =
        calls <= most_durations ? malloc((size_t)calls * sizeof *durations) : NULL;
    const char *error = NULL;
    if (!sdsim_player_init(&player, &params->play, params->call, streams, *now)) {
        free(durations);
        return "out of memory";
    }
    for (uint64_t i = 0; i < calls && error == NULL; i++) {
        wait_for_room(task, &player, now);
        const sdsim_ps began = *now;
        error = sdsim_workload_one_call(task, now, i);
        if (error == NULL) {
            sdsim_workload_count(task, began, *now, i);
            sdsim_player_take(&player, *now, calls - 1);
        }
        if (durations != NULL) {
            durations[i] = *now - began;
        }
        if (*now > SDSIM_RUN_LIMIT) {
            error = "the run takes more than 200 days of virtual time";
        }
    }
    if (durations != NULL && error == NULL) {
        player.result.enough = sdsim_player_enough(&player, durations, calls);
    }
    task->result->play = player.result;
    free(durations);
    sdsim_player_free(&player);
    return error;
}

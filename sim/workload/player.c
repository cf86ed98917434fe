#include "workload/player.h"

#include <assert.h>
#include <stdlib.h>

bool sdsim_player_init(struct sdsim_player *player, const struct sdsim_player_params *params,
                       uint64_t chunk, uint64_t streams, sdsim_ps now)
{
    assert(params->rate > 0 && params->buffers >= 1 && params->buffers <= SDSIM_PLAYER_MOST);
    *player = (struct sdsim_player){.params = *params,
                                    .chunk = chunk,
                                    .streams = streams,
                                    .begun = now,
                                    .result = {.least_slack = SDSIM_TIME_END}};
    player->starts = calloc((size_t)(params->buffers * streams), sizeof *player->starts);
    return player->starts != NULL;
}

void sdsim_player_free(struct sdsim_player *player)
{
    free(player->starts);
    player->starts = NULL;
}

/* When byte `bytes` of a stream is due, from its start on, in whole picoseconds. */
static sdsim_ps due(const struct sdsim_player *player, uint64_t bytes)
{
    const uint64_t rate = player->params.rate;
    const uint64_t micro = bytes % rate * 1000000;
    return bytes / rate * SDSIM_S + micro / rate * SDSIM_US + micro % rate * 1000000 / rate;
}

/* How long chunk `index` of a stream plays; the rounding of all chunks together stays below 1 ps. */
static sdsim_ps length(const struct sdsim_player *player, uint64_t index)
{
    return due(player, (index + 1) * player->chunk) - due(player, index * player->chunk);
}

static sdsim_ps *start_of(const struct sdsim_player *player, uint64_t stream, uint64_t index)
{
    const uint64_t buffers = player->params.buffers;
    return &player->starts[stream * buffers + index % buffers];
}

sdsim_ps sdsim_player_room(const struct sdsim_player *player)
{
    const uint64_t stream = player->read % player->streams;
    const uint64_t index = player->read / player->streams;
    const uint64_t buffers = player->params.buffers;
    return index < buffers
               ? player->begun
               : *start_of(player, stream, index - buffers) + length(player, index - buffers);
}

/* All buffers are full, or all there is has been read: the chunks that are there get their times. */
static void begin(struct sdsim_player *player, sdsim_ps at)
{
    player->result.filled = at - player->begun;
    for (uint64_t k = 0; k < player->read; k++) {
        const uint64_t index = k / player->streams;
        *start_of(player, k % player->streams, index) = at + due(player, index * player->chunk);
    }
}

static void judge(struct sdsim_player *player, uint64_t stream, uint64_t index, sdsim_ps at)
{
    struct sdsim_player_result *result = &player->result;
    const sdsim_ps deadline = *start_of(player, stream, index - 1) + length(player, index - 1);
    if (at <= deadline) {
        const sdsim_ps slack = deadline - at;
        result->least_slack = slack < result->least_slack ? slack : result->least_slack;
        *start_of(player, stream, index) = deadline;
        return;
    }
    const sdsim_ps late = at - deadline;
    if (result->underruns++ == 0) {
        result->first_underrun = player->read;
    }
    result->worst = late > result->worst ? late : result->worst;
    result->silent = sdsim_time_sum(result->silent, late);
    *start_of(player, stream, index) = at;
}

void sdsim_player_take(struct sdsim_player *player, sdsim_ps at, uint64_t last)
{
    const uint64_t first = player->params.buffers * player->streams;
    const uint64_t filled = first < last + 1 ? first : last + 1;
    if (player->read >= filled) {
        judge(player, player->read % player->streams, player->read / player->streams, at);
    }
    player->read++;
    player->result.chunks++;
    if (player->read == filled) {
        begin(player, at);
    }
}

/* ---- how many would be enough ---- */

static bool is_enough(const struct sdsim_player *player, uint64_t buffers,
                      const sdsim_ps *durations, uint64_t count, bool *memory)
{
    struct sdsim_player other;
    const struct sdsim_player_params params = {.rate = player->params.rate, .buffers = buffers};
    if (!sdsim_player_init(&other, &params, player->chunk, player->streams, player->begun)) {
        *memory = false;
        return false;
    }
    sdsim_ps now = player->begun;
    for (uint64_t k = 0; k < count && other.result.underruns == 0; k++) {
        const sdsim_ps room = sdsim_player_room(&other);
        now = (room > now ? room : now) + durations[k];
        sdsim_player_take(&other, now, count - 1);
    }
    sdsim_player_free(&other);
    return other.result.underruns == 0;
}

uint64_t sdsim_player_enough(const struct sdsim_player *player, const sdsim_ps *durations,
                             uint64_t count)
{
    bool memory = true;
    uint64_t enough = 1;
    while (enough <= SDSIM_PLAYER_MOST && !is_enough(player, enough, durations, count, &memory)) {
        enough *= 2;
    }
    if (enough > SDSIM_PLAYER_MOST || !memory) {
        return 0;
    }
    /* `few` is too few. */
    for (uint64_t few = enough / 2; enough - few > 1 && memory;) {
        const uint64_t middle = few + (enough - few) / 2;
        if (is_enough(player, middle, durations, count, &memory)) {
            enough = middle;
        } else {
            few = middle;
        }
    }
    return memory ? enough : 0;
}

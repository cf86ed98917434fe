/*
 * Playback: data that must be there in time. A player takes chunk after chunk at a fixed rate - audio
 * buffers, frames of an animation - from so many buffers that a reader fills. A fixed-rate consumer
 * is arithmetic, not a task.
 *
 *     The buffers of all streams are filled first; then all begin to play. Chunk i plays for its
 *     length over the rate; when it is over its buffer is free, and chunk i + buffers may be read into
 *     it. Chunk i + 1 must be there then. If it isn't, that is an underrun: the stream stands still
 *     until it is, and everything behind it in this stream comes that much later.
 *
 * One reader serves the streams in turns. How many buffers would have been enough is found by going
 * through the same reads with the times they took, with other numbers of buffers: how long a read
 * takes is taken not to depend on when it begins.
 *
 * Limits: all streams have the same rate; pictures that are dropped instead of shown late are not
 * modelled.
 */
#ifndef SDSIM_WORKLOAD_PLAYER_H
#define SDSIM_WORKLOAD_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/time.h"

/* More buffers than that are not looked for, nor taken. */
#define SDSIM_PLAYER_MOST 65536u

struct sdsim_player_params {
    uint64_t rate;    /* bytes per second of one stream */
    uint64_t buffers; /* of one chunk each, for one stream, 1..SDSIM_PLAYER_MOST */
};

struct sdsim_player_result {
    uint64_t chunks;
    uint64_t underruns;
    uint64_t first_underrun; /* chunk of all, from 0 */
    sdsim_ps worst;          /* lateness of a chunk */
    sdsim_ps silent;         /* sum of all lateness */
    sdsim_ps least_slack; /* of chunks in time, after the start; SDSIM_TIME_END: there was none */
    sdsim_ps filled;      /* when playing began, from the first read on */
    uint64_t enough;      /* buffers a stream without underruns; 0: not found or not looked for */
};

struct sdsim_player {
    struct sdsim_player_params params;
    uint64_t chunk; /* bytes */
    uint64_t streams;
    uint64_t read;    /* chunks of all streams that are there */
    sdsim_ps begun;   /* the first read */
    sdsim_ps *starts; /* when a chunk began to play, a ring of `buffers` for each stream; owned */
    struct sdsim_player_result result;
};

/* False without memory. */
bool sdsim_player_init(struct sdsim_player *player, const struct sdsim_player_params *params,
                       uint64_t chunk, uint64_t streams, sdsim_ps now);
void sdsim_player_free(struct sdsim_player *player);

/* The moment from which the next chunk may be read; chunk k is of stream k % streams. */
sdsim_ps sdsim_player_room(const struct sdsim_player *player);

/* It has been read, `at`. `last` is the number of the last chunk of all. */
void sdsim_player_take(struct sdsim_player *player, sdsim_ps at, uint64_t last);

/* The fewest buffers with which reads that took `durations` make no underrun; 0: more than
 * SDSIM_PLAYER_MOST, or no memory. */
uint64_t sdsim_player_enough(const struct sdsim_player *player, const sdsim_ps *durations,
                             uint64_t count);

#endif

#include "view/pair.h"

struct sdsim_pair sdsim_pair_of(struct sdsim_timeline *first, struct sdsim_timeline *second)
{
    return (struct sdsim_pair){.timelines = {first, second}};
}

void sdsim_pair_align(struct sdsim_pair *pair, sdsim_ps of_first, sdsim_ps of_second)
{
    pair->shift[0] = sdsim_time_since(of_second, of_first);
    pair->shift[1] = sdsim_time_since(of_first, of_second);
}

sdsim_ps sdsim_pair_end(const struct sdsim_pair *pair)
{
    sdsim_ps end = 0;
    for (int track = 0; track < 2; track++) {
        if (pair->timelines[track] != NULL) {
            const sdsim_ps own = sdsim_pair_common(pair, track, pair->timelines[track]->end);
            end = own > end ? own : end;
        }
    }
    return end;
}

sdsim_ps sdsim_pair_own(const struct sdsim_pair *pair, int track, sdsim_ps common)
{
    return sdsim_time_since(common, pair->shift[track]);
}

sdsim_ps sdsim_pair_common(const struct sdsim_pair *pair, int track, sdsim_ps own)
{
    return sdsim_time_sum(own, pair->shift[track]);
}

static size_t note(struct sdsim_difference *differences, size_t count, const char *name,
                   const char *unit, uint64_t first, uint64_t second)
{
    if (first != 0 || second != 0) {
        differences[count++] =
            (struct sdsim_difference){.name = name, .unit = unit, .of = {first, second}};
    }
    return count;
}

size_t sdsim_pair_differ(const struct sdsim_pair *pair, sdsim_ps from, sdsim_ps to,
                         struct sdsim_difference differences[SDSIM_DIFFERENCES_MOST])
{
    struct sdsim_measured measured[2] = {{.time = 0}};
    for (int track = 0; track < 2; track++) {
        if (pair->timelines[track] != NULL) {
            sdsim_measure(pair->timelines[track], sdsim_pair_own(pair, track, from),
                          sdsim_pair_own(pair, track, to), &measured[track]);
        }
    }
    size_t count = 0;
    count = note(differences, count, "bytes moved", "bytes", measured[0].bytes, measured[1].bytes);
    count = note(differences, count, "bytes on card", "bytes", measured[0].card_bytes,
                 measured[1].card_bytes);
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        count = note(differences, count, sdsim_kind_name((enum sdsim_kind)kind), "time",
                     measured[0].kinds[kind], measured[1].kinds[kind]);
    }
    for (int group = 0; group < SDSIM_GROUP_COUNT; group++) {
        static const char *const names[SDSIM_GROUP_COUNT] = {
            [SDSIM_GROUP_OTHER] = "set-up cmds",  [SDSIM_GROUP_READ] = "read cmds",
            [SDSIM_GROUP_WRITE] = "write cmds",   [SDSIM_GROUP_STOP] = "stop cmds",
            [SDSIM_GROUP_STATUS] = "status cmds", [SDSIM_GROUP_SWITCH] = "switch cmds",
            [SDSIM_GROUP_ERASE] = "erase cmds",
        };
        count = note(differences, count, names[group], "", measured[0].commands[group],
                     measured[1].commands[group]);
    }
    return count;
}

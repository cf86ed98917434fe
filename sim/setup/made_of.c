#include "setup/made_of.h"

#include <stdio.h>
#include <string.h>

#include "core/account.h"
#include "core/units.h"

const char *sdsim_profile_kind_name(enum sdsim_profile_kind kind)
{
    static const char *const names[] = {
        [SDSIM_PROFILE_HOST] = "host",
        [SDSIM_PROFILE_DRIVER] = "driver",
        [SDSIM_PROFILE_CARD] = "card",
    };
    return names[kind];
}

enum {
    READS = 1 << SDSIM_GROUP_READ,
    WRITES = 1 << SDSIM_GROUP_WRITE | 1 << SDSIM_GROUP_STOP | 1 << SDSIM_GROUP_STATUS,
    ERASES = 1 << SDSIM_GROUP_ERASE,
    ANY = (1 << (SDSIM_GROUP_COUNT + 1)) - 1,

    CARD = 1 << SDSIM_LANE_CARD | 1 << SDSIM_LANE_FLASH,
    BUS = 1 << SDSIM_LANE_BUS,
    CPU = 1 << SDSIM_LANE_CPU,
    CALLS = 1 << SDSIM_LANE_TASK | 1 << SDSIM_LANE_FILE,
};

#define KIND(kind) (1u << SDSIM_##kind)

/* A key takes part in spans of these lanes, kinds and groups of commands. */
static const struct {
    const char *key;
    uint8_t profile; /* enum sdsim_profile_kind */
    uint16_t lanes;
    uint16_t kinds; /* 0: any */
    uint16_t groups;
} rules[] = {
    {"rd1", SDSIM_PROFILE_CARD, CARD, KIND(ACCESS), READS | 1 << SDSIM_GROUP_COUNT},
    {"rd_slow", SDSIM_PROFILE_CARD, CARD, KIND(ACCESS), READS},
    {"slow_share", SDSIM_PROFILE_CARD, CARD, KIND(ACCESS), READS},
    {"rd_hit", SDSIM_PROFILE_CARD, CARD, KIND(ACCESS), READS},
    {"rdn", SDSIM_PROFILE_CARD, CARD, KIND(ACCESS), READS},
    {"rdpg", SDSIM_PROFILE_CARD, CARD, KIND(ACCESS), READS},
    {"rdau", SDSIM_PROFILE_CARD, CARD, KIND(ACCESS), READS},
    {"rd_folded", SDSIM_PROFILE_CARD, CARD, KIND(ACCESS), READS},
    {"w1", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), WRITES},
    {"w_fat", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), WRITES},
    {"wn", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), WRITES},
    {"wpg", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), WRITES},
    {"fold_rate", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), WRITES},
    {"fat_stream", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), WRITES},
    {"wstop", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), WRITES},
    {"wstop_large", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), WRITES},
    {"page", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), WRITES},
    {"housekeeping", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), WRITES},
    {"erase", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), ERASES},
    {"erase_per_au", SDSIM_PROFILE_CARD, CARD, KIND(BUSY), ERASES},
    {"pause_length", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"pause_every", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"rare_length", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"rare_every", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"start_pause", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"used_pause", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"au_open", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"au_erase", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"move_rate", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"open_aus", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"rand", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"w_small", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"small_log", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"busy_limit", SDSIM_PROFILE_CARD, CARD, KIND(PAUSE), ANY},
    {"init_time", SDSIM_PROFILE_CARD, CPU, KIND(IDLE), ANY},
    {"n_cr", SDSIM_PROFILE_CARD, BUS, KIND(PROTOCOL), ANY},
    {"n_cr_clocks", SDSIM_PROFILE_CARD, BUS, KIND(PROTOCOL), ANY},
    {"n_br_clocks", SDSIM_PROFILE_CARD, BUS, KIND(PROTOCOL), WRITES},
    {"n_ac", SDSIM_PROFILE_CARD, BUS, KIND(PROTOCOL), READS},
    {"clock", SDSIM_PROFILE_CARD, BUS, KIND(PAYLOAD) | KIND(PROTOCOL), ANY},
    {"high_speed_clock", SDSIM_PROFILE_CARD, BUS, KIND(PAYLOAD), ANY},
    {"source", SDSIM_PROFILE_HOST, BUS, KIND(PAYLOAD) | KIND(PROTOCOL), ANY},
    {"maximum", SDSIM_PROFILE_HOST, BUS, KIND(PAYLOAD) | KIND(PROTOCOL), ANY},
    {"clock_cap", SDSIM_PROFILE_DRIVER, BUS, KIND(PAYLOAD) | KIND(PROTOCOL), ANY},
    {"chunk", SDSIM_PROFILE_HOST, BUS, KIND(GAP) | KIND(PAYLOAD), ANY},
    {"chunk_gap", SDSIM_PROFILE_HOST, BUS, KIND(GAP), ANY},
    {"transfer", SDSIM_PROFILE_HOST, BUS | CPU, KIND(GAP) | KIND(HOST), ANY},
    {"bulk", SDSIM_PROFILE_HOST, BUS | CPU, KIND(GAP) | KIND(HOST), ANY},
    {"call", SDSIM_PROFILE_HOST, CPU, KIND(HOST), ANY},
    {"command", SDSIM_PROFILE_HOST, CPU, KIND(HOST), ANY},
    {"wake", SDSIM_PROFILE_HOST, CPU, KIND(HOST), ANY},
    {"line", SDSIM_PROFILE_HOST, CPU, KIND(HOST), ANY},
    {"refill", SDSIM_PROFILE_HOST, CPU, KIND(HOST), ANY},
    {"crc16", SDSIM_PROFILE_HOST, CPU, KIND(HOST) | KIND(COPY), ANY},
    {"copy", SDSIM_PROFILE_HOST, CPU, KIND(COPY), ANY},
    {"copy_rate", SDSIM_PROFILE_HOST, CPU, KIND(COPY), ANY},
    {"poll_sleep", SDSIM_PROFILE_DRIVER, CPU | BUS, KIND(POLL), ANY},
    {"tick", SDSIM_PROFILE_DRIVER, CPU | BUS, KIND(POLL) | KIND(IDLE), ANY},
    {"spins", SDSIM_PROFILE_DRIVER, CPU | BUS, KIND(POLL), ANY},
    {"call", SDSIM_PROFILE_HOST, CALLS, 0, ANY},
    {"refill", SDSIM_PROFILE_HOST, CALLS, 0, ANY},
    {"line", SDSIM_PROFILE_HOST, CALLS, 0, ANY},
};

struct search {
    const struct sdsim_span *span;
    unsigned group;
    struct sdsim_cause *causes;
    size_t most;
    size_t count;
};

/* The literal of the key a value has if it takes part, else NULL. */
static const char *key_of(const struct search *search, enum sdsim_profile_kind kind,
                          const char *path)
{
    const char *dot = strrchr(path, '.');
    const char *last = dot != NULL ? dot + 1 : path;
    const struct sdsim_span *span = search->span;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].profile == (uint8_t)kind && (rules[i].lanes >> span->lane & 1) != 0 &&
            (rules[i].kinds == 0 || (rules[i].kinds >> span->kind & 1) != 0) &&
            (rules[i].groups >> search->group & 1) != 0 && strcmp(rules[i].key, last) == 0) {
            return rules[i].key;
        }
    }
    return NULL;
}

static void visit(void *context, enum sdsim_profile_kind kind, const struct sdsim_value_info *info)
{
    struct search *search = context;
    uint64_t time = 0;
    const char *key = key_of(search, kind, info->path);
    if (key == NULL || info->value == NULL) {
        return;
    }
    struct sdsim_cause cause = {
        .profile = kind,
        .key = key,
        .origin = info->origin != SDSIM_FROM_UNSAID ? sdsim_origin_name(info->origin) : "",
        .exact = info->key->type == SDSIM_VALUE_TIME &&
                 sdsim_unit_parse(SDSIM_UNIT_TIME, info->value, &time) == SDSIM_UNIT_OK &&
                 time == search->span->duration,
    };
    snprintf(cause.value, sizeof cause.value, "%s", info->value);
    snprintf(cause.range, sizeof cause.range, "%s", info->range != NULL ? info->range : "");
    snprintf(cause.source, sizeof cause.source, "%s", info->source != NULL ? info->source : "");
    /* Exact ones before the others, in the order in which they come. */
    size_t place = search->count;
    for (size_t i = 0; cause.exact && i < search->count; i++) {
        if (!search->causes[i].exact) {
            place = i;
            break;
        }
    }
    if (place >= search->most) {
        return;
    }
    search->count += search->count < search->most;
    memmove(&search->causes[place + 1], &search->causes[place],
            (search->count - place - 1) * sizeof *search->causes);
    search->causes[place] = cause;
}

size_t sdsim_made_of(const struct sdsim_run *run, const struct sdsim_span *span,
                     enum sdsim_command_group group, struct sdsim_cause *causes, size_t most)
{
    struct search search = {.span = span, .group = group, .causes = causes, .most = most};
    sdsim_run_values(run, visit, &search);
    return search.count;
}

#include "view/explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/units.h"
#include "view/rows.h"

/* ---- reading a quest ---- */

/* Words that are read one by one. */
struct reading {
    const struct sdsim_timeline *timeline;
    struct sdsim_quest *quest;
    enum sdsim_lane lane; /* SDSIM_LANE_COUNT: not said */
    char text[200];       /* words that are none of the others */
};

/* The lanes in which a class is looked for if none is named: those people mean. */
static const enum sdsim_lane usual[] = {SDSIM_LANE_CARD, SDSIM_LANE_BUS,     SDSIM_LANE_CPU,
                                        SDSIM_LANE_DISK, SDSIM_LANE_COMMAND, SDSIM_LANE_TASK,
                                        SDSIM_LANE_FILE, SDSIM_LANE_FLASH,   SDSIM_LANE_QUEUE};

static bool take_class_of(struct reading *reading, enum sdsim_lane lane, const char *word)
{
    const uint8_t class = sdsim_class_by_name(lane, word);
    if (class == SDSIM_NO_CLASS) {
        return false;
    }
    reading->lane = lane;
    reading->quest->wanted.classes |= (uint16_t)(1u << class);
    return true;
}

/* Parts have gaps in them, which nobody means who asks for a response. */
static uint16_t classes_of_part(enum sdsim_part part)
{
    switch (part) {
    case SDSIM_PART_NONE:
    case SDSIM_PART_LOOKS:
        return 0;
    case SDSIM_PART_DATA:
        return 1u << SDSIM_PAYLOAD;
    default:
        return 1u << SDSIM_PROTOCOL;
    }
}

/* A call of the disk lane, a part of the bus: what a lane knows besides its classes. */
static bool take_part_of(struct reading *reading, enum sdsim_lane lane, const char *word)
{
    const bool disk = lane == SDSIM_LANE_DISK;
    const unsigned count = disk ? SDSIM_CALL_COUNT : lane == SDSIM_LANE_BUS ? SDSIM_PART_COUNT : 0;
    for (unsigned i = 0; i < count; i++) {
        const char *name =
            disk ? sdsim_call_name((enum sdsim_call)i) : sdsim_part_name((enum sdsim_part)i);
        if (strcasecmp(name, word) == 0) {
            reading->lane = lane;
            reading->quest->wanted.parts |= (uint16_t)(1u << i);
            reading->quest->wanted.classes |= disk ? 0 : classes_of_part((enum sdsim_part)i);
            return true;
        }
    }
    return false;
}

static bool take_word(struct reading *reading, const char *word)
{
    if (reading->lane != SDSIM_LANE_COUNT) {
        return take_class_of(reading, reading->lane, word) ||
               take_part_of(reading, reading->lane, word);
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (take_class_of(reading, usual[i], word)) {
            return true;
        }
    }
    return take_part_of(reading, SDSIM_LANE_BUS, word);
}

static void take_text(struct reading *reading, const char *word)
{
    const size_t used = strlen(reading->text);
    snprintf(reading->text + used, sizeof reading->text - used, "%s%s", used > 0 ? " " : "", word);
}

static bool read_words(struct reading *reading, char *words, char *why, size_t size)
{
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        const enum sdsim_lane lane = sdsim_lane_by_name(word);
        if (strcasecmp(word, "over") == 0) {
            const char *time = strtok_r(NULL, " ", &rest);
            char fault[200];
            if (time == NULL) {
                snprintf(why, size, "'over' needs %s", sdsim_unit_expected(SDSIM_UNIT_TIME));
                return false;
            }
            if (!sdsim_unit_take(SDSIM_UNIT_TIME, time, 0, UINT64_MAX,
                                 &reading->quest->wanted.at_least, fault, sizeof fault)) {
                snprintf(why, size, "'over' %s", fault);
                return false;
            }
        } else if (lane != SDSIM_LANE_COUNT && reading->lane == SDSIM_LANE_COUNT) {
            reading->lane = lane;
        } else if (reading->text[0] != '\0' || !take_word(reading, word)) {
            take_text(reading, word);
        }
    }
    return true;
}

bool sdsim_quest_read(const struct sdsim_timeline *timeline, const char *text,
                      struct sdsim_quest *quest, char *why, size_t size)
{
    struct reading reading = {.timeline = timeline, .quest = quest, .lane = SDSIM_LANE_COUNT};
    char words[200];
    *quest = (struct sdsim_quest){.lanes = 0};
    snprintf(words, sizeof words, "%s", text);
    if (!read_words(&reading, words, why, size)) {
        return false;
    }
    if (reading.lane == SDSIM_LANE_COUNT && reading.text[0] == '\0' &&
        quest->wanted.at_least == 0) {
        snprintf(why, size, "say what to look for, as in 'pause over 10ms' or 'fat write'");
        return false;
    }
    quest->lanes = reading.lane != SDSIM_LANE_COUNT ? (uint16_t)(1u << reading.lane)
                                                    : (1u << SDSIM_LANE_COUNT) - 1;
    if (reading.text[0] != '\0') {
        bool any;
        quest->details = sdsim_details_search(&timeline->details, reading.text, &any);
        quest->wanted.details = quest->details;
        quest->wanted.detail_count = timeline->details.count + 1;
        if (quest->details == NULL || !any) {
            snprintf(why, size,
                     quest->details != NULL ? "nothing here is about '%s'" : "out of memory",
                     reading.text);
            sdsim_quest_free(quest);
            return false;
        }
    }
    return true;
}

void sdsim_quest_free(struct sdsim_quest *quest)
{
    free(quest->details);
    *quest = (struct sdsim_quest){.lanes = 0};
}

/* ---- jumping ---- */

static sdsim_ps start_of(struct sdsim_timeline *timeline, const struct sdsim_place_in *place)
{
    struct sdsim_span span;
    return sdsim_store_span(&timeline->lanes[place->lane], place->number, &span) ? span.start : 0;
}

bool sdsim_quest_next(struct sdsim_timeline *timeline, const struct sdsim_quest *quest,
                      sdsim_ps instant, bool at_too, struct sdsim_place_in *place)
{
    bool found = false;
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        struct sdsim_store *store = &timeline->lanes[lane];
        struct sdsim_place_in here = {.lane = (enum sdsim_lane)lane};
        if ((quest->lanes >> lane & 1) == 0 || store->count == 0) {
            continue;
        }
        const uint64_t from =
            sdsim_lane_before(store, at_too ? instant : sdsim_time_sum(instant, 1));
        if (sdsim_lane_next(store, from, &quest->wanted, &here.number) &&
            (!found || start_of(timeline, &here) < start_of(timeline, place))) {
            *place = here;
            found = true;
        }
    }
    return found;
}

bool sdsim_quest_previous(struct sdsim_timeline *timeline, const struct sdsim_quest *quest,
                          sdsim_ps instant, struct sdsim_place_in *place)
{
    bool found = false;
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        struct sdsim_store *store = &timeline->lanes[lane];
        struct sdsim_place_in here = {.lane = (enum sdsim_lane)lane};
        if ((quest->lanes >> lane & 1) == 0 || store->count == 0) {
            continue;
        }
        if (sdsim_lane_previous(store, sdsim_lane_before(store, instant), &quest->wanted,
                                &here.number) &&
            (!found || start_of(timeline, &here) > start_of(timeline, place))) {
            *place = here;
            found = true;
        }
    }
    return found;
}

size_t sdsim_quest_longest(struct sdsim_timeline *timeline, const struct sdsim_quest *quest,
                           size_t most, struct sdsim_long_one *found)
{
    struct sdsim_found of_lane[SDSIM_LONGEST_MOST];
    size_t count = 0;
    most = most < SDSIM_LONGEST_MOST ? most : SDSIM_LONGEST_MOST;
    for (int lane = 0; lane < SDSIM_LANE_COUNT && most > 0; lane++) {
        if ((quest->lanes >> lane & 1) == 0) {
            continue;
        }
        const size_t here =
            sdsim_lane_longest(&timeline->lanes[lane], &quest->wanted, most, of_lane);
        for (size_t i = 0; i < here; i++) {
            size_t place = count < most ? count++ : most;
            while (place > 0 && found[place - 1].duration < of_lane[i].duration) {
                if (place < most) {
                    found[place] = found[place - 1];
                }
                place--;
            }
            if (place < most) {
                found[place] = (struct sdsim_long_one){
                    .place = {.lane = (enum sdsim_lane)lane, .number = of_lane[i].number},
                    .start = of_lane[i].start,
                    .duration = of_lane[i].duration};
            }
        }
    }
    return count;
}

/* ---- measuring ---- */

void sdsim_measure(struct sdsim_timeline *timeline, sdsim_ps from, sdsim_ps to,
                   struct sdsim_measured *measured)
{
    static const enum sdsim_lane booked[] = {SDSIM_LANE_CPU, SDSIM_LANE_BUS, SDSIM_LANE_CARD};
    *measured = (struct sdsim_measured){.time = sdsim_time_since(to, from)};
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        sdsim_lane_range(&timeline->lanes[lane], from, to, &measured->lanes[lane]);
    }
    measured->bytes = measured->lanes[sdsim_bytes_lane(timeline)].bytes;
    measured->card_bytes = measured->lanes[SDSIM_LANE_DISK].bytes;
    measured->rate = measured->time > 0
                         ? (double)measured->bytes / ((double)measured->time / (double)SDSIM_S)
                         : 0;
    for (int group = 0; group < SDSIM_GROUP_COUNT; group++) {
        measured->commands[group] = measured->lanes[SDSIM_LANE_COMMAND].count[group];
    }
    for (size_t i = 0; i < sizeof booked / sizeof *booked; i++) {
        for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
            if (booked[i] != SDSIM_LANE_BUS || kind != SDSIM_POLL) {
                measured->kinds[kind] += measured->lanes[booked[i]].sum[kind];
            }
        }
    }
}

bool sdsim_measure_commands(struct sdsim_timeline *timeline, sdsim_ps from, sdsim_ps to,
                            uint64_t most, uint64_t counts[128])
{
    struct sdsim_store *store = &timeline->lanes[SDSIM_LANE_COMMAND];
    const uint64_t first = sdsim_lane_before(store, from);
    const uint64_t last = sdsim_lane_before(store, to);
    memset(counts, 0, 128 * sizeof *counts);
    if (last - first > most) {
        return false;
    }
    for (uint64_t i = first; i < last; i++) {
        struct sdsim_span span;
        if (!sdsim_store_span(store, i, &span)) {
            if (sdsim_store_block(store, (size_t)(i / SDSIM_BLOCK_SPANS)) == NULL) {
                return false;
            }
            continue;
        }
        const struct sdsim_detail detail = sdsim_details_get(&timeline->details, span.detail);
        if (detail.kind == SDSIM_DETAIL_COMMAND && (detail.code & 128) == 0) {
            counts[detail.code & 127] += span.count;
        }
    }
    return true;
}

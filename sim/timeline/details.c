#include "timeline/details.h"

#include <stdlib.h>
#include <string.h>

#include "timeline/hot.h"

enum {
    MOST_NAMES = (1 << 20) - 1,
    MOST_LENGTH = 255,
    FIRST_ROOM = 256,
};

void sdsim_details_free(struct sdsim_details *details)
{
    for (size_t i = 0; i < details->name_count; i++) {
        free(details->names[i]);
    }
    free(details->names);
    free(details->rows);
    free(details->slots);
    free(details->name_slots);
    *details = (struct sdsim_details){.rows = NULL};
}

/* ---- hashing ---- */

static uint64_t mixed(uint64_t x)
{
    x ^= x >> 32;
    x *= 0x9E3779B97F4A7C15ULL;
    return x ^ x >> 29;
}

static uint64_t hash_row(const struct sdsim_detail_row *row)
{
    return mixed(mixed(row->place) + ((uint64_t)row->size << 32 | row->about));
}

static uint64_t hash_name(const char *name, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++) {
        hash = mixed(hash + (uint8_t)name[i]);
    }
    return hash;
}

static bool same_row(const struct sdsim_detail_row *a, const struct sdsim_detail_row *b)
{
    return a->place == b->place && a->size == b->size && a->about == b->about;
}

/* A table of twice as many slots, all empty; NULL without memory. */
static uint32_t *larger(size_t slot_count, size_t *doubled)
{
    *doubled = slot_count > 0 ? 2 * slot_count : 2 * FIRST_ROOM;
    return calloc(*doubled, sizeof(uint32_t));
}

static void put(uint32_t *slots, size_t slot_count, uint64_t hash, uint32_t number)
{
    size_t slot = hash & (slot_count - 1);
    while (slots[slot] != 0) {
        slot = (slot + 1) & (slot_count - 1);
    }
    slots[slot] = number;
}

static bool room_in_slots(struct sdsim_details *details)
{
    if (2 * (details->count + 1) <= details->slot_count) {
        return true;
    }
    size_t doubled;
    uint32_t *slots = larger(details->slot_count, &doubled);
    while (slots != NULL && 2 * (details->count + 1) > doubled) { /* many came out of a file */
        free(slots);
        slots = larger(doubled, &doubled);
    }
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < details->count; i++) {
        put(slots, doubled, hash_row(&details->rows[i]), (uint32_t)(i + 1));
    }
    free(details->slots);
    details->slots = slots;
    details->slot_count = doubled;
    return true;
}

static bool room_in_name_slots(struct sdsim_details *details)
{
    if (2 * (details->name_count + 1) <= details->name_slot_count) {
        return true;
    }
    size_t doubled;
    uint32_t *slots = larger(details->name_slot_count, &doubled);
    while (slots != NULL && 2 * (details->name_count + 1) > doubled) {
        free(slots);
        slots = larger(doubled, &doubled);
    }
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < details->name_count; i++) {
        const char *name = details->names[i];
        put(slots, doubled, hash_name(name, strlen(name)), (uint32_t)(i + 1));
    }
    free(details->name_slots);
    details->name_slots = slots;
    details->name_slot_count = doubled;
    return true;
}

/* ---- adding ---- */

bool sdsim_details_add_name(struct sdsim_details *details, const char *name, size_t length)
{
    if (details->name_count >= MOST_NAMES || length > MOST_LENGTH) {
        return false;
    }
    if (details->name_count == details->name_capacity) {
        const size_t capacity = details->name_capacity > 0 ? 2 * details->name_capacity : 16;
        char **names = realloc(details->names, capacity * sizeof *names);
        if (names == NULL) {
            details->failed = true;
            return false;
        }
        details->names = names;
        details->name_capacity = capacity;
    }
    char *copy = malloc(length + 1);
    if (copy == NULL) {
        details->failed = true;
        return false;
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    details->names[details->name_count++] = copy;
    return true;
}

bool sdsim_details_add_row(struct sdsim_details *details, const struct sdsim_detail_row *row)
{
    if (details->count >= SDSIM_HOT_DETAIL_MOST || row->about >> 12 > details->name_count) {
        return false;
    }
    if (details->count == details->capacity) {
        /* By a half: most of the memory of a long run is in arrays that are nearly full. */
        const size_t capacity =
            details->capacity > 0 ? details->capacity + details->capacity / 2 : FIRST_ROOM;
        struct sdsim_detail_row *rows = realloc(details->rows, capacity * sizeof *rows);
        if (rows == NULL) {
            details->failed = true;
            return false;
        }
        details->rows = rows;
        details->capacity = capacity;
    }
    details->rows[details->count++] = *row;
    return true;
}

static uint32_t number_of_name(struct sdsim_details *details, const char *name)
{
    const size_t all = strlen(name);
    const size_t length = all < MOST_LENGTH ? all : MOST_LENGTH;
    if (!room_in_name_slots(details)) {
        details->failed = true;
        return 0;
    }
    const uint64_t hash = hash_name(name, length);
    size_t slot = hash & (details->name_slot_count - 1);
    for (; details->name_slots[slot] != 0; slot = (slot + 1) & (details->name_slot_count - 1)) {
        const char *there = details->names[details->name_slots[slot] - 1];
        if (strncmp(there, name, length) == 0 && there[length] == '\0') {
            return details->name_slots[slot];
        }
    }
    if (!sdsim_details_add_name(details, name, length)) {
        return 0;
    }
    details->name_slots[slot] = (uint32_t)details->name_count;
    return (uint32_t)details->name_count;
}

uint32_t sdsim_details_number(struct sdsim_details *details, const struct sdsim_detail *detail)
{
    if (detail->kind == SDSIM_DETAIL_NONE) {
        return 0;
    }
    const uint32_t name = detail->name != NULL ? number_of_name(details, detail->name) : 0;
    const struct sdsim_detail_row row = {
        .place = detail->place,
        .size = detail->size,
        .about = name << 12 | (uint32_t)detail->code << 4 | (detail->kind & 15u),
    };
    if (!room_in_slots(details)) {
        details->failed = true;
        return 0;
    }
    size_t slot = hash_row(&row) & (details->slot_count - 1);
    for (; details->slots[slot] != 0; slot = (slot + 1) & (details->slot_count - 1)) {
        if (same_row(&details->rows[details->slots[slot] - 1], &row)) {
            return details->slots[slot];
        }
    }
    if (!sdsim_details_add_row(details, &row)) {
        return 0;
    }
    details->slots[slot] = (uint32_t)details->count;
    return (uint32_t)details->count;
}

/* ---- asking ---- */

struct sdsim_detail sdsim_details_get(const struct sdsim_details *details, uint32_t number)
{
    if (number == 0 || number > details->count) {
        return (struct sdsim_detail){.kind = SDSIM_DETAIL_NONE};
    }
    const struct sdsim_detail_row *row = &details->rows[number - 1];
    const uint32_t name = row->about >> 12;
    return (struct sdsim_detail){
        .kind = (uint8_t)(row->about & 15),
        .code = (uint8_t)(row->about >> 4),
        .size = row->size,
        .place = row->place,
        .name = name > 0 ? details->names[name - 1] : NULL,
    };
}

uint64_t sdsim_details_bytes(const struct sdsim_details *details, enum sdsim_lane lane,
                             unsigned part, uint32_t number)
{
    if (number == 0 || number > details->count) {
        return 0;
    }
    const struct sdsim_detail_row *row = &details->rows[number - 1];
    const bool moves =
        lane == SDSIM_LANE_COMMAND
            ? part == SDSIM_GROUP_READ || part == SDSIM_GROUP_WRITE
            : lane <= SDSIM_LANE_DISK &&
                  (part == SDSIM_CALL_READ || part == SDSIM_CALL_WRITE || part == SDSIM_CALL_PRINT);
    if (!moves) {
        return 0;
    }
    return (row->about & 15) == SDSIM_DETAIL_CALL ? row->size : (uint64_t)row->size * 512;
}

void sdsim_details_seal(struct sdsim_details *details)
{
    struct sdsim_detail_row *rows =
        details->count > 0 ? realloc(details->rows, details->count * sizeof *rows) : NULL;
    if (rows != NULL) {
        details->rows = rows;
        details->capacity = details->count;
    }
    free(details->slots);
    free(details->name_slots);
    details->slots = NULL;
    details->name_slots = NULL;
    details->slot_count = 0;
    details->name_slot_count = 0;
}

size_t sdsim_details_memory(const struct sdsim_details *details)
{
    size_t names = details->name_capacity * sizeof *details->names;
    for (size_t i = 0; i < details->name_count; i++) {
        names += strlen(details->names[i]) + 1;
    }
    return details->capacity * sizeof *details->rows + names +
           (details->slot_count + details->name_slot_count) * sizeof(uint32_t);
}

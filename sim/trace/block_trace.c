#include "trace/block_trace.h"

#include <stdlib.h>
#include <string.h>

#include "fat/blocks.h"

enum {
    SHARED_LABELS = SDSIM_BLOCK_LABELS,
    LABELS_MAX = 65535,
    LABEL_BYTES_MAX = 1 << 20,
    LABEL_LENGTH_MAX = 1000,
    HEADERS_MAX = 256,
    HEADER_LENGTH_MAX = 4000,
    SLOTS = 131072, /* of the hash table: twice the labels, so that it is never full */
};

struct header {
    char *key;
    char *value;
};

struct sdsim_trace_info {
    char **labels; /* [0] is "" */
    size_t label_count;
    size_t label_capacity;
    size_t label_bytes;
    uint16_t *slots;  /* by hash; 0: free. NULL until a label is looked up */
    uint16_t last[2]; /* labels found lately: a trace uses few */
    struct header *headers;
    size_t header_count;
};

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7F;
}

/* Leaves out what labels and values can't begin or end with, since the text form doesn't keep it. */
static void trim(const char **text, size_t *length)
{
    while (*length > 0 && is_blank((*text)[0])) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && is_blank((*text)[*length - 1])) {
        (*length)--;
    }
}

/* A character as it is kept. */
static char shown(char c)
{
    return (unsigned char)c < ' ' || c == 0x7F ? ' ' : c;
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy != NULL) {
        for (size_t i = 0; i < length; i++) {
            copy[i] = shown(text[i]);
        }
        copy[length] = '\0';
    }
    return copy;
}

/* Adds a label without looking whether it is there; 0 if there is no room. */
static uint16_t add_label(struct sdsim_trace_info *info, const char *text, size_t length)
{
    if (info->label_count > LABELS_MAX || info->label_bytes + length > LABEL_BYTES_MAX) {
        return 0;
    }
    if (info->label_count == info->label_capacity) {
        const size_t capacity = info->label_capacity * 2 + 16;
        char **grown = realloc(info->labels, capacity * sizeof *grown);
        if (grown == NULL) {
            return 0;
        }
        info->labels = grown;
        info->label_capacity = capacity;
    }
    char *copy = copy_text(text, length);
    if (copy == NULL) {
        return 0;
    }
    info->labels[info->label_count] = copy;
    info->label_bytes += length;
    return (uint16_t)info->label_count++;
}

struct sdsim_trace_info *sdsim_trace_info_new(void)
{
    struct sdsim_trace_info *info = calloc(1, sizeof *info);
    if (info == NULL) {
        return NULL;
    }
    (void)add_label(info, "", 0);
    for (int i = 0; i < SHARED_LABELS; i++) {
        const char *name = sdsim_block_label_name((enum sdsim_block_label)i);
        (void)add_label(info, name, strlen(name));
    }
    if (info->label_count != SHARED_LABELS + 1) {
        sdsim_trace_info_free(info);
        return NULL;
    }
    return info;
}

void sdsim_trace_info_free(struct sdsim_trace_info *info)
{
    if (info == NULL) {
        return;
    }
    for (size_t i = 0; i < info->label_count; i++) {
        free(info->labels[i]);
    }
    for (size_t i = 0; i < info->header_count; i++) {
        free(info->headers[i].key);
        free(info->headers[i].value);
    }
    free(info->labels);
    free(info->slots);
    free(info->headers);
    free(info);
}

static bool label_is(const struct sdsim_trace_info *info, uint16_t label, const char *text,
                     size_t length)
{
    const char *known = info->labels[label];
    for (size_t i = 0; i < length; i++) {
        if (known[i] != shown(text[i])) { /* the zero behind it, too, since none is shown as one */
            return false;
        }
    }
    return known[length] == '\0';
}

static size_t slot_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)shown(text[i])) * 16777619u;
    }
    return (hash ^ hash >> 15) % SLOTS;
}

/* The hash table, with all labels of now in it; NULL without memory. */
static uint16_t *slots_of(struct sdsim_trace_info *info)
{
    if (info->slots == NULL) {
        info->slots = calloc(SLOTS, sizeof *info->slots);
        for (size_t i = 1; info->slots != NULL && i < info->label_count; i++) {
            size_t slot = slot_of(info->labels[i], strlen(info->labels[i]));
            while (info->slots[slot] != 0) {
                slot = (slot + 1) % SLOTS;
            }
            info->slots[slot] = (uint16_t)i;
        }
    }
    return info->slots;
}

uint16_t sdsim_trace_label(struct sdsim_trace_info *info, const char *text, size_t length)
{
    trim(&text, &length);
    length = length < LABEL_LENGTH_MAX ? length : LABEL_LENGTH_MAX;
    trim(&text, &length);
    if (length == 0) {
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        if (info->last[i] != 0 && label_is(info, info->last[i], text, length)) {
            return info->last[i];
        }
    }
    uint16_t *slots = slots_of(info);
    if (slots == NULL) {
        return 0;
    }
    size_t slot = slot_of(text, length);
    while (slots[slot] != 0 && !label_is(info, slots[slot], text, length)) {
        slot = (slot + 1) % SLOTS;
    }
    if (slots[slot] == 0) {
        slots[slot] = add_label(info, text, length);
    }
    info->last[1] = info->last[0];
    info->last[0] = slots[slot];
    return slots[slot];
}

const char *sdsim_trace_label_text(const struct sdsim_trace_info *info, uint16_t label)
{
    return label < info->label_count ? info->labels[label] : "";
}

static struct header *find_header(const struct sdsim_trace_info *info, const char *key)
{
    for (size_t i = 0; i < info->header_count; i++) {
        if (strcmp(info->headers[i].key, key) == 0) {
            return &info->headers[i];
        }
    }
    return NULL;
}

static bool add_header(struct sdsim_trace_info *info, const char *key, char *value)
{
    struct header *grown = info->header_count < HEADERS_MAX
                               ? realloc(info->headers, (info->header_count + 1) * sizeof *grown)
                               : NULL;
    if (grown == NULL) {
        return false;
    }
    info->headers = grown;
    char *copy = copy_text(key, strlen(key));
    if (copy == NULL) {
        return false;
    }
    grown[info->header_count++] = (struct header){.key = copy, .value = value};
    return true;
}

bool sdsim_trace_set_header(struct sdsim_trace_info *info, const char *key, const char *value)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
    const size_t length = strlen(key);
    size_t size = strlen(value);
    trim(&value, &size);
    if (length == 0 || strspn(key, letters) != length || length + size > HEADER_LENGTH_MAX) {
        return false;
    }
    char *copy = copy_text(value, size);
    struct header *known = find_header(info, key);
    bool done = copy != NULL;
    if (done && known != NULL) {
        free(known->value);
        known->value = copy;
    } else if (done) {
        done = add_header(info, key, copy);
        if (!done) {
            free(copy);
        }
    }
    return done;
}

const char *sdsim_trace_header(const struct sdsim_trace_info *info, const char *key)
{
    const struct header *header = find_header(info, key);
    return header != NULL ? header->value : NULL;
}

bool sdsim_trace_header_at(const struct sdsim_trace_info *info, size_t index, const char **key,
                           const char **value)
{
    if (index >= info->header_count) {
        return false;
    }
    *key = info->headers[index].key;
    *value = info->headers[index].value;
    return true;
}

const char *sdsim_trace_kind_name(enum sdsim_trace_kind kind)
{
    static const char *const names[SDSIM_TRACE_KINDS] = {
        [SDSIM_TRACE_READ] = "read", [SDSIM_TRACE_WRITE] = "write", [SDSIM_TRACE_SYNC] = "sync",
        [SDSIM_TRACE_TRIM] = "trim", [SDSIM_TRACE_ERASE] = "erase", [SDSIM_TRACE_STATUS] = "status",
        [SDSIM_TRACE_MARK] = "mark",
    };
    return names[kind];
}

bool sdsim_trace_copy(struct sdsim_block_source *source, struct sdsim_block_sink *sink)
{
    struct sdsim_block_record records[1024];
    for (;;) {
        const size_t count = source->next(source, records, sizeof records / sizeof records[0]);
        if (count == 0) {
            return !source->failed;
        }
        if (!sink->put(sink, source->info, records, count)) {
            return false;
        }
    }
}

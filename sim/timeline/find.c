#include "timeline/find.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a node may hold something wanted. */
static bool may_hold(const struct sdsim_pyramid_node *node, const struct sdsim_wanted *wanted,
                     uint8_t length)
{
    for (unsigned c = 0; c < SDSIM_CLASSES; c++) {
        const bool will_do = wanted->classes == 0 || (wanted->classes >> c & 1) != 0;
        if (will_do && node->longest[c] > 0 && node->longest[c] >= length) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(struct sdsim_store *store, uint64_t number, const struct sdsim_wanted *wanted,
                      struct sdsim_span *span)
{
    return sdsim_store_span(store, number, span) && span->duration >= wanted->at_least &&
           (wanted->classes == 0 || (wanted->classes >> sdsim_span_class(span) & 1) != 0) &&
           (wanted->parts == 0 || (wanted->parts >> span->part & 1) != 0) &&
           (wanted->details == NULL ||
            (span->detail < wanted->detail_count && wanted->details[span->detail] != 0));
}

static uint64_t spans_of(int level)
{
    return (uint64_t)1 << (4 * level);
}

bool sdsim_lane_next(struct sdsim_store *store, uint64_t from, const struct sdsim_wanted *wanted,
                     uint64_t *number)
{
    const uint8_t length = sdsim_pyramid_length(wanted->at_least);
    struct sdsim_span span;
    uint64_t i = from;
    while (i < store->count) {
        int level = store->summary.levels;
        /* The largest node that begins here and holds nothing is jumped over. */
        while (level >= 2 &&
               (i % spans_of(level) != 0 ||
                may_hold(&store->summary.nodes[level][i / spans_of(level)], wanted, length))) {
            level--;
        }
        if (level >= 2) {
            i += spans_of(level);
            continue;
        }
        const uint64_t group_end = (i / SDSIM_GROUP_SPANS + 1) * SDSIM_GROUP_SPANS;
        for (; i < group_end && i < store->count; i++) {
            if (is_wanted(store, i, wanted, &span)) {
                *number = i;
                return true;
            }
        }
    }
    return false;
}

bool sdsim_lane_previous(struct sdsim_store *store, uint64_t below,
                         const struct sdsim_wanted *wanted, uint64_t *number)
{
    const uint8_t length = sdsim_pyramid_length(wanted->at_least);
    struct sdsim_span span;
    uint64_t i = below < store->count ? below : store->count;
    while (i > 0) {
        /* The node that ends here; the last one of a level may be shorter than the others. */
        int level = store->summary.levels;
        while (level >= 2 && ((i % spans_of(level) != 0 && i != store->count) ||
                              may_hold(&store->summary.nodes[level][(i - 1) / spans_of(level)],
                                       wanted, length))) {
            level--;
        }
        if (level >= 2) {
            i = (i - 1) / spans_of(level) * spans_of(level);
            continue;
        }
        const uint64_t group = (i - 1) / SDSIM_GROUP_SPANS * SDSIM_GROUP_SPANS;
        for (; i > group; i--) {
            if (is_wanted(store, i - 1, wanted, &span)) {
                *number = i - 1;
                return true;
            }
        }
    }
    return false;
}

/* ---- the longest ---- */

size_t sdsim_lane_longest(struct sdsim_store *store, const struct sdsim_wanted *wanted, size_t most,
                          struct sdsim_found *found)
{
    struct sdsim_wanted longer = *wanted;
    size_t count = 0;
    uint64_t number = 0;
    uint64_t from = 0;
    while (sdsim_lane_next(store, from, &longer, &number)) {
        struct sdsim_span span;
        from = number + 1;
        if (!sdsim_store_span(store, number, &span)) {
            continue;
        }
        size_t place = count < most ? count++ : most - 1;
        while (place > 0 && found[place - 1].duration < span.duration) {
            found[place] = found[place - 1];
            place--;
        }
        found[place] =
            (struct sdsim_found){.number = number, .start = span.start, .duration = span.duration};
        if (count == most && found[most - 1].duration >= longer.at_least) {
            longer.at_least = sdsim_time_sum(found[most - 1].duration, 1);
        }
    }
    return count;
}

/* ---- text ---- */

static void print_command(const struct sdsim_detail *detail, char *out, size_t size)
{
    char blocks[32] = "";
    if (detail->size > 0) {
        snprintf(blocks, sizeof blocks, ", %" PRIu32 " block%s", detail->size,
                 detail->size == 1 ? "" : "s");
    }
    if ((detail->code & 128) != 0) {
        snprintf(out, size, "goes on%s", blocks);
        return;
    }
    snprintf(out, size, "%s%d 0x%08" PRIX64 "%s", (detail->code & 64) != 0 ? "ACMD" : "CMD",
             detail->code & 63, detail->place, blocks);
}

static void print_response(const struct sdsim_detail *detail, char *out, size_t size)
{
    if ((detail->code & 128) != 0) {
        snprintf(out, size, "response 0x%08" PRIX64, detail->place);
    } else if (detail->place != 0) {
        snprintf(out, size, "R1 0x%02X, then %08" PRIX64, detail->code, detail->place);
    } else {
        snprintf(out, size, "R1 0x%02X", detail->code);
    }
}

static void print_level(const struct sdsim_detail *detail, char *out, size_t size)
{
    const char *name = detail->name != NULL ? detail->name : "";
    char capacity[24] = "";
    if (detail->size > 0) {
        snprintf(capacity, sizeof capacity, " of %" PRIu32, detail->size);
    }
    snprintf(out, size, "%" PRIu64 "%s%s%s", detail->place, capacity, name[0] != '\0' ? " " : "",
             name);
}

char *sdsim_detail_print(const struct sdsim_detail *detail, char *out, size_t size)
{
    const char *name = detail->name != NULL ? detail->name : "";
    switch (detail->kind) {
    case SDSIM_DETAIL_COMMAND:
        print_command(detail, out, size);
        break;
    case SDSIM_DETAIL_RESPONSE:
        print_response(detail, out, size);
        break;
    case SDSIM_DETAIL_LOOKS:
        snprintf(out, size, "%" PRIu64 " look%s", detail->place, detail->place == 1 ? "" : "s");
        break;
    case SDSIM_DETAIL_SECTORS:
        snprintf(out, size, "LBA %" PRIu64 ", %" PRIu32 " sector%s", detail->place, detail->size,
                 detail->size == 1 ? "" : "s");
        break;
    case SDSIM_DETAIL_CALL:
        if (detail->size > 0) {
            snprintf(out, size, "%s at %" PRIu64 ", %" PRIu32 " byte%s", name, detail->place,
                     detail->size, detail->size == 1 ? "" : "s");
        } else {
            snprintf(out, size, "%s", name);
        }
        break;
    case SDSIM_DETAIL_LEVEL:
        print_level(detail, out, size);
        break;
    default:
        snprintf(out, size, "%s", "");
        break;
    }
    return out;
}

/* Whether `text` holds `wanted`, which is in lower case. */
static bool holds(const char *text, const char *wanted)
{
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (wanted[i] != '\0' && tolower((unsigned char)text[i]) == wanted[i]) {
            i++;
        }
        if (wanted[i] == '\0') {
            return true;
        }
    }
    return *wanted == '\0';
}

uint8_t *sdsim_details_search(const struct sdsim_details *details, const char *text, bool *any)
{
    const size_t length = strlen(text);
    char *lower = malloc(length + 1);
    uint8_t *matches = calloc(details->count + 1, 1);
    *any = false;
    if (lower == NULL || matches == NULL) {
        free(lower);
        free(matches);
        return NULL;
    }
    for (size_t i = 0; i <= length; i++) {
        lower[i] = (char)tolower((unsigned char)text[i]);
    }
    for (size_t i = 1; i <= details->count; i++) {
        char printed[400];
        const struct sdsim_detail detail = sdsim_details_get(details, (uint32_t)i);
        matches[i] = holds(sdsim_detail_print(&detail, printed, sizeof printed), lower);
        *any = *any || matches[i] != 0;
    }
    free(lower);
    return matches;
}

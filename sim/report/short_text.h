/*
 * Numbers as short texts by value, so that one sentence can hold several:
 *
 *     snprintf(out, size, "%s of %s", sdsim_size_text(a).text, sdsim_size_text(b).text);
 */
#ifndef SDSIM_REPORT_SHORT_TEXT_H
#define SDSIM_REPORT_SHORT_TEXT_H

#include "core/units.h"
#include "report/format.h"

struct sdsim_short_text {
    char text[32];
};

/* Bytes: "4KiB". */
static inline struct sdsim_short_text sdsim_size_text(uint64_t bytes)
{
    struct sdsim_short_text text;
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)bytes, text.text, sizeof text.text);
    return text;
}

/* How many there are for each of `per`: "8", "7.95". */
static inline struct sdsim_short_text sdsim_ratio_text(uint64_t count, uint64_t per)
{
    struct sdsim_short_text text;
    sdsim_print_ratio(count, per, text.text, sizeof text.text);
    return text;
}

#endif

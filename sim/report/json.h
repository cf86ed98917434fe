/*
 * A JSON writer that streams: values go out as they are given, indented by two blanks, one member a
 * line.
 *
 *     sdsim_json_start(&json, out);
 *     sdsim_json_object(&json, NULL);
 *     sdsim_json_text(&json, "name", "sdhc32g-a1");
 *     sdsim_json_array(&json, "rows");
 *     sdsim_json_end(&json);
 *     sdsim_json_end(&json);              // and a newline behind the outermost
 *
 * `key` is the member's name inside an object, NULL inside a list and at the top. Texts are written
 * as UTF-8 and escaped; broken sequences become U+FFFD. A number is written with the fewest digits
 * that read back as the same double. Limits: 32 levels; misuse is asserted; errors of the stream
 * are the caller's to look at (ferror).
 */
#ifndef SDSIM_REPORT_JSON_H
#define SDSIM_REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/time.h"

#define SDSIM_JSON_LEVELS 32

struct sdsim_json {
    FILE *out;
    unsigned depth;
    uint32_t list;  /* bit d: level d is a list */
    uint32_t begun; /* bit d: level d has a member already */
};

void sdsim_json_start(struct sdsim_json *json, FILE *out);

void sdsim_json_object(struct sdsim_json *json, const char *key);
void sdsim_json_array(struct sdsim_json *json, const char *key);
/* Ends the innermost object or list. */
void sdsim_json_end(struct sdsim_json *json);

/* NULL is written as null. */
void sdsim_json_text(struct sdsim_json *json, const char *key, const char *text);
/* What is no finite number is written as null. */
void sdsim_json_number(struct sdsim_json *json, const char *key, double value);
void sdsim_json_count(struct sdsim_json *json, const char *key, uint64_t value);
void sdsim_json_bool(struct sdsim_json *json, const char *key, bool value);
/* A time in seconds, exactly: 0.000204800001. */
void sdsim_json_seconds(struct sdsim_json *json, const char *key, sdsim_ps time);

/* A finite number with the fewest digits that read back as the same double. Returns out. */
char *sdsim_number_text(double value, char *out, size_t size);

/* A time in seconds, exactly: "0.000204800001"; 32 bytes are always enough. Returns out. */
char *sdsim_seconds_text(sdsim_ps time, char *out, size_t size);

#endif

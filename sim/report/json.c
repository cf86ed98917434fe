#include "report/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

void sdsim_json_start(struct sdsim_json *json, FILE *out)
{
    *json = (struct sdsim_json){.out = out};
}

static uint32_t level_bit(const struct sdsim_json *json)
{
    return UINT32_C(1) << json->depth;
}

static void new_line(const struct sdsim_json *json)
{
    fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
}

static void write_text(FILE *out, const char *text)
{
    const size_t size = strlen(text);
    fputc('"', out);
    for (size_t at = 0; at < size;) {
        uint32_t point;
        const size_t length = sdsim_utf8_decode(text + at, size - at, &point);
        if (point == '"' || point == '\\') {
            fprintf(out, "\\%c", (char)point);
        } else if (point == '\n') {
            fputs("\\n", out);
        } else if (length == 0 || sdsim_utf8_is_control(point)) {
            fprintf(out, "\\u%04" PRIx32, point);
        } else {
            fwrite(text + at, 1, length, out);
        }
        at += length == 0 ? 1 : length;
    }
    fputc('"', out);
}

/* What stands in front of every value: comma, line, key. */
static void begin_value(struct sdsim_json *json, const char *key)
{
    assert(json->depth == 0 || (key == NULL) == ((json->list & level_bit(json)) != 0));
    if (json->depth > 0) {
        if ((json->begun & level_bit(json)) != 0) {
            fputc(',', json->out);
        }
        new_line(json);
    }
    json->begun |= level_bit(json);
    if (key != NULL) {
        write_text(json->out, key);
        fputs(": ", json->out);
    }
}

static void open_level(struct sdsim_json *json, const char *key, bool list)
{
    begin_value(json, key);
    fputc(list ? '[' : '{', json->out);
    json->depth++;
    assert(json->depth < SDSIM_JSON_LEVELS);
    json->begun &= ~level_bit(json);
    if (list) {
        json->list |= level_bit(json);
    } else {
        json->list &= ~level_bit(json);
    }
}

void sdsim_json_object(struct sdsim_json *json, const char *key)
{
    open_level(json, key, false);
}

void sdsim_json_array(struct sdsim_json *json, const char *key)
{
    open_level(json, key, true);
}

void sdsim_json_end(struct sdsim_json *json)
{
    assert(json->depth > 0);
    const bool list = (json->list & level_bit(json)) != 0;
    const bool empty = (json->begun & level_bit(json)) == 0;
    json->depth--;
    if (!empty) {
        new_line(json);
    }
    fputc(list ? ']' : '}', json->out);
    if (json->depth == 0) {
        fputc('\n', json->out);
    }
}

void sdsim_json_text(struct sdsim_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text == NULL) {
        fputs("null", json->out);
    } else {
        write_text(json->out, text);
    }
}

char *sdsim_number_text(double value, char *out, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, size, "%.*g", digits, value);
        const double read = strtod(out, NULL);
        if (read <= value && read >= value) {
            break;
        }
    }
    return out;
}

void sdsim_json_number(struct sdsim_json *json, const char *key, double value)
{
    char text[40];
    begin_value(json, key);
    const bool finite = value - value <= 0.0; /* false for infinities and NaN */
    fputs(finite ? sdsim_number_text(value, text, sizeof text) : "null", json->out);
}

void sdsim_json_count(struct sdsim_json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void sdsim_json_bool(struct sdsim_json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void sdsim_json_seconds(struct sdsim_json *json, const char *key, sdsim_ps time)
{
    char text[32];
    begin_value(json, key);
    fputs(sdsim_seconds_text(time, text, sizeof text), json->out);
}

char *sdsim_seconds_text(sdsim_ps time, char *out, size_t size)
{
    char decimals[13];
    snprintf(decimals, sizeof decimals, "%012" PRIu64, time % SDSIM_S);
    size_t count = 12;
    while (count > 0 && decimals[count - 1] == '0') {
        count--;
    }
    snprintf(out, size, "%" PRIu64 "%s%.*s", time / SDSIM_S, count > 0 ? "." : "", (int)count,
             decimals);
    return out;
}

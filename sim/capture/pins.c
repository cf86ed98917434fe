#include "capture/pins.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/pin_format.h"
#include "core/units.h"
#include "trace/encoding.h"

/* The first that recognises a file reads it; CSV, which has no signature, comes last. */
static const struct sdsim_pin_format *const formats[] = {
    &sdsim_pin_format_sr,
    &sdsim_pin_format_vcd,
    &sdsim_pin_format_csv,
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])
#define HEAD_BYTES   4096
#define RATE_MOST    UINT64_C(4000000000)

static const struct sdsim_pin_format *recognised(const unsigned char *head, size_t size)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i]->recognise(head, size)) {
            return formats[i];
        }
    }
    return NULL;
}

bool sdsim_pins_recognise(const unsigned char *head, size_t size)
{
    return recognised(head, size < HEAD_BYTES ? size : HEAD_BYTES) != NULL;
}

static const struct sdsim_pin_format *format_of(const char *path, struct sdsim_diags *diags)
{
    unsigned char head[HEAD_BYTES];
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        sdsim_error(diags, path, "can't be opened: %s", strerror(errno));
        return NULL;
    }
    const size_t size = fread(head, 1, sizeof head, stream);
    const bool failed = ferror(stream) != 0;
    fclose(stream);
    if (failed) {
        sdsim_error(diags, path, "can't be read: %s", strerror(errno));
        return NULL;
    }
    const struct sdsim_pin_format *format = recognised(head, size);
    if (format == NULL) {
        const struct sdsim_place place = {.file = path};
        const struct sdsim_encoding encoding = sdsim_encoding_of((const char *)head, size);
        if (encoding.what != NULL) {
            sdsim_diag_add(diags, SDSIM_ERROR, &place, NULL, 0, encoding.mend,
                           "this is %s, which is not read", encoding.what);
            return NULL;
        }
        sdsim_diag_add(diags, SDSIM_ERROR, &place, NULL, 0,
                       "captures are read as sigrok .sr, VCD, or CSV with a column per pin", "%s",
                       size == 0 ? "the file is empty" : "no capture of pins");
    }
    return format;
}

struct sdsim_pins *sdsim_pins_open(const char *path, struct sdsim_diags *diags)
{
    const struct sdsim_pin_format *format = format_of(path, diags);
    if (format == NULL) {
        return NULL;
    }
    struct sdsim_pins *pins = calloc(1, sizeof *pins);
    if (pins == NULL) {
        sdsim_error(diags, path, "out of memory");
        return NULL;
    }
    pins->format = format;
    pins->path = path;
    pins->diags = diags;
    pins->facts.format = format->name;
    pins->watched = UINT64_MAX;
    if (!format->open(pins)) {
        free(pins);
        return NULL;
    }
    return pins;
}

void sdsim_pins_close(struct sdsim_pins *pins)
{
    if (pins != NULL) {
        pins->format->close(pins);
        free(pins);
    }
}

const struct sdsim_pin_facts *sdsim_pins_facts(const struct sdsim_pins *pins)
{
    return &pins->facts;
}

void sdsim_pins_watch(struct sdsim_pins *pins, uint64_t mask)
{
    pins->watched = mask;
}

enum sdsim_pin_result sdsim_pins_read(struct sdsim_pins *pins, struct sdsim_pin_change *changes,
                                      size_t capacity, size_t *count)
{
    *count = 0;
    return pins->format->read(pins, changes, capacity, count);
}

uint64_t sdsim_pins_end(const struct sdsim_pins *pins)
{
    return pins->end;
}

sdsim_ps sdsim_tick_time(const struct sdsim_tick *tick, uint64_t count)
{
    if (tick->den == 1) { /* nearly always, and divisions are slow */
        return sdsim_time_times(tick->num, count);
    }
    const uint64_t whole = tick->num / tick->den;
    const uint64_t rest = tick->num % tick->den;
    const sdsim_ps most = sdsim_time_times(whole, count);
    const sdsim_ps parts = sdsim_time_times(rest, count / tick->den);
    return sdsim_time_sum(sdsim_time_sum(most, parts), count % tick->den * rest / tick->den);
}

struct sdsim_tick sdsim_tick_of_rate(uint64_t hertz)
{
    uint64_t a = SDSIM_S;
    uint64_t b = hertz;
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (struct sdsim_tick){SDSIM_S / a, hertz / a};
}

bool sdsim_pin_channel_add(struct sdsim_pin_facts *facts, const char *name, size_t length,
                           uint8_t bit)
{
    if (facts->channel_count == SDSIM_PIN_CHANNELS) {
        return false;
    }
    struct sdsim_pin_channel *channel = &facts->channels[facts->channel_count++];
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < sizeof channel->name; i++) {
        const unsigned char c = (unsigned char)name[i];
        channel->name[used++] = (char)(c > 0x20 && c < 0x7F ? c : '?');
    }
    channel->name[used] = '\0';
    channel->bit = bit;
    return true;
}

uint64_t sdsim_pin_rate(const char *text)
{
    char cleaned[40];
    size_t used = 0;
    while (*text == ' ' || *text == '=' || *text == ':' || *text == '\t') {
        text++;
    }
    while (*text != '\0' && *text != '\r' && *text != '\n' && used + 4 < sizeof cleaned &&
           (isalnum((unsigned char)*text) || *text == '.' || *text == ' ')) {
        cleaned[used++] = *text++;
    }
    while (used > 0 && cleaned[used - 1] == ' ') {
        used--;
    }
    cleaned[used] = '\0';
    if (used > 0 && isdigit((unsigned char)cleaned[used - 1])) {
        strcpy(cleaned + used, "Hz");
    }
    uint64_t hertz;
    if (sdsim_unit_parse(SDSIM_UNIT_FREQUENCY, cleaned, &hertz) != SDSIM_UNIT_OK) {
        return 0;
    }
    return hertz >= 1 && hertz <= RATE_MOST ? hertz : 0;
}

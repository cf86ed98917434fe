#include "capture/capture.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT = 1 << 17,
    COUNTED = 16, /* one of so many changes */
    CLEAR_SAMPLES = 6,
};

static struct sdsim_capture *capture_of(struct sdsim_spi_listener *own)
{
    return (struct sdsim_capture *)((char *)own - offsetof(struct sdsim_capture, own));
}

/* Bytes of a clock of which edges are missing would become commands by chance. A slower clock in the
 * same capture may be read. */
static bool is_unreadable(const struct sdsim_capture *capture)
{
    const struct sdsim_clock_meter *meter = &capture->meter;
    return capture->survey.undersampled &&
           (meter->count == 0 || sdsim_stretch_period(&meter->stretches[meter->count - 1]) <
                                     (double)CLEAR_SAMPLES * (double)meter->quantum);
}

static void take_byte(struct sdsim_spi_listener *own, const struct sdsim_spi_byte *byte)
{
    struct sdsim_capture *capture = capture_of(own);
    if (is_unreadable(capture)) {
        capture->spi_lost++;
        sdsim_clock_meter_frame(&capture->meter, false);
        return;
    }
    if (capture->bytes != NULL) {
        capture->bytes->byte(capture->bytes, byte);
    }
    sdsim_spi_decoder_byte(&capture->spi, byte);
}

static void take_select(struct sdsim_spi_listener *own, bool low, sdsim_ps at, uint64_t place)
{
    struct sdsim_capture *capture = capture_of(own);
    if (capture->bytes != NULL) {
        capture->bytes->select(capture->bytes, low, at, place);
    }
    sdsim_spi_decoder_select(&capture->spi, low, at, place);
}

static void take_clocks(struct sdsim_spi_listener *own, unsigned count, sdsim_ps start,
                        sdsim_ps end, uint64_t place)
{
    struct sdsim_capture *capture = capture_of(own);
    if (is_unreadable(capture)) {
        sdsim_clock_meter_frame(&capture->meter, false);
        return;
    }
    if (capture->bytes != NULL) {
        capture->bytes->clocks(capture->bytes, count, start, end, place);
    }
    sdsim_spi_decoder_clocks(&capture->spi, count, start, end, place);
}

/* What SPI shows of how well it was sampled: answers and whole bytes, or torn ones. */
static void tap_item(struct sdsim_item_listener *tap, const struct sdsim_item *item)
{
    struct sdsim_capture *capture =
        (struct sdsim_capture *)((char *)tap - offsetof(struct sdsim_capture, tap));
    switch (item->kind) {
    case SDSIM_ITEM_RESPONSE:
        sdsim_clock_meter_frame(&capture->meter, true);
        break;
    case SDSIM_ITEM_TORN:
        sdsim_clock_meter_frame(&capture->meter, false);
        break;
    default:
        break;
    }
    if (capture->items != NULL) {
        capture->items->item(capture->items, item);
    }
}

/* Reads the changes the survey is about. What is wrong behind them is told when it is their turn;
 * a fault in front of the first change is one of the file. */
static bool look_ahead(struct sdsim_capture *capture, struct sdsim_diags *diags)
{
    capture->kept = malloc(KEPT * sizeof *capture->kept);
    if (capture->kept == NULL) {
        sdsim_error(diags, capture->path, "out of memory");
        return false;
    }
    while (capture->kept_count < KEPT && capture->ahead == SDSIM_PINS_MORE) {
        size_t count;
        capture->ahead = sdsim_pins_read(capture->pins, capture->kept + capture->kept_count,
                                         KEPT - capture->kept_count, &count);
        capture->kept_count += count;
    }
    if (capture->kept_count == 0) {
        if (capture->ahead == SDSIM_PINS_END) {
            sdsim_error(diags, capture->path, "nothing was recorded");
        }
        return false;
    }
    return true;
}

static void start_decoder(struct sdsim_capture *capture)
{
    const struct sdsim_roles *roles = &capture->roles;
    bool lines[SDSIM_SD_LINES];
    for (unsigned i = 0; i < SDSIM_SD_LINES; i++) {
        lines[i] = roles->channel[SDSIM_LINE_CMD + i] != SDSIM_NO_CHANNEL;
    }
    sdsim_line_map_init(&capture->map, capture->facts, roles);
    sdsim_clock_meter_init(&capture->meter, capture->survey.quantum);
    capture->own = (struct sdsim_spi_listener){take_byte, take_select, take_clocks};
    sdsim_spi_sampler_init(&capture->spi_sampler, &capture->facts->tick, capture->survey.sampling,
                           capture->survey.idle_high,
                           roles->channel[SDSIM_LINE_CS] != SDSIM_NO_CHANNEL, &capture->meter,
                           &capture->own);
    capture->tap = (struct sdsim_item_listener){tap_item};
    sdsim_spi_decoder_init(&capture->spi, &capture->tap, true);
    sdsim_sd_decoder_init(&capture->sd, &capture->facts->tick, capture->survey.quantum, lines,
                          &capture->meter, capture->items);
    sdsim_sd_sampler_init(&capture->sd_sampler, &capture->sd);
}

static bool prepare(struct sdsim_capture *capture, const char *channels, struct sdsim_diags *diags)
{
    if (capture->pins == NULL) {
        return false;
    }
    capture->facts = sdsim_pins_facts(capture->pins);
    sdsim_roles_by_name(capture->facts, &capture->roles);
    if (channels != NULL && !sdsim_roles_choose(capture->facts, channels, &capture->roles, diags)) {
        return false;
    }
    if (!look_ahead(capture, diags)) {
        return false;
    }
    capture->survey = (struct sdsim_survey){
        .facts = capture->facts, .changes = capture->kept, .count = capture->kept_count};
    return sdsim_survey_run(&capture->survey, &capture->roles, diags, capture->path);
}

struct sdsim_capture *sdsim_capture_open(const char *path, const char *channels,
                                         struct sdsim_diags *diags)
{
    struct sdsim_capture *capture = calloc(1, sizeof *capture);
    if (capture == NULL) {
        sdsim_error(diags, path, "out of memory");
        return NULL;
    }
    capture->path = path;
    capture->pins = sdsim_pins_open(path, diags);
    if (!prepare(capture, channels, diags)) {
        sdsim_capture_close(capture);
        return NULL;
    }
    start_decoder(capture);
    return capture;
}

void sdsim_capture_close(struct sdsim_capture *capture)
{
    if (capture != NULL) {
        sdsim_pins_close(capture->pins);
        free(capture->kept);
        free(capture);
    }
}

void sdsim_capture_attach(struct sdsim_capture *capture, struct sdsim_item_listener *items,
                          struct sdsim_spi_listener *bytes)
{
    capture->items = items;
    capture->bytes = bytes;
    start_decoder(capture);
}

/* Edges of all channels: a line may be on another than its name says. A part of them tells which move
 * alike, and whether one ever moves. */
static void count_moves(struct sdsim_capture *capture, const struct sdsim_pin_change *changes,
                        size_t count)
{
    uint64_t moved = capture->levels ^ changes[0].levels;
    for (size_t i = 1; i < count; i++) {
        moved |= changes[i].levels ^ changes[i - 1].levels;
    }
    for (size_t i = 1; i < count; i += COUNTED) {
        uint64_t changed = changes[i].levels ^ changes[i - 1].levels;
        while (changed != 0) {
            capture->moves[__builtin_ctzll(changed)]++;
            changed &= changed - 1;
        }
    }
    capture->moved |= moved;
    capture->levels = changes[count - 1].levels;
}

static void decode_sd(struct sdsim_capture *capture, const struct sdsim_pin_change *changes,
                      size_t count)
{
    sdsim_sd_sampler_changes(&capture->sd_sampler, &capture->map, changes, count);
}

static void decode_spi(struct sdsim_capture *capture, const struct sdsim_pin_change *changes,
                       size_t count)
{
    sdsim_spi_sampler_changes(&capture->spi_sampler, &capture->map, changes, count);
}

static void decode(struct sdsim_capture *capture, const struct sdsim_pin_change *changes,
                   size_t count)
{
    if (count == 0) {
        return;
    }
    if (!capture->begun) {
        capture->begun = true;
        capture->levels = changes[0].levels;
        sdsim_sd_sampler_begin(&capture->sd_sampler,
                               sdsim_line_map(&capture->map, changes[0].levels));
    }
    count_moves(capture, changes, count);
    if (capture->roles.bus == SDSIM_CAPTURE_SD) {
        decode_sd(capture, changes, count);
    } else {
        decode_spi(capture, changes, count);
    }
}

static void finish(struct sdsim_capture *capture)
{
    if (capture->roles.bus == SDSIM_CAPTURE_SD) {
        sdsim_sd_sampler_end(&capture->sd_sampler);
    } else {
        sdsim_spi_sampler_end(&capture->spi_sampler);
        sdsim_spi_decoder_end(&capture->spi);
    }
}

enum sdsim_pin_result sdsim_capture_step(struct sdsim_capture *capture)
{
    enum sdsim_pin_result result = capture->ahead;
    if (capture->kept != NULL) {
        decode(capture, capture->kept, capture->kept_count);
        free(capture->kept);
        capture->kept = NULL;
    } else if (!capture->over) {
        size_t count;
        result = sdsim_pins_read(capture->pins, capture->batch, SDSIM_CAPTURE_BATCH, &count);
        capture->ahead = result;
        decode(capture, capture->batch, count);
    }
    if (result != SDSIM_PINS_MORE && !capture->over) {
        capture->over = true;
        finish(capture);
    }
    return result;
}

enum sdsim_pin_result sdsim_capture_decode(struct sdsim_capture *capture)
{
    enum sdsim_pin_result result = SDSIM_PINS_MORE;
    while (result == SDSIM_PINS_MORE) {
        result = sdsim_capture_step(capture);
    }
    return result;
}

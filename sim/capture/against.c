#include "capture/against.h"

#include <string.h>

#include "bus/frame.h"

/* The byte time of an initialisation that nobody recorded: 400 kHz. */
#define INIT_BYTE (20 * SDSIM_US)

/* ---- the two sides ---- */

static void add_bytes(struct sdsim_against_answer *answer, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count && answer->count < SDSIM_AGAINST_BYTES; i++) {
        answer->bytes[answer->count++] = bytes[i];
    }
}

static void take_item(struct sdsim_item_listener *listener, const struct sdsim_item *item)
{
    struct sdsim_against_side *side = (struct sdsim_against_side *)listener;
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        if (!item->deselected) {
            side->commands++;
            side->before = side->answer;
            side->answer = (struct sdsim_against_answer){.count = 0};
            side->at = item->at;
            side->index = item->index;
            side->app = item->app;
        }
        break;
    case SDSIM_ITEM_RESPONSE:
        if (item->index != 12 && item->gap < side->least_gap) {
            side->least_gap = item->gap;
        }
        add_bytes(&side->answer, item->bytes, item->size);
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        add_bytes(&side->answer, &(uint8_t){item->token & SDSIM_DATA_RESPONSE_MASK}, 1);
        break;
    case SDSIM_ITEM_STOP_TOKEN:
        side->undefined = true;
        break;
    default:
        break;
    }
}

static void start_side(struct sdsim_against_side *side)
{
    *side = (struct sdsim_against_side){.listener = {take_item}, .least_gap = 1};
    sdsim_spi_decoder_init(&side->decoder, &side->listener, false);
}

static bool alike(const struct sdsim_against_answer *recorded,
                  const struct sdsim_against_answer *simulated)
{
    const bool same_count = recorded->count == simulated->count ||
                            (recorded->r1_alone && recorded->count == 1 && simulated->count > 0);
    return same_count && memcmp(recorded->bytes, simulated->bytes, recorded->count) == 0;
}

static void compare(struct sdsim_against *against, const struct sdsim_against_difference *found)
{
    against->compared++;
    if (alike(&found->recorded, &found->simulated)) {
        return;
    }
    if (against->different < SDSIM_AGAINST_DIFFERENCES) {
        against->differences[against->different] = *found;
    }
    against->different++;
}

/* ---- looking ---- */

/* What the replay must know beforehand; `commands` as they were before the byte. */
static void look(struct sdsim_against *against, const struct sdsim_against_side *side,
                 uint64_t commands)
{
    const bool answered = side->answer.count > 0;
    const bool initialises = side->app && side->index == 41;
    if (side->commands == 1 && side->index != 0) {
        against->begun_before = true;
        against->begun_idle = answered && (side->answer.bytes[0] & SDSIM_SPI_R1_IDLE) != 0;
    }
    if (against->ready_at > 0) {
        return;
    }
    if (side->commands > commands) {
        against->inits = side->index == 0 ? 0 : against->inits + initialises;
    }
    if (initialises && answered && side->answer.bytes[0] == 0) {
        against->ready_at = side->commands;
        against->at_once = against->inits == 1;
    }
}

/* ---- the card before the record ---- */

static uint8_t exchange(struct sdsim_against *against, uint8_t mosi)
{
    const sdsim_ps start = against->offset;
    against->offset += INIT_BYTE;
    return sdsim_spi_exchange(&against->pins, start, against->offset, mosi);
}

/* Returns R1, FF if there is none. */
static uint8_t command(struct sdsim_against *against, uint8_t index, uint32_t argument)
{
    const struct sdsim_frame frame = {.index = index, .argument = argument};
    uint8_t bytes[SDSIM_FRAME_SIZE];
    uint8_t r1 = 0xFF;
    sdsim_frame_command(&frame, bytes);
    for (unsigned i = 0; i < SDSIM_FRAME_SIZE; i++) {
        (void)exchange(against, bytes[i]);
    }
    for (unsigned i = 0; i < 10 && (r1 & 0x80) != 0; i++) {
        r1 = exchange(against, 0xFF);
    }
    for (unsigned i = 0; i < 4; i++) { /* what may belong to it */
        (void)exchange(against, 0xFF);
    }
    return r1;
}

/* As the host must have done before the record began. */
static void initialise(struct sdsim_against *against)
{
    sdsim_spi_select(&against->pins, false);
    for (unsigned i = 0; i < 10; i++) {
        (void)exchange(against, 0xFF);
    }
    sdsim_spi_select(&against->pins, true);
    (void)command(against, 0, 0);
    (void)command(against, 8, 0x1AA);
    for (unsigned tries = 0; tries < 2 && !against->begun_idle; tries++) {
        (void)command(against, 55, 0);
        if (command(against, 41, 0x40000000) == 0) {
            break;
        }
        against->offset += against->params.init_time;
    }
    sdsim_spi_select(&against->pins, against->recorded.decoder.selected);
}

/* ---- the replay ---- */

static void compare_before(struct sdsim_against *against,
                           const struct sdsim_against_difference *command_before)
{
    struct sdsim_against_difference found = *command_before;
    found.recorded = against->recorded.before;
    found.simulated = against->simulated.before;
    compare(against, &found);
}

/* Moves the card's time on to `until`, if that is later than the byte. */
static void jump(struct sdsim_against *against, const struct sdsim_spi_byte *byte, sdsim_ps until)
{
    if (until != SDSIM_TIME_END && sdsim_time_sum(byte->start, against->offset) < until) {
        against->offset = until - byte->start;
    }
}

/* The recorded card is ready, sends a block, or is initialised: so is the simulated one. The FF
 * behind a stop token says nothing (N_BR). */
static void keep_up(struct sdsim_against *against, const struct sdsim_spi_byte *byte)
{
    const struct sdsim_spi_decoder *recorded = &against->recorded.decoder;
    const bool undefined = against->recorded.undefined;
    against->recorded.undefined = false;
    if (byte->miso == 0xFF && !undefined) {
        jump(against, byte, sdsim_card_busy(&against->card).at);
    }
    if (recorded->due == SDSIM_SPI_DUE_TOKEN && byte->miso == SDSIM_TOKEN_START) {
        jump(against, byte, sdsim_card_read_ready(&against->card).at);
    }
    if (against->recorded.commands + 1 == against->ready_at) {
        jump(against, byte, against->card.init_at);
    }
}

static void replay(struct sdsim_against *against, const struct sdsim_spi_byte *byte)
{
    struct sdsim_against_side *recorded = &against->recorded;
    const uint64_t commands = recorded->commands;
    const struct sdsim_against_difference before = {
        .at = recorded->at, .index = recorded->index, .app = recorded->app};
    keep_up(against, byte);
    struct sdsim_spi_byte simulated = *byte;
    simulated.answer_ends = false;
    simulated.miso =
        sdsim_spi_exchange(&against->pins, sdsim_time_sum(byte->start, against->offset),
                           sdsim_time_sum(byte->end, against->offset), byte->mosi);
    sdsim_spi_decoder_byte(&recorded->decoder, byte);
    recorded->answer.r1_alone = recorded->answer.r1_alone || byte->answer_ends;
    sdsim_spi_decoder_byte(&against->simulated.decoder, &simulated);
    if (recorded->commands > commands && commands > 0) {
        compare_before(against, &before);
    }
}

static void take_byte(struct sdsim_exchange_sink *sink, const struct sdsim_spi_byte *byte)
{
    struct sdsim_against *against = (struct sdsim_against *)sink;
    if (against->pass == SDSIM_AGAINST_LOOK) {
        const uint64_t commands = against->recorded.commands;
        sdsim_spi_decoder_byte(&against->recorded.decoder, byte);
        look(against, &against->recorded, commands);
        return;
    }
    if (byte->selected != against->pins.selected) {
        sdsim_spi_select(&against->pins, byte->selected);
    }
    replay(against, byte);
}

static void take_select(struct sdsim_exchange_sink *sink, bool low, sdsim_ps at, uint64_t line)
{
    struct sdsim_against *against = (struct sdsim_against *)sink;
    sdsim_spi_decoder_select(&against->recorded.decoder, low, at, line);
    if (against->pass == SDSIM_AGAINST_REPLAY) {
        sdsim_spi_decoder_select(&against->simulated.decoder, low, at, line);
        sdsim_spi_select(&against->pins, low);
    }
}

/* ---- the whole ---- */

bool sdsim_against_init(struct sdsim_against *against, const struct sdsim_card_params *params)
{
    *against = (struct sdsim_against){.sink = {take_select, take_byte}, .params = *params};
    against->params.n_ac = 0;
    against->medium = sdsim_medium_create(sdsim_csd_sectors(params), 0);
    return against->medium != NULL;
}

void sdsim_against_free(struct sdsim_against *against)
{
    sdsim_medium_destroy(against->medium);
}

void sdsim_against_begin(struct sdsim_against *against, enum sdsim_against_pass pass)
{
    against->pass = pass;
    against->params.n_cr = against->recorded.least_gap; /* of the pass before */
    against->params.init_time = against->at_once ? 0 : against->params.init_time;
    start_side(&against->recorded);
    start_side(&against->simulated);
    if (pass == SDSIM_AGAINST_REPLAY) {
        sdsim_card_init(&against->card, &against->params, against->medium, 0, 0);
        sdsim_spi_pins_init(&against->pins, &against->card);
        if (against->begun_before) {
            initialise(against);
        }
    }
}

void sdsim_against_end(struct sdsim_against *against)
{
    struct sdsim_against_side *recorded = &against->recorded;
    sdsim_spi_decoder_end(&recorded->decoder);
    sdsim_spi_decoder_end(&against->simulated.decoder);
    if (against->pass == SDSIM_AGAINST_REPLAY && recorded->commands > 0) {
        compare(against,
                &(struct sdsim_against_difference){.at = recorded->at,
                                                   .index = recorded->index,
                                                   .app = recorded->app,
                                                   .recorded = recorded->answer,
                                                   .simulated = against->simulated.answer});
    }
}

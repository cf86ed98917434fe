#include "capture/survey.h"

#include <stdlib.h>
#include <string.h>

#include "capture/sd_sampler.h"
#include "capture/spi_decoder.h"
#include "capture/spi_sampler.h"

enum {
    TRIED = 8, /* channels */
    FRAME_RIGHT = 10,
    BLOCK_RIGHT = 40,
    ANSWER = 3,
    TORN = -5,
    NONSENSE = -1,
    FEW_SAMPLES = 6, /* aliases of a faster clock look like that */
};

/* What a choice is worth, from its items. */
struct judge {
    struct sdsim_item_listener items;
    struct sdsim_spi_listener bytes;
    struct sdsim_spi_decoder *spi;
    int64_t score;
    unsigned torn;
};

static void judge_item(struct sdsim_item_listener *listener, const struct sdsim_item *item)
{
    struct judge *judge = (struct judge *)listener;
    const bool right = item->crc == SDSIM_ITEM_CRC_RIGHT;
    /* SPI hosts need not send a CRC7 */
    const int wrong = judge->spi == NULL && item->crc == SDSIM_ITEM_CRC_WRONG ? NONSENSE
                      : item->deselected                                      ? NONSENSE
                                                                              : 0;
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        judge->score += right && !item->deselected ? FRAME_RIGHT : wrong;
        break;
    case SDSIM_ITEM_RESPONSE:
        if (judge->spi != NULL) {
            judge->score += item->size > 0 && item->bytes[0] < 0x80 ? ANSWER : 0;
        } else {
            judge->score += right ? FRAME_RIGHT : wrong;
        }
        break;
    case SDSIM_ITEM_READ_BLOCK:
    case SDSIM_ITEM_WRITE_BLOCK:
        judge->score += right ? BLOCK_RIGHT : 0;
        break;
    case SDSIM_ITEM_TORN:
        judge->score += TORN;
        judge->torn++;
        break;
    case SDSIM_ITEM_STRAY:
    case SDSIM_ITEM_NO_RESPONSE:
    case SDSIM_ITEM_NO_DATA:
    case SDSIM_ITEM_ERROR_TOKEN:
        judge->score += NONSENSE;
        break;
    default:
        break;
    }
}

static struct judge *judge_of(struct sdsim_spi_listener *listener)
{
    return (struct judge *)((char *)listener - offsetof(struct judge, bytes));
}

static void judge_byte(struct sdsim_spi_listener *listener, const struct sdsim_spi_byte *byte)
{
    sdsim_spi_decoder_byte(judge_of(listener)->spi, byte);
}

static void judge_select(struct sdsim_spi_listener *listener, bool low, sdsim_ps at, uint64_t place)
{
    sdsim_spi_decoder_select(judge_of(listener)->spi, low, at, place);
}

static void judge_clocks(struct sdsim_spi_listener *listener, unsigned count, sdsim_ps start,
                         sdsim_ps end, uint64_t place)
{
    sdsim_spi_decoder_clocks(judge_of(listener)->spi, count, start, end, place);
}

/* Room for trials. */
struct bench {
    const struct sdsim_survey *survey;
    struct sdsim_clock_meter meter;
    struct sdsim_line_map map;
    struct sdsim_spi_decoder spi;
    struct sdsim_sd_decoder sd;
};

static struct judge try_spi(struct bench *bench, const struct sdsim_roles *roles,
                            enum sdsim_sampling sampling, bool idle_high)
{
    const struct sdsim_survey *survey = bench->survey;
    struct judge judge = {
        .items = {judge_item},
        .bytes = {judge_byte, judge_select, judge_clocks},
        .spi = &bench->spi,
    };
    struct sdsim_spi_sampler sampler;
    sdsim_clock_meter_init(&bench->meter, survey->quantum);
    sdsim_line_map_init(&bench->map, survey->facts, roles);
    sdsim_spi_decoder_init(&bench->spi, &judge.items, true);
    sdsim_spi_sampler_init(&sampler, &survey->facts->tick, sampling, idle_high,
                           roles->channel[SDSIM_LINE_CS] != SDSIM_NO_CHANNEL, &bench->meter,
                           &judge.bytes);
    for (size_t i = 0; i < survey->count; i++) {
        const struct sdsim_pin_change *change = &survey->changes[i];
        sdsim_spi_sampler_change(&sampler, change->tick,
                                 sdsim_line_map(&bench->map, change->levels));
    }
    return judge;
}

static int64_t try_sd(struct bench *bench, const struct sdsim_roles *roles)
{
    static const bool lines[SDSIM_SD_LINES] = {true, true, true, true, true};
    const struct sdsim_survey *survey = bench->survey;
    struct judge judge = {.items = {judge_item}};
    struct sdsim_sd_sampler sampler;
    sdsim_clock_meter_init(&bench->meter, survey->quantum);
    sdsim_line_map_init(&bench->map, survey->facts, roles);
    sdsim_sd_decoder_init(&bench->sd, &survey->facts->tick, survey->quantum, lines, &bench->meter,
                          &judge.items);
    sdsim_sd_sampler_init(&sampler, &bench->sd);
    sdsim_sd_sampler_begin(&sampler, sdsim_line_map(&bench->map, survey->changes[0].levels));
    for (size_t i = 1; i < survey->count; i++) {
        const struct sdsim_pin_change *change = &survey->changes[i];
        sdsim_sd_sampler_change(&sampler, change->tick,
                                sdsim_line_map(&bench->map, change->levels));
    }
    return judge.score - (int64_t)bench->sd.frames_lost;
}

/* How the channels move. */
struct motion {
    uint64_t edges[SDSIM_PIN_CHANNELS];
    uint64_t low_at_clock[SDSIM_PIN_CHANNELS]; /* edges of the clock with the channel low */
    int lively[TRIED];                         /* channels, most edges first */
    size_t lively_count;
};

static unsigned bit_of(const struct sdsim_survey *survey, int channel)
{
    return survey->facts->channels[channel].bit;
}

static void count_edges(const struct sdsim_survey *survey, struct motion *motion)
{
    const size_t channels = survey->facts->channel_count;
    memset(motion, 0, sizeof *motion);
    for (size_t i = 1; i < survey->count; i++) {
        const uint64_t changed = survey->changes[i].levels ^ survey->changes[i - 1].levels;
        for (size_t c = 0; c < channels; c++) {
            motion->edges[c] += changed >> bit_of(survey, (int)c) & 1;
        }
    }
    for (size_t c = 0; c < channels; c++) {
        size_t place = motion->lively_count;
        while (place > 0 && motion->edges[motion->lively[place - 1]] < motion->edges[c]) {
            place--;
        }
        if (motion->edges[c] == 0 || place == TRIED) {
            continue;
        }
        motion->lively_count += motion->lively_count < TRIED;
        memmove(&motion->lively[place + 1], &motion->lively[place],
                (motion->lively_count - 1 - place) * sizeof motion->lively[0]);
        motion->lively[place] = (int)c;
    }
}

static void count_low(const struct sdsim_survey *survey, struct motion *motion, int clock)
{
    const uint64_t bit = UINT64_C(1) << bit_of(survey, clock);
    memset(motion->low_at_clock, 0, sizeof motion->low_at_clock);
    for (size_t i = 1; i < survey->count; i++) {
        const uint64_t before = survey->changes[i - 1].levels;
        if (((survey->changes[i].levels ^ before) & bit) == 0) {
            continue;
        }
        for (size_t k = 0; k < motion->lively_count; k++) {
            const int c = motion->lively[k];
            motion->low_at_clock[c] += (before >> bit_of(survey, c) & 1) == 0;
        }
    }
}

static bool taken(const struct sdsim_roles *roles, int channel)
{
    for (int line = 0; line < SDSIM_LINE_COUNT; line++) {
        if (roles->channel[line] == channel) {
            return true;
        }
    }
    return false;
}

static void give(struct sdsim_roles *roles, enum sdsim_line line, int channel)
{
    roles->channel[line] = channel;
    roles->by_behaviour[line] = true;
}

/* CS by behaviour: low while the clock runs, and moving least. */
static void find_cs(const struct sdsim_survey *survey, struct motion *motion,
                    struct sdsim_roles *roles)
{
    const int clock = roles->channel[SDSIM_LINE_CLK];
    count_low(survey, motion, clock);
    for (size_t i = motion->lively_count; i-- > 0;) {
        const int c = motion->lively[i];
        if (!taken(roles, c) && motion->edges[c] < motion->edges[clock] / 8 &&
            motion->low_at_clock[c] * 10 >= motion->edges[clock] * 9) {
            give(roles, SDSIM_LINE_CS, c);
            return;
        }
    }
}

/* The clock's level where CS falls, or at the beginning. */
static bool idles_high(const struct sdsim_survey *survey, const struct sdsim_roles *roles)
{
    const uint64_t clock = UINT64_C(1) << bit_of(survey, roles->channel[SDSIM_LINE_CLK]);
    const int cs = roles->channel[SDSIM_LINE_CS];
    uint64_t high = 0;
    uint64_t falls = 0;
    for (size_t i = 1; i < survey->count && cs != SDSIM_NO_CHANNEL; i++) {
        const uint64_t before = survey->changes[i - 1].levels;
        const bool falls_here = (before & ~survey->changes[i].levels) >> bit_of(survey, cs) & 1;
        falls += falls_here;
        high += falls_here && (survey->changes[i].levels & clock) != 0;
    }
    return falls > 0 ? 2 * high > falls : (survey->changes[0].levels & clock) != 0;
}

/* Tries the samplings; keeps what is better than what was found so far. */
static void rate_spi(struct sdsim_survey *survey, struct bench *bench,
                     const struct sdsim_roles *trial, struct sdsim_roles *best)
{
    /* The leading edge first: where data changes with the trailing edge, it is still the old one in front
     * of that edge, too. */
    static const enum sdsim_sampling orders[2][SDSIM_SAMPLING_COUNT] = {
        {SDSIM_SAMPLE_BEFORE_RISE, SDSIM_SAMPLE_BEFORE_FALL, SDSIM_SAMPLE_AT_RISE,
         SDSIM_SAMPLE_AT_FALL},
        {SDSIM_SAMPLE_BEFORE_FALL, SDSIM_SAMPLE_BEFORE_RISE, SDSIM_SAMPLE_AT_FALL,
         SDSIM_SAMPLE_AT_RISE},
    };
    const bool idle_high = idles_high(survey, trial);
    for (size_t i = 0; i < SDSIM_SAMPLING_COUNT; i++) {
        const enum sdsim_sampling sampling = orders[idle_high][i];
        const int64_t score = try_spi(bench, trial, sampling, idle_high).score;
        if (score > survey->score) {
            survey->score = score;
            survey->sampling = sampling;
            survey->idle_high = idle_high;
            *best = *trial;
        }
    }
}

/* Channels a line may be: the one it is, or all lively ones that are free. */
static size_t choices(const struct motion *motion, const struct sdsim_roles *roles,
                      enum sdsim_line line, int out[TRIED + 1])
{
    size_t count = 0;
    if (roles->channel[line] != SDSIM_NO_CHANNEL) {
        out[count++] = roles->channel[line];
        return count;
    }
    for (size_t i = 0; i < motion->lively_count; i++) {
        if (!taken(roles, motion->lively[i])) {
            out[count++] = motion->lively[i];
        }
    }
    return count;
}

static void search_spi(struct sdsim_survey *survey, struct bench *bench, struct motion *motion,
                       const struct sdsim_roles *known, struct sdsim_roles *best)
{
    struct sdsim_roles base = *known;
    int mosi[TRIED + 1];
    int miso[TRIED + 1];
    base.bus = SDSIM_CAPTURE_SPI;
    if (base.channel[SDSIM_LINE_CS] == SDSIM_NO_CHANNEL) {
        find_cs(survey, motion, &base);
    }
    const size_t mosi_count = choices(motion, &base, SDSIM_LINE_MOSI, mosi);
    for (size_t i = 0; i < mosi_count; i++) {
        struct sdsim_roles trial = base;
        if (base.channel[SDSIM_LINE_MOSI] == SDSIM_NO_CHANNEL) {
            give(&trial, SDSIM_LINE_MOSI, mosi[i]);
        }
        const size_t miso_count = choices(motion, &trial, SDSIM_LINE_MISO, miso);
        for (size_t k = 0; k < miso_count; k++) {
            struct sdsim_roles pair = trial;
            if (trial.channel[SDSIM_LINE_MISO] == SDSIM_NO_CHANNEL) {
                give(&pair, SDSIM_LINE_MISO, miso[k]);
            }
            rate_spi(survey, bench, &pair, best);
        }
        if (miso_count == 0) {
            rate_spi(survey, bench, &trial, best);
        }
    }
}

static void search_sd(struct sdsim_survey *survey, struct bench *bench, struct motion *motion,
                      const struct sdsim_roles *known, struct sdsim_roles *best)
{
    struct sdsim_roles base = *known;
    int cmd[TRIED + 1];
    base.bus = SDSIM_CAPTURE_SD;
    const size_t count = choices(motion, &base, SDSIM_LINE_CMD, cmd);
    for (size_t i = 0; i < count; i++) {
        struct sdsim_roles trial = base;
        if (base.channel[SDSIM_LINE_CMD] == SDSIM_NO_CHANNEL) {
            give(&trial, SDSIM_LINE_CMD, cmd[i]);
        }
        const int64_t score = try_sd(bench, &trial);
        if (score > survey->score) {
            survey->score = score;
            *best = trial;
        }
    }
}

/* The DAT lines nobody named, in the order of the channels; only if names told none of them. */
static void find_data(const struct sdsim_survey *survey, const struct motion *motion,
                      struct sdsim_roles *roles)
{
    int line = SDSIM_LINE_DAT0;
    for (int i = SDSIM_LINE_DAT0; i <= SDSIM_LINE_DAT3; i++) {
        if (roles->channel[i] != SDSIM_NO_CHANNEL) {
            return;
        }
    }
    for (size_t c = 0; c < survey->facts->channel_count && line <= SDSIM_LINE_DAT3; c++) {
        if (motion->edges[c] > 0 && !taken(roles, (int)c)) {
            give(roles, (enum sdsim_line)line++, (int)c);
        }
    }
}

static uint64_t quantum_of(const struct sdsim_survey *survey)
{
    const struct sdsim_pin_facts *facts = survey->facts;
    uint64_t shortest = UINT64_MAX;
    if (facts->rate != 0) {
        const double ticks = (double)SDSIM_S / (double)facts->rate * (double)facts->tick.den /
                             (double)facts->tick.num;
        return ticks > 1 ? (uint64_t)(ticks + 0.5) : 1;
    }
    for (size_t i = 1; i < survey->count; i++) {
        const uint64_t span = survey->changes[i].tick - survey->changes[i - 1].tick;
        shortest = span > 0 && span < shortest ? span : shortest;
    }
    return shortest == UINT64_MAX ? 1 : shortest;
}

static bool complain(struct sdsim_diags *diags, const char *path, const char *what)
{
    const struct sdsim_place place = {.file = path};
    sdsim_diag_add(
        diags, SDSIM_ERROR, &place, NULL, 0,
        "name the lines: --channel clk=D0,cs=D1,mosi=D2,miso=D3, or clk=, cmd=, dat0=", "%s", what);
    return false;
}

/* Without anything that decodes, names must do. */
static bool settle(const struct sdsim_survey *survey, struct sdsim_roles *roles,
                   struct sdsim_diags *diags, const char *path)
{
    if (roles->bus == SDSIM_CAPTURE_SPI && (roles->channel[SDSIM_LINE_MOSI] == SDSIM_NO_CHANNEL &&
                                            roles->channel[SDSIM_LINE_MISO] == SDSIM_NO_CHANNEL)) {
        return complain(diags, path, "neither MOSI nor MISO can be told among the channels");
    }
    if (roles->bus == SDSIM_CAPTURE_UNKNOWN || roles->channel[SDSIM_LINE_CLK] < 0) {
        return complain(diags, path,
                        survey->count <= 1 ? "no channel ever changes"
                                           : "no bus of an SD card can be told among the channels");
    }
    return true;
}

static void search(struct sdsim_survey *survey, struct bench *bench, struct sdsim_roles *roles)
{
    struct motion motion;
    struct sdsim_roles best = *roles;
    count_edges(survey, &motion);
    const bool clock_known = roles->channel[SDSIM_LINE_CLK] != SDSIM_NO_CHANNEL;
    for (size_t i = 0; i < (clock_known ? 1 : motion.lively_count); i++) {
        struct sdsim_roles trial = *roles;
        if (!clock_known) {
            if (i >= 2 && survey->score > 0) {
                break; /* the liveliest is the clock, or the next */
            }
            if (taken(roles, motion.lively[i])) {
                continue;
            }
            give(&trial, SDSIM_LINE_CLK, motion.lively[i]);
        }
        if (roles->bus != SDSIM_CAPTURE_SPI) {
            search_sd(survey, bench, &motion, &trial, &best);
        }
        if (roles->bus != SDSIM_CAPTURE_SD) {
            search_spi(survey, bench, &motion, &trial, &best);
        }
    }
    *roles = best;
    if (roles->bus == SDSIM_CAPTURE_SD) {
        find_data(survey, &motion, roles);
    }
}

/* Whether edges of an SPI clock are missing: few samples a clock, frames that are no whole bytes, and
 * periods of uneven length or hardly anything that decodes. What does is made up by chance. */
static bool lost_edges(struct sdsim_survey *survey, struct bench *bench,
                       const struct sdsim_roles *roles)
{
    if (roles->bus != SDSIM_CAPTURE_SPI || survey->facts->rate == 0 ||
        roles->channel[SDSIM_LINE_CLK] == SDSIM_NO_CHANNEL) {
        return false;
    }
    const struct judge judge = try_spi(bench, roles, survey->sampling, survey->idle_high);
    const struct sdsim_clock_meter *meter = &bench->meter;
    const bool few = meter->count > 0 && sdsim_stretch_period(&meter->stretches[meter->count - 1]) <
                                             (double)FEW_SAMPLES * (double)meter->quantum;
    return judge.torn > 0 && few &&
           (sdsim_clock_meter_is_coarse(meter) || judge.score <= (int64_t)judge.torn * FRAME_RIGHT);
}

bool sdsim_survey_run(struct sdsim_survey *survey, struct sdsim_roles *roles,
                      struct sdsim_diags *diags, const char *path)
{
    survey->sampling = SDSIM_SAMPLE_BEFORE_RISE;
    survey->score = 0;
    if (survey->quantum == 0) {
        survey->quantum = quantum_of(survey);
    }
    if (survey->count > 1) {
        struct bench *bench = malloc(sizeof *bench);
        if (bench == NULL) {
            sdsim_error(diags, path, "out of memory");
            return false;
        }
        bench->survey = survey;
        search(survey, bench, roles);
        survey->undersampled = lost_edges(survey, bench, roles);
        free(bench);
    }
    if (!settle(survey, roles, diags, path)) {
        return false;
    }
    if (survey->score == 0 && roles->bus == SDSIM_CAPTURE_SPI && survey->count > 0) {
        survey->idle_high = idles_high(survey, roles);
    }
    return true;
}

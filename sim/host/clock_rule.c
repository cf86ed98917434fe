#include "host/clock_rule.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/units.h"

#define MHZ UINT64_C(1000000)

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t at_least(uint64_t a, uint64_t least)
{
    return a < least ? least : a;
}

static uint64_t at_most(uint64_t a, uint64_t most)
{
    return a > most ? most : a;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static uint32_t usual(uint32_t value, uint32_t otherwise)
{
    return value != 0 ? value : otherwise;
}

/*
 * Each rule gives the number by which the source is divided for a request of `hz`, in its parts of
 * one (see the table below), or 0 if the request can't be made.
 */

static uint64_t esp32_arduino(const struct sdsim_clock_source *source, uint64_t hz)
{
    const uint64_t apb = source->source_hz;
    const uint64_t most = usual(source->pre_limit, 8192);
    if (hz >= apb) {
        return 1;
    }
    /* For each n the code tries the whole quotient and its neighbours from one below to two above,
     * and takes what comes nearest from below. */
    uint64_t best = most * 64;
    uint64_t best_hz = 0;
    for (uint64_t n = 2; n <= 64 && best_hz != hz; n++) {
        const uint64_t middle = apb / n / hz;
        for (uint64_t pre = at_least(middle, 2) - 1; pre <= middle + 2; pre++) {
            const uint64_t divider = at_most(pre, most) * n;
            if (apb / divider <= hz && apb / divider > best_hz) {
                best = divider;
                best_hz = apb / divider;
            }
        }
    }
    return best;
}

static uint64_t esp_idf_spi(const struct sdsim_clock_source *source, uint64_t hz)
{
    const uint64_t apb = source->source_hz;
    if (hz > apb / 4 * 3) {
        return 1;
    }
    uint64_t best = 0;
    uint64_t best_error = UINT64_MAX;
    for (uint64_t n = 2; n <= 64; n++) {
        const uint64_t rounded = (apb / n + hz / 2) / hz;
        const uint64_t pre = at_most(at_least(rounded, 1), usual(source->pre_limit, 8192));
        const uint64_t error = distance(apb / (pre * n), hz);
        if (error <= best_error) {
            best = pre * n;
            best_error = error;
        }
    }
    return best;
}

static uint64_t esp_idf_spi_below(const struct sdsim_clock_source *source, uint64_t hz)
{
    /* The highest request, not above the wanted one, whose answer is not above the wanted one; 1 Hz
     * asks for the slowest. */
    uint64_t low = 1;
    uint64_t high = hz + 1;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (source->source_hz / esp_idf_spi(source, middle) <= hz) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return esp_idf_spi(source, low);
}

/* The requests that the SDMMC code knows by heart, for its usual source; 0 for all others. */
static uint64_t esp_sdmmc_fixed(uint64_t source_hz, uint64_t hz)
{
    if (source_hz != 160 * MHZ) {
        return 0;
    }
    if (hz >= 40 * MHZ) {
        return 4;
    }
    return hz == 20 * MHZ ? 8 : hz == 400000 ? 10 * 2 * 20 : 0;
}

static uint64_t esp_sdmmc(const struct sdsim_clock_source *source, uint64_t hz)
{
    const uint64_t fixed = esp_sdmmc_fixed(source->source_hz, hz);
    if (fixed != 0) {
        return fixed;
    }
    const uint64_t total = quotient_up(source->source_hz, hz);
    if (total <= 16) {
        return total;
    }
    for (uint64_t host = 2; host <= 16; host++) {
        const uint64_t card = quotient_up(source->source_hz, host * 2 * hz);
        if (card <= 255) {
            return host * 2 * card;
        }
    }
    return 0;
}

static uint64_t esp_sdmmc_v5(const struct sdsim_clock_source *source, uint64_t hz)
{
    const uint64_t fixed = esp_sdmmc_fixed(source->source_hz, hz);
    if (fixed != 0) {
        return fixed;
    }
    if (source->source_hz / hz <= 15) {
        return quotient_up(source->source_hz, hz);
    }
    const uint64_t card = quotient_up(source->source_hz, 2 * 2 * hz);
    return card <= 255 ? 2 * 2 * card : 0;
}

static uint64_t pl022(const struct sdsim_clock_source *source, uint64_t hz)
{
    uint64_t prescale = 2;
    while (source->source_hz >= prescale * 256 * hz) {
        prescale += 2;
        if (prescale > 254) {
            return 0;
        }
    }
    uint64_t postdiv = 256;
    while (postdiv > 1 && source->source_hz / (prescale * (postdiv - 1)) <= hz) {
        postdiv--;
    }
    return prescale * postdiv;
}

static uint64_t pio_sdio(const struct sdsim_clock_source *source, uint64_t hz)
{
    const uint64_t cycles = usual(source->cycles, 4);
    const uint64_t divider = (source->source_hz * 256 + cycles * hz / 2) / (cycles * hz);
    return divider <= 65536 * 256 ? cycles * at_least(divider, 256) : 0;
}

static uint64_t sercom_arduino(const struct sdsim_clock_source *source, uint64_t hz)
{
    /* BAUD has eight bits, and nothing keeps a larger number from being cut to them. */
    const uint64_t half = source->source_hz / (2 * hz);
    return half <= 256 ? 2 * at_least(half, 1) : 0;
}

static uint64_t sercom_cpy(const struct sdsim_clock_source *source, uint64_t hz)
{
    return 2 * at_most(quotient_up(source->source_hz, 2 * hz), 256);
}

static uint64_t power_of_two(const struct sdsim_clock_source *source, uint64_t hz)
{
    const uint64_t largest = usual(source->largest, 256);
    uint64_t divider = 2;
    while (divider < largest && source->source_hz > divider * hz) {
        divider *= 2;
    }
    return divider;
}

static uint64_t stm32_sdio(const struct sdsim_clock_source *source, uint64_t hz)
{
    if (source->bypass && hz >= source->source_hz) {
        return 1;
    }
    const uint64_t divider = at_least(quotient_up(source->source_hz, hz), 2);
    return divider <= 255 + 2 ? divider : 0;
}

static uint64_t stm32_sdmmc(const struct sdsim_clock_source *source, uint64_t hz)
{
    if (source->bypass && hz >= source->source_hz) {
        return 1;
    }
    const uint64_t half = quotient_up(source->source_hz, 2 * hz);
    return half <= 1023 ? 2 * half : 0;
}

static uint64_t nrf52(const struct sdsim_clock_source *source, uint64_t hz)
{
    /* From 512 (125 kHz) down to 2 (32 MHz), each for a quotient of at least itself, the last one
     * for all that is left. A maximum of 8 MHz has kept the request from the quotients below 8. */
    const uint64_t quotient = source->source_hz / hz;
    uint64_t divider = 512;
    while (divider > 2 && quotient < divider) {
        divider /= 2;
    }
    return divider;
}

static uint64_t lpspi(const struct sdsim_clock_source *source, uint64_t hz)
{
    const uint64_t divider = at_least(quotient_up(source->source_hz, hz), 2);
    return source->largest != 0 ? at_most(divider, source->largest) : divider;
}

static uint64_t usdhc(const struct sdsim_clock_source *source, uint64_t hz)
{
    uint64_t prescale = 1;
    while (prescale < 256 && source->source_hz / (prescale * 16) > hz) {
        prescale *= 2;
    }
    uint64_t divisor = 1;
    while (divisor < 16 && source->source_hz / (prescale * divisor) > hz) {
        divisor++;
    }
    return prescale * divisor;
}

static uint64_t ftdi(const struct sdsim_clock_source *source, uint64_t hz)
{
    const uint64_t half = quotient_up(source->source_hz, 2 * hz);
    return half <= 65536 ? 2 * half : 0;
}

struct rule {
    uint64_t (*divide)(const struct sdsim_clock_source *source, uint64_t hz);
    uint32_t parts; /* dividers are in 1/parts */
    bool may_exceed;
};

static const struct rule rules[SDSIM_CLOCK_RULE_COUNT] = {
    [SDSIM_CLOCK_EXACT] = {NULL, 1, false},
    [SDSIM_CLOCK_ESP32_ARDUINO] = {esp32_arduino, 1, false},
    [SDSIM_CLOCK_ESP_IDF_SPI] = {esp_idf_spi, 1, true},
    [SDSIM_CLOCK_ESP_IDF_SPI_BELOW] = {esp_idf_spi_below, 1, false},
    [SDSIM_CLOCK_ESP_SDMMC] = {esp_sdmmc, 1, false},
    [SDSIM_CLOCK_ESP_SDMMC_V5] = {esp_sdmmc_v5, 1, false},
    [SDSIM_CLOCK_PL022] = {pl022, 1, false},
    [SDSIM_CLOCK_PIO_SDIO] = {pio_sdio, 256, true},
    [SDSIM_CLOCK_SERCOM_ARDUINO] = {sercom_arduino, 1, true},
    [SDSIM_CLOCK_SERCOM_CPY] = {sercom_cpy, 1, false},
    [SDSIM_CLOCK_POWER_OF_TWO] = {power_of_two, 1, false},
    [SDSIM_CLOCK_STM32_SDIO] = {stm32_sdio, 1, false},
    [SDSIM_CLOCK_STM32_SDMMC] = {stm32_sdmmc, 1, false},
    [SDSIM_CLOCK_NRF52] = {nrf52, 1, true},
    [SDSIM_CLOCK_LPSPI] = {lpspi, 1, false},
    [SDSIM_CLOCK_USDHC] = {usdhc, 1, false},
    [SDSIM_CLOCK_FTDI] = {ftdi, 1, false},
};

bool sdsim_clock_choose(const struct sdsim_clock_source *source, uint64_t requested_hz,
                        struct sdsim_clock_choice *choice)
{
    const struct rule *const rule = &rules[source->rule];
    const uint64_t hz =
        source->maximum_hz != 0 ? at_most(requested_hz, source->maximum_hz) : requested_hz;
    assert(hz > 0);
    if (rule->divide == NULL) {
        *choice = (struct sdsim_clock_choice){.hz_num = hz, .hz_den = 1, .divider = 1};
        return true;
    }
    assert(source->source_hz > 0);
    /* No rule tells requests above 1 GHz apart, and the products below must not overflow. */
    const uint64_t divider = rule->divide(source, at_most(hz, 1000 * MHZ));
    if (divider == 0) {
        return false;
    }
    *choice = (struct sdsim_clock_choice){
        .hz_num = source->source_hz * rule->parts,
        .hz_den = divider,
        .divider = divider % rule->parts == 0 ? (uint32_t)(divider / rule->parts) : 0,
    };
    choice->above_request = choice->hz_num / choice->hz_den > requested_hz;
    return true;
}

bool sdsim_clock_may_exceed(enum sdsim_clock_rule rule)
{
    return rules[rule].may_exceed;
}

/* The explanation: a text that grows, cut at its end. */
struct text {
    char *out;
    size_t size;
    size_t used;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(text->out + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (n > 0) {
        text->used = at_most(text->used + (size_t)n, text->size - 1);
    }
}

static void add_hz(struct text *text, double hz)
{
    char printed[32];
    add(text, "%s", sdsim_unit_print(SDSIM_UNIT_FREQUENCY, hz, printed, sizeof(printed)));
}

static double hz_of(const struct sdsim_clock_choice *choice)
{
    return (double)choice->hz_num / (double)choice->hz_den;
}

/* "80MHz / 4" */
static void add_division(struct text *text, const struct sdsim_clock_source *source,
                         const struct sdsim_clock_choice *choice)
{
    add_hz(text, (double)source->source_hz);
    add(text, " / %.7g", (double)source->source_hz / hz_of(choice));
}

/* The choice for the lowest request that gives more than `choice`, and the highest that gives less.
 * False if there is none. Rules never give less for a higher request, so halving finds it. */
static bool next_faster(const struct sdsim_clock_source *source, uint64_t request,
                        const struct sdsim_clock_choice *choice, struct sdsim_clock_choice *next)
{
    uint64_t low = request;
    uint64_t high = at_least(source->source_hz, request);
    if (!sdsim_clock_choose(source, high, next) || hz_of(next) <= hz_of(choice)) {
        return false;
    }
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        sdsim_clock_choose(source, middle, next);
        if (hz_of(next) > hz_of(choice)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return sdsim_clock_choose(source, high, next);
}

/* The choice for the lowest request that can be made. */
static void slowest(const struct sdsim_clock_source *source, uint64_t refused,
                    struct sdsim_clock_choice *choice)
{
    uint64_t low = refused;
    uint64_t high = source->source_hz;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (sdsim_clock_choose(source, middle, choice)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    sdsim_clock_choose(source, high, choice);
}

/* `capped_by` is who keeps the request from being higher; NULL: nobody. */
static void add_reason(struct text *text, const struct sdsim_clock_source *source, uint64_t request,
                       const char *capped_by, const struct sdsim_clock_choice *choice)
{
    struct sdsim_clock_choice next;
    if (choice->above_request) {
        add(text, sdsim_clock_may_exceed(source->rule)
                      ? ", above the request, as this host's rule allows"
                      : ", above the request, but the slowest there is");
    } else if (choice->hz_num == request * choice->hz_den) {
        return;
    } else if (!next_faster(source, request, choice, &next)) {
        add(text, "; there is none faster");
    } else {
        add(text, "; ");
        add_division(text, source, &next);
        add(text, " = ");
        add_hz(text, hz_of(&next));
        if (sdsim_clock_may_exceed(source->rule)) {
            add(text, " is not taken here, but this host's rule can go above a request");
            return;
        }
        add(text, " is above ");
        if (capped_by != NULL) {
            add(text, "the %s's cap of ", capped_by);
        }
        add_hz(text, (double)request);
    }
}

char *sdsim_clock_explain(const struct sdsim_clock_source *source, uint64_t requested_hz,
                          uint64_t cap_hz, const char *cap_owner, char *out, size_t size)
{
    if (size == 0) {
        return out;
    }
    struct text text = {.out = out, .size = size};
    out[0] = '\0';
    add_hz(&text, (double)requested_hz);
    add(&text, " asked");
    const bool capped = cap_hz != 0 && cap_hz <= requested_hz;
    const uint64_t request = capped ? cap_hz : requested_hz;
    if (request < requested_hz) {
        add(&text, ", cut to ");
        add_hz(&text, (double)request);
        add(&text, " by the %s", cap_owner);
    }
    struct sdsim_clock_choice choice;
    if (!sdsim_clock_choose(source, request, &choice)) {
        slowest(source, request, &choice);
        add(&text, ", not possible: the slowest is ");
        add_division(&text, source, &choice);
        add(&text, " = ");
        add_hz(&text, hz_of(&choice));
        return out;
    }
    add(&text, ", ");
    add_hz(&text, hz_of(&choice));
    add(&text, " real: ");
    if (rules[source->rule].divide == NULL) {
        add(&text, "taken as it is");
        return out;
    }
    add_division(&text, source, &choice);
    add_reason(&text, source, request, capped ? cap_owner : NULL, &choice);
    return out;
}

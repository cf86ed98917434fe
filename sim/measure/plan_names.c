#include "measure/plan_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool starts(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

/* ---- hosts ---- */

static const char *host_family(const struct sdsim_measurement *measurement,
                               struct sdsim_profiles *profiles)
{
    /* Chips that have no profile of their own, and the one that is most like them. */
    static const struct {
        const char *head;
        const char *profile;
    } families[] = {
        {"esp32s2", "esp32s3"},
        {"esp32s", "esp32s3"},
        {"esp32c", "esp32s3"},
        {"esp32p", "esp32s3"},
        {"esp32", "esp32"},
        {"rp235", "rp2350"},
        {"rp", "rp2040"},
        {"imxrt106", "imxrt1062"},
        {"imxrt", "imxrt600"},
        {"teensy4", "imxrt1062"},
        {"teensy3", "mk66"},
        {"mk", "mk66"},
        {"kinetis", "kinetis-k"},
        {"stm32f1", "stm32f1"},
        {"stm32f2", "stm32f2"},
        {"stm32f3", "stm32f1"},
        {"stm32f4", "stm32f4"},
        {"stm32f7", "stm32f7"},
        {"stm32h", "stm32h7"},
        {"stm32l", "stm32l4"},
        {"stm32", "stm32f4"},
        {"samd2", "samd21"},
        {"samd5", "samd51"},
        {"same5", "samd51"},
        {"sam3", "sam3x8e"},
        {"sams", "sams70"},
        {"same7", "sams70"},
        {"samv", "sams70"},
        {"atmega2560", "atmega2560"},
        {"atmega", "atmega328p"},
        {"at90", "atmega2560"},
        {"ra", "ra4m1"},
        {"nrf52", "nrf52840"},
        {"lpc", "lpc43xx"},
        {"p2", "p2"},
        {"linux-usb", "linux-usb-reader"},
        {"linux-rpi2", "raspberry-pi-2"},
        {"linux-rpi3", "raspberry-pi-3"},
        {"linux-rpi4", "raspberry-pi-4"},
        {"linux-rpi5", "raspberry-pi-5"},
        {"linux", "linux-native"},
    };
    if (sdsim_profiles_has(profiles, "host", measurement->host)) {
        return measurement->host;
    }
    for (size_t i = 0; i < COUNT(families); i++) {
        if (starts(measurement->host, families[i].head)) {
            return families[i].profile;
        }
    }
    return "unspecified";
}

static const char *board_or_family(const struct sdsim_measurement *measurement,
                                   struct sdsim_profiles *profiles)
{
    const char *board = sdsim_profiles_board(profiles, measurement);
    return board != NULL ? board : host_family(measurement, profiles);
}

const char *sdsim_plan_host(const struct sdsim_measurement *measurement,
                            struct sdsim_profiles *profiles, char *out, size_t size)
{
    const char *family = board_or_family(measurement, profiles);
    const char *transfer = sdsim_assumption(measurement, "spi_transfer");
    if (transfer != NULL) {
        snprintf(out, size, "%s-%s", family, transfer);
        if (sdsim_profiles_has(profiles, "host", out)) {
            return out;
        }
    }
    if (measurement->cpu_hz > 0) {
        snprintf(out, size, "%s-%llu", family, (unsigned long long)(measurement->cpu_hz / 1000000));
        if (sdsim_profiles_has(profiles, "host", out)) {
            return out;
        }
    }
    snprintf(out, size, "%s", family);
    return out;
}

/* Copies `child` of `section` from the generic host, if the host has none. */
static struct sdsim_node *lend(struct sdsim_node *host, const struct sdsim_node *generic,
                               const char *section, const char *child, struct sdsim_config *config)
{
    const struct sdsim_node *own = sdsim_node_get(host, section);
    struct sdsim_node *lent = sdsim_node_get(sdsim_node_get(generic, section), child);
    if (lent == NULL || sdsim_node_get(own, child) != NULL) {
        return host;
    }
    struct sdsim_entry *inner = sdsim_config_alloc(config, 1, sizeof *inner);
    struct sdsim_entry *outer = sdsim_config_alloc(config, 1, sizeof *outer);
    struct sdsim_node *nodes = sdsim_config_alloc(config, 2, sizeof *nodes);
    if (inner == NULL || outer == NULL || nodes == NULL) {
        return NULL;
    }
    *inner = (struct sdsim_entry){
        .key = child, .source = lent->source, .line = lent->line, .value = lent};
    nodes[0] = (struct sdsim_node){.kind = SDSIM_NODE_MAP,
                                   .source = lent->source,
                                   .line = lent->line,
                                   .column = lent->column,
                                   .entries = inner,
                                   .count = 1};
    *outer = (struct sdsim_entry){
        .key = section, .source = lent->source, .line = lent->line, .value = &nodes[0]};
    nodes[1] = nodes[0];
    nodes[1].entries = outer;
    return sdsim_config_overlay(config, host, &nodes[1]);
}

/* Under which name a host has the costs of the run's driver; NULL if it has no such driver. */
static const char *costs_name(const struct sdsim_run *run)
{
    const char *name = sdsim_node_text(run->driver, "code");
    for (int code = 0; name != NULL && code < SDSIM_DRIVER_COUNT; code++) {
        const struct sdsim_driver_class *class = sdsim_driver_class((enum sdsim_driver_code)code);
        if (strcmp(class->name, name) == 0) {
            return sdsim_run_costs(run, class);
        }
    }
    return NULL;
}

struct sdsim_node *sdsim_plan_lend_costs(const struct sdsim_run *run, struct sdsim_config *config,
                                         struct sdsim_profiles *profiles, struct sdsim_diags *diags)
{
    const char *code = costs_name(run);
    const char *clock = sdsim_node_text(run->driver, "clock");
    struct sdsim_node *host = run->host;
    if (code == NULL || clock == NULL) {
        return host;
    }
    const struct sdsim_node *drivers = sdsim_node_get(host, "drivers");
    const struct sdsim_node *clocks = sdsim_node_get(host, "clocks");
    const char *needed = strcmp(clock, "sdmmc") == 0 ? "sdmmc" : "spi";
    const bool has_costs = sdsim_node_get(drivers, code) != NULL;
    const bool has_clock =
        sdsim_node_get(clocks, clock) != NULL || sdsim_node_get(clocks, needed) != NULL;
    const char *api = sdsim_node_text(sdsim_node_get(run->tree, "file"), "api");
    const bool has_api = api == NULL || sdsim_node_get(sdsim_node_get(host, "files"), api) != NULL;
    if (has_costs && has_clock && has_api) {
        return host;
    }
    struct sdsim_node *name =
        sdsim_config_parse_text(config, "(plan)", "unspecified", strlen("unspecified"), diags);
    const struct sdsim_node *generic =
        name != NULL ? sdsim_profiles_resolve(profiles, "host", name, "unspecified", NULL, diags)
                     : NULL;
    if (generic == NULL) {
        return NULL;
    }
    if (!has_clock) {
        host = lend(host, generic, "clocks", needed, config);
    }
    if (host != NULL && !has_costs) {
        host = lend(host, generic, "drivers", code, config);
    }
    if (host != NULL && !has_api) {
        host = lend(host, generic, "files", api, config);
    }
    return host;
}

/* ---- drivers ---- */

enum needed_answer {
    ANY,
    DMA,
};

/* What a driver's name stands for where that hangs on what a measurement says besides; the first row that
 * fits. Which release a name stood for in which year, the profiles say. */
static const struct {
    const char *name;
    const char *host; /* how the name of its profile begins; NULL: any */
    enum needed_answer dma;
    const char *remark; /* an assumption, or how a remark begins; NULL: any */
    const char *profile;
} drivers[] = {
    {"sdfat-sdio", NULL, DMA, NULL, "sdfat-teensy-sdio-dma"},
    {"sdfat-sdio", NULL, ANY, "stream=per-call", "sdfat-teensy-sdio-dma"},
    {"sdfat-sdio", NULL, ANY, NULL, "sdfat-teensy-sdio"},
    {"stm32-hal-sdio", NULL, DMA, NULL, "stm32-hal-sd-dma"},
    {"stm32-hal-sdio", NULL, ANY, NULL, "stm32-hal-sd"},
    {"stm32-hal-sd", NULL, DMA, NULL, "stm32-hal-sd-dma"},
    {"nxp-sdk-usdhc", NULL, ANY, "UHS-I", "nxp-sdk-usdhc-uhs"},
    {"linux-mmc", NULL, ANY, "UHS-I", "linux-mmc-uhs"},
    {"linux-mmc", "raspberry-pi-4", ANY, NULL, "linux-mmc-uhs"},
    {"linux-mmc", "raspberry-pi-5", ANY, NULL, "linux-mmc-uhs"},
    {"nuttx-mmcsd-sdio", NULL, ANY, "sd_bench", "nuttx-mmcsd-sdio-px4"},
    {"p2-sd-driver", NULL, ANY, "driver moves one sector per command", "p2-sd-driver-single"},
    {"sdfat-spi-dedicated", NULL, ANY, "stream=per-call", "sdfat-spi-shared"},
    {"sdfat-spi-dedicated", NULL, ANY, "CMD18 per call", "sdfat-spi-shared"},
    {"sdfat-spi-dedicated", NULL, ANY, "CMD25 per call", "sdfat-spi-shared"},
    {"sdfat-spi-dedicated", "atmega328", ANY, NULL, "sdfat-spi-dedicated-avr"},
    {"sdfat-spi-shared", "atmega328", ANY, NULL, "sdfat-spi-shared-avr"},
    {"micropython-sdcard", "esp32", ANY, "machine.SDCard", "micropython-machine-sdcard"},
};

static bool answers(const struct sdsim_measurement *measurement, enum needed_answer needed)
{
    return needed == ANY || (needed == DMA && measurement->dma == SDSIM_YES);
}

static const char *driver_profile(const struct sdsim_measurement *measurement,
                                  struct sdsim_profiles *profiles)
{
    const char *host = board_or_family(measurement, profiles);
    for (size_t i = 0; i < COUNT(drivers); i++) {
        if (strcmp(drivers[i].name, measurement->driver) == 0 &&
            (drivers[i].host == NULL || starts(host, drivers[i].host)) &&
            answers(measurement, drivers[i].dma) &&
            (drivers[i].remark == NULL || sdsim_remarks(measurement, drivers[i].remark))) {
            return drivers[i].profile;
        }
    }
    const char *release = sdsim_profiles_driver(profiles, measurement->driver, measurement->year);
    if (release != NULL) {
        return release;
    }
    if (sdsim_profiles_has(profiles, "driver", measurement->driver)) {
        return measurement->driver;
    }
    if (strcmp(measurement->bus, "spi") == 0) {
        return "generic-spi";
    }
    return measurement->dma == SDSIM_NO ? "generic-sd-polled" : "generic-sd-dma";
}

void sdsim_plan_driver(const struct sdsim_measurement *measurement, struct sdsim_profiles *profiles,
                       FILE *out)
{
    const char *profile = driver_profile(measurement, profiles);
    if (sdsim_assumes(measurement, "multi_block", "0")) {
        fprintf(out, "driver: {base: %s, most_blocks: 1}\n", profile);
    } else {
        fprintf(out, "driver: %s\n", profile);
    }
}

/* ---- file APIs ---- */

static bool is_linux(const struct sdsim_measurement *measurement)
{
    return starts(measurement->host, "linux") || starts(measurement->host, "raspberry-pi");
}

const char *sdsim_plan_file_api(const struct sdsim_measurement *measurement)
{
    static const struct {
        const char *api;
        const char *driver; /* how it begins; NULL: any */
        const char *name;
    } apis[] = {
        {"arduino-file", "arduino-esp32", "arduino"},
        {"arduino-file", "arduino-pico", "sdfat"},
        {"arduino-file", NULL, "arduino-classic"},
        {"sdfat-file", NULL, "sdfat"},
        {"fatfs", "carlk3-freertos", "freertos-fat"},
        {"fatfs", NULL, "fatfs"},
        {"stdio", NULL, "stdio"},
        {"posix", NULL, "posix"},
        {"circuitpython", NULL, "circuitpython"},
        {"micropython", NULL, "micropython"},
        {"python", "circuitpython", "circuitpython"},
        {"python", NULL, "micropython"},
        /* nothing said: what the driver's users have */
        {"", "p2-sd", "p2-file"},
        {"", "arduino-esp32", "arduino"},
        {"", "arduino", "arduino-classic"},
        {"", "sdfat", "sdfat"},
        {"", "circuitpython", "circuitpython"},
        {"", "micropython", "micropython"},
        {"", "esp-idf", "posix"},
        {"", "nuttx", "posix"},
        {"", NULL, "fatfs"},
    };
    if (strcmp(measurement->fs, "raw") == 0 || strcmp(measurement->api, "raw") == 0 ||
        is_linux(measurement)) {
        return "";
    }
    for (size_t i = 0; i < COUNT(apis); i++) {
        if (strcmp(apis[i].api, measurement->api) == 0 &&
            (apis[i].driver == NULL || starts(measurement->driver, apis[i].driver))) {
            return apis[i].name;
        }
    }
    return "fatfs";
}

/* ---- cards ---- */

/* Whether a text has a word, letter case aside. */
static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; *at != '\0'; at++) {
        const bool begins = at == text || strchr(" ,;:()/", at[-1]) != NULL;
        if (begins && strncasecmp(at, word, length) == 0 &&
            (at[length] == '\0' || strchr(" ,;:()/", at[length]) != NULL)) {
            return true;
        }
    }
    return false;
}

/* Whether a mark stands on the card, by its name or by what the source says of it. */
static bool is_marked(const struct sdsim_measurement *measurement, const char *mark)
{
    if (has_word(measurement->card, mark)) {
        return true;
    }
    for (size_t i = 0; i < measurement->assumption_count; i++) {
        const char *marking = strstr(measurement->assumptions[i], "marking differs:");
        if (marking != NULL && has_word(marking, mark)) {
            return true;
        }
    }
    return false;
}

/* A class that went by capacity, and the mark that says something else. */
static const struct {
    const char *mark;
    const char *from; /* how the class begins */
    const char *to;
} marks[] = {
    {"class 10", "sdhc4g-c4", "sdhc16g-c10"}, {"C10", "sdhc4g-c4", "sdhc16g-c10"},
    {"class 10", "sdhc8g-c4", "sdhc16g-c10"}, {"C10", "sdhc8g-c4", "sdhc16g-c10"},
    {"class 4", "sdhc16g-c10", "sdhc8g-c4"},  {"class 4", "sdhc32g-u1", "sdhc8g-c4"},
    {"A2", "sdxc128g-v30", "sdxc64g-a2"},     {"A1", "sdxc128g-v30", "sdhc32g-a1"},
    {"A1", "sdxc64g-a2", "sdhc32g-a1"},       {"A1", "sdhc32g-u1", "sdhc32g-a1"},
    {"A1", "sdhc16g-c10", "sdhc32g-a1"},
};

/* Classes by other names. */
static const struct {
    const char *class;
    const char *profile;
} classes[] = {
    {"fake", "fake-limbo"},
    {"", "unknown"},
};

static const char *card_class(const struct sdsim_measurement *measurement,
                              struct sdsim_profiles *profiles)
{
    for (size_t i = 0; i < COUNT(marks); i++) {
        if (strcmp(measurement->card_class, marks[i].from) == 0 &&
            is_marked(measurement, marks[i].mark)) {
            return marks[i].to;
        }
    }
    for (size_t i = 0; i < COUNT(classes); i++) {
        if (strcmp(measurement->card_class, classes[i].class) == 0) {
            return classes[i].profile;
        }
    }
    return sdsim_profiles_has(profiles, "card", measurement->card_class) ? measurement->card_class
                                                                         : "unknown";
}

/* Sets `out` to the profile "CLASS-MAKER" of the first word of the card's name that has one. */
static bool of_maker(const struct sdsim_measurement *measurement, struct sdsim_profiles *profiles,
                     const char *class, char *out, size_t size)
{
    const char *word = measurement->card;
    while (*word != '\0') {
        size_t length = 0;
        while (isalnum((unsigned char)word[length])) {
            length++;
        }
        const int written = snprintf(out, size, "%s-%.*s", class, (int)length, word);
        if (length > 0 && written > 0 && (size_t)written < size) {
            for (size_t i = strlen(class) + 1; out[i] != '\0'; i++) {
                out[i] = (char)tolower((unsigned char)out[i]);
            }
            if (sdsim_profiles_has(profiles, "card", out)) {
                return true;
            }
        }
        word += length;
        word += *word != '\0';
    }
    return false;
}

static const char *card_profile(const struct sdsim_measurement *measurement,
                                struct sdsim_profiles *profiles, char *out, size_t size)
{
    const char *named =
        measurement->card[0] != '\0' ? sdsim_profiles_card(profiles, measurement->card) : NULL;
    if (named != NULL) {
        return named;
    }
    const char *class = card_class(measurement, profiles);
    return of_maker(measurement, profiles, class, out, size) ? out : class;
}

void sdsim_plan_card(const struct sdsim_measurement *measurement, struct sdsim_profiles *profiles,
                     FILE *out)
{
    static const struct {
        const char *said;
        const char *state;
    } states[] = {
        {"used", "used"}, {"new", "fresh"}, {"housekeeping", "housekeeping"}, {"full", "full"}};
    char name[128];
    const char *profile = card_profile(measurement, profiles, name, sizeof name);
    for (size_t i = 0; i < COUNT(states); i++) {
        if (sdsim_assumes(measurement, "state", states[i].said)) {
            fprintf(out, "card: {base: %s, state: %s}\n", profile, states[i].state);
            return;
        }
    }
    fprintf(out, "card: %s\n", profile);
}

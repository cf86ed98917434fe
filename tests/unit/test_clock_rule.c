/* Clock rules against the frequencies their sources give, and the words that explain them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/clock_rule.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define MHZ          UINT64_C(1000000)

/* The frequency as printed in tables: MHz with three digits. */
static const char *choose_mhz(const struct sdsim_clock_source *source, uint64_t hz, char out[32])
{
    struct sdsim_clock_choice choice;
    if (!sdsim_clock_choose(source, hz, &choice)) {
        return strcpy(out, "none");
    }
    snprintf(out, 32, "%.3f", (double)choice.hz_num / (double)choice.hz_den / 1e6);
    return out;
}

/* One source per column, one request per row. Computed for the sources named in clock_rule.h by an
 * independent implementation of each rule. */
static const struct sdsim_clock_source columns[] = {
    {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ},
    {.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 80 * MHZ},
    {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ},
    {.rule = SDSIM_CLOCK_PL022, .source_hz = 125 * MHZ},
    {.rule = SDSIM_CLOCK_PL022, .source_hz = 133 * MHZ},
    {.rule = SDSIM_CLOCK_PL022, .source_hz = 150 * MHZ},
    {.rule = SDSIM_CLOCK_PL022, .source_hz = 200 * MHZ},
    {.rule = SDSIM_CLOCK_SERCOM_ARDUINO, .source_hz = 48 * MHZ, .maximum_hz = 24 * MHZ},
    {.rule = SDSIM_CLOCK_SERCOM_CPY, .source_hz = 48 * MHZ},
    {.rule = SDSIM_CLOCK_LPSPI, .source_hz = 240 * MHZ},
};

static const struct {
    uint64_t hz;
    const char *mhz[COUNT(columns)];
} table[] = {
    {400000,
     {"0.400", "0.400", "0.400", "0.398", "0.398", "0.399", "0.400", "0.400", "0.400", "0.400"}},
    {1000000,
     {"1.000", "1.000", "1.000", "0.992", "0.993", "1.000", "1.000", "1.000", "1.000", "1.000"}},
    {1320000,
     {"1.311", "1.311", "1.290", "1.302", "1.304", "1.316", "1.316", "1.333", "1.263", "1.319"}},
    {4000000,
     {"4.000", "4.000", "4.000", "3.906", "3.912", "3.947", "4.000", "4.000", "4.000", "4.000"}},
    {8000000,
     {"8.000", "8.000", "8.000", "7.812", "7.389", "7.500", "7.692", "8.000", "8.000", "8.000"}},
    {10000000,
     {"10.000", "10.000", "10.000", "8.929", "9.500", "9.375", "10.000", "12.000", "8.000",
      "10.000"}},
    {12000000,
     {"11.429", "11.429", "11.429", "10.417", "11.083", "10.714", "11.111", "12.000", "12.000",
      "12.000"}},
    {16000000,
     {"16.000", "16.000", "16.000", "15.625", "13.300", "15.000", "14.286", "24.000", "12.000",
      "16.000"}},
    {20000000,
     {"20.000", "20.000", "20.000", "15.625", "16.625", "18.750", "20.000", "24.000", "12.000",
      "20.000"}},
    {24000000,
     {"20.000", "26.667", "22.857", "20.833", "22.167", "18.750", "20.000", "24.000", "24.000",
      "24.000"}},
    {25000000,
     {"20.000", "26.667", "22.857", "20.833", "22.167", "25.000", "25.000", "24.000", "24.000",
      "24.000"}},
    {26000000,
     {"20.000", "26.667", "22.857", "20.833", "22.167", "25.000", "25.000", "24.000", "24.000",
      "24.000"}},
    {30000000,
     {"26.667", "26.667", "26.667", "20.833", "22.167", "25.000", "25.000", "24.000", "24.000",
      "30.000"}},
    {33000000,
     {"26.667", "26.667", "32.000", "31.250", "22.167", "25.000", "25.000", "24.000", "24.000",
      "30.000"}},
    {40000000,
     {"40.000", "40.000", "40.000", "31.250", "33.250", "37.500", "33.333", "24.000", "24.000",
      "40.000"}},
    {50000000,
     {"40.000", "40.000", "40.000", "31.250", "33.250", "37.500", "50.000", "24.000", "24.000",
      "48.000"}},
    {80000000,
     {"80.000", "80.000", "40.000", "62.500", "66.500", "75.000", "50.000", "24.000", "24.000",
      "80.000"}},
};

static void the_table_of_ten_hosts(void **state)
{
    (void)state;
    assert_int_equal(COUNT(table), 17);
    for (size_t row = 0; row < COUNT(table); row++) {
        for (size_t column = 0; column < COUNT(columns); column++) {
            char got[32];
            choose_mhz(&columns[column], table[row].hz, got);
            if (strcmp(got, table[row].mhz[column]) != 0) {
                fail_msg("%llu Hz, column %zu: %s MHz, not %s", (unsigned long long)table[row].hz,
                         column, got, table[row].mhz[column]);
            }
        }
    }
}

/* What else the sources say, each with its name. */
static const struct {
    const char *name;
    struct sdsim_clock_source source;
    uint64_t hz;
    const char *mhz;
    uint32_t divider; /* 0: no whole number */
} cases[] = {
    /* clang-format off */
    {"nothing known", {.rule = SDSIM_CLOCK_EXACT}, 12345678, "12.346", 1},
    {"nothing known, limit",
     {.rule = SDSIM_CLOCK_EXACT, .maximum_hz = 25 * MHZ}, 40 * MHZ, "25.000", 1},

    {"ESP32 just below 80",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ}, 80 * MHZ - 1, "40.000", 2},
    {"ESP32 just below 40",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ}, 40 * MHZ - 1, "26.667", 3},
    {"ESP32 at 80/3, whole hertz",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ}, 26666666, "26.667", 3},
    {"ESP32 below 80/3",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ}, 26666665, "20.000", 4},
    {"ESP32 far above",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ}, 200 * MHZ, "80.000", 1},
    {"ESP32 at 240/6 APB",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 40 * MHZ}, 25 * MHZ, "20.000", 2},
    {"S3 at 400 kHz",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ, .pre_limit = 16},
     400000, "0.400", 200},
    {"S3 slowest",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ, .pre_limit = 16},
     70000, "0.078", 1024},
    {"S3 at its slowest",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ, .pre_limit = 16},
     78125, "0.078", 1024},
    {"ESP32, the first of equals in whole hertz",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ}, 5370, "0.005", 14896},
    {"ESP32 slowest",
     {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ}, 10, "0.000", 8192 * 64},

    {"IDF above 3/4",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 80 * MHZ}, 60 * MHZ + 1, "80.000", 1},
    {"IDF at 3/4", {.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 80 * MHZ}, 60 * MHZ, "40.000", 2},
    {"IDF 23.33 and less goes to 20",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 80 * MHZ}, 23333332, "20.000", 4},
    {"IDF 23.34 goes to 26.67",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 80 * MHZ}, 23340000, "26.667", 3},
    {"IDF on H2, a tie",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 48 * MHZ, .pre_limit = 16},
     20 * MHZ, "16.000", 3},
    {"IDF on S3, slowest",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 80 * MHZ, .pre_limit = 16},
     1000, "0.078", 1024},
    {"CircuitPython 25",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI_BELOW, .source_hz = 80 * MHZ}, 25 * MHZ, "20.000", 4},
    {"CircuitPython 24",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI_BELOW, .source_hz = 80 * MHZ}, 24 * MHZ, "20.000", 4},
    {"CircuitPython 8",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI_BELOW, .source_hz = 80 * MHZ}, 8 * MHZ, "8.000", 10},
    {"CircuitPython 70",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI_BELOW, .source_hz = 80 * MHZ}, 70 * MHZ, "40.000", 2},
    {"CircuitPython 80",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI_BELOW, .source_hz = 80 * MHZ}, 80 * MHZ, "80.000", 1},
    {"CircuitPython slowest",
     {.rule = SDSIM_CLOCK_ESP_IDF_SPI_BELOW, .source_hz = 80 * MHZ, .pre_limit = 16},
     250, "0.078", 1024},

    {"SDMMC 26 is 22.86",
     {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ}, 26 * MHZ, "22.857", 7},
    {"SDMMC 10, sixteen",
     {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ}, 10 * MHZ, "10.000", 16},
    {"SDMMC 9.9", {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ}, 9900000, "8.000", 20},
    {"SDMMC probing",
     {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ}, 400000, "0.400", 400},
    {"SDMMC 156863: card 255",
     {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ}, 156863, "0.157", 1020},
    {"SDMMC 104576: host 3, card 255",
     {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ}, 104576, "0.105", 1530},
    {"SDMMC 156862: host 3",
     {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ}, 156862, "0.156", 1026},
    {"SDMMC 19.7 kHz",
     {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ}, 19700, "0.020", 8128},
    {"SDMMC too slow", {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ}, 19600, "none", 0},
    {"SDMMC of another source has no fixed points",
     {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 200 * MHZ}, 50 * MHZ, "50.000", 4},

    {"SDMMC 5.x, 25",
     {.rule = SDSIM_CLOCK_ESP_SDMMC_V5, .source_hz = 160 * MHZ}, 25 * MHZ, "22.857", 7},
    {"SDMMC 5.x, 32",
     {.rule = SDSIM_CLOCK_ESP_SDMMC_V5, .source_hz = 160 * MHZ}, 32 * MHZ, "32.000", 5},
    {"SDMMC 5.x, 50",
     {.rule = SDSIM_CLOCK_ESP_SDMMC_V5, .source_hz = 160 * MHZ}, 50 * MHZ, "40.000", 4},
    {"SDMMC 5.x, 20",
     {.rule = SDSIM_CLOCK_ESP_SDMMC_V5, .source_hz = 160 * MHZ}, 20 * MHZ, "20.000", 8},
    {"SDMMC 5.x, 10.2",
     {.rule = SDSIM_CLOCK_ESP_SDMMC_V5, .source_hz = 160 * MHZ}, 10200000, "10.000", 16},
    {"SDMMC 5.x, 10",
     {.rule = SDSIM_CLOCK_ESP_SDMMC_V5, .source_hz = 160 * MHZ}, 10 * MHZ, "10.000", 16},
    {"SDMMC 5.x, 1.32",
     {.rule = SDSIM_CLOCK_ESP_SDMMC_V5, .source_hz = 160 * MHZ}, 1320000, "1.290", 124},
    {"SDMMC 5.x, 400 kHz",
     {.rule = SDSIM_CLOCK_ESP_SDMMC_V5, .source_hz = 160 * MHZ}, 400000, "0.400", 400},
    {"SDMMC 5.x too slow",
     {.rule = SDSIM_CLOCK_ESP_SDMMC_V5, .source_hz = 160 * MHZ}, 156862, "none", 0},

    {"RP2040 top", {.rule = SDSIM_CLOCK_PL022, .source_hz = 125 * MHZ}, 125 * MHZ, "62.500", 2},
    {"RP2040 12.5, carlk3's example",
     {.rule = SDSIM_CLOCK_PL022, .source_hz = 125 * MHZ}, 12500000, "12.500", 10},
    {"RP2040 a sixth",
     {.rule = SDSIM_CLOCK_PL022, .source_hz = 125 * MHZ}, 125 * MHZ / 6, "20.833", 6},
    {"RP2040 100 kHz", {.rule = SDSIM_CLOCK_PL022, .source_hz = 125 * MHZ}, 100000, "0.100", 1254},
    {"RP2040 too slow", {.rule = SDSIM_CLOCK_PL022, .source_hz = 125 * MHZ}, 1900, "none", 0},

    {"PIO top at 125",
     {.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 125 * MHZ}, 50 * MHZ, "31.250", 4},
    {"PIO top at 150",
     {.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 150 * MHZ}, 37500000, "37.500", 4},
    {"PIO default, a twelfth",
     {.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 125 * MHZ}, 125 * MHZ / 12, "10.417", 12},
    {"PIO 25 at 125: 1.25",
     {.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 125 * MHZ}, 25 * MHZ, "25.000", 5},
    {"PIO 30 at 125: 1 11/256",
     {.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 125 * MHZ}, 30 * MHZ, "29.963", 0},
    {"PIO 400 kHz", {.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 125 * MHZ}, 400000, "0.400", 0},
    {"PIO of five steps",
     {.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 125 * MHZ, .cycles = 5}, 25 * MHZ, "25.000", 5},
    {"PIO too slow", {.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 125 * MHZ}, 400, "none", 0},

    {"SAMD21 without its limit",
     {.rule = SDSIM_CLOCK_SERCOM_ARDUINO, .source_hz = 48 * MHZ}, 50 * MHZ, "24.000", 2},
    {"SAMD51 with 100 MHz",
     {.rule = SDSIM_CLOCK_SERCOM_ARDUINO, .source_hz = 100 * MHZ}, 20 * MHZ, "25.000", 4},
    {"SAMD 94 kHz",
     {.rule = SDSIM_CLOCK_SERCOM_ARDUINO, .source_hz = 48 * MHZ}, 93750, "0.094", 512},
    {"SAMD, BAUD would overflow",
     {.rule = SDSIM_CLOCK_SERCOM_ARDUINO, .source_hz = 48 * MHZ}, 93000, "none", 0},

    {"SAMD CircuitPython slowest",
     {.rule = SDSIM_CLOCK_SERCOM_CPY, .source_hz = 48 * MHZ}, 50000, "0.094", 512},

    {"STM32F4 SPI1",
     {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 90 * MHZ}, 25 * MHZ, "22.500", 4},
    {"STM32F4 SPI1, 45",
     {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 90 * MHZ}, 45 * MHZ, "45.000", 2},
    {"STM32F4 SPI1, just below 45",
     {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 90 * MHZ}, 45 * MHZ - 1, "22.500", 4},
    {"STM32F1, init",
     {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 72 * MHZ}, 400000, "0.281", 256},
    {"STM32, slowest",
     {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 90 * MHZ}, 100000, "0.352", 256},
    {"Uno, 25",
     {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 16 * MHZ, .largest = 128},
     25 * MHZ, "8.000", 2},
    {"Uno, 4",
     {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 16 * MHZ, .largest = 128},
     4 * MHZ, "4.000", 4},
    {"Uno, 250 kHz",
     {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 16 * MHZ, .largest = 128},
     250000, "0.250", 64},
    {"Uno, slowest",
     {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 16 * MHZ, .largest = 128},
     100000, "0.125", 128},

    {"STM32 SDIO", {.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ}, 25 * MHZ, "24.000", 2},
    {"STM32 SDIO, 50",
     {.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ}, 50 * MHZ, "24.000", 2},
    {"STM32 SDIO, bypass",
     {.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ, .bypass = true},
     50 * MHZ, "48.000", 1},
    {"STM32 SDIO, bypass allowed, 25",
     {.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ, .bypass = true},
     25 * MHZ, "24.000", 2},
    {"STM32 SDIO, 20",
     {.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ}, 20 * MHZ, "16.000", 3},
    {"STM32 SDIO, init 0x76",
     {.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ}, 400000, "0.400", 0x76 + 2},
    {"STM32 SDIO, CLKDIV 255",
     {.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ}, 186771, "0.187", 257},
    {"STM32 SDIO, too slow",
     {.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ}, 186000, "none", 0},

    {"STM32H7, divider 4",
     {.rule = SDSIM_CLOCK_STM32_SDMMC, .source_hz = 200 * MHZ}, 25 * MHZ, "25.000", 8},
    {"STM32H7, divider 2",
     {.rule = SDSIM_CLOCK_STM32_SDMMC, .source_hz = 200 * MHZ}, 50 * MHZ, "50.000", 4},
    {"STM32L4+, divider 3",
     {.rule = SDSIM_CLOCK_STM32_SDMMC, .source_hz = 48 * MHZ}, 8 * MHZ, "8.000", 6},
    {"STM32H7, init",
     {.rule = SDSIM_CLOCK_STM32_SDMMC, .source_hz = 200 * MHZ}, 400000, "0.400", 500},
    {"STM32L4+, bypass",
     {.rule = SDSIM_CLOCK_STM32_SDMMC, .source_hz = 48 * MHZ, .bypass = true},
     50 * MHZ, "48.000", 1},
    {"STM32L4+, no bypass",
     {.rule = SDSIM_CLOCK_STM32_SDMMC, .source_hz = 48 * MHZ}, 50 * MHZ, "24.000", 2},
    {"STM32H7, CLKDIV 1023",
     {.rule = SDSIM_CLOCK_STM32_SDMMC, .source_hz = 200 * MHZ}, 97752, "0.098", 2046},
    {"STM32H7, too slow",
     {.rule = SDSIM_CLOCK_STM32_SDMMC, .source_hz = 200 * MHZ}, 97000, "none", 0},

    {"nRF52840 SPIM3, 25",
     {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ}, 25 * MHZ, "32.000", 2},
    {"nRF52840 SPIM3, 16",
     {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ}, 16 * MHZ, "16.000", 4},
    {"nRF52840 SPIM3, 12",
     {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ}, 12 * MHZ, "16.000", 4},
    {"nRF52840 SPIM3, 8", {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ}, 8 * MHZ, "8.000", 8},
    {"nRF52840 SPIM3, 4.1",
     {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ}, 4100000, "8.000", 8},
    {"nRF52840 SPIM3, 80",
     {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ}, 80 * MHZ, "32.000", 2},
    {"nRF52 SPIM0, 25",
     {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ, .maximum_hz = 8 * MHZ},
     25 * MHZ, "8.000", 8},
    {"nRF52, 400 kHz", {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ}, 400000, "0.500", 128},
    {"nRF52, 250 kHz", {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ}, 250000, "0.250", 256},
    {"nRF52, slowest", {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ}, 100000, "0.125", 512},

    {"Teensy 4 LPSPI top",
     {.rule = SDSIM_CLOCK_LPSPI, .source_hz = 240 * MHZ}, 200 * MHZ, "120.000", 2},
    {"Teensy 4 LPSPI, 400 kHz",
     {.rule = SDSIM_CLOCK_LPSPI, .source_hz = 240 * MHZ, .largest = 257}, 400000, "0.934", 257},

    {"USDHC 50", {.rule = SDSIM_CLOCK_USDHC, .source_hz = 198 * MHZ}, 50 * MHZ, "49.500", 4},
    {"USDHC 25", {.rule = SDSIM_CLOCK_USDHC, .source_hz = 198 * MHZ}, 25 * MHZ, "24.750", 8},
    {"USDHC init", {.rule = SDSIM_CLOCK_USDHC, .source_hz = 198 * MHZ}, 400000, "0.387", 32 * 16},
    {"USDHC slowest", {.rule = SDSIM_CLOCK_USDHC, .source_hz = 198 * MHZ}, 1000, "0.048", 4096},

    {"FT232H init", {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ}, 400000, "0.400", 150},
    {"FT232H 8", {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ}, 8 * MHZ, "7.500", 8},
    {"FT232H 12", {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ}, 12 * MHZ, "10.000", 6},
    {"FT232H 15", {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ}, 15 * MHZ, "15.000", 4},
    {"FT232H 20", {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ}, 20 * MHZ, "15.000", 4},
    {"FT232H 25", {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ}, 25 * MHZ, "15.000", 4},
    {"FT232H 30", {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ}, 30 * MHZ, "30.000", 2},
    {"FT232H 50", {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ}, 50 * MHZ, "30.000", 2},
    {"FT232H slowest",
     {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ}, 458, "0.000", 131006},
    {"FT232H too slow", {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ}, 457, "none", 0},
    /* clang-format on */
};

static void named_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char got[32];
        choose_mhz(&cases[i].source, cases[i].hz, got);
        if (strcmp(got, cases[i].mhz) != 0) {
            fail_msg("%s: %s MHz, not %s", cases[i].name, got, cases[i].mhz);
        }
        struct sdsim_clock_choice choice;
        if (!sdsim_clock_choose(&cases[i].source, cases[i].hz, &choice)) {
            continue;
        }
        if (choice.divider != cases[i].divider) {
            fail_msg("%s: divided by %lu, not %lu", cases[i].name, (unsigned long)choice.divider,
                     (unsigned long)cases[i].divider);
        }
        if (choice.above_request != (choice.hz_num / choice.hz_den > cases[i].hz)) {
            fail_msg("%s: above the request or not", cases[i].name);
        }
    }
}

/* The frequencies are exact: source and divider give them to the last digit. */
static void fractions_are_exact(void **state)
{
    (void)state;
    struct sdsim_clock_choice choice;
    const struct sdsim_clock_source esp = {.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 80 * MHZ};
    assert_true(sdsim_clock_choose(&esp, 25 * MHZ, &choice));
    assert_true(choice.hz_num * 3 == 80 * MHZ * choice.hz_den);
    const struct sdsim_clock_source pio = {.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 133 * MHZ};
    assert_true(sdsim_clock_choose(&pio, 30 * MHZ, &choice));
    assert_true(choice.hz_num * 4 * 284 == 133 * MHZ * 256 * choice.hz_den); /* 1 28/256 */
    assert_int_equal(choice.divider, 0);
}

static void who_may_exceed(void **state)
{
    (void)state;
    for (int rule = 0; rule < SDSIM_CLOCK_RULE_COUNT; rule++) {
        const bool expected = rule == SDSIM_CLOCK_ESP_IDF_SPI || rule == SDSIM_CLOCK_PIO_SDIO ||
                              rule == SDSIM_CLOCK_SERCOM_ARDUINO || rule == SDSIM_CLOCK_NRF52;
        assert_int_equal(sdsim_clock_may_exceed((enum sdsim_clock_rule)rule), expected);
    }
}

static void explanations(void **state)
{
    (void)state;
    static const struct {
        struct sdsim_clock_source source;
        uint64_t hz, cap;
        const char *owner;
        const char *text;
    } rows[] = {
        {{.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ},
         25 * MHZ,
         0,
         NULL,
         "25MHz asked, 20MHz real: 80MHz / 4; 80MHz / 3 = 26.667MHz is above 25MHz"},
        {{.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ},
         25 * MHZ,
         25 * MHZ,
         "driver",
         "25MHz asked, 20MHz real: 80MHz / 4; 80MHz / 3 = 26.667MHz is above the driver's cap of "
         "25MHz"},
        {{.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ},
         24 * MHZ,
         25 * MHZ,
         "driver",
         "24MHz asked, 20MHz real: 80MHz / 4; 80MHz / 3 = 26.667MHz is above 24MHz"},
        {{.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ},
         40 * MHZ,
         25 * MHZ,
         "driver",
         "40MHz asked, cut to 25MHz by the driver, 20MHz real: 80MHz / 4; 80MHz / 3 = 26.667MHz is "
         "above the driver's cap of 25MHz"},
        {{.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ},
         40 * MHZ,
         25 * MHZ,
         "card",
         "40MHz asked, cut to 25MHz by the card, 22.857MHz real: 160MHz / 7; 160MHz / 6 = "
         "26.667MHz is above the card's cap of 25MHz"},
        {{.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ},
         50 * MHZ,
         40 * MHZ,
         "card",
         "50MHz asked, cut to 40MHz by the card, 40MHz real: 160MHz / 4"},
        {{.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ},
         20 * MHZ,
         25 * MHZ,
         "driver",
         "20MHz asked, 20MHz real: 80MHz / 4"},
        {{.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 80 * MHZ},
         25 * MHZ,
         0,
         NULL,
         "25MHz asked, 26.667MHz real: 80MHz / 3, above the request, as this host's rule allows"},
        {{.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 80 * MHZ},
         12 * MHZ,
         12 * MHZ,
         "card",
         "12MHz asked, 11.429MHz real: 80MHz / 7; 80MHz / 6 = 13.333MHz is not taken here, but "
         "this host's rule can go above a request"},
        {{.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ},
         50 * MHZ,
         0,
         NULL,
         "50MHz asked, 40MHz real: 160MHz / 4; there is none faster"},
        {{.rule = SDSIM_CLOCK_SERCOM_CPY, .source_hz = 48 * MHZ},
         50000,
         0,
         NULL,
         "50kHz asked, 93.75kHz real: 48MHz / 512, above the request, but the slowest there is"},
        {{.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ},
         100000,
         0,
         NULL,
         "100kHz asked, not possible: the slowest is 48MHz / 257 = 186.77kHz"},
        {{.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 125 * MHZ},
         20 * MHZ,
         0,
         NULL,
         "20MHz asked, 20MHz real: 125MHz / 6.25"},
        {{.rule = SDSIM_CLOCK_EXACT}, 25 * MHZ, 0, NULL, "25MHz asked, 25MHz real: taken as it is"},
        {{.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ},
         20 * MHZ,
         0,
         NULL,
         "20MHz asked, 15MHz real: 60MHz / 4; 60MHz / 2 = 30MHz is above 20MHz"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[200];
        assert_ptr_equal(sdsim_clock_explain(&rows[i].source, rows[i].hz, rows[i].cap,
                                             rows[i].owner, text, sizeof(text)),
                         text);
        if (strcmp(text, rows[i].text) != 0) {
            fail_msg("row %zu: \"%s\"", i, text);
        }
        /* Cut anywhere, it is the beginning of the same. */
        for (size_t size = 1; size < sizeof(text); size++) {
            char cut[200];
            memset(cut, '#', sizeof(cut));
            sdsim_clock_explain(&rows[i].source, rows[i].hz, rows[i].cap, rows[i].owner, cut, size);
            const size_t length = strlen(text) < size ? strlen(text) : size - 1;
            if (memcmp(cut, text, length) != 0 || cut[length] != '\0' || cut[size] != '#') {
                fail_msg("row %zu, cut to %zu bytes", i, size);
            }
        }
        char untouched = '#';
        sdsim_clock_explain(&rows[i].source, rows[i].hz, rows[i].cap, rows[i].owner, &untouched, 0);
        assert_int_equal(untouched, '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_ten_hosts), cmocka_unit_test(named_cases),
        cmocka_unit_test(fractions_are_exact),    cmocka_unit_test(who_may_exceed),
        cmocka_unit_test(explanations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

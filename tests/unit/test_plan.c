/*
 * From a record to a run: which profiles a record's words mean, and what workload it is.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/plan_bench.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The line of a scenario that begins with `key`, "" if there is none; valid until the next call. */
static const char *line_of(const char *text, const char *key)
{
    static char line[600];
    const size_t length = strlen(key);
    for (const char *at = text; *at != '\0'; at += *at == '\n') {
        const size_t size = strcspn(at, "\n");
        if (strncmp(at, key, length) == 0 && at[length] == ':') {
            snprintf(line, sizeof line, "%.*s", (int)(size - length - 2), at + length + 2);
            return line;
        }
        at += size;
    }
    return "";
}

/* What fields of a record must give; `reason` NULL: it can be modelled. */
struct row {
    const char *fields;
    const char *expected;
    const char *reason;
};

/* Checks one key of the scenarios that all rows become. */
static void check_rows(const char *key, const struct row *rows, size_t count)
{
    struct sdsim_plan_bench bench;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++) {
        sdsim_plan_bench_record(out, rows[i].fields);
    }
    assert_int_equal(fclose(out), 0);
    sdsim_plan_bench_open(&bench, text, size, NULL);
    free(text);
    assert_int_equal(bench.plans.count, count);
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_plan *plan = &bench.plans.items[i];
        const char *line = line_of(plan->text, key);
        const char *reason = plan->reason != NULL ? plan->reason : "(none)";
        const bool reasoned =
            rows[i].reason != NULL ? strstr(reason, rows[i].reason) != NULL : plan->reason == NULL;
        assert_ptr_equal(plan->measurement, &bench.measurements.items[i]);
        if (strcmp(line, rows[i].expected) != 0 || !reasoned) {
            print_error("%s\n  %s: %s\n  not %s\n  reason: %s\n", rows[i].fields, key, line,
                        rows[i].expected, reason);
            same = false;
        }
    }
    sdsim_plan_bench_close(&bench);
    assert_true(same);
}

#define SAYS(texts) "\"assumptions\":[" texts "]"

/* ---- hosts ---- */

#define LINUX "\"host\":\"linux-native\",\"bus\":\"sd4\",\"driver\":\"linux-mmc\""

static void test_hosts(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"\"host\":\"rp2040\"", "rp2040", NULL},
        {"\"host\":\"stm32h7\"", "stm32h7", NULL},
        /* variants, where there are such profiles */
        {"\"host\":\"rp2040\"," SAYS("\"spi_transfer=byte\""), "rp2040-byte", NULL},
        {"\"host\":\"esp32\"," SAYS("\"spi_transfer=array\""), "esp32-array", NULL},
        {"\"host\":\"esp32c3\"," SAYS("\"spi_transfer=array\""), "esp32c3-array", NULL},
        {"\"host\":\"esp32c6\"," SAYS("\"spi_transfer=array\""), "esp32s3-array", NULL},
        {"\"host\":\"esp32\"," SAYS("\"spi_transfer=byte\""), "esp32", NULL},
        {"\"host\":\"rp2040\"," SAYS("\"spi_transfer=magic\""), "rp2040", NULL},
        {"\"host\":\"rp2040\"," SAYS("\"spi_transfer=\""), "rp2040", NULL},
        {"\"host\":\"p2\",\"cpu_hz\":320000000", "p2-320", NULL},
        {"\"host\":\"p2\",\"cpu_hz\":250999999", "p2-250", NULL},
        {"\"host\":\"p2\",\"cpu_hz\":321000000", "p2", NULL},
        {"\"host\":\"p2\",\"cpu_hz\":1", "p2", NULL},
        {"\"host\":\"rp2040\",\"cpu_hz\":133000000," SAYS("\"spi_transfer=byte\""), "rp2040-byte",
         NULL},
        /* chips without a profile */
        {"\"host\":\"esp32s2\"", "esp32s3", NULL},
        {"\"host\":\"esp32c6\"", "esp32s3", NULL},
        {"\"host\":\"esp32p4\"", "esp32s3", NULL},
        {"\"host\":\"esp32-pico\"", "esp32", NULL},
        {"\"host\":\"rp2350b\"", "rp2350", NULL},
        {"\"host\":\"imxrt1061\"", "imxrt1062", NULL},
        {"\"host\":\"imxrt685\"", "imxrt600", NULL},
        {"\"host\":\"teensy41\"", "imxrt1062", NULL},
        {"\"host\":\"teensy36\"", "mk66", NULL},
        {"\"host\":\"mk20\"", "mk66", NULL},
        {"\"host\":\"stm32f103\"", "stm32f1", NULL},
        {"\"host\":\"stm32f407\"", "stm32f4", NULL},
        {"\"host\":\"stm32f769\"", "stm32f7", NULL},
        {"\"host\":\"stm32h743\"", "stm32h7", NULL},
        {"\"host\":\"stm32l476\"", "stm32l4", NULL},
        {"\"host\":\"stm32u5\"", "stm32f4", NULL},
        {"\"host\":\"samd21g18\"", "samd21", NULL},
        {"\"host\":\"samd51j20\"", "samd51", NULL},
        {"\"host\":\"same54\"", "samd51", NULL},
        {"\"host\":\"same70\"", "sams70", NULL},
        {"\"host\":\"samv71\"", "sams70", NULL},
        {"\"host\":\"sam3x\"", "sam3x8e", NULL},
        {"\"host\":\"atmega2560v\"", "atmega2560", NULL},
        {"\"host\":\"atmega1284p\"", "atmega328p", NULL},
        {"\"host\":\"at90usb1286\"", "atmega2560", NULL},
        {"\"host\":\"lpc1769\"", "lpc43xx", NULL},
        {"\"host\":\"nrf52832\"", "nrf52840", NULL},
        {"\"host\":\"nrf52833\"," SAYS("\"spi_transfer=array\""), "nrf52840-array", NULL},
        {"\"host\":\"linux-usb3\",\"bus\":\"sd4\",\"driver\":\"usb-reader\"", "linux-usb-reader",
         NULL},
        {"\"host\":\"linux-rpi4\",\"bus\":\"sd4\",\"driver\":\"linux-mmc\"", "raspberry-pi-4",
         NULL},
        {LINUX, "linux-native", NULL},
        {LINUX "," SAYS("\"Raspberry Pi 2\""), "raspberry-pi-2", NULL},
        {LINUX "," SAYS("\"clock=not-stated\",\"Raspberry Pi 4\""), "raspberry-pi-4", NULL},
        {LINUX "," SAYS("\"not a Raspberry Pi 4\""), "linux-native", NULL},
        /* and what nobody knows */
        {"\"host\":\"nrf9160\"", "unspecified", NULL},
        {"\"host\":\"xnrf52840\"", "unspecified", NULL},
        {"\"host\":\"ESP32\"", "unspecified", NULL},
        {"\"host\":\"../hosts/esp32\"", "unspecified", NULL},
        {"\"host\":\"a: {b, c}\"", "unspecified", NULL},
    };
    check_rows("host", rows, COUNT(rows));
}

/* ---- drivers ---- */

#define TEENSY "\"host\":\"imxrt1062\",\"bus\":\"sd4\",\"driver\":\"sdfat-sdio\""
#define STM    "\"host\":\"stm32f4\",\"bus\":\"sd4\",\"driver\":"

#define PICO "\"host\":\"rp2040\",\"driver\":"

static void test_drivers(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"\"driver\":\"sdfat-spi-dedicated\"", "sdfat-spi-dedicated", NULL},
        {TEENSY, "sdfat-teensy-sdio", NULL},
        {TEENSY ",\"dma\":false", "sdfat-teensy-sdio", NULL},
        {TEENSY ",\"dma\":true", "sdfat-teensy-sdio-dma", NULL},
        {TEENSY "," SAYS("\"stream=per-call\""), "sdfat-teensy-sdio-dma", NULL},
        {STM "\"stm32-hal-sdio\"", "stm32-hal-sd", NULL},
        {STM "\"stm32-hal-sdio\",\"dma\":true", "stm32-hal-sd-dma", NULL},
        {STM "\"stm32-hal-sd\",\"dma\":true", "stm32-hal-sd-dma", NULL},
        {STM "\"stm32-hal-sd\",\"dma\":false", "stm32-hal-sd", NULL},
        {STM "\"nuttx-mmcsd-sdio\"", "nuttx-mmcsd-sdio", NULL},
        {STM "\"nuttx-mmcsd-sdio\"," SAYS("\"n=1\",\"sd_bench of PX4\""), "nuttx-mmcsd-sdio-px4",
         NULL},
        {STM "\"nuttx-mmcsd-sdio\"," SAYS("\"measured by sd_bench\""), "nuttx-mmcsd-sdio", NULL},
        {"\"host\":\"p2\",\"driver\":\"p2-sd-driver\"", "p2-sd-driver", NULL},
        {"\"host\":\"p2\",\"driver\":\"p2-sd-driver\"," SAYS(
             "\"driver moves one sector per command\""),
         "p2-sd-driver-single", NULL},
        {"\"driver\":\"sdfat-spi-dedicated\"," SAYS("\"stream=per-call\""), "sdfat-spi-shared",
         NULL},
        {"\"driver\":\"sdfat-spi-dedicated\"," SAYS("\"CMD18 per call\""), "sdfat-spi-shared",
         NULL},
        {"\"driver\":\"sdfat-spi-dedicated\"," SAYS("\"CMD25 per call, then CMD12\""),
         "sdfat-spi-shared", NULL},
        {"\"host\":\"atmega328p\",\"driver\":\"sdfat-spi-dedicated\"", "sdfat-spi-dedicated-avr",
         NULL},
        {"\"host\":\"atmega328p\",\"driver\":\"sdfat-spi-shared\"", "sdfat-spi-shared-avr", NULL},
        {"\"host\":\"atmega2560\",\"driver\":\"sdfat-spi-shared\"", "sdfat-spi-shared", NULL},
        {"\"driver\":\"micropython-sdcard\"", "micropython-sdcard", NULL},
        {"\"bus\":\"sd1\",\"driver\":\"micropython-sdcard\"," SAYS("\"machine.SDCard\""),
         "micropython-machine-sdcard", NULL},
        {"\"host\":\"rp2040\",\"driver\":\"micropython-sdcard\"," SAYS("\"machine.SDCard\""),
         "micropython-sdcard", NULL},
        {LINUX, "linux-mmc", NULL},
        {"\"host\":\"linux-rpi4\",\"bus\":\"sd4\",\"driver\":\"linux-mmc\"", "linux-mmc-uhs", NULL},
        {"\"host\":\"atmega1284p\",\"driver\":\"sdfat-spi-shared\"", "sdfat-spi-shared-avr", NULL},
        {LINUX "," SAYS("\"Raspberry Pi 2\""), "linux-mmc", NULL},
        {LINUX "," SAYS("\"Raspberry Pi 4\""), "linux-mmc-uhs", NULL},
        {"\"host\":\"raspberry-pi-5\",\"bus\":\"sd4\",\"driver\":\"linux-mmc\"", "linux-mmc-uhs",
         NULL},
        /* a release by the year in which it was the one in use */
        {PICO "\"carlk3-spi\",\"year\":2022", "carlk3-spi-1", NULL},
        {PICO "\"carlk3-spi\",\"year\":2023", "carlk3-spi-1", NULL},
        {PICO "\"carlk3-spi\",\"year\":2024", "carlk3-spi", NULL},
        {PICO "\"carlk3-spi\"", "carlk3-spi", NULL},
        {PICO "\"carlk3-spi-1\",\"year\":2024", "carlk3-spi-1", NULL},
        {PICO "\"carlk3-freertos-spi\",\"year\":2023", "carlk3-freertos-spi-2.1", NULL},
        {PICO "\"carlk3-freertos-spi\",\"year\":2025", "carlk3-freertos-spi", NULL},
        /* what nobody knows */
        {"\"driver\":\"home-made\"", "generic-spi", NULL},
        {"\"driver\":\"home-made\",\"dma\":true", "generic-spi", NULL},
        {STM "\"home-made\"", "generic-sd-dma", NULL},
        {STM "\"home-made\",\"dma\":false", "generic-sd-polled", NULL},
        {"\"host\":\"nrf52840\",\"bus\":\"sd1\",\"driver\":\"home-made\"", "generic-sd-dma", NULL},
        {"\"host\":\"nrf52840\",\"driver\":\"../drivers/generic-spi\"", "generic-spi", NULL},
        /* one block a command */
        {"\"driver\":\"home-made\"," SAYS("\"multi_block=0\""),
         "{base: generic-spi, most_blocks: 1}", NULL},
        {"\"driver\":\"home-made\"," SAYS("\"multi_block=1\""), "generic-spi", NULL},
        /* a driver the bus does not suit */
        {"\"bus\":\"sd4\",\"driver\":\"sdfat-spi-dedicated\"", "sdfat-spi-dedicated", "bus"},
        {"\"bus\":\"spi\",\"driver\":\"esp-idf-sdmmc\"", "esp-idf-sdmmc", "bus"},
    };
    check_rows("driver", rows, COUNT(rows));
}

/* A host without costs for a driver, or without a clock for its bus, gets those of `unspecified`;
 * its own stay. */
static void test_lent_costs(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        const char *code; /* NULL: look for the clock only */
        const char *clock;
    } rows[] = {
        {"\"host\":\"atmega328p\",\"bus\":\"sd4\",\"driver\":\"x\"", "generic-sd", "sdmmc"},
        {"\"host\":\"esp32\",\"driver\":\"x\"", "generic-spi", "spi-arduino"},
        {"\"host\":\"sam3x8e\",\"driver\":\"esp-idf-sdspi\"", NULL, "spi"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_plan_bench bench;
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        sdsim_plan_bench_record(out, rows[i].fields);
        assert_int_equal(fclose(out), 0);
        sdsim_plan_bench_open(&bench, text, size, NULL);
        free(text);
        const struct sdsim_plan *plan = &bench.plans.items[0];
        if (plan->reason != NULL) {
            fail_msg("%s: %s", rows[i].fields, plan->reason);
        }
        const struct sdsim_node *host = plan->run.host;
        assert_non_null(sdsim_node_get(sdsim_node_get(host, "clocks"), rows[i].clock));
        if (rows[i].code != NULL) {
            assert_non_null(sdsim_node_get(sdsim_node_get(host, "drivers"), rows[i].code));
        }
        sdsim_plan_bench_close(&bench);
    }
}

/* ---- cards ---- */

#define CARD(card, class) "\"card\":\"" card "\",\"card_class\":\"" class "\""

static void test_cards(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"", "unknown", NULL},
        {"\"card_class\":\"sdhc32g-u1\"", "sdhc32g-u1", NULL},
        {"\"card_class\":\"sdxc4t-v90\"", "unknown", NULL},
        {"\"card_class\":\"fake\"", "fake-limbo", NULL},
        {"\"card_class\":\"../cards/sdsc2g\"", "unknown", NULL},
        /* named cards, to the letter, whatever the class */
        {CARD("Memorex microSD 2GB", "sdhc32g-u1"), "memorex-2gb", NULL},
        {CARD("SanDisk Ultra (genuine) 16 GB", ""), "sandisk-ultra-16gb", NULL},
        {CARD("Memorex microSD 2 GB", "sdsc2g"), "sdsc2g", NULL},
        {CARD("memorex microsd 2gb", "sdsc2g"), "sdsc2g", NULL},
        {CARD("Memorex microSD 2GB class 10", ""), "unknown", NULL},
        /* one card, used and new: the text says which */
        {CARD("SanDisk Extreme PLUS 16GB class 10", "sdhc16g-c10"),
         "sandisk-extreme-plus-16gb-used", NULL},
        {CARD("SanDisk Extreme PLUS 16GB class 10, brand new", "sdhc16g-c10"),
         "sandisk-extreme-plus-16gb", NULL},
        {CARD("Memorex microSD 2GB", "") "," SAYS("\"state=used\""),
         "{base: memorex-2gb, state: used}", NULL},
        /* a maker whose cards differ from the class's others, by the first word that is one */
        {CARD("Kingston 16 GB", "sdhc16g-c10"), "sdhc16g-c10-kingston", NULL},
        {CARD("SANDISK/Ultra, 16 GB", "sdhc16g-c10"), "sdhc16g-c10-sandisk", NULL},
        {CARD("micro SD by Toshiba", "sdhc8g-c4"), "sdhc8g-c4-toshiba", NULL},
        {CARD("SanDisk 16GB class 4", "sdhc16g-c10"), "sdhc8g-c4-sandisk", NULL},
        {CARD("SanDisk 32GB", "sdhc32g-u1"), "sdhc32g-u1", NULL},
        {CARD("Kingstons, Toshib, ../kingston.", "sdhc16g-c10"), "sdhc16g-c10-kingston", NULL},
        {CARD("Kingstons, -kingston2", "sdhc16g-c10"), "sdhc16g-c10", NULL},
        {CARD("c4-sandisk", "sdhc8g"), "unknown", NULL},
        /* marks win over a class that went by capacity */
        {CARD("Some 8GB class 10", "sdhc8g-c4"), "sdhc16g-c10", NULL},
        {CARD("Some 4GB, CLASS 10", "sdhc4g-c4"), "sdhc16g-c10", NULL},
        {CARD("Some 4GB (C10)", "sdhc4g-c4"), "sdhc16g-c10", NULL},
        {CARD("C10/U1 8GB", "sdhc8g-c4"), "sdhc16g-c10", NULL},
        {CARD("Some 8GB class 10x", "sdhc8g-c4"), "sdhc8g-c4", NULL},
        {CARD("Some 8GB subclass 10", "sdhc8g-c4"), "sdhc8g-c4", NULL},
        {CARD("Some 8GB AC10", "sdhc8g-c4"), "sdhc8g-c4", NULL},
        {CARD("Some 16GB class 4", "sdhc16g-c10"), "sdhc8g-c4", NULL},
        {CARD("Some 32GB class 4", "sdhc32g-u1"), "sdhc8g-c4", NULL},
        {CARD("Some 128GB A2", "sdxc128g-v30"), "sdxc64g-a2", NULL},
        {CARD("Some 128GB U3 A1", "sdxc128g-v30"), "sdhc32g-a1", NULL},
        {CARD("Some 64GB A1", "sdxc64g-a2"), "sdhc32g-a1", NULL},
        {CARD("Some 32GB A1", "sdhc32g-u1"), "sdhc32g-a1", NULL},
        {CARD("Some 16GB A1", "sdhc16g-c10"), "sdhc32g-a1", NULL},
        {CARD("Some 64GB A2", "sdxc64g-a2"), "sdxc64g-a2", NULL},
        {CARD("Some 2GB class 10", "sdsc2g"), "sdsc2g", NULL},
        {CARD("Some 8GB class 10", ""), "unknown", NULL},
        {CARD("Some 128GB", "sdxc128g-v30") "," SAYS("\"n=1\",\"marking differs: U3, A2\""),
         "sdxc64g-a2", NULL},
        {CARD("Some 128GB", "sdxc128g-v30") "," SAYS("\"marking is as told: A2\""), "sdxc128g-v30",
         NULL},
        /* states */
        {"\"card_class\":\"sdsc2g\"," SAYS("\"state=used\""), "{base: sdsc2g, state: used}", NULL},
        {"\"card_class\":\"sdsc2g\"," SAYS("\"state=new\""), "{base: sdsc2g, state: fresh}", NULL},
        {"\"card_class\":\"sdsc2g\"," SAYS("\"state=housekeeping\""),
         "{base: sdsc2g, state: housekeeping}", NULL},
        {"\"card_class\":\"sdsc2g\"," SAYS("\"state=full\""), "{base: sdsc2g, state: full}", NULL},
        {"\"card_class\":\"sdsc2g\"," SAYS("\"state=cold-first-write\""), "sdsc2g", NULL},
        {SAYS("\"state=used\""), "{base: unknown, state: used}", NULL},
    };
    check_rows("card", rows, COUNT(rows));
}

/* ---- bus and clock ---- */

static void test_clocks(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"", "", NULL},
        {"\"clock_requested_hz\":25000000", "25000000Hz", NULL},
        /* one that was measured is rounded, so a little more is asked for */
        {"\"clock_hz\":25000000", "25050000Hz", NULL},
        {"\"clock_requested_hz\":40000000,\"clock_hz\":26666667", "26720000Hz", NULL},
        {"\"clock_hz\":400000", "400800Hz", NULL},
        {"\"clock_hz\":1", "1Hz", "is outside 1kHz"},
        {"\"clock_hz\":1000000000000", "1002000000000Hz", "is outside"},
        {"\"clock_requested_hz\":1000000000000000", "1000000000000000Hz", "is outside"},
    };
    check_rows("clock", rows, COUNT(rows));
}

static void test_buffers(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"", "", NULL},
        {SAYS("\"buffer=unaligned\""), "no", NULL},
        {SAYS("\"buffer=internal-dma\""), "", NULL},
    };
    check_rows("usable_buffers", rows, COUNT(rows));
}

/* ---- volumes ---- */

static void test_file_apis(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"\"api\":\"sdfat-file\"", "{api: sdfat}", NULL},
        {"\"api\":\"fatfs\"", "{api: fatfs}", NULL},
        {"\"host\":\"rp2040\",\"driver\":\"carlk3-freertos-spi\",\"api\":\"fatfs\"",
         "{api: freertos-fat}", NULL},
        {"\"api\":\"stdio\"", "{api: stdio}", NULL},
        {"\"api\":\"posix\"", "{api: posix}", NULL},
        {"\"driver\":\"micropython-sdcard\",\"api\":\"micropython\"", "{api: micropython}", NULL},
        {"\"driver\":\"circuitpython-sdcardio\",\"api\":\"python\"", "{api: circuitpython}", NULL},
        {"\"driver\":\"micropython-sdcard\",\"api\":\"python\"", "{api: micropython}", NULL},
        {"\"api\":\"arduino-file\"", "{api: arduino-classic}", NULL},
        {"\"host\":\"rp2040\",\"driver\":\"arduino-pico-sd\",\"api\":\"arduino-file\"",
         "{api: sdfat}", NULL},
        {"\"api\":\"of-my-own\"", "{api: fatfs}", NULL},
        /* nothing said: what the driver's users have */
        {"", "{api: sdfat}", NULL},
        {"\"host\":\"p2\",\"driver\":\"p2-sd-driver\"", "{api: p2-file}", NULL},
        {"\"driver\":\"arduino-esp32-sd\"", "{api: arduino}", NULL},
        {"\"driver\":\"arduino-sd-classic\"", "{api: arduino-classic}", NULL},
        {"\"driver\":\"esp-idf-sdspi\"", "{api: posix}", NULL},
        {"\"host\":\"stm32f4\",\"driver\":\"nuttx-mmcsd-spi\"", "{api: posix}", NULL},
        {"\"driver\":\"chan-mmc-spi\"", "{api: fatfs}", NULL},
        /* the buffer arduino-esp32 had until 2.0.3 */
        {"\"driver\":\"arduino-esp32-sd\",\"year\":2022", "{api: arduino, buffer: 128B}", NULL},
        {"\"driver\":\"arduino-esp32-sd\",\"year\":2016,\"api\":\"arduino-file\"",
         "{api: arduino, buffer: 128B}", NULL},
        {"\"driver\":\"arduino-esp32-sd\",\"year\":2023", "{api: arduino}", NULL},
        {"\"driver\":\"arduino-sd-classic\",\"year\":2016", "{api: arduino-classic}", NULL},
        /* raw sectors have none */
        {"\"fs\":\"raw\"", "", NULL},
        {"\"api\":\"raw\",\"fs\":\"fat32\"", "", NULL},
        {"\"host\":\"linux-native\",\"bus\":\"sd4\",\"driver\":\"linux-mmc\",\"api\":\"posix\"", "",
         NULL},
    };
    check_rows("file", rows, COUNT(rows));
}

static void test_volumes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"", "", NULL},
        {"\"fs\":\"fat32\"", "{type: fat32}", NULL},
        {"\"fs\":\"exfat\",\"cluster_bytes\":131072,\"card_class\":\"sdxc64g-a2\"",
         "{type: exfat, cluster: 131072B}", NULL},
        {"\"cluster_bytes\":32768", "{cluster: 32768B}", NULL},
        {"\"fs\":\"fat16\",\"card_class\":\"sdsc2g\"", "{type: fat16}", NULL},
        {"\"fs\":\"littlefs\"", "", NULL},
        {"\"fs\":\"FAT32\"", "", NULL},
        {"\"fs\":\"raw\",\"cluster_bytes\":32768", "", NULL},
        {"\"cluster_bytes\":1000", "{cluster: 1000B}", "cluster"},
        {"\"cluster_bytes\":1099511627776", "{cluster: 1099511627776B}", "is outside"},
    };
    check_rows("filesystem", rows, COUNT(rows));
}

/* ---- workloads ---- */

#define RAW "\"fs\":\"raw\","

static void test_calls(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"\"op\":\"read\"", "{do: read, call: 512B, total: 5000000B}", NULL},
        {"\"op\":\"append\"", "{do: write, call: 512B, total: 5000000B}", NULL},
        {"\"op\":\"random-read\",\"chunk_bytes\":4096",
         "{do: random-read, call: 4096B, total: 5000000B}", NULL},
        {"\"op\":\"random-write\",\"chunk_bytes\":4096",
         "{do: random-write, call: 4096B, total: 5000000B}", NULL},
        {"\"op\":\"read\",\"chunk_bytes\":4096," SAYS("\"random sector positions\""),
         "{do: random-read, call: 4096B, total: 5000000B}", NULL},
        {"\"api\":\"stdio\"", "{do: write, call: 128B, total: 5000000B}", NULL},
        {"\"chunk_bytes\":32768,\"total_bytes\":8388608",
         "{do: write, call: 32768B, total: 8388608B}", NULL},
        /* a number for lone calls is one of calls that were repeated, unless it says not */
        {"\"chunk_bytes\":4096,\"total_bytes\":4096", "{do: write, call: 4096B, total: 65536B}",
         NULL},
        {"\"chunk_bytes\":4096,\"total_bytes\":100", "{do: write, call: 4096B, total: 65536B}",
         NULL},
        {"\"chunk_bytes\":4096,\"total_bytes\":4096," SAYS("\"n=1\""),
         "{do: write, call: 4096B, total: 4096B}", NULL},
        {"\"chunk_bytes\":1048576", "{do: write, call: 1048576B, total: 16777216B}", NULL},
        {"\"chunk_bytes\":1", "{do: write, call: 1B, total: 65536B}", NULL},
        {"\"chunk_bytes\":16,\"total_bytes\":100000000", "{do: write, call: 16B, total: 1048576B}",
         NULL},
        /* preallocation and syncs */
        {"\"preallocated\":true", "{do: write, call: 512B, total: 5000000B, preallocate: yes}",
         NULL},
        {"\"op\":\"read\",\"preallocated\":true", "{do: read, call: 512B, total: 5000000B}", NULL},
        {"\"op\":\"random-write\",\"preallocated\":true",
         "{do: random-write, call: 512B, total: 5000000B}", NULL},
        {"\"sync_per_write\":true", "{do: write, call: 512B, total: 5000000B, sync_every: 1}",
         NULL},
        {SAYS("\"f_sync after each call\""),
         "{do: write, call: 512B, total: 5000000B, sync_every: 1}", NULL},
        {"\"op\":\"read\",\"sync_per_write\":true", "{do: read, call: 512B, total: 5000000B}",
         NULL},
        /* what is timed */
        {SAYS("\"includes=open,close\""), "{do: write, call: 512B, total: 5000000B, timed: all}",
         NULL},
        {"\"op\":\"read\"," SAYS("\"includes=open\""),
         "{do: read, call: 512B, total: 5000000B, timed: all}", NULL},
        {"\"metric\":\"latency_mean_s\",\"value\":0.1," SAYS("\"includes=create+close\""),
         "{do: write, call: 512B, total: 5000000B, timed: passes, times: 8}", NULL},
        {"\"chunk_bytes\":4096,\"total_bytes\":4096," SAYS("\"includes=open\""),
         "{do: write, call: 4096B, total: 4096B, timed: all}", NULL},
        {SAYS("\"includes=fsync\""), "{do: write, call: 512B, total: 5000000B, final_sync: yes}",
         NULL},
        {SAYS("\"SdFat bench V2: final sync of the file\""),
         "{do: write, call: 512B, total: 5000000B, final_sync: yes}", NULL},
        {"\"op\":\"read\"," SAYS("\"includes=fsync\""), "{do: read, call: 512B, total: 5000000B}",
         NULL},
        {RAW SAYS("\"includes=open,fsync\""),
         "{do: write, call: 512B, total: 5000000B, on: raw, start: 67108864B}", NULL},
        /* the first call of a file */
        {SAYS("\"first_call=excluded\""),
         "{do: write, call: 512B, total: 5000000B, first_call: excluded}", NULL},
        {SAYS("\"port of SdFat bench to C\""),
         "{do: write, call: 512B, total: 5000000B, first_call: excluded}", NULL},
        {SAYS("\"FatFs port of SdFat bench\""),
         "{do: write, call: 512B, total: 5000000B, first_call: excluded}", NULL},
        {SAYS("\"first_call=included\""), "{do: write, call: 512B, total: 5000000B}", NULL},
        {"\"total_bytes\":1000,\"chunk_bytes\":512," SAYS("\"first_call=excluded\""),
         "{do: write, call: 512B, total: 1000B}", NULL},
    };
    check_rows("workload", rows, COUNT(rows));
}

static void test_raw_calls(void **state)
{
    (void)state;
    static const struct row rows[] = {
        /* whole sectors */
        {RAW "\"chunk_bytes\":1",
         "{do: write, call: 512B, total: 65536B, on: raw, start: 67108864B}", NULL},
        {RAW "\"chunk_bytes\":513,\"total_bytes\":5130",
         "{do: write, call: 1024B, total: 5130B, on: raw, start: 67108864B}", NULL},
        {RAW "\"chunk_bytes\":512,\"total_bytes\":5130",
         "{do: write, call: 512B, total: 5130B, on: raw, start: 67108864B}", NULL},
        {RAW "\"op\":\"random-read\",\"chunk_bytes\":4096",
         "{do: random-read, call: 4096B, total: 5000000B, on: raw, start: 67108864B}", NULL},
        {RAW SAYS("\"start_offset=1048576\""),
         "{do: write, call: 512B, total: 5000000B, on: raw, start: 1048576B}", NULL},
        {RAW SAYS("\"start_offset=somewhere\""),
         "{do: write, call: 512B, total: 5000000B, on: raw, start: 67108864B}", NULL},
        {RAW SAYS("\"start_offset=100\""),
         "{do: write, call: 512B, total: 5000000B, on: raw, start: 100B}", "whole sectors"},
        {RAW SAYS("\"start_offset=-5\""),
         "{do: write, call: 512B, total: 5000000B, on: raw, start: 67108864B}", NULL},
        {RAW "\"preallocated\":true,\"sync_per_write\":true",
         "{do: write, call: 512B, total: 5000000B, on: raw, start: 67108864B}", NULL},
        /* open allocation units */
        {RAW "\"chunk_bytes\":65536," SAYS("\"open_aus=1\""),
         "{do: write, call: 65536B, total: 5000000B, on: raw, start: 134217728B, streams: 1}",
         NULL},
        {RAW "\"chunk_bytes\":65536," SAYS("\"open_aus=4\""),
         "{do: write, call: 65536B, total: 5000000B, on: raw, start: 134217728B, streams: 4, "
         "region: 4194304B}",
         NULL},
        {RAW
         "\"op\":\"random-write\",\"chunk_bytes\":65536," SAYS("\"open_aus=4\",\"order=random\""),
         "{do: write, call: 65536B, total: 5000000B, on: raw, start: 134217728B, streams: 4, "
         "region: 4194304B, order: random}",
         NULL},
        {RAW "\"chunk_bytes\":8388608," SAYS("\"open_aus=2\""),
         "{do: write, call: 8388608B, total: 134217728B, on: raw, start: 134217728B, streams: 2, "
         "region: 8388608B}",
         NULL},
        {RAW SAYS("\"open_aus=0\""),
         "{do: write, call: 512B, total: 5000000B, on: raw, start: 67108864B}", NULL},
        {RAW "\"chunk_bytes\":65536," SAYS("\"open_aus=1000000\""),
         "{do: write, call: 65536B, total: 5000000B, on: raw, start: 134217728B, streams: 1000000, "
         "region: 4194304B}",
         ""},
        {SAYS("\"open_aus=4\",\"order=random\",\"start_offset=1048576\""),
         "{do: write, call: 512B, total: 5000000B}", NULL},
        /* boundaries */
        {RAW "\"op\":\"random-read\",\"chunk_bytes\":4096," SAYS("\"crosses=none\""),
         "{do: random-read, call: 4096B, total: 5000000B, on: raw, start: 67108864B, align: "
         "65536B, offset: 8192B}",
         NULL},
        {RAW "\"op\":\"random-read\",\"chunk_bytes\":4096," SAYS("\"crosses=16KiB\""),
         "{do: random-read, call: 4096B, total: 5000000B, on: raw, start: 67108864B, align: "
         "16384B, offset: 14336B}",
         NULL},
        {RAW "\"op\":\"random-read\",\"chunk_bytes\":4096," SAYS("\"crosses=4MiB\""),
         "{do: random-read, call: 4096B, total: 5000000B, on: raw, start: 67108864B, align: "
         "4194304B, offset: 4192256B}",
         NULL},
        {RAW "\"op\":\"random-read\",\"chunk_bytes\":4096," SAYS("\"crosses=2MiB\""),
         "{do: random-read, call: 4096B, total: 5000000B, on: raw, start: 67108864B}", NULL},
        {RAW "\"op\":\"read\",\"chunk_bytes\":4096," SAYS("\"crosses=16KiB\""),
         "{do: read, call: 4096B, total: 5000000B, on: raw, start: 67108864B}", NULL},
        /* longer calls cross several; one lies in their middle */
        {RAW "\"op\":\"random-read\",\"chunk_bytes\":65536," SAYS("\"crosses=16KiB\""),
         "{do: random-read, call: 65536B, total: 5000000B, on: raw, start: 67108864B, align: "
         "16384B, offset: 0B}",
         NULL},
        {RAW "\"op\":\"random-read\",\"chunk_bytes\":40960," SAYS("\"crosses=16KiB\""),
         "{do: random-read, call: 40960B, total: 5000000B, on: raw, start: 67108864B, align: "
         "16384B, offset: 12288B}",
         NULL},
    };
    check_rows("workload", rows, COUNT(rows));
}

/* Combinations that make no sense get a reason that says why. */
static void test_nonsense(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"\"chunk_bytes\":1099511627776", "", ""},
        {"\"chunk_bytes\":1000000000000000", "", ""},
        {"\"total_bytes\":1000000000000000,\"chunk_bytes\":1048576", "", ""},
        {"\"bus\":\"spi\",\"driver\":\"esp-idf-sdmmc\"", "", "bus"},
        {"\"bus\":\"sd1\",\"driver\":\"usb-reader\",\"clock_hz\":1", "", "is outside 1kHz"},
        {"\"chunk_bytes\":4096,\"total_bytes\":100," SAYS("\"includes=open\""), "", ""},
    };
    check_rows("nothing", rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),      cmocka_unit_test(test_drivers),
        cmocka_unit_test(test_lent_costs), cmocka_unit_test(test_cards),
        cmocka_unit_test(test_clocks),     cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_file_apis),  cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_calls),      cmocka_unit_test(test_raw_calls),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

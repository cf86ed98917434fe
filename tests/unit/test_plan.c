/*
 * From records to runs: which profiles a record's words mean, and what workload it is, over the
 * profiles there are; then records of random words and numbers, which must end as a run or as a
 * reason.
 *
 *     test_plan [SEED [RECORDS]]      the random ones: another seed, more of them
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "core/rng.h"
#include "measure/forecast.h"
#include "measure/plan.h"
#include "measure/profiles.h"
#include "unit/config_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t random_seed = 5;
static unsigned random_records = 2000;

/* ---- records and their plans ---- */

struct bench {
    struct sdsim_test_config f;
    struct sdsim_measurements measurements;
    struct sdsim_plans plans;
};

/* Prints a record: `fields` (JSON, without braces) and what it needs besides. */
static void print_record(FILE *out, const char *fields)
{
    static const char *const needed[][2] = {
        {"\"id\":", "\"r\""},      {"\"host\":", "\"esp32\""},
        {"\"bus\":", "\"spi\""},   {"\"driver\":", "\"sdfat-spi-shared\""},
        {"\"op\":", "\"write\""},  {"\"metric\":", "\"throughput_Bps\""},
        {"\"value\":", "1000000"},
    };
    fprintf(out, "{%s", fields);
    const char *comma = fields[0] != '\0' ? "," : "";
    for (size_t i = 0; i < COUNT(needed); i++) {
        if (strstr(fields, needed[i][0]) == NULL) {
            fprintf(out, "%s%s%s", comma, needed[i][0], needed[i][1]);
            comma = ",";
        }
    }
    fputs("}\n", out);
}

/* Plans for a JSONL text; whether all went well. */
static bool bench_try(struct bench *bench, const char *text, size_t size,
                      const char *const *overrides)
{
    char folder[] = "/tmp/sdsim-plan-XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.jsonl", folder);
    sdsim_test_write_file(path, text, size);
    *bench = (struct bench){.measurements = {.items = NULL}};
    sdsim_test_config_set_up(&bench->f, ".");
    const bool fine =
        sdsim_measurements_read(&bench->measurements, bench->f.config, path, &bench->f.diags) &&
        sdsim_plans_make(&bench->plans, bench->f.config, &bench->measurements, overrides,
                         &bench->f.diags);
    (void)remove(path);
    (void)rmdir(folder);
    return fine;
}

static void bench_open_text(struct bench *bench, const char *text, size_t size,
                            const char *const *overrides)
{
    if (!bench_try(bench, text, size, overrides)) {
        fail_msg("line %u: %s", (unsigned)bench->f.diags.items[0].line,
                 bench->f.diags.items[0].text);
    }
}

static void bench_close(struct bench *bench)
{
    sdsim_plans_free(&bench->plans);
    sdsim_measurements_free(&bench->measurements);
    sdsim_test_config_tear_down(&bench->f);
}

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
    struct bench bench;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++) {
        print_record(out, rows[i].fields);
    }
    assert_int_equal(fclose(out), 0);
    bench_open_text(&bench, text, size, NULL);
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
    bench_close(&bench);
    assert_true(same);
}

#define SAYS(texts) "\"assumptions\":[" texts "]"

/* ---- hosts ---- */

static void test_hosts(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"\"host\":\"rp2040\"", "rp2040", NULL},
        {"\"host\":\"stm32h7\"", "stm32h7", NULL},
        /* variants, where there are such profiles */
        {"\"host\":\"rp2040\"," SAYS("\"spi_transfer=byte\""), "rp2040-byte", NULL},
        {"\"host\":\"esp32\"," SAYS("\"spi_transfer=array\""), "esp32-array", NULL},
        {"\"host\":\"esp32c3\"," SAYS("\"spi_transfer=array\""), "esp32s3-array", NULL},
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
        {"\"host\":\"linux-usb3\",\"bus\":\"sd4\",\"driver\":\"usb-reader\"", "linux-usb-reader",
         NULL},
        {"\"host\":\"linux-rpi4\",\"bus\":\"sd4\",\"driver\":\"linux-mmc\"", "linux-native", NULL},
        /* and what nobody knows */
        {"\"host\":\"nrf52840\"", "unspecified", NULL},
        {"\"host\":\"ESP32\"", "unspecified", NULL},
        {"\"host\":\"../hosts/esp32\"", "unspecified", NULL},
        {"\"host\":\"a: {b, c}\"", "unspecified", NULL},
    };
    check_rows("host", rows, COUNT(rows));
}

/* ---- drivers ---- */

#define TEENSY "\"host\":\"imxrt1062\",\"bus\":\"sd4\",\"driver\":\"sdfat-sdio\""
#define STM    "\"host\":\"stm32f4\",\"bus\":\"sd4\",\"driver\":"

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
        struct bench bench;
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        print_record(out, rows[i].fields);
        assert_int_equal(fclose(out), 0);
        bench_open_text(&bench, text, size, NULL);
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
        bench_close(&bench);
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

/* ---- plans ---- */

/* A card that is based on another one is another card. */
static void test_matches_are_not_inherited(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *text;
    } files[] = {
        {"b-named", "kind: card\nmatches: [Some card, its other name]\n"},
        {"a-based", "kind: card\nbase: b-named\n"},
        {"c-based", "kind: card\nbase: b-named\n"},
        {"d-based", "kind: card\nbase: b-named\nmatches: That card\n"},
    };
    static const struct {
        const char *card;
        const char *profile;
    } rows[] = {{"Some card", "b-named"}, {"its other name", "b-named"}, {"That card", "d-based"}};
    char folder[] = "/tmp/sdsim-plan-XXXXXX";
    char path[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cards", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < COUNT(files); i++) {
        snprintf(path, sizeof path, "%s/cards/%s.yaml", folder, files[i].name);
        sdsim_test_write_file(path, files[i].text, strlen(files[i].text));
    }
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, folder);
    struct sdsim_profiles *profiles = sdsim_profiles_create(f.config);
    assert_non_null(profiles);
    for (size_t i = 0; i < COUNT(files); i++) {
        assert_true(sdsim_profiles_has(profiles, "card", files[i].name));
        snprintf(path, sizeof path, "%s/cards/%s.yaml", folder, files[i].name);
        (void)remove(path);
    }
    snprintf(path, sizeof path, "%s/cards", folder);
    (void)rmdir(path);
    (void)rmdir(folder);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *profile = sdsim_profiles_card(profiles, rows[i].card);
        assert_non_null(profile);
        assert_string_equal(profile, rows[i].profile);
    }
    assert_null(sdsim_profiles_card(profiles, "another card"));
    sdsim_test_config_tear_down(&f);
}

/* Records that mean one run share it, what is measured and how the record is called aside. */
static void test_shared(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        size_t same;
    } rows[] = {
        {"\"chunk_bytes\":4096", 0},
        {"\"chunk_bytes\":8192", 1},
        {"\"chunk_bytes\":4096,\"id\":\"other\",\"source\":\"s\",\"group\":\"g\"", 0},
        {"\"chunk_bytes\":4096,\"metric\":\"latency_max_s\",\"value\":0.1", 0},
        {"\"chunk_bytes\":8192," SAYS("\"range=low\""), 1},
        {"\"bus\":\"sd4\"", 5},
        {"\"bus\":\"sd4\",\"value\":7", 5},
    };
    struct bench bench;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < COUNT(rows); i++) {
        print_record(out, rows[i].fields);
    }
    assert_int_equal(fclose(out), 0);
    bench_open_text(&bench, text, size, NULL);
    free(text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_plan *plan = &bench.plans.items[i];
        assert_int_equal(plan->same, rows[i].same);
        assert_ptr_equal(plan->measurement, &bench.measurements.items[i]);
        assert_int_equal(plan->reason != NULL, rows[i].same == 5);
        assert_ptr_equal(plan->run.host, bench.plans.items[plan->same].run.host);
    }
    bench_close(&bench);
}

/* Changes on top reach every run. */
static void test_overrides(void **state)
{
    (void)state;
    static const char *const overrides[] = {"card=memorex-2gb", "workload.call=1KiB", NULL};
    struct bench bench;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    print_record(out, "\"card_class\":\"sdxc64g-a2\"");
    print_record(out, "\"card_class\":\"sdhc32g-a1\"," SAYS("\"state=used\""));
    assert_int_equal(fclose(out), 0);
    bench_open_text(&bench, text, size, overrides);
    free(text);
    for (size_t i = 0; i < bench.plans.count; i++) {
        const struct sdsim_run *run = &bench.plans.items[i].run;
        assert_null(bench.plans.items[i].reason);
        assert_string_equal(run->card_name, "memorex-2gb");
        assert_string_equal(sdsim_node_text(sdsim_node_get(run->tree, "workload"), "call"), "1KiB");
    }
    bench_close(&bench);
}

/* Changes that suit none of the records are told, those that suit some are theirs. */
static void test_bad_overrides(void **state)
{
    (void)state;
    static const struct {
        const char *override;
        const char *message; /* NULL: all is well */
        bool refused[2];
    } rows[] = {
        {"nonsense=1", "--set: error: unknown key 'nonsense' in run\n", {true, true}},
        {"card=x", "--set: error: there is no card 'x'\n", {true, true}},
        {"card.rd1=5",
         "--set: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '5'\n",
         {true, true}},
        {"workload.call=700B", NULL, {false, true}}, /* raw calls move whole sectors */
        {"workload.call=1KiB", NULL, {false, false}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const overrides[] = {rows[i].override, NULL};
        struct bench bench;
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        print_record(out, "");
        print_record(out, RAW "\"chunk_bytes\":512");
        assert_int_equal(fclose(out), 0);
        assert_int_equal(bench_try(&bench, text, size, overrides), rows[i].message == NULL);
        free(text);
        char *messages = sdsim_test_diag_text(&bench.f.diags);
        assert_string_equal(messages, rows[i].message != NULL ? rows[i].message : "");
        free(messages);
        for (size_t r = 0; r < 2; r++) {
            assert_int_equal(bench.plans.items[r].reason != NULL, rows[i].refused[r]);
        }
        bench_close(&bench);
    }
}

/* Without memory: false, or a reason; nothing leaks, and no half-made run looks like one. */
static void test_no_memory(void **state)
{
    (void)state;
    static const struct sdsim_measurement record = {.id = "r",
                                                    .source = "",
                                                    .group = "",
                                                    .host = "esp32",
                                                    .bus = "spi",
                                                    .driver = "x",
                                                    .api = "",
                                                    .card = "A1 8GB",
                                                    .card_class = "sdsc2g",
                                                    .fs = "fat32",
                                                    .op = "write",
                                                    .value = 1.0};
    struct sdsim_measurement items[] = {record, record};
    const struct sdsim_measurements list = {.items = items, .count = 2};
    for (size_t n = 1;; n += 1 + n / 6) {
        struct sdsim_test_config f;
        struct sdsim_plans plans;
        sdsim_test_config_set_up(&f, ".");
        sdsim_test_fail_allocation(n);
        const bool fine = sdsim_plans_make(&plans, f.config, &list, NULL, &f.diags);
        const bool failed = sdsim_test_allocation_failed();
        assert_int_equal(fine, f.diags.errors == 0);
        for (size_t i = 0; fine && i < plans.count; i++) {
            assert_true(plans.items[i].reason != NULL || plans.items[i].run.host != NULL);
        }
        if (!failed) {
            assert_true(fine && plans.items[0].reason == NULL);
        }
        sdsim_plans_free(&plans);
        sdsim_test_config_tear_down(&f);
        if (!failed) {
            break;
        }
    }
}

static void test_nothing(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    struct sdsim_plans plans;
    const struct sdsim_measurements none = {.items = NULL};
    sdsim_test_config_set_up(&f, ".");
    assert_true(sdsim_plans_make(&plans, f.config, &none, NULL, &f.diags));
    assert_int_equal(plans.count, 0);
    sdsim_plans_free(&plans);
    sdsim_test_config_tear_down(&f);
}

/* ---- random records ---- */

static const char *pick(struct sdsim_rng *rng, const char *const *words, size_t count)
{
    return words[sdsim_rng_below(rng, count)];
}

#define PICK(rng, words) pick(rng, words, COUNT(words))

/* Numbers small, usual and huge. */
static uint64_t random_count(struct sdsim_rng *rng)
{
    static const uint64_t special[] = {1,           2,
                                       511,         512,
                                       513,         1000,
                                       4096,        65536,
                                       1048576,     4194304,
                                       8388608,     1000000000,
                                       10000000000, UINT64_C(1) << 40,
                                       1000000,     25000000,
                                       400000000,   240000000,
                                       2022,        1000000000000000};
    if (sdsim_rng_below(rng, 3) > 0) {
        return special[sdsim_rng_below(rng, COUNT(special))];
    }
    const uint64_t any = sdsim_rng_next(rng) >> (14 + sdsim_rng_below(rng, 50));
    return any > 1000000000000000 ? 1 : any;
}

static void print_words(FILE *out, struct sdsim_rng *rng)
{
    static const char *const hosts[] = {
        "esp32",   "esp32s3",      "esp32c3",          "rp2040",      "rp2350",   "imxrt1062",
        "stm32f4", "stm32h7",      "atmega328p",       "samd51",      "sams70",   "p2",
        "ra4m1",   "linux-native", "linux-usb-reader", "unspecified", "teensy36", "nonsense"};
    static const char *const drivers[] = {"sdfat-sdio",       "sdfat-spi-dedicated",
                                          "sdfat-spi-shared", "arduino-esp32-sd",
                                          "esp-idf-sdmmc",    "esp-idf-sdspi",
                                          "stm32-hal-sd",     "micropython-sdcard",
                                          "nuttx-mmcsd-sdio", "circuitpython-sdcardio",
                                          "chan-mmc-spi",     "carlk3-spi",
                                          "carlk3-sdio",      "linux-mmc",
                                          "usb-reader",       "p2-sd-driver",
                                          "generic-sd-dma",   "arduino-sd-classic",
                                          "own-hsmci",        "nonsense"};
    static const char *const buses[] = {"spi", "sd1", "sd4"};
    static const char *const ops[] = {"read", "write", "append", "random-read", "random-write"};
    static const char *const metrics[] = {"throughput_Bps", "latency_mean_s", "latency_min_s",
                                          "latency_max_s"};
    static const char *const apis[] = {"raw",   "arduino-file", "sdfat-file",    "fatfs",  "stdio",
                                       "posix", "micropython",  "circuitpython", "python", "x"};
    static const char *const volumes[] = {"raw", "fat12", "fat16", "fat32", "exfat", "x"};
    static const char *const classes[] = {"sdsc2g", "sdhc8g-c4",    "sdhc32g-u1", "sdxc64g-a2",
                                          "fake",   "sdsc64-slc",   "unknown",    "x",
                                          "emmc",   "sdnand-csnp4g"};
    static const char *const cards[] = {"Memorex microSD 2GB", "X class 10", "A1", "eMMC chip"};
    const char *host = PICK(rng, hosts); /* one by one: arguments have no order */
    const char *driver = PICK(rng, drivers);
    const char *bus = PICK(rng, buses);
    const char *op = PICK(rng, ops);
    const char *metric = PICK(rng, metrics);
    fprintf(out, "\"host\":\"%s\",\"driver\":\"%s\",\"bus\":\"%s\",\"op\":\"%s\",\"metric\":\"%s\"",
            host, driver, bus, op, metric);
    if (sdsim_rng_below(rng, 2) > 0) {
        fprintf(out, ",\"api\":\"%s\"", PICK(rng, apis));
    }
    if (sdsim_rng_below(rng, 2) > 0) {
        fprintf(out, ",\"fs\":\"%s\"", PICK(rng, volumes));
    }
    if (sdsim_rng_below(rng, 3) > 0) {
        fprintf(out, ",\"card_class\":\"%s\"", PICK(rng, classes));
    }
    if (sdsim_rng_below(rng, 4) == 0) {
        fprintf(out, ",\"card\":\"%s\"", PICK(rng, cards));
    }
}

static void print_numbers(FILE *out, struct sdsim_rng *rng)
{
    static const struct {
        const char *name;
        unsigned one_in;
    } counts[] = {{"year", 3},       {"cpu_hz", 4},        {"clock_requested_hz", 3},
                  {"clock_hz", 3},   {"cluster_bytes", 6}, {"chunk_bytes", 1},
                  {"total_bytes", 2}};
    static const char *const answers[] = {"dma", "preallocated", "sync_per_write"};
    for (size_t i = 0; i < COUNT(counts); i++) {
        if (sdsim_rng_below(rng, counts[i].one_in) == 0) {
            fprintf(out, ",\"%s\":%" PRIu64, counts[i].name, random_count(rng));
        }
    }
    for (size_t i = 0; i < COUNT(answers); i++) {
        if (sdsim_rng_below(rng, 3) == 0) {
            fprintf(out, ",\"%s\":%s", answers[i], sdsim_rng_below(rng, 2) > 0 ? "true" : "false");
        }
    }
}

static void print_assumptions(FILE *out, struct sdsim_rng *rng)
{
    static const char *const plain[] = {"stream=per-call",
                                        "multi_block=0",
                                        "buffer=unaligned",
                                        "includes=open",
                                        "includes=fsync",
                                        "state=used",
                                        "includes=create,close",
                                        "first_call=excluded",
                                        "state=new",
                                        "state=full",
                                        "state=housekeeping",
                                        "order=random",
                                        "crosses=none",
                                        "crosses=16KiB",
                                        "crosses=4MiB",
                                        "n=1",
                                        "range=low",
                                        "range=high",
                                        "random sector positions",
                                        "spi_transfer=byte",
                                        "open_aus=",
                                        "start_offset=-1",
                                        "f_sync after each call",
                                        "machine.SDCard"};
    static const char *const counted[] = {"open_aus", "start_offset"};
    const uint64_t count = sdsim_rng_below(rng, 4);
    fputs(",\"assumptions\":[", out);
    for (uint64_t i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", out);
        if (sdsim_rng_below(rng, 4) > 0) {
            fprintf(out, "\"%s\"", PICK(rng, plain));
        } else {
            const char *name = PICK(rng, counted);
            fprintf(out, "\"%s=%" PRIu64 "\"", name, random_count(rng));
        }
    }
    fputc(']', out);
}

/* A run that no test should wait for: its size, not what it is, makes it slow. */
static bool is_slow(const struct sdsim_setup *setup)
{
    return setup->run.workload.total > UINT64_C(1) << 24;
}

/* Numbers that make sense for any run. */
static void check_forecast(const struct sdsim_setup *setup, const struct sdsim_forecast *forecast,
                           const struct sdsim_plan *plan)
{
    const struct sdsim_workload_params *workload = &setup->run.workload;
    const double *value = forecast->value;
    bool fine = true;
    for (int m = 0; m < SDSIM_MEASURED_COUNT; m++) {
        fine = fine && value[m] < 1e15 && value[m] > 0.0;
    }
    /* The mean holds also what is in no call, and first calls that are left out. */
    if (workload->timed == SDSIM_TIMED_CALLS && !workload->final_sync &&
        workload->first_call == SDSIM_FIRST_CALL_INCLUDED) {
        fine = fine && value[SDSIM_MEASURED_MIN] <= value[SDSIM_MEASURED_MEAN] * (1.0 + 1e-9) &&
               value[SDSIM_MEASURED_MEAN] <= value[SDSIM_MEASURED_MAX] * (1.0 + 1e-9);
    }
    if (!fine) {
        fail_msg("seed %" PRIu64 ", %s: %g B/s, calls of %g, %g, %g s in\n%s", random_seed,
                 plan->measurement->id, value[SDSIM_MEASURED_THROUGHPUT], value[SDSIM_MEASURED_MIN],
                 value[SDSIM_MEASURED_MEAN], value[SDSIM_MEASURED_MAX], plan->text);
    }
}

/* Forecasts without draws what can be; for the rest there is a reason. */
static void check_plan(struct bench *bench, size_t index, size_t *modelled, size_t *forecasts)
{
    const struct sdsim_plan *plan = &bench->plans.items[index];
    if (plan->reason != NULL) {
        assert_true(plan->reason[0] != '\0');
        return;
    }
    *modelled += 1;
    if (plan->same != index) {
        return;
    }
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    assert_non_null(setup);
    if (!sdsim_setup_bind(bench->f.config, &plan->run, 0, setup, &bench->f.diags)) {
        fail_msg("seed %" PRIu64 ", record %zu can't be bound:\n%s", random_seed, index,
                 plan->text);
    }
    if (!is_slow(setup)) {
        struct sdsim_forecast forecast;
        sdsim_forecast_run(setup, 0, &forecast);
        if (forecast.error[0] == '\0') {
            check_forecast(setup, &forecast, plan);
            *forecasts += 1;
        }
    }
    free(setup);
}

static void test_random(void **state)
{
    (void)state;
    struct bench bench;
    struct sdsim_rng rng;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_rng_seed(&rng, random_seed);
    for (unsigned i = 0; i < random_records; i++) {
        fprintf(out, "{\"id\":\"r%u\",\"value\":1,", i);
        print_words(out, &rng);
        print_numbers(out, &rng);
        print_assumptions(out, &rng);
        fputs("}\n", out);
    }
    assert_int_equal(fclose(out), 0);
    bench_open_text(&bench, text, size, NULL);
    free(text);
    size_t modelled = 0;
    size_t forecasts = 0;
    for (size_t i = 0; i < bench.plans.count; i++) {
        check_plan(&bench, i, &modelled, &forecasts);
    }
    print_message("seed %" PRIu64 ": %u records, %zu can be modelled, %zu forecasts\n", random_seed,
                  random_records, modelled, forecasts);
    assert_true(modelled > random_records / 20); /* else the words are too wild to test much */
    assert_true(forecasts > random_records / 40);
    bench_close(&bench);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),      cmocka_unit_test(test_drivers),
        cmocka_unit_test(test_lent_costs), cmocka_unit_test(test_cards),
        cmocka_unit_test(test_clocks),     cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_file_apis),  cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_calls),      cmocka_unit_test(test_raw_calls),
        cmocka_unit_test(test_nonsense),   cmocka_unit_test(test_shared),
        cmocka_unit_test(test_overrides),  cmocka_unit_test(test_bad_overrides),
        cmocka_unit_test(test_nothing),    cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_random),     cmocka_unit_test(test_matches_are_not_inherited),
    };
    random_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : random_seed;
    random_records = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : random_records;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

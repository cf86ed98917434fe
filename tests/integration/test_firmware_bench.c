/*
 * The benchmark that users put into their firmware, tools/firmware: sdbench.h and its examples
 * compile without a warning, as C99 and as C++11, and the CSV they print is right. They run on this
 * PC: on a real folder through POSIX and stdio, and with stubs of FatFs, ESP-IDF and three Arduino
 * libraries (tests/firmware) over a card in RAM whose clock is as even as it can be. So does
 * sdbench.py.
 *
 * Each C compiler found is used, and each C++ compiler; what needs one that isn't there is skipped.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"
#include "shell.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define HEADER                                                                                     \
    "id,group,host,cpu_hz,bus,clock_requested_hz,clock_hz,driver,api,card,card_class,fs,"          \
    "cluster_bytes,op,chunk_bytes,total_bytes,sync_per_write,metric,value,assumptions"

enum field {
    ID,
    GROUP,
    HOST,
    CPU_HZ,
    BUS,
    CLOCK_REQUESTED_HZ,
    CLOCK_HZ,
    DRIVER,
    API,
    CARD,
    CARD_CLASS,
    FS,
    CLUSTER_BYTES,
    OP,
    CHUNK_BYTES,
    TOTAL_BYTES,
    SYNC_PER_WRITE,
    METRIC,
    VALUE,
    ASSUMPTIONS,
    FIELDS
};

#define expect_success sdsim_test_expect_success
#define has            sdsim_test_has

/* ---- reading the CSV ---- */

/* A row, with its line cut into fields. */
struct row {
    char *line;
    const char *fields[FIELDS];
};

static void split(struct row *row)
{
    size_t count = 0;
    char *place = row->line;
    for (;;) {
        if (count == FIELDS) {
            fail_msg("too many fields: %s", row->line);
        }
        row->fields[count++] = place;
        place = strchr(place, ',');
        if (place == NULL) {
            break;
        }
        *place++ = '\0';
    }
    if (count != FIELDS) {
        fail_msg("%zu fields: %s", count, row->line);
    }
}

struct table {
    struct row rows[200];
    size_t count;
    char *text; /* cut into lines */
};

/* Takes the text over. Lines before `# sdbench 1`, comments and empty lines are skipped. */
static void parse(struct table *table, char *text)
{
    static const char newline[] = "\n";
    bool begun = false;
    bool ended = false;
    bool has_header = false;
    char *rest = NULL;
    table->count = 0;
    table->text = text;
    for (char *line = strtok_r(text, newline, &rest); line != NULL;
         line = strtok_r(NULL, newline, &rest)) {
        if (strcmp(line, "# sdbench 1") == 0) {
            begun = true;
        } else if (strcmp(line, "# end") == 0) {
            ended = true;
        } else if (begun && !ended && line[0] != '#' && !has_header) {
            assert_string_equal(line, HEADER);
            has_header = true;
        } else if (begun && !ended && line[0] != '#') {
            assert_true(table->count < COUNT(table->rows));
            struct row *row = &table->rows[table->count++];
            row->line = line;
            split(row);
        }
    }
    assert_true(begun && has_header && ended);
}

static double number(const struct row *row, enum field field)
{
    char *end = NULL;
    const double value = strtod(row->fields[field], &end);
    if (end == row->fields[field] || *end != '\0' || !(value > 0)) {
        fail_msg("%s: not a positive number: '%s'", row->fields[ID], row->fields[field]);
    }
    return value;
}

/* The four rows of one run: their common fields, their metrics, their numbers. */
static void expect_run(const struct row *rows)
{
    static const char *const metrics[] = {"throughput_Bps", "latency_mean_s", "latency_min_s",
                                          "latency_max_s"};
    char id[200];
    const size_t name = strlen(rows[0].fields[ID]) - strlen(metrics[0]);
    for (size_t i = 0; i < COUNT(metrics); i++) {
        assert_string_equal(rows[i].fields[METRIC], metrics[i]);
        (void)snprintf(id, sizeof id, "%.*s%s", (int)name, rows[0].fields[ID], metrics[i]);
        assert_string_equal(rows[i].fields[ID], id);
        for (int field = GROUP; field < METRIC; field++) {
            assert_string_equal(rows[i].fields[field], rows[0].fields[field]);
        }
    }
    const double chunk = number(&rows[0], CHUNK_BYTES);
    const double total = number(&rows[0], TOTAL_BYTES);
    const double throughput = number(&rows[0], VALUE);
    const double mean = number(&rows[1], VALUE);
    const double shortest = number(&rows[2], VALUE);
    const double longest = number(&rows[3], VALUE);
    if (shortest > mean || mean > longest || total < chunk || fmod(total, chunk) > 0 ||
        fabs(throughput * mean / chunk - 1) > 0.01) {
        fail_msg("%s: %g B/s, %g bytes of %g, mean %g min %g max %g", rows[0].fields[ID],
                 throughput, total, chunk, mean, shortest, longest);
    }
}

/* What a whole benchmark with a buffer of this size does. */
static void expect_table(const struct table *table, unsigned buffer)
{
    static const unsigned chunks[] = {512, 4096, 16384, 32768};
    static const char *const ops[] = {"write", "read"};
    size_t at = 0;
    for (size_t i = 0; i < COUNT(chunks) && chunks[i] <= buffer; i++) {
        for (size_t k = 0; k < COUNT(ops); k++) {
            assert_true(at + 4 <= table->count);
            const struct row *row = &table->rows[at];
            assert_string_equal(row->fields[OP], ops[k]);
            assert_string_equal(row->fields[SYNC_PER_WRITE], k == 0 ? "false" : "");
            assert_true((unsigned)number(row, CHUNK_BYTES) == chunks[i]);
            expect_run(row);
            at += 4;
        }
    }
    assert_int_equal(table->count, at + 8);
    const struct row *random = &table->rows[at];
    assert_string_equal(random->fields[OP], "random-read");
    assert_string_equal(random->fields[SYNC_PER_WRITE], "");
    assert_true((unsigned)number(random, CHUNK_BYTES) == (buffer < 4096 ? 512 : 4096));
    assert_non_null(strstr(random->fields[ASSUMPTIONS], "order=random;file_bytes="));
    expect_run(random);
    const struct row *synced = &table->rows[at + 4];
    assert_string_equal(synced->fields[OP], "write");
    assert_string_equal(synced->fields[SYNC_PER_WRITE], "true");
    assert_string_equal(synced->fields[CHUNK_BYTES], "512");
    expect_run(synced);
}

/* Takes the output over. */
static void expect_benchmark(struct sdsim_test_output output, unsigned buffer,
                             const char *const *expected)
{
    struct table table;
    if (output.code != 0 || strstr(output.text, "# error") != NULL) {
        fail_msg("exit code %d: %s", output.code, output.text);
    }
    parse(&table, output.text);
    expect_table(&table, buffer);
    for (int field = 0; expected != NULL && field < FIELDS; field++) {
        if (expected[field] != NULL) {
            assert_string_equal(table.rows[0].fields[field], expected[field]);
        }
    }
    free(table.text);
}

/* A benchmark that stopped, says why, and still ended its output. */
static void expect_error(struct sdsim_test_output output, const char *message)
{
    struct table table;
    if (strstr(output.text, message) == NULL) {
        fail_msg("no '%s' in: %s", message, output.text);
    }
    parse(&table, output.text);
    free(table.text);
}

/* ---- the builds ---- */

static bool build(const char *name, bool cxx, const char *arguments)
{
    return sdsim_test_build_all(name, cxx, arguments);
}

static void need(bool built)
{
    if (!built) {
        print_message("no compiler for this\n");
        skip();
    }
}

static void test_posix(void **state)
{
    (void)state;
    static const char *const posix[FIELDS] = {[API] = "posix", [HOST] = "", [CPU_HZ] = ""};
    static const char *const stdio[FIELDS] = {[API] = "stdio"};
    need(build("posix", false, "tests/firmware/posix.c"));
    expect_benchmark(sdsim_test_sh("cd $d && ./posix"), 32768, posix);
    need(build("stdio", false, "-DSDBENCH_STDIO tests/firmware/posix.c"));
    expect_benchmark(sdsim_test_sh("cd $d && ./stdio"), 32768, stdio);
    need(build("small", false, "-DSDBENCH_BUFFER=512 tests/firmware/posix.c"));
    expect_benchmark(sdsim_test_sh("cd $d && ./small"), 512, posix);
    expect_success(sdsim_test_sh("test ! -e $d/SDBENCH.BIN"));
}

/* What the user tells ends up in its column and can't break a row. */
static void test_settings(void **state)
{
    (void)state;
    static const char *const expected[FIELDS] = {
        [ID] = "mine-write-512-throughput_Bps",
        [GROUP] = "my group",
        [HOST] = "stm32f4",
        [CPU_HZ] = "168000000",
        [BUS] = "sd4",
        [CLOCK_REQUESTED_HZ] = "25000000",
        [CLOCK_HZ] = "24000000",
        [DRIVER] = "stm32-hal-sd",
        [CARD] = "A  good  card  32GB",
        [CARD_CLASS] = "sdhc32g-a1",
        [FS] = "exfat",
        [CLUSTER_BYTES] = "131072",
    };
    expect_success(
        sdsim_test_sh("cat >$d/settings.h <<'END'\n"
                      "#define SDBENCH_ID                 \"mine\"\n"
                      "#define SDBENCH_GROUP              \"my group\"\n"
                      "#define SDBENCH_HOST               \"stm32f4\"\n"
                      "#define SDBENCH_CPU_HZ             168000000\n"
                      "#define SDBENCH_BUS                \"sd4\"\n"
                      "#define SDBENCH_CLOCK_REQUESTED_HZ 25000000\n"
                      "#define SDBENCH_CLOCK_HZ           24000000\n"
                      "#define SDBENCH_DRIVER             \"stm32-hal-sd\"\n"
                      "#define SDBENCH_CARD               \"A \\\"good\\\" card, 32GB\"\n"
                      "#define SDBENCH_CARD_CLASS         \"sdhc32g-a1\"\n"
                      "#define SDBENCH_FILESYSTEM         \"exfat\"\n"
                      "#define SDBENCH_CLUSTER_BYTES      131072\n"
                      "#define SDBENCH_ASSUMPTIONS        \"state=new;spi_mode=0\"\n"
                      "#define SDBENCH_FILE_BYTES         65536\n"
                      "END\n"));
    char arguments[200];
    (void)snprintf(arguments, sizeof arguments, "-include %s/settings.h tests/firmware/posix.c",
                   sdsim_test_folder());
    need(build("settings", false, arguments));
    struct sdsim_test_output output = sdsim_test_sh("cd $d && ./settings");
    assert_non_null(strstr(output.text, ";state=new;spi_mode=0\n"));
    assert_null(strstr(output.text, "clock=not-stated"));
    expect_benchmark(output, 32768, expected);
}

static void build_fatfs(void)
{
    need(build("fatfs", false,
               "-Itests/firmware/fatfs -DSDBENCH_MICROS=ram_card_micros "
               "tools/firmware/fatfs/main.c"));
}

/* The stub's clock is exact: a 512-byte write takes 40 + 128 us and one look at the clock, 1 us. */
static void test_fatfs(void **state)
{
    (void)state;
    static const char *const expected[FIELDS] = {
        [API] = "fatfs",
        [DRIVER] = "stm32-hal-sd",
        [BUS] = "sd4",
        [FS] = "fat32",
        [GROUP] = "/stm32-hal-sd/sd4/",
        [CLUSTER_BYTES] = "32768",
        [TOTAL_BYTES] = "4194304",
        [VALUE] = "2343909", /* 8192 calls of 169 us, 81 pauses of 5 ms */
    };
    build_fatfs();
    struct sdsim_test_output output = sdsim_test_sh("$d/fatfs");
    assert_non_null(strstr(output.text, "# nothing left"));
    assert_non_null(strstr(output.text, ",latency_min_s,0.000169000,"));
    assert_non_null(strstr(output.text, ",latency_max_s,0.005169000,"));
    assert_non_null(strstr(output.text, ",write,512,32768,true,latency_mean_s,0.001"));
    expect_benchmark(output, 32768, expected);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        const char *message;
        const char *left;
    } rows[] = {
        {"full", "# error: a write failed; is the card full?", "# nothing left"},
        {"forgets", "# error: what was read is not what was written", "# nothing left"},
        {"foreign", "# error: SDBENCH.BIN is not of this program; rename it",
         "# foreign file left"},
    };
    build_fatfs();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_output output = sdsim_test_sh("RAM_CARD=%s $d/fatfs", rows[i].fault);
        assert_int_equal(output.code, 1);
        assert_non_null(strstr(output.text, rows[i].left));
        expect_error(output, rows[i].message);
    }
    expect_benchmark(sdsim_test_sh("RAM_CARD=leftover $d/fatfs"), 32768, NULL);
}

/* On a slow card each run ends after four seconds, and reads back what there was time to write. */
static void test_slow_card(void **state)
{
    (void)state;
    struct table table;
    build_fatfs();
    struct sdsim_test_output output = sdsim_test_sh("RAM_CARD=slow $d/fatfs");
    assert_int_equal(output.code, 0);
    parse(&table, output.text);
    expect_table(&table, 32768);
    double duration = 0;
    for (size_t i = 0; i < table.count; i += 4) {
        const double seconds = number(&table.rows[i], TOTAL_BYTES) / number(&table.rows[i], VALUE);
        assert_true(seconds < 4 + number(&table.rows[i + 3], VALUE));
        duration += seconds;
    }
    assert_true(duration < 50);
    assert_true(number(&table.rows[0], TOTAL_BYTES) < 4194304);
    free(table.text);
}

/* A clock that doesn't run is noticed. */
static void test_dead_clock(void **state)
{
    (void)state;
    need(build("dead", false, "'-DSDBENCH_MICROS()=7' tests/firmware/posix.c"));
    expect_error(sdsim_test_sh("cd $d && ./dead"),
                 "# error: the clock, SDBENCH_MICROS(), stands still");
}

/* The file of the user, and one of a benchmark that was cut off. */
static void expect_care(const char *command)
{
    expect_success(sdsim_test_sh("printf 'my own data' >$d/SDBENCH.BIN"));
    struct sdsim_test_output output = sdsim_test_sh("%s", command);
    assert_int_equal(output.code, 1);
    expect_error(output, "SDBENCH.BIN is not of this program; rename it");
    expect_success(sdsim_test_sh("test \"$(cat $d/SDBENCH.BIN)\" = 'my own data'"));
    expect_success(sdsim_test_sh("printf 'sdbench\\n\\0\\0\\0\\0more' >$d/SDBENCH.BIN"));
    expect_benchmark(sdsim_test_sh("%s", command), 32768, NULL);
    expect_success(sdsim_test_sh("test ! -e $d/SDBENCH.BIN"));
    expect_success(sdsim_test_sh(": >$d/SDBENCH.BIN"));
    expect_benchmark(sdsim_test_sh("%s", command), 32768, NULL);
    expect_success(sdsim_test_sh("test ! -e $d/SDBENCH.BIN"));
}

static void test_files_of_others(void **state)
{
    (void)state;
    need(build("posix", false, "tests/firmware/posix.c"));
    expect_care("cd $d && ./posix");
    need(build("stdio", false, "-DSDBENCH_STDIO tests/firmware/posix.c"));
    expect_care("cd $d && ./stdio");
}

/* ---- the examples ---- */

static void test_esp_idf(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *expected[FIELDS];
    } rows[] = {
        {"",
         {[HOST] = "esp32s3",
          [CPU_HZ] = "160000000",
          [BUS] = "sd4",
          [DRIVER] = "esp-idf-sdmmc",
          [CARD] = "SC32G",
          [CLOCK_REQUESTED_HZ] = "20000000",
          [CLOCK_HZ] = "20000000",
          [API] = "posix"}},
        {"-DUSE_SDSPI=1 -DSDBENCH_STDIO",
         {[HOST] = "esp32s3", [BUS] = "spi", [DRIVER] = "esp-idf-sdspi", [API] = "stdio"}},
    };
    /* the headers of ESP-IDF that the example includes: all are idf.h */
    expect_success(
        sdsim_test_sh("mkdir -p $d/idf/driver $d/idf/freertos && cd $d/idf && "
                      "for name in driver/gpio driver/sdmmc_host driver/sdspi_host "
                      "driver/spi_common esp_idf_version esp_timer esp_vfs_fat sdmmc_cmd "
                      "freertos/FreeRTOS freertos/task; do "
                      "echo '#include \"idf.h\"' >$name.h; done"));
    for (size_t i = 0; i < COUNT(rows); i++) {
        char arguments[500];
        (void)snprintf(arguments, sizeof arguments,
                       "-DESP_PLATFORM -Itests/firmware/esp-idf -include idf.h -I%s/idf "
                       "'-DSDBENCH_PATH=\"%s/SDBENCH.BIN\"' %s tools/firmware/esp-idf/main.c "
                       "tests/firmware/esp-idf/start.c",
                       sdsim_test_folder(), sdsim_test_folder(), rows[i].options);
        need(build("idf-app", false, arguments));
        expect_benchmark(sdsim_test_sh("$d/idf-app"), 32768, rows[i].expected);
    }
}

static void test_arduino(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        unsigned buffer;
        const char *expected[FIELDS];
    } rows[] = {
        {"-DARDUINO_ARCH_AVR -D__AVR_ATmega328P__ -DF_CPU=16000000L -DSDBENCH_BUFFER=512",
         512,
         {[HOST] = "atmega328p",
          [CPU_HZ] = "16000000",
          [DRIVER] = "arduino-sd-classic",
          [BUS] = "spi",
          [API] = "arduino-file",
          [CLOCK_REQUESTED_HZ] = "20000000",
          [CLOCK_HZ] = ""}},
        {"-DUSE_SD_MMC -DARDUINO_ARCH_ESP32",
         32768,
         {[HOST] = "esp32",
          [CPU_HZ] = "240000000",
          [DRIVER] = "arduino-esp32-sdmmc",
          [BUS] = "sd1",
          [API] = "arduino-file",
          [FS] = ""}},
        {"-DUSE_SDFAT -D__IMXRT1062__ -DF_CPU_ACTUAL=600000000",
         32768,
         {[HOST] = "imxrt1062",
          [CPU_HZ] = "600000000",
          [DRIVER] = "sdfat-spi-dedicated",
          [BUS] = "spi",
          [API] = "sdfat-file",
          [FS] = "exfat",
          [CLUSTER_BYTES] = "131072"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char arguments[400];
        (void)snprintf(arguments, sizeof arguments,
                       "-DARDUINO=10819 %s -Itests/firmware/arduino "
                       "-Itools/firmware/arduino/sdbench tests/firmware/arduino/start.cpp",
                       rows[i].options);
        need(build("arduino", true, arguments));
        struct sdsim_test_output output = sdsim_test_sh("$d/arduino");
        assert_non_null(strstr(output.text, "# nothing left"));
        expect_benchmark(output, rows[i].buffer, rows[i].expected);
        expect_error(sdsim_test_sh("RAM_CARD=foreign $d/arduino"), "# foreign file left");
    }
}

/* ---- Python ---- */

static void test_python(void **state)
{
    (void)state;
    static const char *const plain[FIELDS] = {[API] = "posix", [HOST] = ""};
    static const char *const told[FIELDS] = {
        [ID] = "mine-write-512-throughput_Bps",
        [GROUP] = "rp2040//spi/A  good  card  32GB",
        [HOST] = "rp2040",
        [CPU_HZ] = "125000000",
        [BUS] = "spi",
        [CARD] = "A  good  card  32GB",
        [CLOCK_REQUESTED_HZ] = "24000000",
        [CLUSTER_BYTES] = "32768",
    };
    if (!has("python3")) {
        print_message("no python3\n");
        skip();
    }
    expect_benchmark(sdsim_test_sh("python3 -W error tools/firmware/sdbench.py $d"), 32768, plain);
    expect_benchmark(
        sdsim_test_sh("cd tools/firmware && python3 -B -c 'import sdbench, sys\n"
                      "sys.exit(not sdbench.run(\"'$d'\", id=\"mine\", host=\"rp2040\", "
                      "cpu_hz=125000000, bus=\"spi\", card=\"A \\\"good\\\" card, 32GB\", "
                      "clock_requested_hz=24000000, cluster_bytes=32768, file_bytes=65536, "
                      "buffer=4096))'"),
        4096, told);
    expect_care("python3 tools/firmware/sdbench.py $d");
    struct sdsim_test_output output =
        sdsim_test_sh("python3 tools/firmware/sdbench.py $d/no-such-folder");
    assert_int_equal(output.code, 1);
    expect_error(output, "# error: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_posix),           cmocka_unit_test(test_settings),
        cmocka_unit_test(test_fatfs),           cmocka_unit_test(test_faults),
        cmocka_unit_test(test_slow_card),       cmocka_unit_test(test_dead_clock),
        cmocka_unit_test(test_files_of_others), cmocka_unit_test(test_esp_idf),
        cmocka_unit_test(test_arduino),         cmocka_unit_test(test_python),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

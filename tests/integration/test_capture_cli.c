/*
 * Captures on the command line: a run of a real driver is recorded as VCD, and `import` gives back its
 * calls, with their times; `import --report` says what was recorded; `import --learn` writes a profile
 * that `check` has nothing against, and that has the values of the card it came from.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus_recording.h"
#include "capture_json.h"
#include "program.h"

enum { CALLS = 6 };

/* What was asked of the driver, and from when to when it was at work. */
struct call {
    char kind;
    uint32_t lba;
    uint32_t count;
    sdsim_ps start;
    sdsim_ps end;
};

static struct call calls[CALLS] = {
    {'R', 10, 1, 0, 0},   {'W', 1000, 1, 0, 0}, {'R', 200, 16, 0, 0},
    {'W', 2000, 8, 0, 0}, {'R', 2000, 3, 0, 0}, {'W', 3000, 2, 0, 0},
};

static char *record(char path[64])
{
    strcpy(path, "/tmp/sdsim-cli-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct sdsim_test_bus *bus =
        sdsim_test_bus_up(SDSIM_BUS_SPI, SDSIM_DRIVER_IDF_SDSPI, false, 10000000, 1000, path);
    for (size_t i = 0; i < CALLS; i++) {
        struct call *call = &calls[i];
        const struct sdsim_content content = {
            .kind = SDSIM_CONTENT_GENERATED, .seed = 3, .offset = call->lba * UINT64_C(512)};
        call->start = bus->now;
        assert_int_equal(call->kind == 'R'
                             ? sdsim_driver_read(&bus->driver, &bus->now, call->lba, call->count,
                                                 SDSIM_FOR_DATA, NULL)
                             : sdsim_driver_write(&bus->driver, &bus->now, call->lba, call->count,
                                                  SDSIM_FOR_DATA, &content),
                         SDSIM_DRIVER_OK);
        call->end = bus->now;
        bus->now += 100 * SDSIM_US;
    }
    sdsim_test_bus_down(bus);
    return path;
}

/* A time as traces have it: "1.25ms". */
static double seconds(const char *text)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    char *end;
    const double value = strtod(text, &end);
    for (size_t i = 0; i < 5; i++) {
        if (strncmp(end, units[i].unit, strlen(units[i].unit)) == 0) {
            return value * units[i].factor;
        }
    }
    return -1;
}

static void gives_the_calls_back(void **state)
{
    (void)state;
    char path[64];
    record(path);
    struct sdsim_test_result result = sdsim_test_run((const char *[]){"import", path, NULL}, NULL);
    assert_int_equal(result.code, 0);
    const char *line = result.out;
    size_t found = 0;
    while (line != NULL && *line != '\0') {
        char start[40];
        char duration[40];
        char kind;
        unsigned lba;
        unsigned count;
        if (sscanf(line, "@%39s +%39s %c %u %u", start, duration, &kind, &lba, &count) == 5) {
            assert_true(found < CALLS);
            const struct call *call = &calls[found++];
            assert_int_equal(kind, call->kind);
            assert_int_equal(lba, call->lba);
            assert_int_equal(count, call->count);
            const double from = seconds(start);
            const double to = from + seconds(duration);
            /* The call on the bus lies within the one in the driver, and takes most of it. */
            assert_true(from >= (double)call->start * 1e-12 - 1e-9);
            assert_true(to <= (double)call->end * 1e-12 + 1e-9);
            assert_true(to - from > 0.9 * (double)(call->end - call->start) * 1e-12);
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    assert_int_equal(found, CALLS);
    sdsim_test_result_free(&result);
    unlink(path);
}

static void learns_the_card(void **state)
{
    (void)state;
    char path[64];
    char profile[80];
    record(path);
    snprintf(profile, sizeof profile, "%s.yaml", path);
    struct sdsim_test_result learnt =
        sdsim_test_run((const char *[]){"import", "--learn", path, "-o", profile, NULL}, NULL);
    assert_int_equal(learnt.code, 0);
    struct sdsim_test_result checked =
        sdsim_test_run((const char *[]){"check", profile, NULL}, NULL);
    assert_string_equal(checked.out, "");
    assert_int_equal(checked.code, 0);
    struct sdsim_test_result shown =
        sdsim_test_run((const char *[]){"describe", "card", profile, NULL}, NULL);
    assert_int_equal(shown.code, 0);
    assert_non_null(strstr(shown.out, "TESTS"));
    assert_non_null(strstr(shown.out, "measured"));
    sdsim_test_result_free(&learnt);
    sdsim_test_result_free(&checked);
    sdsim_test_result_free(&shown);
    unlink(path);
    unlink(profile);
}

/* On the SD bus: where busy begins behind a block. */
static void learns_late_busy(void **state)
{
    (void)state;
    for (unsigned n_br = 0; n_br <= 1; n_br++) {
        char expected[80];
        char path[64] = "/tmp/sdsim-cli-XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        struct sdsim_test_bus *bus =
            sdsim_test_bus_up(SDSIM_BUS_SD4, SDSIM_DRIVER_IDF_SDMMC, false, 10000000, 1000, path);
        bus->params.n_br_clocks = n_br;
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = 3};
        assert_int_equal(
            sdsim_driver_write(&bus->driver, &bus->now, 100, 3, SDSIM_FOR_DATA, &content),
            SDSIM_DRIVER_OK);
        sdsim_test_bus_down(bus);
        struct sdsim_test_result learnt =
            sdsim_test_run((const char *[]){"import", "--learn", path, NULL}, NULL);
        assert_int_equal(learnt.code, 0);
        snprintf(expected, sizeof expected, "\nn_br_clocks: {value: %u, from: measured,", n_br);
        if (strstr(learnt.out, expected) == NULL) {
            fail_msg("no '%s' in:\n%s", expected + 1, learnt.out);
        }
        sdsim_test_result_free(&learnt);
        unlink(path);
    }
}

static void reports(void **state)
{
    (void)state;
    char path[64];
    record(path);
    struct sdsim_test_result text =
        sdsim_test_run((const char *[]){"import", "--report", path, NULL}, NULL);
    assert_int_equal(text.code, 0);
    assert_string_equal(text.err, "");
    assert_non_null(strstr(text.out, "SPI mode 0"));
    assert_non_null(strstr(text.out, "10MHz"));
    for (const char *line = text.out; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        assert_true(length <= 80 || strstr(line, "/tmp/") == line);
        line += length + (line[length] == '\n');
    }
    struct sdsim_test_result json =
        sdsim_test_run((const char *[]){"import", "--report", "--json", path, NULL}, NULL);
    json_t *root = json_loads(json.out, 0, NULL);
    assert_non_null(root);
    assert_int_equal(json_integer_value(sdsim_test_at(root, "reads.bytes")), 20 * 512);
    assert_int_equal(json_integer_value(sdsim_test_at(root, "writes.bytes")), 11 * 512);
    assert_string_equal(json_string_value(sdsim_test_at(root, "registers.cid.product")), "TESTS");
    json_decref(root);
    sdsim_test_result_free(&text);
    sdsim_test_result_free(&json);
    unlink(path);
}

/* Usage and broken files: exit code 2, a message, and nothing on standard output. */
static void refuses(void **state)
{
    (void)state;
    char path[64];
    record(path);
    const char *const rows[][6] = {
        {"import", "--report", "--learn", path, NULL},
        {"import", "--report", path, path, NULL},
        {"import", "--report", "--channel", "clk=NONE", path, NULL},
        {"import", "--report", "--channel", "nonsense", path, NULL},
        {"import", "--report", "/nowhere.sr", NULL},
        {"import", "--report", "README.md", NULL},
        {"import", "--learn", "--to", "blocks", path, NULL},
        {"import", "--learn", "--json", path, NULL},
        {"import", "--json", path, NULL},
        {"import", "--all", path, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_result result = sdsim_test_run(rows[i], NULL);
        if (result.code != 2 || result.out[0] != '\0' || result.err[0] == '\0') {
            fail_msg("%s: code %d, out '%s', err '%s'", sdsim_test_command(rows[i]), result.code,
                     result.out, result.err);
        }
        sdsim_test_result_free(&result);
    }
    unlink(path);
}

/* A file that breaks off: an error with the place; with --partial what came before. */
static void keeps_what_came_before_a_fault(void **state)
{
    (void)state;
    char path[64];
    record(path);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs("#1\n0!\n", file); /* time goes back */
    fclose(file);
    struct sdsim_test_result none =
        sdsim_test_run((const char *[]){"import", "--report", path, NULL}, NULL);
    assert_int_equal(none.code, 2);
    assert_string_equal(none.out, "");
    assert_non_null(strstr(none.err, "offset"));
    assert_non_null(strstr(none.err, "time goes back"));
    struct sdsim_test_result some =
        sdsim_test_run((const char *[]){"import", "--report", "--partial", path, NULL}, NULL);
    assert_int_equal(some.code, 2);
    assert_non_null(strstr(some.out, "SPI mode 0"));
    struct sdsim_test_result calls_there =
        sdsim_test_run((const char *[]){"import", "--partial", path, NULL}, NULL);
    assert_non_null(strstr(calls_there.out, "W 3000 2"));
    sdsim_test_result_free(&none);
    sdsim_test_result_free(&some);
    sdsim_test_result_free(&calls_there);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_calls_back),
        cmocka_unit_test(learns_the_card),
        cmocka_unit_test(learns_late_busy),
        cmocka_unit_test(reports),
        cmocka_unit_test(refuses),
        cmocka_unit_test(keeps_what_came_before_a_fault),
    };
    sdsim_test_need_program();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

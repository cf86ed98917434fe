/*
 * Plans of records written for a test, over the profiles there are.
 *
 * For cmocka tests: whatever goes wrong in here fails the test.
 */
#ifndef SDSIM_TEST_PLAN_BENCH_H
#define SDSIM_TEST_PLAN_BENCH_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "measure/plan.h"
#include "unit/config_fixture.h"

struct sdsim_plan_bench {
    struct sdsim_test_config f;
    struct sdsim_measurements measurements;
    struct sdsim_plans plans;
};

/* Prints a record: `fields` (JSON, without braces) and what it needs besides. */
static inline void sdsim_plan_bench_record(FILE *out, const char *fields)
{
    static const char *const needed[][2] = {
        {"\"id\":", "\"r\""},      {"\"host\":", "\"esp32\""},
        {"\"bus\":", "\"spi\""},   {"\"driver\":", "\"sdfat-spi-shared\""},
        {"\"op\":", "\"write\""},  {"\"metric\":", "\"throughput_Bps\""},
        {"\"value\":", "1000000"},
    };
    fprintf(out, "{%s", fields);
    const char *comma = fields[0] != '\0' ? "," : "";
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (strstr(fields, needed[i][0]) == NULL) {
            fprintf(out, "%s%s%s", comma, needed[i][0], needed[i][1]);
            comma = ",";
        }
    }
    fputs("}\n", out);
}

/* Plans for a JSONL text; whether all went well. */
static inline bool sdsim_plan_bench_try(struct sdsim_plan_bench *bench, const char *text,
                                        size_t size, const char *const *overrides)
{
    const char *path = sdsim_test_path("m.jsonl");
    sdsim_test_write_file(path, text, size);
    *bench = (struct sdsim_plan_bench){.measurements = {.items = NULL}};
    sdsim_test_config_set_up(&bench->f, ".");
    return sdsim_measurements_read(&bench->measurements, bench->f.config, path, &bench->f.diags) &&
           sdsim_plans_make(&bench->plans, bench->f.config, &bench->measurements, overrides,
                            &bench->f.diags);
}

static inline void sdsim_plan_bench_open(struct sdsim_plan_bench *bench, const char *text,
                                         size_t size, const char *const *overrides)
{
    if (!sdsim_plan_bench_try(bench, text, size, overrides)) {
        fail_msg("line %u: %s", (unsigned)bench->f.diags.items[0].line,
                 bench->f.diags.items[0].text);
    }
}

static inline void sdsim_plan_bench_close(struct sdsim_plan_bench *bench)
{
    sdsim_plans_free(&bench->plans);
    sdsim_measurements_free(&bench->measurements);
    sdsim_test_config_tear_down(&bench->f);
}

#endif

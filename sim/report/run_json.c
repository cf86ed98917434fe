#include "report/commands.h"
#include "report/inputs.h"
#include "report/readings.h"
#include "report/run_report.h"
#include "report/stream_report.h"
#include "report/tasks_report.h"
#include "report/usb_report.h"

static void write_names(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    const struct sdsim_run *run = report->run;
    sdsim_json_text(json, "scenario", run->scenario);
    sdsim_json_text(json, "id", sdsim_run_label(run));
    sdsim_json_text(json, "description", report->scenario->description);
    sdsim_json_text(json, "source", report->scenario->source);
    sdsim_json_text(json, "board", run->board_name);
    sdsim_json_text(json, "host", run->host_name);
    sdsim_json_text(json, "driver", run->driver_name);
    sdsim_json_text(json, "card", run->card_name);
    sdsim_json_text(json, "bus", sdsim_bus_word(report->setup->run.bus));
}

static void write_clock(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    char explanation[300];
    sdsim_json_object(json, "clock");
    sdsim_json_count(json, "asked_hz", report->setup->asked_hz);
    sdsim_json_number(json, "real_hz", report->prediction.typical.bus_hz);
    sdsim_json_text(json, "explanation",
                    sdsim_setup_explain_clock(report->setup, explanation, sizeof explanation));
    sdsim_json_end(json);
}

static void write_null(struct sdsim_json *json, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sdsim_json_text(json, keys[i], NULL);
    }
}

static void write_prediction(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    static const char *const keys[] = {"measured_low", "measured_high", "error", "tolerance",
                                       "within"};
    const struct sdsim_prediction *prediction = &report->prediction;
    const struct sdsim_verdict *verdict = &report->verdict;
    sdsim_json_text(json, "metric", sdsim_metric_name(prediction->typical.metric));
    sdsim_json_text(json, "unit", sdsim_metric_unit(prediction->typical.metric));
    sdsim_json_number(json, "predicted", prediction->typical.value);
    sdsim_json_number(json, "low", prediction->low);
    sdsim_json_number(json, "high", prediction->high);
    sdsim_json_count(json, "draws", prediction->draws);
    if (!verdict->given) {
        write_null(json, keys, sizeof keys / sizeof *keys);
        return;
    }
    sdsim_json_number(json, "measured_low", verdict->low);
    sdsim_json_number(json, "measured_high", verdict->high);
    sdsim_json_number(json, "error", verdict->error);
    sdsim_verdict_json(verdict, json);
}

/* The account cell by cell, without those that are 0. */
static void write_cells(const struct sdsim_account *account, struct sdsim_json *json)
{
    sdsim_json_object(json, "account");
    for (int purpose = 0; purpose < SDSIM_PURPOSE_COUNT; purpose++) {
        if (sdsim_account_purpose(account, (enum sdsim_purpose)purpose) == 0) {
            continue;
        }
        sdsim_json_object(json, sdsim_purpose_name((enum sdsim_purpose)purpose));
        for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
            if (account->ps[purpose][kind] > 0) {
                sdsim_json_seconds(json, sdsim_kind_name((enum sdsim_kind)kind),
                                   account->ps[purpose][kind]);
            }
        }
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

static void write_account(const struct sdsim_account *account, struct sdsim_json *json)
{
    const sdsim_ps total = sdsim_account_total(account);
    sdsim_json_object(json, "kinds");
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        sdsim_json_seconds(json, sdsim_kind_name((enum sdsim_kind)kind),
                           sdsim_account_kind(account, (enum sdsim_kind)kind));
    }
    sdsim_json_end(json);
    sdsim_json_object(json, "purposes");
    for (int purpose = 0; purpose < SDSIM_PURPOSE_COUNT; purpose++) {
        sdsim_json_seconds(json, sdsim_purpose_name((enum sdsim_purpose)purpose),
                           sdsim_account_purpose(account, (enum sdsim_purpose)purpose));
    }
    sdsim_json_end(json);
    write_cells(account, json);
    const sdsim_ps data = sdsim_account_purpose(account, SDSIM_FOR_DATA);
    sdsim_json_number(json, "metadata_share",
                      total > 0 ? (double)(total - data) / (double)total : 0.0);
}

static void write_commands(const struct sdsim_workload_result *result, struct sdsim_json *json)
{
    struct sdsim_command_use uses[SDSIM_COMMAND_USES];
    const size_t count = sdsim_command_uses(&result->counters, uses);
    sdsim_json_array(json, "commands");
    for (size_t i = 0; i < count; i++) {
        char name[16];
        sdsim_json_object(json, NULL);
        sdsim_json_text(json, "command", sdsim_command_name(&uses[i], name, sizeof name));
        sdsim_json_count(json, "count", uses[i].count);
        sdsim_json_number(json, "per_call",
                          result->calls > 0 ? (double)uses[i].count / (double)result->calls : 0.0);
        sdsim_json_number(json, "sectors_each", (double)uses[i].sectors / (double)uses[i].count);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
}

/* What all of it was computed from. */
static void write_inputs(const struct sdsim_run *run, struct sdsim_json *json)
{
    struct sdsim_inputs inputs;
    if (!sdsim_inputs_of(run, &inputs)) { /* no memory: better none than some */
        sdsim_json_text(json, "inputs", NULL);
        sdsim_inputs_free(&inputs);
        return;
    }
    sdsim_json_object(json, "inputs");
    for (size_t i = 0; i < inputs.count; i++) {
        sdsim_json_text(json, inputs.items[i].path, inputs.items[i].value);
    }
    sdsim_json_end(json);
    sdsim_inputs_free(&inputs);
}

static void write_extremes(const struct sdsim_workload_result *result, struct sdsim_json *json)
{
    sdsim_json_seconds(json, "mean_call", result->calls > 0 ? result->in_calls / result->calls : 0);
    sdsim_json_seconds(json, "shortest_call", result->shortest_call);
    sdsim_json_object(json, "longest_call");
    sdsim_json_seconds(json, "seconds", result->longest_call);
    sdsim_json_count(json, "index", result->longest_call_index);
    sdsim_json_end(json);
    sdsim_json_object(json, "longest_wait");
    sdsim_json_seconds(json, "seconds", result->counters.longest_wait);
    sdsim_json_seconds(json, "at",
                       sdsim_time_since(result->counters.longest_wait_at, result->started));
    sdsim_json_end(json);
}

static void write_meaning(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    struct sdsim_readings readings;
    if (report->has_exact && report->exact.error[0] == '\0') {
        sdsim_json_object(json, "at_asked_clock");
        sdsim_json_count(json, "hz", report->wanted_hz);
        sdsim_json_number(json, "predicted", report->exact.value);
        sdsim_json_end(json);
    } else {
        sdsim_json_text(json, "at_asked_clock", NULL);
    }
    sdsim_readings(report, &readings);
    sdsim_json_array(json, "readings");
    for (size_t i = 0; i < readings.count; i++) {
        sdsim_json_text(json, NULL, readings.text[i]);
    }
    sdsim_json_end(json);
}

void sdsim_run_report_json(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    const struct sdsim_workload_result *result = &report->prediction.typical.workload;
    sdsim_json_object(json, NULL);
    write_names(report, json);
    write_clock(report, json);
    write_prediction(report, json);
    sdsim_json_seconds(json, "seconds", result->elapsed);
    sdsim_json_count(json, "calls", result->calls);
    sdsim_json_count(json, "bytes", result->bytes);
    sdsim_json_seconds(json, "init_seconds", report->prediction.typical.init_time);
    write_account(&result->account, json);
    write_commands(result, json);
    sdsim_json_count(json, "sectors_read", result->counters.blocks_read);
    sdsim_json_count(json, "sectors_written", result->counters.blocks_written);
    sdsim_json_count(json, "bus_clocks", result->counters.bus_clocks);
    write_extremes(result, json);
    sdsim_stream_report_json(&report->setup->run.workload, result, json);
    sdsim_usb_json(report, json);
    sdsim_tasks_json(report, json);
    write_inputs(report->run, json);
    write_meaning(report, json);
    sdsim_json_end(json);
}

#include "report/run_report.h"

#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "report/commands.h"
#include "report/format.h"
#include "report/readings.h"
#include "report/stream_report.h"
#include "report/table.h"
#include "report/tasks_report.h"
#include "report/usb_report.h"
#include "setup/clocks.h"

#define LABEL_WIDTH 11
#define BAR_WIDTH   20

const char *sdsim_run_label(const struct sdsim_run *run)
{
    return run->id[0] != '\0' ? run->id : run->scenario;
}

const char *sdsim_bus_text(int mode)
{
    static const char *const texts[] = {
        [SDSIM_BUS_SPI] = "SPI", [SDSIM_BUS_SD1] = "SD 1-bit", [SDSIM_BUS_SD4] = "SD 4-bit"};
    return texts[mode];
}

const char *sdsim_bus_word(int mode)
{
    static const char *const words[] = {
        [SDSIM_BUS_SPI] = "spi", [SDSIM_BUS_SD1] = "sd1", [SDSIM_BUS_SD4] = "sd4"};
    return words[mode];
}

/* ---- what is worked out once ---- */

void sdsim_run_report_complete(struct sdsim_run_report *report, bool with_exact)
{
    const struct sdsim_prediction *prediction = &report->prediction;
    report->verdict = sdsim_verdict(&report->setup->run, prediction);
    report->wanted_hz = sdsim_setup_request(report->setup);
    /* Half a percent: less is rounding of the divider's source, and not worth a word. */
    report->has_exact =
        with_exact && prediction->typical.bus_hz < 0.995 * (double)report->wanted_hz;
    if (report->has_exact) {
        struct sdsim_setup exact = *report->setup;
        exact.clocks.num = report->wanted_hz;
        exact.clocks.den = 1;
        sdsim_simulate(&exact, NULL, &report->exact);
    }
    if (with_exact) {
        sdsim_usb_complete(report);
        sdsim_tasks_complete(report);
    }
}

/* ---- the head ---- */

static void print_label(FILE *out, const char *label, const char *text)
{
    char first[32];
    snprintf(first, sizeof first, "  %-*s", LABEL_WIDTH, label);
    sdsim_print_wrapped(out, first, text);
}

static void print_title(const struct sdsim_run_report *report, const struct sdsim_style *style,
                        FILE *out)
{
    const struct sdsim_run *run = report->run;
    fprintf(out, "%s%s%s%s%s\n", sdsim_ink_begin(style, SDSIM_INK_BOLD), run->scenario,
            run->id[0] != '\0' ? " " : "", run->id, sdsim_ink_end(style, SDSIM_INK_BOLD));
    if (report->scenario->description != NULL) {
        sdsim_print_wrapped(out, "  ", report->scenario->description);
    }
}

static const char *verb_of(const struct sdsim_workload_params *workload)
{
    const bool reads = sdsim_workload_reads((enum sdsim_action)workload->action);
    const bool random = sdsim_workload_is_random((enum sdsim_action)workload->action) &&
                        !sdsim_workload_in_regions(workload);
    return random ? (reads ? "read at random" : "write at random") : reads ? "read" : "write";
}

/* " to 3 regions of 4MiB in turns, in random order", or nothing. */
static void describe_regions(const struct sdsim_workload_params *workload, char *text, size_t size)
{
    char region[32];
    const bool random = workload->order == SDSIM_ORDER_RANDOM ||
                        sdsim_workload_is_random((enum sdsim_action)workload->action);
    text[0] = '\0';
    if (!sdsim_workload_in_regions(workload)) {
        return;
    }
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)workload->region, region, sizeof region);
    if (workload->streams > 1) {
        snprintf(text, size, ", in turns to %" PRIu64 " regions of %s%s", workload->streams, region,
                 random ? ", each in random order" : "");
    } else {
        snprintf(text, size, ", each region of %s in random order", region);
    }
}

static void describe_data(const struct sdsim_workload_params *workload, const char *api, char *text,
                          size_t size)
{
    const bool raw = workload->target != SDSIM_ON_FILE;
    char call[32];
    char total[32];
    char span[32];
    char regions[100];
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)workload->call, call, sizeof call);
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)workload->total, total, sizeof total);
    describe_regions(workload, regions, sizeof regions);
    size_t used =
        (size_t)snprintf(text, size, "%s %s in calls of %s", verb_of(workload), total, call);
    if (sdsim_workload_is_random((enum sdsim_action)workload->action) && regions[0] == '\0') {
        sdsim_unit_print(SDSIM_UNIT_SIZE, (double)workload->span, span, sizeof span);
        used += (size_t)snprintf(text + used, size - used, " within %s", span);
    }
    used += (size_t)snprintf(text + used, size - used, ", %s%s%s",
                             raw ? "raw sectors" : "file API ", raw ? "" : api, regions);
    if (workload->parallel > 1) {
        used += (size_t)snprintf(text + used, size - used, ", to %" PRIu64 " files in turns",
                                 workload->parallel);
    }
    if (workload->timed == SDSIM_TIMED_PASSES) {
        snprintf(text + used, size - used, ", %" PRIu64 " times", workload->times);
    }
}

static void describe_seek(const struct sdsim_workload_params *workload, char *text, size_t size)
{
    char call[32];
    char total[32];
    char position[32];
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)workload->call, call, sizeof call);
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)workload->total, total, sizeof total);
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)workload->position, position, sizeof position);
    snprintf(text, size, "seek to %s of a file of %s and read %s, %" PRIu64 " times",
             workload->position > 0 ? position : "the middle", total, call, workload->times);
}

static void describe_workload(const struct sdsim_workload_params *workload, const char *api,
                              char *text, size_t size)
{
    char call[32];
    if (workload->target == SDSIM_ON_USB) {
        sdsim_usb_describe(workload, text, size);
        return;
    }
    switch ((enum sdsim_action)workload->action) {
    case SDSIM_DO_WRITE:
    case SDSIM_DO_READ:
    case SDSIM_DO_RANDOM_WRITE:
    case SDSIM_DO_RANDOM_READ:
        describe_data(workload, api, text, size);
        break;
    case SDSIM_DO_STREAM:
        sdsim_stream_report_describe(workload, api, text, size);
        break;
    case SDSIM_DO_RANDOM_MIXED:
    case SDSIM_DO_PLAY:
        sdsim_tasks_describe(workload, api, text, size);
        break;
    case SDSIM_DO_LOG:
        snprintf(text, size, "print %" PRIu64 " lines, file API %s", workload->lines, api);
        break;
    case SDSIM_DO_APPEND:
        sdsim_unit_print(SDSIM_UNIT_SIZE, (double)workload->call, call, sizeof call);
        snprintf(text, size, "open, append %s and close, %" PRIu64 " times, file API %s", call,
                 workload->times, api);
        break;
    case SDSIM_DO_SEEK:
        describe_seek(workload, text, size);
        break;
    case SDSIM_DO_OPEN:
        snprintf(text, size,
                 "open and close the last of %" PRIu64 " files in a directory, %" PRIu64 " times",
                 workload->files, workload->times);
        break;
    case SDSIM_DO_OPEN_EACH:
        snprintf(text, size, "open and close each of %" PRIu64 " files in a directory by its path",
                 workload->files);
        break;
    case SDSIM_DO_CREATE:
        snprintf(text, size, "create %" PRIu64 " files in a directory of %" PRIu64, workload->times,
                 workload->files);
        break;
    case SDSIM_DO_LIST:
        snprintf(text, size, "list a directory of %" PRIu64 " files, %" PRIu64 " times",
                 workload->files, workload->times);
        break;
    case SDSIM_DO_MOUNT:
        snprintf(text, size, "mount the volume, %" PRIu64 " times", workload->times);
        break;
    case SDSIM_DO_FREE_SPACE:
        snprintf(text, size, "ask for the free space after mounting");
        break;
    }
}

/* What the calls of the workload are, as it counts them. */
static const char *noun_of(const struct sdsim_workload_params *workload)
{
    return workload->timed == SDSIM_TIMED_PASSES ? "pass"
           : workload->action == SDSIM_DO_LOG    ? "line"
                                                 : "call";
}

const char *sdsim_run_noun(const struct sdsim_run_report *report)
{
    return noun_of(&report->setup->run.workload);
}

char *sdsim_run_workload_text(const struct sdsim_run_params *run, char *out, size_t size)
{
    describe_workload(&run->workload, sdsim_file_api_name((enum sdsim_file_api)run->file.api), out,
                      size);
    return out;
}

static void print_workload(const struct sdsim_run_report *report, FILE *out)
{
    char text[300];
    print_label(out, "workload", sdsim_run_workload_text(&report->setup->run, text, sizeof text));
}

static void print_hardware(const struct sdsim_run_report *report, FILE *out)
{
    const struct sdsim_run *run = report->run;
    char text[400];
    snprintf(text, sizeof text, "%s%shost %s, driver %s, %s",
             run->board_name != NULL ? run->board_name : "", run->board_name != NULL ? ": " : "",
             run->host_name, run->driver_name, sdsim_bus_text(report->setup->run.bus));
    print_label(out, "board", text);
    char capacity[32];
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)report->setup->card.capacity, capacity,
                     sizeof capacity);
    snprintf(text, sizeof text, "%s, %s", run->card_name, capacity);
    print_label(out, "card", text);
    char clock[300];
    print_label(out, "clock", sdsim_setup_explain_clock(report->setup, clock, sizeof clock));
}

static void print_prediction(const struct sdsim_run_report *report, FILE *out)
{
    const struct sdsim_prediction *prediction = &report->prediction;
    const enum sdsim_metric metric = prediction->typical.metric;
    char value[48];
    char interval[96];
    char text[300];
    sdsim_print_value(metric, prediction->typical.value, value, sizeof value);
    if (prediction->draws > 0) {
        sdsim_print_interval(metric, prediction->low, prediction->high, interval, sizeof interval);
        snprintf(text, sizeof text, "%s%s, 90%% interval %s", sdsim_metric_prefix(metric), value,
                 interval);
    } else {
        snprintf(text, sizeof text, "%s%s", sdsim_metric_prefix(metric), value);
    }
    print_label(out, "predicted", text);
}

static void print_measured(const struct sdsim_run_report *report, const struct sdsim_style *style,
                           FILE *out)
{
    const struct sdsim_verdict *verdict = &report->verdict;
    if (!verdict->given) {
        return;
    }
    const enum sdsim_ink ink = sdsim_verdict_ink(verdict);
    char interval[96];
    char error[24];
    char judgement[48];
    sdsim_print_interval(report->prediction.typical.metric, verdict->low, verdict->high, interval,
                         sizeof interval);
    sdsim_print_error(verdict->error, error, sizeof error);
    fprintf(out, "  %-*s%s, error %s%s, %s%s\n", LABEL_WIDTH, "measured", interval,
            sdsim_ink_begin(style, ink), error,
            sdsim_judgement(verdict, judgement, sizeof judgement), sdsim_ink_end(style, ink));
    if (report->scenario->source != NULL) {
        print_label(out, "source", report->scenario->source);
    }
}

/* ---- the breakdown ---- */

const char *sdsim_kind_title(enum sdsim_kind kind)
{
    static const char *const titles[SDSIM_KIND_COUNT] = {
        [SDSIM_PAYLOAD] = "payload clocks", [SDSIM_PROTOCOL] = "protocol clocks",
        [SDSIM_GAP] = "gaps on the bus",    [SDSIM_POLL] = "polling",
        [SDSIM_ACCESS] = "card access",     [SDSIM_BUSY] = "card busy",
        [SDSIM_PAUSE] = "card pauses",      [SDSIM_COPY] = "copying",
        [SDSIM_HOST] = "host CPU",          [SDSIM_IDLE] = "idle",
        [SDSIM_OUTSIDE] = "others' turn",
    };
    return titles[kind];
}

const char *sdsim_outside_name(const struct sdsim_workload_params *workload)
{
    const bool usb = workload->target == SDSIM_ON_USB;
    const bool shared = workload->other_device.every > 0;
    return usb && shared ? "USB, another device" : usb ? "USB" : "another device";
}

static void print_bar(const struct sdsim_style *style, double share, unsigned longest, char *out,
                      size_t size)
{
    const unsigned marks = (unsigned)(share * BAR_WIDTH + 0.5);
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < marks && i < longest; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s", style->utf8 ? "█" : "#");
    }
}

static void time_for_each(sdsim_ps time, uint64_t count, char *out, size_t size)
{
    out[0] = '\0';
    if (count > 0) {
        sdsim_print_time(time / count, out, size);
    }
}

struct breakdown {
    sdsim_ps time[SDSIM_KIND_COUNT];
    sdsim_ps total;
    uint64_t calls;
    uint64_t sectors;
    struct sdsim_time_scale scale;
    uint64_t quanta[SDSIM_KIND_COUNT];
    uint64_t permille[SDSIM_KIND_COUNT];
    uint64_t total_quanta;
};

static struct breakdown break_down(const struct sdsim_workload_result *result)
{
    struct breakdown breakdown = {
        .total = sdsim_account_total(&result->account),
        .calls = result->calls,
        .sectors = result->counters.blocks_read + result->counters.blocks_written,
    };
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        breakdown.time[kind] = sdsim_account_kind(&result->account, (enum sdsim_kind)kind);
    }
    breakdown.scale = sdsim_time_scale(breakdown.total);
    breakdown.total_quanta =
        (breakdown.total + breakdown.scale.quantum / 2) / breakdown.scale.quantum;
    sdsim_apportion(breakdown.time, SDSIM_KIND_COUNT, breakdown.total_quanta, breakdown.quanta);
    sdsim_apportion(breakdown.time, SDSIM_KIND_COUNT, 1000, breakdown.permille);
    return breakdown;
}

/* How long a bar may get: all of BAR_WIDTH behind a total of eight characters, less behind longer
 * ones, so that the table stays within 80 columns. */
static unsigned longest_bar(const struct breakdown *breakdown)
{
    char total[48];
    sdsim_print_quanta(&breakdown->scale, breakdown->total_quanta, total, sizeof total);
    const size_t more = strlen(total) > 8 ? strlen(total) - 8 : 0;
    return more < BAR_WIDTH / 2 ? BAR_WIDTH - (unsigned)more : BAR_WIDTH / 2;
}

static void add_line(struct sdsim_table *table, const struct breakdown *breakdown,
                     enum sdsim_ink ink, const char *title, sdsim_ps time, uint64_t quanta,
                     uint64_t permille, const char *bar)
{
    char text[48];
    sdsim_table_cell(table, ink, "%s", title);
    sdsim_table_cell(table, ink, "%s",
                     sdsim_print_quanta(&breakdown->scale, quanta, text, sizeof text));
    sdsim_table_cell(table, ink, "%" PRIu64 ".%" PRIu64 "%%", permille / 10, permille % 10);
    time_for_each(time, breakdown->calls, text, sizeof text);
    sdsim_table_cell(table, ink, "%s", text);
    time_for_each(time, breakdown->sectors, text, sizeof text);
    sdsim_table_cell(table, ink, "%s", text);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", bar);
}

static bool print_breakdown(const struct sdsim_run_report *report, const struct sdsim_style *style,
                            FILE *out)
{
    const struct breakdown breakdown = break_down(&report->prediction.typical.workload);
    char each[16];
    snprintf(each, sizeof each, "a %s", noun_of(&report->setup->run.workload));
    const struct sdsim_column columns[] = {
        {"where the time goes", false, false},
        {"time", true, false},
        {"share", true, false},
        {each, true, false},
        {"a sector", true, false},
        {NULL, false, false},
    };
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    const unsigned longest = longest_bar(&breakdown);
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        if (breakdown.time[kind] > 0) {
            char bar[4 * BAR_WIDTH + 1];
            print_bar(style, (double)breakdown.time[kind] / (double)breakdown.total, longest, bar,
                      sizeof bar);
            const char *title = kind == SDSIM_OUTSIDE
                                    ? sdsim_outside_name(&report->setup->run.workload)
                                    : sdsim_kind_title((enum sdsim_kind)kind);
            add_line(&table, &breakdown, SDSIM_INK_PLAIN, title, breakdown.time[kind],
                     breakdown.quanta[kind], breakdown.permille[kind], bar);
        }
    }
    add_line(&table, &breakdown, SDSIM_INK_BOLD, "total", breakdown.total, breakdown.total_quanta,
             breakdown.total > 0 ? 1000 : 0, "");
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

/* Everything that is not data, and for what it was; the printed shares add up. */
static void print_metadata(const struct sdsim_workload_result *result, FILE *out)
{
    sdsim_ps times[SDSIM_PURPOSE_COUNT];
    uint64_t permille[SDSIM_PURPOSE_COUNT];
    sdsim_ps total = 0;
    uint64_t share = 0;
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        times[p] = sdsim_account_purpose(&result->account, (enum sdsim_purpose)p);
    }
    sdsim_apportion(times, SDSIM_PURPOSE_COUNT, 1000, permille);
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        total += p != SDSIM_FOR_DATA ? times[p] : 0;
        share += p != SDSIM_FOR_DATA ? permille[p] : 0;
    }
    if (total == 0) {
        print_label(out, "metadata", "none");
        return;
    }
    char text[300];
    char time[32];
    size_t used = (size_t)snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64 "%%, %s", share / 10,
                                   share % 10, sdsim_print_time(total, time, sizeof time));
    const char *separator = ": ";
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        if (p != SDSIM_FOR_DATA && times[p] > 0) {
            used += (size_t)snprintf(
                text + used, sizeof text - used, "%s%s %" PRIu64 ".%" PRIu64 "%%", separator,
                sdsim_purpose_name((enum sdsim_purpose)p), permille[p] / 10, permille[p] % 10);
            separator = ", ";
        }
    }
    print_label(out, "metadata", text);
}

/* ---- commands and extremes ---- */

static bool print_commands(const struct sdsim_run_report *report, const struct sdsim_style *style,
                           FILE *out)
{
    const struct sdsim_workload_result *result = &report->prediction.typical.workload;
    char each[16];
    snprintf(each, sizeof each, "a %s", noun_of(&report->setup->run.workload));
    const struct sdsim_column columns[] = {
        {"commands", false, false},    {"sent", true, false}, {each, true, false},
        {"sectors each", true, false}, {NULL, false, false},
    };
    struct sdsim_command_use uses[SDSIM_COMMAND_USES];
    const size_t count = sdsim_command_uses(&result->counters, uses);
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    for (size_t i = 0; i < count; i++) {
        char text[48] = "";
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_command_name(&uses[i], text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu64, uses[i].count);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_ratio(uses[i].count, result->calls, text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         uses[i].sectors > 0
                             ? sdsim_print_ratio(uses[i].sectors, uses[i].count, text, sizeof text)
                             : "");
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", sdsim_command_meaning(&uses[i]));
    }
    const bool printed = count == 0 || sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

static void print_extremes(const struct sdsim_run_report *report, FILE *out)
{
    const struct sdsim_workload_result *result = &report->prediction.typical.workload;
    const char *noun = noun_of(&report->setup->run.workload);
    char time[32];
    char at[32];
    char text[200];
    char label[16];
    snprintf(label, sizeof label, "a %s", noun);
    sdsim_print_time(result->calls > 0 ? result->in_calls / result->calls : 0, time, sizeof time);
    sdsim_print_time(result->shortest_call, at, sizeof at);
    snprintf(text, sizeof text, "mean %s, shortest %s", time, at);
    print_label(out, label, text);
    sdsim_print_time(result->longest_call, time, sizeof time);
    size_t used = (size_t)snprintf(text, sizeof text, "%s, %s %" PRIu64 " of %" PRIu64, time, noun,
                                   result->longest_call_index + 1, result->calls);
    const sdsim_ps wait = result->counters.longest_wait;
    if (wait > 0) {
        sdsim_print_time(wait, time, sizeof time);
        sdsim_print_time(sdsim_time_since(result->counters.longest_wait_at, result->started), at,
                         sizeof at);
        snprintf(text + used, sizeof text - used, "; longest wait for the card %s, after %s", time,
                 at);
    }
    print_label(out, "longest", text);
}

static void print_readings(const struct sdsim_run_report *report, FILE *out)
{
    struct sdsim_readings readings;
    sdsim_readings(report, &readings);
    for (size_t i = 0; i < readings.count; i++) {
        sdsim_print_wrapped(out, "  - ", readings.text[i]);
    }
}

bool sdsim_run_report_print(const struct sdsim_run_report *report, const struct sdsim_style *style,
                            FILE *out)
{
    print_title(report, style, out);
    print_workload(report, out);
    print_hardware(report, out);
    sdsim_usb_print(report, out);
    print_prediction(report, out);
    print_measured(report, style, out);
    sdsim_stream_report_print(&report->setup->run.workload, &report->prediction.typical.workload,
                              style, out);
    sdsim_tasks_print(report, out);
    fputc('\n', out);
    const bool broken_down = print_breakdown(report, style, out);
    print_metadata(&report->prediction.typical.workload, out);
    print_extremes(report, out);
    fputc('\n', out);
    const bool listed = print_commands(report, style, out);
    fputc('\n', out);
    print_readings(report, out);
    return broken_down && listed;
}

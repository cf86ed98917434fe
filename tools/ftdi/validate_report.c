#include "validate_report.h"

#include <inttypes.h>

#include "core/units.h"
#include "report/json.h"
#include "report/table.h"

enum { TEXT = 64 };

static char *time_text(double us, char text[TEXT])
{
    return sdsim_unit_print(SDSIM_UNIT_TIME, us * 1e6, text, TEXT);
}

static double error_of(double predicted, double measured)
{
    return measured > 0 ? (predicted - measured) / measured * 100 : 0;
}

static void group_name(const struct sdsim_validate_group *group, char text[TEXT])
{
    if (group->sectors == 0) {
        snprintf(text, TEXT, "sync");
    } else {
        char size[TEXT];
        snprintf(text, TEXT, "%s %.40s", group->write ? "write" : "read",
                 sdsim_unit_print(SDSIM_UNIT_SIZE, (double)group->sectors * SDSIM_SECTOR, size,
                                  sizeof size));
    }
}

static void add_row(struct sdsim_table *table, const char *name, size_t count, const char *what,
                    const double *values, const char *error)
{
    char text[TEXT];
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", name);
    if (count > 0) {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%zu", count);
    } else {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "");
    }
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", what);
    for (unsigned i = 0; i < 4; i++) {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", time_text(values[i], text));
    }
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", error);
}

/* Rows of one kind of operation. */
static void add_group(struct sdsim_table *table, const struct sdsim_validate_group *group,
                      enum sdsim_probe_time time)
{
    const double measured[] = {group->measured_mean, group->measured_median, group->measured_high,
                               group->measured_most};
    const double host[] = {group->host_mean, group->host_median, group->host_high,
                           group->host_most};
    const double predicted[] = {group->predicted_mean, group->predicted_median,
                                group->predicted_high, group->predicted_most};
    const bool bus = (time & SDSIM_PROBE_BUS) != 0;
    char name[TEXT];
    char error[TEXT] = "";
    group_name(group, name);
    if (bus) {
        snprintf(error, sizeof error, "%+.1f%%",
                 error_of(group->predicted_mean, group->measured_mean));
        add_row(table, name, group->count, "measured", measured, "");
    }
    if ((time & SDSIM_PROBE_HOST) != 0) {
        add_row(table, bus ? "" : name, bus ? 0 : group->count, bus ? "  at most" : "host time",
                host, "");
    }
    add_row(table, "", 0, "predicted", predicted, error);
}

static void print_groups(const struct sdsim_validation *validation, enum sdsim_probe_time time,
                         FILE *out)
{
    static const struct sdsim_column columns[] = {
        {.title = "operation"},
        {.title = "times", .right = true},
        {.title = ""},
        {.title = "mean", .right = true},
        {.title = "median", .right = true},
        {.title = "95 %", .right = true},
        {.title = "longest", .right = true},
        {.title = "error", .right = true},
    };
    const struct sdsim_style style = {.color = false};
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < validation->group_count; i++) {
        if (validation->groups[i].count > 0) {
            add_group(&table, &validation->groups[i], time);
        }
    }
    sdsim_table_print(&table, &style, out);
    sdsim_table_free(&table);
}

static void print_total(const char *what, double seconds, uint64_t bytes, const char *more,
                        FILE *out)
{
    char time[TEXT];
    char rate[TEXT] = "";
    if (seconds > 0) {
        sdsim_unit_print(SDSIM_UNIT_RATE, (double)bytes / seconds, rate, sizeof rate);
    }
    fprintf(out, "%-28s %10s  %10s%s\n", what, time_text(seconds * 1e6, time), rate, more);
}

static uint64_t spoiled(const struct sdsim_validation *validation)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < validation->group_count; i++) {
        sum += validation->groups[i].spoiled;
    }
    return sum;
}

static void print_totals(const struct sdsim_validation *validation, enum sdsim_probe_time time,
                         const char *clock, FILE *out)
{
    const bool bus = (time & SDSIM_PROBE_BUS) != 0;
    char more[TEXT] = "";
    char what[2 * TEXT];
    if (bus) {
        snprintf(what, sizeof what, "measured at %s", clock);
        print_total(what, validation->measured, validation->bytes, "", out);
        snprintf(more, sizeof more, "  %+.1f%%",
                 error_of(validation->predicted, validation->measured));
    }
    if ((time & SDSIM_PROBE_HOST) != 0) {
        print_total(bus ? "  at most, by the host's clock" : "by the host's clock, with USB",
                    validation->host, validation->bytes, "", out);
    }
    snprintf(what, sizeof what, "predicted at %s", clock);
    print_total(what, validation->predicted, validation->bytes, more, out);
}

void sdsim_validate_report(const struct sdsim_validation *validation,
                           const struct sdsim_validate_wishes *wishes, FILE *out)
{
    const struct sdsim_validate_plan *plan = wishes->plan;
    const struct sdsim_block_ops *ops = &plan->ops;
    char clock[32];
    char asked[TEXT];
    char what[2 * TEXT];
    sdsim_mpsse_clock_text(&validation->clock, clock);
    sdsim_unit_print(SDSIM_UNIT_FREQUENCY, validation->asked_hz, asked, sizeof asked);
    fprintf(out, "scenario  %s\ndriver    %s, on a host that only moves bytes\n", plan->name,
            plan->driver_name);
    fprintf(out, "card      measured: the one on the chip; predicted: %s\n", plan->card_name);
    fprintf(out, "clock     %s, measured and predicted; the scenario's is %s\n", clock, asked);
    fprintf(out, "calls     %zu of %" PRIu64 "%s\n", ops->count - ops->warm, ops->total,
            ops->moved ? ", moved by whole AUs into the permitted range" : "");
    if (ops->warm > 0) {
        fprintf(out, "before    %zu writes to other AUs, so that as many are open on both cards\n",
                ops->warm);
    }
    fputc('\n', out);
    print_groups(validation, wishes->time, out);
    fputc('\n', out);
    print_totals(validation, wishes->time, clock, out);
    snprintf(what, sizeof what, "predicted at %s", asked);
    print_total(what, validation->asked, validation->bytes, "  not measured", out);
    if (spoiled(validation) > 0) {
        fprintf(out, "%" PRIu64 " calls had to be repeated in part and are left out\n",
                spoiled(validation));
    }
}

/* ---- JSON ---- */

/* In us. */
static void json_times(struct sdsim_json *json, const char *key, double mean, double median,
                       double high, double most)
{
    sdsim_json_object(json, key);
    sdsim_json_number(json, "mean", mean / 1e6);
    sdsim_json_number(json, "median", median / 1e6);
    sdsim_json_number(json, "high", high / 1e6);
    sdsim_json_number(json, "longest", most / 1e6);
    sdsim_json_end(json);
}

static void json_group(struct sdsim_json *json, const struct sdsim_validate_group *group,
                       enum sdsim_probe_time time)
{
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "operation",
                    group->sectors == 0 ? "sync"
                    : group->write      ? "write"
                                        : "read");
    sdsim_json_count(json, "bytes", (uint64_t)group->sectors * SDSIM_SECTOR);
    sdsim_json_count(json, "count", group->count);
    sdsim_json_count(json, "repeated", group->spoiled);
    if (group->count > 0) {
        if ((time & SDSIM_PROBE_BUS) != 0) {
            json_times(json, "measured", group->measured_mean, group->measured_median,
                       group->measured_high, group->measured_most);
        }
        if ((time & SDSIM_PROBE_HOST) != 0) {
            json_times(json, "at_most", group->host_mean, group->host_median, group->host_high,
                       group->host_most);
        }
        json_times(json, "predicted", group->predicted_mean, group->predicted_median,
                   group->predicted_high, group->predicted_most);
    }
    sdsim_json_end(json);
}

void sdsim_validate_json(const struct sdsim_validation *validation,
                         const struct sdsim_validate_wishes *wishes, FILE *out)
{
    const struct sdsim_validate_plan *plan = wishes->plan;
    struct sdsim_json json;
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_text(&json, "scenario", plan->name);
    sdsim_json_text(&json, "driver", plan->driver_name);
    sdsim_json_text(&json, "predicted_card", plan->card_name);
    sdsim_json_number(&json, "hz", (double)validation->clock.num / validation->clock.den);
    sdsim_json_number(&json, "asked_hz", validation->asked_hz);
    sdsim_json_count(&json, "calls", plan->ops.count - plan->ops.warm);
    sdsim_json_count(&json, "calls_of_scenario", plan->ops.total);
    sdsim_json_count(&json, "bytes", validation->bytes);
    if ((wishes->time & SDSIM_PROBE_BUS) != 0) {
        sdsim_json_number(&json, "measured", validation->measured);
    }
    if ((wishes->time & SDSIM_PROBE_HOST) != 0) {
        sdsim_json_number(&json, "at_most", validation->host);
    }
    sdsim_json_number(&json, "predicted", validation->predicted);
    sdsim_json_number(&json, "error", error_of(validation->predicted, validation->measured) / 100);
    sdsim_json_number(&json, "predicted_at_asked_hz", validation->asked);
    sdsim_json_number(&json, "tolerance", wishes->tolerance);
    sdsim_json_array(&json, "operations");
    for (size_t i = 0; i < validation->group_count; i++) {
        json_group(&json, &validation->groups[i], wishes->time);
    }
    sdsim_json_end(&json);
    sdsim_json_end(&json);
}

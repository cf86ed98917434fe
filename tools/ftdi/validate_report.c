#include "validate_report.h"

#include <inttypes.h>

#include "core/units.h"
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

static void print_groups(const struct sdsim_validation *validation, FILE *out)
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
        const struct sdsim_validate_group *group = &validation->groups[i];
        const double measured[] = {group->measured_mean, group->measured_median,
                                   group->measured_high, group->measured_most};
        const double predicted[] = {group->predicted_mean, group->predicted_median,
                                    group->predicted_high, group->predicted_most};
        char name[TEXT];
        char error[TEXT];
        if (group->count == 0) {
            continue;
        }
        group_name(group, name);
        snprintf(error, sizeof error, "%+.1f%%",
                 error_of(group->predicted_mean, group->measured_mean));
        add_row(&table, name, group->count, "measured", measured, "");
        add_row(&table, "", 0, "predicted", predicted, error);
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

void sdsim_validate_report(const struct sdsim_validation *validation,
                           const struct sdsim_validate_wishes *wishes, FILE *out)
{
    const struct sdsim_validate_plan *plan = wishes->plan;
    const struct sdsim_block_ops *ops = &plan->ops;
    char clock[32];
    char asked[TEXT];
    char more[TEXT];
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
    print_groups(validation, out);
    snprintf(more, sizeof more, "  %+.1f%%", error_of(validation->predicted, validation->measured));
    fputc('\n', out);
    snprintf(what, sizeof what, "measured at %s", clock);
    print_total(what, validation->measured, validation->bytes, "", out);
    snprintf(what, sizeof what, "predicted at %s", clock);
    print_total(what, validation->predicted, validation->bytes, more, out);
    if ((wishes->time & SDSIM_PROBE_HOST) != 0) {
        print_total("by the host's clock, with USB", validation->host, validation->bytes, "", out);
    }
    snprintf(what, sizeof what, "predicted at %s", asked);
    print_total(what, validation->asked, validation->bytes, "  not measured", out);
    if (spoiled(validation) > 0) {
        fprintf(out, "%" PRIu64 " calls had to be repeated in part and are left out\n",
                spoiled(validation));
    }
}

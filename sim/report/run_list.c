#include "report/format.h"
#include "report/run_report.h"
#include "report/table.h"

/* The kind that takes the most time, and how much of it: "payload 56%". */
static void add_largest(struct sdsim_table *table, const struct sdsim_workload_params *workload,
                        const struct sdsim_account *account)
{
    const sdsim_ps total = sdsim_account_total(account);
    enum sdsim_kind largest = SDSIM_PAYLOAD;
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        if (sdsim_account_kind(account, (enum sdsim_kind)kind) >
            sdsim_account_kind(account, largest)) {
            largest = (enum sdsim_kind)kind;
        }
    }
    const sdsim_ps part = sdsim_account_kind(account, largest);
    const char *name =
        largest == SDSIM_OUTSIDE ? sdsim_outside_name(workload) : sdsim_kind_name(largest);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s %.0f%%", name,
                     total > 0 ? 100.0 * (double)part / (double)total : 0.0);
}

static void add_run(struct sdsim_table *table, const struct sdsim_run_report *report)
{
    const struct sdsim_prediction *prediction = &report->prediction;
    const enum sdsim_metric metric = prediction->typical.metric;
    const struct sdsim_verdict *verdict = &report->verdict;
    char text[96];
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", sdsim_run_label(report->run));
    sdsim_table_cell(table, SDSIM_INK_BOLD, "%s%s", sdsim_metric_prefix(metric),
                     sdsim_print_value(metric, prediction->typical.value, text, sizeof text));
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     prediction->draws == 0
                         ? ""
                         : sdsim_print_ends(metric, prediction->low, prediction->high,
                                            prediction->typical.value, text, sizeof text));
    add_largest(table, &report->setup->run.workload, &prediction->typical.workload.account);
    if (!verdict->given) {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "");
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "");
        return;
    }
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     sdsim_print_interval(metric, verdict->low, verdict->high, text, sizeof text));
    sdsim_table_cell(table, sdsim_verdict_ink(verdict), "%s",
                     sdsim_print_error(verdict->error, text, sizeof text));
}

bool sdsim_run_report_print_list(const struct sdsim_run_report *reports, size_t count,
                                 const struct sdsim_style *style, FILE *out)
{
    const bool drawn = count > 0 && reports[0].prediction.draws > 0;
    const struct sdsim_column columns[] = {
        {"run", false, false},
        {"predicted", true, false},
        {drawn ? "90% interval" : NULL, true, false},
        {"most time", true, false},
        {"measured", true, false},
        {"error", true, false},
    };
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        add_run(&table, &reports[i]);
    }
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

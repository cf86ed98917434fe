#include "validate_card.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/sorted.h"
#include "port/fast.h"
#include "validate_report.h"

enum { INIT_HZ = 400000 };

/* What an ideal host costs: without any, some drivers look for busy before a card can show it. */
static const struct sdsim_driver_costs costs = {.transfer = SDSIM_US};

/* Written data: any. */
static const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = 0xDA7A};

/* What one operation took, in ps. 0 in `measured`: it was not compared. */
struct op_times {
    sdsim_ps measured;
    sdsim_ps host;
    sdsim_ps predicted;
    sdsim_ps asked;
};

struct job {
    const struct sdsim_validate_wishes *wishes;
    struct sdsim_validate_plan *plan;
    struct sdsim_block_ops *ops; /* the plan's */
    struct op_times *times;
    struct sdsim_mpsse_clock clock;
    struct sdsim_validation *validation;
    FILE *err;
};

static enum sdsim_probe_exit fault(const struct job *job, const char *why)
{
    fprintf(job->err, "error: %s\n", why);
    return SDSIM_PROBE_FAULT;
}

/* ---- one operation ---- */

static enum sdsim_driver_error carry_out(struct sdsim_driver *driver, sdsim_ps *now,
                                         const struct sdsim_block_op *op)
{
    if (op->count == 0) {
        return sdsim_driver_sync(driver, now);
    }
    return op->write ? sdsim_driver_write(driver, now, op->lba, op->count, SDSIM_FOR_DATA, &content)
                     : sdsim_driver_read(driver, now, op->lba, op->count, SDSIM_FOR_DATA, NULL);
}

/* ---- the real card ---- */

/* Has the card check CRCs: most drivers leave that off. */
static bool crc_on(struct sdsim_mpsse_port *port, sdsim_ps *now)
{
    const struct sdsim_wait ready = {.test = SDSIM_READY_ALL_ONES, .limit = SDSIM_S};
    const struct sdsim_transaction tx = {.flags = SDSIM_COMMAND | SDSIM_SELECT | SDSIM_DESELECT,
                                         .lead_bytes = 1,
                                         .trail_bytes = 1,
                                         .command = 59,
                                         .argument = 1,
                                         .response = SDSIM_RESPONSE_R1,
                                         .ready = &ready};
    struct sdsim_result result;
    sdsim_execute(&port->wire.port, now, &tx, &result);
    return result.outcome == SDSIM_OUTCOME_OK;
}

static bool run_ops(struct job *job, struct sdsim_driver *driver, struct sdsim_mpsse_port *port,
                    sdsim_ps *now)
{
    struct sdsim_link *link = port->line.link;
    for (size_t i = 0; i < job->ops->count; i++) {
        const uint64_t retries = sdsim_mpsse_retries(port);
        const sdsim_ps start = *now;
        const sdsim_ps host = sdsim_link_host_time(link);
        if (job->wishes->stop != NULL && *job->wishes->stop != 0) {
            (void)fault(job, "stopped by the user");
            return false;
        }
        if (carry_out(driver, now, &job->ops->ops[i]) != SDSIM_DRIVER_OK) {
            char why[200];
            sdsim_driver_explain_fault(driver, why, sizeof why);
            (void)fault(job, port->dead ? link->error : why);
            return false;
        }
        if (sdsim_mpsse_retries(port) == retries) {
            job->times[i].measured = *now - start;
            job->times[i].host = sdsim_link_host_time(link) - host;
        }
    }
    return true;
}

/* All operations by the scenario's driver on the real card. */
static bool measure(struct job *job, struct sdsim_link *link)
{
    struct sdsim_mpsse_clock slow;
    struct sdsim_mpsse_port *port = calloc(1, sizeof *port);
    struct sdsim_meter meter = {0};
    struct sdsim_driver driver;
    const struct sdsim_driver_clocks clocks = {.asked_hz = job->clock.num / job->clock.den,
                                               .init_num = INIT_HZ,
                                               .init_den = 1,
                                               .num = job->clock.num,
                                               .den = job->clock.den};
    sdsim_ps now = 0;
    job->times = calloc(job->ops->count, sizeof *job->times);
    if (port == NULL || job->times == NULL) {
        (void)fault(job, "out of memory");
        free(port);
        return false;
    }
    (void)sdsim_mpsse_clock_below(INIT_HZ, &slow);
    sdsim_mpsse_port_init(port, link, &slow, &meter);
    sdsim_driver_attach(&driver, &job->plan->driver, &costs, &port->wire.port, &clocks, true);
    bool fine = sdsim_driver_init(&driver, &now) == SDSIM_DRIVER_OK;
    if (!fine) {
        char why[200];
        sdsim_driver_explain_fault(&driver, why, sizeof why);
        (void)fault(job, port->dead ? link->error : why);
    } else {
        fine = (crc_on(port, &now) || fault(job, "the card refuses CMD59") == SDSIM_PROBE_OK) &&
               run_ops(job, &driver, port, &now);
    }
    sdsim_mpsse_port_free(port);
    free(port);
    return fine;
}

/* ---- the simulated card ---- */

/* The same on a card of the profile, at a clock of num / den Hz. */
static bool predict(struct job *job, uint64_t num, uint64_t den, bool asked)
{
    const struct sdsim_card_params *params = &job->plan->card;
    struct sdsim_medium *medium = sdsim_medium_create(sdsim_csd_sectors(params), 0);
    struct sdsim_card *card = calloc(1, sizeof *card);
    struct sdsim_port port;
    struct sdsim_meter meter = {0};
    struct sdsim_driver driver;
    const struct sdsim_driver_clocks clocks = {
        .asked_hz = num / den, .init_num = INIT_HZ, .init_den = 1, .num = num, .den = den};
    sdsim_ps now = 0;
    bool fine = medium != NULL && card != NULL;
    if (fine) {
        sdsim_card_init(card, params, medium, 0, 0);
        sdsim_fast_init(&port, SDSIM_BUS_SPI, card, &meter);
        sdsim_driver_attach(&driver, &job->plan->driver, &costs, &port, &clocks, true);
        fine = sdsim_driver_init(&driver, &now) == SDSIM_DRIVER_OK;
    }
    for (size_t i = 0; i < job->ops->count && fine; i++) {
        const sdsim_ps start = now;
        fine = carry_out(&driver, &now, &job->ops->ops[i]) == SDSIM_DRIVER_OK;
        *(asked ? &job->times[i].asked : &job->times[i].predicted) = now - start;
    }
    if (!fine) {
        char why[200] = "out of memory";
        if (medium != NULL && card != NULL) {
            sdsim_driver_explain_fault(&driver, why, sizeof why);
        }
        fprintf(job->err, "error: the prediction: %s\n", why);
    }
    sdsim_medium_destroy(medium);
    free(card);
    return fine;
}

/* ---- side by side ---- */

static struct sdsim_validate_group *group_of(struct sdsim_validation *validation,
                                             const struct sdsim_block_op *op)
{
    for (size_t i = 0; i < validation->group_count; i++) {
        struct sdsim_validate_group *group = &validation->groups[i];
        if (group->write == op->write && group->sectors == op->count) {
            return group;
        }
    }
    if (validation->group_count == SDSIM_VALIDATE_GROUPS) {
        return &validation->groups[SDSIM_VALIDATE_GROUPS - 1]; /* the rest is thrown together */
    }
    struct sdsim_validate_group *group = &validation->groups[validation->group_count++];
    *group = (struct sdsim_validate_group){.write = op->write, .sectors = op->count};
    return group;
}

/* Mean and quantiles of one column, in us, over the operations of a group. */
static void column(const double *values, size_t count, double *sorted, double *mean, double *median,
                   double *high, double *most)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        sorted[i] = values[i];
    }
    sdsim_sort(sorted, count);
    *mean = sum / (double)count;
    *median = sdsim_quantile(sorted, count, 0.5);
    *high = sdsim_quantile(sorted, count, 0.95);
    *most = sorted[count - 1];
}

static bool fill_group(struct job *job, struct sdsim_validate_group *group)
{
    const size_t count_all = job->ops->count;
    double *all = malloc(4 * count_all * sizeof *all);
    double *const values[3] = {all, all + count_all, all + 2 * count_all};
    double *const sorted = all + 3 * count_all;
    const bool fine = all != NULL;
    for (size_t i = job->ops->warm; i < job->ops->count && fine; i++) {
        const struct op_times *times = &job->times[i];
        if (group_of(job->validation, &job->ops->ops[i]) != group) {
            continue;
        }
        if (times->measured == 0) {
            group->spoiled++;
            continue;
        }
        values[0][group->count] = (double)times->measured / (double)SDSIM_US;
        values[1][group->count] = (double)times->predicted / (double)SDSIM_US;
        /* On a chip that isn't one the host's clock may be behind the bus. */
        const sdsim_ps host = times->host > times->measured ? times->host : times->measured;
        values[2][group->count] = (double)host / (double)SDSIM_US;
        group->asked_mean += (double)times->asked / (double)SDSIM_US;
        group->count++;
    }
    if (fine && group->count > 0) {
        const double count = (double)group->count;
        column(values[0], group->count, sorted, &group->measured_mean, &group->measured_median,
               &group->measured_high, &group->measured_most);
        column(values[1], group->count, sorted, &group->predicted_mean, &group->predicted_median,
               &group->predicted_high, &group->predicted_most);
        column(values[2], group->count, sorted, &group->host_mean, &group->host_median,
               &group->host_high, &group->host_most);
        group->asked_mean /= count;
        job->validation->measured += group->measured_mean * count / 1e6;
        job->validation->predicted += group->predicted_mean * count / 1e6;
        job->validation->host += group->host_mean * count / 1e6;
        job->validation->asked += group->asked_mean * count / 1e6;
        job->validation->bytes += (uint64_t)group->count * group->sectors * SDSIM_SECTOR;
    }
    free(all);
    return fine;
}

static enum sdsim_probe_exit compare(struct job *job, FILE *out)
{
    struct sdsim_validation *validation = job->validation;
    for (size_t i = job->ops->warm; i < job->ops->count; i++) {
        (void)group_of(validation, &job->ops->ops[i]);
    }
    for (size_t g = 0; g < validation->group_count; g++) {
        if (!fill_group(job, &validation->groups[g])) {
            return fault(job, "out of memory");
        }
    }
    if (job->wishes->json) {
        sdsim_validate_json(validation, job->wishes, out);
    } else {
        sdsim_validate_report(validation, job->wishes, out);
    }
    const double off = validation->predicted > validation->measured
                           ? validation->predicted - validation->measured
                           : validation->measured - validation->predicted;
    return off <= job->wishes->tolerance * validation->measured ? SDSIM_PROBE_OK
                                                                : SDSIM_PROBE_FINDING;
}

/* ---- all of it ---- */

/* Saves what will be written, has it measured, and puts it back. */
static enum sdsim_probe_exit measure_writes(struct job *job, struct sdsim_card_io *io,
                                            const struct sdsim_card_registers *registers,
                                            struct sdsim_link *link)
{
    const struct sdsim_write_wish *wish = &job->wishes->write;
    struct sdsim_card_registers again;
    struct sdsim_guard guard = {0};
    enum sdsim_probe_exit code =
        sdsim_ask_to_write(io, registers, wish, job->wishes->in, job->err, &guard);
    if (code != SDSIM_PROBE_OK) {
        sdsim_guard_close(&guard);
        return code;
    }
    const struct sdsim_card_writer *writer = &guard.writer;
    bool fine = true;
    if (!sdsim_block_ops_move(job->ops, sdsim_probe_au(registers), writer->from, writer->to)) {
        fprintf(job->err, "error: %s\nhelp: permit a larger range, or move less: --amount SIZE\n",
                job->ops->error);
        code = SDSIM_PROBE_INPUT;
        fine = false;
    }
    if (fine && job->plan->card.flash.open_aus > 0 &&
        !sdsim_block_ops_warm(job->ops, sdsim_probe_au(registers), writer->to,
                              (uint32_t)job->plan->card.flash.open_aus)) {
        fputs("note: the range has no room to open AUs beforehand: the card may close some that it "
              "has open\n      from earlier, the prediction does not\n",
              job->err);
    }
    for (size_t i = 0; i < job->ops->count && fine; i++) {
        const struct sdsim_block_op *op = &job->ops->ops[i];
        fine = !op->write || guard.writer.cover(&guard.writer, op->lba, op->count);
        code = fine ? code : fault(job, io->error);
    }
    fine = fine && sdsim_block_ops_within(job->ops, writer->from, writer->to);
    if (fine) {
        sdsim_card_io_free(io);
        code = measure(job, link) ? SDSIM_PROBE_OK : SDSIM_PROBE_FAULT;
        sdsim_card_io_init(io, link, &job->clock);
        if (!sdsim_card_io_identify(io, &again)) {
            code = fault(job, io->error);
        }
    }
    return sdsim_end_writing(&guard, wish, code, job->err);
}

static enum sdsim_probe_exit measure_reads(struct job *job, struct sdsim_card_io *io,
                                           const struct sdsim_card_registers *registers,
                                           struct sdsim_link *link)
{
    if (!sdsim_block_ops_within(job->ops, 0, io->sectors) &&
        !sdsim_block_ops_move(job->ops, sdsim_probe_au(registers), 0, io->sectors)) {
        return fault(job, job->ops->error);
    }
    sdsim_card_io_free(io);
    const bool fine = measure(job, link);
    sdsim_card_io_init(io, link, &job->clock);
    return fine ? SDSIM_PROBE_OK : SDSIM_PROBE_FAULT;
}

static enum sdsim_probe_exit run(struct job *job, struct sdsim_link *link, FILE *out)
{
    const struct sdsim_validate_plan *plan = job->plan;
    struct sdsim_card_io io;
    struct sdsim_card_registers registers;
    enum sdsim_probe_exit code;
    sdsim_card_io_init(&io, link, &job->clock);
    if (!sdsim_card_io_identify(&io, &registers)) {
        code = fault(job, io.error);
    } else if (job->ops->writes && !job->wishes->write.wanted) {
        fputs("error: this scenario writes\n"
              "help: say where it may: --write --range FROM..TO, or --scratch PATH\n",
              job->err);
        code = SDSIM_PROBE_INPUT;
    } else {
        code = job->ops->writes ? measure_writes(job, &io, &registers, link)
                                : measure_reads(job, &io, &registers, link);
    }
    sdsim_card_io_free(&io);
    if (code != SDSIM_PROBE_OK) {
        return code;
    }
    return predict(job, job->clock.num, job->clock.den, false) &&
                   predict(job, plan->num, plan->den, true)
               ? compare(job, out)
               : SDSIM_PROBE_FAULT;
}

enum sdsim_probe_exit sdsim_validate_card(struct sdsim_link *link,
                                          const struct sdsim_validate_wishes *wishes,
                                          struct sdsim_validation *validation, FILE *out, FILE *err)
{
    struct sdsim_validation own;
    struct sdsim_validate_plan *plan = wishes->plan;
    struct job job = {.wishes = wishes,
                      .plan = plan,
                      .ops = &plan->ops,
                      .validation = validation != NULL ? validation : &own,
                      .err = err};
    const uint64_t asked = plan->asked_hz < plan->card.spi_hz ? plan->asked_hz : plan->card.spi_hz;
    if (!sdsim_mpsse_clock_below(asked, &job.clock)) {
        fputs("error: the chip has no clock that slow\n", err);
        return SDSIM_PROBE_INPUT;
    }
    if (plan->other_driver) {
        fputs("note: the scenario's driver works the SD bus; generic-spi carries out its block "
              "operations\n",
              err);
    }
    *job.validation = (struct sdsim_validation){.clock = job.clock,
                                                .asked_hz = (double)plan->num / (double)plan->den};
    const enum sdsim_probe_exit code = run(&job, link, out);
    free(job.times);
    return code;
}

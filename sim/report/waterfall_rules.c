#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "report/commands.h"
#include "report/format.h"
#include "report/short_text.h"
#include "report/waterfall_parts.h"

/* What the writers of rules look at. */
struct facts {
    const struct sdsim_setup *setup;
    const struct sdsim_outcome_report *outcome;
    const struct sdsim_workload_result *workload;
    const struct sdsim_waterfall *waterfall;
    const struct sdsim_waterfall_step *step;
    uint64_t commands; /* that move sectors */
    uint64_t sectors;
    uint64_t own; /* of these, sectors of the file system itself, a command each */
};

typedef void writer(const struct facts *facts, char *out);

__attribute__((format(printf, 2, 3))) static void say(char *out, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + used, SDSIM_RULE_SIZE - used, format, arguments);
    va_end(arguments);
}

static struct sdsim_short_text time_text(sdsim_ps time)
{
    struct sdsim_short_text text;
    sdsim_print_time(time, text.text, sizeof text.text);
    return text;
}

static struct sdsim_short_text each(sdsim_ps time, uint64_t count)
{
    return time_text(count > 0 ? time / count : 0);
}

/* "8 sectors", "1 sector" of each. */
static struct sdsim_short_text sectors_text(uint64_t sectors, uint64_t commands)
{
    struct sdsim_short_text text;
    char number[16];
    sdsim_print_ratio(sectors, commands, number, sizeof number);
    snprintf(text.text, sizeof text.text, "%s sector%s", number,
             strcmp(number, "1") == 0 ? "" : "s");
    return text;
}

static struct sdsim_short_text clock_text(const struct facts *facts)
{
    struct sdsim_short_text text;
    sdsim_unit_print(SDSIM_UNIT_FREQUENCY, facts->waterfall->bus_hz, text.text, sizeof text.text);
    return text;
}

/* ---- the bus ---- */

static void raw(const struct facts *facts, char *out)
{
    char rate[48];
    sdsim_print_value(SDSIM_METRIC_THROUGHPUT, facts->waterfall->raw_rate, rate, sizeof rate);
    say(out, "%s at %u bit%s a clock of %s, %s raw", sdsim_size_text(facts->waterfall->bytes).text,
        facts->waterfall->lines, facts->waterfall->lines == 1 ? "" : "s", clock_text(facts).text,
        rate);
    const double on_bus = (double)facts->step->time * facts->waterfall->raw_rate / (double)SDSIM_S;
    if (on_bus < 0.999 * (double)facts->waterfall->bytes) {
        say(out,
            "; only %.0f%% of the bytes were on the bus in the measured time, the rest in a "
            "buffer",
            100.0 * on_bus / (double)facts->waterfall->bytes);
    }
}

static void sectors(const struct facts *facts, char *out)
{
    const double extra = (double)facts->step->time * facts->waterfall->raw_rate / (double)SDSIM_S;
    say(out, "the bus carries whole sectors of 512B: %s more than the application asked for",
        sdsim_size_text((uint64_t)(extra + 0.5)).text);
}

static void framing(const struct facts *facts, char *out)
{
    const bool reads =
        facts->workload->counters.blocks_read > 0 && facts->workload->counters.blocks_written == 0;
    const int bus = facts->setup->run.bus;
    say(out, "%s of %" PRIu64 " blocks: %u clocks each%s",
        bus == SDSIM_BUS_SPI
            ? (reads ? "token and CRC16" : "token, CRC16 and data response")
            : (reads ? "start bit, CRC16 and end bit" : "start bit, CRC16, end bit and CRC status"),
        facts->sectors, sdsim_waterfall_frame(bus, reads),
        !reads && facts->workload->counters.blocks_read > 0 ? " written" : "");
}

static void commands(const struct facts *facts, char *out)
{
    struct sdsim_command_use uses[SDSIM_COMMAND_USES];
    const size_t count = sdsim_command_uses(&facts->workload->counters, uses);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += uses[i].count;
    }
    say(out, "%s command%s a %s:", sdsim_ratio_text(sum, facts->workload->calls).text,
        sum == 1 ? "" : "s", facts->setup->run.workload.action == SDSIM_DO_LOG ? "line" : "call");
    const size_t most = 5;
    for (size_t i = 0; i < count && i < most; i++) {
        char name[16];
        say(out, "%s %" PRIu64 " %s", i == 0 ? "" : ",", uses[i].count,
            sdsim_command_name(&uses[i], name, sizeof name));
        if (uses[i].sectors > 0 && uses[i].sectors != uses[i].count) {
            say(out, " of %s sectors", sdsim_ratio_text(uses[i].sectors, uses[i].count).text);
        }
    }
    say(out, "%s", count > most ? ", ..." : "");
}

/* ---- driver and host ---- */

static void gaps(const struct facts *facts, char *out)
{
    const struct sdsim_driver_costs *costs = &facts->setup->costs;
    const char *join = "";
    say(out, "the bus stands still %s a sector: ", each(facts->step->time, facts->sectors).text);
    if (costs->chunk == 1) {
        say(out, "each byte is a transfer of its own, %s behind it",
            time_text(costs->chunk_gap).text);
        join = ", ";
    } else if (costs->chunk > 1 && costs->chunk_gap > 0) {
        say(out, "data moves %s at a time, %s between", sdsim_size_text(costs->chunk).text,
            time_text(costs->chunk_gap).text);
        join = ", ";
    }
    if (costs->bulk > 0) {
        say(out, "%s%s to set a block's transfer up", join, time_text(costs->bulk).text);
        join = ", ";
    }
    if (costs->transfer > 0) {
        say(out, "%s%s for each short transfer", join, time_text(costs->transfer).text);
    }
}

static void driver(const struct facts *facts, char *out)
{
    const struct sdsim_driver_costs *costs = &facts->setup->costs;
    /* Over SPI, what a transfer costs is a gap on the bus. */
    const bool spi = facts->setup->run.bus == SDSIM_BUS_SPI;
    const struct {
        sdsim_ps time;
        const char *what;
    } parts[] = {
        {costs->crc16, "a block's CRC16"},     {costs->call, "a call"},
        {costs->command, "a command"},         {costs->wake, "an interrupt to the task going on"},
        {spi ? 0 : costs->bulk, "a transfer"},
    };
    const char *join = ": ";
    if (facts->sectors == 0) {
        say(out, "%s a call, which moves no sector",
            each(facts->step->time, facts->workload->calls).text);
        return;
    }
    say(out, "%s a sector", each(facts->step->time, facts->sectors).text);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].time > 0) {
            say(out, "%s%s %s", join, time_text(parts[i].time).text, parts[i].what);
            join = ", ";
        }
    }
}

static void copy(const struct facts *facts, char *out)
{
    say(out, "the driver moves each block to or from its own buffer: %s a sector",
        each(facts->step->time, facts->sectors).text);
}

static void api(const struct facts *facts, char *out)
{
    const struct sdsim_stream_params *file = &facts->setup->run.file;
    const enum sdsim_file_api code = (enum sdsim_file_api)file->api;
    const uint64_t calls = facts->workload->calls;
    say(out, "%s a %s, file API %s", each(facts->step->time, calls).text,
        facts->setup->run.workload.action == SDSIM_DO_LOG ? "line" : "call",
        sdsim_file_api_name(code));
    if (facts->setup->run.workload.action == SDSIM_DO_LOG && file->costs.line > 0) {
        say(out, ": %s to make a line", time_text(file->costs.line).text);
    } else if (sdsim_stream_default_buffer(code) > 0) {
        const uint64_t buffer = file->buffer > 0 ? file->buffer : sdsim_stream_default_buffer(code);
        say(out, ": calls, and its buffer of %s filled or emptied at %s each",
            sdsim_size_text(buffer).text, time_text(file->costs.refill).text);
    }
}

static void poll(const struct facts *facts, char *out)
{
    const struct sdsim_driver_params *params = &facts->setup->driver.params;
    say(out, "looks at a card that is ready, or a late look, take %s a command",
        each(facts->step->time, facts->commands).text);
    if (params->poll_sleep > 0) {
        say(out, ": it sleeps %s between looks", time_text(params->poll_sleep).text);
    }
}

/* ---- the card ---- */

/* " a command" of `commands`, if so few of them are the file system's own that it makes no
 * difference; the account here is only the data's. */
static void say_each(const struct facts *facts, uint64_t commands, const char *what, char *out)
{
    if (10 * facts->own <= commands) {
        say(out, "%s%s %s each of ", facts->own > 0 ? "about " : "",
            each(facts->step->time, commands).text, what);
    }
}

/* "(1 CMD17, 128 CMD18)", or "(all CMD18)". */
static void say_kinds(const struct sdsim_counters *counters, unsigned one, unsigned many, char *out)
{
    const uint64_t ones = counters->commands[one];
    const uint64_t manies = counters->commands[many];
    if (ones > 0 && manies > 0) {
        say(out, "(%" PRIu64 " CMD%u, %" PRIu64 " CMD%u)", ones, one, manies, many);
    } else {
        say(out, "(all CMD%u)", ones > 0 ? one : many);
    }
}

static void access_time(const struct facts *facts, char *out)
{
    const struct sdsim_counters *counters = &facts->workload->counters;
    const uint64_t reads = sdsim_read_commands(counters);
    say_each(facts, reads, "for", out);
    say(out, "%" PRIu64 " read command%s ", reads, reads == 1 ? "" : "s");
    say_kinds(counters, 17, 18, out);
    say(out, ", %s a command", sectors_text(counters->blocks_read, reads).text);
}

static void busy(const struct facts *facts, char *out)
{
    const struct sdsim_counters *counters = &facts->workload->counters;
    const uint64_t writes = sdsim_write_commands(counters);
    if (writes == 0) {
        say(out, "the card still programs what was written before");
        return;
    }
    say_each(facts, writes, "behind", out);
    say(out, "%" PRIu64 " write command%s ", writes, writes == 1 ? "" : "s");
    say_kinds(counters, 24, 25, out);
    say(out, ", %s a command", sectors_text(counters->blocks_written, writes).text);
    if (counters->commands[24] == writes) {
        say(out, ": a program for every sector");
    }
}

/* The step is the data's, and these counters are of all writes: what takes longer than the step is, for
 * the most part, behind the file system's own sectors. */
static void pause(const struct facts *facts, char *out)
{
    const struct sdsim_flash_params *flash = &facts->setup->card.flash;
    const struct sdsim_translation_stats *stats = &facts->outcome->translation;
    const char *join = ": ";
    const uint64_t written = SDSIM_SECTOR * facts->workload->counters.blocks_written;
    const sdsim_ps small_time = sdsim_time_times(flash->w_small, stats->small_writes);
    say(out, "housekeeping");
    if (flash->pause_every > 0 && 2 * written >= flash->pause_every) {
        say(out, "%s%s every %s written", join, time_text(flash->pause_length).text,
            sdsim_size_text(flash->pause_every).text);
        join = "; ";
    }
    if (stats->small_writes > 0 && small_time <= facts->step->time) {
        say(out, "%s%" PRIu64 " lone small write%s at %s", join, stats->small_writes,
            stats->small_writes == 1 ? "" : "s", time_text(flash->w_small).text);
        join = "; ";
    }
    if (stats->merges > 0 && stats->merge_time <= facts->step->time) {
        say(out, "%s%" PRIu64 " merge%s, %s", join, stats->merges, stats->merges == 1 ? "" : "s",
            time_text(stats->merge_time).text);
        join = "; ";
    }
    if (stats->out_of_order > 0 && stats->order_time <= facts->step->time) {
        say(out, "%s%" PRIu64 " write%s out of order, %s", join, stats->out_of_order,
            stats->out_of_order == 1 ? "" : "s", time_text(stats->order_time).text);
    }
}

/* ---- the file system, and the rest ---- */

static enum sdsim_purpose purpose_of(enum sdsim_loss loss)
{
    static const enum sdsim_purpose purposes[SDSIM_LOSS_COUNT] = {
        [SDSIM_LOSS_FAT] = SDSIM_FOR_FAT,       [SDSIM_LOSS_DIRECTORY] = SDSIM_FOR_DIRECTORY,
        [SDSIM_LOSS_FSINFO] = SDSIM_FOR_FSINFO, [SDSIM_LOSS_BITMAP] = SDSIM_FOR_BITMAP,
        [SDSIM_LOSS_BOOT] = SDSIM_FOR_BOOT,     [SDSIM_LOSS_INIT] = SDSIM_FOR_INIT,
    };
    return purposes[loss];
}

static void metadata(const struct facts *facts, char *out)
{
    const sdsim_ps *kinds = facts->workload->account.ps[purpose_of(facts->step->loss)];
    const sdsim_ps card = kinds[SDSIM_ACCESS] + kinds[SDSIM_BUSY] + kinds[SDSIM_PAUSE];
    const uint64_t every = facts->setup->run.workload.sync_every;
    say(out, "%s of it the card's",
        sdsim_print_share((double)card / (double)facts->step->time, (char[24]){0}, 24));
    const sdsim_ps block =
        (sdsim_ps)(4096.0 / facts->waterfall->lines * (double)SDSIM_S / facts->waterfall->bus_hz);
    if (block > 0) {
        const uint64_t moved = (kinds[SDSIM_PAYLOAD] + block / 2) / block;
        say(out, "; %" PRIu64 " sector%s moved for it", moved, moved == 1 ? "" : "s");
    }
    if (every > 0) {
        say(out, "; a sync every %" PRIu64 " %s%s", every,
            facts->setup->run.workload.action == SDSIM_DO_LOG ? "line" : "call",
            every == 1 ? "" : "s");
    }
}

/* Sectors of the file system that were moved. */
static uint64_t own_sectors(const struct sdsim_workload_result *workload,
                            const struct sdsim_waterfall *waterfall)
{
    const double block = 4096.0 / waterfall->lines * (double)SDSIM_S / waterfall->bus_hz;
    const sdsim_ps all = sdsim_account_kind(&workload->account, SDSIM_PAYLOAD);
    const sdsim_ps data = workload->account.ps[SDSIM_FOR_DATA][SDSIM_PAYLOAD];
    return block > 0 ? (uint64_t)((double)(all - data) / block + 0.5) : 0;
}

static void outside(const struct facts *facts, char *out)
{
    const struct sdsim_workload_params *workload = &facts->setup->run.workload;
    const struct sdsim_sharer_result *device = &facts->workload->other_device;
    if (workload->target == SDSIM_ON_USB) {
        say(out,
            "full-speed USB: %" PRIu64 " packets of up to 64 bytes, at most %" PRIu64
            " a millisecond to the PC and %" PRIu64 " from it",
            facts->workload->usb.traffic.packets, workload->usb.costs.limits.in,
            workload->usb.costs.limits.out);
    }
    if (device->turns > 0) {
        say(out, "%sanother device had the bus %" PRIu64 " time%s, %s each",
            workload->target == SDSIM_ON_USB ? "; " : "", device->turns,
            device->turns == 1 ? "" : "s",
            time_text(sdsim_sharer_hold(&workload->other_device)).text);
    }
}

static void idle(const struct facts *facts, char *out)
{
    const sdsim_ps inside = facts->waterfall->total - facts->step->time;
    char rate[48];
    sdsim_print_value(SDSIM_METRIC_THROUGHPUT,
                      sdsim_waterfall_value(SDSIM_METRIC_THROUGHPUT, facts->waterfall->bytes,
                                            facts->waterfall->calls, inside),
                      rate, sizeof rate);
    say(out, "the application makes no calls; inside of its calls the rate is %s", rate);
}

void sdsim_waterfall_rule(const struct sdsim_setup *setup,
                          const struct sdsim_outcome_report *outcome,
                          const struct sdsim_waterfall *waterfall,
                          struct sdsim_waterfall_step *step)
{
    static writer *const writers[SDSIM_LOSS_COUNT] = {
        [SDSIM_LOSS_RAW] = raw,         [SDSIM_LOSS_SECTORS] = sectors,
        [SDSIM_LOSS_FRAMING] = framing, [SDSIM_LOSS_COMMANDS] = commands,
        [SDSIM_LOSS_GAPS] = gaps,       [SDSIM_LOSS_DRIVER] = driver,
        [SDSIM_LOSS_COPY] = copy,       [SDSIM_LOSS_API] = api,
        [SDSIM_LOSS_POLL] = poll,       [SDSIM_LOSS_ACCESS] = access_time,
        [SDSIM_LOSS_BUSY] = busy,       [SDSIM_LOSS_PAUSE] = pause,
        [SDSIM_LOSS_FAT] = metadata,    [SDSIM_LOSS_DIRECTORY] = metadata,
        [SDSIM_LOSS_FSINFO] = metadata, [SDSIM_LOSS_BITMAP] = metadata,
        [SDSIM_LOSS_BOOT] = metadata,   [SDSIM_LOSS_INIT] = metadata,
        [SDSIM_LOSS_OUTSIDE] = outside, [SDSIM_LOSS_IDLE] = idle,
    };
    const struct sdsim_counters *counters = &outcome->workload.counters;
    const struct facts facts = {
        .setup = setup,
        .outcome = outcome,
        .workload = &outcome->workload,
        .waterfall = waterfall,
        .step = step,
        .commands = sdsim_read_commands(counters) + sdsim_write_commands(counters),
        .sectors = counters->blocks_read + counters->blocks_written,
        .own = own_sectors(&outcome->workload, waterfall),
    };
    step->rule[0] = '\0';
    writers[step->loss](&facts, step->rule);
}

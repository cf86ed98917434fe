#include "report/waterfall.h"

#include "bus/counts.h"
#include "report/run_report.h"
#include "report/waterfall_parts.h"

static const struct {
    const char *name;
    const char *title; /* NULL: it hangs on the run */
    enum sdsim_layer layer;
} losses[SDSIM_LOSS_COUNT] = {
    [SDSIM_LOSS_RAW] = {"raw", "the bytes themselves", SDSIM_LAYER_BUS},
    [SDSIM_LOSS_SECTORS] = {"sectors", "rest of sectors", SDSIM_LAYER_FAT},
    [SDSIM_LOSS_FRAMING] = {"framing", "framing of blocks", SDSIM_LAYER_BUS},
    [SDSIM_LOSS_COMMANDS] = {"commands", "commands, responses", SDSIM_LAYER_DRIVER},
    [SDSIM_LOSS_GAPS] = {"gaps", "gaps in transfers", SDSIM_LAYER_HOST},
    [SDSIM_LOSS_DRIVER] = {"driver", "driver's CPU time", SDSIM_LAYER_HOST},
    [SDSIM_LOSS_COPY] = {"copy", "driver's copies", SDSIM_LAYER_HOST},
    [SDSIM_LOSS_API] = {"api", "file API", SDSIM_LAYER_FILE},
    [SDSIM_LOSS_POLL] = {"poll", "polling", SDSIM_LAYER_DRIVER},
    [SDSIM_LOSS_ACCESS] = {"access", "card fetches", SDSIM_LAYER_CARD},
    [SDSIM_LOSS_BUSY] = {"busy", "card programs", SDSIM_LAYER_CARD},
    [SDSIM_LOSS_PAUSE] = {"pause", "card tidies up", SDSIM_LAYER_FLASH},
    [SDSIM_LOSS_FAT] = {"fat", "FAT sectors", SDSIM_LAYER_FAT},
    [SDSIM_LOSS_DIRECTORY] = {"directory", "directory sectors", SDSIM_LAYER_FAT},
    [SDSIM_LOSS_FSINFO] = {"fsinfo", "FSINFO sector", SDSIM_LAYER_FAT},
    [SDSIM_LOSS_BITMAP] = {"bitmap", "allocation bitmap", SDSIM_LAYER_FAT},
    [SDSIM_LOSS_BOOT] = {"boot", "boot sector", SDSIM_LAYER_FAT},
    [SDSIM_LOSS_INIT] = {"init", "initialisation", SDSIM_LAYER_DRIVER},
    [SDSIM_LOSS_OUTSIDE] = {"outside", NULL, SDSIM_LAYER_OUTSIDE},
    [SDSIM_LOSS_IDLE] = {"idle", "between calls", SDSIM_LAYER_PRODUCER},
};

static const char *const layers[SDSIM_LAYER_COUNT] = {
    [SDSIM_LAYER_BUS] = "bus",         [SDSIM_LAYER_DRIVER] = "driver",
    [SDSIM_LAYER_HOST] = "host",       [SDSIM_LAYER_FILE] = "file",
    [SDSIM_LAYER_CARD] = "card",       [SDSIM_LAYER_FLASH] = "flash",
    [SDSIM_LAYER_FAT] = "fat",         [SDSIM_LAYER_PRODUCER] = "producer",
    [SDSIM_LAYER_OUTSIDE] = "outside",
};

const char *sdsim_layer_name(enum sdsim_layer layer)
{
    return layers[layer];
}

const char *sdsim_loss_name(enum sdsim_loss loss)
{
    return losses[loss].name;
}

static const char *title_of(enum sdsim_loss loss, const struct sdsim_workload_params *workload)
{
    return losses[loss].title != NULL ? losses[loss].title : sdsim_outside_name(workload);
}

unsigned sdsim_waterfall_frame(int bus, bool reads)
{
    const enum sdsim_bus_mode mode = (enum sdsim_bus_mode)bus;
    const unsigned packet = sdsim_bus_packet_clocks(mode, 0);
    if (reads) {
        return packet;
    }
    return mode == SDSIM_BUS_SPI ? packet + SDSIM_BUS_DATA_RESPONSE
                                 : packet + SDSIM_SD_N_CRC + SDSIM_BUS_CRC_STATUS;
}

static sdsim_ps least(sdsim_ps a, sdsim_ps b)
{
    return a < b ? a : b;
}

static sdsim_ps clocks_time(double clocks, double hz)
{
    return hz > 0 ? (sdsim_ps)(clocks * (double)SDSIM_S / hz) : 0;
}

/* How much of the data's protocol clocks frames blocks. */
static sdsim_ps framing(const struct sdsim_waterfall *waterfall, int bus,
                        const struct sdsim_workload_result *workload)
{
    const struct sdsim_counters *counters = &workload->counters;
    const double reads = (double)counters->blocks_read;
    const double writes = (double)counters->blocks_written;
    const sdsim_ps block = clocks_time(4096.0 / waterfall->lines, waterfall->bus_hz);
    if (reads + writes <= 0 || block == 0) {
        return 0;
    }
    const double frame =
        (reads * sdsim_waterfall_frame(bus, true) + writes * sdsim_waterfall_frame(bus, false)) /
        (reads + writes);
    const double blocks =
        (double)workload->account.ps[SDSIM_FOR_DATA][SDSIM_PAYLOAD] / (double)block;
    return clocks_time(frame * blocks, waterfall->bus_hz);
}

/* Cuts the account into `times`, all of it. */
static void cut(const struct sdsim_waterfall *waterfall, int bus,
                const struct sdsim_workload_result *workload, sdsim_ps times[SDSIM_LOSS_COUNT])
{
    static const enum sdsim_loss of_purpose[SDSIM_PURPOSE_COUNT] = {
        [SDSIM_FOR_FAT] = SDSIM_LOSS_FAT,       [SDSIM_FOR_DIRECTORY] = SDSIM_LOSS_DIRECTORY,
        [SDSIM_FOR_FSINFO] = SDSIM_LOSS_FSINFO, [SDSIM_FOR_BITMAP] = SDSIM_LOSS_BITMAP,
        [SDSIM_FOR_BOOT] = SDSIM_LOSS_BOOT,     [SDSIM_FOR_INIT] = SDSIM_LOSS_INIT,
    };
    const sdsim_ps *data = workload->account.ps[SDSIM_FOR_DATA];
    const double bits = 8.0 * (double)waterfall->bytes / waterfall->lines;
    times[SDSIM_LOSS_RAW] = least(clocks_time(bits, waterfall->bus_hz), data[SDSIM_PAYLOAD]);
    times[SDSIM_LOSS_SECTORS] = data[SDSIM_PAYLOAD] - times[SDSIM_LOSS_RAW];
    times[SDSIM_LOSS_FRAMING] = least(framing(waterfall, bus, workload), data[SDSIM_PROTOCOL]);
    times[SDSIM_LOSS_COMMANDS] = data[SDSIM_PROTOCOL] - times[SDSIM_LOSS_FRAMING];
    times[SDSIM_LOSS_GAPS] = data[SDSIM_GAP];
    const sdsim_ps api_host = least(workload->counters.file_host, data[SDSIM_HOST]);
    const sdsim_ps api_copy = least(workload->counters.file_copy, data[SDSIM_COPY]);
    times[SDSIM_LOSS_DRIVER] = data[SDSIM_HOST] - api_host;
    times[SDSIM_LOSS_COPY] = data[SDSIM_COPY] - api_copy;
    times[SDSIM_LOSS_API] = api_host + api_copy;
    times[SDSIM_LOSS_POLL] = data[SDSIM_POLL];
    times[SDSIM_LOSS_ACCESS] = data[SDSIM_ACCESS];
    times[SDSIM_LOSS_BUSY] = data[SDSIM_BUSY];
    times[SDSIM_LOSS_PAUSE] = data[SDSIM_PAUSE];
    times[SDSIM_LOSS_OUTSIDE] = sdsim_account_kind(&workload->account, SDSIM_OUTSIDE);
    times[SDSIM_LOSS_IDLE] = sdsim_account_kind(&workload->account, SDSIM_IDLE);
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        if (p != SDSIM_FOR_DATA) {
            times[of_purpose[p]] =
                sdsim_account_purpose(&workload->account, (enum sdsim_purpose)p) -
                workload->account.ps[p][SDSIM_IDLE] - workload->account.ps[p][SDSIM_OUTSIDE];
        }
    }
}

double sdsim_waterfall_value(enum sdsim_metric metric, uint64_t bytes, uint64_t calls,
                             sdsim_ps time)
{
    const double seconds = (double)time / (double)SDSIM_S;
    if (time == 0) {
        return 0;
    }
    switch (metric) {
    case SDSIM_METRIC_THROUGHPUT:
        return (double)bytes / seconds;
    case SDSIM_METRIC_LINES:
        return (double)calls / seconds;
    default:
        return calls > 0 ? seconds / (double)calls : 0;
    }
}

void sdsim_waterfall(const struct sdsim_setup *setup, const struct sdsim_outcome_report *outcome,
                     struct sdsim_waterfall *waterfall)
{
    const struct sdsim_workload_result *workload = &outcome->workload;
    const bool rate =
        outcome->metric == SDSIM_METRIC_THROUGHPUT || outcome->metric == SDSIM_METRIC_LINES;
    sdsim_ps times[SDSIM_LOSS_COUNT] = {0};
    *waterfall = (struct sdsim_waterfall){
        .metric = rate ? outcome->metric : SDSIM_METRIC_TIME,
        .bus_hz = outcome->bus_hz,
        .lines = setup->run.bus == SDSIM_BUS_SD4 ? 4 : 1,
        .bytes = workload->bytes,
        .calls = workload->calls,
        .total = sdsim_account_total(&workload->account),
    };
    waterfall->raw_rate = waterfall->bus_hz * waterfall->lines / 8.0;
    cut(waterfall, setup->run.bus, workload, times);
    sdsim_ps until = 0;
    for (int loss = 0; loss < SDSIM_LOSS_COUNT; loss++) {
        if (times[loss] == 0) {
            continue;
        }
        until += times[loss];
        struct sdsim_waterfall_step *step = &waterfall->steps[waterfall->count++];
        *step = (struct sdsim_waterfall_step){
            .loss = (enum sdsim_loss)loss,
            .layer = losses[loss].layer,
            .title = title_of((enum sdsim_loss)loss, &setup->run.workload),
            .time = times[loss],
            .share = (double)times[loss] / (double)waterfall->total,
            .until = until,
            .ceiling =
                sdsim_waterfall_value(waterfall->metric, workload->bytes, workload->calls, until),
        };
    }
    for (size_t i = 0; i < waterfall->count; i++) {
        sdsim_waterfall_rule(setup, outcome, waterfall, &waterfall->steps[i]);
    }
}

const struct sdsim_waterfall_step *sdsim_waterfall_step(const struct sdsim_waterfall *waterfall,
                                                        enum sdsim_loss loss)
{
    for (size_t i = 0; i < waterfall->count; i++) {
        if (waterfall->steps[i].loss == loss) {
            return &waterfall->steps[i];
        }
    }
    return NULL;
}

sdsim_ps sdsim_waterfall_layer(const struct sdsim_waterfall *waterfall, enum sdsim_layer layer)
{
    sdsim_ps sum = 0;
    for (size_t i = 0; i < waterfall->count; i++) {
        const struct sdsim_waterfall_step *step = &waterfall->steps[i];
        sum += step->layer == layer && step->loss != SDSIM_LOSS_RAW ? step->time : 0;
    }
    return sum;
}

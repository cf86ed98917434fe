/*
 * The part of the checks (setup/check.c) about what is done and what is measured of it.
 */
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "setup/check.h"
#include "setup/simulate.h"
#include "workload/arrivals_file.h"

/* What every check needs. */
struct place {
    const struct sdsim_workload_params *workload;
    enum sdsim_action action;
    const struct sdsim_node *node; /* the map `workload` */
    struct sdsim_diags *diags;
};

static bool has(const struct place *place, const char *key)
{
    return sdsim_node_get(place->node, key) != NULL;
}

static bool wrong(const struct place *place, const char *key, const char *help, const char *text)
{
    return sdsim_complain(place->diags, place->node, key, help, text);
}

/* The first of the keys, up to a NULL, that the workload has; NULL if it has none. */
static const char *first_of(const struct place *place, const char *const *keys)
{
    while (*keys != NULL && !has(place, *keys)) {
        keys++;
    }
    return *keys;
}

/* ---- files and directories ---- */

static bool check_files(const struct place *place)
{
    const struct sdsim_workload_params *workload = place->workload;
    bool fine = true;
    if (place->action != SDSIM_DO_WRITE && place->action != SDSIM_DO_STREAM &&
        (workload->rotate_every > 0 || workload->preallocate)) {
        fine =
            wrong(place, workload->preallocate ? "preallocate" : "rotate_every",
                  "do: write or stream", "only files that are written are rotated or preallocated");
    }
    if ((place->action == SDSIM_DO_OPEN || place->action == SDSIM_DO_OPEN_EACH) &&
        workload->files == 0) {
        fine = wrong(place, "files", "say how many there are: files: 100",
                     place->action == SDSIM_DO_OPEN ? "the last of no files can't be opened"
                                                    : "there are no files to be opened");
    }
    if (place->action == SDSIM_DO_SEEK && workload->position >= workload->total) {
        fine = wrong(place, "position", "total: the size of the file",
                     "the position lies behind the end of the file");
    }
    return fine;
}

/* ---- what is timed ---- */

static bool check_timed(const struct place *place)
{
    const struct sdsim_workload_params *workload = place->workload;
    const bool moves = sdsim_workload_moves_data(place->action);
    const bool streams = place->action == SDSIM_DO_STREAM;
    bool fine = true;
    if (workload->timed == SDSIM_TIMED_PASSES && (!moves || streams)) {
        fine = wrong(place, "timed", "timed: all, or do: write, read, random-write or random-read",
                     "only writes and reads are timed in passes");
    }
    if (workload->timed == SDSIM_TIMED_PASSES && workload->rotate_every > 0) {
        fine = wrong(place, "rotate_every", "timed: all, or leave it out",
                     "each pass writes a file of its own already");
    }
    if (workload->final_sync && !moves && place->action != SDSIM_DO_LOG) {
        fine = wrong(place, "final_sync", "do: write, read, random-write, random-read or log",
                     "no file is open that could be synced");
    }
    return fine;
}

/* ---- streams ---- */

/* Exactly one of the ways in which data can arrive. */
static bool check_arrivals(const struct place *place)
{
    const struct sdsim_logger_params *logger = &place->workload->logger;
    const int ways = (logger->rate > 0) + (logger->burst > 0) + (logger->arrivals != NULL);
    if (ways != 1) {
        return wrong(
            place,
            ways == 0           ? "do"
            : logger->burst > 0 ? "burst"
                                : "arrivals",
            "one of rate: 100kB/s, or burst: 512B with burst_every: 5ms, or arrivals: FILE",
            ways == 0 ? "how do the data of the stream arrive?"
                      : "data arrive in one of these ways only");
    }
    if ((logger->burst > 0) != (logger->burst_every > 0)) {
        return wrong(place, logger->burst > 0 ? "burst" : "burst_every",
                     "burst: 512B, burst_every: 5ms", "a burst needs a size and a distance");
    }
    if (logger->arrivals != NULL) {
        size_t count;
        struct sdsim_arrival *list = sdsim_arrivals_read(logger->arrivals, &count, place->diags);
        free(list);
        return list != NULL;
    }
    return true;
}

static bool check_queue(const struct place *place)
{
    const struct sdsim_workload_params *workload = place->workload;
    const struct sdsim_logger_params *logger = &workload->logger;
    const uint64_t ram = logger->ram;
    switch ((enum sdsim_queue_kind)logger->queue) {
    case SDSIM_QUEUE_PING_PONG:
        return ram == 0 || (ram % (2 * workload->call) == 0) ||
               wrong(place, "ram", "a multiple of two calls",
                     "each of the two buffers is written in whole calls");
    case SDSIM_QUEUE_ITEMS:
        if (logger->item == 0) {
            return wrong(place, "queue", "item: 64B", "how large is an item?");
        }
        if (workload->call % logger->item != 0) {
            return wrong(place, has(place, "item") ? "item" : "call", "a call of whole items",
                         "the writer collects whole items until it has a call");
        }
        return ram == 0 || ram >= logger->item ||
               wrong(place, "ram", "room for one item at least", "no item fits into the queue");
    case SDSIM_QUEUE_RING:
    default:
        return ram == 0 || ram >= workload->call ||
               wrong(place, "ram", "room for one call at least, better for several",
                     "a call never gets together in a ring this small");
    }
}

static bool check_stream(const struct place *place)
{
    return place->action != SDSIM_DO_STREAM || (check_arrivals(place) && check_queue(place));
}

/* ---- where calls go ---- */

static bool check_random(const struct place *place)
{
    static const char *const random_only[] = {"align", "offset", NULL};
    const struct sdsim_workload_params *workload = place->workload;
    const bool regions = sdsim_workload_in_regions(workload);
    const char *key = first_of(place, random_only);
    if (key != NULL && (regions || !sdsim_workload_is_random(place->action))) {
        return wrong(place, key, regions ? "leave it out, or streams: 1" : "do: random-read",
                     "only places that are drawn are aligned and offset");
    }
    if (regions || !sdsim_workload_is_random(place->action)) {
        return true;
    }
    if (workload->span < workload->call) {
        return wrong(place, has(place, "span") ? "span" : "total",
                     "a larger span, or smaller calls", "the span is smaller than one call");
    }
    if (workload->offset > workload->span - workload->call) {
        return wrong(place, "offset", "an offset of at most the span less one call",
                     "with this offset no call lies within the span");
    }
    return true;
}

static bool check_regions(const struct place *place)
{
    static const char *const of_regions[] = {"region", "stream_distance", NULL};
    const struct sdsim_workload_params *workload = place->workload;
    const char *key = first_of(place, of_regions);
    if (!sdsim_workload_in_regions(workload)) {
        return key == NULL ||
               wrong(place, key, "streams: 2 or more, or order: random", "there are no regions");
    }
    const uint64_t distance =
        workload->stream_distance > 0 ? workload->stream_distance : workload->region;
    if (workload->region < workload->call) {
        return wrong(place, has(place, "region") ? "region" : "call",
                     "a larger region, or smaller calls", "a region is smaller than one call");
    }
    if (distance < workload->region) {
        return wrong(place, "stream_distance", "at least the region",
                     "regions may not lie over each other");
    }
    if (workload->region > workload->span ||
        (workload->streams - 1) > (workload->span - workload->region) / distance) {
        return wrong(place, has(place, "span") ? "span" : "streams",
                     "fewer streams, nearer to each other, or a larger span or card",
                     "the streams don't fit into the span");
    }
    return true;
}

static bool check_whole_sectors(const struct place *place)
{
    const struct sdsim_workload_params *workload = place->workload;
    const struct {
        const char *key;
        uint64_t value;
    } rows[] = {
        {"call", workload->call},     {"start", workload->start},
        {"align", workload->align},   {"offset", workload->offset},
        {"region", workload->region}, {"stream_distance", workload->stream_distance},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].value % SDSIM_SECTOR != 0) {
            return wrong(place, rows[i].key, "use multiples of 512B",
                         "raw calls move whole sectors");
        }
    }
    return true;
}

static bool check_usb(const struct place *place, const struct sdsim_run *run,
                      const struct sdsim_setup *setup)
{
    const struct sdsim_usb_params *usb = &place->workload->usb;
    const struct sdsim_node *node = sdsim_node_get(place->node, "usb");
    if (place->workload->target != SDSIM_ON_USB) {
        return !has(place, "usb") ||
               wrong(place, "usb", "on: usb, or leave it out", "no PC is at work");
    }
    bool fine = true;
    if (!setup->host.usb.given) {
        sdsim_node_diag(
            place->diags, SDSIM_ERROR, place->node,
            "add usb: {turn: 80us, gap: 100us} to its profile, or take a host that has it",
            "the host %s has no costs of USB mass storage", run->host_name);
        fine = false;
    }
    if (usb->buffer % SDSIM_SECTOR != 0) {
        fine = sdsim_complain(place->diags, node, "buffer", "use multiples of 512B",
                              "the buffer holds whole sectors");
    }
    if (usb->driver_call % SDSIM_SECTOR != 0 || usb->driver_call > usb->buffer) {
        fine = sdsim_complain(place->diags, node, "driver_call",
                              "a multiple of 512B, at most the buffer",
                              "the driver gets whole sectors out of the buffer");
    }
    if (place->action == SDSIM_DO_MOUNT) {
        return fine;
    }
    if (place->action == SDSIM_DO_RANDOM_MIXED || place->action == SDSIM_DO_PLAY ||
        place->action == SDSIM_DO_STREAM) {
        fine = wrong(place, "do", "on: file, or on: raw", "a PC can only write, read and mount");
    }
    if (node != NULL && sdsim_node_get(node, "pc") != NULL) {
        fine = sdsim_complain(place->diags, node, "pc", "do: mount, or leave it out",
                              "whose PC it is matters for mounting only");
    }
    return fine;
}

static bool check_several(const struct place *place)
{
    static const char *const of_one[] = {"rotate_every", "preallocate", NULL};
    const struct sdsim_workload_params *workload = place->workload;
    const char *key = first_of(place, of_one);
    if (workload->parallel <= 1) {
        return true;
    }
    if (workload->target != SDSIM_ON_FILE ||
        (place->action != SDSIM_DO_WRITE && place->action != SDSIM_DO_READ &&
         place->action != SDSIM_DO_PLAY)) {
        return wrong(place, "parallel", "on: file with do: write, read or play",
                     "only files that are written, read or played can be several");
    }
    if (workload->timed == SDSIM_TIMED_PASSES) {
        return wrong(place, "timed", "timed: all", "several files are written or read once");
    }
    return key == NULL || wrong(place, key, "leave it out, or parallel: 1",
                                "several files are neither rotated nor preallocated");
}

static bool check_other_device(const struct place *place, const struct sdsim_setup *setup)
{
    const struct sdsim_sharer_params *other = &place->workload->other_device;
    const struct sdsim_node *node = sdsim_node_get(place->node, "other_device");
    if (other->bytes == 0) {
        return true;
    }
    if (setup->run.bus != SDSIM_BUS_SPI) {
        return wrong(place, "other_device", "bus: spi, or leave it out",
                     "an SD bus is the card's alone");
    }
    if (setup->driver.params.code == SDSIM_DRIVER_SDFAT_DEDICATED) {
        return wrong(place, "other_device", "driver: sdfat-spi-shared",
                     "this driver keeps the card selected, so nobody else may use the bus");
    }
    if (sdsim_sharer_hold(other) >= other->every) {
        return sdsim_complain(place->diags, node, "every", "a longer time, or fewer bytes",
                              "the device would need the bus all the time");
    }
    return true;
}

static bool check_raw(const struct place *place, const struct sdsim_card_params *card)
{
    const struct sdsim_workload_params *workload = place->workload;
    const uint64_t bytes = (uint64_t)sdsim_csd_sectors(card) * SDSIM_SECTOR;
    bool fine = true;
    if (!sdsim_workload_moves_data(place->action)) {
        fine = wrong(place, "do", "on: file",
                     workload->target == SDSIM_ON_USB ? "a PC can only write, read and mount"
                                                      : "raw sectors can only be read and written");
    }
    fine = check_whole_sectors(place) && fine;
    if (workload->start >= bytes || workload->span > bytes - workload->start) {
        fine = wrong(place, has(place, "span") && workload->start < bytes ? "span" : "start",
                     "a place on the card, or a larger card",
                     "the workload runs beyond the end of the card");
    }
    if (workload->span > 0 && workload->span < workload->call) {
        fine = wrong(place, has(place, "span") ? "span" : "call", "a larger span, or smaller calls",
                     "the span is smaller than one call");
    } else if (fine) {
        fine = check_random(place) && check_regions(place);
    }
    return fine;
}

static bool check_file_places(const struct place *place)
{
    static const char *const raw_only[] = {"streams", "stream_distance", "region", "order", NULL};
    const char *key = first_of(place, raw_only);
    if (key != NULL) {
        return wrong(place, key, "on: raw, or leave it out",
                     "only raw sectors are written or read in regions");
    }
    if (has(place, "span") && !sdsim_workload_is_random(place->action)) {
        return wrong(place, "span", "total: the size of the file",
                     "a file in sequence has no span");
    }
    return check_random(place);
}

bool sdsim_check_workload(const struct sdsim_run *run, const struct sdsim_setup *setup,
                          struct sdsim_diags *diags)
{
    const struct place place = {
        .workload = &setup->run.workload,
        .action = (enum sdsim_action)setup->run.workload.action,
        .node = sdsim_node_get(run->tree, "workload"),
        .diags = diags,
    };
    if (place.node == NULL) {
        sdsim_node_diag(diags, SDSIM_ERROR, run->tree,
                        "say what is done: workload: {do: write, call: 4KiB, total: 1MiB}",
                        "the run has no workload");
        return false;
    }
    bool fine = check_files(&place);
    fine = check_timed(&place) && fine;
    fine = check_stream(&place) && fine;
    if (place.workload->calls.count > 0) {
        fine = wrong(&place, "calls", "set workload.call, or write the list into the file",
                     "a list of call sizes makes runs when the file is loaded, not later");
    }
    fine = check_usb(&place, run, setup) && fine;
    fine = check_several(&place) && fine;
    fine = check_other_device(&place, setup) && fine;
    const bool mounts = place.action == SDSIM_DO_MOUNT;
    if (place.workload->target == SDSIM_ON_RAW ||
        (place.workload->target == SDSIM_ON_USB && !mounts)) {
        return check_raw(&place, &setup->card) && fine;
    }
    if (setup->run.filesystem.type == SDSIM_VOLUME_NONE) {
        fine =
            wrong(&place, "on", "choose a file system, or on: raw", "a file needs a file system");
    }
    return check_file_places(&place) && fine;
}

/* ---- what is measured ---- */

/* Whether bytes over time means anything. */
static bool moves_bytes(enum sdsim_action action)
{
    return sdsim_workload_moves_data(action) || action == SDSIM_DO_LOG ||
           action == SDSIM_DO_APPEND || action == SDSIM_DO_SEEK;
}

static enum sdsim_unit unit_of(enum sdsim_metric metric)
{
    switch (metric) {
    case SDSIM_METRIC_THROUGHPUT:
        return SDSIM_UNIT_RATE;
    case SDSIM_METRIC_LINES:
        return SDSIM_UNIT_PER_SECOND;
    default:
        return SDSIM_UNIT_TIME;
    }
}

bool sdsim_check_measured(const struct sdsim_run *run, const struct sdsim_setup *setup,
                          struct sdsim_diags *diags)
{
    const struct sdsim_quantity *measured = &setup->run.measured;
    const enum sdsim_metric metric = sdsim_metric_of(&setup->run);
    const enum sdsim_unit unit = unit_of(metric);
    if (metric == SDSIM_METRIC_THROUGHPUT &&
        !moves_bytes((enum sdsim_action)setup->run.workload.action)) {
        return sdsim_complain(diags, run->tree, "measure", "measure: mean-latency",
                              "this workload moves no bytes");
    }
    if (!measured->given) {
        return true;
    }
    if (measured->unit != (int)unit) {
        sdsim_node_diag(diags, SDSIM_ERROR, sdsim_node_get(run->tree, "measured"), NULL,
                        setup->run.measure == SDSIM_MEASURE_USUAL
                            ? "this workload is measured as %s"
                            : "what `measure` asks for is measured as %s",
                        sdsim_unit_expected(unit));
        return false;
    }
    if (measured->low > 0) {
        return true;
    }
    return sdsim_complain(diags, run->tree, "measured", "leave it out if nothing was measured",
                          "nothing can be compared with zero");
}

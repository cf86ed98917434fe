#include "report/usb_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/units.h"
#include "report/format.h"
#include "report/table.h"

/* Buffers of the writer task that is tried where there is none: as many as SDCardLazyWrite has. */
#define TRIED_QUEUE 10

static const struct sdsim_workload_params *workload_of(const struct sdsim_run_report *report)
{
    return &report->setup->run.workload;
}

static bool on_usb(const struct sdsim_run_report *report)
{
    return workload_of(report)->target == SDSIM_ON_USB;
}

static const struct sdsim_usb_result *usb_of(const struct sdsim_run_report *report)
{
    return &report->prediction.typical.workload.usb;
}

static const char *size_text(uint64_t bytes, char *out, size_t size)
{
    return sdsim_unit_print(SDSIM_UNIT_SIZE, (double)bytes, out, size);
}

/* ---- the head ---- */

void sdsim_usb_describe(const struct sdsim_workload_params *workload, char *text, size_t size)
{
    char total[32];
    char call[32];
    if (workload->action == SDSIM_DO_MOUNT) {
        const int used = snprintf(text, size, "a PC with %s mounts the volume over USB",
                                  sdsim_pc_name((enum sdsim_pc)workload->usb.pc));
        if (workload->times > 1) {
            snprintf(text + used, size - (size_t)used, ", %" PRIu64 " times", workload->times);
        }
        return;
    }
    snprintf(text, size, "a PC %ss %s over USB%s in requests of %s",
             sdsim_workload_reads((enum sdsim_action)workload->action) ? "read" : "write",
             size_text(workload->total, total, sizeof total),
             sdsim_workload_is_random((enum sdsim_action)workload->action) ? " at random" : "",
             size_text(workload->call, call, sizeof call));
}

static void print_line(FILE *out, const char *label, const char *text)
{
    char first[32];
    snprintf(first, sizeof first, "  %-11s", label);
    sdsim_print_wrapped(out, first, text);
}

static void print_mount(const struct sdsim_run_report *report, FILE *out)
{
    const struct sdsim_workload_result *result = &report->prediction.typical.workload;
    const struct sdsim_geometry *volume = &result->volume;
    char text[300];
    char bytes[32];
    char cluster[32];
    char request[32];
    size_text((uint64_t)volume->cluster_sectors * SDSIM_SECTOR, cluster, sizeof cluster);
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)volume->sectors * SDSIM_SECTOR, bytes, sizeof bytes);
    snprintf(text, sizeof text,
             "%s of %s from sector %" PRIu32 ", %" PRIu32 " clusters of %s, %u FAT%s of %" PRIu32
             " sectors",
             sdsim_fat_type_name(volume->type), bytes, volume->start, volume->clusters, cluster,
             volume->fats, volume->fats == 1 ? "" : "s", volume->fat_sectors);
    print_line(out, "volume", text);
    size_text(result->mounted.request, request, sizeof request);
    if (result->mounted.fat_sectors > 0) {
        snprintf(text, sizeof text,
                 "reads one FAT, all %" PRIu32 " sectors of it, and %" PRIu32
                 " sectors of root directory, in requests of up to %s",
                 result->mounted.fat_sectors, result->mounted.root_sectors, request);
    } else {
        snprintf(text, sizeof text,
                 "reads no FAT, but %" PRIu32 " sectors of bitmap and up-case table and %" PRIu32
                 " of root directory, in requests of up to %s",
                 result->mounted.bitmap_sectors, result->mounted.root_sectors, request);
    }
    print_line(out, "mounting", text);
}

void sdsim_usb_print(const struct sdsim_run_report *report, FILE *out)
{
    const struct sdsim_usb_params *usb = &workload_of(report)->usb;
    char text[400];
    char buffer[32];
    char call[32];
    if (!on_usb(report)) {
        return;
    }
    size_text(usb->buffer, buffer, sizeof buffer);
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         "full speed, at most %" PRIu64 " packets of 64 bytes a millisecond to the "
                         "PC and %" PRIu64 " from it; block buffer %s",
                         usb->costs.limits.in, usb->costs.limits.out, buffer);
    if (usb->driver_call > 0 && usb->driver_call < usb->buffer) {
        used += (size_t)snprintf(text + used, sizeof text - used, ", to the card %s at a time",
                                 size_text(usb->driver_call, call, sizeof call));
    }
    if (usb->lazy > 0) {
        snprintf(text + used, sizeof text - used,
                 "; a writer task answers for the card, behind a queue of %" PRIu64 " buffer%s",
                 usb->lazy, usb->lazy == 1 ? "" : "s");
    }
    print_line(out, "usb", text);
    if (workload_of(report)->action == SDSIM_DO_MOUNT) {
        print_mount(report, out);
    }
}

/* ---- the same run, the other way ---- */

void sdsim_usb_complete(struct sdsim_run_report *report)
{
    const struct sdsim_workload_params *workload = workload_of(report);
    const bool writes = sdsim_workload_moves_data((enum sdsim_action)workload->action) &&
                        !sdsim_workload_reads((enum sdsim_action)workload->action);
    report->has_other_usb = on_usb(report) && writes;
    if (report->has_other_usb) {
        struct sdsim_setup other = *report->setup;
        other.run.workload.usb.lazy = workload->usb.lazy > 0 ? 0 : TRIED_QUEUE;
        sdsim_simulate(&other, NULL, &report->other_usb);
    }
}

static bool has_other(const struct sdsim_run_report *report)
{
    return report->has_other_usb && report->other_usb.error[0] == '\0';
}

/* ---- JSON ---- */

static void json_mount(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    const struct sdsim_workload_result *result = &report->prediction.typical.workload;
    if (workload_of(report)->action != SDSIM_DO_MOUNT) {
        sdsim_json_text(json, "mount", NULL);
        return;
    }
    sdsim_json_object(json, "mount");
    sdsim_json_text(json, "pc", sdsim_pc_name((enum sdsim_pc)workload_of(report)->usb.pc));
    sdsim_json_text(json, "volume", sdsim_fat_type_name(result->volume.type));
    sdsim_json_count(json, "cluster", (uint64_t)result->volume.cluster_sectors * SDSIM_SECTOR);
    sdsim_json_count(json, "clusters", result->volume.clusters);
    sdsim_json_count(json, "fats", result->volume.fats);
    sdsim_json_count(json, "fat_sectors", result->volume.fat_sectors);
    sdsim_json_count(json, "fat_sectors_read", result->mounted.fat_sectors);
    sdsim_json_count(json, "bitmap_sectors_read", result->mounted.bitmap_sectors);
    sdsim_json_count(json, "root_sectors_read", result->mounted.root_sectors);
    sdsim_json_count(json, "request", result->mounted.request);
    sdsim_json_end(json);
}

void sdsim_usb_json(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    const struct sdsim_usb_result *usb = usb_of(report);
    if (!on_usb(report)) {
        return;
    }
    sdsim_json_object(json, "usb");
    sdsim_json_count(json, "requests", usb->requests);
    sdsim_json_count(json, "pieces", usb->pieces);
    sdsim_json_count(json, "packets", usb->traffic.packets);
    sdsim_json_count(json, "refused", usb->traffic.refused);
    sdsim_json_seconds(json, "link", usb->link);
    sdsim_json_seconds(json, "turns", usb->turns);
    sdsim_json_seconds(json, "gaps", usb->gaps);
    sdsim_json_seconds(json, "card", usb->card);
    sdsim_json_seconds(json, "queue_full", usb->queue_full);
    sdsim_json_count(json, "pending_bytes", usb->pending_most);
    sdsim_json_seconds(json, "pending_seconds", usb->pending_longest);
    if (has_other(report)) {
        sdsim_json_object(json, "other");
        sdsim_json_count(json, "lazy", workload_of(report)->usb.lazy > 0 ? 0 : TRIED_QUEUE);
        sdsim_json_number(json, "predicted", report->other_usb.value);
        sdsim_json_end(json);
    } else {
        sdsim_json_text(json, "other", NULL);
    }
    json_mount(report, json);
    sdsim_json_end(json);
}

/* ---- readings ---- */

/* What a buffer takes on either side. */
struct legs {
    sdsim_ps usb;
    sdsim_ps card;
    char usb_text[32];
    char card_text[32];
    char buffer[32];
};

static struct legs legs_of(const struct sdsim_run_report *report)
{
    const struct sdsim_usb_result *usb = usb_of(report);
    const uint64_t pieces = usb->pieces > 0 ? usb->pieces : 1;
    struct legs legs = {.usb = (usb->link + usb->turns + usb->gaps) / pieces,
                        .card = usb->card / pieces};
    sdsim_print_time(legs.usb, legs.usb_text, sizeof legs.usb_text);
    sdsim_print_time(legs.card, legs.card_text, sizeof legs.card_text);
    size_text(workload_of(report)->usb.buffer, legs.buffer, sizeof legs.buffer);
    return legs;
}

static void say_bound(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    const struct sdsim_workload_params *workload = workload_of(report);
    const bool reads = sdsim_workload_reads((enum sdsim_action)workload->action);
    const struct sdsim_usb_limits *limits = &workload->usb.costs.limits;
    char bound[32];
    sdsim_unit_print(SDSIM_UNIT_RATE, (double)(reads ? limits->in : limits->out) * 64000.0, bound,
                     sizeof bound);
    sdsim_reading_add(
        readings,
        "full-speed USB alone allows no more than %s in this direction, whatever the card", bound);
}

static void say_one_after_the_other(const struct sdsim_run_report *report,
                                    struct sdsim_readings *readings)
{
    const struct legs legs = legs_of(report);
    char value[48];
    if (!has_other(report)) {
        sdsim_reading_add(
            readings,
            "a buffer of %s takes %s of USB and %s of the card, one after the other: their times "
            "add up",
            legs.buffer, legs.usb_text, legs.card_text);
        return;
    }
    sdsim_print_value(SDSIM_METRIC_THROUGHPUT, report->other_usb.value, value, sizeof value);
    sdsim_reading_add(
        readings,
        "a buffer of %s takes %s of USB and %s of the card, one after the other; with a writer "
        "task "
        "behind a queue of %d buffers (usb.lazy) both would work at once: %s, and what is queued "
        "is "
        "lost with the power",
        legs.buffer, legs.usb_text, legs.card_text, TRIED_QUEUE, value);
}

static void say_overlap(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    const struct legs legs = legs_of(report);
    const struct sdsim_usb_result *usb = usb_of(report);
    const bool usb_slower = legs.usb >= legs.card;
    char value[48] = "";
    char pending[32];
    char longest[32];
    if (has_other(report)) {
        sdsim_print_value(SDSIM_METRIC_THROUGHPUT, report->other_usb.value, value, sizeof value);
    }
    sdsim_reading_add(
        readings,
        "the writer task lets USB and card work at once: a buffer of %s takes %s of USB and %s of "
        "the card, so %s alone sets the rate%s%s%s",
        legs.buffer, legs.usb_text, legs.card_text, usb_slower ? "USB" : "the card",
        value[0] != '\0' ? "; one after the other it would be " : "", value,
        value[0] != '\0' ? ". The card itself has become no faster" : "");
    size_text(usb->pending_most, pending, sizeof pending);
    sdsim_print_time(usb->pending_longest, longest, sizeof longest);
    sdsim_reading_add(
        readings,
        "at risk: the PC was told of up to %s that they are written while they were in RAM, for up "
        "to %s; a power cut then loses them, and with them perhaps the file system's own sectors",
        pending, longest);
    if (usb->queue_full > 0) {
        char full[32];
        sdsim_print_time(usb->queue_full, full, sizeof full);
        sdsim_reading_add(readings, "the queue was full for %s in all: the PC waited for the card",
                          full);
    }
}

static void say_refused(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    const struct sdsim_usb_traffic *traffic = &usb_of(report)->traffic;
    if (traffic->refused * 10 < traffic->packets) {
        return;
    }
    sdsim_reading_add(
        readings,
        "the device refused %" PRIu64 " packets (NAK) because it was not done with the last "
        "buffer, and took %" PRIu64 ": at full speed the PC sends a packet whole to learn that",
        traffic->refused, traffic->packets);
}

static void say_mount(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    const struct sdsim_workload_result *result = &report->prediction.typical.workload;
    const struct sdsim_pc_mount *mounted = &result->mounted;
    const uint64_t sectors = result->counters.blocks_read;
    char each[32];
    char share[24];
    if (sectors == 0 || result->elapsed == 0) {
        return;
    }
    sdsim_print_time(result->elapsed / sectors, each, sizeof each);
    if (mounted->fat_sectors == 0) {
        sdsim_reading_add(readings,
                          "exFAT keeps one bit a cluster: the PC knows the free space from %" PRIu32
                          " sectors of bitmap; a FAT of this volume would have %" PRIu32,
                          mounted->bitmap_sectors, result->volume.fat_sectors);
        return;
    }
    const sdsim_ps fat = sdsim_account_purpose(&result->account, SDSIM_FOR_FAT);
    sdsim_print_share((double)fat / (double)result->elapsed, share, sizeof share);
    sdsim_reading_add(
        readings,
        "%s counts free clusters by reading the whole FAT, %" PRIu32
        " sectors at %s each: %s of the delay. Larger clusters or exFAT shorten it, a faster card "
        "hardly does",
        sdsim_pc_name((enum sdsim_pc)workload_of(report)->usb.pc), mounted->fat_sectors, each,
        share);
}

void sdsim_usb_readings(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    const struct sdsim_workload_params *workload = workload_of(report);
    if (!on_usb(report)) {
        return;
    }
    if (workload->action == SDSIM_DO_MOUNT) {
        say_mount(report, readings);
        return;
    }
    say_bound(report, readings);
    if (workload->usb.lazy > 0 && !sdsim_workload_reads((enum sdsim_action)workload->action)) {
        say_overlap(report, readings);
    } else {
        say_one_after_the_other(report, readings);
    }
    say_refused(report, readings);
}

/*
 * What a run with a PC in front of the card tells beyond others: the device and its traffic, what the
 * PC read to mount, what overlapped with what, and what a power cut would have cost.
 *
 *     usb     {requests, pieces, packets, refused, link, turns, gaps, card, queue_full seconds,
 *             pending_bytes, pending_seconds,
 *             other: {lazy, predicted} or null: the same run with (without) a writer task,
 *             mount: {pc, volume, cluster, clusters, fats, fat_sectors, fat_sectors_read,
 *             bitmap_sectors_read, root_sectors_read, request} or null}
 */
#ifndef SDSIM_REPORT_USB_REPORT_H
#define SDSIM_REPORT_USB_REPORT_H

#include "report/readings.h"

/* "a PC writes 100MiB over USB in requests of 128KiB, buffer 4KiB". */
void sdsim_usb_describe(const struct sdsim_workload_params *workload, char *text, size_t size);

/* Simulates once more with a writer task of ten buffers, or without one. For writes over USB. */
void sdsim_usb_complete(struct sdsim_run_report *report);

/* The lines of the device, behind those of hardware and clock. */
void sdsim_usb_print(const struct sdsim_run_report *report, FILE *out);

/* The member "usb"; nothing for runs without a PC. */
void sdsim_usb_json(const struct sdsim_run_report *report, struct sdsim_json *json);

/* Sentences behind those that are there. */
void sdsim_usb_readings(const struct sdsim_run_report *report, struct sdsim_readings *readings);

#endif

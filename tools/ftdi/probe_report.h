/*
 * What was found out about a card, as text of 80 columns.
 */
#ifndef SDSIM_FTDI_PROBE_REPORT_H
#define SDSIM_FTDI_PROBE_REPORT_H

#include "probe_card.h"

void sdsim_report_registers(const struct sdsim_card_registers *registers, FILE *out);
void sdsim_report_sweep(const struct sdsim_card_findings *findings, FILE *out);

/* What holds for all times that follow: how the clock may have stood still. */
void sdsim_report_bounds(const struct sdsim_card_findings *findings, enum sdsim_probe_time time,
                         FILE *out);
void sdsim_report_reads(const struct sdsim_card_findings *findings, enum sdsim_probe_time time,
                        FILE *out);
void sdsim_report_writes(const struct sdsim_card_findings *findings, enum sdsim_probe_time time,
                         FILE *out);

/* How USB fared: what was repeated, how often the host had to wait. */
void sdsim_report_usb(const struct sdsim_card_io *io, FILE *out);

#endif

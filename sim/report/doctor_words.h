/*
 * A step of the protocol doctor in words: each command with its argument, each bit of a response by
 * its name, blocks, busy.
 */
#ifndef SDSIM_REPORT_DOCTOR_WORDS_H
#define SDSIM_REPORT_DOCTOR_WORDS_H

#include <stddef.h>

#include "capture/doctor.h"

/* "CMD17", "ACMD41". Returns out. */
char *sdsim_doctor_command_name(const struct sdsim_doctor_step *step, char *out, size_t size);

/* "read block, address 8192". Returns out. */
char *sdsim_doctor_command_words(const struct sdsim_doctor_step *step, char *out, size_t size);

/* "R1 01: in idle state". Empty if nothing was answered. Returns out. */
char *sdsim_doctor_response_words(const struct sdsim_doctor_step *step, char *out, size_t size);

/* All else: "1 block of 512 bytes, CRC right; busy 203.94 ms". Returns out. */
char *sdsim_doctor_data_words(const struct sdsim_doctor_step *step,
                              const struct sdsim_doctor_source *source, char *out, size_t size);

#endif

/*
 * The protocol doctor over a record of the tests' own: bytes in, the names of the rules that found
 * something out.
 */
#ifndef SDSIM_TEST_DOCTOR_BENCH_H
#define SDSIM_TEST_DOCTOR_BENCH_H

#include "capture/doctor.h"
#include "capture/spi_decoder.h"

struct sdsim_test_doctor {
    struct sdsim_doctor doctor;
    struct sdsim_spi_decoder decoder;
    char names[1024];
};

/* Writes the names of the rules of at least `least` that found something, in the order of the table,
 * with a blank between two. */
void sdsim_test_doctor_names(const struct sdsim_doctor *doctor, enum sdsim_severity least,
                             char *names, size_t size);

/* Begins a record; `unit` and the rest as in struct sdsim_doctor_source. */
void sdsim_test_doctor_begin(struct sdsim_test_doctor *bench,
                             const struct sdsim_doctor_source *source);

/* Ends it. Returns the names of the rules of at least `least` that found something, in the order of
 * the table, with a blank between two; it lives in the bench. */
const char *sdsim_test_doctor_end(struct sdsim_test_doctor *bench, enum sdsim_severity least);

#endif

/*
 * Fuzz targets: each fuzz_NAME.c gives one reader whatever bytes come, and the sanitizers watch.
 *
 * A target is a function with libFuzzer's name. It is built twice: with libFuzzer (option SDSIM_FUZZ,
 * preset "fuzz", tests/fuzz/run.sh) for finding things, and with replay.c for CTest, which runs what
 * is in corpus/NAME and some thousand changes of it, the same ones each time. What comes as input
 * must not make a target print, leave files behind, or remember anything for the next run.
 *
 * Corpus: few, small, readable, made for it. A finding becomes a file there once it is mended.
 */
#ifndef SDSIM_TEST_FUZZ_H
#define SDSIM_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* One run; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many changed inputs CTest tries: as many as take about two seconds. */
extern const unsigned sdsim_fuzz_runs;

/* Ends the program with a message if something that must hold does not. */
#define SDSIM_FUZZ_HOLDS(condition)                                                                \
    ((condition) ? (void)0 : sdsim_fuzz_fail(__FILE__, __LINE__, #condition))
_Noreturn void sdsim_fuzz_fail(const char *file, int line, const char *condition);

/* Bytes taken off the front of an input; 0 at its end. */
struct sdsim_fuzz_bytes {
    const uint8_t *at;
    size_t left;
};

uint8_t sdsim_fuzz_byte(struct sdsim_fuzz_bytes *bytes);
uint32_t sdsim_fuzz_half(struct sdsim_fuzz_bytes *bytes); /* two bytes, the low one first */
uint32_t sdsim_fuzz_word(struct sdsim_fuzz_bytes *bytes); /* four */

/* The name of a file that holds these bytes until the next call, with the given ending. */
const char *sdsim_fuzz_file(const void *bytes, size_t size, const char *ending);

#endif

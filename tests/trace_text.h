/*
 * Traces as texts, for tests: reads any trace from memory and writes what came out of it as .blocks or
 * .ops text, with its messages behind.
 */
#ifndef SDSIM_TESTS_TRACE_TEXT_H
#define SDSIM_TESTS_TRACE_TEXT_H

#include <stddef.h>

#include "trace/formats.h"

/* What reading `size` bytes gives: the trace as text, then "! line:column: message" for each message.
 * `format` NULL: by content; `options` may be NULL. The caller frees it. */
char *sdsim_trace_as_text(const void *bytes, size_t size, const char *format,
                          const struct sdsim_trace_options *options);

#endif

/*
 * sdtrace.h on this PC, with a clock that the test sets and output that is kept in memory. For one
 * source file. TRACE_HOST_PLAIN: without the slow clock.
 */
#ifndef TRACE_HOST_H
#define TRACE_HOST_H

#include <stdint.h>
#include <stdio.h>

/* Microseconds since the board was switched on; the recorder sees the lower 32 bits. */
static uint64_t trace_host_micros;

/* Where the recorder prints to. */
static FILE *trace_host_out;

#define SDTRACE_MICROS()   trace_host_micros
#define SDTRACE_PUTCHAR(c) fputc((unsigned char)(c), trace_host_out)
#if !defined(TRACE_HOST_PLAIN)
#define SDTRACE_SLOW_CLOCK() (trace_host_micros / 1000)
#define SDTRACE_SLOW_STEP_US 1000u
#endif

#include "../../tools/firmware/sdtrace.h"

#endif

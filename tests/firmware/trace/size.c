/*
 * All of sdtrace.h as a microcontroller without operating system takes it: clocks that are
 * registers, interrupts masked for the lock, output through a function. Not to be run: the size of
 * it and the length of its paths are looked at.
 */
#include <stdint.h>

#if defined(__AVR__)
#include <avr/interrupt.h>
#include <avr/io.h>
#define SDTRACE_LOCK()                                                                             \
    const uint8_t status = SREG;                                                                   \
    cli()
#define SDTRACE_UNLOCK() SREG = status
#else
#define SDTRACE_LOCK()                                                                             \
    uint32_t masked;                                                                               \
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(masked)::"memory")
#define SDTRACE_UNLOCK() __asm__ volatile("msr primask, %0" ::"r"(masked) : "memory")
#endif

extern volatile uint32_t micros_register;
extern volatile uint32_t millis_register;
void print(int c);

#define SDTRACE_MICROS()     micros_register
#define SDTRACE_SLOW_CLOCK() millis_register
#define SDTRACE_SLOW_STEP_US 1000u
#define SDTRACE_PUTCHAR(c)   print(c)
#define SDTRACE_API          /* as functions of their own, that can be told apart */
#include "sdtrace.h"

#if defined(WITH_MAIN)
volatile uint32_t micros_register;
volatile uint32_t millis_register;

void print(int c)
{
    millis_register = (uint32_t)c;
}

void start(void)
{
    static struct sdtrace trace;
    static struct sdtrace_record ring[4];
    sdtrace_init(&trace, ring, 4, SDTRACE_KEEP_NEWEST);
    sdtrace_block(&trace, SDTRACE_READ, 1, 2, 3, 4);
    sdtrace_file(&trace, SDTRACE_SEEK, 1, 2, 3, 4);
    sdtrace_open(&trace, 1, "name", SDTRACE_CREATE, 2, 3, 4);
    sdtrace_mark(&trace, 1, 2);
    sdtrace_tick(&trace);
    sdtrace_dump(&trace);
    sdtrace_dump_raw(&trace);
    (void)sdtrace_print(&trace, 1);
}
#endif

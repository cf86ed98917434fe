/*
 * Ctrl-C and termination, kept from leaving a card half written: the work looks at the flag between two
 * steps, ends in good order, and puts back what it has overwritten.
 */
#ifndef SDSIM_FTDI_INTERRUPT_H
#define SDSIM_FTDI_INTERRUPT_H

#include <signal.h>

/* From now on SIGINT and SIGTERM only set the flag that is returned; it is valid for ever. */
const volatile sig_atomic_t *sdsim_catch_interrupts(void);

#endif

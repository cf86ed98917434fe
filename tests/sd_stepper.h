/*
 * A stepping re-implementation of the SD transaction: bytes and clocks one after the other, looks
 * one after the other, no closed form, and nothing shared with the port under test but the words of
 * the transaction. It stands in for a byte-exact SD port, which there is none of.
 */
#ifndef SDSIM_TEST_SD_STEPPER_H
#define SDSIM_TEST_SD_STEPPER_H

#include "port/port.h"

/* Makes a port in an SD mode a stepping one, without recorder. */
void sdsim_test_step(struct sdsim_port *port);

#endif

/*
 * A link (tools/ftdi/link.h) whose other end is in another process: so that a test can kill the one that
 * measures, at any instant, and still has the chip and the card.
 *
 * The client's end is a link like any other. The server's end takes batches off a socket and passes them
 * on to another link, the in-process one, until it is told to stop: in front of a batch, in the middle of
 * it, or behind it without answering.
 */
#ifndef SDSIM_TEST_FTDI_PIPE_LINK_H
#define SDSIM_TEST_FTDI_PIPE_LINK_H

#include "tools/ftdi/link.h"

/* The client's end; owns the socket. NULL without memory. An end of file is an unplugged chip. */
struct sdsim_link *sdsim_pipe_link(int socket, const struct sdsim_ftdi_chip *chip);

/* When the server stops. */
struct sdsim_pipe_stop {
    uint64_t batch;    /* with this one, from 0 */
    unsigned quarters; /* of it that are still carried out: 0..4 */
};

/* Serves until the client is gone or `stop` says so. True: the client has ended by itself. */
bool sdsim_pipe_serve(int socket, struct sdsim_link *link, const struct sdsim_pipe_stop *stop);

#endif

/*
 * A port that shows a window of a run: the fast port up to the transaction a scout has named
 * (port/scout.h), from there on either the fast port with a recorder, or the wire port with a listener;
 * and behind the window the run is cut short.
 *
 * Since fast and wire finish every transaction at the same picosecond and leave the same card, what is
 * seen is what had been seen of a run that was recorded, or on the wire, from its start. It begins
 * before the window, with whole transactions; who listens takes what it needs of it.
 */
#ifndef SDSIM_PORT_WINDOW_H
#define SDSIM_PORT_WINDOW_H

#include "port/wire.h"

struct sdsim_window {
    struct sdsim_wire wire; /* first: its port is the driver's, whoever works it */
    const struct sdsim_port_ops *wire_ops;
    uint64_t first; /* transaction to begin with */
    sdsim_ps to;
    struct sdsim_recorder *recorder; /* NULL: the bits are wanted */
    uint64_t transactions;           /* so far */
    uint8_t last_command;
    bool open; /* in the window, or about to be */
    bool cut;
};

/* Sets the port up on a card that was just powered up; it ends with the first transaction that begins
 * at `to` or later. One of the two listens; neither is owned. */
void sdsim_window_init(struct sdsim_window *window, enum sdsim_bus_mode mode,
                       struct sdsim_card *card, struct sdsim_meter *meter, uint64_t first,
                       sdsim_ps to, struct sdsim_recorder *recorder,
                       struct sdsim_wire_listener *listener);

#endif

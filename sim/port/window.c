#include "port/window.h"

#include "port/fast.h"
#include "port/scout.h"

/* The window begins: whoever looks on is let in. */
static void open_window(struct sdsim_window *window)
{
    window->open = true;
    if (window->recorder != NULL) {
        window->wire.port.meter->recorder = window->recorder;
    } else if (window->transactions > 0) {
        sdsim_wire_resume(&window->wire, window->last_command);
    }
}

static void execute(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                    struct sdsim_result *result)
{
    struct sdsim_window *window = (struct sdsim_window *)port;
    if (window->cut || *now >= window->to) {
        window->cut = true;
        sdsim_port_cut(now, result);
        return;
    }
    if (!window->open && window->transactions >= window->first) {
        open_window(window);
    }
    if (window->open && window->recorder == NULL) {
        window->wire_ops->execute(port, now, tx, result);
    } else {
        sdsim_fast_execute(port, now, tx, result);
    }
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        window->last_command = tx->command & 63;
    }
    window->transactions++;
}

static const struct sdsim_port_ops window_ops = {.name = "window", .execute = execute};

void sdsim_window_init(struct sdsim_window *window, enum sdsim_bus_mode mode,
                       struct sdsim_card *card, struct sdsim_meter *meter, uint64_t first,
                       sdsim_ps to, struct sdsim_recorder *recorder,
                       struct sdsim_wire_listener *listener)
{
    *window = (struct sdsim_window){.first = first, .to = to, .recorder = recorder};
    sdsim_wire_init(&window->wire, mode, card, meter);
    window->wire.listener = listener;
    window->wire_ops = window->wire.port.ops;
    window->wire.port.ops = &window_ops;
    if (first == 0) {
        open_window(window);
    }
}

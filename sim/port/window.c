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
        sdsim_wire_resume(&window->wire, window->last_command, window->edge);
    }
}

/* Notes what the card remembers of CS. */
static void note_select(struct sdsim_window *window, const struct sdsim_transaction *tx,
                        bool was_selected, bool clocked)
{
    const bool selected = window->wire.port.selected;
    const bool rose = (tx->flags & SDSIM_DESELECT) != 0 && !selected &&
                      (was_selected || (tx->flags & SDSIM_SELECT) != 0);
    if ((rose && tx->trail_bytes == 0) || (!clocked && selected != was_selected)) {
        window->edge = true;
    } else if (clocked) {
        window->edge = false;
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
    const bool was_selected = port->selected;
    const uint64_t clocks = port->meter->counters.bus_clocks;
    if (window->open && window->recorder == NULL) {
        window->wire_ops->execute(port, now, tx, result);
    } else {
        sdsim_fast_execute(port, now, tx, result);
    }
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        window->last_command = tx->command & 63;
    }
    note_select(window, tx, was_selected, port->meter->counters.bus_clocks != clocks);
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

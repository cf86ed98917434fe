#include "mpsse_quiet.h"

#include "bus/frame.h"

enum {
    FINISH_BLOCK = 1 + 512 + 2 + 8, /* ends a block the card may still be waiting for */
};

/* Clocks until the card is ready, as long as a card may take. */
static void wait_ready(struct sdsim_mpsse_port *port)
{
    struct sdsim_clock clock = port->wire.port.clock;
    const uint64_t most = sdsim_clock_count(&clock, SDSIM_S / 2) / 8;
    unsigned ready = 0;
    for (uint64_t i = 0; i < most && ready < 2 && !port->line.failed; i++) {
        ready = sdsim_line_look(&port->line) == 0xFF ? ready + 1 : 0;
    }
}

static void send_frame(struct sdsim_mpsse_port *port, uint8_t index, uint32_t argument)
{
    const struct sdsim_frame frame = {.index = index, .argument = argument};
    uint8_t bytes[SDSIM_FRAME_SIZE];
    sdsim_frame_command(&frame, bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        sdsim_line_send(&port->line, bytes[i]);
    }
}

void sdsim_mpsse_quieten(struct sdsim_mpsse_port *port)
{
    struct sdsim_line *line = &port->line;
    sdsim_line_select(line, true);
    port->wire.port.selected = true;
    if (port->tx->direction == SDSIM_WRITE_BLOCKS) {
        sdsim_line_skip(line, FINISH_BLOCK);
        wait_ready(port);
        if (port->last_command == 24) { /* a card that waits for its block gets one it refuses */
            sdsim_line_send(line, SDSIM_TOKEN_START);
            sdsim_line_skip(line, FINISH_BLOCK);
            wait_ready(port);
        }
        if (port->writing || port->last_command == 25) {
            sdsim_line_send(line, SDSIM_TOKEN_STOP);
            sdsim_line_skip(line, 1);
            wait_ready(port);
        }
    } else if (port->tx->direction == SDSIM_READ_BLOCKS) {
        send_frame(port, 12, 0);
        sdsim_line_skip(line, SDSIM_MPSSE_RESPONSE_BYTES);
        wait_ready(port);
    } else {
        sdsim_line_skip(line, SDSIM_MPSSE_RESPONSE_BYTES);
        wait_ready(port);
    }
    sdsim_line_select(line, false);
    sdsim_line_skip(line, 1);
    port->wire.port.selected = false;
    port->phase = SDSIM_MPSSE_BETWEEN;
    port->left = 0;
    port->searching = false;
    port->known_ready = false;
    port->card.app = false;
}

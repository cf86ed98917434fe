#include "mpsse_expect.h"

#include "bus/frame.h"
#include "mpsse_quiet.h"

enum {
    RESPONSE_BYTES = SDSIM_MPSSE_RESPONSE_BYTES,
    LONGEST_ACCESS = 8192, /* more is not read ahead: 4 ms at 15 MHz */
    LONGEST_BUSY = 32768,
    CAREFUL_STEP = 2048, /* four blocks: where errors are frequent, no more is lost with one */
    SPARE_PART = 4,      /* an access may be longer by a quarter ... */
    SPARE = 16,          /* ... and this than the last one, before it takes another batch */
    SLOWLY = 8,          /* an expectation that is too high comes down by an eighth at a time */
};

static bool reads(const struct sdsim_mpsse_port *port)
{
    return port->tx->direction == SDSIM_READ_BLOCKS;
}

/* Whether nothing may be read beyond the last block: the driver raises CS behind it, and goes on with
 * the same read later. */
static bool must_not_read_on(const struct sdsim_mpsse_port *port)
{
    const bool open =
        (port->tx->flags & SDSIM_COMMAND) != 0 ? port->tx->command == 18 : port->reading;
    return open && (port->tx->flags & SDSIM_DESELECT) != 0;
}

/* The least that is left of a read, from the next byte on. */
static size_t rest_of_read(const struct sdsim_mpsse_port *port)
{
    const size_t block = 1u + port->tx->block_bytes + 2;
    const size_t blocks = (size_t)port->tx->blocks - port->result->blocks_done + port->ahead;
    return blocks * block - (port->block_left > 0 ? block - port->block_left : 0);
}

/* The same with what the card usually needs in between, and the response if it has not come. */
static size_t read_expectation(const struct sdsim_mpsse_port *port)
{
    const size_t rest = rest_of_read(port);
    if (must_not_read_on(port)) {
        return rest > 0 ? rest : 1;
    }
    const size_t gaps = rest / port->tx->block_bytes * 2;
    const bool first = port->phase == SDSIM_MPSSE_RESPONSE && port->searched == 0;
    return rest + gaps + (first ? RESPONSE_BYTES + port->access : 0);
}

static size_t usual_expectation(const struct sdsim_mpsse_port *port)
{
    switch (port->phase) {
    case SDSIM_MPSSE_RESPONSE:
        if (reads(port)) {
            return read_expectation(port);
        }
        return port->searched == 0 ? RESPONSE_BYTES : 0;
    case SDSIM_MPSSE_BUSY:
        return port->looked == 0 ? 2 + port->busy[port->busy_of] : 0;
    case SDSIM_MPSSE_BETWEEN:
        if (!(reads(port) && port->reading)) {
            return port->looked == 0 ? port->busy[SDSIM_MPSSE_LEFT] : 0;
        }
        return read_expectation(port);
    default:
        return reads(port) && port->reading ? read_expectation(port) : 0;
    }
}

/* A transaction that is repeated goes ahead in small steps: where errors are frequent, less is lost. */
static size_t expectation(const struct sdsim_mpsse_port *port)
{
    const size_t usual = usual_expectation(port);
    return port->spoiled && usual > CAREFUL_STEP ? CAREFUL_STEP : usual;
}

/* An expectation goes up at once, and slowly down. */
static uint32_t adapt(uint32_t expected, uint32_t seen, uint32_t most)
{
    const uint32_t wanted = seen < most ? seen : most;
    return wanted > expected ? wanted : expected - (expected - wanted) / SLOWLY;
}

/* A byte of a read: where it is in its block. */
static void follow_read(struct sdsim_mpsse_port *port, uint8_t miso)
{
    port->searched++;
    if (port->block_left > 0) {
        port->block_left--;
        port->fresh = port->block_left == 0;
    } else if (miso == SDSIM_TOKEN_START) {
        port->block_left = port->tx->block_bytes + 2u;
        if (port->first_block) {
            const uint32_t seen = port->searched;
            port->access = adapt(port->access, seen + seen / SPARE_PART + SPARE, LONGEST_ACCESS);
            port->first_block = false;
        }
    }
}

static void expect_busy(struct sdsim_mpsse_port *port)
{
    const uint32_t seen = port->looked < LONGEST_BUSY ? port->looked : LONGEST_BUSY;
    const uint32_t before = port->last_busy[port->busy_of];
    port->busy[port->busy_of] = seen < before ? seen : before;
    port->last_busy[port->busy_of] = seen;
}

/* What a byte that was looked at tells about the next time. */
void sdsim_mpsse_learn(struct sdsim_mpsse_port *port, uint8_t miso)
{
    port->responded |= port->phase == SDSIM_MPSSE_RESPONSE && (miso & 0x80) == 0;
    if (port->searching) {
        follow_read(port, miso);
    } else if (port->phase == SDSIM_MPSSE_RESPONSE) {
        port->searched++;
    }
    if (port->phase == SDSIM_MPSSE_BUSY) {
        port->looked++;
        port->known_ready = miso == 0xFF && port->looked > 1;
        if (port->known_ready) {
            expect_busy(port);
        }
    } else if (port->phase == SDSIM_MPSSE_BETWEEN) {
        port->looked++;
        port->known_ready = miso == 0xFF && port->wire.port.selected;
        if (port->known_ready && port->looked > 1) {
            expect_busy(port);
        }
    }
}

void sdsim_mpsse_expect(struct sdsim_mpsse_port *port)
{
    if (port->line.at == port->line.count && port->line.flights == 0) {
        sdsim_line_expect(&port->line, expectation(port));
    }
}

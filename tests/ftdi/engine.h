/*
 * The MPSSE of an FTDI chip, as a plain deterministic engine: bytes from the host in, bytes for the
 * host out, clocks on the pins in between, in virtual time.
 *
 *     put ──► OUT FIFO ──► commands ──► pins, slave ──► IN FIFO ──► take
 *
 * Written from FTDI AN_108 and AN_135; where they are silent or contradict what flashrom, libmpsse and
 * pyftdi do on real chips, as those expect it. It executes one command after the other and one byte
 * after the other of long ones: with the OUT FIFO empty or the IN FIFO full it stops in the middle,
 * the clock stands still, and nothing is lost.
 *
 *  - SCK is 60 MHz / (2 * (1 + d)), with divide-by-5 12 MHz / (2 * (1 + d)). With three-phase clocking
 *    a bit takes three half periods instead of two.
 *  - Data written on the rising edge comes too late for a slave of mode 0, which takes bits at that
 *    very edge: it sees the bit before. Data read on the falling edge is what the slave showed up to
 *    that edge: the same as on the rising one.
 *  - Commands that only read or only clock leave MOSI at its last level.
 *  - Clocks reach the slave only if SCK is an output; pins that are inputs are pulled up, if they
 *    are (struct sdsim_wiring). SCK moved by SET_LOW is a clock, too.
 *  - With loop-back on, what is sent is read. The pins do the same as without.
 *  - Waiting for ADBUS5, or with adaptive clocking on for a returned clock that nobody wired, the
 *    engine stands until it is reset, as the chip does. CLOCK_BYTES_UNTIL looks behind whole bytes.
 *  - An opcode that isn't one is answered by SDSIM_MPSSE_BAD and itself.
 *
 * Limits: no gap between bytes (but by habit) and commands; setting pins takes no time; ACBUS is
 * but the switch of the slave's power (bit 0 driven high: off); the CPU-bus commands 0x90..0x93
 * count as bad ones.
 */
#ifndef SDSIM_TEST_FTDI_ENGINE_H
#define SDSIM_TEST_FTDI_ENGINE_H

#include "ftdi/slave.h"
#include "tools/ftdi/mpsse.h"

/* The wires between the chip and the slave, and what may be wrong with them. Masks of SDSIM_PIN_*;
 * all zero: wired as it should be. */
struct sdsim_wiring {
    uint8_t stuck_low;
    uint8_t stuck_high;
    uint8_t shorted;  /* these are connected with each other; the lowest level wins */
    uint8_t floating; /* no pull-up: an input keeps the level it had as an output */
    uint8_t open; /* the wire is missing: the slave sees that line high, the chip sees MISO high */
    bool no_wait; /* MISO isn't wired to ADBUS5 */
};

/* What a real chip may do, and only hardware can tell; zeroed: as the text above has it. */
struct sdsim_habits {
    sdsim_ps byte_gap; /* the clock stands still for this after each byte ... */
    sdsim_ps read_gap; /* ... and for this more after one that is read */
    sdsim_ps
        miso_delay; /* from SCK falling to the new bit: too long for an edge that comes before */
    bool swapped_edges; /* WRITE_FALLING writes on the rising one, and the other way round */
    bool reads_drive;   /* commands that only read put `read_level` on MOSI */
    bool read_level;
    bool stops_in_byte;    /* CLOCK_BYTES_UNTIL looks behind each clock */
    bool stops_with_clock; /* ... and leaves SCK high */
};

struct sdsim_fifo {
    uint8_t bytes[4096]; /* of the largest chip */
    size_t size;
    size_t first;
    size_t count;
};

/* Why the engine stands. */
enum sdsim_engine_state {
    SDSIM_ENGINE_IDLE,  /* all commands are done */
    SDSIM_ENGINE_NEEDS, /* a command is not complete */
    SDSIM_ENGINE_FULL,  /* the host takes no answers */
    SDSIM_ENGINE_WAITS, /* for a pin */
    SDSIM_ENGINE_RUNS,  /* not at all: run it again */
};

struct sdsim_engine {
    const struct sdsim_ftdi_chip *chip;
    struct sdsim_slave *slave;  /* not owned, never NULL */
    struct sdsim_slave nobody;  /* stands in for one that isn't there */
    struct sdsim_wiring wiring; /* may be changed at any time */
    struct sdsim_habits habits; /* the same */

    sdsim_ps now;
    uint64_t clocks;     /* periods of SCK, ever */
    uint64_t bad;        /* opcodes that were none, ever */
    uint64_t commands;   /* ever */
    uint64_t full_stops; /* times the clock stood because the host took no answers */

    struct sdsim_clock clock;
    uint16_t divisor;
    bool divide_by_5;
    bool three_phase;
    bool adaptive;
    bool loop;
    uint8_t level; /* of ADBUS, as set; MOSI follows what is sent */
    uint8_t driven;
    uint8_t drain; /* pins that are only driven low */
    uint8_t rest;  /* levels of floating inputs */
    bool late_bit; /* on MISO when it is too late: the one before */
    uint8_t high_level;
    uint8_t high_driven;
    bool selected; /* what the slave was told last */
    bool powered;

    struct sdsim_fifo out;
    struct sdsim_fifo in;
    size_t due; /* bytes of `in` that shall go to the host at once */

    uint8_t opcode; /* the command at work, with its arguments */
    bool in_command;
    uint8_t argument[3];
    uint8_t argument_count;
    uint32_t left; /* bytes or bits still to be shifted */
    bool was_full;
};

/* A chip after power-up. `slave` must outlive it; NULL: nothing is connected. The engine must not be
 * moved. */
void sdsim_engine_init(struct sdsim_engine *engine, enum sdsim_ftdi_kind kind,
                       struct sdsim_slave *slave);

/* Sets mode and pins as after power-up and empties the FIFOs; time and counters go on. */
void sdsim_engine_reset(struct sdsim_engine *engine);

/* What purging does: empties a FIFO. The command at work goes with the OUT FIFO. */
void sdsim_engine_purge_out(struct sdsim_engine *engine);
void sdsim_engine_purge_in(struct sdsim_engine *engine);

/* Puts bytes into the OUT FIFO; returns how many found room. */
size_t sdsim_engine_put(struct sdsim_engine *engine, const uint8_t *bytes, size_t count);

/* Executes what can be. Bounded: says SDSIM_ENGINE_RUNS when it has done much and could do more. */
enum sdsim_engine_state sdsim_engine_run(struct sdsim_engine *engine);

/* Takes up to `most` bytes from the IN FIFO; returns how many. */
size_t sdsim_engine_take(struct sdsim_engine *engine, uint8_t *bytes, size_t most);

/* The levels on ADBUS, as GET_LOW reads them. */
uint8_t sdsim_engine_pins(struct sdsim_engine *engine);

/* Lets time pass with the clock standing still. */
static inline void sdsim_engine_pass(struct sdsim_engine *engine, sdsim_ps span)
{
    engine->now = sdsim_time_sum(engine->now, span);
}

#endif

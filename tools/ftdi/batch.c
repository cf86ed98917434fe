#include "batch.h"

#include <stdlib.h>
#include <string.h>

void sdsim_batch_init(struct sdsim_batch *batch)
{
    *batch = (struct sdsim_batch){0};
}

void sdsim_batch_free(struct sdsim_batch *batch)
{
    free(batch->bytes);
    sdsim_batch_init(batch);
}

void sdsim_batch_clear(struct sdsim_batch *batch)
{
    batch->size = 0;
    batch->answers = 0;
    batch->open = 0;
}

static void add(struct sdsim_batch *batch, const uint8_t *bytes, size_t count)
{
    if (batch->failed) {
        return;
    }
    if (count > batch->capacity - batch->size) {
        const size_t wanted = (batch->size + count) * 2 + 256;
        uint8_t *grown = realloc(batch->bytes, wanted);
        if (grown == NULL) {
            batch->failed = true;
            return;
        }
        batch->bytes = grown;
        batch->capacity = wanted;
    }
    memcpy(batch->bytes + batch->size, bytes, count);
    batch->size += count;
}

/* An opcode and a number of 16 bits, low byte first. */
static void add_with_number(struct sdsim_batch *batch, uint8_t opcode, size_t number)
{
    const uint8_t command[] = {opcode, (uint8_t)number, (uint8_t)(number >> 8)};
    add(batch, command, sizeof command);
}

static void set_pins(struct sdsim_batch *batch, uint8_t levels)
{
    const uint8_t command[] = {SDSIM_MPSSE_SET_LOW, levels, batch->outputs};
    add(batch, command, sizeof command);
    batch->levels = levels;
    batch->open = 0;
}

void sdsim_batch_clock(struct sdsim_batch *batch, const struct sdsim_mpsse_clock *clock)
{
    add_with_number(batch, SDSIM_MPSSE_DIVISOR, clock->divisor);
    batch->open = 0;
}

void sdsim_batch_setup(struct sdsim_batch *batch, const struct sdsim_mpsse_clock *clock)
{
    static const uint8_t modes[] = {
        SDSIM_MPSSE_DIVIDE_5_OFF,
        SDSIM_MPSSE_ADAPTIVE_OFF,
        SDSIM_MPSSE_THREE_PHASE_OFF,
        SDSIM_MPSSE_LOOP_OFF,
    };
    add(batch, modes, sizeof modes);
    batch->outputs = SDSIM_PIN_SCK | SDSIM_PIN_MOSI | SDSIM_PIN_CS;
    set_pins(batch, SDSIM_PIN_CS | SDSIM_PIN_MOSI);
    sdsim_batch_clock(batch, clock);
}

void sdsim_batch_select(struct sdsim_batch *batch, bool low)
{
    set_pins(batch, low ? SDSIM_PIN_MOSI : SDSIM_PIN_MOSI | SDSIM_PIN_CS);
}

/* As many of them as still fit into the writing command that ends the batch. */
static size_t join(struct sdsim_batch *batch, const uint8_t *bytes, size_t count)
{
    if (batch->open == 0 || batch->failed) {
        return 0;
    }
    const size_t at = batch->open;
    const size_t before = (size_t)batch->bytes[at] + 256u * batch->bytes[at + 1] + 1;
    const size_t room = SDSIM_MPSSE_MOST_BYTES - before;
    const size_t joined = count < room ? count : room;
    if (joined == 0) {
        return 0;
    }
    add(batch, bytes, joined);
    if (!batch->failed) {
        batch->bytes[at] = (uint8_t)(before + joined - 1);
        batch->bytes[at + 1] = (uint8_t)((before + joined - 1) >> 8);
    }
    return joined;
}

void sdsim_batch_write(struct sdsim_batch *batch, const uint8_t *bytes, size_t count)
{
    if (count == 0) {
        return;
    }
    for (size_t done = join(batch, bytes, count); done < count;) {
        const size_t left = count - done;
        const size_t part = left < SDSIM_MPSSE_MOST_BYTES ? left : SDSIM_MPSSE_MOST_BYTES;
        batch->open = batch->size + 1;
        add_with_number(batch, SDSIM_MPSSE_BYTES_OUT, part - 1);
        add(batch, bytes + done, part);
        done += part;
    }
    const bool high = (bytes[count - 1] & 1) != 0;
    batch->levels =
        (uint8_t)(high ? batch->levels | SDSIM_PIN_MOSI : batch->levels & ~SDSIM_PIN_MOSI);
}

/* A command with a length, as often as it takes; MOSI is high meanwhile. */
static void run(struct sdsim_batch *batch, uint8_t opcode, size_t count)
{
    if (count > 0 && (batch->levels & SDSIM_PIN_MOSI) == 0) {
        set_pins(batch, batch->levels | SDSIM_PIN_MOSI);
    }
    for (size_t done = 0; done < count;) {
        const size_t left = count - done;
        const size_t part = left < SDSIM_MPSSE_MOST_BYTES ? left : SDSIM_MPSSE_MOST_BYTES;
        add_with_number(batch, opcode, part - 1);
        done += part;
    }
    batch->open = 0;
}

void sdsim_batch_read(struct sdsim_batch *batch, size_t count)
{
    run(batch, batch->late ? SDSIM_MPSSE_BYTES_IN_LATE : SDSIM_MPSSE_BYTES_IN, count);
    batch->answers += batch->failed ? 0 : count;
}

void sdsim_batch_clocks(struct sdsim_batch *batch, size_t count)
{
    run(batch, SDSIM_MPSSE_CLOCK_BYTES, count);
}

void sdsim_batch_command(struct sdsim_batch *batch, const uint8_t *bytes, size_t count,
                         size_t answers)
{
    add(batch, bytes, count);
    batch->open = 0;
    batch->answers += batch->failed ? 0 : answers;
}

void sdsim_batch_flush(struct sdsim_batch *batch)
{
    const uint8_t command = SDSIM_MPSSE_SEND_NOW;
    add(batch, &command, 1);
    batch->open = 0;
}

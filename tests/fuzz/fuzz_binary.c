/*
 * Binary traces. Their checks would stop nearly every change at the door, so the first byte says how
 * the rest is taken: 0 as it is (which includes zstd), 1 with the checks of its chunks mended, 2 as
 * one chunk of records, with head and check put in front.
 */
#include "fuzz/trace_fuzz.h"

#include <string.h>

#include "trace/binary.h"

const unsigned sdsim_fuzz_runs = 20000;

enum { ROOM = 1 << 16, MAGIC = 16, HEAD = 24 };

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Sets the check of the chunk of `size` bytes, head included. */
static void mend_chunk(uint8_t *chunk, size_t size)
{
    uint64_t check = sdsim_binary_check(0, chunk, 16);
    check = sdsim_binary_check(check, chunk + HEAD, size - HEAD);
    put32(chunk + 16, (uint32_t)check);
    put32(chunk + 20, (uint32_t)(check >> 32));
}

static void mend(uint8_t *bytes, size_t size)
{
    for (size_t at = MAGIC; at + HEAD <= size;) {
        const size_t payload = get32(bytes + at + 4) & ~UINT32_C(7);
        put32(bytes + at + 4, (uint32_t)payload);
        if (payload > size - at - HEAD) {
            return;
        }
        mend_chunk(bytes + at, HEAD + payload);
        at += HEAD + payload;
    }
}

static size_t wrap(uint8_t *bytes, size_t size)
{
    const size_t payload = size & ~(size_t)7;
    memmove(bytes + MAGIC + HEAD, bytes, payload);
    memset(bytes, 0, MAGIC + HEAD);
    memcpy(bytes, SDSIM_BINARY_MAGIC, SDSIM_BINARY_MAGIC_BYTES);
    bytes[8] = 1;
    memcpy(bytes + MAGIC, "RECS", 4);
    put32(bytes + MAGIC + 4, (uint32_t)payload);
    put32(bytes + MAGIC + 8, 1 + (uint32_t)(size * 37 % 4096));
    mend_chunk(bytes + MAGIC, HEAD + payload);
    return MAGIC + HEAD + payload;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[ROOM + MAGIC + HEAD];
    if (size == 0 || size - 1 > ROOM) {
        return 0;
    }
    const struct sdsim_trace_format *format = sdsim_trace_format_find("sdt");
    const uint8_t way = data[0] % 3;
    size--;
    memcpy(bytes, data + 1, size);
    if (way == 1) {
        mend(bytes, size);
    } else if (way == 2) {
        size = wrap(bytes, size);
    }
    sdsim_fuzz_read_trace(format, bytes, size);
    return 0;
}

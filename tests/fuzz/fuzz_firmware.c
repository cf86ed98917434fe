/*
 * Recordings of tools/firmware/sdtrace.h. The first byte says how the rest is taken: 0, 1 as a log as
 * it is; 2, 3 as records of 16 bytes, which become good lines of text; 4, 5 the same raw, with a good
 * end. Even: blocks are read, odd: files.
 */
#include "fuzz/trace_fuzz.h"

#include <stdlib.h>
#include <string.h>

const unsigned sdsim_fuzz_runs = 10000;

#define SDTRACE_MICROS()   0
#define SDTRACE_PUTCHAR(c) fputc((unsigned char)(c), fuzz_out)
static FILE *fuzz_out;
#include "../../tools/firmware/sdtrace.h"

/* Prints records as the header does. */
static void print_records(const uint8_t *data, size_t size, bool raw)
{
    struct sdtrace trace;
    struct sdtrace_record none;
    uint16_t crc = 0;
    uint32_t records = 0;
    sdtrace_init(&trace, &none, 0, SDTRACE_STOP_WHEN_FULL);
    if (raw) {
        static const char magic[] = SDTRACE_MAGIC;
        (void)fwrite(magic, 1, sizeof magic, fuzz_out);
    }
    for (; size >= 16; data += 16, size -= 16, records++) {
        uint32_t word[4];
        struct sdsim_fuzz_bytes bytes = {data, 16};
        for (int i = 0; i < 4; i++) {
            word[i] = sdsim_fuzz_word(&bytes);
        }
        if ((word[0] & 0x7F) == SDTRACE_HEAD) { /* the CRC begins anew */
            crc = 0;
            records = UINT32_MAX;
        }
        crc = sdtrace_put(&trace, word, raw, crc);
    }
    const uint32_t end[4] = {SDTRACE_END, records, crc, 0};
    (void)sdtrace_put(&trace, end, raw, crc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const uint8_t way = data[0] % 6;
    const struct sdsim_trace_format *format =
        sdsim_trace_format_find(way % 2 == 0 ? "sdtrace" : "sdtrace-files");
    if (way < 2) {
        sdsim_fuzz_read_trace(format, data + 1, size - 1);
        return 0;
    }
    char *log = NULL;
    size_t log_size = 0;
    fuzz_out = open_memstream(&log, &log_size);
    SDSIM_FUZZ_HOLDS(fuzz_out != NULL);
    print_records(data + 1, size - 1, way >= 4);
    SDSIM_FUZZ_HOLDS(fclose(fuzz_out) == 0);
    sdsim_fuzz_read_trace(format, log, log_size);
    free(log);
    return 0;
}

/*
 * sdtrace: records what this firmware asks of its SD card - blocks, file calls, marks of your own -
 * with microseconds, into a ring in RAM, and prints it as text that survives in a terminal's log or
 * as raw bytes. `sdsim import` and `sdsim replay` read both. One header, no other files, no
 * allocation; C99 or C++11.
 *
 *     #include "sdtrace.h"
 *
 *     static struct sdtrace_record ring[256];           // 16 bytes each
 *     struct sdtrace trace;                             // `extern` in other source files
 *
 *     sdtrace_init(&trace, ring, 256, SDTRACE_STOP_WHEN_FULL);
 *
 *     const uint32_t start = sdtrace_now();             // around what touches the card
 *     const DRESULT result = disk_read(0, data, lba, count);
 *     sdtrace_block(&trace, SDTRACE_READ, lba, count, start, result);
 *
 *     sdtrace_dump(&trace);                             // when nobody is in a hurry
 *
 * README.md beside this file shows the hooks for FatFs, ESP-IDF, SdFat and Arduino's SD.
 *
 * **Full.** SDTRACE_STOP_WHEN_FULL keeps the oldest records: recording stops until a dump has
 * emptied the ring. SDTRACE_KEEP_NEWEST overwrites the oldest. Both count what was lost, and the
 * reader is told where.
 *
 * **Time.** A record holds 32-bit microseconds, which wrap after 71 minutes. The recorder counts the
 * wraps and stores the count in a record of its own whenever it has changed, so that an idle hour
 * can't be taken for a second. A wrap that passes unseen between two records can't be counted:
 * where calls may be more than an hour apart, a slow clock tells (SDTRACE_SLOW_CLOCK, there by
 * itself on Arduino, ESP-IDF and the Pico), or call sdtrace_tick() twice an hour. Time counts from
 * zero of the microsecond clock, wherever that began.
 *
 * **Interrupts and tasks.** Calls from several of them need SDTRACE_LOCK() and SDTRACE_UNLOCK(): two
 * statements in one block of code, the first of which may declare a variable. They enclose about 100
 * instructions; the clocks are read inside, no function of yours is called. Without them: one task
 * and no interrupt.
 *
 *     // Cortex-M with CMSIS
 *     #define SDTRACE_LOCK()   const uint32_t masked = __get_PRIMASK(); __disable_irq()
 *     #define SDTRACE_UNLOCK() __set_PRIMASK(masked)
 *     // ESP32: extern portMUX_TYPE trace_mux, defined once as portMUX_INITIALIZER_UNLOCKED
 *     #define SDTRACE_LOCK()   portENTER_CRITICAL_SAFE(&trace_mux)
 *     #define SDTRACE_UNLOCK() portEXIT_CRITICAL_SAFE(&trace_mux)
 *     // AVR
 *     #define SDTRACE_LOCK()   const uint8_t status = SREG; cli()
 *     #define SDTRACE_UNLOCK() SREG = status
 *
 * Settings, all before the #include:
 *
 *     SDTRACE_MICROS()        free-running microseconds, all 32 bits; found for many
 *     SDTRACE_SLOW_CLOCK()    a 32-bit count of SDTRACE_SLOW_STEP_US microseconds, as good as never
 *                             wrapping: milliseconds and 1000
 *     SDTRACE_PUTCHAR(c)      prints one byte; Serial on Arduino, else putchar()
 *     SDTRACE_LOCK(), SDTRACE_UNLOCK()
 *     SDTRACE_API             what stands before every function, else `static inline`
 *
 * A line is `sdt1:` and 28 characters of base64: the 16 bytes of a record, the low three bytes of the
 * number of the line, and a CRC-16, all low byte first. Whatever else is printed before, between and
 * behind is skipped by the reader; a line that something got into is noticed. At 115200 baud 330
 * records go by a second. Raw, 16 bytes each: SDTRACE_MAGIC, HEAD, records, END with a CRC of all.
 *
 * A record costs at most about 100 instructions on a Cortex-M0, all of the code under 2 KiB there.
 *
 * Limits: block numbers of 32 bits, positions in files of 40, handles 0 to 255, calls of up to 71
 * minutes, results as one byte (0 is good). The time of the recorder itself is in what it records:
 * a clock is read at each end.
 */
#ifndef SDTRACE_H
#define SDTRACE_H

#include <stdbool.h>
#include <stdint.h>

/* ---- which platform ---- */

#if defined(ARDUINO)
#include <Arduino.h>
#if !defined(SDTRACE_MICROS)
#define SDTRACE_MICROS() micros()
#if !defined(SDTRACE_SLOW_CLOCK)
#define SDTRACE_SLOW_CLOCK() millis()
#define SDTRACE_SLOW_STEP_US 1000u
#endif
#endif
#if !defined(SDTRACE_PUTCHAR)
#define SDTRACE_PUTCHAR(c) Serial.write((uint8_t)(c))
#endif
#elif defined(ESP_PLATFORM)
#include "esp_timer.h"
#if !defined(SDTRACE_MICROS)
#define SDTRACE_MICROS() esp_timer_get_time()
#if !defined(SDTRACE_SLOW_CLOCK)
#define SDTRACE_SLOW_CLOCK() (esp_timer_get_time() >> 20)
#define SDTRACE_SLOW_STEP_US 1048576u
#endif
#endif
#elif defined(PICO_BOARD)
#include "pico/stdlib.h"
#if !defined(SDTRACE_MICROS)
#define SDTRACE_MICROS() time_us_32()
#if !defined(SDTRACE_SLOW_CLOCK)
#define SDTRACE_SLOW_CLOCK() (time_us_64() >> 20)
#define SDTRACE_SLOW_STEP_US 1048576u
#endif
#endif
#elif !defined(SDTRACE_MICROS)
#if defined(__unix__) || defined(__APPLE__) || defined(__NuttX__) || defined(__ZEPHYR__)
#include <time.h>
static inline uint64_t sdtrace_posix_micros(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}
#define SDTRACE_MICROS() sdtrace_posix_micros()
#if !defined(SDTRACE_SLOW_CLOCK)
#define SDTRACE_SLOW_CLOCK() (sdtrace_posix_micros() >> 20)
#define SDTRACE_SLOW_STEP_US 1048576u
#endif
#else
#error "sdtrace: define SDTRACE_MICROS(), free-running microseconds of 32 bits"
#endif
#endif

#if defined(SDTRACE_SLOW_CLOCK) && !defined(SDTRACE_SLOW_STEP_US)
#error "sdtrace: define SDTRACE_SLOW_STEP_US, the microseconds of one count of SDTRACE_SLOW_CLOCK()"
#endif
#if !defined(SDTRACE_PUTCHAR)
#include <stdio.h>
#define SDTRACE_PUTCHAR(c) putchar(c)
#endif
#if !defined(SDTRACE_LOCK)
#define SDTRACE_LOCK()   ((void)0)
#define SDTRACE_UNLOCK() ((void)0)
#endif
#if defined(SDTRACE_API)
#define SDTRACE_OUTLINE SDTRACE_API
#else
#define SDTRACE_API static inline
#if defined(__GNUC__) /* the compiler shall not put a copy of these into each call */
#define SDTRACE_OUTLINE static __attribute__((noinline, unused))
#else
#define SDTRACE_OUTLINE static inline
#endif
#endif

/* ---- records ---- */

/*
 * Four words, printed low byte first:
 *
 *     word[0]   kind | result << 8 | count << 16
 *     word[1]   value
 *     word[2]   start, microseconds
 *     word[3]   duration, microseconds
 *
 * Records are in the order of their ends, start + duration, which never go back. The upper 32 bits
 * of an end are those the latest EPOCH, LOST or HEAD told.
 */
struct sdtrace_record {
    uint32_t word[4];
};

enum sdtrace_kind {
    SDTRACE_HEAD = 1, /* a dump begins. result: SDTRACE_VERSION; count: the mode; value: lines
                          printed before; start: now; duration: upper bits of what comes next */
    SDTRACE_END = 2,  /* a dump is complete. value: records since HEAD; start: their CRC-16 (raw) */
    SDTRACE_LOST = 3, /* value: records are missing here; duration: upper bits of what comes next */
    SDTRACE_EPOCH = 4, /* value: upper bits of what comes next */
    SDTRACE_MORE = 5,  /* value: upper 16 bits of the count of the next record, which has the flag
                          SDTRACE_HAS_MORE in its kind */
    SDTRACE_NAME = 6,  /* 12 characters of a file's name, as zero-ended text over the last three
                          words. result: which 12, from 0 on; count: handle */

    SDTRACE_READ = 16, /* blocks. value: the first; count: how many */
    SDTRACE_WRITE = 17,
    SDTRACE_SYNC = 18, /* value and count are 0 */
    SDTRACE_TRIM = 19,
    SDTRACE_STATUS = 20, /* the card was asked how it is; value and count are 0 */

    SDTRACE_OPEN = 32, /* files. count: handle | mode << 8; value: size of the file at that time */
    SDTRACE_CLOSE = 33,
    SDTRACE_FILE_READ = 34, /* count: handle | upper 8 bits of the bytes << 8; value: bytes */
    SDTRACE_FILE_WRITE = 35,
    SDTRACE_FILE_SYNC = 36,
    SDTRACE_SEEK = 37, /* as SDTRACE_FILE_READ, with the position from the start of the file */

    SDTRACE_MARK = 48 /* yours. count: its number; value: whatever you like */
};

#define SDTRACE_VERSION  1u
#define SDTRACE_HAS_MORE 0x80u
#define SDTRACE_MAGIC    "sdtrace1\r\n\032\n\0\0\0" /* 16 bytes with the last zero */

/* How a file was opened. */
enum sdtrace_mode {
    SDTRACE_READ_ONLY = 0,  /* FA_READ, "r" */
    SDTRACE_CREATE = 1,     /* FA_WRITE | FA_CREATE_ALWAYS, "w" */
    SDTRACE_CREATE_RW = 2,  /* and FA_READ, "w+" */
    SDTRACE_UPDATE = 3,     /* FA_READ | FA_WRITE, "r+" */
    SDTRACE_UPDATE_NEW = 4, /* and FA_OPEN_ALWAYS */
    SDTRACE_APPEND = 5      /* FA_WRITE | FA_OPEN_APPEND, "a", FILE_WRITE of Arduino */
};

enum sdtrace_when_full { SDTRACE_STOP_WHEN_FULL = 0, SDTRACE_KEEP_NEWEST = 1 };

/* All of it is the recorder's own. */
struct sdtrace {
    struct sdtrace_record *oldest;
    struct sdtrace_record *next; /* where the next record goes; when full, the oldest */
    struct sdtrace_record *ring;
    struct sdtrace_record *end; /* of the ring */
    uint8_t overwrites;         /* SDTRACE_KEEP_NEWEST */
    bool full;                  /* next == oldest, and that is a record */
    bool closed;                /* nothing is taken until what was lost is printed: only so the
                                   reader can know where it was */
    bool overwritten;           /* something was, since `lost` was printed, be it only a helper */
    uint32_t lost;              /* since the last print of that number */
    uint32_t last;              /* the clock at the latest call */
    uint32_t high;              /* its wraps until then */
    uint32_t slow;              /* the slow clock then */
    uint32_t newest_high;       /* what the newest EPOCH in the ring says */
    uint32_t oldest_high;       /* wraps at the oldest record */
    uint32_t printed;           /* records since the start, for the numbers of lines */
};

/* The start of a call to be recorded. */
SDTRACE_API uint32_t sdtrace_now(void)
{
    return (uint32_t)SDTRACE_MICROS();
}

/* Starts recording into `capacity` records at `ring`, which must live as long as the trace does. */
SDTRACE_API void sdtrace_init(struct sdtrace *trace, struct sdtrace_record *ring, unsigned capacity,
                              enum sdtrace_when_full when_full)
{
    trace->oldest = ring;
    trace->next = ring;
    trace->ring = ring;
    trace->end = ring + capacity;
    trace->overwrites = (uint8_t)(capacity == 0 ? SDTRACE_STOP_WHEN_FULL : when_full);
    trace->full = capacity == 0;
    trace->closed = false;
    trace->overwritten = false;
    trace->lost = 0;
    trace->last = (uint32_t)SDTRACE_MICROS();
    trace->high = 0;
    trace->slow = 0;
#if defined(SDTRACE_SLOW_CLOCK)
    trace->slow = (uint32_t)SDTRACE_SLOW_CLOCK();
#endif
    trace->newest_high = 0;
    trace->oldest_high = 0;
    trace->printed = 0;
}

#if defined(SDTRACE_SLOW_CLOCK)
/* `ticks` of the slow clock went by since the latest call: more than half a wrap. Which wrap it is
 * now is the one for which the two clocks agree best. */
SDTRACE_OUTLINE void sdtrace_rare_gap(struct sdtrace *trace, uint32_t now, uint32_t ticks)
{
    const uint64_t before = (uint64_t)trace->high << 32 | trace->last;
    const uint64_t guess = before + (uint64_t)ticks * SDTRACE_SLOW_STEP_US;
    const uint64_t off = guess + 0x80000000u - now; /* now, in the wrap nearest to the guess */
    trace->high = (uint32_t)(off >> 32);
    trace->last = now;
}
#endif

/*
 * The clock, with its wraps counted. A clock that seems to have gone back by up to 4 minutes was
 * read by somebody who was interrupted, without SDTRACE_LOCK(), and stands still instead.
 */
SDTRACE_API uint32_t sdtrace_look_at_clock(struct sdtrace *trace)
{
    const uint32_t now = (uint32_t)SDTRACE_MICROS();
    const uint32_t last = trace->last;
#if defined(SDTRACE_SLOW_CLOCK)
    const uint32_t slow = (uint32_t)SDTRACE_SLOW_CLOCK();
    const uint32_t ticks = slow - trace->slow;
    trace->slow = slow;
    if (ticks > 0x80000000u / SDTRACE_SLOW_STEP_US) {
        sdtrace_rare_gap(trace, now, ticks);
        return now;
    }
#endif
    if (last - now < 0x10000000u) {
        return last;
    }
    trace->last = now;
    if (now < last) {
        trace->high++;
    }
    return now;
}

SDTRACE_API struct sdtrace_record *sdtrace_behind(const struct sdtrace *trace,
                                                  struct sdtrace_record *record)
{
    record++;
    return record == trace->end ? trace->ring : record;
}

/* A helper left the ring. */
SDTRACE_OUTLINE void sdtrace_rare_forget(struct sdtrace *trace, const uint32_t *word)
{
    if (word[0] == SDTRACE_EPOCH) {
        trace->oldest_high = word[1];
    }
}

/* Room for one record; NULL if there is none. */
SDTRACE_OUTLINE uint32_t *sdtrace_slot(struct sdtrace *trace)
{
    struct sdtrace_record *slot = trace->next;
    struct sdtrace_record *behind = sdtrace_behind(trace, slot);
    if (!trace->full) {
        if (behind == trace->oldest) {
            trace->full = true;
        }
    } else {
        if (!trace->overwrites) {
            return 0;
        }
        trace->overwritten = true;
        if ((slot->word[0] & 0x70u) != 0) { /* not one of the helpers */
            trace->lost++;
        } else {
            sdtrace_rare_forget(trace, slot->word);
        }
        trace->oldest = behind;
    }
    trace->next = behind;
    return slot->word;
}

/* A helper without times, EPOCH or MORE. False: there was no room. */
SDTRACE_OUTLINE bool sdtrace_rare_helper(struct sdtrace *trace, uint32_t head, uint32_t value)
{
    uint32_t *word = sdtrace_slot(trace);
    if (word == 0) {
        return false;
    }
    word[0] = head;
    word[1] = value;
    word[2] = 0;
    word[3] = 0;
    return true;
}

/* What all calls come to. The result becomes a byte: 0 stays 0, nothing else becomes it. */
SDTRACE_OUTLINE void sdtrace_add(struct sdtrace *trace, uint32_t kind, uint32_t value,
                                 uint32_t count, uint32_t start, int32_t result)
{
    uint32_t *word = 0;
    SDTRACE_LOCK();
    const uint32_t now = sdtrace_look_at_clock(trace);
    if (!trace->closed) {
        const uint32_t high = trace->high;
        if (high != trace->newest_high && sdtrace_rare_helper(trace, SDTRACE_EPOCH, high)) {
            trace->newest_high = high;
        }
        if (count > 0xffffu) {
            kind |= SDTRACE_HAS_MORE;
            (void)sdtrace_rare_helper(trace, SDTRACE_MORE, count >> 16);
        }
        word = sdtrace_slot(trace);
    }
    if (word != 0) {
        if (result != 0) {
            kind |= ((uint32_t)result & 0xffu) != 0 ? ((uint32_t)result & 0xffu) << 8 : 0xff00u;
        }
        word[0] = kind | count << 16;
        word[1] = value;
        word[2] = start;
        word[3] = now - start;
    } else {
        trace->closed = true;
        trace->lost++;
    }
    SDTRACE_UNLOCK();
}

/* ---- what to call ---- */

/*
 * A call of the driver: SDTRACE_READ, WRITE or TRIM of `count` blocks of 512 bytes from `lba` on;
 * SYNC or STATUS with both 0. `start` is what sdtrace_now() said before it; it ended just now.
 * `result` is 0 if it worked, else an error of the driver, of which the low byte is kept.
 */
SDTRACE_API void sdtrace_block(struct sdtrace *trace, enum sdtrace_kind kind, uint32_t lba,
                               uint32_t count, uint32_t start, int32_t result)
{
    sdtrace_add(trace, (uint32_t)kind, lba, count, start, result);
}

/*
 * A file call: SDTRACE_FILE_READ or FILE_WRITE of so many bytes, SEEK to a position from the start
 * of the file, CLOSE or FILE_SYNC with 0. `handle` is a number of yours for the open file. Bytes are
 * those asked for.
 */
SDTRACE_API void sdtrace_file(struct sdtrace *trace, enum sdtrace_kind kind, uint8_t handle,
                              uint64_t bytes, uint32_t start, int32_t result)
{
    const uint32_t upper = (uint32_t)(bytes >> 32) & 0xffu;
    sdtrace_add(trace, (uint32_t)kind, (uint32_t)bytes, handle | upper << 8, start, result);
}

/* Names the file that the next sdtrace_open() of this handle is about. */
SDTRACE_API void sdtrace_name(struct sdtrace *trace, uint8_t handle, const char *name)
{
    uint32_t head = SDTRACE_NAME | (uint32_t)handle << 16;
    while (*name != '\0') {
        uint32_t text[3];
        for (unsigned i = 0; i < 3; i++) {
            text[i] = 0;
            for (unsigned shift = 0; shift < 32; shift += 8) {
                if (*name != '\0') {
                    text[i] |= (uint32_t)(uint8_t)*name++ << shift;
                }
            }
        }
        SDTRACE_LOCK();
        uint32_t *word = trace->closed ? 0 : sdtrace_slot(trace);
        if (word != 0) {
            word[0] = head;
            word[1] = text[0];
            word[2] = text[1];
            word[3] = text[2];
        }
        SDTRACE_UNLOCK();
        head += 0x100u;
    }
}

/* A file was opened. `size`: of the file then, as far as it is known, for whoever replays this. */
SDTRACE_API void sdtrace_open(struct sdtrace *trace, uint8_t handle, const char *name,
                              enum sdtrace_mode mode, uint32_t size, uint32_t start, int32_t result)
{
    sdtrace_name(trace, handle, name);
    sdtrace_add(trace, SDTRACE_OPEN, size, handle | (uint32_t)mode << 8, start, result);
}

/* Something of yours happened: what follows is known by this number, until the next mark. */
SDTRACE_API void sdtrace_mark(struct sdtrace *trace, uint16_t number, uint32_t value)
{
    sdtrace_add(trace, SDTRACE_MARK, value, number, sdtrace_now(), 0);
}

/* Keeps count of the wraps where there is no slow clock: to be called at least twice an hour. */
SDTRACE_API void sdtrace_tick(struct sdtrace *trace)
{
    SDTRACE_LOCK();
    (void)sdtrace_look_at_clock(trace);
    SDTRACE_UNLOCK();
}

/* ---- printing ---- */

/* CRC-16 with the polynomial x^16 + x^12 + x^5 + 1, from 0 on, a byte at a time. */
SDTRACE_OUTLINE uint16_t sdtrace_crc(uint16_t crc, uint8_t byte)
{
    crc = (uint16_t)(crc ^ (uint16_t)(byte << 8));
    for (uint8_t bit = 0; bit < 8; bit++) {
        const bool top = (crc & 0x8000u) != 0;
        crc = (uint16_t)((unsigned)crc << 1);
        if (top) {
            crc ^= 0x1021u;
        }
    }
    return crc;
}

SDTRACE_API void sdtrace_put_base64(uint8_t digit)
{
    char c = '/';
    if (digit < 26) {
        c = (char)('A' + digit);
    } else if (digit < 52) {
        c = (char)('a' + digit - 26);
    } else if (digit < 62) {
        c = (char)('0' + digit - 52);
    } else if (digit == 62) {
        c = '+';
    }
    SDTRACE_PUTCHAR(c);
}

SDTRACE_API void sdtrace_put_line(const uint8_t *bytes, uint8_t size)
{
    const char *mark = "sdt1:";
    while (*mark != '\0') {
        SDTRACE_PUTCHAR(*mark++);
    }
    for (uint8_t i = 0; i < size; i = (uint8_t)(i + 3)) {
        const uint8_t *three = bytes + i;
        sdtrace_put_base64(three[0] >> 2);
        sdtrace_put_base64((uint8_t)((three[0] & 3u) << 4 | three[1] >> 4));
        sdtrace_put_base64((uint8_t)((three[1] & 15u) << 2 | three[2] >> 6));
        sdtrace_put_base64(three[2] & 63u);
    }
    SDTRACE_PUTCHAR('\n');
}

/* One record. Returns the CRC of all bytes, raw ones since the CRC passed in. */
SDTRACE_OUTLINE uint16_t sdtrace_put(struct sdtrace *trace, const uint32_t *word, bool raw,
                                     uint16_t crc)
{
    uint8_t bytes[21];
    uint8_t size = 0;
    while (size < 19) {
        /* behind the record its number */
        const uint32_t from = size < 16 ? word[size >> 2] : trace->printed;
        const uint8_t byte = (uint8_t)(from >> (size & 3u) * 8);
        bytes[size++] = byte;
        if (size <= 16 || !raw) {
            crc = sdtrace_crc(crc, byte);
        }
        if (size <= 16 && raw) {
            SDTRACE_PUTCHAR(byte);
        }
    }
    trace->printed++;
    if (!raw) {
        bytes[19] = (uint8_t)crc;
        bytes[20] = (uint8_t)(crc >> 8);
        sdtrace_put_line(bytes, 21);
        crc = 0;
    }
    return crc;
}

/* Takes the next thing to be printed out of the ring; false: there is nothing. */
SDTRACE_OUTLINE bool sdtrace_pop(struct sdtrace *trace, uint32_t *word)
{
    bool found = true;
    SDTRACE_LOCK();
    struct sdtrace_record *oldest = trace->oldest;
    const bool empty = trace->ring == trace->end || (oldest == trace->next && !trace->full);
    if (trace->overwritten || (trace->closed && empty)) {
        word[0] = SDTRACE_LOST;
        word[1] = trace->lost;
        word[2] = 0;
        word[3] = trace->oldest_high;
        trace->lost = 0;
        trace->overwritten = false;
        trace->closed = false;
    } else if (!empty) {
        word[0] = oldest->word[0];
        word[1] = oldest->word[1];
        word[2] = oldest->word[2];
        word[3] = oldest->word[3];
        sdtrace_rare_forget(trace, word);
        trace->oldest = sdtrace_behind(trace, oldest);
        trace->full = false;
    } else {
        found = false;
    }
    SDTRACE_UNLOCK();
    return found;
}

SDTRACE_OUTLINE uint16_t sdtrace_put_head(struct sdtrace *trace, bool raw)
{
    uint32_t word[4];
    word[0] = SDTRACE_HEAD | SDTRACE_VERSION << 8 | (uint32_t)trace->overwrites << 16;
    word[1] = trace->printed;
    word[2] = sdtrace_now();
    word[3] = trace->oldest_high;
    return sdtrace_put(trace, word, raw, 0);
}

SDTRACE_OUTLINE void sdtrace_put_all(struct sdtrace *trace, bool raw)
{
    uint32_t word[4];
    uint16_t crc = sdtrace_put_head(trace, raw);
    uint32_t records = 0;
    while (sdtrace_pop(trace, word)) {
        crc = sdtrace_put(trace, word, raw, crc);
        records++;
    }
    word[0] = SDTRACE_END;
    word[1] = records;
    word[2] = crc;
    word[3] = 0;
    (void)sdtrace_put(trace, word, raw, crc);
}

/* Prints what is in the ring as text, and empties it. May be called again and again, by one task. */
SDTRACE_API void sdtrace_dump(struct sdtrace *trace)
{
    sdtrace_put_all(trace, false);
}

/* The same as raw bytes, for a line or file of its own. */
SDTRACE_API void sdtrace_dump_raw(struct sdtrace *trace)
{
    static const char magic[] = SDTRACE_MAGIC;
    for (uint8_t i = 0; i < 16; i++) {
        SDTRACE_PUTCHAR(magic[i]);
    }
    sdtrace_put_all(trace, true);
}

/* Prints up to `most` lines of text and returns how many: for a loop that has other things to do. */
SDTRACE_API unsigned sdtrace_print(struct sdtrace *trace, unsigned most)
{
    uint32_t word[4];
    unsigned lines = 0;
    if (most > 0 && trace->printed == 0) {
        (void)sdtrace_put_head(trace, false);
        lines++;
    }
    while (lines < most && sdtrace_pop(trace, word)) {
        (void)sdtrace_put(trace, word, false, 0);
        lines++;
    }
    return lines;
}

/* ---- the hook for FatFs ---- */

/*
 * Defines disk_read, disk_write and disk_ioctl with WRAP before their names, which record and call
 * the functions that have REAL before theirs. Needs ff.h and diskio.h first. Either
 * the linker swaps the names, or diskio.c does; see README.md.
 *
 *     SDTRACE_WRAP_DISKIO(&trace, __real_, __wrap_)
 */
#if defined(FF_LBA64)
#define SDTRACE_LBA LBA_t
#else
#define SDTRACE_LBA DWORD
#endif

#define SDTRACE_WRAP_DISKIO(TRACE, REAL, WRAP)                                                     \
    DRESULT REAL##disk_read(BYTE drive, BYTE *data, SDTRACE_LBA lba, UINT count);                  \
    DRESULT REAL##disk_write(BYTE drive, const BYTE *data, SDTRACE_LBA lba, UINT count);           \
    DRESULT REAL##disk_ioctl(BYTE drive, BYTE command, void *data);                                \
    DRESULT WRAP##disk_read(BYTE drive, BYTE *data, SDTRACE_LBA lba, UINT count)                   \
    {                                                                                              \
        const uint32_t start = sdtrace_now();                                                      \
        const DRESULT result = REAL##disk_read(drive, data, lba, count);                           \
        sdtrace_block(TRACE, SDTRACE_READ, (uint32_t)lba, count, start, (int32_t)result);          \
        return result;                                                                             \
    }                                                                                              \
    DRESULT WRAP##disk_write(BYTE drive, const BYTE *data, SDTRACE_LBA lba, UINT count)            \
    {                                                                                              \
        const uint32_t start = sdtrace_now();                                                      \
        const DRESULT result = REAL##disk_write(drive, data, lba, count);                          \
        sdtrace_block(TRACE, SDTRACE_WRITE, (uint32_t)lba, count, start, (int32_t)result);         \
        return result;                                                                             \
    }                                                                                              \
    DRESULT WRAP##disk_ioctl(BYTE drive, BYTE command, void *data)                                 \
    {                                                                                              \
        const uint32_t start = sdtrace_now();                                                      \
        const DRESULT result = REAL##disk_ioctl(drive, command, data);                             \
        if (command == CTRL_SYNC) {                                                                \
            sdtrace_block(TRACE, SDTRACE_SYNC, 0, 0, start, (int32_t)result);                      \
        } else if (command == CTRL_TRIM) {                                                         \
            const SDTRACE_LBA *range = (const SDTRACE_LBA *)data; /* first and last */             \
            sdtrace_block(TRACE, SDTRACE_TRIM, (uint32_t)range[0],                                 \
                          (uint32_t)(range[1] - range[0] + 1), start, (int32_t)result);            \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    DRESULT WRAP##disk_ioctl(BYTE drive, BYTE command, void *data)

/* The same for disk_status: only where it asks the card, as that of arduino-esp32's SD does. Those
 * that tell what they know cost no time on the bus, and would fill the ring. */
#define SDTRACE_WRAP_DISK_STATUS(TRACE, REAL, WRAP)                                                \
    DSTATUS REAL##disk_status(BYTE drive);                                                         \
    DSTATUS WRAP##disk_status(BYTE drive)                                                          \
    {                                                                                              \
        const uint32_t start = sdtrace_now();                                                      \
        const DSTATUS status = REAL##disk_status(drive);                                           \
        sdtrace_block(TRACE, SDTRACE_STATUS, 0, 0, start, (int32_t)status);                        \
        return status;                                                                             \
    }                                                                                              \
    DSTATUS WRAP##disk_status(BYTE drive)

#endif

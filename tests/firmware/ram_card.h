/*
 * A card in RAM for the stubs beside this file: a folder with room for one file, and a clock that
 * only its calls move. A read takes 20 us and 1 us for 8 bytes, a write 40 us and 1 us for 4 bytes,
 * every 100th write 5 ms more, a seek 30 us, a sync 1 ms. C99 and C++11, for one source file.
 *
 * The environment variable RAM_CARD says what is wrong with it:
 *
 *     slow      every call takes 60 times as long
 *     full      there is room for 100000 bytes only
 *     forgets   what is written from 1 MiB on is lost
 *     foreign   somebody's SDBENCH.BIN is on it
 *     leftover  the SDBENCH.BIN of a benchmark that was cut off is on it
 */
#ifndef RAM_CARD_H
#define RAM_CARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ram_card {
    bool ready;
    bool exists;
    uint32_t size;     /* of the file */
    uint32_t position; /* of its handle */
    uint32_t micros;
    uint32_t writes;
    uint8_t bytes[8u << 20];
};

static struct ram_card ram_card;

static bool ram_card_is(const char *what)
{
    const char *wish = getenv("RAM_CARD");
    return wish != NULL && strcmp(wish, what) == 0;
}

static void ram_card_put(const char *text, uint32_t size)
{
    memcpy(ram_card.bytes, text, size);
    ram_card.exists = true;
    ram_card.size = size;
}

static void ram_card_start(void)
{
    if (!ram_card.ready && ram_card_is("foreign")) {
        ram_card_put("my own data", 11);
    } else if (!ram_card.ready && ram_card_is("leftover")) {
        ram_card_put("sdbench\n\0\0\0\0more", 16);
    }
    ram_card.ready = true;
}

/* One look at the clock takes a microsecond. */
static inline uint32_t ram_card_micros(void)
{
    return ram_card.micros++;
}

static void ram_card_spend(uint32_t micros)
{
    ram_card.micros += ram_card_is("slow") ? 60 * micros : micros;
}

static inline bool ram_card_exists(void)
{
    ram_card_start();
    return ram_card.exists;
}

static inline bool ram_card_remove(void)
{
    const bool existed = ram_card.exists;
    ram_card.exists = false;
    ram_card.size = 0;
    return existed;
}

static inline bool ram_card_create(void)
{
    ram_card_start();
    ram_card.exists = true;
    ram_card.position = ram_card.size;
    return true;
}

static inline bool ram_card_open(void)
{
    ram_card_start();
    ram_card.position = 0;
    return ram_card.exists;
}

static inline bool ram_card_seek(uint32_t position)
{
    ram_card_spend(30);
    ram_card.position = position;
    return position <= ram_card.size;
}

static inline void ram_card_sync(void)
{
    ram_card_spend(1000);
}

static inline uint32_t ram_card_write(const void *data, uint32_t size)
{
    const uint32_t room = ram_card_is("full") ? 100000u : (uint32_t)sizeof ram_card.bytes;
    ram_card_spend(40 + size / 4 + (ram_card.writes++ % 100 == 99 ? 5000 : 0));
    if (size > room - ram_card.position) {
        size = room - ram_card.position;
    }
    if (!ram_card_is("forgets") || ram_card.position < 1048576) {
        memcpy(ram_card.bytes + ram_card.position, data, size);
    }
    ram_card.position += size;
    ram_card.size = ram_card.position;
    return size;
}

static inline uint32_t ram_card_read(void *data, uint32_t size)
{
    const uint32_t left = ram_card.size - ram_card.position;
    ram_card_spend(20 + size / 8);
    if (size > left) {
        size = left;
    }
    memcpy(data, ram_card.bytes + ram_card.position, size);
    ram_card.position += size;
    return size;
}

/* For the end of a test: what is on the card, as a comment in the output. */
static inline const char *ram_card_left(void)
{
    if (!ram_card.exists) {
        return "# nothing left";
    }
    return memcmp(ram_card.bytes, "my own data", 11) == 0 ? "# foreign file left" : "# file left";
}

#endif

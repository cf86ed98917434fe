/*
 * libsdsim: an SD card to talk to, on a PC.
 *
 * A slot is what a microcontroller has: a socket, the wires to it, a bus clock. A card is inserted
 * into it - one of the profiles that come with sdsim, a profile of one's own, or a plain one - and
 * the program is the driver: it selects the card and exchanges bytes over SPI, or sends command and
 * data frames in SD mode with one or four data lines, or clocks the raw lines. Time is virtual: it
 * advances by the clocks that are clocked and by what sdsim_slot_advance() adds, and the card is as
 * slow as the real one. The same calls give the same bytes and the same picoseconds on every machine.
 *
 *     struct sdsim_slot *slot = sdsim_slot_create();
 *     sdsim_slot_insert(slot, NULL, 1, 0);
 *     sdsim_slot_set_clock(slot, 400000, 1);
 *     sdsim_slot_exchange(slot, NULL, NULL, 10);  // 80 clocks with CS high
 *     sdsim_slot_select(slot, 1);
 *     ...
 *     sdsim_slot_destroy(slot);
 *
 * Calling. Everything is a plain function over an opaque handle, fixed-width integers, byte buffers
 * and texts, so that any language can call it. Functions that can fail return an int32_t: SDSIM_OK or
 * one of the negative SDSIM_E codes; sdsim_slot_error() then tells what is wrong in words. What the
 * card says - an illegal command, a refused block - is no failure of a call but bytes on the bus.
 * Every function takes NULL for the slot (SDSIM_E_ARGUMENT, or 0, or "").
 *
 * Time is uint64_t picoseconds since the slot was created; it ends after 200 days (SDSIM_E_TIME).
 *
 * Threads. There are no globals: slots are independent of each other, and each may be used by one
 * thread at a time. Callbacks run in the thread of the call and must not call into the same slot.
 *
 * Binary interface: sdsim_abi_version() is the SOVERSION of the shared library. Within one version
 * functions and constants are only added.
 *
 * Limits: a card is on a bus of its own; 3.3 V signalling (default and high speed), no UHS; clocks of
 * 1 Hz to 1 GHz; a clock above the card's rated one works here.
 */
#ifndef SDSIM_SDSIM_H
#define SDSIM_SDSIM_H

#include <stddef.h>
#include <stdint.h>

#if defined _WIN32 || defined __CYGWIN__
#define SDSIM_API
#else
#define SDSIM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version ---- */

#define SDSIM_ABI_VERSION 0

/* "1.2.3", of the library that runs; and its binary interface, which must be SDSIM_ABI_VERSION. */
SDSIM_API const char *sdsim_version(void);
SDSIM_API uint32_t sdsim_abi_version(void);

/* ---- errors ---- */

enum {
    SDSIM_OK = 0,
    SDSIM_E_ARGUMENT = -1,    /* NULL, or a value out of range; nothing was done */
    SDSIM_E_MEMORY = -2,      /* out of memory; nothing was done */
    SDSIM_E_PROFILE = -3,     /* the card profile can't be read (also for lack of memory), or is
                                 wrong: file:line:column */
    SDSIM_E_IMAGE = -4,       /* the image file can't be read or written (also for lack of memory),
                                 or doesn't fit the card */
    SDSIM_E_EMPTY = -5,       /* no card in the slot */
    SDSIM_E_TIME = -6,        /* virtual time would pass 200 days; nothing was done */
    SDSIM_E_NO_RESPONSE = -7, /* SD mode: no response, no data or no CRC status in time */
    SDSIM_E_CRC = -8,         /* SD mode: what came has a wrong check sum, or no end bit */
    SDSIM_E_REFUSED = -9,     /* SD mode: the card's CRC status says it did not take the block */
    SDSIM_E_BUSY = -10,       /* SD mode: still busy at the limit */
    SDSIM_E_READ = -11        /* a sector of the image file could not be read; it reads as zeros */
};

/* What an error code means, in a few words: "out of memory". Never NULL. */
SDSIM_API const char *sdsim_result_text(int32_t result);

/* ---- the slot ---- */

struct sdsim_slot;

/* An empty slot at time 0: CS high, clock 400 kHz. NULL without memory. */
SDSIM_API struct sdsim_slot *sdsim_slot_create(void);

/* The slot and the card in it. Its timeline gets what it has not got yet. */
SDSIM_API void sdsim_slot_destroy(struct sdsim_slot *slot);

/* What was wrong with the last call that failed, in words, one line or several, without a newline at
 * the end; "" if none has failed. Valid until the next call for the slot. */
SDSIM_API const char *sdsim_slot_error(const struct sdsim_slot *slot);

/* ---- the card ---- */

/*
 * Where card profiles are looked for by name: the folder that holds cards/ (of an installation
 * `pkg-config --variable=datadir sdsim`). The text is copied. NULL: nowhere, which is the default;
 * paths of files work all the same.
 */
SDSIM_API int32_t sdsim_slot_set_data_dir(struct sdsim_slot *slot, const char *path);

/*
 * Inserts a card and switches it on; one that is in the slot already is thrown away with all it
 * holds. `profile` is a name ("sdhc32g-a1"), the path of a .yaml file, or NULL for a plain 4 GB SDHC
 * card. `seed` and `draw` choose its luck: draw 0 has all values as they are typical, any other draw
 * takes them from the ranges the profile gives. Erased sectors read as zeros. On failure the slot is
 * as before. SDSIM_E_PROFILE: the error text has all faults found, each with file:line:column.
 */
SDSIM_API int32_t sdsim_slot_insert(struct sdsim_slot *slot, const char *profile, uint64_t seed,
                                    uint32_t draw);

/* The same with a profile as a text of `size` bytes of YAML; `name` is for messages, and its luck is
 * tied to it. It may say `base:` another profile. */
SDSIM_API int32_t sdsim_slot_insert_text(struct sdsim_slot *slot, const char *name,
                                         const char *text, size_t size, uint64_t seed,
                                         uint32_t draw);

/* Switches the card off (0) or on (1). Off is also what the bus sees of a card that was pulled out:
 * all lines are high. What the card holds stays; on again, it must be initialised again, and faults
 * that were injected are gone. A block that was not complete is lost. */
SDSIM_API int32_t sdsim_slot_power(struct sdsim_slot *slot, int32_t on);

/* Sectors of 512 bytes the card says it has; 0 without a card. */
SDSIM_API uint32_t sdsim_slot_sectors(const struct sdsim_slot *slot);

/* The highest clock the card is made for, in Hz: SPI and default speed, or (`high_speed` not 0) high
 * speed, 0 if it has none. */
SDSIM_API uint64_t sdsim_slot_rated_clock(const struct sdsim_slot *slot, int32_t high_speed);

/* ---- what the card holds; none of this takes virtual time ---- */

/*
 * Makes the raw image file `path` the content of the card; sectors beyond its end are erased. The
 * file is read on demand and never written: what is written to the card stays in memory. It must not
 * be changed while it is in use. SDSIM_E_IMAGE: not there, empty, or larger than the card.
 */
SDSIM_API int32_t sdsim_slot_load_image(struct sdsim_slot *slot, const char *path);

/* Writes the content to a raw image file as large as the card, sparse where the card is erased. The
 * file appears when it is complete. */
SDSIM_API int32_t sdsim_slot_save_image(struct sdsim_slot *slot, const char *path);

/* Reads, writes or erases `count` sectors from `lba` on past the bus: 512 * count bytes. */
SDSIM_API int32_t sdsim_slot_read_sectors(struct sdsim_slot *slot, uint32_t lba, uint32_t count,
                                          void *out);
SDSIM_API int32_t sdsim_slot_write_sectors(struct sdsim_slot *slot, uint32_t lba, uint32_t count,
                                           const void *data);
SDSIM_API int32_t sdsim_slot_erase_sectors(struct sdsim_slot *slot, uint32_t lba, uint32_t count);

/* ---- clock and time ---- */

/* Sets the bus clock to num / den Hz, 1 Hz to 1 GHz: 80 MHz / 3 is (80000000, 3). Exact: n clocks end
 * at the same picosecond however they are split into calls. */
SDSIM_API int32_t sdsim_slot_set_clock(struct sdsim_slot *slot, uint32_t num, uint32_t den);

/* Lets time pass with the clock standing still, in ps: the CPU does something else. */
SDSIM_API int32_t sdsim_slot_advance(struct sdsim_slot *slot, uint64_t ps);

/* The time now, in ps. */
SDSIM_API uint64_t sdsim_slot_now(const struct sdsim_slot *slot);

/* ---- SPI ---- */

/* Drives CS low (1: the card is selected) or high (0). Takes no time. */
SDSIM_API int32_t sdsim_slot_select(struct sdsim_slot *slot, int32_t selected);

/*
 * Clocks `count` bytes: sends those of `out` (NULL: 0xFF each) and stores what was on MISO in `in`
 * (NULL: nowhere). The two may be the same buffer. With CS high, or without a card, MISO is 0xFF.
 */
SDSIM_API int32_t sdsim_slot_exchange(struct sdsim_slot *slot, const uint8_t *out, uint8_t *in,
                                      size_t count);

#ifdef __cplusplus
}
#endif

#endif

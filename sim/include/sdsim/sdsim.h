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
 * Makes the raw image file `path` the content of the card. It may be smaller than that, as an image
 * that is copied to a larger card: the sectors beyond its end are erased and read as zeros. The file
 * is read on demand and never written: what is written to the card stays in memory. It must not
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
 * (NULL: nowhere). The two may be the same buffer. With CS high, or without a card, MISO is 0xFF, if
 * the profile says nothing else for the first bit behind CS and for the time before CMD0.
 */
SDSIM_API int32_t sdsim_slot_exchange(struct sdsim_slot *slot, const uint8_t *out, uint8_t *in,
                                      size_t count);

/* ---- SD mode ---- */

/*
 * The lines CMD and DAT3..DAT0 are pulled up; host and card pull them down. All functions clock at the
 * slot's clock and come back at the end of the last one. CS is DAT3 here, and is what these functions
 * put on that line, not what sdsim_slot_select() says. A card in SPI mode (CMD0 with CS low puts it
 * there) is silent here, and one in SD mode is over SPI.
 */

/* Lengths of responses, in bits. */
enum {
    SDSIM_NO_BITS = 0,         /* CMD0, CMD4, CMD7 that deselects */
    SDSIM_SHORT_RESPONSE = 48, /* R1, R1b, R3, R6, R7 */
    SDSIM_LONG_RESPONSE = 136  /* R2: CID and CSD */
};

/*
 * Sends the command `index` (0 to 63) with the right CRC7 and takes the response: `bits` of the
 * lengths above, as they came, most significant first, into the 6 or 17 bytes of `response` (may be
 * NULL). The content of a short one is bytes 1 to 4. Then gives 8 clocks, which a card needs before
 * the next command. SDSIM_E_NO_RESPONSE: no start bit within 64 clocks, as after an illegal command.
 * SDSIM_E_CRC: it came with a wrong CRC7 or end bit, and is in `response`.
 */
SDSIM_API int32_t sdsim_slot_command(struct sdsim_slot *slot, uint32_t index, uint32_t argument,
                                     uint32_t bits, uint8_t *response);

/* The same with a frame of 6 bytes as given, right or wrong. */
SDSIM_API int32_t sdsim_slot_command_frame(struct sdsim_slot *slot, const uint8_t *frame,
                                           uint32_t bits, uint8_t *response);

/*
 * Takes a data frame of `size` bytes (1 to 2048) from `lines` data lines (1 or 4): start bit, data,
 * CRC16 on each line, end bit. One that began behind the last command, while its response was still
 * on its way, is taken too. SDSIM_E_NO_RESPONSE: no start bit for `limit` ps. SDSIM_E_CRC: wrong CRC16
 * or end bit; the data is there.
 */
SDSIM_API int32_t sdsim_slot_read_data(struct sdsim_slot *slot, void *data, uint32_t size,
                                       uint32_t lines, uint64_t limit);

/*
 * Gives 2 clocks, sends a data frame of `size` bytes (1 to 2048) on `lines` data lines (1 or 4) with
 * the right CRC16, takes the CRC status, and gives the clocks up to where busy shows (n_br_clocks of the
 * profile). SDSIM_E_REFUSED: the status says that the data did not arrive well. SDSIM_E_NO_RESPONSE: no
 * status within 64 clocks. The card is busy then: sdsim_slot_wait().
 */
SDSIM_API int32_t sdsim_slot_write_data(struct sdsim_slot *slot, const void *data, uint32_t size,
                                        uint32_t lines);

/* Clocks until DAT0 is high, at least once: the card is not busy. SDSIM_E_BUSY: not for `limit` ps. */
SDSIM_API int32_t sdsim_slot_wait(struct sdsim_slot *slot, uint64_t limit);

/* The lines in one byte. */
enum {
    SDSIM_LINE_DAT = 0x0F, /* DAT3 in bit 3, DAT0 in bit 0 */
    SDSIM_LINE_CMD = 0x10,
    SDSIM_LINES_HIGH = 0x1F
};

/*
 * Clocks `count` times with the host on the lines as `host` says, one byte for each clock, 1 where it
 * releases a line or drives it high (NULL: everything released). Stores what was on the lines in `bus`
 * (NULL: nowhere). The two may be the same buffer.
 */
SDSIM_API int32_t sdsim_slot_clock_lines(struct sdsim_slot *slot, const uint8_t *host, uint8_t *bus,
                                         size_t count);

/* ---- faults on order ---- */

/* What can go wrong, and what is an occasion for it. Other values are SDSIM_E_ARGUMENT. A stream of
 * blocks (CMD25) is over with the first one that is refused or not stored: those behind it get no
 * answer, and are no occasion, until it is stopped. */
enum {
    SDSIM_INJECT_NO_RESPONSE = 0, /* occasion: a command (of index `detail`, or any). It is neither
                                     answered nor carried out. */
    SDSIM_INJECT_READ_CRC = 1,    /* a data block is sent. One bit of its CRC16 is wrong. */
    SDSIM_INJECT_READ_ERROR = 2, /* a block of the medium is sent. SPI: error token `detail` (0: 04)
                                     in its place; SD mode: nothing, and CARD_ECC_FAILED. */
    SDSIM_INJECT_WRITE_CRC = 3,  /* a block has come. It is refused as if its CRC16 were wrong. */
    SDSIM_INJECT_WRITE_ERROR = 4, /* a block has come. It is not stored. SPI: data response 0D; SD
                                     mode: ERROR in the card status. */
    SDSIM_INJECT_STUCK_BUSY = 5,  /* a busy begins. It ends only with CMD0 or the power. */
    SDSIM_INJECT_REMOVED = 6 /* a command (of index `detail`, or any). The card is gone until it
                                     is switched off and on (sdsim_slot_power). */
};

#define SDSIM_ANY_COMMAND 0xFFu       /* `detail` */
#define SDSIM_FOREVER     0xFFFFFFFFu /* `times` */

/* Orders a fault: it lets `skip` occasions pass and strikes at the next `times` (0: not any more).
 * Replaces an order of the same kind. */
SDSIM_API int32_t sdsim_slot_inject(struct sdsim_slot *slot, uint32_t fault, uint32_t skip,
                                    uint32_t times, uint32_t detail);

/* How often a fault has struck since the card was inserted; 0 for what is no fault. */
SDSIM_API uint64_t sdsim_slot_struck(const struct sdsim_slot *slot, uint32_t fault);

/* ---- timeline ---- */

/* Who does something, one lane each. */
enum { SDSIM_TRACK_BUS = 0, SDSIM_TRACK_CARD = 1 };

/* What is done; `detail` is 0 where nothing is said. */
enum {
    SDSIM_SPAN_GAP = 0,      /* bus: sdsim_slot_advance() */
    SDSIM_SPAN_CLOCKS = 1,   /* bus: clocks that mean nothing: CS high, filler */
    SDSIM_SPAN_COMMAND = 2,  /* bus: a command frame; detail: its index */
    SDSIM_SPAN_RESPONSE = 3, /* bus: from behind a command to the end of its response, or a data
                                response or CRC status; detail: the index of the last command */
    SDSIM_SPAN_READ = 4,     /* bus: a block from the card with token or start bit and CRC; detail:
                                its sector, or SDSIM_NO_SECTOR for a register */
    SDSIM_SPAN_WRITE = 5,    /* bus: a block to the card; detail: its sector */
    SDSIM_SPAN_STOP = 6,     /* bus: stop token */
    SDSIM_SPAN_WAIT = 7,     /* bus: looks at a card that is busy or has no data yet */
    SDSIM_SPAN_ACCESS = 8,   /* card: fetches data; detail: the sector */
    SDSIM_SPAN_BUSY = 9,     /* card: programs, or answers R1b */
    SDSIM_SPAN_PAUSE = 10    /* card: does housekeeping while the host waits */
};

#define SDSIM_NO_SECTOR 0xFFFFFFFFu

/* A span: it began at `start` and lasts `duration` ps. */
typedef void (*sdsim_span_function)(void *context, uint32_t track, uint32_t kind, uint64_t start,
                                    uint64_t duration, uint32_t detail);

/*
 * From now on tells `function` of every span; NULL: of none any more. Spans of one track come in the
 * order of their starts. One of the bus comes when another kind of thing follows it, or when the
 * timeline or the slot ends; one of the card when it begins, as long as it will last if nothing (CMD0,
 * CMD12, the power) cuts it short. They overlap only where that happens. What of a data frame of SD
 * mode came along with the response to its command is not told twice: its span begins behind the
 * clocks of the command.
 */
SDSIM_API int32_t sdsim_slot_set_timeline(struct sdsim_slot *slot, sdsim_span_function function,
                                          void *context);

/* "gap", "clocks", "command", ...; "" for what is no kind. */
SDSIM_API const char *sdsim_span_name(uint32_t kind);

#ifdef __cplusplus
}
#endif

#endif

/*
 * A card in SD mode, 4 bits: initialise it, write blocks, read them back, and see how long that takes.
 *
 *     cc sd_card.c $(pkg-config --cflags --libs sdsim) -o sd_card
 *     ./sd_card [PROFILE.yaml]
 */
#include <sdsim/sdsim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 8 };

#define MS UINT64_C(1000000000) /* in picoseconds */

/* Sends a command with a short response and returns what is in it; 0 if none came. */
static uint32_t command(struct sdsim_slot *slot, uint32_t index, uint32_t argument)
{
    uint8_t response[6] = {0};
    if (sdsim_slot_command(slot, index, argument, SDSIM_SHORT_RESPONSE, response) != SDSIM_OK) {
        return 0;
    }
    return (uint32_t)response[1] << 24 | (uint32_t)response[2] << 16 | (uint32_t)response[3] << 8 |
           response[4];
}

/* Brings the card to the transfer state, 4 bits and high speed, and returns its address; 0: it can't
 * be done. */
static uint32_t initialise(struct sdsim_slot *slot)
{
    uint8_t status[64];
    uint32_t ocr;
    sdsim_slot_set_clock(slot, 400000, 1);
    sdsim_slot_advance(slot, 1 * MS);             /* the supply is stable */
    sdsim_slot_clock_lines(slot, NULL, NULL, 74); /* the card wakes up */
    sdsim_slot_command(slot, 0, 0, SDSIM_NO_BITS, NULL);
    if (command(slot, 8, 0x1AA) != 0x1AA) {
        return 0;
    }
    do {
        command(slot, 55, 0);
        ocr = command(slot, 41, 0x40FF8000); /* the host knows high-capacity cards */
    } while (ocr != 0 && (ocr & 0x80000000) == 0 && sdsim_slot_now(slot) < 1000 * MS);
    if ((ocr & 0xC0000000) != 0xC0000000) { /* ready, and it counts in blocks */
        return 0;
    }
    sdsim_slot_command(slot, 2, 0, SDSIM_LONG_RESPONSE, NULL);
    const uint32_t address = command(slot, 3, 0) & 0xFFFF0000;
    command(slot, 7, address); /* select it */
    sdsim_slot_wait(slot, 500 * MS);
    command(slot, 55, address);
    command(slot, 6, 2); /* four data lines */

    sdsim_slot_set_clock(slot, 25000000, 1);
    command(slot, 6, 0x80FFFFF1); /* high speed, if the card has it */
    if (sdsim_slot_read_data(slot, status, sizeof status, 4, 100 * MS) == SDSIM_OK &&
        (status[16] & 0x0F) == 1) {
        sdsim_slot_set_clock(slot, 50000000, 1);
    }
    return address;
}

/* A multiple-block transfer ends with CMD12, in either direction. */
static int write_blocks(struct sdsim_slot *slot, uint32_t lba, uint8_t blocks[BLOCKS][512])
{
    int32_t result = SDSIM_OK;
    command(slot, 25, lba);
    for (int i = 0; i < BLOCKS && result == SDSIM_OK; i++) {
        result = sdsim_slot_write_data(slot, blocks[i], 512, 4);
        if (result == SDSIM_OK) {
            result = sdsim_slot_wait(slot, 500 * MS);
        }
    }
    command(slot, 12, 0);
    return sdsim_slot_wait(slot, 500 * MS) == SDSIM_OK && result == SDSIM_OK;
}

static int read_blocks(struct sdsim_slot *slot, uint32_t lba, uint8_t blocks[BLOCKS][512])
{
    int32_t result = SDSIM_OK;
    command(slot, 18, lba);
    for (int i = 0; i < BLOCKS && result == SDSIM_OK; i++) {
        result = sdsim_slot_read_data(slot, blocks[i], 512, 4, 100 * MS);
    }
    command(slot, 12, 0);
    return result == SDSIM_OK;
}

static void print_time(const char *what, uint64_t ps)
{
    printf("%-22s %9.3f ms\n", what, (double)ps / (double)MS);
}

int main(int argc, char **argv)
{
    static uint8_t written[BLOCKS][512];
    static uint8_t read[BLOCKS][512];
    struct sdsim_slot *slot = sdsim_slot_create();
    if (sdsim_slot_insert(slot, argc > 1 ? argv[1] : NULL, 1, 0) != SDSIM_OK) {
        fprintf(stderr, "%s\n", sdsim_slot_error(slot));
        sdsim_slot_destroy(slot);
        return EXIT_FAILURE;
    }
    memset(written, 0x5A, sizeof written);

    int fine = initialise(slot) != 0;
    print_time("ready after", sdsim_slot_now(slot));

    uint64_t start = sdsim_slot_now(slot);
    fine = fine && write_blocks(slot, 1234, written);
    print_time("writing 8 blocks", sdsim_slot_now(slot) - start);

    start = sdsim_slot_now(slot);
    fine = fine && read_blocks(slot, 1234, read) && memcmp(read, written, sizeof read) == 0;
    print_time("reading them back", sdsim_slot_now(slot) - start);

    puts(fine ? "the blocks are what was written" : "the card does not do as it is told");
    sdsim_slot_destroy(slot);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}

/*
 * A card over SPI: initialise it, write a block, read it back, and see how long that takes.
 *
 *     cc spi_card.c $(pkg-config --cflags --libs sdsim) -o spi_card
 *     ./spi_card [PROFILE.yaml]
 */
#include <sdsim/sdsim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One byte each way; 0xFF is what the host sends when it has nothing to say. */
static uint8_t exchange(struct sdsim_slot *slot, uint8_t out)
{
    uint8_t in = 0xFF;
    sdsim_slot_exchange(slot, &out, &in, 1);
    return in;
}

/* Clocks bytes until one is not `idle`; gives up after 100 ms. */
static uint8_t wait_while(struct sdsim_slot *slot, uint8_t idle)
{
    const uint64_t limit = sdsim_slot_now(slot) + 100000000000;
    uint8_t byte;
    do {
        byte = exchange(slot, 0xFF);
    } while (byte == idle && sdsim_slot_now(slot) < limit);
    return byte;
}

/* Sends a command and returns R1. Only CMD0 and CMD8 need a right CRC. */
static uint8_t command(struct sdsim_slot *slot, uint8_t index, uint32_t argument)
{
    const uint8_t crc = index == 0 ? 0x95 : index == 8 ? 0x87 : 0xFF;
    const uint8_t frame[] = {(uint8_t)(0x40 | index),   (uint8_t)(argument >> 24),
                             (uint8_t)(argument >> 16), (uint8_t)(argument >> 8),
                             (uint8_t)argument,         crc};
    exchange(slot, 0xFF); /* the card needs a byte between two commands */
    sdsim_slot_exchange(slot, frame, NULL, sizeof frame);
    return wait_while(slot, 0xFF);
}

/* The four bytes behind R1 of CMD8 and CMD58. */
static uint32_t rest_of_response(struct sdsim_slot *slot)
{
    uint8_t bytes[4];
    sdsim_slot_exchange(slot, NULL, bytes, sizeof bytes);
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int initialise(struct sdsim_slot *slot)
{
    sdsim_slot_set_clock(slot, 400000, 1);
    sdsim_slot_advance(slot, 1000000000);      /* 1 ms, until the supply is stable */
    sdsim_slot_exchange(slot, NULL, NULL, 10); /* at least 74 clocks with CS high */
    sdsim_slot_select(slot, 1);
    if (command(slot, 0, 0) != 0x01 || command(slot, 8, 0x1AA) != 0x01 ||
        (rest_of_response(slot) & 0xFFF) != 0x1AA) {
        return 0;
    }
    uint8_t r1;
    do {
        command(slot, 55, 0);
        r1 = command(slot, 41, 0x40000000); /* the host knows high-capacity cards */
    } while (r1 == 0x01 && sdsim_slot_now(slot) < 1000000000000);
    /* CCS of the OCR: the card counts in blocks, as this program does. */
    return r1 == 0x00 && command(slot, 58, 0) == 0x00 && (rest_of_response(slot) & 0x40000000) != 0;
}

static int write_block(struct sdsim_slot *slot, uint32_t lba, const uint8_t block[512])
{
    const uint8_t token[] = {0xFF, 0xFE};
    const uint8_t crc[] = {0xFF, 0xFF}; /* nobody looks at it as long as CMD59 has not been sent */
    if (command(slot, 24, lba) != 0x00) {
        return 0;
    }
    sdsim_slot_exchange(slot, token, NULL, sizeof token);
    sdsim_slot_exchange(slot, block, NULL, 512);
    sdsim_slot_exchange(slot, crc, NULL, sizeof crc);
    const uint8_t response = exchange(slot, 0xFF);
    return (response & 0x1F) == 0x05 && wait_while(slot, 0x00) == 0xFF;
}

static int read_block(struct sdsim_slot *slot, uint32_t lba, uint8_t block[512])
{
    if (command(slot, 17, lba) != 0x00 || wait_while(slot, 0xFF) != 0xFE) {
        return 0;
    }
    sdsim_slot_exchange(slot, NULL, block, 512);
    sdsim_slot_exchange(slot, NULL, NULL, 2); /* its CRC */
    return 1;
}

int main(int argc, char **argv)
{
    struct sdsim_slot *slot = sdsim_slot_create();
    if (sdsim_slot_insert(slot, argc > 1 ? argv[1] : NULL, 1, 0) != SDSIM_OK) {
        fprintf(stderr, "%s\n", sdsim_slot_error(slot));
        sdsim_slot_destroy(slot);
        return EXIT_FAILURE;
    }
    uint8_t written[512];
    uint8_t read[512] = {0};
    memset(written, 0x5A, sizeof written);

    int fine = initialise(slot);
    printf("ready after      %9.3f ms\n", (double)sdsim_slot_now(slot) / 1e9);

    sdsim_slot_set_clock(slot, 20000000, 1);
    uint64_t start = sdsim_slot_now(slot);
    fine = fine && write_block(slot, 1234, written);
    printf("writing a block  %9.3f ms\n", (double)(sdsim_slot_now(slot) - start) / 1e9);

    start = sdsim_slot_now(slot);
    fine = fine && read_block(slot, 1234, read) && memcmp(read, written, sizeof read) == 0;
    printf("reading it back  %9.3f ms\n", (double)(sdsim_slot_now(slot) - start) / 1e9);

    puts(fine ? "the block is what was written" : "the card does not do as it is told");
    sdsim_slot_destroy(slot);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}

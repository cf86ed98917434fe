/*
 * Faults on order: a card that goes wrong when a test wants it to.
 *
 * A fault is armed with a number of occasions to let pass and a number of times to strike; what an
 * occasion is, is said at each fault. The card (card/card.h) and its two faces (card/spi_pins.h,
 * card/sd_pins.h) ask at every occasion. A card without a struct sdsim_faults asks nothing, and
 * none is asked for what happens bit by bit or byte by byte, so nothing armed costs nothing.
 *
 * What goes wrong is what a driver can see; what it should do about it is said by section 4.6.2 and
 * 7.3.3 of the SD Physical Layer Simplified Specification.
 *
 * Limits: faults belong to the byte-exact card. The fast port does not model what a driver sees of
 * READ_CRC, READ_ERROR and REMOVED; use the wire port for cards with faults.
 */
#ifndef SDSIM_CARD_FAULTS_H
#define SDSIM_CARD_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sdsim_fault {
    /* Occasion: a command frame (of the index in `detail`, or any). It is neither answered nor
     * carried out, as if it had never come. */
    SDSIM_FAULT_NO_RESPONSE,
    /* Occasion: a data block, of the medium or a register, about to be sent. Its CRC16 comes with
     * one bit wrong (in 4-bit mode on DAT0 only); the data is right. */
    SDSIM_FAULT_READ_CRC,
    /* Occasion: a block of the medium about to be sent. SPI: the data error token `detail` comes in
     * its place (0: 04, ECC failed), and the card goes on looking for a stop. SD mode: no data comes,
     * and CARD_ECC_FAILED is set in the card status. */
    SDSIM_FAULT_READ_ERROR,
    /* Occasion: a block received, but for those that are ignored behind one that was refused or not
     * stored. It is refused as if its CRC16 were wrong (data response 0B, CRC
     * status 101) and not stored. */
    SDSIM_FAULT_WRITE_CRC,
    /* Occasion: a block received whose CRC16 is right. It is not stored. SPI: data response 0D and
     * ERROR in R2. SD mode: no negative CRC status, as the transfer was right; ERROR in the card
     * status. */
    SDSIM_FAULT_WRITE_ERROR,
    /* Occasion: a busy begins (of a block, the end of a write, an erase). It never ends, save by
     * CMD0 or a new power-up. */
    SDSIM_FAULT_STUCK_BUSY,
    /* Occasion: a command frame (of the index in `detail`, or any). From here on there is no card:
     * lines released, nothing heard. `times` means nothing; the card is back by
     * sdsim_faults_insert() and then needs a power-up. */
    SDSIM_FAULT_REMOVED,
    SDSIM_FAULT_COUNT
};

/* `detail` of NO_RESPONSE and REMOVED: any command. */
#define SDSIM_FAULT_ANY_COMMAND 0xFFu

/* `times` of a fault that strikes again and again. */
#define SDSIM_FAULT_FOREVER UINT32_MAX

struct sdsim_armed {
    uint32_t skip;  /* occasions still to let pass */
    uint32_t times; /* strikes still to come; 0: not armed */
    uint8_t detail;
};

/* Zeroed: nothing armed, card present. The owner hands it to a card by card->faults. */
struct sdsim_faults {
    struct sdsim_armed armed[SDSIM_FAULT_COUNT];
    uint64_t struck[SDSIM_FAULT_COUNT]; /* how often each has struck */
    bool removed;                       /* there is no card */
};

/*
 * Arms a fault; what was armed of its kind before is forgotten. It lets `skip` occasions pass and
 * then strikes at the next `times` (0: disarms). `detail` as said at each fault, else 0.
 */
void sdsim_faults_arm(struct sdsim_faults *faults, enum sdsim_fault fault, uint32_t skip,
                      uint32_t times, uint8_t detail);

/* The card is taken out at once, and put back. Takes effect on the lines with the next command,
 * token, block or busy; a block on its way is finished. Put back, the card must be powered up
 * (sdsim_card_power_up). */
void sdsim_faults_remove(struct sdsim_faults *faults);
void sdsim_faults_insert(struct sdsim_faults *faults);

/* For the card: an occasion; true if the fault strikes. `faults` may be NULL. `detail` is the index
 * of a command, else 0. */
bool sdsim_faults_occasion(struct sdsim_faults *faults, enum sdsim_fault fault, uint8_t detail);

/* For the card: no card. */
static inline bool sdsim_faults_absent(const struct sdsim_faults *faults)
{
    return faults != NULL && faults->removed;
}

/* "no-response", "read-crc", ...; as used on the command line and in the library. */
const char *sdsim_fault_name(enum sdsim_fault fault);

#endif

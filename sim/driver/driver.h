/*
 * SD card drivers: what real firmware puts on the bus for one read, write or sync.
 *
 * What a driver does - commands, polls, stop rules, what is left open - is code, one file per
 * driver family, written as a description of its source. What it costs on a host are numbers, which
 * come from the host's profile (struct sdsim_driver_costs) and the driver's own (struct
 * sdsim_driver_params). A driver talks to a port and can't tell who is behind it.
 *
 *     driver                  file             bus
 *     arduino-esp32-sd        arduino_sd.c     SPI
 *     esp-idf-sdspi           idf_sdspi.c      SPI
 *     circuitpython-sdcardio  sdcardio.c       SPI
 *     sdfat-spi-shared        sdfat_spi.c      SPI
 *     sdfat-spi-dedicated     sdfat_spi.c      SPI
 *     arduino-pico-sd         sdfat_spi.c      SPI
 *     carlk3-spi              carlk3_spi.c     SPI
 *     carlk3-freertos-spi     carlk3_spi.c     SPI
 *     chan-mmc-spi            chan_mmc.c       SPI
 *     pico-fatfs-spi          chan_mmc.c       SPI
 *     pico-fatfs-pio-spi      chan_mmc.c       SPI
 *     micropython-sdcard      micropython_sdcard.c  SPI
 *     circuitpython-adafruit-sdcard  adafruit_sdcard.c  SPI
 *     circuitpython-sdcardio-6  adafruit_sdcard.c  SPI
 *     arduino-sd-classic      arduino_classic.c  SPI
 *     zephyr-sdhc-spi         zephyr_sdhc.c    SPI
 *     nuttx-mmcsd-spi         nuttx_mmcsd_spi.c  SPI
 *     mbed-sd                 mbed_sd.c        SPI
 *     proffieos-spi           proffieos_spi.c  SPI
 *     p2-sd-driver            p2_sd.c          SPI
 *     generic-spi             generic_spi.c    SPI
 *     arduino-esp32-sdmmc     idf_sdmmc.c      SD 1-bit, 4-bit
 *     esp-idf-sdmmc           idf_sdmmc.c      SD 1-bit, 4-bit
 *     circuitpython-sdioio    idf_sdmmc.c      SD 1-bit, 4-bit (Espressif port)
 *     micropython-machine-sdcard  idf_sdmmc.c  SD 1-bit, 4-bit
 *     sdfat-teensy-sdio       sdfat_teensy.c   SD 4-bit
 *     sdfat-pio-sdio          sdfat_pio.c      SD 4-bit
 *     carlk3-sdio             carlk3_sdio.c    SD 4-bit
 *     carlk3-freertos-sdio    carlk3_sdio.c    SD 4-bit
 *     zuluscsi-pio-sdio       zuluscsi_sdio.c  SD 4-bit
 *     stm32-hal-sd            stm32_hal_sd.c   SD 1-bit, 4-bit
 *     circuitpython-sdioio-stm  sdioio_stm.c   SD 1-bit, 4-bit
 *     circuitpython-sdioio-samd  sdioio_samd.c SD 1-bit, 4-bit
 *     nuttx-mmcsd-sdio        nuttx_mmcsd.c    SD 1-bit, 4-bit
 *     nxp-sdk-usdhc           nxp_usdhc.c      SD 1-bit, 4-bit
 *     nxp-sdk-usdhc-uhs       nxp_usdhc.c      SD 4-bit
 *     smoothie-lpc-sdmmc      smoothie_sdmmc.c SD 1-bit, 4-bit
 *     generic-sd              generic_sd.c     SD 1-bit, 4-bit
 *     linux-mmc               linux_mmc.c      SD 1-bit, 4-bit
 *     linux-mmc-uhs           linux_mmc.c      SD 4-bit
 *     usb-reader              usb_reader.c     SD 4-bit
 *
 * Limits: one card per driver; no hot plugging. An operation that fails leaves its reason in
 * `fault`.
 */
#ifndef SDSIM_DRIVER_DRIVER_H
#define SDSIM_DRIVER_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/list.h"
#include "flash/medium.h"
#include "port/port.h"

enum sdsim_driver_code {
#define SDSIM_DRIVER_CODE(code, class, name, doc) SDSIM_DRIVER_##code,
    SDSIM_DRIVER_LIST(SDSIM_DRIVER_CODE)
#undef SDSIM_DRIVER_CODE
        SDSIM_DRIVER_COUNT
};

/* What a driver's steps cost on one host. Each driver says in its file which of these it has. */
struct sdsim_driver_costs {
    sdsim_ps call;      /* one read or write call: entry, locks, set-up, return */
    sdsim_ps transfer;  /* dead time of a short SPI transfer (1 to 16 bytes) */
    sdsim_ps bulk;      /* dead time of a data transfer: DMA set-up, interrupt, task switch */
    uint64_t chunk;     /* data moves in pieces of this many bytes; 0: in one piece */
    sdsim_ps chunk_gap; /* between two pieces, and before the first */
    sdsim_ps crc16;     /* software CRC16 of one block */
    sdsim_ps copy;      /* one block from or to the caller's buffer */
    sdsim_ps command;   /* CPU before a command */
    sdsim_ps wake;      /* SD mode: interrupt to the task going on */
};

/* How a driver that has the choice waits for a card that may still program. */
enum sdsim_driver_ready_wait {
    SDSIM_WAIT_SPINS,  /* CMD13 again and again */
    SDSIM_WAIT_SLEEPS, /* with a sleep between two */
    SDSIM_WAIT_DAT0,   /* the controller's event when DAT0 rises, then CMD13 */
};

struct sdsim_driver_params {
    int code;                    /* enum sdsim_driver_code */
    uint64_t status_after_read;  /* CMD13s after each read call */
    uint64_t status_after_write; /* CMD13s after each write call */
    bool status_on_call;         /* disk_status sends a CMD13 (arduino-esp32 3.x) */
    sdsim_ps tick;               /* length of the operating system's shortest sleep */
    uint64_t bounce_blocks;      /* blocks per command for buffers that can't be used directly */
    uint64_t most_blocks;        /* most blocks of one command; 0: any number */
    uint64_t multiple_from;      /* SPI: fewest sectors of a write that go by CMD25; 0: two */
    sdsim_ps stop_retry;         /* generic-spi: after a read of several sectors CMD12 fails and is
                                    sent again so much later; 0: it does not */
    bool single_commands;        /* SdFat, shared: CMD17 reads one sector, not CMD18 */
    bool stops_writes;   /* carlk3: each write of several sectors is announced with ACMD23 and
                                    stopped, instead of left open */
    sdsim_ps poll_sleep; /* SPI: after each look that found the card not ready */
    bool dma;            /* SD mode: blocks move by DMA, not through a FIFO by the CPU */
    bool block_count;    /* SD mode: CMD23 tells the card how many blocks will follow */
    int ready_wait;      /* SD mode: enum sdsim_driver_ready_wait */
};

/* The clocks on the wire, chosen by the host's clock rule (host/clock_rule.h). */
struct sdsim_driver_clocks {
    uint64_t asked_hz; /* what the application asked for, after the driver's cap */
    uint64_t init_num; /* Hz = num / den */
    uint64_t init_den;
    uint64_t num;
    uint64_t den;
};

enum sdsim_driver_error {
    SDSIM_DRIVER_OK,
    SDSIM_DRIVER_FAILED,       /* the card or a limit, see fault */
    SDSIM_DRIVER_OUT_OF_RANGE, /* beyond the card's last sector */
};

/* Why an operation failed, for messages. */
struct sdsim_driver_fault {
    const char *step; /* "CMD25", "wait for ready", ...; NULL: nothing went wrong */
    enum sdsim_outcome outcome;
    uint32_t lba; /* SDSIM_NO_LBA: the step moves no sectors */
    sdsim_ps at;  /* when it gave up */
};

#define SDSIM_NO_LBA UINT32_MAX

struct sdsim_driver;
struct sdsim_sd_part;

struct sdsim_driver_class {
    const char *name;     /* as in profiles */
    const char *costs_of; /* a thin layer: costs what this driver does where a host does not say;
                             NULL: it has costs of its own */
    bool spi;
    bool sd;
    bool ticks; /* some waits end at multiples of params->tick since power-up */
    /* The clock the stack asks its generator for, given what the application asked for (after the
     * driver's cap) and the card. NULL: what the application asked for. */
    uint64_t (*request)(uint64_t asked_hz, const struct sdsim_card_params *card);
    /* Fills the port's engine from params and costs. */
    void (*attach)(struct sdsim_driver *driver);
    enum sdsim_driver_error (*init)(struct sdsim_driver *driver, sdsim_ps *now);
    enum sdsim_driver_error (*read)(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, uint8_t *out);
    enum sdsim_driver_error (*write)(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, const struct sdsim_content *content);
    enum sdsim_driver_error (*sync)(struct sdsim_driver *driver, sdsim_ps *now);
    enum sdsim_driver_error (*status)(struct sdsim_driver *driver, sdsim_ps *now);
    /* SD mode: part of a call, if read and write are those of driver/sd_bus.h. */
    bool (*move)(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part);
};

/* Who else has a say in when the bus is used: another device that shares it. */
struct sdsim_driver_gate {
    /* A call begins at *now and needs the bus; books what it waits. */
    void (*enter)(struct sdsim_driver_gate *gate, struct sdsim_meter *meter, sdsim_ps *now);
    /* It is over; the bus is free. */
    void (*leave)(struct sdsim_driver_gate *gate, sdsim_ps now);
};

struct sdsim_driver {
    struct sdsim_driver_gate *gate; /* not owned; NULL: the bus is the card's alone */
    const struct sdsim_driver_class *class;
    const struct sdsim_driver_params *params; /* not owned */
    const struct sdsim_driver_costs *costs;   /* not owned */
    struct sdsim_port *port;                  /* not owned */
    struct sdsim_driver_clocks clocks;
    struct sdsim_spi_engine spi;
    struct sdsim_sd_engine sd;
    bool usable_buffers;  /* the caller's buffers can be used by DMA */
    bool block_addresses; /* known after init */
    bool high_speed;      /* the card was switched to high speed, or to a UHS-I mode */
    bool low_voltage;     /* the lines are at 1.8 V */
    bool counts_blocks;   /* the card knows CMD23, says its SCR */
    uint32_t rca;         /* SD mode: known after init */
    uint32_t sectors;     /* known after init */
    bool writing;         /* a CMD25 was left open; the next block goes to next_lba */
    bool reading;         /* a CMD18 was left open; the next block comes from next_lba */
    uint32_t next_lba;
    struct sdsim_driver_fault fault;
};

/* The class of a code; NULL for a number that is none. */
const struct sdsim_driver_class *sdsim_driver_class(enum sdsim_driver_code code);

/* Connects a driver to a port of a bus it can work (asserted). All pointers must outlive it. */
void sdsim_driver_attach(struct sdsim_driver *driver, const struct sdsim_driver_params *params,
                         const struct sdsim_driver_costs *costs, struct sdsim_port *port,
                         const struct sdsim_driver_clocks *clocks, bool usable_buffers);

/* Identifies the card and sets the clock; must come first. Booked as init. */
enum sdsim_driver_error sdsim_driver_init(struct sdsim_driver *driver, sdsim_ps *now);

/* `count` (>= 1) sectors from `lba`; `out` may be NULL. `purpose` is what the account books it
 * under. */
enum sdsim_driver_error sdsim_driver_read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                          uint32_t count, enum sdsim_purpose purpose, uint8_t *out);
enum sdsim_driver_error sdsim_driver_write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                           uint32_t count, enum sdsim_purpose purpose,
                                           const struct sdsim_content *content);

/* CTRL_SYNC, and what a FatFs call's disk_status costs. */
enum sdsim_driver_error sdsim_driver_sync(struct sdsim_driver *driver, sdsim_ps *now);
enum sdsim_driver_error sdsim_driver_status(struct sdsim_driver *driver, sdsim_ps *now);

/* "CMD25 at LBA 8192: the card was still busy when the driver's limit ran out" */
void sdsim_driver_explain_fault(const struct sdsim_driver *driver, char *out, size_t size);

#endif

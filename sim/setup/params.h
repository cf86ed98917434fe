/*
 * The plain parameters of one run, as the schemas (setup/schemas.h) fill them from files. No
 * ranges, no names of profiles, no YAML: what a model reads.
 */
#ifndef SDSIM_SETUP_PARAMS_H
#define SDSIM_SETUP_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "card/params.h"
#include "config/schema.h"
#include "driver/driver.h"
#include "file/stream.h"
#include "host/clock_rule.h"
#include "workload/prepare.h"
#include "workload/workload.h"

/* The clock generators a host may have for a card. Which one a driver uses, its profile says. */
enum sdsim_host_clock {
    SDSIM_HOST_CLOCK_SPI, /* any driver without a generator of its own */
    SDSIM_HOST_CLOCK_SPI_ARDUINO,
    SDSIM_HOST_CLOCK_SPI_IDF,
    SDSIM_HOST_CLOCK_SPI_CIRCUITPYTHON,
    SDSIM_HOST_CLOCK_SDMMC,
    SDSIM_HOST_CLOCK_COUNT
};

struct sdsim_host_clock_params {
    bool given;
    int rule; /* enum sdsim_clock_rule */
    uint64_t source_hz;
    uint64_t maximum_hz;
    uint64_t pre_limit;
    uint64_t cycles;
    uint64_t largest;
    bool bypass;
};

struct sdsim_host_driver_params {
    bool given;
    struct sdsim_driver_costs costs;
};

struct sdsim_host_file_params {
    bool given;
    struct sdsim_file_costs costs;
    const char *engine; /* of fat/engines.h: how the library is built here, or NULL: by the API */
};

struct sdsim_host_usb_params {
    struct sdsim_usb_costs costs; /* first: the schemas share their offsets */
    bool given;
};

/* On which edge a chip writes what a card of SPI mode 0 understands. */
enum sdsim_mpsse_write_edge {
    SDSIM_MPSSE_WRITES_FALLING,
    SDSIM_MPSSE_WRITES_RISING,
    SDSIM_MPSSE_WRITES_EITHER
};

/* Where MOSI is while a command of an MPSSE only reads. */
enum sdsim_mpsse_rest { SDSIM_MPSSE_REST_KEEPS, SDSIM_MPSSE_REST_LOW, SDSIM_MPSSE_REST_HIGH };

/* What an FTDI chip was found to do; nothing of it is simulated. */
struct sdsim_host_mpsse_params {
    uint64_t gap_15;
    uint64_t gap_30;
    bool keeps_up_15;
    bool keeps_up_30;
    uint64_t poll;
    uint64_t poll_timer;
    int write_edge; /* enum sdsim_mpsse_write_edge */
    int mosi_rest;  /* enum sdsim_mpsse_rest */
    uint64_t rising_to;
    uint64_t falling_to;
    bool stops_in_byte;
    bool stops_high;
};

struct sdsim_host_params {
    uint64_t cpu_hz;
    struct sdsim_list strapping_pins; /* of uint64_t: GPIO numbers the chip samples at reset */
    struct sdsim_list matches;        /* texts: remarks of measurements that mean it */
    struct sdsim_host_clock_params clocks[SDSIM_HOST_CLOCK_COUNT];
    struct sdsim_host_driver_params drivers[SDSIM_DRIVER_COUNT];
    struct sdsim_host_file_params files[SDSIM_API_COUNT];
    struct sdsim_host_usb_params usb;
    struct sdsim_host_mpsse_params mpsse;
};

struct sdsim_driver_profile {
    struct sdsim_driver_params params;
    int clock;           /* enum sdsim_host_clock */
    uint64_t default_hz; /* what is asked for when the sketch does not say */
    uint64_t cap_hz;     /* requests above are cut to this; 0: no cap */
    uint64_t init_hz;
    struct sdsim_list matches; /* texts; which published measurements mean it ... */
    uint64_t last_year;        /* ... made up to this year; 0: any */
};

enum sdsim_wires {
    SDSIM_WIRES_BOARD, /* traces on one board, or a socket on it */
    SDSIM_WIRES_SHORT, /* up to 5 cm */
    SDSIM_WIRES_LONG,  /* breadboard and jumper wires */
};

enum sdsim_volume_choice {
    SDSIM_VOLUME_AUTO, /* by capacity, as the SD Association formats */
    SDSIM_VOLUME_NONE,
    SDSIM_VOLUME_FAT12,
    SDSIM_VOLUME_FAT16,
    SDSIM_VOLUME_FAT32,
    SDSIM_VOLUME_EXFAT,
};

struct sdsim_filesystem_params {
    int type;           /* enum sdsim_volume_choice */
    uint64_t cluster;   /* bytes; 0: by capacity */
    uint64_t fats;      /* 1 or 2; 0: two on FAT */
    const char *engine; /* of fat/engines.h, or NULL: by host and file API */
    const char *image;  /* path, or NULL: a fresh volume */
    struct sdsim_preparation preparation;
};

/* What of a run is predicted and compared. */
enum sdsim_measure {
    SDSIM_MEASURE_USUAL, /* lines per second of a log, throughput of data, else the time of a call */
    SDSIM_MEASURE_THROUGHPUT,
    SDSIM_MEASURE_MEAN,
    SDSIM_MEASURE_MIN,
    SDSIM_MEASURE_MAX,
};

struct sdsim_run_params {
    const char *id;
    const struct sdsim_node *board; /* references; setup resolves them */
    const struct sdsim_node *host;
    const struct sdsim_node *driver;
    const struct sdsim_node *card;
    int bus; /* enum sdsim_bus_mode */
    bool bus_given;
    uint64_t clock_hz;      /* asked for; 0: the driver's default */
    int wires;              /* enum sdsim_wires */
    struct sdsim_list pins; /* of uint64_t: GPIO numbers used */
    bool usable_buffers;
    bool reads_exfat; /* the firmware is built with exFAT */
    struct sdsim_filesystem_params filesystem;
    struct sdsim_stream_params file; /* costs come from the host */
    struct sdsim_workload_params workload;
    int measure; /* enum sdsim_measure */
    struct sdsim_quantity measured;
    bool judged;        /* the prediction is held against `measured` */
    uint64_t tolerance; /* in 10^-9 of the measured value */
    bool headline;
    uint64_t seed;
};

/* A scenario file: the keys of a run, and runs. */
struct sdsim_scenario_params {
    struct sdsim_run_params run; /* first: the schemas share their offsets */
    struct sdsim_list runs;      /* of struct sdsim_run_params */
};

#endif

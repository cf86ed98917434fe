#include <stddef.h>
#include <string.h>

#include "config/kinds.h"
#include "setup/params.h"
#include "setup/schemas.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define AT(member)   offsetof(struct sdsim_run_params, member)

static const struct sdsim_choice buses[] = {
    {"spi", SDSIM_BUS_SPI, "SPI"},
    {"sd1", SDSIM_BUS_SD1, "SD bus, one data line"},
    {"sd4", SDSIM_BUS_SD4, "SD bus, four data lines"},
    {NULL, 0, NULL},
};

static const struct sdsim_choice wires[] = {
    {"board", SDSIM_WIRES_BOARD, "traces on one board"},
    {"short", SDSIM_WIRES_SHORT, "up to 5 cm"},
    {"long", SDSIM_WIRES_LONG, "breadboard, jumper wires"},
    {NULL, 0, NULL},
};

static const struct sdsim_choice volumes[] = {
    {"auto", SDSIM_VOLUME_AUTO, "by capacity: FAT16 to 2 GB, FAT32 to 32 GB, exFAT above"},
    {"none", SDSIM_VOLUME_NONE, "no file system"},
    {"fat12", SDSIM_VOLUME_FAT12, NULL},
    {"fat16", SDSIM_VOLUME_FAT16, NULL},
    {"fat32", SDSIM_VOLUME_FAT32, NULL},
    {"exfat", SDSIM_VOLUME_EXFAT, NULL},
    {NULL, 0, NULL},
};

static const struct sdsim_choice writers[] = {
    {"mcu", SDSIM_WRITER_MCU, "a microcontroller: takes the next free clusters"},
    {"pc", SDSIM_WRITER_PC, "a PC: looks for room in one run"},
    {NULL, 0, NULL},
};

static const struct sdsim_choice apis[] = {
#define SDSIM_FILE_API_CHOICE(code, name, doc, buffer, config) {name, SDSIM_API_##code, doc},
    SDSIM_FILE_API_LIST(SDSIM_FILE_API_CHOICE)
#undef SDSIM_FILE_API_CHOICE
        {NULL, 0, NULL},
};

static const struct sdsim_choice actions[] = {
    {"write", SDSIM_DO_WRITE, "sequential writes"},
    {"read", SDSIM_DO_READ, "sequential reads"},
    {"random-write", SDSIM_DO_RANDOM_WRITE, "writes at random places of what is there already"},
    {"random-read", SDSIM_DO_RANDOM_READ, "reads at random places"},
    {"random-mixed", SDSIM_DO_RANDOM_MIXED, "reads and writes at random places, as a database"},
    {"log", SDSIM_DO_LOG, "printed lines"},
    {"stream", SDSIM_DO_STREAM, "data that arrive at a rate, through a queue and a writer task"},
    {"play", SDSIM_DO_PLAY, "reads with deadlines: audio, animations"},
    {"append", SDSIM_DO_APPEND, "open for appending, write one call, close"},
    {"seek", SDSIM_DO_SEEK, "seek, read one call, seek back"},
    {"open", SDSIM_DO_OPEN, "open the last file of a directory"},
    {"open-each", SDSIM_DO_OPEN_EACH, "open each file of a directory by its path"},
    {"create", SDSIM_DO_CREATE, "create a file in a directory"},
    {"list", SDSIM_DO_LIST, "list a directory"},
    {"mount", SDSIM_DO_MOUNT, "mount the volume"},
    {"free-space", SDSIM_DO_FREE_SPACE, "ask for the free space after mounting"},
    {NULL, 0, NULL},
};

static const struct sdsim_choice targets[] = {
    {"file", SDSIM_ON_FILE, "a file"},
    {"raw", SDSIM_ON_RAW, "sectors, through the driver"},
    {"usb", SDSIM_ON_USB, "sectors, by a PC through USB mass storage at full speed"},
    {NULL, 0, NULL},
};

static const struct sdsim_choice timings[] = {
    {"calls", SDSIM_TIMED_CALLS, "the calls alone"},
    {"all", SDSIM_TIMED_ALL, "from open to close"},
    {"passes", SDSIM_TIMED_PASSES, "from open to close, `times` times; each counts as one call"},
    {NULL, 0, NULL},
};

static const struct sdsim_choice orders[] = {
    {"linear", SDSIM_ORDER_LINEAR, "one behind the other"},
    {"random", SDSIM_ORDER_RANDOM, "each place once, in random order"},
    {NULL, 0, NULL},
};

static const struct sdsim_choice queues[] = {
    {"ring", SDSIM_QUEUE_RING, "a ring buffer that is written from"},
    {"ping-pong", SDSIM_QUEUE_PING_PONG, "two buffers: one fills while the other is written"},
    {"items", SDSIM_QUEUE_ITEMS,
     "an operating system's queue of items, which the writer collects in a buffer of its own"},
    {NULL, 0, NULL},
};

static const struct sdsim_choice first_calls[] = {
    {"included", SDSIM_FIRST_CALL_INCLUDED, "like any other"},
    {"excluded", SDSIM_FIRST_CALL_EXCLUDED, "can't be the longest or the shortest; SdFat's bench"},
    {NULL, 0, NULL},
};

static const struct sdsim_choice measures[] = {
    {"throughput", SDSIM_MEASURE_THROUGHPUT, "bytes over the measured time"},
    {"mean-latency", SDSIM_MEASURE_MEAN, "the calls' time over their number"},
    {"min-latency", SDSIM_MEASURE_MIN, "the shortest call"},
    {"max-latency", SDSIM_MEASURE_MAX, "the longest call"},
    {NULL, 0, NULL},
};

static const struct sdsim_key filesystem_keys[] = {
    {.name = "type",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_filesystem_params, type),
     .fallback = "auto",
     .choices = volumes,
     .doc = "Kind of volume, freshly made."},
    {.name = "cluster",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_filesystem_params, cluster),
     .max = 33554432,
     .doc = "Cluster size; left out: as the SD Association formats."},
    {.name = "fats",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_filesystem_params, fats),
     .max = 2,
     .doc = "Copies of the FAT, 1 or 2; left out: two (exFAT: one)."},
    {.name = "fsinfo",
     .type = SDSIM_VALUE_BOOL,
     .offset = offsetof(struct sdsim_filesystem_params, preparation.fsinfo),
     .fallback = "yes",
     .doc = "FAT32: FSINFO tells the free count; some formatters leave it unknown."},
    {.name = "engine",
     .type = SDSIM_VALUE_TEXT,
     .offset = offsetof(struct sdsim_filesystem_params, engine),
     .doc =
         "The FAT library and its configuration, such as sdfat-two-caches or arduino-classic; left "
         "out: the host's for the file API, else as the API's firmware has it."},
    {.name = "image",
     .type = SDSIM_VALUE_TEXT,
     .offset = offsetof(struct sdsim_filesystem_params, image),
     .doc = "An image file to start from instead of a fresh volume; it is never changed."},
    {.name = "fill",
     .type = SDSIM_VALUE_PERCENT,
     .offset = offsetof(struct sdsim_filesystem_params, preparation.fill),
     .max = 1000000000,
     .doc = "Share of the volume in use before the workload."},
    {.name = "fragment",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_filesystem_params, preparation.fragment),
     .doc = "With fill: used and free space alternate in pieces of about this size; 0: one run."},
    {.name = "written_by",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_filesystem_params, preparation.writer),
     .fallback = "mcu",
     .choices = writers,
     .doc = "Who wrote the file that is read."},
};

static const struct sdsim_schema filesystem_schema = {
    .name = "filesystem",
    .doc = "The volume on the card.",
    .keys = filesystem_keys,
    .key_count = COUNT(filesystem_keys),
    .size = sizeof(struct sdsim_filesystem_params),
};

static const struct sdsim_key file_keys[] = {
    {.name = "api",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_stream_params, api),
     .fallback = "posix",
     .choices = apis,
     .doc = "How the application reads and writes files."},
    {.name = "buffer",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_stream_params, buffer),
     .max = SDSIM_STREAM_BUFFER_MAX,
     .doc = "stdio, arduino: size of the buffer; left out: the API's default."},
};

static const struct sdsim_schema file_schema = {
    .name = "file",
    .doc = "The file as the application sees it.",
    .keys = file_keys,
    .key_count = COUNT(file_keys),
    .size = sizeof(struct sdsim_stream_params),
};

static const struct sdsim_key workload_keys[] = {
    {.name = "do",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_workload_params, action),
     .fallback = "write",
     .choices = actions,
     .doc = "What the application does."},
    {.name = "on",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_workload_params, target),
     .fallback = "file",
     .choices = targets,
     .doc = "On what."},
    {.name = "timed",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_workload_params, timed),
     .fallback = "calls",
     .choices = timings,
     .doc = "What the measured time covers."},
    {.name = "call",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, call),
     .fallback = "4KiB",
     .min = 1,
     .max = 1073741824,
     .doc = "Bytes of one call; on raw sectors a multiple of 512."},
    {.name = "calls",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, calls),
     .list = true,
     .min = 1,
     .max = 1073741824,
     .doc = "Several call sizes: the run becomes one for each, named after it."},
    {.name = "total",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, total),
     .fallback = "1MiB",
     .min = 1,
     .max = 2199023255040,
     .doc = "Bytes in all, rounded up to whole calls."},
    {.name = "lines",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_workload_params, lines),
     .fallback = "10000",
     .min = 1,
     .max = 1000000000,
     .doc = "Lines of a log."},
    {.name = "start",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, start),
     .max = 2199023255040,
     .doc = "Raw: where on the card, a multiple of 512."},
    {.name = "span",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, span),
     .max = 2199023255040,
     .doc =
         "random-write, random-read on a file: its size, left out `total`. On raw sectors: bytes "
         "from `start` the calls stay within, left out the rest of the card; a write or read in "
         "sequence begins again at its end, left out never."},
    {.name = "align",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, align),
     .max = 2199023255040,
     .doc = "random-write, random-read: places are multiples of it; left out: of `call`."},
    {.name = "offset",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, offset),
     .max = 2199023255040,
     .doc = "random-write, random-read: added to each place, so that calls lie before or across a "
            "boundary, as flashbench --align reads."},
    {.name = "streams",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_workload_params, streams),
     .fallback = "1",
     .min = 1,
     .max = 65536,
     .doc = "Raw: the calls go in turns to so many regions, as flashbench --open-au writes."},
    {.name = "region",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, region),
     .max = 2199023255040,
     .doc =
         "Raw: size of a region; left out: the card's allocation unit (au). When the regions are "
         "full, all move on."},
    {.name = "stream_distance",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, stream_distance),
     .max = 2199023255040,
     .doc =
         "Raw: from the start of a region to that of the next; left out: `region`. flashbench has "
         "12 allocation units."},
    {.name = "order",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_workload_params, order),
     .fallback = "linear",
     .choices = orders,
     .doc = "Raw write, read: order within a region; random-write and random-read with streams are "
            "random."},
    {.name = "first_call",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_workload_params, first_call),
     .fallback = "included",
     .choices = first_calls,
     .doc = "Whether the first call (of writes under 512B: those of the first sector) can be the "
            "longest or shortest."},
    {.name = "final_sync",
     .type = SDSIM_VALUE_BOOL,
     .offset = offsetof(struct sdsim_workload_params, final_sync),
     .doc = "A sync after the last call, inside the measured time."},
    {.name = "sync_every",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_workload_params, sync_every),
     .max = 1000000000,
     .doc = "Calls or lines between two syncs; 0: never."},
    {.name = "rotate_every",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, rotate_every),
     .doc = "write: bytes after which a new file begins; 0: one file."},
    {.name = "preallocate",
     .type = SDSIM_VALUE_BOOL,
     .offset = offsetof(struct sdsim_workload_params, preallocate),
     .doc = "write: room for `total` is allocated in one run before the first call."},
    {.name = "times",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_workload_params, times),
     .fallback = "1",
     .min = 1,
     .max = 1000000000,
     .doc = "append, seek, open, create, list, mount, and timed: passes: how often."},
    {.name = "files",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_workload_params, files),
     .max = 100000,
     .doc = "open, open-each, create, list: files in the directory before."},
    {.name = "name_length",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_workload_params, name_length),
     .max = 255,
     .doc =
         "Characters in the names of these files; up to 12 they are short names of one directory "
         "entry, else of one more for each 13 characters."},
    {.name = "parallel",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_workload_params, parallel),
     .fallback = "1",
     .min = 1,
     .max = 256,
     .doc = "write, read, play: files that are open at once; the calls go to them in turns."},
    {.name = "reads",
     .type = SDSIM_VALUE_PERCENT,
     .offset = offsetof(struct sdsim_workload_params, reads),
     .fallback = "50%",
     .max = 1000000000,
     .doc = "random-mixed: share of the calls that read; sync_every makes transactions."},
    {.name = "play",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct sdsim_workload_params, play),
     .schema = &sdsim_play_schema,
     .doc = "play: the player."},
    {.name = "other_device",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct sdsim_workload_params, other_device),
     .schema = &sdsim_sharer_schema,
     .doc = "Another device on the card's SPI bus, which takes it from time to time."},
    {.name = "position",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, position),
     .doc = "seek: where to; left out: the middle of `total`."},
    {.name = "rate",
     .type = SDSIM_VALUE_RATE,
     .offset = offsetof(struct sdsim_workload_params, logger.rate),
     .max = SDSIM_ARRIVALS_MOST_RATE,
     .doc = "stream: how fast data arrive, evenly."},
    {.name = "burst",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, logger.burst),
     .max = 1073741824,
     .doc = "stream: or so many bytes at once ..."},
    {.name = "burst_every",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct sdsim_workload_params, logger.burst_every),
     .doc = "stream: ... so often."},
    {.name = "arrivals",
     .type = SDSIM_VALUE_TEXT,
     .offset = offsetof(struct sdsim_workload_params, logger.arrivals),
     .doc = "stream: or as a file says, a line for each arrival: 12.5ms,512."},
    {.name = "duration",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct sdsim_workload_params, logger.duration),
     .max = 17280000 * SDSIM_S,
     .doc = "stream: how long data arrive; left out: until `total` has."},
    {.name = "queue",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_workload_params, logger.queue),
     .fallback = "ring",
     .choices = queues,
     .doc = "stream: what stands between producer and writer."},
    {.name = "ram",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, logger.ram),
     .max = 1073741824,
     .doc = "stream: size of the ring, of both buffers, or of all items; left out: as much as it "
            "takes."},
    {.name = "item",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_workload_params, logger.item),
     .max = 1073741824,
     .doc = "stream: size of an item of `queue: items`; left out: a burst."},
    {.name = "sync_interval",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct sdsim_workload_params, logger.sync_interval),
     .doc = "stream: time between two syncs; 0: none by time."},
    {.name = "usb",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct sdsim_workload_params, usb),
     .schema = &sdsim_usb_schema,
     .doc = "on: usb: the device between PC and card."},
};

static const struct sdsim_schema workload_schema = {
    .name = "workload",
    .doc = "What the application does with the card.",
    .keys = workload_keys,
    .key_count = COUNT(workload_keys),
    .size = sizeof(struct sdsim_workload_params),
};

/* What a board bundles; all of it may stand in a run as well. */
#define BOARD_KEYS                                                                                 \
    {.name = "host",                                                                               \
     .type = SDSIM_VALUE_PROFILE,                                                                  \
     .offset = AT(host),                                                                           \
     .profile_kind = "host",                                                                       \
     .doc = "The microcontroller."},                                                               \
        {.name = "driver",                                                                         \
         .type = SDSIM_VALUE_PROFILE,                                                              \
         .offset = AT(driver),                                                                     \
         .profile_kind = "driver",                                                                 \
         .doc = "The driver."},                                                                    \
        {.name = "bus",                                                                            \
         .type = SDSIM_VALUE_CHOICE,                                                               \
         .offset = AT(bus),                                                                        \
         .given_offset = AT(bus_given) + 1,                                                        \
         .choices = buses,                                                                         \
         .doc = "How the card is wired; left out: SPI, or 4-bit with a driver that has no SPI."},  \
        {.name = "clock",                                                                          \
         .type = SDSIM_VALUE_FREQUENCY,                                                            \
         .offset = AT(clock_hz),                                                                   \
         .min = 1000,                                                                              \
         .max = 208000000,                                                                         \
         .doc = "Clock the application asks for; left out: the driver's default."},                \
        {.name = "wires",                                                                          \
         .type = SDSIM_VALUE_CHOICE,                                                               \
         .offset = AT(wires),                                                                      \
         .fallback = "board",                                                                      \
         .choices = wires,                                                                         \
         .doc = "What the signals run over."},                                                     \
        {.name = "pins",                                                                           \
         .type = SDSIM_VALUE_COUNT,                                                                \
         .offset = AT(pins),                                                                       \
         .list = true,                                                                             \
         .max = 255,                                                                               \
         .doc = "GPIO numbers the card hangs on, port * 16 or 32 + bit where ports have letters; " \
                "the core's own numbers on Arduino boards and Teensys."},                          \
        {.name = "usable_buffers",                                                                 \
         .type = SDSIM_VALUE_BOOL,                                                                 \
         .offset = AT(usable_buffers),                                                             \
         .fallback = "yes",                                                                        \
         .doc = "The application's buffers are aligned and in memory DMA can reach."},             \
        {.name = "reads_exfat",                                                                    \
         .type = SDSIM_VALUE_BOOL,                                                                 \
         .offset = AT(reads_exfat),                                                                \
         .fallback = "yes",                                                                        \
         .doc = "The firmware is built with exFAT, if its FAT library can be."},                   \
    {                                                                                              \
        .name = "file", .type = SDSIM_VALUE_MAP, .offset = AT(file), .schema = &file_schema,       \
        .doc = "File API."                                                                         \
    }

#define RUN_KEYS                                                                                   \
    {.name = "id",                                                                                 \
     .type = SDSIM_VALUE_TEXT,                                                                     \
     .offset = AT(id),                                                                             \
     .doc = "Names the run within its scenario."},                                                 \
        {.name = "board",                                                                          \
         .type = SDSIM_VALUE_PROFILE,                                                              \
         .offset = AT(board),                                                                      \
         .profile_kind = "board",                                                                  \
         .doc = "A board: host, driver and wiring at once. What the run says itself wins."},       \
        {.name = "card",                                                                           \
         .type = SDSIM_VALUE_PROFILE,                                                              \
         .offset = AT(card),                                                                       \
         .profile_kind = "card",                                                                   \
         .doc = "The card."},                                                                      \
        {.name = "filesystem",                                                                     \
         .type = SDSIM_VALUE_MAP,                                                                  \
         .offset = AT(filesystem),                                                                 \
         .schema = &filesystem_schema,                                                             \
         .doc = "The volume."},                                                                    \
        {.name = "workload",                                                                       \
         .type = SDSIM_VALUE_MAP,                                                                  \
         .offset = AT(workload),                                                                   \
         .schema = &workload_schema,                                                               \
         .doc = "What is done."},                                                                  \
        {.name = "measure",                                                                        \
         .type = SDSIM_VALUE_CHOICE,                                                               \
         .offset = AT(measure),                                                                    \
         .choices = measures,                                                                      \
         .doc = "What is predicted, and was measured; left out: what suits the workload."},        \
        {.name = "measured",                                                                       \
         .type = SDSIM_VALUE_QUANTITY,                                                             \
         .offset = AT(measured),                                                                   \
         .doc = "What was measured on real hardware: a value or low..high."},                      \
        {.name = "tolerance",                                                                      \
         .type = SDSIM_VALUE_PERCENT,                                                              \
         .offset = AT(tolerance),                                                                  \
         .fallback = "10%",                                                                        \
         .max = 10000000000,                                                                       \
         .doc = "How far the prediction may be off before `compare` fails."},                      \
        {.name = "judged",                                                                         \
         .type = SDSIM_VALUE_BOOL,                                                                 \
         .offset = AT(judged),                                                                     \
         .fallback = "true",                                                                       \
         .doc = "Whether there is a tolerance; false: too little is known of how it was "          \
                "measured, so the error is only shown."},                                          \
        {.name = "headline",                                                                       \
         .type = SDSIM_VALUE_BOOL,                                                                 \
         .offset = AT(headline),                                                                   \
         .doc = "Belongs to the headline measurements, which are counted apart."},                 \
    {                                                                                              \
        .name = "seed", .type = SDSIM_VALUE_COUNT, .offset = AT(seed), .fallback = "1",            \
        .doc = "Where all luck comes from."                                                        \
    }

static const struct sdsim_key board_keys[] = {BOARD_KEYS};
static const struct sdsim_key run_keys[] = {RUN_KEYS, BOARD_KEYS};

const struct sdsim_schema sdsim_board_schema = {
    .name = "board",
    .doc =
        "A board: a host, how a card is wired to it, and the driver and file API its users have.",
    .keys = board_keys,
    .key_count = COUNT(board_keys),
    .size = sizeof(struct sdsim_run_params),
};

const struct sdsim_schema sdsim_run_schema = {
    .name = "run",
    .doc = "One run: the same keys as the scenario, laid over them.",
    .keys = run_keys,
    .key_count = COUNT(run_keys),
    .size = sizeof(struct sdsim_run_params),
};

static const struct sdsim_key scenario_keys[] = {
    RUN_KEYS,
    BOARD_KEYS,
    {.name = "runs",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct sdsim_scenario_params, runs),
     .list = true,
     .schema = &sdsim_run_schema,
     .doc = "The runs; left out: the scenario is one run itself."},
};

const struct sdsim_schema sdsim_scenario_schema = {
    .name = "scenario",
    .doc = "A scenario: a board with a card, what is done with it, and what was measured.",
    .keys = scenario_keys,
    .key_count = COUNT(scenario_keys),
    .size = sizeof(struct sdsim_scenario_params),
};

const struct sdsim_schema *sdsim_schema_for(const char *kind)
{
    static const struct {
        const char *kind;
        const struct sdsim_schema *schema;
    } schemas[] = {
#define SDSIM_KIND_ROW(kind, folder) {#kind, &sdsim_##kind##_schema},
        SDSIM_KIND_LIST(SDSIM_KIND_ROW)
#undef SDSIM_KIND_ROW
    };
    for (size_t i = 0; i < COUNT(schemas); i++) {
        if (strcmp(schemas[i].kind, kind) == 0) {
            return schemas[i].schema;
        }
    }
    return NULL;
}

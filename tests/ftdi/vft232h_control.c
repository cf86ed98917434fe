#include "ftdi/vft232h_control.h"

#include <errno.h>
#include <string.h>

enum {
    FT232R_PRODUCT = 0x6001,
    FT232R_RELEASE = 0x0600,

    GET_DESCRIPTOR = 0x0680, /* request and request type */
    VENDOR_OUT = 0x40,
    VENDOR_IN = 0xC0,

    REQUEST_RESET = 0x00,
    REQUEST_MODEM_CONTROL = 0x01,
    REQUEST_FLOW_CONTROL = 0x02,
    REQUEST_BAUD_RATE = 0x03,
    REQUEST_DATA = 0x04,
    REQUEST_MODEM_STATUS = 0x05,
    REQUEST_EVENT_CHARACTER = 0x06,
    REQUEST_ERROR_CHARACTER = 0x07,
    REQUEST_SET_LATENCY = 0x09,
    REQUEST_GET_LATENCY = 0x0A,
    REQUEST_BIT_MODE = 0x0B,
    REQUEST_PINS = 0x0C,
    REQUEST_EEPROM = 0x90,

    RESET_ALL = 0,
    RESET_OUT_FIFO = 1,
    RESET_IN_FIFO = 2,

    MODE_MPSSE = 0x02,
};

void sdsim_ftdi_control_init(struct sdsim_ftdi_control *control, struct sdsim_engine *engine,
                             const struct sdsim_virtual_chip *chip)
{
    *control = (struct sdsim_ftdi_control){.engine = engine, .chip = chip, .latency = 16};
}

/* ---- descriptors ---- */

static size_t put(uint8_t *bytes, size_t at, const uint8_t *more, size_t count)
{
    memcpy(bytes + at, more, count);
    return at + count;
}

static unsigned interfaces(const struct sdsim_virtual_chip *chip)
{
    static const unsigned counts[] = {[SDSIM_FT232H] = 1, [SDSIM_FT2232H] = 2, [SDSIM_FT4232H] = 4};
    return chip->ft232r ? 1 : counts[chip->kind];
}

size_t sdsim_ftdi_descriptors(const struct sdsim_virtual_chip *chip, uint8_t bytes[256])
{
    const struct sdsim_ftdi_chip *kind = sdsim_ftdi_chip(chip->kind);
    const uint16_t product = chip->ft232r ? FT232R_PRODUCT : kind->product;
    const uint16_t release = chip->ft232r ? FT232R_RELEASE : kind->release;
    const unsigned count = interfaces(chip);
    const uint8_t total = (uint8_t)(9 + 23 * count);
    const uint8_t device[] = {18,
                              1,
                              0x00,
                              0x02,
                              0,
                              0,
                              0,
                              64,
                              0x03,
                              0x04,
                              (uint8_t)product,
                              (uint8_t)(product >> 8),
                              (uint8_t)release,
                              (uint8_t)(release >> 8),
                              1,
                              2,
                              3,
                              1};
    const uint8_t configuration[] = {9, 2, total, 0, (uint8_t)count, 1, 0, 0x80, 45};
    size_t at = put(bytes, 0, device, sizeof device);
    at = put(bytes, at, configuration, sizeof configuration);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t in = (uint8_t)(0x81 + 2 * i);
        const uint8_t out = (uint8_t)(0x02 + 2 * i);
        const uint8_t interface[] = {9, 4,    (uint8_t)i, 0, 2, 0xFF, 0xFF, 0xFF, 2,    7,    5, in,
                                     2, 0x00, 0x02,       0, 7, 5,    out,  2,    0x00, 0x02, 0};
        at = put(bytes, at, interface, sizeof interface);
    }
    return at;
}

/* A string descriptor in `bytes`; 0: the list of languages. */
static int string(const struct sdsim_ftdi_control *control, unsigned index, uint8_t *bytes,
                  size_t room)
{
    const char *serial = control->chip->serial != NULL ? control->chip->serial : "SDSIM001";
    const char *const texts[] = {"\x09", "FTDI", "virtual chip of sdsim", serial};
    if (index >= sizeof texts / sizeof *texts) {
        return -EPIPE;
    }
    uint8_t made[2 + 2 * 64];
    size_t size = 2;
    for (const char *c = texts[index]; *c != '\0' && size + 2 <= sizeof made; c++) {
        made[size++] = (uint8_t)*c;
        made[size++] = index == 0 ? 0x04 : 0; /* language 0409 */
    }
    made[0] = (uint8_t)size;
    made[1] = 3;
    const size_t count = size < room ? size : room;
    memcpy(bytes, made, count);
    return (int)count;
}

/* ---- requests ---- */

static int answer(uint8_t *bytes, size_t room, const uint8_t *answered, size_t count)
{
    count = count < room ? count : room;
    memcpy(bytes, answered, count);
    return (int)count;
}

static int vendor_in(struct sdsim_ftdi_control *control, uint8_t request, uint8_t *bytes,
                     size_t room)
{
    static const uint8_t status[] = {0x01, 0x60};
    static const uint8_t erased[] = {0xFF, 0xFF};
    switch (request) {
    case REQUEST_MODEM_STATUS:
        return answer(bytes, room, status, sizeof status);
    case REQUEST_GET_LATENCY:
        return answer(bytes, room, &control->latency, 1);
    case REQUEST_PINS: {
        const uint8_t pins = sdsim_engine_pins(control->engine);
        return answer(bytes, room, &pins, 1);
    }
    case REQUEST_EEPROM:
        return answer(bytes, room, erased, sizeof erased);
    default:
        control->unknown++;
        return -EPIPE;
    }
}

static void reset(struct sdsim_ftdi_control *control, uint16_t value)
{
    if (value != RESET_IN_FIFO) {
        sdsim_engine_purge_out(control->engine);
    }
    if (value != RESET_OUT_FIFO) {
        sdsim_engine_purge_in(control->engine);
    }
}

static int vendor_out(struct sdsim_ftdi_control *control, uint8_t request, uint16_t value)
{
    switch (request) {
    case REQUEST_RESET:
        reset(control, value);
        return 0;
    case REQUEST_SET_LATENCY:
        control->latency = (uint8_t)(value != 0 ? value : 1);
        return 0;
    case REQUEST_BIT_MODE:
        control->mpsse = value >> 8 == MODE_MPSSE && !control->chip->ft232r;
        sdsim_engine_reset(control->engine);
        return 0;
    case REQUEST_MODEM_CONTROL:
    case REQUEST_FLOW_CONTROL:
    case REQUEST_BAUD_RATE:
    case REQUEST_DATA:
    case REQUEST_EVENT_CHARACTER:
    case REQUEST_ERROR_CHARACTER:
        return 0; /* of the UART */
    default:
        control->unknown++;
        return -EPIPE;
    }
}

int sdsim_ftdi_control(struct sdsim_ftdi_control *control, uint8_t *bytes, size_t room)
{
    const uint8_t type = bytes[0];
    const uint8_t request = bytes[1];
    const uint16_t value = (uint16_t)(bytes[2] | bytes[3] << 8);
    const uint16_t length = (uint16_t)(bytes[6] | bytes[7] << 8);
    room = room < length ? room : length;
    if ((request << 8 | type) == GET_DESCRIPTOR && value >> 8 == 3) {
        return string(control, value & 0xFF, bytes + 8, room);
    }
    if (type == VENDOR_IN) {
        return vendor_in(control, request, bytes + 8, room);
    }
    if (type == VENDOR_OUT) {
        return vendor_out(control, request, value);
    }
    control->unknown++;
    return -EPIPE;
}

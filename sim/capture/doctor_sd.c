/*
 * The picture of an SD bus: what the card must be in, from its commands and responses.
 */
#include "capture/doctor_parts.h"

static uint32_t word_of(const struct sdsim_item *response)
{
    const uint8_t *bytes = response->bytes;
    return (uint32_t)bytes[1] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 8 | bytes[4];
}

static void note_command(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    struct sdsim_doctor_sd_bus *sd = &bus->sd;
    bus->commands++;
    bus->asked = (struct sdsim_doctor_asked){.known = true,
                                             .index = item->index,
                                             .app = item->app,
                                             .argument = item->argument,
                                             .crc = item->crc,
                                             .at = item->at,
                                             .start = item->start};
    if (item->index != 13) {
        sd->awaited = false;
    }
    if (item->index == 0) {
        sdsim_doctor_note_reset(bus);
        *sd = (struct sdsim_doctor_sd_bus){.narrow = sd->narrow, .probed = sd->probed};
    } else if (item->index == 41) {
        sdsim_doctor_note_init(bus, item);
    } else if (!item->app && sdsim_doctor_deselects(bus, item->index, item->argument)) {
        sd->standby = true;
    } else if (item->index == 12) {
        bus->open_read = bus->open_write = false;
    } else if (sdsim_doctor_moves_blocks(item->index, item->app)) {
        sdsim_doctor_note_address(bus, item->argument);
    }
    if (!item->app && (item->index == 17 || item->index == 18)) {
        sd->read_start = item->start;
        sd->read_at = item->at;
        sd->read_index = item->index;
    }
}

static void begin_transfer(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    struct sdsim_doctor_sd_bus *sd = &bus->sd;
    bus->open_read = item->index == 18 && sd->set_count == 0;
    bus->open_write = item->index == 25 && sd->set_count == 0;
    sd->reads = item->index == 17 || item->index == 18;
    sd->awaited = sd->reads;
    sd->moved = 0;
    sd->set_count = 0;
}

/* What a command did that its response says was taken. */
static void note_success(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    struct sdsim_doctor_sd_bus *sd = &bus->sd;
    const uint32_t argument = bus->asked.argument;
    if (item->app) {
        sd->wide = item->index == 6 ? (argument & 3) == 2 : sd->wide;
        return;
    }
    switch (item->index) {
    case 3:
        sd->rca = (uint16_t)(word_of(item) >> 16);
        sd->rca_known = true;
        sd->standby = true;
        break;
    case 6:
        if ((argument & 0x80000000u) != 0 && (argument & 15) != 15) { /* 15: as it is */
            sd->switched = (argument & 15) != 0;
        }
        break;
    case 7:
        sd->standby = false;
        break;
    case 16:
        bus->length_set = true;
        break;
    case 17:
    case 18:
    case 24:
    case 25:
        begin_transfer(bus, item);
        break;
    case 23:
        sd->set_count = argument;
        break;
    default:
        break;
    }
}

static void note_response(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    bus->responses++;
    bus->asked.answered = true;
    sdsim_doctor_note_csd(bus, item, 1);
    if (item->crc == SDSIM_ITEM_CRC_WRONG || item->size != SDSIM_FRAME_SIZE) {
        return;
    }
    if (item->index == 41) {
        bus->inits_answered++;
        bus->ocr = word_of(item);
        bus->ocr_seen = true;
        bus->ocr_known = (bus->ocr & 0x80000000u) != 0;
        bus->was_ready = bus->was_ready || bus->ocr_known;
        bus->last_init_ready = bus->ocr_known;
    } else if (item->index == 8 && !item->app) {
        bus->version = SDSIM_DOCTOR_VERSION_2;
    } else if (sdsim_doctor_has_status(item)) {
        bus->sd.probed = false;
        if ((sdsim_doctor_status(item) & SDSIM_DOCTOR_REFUSALS) == 0) {
            note_success(bus, item);
        }
    } else {
        note_success(bus, item);
    }
}

static void note_block(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    struct sdsim_doctor_sd_bus *sd = &bus->sd;
    const bool read = item->kind == SDSIM_ITEM_READ_BLOCK;
    bus->asked.moved = true;
    bus->blocks_read += read;
    bus->blocks_written += !read;
    sd->awaited = false;
    sd->status_due = !read;
    sd->moved++;
    sd->narrow += item->count == 1 && sdsim_doctor_moves_blocks(item->index, item->app);
}

void sdsim_doctor_note_sd(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        note_command(bus, item);
        break;
    case SDSIM_ITEM_RESPONSE:
        note_response(bus, item);
        break;
    case SDSIM_ITEM_NO_RESPONSE:
        bus->asked.silent = true;
        bus->asked.looked = item->gap;
        bus->sd.probed = bus->sd.probed || sdsim_doctor_is_probe(item);
        break;
    case SDSIM_ITEM_IDLE_CLOCKS:
        bus->idle_clocks += bus->commands == 0 ? item->count : 0;
        break;
    case SDSIM_ITEM_READ_BLOCK:
    case SDSIM_ITEM_WRITE_BLOCK:
        note_block(bus, item);
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        bus->sd.status_due = false;
        break;
    case SDSIM_ITEM_BUSY:
        bus->busy_bytes += item->count;
        break;
    case SDSIM_ITEM_CUT:
        bus->cut = true;
        break;
    default:
        break;
    }
}

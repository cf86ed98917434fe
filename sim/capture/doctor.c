#include "capture/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/doctor_parts.h"
#include "card/registers.h"
#include "core/crc.h"

#define OCR_READY 0x80000000u

/* ---- findings ---- */

static void report(struct sdsim_doctor_case *c, enum sdsim_doctor_confidence confidence,
                   uint64_t at, sdsim_ps time, const char *format, va_list arguments)
{
    struct sdsim_doctor_finding *finding = &c->doctor->findings[c->rule];
    if (finding->count++ > 0) {
        return;
    }
    finding->rule = &sdsim_doctor_book(c->doctor->source.sd)->rules[c->rule];
    finding->confidence = confidence;
    finding->at = at;
    finding->time = time;
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
}

uint8_t sdsim_doctor_frame_crc(const struct sdsim_item *command)
{
    return sdsim_crc7_byte(command->bytes, 5);
}

void sdsim_doctor_report_at(struct sdsim_doctor_case *c, enum sdsim_doctor_confidence confidence,
                            uint64_t at, sdsim_ps time, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(c, confidence, at, time, format, arguments);
    va_end(arguments);
}

void sdsim_doctor_report(struct sdsim_doctor_case *c, enum sdsim_doctor_confidence confidence,
                         const char *format, ...)
{
    const struct sdsim_doctor_asked *asked = &c->bus->asked;
    va_list arguments;
    va_start(arguments, format);
    report(c, confidence, c->item != NULL ? c->item->at : asked->at,
           c->item != NULL ? c->item->start : asked->start, format, arguments);
    va_end(arguments);
}

const struct sdsim_doctor_finding *sdsim_doctor_finding(const struct sdsim_doctor *doctor, size_t i)
{
    return &doctor->findings[i];
}

const struct sdsim_doctor_book *sdsim_doctor_book(bool sd)
{
    return sd ? &sdsim_doctor_sd_book : &sdsim_doctor_spi_book;
}

size_t sdsim_doctor_found(const struct sdsim_doctor *doctor, enum sdsim_severity least)
{
    size_t found = 0;
    for (size_t i = 0; i < sdsim_doctor_book(doctor->source.sd)->count; i++) {
        const struct sdsim_doctor_finding *finding = &doctor->findings[i];
        found += finding->count > 0 && finding->rule->severity >= least;
    }
    return found;
}

const char *sdsim_doctor_confidence_name(enum sdsim_doctor_confidence confidence)
{
    static const char *const names[] = {"possible", "likely", "sure"};
    return names[confidence];
}

static void check_rules(struct sdsim_doctor *doctor, const struct sdsim_item *item)
{
    const struct sdsim_doctor_book *book = sdsim_doctor_book(doctor->source.sd);
    for (size_t i = 0; i < book->count; i++) {
        struct sdsim_doctor_case c = {
            .doctor = doctor, .bus = &doctor->bus, .item = item, .rule = i};
        book->rules[i].check(&c);
    }
}

/* ---- the picture of the bus ---- */

void sdsim_doctor_note_reset(struct sdsim_doctor_bus *bus)
{
    bus->reset = true;
    bus->was_ready = false;
    bus->crc_on = false;
    bus->length_set = false;
    bus->ocr_seen = bus->ocr_known = false;
    bus->version = SDSIM_DOCTOR_VERSION_UNKNOWN;
    bus->inits = bus->inits_answered = 0;
    bus->init_with_hcs = false;
    bus->init_gap = 0;
    bus->open_read = bus->open_write = false;
}

void sdsim_doctor_note_init(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    if (bus->inits++ == 0) {
        bus->init_first = item->start;
    } else if (item->start - bus->init_last > bus->init_gap) {
        bus->init_gap = item->start - bus->init_last;
    }
    bus->init_last = item->start;
    bus->init_at = item->at;
    bus->init_with_hcs = bus->init_with_hcs || (item->argument & 0x40000000u) != 0;
    bus->last_inits = bus->inits;
    bus->last_init_time = bus->init_last - bus->init_first;
    bus->last_init_ready = false;
}

void sdsim_doctor_note_address(struct sdsim_doctor_bus *bus, uint32_t address)
{
    if (bus->addresses > 0 && address - bus->last_address == 512) {
        bus->steps_of_512++;
    }
    bus->addresses++;
    bus->addresses_by_512 += address % 512 == 0;
    bus->last_address = address;
}

static void note_command(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    bus->unseen = item->deselected;
    if (item->deselected) {
        return;
    }
    bus->commands++;
    bus->after_stop = false;
    bus->answer_missing = false;
    bus->strays = 0;
    bus->asked = (struct sdsim_doctor_asked){.known = true,
                                             .index = item->index,
                                             .app = item->app,
                                             .argument = item->argument,
                                             .busy = item->busy,
                                             .at = item->at,
                                             .start = item->start};
    if (item->index == 0) {
        sdsim_doctor_note_reset(bus);
    } else if (item->index == 1 && !item->app) {
        bus->old_init = true;
    } else if (item->index == 41) {
        sdsim_doctor_note_init(bus, item);
    } else if (item->index == 12) {
        bus->open_read = bus->open_write = false;
    } else if (sdsim_doctor_moves_blocks(item->index, item->app)) {
        sdsim_doctor_note_address(bus, item->argument);
    }
}

/* A response that says the command was taken. */
static void note_success(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    const struct sdsim_doctor_asked *asked = &bus->asked;
    const bool ready = (item->bytes[0] & SDSIM_SPI_R1_IDLE) == 0;
    switch (item->index) {
    case 1:
    case 41:
        bus->was_ready = bus->was_ready || ready;
        bus->last_init_ready = bus->last_init_ready || (ready && item->index == 41);
        break;
    case 16:
        bus->length_set = true;
        break;
    case 18:
        bus->open_read = !item->app;
        break;
    case 25:
        bus->open_write = !item->app;
        break;
    case 59:
        bus->crc_on = (asked->argument & 1) != 0;
        break;
    default:
        break;
    }
}

void sdsim_doctor_note_csd(struct sdsim_doctor_bus *bus, const struct sdsim_item *item,
                           size_t before)
{
    if (item->index == 9 && !item->app && item->size == before + sizeof bus->csd &&
        item->bytes != NULL && item->crc != SDSIM_ITEM_CRC_WRONG) {
        memcpy(bus->csd, item->bytes + before, sizeof bus->csd);
        bus->csd_known = true;
    }
}

bool sdsim_doctor_overran(const struct sdsim_doctor_case *c, struct sdsim_overrun *overrun)
{
    const bool busy = sdsim_doctor_is(c, SDSIM_ITEM_BUSY) && sdsim_doctor_busy_has_limit(c->item);
    if ((!busy && !sdsim_doctor_is(c, SDSIM_ITEM_READ_BLOCK)) || !c->item->timed) {
        return false;
    }
    const struct sdsim_doctor_bus *bus = c->bus;
    const struct sdsim_busy_limit limit = sdsim_busy_limit(
        bus->csd_known ? bus->csd : NULL, bus->ocr_known && (bus->ocr & SDSIM_OCR_CCS) == 0);
    const sdsim_ps took = busy ? c->item->end - c->item->start : c->item->gap_time;
    const bool perhaps = busy && took <= limit.perhaps;
    *overrun = (struct sdsim_overrun){
        .took = took,
        .busy = busy,
        .certainty = perhaps ? SDSIM_DOCTOR_LIKELY : SDSIM_DOCTOR_SURE,
        .unless = perhaps ? "; an SDXC card may take 500 ms, and the record does not say which "
                            "card it is"
                          : "",
    };
    return took > (busy ? limit.longest : 100 * SDSIM_MS);
}

static void note_response(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    const uint8_t r1 = item->bytes[0];
    bus->responses++;
    bus->asked.answered = true;
    bus->asked.r1 = r1;
    bus->strays = 0;
    if (item->index == 41) {
        bus->inits_answered++;
        bus->init_r1 = r1;
    }
    if (item->index == 8 && !item->app) {
        bus->version = (r1 & SDSIM_SPI_R1_ILLEGAL) != 0 ? SDSIM_DOCTOR_VERSION_1
                       : item->size == 5                ? SDSIM_DOCTOR_VERSION_2
                                                        : bus->version;
    }
    if (item->index == 58 && item->size == 5) {
        bus->ocr = (uint32_t)item->bytes[1] << 24 | (uint32_t)item->bytes[2] << 16 |
                   (uint32_t)item->bytes[3] << 8 | item->bytes[4];
        bus->ocr_seen = true;
        bus->ocr_known = (bus->ocr & OCR_READY) != 0;
    }
    if ((r1 & ~SDSIM_SPI_R1_IDLE) == 0) {
        note_success(bus, item);
    }
}

static void note_silence(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    bus->asked.silent = true;
    bus->asked.given_over = item->open;
    bus->asked.looked = item->gap;
    if (item->index == 0 && item->gap >= 8 && bus->strays == 0 && !bus->asked.busy &&
        bus->silent_resets++ == 0) {
        bus->silent_looked = item->gap;
        bus->silent_at = bus->asked.at;
        bus->silent_start = bus->asked.start;
    }
}

static void note_stray(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    if (!item->from_card) {
        return;
    }
    if (bus->strays == 0) {
        bus->stray_first = item->bytes[0];
    }
    bus->strays += item->count;
    bus->stray_last = item->bytes[item->size - 1];
}

/* A block or a response that came to an early end. */
static void note_pending(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    if (item->kind == SDSIM_ITEM_STRAY || item->kind == SDSIM_ITEM_BUSY) {
        return;
    }
    bus->pending = (struct sdsim_item){.kind = SDSIM_ITEM_CUT};
    if (item->open && (item->kind == SDSIM_ITEM_READ_BLOCK ||
                       item->kind == SDSIM_ITEM_WRITE_BLOCK || item->kind == SDSIM_ITEM_RESPONSE)) {
        bus->pending = *item;
        bus->pending.bytes = NULL;
    }
}

static void note(struct sdsim_doctor_bus *bus, const struct sdsim_item *item)
{
    note_pending(bus, item);
    switch (item->kind) {
    case SDSIM_ITEM_COMMAND:
        note_command(bus, item);
        break;
    case SDSIM_ITEM_RESPONSE:
        note_response(bus, item);
        break;
    case SDSIM_ITEM_NO_RESPONSE:
        note_silence(bus, item);
        break;
    case SDSIM_ITEM_IDLE_CLOCKS:
        if (bus->commands == 0) {
            bus->idle_clocks += item->count;
            bus->idle_odd += item->odd_host;
        }
        bus->unseen = false;
        break;
    case SDSIM_ITEM_WRITE_BLOCK:
        bus->asked.moved = true;
        bus->answer_missing = !item->open && !item->busy;
        bus->block_crc = item->crc;
        bus->blocks_written += !item->open;
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        bus->answer_missing = false;
        break;
    case SDSIM_ITEM_READ_BLOCK:
        sdsim_doctor_note_csd(bus, item, 0);
        bus->asked.moved = true;
        bus->strays = 0;
        bus->blocks_read += !item->open;
        break;
    case SDSIM_ITEM_STOP_TOKEN:
        bus->open_write = false;
        bus->after_stop = true;
        bus->answer_missing = false;
        break;
    case SDSIM_ITEM_BUSY:
        bus->busy_bytes += item->count;
        bus->after_stop = false;
        bus->answer_missing = false;
        break;
    case SDSIM_ITEM_DESELECT:
        bus->after_stop = false;
        bus->answer_missing = false;
        break;
    case SDSIM_ITEM_STRAY:
        note_stray(bus, item);
        break;
    case SDSIM_ITEM_CUT:
        bus->cut = true;
        break;
    default:
        break;
    }
}

/* ---- the listener ---- */

static void take_item(struct sdsim_item_listener *listener, const struct sdsim_item *item)
{
    struct sdsim_doctor *doctor = (struct sdsim_doctor *)listener;
    check_rules(doctor, item);
    if (doctor->source.sd) {
        sdsim_doctor_note_sd(&doctor->bus, item);
    } else {
        note(&doctor->bus, item);
    }
    sdsim_doctor_add_to_step(doctor, item);
}

void sdsim_doctor_init(struct sdsim_doctor *doctor, const struct sdsim_doctor_source *source,
                       struct sdsim_doctor_steps *steps)
{
    *doctor = (struct sdsim_doctor){
        .listener = {take_item},
        .source = *source,
        .steps = steps,
        .bus = {.pending = {.kind = SDSIM_ITEM_CUT}},
    };
}

void sdsim_doctor_end(struct sdsim_doctor *doctor)
{
    sdsim_doctor_end_steps(doctor);
    check_rules(doctor, NULL);
}

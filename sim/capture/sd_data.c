#include "capture/sd_parts.h"

#include <string.h>

#include "capture/sd_frame.h"

enum {
    STATUS_CLOCKS = 5, /* CRC status with start and end bit */
    STATUS_LIMIT = 64, /* clocks within which it must begin */
    FIRST_BLOCK = 3,   /* clocks from its end to the next block: N_WR and one */
    BUSY_LIMIT = 16,   /* clocks within which busy must begin */
};

/* Commands with data. SD Physical Layer Simplified Specification, tables 4-23 to 4-33. */
struct transfer {
    uint8_t index;
    bool app;
    bool write;
    bool many;
    uint16_t bytes; /* 0: what CMD16 set, 512 */
};

static const struct transfer transfers[] = {
    {6, false, false, false, 64}, {11, false, false, true, 0},  {13, true, false, false, 64},
    {17, false, false, false, 0}, {18, false, false, true, 0},  {19, false, false, false, 64},
    {22, true, false, false, 4},  {24, false, true, false, 0},  {25, false, true, true, 0},
    {26, false, true, false, 16}, {27, false, true, false, 16}, {30, false, false, false, 4},
    {42, false, true, false, 0},  {51, true, false, false, 8},  {56, false, false, false, 512},
};

static const struct transfer *transfer_of(uint8_t index, bool app)
{
    for (size_t i = 0; i < sizeof transfers / sizeof transfers[0]; i++) {
        if (transfers[i].index == index && transfers[i].app == app) {
            return &transfers[i];
        }
    }
    return NULL;
}

static bool dat0(const struct sdsim_sd_decoder *decoder, uint64_t clock)
{
    return sdsim_sd_line(decoder, clock, decoder->sampling, 1) != 0;
}

static void begin_transfer(struct sdsim_sd_decoder *decoder, const struct transfer *transfer,
                           uint64_t end)
{
    decoder->writing = transfer->write || (decoder->index == 56 && (decoder->argument & 1) == 0);
    decoder->stage = decoder->writing ? SDSIM_SD_STAGE_NO_DATA : SDSIM_SD_STAGE_WAIT_READ;
    decoder->single = !transfer->many;
    decoder->data_index = decoder->index;
    decoder->data_app = decoder->app;
    decoder->size = transfer->bytes != 0 ? transfer->bytes : decoder->block_bytes;
    decoder->set_left = transfer->many ? decoder->set_count : 0;
    decoder->from = end;
    decoder->block = 0;
}

/* Commands that change how data is to be understood. */
static void take_setting(struct sdsim_sd_decoder *decoder)
{
    if (decoder->app) {
        if (decoder->index == 6) {
            decoder->width = (decoder->argument & 3) == 2 ? 4 : 1;
        }
        return;
    }
    switch (decoder->index) {
    case 0:
        decoder->width = 1;
        decoder->block_bytes = SDSIM_SD_BLOCK;
        break;
    case 16:
        /* for cards with byte addresses; more than a sector can't be kept, and isn't used */
        decoder->block_bytes = decoder->argument >= 4 && decoder->argument < SDSIM_SD_BLOCK
                                   ? decoder->argument
                                   : SDSIM_SD_BLOCK;
        break;
    default:
        break;
    }
}

/* A busy is over; `open`: its end was not seen. */
static void end_busy(struct sdsim_sd_decoder *decoder, uint64_t n, bool open)
{
    /* The ring may have gone round since it began: its times were kept aside. */
    struct sdsim_item item = sdsim_sd_item(decoder, SDSIM_ITEM_BUSY, n, n);
    item.start = decoder->busy_start;
    item.gap = (uint32_t)(decoder->began - decoder->from - 1);
    item.gap_time = decoder->busy_gap;
    item.at = decoder->busy_at;
    if (!open) {
        const sdsim_ps rise = sdsim_tick_time(&decoder->tick, decoder->dat0_rise);
        item.end = rise > item.start && rise <= item.end ? rise : item.end;
    }
    item.index = decoder->data_index;
    item.app = decoder->data_app;
    item.count = n - decoder->began;
    item.open = open;
    decoder->active_end = n - 1;
    sdsim_sd_tell(decoder, &item);
}

void sdsim_sd_data_command(struct sdsim_sd_decoder *decoder, uint64_t end)
{
    const struct transfer *transfer = transfer_of(decoder->index, decoder->app);
    take_setting(decoder);
    if (transfer != NULL) {
        if (decoder->stage ==
            SDSIM_SD_STAGE_BUSY) { /* a command too early: how it went on is lost */
            end_busy(decoder, end, true);
        }
        begin_transfer(decoder, transfer, end);
    } else if (!decoder->app && (decoder->index == 12 || decoder->index == 0) &&
               decoder->stage != SDSIM_SD_STAGE_BUSY) {
        /* A block that is under way is one the host did not want. */
        decoder->stage = SDSIM_SD_STAGE_NO_DATA;
    }
    const bool count = decoder->index == 23 && !decoder->app;
    if (count || transfer != NULL) {
        decoder->set_count = count ? decoder->argument & 0xFFFF : 0;
    }
}

static void begin_busy(struct sdsim_sd_decoder *decoder, uint64_t n)
{
    decoder->stage = SDSIM_SD_STAGE_BUSY;
    decoder->began = n;
    decoder->busy_start = sdsim_sd_time(decoder, n);
    decoder->busy_gap =
        sdsim_time_since(decoder->busy_start, sdsim_sd_time(decoder, decoder->from));
    decoder->busy_at = decoder->rises[n % SDSIM_SD_RING];
}

void sdsim_sd_data_response(struct sdsim_sd_decoder *decoder, uint64_t end, bool busy_may_follow)
{
    if (!decoder->lines[1]) {
        decoder->stage = SDSIM_SD_STAGE_NO_DATA;
        return;
    }
    const struct transfer *transfer = transfer_of(decoder->index, decoder->app);
    if (transfer != NULL && decoder->writing) {
        decoder->stage = SDSIM_SD_STAGE_WAIT_WRITE;
        decoder->from = end;
    } else if (busy_may_follow && decoder->stage != SDSIM_SD_STAGE_BUSY) {
        /* Busy begins two clocks behind the command, so it may be on since the response began. */
        decoder->stage = SDSIM_SD_STAGE_WAIT_BUSY;
        decoder->from = decoder->command_end;
        decoder->began = end;
        decoder->set_left = 0;
        decoder->single = true;
        decoder->data_index = decoder->index;
        decoder->data_app = decoder->app;
        decoder->writing = false;
        uint64_t n = end;
        while (n > decoder->command_end + 1 && !dat0(decoder, n)) {
            n--;
        }
        if (n < end) {
            begin_busy(decoder, n + 1);
        }
    }
}

/* What a block becomes: read with the sampling and width at hand, or with others if the check sum is
 * wrong that way. */
struct reading {
    bool right;
    bool whole; /* bytes are there */
    unsigned width;
    unsigned sampling;
};

static bool has_all_lines(const struct sdsim_sd_decoder *decoder)
{
    return decoder->lines[2] && decoder->lines[3] && decoder->lines[4];
}

static struct reading read_width(struct sdsim_sd_decoder *decoder, unsigned width)
{
    struct reading reading = {.whole = width == 1 || has_all_lines(decoder), .width = width};
    const uint64_t clocks = sdsim_sd_block_clocks(width, decoder->size);
    for (unsigned i = 0; i < SDSIM_SAMPLING_COUNT && !reading.right; i++) {
        reading.sampling = (decoder->sampling + i) % SDSIM_SAMPLING_COUNT;
        for (unsigned later = 0; later < 2 && !reading.right; later++) {
            const uint64_t start = decoder->began + later;
            if (sdsim_sd_line(decoder, start, reading.sampling, 1) != 0 ||
                start + clocks > decoder->n) {
                continue;
            }
            reading.right =
                reading.whole
                    ? sdsim_sd_block_read(decoder, start, reading.sampling, width, decoder->size,
                                          decoder->bytes)
                    : sdsim_sd_block_check_dat0(decoder, start, reading.sampling, decoder->size);
        }
    }
    if (!reading.right && reading.whole) { /* as it stands, for the listener to look at */
        sdsim_sd_block_read(decoder, decoder->began, decoder->sampling, width, decoder->size,
                            decoder->bytes);
    }
    return reading;
}

static bool block_is_believed(const struct sdsim_sd_decoder *decoder, uint64_t end, bool right)
{
    uint64_t shortest;
    uint64_t longest;
    const uint64_t q = decoder->quantum;
    sdsim_sd_periods(decoder, decoder->began, end, &shortest, &longest);
    return right || shortest >= 4 * q || decoder->trust > 0;
}

static void after_block(struct sdsim_sd_decoder *decoder, uint64_t end)
{
    decoder->active_end = end;
    decoder->from = end;
    decoder->block++;
    if (decoder->writing) {
        decoder->stage = SDSIM_SD_STAGE_WAIT_STATUS;
        return;
    }
    const bool last = decoder->single || (decoder->set_left > 0 && --decoder->set_left == 0);
    decoder->stage = last ? SDSIM_SD_STAGE_NO_DATA : SDSIM_SD_STAGE_WAIT_READ;
}

static void tell_block(struct sdsim_sd_decoder *decoder, const struct reading *reading)
{
    const uint64_t end = decoder->began + sdsim_sd_block_clocks(reading->width, decoder->size) - 1;
    if (!block_is_believed(decoder, end, reading->right)) {
        decoder->blocks_lost++;
        decoder->stage = SDSIM_SD_STAGE_NO_DATA;
        return;
    }
    struct sdsim_item item =
        sdsim_sd_item(decoder, decoder->writing ? SDSIM_ITEM_WRITE_BLOCK : SDSIM_ITEM_READ_BLOCK,
                      decoder->began, end);
    sdsim_sd_gap(decoder, &item, decoder->from, decoder->began);
    item.index = decoder->data_index;
    item.app = decoder->data_app;
    item.block = decoder->block;
    item.count = reading->width;
    item.crc = reading->right ? SDSIM_ITEM_CRC_RIGHT : SDSIM_ITEM_CRC_WRONG;
    item.bytes = reading->whole ? decoder->bytes : NULL;
    item.size = reading->whole ? decoder->size : 0;
    item.data_start = sdsim_sd_time(decoder, decoder->began + 1);
    item.data_end = sdsim_sd_time(decoder, end - 17);
    if (reading->right) {
        decoder->width = reading->width;
    }
    sdsim_sd_tell(decoder, &item);
    after_block(decoder, end);
}

/* Whether the block may be four lines wide: all have a start bit where DAT0 has, as far as they were
 * recorded. */
static bool may_be_wide(const struct sdsim_sd_decoder *decoder)
{
    const uint32_t word = decoder->words[decoder->began % SDSIM_SD_RING];
    return !has_all_lines(decoder) || (word >> (decoder->sampling * SDSIM_SD_LINES + 1) & 15) == 0;
}

/* A block under way: looks at it when it may be complete, one clock late for the sake of samplings
 * that see it later. `last`: no clock will come. */
static void look_at_block(struct sdsim_sd_decoder *decoder, bool last)
{
    const uint64_t clocks = decoder->n - decoder->began;
    if (decoder->n < decoder->due && !last) {
        return;
    }
    const unsigned wide = sdsim_sd_block_clocks(4, decoder->size);
    const unsigned narrow = sdsim_sd_block_clocks(1, decoder->size);
    const bool wide_here = decoder->width == 4 || may_be_wide(decoder);
    if (wide_here && (clocks == wide + 1 || (last && clocks == wide))) {
        const struct reading reading = read_width(decoder, 4);
        if (reading.right || decoder->width == 4) {
            tell_block(decoder, &reading);
            return;
        }
    } else if (clocks == narrow + 1 || (last && clocks == narrow)) {
        const struct reading reading = read_width(decoder, 1);
        tell_block(decoder, &reading);
        return;
    }
    decoder->due = decoder->began + narrow + 1;
}

/* What may come when a busy is over, or did not come. */
static void after_busy(struct sdsim_sd_decoder *decoder, uint64_t n)
{
    const bool more = decoder->writing && !decoder->single &&
                      !(decoder->set_left > 0 && --decoder->set_left == 0);
    decoder->stage = more ? SDSIM_SD_STAGE_WAIT_WRITE : SDSIM_SD_STAGE_NO_DATA;
    decoder->from = n;
}

static void take_status(struct sdsim_sd_decoder *decoder, uint64_t end)
{
    unsigned bits = 0;
    for (unsigned i = 1; i <= 3; i++) {
        bits = bits << 1 | dat0(decoder, decoder->began + i);
    }
    struct sdsim_item item = sdsim_sd_item(decoder, SDSIM_ITEM_DATA_RESPONSE, decoder->began, end);
    sdsim_sd_gap(decoder, &item, decoder->from, decoder->began);
    item.index = decoder->data_index;
    item.app = decoder->data_app;
    item.token = (uint8_t)bits;
    sdsim_sd_tell(decoder, &item);
    decoder->stage = SDSIM_SD_STAGE_WAIT_BUSY;
    decoder->from = end;
    decoder->began = end;
    decoder->active_end = end;
}

/*
 * Whether DAT0 went low because the next block begins, where busy could too: busy follows the CRC status
 * at once, a block not before N_WR, and with all its lines.
 */
static bool is_next_block(const struct sdsim_sd_decoder *decoder, uint64_t n)
{
    if (!decoder->writing || decoder->single || n - decoder->from < FIRST_BLOCK) {
        return false;
    }
    const uint32_t word = decoder->words[n % SDSIM_SD_RING];
    const bool wide = (word >> (decoder->sampling * SDSIM_SD_LINES + 1) & 15) == 0;
    return wide || decoder->width == 1 || !has_all_lines(decoder);
}

static void begin_block(struct sdsim_sd_decoder *decoder, uint64_t n)
{
    decoder->stage = SDSIM_SD_STAGE_IN_BLOCK;
    decoder->began = n;
    decoder->due = n + sdsim_sd_block_clocks(4, decoder->size) + 1;
}

void sdsim_sd_data_clock(struct sdsim_sd_decoder *decoder)
{
    const uint64_t n = decoder->n - 1;
    const bool high = dat0(decoder, n);
    switch (decoder->stage) {
    case SDSIM_SD_STAGE_WAIT_READ:
    case SDSIM_SD_STAGE_WAIT_WRITE:
        if (!high && n > decoder->from) {
            begin_block(decoder, n);
        }
        break;
    case SDSIM_SD_STAGE_IN_BLOCK:
        look_at_block(decoder, false);
        break;
    case SDSIM_SD_STAGE_WAIT_STATUS:
        if (!high && n > decoder->from) {
            decoder->stage = SDSIM_SD_STAGE_IN_STATUS;
            decoder->began = n;
        } else if (n - decoder->from > STATUS_LIMIT) {
            after_busy(decoder, decoder->from);
        }
        break;
    case SDSIM_SD_STAGE_IN_STATUS:
        if (n - decoder->began == STATUS_CLOCKS - 1) {
            take_status(decoder, n);
        }
        break;
    case SDSIM_SD_STAGE_WAIT_BUSY:
        if (!high && is_next_block(decoder, n)) {
            after_busy(decoder, decoder->from);
            begin_block(decoder, n);
        } else if (!high && n > decoder->from) {
            begin_busy(decoder, n);
        } else if (n - decoder->began > BUSY_LIMIT) {
            after_busy(decoder, decoder->from);
        }
        break;
    case SDSIM_SD_STAGE_BUSY:
        if (high) {
            end_busy(decoder, n, false);
            after_busy(decoder, n - 1);
        }
        break;
    case SDSIM_SD_STAGE_NO_DATA:
        break;
    }
}

void sdsim_sd_data_end(struct sdsim_sd_decoder *decoder)
{
    const uint64_t n = decoder->n - 1;
    if (decoder->stage == SDSIM_SD_STAGE_IN_BLOCK) {
        look_at_block(decoder, true);
    }
    if (decoder->stage == SDSIM_SD_STAGE_BUSY) {
        end_busy(decoder, n, true);
    } else if (decoder->stage == SDSIM_SD_STAGE_IN_BLOCK ||
               decoder->stage == SDSIM_SD_STAGE_IN_STATUS) {
        struct sdsim_item item = sdsim_sd_item(decoder, SDSIM_ITEM_CUT, decoder->began, n);
        item.index = decoder->data_index;
        item.app = decoder->data_app;
        sdsim_sd_tell(decoder, &item);
    }
    decoder->stage = SDSIM_SD_STAGE_NO_DATA;
}

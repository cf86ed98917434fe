#include "capture/exchange.h"

#include <string.h>
#include <stdlib.h>

#include "bus/frame.h"
#include "capture/exchange_line.h"
#include "core/crc.h"
#include "core/units.h"
#include "trace/encoding.h"

enum {
    LINE_HIGH = 0xFF,
    SHORT_LOOKS = 8,   /* a host that gets no answer looks that often: the most N_CR may be */
    STRETCH_BYTES = 4, /* of a run whose length nothing tells */
    MOST_BLOCK = 512,
};
#define MOST_BYTES 100000000u

/* What one side has sent since the last start token, for <crc16>. */
struct block {
    bool open;
    unsigned count;
    uint8_t bytes[MOST_BLOCK + 2];
};

/* A side that is being sent. */
struct sender {
    const struct sdsim_exchange_side *side;
    uint64_t stretch; /* bytes of its run of unknown length */
    size_t run;
    uint64_t done; /* of the run */
    struct block *block;
    uint16_t crc;
};

struct reader {
    struct sdsim_exchange_place place;
    struct sdsim_exchange_sink *sink; /* NULL: only checking */
    struct sdsim_exchange_facts *facts;
    bool selected;
    bool answer_ends; /* with the next byte */
    sdsim_ps now;
    sdsim_ps byte_time;
    struct block host_block;
    struct block card_block;
    struct sdsim_exchange_side host;
    struct sdsim_exchange_side card;
};

/* ---- sending ---- */

static void tell(struct reader *r, uint8_t mosi, uint8_t miso)
{
    const struct sdsim_spi_byte byte = {.start = r->now,
                                        .end = sdsim_time_sum(r->now, r->byte_time),
                                        .at = r->place.line,
                                        .selected = r->selected,
                                        .mosi = mosi,
                                        .miso = miso,
                                        .answer_ends = r->answer_ends};
    r->now = byte.end;
    r->facts->bytes++;
    if (r->sink != NULL) {
        r->sink->byte(r->sink, &byte);
    }
}

static void note(struct block *block, uint8_t byte)
{
    if (block->open && block->count < sizeof block->bytes) {
        block->bytes[block->count++] = byte;
        return;
    }
    block->open = byte == SDSIM_TOKEN_START || byte == SDSIM_TOKEN_START_MULTI;
    block->count = 0;
}

/* The next byte of a side; FF behind its end. */
static uint8_t next(struct sender *s)
{
    if (s->side == NULL || s->run == s->side->count) {
        return LINE_HIGH;
    }
    const struct sdsim_exchange_run *run = &s->side->runs[s->run];
    uint8_t byte = run->value;
    if (run->kind == SDSIM_EXCHANGE_CRC) {
        if (s->done == 0) {
            s->crc = sdsim_crc16(s->block->bytes, s->block->count);
            s->block->open = false;
        }
        byte = (uint8_t)(s->done == 0 ? s->crc >> 8 : s->crc);
    } else {
        note(s->block, byte);
    }
    if (++s->done == (run->kind == SDSIM_EXCHANGE_STRETCH ? s->stretch : run->count)) {
        s->run++;
        s->done = 0;
    }
    return byte;
}

static void send(struct reader *r, struct sender *host, struct sender *card, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        const uint8_t mosi = next(host);
        tell(r, mosi, next(card));
    }
}

static struct sender sender_of(const struct sdsim_exchange_side *side, struct block *block,
                               uint64_t total)
{
    return (struct sender){
        .side = side, .stretch = side->stretches ? total - side->bytes : 0, .block = block};
}

/* ---- what a line means ---- */

/* A byte that is neither an idle line nor busy: an answer, if it stands beside a frame. */
static bool looks_like_answer(const struct sdsim_exchange_side *side)
{
    for (size_t i = 0; i < side->count; i++) {
        if (side->runs[i].value != LINE_HIGH && side->runs[i].value != 0) {
            return true;
        }
    }
    return false;
}

static uint8_t command_of(const struct sdsim_exchange_side *host)
{
    return host->runs[0].value & 63;
}

/* False after a message if the line would make the exchange too long. */
static bool has_room(const struct reader *r, uint64_t bytes)
{
    if (r->facts->bytes + bytes <= MOST_BYTES) {
        return true;
    }
    sdsim_exchange_fault(&r->place, 0, 1, "leave out what repeats",
                         "the exchange is longer than %u bytes", MOST_BYTES);
    return false;
}

/* Whether there is one byte behind those of the idle line: R1, whatever more the card answered. */
static bool is_r1_alone(const struct sdsim_exchange_side *card)
{
    size_t first = 0;
    while (first < card->count && card->runs[first].value == LINE_HIGH) {
        first++;
    }
    return !card->stretches && first + 1 == card->count && card->runs[first].count == 1;
}

/* A frame and its answer. */
static bool send_short(struct reader *r)
{
    const bool begins_high = r->card.count > 0 && r->card.runs[0].value == LINE_HIGH &&
                             r->card.runs[0].kind == SDSIM_EXCHANGE_BYTES;
    const uint64_t total = r->card.bytes + (r->card.stretches ? STRETCH_BYTES : 0);
    if (!has_room(r, total + 10)) {
        return false;
    }
    struct sender host = sender_of(&r->host, &r->host_block, r->host.bytes + 1);
    struct sender card = sender_of(&r->card, &r->card_block, total);
    struct sender idle = {.side = NULL};
    send(r, &host, &idle, SDSIM_FRAME_SIZE);
    host = idle;
    if (r->card.nothing) {
        send(r, &host, &idle, SHORT_LOOKS);
        return true;
    }
    if (!begins_high) {
        send(r, &host, &idle, command_of(&r->host) == 12 ? 2 : 1);
    }
    send(r, &host, &card, total - 1);
    r->answer_ends = is_r1_alone(&r->card);
    send(r, &host, &card, 1);
    r->answer_ends = false;
    send(r, &host, &idle, 1);
    return true;
}

/* A block, and what the card says right behind it. */
static bool send_block(struct reader *r)
{
    const uint64_t total = r->card.bytes + (r->card.stretches ? STRETCH_BYTES : 0);
    if (!has_room(r, r->host.bytes + total)) {
        return false;
    }
    struct sender host = sender_of(&r->host, &r->host_block, r->host.bytes);
    struct sender card = sender_of(&r->card, &r->card_block, total);
    struct sender idle = {.side = NULL};
    send(r, &host, &idle, r->host.bytes);
    send(r, &idle, &card, total);
    return true;
}

/* How many bytes a side has if nothing else tells. */
static uint64_t own_length(const struct sdsim_exchange_side *side)
{
    return side->bytes + (side->stretches ? STRETCH_BYTES : 0);
}

/* Whether a side can be as long as the other: it is not there, or one of its runs stretches. */
static bool follows(const struct sdsim_exchange_side *side)
{
    return !side->given || side->nothing || side->stretches;
}

/* Both sides at once. */
static bool send_full(struct reader *r)
{
    const struct sdsim_exchange_side *host = &r->host;
    const struct sdsim_exchange_side *card = &r->card;
    const uint64_t most = own_length(host) > own_length(card) ? own_length(host) : own_length(card);
    const uint64_t total = !follows(host) ? host->bytes : !follows(card) ? card->bytes : most;
    if (host->bytes + host->stretches > total || card->bytes + card->stretches > total ||
        (!follows(card) && card->bytes != total)) {
        sdsim_exchange_fault(&r->place, 0, 1,
                             "write both sides byte by byte, or a command frame alone before '->' "
                             "and its answer behind",
                             "the host sends %llu bytes and the card %llu",
                             (unsigned long long)host->bytes, (unsigned long long)card->bytes);
        return false;
    }
    if (!has_room(r, total)) {
        return false;
    }
    struct sender sending = sender_of(host, &r->host_block, total);
    struct sender answering = sender_of(card, &r->card_block, total);
    send(r, &sending, &answering, total);
    return true;
}

static bool short_form(const struct reader *r)
{
    if (!r->host.given || !r->card.given || !sdsim_exchange_is_frame(&r->host)) {
        return false;
    }
    if (r->card.nothing) {
        return true;
    }
    if (r->host.stretches || r->host.bytes != r->card.bytes) {
        return !r->host.stretches && (r->card.stretches || r->host.bytes != r->card.bytes);
    }
    return r->host.bytes == SDSIM_FRAME_SIZE && command_of(&r->host) != 12 &&
           looks_like_answer(&r->card);
}

/* A block, from its token or FF before it on, and fewer bytes that begin with a data response. */
static bool block_form(const struct reader *r)
{
    const struct sdsim_exchange_side *host = &r->host;
    size_t first = 0;
    while (first < host->count && host->runs[first].value == LINE_HIGH) {
        first++;
    }
    return host->given && first < host->count && !host->stretches && r->card.count > 0 &&
           r->card.bytes < host->bytes &&
           (host->runs[first].value == SDSIM_TOKEN_START ||
            host->runs[first].value == SDSIM_TOKEN_START_MULTI) &&
           (r->card.runs[0].value & 0x11) == 0x01;
}

/* A CRC needs a token before it; told once, while checking. */
static bool crc_is_due(const struct reader *r, const struct sdsim_exchange_side *side, bool open)
{
    for (size_t i = 0; i < side->count; i++) {
        const struct sdsim_exchange_run *run = &side->runs[i];
        if (run->kind == SDSIM_EXCHANGE_CRC) {
            if (!open) {
                sdsim_exchange_fault(&r->place, run->column, 7,
                                     "a block begins with FE or FC on the same side",
                                     "<crc16> without a block before it");
                return false;
            }
            open = false;
        } else {
            open = open || run->value == SDSIM_TOKEN_START || run->value == SDSIM_TOKEN_START_MULTI;
        }
    }
    return true;
}

static bool send_line(struct reader *r)
{
    if (r->host.given && sdsim_exchange_is_frame(&r->host)) {
        r->host_block.open = false;
        r->card_block.open = false;
    }
    if (!crc_is_due(r, &r->host, r->host_block.open) ||
        !crc_is_due(r, &r->card, r->card_block.open)) {
        return false;
    }
    r->facts->card_unknown = r->facts->card_unknown || !r->card.given;
    if (short_form(r)) {
        return send_short(r);
    }
    return block_form(r) ? send_block(r) : send_full(r);
}

/* ---- directives ---- */

static size_t skip_blanks(const char *line, size_t at, size_t to)
{
    while (at < to && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) {
        at++;
    }
    return at;
}

static size_t word_end(const char *line, size_t at, size_t to)
{
    while (at < to && line[at] != ' ' && line[at] != '\t' && line[at] != '\r') {
        at++;
    }
    return at;
}

/* Copies a word; one that is too long for any value is cut and then refused as a value. */
static const char *copy_word(const char *line, size_t from, size_t to, char out[40])
{
    const size_t length = to - from < 39 ? to - from : 39;
    memcpy(out, line + from, length);
    out[length] = '\0';
    return out;
}

static bool set_cs(struct reader *r, const char *value, size_t from, size_t to)
{
    const bool low = strcmp(value, "0") == 0 || strcmp(value, "low") == 0;
    if (!low && strcmp(value, "1") != 0 && strcmp(value, "high") != 0) {
        sdsim_exchange_fault(&r->place, from, to - from, "CS 0 (low) or CS 1 (high)",
                             "'%s' is no level of CS", value);
        return false;
    }
    r->facts->cs_known = true;
    r->selected = low;
    if (r->sink != NULL) {
        r->sink->select(r->sink, low, r->now, r->place.line);
    }
    return true;
}

static bool set_time(struct reader *r, const char *word, size_t from, size_t to)
{
    uint64_t time;
    if (sdsim_unit_parse(SDSIM_UNIT_TIME, word + 1, &time) != SDSIM_UNIT_OK) {
        sdsim_exchange_fault(&r->place, from, to - from, "@12us or +5us",
                             "'%s' is no time with a unit", word);
        return false;
    }
    r->facts->timed = true;
    if (word[0] == '+') {
        r->now = sdsim_time_sum(r->now, time);
        return true;
    }
    if (time < r->now) {
        sdsim_exchange_fault(&r->place, from, to - from,
                             "times go forward; a byte takes 8 clocks ('clock 400kHz')",
                             "'%s' is before the end of the bytes above", word);
        return false;
    }
    r->now = time;
    return true;
}

static bool set_clock(struct reader *r, const char *value, size_t from, size_t to)
{
    uint64_t hz;
    if (sdsim_unit_parse(SDSIM_UNIT_FREQUENCY, value, &hz) != SDSIM_UNIT_OK || hz == 0 ||
        hz > 1000000000) {
        sdsim_exchange_fault(&r->place, from, to - from, "clock 400kHz",
                             "'%s' is no clock of a bus", value);
        return false;
    }
    r->facts->timed = true;
    r->byte_time = 8 * SDSIM_S / hz;
    return true;
}

/* Reads one directive at *at and moves behind it; *found tells whether there was one. */
static bool read_directive(struct reader *r, const char *line, size_t *at, size_t to, bool *found)
{
    char word[40];
    const size_t from = *at;
    size_t end = word_end(line, from, to);
    copy_word(line, from, end, word);
    const bool cs_equals = strncmp(word, "cs=", 3) == 0 || strncmp(word, "CS=", 3) == 0;
    const bool cs = strcmp(word, "CS") == 0 || strcmp(word, "cs") == 0;
    const bool clock = strcmp(word, "clock") == 0;
    *found = cs || cs_equals || clock || word[0] == '@' || word[0] == '+';
    if (!*found) {
        return true;
    }
    *at = end;
    if (cs_equals) {
        return set_cs(r, word + 3, from, end);
    }
    if (!cs && !clock) {
        return set_time(r, word, from, end);
    }
    const size_t value = skip_blanks(line, end, to);
    end = word_end(line, value, to);
    copy_word(line, value, end, word);
    *at = end;
    return cs ? set_cs(r, word, value, end) : set_clock(r, word, value, end);
}

/* ---- lines ---- */

/* "->", also "=>". */
static size_t find_arrow(const char *line, size_t from, size_t to)
{
    for (size_t i = from; i + 1 < to; i++) {
        if ((line[i] == '-' || line[i] == '=') && line[i + 1] == '>') {
            return i;
        }
    }
    return to;
}

static bool read_line(struct reader *r, const char *line, size_t length)
{
    const char *comment = memchr(line, '#', length);
    const size_t to = comment != NULL ? (size_t)(comment - line) : length;
    if (length > SDSIM_EXCHANGE_MOST_LINE) {
        sdsim_exchange_fault(&r->place, 0, 1, "break it", "the line is longer than 64KiB");
        return false;
    }
    size_t at = skip_blanks(line, 0, to);
    for (bool found = true; found && at < to; at = skip_blanks(line, at, to)) {
        if (!read_directive(r, line, &at, to, &found)) {
            return false;
        }
    }
    if (at == to) {
        return true;
    }
    const size_t arrow = find_arrow(line, at, to);
    r->card.given = false;
    r->card.nothing = r->card.stretches = false;
    r->card.count = 0;
    r->card.bytes = 0;
    if (!sdsim_exchange_side_read(&r->place, line, at, arrow, true, &r->host) ||
        (arrow < to &&
         !sdsim_exchange_side_read(&r->place, line, arrow + 2, to, false, &r->card))) {
        return false;
    }
    r->host.given = r->host.count > 0;
    if (arrow < to && r->card.count == 0 && !r->card.nothing) {
        sdsim_exchange_fault(&r->place, arrow, 2, "write '-' if there was none",
                             "no answer behind '->'");
        return false;
    }
    return send_line(r);
}

/* One pass over the text: without a sink it only checks. False if there was an error. */
static bool pass(struct reader *r)
{
    const char *text = r->place.text;
    const char *end = text + r->place.size;
    bool good = true;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline != NULL ? newline : end;
        r->place.line++;
        good = read_line(r, text, (size_t)(stop - text)) && good;
        text = newline != NULL ? newline + 1 : end;
    }
    return good;
}

static void start(struct reader *r, const char *name, const char *text, size_t size,
                  struct sdsim_exchange_sink *sink, struct sdsim_exchange_facts *facts,
                  struct sdsim_diags *diags)
{
    *facts = (struct sdsim_exchange_facts){.bytes = 0};
    r->place =
        (struct sdsim_exchange_place){.name = name, .text = text, .size = size, .diags = diags};
    r->sink = sink;
    r->facts = facts;
    r->selected = true;
    r->answer_ends = false;
    r->now = 0;
    r->byte_time = 20 * SDSIM_US; /* 400 kHz */
    r->host_block.open = r->card_block.open = false;
}

bool sdsim_exchange_read(const char *name, const char *text, size_t size,
                         struct sdsim_exchange_sink *sink, struct sdsim_exchange_facts *facts,
                         struct sdsim_diags *diags)
{
    const struct sdsim_encoding encoding = sdsim_encoding_of(text, size);
    if (encoding.what != NULL) {
        const struct sdsim_place place = {.file = name};
        sdsim_diag_add(diags, SDSIM_ERROR, &place, NULL, 0, encoding.mend,
                       "this is %s, which is not read", encoding.what);
        return false;
    }
    const size_t mark = sdsim_encoding_mark(text, size);
    text += mark;
    size -= mark;
    struct reader *r = malloc(sizeof *r);
    if (r == NULL) {
        sdsim_error(diags, name, "out of memory");
        return false;
    }
    start(r, name, text, size, NULL, facts, diags);
    bool good = pass(r);
    if (good && facts->bytes == 0) {
        sdsim_error(diags, name, "holds no bytes of an exchange (HEX -> HEX)");
        good = false;
    }
    if (good && sink != NULL) {
        start(r, name, text, size, sink, facts, diags);
        (void)pass(r);
    }
    free(r);
    return good;
}

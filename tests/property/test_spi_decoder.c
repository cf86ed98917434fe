/*
 * What the wire port sends, the SPI decoder finds: random transactions on the byte-exact card, and
 * the items that must come of them, told from the transactions and the card's parameters alone.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "capture/spi_command.h"
#include "capture/spi_decoder.h"
#include "core/crc.h"
#include "port_worlds.h"

enum { MOST_ITEMS = 20000, MOST_BLOCKS = 12 };

/* What is expected, or was found: the parts of an item that can be told beforehand. */
struct seen {
    enum sdsim_item_kind kind;
    uint8_t index;
    bool app;
    bool any_response; /* expected: the card was busy, so it may or may not answer */
    uint32_t argument;
    uint32_t gap;
    uint8_t token;
    uint8_t size;
    uint8_t bytes[5];
    uint16_t crc16; /* of a block */
    enum sdsim_item_crc crc;
};

struct bench {
    struct sdsim_wire_listener wire_listener;
    struct sdsim_item_listener item_listener;
    struct sdsim_spi_decoder decoder;
    uint64_t bytes;
    struct sdsim_rng rng;
    uint64_t number;
    struct sdsim_test_sequence made_up; /* only to make up a card */
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_wire wire;
    struct sdsim_spi_engine engine;
    sdsim_ps now;
    bool app; /* CMD55 came before */
    bool selected;
    unsigned expected_count;
    unsigned found_count;
    struct seen expected[MOST_ITEMS];
    struct seen found[MOST_ITEMS];
    uint8_t out[MOST_BLOCKS * SDSIM_SECTOR];
};

/* ---- both ends ---- */

static void hear_byte(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                      bool selected, uint8_t mosi, uint8_t miso)
{
    struct bench *b = (struct bench *)listener;
    const struct sdsim_spi_byte byte = {start, end, b->bytes++, selected, mosi, miso, false};
    sdsim_spi_decoder_byte(&b->decoder, &byte);
}

static struct bench *bench_of_items(struct sdsim_item_listener *listener)
{
    return (struct bench *)((char *)listener - offsetof(struct bench, item_listener));
}

static void hear_item(struct sdsim_item_listener *listener, const struct sdsim_item *item)
{
    struct bench *b = bench_of_items(listener);
    assert_true(b->found_count < MOST_ITEMS);
    assert_true(item->start <= item->end);
    if (item->kind == SDSIM_ITEM_BUSY || item->kind == SDSIM_ITEM_SELECT ||
        item->kind == SDSIM_ITEM_DESELECT || item->kind == SDSIM_ITEM_IDLE_CLOCKS) {
        return;
    }
    if (item->kind == SDSIM_ITEM_READ_BLOCK && item->open) {
        assert_int_equal(item->index, 18); /* what came of the next block until CMD12 ended it */
        return;
    }
    struct seen *seen = &b->found[b->found_count++];
    *seen = (struct seen){.kind = item->kind, .index = item->index, .app = item->app};
    const bool block = item->kind == SDSIM_ITEM_READ_BLOCK || item->kind == SDSIM_ITEM_WRITE_BLOCK;
    seen->argument = item->argument;
    seen->crc = item->crc;
    seen->token = block || item->kind == SDSIM_ITEM_DATA_RESPONSE ? item->token : 0;
    if (item->kind == SDSIM_ITEM_RESPONSE) {
        seen->gap = item->gap;
        seen->size = (uint8_t)item->size;
        memcpy(seen->bytes, item->bytes, item->size);
    }
    if (block && !item->open) {
        seen->crc16 = sdsim_crc16(item->bytes, item->size);
        seen->size = (uint8_t)(item->size / 4);
    }
}

static struct seen *expect(struct bench *b, enum sdsim_item_kind kind)
{
    assert_true(b->expected_count < MOST_ITEMS);
    struct seen *seen = &b->expected[b->expected_count++];
    *seen = (struct seen){.kind = kind};
    return seen;
}

static bool same(const struct seen *expected, const struct seen *found)
{
    if (expected->any_response) {
        return found->kind == SDSIM_ITEM_RESPONSE || found->kind == SDSIM_ITEM_NO_RESPONSE;
    }
    return memcmp(expected, found, sizeof *expected) == 0;
}

static void check(struct bench *b)
{
    const unsigned count = b->expected_count < b->found_count ? b->expected_count : b->found_count;
    for (unsigned i = 0; i < count; i++) {
        const struct seen *e = &b->expected[i];
        const struct seen *f = &b->found[i];
        if (!same(e, f)) {
            fail_msg("sequence %llu, item %u: expected %s of %s%u, gap %u, crc %d, token %02x, "
                     "%u bytes %02x; found %s of %s%u, gap %u, crc %d, token %02x, %u bytes %02x",
                     (unsigned long long)b->number, i, sdsim_item_name(e->kind),
                     e->app ? "ACMD" : "CMD", e->index, e->gap, (int)e->crc, e->token, e->size,
                     e->bytes[0], sdsim_item_name(f->kind), f->app ? "ACMD" : "CMD", f->index,
                     f->gap, (int)f->crc, f->token, f->size, f->bytes[0]);
        }
    }
    if (b->expected_count != b->found_count) {
        const bool more = b->found_count > count;
        const struct seen *odd = more ? &b->found[count] : &b->expected[count];
        fail_msg("sequence %llu: %u items expected, %u found; the first odd one is %s of CMD%u",
                 (unsigned long long)b->number, b->expected_count, b->found_count,
                 sdsim_item_name(odd->kind), odd->index);
    }
}

/* ---- transactions ---- */

static bool busy(const struct bench *b)
{
    return b->card.busy.at > b->now;
}

static void surround(struct bench *b, struct sdsim_transaction *tx)
{
    tx->flags |= SDSIM_SELECT;
    if (sdsim_test_one_in(&b->rng, 2)) {
        tx->flags |= SDSIM_DESELECT;
        tx->trail_bytes = (uint8_t)sdsim_rng_below(&b->rng, 3);
    }
    tx->lead_bytes = (uint8_t)sdsim_rng_below(&b->rng, 3);
}

static void expect_command(struct bench *b, const struct sdsim_transaction *tx)
{
    struct seen *seen = expect(b, SDSIM_ITEM_COMMAND);
    seen->index = tx->command;
    seen->app = b->app && sdsim_spi_command(tx->command, true)->title != NULL;
    seen->argument = tx->argument;
    seen->crc = SDSIM_ITEM_CRC_RIGHT;
}

static uint32_t n_cr(const struct bench *b, uint8_t index)
{
    const uint32_t n = (uint32_t)b->card.params->n_cr;
    return index != 12 ? n : n > 0 ? n - 1 : 0;
}

static void expect_response(struct bench *b, const struct sdsim_transaction *tx, bool was_busy,
                            const struct sdsim_result *result)
{
    struct seen *seen = expect(b, SDSIM_ITEM_RESPONSE);
    const struct seen *command = seen - 1;
    seen->index = command->index;
    seen->app = command->app;
    seen->any_response = was_busy;
    seen->gap = n_cr(b, tx->command);
    seen->bytes[0] = result->r1;
    seen->size = 1;
    if ((result->r1 & (SDSIM_R1_ILLEGAL | SDSIM_R1_CRC)) == 0) {
        seen->size = (uint8_t)(tx->response == SDSIM_RESPONSE_R3   ? 5
                               : tx->response == SDSIM_RESPONSE_R2 ? 2
                                                                   : 1);
        memcpy(seen->bytes + 1, result->extra, seen->size - 1u);
    }
}

static struct sdsim_result run(struct bench *b, const struct sdsim_transaction *tx)
{
    struct sdsim_result result;
    const bool was_busy = busy(b);
    const bool command = (tx->flags & SDSIM_COMMAND) != 0;
    if (command) {
        expect_command(b, tx);
    }
    sdsim_execute(&b->wire.port, &b->now, tx, &result);
    if (command) {
        expect_response(b, tx, was_busy, &result);
        b->app = tx->command == 55;
    }
    return result;
}

/* A command that moves no blocks. */
static uint8_t command(struct bench *b, uint8_t index, uint32_t argument,
                       enum sdsim_response response)
{
    static const struct sdsim_wait until_ready = {.test = SDSIM_READY_ALL_ONES};
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND, .command = index, .argument = argument, .response = response};
    surround(b, &tx);
    if (busy(b)) {
        tx.flags |= SDSIM_DESELECT; /* the rest of an answer that busy masks is nobody's */
    } else if (sdsim_test_one_in(&b->rng, 2)) {
        tx.ready = &until_ready;
    }
    return run(b, &tx).r1;
}

static void wait_ready(struct bench *b)
{
    static const struct sdsim_wait until_ready = {.test = SDSIM_READY_ALL_ONES};
    const struct sdsim_transaction tx = {
        .flags = SDSIM_SELECT, .lead_bytes = 1, .ready = &until_ready};
    (void)run(b, &tx);
}

static void initialise(struct bench *b)
{
    const struct sdsim_transaction clocks = {.flags = SDSIM_DESELECT, .trail_bytes = 10};
    (void)run(b, &clocks);
    (void)command(b, 0, 0, SDSIM_RESPONSE_R1);
    (void)command(b, 8, 0x1AA, SDSIM_RESPONSE_R3);
    do {
        (void)command(b, 55, 0, SDSIM_RESPONSE_R1);
    } while (command(b, 41, SDSIM_OCR_CCS, SDSIM_RESPONSE_R1) != 0);
    (void)command(b, 58, 0, SDSIM_RESPONSE_R3);
}

static void expect_blocks(struct bench *b, enum sdsim_item_kind kind,
                          const struct sdsim_transaction *tx, uint32_t blocks, const uint8_t *bytes)
{
    const uint8_t index = tx->command;
    const bool app = b->expected[b->expected_count - 1].app;
    for (uint32_t i = 0; i < blocks; i++) {
        struct seen *seen = expect(b, kind);
        seen->index = index;
        seen->app = app;
        seen->crc = SDSIM_ITEM_CRC_RIGHT;
        seen->token = index == 25 ? 0xFC : 0xFE;
        seen->size = (uint8_t)(tx->block_bytes / 4);
        seen->crc16 = sdsim_crc16(bytes + i * tx->block_bytes, tx->block_bytes);
        if (kind == SDSIM_ITEM_WRITE_BLOCK) {
            seen = expect(b, SDSIM_ITEM_DATA_RESPONSE);
            seen->index = index;
            seen->token = 0x05;
        }
    }
}

static uint32_t address(const struct bench *b, uint32_t lba)
{
    return b->card.params->type == SDSIM_SDSC ? lba * SDSIM_SECTOR : lba;
}

static void stop_reading(struct bench *b)
{
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND, .command = 12, .response = SDSIM_RESPONSE_R1};
    surround(b, &tx);
    tx.flags |= n_cr(b, 12) > 0 || sdsim_test_one_in(&b->rng, 2) ? SDSIM_STUFF : 0;
    tx.lead_bytes = 0; /* what is read of the next block is no block */
    (void)run(b, &tx);
}

static void read_blocks(struct bench *b)
{
    const bool single = sdsim_test_one_in(&b->rng, 2);
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = single ? 17 : 18,
        .argument = address(b, (uint32_t)sdsim_rng_below(&b->rng, b->card.sectors - 20)),
        .response = SDSIM_RESPONSE_R1,
        .blocks = single ? 1 : 1 + (uint32_t)sdsim_rng_below(&b->rng, MOST_BLOCKS - 1),
        .direction = SDSIM_READ_BLOCKS,
        .block_bytes = SDSIM_SECTOR,
        .out = b->out,
    };
    wait_ready(b);
    surround(b, &tx);
    if (!single) {
        tx.flags &= (uint16_t)~SDSIM_DESELECT;
        tx.trail_bytes = 0;
    }
    const struct sdsim_result result = run(b, &tx);
    assert_int_equal(result.outcome, SDSIM_OUTCOME_OK);
    expect_blocks(b, SDSIM_ITEM_READ_BLOCK, &tx, result.blocks_done, b->out);
    if (!single) {
        stop_reading(b);
    }
}

static void read_register(struct bench *b)
{
    static const struct {
        uint8_t index;
        bool app;
        uint16_t bytes;
        enum sdsim_response response;
    } registers[] = {
        {9, false, 16, SDSIM_RESPONSE_R1}, {10, false, 16, SDSIM_RESPONSE_R1},
        {51, true, 8, SDSIM_RESPONSE_R1},  {13, true, 64, SDSIM_RESPONSE_R2},
        {22, true, 4, SDSIM_RESPONSE_R1},  {6, false, 64, SDSIM_RESPONSE_R1},
    };
    const size_t i = sdsim_rng_below(&b->rng, sizeof registers / sizeof *registers);
    wait_ready(b);
    if (registers[i].app) {
        (void)command(b, 55, 0, SDSIM_RESPONSE_R1);
    }
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND,
        .command = registers[i].index,
        .response = registers[i].response,
        .direction = SDSIM_READ_BLOCKS,
        .blocks = 1,
        .block_bytes = registers[i].bytes,
        .out = b->out,
    };
    surround(b, &tx);
    const struct sdsim_result result = run(b, &tx);
    if (result.outcome == SDSIM_OUTCOME_OK) { /* an old card has no CMD6 */
        expect_blocks(b, SDSIM_ITEM_READ_BLOCK, &tx, 1, b->out);
    }
}

/* Payload that looks like commands and tokens. */
static void some_payload(struct bench *b, uint8_t *bytes, size_t size)
{
    static const uint8_t traps[] = {0x4D, 0, 0, 0, 0, 0x0D, 0x7C, 0xFE, 0xFC, 0xFD, 0x40, 0x95, 5};
    for (size_t i = 0; i < size; i++) {
        bytes[i] = sdsim_test_one_in(&b->rng, 4) ? traps[sdsim_rng_below(&b->rng, sizeof traps)]
                                                 : (uint8_t)sdsim_rng_below(&b->rng, 256);
    }
}

static void write_blocks(struct bench *b)
{
    const bool single = sdsim_test_one_in(&b->rng, 2);
    struct sdsim_transaction tx = {
        .flags = SDSIM_COMMAND | SDSIM_BLOCK_READY,
        .command = single ? 24 : 25,
        .argument = address(b, (uint32_t)sdsim_rng_below(&b->rng, b->card.sectors - 20)),
        .response = SDSIM_RESPONSE_R1,
        .blocks = single ? 1 : 1 + (uint32_t)sdsim_rng_below(&b->rng, MOST_BLOCKS - 1),
        .direction = SDSIM_WRITE_BLOCKS,
        .block_bytes = SDSIM_SECTOR,
    };
    some_payload(b, b->out, sizeof b->out);
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = b->out};
    tx.content = &content;
    wait_ready(b);
    surround(b, &tx);
    if (!single) {
        tx.flags |= SDSIM_STOP_TOKEN | SDSIM_STOP_READY;
    }
    const struct sdsim_result result = run(b, &tx);
    assert_int_equal(result.outcome, SDSIM_OUTCOME_OK);
    expect_blocks(b, SDSIM_ITEM_WRITE_BLOCK, &tx, tx.blocks, b->out);
    if (!single) {
        expect(b, SDSIM_ITEM_STOP_TOKEN)->index = 25;
    }
    if (b->card.params->n_br > 0 && !single) {
        wait_ready(b); /* past the byte that shows nothing yet */
        wait_ready(b);
    }
}

static void act(struct bench *b)
{
    switch (sdsim_rng_below(&b->rng, 9)) {
    case 0:
    case 1:
        read_blocks(b);
        break;
    case 2:
    case 3:
        write_blocks(b);
        break;
    case 4:
        read_register(b);
        break;
    case 5:
        (void)command(b, 13, 0, SDSIM_RESPONSE_R2);
        break;
    case 6: /* not known, or not now */
        (void)command(b, (uint8_t)SDSIM_TEST_PICK(&b->rng, 5, 23, 52, 63, 59, 16), 512,
                      SDSIM_RESPONSE_R1);
        break;
    case 7:
        wait_ready(b);
        break;
    default:
        b->now += sdsim_rng_below(&b->rng, SDSIM_MS);
        break;
    }
}

static void run_sequence(uint64_t seed, uint64_t number, const void *context)
{
    (void)context;
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->number = number;
    sdsim_test_begin(&b->made_up, seed, number, 77, SDSIM_BUS_SPI);
    const struct sdsim_clock clock = sdsim_test_clock(sdsim_test_some_frequency(&b->made_up));
    sdsim_test_some_card(&b->made_up, &clock);
    /* What is said here of a card's answers is that of one without quirks at start-up and at the edges
     * of CS. */
    struct sdsim_card_params *params = &b->made_up.params;
    params->stuff_byte = SDSIM_STUFF_FF;
    params->first_do = SDSIM_DO_HIGH;
    params->wake_clocks = 0;
    params->release_clocks = 0;
    params->reselect_clocks = 0;
    params->power_up_time = 0;
    params->inquiry_gap = 0;
    b->rng = b->made_up.rng;
    b->medium = sdsim_medium_create(sdsim_csd_sectors(&b->made_up.params), 0);
    assert_non_null(b->medium);
    sdsim_card_init(&b->card, &b->made_up.params, b->medium, 1, 0);
    sdsim_wire_init(&b->wire, SDSIM_BUS_SPI, &b->card, &b->meter);
    b->wire.port.clock = clock;
    b->engine = (struct sdsim_spi_engine){
        .response_looks = 12, .token_look = 1, .stop_bytes = 1, .token_limit = 200 * SDSIM_MS};
    b->wire.port.spi = &b->engine;
    b->wire_listener.byte = hear_byte;
    b->wire.listener = &b->wire_listener;
    b->item_listener.item = hear_item;
    sdsim_spi_decoder_init(&b->decoder, &b->item_listener, true);
    initialise(b);
    for (unsigned i = 0; i < 12; i++) {
        act(b);
    }
    (void)run(b, &(struct sdsim_transaction){.flags = SDSIM_DESELECT, .trail_bytes = 1});
    sdsim_spi_decoder_end(&b->decoder);
    check(b);
    sdsim_medium_destroy(b->medium);
    free(b);
}

static void finds_what_was_sent(void **state)
{
    (void)state;
    sdsim_test_each_sequence(2, run_sequence, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

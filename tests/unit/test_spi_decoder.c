/*
 * The SPI decoder on what real records hold: dummy and missing CRCs, answers out of place, records
 * that begin or end anywhere, CS that moves at the wrong moment, lines that are shared.
 *
 * A record is an exchange (capture/exchange.h); what is found is written as one line of short words.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "capture/exchange.h"
#include "capture/spi_decoder.h"
#include "core/rng.h"

/* A decoder with an exchange before it and a text behind it. */
struct bench {
    struct sdsim_exchange_sink sink; /* first */
    struct sdsim_item_listener listener;
    struct sdsim_spi_decoder decoder;
    size_t used;
    char text[2000];
};

static void add(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct bench *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(b->text + b->used, sizeof b->text - b->used, format, arguments);
    va_end(arguments);
    b->used += (size_t)length;
    assert_true(b->used < sizeof b->text);
}

static const char *crc_word(enum sdsim_item_crc crc)
{
    static const char *const words[] = {"", "", "!wrong", "!dummy", "!missing"};
    return words[crc];
}

/* C17(1000)+1 is CMD17 with argument 0x1000 one byte behind what was before; R01 an answer; r512 and
 * w512 blocks; D05, T08, FD tokens; B20 busy; h and c strays of host and card. A '~' is an open end. */
static void take_item(struct sdsim_item_listener *listener, const struct sdsim_item *item)
{
    struct bench *b = (struct bench *)((char *)listener - offsetof(struct bench, listener));
    const char *open = item->open ? "~" : "";
    add(b, "%s", b->used > 0 ? " " : "");
    switch (item->kind) {
    case SDSIM_ITEM_SELECT:
        add(b, "[");
        break;
    case SDSIM_ITEM_DESELECT:
        add(b, "]+%u", item->gap);
        break;
    case SDSIM_ITEM_IDLE_CLOCKS:
        add(b, "idle%llu", (unsigned long long)item->count);
        if (item->odd_host + item->odd_card > 0) {
            add(b, "(%u,%u)", item->odd_host, item->odd_card);
        }
        break;
    case SDSIM_ITEM_COMMAND:
        add(b, "%s%u(%X)%s%s%s+%u", item->app ? "A" : "C", item->index, item->argument,
            crc_word(item->crc), item->busy ? "!busy" : "", item->deselected ? "!high" : "",
            item->gap);
        break;
    case SDSIM_ITEM_RESPONSE:
        add(b, "R");
        for (size_t i = 0; i < item->size; i++) {
            add(b, "%02X", item->bytes[i]);
        }
        add(b, "%s+%u", open, item->gap);
        break;
    case SDSIM_ITEM_NO_RESPONSE:
        add(b, "none%s+%u", open, item->gap);
        break;
    case SDSIM_ITEM_READ_BLOCK:
    case SDSIM_ITEM_WRITE_BLOCK:
        add(b, "%c%zu%s%s%s+%u", item->kind == SDSIM_ITEM_READ_BLOCK ? 'r' : 'w', item->size, open,
            item->open ? "" : crc_word(item->crc), item->busy ? "!busy" : "", item->gap);
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        add(b, "D%02X+%u", item->token, item->gap);
        break;
    case SDSIM_ITEM_ERROR_TOKEN:
        add(b, "T%02X+%u", item->token, item->gap);
        break;
    case SDSIM_ITEM_STOP_TOKEN:
        add(b, "FD+%u", item->gap);
        break;
    case SDSIM_ITEM_BUSY:
        add(b, "B%llu%s%s+%u", (unsigned long long)item->count, open, item->resumed ? "again" : "",
            item->gap);
        break;
    case SDSIM_ITEM_STRAY:
        add(b, "%c%llu:%02X", item->from_card ? 'c' : 'h', (unsigned long long)item->count,
            item->bytes[0]);
        break;
    case SDSIM_ITEM_CUT:
        add(b, "cut");
        break;
    case SDSIM_ITEM_NO_DATA:
        add(b, "nodata%s+%u", open, item->gap);
        break;
    case SDSIM_ITEM_TORN:
        add(b, "torn%llu", (unsigned long long)item->count);
        break;
    case SDSIM_ITEM_COUNT:
        break;
    }
}

static void take_select(struct sdsim_exchange_sink *sink, bool low, sdsim_ps at, uint64_t line)
{
    sdsim_spi_decoder_select(&((struct bench *)sink)->decoder, low, at, line);
}

static void take_byte(struct sdsim_exchange_sink *sink, const struct sdsim_spi_byte *byte)
{
    sdsim_spi_decoder_byte(&((struct bench *)sink)->decoder, byte);
}

static void decode(struct bench *b, const char *text)
{
    struct sdsim_exchange_facts facts;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    b->sink = (struct sdsim_exchange_sink){take_select, take_byte};
    b->listener.item = take_item;
    b->used = 0;
    b->text[0] = '\0';
    sdsim_spi_decoder_init(&b->decoder, &b->listener, false);
    if (!sdsim_exchange_read("x", text, strlen(text), &b->sink, &facts, &diags)) {
        sdsim_diags_print(&diags, stderr);
        fail_msg("'%s' is no exchange", text);
    }
    sdsim_diags_free(&diags);
    sdsim_spi_decoder_end(&b->decoder);
}

static const struct {
    const char *what;
    const char *text;
    const char *found;
} records[] = {
    {"a command and its answers", "CS 0\n40.. -> 01\n48.. -> 01 00 00 01 AA\n4D.. -> 00 00\nCS 1",
     "[ C0(0)+0 R01+1 C8(1AA)+1 R01000001AA+1 C13(0)+1 R0000+1 ]+1"},
    {"N_CR 0 and 9", "40 00*4 95 FF -> FF*6 01\n40 00*4 95 FF*10 -> FF*15 01",
     "C0(0)+0 R01+0 C0(0)+0 R01+9"},
    {"dummy and wrong CRC",
     "51 00 00 10 00 01 -> 40\n51 00 00 10 00 33 -> 40\n"
     "51 00 00 10 00 95 -> 40",
     "C17(1000)!dummy+0 R40+1 C17(1000)!wrong+1 R40+1 C17(1000)!dummy+1 R40+1"},
    {"R7 of an old card is one byte", "48.. -> 05\n7A.. -> 01 00 FF 80 00",
     "C8(1AA)+0 R05+1 C58(0)+1 R0100FF8000+1"},
    {"application commands",
     "77.. -> 00\n4D.. -> 00 00 FF FE <64> <2>\n4D.. -> 00 00\n"
     "77.. -> 00\n51.. -> 00 FF FE <512> <2>",
     "C55(0)+0 R00+1 A13(0)+1 R0000+1 r64+1 C13(0)+1 R0000+1 C55(0)+1 R00+1 C17(0)+1 R00+1 r512+1"},
    {"block sizes by command",
     "49.. -> 00 FF FE <16> <2>\n77.. -> 00\n73.. -> 00 FE <8> <2>\n"
     "77.. -> 00\n56.. -> 00 FE <4> <2>\n46.. -> 00 FE <64> <2>\n"
     "5E.. -> 00 FE <4> <2>",
     "C9(0)+0 R00+1 r16+1 C55(0)+1 R00+1 A51(0)+1 R00+1 r8+0 C55(0)+1 R00+1 A22(0)+1 R00+1 r4+0 "
     "C6(0)+1 R00+1 r64+0 C30(0)+1 R00+1 r4+0"},
    {"CMD16 sets the length", "50 00 00 00 10 FF -> 00\n51.. -> 00 FE <16> <2>",
     "C16(10)!dummy+0 R00+1 C17(0)+1 R00+1 r16+0"},
    {"but not on a card that counts blocks",
     "7A.. -> 00 C0 FF 80 00\n50 00 00 00 10 FF -> 00\n51.. -> 00 FE <512> <2>",
     "C58(0)+0 R00C0FF8000+1 C16(10)!dummy+1 R00+1 C17(0)+1 R00+1 r512+0"},
    {"wrong and dummy CRC of blocks", "51.. -> 00 FE 11*512 12 34\n51.. -> 00 FE 11*512 FF FF",
     "C17(0)+0 R00+1 r512!wrong+0 C17(0)+1 R00+1 r512!dummy+0"},
    {"error token", "51.. -> 00 FF FF 08\n52.. -> 00 FF 04 FF\n4C.. -> 00",
     "C17(0)+0 R00+1 T08+2 C18(0)+1 R00+1 T04+1 C12(0)+2 R00+1"},
    {"CMD12 in a block, with data for a stuff byte",
     "52.. -> 00 FF FE <512> <2> FF FE <100>\n4C 00 00 00 00 61 FF FF FF FF*5 -> 00*6 55 FF 00 "
     "00*4 FF",
     "C18(0)+0 R00+1 r512+1 r107~+1 C12(0)+0 R00+1 B4+0"},
    {"R1 in the place of the stuff byte", "4C 00 00 00 00 61 FF FF -> FF*6 00 FF\n4D.. -> 00 00",
     "C12(0)+0 R00+0 C13(0)+2 R0000+1"},
    {"a write with everything",
     "58.. -> 00\nFF FE <512> <crc16> FF FF*4 FF*2 -> FF*516 E5 00*3 1F FF*2\n4D.. -> 00 00",
     "C24(0)+0 R00+1 w512+2 DE5+0 B3+0 C13(0)+3 R0000+1"},
    {"N_WR 0", "58 00*4 6F FF FF -> FF*7 00\nFE <512> <crc16> FF -> FF*515 05",
     "C24(0)+0 R00+1 w512+0 D05+0"},
    {"no CRC bytes, dummy ones, a data response that is late",
     "58 00*4 6F FF FF -> FF*7 00\nFE <512> FF -> FF*513 05\n"
     "58 00*4 6F FF FF -> FF*7 00\nFE 11*512 FF FF FF -> FF*515 05\n"
     "58 00*4 6F FF FF -> FF*7 00\nFE <512> <crc16> FF FF -> FF*516 05",
     "C24(0)+0 R00+1 w512!missing+0 D05+0 C24(0)+0 R00+1 w512!dummy+0 D05+0 C24(0)+0 R00+1 w512+0 "
     "D05+1"},
    {"blocks, stop token, N_BR",
     "59 00*4 03 FF FF -> FF*7 00\nFF FC <512> <crc16> FF FF FF FF -> FF*516 05 00 00 FF\n"
     "FF FC <512> <crc16> FF FF FF FF -> FF*516 05 00 00 FF\nFD FF FF FF -> FF FF 00 FF",
     "C25(0)+0 R00+1 w512+1 D05+0 B2+0 w512+2 D05+0 B2+0 FD+1 B1+1"},
    {"payload is data",
     "59 00*4 03 FF FF -> FF*7 00\nFC 4D 00*4 0D FF 40 00*4 95 FD FC FE <496> <crc16> FF -> "
     "FF*515 05\n4D.. -> 00 00",
     "C25(0)+0 R00+1 w512+0 D05+0 C13(0)+0 R0000+1"},
    {"what is read is data, and so may MOSI be anything",
     "51 00*4 55 FF FF -> FF*7 00\nFF 4D*400 FF*114 -> FE <512> <2>\n4D.. -> 00 00",
     "C17(0)+0 R00+1 h400:4D r512+0 C13(0)+0 R0000+1"},
    {"busy across CS high",
     "CS 0\n58 00*4 6F FF FF -> FF*7 00\nFF FE <512> <crc16> FF FF*3 -> FF*516 05 00*3\nCS 1\n"
     "FF*2 -> FF*2\nCS 0\nFF*5 -> 00*4 FF\nCS 1",
     "[ C24(0)+0 R00+1 w512+1 D05+0 B3~+0 ]+0 idle16 [ B4again+0 ]+1"},
    {"a command into a busy card, and CMD0 that ends it",
     "58 00*4 6F FF FF -> FF*7 00\nFF FE <512> <crc16> FF FF -> FF*516 05 00\n"
     "51 00*4 55 FF*3 -> 00*9\n40 00*4 95 FF*3 -> 00*6 01 FF FF",
     "C24(0)+0 R00+1 w512+1 D05+0 C17(0)!busy+0 none+3 C0(0)!busy+0 B16+0 R01+0"},
    {"a host that does not wait for R1", "58 00*4 6F FF -> FF*7\nFE <512> <crc16> FF -> FF*515 05",
     "C24(0)+0 none+1 w512+1 D05+0"},
    {"the next command before R1", "40 00*4 95 FF -> FF*7\n40 00*4 95 FF FF -> FF*7 01",
     "C0(0)+0 none+1 C0(0)+1 R01+1"},
    {"ready polls are frames of FF", "CS 0\nFF*3 -> FF*3\nCS 1\nCS 0\nFF*2 -> 00 FF\nCS 1",
     "[ ]+3 [ B1+0 ]+1"},
    {"a filler of 00", "CS 0\n40 00*4 95 00*3 FF -> FF*9 01\nCS 1", "[ C0(0)+0 h3:00 R01+3 ]+0"},
    {"bytes before an answer", "40 00*4 95 FF*3 -> FF*7 FE 03", "C0(0)+0 c1:FE R03+2"},
    {"CS within a frame, within an answer, within blocks",
     "CS 0\n40 00 -> FF FF\nCS 1\nCS 0\n48.. -> 01 00 00\nCS 1\n"
     "CS 0\n51 00*4 55 FF FF -> FF*7 00\nFF*100 -> FE <99>\nCS 1\n"
     "CS 0\n58 00*4 6F FF FF -> FF*7 00\nFE <400> -> FF*401\nCS 1",
     "[ h2:40 ]+2 [ C8(1AA)+0 R010000FF~+1 ]+0 [ C17(0)+0 R00+1 r99~+0 ]+0 [ C24(0)+0 R00+1 "
     "w400~+0 ]+0"},
    {"CS high: clocks, others, a command nobody sees",
     "CS 1\nFF*10 -> FF*10\n40 00*4 95 FF FF -> FF*8\nCS 0\nCS 1\nFF 2A 11 40 00*4 95 -> FF*8 01",
     "idle80 C0(0)!high+0 idle16 [ ]+0 idle72(8,1)"},
    {"a stream that goes on under another CS",
     "CS 0\n59 00*4 03 FF FF -> FF*7 00\nFF FC <512> <crc16> FF FF -> FF*516 05 FF\nCS 1\nCS 0\n"
     "FF FC <512> <crc16> FF FF -> FF*516 05 FF\nFD FF -> FF FF\nCS 1",
     "[ C25(0)+0 R00+1 w512+1 D05+0 ]+1 [ w512+1 D05+0 FD+1 ]+1"},
    {"a stream that is torn by CS, and what comes then",
     "CS 0\n52 00*4 E1 FF FF -> FF*7 00\nFF FF*600 -> FE <512> <2> FE 05*85\nCS 1\nCS 0\n"
     "FF 4C 00*4 61 FF FF FF -> 05*2 FE 33*4 44 00 FF\nCS 1",
     "[ C18(0)+0 R00+1 r512+0 r85~+0 ]+0 [ C12(0)+1 R00+0 ]+1"},
    {"begins within a block that is read",
     "FF*596 -> 33*80 FF*5 FE 44*510\n"
     "FF*4 -> 44 44 00 00\nFF*10 -> FF*10\n4D.. -> 00 00",
     "c80:33 C13(0)+10 R0000+1"},
    {"begins within CMD18", "FF*1100 -> 33*80 FF*5 FE <512> <2> FF*500\n4C.. -> 00",
     "c80:33 r512+85 C12(0)+500 R00+1"},
    {"begins within a block that is written",
     "11*20 4D 22*30 77*3 -> FF*54\nFF FF FF -> 05 00 FF\nFF FC <512> <crc16> FF FF FF -> "
     "FF*516 05 00 FF\nFD FF FF -> FF 00 FF",
     "h54:11 B1+55 c1:05 w512+2 D05+0 B1+0 FD+1 B1+0"},
    {"begins before any CS edge, with junk that looks like a command",
     "55*9 FF -> FF*10\n40.. -> 01", "h9:55 C0(0)+10 R01+1"},
    {"ends within a frame", "40 00 -> FF FF", "h2:40 cut"},
    {"ends before an answer", "40 00*4 95 FF -> FF*7", "C0(0)+0 none~+1 cut"},
    {"ends within an answer", "48 00 00 01 AA 87 FF FF -> FF*7 01", "C8(1AA)+0 R01~+1 cut"},
    {"ends within a block", "51 00*4 55 FF FF FF*9 -> FF*7 00 FE <8>", "C17(0)+0 R00+1 r8~+0 cut"},
    {"ends in busy", "4C 00*4 61 FF*5 -> FF*6 FF 00 00 00 00", "C12(0)+0 R00+0 B3~+0"},
    {"no transmission bit", "40.. -> 01\n29 40 00 00 00 77 FF FF -> FF*7 05\n77.. -> 01",
     "C0(0)+0 R01+1 h6:29 c1:05 C55(0)+9 R01+1"},
    {"MISO is low all the time", "CS 0\n40 00*4 95 FF*4 -> 00*10\nCS 1",
     "[ C0(0)!busy+0 none+4 B10~+0 ]+0"},
};

static void records_become_items(void **state)
{
    (void)state;
    static struct bench b;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        decode(&b, records[i].text);
        if (strcmp(b.text, records[i].found) != 0) {
            print_error("%s:\n  found    %s\n  expected %s\n", records[i].what, b.text,
                        records[i].found);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* ---- clocks that make no byte ---- */

static void torn_bytes(void **state)
{
    (void)state;
    static struct bench b;
    b.listener.item = take_item;
    sdsim_spi_decoder_init(&b.decoder, &b.listener, true);
    b.used = 0;
    const struct sdsim_spi_byte high = {.mosi = 0xFF, .miso = 0xFF};
    for (int i = 0; i < 9; i++) {
        sdsim_spi_decoder_byte(&b.decoder, &high);
    }
    sdsim_spi_decoder_clocks(&b.decoder, 2, 0, 0, 0);
    sdsim_spi_decoder_select(&b.decoder, true, 0, 0);
    sdsim_spi_decoder_clocks(&b.decoder, 5, 0, 0, 0);
    sdsim_spi_decoder_select(&b.decoder, false, 0, 0);
    sdsim_spi_decoder_end(&b.decoder);
    assert_string_equal(b.text, "idle74 [ torn5 ]+0");
}

/* ---- anything at all ---- */

static void count_item(struct sdsim_item_listener *listener, const struct sdsim_item *item)
{
    struct bench *b = (struct bench *)((char *)listener - offsetof(struct bench, listener));
    uint8_t sum = 0;
    for (size_t i = 0; i < item->size; i++) {
        sum = (uint8_t)(sum + item->bytes[i]); /* all of them may be read */
    }
    b->text[0] = (char)sum;
    b->used++;
}

/* Random bytes, half of them the ones that mean something, and CS at any time. */
static void noise_is_survived(void **state)
{
    (void)state;
    static const uint8_t usual[] = {0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x40, 0x95, 0x51,
                                    0x58, 0x59, 0x4C, 0xFE, 0xFC, 0xFD, 0x05, 0x01};
    static struct bench b;
    struct sdsim_rng rng;
    print_message("seed 9\n");
    sdsim_rng_seed(&rng, 9);
    b.listener.item = count_item;
    for (int round = 0; round < 200; round++) {
        sdsim_spi_decoder_init(&b.decoder, &b.listener, true);
        b.used = 0;
        bool selected = true;
        for (uint64_t i = 0; i < 5000; i++) {
            selected = sdsim_rng_below(&rng, 700) == 0 ? !selected : selected;
            const struct sdsim_spi_byte byte = {
                .start = i * SDSIM_US,
                .end = i * SDSIM_US + 1,
                .at = i,
                .selected = selected,
                .mosi = sdsim_rng_below(&rng, 3) == 0 ? (uint8_t)sdsim_rng_below(&rng, 256)
                                                      : usual[sdsim_rng_below(&rng, 16)],
                .miso = sdsim_rng_below(&rng, 3) == 0 ? (uint8_t)sdsim_rng_below(&rng, 256)
                                                      : usual[sdsim_rng_below(&rng, 16)],
            };
            sdsim_spi_decoder_byte(&b.decoder, &byte);
        }
        sdsim_spi_decoder_end(&b.decoder);
        assert_true(b.used > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_become_items),
        cmocka_unit_test(torn_bytes),
        cmocka_unit_test(noise_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

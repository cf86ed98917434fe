/*
 * Exchanges as text: what each form of a line means byte by byte, which mistakes are refused and
 * where, and that what is written reads back the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "capture/exchange.h"
#include "core/crc.h"
#include "core/rng.h"

enum { MOST = 8192 };

/* Everything that was told; CS edges as bytes of their own. */
struct record {
    struct sdsim_exchange_sink sink;
    size_t count;
    struct told {
        bool edge;
        bool selected;
        uint8_t mosi;
        uint8_t miso;
        uint64_t line;
        sdsim_ps start;
    } told[MOST];
};

static void take_select(struct sdsim_exchange_sink *sink, bool low, sdsim_ps at, uint64_t line)
{
    struct record *record = (struct record *)sink;
    assert_true(record->count < MOST);
    record->told[record->count++] =
        (struct told){.edge = true, .selected = low, .line = line, .start = at};
}

static void take_byte(struct sdsim_exchange_sink *sink, const struct sdsim_spi_byte *byte)
{
    struct record *record = (struct record *)sink;
    assert_true(record->count < MOST);
    record->told[record->count++] = (struct told){.selected = byte->selected,
                                                  .mosi = byte->mosi,
                                                  .miso = byte->miso,
                                                  .line = byte->at,
                                                  .start = byte->start};
}

static bool read_text(const char *text, size_t size, struct record *record,
                      struct sdsim_exchange_facts *facts, struct sdsim_diags *diags)
{
    record->sink = (struct sdsim_exchange_sink){take_select, take_byte};
    record->count = 0;
    return sdsim_exchange_read("x.txt", text, size, &record->sink, facts, diags);
}

/* ---- forms ---- */

/* Both sides of what was told, without CS: "40 00 / FF FF". */
static void describe(const struct record *record, char *out, size_t size)
{
    size_t used = 0;
    for (int host = 1; host >= 0; host--) {
        for (size_t i = 0; i < record->count; i++) {
            const struct told *told = &record->told[i];
            if (!told->edge && used + 4 < size) {
                used += (size_t)snprintf(out + used, size - used, "%02X ",
                                         host != 0 ? told->mosi : told->miso);
            }
        }
        used += (size_t)snprintf(out + used, size - used, host != 0 ? "/ " : "");
    }
    out[used > 0 ? used - 1 : 0] = '\0';
}

static const struct {
    const char *text;
    const char *bytes;
} forms[] = {
    /* both sides in full */
    {"FF 12 -> 00 AB", "FF 12 / 00 AB"},
    {"FF*3->FF*2 00", "FF FF FF / FF FF 00"},
    {"  ff*2\t->  0a 0B  # comment\r\n", "FF FF / 0A 0B"},
    {"40 00 00 00 00 95 -> FF*6", "40 00 00 00 00 95 / FF FF FF FF FF FF"},
    {"51 00 00 00 00 55 -> 00*6", "51 00 00 00 00 55 / 00 00 00 00 00 00"},
    {"40 00*4 95 FF*2 -> FF*7 01", "40 00 00 00 00 95 FF FF / FF FF FF FF FF FF FF 01"},
    /* short: filler, answer, one byte more */
    {"40 00 00 00 00 95 -> 01", "40 00 00 00 00 95 FF FF FF / FF FF FF FF FF FF FF 01 FF"},
    {"4D 00 00 00 00 0D -> FF 00 00",
     "4D 00 00 00 00 0D FF FF FF FF / FF FF FF FF FF FF FF 00 00 FF"},
    {"7A.. -> 00 C0 FF 80 00",
     "7A 00 00 00 00 FD FF FF FF FF FF FF FF / FF FF FF FF FF FF FF 00 C0 FF 80 00 FF"},
    {"48 00 00 01 AA 87 FF FF -> 01 00 00 01 AA",
     "48 00 00 01 AA 87 FF FF FF FF FF FF FF / FF FF FF FF FF FF FF 01 00 00 01 AA FF"},
    /* CMD12 has a stuff byte more */
    {"4C.. -> 00", "4C 00 00 00 00 61 FF FF FF FF / FF FF FF FF FF FF FF FF 00 FF"},
    /* six bytes behind six: an answer if they look like one */
    {"48 00 00 01 AA 87 -> FF 01 00 00 01 AA",
     "48 00 00 01 AA 87 FF FF FF FF FF FF FF / FF FF FF FF FF FF FF 01 00 00 01 AA FF"},
    {"40 00 00 00 00 95 -> -",
     "40 00 00 00 00 95 FF FF FF FF FF FF FF FF / FF FF FF FF FF FF FF FF FF FF FF FF FF FF"},
    /* completed frames */
    {"77.. -> FF*6", "77 00 00 00 00 65 / FF FF FF FF FF FF"},
    {"69.. -> FF*6", "69 40 00 00 00 77 / FF FF FF FF FF FF"},
    {"48.. -> FF*6", "48 00 00 01 AA 87 / FF FF FF FF FF FF"},
    {"50.. -> FF*6", "50 00 00 02 00 15 / FF FF FF FF FF FF"},
    {"77.. -> 00/01", "77 00 00 00 00 65 FF FF FF / FF FF FF FF FF FF FF 00 FF"},
    /* by name, and as C writes bytes */
    {"CMD0 -> 01", "40 00 00 00 00 95 FF FF FF / FF FF FF FF FF FF FF 01 FF"},
    {"cmd8 0x1aa => 0x01, 0x00, 0x00, 0x01, 0xAA",
     "48 00 00 01 AA 87 FF FF FF FF FF FF FF / FF FF FF FF FF FF FF 01 00 00 01 AA FF"},
    {"ACMD41 -> FF*6", "69 40 00 00 00 77 / FF FF FF FF FF FF"},
    {"CMD17 0x2 FF FF -> FF*8", "51 00 00 00 02 71 FF FF / FF FF FF FF FF FF FF FF"},
    {"CMD63 0xFFFFFFFF -> FF*6", "7F FF FF FF FF 19 / FF FF FF FF FF FF"},
    {"0x40,0x00, 0x00*3 0x95 -> FF*6", "40 00 00 00 00 95 / FF FF FF FF FF FF"},
    /* a block and the answer to it */
    {"FE 01 02 03 04 05 -> E5 00 FF", "FE 01 02 03 04 05 FF FF FF / FF FF FF FF FF FF E5 00 FF"},
    {"FF FC <3> <crc16> -> 0B", "FF FC 00 00 00 00 00 FF / FF FF FF FF FF FF FF 0B"},
    {"FE 01 -> FF E5", "FE 01 / FF E5"},
    /* runs of unknown length */
    {"FF.. -> 00 00 FF", "FF FF FF / 00 00 FF"},
    {"FF.. -> 00.. FF", "FF FF FF FF FF / 00 00 00 00 FF"},
    {"FF*3 -> 00.. FF", "FF FF FF / 00 00 FF"},
    /* one side only */
    {"FF FC", "FF FC / FF FF"},
    {"-> E5 00", "FF FF / E5 00"},
    /* placeholders */
    {"FE <2> <crc16> -> FF*5", "FE 00 00 00 00 / FF FF FF FF FF"},
    {"FF FE 11 22 <crc16> -> FF*6", "FF FE 11 22 34 62 / FF FF FF FF FF FF"},
    {"FE 11\n22 <crc16>", "FE 11 22 34 62 / FF FF FF FF FF"},
    {"FF*5 -> FE <2 data> <2>", "FF FF FF FF FF / FE 00 00 00 00"},
};

static void forms_mean_bytes(void **state)
{
    (void)state;
    static struct record record;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct sdsim_exchange_facts facts;
        struct sdsim_diags diags;
        char bytes[1000];
        sdsim_diags_init(&diags);
        if (!read_text(forms[i].text, strlen(forms[i].text), &record, &facts, &diags)) {
            sdsim_diags_print(&diags, stderr);
            fail_msg("'%s' is refused", forms[i].text);
        }
        describe(&record, bytes, sizeof bytes);
        if (strcmp(bytes, forms[i].bytes) != 0) {
            fail_msg("'%s'\n  is       %s\n  expected %s", forms[i].text, bytes, forms[i].bytes);
        }
        assert_int_equal(facts.card_unknown, strstr(forms[i].text, "->") == NULL &&
                                                 strstr(forms[i].text, "=>") == NULL);
        sdsim_diags_free(&diags);
    }
    const uint8_t block[] = {0x11, 0x22};
    assert_int_equal(sdsim_crc16(block, 2), 0x3462);
}

static void times_and_cs(void **state)
{
    (void)state;
    static struct record record;
    static const char text[] = "clock 1MHz\n"
                               "cs=1 FF*2 -> FF*2\n"
                               "@100us CS low\n"
                               "+5us FF -> 00\n"
                               "\n"
                               "CS 1\n";
    struct sdsim_exchange_facts facts;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    assert_true(read_text(text, strlen(text), &record, &facts, &diags));
    sdsim_diags_free(&diags);
    assert_true(facts.timed && facts.cs_known && !facts.card_unknown);
    assert_int_equal(facts.bytes, 3);
    static const struct told expected[] = {
        {.edge = true, .selected = false, .line = 2, .start = 0},
        {.selected = false, .mosi = 0xFF, .miso = 0xFF, .line = 2, .start = 0},
        {.selected = false, .mosi = 0xFF, .miso = 0xFF, .line = 2, .start = 8 * SDSIM_US},
        {.edge = true, .selected = true, .line = 3, .start = 100 * SDSIM_US},
        {.selected = true, .mosi = 0xFF, .miso = 0x00, .line = 4, .start = 105 * SDSIM_US},
        {.edge = true, .selected = false, .line = 6, .start = 113 * SDSIM_US},
    };
    assert_int_equal(record.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < record.count; i++) {
        assert_int_equal(record.told[i].edge, expected[i].edge);
        assert_int_equal(record.told[i].selected, expected[i].selected);
        assert_int_equal(record.told[i].mosi, expected[i].mosi);
        assert_int_equal(record.told[i].miso, expected[i].miso);
        assert_int_equal(record.told[i].line, expected[i].line);
        assert_int_equal(record.told[i].start, expected[i].start);
    }
}

/* ---- mistakes ---- */

static const struct {
    const char *text;
    uint32_t line;
    uint32_t column;
    const char *message;
} mistakes[] = {
    {"", 0, 0, "holds no bytes"},
    {"# nothing\n", 0, 0, "holds no bytes"},
    {"FF -> 0G", 1, 7, "'0G' is no byte"},
    {"FF\nFF 1 -> FF FF", 2, 4, "'1' is no byte"},
    {"FFF -> FF", 1, 1, "'FFF' is no byte"},
    {"CMD64 -> FF", 1, 1, "'CMD64' is no command"},
    {"CMDx -> FF", 1, 1, "'CMDx' is no byte"},
    {"CMD8 0x1FFFFFFFF -> FF", 1, 6, "'0x1FFFFFFFF' is no byte"},
    {"CMD8 0x1AA 0x1AA -> FF", 1, 12, "'0x1AA' is no byte"},
    {"FF -> CMD0", 1, 7, "'CMD0' is no byte"},
    {"FE <2> -> FF*3 E5", 1, 1, "the host sends 3 bytes and the card 4"},
    {"FF*0 -> FF", 1, 1, "strange number"},
    {"FF*99999999 -> FF", 1, 1, "strange number"},
    {"FF*x -> FF", 1, 1, "strange number"},
    {"FF*3 -> FF*2", 1, 1, "the host sends 3 bytes and the card 2"},
    {"FF ->", 1, 4, "no answer behind"},
    {"FF -> - FF", 1, 9, "follows '-'"},
    {"FF.. 00 FF.. -> FF", 1, 9, "second run of unknown length"},
    {"FF <data> -> FF", 1, 4, "is no placeholder"},
    {"FF <512 -> FF", 1, 4, "is no placeholder"},
    {"FF <crc16> -> FF*3", 1, 4, "without a block"},
    {"CS 2\nFF", 1, 4, "'2' is no level of CS"},
    {"CS", 1, 3, "'' is no level of CS"},
    {"clock 0Hz\nFF", 1, 7, "is no clock"},
    {"clock fast\nFF", 1, 7, "is no clock"},
    {"@12 FF", 1, 1, "is no time with a unit"},
    {"FF*9000000 FF*9000000 FF*9000000 FF*9000000 FF*9000000 FF*9000000\n"
     "FF*9000000 FF*9000000 FF*9000000 FF*9000000 FF*9000000 FF*9000000",
     2, 1, "longer than 100000000 bytes"},
    {"@12us FF\n@12us FF", 2, 1, "before the end of the bytes above"},
};

static void mistakes_are_placed(void **state)
{
    (void)state;
    static struct record record;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct sdsim_exchange_facts facts;
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        assert_false(
            read_text(mistakes[i].text, strlen(mistakes[i].text), &record, &facts, &diags));
        assert_int_equal(record.count, 0);
        assert_true(diags.count > 0);
        if (diags.items[0].line != mistakes[i].line ||
            diags.items[0].column != mistakes[i].column ||
            strstr(diags.items[0].text, mistakes[i].message) == NULL) {
            fail_msg("'%s': %u:%u: %s; expected %u:%u: %s", mistakes[i].text, diags.items[0].line,
                     diags.items[0].column, diags.items[0].text, mistakes[i].line,
                     mistakes[i].column, mistakes[i].message);
        }
        sdsim_diags_free(&diags);
    }
}

static void long_lines_are_refused(void **state)
{
    (void)state;
    static struct record record;
    const size_t size = 70000;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++) {
        text[i] = "FF "[i % 3];
    }
    struct sdsim_exchange_facts facts;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    assert_false(read_text(text, size, &record, &facts, &diags));
    assert_false(read_text(text, 3 * 4097, &record, &facts, &diags)); /* too many entries */
    assert_int_equal(diags.errors, 2);
    assert_true(read_text(text, 3 * 4096, &record, &facts, &diags));
    sdsim_diags_free(&diags);
    free(text);
}

/* Any bytes at all, cut anywhere: an answer, never a crash. */
static void garbage_is_survived(void **state)
{
    (void)state;
    static const char pieces[][12] = {"FF",  " -> ", "\n",   "*3", "..", "<512 data>", "<crc16>",
                                      "CS ", "0",    "@1us", "/",  "-",  "40",         "#"};
    struct sdsim_rng rng;
    print_message("seed 3\n");
    sdsim_rng_seed(&rng, 3);
    for (int round = 0; round < 3000; round++) {
        char text[400] = "";
        size_t size = 0;
        while (size < 300) {
            const char *piece = pieces[sdsim_rng_below(&rng, sizeof pieces / sizeof *pieces)];
            const size_t length = strlen(piece);
            memcpy(text + size, piece, length);
            size += length;
            text[size++] = sdsim_rng_below(&rng, 8) == 0 ? (char)sdsim_rng_below(&rng, 256) : ' ';
        }
        struct sdsim_exchange_facts facts;
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        (void)sdsim_exchange_read("x", text, sdsim_rng_below(&rng, size), NULL, &facts, &diags);
        sdsim_diags_free(&diags);
    }
}

/* ---- writing ---- */

static void write_and_read(uint64_t number)
{
    static const uint8_t usual[] = {0xFF, 0xFF, 0x00, 0x40, 0x01, 0xFE, 0x95, 0x4C};
    static struct record record;
    static struct told sent[600];
    struct sdsim_rng rng;
    struct sdsim_exchange_writer writer;
    char *text = NULL;
    size_t size = 0;
    size_t count = 0;
    bool selected = true;
    sdsim_rng_seed(&rng, number);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_exchange_writer_init(&writer, out, false);
    while (count < 500) {
        if (sdsim_rng_below(&rng, 30) == 0) {
            selected = !selected;
            sent[count++] = (struct told){.edge = true, .selected = selected};
            writer.sink.select(&writer.sink, selected, 0, 0);
        }
        const struct sdsim_spi_byte byte = {.selected = selected,
                                            .mosi = usual[sdsim_rng_below(&rng, 8)],
                                            .miso = usual[sdsim_rng_below(&rng, 8)]};
        for (uint64_t n = sdsim_rng_below(&rng, 8) == 0 ? 20 : 1; n > 0; n--) {
            sent[count++] =
                (struct told){.selected = selected, .mosi = byte.mosi, .miso = byte.miso};
            writer.sink.byte(&writer.sink, &byte);
        }
    }
    sdsim_exchange_writer_end(&writer);
    fclose(out);
    struct sdsim_exchange_facts facts;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    if (!read_text(text, size, &record, &facts, &diags)) {
        sdsim_diags_print(&diags, stderr);
        fail_msg("sequence %llu does not read back", (unsigned long long)number);
    }
    assert_int_equal(record.count, count);
    for (size_t i = 0; i < count; i++) {
        const struct told *told = &record.told[i];
        if (told->edge != sent[i].edge || told->selected != sent[i].selected ||
            told->mosi != sent[i].mosi || told->miso != sent[i].miso) {
            fail_msg("sequence %llu differs at byte %zu: %02X %02X, not %02X %02X\n%s",
                     (unsigned long long)number, i, told->mosi, told->miso, sent[i].mosi,
                     sent[i].miso, text);
        }
    }
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        assert_true(strcspn(line, "\n") <= 90);
    }
    sdsim_diags_free(&diags);
    free(text);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    print_message("seeds 1 to 200\n");
    for (uint64_t number = 1; number <= 200; number++) {
        write_and_read(number);
    }
}

/* Times of lines come back: the starts of frames, of runs and what is behind pauses. */
static void times_read_back(void **state)
{
    (void)state;
    static struct record record;
    struct sdsim_exchange_writer writer;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_exchange_writer_init(&writer, out, true);
    writer.sink.select(&writer.sink, true, 3333, 0);
    sdsim_ps now = 5 * SDSIM_US + 1;
    sdsim_ps starts[30];
    for (size_t i = 0; i < 30; i++) {
        now += i == 2 ? SDSIM_MS : 0; /* a pause */
        starts[i] = now;
        writer.sink.byte(&writer.sink,
                         &(struct sdsim_spi_byte){.start = now,
                                                  .end = now + 6500 * SDSIM_NS,
                                                  .selected = true,
                                                  .mosi = 0xFF,
                                                  .miso = i < 8 || i > 27 ? 0xFF : 0x00});
        now += 8080 * SDSIM_NS;
    }
    sdsim_exchange_writer_end(&writer);
    fclose(out);
    struct sdsim_exchange_facts facts;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    assert_true(read_text(text, size, &record, &facts, &diags));
    sdsim_diags_free(&diags);
    free(text);
    assert_int_equal(record.count, 31);
    assert_true(record.told[0].edge && record.told[0].start == 3333);
    static const size_t exact[] = {0, 2, 28}; /* first, behind the pause, behind the run */
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        assert_int_equal(record.told[1 + exact[i]].start, starts[exact[i]]);
    }
}

/* Running out of memory is told, and nothing else. */
static void memory_may_be_short(void **state)
{
    (void)state;
    struct sdsim_exchange_facts facts;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    sdsim_test_fail_allocation(1);
    assert_false(sdsim_exchange_read("x", "FF -> FF", 8, NULL, &facts, &diags));
    assert_true(sdsim_test_allocation_failed());
    assert_int_equal(diags.errors, 1);
    sdsim_diags_free(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_mean_bytes),    cmocka_unit_test(times_and_cs),
        cmocka_unit_test(mistakes_are_placed), cmocka_unit_test(long_lines_are_refused),
        cmocka_unit_test(garbage_is_survived), cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(times_read_back),     cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

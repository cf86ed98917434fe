/* What is seen of a timeline: facts of spans, jumps, searches, sums of a range, two runs side by side. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "view/commands.h"
#include "view/explore.h"
#include "view/facts.h"
#include "view/pair.h"
#include "view/rows.h"

static uint32_t detail(struct sdsim_timeline *timeline, uint8_t kind, uint8_t code, uint64_t place,
                       uint32_t size, const char *name)
{
    const struct sdsim_detail about = {
        .kind = kind, .code = code, .place = place, .size = size, .name = name};
    return timeline->recorder.detail(&timeline->recorder, &about);
}

static void span(struct sdsim_timeline *timeline, enum sdsim_lane lane, sdsim_ps from, sdsim_ps to,
                 uint8_t kind, uint8_t purpose, uint8_t part, uint32_t about)
{
    const struct sdsim_span one = {.start = from,
                                   .duration = to - from,
                                   .count = 1,
                                   .lane = (uint8_t)lane,
                                   .kind = kind,
                                   .purpose = purpose,
                                   .part = part,
                                   .detail = about};
    timeline->recorder.span(&timeline->recorder, &one);
}

/* Ten writes of 4 KiB, 10 ms apart; the sixth is followed by a FAT update that meets a pause of `pause`.
 */
static void make(struct sdsim_timeline *timeline, sdsim_ps pause)
{
    const char *why;
    sdsim_timeline_init(timeline);
    sdsim_timeline_add_text(timeline, "clock", "20000000/1", 10);
    for (uint32_t i = 0; i < 10; i++) {
        const sdsim_ps t = i * 10 * SDSIM_MS + (i > 5 ? pause : 0);
        const bool fat = i == 5;
        const uint32_t command = detail(timeline, SDSIM_DETAIL_COMMAND, 25, 8192 + 8 * i, 8, NULL);
        const uint32_t response = detail(timeline, SDSIM_DETAIL_RESPONSE, 0, 0, 0, NULL);
        const uint32_t sectors = detail(timeline, SDSIM_DETAIL_SECTORS, 0, 8192 + 8 * i, 8, NULL);
        const uint32_t file = detail(timeline, SDSIM_DETAIL_CALL, 0, 4096 * i, 4096, "/DATA.BIN");
        const sdsim_ps us = SDSIM_US;
        const sdsim_ps extra = fat ? pause + 500 * us : 0;
        span(timeline, SDSIM_LANE_CPU, t, t + 100 * us, SDSIM_HOST, 0, 0, 0);
        span(timeline, SDSIM_LANE_BUS, t + 100 * us, t + 103 * us, SDSIM_PROTOCOL, 0,
             SDSIM_PART_COMMAND, command);
        span(timeline, SDSIM_LANE_BUS, t + 103 * us, t + 104 * us, SDSIM_PROTOCOL, 0,
             SDSIM_PART_RESPONSE, response);
        span(timeline, SDSIM_LANE_BUS, t + 104 * us, t + 1742 * us, SDSIM_PAYLOAD, 0,
             SDSIM_PART_DATA, command);
        span(timeline, SDSIM_LANE_CARD, t + 1742 * us, t + 2742 * us, SDSIM_BUSY, 0, 0, command);
        span(timeline, SDSIM_LANE_COMMAND, t + 100 * us, t + 2742 * us, SDSIM_HOST, 0,
             SDSIM_GROUP_WRITE, command);
        span(timeline, SDSIM_LANE_DISK, t + 90 * us, t + 2800 * us, SDSIM_HOST, SDSIM_FOR_DATA,
             SDSIM_CALL_WRITE, sectors);
        if (fat) {
            const uint32_t entry = detail(timeline, SDSIM_DETAIL_SECTORS, 0, 600, 1, NULL);
            span(timeline, SDSIM_LANE_CARD, t + 3000 * us, t + 3000 * us + pause, SDSIM_PAUSE,
                 SDSIM_FOR_FAT, 0, 0);
            span(timeline, SDSIM_LANE_DISK, t + 2900 * us, t + 3300 * us + pause, SDSIM_HOST,
                 SDSIM_FOR_FAT, SDSIM_CALL_WRITE, entry);
        }
        span(timeline, SDSIM_LANE_TASK, t + 50 * us, t + 2900 * us + extra, SDSIM_HOST, 0,
             SDSIM_CALL_WRITE, file);
    }
    assert_true(sdsim_timeline_finish(timeline, &why));
}

static void expect(const struct sdsim_facts *facts, const char *name, const char *value)
{
    const char *there = sdsim_fact(facts, name);
    if (there == NULL || strcmp(there, value) != 0) {
        fail_msg("%s is %s, not %s", name, there != NULL ? there : "not there", value);
    }
}

static void all_facts(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    struct sdsim_facts facts;
    make(&timeline, 90 * SDSIM_MS);
    assert_true(sdsim_facts_of(&timeline, SDSIM_LANE_BUS, 3, &facts)); /* of the second write */
    expect(&facts, "lane", "Bus");
    expect(&facts, "start", "10.1ms");
    expect(&facts, "duration", "3us");
    expect(&facts, "end", "10.103ms");
    expect(&facts, "kind", "protocol");
    expect(&facts, "part", "command");
    expect(&facts, "clocks", "60 at 20 MHz");
    expect(&facts, "command", "CMD25");
    expect(&facts, "called", "WRITE_MULTIPLE_BLOCK");
    expect(&facts, "argument", "0x00002008");
    expect(&facts, "argument means", "address 8200");
    expect(&facts, "blocks", "8");
    expect(&facts, "in command", "CMD25 address 8200");
    expect(&facts, "in driver call", "data write 8200+8");
    expect(&facts, "in application call", "write /DATA.BIN at 4096, 4096 bytes");
    assert_true(sdsim_facts_of(&timeline, SDSIM_LANE_BUS, 4, &facts));
    expect(&facts, "response", "R1 0x00: ready");
    assert_true(sdsim_facts_of(&timeline, SDSIM_LANE_TASK, 1, &facts));
    expect(&facts, "file", "/DATA.BIN");
    expect(&facts, "position", "4096");
    expect(&facts, "rate", "1.437 MB/s");
    assert_null(sdsim_fact(&facts, "in application call"));
    assert_false(sdsim_facts_of(&timeline, SDSIM_LANE_BUS, 1000, &facts));
    sdsim_timeline_free(&timeline);
}

struct jump {
    const char *quest;
    sdsim_ps after; /* next from here ... */
    enum sdsim_lane lane;
    sdsim_ps start; /* ... is this; SDSIM_TIME_END: there is none */
};

static void jumps(void **state)
{
    (void)state;
    const sdsim_ps pause = 90 * SDSIM_MS;
    const sdsim_ps pause_at = 53 * SDSIM_MS;
    const struct jump rows[] = {
        {"pause over 10ms", 0, SDSIM_LANE_CARD, pause_at},
        {"pause over 90ms", 0, SDSIM_LANE_CARD, pause_at},
        {"pause over 91ms", 0, SDSIM_LANE_CARD, SDSIM_TIME_END},
        {"pause", pause_at, SDSIM_LANE_CARD, SDSIM_TIME_END},
        {"fat write", 0, SDSIM_LANE_DISK, 52900 * SDSIM_US},
        {"fat read", 0, SDSIM_LANE_DISK, SDSIM_TIME_END},
        {"busy", 20 * SDSIM_MS, SDSIM_LANE_CARD, 21742 * SDSIM_US},
        {"task write", 20 * SDSIM_MS, SDSIM_LANE_TASK, 20050 * SDSIM_US},
        {"command write", 20 * SDSIM_MS, SDSIM_LANE_COMMAND, 20100 * SDSIM_US},
        {"LBA 8208", 0, SDSIM_LANE_DISK, 20090 * SDSIM_US},
        {"data.bin at 8192", 0, SDSIM_LANE_TASK, 20050 * SDSIM_US},
        {"cmd25 0x00002018", 0, SDSIM_LANE_COMMAND, 30100 * SDSIM_US},
    };
    struct sdsim_timeline timeline;
    make(&timeline, pause);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_quest quest;
        struct sdsim_place_in place;
        struct sdsim_span found = {.start = SDSIM_TIME_END};
        char why[200] = "";
        if (!sdsim_quest_read(&timeline, rows[i].quest, &quest, why, sizeof why)) {
            fail_msg("%s: %s", rows[i].quest, why);
        }
        if (sdsim_quest_next(&timeline, &quest, rows[i].after, false, &place)) {
            assert_true(sdsim_store_span(&timeline.lanes[place.lane], place.number, &found));
        }
        if (found.start != rows[i].start) {
            fail_msg("%s after %llu is at %llu", rows[i].quest, (unsigned long long)rows[i].after,
                     (unsigned long long)found.start);
        }
        if (rows[i].start != SDSIM_TIME_END) {
            assert_int_equal(place.lane, rows[i].lane);
            struct sdsim_place_in back;
            assert_true(sdsim_quest_previous(&timeline, &quest, rows[i].start + 1, &back));
            assert_int_equal(back.lane, place.lane);
            assert_int_equal(back.number, place.number);
        }
        sdsim_quest_free(&quest);
    }
    static const char *const nonsense[] = {"", "pause over", "pause over 10", "over 3MHz", "xyzzy"};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        struct sdsim_quest quest;
        char why[200] = "";
        if (sdsim_quest_read(&timeline, nonsense[i], &quest, why, sizeof why)) {
            fail_msg("'%s' means something", nonsense[i]);
        }
        assert_true(why[0] != '\0');
    }
    sdsim_timeline_free(&timeline);
}

static void longest(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    struct sdsim_quest quest;
    struct sdsim_long_one found[3];
    char why[200];
    make(&timeline, 90 * SDSIM_MS);
    assert_true(sdsim_quest_read(&timeline, "card", &quest, why, sizeof why));
    assert_int_equal(sdsim_quest_longest(&timeline, &quest, 3, found), 3);
    assert_int_equal(found[0].duration, 90 * SDSIM_MS);
    assert_int_equal(found[1].duration, SDSIM_MS);
    assert_int_equal(found[1].start, 1742 * SDSIM_US);
    assert_int_equal(found[2].start, 11742 * SDSIM_US);
    sdsim_quest_free(&quest);
    assert_true(sdsim_quest_read(&timeline, "over 2ms", &quest, why, sizeof why));
    assert_int_equal(sdsim_quest_longest(&timeline, &quest, 3, found), 3);
    assert_int_equal(found[0].place.lane, SDSIM_LANE_TASK); /* 93.35 ms, with the pause in it */
    assert_int_equal(found[1].place.lane, SDSIM_LANE_DISK);
    assert_int_equal(found[2].place.lane, SDSIM_LANE_CARD);
    sdsim_quest_free(&quest);
    sdsim_timeline_free(&timeline);
}

static void measuring(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    struct sdsim_measured measured;
    uint64_t counts[128];
    make(&timeline, 90 * SDSIM_MS);
    sdsim_measure(&timeline, 9 * SDSIM_MS, 29 * SDSIM_MS, &measured);
    assert_int_equal(measured.time, 20 * SDSIM_MS);
    assert_int_equal(measured.bytes, 8192);
    assert_int_equal(measured.card_bytes, 8192);
    assert_true(measured.rate > 409599 && measured.rate < 409601);
    assert_int_equal(measured.commands[SDSIM_GROUP_WRITE], 2);
    assert_int_equal(measured.kinds[SDSIM_BUSY], 2 * SDSIM_MS);
    assert_int_equal(measured.kinds[SDSIM_PROTOCOL], 2 * 4 * SDSIM_US);
    assert_true(sdsim_measure_commands(&timeline, 9 * SDSIM_MS, 29 * SDSIM_MS, 1000, counts));
    assert_int_equal(counts[25], 2);
    assert_false(sdsim_measure_commands(&timeline, 0, timeline.end, 9, counts));
    sdsim_timeline_free(&timeline);
}

/* Before and after, aligned on the FAT update: what differs is the pause. */
static void side_by_side(void **state)
{
    (void)state;
    struct sdsim_timeline before;
    struct sdsim_timeline after;
    make(&before, 90 * SDSIM_MS);
    make(&after, 10 * SDSIM_MS);
    struct sdsim_pair pair = sdsim_pair_of(&before, &after);
    struct sdsim_difference differences[SDSIM_DIFFERENCES_MOST];
    /* Aligned at the write behind it, the shorter one moves to the right. */
    sdsim_pair_align(&pair, 150 * SDSIM_MS, 70 * SDSIM_MS);
    assert_int_equal(pair.shift[0], 0);
    assert_int_equal(pair.shift[1], 80 * SDSIM_MS);
    assert_int_equal(sdsim_pair_common(&pair, 1, 70 * SDSIM_MS), 150 * SDSIM_MS);
    assert_int_equal(sdsim_pair_own(&pair, 1, 150 * SDSIM_MS), 70 * SDSIM_MS);
    assert_int_equal(sdsim_pair_own(&pair, 1, 10 * SDSIM_MS), 0);
    assert_int_equal(sdsim_pair_end(&pair), before.end);
    size_t count = sdsim_pair_differ(&pair, 149 * SDSIM_MS, sdsim_pair_end(&pair), differences);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(differences[i].of[0], differences[i].of[1]);
    }
    assert_true(count >= 5);
    sdsim_pair_align(&pair, 0, 0);
    count = sdsim_pair_differ(&pair, 0, sdsim_pair_end(&pair), differences);
    for (size_t i = 0; i < count; i++) {
        const bool pause = strcmp(differences[i].name, "pause") == 0;
        assert_int_equal(differences[i].of[0] - differences[i].of[1], pause ? 80 * SDSIM_MS : 0);
    }
    sdsim_timeline_free(&before);
    sdsim_timeline_free(&after);
}

static void rows_of_lanes(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    struct sdsim_rows rows = {.full = 30, .thin = 10};
    make(&timeline, 90 * SDSIM_MS);
    sdsim_rows_add(&rows, &timeline, 0);
    assert_int_equal(rows.count, 6 + 3); /* no file, no queue; bits and two curves */
    assert_int_equal(rows.height, 9 * 30);
    const uint32_t bus = sdsim_rows_of_lane(&rows, SDSIM_LANE_BUS, 0);
    assert_string_equal(sdsim_row_title(&rows.items[bus]), "Bus");
    assert_int_equal(sdsim_rows_at(&rows, rows.items[bus].y + 29), bus);
    sdsim_rows_fold(&rows, bus, true);
    assert_int_equal(rows.height, 8 * 30 + 10);
    sdsim_rows_hide(&rows, bus, true);
    assert_int_equal(rows.height, 8 * 30);
    assert_int_equal(sdsim_rows_at(&rows, rows.height), rows.count);
    assert_int_equal(sdsim_rows_at(&rows, -1), rows.count);
    const uint32_t cpu = sdsim_rows_of_lane(&rows, SDSIM_LANE_CPU, 0);
    assert_int_equal(sdsim_rows_move(&rows, cpu, 1), cpu + 2); /* past the hidden bus */
    assert_int_equal(rows.items[cpu + 1].kind, SDSIM_ROW_PINS);
    assert_int_equal(sdsim_rows_move(&rows, 0, -5), 0);
    sdsim_timeline_free(&timeline);
}

static void picking(void **state)
{
    (void)state;
    struct sdsim_timeline timeline;
    uint64_t number;
    make(&timeline, 90 * SDSIM_MS);
    struct sdsim_store *card = &timeline.lanes[SDSIM_LANE_CARD];
    struct sdsim_axis axis = sdsim_axis_of(timeline.end, 1000);
    /* All of it: the pause is under its middle. */
    assert_true(sdsim_pick(card, &axis, sdsim_axis_pixel(&axis, 100 * SDSIM_MS), 0, &number));
    struct sdsim_span found;
    assert_true(sdsim_store_span(card, number, &found));
    assert_int_equal(found.kind, SDSIM_PAUSE);
    /* Zoomed to the first write: beside the busy there is nothing, but near enough it is. */
    sdsim_axis_set(&axis, 0, 4 * SDSIM_MS);
    const int32_t x = sdsim_axis_pixel(&axis, 1742 * SDSIM_US);
    assert_false(sdsim_pick(card, &axis, x - 5, 2, &number));
    assert_true(sdsim_pick(card, &axis, x - 5, 6, &number));
    assert_int_equal(number, 0);
    assert_false(sdsim_pick(card, &axis, -1, 6, &number));
    assert_false(sdsim_pick(card, &axis, 1000, 6, &number));
    double values[1001];
    sdsim_axis_set(&axis, 0, 40 * SDSIM_MS);
    sdsim_curve(&timeline, &axis, SDSIM_ROW_BYTES, values);
    assert_true(values[0] == 0 && values[74] == 4096 && values[999] == 4 * 4096);
    assert_true(values[10] > 560 && values[10] < 561); /* 390 of 2850 us */
    sdsim_curve(&timeline, &axis, SDSIM_ROW_RATE, values);
    assert_true(values[1] > 0 && values[125] == 0);
    struct sdsim_column map[100];
    sdsim_minimap(&timeline, 100, map);
    assert_int_equal(map[50].class, SDSIM_PAUSE);
    sdsim_timeline_free(&timeline);
}

static void command_names(void **state)
{
    (void)state;
    static const struct {
        uint8_t index;
        bool app;
        uint32_t argument;
        const char *title;
        const char *means;
    } rows[] = {
        {8, false, 0x1AA, "SEND_IF_COND", "2.7-3.6 V, check pattern 0xAA"},
        {41, true, 0x40000000, "SD_SEND_OP_COND", "HCS"},
        {6, true, 2, "SET_BUS_WIDTH", "4 bits"},
        {6, false, 0x80FFFFF1, "SWITCH_FUNC", "switch, access mode 1"},
        {13, false, 0x12340000, "SEND_STATUS", "RCA 0x1234"},
        {13, false, 0, "SEND_STATUS", ""},
        {55, false, 0, "APP_CMD", ""},
        {7, false, 0x12340000, "SELECT/DESELECT_CARD", "RCA 0x1234"},
        {7, false, 0, "SELECT/DESELECT_CARD", "none: deselects"},
        {28, false, 8192, "SET_WRITE_PROT", "address 8192"},
        {23, true, 8, "SET_WR_BLK_ERASE_COUNT", "8 blocks"},
        {12, false, 0, "STOP_TRANSMISSION", ""},
        {63, false, 5, "", ""},
    };
    char text[100];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(sdsim_command_title(rows[i].index, rows[i].app), rows[i].title);
        assert_string_equal(
            sdsim_command_argument(rows[i].index, rows[i].app, rows[i].argument, text, sizeof text),
            rows[i].means);
    }
    assert_string_equal(sdsim_r1_print(0x05, text, sizeof text), "illegal command, idle");
    assert_string_equal(sdsim_r1_print(0xFF, text, sizeof text), "no response");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_facts),    cmocka_unit_test(jumps),
        cmocka_unit_test(longest),      cmocka_unit_test(measuring),
        cmocka_unit_test(side_by_side), cmocka_unit_test(rows_of_lanes),
        cmocka_unit_test(picking),      cmocka_unit_test(command_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The checks of a chip find what the chip does: a virtual one gets a habit - a gap between bytes, answers
 * taken too late, edges the other way round, a MOSI that rests low, late bits, a stop inside of a byte - and
 * each check must say so, and without the habit must not. The host profile that is written of it has no
 * fault and says the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/slot.h"
#include "ftdi/card_world.h"
#include "program.h"
#include "tools/ftdi/host_profile.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char card[] = "kind: card\ntype: sdhc\ncapacity: 64MiB\npage: 16KiB\ninit_time: 5ms\n"
                           "rd1: 300us\nrdn: 2us\nw1: 900us\nwstop: 700us\n";

static struct sdsim_card_world *world_of(const struct sdsim_habits *habits, sdsim_ps round_trip)
{
    struct sdsim_card_world *world = sdsim_card_world_of_text(card, 0);
    sdsim_link_close(world->link);
    world->engine.habits = *habits;
    world->link = sdsim_engine_link(&world->engine, round_trip);
    assert_non_null(world->link);
    sdsim_card_slave_guard(&world->slave, 0, 0);
    return world;
}

static void check(struct sdsim_card_world *world, enum sdsim_check which,
                  struct sdsim_chip_findings *findings)
{
    if (!sdsim_check_run(world->link, which, findings)) {
        fail_msg("%s: %s", sdsim_check_name(which), world->link->error);
    }
    assert_true(findings->done[which]);
}

static void tell(const struct sdsim_chip_findings *findings, enum sdsim_check which)
{
    if (getenv("SDSIM_TEST_TELL") != NULL) {
        sdsim_check_report(findings, which, stdout);
    }
}

/* ---- gaps ---- */

static void judge_gap(const struct sdsim_gap_fact *fact, double ns)
{
    assert_true(fact->known);
    if (fact->gap / 1e3 < ns - 0.05 || fact->gap / 1e3 > ns + 0.05 || fact->most / 1e3 < ns) {
        fail_msg("a gap of %.2f ns; found %.2f, at most %.2f", ns, fact->gap / 1e3,
                 fact->most / 1e3);
    }
}

static void test_gaps(void **state)
{
    (void)state;
    static const struct {
        double byte;
        double read;
    } rows[] = {{0, 0}, {40, 0}, {3, 0}, {0, 90}, {25, 60}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_habits habits = {.byte_gap = (sdsim_ps)(rows[i].byte * 1e3),
                                            .read_gap = (sdsim_ps)(rows[i].read * 1e3)};
        struct sdsim_card_world *world = world_of(&habits, 300 * SDSIM_US);
        struct sdsim_chip_findings findings = {0};
        check(world, SDSIM_CHECK_GAPS, &findings);
        tell(&findings, SDSIM_CHECK_GAPS);
        for (unsigned clock = 0; clock < SDSIM_GAP_CLOCKS; clock++) {
            const struct sdsim_gap_row *row = &findings.gaps[clock];
            judge_gap(&row->facts[SDSIM_GAP_CLOCKED], rows[i].byte);
            judge_gap(&row->facts[SDSIM_GAP_WRITTEN], rows[i].byte);
            judge_gap(&row->facts[SDSIM_GAP_READ], rows[i].byte + rows[i].read);
            assert_int_equal(row->keeps_up, rows[i].read == 0);
        }
        sdsim_card_world_free(world);
    }
}

/* ---- edges ---- */

static void test_edges(void **state)
{
    (void)state;
    static const struct {
        struct sdsim_habits habits;
        bool falling;
        bool rising;
        enum sdsim_mosi_rest rest;
    } rows[] = {
        {{.swapped_edges = false}, true, false, SDSIM_MOSI_KEEPS},
        {{.swapped_edges = true}, false, true, SDSIM_MOSI_KEEPS},
        {{.reads_drive = true, .read_level = false}, true, false, SDSIM_MOSI_LOW},
        {{.reads_drive = true, .read_level = true}, true, false, SDSIM_MOSI_HIGH},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_card_world *world = world_of(&rows[i].habits, 0);
        struct sdsim_chip_findings findings = {0};
        check(world, SDSIM_CHECK_EDGES, &findings);
        tell(&findings, SDSIM_CHECK_EDGES);
        const struct sdsim_edge_fact *edges = &findings.edges;
        assert_int_equal(edges->understood[SDSIM_EDGE_FALLING][SDSIM_EDGE_RISING],
                         rows[i].falling ? edges->tries : 0);
        assert_int_equal(edges->understood[SDSIM_EDGE_RISING][SDSIM_EDGE_RISING],
                         rows[i].rising ? edges->tries : 0);
        assert_int_equal(edges->mosi, rows[i].rest);
        sdsim_card_world_free(world);
    }
}

/* Without a card nothing is understood, and MOSI is found all the same. */
static void test_edges_without_card(void **state)
{
    (void)state;
    struct sdsim_engine engine;
    struct sdsim_chip_findings findings = {0};
    char text[400];
    sdsim_engine_init(&engine, SDSIM_FT232H, NULL);
    struct sdsim_link *link = sdsim_engine_link(&engine, 0);
    assert_true(sdsim_check_run(link, SDSIM_CHECK_EDGES, &findings));
    assert_int_equal(findings.edges.mosi, SDSIM_MOSI_KEEPS);
    sdsim_check_answer(&findings, SDSIM_CHECK_EDGES, text, sizeof text);
    assert_non_null(strstr(text, "neither edge"));
    static const enum sdsim_check needs_card[] = {SDSIM_CHECK_MARGIN, SDSIM_CHECK_STOP};
    for (size_t i = 0; i < COUNT(needs_card); i++) {
        assert_true(sdsim_check_run(link, needs_card[i], &findings));
        sdsim_check_answer(&findings, needs_card[i], text, sizeof text);
        assert_string_equal(text, "Not known: there is no card that can be identified.");
    }
    sdsim_link_close(link);
}

/* ---- poll ---- */

static void test_poll(void **state)
{
    (void)state;
    static const sdsim_ps trips[] = {125 * SDSIM_US, 300 * SDSIM_US, 2 * SDSIM_MS};
    for (size_t i = 0; i < COUNT(trips); i++) {
        struct sdsim_card_world *world = world_of(&(struct sdsim_habits){0}, trips[i]);
        struct sdsim_chip_findings findings = {0};
        check(world, SDSIM_CHECK_POLL, &findings);
        tell(&findings, SDSIM_CHECK_POLL);
        const double is = (double)trips[i] / 1e6 + 8.0 / 15;
        const struct sdsim_poll_fact *poll = &findings.poll;
        assert_int_equal(poll->now.count, 256);
        assert_true(poll->now.median > is - 0.001 && poll->now.median < is + 0.001);
        assert_true(poll->now.low > is - 0.001 && poll->now.most < is + 0.001);
        sdsim_card_world_free(world);
    }
}

/* ---- margin ---- */

static void test_margin(void **state)
{
    (void)state;
    static const struct {
        sdsim_ps delay;
        uint64_t rising;
        uint64_t falling;
    } rows[] = {
        {0, 30000000, 30000000},
        {20 * SDSIM_NS, 15000000, 30000000},
        {40 * SDSIM_NS, 10000000, 15000000},
        {60 * SDSIM_NS, 7500000, 15000000},
        {90 * SDSIM_NS, 0, 10000000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_habits habits = {.miso_delay = rows[i].delay};
        struct sdsim_card_world *world = world_of(&habits, 0);
        struct sdsim_chip_findings findings = {0};
        check(world, SDSIM_CHECK_MARGIN, &findings);
        tell(&findings, SDSIM_CHECK_MARGIN);
        if (findings.margin.best[SDSIM_EDGE_RISING] != rows[i].rising ||
            findings.margin.best[SDSIM_EDGE_FALLING] != rows[i].falling) {
            fail_msg("%.0f ns: rising up to %.1f MHz, falling up to %.1f MHz",
                     (double)rows[i].delay / 1e3,
                     (double)findings.margin.best[SDSIM_EDGE_RISING] / 1e6,
                     (double)findings.margin.best[SDSIM_EDGE_FALLING] / 1e6);
        }
        assert_int_equal(world->slave.guard.written + world->slave.guard.erased, 0);
        sdsim_card_world_free(world);
    }
}

/* ---- stop ---- */

static void test_stop(void **state)
{
    (void)state;
    static const struct {
        struct sdsim_habits habits;
        bool in_byte;
        bool high;
    } rows[] = {
        {{.stops_in_byte = false}, false, false},
        {{.stops_in_byte = true}, true, false},
        {{.stops_with_clock = true}, false, true},
        {{.stops_in_byte = true, .stops_with_clock = true}, true, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_card_world *world = world_of(&rows[i].habits, 0);
        struct sdsim_chip_findings findings = {0};
        check(world, SDSIM_CHECK_STOP, &findings);
        tell(&findings, SDSIM_CHECK_STOP);
        const struct sdsim_stop_fact *stop = &findings.stop;
        if (!stop->wired || !stop->known || (stop->taken % 8 != 0) != rows[i].in_byte ||
            stop->sck_high != rows[i].high) {
            fail_msg("row %zu: wired %d, known %d, due %u, taken %u, SCK %d", i, stop->wired,
                     stop->known, stop->due, stop->taken, stop->sck_high);
        }
        assert_true(rows[i].in_byte ? stop->taken == stop->due : stop->taken > stop->due);
        sdsim_card_world_free(world);
    }
}

static void test_stop_without_wire(void **state)
{
    (void)state;
    struct sdsim_card_world *world = world_of(&(struct sdsim_habits){0}, 0);
    struct sdsim_chip_findings findings = {0};
    char text[400];
    world->engine.wiring.no_wait = true;
    check(world, SDSIM_CHECK_STOP, &findings);
    assert_false(findings.stop.wired);
    sdsim_check_answer(&findings, SDSIM_CHECK_STOP, text, sizeof text);
    assert_non_null(strstr(text, "not wired to ADBUS5"));
    sdsim_card_world_free(world);
}

/* ---- the host profile ---- */

/* sdsim check finds no fault in it, and sdsim describe the values. */
static void judge_profile(const struct sdsim_chip_findings *findings, const char *const *there)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/sdsim-host-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    sdsim_host_profile_write(findings, "FT232H, serial number \"1\"", file);
    assert_int_equal(fclose(file), 0);
    const char *const arguments[] = {"check", path, NULL};
    struct sdsim_test_result result = sdsim_test_run(arguments, NULL);
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    sdsim_host_profile_write(findings, "FT232H, serial number \"1\"", memory);
    fclose(memory);
    if (getenv("SDSIM_TEST_TELL") != NULL) {
        puts(text);
    }
    if (result.code != 0) {
        fail_msg("%d\n%s%s\n%s", result.code, result.out, result.err, text);
    }
    for (size_t i = 0; there[i] != NULL; i++) {
        if (strstr(text, there[i]) == NULL) {
            fail_msg("no '%s' in\n%s", there[i], text);
        }
    }
    sdsim_test_result_free(&result);
    free(text);
    assert_int_equal(remove(path), 0);
}

static void test_host_profile(void **state)
{
    (void)state;
    const struct sdsim_habits habits = {
        .byte_gap = 40 * SDSIM_NS, .miso_delay = 20 * SDSIM_NS, .stops_in_byte = true};
    struct sdsim_card_world *world = world_of(&habits, 300 * SDSIM_US);
    struct sdsim_chip_findings findings = {0};
    static const char *const nothing[] = {"kind: host", "not made", NULL};
    judge_profile(&findings, nothing);
    for (int i = 0; i < SDSIM_CHECKS; i++) {
        check(world, (enum sdsim_check)i, &findings);
    }
    static const char *const there[] = {"gap_15: {value: 40.000ns",
                                        "keeps_up_30: yes",
                                        "write_edge: falling",
                                        "mosi_rest: keeps",
                                        "poll: {value: 300",
                                        "rising_to: {value: 15000000Hz",
                                        "falling_to: {value: 30000000Hz",
                                        "stops_in_byte: yes",
                                        "stops_high: no",
                                        "transfer: {value: 300",
                                        "from: measured",
                                        NULL};
    judge_profile(&findings, there);
    sdsim_card_world_free(world);
}

int main(void)
{
    if (!sdsim_test_has_program()) {
        puts("there is no program to run");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps),         cmocka_unit_test(test_edges),
        cmocka_unit_test(test_poll),         cmocka_unit_test(test_edges_without_card),
        cmocka_unit_test(test_margin),       cmocka_unit_test(test_stop),
        cmocka_unit_test(test_host_profile), cmocka_unit_test(test_stop_without_wire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

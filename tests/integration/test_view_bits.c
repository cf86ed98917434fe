/*
 * Bits on demand against the timeline of the same run: each command in a window of some runs, on SPI and
 * on both SD buses, is decoded from its bits with the same number and argument and at the same instants as
 * it was recorded; and data bytes are those that lie on the medium.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setup/simulate.h"
#include "timeline/query.h"
#include "timeline/timeline.h"
#include "view/facts.h"
#include "view/waves.h"

struct subject {
    struct sdsim_config *config;
    struct sdsim_setup *setup;
    struct sdsim_medium *medium; /* as the run found it */
    struct sdsim_timeline *timeline;
};

static void open_subject(struct subject *subject, const char *scenario, const char *id)
{
    struct sdsim_diags diags;
    struct sdsim_outcome_report report;
    const char *why;
    const struct sdsim_run *run = NULL;
    sdsim_diags_init(&diags);
    subject->config = sdsim_config_create(".");
    subject->setup = calloc(1, sizeof *subject->setup);
    subject->timeline = malloc(sizeof *subject->timeline);
    const struct sdsim_scenario *loaded =
        sdsim_scenario_load(subject->config, scenario, NULL, &diags);
    assert_non_null(loaded);
    for (size_t i = 0; i < loaded->count; i++) {
        run = strcmp(loaded->runs[i].id, id) == 0 ? &loaded->runs[i] : run;
    }
    assert_non_null(run);
    assert_true(sdsim_setup_bind(subject->config, run, 0, subject->setup, &diags));
    sdsim_diags_free(&diags);
    subject->medium = sdsim_prepare_medium(subject->setup, &report);
    assert_non_null(subject->medium);
    struct sdsim_medium *copy = sdsim_medium_copy(subject->medium);
    sdsim_timeline_init(subject->timeline);
    sdsim_simulate_on(subject->setup, copy, &subject->timeline->recorder, &report);
    sdsim_medium_destroy(copy);
    assert_true(sdsim_timeline_finish(subject->timeline, &why));
}

static void close_subject(struct subject *subject)
{
    sdsim_timeline_free(subject->timeline);
    free(subject->timeline);
    free(subject->setup);
    sdsim_medium_destroy(subject->medium);
    sdsim_config_destroy(subject->config);
}

static void make_waves(const struct subject *subject, sdsim_ps from, sdsim_ps to,
                       struct sdsim_waves *waves)
{
    struct sdsim_outcome_report report;
    struct sdsim_view view = {.kind = SDSIM_VIEW_SCOUT, .from = from, .to = to};
    struct sdsim_medium *medium = sdsim_medium_copy(subject->medium);
    sdsim_simulate_view(subject->setup, medium, &view, &report);
    sdsim_medium_destroy(medium);
    assert_true(view.found);
    struct sdsim_waves_maker *maker =
        sdsim_waves_begin(waves, (enum sdsim_bus_mode)subject->setup->run.bus, from, to);
    assert_non_null(maker);
    view.kind = SDSIM_VIEW_BITS;
    view.listener = sdsim_waves_listener(maker);
    medium = sdsim_medium_copy(subject->medium);
    sdsim_simulate_view(subject->setup, medium, &view, &report);
    sdsim_medium_destroy(medium);
    sdsim_waves_end(maker);
    assert_false(waves->failed);
    assert_false(waves->full);
}

/* The field of the command line that begins at an instant. */
static const struct sdsim_bus_piece *field_at(const struct sdsim_waves *waves, sdsim_ps at)
{
    const unsigned pin = waves->mode == SDSIM_BUS_SPI ? 2 : 1;
    for (size_t i = 0; i < waves->piece_count; i++) {
        const struct sdsim_bus_piece *piece = &waves->pieces[i];
        if (piece->row == SDSIM_PIECE_FIELD && piece->pin == pin && piece->from == at) {
            return piece;
        }
    }
    return NULL;
}

/* Whether the clock goes up as often as it should: 8 a byte. */
static unsigned rises(const struct sdsim_waves *waves, sdsim_ps from, sdsim_ps to)
{
    const unsigned clock = waves->mode == SDSIM_BUS_SPI ? SDSIM_WAVE_SCK : SDSIM_WAVE_CLK;
    unsigned count = 0;
    for (size_t i = 1; i < waves->edge_count; i++) {
        const struct sdsim_edge *edge = &waves->edges[i];
        count += edge->at >= from && edge->at < to && (edge->levels & clock) != 0 &&
                 (waves->edges[i - 1].levels & clock) == 0;
    }
    return count;
}

static void check_command(const struct subject *subject, const struct sdsim_waves *waves,
                          const struct sdsim_span *span, const char *where)
{
    const struct sdsim_detail detail = sdsim_details_get(&subject->timeline->details, span->detail);
    char name[16];
    /* In SD mode the frame has its gaps in front of and behind it. */
    const struct sdsim_bus_piece *field = NULL;
    for (size_t i = 0; i < waves->piece_count && field == NULL; i++) {
        const struct sdsim_bus_piece *piece = &waves->pieces[i];
        field = piece->row == SDSIM_PIECE_FIELD && piece->tone == SDSIM_TONE_COMMAND &&
                        piece->from >= span->start && piece->from < sdsim_span_end(span)
                    ? piece
                    : NULL;
    }
    snprintf(name, sizeof name, "%s%d", (detail.code & 64) != 0 ? "ACMD" : "CMD", detail.code & 63);
    if (field == NULL || strcmp(field->text, name) != 0) {
        fail_msg("%s: %s at %" PRIu64 " ps is %s in the bits", where, name, span->start,
                 field != NULL ? field->text : "not there");
    }
    if (waves->mode == SDSIM_BUS_SPI && field->from != span->start) {
        fail_msg("%s: %s begins at %" PRIu64 " ps in the bits, at %" PRIu64 " ps in the run", where,
                 name, field->from, span->start);
    }
    const struct sdsim_bus_piece *argument = field_at(waves, field->to);
    assert_non_null(argument);
    const struct sdsim_bus_piece *crc = field_at(waves, argument->to);
    assert_true(crc != NULL && strncmp(crc->text, "CRC7", 4) == 0);
    assert_int_equal(rises(waves, field->from, crc->to), 48);
}

static void check_commands(const struct subject *subject, sdsim_ps from, sdsim_ps to,
                           const char *where)
{
    struct sdsim_store *bus = &subject->timeline->lanes[SDSIM_LANE_BUS];
    struct sdsim_waves waves;
    size_t checked = 0;
    make_waves(subject, from, to, &waves);
    for (uint64_t i = sdsim_lane_before(bus, from); i < sdsim_lane_before(bus, to); i++) {
        struct sdsim_span span;
        if (sdsim_store_span(bus, i, &span) && span.part == SDSIM_PART_COMMAND &&
            span.kind == SDSIM_PROTOCOL && sdsim_span_end(&span) <= to) {
            check_command(subject, &waves, &span, where);
            checked++;
        }
    }
    assert_true(checked > 0);
    sdsim_waves_free(&waves);
}

static void commands(void **state)
{
    (void)state;
    static const struct {
        const char *scenario;
        const char *run;
    } rows[] = {
        {"scenarios/esp32-audiokit-apis.yaml", "idf-sdspi-read"},
        {"scenarios/esp32-audiokit-apis.yaml", "arduino-sd-write"},
        {"scenarios/esp32-audiokit-apis.yaml", "idf-sdmmc-read"},
        {"scenarios/esp32-audiokit-apis.yaml", "idf-sdmmc-write"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct subject subject;
        open_subject(&subject, rows[i].scenario, rows[i].run);
        struct sdsim_store *sent = &subject.timeline->lanes[SDSIM_LANE_COMMAND];
        const uint64_t numbers[] = {0, sent->count / 3, sent->count / 2, sent->count - 4};
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            struct sdsim_span first;
            assert_true(sdsim_store_span(sent, numbers[n], &first));
            check_commands(&subject, first.start, first.start + 15 * SDSIM_MS, rows[i].run);
        }
        close_subject(&subject);
    }
}

/* A block that is read: its bytes one by one, as they lie on the medium. */
static void data_bytes(void **state)
{
    (void)state;
    static const char *const runs[] = {"idf-sdspi-read", "idf-sdmmc-read"};
    for (size_t r = 0; r < 2; r++) {
        struct subject subject;
        uint8_t sector[SDSIM_SECTOR];
        struct sdsim_waves waves;
        struct sdsim_span span;
        open_subject(&subject, "scenarios/esp32-audiokit-apis.yaml", runs[r]);
        struct sdsim_store *disk = &subject.timeline->lanes[SDSIM_LANE_DISK];
        uint64_t number = 0;
        while (!(sdsim_store_span(disk, number, &span) && span.purpose == SDSIM_FOR_DATA)) {
            number++;
        }
        const struct sdsim_detail detail =
            sdsim_details_get(&subject.timeline->details, span.detail);
        make_waves(&subject, span.start, span.start + 3 * SDSIM_MS, &waves);
        sdsim_medium_read(subject.medium, (uint32_t)detail.place, 1, sector);
        const unsigned pin = waves.mode == SDSIM_BUS_SPI ? 3 : 2;
        const struct sdsim_bus_piece *block = NULL;
        for (size_t i = 0; i < waves.piece_count && block == NULL; i++) {
            block = waves.pieces[i].tone == SDSIM_TONE_DATA ? &waves.pieces[i] : NULL;
        }
        assert_non_null(block);
        assert_string_equal(block->text, "block 0, 512 bytes");
        size_t at = 0;
        for (size_t i = 0; i < waves.piece_count; i++) {
            const struct sdsim_bus_piece *piece = &waves.pieces[i];
            if (piece->row == SDSIM_PIECE_BYTE && piece->pin == pin && piece->from >= block->from &&
                piece->to <= block->to) {
                char text[8];
                assert_true(at < sizeof sector);
                snprintf(text, sizeof text, "%02X", sector[at++]);
                assert_string_equal(piece->text, text);
            }
        }
        assert_int_equal(at, sizeof sector);
        sdsim_waves_free(&waves);
        close_subject(&subject);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands),
        cmocka_unit_test(data_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

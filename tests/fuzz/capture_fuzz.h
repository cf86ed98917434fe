/*
 * What the targets of capture readers share: a file of pins is read to its end and decoded, with the
 * promises of capture/pins.h held against what comes out, and everything that explains a capture run
 * over it.
 */
#ifndef SDSIM_TEST_CAPTURE_FUZZ_H
#define SDSIM_TEST_CAPTURE_FUZZ_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/doctor.h"
#include "fuzz/fuzz.h"
#include "report/capture_report.h"

/* More than a file of fuzzed size can hold, unless it repeats itself. */
#define SDSIM_FUZZ_CHANGES 5000000u

/* The changes by themselves; false if there are too many to be decoded in good time. */
static inline bool sdsim_fuzz_read_pins(const char *path)
{
    static struct sdsim_pin_change changes[1000];
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_pins *pins = sdsim_pins_open(path, &diags);
    SDSIM_FUZZ_HOLDS(pins != NULL || diags.errors > 0);
    enum sdsim_pin_result result = SDSIM_PINS_MORE;
    uint64_t total = 0;
    uint64_t tick = 0;
    while (pins != NULL && result == SDSIM_PINS_MORE && total < SDSIM_FUZZ_CHANGES) {
        size_t count = 0;
        result = sdsim_pins_read(pins, changes, 1000, &count);
        SDSIM_FUZZ_HOLDS(count <= 1000);
        for (size_t i = 0; i < count; i++) {
            SDSIM_FUZZ_HOLDS(changes[i].tick >= tick);
            tick = changes[i].tick;
        }
        total += count;
    }
    if (pins != NULL) {
        SDSIM_FUZZ_HOLDS(sdsim_pins_facts(pins)->channel_count <= SDSIM_PIN_CHANNELS);
        SDSIM_FUZZ_HOLDS(total == 0 || sdsim_pins_end(pins) >= tick);
        SDSIM_FUZZ_HOLDS((result == SDSIM_PINS_BROKEN) == (diags.errors > 0));
    }
    sdsim_pins_close(pins);
    sdsim_diags_free(&diags);
    return total < SDSIM_FUZZ_CHANGES;
}

/* The report, whose JSON must be some. */
static inline void sdsim_fuzz_report(struct sdsim_capture *capture)
{
    struct sdsim_summary *summary = sdsim_summary_new(capture->roles.bus == SDSIM_CAPTURE_SPI);
    struct sdsim_findings findings;
    char *text = NULL;
    size_t size = 0;
    SDSIM_FUZZ_HOLDS(summary != NULL);
    const enum sdsim_pin_result result = sdsim_findings_collect(&findings, capture, summary);
    const struct sdsim_capture_view view = {
        .capture = capture,
        .summary = summary,
        .findings = &findings,
        .partial = result == SDSIM_PINS_BROKEN,
    };
    FILE *out = open_memstream(&text, &size);
    SDSIM_FUZZ_HOLDS(out != NULL);
    sdsim_capture_json(&view, out);
    SDSIM_FUZZ_HOLDS(fclose(out) == 0);
    json_t *root = json_loadb(text, size, 0, NULL);
    SDSIM_FUZZ_HOLDS(root != NULL);
    json_decref(root);
    free(text);
    sdsim_summary_free(summary);
}

static inline void sdsim_fuzz_examine(struct sdsim_capture *capture)
{
    static struct sdsim_doctor doctor;
    const struct sdsim_doctor_source source = {.unit = "sample", .timed = true, .cs_known = true};
    sdsim_doctor_init(&doctor, &source, NULL);
    sdsim_capture_attach(capture, &doctor.listener, NULL);
    (void)sdsim_capture_decode(capture);
    sdsim_doctor_end(&doctor);
}

/* Everything there is, about a file. */
static inline void sdsim_fuzz_capture(const char *path)
{
    if (!sdsim_fuzz_read_pins(path)) {
        return;
    }
    for (int way = 0; way < 2; way++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_capture *capture = sdsim_capture_open(path, NULL, &diags);
        SDSIM_FUZZ_HOLDS(capture != NULL || diags.errors > 0);
        if (capture != NULL && way == 0) {
            sdsim_fuzz_report(capture);
        } else if (capture != NULL && capture->roles.bus == SDSIM_CAPTURE_SPI) {
            sdsim_fuzz_examine(capture);
        }
        sdsim_capture_close(capture);
        sdsim_diags_free(&diags);
    }
}

#endif

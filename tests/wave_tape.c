#include "wave_tape.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/wave_file.h"

static void add(struct sdsim_wire_listener *listener, const struct sdsim_test_tape_event *event)
{
    struct sdsim_test_tape *tape = (struct sdsim_test_tape *)listener;
    if (tape->count == tape->capacity) {
        tape->capacity = tape->capacity > 0 ? 2 * tape->capacity : 1 << 16;
        tape->events = realloc(tape->events, tape->capacity * sizeof *tape->events);
        assert_non_null(tape->events);
    }
    tape->events[tape->count++] = *event;
}

static void hear_byte(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                      bool selected, uint8_t mosi, uint8_t miso)
{
    const struct sdsim_test_tape_event event = {.start = start,
                                                .end = end,
                                                .kind = SDSIM_TAPE_BYTE,
                                                .selected = selected,
                                                .mosi = mosi,
                                                .miso = miso};
    add(listener, &event);
}

static void hear_select(struct sdsim_wire_listener *listener, sdsim_ps at, bool low)
{
    const struct sdsim_test_tape_event event = {
        .start = at, .end = at, .kind = SDSIM_TAPE_SELECT, .selected = low};
    add(listener, &event);
}

static void hear_clock(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                       struct sdsim_sd_lines lines, bool host_drives_cmd, bool host_drives_dat)
{
    const struct sdsim_test_tape_event event = {.start = start,
                                                .end = end,
                                                .kind = SDSIM_TAPE_CLOCK,
                                                .lines = lines,
                                                .host_cmd = host_drives_cmd,
                                                .host_dat = host_drives_dat};
    add(listener, &event);
}

void sdsim_test_tape_init(struct sdsim_test_tape *tape)
{
    *tape = (struct sdsim_test_tape){
        .listener = {.byte = hear_byte, .select = hear_select, .clock = hear_clock}};
}

void sdsim_test_tape_free(struct sdsim_test_tape *tape)
{
    free(tape->events);
    *tape = (struct sdsim_test_tape){.events = NULL};
}

void sdsim_test_tape_play(const struct sdsim_test_tape *tape, struct sdsim_wire_listener *listener)
{
    for (size_t i = 0; i < tape->count; i++) {
        const struct sdsim_test_tape_event *event = &tape->events[i];
        switch (event->kind) {
        case SDSIM_TAPE_BYTE:
            listener->byte(listener, event->start, event->end, event->selected, event->mosi,
                           event->miso);
            break;
        case SDSIM_TAPE_SELECT:
            listener->select(listener, event->start, event->selected);
            break;
        case SDSIM_TAPE_CLOCK:
            listener->clock(listener, event->start, event->end, event->lines, event->host_cmd,
                            event->host_dat);
            break;
        }
    }
}

uint64_t sdsim_test_tape_vcd(const struct sdsim_test_tape *tape, enum sdsim_bus_mode mode,
                             sdsim_ps from, sdsim_ps to, char *path)
{
    struct sdsim_wave wave;
    struct sdsim_wave_measure measure;
    struct sdsim_wave_file vcd;
    sdsim_wave_measure_init(&measure, mode, from);
    sdsim_wave_init(&wave, mode, from, to, &measure.sink);
    sdsim_test_tape_play(tape, &wave.listener);
    sdsim_wave_finish(&wave);
    const sdsim_ps tick = sdsim_wave_timescale(measure.grid);

    strcpy(path, "/tmp/sdsim-wave-XXXXXX");
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "w");
    assert_non_null(file);
    sdsim_wave_vcd_begin(&vcd, file, mode, from, tick, "a test");
    sdsim_wave_init(&wave, mode, from, to, &vcd.sink);
    sdsim_test_tape_play(tape, &wave.listener);
    sdsim_wave_finish(&wave);
    sdsim_wave_vcd_end(&vcd, to);
    assert_int_equal(fclose(file), 0);
    const uint64_t per_edge = measure.shortest / tick;
    return per_edge >= 4 ? per_edge / 4 : 1;
}

bool sdsim_test_has_sigrok(void)
{
    return system("sigrok-cli --version >/dev/null 2>&1") == 0;
}

char *sdsim_test_sigrok(const char *path, uint64_t downsample, const char *decoders,
                        const char *annotation, int *status)
{
    char command[400];
    size_t size = 0;
    size_t capacity = 1 << 16;
    snprintf(command, sizeof command,
             "exec sigrok-cli -I vcd:downsample=%llu -i %s -P %s -A %s 2>/dev/null",
             (unsigned long long)downsample, path, decoders, annotation);
    FILE *pipe = popen(command, "r");
    char *text = malloc(capacity);
    assert_true(pipe != NULL && text != NULL);
    for (size_t got; (got = fread(text + size, 1, capacity - 1 - size, pipe)) > 0;) {
        size += got;
        if (size == capacity - 1) {
            capacity *= 2;
            text = realloc(text, capacity);
            assert_non_null(text);
        }
    }
    text[size] = '\0';
    const int ended = pclose(pipe);
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return text;
}

unsigned sdsim_test_take_hex(const char **text, const char *start)
{
    const char *at = *text;
    const size_t length = strlen(start);
    unsigned value = 0x100;
    if (strncmp(at, start, length) == 0) {
        unsigned digits = 0;
        unsigned sum = 0;
        for (at += length; *at != '\0' && strchr("0123456789abcdefABCDEF", *at) != NULL; at++) {
            sum = sum * 16 + (unsigned)(*at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10);
            digits++;
        }
        value = digits > 0 && digits < 3 ? sum : 0x100;
    }
    at += strcspn(at, "\n");
    *text = at + (*at == '\n' ? 1 : 0);
    return value;
}

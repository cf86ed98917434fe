#include "report/doctor_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bus/frame.h"
#include "capture/spi_command.h"
#include "capture/words.h"
#include "core/units.h"

/* ---- building texts ---- */

struct text {
    char *out;
    size_t size;
    size_t used;
};

static struct text begin_text(char *out, size_t size)
{
    out[0] = '\0';
    return (struct text){out, size, 0};
}

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(text->out + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (length > 0) {
        text->used += (size_t)length;
        text->used = text->used < text->size ? text->used : text->size - 1;
    }
}

/* Before a further part: nothing before the first one. */
static void next_part(struct text *text)
{
    add(text, "%s", text->used > 0 ? "; " : "");
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static unsigned long long number(uint64_t n)
{
    return (unsigned long long)n;
}

/* ---- commands ---- */

char *sdsim_doctor_command_name(const struct sdsim_doctor_step *step, char *out, size_t size)
{
    snprintf(out, size, "%s%u", step->app ? "ACMD" : "CMD", step->index);
    return out;
}

static void add_other_argument(struct text *text, const struct sdsim_doctor_step *step)
{
    const uint32_t argument = step->argument;
    if (step->app && step->index == 41) {
        add(text, ", %s", (argument & 0x40000000u) != 0 ? "HCS" : "no HCS");
    } else if (step->app && step->index == 42) {
        add(text, " %s", (argument & 1) != 0 ? "on" : "off");
    } else if (step->index == 8) {
        add(text, ", %s, pattern %02X", (argument >> 8 & 0xF) == 1 ? "2.7-3.6 V" : "other voltage",
            argument & 0xFF);
    } else if (step->index == 59) {
        add(text, ": %s", (argument & 1) != 0 ? "on" : "off");
    } else if (step->index == 6) {
        add(text, ", %s %06X", (argument >> 31) != 0 ? "switch to" : "ask for",
            argument & 0xFFFFFF);
    } else if (step->index == 56) {
        add(text, ", %s", (argument & 1) != 0 ? "read" : "write");
    } else if (argument != 0) {
        add(text, ", argument %08X", argument);
    }
}

static void add_crc(struct text *text, const struct sdsim_doctor_step *step)
{
    if (step->crc == SDSIM_ITEM_CRC_WRONG) {
        add(text, ", wrong CRC %02X", step->frame_crc);
    } else if (step->crc == SDSIM_ITEM_CRC_DUMMY) {
        add(text, ", dummy CRC %02X", step->frame_crc);
    }
}

/* ---- the SD bus ---- */

/* As a row of a capture's list, which has the words of the SD bus. */
static struct sdsim_capture_row row_of(const struct sdsim_doctor_step *step)
{
    struct sdsim_capture_row row = {
        .index = step->index,
        .app = step->app,
        .argument = step->argument,
        .answer = step->response_count > 0 ? SDSIM_ROW_ANSWERED
                  : step->no_response      ? SDSIM_ROW_SILENT
                                           : SDSIM_ROW_WAITING,
        .response_size = step->response_count,
        .response_crc = (uint8_t)step->response_crc,
    };
    memcpy(row.response, step->response, step->response_count);
    return row;
}

static void add_sd_command(struct text *text, const struct sdsim_doctor_step *step)
{
    const struct sdsim_capture_row row = row_of(step);
    const char *title = sdsim_words_title(step->index, step->app);
    char words[SDSIM_WORDS];
    add(text, "%s", title[0] != '\0' ? title : "unknown");
    if (step->argument != 0) {
        add(text, ", %s", sdsim_words_argument(&row, words, sizeof words));
    }
}

static void add_sd_response(struct text *text, const struct sdsim_doctor_step *step)
{
    const struct sdsim_capture_row row = row_of(step);
    char words[SDSIM_WORDS];
    if (step->response_count > 0) {
        add(text, "%s", sdsim_words_response(&row, false, words, sizeof words));
    } else if (step->no_response) {
        add(text, "no response in %u clocks", step->response_gap);
    }
}

char *sdsim_doctor_command_words(const struct sdsim_doctor_step *step, char *out, size_t size)
{
    struct text text = begin_text(out, size);
    if (step->sd) {
        add_sd_command(&text, step);
        add_crc(&text, step);
        return out;
    }
    const struct sdsim_spi_command *command = sdsim_spi_command(step->index, step->app);
    const uint32_t argument = step->argument;
    const bool lone_init = step->index == 41 && !step->app;
    add(&text, "%s",
        command->title != NULL ? command->title
        : lone_init            ? "no command without CMD55"
                               : "not a command of SPI mode");
    switch (command->title != NULL ? command->argument : SDSIM_SPI_ARGUMENT_NONE) {
    case SDSIM_SPI_ARGUMENT_NONE:
        if (argument != 0) {
            add(&text, ", argument %08X", argument);
        }
        break;
    case SDSIM_SPI_ARGUMENT_ADDRESS:
        add(&text, ", address %u", argument);
        break;
    case SDSIM_SPI_ARGUMENT_LENGTH:
        add(&text, " %u", argument);
        break;
    case SDSIM_SPI_ARGUMENT_COUNT:
        add(&text, ": %u", argument & 0x7FFFFF);
        break;
    case SDSIM_SPI_ARGUMENT_OTHER:
        add_other_argument(&text, step);
        break;
    }
    add_crc(&text, step);
    add(&text, "%s%s", step->busy ? ", sent while the card was busy" : "",
        step->deselected ? ", sent with CS high" : "");
    return out;
}

/* ---- responses ---- */

/* Names of the bits that are set, lowest first. */
static void add_bits(struct text *text, uint8_t byte, const char *const names[8])
{
    const char *between = "";
    for (unsigned i = 0; i < 8; i++) {
        if ((byte >> i & 1) != 0) {
            add(text, "%s%s", between, names[i]);
            between = ", ";
        }
    }
}

static void add_r1(struct text *text, uint8_t r1)
{
    static const char *const names[8] = {
        "in idle state", "erase reset",  "illegal command", "wrong CRC",
        "erase order",   "wrong border", "parameter",       "no start bit",
    };
    if (r1 == 0) {
        add(text, "no error");
    }
    add_bits(text, r1, names);
}

static void add_r2(struct text *text, uint8_t status)
{
    static const char *const names[8] = {
        "card locked",   "write protection skipped or unlock failed",
        "general error", "card controller",
        "ECC failed",    "write protected",
        "erase range",   "out of range",
    };
    if (status == 0xFF) {
        add(text, "; the second byte is not driven");
    } else if (status != 0) {
        add(text, "; ");
        add_bits(text, status, names);
    }
}

static void add_ocr(struct text *text, const uint8_t *ocr)
{
    const bool ready = (ocr[0] & 0x80) != 0;
    add(text, "; OCR %02X%02X%02X%02X: %s", ocr[0], ocr[1], ocr[2], ocr[3],
        !ready                 ? "powering up"
        : (ocr[0] & 0x40) != 0 ? "ready, counts blocks"
                               : "ready, counts bytes");
}

static void add_rest(struct text *text, const struct sdsim_doctor_step *step)
{
    const uint8_t *rest = step->response + 1;
    if (step->response_count == 2) {
        add_r2(text, rest[0]);
    } else if (step->response_count == 5 && step->index == 58) {
        add_ocr(text, rest);
    } else if (step->response_count == 5) {
        add(text, "; %s, echo %02X", (rest[2] & 0xF) == 1 ? "2.7-3.6 V" : "other voltage", rest[3]);
    }
}

char *sdsim_doctor_response_words(const struct sdsim_doctor_step *step, char *out, size_t size)
{
    struct text text = begin_text(out, size);
    if (step->sd) {
        add_sd_response(&text, step);
        return out;
    }
    if (step->response_count > 0) {
        for (unsigned i = 0; i < step->response_count; i++) {
            add(&text, "%s%02X", i > 0 ? " " : "", step->response[i]);
        }
        add(&text, " ");
        add_r1(&text, step->response[0]);
        add_rest(&text, step);
        add(&text, "%s", step->response_open ? "; not read to its end" : "");
    } else if (step->no_response && step->response_gap == 0) {
        add(&text, "no byte behind it");
    } else if (step->no_response) {
        add(&text, "no response in %u byte%s", step->response_gap, plural(step->response_gap));
    }
    return out;
}

/* ---- the rest ---- */

static void add_blocks(struct text *text, const struct sdsim_doctor_blocks *blocks, const char *did,
                       const char *gap)
{
    static const char *const crcs[] = {NULL, "right", "wrong", "dummy", "missing"};
    if (blocks->count > 0) {
        next_part(text);
        add(text, "%u block%s", blocks->count, plural(blocks->count));
        if (blocks->size > 0) { /* not all lines of it may be in the record */
            add(text, " of %u bytes", blocks->size);
        }
        add(text, " %s, CRC", did);
        for (unsigned i = SDSIM_ITEM_CRC_RIGHT; i <= SDSIM_ITEM_CRC_MISSING; i++) {
            if (blocks->crc[i] == blocks->count) {
                add(text, " %s", crcs[i]);
            } else if (blocks->crc[i] > 0) {
                add(text, " %s of %u", crcs[i], blocks->crc[i]);
            }
        }
        add(text, ", %s %u", gap, blocks->least_gap);
        if (blocks->most_gap > blocks->least_gap) {
            add(text, " to %u", blocks->most_gap);
        }
    }
    if (blocks->cut > 0) {
        next_part(text);
        add(text, "%s cut off after %u bytes", did, blocks->cut_size);
    }
}

static void add_busy(struct text *text, const struct sdsim_doctor_step *step, bool timed)
{
    if (step->busy_bytes == 0) {
        return;
    }
    next_part(text);
    add(text, "busy for %llu %s%s", number(step->busy_bytes), step->sd ? "clock" : "byte",
        plural(step->busy_bytes));
    if (timed) {
        char time[32];
        add(text, ", at most %s",
            sdsim_unit_print(SDSIM_UNIT_TIME, (double)step->busy_longest, time, sizeof time));
    }
    add(text, "%s", step->busy_open ? ", its end not seen" : "");
}

static void add_strays(struct text *text, uint64_t count, const uint8_t *bytes, const char *line)
{
    if (count == 0) {
        return;
    }
    next_part(text);
    add(text, "%s without a meaning:", line);
    for (uint64_t i = 0; i < count && i < SDSIM_DOCTOR_KEPT; i++) {
        add(text, " %02X", bytes[i]);
    }
    if (count > SDSIM_DOCTOR_KEPT) {
        add(text, " ... (%llu bytes)", number(count));
    }
}

static void add_written(struct text *text, const struct sdsim_doctor_step *step)
{
    add_blocks(text, &step->written, "written", "N_WR");
    if (step->accepted > 0) {
        add(text, ", %saccepted", step->refused == 0 ? "" : "some ");
    }
    if (step->refused > 0) {
        next_part(text);
        add(text, "%u refused, %02X", step->refused, step->refusal);
    }
    if (step->stopped) {
        next_part(text);
        add(text, "stop token");
    }
}

static void add_idle(struct text *text, const struct sdsim_doctor_step *step)
{
    if (step->low_clocks > 0) {
        next_part(text);
        add(text, "%llu clocks before the first command", number(step->low_clocks));
    }
    if (!step->is_command && step->idle_clocks > 0) {
        next_part(text);
        add(text, "%llu clocks%s", number(step->idle_clocks), step->sd ? "" : " with CS high");
    }
    if (step->high_odd > 0) {
        next_part(text);
        add(text, "%llu bytes for others with CS high", number(step->high_odd));
    }
    if (step->polls > 0) {
        next_part(text);
        add(text, "%llu look%s at an idle card", number(step->polls), plural(step->polls));
    }
}

char *sdsim_doctor_data_words(const struct sdsim_doctor_step *step,
                              const struct sdsim_doctor_source *source, char *out, size_t size)
{
    struct text text = begin_text(out, size);
    add_blocks(&text, &step->read, "read", "N_AC");
    if (step->no_data) {
        next_part(&text);
        add(&text, "no block in %u byte%s", step->no_data_gap, plural(step->no_data_gap));
    }
    if (step->error_token != 0) {
        next_part(&text);
        add(&text, "error token %02X", step->error_token);
    }
    add_written(&text, step);
    add_busy(&text, step, source->timed);
    add_strays(&text, step->host_strays, step->host_stray, "MOSI");
    add_strays(&text, step->card_strays, step->card_stray, "MISO");
    add_idle(&text, step);
    return out;
}

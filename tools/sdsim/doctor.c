/*
 * sdsim doctor: what happened on a bus, and what was wrong with it.
 */
#include "capture/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/exchange.h"
#include "command.h"
#include "images.h"
#include "output.h"
#include "report/doctor_report.h"
#include "session.h"
#include "spool.h"

#define MOST_TEXT  (256u << 20)
#define MOST_STEPS 200u

/* ---- the file ---- */

static bool read_stream(FILE *in, char **text, size_t *size)
{
    size_t capacity = 0;
    *text = NULL;
    *size = 0;
    for (;;) {
        if (*size == capacity) {
            capacity = capacity == 0 ? 65536 : 2 * capacity;
            char *larger = capacity <= MOST_TEXT ? realloc(*text, capacity) : NULL;
            if (larger == NULL) {
                errno = capacity <= MOST_TEXT ? ENOMEM : EFBIG;
                return false;
            }
            *text = larger;
        }
        const size_t got = fread(*text + *size, 1, capacity - *size, in);
        *size += got;
        if (got == 0) {
            return ferror(in) == 0;
        }
    }
}

/* "-" is standard input. False after a message; the caller frees *text either way. */
static bool read_text(const char *path, char **text, size_t *size)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "rb");
    *text = NULL;
    const bool done = in != NULL && read_stream(in, text, size);
    if (!done) {
        fprintf(stderr, "error: cannot read %s: %s\n", path, strerror(errno));
    }
    if (in != NULL && !standard) {
        (void)fclose(in);
    }
    return done;
}

/* ---- the doctor ---- */

struct patient {
    struct sdsim_exchange_sink sink; /* first: a patient takes an exchange */
    struct sdsim_spi_decoder decoder;
    struct sdsim_doctor doctor;
    struct sdsim_doctor_report report;
    struct sdsim_against against;
};

static void begin(struct patient *patient, const struct sdsim_arguments *arguments,
                  const struct sdsim_doctor_source *source, FILE *out)
{
    const bool all = arguments->values[SDSIM_OPTION_ALL_STEPS] != NULL;
    sdsim_doctor_report_start(&patient->report, out, source, arguments->operands[0],
                              arguments->json, all ? UINT64_MAX : MOST_STEPS);
    sdsim_doctor_init(&patient->doctor, source, &patient->report.steps);
}

static void end(struct patient *patient)
{
    sdsim_doctor_end(&patient->doctor);
    sdsim_doctor_report_end(&patient->report, &patient->doctor);
}

/* ---- exchanges ---- */

static void take_select(struct sdsim_exchange_sink *sink, bool low, sdsim_ps at, uint64_t line)
{
    sdsim_spi_decoder_select(&((struct patient *)sink)->decoder, low, at, line);
}

static void take_byte(struct sdsim_exchange_sink *sink, const struct sdsim_spi_byte *byte)
{
    sdsim_spi_decoder_byte(&((struct patient *)sink)->decoder, byte);
}

/* The exchange, once more, to a simulated card. */
static bool replay(struct patient *patient, const struct sdsim_card_params *card, const char *name,
                   const char *text, size_t size, struct sdsim_diags *diags)
{
    struct sdsim_exchange_facts facts;
    if (!sdsim_against_init(&patient->against, card)) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    for (int pass = SDSIM_AGAINST_LOOK; pass <= SDSIM_AGAINST_REPLAY; pass++) {
        sdsim_against_begin(&patient->against, (enum sdsim_against_pass)pass);
        (void)sdsim_exchange_read(name, text, size, &patient->against.sink, &facts, diags);
        sdsim_against_end(&patient->against);
    }
    return true;
}

/* Sets the report's simulated card, if the user wants one. */
static bool hold_against(struct patient *patient, const struct sdsim_arguments *arguments,
                         const char *text, size_t size, struct sdsim_diags *diags)
{
    const char *name = arguments->values[SDSIM_OPTION_AGAINST];
    struct sdsim_cli_session session;
    struct sdsim_card_params card;
    bool good = false;
    if (name == NULL) {
        return true;
    }
    if (sdsim_cli_open(&session)) {
        good = sdsim_read_card(&session, name, &card) &&
               replay(patient, &card, arguments->operands[0], text, size, diags);
        (void)sdsim_cli_report(&session);
    }
    sdsim_cli_close(&session);
    patient->report.against = &patient->against;
    patient->report.card = name;
    return good;
}

static bool examine_exchange(struct patient *patient, const struct sdsim_arguments *arguments,
                             const char *text, size_t size, FILE *out, struct sdsim_diags *diags)
{
    const char *name = arguments->operands[0];
    struct sdsim_exchange_facts facts;
    if (!sdsim_exchange_read(name, text, size, NULL, &facts, diags)) {
        return false;
    }
    const struct sdsim_doctor_source source = {
        .unit = "line",
        .timed = facts.timed,
        .cs_known = facts.cs_known,
        .card_unknown = facts.card_unknown,
    };
    begin(patient, arguments, &source, out);
    patient->sink = (struct sdsim_exchange_sink){take_select, take_byte};
    sdsim_spi_decoder_init(&patient->decoder, &patient->doctor.listener, source.timed);
    (void)sdsim_exchange_read(name, text, size, &patient->sink, &facts, diags);
    sdsim_spi_decoder_end(&patient->decoder);
    const bool good = hold_against(patient, arguments, text, size, diags);
    end(patient);
    return good;
}

/* ---- bytes as an exchange ---- */

static bool wants_exchange(const struct sdsim_arguments *arguments)
{
    return arguments->values[SDSIM_OPTION_EXCHANGE] != NULL;
}

static bool copy_exchange(const char *name, const char *text, size_t size, FILE *out,
                          struct sdsim_diags *diags)
{
    struct sdsim_exchange_facts facts;
    struct sdsim_exchange_writer writer;
    if (!sdsim_exchange_read(name, text, size, NULL, &facts, diags)) {
        return false;
    }
    sdsim_exchange_writer_init(&writer, out, facts.timed);
    (void)sdsim_exchange_read(name, text, size, &writer.sink, &facts, diags);
    sdsim_exchange_writer_end(&writer);
    return true;
}

/* From the bytes of a capture to the writer. */
struct scribe {
    struct sdsim_spi_listener listener; /* first */
    struct sdsim_item_listener items;   /* nobody wants them */
    struct sdsim_exchange_writer writer;
};

static void note_byte(struct sdsim_spi_listener *listener, const struct sdsim_spi_byte *byte)
{
    struct scribe *scribe = (struct scribe *)listener;
    scribe->writer.sink.byte(&scribe->writer.sink, byte);
}

static void note_select(struct sdsim_spi_listener *listener, bool low, sdsim_ps at, uint64_t place)
{
    struct scribe *scribe = (struct scribe *)listener;
    scribe->writer.sink.select(&scribe->writer.sink, low, at, place);
}

static void note_clocks(struct sdsim_spi_listener *listener, unsigned count, sdsim_ps start,
                        sdsim_ps end, uint64_t place)
{
    (void)start;
    (void)end;
    (void)place;
    fprintf(((struct scribe *)listener)->writer.out, "# %u clocks that make no byte\n", count);
}

static void ignore_item(struct sdsim_item_listener *listener, const struct sdsim_item *item)
{
    (void)listener;
    (void)item;
}

static bool copy_pins(struct sdsim_capture *capture, FILE *out)
{
    struct scribe scribe = {.listener = {note_byte, note_select, note_clocks},
                            .items = {ignore_item}};
    sdsim_exchange_writer_init(&scribe.writer, out, true);
    sdsim_capture_attach(capture, &scribe.items, &scribe.listener);
    const enum sdsim_pin_result result = sdsim_capture_decode(capture);
    sdsim_exchange_writer_end(&scribe.writer);
    return result == SDSIM_PINS_END;
}

/* ---- captures ---- */

static bool examine_pins(struct patient *patient, const struct sdsim_arguments *arguments,
                         struct sdsim_capture *capture, FILE *out)
{
    const bool sd = capture->roles.bus == SDSIM_CAPTURE_SD;
    const struct sdsim_doctor_source source = {
        .unit = capture->facts->rate > 0 ? "sample" : "tick",
        .sd = sd,
        .sampled = true,
        .timed = true,
        .cs_known = capture->roles.channel[SDSIM_LINE_CS] != SDSIM_NO_CHANNEL,
        .card_unknown =
            capture->roles.channel[sd ? SDSIM_LINE_DAT0 : SDSIM_LINE_MISO] == SDSIM_NO_CHANNEL,
    };
    begin(patient, arguments, &source, out);
    sdsim_capture_attach(capture, &patient->doctor.listener, NULL);
    const enum sdsim_pin_result result = sdsim_capture_decode(capture);
    end(patient);
    return result == SDSIM_PINS_END;
}

static bool examine_capture(struct patient *patient, const struct sdsim_arguments *arguments,
                            FILE *out, struct sdsim_diags *diags)
{
    const char *path = arguments->operands[0];
    struct sdsim_capture *capture = sdsim_capture_open(path, NULL, diags);
    bool good = false;
    if (capture != NULL && capture->roles.bus != SDSIM_CAPTURE_SPI && wants_exchange(arguments)) {
        sdsim_error(diags, path, "is a capture of an SD bus, and an exchange has the bytes of SPI");
    } else if (capture != NULL && arguments->values[SDSIM_OPTION_AGAINST] != NULL) {
        sdsim_error(diags, path, "is a capture, and --against takes exchanges only");
    } else if (capture != NULL) {
        good = wants_exchange(arguments) ? copy_pins(capture, out)
                                         : examine_pins(patient, arguments, capture, out);
    }
    sdsim_capture_close(capture);
    return good;
}

/* ---- which of the two ---- */

static bool has_arrow(const char *line, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        if (line[i] == '>' && (line[i - 1] == '-' || line[i - 1] == '=')) {
            return true;
        }
    }
    return false;
}

/* The first line that is neither empty nor a comment tells: a capture is a zip file, a VCD or
 * columns of values. */
static bool is_capture(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && (strchr(" \t\r\n", text[at]) != NULL || text[at] == '#')) {
        const char *newline = text[at] == '#' ? memchr(text + at, '\n', size - at) : text + at;
        at = newline != NULL ? (size_t)(newline - text) + 1 : size;
    }
    const char *line = text + at;
    const char *newline = at < size ? memchr(line, '\n', size - at) : NULL;
    const size_t length = newline != NULL ? (size_t)(newline - line) : size - at;
    return memchr(text, '\0', size) != NULL || (length > 0 && line[0] == '$') ||
           (length > 1 && memcmp(line, "PK", 2) == 0) ||
           (!has_arrow(line, length) &&
            (memchr(line, ',', length) != NULL || memchr(line, ';', length) != NULL));
}

static uint64_t needs_file(const char *head, size_t size)
{
    return is_capture(head, size) ? UINT64_MAX : 0;
}

static bool examine(struct patient *patient, const struct sdsim_arguments *arguments, FILE *out,
                    struct sdsim_diags *diags)
{
    char head[4096];
    const char *path = arguments->operands[0];
    FILE *in = sdsim_is_stream(path) ? NULL : fopen(path, "rb");
    const size_t got = in != NULL ? fread(head, 1, sizeof head, in) : 0;
    if (in != NULL) {
        (void)fclose(in);
    }
    if (is_capture(head, got)) {
        return examine_capture(patient, arguments, out, diags);
    }
    char *text = NULL;
    size_t size = 0;
    const bool typed = in == NULL && !sdsim_is_stream(path) && has_arrow(path, strlen(path));
    if (typed) {
        text = strdup(path);
        size = strlen(path);
    }
    const bool good =
        (typed ? text != NULL : read_text(path, &text, &size)) &&
        (wants_exchange(arguments) ? copy_exchange(path, text, size, out, diags)
                                   : examine_exchange(patient, arguments, text, size, out, diags));
    free(text);
    return good;
}

static enum sdsim_exit doctor(const struct sdsim_arguments *arguments)
{
    struct sdsim_output output;
    struct patient *patient = calloc(1, sizeof *patient);
    if (patient == NULL || !sdsim_output_open(&output)) {
        free(patient);
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (examine(patient, arguments, output.stream, &diags)) {
        const bool faulty = sdsim_doctor_found(&patient->doctor, SDSIM_WARNING) > 0 ||
                            (patient->doctor.source.sampled && patient->doctor.bus.commands == 0);
        code = sdsim_output_send(&output, arguments->output);
        code = code == SDSIM_EXIT_OK && faulty ? SDSIM_EXIT_FINDING : code;
    } else {
        sdsim_output_discard(&output);
    }
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    sdsim_against_free(&patient->against);
    free(patient);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_AGAINST, SDSIM_OPTION_EXCHANGE, SDSIM_OPTION_ALL_STEPS, SDSIM_OPTION_JSON,
    SDSIM_OPTION_OUTPUT,  SDSIM_OPTION_HELP,     SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_doctor = {
    .name = "doctor",
    .operands = "EXCHANGE|CAPTURE",
    .summary = "explain what happened on an SPI or SD bus, and what was wrong with it",
    .details =
        "An EXCHANGE is a text file, or - for standard input, or one line as an argument, with "
        "what the host sent and what the card answered: '48 00 00 01 AA 87 -> 01 00 00 01 AA' for "
        "a command and its answer, 'FE <512 data> <crc16> -> E5 00 FF' for a block, or both sides "
        "in full, byte by byte.\n"
        "'CMD8 0x1AA' is a command by its name, 0x and commas may be there; FF*10 repeats a byte, "
        "'77..' is a known command completed, '-' no answer, <512 data> "
        "bytes "
        "that do not matter and <crc16> their CRC. 'CS 0' and 'CS 1' lines tell chip select, "
        "'clock "
        "400kHz', '@12us' and '+5us' tell times, # starts a comment.\n"
        "A CAPTURE is a VCD file, a CSV of samples or a sigrok session with the pins of an SPI or "
        "SD bus, or - for one on standard input; its channels are found by their names or by what "
        "they "
        "do. Both may be pipes, as in <(...).\n"
        "Steps that repeat are printed once. A finding is an error (it breaks the exchange), a "
        "warning (a risk) or a note; the exit code is 1 if there are errors or warnings, or no "
        "command "
        "could be read; 'sdsim import --report' says how a capture was sampled.",
    .least = 1,
    .most = 1,
    .options = options,
    .needs_file = needs_file,
    .run = doctor,
};

/*
 * sdsim doctor: what happened on a bus, and what was wrong with it.
 */
#include "capture/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/exchange.h"
#include "capture/spi_decoder.h"
#include "command.h"
#include "output.h"
#include "report/doctor_report.h"

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

/* ---- from the exchange to the doctor ---- */

struct patient {
    struct sdsim_exchange_sink sink; /* first: a patient takes an exchange */
    struct sdsim_spi_decoder decoder;
    struct sdsim_doctor doctor;
    struct sdsim_doctor_report report;
};

static void take_select(struct sdsim_exchange_sink *sink, bool low, sdsim_ps at, uint64_t line)
{
    sdsim_spi_decoder_select(&((struct patient *)sink)->decoder, low, at, line);
}

static void take_byte(struct sdsim_exchange_sink *sink, const struct sdsim_spi_byte *byte)
{
    sdsim_spi_decoder_byte(&((struct patient *)sink)->decoder, byte);
}

/* The text is known to be an exchange without errors. */
static void examine(struct patient *patient, const struct sdsim_arguments *arguments,
                    const char *text, size_t size, const struct sdsim_exchange_facts *facts,
                    FILE *out)
{
    const char *name = arguments->operands[0];
    const bool all = arguments->values[SDSIM_OPTION_ALL_STEPS] != NULL;
    const struct sdsim_doctor_source source = {
        .unit = "line",
        .timed = facts->timed,
        .cs_known = facts->cs_known,
        .card_unknown = facts->card_unknown,
    };
    struct sdsim_exchange_facts again;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    patient->sink = (struct sdsim_exchange_sink){take_select, take_byte};
    sdsim_doctor_report_start(&patient->report, out, &source, name, arguments->json,
                              all ? UINT64_MAX : MOST_STEPS);
    sdsim_doctor_init(&patient->doctor, &source, &patient->report.steps);
    sdsim_spi_decoder_init(&patient->decoder, &patient->doctor.listener, source.timed);
    (void)sdsim_exchange_read(name, text, size, &patient->sink, &again, &diags);
    sdsim_spi_decoder_end(&patient->decoder);
    sdsim_doctor_end(&patient->doctor);
    sdsim_doctor_report_end(&patient->report, &patient->doctor);
    sdsim_diags_free(&diags);
}

static enum sdsim_exit examine_text(const struct sdsim_arguments *arguments, const char *text,
                                    size_t size)
{
    struct sdsim_exchange_facts facts;
    struct sdsim_diags diags;
    struct sdsim_output output;
    sdsim_diags_init(&diags);
    const bool good = sdsim_exchange_read(arguments->operands[0], text, size, NULL, &facts, &diags);
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    if (!good) {
        return SDSIM_EXIT_INPUT;
    }
    struct patient *patient = malloc(sizeof *patient);
    if (patient == NULL || !sdsim_output_open(&output)) {
        free(patient);
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    examine(patient, arguments, text, size, &facts, output.stream);
    const bool faulty = sdsim_doctor_found(&patient->doctor, SDSIM_WARNING) > 0;
    free(patient);
    const enum sdsim_exit sent = sdsim_output_send(&output, arguments->output);
    return sent != SDSIM_EXIT_OK ? sent : faulty ? SDSIM_EXIT_FINDING : SDSIM_EXIT_OK;
}

static enum sdsim_exit doctor(const struct sdsim_arguments *arguments)
{
    char *text;
    size_t size;
    const enum sdsim_exit code = read_text(arguments->operands[0], &text, &size)
                                     ? examine_text(arguments, text, size)
                                     : SDSIM_EXIT_INPUT;
    free(text);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_ALL_STEPS, SDSIM_OPTION_JSON,  SDSIM_OPTION_OUTPUT,
    SDSIM_OPTION_HELP,      SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_doctor = {
    .name = "doctor",
    .operands = "EXCHANGE",
    .summary = "explain what happened on an SPI bus, and what was wrong with it",
    .details =
        "An EXCHANGE is a text file, or - for standard input, with what the host sent and what the "
        "card answered, a line each: '48 00 00 01 AA 87 -> 01 00 00 01 AA' for a command and its "
        "answer, or both sides in full, byte by byte.\n"
        "FF*10 repeats a byte, '77..' is a known command completed, '-' no answer, <512 data> "
        "bytes "
        "that do not matter and <crc16> their CRC. 'CS 0' and 'CS 1' lines tell chip select, "
        "'clock "
        "400kHz', '@12us' and '+5us' tell times, # starts a comment.\n"
        "Steps that repeat are printed once. A finding is an error (it breaks the exchange), a "
        "warning (a risk) or a note; the exit code is 1 if there are errors or warnings.",
    .least = 1,
    .most = 1,
    .options = options,
    .run = doctor,
};

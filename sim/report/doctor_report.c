#include "report/doctor_report.h"

#include <string.h>

#include "core/units.h"
#include "report/doctor_words.h"
#include "report/table.h"

enum { WORDS = 600 };

/* What the card answered; nothing if it did not, and the record may only not show it. */
static char *response_words(const struct sdsim_doctor_report *r,
                            const struct sdsim_doctor_step *step, char *out, size_t size)
{
    if (step->no_response && r->source.card_unknown) {
        out[0] = '\0';
        return out;
    }
    return sdsim_doctor_response_words(step, out, size);
}

/* ---- steps as text ---- */

/* "   12  " or "   12  1.234ms  ". */
static void print_place(const struct sdsim_doctor_report *r, uint64_t at, sdsim_ps time, char *out,
                        size_t size)
{
    char when[32] = "";
    if (r->source.timed) {
        sdsim_unit_print(SDSIM_UNIT_TIME, (double)time, when, sizeof when);
        snprintf(out, size, "%6llu %9s  ", (unsigned long long)at, when);
    } else {
        snprintf(out, size, "%6llu  ", (unsigned long long)at);
    }
}

static void print_step(const struct sdsim_doctor_report *r, const struct sdsim_doctor_step *step)
{
    char place[64];
    char name[16];
    char words[WORDS];
    char response[WORDS];
    char data[WORDS];
    char text[3 * WORDS];
    print_place(r, step->at, step->start, place, sizeof place);
    response_words(r, step, response, sizeof response);
    sdsim_doctor_data_words(step, &r->source, data, sizeof data);
    if (step->is_command) {
        snprintf(text, sizeof text, "%s %s%s%s%s%s",
                 sdsim_doctor_command_name(step, name, sizeof name),
                 sdsim_doctor_command_words(step, words, sizeof words),
                 response[0] != '\0' ? " -> " : "", response, data[0] != '\0' ? "; " : "", data);
    } else {
        snprintf(text, sizeof text, "%s", data);
    }
    sdsim_print_wrapped(r->out, place, text);
}

static void print_again(const struct sdsim_doctor_report *r, unsigned length, uint64_t times,
                        sdsim_ps end)
{
    char when[32] = "";
    char text[160];
    if (r->source.timed) {
        char time[32];
        snprintf(when, sizeof when, ", until %s",
                 sdsim_unit_print(SDSIM_UNIT_TIME, (double)end, time, sizeof time));
    }
    snprintf(text, sizeof text, "%s, %llu time%s more%s",
             length == 1 ? "the same" : "the last two again", (unsigned long long)times,
             times == 1 ? "" : "s", when);
    sdsim_print_wrapped(r->out, "     .  ", text);
}

/* ---- steps as JSON ---- */

static void text_if(struct sdsim_json *json, const char *key, const char *text)
{
    if (text[0] != '\0') {
        sdsim_json_text(json, key, text);
    }
}

static void write_bytes(struct sdsim_json *json, const char *key, const uint8_t *bytes,
                        unsigned count)
{
    char text[3 * SDSIM_DOCTOR_RESPONSE + 1] = "";
    for (unsigned i = 0; i < count && i < SDSIM_DOCTOR_RESPONSE; i++) {
        snprintf(text + 3 * i - (i > 0), 4, "%s%02X", i > 0 ? " " : "", bytes[i]);
    }
    text_if(json, key, text);
}

static void write_blocks(struct sdsim_json *json, const char *key,
                         const struct sdsim_doctor_blocks *blocks)
{
    if (blocks->count + blocks->cut == 0) {
        return;
    }
    sdsim_json_object(json, key);
    sdsim_json_count(json, "blocks", blocks->count);
    sdsim_json_count(json, "bytes", blocks->size);
    sdsim_json_count(json, "crc_right", blocks->crc[SDSIM_ITEM_CRC_RIGHT]);
    sdsim_json_count(json, "crc_wrong", blocks->crc[SDSIM_ITEM_CRC_WRONG]);
    sdsim_json_count(json, "crc_dummy", blocks->crc[SDSIM_ITEM_CRC_DUMMY]);
    sdsim_json_count(json, "crc_missing", blocks->crc[SDSIM_ITEM_CRC_MISSING]);
    sdsim_json_count(json, "least_gap", blocks->least_gap);
    sdsim_json_count(json, "most_gap", blocks->most_gap);
    sdsim_json_count(json, "cut", blocks->cut);
    sdsim_json_end(json);
}

static void write_step(struct sdsim_doctor_report *r, const struct sdsim_doctor_step *step)
{
    struct sdsim_json *json = &r->writer;
    char text[WORDS];
    sdsim_json_object(json, NULL);
    sdsim_json_count(json, r->source.unit, step->at);
    if (r->source.timed) {
        sdsim_json_seconds(json, "time", step->start);
    }
    if (step->is_command) {
        sdsim_json_text(json, "command", sdsim_doctor_command_name(step, text, sizeof text));
        sdsim_json_count(json, "argument", step->argument);
        sdsim_json_text(json, "meaning", sdsim_doctor_command_words(step, text, sizeof text));
    }
    write_bytes(json, "response", step->response, step->response_count);
    text_if(json, "answer", response_words(r, step, text, sizeof text));
    write_blocks(json, "read", &step->read);
    write_blocks(json, "written", &step->written);
    if (step->busy_bytes > 0) {
        sdsim_json_count(json, step->sd ? "busy_clocks" : "busy_bytes", step->busy_bytes);
        if (r->source.timed) {
            sdsim_json_seconds(json, "busy_longest", step->busy_longest);
        }
    }
    text_if(json, "rest", sdsim_doctor_data_words(step, &r->source, text, sizeof text));
    sdsim_json_end(json);
}

static void take_step(struct sdsim_doctor_steps *steps, const struct sdsim_doctor_step *step)
{
    struct sdsim_doctor_report *r = (struct sdsim_doctor_report *)steps;
    if (r->count++ >= r->most) {
        return;
    }
    if (r->json) {
        write_step(r, step);
    } else {
        print_step(r, step);
    }
}

static void take_again(struct sdsim_doctor_steps *steps, unsigned length, uint64_t times,
                       sdsim_ps end)
{
    struct sdsim_doctor_report *r = (struct sdsim_doctor_report *)steps;
    if (r->count > r->most) {
        return;
    }
    if (!r->json) {
        print_again(r, length, times, end);
        return;
    }
    sdsim_json_object(&r->writer, NULL);
    sdsim_json_count(&r->writer, "repeats_last", length);
    sdsim_json_count(&r->writer, "times", times);
    if (r->source.timed) {
        sdsim_json_seconds(&r->writer, "until", end);
    }
    sdsim_json_end(&r->writer);
}

/* ---- findings ---- */

static void print_finding(const struct sdsim_doctor_report *r,
                          const struct sdsim_doctor_finding *finding)
{
    char text[SDSIM_DOCTOR_TEXT + 200];
    char time[48] = "";
    char more[48] = "";
    char when[32];
    fprintf(r->out, "\n%s: %s [%s]\n", sdsim_severity_name(finding->rule->severity),
            finding->rule->title, finding->rule->name);
    if (r->source.timed) {
        snprintf(time, sizeof time, ", %s",
                 sdsim_unit_print(SDSIM_UNIT_TIME, (double)finding->time, when, sizeof when));
    }
    if (finding->count > 1) {
        snprintf(more, sizeof more, " (and %llu more)", (unsigned long long)finding->count - 1);
    }
    snprintf(text, sizeof text, "%s %llu%s%s: %s%s", r->source.unit,
             (unsigned long long)finding->at, time, more, finding->text,
             finding->confidence == SDSIM_DOCTOR_SURE     ? ""
             : finding->confidence == SDSIM_DOCTOR_LIKELY ? " (likely)"
                                                          : " (possible)");
    sdsim_print_wrapped(r->out, "  where: ", text);
    sdsim_print_wrapped(r->out, "  why:   ", finding->rule->why);
    sdsim_print_wrapped(r->out, "  mend:  ", finding->rule->mend);
}

static void write_finding(struct sdsim_doctor_report *r, const struct sdsim_doctor_finding *finding)
{
    struct sdsim_json *json = &r->writer;
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "rule", finding->rule->name);
    sdsim_json_text(json, "severity", sdsim_severity_name(finding->rule->severity));
    sdsim_json_text(json, "confidence", sdsim_doctor_confidence_name(finding->confidence));
    sdsim_json_count(json, "count", finding->count);
    sdsim_json_count(json, r->source.unit, finding->at);
    if (r->source.timed) {
        sdsim_json_seconds(json, "time", finding->time);
    }
    sdsim_json_text(json, "title", finding->rule->title);
    sdsim_json_text(json, "where", finding->text);
    sdsim_json_text(json, "why", finding->rule->why);
    sdsim_json_text(json, "mend", finding->rule->mend);
    sdsim_json_end(json);
}

/* Errors, then warnings, then notes, each in the order of the table. */
static void tell_findings(struct sdsim_doctor_report *r, const struct sdsim_doctor *doctor)
{
    for (int severity = SDSIM_ERROR; severity >= SDSIM_NOTE; severity--) {
        for (size_t i = 0; i < sdsim_doctor_book(r->source.sd)->count; i++) {
            const struct sdsim_doctor_finding *finding = sdsim_doctor_finding(doctor, i);
            if (finding->count == 0 || (int)finding->rule->severity != severity) {
                continue;
            }
            if (r->json) {
                write_finding(r, finding);
            } else {
                print_finding(r, finding);
            }
        }
    }
}

/* ---- the whole ---- */

void sdsim_doctor_report_start(struct sdsim_doctor_report *report, FILE *out,
                               const struct sdsim_doctor_source *source, const char *name,
                               bool json, uint64_t most)
{
    *report = (struct sdsim_doctor_report){.steps = {take_step, take_again},
                                           .source = *source,
                                           .out = out,
                                           .json = json,
                                           .most = most};
    if (!json) {
        fprintf(out, "%s\n", name);
        fprintf(out, source->timed ? "%6s %9s\n" : "%6s\n", source->unit, "time");
        return;
    }
    sdsim_json_start(&report->writer, out);
    sdsim_json_object(&report->writer, NULL);
    sdsim_json_text(&report->writer, "record", name);
    sdsim_json_array(&report->writer, "steps");
}

/* How the initialisation went, if it is in the record. */
static void print_init(const struct sdsim_doctor_report *r, const struct sdsim_doctor_bus *bus)
{
    char time[32];
    if (bus->last_inits == 0) {
        return;
    }
    fprintf(r->out, "ACMD41: sent %u time%s", bus->last_inits, bus->last_inits == 1 ? "" : "s");
    if (r->source.timed) {
        fprintf(
            r->out, " in %s (limit 1s)",
            sdsim_unit_print(SDSIM_UNIT_TIME, (double)(bus->last_init_time), time, sizeof time));
    }
    fprintf(r->out, ", %s\n", bus->last_init_ready ? "ready" : "not ready");
}

/* ---- a simulated card beside ---- */

static const char *answer_text(const struct sdsim_against_answer *answer,
                               char out[3 * SDSIM_AGAINST_BYTES + 16])
{
    size_t used = 0;
    for (unsigned i = 0; i < answer->count; i++) {
        used += (size_t)snprintf(out + used, 4, "%s%02X", i > 0 ? " " : "", answer->bytes[i]);
    }
    return answer->count > 0 ? out : "no answer";
}

static size_t differences(const struct sdsim_against *against)
{
    return against->different < SDSIM_AGAINST_DIFFERENCES ? (size_t)against->different
                                                          : SDSIM_AGAINST_DIFFERENCES;
}

static void print_against(const struct sdsim_doctor_report *r)
{
    const struct sdsim_against *against = r->against;
    char recorded[3 * SDSIM_AGAINST_BYTES + 16];
    char simulated[3 * SDSIM_AGAINST_BYTES + 16];
    fprintf(r->out, "\nThe simulated card %s gives %llu of %llu answers alike.\n", r->card,
            (unsigned long long)(against->compared - against->different),
            (unsigned long long)against->compared);
    for (size_t i = 0; i < differences(against); i++) {
        const struct sdsim_against_difference *d = &against->differences[i];
        fprintf(r->out, "  %s %llu: %s%u: recorded %s, simulated %s\n", r->source.unit,
                (unsigned long long)d->at, d->app ? "ACMD" : "CMD", d->index,
                answer_text(&d->recorded, recorded), answer_text(&d->simulated, simulated));
    }
    if (differences(against) < against->different) {
        fprintf(r->out, "  and %llu more\n",
                (unsigned long long)(against->different - differences(against)));
    }
}

static void write_against(struct sdsim_doctor_report *r)
{
    struct sdsim_json *json = &r->writer;
    char text[3 * SDSIM_AGAINST_BYTES + 16];
    sdsim_json_object(json, "against");
    sdsim_json_text(json, "card", r->card);
    sdsim_json_count(json, "answers", r->against->compared);
    sdsim_json_count(json, "different", r->against->different);
    sdsim_json_array(json, "differences");
    for (size_t i = 0; i < differences(r->against); i++) {
        const struct sdsim_against_difference *d = &r->against->differences[i];
        char name[16];
        snprintf(name, sizeof name, "%s%u", d->app ? "ACMD" : "CMD", d->index);
        sdsim_json_object(json, NULL);
        sdsim_json_count(json, r->source.unit, d->at);
        sdsim_json_text(json, "command", name);
        sdsim_json_text(json, "recorded", answer_text(&d->recorded, text));
        sdsim_json_text(json, "simulated", answer_text(&d->simulated, text));
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
    sdsim_json_end(json);
}

/* ---- the end ---- */

/* What the record does not show, and the doctor therefore does not judge. */
static void print_unknown(const struct sdsim_doctor_report *r)
{
    const char *missing[3];
    size_t count = 0;
    if (!r->source.timed) {
        missing[count++] = "times";
    }
    if (!r->source.cs_known && !r->source.sd) {
        missing[count++] = "CS";
    }
    if (r->source.card_unknown) {
        missing[count++] = r->source.sd ? "DAT0" : "some of what the card sent";
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(r->out, "%s%s%s", i == 0 ? "Not in the record: " : ", ", missing[i],
                i + 1 == count ? "\n" : "");
    }
}

static void print_end(struct sdsim_doctor_report *r, const struct sdsim_doctor *doctor)
{
    if (r->count > r->most) {
        fprintf(r->out, "     .  %llu more steps; --all prints them\n",
                (unsigned long long)(r->count - r->most));
    }
    fputc('\n', r->out);
    print_unknown(r);
    print_init(r, &doctor->bus);
    const bool nothing = r->source.sampled && doctor->bus.commands == 0;
    const size_t notes = sdsim_doctor_found(doctor, SDSIM_NOTE);
    const size_t faults = sdsim_doctor_found(doctor, SDSIM_WARNING);
    fprintf(r->out, "%s\n",
            faults > 0  ? "Something is wrong:"
            : nothing   ? "No command could be read."
            : notes > 0 ? "Nothing is wrong; worth knowing:"
                        : "Nothing is wrong.");
    tell_findings(r, doctor);
    if (r->against != NULL) {
        print_against(r);
    }
}

void sdsim_doctor_report_end(struct sdsim_doctor_report *report, const struct sdsim_doctor *doctor)
{
    const struct sdsim_doctor_bus *bus = &doctor->bus;
    if (!report->json) {
        print_end(report, doctor);
        return;
    }
    struct sdsim_json *json = &report->writer;
    sdsim_json_end(json);
    sdsim_json_bool(json, "has_times", report->source.timed);
    sdsim_json_bool(json, "has_cs", report->source.cs_known);
    sdsim_json_bool(json, "has_all_answers", !report->source.card_unknown);
    sdsim_json_count(json, "steps_total", report->count);
    sdsim_json_count(json, "commands", bus->commands);
    sdsim_json_count(json, "blocks_read", bus->blocks_read);
    sdsim_json_count(json, "blocks_written", bus->blocks_written);
    if (bus->last_inits > 0) {
        sdsim_json_object(json, "acmd41");
        sdsim_json_count(json, "times", bus->last_inits);
        sdsim_json_bool(json, "ready", bus->last_init_ready);
        if (report->source.timed) {
            sdsim_json_seconds(json, "took", bus->last_init_time);
        }
        sdsim_json_end(json);
    }
    sdsim_json_array(json, "findings");
    tell_findings(report, doctor);
    sdsim_json_end(json);
    if (report->against != NULL) {
        write_against(report);
    }
    sdsim_json_end(json);
}

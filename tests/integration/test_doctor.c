/*
 * sdsim doctor over the exchanges in tests/data/exchanges: each gives exactly the findings it was
 * written for, every rule has an exchange that violates it, and what is printed is readable.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/exchange.h"
#include "doctor_bench.h"
#include "golden.h"
#include "program.h"
#include "scratch.h"

#define FOLDER "tests/data/exchanges/"

/* What is found, in the order of the rules; and a part of what the first of it says. */
static const struct {
    const char *name;
    const char *found;
    const char *text;
} exchanges[] = {
    /* from public threads */
    {"stop-token-early", "busy-polled-early", "CMD24 was sent 1 byte behind"},
    {"stop-token-right", "", NULL},
    {"stop-token-nbr0", "", NULL},
    {"status-00ff", "r2-not-driven", "00FF: R1 says no error"},
    {"status-33ff", "r2-shifted", "33FF: 4 error bits"},
    {"one-acmd41", "acmd41-not-repeated", "OCR 40FF8000 confirms it: its bit 31 is 0"},
    {"cmd0-then-cmd17", "not-initialised", "no ACMD41 was sent"},
    {"acmd41-29", "transmission-bit", "sent 29, for ACMD41 it is 69"},
    {"gives-up", "acmd41-gave-up acmd41-slow-polls", "3 times in 140.7 ms"},
    {"cold-boot", "silence-not-retried no-response", "nothing follows"},
    {"wake-cs-low", "power-up-cs-low silence-not-retried no-response", "80 had CS low and 0"},
    {"wake-72-clocks", "power-up-clocks silence-not-retried no-response", "72 clocks"},
    {"wake-80-clocks", "", NULL},
    {"wake-mosi-low", "power-up-mosi-low silence-not-retried no-response", "10 of 10 bytes"},
    {"payload-commands", "payload-looks-like-commands", "Byte 100 of a block of CMD25"},
    {"status-polls", "", NULL},
    {"polls", "", NULL},
    {"late-bits", "answer-shifted", "FE 03: that is 01 read 1 bit late, or 7 early"},
    {"one-bit-early", "answer-shifted", "80 FF: that is 01 read 1 bit early, or 7 late"},
    {"late-ready", "answer-shifted", "FE 01: that is 00 read 1 bit late"},
    {"filler-00", "silence-not-retried no-response mosi-low-while-waiting", "nothing follows"},
    {"emulator-init", "", NULL},
    {"emulator-ocr", "cmd0-not-idle ocr-contradiction", "answered 00"},
    {"sd-status", "", NULL},
    {"sd-status-r1", "mandatory-command-illegal acmd13-r1 no-data", "CMD16 was answered 04"},
    {"cs-high", "command-with-cs-high", "the card does not see it"},
    {"cs-high-answer", "command-with-cs-high answer-with-cs-high", "CMD0"},
    /* for the other rules */
    {"second-reset", "", NULL},
    {"cmd55-silent", "silence-not-retried no-response", "CMD55 was not answered"},
    {"cmd0-crc", "cmd0-crc", "FF, right is 95"},
    {"cmd8-crc", "cmd8-crc crc-refused", "95, right is 87"},
    {"cmd8-wrong-echo", "cmd8-echo", "1AA and was answered 00 00 00 AA"},
    {"mmc", "cmd8-illegal acmd41-illegal cmd1 illegal-command", "05"},
    {"no-cmd55", "acmd41-without-cmd55", "The command before it is CMD8"},
    {"no-hcs", "acmd41-not-repeated acmd41-no-hcs acmd41-gave-up", "3 times"},
    {"fast-init", "init-clock", "about 4MHz"},
    {"brown-out", "idle-again", "CMD13 was answered 01"},
    {"stuck-low", "miso-stuck-low", "32 bytes of 00"},
    {"typed-by-name", "block-refused", "Data response ED: write error"},
    {"typed-r1-alone", "", NULL},
    {"typed-too-short", "answer-not-there", "Behind the frame of CMD0"},
    {"r1-too-early", "response-not-awaited", "1 byte behind CMD0"},
    {"crc-on", "crc-refused crc-on", "CMD17 was answered 08"},
    {"cmd23-in-spi", "illegal-command", "CMD23"},
    {"ocr-not-read", "response-cut", "1 byte of the response of CMD58"},
    {"cs-per-byte", "frame-cut mosi-low-while-waiting", "1 byte from 40 (CMD0)"},
    {"data-cs-high", "data-with-cs-high", "4136 clocks with a start token"},
    {"read-cs-high", "data-with-cs-high no-data", "4240 clocks to read"},
    {"display", "no-clocks-after-cs", "2A is on MOSI"},
    {"byte-address", "byte-address", "All 4 addresses are multiples of 512"},
    {"beyond", "address-refused byte-address", "1073741824"},
    {"block-address", "address-refused block-address", "answered 20"},
    {"no-cmd16", "cmd16-missing", "CMD17"},
    {"no-token-wait", "response-for-data", "read 514 bytes behind R1"},
    {"token-late", "token-shifted", "the first is FD: FE 1 bit late"},
    {"no-block", "no-data", "38 bytes"},
    {"read-cut", "read-cut", "135 bytes"},
    {"write-cut", "write-cut", "400 bytes"},
    {"bad-crc", "read-crc", "Block 0 of CMD17"},
    {"error-token", "error-token", "token 09: error out of range"},
    {"cmd18-not-stopped", "read-not-stopped", "CMD17 was sent while CMD18 went on"},
    {"token-before-r1", "response-not-awaited token-before-response data-response-missing",
     "1 byte behind CMD24"},
    {"token-while-busy", "token-while-busy", "Token FC of CMD25"},
    {"wrong-token", "wrong-token data-response-missing", "began with FE, not FC"},
    {"block-refused", "block-refused", "right, so bits changed on their way"},
    {"late-data-response", "data-response-odd", "E5, 1 byte behind"},
    {"no-data-response", "data-response-missing", "the host did not read it"},
    {"no-write-crc", "n-wr-0 write-crc-missing", "directly behind R1"},
    {"not-waited", "command-while-busy", "CMD17 was sent while MISO was 00"},
    {"cmd25-not-stopped", "write-not-stopped", "CMD17 was sent while CMD25 went on"},
    {"slow-card", "time-limits", "320.0 ms busy; an SDXC card may take 500 ms"},
    {"slow-sdhc", "time-limits", "CMD24: 320.0 ms busy."},
    {"slow-sdxc", "", NULL},
    {"slow-sdxc-late", "time-limits", "CMD24: 552.0 ms busy."},
};

enum { EXCHANGES = sizeof exchanges / sizeof *exchanges };

/* An exchange cannot break a byte: see unit/test_spi_decoder.c. */
static const char *const elsewhere[] = {"torn-byte"};

/* ---- reading ---- */

struct patient {
    struct sdsim_exchange_sink sink;
    struct sdsim_test_doctor doctor;
};

static void take_select(struct sdsim_exchange_sink *sink, bool low, sdsim_ps at, uint64_t line)
{
    sdsim_spi_decoder_select(&((struct patient *)sink)->doctor.decoder, low, at, line);
}

static void take_byte(struct sdsim_exchange_sink *sink, const struct sdsim_spi_byte *byte)
{
    sdsim_spi_decoder_byte(&((struct patient *)sink)->doctor.decoder, byte);
}

static size_t load(const char *name, char *text, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, FOLDER "%s.txt", name);
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        fail_msg("%s is not there", path);
        return 0;
    }
    const size_t got = fread(text, 1, size, in);
    fclose(in);
    return got;
}

/* Returns what was found; the patient is the caller's to free. */
static const char *examine(const char *name, struct patient *patient)
{
    char text[8192];
    const size_t size = load(name, text, sizeof text);
    struct sdsim_exchange_facts facts;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    patient->sink = (struct sdsim_exchange_sink){take_select, take_byte};
    if (!sdsim_exchange_read(name, text, size, NULL, &facts, &diags)) {
        sdsim_diags_print(&diags, stderr);
        fail_msg("%s is no exchange", name);
    }
    const struct sdsim_doctor_source source = {.unit = "line",
                                               .timed = facts.timed,
                                               .cs_known = facts.cs_known,
                                               .card_unknown = facts.card_unknown};
    sdsim_test_doctor_begin(&patient->doctor, &source);
    assert_true(sdsim_exchange_read(name, text, size, &patient->sink, &facts, &diags));
    sdsim_diags_free(&diags);
    return sdsim_test_doctor_end(&patient->doctor, SDSIM_NOTE);
}

static const struct sdsim_doctor_finding *first_finding(const struct sdsim_doctor *doctor)
{
    for (size_t i = 0; i < sdsim_doctor_book(false)->count; i++) {
        if (sdsim_doctor_finding(doctor, i)->count > 0) {
            return sdsim_doctor_finding(doctor, i);
        }
    }
    return NULL;
}

static void every_exchange_has_its_findings(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < EXCHANGES; i++) {
        struct patient *patient = calloc(1, sizeof *patient);
        assert_non_null(patient);
        const char *found = examine(exchanges[i].name, patient);
        const struct sdsim_doctor_finding *first = first_finding(&patient->doctor.doctor);
        if (strcmp(found, exchanges[i].found) != 0) {
            print_error("%s: found '%s', expected '%s'\n", exchanges[i].name, found,
                        exchanges[i].found);
            wrong++;
        } else if (first != NULL && strstr(first->text, exchanges[i].text) == NULL) {
            print_error("%s: '%s' is not in '%s'\n", exchanges[i].name, exchanges[i].text,
                        first->text);
            wrong++;
        }
        free(patient);
    }
    assert_int_equal(wrong, 0);
}

/* ---- the table of rules ---- */

static bool is_word_of(const char *word, const char *list)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static bool has_exchange(const char *rule)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (strcmp(elsewhere[i], rule) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < EXCHANGES; i++) {
        if (is_word_of(rule, exchanges[i].found)) {
            return true;
        }
    }
    return false;
}

static void every_rule_has_an_exchange(void **state)
{
    (void)state;
    for (size_t i = 0; i < sdsim_doctor_book(false)->count; i++) {
        const struct sdsim_doctor_rule *rule = &sdsim_doctor_book(false)->rules[i];
        if (!has_exchange(rule->name)) {
            fail_msg("no exchange violates %s", rule->name);
        }
        assert_true(strlen(rule->why) > 20 && strlen(rule->mend) > 10);
    }
}

/* ---- the program ---- */

static void outputs_are_readable(void **state)
{
    (void)state;
    if (!sdsim_test_has_program()) {
        skip();
    }
    static const struct {
        const char *golden;
        int code;
        const char *arguments[5];
    } rows[] = {
        {"help-doctor.txt", 0, {"doctor", "--help"}},
        {"doctor-one-acmd41.txt", 1, {"doctor", FOLDER "one-acmd41.txt"}},
        {"doctor-one-acmd41.json", 1, {"doctor", "--json", FOLDER "one-acmd41.txt"}},
        {"doctor-stop-token.txt", 1, {"doctor", FOLDER "stop-token-early.txt"}},
        {"doctor-polls.txt", 0, {"doctor", FOLDER "polls.txt"}},
        {"doctor-repeats.txt", 0, {"doctor", FOLDER "status-polls.txt"}},
        {"doctor-exchange.txt", 0, {"doctor", "--exchange", FOLDER "polls.txt"}},
        {"doctor-payload.txt", 0, {"doctor", FOLDER "payload-commands.txt"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[200];
        snprintf(path, sizeof path, "tests/golden/%s", rows[i].golden);
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].arguments);
        assert_int_equal(result.code, rows[i].code);
        assert_true(sdsim_test_golden(path, result.out));
        assert_string_equal(result.err, "");
        sdsim_test_result_free(&result);
    }
}

/* What people paste: one line as an argument, and bytes as C writes them. */
static void typed_lines_are_read(void **state)
{
    (void)state;
    if (!sdsim_test_has_program()) {
        skip();
    }
    struct sdsim_test_result result =
        sdsim_test_run_quiet((const char *[]){"doctor", "CMD17 0x200 -> 05", NULL});
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.out, "CMD17 read block, address 512 -> 05"));
    sdsim_test_result_free(&result);
    result = sdsim_test_run_quiet((const char *[]){"doctor", "none -> there", NULL});
    assert_int_equal(result.code, 2);
    assert_non_null(strstr(result.err, "'none' is no byte"));
    sdsim_test_result_free(&result);
    const char *path = sdsim_test_path("c.txt");
    static const char text[] = "0x40, 0x00, 0x00, 0x00, 0x00, 0x95 => 0x01\n";
    sdsim_test_write_file(path, text, sizeof text - 1);
    result = sdsim_test_run_quiet((const char *[]){"doctor", path, NULL});
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.out, "CMD0 reset -> 01"));
    sdsim_test_result_free(&result);
}

/* Steps beyond the first 200 are counted, and printed if they are asked for. */
static void long_records_are_short(void **state)
{
    (void)state;
    if (!sdsim_test_has_program()) {
        skip();
    }
    const char *path = sdsim_test_path("long.txt");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    for (unsigned i = 0; i < 250; i++) {
        fprintf(out, "51 00 00 00 %02X FF -> 40\n", i);
    }
    fclose(out);
    struct sdsim_test_result result = sdsim_test_run_quiet((const char *[]){"doctor", path, NULL});
    assert_non_null(strstr(result.out, "address 199,"));
    assert_null(strstr(result.out, "address 200,"));
    assert_non_null(strstr(result.out, "50 more steps; --all prints them"));
    sdsim_test_result_free(&result);
    result = sdsim_test_run_quiet((const char *[]){"doctor", "--all", path, NULL});
    assert_non_null(strstr(result.out, "address 249,"));
    assert_null(strstr(result.out, "more steps"));
    sdsim_test_result_free(&result);
}

/* What the host sent, given to a simulated card. */
static void a_card_is_held_against_it(void **state)
{
    (void)state;
    if (!sdsim_test_has_program()) {
        skip();
    }
    static const struct {
        const char *exchange;
        const char *printed;
    } rows[] = {
        {"polls", "gives 16 of 16 answers alike.\n"},        /* from CMD0 on, as long as it takes */
        {"sd-status", "gives 3 of 3 answers alike.\n"},      /* it was initialised before */
        {"typed-r1-alone", "gives 7 of 7 answers alike.\n"}, /* what is not written can't differ */
        {"stop-token-right", "gives 2 of 2 answers alike.\n"},
        {"no-cmd55", "gives 4 of 4 answers alike.\n"},
        {"brown-out",
         "gives 3 of 4 answers alike.\n  line 6: CMD13: recorded 01 00, simulated 00 00\n"},
        {"mmc", "line 3: CMD8: recorded 05, simulated 01 00 00 01 AA\n"},
        {"one-acmd41",
         "line 6: CMD58: recorded 01 40 FF 80 00, simulated 01 00 FF 80 00\n"}, /* bit 30 */
        {"cold-boot", "line 5: CMD0: recorded no answer, simulated 01\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[200];
        snprintf(path, sizeof path, FOLDER "%s.txt", rows[i].exchange);
        struct sdsim_test_result result = sdsim_test_run_quiet(
            (const char *[]){"doctor", "--against", "cards/sdhc32g-a1.yaml", path, NULL});
        if (strstr(result.out, rows[i].printed) == NULL) {
            fail_msg("%s: '%s' is not in\n%s%s", rows[i].exchange, rows[i].printed, result.out,
                     result.err);
        }
        sdsim_test_result_free(&result);
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    if (!sdsim_test_has_program()) {
        skip();
    }
    struct sdsim_test_result result = sdsim_test_run_quiet(
        (const char *[]){"doctor", "tests/data/exchanges/no-such-file.txt", NULL});
    assert_int_equal(result.code, 2);
    assert_string_equal(result.out, "");
    sdsim_test_result_free(&result);
    result = sdsim_test_run_quiet((const char *[]){"doctor", "README.md", NULL});
    assert_int_equal(result.code, 2);
    assert_non_null(strstr(result.err, "README.md:"));
    sdsim_test_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_exchange_has_its_findings),
        cmocka_unit_test(every_rule_has_an_exchange),
        cmocka_unit_test(outputs_are_readable),
        cmocka_unit_test(typed_lines_are_read),
        cmocka_unit_test(long_records_are_short),
        cmocka_unit_test(a_card_is_held_against_it),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

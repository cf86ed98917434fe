#include "fat/ops.h"

#include <stdio.h>
#include <string.h>

#include "config/tree.h"
#include "core/units.h"

#define NUMBER_MAX ((int64_t)1 << 62)

/* What follows the name of an operation. */
enum argument_form {
    ARGS_NONE,
    ARGS_NAME,
    ARGS_NAME_MODE,
    ARGS_TWO_NAMES,
    ARGS_AMOUNT,
    ARGS_PLACE,
};

static const struct {
    const char *name;
    enum argument_form form;
} operations[SDSIM_OP_COUNT] = {
    [SDSIM_OP_MOUNT] = {"mount", ARGS_NONE},        [SDSIM_OP_UNMOUNT] = {"unmount", ARGS_NONE},
    [SDSIM_OP_OPEN] = {"open", ARGS_NAME_MODE},     [SDSIM_OP_CLOSE] = {"close", ARGS_NONE},
    [SDSIM_OP_WRITE] = {"write", ARGS_AMOUNT},      [SDSIM_OP_READ] = {"read", ARGS_AMOUNT},
    [SDSIM_OP_SEEK] = {"seek", ARGS_PLACE},         [SDSIM_OP_SYNC] = {"sync", ARGS_NONE},
    [SDSIM_OP_TRUNCATE] = {"truncate", ARGS_NONE},  [SDSIM_OP_EXPAND] = {"expand", ARGS_AMOUNT},
    [SDSIM_OP_MKDIR] = {"mkdir", ARGS_NAME},        [SDSIM_OP_UNLINK] = {"unlink", ARGS_NAME},
    [SDSIM_OP_RENAME] = {"rename", ARGS_TWO_NAMES}, [SDSIM_OP_STAT] = {"stat", ARGS_NAME},
    [SDSIM_OP_LIST] = {"list", ARGS_NAME},          [SDSIM_OP_FREE] = {"free", ARGS_NONE},
    [SDSIM_OP_FILL] = {"fill", ARGS_AMOUNT},        [SDSIM_OP_PRINT] = {"print", ARGS_AMOUNT},
};

static const char *const mode_names[] = {
    [SDSIM_OPEN_READ] = "r",           [SDSIM_OPEN_WRITE] = "w",
    [SDSIM_OPEN_WRITE_READ] = "w+",    [SDSIM_OPEN_UPDATE] = "r+",
    [SDSIM_OPEN_UPDATE_CREATE] = "rw", [SDSIM_OPEN_APPEND] = "a",
    [SDSIM_OPEN_APPEND_END] = "A",
};

#define MODE_COUNT (sizeof mode_names / sizeof mode_names[0])

const char *sdsim_op_name(enum sdsim_op_kind kind)
{
    return operations[kind].name;
}

const char *sdsim_op_mode_name(enum sdsim_open_mode mode)
{
    return mode_names[mode];
}

/* The line as far as it is read. */
struct scanner {
    const char *line;
    size_t length;
    size_t at;
    struct sdsim_op_text word; /* the word last taken */
    bool open_quote;           /* it begins with a quote that nothing closes */
    struct sdsim_place place;
    struct sdsim_diags *diags;
};

/* A carriage return, too: files from Windows have one at the end of each line. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Adds a message about the word at hand; without one it is about what is missing. */
static enum sdsim_op_line complain(struct scanner *scanner, const char *what, const char *help)
{
    const struct sdsim_op_text word = scanner->word;
    scanner->place.column = (uint32_t)(word.text - scanner->line + 1);
    scanner->place.length = (uint32_t)word.length;
    if (word.length == 0) {
        sdsim_diag_add(scanner->diags, SDSIM_ERROR, &scanner->place, NULL, 0, help, "%s", what);
    } else {
        const int shown = word.length < 80 ? (int)word.length : 80;
        sdsim_diag_add(scanner->diags, SDSIM_ERROR, &scanner->place, NULL, 0, help, "%s: '%.*s'",
                       what, shown, word.text);
    }
    return SDSIM_OP_BAD;
}

/* Takes the next word, without its quotes; false at the end of the line. */
static bool next_word(struct scanner *scanner)
{
    while (scanner->at < scanner->length && is_blank(scanner->line[scanner->at])) {
        scanner->at++;
    }
    const bool quoted = scanner->at < scanner->length && scanner->line[scanner->at] == '"';
    const size_t start = scanner->at + quoted;
    size_t end = start;
    while (end < scanner->length &&
           (quoted ? scanner->line[end] != '"' : !is_blank(scanner->line[end]))) {
        end++;
    }
    scanner->word = (struct sdsim_op_text){scanner->line + start, end - start};
    scanner->open_quote = quoted && end == scanner->length;
    scanner->at = quoted && end < scanner->length ? end + 1 : end;
    return end > start || quoted;
}

static bool word_is(const struct sdsim_op_text *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* Digits with an optional unit at *p; moves it behind. */
static bool parse_term(const char **p, const char *end, int64_t *value, bool *clusters)
{
    const char *digit = *p;
    int64_t number = 0;
    while (digit < end && *digit >= '0' && *digit <= '9') {
        if (number > NUMBER_MAX / 10) {
            return false;
        }
        number = number * 10 + (*digit++ - '0');
    }
    if (digit == *p) {
        return false;
    }
    const char unit = digit < end ? *digit : '\0';
    const int64_t scale = unit == 's' ? 512 : unit == 'k' ? 1024 : unit == 'm' ? 1048576 : 1;
    *clusters = unit == 'c';
    if (number > NUMBER_MAX / scale) {
        return false;
    }
    *value = number * scale;
    *p = digit + (*clusters || scale != 1);
    return true;
}

/* A sum of terms, the first one with or without a sign. */
static bool parse_sum(const char *p, const char *end, struct sdsim_op_amount *amount)
{
    *amount = (struct sdsim_op_amount){0};
    int64_t sign = 1;
    if (p < end && (*p == '+' || *p == '-')) {
        sign = *p++ == '-' ? -1 : 1;
    }
    for (;;) {
        int64_t value;
        bool clusters;
        if (!parse_term(&p, end, &value, &clusters)) {
            return false;
        }
        int64_t *target = clusters ? &amount->clusters : &amount->bytes;
        if (__builtin_add_overflow(*target, sign * value, target)) {
            return false;
        }
        if (p == end) {
            return true;
        }
        if (*p != '+' && *p != '-') {
            return false;
        }
        sign = *p++ == '-' ? -1 : 1;
    }
}

/* A sum that isn't negative whatever a cluster is. */
static bool parse_amount(const struct sdsim_op_text *word, struct sdsim_op_amount *amount)
{
    return word->length > 0 && word->text[0] != '+' && word->text[0] != '-' &&
           parse_sum(word->text, word->text + word->length, amount) &&
           (amount->bytes >= 0 || amount->clusters > 0) &&
           (amount->clusters >= 0 || amount->bytes > 0);
}

/* The target of a seek: a sum, end, or cur with a sum. */
static bool parse_place(const struct sdsim_op_text *word, struct sdsim_op *op)
{
    const bool end = word->length >= 3 && memcmp(word->text, "end", 3) == 0;
    const bool here = word->length >= 3 && memcmp(word->text, "cur", 3) == 0;
    op->origin = end ? SDSIM_OP_FROM_END : here ? SDSIM_OP_FROM_HERE : SDSIM_OP_FROM_START;
    if (!end && !here) {
        return parse_amount(word, &op->amount);
    }
    if (word->length == 3) {
        return true;
    }
    const char *sum = word->text + 3;
    return (*sum == '+' || *sum == '-') && parse_sum(sum, word->text + word->length, &op->amount);
}

static bool parse_mode(const struct sdsim_op_text *word, enum sdsim_open_mode *mode)
{
    for (size_t i = 0; i < MODE_COUNT; i++) {
        if (word_is(word, mode_names[i])) {
            *mode = (enum sdsim_open_mode)i;
            return true;
        }
    }
    return false;
}

/* A time with a unit, behind the '@' or '+' at the start of the word. */
static bool parse_time(const struct sdsim_op_text *word, sdsim_ps *time)
{
    char text[40];
    if (word->length < 2 || word->length > sizeof text) {
        return false;
    }
    memcpy(text, word->text + 1, word->length - 1);
    text[word->length - 1] = '\0';
    return sdsim_unit_parse(SDSIM_UNIT_TIME, text, time) == SDSIM_UNIT_OK;
}

/* "@TIME [+TIME] [@HANDLE]", all optional; leaves the operation as the word at hand. */
static enum sdsim_op_line parse_prefix(struct scanner *scanner, struct sdsim_op *op)
{
    bool have_handle = false;
    while (scanner->word.length > 1 &&
           (scanner->word.text[0] == '@' || scanner->word.text[0] == '+')) {
        const struct sdsim_op_text word = scanner->word;
        const bool handle = word.text[0] == '@' && word.length == 2 && word.text[1] >= '0' &&
                            word.text[1] <= '9' && !have_handle;
        if (handle) {
            op->handle = (uint8_t)(word.text[1] - '0');
            have_handle = true;
        } else if (word.text[0] == '@' && !op->has_start && !have_handle &&
                   parse_time(&word, &op->start)) {
            op->has_start = true;
        } else if (word.text[0] == '+' && op->has_start && !op->has_duration && !have_handle &&
                   parse_time(&word, &op->duration)) {
            op->has_duration = true;
        } else {
            return complain(scanner, "no handle and no time that fits here",
                            "a handle is @0 to @9, a time has a unit: @1.25ms +310us");
        }
        if (!next_word(scanner)) {
            return complain(scanner, "an operation is missing", NULL);
        }
    }
    return SDSIM_OP_LINE;
}

static const char quote_is_open[] = "a quote that is not closed";

static enum sdsim_op_line parse_name(struct scanner *scanner, struct sdsim_op_text *name)
{
    if (!next_word(scanner) || scanner->word.length == 0) {
        return complain(scanner, "a name is missing", NULL);
    }
    if (scanner->open_quote) {
        return complain(scanner, quote_is_open, NULL);
    }
    *name = scanner->word;
    return SDSIM_OP_LINE;
}

static enum sdsim_op_line parse_arguments(struct scanner *scanner, struct sdsim_op *op)
{
    const enum argument_form form = operations[op->kind].form;
    if (form == ARGS_NAME || form == ARGS_NAME_MODE || form == ARGS_TWO_NAMES) {
        if (parse_name(scanner, &op->name) == SDSIM_OP_BAD) {
            return SDSIM_OP_BAD;
        }
    }
    if (form == ARGS_TWO_NAMES) {
        return parse_name(scanner, &op->new_name);
    }
    if (form == ARGS_NAME_MODE) {
        if (!next_word(scanner) || !parse_mode(&scanner->word, &op->mode)) {
            return complain(scanner, "no mode to open with", "r, w, w+, r+, rw, a or A");
        }
    }
    if (form == ARGS_AMOUNT) {
        if (!next_word(scanner) || !parse_amount(&scanner->word, &op->amount)) {
            return complain(scanner, "no number of bytes",
                            "a sum of numbers with units c, s, k, m: 2c+100");
        }
    }
    if (form == ARGS_PLACE) {
        if (!next_word(scanner) || !parse_place(&scanner->word, op)) {
            return complain(scanner, "no place to seek to",
                            "a number, end, end-N, end+N, cur+N or cur-N");
        }
    }
    return SDSIM_OP_LINE;
}

/* "*REPEAT" and "# label", both optional, and nothing else. */
static enum sdsim_op_line parse_tail(struct scanner *scanner, struct sdsim_op *op)
{
    op->repeat = 1;
    if (scanner->open_quote) {
        return complain(scanner, quote_is_open, NULL);
    }
    if (!next_word(scanner)) {
        return SDSIM_OP_LINE;
    }
    if (scanner->word.length > 1 && scanner->word.text[0] == '*') {
        const struct sdsim_op_text count = {scanner->word.text + 1, scanner->word.length - 1};
        struct sdsim_op_amount amount;
        if (!parse_amount(&count, &amount) || amount.clusters != 0 || amount.bytes < 1 ||
            amount.bytes > UINT32_MAX) {
            return complain(scanner, "no number of repetitions", NULL);
        }
        op->repeat = (uint32_t)amount.bytes;
        op->has_repeat = true;
        if (!next_word(scanner)) {
            return SDSIM_OP_LINE;
        }
    }
    if (scanner->word.length == 0 || scanner->word.text[0] != '#') {
        return complain(scanner, "too much here", NULL);
    }
    const char *label = scanner->word.text + 1;
    const char *end = scanner->line + scanner->length;
    while (label < end && is_blank(*label)) {
        label++;
    }
    while (end > label && is_blank(end[-1])) {
        end--;
    }
    op->label = (struct sdsim_op_text){label, (size_t)(end - label)};
    return SDSIM_OP_LINE;
}

/* Says that there is no such operation, and which one may be meant. */
static enum sdsim_op_line complain_of_operation(struct scanner *scanner)
{
    const char *names[SDSIM_OP_COUNT];
    char word[16] = "";
    char help[48];
    for (size_t i = 0; i < SDSIM_OP_COUNT; i++) {
        names[i] = operations[i].name;
    }
    if (scanner->word.length < sizeof word) {
        memcpy(word, scanner->word.text, scanner->word.length);
    }
    const char *closest = sdsim_closest(word, names, SDSIM_OP_COUNT);
    if (closest != NULL) {
        (void)snprintf(help, sizeof help, "did you mean '%s'?", closest);
    }
    return complain(scanner, "no file operation",
                    closest != NULL
                        ? help
                        : "mount, unmount, open, close, write, read, seek, sync, truncate, "
                          "expand, mkdir, unlink, rename, stat, list, free, fill, print");
}

enum sdsim_op_line sdsim_op_parse(struct sdsim_op *op, const char *line, size_t length,
                                  const struct sdsim_place *place, struct sdsim_diags *diags)
{
    struct scanner scanner = {.line = line, .length = length, .place = *place, .diags = diags};
    memset(op, 0, sizeof *op);
    const char *zero = memchr(line, '\0', length);
    if (zero != NULL) {
        scanner.word = (struct sdsim_op_text){zero, 0};
        return complain(&scanner, "a zero byte: this is no text", NULL);
    }
    if (!next_word(&scanner) || line[0] == '#') {
        return SDSIM_OP_NOTHING;
    }
    if (parse_prefix(&scanner, op) == SDSIM_OP_BAD) {
        return SDSIM_OP_BAD;
    }
    size_t kind = 0;
    while (kind < SDSIM_OP_COUNT && !word_is(&scanner.word, operations[kind].name)) {
        kind++;
    }
    if (kind == SDSIM_OP_COUNT) {
        return complain_of_operation(&scanner);
    }
    op->kind = (enum sdsim_op_kind)kind;
    if (parse_arguments(&scanner, op) == SDSIM_OP_BAD) {
        return SDSIM_OP_BAD;
    }
    return parse_tail(&scanner, op);
}

bool sdsim_op_bytes(struct sdsim_op_amount amount, uint32_t cluster_bytes, uint64_t *bytes)
{
    int64_t sum;
    if (__builtin_mul_overflow(amount.clusters, (int64_t)cluster_bytes, &sum) ||
        __builtin_add_overflow(sum, amount.bytes, &sum) || sum < 0) {
        return false;
    }
    *bytes = (uint64_t)sum;
    return true;
}

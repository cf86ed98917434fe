#include "capture/vcd_header.h"

#include <ctype.h>
#include <string.h>

enum { TOKEN = 256 };

/* What reading the header needs all over. */
struct header {
    struct sdsim_pins *pins;
    struct sdsim_pin_file *file;
    struct sdsim_vcd_codes *codes;
    bool scaled;
    unsigned left_out; /* variables that are no single bits, or too many */
    char first_left_out[TOKEN];
};

static bool complain(const struct header *header, const char *help, const char *text)
{
    const struct sdsim_place place = {.file = header->pins->path};
    sdsim_diag_add(header->pins->diags, SDSIM_ERROR, &place, NULL, 0, help, "offset %llu: %s",
                   (unsigned long long)sdsim_pin_file_offset(header->file), text);
    return false;
}

static bool starts(const unsigned char *text, size_t size, const char *head)
{
    const size_t length = strlen(head);
    return size >= length && memcmp(text, head, length) == 0;
}

bool sdsim_vcd_recognise(const unsigned char *head, size_t size)
{
    static const char *const keywords[] = {"$date",  "$version", "$comment",
                                           "$scope", "$var",     "$timescale"};
    while (size > 0 && (isspace(*head) || starts(head, size, "META "))) {
        const unsigned char *newline = isspace(*head) ? head : memchr(head, '\n', size);
        if (newline == NULL) {
            return false;
        }
        size -= (size_t)(newline + 1 - head);
        head = newline + 1;
    }
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (starts(head, size, keywords[i])) {
            return true;
        }
    }
    return false;
}

/* The next word; longer ones are cut, which nothing here minds. False at the end of the file. */
static bool word(struct header *header, char out[TOKEN])
{
    int c = sdsim_pin_file_peek(header->file);
    while (c != -1 && isspace(c)) {
        header->file->at++;
        c = sdsim_pin_file_peek(header->file);
    }
    size_t used = 0;
    while (c != -1 && !isspace(c)) {
        if (used + 1 < TOKEN) {
            out[used++] = (char)c;
        }
        header->file->at++;
        c = sdsim_pin_file_peek(header->file);
    }
    out[used] = '\0';
    return used > 0;
}

/* The words up to $end, joined by blanks and cut. */
static bool rest(struct header *header, char *out, size_t size)
{
    char token[TOKEN];
    size_t used = 0;
    out[0] = '\0';
    while (word(header, token)) {
        if (strcmp(token, "$end") == 0) {
            return true;
        }
        const size_t length = strlen(token);
        if (used + length + 2 < size) {
            memcpy(out + used, token, length);
            used += length;
            out[used++] = ' ';
            out[used] = '\0';
        }
    }
    return complain(header, "the file is not complete", "a declaration without $end");
}

static bool take_timescale(struct header *header)
{
    static const struct {
        const char *unit;
        struct sdsim_tick tick;
    } units[] = {{"fs", {1, 1000}},    {"ps", {1, 1}},          {"ns", {1000, 1}},
                 {"us", {1000000, 1}}, {"ms", {1000000000, 1}}, {"s", {1000000000000, 1}}};
    char text[64];
    if (!rest(header, text, sizeof text)) {
        return false;
    }
    uint64_t count = 0;
    const char *at = text;
    while (isdigit((unsigned char)*at) && count < 1000) {
        count = count * 10 + (uint64_t)(*at++ - '0');
    }
    while (*at == ' ') {
        at++;
    }
    const size_t length = strcspn(at, " ");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (length == strlen(units[i].unit) && strncmp(at, units[i].unit, length) == 0 &&
            (count == 1 || count == 10 || count == 100)) {
            struct sdsim_tick tick = units[i].tick;
            while (count > 1 && tick.den > 1) {
                count /= 10;
                tick.den /= 10;
            }
            tick.num *= count;
            header->pins->facts.tick = tick;
            header->scaled = true;
            return true;
        }
    }
    return complain(header, "write 1, 10 or 100, and fs, ps, ns, us, ms or s",
                    "the time scale can't be understood");
}

/* "Acquisition with 4/8 channels at 24 MHz", by libsigrok. */
static bool take_comment(struct header *header)
{
    char text[512];
    if (!rest(header, text, sizeof text)) {
        return false;
    }
    const char *at = strstr(text, "channels at ");
    if (strncmp(text, "Acquisition", 11) == 0 && at != NULL) {
        header->pins->facts.rate = sdsim_pin_rate(at + strlen("channels at "));
    }
    return true;
}

static void leave_out(struct header *header, const char *name)
{
    if (header->left_out++ == 0) {
        strcpy(header->first_left_out, name);
    }
}

static bool is_code(const char *code)
{
    for (; *code != '\0'; code++) {
        if (*code < 33 || *code > 126) {
            return false;
        }
    }
    return true;
}

/* $var TYPE WIDTH CODE NAME [RANGE] $end */
static bool take_variable(struct header *header)
{
    char type[TOKEN];
    char width[TOKEN];
    char code[TOKEN];
    char name[TOKEN];
    char range[64];
    if (!word(header, type) || !word(header, width) || !word(header, code) || !word(header, name)) {
        return complain(header, "the file is not complete", "the end within a variable");
    }
    if (strcmp(name, "$end") == 0) {
        return complain(header, "a variable has type, width, code and name",
                        "a variable without a name");
    }
    if (!rest(header, range, sizeof range)) {
        return false;
    }
    struct sdsim_pin_facts *facts = &header->pins->facts;
    const size_t length = strlen(code);
    const bool bit = strcmp(type, "real") != 0 && strcmp(type, "string") != 0 &&
                     strcmp(type, "realtime") != 0 && strcmp(width, "1") == 0;
    range[strcspn(range, " ")] = '\0';
    if (range[0] == '[' && strlen(name) + strlen(range) < sizeof name) {
        strcat(name, range);
    }
    if (!bit || length == 0 || length >= SDSIM_VCD_CODE || !is_code(code) ||
        facts->channel_count == SDSIM_PIN_CHANNELS) {
        leave_out(header, name);
        return true;
    }
    const unsigned channel = (unsigned)facts->channel_count;
    if (length <= 2) {
        uint8_t *entry =
            &header->codes->of_short[sdsim_vcd_code_short((const unsigned char *)code, length)];
        if (*entry != 0) {
            return true; /* another name of a variable that is there */
        }
        *entry = (uint8_t)(channel + 1);
    } else if (sdsim_vcd_code_long(header->codes, (const unsigned char *)code, length) == 0) {
        strcpy(header->codes->of_long[channel], code);
        header->codes->longs |= UINT64_C(1) << channel;
    } else {
        return true;
    }
    return sdsim_pin_channel_add(facts, name, strlen(name), (uint8_t)channel);
}

static bool skip_meta(struct header *header)
{
    size_t length;
    bool too_long;
    if (sdsim_pin_file_line(header->file, &length, &too_long) == NULL) {
        return complain(header, "the file is not complete", "nothing behind the line META");
    }
    const struct sdsim_place place = {.file = header->pins->path, .line = 1};
    sdsim_diag_add(header->pins->diags, SDSIM_WARNING, &place, NULL, 0,
                   "sigrok-cli writes it when it converts CSV; it is passed over",
                   "a line META, which is not VCD");
    return true;
}

static bool finish(struct header *header)
{
    if (header->pins->facts.channel_count == 0) {
        return complain(header, "only single-bit wires are read; export the pins one by one",
                        "no single-bit variable is declared");
    }
    if (!header->scaled) {
        return complain(header, "add $timescale 1 ns $end", "no time scale");
    }
    if (header->left_out > 0) {
        const struct sdsim_place place = {.file = header->pins->path};
        sdsim_diag_add(header->pins->diags, SDSIM_WARNING, &place, NULL, 0,
                       "only single-bit wires are read, up to 64 of them",
                       "%u variables are left out, the first is %s", header->left_out,
                       header->first_left_out);
    }
    return true;
}

bool sdsim_vcd_header_read(struct sdsim_pins *pins, struct sdsim_pin_file *file,
                           struct sdsim_vcd_codes *codes)
{
    struct header header = {.pins = pins, .file = file, .codes = codes};
    char token[TOKEN];
    char ignored[8];
    while (isspace(sdsim_pin_file_peek(file))) {
        file->at++;
    }
    if (sdsim_pin_file_peek(file) == 'M' && !skip_meta(&header)) {
        return false;
    }
    while (word(&header, token)) {
        bool fine = true;
        if (strcmp(token, "$enddefinitions") == 0) {
            return rest(&header, ignored, sizeof ignored) && finish(&header);
        }
        if (strcmp(token, "$timescale") == 0) {
            fine = take_timescale(&header);
        } else if (strcmp(token, "$var") == 0) {
            fine = take_variable(&header);
        } else if (strcmp(token, "$comment") == 0) {
            fine = take_comment(&header);
        } else if (token[0] == '$') {
            fine = rest(&header, ignored, sizeof ignored);
        } else {
            fine = complain(&header, "the declarations end with $enddefinitions $end",
                            "no keyword where one must be");
        }
        if (!fine) {
            return false;
        }
    }
    return complain(&header, "the file is not complete", "no $enddefinitions");
}

unsigned sdsim_vcd_code_long(const struct sdsim_vcd_codes *codes, const unsigned char *code,
                             size_t length)
{
    if (length < SDSIM_VCD_CODE) {
        for (unsigned i = 0; i < SDSIM_PIN_CHANNELS; i++) {
            if ((codes->longs >> i & 1) != 0 && codes->of_long[i][length] == '\0' &&
                memcmp(codes->of_long[i], code, length) == 0) {
                return i + 1;
            }
        }
    }
    return 0;
}

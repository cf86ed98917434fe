#include "capture/roles.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Names people give their channels. D0 to D3 are also what analysers call channels nobody has named,
 * so they count only beside a CMD. */
static const struct {
    const char *name;
    enum sdsim_line line;
} names[] = {
    {"CLK", SDSIM_LINE_CLK},    {"SCK", SDSIM_LINE_CLK},    {"SCLK", SDSIM_LINE_CLK},
    {"CLOCK", SDSIM_LINE_CLK},  {"CK", SDSIM_LINE_CLK},     {"CS", SDSIM_LINE_CS},
    {"SS", SDSIM_LINE_CS},      {"NSS", SDSIM_LINE_CS},     {"NCS", SDSIM_LINE_CS},
    {"CSN", SDSIM_LINE_CS},     {"SSEL", SDSIM_LINE_CS},    {"CE", SDSIM_LINE_CS},
    {"CS0", SDSIM_LINE_CS},     {"SSN", SDSIM_LINE_CS},     {"MOSI", SDSIM_LINE_MOSI},
    {"DI", SDSIM_LINE_MOSI},    {"DIN", SDSIM_LINE_MOSI},   {"SI", SDSIM_LINE_MOSI},
    {"COPI", SDSIM_LINE_MOSI},  {"MISO", SDSIM_LINE_MISO},  {"DO", SDSIM_LINE_MISO},
    {"DOUT", SDSIM_LINE_MISO},  {"SO", SDSIM_LINE_MISO},    {"CIPO", SDSIM_LINE_MISO},
    {"CMD", SDSIM_LINE_CMD},    {"DAT0", SDSIM_LINE_DAT0},  {"DAT1", SDSIM_LINE_DAT1},
    {"DAT2", SDSIM_LINE_DAT2},  {"DAT3", SDSIM_LINE_DAT3},  {"DATA0", SDSIM_LINE_DAT0},
    {"DATA1", SDSIM_LINE_DAT1}, {"DATA2", SDSIM_LINE_DAT2}, {"DATA3", SDSIM_LINE_DAT3},
    {"DAT", SDSIM_LINE_DAT0},   {"D0", SDSIM_LINE_DAT0},    {"D1", SDSIM_LINE_DAT1},
    {"D2", SDSIM_LINE_DAT2},    {"D3", SDSIM_LINE_DAT3},
};

const char *sdsim_line_name(enum sdsim_line line)
{
    static const char *const line_names[] = {
        [SDSIM_LINE_CLK] = "CLK",   [SDSIM_LINE_CS] = "CS",     [SDSIM_LINE_MOSI] = "MOSI",
        [SDSIM_LINE_MISO] = "MISO", [SDSIM_LINE_CMD] = "CMD",   [SDSIM_LINE_DAT0] = "DAT0",
        [SDSIM_LINE_DAT1] = "DAT1", [SDSIM_LINE_DAT2] = "DAT2", [SDSIM_LINE_DAT3] = "DAT3",
    };
    return line < SDSIM_LINE_COUNT ? line_names[line] : "?";
}

/* The letters and digits of a name that count: "/sd.CLK#" is "CLK", "SPI1_SCK" is "SCK". */
static void essence(const char *name, char out[SDSIM_PIN_NAME])
{
    size_t used = 0;
    for (; *name != '\0'; name++) {
        const unsigned char c = (unsigned char)*name;
        if (isalnum(c)) {
            out[used++] = (char)toupper(c);
        } else if (strchr("_./: ", c) != NULL && isalnum((unsigned char)name[1])) {
            used = 0;
        }
    }
    out[used] = '\0';
}

static int line_of(const char *name)
{
    char bare[SDSIM_PIN_NAME];
    essence(name, bare);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(bare, names[i].name) == 0) {
            return (int)names[i].line;
        }
    }
    return -1;
}

/* What the lines that are known say about the bus. */
static enum sdsim_capture_bus bus_of(const struct sdsim_roles *roles)
{
    if (roles->channel[SDSIM_LINE_CMD] != SDSIM_NO_CHANNEL) {
        return SDSIM_CAPTURE_SD;
    }
    if (roles->channel[SDSIM_LINE_CS] != SDSIM_NO_CHANNEL ||
        roles->channel[SDSIM_LINE_MOSI] != SDSIM_NO_CHANNEL ||
        roles->channel[SDSIM_LINE_MISO] != SDSIM_NO_CHANNEL) {
        return SDSIM_CAPTURE_SPI;
    }
    return SDSIM_CAPTURE_UNKNOWN;
}

/* DAT lines without a CMD are the analyser's D0, D1, ... */
static void drop_strays(struct sdsim_roles *roles)
{
    if (roles->bus != SDSIM_CAPTURE_SD) {
        for (int line = SDSIM_LINE_DAT0; line <= SDSIM_LINE_DAT3; line++) {
            roles->channel[line] = SDSIM_NO_CHANNEL;
        }
    }
}

void sdsim_roles_by_name(const struct sdsim_pin_facts *facts, struct sdsim_roles *roles)
{
    memset(roles, 0, sizeof *roles);
    for (int line = 0; line < SDSIM_LINE_COUNT; line++) {
        roles->channel[line] = SDSIM_NO_CHANNEL;
    }
    for (size_t i = 0; i < facts->channel_count; i++) {
        const int line = line_of(facts->channels[i].name);
        if (line >= 0 && roles->channel[line] == SDSIM_NO_CHANNEL) {
            roles->channel[line] = (int)i;
        }
    }
    roles->bus = bus_of(roles);
    drop_strays(roles);
}

static int channel_named(const struct sdsim_pin_facts *facts, const char *name, size_t length)
{
    for (size_t i = 0; i < facts->channel_count; i++) {
        if (strlen(facts->channels[i].name) == length &&
            strncasecmp(facts->channels[i].name, name, length) == 0) {
            return (int)i;
        }
    }
    return SDSIM_NO_CHANNEL;
}

static bool choose_one(const struct sdsim_pin_facts *facts, const char *text, size_t length,
                       struct sdsim_roles *roles, struct sdsim_diags *diags)
{
    const char *equals = memchr(text, '=', length);
    char line_text[SDSIM_PIN_NAME];
    if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof line_text) {
        sdsim_error(diags, NULL, "--channel: '%.*s' must look like clk=D5",
                    (int)(length < 60 ? length : 60), text);
        return false;
    }
    memcpy(line_text, text, (size_t)(equals - text));
    line_text[equals - text] = '\0';
    const int line = line_of(line_text);
    const size_t name_length = length - (size_t)(equals + 1 - text);
    const int channel = channel_named(facts, equals + 1, name_length);
    if (line < 0) {
        sdsim_error(diags, NULL,
                    "--channel: no line '%s'; there are clk, cs, mosi, miso, cmd, dat0 to dat3",
                    line_text);
        return false;
    }
    if (channel == SDSIM_NO_CHANNEL) {
        sdsim_error(diags, NULL, "--channel: the capture has no channel '%.*s'",
                    (int)(name_length < 60 ? name_length : 60), equals + 1);
        return false;
    }
    for (int other = 0; other < SDSIM_LINE_COUNT; other++) {
        if (roles->channel[other] == channel) {
            roles->channel[other] = SDSIM_NO_CHANNEL;
        }
    }
    roles->channel[line] = channel;
    return true;
}

bool sdsim_roles_choose(const struct sdsim_pin_facts *facts, const char *text,
                        struct sdsim_roles *roles, struct sdsim_diags *diags)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        if (length > 0 && !choose_one(facts, text, length, roles, diags)) {
            return false;
        }
        text += length + (text[length] == ',');
    }
    roles->bus = bus_of(roles);
    return true;
}

/* The lines of a bus, in the order of their bits in a word; each ends with SDSIM_LINE_COUNT. */
static const enum sdsim_line *lines_of(enum sdsim_capture_bus bus)
{
    static const enum sdsim_line spi[] = {SDSIM_LINE_CLK, SDSIM_LINE_CS, SDSIM_LINE_MOSI,
                                          SDSIM_LINE_MISO, SDSIM_LINE_COUNT};
    static const enum sdsim_line sd[] = {SDSIM_LINE_CLK,  SDSIM_LINE_CMD,  SDSIM_LINE_DAT0,
                                         SDSIM_LINE_DAT1, SDSIM_LINE_DAT2, SDSIM_LINE_DAT3,
                                         SDSIM_LINE_COUNT};
    return bus == SDSIM_CAPTURE_SD ? sd : spi;
}

static unsigned table_of(struct sdsim_line_map *map, unsigned shift)
{
    for (unsigned i = 0; i < map->count; i++) {
        if (map->bytes[i] == shift) {
            return i;
        }
    }
    map->bytes[map->count] = shift;
    return map->count++;
}

void sdsim_line_map_init(struct sdsim_line_map *map, const struct sdsim_pin_facts *facts,
                         const struct sdsim_roles *roles)
{
    memset(map, 0, sizeof *map);
    const enum sdsim_line *lines = lines_of(roles->bus);
    for (unsigned i = 0; lines[i] != SDSIM_LINE_COUNT; i++) {
        const int channel = roles->channel[lines[i]];
        if (channel == SDSIM_NO_CHANNEL) {
            map->rest |= (uint16_t)((lines[i] != SDSIM_LINE_CS) << i);
            continue;
        }
        const unsigned bit = facts->channels[channel].bit;
        const unsigned table = table_of(map, bit / 8 * 8);
        for (unsigned value = 0; value < 256; value++) {
            map->table[table][value] |= (uint16_t)((value >> bit % 8 & 1) << i);
        }
    }
}

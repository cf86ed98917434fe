#include "theme.h"

#include "timeline/lanes.h"

static const struct sdsim_theme themes[2] = {
    {.ground = 0xFFFFFF,
     .ground2 = 0xF5F7FA,
     .bar = 0xE9EDF2,
     .line = 0xC4CCD6,
     .text = 0x1B2430,
     .faint = 0x5B6878,
     .mark = 0x0B57D0,
     .curve = 0x0B57D0,
     .dark = false},
    {.ground = 0x171C23,
     .ground2 = 0x1C222B,
     .bar = 0x222A35,
     .line = 0x3A4552,
     .text = 0xE6EBF2,
     .faint = 0x9AA7B6,
     .mark = 0x8AB4F8,
     .curve = 0x8AB4F8,
     .dark = true},
};

const struct sdsim_theme *sdsim_theme(bool dark)
{
    return &themes[dark ? 1 : 0];
}

enum {
    ORANGE = 0xE69F00,
    SKY = 0x56B4E9,
    GREEN = 0x009E73,
    YELLOW = 0xF0E442,
    BLUE = 0x0072B2,
    VERMILION = 0xD55E00,
    PURPLE = 0xCC79A7,
    GREY = 0x8C96A3,
    PALE = 0xB8C0CA,
};

/* Kinds. */
static const sdsim_color kinds[SDSIM_CLASSES] = {
    [SDSIM_PAYLOAD] = GREEN,  [SDSIM_PROTOCOL] = SKY,  [SDSIM_GAP] = GREY,
    [SDSIM_POLL] = YELLOW,    [SDSIM_ACCESS] = ORANGE, [SDSIM_BUSY] = 0xB8860B,
    [SDSIM_PAUSE] = 0xE0263C, [SDSIM_COPY] = PURPLE,   [SDSIM_HOST] = BLUE,
    [SDSIM_IDLE] = PALE,
};

static const sdsim_color purposes[SDSIM_CLASSES] = {
    [SDSIM_FOR_DATA] = GREEN,    [SDSIM_FOR_FAT] = VERMILION, [SDSIM_FOR_DIRECTORY] = PURPLE,
    [SDSIM_FOR_FSINFO] = YELLOW, [SDSIM_FOR_BITMAP] = ORANGE, [SDSIM_FOR_BOOT] = GREY,
    [SDSIM_FOR_INIT] = PALE,
};

static const sdsim_color calls[SDSIM_CLASSES] = {
    [SDSIM_CALL_OTHER] = GREY,     [SDSIM_CALL_READ] = SKY,       [SDSIM_CALL_WRITE] = GREEN,
    [SDSIM_CALL_PRINT] = 0x7FBF7B, [SDSIM_CALL_SEEK] = YELLOW,    [SDSIM_CALL_OPEN] = PURPLE,
    [SDSIM_CALL_CLOSE] = BLUE,     [SDSIM_CALL_SYNC] = VERMILION, [SDSIM_CALL_LIST] = ORANGE,
    [SDSIM_CALL_MOUNT] = PALE,
};

static const sdsim_color groups[SDSIM_CLASSES] = {
    [SDSIM_GROUP_OTHER] = GREY,      [SDSIM_GROUP_READ] = SKY,      [SDSIM_GROUP_WRITE] = GREEN,
    [SDSIM_GROUP_STOP] = BLUE,       [SDSIM_GROUP_STATUS] = YELLOW, [SDSIM_GROUP_SWITCH] = PURPLE,
    [SDSIM_GROUP_ERASE] = VERMILION,
};

sdsim_color sdsim_theme_class(const struct sdsim_theme *theme, enum sdsim_lane lane, uint8_t class)
{
    const sdsim_color *of_lane = lane <= SDSIM_LANE_FILE      ? calls
                                 : lane == SDSIM_LANE_DISK    ? purposes
                                 : lane == SDSIM_LANE_COMMAND ? groups
                                                              : kinds;
    if (class >= SDSIM_CLASSES) {
        return theme->ground;
    }
    if (lane == SDSIM_LANE_QUEUE) {
        return sdsim_color_mix(GREEN, VERMILION, (uint8_t)(class * 25));
    }
    return of_lane[class];
}

sdsim_color sdsim_theme_ink(sdsim_color on)
{
    const uint32_t light = 299 * (on >> 16 & 0xFF) + 587 * (on >> 8 & 0xFF) + 114 * (on & 0xFF);
    return light > 140000 ? 0x000000 : 0xFFFFFF;
}

sdsim_color sdsim_theme_tone(const struct sdsim_theme *theme, enum sdsim_tone tone)
{
    static const sdsim_color tones[] = {
        [SDSIM_TONE_PLAIN] = PALE,        [SDSIM_TONE_COMMAND] = SKY,
        [SDSIM_TONE_ARGUMENT] = 0x9AD0F5, [SDSIM_TONE_RESPONSE] = PURPLE,
        [SDSIM_TONE_TOKEN] = ORANGE,      [SDSIM_TONE_DATA] = GREEN,
        [SDSIM_TONE_CRC] = GREY,          [SDSIM_TONE_STATUS] = YELLOW,
        [SDSIM_TONE_BUSY] = 0xB8860B,     [SDSIM_TONE_WRONG] = 0xE0263C,
    };
    return tone == SDSIM_TONE_PLAIN ? sdsim_color_mix(theme->line, theme->ground, 60) : tones[tone];
}

#include "usb_options.h"

#include <string.h>

#include "tools/sdsim/option_units.h"

bool sdsim_refuse_option(const char *option, const char *takes, const char *text)
{
    fprintf(stderr, "error: --%s takes %s, not '%s'\n", option, takes, text);
    return false;
}

bool sdsim_read_device(const struct sdsim_arguments *arguments, struct sdsim_usb_device *device)
{
    static const struct {
        enum sdsim_option_id id;
        bool (*take)(struct sdsim_usb_device *device, const char *text);
        const char *takes;
    } rows[] = {
        {SDSIM_OPTION_DEVICE, sdsim_usb_take_device, "ftdi or ftdi:SERIAL"},
        {SDSIM_OPTION_USB, sdsim_usb_take_ids, "numbers like 0403:6014"},
        {SDSIM_OPTION_INTERFACE, sdsim_usb_take_interface, "A or B"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = arguments->values[rows[i].id];
        if (text != NULL && !rows[i].take(device, text)) {
            return sdsim_refuse_option(sdsim_option(rows[i].id)->name, rows[i].takes, text);
        }
    }
    return true;
}

static const char takes_range[] = "sizes like 1GiB..1088MiB";

/* "1GiB..1088MiB". False after a message. */
static bool take_range(struct sdsim_write_wish *wish, const char *text)
{
    char first[64];
    const char *dots = strstr(text, "..");
    if (dots == NULL || (size_t)(dots - text) >= sizeof first) {
        return sdsim_refuse_option("range", takes_range, text);
    }
    memcpy(first, text, (size_t)(dots - text));
    first[dots - text] = '\0';
    return sdsim_text_take("--range", first, SDSIM_UNIT_SIZE, 0, SDSIM_MOST_CARD_BYTES,
                           &wish->from) &&
           sdsim_text_take("--range", dots + 2, SDSIM_UNIT_SIZE, 0, SDSIM_MOST_CARD_BYTES,
                           &wish->to) &&
           (wish->from < wish->to || sdsim_refuse_option("range", takes_range, text));
}

static bool fits_together(const struct sdsim_write_wish *wish)
{
    const bool place = wish->to > 0 || wish->scratch != NULL;
    if (wish->wanted && !place) {
        fputs("error: --write needs to know where\n"
              "help: give --range FROM..TO, or --scratch with a file on the card\n",
              stderr);
        return false;
    }
    if (wish->to > 0 && wish->scratch != NULL) {
        fputs("error: --range and --scratch are two answers to one question\n", stderr);
        return false;
    }
    if (!wish->wanted && (place || wish->serial != NULL || wish->keep)) {
        fputs("error: nothing is written without --write\n", stderr);
        return false;
    }
    return true;
}

bool sdsim_read_write_wish(const struct sdsim_arguments *arguments, struct sdsim_write_wish *wish)
{
    const char *range = arguments->values[SDSIM_OPTION_RANGE];
    wish->wanted = arguments->values[SDSIM_OPTION_WRITE] != NULL;
    wish->keep = arguments->values[SDSIM_OPTION_NO_RESTORE] != NULL;
    wish->scratch = arguments->values[SDSIM_OPTION_SCRATCH];
    wish->serial = arguments->values[SDSIM_OPTION_YES_CARD];
    wish->journal = arguments->values[SDSIM_OPTION_JOURNAL];
    if (range != NULL && !take_range(wish, range)) {
        return false;
    }
    return fits_together(wish);
}

bool sdsim_read_time(const struct sdsim_arguments *arguments, enum sdsim_probe_time *time)
{
    static const char *const words[] = {
        [SDSIM_PROBE_BUS] = "bus", [SDSIM_PROBE_HOST] = "host", [SDSIM_PROBE_BOTH] = "both"};
    const char *text = arguments->values[SDSIM_OPTION_WHOSE_TIME];
    for (int i = SDSIM_PROBE_BUS; i <= SDSIM_PROBE_BOTH && text != NULL; i++) {
        if (strcmp(text, words[i]) == 0) {
            *time = (enum sdsim_probe_time)i;
            return true;
        }
    }
    return text == NULL || sdsim_refuse_option("time", "bus, host or both", text);
}

#include "probe_options.h"

#include <string.h>

#include "core/units.h"

bool sdsim_refuse_option(const char *option, const char *takes, const char *text)
{
    fprintf(stderr, "error: --%s takes %s, not '%s'\n", option, takes, text);
    return false;
}

/* "1GiB..1088MiB". */
static bool take_range(struct sdsim_write_wish *wish, const char *text)
{
    char first[64];
    const char *dots = strstr(text, "..");
    if (dots == NULL || (size_t)(dots - text) >= sizeof first) {
        return false;
    }
    memcpy(first, text, (size_t)(dots - text));
    first[dots - text] = '\0';
    return sdsim_unit_parse(SDSIM_UNIT_SIZE, first, &wish->from) == SDSIM_UNIT_OK &&
           sdsim_unit_parse(SDSIM_UNIT_SIZE, dots + 2, &wish->to) == SDSIM_UNIT_OK &&
           wish->from < wish->to;
}

bool sdsim_take_time(enum sdsim_probe_time *time, const char *text)
{
    static const char *const words[] = {
        [SDSIM_PROBE_BUS] = "bus", [SDSIM_PROBE_HOST] = "host", [SDSIM_PROBE_BOTH] = "both"};
    for (int i = SDSIM_PROBE_BUS; i <= SDSIM_PROBE_BOTH; i++) {
        if (strcmp(text, words[i]) == 0) {
            *time = (enum sdsim_probe_time)i;
            return true;
        }
    }
    return sdsim_refuse_option("time", "bus, host or both", text);
}

bool sdsim_take_write_option(struct sdsim_write_wish *wish, int option, const char *text)
{
    switch (option) {
    case 'w':
        wish->wanted = true;
        return true;
    case 'r':
        return take_range(wish, text) ||
               sdsim_refuse_option("range", "sizes like 1GiB..1088MiB", text);
    case 's':
        wish->scratch = text;
        return true;
    case 'y':
        wish->serial = text;
        return true;
    case 'j':
        wish->journal = text;
        return true;
    case 'N':
        wish->keep = true;
        return true;
    default:
        return false;
    }
}

bool sdsim_check_write_wish(const struct sdsim_write_wish *wish)
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

/*
 * Options that probing and validating have in common: what may be written, and which times to show.
 *
 * A function that does not like what it gets says so on stderr and returns false.
 */
#ifndef SDSIM_FTDI_PROBE_OPTIONS_H
#define SDSIM_FTDI_PROBE_OPTIONS_H

#include "probe_card.h"

/* Rows of a table for getopt_long. */
#define SDSIM_WRITE_OPTIONS                                                                        \
    {"write", no_argument, NULL, 'w'}, {"range", required_argument, NULL, 'r'},                    \
        {"scratch", required_argument, NULL, 's'}, {"yes", required_argument, NULL, 'y'},          \
        {"journal", required_argument, NULL, 'j'},                                                 \
    {                                                                                              \
        "no-restore", no_argument, NULL, 'N'                                                       \
    }

/* Takes one of them, with its argument. */
bool sdsim_take_write_option(struct sdsim_write_wish *wish, int option, const char *text);

/* Whether what was given fits together. */
bool sdsim_check_write_wish(const struct sdsim_write_wish *wish);

bool sdsim_take_time(enum sdsim_probe_time *time, const char *text);

/* "--OPTION takes ..., not '...'". Returns false. */
bool sdsim_refuse_option(const char *option, const char *takes, const char *text);

#endif

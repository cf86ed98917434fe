/*
 * What was sent on the bus, command by command: the counters of a run as a list.
 */
#ifndef SDSIM_REPORT_COMMANDS_H
#define SDSIM_REPORT_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/account.h"

#define SDSIM_COMMAND_USES 128

struct sdsim_command_use {
    uint8_t index;
    bool app; /* an application command: ACMD */
    uint64_t count;
    uint64_t sectors; /* moved by all of them; 0 for commands that move none */
};

/* Fills `uses` in the order of the indices, a command before the application command of the same
 * index. Returns how many there are. */
size_t sdsim_command_uses(const struct sdsim_counters *counters,
                          struct sdsim_command_use uses[SDSIM_COMMAND_USES]);

/* Commands that read sectors, and those that write them. */
uint64_t sdsim_read_commands(const struct sdsim_counters *counters);
uint64_t sdsim_write_commands(const struct sdsim_counters *counters);

/* "CMD18", "ACMD23". Returns out. */
char *sdsim_command_name(const struct sdsim_command_use *use, char *out, size_t size);

/* "read sectors"; "" for a command nothing is to be said about. */
const char *sdsim_command_meaning(const struct sdsim_command_use *use);

#endif

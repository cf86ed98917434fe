#include "report/commands.h"

#include <stdio.h>

enum {
    READ_ONE = 17,
    READ_MANY = 18,
    WRITE_ONE = 24,
    WRITE_MANY = 25,
};

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Single-sector commands move one each; what is left, the others have moved. */
static uint64_t sectors_of(const struct sdsim_counters *counters, uint8_t index)
{
    switch (index) {
    case READ_ONE:
    case WRITE_ONE:
        return counters->commands[index];
    case READ_MANY:
        return less(counters->blocks_read, counters->commands[READ_ONE]);
    case WRITE_MANY:
        return less(counters->blocks_written, counters->commands[WRITE_ONE]);
    default:
        return 0;
    }
}

size_t sdsim_command_uses(const struct sdsim_counters *counters,
                          struct sdsim_command_use uses[SDSIM_COMMAND_USES])
{
    size_t count = 0;
    for (uint8_t index = 0; index < 64; index++) {
        const uint64_t app = counters->app_commands[index];
        const uint64_t plain = less(counters->commands[index], app);
        if (plain > 0) {
            uses[count++] = (struct sdsim_command_use){
                .index = index, .count = plain, .sectors = sectors_of(counters, index)};
        }
        if (app > 0) {
            uses[count++] = (struct sdsim_command_use){.index = index, .app = true, .count = app};
        }
    }
    return count;
}

uint64_t sdsim_read_commands(const struct sdsim_counters *counters)
{
    return counters->commands[READ_ONE] + counters->commands[READ_MANY];
}

uint64_t sdsim_write_commands(const struct sdsim_counters *counters)
{
    return counters->commands[WRITE_ONE] + counters->commands[WRITE_MANY];
}

char *sdsim_command_name(const struct sdsim_command_use *use, char *out, size_t size)
{
    snprintf(out, size, "%sCMD%u", use->app ? "A" : "", (unsigned)use->index);
    return out;
}

const char *sdsim_command_meaning(const struct sdsim_command_use *use)
{
    static const struct {
        uint8_t index;
        bool app;
        const char *meaning;
    } meanings[] = {
        {12, false, "stop"},
        {13, false, "status"},
        {READ_ONE, false, "read one sector"},
        {READ_MANY, false, "read sectors"},
        {22, true, "how many were written"},
        {23, false, "how many will follow"},
        {23, true, "how many will be written"},
        {WRITE_ONE, false, "write one sector"},
        {WRITE_MANY, false, "write sectors"},
        {38, false, "erase"},
        {55, false, "an ACMD follows"},
    };
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (meanings[i].index == use->index && meanings[i].app == use->app) {
            return meanings[i].meaning;
        }
    }
    return "";
}

/*
 * The commands there are.
 */
#include "command.h"

#include <string.h>

const struct sdsim_command *const sdsim_commands[] = {
    &sdsim_command_init,       &sdsim_command_run,      &sdsim_command_compare,
    &sdsim_command_check,      &sdsim_command_list,     &sdsim_command_calibrate,
    &sdsim_command_accuracy,   &sdsim_command_describe, &sdsim_command_mkfs,
    &sdsim_command_fsops,      &sdsim_command_layout,   &sdsim_command_explain,
    &sdsim_command_sweep,      &sdsim_command_diff,     &sdsim_command_report,
    &sdsim_command_export,     &sdsim_command_import,   &sdsim_command_replay,
    &sdsim_command_doctor,     &sdsim_command_view,     &sdsim_command_manual,
    &sdsim_command_completion,
};

const size_t sdsim_command_count = sizeof sdsim_commands / sizeof *sdsim_commands;

const struct sdsim_command *sdsim_command_find(const char *name)
{
    for (size_t i = 0; i < sdsim_command_count; i++) {
        if (strcmp(sdsim_commands[i]->name, name) == 0) {
            return sdsim_commands[i];
        }
    }
    return NULL;
}

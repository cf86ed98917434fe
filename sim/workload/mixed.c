/*
 * Accesses as a database makes them: reads and writes of records at random places, a transaction of
 * so many ending with a sync.
 */
#include "core/rng.h"
#include "workload/calls.h"

/* Whether access `index` reads: of a large number, the share that was asked for. */
static bool is_read(const struct sdsim_workload_params *params, uint64_t index)
{
    const uint64_t billion = 1000000000;
    return sdsim_hash_number(sdsim_hash_text(params->seed, "mixed"), index) % billion <
           params->reads;
}

const char *sdsim_workload_mixed(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    const sdsim_ps began = *now;
    const bool reads = is_read(task->params, index);
    const char *error = task->params->target == SDSIM_ON_RAW
                            ? sdsim_workload_raw_access(task, now, index, reads)
                            : sdsim_workload_file_access(task, now, index, reads);
    struct sdsim_mixed_result *mixed = &task->result->mixed;
    const sdsim_ps took = *now - began;
    if (reads) {
        mixed->reads++;
        mixed->in_reads += took;
        mixed->longest_read = took > mixed->longest_read ? took : mixed->longest_read;
    } else {
        mixed->writes++;
        mixed->in_writes += took;
        mixed->longest_write = took > mixed->longest_write ? took : mixed->longest_write;
    }
    return error;
}

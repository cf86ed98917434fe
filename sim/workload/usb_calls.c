/*
 * Calls of a workload that come from a PC, through USB (workload/usb_storage.h).
 */
#include "workload/calls.h"

static const char *driver_failed(enum sdsim_driver_error error)
{
    switch (error) {
    case SDSIM_DRIVER_OK:
        return NULL;
    case SDSIM_DRIVER_OUT_OF_RANGE:
        return "the workload runs beyond the end of the card";
    default:
        return "the driver gave up";
    }
}

const char *sdsim_workload_usb(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    const struct sdsim_workload_params *params = task->params;
    const uint32_t count = (uint32_t)(params->call / SDSIM_SECTOR);
    const uint64_t lba = sdsim_position(&task->positions, index) / SDSIM_SECTOR;
    const bool reads = sdsim_workload_reads((enum sdsim_action)params->action);
    const sdsim_ps start = *now;
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED,
                                          .seed = SDSIM_WORKLOAD_SEED,
                                          .offset = index * params->call};
    const struct sdsim_detail detail = {.kind = SDSIM_DETAIL_SECTORS, .place = lba, .size = count};
    if (lba > UINT32_MAX - count) {
        return driver_failed(SDSIM_DRIVER_OUT_OF_RANGE);
    }
    const enum sdsim_driver_error error = sdsim_usb_request(
        &task->usb, now, (uint32_t)lba, count, SDSIM_FOR_DATA, reads ? NULL : &content);
    sdsim_record_call(task->card_meter, SDSIM_LANE_TASK, reads ? SDSIM_CALL_READ : SDSIM_CALL_WRITE,
                      SDSIM_FOR_DATA, start, *now, &detail);
    task->result->bytes += error == SDSIM_DRIVER_OK ? params->call : 0;
    return driver_failed(error);
}

const char *sdsim_workload_usb_mount(struct sdsim_workload_task *task, sdsim_ps *now,
                                     uint64_t index)
{
    (void)index;
    const enum sdsim_pc pc = (enum sdsim_pc)task->params->usb.pc;
    const struct sdsim_geometry *geometry = &task->volume->geometry;
    const struct sdsim_detail detail = {.kind = SDSIM_DETAIL_NONE};
    const sdsim_ps start = *now;
    const enum sdsim_driver_error error = sdsim_pc_mount(&task->usb, now, pc, geometry);
    task->result->mounted = sdsim_pc_mount_plan(pc, geometry);
    task->result->volume = *geometry;
    sdsim_record_call(task->card_meter, SDSIM_LANE_TASK, SDSIM_CALL_MOUNT, SDSIM_FOR_DATA, start,
                      *now, &detail);
    return driver_failed(error);
}

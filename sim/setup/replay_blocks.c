#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fat/blocks.h"
#include "setup/replay_parts.h"

/* What is written; the medium forgets it at once. */
static const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 0};

enum { BATCH = 256 };

static enum sdsim_purpose purpose_of(uint16_t label)
{
    static const enum sdsim_purpose purposes[] = {
        SDSIM_FOR_DATA,      SDSIM_FOR_DATA,   SDSIM_FOR_FAT,    SDSIM_FOR_FAT,
        SDSIM_FOR_DIRECTORY, SDSIM_FOR_FSINFO, SDSIM_FOR_BITMAP, SDSIM_FOR_BOOT,
    };
    return label < sizeof purposes / sizeof purposes[0] ? purposes[label] : SDSIM_FOR_DATA;
}

static enum sdsim_driver_error execute(struct sdsim_driver *driver, sdsim_ps *now,
                                       const struct sdsim_block_record *record)
{
    const enum sdsim_purpose purpose = purpose_of(record->label);
    switch (record->kind) {
    case SDSIM_TRACE_READ:
        return sdsim_driver_read(driver, now, record->lba, record->count, purpose, NULL);
    case SDSIM_TRACE_WRITE:
        return sdsim_driver_write(driver, now, record->lba, record->count, purpose, &content);
    case SDSIM_TRACE_SYNC:
        return sdsim_driver_sync(driver, now);
    case SDSIM_TRACE_STATUS:
        return sdsim_driver_status(driver, now);
    default:
        return SDSIM_DRIVER_OK; /* trims and erases: counted, not simulated */
    }
}

/* Notes the first call that failed, in words. */
static void note_failure(struct sdsim_replayer *replayer, const struct sdsim_block_record *record,
                         enum sdsim_driver_error error)
{
    struct sdsim_replay_result *result = replayer->result;
    const struct sdsim_driver *driver = replayer->stage->driver;
    if (result->first_failure[0] != '\0') {
        return;
    }
    if (error == SDSIM_DRIVER_OUT_OF_RANGE) {
        snprintf(result->first_failure, sizeof result->first_failure,
                 "call %" PRIu64 ": sectors %" PRIu32 " to %" PRIu64 " of a card of %" PRIu32
                 " sectors",
                 result->calls + 1, record->lba, (uint64_t)record->lba + record->count - 1,
                 driver->sectors);
        return;
    }
    const int used = snprintf(result->first_failure, sizeof result->first_failure,
                              "call %" PRIu64 ": ", result->calls + 1);
    sdsim_driver_explain_fault(driver, result->first_failure + used,
                               sizeof result->first_failure - (size_t)used);
}

/* All repetitions of a record; NULL or why to stop. */
static const char *replay_record(struct sdsim_replayer *replayer, sdsim_ps *now,
                                 const struct sdsim_block_record *record)
{
    struct sdsim_replay_result *result = replayer->result;
    const uint64_t bytes = (uint64_t)record->count * SDSIM_SECTOR;
    struct sdsim_recorded recorded = {
        .has_start = (record->flags & SDSIM_TRACE_HAS_START) != 0,
        .has_duration = (record->flags & SDSIM_TRACE_HAS_DURATION) != 0,
        .start = record->start,
        .duration = record->duration,
    };
    for (uint32_t k = 0; k < record->repeat; k++) {
        sdsim_replay_wait(replayer, now, &recorded);
        const sdsim_ps start = *now;
        const enum sdsim_driver_error error = execute(replayer->stage->driver, now, record);
        struct sdsim_replay_row row = {.block = record, .failed = error != SDSIM_DRIVER_OK};
        if (replayer->listener != NULL) {
            row.label = sdsim_trace_label_text(replayer->trace->info, record->label);
        }
        if (row.failed) {
            note_failure(replayer, record, error);
        }
        result->bytes_read += record->kind == SDSIM_TRACE_READ && !row.failed ? bytes : 0;
        result->bytes_written += record->kind == SDSIM_TRACE_WRITE && !row.failed ? bytes : 0;
        result->not_simulated +=
            record->kind == SDSIM_TRACE_TRIM || record->kind == SDSIM_TRACE_ERASE;
        if (!sdsim_replay_note(replayer, record->kind,
                               sdsim_trace_kind_name((enum sdsim_trace_kind)record->kind), bytes,
                               &recorded, &row, start, *now)) {
            return "out of memory";
        }
        if (*now > SDSIM_RUN_LIMIT) {
            return "it takes more than 200 days of virtual time";
        }
        sdsim_recorded_next(&recorded);
    }
    return NULL;
}

const char *sdsim_replay_blocks(void *context, const struct sdsim_stage *stage, sdsim_ps *now)
{
    struct sdsim_replayer *replayer = context;
    struct sdsim_block_source *source = replayer->trace->blocks;
    struct sdsim_block_record records[BATCH];
    const char *error = NULL;
    sdsim_replay_begin(replayer, stage);
    while (error == NULL) {
        const size_t count = source->next(source, records, BATCH);
        if (count == 0) {
            break;
        }
        for (size_t i = 0; i < count && error == NULL; i++) {
            if (records[i].kind != SDSIM_TRACE_MARK) {
                error = replay_record(replayer, now, &records[i]);
            }
        }
    }
    sdsim_replay_end(replayer);
    return error;
}

#include "setup/held.h"

#include <stdlib.h>

#include "fat/file.h"
#include "fat/medium_disk.h"

/* A disk that tells the card which sectors are read from it. */
struct watch {
    struct sdsim_disk medium;
    struct sdsim_card *card;
};

static enum sdsim_disk_error watched_read(void *context, sdsim_ps *now, uint32_t lba,
                                          uint32_t count, enum sdsim_purpose purpose, void *out)
{
    const struct watch *watch = context;
    if (purpose != SDSIM_FOR_BOOT) { /* its FAT and entry were written along with it */
        sdsim_card_hold(watch->card, lba, count);
    }
    return watch->medium.ops->read(watch->medium.context, now, lba, count, purpose, out);
}

static enum sdsim_disk_error refused_write(void *context, sdsim_ps *now, uint32_t lba,
                                           uint32_t count, enum sdsim_purpose purpose,
                                           const struct sdsim_content *content)
{
    (void)context, (void)now, (void)lba, (void)count, (void)purpose, (void)content;
    return SDSIM_DISK_IO;
}

static const struct sdsim_disk_ops watch_ops = {.read = watched_read, .write = refused_write};

static bool matters(const struct sdsim_setup *setup)
{
    const struct sdsim_flash_params *flash = &setup->card.flash;
    const enum sdsim_action action = (enum sdsim_action)setup->run.workload.action;
    return flash->rd_folded > 0 && flash->cache_bytes > 0 &&
           setup->run.workload.target == SDSIM_ON_FILE &&
           (action == SDSIM_DO_READ || action == SDSIM_DO_SEEK || action == SDSIM_DO_APPEND) &&
           setup->run.filesystem.preparation.writer == SDSIM_WRITER_MCU;
}

/* Reads the last `most` bytes of the file. Whatever fails, the run itself will say so. */
static void read_end(struct sdsim_volume *volume, uint64_t most)
{
    const uint64_t call = 65536;
    struct sdsim_file file;
    sdsim_ps no_time = 0;
    uint64_t done = 0;
    if (sdsim_file_open(&file, volume, &no_time, SDSIM_WORKLOAD_FILE, SDSIM_OPEN_READ) !=
        SDSIM_FAT_OK) {
        return;
    }
    enum sdsim_fat_result result = SDSIM_FAT_OK;
    if (file.object.size > most) {
        const uint64_t skipped = (file.object.size - most) / call * call;
        result = sdsim_file_seek(&file, &no_time, skipped);
    }
    do {
        if (result == SDSIM_FAT_OK) {
            result = sdsim_file_read(&file, &no_time, call, NULL, &done);
        }
    } while (result == SDSIM_FAT_OK && done == call);
    (void)sdsim_file_close(&file, &no_time);
}

void sdsim_setup_hold(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                      struct sdsim_card *card)
{
    if (!matters(setup)) {
        return;
    }
    struct watch watch = {.medium = sdsim_medium_disk(medium), .card = card};
    const struct sdsim_disk disk = {
        .ops = &watch_ops, .context = &watch, .sectors = watch.medium.sectors};
    struct sdsim_volume_config config =
        sdsim_stream_volume_config((enum sdsim_file_api)setup->run.file.api);
    config.exfat = true; /* as whoever wrote the file */
    sdsim_ps no_time = 0;
    struct sdsim_volume *volume = calloc(1, sizeof *volume);
    if (volume != NULL && sdsim_volume_mount(volume, &disk, &config, &no_time) == SDSIM_FAT_OK) {
        read_end(volume, setup->card.flash.cache_bytes);
    }
    free(volume);
}

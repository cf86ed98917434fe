#include "fat/volume_state.h"

static void digest_sector(const struct sdsim_sector *sector, struct sdsim_digest *digest)
{
    sdsim_digest_add(digest, (uint64_t)sector->lba << 1 | (uint64_t)sector->dirty);
    sdsim_digest_add(digest, (uint64_t)sector->purpose);
    sdsim_lazy_bytes_digest(&sector->lazy, digest);
    if (sector->lba != SDSIM_NO_SECTOR) {
        sdsim_digest_bytes(digest, sector->bytes, sizeof sector->bytes);
    }
}

void sdsim_volume_digest(const struct sdsim_volume *volume, struct sdsim_digest *digest)
{
    sdsim_digest_add(digest, (uint64_t)volume->hint << 32 | volume->free_clusters);
    sdsim_digest_add(digest, (uint64_t)volume->mount << 2 | (uint64_t)volume->changed << 1 |
                                 (uint64_t)volume->keeps_summary);
    sdsim_digest_add(digest, volume->root_bytes);
    digest_sector(&volume->window, digest);
    if (volume->has_second) {
        digest_sector(&volume->second, digest);
    }
}

static void digest_object(const struct sdsim_object *object, struct sdsim_digest *digest)
{
    sdsim_digest_add(digest, (uint64_t)object->start << 32 | (uint64_t)object->state);
    sdsim_digest_add(digest, object->size);
    sdsim_digest_add(digest, (uint64_t)object->first_run << 32 | object->last_run);
}

void sdsim_file_digest(const struct sdsim_file *file, struct sdsim_digest *digest)
{
    sdsim_digest_add(digest, (uint64_t)file->error << 32 | file->mount);
    sdsim_digest_add(digest, (uint64_t)file->readable << 4 | (uint64_t)file->writable << 3 |
                                 (uint64_t)file->modified << 2 |
                                 (uint64_t)file->seeks_each_write << 1 |
                                 (uint64_t)file->preallocated);
    digest_object(&file->object, digest);
    sdsim_digest_add(digest, file->position);
    sdsim_digest_add(digest, (uint64_t)file->cluster << 32 | file->entry_lba);
    sdsim_digest_add(digest, (uint64_t)file->entry_offset << 32 | file->home.offset);
    digest_object(&file->home.directory, digest);
    sdsim_digest_add(digest, (uint64_t)file->place.cluster << 32 | file->place.offset);
    sdsim_digest_add(digest, (uint64_t)file->place.slots << 16 |
                                 (uint64_t)file->place.contiguous << 8 | file->attributes);
    sdsim_digest_add(digest, file->stamp);
    sdsim_digest_add(digest, file->valid_size);
    digest_sector(&file->buffer, digest);
}

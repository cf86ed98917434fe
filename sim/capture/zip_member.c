#include "capture/zip_member.h"

#include <stdlib.h>

#ifdef SDSIM_HAVE_DEFLATE

#include <libdeflate.h>

struct sdsim_zip_unpacker {
    zip_t *zip; /* not owned */
    struct libdeflate_decompressor *inflate;
    unsigned char *packed;
    size_t room; /* in `packed` */
};

struct sdsim_zip_unpacker *sdsim_zip_unpacker_new(zip_t *zip)
{
    struct sdsim_zip_unpacker *unpacker = calloc(1, sizeof *unpacker);
    if (unpacker == NULL) {
        return NULL;
    }
    unpacker->zip = zip;
    unpacker->inflate = libdeflate_alloc_decompressor();
    if (unpacker->inflate == NULL) {
        free(unpacker);
        return NULL;
    }
    return unpacker;
}

void sdsim_zip_unpacker_free(struct sdsim_zip_unpacker *unpacker)
{
    if (unpacker != NULL) {
        libdeflate_free_decompressor(unpacker->inflate);
        free(unpacker->packed);
        free(unpacker);
    }
}

/* What the directory says of a member; false if it does not fit, or can't be true. */
static bool look_up(const struct sdsim_zip_unpacker *unpacker, uint64_t index, zip_stat_t *info)
{
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD |
                                ZIP_STAT_CRC | ZIP_STAT_ENCRYPTION_METHOD;
    return zip_stat_index(unpacker->zip, index, 0, info) == 0 && (info->valid & needed) == needed &&
           info->comp_method == ZIP_CM_DEFLATE && info->encryption_method == ZIP_EM_NONE &&
           info->size <= SDSIM_ZIP_WHOLE_MOST && info->comp_size <= SDSIM_ZIP_WHOLE_MOST;
}

size_t sdsim_zip_whole_size(const struct sdsim_zip_unpacker *unpacker, uint64_t index)
{
    zip_stat_t info;
    return unpacker != NULL && look_up(unpacker, index, &info) ? (size_t)info.size : 0;
}

static bool make_room(struct sdsim_zip_unpacker *unpacker, size_t size)
{
    if (size > unpacker->room) {
        free(unpacker->packed);
        unpacker->packed = malloc(size);
        unpacker->room = unpacker->packed != NULL ? size : 0;
    }
    return unpacker->room >= size;
}

static bool read_packed(struct sdsim_zip_unpacker *unpacker, uint64_t index, size_t size)
{
    zip_file_t *member = zip_fopen_index(unpacker->zip, index, ZIP_FL_COMPRESSED);
    if (member == NULL) {
        return false;
    }
    const zip_int64_t got = zip_fread(member, unpacker->packed, size);
    zip_fclose(member);
    return got >= 0 && (size_t)got == size;
}

bool sdsim_zip_whole(struct sdsim_zip_unpacker *unpacker, uint64_t index, void *out, size_t size)
{
    zip_stat_t info;
    size_t made = 0;
    return look_up(unpacker, index, &info) && info.size == size &&
           make_room(unpacker, (size_t)info.comp_size) &&
           read_packed(unpacker, index, (size_t)info.comp_size) &&
           libdeflate_deflate_decompress(unpacker->inflate, unpacker->packed,
                                         (size_t)info.comp_size, out, size,
                                         &made) == LIBDEFLATE_SUCCESS &&
           made == size && libdeflate_crc32(0, out, size) == info.crc;
}

#else

struct sdsim_zip_unpacker *sdsim_zip_unpacker_new(zip_t *zip)
{
    (void)zip;
    return NULL;
}

void sdsim_zip_unpacker_free(struct sdsim_zip_unpacker *unpacker)
{
    (void)unpacker;
}

size_t sdsim_zip_whole_size(const struct sdsim_zip_unpacker *unpacker, uint64_t index)
{
    (void)unpacker;
    (void)index;
    return 0;
}

bool sdsim_zip_whole(struct sdsim_zip_unpacker *unpacker, uint64_t index, void *out, size_t size)
{
    (void)unpacker;
    (void)index;
    (void)out;
    (void)size;
    return false;
}

#endif

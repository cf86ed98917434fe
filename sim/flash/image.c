/* SEEK_HOLE is in Linux, BSD and macOS, but not in POSIX.1-2008. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "flash/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flash/medium.h"

struct sdsim_image {
    atomic_size_t references; /* copies of a medium may be used by different threads */
    atomic_bool failed;
    int file;
    uint64_t size; /* bytes */
};

/* Size in bytes of a regular file or a block device; 0 with a message otherwise. */
static uint64_t size_of(int file, const char *path, struct sdsim_diags *diags)
{
    struct stat status;
    if (fstat(file, &status) != 0) {
        sdsim_error(diags, path, "can't be examined: %s", strerror(errno));
        return 0;
    }
    if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) {
        sdsim_error(diags, path, "is neither a regular file nor a block device");
        return 0;
    }
    const off_t size = lseek(file, 0, SEEK_END);
    if (size < 0) {
        sdsim_error(diags, path, "its size can't be found out: %s", strerror(errno));
        return 0;
    }
    if (size == 0) {
        sdsim_error(diags, path, "is empty");
    }
    return (uint64_t)size;
}

struct sdsim_image *sdsim_image_open(const char *path, struct sdsim_diags *diags)
{
    /* O_NONBLOCK so that a FIFO is refused instead of waited for. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        sdsim_error(diags, path, "can't be opened: %s", strerror(errno));
        return NULL;
    }
    const uint64_t size = size_of(file, path, diags);
    if (size == 0) {
        close(file);
        return NULL;
    }
    struct sdsim_image *const image = malloc(sizeof(*image));
    if (image == NULL) {
        sdsim_error(diags, path, "no memory for the image");
        close(file);
        return NULL;
    }
    atomic_init(&image->references, 1);
    atomic_init(&image->failed, false);
    image->file = file;
    image->size = size;
    return image;
}

struct sdsim_image *sdsim_image_share(struct sdsim_image *image)
{
    atomic_fetch_add(&image->references, 1);
    return image;
}

void sdsim_image_release(struct sdsim_image *image)
{
    if (atomic_fetch_sub(&image->references, 1) == 1) {
        close(image->file);
        free(image);
    }
}

uint64_t sdsim_image_sectors(const struct sdsim_image *image)
{
    return (image->size + SDSIM_SECTOR - 1) / SDSIM_SECTOR;
}

void sdsim_image_read(struct sdsim_image *image, uint64_t sector, uint32_t count, uint8_t erased,
                      void *out)
{
    uint8_t *const bytes = out;
    const size_t wanted = (size_t)count * SDSIM_SECTOR;
    const uint64_t start = sector * SDSIM_SECTOR;
    const uint64_t left = image->size - start;
    const size_t stored = left < wanted ? (size_t)left : wanted;
    size_t done = 0;
    while (done < stored) {
        const ssize_t n = pread(image->file, bytes + done, stored - done, (off_t)(start + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) { /* an error, or somebody has made the file shorter */
            atomic_store(&image->failed, true);
            done -= done % SDSIM_SECTOR;
            memset(bytes + done, erased, wanted - done);
            return;
        }
        done += (size_t)n;
    }
    memset(bytes + stored, 0, wanted - stored);
}

bool sdsim_image_failed(const struct sdsim_image *image)
{
    return atomic_load(&image->failed);
}

bool sdsim_image_hole(const struct sdsim_image *image, uint64_t *from, uint64_t *to)
{
#if defined(SEEK_HOLE) && defined(SEEK_DATA)
    uint64_t position = *from * SDSIM_SECTOR;
    while (position < image->size) {
        const off_t hole = lseek(image->file, (off_t)position, SEEK_HOLE);
        if (hole < 0 || (uint64_t)hole >= image->size) {
            return false; /* every file ends with a hole, which is none of its sectors */
        }
        const off_t data = lseek(image->file, hole, SEEK_DATA);
        if (data < 0 && errno != ENXIO) {
            return false;
        }
        const bool last = data < 0;
        *from = ((uint64_t)hole + SDSIM_SECTOR - 1) / SDSIM_SECTOR;
        *to = last ? sdsim_image_sectors(image) : (uint64_t)data / SDSIM_SECTOR;
        if (*from < *to) {
            return true;
        }
        position = last ? image->size : (uint64_t)data;
    }
#else
    (void)image;
    (void)from;
    (void)to;
#endif
    return false;
}

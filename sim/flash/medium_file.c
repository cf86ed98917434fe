/*
 * Image files: laying one over a medium, and writing a medium into one.
 *
 * A file being written has no name where the system can do that (Linux, O_TMPFILE), so a program
 * that is killed leaves nothing behind; elsewhere it has a name of its own beside the final one.
 */
/* O_TMPFILE is Linux's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flash/medium.h"
#include "flash/medium_state.h"

/* What is written at a time, and the smallest run of zeros that becomes a hole: a page of most file
 * systems. */
#define SAVE_SECTORS 128u
#define HOLE_BYTES   4096u

/* Adds an image to the medium's list, as the last; false without memory. */
static bool add_image(struct sdsim_medium *medium, struct sdsim_image *image)
{
    struct sdsim_image **const grown =
        realloc(medium->images, ((size_t)medium->image_count + 1) * sizeof(*grown));
    if (grown == NULL) {
        return false;
    }
    medium->images = grown;
    medium->images[medium->image_count++] = image;
    return true;
}

/* Replaces the holes of an image by zeros, which need no file. Not doing so, for lack of memory,
 * would be as good, since a hole reads as zeros. */
static void lay_holes(struct sdsim_medium *medium, uint32_t lba, const struct sdsim_image *image)
{
    uint64_t from = 0;
    uint64_t to;
    while (sdsim_image_hole(image, &from, &to)) {
        const struct sdsim_extent zeros = {.lba = lba + (uint32_t)from,
                                           .count = (uint32_t)(to - from),
                                           .kind = SDSIM_EXTENT_FILL,
                                           .detail = 0};
        const bool done = medium->erased == 0 ? sdsim_medium_erase(medium, zeros.lba, zeros.count)
                                              : sdsim_medium_lay(medium, &zeros);
        if (!done) {
            return;
        }
        from = to;
    }
}

bool sdsim_medium_load(struct sdsim_medium *medium, uint32_t lba, const char *path,
                       struct sdsim_diags *diags)
{
    struct sdsim_image *const image = sdsim_image_open(path, diags);
    if (image == NULL) {
        return false;
    }
    const uint64_t sectors = sdsim_image_sectors(image);
    if (lba > medium->sectors || sectors > medium->sectors - lba) {
        sdsim_error(diags, path,
                    "does not fit: the image has %llu sectors, the card %lu, and the image is to "
                    "start at sector %lu",
                    (unsigned long long)sectors, (unsigned long)medium->sectors,
                    (unsigned long)lba);
        sdsim_image_release(image);
        return false;
    }
    if (!add_image(medium, image)) {
        sdsim_error(diags, path, "no memory for the image");
        sdsim_image_release(image);
        return false;
    }
    const struct sdsim_extent extent = {.lba = lba,
                                        .count = (uint32_t)sectors,
                                        .kind = SDSIM_EXTENT_IMAGE,
                                        .image = medium->image_count - 1};
    if (!sdsim_medium_lay(medium, &extent)) {
        sdsim_error(diags, path, "no memory for the image");
        medium->image_count--;
        sdsim_image_release(image);
        return false;
    }
    lay_holes(medium, lba, image);
    return true;
}

static bool write_at(int file, const uint8_t *bytes, size_t size, uint64_t position)
{
    while (size > 0) {
        const ssize_t n = pwrite(file, bytes, size, (off_t)position);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        bytes += n;
        size -= (size_t)n;
        position += (uint64_t)n;
    }
    return true;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Writes what is not zero, in pieces of HOLE_BYTES. */
static bool write_sparse(int file, const uint8_t *bytes, size_t size, uint64_t position)
{
    size_t from = 0; /* start of the run of pieces that are to be written */
    for (size_t at = 0; at < size; at += HOLE_BYTES) {
        const size_t piece = size - at < HOLE_BYTES ? size - at : HOLE_BYTES;
        if (all_zero(bytes + at, piece)) {
            if (!write_at(file, bytes + from, at - from, position + from)) {
                return false;
            }
            from = at + piece;
        }
    }
    return write_at(file, bytes + from, size - from, position + from);
}

/* Writes the whole medium to a new, empty file. */
static bool write_all(const struct sdsim_medium *medium, int file, uint8_t *buffer)
{
    if (ftruncate(file, (off_t)((uint64_t)medium->sectors * SDSIM_SECTOR)) != 0) {
        return false;
    }
    const struct sdsim_extent *extent;
    for (struct sdsim_spot spot = {0}; (extent = sdsim_extents_at(&medium->map, spot)) != NULL;
         spot = sdsim_extents_next(&medium->map, spot)) {
        if (extent->kind == SDSIM_EXTENT_FILL && extent->detail == 0) {
            continue;
        }
        for (uint32_t done = 0; done < extent->count;) {
            const uint32_t left = extent->count - done;
            const uint32_t part = left < SAVE_SECTORS ? left : SAVE_SECTORS;
            const uint32_t lba = extent->lba + done;
            sdsim_medium_read(medium, lba, part, buffer);
            if (!write_sparse(file, buffer, (size_t)part * SDSIM_SECTOR,
                              (uint64_t)lba * SDSIM_SECTOR)) {
                return false;
            }
            done += part;
        }
    }
    return true;
}

#define ATTEMPTS 100u /* names that are tried: path.part0, path.part1, ... */

/* A file being written. */
struct draft {
    int file;
    bool named;    /* `name` is its name already */
    char *name;    /* beside the final one, so in the same file system */
    size_t size;   /* of `name` */
    char link[40]; /* how the file is found while it has no name */
};

static void make_name(const struct draft *draft, const char *path, unsigned attempt)
{
    snprintf(draft->name, draft->size, "%s.part%u", path, attempt);
}

/* Opens a file without a name in the folder of `path`; false if that can't be done here. */
static bool open_nameless(struct draft *draft, const char *path)
{
#ifdef O_TMPFILE
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(draft->name, draft->size, "%.*s", length, path);
    draft->file = open(length > 0 ? draft->name : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (draft->file < 0) {
        return false;
    }
    snprintf(draft->link, sizeof draft->link, "/proc/self/fd/%d", draft->file);
    if (access(draft->link, F_OK) == 0) {
        return true;
    }
    draft->link[0] = '\0'; /* no /proc: it could not be named later */
    close(draft->file);
#else
    (void)draft;
    (void)path;
#endif
    return false;
}

/* Creates the file, or gives it its first name, under one that is not taken. */
static bool take_name(struct draft *draft, const char *path)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        make_name(draft, path, attempt);
        if (draft->link[0] != '\0') {
            draft->named =
                linkat(AT_FDCWD, draft->link, AT_FDCWD, draft->name, AT_SYMLINK_FOLLOW) == 0;
        } else {
            draft->file = open(draft->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            draft->named = draft->file >= 0;
        }
        if (draft->named || errno != EEXIST) {
            return draft->named;
        }
    }
    return false;
}

/* Writes the file and gives it the name `path`. */
static bool save_as(const struct sdsim_medium *medium, struct draft *draft, const char *path,
                    struct sdsim_diags *diags)
{
    uint8_t *const buffer = malloc((size_t)SAVE_SECTORS * SDSIM_SECTOR);
    if (buffer == NULL) {
        close(draft->file);
        sdsim_error(diags, path, "no memory to write the image");
        return false;
    }
    bool done = write_all(medium, draft->file, buffer) &&
                (draft->named || sdsim_medium_failed(medium) || take_name(draft, path));
    int reason = errno;
    free(buffer);
    if (close(draft->file) != 0 && done) {
        done = false;
        reason = errno;
    }
    if (done && sdsim_medium_failed(medium)) {
        sdsim_error(diags, path, "not written: a part of the image under the card can't be read");
        return false;
    }
    if (done && rename(draft->name, path) != 0) {
        done = false;
        reason = errno;
    }
    if (!done) {
        sdsim_error(diags, path, "can't be written: %s", strerror(reason));
    }
    return done;
}

bool sdsim_medium_save(const struct sdsim_medium *medium, const char *path,
                       struct sdsim_diags *diags)
{
    struct draft draft = {.size = strlen(path) + sizeof(".part99")};
    draft.name = malloc(draft.size);
    if (draft.name == NULL) {
        sdsim_error(diags, path, "no memory to write the image");
        return false;
    }
    bool done = false;
    if (!open_nameless(&draft, path) && !take_name(&draft, path)) {
        sdsim_error(diags, path, "can't be created: %s", strerror(errno));
    } else {
        done = save_as(medium, &draft, path, diags);
        if (!done && draft.named) {
            unlink(draft.name);
        }
    }
    free(draft.name);
    return done;
}

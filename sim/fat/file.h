/*
 * Open files: read, write, seek and the rest of what a library does with a file.
 *
 * Whole sectors go straight between the caller and the disk, in calls that end at cluster borders;
 * parts of sectors go through a buffer. How, and in which order with all the rest, is the library's
 * affair: fat/fatfs.h, fat/sdfat.h, fat/classic.h. The calls here hand on to it.
 *
 * What is written is struct sdsim_content: generated content passes through without becoming bytes
 * wherever it fills whole sectors. What is read goes to memory, or nowhere (NULL).
 *
 * Several open files may share a volume. Limits: two handles that write one file, or an unlink of
 * an open file, are not watched for.
 */
#ifndef SDSIM_FAT_FILE_H
#define SDSIM_FAT_FILE_H

#include "fat/chain.h"
#include "fat/dir.h"
#include "fat/sector.h"
#include "fat/volume.h"

/* The modes of the text form of traces. */
enum sdsim_open_mode {
    SDSIM_OPEN_READ,          /* r: must exist */
    SDSIM_OPEN_WRITE,         /* w: create or cut to zero, write only */
    SDSIM_OPEN_WRITE_READ,    /* w+: the same, read and write */
    SDSIM_OPEN_UPDATE,        /* r+: must exist, read and write */
    SDSIM_OPEN_UPDATE_CREATE, /* rw: open or create, read and write */
    SDSIM_OPEN_APPEND,        /* a: open or create; FatFs: the volume's config `append` says when it
                                 seeks; SdFat: before each write; classic: at open and then */
    SDSIM_OPEN_APPEND_END,    /* A: open positions at the end: FA_OPEN_APPEND, O_AT_END */
};

/* One run of a fast-seek table: `count` adjacent clusters from `first`. */
struct sdsim_link {
    uint32_t count;
    uint32_t first;
};

/*
 * Where the directory entry of a file lies, as SdFat remembers it. FAT: cluster is the first of the
 * directory (0: a root), offset that of the short slot in the directory. exFAT: both are those of
 * the first slot.
 */
struct sdsim_entry_place {
    uint32_t cluster;
    uint32_t offset; /* bytes */
    uint8_t slots;   /* FAT: with parts of the long name; exFAT: behind the first */
    bool contiguous; /* exFAT: the directory is */
};

struct sdsim_file {
    struct sdsim_volume *volume; /* NULL: not open */
    uint32_t mount;              /* of the volume, when it was opened */
    enum sdsim_fat_result error; /* sticky */
    bool readable;
    bool writable;
    bool modified;         /* the directory entry has to be written */
    bool seeks_each_write; /* O_APPEND of the ESP-IDF VFS, and of SdFat */
    struct sdsim_object object;
    uint64_t position;
    uint32_t cluster;   /* that position - 1 lies in */
    uint32_t entry_lba; /* FAT: where the directory entry is */
    uint32_t entry_offset;
    struct sdsim_home home;         /* exFAT: the same, FatFs */
    struct sdsim_entry_place place; /* SdFat */
    uint8_t attributes;             /* SdFat, classic: of the entry; they stay in memory */
    uint32_t stamp;                 /* SdFat, classic: when it was modified, as its entry said */
    bool preallocated;              /* SdFat on FAT: its clusters were reserved, no seek since */
    uint64_t valid_size;            /* SdFat on exFAT: bytes from here on count as zeros */
    struct sdsim_link *links;       /* fast-seek table, owned; NULL: none */
    uint32_t link_count;
    struct sdsim_sector buffer; /* its lba is the current sector; tiny builds use only that */
};

/*
 * Opens `path` (absolute, UTF-8) on a mounted volume. Fast-seek volumes of FatFs allocate the link
 * table here (SDSIM_FAT_NO_MEMORY). On any error the file is not open. *file needs no preparation;
 * an open file must not be opened again before it is closed, or its link table leaks.
 */
enum sdsim_fat_result sdsim_file_open(struct sdsim_file *file, struct sdsim_volume *volume,
                                      sdsim_ps *now, const char *path, enum sdsim_open_mode mode);

/*
 * Reads up to `bytes` from the position on; *done is how many there were. `out` may be NULL.
 */
enum sdsim_fat_result sdsim_file_read(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes,
                                      void *out, uint64_t *done);

/*
 * Writes `bytes` of content at the position. SDSIM_FAT_OK with *done < bytes when the volume is
 * full or the file reaches 4 GiB - 1 on a FAT volume. SdFat and the classic library give 0 then,
 * and what the call wrote before it found out doesn't count: the position is behind it, the size
 * isn't.
 */
enum sdsim_fat_result sdsim_file_write(struct sdsim_file *file, sdsim_ps *now,
                                       const struct sdsim_content *content, uint64_t bytes,
                                       uint64_t *done);

/* Moves the position. Beyond the end, a writable file of FatFs grows (as far as there is room), any
 * other is clipped to its size; file->position tells where it ended. SdFat and the classic library
 * refuse (SDSIM_FAT_INVALID_ARGUMENT). */
enum sdsim_fat_result sdsim_file_seek(struct sdsim_file *file, sdsim_ps *now, uint64_t position);

/* Writes what is buffered, and the directory entry if the file was modified. */
enum sdsim_fat_result sdsim_file_sync(struct sdsim_file *file, sdsim_ps *now);

/* Sync, then the file is not open any more; on error it stays open with FatFs, unless its volume is
 * gone. */
enum sdsim_fat_result sdsim_file_close(struct sdsim_file *file, sdsim_ps *now);

/* Cuts the file at its position. */
enum sdsim_fat_result sdsim_file_truncate(struct sdsim_file *file, sdsim_ps *now);

/* Allocates `bytes` in one contiguous run to an empty writable file, which gets that size.
 * SDSIM_FAT_DENIED if there is no such run. */
enum sdsim_fat_result sdsim_file_expand(struct sdsim_file *file, sdsim_ps *now, uint64_t bytes);

/* Forgets the file without any I/O (power loss, volume gone) and frees its link table. */
void sdsim_file_drop(struct sdsim_file *file);

/* Largest size of a file: 4 GiB - 1 on FAT volumes. */
uint64_t sdsim_file_size_max(const struct sdsim_volume *volume);

#endif

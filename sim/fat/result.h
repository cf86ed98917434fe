/*
 * What a file-system call can answer: the result codes of FatFs, with FatFs's numbers, because
 * traces carry them ("rc=4").
 */
#ifndef SDSIM_FAT_RESULT_H
#define SDSIM_FAT_RESULT_H

enum sdsim_fat_result {
    SDSIM_FAT_OK = 0,
    SDSIM_FAT_DISK_ERROR = 1,     /* the storage below failed */
    SDSIM_FAT_CORRUPT = 2,        /* the structures on the volume contradict themselves (INT_ERR) */
    SDSIM_FAT_NOT_READY = 3,      /* disk_status says the storage is gone */
    SDSIM_FAT_NO_FILE = 4,        /* the last part of the path does not exist */
    SDSIM_FAT_NO_PATH = 5,        /* an earlier part of the path does not exist */
    SDSIM_FAT_INVALID_NAME = 6,   /* characters, length or an empty name */
    SDSIM_FAT_DENIED = 7,         /* no room, wrong mode, directory not empty, read-only */
    SDSIM_FAT_EXISTS = 8,         /* the name is taken */
    SDSIM_FAT_INVALID_OBJECT = 9, /* the file is not open, or its volume was unmounted */
    SDSIM_FAT_NOT_MOUNTED = 12,   /* the volume has no work area (NOT_ENABLED) */
    SDSIM_FAT_NO_FILE_SYSTEM = 13,   /* no volume that this configuration can read */
    SDSIM_FAT_NO_MEMORY = 17,        /* no memory for the fast-seek table (NOT_ENOUGH_CORE) */
    SDSIM_FAT_INVALID_ARGUMENT = 19, /* a parameter out of range */
};

/* A short text for messages: "no such file", "volume is corrupt", ... */
const char *sdsim_fat_result_text(enum sdsim_fat_result result);

#endif

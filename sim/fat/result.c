#include "fat/result.h"

const char *sdsim_fat_result_text(enum sdsim_fat_result result)
{
    switch (result) {
    case SDSIM_FAT_OK:
        return "ok";
    case SDSIM_FAT_DISK_ERROR:
        return "disk error";
    case SDSIM_FAT_CORRUPT:
        return "volume is corrupt";
    case SDSIM_FAT_NOT_READY:
        return "disk not ready";
    case SDSIM_FAT_NO_FILE:
        return "no such file";
    case SDSIM_FAT_NO_PATH:
        return "no such directory";
    case SDSIM_FAT_INVALID_NAME:
        return "invalid name";
    case SDSIM_FAT_DENIED:
        return "denied, or no room";
    case SDSIM_FAT_EXISTS:
        return "name exists";
    case SDSIM_FAT_INVALID_OBJECT:
        return "file is not open";
    case SDSIM_FAT_NOT_MOUNTED:
        return "volume is not mounted";
    case SDSIM_FAT_NO_FILE_SYSTEM:
        return "no readable file system";
    case SDSIM_FAT_NO_MEMORY:
        return "out of memory";
    case SDSIM_FAT_INVALID_ARGUMENT:
        return "invalid argument";
    }
    return "unknown result";
}

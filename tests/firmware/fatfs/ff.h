/* As much of FatFs R0.15 as sdbench.h needs, over a card in RAM. */
#ifndef FF_DEFINED
#define FF_DEFINED 80286

#include <stdint.h>
#include <stdio.h>

#include "ram_card.h"

#define FF_MAX_SS     512
#define FF_MIN_SS     512
#define FA_READ       0x01
#define FA_WRITE      0x02
#define FA_CREATE_NEW 0x04

typedef unsigned int UINT;
typedef uint32_t FSIZE_t;
typedef enum { FR_OK = 0, FR_NO_FILE = 4, FR_EXIST = 8 } FRESULT;

typedef struct {
    uint8_t fs_type;
    uint16_t csize;
} FATFS;

typedef struct {
    struct {
        FATFS *fs;
    } obj;
} FIL;

typedef struct {
    FSIZE_t fsize;
} FILINFO;

static FATFS *ff_volume;

/* Unmounting is the end of the test. */
static inline FRESULT f_mount(FATFS *volume, const char *path, uint8_t now)
{
    (void)path;
    (void)now;
    if (volume == NULL) {
        puts(ram_card_left());
        return FR_OK;
    }
    volume->fs_type = 3; /* FAT32 */
    volume->csize = 64;
    ff_volume = volume;
    return FR_OK;
}

static inline FRESULT f_stat(const char *path, FILINFO *info)
{
    (void)path;
    info->fsize = ram_card.size;
    return ram_card_exists() ? FR_OK : FR_NO_FILE;
}

static inline FRESULT f_unlink(const char *path)
{
    (void)path;
    return ram_card_remove() ? FR_OK : FR_NO_FILE;
}

static inline FRESULT f_open(FIL *file, const char *path, uint8_t mode)
{
    (void)path;
    file->obj.fs = ff_volume;
    if ((mode & FA_CREATE_NEW) == 0) {
        return ram_card_open() ? FR_OK : FR_NO_FILE;
    }
    if (ram_card_exists()) {
        return FR_EXIST;
    }
    ram_card_create();
    return FR_OK;
}

static inline FRESULT f_close(FIL *file)
{
    file->obj.fs = NULL;
    return FR_OK;
}

static inline FRESULT f_sync(FIL *file)
{
    (void)file;
    ram_card_sync();
    return FR_OK;
}

static inline FRESULT f_lseek(FIL *file, FSIZE_t position)
{
    (void)file;
    ram_card_seek(position);
    return FR_OK;
}

static inline FRESULT f_write(FIL *file, const void *data, UINT size, UINT *done)
{
    (void)file;
    *done = ram_card_write(data, size);
    return FR_OK;
}

static inline FRESULT f_read(FIL *file, void *data, UINT size, UINT *done)
{
    (void)file;
    *done = ram_card_read(data, size);
    return FR_OK;
}

#endif

/* As much of ESP-IDF's drivers for FatFs. */
#ifndef DISKIO_IMPL_H
#define DISKIO_IMPL_H

#include <stdint.h>

#define CTRL_SYNC        0
#define GET_SECTOR_COUNT 1
#define GET_SECTOR_SIZE  2

typedef unsigned int UINT;
typedef unsigned char BYTE;
typedef uint16_t WORD;
typedef uint32_t DWORD;
typedef BYTE DSTATUS;
typedef enum { RES_OK = 0, RES_ERROR = 1 } DRESULT;

typedef struct {
    DSTATUS (*init)(BYTE drive);
    DSTATUS (*status)(BYTE drive);
    DRESULT (*read)(BYTE drive, BYTE *data, DWORD lba, UINT count);
    DRESULT (*write)(BYTE drive, const BYTE *data, DWORD lba, UINT count);
    DRESULT (*ioctl)(BYTE drive, BYTE command, void *data);
} ff_diskio_impl_t;

void ff_diskio_register(BYTE drive, const ff_diskio_impl_t *driver);

#endif

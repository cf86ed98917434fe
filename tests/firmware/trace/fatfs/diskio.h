/* As much of FatFs' own diskio.h. */
#ifndef DISKIO_DEFINED
#define DISKIO_DEFINED

#define CTRL_SYNC 0
#define CTRL_TRIM 4

typedef BYTE DSTATUS;
typedef enum { RES_OK = 0, RES_ERROR = 1 } DRESULT;

DSTATUS disk_status(BYTE drive);
DRESULT disk_read(BYTE drive, BYTE *data, LBA_t lba, UINT count);
DRESULT disk_write(BYTE drive, const BYTE *data, LBA_t lba, UINT count);
DRESULT disk_ioctl(BYTE drive, BYTE command, void *data);

#endif

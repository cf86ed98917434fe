/* The port of FatFs to a card that takes 100 us for a call and 10 us for a block. */
#if defined(RENAMED)
#define disk_read   real_disk_read
#define disk_write  real_disk_write
#define disk_ioctl  real_disk_ioctl
#define disk_status real_disk_status
#endif

#include "ff.h"
#include "diskio.h"
#include "stm32.h"

stub_timer stub_tim2;

uint32_t HAL_GetTick(void)
{
    return stub_tim2.CNT / 1000;
}

DSTATUS disk_status(BYTE drive)
{
    stub_tim2.CNT += 7;
    return drive;
}

DRESULT disk_read(BYTE drive, BYTE *data, LBA_t lba, UINT count)
{
    (void)drive;
    (void)data;
    stub_tim2.CNT += 100 + 10 * count;
    return lba == 13 ? RES_ERROR : RES_OK;
}

DRESULT disk_write(BYTE drive, const BYTE *data, LBA_t lba, UINT count)
{
    (void)drive;
    (void)data;
    (void)lba;
    stub_tim2.CNT += 100 + 10 * count;
    return RES_OK;
}

DRESULT disk_ioctl(BYTE drive, BYTE command, void *data)
{
    (void)drive;
    (void)data;
    stub_tim2.CNT += 1000u + command;
    return RES_OK;
}

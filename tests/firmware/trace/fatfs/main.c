/* A firmware with FatFs, of which only what touches the card is there. */
#include <stdio.h>

#include "ff.h"
#include "diskio.h"
#include "stm32.h"

void trace_start(void);
void trace_end(void);
FRESULT traced_create(FIL *file, uint8_t handle, const char *path);
FRESULT traced_write(FIL *file, uint8_t handle, const void *data, UINT size, UINT *written);
FRESULT traced_close(FIL *file, uint8_t handle);

FRESULT f_open(FIL *file, const char *path, BYTE mode)
{
    BYTE window[512];
    (void)path;
    (void)mode;
    file->next = 8192;
    return disk_read(0, window, 0, 1) == RES_OK ? FR_OK : FR_DISK_ERR;
}

FRESULT f_write(FIL *file, const void *data, UINT size, UINT *done)
{
    *done = size;
    const DRESULT result = disk_write(0, data, file->next, size / 512);
    file->next += size / 512;
    return result == RES_OK ? FR_OK : FR_DISK_ERR;
}

FRESULT f_close(FIL *file)
{
    file->next = 0;
    return disk_ioctl(0, CTRL_SYNC, NULL) == RES_OK ? FR_OK : FR_DISK_ERR;
}

int main(void)
{
    static BYTE data[4096];
    FIL file;
    UINT done;
    LBA_t range[2] = {100000, 299999};
    stub_tim2.CNT = 5000;
    trace_start();
    traced_create(&file, 3, "0:/LOGS/DATA0001.CSV");
    traced_write(&file, 3, data, 4096, &done);
    traced_close(&file, 3);
    puts("I (9) main: a firmware prints more than its trace");
    stub_tim2.CNT += 50;
    disk_read(0, data, 13, 2);
    disk_ioctl(0, CTRL_TRIM, range);
    disk_status(2);
    trace_end();
    return 0;
}

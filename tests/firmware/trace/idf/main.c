/* An application that reads and writes through ESP-IDF's driver; with OWN_DRIVER through the one it
 * registers. */
#include <stdbool.h>

#include "diskio_impl.h"
#include "sdmmc_cmd.h"

void trace_start(void);
void trace_end(void);
void trace_drive(BYTE drive, sdmmc_card_t *card);

static const ff_diskio_impl_t *registered;

void ff_diskio_register(BYTE drive, const ff_diskio_impl_t *driver)
{
    (void)drive;
    registered = driver;
}

int main(void)
{
    static BYTE data[4096];
    sdmmc_card_t card = {{31116288, 512}};
    trace_start();
#if defined(OWN_DRIVER)
    DWORD sectors = 0;
    WORD size = 0;
    trace_drive(0, &card);
    bool good = registered->init(0) == 0 && registered->status(0) == 0;
    good = good && registered->read(0, data, 8192, 8) == RES_OK;
    good = good && registered->read(0, data, 13, 1) == RES_ERROR;
    good = good && registered->write(0, data, 70000, 1) == RES_OK;
    good = good && registered->ioctl(0, CTRL_SYNC, 0) == RES_OK;
    good = good && registered->ioctl(0, GET_SECTOR_COUNT, &sectors) == RES_OK;
    good = good && registered->ioctl(0, GET_SECTOR_SIZE, &size) == RES_OK;
    good = good && sectors == 31116288 && size == 512;
#else
    bool good = sdmmc_read_sectors(&card, data, 8192, 8) == ESP_OK;
    good = good && sdmmc_read_sectors(&card, data, 13, 1) == 0x107;
    good = good && sdmmc_write_sectors(&card, data, 70000, 1) == ESP_OK;
#endif
    trace_end();
    return good ? 0 : 1;
}

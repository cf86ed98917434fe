#include "ftdi/spi_flash.h"

#include <string.h>

enum {
    WRITE_DISABLE = 0x04,
    READ_STATUS = 0x05,
    WRITE_ENABLE = 0x06,
    READ = 0x03,
    FAST_READ = 0x0B,
    READ_STATUS_2 = 0x35,
    IDENTIFY_OLD = 0x90,
    IDENTIFY = 0x9F,
    SIGNATURE = 0xAB,

    MAKER = 0xEF,
    DEVICE = 0x16,
    ENABLED = 0x02, /* in the status */
};

/* What it shows with byte `at` of a transaction, 0 being the command; depends on bytes before only. */
static uint8_t shown(struct sdsim_spi_flash *flash)
{
    static const uint8_t jedec[] = {MAKER, 0x40, 0x17};
    static const uint8_t old[] = {MAKER, DEVICE};
    const uint32_t at = flash->at;
    if (at == 0) {
        return 0xFF;
    }
    switch (flash->command) {
    case READ:
    case FAST_READ: {
        const uint32_t first = flash->command == READ ? 4 : 5;
        return at < first ? 0xFF
                          : flash->content[(flash->address + (at - first)) % SDSIM_SPI_FLASH_BYTES];
    }
    case READ_STATUS:
        return flash->enabled ? ENABLED : 0;
    case READ_STATUS_2:
        return 0;
    case IDENTIFY:
        return jedec[(at - 1) % sizeof jedec];
    case IDENTIFY_OLD:
        return at < 4 ? 0xFF : old[(at - 4) % sizeof old];
    case SIGNATURE:
        return at < 4 ? 0xFF : DEVICE;
    default:
        return 0xFF;
    }
}

static void take(struct sdsim_spi_flash *flash, uint8_t mosi)
{
    if (flash->at == 0) {
        flash->command = mosi;
        flash->address = 0;
    } else if (flash->at <= 3) {
        flash->address = flash->address << 8 | mosi;
    }
    flash->at++;
}

static uint8_t exchange_byte(struct sdsim_spi_flash *flash, uint8_t mosi)
{
    if (!flash->selected) {
        return 0xFF;
    }
    const uint8_t miso = shown(flash);
    take(flash, mosi);
    return miso;
}

static void exchange(struct sdsim_slave *slave, sdsim_ps *now, struct sdsim_clock *clock,
                     const uint8_t *mosi, uint8_t *miso, size_t count)
{
    struct sdsim_spi_flash *flash = (struct sdsim_spi_flash *)slave;
    *now += sdsim_clock_take(clock, 8 * (uint64_t)count);
    for (size_t i = 0; i < count; i++) {
        miso[i] = exchange_byte(flash, mosi[i]);
    }
}

static bool bit(struct sdsim_slave *slave, sdsim_ps start, sdsim_ps end, bool mosi)
{
    struct sdsim_spi_flash *flash = (struct sdsim_spi_flash *)slave;
    (void)start;
    (void)end;
    if (flash->bits == 0) {
        flash->miso = flash->selected ? shown(flash) : 0xFF;
    }
    const bool level = (flash->miso >> (7 - flash->bits) & 1) != 0;
    flash->mosi = (uint8_t)(flash->mosi << 1 | (mosi ? 1 : 0));
    flash->bits = (flash->bits + 1) % 8;
    if (flash->bits == 0 && flash->selected) {
        take(flash, flash->mosi);
    }
    return level;
}

/* Commands without data are carried out when CS goes high. */
static void select_chip(struct sdsim_slave *slave, sdsim_ps now, bool low)
{
    struct sdsim_spi_flash *flash = (struct sdsim_spi_flash *)slave;
    (void)now;
    if (!low && flash->at == 1 &&
        (flash->command == WRITE_ENABLE || flash->command == WRITE_DISABLE)) {
        flash->enabled = flash->command == WRITE_ENABLE;
    }
    flash->selected = low;
    flash->at = 0;
    flash->bits = 0;
}

static bool miso(struct sdsim_slave *slave, sdsim_ps now)
{
    (void)slave;
    (void)now;
    return true;
}

void sdsim_spi_flash_init(struct sdsim_spi_flash *flash, const uint8_t *content)
{
    static const struct sdsim_slave_class class = {
        .select = select_chip, .exchange = exchange, .bit = bit, .miso = miso};
    *flash = (struct sdsim_spi_flash){.slave = {.class = &class}, .content = content};
}

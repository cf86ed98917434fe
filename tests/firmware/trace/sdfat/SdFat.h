/* As much of SdFat 2 as the hook of README.md needs: a card of 30 us a call and 5 us a sector. */
#ifndef SDFAT_H
#define SDFAT_H

#include <stddef.h>
#include <stdint.h>

#include "ram_card.h"

#define DEDICATED_SPI      1
#define SD_SCK_MHZ(maxMhz) (1000000UL * (maxMhz))

struct SdSpiConfig {
    SdSpiConfig(uint8_t, uint8_t, uint32_t)
    {
    }
};

class FsBlockDeviceInterface
{
  public:
    virtual ~FsBlockDeviceInterface()
    {
    }
    virtual void end()
    {
    }
    virtual bool isBusy() = 0;
    virtual bool readSector(uint32_t sector, uint8_t *data) = 0;
    virtual bool readSectors(uint32_t sector, uint8_t *data, size_t count) = 0;
    virtual uint32_t sectorCount() = 0;
    virtual bool syncDevice() = 0;
    virtual bool writeSector(uint32_t sector, const uint8_t *data) = 0;
    virtual bool writeSectors(uint32_t sector, const uint8_t *data, size_t count) = 0;
};

class SdCard : public FsBlockDeviceInterface
{
  public:
    bool isBusy()
    {
        return false;
    }
    bool readSector(uint32_t sector, uint8_t *)
    {
        return spend(1) && sector != 13;
    }
    bool readSectors(uint32_t, uint8_t *, size_t count)
    {
        return spend(count);
    }
    uint32_t sectorCount()
    {
        return 31116288;
    }
    bool syncDevice()
    {
        return spend(0);
    }
    bool writeSector(uint32_t, const uint8_t *)
    {
        return spend(1);
    }
    bool writeSectors(uint32_t, const uint8_t *, size_t count)
    {
        return spend(count);
    }

  private:
    static bool spend(size_t count)
    {
        ram_card.micros += 30 + 5 * (uint32_t)count;
        return true;
    }
};

class SdCardFactory
{
  public:
    SdCard *newCard(SdSpiConfig)
    {
        return &card_;
    }

  private:
    SdCard card_;
};

class FsVolume
{
  public:
    FsVolume() : device(0)
    {
    }
    bool begin(FsBlockDeviceInterface *block_device)
    {
        uint8_t data[512];
        device = block_device;
        return device->readSector(0, data);
    }
    FsBlockDeviceInterface *device;
};

#endif

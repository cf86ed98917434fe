/* SdFat 2 with exFAT on a card that it alone uses. */
#include "stub_file.h"

#define SD_FAT_VERSION 20301
#define DEDICATED_SPI  1
#define FILE_READ      0
#define FILE_WRITE     (2 | 0x40 | 8)

typedef StubFile<size_t> FsFile;

struct SdSpiConfig {
    SdSpiConfig(uint8_t, uint8_t, uint32_t)
    {
    }
};

struct SdFat : StubFolder {
    bool begin(const SdSpiConfig &)
    {
        return true;
    }
    FsFile open(const char *, int mode)
    {
        return FsFile(mode == FILE_READ ? ram_card_open() : ram_card_create());
    }
    bool isDedicatedSpi()
    {
        return true;
    }
    uint8_t fatType() const
    {
        return 64;
    }
    uint32_t bytesPerCluster() const
    {
        return 131072;
    }
};

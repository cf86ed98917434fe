/* The library of that name of the ESP32 core, where modes are texts as of fopen(). */
#include "stub_file.h"

#define FILE_READ  "r"
#define FILE_WRITE "w"

typedef StubFile<size_t> File;

struct SDMMCFS : StubFolder {
    bool begin(const char *, bool, bool, int clock_khz)
    {
        return clock_khz > 0;
    }
    File open(const char *, const char *mode = FILE_READ)
    {
        return File(mode[0] == 'r' ? ram_card_open() : ram_card_create());
    }
};

static SDMMCFS SD_MMC;

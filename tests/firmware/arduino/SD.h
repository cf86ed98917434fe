/* Arduino's own SD library. */
#include "stub_file.h"

#define FILE_READ    1
#define FILE_WRITE   (1 | 2 | 4 | 16)
#define SDFileSystem SD

typedef StubFile<uint16_t> File;

struct SDClass : StubFolder {
    bool begin(uint32_t clock, uint8_t pin)
    {
        return clock > 0 && pin > 0;
    }
    File open(const char *, uint8_t mode = FILE_READ)
    {
        return File(mode == FILE_READ ? ram_card_open() : ram_card_create());
    }
};

static SDClass SD;

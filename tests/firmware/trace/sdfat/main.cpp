/* A sketch with SdFat, which is here what SdFat would do with its card. */
#include <Arduino.h>

#include "trace_sdfat.cpp"

int main()
{
    uint8_t data[2048];
    if (!mount_card(10)) {
        return 1;
    }
    FsBlockDeviceInterface *card = volume.device;
    bool good = card->readSectors(8192, data, 4) && card->writeSectors(9000, data, 3);
    good = good && card->writeSector(9003, data) && card->syncDevice();
    good = good && !card->readSector(13, data);
    good = good && !card->isBusy() && card->sectorCount() == 31116288;
    sdtrace_dump(&trace);
    return good ? 0 : 1;
}

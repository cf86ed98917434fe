/* A sketch with Arduino's SD that records its file calls. */
#include <Arduino.h>
#include <SD.h>

#include "trace_file.h"

int main()
{
    static struct sdtrace trace;
    static struct sdtrace_record ring[32];
    uint8_t data[100] = {0};
    sdtrace_init(&trace, ring, 32, SDTRACE_STOP_WHEN_FULL);
    TracedFile<File> file(&trace, 7);
    bool good = file.open("log.txt", SDTRACE_APPEND, [] { return SD.open("log.txt", FILE_WRITE); });
    good = good && file.write(data, 100) == 100;
    file.flush();
    file.close();
    good = good && file.open("log.txt", SDTRACE_READ_ONLY, [] { return SD.open("log.txt"); });
    sdtrace_mark(&trace, 5, 12345);
    good = good && file.seek(20) && file.read(data, 50) == 50;
    file.close();
    sdtrace_dump(&trace);
    return good ? 0 : 1;
}

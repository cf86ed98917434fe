/*
 * Sigrok sessions. A first byte of 'P' is that of a zip file, taken as it is; of anything else a zip
 * file is made: its version, the metadata up to a line "--", then its samples in one member (even first
 * byte) or in members of 64 bytes.
 */
#include "fuzz/capture_fuzz.h"

#include <string.h>
#include <zip.h>

const unsigned sdsim_fuzz_runs = 300;

static void add(zip_t *zip, const char *name, const void *bytes, size_t size)
{
    zip_source_t *source = zip_source_buffer(zip, bytes, size, 0);
    SDSIM_FUZZ_HOLDS(source != NULL && zip_file_add(zip, name, source, ZIP_FL_OVERWRITE) >= 0);
}

/* The first byte behind the line "--". */
static size_t behind_metadata(const char *text, size_t size)
{
    for (size_t at = 0; at + 4 <= size; at++) {
        if (memcmp(text + at, "\n--\n", 4) == 0) {
            return at + 4;
        }
    }
    return size;
}

static void add_samples(zip_t *zip, const char *text, size_t size, bool one)
{
    for (size_t number = 1, at = 0; at < size || number == 1; number++) {
        char name[40];
        const size_t part = one || size - at < 64 ? size - at : 64;
        (void)snprintf(name, sizeof name, one ? "logic-1" : "logic-1-%zu", number);
        add(zip, name, text + at, part);
        at += part;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    if (size == 0 || text[0] == 'P') {
        sdsim_fuzz_capture(sdsim_fuzz_file(data, size, ".sr"));
        return 0;
    }
    const char *path = sdsim_fuzz_file("", 0, ".sr");
    const size_t samples = behind_metadata(text, size);
    const size_t metadata = samples >= 4 && samples < size ? samples - 3 : samples;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    SDSIM_FUZZ_HOLDS(zip != NULL);
    add(zip, "version", "2", 1);
    add(zip, "metadata", text + 1, metadata - 1);
    add_samples(zip, text + samples, size - samples, text[0] % 2 == 0);
    SDSIM_FUZZ_HOLDS(zip_close(zip) == 0);
    sdsim_fuzz_capture(path);
    return 0;
}

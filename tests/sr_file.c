#include "sr_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

/* Repeats the levels at hand up to the sample at or behind `at`. */
static void sample_until(struct sdsim_test_sr *sr, sdsim_ps at)
{
    const uint64_t until = (at + sr->period - 1) / sr->period;
    if (until <= sr->count) {
        return;
    }
    const size_t more = (size_t)(until - sr->count) * sr->unit;
    if (sr->size + more > sr->capacity) {
        sr->capacity = 2 * (sr->size + more) + 4096;
        sr->samples = realloc(sr->samples, sr->capacity);
        if (sr->samples == NULL) {
            abort();
        }
    }
    const uint64_t value = (uint64_t)sr->levels << sr->shift;
    for (size_t i = 0; i < more; i++) {
        sr->samples[sr->size + i] = (uint8_t)(value >> 8 * (i % sr->unit));
    }
    sr->size += more;
    sr->count = until;
}

static void take_levels(struct sdsim_wave_sink *sink, sdsim_ps at, unsigned levels)
{
    struct sdsim_test_sr *sr = (struct sdsim_test_sr *)sink;
    sample_until(sr, at);
    sr->levels = levels;
}

void sdsim_test_sr_begin(struct sdsim_test_sr *sr)
{
    sr->sink = (struct sdsim_wave_sink){take_levels};
}

static bool add(zip_t *zip, const char *name, const void *bytes, size_t size, bool stored)
{
    zip_source_t *source = zip_source_buffer(zip, bytes, size, 0);
    const zip_int64_t index =
        source != NULL ? zip_file_add(zip, name, source, ZIP_FL_OVERWRITE) : -1;
    return index >= 0 && zip_set_file_compression(zip, (zip_uint64_t)index,
                                                  stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 1) == 0;
}

static bool add_members(const struct sdsim_test_sr *sr, zip_t *zip)
{
    const size_t pieces = sr->version == 1 ? 1 : (sr->size + sr->member - 1) / sr->member;
    const size_t piece = sr->version == 1 ? sr->size : sr->member;
    bool fine = true;
    for (size_t i = 0; i < pieces && fine; i++) {
        const size_t number = sr->backwards ? pieces - 1 - i : i;
        const size_t from = number * piece;
        char name[40] = "logic-1";
        if (sr->version != 1) {
            snprintf(name, sizeof name, "logic-1-%zu", number + 1);
        }
        fine = add(zip, name, sr->samples + from, sr->size - from < piece ? sr->size - from : piece,
                   sr->stored);
    }
    return fine;
}

bool sdsim_test_sr_write(struct sdsim_test_sr *sr, sdsim_ps end)
{
    int code;
    const char *version = sr->version == 1 ? "1" : "2";
    sample_until(sr, end);
    zip_t *zip = zip_open(sr->path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (zip == NULL) {
        return false;
    }
    bool fine = add(zip, "version", version, 1, true);
    if (!sr->backwards) {
        fine = fine && add(zip, "metadata", sr->metadata, strlen(sr->metadata), sr->stored);
    }
    fine = fine && add_members(sr, zip);
    if (sr->backwards) {
        fine = fine && add(zip, "metadata", sr->metadata, strlen(sr->metadata), sr->stored);
    }
    fine = zip_close(zip) == 0 && fine;
    free(sr->samples);
    sr->samples = NULL;
    return fine;
}

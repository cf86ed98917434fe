/*
 * The file as the application sees it: what stands between its read and write calls and the FAT library.
 *
 *     api              what it is                                 calls that reach the library
 *     posix            ESP-IDF VFS read/write                     one f_read/f_write each
 *     stdio            newlib fread/fwrite over it                see below
 *     arduino          arduino-esp32 File (stdio, 4 KiB buffer)   see below
 *     circuitpython    CircuitPython file object                  one f_read/f_write each
 *     fatfs            f_read/f_write called directly             one each
 *     sdfat            SdFat's File                               one each
 *     arduino-classic  File of the Arduino IDE's SD library       one each
 *     micropython      MicroPython file object                    one f_read/f_write each
 *     freertos-fat     FreeRTOS+FAT ff_fread/ff_fwrite            one each; see file/list.h
 *     p2-file          Propeller 2 readHandle/writeHandle         32 KiB each; see file/list.h
 *     linux            Linux read/write with O_DIRECT             one each; see fat/linux_disk.h
 *
 * newlib's fwrite passes whole multiples of the buffer size on in one call when its buffer is
 * empty, and keeps the rest; when the buffer is partly full it fills and flushes it first. Its
 * fread always refills the buffer and copies: a large read becomes many reads of one buffer each.
 * That asymmetry is why reads with stdio do not get faster with larger calls.
 *
 * Costs: `call` for each call of the application; `line` more for each printed line (formatting);
 * `refill` each time stdio calls the layers below it;
 * copying at `copy_rate` where stdio copies, and where the library below copies through the buffer
 * of a sector: the parts of sectors at the ends of a call.
 *
 * Limits: one stream per file; reading and writing on one stream need a flush or a seek in between,
 * as in C. A seek always empties the buffer; newlib keeps it when the target lies in it, and else
 * may read from a little before the target.
 */
#ifndef SDSIM_FILE_STREAM_H
#define SDSIM_FILE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/account.h"
#include "fat/file.h"
#include "file/list.h"

enum sdsim_file_api {
#define SDSIM_FILE_API_CODE(code, name, doc, buffer, config) SDSIM_API_##code,
    SDSIM_FILE_API_LIST(SDSIM_FILE_API_CODE)
#undef SDSIM_FILE_API_CODE
        SDSIM_API_COUNT
};

/* What the calls of one API cost on one host. */
struct sdsim_file_costs {
    sdsim_ps call;      /* each read or write call of the application */
    sdsim_ps line;      /* each printed line, on top: formatting, conversion */
    sdsim_ps refill;    /* stdio, arduino: each time the buffer is filled or emptied */
    uint64_t copy_rate; /* bytes per second of memory copies; 0: free */
};

struct sdsim_stream_params {
    int api;         /* enum sdsim_file_api */
    uint64_t buffer; /* stdio, arduino: bytes; 0: the API's default (128, 4096) */
    struct sdsim_file_costs costs;
};

/* Largest buffer a stream takes; scenarios are limited to it. */
#define SDSIM_STREAM_BUFFER_MAX 1048576u

struct sdsim_stream {
    const struct sdsim_stream_params *params; /* not owned */
    struct sdsim_meter *meter;                /* not owned */
    struct sdsim_file file;
    uint8_t *buffer;              /* owned; NULL when the API has none */
    struct sdsim_lazy_bytes lazy; /* of what is to be written */
    uint32_t size;                /* of the buffer, 0: none */
    uint32_t filled;              /* bytes to be written, or read and valid */
    uint32_t taken;               /* of the bytes read, how many the application has had */
    bool writing;                 /* what `filled` means */
    bool unseen;   /* what was read is counted, but its bytes are not in the buffer */
    char name[64]; /* of the file, for the recorder; a longer one ends in "..." */
};

/* How the API configures FatFs (buffers per file, append style, ...). */
struct sdsim_volume_config sdsim_stream_volume_config(enum sdsim_file_api api);

/* The buffer size an API has when nobody says otherwise; 0: none. */
uint32_t sdsim_stream_default_buffer(enum sdsim_file_api api);

/* "arduino", "posix", ... */
const char *sdsim_file_api_name(enum sdsim_file_api api);

/*
 * Opens `path`. On failure nothing is left to close. SDSIM_FAT_NO_MEMORY without a buffer.
 */
enum sdsim_fat_result sdsim_stream_open(struct sdsim_stream *stream, struct sdsim_volume *volume,
                                        const struct sdsim_stream_params *params,
                                        struct sdsim_meter *meter, sdsim_ps *now, const char *path,
                                        enum sdsim_open_mode mode);

/*
 * One call of the application. *done may be less than asked at the end of the file or volume. A
 * read with `out` NULL takes its time, but nobody looks at the bytes and none are made; then all
 * reads up to the next seek have NULL, as stdio's buffer holds none either (asserted).
 */
enum sdsim_fat_result sdsim_stream_write(struct sdsim_stream *stream, sdsim_ps *now,
                                         const struct sdsim_content *content, uint64_t bytes,
                                         uint64_t *done);
enum sdsim_fat_result sdsim_stream_read(struct sdsim_stream *stream, sdsim_ps *now, uint64_t bytes,
                                        void *out, uint64_t *done);

/* fseek or lseek to a byte of the file: a call of its own. What is buffered is written first; what
 * was read ahead is forgotten. */
enum sdsim_fat_result sdsim_stream_seek(struct sdsim_stream *stream, sdsim_ps *now,
                                        uint64_t position);

/* Where the application is in the file: behind what waits in the buffer, before what was read ahead. */
uint64_t sdsim_stream_position(const struct sdsim_stream *stream);

/* print(text, file=...): the text and then its newline, each a write of its own. */
enum sdsim_fat_result sdsim_stream_print(struct sdsim_stream *stream, sdsim_ps *now,
                                         const char *text);

/* fflush + fsync: everything reaches the card. */
enum sdsim_fat_result sdsim_stream_sync(struct sdsim_stream *stream, sdsim_ps *now);

/* Writes what is left, closes the file, frees the buffer, also on errors. */
enum sdsim_fat_result sdsim_stream_close(struct sdsim_stream *stream, sdsim_ps *now);

#endif

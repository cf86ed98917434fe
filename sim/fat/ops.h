/*
 * File operations as text, one a line: the form of recordings, of fixtures and of `fsops`.
 *
 *     [@TIME [+TIME]] [@HANDLE] OPERATION [ARGUMENTS] [*REPEAT] [# label]
 *
 *     mount                unmount              open NAME MODE       close
 *     write N              read N               seek P               sync
 *     truncate             expand N             mkdir NAME           unlink NAME
 *     rename OLD NEW       stat NAME            list DIR             free
 *     fill K               print N
 *
 * MODE is r, w, w+, r+, rw, a or A. N is a sum of terms, digits with an optional unit: c (cluster
 * of the volume), s (512), k (1024), m (1048576); "2c+100", "1c-1". P is such a sum, or end, end+N,
 * end-N, cur+N, cur-N. `fill K` fills the volume with files until K clusters are free.
 * `print N` prints a line of N bytes: N - 1 bytes and its newline, each a write of its own. HANDLE is 0
 * to 9, 0 without it. A time has a unit, a handle never has: `@1.25ms +310us @1 write 4096 # data`
 * began at 1.25 ms and took 310 us.
 *
 * Empty lines and lines that start with '#' are no operations. A name ends at a blank; a name with
 * blanks can be written in double quotes. A zero byte is an error wherever it is.
 *
 * Limits: REPEAT up to 2^32 - 1, numbers up to 2^62, no escapes inside quotes.
 */
#ifndef SDSIM_FAT_OPS_H
#define SDSIM_FAT_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"
#include "core/time.h"
#include "fat/file.h"

#define SDSIM_OPS_HANDLES 10u

enum sdsim_op_kind {
    SDSIM_OP_MOUNT,
    SDSIM_OP_UNMOUNT,
    SDSIM_OP_OPEN,
    SDSIM_OP_CLOSE,
    SDSIM_OP_WRITE,
    SDSIM_OP_READ,
    SDSIM_OP_SEEK,
    SDSIM_OP_SYNC,
    SDSIM_OP_TRUNCATE,
    SDSIM_OP_EXPAND,
    SDSIM_OP_MKDIR,
    SDSIM_OP_UNLINK,
    SDSIM_OP_RENAME,
    SDSIM_OP_STAT,
    SDSIM_OP_LIST,
    SDSIM_OP_FREE,
    SDSIM_OP_FILL,
    SDSIM_OP_PRINT,
    SDSIM_OP_COUNT,
};

enum sdsim_op_origin {
    SDSIM_OP_FROM_START,
    SDSIM_OP_FROM_END,
    SDSIM_OP_FROM_HERE,
};

/* A number of bytes that may depend on the cluster size. */
struct sdsim_op_amount {
    int64_t bytes;
    int64_t clusters;
};

/* A piece of the line it was read from. */
struct sdsim_op_text {
    const char *text; /* not terminated; NULL: not there */
    size_t length;
};

struct sdsim_op {
    enum sdsim_op_kind kind;
    uint8_t handle;
    enum sdsim_open_mode mode;     /* open */
    enum sdsim_op_origin origin;   /* seek */
    struct sdsim_op_amount amount; /* write, read, seek, expand, fill, print */
    struct sdsim_op_text name; /* path of open, mkdir, unlink, rename (the old one), stat, list */
    struct sdsim_op_text new_name; /* rename */
    struct sdsim_op_text label;
    uint32_t repeat; /* >= 1 */
    bool has_repeat; /* it was written, even if it is 1 */
    bool has_start;
    bool has_duration;
    sdsim_ps start;
    sdsim_ps duration;
};

/* "open", "write", ... */
const char *sdsim_op_name(enum sdsim_op_kind kind);

/* "r", "w+", ... */
const char *sdsim_op_mode_name(enum sdsim_open_mode mode);

enum sdsim_op_line {
    SDSIM_OP_LINE,    /* an operation */
    SDSIM_OP_NOTHING, /* empty, or a comment */
    SDSIM_OP_BAD,     /* a message was added */
};

/*
 * Reads one line of `length` bytes (without its newline; a trailing carriage return is ignored).
 * *op keeps pointers into the line. `place` gives file and line number for messages; its column is
 * set here.
 */
enum sdsim_op_line sdsim_op_parse(struct sdsim_op *op, const char *line, size_t length,
                                  const struct sdsim_place *place, struct sdsim_diags *diags);

/* The amount in bytes; false if it is negative or too large for 63 bits. */
bool sdsim_op_bytes(struct sdsim_op_amount amount, uint32_t cluster_bytes, uint64_t *bytes);

#endif

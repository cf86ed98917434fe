/*
 * How a file is written, as far as its first bytes tell: what editors, terminals and packers make of
 * a text that was one.
 *
 * A byte order mark of UTF-8, which editors for Windows leave in front of a text, is no part of it.
 * UTF-16, which PowerShell writes where output is redirected with `>`, and compression other than
 * zstd are not read; they have a name here, so that a reader that makes nothing of a file can say
 * what it is and how it is mended.
 *
 * Limits: UTF-16 without a byte order mark is known by the text's first four characters, which must
 * be ASCII.
 */
#ifndef SDSIM_TRACE_ENCODING_H
#define SDSIM_TRACE_ENCODING_H

#include <stddef.h>

struct sdsim_encoding {
    const char *what; /* NULL: nothing is known against it; else "compressed with gzip" */
    const char *mend; /* and what to do */
};

enum { SDSIM_ENCODING_HEAD = 8 }; /* bytes that are looked at */

/* Of the first bytes of a file; SDSIM_ENCODING_HEAD of them, or all that there are, are enough. */
struct sdsim_encoding sdsim_encoding_of(const char *head, size_t size);

/* The bytes of a UTF-8 byte order mark at the beginning: 3 or 0. */
size_t sdsim_encoding_mark(const char *head, size_t size);

#endif

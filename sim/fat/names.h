/*
 * Names: parts of a path as UTF-16, their short (8.3) forms, and the numbers made from them.
 *
 * A long name gets a short name beside it. Where characters are lost on the way, the short name is
 * given a number (~1 to ~5, then a hash of the long name); a name that is 8.3 but for the case of a
 * whole base or extension needs no long name, only two case flags in its entry.
 *
 * Limits: short names are ASCII; any other character counts as lost. Upper case is known for Latin
 * (with Latin-1 and Latin Extended-A), Greek, Cyrillic and Armenian; exFAT volumes made here carry
 * a table that says the same.
 */
#ifndef SDSIM_FAT_NAMES_H
#define SDSIM_FAT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fat/result.h"

enum sdsim_name_flags {
    SDSIM_NAME_LOST = 0x01,       /* the short form lost something: it needs a number */
    SDSIM_NAME_LONG = 0x02,       /* a long name has to be stored */
    SDSIM_NAME_LAST = 0x04,       /* the last part of the path */
    SDSIM_NAME_LOWER_BODY = 0x08, /* as in byte 12 of a directory entry */
    SDSIM_NAME_LOWER_EXT = 0x10,
    SDSIM_NAME_ROOT = 0x20,       /* no name at all: the path is a root directory */
    SDSIM_NAME_SHORT_ONLY = 0x40, /* look for the short form only */
};

struct sdsim_short_name {
    uint8_t bytes[11]; /* as in a directory entry: base and extension, upper case, blanks behind */
    uint8_t flags;     /* of enum sdsim_name_flags */
};

/*
 * Takes the next part off the UTF-8 path *path: its UTF-16 form to `name` (256 units, zero at the
 * end, trailing blanks and dots dropped) and its short form. *path is moved behind the part and the
 * separators that follow. SDSIM_FAT_INVALID_NAME for forbidden characters, bad UTF-8, an empty
 * part, or one of more than 255 units.
 */
enum sdsim_fat_result sdsim_name_take(const char **path, uint16_t *name,
                                      struct sdsim_short_name *short_name);

/* The same for a build without long names: a part that isn't 8.3 is invalid; `name` isn't set. */
enum sdsim_fat_result sdsim_name_take_short(const char **path, struct sdsim_short_name *short_name);

/* Try `number` (1 and up) of a short name for the long name `name`, made from `base`. */
void sdsim_name_number(const struct sdsim_short_name *base, const uint16_t *name, uint32_t number,
                       struct sdsim_short_name *numbered);

/* Units before the zero. */
uint32_t sdsim_name_length(const uint16_t *name);

/* The upper case of a UTF-16 unit, itself if it has none. */
uint16_t sdsim_upcase(uint16_t unit);

/* The sum over a short name that ties long-name slots to it. */
uint8_t sdsim_name_sum(const uint8_t short_name[11]);

/* exFAT: the hash of a name in upper case. */
uint16_t sdsim_name_hash(const uint16_t *name);

/* UTF-16 to UTF-8, cut at `size` bytes including the zero; unpaired surrogates become U+FFFD. */
void sdsim_name_print(const uint16_t *name, char *out, size_t size);

#endif

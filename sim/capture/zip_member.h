/*
 * A member of a zip file, unpacked as a whole.
 *
 * libzip unpacks member after member with zlib, in pieces; of a capture at a few samples a clock that
 * takes more time than all the rest. libdeflate takes less than half as long, but only does members as
 * a whole. So members of up to 8 MiB - sigrok makes them 4 MiB large - are read packed and unpacked
 * by libdeflate. Whoever finds that one can't be reads it through libzip, which also tells what is
 * wrong with it.
 *
 * Memory: the packed bytes, up to 8 MiB, and what libdeflate needs.
 *
 * Limits: deflated members only. Without libdeflate at build time there is none that can be unpacked.
 */
#ifndef SDSIM_CAPTURE_ZIP_MEMBER_H
#define SDSIM_CAPTURE_ZIP_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zip.h>

/* Bytes of a member, packed as well as unpacked. */
#define SDSIM_ZIP_WHOLE_MOST ((size_t)8 << 20)

struct sdsim_zip_unpacker;

/* Begins unpacking members of `zip`, which stays the caller's; NULL without memory, or if no member
 * can be unpacked. sdsim_zip_unpacker_free takes it, or NULL. */
struct sdsim_zip_unpacker *sdsim_zip_unpacker_new(zip_t *zip);
void sdsim_zip_unpacker_free(struct sdsim_zip_unpacker *unpacker);

/* Bytes of the member at `index` if it may be unpacked as a whole, else 0. `unpacker` may be NULL. */
size_t sdsim_zip_whole_size(const struct sdsim_zip_unpacker *unpacker, uint64_t index);

/* Unpacks a member, of which sdsim_zip_whole_size told `size`. False if it can't be read, is damaged,
 * or its check sum is wrong; what is in `out` then means nothing. */
bool sdsim_zip_whole(struct sdsim_zip_unpacker *unpacker, uint64_t index, void *out, size_t size);

#endif

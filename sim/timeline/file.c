#include "timeline/file.h"

#include <string.h>

static const char file_magic[8] = {'s', 'd', 's', 'i', 'm', 'T', 'L', '\n'};
static const char tail_magic[8] = {'T', 'L', 'E', 'N', 'D', '\n', '\0', '\0'};
static const char block_magic[4] = {'T', 'L', 'B', 'K'};

static void put32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(value >> 8 * i);
    }
}

static void put64(uint8_t *out, uint64_t value)
{
    put32(out, (uint32_t)value);
    put32(out + 4, (uint32_t)(value >> 32));
}

static uint32_t get32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static uint64_t get64(const uint8_t *in)
{
    return get32(in) | (uint64_t)get32(in + 4) << 32;
}

static uint32_t fnv(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ data[i]) * 16777619u;
    }
    return hash;
}

void sdsim_tl_put_head(uint8_t head[SDSIM_TL_HEAD])
{
    memcpy(head, file_magic, sizeof file_magic);
    put32(head + 8, SDSIM_TL_VERSION);
    put32(head + 12, 0);
}

const char *sdsim_tl_check_head(const uint8_t head[SDSIM_TL_HEAD])
{
    if (memcmp(head, file_magic, sizeof file_magic) != 0) {
        return "this is no timeline: it does not begin with \"sdsimTL\"";
    }
    if (get32(head + 8) != SDSIM_TL_VERSION || get32(head + 12) != 0) {
        return "the timeline is of a version this program does not know; record it again";
    }
    return NULL;
}

void sdsim_tl_put_block(uint8_t head[SDSIM_TL_BLOCK_HEAD], const struct sdsim_tl_block *block)
{
    memcpy(head, block_magic, sizeof block_magic);
    head[4] = block->type;
    head[5] = block->lane;
    head[6] = 0;
    head[7] = 0;
    put64(head + 8, block->first);
    put32(head + 16, block->count);
    put32(head + 20, block->unpacked);
    put32(head + 24, block->packed);
    put32(head + 28, fnv(head, 28));
}

const char *sdsim_tl_get_block(const uint8_t head[SDSIM_TL_BLOCK_HEAD],
                               struct sdsim_tl_block *block)
{
    if (memcmp(head, block_magic, sizeof block_magic) != 0) {
        return "no block begins here";
    }
    if (get32(head + 28) != fnv(head, 28)) {
        return "the check sum of the block's head is wrong";
    }
    block->type = head[4];
    block->lane = head[5];
    block->first = get64(head + 8);
    block->count = get32(head + 16);
    block->unpacked = get32(head + 20);
    block->packed = get32(head + 24);
    const bool known = block->type >= SDSIM_TL_TEXT && block->type <= SDSIM_TL_INDEX &&
                       block->lane < SDSIM_LANE_COUNT;
    return !known                                     ? "the block is of an unknown kind"
           : block->unpacked > SDSIM_TL_UNPACKED_MOST ? "the block is larger than any may be"
                                                      : NULL;
}

void sdsim_tl_put_tail(uint8_t tail[SDSIM_TL_TAIL], uint64_t index, uint64_t size)
{
    memcpy(tail, tail_magic, sizeof tail_magic);
    put64(tail + 8, index);
    put64(tail + 16, size);
    put32(tail + 24, 0);
    put32(tail + 28, fnv(tail, 28));
}

bool sdsim_tl_get_tail(const uint8_t tail[SDSIM_TL_TAIL], uint64_t size, uint64_t *index)
{
    *index = get64(tail + 8);
    return memcmp(tail, tail_magic, sizeof tail_magic) == 0 && get64(tail + 16) == size &&
           get32(tail + 28) == fnv(tail, 28) && *index < size;
}

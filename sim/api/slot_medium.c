/* What the card of a slot holds, past the bus: image files and sectors. */
#include "api/slot.h"

/* ---- image files ---- */

/* An erased medium with the image over it, NULL after a message. */
static struct sdsim_medium *medium_of_image(uint32_t sectors, const char *path,
                                            struct sdsim_diags *diags)
{
    struct sdsim_medium *medium = sdsim_medium_create(sectors, 0);
    if (medium == NULL) {
        sdsim_error(diags, path, "no memory for the image");
    } else if (!sdsim_medium_load(medium, 0, path, diags)) {
        sdsim_medium_destroy(medium);
        medium = NULL;
    }
    return medium;
}

/* The part that load and save share: a card and a path. */
static int32_t need_card_and_path(struct sdsim_slot *slot, const char *path)
{
    const int32_t result = sdsim_slot_need_card(slot);
    if (result == SDSIM_OK && path == NULL) {
        return sdsim_slot_fail(slot, SDSIM_E_ARGUMENT, "the path of an image is NULL");
    }
    return result;
}

int32_t sdsim_slot_load_image(struct sdsim_slot *slot, const char *path)
{
    int32_t result = need_card_and_path(slot, path);
    if (result != SDSIM_OK) {
        return result;
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = medium_of_image(sdsim_medium_sectors(slot->medium), path, &diags);
    if (medium != NULL) {
        sdsim_medium_destroy(slot->medium);
        slot->medium = medium;
        slot->card.medium = medium;
    } else {
        result = sdsim_slot_fail_with(slot, SDSIM_E_IMAGE, &diags);
    }
    sdsim_diags_free(&diags);
    return result;
}

int32_t sdsim_slot_save_image(struct sdsim_slot *slot, const char *path)
{
    int32_t result = need_card_and_path(slot, path);
    if (result != SDSIM_OK) {
        return result;
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    if (!sdsim_medium_save(slot->medium, path, &diags)) {
        result = sdsim_slot_fail_with(slot, SDSIM_E_IMAGE, &diags);
    }
    sdsim_diags_free(&diags);
    return result;
}

/* ---- sectors ---- */

static int32_t need_sectors(struct sdsim_slot *slot, uint32_t lba, uint32_t count)
{
    const int32_t result = sdsim_slot_need_card(slot);
    if (result != SDSIM_OK) {
        return result;
    }
    const uint32_t sectors = sdsim_medium_sectors(slot->medium);
    if (lba > sectors || count > sectors - lba) {
        return sdsim_slot_fail(slot, SDSIM_E_ARGUMENT,
                               "sectors %lu and %lu more; the card has %lu sectors",
                               (unsigned long)lba, (unsigned long)count, (unsigned long)sectors);
    }
    return SDSIM_OK;
}

static int32_t no_buffer(struct sdsim_slot *slot)
{
    return sdsim_slot_fail(slot, SDSIM_E_ARGUMENT, "the buffer is NULL");
}

static int32_t done(struct sdsim_slot *slot, bool fine)
{
    return fine ? SDSIM_OK : sdsim_slot_fail(slot, SDSIM_E_MEMORY, "out of memory");
}

int32_t sdsim_slot_read_sectors(struct sdsim_slot *slot, uint32_t lba, uint32_t count, void *out)
{
    const int32_t result = need_sectors(slot, lba, count);
    if (result != SDSIM_OK || count == 0) {
        return result;
    }
    if (out == NULL) {
        return no_buffer(slot);
    }
    sdsim_medium_read(slot->medium, lba, count, out);
    return sdsim_medium_failed(slot->medium)
               ? sdsim_slot_fail(slot, SDSIM_E_READ, "the image file can't be read")
               : SDSIM_OK;
}

int32_t sdsim_slot_write_sectors(struct sdsim_slot *slot, uint32_t lba, uint32_t count,
                                 const void *data)
{
    const int32_t result = need_sectors(slot, lba, count);
    if (result != SDSIM_OK || count == 0) {
        return result;
    }
    if (data == NULL) {
        return no_buffer(slot);
    }
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = data};
    return done(slot, sdsim_medium_write(slot->medium, lba, count, &content));
}

int32_t sdsim_slot_erase_sectors(struct sdsim_slot *slot, uint32_t lba, uint32_t count)
{
    const int32_t result = need_sectors(slot, lba, count);
    if (result != SDSIM_OK || count == 0) {
        return result;
    }
    return done(slot, sdsim_medium_erase(slot->medium, lba, count));
}

/*
 * Images of cards, and what commands that work on them are told about volumes and cards.
 *
 * All functions print a message on stderr when they fail.
 */
#ifndef SDSIM_TOOLS_IMAGES_H
#define SDSIM_TOOLS_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "card/params.h"
#include "command.h"
#include "fat/volume.h"
#include "flash/medium.h"
#include "session.h"

/* A size that is a whole number of sectors, 1 to 2^32 - 1. `what` names it: "--size". */
bool sdsim_take_sectors(const char *what, const char *text, uint32_t *sectors);

/* "fat12", "fat16", "fat32", "exfat", or "auto", which is SDSIM_FAT_UNMOUNTED. */
bool sdsim_take_volume_type(const char *text, enum sdsim_fat_type *type);

/* A card's parameters, by name or file; they live as long as the session. False with messages in
 * it. */
bool sdsim_read_card(struct sdsim_cli_session *session, const char *name,
                     struct sdsim_card_params *card);

/* Capacity and AU of a card, by name or file. */
bool sdsim_take_card(const char *name, uint32_t *sectors, uint32_t *au_sectors);

/* An image file, or a block device, as a medium of its size; the file is not changed. NULL if it
 * can't be opened. The caller destroys it. */
struct sdsim_medium *sdsim_image_open_medium(const char *path);

/* Whether an image may be written to `path`: nothing is there, or it is a regular file and may be
 * replaced. */
bool sdsim_image_may_write(const char *path, bool replace);

/* Writes an image, whole or not at all. */
enum sdsim_exit sdsim_image_store(const struct sdsim_medium *medium, const char *path);

#endif

#include "images.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "flash/image.h"
#include "option_units.h"
#include "session.h"
#include "setup/params.h"
#include "setup/schemas.h"

bool sdsim_take_sectors(const char *what, const char *text, uint32_t *sectors)
{
    uint64_t bytes;
    if (!sdsim_text_take(what, text, SDSIM_UNIT_SIZE, SDSIM_SECTOR, SDSIM_MOST_CARD_BYTES,
                         &bytes)) {
        return false;
    }
    if (bytes % SDSIM_SECTOR != 0) {
        fprintf(stderr, "error: %s takes a multiple of 512 bytes, not '%s'\n", what, text);
        return false;
    }
    *sectors = (uint32_t)(bytes / SDSIM_SECTOR);
    return true;
}

bool sdsim_take_volume_type(const char *text, enum sdsim_fat_type *type)
{
    static const char *const names[] = {[SDSIM_FAT_UNMOUNTED] = "auto",
                                        [SDSIM_FAT12] = "fat12",
                                        [SDSIM_FAT16] = "fat16",
                                        [SDSIM_FAT32] = "fat32",
                                        [SDSIM_EXFAT] = "exfat"};
    enum { TYPES = sizeof names / sizeof *names };
    for (int i = 0; i < TYPES; i++) {
        if (strcmp(names[i], text) == 0) {
            *type = (enum sdsim_fat_type)i;
            return true;
        }
    }
    const char *closest = sdsim_closest(text, names, TYPES);
    fprintf(stderr, "error: there is no volume type '%s'\n", text);
    fprintf(stderr,
            closest != NULL ? "help: did you mean '%s'?\n"
                            : "help: the types are fat12, fat16, fat32, exfat and auto\n",
            closest);
    return false;
}

bool sdsim_read_card(struct sdsim_cli_session *session, const char *name,
                     struct sdsim_card_params *card)
{
    const struct sdsim_draw typical = {.k = 0};
    const char *path = sdsim_cli_find(session, "card", name);
    const struct sdsim_node *tree =
        path != NULL ? sdsim_cli_load(session, "card", path, NULL) : NULL;
    return tree != NULL && sdsim_bind(session->config, &sdsim_card_schema, tree, path, &typical,
                                      card, &session->diags);
}

bool sdsim_take_card(const char *name, uint32_t *sectors, uint32_t *au_sectors)
{
    struct sdsim_cli_session session;
    struct sdsim_card_params card;
    bool taken = false;
    if (sdsim_cli_open(&session)) {
        taken = sdsim_read_card(&session, name, &card);
        (void)sdsim_cli_report(&session);
    }
    sdsim_cli_close(&session);
    if (taken) {
        *sectors = (uint32_t)(card.capacity / SDSIM_SECTOR);
        *au_sectors = (uint32_t)(card.au_bytes / SDSIM_SECTOR);
    }
    return taken;
}

/* Size of an image in sectors; 0 with a message. */
static uint32_t sectors_of(const char *path, struct sdsim_diags *diags)
{
    struct sdsim_image *image = sdsim_image_open(path, diags);
    if (image == NULL) {
        return 0;
    }
    const uint64_t sectors = sdsim_image_sectors(image);
    sdsim_image_release(image);
    if (sectors > UINT32_MAX) {
        sdsim_error(diags, path, "is larger than 2TiB");
        return 0;
    }
    return (uint32_t)sectors;
}

struct sdsim_medium *sdsim_image_open_medium(const char *path)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const uint32_t sectors = sectors_of(path, &diags);
    struct sdsim_medium *medium = sectors > 0 ? sdsim_medium_create(sectors, 0) : NULL;
    if (sectors > 0 && medium == NULL) {
        sdsim_error(&diags, path, "out of memory");
    }
    if (medium != NULL && !sdsim_medium_load(medium, 0, path, &diags)) {
        sdsim_medium_destroy(medium);
        medium = NULL;
    }
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    return medium;
}

bool sdsim_image_may_write(const char *path, bool replace)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        const bool absent = errno == ENOENT && path[0] != '\0';
        const bool is_link = absent && lstat(path, &status) == 0;
        if (is_link) {
            fprintf(stderr, "error: %s is a link that leads nowhere\n", path);
        } else if (!absent) {
            fprintf(stderr, "error: '%s': %s\n", path, strerror(errno));
        }
        return absent && !is_link;
    }
    if (!S_ISREG(status.st_mode)) {
        fprintf(stderr, "error: %s is no regular file\n", path);
        return false;
    }
    if (!replace) {
        fprintf(stderr, "error: %s exists already\nhelp: --force replaces it\n", path);
    }
    return replace;
}

enum sdsim_exit sdsim_image_store(const struct sdsim_medium *medium, const char *path)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    char *real = realpath(path, NULL); /* a link stays one: what it points to is replaced */
    const bool stored = sdsim_medium_save(medium, real != NULL ? real : path, &diags);
    free(real);
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    return stored ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}

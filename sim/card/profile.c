#include "card/profile.h"

#include <string.h>

#include "card/schema.h"
#include "core/rng.h"

#define GB  1000000000u
#define GIB 1073741824u

/* ---- what follows from what was bound ---- */

/* The specification's limit for one busy: section 4.6.2.2, 250 ms and for SDXC 500 ms at the end.
 */
static sdsim_ps class_busy_limit(enum sdsim_card_type type)
{
    return type == SDSIM_SDXC ? 500 * SDSIM_MS : 250 * SDSIM_MS;
}

static sdsim_ps times(sdsim_ps time, double factor)
{
    return (sdsim_ps)((double)time * factor + 0.5);
}

/* What the condition of a card makes of the values of a fresh one. */
static void wear_card(struct sdsim_card_params *card)
{
    struct sdsim_flash_params *flash = &card->flash;
    if (card->wear != SDSIM_CARD_POWER_UP) {
        flash->start_count = 0;
    }
    if (card->wear == SDSIM_CARD_USED) {
        flash->pause_length = times(flash->pause_length, card->used_pause);
    } else if (card->wear == SDSIM_CARD_FULL) {
        sdsim_ps *const slower[] = {
            &flash->w1,    &flash->wn,      &flash->wpg,  &flash->wstop,     &flash->wstop_large,
            &flash->w_fat, &flash->w_small, &flash->rand, &flash->rand_full, &flash->pause_length,
        };
        for (size_t i = 0; i < sizeof slower / sizeof *slower; i++) {
            *slower[i] = times(*slower[i], card->full_write);
        }
    } else if (card->wear == SDSIM_CARD_HOUSEKEEPING) {
        /* Measured: as much for a lone block as for a stream of 64, so it is the same addition. */
        const sdsim_ps more = times(flash->w1, card->housekeeping - 1);
        flash->w1 += more;
        flash->wstop += more;
        flash->wstop_large += flash->wstop_large > 0 ? more : 0;
        flash->w_fat += flash->w_fat > 0 ? more : 0;
    }
}

void sdsim_card_derive(struct sdsim_card_params *card, uint32_t draw)
{
    struct sdsim_flash_params *flash = &card->flash;
    if (!card->busy_limit_given) {
        flash->busy_limit = class_busy_limit((enum sdsim_card_type)card->type);
    }
    flash->au_bytes = card->au_bytes / SDSIM_SECTOR * SDSIM_SECTOR;
    wear_card(card);
    if (draw > 0) {
        /* Drawn from a range, so any number; the least is one sector by the schema. */
        flash->page_bytes = flash->page_bytes / SDSIM_SECTOR * SDSIM_SECTOR;
    }
}

/* ---- one of several ---- */

bool sdsim_mixture_resolve(struct sdsim_config *config, const struct sdsim_node *card,
                           const struct sdsim_mixture **mixture, struct sdsim_diags *diags)
{
    const struct sdsim_node *list = sdsim_node_get(card, "mixture");
    *mixture = NULL;
    if (list == NULL || list->kind != SDSIM_NODE_LIST || list->count == 0) {
        return true;
    }
    struct sdsim_mixture *made = sdsim_config_alloc(config, 1, sizeof *made);
    struct sdsim_node **cards = sdsim_config_alloc(config, list->count, sizeof *cards);
    const char **names = sdsim_config_alloc(config, list->count, sizeof *names);
    if (made == NULL || cards == NULL || names == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct sdsim_node *item = list->items[i];
        names[i] = item->kind == SDSIM_NODE_SCALAR ? item->text : "(inline)";
        for (size_t j = 0; j < i && cards[i] == NULL; j++) {
            cards[i] = strcmp(names[i], names[j]) == 0 ? cards[j] : NULL;
        }
        if (cards[i] == NULL) {
            cards[i] = sdsim_config_resolve(config, "card", item, diags);
        }
        if (cards[i] == NULL) {
            return false;
        }
    }
    *made = (struct sdsim_mixture){.cards = cards, .names = names, .count = list->count};
    *mixture = made;
    return true;
}

/* One of the mixture, if the card is one: its behaviour in a card of the same kind and size. */
static bool choose_card(struct sdsim_config *config, const struct sdsim_card_profile *profile,
                        const struct sdsim_draw *draw, struct sdsim_card_params *card,
                        struct sdsim_diags *diags)
{
    if (profile->mixture == NULL || draw->k == 0) {
        return true;
    }
    const uint64_t hash = sdsim_hash_number(sdsim_hash_text(draw->seed, "mixture"), draw->k);
    const size_t index =
        (size_t)(sdsim_hash_unit(hash) * (double)profile->mixture->count) % profile->mixture->count;
    const struct sdsim_card_params whole = *card;
    if (!sdsim_bind(config, &sdsim_card_schema, profile->mixture->cards[index],
                    profile->mixture->names[index], draw, card, diags)) {
        return false;
    }
    card->version = whole.version;
    card->type = whole.type;
    card->capacity = whole.capacity;
    card->real_bytes = whole.real_bytes;
    return true;
}

bool sdsim_card_bind(struct sdsim_config *config, const struct sdsim_card_profile *profile,
                     const struct sdsim_draw *draw, struct sdsim_card_params *card,
                     struct sdsim_diags *diags)
{
    if (!sdsim_bind(config, &sdsim_card_schema, profile->tree, profile->name, draw, card, diags) ||
        !choose_card(config, profile, draw, card, diags)) {
        return false;
    }
    sdsim_card_derive(card, draw->k);
    return true;
}

/* ---- what a schema can't see ---- */

static bool one_of(uint64_t value, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i] == value) {
            return true;
        }
    }
    return false;
}

static bool check_capacity(const struct sdsim_node *tree, const struct sdsim_card_params *card,
                           struct sdsim_diags *diags)
{
    /* Physical Layer Specification, section 2: up to 2 GB, 32 GB, 2 TB; makers count in GB. */
    static const struct {
        uint64_t least;
        uint64_t most;
        const char *text;
    } limits[] = {
        [SDSIM_SDSC] = {0, (uint64_t)2 * GIB, "an SDSC card holds at most 2GB"},
        [SDSIM_SDHC] = {0, (uint64_t)32 * GIB, "an SDHC card holds at most 32GB"},
        [SDSIM_SDXC] = {(uint64_t)32 * GB, (uint64_t)2048 * GIB, "an SDXC card holds over 32GB"},
    };
    if (card->capacity >= limits[card->type].least && card->capacity <= limits[card->type].most) {
        return true;
    }
    return sdsim_complain(diags, tree, "capacity", "change `type`, or the capacity",
                          limits[card->type].text);
}

static bool check_marks(const struct sdsim_node *tree, const struct sdsim_card_params *card,
                        struct sdsim_diags *diags)
{
    static const uint64_t speed[] = {0, 2, 4, 6, 10};
    static const uint64_t uhs[] = {0, 1, 3};
    static const uint64_t video[] = {0, 6, 10, 30, 60, 90};
    bool fine = true;
    if (!one_of(card->speed_class, speed, sizeof speed / sizeof *speed)) {
        fine = sdsim_complain(diags, tree, "speed_class", "0, 2, 4, 6 or 10",
                              "there is no such speed class");
    }
    if (!one_of(card->uhs_grade, uhs, sizeof uhs / sizeof *uhs)) {
        fine = sdsim_complain(diags, tree, "uhs_grade", "0, 1 or 3", "there is no such UHS grade");
    }
    if (!one_of(card->video_class, video, sizeof video / sizeof *video)) {
        fine = sdsim_complain(diags, tree, "video_class", "0, 6, 10, 30, 60 or 90",
                              "there is no such video class");
    }
    if (card->type != SDSIM_SDSC && sdsim_card_version(card) < SDSIM_VERSION_2_00) {
        fine = sdsim_complain(diags, tree, "version", "version: 2 or 3",
                              "high-capacity cards came with version 2");
    }
    if (card->high_hz > 0 && sdsim_card_version(card) < SDSIM_VERSION_1_10) {
        fine = sdsim_complain(diags, tree, "high_speed_clock", "version: 1.1, or leave it out",
                              "high speed came with version 1.10");
    }
    if (card->oem != NULL && strlen(card->oem) > 2) {
        fine = sdsim_complain(diags, tree, "oem", NULL, "an OEM ID has at most two characters");
    }
    if (card->product != NULL && strlen(card->product) > 5) {
        fine = sdsim_complain(diags, tree, "product", NULL,
                              "a product name has at most five characters");
    }
    return fine;
}

static bool check_flash(const struct sdsim_node *tree, const struct sdsim_flash_params *flash,
                        struct sdsim_diags *diags)
{
    bool fine = true;
    if (flash->page_bytes % SDSIM_SECTOR != 0) {
        fine = sdsim_complain(diags, tree, "page", NULL, "a page group is a multiple of 512B");
    }
    if (flash->small_bytes % SDSIM_SECTOR != 0) {
        fine = sdsim_complain(diags, tree, "small", NULL, "small writes are a multiple of 512B");
    }
    if (flash->pause_every > 0 && flash->pause_every < SDSIM_SECTOR) {
        fine = sdsim_complain(diags, tree, "pause_every", "leave it out for a card without pauses",
                              "a pause can't come more often than with each sector");
    }
    if (flash->rare_every > 0 && flash->rare_every < SDSIM_SECTOR) {
        fine = sdsim_complain(diags, tree, "rare_every", "leave it out for a card without them",
                              "a pause can't come more often than with each sector");
    }
    return fine;
}

bool sdsim_card_check(const struct sdsim_node *tree, const struct sdsim_card_params *card,
                      struct sdsim_diags *diags)
{
    const size_t before = diags->errors;
    (void)check_capacity(tree, card, diags);
    (void)check_marks(tree, card, diags);
    (void)check_flash(tree, &card->flash, diags);
    return diags->errors == before;
}

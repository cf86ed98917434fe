/*
 * The card of a slot: from a profile to a card that is switched on, and what it holds.
 *
 * Whatever replaces something is made completely first, so that a failure leaves the slot as it was.
 */
#include "api/slot.h"

#include <string.h>

#include "card/profile.h"

/* The card without a profile: a plain one of today, all values typical for its class. */
static const char plain_name[] = "(plain card)";
static const char plain_card[] = "kind: card\n"
                                 "type: sdhc\n"
                                 "capacity: 4GB\n"
                                 "high_speed_clock: 50MHz\n"
                                 "speed_class: 10\n"
                                 "product: SDSIM\n"
                                 "page: 32KiB\n"
                                 "rd1: 250us\n"
                                 "w1: 800us\n"
                                 "wn: 1us\n"
                                 "wpg: 300us\n"
                                 "wstop: 1ms\n"
                                 "erase: 1500us\n";

/* A profile as asked for: by name or path (`text` NULL), or as a text. */
struct wanted {
    const char *name;
    const char *text;
    size_t size;
};

/* What is made of it before it goes into the slot. */
struct made {
    struct sdsim_config *config;
    struct sdsim_card_params params;
    struct sdsim_medium *medium;
};

static const struct sdsim_node *load(struct sdsim_config *config, const struct wanted *wanted,
                                     struct sdsim_diags *diags)
{
    if (wanted->text == NULL) {
        return sdsim_config_profile(config, "card", wanted->name, NULL, diags);
    }
    const struct sdsim_node *tree =
        sdsim_config_parse_text(config, wanted->name, wanted->text, wanted->size, diags);
    return tree != NULL ? sdsim_config_resolve(config, "card", tree, diags) : NULL;
}

/* Loads, checks and binds. Typical values are checked, as for all profiles; draws lie around them. */
static bool bind(struct made *made, const struct wanted *wanted, uint64_t seed, uint32_t draw,
                 struct sdsim_diags *diags)
{
    struct sdsim_card_profile profile = {.name = wanted->name,
                                         .tree = load(made->config, wanted, diags)};
    const struct sdsim_draw typical = {.seed = seed};
    const struct sdsim_draw drawn = {.seed = seed, .k = draw};
    return profile.tree != NULL &&
           sdsim_mixture_resolve(made->config, profile.tree, &profile.mixture, diags) &&
           sdsim_card_bind(made->config, &profile, &typical, &made->params, diags) &&
           sdsim_card_check(profile.tree, &made->params, diags) &&
           sdsim_card_bind(made->config, &profile, &drawn, &made->params, diags);
}

static int32_t make(struct sdsim_slot *slot, const struct wanted *wanted, uint64_t seed,
                    uint32_t draw, struct made *made)
{
    made->config = sdsim_config_create(slot->data_dir);
    if (made->config == NULL) {
        return sdsim_slot_fail(slot, SDSIM_E_MEMORY, "out of memory");
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    int32_t result = SDSIM_OK;
    if (!bind(made, wanted, seed, draw, &diags)) {
        result = sdsim_slot_fail_with(slot, SDSIM_E_PROFILE, &diags);
    }
    sdsim_diags_free(&diags);
    if (result == SDSIM_OK) {
        made->medium = sdsim_medium_create(sdsim_csd_sectors(&made->params), 0);
        if (made->medium == NULL) {
            result = sdsim_slot_fail(slot, SDSIM_E_MEMORY, "out of memory");
        }
    }
    return result;
}

/* The faces of a card that has just got its power. */
static void connect(struct sdsim_slot *slot)
{
    sdsim_spi_pins_init(&slot->spi, &slot->card);
    sdsim_sd_pins_init(&slot->sd, &slot->card);
    sdsim_spi_select(&slot->spi, slot->selected);
    slot->early_count = 0;
    slot->powered = true;
    sdsim_slot_timeline_power(&slot->timeline, slot->now);
}

static int32_t insert(struct sdsim_slot *slot, const struct wanted *wanted, uint64_t seed,
                      uint32_t draw)
{
    struct made made = {.config = NULL};
    const int32_t result = make(slot, wanted, seed, draw, &made);
    if (result != SDSIM_OK) {
        sdsim_config_destroy(made.config);
        return result;
    }
    sdsim_medium_destroy(slot->medium);
    sdsim_config_destroy(slot->config);
    slot->config = made.config;
    slot->medium = made.medium;
    slot->params = made.params;
    slot->faults = (struct sdsim_faults){.removed = false};
    sdsim_card_init(&slot->card, &slot->params, slot->medium, seed, draw);
    sdsim_card_power_up(&slot->card, slot->now);
    slot->card.faults = &slot->faults;
    connect(slot);
    return SDSIM_OK;
}

int32_t sdsim_slot_insert(struct sdsim_slot *slot, const char *profile, uint64_t seed,
                          uint32_t draw)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    const struct wanted plain = {plain_name, plain_card, sizeof plain_card - 1};
    const struct wanted named = {profile, NULL, 0};
    return insert(slot, profile != NULL ? &named : &plain, seed, draw);
}

int32_t sdsim_slot_insert_text(struct sdsim_slot *slot, const char *name, const char *text,
                               size_t size, uint64_t seed, uint32_t draw)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    if (name == NULL || text == NULL) {
        return sdsim_slot_fail(slot, SDSIM_E_ARGUMENT, "a profile without name or text");
    }
    const struct wanted wanted = {name, text, size};
    return insert(slot, &wanted, seed, draw);
}

int32_t sdsim_slot_power(struct sdsim_slot *slot, int32_t on)
{
    const int32_t result = sdsim_slot_need_card(slot);
    if (result != SDSIM_OK) {
        return result;
    }
    if (on == 0) {
        slot->powered = false;
        sdsim_slot_timeline_power(&slot->timeline, slot->now);
    } else if (!slot->powered || slot->faults.removed) {
        memset(slot->faults.armed, 0, sizeof slot->faults.armed);
        sdsim_faults_insert(&slot->faults);
        sdsim_card_power_up(&slot->card, slot->now);
        connect(slot);
    }
    return SDSIM_OK;
}

uint32_t sdsim_slot_sectors(const struct sdsim_slot *slot)
{
    return slot != NULL && slot->config != NULL ? sdsim_medium_sectors(slot->medium) : 0;
}

uint64_t sdsim_slot_rated_clock(const struct sdsim_slot *slot, int32_t high_speed)
{
    if (slot == NULL || slot->config == NULL) {
        return 0;
    }
    return high_speed != 0 ? slot->params.high_hz : slot->params.spi_hz;
}

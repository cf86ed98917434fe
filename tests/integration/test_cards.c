/*
 * Every card profile there is, held against what is known about cards: none breaks what its speed
 * class promises, each shows its open-AU limit, their pauses come as measured ones do, and their
 * conditions do what they are said to do.
 *
 * What holds for a card however it was fitted is tested on its values as they are. What its sources
 * say is tested where fits of it start, for a fit may move a value: cards by themselves within what
 * the sources give, named ones, which have no start but their class, within what their values may
 * be off.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setup/schemas.h"
#include "setup/simulate.h"

#define US SDSIM_US
#define MS SDSIM_MS

enum { MOST_CARDS = 200, NAME = 64, MOST_OVERRIDES = 64, OVERRIDE = 128 };

struct fixture {
    struct sdsim_config *config;
    struct sdsim_diags diags;
    char names[MOST_CARDS][NAME];
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    DIR *folder = opendir("cards");
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const char *end = strstr(entry->d_name, ".yaml");
        if (end != NULL && end[5] == '\0' && fixture->count < MOST_CARDS) {
            snprintf(fixture->names[fixture->count++], NAME, "%.*s", (int)(end - entry->d_name),
                     entry->d_name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    qsort(fixture->names, fixture->count, NAME, by_name);
    fixture->config = sdsim_config_create(".");
    sdsim_diags_init(&fixture->diags);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    sdsim_diags_free(&fixture->diags);
    sdsim_config_destroy(fixture->config);
    free(fixture);
    return 0;
}

/* The first run of a set-up that fits any card. */
static const struct sdsim_run *load(struct fixture *fixture, const char *const *overrides)
{
    const struct sdsim_scenario *scenario = sdsim_scenario_load(
        fixture->config, "scenarios/esp32s3-raw.yaml", overrides, &fixture->diags);
    if (scenario == NULL) {
        sdsim_diags_print(&fixture->diags, stderr);
        fail_msg("%s does not load", overrides[0]);
    }
    return &scenario->runs[0];
}

static struct sdsim_card_params bind_with(struct fixture *fixture, const char *const *overrides,
                                          uint32_t draw)
{
    struct sdsim_setup setup;
    if (!sdsim_setup_bind(fixture->config, load(fixture, overrides), draw, &setup,
                          &fixture->diags)) {
        sdsim_diags_print(&fixture->diags, stderr);
        fail_msg("%s does not bind", overrides[0]);
    }
    return setup.card;
}

/* A card as it is; `more` is another override or NULL. */
static struct sdsim_card_params bind(struct fixture *fixture, const char *name, const char *more,
                                     uint32_t draw)
{
    char card[NAME + 8];
    snprintf(card, sizeof card, "card=%s", name);
    const char *const overrides[] = {card, more, NULL};
    return bind_with(fixture, overrides, draw);
}

struct overrides {
    char text[MOST_OVERRIDES][OVERRIDE];
    const char *list[MOST_OVERRIDES + 1];
    size_t count;
};

static void add_override(struct overrides *overrides, const char *path, const char *value)
{
    assert_true(overrides->count < MOST_OVERRIDES);
    char *text = overrides->text[overrides->count];
    assert_true(snprintf(text, OVERRIDE, "%s=%s", path, value) < OVERRIDE);
    overrides->list[overrides->count++] = text;
}

static void add_start(void *context, const struct sdsim_value_info *info)
{
    if (info->origin == SDSIM_FROM_FITTED && info->start != NULL) {
        char path[NAME];
        assert_true(snprintf(path, sizeof path, "card.%s", info->path) < (int)sizeof path);
        add_override(context, path, info->start);
    }
}

/* A typical card, each fitted value put back to its start; the state is one of card.state. */
static struct sdsim_card_params bind_start(struct fixture *fixture, const char *name,
                                           const char *condition)
{
    static struct overrides overrides;
    memset(&overrides, 0, sizeof overrides);
    add_override(&overrides, "card", name);
    const struct sdsim_run *run = load(fixture, overrides.list);
    sdsim_schema_values(&sdsim_card_schema, run->card, add_start, &overrides);
    if (condition != NULL) {
        add_override(&overrides, "card.state", condition);
    }
    return bind_with(fixture, overrides.list, 0);
}

/* ---- promises ---- */

static uint64_t class_move_rate(uint64_t speed_class)
{
    return speed_class == 2 ? 1000000 : speed_class == 4 ? 2000000 : speed_class > 4 ? 3000000 : 0;
}

static void classes_are_kept(void **state)
{
    struct fixture *fixture = *state;
    assert_true(fixture->count >= 40);
    for (size_t i = 0; i < fixture->count; i++) {
        for (uint32_t draw = 0; draw <= 8; draw++) {
            const struct sdsim_card_params card = bind(fixture, fixture->names[i], NULL, draw);
            const uint64_t move = class_move_rate(card.speed_class);
            const sdsim_ps merge = sdsim_au_full_merge(&card.flash);
            if (move > 0 && merge > card.flash.au_bytes * (SDSIM_S / move)) {
                fail_msg("%s, draw %u: a merge of %llu ms", fixture->names[i], (unsigned)draw,
                         (unsigned long long)(merge / MS));
            }
        }
    }
}

static void check_fitted(void *context, const struct sdsim_value_info *info)
{
    if (info->origin == SDSIM_FROM_FITTED && (info->range == NULL || info->source == NULL)) {
        fail_msg("%s: %s is fitted, but has no range or no source", (const char *)context,
                 info->path);
    }
}

/* A fitted value says how far off it may be and what its start, its class or its name, is from. */
static void fitted_values_have_ranges(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < fixture->count; i++) {
        char card[NAME + 8];
        snprintf(card, sizeof card, "card=%s", fixture->names[i]);
        const char *const overrides[] = {card, NULL};
        const struct sdsim_run *run = load(fixture, overrides);
        sdsim_schema_values(&sdsim_card_schema, run->card, check_fitted, fixture->names[i]);
    }
}

/* Lint says what the test of classes would. */
static void lint_tells_of_broken_classes(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *card;
        const char *override;
        const char *text; /* of the warning, or NULL */
    } rows[] = {
        {"sdhc4g-c4", "seed=1", NULL},
        {"sdhc4g-c4", "card.move_rate=1.9MB/s",
         "the merge of an AU takes longer than speed class 4"},
        {"sdhc32g-a1", "card.fold_rate=9MB/s", "writes slower than its classes allow"},
        {"sdhc32g-a1", "card.fold_rate=10MB/s", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char card[NAME + 8];
        snprintf(card, sizeof card, "card=%s", rows[i].card);
        const char *const overrides[] = {card, rows[i].override, NULL};
        const struct sdsim_scenario *scenario = sdsim_scenario_load(
            fixture->config, "scenarios/esp32s3-raw.yaml", overrides, &fixture->diags);
        assert_non_null(scenario);
        struct sdsim_setup setup;
        assert_true(
            sdsim_setup_bind(fixture->config, &scenario->runs[0], 0, &setup, &fixture->diags));
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        sdsim_setup_lint(&scenario->runs[0], &setup, &diags);
        bool told = false;
        bool class = false;
        for (size_t d = 0; d < diags.count; d++) {
            told |= rows[i].text != NULL && strstr(diags.items[d].text, rows[i].text) != NULL;
            class |= strstr(diags.items[d].text, "class") != NULL;
        }
        sdsim_diags_free(&diags);
        assert_int_equal(told, rows[i].text != NULL);
        assert_int_equal(class, rows[i].text != NULL);
    }
}

/* No measurement could mean two cards. What a card is based on has names of its own. */
static void names_are_unique(void **state)
{
    struct fixture *fixture = *state;
    static const char *seen[500];
    size_t count = 0;
    for (size_t i = 0; i < fixture->count; i++) {
        char path[NAME + 16];
        snprintf(path, sizeof path, "cards/%s.yaml", fixture->names[i]);
        const struct sdsim_node *names =
            sdsim_node_get(sdsim_config_parse(fixture->config, path, &fixture->diags), "matches");
        assert_true(names == NULL || names->kind == SDSIM_NODE_LIST);
        for (size_t n = 0; names != NULL && n < names->count && count < 500; n++) {
            const char *name = names->items[n]->text;
            for (size_t s = 0; s < count; s++) {
                if (strcmp(seen[s], name) == 0) {
                    fail_msg("%s: '%s' is another card's, too", fixture->names[i], name);
                }
            }
            seen[count++] = name;
        }
    }
    assert_true(count >= 35);
}

/* ---- the open-AU test of flashbench ---- */

/* One direct write on a fast host: its time. */
static sdsim_ps operation(struct sdsim_flash *flash, sdsim_ps *now, uint32_t lba, uint32_t blocks)
{
    const sdsim_ps start = *now;
    struct sdsim_ready busy = {.at = start};
    sdsim_flash_write_first(flash, start, lba, 0);
    for (uint32_t i = 0; i < blocks; i++) {
        busy = sdsim_flash_write_block(flash, busy.at + 25 * US);
    }
    *now = sdsim_flash_write_stop(flash, busy.at, busy).at;
    return *now - start;
}

/* Mean time of writes in turns to `aus` AUs in the middle of the card; without regular pauses. */
static sdsim_ps open_au_run(const struct sdsim_card_params *card, uint32_t aus, uint32_t blocks)
{
    struct sdsim_flash_params params = card->flash;
    struct sdsim_flash flash;
    params.pause_every = 0;
    params.rare_every = 0;
    sdsim_flash_init(&flash, &params, 1, 0);
    const uint32_t au = (uint32_t)(params.au_bytes / SDSIM_SECTOR);
    const uint32_t first = (uint32_t)(card->capacity / SDSIM_SECTOR / au / 2) * au;
    enum { ROUNDS = 8 };
    sdsim_ps now = 0;
    sdsim_ps sum = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < aus; i++) {
            const sdsim_ps one =
                operation(&flash, &now, first + 2 * i * au + round * blocks, blocks);
            sum += round >= ROUNDS / 2 ? one : 0;
        }
    }
    return sum / (ROUNDS / 2 * aus);
}

/* Limits, and the time of a write of 64 KiB over the limit, as published flashbench runs have them;
 * the time of named cards within the 40 % their values may be off. */
static void cliffs_as_measured(void **state)
{
    static const struct {
        const char *card;
        uint32_t limit;
        unsigned least; /* ms */
        unsigned most;
    } rows[] = {
        {"phison-sd8gb", 3, 450, 950}, {"sandisk-su04g-4gb", 4, 10, 28},
        {"card-4-usb", 4, 10, 28},     {"mid41-sd8gb", 6, 560, 1110},
        {"card-3-usb", 6, 560, 1110},  {"sdhc4g-c4", 3, 450, 520},
        {"sdhc8g-c4", 6, 760, 830},    {"budget-c4-phison", 3, 800, 920},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sdsim_card_params card = bind_start(*state, rows[i].card, NULL);
        assert_int_equal(card.flash.open_aus, rows[i].limit);
        const sdsim_ps one = open_au_run(&card, 1, 128);
        const sdsim_ps within = open_au_run(&card, rows[i].limit, 128);
        const sdsim_ps beyond = open_au_run(&card, rows[i].limit + 1, 128);
        /* The test calls it the limit while the rate is above 55 %. */
        if (within > one * 100 / 55 || beyond < rows[i].least * MS || beyond > rows[i].most * MS) {
            fail_msg("%s: %llu, %llu, %llu ms", rows[i].card, (unsigned long long)(one / MS),
                     (unsigned long long)(within / MS), (unsigned long long)(beyond / MS));
        }
    }
    static const char *const without[] = {"jt-ncard-8gb", "transcend-usd-8gb-2014",
                                          "transcend-usd-8gb-2015", "card-16-usb", "sdnand-csnp4g"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        const struct sdsim_card_params card = bind_start(*state, without[i], NULL);
        assert_true(open_au_run(&card, 7, 128) < open_au_run(&card, 1, 128) * 100 / 55);
    }
}

/* Random 4 KiB writes over a gigabyte: within what the tables of such cards span. */
static void random_writes_as_measured(void **state)
{
    static const struct {
        const char *card;
        unsigned least; /* us */
        unsigned most;
    } rows[] = {
        {"sdhc32g-a1", 600, 1300},   {"sdxc64g-a2", 600, 1700},   {"high-endurance", 1200, 2000},
        {"sdhc32g-u1", 900, 5000},   {"sdxc128g-v30", 900, 6500}, {"sdhc16g-c10", 2700, 24000},
        {"sdhc4g-c4", 15000, 35000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_card_params card = bind_start(*state, rows[i].card, NULL);
        struct sdsim_flash flash;
        struct sdsim_rng rng;
        card.flash.pause_every = 0;
        card.flash.rare_every = 0;
        sdsim_flash_init(&flash, &card.flash, 1, 0);
        sdsim_rng_seed(&rng, 1);
        sdsim_ps now = 0;
        sdsim_ps sum = 0;
        enum { WRITES = 2000 };
        for (unsigned w = 0; w < WRITES; w++) {
            const uint32_t lba = 1000000 + 8 * (uint32_t)sdsim_rng_below(&rng, 250000);
            sum += operation(&flash, &now, lba, 8);
        }
        const uint64_t mean = sum / WRITES / US;
        if (mean < rows[i].least || mean > rows[i].most) {
            fail_msg("%s: %llu us", rows[i].card, (unsigned long long)mean);
        }
    }
}

/* ---- lone and multiple blocks ---- */

/* Mean times of CMD17, 64 blocks of CMD18, CMD24, and 8 and 64 blocks of CMD25, as the tables of
 * ironsheep/P2-uSD-FS have them; within 10 %. */
static void blocks_as_measured(void **state)
{
    struct fixture *fixture = *state;
    enum { RUNS = 5 };
    static const struct {
        const char *card;
        unsigned us[RUNS];
    } rows[] = {
        {"amazon-basics-64gb-a2", {411, 13509, 605, 2032, 14213}},
        {"lexar-play-128gb-a2", {625, 13535, 752, 2209, 14398}},
        {"sandisk-max-endurance-32gb", {513, 13608, 1551, 2591, 15211}},
        {"wd-purple-64gb", {556, 13634, 1534, 2540, 15250}},
        {"sandisk-switch-128gb", {577, 13617, 1542, 2782, 15220}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char card[NAME + 8];
        snprintf(card, sizeof card, "card=%s", rows[i].card);
        const char *const overrides[] = {card, NULL};
        const struct sdsim_scenario *scenario = sdsim_scenario_load(
            fixture->config, "tests/data/p2-raw.yaml", overrides, &fixture->diags);
        assert_non_null(scenario);
        assert_int_equal(scenario->count, RUNS);
        for (size_t r = 0; r < RUNS; r++) {
            struct sdsim_setup setup;
            struct sdsim_outcome_report report;
            assert_true(
                sdsim_setup_bind(fixture->config, &scenario->runs[r], 0, &setup, &fixture->diags));
            sdsim_simulate(&setup, NULL, &report);
            assert_string_equal(report.error, "");
            const uint64_t us = report.workload.elapsed / report.workload.calls / US;
            if (10 * us < 9 * (uint64_t)rows[i].us[r] || 10 * us > 11 * (uint64_t)rows[i].us[r]) {
                fail_msg("%s, %s: %llu us, not %u", rows[i].card, scenario->runs[r].id,
                         (unsigned long long)us, rows[i].us[r]);
            }
        }
    }
}

/* ---- pauses ---- */

/* Writes `bytes` in one stream from `lba` on; the longest busy. */
static sdsim_ps longest_in(struct sdsim_flash *flash, sdsim_ps *now, uint32_t lba, uint64_t bytes)
{
    sdsim_ps longest = 0;
    struct sdsim_ready busy = {.at = *now};
    sdsim_flash_write_first(flash, *now, lba, 0);
    for (uint64_t left = bytes / SDSIM_SECTOR; left > 0;) {
        const uint64_t alike = sdsim_flash_write_alike(flash, left);
        if (alike > 0) {
            sdsim_flash_write_skip(flash, alike);
            *now += alike * 30 * US;
            left -= alike;
            continue;
        }
        *now += 30 * US;
        busy = sdsim_flash_write_block(flash, *now);
        longest = busy.at - *now > longest ? busy.at - *now : longest;
        *now = busy.at;
        left--;
    }
    *now = sdsim_flash_write_stop(flash, *now, busy).at;
    return longest;
}

/* Ten passes of 5 MB over the same file find the same longest wait, within 5 % either way. */
static void passes_repeat(void **state)
{
    static const char *const cards[] = {"sdhc16g-c10", "fake-ultra-8gb", "sandisk-ultra-16gb",
                                        "sdsc64-slc", "fake-limbo"};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        for (uint32_t draw = 0; draw <= 4; draw++) {
            struct sdsim_card_params card = bind(*state, cards[i], NULL, draw);
            struct sdsim_flash flash;
            sdsim_ps now = 0;
            card.flash.rare_every = 0;
            sdsim_flash_init(&flash, &card.flash, 1, draw);
            /* The first pass may meet half a distance only. */
            (void)longest_in(&flash, &now, 40960, 5000000);
            for (unsigned pass = 0; pass < 10; pass++) {
                const sdsim_ps wait = longest_in(&flash, &now, 40960, 5000000);
                const sdsim_ps typical = card.flash.pause_length;
                if (wait < typical / 100 * 95 || wait > typical / 100 * 105 + 10 * MS) {
                    fail_msg("%s, draw %u, pass %u: %llu ms", cards[i], (unsigned)draw, pass,
                             (unsigned long long)(wait / MS));
                }
            }
        }
    }
}

static void long_runs_find_longer_pauses(void **state)
{
    static const char *const cards[] = {"sdxc64g-a2", "sdxc128g-v30", "sdhc32g-a1",
                                        "high-endurance"};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        const struct sdsim_card_params card = bind_start(*state, cards[i], NULL);
        struct sdsim_flash flash;
        sdsim_ps now = 0;
        sdsim_flash_init(&flash, &card.flash, 1, 0);
        const sdsim_ps in_50_mb = longest_in(&flash, &now, 65536, 50000000);
        const sdsim_ps in_15_gb = longest_in(&flash, &now, 200000, 15000000000);
        if (in_50_mb > 30 * MS || in_15_gb < 70 * MS || in_15_gb > 250 * MS) {
            fail_msg("%s: %llu and %llu ms", cards[i], (unsigned long long)(in_50_mb / MS),
                     (unsigned long long)(in_15_gb / MS));
        }
    }
}

/* A stream in order costs no merges, whatever the card. */
static void streams_need_no_merges(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < fixture->count; i++) {
        const struct sdsim_card_params card = bind(fixture, fixture->names[i], NULL, 0);
        struct sdsim_flash flash;
        sdsim_ps now = 0;
        sdsim_flash_init(&flash, &card.flash, 1, 0);
        const uint32_t au = (uint32_t)(card.flash.au_bytes / SDSIM_SECTOR);
        (void)longest_in(&flash, &now, 4 * au, 16 * card.flash.au_bytes);
        assert_int_equal(flash.translation.stats.merges, 0);
        assert_int_equal(flash.translation.stats.out_of_order, 0);
    }
}

/* ---- conditions ---- */

static void conditions(void **state)
{
    const struct sdsim_card_params fresh = bind_start(*state, "sdhc16g-c10", "fresh");
    const struct sdsim_card_params used = bind_start(*state, "sdhc16g-c10", "used");
    const struct sdsim_card_params full = bind_start(*state, "sdhc16g-c10", "full");
    const struct sdsim_card_params busy = bind_start(*state, "sdxc128g-v30", "housekeeping");
    const struct sdsim_card_params quiet = bind_start(*state, "sdxc128g-v30", NULL);
    const struct sdsim_card_params start = bind_start(*state, "sdhc16g-c10", "power-up");
    assert_int_equal(fresh.flash.start_count, 0);
    assert_int_equal(used.flash.pause_length, 14 * fresh.flash.pause_length);
    assert_int_equal(used.flash.w1, fresh.flash.w1);
    /* A tenth slower, whatever it writes; reads are as ever. */
    assert_int_equal(full.flash.w1, fresh.flash.w1 / 10 * 11);
    assert_int_equal(full.flash.rand, fresh.flash.rand / 10 * 11);
    assert_int_equal(full.flash.pause_length, fresh.flash.pause_length / 10 * 11);
    assert_int_equal(full.flash.rd1, fresh.flash.rd1);
    assert_int_equal(busy.flash.w1, 45 * quiet.flash.w1);
    assert_int_equal(busy.flash.wstop - quiet.flash.wstop, busy.flash.w1 - quiet.flash.w1);
    assert_int_equal(busy.flash.pause_length, quiet.flash.pause_length);
    assert_int_equal(start.flash.start_count, 3);
    assert_int_equal(start.flash.start_length, 180 * MS);
    /* Measured: 33 to 66 ms for every lone sector. */
    assert_in_range(busy.flash.w1 / MS, 33, 66);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_kept),
        cmocka_unit_test(fitted_values_have_ranges),
        cmocka_unit_test(lint_tells_of_broken_classes),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(cliffs_as_measured),
        cmocka_unit_test(random_writes_as_measured),
        cmocka_unit_test(blocks_as_measured),
        cmocka_unit_test(passes_repeat),
        cmocka_unit_test(long_runs_find_longer_pauses),
        cmocka_unit_test(streams_need_no_merges),
        cmocka_unit_test(conditions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

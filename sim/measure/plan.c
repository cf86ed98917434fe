#include "measure/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "measure/plan_names.h"
#include "measure/profiles.h"
#include "setup/idle.h"

#define MIB               1048576u
#define USUAL_TOTAL       (5 * (uint64_t)1000000) /* what most benchmarks move */
#define FEW_CALLS         16                      /* for a mean of lone calls */
#define MOST_CALLS        65536
#define FLASHBENCH_REGION (4 * MIB)
#define PASSES            8 /* of a file that is written or read whole */
/* arduino-esp32 gave its files a 4 KiB buffer in 2.0.3 (pull request 6569, 2022); before, they had
 * newlib's. */
#define LAST_YEAR_OF_SMALL_BUFFERS 2022
#define CLOCK_MARGIN_PARTS         500 /* a stated clock is rounded: ask for a five-hundredth more */

/* ---- what is done ---- */

static bool is_raw(const struct sdsim_measurement *measurement)
{
    return strcmp(sdsim_plan_file_api(measurement), "") == 0;
}

static bool is_random(const struct sdsim_measurement *measurement)
{
    return strncmp(measurement->op, "random-", 7) == 0 ||
           sdsim_remarks(measurement, "random sector positions");
}

static bool is_write(const struct sdsim_measurement *measurement)
{
    return strstr(measurement->op, "read") == NULL;
}

static uint64_t call_bytes(const struct sdsim_measurement *measurement)
{
    if (measurement->chunk_bytes > 0) {
        return measurement->chunk_bytes;
    }
    /* stdio's buffer is what the volume sees when nothing is said. */
    return strcmp(measurement->api, "stdio") == 0 ? 128 : 512;
}

static bool has_count(const struct sdsim_measurement *measurement, const char *key, uint64_t *count)
{
    const char *text = sdsim_assumption(measurement, key);
    char *end;
    if (text == NULL || text[0] < '0' || text[0] > '9') {
        return false;
    }
    *count = strtoull(text, &end, 10);
    return end != text && *end == '\0';
}

/* How many bytes the run moves. */
static uint64_t total_bytes(const struct sdsim_measurement *measurement)
{
    const uint64_t call = call_bytes(measurement);
    const bool whole = sdsim_assumption(measurement, "includes") != NULL;
    uint64_t total = measurement->total_bytes;
    uint64_t once;
    if (total == 0) {
        total = USUAL_TOTAL;
    } else if (total <= call && !whole && !has_count(measurement, "n", &once)) {
        total = FEW_CALLS * call; /* one number for calls that were repeated */
    }
    const uint64_t least = whole ? call : FEW_CALLS * call;
    if (measurement->total_bytes == 0 && total < least) {
        total = least;
    }
    return total / call > MOST_CALLS ? MOST_CALLS * call : total;
}

/* flashbench's open-AU test: so many allocation units written in turns. */
static void write_streams(const struct sdsim_measurement *measurement, FILE *out)
{
    uint64_t count;
    if (has_count(measurement, "open_aus", &count) && count > 0) {
        const uint64_t call = call_bytes(measurement);
        fprintf(out, ", streams: %llu", (unsigned long long)count);
        if (count > 1 || sdsim_assumes(measurement, "order", "random")) {
            fprintf(out, ", region: %lluB",
                    (unsigned long long)(call > FLASHBENCH_REGION ? call : FLASHBENCH_REGION));
        }
        if (sdsim_assumes(measurement, "order", "random")) {
            fputs(", order: random", out);
        }
    }
}

/* flashbench's alignment test: reads at, or across, a boundary. */
static bool write_crossing(const struct sdsim_measurement *measurement, FILE *out)
{
    static const struct {
        const char *name;
        uint64_t align;
        bool across;
    } crossings[] = {{"none", 65536, false}, {"16KiB", 16384, true}, {"4MiB", 4194304, true}};
    const uint64_t call = call_bytes(measurement);
    for (size_t i = 0; i < sizeof crossings / sizeof *crossings; i++) {
        if (!sdsim_assumes(measurement, "crosses", crossings[i].name)) {
            continue;
        }
        /* a long call crosses several: the one in its middle is meant */
        const uint64_t align = crossings[i].align;
        const uint64_t half = call / 2 / 512 * 512;
        const uint64_t offset = crossings[i].across ? (align - half % align) % align : 8192;
        fprintf(out, ", align: %lluB, offset: %lluB", (unsigned long long)align,
                (unsigned long long)offset);
        return true;
    }
    return false;
}

static void write_workload(const struct sdsim_measurement *measurement, FILE *out)
{
    const bool raw = is_raw(measurement);
    const bool random = is_random(measurement);
    const char *includes = sdsim_assumption(measurement, "includes");
    uint64_t call = call_bytes(measurement);
    if (raw) {
        call = (call + 511) / 512 * 512;
    }
    uint64_t streams = 0;
    const bool open_aus = has_count(measurement, "open_aus", &streams) && streams > 0;
    fprintf(out, "workload: {do: %s%s, call: %lluB, total: %lluB",
            random && !open_aus ? "random-" : "", is_write(measurement) ? "write" : "read",
            (unsigned long long)call, (unsigned long long)total_bytes(measurement));
    if (raw) {
        uint64_t start;
        fputs(", on: raw", out);
        if (has_count(measurement, "start_offset", &start)) {
            fprintf(out, ", start: %lluB", (unsigned long long)start);
        } else if (!open_aus) {
            fprintf(out, ", start: %uB", 64 * MIB); /* past what is special about the FAT area */
        } else {
            fprintf(out, ", start: %uB", 128 * MIB);
        }
        write_streams(measurement, out);
        if (random) {
            (void)write_crossing(measurement, out);
        }
    } else if (is_write(measurement) && !random && measurement->preallocated == SDSIM_YES) {
        fputs(", preallocate: yes", out);
    }
    if (!raw && includes != NULL &&
        (strstr(includes, "open") != NULL || strstr(includes, "create") != NULL ||
         strstr(includes, "close") != NULL)) {
        if (measurement->metric == SDSIM_MEASURED_THROUGHPUT) {
            fputs(", timed: all", out);
        } else {
            fprintf(out, ", timed: passes, times: %d", PASSES);
        }
    } else if (is_write(measurement) && !raw &&
               ((includes != NULL && strstr(includes, "fsync") != NULL) ||
                sdsim_remarks(measurement, "SdFat bench V2: final sync"))) {
        fputs(", final_sync: yes", out);
    }
    /* SdFat's benchmark passes over the first call of a file, and so do its ports. */
    if ((sdsim_assumes(measurement, "first_call", "excluded") ||
         sdsim_remarks(measurement, "FatFs port of SdFat bench") ||
         sdsim_remarks(measurement, "port of SdFat bench")) &&
        total_bytes(measurement) >= 2 * call) {
        fputs(", first_call: excluded", out);
    }
    if (is_write(measurement) && !raw &&
        (measurement->sync_per_write == SDSIM_YES ||
         sdsim_remarks(measurement, "f_sync after each call"))) {
        fputs(", sync_every: 1", out);
    }
    fputs("}\n", out);
}

static void write_volume(const struct sdsim_measurement *measurement, FILE *out)
{
    static const char *const types[] = {"fat12", "fat16", "fat32", "exfat"};
    if (is_raw(measurement)) {
        return;
    }
    const char *type = NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(measurement->fs, types[i]) == 0) {
            type = types[i];
        }
    }
    const char *api = sdsim_plan_file_api(measurement);
    const bool old = measurement->year > 0 && measurement->year <= LAST_YEAR_OF_SMALL_BUFFERS;
    fprintf(out, "file: {api: %s%s}\n", api,
            strcmp(api, "arduino") == 0 && old ? ", buffer: 128B" : "");
    if (type != NULL || measurement->cluster_bytes > 0) {
        fputs("filesystem: {", out);
        if (type != NULL) {
            fprintf(out, "type: %s%s", type, measurement->cluster_bytes > 0 ? ", " : "");
        }
        if (measurement->cluster_bytes > 0) {
            fprintf(out, "cluster: %lluB", (unsigned long long)measurement->cluster_bytes);
        }
        fputs("}\n", out);
    }
}

/* The scenario in YAML. NULL without memory. */
static char *write_text(const struct sdsim_measurement *measurement,
                        struct sdsim_profiles *profiles)
{
    char name[96];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    fprintf(out, "host: %s\n", sdsim_plan_host(measurement, profiles, name, sizeof name));
    sdsim_plan_driver(measurement, profiles, out);
    sdsim_plan_card(measurement, profiles, out);
    fprintf(out, "bus: %s\n", measurement->bus);
    const uint64_t clock =
        measurement->clock_hz > 0 ? measurement->clock_hz : measurement->clock_requested_hz;
    if (clock > 0) {
        fprintf(out, "clock: %lluHz\n",
                (unsigned long long)(clock +
                                     (measurement->clock_hz > 0 ? clock / CLOCK_MARGIN_PARTS : 0)));
    }
    if (sdsim_assumes(measurement, "buffer", "unaligned")) {
        fputs("usable_buffers: no\n", out);
    }
    write_volume(measurement, out);
    write_workload(measurement, out);
    return fclose(out) == 0 ? text : NULL;
}

/* ---- the run ---- */

struct maker {
    struct sdsim_plans *plans;
    struct sdsim_config *config;
    struct sdsim_profiles *profiles;
    const char *const *overrides;
    size_t runs;         /* that were made, or refused */
    size_t refused;      /* because of an override */
    const char *refusal; /* the first of them */
};

/* What tells references apart: the name, or a map of plain changes to a base. False if it is more
 * than that; such a reference is resolved by itself. */
static bool reference_text(const struct sdsim_node *reference, char *out, size_t size)
{
    if (reference->kind == SDSIM_NODE_SCALAR) {
        return snprintf(out, size, "%s", reference->text) < (int)size;
    }
    size_t used = 0;
    for (size_t i = 0; reference->kind == SDSIM_NODE_MAP && i < reference->count; i++) {
        const struct sdsim_entry *entry = &reference->entries[i];
        if (entry->value->kind != SDSIM_NODE_SCALAR || used >= size) {
            return false;
        }
        used += (size_t)snprintf(out + used, size - used, "%s=%s;", entry->key, entry->value->text);
    }
    return used > 0 && used < size;
}

static bool resolve(struct maker *maker, struct sdsim_run *run, const char *kind,
                    struct sdsim_node **tree, const char **name, struct sdsim_diags *diags)
{
    char text[400];
    const struct sdsim_node *reference = sdsim_node_get(run->tree, kind);
    if (reference == NULL) {
        return false;
    }
    const struct sdsim_mixture **mixture = tree == &run->card ? &run->mixture : NULL;
    if (reference_text(reference, text, sizeof text)) {
        *tree = sdsim_profiles_resolve(maker->profiles, kind, reference, text, mixture, diags);
    } else {
        *tree = sdsim_config_resolve(maker->config, kind, reference, diags);
        if (*tree != NULL && mixture != NULL &&
            !sdsim_mixture_resolve(maker->config, *tree, mixture, diags)) {
            return false;
        }
    }
    const char *base =
        reference->kind == SDSIM_NODE_SCALAR ? reference->text : sdsim_node_text(reference, "base");
    *name = base != NULL ? base : "(inline)";
    return *tree != NULL;
}

/* Turns the text into a run; false with messages. */
static bool make_run(struct maker *maker, struct sdsim_plan *plan, struct sdsim_diags *diags)
{
    struct sdsim_run *run = &plan->run;
    *run = (struct sdsim_run){.scenario = "measurements", .id = plan->measurement->id};
    run->tree =
        sdsim_config_parse_text(maker->config, "(plan)", plan->text, strlen(plan->text), diags);
    if (run->tree == NULL ||
        (maker->overrides != NULL &&
         !sdsim_config_set_all(maker->config, run->tree, maker->overrides, diags))) {
        return false;
    }
    if (!resolve(maker, run, "host", &run->host, &run->host_name, diags) ||
        !resolve(maker, run, "driver", &run->driver, &run->driver_name, diags) ||
        !resolve(maker, run, "card", &run->card, &run->card_name, diags)) {
        return false;
    }
    run->host = sdsim_plan_lend_costs(run, maker->config, maker->profiles, diags);
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    const bool fine = run->host != NULL && setup != NULL &&
                      sdsim_setup_bind(maker->config, run, 0, setup, diags) &&
                      sdsim_setup_check(run, setup, diags);
    free(setup);
    return fine;
}

/* NULL if nothing was said. */
static const struct sdsim_diag *first_error(const struct sdsim_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        if (diags->items[i].severity == SDSIM_ERROR) {
            return &diags->items[i];
        }
    }
    return NULL;
}

static void refuse(struct maker *maker, struct sdsim_plan *plan, const struct sdsim_diags *diags)
{
    const struct sdsim_diag *error = first_error(diags);
    const char *text =
        sdsim_config_text(maker->config, error != NULL ? error->text : "it can't be set up");
    plan->reason = text != NULL ? text : "out of memory";
    if (error != NULL && error->file != NULL && strcmp(error->file, "--set") == 0) {
        maker->refusal = maker->refused == 0 ? plan->reason : maker->refusal;
        maker->refused++;
    }
}

/* The place of the first plan with this text, through a table of hashes. */
struct texts {
    size_t *slots; /* place + 1, 0: free */
    size_t size;   /* a power of two */
};

static size_t find_same(struct texts *texts, const struct sdsim_plan *plans, size_t index)
{
    const uint64_t hash = sdsim_hash_text(0, plans[index].text);
    for (size_t i = (size_t)hash & (texts->size - 1);; i = (i + 1) & (texts->size - 1)) {
        if (texts->slots[i] == 0) {
            texts->slots[i] = index + 1;
            return index;
        }
        if (strcmp(plans[texts->slots[i] - 1].text, plans[index].text) == 0) {
            return texts->slots[i] - 1;
        }
    }
}

static bool make_one(struct maker *maker, struct texts *texts, size_t index,
                     const struct sdsim_measurement *measurement)
{
    struct sdsim_plan *plan = &maker->plans->items[index];
    char *text = write_text(measurement, maker->profiles);
    *plan =
        (struct sdsim_plan){.measurement = measurement,
                            .text = text != NULL ? sdsim_config_text(maker->config, text) : NULL};
    free(text);
    if (plan->text == NULL) {
        return false;
    }
    plan->same = find_same(texts, maker->plans->items, index);
    if (plan->same != index) {
        plan->run = maker->plans->items[plan->same].run;
        plan->reason = maker->plans->items[plan->same].reason;
        return true;
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    maker->runs++;
    if (!make_run(maker, plan, &diags)) {
        refuse(maker, plan, &diags);
    }
    sdsim_diags_free(&diags);
    return true;
}

/* Refuses overrides that no run takes notice of. */
static bool refuse_idle(const struct sdsim_plans *plans, const char *const *overrides,
                        struct sdsim_diags *diags)
{
    const struct sdsim_run **runs = calloc(plans->count + 1, sizeof *runs);
    size_t count = 0;
    if (runs == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    for (size_t i = 0; i < plans->count; i++) {
        if (plans->items[i].reason == NULL) {
            runs[count++] = &plans->items[i].run;
        }
    }
    const bool fine = sdsim_refuse_idle(runs, count, SDSIM_FOR_PREDICTIONS, overrides, diags);
    free(runs);
    return fine;
}

bool sdsim_plans_make(struct sdsim_plans *plans, struct sdsim_config *config,
                      const struct sdsim_measurements *measurements, const char *const *overrides,
                      struct sdsim_diags *diags)
{
    size_t size = 64;
    while (size < 2 * measurements->count) {
        size *= 2;
    }
    struct texts texts = {.slots = calloc(size, sizeof *texts.slots), .size = size};
    *plans = (struct sdsim_plans){
        .items = calloc(measurements->count + 1, sizeof *plans->items),
        .count = measurements->count,
        .config = config,
        .profiles = sdsim_profiles_create(config),
    };
    struct maker maker = {
        .plans = plans, .config = config, .profiles = plans->profiles, .overrides = overrides};
    bool fine = texts.slots != NULL && plans->items != NULL && plans->profiles != NULL;
    for (size_t i = 0; fine && i < measurements->count; i++) {
        fine = make_one(&maker, &texts, i, &measurements->items[i]);
    }
    free(texts.slots);
    if (!fine) {
        sdsim_error(diags, NULL, "out of memory");
    } else if (maker.runs > 0 && maker.refused == maker.runs) {
        sdsim_error(diags, "--set", "%s", maker.refusal);
        fine = false;
    } else {
        fine = refuse_idle(plans, overrides, diags);
    }
    return fine;
}

void sdsim_plans_free(struct sdsim_plans *plans)
{
    free(plans->items);
    *plans = (struct sdsim_plans){.items = NULL};
}

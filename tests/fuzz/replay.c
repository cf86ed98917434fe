/*
 * Runs a fuzz target without libFuzzer: the files of its corpus, each cut off at every length too if
 * it is short, and then changes of them that depend on nothing but their number.
 *
 *     fuzz_NAME [-runs=N] [-run=K [-save=FILE]] FILE-or-FOLDER...
 *
 * -run=K does only change K, the one that a failed run names; -save=FILE keeps it. Exit code 0; 2: no corpus. Anything
 * else is the sanitizers' or abort()'s.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/rng.h"
#include "fuzz/fuzz.h"

enum {
    SEEDS_MAX = 500,
    INPUT_MAX = 16384,
    CUT_MAX = 600, /* seeds up to this size are tried cut off at each byte */
    HANG_SECONDS = 60,
};

struct seed {
    char name[200];
    uint8_t *bytes;
    size_t size;
};

static struct seed seeds[SEEDS_MAX];
static size_t seed_count;
static char at_work[300]; /* what is run, for a crash */

/* Provided by the sanitizers, if there are any. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void tell_what(void)
{
    (void)!write(STDERR_FILENO, at_work, strlen(at_work));
}

static void on_signal(int number)
{
    tell_what();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void run(const uint8_t *bytes, size_t size)
{
    /* a block of exactly this size, so that a read behind it is seen */
    uint8_t *copy = malloc(size != 0 ? size : 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, bytes, size);
    (void)alarm(HANG_SECONDS);
    (void)LLVMFuzzerTestOneInput(copy, size);
    (void)alarm(0);
    free(copy);
}

static void add_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || seed_count == SEEDS_MAX) {
        fprintf(stderr, "can't take %s\n", path);
        exit(2);
    }
    struct seed *seed = &seeds[seed_count++];
    (void)snprintf(seed->name, sizeof seed->name, "%.190s", path);
    seed->bytes = malloc(INPUT_MAX);
    if (seed->bytes == NULL) {
        abort();
    }
    seed->size = fread(seed->bytes, 1, INPUT_MAX, file);
    (void)fclose(file);
}

static void add(const char *path)
{
    struct dirent **entries;
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        add_file(path);
        return;
    }
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            char inside[1000];
            (void)snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
            add_file(inside);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

/* ---- changes ---- */

struct input {
    uint8_t bytes[INPUT_MAX];
    size_t size;
};

static size_t below(struct sdsim_rng *rng, size_t limit)
{
    return (size_t)sdsim_rng_below(rng, limit);
}

/* Puts bytes in at a place, as far as there is room. */
static void insert(struct input *input, size_t place, const uint8_t *bytes, size_t count)
{
    count = count < INPUT_MAX - input->size ? count : INPUT_MAX - input->size;
    memmove(input->bytes + place + count, input->bytes + place, input->size - place);
    memmove(input->bytes + place, bytes, count);
    input->size += count;
}

static void insert_piece(struct input *input, struct sdsim_rng *rng)
{
    const struct seed *from = &seeds[below(rng, seed_count)];
    if (from->size != 0) {
        const size_t start = below(rng, from->size);
        insert(input, below(rng, input->size + 1), from->bytes + start,
               1 + below(rng, from->size - start));
    }
}

static void insert_text(struct input *input, struct sdsim_rng *rng)
{
    static const char *const texts[] = {
        "0",
        "-1",
        "4294967295",
        "4294967296",
        "18446744073709551615",
        "18446744073709551616",
        "1e309",
        "nan",
        "\n",
        "\r\n",
        " ",
        "\t",
        "\"",
        "'",
        "#",
        ":",
        ",",
        "{",
        "[",
        "\xff",
        "\xef\xbb\xbf",
        "0x",
        "%s",
        "../",
        "us",
        "ms",
    };
    const char *text = texts[below(rng, sizeof texts / sizeof texts[0])];
    insert(input, below(rng, input->size + 1), (const uint8_t *)text, strlen(text));
}

static void repeat_piece(struct input *input, struct sdsim_rng *rng)
{
    uint8_t piece[64];
    const size_t start = below(rng, input->size);
    const size_t size =
        1 + below(rng, sizeof piece < input->size - start ? sizeof piece : input->size - start);
    memcpy(piece, input->bytes + start, size);
    for (size_t times = 1 + below(rng, 20); times > 0; times--) {
        insert(input, start, piece, size);
    }
}

static void cut_piece(struct input *input, struct sdsim_rng *rng)
{
    const size_t start = below(rng, input->size);
    const size_t size =
        1 + below(rng, below(rng, 4) == 0 || input->size - start < 16 ? input->size - start : 16);
    memmove(input->bytes + start, input->bytes + start + size, input->size - start - size);
    input->size -= size;
}

static void change_byte(struct input *input, struct sdsim_rng *rng)
{
    static const uint8_t values[] = {0, 1, 0x7F, 0x80, 0xFE, 0xFF, '0', '9', '\n', ' '};
    uint8_t *byte = &input->bytes[below(rng, input->size)];
    switch (below(rng, 4)) {
    case 0:
        *byte = (uint8_t)(*byte ^ 1u << below(rng, 8));
        break;
    case 1:
        *byte = values[below(rng, sizeof values)];
        break;
    case 2:
        *byte = (uint8_t)(*byte + (below(rng, 2) == 0 ? 1 : -1));
        break;
    default:
        *byte = (uint8_t)sdsim_rng_next(rng);
        break;
    }
}

/* Change number `k` of the corpus. */
static void make(struct input *input, uint64_t k)
{
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, k);
    const struct seed *seed = &seeds[below(&rng, seed_count)];
    memcpy(input->bytes, seed->bytes, seed->size);
    input->size = seed->size;
    for (size_t changes = 1 + below(&rng, 8); changes > 0; changes--) {
        const size_t kind = input->size == 0 ? below(&rng, 2) : below(&rng, 10);
        switch (kind) {
        case 0:
            insert_piece(input, &rng);
            break;
        case 1:
            insert_text(input, &rng);
            break;
        case 2:
            repeat_piece(input, &rng);
            break;
        case 3:
            cut_piece(input, &rng);
            break;
        default:
            change_byte(input, &rng);
            break;
        }
    }
}

static void run_seed(const struct seed *seed)
{
    for (size_t size = seed->size <= CUT_MAX ? 0 : seed->size; size <= seed->size; size++) {
        (void)snprintf(at_work, sizeof at_work, "\nat work: the first %zu bytes of %.190s\n", size,
                       seed->name);
        run(seed->bytes, size);
    }
}

static void run_change(uint64_t k, const char *save)
{
    static struct input input;
    make(&input, k);
    (void)snprintf(at_work, sizeof at_work, "\nat work: change %llu; again with -run=%llu\n",
                   (unsigned long long)k, (unsigned long long)k);
    FILE *file = save != NULL ? fopen(save, "wb") : NULL;
    if (file != NULL) {
        (void)fwrite(input.bytes, 1, input.size, file);
        (void)fclose(file);
    }
    run(input.bytes, input.size);
}

int main(int argc, char **argv)
{
    unsigned long long runs = sdsim_fuzz_runs;
    unsigned long long only = 0;
    const char *save = NULL;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-save=", 6) == 0) {
            save = argv[i] + 6;
        } else if (sscanf(argv[i], "-runs=%llu", &runs) != 1 &&
                   sscanf(argv[i], "-run=%llu", &only) != 1) {
            add(argv[i]);
        }
    }
    if (seed_count == 0) {
        fprintf(stderr, "%s: no corpus\n", argv[0]);
        return 2;
    }
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(tell_what);
    } else {
        (void)signal(SIGSEGV, on_signal);
    }
    (void)signal(SIGABRT, on_signal);
    (void)signal(SIGALRM, on_signal);
    for (size_t i = 0; i < seed_count && only == 0; i++) {
        run_seed(&seeds[i]);
    }
    for (uint64_t k = only != 0 ? only : 1; k <= (only != 0 ? only : runs); k++) {
        run_change(k, save);
    }
    for (size_t i = 0; i < seed_count; i++) {
        free(seeds[i].bytes);
    }
    return 0;
}

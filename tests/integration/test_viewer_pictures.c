/*
 * Golden pictures: five things to look at, at 1280x720 and at 2560x1440, light and dark.
 *
 * What is kept of a picture is small and forgives other versions of the font library: the mean color of
 * each of 32x18 cells, in 16 steps a channel. A cell may differ by a step; one in a hundred by more.
 * SDSIM_UPDATE_GOLDEN=1 keeps the pictures of today, to be looked at (SDSIM_KEEP_PICTURES=DIR puts them
 * there as PNG). Left out without the viewer or its usual font.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"
#include "viewer.h"

enum {
    SKIPPED = 77,
    COLUMNS = 32,
    ROWS = 18,
    CELLS = COLUMNS * ROWS,
    STEP = 1,            /* a cell may be off by this ... */
    STRAY = CELLS / 100, /* ... but for so many */
};

#define FONT "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

static const struct {
    const char *name;
    const char *words;
    const char *script; /* NULL: none */
} pictures[] = {
    {"write", "bench write", NULL},
    {"facts", "bench read --dark --select 'card access over 100us'", NULL},
    {"bits", "bench read --view 114.435ms..114.485ms", NULL},
    {"two", "bench read write --dark", NULL},
    {"longest", "bench log", "key down\nkey down\nkey down\nkey l\nkey down\nkey m\nkey n"},
    {"help", "bench raw --dark", "key ?"},
};

/* The mean colors of a picture, as digits. */
static void cells_of(const char *path, uint8_t cells[CELLS][3])
{
    unsigned width;
    unsigned height;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "P6 %u %u 255", &width, &height), 2);
    assert_int_equal(fgetc(file), '\n');
    static uint64_t sums[CELLS][4];
    memset(sums, 0, sizeof sums);
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            uint8_t pixel[3];
            assert_int_equal(fread(pixel, 1, 3, file), 3);
            uint64_t *sum = sums[y * ROWS / height * COLUMNS + x * COLUMNS / width];
            for (int i = 0; i < 3; i++) {
                sum[i] += pixel[i];
            }
            sum[3]++;
        }
    }
    fclose(file);
    for (int c = 0; c < CELLS; c++) {
        for (int i = 0; i < 3; i++) {
            cells[c][i] = (uint8_t)(sums[c][i] / sums[c][3] / 16);
        }
    }
}

static void write_golden(const char *path, uint8_t cells[CELLS][3])
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int c = 0; c < CELLS; c++) {
        fprintf(file, "%x%x%x%s", cells[c][0], cells[c][1], cells[c][2],
                c % COLUMNS == COLUMNS - 1 ? "\n" : "");
    }
    assert_int_equal(fclose(file), 0);
}

static bool read_golden(const char *path, uint8_t cells[CELLS][3])
{
    FILE *file = fopen(path, "r");
    bool fine = file != NULL;
    for (int c = 0; c < CELLS && fine; c++) {
        unsigned r;
        unsigned g;
        unsigned b;
        fine = fscanf(file, " %1x%1x%1x", &r, &g, &b) == 3;
        cells[c][0] = (uint8_t)r;
        cells[c][1] = (uint8_t)g;
        cells[c][2] = (uint8_t)b;
    }
    if (file != NULL) {
        fclose(file);
    }
    return fine;
}

/* How many cells are off, and which is the first. */
static int compare(uint8_t golden[CELLS][3], uint8_t cells[CELLS][3], int *first)
{
    int off = 0;
    for (int c = CELLS - 1; c >= 0; c--) {
        bool far = false;
        for (int i = 0; i < 3; i++) {
            far = far || abs((int)golden[c][i] - (int)cells[c][i]) > STEP;
        }
        off += far;
        *first = far ? c : *first;
    }
    return off;
}

static void make_picture(size_t number, unsigned width, unsigned height, const char *file)
{
    char words[500];
    char text[4096];
    const char *script = "";
    if (pictures[number].script != NULL) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/script", sdsim_test_folder());
        FILE *stream = fopen(path, "w");
        assert_non_null(stream);
        fprintf(stream, "draw\n%s\n", pictures[number].script);
        fclose(stream);
        script = " --script script";
    }
    snprintf(words, sizeof words, "%s --size %ux%u%s --font " FONT " --screenshot '%s'",
             pictures[number].words, width, height, script, file);
    const int code = sdsim_test_view(words, text, sizeof text);
    if (code != 0) {
        fail_msg("%s: ended with %d and %s", words, code, text);
    }
}

static void golden(void **state)
{
    (void)state;
    static const unsigned sizes[][2] = {{1280, 720}, {2560, 1440}};
    const char *keep = getenv("SDSIM_KEEP_PICTURES");
    const bool update = getenv("SDSIM_UPDATE_GOLDEN") != NULL;
    unsigned failed = 0;
    for (size_t n = 0; n < sizeof pictures / sizeof *pictures; n++) {
        for (int s = 0; s < 2; s++) {
            char file[PATH_MAX];
            char path[200];
            uint8_t cells[CELLS][3];
            uint8_t expected[CELLS][3];
            int first = 0;
            if (keep != NULL) {
                snprintf(file, sizeof file, "%s/%s-%u.png", keep, pictures[n].name, sizes[s][0]);
                make_picture(n, sizes[s][0], sizes[s][1], file);
            }
            make_picture(n, sizes[s][0], sizes[s][1], "picture.ppm");
            snprintf(file, sizeof file, "%s/picture.ppm", sdsim_test_folder());
            cells_of(file, cells);
            snprintf(path, sizeof path, "tests/golden/view-%s-%u.txt", pictures[n].name,
                     sizes[s][0]);
            if (update) {
                write_golden(path, cells);
            } else if (!read_golden(path, expected)) {
                print_message("%s: can't be read\n", path);
                failed++;
            } else if (compare(expected, cells, &first) > STRAY) {
                print_message("%s: %d of %d cells differ, the first is in row %d, column %d\n",
                              path, compare(expected, cells, &first), CELLS, first / COLUMNS,
                              first % COLUMNS);
                failed++;
            }
        }
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden)};
    if (!sdsim_test_has_viewer()) {
        return SKIPPED;
    }
    if (access(FONT, R_OK) != 0) {
        print_message("needs the font " FONT " (package fonts-dejavu-core)\n");
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

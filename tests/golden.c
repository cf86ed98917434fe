#include "golden.h"

#include <stdlib.h>
#include <string.h>

enum {
    CONTEXT = 3,     /* lines around a change */
    MOST_LINES = 80, /* printed of one difference */
    SEARCH = 400,    /* lines looked ahead for the place where the texts meet again */
};

/* A text cut into lines; each but the last ends with its newline, which counts. */
struct line {
    const char *text;
    size_t size;
};

struct lines {
    struct line *at;
    size_t count;
};

/* One line of the result: in both texts (' '), gone ('-'), or new ('+'). */
struct edit {
    char mark;
    struct line line;
    size_t old_number; /* of the line, or of the next one in that text; from 1 */
    size_t new_number;
};

static void *must_allocate(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

static struct lines split(const char *text)
{
    size_t count = 0;
    for (const char *c = text; *c != '\0'; c++) {
        count += *c == '\n' || c[1] == '\0';
    }
    struct lines lines = {must_allocate((count + 1) * sizeof(struct line)), 0};
    while (*text != '\0') {
        const size_t size = strcspn(text, "\n");
        lines.at[lines.count++] = (struct line){text, size + (text[size] == '\n')};
        text += lines.at[lines.count - 1].size;
    }
    return lines;
}

static bool same_line(const struct lines *a, size_t i, const struct lines *b, size_t j)
{
    return i < a->count && j < b->count && a->at[i].size == b->at[j].size &&
           memcmp(a->at[i].text, b->at[j].text, a->at[i].size) == 0;
}

/*
 * From line i of a and j of b, which differ: how many lines to drop from each until they meet
 * again. Takes the fewest in sum; without a meeting in sight all that is left.
 */
static void find_meeting(const struct lines *a, size_t i, const struct lines *b, size_t j,
                         size_t *drop_a, size_t *drop_b)
{
    for (size_t sum = 1; sum <= SEARCH; sum++) {
        for (size_t da = 0; da <= sum; da++) {
            if (same_line(a, i + da, b, j + sum - da)) {
                *drop_a = da;
                *drop_b = sum - da;
                return;
            }
        }
    }
    *drop_a = a->count - i;
    *drop_b = b->count - j;
}

/* Writes the edits to `edits`, room for all lines of both texts; returns their number. */
static size_t compare(const struct lines *a, const struct lines *b, struct edit *edits)
{
    size_t count = 0;
    size_t i = 0;
    size_t j = 0;
    while (i < a->count || j < b->count) {
        size_t drop_a = 0;
        size_t drop_b = 0;
        if (same_line(a, i, b, j)) {
            edits[count++] = (struct edit){' ', a->at[i], i + 1, j + 1};
            i++;
            j++;
            continue;
        }
        find_meeting(a, i, b, j, &drop_a, &drop_b);
        for (; drop_a > 0; drop_a--, i++) {
            edits[count++] = (struct edit){'-', a->at[i], i + 1, j + 1};
        }
        for (; drop_b > 0; drop_b--, j++) {
            edits[count++] = (struct edit){'+', b->at[j], i + 1, j + 1};
        }
    }
    return count;
}

static void print_edit(FILE *out, const struct edit *edit)
{
    fprintf(out, "%c%.*s", edit->mark, (int)edit->line.size, edit->line.text);
    if (edit->line.text[edit->line.size - 1] != '\n') {
        fputs("\n\\ No newline at end of file\n", out);
    }
}

/* Whether a change stands within CONTEXT lines of edit i. */
static bool is_near_change(const struct edit *edits, size_t count, size_t i)
{
    const size_t first = i > CONTEXT ? i - CONTEXT : 0;
    for (size_t k = first; k < count && k <= i + CONTEXT; k++) {
        if (edits[k].mark != ' ') {
            return true;
        }
    }
    return false;
}

static void print_edits(FILE *out, const struct edit *edits, size_t count)
{
    size_t printed = 0;
    bool in_hunk = false;
    for (size_t i = 0; i < count; i++) {
        const bool shown = is_near_change(edits, count, i);
        if (shown && printed++ == MOST_LINES) {
            fputs("(and more)\n", out);
            return;
        }
        if (shown && !in_hunk) {
            fprintf(out, "@@ -%zu +%zu @@\n", edits[i].old_number, edits[i].new_number);
        }
        if (shown) {
            print_edit(out, &edits[i]);
        }
        in_hunk = shown;
    }
}

void sdsim_test_diff(FILE *out, const char *name, const char *expected, const char *actual)
{
    if (strcmp(expected, actual) == 0) {
        return;
    }
    struct lines a = split(expected);
    struct lines b = split(actual);
    struct edit *edits = must_allocate((a.count + b.count) * sizeof *edits);
    const size_t count = compare(&a, &b, edits);
    fprintf(out, "--- %s\n+++ actual\n", name);
    print_edits(out, edits, count);
    free(edits);
    free(a.at);
    free(b.at);
}

/* The whole file, owned by the caller; NULL if it can't be read. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char *text = NULL;
    size_t capacity = 0;
    if (getdelim(&text, &capacity, '\0', file) < 0 && text != NULL) {
        text[0] = '\0';
    }
    fclose(file);
    return text;
}

static bool write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    const bool written = file != NULL && fputs(text, file) >= 0;
    if (file == NULL || fclose(file) != 0 || !written) {
        perror(path);
        return false;
    }
    return true;
}

bool sdsim_test_golden(const char *path, const char *actual)
{
    const char *update = getenv("SDSIM_UPDATE_GOLDEN");
    char *expected = read_file(path);
    bool right = expected != NULL && strcmp(expected, actual) == 0;
    if (!right && update != NULL && strcmp(update, "1") == 0) {
        right = write_file(path, actual);
    } else if (expected == NULL) {
        fprintf(stderr, "no golden file %s; SDSIM_UPDATE_GOLDEN=1 writes it:\n", path);
        sdsim_test_diff(stderr, path, "", actual);
    } else if (!right) {
        sdsim_test_diff(stderr, path, expected, actual);
    }
    free(expected);
    return right;
}

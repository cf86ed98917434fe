#include "config/closest.h"

#include <stdio.h>
#include <string.h>

#include "config/tree.h"

#define LONGEST 64

static unsigned lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A' + 'a') : (unsigned char)c;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * The optimal string alignment distance, row by row: row i holds the distances between the first i
 * letters of a and every start of b. A transposition looks back two rows, so three are kept.
 */
size_t sdsim_edit_distance(const char *a, const char *b)
{
    const size_t a_length = strlen(a);
    const size_t b_length = strlen(b);
    if (a_length > LONGEST || b_length > LONGEST) {
        return SIZE_MAX;
    }
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t differs = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = smaller(above[j - 1] + differs, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = smaller(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

const char *sdsim_closest(const char *word, const char *const *words, size_t count)
{
    const char *closest = NULL;
    size_t least = strlen(word) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        const size_t distance = sdsim_edit_distance(word, words[i]);
        if (distance < least) {
            least = distance;
            closest = words[i];
        }
    }
    return closest;
}

enum { LINE_ROOM = 74, MOST_NEAR = 3 };

/* The near words, nearest first, those of equal distance in their order. */
static size_t near_words(const char *word, const char *const *words, size_t count,
                         const char *near[MOST_NEAR])
{
    size_t distances[MOST_NEAR];
    const size_t limit = strlen(word) / 3 + 1;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t distance = sdsim_edit_distance(word, words[i]);
        if (distance >= limit) {
            if (strlen(word) < 3 || strstr(words[i], word) == NULL) {
                continue;
            }
            distance = limit; /* behind those that are only misspelt */
        }
        size_t place = found < MOST_NEAR ? found : MOST_NEAR;
        while (place > 0 && distances[place - 1] > distance) {
            place--;
        }
        if (place == MOST_NEAR) {
            continue;
        }
        found += found < MOST_NEAR;
        for (size_t move = found - 1; move > place; move--) {
            near[move] = near[move - 1];
            distances[move] = distances[move - 1];
        }
        near[place] = words[i];
        distances[place] = distance;
    }
    return found;
}

/* "known are: a, b"; false if that takes more than a line. */
static bool list_all(const char *const *words, size_t count, char *help, size_t size)
{
    char line[LINE_ROOM + 1];
    size_t used = (size_t)snprintf(line, sizeof line, "known are:");
    for (size_t i = 0; i < count && used < sizeof line; i++) {
        used +=
            (size_t)snprintf(line + used, sizeof line - used, "%s %s", i > 0 ? "," : "", words[i]);
    }
    if (used < sizeof line) {
        snprintf(help, size, "%s", line);
    }
    return used < sizeof line;
}

void sdsim_suggest(const char *word, const char *const *words, size_t count, const char *list,
                   char *help, size_t size)
{
    const char *near[MOST_NEAR];
    const size_t found = near_words(word, words, count, near);
    help[0] = '\0';
    if (found == 0) {
        if (count > 0 && !list_all(words, count, help, size)) {
            snprintf(help, size, "'%s' shows what there is", list);
        }
        return;
    }
    size_t used = (size_t)snprintf(help, size, "did you mean");
    for (size_t i = 0; i < found && used < size; i++) {
        used += (size_t)snprintf(help + used, size - used, "%s '%s'",
                                 i == 0          ? ""
                                 : i + 1 < found ? ","
                                                 : " or",
                                 near[i]);
    }
    if (used < size) {
        snprintf(help + used, size - used, "? '%s' shows all", list);
    }
}

#include "config/closest.h"

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

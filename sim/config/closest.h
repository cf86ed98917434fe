/*
 * Which of several words somebody may have meant: the measure behind "did you mean".
 *
 * The choice among words is sdsim_closest of tree.h.
 */
#ifndef SDSIM_CONFIG_CLOSEST_H
#define SDSIM_CONFIG_CLOSEST_H

#include <stddef.h>

/*
 * How many letters to insert, delete, replace or swap with their neighbour make `b` of `a`; upper
 * and lower case are the same. SIZE_MAX if either has more than 64 bytes.
 */
size_t sdsim_edit_distance(const char *a, const char *b);

/*
 * What to tell somebody whose word is none of `words`: the nearest ones, nearest first, and how to see all
 * of them: "did you mean 'sandisk-ultra-16gb'? 'sdsim list card' shows all". Words that hold the whole of
 * it are near, too. If none is, all of them if they fit on a line ("known are: a, b"), else how to see them.
 * `list` is the command that lists them, without quotes. Empty if there are no words.
 */
void sdsim_suggest(const char *word, const char *const *words, size_t count, const char *list,
                   char *help, size_t size);

#endif

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

#endif

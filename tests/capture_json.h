/*
 * The report of a capture as parsed JSON, and places in it by path.
 *
 *     "crc7.right"                 a member of a member
 *     "stretches.0.clock"          an element of a list
 *     "runs.write.predicted"       the element of a list that has this `id`
 *     "commands.CMD17#2.read.n_ac" the third row of `commands` that has this command
 */
#ifndef SDSIM_TEST_CAPTURE_JSON_H
#define SDSIM_TEST_CAPTURE_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Whether the folder with other people's captures is there. */
bool sdsim_test_has_captures(void);

/* The report of a capture; `channels` as of --channel, or NULL. NULL if it can't be opened; with
 * `messages`, of `size` bytes, what was said. json_decref frees it. */
json_t *sdsim_test_capture(const char *path, const char *channels, char *messages, size_t size);

/* NULL if there is nothing there. */
json_t *sdsim_test_at(json_t *root, const char *path);

#endif

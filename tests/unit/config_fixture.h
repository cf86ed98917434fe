/*
 * What tests of configurations share: a config with its messages, trees as text, small files.
 *
 * For cmocka tests: whatever goes wrong in here fails the test.
 */
#ifndef SDSIM_TEST_CONFIG_FIXTURE_H
#define SDSIM_TEST_CONFIG_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/tree.h"
#include "scratch.h"
#include "unit/diag_text.h"

/* A literal that may contain NUL, and its size. */
#define SDSIM_TEST_BYTES(literal) literal, sizeof(literal) - 1

struct sdsim_test_config {
    struct sdsim_config *config;
    struct sdsim_diags diags;
};

static inline void sdsim_test_config_set_up(struct sdsim_test_config *fixture, const char *data_dir)
{
    fixture->config = sdsim_config_create(data_dir);
    assert_non_null(fixture->config);
    sdsim_diags_init(&fixture->diags);
}

static inline void sdsim_test_config_tear_down(struct sdsim_test_config *fixture)
{
    sdsim_diags_free(&fixture->diags);
    sdsim_config_destroy(fixture->config);
}

/* Prints a tree in one line: scalars in '', lists in [], maps in {}. */
static inline void sdsim_test_tree_print(const struct sdsim_node *node, FILE *out)
{
    if (node->kind == SDSIM_NODE_SCALAR) {
        fprintf(out, "'%s'", node->text);
        return;
    }
    const bool map = node->kind == SDSIM_NODE_MAP;
    fputc(map ? '{' : '[', out);
    for (size_t i = 0; i < node->count; i++) {
        if (map) {
            fprintf(out, "%s%s:", i > 0 ? " " : "", node->entries[i].key);
        }
        sdsim_test_tree_print(map ? node->entries[i].value : node->items[i], out);
    }
    fputc(map ? '}' : ']', out);
}

/* For the caller to free. */
static inline char *sdsim_test_tree_text(const struct sdsim_node *node)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_test_tree_print(node, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/*
 * Small things come from blocks of memory that are taken in one piece, so most allocations inside a
 * config can't fail. This shifts where a block ends: calling it for all `used` from 0 to
 * SDSIM_TEST_BLOCK lets each of them be the one that needs a new block.
 */
#define SDSIM_TEST_BLOCK 32768
static inline void sdsim_test_config_use(struct sdsim_test_config *fixture, size_t used)
{
    assert_non_null(sdsim_config_alloc(fixture->config, 1, used));
}

/* `head` with `count` times `unit` behind it, for the caller to free. */
static inline char *sdsim_test_repeat(const char *head, const char *unit, size_t count,
                                      size_t *size)
{
    const size_t head_size = strlen(head);
    const size_t unit_size = strlen(unit);
    *size = head_size + count * unit_size;
    char *text = malloc(*size + 1);
    assert_non_null(text);
    memcpy(text, head, head_size + 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + head_size + i * unit_size, unit, unit_size + 1);
    }
    return text;
}

#endif

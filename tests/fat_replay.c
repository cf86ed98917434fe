#include "fat_replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fat/blocks.h"
#include "fat/session.h"

char *sdsim_fat_read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    size_t size = 0;
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    assert_non_null(text);
    for (size_t got; (got = fread(text + size, 1, capacity - size - 1, file)) > 0;) {
        size += got;
        if (capacity - size < 2) {
            capacity *= 2;
            text = realloc(text, capacity);
            assert_non_null(text);
        }
    }
    (void)fclose(file);
    text[size] = '\0';
    return text;
}

/* The answer as a library gives it that only knows "failed". */
static void simplify(const struct sdsim_op *op, struct sdsim_answer *answer)
{
    if (op->kind == SDSIM_OP_WRITE && answer->result == SDSIM_FAT_DISK_ERROR) {
        *answer = (struct sdsim_answer){.result = SDSIM_FAT_OK, .kind = SDSIM_ANSWER_COUNT};
    } else if (answer->result != SDSIM_FAT_OK) {
        *answer = (struct sdsim_answer){.result = SDSIM_FAT_DISK_ERROR, .kind = SDSIM_ANSWER_NONE};
    }
}

void sdsim_fat_replay(struct sdsim_medium *medium, const char *ops, const char *path,
                      const struct sdsim_volume_config *config, bool plain, FILE *out)
{
    struct sdsim_blocks blocks;
    struct sdsim_session session;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    sdsim_blocks_init(&blocks, medium, out);
    sdsim_session_init(&session, &blocks.disk, config, 1);
    struct sdsim_place place = {.file = path, .line = 0};
    sdsim_ps now = 0;
    for (const char *line = ops; *line != '\0';) {
        const char *end = strchr(line, '\n');
        const size_t length = end != NULL ? (size_t)(end - line) : strlen(line);
        struct sdsim_op op;
        place.line++;
        if (sdsim_op_parse(&op, line, length, &place, &diags) == SDSIM_OP_LINE) {
            for (uint32_t i = 1; i <= op.repeat; i++) {
                struct sdsim_answer answer = sdsim_session_run(&session, &op, &now, NULL);
                if (plain) {
                    simplify(&op, &answer);
                }
                sdsim_blocks_note(&blocks, place.line, &op, i, &answer);
            }
        }
        line += length + (end != NULL);
    }
    sdsim_blocks_end(&blocks);
    sdsim_diags_print(&diags, stderr);
    assert_int_equal(diags.errors, 0);
    assert_false(blocks.failed);
    assert_int_equal(now, 0);
    sdsim_session_end(&session);
    sdsim_blocks_free(&blocks);
    sdsim_diags_free(&diags);
}

/* Comment lines at the head; *count of them. */
static const char *skip_head(const char *text, int *count)
{
    *count = 0;
    while (strncmp(text, "# ", 2) == 0) {
        text = strchr(text, '\n') + 1;
        ++*count;
    }
    return text;
}

/* Prints the line both texts differ in; true if they don't. */
static bool compare(const char *expected, const char *got, const char *name)
{
    int line;
    expected = skip_head(expected, &line);
    const char *expected_line = expected;
    const char *got_line = got;
    while (*expected != '\0' && *expected == *got) {
        if (*expected == '\n') {
            line++;
            expected_line = expected + 1;
            got_line = got + 1;
        }
        expected++;
        got++;
    }
    if (*expected == *got) {
        return true;
    }
    (void)fprintf(stderr, "%s:%d: expected '%.*s', got '%.*s'\n", name, line + 1,
                  (int)strcspn(expected_line, "\n"), expected_line, (int)strcspn(got_line, "\n"),
                  got_line);
    return false;
}

bool sdsim_fat_replay_is(const struct sdsim_medium *start, const char *ops_path,
                         const struct sdsim_volume_config *config, bool plain,
                         const char *blocks_path, const char *name)
{
    char *ops = sdsim_fat_read_text(ops_path);
    char *expected = sdsim_fat_read_text(blocks_path);
    char *got = NULL;
    size_t got_size = 0;
    FILE *out = open_memstream(&got, &got_size);
    struct sdsim_medium *medium = sdsim_medium_copy(start);
    assert_non_null(ops);
    assert_non_null(expected);
    assert_non_null(out);
    assert_non_null(medium);
    sdsim_fat_replay(medium, ops, ops_path, config, plain, out);
    (void)fclose(out);
    const bool same = compare(expected, got, name);
    sdsim_medium_destroy(medium);
    free(got);
    free(expected);
    free(ops);
    return same;
}

/*
 * Tables of wrong lines and all that the schema check says about each.
 */
#ifndef SDSIM_TEST_SCHEMA_MESSAGES_H
#define SDSIM_TEST_SCHEMA_MESSAGES_H

#include "unit/config_fixture.h"
#include "unit/schema_example.h"

struct sdsim_test_message {
    const char *text; /* one line; if it says nothing about steps, it gets those every file needs */
    const char *said;
};

static inline void sdsim_test_messages(const struct sdsim_test_message *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sdsim_test_config f;
        size_t size;
        const bool has_steps = strncmp(rows[i].text, "steps", 5) == 0;
        char *text = sdsim_test_repeat(rows[i].text, "steps: {call: 1B}\n", !has_steps, &size);
        sdsim_test_config_set_up(&f, NULL);
        const struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", text, size, &f.diags);
        free(text);
        assert_non_null(root);
        struct example out;
        const struct sdsim_draw draw = {.seed = 1, .k = 1};
        const bool bound = sdsim_bind(f.config, &example_schema, root, "p", &draw, &out, &f.diags);
        char *printed = sdsim_test_diag_text(&f.diags);
        if (bound || strcmp(printed, rows[i].said) != 0) {
            fail_msg("%sexpected\n%sgot%s\n%s", rows[i].text, rows[i].said,
                     bound ? " it bound, and" : "", printed);
        }
        free(printed);
        sdsim_test_config_tear_down(&f);
    }
}

#endif

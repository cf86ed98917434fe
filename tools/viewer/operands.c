#include "operands.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "report/run_report.h"
#include "setup/setup.h"
#include "timeline/file.h"
#include "tools/sdsim/import_capture.h"
#include "tools/sdsim/spool.h"

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text);
    return length >= strlen(ending) && strcmp(text + length - strlen(ending), ending) == 0;
}

static bool is_timeline(const char *path)
{
    uint8_t head[SDSIM_TL_HEAD] = {0};
    FILE *file = !sdsim_is_stream(path) ? fopen(path, "rb") : NULL;
    if (file == NULL) {
        return ends_with(path, ".sdtl");
    }
    const size_t size = fread(head, 1, sizeof head, file);
    (void)fclose(file);
    /* Also one of another version, or one that was cut off in its first bytes, for what it says then. */
    return ends_with(path, ".sdtl") || (size == sizeof head && memcmp(head, "sdsimTL\n", 8) == 0);
}

static enum sdsim_operand_kind kind_of(const char *name)
{
    if (is_timeline(name)) {
        return SDSIM_OPERAND_TIMELINE;
    }
    if (sdsim_is_scenario(name)) {
        return SDSIM_OPERAND_SCENARIO;
    }
    return sdsim_import_is_capture(name) ? SDSIM_OPERAND_CAPTURE : SDSIM_OPERAND_TRACE;
}

/* Whether a word is the id of a run of a scenario. What is wrong with the scenario is told when it is
 * opened. */
static bool is_run_of(struct sdsim_cli_session *session, const char *scenario, const char *word)
{
    const char *path = sdsim_cli_find(session, "scenario", scenario);
    const struct sdsim_scenario *loaded =
        path != NULL ? sdsim_scenario_load(session->config, path, NULL, &session->diags) : NULL;
    sdsim_diags_free(&session->diags);
    for (size_t i = 0; loaded != NULL && i < loaded->count; i++) {
        if (strcmp(sdsim_run_label(&loaded->runs[i]), word) == 0) {
            return true;
        }
    }
    return false;
}

static size_t sort(struct sdsim_cli_session *session, char *const *words, size_t count,
                   struct sdsim_operand operands[SDSIM_OPERANDS_MOST])
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        struct sdsim_operand *last = found > 0 ? &operands[found - 1] : NULL;
        const bool run = last != NULL && last->kind == SDSIM_OPERAND_SCENARIO &&
                         is_run_of(session, last->name, words[i]);
        if (run && last->run == NULL) {
            last->run = words[i];
        } else if (found == SDSIM_OPERANDS_MOST) {
            fprintf(stderr, "error: two things are shown at most, and '%s' is a third\n", words[i]);
            return 0;
        } else if (run) {
            operands[found++] = (struct sdsim_operand){
                .kind = SDSIM_OPERAND_SCENARIO, .name = last->name, .run = words[i]};
        } else {
            operands[found++] = (struct sdsim_operand){.kind = kind_of(words[i]), .name = words[i]};
        }
    }
    return found;
}

size_t sdsim_operands_sort(char *const *words, size_t count,
                           struct sdsim_operand operands[SDSIM_OPERANDS_MOST])
{
    struct sdsim_cli_session session;
    size_t found = 0;
    if (sdsim_cli_open(&session)) {
        found = sort(&session, words, count, operands);
    }
    sdsim_cli_close(&session);
    return found;
}

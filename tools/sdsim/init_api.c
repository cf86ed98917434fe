/*
 * Which file API a set-up without a board most likely has: that of the boards with its driver.
 */
#include <string.h>

#include "init_questions.h"

/* What a board says under file.api if it has this driver; its host goes to *host. NULL: nothing. */
static const char *api_of_board(struct sdsim_cli_session *session, const char *board,
                                const char *driver, const char **host)
{
    struct sdsim_diags unheard;
    sdsim_diags_init(&unheard);
    const struct sdsim_node *tree =
        sdsim_config_profile(session->config, "board", board, NULL, &unheard);
    sdsim_diags_free(&unheard);
    const char *own = tree != NULL ? sdsim_node_text(tree, "driver") : NULL;
    const struct sdsim_node *file =
        own != NULL && strcmp(own, driver) == 0 ? sdsim_node_get(tree, "file") : NULL;
    *host = tree != NULL ? sdsim_node_text(tree, "host") : NULL;
    return file != NULL ? sdsim_node_text(file, "api") : NULL;
}

/* Of the boards with the driver: one with this host, else the first. NULL: none says it. */
static const char *api_of_boards(struct sdsim_cli_session *session, const char *driver,
                                 const char *host)
{
    const struct sdsim_profile_file *boards;
    const size_t count = sdsim_config_list(session->config, "board", &boards);
    const char *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *its_host;
        const char *api = api_of_board(session, boards[i].name, driver, &its_host);
        if (api != NULL && its_host != NULL && strcmp(its_host, host) == 0) {
            return api;
        }
        first = first == NULL ? api : first;
    }
    return first;
}

static bool has_costs(const struct sdsim_setup *setup, const char *api)
{
    for (int i = 0; i < SDSIM_API_COUNT; i++) {
        if (strcmp(sdsim_file_api_name((enum sdsim_file_api)i), api) == 0) {
            return setup->host.files[i].given;
        }
    }
    return false;
}

const char *sdsim_init_usual_api(struct sdsim_cli_session *session, const char *driver,
                                 const char *host, const struct sdsim_setup *setup)
{
    const char *api = api_of_boards(session, driver, host);
    if (api != NULL && has_costs(setup, api)) {
        return api;
    }
    if (setup->host.files[SDSIM_API_POSIX].given) {
        return NULL; /* what a scenario has that says nothing */
    }
    if (setup->host.files[SDSIM_API_FATFS].given) {
        return sdsim_file_api_name(SDSIM_API_FATFS);
    }
    for (int i = 0; i < SDSIM_API_COUNT; i++) {
        if (setup->host.files[i].given) {
            return sdsim_file_api_name((enum sdsim_file_api)i);
        }
    }
    return NULL;
}

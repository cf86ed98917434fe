#include "config/config.h"

#include <stdlib.h>
#include <string.h>

struct sdsim_config *sdsim_config_create(const char *data_dir)
{
    struct sdsim_config *config = calloc(1, sizeof *config);
    if (config == NULL || data_dir == NULL) {
        return config;
    }
    config->data_dir = sdsim_arena_text(&config->arena, data_dir, strlen(data_dir));
    if (config->data_dir == NULL) {
        sdsim_config_destroy(config);
        return NULL;
    }
    return config;
}

void sdsim_config_destroy(struct sdsim_config *config)
{
    if (config != NULL) {
        sdsim_arena_empty(&config->arena);
        free(config);
    }
}

void *sdsim_config_alloc(struct sdsim_config *config, size_t count, size_t size)
{
    return sdsim_arena_alloc(&config->arena, count, size);
}

struct sdsim_node *sdsim_config_parse(struct sdsim_config *config, const char *path,
                                      struct sdsim_diags *diags)
{
    struct sdsim_source *source = sdsim_source_read(config, path, diags);
    if (source != NULL) {
        source->next = config->files;
        config->files = source;
    }
    return source != NULL ? sdsim_yaml_read(config, source, 0, diags) : NULL;
}

struct sdsim_node *sdsim_config_parse_text(struct sdsim_config *config, const char *name,
                                           const char *text, size_t size, struct sdsim_diags *diags)
{
    const struct sdsim_source *source = sdsim_source_copy(config, name, text, size, diags);
    return source != NULL ? sdsim_yaml_read(config, source, 0, diags) : NULL;
}

const struct sdsim_source *sdsim_config_files(const struct sdsim_config *config)
{
    return config->files;
}

const char *sdsim_config_text(struct sdsim_config *config, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = sdsim_config_alloc(config, size, 1);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

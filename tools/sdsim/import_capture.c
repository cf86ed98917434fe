#include "import_capture.h"

#include <stdio.h>
#include <string.h>

static const char no_reader[] = "captures of pins can't be read yet";

bool sdsim_import_is_capture(const char *path)
{
    char head[512] = "";
    FILE *file = strcmp(path, "-") != 0 ? fopen(path, "rb") : NULL;
    if (file == NULL) {
        return false;
    }
    const size_t size = fread(head, 1, sizeof head - 1, file);
    (void)fclose(file);
    head[size] = '\0';
    return memcmp(head, "PK\x03\x04", 4) == 0 || (head[0] == '$' && strstr(head, "$end") != NULL);
}

enum sdsim_exit sdsim_import_capture(const struct sdsim_arguments *arguments, const char *path)
{
    (void)arguments;
    fprintf(stderr, "error: %s: %s\n", path, no_reader);
    return SDSIM_EXIT_INPUT;
}

struct sdsim_block_source *sdsim_import_capture_blocks(const struct sdsim_arguments *arguments,
                                                       const char *path, struct sdsim_diags *diags)
{
    (void)arguments;
    sdsim_error(diags, path, "%s", no_reader);
    return NULL;
}

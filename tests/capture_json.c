#include "capture_json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/capture_report.h"

bool sdsim_test_has_captures(void)
{
    struct stat info;
    return stat("../shared/captures/sigrok-dumps", &info) == 0;
}

static json_t *report(struct sdsim_capture *capture)
{
    struct sdsim_summary *summary = sdsim_summary_new(capture->roles.bus == SDSIM_CAPTURE_SPI);
    struct sdsim_findings findings;
    char *text = NULL;
    size_t size = 0;
    const enum sdsim_pin_result result = sdsim_findings_collect(&findings, capture, summary);
    const struct sdsim_capture_view view = {
        .capture = capture,
        .summary = summary,
        .findings = &findings,
        .partial = result == SDSIM_PINS_BROKEN,
    };
    FILE *out = open_memstream(&text, &size);
    sdsim_capture_json(&view, out);
    fclose(out);
    json_t *root = json_loadb(text, size, 0, NULL);
    free(text);
    sdsim_summary_free(summary);
    return root;
}

json_t *sdsim_test_capture(const char *path, const char *channels, char *messages, size_t size)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    json_t *root = NULL;
    struct sdsim_capture *capture = sdsim_capture_open(path, channels, &diags);
    if (capture != NULL) {
        root = report(capture);
        sdsim_capture_close(capture);
    }
    if (messages != NULL) {
        FILE *out = fmemopen(messages, size, "w");
        sdsim_diags_print(&diags, out);
        fclose(out);
    }
    sdsim_diags_free(&diags);
    return root;
}

/* The `count`-th row whose command has this name. */
static json_t *row(json_t *rows, const char *name, size_t length, unsigned long count)
{
    size_t i;
    json_t *one;
    json_array_foreach(rows, i, one)
    {
        const char *command = json_string_value(json_object_get(one, "command"));
        if (command != NULL && strlen(command) == length && strncmp(command, name, length) == 0 &&
            count-- == 0) {
            return one;
        }
    }
    return NULL;
}

/* The element with this number, or with this `id`. */
static json_t *element(json_t *list, const char *key)
{
    char *end;
    const unsigned long number = strtoul(key, &end, 10);
    if (*end == '\0') {
        return json_array_get(list, number);
    }
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
    {
        const char *id = json_string_value(json_object_get(one, "id"));
        if (id != NULL && strcmp(id, key) == 0) {
            return one;
        }
    }
    return NULL;
}

json_t *sdsim_test_at(json_t *root, const char *path)
{
    json_t *at = root;
    while (*path != '\0' && at != NULL) {
        char key[64];
        const size_t length = strcspn(path, ".");
        const char *number = memchr(path, '#', length);
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        if (number != NULL) {
            at = row(at, path, (size_t)(number - path), strtoul(number + 1, NULL, 10));
        } else if (json_is_array(at)) {
            at = element(at, key);
        } else {
            at = json_object_get(at, key);
        }
        path += length + (path[length] == '.');
    }
    return at;
}

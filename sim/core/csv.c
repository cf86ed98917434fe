#include "core/csv.h"

#include <stdbool.h>
#include <string.h>

static bool needs_quotes(const char *field)
{
    const size_t size = strlen(field);
    return strpbrk(field, ",\"\r\n") != NULL ||
           (size > 0 && (field[0] == ' ' || field[size - 1] == ' '));
}

static void write_field(FILE *out, const char *field)
{
    if (!needs_quotes(field)) {
        fputs(field, out);
        return;
    }
    fputc('"', out);
    for (; *field != '\0'; field++) {
        if (*field == '"') {
            fputc('"', out);
        }
        fputc(*field, out);
    }
    fputc('"', out);
}

void sdsim_csv_line(FILE *out, const char *const *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            fputc(',', out);
        }
        if (fields[i] != NULL) {
            write_field(out, fields[i]);
        }
    }
    fputc('\n', out);
}

char *sdsim_csv_next_field(char **at)
{
    char *start = *at;
    char *out = start;
    const char *in = start;
    if (*in == '"') {
        for (in++; *in != '"' || in[1] == '"'; in++) {
            if (*in == '\0') {
                return NULL;
            }
            in += *in == '"';
            *out++ = *in;
        }
        in++;
    } else {
        while (*in != ',' && *in != '\0') {
            *out++ = *in++;
        }
    }
    if (*in != ',' && *in != '\0') {
        return NULL;
    }
    *at = *in == ',' ? start + (in + 1 - start) : NULL;
    *out = '\0';
    return start;
}

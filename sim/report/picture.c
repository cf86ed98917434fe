#include "report/picture.h"

#include <string.h>

void sdsim_plot_quote(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (strchr("\"\\", *text) != NULL) {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

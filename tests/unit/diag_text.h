/*
 * The messages of a struct sdsim_diags as the text they print, for tests that compare all of it.
 */
#ifndef SDSIM_TEST_DIAG_TEXT_H
#define SDSIM_TEST_DIAG_TEXT_H

#include <stdio.h>
#include <stdlib.h>

#include "core/diag.h"

/* For the caller to free; never NULL. */
static inline char *sdsim_test_diag_text(const struct sdsim_diags *diags)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        abort();
    }
    sdsim_diags_print(diags, out);
    if (fclose(out) != 0) {
        abort();
    }
    return text;
}

#endif

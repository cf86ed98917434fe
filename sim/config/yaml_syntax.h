/*
 * Syntax errors of YAML in our words.
 *
 * libyaml says where it stopped and which rule of its grammar failed ("did not find expected key").
 * What people do wrong is a much shorter list - tabs, brackets and quotes left open, a ": " or a
 * special sign in plain text, lines that don't line up - and most of it can be told from libyaml's
 * text and the character at the place. Whatever is not in the list is passed on as libyaml says it.
 */
#ifndef SDSIM_CONFIG_YAML_SYNTAX_H
#define SDSIM_CONFIG_YAML_SYNTAX_H

#include <stddef.h>

#include "config/tree.h"

/* What libyaml reports, with its marks turned into byte offsets in the source. */
struct sdsim_yaml_problem {
    const char *problem;
    const char *context; /* "while parsing a flow sequence", or "" */
    size_t at;           /* where the problem is */
    size_t context_at;   /* where the thing begins that was being read */
};

void sdsim_yaml_report(const struct sdsim_source *source, const struct sdsim_yaml_problem *problem,
                       struct sdsim_diags *diags);

#endif

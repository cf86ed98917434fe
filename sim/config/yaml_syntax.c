#include "config/yaml_syntax.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct rule {
    const char *problem; /* how libyaml's text starts */
    const char *context; /* how its context starts, NULL: any */
    const char *signs;   /* what may stand at the place, '\n' also for the end; NULL: anything */
    bool at_context;     /* point at where the construct begins */
    const char *text;
    const char *help;
};

/* The first that fits counts. */
static const struct rule rules[] = {
    {"found character that cannot start any token", NULL, "\t", false,
     "a tab can't indent a line in YAML", "indent with spaces"},
    {"found a tab character", NULL, NULL, false, "a tab can't indent a line in YAML",
     "indent with spaces"},
    {"found character that cannot start any token", NULL, "@`%", false,
     "a text can't start with this sign in YAML", "put the text into quotes"},
    {"did not find expected ',' or", NULL, ":", false, "a ':' is not expected here",
     "put a text with ': ' in it into quotes"},
    {"did not find expected ',' or ']'", NULL, NULL, true, "this '[' is never closed",
     "the items of a list are separated by ',' and end with ']'"},
    {"did not find expected ',' or '}'", NULL, NULL, true, "this '{' is never closed",
     "the entries of a map are separated by ',' and end with '}'"},
    {"did not find expected node content", "while parsing a flow node", "]}\n", true,
     "this bracket is never closed", "each '[' needs a ']' and each '{' a '}'"},
    {"did not find expected", NULL, "]", false, "this ']' closes nothing", NULL},
    {"did not find expected", NULL, "}", false, "this '}' closes nothing", NULL},
    {"did not find expected node content", NULL, ",", false, "a ',' with no value in front of it",
     "a text that starts with ',' needs quotes"},
    {"found unexpected end of stream", "while scanning a quoted", NULL, true,
     "this quote is never closed", NULL},
    {"found unexpected document indicator", "while scanning a quoted", NULL, true,
     "this quote is never closed", NULL},
    {"did not find expected comment or line break", "while scanning a block scalar", NULL, true,
     "a text can't start with this sign in YAML", "put the text into quotes"},
    {"found unknown escape character", NULL, NULL, false,
     "unknown escape in a text in double quotes",
     "write '\\\\' for a backslash, or use single quotes"},
    {"mapping values are not allowed", NULL, NULL, false, "a ':' is not expected here",
     "put a text with ': ' in it into quotes, and line up keys of one map"},
    {"could not find expected ':'", NULL, NULL, true, "expected 'key: value'",
     "a space must follow the ':' behind a key"},
    {"block sequence entries are not allowed", NULL, NULL, false, "a list can't start here",
     "begin it on a line of its own, or write [a, b]"},
    {"did not find expected '-' indicator", NULL, NULL, false,
     "this line is no item of the list above it", "check how far the line is indented"},
    {"did not find expected key", NULL, ":", false, "a key is missing in front of ':'", NULL},
    {"did not find expected key", NULL, "-", false, "a list item where a key is expected",
     "check how far the line is indented"},
    {"did not find expected key", NULL, NULL, false, "this fits no map above it",
     "check how far the line is indented, and that quotes enclose the whole text"},
    {"did not find expected alphabetic or numeric character", "while scanning an alias", NULL, true,
     "YAML aliases ('*name') are not used here", "a text that starts with '*' needs quotes"},
    {"did not find expected alphabetic or numeric character", "while scanning an anchor", NULL,
     true, "YAML anchors ('&name') are not used here", "a text that starts with '&' needs quotes"},
    {"found undefined tag handle", NULL, NULL, false, "YAML tags ('!type') are not used here",
     "a text that starts with '!' needs quotes"},
    {"did not find expected <document start>", NULL, NULL, false,
     "this is no part of what stands above it",
     "a file is one map of 'key: value' lines; check the indentation"},
};

/* Line and column, from 1, of a byte offset; counts from the start of the text. */
static struct sdsim_place place_of(const struct sdsim_source *source, size_t offset)
{
    size_t line_start = 0;
    uint32_t line = 1;
    for (size_t i = 0; i < offset && i < source->size; i++) {
        if (source->text[i] == '\n') {
            line++;
            line_start = i + 1;
        }
    }
    return (struct sdsim_place){.file = source->path,
                                .line = line,
                                .column = (uint32_t)(offset - line_start + 1),
                                .length = 1};
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/*
 * The character that tells the rules apart. A ':' in a later line than the bracket before it says
 * no more than that the bracket is still open, and counts as the end of its line.
 */
static char sign_of(const struct sdsim_source *source, const struct sdsim_yaml_problem *problem)
{
    if (problem->at >= source->size) {
        return '\n';
    }
    const char sign = source->text[problem->at];
    const bool later_line =
        problem->context_at < problem->at &&
        memchr(source->text + problem->context_at, '\n', problem->at - problem->context_at) != NULL;
    return sign == ':' && later_line ? '\n' : sign;
}

static bool applies(const struct rule *rule, const struct sdsim_yaml_problem *problem, char sign)
{
    return starts_with(problem->problem, rule->problem) &&
           (rule->context == NULL || starts_with(problem->context, rule->context)) &&
           (rule->signs == NULL || strchr(rule->signs, sign) != NULL);
}

void sdsim_yaml_report(const struct sdsim_source *source, const struct sdsim_yaml_problem *problem,
                       struct sdsim_diags *diags)
{
    const char sign = sign_of(source, problem);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *rule = &rules[i];
        if (applies(rule, problem, sign)) {
            const struct sdsim_place place =
                place_of(source, rule->at_context ? problem->context_at : problem->at);
            sdsim_diag_add(diags, SDSIM_ERROR, &place, source->text, source->size, rule->help, "%s",
                           rule->text);
            return;
        }
    }
    const struct sdsim_place place = place_of(source, problem->at);
    sdsim_diag_add(diags, SDSIM_ERROR, &place, source->text, source->size, NULL,
                   "this is no YAML: %s%s%s", problem->context,
                   problem->context[0] != '\0' ? ", " : "", problem->problem);
}

#include "command.h"

#include <string.h>

#include "config/kinds.h"
#include "config/provenance.h"
#include "output.h"
#include "report/json.h"
#include "report/table.h"
#include "session.h"
#include "setup/schemas.h"

/* ---- one profile ---- */

/* Prints a tree value by value; where to is in `table` or, if that is NULL, `json`. */
struct printer {
    struct sdsim_table *table;
    struct sdsim_json *json;
};

/* Whether a value comes from the command line. */
static bool is_set(const struct sdsim_node *value)
{
    return value != NULL && strcmp(value->source->path, "--set") == 0;
}

static void print_value(const struct printer *printer, const char *path, const char *key,
                        const struct sdsim_provenance *value, const char *text)
{
    const char *range = value->range != NULL ? value->range->text : NULL;
    const bool set = is_set(value->value);
    const char *origin = set                                  ? "set"
                         : value->origin != SDSIM_FROM_UNSAID ? sdsim_origin_name(value->origin)
                                                              : NULL;
    if (printer->table != NULL) {
        sdsim_table_cell(printer->table, SDSIM_INK_PLAIN, "%s", key);
        sdsim_table_cell(printer->table, SDSIM_INK_PLAIN, "%s", text);
        sdsim_table_cell(printer->table, SDSIM_INK_PLAIN, "%s", range != NULL ? range : "");
        sdsim_table_cell(printer->table, SDSIM_INK_PLAIN, "%s%s", origin != NULL ? origin : "",
                         value->fit_headline && !set ? "*" : "");
        sdsim_table_cell(printer->table, SDSIM_INK_PLAIN, "%s",
                         value->source != NULL ? value->source : "");
        return;
    }
    char whole[256];
    snprintf(whole, sizeof whole, "%s%s%s", path, path[0] != '\0' ? "." : "", key);
    sdsim_json_object(printer->json, NULL);
    sdsim_json_text(printer->json, "key", whole);
    sdsim_json_text(printer->json, "value", text);
    sdsim_json_text(printer->json, "range", range);
    sdsim_json_text(printer->json, "from", origin);
    sdsim_json_bool(printer->json, "fit_headline", value->fit_headline && !set);
    sdsim_json_text(printer->json, "source", value->source);
    sdsim_json_end(printer->json);
}

static bool is_head_key(const char *key)
{
    static const char *const keys[] = {"kind", "base", "name", "description", "source"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a value is a map of further keys, or a list of such maps. */
static bool is_folder(const struct sdsim_node *node)
{
    return (node->kind == SDSIM_NODE_MAP && sdsim_node_get(node, "value") == NULL) ||
           (node->kind == SDSIM_NODE_LIST && node->count > 0 &&
            node->items[0]->kind == SDSIM_NODE_MAP);
}

static void print_entry(const struct printer *printer, const char *path,
                        const struct sdsim_entry *entry)
{
    struct sdsim_provenance value = {.value = entry->value};
    char text[200];
    if (entry->value->kind == SDSIM_NODE_MAP) {
        (void)sdsim_provenance_read(entry->value, entry->key, &value, NULL);
    }
    if (value.value != NULL && value.value->kind == SDSIM_NODE_LIST) {
        sdsim_node_list_text(value.value, text, sizeof text);
    } else {
        snprintf(text, sizeof text, "%s",
                 value.value != NULL && value.value->text != NULL ? value.value->text : "");
    }
    print_value(printer, path, entry->key, &value, text);
}

static bool has_values(const struct sdsim_node *map)
{
    for (size_t i = 0; i < map->count; i++) {
        if (!is_folder(map->entries[i].value)) {
            return true;
        }
    }
    return false;
}

static void print_folder(const struct printer *printer, const char *path,
                         const struct sdsim_node *folder);

/* First the values of a map itself, then, each under a heading, the maps in it. */
static void print_map(const struct printer *printer, const char *path, const struct sdsim_node *map)
{
    for (size_t i = 0; i < map->count; i++) {
        if (!is_folder(map->entries[i].value) &&
            (path[0] != '\0' || !is_head_key(map->entries[i].key))) {
            print_entry(printer, path, &map->entries[i]);
        }
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct sdsim_entry *entry = &map->entries[i];
        if (is_folder(entry->value)) {
            char below[256];
            snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "", entry->key);
            print_folder(printer, below, entry->value);
        }
    }
}

static void print_folder(const struct printer *printer, const char *path,
                         const struct sdsim_node *folder)
{
    if (folder->kind == SDSIM_NODE_LIST) {
        for (size_t i = 0; i < folder->count; i++) {
            char item[300];
            snprintf(item, sizeof item, "%s[%zu]", path, i);
            print_folder(printer, item, folder->items[i]);
        }
        return;
    }
    if (printer->table != NULL && has_values(folder)) {
        sdsim_table_heading(printer->table, path);
    }
    print_map(printer, path, folder);
}

static bool print_profile_text(const struct sdsim_node *tree, const char *path,
                               const struct sdsim_style *style, FILE *out)
{
    static const char *const head[] = {"name", "description", "source"};
    static const struct sdsim_column columns[] = {{"key", false, false},
                                                  {"value", false, false},
                                                  {"range", false, false},
                                                  {"from", false, false},
                                                  {"source", false, true}};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
        const char *text = sdsim_node_text(tree, head[i]);
        if (text != NULL) {
            char first[24];
            snprintf(first, sizeof first, "%-13s", head[i]);
            sdsim_print_wrapped(out, first, text);
        }
    }
    fprintf(out, "%-13s%s\n\n", "file", path);
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    const struct printer printer = {.table = &table};
    print_map(&printer, "", tree);
    const bool fine = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return fine;
}

static void print_profile_json(const struct sdsim_node *tree, const char *kind, const char *path,
                               FILE *out)
{
    struct sdsim_json json;
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_text(&json, "kind", kind);
    sdsim_json_text(&json, "name", sdsim_node_text(tree, "name"));
    sdsim_json_text(&json, "description", sdsim_node_text(tree, "description"));
    sdsim_json_text(&json, "path", path);
    sdsim_json_array(&json, "values");
    const struct printer printer = {.json = &json};
    print_map(&printer, "", tree);
    sdsim_json_end(&json);
    sdsim_json_end(&json);
}

/* ---- the command ---- */

static bool print(struct sdsim_cli_session *session, const struct sdsim_arguments *arguments,
                  const struct sdsim_schema *schema, FILE *out)
{
    const char *kind = arguments->operands[0];
    const struct sdsim_style style = sdsim_output_style(arguments);
    if (arguments->operand_count == 1) {
        if (arguments->json_schema) {
            sdsim_schema_json(schema, kind, out);
        } else {
            sdsim_schema_describe(schema, out);
        }
        return true;
    }
    const char *path = sdsim_cli_find(session, kind, arguments->operands[1]);
    const struct sdsim_node *tree =
        path != NULL ? sdsim_cli_load(session, kind, path, arguments->overrides) : NULL;
    if (tree == NULL) {
        return true; /* the session's messages say why */
    }
    if (arguments->json) {
        print_profile_json(tree, kind, path, out);
        return true;
    }
    return print_profile_text(tree, path, &style, out);
}

static enum sdsim_exit describe_in(struct sdsim_cli_session *session,
                                   const struct sdsim_arguments *arguments,
                                   const struct sdsim_schema *schema)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    const bool fine = print(session, arguments, schema, output.stream);
    if (!fine) {
        fputs("error: out of memory\n", stderr);
    }
    if (sdsim_cli_report(session) || !fine) {
        sdsim_output_discard(&output);
        return fine ? SDSIM_EXIT_INPUT : SDSIM_EXIT_FAULT;
    }
    return sdsim_output_send(&output, arguments->output);
}

static bool makes_sense(const struct sdsim_arguments *arguments)
{
    const char *fault = NULL;
    if (arguments->json_schema && arguments->operand_count > 1) {
        fault = "--json-schema describes all files of a kind, so it takes no name";
    } else if (arguments->json && arguments->operand_count == 1) {
        fault = "--json prints a profile, so it needs a name; the schema is --json-schema";
    } else if (arguments->overrides[0] != NULL && arguments->operand_count == 1) {
        fault = "--set changes a profile, so it needs a name";
    }
    if (fault != NULL) {
        fprintf(stderr, "error: %s\n", fault);
    }
    return fault == NULL;
}

/* Of one word that is no kind but the name of files: says how they are asked for. */
static bool is_name(const char *word)
{
    static const char *const kinds[] = {
#define SDSIM_KIND_NAME(kind, folder) #kind,
        SDSIM_KIND_LIST(SDSIM_KIND_NAME)
#undef SDSIM_KIND_NAME
    };
    struct sdsim_cli_session session;
    bool found = false;
    bool kind = false;
    const bool open = sdsim_cli_open(&session);
    for (size_t i = 0; open && i < sizeof kinds / sizeof *kinds; i++) {
        const struct sdsim_profile_file *files;
        const size_t count = sdsim_config_list(session.config, kinds[i], &files);
        kind = kind || strcmp(kinds[i], word) == 0;
        for (size_t k = 0; !kind && k < count; k++) {
            if (strcmp(files[k].name, word) == 0) {
                fprintf(stderr, "%s'sdsim describe %s %s'\n",
                        found ? "help: or " : "error: a name needs its kind\nhelp: ", kinds[i],
                        word);
                found = true;
            }
        }
    }
    sdsim_cli_close(&session);
    return found;
}

static enum sdsim_exit describe(const struct sdsim_arguments *arguments)
{
    struct sdsim_cli_session session;
    if (arguments->operand_count == 1 && is_name(arguments->operands[0])) {
        return SDSIM_EXIT_INPUT;
    }
    if (!sdsim_cli_is_kind(arguments->operands[0]) || !makes_sense(arguments)) {
        return SDSIM_EXIT_INPUT;
    }
    const struct sdsim_schema *schema = sdsim_schema_for(arguments->operands[0]);
    const enum sdsim_exit code =
        sdsim_cli_open(&session) ? describe_in(&session, arguments, schema) : SDSIM_EXIT_FAULT;
    sdsim_cli_close(&session);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_SET,   SDSIM_OPTION_JSON_SCHEMA, SDSIM_OPTION_JSON,  SDSIM_OPTION_OUTPUT,
    SDSIM_OPTION_COLOR, SDSIM_OPTION_HELP,        SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_describe = {
    .name = "describe",
    .operands = "scenario|board|host|driver|card [NAME]",
    .summary = "explain the keys of a kind of file, or show the values of one",
    .details =
        "Without NAME: every key of such files, with its type, unit, limits and default. With "
        "NAME, "
        "a file or one of those that 'sdsim list' shows: all its values, inherited ones included, "
        "with their range (5% to 95%), where they come from and the source. A * marks a value that "
        "was fitted to the headline measurements. With --set the file is shown with the change, "
        "and what "
        "was changed comes from 'set'; the path begins in the file (rd1=200us in a card).\n"
        "The JSON of a file is {kind, name, description, path, values [{key, value, range, from, "
        "fit_headline, source}]}.\n",
    .least = 1,
    .most = 2,
    .options = options,
    .run = describe,
};

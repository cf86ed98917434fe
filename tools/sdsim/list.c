#include "command.h"

#include <string.h>

#include "config/kinds.h"
#include "core/units.h"
#include "output.h"
#include "core/csv.h"
#include "report/json.h"
#include "report/table.h"
#include "session.h"
#include "setup/params.h"
#include "setup/schemas.h"

static const char *const kinds[] = {
#define SDSIM_KIND_NAME(kind, folder) #kind,
    SDSIM_KIND_LIST(SDSIM_KIND_NAME)
#undef SDSIM_KIND_NAME
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* One profile, as a line of the list. */
struct entry {
    const char *kind;
    const char *name; /* of the file */
    const char *path;
    const char *title; /* its `name`, or NULL */
    const char *description;
    bool is_card;
    uint64_t capacity; /* cards */
    char capacity_text[32];
    char classes[48];
};

static void add_class(char *out, size_t size, const char *letter, uint64_t class)
{
    const size_t used = strlen(out);
    if (class > 0) {
        snprintf(out + used, size - used, "%s%s%u", used > 0 ? " " : "", letter, (unsigned)class);
    }
}

/* Capacity and the classes printed on the card: "C10 U1 V30 A2". */
static void describe_card(struct sdsim_cli_session *session, const struct sdsim_node *tree,
                          struct entry *entry)
{
    struct sdsim_card_params card;
    const struct sdsim_draw typical = {.k = 0};
    if (!sdsim_bind(session->config, &sdsim_card_schema, tree, entry->name, &typical, &card,
                    &session->diags)) {
        return;
    }
    entry->is_card = true;
    entry->capacity = card.capacity;
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)card.capacity, entry->capacity_text,
                     sizeof entry->capacity_text);
    add_class(entry->classes, sizeof entry->classes, "C", card.speed_class);
    add_class(entry->classes, sizeof entry->classes, "U", card.uhs_grade);
    add_class(entry->classes, sizeof entry->classes, "V", card.video_class);
    add_class(entry->classes, sizeof entry->classes, "A", card.app_class);
}

/* False with messages if the file is faulty. */
static bool read_entry(struct sdsim_cli_session *session, const char *kind,
                       const struct sdsim_profile_file *file, const char *const *overrides,
                       struct entry *entry)
{
    *entry = (struct entry){.kind = kind, .name = file->name, .path = file->path};
    const struct sdsim_node *tree = sdsim_cli_load(session, kind, file->path, overrides);
    entry->title = sdsim_node_text(tree, "name");
    entry->description = sdsim_node_text(tree, "description");
    if (tree != NULL && strcmp(kind, "card") == 0) {
        describe_card(session, tree, entry);
    }
    return tree != NULL;
}

/* ---- printing ---- */

static void print_line(const struct entry *entry, struct sdsim_table *table)
{
    const char *text = entry->title != NULL         ? entry->title
                       : entry->description != NULL ? entry->description
                                                    : "";
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", entry->name);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", entry->capacity_text);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", entry->classes);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", text);
}

static void print_json(const struct entry *entry, struct sdsim_json *json)
{
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "kind", entry->kind);
    sdsim_json_text(json, "name", entry->name);
    sdsim_json_text(json, "title", entry->title);
    sdsim_json_text(json, "description", entry->description);
    sdsim_json_text(json, "path", entry->path);
    if (entry->is_card) {
        sdsim_json_count(json, "capacity", entry->capacity);
        sdsim_json_text(json, "classes", entry->classes);
    }
    sdsim_json_end(json);
}

static void print_csv(const struct entry *entry, FILE *out)
{
    char capacity[32] = "";
    if (entry->is_card) {
        snprintf(capacity, sizeof capacity, "%llu", (unsigned long long)entry->capacity);
    }
    const char *const fields[] = {entry->kind, entry->name, entry->title,  entry->description,
                                  entry->path, capacity,    entry->classes};
    sdsim_csv_line(out, fields, sizeof fields / sizeof *fields);
}

/* What is printed to, one of the three. */
struct printer {
    const struct sdsim_arguments *arguments;
    struct sdsim_table table; /* of one kind */
    struct sdsim_json json;
    FILE *out;
    size_t fitting;           /* scenarios that can be run with the overrides */
    struct sdsim_diags unfit; /* why others can't */
};

static void begin(struct printer *printer)
{
    static const char *const head[] = {"kind", "name",     "title",  "description",
                                       "path", "capacity", "classes"};
    if (printer->arguments->json) {
        sdsim_json_start(&printer->json, printer->out);
        sdsim_json_array(&printer->json, NULL);
    } else if (printer->arguments->csv) {
        sdsim_csv_line(printer->out, head, sizeof head / sizeof *head);
    }
}

static void print_entry(struct printer *printer, const struct entry *entry)
{
    if (printer->arguments->json) {
        print_json(entry, &printer->json);
    } else if (printer->arguments->csv) {
        print_csv(entry, printer->out);
    } else {
        print_line(entry, &printer->table);
    }
}

/* Swaps the messages of the session with those about scenarios that don't fit. */
static void swap_diags(struct sdsim_cli_session *session, struct printer *printer)
{
    const struct sdsim_diags kept = session->diags;
    session->diags = printer->unfit;
    printer->unfit = kept;
}

/*
 * Overrides are for files of the kind that is asked for, or for scenarios. A scenario that can't be
 * run with them is left out.
 */
static void list_one(struct sdsim_cli_session *session, struct printer *printer, const char *kind,
                     const struct sdsim_profile_file *file)
{
    const struct sdsim_arguments *arguments = printer->arguments;
    const bool scenario = strcmp(kind, "scenario") == 0;
    const bool filters = scenario && arguments->overrides[0] != NULL;
    struct entry entry;
    if (filters) {
        swap_diags(session, printer);
    }
    if (read_entry(session, kind, file,
                   scenario || arguments->operand_count > 0 ? arguments->overrides : NULL,
                   &entry)) {
        print_entry(printer, &entry);
        printer->fitting += scenario;
    }
    if (filters) {
        swap_diags(session, printer);
    }
}

/* False without memory. */
static bool print_kind(struct sdsim_cli_session *session, struct printer *printer, const char *kind)
{
    static const struct sdsim_column columns[] = {
        {NULL, false, false}, {NULL, true, false}, {NULL, false, false}, {NULL, false, true}};
    const struct sdsim_style style = sdsim_output_style(printer->arguments);
    const struct sdsim_profile_file *files;
    const size_t count = sdsim_config_list(session->config, kind, &files);
    sdsim_table_init(&printer->table, columns, sizeof columns / sizeof *columns);
    if (printer->arguments->operand_count == 0 && count > 0) {
        sdsim_table_heading(&printer->table, kind);
        printer->table.indent = 2;
    }
    for (size_t i = 0; i < count; i++) {
        list_one(session, printer, kind, &files[i]);
    }
    const bool text = !printer->arguments->json && !printer->arguments->csv;
    const bool fine = !text || sdsim_table_print(&printer->table, &style, printer->out);
    sdsim_table_free(&printer->table);
    return fine;
}

/* ---- the command ---- */

static enum sdsim_exit list_in(struct sdsim_cli_session *session,
                               const struct sdsim_arguments *arguments)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    struct printer printer = {.arguments = arguments, .out = output.stream};
    bool fine = true;
    sdsim_diags_init(&printer.unfit);
    begin(&printer);
    for (size_t i = 0; i < KINDS; i++) {
        if (arguments->operand_count == 0 || strcmp(arguments->operands[0], kinds[i]) == 0) {
            fine = print_kind(session, &printer, kinds[i]) && fine;
        }
    }
    if (arguments->json) {
        sdsim_json_end(&printer.json);
    }
    if (!fine) {
        fputs("error: out of memory\n", stderr);
    }
    if (printer.fitting == 0 && printer.unfit.errors > 0) {
        swap_diags(session, &printer);
    }
    sdsim_diags_free(&printer.unfit);
    if (sdsim_cli_report(session) || !fine) {
        sdsim_output_discard(&output);
        return fine ? SDSIM_EXIT_INPUT : SDSIM_EXIT_FAULT;
    }
    return sdsim_output_send(&output, arguments->output);
}

static enum sdsim_exit list(const struct sdsim_arguments *arguments)
{
    if (arguments->operand_count > 0 && !sdsim_cli_is_kind(arguments->operands[0])) {
        return SDSIM_EXIT_INPUT;
    }
    return sdsim_cli_in_session(list_in, arguments);
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_SET,   SDSIM_OPTION_JSON, SDSIM_OPTION_CSV,   SDSIM_OPTION_OUTPUT,
    SDSIM_OPTION_COLOR, SDSIM_OPTION_HELP, SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_list = {
    .name = "list",
    .operands = "[scenario|board|host|driver|card]",
    .summary = "list the scenarios and profiles there are",
    .details =
        "The JSON is a list of {kind, name, title, description, path}, for cards with "
        "capacity (bytes) and classes (as printed on the card: C speed class, U UHS grade, V "
        "video class, A application class). The CSV has the same columns.\n"
        "--set changes a value in every file of the kind. Without a kind, or with 'scenario', it "
        "is a change of their runs, as in 'sdsim run', and only the scenarios are listed that can "
        "be run with it.\n",
    .least = 0,
    .most = 1,
    .options = options,
    .run = list,
};

/*
 * A schema as JSON Schema, draft 2020-12, for the completion and checking of editors.
 *
 * Editors see YAML's own types: an unquoted 5 is a number to them, "yes" may be true. So a text may
 * be a number there, and a choice that looks like a number is listed twice. Where a file has a
 * `base` no key is required, since it may be inherited; in nested maps no key ever is, except in
 * lists, which are replaced whole.
 */
#include <stdio.h>
#include <string.h>

#include "config/schema.h"
#include "config/value.h"
#include "core/units.h"

struct writer {
    FILE *out;
    unsigned level;
    bool first; /* nothing stands in the innermost object or array yet */
};

static void write_string(struct writer *writer, const char *text)
{
    fputc('"', writer->out);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(writer->out, "\\%c", *c);
        } else if ((unsigned char)*c < 0x20) {
            fprintf(writer->out, "\\u%04x", (unsigned)*c);
        } else {
            fputc(*c, writer->out);
        }
    }
    fputc('"', writer->out);
}

/* Starts the next member; `name` is NULL in an array. */
static void next(struct writer *writer, const char *name)
{
    fprintf(writer->out, "%s\n%*s", writer->first ? "" : ",", (int)(2 * writer->level), "");
    writer->first = false;
    if (name != NULL) {
        write_string(writer, name);
        fputs(": ", writer->out);
    }
}

static void open(struct writer *writer, char bracket)
{
    fputc(bracket, writer->out);
    writer->level++;
    writer->first = true;
}

static void close(struct writer *writer, char bracket)
{
    writer->level--;
    if (!writer->first) {
        fprintf(writer->out, "\n%*s", (int)(2 * writer->level), "");
    }
    fputc(bracket, writer->out);
    writer->first = false;
}

static void member_string(struct writer *writer, const char *name, const char *text)
{
    next(writer, name);
    write_string(writer, text);
}

static void member_raw(struct writer *writer, const char *name, const char *json)
{
    next(writer, name);
    fputs(json, writer->out);
}

/* "[0-9]+(\.[0-9]+)? ?(ps|ns|...)": all a unit's parser takes, and a little more. */
static size_t quantity_pattern(enum sdsim_unit unit, bool unit_needed, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "[0-9]+(\\.[0-9]+)?( ?(");
    for (size_t i = 0; sdsim_unit_name(unit, i) != NULL && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? "|" : "",
                                 sdsim_unit_name(unit, i));
    }
    if (used < size) {
        used += (size_t)snprintf(out + used, size - used, "))%s", unit_needed ? "" : "?");
    }
    return used;
}

/* The functions called members_of_... write into an object that is open already. */
static void members_of_pattern(struct writer *writer, const char *pattern)
{
    member_raw(writer, "type", "\"string\"");
    member_string(writer, "pattern", pattern);
}

static void write_pattern(struct writer *writer, const char *pattern)
{
    open(writer, '{');
    members_of_pattern(writer, pattern);
    close(writer, '}');
}

/* A value with a unit; "0" alone is a number to editors. */
static void members_of_unit(struct writer *writer, enum sdsim_unit unit)
{
    char inner[200];
    char pattern[210];
    uint64_t zero;
    quantity_pattern(unit, true, inner, sizeof inner);
    snprintf(pattern, sizeof pattern, "^%s$", inner);
    if (sdsim_unit_parse(unit, "0", &zero) != SDSIM_UNIT_OK) {
        members_of_pattern(writer, pattern);
        return;
    }
    next(writer, "anyOf");
    open(writer, '[');
    next(writer, NULL);
    write_pattern(writer, pattern);
    member_raw(writer, NULL, "{\"const\": 0}");
    close(writer, ']');
}

static void members_of_quantity(struct writer *writer)
{
    static const enum sdsim_unit units[] = {SDSIM_UNIT_TIME, SDSIM_UNIT_RATE,
                                            SDSIM_UNIT_PER_SECOND};
    next(writer, "anyOf");
    open(writer, '[');
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        char low[200];
        char high[200];
        char pattern[420];
        quantity_pattern(units[i], false, low, sizeof low);
        quantity_pattern(units[i], true, high, sizeof high);
        snprintf(pattern, sizeof pattern, "^(%s\\.\\.)?%s$", low, high);
        next(writer, NULL);
        write_pattern(writer, pattern);
    }
    close(writer, ']');
}

static void members_of_number(struct writer *writer, const struct sdsim_key *key)
{
    char limit[32];
    const bool whole = key->type == SDSIM_VALUE_COUNT;
    member_raw(writer, "type", whole ? "\"integer\"" : "\"number\"");
    if (whole || key->min != 0 || key->max != 0) {
        snprintf(limit, sizeof limit, "%llu", (unsigned long long)key->min);
        member_raw(writer, "minimum", limit);
    }
    if (sdsim_value_has_max(key)) {
        snprintf(limit, sizeof limit, "%llu", (unsigned long long)key->max);
        member_raw(writer, "maximum", limit);
    }
}

static void members_of_choices(struct writer *writer, const struct sdsim_choice *choices)
{
    next(writer, "enum");
    open(writer, '[');
    for (const struct sdsim_choice *choice = choices; choice->name != NULL; choice++) {
        next(writer, NULL);
        write_string(writer, choice->name);
        const bool is_number = strspn(choice->name, "0123456789") == strlen(choice->name);
        if (is_number && (choice->name[0] != '0' || choice->name[1] == '\0')) {
            member_raw(writer, NULL, choice->name);
        }
    }
    close(writer, ']');
}

static void members_of_map(struct writer *writer, const struct sdsim_schema *schema, bool whole);

/* The type of a value, without provenance and list. */
static void members_of_type(struct writer *writer, const struct sdsim_key *key, bool whole)
{
    enum sdsim_unit unit;
    if (sdsim_value_unit(key->type, &unit)) {
        members_of_unit(writer, unit);
        return;
    }
    switch (key->type) {
    case SDSIM_VALUE_COUNT:
    case SDSIM_VALUE_NUMBER:
        members_of_number(writer, key);
        break;
    case SDSIM_VALUE_BOOL:
        member_raw(writer, "enum", "[true, false, \"yes\", \"no\", \"on\", \"off\"]");
        break;
    case SDSIM_VALUE_CHOICE:
        members_of_choices(writer, key->choices);
        break;
    case SDSIM_VALUE_MAP:
        members_of_map(writer, key->schema, whole);
        break;
    case SDSIM_VALUE_PROFILE:
        member_raw(writer, "type", "[\"string\", \"object\"]");
        break;
    case SDSIM_VALUE_QUANTITY:
        members_of_quantity(writer);
        break;
    default:
        member_raw(writer, "type", "[\"string\", \"number\", \"boolean\"]");
        break;
    }
}

static void write_type(struct writer *writer, const struct sdsim_key *key)
{
    open(writer, '{');
    members_of_type(writer, key, false);
    close(writer, '}');
}

static void write_origins(struct writer *writer)
{
    next(writer, "from");
    open(writer, '{');
    next(writer, "enum");
    open(writer, '[');
    for (int i = SDSIM_FROM_PUBLISHED; i <= SDSIM_FROM_ASSUMED; i++) {
        member_string(writer, NULL, sdsim_origin_name((enum sdsim_origin)i));
    }
    close(writer, ']');
    close(writer, '}');
}

/* {value, range, from, source, fit} */
static void write_provenance(struct writer *writer, const struct sdsim_key *key)
{
    open(writer, '{');
    member_raw(writer, "type", "\"object\"");
    next(writer, "properties");
    open(writer, '{');
    next(writer, "value");
    write_type(writer, key);
    if (sdsim_value_is_number(key->type)) {
        next(writer, "range");
        write_pattern(writer, "^.+\\.\\..+$");
    }
    write_origins(writer);
    member_raw(writer, "source", "{\"type\": \"string\"}");
    member_raw(writer, "fit", "{\"const\": \"headline\"}");
    close(writer, '}');
    member_raw(writer, "required", "[\"value\"]");
    member_raw(writer, "additionalProperties", "false");
    close(writer, '}');
}

/* One value of a key, with its provenance if it may have one. */
static void members_of_item(struct writer *writer, const struct sdsim_key *key)
{
    if (!key->profile) {
        members_of_type(writer, key, key->list);
        return;
    }
    next(writer, "oneOf");
    open(writer, '[');
    next(writer, NULL);
    write_type(writer, key);
    next(writer, NULL);
    write_provenance(writer, key);
    close(writer, ']');
}

/* One item, or an array of them. */
static void members_of_list(struct writer *writer, const struct sdsim_key *key)
{
    next(writer, "anyOf");
    open(writer, '[');
    next(writer, NULL);
    open(writer, '{');
    members_of_item(writer, key);
    close(writer, '}');
    next(writer, NULL);
    open(writer, '{');
    member_raw(writer, "type", "\"array\"");
    next(writer, "items");
    open(writer, '{');
    members_of_item(writer, key);
    close(writer, '}');
    if (key->required) {
        member_raw(writer, "minItems", "1");
    }
    close(writer, '}');
    close(writer, ']');
}

static void write_key(struct writer *writer, const struct sdsim_key *key)
{
    next(writer, key->name);
    open(writer, '{');
    if (key->doc != NULL) {
        member_string(writer, "description", key->doc);
    }
    if (key->fallback != NULL) {
        member_string(writer, "default", key->fallback);
    }
    if (key->list) {
        members_of_list(writer, key);
    } else {
        members_of_item(writer, key);
    }
    close(writer, '}');
}

static void write_required(struct writer *writer, const struct sdsim_schema *schema)
{
    next(writer, "required");
    open(writer, '[');
    for (size_t i = 0; i < schema->key_count; i++) {
        if (schema->keys[i].required) {
            member_string(writer, NULL, schema->keys[i].name);
        }
    }
    close(writer, ']');
}

static void write_properties(struct writer *writer, const struct sdsim_schema *schema)
{
    for (size_t i = 0; i < schema->key_count; i++) {
        write_key(writer, &schema->keys[i]);
    }
}

/* A nested map; `whole` if nothing of it can be inherited. */
static void members_of_map(struct writer *writer, const struct sdsim_schema *schema, bool whole)
{
    member_raw(writer, "type", "\"object\"");
    next(writer, "properties");
    open(writer, '{');
    write_properties(writer, schema);
    close(writer, '}');
    if (whole) {
        write_required(writer, schema);
    }
    member_raw(writer, "additionalProperties", "false");
}

static bool has_key(const struct sdsim_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->key_count; i++) {
        if (strcmp(schema->keys[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The keys every file may have, except those the schema has itself. */
static void write_common(struct writer *writer, const struct sdsim_schema *schema, const char *kind)
{
    static const char text[] = "{\"type\": [\"string\", \"number\", \"boolean\"]}";
    static const char texts[] =
        "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": "
        "\"string\"}}]}";
    static const struct {
        const char *name;
        const char *json;
    } common[] = {{"base", text}, {"name", text}, {"description", text}, {"source", texts}};
    if (!has_key(schema, "kind")) {
        next(writer, "kind");
        open(writer, '{');
        member_string(writer, "const", kind);
        close(writer, '}');
    }
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        if (!has_key(schema, common[i].name)) {
            member_raw(writer, common[i].name, common[i].json);
        }
    }
}

void sdsim_schema_json(const struct sdsim_schema *schema, const char *kind, FILE *out)
{
    struct writer state = {.out = out};
    struct writer *writer = &state;
    open(writer, '{');
    member_string(writer, "$schema", "https://json-schema.org/draft/2020-12/schema");
    member_string(writer, "title", schema->name);
    if (schema->doc != NULL) {
        member_string(writer, "description", schema->doc);
    }
    member_raw(writer, "type", "\"object\"");
    next(writer, "properties");
    open(writer, '{');
    write_common(writer, schema, kind);
    write_properties(writer, schema);
    close(writer, '}');
    member_raw(writer, "required", "[\"kind\"]");
    member_raw(writer, "if", "{\"not\": {\"required\": [\"base\"]}}");
    next(writer, "then");
    open(writer, '{');
    write_required(writer, schema);
    close(writer, '}');
    member_raw(writer, "additionalProperties", "false");
    close(writer, '}');
    fputc('\n', out);
}

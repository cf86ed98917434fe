/*
 * Events to nodes.
 *
 * libyaml is pulled event by event and each map or list is read by one recursive call, so that the
 * limits on levels and nodes act before anything grows: libyaml's own document reader is quadratic
 * in the nesting and needs 16 s for 100 kB of '['. Children are collected on a stack shared by all
 * levels and moved to the arena when their map or list is complete.
 *
 * libyaml counts characters, our places are bytes. The events come in the order of the text, so one
 * cursor that walks forward turns all marks into lines and columns in a single pass.
 */
#include "config/config.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/yaml_syntax.h"
#include "core/utf8.h"

struct cursor {
    size_t characters; /* libyaml's count */
    size_t at;         /* the same place as an offset in the source, in bytes */
    size_t line_start;
    uint32_t line;
};

/* The children of all maps and lists that are being read; `key` is NULL for those of a list. */
struct stack {
    struct sdsim_entry *items;
    size_t count;
    size_t capacity;
};

struct reader {
    struct sdsim_config *config;
    const struct sdsim_source *source;
    struct sdsim_diags *diags;
    size_t start; /* offset of the first character libyaml sees */
    yaml_parser_t parser;
    struct cursor cursor;
    struct stack stack;
    size_t nodes;
    unsigned level;
    size_t brackets[SDSIM_TREE_LEVELS]; /* offsets of the open '[' and '{' around each other */
    unsigned bracket_count;
};

static void advance(const struct reader *reader, struct cursor *cursor, size_t characters)
{
    const struct sdsim_source *source = reader->source;
    while (cursor->characters < characters && cursor->at < source->size) {
        const bool newline = source->text[cursor->at++] == '\n';
        while (cursor->at < source->size && sdsim_utf8_is_continuation(source->text[cursor->at])) {
            cursor->at++;
        }
        cursor->characters++;
        if (newline) {
            cursor->line++;
            cursor->line_start = cursor->at;
        }
    }
}

/* Where a mark lies. From the reader's cursor on that costs no more than the text in between. */
static struct cursor locate(const struct reader *reader, const yaml_mark_t *mark)
{
    struct cursor cursor = reader->cursor;
    if (mark->index < cursor.characters) {
        cursor = (struct cursor){.at = reader->start, .line = 1};
    }
    advance(reader, &cursor, mark->index);
    return cursor;
}

static uint32_t column_of(const struct cursor *cursor)
{
    return (uint32_t)(cursor->at - cursor->line_start + 1);
}

/* The bytes between the cursor and a mark behind it, or to the end of the line. */
static uint32_t length_to(const struct reader *reader, const yaml_mark_t *end)
{
    struct cursor cursor = reader->cursor;
    const char *text = reader->source->text;
    while (cursor.characters < end->index && cursor.at < reader->source->size &&
           text[cursor.at] != '\n' && text[cursor.at] != '\r') {
        advance(reader, &cursor, cursor.characters + 1);
    }
    return (uint32_t)(cursor.at - reader->cursor.at);
}

static void complain(const struct reader *reader, const yaml_mark_t *mark, const char *help,
                     const char *text)
{
    const struct sdsim_source *source = reader->source;
    const struct cursor cursor = locate(reader, mark);
    const struct sdsim_place place = {
        .file = source->path, .line = cursor.line, .column = column_of(&cursor)};
    sdsim_diag_add(reader->diags, SDSIM_ERROR, &place, source->text, source->size, help, "%s",
                   text);
}

static void report_syntax(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    struct sdsim_yaml_problem problem = {.problem = parser->problem != NULL ? parser->problem
                                                                            : "unknown problem",
                                         .context = parser->context != NULL ? parser->context : "",
                                         .at = locate(reader, &parser->problem_mark).at,
                                         .context_at = locate(reader, &parser->context_mark).at};
    /* Where an item is missing libyaml names the place of the item; the bracket says more. */
    if (reader->bracket_count > 0 && strcmp(problem.context, "while parsing a flow node") == 0) {
        problem.context_at = reader->brackets[reader->bracket_count - 1];
    }
    sdsim_yaml_report(reader->source, &problem, reader->diags);
}

/* The next event, for the caller to delete; false after a syntax error or without memory. */
static bool next_event(struct reader *reader, yaml_event_t *event)
{
    if (yaml_parser_parse(&reader->parser, event)) {
        return true;
    }
    if (reader->parser.error == YAML_MEMORY_ERROR) {
        sdsim_config_no_memory(reader->diags);
    } else {
        report_syntax(reader);
    }
    return false;
}

static bool push(struct reader *reader, const struct sdsim_entry *child)
{
    struct stack *stack = &reader->stack;
    if (stack->count == stack->capacity) {
        const size_t capacity = stack->capacity == 0 ? 64 : stack->capacity * 2;
        struct sdsim_entry *items = realloc(stack->items, capacity * sizeof *items);
        if (items == NULL) {
            sdsim_config_no_memory(reader->diags);
            return false;
        }
        stack->items = items;
        stack->capacity = capacity;
    }
    stack->items[stack->count++] = *child;
    return true;
}

/* A node at the start of an event; NULL beyond the limit or without memory. */
static struct sdsim_node *new_node(struct reader *reader, enum sdsim_node_kind kind,
                                   const yaml_event_t *event)
{
    if (reader->nodes++ == SDSIM_TREE_NODES) {
        complain(reader, &event->start_mark, "put long workloads into a trace file",
                 "more than 100000 values in one file");
        return NULL;
    }
    struct sdsim_node *node = sdsim_arena_alloc(&reader->config->arena, 1, sizeof *node);
    if (node == NULL) {
        return sdsim_config_no_memory(reader->diags);
    }
    reader->cursor = locate(reader, &event->start_mark);
    node->kind = kind;
    node->source = reader->source;
    node->line = reader->cursor.line;
    node->column = column_of(&reader->cursor);
    node->length = kind == SDSIM_NODE_SCALAR ? length_to(reader, &event->end_mark) : 1;
    return node;
}

static void refuse_decoration(const struct reader *reader, const yaml_event_t *event,
                              const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor != NULL) {
        complain(
            reader, &event->start_mark,
            "write the value again, or inherit with 'base:'; a text that starts with '&' needs "
            "quotes",
            "YAML anchors ('&name') are not used here");
    }
    if (tag != NULL) {
        complain(reader, &event->start_mark, "a text that starts with '!' needs quotes",
                 "YAML tags ('!type') are not used here");
    }
}

/* The text of a scalar, which may be any bytes but NUL, or NULL after a message. */
static const char *scalar_text(struct reader *reader, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    refuse_decoration(reader, event, event->data.scalar.anchor, event->data.scalar.tag);
    if (memchr(value, '\0', length) != NULL) {
        complain(reader, &event->start_mark, NULL, "a text can't contain the character NUL");
        return NULL;
    }
    const char *text = sdsim_arena_text(&reader->config->arena, value, length);
    return text != NULL ? text : sdsim_config_no_memory(reader->diags);
}

static struct sdsim_node *read_value(struct reader *reader, yaml_event_t *event);

static struct sdsim_node *read_scalar(struct reader *reader, const yaml_event_t *event)
{
    struct sdsim_node *node = new_node(reader, SDSIM_NODE_SCALAR, event);
    if (node != NULL) {
        node->text = scalar_text(reader, event);
    }
    return node != NULL && node->text != NULL ? node : NULL;
}

/* Moves the children above `bottom` from the stack to the arena. */
static bool take_items(struct reader *reader, size_t bottom, struct sdsim_node *list)
{
    struct stack *stack = &reader->stack;
    list->count = stack->count - bottom;
    list->items = sdsim_arena_alloc(&reader->config->arena, list->count, sizeof *list->items);
    if (list->items == NULL) {
        sdsim_config_no_memory(reader->diags);
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        list->items[i] = stack->items[bottom + i].value;
    }
    stack->count = bottom;
    return true;
}

static bool take_entries(struct reader *reader, size_t bottom, struct sdsim_node *map)
{
    struct stack *stack = &reader->stack;
    map->count = stack->count - bottom;
    map->entries = sdsim_arena_alloc(&reader->config->arena, map->count, sizeof *map->entries);
    if (map->entries == NULL) {
        sdsim_config_no_memory(reader->diags);
        return false;
    }
    if (map->count > 0) {
        memcpy(map->entries, stack->items + bottom, map->count * sizeof *map->entries);
    }
    stack->count = bottom;
    return true;
}

static void report_duplicate(const struct reader *reader, const struct sdsim_entry *first,
                             const struct sdsim_entry *again)
{
    char help[64];
    snprintf(help, sizeof help, "the first one is in line %u", (unsigned)first->line);
    const struct sdsim_place place = {.file = again->source->path,
                                      .line = again->line,
                                      .column = again->column,
                                      .length = (uint32_t)strlen(again->key)};
    sdsim_diag_add(reader->diags, SDSIM_ERROR, &place, again->source->text, again->source->size,
                   help, "duplicate key '%.100s'", again->key);
}

static bool check_duplicates(struct reader *reader, const struct sdsim_node *map)
{
    const struct sdsim_entry **sorted = calloc(map->count + 1, sizeof *sorted);
    if (sorted == NULL) {
        sdsim_config_no_memory(reader->diags);
        return false;
    }
    sdsim_node_sort(map, sorted);
    for (size_t i = 1, first = 0; i < map->count; i++) {
        if (strcmp(sorted[first]->key, sorted[i]->key) == 0) {
            report_duplicate(reader, sorted[first], sorted[i]);
        } else {
            first = i;
        }
    }
    free(sorted);
    return true;
}

/* Reads the key in `event`; false if it is none. */
static bool read_key(struct reader *reader, const yaml_event_t *event, struct sdsim_entry *entry)
{
    if (event->type != YAML_SCALAR_EVENT) {
        complain(reader, &event->start_mark, "a text that starts with '[', '{' or '*' needs quotes",
                 "a key must be a plain word");
        return false;
    }
    reader->cursor = locate(reader, &event->start_mark);
    entry->source = reader->source;
    entry->line = reader->cursor.line;
    entry->column = column_of(&reader->cursor);
    entry->key = scalar_text(reader, event);
    if (entry->key == NULL) {
        return false;
    }
    if (entry->key[0] == '\0') {
        complain(reader, &event->start_mark, NULL, "a key is missing in front of ':'");
    } else if (strcmp(entry->key, "<<") == 0) {
        complain(reader, &event->start_mark, "inherit with 'base: NAME'",
                 "YAML merge keys ('<<') are not used here");
    }
    return true;
}

/* Whether an event is the scalar libyaml puts where nothing is written. */
static bool is_nothing(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT && event->data.scalar.length == 0 &&
           event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

/* Reads the value behind a key. An empty one has no place of its own and takes the key's. */
static bool read_entry_value(struct reader *reader, struct sdsim_entry *entry)
{
    yaml_event_t event;
    if (!next_event(reader, &event)) {
        return false;
    }
    const bool empty = is_nothing(&event);
    entry->value = read_value(reader, &event);
    if (entry->value != NULL && empty) {
        entry->value->line = entry->line;
        entry->value->column = entry->column;
        entry->value->length = (uint32_t)strlen(entry->key);
    }
    return entry->value != NULL;
}

static struct sdsim_node *read_map(struct reader *reader, const yaml_event_t *start)
{
    struct sdsim_node *map = new_node(reader, SDSIM_NODE_MAP, start);
    refuse_decoration(reader, start, start->data.mapping_start.anchor,
                      start->data.mapping_start.tag);
    const size_t bottom = reader->stack.count;
    while (map != NULL) {
        yaml_event_t event;
        struct sdsim_entry entry = {0};
        if (!next_event(reader, &event)) {
            return NULL;
        }
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        const bool is_key = read_key(reader, &event, &entry);
        yaml_event_delete(&event);
        if (!is_key || !read_entry_value(reader, &entry) || !push(reader, &entry)) {
            return NULL;
        }
    }
    if (map == NULL || !take_entries(reader, bottom, map) || !check_duplicates(reader, map)) {
        return NULL;
    }
    return map;
}

static struct sdsim_node *read_list(struct reader *reader, const yaml_event_t *start)
{
    struct sdsim_node *list = new_node(reader, SDSIM_NODE_LIST, start);
    refuse_decoration(reader, start, start->data.sequence_start.anchor,
                      start->data.sequence_start.tag);
    const size_t bottom = reader->stack.count;
    while (list != NULL) {
        yaml_event_t event;
        if (!next_event(reader, &event)) {
            return NULL;
        }
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        const struct sdsim_entry child = {.value = read_value(reader, &event)};
        if (child.value == NULL || !push(reader, &child)) {
            return NULL;
        }
    }
    return list != NULL && take_items(reader, bottom, list) ? list : NULL;
}

/* One level down; `read` is read_map or read_list. */
static struct sdsim_node *
read_nested(struct reader *reader, const yaml_event_t *start, bool bracket,
            struct sdsim_node *(*read)(struct reader *, const yaml_event_t *))
{
    if (reader->level == SDSIM_TREE_LEVELS) {
        complain(reader, &start->start_mark, NULL, "more than 32 maps or lists inside each other");
        return NULL;
    }
    reader->level++;
    if (bracket) {
        reader->brackets[reader->bracket_count++] = locate(reader, &start->start_mark).at;
    }
    struct sdsim_node *node = read(reader, start);
    reader->bracket_count -= bracket;
    reader->level--;
    return node;
}

/* Reads the value that begins with `event`, which it deletes. NULL: reading can't go on. */
static struct sdsim_node *read_value(struct reader *reader, yaml_event_t *event)
{
    struct sdsim_node *node = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        node = read_scalar(reader, event);
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        const bool bracket = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        node = read_nested(reader, event, bracket, read_map);
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        const bool bracket = event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        node = read_nested(reader, event, bracket, read_list);
    } else {
        /* Only an alias is left; its node is a stand-in so that reading can go on. */
        complain(
            reader, &event->start_mark,
            "write the value again, or inherit with 'base:'; a text that starts with '*' needs "
            "quotes",
            "YAML aliases ('*name') are not used here");
        node = new_node(reader, SDSIM_NODE_SCALAR, event);
        if (node != NULL) {
            node->text = "";
        }
    }
    yaml_event_delete(event);
    return node;
}

/* Passes over an event that begins or ends the stream or a document; false after a message. */
static bool skip_event(struct reader *reader, yaml_event_type_t *type)
{
    yaml_event_t event;
    if (!next_event(reader, &event)) {
        return false;
    }
    *type = event.type;
    if (event.type == YAML_DOCUMENT_START_EVENT && reader->nodes > 0) {
        complain(reader, &event.start_mark, "put it into a file of its own",
                 "a second YAML document in one file");
        yaml_event_delete(&event);
        return false;
    }
    yaml_event_delete(&event);
    return true;
}

static struct sdsim_node *read_document(struct reader *reader)
{
    yaml_event_type_t type;
    if (!skip_event(reader, &type) || !skip_event(reader, &type)) {
        return NULL;
    }
    yaml_event_t event;
    struct sdsim_node *root = NULL;
    bool empty = true;
    if (type == YAML_DOCUMENT_START_EVENT) {
        if (!next_event(reader, &event)) {
            return NULL;
        }
        empty = is_nothing(&event);
        root = read_value(reader, &event);
        if (root == NULL || !skip_event(reader, &type) || !skip_event(reader, &type)) {
            return NULL;
        }
    }
    if (empty) {
        sdsim_error(reader->diags, reader->source->path,
                    "empty: there is nothing in it but blanks and comments");
        return NULL;
    }
    return root;
}

struct sdsim_node *sdsim_yaml_read(struct sdsim_config *config, const struct sdsim_source *source,
                                   size_t start, struct sdsim_diags *diags)
{
    struct reader reader = {.config = config,
                            .source = source,
                            .diags = diags,
                            .start = start,
                            .cursor = {.at = start, .line = 1}};
    if (!yaml_parser_initialize(&reader.parser)) {
        return sdsim_config_no_memory(diags);
    }
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)source->text + start,
                                 source->size - start);
    const size_t errors = diags->errors;
    struct sdsim_node *root = read_document(&reader);
    free(reader.stack.items);
    yaml_parser_delete(&reader.parser);
    return diags->errors == errors ? root : NULL;
}

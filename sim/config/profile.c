/*
 * Profiles by name: where they are looked for, what they inherit, which there are.
 *
 * A file's identity is its device and inode number, so that a cycle is seen however its members
 * spell each other's names.
 */
#include "config/config.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/closest.h"
#include "config/kinds.h"

struct kind {
    const char *name;
    const char *folder; /* in the data directory */
};

static const struct kind kinds[] = {
#define SDSIM_KIND_ROW(kind, folder) {#kind, folder},
    SDSIM_KIND_LIST(SDSIM_KIND_ROW)
#undef SDSIM_KIND_ROW
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

/* One profile that is being loaded, and the one that inherits from it. */
struct link {
    const struct link *up;
    const char *name;
    dev_t device;
    ino_t inode;
};

/* What is asked for. */
struct request {
    const char *kind;
    const char *name;
    const struct sdsim_node *named_by; /* or NULL */
    const struct link *chain;          /* who inherits from it, or NULL */
};

/* A text in the arena; NULL without memory. */
__attribute__((format(printf, 2, 3))) static char *print_text(struct sdsim_config *config,
                                                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = size >= 0 ? sdsim_arena_alloc(&config->arena, (size_t)size + 1, 1) : NULL;
    if (text != NULL) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)size + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text);
    return size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

/* Compares identities; false if `path` is no file. */
static bool same_file(const struct link *link, const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_dev == link->device &&
           status.st_ino == link->inode;
}

static bool exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

/* Points at the node that names the profile, if there is one. */
__attribute__((format(printf, 4, 5))) static void complain(struct sdsim_diags *diags,
                                                           const struct request *request,
                                                           const char *help, const char *format,
                                                           ...)
{
    char text[1100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (request->named_by != NULL) {
        sdsim_node_diag(diags, SDSIM_ERROR, request->named_by, help, "%s", text);
    } else {
        sdsim_diag_add(diags, SDSIM_ERROR, NULL, NULL, 0, help, "%s", text);
    }
}

/* ------------------------------------------------------------------------------- listing --- */

static int compare_files(const void *a, const void *b)
{
    const struct sdsim_profile_file *left = a;
    const struct sdsim_profile_file *right = b;
    return strcmp(left->name, right->name);
}

/* The kind a file says it is, NULL if it says none or can't be read; that is not reported here. */
static const struct kind *kind_of(const char *path)
{
    struct sdsim_config *scratch = sdsim_config_create(NULL);
    if (scratch == NULL) {
        return NULL;
    }
    struct sdsim_diags unheard;
    sdsim_diags_init(&unheard);
    const char *says = sdsim_node_text(sdsim_config_parse(scratch, path, &unheard), "kind");
    const struct kind *kind = says != NULL ? find_kind(says) : NULL;
    sdsim_diags_free(&unheard);
    sdsim_config_destroy(scratch);
    return kind;
}

/* Adds the file to the listing, whose `files` has room for *room; moves it when that is full. */
static bool add_file(struct sdsim_config *config, struct sdsim_listing *listing,
                     struct sdsim_profile_file **files, size_t *room, const char *folder,
                     const char *file_name)
{
    const char *path = print_text(config, "%s/%s", folder, file_name);
    if (path == NULL || kind_of(path) != find_kind(listing->kind)) {
        return path != NULL;
    }
    if (listing->count == *room) {
        *room = *room == 0 ? 16 : *room * 2;
        struct sdsim_profile_file *larger =
            sdsim_arena_alloc(&config->arena, *room, sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        if (listing->count > 0) {
            memcpy(larger, *files, listing->count * sizeof *larger);
        }
        *files = larger;
    }
    const char *name =
        sdsim_arena_text(&config->arena, file_name, strlen(file_name) - strlen(".yaml"));
    (*files)[listing->count] = (struct sdsim_profile_file){.name = name, .path = path};
    listing->count += name != NULL;
    return name != NULL;
}

static void read_folder(struct sdsim_config *config, struct sdsim_listing *listing,
                        const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return;
    }
    struct sdsim_profile_file *files = NULL;
    size_t room = 0;
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (ends_with(entry->d_name, ".yaml") &&
            !add_file(config, listing, &files, &room, folder, entry->d_name)) {
            break;
        }
    }
    closedir(directory);
    if (listing->count > 1) {
        qsort(files, listing->count, sizeof *files, compare_files);
    }
    listing->files = files;
}

size_t sdsim_config_list(struct sdsim_config *config, const char *kind,
                         const struct sdsim_profile_file **files)
{
    struct sdsim_listing *listing = config->listings;
    while (listing != NULL && strcmp(listing->kind, kind) != 0) {
        listing = listing->next;
    }
    const struct kind *known = find_kind(kind);
    *files = NULL;
    if (listing == NULL && known != NULL && config->data_dir != NULL) {
        const char *folder = print_text(config, "%s/%s", config->data_dir, known->folder);
        listing = sdsim_arena_alloc(&config->arena, 1, sizeof *listing);
        if (folder == NULL || listing == NULL) {
            return 0;
        }
        listing->kind = known->name;
        read_folder(config, listing, folder);
        listing->next = config->listings;
        config->listings = listing;
    }
    if (listing == NULL) {
        return 0;
    }
    *files = listing->files;
    return listing->count;
}

/* ------------------------------------------------------------------------------- messages --- */

/* What to say about a name nobody has: the one that was meant, or all there are. */
static void suggest_profile(struct sdsim_config *config, const char *kind, const char *name,
                            char *help, size_t size)
{
    const struct sdsim_profile_file *files;
    const size_t count = sdsim_config_list(config, kind, &files);
    const char **names = sdsim_arena_alloc(&config->arena, count + 1, sizeof *names);
    char list[40];
    help[0] = '\0';
    if (names == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = files[i].name;
    }
    snprintf(list, sizeof list, "sdsim list %s", kind);
    sdsim_suggest(name, names, count, list, help, size);
}

static void report_unknown(struct sdsim_config *config, const struct request *request,
                           struct sdsim_diags *diags)
{
    char help[400];
    suggest_profile(config, request->kind, request->name, help, sizeof help);
    complain(diags, request, help[0] != '\0' ? help : NULL, "there is no %s '%s'", request->kind,
             request->name);
}

/* Says why a file is not of the kind it should be. */
static void report_kind(const struct sdsim_node *root, const char *kind, struct sdsim_diags *diags)
{
    const struct sdsim_node *says = sdsim_node_get(root, "kind");
    char help[80];
    snprintf(help, sizeof help, "begin it with 'kind: %s'", kind);
    if (says == NULL) {
        sdsim_node_diag(diags, SDSIM_ERROR, root, help, "this file does not say what it is");
        return;
    }
    if (says->kind != SDSIM_NODE_SCALAR) {
        sdsim_node_diag(diags, SDSIM_ERROR, says, help, "expected a word behind 'kind:', got %s",
                        sdsim_node_kind_name(says));
        return;
    }
    if (find_kind(says->text) != NULL) {
        sdsim_node_diag(diags, SDSIM_ERROR, says, NULL, "this is a %s, expected a %s", says->text,
                        kind);
        return;
    }
    const char *names[KIND_COUNT];
    for (size_t i = 0; i < KIND_COUNT; i++) {
        names[i] = kinds[i].name;
    }
    const char *closest = sdsim_closest(says->text, names, KIND_COUNT);
    if (closest != NULL) {
        snprintf(help, sizeof help, "did you mean '%s'?", closest);
    }
    sdsim_node_diag(diags, SDSIM_ERROR, says, help, "unknown kind '%s'", says->text);
}

/* "a -> b" for the chain that ends in `link`. */
static size_t print_chain(const struct link *link, char *out, size_t size)
{
    size_t used = link->up != NULL ? print_chain(link->up, out, size) : 0;
    if (used < size) {
        used += (size_t)snprintf(out + used, size - used, "%s%s", link->up != NULL ? " -> " : "",
                                 link->name);
    }
    return used;
}

/* ------------------------------------------------------------------------------- loading --- */

static bool says_kind(const struct sdsim_node *root, const char *kind)
{
    const char *says = sdsim_node_text(root, "kind");
    return says != NULL && strcmp(says, kind) == 0;
}

static bool in_chain(const struct link *chain, const char *path)
{
    while (chain != NULL && !same_file(chain, path)) {
        chain = chain->up;
    }
    return chain != NULL;
}

static struct sdsim_node *load(struct sdsim_config *config, const struct request *request,
                               struct sdsim_diags *diags);

/* Lays the tree of a file over what it inherits. */
static struct sdsim_node *inherit(struct sdsim_config *config, const struct request *request,
                                  const char *path, struct sdsim_node *root,
                                  struct sdsim_diags *diags)
{
    if (!says_kind(root, request->kind)) {
        report_kind(root, request->kind, diags);
        return NULL;
    }
    const struct sdsim_node *base = sdsim_node_get(root, "base");
    if (base == NULL) {
        return root;
    }
    if (base->kind != SDSIM_NODE_SCALAR || base->text[0] == '\0') {
        sdsim_node_diag(diags, SDSIM_ERROR, base, NULL, "expected the name of a %s, got %s",
                        request->kind, sdsim_node_kind_name(base));
        return NULL;
    }
    struct stat status;
    if (stat(path, &status) != 0) {
        sdsim_error(diags, path, "cannot be read: %s", strerror(errno));
        return NULL;
    }
    const struct link link = {.up = request->chain,
                              .name = request->name,
                              .device = status.st_dev,
                              .inode = status.st_ino};
    const struct request up = {
        .kind = request->kind, .name = base->text, .named_by = base, .chain = &link};
    const struct sdsim_node *inherited = load(config, &up, diags);
    if (inherited == NULL) {
        return NULL;
    }
    struct sdsim_node *merged = sdsim_config_overlay(config, inherited, root);
    return merged != NULL ? merged : sdsim_config_no_memory(diags);
}

static struct sdsim_node *load_file(struct sdsim_config *config, const struct request *request,
                                    const char *path, struct sdsim_diags *diags)
{
    if (in_chain(request->chain, path)) {
        char chain[900];
        print_chain(request->chain, chain, sizeof chain);
        complain(diags, request, NULL, "a profile can't inherit from itself: %s -> %s", chain,
                 request->name);
        return NULL;
    }
    struct sdsim_node *root = sdsim_config_parse(config, path, diags);
    return root != NULL ? inherit(config, request, path, root, diags) : NULL;
}

/* The length of the folder, with its '/', of the file that names something. */
static int folder_length(const struct sdsim_node *named_by)
{
    const char *slash = named_by != NULL ? strrchr(named_by->source->path, '/') : NULL;
    return slash != NULL ? (int)(slash + 1 - named_by->source->path) : 0;
}

/* Where a relative name with this ending lies if it is beside the file that names it. */
static const char *path_beside(struct sdsim_config *config, const struct request *request,
                               const char *ending)
{
    const char *name = request->name;
    const int length = name[0] == '/' ? 0 : folder_length(request->named_by);
    if (length == 0) {
        return print_text(config, "%s%s", name, ending);
    }
    name += strncmp(name, "./", 2) == 0 ? 2 : 0;
    return print_text(config, "%.*s%s%s", length, request->named_by->source->path, name, ending);
}

/*
 * Whether a file found by name is what is meant. It isn't if it is of another kind, or the very
 * file that inherits: a scenario may bear the name of its card, and a changed copy that of its
 * base.
 */
static bool is_meant(const struct request *request, const char *path)
{
    if (!exists(path) || (request->chain != NULL && same_file(request->chain, path))) {
        return false;
    }
    const struct kind *kind = kind_of(path);
    return kind == NULL || kind == find_kind(request->kind);
}

/* Loads by name: the first place that has what is meant, else the first that has any file, whose
 * flaw is then the message. */
static struct sdsim_node *load_name(struct sdsim_config *config, const struct request *request,
                                    struct sdsim_diags *diags)
{
    const struct kind *kind = find_kind(request->kind);
    const char *beside = path_beside(config, request, ".yaml");
    const char *known =
        config->data_dir == NULL
            ? beside
            : print_text(config, "%s/%s/%s.yaml", config->data_dir, kind->folder, request->name);
    if (beside == NULL || known == NULL) {
        return sdsim_config_no_memory(diags);
    }
    if (is_meant(request, beside)) {
        return load_file(config, request, beside, diags);
    }
    if (is_meant(request, known) || (exists(known) && !exists(beside))) {
        return load_file(config, request, known, diags);
    }
    if (exists(beside)) {
        return load_file(config, request, beside, diags);
    }
    report_unknown(config, request, diags);
    return NULL;
}

static struct sdsim_node *load(struct sdsim_config *config, const struct request *request,
                               struct sdsim_diags *diags)
{
    if (strchr(request->name, '/') == NULL && !ends_with(request->name, ".yaml")) {
        return load_name(config, request, diags);
    }
    const char *path = path_beside(config, request, "");
    if (path == NULL) {
        return sdsim_config_no_memory(diags);
    }
    if (!exists(path)) {
        complain(diags, request, NULL, "there is no file '%s'", path);
        return NULL;
    }
    return load_file(config, request, path, diags);
}

struct sdsim_node *sdsim_config_profile(struct sdsim_config *config, const char *kind,
                                        const char *name, const struct sdsim_node *named_by,
                                        struct sdsim_diags *diags)
{
    const struct request request = {.kind = kind, .name = name, .named_by = named_by};
    if (find_kind(kind) == NULL) {
        sdsim_error(diags, NULL, "there are no profiles of kind '%s'", kind);
        return NULL;
    }
    if (name[0] == '\0') {
        complain(diags, &request, NULL, "expected the name of a %s, got nothing", kind);
        return NULL;
    }
    return load(config, &request, diags);
}

/* A map that stands where a profile could be named: the profile itself, or changes to its base. */
static struct sdsim_node *resolve_map(struct sdsim_config *config, const char *kind,
                                      const struct sdsim_node *map, struct sdsim_diags *diags)
{
    if (sdsim_node_get(map, "kind") != NULL && !says_kind(map, kind)) {
        report_kind(map, kind, diags);
        return NULL;
    }
    const struct sdsim_node *base = sdsim_node_get(map, "base");
    struct sdsim_node *resolved;
    if (base == NULL) {
        resolved = sdsim_node_copy(config, map);
    } else {
        const struct sdsim_node *inherited = sdsim_config_resolve(config, kind, base, diags);
        if (inherited == NULL) {
            return NULL;
        }
        resolved = sdsim_config_overlay(config, inherited, map);
    }
    return resolved != NULL ? resolved : sdsim_config_no_memory(diags);
}

struct sdsim_node *sdsim_config_resolve(struct sdsim_config *config, const char *kind,
                                        const struct sdsim_node *reference,
                                        struct sdsim_diags *diags)
{
    switch (reference->kind) {
    case SDSIM_NODE_MAP:
        return resolve_map(config, kind, reference, diags);
    case SDSIM_NODE_SCALAR:
        return sdsim_config_profile(config, kind, reference->text, reference, diags);
    case SDSIM_NODE_LIST:
        break;
    }
    sdsim_node_diag(diags, SDSIM_ERROR, reference, NULL, "expected the name of a %s, got a list",
                    kind);
    return NULL;
}

/*
 * The layers stay layers: reads every #include "..." of sim, tools and tests, and every #include
 * <...> of sim, and holds them against one table, the order of the layers.
 *
 * An include is found at the start of a line, outside of block comments; how it got there (#if)
 * does not matter, so code that is switched off is held to the same rules.
 *
 * Firmware is in no layer: what lies in tools/firmware is built into other people's firmware, with
 * their headers, and tests/firmware stands in for those. Both are left out; that they know nothing
 * of the simulator either is checked instead.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scratch.h"

/*
 * The folders from bottom to top. A file includes from its own folder and from those further down.
 * "sdsim" is sim/include/sdsim, the public headers: they stand at the bottom because everybody may
 * include them, and they, being installed without the rest, only each other.
 */
static const char *const layers[] = {
    "sdsim", "core",   "config",  "flash",  "card",     "bus",   "host",    "port",
    "api",   "driver", "fat",     "file",   "workload", "trace", "capture", "timeline",
    "view",  "setup",  "measure", "report", "tools",    "tests",
};

enum {
    LAYER_COUNT = sizeof layers / sizeof layers[0],
    UNKNOWN = -1,
};

/* What the simulator never includes; it needs the C library, in config libyaml, and in measure
 * and report jansson. */
static const char *const foreign[] = {"SDL", "ftdi", "libftdi", "libusb", "cmocka"};

/* Firmware, and stand-ins for what it is built with. */
static const char *const firmware[] = {"tools/firmware/", "tests/firmware/"};

/* Faults found so far: the first ones as text, one a line, and all of them counted. */
struct findings {
    char text[8192];
    size_t used;
    size_t count;
};

static void add_finding(struct findings *findings, const char *path, unsigned line,
                        const char *included, const char *reason)
{
    findings->count++;
    const size_t room = sizeof findings->text - findings->used;
    const int length = snprintf(findings->text + findings->used, room, "%s:%u: includes %s: %s\n",
                                path, line, included, reason);
    if (length > 0 && (size_t)length < room) {
        findings->used += (size_t)length;
    } else {
        findings->text[findings->used] = '\0';
    }
}

/* The place in the table of the first `size` bytes of `name`. */
static int layer_of(const char *name, size_t size)
{
    for (int i = 0; i < LAYER_COUNT; i++) {
        if (strlen(layers[i]) == size && strncmp(layers[i], name, size) == 0) {
            return i;
        }
    }
    return UNKNOWN;
}

static bool starts(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

/* The place in the table of a file, from its path as seen from the top folder. */
static int layer_of_file(const char *path)
{
    if (starts(path, "sim/include/")) {
        path += strlen("sim/include/");
    } else if (starts(path, "sim/")) {
        path += strlen("sim/");
    }
    return layer_of(path, strcspn(path, "/"));
}

static bool is_firmware(const char *path)
{
    for (size_t i = 0; i < sizeof firmware / sizeof firmware[0]; i++) {
        if (starts(path, firmware[i])) {
            return true;
        }
    }
    return false;
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Whether "name" is a file of sim; names of other people's folders may well be those of layers. */
static bool is_simulator(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "sim/%s", name);
    return is_file(path);
}

/* Whether tools and tests may say "name" for a file of their own: beside the file that includes it,
 * in a folder below, or at the top of tests. */
static bool is_own(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char candidate[1024];
    snprintf(candidate, sizeof candidate, "%.*s/%s", (int)(slash - path), path, name);
    if (is_file(candidate)) {
        return true;
    }
    snprintf(candidate, sizeof candidate, "tests/%s", name);
    return starts(path, "tests/") && is_file(candidate);
}

/* What is wrong with `#include "name"` in the file `path`, NULL if nothing is. */
static const char *fault_of_quoted(const char *path, const char *name)
{
    const int from = layer_of_file(path);
    const bool in_sim = starts(path, "sim/");
    const char *slash = strchr(name, '/');
    const int to = slash == NULL ? UNKNOWN : layer_of(name, (size_t)(slash - name));

    if (is_firmware(path)) {
        return is_simulator(name) ? "firmware knows no simulator" : NULL;
    }
    if (to == UNKNOWN && !in_sim && is_own(path, name)) {
        return NULL;
    }
    if (from == UNKNOWN) {
        return "the file itself is in no known layer";
    }
    if (to == UNKNOWN) {
        return "not a file of a known layer (they are named as seen from sim)";
    }
    if (strstr(name, "..") != NULL) {
        return "leaves its layer by a back door";
    }
    return to <= from ? NULL : "points up";
}

/* What is wrong with `#include <name>` in the file `path`, NULL if nothing is. */
static const char *fault_of_system(const char *path, const char *name)
{
    if (!starts(path, "sim/")) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (starts(name, foreign[i])) {
            return "the simulator doesn't know this library";
        }
    }
    return starts(name, "yaml.h") && !starts(path, "sim/config/") ? "only config reads YAML" : NULL;
}

/* Takes one line outside of comments apart; anything but an include is fine. */
static void check_line(const char *path, unsigned line, const char *text, struct findings *findings)
{
    text += strspn(text, " \t");
    if (*text != '#') {
        return;
    }
    text += 1 + strspn(text + 1, " \t");
    if (!starts(text, "include")) {
        return;
    }
    text += strlen("include");
    text += strspn(text, " \t");

    char included[256];
    const size_t size = strcspn(text, " \t\r\n");
    snprintf(included, sizeof included, "%.*s", (int)size, text);
    const char *name = included + 1;
    char *end = included + strlen(included) - 1;
    const char *reason;
    if (size > 2 && size < sizeof included && included[0] == '"' && *end == '"') {
        char plain[256];
        snprintf(plain, sizeof plain, "%.*s", (int)(end - name), name);
        reason = fault_of_quoted(path, plain);
    } else if (size > 2 && size < sizeof included && included[0] == '<' && *end == '>') {
        reason = fault_of_system(path, name);
    } else {
        reason = "neither \"name\" nor <name>";
    }
    if (reason != NULL) {
        add_finding(findings, path, line, included, reason);
    }
}

/* Whether a block comment is open at the end of a line, given whether one was at its start. */
static bool comment_goes_on(bool open, const char *line, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (!open && line[i] == '/' && line[i + 1] == '/') {
            return false;
        }
        if (line[i] == (open ? '*' : '/') && line[i + 1] == (open ? '/' : '*')) {
            open = !open;
            i++;
        }
    }
    return open;
}

/* Checks the text of one file; `path` is seen from the top folder. */
static void check_text(const char *path, const char *text, struct findings *findings)
{
    bool in_comment = false;
    for (unsigned number = 1; *text != '\0'; number++) {
        const size_t size = strcspn(text, "\n");
        if (!in_comment) {
            check_line(path, number, text, findings);
        }
        in_comment = comment_goes_on(in_comment, text, size);
        text += size;
        text += *text == '\n';
    }
}

static bool is_c_source(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0);
}

/* Checks all sources below a folder. Returns their number. */
static size_t check_folder(const char *folder, struct findings *findings)
{
    struct dirent **entries;
    const int entry_count = scandir(folder, &entries, NULL, alphasort);
    if (entry_count < 0) {
        fail_msg("can't read the folder %s", folder);
    }
    size_t files = 0;
    for (int i = 0; i < entry_count; i++) {
        char path[1024];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && stat(path, &info) == 0) {
            if (S_ISDIR(info.st_mode)) {
                files += check_folder(path, findings);
            } else if (is_c_source(path)) {
                char *text = sdsim_test_read_file(path, NULL);
                check_text(path, text, findings);
                free(text);
                files++;
            }
        }
        free(entries[i]);
    }
    free(entries);
    return files;
}

static void test_the_tree(void **state)
{
    (void)state;
    static const char *const folders[] = {"sim", "tools", "tests"};
    struct findings findings = {.count = 0};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (check_folder(folders[i], &findings) == 0) {
            fail_msg("found no source in %s: is this the top folder?", folders[i]);
        }
    }
    if (findings.count != 0) {
        fail_msg("%zu includes against the rules:\n%s", findings.count, findings.text);
    }
}

/* The folders in sim and the table of layers name the same layers. */
static void test_the_table(void **state)
{
    (void)state;
    struct dirent **entries;
    const int entry_count = scandir("sim", &entries, NULL, alphasort);
    assert_true(entry_count > 0);
    for (int i = 0; i < entry_count; i++) {
        const char *name = entries[i]->d_name;
        const bool is_layer = strchr(name, '.') == NULL && strcmp(name, "include") != 0;
        if (is_layer && layer_of(name, strlen(name)) == UNKNOWN) {
            fail_msg("sim/%s is no layer of the table", name);
        }
        free(entries[i]);
    }
    free(entries);
}

/* The check itself, on one file each that it must object to, or not. */
static void test_samples(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *text;
        const char *expected; /* the finding, NULL: none */
    } rows[] = {
        {"sim/card/a.c", "#include \"card/a.h\"\n#include \"core/time.h\"\n", NULL},
        {"sim/card/a.c", "#include <stdint.h>\n", NULL},
        {"sim/config/a.c", "#include <yaml.h>\n", NULL},
        {"sim/report/a.c", "#include \"sdsim/card.h\"\n", NULL},
        {"sim/include/sdsim/a.h", "#include \"sdsim/b.h\"\n", NULL},
        {"tools/sdsim/a.c", "#include \"report/a.h\"\n#include <SDL2/SDL.h>\n", NULL},
        {"tools/sdsim/a.c", "#include \"data_dir.h\"\n", NULL},
        {"tests/unit/a.c", "#include \"golden.h\"\n#include <cmocka.h>\n", NULL},
        {"tests/unit/a.c", "#include \"tools/sdsim/data_dir.h\"\n", NULL},
        {"tools/firmware/esp-idf/a.c", "#include \"esp_timer.h\"\n#include \"driver/b.h\"\n", NULL},
        {"tests/firmware/Arduino.h", "#include \"SdFat.h\"\n#include <SD.h>\n", NULL},
        {"sim/core/a.c", "/* so:\n#include \"report/a.h\"\n*/\n", NULL},
        {"sim/core/a.c", "x = \"#include\";\n// #include \"report/a.h\"\n", NULL},
        {"sim/core/a.c", "\n#include \"config/tree.h\"\n",
         "sim/core/a.c:2: includes \"config/tree.h\""},
        {"sim/core/a.c", "  #  include \"bus/a.h\"\n",
         "sim/core/a.c:1: includes \"bus/a.h\": points"},
        {"sim/core/a.c", "/* a */\n/* b\n*/\n#include \"bus/a.h\"\n", "sim/core/a.c:4: "},
        {"sim/core/a.c", "// open: /*\n#include \"bus/a.h\"", "sim/core/a.c:2: "},
        {"sim/setup/a.c", "#include \"report/a.h\"\n", "points up"},
        {"sim/include/sdsim/a.h", "#include \"core/time.h\"\n", "points up"},
        {"sim/card/a.c", "#include \"sdcard/a.h\"\n", "not a file of a known layer"},
        {"sim/card/a.c", "#include \"a.h\"\n", "not a file of a known layer"},
        {"sim/card/a.c", "#include \"../core/time.h\"\n", "not a file of a known layer"},
        {"sim/card/a.c", "#include \"card/../bus/a.h\"\n", "back door"},
        {"sim/blob/a.c", "#include \"core/time.h\"\n", "in no known layer"},
        {"sim/report/a.c", "#include \"tools/sdsim/data_dir.h\"\n", "points up"},
        {"sim/report/a.c", "#include \"tests/golden.h\"\n", "points up"},
        {"tools/sdsim/a.c", "#include \"tests/golden.h\"\n", "points up"},
        {"tools/sdsim/a.c", "#include \"golden.h\"\n", "not a file of a known layer"},
        {"tools/firmware/a.c", "#include \"core/time.h\"\n", "firmware knows no simulator"},
        {"tests/firmware/a.c", "#include \"card/card.h\"\n", "firmware knows no simulator"},
        {"tools/firmwares/a.c", "#include \"esp_timer.h\"\n", "not a file of a known layer"},
        {"sim/report/a.c", "#include <SDL2/SDL.h>\n", "doesn't know this library"},
        {"sim/port/a.c", "#include <SDL.h>\n", "doesn't know this library"},
        {"sim/port/a.c", "#include <ftdi.h>\n", "doesn't know this library"},
        {"sim/port/a.c", "#include <libftdi1/ftdi.h>\n", "doesn't know this library"},
        {"sim/port/a.c", "#include <libusb-1.0/libusb.h>\n", "doesn't know this library"},
        {"sim/port/a.c", "#include <cmocka.h>\n", "doesn't know this library"},
        {"sim/trace/a.c", "#include <yaml.h>\n", "only config reads YAML"},
        {"sim/trace/a.c", "#include HEADER\n", "neither \"name\" nor <name>"},
        {"sim/trace/a.c", "#include\n", "neither \"name\" nor <name>"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct findings findings = {.count = 0};
        check_text(rows[i].path, rows[i].text, &findings);
        const bool right = rows[i].expected == NULL
                               ? findings.count == 0
                               : findings.count == 1 && strstr(findings.text, rows[i].expected);
        if (!right) {
            fail_msg("row %zu (%s: %s) expects %s, found %zu: %s", i, rows[i].path, rows[i].text,
                     rows[i].expected == NULL ? "nothing" : rows[i].expected, findings.count,
                     findings.text);
        }
    }
}

/* The map in CONTRIBUTING.md has the layers of sim/ in this order, each as "    NAME what it is". */
static void test_the_map(void **state)
{
    (void)state;
    char *text = sdsim_test_read_file("CONTRIBUTING.md", NULL);
    const char *at = text;
    for (int i = 1; i < LAYER_COUNT && strcmp(layers[i], "tools") != 0; i++) {
        char line[40];
        snprintf(line, sizeof line, "\n    %-8s ", layers[i]);
        at = strstr(at, line);
        if (at == NULL) {
            fail_msg("CONTRIBUTING.md: no %s, or not behind %s", layers[i], layers[i - 1]);
            break;
        }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_the_table),
        cmocka_unit_test(test_the_tree),
        cmocka_unit_test(test_the_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

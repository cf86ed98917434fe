/*
 * Completion scripts and manual pages, tried where they are used: in the shells, and by groff. A
 * shell that is not there is left out, and said so.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static bool has(const char *tool)
{
    char command[64];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", tool);
    return system(command) == 0;
}

static void need(const char *tool)
{
    if (!sdsim_test_has_program() || !has(tool)) {
        print_message("needs sdsim and %s\n", tool);
        skip();
    }
}

/* What a command prints, on one line, with blanks for newlines and descriptions left out. */
static void words_of(const char *command, char *words, size_t size)
{
    FILE *pipe = popen(command, "r");
    size_t used = 0;
    bool described = false;
    assert_non_null(pipe);
    for (int c = fgetc(pipe); c != EOF && used + 1 < size; c = fgetc(pipe)) {
        described = c == '\t' || (described && c != '\n');
        if (!described) {
            words[used++] = c == '\n' ? ' ' : (char)c;
        }
    }
    words[used] = '\0';
    while (used > 0 && words[used - 1] == ' ') {
        words[--used] = '\0';
    }
    (void)pclose(pipe);
}

/* The folder of the program, so that its name alone finds it. */
static void folder_of_program(char *out, size_t size)
{
    snprintf(out, size, "%s", getenv("SDSIM_PROGRAM"));
    char *slash = strrchr(out, '/');
    assert_non_null(slash);
    *slash = '\0';
}

/* The line with the cursor behind its last character, and words that must be among those offered;
 * one that begins with '!' must not. */
static const struct {
    const char *line;
    const char *words[4];
} rows[] = {
    {"sdsim comp", {"compare", "completion", "!check"}},
    {"sdsim run --dr", {"--draws", "!--json"}},
    {"sdsim run esp32-a", {"esp32-arduino-sd", "esp32-audiokit-apis", "!esp32s3-raw"}},
    {"sdsim run --color a", {"auto", "always", "!never"}},
    {"sdsim mkfs --type fat", {"fat12", "fat16", "fat32", "!exfat"}},
    {"sdsim layout --card sdhc16", {"sdhc16g-c10", "!sdhc32g-u1"}},
    {"sdsim list h", {"host", "!card"}},
    {"sdsim help fs", {"fsops", "!run"}},
    {"sdsim manual fs", {"fsops", "!run"}},
    {"sdsim completion z", {"zsh", "!bash"}},
    {"sdsim check CONTRIB", {"CONTRIBUTING.md"}},
};

static bool offers(const char *words, const char *word)
{
    const size_t size = strlen(word);
    for (const char *at = strstr(words, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0')) {
            return true;
        }
    }
    return false;
}

/* `narrows`: the script leaves out what does not begin as the word does; in zsh the shell does. */
static void check_rows(const char *shell, bool narrows, const char *form)
{
    char folder[PATH_MAX];
    folder_of_program(folder, sizeof folder);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[2 * PATH_MAX];
        char words[4096];
        assert_in_range(snprintf(command, sizeof command, form, folder, rows[i].line), 1,
                        sizeof command - 1);
        words_of(command, words, sizeof words);
        for (size_t w = 0; w < 4 && rows[i].words[w] != NULL; w++) {
            const char *word = rows[i].words[w];
            const bool wanted = word[0] != '!';
            if ((wanted || narrows) && offers(words, wanted ? word : word + 1) != wanted) {
                fail_msg("%s, \"%s\": offers \"%s\", which %s %s", shell, rows[i].line, words,
                         wanted ? "lacks" : "has", wanted ? word : word + 1);
            }
        }
    }
}

static void in_bash(void **state)
{
    (void)state;
    need("bash");
    check_rows("bash", true,
               "bash -c 'PATH=\"%s:$PATH\"; source <(sdsim completion bash); "
               "COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sdsim; "
               "printf \"%%s\\n\" \"${COMPREPLY[@]}\"'");
}

/* zsh takes the script of bash by bashcompinit; that it does, and that the function works in it. */
static void in_zsh(void **state)
{
    (void)state;
    need("zsh");
    check_rows("zsh", false,
               "zsh -fc 'PATH=\"%s:$PATH\"; autoload -U compinit && compinit -u -D; "
               "source <(sdsim completion zsh); [[ -n $_comps[sdsim] ]] || exit 1; "
               "COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
               "() { emulate -L sh; setopt kshglob noshglob braceexpand; _sdsim; "
               "printf \"%%s\\n\" \"${COMPREPLY[@]}\" }'");
}

static void in_fish(void **state)
{
    (void)state;
    need("fish");
    check_rows("fish", true,
               "fish --no-config -c 'set PATH \"%s\" $PATH; sdsim completion fish | source; "
               "complete -C \"%s\"'");
}

static void unknown_shell(void **state)
{
    (void)state;
    if (!sdsim_test_has_program()) {
        skip();
    }
    struct sdsim_test_result result =
        sdsim_test_run((const char *const[]){"completion", "tcsh", NULL}, NULL);
    assert_int_equal(result.code, 2);
    assert_string_equal(result.out, "");
    assert_non_null(strstr(result.err, "tcsh"));
    sdsim_test_result_free(&result);
}

/* Every page is made, and groff has nothing to say against any. */
static void manual_pages(void **state)
{
    (void)state;
    need("groff");
    char command[2 * PATH_MAX];
    char words[8192];
    snprintf(command, sizeof command,
             "dir=$(mktemp -d) && '%s' manual --pages \"$dir\" && for page in \"$dir\"/*.1; do "
             "groff -man -Tutf8 -P-cbou -ww \"$page\" 2>&1 >\"$page.txt\" || echo failed; "
             "grep -q 'EXIT' \"$page.txt\" || echo \"$page: incomplete\"; done; "
             "ls \"$dir\" | grep -c '[.]1$'; rm -r \"$dir\"",
             getenv("SDSIM_PROGRAM"));
    words_of(command, words, sizeof words);
    char *end = NULL;
    const long pages = strtol(words, &end, 10);
    if (*end != '\0' || pages < 10) {
        fail_msg("%s", words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_bash),       cmocka_unit_test(in_zsh),       cmocka_unit_test(in_fish),
        cmocka_unit_test(unknown_shell), cmocka_unit_test(manual_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

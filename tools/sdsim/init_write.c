/*
 * A scenario as `init` writes it: what was answered, and beside it, as comments, what else could be said.
 */
#include <string.h>

#include "init_questions.h"

/* A key with its value, or commented out with an example. */
static void key(FILE *out, const char *name, const char *value, const char *example)
{
    if (value != NULL) {
        fprintf(out, "%s: %s\n", name, value);
    } else {
        fprintf(out, "# %s: %s\n", name, example);
    }
}

static void head(const struct sdsim_answers *answers, FILE *out)
{
    const char *const *texts = answers->texts;
    fprintf(out,
            "# What is asked: how fast does this set-up %s?\n"
            "#\n"
            "#     sdsim check THIS.yaml     what will hurt on the bench\n"
            "#     sdsim run THIS.yaml       how fast it is, and where the time goes\n"
            "#\n"
            "# Every key there is: sdsim describe scenario. For one run any value can be\n"
            "# changed: sdsim run THIS.yaml --set card.rd1=200us. Several runs in one file: a\n"
            "# list `runs:`.\n"
            "kind: scenario\n",
            texts[SDSIM_ASK_WORKLOAD]);
}

static void board(const struct sdsim_answers *answers, FILE *out)
{
    const char *const *texts = answers->texts;
    if (texts[SDSIM_ASK_BOARD] != NULL) {
        fputs("\n# Microcontroller, driver and wiring; its values: sdsim describe board NAME.\n"
              "# What is said here wins: host, driver, bus, wires.\n",
              out);
        fprintf(out, "board: %s\n", texts[SDSIM_ASK_BOARD]);
    } else {
        fputs("\n# Microcontroller and driver; their values: sdsim describe host NAME.\n", out);
    }
    if (texts[SDSIM_ASK_HOST] != NULL) {
        fprintf(out, "host: %s\n", texts[SDSIM_ASK_HOST]);
    }
    if (texts[SDSIM_ASK_DRIVER] != NULL) {
        fprintf(out, "driver: %s\n", texts[SDSIM_ASK_DRIVER]);
    }
    if (texts[SDSIM_ASK_BUS] != NULL || texts[SDSIM_ASK_BOARD] == NULL) {
        key(out, "bus", texts[SDSIM_ASK_BUS], "sd4");
    }
    fputs("\n# The clock asked for; which one it becomes, the report says. Left out: the\n"
          "# driver's own.\n",
          out);
    key(out, "clock", texts[SDSIM_ASK_CLOCK], "20MHz");
}

static void card(const struct sdsim_answers *answers, FILE *out)
{
    const char *const *texts = answers->texts;
    fputs("\n# The card; others: sdsim list card. As it is after months of use:\n"
          "# card: {base: NAME, state: used}\n",
          out);
    fprintf(out, "card: %s\n", texts[SDSIM_ASK_CARD]);
    fputs(answers->fat32_for_firmware
              ? "\n# This board's firmware can't read exFAT, which the card would come with.\n"
              : "\n# The volume, freshly made: by capacity, unless its type stands here.\n",
          out);
    if (texts[SDSIM_ASK_FILESYSTEM] != NULL) {
        fprintf(out, "filesystem: {type: %s}\n", texts[SDSIM_ASK_FILESYSTEM]);
    } else {
        fputs("# filesystem: {type: fat32, fill: 50%}\n", out);
    }
    fputs("\n# How the application reads and writes files; left out: as the board does.\n", out);
    if (texts[SDSIM_ASK_API] != NULL) {
        fprintf(out, "file: {api: %s}\n", texts[SDSIM_ASK_API]);
    } else {
        fputs("# file: {api: stdio, buffer: 16KiB}\n", out);
    }
}

static void workload(const struct sdsim_answers *answers, FILE *out)
{
    static const struct {
        enum sdsim_question question;
        const char *name;
        const char *comment;
    } keys[] = {
        {SDSIM_ASK_CALL, "call", "bytes of one call"},
        {SDSIM_ASK_TOTAL, "total", "bytes in all"},
        {SDSIM_ASK_SPAN, "span", "bytes of the file the calls stay within"},
        {SDSIM_ASK_LINES, "lines", "lines that are printed"},
        {SDSIM_ASK_TIMES, "times", "how often"},
        {SDSIM_ASK_FILES, "files", "files in the directory before"},
    };
    const char *const *texts = answers->texts;
    const char *action = texts[SDSIM_ASK_WORKLOAD];
    fputs("\n# What the firmware does. Raw sectors instead of a file: on: raw.\nworkload:\n", out);
    fprintf(out, "  do: %s\n", action);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text = texts[keys[i].question];
        if (text != NULL && sdsim_question_fits(keys[i].question, action)) {
            char line[80];
            snprintf(line, sizeof line, "  %s: %s", keys[i].name, text);
            fprintf(out, "%-21s # %s\n", line, keys[i].comment);
        }
    }
    if (strcmp(action, "stream") == 0) {
        fprintf(out, "%-21s # %s\n", "  rate: 100kB/s", "how fast data arrive");
    }
    if (sdsim_question_fits(SDSIM_ASK_SYNC_EVERY, action)) {
        const char *every = texts[SDSIM_ASK_SYNC_EVERY];
        char line[80];
        snprintf(line, sizeof line, "  %ssync_every: %s", every != NULL ? "" : "# ",
                 every != NULL ? every : "10");
        fprintf(out, "%-21s # %s\n", line, "calls or lines between two syncs");
    }
}

void sdsim_init_write(const struct sdsim_answers *answers, FILE *out)
{
    head(answers, out);
    board(answers, out);
    card(answers, out);
    workload(answers, out);
    fputs("\n# What you measured: the report then says how far off the prediction is, and\n"
          "# compare watches over it in a CI.\n",
          out);
    key(out, "measured", answers->texts[SDSIM_ASK_MEASURED], "1.3MB/s");
    fputs("# tolerance: 10%\n", out);
}

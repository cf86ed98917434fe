/*
 * Files and folders to write: those that can't be written are told before any work is done, with
 * nothing printed and nothing changed; who is ended half-way leaves nothing behind.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "program.h"
#include "scratch.h"
#include "shell.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Would take hours if it began. */
#define LONG_SWEEP                                                                                 \
    "timeout 20 $s sweep bench write --vary seed=1..20000+1 --vary clock=1MHz..20MHz+500kHz "

static void refused_before_work(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {LONG_SWEEP "-o $d", 3, "error: cannot write to /tmp/sdsim-test-", NULL},
        {LONG_SWEEP "-o $d/no/x.csv", 3, "x.csv: No such file or directory", NULL},
        {LONG_SWEEP "-o $d/plain/x.csv", 3, "x.csv: Not a directory", NULL},
        {LONG_SWEEP "-o ''", 3, "error: cannot write to ", NULL},
        {LONG_SWEEP "-o /dev/null/x", 3, "Not a directory", NULL},
        {LONG_SWEEP "-o $d/$(printf '%0256d' 1)", 3, "File name too long", NULL},
        {LONG_SWEEP "--picture $d/no/x.svg", 3, "x.svg: No such file or directory", NULL},
        {LONG_SWEEP "--picture $d/x.gif", 2, "--picture makes .svg and .png files", NULL},
        {LONG_SWEEP "--keep-plot", 2, "--keep-plot goes with --picture", NULL},
        {LONG_SWEEP "--picture $d/x.svg -o $d/x.svg", 2, "x.svg is to be written twice", NULL},
        {"s=$(command -v $s); PATH=/nowhere; $s sweep bench --vary clock=1MHz,2MHz --draws 0 "
         "--picture "
         "$d/x.svg",
         3, "there is no gnuplot", "predicted"},
        {"$s report bench -o $d", 3, ": Is a directory", NULL},
        {"$s report bench -o $d/no/x", 3, "No such file or directory", NULL},
        /* of `script` a terminal; what it prints there is its standard output */
        {"script -qec \"$s report bench --draws 0\" /dev/null </dev/null", 2,
         "write it to a file: -o page.html", "<html"},
        {"cp tests/golden/data/scenarios/single.yaml $d; $s report $d/single.yaml -o "
         "$d/../$(basename "
         "$d)/single.yaml",
         2, "is the scenario that is read", NULL},
        {"cmp tests/golden/data/scenarios/single.yaml $d/single.yaml", 0, NULL, NULL},
        {"$s run bench write --record $d/no/x", 3, "No such file or directory", "predicted"},
        {"$s run bench write --trace $d", 3, ": Is a directory", "predicted"},
        {"$s run bench write --record $d/x --trace $d/x", 2, "x is to be written twice", NULL},
        {"$s buffer bench write --rate 100kB/s --hours 9999 -o $d", 3, ": Is a directory", NULL},
        {"$s explain bench write -o $d", 3, ": Is a directory", NULL},
        {"$s compare bench -o $d", 3, ": Is a directory", NULL},
        {"$s diff bench single -o $d", 3, ": Is a directory", NULL},
        {"$s export bench write --to csv -o $d", 3, ": Is a directory", NULL},
        {"$s import tests/cases/between-calls.blocks -o $d", 3, ": Is a directory", NULL},
        {"$s fsops new:64MiB tests/cases/BR-059-whole.ops -o $d/no/x", 3,
         "No such file or directory", "mount"},
        {"$s mkfs --size 64MB $d/no/x", 3, "No such file or directory", NULL},
        {"$s mkfs --size 64MB $d", 2, "error: ", NULL},
        {"$s init --board devkit -o $d/no/x", 3, "No such file or directory", NULL},
        {"$s manual --pages $d/plain", 3, "Not a directory", NULL},
        {"$s manual --pages $d/no/x", 3, "No such file or directory", NULL},
        {"timeout 20 $s accuracy -o $d/plain", 3, "Not a directory", NULL},
        {"timeout 20 $s accuracy -o $d/no/x", 3, "No such file or directory", NULL},
        {"timeout 20 $s calibrate x -o $d/no/x", 3, "No such file or directory", NULL},
        {"ls -A $d", 0, "plain\nsingle.yaml\n", "x"}, /* nothing was made */
    };
    sdsim_test_lines(lines, COUNT(lines));
}

static void kinds_of_places(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        /* links stay, to whatever they lead */
        {"mkdir $d/a && ln -s a/new $d/link && $s list -o $d/link && $s list -o $d/link && "
         "test -L $d/link && $s list | cmp - $d/a/new",
         0, NULL, NULL},
        {"ln -s loop $d/loop; $s list -o $d/loop", 3, "symbolic links", NULL},
        {"n=$d/a/$(printf '%0255d' 1); $s list -o $n && test -s $n && rm $n", 0, NULL, NULL},
        {"umask 027; $s list -o $d/a/mode && stat -c %a $d/a/mode", 0, "640\n", NULL},
        {"chmod 600 $d/a/mode; $s list -o $d/a/mode && stat -c %a $d/a/mode", 0, "600\n", NULL},
        {"$s list -o /dev/stdout | tail -n 1", 0, "quick", NULL},
        {"mkfifo $d/pipe; cat $d/pipe > $d/got & $s list -o $d/pipe; wait; $s list | cmp - $d/got",
         0, NULL, NULL},
        {"n=$d/a/$(printf 'b\\nc \\377'); $s list -o \"$n\" && test -s \"$n\"", 0, NULL, NULL},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

/* What is under way is gone with the program, and the older file is as it was. */
static void ended_half_way(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"mkdir $d/t && cd $d/t || exit; echo old > x.vcd; export "
         "SDSIM_DATA_DIR=$OLDPWD/$SDSIM_DATA_DIR\n"
         "for signal in INT TERM HUP KILL; do\n"
         "  timeout -s $signal 0.2 $s export bench write --to vcd --yes -o x.vcd "
         "--set workload.total=64MiB\n"
         "done; ls -A | sed 's/^/LEFT /'; cat x.vcd",
         0, "LEFT x.vcd\nold\n", "LEFT sdsim-"},
        {"cd $d/t; export TMPDIR=$d/t SDSIM_DATA_DIR=$OLDPWD/$SDSIM_DATA_DIR\n"
         "for wait in 0.05 0.1 0.2 0.3 0.4; do\n"
         "  timeout $wait $s report bench -o x.html\n"
         "done; rm -f x.html; ls -A | sed 's/^/LEFT /'",
         0, NULL, "LEFT sdsim-"},
        {"cd $d/t; export SDSIM_DATA_DIR=$OLDPWD/$SDSIM_DATA_DIR\n"
         "for wait in 0.05 0.1 0.2 0.3; do\n"
         "  timeout $wait $s sweep bench --vary clock=1MHz,2MHz --draws 0 --picture p.svg\n"
         "done; rm -f p.svg; ls -A | sed 's/^/LEFT /'",
         0, NULL, "LEFT p.svg"},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

static int set_up(void **state)
{
    (void)state;
    sdsim_test_write_text(sdsim_test_path("plain"), "plain\n");
    return 0;
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_before_work),
        cmocka_unit_test(kinds_of_places),
        cmocka_unit_test(ended_half_way),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

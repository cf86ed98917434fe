/*
 * What comes through a pipe: scenarios, captures, timelines and traces are the same as in a file, and
 * nothing is left of it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "program.h"
#include "shell.h"
#include "viewer.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Compares what a command makes of a file and of a stream with the same bytes; file names differ. */
#define SAME(file, command)                                                                        \
    {                                                                                              \
        "f=" file "; export TMPDIR=$d\n"                                                           \
        "same() { sed \"s#/dev/stdin#$f#; s#^<stdin>#$f#; s#^A: -#A: $f#; s#^-\\$#$f#; "           \
        "s#^-:#$f:#;"                                                                              \
        " s#/dev/fd/[0-9]*#$f#; s#\\\"-\\\"#\\\"$f\\\"#\"; }\n"                                    \
        "a=$(x=$f; " command ")\n"                                                                 \
        "b=$(x=-; cat $f | { " command "; } | same)\n"                                             \
        "c=$(x=-; { " command "; } < $f | same)\n"                                                 \
        "mkfifo $d/fifo; cat $f > $d/fifo &\n"                                                     \
        "e=$(x=$d/fifo; { " command "; } | same); rm $d/fifo\n"                                    \
        "for got in \"$b\" \"$c\" \"$e\"; do\n"                                                    \
        "  if [ \"$a\" != \"$got\" ]; then echo \"DIFFERS: $a\"; echo \"$got\"; fi\n"              \
        "done; echo \"$a\"; ls $d",                                                                \
            0, NULL, "DIFFERS"                                                                     \
    }

static void as_in_a_file(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        SAME("tests/cases/BR-045.vcd", "$s import --report $x"),
        SAME("tests/cases/BR-045.vcd", "$s import $x"),
        SAME("tests/cases/BR-045.vcd", "$s doctor $x"),
        SAME("tests/cases/BR-045.vcd", "$s doctor --exchange $x"),
        SAME("tests/data/exchanges/bad-crc.txt", "$s doctor $x"),
        SAME("tests/cases/between-calls.blocks", "$s import $x"),
        SAME("tests/cases/between-calls.blocks", "$s replay $x single"),
        SAME("tests/cases/between-calls.blocks", "$s diff $x tests/cases/between-calls.blocks"),
        SAME("tests/golden/data/scenarios/single.yaml", "$s sweep $x --vary clock=4MHz,9MHz --csv "
                                                        "--draws 0 | cut -d, -f4-"),
        SAME("tests/golden/data/scenarios/single.yaml", "$s check $x"),
        SAME("tests/golden/data/scenarios/single.yaml", "$s diff $x --set clock=4MHz --draws 0"),
        SAME("tests/golden/data/scenarios/single.yaml", "$s explain $x --csv | cut -d, -f3-"),
        SAME("tests/golden/data/scenarios/single.yaml", "$s export --to csv $x"),
    };
    sdsim_test_lines(lines, COUNT(lines));
}

static void what_is_said(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"$s import - - < tests/cases/between-calls.blocks", 2, "'-' is there twice", NULL},
        {"$s import - < /dev/null", 2, "error: ", NULL},
        {"yes | $s import -", 2, "this is no trace in any of the known formats", NULL},
        {"yes | $s run -", 2, "larger than 1024 KiB", NULL},
        {"$s import - < tests", 2, "cannot read standard input: Is a directory", NULL},
        {"$s import - <&-", 2, "cannot read standard input: ", NULL},
        {"cat tests/cases/BR-045.vcd | TMPDIR=/nonexistent $s doctor -", 3,
         "cannot keep standard input in a temporary file: ", NULL},
        /* the file begins where it was read to */
        {"exec < tests/cases/between-calls.blocks; dd bs=16 count=1 of=/dev/null; $s import -", 0,
         "R 8 8", "R 0 8"},
        /* a scenario by whatever name */
        {"cp tests/golden/data/scenarios/single.yaml $d/x.yml; $s explain $d/x.yml", 0, "predicted",
         NULL},
        {"ls $d/sdsim-*", 2, NULL, NULL}, /* nothing is left */
    };
    sdsim_test_lines(lines, COUNT(lines));
}

static void viewed(void **state)
{
    (void)state;
    if (!sdsim_test_has_viewer()) {
        skip();
    }
    static const struct sdsim_test_line lines[] = {
        SAME("tests/cases/BR-045.vcd", "$s view $x --dump --script /dev/null"),
        {"$s run single --draws 0 --record $d/r.sdtl", 0, NULL, NULL},
        SAME("$d/r.sdtl", "$s view $x --dump --script /dev/null"),
        SAME("tests/golden/data/scenarios/single.yaml", "$s view $x --dump --script /dev/null"),
    };
    sdsim_test_lines(lines, COUNT(lines));
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_in_a_file),
        cmocka_unit_test(what_is_said),
        cmocka_unit_test(viewed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

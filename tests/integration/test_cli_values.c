/*
 * Keys and values that there aren't, in every command that takes some: told with their place and what
 * might have been meant, with exit code 2, before any work is done and with nothing on standard output.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "program.h"
#include "shell.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Points that can't be are rows of a sweep; what is no value is a mistake of the command line. */
static void values_of_a_sweep(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"$s sweep bench write --vary nosuch=1", 2,
         "--vary:1:1: error: unknown key 'nosuch' in run\n    1 | nosuch=1\n      | ^~~~~~\n",
         "predicted"},
        {"$s sweep bench write --vary workload.cal=1KiB,2KiB", 2,
         "--vary:1:10: error: unknown key 'cal' in workload", "predicted"},
        {"$s sweep bench write --vary workload.cal=1KiB", 2, "did you mean 'call'?", NULL},
        {"$s sweep bench write --vary card=plain,nosuch", 2,
         "--vary:1:12: error: there is no card 'nosuch'", "predicted"},
        {"$s sweep bench write --vary card=plain,quikc", 2, "did you mean 'quick'?", NULL},
        {"$s sweep bench write --vary card.rdx=1ms", 2, "--vary:1:6: error: unknown key 'rdx'",
         NULL},
        {"$s sweep bench write --vary clock=20,20MHz", 2, "did you mean 20MHz or 20kHz?", NULL},
        {"$s sweep bench write --vary clock=0Hz..20MHz+5MHz", 2,
         "--vary:1:7: error: '0Hz' is outside", NULL},
        {"$s sweep bench write --vary clock=1MHz..900MHz --random 3", 2, "'900MHz' is outside",
         NULL},
        {"$s sweep bench write --vary clock=1MHz --vary card=plain,x --vary seed=1,b", 2,
         "--vary:1:8: error: expected a whole number, got 'b'", NULL},
        {"$s sweep bench write --vary clock=1MHz,2MHz --vary clock=3MHz", 2,
         "error: 'clock' is varied twice", NULL},
        /* values that do not go together */
        {"$s sweep bench raw --vary workload.call=4KiB,1000B --draws 0", 1, "whole sectors", NULL},
        {"$s sweep single --vary bus=spi,sd4 --draws 0", 1, "can't work this bus", NULL},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

/* A whole thing is set before what is in it, in whichever order the two are given. */
static void order_of_overrides(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"a=$($s run single --draws 0 --csv --set card.rd1=20ms --set card=quick | tail -1)\n"
         "b=$($s run single --draws 0 --csv --set card=quick --set card.rd1=20ms | tail -1)\n"
         "c=$($s run single --draws 0 --csv --set card=quick | tail -1)\n"
         "test \"$a\" = \"$b\" && test \"$a\" != \"$c\"",
         0, NULL, NULL},
        {"a=$($s sweep single --draws 0 --csv --vary card.rd1=1ms,20ms --vary card=quick)\n"
         "b=$($s sweep single --draws 0 --csv --set card.rd1=20ms --vary card=quick)\n"
         "test $(echo \"$a\" | cut -d, -f11 | sort -u | wc -l) = 3 && test $(echo \"$a\" | tail -1 "
         "| "
         "cut -d, -f10) = $(echo \"$b\" | tail -1 | cut -d, -f9)",
         0, NULL, NULL},
        {"$s describe scenario single --set card.rd1=20ms --set card=quick", 0, "20ms", NULL},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

/* What does not fit the runs that nobody named is no matter. */
static void other_runs(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"$s run bench raw --set workload.call=1000B", 2, "whole sectors", NULL},
        {"$s run bench write read --set workload.call=1000B --draws 0", 0, "predicted", NULL},
        {"$s run bench write raw --set workload.call=1000B --draws 0", 2, "whole sectors", NULL},
        {"$s sweep bench write --set workload.call=1000B --vary clock=4MHz --draws 0", 0,
         "predicted", NULL},
        {"$s sweep bench write --vary workload.call=1000B --draws 0", 0, "predicted", NULL},
        {"$s sweep bench write raw --vary workload.call=1000B --draws 0", 1, "1 of 2 rows", NULL},
        {"$s explain bench write --set workload.call=1000B", 0, "predicted", NULL},
        {"$s export bench write --set workload.call=1000B --to csv", 0, "start_us", NULL},
        {"$s diff bench:write bench:write --set workload.call=1000B --draws 0", 0, "B: ", NULL},
        {"$s run bench write nosuch --set workload.call=1000B", 2, "error: ", "predicted"},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

static void options_of_every_command(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"$s explain bench write --set clok=1MHz", 2, "--set:1:1: error: unknown key 'clok'", NULL},
        {"$s buffer bench write --set clok=1MHz", 2, "--set:1:1: error: unknown key 'clok'", NULL},
        {"$s buffer bench write --rate 100", 2, "did you mean 100MB/s or 100kB/s?", NULL},
        {"$s export bench write --to csv --set card=x", 2, "--set:1:6: error: there is no card",
         NULL},
        {"$s report bench --set card=x", 2, "--set:1:6: error: there is no card", NULL},
        {"$s check bench --set card=x", 2, "--set:1:6: error: there is no card", NULL},
        {"$s compare bench --set card=x", 2, "--set:1:6: error: there is no card", NULL},
        {"$s diff bench --set card=x", 2, "--set:1:6: error: there is no card", NULL},
        {"echo 'R 0 8' | $s replay - single --card quikc", 2, "did you mean 'quick'?", NULL},
        {"echo 'R 0 8' | $s replay - single --bus spy", 2, "did you mean 'spi'?", NULL},
        {"echo 'R 0 8' | $s replay - single --clock 20", 2, "did you mean 20MHz", NULL},
        {"echo 'R 0 8' | $s explain - single --card quikc", 2, "did you mean 'quick'?", NULL},
        {"$s init --board x", 2, "error: there is no board 'x'", NULL},
        {"$s mkfs --card quikc --size 8MB $d/x.img", 2, "did you mean 'quick'?", NULL},
        {"$s list card --set rdx=1ms", 2, "--set:1:1: error: unknown key 'rdx'", NULL},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

/* Numbers that are too large are numbers: what is told is the largest. */
static void too_large(void **state)
{
    (void)state;
#define HUGE_NUMBER "99999999999999999"
    static const struct sdsim_test_line lines[] = {
        {"echo 'R 0 8' | $s replay - single --call " HUGE_NUMBER "GiB", 2,
         "--call takes at most 1GiB, not '" HUGE_NUMBER "GiB'", "with a unit"},
        {"echo 'R 0 8' | $s import - --call " HUGE_NUMBER "GiB", 2, "--call takes at most 1GiB",
         "with a unit"},
        {"$s buffer single --rate 1kB/s --ram " HUGE_NUMBER "GiB", 2, "--ram takes at most 1GiB",
         "takes a size"},
        {"$s buffer single --rate 1kB/s --hours " HUGE_NUMBER, 2, "--hours takes at most 4800",
         NULL},
        {"$s diff single single --tolerance " HUGE_NUMBER "%", 2, "--tolerance takes at most 1000%",
         NULL},
        {"$s export single --to csv --window 0s.." HUGE_NUMBER "h", 2,
         "--window takes times of at most 5124h", "has a unit"},
        {"$s init --board devkit --call " HUGE_NUMBER "GiB", 2, "it takes at most 1GiB",
         "with a unit"},
        {"$s init --board devkit --call 2GiB", 2, "'2GiB' is outside 1B..1GiB", NULL},
        {"$s init --board devkit --clock " HUGE_NUMBER "GHz", 2, "it takes at most 208MHz",
         "with a unit"},
        {"$s sweep single --vary clock=1MHz.." HUGE_NUMBER "GHz*2", 2,
         "'" HUGE_NUMBER "GHz' is too large", "at each end"},
        {"$s run single --set workload.call=" HUGE_NUMBER "GiB", 2,
         "'" HUGE_NUMBER "GiB' is too large: it takes at most 1GiB", NULL},
        {"$s run single --set card.rd1=" HUGE_NUMBER "h", 2, "too large: it takes at most", NULL},
        {"$s run single --set seed=" HUGE_NUMBER HUGE_NUMBER, 2, "too large: it takes at most",
         NULL},
        {"$s run single --set measured=" HUGE_NUMBER "TB/s", 2, "expected a time, a data rate",
         "too large"},
        {"$s run single --set measured=" HUGE_NUMBER HUGE_NUMBER "MB/s", 2, "too large",
         "expected"},
        {"echo '" HUGE_NUMBER "h,512' >$d/huge.csv; $s run bench write --set workload.do=stream "
         "--set workload.arrivals=$d/huge.csv",
         2, "huge.csv:1: error: this is too large", "no arrival"},
        {"echo '1ms," HUGE_NUMBER "GB' >$d/huge.csv; $s run bench write --set workload.do=stream "
         "--set workload.arrivals=$d/huge.csv",
         2, "huge.csv:1: error: this is too large", "no arrival"},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

/* The same of the programs that work a real card, which are built only where there is libftdi. */
static void too_large_for_a_real_card(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"$s validate single --amount " HUGE_NUMBER "GiB", 2, "--amount takes less than 2TiB",
         "like"},
        {"$s validate single --tolerance " HUGE_NUMBER "%", 2, "--tolerance takes at most 1000%",
         "like"},
        {"$s probe --pauses " HUGE_NUMBER "GiB", 2, "--pauses takes less than 2TiB", "like"},
        {"$s probe --range 0B.." HUGE_NUMBER "GiB", 2, "--range takes less than 2TiB", "like"},
        {"$s probe --clock " HUGE_NUMBER "GHz", 2, "--clock takes at most 1GHz", "from 458Hz"},
    };
    struct sdsim_test_result result =
        sdsim_test_run_quiet((const char *const[]){"probe", "--clock", "x", NULL});
    const bool there = result.code != 3;
    sdsim_test_result_free(&result);
    if (!there) {
        print_message("sdsim-probe is not built: its options are not tried\n");
        skip();
    }
    sdsim_test_lines(lines, COUNT(lines));
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_a_sweep), cmocka_unit_test(order_of_overrides),
        cmocka_unit_test(other_runs),        cmocka_unit_test(options_of_every_command),
        cmocka_unit_test(too_large),         cmocka_unit_test(too_large_for_a_real_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Changes that change nothing, in every command that takes --set, --vary or an option that stands for it:
 * refused with exit code 2 and what would have done something, with nothing on standard output; and changes
 * beside them that do something, which pass.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "program.h"
#include "shell.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define BLOCKS "printf 'R 0 8\\nW 64 8\\n' | $s "
#define FILES  "printf 'open /a.bin w\\nwrite 4096\\nclose\\n' | $s "

static void replays(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {BLOCKS "replay - single --set workload.call=64KiB", 2,
         "--set:1:1: error: workload.call changes nothing: a replay has its calls from the trace",
         "predicted"},
        {BLOCKS "replay - single --set workload.call=64KiB", 2, "--call 32KiB", NULL},
        {BLOCKS "replay - single --set workload={do:\\ read}", 2, "workload changes nothing", NULL},
        {BLOCKS "replay - --board devkit --card quick --set workload.do=read", 2,
         "workload.do changes nothing", "predicted"},
        {BLOCKS "replay - single --set filesystem.fill=50%", 2, "filesystem.fill changes nothing",
         NULL},
        {BLOCKS "replay - single --set file.api=stdio", 2, "file.api changes nothing", NULL},
        {BLOCKS "replay - single --set reads_exfat=no", 2, "reads_exfat changes nothing", NULL},
        {BLOCKS "replay - single --filesystem fat16", 2, "--filesystem changes nothing", NULL},
        {BLOCKS "replay - single --api stdio", 2, "--api changes nothing", "predicted"},
        {BLOCKS "replay - single --set measured=1MB/s", 2, "measured changes nothing", NULL},
        {BLOCKS "replay - single --set tolerance=3%", 2, "tolerance changes nothing", NULL},
        {BLOCKS "replay - single --set id=x --set clock=10MHz", 2, "id changes nothing",
         "clock changes"},
        {BLOCKS "replay - single --set card.rd1=2ms --set clock=10MHz --draws 0", 0, "predicted",
         "small calls"},
        {FILES "replay - single --set workload.call=64KiB", 2, "workload.call changes nothing",
         "predicted"},
        {FILES "replay - single --set filesystem.type=fat32 --set file.api=posix --draws 0", 0,
         "predicted", NULL},
        /* a workload's files are there before the trace's first call */
        {FILES "replay - bench log --set workload.do=list --set workload.files=20 --draws 0", 0,
         "predicted", NULL},
        {FILES "replay - single --set workload.files=20 --draws 0", 2,
         "workload.files changes nothing", NULL},
        {FILES "replay - single --filesystem fat32 --api posix --draws 0", 0, "predicted", NULL},
        {BLOCKS "explain - single --set workload.call=64KiB", 2, "workload.call changes nothing",
         NULL},
        {BLOCKS "explain - single --set card.rd1=2ms", 0, "predicted", NULL},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

static void runs(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"$s run single --set workload.position=4KiB", 2,
         "workload.position changes nothing: do: write takes no notice of position", "predicted"},
        {"$s run single --set workload.position=4KiB", 2, "it is for do: seek", NULL},
        {"$s run bench log --set workload.do=seek --set workload.position=4KiB --draws 0", 0,
         "predicted", "changes nothing"},
        {"$s run single --set workload.usb.buffer=4KiB", 2, "on: usb", "predicted"},
        {"$s run single --set name=x", 2, "name changes nothing", "predicted"},
        {"$s run single --set base=bench", 2, "base changes nothing", "predicted"},
        {"$s run single --set measured=3MB/s --set tolerance=3% --draws 0", 0, "predicted", NULL},
        {"$s run bench raw --set filesystem.fill=50%", 2, "works on sectors (on: raw)",
         "predicted"},
        {"$s run bench raw --set file.api=stdio", 2, "file.api changes nothing", "predicted"},
        {"$s run bench --set workload.lines=3 --draws 0", 0, "predicted", NULL},
        {"$s run bench write --set workload.lines=3 --draws 0", 2, "workload.lines changes nothing",
         "predicted"},
        {"$s run bench write --set host.drivers.esp-idf-sdmmc.command=3us", 2,
         "the run's driver is", "predicted"},
        {"$s run bench --set host.drivers.esp-idf-sdmmc.command=3us --draws 0", 0, "predicted",
         NULL},
        {"$s run bench write --set host.files.posix.call=3us", 2, "changes nothing", NULL},
        {"$s run bench write --set host.files.arduino.call=3us --draws 0", 0, "predicted", NULL},
        {"$s compare bench --set workload.position=1", 2, "expected a size", NULL},
        {"$s compare bench --set workload.position=1KiB", 2, "changes nothing", "error %"},
        {"$s compare bench --set workload.lines=5", 2, "changes nothing", NULL}, /* not measured */
        {"$s report bench --set workload.position=1KiB", 2, "changes nothing", "<html"},
        {"$s explain bench write --set workload.position=1KiB", 2, "changes nothing", "predicted"},
        {"$s diff bench --set workload.position=1KiB", 2, "changes nothing", "A: "},
        {"$s export bench write --to csv --set workload.lines=5", 2, "changes nothing", "start_us"},
        {"$s export bench write --to csv --set measured=1MB/s", 2, "measured changes nothing",
         "start_us"},
        {"$s buffer single --rate 10kB/s --seeds 5 --set workload.lines=5", 2, "changes nothing",
         NULL},
        {"$s check tests/golden/data/scenarios --set workload.position=4KiB", 2, "changes nothing",
         NULL},
        {"$s check tests/golden/data/cards --set rd1=4ms", 2, "there is no scenario among these",
         NULL},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

static void sweeps(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"$s sweep single --vary workload.position=4KiB,8KiB", 2,
         "--vary:1:1: error: workload.position changes nothing", "predicted"},
        {"$s sweep bench raw --vary file.api=stdio,posix", 2, "file.api changes nothing",
         "predicted"},
        {"$s sweep single --set workload.position=4KiB --vary clock=1MHz,2MHz", 2,
         "--set:1:1: error: workload.position changes nothing", "predicted"},
        {"$s sweep single --vary workload.do=write,seek --vary workload.position=4KiB --draws 0", 1,
         "predicted", NULL},
        {"$s sweep bench write log --vary workload.lines=10,20 --draws 0", 0, "predicted", NULL},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

/* What was recorded or computed already is as it is. */
static void results(void **state)
{
    (void)state;
    static const struct sdsim_test_line lines[] = {
        {"$s run single --draws 0 --json -o $d/a.json && $s diff $d/a.json $d/a.json --set "
         "card.rd1=9ms",
         2, "--set changes a scenario", "A: "},
        {"$s diff $d/a.json single --set card.rd1=9ms --draws 0", 1, "card.rd1      9ms, was 500us",
         NULL},
    };
    sdsim_test_lines(lines, COUNT(lines));
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replays),
        cmocka_unit_test(runs),
        cmocka_unit_test(sweeps),
        cmocka_unit_test(results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

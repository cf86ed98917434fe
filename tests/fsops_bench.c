#include "fsops_bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "scratch.h"

const char sdsim_test_power_cut[] = "mount\n"
                                    "mkdir /LOGS\n"
                                    "open /LOGS/LOG.TXT w\n"
                                    "write 512 *4\n"
                                    "write 40k\n"
                                    "@1 open \"/LOGS/a long name.bin\" w\n"
                                    "@1 write 20k\n"
                                    "sync\n"
                                    "write 40k\n"
                                    "@1 close\n"
                                    "@2 open /OLD.BIN w\n"
                                    "@2 write 5k\n"
                                    "@2 close\n"
                                    "unlink /OLD.BIN\n"
                                    "@1 open /NEW.TXT w\n"
                                    "@1 write 30k\n"
                                    "stat /NONE\n";

static char source[PATH_MAX];
static char data_dir[PATH_MAX + 40];

int sdsim_test_fsops_enter(void **state)
{
    (void)state;
    assert_non_null(getcwd(source, sizeof source));
    (void)snprintf(data_dir, sizeof data_dir, "SDSIM_DATA_DIR=%s/tests/golden/data", source);
    return chdir(sdsim_test_folder());
}

int sdsim_test_fsops_leave(void **state)
{
    (void)state;
    return chdir(source);
}

const char *sdsim_test_fsops_source(void)
{
    return source;
}

struct sdsim_test_result sdsim_test_fsops_run(const char *const *arguments, const char *row)
{
    const char *const quiet[] = {data_dir, "LC_ALL=C", "NO_COLOR", "POSIXLY_CORRECT", row, NULL};
    return sdsim_test_run(arguments, quiet);
}

void sdsim_test_fsops_expect(const char *const *arguments, int code)
{
    struct sdsim_test_result result = sdsim_test_fsops_run(arguments, NULL);
    if (result.code != code) {
        fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(arguments), result.code,
                 result.err);
    }
    sdsim_test_result_free(&result);
}

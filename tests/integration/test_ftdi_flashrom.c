/*
 * flashrom, which knows nothing of sdsim, on the virtual FT232H: it finds and reads an SPI flash behind
 * the same MPSSE engine. So our programs and our chip do not just share a misunderstanding.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flash/medium.h"
#include "ftdi/bench.h"
#include "ftdi/spi_flash.h"
#include "shell.h"

enum { SKIPPED = 77 };

static char folder[] = "/tmp/sdsim-flashrom-XXXXXX";

struct world {
    uint8_t *content;
    struct sdsim_spi_flash flash;
    struct sdsim_bench *bench;
};

static int up(void **state)
{
    static struct world world;
    world.content = malloc(SDSIM_SPI_FLASH_BYTES);
    assert_non_null(world.content);
    sdsim_generate(7, 0, world.content, SDSIM_SPI_FLASH_BYTES);
    sdsim_spi_flash_init(&world.flash, world.content);
    world.bench = sdsim_bench_up(&(struct sdsim_bench_setup){.slave = &world.flash.slave});
    *state = &world;
    return 0;
}

static int down(void **state)
{
    struct world *world = *state;
    sdsim_bench_down(world->bench);
    free(world->content);
    return 0;
}

/* Without a chip named, flashrom may end with a failure because it knows several that look like it. */
static void test_detect(void **state)
{
    struct world *world = *state;
    const char *const arguments[] = {"-p", "ft2232_spi:type=232H", NULL};
    struct sdsim_bench_run run = sdsim_bench_program(world->bench, "flashrom", arguments, NULL);
    if (strstr(run.result.out, "Found Winbond flash chip \"W25Q64") == NULL) {
        fail_msg("%s%s", run.result.out, run.result.err);
    }
    sdsim_test_result_free(&run.result);
}

static void test_read(void **state)
{
    struct world *world = *state;
    char path[64];
    snprintf(path, sizeof path, "%s/read.bin", folder);
    const char *const arguments[] = {
        "-p", "ft2232_spi:type=232H", "-c", "W25Q64BV/W25Q64CV/W25Q64FV", "-r", path, NULL};
    struct sdsim_bench_run run = sdsim_bench_program(world->bench, "flashrom", arguments, NULL);
    if (run.result.code != 0) {
        fail_msg("exit code %d\n%s%s", run.result.code, run.result.out, run.result.err);
    }
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *read = malloc(SDSIM_SPI_FLASH_BYTES + 1);
    assert_non_null(read);
    assert_int_equal(fread(read, 1, SDSIM_SPI_FLASH_BYTES + 1, file), SDSIM_SPI_FLASH_BYTES);
    assert_memory_equal(read, world->content, SDSIM_SPI_FLASH_BYTES);
    free(read);
    fclose(file);
    unlink(path);
    sdsim_test_result_free(&run.result);
}

int main(void)
{
    setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
    if (!sdsim_test_has("flashrom")) {
        puts("flashrom is not installed");
        return SKIPPED;
    }
    assert_non_null(mkdtemp(folder));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_detect, up, down),
        cmocka_unit_test_setup_teardown(test_read, up, down),
    };
    const int failed = cmocka_run_group_tests_name("ftdi_flashrom", tests, NULL, NULL);
    rmdir(folder);
    return failed;
}

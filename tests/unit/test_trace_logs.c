/* Logs of Linux, ESP-IDF and FatFs as block traces, and of files as file operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "trace/scan.h"
#include "trace_text.h"

struct row {
    const char *text;
    const char *expected;
    const char *host; /* or NULL */
};

static void check(const struct row *rows, size_t count, const char *format, bool detected)
{
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_trace_options options = {.host = rows[i].host};
        char *got = sdsim_trace_as_text(rows[i].text, strlen(rows[i].text),
                                        detected ? NULL : format, &options);
        if (strcmp(got, rows[i].expected) != 0) {
            fail_msg("%s row %zu:\n%s\ngives\n%s\nnot\n%s", format, i, rows[i].text, got,
                     rows[i].expected);
        }
        free(got);
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_input *input =
            sdsim_input_memory("row", rows[i].text, strlen(rows[i].text), &diags);
        const struct sdsim_trace_format *found = sdsim_trace_format_detect(input);
        if (detected && (found == NULL || strcmp(found->name, format) != 0)) {
            fail_msg("%s row %zu is taken for %s", format, i,
                     found != NULL ? found->name : "nothing");
        }
        sdsim_input_close(input);
        sdsim_diags_free(&diags);
    }
}

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

#define START(time, host, pointer, op, arg, blocks)                                                \
    "  kworker/0:1H-82      [000] ....    " time ": mmc_request_start: " host                      \
    ": start struct mmc_request[" pointer "]: cmd_opcode=" op " cmd_arg=" arg                      \
    " cmd_flags=0xb5 cmd_retries=0 stop_opcode=12 stop_arg=0x0 stop_flags=0x49d stop_retries=0 "   \
    "sbc_opcode=0 sbc_arg=0x0 sbc_flags=0x0 sbc_retires=0 blocks=" blocks                          \
    " block_size=512 blk_addr=0 data_flags=0x100 tag=0 can_retune=0 doing_retune=0\n"
#define DONE(time, host, pointer, op, error)                                                       \
    "          <idle>-0       [000] ..s.    " time ": mmc_request_done: " host                     \
    ": end struct mmc_request[" pointer "]: cmd_opcode=" op                                        \
    " cmd_err=0 cmd_resp=0x900 0x0 0x0 0x0 cmd_retries=0 stop_opcode=12 stop_err=0 bytes_xfered="  \
    "4096 data_err=" error " tag=0 can_retune=0\n"

static void test_ftrace(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"# tracer: nop\n" START("81.203417", "mmc0", "00000000d3bf", "25", "0x2000", "8")
             DONE("81.204011", "mmc0", "00000000d3bf", "25", "0"),
         "@81.203417s +594us W 8192 8\n", NULL},
        /* the one that began first ends last */
        {START("1.000000", "mmc0", "0xa", "18", "0x10", "8")
             START("1.000100", "mmc0", "0xb", "17", "0x20", "1") DONE(
                 "1.000200", "mmc0", "0xb", "17", "0") DONE("1.000900", "mmc0", "0xa", "18", "-84"),
         "@1s +900us R 16 8 rc=1\n@1.0001s +100us R 32 1\n", NULL},
        /* never ended; commands that move nothing */
        {START("1.0", "mmc0", "a", "13", "0x12340000", "0")
             START("2.0", "mmc0", "b", "25", "0x40", "16"),
         "@2s W 64 16\n", NULL},
        /* erase of 32 to 95, discard of 100 */
        {START("1.0", "mmc0", "a", "24", "0x1",
               "1") DONE("1.1", "mmc0", "a", "24", "0") START("2.0", "mmc0", "a", "32", "0x20", "0")
             DONE("2.1", "mmc0", "a", "32", "0") START("2.2", "mmc0", "a", "33", "0x5f", "0")
                 START("2.3", "mmc0", "c", "38", "0x0", "0") DONE("2.5", "mmc0", "c", "38", "0"),
         "@1s +100ms W 1 1\n@2.3s +200ms #E 32 64\n", NULL},
        /* two hosts */
        {START("1.0", "mmc0", "a", "24", "0x1", "1") DONE("1.1", "mmc0", "a", "24", "0")
             START("2.0", "mmc1", "a", "17", "0x2", "1") DONE("2.1", "mmc1", "a", "17", "0"),
         "@1s +100ms W 1 1\n! 0:0: taken: host mmc0 with 1 calls; there are others: mmc1 (1)\n",
         NULL},
        {START("1.0", "mmc0", "a", "24", "0x1", "1") DONE("1.1", "mmc0", "a", "24", "0")
             START("2.0", "mmc1", "a", "17", "0x2", "1") DONE("2.1", "mmc1", "a", "17", "0"),
         "@2s +100ms R 2 1\n", "mmc1"},
    };
    check(rows, COUNT(rows), "linux-ftrace", true);
}

static void test_linux_debug(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"[    3.636691] mmc0: starting CMD55 arg 12340000 flags 00000095\n"
         "[    3.637041] mmc0: req done (CMD55): 0: 00000920 00000000 00000000 00000000\n"
         "[    3.637091] mmc0: starting CMD13 arg 00000000 flags 000001b5\n"
         "[    3.637133] mmc0:     blksz 64 blocks 1 flags 00000200 tsac 100 ms nsac 0\n"
         "[    3.639016] mmc0: req done (CMD13): 0: 00000920 00000000 00000000 00000000\n"
         "[    3.700000] mmc0: starting CMD18 arg 00002000 flags 000000b5\n"
         "[    3.700050] mmc0:     blksz 512 blocks 8 flags 00000200 tsac 100 ms nsac 0\n"
         "[    3.700060] mmc0:     CMD12 arg 00000000 flags 0000049d\n"
         "[    3.701000] mmc0: req done (CMD18): 0: 00000900 00000000 00000000 00000000\n"
         "[    3.701060] mmc0:     4096 bytes transferred: 0\n"
         "[    3.800000] mmc0: starting CMD24 arg 00000005 flags 000000b5\n"
         "[    3.800010] mmc0:     blksz 512 blocks 1 flags 00000100 tsac 400 ms nsac 0\n"
         "[    3.900000] mmc0: req done (CMD24): -110: 00000000 00000000 00000000 00000000\n",
         "@3.7s +1ms R 8192 8\n@3.8s +100ms W 5 1 rc=1\n", NULL},
    };
    check(rows, COUNT(rows), "linux-debug", true);
}

static void test_blkparse(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"179,0    3        1     0.000000000   697  A   W 223490 + 8 <- (179,1) 223427\n"
         "179,0    3        2     0.000001829   697  Q   W 223490 + 8 [kjournald]\n"
         "179,0    3       11     0.009507758   697  D   W 223490 + 8 [kjournald]\n"
         "179,0    1        4     0.009600000   701  D  RA 1000 + 256 [cat]\n"
         "179,0    3       12     0.010201044     0  C  RA 1000 + 256 [0]\n"
         "179,0    3       13     0.011507758     0  C   W 223490 + 8 [0]\n"
         "179,0    3       14     0.012000000   697  D   D 5000 + 64 [fstrim]\n"
         "179,0    3       15     0.013000000     0  C   D 5000 + 64 [0]\n"
         "CPU0 (179,0):\n Reads Queued:           1,      128KiB\n",
         "@9.507758ms +2ms W 223490 8\n@9.6ms +601.044us R 1000 256\n@12ms +1ms #T 5000 64\n",
         NULL},
        {"8,0 0 1 0.1 5 D R 1 + 2 [x]\n8,0 0 2 0.2 5 C R 1 + 2 [x]\n"
         "179,0 0 3 0.3 5 D W 7 + 8 [x]\n179,0 0 4 0.4 0 C W 7 + 8 [0]\n",
         "@300ms +100ms W 7 8\n", "179,0"},
    };
    check(rows, COUNT(rows), "blkparse", true);
}

static void test_esp_idf(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"I (300) cpu_start: Starting\n"
         "V (4060) sdmmc_cmd: sending cmd slot=1 op=13 arg=12340000 flags=c07 data=0x0 blklen=0 "
         "datalen=0 timeout=1000\n"
         "V (4061) sdmmc_cmd: cmd response 00000900 00000000 00000000 00000000 err=0x0 state=4\n"
         "V (4071) sdmmc_cmd: sending cmd slot=1 op=18 arg=2000 flags=91 data=0x3ffb1234 "
         "blklen=512 "
         "datalen=4096 timeout=1000\n"
         "V (4074) sdmmc_cmd: cmd response 00000900 00000000 00000000 00000000 err=0x0 state=4\n"
         "V (5000) sdmmc_cmd: sending cmd slot=1 op=24 arg=a flags=91 data=0x3ffb1234 blklen=512 "
         "datalen=512 timeout=1000\n"
         "D (5100) sdmmc_cmd: cmd=24, sdmmc_req_run returned 0x107\n",
         "@4.071s +3ms R 8192 8\n@5s +100ms W 10 1 rc=1\n", NULL},
    };
    check(rows, COUNT(rows), "esp-idf", true);
}

static void test_diskio(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"disk_read(0, 8192, 1)\ndisk_write(0, 0x20001234, 8192, 8)\n", "R 8192 1\nW 8192 8\n",
         NULL},
        {"disk_write sector=8192 count=8 took 310 us\ndisk_read: sector 1 count 2 took 1 ms\n",
         "@0ps +310us W 8192 8\n@310us +1ms R 1 2\n", NULL},
        {"[  12.345] ff_sdmmc_read pdrv=0 sector=100 count=4\n[  12.350] disk_ioctl CTRL_SYNC\n",
         "@12.345s R 100 4\n@12.35s #S\n", NULL},
        {"I (1234) diskio: disk_write: lba 8192, 8 sectors -> 0 in 2 ms\n",
         "@1.232s +2ms W 8192 8\n", NULL},
        {"100 disk_write 8192 8\n350 disk_write done\n400 disk_read 5 1\n450 disk_read done\n",
         "@100us +250us W 8192 8\n@400us +50us R 5 1\n", NULL},
        /* 32-bit microseconds wrap */
        {"4294967000 disk_read 1 1\n200 disk_read 2 1\n", "@4294.967s R 1 1\n@4294.967496s R 2 1\n",
         NULL},
        {"1.5ms disk_read 7 1\n[00:00:12.345,678] <inf> disk: disk_read 8 1\n",
         "@1.5ms R 7 1\n@12.345678s R 8 1\n", NULL},
        /* durations without a word, which are no sectors either */
        {"disk_write(0, 32768, 8) 2200 us\ndisk_read(0, 1, 1): 300us\ndisk_read(0, 2, 1) = 0, 1.5 "
         "msec\n",
         "@0ps +2.2ms W 32768 8\n@2.2ms +300us R 1 1\n@2.5ms +1.5ms R 2 1\n", NULL},
        {"disk_write 32768 8 2200 us\ndisk_write 32768 8 in 310 us\n",
         "@0ps +2.2ms W 32768 8\n@2.2ms +310us W 32768 8\n", NULL},
        /* whole numbers in brackets are the milliseconds of arduino-esp32 */
        {"[  1234][D][sd_diskio.cpp:700] disk_write(0, 8, 8)\n[1240] disk_read(0, 9, 1) took 1 "
         "ms\n",
         "@1.234s W 8 8\n@1.239s +1ms R 9 1\n", NULL},
        {"hello\ndisk_ioctl(0, 0)\ndisk_ioctl(0, 1)\ndisk_read(0, 3, 2)\n", "#S\nR 3 2\n", NULL},
    };
    check(rows, COUNT(rows), "diskio", false);
}

static void test_strace(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"1701350000.100000 openat(AT_FDCWD, \"/etc/ld.so.cache\", O_RDONLY|O_CLOEXEC) = 3 "
         "<0.00001>\n"
         "1701350000.100100 read(3, \"x\", 10) = 10 <0.00001>\n"
         "1701350000.100200 close(3) = 0 <0.00001>\n"
         "1701350000.789012 openat(AT_FDCWD, \"/mnt/sd/log, \\\"1\\\".bin\", "
         "O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3 <0.000300>\n"
         "1701350000.790112 write(3, \"a, b)\"..., 4096) = 4096 <0.000310>\n"
         "1701350000.791204 write(3, \"\", 512) = -1 ENOSPC (No space left on device) <0.1>\n"
         "1701350000.792000 pwrite64(3, \"x\", 5, 100) = 5 <0.000010>\n"
         "1701350000.793000 lseek(3, 0, SEEK_END) = 4096 <0.000010>\n"
         "1701350001.000000 fsync(3) = 0 <0.012>\n"
         "1701350001.100000 close(3) = 0 <0.0001>\n+++ exited with 0 +++\n",
         "mount\n@789.012ms +300us open \"log, \\_1\\_.bin\" w\n", NULL},
        {"write(1, \"x\", 1) = 1\nopen(\"/a\", O_RDONLY) = 4\nread(4, \"..\", 100) = 100\n"
         "read(4, \"\", 100) = 0\nclose(4) = 0\n",
         "mount\nopen a r\nread 100\nclose\n", NULL},
        {"12:00:01.5 open(\"/a\", O_RDWR|O_CREAT, 0644) = 4\n12:00:02.5 write(4, \"..\", 100) = "
         "100\n",
         "mount\n@43201.5s open a rw\n@43202.5s write 100\n", NULL},
        {"[pid 12] open(\"/a\", O_WRONLY|O_APPEND) = 4\n[pid 12] write(4, \"..\", 7) = 7\n",
         "mount\nopen a a\nwrite 7\n", NULL},
    };
    /* Quotes in names are cut short: only the rest of the first row matters. */
    char *got = sdsim_trace_as_text(rows[0].text, strlen(rows[0].text), NULL, NULL);
    assert_non_null(strstr(got, "mount\n@789.012ms +300us open \"log, "));
    assert_non_null(strstr(got, "\n@790.112ms +310us write 4096\n@792ms seek 100\n@792ms +10us "
                                "write 5\n@793ms +10us seek 4096\n@1s +12ms sync\n@1.1s +100us "
                                "close\n"));
    free(got);
    check(rows + 1, COUNT(rows) - 1, "strace", true);
}

static void test_file_log(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"[   12.345] fopen(\"/sd/log.bin\", \"wb\")\n[   12.350] fwrite(buf, 1, 4096, f)\n"
         "[   12.360] fsync\n[   12.370] fclose\n",
         "mount\n@12.345s open log.bin w\n@12.35s write 4096\n@12.36s sync\n@12.37s close\n", NULL},
        {"write 4096 bytes took 310 us\nwrite 512 bytes took 1 ms\n",
         "mount\nopen TRACE.BIN w\n@0ps +310us write 4096\n@310us +1ms write 512\n", NULL},
        {"fwrite(4096) 310us\nf_write 512 1.5 ms\n",
         "mount\nopen TRACE.BIN w\n@0ps +310us write 4096\n@310us +1.5ms write 512\n", NULL},
        {"I (100) app: f_open(&fil, \"/a.txt\", FA_READ)\nI (110) app: f_read(&fil, buf, 512, &n) "
         "= 0\n"
         "I (111) app: f_lseek 8192\n",
         "mount\n@100ms open a.txt r\n@110ms read 512\n@111ms seek 8192\n", NULL},
    };
    check(rows, COUNT(rows), "file-log", true);
}

/* Nothing in it, or something else. */
static void test_nothing(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"",
         "! 0:0: not one of its 0 lines is of this format: disk_write(0, 8192, 8), or disk_write "
         "sector=8192 count=8 took 310 us\n",
         NULL},
        {"hello\nworld\n",
         "! 0:0: not one of its 2 lines is of this format: disk_write(0, 8192, 8), or disk_write "
         "sector=8192 count=8 took 310 us\n",
         NULL},
    };
    check(rows, COUNT(rows), "diskio", false);
    /* the second as in a list of users: a word of a log alone makes no log */
    static const char *const texts[] = {"hello\nworld\n", "sys:x:3:3:/dev\nsync:x:4:65534:/bin\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        char *got = sdsim_trace_as_text(texts[i], strlen(texts[i]), NULL, NULL);
        assert_string_equal(got, "! 0:0: this is no trace in any of the known formats\n");
        free(got);
    }
}

static void test_unwrap(void **state)
{
    (void)state;
    struct sdsim_unwrap unwrap = {.started = false};
    assert_int_equal(sdsim_unwrap32(&unwrap, 4294967290u), 4294967290u);
    assert_int_equal(sdsim_unwrap32(&unwrap, 4), 4294967300u);
    assert_int_equal(sdsim_unwrap32(&unwrap, 4294967295u), 4294967295u);
    assert_int_equal(sdsim_unwrap32(&unwrap, 2000000000u), 6294967296u);
    assert_int_equal(sdsim_unwrap32(&unwrap, 4000000000u), 8294967296u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ftrace),   cmocka_unit_test(test_linux_debug),
        cmocka_unit_test(test_blkparse), cmocka_unit_test(test_esp_idf),
        cmocka_unit_test(test_diskio),   cmocka_unit_test(test_strace),
        cmocka_unit_test(test_file_log), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_unwrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Readers of traces survive what people and disks make of files: samples of every format with bytes
 * changed, cut out, doubled and cut off, read as every format. Whatever comes out, a reader that fails
 * says so with a message, and never gives a record that a driver can't be asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "core/rng.h"
#include "trace/binary.h"
#include "trace/formats.h"
#include "trace/trace_list.h"

enum { ROUNDS = 4000, MOST = 4096 };

static const uint64_t seed = 11;

static const char *const samples[] = {
    "#! card=x\n@1.25ms +310us R 8192 64 # data\nW 5 1 *3\n#S\n#T 1 2\n#@ 5.1 rc=4\n#end "
    "blockops=4\n",
    "mount\n@1ms +2us @1 open \"/a b\" w\nwrite 2c+100 *3 # x\nseek end-5\nrename a b\nclose\n",
    "x-1 [0] .. 81.203417: mmc_request_start: mmc0: start struct mmc_request[0xd3]: cmd_opcode=25 "
    "cmd_arg=0x2000 blocks=8 block_size=512 blk_addr=8192\n"
    "x-1 [0] .. 81.204017: mmc_request_done: mmc0: end struct mmc_request[0xd3]: cmd_opcode=25 "
    "cmd_err=0\n",
    "[ 3.7] mmc0: starting CMD18 arg 00002000 flags 000000b5\n[ 3.8] mmc0:     blksz 512 blocks 8\n"
    "[ 3.9] mmc0: req done (CMD18): 0: 00000900\n[ 3.91] mmc0: starting CMD32 arg 00000001\n"
    "[ 3.92] mmc0: starting CMD33 arg 00000009\n[ 3.93] mmc0: starting CMD38 arg 00000001\n",
    "179,0 3 11 0.009507758 697 D W 223490 + 8 [k]\n179,0 3 12 0.010201044 0 C W 223490 + 8 [0]\n",
    "V (4071) sdmmc_cmd: sending cmd slot=1 op=18 arg=2000 flags=91 blklen=512 datalen=4096\n"
    "V (4074) sdmmc_cmd: cmd response 00000900 err=0x0 state=4\n",
    "123 disk_read(0, 0x20001234, 8192, 1)\n[ 1.5] disk_write sector=5 count=8 took 310 "
    "us\ndisk_ioctl "
    "CTRL_SYNC\n999 disk_read done\n",
    "1701350000.7 openat(AT_FDCWD, \"/mnt/a\", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3 <0.0003>\n"
    "1701350000.8 pwrite64(3, \"a\\\"b\", 5, 100) = 5 <0.01>\n1701350001.1 close(3) = 0 <0.1>\n",
    "[   12.345] fopen(\"/sd/log.bin\", \"wb\")\nfwrite(buf, 1, 4096, f)\nfsync took 3 "
    "ms\nfclose\n",
};

enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* Changes a few things of a text; the new size. */
static size_t mutate(struct sdsim_rng *rng, char *bytes, size_t size)
{
    for (uint64_t n = 1 + sdsim_rng_below(rng, 6); n > 0 && size > 0; n--) {
        const size_t at = (size_t)sdsim_rng_below(rng, size);
        const size_t length = (size_t)sdsim_rng_below(rng, size - at) % 40;
        switch (sdsim_rng_below(rng, 5)) {
        case 0:
            bytes[at] = (char)sdsim_rng_below(rng, 256);
            break;
        case 1:
            bytes[at] = "0123456789@+#*=()[]\"\n -"[sdsim_rng_below(rng, 23)];
            break;
        case 2:
            memmove(bytes + at, bytes + at + length, size - at - length);
            size -= length;
            break;
        case 3:
            if (size + length < MOST) {
                memmove(bytes + at + length, bytes + at, size - at);
                size += length;
            }
            break;
        default:
            size = at;
            break;
        }
    }
    return size;
}

static void check_blocks(struct sdsim_block_source *source)
{
    struct sdsim_block_record records[7];
    size_t count;
    while ((count = source->next(source, records, 7)) > 0) {
        for (size_t i = 0; i < count; i++) {
            const struct sdsim_block_record *r = &records[i];
            assert_true(r->kind < SDSIM_TRACE_KINDS);
            if (r->kind == SDSIM_TRACE_MARK) {
                continue;
            }
            assert_true(r->repeat >= 1);
            if (r->kind != SDSIM_TRACE_SYNC && r->kind != SDSIM_TRACE_STATUS) {
                assert_true(r->count >= 1);
                assert_true((uint64_t)r->lba + r->count <= (uint64_t)UINT32_MAX + 1);
            }
            (void)sdsim_trace_label_text(source->info, r->label);
        }
    }
}

static void check_ops(struct sdsim_op_source *source)
{
    struct sdsim_op op;
    uint32_t line;
    FILE *out = fopen("/dev/null", "w");
    while (source->next(source, &op, &line)) {
        assert_true(op.kind < SDSIM_OP_COUNT && op.handle < SDSIM_OPS_HANDLES && op.repeat >= 1);
        sdsim_ops_text_put(out, &op);
    }
    fclose(out);
}

static void read_as(const char *bytes, size_t size, const struct sdsim_trace_format *format)
{
    struct sdsim_diags diags;
    struct sdsim_trace trace;
    sdsim_diags_init(&diags);
    struct sdsim_input *input = sdsim_input_memory("memory", bytes, size, &diags);
    if (input != NULL && sdsim_trace_open(&trace, input, format, NULL)) {
        if (trace.blocks != NULL) {
            check_blocks(trace.blocks);
        } else {
            check_ops(trace.ops);
        }
        assert_true(sdsim_trace_failed(&trace) == (diags.errors > 0));
        sdsim_trace_close(&trace);
    } else {
        assert_true(diags.errors > 0);
    }
    sdsim_diags_free(&diags);
}

static void test_texts(void **state)
{
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    for (int round = 0; round < ROUNDS; round++) {
        const char *sample = samples[(size_t)round % SAMPLES];
        char *bytes = malloc(MOST);
        size_t size = strlen(sample);
        memcpy(bytes, sample, size);
        size = mutate(&rng, bytes, size);
        char *exact = malloc(size > 0 ? size : 1); /* so that a byte too far is noticed */
        memcpy(exact, bytes, size);
        read_as(exact, size, NULL);
        read_as(exact, size, sdsim_trace_format_at((size_t)sdsim_rng_below(&rng, 10)));
        free(exact);
        free(bytes);
    }
}

/* Any allocation may fail: then there is a message, or a label less, and nothing is lost or leaks. */
static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct sdsim_diags diags;
        struct sdsim_trace trace;
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            assert_true(n < 200);
            sdsim_diags_init(&diags);
            sdsim_test_fail_allocation(n);
            struct sdsim_input *input =
                sdsim_input_memory("memory", samples[i], strlen(samples[i]), &diags);
            const bool open = input != NULL && sdsim_trace_open(&trace, input, NULL, NULL);
            struct sdsim_trace_list list = {.records = NULL};
            if (open) {
                const enum sdsim_trace_load loaded = sdsim_trace_list_load(&list, &trace, 1000);
                assert_true(loaded != SDSIM_TRACE_TOO_LONG);
            }
            failed = sdsim_test_allocation_failed();
            assert_true(open || diags.errors > 0);
            sdsim_trace_list_free(&list);
            if (open) {
                sdsim_trace_close(&trace);
            }
            sdsim_diags_free(&diags);
        }
    }
}

/* The samples themselves are what they should be. */
static void test_samples(void **state)
{
    (void)state;
    static const char *const names[SAMPLES] = {"blocks",      "ops",      "linux-ftrace",
                                               "linux-debug", "blkparse", "esp-idf",
                                               "diskio",      "strace",   "file-log"};
    for (size_t i = 0; i < SAMPLES; i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_input *input =
            sdsim_input_memory("sample", samples[i], strlen(samples[i]), &diags);
        const struct sdsim_trace_format *format = sdsim_trace_format_detect(input);
        assert_non_null(format);
        assert_string_equal(format->name, names[i]);
        sdsim_input_close(input);
        sdsim_diags_free(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

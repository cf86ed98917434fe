#include "ftdi/bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "flash/medium.h"

enum {
    NOBODY = 65534,
    MOST_SECONDS = 590, /* CTest's limit is 600 for all of a test */
    MOST_ARGUMENTS = 64,
    COMPARED = 256, /* sectors in one go */
};

/* ---- the card ---- */

static void need(const struct sdsim_bench *bench, int32_t result)
{
    if (result != SDSIM_OK) {
        fail_msg("%s", sdsim_slot_error(bench->slot));
    }
}

static void insert_card(struct sdsim_bench *bench, const struct sdsim_bench_setup *setup)
{
    bench->slot = sdsim_slot_create();
    assert_non_null(bench->slot);
    need(bench, sdsim_slot_set_data_dir(bench->slot, "."));
    if (setup->card != NULL) {
        need(bench, sdsim_slot_insert_text(bench->slot, "(card)", setup->card, strlen(setup->card),
                                           setup->seed, setup->draw));
    } else {
        need(bench, sdsim_slot_insert(bench->slot, setup->profile, setup->seed, setup->draw));
    }
    if (setup->image != NULL) {
        need(bench, sdsim_slot_load_image(bench->slot, setup->image));
    }
    if (setup->watch) {
        bench->log = sdsim_card_log_start(bench->slot);
        assert_non_null(bench->log);
    }
    sdsim_card_slave_init(&bench->card, bench->slot);
    sdsim_bench_remember(bench);
}

void sdsim_bench_power_cycle(struct sdsim_bench *bench)
{
    need(bench, sdsim_slot_power(bench->slot, 0));
    need(bench, sdsim_slot_power(bench->slot, 1));
}

void sdsim_bench_fill(struct sdsim_bench *bench, uint32_t lba, uint32_t count, uint64_t seed)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = seed};
    assert_true(sdsim_medium_write(bench->slot->medium, lba, count, &content));
}

void sdsim_bench_remember(struct sdsim_bench *bench)
{
    sdsim_medium_destroy(bench->before);
    bench->before = sdsim_medium_copy(bench->slot->medium);
    assert_non_null(bench->before);
}

bool sdsim_bench_unchanged(const struct sdsim_bench *bench, uint32_t *sector)
{
    const struct sdsim_medium *now = bench->slot->medium;
    if (sdsim_medium_equal(bench->before, now)) {
        return true;
    }
    static uint8_t one[COMPARED * SDSIM_SECTOR];
    static uint8_t other[COMPARED * SDSIM_SECTOR];
    const uint32_t sectors = sdsim_medium_sectors(now);
    for (uint32_t lba = 0; lba < sectors; lba += COMPARED) {
        const uint32_t count = sectors - lba < COMPARED ? sectors - lba : COMPARED;
        sdsim_medium_read(bench->before, lba, count, one);
        sdsim_medium_read(now, lba, count, other);
        for (uint32_t i = 0; i < count; i++) {
            if (memcmp(one + i * SDSIM_SECTOR, other + i * SDSIM_SECTOR, SDSIM_SECTOR) != 0) {
                *sector = lba + i;
                return false;
            }
        }
    }
    fail_msg("the media differ, but no sector does");
    return false;
}

/* ---- up and down ---- */

/* Called on umockdev's thread, while the bench waits for the child. One that shall be killed is only
 * stopped here, so that it still is there when umockdev answers it: that does not like a socket without
 * anybody behind it. */
static void kill_child(void *context, int signal)
{
    const struct sdsim_bench *bench = context;
    if (bench->child > 0) {
        kill(bench->child, signal == SIGKILL ? SIGSTOP : signal);
    }
}

/* Waits for the end of the child, which it meets if it was stopped. */
static int await_child(pid_t child)
{
    int status = 0;
    do {
        while (waitpid(child, &status, WUNTRACED) < 0) {
            assert_int_equal(errno, EINTR);
        }
        if (WIFSTOPPED(status)) {
            const struct timespec for_umockdev = {.tv_nsec = 5000000};
            nanosleep(&for_umockdev, NULL);
            kill(child, SIGKILL);
        }
    } while (WIFSTOPPED(status));
    return status;
}

/* The folder of the test bed is its owner's only; programs of other users must look into it, and make
 * a socket there for what udev would tell them. */
static void open_folder(UMockdevTestbed *bed)
{
    char *root = umockdev_testbed_get_root_dir(bed);
    assert_int_equal(chmod(root, 0777), 0);
    g_free(root);
}

struct sdsim_bench *sdsim_bench_up(const struct sdsim_bench_setup *setup)
{
    struct sdsim_bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    if (setup->slave == NULL) {
        insert_card(bench, setup);
    }
    sdsim_engine_init(&bench->engine, setup->chip.kind,
                      setup->slave != NULL ? setup->slave : &bench->card.slave);
    bench->engine.wiring = setup->wiring;
    bench->as_nobody = setup->chip.denied && geteuid() == 0;
    bench->bed = umockdev_testbed_new();
    assert_non_null(bench->bed);
    open_folder(bench->bed);
    bench->chip = sdsim_vft232h_plug(bench->bed, &setup->chip, &bench->engine, kill_child, bench);
    assert_non_null(bench->chip);
    return bench;
}

void sdsim_bench_down(struct sdsim_bench *bench)
{
    sdsim_vft232h_free(bench->chip);
    g_object_unref(bench->bed);
    sdsim_medium_destroy(bench->before);
    sdsim_card_log_free(bench->log);
    sdsim_slot_destroy(bench->slot);
    free(bench);
}

void sdsim_bench_fault(struct sdsim_bench *bench, struct sdsim_usb_fault fault)
{
    sdsim_vft232h_set_fault(bench->chip, &fault);
}

/* ---- programs ---- */

extern char **environ;

/* What a child needs, made before the fork: umockdev has threads here, and whatever lock one of them
 * holds at that instant, that of an allocator perhaps, is never released in the child. */
struct command {
    char path[PATH_MAX];
    const char *argv[MOST_ARGUMENTS];
    char **environment; /* owned, its rows too */
    size_t rows;
    size_t room;
};

static void find_program(struct command *command, const char *program)
{
    const char *folders = getenv("PATH");
    snprintf(command->path, sizeof command->path, "%s", program);
    while (strchr(program, '/') == NULL && folders != NULL && *folders != '\0') {
        const size_t size = strcspn(folders, ":");
        snprintf(command->path, sizeof command->path, "%.*s/%s", (int)size, folders, program);
        if (access(command->path, X_OK) == 0) {
            return;
        }
        folders += size + (folders[size] == ':' ? 1 : 0);
    }
}

/* "NAME=VALUE" sets, "NAME" unsets. */
static void change_environment(struct command *command, const char *row)
{
    const size_t name = strcspn(row, "=");
    size_t kept = 0;
    for (size_t i = 0; i < command->rows; i++) {
        char *old = command->environment[i];
        if (strncmp(old, row, name) == 0 && old[name] == '=') {
            free(old);
        } else {
            command->environment[kept++] = old;
        }
    }
    if (row[name] == '=') {
        assert_true(kept + 1 < command->room);
        command->environment[kept] = strdup(row);
        assert_non_null(command->environment[kept]);
        kept++;
    }
    command->environment[kept] = NULL;
    command->rows = kept;
}

static void make_command(struct command *command, const char *program, const char *const *arguments,
                         const char *const *environment)
{
    enum { MORE_ROWS = 64 };
    *command = (struct command){.argv = {program}};
    find_program(command, program);
    for (int i = 0; arguments[i] != NULL && i + 2 < MOST_ARGUMENTS; i++) {
        command->argv[i + 1] = arguments[i];
    }
    for (command->room = MORE_ROWS; environ[command->room - MORE_ROWS] != NULL;) {
        command->room++;
    }
    command->environment = calloc(command->room, sizeof *command->environment);
    assert_non_null(command->environment);
    for (size_t i = 0; environ[i] != NULL; i++) {
        change_environment(command, environ[i]);
    }
    /* A library that is loaded before AddressSanitizer's is one of those it looks for. */
    const char *options = getenv("ASAN_OPTIONS");
    char asan[1024];
    snprintf(asan, sizeof asan, "ASAN_OPTIONS=%s%sverify_asan_link_order=0",
             options != NULL ? options : "", options != NULL ? ":" : "");
    change_environment(command, asan);
    change_environment(command, "LD_PRELOAD=" SDSIM_UMOCKDEV_PRELOAD);
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        change_environment(command, environment[i]);
    }
}

static void free_command(struct command *command)
{
    for (size_t i = 0; i < command->rows; i++) {
        free(command->environment[i]);
    }
    free(command->environment);
}

/* Behind the fork: system calls only. */
static void run_child(const struct command *command, bool as_nobody, int out, int err)
{
    const int nothing = open("/dev/null", O_RDONLY);
    if (dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(err, STDERR_FILENO) < 0) {
        _exit(127);
    }
    if (as_nobody && (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
        _exit(127);
    }
    alarm(MOST_SECONDS);
    /* execve promises not to change what argv points to */
    execve(command->path, (char *const *)(uintptr_t)command->argv, command->environment);
    _exit(127);
}

static char *read_all(FILE *file)
{
    size_t size = 0;
    char *text = NULL;
    FILE *memory = open_memstream(&text, &size);
    assert_non_null(memory);
    rewind(file);
    for (int c; (c = fgetc(file)) != EOF;) {
        fputc(c, memory);
    }
    fclose(memory);
    fclose(file);
    return text;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct sdsim_usb_counters difference(const struct sdsim_usb_counters *a,
                                            const struct sdsim_usb_counters *b)
{
    return (struct sdsim_usb_counters){.out_urbs = a->out_urbs - b->out_urbs,
                                       .out_bytes = a->out_bytes - b->out_bytes,
                                       .in_urbs = a->in_urbs - b->in_urbs,
                                       .in_bytes = a->in_bytes - b->in_bytes,
                                       .round_trips = a->round_trips - b->round_trips,
                                       .faults = a->faults - b->faults};
}

struct sdsim_bench_run sdsim_bench_program(struct sdsim_bench *bench, const char *program,
                                           const char *const *arguments,
                                           const char *const *environment)
{
    const struct sdsim_usb_counters usb = sdsim_vft232h_counters(bench->chip);
    const sdsim_ps bus = bench->engine.now;
    const uint64_t clocks = bench->engine.clocks;
    const double begin = seconds();
    FILE *out = tmpfile();
    FILE *err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
    struct command command;
    make_command(&command, program, arguments, environment);
    const int out_file = fileno(out);
    const int err_file = fileno(err);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run_child(&command, bench->as_nobody, out_file, err_file);
    }
    bench->child = child;
    const int status = await_child(child);
    bench->child = 0;
    free_command(&command);
    const struct sdsim_usb_counters now = sdsim_vft232h_counters(bench->chip);
    return (struct sdsim_bench_run){
        .result = {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
                   .out = read_all(out),
                   .err = read_all(err)},
        .usb = difference(&now, &usb),
        .bus = bench->engine.now - bus,
        .clocks = bench->engine.clocks - clocks,
        .seconds = seconds() - begin,
    };
}

struct sdsim_bench_run sdsim_bench_sdsim(struct sdsim_bench *bench, const char *const *arguments)
{
    const char *program = getenv("SDSIM_PROGRAM");
    assert_non_null(program);
    return sdsim_bench_program(bench, program, arguments, NULL);
}

#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file of sdsim_fuzz_file(), for the end of the program. */
static char path[100];

void sdsim_fuzz_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

uint8_t sdsim_fuzz_byte(struct sdsim_fuzz_bytes *bytes)
{
    if (bytes->left == 0) {
        return 0;
    }
    bytes->left--;
    return *bytes->at++;
}

uint32_t sdsim_fuzz_half(struct sdsim_fuzz_bytes *bytes)
{
    const uint32_t low = sdsim_fuzz_byte(bytes);
    return low | (uint32_t)sdsim_fuzz_byte(bytes) << 8;
}

uint32_t sdsim_fuzz_word(struct sdsim_fuzz_bytes *bytes)
{
    const uint32_t low = sdsim_fuzz_half(bytes);
    return low | sdsim_fuzz_half(bytes) << 16;
}

static void remove_file(void)
{
    if (path[0] != '\0') {
        (void)unlink(path);
    }
}

const char *sdsim_fuzz_file(const void *bytes, size_t size, const char *ending)
{
    const char *folder = getenv("TMPDIR");
    if (path[0] == '\0') {
        (void)atexit(remove_file);
    }
    remove_file();
    (void)snprintf(path, sizeof path, "%.60s/sdsim-fuzz-%ld%s", folder != NULL ? folder : "/tmp",
                   (long)getpid(), ending);
    const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size || close(file) != 0) {
        perror(path);
        exit(3);
    }
    return path;
}

#include "scratch.h"

#include <stdarg.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/sdsim-test-XXXXXX";
static pid_t owner; /* who made it; 0: nobody yet */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    if (getpid() == owner && nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0) {
        fprintf(stderr, "%s is left behind\n", folder);
    }
}

const char *sdsim_test_folder(void)
{
    if (owner == 0) {
        if (mkdtemp(folder) == NULL) {
            fail_msg("can't make a folder in /tmp: %s", strerror(errno));
        }
        owner = getpid();
        (void)atexit(remove_folder);
    }
    return folder;
}

const char *sdsim_test_path(const char *name)
{
    static char paths[32][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 32];
    snprintf(path, PATH_MAX, "%s/%s", sdsim_test_folder(), name);
    return path;
}

bool sdsim_test_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

void sdsim_test_write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fail_msg("%s can't be written: %s", path, strerror(errno));
    }
}

void sdsim_test_write_text(const char *path, const char *text)
{
    sdsim_test_write_file(path, text, strlen(text));
}

char *sdsim_test_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0) {
        fail_msg("%s can't be read: %s", path, strerror(errno));
    }
    char *text = malloc((size_t)status.st_size + 1);
    assert_non_null(text);
    const size_t got = fread(text, 1, (size_t)status.st_size, file);
    text[got] = '\0';
    fclose(file);
    if (size != NULL) {
        *size = got;
    }
    return text;
}

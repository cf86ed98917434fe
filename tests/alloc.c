#include "alloc.h"

#include <string.h>

/* The names are the linker's (--wrap): __wrap_X gets the calls of X, __real_X is the old X. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t limit);

/* The C library's interface to allocation has no context argument, so this is a global. */
static struct {
    size_t countdown; /* 1: the next one fails; 0: none */
    bool failed;
} state;

void sdsim_test_fail_allocation(size_t n)
{
    state.countdown = n;
    state.failed = false;
}

bool sdsim_test_allocation_failed(void)
{
    state.countdown = 0;
    return state.failed;
}

static bool fails_now(void)
{
    if (state.countdown == 0 || --state.countdown > 0) {
        return false;
    }
    state.failed = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails_now() ? NULL : __real_realloc(old, size);
}

char *__wrap_strndup(const char *text, size_t limit)
{
    const size_t size = strnlen(text, limit);
    char *copy = __wrap_malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, strlen(text));
}

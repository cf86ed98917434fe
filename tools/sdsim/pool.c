#include "pool.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define MOST_THREADS 64
#define USUAL_MOST   8

struct pool {
    pthread_mutex_t lock; /* of `next` and of the progress line */
    size_t next;
    size_t count;
    const char *what; /* NULL: no progress line */
    struct timespec begun;
    void (*work)(void *context, size_t index);
    void *context;
};

/* ", 3 min left", once it can be guessed: after a second and a hundredth of the pieces. */
static void say_left(const struct pool *pool, size_t done, char *out, size_t size)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double spent = (double)(now.tv_sec - pool->begun.tv_sec) +
                         (double)(now.tv_nsec - pool->begun.tv_nsec) / 1e9;
    if (spent < 1 || done < pool->count / 100 + 1) {
        return;
    }
    const double left = spent * (double)(pool->count - done) / (double)done;
    if (left < 100) {
        snprintf(out, size, ", %.0f s left", left);
    } else {
        snprintf(out, size, ", %.0f min left", left / 60);
    }
}

static size_t take(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const size_t index = pool->next < pool->count ? pool->next++ : SIZE_MAX;
    if (index != SIZE_MAX && pool->what != NULL) {
        char left[40] = "";
        say_left(pool, index, left, sizeof left);
        /* \033[K: the rest of an older, longer line */
        fprintf(stderr, "\r%zu of %zu %s%s\033[K", index, pool->count, pool->what, left);
        fflush(stderr);
    }
    pthread_mutex_unlock(&pool->lock);
    return index;
}

static void *run(void *context)
{
    struct pool *pool = context;
    for (size_t index = take(pool); index != SIZE_MAX; index = take(pool)) {
        pool->work(pool->context, index);
    }
    return NULL;
}

static unsigned thread_count(unsigned wish, size_t pieces)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = wish;
    if (threads == 0) {
        threads = processors < 1 ? 1 : processors > USUAL_MOST ? USUAL_MOST : (unsigned)processors;
    }
    threads = threads > MOST_THREADS ? MOST_THREADS : threads;
    return threads > pieces ? (unsigned)pieces : threads;
}

void sdsim_pool_run(size_t count, unsigned threads, const char *what,
                    void (*work)(void *context, size_t index), void *context)
{
    struct pool pool = {.count = count,
                        .what = isatty(STDERR_FILENO) ? what : NULL,
                        .work = work,
                        .context = context};
    pthread_t others[MOST_THREADS];
    unsigned started = 0;
    pthread_mutex_init(&pool.lock, NULL);
    clock_gettime(CLOCK_MONOTONIC, &pool.begun);
    /* This thread works too; one that can't be started is no loss but time. */
    for (unsigned wanted = thread_count(threads, count); started + 1 < wanted; started++) {
        if (pthread_create(&others[started], NULL, run, &pool) != 0) {
            break;
        }
    }
    run(&pool);
    while (started > 0) {
        pthread_join(others[--started], NULL);
    }
    pthread_mutex_destroy(&pool.lock);
    if (pool.what != NULL) {
        fputs("\r\033[K", stderr);
    }
}

#include "pool.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define MOST_THREADS 64
#define USUAL_MOST   8

struct pool {
    pthread_mutex_t lock; /* of `next` and of the progress line */
    size_t next;
    size_t count;
    const char *what; /* NULL: no progress line */
    void (*work)(void *context, size_t index);
    void *context;
};

static size_t take(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const size_t index = pool->next < pool->count ? pool->next++ : SIZE_MAX;
    if (index != SIZE_MAX && pool->what != NULL) {
        /* \033[K: the rest of an older, longer line */
        fprintf(stderr, "\r%zu of %zu %s\033[K", index, pool->count, pool->what);
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

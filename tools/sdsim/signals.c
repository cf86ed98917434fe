#include "signals.h"

#include <stddef.h>

void sdsim_signals_hold(sigset_t *before)
{
    sigset_t held;
    (void)sigemptyset(&held);
    (void)sigaddset(&held, SIGINT);
    (void)sigaddset(&held, SIGTERM);
    (void)sigaddset(&held, SIGHUP);
    (void)sigaddset(&held, SIGQUIT);
    (void)sigprocmask(SIG_BLOCK, &held, before);
}

bool sdsim_signals_waiting(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t pending;
    bool waiting = false;
    (void)sigemptyset(&pending);
    (void)sigpending(&pending);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        waiting = waiting || sigismember(&pending, signals[i]) == 1;
    }
    return waiting;
}

void sdsim_signals_release(const sigset_t *before)
{
    (void)sigprocmask(SIG_SETMASK, before, NULL);
}

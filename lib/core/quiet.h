/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quiet: what we write on our own account, such as a report, must not end the program: neither by SIGPIPE, if nobody
 * reads its standard error any more, nor by SIGXFSZ, at its limit for the size of files. Both are sent to the thread
 * that writes, so that this blocks them, and takes those that came. errno stays as it is.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

struct rcuinfo__quiet {
    sigset_t before; /* the signals that were blocked */
    sigset_t waited; /* those of them that were pending */
};

static inline void rcuinfo__quiet_begin(struct rcuinfo__quiet *quiet)
{
    sigset_t both;
    (void)sigemptyset(&both);
    (void)sigaddset(&both, SIGPIPE);
    (void)sigaddset(&both, SIGXFSZ);
    (void)pthread_sigmask(SIG_BLOCK, &both, &quiet->before);
    (void)sigemptyset(&quiet->waited);
    if (sigismember(&quiet->before, SIGPIPE) || sigismember(&quiet->before, SIGXFSZ))
        (void)sigpending(&quiet->waited);
}

static inline void rcuinfo__quiet_end(const struct rcuinfo__quiet *quiet)
{
    static const int signals[] = {SIGPIPE, SIGXFSZ};
    static const struct timespec no_wait = {0, 0};
    int left_errno = errno;
    sigset_t pending;
    (void)sigpending(&pending);
    for (size_t n = 0; n < sizeof signals / sizeof *signals; n++) {
        sigset_t one;
        (void)sigemptyset(&one);
        (void)sigaddset(&one, signals[n]);
        if (sigismember(&pending, signals[n]) == 1 && sigismember(&quiet->waited, signals[n]) == 0)
            (void)sigtimedwait(&one, NULL, &no_wait);
    }
    (void)pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
    errno = left_errno;
}

/* A duplicate of a descriptor, out of the way of the program's, which may close any low one and use its number again;
 * -1: none can be had. */
static inline int rcuinfo__quiet_duplicate(int descriptor)
{
    int high = fcntl(descriptor, F_DUPFD_CLOEXEC, 100);
    return high >= 0 ? high : fcntl(descriptor, F_DUPFD_CLOEXEC, 3); /* the process may have fewer than 100 */
}

/* Prints to the standard error. */
static inline __attribute__((format(printf, 1, 2))) void rcuinfo__quiet_say(const char *form, ...)
{
    struct rcuinfo__quiet quiet;
    va_list arguments;
    va_start(arguments, form);
    rcuinfo__quiet_begin(&quiet);
    (void)vfprintf(stderr, form, arguments);
    rcuinfo__quiet_end(&quiet);
    va_end(arguments);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals, with and without SA_RESTART, and cancellation in the middle of concurrent sets and grace periods. Calls go
 * on, and leave errno, signal mask and cancellation state unchanged. They are not cancellation points: a cancelled
 * writer ends at its own next one and leaves no lock held and no value torn, and the other writers go on.
 */
#include <errno.h>
#include <signal.h>

#include <rcuinfo/rcuinfo.h>

#include "stress/selfcheck.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/threads.h"

enum { STORM = 3, SIGNALS = SCALED(6000), VICTIMS = TEST_SANITIZED ? 60 : 400, LEAST_WRITES = 20 };

static rcuinfo_t info;
static pthread_t targets[STORM];
static atomic_uint ready, finished, in_call;
static atomic_ulong signals[2], writes; /* signals: with and without SA_RESTART */

/* Signals that this thread received. Not atomic: ThreadSanitizer delivers pending signals at each atomic operation, and
 * if that happens within a handler (clang 14), the thread is left with all signals blocked. */
static _Thread_local volatile sig_atomic_t came[2];

static void handle(int signal)
{
    came[signal == SIGUSR2] = came[signal == SIGUSR2] + 1;
}

static void catch_signal(int signal, int flags)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
    CHECK(sigemptyset(&action.sa_mask) == 0);
    CHECK(sigaction(signal, &action, NULL) == 0);
}

static void call(unsigned writer, unsigned long i)
{
    char value[SELFCHECK_MAX + 1];
    int flag = 0;
    selfcheck_make(value, writer, i, SELFCHECK_MIN + (i * 131 + writer * 17) % (SELFCHECK_MAX - SELFCHECK_MIN + 1));
    CHECK_OK(rcuinfo_set(info, i % 2 ? "odd" : "even", value));
    CHECK_OK(rcuinfo_get(info, "even", SELFCHECK_MAX, value, &flag));
    if (i % 16 == 0)
        (void)rcuinfo_store_drain();
    CHECK(!flag || selfcheck_whole(value));
}

/* A thread that is cancelled inside a call leaves in_call at 1. */
static void *victim(void *argument)
{
    atomic_ulong *mine = argument;
    for (unsigned long i = 0;; i++) {
        atomic_store(&in_call, 1);
        call(STORM, i);
        atomic_store(&in_call, 0);
        atomic_fetch_add(mine, 1);
        pthread_testcancel();
    }
    return NULL;
}

static void cancel_on(void)
{
    for (int i = 0; i < VICTIMS; i++) {
        unsigned long others = atomic_load(&writes);
        atomic_ulong written;
        pthread_t thread;
        void *result = NULL;
        atomic_init(&written, 0);
        CHECK(pthread_create(&thread, NULL, victim, &written) == 0);
        TEAM_UNTIL(atomic_load(&written) >= LEAST_WRITES);
        CHECK(pthread_cancel(thread) == 0);
        CHECK(pthread_join(thread, &result) == 0);
        CHECK(result == PTHREAD_CANCELED);
        CHECKF(atomic_load(&in_call) == 0, "victim %d was cancelled inside a call", i);
        /* The others go on. A lock that the victim had kept would stop them. */
        TEAM_UNTIL(atomic_load(&writes) >= others + (unsigned long)STORM * LEAST_WRITES);
    }
}

/* Sends one signal after another, and after every eighth one waits until a call has ended. */
static void send_on(void)
{
    TEAM_UNTIL(atomic_load(&ready) >= STORM);
    for (unsigned i = 0; i < SIGNALS; i++) {
        unsigned long before = atomic_load(&writes);
        CHECK(pthread_kill(targets[i % STORM], i % 2 ? SIGUSR1 : SIGUSR2) == 0);
        TEAM_UNTIL(i % 8 != 0 || atomic_load(&writes) != before);
    }
}

static void storm(unsigned index)
{
    targets[index] = pthread_self();
    atomic_fetch_add(&ready, 1);
    for (unsigned long i = 0; !atomic_load(&finished); i++) {
        sigset_t mask;
        int state;
        errno = 1234;
        call(index, i);
        CHECKF(errno == 1234, "errno became %d", errno);
        CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
        CHECK(sigismember(&mask, SIGUSR1) == 0 && sigismember(&mask, SIGUSR2) == 0);
        CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state) == 0);
        CHECK(state == PTHREAD_CANCEL_ENABLE);
        atomic_fetch_add(&writes, 1);
    }
    for (int i = 0; i < 2; i++)
        atomic_fetch_add(&signals[i], (unsigned long)came[i]);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index < STORM) {
        storm(index);
        return;
    }
    send_on();
    cancel_on();
    atomic_store(&finished, 1);
}

int main(void)
{
    catch_signal(SIGUSR1, SA_RESTART);
    catch_signal(SIGUSR2, 0);
    info = object_empty();
    team_run(STORM + 1, body, NULL);
    CHECK(atomic_load(&signals[0]) > 0 && atomic_load(&signals[1]) > 0);
    CHECK(left_stats().grace_periods > 1);
    object_free(info);
    left_nothing();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals, with SA_RESTART and without, in the middle of every call and of grace periods: the calls go on, and leave
 * errno and the signal mask as they were. Handlers that leave errno changed are their program's affair.
 */
#include <errno.h>
#include <signal.h>

#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/selfcheck.h"
#include "support/threads.h"

enum { WRITERS = 3, SIGNALS = SCALED(6000) };

static rcuinfo_t info;
static pthread_t targets[WRITERS];
static atomic_uint ready, finished;
static atomic_ulong restarting, interrupting, calls;

/* Signals that came to this thread. No atomics: ThreadSanitizer delivers what else is pending at each atomic operation,
 * and where that nests in a handler (clang 14) the thread is left with all signals blocked. */
static _Thread_local volatile sig_atomic_t restarts, interrupts;

static void handle(int signal)
{
    if (signal == SIGUSR1)
        restarts = restarts + 1;
    else
        interrupts = interrupts + 1;
}

static void catch_signal(int signal, int flags)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
    CHECK(sigemptyset(&action.sa_mask) == 0);
    CHECK(sigaction(signal, &action, NULL) == 0);
}

static void check_mask(void)
{
    sigset_t mask;
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
    CHECK(sigismember(&mask, SIGUSR1) == 0 && sigismember(&mask, SIGUSR2) == 0);
}

static void write_on(unsigned writer)
{
    targets[writer] = pthread_self();
    atomic_fetch_add(&ready, 1);
    for (unsigned long i = 0; !atomic_load(&finished); i++) {
        char value[SELFCHECK_MAX + 1];
        unsigned who;
        unsigned long number;
        int flag = 0;
        selfcheck_make(value, writer, i, selfcheck_length(writer, i));
        errno = 1234;
        CHECK_OK(rcuinfo_set(info, i % 2 ? "odd" : "even", value));
        CHECK_OK(rcuinfo_get(info, "even", SELFCHECK_MAX, value, &flag));
        if (i % 16 == 0)
            (void)rcuinfo_store_drain();
        CHECKF(errno == 1234, "errno became %d", errno);
        CHECK(!flag || selfcheck_verify(value, &who, &number));
        check_mask();
        atomic_fetch_add(&calls, 1);
    }
    atomic_fetch_add(&restarting, (unsigned long)restarts);
    atomic_fetch_add(&interrupting, (unsigned long)interrupts);
}

/* One signal after another, each when some call has ended since the last: none is lost in the one before. */
static void send_on(void)
{
    unsigned spins = 0;
    while (atomic_load(&ready) < WRITERS)
        team_relax(&spins);
    for (unsigned i = 0; i < SIGNALS; i++) {
        unsigned long before = atomic_load(&calls);
        CHECK(pthread_kill(targets[i % WRITERS], i % 2 ? SIGUSR1 : SIGUSR2) == 0);
        while (i % 8 == 0 && atomic_load(&calls) == before)
            team_relax(&spins);
    }
    atomic_store(&finished, 1);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index < WRITERS)
        write_on(index);
    else
        send_on();
}

int main(void)
{
    rcuinfo_stats_t stats;
    catch_signal(SIGUSR1, SA_RESTART);
    catch_signal(SIGUSR2, 0);
    CHECK_OK(rcuinfo_create(&info));
    team_run(WRITERS + 1, body, NULL);
    CHECK(atomic_load(&restarting) > 0 && atomic_load(&interrupting) > 0);
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    rcuinfo_store_stats(&stats);
    CHECK(stats.live == 0 && stats.grace_periods > 1);
    printf("%lu and %lu signals, %llu grace periods\n", atomic_load(&restarting), atomic_load(&interrupting),
           (unsigned long long)stats.grace_periods);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A signal arrives between two steps of a call, at every sync point of each, and its handler forks. Parent and child
 * both continue the interrupted call, and make all others; the child forks again. While the thread holds the locks that
 * a fork takes, in a fork or because it reclaims, the signal is blocked. A thread that waits for the lock of an object
 * continues in the child, which lacks the holder.
 *
 * The child of a fork inside a read section reclaims like its parent, except what waits for liburcu-bp, that is
 * versions of hint sets, if the section was one of liburcu-bp's.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <urcu/urcu-bp.h>

#include <rcuinfo/rcuinfo.h>

#include "support/hints.h"
#include "support/objects.h"
#include "support/spawn.h"
#include "support/sync.h"
#include "support/system_call.h"

enum { FEW = 12, MANY = 40 }; /* pairs: the finder consists of bytes, or of places; blocks are copied on the way */

static int passed[RCUINFO__SYNC_POINTS];
static int reclaiming; /* the thread holds the locks that a fork takes */
static int handled;
static pid_t child = -1;
static int abandoned; /* this process was forked inside a read section of liburcu-bp */

static rcuinfo_t info, other;
static int fill; /* number of pairs of info */
static unsigned long sets;

static void on_signal(int signal)
{
    int saved_errno = errno;
    CHECK(signal == SIGUSR1 && !reclaiming);
    CHECK((child = fork()) >= 0);
    if (child == 0)
        abandoned |= urcu_bp_read_ongoing();
    handled++;
    errno = saved_errno;
}

/* The signal is blocked while the thread holds the locks that a fork takes. */
static void interrupt_now(bool waits)
{
    reclaiming = waits;
    CHECK(raise(SIGUSR1) == 0);
    CHECK(handled == !waits);
    reclaiming = 0;
}

static void interrupt_here(void)
{
    passed[sync_now.point]++;
    interrupt_now(sync_now.point == RCUINFO__SYNC_DETACHED || sync_now.point == RCUINFO__SYNC_PASSED);
}

static atomic_int asleep; /* a signal comes to the thread that is about to sleep */

static void at_system_call(long number)
{
    if (number != SYS_futex || !atomic_exchange(&asleep, 0))
        return;
    interrupt_now(false);
    if (child > 0)
        atomic_store(&sync_goes_on, true);
}

static int forking; /* a signal comes during the next fork */

static void in_fork(void)
{
    if (forking) {
        forking = 0;
        interrupt_now(true);
    }
}

/* Before the library does so, so its own handler has come when this one does. */
__attribute__((constructor(101))) static void register_handler(void)
{
    CHECK(pthread_atfork(in_fork, NULL, NULL) == 0);
}

/* The calls. Each leaves the objects as the others expect them. */

static void create_and_free(void)
{
    object_free(OBJECT("a", "b"));
}

static void set_and_get(void)
{
    char value[32];
    (void)snprintf(value, sizeof value, "%lu", ++sets);
    CHECK_OK(rcuinfo_set(info, "key7", value));
    CHECK_VALUE(info, "key7", value);
}

static void update_many(void)
{
    const rcuinfo_change_t changes[] = {{"key1", "1"}, {"new", "2"}, {"key2", NULL}, {"key1", "3"}};
    const rcuinfo_change_t back[] = {{"new", NULL}, {"key2", "back"}};
    CHECK_OK(rcuinfo_update(info, changes, 4, NULL));
    CHECK_VALUE(info, "key1", "3");
    CHECK_VALUE(info, "new", "2");
    CHECK_VALUE(info, "key2", NULL);
    CHECK_OK(rcuinfo_update(info, back, 2, NULL));
}

/* The dup does not own its block, so its first set copies it. */
static void dup_and_set(void)
{
    rcuinfo_t copy = object_dup(info);
    CHECK_OK(rcuinfo_set(copy, "more", "text"));
    CHECK_EQUAL(object_count(copy), fill + 1);
    object_free(copy);
}

static void open_and_close(void)
{
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_EQUAL(rcuinfo_snapshot_count(snapshot), fill);
    rcuinfo_snapshot_close(snapshot);
}

static void change_hints(void)
{
    char text[32];
    int64_t number = -1;
    (void)snprintf(text, sizeof text, "%lu", ++sets);
    CHECK_OK(rcuinfo_set(other, "number", text));
    CHECK_OK(rcuinfo_hint_set_merge(hints, other));
    CHECK_OK(rcuinfo_hint_set_read(hints, 0, &number));
    CHECK(number == (int64_t)sets);
}

static void drain(void)
{
    change_hints(); /* an old version to be reclaimed */
    CHECK((rcuinfo_store_drain() > 0) == abandoned);
}

static void (*const calls[])(void) = {create_and_free, set_and_get,  update_many, dup_and_set,
                                      open_and_close,  change_hints, drain};
enum { CALLS = sizeof calls / sizeof *calls };

static void make_all_calls(void)
{
    for (int i = 0; i < CALLS; i++)
        calls[i]();
}

static void check_mask(void)
{
    sigset_t mask;
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
    for (int signal = 1; signal < 32; signal++)
        CHECK(sigismember(&mask, signal) == 0);
}

/* Runs in both processes after the call that was interrupted by a fork. */
static void live_on(void)
{
    check_mask();
    make_all_calls();
    if (child > 0) {
        spawn_wait(child, "child");
        return;
    }
    CHECK((child = fork()) >= 0);
    make_all_calls();
    if (child > 0)
        spawn_wait(child, "grandchild");
    _exit(0);
}

static void interrupt(void (*call)(void), enum rcuinfo__sync_point point)
{
    sync_at(point, 1, interrupt_here);
    handled = 0;
    child = -1;
    call();
    if (handled) {
        CHECK(handled == 1);
        live_on();
    }
    sync_now.visits = 0;
}

static void interrupt_fork(void)
{
    handled = 0;
    forking = 1;
    pid_t plain = fork();
    CHECK(plain >= 0);
    if (plain == 0) {
        CHECK(!handled);
        make_all_calls();
        _exit(0);
    }
    CHECK(handled == 1);
    if (child > 0)
        spawn_wait(plain, "child of the plain fork");
    live_on();
}

/* One thread holds the lock. The other waits for it, and is interrupted when it is about to sleep. */
static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0) {
        sync_at(RCUINFO__SYNC_LOCKED, 1, sync_stop);
        CHECK_OK(rcuinfo_set(info, "key7", "late"));
        return;
    }
    team_wait(&sync_stands);
    handled = 0;
    atomic_store(&asleep, 1);
    CHECK_OK(rcuinfo_set(info, "key8", "later"));
    CHECK(handled == 1 && !atomic_load(&asleep));
    live_on();
}

/* Interrupts every call at every sync point. */
static void interrupt_all(int pairs)
{
    fill = pairs;
    info = object_empty();
    object_fill(info, "key", (unsigned)pairs, "value");
    for (int i = 0; i < CALLS; i++) {
        for (int point = 0; point < RCUINFO__SYNC_POINTS; point++)
            interrupt(calls[i], (enum rcuinfo__sync_point)point);
    }
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    hints_begin();
    other = object_empty();
    interrupt_all(FEW);
    object_free(info);
    interrupt_all(MANY);
    for (int point = 0; point < RCUINFO__SYNC_POINTS; point++)
        CHECKF(passed[point] || point == RCUINFO__SYNC_FULL || point == RCUINFO__SYNC_HELPED ||
                   point == RCUINFO__SYNC_SEEN,
               "sync point %d", point);
    interrupt_fork();
    team_run(2, body, NULL);
    make_all_calls();
    hints_end();
    object_free(info);
    object_free(other);
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}

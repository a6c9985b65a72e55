/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The store works in every phase of a process: constructors of the first priority, main, destructors of thread-specific
 * data (of a thread that ends and of the main thread), atexit handlers, and destructors of the last priority, each with
 * the objects made in earlier phases. There are three kinds of processes: one whose main thread is the last to end; one
 * that returns from main and starts another thread in an atexit handler (the first kind cannot, since that thread
 * would be the last one while the process exits); and many that return while their other threads are in the middle of
 * all kinds of calls. None may hang or crash, and create_env and the read-only object say the same in every phase.
 */
#include <rcuinfo/rcuinfo.h>

#define TEST_FLAVOUR_native
#include "support/describe.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/threads.h"

enum { EXITS = TEST_SANITIZED ? 10 : 100, THREADS = 4, ROUNDS = 500 };

static rcuinfo_t info;             /* made by the constructor, freed by the destructor */
static char process[DESCRIBE_MAX]; /* the pairs of create_env in the constructor */
static pthread_key_t specific;
static enum { NONE, ENDS, RETURNS, LEAVES } spawned; /* the kind of this process; NONE: it spawns the others */
static atomic_ulong rounds;                          /* of calls, by threads that are still running at exit */

/* Makes one call of each kind, on the shared object and on objects of its own. */
static void make_calls(const char *phase)
{
    rcuinfo_t mine;
    char text[DESCRIBE_MAX];
    CHECK_OK(rcuinfo_set(info, phase, "was here"));
    CHECK_VALUE(info, phase, "was here");
    rcuinfo_t copy = object_dup(info);
    const rcuinfo_snapshot_t *snapshot = object_open(copy);
    object_free(copy);
    CHECK(rcuinfo_snapshot_count(snapshot) > 0);
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_env_create(0, NULL, &mine));
    CHECK_OK(rcuinfo_delete(mine, "arch"));
    object_free(mine);
    describe_new(0, NULL, text);
    describe_same(text, process, phase);
    describe(rcuinfo_env(), text);
    describe_same(text, process, phase);
}

static void use(const char *phase)
{
    make_calls(phase);
    CHECK(rcuinfo_store_drain() == 0 || spawned == LEAVES);
    if (spawned)
        CHECK(write(STDOUT_FILENO, phase, strlen(phase)) == (ssize_t)strlen(phase));
}

static void *use_in_thread(void *phase)
{
    use(phase);
    CHECK(pthread_setspecific(specific, "specific ") == 0);
    return NULL;
}

static void use_and_end_thread(const char *phase)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use_in_thread, (void *)(size_t)phase) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void end_of_thread(void *phase)
{
    use(phase);
}

static void at_exit(void)
{
    use("atexit ");
    if (spawned == RETURNS)
        use_and_end_thread("thread-at-exit ");
}

static void *go_on(void *unused)
{
    for (unsigned long i = 0;; i = atomic_fetch_add(&rounds, 1)) {
        make_calls(i % 2 ? "odd" : "even");
        if (i % 64 == 0)
            (void)rcuinfo_store_drain();
    }
    return unused;
}

static void leave_threads(void)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, go_on, NULL) == 0);
        CHECK(pthread_detach(thread) == 0);
    }
    TEAM_UNTIL(atomic_load(&rounds) >= ROUNDS);
}

__attribute__((constructor(101))) static void begin(int argc, char **argv)
{
    if (argc > 1)
        spawned = strcmp(argv[1], "ends") == 0 ? ENDS : strcmp(argv[1], "returns") == 0 ? RETURNS : LEAVES;
    CHECK(pthread_key_create(&specific, end_of_thread) == 0);
    info = object_empty();
    describe_new(0, NULL, process);
    use("constructor ");
    use_and_end_thread("thread-of-constructor ");
}

__attribute__((destructor(101))) static void end(void)
{
    static const int phases[] = {[NONE] = 4, [ENDS] = 6, [RETURNS] = 7};
    use("destructor ");
    if (spawned != LEAVES) {
        CHECK_EQUAL(object_count(info), phases[spawned]);
        object_free(info);
        left_nothing();
    }
    if (spawned)
        CHECK(write(STDOUT_FILENO, "end", 3) == 3);
}

/* Spawns a process of that kind, which must print these phases. */
static void check_phases(const char *kind, const char *phases)
{
    char output[512];
    spawn_self(kind, output, sizeof output);
    CHECK_TEXT(output, phases);
}

int main(void)
{
    if (spawned) {
        use("main ");
        CHECK(atexit(at_exit) == 0);
        CHECK(pthread_setspecific(specific, "specific ") == 0);
        if (spawned == ENDS)
            pthread_exit(NULL); /* destroys its specific data, and the process exits */
        if (spawned == LEAVES)
            leave_threads();
        return 0;
    }
    check_phases("returns", "constructor thread-of-constructor specific main atexit thread-at-exit specific destructor "
                            "end");
    if (!TEST_THREAD_SANITIZER) /* it has a thread of its own that never ends, so the main thread is not the last one */
        check_phases("ends", "constructor thread-of-constructor specific main specific atexit destructor end");
    CHECK(setenv("RCUINFO_STATS", "1", 1) == 0);
    for (int i = 0; i < EXITS; i++)
        check_phases("leaves", "constructor thread-of-constructor specific main atexit destructor end");
    return 0;
}

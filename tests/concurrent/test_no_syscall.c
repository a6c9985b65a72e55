/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads make no system call, whatever writers do. Each reading call runs in a thread that may make no system call
 * except exit (seccomp's strict mode): any other one would end the thread before it has counted to the end. A call that
 * waits for a lock would make one. Not for sanitizer builds, whose runtimes make system calls at any time.
 */
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "reads.h"
#include "support/scale.h"
#include "support/threads.h"

enum { TIMES = SCALED(200000), WRITERS = 2, KEYS = 50 };

static rcuinfo_t info;
static atomic_int finished;
static atomic_ulong writes;

/* The version stays open: closing the last reference may call free. */
static long read_snapshot(rcuinfo_t of)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    return rcuinfo_snapshot_open(of, &snapshot) == RCUINFO_SUCCESS &&
           rcuinfo_snapshot_find(snapshot, "key", &pair) == RCUINFO_SUCCESS &&
           rcuinfo_snapshot_nth(snapshot, 7, &pair) == RCUINFO_SUCCESS;
}

struct reader {
    long (*call)(rcuinfo_t of);
    long answer; /* at least */
    unsigned long times, good;
};

static void *read_without_system_calls(void *argument)
{
    struct reader *reader = argument;
    CHECK(reader->call(info) >= reader->answer); /* the thread's first call may register it */
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0);
    for (unsigned long i = 0; i < reader->times; i++)
        reader->good += reader->call(info) >= reader->answer;
    syscall(SYS_exit, 0); /* the C library's exit would make other system calls */
    return NULL;
}

static void write_on(unsigned writer)
{
    for (unsigned long i = writer; !atomic_load(&finished); i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "key%lu", i % KEYS);
        CHECK_OK(rcuinfo_set(info, key, i % 3 ? "short" : "a value that is longer than the other one"));
        CHECK_OK(rcuinfo_set(info, "key", "before")); /* the pair that they read, in a separate entry */
        if (i % KEYS == 0) {
            CHECK_OK(rcuinfo_set(info, "comes and goes", "x"));
            rcuinfo_status_t status = rcuinfo_delete(info, "comes and goes");
            /* The other writer may have been faster. */
            CHECK(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_NOKEY);
        }
        atomic_fetch_add_explicit(&writes, 1, memory_order_relaxed);
    }
}

static void read_in_a_thread(const char *name, struct reader reader)
{
    unsigned long before = atomic_load(&writes);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, read_without_system_calls, &reader) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECKF(reader.good == reader.times, "%s: %lu reads of %lu", name, reader.good, reader.times);
    TEAM_UNTIL(atomic_load(&writes) >= before + 100);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index > 0) {
        write_on(index);
        return;
    }
    for (size_t i = 0; i < READS; i++)
        read_in_a_thread(reads[i].name, (struct reader){reads[i].call, reads[i].answer, TIMES, 0});
    /* Each reader keeps a version in memory. */
    read_in_a_thread("snapshot", (struct reader){read_snapshot, 1, TIMES / 100, 0});
    atomic_store(&finished, 1);
}

int main(void)
{
    info = OBJECT("key", "before");
    object_fill(info, "key", KEYS, "short");
    team_run(1 + WRITERS, body, NULL);
    object_free(info);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads make no system call, whatever writers do. All calls that never wait run in a thread that may make no system
 * call except exit (seccomp's strict mode): any other one would end the thread before it has counted to the end. A call
 * that waits for a lock would make one. Not for sanitizer builds, whose runtimes make system calls at any time.
 */
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "support/hints.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/threads.h"

enum { TIMES = SCALED(200000), WRITERS = 2, KEYS = 50 };

static rcuinfo_t info;
static atomic_int finished;
static atomic_ulong writes;

static void read_all(void)
{
    static rcuinfo_list_t list;
    rcuinfo_view_t view, inner;
    char text[RCUINFO_MAX_KEY] = "";
    int flag = 0, number = sizeof text;
    int64_t wide = 0;
    size_t length;
    CHECK_VALUE(info, "key", "1");
    CHECK_OK(rcuinfo_get_string(info, "key", &number, text, &flag));
    CHECK(number == 2 && strcmp(text, "1") == 0);
    CHECK_OK(rcuinfo_get_valuelen(info, "key", &number, &flag));
    CHECK(number == 1);
    CHECK(object_count(info) > KEYS && object_version(info) > KEYS);
    CHECK_OK(rcuinfo_get_nthkey(info, 0, text));
    CHECK_TEXT(text, "key");
    CHECK_STATUS(rcuinfo_get_bool(info, "key", &number, NULL), RCUINFO_ERR_TYPE);
    CHECK_OK(rcuinfo_get_int(info, "key", &number, NULL));
    CHECK_OK(rcuinfo_get_int64(info, "key", &wide, NULL));
    CHECK_OK(rcuinfo_get_list(info, "key", &list));
    CHECK(number == 1 && wide == 1);
    CHECK_OK(rcuinfo_view_begin(info, &view));
    CHECK_OK(rcuinfo_view_begin(info, &inner));
    CHECK_OK(rcuinfo_snapshot_get_int(view.snapshot, "key", &number, NULL));
    CHECK_OK(rcuinfo_snapshot_get_int64(inner.snapshot, "key", &wide, NULL));
    rcuinfo_view_end(&view);
    rcuinfo_view_end(&inner);
    CHECK(number == 1 && wide == 1);
    CHECK_OK(rcuinfo_hint_set_read(hints, 0, &wide));
    CHECK_OK(rcuinfo_hint_set_read_string(hints, 0, text, sizeof text, &length));
    CHECK(length == 1 && wide == text[0] - '0');
}

/* The version stays open: closing the last reference may call free. */
static void read_snapshot(void)
{
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    rcuinfo_pair_t pair;
    CHECK_OK(rcuinfo_snapshot_find(snapshot, "key", &pair));
    CHECK_OK(rcuinfo_snapshot_nth(snapshot, 7, &pair));
}

struct reader {
    const char *name;
    void (*call)(void);
    unsigned long times, done;
};

static void *read_without_system_calls(void *argument)
{
    struct reader *reader = argument;
    reader->call(); /* a thread's first read may get it a record */
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0);
    for (; reader->done < reader->times; reader->done++)
        reader->call();
    syscall(SYS_exit, 0); /* the C library's exit would make other system calls */
    return NULL;
}

static void write_on(unsigned writer)
{
    for (unsigned long i = writer; !atomic_load(&finished); i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "key%lu", i % KEYS);
        CHECK_OK(rcuinfo_set(info, key, i % 3 ? "short" : "a value that is longer than the other one"));
        CHECK_OK(rcuinfo_set(info, "key", "1")); /* the pair that they read, in a separate entry */
        if (i % KEYS == 0) {
            CHECK_OK(rcuinfo_hint_set_impose(hints, "number", i % 2 ? "7" : "8"));
            CHECK_OK(rcuinfo_set(info, "comes and goes", "x"));
            rcuinfo_status_t status = rcuinfo_delete(info, "comes and goes");
            /* The other writer may have been faster. */
            CHECK(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_NOKEY);
        }
        atomic_fetch_add_explicit(&writes, 1, memory_order_relaxed);
    }
}

static void body(unsigned index, void *unused)
{
    struct reader readers[] = {{"reads", read_all, TIMES, 0}, {"snapshots", read_snapshot, TIMES / 100, 0}};
    (void)unused;
    if (index > 0) {
        write_on(index);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        unsigned long before = atomic_load(&writes);
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, read_without_system_calls, &readers[i]) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECKF(readers[i].done == readers[i].times, "%s: %lu of %lu", readers[i].name, readers[i].done,
               readers[i].times);
        TEAM_UNTIL(atomic_load(&writes) >= before + 100);
    }
    atomic_store(&finished, 1);
}

int main(void)
{
    info = OBJECT("key", "1");
    object_fill(info, "key", KEYS, "short");
    hints_begin();
    team_run(1 + WRITERS, body, NULL);
    hints_end();
    object_free(info);
    return 0;
}

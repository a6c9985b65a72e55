/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads make no system call, whatever writers do. Each reading call runs in a thread that has given up all system calls
 * but its own exit (seccomp's strict mode): the first one would end the thread before it has counted to the end. A call
 * that waited for a lock would make one. Not for sanitizer builds, whose runtimes make some at any time.
 */
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { READS = SCALED(200000), WRITERS = 2, KEYS = 50 };

static rcuinfo_t info;
static atomic_int finished;
static atomic_ulong writes;

struct reader {
    const char *name;
    int (*read)(void); /* whether the call answered as it should */
    unsigned long reads;
    unsigned long good;
};

static int read_get(void)
{
    char value[8];
    int flag = 0;
    return rcuinfo_get(info, "key7", 7, value, &flag) == RCUINFO_SUCCESS && flag;
}

static int read_get_valuelen(void)
{
    int length, flag = 0;
    return rcuinfo_get_valuelen(info, "key7", &length, &flag) == RCUINFO_SUCCESS && flag;
}

static int read_get_string(void)
{
    char value[8];
    int size = sizeof value, flag = 0;
    return rcuinfo_get_string(info, "key7", &size, value, &flag) == RCUINFO_SUCCESS && flag;
}

static int read_get_nkeys(void)
{
    int nkeys = 0;
    return rcuinfo_get_nkeys(info, &nkeys) == RCUINFO_SUCCESS && nkeys >= KEYS - 1;
}

static int read_get_nthkey(void)
{
    char key[RCUINFO_MAX_KEY];
    return rcuinfo_get_nthkey(info, 7, key) == RCUINFO_SUCCESS;
}

static int read_version(void)
{
    uint64_t version;
    return rcuinfo_current_version(info, &version) == RCUINFO_SUCCESS;
}

static int read_snapshot(void)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    return rcuinfo_snapshot_open(info, &snapshot) == RCUINFO_SUCCESS &&
           rcuinfo_snapshot_find(snapshot, "key7", &pair) == RCUINFO_SUCCESS &&
           rcuinfo_snapshot_nth(snapshot, 7, &pair) == RCUINFO_SUCCESS;
    /* left open: closing the last reference may give memory back to malloc */
}

static void *read_without_system_calls(void *argument)
{
    struct reader *reader = argument;
    CHECK(reader->read()); /* a thread's first call may register it */
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0);
    for (unsigned long i = 0; i < reader->reads; i++)
        reader->good += (unsigned long)reader->read();
    syscall(SYS_exit, 0); /* the C library's own way out is not open any more */
    return NULL;
}

static void write_on(unsigned writer)
{
    for (unsigned long i = writer; !atomic_load(&finished); i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "key%lu", i % KEYS);
        CHECK_OK(rcuinfo_set(info, key, i % 3 ? "short" : "a value that is longer than the other one"));
        if (i % KEYS == 0) {
            CHECK_OK(rcuinfo_set(info, "comes and goes", "x"));
            rcuinfo_status_t status = rcuinfo_delete(info, "comes and goes");
            /* The other writer may have been faster. */
            CHECK(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_NOKEY);
        }
        atomic_fetch_add_explicit(&writes, 1, memory_order_relaxed);
    }
}

static void read_all(void)
{
    struct reader readers[] = {
        {"get", read_get, READS, 0},
        {"get_valuelen", read_get_valuelen, READS, 0},
        {"get_string", read_get_string, READS, 0},
        {"get_nkeys", read_get_nkeys, READS, 0},
        {"get_nthkey", read_get_nthkey, READS, 0},
        {"version", read_version, READS, 0},
        {"snapshot", read_snapshot, READS / 100, 0}, /* each keeps a version in memory */
    };
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        unsigned long before = atomic_load(&writes);
        unsigned spins = 0;
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, read_without_system_calls, &readers[i]) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECKF(readers[i].good == readers[i].reads, "%s: %lu reads of %lu", readers[i].name, readers[i].good,
               readers[i].reads);
        while (atomic_load(&writes) < before + 100)
            team_relax(&spins);
    }
    atomic_store(&finished, 1);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0)
        read_all();
    else
        write_on(index);
}

int main(void)
{
    CHECK_OK(rcuinfo_create(&info));
    for (unsigned k = 0; k < KEYS; k++) {
        char key[16];
        (void)snprintf(key, sizeof key, "key%u", k);
        CHECK_OK(rcuinfo_set(info, key, "short"));
    }
    team_run(1 + WRITERS, body, NULL);
    CHECK_OK(rcuinfo_free(&info));
    printf("%lu writes meanwhile\n", atomic_load(&writes));
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Without membarrier, which a filter denies. With arguments: executes that program under the filter. Without: the
 * filter comes while threads read and write; they go on, no value is torn, and memory is still reclaimed.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "stress/selfcheck.h"
#include "support/hints.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/threads.h"

enum { READERS = 2, WRITERS = 2, WRITES = SCALED(200000), KEYS = 6 };

static rcuinfo_t info;
static atomic_uint writing = WRITERS;
static atomic_ulong reads, writes;

/* For all threads of the process, from now on and after exec. */
static void deny_membarrier(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
    CHECK(syscall(SYS_membarrier, 0, 0, 0) < 0);
}

static void read_on(void)
{
    char value[SELFCHECK_MAX + 1], key[16];
    for (unsigned long i = 0; atomic_load(&writing) > 0; i++) {
        int64_t hint;
        int flag = 0;
        (void)snprintf(key, sizeof key, "key%lu", i % KEYS);
        CHECK_OK(rcuinfo_get(info, key, sizeof value - 1, value, &flag));
        CHECKF(!flag || selfcheck_whole(value), "torn: \"%s\"", value);
        CHECK_OK(rcuinfo_hint_set_read(hints, 0, &hint));
        atomic_fetch_add_explicit(&reads, 1, memory_order_relaxed);
    }
}

static void write_on(unsigned writer)
{
    char value[SELFCHECK_MAX + 1], key[16];
    for (unsigned long i = 0; i < WRITES; i++) {
        (void)snprintf(key, sizeof key, "key%lu", i % KEYS);
        selfcheck_make(value, writer, i, SELFCHECK_MIN + i % 50);
        CHECK_OK(rcuinfo_set(info, key, value));
        if (i % 64 == 0)
            CHECK_OK(rcuinfo_hint_set_impose(hints, "number", i % 128 ? "1" : "2"));
        atomic_fetch_add_explicit(&writes, 1, memory_order_relaxed);
    }
    atomic_fetch_sub(&writing, 1);
}

static void body(unsigned index, void *unused)
{
    (void)unused;
    if (index == READERS + WRITERS) {
        TEAM_UNTIL(atomic_load(&reads) > 1000 && atomic_load(&writes) > WRITES / 4);
        deny_membarrier();
    } else if (index < READERS) {
        read_on();
    } else {
        write_on(index);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        deny_membarrier();
        execv(argv[1], argv + 1);
        CHECKF(false, "cannot run %s", argv[1]);
    }
    hints_begin();
    info = object_empty();
    team_run(READERS + WRITERS + 1, body, NULL);
    CHECKF(left_stats().peak_retired < (16U << 20) + (4U << 20), "%llu bytes waited",
           (unsigned long long)left_stats().peak_retired);
    object_free(info);

    /* Of the versions of hint sets liburcu cannot tell who reads them, so these stay. */
    rcuinfo_t other = OBJECT("key", "value");
    object_free(other);
    size_t waits = rcuinfo_store_drain();
    CHECKF(waits < 4U << 20, "%zu bytes wait", waits);
    return 0;
}

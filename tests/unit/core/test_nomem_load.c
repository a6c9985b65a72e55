/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation that is made while the library is loaded fails once: the process starts all the same, and what the
 * library could not read then it reads when it is asked. Runs itself again for each of them, with its number in the
 * environment, and with an environment that is larger than the first buffer for it.
 */
#include <sys/wait.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "core/alloc.h"
#include "support/check.h"
#include "support/counts.h"

#define NUMBER "TEST_NOMEM_LOAD_FAIL_AT"
enum { MOST_ALLOCATIONS = 64, MET_NONE = 9, PADDING = 40000 };

/* Before the library's own, which have no priority. */
__attribute__((constructor(101))) static void fail_at_load(void)
{
    const char *number = getenv(NUMBER);
    if (number)
        rcuinfo__alloc_fail_at(atoi(number));
}

static int after_load(void)
{
    char value[RCUINFO_MAX_VALUE] = "";
    int flag = 0;
    rcuinfo__alloc_fail_at(0);
    rcuinfo_t env = rcuinfo_env();
    CHECK(env != RCUINFO_NULL);
    CHECK_OK(rcuinfo_get(env, "maxprocs", RCUINFO_MAX_VALUE - 1, value, &flag));
    CHECKF(flag && strcmp(value, "4321") == 0, "%s", value);
    CHECK_OK(rcuinfo_get(env, "argv", RCUINFO_MAX_VALUE - 1, value, &flag));
    CHECKF(flag && strcmp(value, "an argument") == 0, "%s", value);
    return rcuinfo__alloc_faults() ? 0 : MET_NONE;
}

/* Whether the k-th allocation was met. */
static int load_failing(int k)
{
    char number[16];
    int status = 0;
    (void)snprintf(number, sizeof number, "%d", k);
    CHECK(setenv(NUMBER, number, 1) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)execl("/proc/self/exe", "test_nomem_load", "an argument", (char *)NULL);
        _exit(127);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECKF(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == MET_NONE), "status %#x",
           (unsigned)status);
    return WEXITSTATUS(status) == 0;
}

int main(void)
{
    static char padding[PADDING];
    int k = 1;
    if (getenv(NUMBER))
        return after_load();
    memset(padding, 'p', PADDING - 1);
    CHECK(setenv("PADDING", padding, 1) == 0);
    CHECK(setenv("OMPI_COMM_WORLD_SIZE", "4321", 1) == 0);
    while (k <= MOST_ALLOCATIONS && load_failing(k))
        k++;
    /* The record, the environment in three buffers, the command line, the directory. */
    CHECKF(k - 1 >= 6 && k <= MOST_ALLOCATIONS, "%d allocations", k - 1);
    counts_report("core.nomem_load", "allocation points failed", (unsigned long)k - 1);
    return 0;
}

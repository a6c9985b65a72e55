/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_INFO_ENV and MPI_Info_create_env: which keys, in which order, from which source; that the one is read-only and
 * the objects of the other are ordinary. What becomes of arguments, also bad ones, is in mpi.env_calls, and that
 * nothing follows the process in mpi.env_storm. The build runs this without any launcher's variables.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "support/contents.h"
#include "support/phases.h"
#include "support/describe.h"

/* The value of a key, or NULL; valid until the next call. */
static const char *value_of(MPI_Info info, const char *key)
{
    static char value[MPI_MAX_INFO_VAL];
    int flag = 77;
    CHECK_MPI(MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag), MPI_SUCCESS);
    CHECK(flag == 0 || flag == 1);
    return flag ? value : NULL;
}

/* Whether MPI is initialized, or was. */
static bool is_begun(void)
{
#if TEST_REAL_MPI
    return phase_now != PHASE_BEFORE_INIT;
#else
    return false;
#endif
}

/* Every key is one of the standard's, in their order, once. Behind them MPI_INFO_ENV has what Open MPI knows more. */
static void check_env_order(MPI_Info info, bool more)
{
    char text[DESCRIBE_MAX];
    int nkeys = 0, lines = 0;
    describe(info, text);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    CHECKF(nkeys >= 6 && (nkeys == lines || (more && nkeys > lines)), "%d keys, %d of them the standard's", nkeys,
           lines);
}

/* What is known of a process that no launcher started. */
static void check_describes_this_process(MPI_Info info, bool more)
{
    char host[256] = "", command[VALUE_LIMIT];
    struct utsname system;
    check_env_order(info, more && is_begun());
    snprintf(command, sizeof command, "%s", program_invocation_name);
    check_value(info, "command", command);
    check_value(info, "maxprocs", "1");
    check_value(info, "soft", "1");
    CHECK_EQUAL(gethostname(host, sizeof host - 1), 0);
    check_value(info, "host", host);
    CHECK_EQUAL(uname(&system), 0);
    check_value(info, "arch", system.machine);
    CHECK(value_of(info, "wdir"));
    CHECK_EQUAL(value_of(info, "wdir")[0], '/');
    CHECK(!value_of(info, "thread_level")); /* the environment asks for none, and MPI_Init does not count */
}

/* Trap 5: empty elsewhere. And objects of create_env are the caller's. */
static void env_describes_this_process(void)
{
    MPI_Info first = MPI_INFO_NULL, second = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create_env(0, NULL, &first), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_create_env(0, NULL, &second), MPI_SUCCESS);
    CHECK(first != second && first != MPI_INFO_NULL && first != MPI_INFO_ENV);
    check_describes_this_process(first, false);
    CHECK_MPI(MPI_Info_set(first, "command", "changed"), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_delete(first, "soft"), MPI_SUCCESS);
    check_value(first, "command", "changed");
    check_describes_this_process(second, false);
    check_describes_this_process(MPI_INFO_ENV, true);
    free_info(first);
    free_info(second);
}

/* Trap 10: freeing it aborts elsewhere. */
static void env_is_read_only(void)
{
    MPI_Info env = MPI_INFO_ENV, copy = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_set(env, "command", "x"), MPI_ERR_INFO);
    CHECK_MPI(MPI_Info_set(env, "new", "x"), MPI_ERR_INFO);
    CHECK_MPI(MPI_Info_delete(env, "command"), MPI_ERR_INFO);
    CHECK_MPI(MPI_Info_free(&env), MPI_ERR_INFO);
    CHECK(env == MPI_INFO_ENV);
    check_describes_this_process(env, true);
    CHECK(!value_of(env, "new"));
    CHECK_MPI(MPI_Info_dup(env, &copy), MPI_SUCCESS);
    check_describes_this_process(copy, true);
    CHECK_MPI(MPI_Info_set(copy, "command", "x"), MPI_SUCCESS);
    check_value(copy, "command", "x");
    free_info(copy);
    check_describes_this_process(MPI_INFO_ENV, true);
}

static test_function *const tests[] = {
    env_describes_this_process,
    env_is_read_only,
};

PHASES_MAIN(tests)

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_INFO_ENV and MPI_Info_create_env: which keys, in which order, from which source; that the one is read-only and
 * the objects of the other are ordinary. What becomes of arguments is in mpi.env_arguments, and that nothing follows the
 * process in mpi.env_storm. The build runs this without any launcher's variables.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "support/contents.h"
#include "support/describe.h"

/* The value of a key, or NULL; valid until the next call. */
static const char *value_of(MPI_Info info, const char *key)
{
    static char value[MPI_MAX_INFO_VAL];
    int flag = 77;
    assert_int_equal(MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag), MPI_SUCCESS);
    assert_true(flag == 0 || flag == 1);
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

/* Every key is one of the list, in the order of the list, once. Behind them MPI_INFO_ENV has what Open MPI knows more.
 */
static void assert_env_order(MPI_Info info, bool more)
{
    int nkeys = 0, next = 0;
    assert_int_equal(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    assert_true(nkeys >= 1);
    for (int i = 0; i < nkeys; i++) {
        char key[MPI_MAX_INFO_KEY] = "";
        assert_int_equal(MPI_Info_get_nthkey(info, i, key), MPI_SUCCESS);
        if (more && strncmp(key, "ompi_", 5) == 0) {
            next = DESCRIBE_KEYS;
            continue;
        }
        assert_true(describe_position(key) >= next);
        next = describe_position(key) + 1;
    }
}

/* The first n strings that /proc/self/cmdline holds: the command this process was started with. */
static void own_command(char *command, size_t size)
{
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t length;
    assert_non_null(file);
    length = fread(command, 1, size - 1, file);
    command[length] = '\0';
    fclose(file);
    if (size > VALUE_LIMIT)
        command[VALUE_LIMIT - 1] = '\0';
}

/* What is known of a process that no launcher started. */
static void assert_describes_this_process(MPI_Info info, bool more)
{
    char host[256] = "", command[4096];
    struct utsname system;
    int nkeys = 0;
    assert_env_order(info, more && is_begun());
    own_command(command, sizeof command);
    assert_value(info, "command", command);
    assert_value(info, "maxprocs", "1");
    assert_value(info, "soft", "1");
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    assert_value(info, "host", host);
    assert_int_equal(uname(&system), 0);
    assert_value(info, "arch", system.machine);
    assert_non_null(value_of(info, "wdir"));
    assert_int_equal(value_of(info, "wdir")[0], '/');
    assert_null(value_of(info, "thread_level")); /* the environment asks for none, and MPI_Init does not count */
    assert_int_equal(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    assert_true(nkeys >= 6);
}

/* Trap 5: empty elsewhere. */
static void env_describes_this_process(void **state)
{
    (void)state;
    assert_describes_this_process(MPI_INFO_ENV, true);
}

static void create_env_without_arguments(void **state)
{
    MPI_Info first = MPI_INFO_NULL, second = MPI_INFO_NULL;
    char *argv[] = {NULL};
    (void)state;
    assert_int_equal(MPI_Info_create_env(0, NULL, &first), MPI_SUCCESS);
    assert_int_equal(MPI_Info_create_env(0, argv, &second), MPI_SUCCESS);
    assert_true(first != second && first != MPI_INFO_NULL && first != MPI_INFO_ENV);
    assert_describes_this_process(first, false);
    assert_describes_this_process(second, false);
    /* Ordinary objects of the caller's. */
    assert_int_equal(MPI_Info_set(first, "command", "changed"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_delete(first, "soft"), MPI_SUCCESS);
    assert_value(first, "command", "changed");
    assert_describes_this_process(second, false);
    assert_describes_this_process(MPI_INFO_ENV, true);
    free_info(first);
    free_info(second);
}

/* Trap 10: freeing it aborts elsewhere. */
static void env_is_read_only(void **state)
{
    MPI_Info env = MPI_INFO_ENV, copy = MPI_INFO_NULL;
    (void)state;
    assert_int_equal(MPI_Info_set(env, "command", "x"), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_set(env, "new", "x"), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_delete(env, "command"), MPI_ERR_INFO);
    assert_int_equal(MPI_Info_free(&env), MPI_ERR_INFO);
    assert_true(env == MPI_INFO_ENV);
    assert_describes_this_process(env, true);
    assert_null(value_of(env, "new"));
    assert_int_equal(MPI_Info_dup(env, &copy), MPI_SUCCESS);
    assert_describes_this_process(copy, true);
    assert_int_equal(MPI_Info_set(copy, "command", "x"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_delete(copy, "soft"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(copy, "new", "x"), MPI_SUCCESS);
    assert_value(copy, "command", "x");
    free_info(copy);
    assert_describes_this_process(MPI_INFO_ENV, true);
}

static void create_env_with_bad_arguments(void **state)
{
    char command[] = "cmd", *argv[] = {command, NULL, command};
    MPI_Info info = flavour_handle(0x1234560), untouched = info;
    (void)state;
    assert_int_equal(MPI_Info_create_env(-1, argv, &info), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_create_env(-1, NULL, &info), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_create_env(INT_MIN, argv, &info), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_create_env(1, NULL, &info), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_create_env(INT_MAX, NULL, &info), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_create_env(3, argv, &info), MPI_ERR_ARG);
    assert_true(info == untouched || info == MPI_INFO_NULL);
    assert_int_equal(MPI_Info_create_env(1, argv, NULL), MPI_ERR_ARG);
    assert_int_equal(MPI_Info_create_env(0, NULL, NULL), MPI_ERR_ARG);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(env_describes_this_process), cmocka_unit_test(create_env_without_arguments),
    cmocka_unit_test(env_is_read_only),           cmocka_unit_test(create_env_with_bad_arguments),
};

PHASES_MAIN(tests)

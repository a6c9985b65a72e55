/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_INFO_ENV and MPI_Info_create_env: which keys, in which order, from which source, cut where; that the one is
 * read-only and the objects of the other are ordinary. The build runs this without any launcher's variables.
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

/* An argument vector on the heap with nothing behind its last element. */
static MPI_Info make_env(int argc, const char *const *arguments)
{
    MPI_Info info = MPI_INFO_NULL;
    char **argv = malloc((size_t)argc * sizeof *argv);
    assert_non_null(argv);
    for (int i = 0; i < argc; i++)
        argv[i] = strdup(arguments[i]);
    assert_int_equal(MPI_Info_create_env(argc, argv, &info), MPI_SUCCESS);
    for (int i = 0; i < argc; i++) {
        assert_string_equal(argv[i], arguments[i]);
        memset(argv[i], '?', strlen(argv[i])); /* nothing is kept of them */
        free(argv[i]);
    }
    free(argv);
    assert_env_order(info, false);
    return info;
}

static void create_env_trusts_argc(void **state)
{
    static const char *const arguments[] = {"./solver", "-n", "12", "input file"};
    MPI_Info info = make_env(4, arguments);
    (void)state;
    assert_value(info, "command", "./solver");
    assert_value(info, "argv", "-n 12 input file");
    assert_value(info, "maxprocs", "1");
    free_info(info);
    info = make_env(2, arguments);
    assert_value(info, "command", "./solver");
    assert_value(info, "argv", "-n");
    free_info(info);
    info = make_env(1, arguments);
    assert_value(info, "command", "./solver");
    /* Whether no arguments are shown as "" or not at all is open; those of this process they are not. */
    assert_true(value_of(info, "argv") == NULL || value_of(info, "argv")[0] == '\0');
    free_info(info);
}

static void create_env_with_empty_strings(void **state)
{
    static const char *const arguments[] = {"cmd", "", "x", ""};
    static const char *const nothing[] = {"", ""};
    MPI_Info info = make_env(4, arguments);
    (void)state;
    assert_value(info, "command", "cmd");
    assert_value(info, "argv", " x ");
    free_info(info);
    info = make_env(2, nothing);
    assert_true(value_of(info, "command") == NULL || value_of(info, "command")[0] == '\0');
    assert_true(value_of(info, "argv") == NULL || value_of(info, "argv")[0] == '\0');
    assert_value(info, "maxprocs", "1");
    free_info(info);
}

/* What is too long for the limit is cut at the limit, wherever in the list the limit falls. */
static void create_env_cuts_at_the_limit(void **state)
{
    const size_t sizes[] = {VALUE_LIMIT - 3, VALUE_LIMIT - 2, VALUE_LIMIT - 1, VALUE_LIMIT, VALUE_LIMIT + 1, 5000,
                            1 << 20};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *command = make_text(sizes[i], 'c', 'C'), *first = make_text(sizes[i], 'a', 'A');
        const char *const arguments[] = {command, first, "b", "", "d"};
        char *joined = test_malloc(sizes[i] + 16);
        MPI_Info info = make_env(5, arguments);
        snprintf(joined, sizes[i] + 16, "%s b  d", first);
        if (strlen(joined) > VALUE_LIMIT - 1)
            joined[VALUE_LIMIT - 1] = '\0';
        if (sizes[i] > VALUE_LIMIT - 1)
            command[VALUE_LIMIT - 1] = '\0';
        assert_value(info, "command", command);
        assert_value(info, "argv", joined);
        free_info(info);
        test_free(command);
        test_free(first);
        test_free(joined);
    }
}

static void create_env_with_many_arguments(void **state)
{
    enum { MANY = 20000 };
    const char **arguments = test_calloc(MANY, sizeof *arguments);
    char joined[MPI_MAX_INFO_VAL];
    MPI_Info info;
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        arguments[i] = "ab";
    for (size_t i = 0; i < VALUE_LIMIT - 1; i++)
        joined[i] = "ab "[i % 3];
    joined[VALUE_LIMIT - 1] = '\0';
    info = make_env(MANY, arguments);
    assert_value(info, "command", "ab");
    assert_value(info, "argv", joined);
    free_info(info);
    test_free(arguments);
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

/* What was captured once does not follow the environment and the directory of the process. */
static void env_is_captured_once(void **state)
{
    MPI_Info before = MPI_INFO_NULL, after = MPI_INFO_NULL;
    char wdir[MPI_MAX_INFO_VAL], here[4096];
    (void)state;
    assert_int_equal(MPI_Info_create_env(0, NULL, &before), MPI_SUCCESS);
    strcpy(wdir, value_of(before, "wdir"));
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(setenv("SLURM_NTASKS", "17", 1), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(MPI_Info_create_env(0, NULL, &after), MPI_SUCCESS);
    assert_value(after, "maxprocs", "1");
    assert_value(after, "wdir", wdir);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(unsetenv("SLURM_NTASKS"), 0);
    free_info(before);
    free_info(after);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(env_describes_this_process),
    cmocka_unit_test(create_env_without_arguments),
    cmocka_unit_test(env_is_read_only),
    cmocka_unit_test(create_env_trusts_argc),
    cmocka_unit_test(create_env_with_empty_strings),
    cmocka_unit_test(create_env_cuts_at_the_limit),
    cmocka_unit_test(create_env_with_many_arguments),
    cmocka_unit_test(create_env_with_bad_arguments),
    cmocka_unit_test(env_is_captured_once),
};

PHASES_MAIN(tests)

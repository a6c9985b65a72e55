/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * create_env: reads no byte beyond its arguments (fuzz.env has arbitrary ones), takes those of the process for argc 0,
 * and keeps errno on success and on every error. Which objects can be changed. The first test makes the first call of
 * the process; core.start tests a first call before the library is loaded completely.
 */
#include <errno.h>
#include <limits.h>

#include "support/contents.h"
#include "support/describe.h"
#include "support/guard.h"
#include "support/phases.h"

static char command[] = "command", argument[] = "an argument";
static char *arguments_of_two[] = {command, argument, NULL};

/* Checks that the call returns `code` and keeps errno. */
#define CHECK_KEEPS_ERRNO(call, code)                                                                                  \
    do {                                                                                                               \
        errno = 1234;                                                                                                  \
        int keeps_code = (int)(call);                                                                                  \
        CHECK_EQUAL(errno, 1234);                                                                                      \
        CHECK_EQUAL(keeps_code, code);                                                                                 \
    } while (0)

TEST(errno_is_kept)
{
    MPI_Info info = MPI_INFO_NULL;
    int nkeys = 0;
    for (int argc = 0; argc <= 2; argc++) {
        CHECK_KEEPS_ERRNO(MPI_Info_create_env(argc, arguments_of_two, &info), MPI_SUCCESS);
        free_info(info);
        CHECK_KEEPS_ERRNO(MPI_Info_get_nkeys(MPI_INFO_ENV, &nkeys), MPI_SUCCESS);
        CHECK(nkeys > 0);
    }
    MPI_Info untouched = info = flavour_handle(0x1234560);
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(-1, arguments_of_two, &info), MPI_ERR_ARG);
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(INT_MIN, NULL, &info), MPI_ERR_ARG);
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(1, NULL, &info), MPI_ERR_ARG);
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(INT_MAX, NULL, &info), MPI_ERR_ARG);
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(3, arguments_of_two, &info), MPI_ERR_ARG);
    CHECK(info == untouched);
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(2, arguments_of_two, NULL), MPI_ERR_ARG);
    CHECK_KEEPS_ERRNO(MPI_Info_create_env(0, NULL, NULL), MPI_ERR_ARG);
}

/* Checks the pairs of an object made from arguments, each of which, like the list, ends where inaccessible memory
 * begins, and which are freed before the pairs are read. */
static void check_arguments(int argc, const char *const *arguments, const char *command_value, const char *argv_value)
{
    char **argv = (char **)(void *)guard_page_copy(NULL, (size_t)argc * sizeof *argv);
    MPI_Info info = MPI_INFO_NULL;
    for (int i = 0; i < argc; i++)
        argv[i] = guard_page_copy(arguments[i], strlen(arguments[i]) + 1);
    CHECK_MPI(MPI_Info_create_env(argc, argv, &info), MPI_SUCCESS);
    for (int i = 0; i < argc; i++) {
        CHECK_TEXT(argv[i], arguments[i]);
        guard_page_free(argv[i], strlen(argv[i]) + 1);
    }
    guard_page_free((char *)argv, (size_t)argc * sizeof *argv);
    check_value(info, "maxprocs", "1");
    check_value(info, "command", command_value);
    check_value(info, "argv", argv_value);
    free_info(info);
}

TEST(arguments_end_where_memory_ends)
{
    enum { MANY = 1000 };
    char *text = make_text(VALUE_LIMIT, 't', 'T'), *cut = make_text(VALUE_LIMIT - 1, 't', 't');
    const char *const few[] = {"./solver", "-n", "", "two words", ""}, *const long_ones[] = {text, text, "b"};
    const char *arguments[MANY];
    MPI_Info info = MPI_INFO_NULL;
    check_arguments(5, few, "./solver", "-n  two words ");
    check_arguments(3, long_ones, cut, cut);
    for (int i = 0; i < MANY; i++)
        arguments[i] = "t";
    arguments[1] = cut;
    check_arguments(MANY, arguments, arguments[0], cut);
    /* A NULL argument is an error even far beyond the limit of the value. */
    arguments[MANY - 1] = NULL;
    CHECK_MPI(MPI_Info_create_env(MANY, (char **)(size_t)arguments, &info), MPI_ERR_ARG);
    free(text);
    free(cut);
}

/* With argc 0 create_env ignores argv and uses the arguments of the process. */
TEST(no_arguments)
{
    static char own[DESCRIBE_MAX], text[DESCRIBE_MAX];
    char *at_the_end = guard_page_copy(NULL, 0), *none = NULL;
    char **const lists[] = {&none, arguments_of_two, (char **)(void *)at_the_end};
    describe_new(0, NULL, own);
    CHECK(!strstr(own, argument));
    for (size_t i = 0; i < 3; i++) {
        describe_new(0, lists[i], text);
        CHECK_TEXT(text, own);
    }
    describe(MPI_INFO_ENV, text);
    CHECK_TEXT(text, own);
    guard_page_free(at_the_end, 0);
}

/* Objects of create_env have only keys of the standard, and the caller can change them, like a dup of MPI_INFO_ENV.
 * MPI_INFO_ENV itself is read-only. (Trap 10: freeing it aborts the program on some MPI libraries.) */
TEST(only_mpi_info_env_is_read_only)
{
    char before[DESCRIBE_MAX], text[DESCRIBE_MAX];
    MPI_Info env = MPI_INFO_ENV, objects[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    int keys = 0, keys_before = 0, lines = 0;
    describe(env, before);
    CHECK_MPI(MPI_Info_get_nkeys(env, &keys_before), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_create_env(0, NULL, &objects[0]), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_get_nkeys(objects[0], &keys), MPI_SUCCESS);
    for (const char *at = before; (at = strchr(at, '\n')); at++)
        lines++;
    CHECK_EQUAL(keys, lines);
    CHECK_MPI(MPI_Info_dup(env, &objects[1]), MPI_SUCCESS);
    CHECK(objects[0] != objects[1]);
    for (int i = 0; i < 2; i++) {
        CHECK_MPI(MPI_Info_set(objects[i], "command", "changed"), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_delete(objects[i], "maxprocs"), MPI_SUCCESS);
        check_value(objects[i], "command", "changed");
        free_info(objects[i]);
    }
    CHECK_MPI(MPI_Info_set(env, "command", "x"), MPI_ERR_INFO);
    CHECK_MPI(MPI_Info_set(env, "new", "x"), MPI_ERR_INFO);
    CHECK_MPI(MPI_Info_delete(env, "command"), MPI_ERR_INFO);
    CHECK_MPI(MPI_Info_free(&env), MPI_ERR_INFO);
    CHECK(env == MPI_INFO_ENV);
    CHECK_MPI(MPI_Info_get_nkeys(env, &keys), MPI_SUCCESS);
    CHECK_EQUAL(keys, keys_before);
    describe(env, text);
    CHECK_TEXT(text, before);
    describe_new(0, NULL, text);
    CHECK_TEXT(text, before);
}

PHASES_MAIN

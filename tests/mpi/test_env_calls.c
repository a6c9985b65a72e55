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

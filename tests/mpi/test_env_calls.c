/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * create_env reads no byte beyond its arguments: argv and its strings end where the mapped memory ends. Many and long
 * arguments (fuzz.env tests arbitrary bytes), argc 0, and which objects can be changed. create_env and reads of
 * MPI_INFO_ENV keep errno, on success and on every error (mpi.nomem tests out of memory), and are not cancellation
 * points. The first test makes the first call of the process; core.start tests a first call before the library is
 * loaded completely. mpi.env_places checks what the pairs say of the process, and mpi.env_storm that repeated calls
 * return the same pairs.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>

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

static void errno_is_kept(void)
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

/* Not inlined: when a cancel ends a frame, AddressSanitizer does not remove the redzones of the frame. */
__attribute__((noinline)) static void call_all(void)
{
    char text[DESCRIBE_MAX];
    describe_new(0, NULL, text);
    describe_new(2, arguments_of_two, text);
    CHECK_MPI(MPI_Info_create_env(-1, NULL, NULL), MPI_ERR_ARG);
    describe(MPI_INFO_ENV, text);
}

/* A thread that cancels itself before its first calls. The cancel acts at pthread_testcancel, not earlier. */
static void *call_cancelled(void *called)
{
    CHECK(pthread_cancel(pthread_self()) == 0);
    call_all();
    *(bool *)called = true;
    pthread_testcancel();
    *(bool *)called = false;
    return NULL;
}

static void pending_cancel_does_not_act(void)
{
    pthread_t thread;
    void *result = NULL;
    bool called = false;
    CHECK_EQUAL(pthread_create(&thread, NULL, call_cancelled, &called), 0);
    CHECK_EQUAL(pthread_join(thread, &result), 0);
    CHECK(called);
    CHECK(result == PTHREAD_CANCELED);
}

/* Copies an argument list. Each string, and the list itself, ends where inaccessible memory begins. */
static char **make_guarded(int argc, const char *const *arguments)
{
    char **argv = (char **)(void *)guard_page_copy(NULL, (size_t)argc * sizeof *argv);
    for (int i = 0; i < argc; i++)
        argv[i] = guard_page_copy(arguments[i], strlen(arguments[i]) + 1);
    return argv;
}

static void free_guarded(int argc, char **argv, const char *const *arguments)
{
    for (int i = 0; i < argc; i++) {
        CHECK_TEXT(argv[i], arguments[i]);
        guard_page_free(argv[i], strlen(argv[i]) + 1);
    }
    guard_page_free((char *)argv, (size_t)argc * sizeof *argv);
}

/* The expected value of "argv": the arguments after the first, joined by blanks and cut at the limit. */
static char *join(int argc, const char *const *arguments)
{
    char *joined = calloc(VALUE_LIMIT, 1);
    size_t used = 0;
    for (int i = 1; i < argc && used < VALUE_LIMIT - 1; i++)
        used += (size_t)snprintf(joined + used, VALUE_LIMIT - used, i > 1 ? " %s" : "%s", arguments[i]);
    return joined;
}

/* Checks the pairs of an object made from guarded arguments, after the arguments are freed. */
static void check_arguments(int argc, const char *const *arguments)
{
    char **argv = make_guarded(argc, arguments), *joined = join(argc, arguments), value[MPI_MAX_INFO_VAL] = "";
    char *first = join(2, (const char *const[]){"", arguments[0]});
    MPI_Info info = MPI_INFO_NULL;
    int flag = 0;
    CHECK_MPI(MPI_Info_create_env(argc, argv, &info), MPI_SUCCESS);
    free_guarded(argc, argv, arguments);
    check_value(info, "maxprocs", "1");
    /* An empty command or argument list may be "" or absent. It is never replaced by that of the process. */
    CHECK_MPI(MPI_Info_get(info, "command", MPI_MAX_INFO_VAL - 1, value, &flag), MPI_SUCCESS);
    CHECK_TEXT(value, first);
    value[0] = '\0';
    CHECK_MPI(MPI_Info_get(info, "argv", MPI_MAX_INFO_VAL - 1, value, &flag), MPI_SUCCESS);
    CHECK_TEXT(value, joined);
    free_info(info);
    free(joined);
    free(first);
}

static void arguments_end_where_memory_ends(void)
{
    static const char *const arguments[] = {"./solver", "-n", "", "two words", "x", "", ""};
    for (int argc = 1; argc <= 7; argc++)
        check_arguments(argc, arguments);
    check_arguments(1, arguments + 5);
    check_arguments(2, arguments + 5);
}

/* Commands and joined arguments of every length near the limit, made of one argument or of several, some cut right
 * after a blank; and one far longer. */
static void values_about_the_limit(void)
{
    for (size_t size = VALUE_LIMIT - 9; size <= VALUE_LIMIT + 3; size++) {
        char *text = make_text(size > VALUE_LIMIT + 2 ? 1 << 20 : size, 't', 'T');
        const char *const arguments[] = {text, text, "", "b", "cd"};
        for (int argc = 1; argc <= 5; argc++)
            check_arguments(argc, arguments);
        free(text);
    }
}

static void many_arguments(void)
{
    enum { MANY = 1000 };
    static const char *const texts[] = {"", "a", "two words", "abcdefg", "h"};
    const char *arguments[MANY];
    for (int i = 0; i < MANY; i++)
        arguments[i] = texts[i % 5];
    check_arguments(MANY, arguments);
    /* A NULL argument is an error even far beyond the limit of the value. */
    MPI_Info info = MPI_INFO_NULL;
    arguments[MANY - 1] = NULL;
    CHECK_MPI(MPI_Info_create_env(MANY, (char **)(size_t)arguments, &info), MPI_ERR_ARG);
}

/* With argc 0 create_env ignores argv and uses the arguments of the process. */
static void no_arguments(void)
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
static void only_mpi_info_env_is_read_only(void)
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

static test_function *const tests[] = {
    errno_is_kept,
    pending_cancel_does_not_act,
    arguments_end_where_memory_ends,
    values_about_the_limit,
    many_arguments,
    no_arguments,
    only_mpi_info_env_is_read_only,
};

PHASES_MAIN(tests)

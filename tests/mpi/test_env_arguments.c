/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What create_env reads of the arguments that it is given, and no byte more: argv and its strings end where the mapped
 * memory ends. What it makes of any bytes, of very many and very long arguments, and of argc 0; and that the same
 * arguments always give the same. Bad arguments are in mpi.semantics_env.
 */
#include "support/contents.h"
#include "support/describe.h"
#include "support/guard.h"
#include "support/phases.h"

/* A copy of an argument list, each string and the list itself right before memory that is not mapped. */
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

/* What the arguments should be joined to. */
static char *join(int argc, const char *const *arguments)
{
    char *joined = calloc(VALUE_LIMIT, 1);
    size_t used = 0;
    for (int i = 1; i < argc && used < VALUE_LIMIT - 1; i++)
        used += (size_t)snprintf(joined + used, VALUE_LIMIT - used, i > 1 ? " %s" : "%s", arguments[i]);
    return joined;
}

/* An object of these arguments, guarded, says them, cut at the limit, also when they are gone. */
static void check_arguments(int argc, const char *const *arguments)
{
    char **argv = make_guarded(argc, arguments), *joined = join(argc, arguments), value[MPI_MAX_INFO_VAL] = "";
    char *first = join(2, (const char *const[]){"", arguments[0]});
    MPI_Info info = MPI_INFO_NULL;
    int flag = 0;
    CHECK_MPI(MPI_Info_create_env(argc, argv, &info), MPI_SUCCESS);
    free_guarded(argc, argv, arguments);
    check_value(info, "maxprocs", "1");
    /* Whether what is empty is shown as "" or not at all is open; those of this process they are not. */
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

/* The command and the joined arguments are one byte short of the limit, as long as it, and longer, by one argument or
 * by several, and with a blank as the last byte. */
static void values_about_the_limit(void)
{
    for (size_t size = VALUE_LIMIT - 9; size <= VALUE_LIMIT + 2; size++) {
        char *text = make_text(size, 't', 'T');
        const char *const arguments[] = {text, text, "", "b", "cd"};
        for (int argc = 1; argc <= 5; argc++)
            check_arguments(argc, arguments);
        free(text);
    }
}

static void long_arguments(void)
{
    enum { LONG = 1 << 20 };
    char *text = make_text(LONG, 'l', 'L');
    const char *const arguments[] = {text, "first", text, "last", text};
    check_arguments(5, arguments);
    check_arguments(4, arguments + 1);
    check_arguments(3, arguments + 2);
    free(text);
}

static void many_arguments(void)
{
    enum { MANY = 10000 };
    const char **arguments = calloc(MANY, sizeof *arguments);
    char **argv = (char **)(void *)guard_page_copy(NULL, MANY * sizeof *argv), *joined;
    MPI_Info info = MPI_INFO_NULL;
    char texts[10][8];
    for (size_t i = 0; i < MANY; i++) {
        snprintf(texts[i % 10], sizeof *texts, "%.*s", (int)(i % 7), "abcdefg");
        arguments[i] = argv[i] = texts[i % 10];
    }
    joined = join(MANY, arguments);
    CHECK_MPI(MPI_Info_create_env(MANY, argv, &info), MPI_SUCCESS);
    check_value(info, "command", argv[0]);
    check_value(info, "argv", joined);
    free_info(info);
    guard_page_free((char *)argv, MANY * sizeof *argv);
    /* Far behind what is shown: every argument counts as one. */
    arguments[MANY - 1] = NULL;
    CHECK_MPI(MPI_Info_create_env(MANY, (char **)(size_t)arguments, &info), MPI_ERR_ARG);
    free(joined);
    free(arguments);
}

static void any_bytes(void)
{
    char bytes[256], high[129];
    const char *const arguments[] = {bytes, high, "", " ", "\t\n", bytes, high};
    for (int i = 0; i < 255; i++)
        bytes[i] = (char)(i + 1);
    memset(high, 0xff, 128);
    bytes[255] = high[128] = '\0';
    for (int argc = 1; argc <= 7; argc++)
        check_arguments(argc, arguments);
    check_arguments(5, arguments + 1);
}

/* With argc 0 the arguments are those of the process, whatever argv is. */
static void no_arguments(void)
{
    static char own[DESCRIBE_MAX], text[DESCRIBE_MAX];
    char command[] = "not looked at";
    char *with_strings[] = {command, command, NULL}, *with_null[] = {NULL};
    char **at_the_end = (char **)(void *)guard_page_copy(NULL, 0);
    describe_new(0, NULL, own);
    describe_new(0, with_null, text);
    CHECK_TEXT(text, own);
    describe_new(0, with_strings, text);
    CHECK_TEXT(text, own);
    describe_new(0, at_the_end, text);
    CHECK_TEXT(text, own);
    describe(MPI_INFO_ENV, text);
    CHECK_TEXT(text, own);
    CHECK(!strstr(own, command));
    guard_page_free((char *)at_the_end, 0);
}

static void equal_arguments_give_equal_results(void)
{
    static char first[DESCRIBE_MAX], text[DESCRIBE_MAX];
    const char *const arguments[] = {"./solver", "-n", "12", ""};
    for (int argc = 1; argc <= 4; argc++) {
        describe_new(argc, (char **)(size_t)arguments, first);
        for (int i = 0; i < 3; i++) {
            char **argv = make_guarded(argc, arguments);
            describe_new(argc, argv, text);
            CHECK_TEXT(text, first);
            free_guarded(argc, argv, arguments);
        }
    }
}

static test_function *const tests[] = {
    arguments_end_where_memory_ends,    values_about_the_limit, long_arguments, many_arguments, any_bytes, no_arguments,
    equal_arguments_give_equal_results,
};

PHASES_MAIN(tests)

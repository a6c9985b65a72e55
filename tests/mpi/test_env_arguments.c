/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What create_env reads of the arguments that it is given, and no byte more: argv and its strings end where the mapped
 * memory ends. What it makes of any bytes, of very many and very long arguments, and of argc 0; and that the same
 * arguments always give the same. Bad arguments are in mpi.semantics_env.
 */
#include "support/contents.h"
#include "support/describe.h"
#include "support/guard.h"

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
        assert_string_equal(argv[i], arguments[i]);
        guard_page_free(argv[i], strlen(argv[i]) + 1);
    }
    guard_page_free((char *)argv, (size_t)argc * sizeof *argv);
}

/* What the arguments should be joined to. */
static char *join(int argc, const char *const *arguments)
{
    char *joined = test_calloc(VALUE_LIMIT, 1);
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
    assert_int_equal(MPI_Info_create_env(argc, argv, &info), MPI_SUCCESS);
    free_guarded(argc, argv, arguments);
    assert_value(info, "maxprocs", "1");
    /* Whether what is empty is shown as "" or not at all is open; those of this process they are not. */
    assert_int_equal(MPI_Info_get(info, "command", MPI_MAX_INFO_VAL - 1, value, &flag), MPI_SUCCESS);
    assert_string_equal(value, first);
    value[0] = '\0';
    assert_int_equal(MPI_Info_get(info, "argv", MPI_MAX_INFO_VAL - 1, value, &flag), MPI_SUCCESS);
    assert_string_equal(value, joined);
    free_info(info);
    test_free(joined);
    test_free(first);
}

static void arguments_end_where_memory_ends(void **state)
{
    static const char *const arguments[] = {"./solver", "-n", "", "two words", "x", "", ""};
    (void)state;
    for (int argc = 1; argc <= 7; argc++)
        check_arguments(argc, arguments);
    check_arguments(1, arguments + 5);
    check_arguments(2, arguments + 5);
}

/* The command and the joined arguments are one byte short of the limit, as long as it, and longer, by one argument or
 * by several, and with a blank as the last byte. */
static void values_about_the_limit(void **state)
{
    (void)state;
    for (size_t size = VALUE_LIMIT - 9; size <= VALUE_LIMIT + 2; size++) {
        char *text = make_text(size, 't', 'T');
        const char *const arguments[] = {text, text, "", "b", "cd"};
        for (int argc = 1; argc <= 5; argc++)
            check_arguments(argc, arguments);
        test_free(text);
    }
}

static void long_arguments(void **state)
{
    enum { LONG = 1 << 20 };
    char *text = make_text(LONG, 'l', 'L');
    const char *const arguments[] = {text, "first", text, "last", text};
    (void)state;
    check_arguments(5, arguments);
    check_arguments(4, arguments + 1);
    check_arguments(3, arguments + 2);
    test_free(text);
}

static void many_arguments(void **state)
{
    enum { MANY = 10000 };
    const char **arguments = test_calloc(MANY, sizeof *arguments);
    char **argv = (char **)(void *)guard_page_copy(NULL, MANY * sizeof *argv), *joined;
    MPI_Info info = MPI_INFO_NULL;
    char texts[10][8];
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        snprintf(texts[i % 10], sizeof *texts, "%.*s", (int)(i % 7), "abcdefg");
        arguments[i] = argv[i] = texts[i % 10];
    }
    joined = join(MANY, arguments);
    assert_int_equal(MPI_Info_create_env(MANY, argv, &info), MPI_SUCCESS);
    assert_value(info, "command", argv[0]);
    assert_value(info, "argv", joined);
    free_info(info);
    guard_page_free((char *)argv, MANY * sizeof *argv);
    /* Far behind what is shown: every argument counts as one. */
    arguments[MANY - 1] = NULL;
    assert_int_equal(MPI_Info_create_env(MANY, (char **)(size_t)arguments, &info), MPI_ERR_ARG);
    test_free(joined);
    test_free(arguments);
}

static void any_bytes(void **state)
{
    char bytes[256], high[129];
    const char *const arguments[] = {bytes, high, "", " ", "\t\n", bytes, high};
    (void)state;
    for (int i = 0; i < 255; i++)
        bytes[i] = (char)(i + 1);
    memset(high, 0xff, 128);
    bytes[255] = high[128] = '\0';
    for (int argc = 1; argc <= 7; argc++)
        check_arguments(argc, arguments);
    check_arguments(5, arguments + 1);
}

/* With argc 0 the arguments are those of the process, whatever argv is. */
static void no_arguments(void **state)
{
    static char own[DESCRIBE_MAX], text[DESCRIBE_MAX];
    char command[] = "not looked at";
    char *with_strings[] = {command, command, NULL}, *with_null[] = {NULL};
    char **at_the_end = (char **)(void *)guard_page_copy(NULL, 0);
    (void)state;
    describe_new(0, NULL, own);
    describe_new(0, with_null, text);
    assert_string_equal(text, own);
    describe_new(0, with_strings, text);
    assert_string_equal(text, own);
    describe_new(0, at_the_end, text);
    assert_string_equal(text, own);
    describe(MPI_INFO_ENV, text);
    assert_string_equal(text, own);
    assert_null(strstr(own, command));
    guard_page_free((char *)at_the_end, 0);
}

static void equal_arguments_give_equal_results(void **state)
{
    static char first[DESCRIBE_MAX], text[DESCRIBE_MAX];
    const char *const arguments[] = {"./solver", "-n", "12", ""};
    (void)state;
    for (int argc = 1; argc <= 4; argc++) {
        describe_new(argc, (char **)(size_t)arguments, first);
        for (int i = 0; i < 3; i++) {
            char **argv = make_guarded(argc, arguments);
            describe_new(argc, argv, text);
            assert_string_equal(text, first);
            free_guarded(argc, argv, arguments);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(arguments_end_where_memory_ends),
    cmocka_unit_test(values_about_the_limit),
    cmocka_unit_test(long_arguments),
    cmocka_unit_test(many_arguments),
    cmocka_unit_test(any_bytes),
    cmocka_unit_test(no_arguments),
    cmocka_unit_test(equal_arguments_give_equal_results),
};

PHASES_MAIN(tests)

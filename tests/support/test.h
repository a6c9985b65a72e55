/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test: TEST(name) { ... } defines a test; TEST_MAIN is a main function that runs those of its file, in their order.
 * TEST_OF(name, "a b") defines one that is left out unless test_group is "a" or "b".
 */
#pragma once

#include <stddef.h>
#include <string.h>

/* Each test at its line: constructors may run in any order. */
enum { TEST_LINES = 1000 };
static struct {
    void (*run)(void);
    const char *groups; /* NULL: always runs */
} test_at[TEST_LINES];

static const char *test_group = ""; /* "": all tests run */

#define TEST(name) TEST_OF(name, NULL)
#define TEST_OF(name, its_groups)                                                                                      \
    static void name(void);                                                                                            \
    __attribute__((constructor)) static void test_add_##name(void)                                                     \
    {                                                                                                                  \
        test_at[__LINE__].run = name;                                                                                  \
        test_at[__LINE__].groups = its_groups;                                                                         \
    }                                                                                                                  \
    static void name(void)

/* For main functions that do more. Calls before_each, unless it is NULL, before each test. Returns the number of tests.
 */
static inline int test_run(void (*before_each)(void))
{
    int tests = 0;
    for (size_t line = 0; line < TEST_LINES; line++) {
        const char *groups = test_at[line].groups;
        if (!test_at[line].run || (groups && !strstr(groups, test_group)))
            continue;
        if (before_each)
            before_each();
        test_at[line].run();
        tests++;
    }
    return tests;
}

/* The arguments are statements for after the tests. */
#define TEST_MAIN(...)                                                                                                 \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        test_run(NULL);                                                                                                \
        __VA_ARGS__;                                                                                                   \
        return 0;                                                                                                      \
    }

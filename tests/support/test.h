/* SPDX-License-Identifier: BSD-3-Clause */
/* test: TEST(name) { ... } defines a test; TEST_MAIN is a main function that runs those of its file, in their order. */
#pragma once

#include <stddef.h>

/* Each test at its line: constructors may run in any order. */
enum { TEST_LINES = 1000 };
static void (*test_at[TEST_LINES])(void);

#define TEST(name)                                                                                                     \
    static void name(void);                                                                                            \
    __attribute__((constructor)) static void test_add_##name(void)                                                     \
    {                                                                                                                  \
        test_at[__LINE__] = name;                                                                                      \
    }                                                                                                                  \
    static void name(void)

/* For main functions that do more. Calls before_each, unless it is NULL, before each test. */
static inline void test_run(void (*before_each)(void))
{
    for (size_t line = 0; line < TEST_LINES; line++) {
        if (test_at[line] && before_each)
            before_each();
        if (test_at[line])
            test_at[line]();
    }
}

/* The arguments are statements for after the tests. */
#define TEST_MAIN(...)                                                                                                 \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        test_run(NULL);                                                                                                \
        __VA_ARGS__;                                                                                                   \
        return 0;                                                                                                      \
    }

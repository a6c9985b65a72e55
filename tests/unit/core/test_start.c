/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is captured at load: the environment, however long, the command line and the directory, also where an allocation
 * fails while the library is loaded: the next one who asks then captures them. White box: makes the allocation fail.
 *
 * usage: test_start K ROOM        the K-th allocation fails (0: none), and the environment has ROOM bytes more
 *        test_start gone          in a directory that does not exist any more
 */
#include <stdbool.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "core/alloc.h"
#include "env/start.h"
#include "support/check.h"

extern char **environ;

static char variable[200000] = "TEST_START_ROOM=";

/* Before the library's own constructors, which have no priority. */
__attribute__((constructor(101))) static void fail_at_load(int argc, char **argv)
{
    if (argc == 3 && getenv("TEST_START_AGAIN"))
        rcuinfo__alloc_fail_at(atoi(argv[1]));
}

/* Whether the list is the strings of `text`, one behind the other. */
static void same(char *const *list, const char *text, size_t bytes)
{
    const char *at = text;
    for (; *list; list++) {
        size_t length = strlen(*list) + 1;
        CHECKF(at + length <= text + bytes && memcmp(at, *list, length) == 0, "\"%.40s\" is missing", *list);
        at += length;
    }
    CHECK(at == text + bytes);
}

static void look(char **argv, bool directory)
{
    const struct rcuinfo__start *start = rcuinfo__start();
    char here[4096];
    CHECK(start && start == rcuinfo__start());
    same(environ, start->environment, start->environment_bytes);
    same(argv, start->arguments, start->arguments_bytes);
    if (directory)
        CHECK(getcwd(here, sizeof here) && strcmp(here, start->directory) == 0);
    else
        CHECK(!start->directory);
    CHECK(rcuinfo__start_variable("TEST_START_AGAI") == NULL); /* but the beginning of a name */
    CHECK(strcmp(rcuinfo__start_variable("TEST_START_AGAIN"), "yes") == 0);
}

static void start_again(char **argv)
{
    CHECK(setenv("TEST_START_AGAIN", "yes", 1) == 0);
    execv("/proc/self/exe", argv);
    CHECKF(false, "cannot start again");
}

static void gone(char **argv)
{
    char directory[] = "/tmp/rcuinfo-test-XXXXXX";
    rcuinfo_t info;
    if (!getenv("TEST_START_AGAIN")) {
        CHECK(mkdtemp(directory) && chdir(directory) == 0 && rmdir(directory) == 0);
        start_again(argv);
    }
    look(argv, false);
    CHECK_OK(rcuinfo_create_env(0, NULL, &info));
    CHECK_OK(rcuinfo_free(&info));
}

int main(int argc, char **argv)
{
    CHECK(argc >= 2);
    if (strcmp(argv[1], "gone") == 0) {
        gone(argv);
        return 0;
    }
    CHECK(argc == 3);
    if (!getenv("TEST_START_AGAIN")) {
        memset(variable + strlen(variable), 'x', (size_t)atoi(argv[2]));
        /* execve takes up to 128 KiB a string */
        CHECK(strlen(variable) < sizeof variable && putenv(variable) == 0);
        start_again(argv);
    }
    CHECK(rcuinfo__alloc_faults() == (atoi(argv[1]) > 0));
    look(argv, true);
    return 0;
}

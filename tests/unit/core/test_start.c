/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is captured at load: the environment, however long, the command line and the directory, also where an allocation
 * fails while the library is loaded: the next one who asks then captures them. White box: makes each allocation fail,
 * in a process of its own.
 *
 * usage: test_start ROOM        the environment has ROOM bytes more
 *        test_start gone        in a directory that does not exist any more
 */
#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "env/start.h"
#include "support/counts.h"
#include "support/faults.h"
#include "support/spawn.h"

#define FAILING "TEST_START_FAILING"
enum { MOST_ALLOCATIONS = 64 };

static char variable[200000] = "TEST_START_ROOM=";

/* Before the library's own constructors, which have no priority. */
__attribute__((constructor(101))) static void fail_at_load(void)
{
    const char *failing = getenv(FAILING);
    faults_fail_at(failing ? atoi(failing) : 0);
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

/* In the process that was started for it; says whether it met the failure. */
static void look(char **argv)
{
    faults_fail_at(0); /* what is met is met at load */
    const struct rcuinfo__start *start = rcuinfo__start();
    const bool gone = strcmp(argv[1], "gone") == 0;
    char here[4096];
    rcuinfo_t info;
    CHECK(start && start == rcuinfo__start());
    same(environ, start->environment, start->environment_bytes);
    same(argv, start->arguments, start->arguments_bytes);
    CHECK(gone ? !start->directory : getcwd(here, sizeof here) && strcmp(here, start->directory) == 0);
    CHECK(rcuinfo__start_variable("TEST_START_FAILIN") == NULL); /* but the beginning of a name */
    CHECK_TEXT(rcuinfo__start_variable(FAILING), getenv(FAILING));
    CHECK_OK(rcuinfo_create_env(0, NULL, &info));
    CHECK_OK(rcuinfo_free(&info));
    if (faults_met())
        puts("failed");
}

int main(int argc, char **argv)
{
    char directory[] = "/tmp/rcuinfo-test-XXXXXX", number[16], output[16] = "failed\n";
    int k = 0;
    CHECK(argc == 2);
    if (getenv(FAILING)) {
        look(argv);
        return 0;
    }
    if (strcmp(argv[1], "gone") == 0) {
        CHECK(mkdtemp(directory) && chdir(directory) == 0 && rmdir(directory) == 0);
    } else {
        memset(variable + strlen(variable), 'x', (size_t)atoi(argv[1])); /* execve takes up to 128 KiB a string */
        CHECK(strlen(variable) < sizeof variable && putenv(variable) == 0);
    }
    while (strcmp(output, "failed\n") == 0) {
        CHECKF(k < MOST_ALLOCATIONS, "%d allocations", k);
        (void)snprintf(number, sizeof number, "%d", ++k);
        CHECK(setenv(FAILING, number, 1) == 0);
        spawn_again(argv, output, sizeof output);
    }
    /* The record, the environment, the command line, the directory. */
    CHECKF(k > 4 && output[0] == '\0', "%d allocations, \"%s\"", k - 1, output);
    (void)snprintf(variable, sizeof variable, "core.start.%s", argv[1]);
    counts_report(variable, "allocation points failed", (unsigned long)k - 1);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counters of the store count exactly, in all threads, when RCUINFO_STATS says so, and are then printed to the
 * standard error output at exit, with the objects that are left; else those that cost something stay 0 and nothing is
 * printed.
 *
 * usage: test_stats on|off        as RCUINFO_STATS has been set
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "support/threads.h"

enum { THREADS = 4, ROUNDS = 500, LEAKS = 12, LEAKS_SHOWN = 10 };

/* In each round: 5 gets, 4 versions (and 5 writes that publish none), 1 dup; create_env's version is nobody's set. */
static void body(unsigned index, void *argument)
{
    rcuinfo_t info, copy;
    (void)index;
    (void)argument;
    CHECK_OK(rcuinfo_create(&info));
    for (int i = 0; i < ROUNDS; i++) {
        const rcuinfo_change_t changes[] = {{"b", "2"}, {"c", "3"}};
        char text[RCUINFO_MAX_KEY];
        int number = sizeof text, flag, swapped;
        CHECK_OK(rcuinfo_set(info, "a", "1"));
        CHECK_OK(rcuinfo_update(info, changes, 2, NULL));
        CHECK_OK(rcuinfo_compare_and_set(info, "a", "1", "2", &swapped));
        CHECK_OK(rcuinfo_get(info, "a", 3, text, &flag));
        CHECK_OK(rcuinfo_get_string(info, "absent", &number, text, &flag));
        CHECK_OK(rcuinfo_get_valuelen(info, "a", &number, &flag));
        CHECK_OK(rcuinfo_get_nkeys(info, &number));
        CHECK_OK(rcuinfo_get_nthkey(info, 0, text));
        CHECK_OK(rcuinfo_delete(info, "a"));
        CHECK_STATUS(rcuinfo_delete(info, "a"), RCUINFO_ERR_NOKEY);
        CHECK_STATUS(rcuinfo_set(info, "", "1"), RCUINFO_ERR_KEY);
        CHECK_STATUS(rcuinfo_set(RCUINFO_NULL, "a", "1"), RCUINFO_ERR_INFO);
        CHECK_OK(rcuinfo_compare_and_set(info, "a", "1", "2", &swapped));
        CHECK_OK(rcuinfo_update(info, NULL, 0, NULL));
        CHECK_OK(rcuinfo_dup(info, &copy));
        CHECK_OK(rcuinfo_free(&copy));
        CHECK_OK(rcuinfo_create_env(0, NULL, &copy));
        CHECK_OK(rcuinfo_free(&copy));
    }
    CHECK_OK(rcuinfo_free(&info));
}

/* Leaves LEAKS objects, the first of them empty, and before them a read-only one, which is no leak. */
static void leak(void)
{
    rcuinfo_t info;
    char key[16];
    CHECK(rcuinfo_env() != RCUINFO_NULL);
    for (int i = 0; i < LEAKS; i++) {
        CHECK_OK(rcuinfo_create(&info));
        (void)snprintf(key, sizeof key, "key%d", i);
        if (i > 0)
            CHECK_OK(rcuinfo_set(info, key, "1"));
    }
}

/* Whether the first leaks are in the report, and no more. */
static void look_for_leaks(const char *text)
{
    char line[64];
    int lines = 0;
    for (const char *at = text; (at = strstr(at, ": leak: ")); at++)
        lines++;
    CHECKF(lines == LEAKS_SHOWN, "%d leaks in \"%s\"", lines, text);
    CHECKF(strstr(text, ": live 12,") != NULL, "printed: \"%s\"", text);
    for (int i = 0; i < LEAKS_SHOWN; i++) {
        if (i > 0)
            (void)snprintf(line, sizeof line, ": leak: 1 pairs, first key \"key%d\"\n", i);
        else
            (void)snprintf(line, sizeof line, ": leak: 0 pairs, first key \"\"\n");
        CHECKF(strstr(text, line) != NULL, "not printed: %s in \"%s\"", line, text);
    }
}

/* Starts this program again, as a child that counts and exits; returns the length of what it printed to the standard
 * error output that it was started with. */
static size_t printed_at_exit(const char *mode, char *text, size_t size)
{
    int pipe_ends[2], status = 0;
    size_t length = 0;
    ssize_t got;
    pid_t child;
    CHECK(pipe(pipe_ends) == 0);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(dup2(pipe_ends[1], STDERR_FILENO) == STDERR_FILENO);
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        execl("/proc/self/exe", "test_stats", mode, "child", (char *)NULL);
        _exit(1);
    }
    close(pipe_ends[1]);
    while (length + 1 < size && (got = read(pipe_ends[0], text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    close(pipe_ends[0]);
    text[length] = '\0';
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return length;
}

int main(int argc, char **argv)
{
    uint64_t rounds = 0;
    rcuinfo_stats_t stats;
    char text[4096], number[24];
    CHECK(argc >= 2);
    if (strcmp(argv[1], "on") == 0)
        rounds = (uint64_t)THREADS * ROUNDS;
    team_run(THREADS, body, NULL);
    rcuinfo_store_stats(NULL);
    rcuinfo_store_stats(&stats);
    CHECKF(stats.gets == 5 * rounds, "%llu gets", (unsigned long long)stats.gets);
    CHECKF(stats.sets == 4 * rounds, "%llu sets", (unsigned long long)stats.sets);
    CHECKF(stats.dups == rounds, "%llu dups", (unsigned long long)stats.dups);
    CHECK(stats.conversions == 0 && stats.left_out == 0 && stats.live == 0);
    if (argc == 3) {
        /* A file that takes the place of the standard error output is no place for the report. */
        CHECK(close(STDERR_FILENO) == 0);
        CHECK(open("/dev/null", O_WRONLY) == STDERR_FILENO);
        leak();
        return 0;
    }
    (void)printed_at_exit(argv[1], text, sizeof text);
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)(5 * rounds));
    if (rounds) {
        CHECKF(strstr(text, number) != NULL, "printed: \"%s\"", text);
        look_for_leaks(text);
    } else {
        CHECKF(text[0] == '\0', "printed: \"%s\"", text);
    }
    return 0;
}

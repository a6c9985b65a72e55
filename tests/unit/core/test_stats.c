/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With RCUINFO_STATS set, the counters of the store are exact for all threads, and are printed to standard error at
 * exit, with the objects that are left, also by a process that may open few descriptors. Otherwise the counters that
 * cost time stay 0, and nothing is printed. A key that is printed cannot control a terminal. A process whose standard
 * error nobody reads any more ends as it would have.
 *
 * usage: test_stats                      runs the following
 *        test_stats on|off               on or off, as RCUINFO_STATS is set
 *        test_stats keys                 leaves objects whose keys may control a terminal
 *        test_stats unread|unread_held   exits with 3; with SIGPIPE blocked
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "core/calls/layer.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/threads.h"

enum { THREADS = 4, ROUNDS = 500, LEAKS = 12, LEAKS_SHOWN = 10 };

/* Each round: 5 gets, 4 published versions (and 5 writes that publish none), 1 dup. create_env counts no set. */
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
        CHECK_OK(rcuinfo_env_create(0, NULL, &copy));
        CHECK_OK(rcuinfo_free(&copy));
    }
    CHECK_OK(rcuinfo_free(&info));
}

/* Checks the counts for all threads. Leaves LEAKS objects, the first one empty, and before them a read-only object,
 * which is not a leak. */
static void count_and_leak(unsigned rounds)
{
    team_run(THREADS, body, NULL);
    if (!rounds)
        rcuinfo__counters_add(RCUINFO__COUNT_CONVERSIONS, 5);
    rcuinfo_store_stats(NULL);
    rcuinfo_stats_t stats = left_stats();
    CHECK_EQUAL(stats.gets, 5 * rounds);
    CHECK_EQUAL(stats.sets, 4 * rounds);
    CHECK_EQUAL(stats.dups, rounds);
    CHECK(stats.conversions == 0 && stats.left_out == 0 && stats.live == 0);
    /* The report must not go to a file that replaces standard error. */
    CHECK(close(STDERR_FILENO) == 0);
    CHECK(open("/dev/null", O_WRONLY) == STDERR_FILENO);
    CHECK(rcuinfo_env() != RCUINFO_NULL);
    for (int i = 0; i < LEAKS; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "key%d", i);
        (void)(i > 0 ? OBJECT(key, "1") : object_empty());
    }
}

/* The report contains exactly the counts and some of the leaks, in the order of slots, which is any. */
static void check_report(const char *text)
{
    char line[128];
    int lines = 0;
    for (const char *at = text; (at = strstr(at, ": leak: ")); at++)
        lines++;
    CHECKF(lines == LEAKS_SHOWN, "%d leaks in \"%s\"", lines, text);
    (void)snprintf(line, sizeof line, ": live %d, gets %d, sets %d, dups %d, conversions 0, left out 0, grace periods ",
                   LEAKS, 5 * THREADS * ROUNDS, 4 * THREADS * ROUNDS + LEAKS - 1, THREADS * ROUNDS);
    CHECKF(strstr(text, line), "not printed: %s in \"%s\"", line, text);

    int found = 0;
    for (int i = 0; i < LEAKS; i++) {
        char key[16] = "";
        if (i > 0)
            (void)snprintf(key, sizeof key, "key%d", i);
        (void)snprintf(line, sizeof line, ": leak: %d pairs, first key \"%s\"\n", i > 0, key);
        found += strstr(text, line) != NULL;
    }
    CHECKF(found == LEAKS_SHOWN, "%d of the leaks in \"%s\"", found, text);
}

/* The first and the last of each range of characters that are replaced, and those beside them; and such sequences cut
 * short. */
static const struct {
    const char *key, *shown;
} strange[] = {
    {"\x01|\x1f| |~|\x7f", "?|?| |~|?"},
    {"C1 \xc2\x7e|\xc2\x80|\xc2\x9f|\xc2\xa0", "C1 \xc2\x7e|?|?|\xc2\xa0"},
    {"ALM \xd8\x9b|\xd8\x9c|\xd8\x9d", "ALM \xd8\x9b|?|\xd8\x9d"},
    {"LRM \xe2\x80\x8d|\xe2\x80\x8e|\xe2\x80\x8f|\xe2\x80\x90", "LRM \xe2\x80\x8d|?|?|\xe2\x80\x90"},
    {"LRE \xe2\x80\xa9|\xe2\x80\xaa|\xe2\x80\xae|\xe2\x80\xaf", "LRE \xe2\x80\xa9|?|?|\xe2\x80\xaf"},
    {"LRI \xe2\x81\xa5|\xe2\x81\xa6|\xe2\x81\xa9|\xe2\x81\xaa", "LRI \xe2\x81\xa5|?|?|\xe2\x81\xaa"},
    {"other \xe2\x82\xa6|\xe3\x80\x8e|", "other \xe2\x82\xa6|\xe3\x80\x8e|"},
    {"cut \xe2\x80", "cut \xe2\x80"},
    {"cut \xe2", "cut \xe2"},
    {"cut \xc2", "cut \xc2"},
};
enum { STRANGE = sizeof strange / sizeof *strange };
_Static_assert((int)STRANGE <= (int)LEAKS_SHOWN, "each is printed");

static void check_keys(const char *text)
{
    for (int i = 0; i < STRANGE; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, ": leak: 1 pairs, first key \"%s\"\n", strange[i].shown);
        CHECKF(strstr(text, line), "not printed: %s in \"%s\"", line, text);
    }
}

/* Runs this program with a standard error that nobody reads. */
static void check_unread(const char *program, const char *mode)
{
    int ends[2], status;
    CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        if (dup2(ends[1], STDERR_FILENO) < 0 || setenv("RCUINFO_STATS", "1", 1))
            _exit(1);
        execl(program, program, mode, (char *)NULL);
        _exit(2);
    }
    CHECK(close(ends[1]) == 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECKF(WIFEXITED(status) && WEXITSTATUS(status) == 3, "%s: status 0x%x", mode, (unsigned)status);
}

/* What a child of this program does. */
static int be_child(const char *mode)
{
    sigset_t pipe_only;
    bool unread = strncmp(mode, "unread", 6) == 0;
    if (strcmp(mode, "on") == 0 || strcmp(mode, "off") == 0)
        count_and_leak(strcmp(mode, "on") == 0 ? THREADS * ROUNDS : 0);
    for (int i = 0; i < STRANGE && strcmp(mode, "keys") == 0; i++)
        (void)OBJECT(strange[i].key, "1");
    if (unread)
        (void)object_empty();
    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    if (strcmp(mode, "unread_held") == 0)
        CHECK(sigprocmask(SIG_BLOCK, &pipe_only, NULL) == 0);
    return unread ? 3 : 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *setting, *mode;
    } runs[] = {{"RCUINFO_STATS=1", "on"},
                {"RCUINFO_STATS=yes", "on"},
                {"RCUINFO_STATS=01", "on"},
                {"ulimit -n 64; RCUINFO_STATS=1", "on"}, /* fewer descriptors than the number that the report's has */
                {"RCUINFO_STATS=1", "keys"},
                {"RCUINFO_STATS=0", "off"},
                {"RCUINFO_STATS=", "off"}};
    if (argc > 1)
        return be_child(argv[1]);

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char command[4096], text[4096];
        (void)snprintf(command, sizeof command, "%s '%s' %s 2>&1", runs[i].setting, argv[0], runs[i].mode);
        FILE *printed = popen(command, "r");
        CHECK(printed);
        text[fread(text, 1, sizeof text - 1, printed)] = '\0';
        CHECKF(pclose(printed) == 0, "%s: \"%s\"", command, text);
        if (strcmp(runs[i].mode, "on") == 0)
            check_report(text);
        else if (strcmp(runs[i].mode, "keys") == 0)
            check_keys(text);
        else
            CHECK_TEXT(text, "");
    }
    check_unread(argv[0], "unread");
    check_unread(argv[0], "unread_held");
    return 0;
}

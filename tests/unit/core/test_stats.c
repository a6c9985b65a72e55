/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With RCUINFO_STATS set, the counters of the store are exact for all threads, and are printed to standard error at
 * exit, with the objects that are left, also by a process that may open few descriptors. Otherwise the counters that
 * cost time stay 0, and nothing is printed.
 *
 * usage: test_stats             runs the following for each setting of RCUINFO_STATS
 *        test_stats on|off      on or off, as RCUINFO_STATS is set
 */
#include <fcntl.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
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

int main(int argc, char **argv)
{
    static const struct {
        const char *setting, *mode;
    } runs[] = {{"RCUINFO_STATS=1", "on"},
                {"RCUINFO_STATS=yes", "on"},
                {"RCUINFO_STATS=01", "on"},
                {"ulimit -n 64; RCUINFO_STATS=1", "on"}, /* fewer descriptors than the number that the report's has */
                {"RCUINFO_STATS=0", "off"},
                {"RCUINFO_STATS=", "off"}};
    if (argc > 1) {
        count_and_leak(strcmp(argv[1], "on") == 0 ? THREADS * ROUNDS : 0);
        return 0;
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char command[4096], text[4096];
        (void)snprintf(command, sizeof command, "%s '%s' %s 2>&1", runs[i].setting, argv[0], runs[i].mode);
        FILE *printed = popen(command, "r");
        CHECK(printed);
        text[fread(text, 1, sizeof text - 1, printed)] = '\0';
        CHECKF(pclose(printed) == 0, "%s: \"%s\"", command, text);
        if (strcmp(runs[i].mode, "on") == 0)
            check_report(text);
        else
            CHECK_TEXT(text, "");
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What create_env makes of a launcher's environment, and which source it names for each key.
 *
 * usage: test_env_launcher FILE NAME      FILE: an absolute path; the process that the environment [NAME] is given to
 *        test_env_launcher FILE made_up   values that no launcher sets (fuzz.env has more of them)
 *
 * Behind [NAME] stand the lines "VARIABLE=value" that a launcher has set, then "expect KEY=VALUE from SOURCE" for each
 * key but command and argv, in order; without "=VALUE", it is the host's name or architecture. Key by key, nothing else
 * may be there. "like NAME" stands for the lines of another environment, of which those that follow replace some.
 */
#include <stdbool.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
#include "env/start.h"
#include "env/env.h"
#include "support/check.h"

extern char **environ;

enum { FILE_LINES = 1000, LINES = 100, KEYS = 9 };

struct expectation {
    const char *key, *value, *source;
};

/* The native ones, MPICH's, Open MPI's. */
static const struct rcuinfo__limits every_limits[] = {{RCUINFO_MAX_KEY, RCUINFO_MAX_VALUE, RCUINFO__NATIVE_BITS},
                                                      {255, 1024, RCUINFO__NATIVE_BITS},
                                                      {36, 256, RCUINFO__NATIVE_BITS}};

static char contents[65536];
static const char *file_lines[FILE_LINES];
static const char *lines[LINES]; /* of the environment, without those of comments */

/* The bytes of "VARIABLE", or of "expect KEY". */
static size_t subject(const char *line)
{
    size_t begin = strncmp(line, "expect ", 7) == 0 ? 7 : 0;
    return begin + strcspn(line + begin, "= ");
}

/* A line takes the place of one that has set the same variable, or expects the same key. */
static void add_line(const char *line)
{
    size_t length = subject(line), n = 0;

    while (lines[n] && (subject(lines[n]) != length || strncmp(lines[n], line, length) != 0))
        n++;
    CHECK(n < LINES - 1);
    lines[n] = line;
}

static void add_environment(const char *name)
{
    size_t length = strlen(name), n = 0;

    while (file_lines[n] && !(file_lines[n][0] == '[' && strncmp(file_lines[n] + 1, name, length) == 0 &&
                              file_lines[n][1 + length] == ']'))
        n++;
    CHECKF(file_lines[n], "no [%s]", name);
    for (n++; file_lines[n] && file_lines[n][0] != '['; n++) {
        if (strncmp(file_lines[n], "like ", 5) == 0)
            add_environment(file_lines[n] + 5);
        else if (file_lines[n][0] != '#')
            add_line(file_lines[n]);
    }
}

static void read_lines(const char *path, const char *name)
{
    size_t count = 0;
    FILE *file = fopen(path, "r");
    CHECKF(file, "%s", path);
    CHECK(fread(contents, 1, sizeof contents - 1, file) > 0 && feof(file));
    fclose(file);

    for (char *line = strtok(contents, "\n"); line; line = strtok(NULL, "\n")) {
        CHECK(count < FILE_LINES - 1);
        file_lines[count++] = line;
    }
    add_environment(name);
}

/* The pairs of the object are these, each value cut to the limit. */
static void check_pairs(rcuinfo_t info, const struct expectation *wanted, size_t limit, bool sources)
{
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    int n = 0, nkeys = 0, flag = 0;
    for (; wanted[n].key; n++) {
        const char *text = sources ? wanted[n].source : wanted[n].value;
        CHECKF(rcuinfo_get_nthkey(info, n, key) == RCUINFO_SUCCESS, "%s is not there", wanted[n].key);
        CHECKF(strcmp(key, wanted[n].key) == 0, "%s instead of %s", key, wanted[n].key);
        CHECK_OK(rcuinfo_get(info, key, RCUINFO_MAX_VALUE - 1, value, &flag));
        CHECKF(strncmp(value, text, limit - 1) == 0 && strlen(value) < limit, "%s%s: \"%s\" instead of \"%s\"",
               sources ? "source of " : "", key, value, text);
    }
    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
    CHECKF(nkeys == n, "%d keys instead of %d", nkeys, n);
}

/* Whatever the limit. */
static void check_start(const struct rcuinfo__start *start, const struct expectation *wanted)
{
    rcuinfo_t info, sources;
    for (size_t i = 0; i < sizeof every_limits / sizeof *every_limits; i++) {
        CHECK_OK(rcuinfo__env_describe(start, 0, NULL, every_limits[i], &info, &sources));
        check_pairs(info, wanted, every_limits[i].value, false);
        check_pairs(sources, wanted, RCUINFO_MAX_VALUE, true);
        CHECK_OK(rcuinfo_free(&info));
        CHECK_OK(rcuinfo_free(&sources));
    }
}

/* One that the file names: "KEY=VALUE from SOURCE". */
static struct expectation expected(char *line, const struct utsname *system)
{
    char *from = strstr(line, " from "), *equals;
    struct expectation this = {.key = line, .source = from + 6};
    CHECKF(from, "%s", line);
    *from = '\0';
    equals = strchr(line, '=');
    if (equals)
        *equals = '\0';
    this.value = equals ? equals + 1 : strcmp(line, "host") == 0 ? system->nodename : system->machine;
    return this;
}

static void started(char **argv)
{
    char joined[4096];
    struct expectation wanted[KEYS + 1] = {{"command", argv[0], "/proc/self/cmdline"},
                                           {"argv", joined, "/proc/self/cmdline"}};
    struct expectation callers[KEYS + 1];
    char *arguments[] = {argv[2], argv[0]};
    struct utsname system;
    size_t n = 2;
    rcuinfo_t info;
    CHECK(uname(&system) == 0);
    snprintf(joined, sizeof joined, "%s %s %s", argv[1], argv[2], argv[3]);
    read_lines(argv[1], argv[2]);
    for (size_t i = 0; lines[i]; i++) {
        if (strncmp(lines[i], "expect ", 7) == 0 && n < KEYS)
            wanted[n++] = expected((char *)(size_t)lines[i] + 7, &system);
    }
    check_start(rcuinfo__start(), wanted);
    check_pairs(rcuinfo_env(), wanted, RCUINFO_MAX_VALUE, false);
    CHECK_OK(rcuinfo_create_env(0, NULL, &info));
    check_pairs(info, wanted, RCUINFO_MAX_VALUE, false);
    CHECK_OK(rcuinfo_free(&info));
    /* The caller's arguments take the place of the process's, and of nothing else. */
    memcpy(callers, wanted, sizeof callers);
    callers[0].value = arguments[0];
    callers[1].value = arguments[1];
    CHECK_OK(rcuinfo_create_env(2, arguments, &info));
    check_pairs(info, callers, RCUINFO_MAX_VALUE, false);
    CHECK_OK(rcuinfo_free(&info));
}

/* Of our own environment only what the loader and the sanitizers need. */
static void start(char *program, char *path, char *name)
{
    char command[] = "launched", argument[] = "b c", *arguments[] = {command, path, name, argument, NULL};
    const char *environment[2 * LINES] = {NULL};
    size_t n = 0;
    read_lines(path, name);
    for (size_t i = 0; lines[i]; i++) {
        if (strncmp(lines[i], "expect ", 7) != 0)
            environment[n++] = lines[i];
    }
    for (char **variable = environ; *variable; variable++) {
        bool needed = strncmp(*variable, "LD_", 3) == 0 || strstr(*variable, "SAN_OPTIONS=");
        if (needed && n < 2 * LINES - 1)
            environment[n++] = *variable;
    }
    CHECK(chdir("/usr") == 0);
    execve(program, arguments, (char **)(size_t)environment);
    CHECKF(false, "cannot start %s", program);
}

/* An environment as text: "NAME=value" each, '\n' between them. */
static void check_made_up(const char *environment, const struct expectation *wanted)
{
    static char text[4096];
    size_t bytes = strlen(environment) + 1;
    const struct rcuinfo__start made_up = {
        .environment_bytes = bytes, .environment = text, .environment_known = true, .arguments = ""};
    CHECK(bytes <= sizeof text);
    memcpy(text, environment, bytes);
    for (char *at = text; (at = strchr(at, '\n')); at++)
        *at = '\0';
    check_start(&made_up, wanted);
}

static const struct expectation one = {"maxprocs", "1", "no launcher"}, soft = {"soft", "1", "no launcher"};

static void malformed_sizes(void)
{
    static const char *const sizes[] = {
        "",          "0",   "00",  "007",   "12abc", "abc", "-1",  "+1",    " 4",         "4 ",
        "1e3",       "0x4", "1,2", "4(x2)", "1.",    "¼",   "\t4", "-0001", "1000000000", "18446744073709551616",
        "4294967297"};
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"};
    char environment[256];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct expectation wanted[KEYS] = {one, soft};
        snprintf(environment, sizeof environment, "%s=%s\n%s=%s\n%s=%s\n%s=%s", variables[0], sizes[i], variables[1],
                 sizes[i], variables[2], sizes[i], variables[3], sizes[i]);
        check_made_up(environment, wanted);
        for (int v = 0; v < 3; v++) {
            const struct expectation next[KEYS] = {{"maxprocs", "7", variables[v + 1]},
                                                   {"soft", "7", variables[v + 1]}};
            snprintf(environment, sizeof environment, "%s=7\n%s=%s", variables[v + 1], variables[v], sizes[i]);
            check_made_up(environment, next);
        }
    }
    const struct expectation most[KEYS] = {{"maxprocs", "999999999", "PMI_SIZE"}, {"soft", "999999999", "PMI_SIZE"}};
    check_made_up("PMI_SIZE=999999999\nSLURM_NTASKS=3", most);
}

/* Better no size than a wrong one: of the allocation around Hydra, or of one process where nothing could be read. */
static void no_sizes(void)
{
    static const struct expectation none[KEYS];
    const struct rcuinfo__start unread = {.environment = "", .arguments = ""};
    check_made_up("SLURM_STEP_NUM_TASKS=1\nSLURM_NTASKS=8\nPMI_PORT=login1:40883", none);
    check_start(&unread, none);
}

/* Around every limit: what is longer is cut. */
static void long_texts(void)
{
    char environment[4096] = "PMIX_HOSTNAME=", *name = environment + strlen(environment);
    for (size_t length = 254; length <= 1025; length++) {
        memset(name, 'h', length);
        name[length] = '\0';
        const struct expectation wanted[KEYS] = {one, soft, {"host", name, "PMIX_HOSTNAME"}};
        check_made_up(environment, wanted);
    }
}

/* Open MPI takes a number, MPICH a name in any case. What they refuse, or take for another level, is none here. */
static void levels(void)
{
    static const char *const names[][2] = {{"MPI_THREAD_SINGLE", "mpi_thread_single"},
                                           {"MPI_THREAD_FUNNELED", "Mpi_Thread_Funneled"},
                                           {"MPI_THREAD_SERIALIZED", "MPI_THREAD_serialized"},
                                           {"MPI_THREAD_MULTIPLE", "mpi_THREAD_multiple"}};
    static const char *const none[] = {"",   "4",  "-1",       "+1",     "01",         " 1",
                                       "1 ", "1x", "MULTIPLE", "single", "MPI_THREAD", "MPI_THREAD_SINGLE "};
    static const char by_number[] = "OMPI_MPI_THREAD_LEVEL", by_name[] = "MPIR_CVAR_DEFAULT_THREAD_LEVEL";
    const struct expectation absent[KEYS] = {one, soft};
    char environment[256];
    for (int level = 0; level < 4; level++) {
        const struct expectation number[KEYS] = {one, soft, {"thread_level", names[level][0], by_number}};
        const struct expectation name[KEYS] = {one, soft, {"thread_level", names[level][0], by_name}};
        snprintf(environment, sizeof environment, "%s=%s\n%s=%d", by_name, names[3 - level][0], by_number, level);
        check_made_up(environment, number);
        snprintf(environment, sizeof environment, "%s=%d\n%s=%s", by_name, level, by_number, names[level][0]);
        check_made_up(environment, absent);
        for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
            snprintf(environment, sizeof environment, "%s=%s\n%s=%s", by_number, none[i], by_name, names[level][i % 2]);
            check_made_up(environment, name);
            snprintf(environment, sizeof environment, "%s=%s", by_name, none[i]);
            check_made_up(environment, absent);
        }
    }
}

int main(int argc, char **argv)
{
    CHECK(argc >= 3);
    if (strcmp(argv[0], "launched") == 0) {
        started(argv);
    } else if (strcmp(argv[2], "made_up") == 0) {
        malformed_sizes();
        no_sizes();
        long_texts();
        levels();
    } else {
        start(argv[0], argv[1], argv[2]);
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target env: create_env with any arguments, for a process that was started with any environment, command line,
 * directory and system, under the limits of each flavour. Every value is compared with one that is made here in the
 * plainest way, and so is the name of its source.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/utsname.h>

#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
#include "env/start.h"
#include "env/env.h"
#include "fuzz/fuzz.h"

static const struct rcuinfo__limits all_limits[] = {
    {256, 1024, RCUINFO__NATIVE_BITS}, {255, 1024, RCUINFO__NATIVE_BITS}, {36, 256, RCUINFO__NATIVE_BITS}};

/* The variables that count, in the order in which they do, and which texts of theirs. */
enum kind { NUMBER, TEXT, PATH, SET, SILENCE, LEVEL };
static const struct {
    const char *key;
    const char *name;
    enum kind kind;
} variables[] = {
    {"maxprocs", "OMPI_COMM_WORLD_SIZE", NUMBER},
    {"maxprocs", "PMI_SIZE", NUMBER},
    {"maxprocs", "PMI_PORT", SILENCE},
    {"maxprocs", "SLURM_STEP_NUM_TASKS", NUMBER},
    {"maxprocs", "SLURM_NTASKS", NUMBER},
    {"host", "PMIX_HOSTNAME", TEXT},
    {"host", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME", TEXT},
    {"host", "PMI_HOSTNAME", TEXT},
    {"host", "SLURMD_NODENAME", TEXT},
    {"command", "OMPI_COMMAND", TEXT},
    {"argv", "OMPI_ARGV", TEXT},
    {"wdir", "OMPI_MCA_initial_wdir", PATH},
    {"silence", "PMIX_NAMESPACE", SET},
    {"file", "OMPI_MCA_orte_default_hostfile", TEXT},
    {"file", "SLURM_HOSTFILE", TEXT},
    {"thread_level", "OMPI_MPI_THREAD_LEVEL", LEVEL},
    {"thread_level", "MPIR_CVAR_DEFAULT_THREAD_LEVEL", LEVEL},
};
static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                     "MPI_THREAD_MULTIPLE"};
enum { VARIABLES = sizeof variables / sizeof *variables };
enum { MOST_ARGUMENTS = 12, LONGEST = 1200, MOST_VARIABLES = 8 };

static char joined[MOST_ARGUMENTS * LONGEST + (1 << 16)];

/* Bytes of the input and a NUL behind them, as the kernel's files are read. */
static const char *take_block(struct fuzz_input *in, size_t *bytes)
{
    char *block = fuzz_bytes(in, fuzz_size(in, 2) % 4096, bytes);
    CHECK(block = realloc(block, *bytes + 1));
    block[*bytes] = '\0';
    return block;
}

/* The name of a level, a letter of it in lower case, and perhaps more behind it. Returns the bytes. */
static size_t put_level(char *at, const char *name, unsigned kind, const char *value)
{
    char level[24];
    unsigned letter = (unsigned)snprintf(level, sizeof level, "%s", levels[kind % 4]);
    letter = (unsigned char)*value % letter;
    if (level[letter] != '_')
        level[letter] = (char)(level[letter] - 'A' + 'a');
    return (size_t)sprintf(at, "%s=%s%s", name, level, kind & 4 ? value : "") + 1;
}

/* An environment: any bytes, or, since few of them would be a variable that counts, some of these with numbers and any
 * other values. */
static const char *take_environment(struct fuzz_input *in, size_t *bytes)
{
    unsigned count = fuzz_byte(in) % MOST_VARIABLES;
    if (!count)
        return take_block(in, bytes);
    char *block = malloc(MOST_VARIABLES * 80);
    CHECK(block);
    *bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *name = variables[fuzz_byte(in) % VARIABLES].name;
        unsigned kind = fuzz_byte(in);
        char *value = fuzz_text(in, kind % 16);
        if (kind < 128)
            *bytes += (size_t)sprintf(block + *bytes, "%s=%u%s", name, kind, kind & 1 ? "" : value) + 1;
        else if (kind < 160)
            *bytes += (size_t)sprintf(block + *bytes, "%s=/%s", name, value) + 1;
        else if (kind >= 240)
            *bytes += put_level(block + *bytes, name, kind, value);
        else
            *bytes += (size_t)sprintf(block + *bytes, "%s=%s", name, value) + 1;
        free(value);
    }
    CHECK(block = realloc(block, *bytes + 1));
    block[*bytes] = '\0';
    return block;
}

/* What getenv would say. */
static const char *variable(const struct rcuinfo__start *start, const char *name)
{
    for (size_t at = 0; at < start->environment_bytes; at++) {
        const char *entry = start->environment + at;
        if (at && entry[-1])
            continue;
        const char *equals = strchr(entry, '=');
        if (equals && (size_t)(equals - entry) == strlen(name) && memcmp(entry, name, strlen(name)) == 0)
            return equals + 1;
    }
    return NULL;
}

/* A number: 1 to 9 digits, and nothing else, nor 0 in front. */
static bool counts(const char *text, enum kind kind)
{
    size_t length = strlen(text);
    for (size_t i = 0; kind == NUMBER && i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
    }
    if (kind == NUMBER)
        return length >= 1 && length <= 9 && text[0] != '0';
    return kind == PATH ? text[0] == '/' : kind == SET || length > 0;
}

/* The level that the variable asks for, or NULL. */
static const char *level_of(const char *name, const char *text)
{
    char upper[24] = "";
    if (strcmp(name, "OMPI_MPI_THREAD_LEVEL") == 0)
        return strlen(text) == 1 && strchr("0123", *text) ? levels[*text - '0'] : NULL;
    for (size_t i = 0; i < sizeof upper - 1 && text[i]; i++)
        upper[i] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (strcmp(upper, levels[i]) == 0)
            return levels[i];
    }
    return NULL;
}

/* What has to be there, or NULL, and where it comes from. */
struct wanted {
    const char *value;
    const char *source;
};

/* The first variable of the key that counts, or `other`; nothing when one says that there is none. */
static struct wanted launched(const struct rcuinfo__start *start, const char *key, struct wanted other)
{
    for (int i = 0; i < VARIABLES; i++) {
        const char *value = strcmp(variables[i].key, key) == 0 ? variable(start, variables[i].name) : NULL;
        if (value && variables[i].kind == SILENCE)
            return (struct wanted){NULL, NULL};
        if (value && variables[i].kind == LEVEL)
            value = level_of(variables[i].name, value);
        if (value && counts(value, variables[i].kind))
            return (struct wanted){value, variables[i].name};
    }
    return other;
}

/* The nth argument of the command line that the process was loaded with, or NULL. */
static const char *loaded_argument(const struct rcuinfo__start *start, int n)
{
    for (size_t at = 0; at < start->arguments_bytes; at += strlen(start->arguments + at) + 1) {
        if (n-- == 0)
            return start->arguments + at;
    }
    return NULL;
}

static const char *argument(const struct rcuinfo__start *start, int argc, char *argv[], int n)
{
    if (argc > 0)
        return n < argc ? argv[n] : NULL;
    return loaded_argument(start, n);
}

/* The next key has to be there with that value, cut at the limit, and its source; NULL: the key has to be missing. */
static void check_next(const rcuinfo_snapshot_t *snapshot, const rcuinfo_snapshot_t *sources, size_t *next,
                       const char *key, struct wanted wanted, struct rcuinfo__limits limits)
{
    rcuinfo_pair_t pair, source;
    if (!wanted.value) {
        CHECK_STATUS(rcuinfo_snapshot_find(snapshot, key, &pair), RCUINFO_ERR_NOKEY);
        return;
    }
    CHECK_OK(rcuinfo_snapshot_nth(snapshot, *next, &pair));
    CHECK_OK(rcuinfo_snapshot_nth(sources, (*next)++, &source));
    size_t length = strlen(wanted.value) < limits.value ? strlen(wanted.value) : limits.value - 1U;
    CHECKF(strcmp(pair.key, key) == 0, "\"%s\" where \"%s\" belongs", pair.key, key);
    CHECKF(pair.value_length == length && memcmp(pair.value, wanted.value, length) == 0, "%s is \"%s\", not \"%s\"",
           key, pair.value, wanted.value);
    CHECKF(strcmp(source.key, key) == 0 && strcmp(source.value, wanted.source) == 0, "%s: \"%s\" from \"%s\"", key,
           source.key, source.value);
}

static const char *join(const struct rcuinfo__start *start, int argc, char *argv[])
{
    char *end = joined;
    const char *next;
    if (!argument(start, argc, argv, 1))
        return NULL;
    *joined = '\0';
    for (int n = 1; (next = argument(start, argc, argv, n)); n++)
        end += sprintf(end, n > 1 ? " %s" : "%s", next);
    return joined;
}

/* Command and argv, which have the same source: the caller, the process, or, when both say nothing, the launcher. */
static void check_arguments_of(const rcuinfo_snapshot_t *snapshot, const rcuinfo_snapshot_t *sources, size_t *next,
                               const struct rcuinfo__start *start, int argc, char *argv[],
                               struct rcuinfo__limits limits)
{
    static const struct wanted none;
    const char *source = argc > 0 ? "the caller's arguments" : "/proc/self/cmdline";
    struct wanted command = {argument(start, argc, argv, 0), source};
    struct wanted rest = {join(start, argc, argv), source};
    if (!command.value) {
        command = launched(start, "command", none);
        rest = launched(start, "argv", none);
    }
    check_next(snapshot, sources, next, "command", command, limits);
    check_next(snapshot, sources, next, "argv", rest, limits);
}

static void check_described(const struct rcuinfo__start *start, int argc, char *argv[], struct rcuinfo__limits limits)
{
    static const struct wanted none, one = {"1", "no launcher"};
    rcuinfo_t info = RCUINFO_NULL, from = RCUINFO_NULL;
    const rcuinfo_snapshot_t *snapshot, *sources;
    struct wanted host = {start->system ? start->system->nodename : NULL, "uname"};
    struct wanted arch = {start->system ? start->system->machine : NULL, "uname"};
    struct wanted wdir = {start->directory, "the directory at load"};
    bool silent = launched(start, "silence", none).value || !start->environment_known;
    struct wanted size = launched(start, "maxprocs", silent ? none : one);
    size_t next = 0;
    CHECK_OK(rcuinfo__env_describe(start, argc, argv, limits, &info, &from));
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
    CHECK_OK(rcuinfo_snapshot_open(from, &sources));
    check_arguments_of(snapshot, sources, &next, start, argc, argv, limits);
    check_next(snapshot, sources, &next, "maxprocs", size, limits);
    check_next(snapshot, sources, &next, "soft", size, limits);
    check_next(snapshot, sources, &next, "host", launched(start, "host", host), limits);
    check_next(snapshot, sources, &next, "arch", arch, limits);
    check_next(snapshot, sources, &next, "wdir", launched(start, "wdir", wdir), limits);
    check_next(snapshot, sources, &next, "file", launched(start, "file", none), limits);
    check_next(snapshot, sources, &next, "thread_level", launched(start, "thread_level", none), limits);
    CHECK(next == rcuinfo_snapshot_count(snapshot) && next == rcuinfo_snapshot_count(sources));
    rcuinfo_snapshot_close(snapshot);
    rcuinfo_snapshot_close(sources);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_OK(rcuinfo_free(&from));
}

static void check_found(const struct rcuinfo__start *start, const char *name)
{
    CHECK(rcuinfo__start_find(start, name) == variable(start, name));
}

/* The public call with the same arguments: refused as its header says, else an object. */
static void check_arguments(int argc, char *argv[], int count, bool no_argv, bool no_info)
{
    rcuinfo_t info = 77;
    bool valid = !no_info && argc >= 0 && (argc == 0 || !no_argv);
    for (int i = 0; i < count; i++)
        valid = valid && (no_argv || argv[i]);
    rcuinfo_status_t status = rcuinfo_create_env(argc, no_argv ? NULL : argv, no_info ? NULL : &info);
    CHECK(status == (valid ? RCUINFO_SUCCESS : RCUINFO_ERR_ARG));
    CHECK(valid || info == 77);
    if (valid)
        CHECK_OK(rcuinfo_free(&info));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    struct rcuinfo__start start = {0};
    unsigned flags = fuzz_byte(&in);
    int count = (int)(fuzz_byte(&in) % (MOST_ARGUMENTS + 1));
    struct rcuinfo__limits limits = all_limits[flags % 3];
    start.environment = take_environment(&in, &start.environment_bytes);
    start.arguments = take_block(&in, &start.arguments_bytes);
    start.directory = flags & 4 ? fuzz_text(&in, fuzz_size(&in, 2) % LONGEST) : NULL;
    struct utsname system;
    CHECK(uname(&system) == 0);
    start.system = flags & 128 ? NULL : &system;
    start.environment_known = start.environment_bytes || !(flags & 4);
    char **argv = malloc((size_t)count * sizeof *argv + !count); /* no NULL behind the last one */
    CHECK(argv);
    for (int i = 0; i < count; i++)
        argv[i] = fuzz_text(&in, fuzz_size(&in, 2) % LONGEST);
    check_described(&start, count, argv, limits);
    for (int i = 0; i < VARIABLES; i++)
        check_found(&start, variables[i].name);
    char *name = fuzz_text(&in, 12);
    if (*name && !strchr(name, '='))
        check_found(&start, name);
    free(name);
    if (count && flags & 8) {
        free(argv[count / 2]);
        argv[count / 2] = NULL;
    }
    check_arguments(flags & 16 ? -count - 1 : count, argv, count, flags & 32, flags & 64);
    for (int i = 0; i < count; i++)
        free(argv[i]);
    free(argv);
    free((char *)(uintptr_t)start.environment);
    free((char *)(uintptr_t)start.arguments);
    free((char *)(uintptr_t)start.directory);
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target env: create_env with any arguments, for a process that was started with any environment, command line and
 * directory, with or without an answer of uname, under the limits of each flavour. Every value and the name of its
 * source are compared with those of a naive implementation.
 */
#include <ctype.h>
#include <strings.h>
#include <sys/utsname.h>

#include <rcuinfo/rcuinfo.h>

#include "core/calls/layer.h"
#include "env/start.h"
#include "env/env.h"
#include "fuzz/fuzz.h"
#include "support/objects.h"

static const struct rcuinfo__limits all_limits[] = {{256, 1024}, {255, 1024}, {36, 256}};

/* The variables of launchers that create_env reads, in order of precedence, and the kind of text that is valid. */
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
enum { MOST_ARGUMENTS = 12, LONGEST = 1200, MOST_VARIABLES = 8, MOST_BYTES = 4096 };

/* Takes bytes of the input and appends a NUL, as env/start.c does when it reads a file of /proc. */
static const char *take_block(struct fuzz_input *in, size_t *bytes)
{
    char *block = fuzz_bytes(in, fuzz_size(in, 2) % MOST_BYTES, bytes);
    CHECK(block = realloc(block, *bytes + 1));
    block[*bytes] = '\0';
    return block;
}

/* Writes a variable whose value is the name of a thread level with one letter in lower case, and perhaps a suffix.
 * Returns the number of bytes. */
static int put_level(char *at, const char *name, unsigned kind, const char *value)
{
    char level[24];
    unsigned length = (unsigned)snprintf(level, sizeof level, "%s", levels[kind % 4]);
    char *letter = &level[(unsigned char)*value % length];
    *letter = (char)tolower(*letter);
    return sprintf(at, "%s=%s%s", name, level, kind & 4 ? value : "") + 1;
}

/* Takes an environment: any bytes; or, since these rarely contain one, some of the variables above, with numbers and
 * other values. */
static const char *take_environment(struct fuzz_input *in, size_t *bytes)
{
    unsigned count = fuzz_byte(in) % MOST_VARIABLES;
    if (!count)
        return take_block(in, bytes);
    char *block = malloc(MOST_VARIABLES * 80), *end = block;
    CHECK(block);
    for (; count; count--) {
        const char *name = variables[fuzz_byte(in) % VARIABLES].name;
        unsigned kind = fuzz_byte(in);
        char *value = fuzz_text(in, kind % 16);
        if (kind < 128)
            end += sprintf(end, "%s=%u%s", name, kind, kind & 1 ? "" : value) + 1;
        else if (kind >= 240)
            end += put_level(end, name, kind, value);
        else
            end += sprintf(end, "%s=%s%s", name, kind < 160 ? "/" : "", value) + 1;
        free(value);
    }
    *bytes = (size_t)(end - block);
    CHECK(block = realloc(block, *bytes + 1));
    block[*bytes] = '\0';
    return block;
}

/* The value of a variable, as getenv returns it. */
static const char *variable(const struct rcuinfo__start *start, const char *name)
{
    const char *entry = start->environment, *end = entry + start->environment_bytes;
    size_t length = strlen(name);
    for (; entry < end; entry += strlen(entry) + 1) {
        if (strncmp(entry, name, length) == 0 && entry[length] == '=')
            return entry + length + 1;
    }
    return NULL;
}

/* The thread level that the text of the variable requests, or NULL. */
static const char *level_of(const char *name, const char *text)
{
    if (strcmp(name, "OMPI_MPI_THREAD_LEVEL") == 0)
        return strlen(text) == 1 && strchr("0123", *text) ? levels[*text - '0'] : NULL;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (strcasecmp(text, levels[i]) == 0)
            return levels[i];
    }
    return NULL;
}

/* Whether a text is a valid value of the kind. A number has 1 to 9 digits, no leading 0, and nothing else. */
static bool counts(const char *text, enum kind kind)
{
    size_t length = strlen(text);
    if (kind == NUMBER)
        return length >= 1 && length <= 9 && text[0] != '0' && strspn(text, "0123456789") == length;
    return kind == PATH ? text[0] == '/' : kind == SET || length > 0;
}

/* The required value, or NULL if the key must be missing, and the name of its source. */
struct wanted {
    const char *value;
    const char *source;
};

/* The first valid variable of the key, or `other`. No value if a SILENCE variable comes first. */
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

/* The arguments of the caller, or if there are none, those of the process at its start. Returns their number. */
static size_t arguments_of(const struct rcuinfo__start *start, int argc, char *argv[], const char **all)
{
    size_t n = 0;
    for (; n < (size_t)argc; n++)
        all[n] = argv[n];
    for (size_t at = 0; !argc && at < start->arguments_bytes; at += strlen(start->arguments + at) + 1)
        all[n++] = start->arguments + at;
    return n;
}

static const char *join(const char **texts, size_t n)
{
    static char joined[MOST_ARGUMENTS * LONGEST + (1 << 16)];
    char *end = joined;
    for (size_t i = 0; i < n; i++)
        end += sprintf(end, i ? " %s" : "%s", texts[i]);
    return n ? joined : NULL;
}

/* Checks that the next pair has this key and value, truncated to the limit, and this source; or, without a value, that
 * the key is missing. */
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
    size_t length = strnlen(wanted.value, limits.value - 1U);
    CHECK_TEXT(pair.key, key);
    CHECKF(pair.value_length == length && memcmp(pair.value, wanted.value, length) == 0, "%s is \"%s\", not \"%s\"",
           key, pair.value, wanted.value);
    CHECK_TEXT(source.key, key);
    CHECK_TEXT(source.value, wanted.source);
}

/* Command and argv have the same source: the caller, the process, or if neither has arguments, the launcher. */
static void check_described(const struct rcuinfo__start *start, int argc, char *argv[], struct rcuinfo__limits limits)
{
    static const char *const keys[] = {"command", "argv", "maxprocs", "soft",        "host",
                                       "arch",    "wdir", "file",     "thread_level"};
    static const char *arguments[MOST_BYTES + MOST_ARGUMENTS];
    static const struct wanted none, one = {"1", "no launcher"};
    const char *source = argc > 0 ? "the caller's arguments" : "/proc/thread-self/cmdline";
    size_t n = arguments_of(start, argc, argv, arguments), next = 0;
    bool silent = launched(start, "silence", none).value || !start->environment_known;
    struct wanted size = launched(start, "maxprocs", silent ? none : one);
    const struct wanted wanted[] = {
        n ? (struct wanted){arguments[0], source} : launched(start, "command", none),
        n ? (struct wanted){join(arguments + 1, n - 1), source} : launched(start, "argv", none),
        size,
        size,
        launched(start, "host", (struct wanted){start->system ? start->system->nodename : NULL, "uname"}),
        {start->system ? start->system->machine : NULL, "uname"},
        launched(start, "wdir", (struct wanted){start->directory, "the directory at load"}),
        launched(start, "file", none),
        launched(start, "thread_level", none),
    };
    rcuinfo_t info = RCUINFO_NULL, from = RCUINFO_NULL;
    CHECK_OK(rcuinfo__env_describe(start, argc, argv, limits, &info, &from));
    const rcuinfo_snapshot_t *snapshot = object_open(info), *sources = object_open(from);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        check_next(snapshot, sources, &next, keys[i], wanted[i], limits);
    CHECK(next == rcuinfo_snapshot_count(snapshot) && next == rcuinfo_snapshot_count(sources));
    rcuinfo_snapshot_close(snapshot);
    rcuinfo_snapshot_close(sources);
    object_free(info);
    object_free(from);
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
    char **argv = malloc((size_t)count * sizeof *argv + !count); /* no NULL after the last argument */
    CHECK(argv);
    for (int i = 0; i < count; i++)
        argv[i] = fuzz_text(&in, fuzz_size(&in, 2) % LONGEST);
    check_described(&start, count, argv, limits);
    for (int i = 0; i < VARIABLES; i++)
        CHECK(rcuinfo__start_find(&start, variables[i].name) == variable(&start, variables[i].name));
    char *name = fuzz_text(&in, 12);
    if (*name && !strchr(name, '='))
        CHECK(rcuinfo__start_find(&start, name) == variable(&start, name));
    free(name);
    for (int i = 0; i < count; i++)
        free(argv[i]);
    free(argv);
    free((char *)(uintptr_t)start.environment);
    free((char *)(uintptr_t)start.arguments);
    free((char *)(uintptr_t)start.directory);
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}

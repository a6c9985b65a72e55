/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * env: the construction of MPI_INFO_ENV. Each source of each key is one reader in a table; the readers of a key are
 * tried in order, and the first that knows decides. Nothing here keeps state.
 */
#include <rcuinfo/env.h>

#include <string.h>

#include "core/alloc.h"
#include "env/describe.h"

/* A value under construction: at most limit - 1 bytes, the rest is cut. */
struct value {
    char *text;
    size_t limit;
    size_t length;
};

/* ABSENT: it is known that there is none; nobody else is asked. HIDDEN: no further reader is asked, but what is known
 * more may have it. */
enum answer { UNKNOWN, ABSENT, HIDDEN, PRESENT };

/* `variable`: the value of the variable of the environment that the source is, or NULL. */
typedef enum answer reader_t(const struct rcuinfo__question *question, const char *variable, struct value *value);

const char *const rcuinfo__env_levels[RCUINFO__ENV_LEVELS] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                                              "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};

static void add(struct value *value, const char *text)
{
    size_t length = strnlen(text, value->limit - 1 - value->length);
    memcpy(value->text + value->length, text, length);
    value->length += length;
    value->text[value->length] = '\0';
}

static enum answer present(struct value *value, const char *text)
{
    add(value, text);
    return PRESENT;
}

static enum answer read_callers_command(const struct rcuinfo__question *question, const char *variable,
                                        struct value *value)
{
    (void)variable;
    return question->argc > 0 ? present(value, question->argv[0]) : UNKNOWN;
}

/* Arguments are joined by one blank each, blanks inside them as they are. */
static enum answer read_callers_argv(const struct rcuinfo__question *question, const char *variable,
                                     struct value *value)
{
    (void)variable;
    for (int i = 1; i < question->argc && value->length + 1 < value->limit; i++) {
        add(value, i > 1 ? " " : "");
        add(value, question->argv[i]);
    }
    return question->argc > 1 ? PRESENT : question->argc == 1 ? ABSENT : UNKNOWN;
}

static enum answer read_own_command(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->start->arguments_bytes ? present(value, question->start->arguments) : UNKNOWN;
}

static enum answer read_own_argv(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)variable;
    const struct rcuinfo__start *start = question->start;
    if (!start->arguments_bytes)
        return UNKNOWN;
    const char *end = start->arguments + start->arguments_bytes;
    const char *first = start->arguments + strlen(start->arguments) + 1;
    for (const char *at = first; at < end && value->length + 1 < value->limit; at += strlen(at) + 1) {
        add(value, at > first ? " " : "");
        add(value, at);
    }
    return first < end ? PRESENT : ABSENT;
}

static enum answer read_variable(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)question;
    return variable && *variable ? present(value, variable) : UNKNOWN;
}

/* A number of processes: 1 to 999,999,999. */
static enum answer read_number(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)question;
    if (!variable || *variable == '0')
        return UNKNOWN;
    size_t digits = strspn(variable, "0123456789");
    return digits > 0 && digits < 10 && !variable[digits] ? present(value, variable) : UNKNOWN;
}

static enum answer read_path(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)question;
    return variable && *variable == '/' ? present(value, variable) : UNKNOWN;
}

/* A launcher that is there, and keeps the number of processes to itself. */
static enum answer read_silence(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)question;
    (void)value;
    return variable ? HIDDEN : UNKNOWN;
}

static enum answer read_one(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->start->environment_known ? present(value, "1") : UNKNOWN;
}

static enum answer read_host(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->start->system ? present(value, question->start->system->nodename) : UNKNOWN;
}

static enum answer read_arch(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->start->system ? present(value, question->start->system->machine) : UNKNOWN;
}

static enum answer read_directory(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->start->directory ? present(value, question->start->directory) : UNKNOWN;
}

static enum answer read_level(const struct rcuinfo__question *question, const char *variable, struct value *value)
{
    (void)variable;
    int level = question->level - RCUINFO__ENV_FIRST_SESSION;
    return level >= 0 ? present(value, rcuinfo__env_levels[level % RCUINFO__ENV_LEVELS]) : UNKNOWN;
}

/* Processes of the job. Hydra with a port for PMI, and a PMIx server, tell it on request only. */
#define SIZE(key)                                                                                                      \
    {key, "OMPI_COMM_WORLD_SIZE", read_number}, {key, "PMI_SIZE", read_number}, {key, "PMI_PORT", read_silence},       \
        {key, "SLURM_STEP_NUM_TASKS", read_number}, {key, "SLURM_NTASKS", read_number},                                \
        {key, "PMIX_NAMESPACE", read_silence},                                                                         \
    {                                                                                                                  \
        key, "no launcher", read_one                                                                                   \
    }

/*
 * The caller comes first, then the launcher, then the operating system. But a command line that the kernel tells comes
 * before the launcher's: a script or another command may stand between the launcher and this process. Of the launchers
 * a batch system comes last, since its variables reach the processes that others start inside of its jobs.
 */
static const struct {
    const char *key;
    const char *source; /* of a variable, its name */
    reader_t *read;
} readers[] = {
    {"command", "the caller's arguments", read_callers_command},
    {"command", "/proc/self/cmdline", read_own_command},
    {"command", "OMPI_COMMAND", read_variable},
    {"argv", "the caller's arguments", read_callers_argv},
    {"argv", "/proc/self/cmdline", read_own_argv},
    {"argv", "OMPI_ARGV", read_variable},
    SIZE("maxprocs"),
    SIZE("soft"),
    {"host", "PMIX_HOSTNAME", read_variable},
    {"host", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME", read_variable},
    {"host", "SLURMD_NODENAME", read_variable},
    {"host", "uname", read_host},
    {"arch", "uname", read_arch},
    {"wdir", "OMPI_MCA_initial_wdir", read_path},
    {"wdir", "the directory at load", read_directory},
    {"file", "OMPI_MCA_orte_default_hostfile", read_variable},
    {"file", "SLURM_HOSTFILE", read_variable},
    {"thread_level", "MPI_Init_thread or MPI_Session_init", read_level},
};

#define READERS (sizeof readers / sizeof *readers)
#define KEYS    9U

struct pairs {
    size_t count;
    rcuinfo_change_t *values; /* KEYS, and more */
    rcuinfo_change_t sources[KEYS];
    size_t absent_count;
    const char *absent[KEYS];
};

/* What the environment has of the sources, in one walk; of a name that comes twice the first counts, as for getenv. */
static void find_variables(const struct rcuinfo__start *start, const char *variables[READERS])
{
    const char *end = start->environment + start->environment_bytes;
    memset(variables, 0, READERS * sizeof *variables);
    for (const char *at = start->environment; at < end; at += strlen(at) + 1) {
        size_t length = strcspn(at, "=");
        if (!at[length])
            continue;
        for (size_t i = 0; i < READERS; i++) {
            const char *name = readers[i].source;
            if (*name == *at && !variables[i] && strncmp(name, at, length) == 0 && !name[length])
                variables[i] = at + length + 1;
        }
    }
}

/* `texts` has room for a value of each key. */
static void read_all(const struct rcuinfo__question *question, size_t limit, char *texts, struct pairs *pairs)
{
    const char *variables[READERS];
    const char *decided = "";
    find_variables(question->start, variables);
    pairs->count = 0;
    pairs->absent_count = 0;
    for (size_t i = 0; i < READERS; i++) {
        struct value value = {.text = texts + pairs->count * limit, .limit = limit};
        if (strcmp(readers[i].key, decided) == 0)
            continue;
        value.text[0] = '\0';
        enum answer answer = readers[i].read(question, variables[i], &value);
        if (answer == UNKNOWN)
            continue;
        decided = readers[i].key;
        if (answer == ABSENT)
            pairs->absent[pairs->absent_count++] = readers[i].key;
        if (answer != PRESENT)
            continue;
        pairs->values[pairs->count] = (rcuinfo_change_t){.key = readers[i].key, .value = value.text};
        pairs->sources[pairs->count++] = (rcuinfo_change_t){.key = readers[i].key, .value = readers[i].source};
    }
}

static bool is_decided(const struct pairs *pairs, const char *key)
{
    for (size_t n = 0; n < pairs->count; n++) {
        if (strcmp(pairs->values[n].key, key) == 0)
            return true;
    }
    for (size_t n = 0; n < pairs->absent_count; n++) {
        if (strcmp(pairs->absent[n], key) == 0)
            return true;
    }
    return false;
}

/* What is known more: keys that no reader has decided. They have no source. A key that is known to be absent stays so:
 * Open MPI's own argv names what orterun started, which may be a script or `rcuinfo run` in front of this program. */
static size_t append_more(const struct pairs *pairs, const struct rcuinfo__env_more *more)
{
    size_t count = pairs->count;
    for (size_t i = 0; i < more->count; i++) {
        if (!is_decided(pairs, more->pairs[i].key))
            pairs->values[count++] = more->pairs[i];
    }
    return count;
}

static rcuinfo_status_t make(const rcuinfo_change_t *changes, size_t count, rcuinfo_t *info)
{
    rcuinfo_status_t status = rcuinfo_create(info);
    if (status != RCUINFO_SUCCESS)
        return status;
    status = rcuinfo__update(*info, changes, count);
    if (status != RCUINFO_SUCCESS) {
        rcuinfo__discard(*info);
        *info = RCUINFO_NULL;
    }
    return status;
}

rcuinfo_status_t rcuinfo__env_answer(const struct rcuinfo__question *question, struct rcuinfo__limits limits,
                                     rcuinfo_t *info, rcuinfo_t *sources)
{
    static const struct rcuinfo__env_more none;
    const struct rcuinfo__env_more *more = question->more ? question->more : &none;
    struct pairs pairs;
    size_t most = KEYS + more->count;
    *info = RCUINFO_NULL;
    pairs.values = rcuinfo__alloc(most * sizeof *pairs.values + (size_t)KEYS * limits.value);
    if (!pairs.values)
        return RCUINFO_ERR_NO_MEM;
    read_all(question, limits.value, (char *)(pairs.values + most), &pairs);
    rcuinfo_status_t status = make(pairs.values, append_more(&pairs, more), info);
    if (status == RCUINFO_SUCCESS && sources) {
        status = make(pairs.sources, pairs.count, sources);
        if (status != RCUINFO_SUCCESS) {
            rcuinfo__discard(*info);
            *info = RCUINFO_NULL;
        }
    }
    rcuinfo__alloc_free(pairs.values);
    return status;
}

rcuinfo_status_t rcuinfo__env_describe(const struct rcuinfo__start *start, int argc, char *argv[],
                                       struct rcuinfo__limits limits, rcuinfo_t *info, rcuinfo_t *sources)
{
    struct rcuinfo__question question = {.start = start, .argc = argc, .argv = argv, .level = rcuinfo__env_level()};
    return rcuinfo__env_answer(&question, limits, info, sources);
}

static bool arguments_valid(int argc, char *argv[])
{
    if (argc < 0 || (argc > 0 && !argv))
        return false;
    for (int i = 0; i < argc; i++) {
        if (!argv[i])
            return false;
    }
    return true;
}

rcuinfo_status_t rcuinfo__env_create(int argc, char *argv[], struct rcuinfo__limits limits, rcuinfo_t *info)
{
    if (!info || !arguments_valid(argc, argv))
        return RCUINFO_ERR_ARG;
    *info = RCUINFO_NULL;
    const struct rcuinfo__start *start = rcuinfo__start();
    return start ? rcuinfo__env_describe(start, argc, argv, limits, info, NULL) : RCUINFO_ERR_NO_MEM;
}

rcuinfo_status_t rcuinfo_create_env(int argc, char *argv[], rcuinfo_t *info)
{
    return rcuinfo__env_create(argc, argv, RCUINFO__NATIVE_LIMITS, info);
}

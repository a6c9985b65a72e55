/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * env: the construction of MPI_INFO_ENV. Each source of each key is one reader in a table; the readers of a key are
 * tried in order, and the first that knows decides. Nothing here keeps state but the thread level that was asked for,
 * and the shared objects.
 */
#include <rcuinfo/env.h>
#include <rcuinfo/snapshot.h>
#include <rcuinfo/update.h>

#include <stdbool.h>
#include <string.h>

#include "core/alloc.h"
#include "core/layer.h"
#include "core/order.h"
#include "core/start.h"

/* What the readers read. */
struct question {
    const struct rcuinfo__start *start;
    int argc;
    char **argv;
    int level; /* one that `asked` has held */
};

/* A value under construction: at most limit - 1 bytes, the rest is cut. */
struct value {
    char *text;
    size_t limit;
    size_t length;
};

/* ABSENT: it is known that there is none; nobody else is asked. */
enum answer { UNKNOWN, ABSENT, PRESENT };

/* `variable`: the value of the variable of the environment that the source is, or NULL. */
typedef enum answer reader_t(const struct question *question, const char *variable, struct value *value);

/* [P10] field: the thread level that was asked for: 0 none; of the sessions the highest, FIRST_SESSION and up; of the
 * World Model, which counts before any session, FIRST_WORLD and up. It only rises. Carries the `more` of shared
 * objects. */
static _Atomic int asked;

static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                     "MPI_THREAD_MULTIPLE"};
#define LEVELS        ((int)(sizeof levels / sizeof *levels))
#define FIRST_SESSION 1
#define FIRST_WORLD   (FIRST_SESSION + LEVELS)
_Static_assert(FIRST_WORLD + LEVELS == RCUINFO__ENV_SHARED, "one shared object for each level");

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

static enum answer read_callers_command(const struct question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->argc > 0 ? present(value, question->argv[0]) : UNKNOWN;
}

/* Arguments are joined by one blank each, blanks inside them as they are. */
static enum answer read_callers_argv(const struct question *question, const char *variable, struct value *value)
{
    (void)variable;
    for (int i = 1; i < question->argc && value->length + 1 < value->limit; i++) {
        add(value, i > 1 ? " " : "");
        add(value, question->argv[i]);
    }
    return question->argc > 1 ? PRESENT : question->argc == 1 ? ABSENT : UNKNOWN;
}

static enum answer read_own_command(const struct question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->start->arguments_bytes ? present(value, question->start->arguments) : UNKNOWN;
}

static enum answer read_own_argv(const struct question *question, const char *variable, struct value *value)
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

static enum answer read_variable(const struct question *question, const char *variable, struct value *value)
{
    (void)question;
    return variable && *variable ? present(value, variable) : UNKNOWN;
}

/* A number of processes: 1 to 999,999,999. */
static enum answer read_number(const struct question *question, const char *variable, struct value *value)
{
    (void)question;
    if (!variable || *variable == '0')
        return UNKNOWN;
    size_t digits = strspn(variable, "0123456789");
    return digits > 0 && digits < 10 && !variable[digits] ? present(value, variable) : UNKNOWN;
}

static enum answer read_path(const struct question *question, const char *variable, struct value *value)
{
    (void)question;
    return variable && *variable == '/' ? present(value, variable) : UNKNOWN;
}

/* A launcher that is there, and keeps the number of processes to itself. */
static enum answer read_silence(const struct question *question, const char *variable, struct value *value)
{
    (void)question;
    (void)value;
    return variable ? ABSENT : UNKNOWN;
}

static enum answer read_one(const struct question *question, const char *variable, struct value *value)
{
    (void)question;
    (void)variable;
    return present(value, "1");
}

static enum answer read_host(const struct question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->start->system ? present(value, question->start->system->nodename) : UNKNOWN;
}

static enum answer read_arch(const struct question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->start->system ? present(value, question->start->system->machine) : UNKNOWN;
}

static enum answer read_directory(const struct question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->start->directory ? present(value, question->start->directory) : UNKNOWN;
}

static enum answer read_level(const struct question *question, const char *variable, struct value *value)
{
    (void)variable;
    return question->level ? present(value, levels[(question->level - FIRST_SESSION) % LEVELS]) : UNKNOWN;
}

/* Processes of the job. A PMIx server, and Hydra with a port for PMI, tell it on request only. */
#define SIZE(key)                                                                                                      \
    {key, "OMPI_COMM_WORLD_SIZE", read_number}, {key, "PMI_SIZE", read_number},                                        \
        {key, "SLURM_STEP_NUM_TASKS", read_number}, {key, "SLURM_NTASKS", read_number},                                \
        {key, "PMIX_NAMESPACE", read_silence}, {key, "PMI_PORT", read_silence},                                        \
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
    {"thread_level", "MPI_Init_thread, MPI_Session_init", read_level},
};

#define READERS (sizeof readers / sizeof *readers)
#define KEYS    9U

struct pairs {
    size_t count;
    rcuinfo_change_t values[KEYS];
    rcuinfo_change_t sources[KEYS];
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
static void read_all(const struct question *question, size_t limit, char *texts, struct pairs *pairs)
{
    const char *variables[READERS];
    const char *decided = "";
    find_variables(question->start, variables);
    pairs->count = 0;
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
            continue;
        pairs->values[pairs->count] = (rcuinfo_change_t){.key = readers[i].key, .value = value.text};
        pairs->sources[pairs->count++] = (rcuinfo_change_t){.key = readers[i].key, .value = readers[i].source};
    }
}

static rcuinfo_status_t make(const rcuinfo_change_t *changes, size_t count, rcuinfo_t *info)
{
    rcuinfo_status_t status = rcuinfo_create(info);
    if (status != RCUINFO_SUCCESS)
        return status;
    status = rcuinfo_update(*info, changes, count, NULL);
    if (status != RCUINFO_SUCCESS) {
        rcuinfo__discard(*info);
        *info = RCUINFO_NULL;
    }
    return status;
}

static rcuinfo_status_t describe(const struct question *question, struct rcuinfo__limits limits, rcuinfo_t *info,
                                 rcuinfo_t *sources)
{
    struct pairs pairs;
    char *texts = rcuinfo__alloc(KEYS * limits.value);
    if (!texts)
        return RCUINFO_ERR_NO_MEM;
    read_all(question, limits.value, texts, &pairs);
    rcuinfo_status_t status = make(pairs.values, pairs.count, info);
    if (status == RCUINFO_SUCCESS && sources) {
        status = make(pairs.sources, pairs.count, sources);
        if (status != RCUINFO_SUCCESS) {
            rcuinfo__discard(*info);
            *info = RCUINFO_NULL;
        }
    }
    rcuinfo__alloc_free(texts);
    return status;
}

rcuinfo_status_t rcuinfo__env_describe(const struct rcuinfo__start *start, int argc, char *argv[],
                                       struct rcuinfo__limits limits, rcuinfo_t *info, rcuinfo_t *sources)
{
    struct question question = {.start = start, .argc = argc, .argv = argv};
    question.level = atomic_load_explicit(&asked, RCUINFO__LEVEL_CONSUME); /* [P10] consume */
    return describe(&question, limits, info, sources);
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

void rcuinfo__env_ask(bool by_world, const char *level)
{
    int name = 0;
    while (name < LEVELS && strcmp(levels[name], level) != 0)
        name++;
    if (name == LEVELS)
        return;
    int mine = (by_world ? FIRST_WORLD : FIRST_SESSION) + name;
    int now = atomic_load_explicit(&asked, RCUINFO__COUNT);
    /* [P10] publish */
    while (now < mine &&
           !atomic_compare_exchange_weak_explicit(&asked, &now, mine, RCUINFO__LEVEL_PUBLISH, RCUINFO__COUNT))
        continue;
}

/* Puts the pairs of `more` whose keys `info` lacks behind its own. */
static rcuinfo_status_t append(rcuinfo_t info, const rcuinfo_snapshot_t *more)
{
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    rcuinfo_pair_t pair;
    for (size_t n = 0; status == RCUINFO_SUCCESS && rcuinfo_snapshot_nth(more, n, &pair) == RCUINFO_SUCCESS; n++) {
        int length, flag;
        status = rcuinfo_get_valuelen(info, pair.key, &length, &flag);
        if (status == RCUINFO_SUCCESS && !flag)
            status = rcuinfo_set(info, pair.key, pair.value);
    }
    return status;
}

static rcuinfo_status_t make_shared(const struct rcuinfo__env_shared *shared, int level, struct rcuinfo__limits limits,
                                    rcuinfo_t *info)
{
    struct question question = {.start = rcuinfo__start(), .level = level};
    const rcuinfo_snapshot_t *more = level < FIRST_WORLD ? NULL : atomic_load_explicit(&shared->more, RCUINFO__COUNT);
    if (!question.start)
        return RCUINFO_ERR_NO_MEM;
    rcuinfo_status_t status = describe(&question, limits, info, NULL);
    if (status == RCUINFO_SUCCESS && more)
        status = append(*info, more);
    if (status == RCUINFO_SUCCESS)
        return rcuinfo__freeze(info);
    rcuinfo__discard(*info);
    return status;
}

rcuinfo_t rcuinfo__env_shared(struct rcuinfo__env_shared *shared, struct rcuinfo__limits limits)
{
    int level = atomic_load_explicit(&asked, RCUINFO__LEVEL_CONSUME); /* [P10] consume */
    _Atomic rcuinfo_t *place = &shared->made[level];
    rcuinfo_t info = atomic_load_explicit(place, RCUINFO__SHARED_CONSUME); /* [P9] consume */
    rcuinfo_t mine;
    if (info || make_shared(shared, level, limits, &mine) != RCUINFO_SUCCESS)
        return info;
    /* [P9] publish */
    if (atomic_compare_exchange_strong_explicit(place, &info, mine, RCUINFO__SHARED_PUBLISH, RCUINFO__SHARED_CONSUME))
        return mine;
    rcuinfo__discard(mine);
    return info;
}

bool rcuinfo__env_is_shared(const struct rcuinfo__env_shared *shared, rcuinfo_t info)
{
    for (int level = 0; level < RCUINFO__ENV_SHARED; level++) {
        if (atomic_load_explicit(&shared->made[level], RCUINFO__SHARED_CONSUME) == info) /* [P9] consume */
            return true;
    }
    return false;
}

rcuinfo_t rcuinfo_env(void)
{
    static struct rcuinfo__env_shared shared;
    return rcuinfo__env_shared(&shared, RCUINFO__NATIVE_LIMITS);
}

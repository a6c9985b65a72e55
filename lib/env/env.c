/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * env: builds MPI_INFO_ENV and the infos of rcuinfo_env_create. A table lists the sources of each key with a function
 * that reads the source. The sources of a key are tried in order, and the first that knows the answer decides. They
 * were all read at load (env/start.h), so equal calls give equal infos.
 *
 * The shared objects, that of rcuinfo_env and the MPI_INFO_ENV of each flavour, have reserved slots, so that their
 * handles are known before they are created.
 */
#include <rcuinfo/env.h>

#include <string.h>

#include "core/calls/build.h"
#include "core/calls/object.h"
#include "core/text.h"
#include "env/start.h"
#include "env/env.h"

/* What readers read: the start of the process, and the caller's arguments. */
struct question {
    const struct rcuinfo__start *start;
    int argc;
    char **argv; /* valid */
};

/* A value that is being put together. It is cut at limit - 1 bytes. */
struct value {
    char *text;
    size_t limit;
    size_t length;
};

/* ABSENT: the key is left out: it has no value, or no later source can know it. UNKNOWN: try the next. */
enum answer { UNKNOWN, ABSENT, PRESENT };

/* `variable`: the value of the environment variable that is the source, or NULL. */
typedef enum answer reader_t(const struct question *question, const char *variable, struct value *value);
#define UNUSED __attribute__((unused))
#define READER(name)                                                                                                   \
    static enum answer name(const struct question *question UNUSED, const char *variable UNUSED,                       \
                            struct value *value UNUSED)

/* By their numbers. */
static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                     "MPI_THREAD_MULTIPLE"};
#define LEVELS (sizeof levels / sizeof *levels)

static void append_text(struct value *value, const char *text)
{
    size_t length = strnlen(text, value->limit - 1 - value->length);
    memcpy(value->text + value->length, text, length);
    value->length += length;
    value->text[value->length] = '\0';
}

static enum answer answer_with(struct value *value, const char *text)
{
    append_text(value, text);
    return PRESENT;
}

/* Joins the arguments by blanks; blanks within an argument are not quoted. */
READER(read_callers_argv)
{
    for (int i = 1; i < question->argc && value->length + 1 < value->limit; i++) {
        append_text(value, i > 1 ? " " : "");
        append_text(value, question->argv[i]);
    }
    return question->argc > 1 ? PRESENT : question->argc == 1 ? ABSENT : UNKNOWN;
}

/* Defines a reader of a text of the question or its start; NULL: not known. */
#define READS(name, its_text)                                                                                          \
    READER(name)                                                                                                       \
    {                                                                                                                  \
        const struct rcuinfo__start *start UNUSED = question->start;                                                   \
        const char *text = (its_text);                                                                                 \
        return text ? answer_with(value, text) : UNKNOWN;                                                              \
    }
READS(read_callers_command, question->argc > 0 ? question->argv[0] : NULL)
READS(read_own_command, start->arguments_bytes ? start->arguments : NULL)
READS(read_one, start->environment_known ? "1" : NULL)
READS(read_host, start->system ? start->system->nodename : NULL)
READS(read_arch, start->system ? start->system->machine : NULL)
READS(read_directory, start->directory)

READER(read_own_argv)
{
    const struct rcuinfo__start *start = question->start;
    if (!start->arguments_bytes)
        return UNKNOWN;

    /* "command\0first\0second\0" */
    const char *end = start->arguments + start->arguments_bytes;
    const char *first = start->arguments + strlen(start->arguments) + 1;
    for (const char *at = first; at < end && value->length + 1 < value->limit; at += strlen(at) + 1) {
        append_text(value, at > first ? " " : "");
        append_text(value, at);
    }
    return first < end ? PRESENT : ABSENT;
}

READER(read_variable)
{
    return variable && *variable ? answer_with(value, variable) : UNKNOWN;
}

/* A number of processes from 1 to 999,999,999, without leading zeros. */
READER(read_number)
{
    if (!variable || *variable == '0')
        return UNKNOWN;
    size_t digits = strspn(variable, "0123456789");
    return digits > 0 && digits < 10 && !variable[digits] ? answer_with(value, variable) : UNKNOWN;
}

READER(read_path)
{
    return variable && *variable == '/' ? answer_with(value, variable) : UNKNOWN;
}

/* The variable belongs to a launcher that does not tell the number of processes. */
READER(read_silence)
{
    return variable ? ABSENT : UNKNOWN;
}

/* The number of a thread level, as for Open MPI. */
READER(read_level_number)
{
    bool known = variable && variable[0] >= '0' && variable[0] < '0' + (int)LEVELS && !variable[1];
    return known ? answer_with(value, levels[variable[0] - '0']) : UNKNOWN;
}

/* Whether the text is that name in upper or lower case. */
static bool is_level(const char *text, const char *name)
{
    while (*name && rcuinfo__text_lower(*text) == rcuinfo__text_lower(*name)) {
        text++;
        name++;
    }
    return !*text && !*name;
}

/* The name of a thread level in upper or lower case, as for MPICH. */
READER(read_level_name)
{
    for (size_t i = 0; variable && i < LEVELS; i++) {
        if (is_level(variable, levels[i]))
            return answer_with(value, levels[i]);
    }
    return UNKNOWN;
}

/* The number of processes of the job. Hydra with -pmi-port, and a PMIx server, tell it on request only. */
#define SIZE(key)                                                                                                      \
    {key, "OMPI_COMM_WORLD_SIZE", read_number}, {key, "PMI_SIZE", read_number}, {key, "PMI_PORT", read_silence},       \
        {key, "SLURM_STEP_NUM_TASKS", read_number}, {key, "SLURM_NTASKS", read_number},                                \
        {key, "PMIX_NAMESPACE", read_silence},                                                                         \
    {                                                                                                                  \
        key, "no launcher", read_one                                                                                   \
    }

/*
 * The caller comes first, then the launcher, then the operating system. Only the kernel's command line precedes the
 * launcher's, since the launcher may have started a script or another command that started this process. Batch systems
 * are the last of the launchers, because other launchers run in their jobs and inherit their variables.
 */
static const struct {
    const char *key;
    const char *source; /* the name of a variable, or a description */
    reader_t *read;
} readers[] = {
    {"command", "the caller's arguments", read_callers_command},
    {"command", "/proc/thread-self/cmdline", read_own_command},
    {"command", "OMPI_COMMAND", read_variable},
    {"argv", "the caller's arguments", read_callers_argv},
    {"argv", "/proc/thread-self/cmdline", read_own_argv},
    {"argv", "OMPI_ARGV", read_variable},
    SIZE("maxprocs"),
    SIZE("soft"),
    {"host", "PMIX_HOSTNAME", read_variable},
    {"host", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME", read_variable},
    {"host", "PMI_HOSTNAME", read_variable},
    {"host", "SLURMD_NODENAME", read_variable},
    {"host", "uname", read_host},
    {"arch", "uname", read_arch},
    {"wdir", "OMPI_MCA_initial_wdir", read_path},
    {"wdir", "the directory at load", read_directory},
    {"file", "OMPI_MCA_orte_default_hostfile", read_variable},
    {"file", "SLURM_HOSTFILE", read_variable},
    {"thread_level", "OMPI_MPI_THREAD_LEVEL", read_level_number},
    {"thread_level", "MPIR_CVAR_DEFAULT_THREAD_LEVEL", read_level_name},
};

#define READERS    (sizeof readers / sizeof *readers)
#define KEYS       9U
#define USUAL_TEXT 512U /* bytes of the pairs, so that most descriptions are allocated only once */

/* Finds the variables of all readers in a single pass. Of two variables of the same name the first counts, as for
 * getenv. */
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

/* Describes a process: builds the values or, with `sources`, where they come from. Drops the build on failure. */
static rcuinfo_status_t describe(const struct question *question, struct rcuinfo__limits limits, bool sources,
                                 struct rcuinfo__build *build)
{
    const char *variables[READERS];
    const char *decided = ""; /* the key whose remaining readers are skipped */
    char text[RCUINFO_MAX_VALUE];
    rcuinfo_status_t status = RCUINFO_SUCCESS;

    find_variables(question->start, variables);
    rcuinfo__build_begin(build, KEYS, USUAL_TEXT);
    for (size_t i = 0; i < READERS && status == RCUINFO_SUCCESS; i++) {
        struct value value = {.text = text, .limit = limits.value};
        if (strcmp(readers[i].key, decided) == 0)
            continue;

        text[0] = '\0';
        enum answer answer = readers[i].read(question, variables[i], &value);
        if (answer != UNKNOWN)
            decided = readers[i].key;
        if (answer == PRESENT)
            status =
                rcuinfo__build_set(build, readers[i].key, sources ? readers[i].source : text, RCUINFO__NATIVE_LIMITS);
    }

    if (status != RCUINFO_SUCCESS)
        rcuinfo__build_drop(build);
    return status;
}

/* Same, and makes an object of it. */
static rcuinfo_status_t make_description(const struct question *question, struct rcuinfo__limits limits, bool sources,
                                         rcuinfo_t *info)
{
    struct rcuinfo__build build;
    rcuinfo_status_t status = describe(question, limits, sources, &build);
    return status == RCUINFO_SUCCESS ? rcuinfo__build_object(&build, info) : status;
}

rcuinfo_status_t rcuinfo__env_describe(const struct rcuinfo__start *start, int argc, char *argv[],
                                       struct rcuinfo__limits limits, rcuinfo_t *info, rcuinfo_t *sources)
{
    struct question question = {.start = start, .argc = argc, .argv = argv};
    *info = RCUINFO_NULL;

    /* Both objects or none. */
    rcuinfo_status_t status = make_description(&question, limits, false, info);
    if (status == RCUINFO_SUCCESS && sources) {
        status = make_description(&question, limits, true, sources);
        if (status != RCUINFO_SUCCESS)
            (void)rcuinfo_free(info);
    }
    return status;
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

rcuinfo_status_t rcuinfo_env_create(int argc, char *argv[], rcuinfo_t *info)
{
    return rcuinfo__env_create(argc, argv, RCUINFO__NATIVE_LIMITS, info);
}

/* Creates a shared object, unless another thread has done so. Does nothing without memory. */
static void create_shared(enum rcuinfo__env which, struct rcuinfo__limits limits)
{
    struct question question = {.start = rcuinfo__start()};
    struct rcuinfo__build build;
    if (question.start && describe(&question, limits, false, &build) == RCUINFO_SUCCESS)
        (void)!rcuinfo__object_reserve(which, rcuinfo__build_finish(&build, 1));
}

rcuinfo_t rcuinfo__env_shared(enum rcuinfo__env which, struct rcuinfo__limits limits)
{
    rcuinfo_t info = rcuinfo__object_reserved(which);
    if (info)
        return info;
    create_shared(which, limits);
    return rcuinfo__object_reserved(which);
}

/* Whether rcuinfo_env_create may give that key. */
static bool is_described(const char *key)
{
    for (size_t i = 0; i < READERS; i++) {
        if (strcmp(readers[i].key, key) == 0)
            return true;
    }
    return false;
}

void rcuinfo__env_learn(enum rcuinfo__env which, struct rcuinfo__limits limits, rcuinfo_change_t *pairs, size_t n)
{
    /* For the keys that we describe the real library may have other values, which are not as good: its thread_level is
     * what MPI_Init_thread asked for, and its argv is that of the script or `rcuinfo run` that orterun started. */
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_described(pairs[i].key))
            pairs[kept++] = pairs[i];
    }

    rcuinfo_t info = rcuinfo__env_shared(which, limits);
    if (info && kept)
        (void)!rcuinfo__object_update(info, pairs, kept);
}

rcuinfo_t rcuinfo_env(void)
{
    return rcuinfo__env_shared(RCUINFO__ENV_NATIVE, RCUINFO__NATIVE_LIMITS);
}

rcuinfo_status_t rcuinfo_env_add(const rcuinfo_change_t *pairs, size_t n)
{
    if (!pairs && n)
        return RCUINFO_ERR_ARG;
    for (size_t i = 0; i < n; i++) {
        if (!pairs[i].key || is_described(pairs[i].key))
            return RCUINFO_ERR_KEY;
        if (!pairs[i].value) /* which would delete the pair */
            return RCUINFO_ERR_VALUE;
    }
    rcuinfo_t info = rcuinfo_env();
    return info ? rcuinfo__object_update(info, pairs, n) : RCUINFO_ERR_NO_MEM;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spawn: MPI_Comm_spawn and MPI_Comm_spawn_multiple. If this process was started by `rcuinfo run`, so are those that it
 * spawns, with the same options: their environment is that of the launcher. RCUINFO_RUN has the words to
 * put in front of a command, one in each line.
 *
 * `rcuinfo run` executes the program in its own place, so MPI_INFO_ENV in the spawned process says what the command
 * says. A command that is not found here is passed on unchanged, for the error of the MPI library.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory/alloc.h"
#include "env/start.h"
#include "mpi/interpose/lend.h"
#include "mpi/interpose/real.h"

/* One command of a call. */
struct command {
    struct rcuinfo__loan loan;
    MPI_Info copy; /* of loan.real, without "path"; MPI_INFO_NULL: none */
    char **words;  /* the words that start the command under `rcuinfo run`; NULL: it is passed on unchanged */
};

/* What a call passes on: on its root, the wrapped commands, with their words and real infos; elsewhere, where they are
 * not significant, what the program has passed. */
struct batch {
    char **names;
    char ***arguments;
    const MPI_Info *infos;
    struct command *commands; /* NULL: none is lent. The arrays above follow in the same memory */
    int count;                /* of these */
    int code;                 /* of the call */
};

static bool is_executable(const char *directory, size_t length, const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, directory, name);
    return written < (int)sizeof path && stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Whether a command is found, as launchers do it: in the working directory and, without a slash, in PATH. */
static bool is_found(const char *name, const char *directory)
{
    const char *path = strchr(name, '/') ? NULL : rcuinfo__start_variable("PATH");
    if (*name == '/' ? is_executable("", 0, name) : is_executable(directory, strlen(directory), name))
        return true;

    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        if (length > 0 ? is_executable(path, length, name) : is_executable(".", 1, name))
            return true;
    }
    return false;
}

/* Gets a value of the real info. */
static bool get(const struct command *command, const char *key, char value[MPI_MAX_INFO_VAL + 1])
{
    int found = 0;
    return command->loan.real != MPI_INFO_NULL &&
           RCUINFO__NEXT(PMPI_Info_get)(command->loan.real, key, MPI_MAX_INFO_VAL, value, &found) == MPI_SUCCESS &&
           found;
}

/* Sets the command's words. Returns a code, after an error that has been raised. */
static int wrap(struct command *command, const char *name, char *const arguments[])
{
    const char *runner = rcuinfo__start_variable("RCUINFO_RUN");
    char path[MPI_MAX_INFO_VAL + 2] = "", directory[MPI_MAX_INFO_VAL + 1] = ".";
    size_t own = runner ? strcspn(runner, "\n") : 0;
    if (own == 0 || !name || !*name || (strncmp(runner, name, own) == 0 && !name[own]))
        return MPI_SUCCESS;

    /* MPICH executes the file PATH/COMMAND, which would be that of `rcuinfo run`. Open MPI does not know the key. */
    bool has_path = RCUINFO__REAL_MPIS != RCUINFO__OPENMPI && get(command, "path", path);
    if (has_path)
        strcat(path, "/");
    (void)get(command, "wdir", directory);

    size_t count = 2, before = strlen(runner) + 1;
    for (const char *line = runner; (line = strchr(line, '\n')); line++)
        count++;
    for (char *const *argument = arguments; argument && *argument; argument++)
        count++;

    char **words = rcuinfo__alloc((count + 1) * sizeof *words + before + strlen(path) + strlen(name) + 1);
    if (!words)
        return rcuinfo__mpi_done(RCUINFO_ERR_NO_MEM, command->loan.function);
    char *text = (char *)(words + count + 1), *program = text + before, *rest = NULL;
    strcat(strcpy(program, path), name);
    if (!is_found(program, directory)) {
        rcuinfo__alloc_free(words);
        return MPI_SUCCESS;
    }

    char **next = command->words = words;
    for (char *word = strtok_r(strcpy(text, runner), "\n", &rest); word; word = strtok_r(NULL, "\n", &rest))
        *next++ = word;
    *next++ = program;
    while (arguments && *arguments)
        *next++ = *arguments++;
    *next = NULL;

    int code = has_path ? RCUINFO__NEXT(PMPI_Info_dup)(command->loan.real, &command->copy) : MPI_SUCCESS;
    return has_path && code == MPI_SUCCESS ? RCUINFO__NEXT(PMPI_Info_delete)(command->copy, "path") : code;
}

/* Ends the loans when the call is left: also by an exception of an error handler, as if it had failed. */
static void end(struct batch *batch)
{
    for (int n = 0; n < batch->count; n++) {
        struct command *command = &batch->commands[n];
        command->loan.code = batch->code;
        rcuinfo__lend_end(&command->loan);
        if (command->copy != MPI_INFO_NULL)
            (void)RCUINFO__NEXT(PMPI_Info_free)(&command->copy);
        rcuinfo__alloc_free(command->words);
    }
    rcuinfo__alloc_free(batch->commands);
}

/* If this is the root, lends the infos of a call, and wraps its commands. `batch`: what is passed on elsewhere; its
 * arguments may be NULL, which is MPI_ARGVS_NULL. Returns a code, after an error that has been raised. */
static int begin(struct batch *batch, const char *function, const void *caller, int count, const MPI_Info infos[],
                 int root, MPI_Comm comm)
{
    const struct rcuinfo__loan call = {.function = function, .caller = caller, .object = RCUINFO_OBJECT_SPAWN};
    bool is_root;
    int code = rcuinfo__real_is_root(comm, root, &is_root);
    if (code != MPI_SUCCESS || !is_root || count <= 0)
        return code;

    batch->commands = rcuinfo__alloc((size_t)count * (sizeof *batch->commands + sizeof *batch->infos +
                                                      sizeof *batch->arguments + sizeof *batch->names));
    if (!batch->commands)
        return rcuinfo__mpi_done(RCUINFO_ERR_NO_MEM, function);
    char ***arguments = (char ***)(batch->commands + count);
    char **names = (char **)(arguments + count);
    MPI_Info *real = (MPI_Info *)(names + count);

    for (int n = 0; n < count && code == MPI_SUCCESS; n++) {
        struct command *command = &batch->commands[n];
        *command = (struct command){.loan = call, .copy = MPI_INFO_NULL};
        command->loan.frame = (uintptr_t)batch - (unsigned)n; /* as if each was called by the one before */
        command->loan.name = batch->names[n];
        command->loan.info = infos[n];
        code = rcuinfo__lend(&command->loan, rcuinfo__mpi_done);
        if (code != MPI_SUCCESS)
            break;

        batch->count++;
        arguments[n] = batch->arguments ? batch->arguments[n] : NULL;
        names[n] = batch->names[n];
        code = wrap(command, names[n], arguments[n]);
        real[n] = command->copy != MPI_INFO_NULL ? command->copy : command->loan.real;
        if (command->words) {
            names[n] = command->words[0];
            arguments[n] = command->words + 1;
        }
    }

    batch->names = names;
    batch->arguments = arguments;
    batch->infos = real;
    return code;
}

#define SPAWN(name, function)                                                                                          \
    int rcuinfo__##name(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,       \
                        MPI_Comm *intercomm, int array_of_errcodes[])                                                  \
    {                                                                                                                  \
        const MPI_Info none = MPI_INFO_NULL;                                                                           \
        char *program = (char *)(uintptr_t)command;                                                                    \
        __attribute__((cleanup(end))) struct batch batch = {                                                           \
            .names = &program, .arguments = &argv, .infos = &none, .code = MPI_ERR_OTHER};                             \
        if (rcuinfo__interpose_passes(info))                                                                           \
            return RCUINFO__NEXT(name)(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);       \
        int code = begin(&batch, function, __builtin_return_address(0), program ? 1 : 0, &info, root, comm);           \
        if (code != MPI_SUCCESS)                                                                                       \
            return batch.code = code;                                                                                  \
        return batch.code = RCUINFO__INTERPOSE_CALL(RCUINFO__NEXT(name)(                                               \
                   *batch.names, *batch.arguments, maxprocs, *batch.infos, root, comm, intercomm, array_of_errcodes)); \
    }

/* Whether all infos of a call are passed on as they are. Only the root's can be read: elsewhere they may be anything.
 */
static inline __attribute__((always_inline)) bool all_pass(int count, const MPI_Info infos[])
{
    int n = 0;
    while (n < count && rcuinfo__interpose_is_within() && rcuinfo__interpose_passes(infos[n]))
        n++;
    return n == count;
}

/* Open MPI 4.1 reads array_of_info[0] even if the count is 0, and it must not be one of ours. */
#define SPAWN_MULTIPLE(name, function)                                                                                 \
    int rcuinfo__##name(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],   \
                        const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,                  \
                        int array_of_errcodes[])                                                                       \
    {                                                                                                                  \
        const MPI_Info none = MPI_INFO_NULL, *infos = array_of_info && count <= 0 ? &none : array_of_info;             \
        __attribute__((cleanup(end))) struct batch batch = {                                                           \
            .names = array_of_commands, .arguments = array_of_argv, .infos = infos, .code = MPI_ERR_OTHER};            \
        int lent = array_of_commands && array_of_info && !all_pass(count, array_of_info) ? count : 0;                  \
        int code = begin(&batch, function, __builtin_return_address(0), lent, array_of_info, root, comm);              \
        if (code != MPI_SUCCESS)                                                                                       \
            return batch.code = code;                                                                                  \
        return batch.code = RCUINFO__INTERPOSE_CALL(RCUINFO__NEXT(name)(count, batch.names, batch.arguments,           \
                                                                        array_of_maxprocs, batch.infos, root, comm,    \
                                                                        intercomm, array_of_errcodes));                \
    }

SPAWN(MPI_Comm_spawn, "MPI_Comm_spawn")
SPAWN(PMPI_Comm_spawn, "MPI_Comm_spawn")
SPAWN_MULTIPLE(MPI_Comm_spawn_multiple, "MPI_Comm_spawn_multiple")
SPAWN_MULTIPLE(PMPI_Comm_spawn_multiple, "MPI_Comm_spawn_multiple")

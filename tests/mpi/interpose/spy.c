/* SPDX-License-Identifier: BSD-3-Clause */
#include "interpose/spy.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct spy spy = {.answer = MPI_SUCCESS, .fail_as = MPI_ERR_OTHER};
_Thread_local struct came_down came_down = {.function = ""};

spy_function_t *spy_native(const char *name)
{
    spy_function_t *next;
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    memcpy(&next, &found, sizeof next);
    return next;
}

/* Reads the pairs before the real library gets the info, which it may change. */
static void spy_record(const char *name, int n, MPI_Info info)
{
    int nkeys = 0;
    if (info != MPI_INFO_NULL && NATIVE(PMPI_Info_get_nkeys)(info, &nkeys) != MPI_SUCCESS)
        abort();
    came_down.function = name;
    came_down.infos[n] = info;
    came_down.pairs[n][0] = '\0';
    for (int i = 0; i < nkeys; i++) {
        char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
        int flag = 0;
        size_t used = strlen(came_down.pairs[n]);
        NATIVE(PMPI_Info_get_nthkey)(info, i, key);
        NATIVE(PMPI_Info_get)(info, key, MPI_MAX_INFO_VAL, value, &flag);
        snprintf(came_down.pairs[n] + used, CAME_TEXT - used, "%s=%s;", key, value);
    }
}

static void record_command(const char *command, char *arguments[])
{
    snprintf(came_down.command, CAME_TEXT, "%s;", command);
    for (; arguments && *arguments; arguments++) {
        size_t used = strlen(came_down.command);
        snprintf(came_down.command + used, CAME_TEXT - used, "%s;", *arguments);
    }
}

/* The action of a stubbed function that returns an info. */
static int spy_give_info(MPI_Info *info)
{
    if (spy.answer != MPI_SUCCESS || spy.given_count < -1)
        return spy.answer;
    *info = MPI_INFO_NULL;
    int code = spy.given_count < 0 ? MPI_SUCCESS : NATIVE(PMPI_Info_create)(info);
    for (int i = 0; i < spy.given_count && code == MPI_SUCCESS; i++)
        code = NATIVE(PMPI_Info_set)(*info, spy.given[2 * (size_t)i], spy.given[2 * (size_t)i + 1]);
    return code;
}

static int counted(int code, int difference)
{
    if (code == MPI_SUCCESS)
        atomic_fetch_add_explicit(&spy.real_infos, difference, memory_order_relaxed);
    return code;
}

static int write_resource(MPI_Info info)
{
    if (spy.resource && (NATIVE(PMPI_Info_set)(info, "mpi_hw_resource_type", spy.resource) != MPI_SUCCESS ||
                         NATIVE(PMPI_Info_set)(info, "of_the_library", "x") != MPI_SUCCESS))
        abort();
    return spy.answer;
}

static bool is_in(void *address, const char *name)
{
    Dl_info at;
    return dladdr(address, &at) && at.dli_fname && strstr(at.dli_fname, name);
}

/* Whether the interposer has called the function that calls this one: not the tests, nor the real library, whose calls
 * it passes on. (MPICH 4.2's ROMIO requests the info of a communicator, and frees it itself.) */
static __attribute__((noinline)) bool by_interposer(void *caller)
{
    void *frames[16];
    int n = 0, count = backtrace(frames, sizeof frames / sizeof *frames);
    if (!is_in(caller, "librcuinfo_"))
        return false;
    while (n < count && !is_in(frames[n], "librcuinfo_"))
        n++;
    while (n < count && is_in(frames[n], "librcuinfo_"))
        n++;
    return n == count || !(is_in(frames[n], "/libmpi") || is_in(frames[n], "/mca_"));
}

#define BY_INTERPOSER by_interposer(__builtin_extract_return_addr(__builtin_return_address(0)))

#define SPY_ON_IN(name, parameters, arguments)                                                                         \
    SPY_API int name parameters                                                                                        \
    {                                                                                                                  \
        MPI_Info real = info;                                                                                          \
        spy_record(#name, 0, info);                                                                                    \
        return spy.stubs ? spy.answer : P##name arguments;                                                             \
    }

#define SPY_ON_OUT(name, parameters, arguments)                                                                        \
    SPY_API int name parameters                                                                                        \
    {                                                                                                                  \
        MPI_Info *real = info_used;                                                                                    \
        MPI_Info before = info_used ? *info_used : MPI_INFO_NULL;                                                      \
        if (!BY_INTERPOSER)                                                                                            \
            return P##name arguments;                                                                                  \
        int code = spy.stubs && info_used ? spy_give_info(info_used) : P##name arguments;                              \
        came_down.function = #name;                                                                                    \
        return counted(code, info_used && *info_used != MPI_INFO_NULL && *info_used != before);                        \
    }

#define SPY_ON_INOUT(name, parameters, arguments)                                                                      \
    SPY_API int name parameters                                                                                        \
    {                                                                                                                  \
        MPI_Info real = info;                                                                                          \
        spy_record(#name, 0, info);                                                                                    \
        return spy.stubs ? write_resource(info) : P##name arguments;                                                   \
    }                                                                                                                  \
    SPY_API int P##name parameters                                                                                     \
    {                                                                                                                  \
        MPI_Info real = info;                                                                                          \
        return spy.stubs && spy.resource ? write_resource(info) : NATIVE(P##name) arguments;                           \
    }
#define SPY_ON_OUT_NULL(name, parameters, arguments) SPY_ON_OUT(name, parameters, arguments)
#define SPY_ON_AT_ROOT(name, parameters, arguments)  SPY_ON_IN(name, parameters, arguments)

#define SPY_ON_SPAWN(name, parameters, arguments)                                                                      \
    SPY_API int name parameters                                                                                        \
    {                                                                                                                  \
        MPI_Info real = info;                                                                                          \
        spy_record(#name, 0, info);                                                                                    \
        record_command(command, argv);                                                                                 \
        return spy.stubs ? spy.answer : P##name arguments;                                                             \
    }

#define SPY_ON_TOOL_IN(name, parameters, arguments)       SPY_ON_IN(name, parameters, arguments)
#define SPY_ON_TOOL_OUT(name, parameters, arguments)      SPY_ON_OUT(name, parameters, arguments)
#define SPY_ON(kind, name, object, parameters, arguments) SPY_ON_##kind(name, parameters, arguments)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
RCUINFO__FUNCTIONS(SPY_ON)
#pragma GCC diagnostic pop

SPY_API int MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                                    const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                                    MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[])
{
    int rank = -1;
    came_down.function = "MPI_Comm_spawn_multiple";
    came_down.array = array_of_info;
    PMPI_Comm_rank(comm, &rank);
    for (int n = 0; array_of_info && rank == root && n < count && n < CAME_INFOS; n++)
        spy_record("MPI_Comm_spawn_multiple", n, array_of_info[n]);
    return spy.stubs ? spy.answer
                     : PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs,
                                                array_of_info, root, comm, intercomm, array_of_errcodes);
}

static bool fails_now(_Atomic int *countdown)
{
    return atomic_load_explicit(countdown, memory_order_relaxed) > 0 &&
           atomic_fetch_sub_explicit(countdown, 1, memory_order_relaxed) == 1;
}

/* The last real info that the interposer has created in this thread. Sets in others are the real library's: it calls
 * PMPI_Info_set through the interposer. */
static _Thread_local MPI_Info made; /* zero is no info */

static int keep_made(int code, const MPI_Info *info)
{
    if (code == MPI_SUCCESS)
        made = *info;
    return counted(code, 1);
}

SPY_API int PMPI_Info_create(MPI_Info *info)
{
    if (!BY_INTERPOSER)
        return NATIVE(PMPI_Info_create)(info);
    return fails_now(&spy.fail_create) ? spy.fail_as : keep_made(NATIVE(PMPI_Info_create)(info), info);
}

SPY_API int PMPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
    if (!BY_INTERPOSER)
        return NATIVE(PMPI_Info_dup)(info, newinfo);
    return fails_now(&spy.fail_create) ? spy.fail_as : keep_made(NATIVE(PMPI_Info_dup)(info, newinfo), newinfo);
}

SPY_API int PMPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    return info == made && BY_INTERPOSER && fails_now(&spy.fail_set) ? spy.fail_as
                                                                     : NATIVE(PMPI_Info_set)(info, key, value);
}

SPY_API int PMPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    if (!spy.longer || !BY_INTERPOSER)
        return NATIVE(PMPI_Info_get)(info, key, valuelen, value, flag);
    memset(value, 'v', (size_t)valuelen - 1);
    value[valuelen - 1] = '\0';
    *flag = 1;
    return MPI_SUCCESS;
}

SPY_API int PMPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
    int code = NATIVE(PMPI_Info_get_valuelen)(info, key, valuelen, flag);
    if (spy.longer && BY_INTERPOSER)
        *valuelen = MPI_MAX_INFO_VAL;
    return code;
}

SPY_API int PMPI_Info_free(MPI_Info *info)
{
    if (BY_INTERPOSER)
        made = MPI_INFO_NULL;
    return counted(NATIVE(PMPI_Info_free)(info), BY_INTERPOSER ? -1 : 0);
}

SPY_API int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    return BY_INTERPOSER && fails_now(&spy.fail_rank) ? spy.fail_as : NATIVE(PMPI_Comm_rank)(comm, rank);
}

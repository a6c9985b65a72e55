/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward: the functions of table.h, each in front of the next definition of the same name.
 *
 * Invariant: between lending and taking back nothing but the next function runs. That is long enough for what begins
 * here and ends later, too: MPICH 4.0.2 reads the hints of MPI_Comm_idup_with_info while it makes the communicator, in
 * the call, and neither library looks at the info of a persistent collective, a partitioned transfer or a tool's event.
 */
#include "core/alloc.h"
#include "mpi/interpose/interpose.h"
#include "mpi/interpose/table.h"

/* What rcuinfo__interpose_lend does, for an info that counts at the root only; *lent is the one that counts here. */
static int lend_at_root(MPI_Info info, int root, MPI_Comm comm, MPI_Info *lent, MPI_Info *real)
{
    bool is_root;
    int code = rcuinfo__interpose_is_root(comm, root, &is_root);
    *lent = is_root ? info : MPI_INFO_NULL;
    return code == MPI_SUCCESS ? rcuinfo__interpose_lend(*lent, real, rcuinfo__mpi_done) : code;
}

/* `lending`: lends `lent` as `real`, and gives a code. The reference to the PMPI function is weak, because the library
 * that runs may be older than the mpi.h. */
#define FORWARD(name, parameters, arguments, counts, lending)                                                          \
    extern __typeof__(P##name) P##name __attribute__((weak));                                                          \
    RCUINFO_API int name parameters                                                                                    \
    {                                                                                                                  \
        static _Atomic(rcuinfo__interpose_function_t) next;                                                            \
        MPI_Info lent = (counts);                                                                                      \
        MPI_Info real;                                                                                                 \
        int code = lending;                                                                                            \
        if (code != MPI_SUCCESS)                                                                                       \
            return code;                                                                                               \
        code = RCUINFO__INTERPOSE_NEXT(next, name) arguments;                                                          \
        rcuinfo__interpose_take_back(lent, real);                                                                      \
        return code;                                                                                                   \
    }

/* `adopts`: whether an info of ours is made of `given`. The real library gets what is its own: the ROMIO in MPICH 4.2
 * calls MPI_Comm_get_info by its public name. A NULL for the output goes on as it is: what it means is for the next
 * function to say. What that leaves unwritten stays so: once a handler of the program's has had the error, MPICH 5.0.2
 * returns MPI_SUCCESS for a call that failed. */
#define FORWARD_GIVEN(name, parameters, arguments, adopts, done)                                                       \
    extern __typeof__(P##name) P##name __attribute__((weak));                                                          \
    RCUINFO_API int name parameters                                                                                    \
    {                                                                                                                  \
        static _Atomic(rcuinfo__interpose_function_t) next;                                                            \
        MPI_Info given = MPI_INFO_ENV; /* which none of them gives */                                                  \
        MPI_Info *real = info_used ? &given : NULL;                                                                    \
        int code = RCUINFO__INTERPOSE_NEXT(next, name) arguments;                                                      \
        if (code != MPI_SUCCESS || !info_used || given == MPI_INFO_ENV)                                                \
            return code;                                                                                               \
        if ((adopts) && !rcuinfo__interpose_is_real_code(__builtin_return_address(0)))                                 \
            return rcuinfo__interpose_adopt(given, info_used, done);                                                   \
        *info_used = given;                                                                                            \
        return MPI_SUCCESS;                                                                                            \
    }

#define FORWARD_IN(name, parameters, arguments)                                                                        \
    FORWARD(name, parameters, arguments, info, rcuinfo__interpose_lend(lent, &real, rcuinfo__mpi_done))

#define FORWARD_AT_ROOT(name, parameters, arguments)                                                                   \
    FORWARD(name, parameters, arguments, MPI_INFO_NULL, lend_at_root(info, root, comm, &lent, &real))

/* The caller frees what it is given, so it is given one where the real library has none. */
#define FORWARD_OUT(name, parameters, arguments) FORWARD_GIVEN(name, parameters, arguments, true, rcuinfo__mpi_done)

#define FORWARD_TOOL_IN(name, parameters, arguments)                                                                   \
    FORWARD(name, parameters, arguments, info, rcuinfo__interpose_lend(lent, &real, rcuinfo__interpose_tool_done))

/* Here a caller may know that there is none to free. */
#define FORWARD_TOOL_OUT(name, parameters, arguments)                                                                  \
    FORWARD_GIVEN(name, parameters, arguments, given != MPI_INFO_NULL, rcuinfo__interpose_tool_done)

#define FORWARD_ROW(kind, name, parameters, arguments) FORWARD_##kind(name, parameters, arguments)
RCUINFO__INTERPOSE_TABLE(FORWARD_ROW)

static void take_back_all(const MPI_Info infos[], MPI_Info reals[], int count)
{
    for (int n = 0; n < count; n++)
        rcuinfo__interpose_take_back(infos[n], reals[n]);
    rcuinfo__alloc_free(reals);
}

/* What rcuinfo__interpose_lend does, for an array: all or none. The array is given back by take_back_all. */
static int lend_all(const MPI_Info infos[], int count, MPI_Info **reals)
{
    /* Open MPI's handles are pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    MPI_Info *lent = rcuinfo__alloc((size_t)count * sizeof *lent);
    if (!lent)
        return rcuinfo__mpi_done(RCUINFO_ERR_NO_MEM);
    for (int n = 0; n < count; n++) {
        int code = rcuinfo__interpose_lend(infos[n], &lent[n], rcuinfo__mpi_done);
        if (code != MPI_SUCCESS) {
            take_back_all(infos, lent, n);
            return code;
        }
    }
    *reals = lent;
    return MPI_SUCCESS;
}

RCUINFO_API int MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                                        const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                                        MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[])
{
    static _Atomic(rcuinfo__interpose_function_t) next;
    const MPI_Info none = MPI_INFO_NULL;
    const MPI_Info *infos = array_of_info;
    MPI_Info *reals = NULL;
    bool is_root;
    int code = rcuinfo__interpose_is_root(comm, root, &is_root);
    if (code != MPI_SUCCESS)
        return code;
    if (array_of_info && is_root) {
        if (count > 0) {
            code = lend_all(array_of_info, count, &reals);
            if (code != MPI_SUCCESS)
                return code;
            infos = reals;
        } else {
            /* Open MPI 4.1 looks at the first of none, too, and must not find one of ours. */
            infos = &none;
        }
    }
    code = RCUINFO__INTERPOSE_NEXT(next, MPI_Comm_spawn_multiple)(
        count, array_of_commands, array_of_argv, array_of_maxprocs, infos, root, comm, intercomm, array_of_errcodes);
    if (reals)
        take_back_all(array_of_info, reals, count);
    return code;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward: defines the functions that pass an info on (functions.txt), each by its names MPI_X and PMPI_X. Each calls
 * the next definition of the same name.
 *
 * Invariant: a loan lasts for one call of the next function. This is also sufficient for nonblocking and
 * persistent operations: MPICH 4.0.2 reads the hints of MPI_Comm_idup_with_info during the call, and neither library
 * reads the info of a persistent collective, a partitioned transfer or a tool's event.
 */
#include "mpi/interpose/adopt.h"
#include "mpi/interpose/lend.h"
#include "mpi/interpose/real.h"

/* The members of a loan for a row's object. The handle of an existing object is an argument, e.g. "&comm". */
#define OBJECT_OF(object_, handle_, name_)                                                                             \
    .object = RCUINFO_OBJECT_##object_, .handle = (handle_), .is_change = #handle_[0] == '&', .name = (name_)

/* rcuinfo__lend for an info that is significant only at the root. */
static int lend_at_root(struct rcuinfo__loan *loan, int root, MPI_Comm comm)
{
    bool is_root;
    int code = rcuinfo__real_is_root(comm, root, &is_root);
    if (code == MPI_SUCCESS && is_root)
        return rcuinfo__lend(loan, rcuinfo__mpi_done);

    loan->info = loan->real = MPI_INFO_NULL;
    loan->function = NULL; /* no hints on this process */
    return code;
}

/*
 * Defines a function that takes an info. `lending`: an expression that lends it and returns a code; `...`: other
 * members of the loan. The arguments use the macro's variables: `parameters` declares the info as `info`, `arguments`
 * passes `real` in its place, and `lending` may refer to `loan`. E.g. MPI_Alloc_mem becomes
 *
 *     int rcuinfo__MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *base)
 *     {
 *         if this call is not the program's, return next MPI_Alloc_mem(size, info, base);
 *         struct rcuinfo__loan loan = {.info = info, .function = "MPI_Alloc_mem", ...};
 *         lend, or return its error;
 *         code = next MPI_Alloc_mem(size, loan.real, base);
 *         end the loan; return code;
 *     }
 */
#define FORWARD(name_, parameters, arguments, lending, ...)                                                            \
    int rcuinfo__##name_ parameters                                                                                    \
    {                                                                                                                  \
        __typeof__(&name_) next = RCUINFO__NEXT(name_);                                                                \
        MPI_Info real = info;                                                                                          \
        if (rcuinfo__interpose_passes(info))                                                                           \
            return next arguments;                                                                                     \
        /* It ends with this block: also by an exception of an error handler, as if the call had failed. */            \
        __attribute__((cleanup(rcuinfo__lend_end))) struct rcuinfo__loan loan = {.info = info,                         \
                                                                                 .real = info,                         \
                                                                                 .caller =                             \
                                                                                     __builtin_return_address(0),      \
                                                                                 .frame = (uintptr_t)&loan,            \
                                                                                 .code = MPI_ERR_OTHER,                \
                                                                                 __VA_ARGS__};                         \
        int code = lending;                                                                                            \
        if (code != MPI_SUCCESS)                                                                                       \
            return code;                                                                                               \
        real = loan.real;                                                                                              \
        return loan.code = RCUINFO__INTERPOSE_CALL(next arguments);                                                    \
    }

/*
 * Defines a function that returns an info. `adopts`: whether the real info is to be converted to one of ours.
 *
 * If the real library is the caller, it gets the real info: the ROMIO in MPICH 4.2 calls MPI_Comm_get_info by its
 * public name. If the output is NULL, the next function also gets NULL, and handles the error. If the next function
 * does not write the output, it stays unwritten: MPICH 5.0.2 returns MPI_SUCCESS for a failed call after an error
 * handler of the program has returned.
 */
#define FORWARD_GIVEN(name, parameters, arguments, adopts, done)                                                       \
    int rcuinfo__##name parameters                                                                                     \
    {                                                                                                                  \
        MPI_Info given = MPI_INFO_ENV; /* which is never returned */                                                   \
        MPI_Info *real = info_used ? &given : NULL;                                                                    \
        bool is_outer = !rcuinfo__interpose_is_within();                                                               \
        int code = RCUINFO__INTERPOSE_CALL(RCUINFO__NEXT(name) arguments);                                             \
        if (code != MPI_SUCCESS || !info_used || given == MPI_INFO_ENV)                                                \
            return code;                                                                                               \
        if (is_outer && (adopts) && !rcuinfo__next_is_library(__builtin_return_address(0)))                            \
            return rcuinfo__adopt(given, info_used, done, #name);                                                      \
        *info_used = given;                                                                                            \
        return MPI_SUCCESS;                                                                                            \
    }

/* By both names. */
#define FORWARD_BOTH(name, parameters, arguments, lending, ...)                                                        \
    FORWARD(name, parameters, arguments, lending, __VA_ARGS__)                                                         \
    FORWARD(P##name, parameters, arguments, lending, __VA_ARGS__)
#define FORWARD_GIVEN_BOTH(name, parameters, arguments, adopts, done)                                                  \
    FORWARD_GIVEN(name, parameters, arguments, adopts, done)                                                           \
    FORWARD_GIVEN(P##name, parameters, arguments, adopts, done)

#define FORWARD_IN(name, object, parameters, arguments)                                                                \
    FORWARD_BOTH(name, parameters, arguments, rcuinfo__lend(&loan, rcuinfo__mpi_done), .function = #name,              \
                 OBJECT_OF object)

#define FORWARD_INOUT(name, object, parameters, arguments)                                                             \
    FORWARD_BOTH(name, parameters, arguments, rcuinfo__lend(&loan, rcuinfo__mpi_done), .function = #name,              \
                 .is_inout = true, OBJECT_OF object)

#define FORWARD_SPAWN(name, object, parameters, arguments) /* see spawn.c */

#define FORWARD_AT_ROOT(name, object, parameters, arguments)                                                           \
    FORWARD_BOTH(name, parameters, arguments, lend_at_root(&loan, root, comm), .function = #name, OBJECT_OF object)

/* The caller frees the info, so it gets an empty one if the real library returns MPI_INFO_NULL. */
#define FORWARD_OUT(name, object, parameters, arguments)                                                               \
    FORWARD_GIVEN_BOTH(name, parameters, arguments, true, rcuinfo__mpi_done)

#define FORWARD_OUT_NULL(name, object, parameters, arguments)                                                          \
    FORWARD_GIVEN_BOTH(name, parameters, arguments, given != MPI_INFO_NULL, rcuinfo__mpi_done)

#define FORWARD_TOOL_IN(name, object, parameters, arguments)                                                           \
    FORWARD_BOTH(name, parameters, arguments, rcuinfo__lend(&loan, rcuinfo__interpose_tool_done), .function = NULL)

#define FORWARD_TOOL_OUT(name, object, parameters, arguments)                                                          \
    FORWARD_GIVEN_BOTH(name, parameters, arguments, given != MPI_INFO_NULL, rcuinfo__interpose_tool_done)

#define FORWARD_ROW(kind, name, object, parameters, arguments) FORWARD_##kind(name, object, parameters, arguments)
RCUINFO__FUNCTIONS(FORWARD_ROW)

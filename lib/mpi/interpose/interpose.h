/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpose: what the forwarders of the interposer have in common: how a call ends, and whether it comes from within
 * another one.
 */
#pragma once

#include <stdint.h>

#include "mpi/hooks.h"

/* Converts the status at the end of a call to a code: rcuinfo__mpi_done or, for the functions of the tool interface,
 * which call no error handler and have an error code of their own for memory, rcuinfo__interpose_tool_done. */
typedef int (*rcuinfo__interpose_done_t)(rcuinfo_status_t status, const char *function);

static inline int rcuinfo__interpose_tool_done(rcuinfo_status_t status, const char *function)
{
    (void)function;
    return status == RCUINFO_ERR_NO_MEM ? MPI_T_ERR_MEMORY : rcuinfo__mpi_code(status);
}

/*
 * The frame of the outermost forwarder that this thread is in; 0: none. A call that comes from within another is the
 * library's, or that of a tool behind ours: it has real infos, which stay as they are, and is no call of the program
 * for rules and report. An exception resets this; a longjmp out of a handler of the program does not, but then the
 * frames of later calls are not below that one, unless they come from deeper in the program.
 */
extern _Thread_local uintptr_t rcuinfo__interpose_outermost;

static inline __attribute__((always_inline)) bool rcuinfo__interpose_is_within(void)
{
    return __builtin_expect(rcuinfo__interpose_outermost != 0, 0) &&
           (uintptr_t)__builtin_frame_address(0) < rcuinfo__interpose_outermost;
}

static inline __attribute__((always_inline)) uintptr_t rcuinfo__interpose_enter(void)
{
    if (rcuinfo__interpose_is_within())
        return rcuinfo__interpose_outermost;
    rcuinfo__interpose_outermost = (uintptr_t)__builtin_frame_address(0);
    return 0;
}

static inline void rcuinfo__interpose_leave(const uintptr_t *before)
{
    rcuinfo__interpose_outermost = *before;
}

/* The value of a call of the next function. The thread leaves also by an exception, or if it ends there. */
#define RCUINFO__INTERPOSE_CALL(call)                                                                                  \
    __extension__({                                                                                                    \
        __attribute__((cleanup(rcuinfo__interpose_leave))) const uintptr_t before = rcuinfo__interpose_enter();        \
        (void)before;                                                                                                  \
        call;                                                                                                          \
    })

/* Whether a call passes an info on as it is. */
static inline __attribute__((always_inline)) bool rcuinfo__interpose_passes(MPI_Info info)
{
    return rcuinfo__interpose_is_within() && (info == MPI_INFO_NULL || !rcuinfo__mpi_is_ours(info));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpose: common declarations of the interposers. To pass an info of ours to the real library, a real info is
 * created from one snapshot, lent to the library, and freed when the call returns. An info that the real library
 * returns is copied into the store.
 *
 * Invariant: a real info that we create is used for one call only, since MPICH writes to the infos that it gets. While
 * the real library runs, no lock of the store is held, and no read section is open.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include <rcuinfo/hints.h>

#include "keys/keys.h"
#include "core/order.h"
#include "mpi/flavour.h"
#include "keys/rules.h"

/* The libraries whose keys are known. With the standard ABI the library may be either. */
#if defined(RCUINFO__FLAVOUR_MPICH)
#define RCUINFO__INTERPOSE_MPIS (RCUINFO__MPICH | RCUINFO__INTEL)
#elif defined(RCUINFO__FLAVOUR_OPENMPI)
#define RCUINFO__INTERPOSE_MPIS RCUINFO__OPENMPI
#else
#define RCUINFO__INTERPOSE_MPIS (RCUINFO__MPICH | RCUINFO__OPENMPI | RCUINFO__INTEL)
#endif

/* Whether an address is in the MPI library, or in one of the plugins that it loads on demand, such as the ROMIO of Open
 * MPI. Slower than rcuinfo__next_is_library. */
bool rcuinfo__interpose_is_of_library(const void *address);

/* Whether MPI is initialized by the World Model and not finalized. */
bool rcuinfo__interpose_in_world(void);

/* Whether real infos can be created and read now. */
bool rcuinfo__interpose_can_make(void);

/* Whether a real info can have the value "". */
bool rcuinfo__interpose_takes_empty(void);

/* Whether the value may be a handle of the real library, other than MPI_INFO_NULL and MPI_INFO_ENV. */
bool rcuinfo__interpose_may_be_real(MPI_Info info);

/* Whether this process is the root of a call on comm; false if MPI cannot be asked. Returns MPI_SUCCESS or, if comm is
 * not valid, the code of an error that MPI has raised already. Then the call must end, or it would be raised twice. */
int rcuinfo__interpose_is_root(MPI_Comm comm, int root, bool *is_root);

/* Converts the status at the end of a call to a code: rcuinfo__mpi_done or, for the functions of the tool interface,
 * which call no error handler and have an error code of their own for memory, rcuinfo__interpose_tool_done. */
typedef int (*rcuinfo__interpose_done_t)(rcuinfo_status_t status, const char *function);

static inline int rcuinfo__interpose_tool_done(rcuinfo_status_t status, const char *function)
{
    (void)function;
    return status == RCUINFO_ERR_NO_MEM ? MPI_T_ERR_MEMORY : rcuinfo__mpi_code(status);
}

/* What is done with a hint of a loan. */
struct rcuinfo__interpose_hint {
    const char *key;
    const char *value;
    const struct rcuinfo__rule *rule;    /* that gives it; NULL: the program does */
    const struct rcuinfo__rule *imposed; /* that replaces it; NULL: none */
    const char *unfit;                   /* why the library cannot get it; NULL: it can */
    bool is_passed;
};

/* A loan: an info that is being passed to the real library, and the call that does so. */
struct rcuinfo__interpose_loan {
    const char *function; /* NULL: the info does not contain hints */
    const void *caller;   /* an address in the code of the caller */
    rcuinfo_hint_object_t object;
    const char *name; /* the name of the object; NULL: none is passed */
    void *handle;     /* the address of the object's handle, which is valid if the call succeeds; NULL: none */
    bool is_change;   /* the object exists before the call, and had hints of its own */
    bool is_inout;    /* the library may set keys for the caller */
    MPI_Info info;    /* the caller's info */
    MPI_Info real;    /* what is passed to the real library instead */
    int code;         /* of the call */
    const struct rcuinfo__rule *rules;       /* NULL: none applies */
    const struct rcuinfo_snapshot *snapshot; /* of an info of ours; during the call only for the observer */
    struct rcuinfo__interpose_hint *hints;   /* as long as that: those of the program, then those of the rules */
    size_t n_hints;
    void *observed; /* the observer's */
};

/* The object of calls whose hints are for none of the kinds that have keys. */
#define RCUINFO_OBJECT_OTHER RCUINFO__OBJECT_UNKNOWN

/*
 * Sets loan->real. For an info of ours, creates a real info; so it does for any info, and for MPI_INFO_NULL, if there
 * are rules that add pairs. Otherwise loan->real is loan->info. Returns MPI_SUCCESS, or the code of an error
 * that has been raised already; then the loan must not be taken back.
 */
int rcuinfo__interpose_lend(struct rcuinfo__interpose_loan *loan, rcuinfo__interpose_done_t done);

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

/* Ends a loan after the call, which returned `code`: frees the real info, if one was created. */
void rcuinfo__interpose_take_back(struct rcuinfo__interpose_loan *loan, int code);

/* The rules of the hint file that the process was started with (RCUINFO_HINTS); NULL: none. Written at load. */
extern struct rcuinfo__rule *rcuinfo__interpose_rules;

/* Writes FILE:LINE of one of these rules, and `end`, to a text of this size. Returns the text. */
enum { RCUINFO__INTERPOSE_SOURCE = PATH_MAX + 64 };
const char *rcuinfo__interpose_source(const struct rcuinfo__rule *rule, const char *end, char *text);

/* What watches the loans, and the World Model. */
struct rcuinfo__interpose_observer {
    void (*lent)(struct rcuinfo__interpose_loan *loan);               /* before the call */
    void (*returned)(struct rcuinfo__interpose_loan *loan, int code); /* after it */
    void (*answered)(const char *key, const char *value);             /* a pair of an info that the library returns */
    void (*initialized)(void);
    void (*finalizing)(void); /* collective */
    void (*aborting)(void);
};

/* NULL: nothing watches. Written at load, never cleared. */
extern const struct rcuinfo__interpose_observer *_Atomic rcuinfo__interpose_observer;

static inline const struct rcuinfo__interpose_observer *rcuinfo__interpose_observed(void)
{
    return atomic_load_explicit(&rcuinfo__interpose_observer, RCUINFO__RELAXED);
}

/* Calls a function of the observer, if there is one. */
#define RCUINFO__INTERPOSE_TELL(call)                                                                                  \
    do {                                                                                                               \
        const struct rcuinfo__interpose_observer *observer = rcuinfo__interpose_observed();                            \
        if (observer)                                                                                                  \
            observer->call;                                                                                            \
    } while (0)

/*
 * Copies a real info into the store, and frees it, also on errors. Returns MPI_SUCCESS, or the code of an error that
 * has been raised already; then *info is not written.
 */
int rcuinfo__interpose_adopt(MPI_Info real, MPI_Info *info, rcuinfo__interpose_done_t done, const char *function);

/* The predefined handler MPI_ERRORS_RETURN. */
MPI_Errhandler rcuinfo__interpose_errors_return(void);

/* Called when a session has been initialized: the library has infos from now on. */
void rcuinfo__interpose_note_session(void);

/* Called when MPI or a session has been initialized: prepares for faster conversions. */
void rcuinfo__interpose_prepare(void);

/* Adds the pairs of the real library's MPI_INFO_ENV that ours lacks. MPI must be initialized. */
void rcuinfo__interpose_real_env(void);

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpose: what the forwarders are made of. An info of ours is lent to the real library as a real info, made from one
 * snapshot and freed when the call is over; an info that the real library gives out is copied into the store.
 *
 * Invariant: no real info outlives the call that it was made for, and none is shared by two calls, because MPICH writes
 * into what it is given. Nothing of the store is locked, and no read section is open, while the real library runs.
 */
#ifndef RCUINFO_MPI_INTERPOSE_INTERPOSE_H
#define RCUINFO_MPI_INTERPOSE_INTERPOSE_H

#include <stdatomic.h>

#include <rcuinfo/hints.h>

#include "hints/library.h"
#include "mpi/flavour.h"
#include "pack/rules.h"

/* Whose keys are known to the library that runs. The mpi.h of the standard ABI says nothing of that: both count there.
 */
#if defined(RCUINFO__FLAVOUR_MPICH)
#define RCUINFO__INTERPOSE_MPIS RCUINFO__MPICH
#elif defined(RCUINFO__FLAVOUR_OPENMPI)
#define RCUINFO__INTERPOSE_MPIS RCUINFO__OPENMPI
#else
#define RCUINFO__INTERPOSE_MPIS (RCUINFO__MPICH | RCUINFO__OPENMPI)
#endif

typedef void (*rcuinfo__interpose_function_t)(void);

/*
 * The definition of an MPI function that comes after ours: a tool's, or the real library's. `fallback` serves when
 * there is none behind us, that is, when somebody has found us by other means than the order of the libraries.
 */
rcuinfo__interpose_function_t rcuinfo__interpose_next(_Atomic(rcuinfo__interpose_function_t) *cache, const char *name,
                                                      rcuinfo__interpose_function_t fallback);

/* Raises and returns MPI_ERR_INTERN, whatever it is called with: for a function that the real library lacks. */
int rcuinfo__interpose_absent(void);

static inline rcuinfo__interpose_function_t rcuinfo__interpose_present(rcuinfo__interpose_function_t next)
{
    return __builtin_expect(next != NULL, 1) ? next
                                             : (rcuinfo__interpose_function_t)(void (*)(void))rcuinfo__interpose_absent;
}

/* The next function of that name, with its type; cache is an _Atomic(rcuinfo__interpose_function_t) of static storage.
 */
#define RCUINFO__INTERPOSE_NEXT(cache, name)                                                                           \
    ((__typeof__(&name))rcuinfo__interpose_present(                                                                    \
        rcuinfo__interpose_next(&(cache), #name, (rcuinfo__interpose_function_t)P##name)))

/* Whether the address is of the real library's code. */
bool rcuinfo__interpose_is_real_code(const void *address);

/* The same of the parts that it loads when it needs them, as the ROMIO of Open MPI. Slower. */
bool rcuinfo__interpose_is_of_library(const void *address);

/* Whether the library gives keys back by get_info that it does not know. */
bool rcuinfo__interpose_keeps_unknown(void);

/* Whether MPI is initialized by the World Model and not finalized. */
bool rcuinfo__interpose_in_world(void);

/* Whether real infos can be made and read now. */
bool rcuinfo__interpose_can_make(void);

/* Whether a real info can have the value "". */
bool rcuinfo__interpose_takes_empty(void);

/* Whether the real library may have issued the value; MPI_INFO_NULL and MPI_INFO_ENV are not counted. */
bool rcuinfo__interpose_may_be_real(MPI_Info info);

/* Whether this process is the root of a call on comm; false where MPI cannot say. Returns MPI_SUCCESS, or the code of
 * an error that MPI has raised for comm: the call has failed then, and must not go on to raise it again. */
int rcuinfo__interpose_is_root(MPI_Comm comm, int root, bool *is_root);

/* What becomes of a status at the end of a call: rcuinfo__mpi_done, or for the functions of the tool interface, which
 * call no error handler and have an error of their own for memory, rcuinfo__interpose_tool_done. */
typedef int (*rcuinfo__interpose_done_t)(rcuinfo_status_t status);

static inline int rcuinfo__interpose_tool_done(rcuinfo_status_t status)
{
    return status == RCUINFO_ERR_NO_MEM ? MPI_T_ERR_MEMORY : rcuinfo__mpi_code(status);
}

/* One info on its way to the real library: who is called, by whom, for which object. */
struct rcuinfo__interpose_loan {
    const char *function; /* NULL: what it is given are no hints */
    const void *caller;   /* an address of its code */
    rcuinfo_hint_object_t object;
    const char *name; /* of the object; NULL: the call says none */
    void *handle;     /* of the object, there when the call has succeeded; NULL: there is none to ask */
    MPI_Info info;    /* what the caller has given */
    MPI_Info real;    /* what the real library is given */
    const struct rcuinfo_snapshot *snapshot; /* of info, as long as it is lent; NULL: nobody wants it */
};

/* Calls that give hints to none of the objects that have keys of their own. */
#define RCUINFO_HINT_OTHER RCUINFO_HINT_OBJECTS

/*
 * Makes loan->real for loan->info: MPI_INFO_NULL and what may be real stay unchanged, for ours a real info is made.
 * Where rules (rules.c) add pairs to what is given, a real info is made in any case. Returns MPI_SUCCESS or the code of
 * an error that is done with, and then nothing is to be taken back.
 */
int rcuinfo__interpose_lend(struct rcuinfo__interpose_loan *loan, rcuinfo__interpose_done_t done);

/* After the call, which gave `code`: frees what rcuinfo__interpose_lend has made, if it has. */
void rcuinfo__interpose_take_back(struct rcuinfo__interpose_loan *loan, int code);

/* The rules of the file that the process was started with (RCUINFO_HINTS); NULL: there are none for the loan, as where
 * the real library calls itself. Any thread; wait-free. */
bool rcuinfo__interpose_has_rules(void);
const char *rcuinfo__interpose_rules_file(void);
uint64_t rcuinfo__interpose_rules_digest(void);
const struct rcuinfo__rules *rcuinfo__interpose_rules(const struct rcuinfo__interpose_loan *loan);

/*
 * The report of hints, of a process that was started with RCUINFO_HINTS_REPORT; without it all these do nothing.
 * _expect: before a call that may make an object: what it leaves unwritten is a null handle. _note: what became of a
 * loan, after a call that has succeeded. _in_use: when the World Model is initialized. _finalizing: before
 * MPI_Finalize; collective. _leave: where a process ends without that.
 */
bool rcuinfo__interpose_reports(void);
void rcuinfo__interpose_expect(const struct rcuinfo__interpose_loan *loan);
void rcuinfo__interpose_note(const struct rcuinfo__interpose_loan *loan);
void rcuinfo__interpose_in_use(void);
void rcuinfo__interpose_finalizing(void);
void rcuinfo__interpose_leave_report(bool at_exit);

/* Why a pair is not handed down; NULL: it is. */
const char *rcuinfo__interpose_left_out(const char *key, size_t key_length, size_t value_length);

/* Whether a pair of that key is for the real library. Any thread, at any time; wait-free. */
bool rcuinfo__interpose_passes(const char *key);

/*
 * Copies a real info into the store and frees it in any case. Returns MPI_SUCCESS or the code of an error that is
 * done with, and then *info is not written.
 */
int rcuinfo__interpose_adopt(MPI_Info real, MPI_Info *info, rcuinfo__interpose_done_t done);

/* To be called when MPI, or a session, has been initialized: makes what conversions are quicker with. */
void rcuinfo__interpose_prepare(void);

/* Adds to our MPI_INFO_ENV what the real library's own has more. While MPI is initialized. */
void rcuinfo__interpose_real_env(void);

/* The end of each call that initializes MPI by the World Model. Returns the call's code. */
int rcuinfo__interpose_initialized(int code);

#endif

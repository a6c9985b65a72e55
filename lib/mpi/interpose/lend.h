/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lend: to pass an info of ours to the real library, a real info is made from one version, lent to the library, and
 * freed when the call returns.
 *
 * Invariant: a real info that we create is used for one call only, since MPICH writes to the infos that it gets. While
 * the real library runs, no lock of the store is held, and no read section is open.
 */
#pragma once

#include <pthread.h>

#include <rcuinfo/hints.h>

#include "core/order.h"
#include "keys/rules.h"
#include "mpi/interpose/interpose.h"

/* What is done with a hint of a loan. */
struct rcuinfo__loan_hint {
    const char *key;
    const char *value;
    const struct rcuinfo__rule *rule;    /* that gives it; NULL: the program does */
    const struct rcuinfo__rule *imposed; /* that replaces it; NULL: none */
    const char *unfit;                   /* why the library cannot get it; NULL: it can */
    bool is_passed;
};

/* A loan: an info that is being passed to the real library, and the call that does so. */
struct rcuinfo__loan {
    /* The call. */
    const char *function; /* NULL: the info does not contain hints */
    const void *caller;   /* an address in the code of the caller */
    uintptr_t frame;      /* an address in the stack: of two calls of a thread, the inner one has the smaller */
    rcuinfo_hint_object_t object;
    const char *name; /* that the call gives the object; NULL: none */
    void *handle;     /* where the object's handle is once the call has succeeded; NULL: nowhere */
    bool is_change;   /* the object exists before the call, and had hints of its own */
    bool is_inout;    /* the library may set keys for the caller */
    MPI_Info info;    /* what the caller passes */
    int code;         /* what the call returns; an error until then */

    /* By rcuinfo__lend. Without an observer, snapshot and hints are freed before the call. */
    MPI_Info real;                           /* what is passed in place of info */
    const struct rcuinfo__rule *rules;       /* NULL: none applies */
    const struct rcuinfo_snapshot *snapshot; /* of an info of ours: the version that real is made from */
    struct rcuinfo__loan_hint *hints;        /* those of the snapshot, then those of the rules */
    size_t n_hints;
    void *observed; /* the observer's */
};

/* The object of calls whose hints are for none of the kinds that have keys. */
#define RCUINFO_OBJECT_OTHER RCUINFO__OBJECT_UNKNOWN

/*
 * Sets loan->real: to a new real info for one of ours, and for any info, and MPI_INFO_NULL, if there are rules that add
 * pairs; while the library cannot make infos yet, to MPI_INFO_NULL. Otherwise it is loan->info. Returns MPI_SUCCESS, or
 * the code of an error that has been raised already.
 */
int rcuinfo__lend(struct rcuinfo__loan *loan, rcuinfo__interpose_done_t done);

/* Ends a loan after the call: frees the real info, if one was created. Does nothing if rcuinfo__lend has failed. */
void rcuinfo__lend_end(struct rcuinfo__loan *loan);

/* The rules of the hint file that the process was started with (RCUINFO_HINTS); NULL: none. Written at load. */
extern struct rcuinfo__rule *rcuinfo__lend_rules;

/* Writes FILE:LINE of one of these rules, and `end`, to a text of this size. Returns the text. */
enum { RCUINFO__LEND_SOURCE = PATH_MAX + 64 };
const char *rcuinfo__lend_source(const struct rcuinfo__rule *rule, const char *end, char *text);

/* What watches the loans, and the World Model. */
struct rcuinfo__lend_observer {
    void (*lent)(struct rcuinfo__loan *loan);             /* before the call */
    void (*returned)(struct rcuinfo__loan *loan);         /* after it */
    void (*answered)(const char *key, const char *value); /* a pair of an info that the library returns */
    void (*initialized)(void);
    void (*finalizing)(void); /* collective */
    void (*aborting)(void);
};

/* NULL: nothing watches. Written at load, never cleared. */
extern const struct rcuinfo__lend_observer *_Atomic rcuinfo__lend_observer;

static inline const struct rcuinfo__lend_observer *rcuinfo__lend_observed(void)
{
    return atomic_load_explicit(&rcuinfo__lend_observer, RCUINFO__RELAXED);
}

/* Calls a function of the observer, if there is one. A thread that is cancelled there would leave a lock behind. */
#define RCUINFO__LEND_TELL(call)                                                                                       \
    do {                                                                                                               \
        const struct rcuinfo__lend_observer *observer = rcuinfo__lend_observed();                                      \
        if (observer) {                                                                                                \
            int cancel_state;                                                                                          \
            pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);                                             \
            observer->call;                                                                                            \
            pthread_setcancelstate(cancel_state, NULL);                                                                \
        }                                                                                                              \
    } while (0)

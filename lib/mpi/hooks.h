/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hooks: what the info functions do besides calling the store: names, error handlers, calls of the real library, and
 * what watches. mpi/interpose/real.c and raise.c define the functions. With RCUINFO__MPI_ALONE there is no real
 * library, and nothing is to be done.
 */
#pragma once

#include <stdatomic.h>

#include "mpi/flavour.h"

#if defined(RCUINFO__MPI_ALONE)

static inline int rcuinfo__mpi_raise(int code, const char *function)
{
    (void)function;
    return code;
}

/* A function of MPI, and the same by its other name PMPI_X. */
#define RCUINFO__MPI_API         RCUINFO_API
#define RCUINFO__MPI(name)       MPI_##name
#define RCUINFO__MPI_STORE(name) name
#define RCUINFO__MPI_ALIAS(name)                                                                                       \
    extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name), visibility("default")))

#define RCUINFO__MPI_PASS(info, name, arguments, then) ((void)0)
#define RCUINFO__MPI_PASS_CREATE(name, arguments)      ((void)0)
#define RCUINFO__MPI_PASS_GET_STRING(info, arguments)  ((void)0)
#define RCUINFO__MPI_WATCH(call)                       ((void)0)

#else

#include "mpi/next.h"

/* Calls the error handler that the standard requires, if MPI is initialized, and returns the code. `function`: what the
 * program has called, for a message: MPI_X, PMPI_X, or our name for one of these. */
int rcuinfo__mpi_raise(int code, const char *function);

/* The functions are compiled twice: as MPI_X and, with RCUINFO__MPI_PROFILED, as PMPI_X. They differ in the functions
 * of the real library that they call: a tool's MPI_X may call PMPI_X. */
#if defined(RCUINFO__MPI_PROFILED)
#define RCUINFO__MPI_NAME(name) PMPI_##name
#else
#define RCUINFO__MPI_NAME(name) MPI_##name
#endif
#define RCUINFO__MPI_API          /* names.c has the names that programs see */
#define RCUINFO__MPI_OURS(name)   RCUINFO__MPI_PASTE(rcuinfo__, name)
#define RCUINFO__MPI_PASTE(a, b)  a##b
#define RCUINFO__MPI(name)        RCUINFO__MPI_OURS(RCUINFO__MPI_NAME(name))
#define RCUINFO__MPI_STORE(name)  rcuinfo__##name
#define RCUINFO__MPI_ALIAS(name)  _Static_assert(1, "")

/* The next function of that name, with its type; and whether there is one. In two steps, as the name may be a macro. */
#define RCUINFO__NEXT(name)       RCUINFO__NEXT_NAMED(name)
#define RCUINFO__NEXT_NAMED(name) ((__typeof__(&name))RCUINFO__NEXT_SYMBOL(#name, false))
#define RCUINFO__HAS(name)        RCUINFO__HAS_NAMED(name)
#define RCUINFO__HAS_NAMED(name)  (RCUINFO__NEXT_SYMBOL(#name, false) != 0)

/* What watches the functions of infos; written at load. Any thread. */
struct rcuinfo__mpi_watch {
    /* An info of ours: the code at `caller` looks a key up; it knows one otherwise, as it sets it or, is_nth, as it has
     * got it from MPI_Info_get_nthkey. key: NULL: none. */
    void (*ours_looked_up)(const char *key, const void *caller);
    void (*ours_known)(const char *key, const void *caller, bool is_nth);
    /* An info of the real library. */
    void (*looked_up)(const char *key);
    void (*enumerated)(const char *key);
    void (*set)(const char *key, const char *value);
};
extern const struct rcuinfo__mpi_watch *_Atomic rcuinfo__mpi_watch; /* NULL: nothing */

/* Makes one of these calls. */
#define RCUINFO__MPI_WATCH(call)                                                                                       \
    do {                                                                                                               \
        const struct rcuinfo__mpi_watch *watch = atomic_load_explicit(&rcuinfo__mpi_watch, memory_order_relaxed);      \
        if (__builtin_expect(watch != NULL, 0))                                                                        \
            watch->call;                                                                                               \
    } while (0)

/* Whether a value that is not ours may be the real library's, and that can be called now. */
bool rcuinfo__mpi_is_real(MPI_Info info);

/* Returns the code of the real library's function, which calls the error handler itself, if the info is its own. `then`
 * is done before that, if it succeeds. */
#define RCUINFO__MPI_PASS(info, name, arguments, then)                                                                 \
    do {                                                                                                               \
        if (__builtin_expect(!rcuinfo__mpi_is_ours(info), 0) && rcuinfo__mpi_is_real(info)) {                          \
            int passed = RCUINFO__NEXT(RCUINFO__MPI_NAME(name)) arguments;                                             \
            if (passed == MPI_SUCCESS)                                                                                 \
                then;                                                                                                  \
            return passed;                                                                                             \
        }                                                                                                              \
    } while (0)

/* Whether a call of PMPI_X is the real library's, which creates its own infos. */
bool rcuinfo__mpi_is_called_by_real(const void *caller);

#if defined(RCUINFO__MPI_PROFILED)
#define RCUINFO__MPI_PASS_CREATE(name, arguments)                                                                      \
    do {                                                                                                               \
        if (rcuinfo__mpi_is_called_by_real(__builtin_return_address(0)))                                               \
            return RCUINFO__NEXT(PMPI_##name) arguments;                                                               \
    } while (0)
#else
#define RCUINFO__MPI_PASS_CREATE(name, arguments) ((void)0)
#endif

/* MPI_Info_get_string of a library that lacks it. */
int rcuinfo__mpi_get_string_by_get(MPI_Info info, const char *key, int *buflen, char *value, int *flag);
#define RCUINFO__MPI_PASS_GET_STRING(info, arguments)                                                                  \
    do {                                                                                                               \
        if (__builtin_expect(!rcuinfo__mpi_is_ours(info), 0) && rcuinfo__mpi_is_real(info) &&                          \
            !RCUINFO__HAS(RCUINFO__MPI_NAME(Info_get_string)))                                                         \
            return rcuinfo__mpi_get_string_by_get arguments;                                                           \
    } while (0)

#endif

/* Ends a call: returns the code for a status, after calling the error handler if it is an error. */
static inline int rcuinfo__mpi_done(rcuinfo_status_t status, const char *function)
{
    return __builtin_expect(status == RCUINFO_SUCCESS, 1) ? MPI_SUCCESS
                                                          : rcuinfo__mpi_raise(rcuinfo__mpi_code(status), function);
}

/* Corrects the status of a call that only reads `info`. ERR_INFO for MPI_INFO_ENV means that there was no memory to
 * create it, as it is always live afterwards. */
static inline rcuinfo_status_t rcuinfo__mpi_reading(MPI_Info info, rcuinfo_status_t status)
{
    bool missing = __builtin_expect(status == RCUINFO_ERR_INFO, 0) && info == MPI_INFO_ENV;
    return missing ? RCUINFO_ERR_NO_MEM : status;
}

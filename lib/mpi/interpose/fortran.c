/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fortran: the procedures of fortran_table.h, each in front of the next definition of the same name.
 *
 * Every argument is a reference, and the lengths of strings follow by value, so all of them are words of one size, and
 * pass as they came, but for the info and ierror. ierror is optional in mpi_f08; the next procedure always gets one.
 *
 * Invariant: between lending and taking back nothing but the next procedure runs.
 */
#include <dlfcn.h>
#include <string.h>

#include "core/alloc.h"
#include "mpi/interpose/fortran_table.h"
#include "mpi/interpose/interpose.h"

enum kind { IN, SESSION, AT_ROOT, ARRAY, OUT, INIT };
enum { MOST_WORDS = 12 };

struct procedure {
    _Atomic(rcuinfo__interpose_function_t) next;
    const char *name;
    enum kind kind;
    int arguments; /* ierror is the last */
    int info;      /* its place from 0 */
};

/* A procedure that is not behind us in the order of the libraries, because a library that was loaded for itself alone
 * (dlopen without RTLD_GLOBAL) has brought it, is in one of these. */
static rcuinfo__interpose_function_t elsewhere(const char *name)
{
#if defined(RCUINFO__FLAVOUR_MPICH)
    static const char *const libraries[] = {"libmpichfort.so.12"};
#else
    static const char *const libraries[] = {"libmpi_usempif08.so.40", "libmpi_mpifh.so.40"};
#endif
    rcuinfo__interpose_function_t function = NULL;
    for (size_t n = 0; n < sizeof libraries / sizeof libraries[0] && !function; n++) {
        void *library = dlopen(libraries[n], RTLD_LAZY | RTLD_NOLOAD);
        void *found = library ? dlsym(library, name) : NULL;
        if (found)
            memcpy(&function, &found, sizeof function);
    }
    return function;
}

/* Calls the next procedure with all words there are: what is more than it takes does no harm in the calling conventions
 * of C, where the caller removes the arguments. Returns the code that it gave. */
static int call_next(struct procedure *procedure, void *words[])
{
    typedef void next_t(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    rcuinfo__interpose_function_t found = rcuinfo__interpose_next(&procedure->next, procedure->name, NULL);
    if (!found)
        found = elsewhere(procedure->name);
    if (!found)
        return rcuinfo__mpi_raise(MPI_ERR_INTERN);
    MPI_Fint code = MPI_SUCCESS;
    words[procedure->arguments - 1] = &code;
    ((next_t *)found)(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8],
                      words[9], words[10], words[11]);
    return code;
}

/* Handles of C from those of Fortran, and back: ours and what is lent and given. MPICH has the same integers for both;
 * that its mpi.h says so by macros ended with 4.1, and to call functions would keep a build with that from running
 * on 4.0. */
#if defined(RCUINFO__FLAVOUR_MPICH)
#define COMM_OF(integer)      ((MPI_Comm)(integer))
#define INFO_OF(integer)      ((MPI_Info)(integer))
#define REAL_INFO_OF(integer) ((MPI_Info)(integer))
#define INTEGER_OF(info)      ((MPI_Fint)(info))
#define INTEGER_OF_REAL(real) ((MPI_Fint)(real))
#else
#define COMM_OF(integer)      PMPI_Comm_f2c(integer)
#define INFO_OF(integer)      MPI_Info_f2c(integer)
#define REAL_INFO_OF(integer) PMPI_Info_f2c(integer)
#define INTEGER_OF(info)      MPI_Info_c2f(info)
#define INTEGER_OF_REAL(real) ((real) == MPI_INFO_NULL ? MPI_Info_c2f(real) : PMPI_Info_c2f(real))
#endif

/* As rcuinfo__interpose_is_root. */
static int counts_here(const struct procedure *procedure, void *const words[], bool *counts)
{
    *counts = true;
    if (procedure->kind != AT_ROOT && procedure->kind != ARRAY)
        return MPI_SUCCESS;
    MPI_Fint root = *(const MPI_Fint *)words[procedure->info + 1];
    MPI_Fint comm = *(const MPI_Fint *)words[procedure->info + 2];
    return rcuinfo__interpose_is_root(COMM_OF(comm), root, counts);
}

static int forward_in(struct procedure *procedure, void *words[])
{
    const MPI_Fint *given = words[procedure->info];
    bool counts;
    int code = counts_here(procedure, words, &counts);
    if (code != MPI_SUCCESS)
        return code;
    MPI_Info lent = counts ? INFO_OF(*given) : MPI_INFO_NULL;
    MPI_Info real;
    code = rcuinfo__interpose_lend(lent, &real, rcuinfo__mpi_done);
    if (code != MPI_SUCCESS)
        return code;
    MPI_Fint integer = INTEGER_OF_REAL(real);
    words[procedure->info] = &integer;
    code = call_next(procedure, words);
    if (procedure->kind == SESSION && code == MPI_SUCCESS)
        rcuinfo__interpose_prepare();
    rcuinfo__interpose_take_back(lent, real);
    return code;
}

struct lent {
    MPI_Info info;
    MPI_Info real;
};

static void take_back_all(struct lent *lent, int count)
{
    for (int n = 0; n < count; n++)
        rcuinfo__interpose_take_back(lent[n].info, lent[n].real);
}

/* All or none. */
static int lend_all(struct lent *lent, MPI_Fint *integers, const MPI_Fint *given, int count)
{
    for (int n = 0; n < count; n++) {
        lent[n].info = INFO_OF(given[n]);
        int code = rcuinfo__interpose_lend(lent[n].info, &lent[n].real, rcuinfo__mpi_done);
        if (code != MPI_SUCCESS) {
            take_back_all(lent, n);
            return code;
        }
        integers[n] = INTEGER_OF_REAL(lent[n].real);
    }
    return MPI_SUCCESS;
}

static int forward_array(struct procedure *procedure, void *words[])
{
    int count = *(const MPI_Fint *)words[0];
    bool counts;
    int code = counts_here(procedure, words, &counts);
    if (code != MPI_SUCCESS)
        return code;
    if (!counts || count <= 0)
        return call_next(procedure, words);
    struct lent *lent = rcuinfo__alloc((size_t)count * (sizeof *lent + sizeof(MPI_Fint)));
    if (!lent)
        return rcuinfo__mpi_done(RCUINFO_ERR_NO_MEM);
    MPI_Fint *integers = (MPI_Fint *)(lent + count);
    code = lend_all(lent, integers, words[procedure->info], count);
    if (code == MPI_SUCCESS) {
        words[procedure->info] = integers;
        code = call_next(procedure, words);
        take_back_all(lent, count);
    }
    rcuinfo__alloc_free(lent);
    return code;
}

static int forward_out(struct procedure *procedure, void *words[])
{
    MPI_Fint *info_used = words[procedure->info];
    const MPI_Fint unwritten = INTEGER_OF(MPI_INFO_ENV); /* see forward.c */
    MPI_Fint given = unwritten;
    words[procedure->info] = &given;
    int code = call_next(procedure, words);
    if (code != MPI_SUCCESS || given == unwritten)
        return code;
    MPI_Info adopted = MPI_INFO_NULL;
    code = rcuinfo__interpose_adopt(REAL_INFO_OF(given), &adopted, rcuinfo__mpi_done);
    if (code == MPI_SUCCESS)
        *info_used = INTEGER_OF(adopted);
    return code;
}

static void forward(struct procedure *procedure, void *words[])
{
    MPI_Fint *ierror = words[procedure->arguments - 1];
    int code = MPI_SUCCESS;
    switch (procedure->kind) {
    case IN:
    case SESSION:
    case AT_ROOT:
        code = forward_in(procedure, words);
        break;
    case ARRAY:
        code = forward_array(procedure, words);
        break;
    case OUT:
        code = forward_out(procedure, words);
        break;
    case INIT:
        code = rcuinfo__interpose_initialized(call_next(procedure, words));
        break;
    }
    if (ierror)
        *ierror = code;
}

#define PROCEDURE(its_kind, symbol, words, strings, place)                                                             \
    RCUINFO_API void symbol(RCUINFO__FORTRAN_PARAMETERS_##words);                                                      \
    void symbol(RCUINFO__FORTRAN_PARAMETERS_##words)                                                                   \
    {                                                                                                                  \
        static struct procedure procedure = {                                                                          \
            .name = #symbol, .kind = its_kind, .arguments = words - strings, .info = place - 1};                       \
        forward(&procedure, (void *[MOST_WORDS]){RCUINFO__FORTRAN_WORDS_##words});                                     \
    }

/* mpif.h and `use mpi`; the second name as the third in fortran/info.c. */
#define OF_MPIFH(kind, symbol, words, strings, info)                                                                   \
    PROCEDURE(kind, symbol, words, strings, info)                                                                      \
    extern __typeof__(symbol) symbol##_ __attribute__((alias(#symbol), visibility("default")));

RCUINFO__FORTRAN_PROCEDURES(PROCEDURE, OF_MPIFH)

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * info: the info functions of Fortran over those of C; compiled per flavour. The real libraries' own call PMPI_*, all
 * of Open MPI's and MPICH's in mpi_f08. MPICH's in mpif.h and `use mpi` call the functions of C; they are here too, so
 * that a program that is linked with this library needs it by a name (--as-needed). In the standard ABI's library each
 * has a second name for profiling tools, as in C.
 *
 * One procedure serves all interfaces, but for get: a handle is an integer, alone or as the only member of a derived
 * type, every argument is a reference, and the lengths of strings follow by value, in the order of the strings. ierror
 * is optional in mpi_f08: NULL where it is absent. A LOGICAL is gfortran's: 1 or 0. As in C, nothing is written on an
 * error but ierror, and the handle out of create, create_env and dup.
 */
#include <stdbool.h>

#include "fortran/text.h"
#include "mpi/mpi_fortran.h"

/* One more name of a procedure; and one for profiling tools in the standard ABI's library, while PMPI_* of an MPI is
 * the real library's. */
#define ALIAS(procedure, name) RCUINFO_API extern __typeof__(procedure) name __attribute__((alias(#procedure)));

#if defined(RCUINFO__FLAVOUR_ABI)
#define PROFILED(procedure, name) ALIAS(procedure, p##name)
#else
#define PROFILED(procedure, name)
#endif

/* The second name is for compilers that append two underscores to a name that has one. Names without underscore are
 * left to the real library: this library is in front of C programs too, which may have such names of their own. */
#define ALSO(procedure, name)                                                                                          \
    ALIAS(procedure, mpi_##name##__)                                                                                   \
    PROFILED(procedure, mpi_##name##_)                                                                                 \
    PROFILED(procedure, mpi_##name##__)

/* In mpi_f08 alone. */
#define DEFINE_F08(name, parameters)                                                                                   \
    RCUINFO_API void mpi_##name##_f08_ parameters;                                                                     \
    PROFILED(mpi_##name##_f08_, mpi_##name##_f08_)                                                                     \
    void mpi_##name##_f08_ parameters

/* In mpif.h and `use mpi`. */
#define DEFINE_INTEGER(name, parameters)                                                                               \
    RCUINFO_API void mpi_##name##_ parameters;                                                                         \
    ALSO(mpi_##name##_, name)                                                                                          \
    void mpi_##name##_ parameters

/* In all of them. */
#define DEFINE(name, parameters)                                                                                       \
    RCUINFO_API void mpi_##name##_f08_ parameters;                                                                     \
    ALIAS(mpi_##name##_f08_, mpi_##name##_)                                                                            \
    ALSO(mpi_##name##_f08_, name)                                                                                      \
    DEFINE_F08(name, parameters)

/* One byte longer than any key or value that is taken, so that what is too long stays so when it is cut. */
#define MOST_KEY   ((size_t)MPI_MAX_INFO_KEY + 1)
#define MOST_VALUE ((size_t)MPI_MAX_INFO_VAL + 1)

static void end(int code, MPI_Fint *ierror)
{
    if (ierror)
        *ierror = code;
}

DEFINE(info_create, (MPI_Fint * info, MPI_Fint *ierror))
{
    MPI_Info made = MPI_INFO_NULL;
    int code = MPI_Info_create(&made);
    *info = RCUINFO__INTEGER_OF(made);
    end(code, ierror);
}

DEFINE(info_create_env, (MPI_Fint * info, MPI_Fint *ierror))
{
    MPI_Info made = MPI_INFO_NULL;
    int code = MPI_Info_create_env(0, NULL, &made);
    *info = RCUINFO__INTEGER_OF(made);
    end(code, ierror);
}

DEFINE(info_dup, (const MPI_Fint *info, MPI_Fint *newinfo, MPI_Fint *ierror))
{
    MPI_Info made = MPI_INFO_NULL;
    int code = MPI_Info_dup(RCUINFO__INFO_OF(*info), &made);
    *newinfo = RCUINFO__INTEGER_OF(made);
    end(code, ierror);
}

DEFINE(info_free, (MPI_Fint * info, MPI_Fint *ierror))
{
    MPI_Info freed = RCUINFO__INFO_OF(*info);
    int code = MPI_Info_free(&freed);
    if (code == MPI_SUCCESS)
        *info = RCUINFO__INTEGER_OF(freed);
    end(code, ierror);
}

DEFINE(info_set, (const MPI_Fint *info, const char *key, const char *value, MPI_Fint *ierror, size_t key_length,
                  size_t value_length))
{
    char key_text[MOST_KEY + 1], value_text[MOST_VALUE + 1];
    rcuinfo__fortran_text_in(key_text, MOST_KEY, key, key_length);
    rcuinfo__fortran_text_in(value_text, MOST_VALUE, value, value_length);
    end(MPI_Info_set(RCUINFO__INFO_OF(*info), key_text, value_text), ierror);
}

DEFINE(info_delete, (const MPI_Fint *info, const char *key, MPI_Fint *ierror, size_t key_length))
{
    char key_text[MOST_KEY + 1];
    rcuinfo__fortran_text_in(key_text, MOST_KEY, key, key_length);
    end(MPI_Info_delete(RCUINFO__INFO_OF(*info), key_text), ierror);
}

/* `room` characters of value may be written. */
static void get(const MPI_Fint *info, const char *key, size_t key_length, MPI_Fint valuelen, char *value, size_t room,
                MPI_Fint *flag, MPI_Fint *ierror)
{
    char key_text[MOST_KEY + 1], value_text[MOST_VALUE + 1];
    int found = 0, most = valuelen < MPI_MAX_INFO_VAL ? valuelen : MPI_MAX_INFO_VAL;
    rcuinfo__fortran_text_in(key_text, MOST_KEY, key, key_length);
    int code = MPI_Info_get(RCUINFO__INFO_OF(*info), key_text, most, value_text, &found);
    if (code == MPI_SUCCESS) {
        *flag = found != 0;
        if (found)
            rcuinfo__fortran_text_out(value, room, value_text);
    }
    end(code, ierror);
}

DEFINE_INTEGER(info_get, (const MPI_Fint *info, const char *key, const MPI_Fint *valuelen, char *value, MPI_Fint *flag,
                          MPI_Fint *ierror, size_t key_length, size_t value_length))
{
    get(info, key, key_length, *valuelen, value, value_length, flag, ierror);
}

/* In mpi_f08 value is CHARACTER(LEN=valuelen): what the caller's variable has behind that is no part of it. */
DEFINE_F08(info_get, (const MPI_Fint *info, const char *key, const MPI_Fint *valuelen, char *value, MPI_Fint *flag,
                      MPI_Fint *ierror, size_t key_length, size_t value_length))
{
    size_t most = *valuelen < 0 ? 0 : (size_t)*valuelen;
    get(info, key, key_length, *valuelen, value, value_length < most ? value_length : most, flag, ierror);
}

DEFINE(info_get_valuelen,
       (const MPI_Fint *info, const char *key, MPI_Fint *valuelen, MPI_Fint *flag, MPI_Fint *ierror, size_t key_length))
{
    char key_text[MOST_KEY + 1];
    int found = 0;
    rcuinfo__fortran_text_in(key_text, MOST_KEY, key, key_length);
    int code = MPI_Info_get_valuelen(RCUINFO__INFO_OF(*info), key_text, valuelen, &found);
    if (code == MPI_SUCCESS)
        *flag = found != 0;
    end(code, ierror);
}

/* In Fortran buflen counts characters, in C also the NUL. */
DEFINE(info_get_string, (const MPI_Fint *info, const char *key, MPI_Fint *buflen, char *value, MPI_Fint *flag,
                         MPI_Fint *ierror, size_t key_length, size_t value_length))
{
    char key_text[MOST_KEY + 1], value_text[MOST_VALUE + 1];
    int found = 0, size = *buflen < MPI_MAX_INFO_VAL ? *buflen : MPI_MAX_INFO_VAL;
    bool wanted = size > 0;
    if (wanted)
        size++;
    rcuinfo__fortran_text_in(key_text, MOST_KEY, key, key_length);
    int code = MPI_Info_get_string(RCUINFO__INFO_OF(*info), key_text, &size, value_text, &found);
    if (code == MPI_SUCCESS) {
        *flag = found != 0;
        if (found)
            *buflen = size - 1;
        if (found && wanted)
            rcuinfo__fortran_text_out(value, value_length, value_text);
    }
    end(code, ierror);
}

DEFINE(info_get_nkeys, (const MPI_Fint *info, MPI_Fint *nkeys, MPI_Fint *ierror))
{
    end(MPI_Info_get_nkeys(RCUINFO__INFO_OF(*info), nkeys), ierror);
}

DEFINE(info_get_nthkey, (const MPI_Fint *info, const MPI_Fint *n, char *key, MPI_Fint *ierror, size_t key_length))
{
    char key_text[MOST_KEY + 1];
    int code = MPI_Info_get_nthkey(RCUINFO__INFO_OF(*info), *n, key_text);
    if (code == MPI_SUCCESS)
        rcuinfo__fortran_text_out(key, key_length, key_text);
    end(code, ierror);
}

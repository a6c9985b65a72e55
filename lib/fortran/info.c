/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * info: the info procedures of Fortran for the standard ABI, on top of the C functions. Each also has a PMPI name for
 * profiling tools, as in C.
 *
 * Except for get, one procedure is enough for all interfaces. A handle is an integer, alone or as the only member of a
 * derived type. All arguments are addresses; they are followed by the lengths of strings by value, in the order of the
 * strings. In mpi_f08 ierror is optional, and NULL if it is absent. LOGICAL is that of gfortran: 1 or 0. As in C, on an
 * error nothing is written except ierror, and the new handle of create, create_env and dup.
 */
#include <stdbool.h>

#include "fortran/character.h"
#include "mpi/mpi_integer.h"

/* INTEGER is an int, as is the integer of a handle. */
typedef int MPI_Fint;

/* ALIAS gives a procedure another name, PROFILED its PMPI name. */
#define ALIAS(procedure, name) RCUINFO_API extern __typeof__(procedure) name __attribute__((alias(#procedure)));

#define PROFILED(procedure, name) ALIAS(procedure, p##name)

/* The other names of mpi_NAME_. Some compilers append two underscores to a name that contains one. Names without a
 * trailing underscore are not defined: they could clash with names in C programs, which this library is also loaded
 * into. */
#define ALSO(procedure, name)                                                                                          \
    ALIAS(procedure, mpi_##name##__)                                                                                   \
    PROFILED(procedure, mpi_##name##_)                                                                                 \
    PROFILED(procedure, mpi_##name##__)

/* A procedure of mpi_f08. */
#define DEFINE_F08(name, parameters)                                                                                   \
    RCUINFO_API void mpi_##name##_f08_ parameters;                                                                     \
    PROFILED(mpi_##name##_f08_, mpi_##name##_f08_)                                                                     \
    void mpi_##name##_f08_ parameters

/* A procedure of mpif.h and `use mpi`. */
#define DEFINE_INTEGER(name, parameters)                                                                               \
    RCUINFO_API void mpi_##name##_ parameters;                                                                         \
    ALSO(mpi_##name##_, name)                                                                                          \
    void mpi_##name##_ parameters

/* A procedure of all interfaces. */
#define DEFINE(name, parameters)                                                                                       \
    RCUINFO_API void mpi_##name##_f08_ parameters;                                                                     \
    ALIAS(mpi_##name##_f08_, mpi_##name##_)                                                                            \
    ALSO(mpi_##name##_f08_, name)                                                                                      \
    DEFINE_F08(name, parameters)

/* One byte more than the longest key or value, so that a text that is too long is still too long after it is cut. */
#define MOST_KEY   ((size_t)MPI_MAX_INFO_KEY + 1)
#define MOST_VALUE ((size_t)RCUINFO_MAX_VALUE + 1) /* not MPI_MAX_INFO_VAL: it may have been set natively */

/* Ends a procedure. */
static void end(int code, MPI_Fint *ierror)
{
    if (ierror)
        *ierror = code;
}

/* A procedure that makes an info: `made` in C, *out in Fortran. */
#define DEFINE_MAKING(name, parameters, out, call)                                                                     \
    DEFINE(name, parameters)                                                                                           \
    {                                                                                                                  \
        MPI_Info made = MPI_INFO_NULL;                                                                                 \
        int code = call;                                                                                               \
        *(out) = MPI_Info_toint(made);                                                                                 \
        end(code, ierror);                                                                                             \
    }
DEFINE_MAKING(info_create, (MPI_Fint * info, MPI_Fint *ierror), info, MPI_Info_create(&made))
DEFINE_MAKING(info_create_env, (MPI_Fint * info, MPI_Fint *ierror), info, MPI_Info_create_env(0, NULL, &made))
DEFINE_MAKING(info_dup, (const MPI_Fint *info, MPI_Fint *newinfo, MPI_Fint *ierror), newinfo,
              MPI_Info_dup(MPI_Info_fromint(*info), &made))

DEFINE(info_free, (MPI_Fint * info, MPI_Fint *ierror))
{
    MPI_Info freed = MPI_Info_fromint(*info);
    int code = MPI_Info_free(&freed);
    if (code == MPI_SUCCESS)
        *info = MPI_Info_toint(freed);
    end(code, ierror);
}

DEFINE(info_set, (const MPI_Fint *info, const char *key, const char *value, MPI_Fint *ierror, size_t key_length,
                  size_t value_length))
{
    char key_text[MOST_KEY + 1], value_text[MOST_VALUE + 1];
    rcuinfo__fortran_text_in(key_text, MOST_KEY, key, key_length);
    rcuinfo__fortran_text_in(value_text, MOST_VALUE, value, value_length);
    end(MPI_Info_set(MPI_Info_fromint(*info), key_text, value_text), ierror);
}

DEFINE(info_delete, (const MPI_Fint *info, const char *key, MPI_Fint *ierror, size_t key_length))
{
    char key_text[MOST_KEY + 1];
    rcuinfo__fortran_text_in(key_text, MOST_KEY, key, key_length);
    end(MPI_Info_delete(MPI_Info_fromint(*info), key_text), ierror);
}

/* MPI_INFO_GET. At most `room` characters of value are written. */
static void get(const MPI_Fint *info, const char *key, size_t key_length, MPI_Fint valuelen, char *value, size_t room,
                MPI_Fint *flag, MPI_Fint *ierror)
{
    char key_text[MOST_KEY + 1], value_text[MOST_VALUE + 1];

    /* value_text has room for the longest value, so do not ask for more. */
    int found = 0, most = valuelen < RCUINFO_MAX_VALUE ? valuelen : RCUINFO_MAX_VALUE;

    rcuinfo__fortran_text_in(key_text, MOST_KEY, key, key_length);
    int code = MPI_Info_get(MPI_Info_fromint(*info), key_text, most, value_text, &found);

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

/* In mpi_f08 the argument is declared CHARACTER(LEN=valuelen), so the rest of a longer variable is not written. */
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
    int code = MPI_Info_get_valuelen(MPI_Info_fromint(*info), key_text, valuelen, &found);
    if (code == MPI_SUCCESS)
        *flag = found != 0;
    end(code, ierror);
}

/* buflen is the number of characters in Fortran, and includes the NUL in C. */
DEFINE(info_get_string, (const MPI_Fint *info, const char *key, MPI_Fint *buflen, char *value, MPI_Fint *flag,
                         MPI_Fint *ierror, size_t key_length, size_t value_length))
{
    char key_text[MOST_KEY + 1], value_text[MOST_VALUE + 1];
    int found = 0, size = *buflen < RCUINFO_MAX_VALUE ? *buflen : RCUINFO_MAX_VALUE;
    bool wanted = size > 0; /* 0 asks for the length only */
    if (wanted)
        size++;

    rcuinfo__fortran_text_in(key_text, MOST_KEY, key, key_length);
    int code = MPI_Info_get_string(MPI_Info_fromint(*info), key_text, &size, value_text, &found);

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
    end(MPI_Info_get_nkeys(MPI_Info_fromint(*info), nkeys), ierror);
}

DEFINE(info_get_nthkey, (const MPI_Fint *info, const MPI_Fint *n, char *key, MPI_Fint *ierror, size_t key_length))
{
    char key_text[MOST_KEY + 1];
    int code = MPI_Info_get_nthkey(MPI_Info_fromint(*info), *n, key_text);
    if (code == MPI_SUCCESS)
        rcuinfo__fortran_text_out(key, key_length, key_text);
    end(code, ierror);
}

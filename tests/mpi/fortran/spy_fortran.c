/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spy_fortran: a library in place of the real MPI's Fortran libraries. It has the procedures that the interposer
 * overrides. Each only records its arguments, for the spy, and answers as a function that the spy stubs.
 */
#include "fortran/calls_fortran.h"

#include <string.h>

#include "mpi/interpose/fortran_table.h"

/* Infos in an array are significant only at the root. */
static int count_infos(enum kind kind, void *const words[], int info)
{
    int rank = -1;
    if (kind != ARRAY)
        return info >= 0 && kind != OUT;
    PMPI_Comm_rank(PMPI_Comm_f2c(*(MPI_Fint *)words[info + 2]), &rank);
    return rank == *(MPI_Fint *)words[info + 1] ? *(MPI_Fint *)words[0] : 0;
}

static void keep(const char *symbol, enum kind kind, void *const words[], size_t count, int arguments, int info)
{
    int code = spy.answer;
    came_down.function = symbol;
    memcpy(came_down.words, words, count * sizeof words[0]);
    for (int n = 0; n < count_infos(kind, words, info); n++)
        spy_record(symbol, n, PMPI_Info_f2c(((MPI_Fint *)words[info])[n]));
    if (kind == OUT) {
        MPI_Info before = PMPI_Info_f2c(*(MPI_Fint *)words[info]), given = before;
        code = spy_give_info(&given);
        *(MPI_Fint *)words[info] = PMPI_Info_c2f(given);
        atomic_fetch_add(&spy.real_infos, given != before && given != MPI_INFO_NULL);
    }
    *(MPI_Fint *)words[arguments - 1] = code;
}

#define PROCEDURE(kind, symbol, count, strings, info)                                                                  \
    SPY_API void symbol(RCUINFO__FORTRAN_EACH_##count(RCUINFO__FORTRAN_PARAMETER));                                    \
    void symbol(RCUINFO__FORTRAN_EACH_##count(RCUINFO__FORTRAN_PARAMETER))                                             \
    {                                                                                                                  \
        keep(#symbol, kind, (void *[]){RCUINFO__FORTRAN_EACH_##count(RCUINFO__FORTRAN_WORD)}, count,                   \
             (count) - (strings), (info)-1);                                                                           \
    }

RCUINFO__FORTRAN_PROCEDURES(PROCEDURE, PROCEDURE)

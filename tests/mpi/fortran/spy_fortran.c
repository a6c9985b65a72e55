/* SPDX-License-Identifier: BSD-3-Clause */
/* spy_fortran: see spy_fortran.h. */
#include "fortran/spy_fortran.h"

#include <stdio.h>
#include <string.h>

#include "mpi/interpose/fortran_table.h"

struct spy_fortran spy_fortran;

static void keep_info(int place, MPI_Fint integer)
{
    MPI_Info info = PMPI_Info_f2c(integer);
    int nkeys = 0, used = 0, flag = 0;
    char *text = spy_fortran.pairs[place];
    spy_fortran.integers[place] = integer;
    if (info == MPI_INFO_NULL) {
        strcpy(text, "null");
        return;
    }
    text[0] = '\0';
    PMPI_Info_get_nkeys(info, &nkeys);
    for (int n = 0; n < nkeys && used < SPY_TEXT; n++) {
        char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
        PMPI_Info_get_nthkey(info, n, key);
        PMPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag);
        used += snprintf(text + used, (size_t)(SPY_TEXT - used), "%s=%s;", key, value);
    }
}

static MPI_Fint give_info(void)
{
    MPI_Info info = MPI_INFO_NULL;
    spy_fortran.given++;
    PMPI_Info_create(&info);
    PMPI_Info_set(info, "given", "yes");
    return PMPI_Info_c2f(info);
}

static void keep(const char *symbol, enum kind kind, void *const words[], size_t count, int arguments, int info)
{
    spy_fortran.symbol = symbol;
    memcpy(spy_fortran.words, words, count * sizeof words[0]);
    MPI_Fint *infos = info >= 0 ? words[info] : NULL;
    if (kind == OUT && spy_fortran.answer == MPI_SUCCESS && !spy_fortran.withheld)
        *infos = give_info();
    else if (kind != OUT && infos) {
        for (int n = 0; n < (kind == ARRAY ? *(MPI_Fint *)words[0] : 1); n++)
            keep_info(n, infos[n]);
    }
    *(MPI_Fint *)words[arguments - 1] = spy_fortran.answer;
}

#define PROCEDURE(kind, symbol, count, strings, info)                                                                  \
    __attribute__((visibility("default"))) void symbol(RCUINFO__FORTRAN_EACH_##count(RCUINFO__FORTRAN_PARAMETER));     \
    void symbol(RCUINFO__FORTRAN_EACH_##count(RCUINFO__FORTRAN_PARAMETER))                                             \
    {                                                                                                                  \
        keep(#symbol, kind, (void *[]){RCUINFO__FORTRAN_EACH_##count(RCUINFO__FORTRAN_WORD)}, count,                   \
             (count) - (strings), (info)-1);                                                                           \
    }

RCUINFO__FORTRAN_PROCEDURES(PROCEDURE, PROCEDURE)

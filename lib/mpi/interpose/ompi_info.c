/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ompi_info: functions of Open MPI's C library that its Fortran library calls since version 5, in place of
 * MPI_Info_get, MPI_Info_get_string and MPI_Info_get_nthkey. Strings are returned as objects of Open MPI, which the
 * caller frees. Source: ompi/info/info.h and ompi/mpi/fortran/mpif-h of Open MPI 5.0.
 *
 * The C library calls them, too, with its own infos. Before version 5 only that does, and ompi_info_get has five
 * arguments.
 */
#include "mpi/interpose/interpose.h"
#include "mpi/interpose/real.h"

void *opal_cstring_create(const char *string); /* since version 5 */

/* Whether a call is passed on as it is. */
static bool passes(MPI_Info info, const void *caller)
{
    return !rcuinfo__mpi_is_ours(info) && (rcuinfo__interpose_is_within() || rcuinfo__next_is_library(caller) ||
                                           rcuinfo__real_may_be(info) || !RCUINFO__HAS(opal_cstring_create));
}

/* Writes the object of a string; NULL if the status is an error. */
static int give(rcuinfo_status_t status, const char *text, void **string, const char *function)
{
    *string = status == RCUINFO_SUCCESS ? RCUINFO__NEXT(opal_cstring_create)(text) : NULL;
    return rcuinfo__mpi_done(status == RCUINFO_SUCCESS && !*string ? RCUINFO_ERR_NO_MEM : status, function);
}

int rcuinfo__ompi_info_get(MPI_Info info, const char *key, void *value, void *flag, void *flag_before_5)
{
    char text[MPI_MAX_INFO_VAL + 1];
    int has = 0;
    if (passes(info, __builtin_return_address(0)))
        return RCUINFO__NEXT(ompi_info_get)(info, key, value, flag, flag_before_5);

    RCUINFO__MPI_WATCH(ours_looked_up(key, __builtin_return_address(0)));
    rcuinfo_status_t status =
        rcuinfo__get(rcuinfo__mpi_decode(info), key, MPI_MAX_INFO_VAL, text, &has, RCUINFO__MPI_FLAVOUR);
    status = rcuinfo__mpi_reading(info, status);
    *(int *)flag = has;
    return status == RCUINFO_SUCCESS && !has ? MPI_SUCCESS : give(status, text, value, "MPI_Info_get");
}

int rcuinfo__ompi_info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
    if (passes(info, __builtin_return_address(0)))
        return RCUINFO__NEXT(ompi_info_get_valuelen)(info, key, valuelen, flag);

    RCUINFO__MPI_WATCH(ours_looked_up(key, __builtin_return_address(0)));
    rcuinfo_status_t status =
        rcuinfo__get_valuelen(rcuinfo__mpi_decode(info), key, valuelen, flag, RCUINFO__MPI_FLAVOUR);
    return rcuinfo__mpi_done(rcuinfo__mpi_reading(info, status), "MPI_Info_get_string");
}

int rcuinfo__ompi_info_get_nthkey(MPI_Info info, int n, void *key)
{
    char text[MPI_MAX_INFO_KEY + 1];
    if (passes(info, __builtin_return_address(0)))
        return RCUINFO__NEXT(ompi_info_get_nthkey)(info, n, key);

    rcuinfo_status_t status = rcuinfo__get_nthkey(rcuinfo__mpi_decode(info), n, text, RCUINFO__MPI_FLAVOUR);
    status = rcuinfo__mpi_reading(info, status);
    RCUINFO__MPI_WATCH(ours_known(status == RCUINFO_SUCCESS ? text : NULL, __builtin_return_address(0), true));
    return give(status, text, key, "MPI_Info_get_nthkey");
}

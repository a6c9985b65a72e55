/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_info: the info functions of MPI-4.0, on top of the core, and conversions of handles. Compiled once for the
 * standard ABI without an MPI library, and twice for each flavour of the interposer (flavour.h).
 *
 * All functions on infos work alike: a handle that may be the real library's is passed on to it. Any other handle is
 * decoded, to RCUINFO_NULL if it was never ours. The core checks first the other arguments, then the handle. Keys and
 * values are not looked at here.
 */
#include "mpi/hooks.h"
#if defined(RCUINFO__MPI_ALONE)
#include "mpi/mpi_integer.h"
#endif

/* Ends create, dup and create_env: writes the new handle, or MPI_INFO_NULL on an error. */
static int finish_create(rcuinfo_status_t status, const rcuinfo_t *made, MPI_Info *out, const char *function)
{
    /* If out is NULL, the status is ERR_ARG. NOLINTBEGIN(clang-analyzer-core.NullDereference) */
    if (__builtin_expect(status == RCUINFO_SUCCESS, 1))
        *out = rcuinfo__mpi_encode(*made);
    else if (status != RCUINFO_ERR_ARG)
        *out = MPI_INFO_NULL;
    /* NOLINTEND(clang-analyzer-core.NullDereference) */
    return rcuinfo__mpi_done(status, function);
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_create)(MPI_Info *info)
{
    RCUINFO__MPI_PASS_CREATE(Info_create, (info));

    rcuinfo_t made = RCUINFO_NULL;
    return finish_create(rcuinfo_create(info ? &made : NULL), &made, info, __func__);
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_set)(MPI_Info info, const char *key, const char *value)
{
    RCUINFO__MPI_PASS(info, Info_set, (info, key, value), RCUINFO__MPI_WATCH(set(key, value)));
    RCUINFO__MPI_WATCH(ours_known(key, __builtin_return_address(0), false));
    return rcuinfo__mpi_done(rcuinfo__set(rcuinfo__mpi_decode(info), key, value, RCUINFO__MPI_FLAVOUR), __func__);
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_delete)(MPI_Info info, const char *key)
{
    RCUINFO__MPI_PASS(info, Info_delete, (info, key), (void)0);
    return rcuinfo__mpi_done(rcuinfo__delete(rcuinfo__mpi_decode(info), key, RCUINFO__MPI_FLAVOUR), __func__);
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_get)(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    RCUINFO__MPI_PASS(info, Info_get, (info, key, valuelen, value, flag), RCUINFO__MPI_WATCH(looked_up(key)));
    RCUINFO__MPI_WATCH(ours_looked_up(key, __builtin_return_address(0)));
    return rcuinfo__mpi_done(rcuinfo__mpi_reading(info, rcuinfo__get(rcuinfo__mpi_decode(info), key, valuelen, value,
                                                                     flag, RCUINFO__MPI_FLAVOUR)),
                             __func__);
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_get_valuelen)(MPI_Info info, const char *key, int *valuelen, int *flag)
{
    RCUINFO__MPI_PASS(info, Info_get_valuelen, (info, key, valuelen, flag), RCUINFO__MPI_WATCH(looked_up(key)));
    RCUINFO__MPI_WATCH(ours_looked_up(key, __builtin_return_address(0)));
    return rcuinfo__mpi_done(rcuinfo__mpi_reading(info, rcuinfo__get_valuelen(rcuinfo__mpi_decode(info), key, valuelen,
                                                                              flag, RCUINFO__MPI_FLAVOUR)),
                             __func__);
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_get_string)(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
    RCUINFO__MPI_PASS_GET_STRING(info, (info, key, buflen, value, flag));
    RCUINFO__MPI_PASS(info, Info_get_string, (info, key, buflen, value, flag), RCUINFO__MPI_WATCH(looked_up(key)));
    RCUINFO__MPI_WATCH(ours_looked_up(key, __builtin_return_address(0)));
    return rcuinfo__mpi_done(rcuinfo__mpi_reading(info, rcuinfo__get_string(rcuinfo__mpi_decode(info), key, buflen,
                                                                            value, flag, RCUINFO__MPI_FLAVOUR)),
                             __func__);
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_get_nkeys)(MPI_Info info, int *nkeys)
{
    RCUINFO__MPI_PASS(info, Info_get_nkeys, (info, nkeys), (void)0);
    return rcuinfo__mpi_done(
        rcuinfo__mpi_reading(info, rcuinfo__get_nkeys(rcuinfo__mpi_decode(info), nkeys, RCUINFO__MPI_FLAVOUR)),
        __func__);
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_get_nthkey)(MPI_Info info, int n, char *key)
{
    RCUINFO__MPI_PASS(info, Info_get_nthkey, (info, n, key), RCUINFO__MPI_WATCH(enumerated(key)));
    int code = rcuinfo__mpi_done(
        rcuinfo__mpi_reading(info, rcuinfo__get_nthkey(rcuinfo__mpi_decode(info), n, key, RCUINFO__MPI_FLAVOUR)),
        __func__);
    RCUINFO__MPI_WATCH(ours_known(code == MPI_SUCCESS ? key : NULL, __builtin_return_address(0), true));
    return code;
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_dup)(MPI_Info info, MPI_Info *newinfo)
{
    RCUINFO__MPI_PASS(info, Info_dup, (info, newinfo), (void)0);

    rcuinfo_t made = RCUINFO_NULL;
    rcuinfo_status_t status = rcuinfo__dup(rcuinfo__mpi_decode(info), newinfo ? &made : NULL, RCUINFO__MPI_FLAVOUR);
    return finish_create(rcuinfo__mpi_reading(info, status), &made, newinfo, __func__);
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_free)(MPI_Info *info)
{
    if (!info)
        return rcuinfo__mpi_done(RCUINFO_ERR_ARG, __func__);

    RCUINFO__MPI_PASS(*info, Info_free, (info), (void)0);

    rcuinfo_status_t status = rcuinfo__free(rcuinfo__mpi_decode(*info), RCUINFO__MPI_FLAVOUR);
    if (status == RCUINFO_SUCCESS)
        *info = MPI_INFO_NULL;
    return rcuinfo__mpi_done(status, __func__);
}

RCUINFO__MPI_API int RCUINFO__MPI(Info_create_env)(int argc, char *argv[], MPI_Info *info)
{
    rcuinfo_t made = RCUINFO_NULL;
    return finish_create(rcuinfo__env_create(argc, argv, RCUINFO__MPI_LIMITS, info ? &made : NULL), &made, info,
                         __func__);
}

#if !defined(RCUINFO__MPI_PROFILED)

RCUINFO__MPI_API rcuinfo_t RCUINFO__MPI_STORE(rcuinfo_from_mpi)(MPI_Info info)
{
    return rcuinfo__mpi_native(info);
}

RCUINFO__MPI_API MPI_Info RCUINFO__MPI_STORE(rcuinfo_to_mpi)(rcuinfo_t info)
{
    /* A stale handle may have the number of a live one. rcuinfo__handle_native gives the live one. */
    uint32_t number = rcuinfo__handle_number(info, RCUINFO__MPI_GENERATION_BITS);
    if (info == RCUINFO_NULL || rcuinfo__handle_native(number, RCUINFO__MPI_GENERATION_BITS) != info)
        return MPI_INFO_NULL;

    /* The object of MPI_INFO_ENV has a reserved slot, and its handle is a constant of mpi.h. */
    bool is_env = (info & ((UINT32_C(1) << RCUINFO__INDEX_BITS) - 1)) == RCUINFO__MPI_ENV;
    return is_env ? MPI_INFO_ENV : rcuinfo__mpi_of_number(number);
}

#endif

#if defined(RCUINFO__MPI_ALONE)

RCUINFO__MPI_API int RCUINFO__MPI(Info_toint)(MPI_Info info)
{
    return rcuinfo__mpi_toint(info);
}

RCUINFO__MPI_API MPI_Info RCUINFO__MPI(Info_fromint)(int info)
{
    return rcuinfo__mpi_fromint(info);
}

RCUINFO__MPI_ALIAS(Info_create);
RCUINFO__MPI_ALIAS(Info_set);
RCUINFO__MPI_ALIAS(Info_delete);
RCUINFO__MPI_ALIAS(Info_get);
RCUINFO__MPI_ALIAS(Info_get_valuelen);
RCUINFO__MPI_ALIAS(Info_get_string);
RCUINFO__MPI_ALIAS(Info_get_nkeys);
RCUINFO__MPI_ALIAS(Info_get_nthkey);
RCUINFO__MPI_ALIAS(Info_dup);
RCUINFO__MPI_ALIAS(Info_free);
RCUINFO__MPI_ALIAS(Info_create_env);
RCUINFO__MPI_ALIAS(Info_toint);
RCUINFO__MPI_ALIAS(Info_fromint);

#endif

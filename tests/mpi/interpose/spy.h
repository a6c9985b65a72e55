/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spy: a library between the interposer and the real MPI library, as a profiling tool would be. It keeps what the
 * interposer hands down, can answer in place of the real library, and can make the real library's info functions fail.
 *
 * Any number of threads may come down: each is told of what came down in itself.
 */
#ifndef TESTS_INTERPOSE_SPY_H
#define TESTS_INTERPOSE_SPY_H

#include <stdbool.h>

#include <mpi.h>
#include <rcuinfo_declared.h>

#define SPY_API __attribute__((visibility("default")))

/* While true no function but those on infos themselves reaches the real library: they give the answer, MPI_SUCCESS at
 * first, and when that is MPI_SUCCESS, write no output but an info of what spy_give was last called with. */
SPY_API void spy_stub(bool on);
SPY_API void spy_answer(int code);

/* The function that came down last; "" when none did since spy_forget. */
SPY_API const char *spy_name(void);
SPY_API void spy_forget(void);

/* The nth info that came down with it: whether MPI_INFO_NULL, its bits, and its pairs as "key=value;" each. */
SPY_API bool spy_got_null(int n);
SPY_API MPI_Info spy_info(int n);
SPY_API const char *spy_pairs(int n);
/* The array that came down with MPI_Comm_spawn_multiple. */
SPY_API const MPI_Info *spy_array(void);

/* The pairs of the infos that a stubbed function gives out: `count` times key and value; -1: it gives MPI_INFO_NULL;
 * -2: it writes nothing. */
SPY_API void spy_give(const char *const keys_and_values[], int count);

/* Real infos that the interposer has made with PMPI_Info_create (one of them, on MPICH, when MPI or the first session
 * is initialized, for good) or PMPI_Info_dup, or was given by a function that gives one out, less those that it has
 * freed. */
SPY_API int spy_real_infos(void);

/* The interposer's kth call of PMPI_Info_create or PMPI_Info_dup (PMPI_Info_set, PMPI_Comm_rank) from now on fails; 0:
 * none. It gives MPI_ERR_OTHER, or what spy_fail_as was last called with: MPI_SUCCESS, as MPICH 5 when a handler of the
 * user's has had the error. */
SPY_API void spy_fail_as(int code);
SPY_API void spy_fail_create(int k);
SPY_API void spy_fail_set(int k);
SPY_API void spy_fail_rank(int k);

#endif

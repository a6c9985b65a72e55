/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_native_calls: the calls that bench_scale measures, made to the store without MPI: the program text for MPI,
 * with each MPI_Info function replaced by the store's function of that name, and calls that MPI does not have.
 */
#include <rcuinfo/rcuinfo.h>

#include "peers.h"

#define MPI_MAX_INFO_KEY         RCUINFO_MAX_KEY
#define MPI_Info                 rcuinfo_t
#define MPI_Info_create(...)     must(rcuinfo_create(__VA_ARGS__), "create")
#define MPI_Info_dup(...)        must(rcuinfo_dup(__VA_ARGS__), "dup")
#define MPI_Info_free(...)       must(rcuinfo_free(__VA_ARGS__), "free")
#define MPI_Info_set(...)        must(rcuinfo_set(__VA_ARGS__), "set")
#define MPI_Info_get(...)        must(rcuinfo_get(__VA_ARGS__), "get")
#define MPI_Info_get_nkeys(...)  must(rcuinfo_get_nkeys(__VA_ARGS__), "get_nkeys")
#define MPI_Info_get_nthkey(...) must(rcuinfo_get_nthkey(__VA_ARGS__), "get_nthkey")

#include "info_calls.h"

static inline void find(const struct load *load, const rcuinfo_snapshot_t *snapshot, unsigned key)
{
    rcuinfo_pair_t pair;
    rcuinfo_status_t status = rcuinfo_snapshot_find(snapshot, load->texts.key[key], &pair);
    if (__builtin_expect(status || !workload_whole(&load->texts, pair.value, load->texts.mask[key]), 0))
        calls_failed("rcuinfo_snapshot_find", load->texts.key[key]);
}

LOOP_CALL(snapshot, {
    const rcuinfo_snapshot_t *opened;
    must(rcuinfo_snapshot_open(load->info, &opened), "snapshot_open");
    find(load, opened, calls_key(load, i));
    rcuinfo_snapshot_close(opened);
})

LOOP_CALL(view, {
    rcuinfo_view_t begun;
    must(rcuinfo_view_begin(load->info, &begun), "view_begin");
    find(load, begun.snapshot, calls_key(load, i));
    rcuinfo_view_end(&begun);
})

static info_loop *const LOOPS[MPI_WORK_CALLS] = {INFO_LOOPS, [MPI_WORK_SNAPSHOT] = snapshot, [MPI_WORK_VIEW] = view};

static struct mpi_result perform(const struct mpi_order *order)
{
    struct load load = load_make(order->keys);
    struct mpi_result result = calls_shared(&load, order, LOOPS);
    load_unmake(&load);
    return result;
}

int main(int argc, char **argv)
{
    serve(serve_socket(argc, argv), true, "rcuinfo", perform);
    return 0;
}

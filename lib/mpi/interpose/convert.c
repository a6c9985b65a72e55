/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * convert: infos of the store made into real ones, and real ones into infos of the store.
 *
 * Invariant: what is half made when an error comes up is freed before the error is returned. The real library raises
 * its errors itself; those of the store go to the caller's `done`.
 *
 * Threads convert at once, also where MPI is not initialized or below MPI_THREAD_MULTIPLE, and no lock is taken for it
 * here: each real info is known to one thread only, MPICH guards what it makes them of by a mutex of its own at all
 * times, and on Open MPI only a thread that may call MPI gets here.
 */
#include <string.h>

#include <rcuinfo/snapshot.h>
#include <rcuinfo/update.h>

#include "core/order.h"
#include "mpi/interpose/interpose.h"

/* Whether the real library would refuse the pair, or could not give it back whole. */
static bool is_refused(size_t key_length, size_t value_length)
{
#if defined(RCUINFO__FLAVOUR_OPENMPI)
    if (value_length == 0)
        return true;
#endif
    return key_length >= MPI_MAX_INFO_KEY || value_length >= MPI_MAX_INFO_VAL;
}

static int fill_real(const rcuinfo_snapshot_t *snapshot, MPI_Info real)
{
    uint64_t left_out = 0;
    rcuinfo_pair_t pair;
    for (size_t n = 0; rcuinfo_snapshot_nth(snapshot, n, &pair) == RCUINFO_SUCCESS; n++) {
        if (is_refused(pair.key_length, pair.value_length) || !rcuinfo__interpose_passes(pair.key)) {
            left_out++;
            continue;
        }
        int code = PMPI_Info_set(real, pair.key, pair.value);
        if (code != MPI_SUCCESS)
            return code;
    }
    rcuinfo__stats_add(RCUINFO__COUNT_CONVERSIONS, 1);
    if (left_out > 0)
        rcuinfo__stats_add(RCUINFO__COUNT_LEFT_OUT, left_out);
    return MPI_SUCCESS;
}

static int make_real(const rcuinfo_snapshot_t *snapshot, MPI_Info *real)
{
    MPI_Info made;
    int code = PMPI_Info_create(&made);
    if (code != MPI_SUCCESS)
        return code;
    code = fill_real(snapshot, made);
    if (code == MPI_SUCCESS)
        *real = made;
    else
        (void)PMPI_Info_free(&made);
    return code;
}

int rcuinfo__interpose_lend(MPI_Info info, MPI_Info *real, rcuinfo__interpose_done_t done)
{
    *real = info;
    if (info == MPI_INFO_NULL || rcuinfo__interpose_may_be_real(info))
        return MPI_SUCCESS;
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_status_t status = rcuinfo_snapshot_open(rcuinfo__mpi_native(info), &snapshot);
    if (status != RCUINFO_SUCCESS)
        return done(rcuinfo__mpi_reading(info, status));
    int code = MPI_SUCCESS;
#if defined(RCUINFO__FLAVOUR_OPENMPI)
    /* Making one would end the program, in the name of a call that it never made: the next function says it better. */
    if (!rcuinfo__interpose_in_world())
        *real = MPI_INFO_NULL;
    else
#endif
        code = make_real(snapshot, real);
    rcuinfo_snapshot_close(snapshot);
    return code;
}

void rcuinfo__interpose_take_back(MPI_Info info, MPI_Info real)
{
    if (real != info && real != MPI_INFO_NULL)
        (void)PMPI_Info_free(&real);
}

/*
 * Changes on their way into a new object, which nobody else knows yet. They lie on the stack, so nothing can fail in
 * between; the infos of both libraries go in as one version, and a larger one goes in as a few.
 */
struct batch {
    size_t count;
    size_t used; /* bytes of text */
    rcuinfo_change_t changes[64];
    char text[8192];
};

#define PAIR_BYTES ((size_t)MPI_MAX_INFO_KEY + 1 + MPI_MAX_INFO_VAL + 1)

static rcuinfo_status_t flush(struct batch *batch, rcuinfo_t into)
{
    rcuinfo_status_t status = rcuinfo__update(into, batch->changes, batch->count);
    batch->count = 0;
    batch->used = 0;
    return status;
}

static bool is_full(const struct batch *batch)
{
    return batch->count == sizeof batch->changes / sizeof batch->changes[0] ||
           batch->used + PAIR_BYTES > sizeof batch->text;
}

/* Appends the nth pair of a real info, unless it is one that we could not hold: then *left_out is one more. */
static int append(struct batch *batch, MPI_Info real, int n, uint64_t *left_out)
{
    char *key = batch->text + batch->used;
    key[MPI_MAX_INFO_KEY] = '\0';
    int code = PMPI_Info_get_nthkey(real, n, key);
    if (code != MPI_SUCCESS)
        return code;
    size_t key_length = strnlen(key, MPI_MAX_INFO_KEY);
    char *value = key + key_length + 1;
    value[MPI_MAX_INFO_VAL] = '\0';
    int length = 0;
    int found = 0;
    code = PMPI_Info_get_valuelen(real, key, &length, &found);
    if (code == MPI_SUCCESS && found && length < MPI_MAX_INFO_VAL)
        code = PMPI_Info_get(real, key, MPI_MAX_INFO_VAL, value, &found);
    if (code != MPI_SUCCESS)
        return code;
    if (!found || key_length == 0 || key_length >= MPI_MAX_INFO_KEY || length >= MPI_MAX_INFO_VAL) {
        *left_out += 1;
        return MPI_SUCCESS;
    }
    batch->changes[batch->count++] = (rcuinfo_change_t){key, value};
    batch->used += key_length + 1 + strnlen(value, MPI_MAX_INFO_VAL) + 1;
    return MPI_SUCCESS;
}

/* Returns the real library's code; what the store says is in *status. */
static int copy_real(MPI_Info real, rcuinfo_t into, rcuinfo_status_t *status)
{
    struct batch batch;
    batch.count = 0;
    batch.used = 0;
    uint64_t left_out = 0;
    int nkeys = 0;
    int code = PMPI_Info_get_nkeys(real, &nkeys);
    *status = RCUINFO_SUCCESS;
    for (int n = 0; n < nkeys && code == MPI_SUCCESS && *status == RCUINFO_SUCCESS; n++) {
        if (is_full(&batch))
            *status = flush(&batch, into);
        if (*status == RCUINFO_SUCCESS)
            code = append(&batch, real, n, &left_out);
    }
    if (code != MPI_SUCCESS || *status != RCUINFO_SUCCESS)
        return code;
    *status = flush(&batch, into);
    if (*status == RCUINFO_SUCCESS && left_out > 0)
        rcuinfo__stats_add(RCUINFO__COUNT_LEFT_OUT, left_out);
    return code;
}

int rcuinfo__interpose_adopt(MPI_Info real, MPI_Info *info, rcuinfo__interpose_done_t done)
{
    rcuinfo_t made;
    int code = done(rcuinfo_create(&made));
    if (code == MPI_SUCCESS && real != MPI_INFO_NULL) {
        rcuinfo_status_t status;
        code = copy_real(real, made, &status);
        if (code == MPI_SUCCESS)
            code = done(status);
        if (code != MPI_SUCCESS)
            rcuinfo__discard(made);
    }
    if (code == MPI_SUCCESS) {
        rcuinfo__stats_add(RCUINFO__COUNT_CONVERSIONS, 1);
        *info = rcuinfo__mpi_encode(made);
    }
    if (real != MPI_INFO_NULL)
        (void)PMPI_Info_free(&real);
    return code;
}

void rcuinfo__interpose_prepare(void)
{
#if defined(RCUINFO__FLAVOUR_MPICH)
    /* MPICH gives the memory of its infos back with the last one, and sets it up anew for the next, which takes longer
     * than a conversion. One that is handed to nobody keeps it. */
    static atomic_flag made = ATOMIC_FLAG_INIT;
    MPI_Info kept;
    if (!atomic_flag_test_and_set_explicit(&made, RCUINFO__COUNT) && PMPI_Info_create(&kept) != MPI_SUCCESS)
        atomic_flag_clear_explicit(&made, RCUINFO__COUNT);
#endif
}

const struct rcuinfo__env_more *rcuinfo__interpose_real_env(void)
{
    static struct batch kept;
    static struct rcuinfo__env_more more;
    uint64_t left_out = 0;
    int nkeys = 0;
    int code = PMPI_Info_get_nkeys(MPI_INFO_ENV, &nkeys);
    for (int n = 0; n < nkeys && code == MPI_SUCCESS && !is_full(&kept); n++)
        code = append(&kept, MPI_INFO_ENV, n, &left_out);
    more.count = kept.count;
    more.pairs = kept.changes;
    return &more;
}

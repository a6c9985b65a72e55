/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * disagree: of keys in dispute the majority, who is the odd one, and both values, in four steps for all of them.
 *
 * The majority is found by counting each bit of the hashes by itself: a value that more than half of the processes have
 * makes every bit of its hash the more frequent one, so the bits that are, together, are its hash. Whether there is
 * such a value, counting who has that hash tells. These are sums and minima of integers, which come out the same in
 * whatever order an MPI adds them up, so all processes draw the same conclusions and each knows whether it has a value
 * to send.
 */
#include <string.h>

#include "mpi/collective/agree.h"

#define TAG      0
#define BITS     64
#define HALF     32
#define DETAILS  RCUINFO__AGREE_DETAILS
#define LOW_HALF UINT32_MAX

/* The hash of the majority, if there is one, and that of rank 0. */
struct candidate {
    uint64_t most;
    uint64_t first;
};

/* The processes that have `most`, and `first`; then the lowest ranks with `most`, without it, and without `first`. */
enum { HAVE_MOST, HAVE_FIRST, COUNTS };
enum { WITH_MOST, WITHOUT_MOST, WITHOUT_FIRST, RANKS };

static int vote(const struct rcuinfo__agree *self, const size_t index[], int n, struct candidate candidates[])
{
    uint32_t votes[DETAILS][BITS + 2];
    for (int k = 0; k < n; k++) {
        uint64_t hash = self->hashes[index[k]];
        for (int bit = 0; bit < BITS; bit++)
            votes[k][bit] = hash >> bit & 1;
        votes[k][BITS] = self->on.rank == 0 ? (uint32_t)(hash & LOW_HALF) : 0;
        votes[k][BITS + 1] = self->on.rank == 0 ? (uint32_t)(hash >> HALF) : 0;
    }
    int code = MPI_Allreduce(MPI_IN_PLACE, votes, n * (BITS + 2), MPI_UINT32_T, MPI_SUM, self->on.comm);
    for (int k = 0; k < n && code == MPI_SUCCESS; k++) {
        candidates[k] = (struct candidate){0, votes[k][BITS] | (uint64_t)votes[k][BITS + 1] << HALF};
        for (int bit = 0; bit < BITS; bit++)
            candidates[k].most |= (uint64_t)(votes[k][bit] > (uint32_t)self->on.size / 2) << bit;
    }
    return code;
}

static int count(const struct rcuinfo__agree *self, const size_t index[], int n, const struct candidate candidates[],
                 int counts[][COUNTS], int ranks[][RANKS])
{
    int rank = self->on.rank, nobody = self->on.size;
    for (int k = 0; k < n; k++) {
        bool most = self->hashes[index[k]] == candidates[k].most;
        bool first = self->hashes[index[k]] == candidates[k].first;
        counts[k][HAVE_MOST] = most;
        counts[k][HAVE_FIRST] = first;
        ranks[k][WITH_MOST] = most ? rank : nobody;
        ranks[k][WITHOUT_MOST] = most ? nobody : rank;
        ranks[k][WITHOUT_FIRST] = first ? nobody : rank;
    }
    int code = MPI_Allreduce(MPI_IN_PLACE, counts, n * COUNTS, MPI_INT, MPI_SUM, self->on.comm);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(MPI_IN_PLACE, ranks, n * RANKS, MPI_INT, MPI_MIN, self->on.comm);
    return code;
}

/* The value here of a key, behind a byte that says whether it is there. */
#define TOLD_VALUE (1 + RCUINFO_MAX_VALUE)
static int value_here(const struct rcuinfo__agree *self, size_t index, char told[TOLD_VALUE])
{
    rcuinfo_pair_t pair;
    bool present = rcuinfo_snapshot_find(self->snapshot, self->keys[index], &pair) == RCUINFO_SUCCESS;
    if (!present)
        pair = (rcuinfo_pair_t){.value = ""};
    told[0] = present ? 1 : 0;
    memcpy(told + 1, pair.value, pair.value_length + 1);
    return (int)pair.value_length + 2;
}

/* One rank's value gets to root. */
static int bring(const struct rcuinfo__agree *self, size_t index, int from, int *present, char *value)
{
    char told[TOLD_VALUE];
    bool is_root = self->on.rank == self->root;
    int code = MPI_SUCCESS, length = self->on.rank == from ? value_here(self, index, told) : 0;
    if (self->on.rank == from && !is_root)
        code = MPI_Send(told, length, MPI_BYTE, self->root, TAG, self->on.comm);
    if (self->on.rank != from && is_root)
        code = MPI_Recv(told, sizeof told, MPI_BYTE, from, TAG, self->on.comm, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && is_root) {
        *present = told[0] != 0;
        memcpy(value, told + 1, strlen(told + 1) + 1);
    }
    return code;
}

int rcuinfo__agree_describe(const struct rcuinfo__agree *self, const size_t index[], int n, rcuinfo_disagreement_t to[])
{
    struct candidate candidates[DETAILS];
    int counts[DETAILS][COUNTS], ranks[DETAILS][RANKS];
    rcuinfo_disagreement_t elsewhere;
    int code = vote(self, index, n, candidates);
    if (code == MPI_SUCCESS)
        code = count(self, index, n, candidates, counts, ranks);
    for (int k = 0; k < n && code == MPI_SUCCESS; k++) {
        rcuinfo_disagreement_t *one = to ? &to[k] : &elsewhere;
        bool majority = counts[k][HAVE_MOST] > self->on.size / 2;
        memset(one, 0, sizeof *one);
        memcpy(one->key, self->keys[index[k]], strlen(self->keys[index[k]]) + 1);
        one->majority = majority ? counts[k][HAVE_MOST] : 0;
        one->rank = majority ? ranks[k][WITH_MOST] : 0;
        one->odd = self->on.size - counts[k][majority ? HAVE_MOST : HAVE_FIRST];
        one->odd_rank = ranks[k][majority ? WITHOUT_MOST : WITHOUT_FIRST];
        code = bring(self, index[k], one->rank, &one->present, one->value);
        if (code == MPI_SUCCESS)
            code = bring(self, index[k], one->odd_rank, &one->odd_present, one->odd_value);
    }
    return code;
}

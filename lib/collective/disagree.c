/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * disagree: finds the majority and the lowest odd rank for each key in dispute, and sends both values to root.
 *
 * The majority is found by counting, for each bit of the hashes, the processes whose hash has the bit set. If more than
 * half of the processes have the same hash, then each of its bits is in the majority. So the bits that more than half
 * of the processes have set form the only candidate: e.g. of the hashes 0110, 0110 and 1010, more than half have the
 * bits 2 and 1, so the candidate is 0110. A second reduction counts the processes that have the candidate.
 *
 * The reductions are sums and minima of integers, which do not depend on the order in which an MPI library adds them.
 * So all processes get the same results, and each knows whether it has a value to send.
 */
#include <string.h>

#include "collective/agree.h"

#define TAG      0
#define BITS     64
#define HALF     32
#define DETAILS  RCUINFO__AGREE_DETAILS
#define LOW_HALF UINT32_MAX

/* The hash of the majority, if there is one, and the hash of rank 0. */
struct candidate {
    uint64_t most;
    uint64_t first;
};

/* The numbers of processes that have `most` and `first`; the lowest ranks with `most`, without it, and without `first`.
 */
enum { HAVE_MOST, HAVE_FIRST, COUNTS };
enum { WITH_MOST, WITHOUT_MOST, WITHOUT_FIRST, RANKS };

/* Finds the candidates of n keys. */
static int find_candidates(const struct rcuinfo__agree *self, const size_t index[], int n,
                           struct candidate candidates[])
{
    uint32_t votes[DETAILS][BITS + 2]; /* a counter per bit, then the two halves of the hash of rank 0 */

    for (int k = 0; k < n; k++) {
        uint64_t hash = self->hashes[index[k]];
        for (int bit = 0; bit < BITS; bit++)
            votes[k][bit] = hash >> bit & 1;

        /* Only rank 0 adds its hash, so the sum is that hash. */
        votes[k][BITS] = self->on.rank == 0 ? (uint32_t)(hash & LOW_HALF) : 0;
        votes[k][BITS + 1] = self->on.rank == 0 ? (uint32_t)(hash >> HALF) : 0;
    }

    int code = MPI_Allreduce(MPI_IN_PLACE, votes, n * (BITS + 2), MPI_UINT32_T, MPI_SUM, self->on.comm);
    for (int k = 0; k < n && code == MPI_SUCCESS; k++) {
        candidates[k] = (struct candidate){0, votes[k][BITS] | (uint64_t)votes[k][BITS + 1] << HALF};

        /* The bits that more than half of the processes have set. */
        for (int bit = 0; bit < BITS; bit++)
            candidates[k].most |= (uint64_t)(votes[k][bit] > (uint32_t)self->on.size / 2) << bit;
    }
    return code;
}

/* Counts the processes that have the candidates, and finds the lowest ranks. */
static int count_processes(const struct rcuinfo__agree *self, const size_t index[], int n,
                           const struct candidate candidates[], int counts[][COUNTS], int ranks[][RANKS])
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

/* Copies the value of a key on this process, after a byte that says whether the key is there. Returns the length. */
#define MESSAGE_SIZE (1 + RCUINFO_MAX_VALUE)
static int copy_value(const struct rcuinfo__agree *self, size_t index, char message[MESSAGE_SIZE])
{
    rcuinfo_pair_t pair;
    bool present = rcuinfo_snapshot_find(self->snapshot, self->keys[index], &pair) == RCUINFO_SUCCESS;
    if (!present)
        pair = (rcuinfo_pair_t){.value = ""};

    message[0] = present ? 1 : 0;
    memcpy(message + 1, pair.value, pair.value_length + 1);
    return (int)pair.value_length + 2;
}

/* Sends the value on one rank to root. */
static int send_value(const struct rcuinfo__agree *self, size_t index, int from, int *present, char *value)
{
    char message[MESSAGE_SIZE];
    bool is_root = self->on.rank == self->root;
    int code = MPI_SUCCESS;

    if (self->on.rank == from) {
        int length = copy_value(self, index, message);
        if (!is_root) /* else there is nothing to send */
            code = MPI_Send(message, length, MPI_BYTE, self->root, TAG, self->on.comm);
    } else if (is_root) {
        code = MPI_Recv(message, sizeof message, MPI_BYTE, from, TAG, self->on.comm, MPI_STATUS_IGNORE);
    }

    if (code == MPI_SUCCESS && is_root) {
        *present = message[0] != 0;
        memcpy(value, message + 1, strlen(message + 1) + 1);
    }
    return code;
}

int rcuinfo__agree_describe(const struct rcuinfo__agree *self, const size_t index[], int n, rcuinfo_disagreement_t to[])
{
    struct candidate candidates[DETAILS];
    int counts[DETAILS][COUNTS], ranks[DETAILS][RANKS];
    rcuinfo_disagreement_t unused; /* instead of an entry of `to`, where there is none */

    int code = find_candidates(self, index, n, candidates);
    if (code == MPI_SUCCESS)
        code = count_processes(self, index, n, candidates, counts, ranks);

    for (int k = 0; k < n && code == MPI_SUCCESS; k++) {
        rcuinfo_disagreement_t *one = to ? &to[k] : &unused;
        bool majority = counts[k][HAVE_MOST] > self->on.size / 2;

        memset(one, 0, sizeof *one);
        memcpy(one->key, self->keys[index[k]], strlen(self->keys[index[k]]) + 1);

        /* Without a majority, the values are compared with that of rank 0. */
        one->majority = majority ? counts[k][HAVE_MOST] : 0;
        one->rank = majority ? ranks[k][WITH_MOST] : 0;
        one->odd = self->on.size - counts[k][majority ? HAVE_MOST : HAVE_FIRST];
        one->odd_rank = ranks[k][majority ? WITHOUT_MOST : WITHOUT_FIRST];

        code = send_value(self, index[k], one->rank, &one->present, one->value);
        if (code == MPI_SUCCESS)
            code = send_value(self, index[k], one->odd_rank, &one->odd_present, one->odd_value);
    }
    return code;
}

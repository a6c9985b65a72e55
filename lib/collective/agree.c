/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agree: checks whether keys have the same value on all processes, by comparing hashes: XXH3 of the value, or 0 for a
 * key that is absent.
 *
 * The processes first reduce a single hash, over the hashes of all keys. If it is the same on all of them, nothing else
 * is sent. Otherwise they reduce the hash of each key, to find the keys in dispute, and disagree.c finds the details of
 * those that root has room for. All processes get the same results, so each knows which messages the others send and
 * expect.
 */
#include <string.h>

#include "collective/agree.h"

/* The first reduction is of the hash of all keys, the hash of all values, and the room at root. */
enum { MAX_KEYS = RCUINFO__MAX_FIRST, MAX_VALUES = MAX_KEYS + 2, MAX_ROOM = MAX_VALUES + 2, MAXIMA };

/* The caller's arguments. */
struct arguments {
    rcuinfo_t info;
    const char *const *keys;
    size_t n;
    int root;
    int *agree;
    size_t room; /* this and the next two at root only */
    rcuinfo_disagreement_t *disagreements;
    size_t *found;
};

/* Checks the arguments on this process. */
static int check_arguments(const struct rcuinfo__agree *self, const struct arguments *given)
{
    bool is_root = self->on.rank == given->root;

    if (given->root < 0 || given->root >= self->on.size)
        return MPI_ERR_ROOT;

    if (!given->agree || (given->n > 0 && !given->keys) ||
        (is_root && (!given->found || (given->room > 0 && !given->disagreements))))
        return MPI_ERR_ARG;

    for (size_t i = 0; i < given->n; i++) {
        if (rcuinfo__text_key(given->keys[i], RCUINFO_MAX_KEY) == 0)
            return MPI_ERR_INFO_KEY;
    }
    return MPI_SUCCESS;
}

static uint64_t hash_of_value(const rcuinfo_snapshot_t *snapshot, const char *key)
{
    rcuinfo_pair_t pair;
    if (rcuinfo_snapshot_find(snapshot, key, &pair) != RCUINFO_SUCCESS)
        return 0;

    uint64_t hash = rcuinfo__text_checksum(pair.value, pair.value_length);

    /* 0 means absent. */
    return hash != 0 ? hash : 1;
}

/* Opens a snapshot and hashes keys and values: each value to self->hashes, and all of them to *keys and *values. */
static int compute_hashes(struct rcuinfo__agree *self, const struct arguments *given, uint64_t *keys, uint64_t *values)
{
    int status = check_arguments(self, given);
    if (status == MPI_SUCCESS)
        status = rcuinfo__collective_class(rcuinfo_snapshot_open(given->info, &self->snapshot));
    if (status != MPI_SUCCESS || given->n == 0)
        return status;

    if (given->n <= SIZE_MAX / sizeof *self->hashes)
        self->hashes = rcuinfo__alloc(given->n * sizeof *self->hashes);
    if (!self->hashes)
        return MPI_ERR_NO_MEM;

    /* First the hashes of the keys, then, in the same memory, those of the values. */
    for (size_t i = 0; i < given->n; i++)
        self->hashes[i] = rcuinfo__text_checksum(given->keys[i], strlen(given->keys[i]));
    *keys = rcuinfo__text_checksum(self->hashes, given->n * sizeof *self->hashes);

    for (size_t i = 0; i < given->n; i++)
        self->hashes[i] = hash_of_value(self->snapshot, given->keys[i]);
    *values = rcuinfo__text_checksum(self->hashes, given->n * sizeof *self->hashes);
    return MPI_SUCCESS;
}

/* The number of keys that one reduction compares. */
#define BATCH 256

/* The keys in dispute. They are described in groups of RCUINFO__AGREE_DETAILS, to send fewer messages. */
struct dispute {
    uint64_t keys;      /* how many were found */
    uint64_t described; /* how many have been described in root's array */
    int waiting;        /* how many more, in `index`, are to be described */
    size_t index[RCUINFO__AGREE_DETAILS];
};

/* Describes the waiting keys in root's array `to`, which is NULL on other processes. */
static int describe_waiting(const struct rcuinfo__agree *self, struct dispute *dispute, rcuinfo_disagreement_t *to)
{
    int n = dispute->waiting;
    dispute->waiting = 0;
    dispute->described += (uint64_t)n;

    if (n == 0)
        return MPI_SUCCESS;
    return rcuinfo__agree_describe(self, dispute->index, n, to ? to + (dispute->described - (uint64_t)n) : NULL);
}

/*
 * Compares the hashes of all keys, and describes the first `room` of those in dispute.
 *
 * Each process has the same keys in the same order, so hash i is that of the same key everywhere. A reduction to the
 * maxima of hash and complement shows which differ; the details of a key, its values and who has them, take further
 * messages, which are sent for several keys at once. Every process walks through the same disputes in the same order,
 * and only root has an array to describe them in.
 */
static int find_disputes(const struct rcuinfo__agree *self, uint64_t room, rcuinfo_disagreement_t *to, uint64_t *found)
{
    struct dispute dispute = {.keys = 0};
    uint64_t maxima[2 * BATCH];
    int code = MPI_SUCCESS;

    for (size_t at = 0; at < self->n; at += BATCH) {
        size_t batch = self->n - at < BATCH ? self->n - at : BATCH;

        for (size_t i = 0; i < batch; i++)
            rcuinfo__collective_twice(&maxima[2 * i], self->hashes[at + i]);
        code = MPI_Allreduce(MPI_IN_PLACE, maxima, (int)(2 * batch), MPI_UINT64_T, MPI_MAX, self->on.comm);

        for (size_t i = 0; i < batch && code == MPI_SUCCESS; i++) {
            /* Keys beyond the room of root are only counted. */
            if (rcuinfo__collective_same(&maxima[2 * i]) || dispute.keys++ >= room)
                continue;
            dispute.index[dispute.waiting++] = at + i;
            if (dispute.waiting == RCUINFO__AGREE_DETAILS)
                code = describe_waiting(self, &dispute, to);
        }

        if (code != MPI_SUCCESS)
            return code;
    }

    *found = dispute.keys;
    return describe_waiting(self, &dispute, to);
}

/* Compares the infos of all processes. status: the error on this process, if any. */
static int compare_infos(struct rcuinfo__agree *self, const struct arguments *given, int status)
{
    uint64_t maxima[MAXIMA], keys = 0, values = 0, disputes = 0;
    bool is_root = self->on.rank == given->root;

    if (status == MPI_SUCCESS)
        status = compute_hashes(self, given, &keys, &values);

    rcuinfo__collective_twice(&maxima[MAX_KEYS], keys);
    rcuinfo__collective_twice(&maxima[MAX_VALUES], values);
    maxima[MAX_ROOM] = is_root && status == MPI_SUCCESS ? given->room : 0;

    int code = rcuinfo__collective_max(&self->on, maxima, MAXIMA, &status, given->root);
    if (code != MPI_SUCCESS || status != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : status;

    /* The processes have called with different keys. */
    if (!rcuinfo__collective_same(&maxima[MAX_KEYS]))
        return MPI_ERR_ARG;

    /* If the hashes of all values are the same, so are the values. */
    if (!rcuinfo__collective_same(&maxima[MAX_VALUES]))
        code = find_disputes(self, maxima[MAX_ROOM], is_root ? given->disagreements : NULL, &disputes);
    if (code != MPI_SUCCESS)
        return code;

    *given->agree = disputes == 0;
    if (is_root)
        *given->found = (size_t)disputes;
    return MPI_SUCCESS;
}

/* status: an error that is known on this process already. It takes part, so that all processes return it. */
static int agree_on(const struct arguments *given, MPI_Comm comm, int status)
{
    struct rcuinfo__agree self = {.keys = given->keys, .n = given->n, .root = given->root};

    int code = rcuinfo__collective_open(comm, &self.on);
    if (code == MPI_SUCCESS)
        code = compare_infos(&self, given, status);

    rcuinfo__alloc_free(self.hashes);
    rcuinfo_snapshot_close(self.snapshot);
    return code;
}

int rcuinfo_mpi_agree(rcuinfo_t info, const char *const keys[], size_t n, int root, MPI_Comm comm, int *agree,
                      rcuinfo_disagreement_t disagreements[], size_t room, size_t *found)
{
    struct arguments given = {info, keys, n, root, agree, room, disagreements, found};
    return agree_on(&given, comm, MPI_SUCCESS);
}

int rcuinfo_mpi_agree_schema(rcuinfo_t info, const rcuinfo_schema_t *schema, int root, MPI_Comm comm, int *agree,
                             rcuinfo_disagreement_t disagreements[], size_t room, size_t *found)
{
    size_t rows = rcuinfo_schema_count(schema);
    struct arguments given = {info, NULL, 0, root, agree, room, disagreements, found};
    const char **keys = rows > 0 ? rcuinfo__alloc(rows * sizeof *keys) : NULL;
    int status = !schema ? MPI_ERR_ARG : rows > 0 && !keys ? MPI_ERR_NO_MEM : MPI_SUCCESS;

    /* Only the keys that must be the same on all processes. */
    for (size_t row = 0; row < rows && keys; row++) {
        const rcuinfo_hint_t *hint = rcuinfo_schema_row(schema, row);
        if (hint->flags & RCUINFO_FLAG_SAME)
            keys[given.n++] = hint->key;
    }

    given.keys = keys;
    status = agree_on(&given, comm, status);
    rcuinfo__alloc_free((void *)keys);
    return status;
}

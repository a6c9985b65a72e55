/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge: broadcast, union and intersection. The last two merge all infos at rank 0, along a binomial tree, and then
 * broadcast the result.
 *
 *     rank 0 <- 1          Let 2^k be the largest power of two that divides rank r. The process receives what the ranks
 *            <- 2 <- 3     r + 1, r + 2, r + 4, ... r + 2^(k-1) have merged, merges each into its own, and sends the
 *            <- 4 <- 5     result to rank r - 2^k.
 *                 <- 6 <- 7
 *
 * A process merges infos in the order of their ranks, so the result does not depend on timing.
 */
#include <string.h>

#include "collective/collective.h"

#define TAG 0

/* Frees an info that this library created. Ignores RCUINFO_NULL. */
static void discard(rcuinfo_t info)
{
    rcuinfo_status_t status = rcuinfo_free(&info);
    (void)status; /* cannot fail, as nobody else has the handle */
}

/* Ends a call: returns the new info on success, and frees it otherwise. */
static int finish(int status, rcuinfo_t made, rcuinfo_t *newinfo)
{
    /* On MPI_ERR_ARG *newinfo must stay as it was, if it is not NULL. */
    if (newinfo && status != MPI_ERR_ARG)
        *newinfo = status == MPI_SUCCESS ? made : RCUINFO_NULL;
    if (status != MPI_SUCCESS)
        discard(made);
    return status;
}

/* Broadcasts root's info `made`, and ends the call. status: an error on this process, if any. A reduction gives all
 * processes the size of the packet; a second one, for a packet that is not small, whether all have room for it; and a
 * last one, whether all have unpacked it. */
static int broadcast_info(const struct rcuinfo__collective *self, int root, int status, rcuinfo_t made,
                          rcuinfo_t *newinfo)
{
    struct rcuinfo__packet packet = {.size = 0};
    uint64_t maxima[RCUINFO__MAX_FIRST + 1];
    bool is_root = self->rank == root;

    if (is_root && status == MPI_SUCCESS)
        status = rcuinfo__packet_fill(&packet, made);
    maxima[RCUINFO__MAX_FIRST] = packet.size;
    int code = rcuinfo__collective_max(self, maxima, RCUINFO__MAX_FIRST + 1, &status, root);

    if (code == MPI_SUCCESS && status == MPI_SUCCESS) {
        if (!is_root)
            status = rcuinfo__packet_room(&packet, maxima[RCUINFO__MAX_FIRST]);
        if (maxima[RCUINFO__MAX_FIRST] > RCUINFO__PACKET_SMALL) /* a small one has room everywhere */
            code = rcuinfo__collective_max(self, maxima, RCUINFO__MAX_FIRST, &status, root);
    }

    if (code == MPI_SUCCESS && status == MPI_SUCCESS) {
        code = rcuinfo__packet_move(self, &packet, RCUINFO__PACKET_BROADCAST, root);
        if (code == MPI_SUCCESS && !is_root)
            status = rcuinfo__collective_class(rcuinfo_unpack(packet.bytes, packet.size, &made, NULL));
        if (code == MPI_SUCCESS)
            code = rcuinfo__collective_max(self, maxima, RCUINFO__MAX_FIRST, &status, root);
    }

    rcuinfo__packet_drop(&packet);
    return finish(code == MPI_SUCCESS ? status : code, made, newinfo);
}

int rcuinfo_mpi_bcast(rcuinfo_t info, int root, MPI_Comm comm, rcuinfo_t *newinfo)
{
    struct rcuinfo__collective self;
    rcuinfo_t made = RCUINFO_NULL;

    int code = rcuinfo__collective_open(comm, &self);
    if (code != MPI_SUCCESS)
        return finish(code, made, newinfo);

    int status = newinfo ? MPI_SUCCESS : MPI_ERR_ARG;

    /* The process takes part nevertheless, so that all of them get the error. */
    if (root < 0 || root >= self.size)
        status = MPI_ERR_ROOT;
    else if (status == MPI_SUCCESS && self.rank == root)
        status = rcuinfo__collective_class(rcuinfo_dup(info, &made)); /* so that root's new info has the same version */
    return broadcast_info(&self, root, status, made, newinfo);
}

/* Whether `pair`, of one info, requires a change to ours, and which one. `other` is the other info. */
typedef bool rule_t(const rcuinfo_pair_t *pair, const rcuinfo_snapshot_t *other, rcuinfo_change_t *change);

/* For union, called for their pairs: adds the pair if our info lacks the key. */
static bool add_missing(const rcuinfo_pair_t *pair, const rcuinfo_snapshot_t *ours, rcuinfo_change_t *change)
{
    rcuinfo_pair_t found;
    *change = (rcuinfo_change_t){pair->key, pair->value};
    return rcuinfo_snapshot_find(ours, pair->key, &found) != RCUINFO_SUCCESS;
}

/* For intersection, called for our pairs: deletes the pair if their info does not have the same one. */
static bool delete_other(const rcuinfo_pair_t *pair, const rcuinfo_snapshot_t *theirs, rcuinfo_change_t *change)
{
    rcuinfo_pair_t found;
    *change = (rcuinfo_change_t){pair->key, NULL};
    return rcuinfo_snapshot_find(theirs, pair->key, &found) != RCUINFO_SUCCESS ||
           found.value_length != pair->value_length || memcmp(found.value, pair->value, pair->value_length) != 0;
}

/* Calls the rule for all pairs of a snapshot, and applies the changes to an info, all at once. */
static int apply_rule(rcuinfo_t info, const rcuinfo_snapshot_t *pairs, const rcuinfo_snapshot_t *other, rule_t *rule)
{
    size_t count = rcuinfo_snapshot_count(pairs), n = 0;
    if (count == 0)
        return MPI_SUCCESS;

    rcuinfo_change_t *changes = rcuinfo__alloc(count * sizeof *changes);
    if (!changes)
        return MPI_ERR_NO_MEM;

    for (size_t i = 0; i < count; i++) {
        rcuinfo_pair_t pair;

        /* A change that the rule does not want is overwritten by the next one. */
        if (rcuinfo_snapshot_nth(pairs, i, &pair) == RCUINFO_SUCCESS && rule(&pair, other, &changes[n]))
            n++;
    }

    int status = rcuinfo__collective_class(rcuinfo_update(info, changes, n, NULL));
    rcuinfo__alloc_free(changes);
    return status;
}

/* Merges the packet's info into mine. */
static int merge_packet(rcuinfo_t mine, const struct rcuinfo__packet *packet, rule_t *rule)
{
    rcuinfo_view_t ours = {0}, others = {0};
    rcuinfo_t theirs;

    int status = rcuinfo__collective_class(rcuinfo_unpack(packet->bytes, packet->size, &theirs, NULL));
    if (status == MPI_SUCCESS)
        status = rcuinfo__collective_class(rcuinfo_view_begin(theirs, &others));
    if (status == MPI_SUCCESS)
        status = rcuinfo__collective_class(rcuinfo_view_begin(mine, &ours));

    /* A union adds their pairs, an intersection deletes ours. */
    if (status == MPI_SUCCESS)
        status = rule == add_missing ? apply_rule(mine, others.snapshot, ours.snapshot, rule)
                                     : apply_rule(mine, ours.snapshot, others.snapshot, rule);
    rcuinfo_view_end(&others);
    rcuinfo_view_end(&ours);
    discard(theirs);
    return status;
}

/*
 * Sends this process's info to its parent in the tree. The size is sent first; 0 after an error, when nothing follows.
 * The receiver of a packet that is not small answers whether it has room, and only then the packet is sent.
 */
static int send_up(const struct rcuinfo__collective *self, int to, rcuinfo_t mine, int *status)
{
    struct rcuinfo__packet packet = {.size = 0};
    int ready = 1;

    if (*status == MPI_SUCCESS)
        *status = rcuinfo__packet_fill(&packet, mine);

    int code = MPI_Send(&packet.size, 1, MPI_UINT64_T, to, TAG, self->comm);
    if (code == MPI_SUCCESS && packet.size > RCUINFO__PACKET_SMALL)
        code = MPI_Recv(&ready, 1, MPI_INT, to, TAG, self->comm, MPI_STATUS_IGNORE);

    if (code == MPI_SUCCESS && ready)
        code = rcuinfo__packet_move(self, &packet, RCUINFO__PACKET_SEND, to);

    rcuinfo__packet_drop(&packet);
    return code;
}

/* The other side of send_up: receives an info from a child in the tree, and merges it. */
static int receive_from(const struct rcuinfo__collective *self, int from, rcuinfo_t mine, rule_t *rule, int *status)
{
    struct rcuinfo__packet packet = {.size = 0};
    uint64_t size = 0;

    int code = MPI_Recv(&size, 1, MPI_UINT64_T, from, TAG, self->comm, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || size == 0)
        return code;

    int room = rcuinfo__packet_room(&packet, size);
    if (size > RCUINFO__PACKET_SMALL) {
        int ready = room == MPI_SUCCESS;
        code = MPI_Send(&ready, 1, MPI_INT, from, TAG, self->comm);
    }

    if (code == MPI_SUCCESS && room == MPI_SUCCESS)
        code = rcuinfo__packet_move(self, &packet, RCUINFO__PACKET_RECEIVE, from);

    /* With an error here, the packet was received only to let the sender finish. */
    if (*status == MPI_SUCCESS)
        *status = room;
    if (code == MPI_SUCCESS && *status == MPI_SUCCESS)
        *status = merge_packet(mine, &packet, rule);
    rcuinfo__packet_drop(&packet);
    return code;
}

/* Merges the infos of all processes at rank 0. */
static int merge_all(const struct rcuinfo__collective *self, rcuinfo_t mine, rule_t *rule, int *status)
{
    int code = MPI_SUCCESS;

    for (int step = 1; step < self->size && code == MPI_SUCCESS; step *= 2) {
        /* A process that has sent its result is done. */
        if (self->rank & step)
            return send_up(self, self->rank - step, mine, status);
        if (self->rank < self->size - step)
            code = receive_from(self, self->rank + step, mine, rule, status);
        if (step > self->size / 2)
            break; /* the next step could overflow */
    }
    return code;
}

static int merge(rcuinfo_t info, MPI_Comm comm, rcuinfo_t *newinfo, rule_t *rule)
{
    struct rcuinfo__collective self;
    rcuinfo_t mine = RCUINFO_NULL;

    int code = rcuinfo__collective_open(comm, &self);
    if (code != MPI_SUCCESS)
        return finish(code, mine, newinfo);

    int status = newinfo ? rcuinfo__collective_class(rcuinfo_dup(info, &mine)) : MPI_ERR_ARG;
    code = merge_all(&self, mine, rule, &status);
    if (code != MPI_SUCCESS)
        return finish(code, mine, newinfo);

    /* Only rank 0 has the whole. */
    if (self.rank != 0) {
        discard(mine);
        mine = RCUINFO_NULL;
    }
    return broadcast_info(&self, 0, status, mine, newinfo);
}

int rcuinfo_mpi_union(rcuinfo_t info, MPI_Comm comm, rcuinfo_t *newinfo)
{
    return merge(info, comm, newinfo, add_missing);
}

int rcuinfo_mpi_intersection(rcuinfo_t info, MPI_Comm comm, rcuinfo_t *newinfo)
{
    return merge(info, comm, newinfo, delete_other);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collective: what the calls of rcuinfo/mpi_collective.h share: the communicator that they talk on, one reduction by
 * which all hear of one's failure, and an info's way over it.
 *
 * It calls MPI by its MPI_* names, as a library on top of MPI does, so that a tool or profiler in front of the MPI
 * library sees its traffic as what it is: the program's. None of these functions takes an info, so an interposer is not
 * asked and counts nothing; the store's own counters have the calls of the native interface that are made here.
 *
 * Statuses are classes of MPI errors; "code" is what MPI itself has returned, and ends a call at once. Invariant: until
 * then no process leaves the others waiting: one that fails goes on taking part, with its status in place of the info.
 */
#ifndef RCUINFO_MPI_COLLECTIVE_COLLECTIVE_H
#define RCUINFO_MPI_COLLECTIVE_COLLECTIVE_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rcuinfo/mpi_collective.h>
#include <rcuinfo/pack.h>
#include <rcuinfo/snapshot.h>
#include <rcuinfo/update.h>

#include "core/alloc.h"
#include "core/text.h"

/* A duplicate of the caller's communicator. */
struct rcuinfo__collective {
    MPI_Comm comm;
    int rank;
    int size;
};

/* Finds or makes the duplicate. MPI_ERR_COMM: none, or an intercommunicator. Collective. */
int rcuinfo__collective_open(MPI_Comm comm, struct rcuinfo__collective *self);

/* The class of a status of the store. */
int rcuinfo__collective_class(rcuinfo_status_t status);

/*
 * What all processes tell each other at once: each number becomes the greatest that anyone has. What has to be the same
 * everywhere is told twice, as it is and by its complement.
 */
enum {
    RCUINFO__TOLD_STATUS,
    RCUINFO__TOLD_ROOT,
    RCUINFO__TOLD_ROOT_TOO,
    RCUINFO__TOLD_FIRST /* numbers of the call's own */
};
int rcuinfo__collective_tell(const struct rcuinfo__collective *self, uint64_t told[], int n, int *status, int root);

static inline void rcuinfo__collective_twice(uint64_t told[2], uint64_t number)
{
    told[0] = number;
    told[1] = ~number;
}

static inline bool rcuinfo__collective_same(const uint64_t told[2])
{
    return told[0] == ~told[1];
}

/* An info as bytes: in `small` where it fits, which no process has to find memory for, else in memory of ours. */
#define RCUINFO__PACKET_SMALL 4096
struct rcuinfo__packet {
    uint64_t size; /* 0: there is none */
    char *bytes;
    char small[RCUINFO__PACKET_SMALL];
};

/* Packs the version that an info has now, or finds room for `size` bytes; what is left in the packet has to be dropped
 * in any case. Both give a class. */
int rcuinfo__packet_fill(struct rcuinfo__packet *packet, rcuinfo_t info);
int rcuinfo__packet_room(struct rcuinfo__packet *packet, uint64_t size);
void rcuinfo__packet_drop(struct rcuinfo__packet *packet);

/* To and from one other process; from root to all. The room was found before. */
int rcuinfo__packet_send(const struct rcuinfo__collective *self, const struct rcuinfo__packet *packet, int to);
int rcuinfo__packet_receive(const struct rcuinfo__collective *self, struct rcuinfo__packet *packet, int from);
int rcuinfo__packet_broadcast(const struct rcuinfo__collective *self, struct rcuinfo__packet *packet, int root);

#endif

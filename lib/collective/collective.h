/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collective: what the calls of rcuinfo/mpi_collective.h share: the duplicate communicator, a reduction by which all
 * processes learn of an error on one of them, and the transport of infos.
 *
 * The library calls MPI by its MPI_* names, like any library on top of MPI, so that tools and profilers in front of the
 * MPI library see its messages. None of these functions takes an info, so interposers do not count them. The calls of
 * the native interface that are made here are counted by the store as usual.
 *
 * A "status" is a class of MPI errors. A "code" is returned by MPI itself; a call returns at once if it is an error.
 * Invariant: unless MPI fails, no process leaves the others waiting. A process with an error status still takes part,
 * and sends the status instead of its info.
 */
#pragma once

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rcuinfo/mpi_collective.h>
#include <rcuinfo/pack.h>
#include <rcuinfo/view.h>
#include <rcuinfo/update.h>

#include "core/memory/alloc.h"
#include "core/text.h"

/* The duplicate of the caller's communicator. */
struct rcuinfo__collective {
    MPI_Comm comm;
    int rank;
    int size;
};

/* Finds or creates the duplicate. MPI_ERR_COMM: MPI_COMM_NULL, or an intercommunicator. Collective. */
int rcuinfo__collective_open(MPI_Comm comm, struct rcuinfo__collective *self);

/* Converts a status of the store to a class. */
int rcuinfo__collective_class(rcuinfo_status_t status);

/*
 * Reduces n numbers to their maxima over all processes. The first ones are the status, which becomes the same on all
 * processes, and the root, which must be the same on all; maxima[RCUINFO__MAX_FIRST] and up are the caller's.
 *
 * To check that a number is the same on all processes, it is sent twice, as the number and as its complement: if the
 * processes have 5 and 7, the maxima are 7 and ~5, which are not complements of each other.
 */
enum { RCUINFO__MAX_STATUS, RCUINFO__MAX_ROOT, RCUINFO__MAX_ROOT_TOO, RCUINFO__MAX_FIRST };
int rcuinfo__collective_max(const struct rcuinfo__collective *self, uint64_t maxima[], int n, int *status, int root);

static inline void rcuinfo__collective_twice(uint64_t maxima[2], uint64_t number)
{
    maxima[0] = number;
    maxima[1] = ~number;
}

static inline bool rcuinfo__collective_same(const uint64_t maxima[2])
{
    return maxima[0] == ~maxima[1];
}

/* A packed info. The bytes are in `small` if they fit, so that a small info needs no memory, and else allocated. */
#define RCUINFO__PACKET_SMALL 4096
struct rcuinfo__packet {
    uint64_t size; /* 0: no info */
    char *bytes;
    char small[RCUINFO__PACKET_SMALL];
};

/* Packs the current version of an info; makes room for a packet of `size` bytes. Both return a class. The packet must
 * be dropped afterwards, also on errors. */
int rcuinfo__packet_fill(struct rcuinfo__packet *packet, rcuinfo_t info);
int rcuinfo__packet_room(struct rcuinfo__packet *packet, uint64_t size);
void rcuinfo__packet_drop(struct rcuinfo__packet *packet);

/* Sends a packet to a process, receives it from one, or broadcasts it. Room must have been made. Returns MPI's code. */
enum rcuinfo__packet_way { RCUINFO__PACKET_SEND, RCUINFO__PACKET_RECEIVE, RCUINFO__PACKET_BROADCAST };
int rcuinfo__packet_move(const struct rcuinfo__collective *self, struct rcuinfo__packet *packet,
                         enum rcuinfo__packet_way way, int rank);

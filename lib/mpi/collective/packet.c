/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet: packs infos and sends them between processes, in parts, as MPI takes lengths as an int.
 */
#include "mpi/collective/collective.h"

#define PART ((uint64_t)1 << 20)
#define TAG  0

int rcuinfo__packet_room(struct rcuinfo__packet *packet, uint64_t size)
{
    packet->bytes = size <= sizeof packet->small ? packet->small : rcuinfo__alloc(size);
    packet->size = packet->bytes ? size : 0;
    return packet->bytes ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int rcuinfo__packet_fill(struct rcuinfo__packet *packet, rcuinfo_t info)
{
    rcuinfo_view_t view;
    *packet = (struct rcuinfo__packet){.size = 0};

    int status = rcuinfo__collective_class(rcuinfo_view_begin(info, &view));
    if (status != MPI_SUCCESS)
        return status;

    status = rcuinfo__packet_room(packet, rcuinfo_pack_size(view.snapshot));
    if (status == MPI_SUCCESS)
        status = rcuinfo__collective_class(rcuinfo_pack(view.snapshot, packet->bytes, packet->size));

    rcuinfo_view_end(&view);
    return status;
}

void rcuinfo__packet_drop(struct rcuinfo__packet *packet)
{
    if (packet->bytes != packet->small)
        rcuinfo__alloc_free(packet->bytes);
    packet->bytes = NULL;
}

/* The length of the part at an offset. */
static int part_length(const struct rcuinfo__packet *packet, uint64_t at)
{
    uint64_t left = packet->size - at;
    return (int)(left < PART ? left : PART);
}

int rcuinfo__packet_send(const struct rcuinfo__collective *self, const struct rcuinfo__packet *packet, int to)
{
    int code = MPI_SUCCESS;
    for (uint64_t at = 0; at < packet->size && code == MPI_SUCCESS; at += PART)
        code = MPI_Send(packet->bytes + at, part_length(packet, at), MPI_BYTE, to, TAG, self->comm);
    return code;
}

int rcuinfo__packet_receive(const struct rcuinfo__collective *self, struct rcuinfo__packet *packet, int from)
{
    int code = MPI_SUCCESS;
    for (uint64_t at = 0; at < packet->size && code == MPI_SUCCESS; at += PART)
        code =
            MPI_Recv(packet->bytes + at, part_length(packet, at), MPI_BYTE, from, TAG, self->comm, MPI_STATUS_IGNORE);
    return code;
}

int rcuinfo__packet_broadcast(const struct rcuinfo__collective *self, struct rcuinfo__packet *packet, int root)
{
    int code = MPI_SUCCESS;
    for (uint64_t at = 0; at < packet->size && code == MPI_SUCCESS; at += PART)
        code = MPI_Bcast(packet->bytes + at, part_length(packet, at), MPI_BYTE, root, self->comm);
    return code;
}

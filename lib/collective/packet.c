/* SPDX-License-Identifier: BSD-3-Clause */
/* packet: packs infos and sends them between processes, in parts, as MPI takes lengths as an int. */
#include "collective/collective.h"

#define PART ((uint64_t)1 << 20)
#define TAG  0

int rcuinfo__packet_room(struct rcuinfo__packet *packet, uint64_t size)
{
    packet->bytes = size <= sizeof packet->small ? packet->small : size <= SIZE_MAX ? rcuinfo__alloc(size) : NULL;
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

int rcuinfo__packet_move(const struct rcuinfo__collective *self, struct rcuinfo__packet *packet,
                         enum rcuinfo__packet_way way, int rank)
{
    int code = MPI_SUCCESS;
    for (uint64_t at = 0; at < packet->size && code == MPI_SUCCESS; at += PART) {
        int length = (int)(packet->size - at < PART ? packet->size - at : PART);
        if (way == RCUINFO__PACKET_SEND)
            code = MPI_Send(packet->bytes + at, length, MPI_BYTE, rank, TAG, self->comm);
        else if (way == RCUINFO__PACKET_RECEIVE)
            code = MPI_Recv(packet->bytes + at, length, MPI_BYTE, rank, TAG, self->comm, MPI_STATUS_IGNORE);
        else
            code = MPI_Bcast(packet->bytes + at, length, MPI_BYTE, rank, self->comm);
    }
    return code;
}

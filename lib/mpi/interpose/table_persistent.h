/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table_persistent: the persistent collectives. MPI-4.0 has each twice, with int and with MPI_Count counts; older
 * versions of Open MPI have them as extensions. Only for table.h, which explains the rows.
 *
 * PREFIX and SUFFIX are parts of the names; COUNT and DISPLACEMENT are types. The displacements of
 * MPI_Neighbor_alltoallw_init are always of type MPI_Aint.
 */
#pragma once

/* clang-format off */
/* Rows of functions that have the same parameters. */
#define RCUINFO__ROW_EACH(ROW, name, COUNT) \
    RCUINFO__ROW(ROW, IN, name, (OTHER, NULL, NULL), \
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, \
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request), \
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, real, request))
#define RCUINFO__ROW_EACH_V(ROW, name, COUNT, DISPLACEMENT) \
    RCUINFO__ROW(ROW, IN, name, (OTHER, NULL, NULL), \
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[], \
         const DISPLACEMENT displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request), \
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, real, request))
#define RCUINFO__ROW_REDUCE(ROW, name, COUNT) \
    RCUINFO__ROW(ROW, IN, name, (OTHER, NULL, NULL), \
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, \
         MPI_Info info, MPI_Request *request), \
        (sendbuf, recvbuf, count, datatype, op, comm, real, request))
#define RCUINFO__ROW_ALL_V(ROW, name, COUNT, DISPLACEMENT) \
    RCUINFO__ROW(ROW, IN, name, (OTHER, NULL, NULL), \
        (const void *sendbuf, const COUNT sendcounts[], const DISPLACEMENT sdispls[], MPI_Datatype sendtype, \
         void *recvbuf, const COUNT recvcounts[], const DISPLACEMENT rdispls[], MPI_Datatype recvtype, MPI_Comm comm, \
         MPI_Info info, MPI_Request *request), \
        (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, real, request))
#define RCUINFO__ROW_ROOTED(ROW, name, COUNT) \
    RCUINFO__ROW(ROW, IN, name, (OTHER, NULL, NULL), \
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, \
         MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request), \
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, real, request))

#define RCUINFO__INTERPOSE_TABLE_PERSISTENT(ROW, PREFIX, SUFFIX, COUNT, DISPLACEMENT) \
    RCUINFO__ROW_EACH(ROW, PREFIX##Allgather_init##SUFFIX, COUNT) \
    RCUINFO__ROW_EACH_V(ROW, PREFIX##Allgatherv_init##SUFFIX, COUNT, DISPLACEMENT) \
    RCUINFO__ROW_REDUCE(ROW, PREFIX##Allreduce_init##SUFFIX, COUNT) \
    RCUINFO__ROW_EACH(ROW, PREFIX##Alltoall_init##SUFFIX, COUNT) \
    RCUINFO__ROW_ALL_V(ROW, PREFIX##Alltoallv_init##SUFFIX, COUNT, DISPLACEMENT) \
    RCUINFO__ROW(ROW, IN, PREFIX##Alltoallw_init##SUFFIX, (OTHER, NULL, NULL), \
        (const void *sendbuf, const COUNT sendcounts[], const DISPLACEMENT sdispls[], const MPI_Datatype sendtypes[], \
         void *recvbuf, const COUNT recvcounts[], const DISPLACEMENT rdispls[], const MPI_Datatype recvtypes[], \
         MPI_Comm comm, MPI_Info info, MPI_Request *request), \
        (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, real, request)) \
    RCUINFO__ROW(ROW, IN, PREFIX##Bcast_init##SUFFIX, (OTHER, NULL, NULL), \
        (void *buffer, COUNT count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, \
         MPI_Request *request), \
        (buffer, count, datatype, root, comm, real, request)) \
    RCUINFO__ROW_REDUCE(ROW, PREFIX##Exscan_init##SUFFIX, COUNT) \
    RCUINFO__ROW_ROOTED(ROW, PREFIX##Gather_init##SUFFIX, COUNT) \
    RCUINFO__ROW(ROW, IN, PREFIX##Gatherv_init##SUFFIX, (OTHER, NULL, NULL), \
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[], \
         const DISPLACEMENT displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, \
         MPI_Request *request), \
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, real, request)) \
    RCUINFO__ROW_EACH(ROW, PREFIX##Neighbor_allgather_init##SUFFIX, COUNT) \
    RCUINFO__ROW_EACH_V(ROW, PREFIX##Neighbor_allgatherv_init##SUFFIX, COUNT, DISPLACEMENT) \
    RCUINFO__ROW_EACH(ROW, PREFIX##Neighbor_alltoall_init##SUFFIX, COUNT) \
    RCUINFO__ROW_ALL_V(ROW, PREFIX##Neighbor_alltoallv_init##SUFFIX, COUNT, DISPLACEMENT) \
    RCUINFO__ROW(ROW, IN, PREFIX##Neighbor_alltoallw_init##SUFFIX, (OTHER, NULL, NULL), \
        (const void *sendbuf, const COUNT sendcounts[], const MPI_Aint wide_sdispls[], const MPI_Datatype sendtypes[], \
         void *recvbuf, const COUNT recvcounts[], const MPI_Aint wide_rdispls[], const MPI_Datatype recvtypes[], \
         MPI_Comm comm, MPI_Info info, MPI_Request *request), \
        (sendbuf, sendcounts, wide_sdispls, sendtypes, recvbuf, recvcounts, wide_rdispls, recvtypes, comm, real, \
         request)) \
    RCUINFO__ROW(ROW, IN, PREFIX##Reduce_init##SUFFIX, (OTHER, NULL, NULL), \
        (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, \
         MPI_Info info, MPI_Request *request), \
        (sendbuf, recvbuf, count, datatype, op, root, comm, real, request)) \
    RCUINFO__ROW(ROW, IN, PREFIX##Reduce_scatter_block_init##SUFFIX, (OTHER, NULL, NULL), \
        (const void *sendbuf, void *recvbuf, COUNT recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, \
         MPI_Info info, MPI_Request *request), \
        (sendbuf, recvbuf, recvcount, datatype, op, comm, real, request)) \
    RCUINFO__ROW(ROW, IN, PREFIX##Reduce_scatter_init##SUFFIX, (OTHER, NULL, NULL), \
        (const void *sendbuf, void *recvbuf, const COUNT recvcounts[], MPI_Datatype datatype, MPI_Op op, \
         MPI_Comm comm, MPI_Info info, MPI_Request *request), \
        (sendbuf, recvbuf, recvcounts, datatype, op, comm, real, request)) \
    RCUINFO__ROW_REDUCE(ROW, PREFIX##Scan_init##SUFFIX, COUNT) \
    RCUINFO__ROW_ROOTED(ROW, PREFIX##Scatter_init##SUFFIX, COUNT) \
    RCUINFO__ROW(ROW, IN, PREFIX##Scatterv_init##SUFFIX, (OTHER, NULL, NULL), \
        (const void *sendbuf, const COUNT sendcounts[], const DISPLACEMENT displs[], MPI_Datatype sendtype, \
         void *recvbuf, COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, \
         MPI_Request *request), \
        (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, real, request))

/* Has no counts. */
#define RCUINFO__INTERPOSE_TABLE_BARRIER(ROW, PREFIX) \
    RCUINFO__ROW(ROW, IN, PREFIX##Barrier_init, (OTHER, NULL, NULL), \
        (MPI_Comm comm, MPI_Info info, MPI_Request *request), (comm, real, request))
/* clang-format on */

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls_made: the calls of the persistent collectives, made from the rows of the table: each argument is what has its
 * name here. See calls.h.
 */
#include "interpose/calls_own.h"

enum { PROCESSES = 8 };

void (*calls_between)(void);
char calls_received[CALLS_BYTES];

void call_complete(MPI_Request *request, bool persistent)
{
    if (*request == MPI_REQUEST_NULL)
        return;
    if (calls_between)
        calls_between();
    for (int n = 0; n < (persistent ? 2 : 1); n++) {
        if (persistent)
            PMPI_Start(request);
        PMPI_Wait(request, MPI_STATUS_IGNORE);
    }
    if (persistent)
        PMPI_Request_free(request);
}

static const char sendbuf[CALLS_BYTES] = {11, 22, 33, 44, 55, 66, 77, 88};
static char *const recvbuf = calls_received, *const buffer = calls_received;
static const int sendcount = 1, recvcount = 1, count = 1, root = 0;
static const MPI_Datatype sendtype = MPI_BYTE, recvtype = MPI_BYTE, datatype = MPI_BYTE;
static const MPI_Datatype sendtypes[] = {MPI_BYTE, MPI_BYTE, MPI_BYTE, MPI_BYTE,
                                         MPI_BYTE, MPI_BYTE, MPI_BYTE, MPI_BYTE};
static const MPI_Datatype *const recvtypes = sendtypes;
static const MPI_Op op = MPI_BOR;
static MPI_Comm comm;
static MPI_Request made;
static MPI_Request *const request = &made;

/* The neighbours are the processes before and after this one, the last before the first; what MPI_Bcast_init brings is
 * not what was there. */
static void begin(void)
{
    int size = 1, rank = 0, periodic = 1;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(comm, &rank);
    memset(calls_received, 0, CALLS_BYTES);
    calls_received[0] = (char)(100 + rank);
    made = MPI_REQUEST_NULL;
}

static int end(int code)
{
    call_complete(&made, true);
    PMPI_Comm_free(&comm);
    return code;
}

#define PERSISTENT(name, arguments)                                                                                    \
    CALL(name)                                                                                                         \
    {                                                                                                                  \
        MPI_Info real = info;                                                                                          \
        begin();                                                                                                       \
        return end(native ? P##name arguments : name arguments);                                                       \
    }

/* What comes in arrays, and differs in its types. */
static const int narrow_ones[PROCESSES] = {1, 1, 1, 1, 1, 1, 1, 1};
static const int narrow_places[PROCESSES] = {0, 1, 2, 3, 4, 5, 6, 7};
static const MPI_Aint wide_places[PROCESSES] = {0, 1, 2, 3, 4, 5, 6, 7};
static const MPI_Aint *const wide_sdispls = wide_places, *const wide_rdispls = wide_places;

#define NARROW(kind, name, object, parameters, arguments) PERSISTENT(name, arguments)
#define sendcounts                                        narrow_ones
#define recvcounts                                        narrow_ones
#define displs                                            narrow_places
#define sdispls                                           narrow_places
#define rdispls                                           narrow_places
RCUINFO__INTERPOSE_TABLE_PERSISTENT(NARROW, MPI_, , int, int)
RCUINFO__INTERPOSE_TABLE_BARRIER(NARROW, MPI_)
RCUINFO__INTERPOSE_TABLE_PERSISTENT(NARROW, MPIX_, , int, int)
RCUINFO__INTERPOSE_TABLE_BARRIER(NARROW, MPIX_)
#undef sendcounts
#undef recvcounts
#undef displs
#undef sdispls
#undef rdispls

#if defined(RCUINFO__HAS_MPI_Bcast_init_c)

static const MPI_Count wide_ones[PROCESSES] = {1, 1, 1, 1, 1, 1, 1, 1};

#define WIDE(kind, name, object, parameters, arguments) PERSISTENT(name, arguments)
#define sendcounts                                      wide_ones
#define recvcounts                                      wide_ones
#define displs                                          wide_places
#define sdispls                                         wide_places
#define rdispls                                         wide_places
RCUINFO__INTERPOSE_TABLE_PERSISTENT(WIDE, MPI_, _c, MPI_Count, MPI_Aint)

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gifts: the calls of the functions that give an info, made from the rows of the table: each argument is what has its
 * name here. See calls.h.
 */
#include "interpose/calls_own.h"

static const MPI_Comm comm = MPI_COMM_WORLD;
static const MPI_File fh = MPI_FILE_NULL;
static const MPI_Win win = MPI_WIN_NULL;

#if defined(RCUINFO__HAS_MPI_Session_init)
static const MPI_Session session = MPI_SESSION_NULL;
static const char pset_name[] = "mpi://WORLD";
#endif

#if defined(RCUINFO__HAS_MPI_T_event_handle_alloc)

/* A library without events has neither an event nor a source of them, and nothing that can be registered for. */
static char no_registration[256];
#define event_registration ((MPI_T_event_registration)(void *)no_registration)
enum { event_index = 9999, source_index = 9999, TEXT = 64 };
static const MPI_T_cb_safety cb_safety = MPI_T_CB_REQUIRE_NONE;
static char name[TEXT], desc[TEXT];
static int lengths[] = {TEXT, TEXT}, numbers[2], *const name_len = &lengths[0], *const desc_len = &lengths[1];
static int *const verbosity = &numbers[0], *const bind = &numbers[1], *const num_elements = NULL;
static MPI_Datatype *const array_of_datatypes = NULL;
static MPI_Aint *const array_of_displacements = NULL;
static MPI_T_enum type_of_enum, *const enumtype = &type_of_enum;
static MPI_T_source_order order, *const ordering = &order;
static MPI_Count ticks[2], *const ticks_per_second = &ticks[0], *const max_ticks = &ticks[1];

static void tool(bool begins)
{
    int provided = 0;
    if (begins)
        PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    else
        PMPI_T_finalize();
}

#define GIFT_OF_TOOL_OUT(function, arguments)                                                                          \
    static int give_##function(bool native, MPI_Info *real)                                                            \
    {                                                                                                                  \
        tool(true);                                                                                                    \
        int code = native ? P##function arguments : function arguments;                                                \
        tool(false);                                                                                                   \
        return code;                                                                                                   \
    }

#endif

#define GIFT_OF_OUT(function, arguments)                                                                               \
    static int give_##function(bool native, MPI_Info *real)                                                            \
    {                                                                                                                  \
        return native ? P##function arguments : function arguments;                                                    \
    }
#define GIFT_OF_IN(function, arguments)
#define GIFT_OF_AT_ROOT(function, arguments)
#define GIFT_OF_TOOL_IN(function, arguments)
#define GIFT_OF(kind, function, object, parameters, arguments) GIFT_OF_##kind(function, arguments)

RCUINFO__INTERPOSE_TABLE(GIFT_OF)

#define LISTED_OUT(function)      {#function, give_##function},
#define LISTED_TOOL_OUT(function) {#function, give_##function},
#define LISTED_IN(function)
#define LISTED_AT_ROOT(function)
#define LISTED_TOOL_IN(function)
#define LISTED(kind, function, object, parameters, arguments) LISTED_##kind(function)

const struct gift gifts[] = {RCUINFO__INTERPOSE_TABLE(LISTED)};
const int gifts_count = sizeof gifts / sizeof gifts[0];

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ask: see ask.h.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/alloc.h"
#include "tuning/observe/ask.h"

#if RCUINFO__OBSERVE_HAS_SESSIONS
#endif

void rcuinfo__observe_expect(const struct rcuinfo__interpose_loan *loan)
{
    /* The handle of an existing object must stay as it is. */
    if (!loan->function || !loan->handle || rcuinfo__observe_is_change(loan))
        return;

    if (loan->object == RCUINFO_HINT_WINDOW)
        RCUINFO__WIN_AT(loan->handle) = MPI_WIN_NULL;
    else if (loan->object == RCUINFO_HINT_FILE)
        RCUINFO__FILE_AT(loan->handle) = MPI_FILE_NULL;
    else if (loan->object == RCUINFO_HINT_SESSION)
        RCUINFO__SESSION_AT(loan->handle) = MPI_SESSION_NULL;
    else
        RCUINFO__COMM_AT(loan->handle) = MPI_COMM_NULL;
}

void *rcuinfo__observe_ask_handle(const struct rcuinfo__interpose_loan *loan)
{
    void *handle = loan->handle;
    if (!handle)
        return NULL;

    /* The real library may have left the handle unwritten, see rcuinfo__observe_expect. */
    bool is_null = loan->object == RCUINFO_HINT_WINDOW    ? RCUINFO__WIN_AT(handle) == MPI_WIN_NULL
                   : loan->object == RCUINFO_HINT_FILE    ? RCUINFO__FILE_AT(handle) == MPI_FILE_NULL
                   : loan->object == RCUINFO_HINT_SESSION ? RCUINFO__SESSION_AT(handle) == MPI_SESSION_NULL
                                                          : RCUINFO__COMM_AT(handle) == MPI_COMM_NULL;
    return is_null ? NULL : handle;
}

MPI_Info rcuinfo__observe_ask_hints(rcuinfo_hint_object_t object, void *handle)
{
    MPI_Info info = MPI_INFO_NULL;
    if (!handle)
        return info;

    if (object == RCUINFO_HINT_WINDOW)
        (void)RCUINFO__PMPI(Win_get_info)(RCUINFO__WIN_AT(handle), &info);
    else if (object == RCUINFO_HINT_FILE)
        (void)RCUINFO__PMPI(File_get_info)(RCUINFO__FILE_AT(handle), &info);
    else if (object != RCUINFO_HINT_SESSION)
        (void)RCUINFO__PMPI(Comm_get_info)(RCUINFO__COMM_AT(handle), &info);
#if RCUINFO__OBSERVE_HAS_SESSIONS
    else
        (void)RCUINFO__PMPI(Session_get_info)(RCUINFO__SESSION_AT(handle), &info);
#endif
    return info;
}

/* A hash of the ranks in MPI_COMM_WORLD of a group. *first: the rank of its first process, or -1 if not known. */
static uint64_t digest_of(MPI_Group group, int size, int *first)
{
    MPI_Group world;
    uint64_t digest = 0;
    int *ranks = rcuinfo__alloc(2 * (size_t)size * sizeof *ranks), *in_world = ranks ? ranks + size : NULL;
    *first = -1;

    if (ranks && RCUINFO__PMPI(Comm_group)(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
        for (int n = 0; n < size; n++)
            ranks[n] = n;

        if (RCUINFO__PMPI(Group_translate_ranks)(group, size, ranks, world, in_world) == MPI_SUCCESS) {
            *first = in_world[0];
            for (int n = 0; n < size; n++)
                /* + 1, so that rank 0 counts, too. */
                digest = digest * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)in_world[n] + 1;
        }
        (void)RCUINFO__PMPI(Group_free)(&world);
    }

    rcuinfo__alloc_free(ranks);

    return digest;
}

const char *rcuinfo__observe_ask_group(rcuinfo_hint_object_t object, void *handle, char text[RCUINFO__OBSERVE_GROUP])
{
    MPI_Group group;
    int size = 0, first = -1, code = MPI_ERR_ARG;

    /* Ranks in MPI_COMM_WORLD need the World Model. */
    if (!handle || !rcuinfo__interpose_in_world())
        return NULL;

    if (object == RCUINFO_HINT_WINDOW)
        code = RCUINFO__PMPI(Win_get_group)(RCUINFO__WIN_AT(handle), &group);
    else if (object == RCUINFO_HINT_FILE)
        code = RCUINFO__PMPI(File_get_group)(RCUINFO__FILE_AT(handle), &group);
    else if (object == RCUINFO_HINT_COMMUNICATOR)
        code = RCUINFO__PMPI(Comm_group)(RCUINFO__COMM_AT(handle), &group);
    if (code != MPI_SUCCESS)
        return NULL;

    if (RCUINFO__PMPI(Group_size)(group, &size) == MPI_SUCCESS && size > 0) {
        uint64_t digest = digest_of(group, size, &first);
        snprintf(text, RCUINFO__OBSERVE_GROUP, "%d+%d:%" PRIx64, first, size, digest);
    }

    (void)RCUINFO__PMPI(Group_free)(&group);
    return first >= 0 ? text : NULL;
}

void rcuinfo__observe_ask_name(rcuinfo_hint_object_t object, void *handle, char name[MPI_MAX_OBJECT_NAME + 1])
{
    int length = 0;
    *name = '\0';
    if (object == RCUINFO_HINT_WINDOW)
        (void)RCUINFO__PMPI(Win_get_name)(RCUINFO__WIN_AT(handle), name, &length);
    else if (object == RCUINFO_HINT_COMMUNICATOR)
        (void)RCUINFO__PMPI(Comm_get_name)(RCUINFO__COMM_AT(handle), name, &length);
}

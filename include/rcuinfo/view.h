/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file view.h
 * Views: one version of an object, for a few lines of one thread.
 *
 * A view contains a snapshot, and every function that reads a snapshot works on it: rcuinfo_snapshot_find, _nth,
 * _count, _version, _get_int and so on, rcuinfo_pack, rcuinfo_save. The first two that a thread has open take no
 * reference, and write nothing that other readers read, except once where another thread owns the object; further ones
 * are snapshots, also when one of the two ends, until both have, and a thread that has only such ones open counts as
 * outside of views. So any number of threads may look several hints up in the same object at the speed of rcuinfo_get.
 *
 * Rules. The thread that began a view ends it. Views of a thread may nest, and end in any order. Pointers out of a view
 * are valid until its end. Inside a view the thread may call anything, and write to or free the object itself; its
 * writes never wait for readers then. A view does not make others wait, but an open one keeps the memory block of its
 * version, and makes rcuinfo_store_drain wait in other threads. A thread that exits ends its views; a destructor of its
 * thread-specific data may still use and end one in its first call. For what outlives a call, or moves to another
 * thread, open a snapshot.
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/value.h>
 * #include <rcuinfo/view.h>
 *
 * int main(void)
 * {
 *     rcuinfo_t info;
 *     rcuinfo_view_t view;
 *     int nodes, size;
 *
 *     if (rcuinfo_create(&info) || rcuinfo_set(info, "nodes", "4") ||
 *         rcuinfo_set(info, "size", "1048576"))
 *         return 1;
 *     if (rcuinfo_view_begin(info, &view))
 *         return 1;
 *
 *     // Both are of one version, whatever other threads do.
 *     if (rcuinfo_snapshot_get_int(view.snapshot, "nodes", &nodes, NULL) ||
 *         rcuinfo_snapshot_get_int(view.snapshot, "size", &size, NULL))
 *         return 1;
 *     rcuinfo_view_end(&view);
 *
 *     printf("%d x %d\n", nodes, size); // prints: 4 x 1048576
 *     return rcuinfo_free(&info);
 * }
 * @endcode
 */
#ifndef RCUINFO_VIEW_H
#define RCUINFO_VIEW_H

#include <stdint.h>
#include <rcuinfo/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A view, usually on the stack. It must not be copied. */
typedef struct rcuinfo_view {
    const rcuinfo_snapshot_t *snapshot; /**< valid until the view ends; not to be closed. NULL: no view has begun */
    void *opaque_reader;                /**< the library's */
    uint32_t opaque_place;              /**< the library's */
    uint32_t opaque_reserved;           /**< the library's */
} rcuinfo_view_t;

/**
 * Begins a view of the current version of an object.
 * @param info any object
 * @param[out] view to be ended by rcuinfo_view_end, unless view->snapshot is NULL, as on ERR_INFO
 * @return SUCCESS; ERR_ARG: view is NULL; ERR_INFO; ERR_NO_MEM: 2^31 objects and snapshots share its memory
 * Threads: wait-free. Linearizes at its only load of the version. If the thread has two views open already, the view is
 * a snapshot, and this call does the same as rcuinfo_snapshot_open.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_view_begin(rcuinfo_t info, rcuinfo_view_t *view);

/**
 * Ends a view, and sets view->snapshot to NULL. If that or view is NULL already, the call does nothing.
 * @param view begun by the calling thread
 * Threads: wait-free; if the view is a snapshot, as rcuinfo_snapshot_close.
 */
RCUINFO_API void rcuinfo_view_end(rcuinfo_view_t *view);

#ifdef __cplusplus
}
#endif

#endif

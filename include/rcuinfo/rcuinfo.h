/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file rcuinfo.h
 * All of the native interface, and which type to use when. The rules for all functions are in info.h.
 *
 * Times are nanoseconds on one core of a server, for some 16 keys: take them as orders of magnitude.
 *
 * An **info** (info.h) is a map that threads share: any of them may read and write at any time. Its handle is a
 * number that may be copied freely; the creator frees the info, once, and stale handles are detected. A
 * get takes 10 to 40 ns and never waits; a set takes 30 to 70. A dup takes 50 and copies nothing: both infos share
 * their memory until one of them is changed. This is the type to start with.
 *
 * A **snapshot** (snapshot.h) is one version of an info. Open one for reads that belong together, for a loop over all
 * pairs, or to read values where they are instead of copying them. Opening and closing it takes 20 ns. The caller that
 * opens a snapshot closes it, on any thread; until then the snapshot keeps the memory of its version, and the info can
 * be changed and even freed. A **view** (view.h) is a snapshot for a few lines of one thread. It takes no reference, so
 * any number of threads may use views of one info at the speed of a get.
 *
 * An **update** (update.h) makes several changes one version: readers see all of them or none. It takes about as long
 * as that many sets, and only reads the caller's array. **Compare-and-set** (update.h) changes one key if it still
 * has the value that the caller knows: for a counter, an owner, or a default that must not override anything. If
 * another thread was faster, the caller reads the value again and decides anew. It compares one key only, so what
 * must be compared together belongs in one value.
 *
 * **Typed values** (value.h) are parsed at each get, which adds some 10 ns; a value that is not of the type is
 * an error that says where. Use them for infos whose keys nobody has declared, and for what is read now and then.
 *
 * A **schema** and a **hint set** (hints.h) are for implementers of a window, a file, or a library that takes
 * hints. The schema declares keys, types, ranges and defaults, once for all objects of a kind; a hint set is what one
 * object uses. Values are checked and parsed when they are set, which takes about 1,000 ns, and then read as numbers
 * in 2 to 5. Both are pointers, which their creator frees, the sets before their schema; nothing detects a stale one.
 *
 * **Packed bytes** (pack.h) are for machines: another process, a file, another byte order. Every info can be packed,
 * into a buffer of the caller, and comes back the same; damage is detected. 16 pairs take 250 ns to pack, 500 to
 * unpack. A **hint file** (pack.h) is for people, who can edit it, and for ROMIO, which reads the same text. A few
 * infos have no such text, for example those with a blank in a key.
 *
 * The **environment** (env.h) is a read-only info of how the process was started; `rcuinfo_env_create` makes one that
 * the caller owns. The **store** (store.h) is all of this together: it has counters, and can give memory back. There
 * is one in each process, and nobody opens or owns it.
 *
 * Infos of MPI are objects of the same store, so rcuinfo_from_mpi and rcuinfo_to_mpi (mpi_compat.h) convert a handle
 * in a few nanoseconds and copy nothing. Which library a program needs depends on who makes its infos:
 *  - The **native interface**, librcuinfo: your own code. It needs no MPI, and works before, during and after MPI.
 *  - The **interposer**, librcuinfo_interpose, by `rcuinfo run` or linked ahead of any MPI: a program
 *    that calls MPI_Info_* and hands infos to MPI. A call of MPI that takes an info usually takes 1.6 to 6 times as
 * long as without, since a real info is made for it.
 *  - The archive, inside an **MPI library** whose infos are this store's; handle.h is for that.
 *  - The **ABI library**, librcuinfo_mpi: a program that needs MPI_Info_* but no MPI, with the handles of MPI-5.0.
 *
 * The archive librcuinfo.a has a store of its own, which none of these shares. For C++17, rcuinfo.hpp has classes
 * that own infos and snapshots.
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/rcuinfo.h>
 *
 * int main(void)
 * {
 *     const rcuinfo_change_t changes[] = {{"width", "16"}, {"height", "9"}};
 *     rcuinfo_t info;
 *     const rcuinfo_snapshot_t *snapshot;
 *     int width, height;
 *
 *     if (rcuinfo_create(&info) || rcuinfo_update(info, changes, 2, NULL) ||
 *         rcuinfo_snapshot_open(info, &snapshot))
 *         return 1;
 *
 *     // Both are of one version, whatever other threads do.
 *     if (rcuinfo_snapshot_get_int(snapshot, "width", &width, NULL) ||
 *         rcuinfo_snapshot_get_int(snapshot, "height", &height, NULL))
 *         return 1;
 *     printf("%d x %d\n", width, height); // prints: 16 x 9
 *
 *     rcuinfo_snapshot_close(snapshot);
 *     return rcuinfo_free(&info);
 * }
 * @endcode
 */
#ifndef RCUINFO_RCUINFO_H
#define RCUINFO_RCUINFO_H

#include <rcuinfo/env.h>
#include <rcuinfo/handle.h>
#include <rcuinfo/hints.h>
#include <rcuinfo/info.h>
#include <rcuinfo/pack.h>
#include <rcuinfo/snapshot.h>
#include <rcuinfo/store.h>
#include <rcuinfo/update.h>
#include <rcuinfo/value.h>
#include <rcuinfo/version.h>
#include <rcuinfo/view.h>

#endif

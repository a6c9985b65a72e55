/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file handle.h
 * Handles as integers of fewer bits than rcuinfo_t has, for an MPI library that contains the store and whose MPI_Info
 * is such an integer. include/README.md, "Inside an MPI library", says what else such a library needs.
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/handle.h>
 *
 * enum { KIND = 0x1c << 26 }; // what the library puts above the 26 bits
 *
 * int main(void)
 * {
 *     rcuinfo_t info, again;
 *     int handle, pairs;
 *
 *     if (rcuinfo_create(&info) || rcuinfo_set(info, "cb_nodes", "4"))
 *         return 1;
 *     handle = KIND | (int)rcuinfo_handle_to_int(info, 26);
 *
 *     again = rcuinfo_handle_from_int((uint32_t)(handle & ~KIND), 26);
 *     if (rcuinfo_get_nkeys(again, &pairs))
 *         return 1;
 *     printf("%d pair\n", pairs); // prints: 1 pair
 *     return rcuinfo_free(&again);
 * }
 * @endcode
 */
#ifndef RCUINFO_HANDLE_H
#define RCUINFO_HANDLE_H

#include <stdint.h>
#include <rcuinfo/info.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Converts a handle to an integer. With 26 bits, a handle that was freed is detected until 65,536 further objects have
 * been freed, with 31 bits until 4,194,304 have.
 * @param info a live object, by any handle with at least so many bits
 * @param bits 26 to 31
 * @return 1 to 2^bits - 1; 0 if info is RCUINFO_NULL or bits is out of range
 * Threads: wait-free.
 */
RCUINFO_API uint32_t rcuinfo_handle_to_int(rcuinfo_t info, unsigned bits);

/**
 * Converts an integer of rcuinfo_handle_to_int back. Every call takes the handle, and refuses it once the object has
 * been freed, as far as so many bits can tell. It is not equal to the handle that rcuinfo_create returned, and must not
 * be passed to rcuinfo_to_mpi (mpi_compat.h).
 * @param number any
 * @param bits the number of bits that it was made with
 * @return a handle, of a live object or not; RCUINFO_NULL if no object can have that number, or bits is out of range
 * Threads: wait-free; accesses no memory.
 */
RCUINFO_API rcuinfo_t rcuinfo_handle_from_int(uint32_t number, unsigned bits);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap: how much of malloc's memory is in use, and processes to look at it in, so that no measurement meets the heap,
 * the slots, the pools or the counters that another one has left.
 */
#ifndef BENCH_HEAP_H
#define BENCH_HEAP_H

#include <stddef.h>

/*
 * Bytes in use: every block with malloc's own overhead, and mapped ones in whole pages. malloc counts what it keeps for
 * a thread as in use. With a sanitizer, the bytes that were asked of it.
 */
size_t heap_in_use(void);

/*
 * Calls body(context, result) in a new process and copies the `bytes` bytes of its result, zeroed before, into *result.
 * Ends the program when that process fails, which has said why. Callers owe: no other thread.
 */
void heap_child(void (*body)(const void *context, void *result), const void *context, void *result, size_t bytes);

#endif

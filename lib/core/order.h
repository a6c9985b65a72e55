/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * order: all memory orders of lib/core, named after the pairs [Pn] of lib/DESIGN.md. No other file in lib/core names a
 * memory order, except core/ck.h for ConcurrencyKit and core/memory/arena.[ch] for what only a fork can separate, so
 * the models in tests/concurrent/model, which include this file, check the orders that the library runs with.
 *
 * Roots and generations need sequential consistency. With release and acquire, two threads that each set one object and
 * then read the other's could both miss the other's set (store buffering), and no order of the four calls allows that.
 * The root is stored by release, though: the fence that orders this store comes before the next load by the same thread
 * (rcuinfo__reader_settle in reader.h), so a thread that only sets executes none.
 * Only reader.[ch] have fences.
 */
#pragma once

#include <stdatomic.h>

#define RCUINFO__FENCE() atomic_thread_fence(memory_order_seq_cst)

#define RCUINFO__ROOT_PUBLISH       memory_order_release /* [P1], and [P10], the root of a hint set; then a fence */
#define RCUINFO__ROOT_LOAD          memory_order_seq_cst /* [P1] [P10] */
#define RCUINFO__ROOT_OPEN          memory_order_release /* [P1] of a new object: see rcuinfo__stock_version */
#define RCUINFO__GENERATION_PUBLISH memory_order_seq_cst /* [P2] */
#define RCUINFO__GENERATION_OPEN    memory_order_release /* [P2] of a new object: no thread has its handle yet */
#define RCUINFO__GENERATION_LOAD    memory_order_seq_cst /* [P2] */
#define RCUINFO__SHARE              memory_order_seq_cst /* [P12] read-modify-write of a generation */
#define RCUINFO__CHUNK_PUBLISH      memory_order_release /* [P3] compare-exchange; on failure the chunk is loaded again */
#define RCUINFO__CHUNK_LOAD         memory_order_acquire /* [P3] */
#define RCUINFO__REFS_TAKE          memory_order_relaxed /* [P6] safe: inside a read section */
#define RCUINFO__REFS_DROP          memory_order_acq_rel /* [P6] */
#define RCUINFO__REFS_SOLE          memory_order_acquire /* [P6] */
#define RCUINFO__LOCK_GIVE          memory_order_release /* [P7] */
#define RCUINFO__LOCK_TAKE          memory_order_acquire /* [P7] exchange and compare-exchange */
#define RCUINFO__START_PUBLISH      memory_order_acq_rel /* [P8] compare-exchange */
#define RCUINFO__START_LOAD         memory_order_acquire /* [P8] */
#define RCUINFO__PLACE_PUBLISH      memory_order_release /* [P9] */
#define RCUINFO__PLACE_LOAD         memory_order_acquire /* [P9] */
#define RCUINFO__SAY                memory_order_release /* [P5] */
#define RCUINFO__SAID               memory_order_acquire /* [P5] */
#define RCUINFO__HELP_PUBLISH       memory_order_release /* [P11] */
#define RCUINFO__HELP_LOAD          memory_order_acquire /* [P11] */
#define RCUINFO__RECORD_GIVE        memory_order_release /* [P14] */
#define RCUINFO__RECORD_TAKE        memory_order_acquire /* [P14] exchange */
#define RCUINFO__SCANS              memory_order_seq_cst /* [P13] number of scans begun */
#define RCUINFO__SCANS_LOAD         memory_order_seq_cst /* [P13] */
#define RCUINFO__RELAXED            memory_order_relaxed /* no other data depends on it, or something else orders it */

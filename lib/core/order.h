/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * order: every memory order that lib/core uses, by the pair [Pn] of lib/DESIGN.md that it serves. Nothing else in
 * lib/core names an order, so a model that includes this file checks the orders that the library runs with.
 *
 * Roots and generations are sequentially consistent: release and acquire would let two threads that each set one object
 * and then read the other both miss the other's set, which no order of the four calls explains.
 */
#ifndef RCUINFO_CORE_ORDER_H
#define RCUINFO_CORE_ORDER_H

#include <stdatomic.h>

#define RCUINFO__ROOT_PUBLISH       memory_order_seq_cst /* [P1] [P10]: a hint set's version is a root too */
#define RCUINFO__ROOT_LOAD          memory_order_seq_cst /* [P1] [P10] */
#define RCUINFO__GENERATION_PUBLISH memory_order_seq_cst /* [P2] */
#define RCUINFO__GENERATION_LOAD    memory_order_seq_cst /* [P2] */
#define RCUINFO__CHUNK_PUBLISH      memory_order_release /* [P3] compare-exchange; who fails loads the chunk anew */
#define RCUINFO__CHUNK_LOAD         memory_order_acquire /* [P3] */
#define RCUINFO__REFS_TAKE          memory_order_relaxed /* [P6] the taker holds another reference, or a read section */
#define RCUINFO__REFS_DROP          memory_order_acq_rel /* [P6] */
#define RCUINFO__REFS_SOLE          memory_order_acquire /* [P6] */
#define RCUINFO__LOCK_GIVE          memory_order_release /* [P7] exchange */
#define RCUINFO__LOCK_TAKE          memory_order_acquire /* [P7] exchange and compare-exchange */
#define RCUINFO__START_PUBLISH      memory_order_acq_rel /* [P8] compare-exchange */
#define RCUINFO__START_LOAD         memory_order_acquire /* [P8] */
#define RCUINFO__PLACE_PUBLISH      memory_order_release /* [P9] */
#define RCUINFO__PLACE_LOAD         memory_order_acquire /* [P9] */
#define RCUINFO__DONE_PUBLISH       memory_order_release /* the sum of reclaim's counters is read in order */
#define RCUINFO__DONE_LOAD          memory_order_acquire
#define RCUINFO__COUNT              memory_order_relaxed /* counters and hints: they carry nothing */

#endif

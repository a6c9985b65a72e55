/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stdatomic.h in place of the compiler's, for core/order.h in the models. Relacy's macros turn the names of the memory
 * orders into mo_* and the place in the source. Callers owe: Relacy is included first.
 */
#pragma once

using rl::atomic_thread_fence;
using rl::mo_acq_rel;
using rl::mo_acquire;
using rl::mo_relaxed;
using rl::mo_release;
using rl::mo_seq_cst;

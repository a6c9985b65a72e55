/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model: common parts of the models of lib/core's protocols. Each runs under Relacy, which simulates one execution
 * after the other: it chooses the thread that takes the next step and, if the memory orders allow a load to return an
 * older value, the value. It reports data races, failed assertions, deadlocks and livelocks.
 *
 * This file has membarrier; ConcurrencyKit's stack, with the orders described in core/ck.h; and the main program. The
 * memory orders are those of lib/core/order.h, included by orders.h (which CMake writes), so that one of them can be
 * weakened at run time. An order is two arguments: the order, and the place in the source, for Relacy.
 *
 * Memory of the library is rl::atomic or rl::var. Plain variables are the model's own bookkeeping: they are exact,
 * since Relacy runs one thread at a time. A variant is a way to break the model, off by default; Relacy must find it.
 *
 * Relacy does not simulate loads that return a later store, nor more than two older values of a variable.
 */
#pragma once

/* Before Relacy, which defines macros new, delete, malloc, free, errno and assert. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/counts.h"

#include <relacy/relacy.hpp>

#include "orders.h"

/* A way to break a model, chosen by its name. */
struct variant {
    static variant *all;
    variant *next;
    const char *name;
    bool on;

    explicit variant(const char *its_name) : next(all), name(its_name), on(false)
    {
        all = this;
    }

    operator bool() const
    {
        return on;
    }
};

variant *variant::all;

static variant no_membarrier("no_membarrier"); /* a thread fences only itself */

/*
 * A fence in each other thread, at a different moment in each, and two in the caller, as by the kernel's membarrier.
 * Relacy's system-wide fence is one moment for all threads, which would order them with each other, too.
 */
template <rl::thread_id_t threads> void membarrier()
{
    typedef rl::thread_info<threads> thread;
    rl::context &context = rl::ctx();
    rl::thread_id_t self = context.current_thread();
    rl::aligned<thread> *first = static_cast<rl::aligned<thread> *>(static_cast<thread *>(context.threadx_)) - self;
    bool backwards = context.is_random_sched() && rl::rand(2);
    rl::atomic_thread_fence(memory_order_seq_cst);
    for (rl::thread_id_t i = 1; i < threads && !no_membarrier; i++) {
        context.sched();
        first[(self + (backwards ? threads - i : i)) % threads].atomic_thread_fence_seq_cst(
            context.seq_cst_fence_order_);
    }
    rl::atomic_thread_fence(memory_order_seq_cst);
}

/* ConcurrencyKit: loads acquire, stores release, read-modify-writes do both (core/ck.h). */

/* ck_stack of entries with a member rl::var<entry *> next. */
template <typename entry> struct ck_stack {
    rl::atomic<entry *> head;

    void init()
    {
        head.store(0, memory_order_relaxed);
    }

    void push_upmc(entry *one)
    {
        entry *first = head.load(memory_order_acquire);
        do {
            VAR(one->next) = first;
        } while (!head.compare_exchange_strong(first, one, memory_order_acq_rel, memory_order_acquire));
    }

    entry *first()
    {
        return head.load(memory_order_acquire);
    }
};

/* The program. */

/* Random schedules with few preemptions: a thread is preempted at each step, or at one in 2, 4, ... 64, by turns. Most
 * faults need one or two preemptions, with many steps between them. */
template <rl::thread_id_t threads> struct seldom_scheduler : rl::random_scheduler<threads> {
    typedef rl::random_scheduler<threads> base;
    using base::base;

    rl::thread_id_t schedule(rl::unpark_reason &reason, unsigned yields)
    {
        bool stays = !yields && this->thread_->state_ == rl::thread_state_running &&
                     this->rand(1U << this->iter_ % 7, rl::sched_type_user) > 0;
        reason = rl::unpark_reason_normal;
        return stays ? this->thread_->index_ : base::schedule(reason, yields);
    }
};

/* Runs one kind of search, adds its executions to *total, and returns whether it found no fault. A faulty execution is
 * repeated for its history. */
template <typename suite, typename scheduler>
bool model_search(rl::scheduler_type_e type, unsigned bound, unsigned long schedules, bool tell, unsigned long *total)
{
    std::ostream nowhere(0);
    rl::ostringstream state;
    rl::test_params params;
    params.output_stream = &nowhere;
    params.progress_stream = &nowhere;
    params.search_type = type;
    params.context_bound = bound;
    params.iteration_count = schedules;
    rl::test_result_e result = rl::run_test<suite, scheduler>(params, state, false);
    *total += static_cast<unsigned long>(params.stop_iteration);
    if (result == rl::test_result_success)
        return true;
    printf("fault found: %s, by the %s, after %lu executions\n", rl::test_result_str(result), rl::format(type), *total);
    if (!tell)
        return false;
    fflush(stdout);
    params.output_stream = &std::cout;
    params.initial_state = state.str();
    params.collect_history = true;
    rl::ostringstream again;
    (void)rl::run_test<suite, scheduler>(params, again, true);
    return false;
}

/* Breaks the model: with a variant, or with an order's macro without RCUINFO__, a dot and a weaker order without
 * memory_order_. */
static inline bool break_model(const std::string &fault)
{
    for (variant *one = variant::all; one; one = one->next) {
        if (fault == one->name)
            return one->on = true;
    }
    for (const auto &one : orders) {
        for (rl::memory_order weaker : {rl::mo_relaxed, rl::mo_acquire, rl::mo_release, rl::mo_acq_rel}) {
            if (fault == std::string(one.name) + "." + rl::format(weaker)) {
                *one.order = weaker;
                return true;
            }
        }
    }
    return false;
}

/* Argument: none, or how to break the model. First runs random schedules, which find most faults soon; then every
 * schedule with at most `bound` preemptions. Of a sound model fewer, unless TEST_FULL is set: `tools/check --full`.
 * Returns 0 if no fault was found. */
template <typename suite> int model_main(const char *name, unsigned bound, int argc, char **argv)
{
    unsigned long schedules = 100000, total = 0;
    bool sound = argc == 1;
    if (sound && bound > 0 && !getenv("TEST_FULL")) {
        schedules /= 4;
        bound--;
    }
    if (!sound && !break_model(argv[1]))
        return 2;
    typedef rl::context_bound_scheduler<suite::params::thread_count> by_bound;
    typedef seldom_scheduler<suite::params::thread_count> by_chance;
    if (!model_search<suite, by_chance>(rl::sched_random, bound, schedules, sound, &total) ||
        !model_search<suite, by_bound>(rl::sched_bound, bound, schedules, sound, &total))
        return 1;
    printf("%s: %lu executions, with at most %u preemptions and random\n", name, total, bound);
    if (sound)
        counts_report((std::string("model.") + name).c_str(), "model executions", total);
    return 0;
}

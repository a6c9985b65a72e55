/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model: common parts of the models of lib/core's protocols. Each runs under Relacy, which simulates one execution
 * after the other: it chooses the thread that takes the next step and, if the memory orders allow a load to return an
 * older value, the value. It reports data races, failed assertions, deadlocks and livelocks.
 *
 * The library is compiled from its own sources, changed as file `patches` says; machine.h connects it with Relacy. A
 * variant is a way to break it, off by default; Relacy must find it. The memory orders are those of lib/core/order.h,
 * one of which can be weakened.
 *
 * Memory of a model is its own bookkeeping: it is exact, since Relacy runs one thread at a time.
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

/* The orders, and the variants; faults.h is written by CMakeLists.txt. */
extern "C" {
#define ORDER(name, order) int order_##name = rl::mo_##order;
#define VARIANT(name)      bool broken_##name;
#include "faults.h"
#undef ORDER
#undef VARIANT
}

#define ORDER(name, order) {#name, &order_##name},
#define VARIANT(name)
static const struct {
    const char *name;
    int *order;
} orders[] = {
#include "faults.h"
};
#undef ORDER
#undef VARIANT

#define ORDER(name, order)
#define VARIANT(name) {#name, &broken_##name},
static const struct {
    const char *name;
    bool *on;
} variants[] = {
#include "faults.h"
};

#include "machine.h"

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
    for (const auto &one : variants) {
        if (fault == one.name)
            return *one.on = true;
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

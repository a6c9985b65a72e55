/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limits of reclaim, and its lock: two threads free objects, each time past the soft limit. Each tries for the lock
 * and leaves the work to the one that has it, until the hard limit makes it wait. What waits never comes above the hard
 * limit by more than one object a thread. What is said to wait is never below zero and, when all is quiet, not less
 * than what does; it may be more, since a record can be detached before its bytes are counted, and the next batch makes
 * up for it.
 *
 * Either one thread is inside a read section of its own: it then frees once, and never waits. Or no thread ever reads,
 * and there are no fences of a grace period that could stand in for the orders of the counters.
 */
#include "store.h"

static const size_t object_bytes = slot_bytes + record_bytes;
static const size_t hard_bytes = 2 * object_bytes;

struct limits : rl::test_suite<limits, 2> {
    store<2, 1, 4, 1> store_;
    uint64_t infos[4];

    void before()
    {
        store_.init(BY_BYTES, 1, object_bytes, hard_bytes);
        store_.rcu.registered = !rl::rand(2);
        for (unsigned i = 0; i < 4; i++)
            infos[i] = store_.create();
    }

    void thread(unsigned index)
    {
        if (index == 1) {
            free_one(infos[3]);
        } else if (store_.rcu.registered) {
            store_.rcu.read_lock();
            free_one(infos[0]);
            store_.rcu.read_unlock();
        } else {
            for (unsigned i = 0; i < 3; i++)
                free_one(infos[i]);
        }
    }

    void free_one(uint64_t info)
    {
        RL_ASSERT(store_.free_object(info));
        RL_ASSERT(store_.waiting_most < hard_bytes + 2 * object_bytes);
    }

    void after()
    {
        RL_ASSERT(store_.waiting() >= store_.waiting_now);
        store_.reclaim_flush();
        RL_ASSERT(store_.waiting_now == 0 && store_.waiting() == 0);
    }
};

int main(int argc, char **argv)
{
    return model_main<limits>("model.limits", 2, argc, argv);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The references of a block [P6]: one thread frees an object and reclaims, so that its block is recycled and used
 * again. A second duplicates the object meanwhile, reads the copy and frees it; a third opens a snapshot, reads it at
 * its leisure and closes it. The block stays whole until the last of them has let go, whoever that is; then all that
 * was read of it happens before it is used again.
 */
#include "store.h"

struct references : rl::test_suite<references, 3> {
    store<3, 1, 3, 2> store_;
    uint64_t info, other;

    void before()
    {
        store_.init();
        info = store_.create_with(store_.block_alloc(), 1);
        other = store_.create();
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            RL_ASSERT(store_.free_object(info));
            store_.reclaim_flush();
            RL_ASSERT(store_.set(other, 1, 2));
        } else if (index == 1) {
            uint64_t copy = store_.dup(info);
            if (copy) {
                RL_ASSERT(store_.get(copy, 1, &value) && value == 1);
                RL_ASSERT(store_.free_object(copy));
            }
        } else {
            entry *snapshot = store_.hold(info);
            if (snapshot) {
                RL_ASSERT(store_.read(snapshot, 1) == 1);
                store_.release(snapshot);
            }
        }
    }

    /* All references are dropped in the end, and nothing waits any more. */
    void after()
    {
        store_.reclaim_flush();
        RL_ASSERT(store_.waiting() == 0);
        RL_ASSERT(store_.block_age(0) > 0);
    }
};

int main(int argc, char **argv)
{
    return model_main<references>("model.dup", 2, argc, argv);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A full block [P1] [P4] [P5]: one thread sets an object until its pairs are copied into another block, reclaims, and
 * sets it again, in the memory of the first block where that is free. A second thread reads meanwhile; a third opens a
 * snapshot, whose version may end before the block does, reads it at its leisure and closes it. Nobody sees a block
 * that was recycled under it, and what is read of a block happens before it is used again.
 */
#include "store.h"

struct copy : rl::test_suite<copy, 3> {
    store<3, 1, 1, 4> store_;
    uint64_t info;

    void before()
    {
        store_.init(BY_BYTES, 2);
        info = store_.create();
        RL_ASSERT(store_.set(info, 1, 1));
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            RL_ASSERT(store_.set(info, 2, 2));
            RL_ASSERT(store_.set(info, 1, 3));
            store_.reclaim_flush();
            RL_ASSERT(store_.set(info, 1, 4));
        } else if (index == 1) {
            RL_ASSERT(store_.get(info, 1, &value) && (value == 1 || value > 2));
        } else {
            entry *snapshot = store_.hold(info);
            for (unsigned key = 1; key <= key_count; key++)
                (void)store_.read(snapshot, key);
            store_.release(snapshot);
        }
    }

    /* Everything that was retired can be reclaimed, and then nothing is said to wait. */
    void after()
    {
        store_.reclaim_flush();
        RL_ASSERT(store_.waiting() == 0);
        RL_ASSERT(store_.block_age(0) > 0);
    }
};

int main(int argc, char **argv)
{
    return model_main<copy>("model.copy", 2, argc, argv);
}

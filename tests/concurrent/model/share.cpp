/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two objects in one block [P1] [P6] [P9]: one is a dup of the other, and both are changed. The first may append,
 * unless the block is full; the second copies its own version of it. A third thread reads both: each says what it said,
 * whatever the other has appended. Who has copied retires the block, and it is recycled when both have dropped it, not
 * before.
 */
#include "store.h"

struct share : rl::test_suite<share, 3> {
    store<3, 1, 2, 3> store_;
    uint64_t infos[2];
    bool full;

    void before()
    {
        full = rl::rand(2);
        store_.init(BY_PLACES, full ? 1 : 2);
        infos[0] = store_.create();
        RL_ASSERT(store_.set(infos[0], 1, 1));
        infos[1] = store_.dup(infos[0]);
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            RL_ASSERT(store_.set(infos[0], 1, 2));
        } else if (index == 1) {
            RL_ASSERT(store_.set(infos[1], 1, 3));
            store_.reclaim_flush();
        } else {
            RL_ASSERT(store_.get(infos[0], 1, &value) && (value == 1 || value == 2));
            RL_ASSERT(store_.get(infos[1], 1, &value) && (value == 1 || value == 3));
        }
    }

    void after()
    {
        store_.reclaim_flush();
        RL_ASSERT(store_.waiting() == 0);
        RL_ASSERT(store_.block_age(0) == (full ? 1U : 0U));
    }
};

int main(int argc, char **argv)
{
    return model_main<share>("model.share", 2, argc, argv);
}

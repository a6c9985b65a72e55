/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The retire list and the pool [P4] [P5]: every set finds its block full and leaves a record in the new one. One thread
 * sets an object twice and reclaims; another sets or frees it too, and reclaims as well or sets another. A record
 * is read before the block that it lies in is recycled, whichever batch it is in; each block goes to one writer at a
 * time.
 */
#include "store.h"

struct recycle : rl::test_suite<recycle, 2> {
    store<2, 1, 2, 7> store_;
    uint64_t infos[2];
    bool frees, reclaims;

    void before()
    {
        store_.init(BY_BYTES, 1);
        for (unsigned i = 0; i < 2; i++)
            infos[i] = store_.create_with(store_.block_alloc(), 1);
        frees = rl::rand(2);
        reclaims = rl::rand(2);
    }

    void thread(unsigned index)
    {
        if (index == 0) {
            RL_ASSERT(store_.set(infos[0], 1, 2) || frees);
            RL_ASSERT(store_.set(infos[0], 1, 3) || frees);
            store_.reclaim_flush();
            RL_ASSERT(store_.set(infos[0], 1, 4) || frees);
        } else {
            if (frees)
                RL_ASSERT(store_.free_object(infos[0]));
            else
                RL_ASSERT(store_.set(infos[0], 1, 5));
            if (reclaims)
                store_.reclaim_flush();
            else
                RL_ASSERT(store_.set(infos[1], 1, 6));
        }
    }

    /* Everything that was retired can be reclaimed, and then nothing is said to wait. */
    void after()
    {
        store_.reclaim_flush();
        RL_ASSERT(store_.waiting() == 0);
    }
};

int main(int argc, char **argv)
{
    return model_main<recycle>("model.recycle", 2, argc, argv);
}

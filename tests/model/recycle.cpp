/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Retire, grace period, recycle [P4] [P5]: one thread sets an object twice and reclaims; what it has recycled goes into
 * the next versions, its own and those of a thread that sets this object or another. A third reads both meanwhile. No
 * reader sees a cell that was recycled under it, and what is read of a cell happens before the cell is used again.
 */
#include "store.h"

struct recycle : rl::test_suite<recycle, 3> {
    store<3, 1> store_;
    uint64_t a, b;

    void before()
    {
        store_.init();
        a = store_.create_with(store_.cell_alloc(), 10);
        b = store_.create_with(store_.cell_alloc(), 20);
    }

    void thread(unsigned index)
    {
        if (index == 0) {
            for (unsigned i = 1; i < 3; i++)
                RL_ASSERT(store_.set(a, 10 + i));
            store_.reclaim_flush();
            RL_ASSERT(store_.set(a, 13));
        } else if (index == 1) {
            RL_ASSERT(store_.set(rl::rand(2) ? a : b, 14));
        } else {
            read(a, 10, 14);
            read(b, 14, 20);
        }
    }

    void read(uint64_t info, unsigned least, unsigned most)
    {
        unsigned value;
        RL_ASSERT(store_.get(info, &value));
        RL_ASSERT(value >= least && value <= most);
    }

    /* Everything that was retired can be reclaimed, and then nothing is said to wait. */
    void after()
    {
        store_.reclaim_flush();
        RL_ASSERT(store_.reclaim_waiting() == 0);
    }
};

int main(int argc, char **argv)
{
    return model_main<recycle>("model.recycle", 2, argc, argv);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The check of a handle's generation [P2]: one thread frees an object, reclaims, and makes another, which gets the same
 * slot. A second uses the old handle meanwhile, and a third the new one, whose number it has guessed: any number may be
 * looked up at any time. Each finds its own object, whole, or none. The generation is looked at once, before the root;
 * that this is enough rests on slots being given out again only after a grace period.
 */
#include "store.h"

struct generation : rl::test_suite<generation, 3> {
    store<3, 1> store_;
    uint64_t info, next;

    void before()
    {
        store_.init();
        info = store_.create_with(store_.cell_alloc(), 1);
        next = info + (UINT64_C(1) << INDEX_BITS); /* the same slot, one generation on */
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            cell *second = store_.cell_alloc(); /* not the first one's */
            RL_ASSERT(store_.free_object(info));
            if (!slot_at_once)
                store_.reclaim_flush();
            RL_ASSERT(store_.create_with(second, 2) == next);
            RL_ASSERT(!store_.get(info, &value));
            RL_ASSERT(store_.get(next, &value) && value == 2);
        } else if (index == 1) {
            RL_ASSERT(!store_.get(info, &value) || value == 1);
            RL_ASSERT(!store_.get(info, &value) || value == 1);
        } else {
            RL_ASSERT(!store_.get(next, &value) || value == 2);
        }
    }
};

int main(int argc, char **argv)
{
    return model_main<generation>("model.generation", 2, argc, argv);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The check of a handle's generation [P2]: one thread frees an object, reclaims, and makes another, which gets the same
 * slot. A second uses the old handle meanwhile, and a third the new one, whose number it has guessed: any number may be
 * looked up at any time. Each finds its own object, whole, or none. A reader looks at the generation once, before the
 * root; that this is enough rests on slots being given out again only after a grace period. A writer looks at it under
 * the lock, which who opens a slot does not have.
 */
#include "store.h"

struct generation : rl::test_suite<generation, 3> {
    store<3, 1, 1, 2> store_;
    uint64_t info, next;

    void before()
    {
        store_.init();
        info = store_.create();
        RL_ASSERT(store_.set(info, 1, 1));
        next = info + (UINT64_C(1) << INDEX_BITS); /* the same slot, one generation on */
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            block *second = store_.block_alloc(); /* not the first one's */
            RL_ASSERT(store_.free_object(info));
            if (!slot_at_once)
                store_.reclaim_flush();
            RL_ASSERT(store_.create_with(second, 2) == next);
            RL_ASSERT(!store_.get(info, 1, &value));
            RL_ASSERT(store_.get(next, 1, &value) && value == 2);
        } else if (index == 1) {
            RL_ASSERT(!store_.get(info, 1, &value) || value == 1 || value == 3);
            if (store_.set(info, 1, 3))
                RL_ASSERT(!store_.get(info, 1, &value) || value == 3);
        } else {
            RL_ASSERT(!store_.get(next, 1, &value) || value == 2);
        }
    }
};

int main(int argc, char **argv)
{
    return model_main<generation>("model.generation", 2, argc, argv);
}

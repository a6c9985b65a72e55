/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two objects [P1] [P2]: one thread changes A and then looks at B, another changes B and then looks at A. At least one
 * sees the other's change, as some order of the four calls must explain. A change is a set or a free; the objects'
 * locks and stripes are apart, so nothing but the orders of root and generation can tell the threads of each other.
 * Release and acquire let both miss.
 */
#include "store.h"

struct litmus : rl::test_suite<litmus, 2> {
    store<2, 2, 2, 2> store_;
    uint64_t infos[2];
    bool frees[2];
    bool missed[2];

    void before()
    {
        store_.init();
        for (int i = 0; i < 2; i++) {
            infos[i] = store_.create();
            RL_ASSERT(store_.set(infos[i], 1, 1));
        }
        unsigned kind = rl::rand(3); /* both set; one sets and one frees; both free */
        frees[0] = kind > 1;
        frees[1] = kind > 0;
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (frees[index])
            RL_ASSERT(store_.free_object(infos[index]));
        else
            RL_ASSERT(store_.set(infos[index], 1, 2));
        bool found = store_.get(infos[1 - index], 1, &value);
        missed[index] = found && value == 1;
    }

    void after()
    {
        RL_ASSERT(!missed[0] || !missed[1]);
    }
};

int main(int argc, char **argv)
{
    return model_main<litmus>("model.litmus", 4, argc, argv);
}

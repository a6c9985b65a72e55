/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * publish and consume [P1]: two threads set one object, a third reads it. Each version is seen whole, its number never
 * goes back, and each set makes one. Weaker orders of the root are found as data races on the content.
 */
#include "store.h"

struct publish : rl::test_suite<publish, 3> {
    store<3, 1> store_;
    uint64_t info;

    void before()
    {
        store_.init();
        info = store_.create();
    }

    void thread(unsigned index)
    {
        if (index < 2)
            RL_ASSERT(store_.set(info, index + 1));
        else
            read();
    }

    /* Two gets: read sections order nothing for the one inside them. */
    void read()
    {
        unsigned last = 0;
        for (int i = 0; i < 2; i++) {
            store_.rcu.read_lock();
            cell *root = store_.handle_root(info);
            RL_ASSERT(root);
            unsigned version = VAR(root->version);
            unsigned value = VAR(root->value);
            RL_ASSERT(version >= last);
            RL_ASSERT(version ? value == 1 || value == 2 : value == 0);
            last = version;
            store_.rcu.read_unlock();
        }
    }

    void after()
    {
        RL_ASSERT(VAR(store_.handle_root(info)->version) == 2);
    }
};

int main(int argc, char **argv)
{
    return model_main<publish>("model.publish", 3, argc, argv);
}

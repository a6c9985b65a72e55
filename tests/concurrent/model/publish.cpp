/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * publish and load [P1], and the finder, of bytes or of places [P9]: two threads set one object, which has room for
 * all of it in its block, a third reads. Each version says what it said when it was published, whatever was appended
 * since: keys that it lacks are absent, and where a place names an entry beyond it, the links lead back. Version
 * numbers never go back. One of the threads may give up behind an entry that it has written: then the next set copies.
 */
#include "store.h"

struct publish : rl::test_suite<publish, 3> {
    store<3, 1, 1, 3> store_;
    uint64_t info;
    bool fails;

    void before()
    {
        finder which = rl::rand(2) ? BY_BYTES : BY_PLACES;
        fails = rl::rand(2);
        store_.init(which, entry_count);
        info = store_.create();
        RL_ASSERT(store_.set(info, 1, 1));
    }

    void thread(unsigned index)
    {
        if (index == 0) {
            RL_ASSERT(store_.set(info, 1, 2));
        } else if (index == 1) {
            RL_ASSERT(store_.set(info, 2, 3, fails));
            RL_ASSERT(store_.set(info, 1, 4));
        } else {
            unsigned last = 0;
            for (int i = 0; i < 2; i++)
                last = read(last);
        }
    }

    /* Of one version both keys. Read sections order nothing for the one inside them. */
    unsigned read(unsigned last)
    {
        store_.rcu.read_lock();
        entry *root = store_.handle_root(info);
        RL_ASSERT(root);
        unsigned version = store_.version(root);
        RL_ASSERT(version >= last);
        (void)store_.read(root, 1);
        (void)store_.read(root, 2);
        store_.rcu.read_unlock();
        return version;
    }

    void after()
    {
        RL_ASSERT(read(0) == (fails ? 3U : 4U));
    }
};

int main(int argc, char **argv)
{
    return model_main<publish>("model.publish", 2, argc, argv);
}

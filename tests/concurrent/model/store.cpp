/* SPDX-License-Identifier: BSD-3-Clause */
/* The models of the store. usage: model_store MODEL, and the arguments of model_main. */
#include "store.h"

/*
 * publish and load [P1], and the finder, of bytes or of places [P9]: two threads set one object, whose block has room
 * for all sets; a third reads. Each version keeps its contents, whatever was appended since: keys that it lacks are
 * absent, and if a place refers to an entry beyond it, the links lead back. Version numbers never decrease. One of the
 * threads may fail after it has written an entry: then the next set copies.
 */
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

    /* Both keys of one version. A read section does not order its own accesses. */
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

/*
 * Two objects [P1] [P2]: one thread changes A and then reads B, another changes B and then reads A. At least one sees
 * the other's change, since the four calls must have one order. A change is a set or a free. The objects have separate
 * locks and stripes, so only the orders of root and generation connect the threads. With release and acquire both could
 * miss.
 */
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

/*
 * A full block [P1] [P4] [P5]: one thread sets an object until its pairs are copied into another block, reclaims, and
 * sets it again, in the memory of the first block if that is free. A second thread reads meanwhile; a third opens a
 * snapshot, whose version may end before the block does, reads it later and closes it. No thread sees a block recycled
 * while it reads it, and all reads of a block happen before it is reused.
 */
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

    /* All retired memory can be reclaimed, and then the count of waiting bytes is 0. */
    void after()
    {
        store_.reclaim_flush();
        RL_ASSERT(store_.waiting() == 0);
        RL_ASSERT(store_.blocks[0].age > 0);
    }
};

/*
 * The retire list and the pool [P4] [P5]: every set finds its block full and puts a record into the new one. One thread
 * sets an object twice and reclaims; another sets or frees it, too, and reclaims as well or sets another object. A
 * record is read before the block that contains it is recycled, whichever batch it is in. A block is used by one writer
 * at a time.
 */
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

    /* All retired memory can be reclaimed, and then the count of waiting bytes is 0. */
    void after()
    {
        store_.reclaim_flush();
        RL_ASSERT(store_.waiting() == 0);
    }
};

/*
 * Two objects in one block [P1] [P6] [P9]: one is a dup of the other, and both are changed. The first may append,
 * unless the block is full; the second copies its version. A third thread reads both: each version keeps its contents,
 * whatever the other object has appended. An object that has copied retires the block, which is recycled only when both
 * objects have dropped it.
 */
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
        RL_ASSERT(store_.blocks[0].age == (full ? 1U : 0U));
    }
};

/*
 * The references of a block [P6]: one thread frees an object and reclaims, so that its block is recycled and reused. A
 * second duplicates the object meanwhile, reads the dup and frees it; a third opens a snapshot, reads it later and
 * closes it. The block stays intact until the last of them has released it, and all reads of it happen before it is
 * reused.
 */
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

    /* All references are dropped in the end, and nothing waits. */
    void after()
    {
        store_.reclaim_flush();
        RL_ASSERT(store_.waiting() == 0);
        RL_ASSERT(store_.blocks[0].age > 0);
    }
};

/*
 * The check of a handle's generation [P2]: one thread frees an object, reclaims, and creates another, which gets the
 * same slot. A second uses the old handle meanwhile, and a third guesses the new one: any number may be used at any
 * time. Each finds its own object, complete, or none. A reader checks the generation once, before the root, which is
 * enough because slots are reused only after a grace period. A writer checks it under the lock, which a thread that
 * opens a slot does not take.
 */
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

/*
 * The limits of reclaim, and its lock: two threads free objects, each time beyond the soft limit. Each tries to take
 * the lock and leaves the work to the holder, until the hard limit makes it wait. Waiting memory never exceeds the hard
 * limit by more than one object per thread. Its count is never negative and, when no call is active, not below the true
 * value; it may be above it, because a record can be detached before its bytes are counted, which the next batch
 * corrects.
 *
 * Either one thread is in its own read section: it then frees once, and never waits. Or no thread ever reads, so that
 * no fence of a grace period can replace the orders of the counters.
 */
static const size_t object_bytes = slot_bytes + record_bytes;
static const size_t hard_bytes = 2 * object_bytes;

struct limits : rl::test_suite<limits, 2> {
    store<2, 1, 4, 1> store_;
    uint64_t infos[4];

    void before()
    {
        store_.init(BY_BYTES, 1, object_bytes, hard_bytes);
        store_.rcu.registered = !rl::rand(2);
        for (unsigned i = 0; i < 4; i++)
            infos[i] = store_.create();
    }

    void thread(unsigned index)
    {
        if (index == 1) {
            free_one(infos[3]);
        } else if (store_.rcu.registered) {
            store_.rcu.read_lock();
            free_one(infos[0]);
            store_.rcu.read_unlock();
        } else {
            for (unsigned i = 0; i < 3; i++)
                free_one(infos[i]);
        }
    }

    void free_one(uint64_t info)
    {
        RL_ASSERT(store_.free_object(info));
        RL_ASSERT(store_.waiting_most < hard_bytes + 2 * object_bytes);
    }

    void after()
    {
        RL_ASSERT(store_.waiting() >= store_.waiting_now);
        store_.reclaim_flush();
        RL_ASSERT(store_.waiting_now == 0 && store_.waiting() == 0);
    }
};

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        unsigned bound;
        int (*run)(const char *name, unsigned bound, int argc, char **argv);
    } models[] = {
        {"publish", 2, model_main<publish>},
        {"litmus", 4, model_main<litmus>},
        {"copy", 2, model_main<copy>},
        {"recycle", 2, model_main<recycle>},
        {"share", 2, model_main<share>},
        {"dup", 2, model_main<references>},
        {"generation", 2, model_main<generation>},
        {"limits", 2, model_main<limits>},
    };
    for (unsigned i = 0; argc > 1 && i < sizeof models / sizeof *models; i++) {
        if (strcmp(argv[1], models[i].name) == 0)
            return models[i].run(models[i].name, models[i].bound, argc - 1, argv + 1);
    }
    return 2;
}

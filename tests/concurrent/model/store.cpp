/* SPDX-License-Identifier: BSD-3-Clause */
/* The models of the store. usage: model_store MODEL, and the arguments of model_main. */
#include "store.h"

template <typename self, rl::thread_id_t threads, unsigned arena_count, unsigned slot_count, unsigned block_count>
struct suite : rl::test_suite<self, threads> {
    store<threads, arena_count, slot_count, block_count> store_;
};

/* In the end everything can be reclaimed. */
template <typename self, rl::thread_id_t threads, unsigned arena_count, unsigned slot_count, unsigned block_count>
struct reclaimed : suite<self, threads, arena_count, slot_count, block_count> {
    void after()
    {
        RL_ASSERT(this->store_.reclaim_all());
    }
};

/*
 * publish and load [P1], and the finder, of bytes or of places [P9]: two threads set one object, whose block has room
 * for all sets; a third reads. Each version keeps its contents, whatever was appended since: keys that it lacks are
 * absent, and if a place refers to an entry beyond it, the links lead back. Version numbers never decrease. One of the
 * threads may fail after it has written an entry: then the next set copies.
 */
struct publish : suite<publish, 3, 1, 1, 3> {
    uint64_t info;
    bool fails;

    void before()
    {
        finder which = rl::rand(2) ? BY_BYTES : BY_PLACES;
        fails = rl::rand(2);
        store_.init(JOINED, which, entry_count);
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
        section in;
        entry *root = store_.read_begin(info, &in);
        RL_ASSERT(root);
        unsigned version = store_.version(root);
        RL_ASSERT(version >= last);
        (void)store_.read(root, 1);
        (void)store_.read(root, 2);
        store_.readers_.end(in);
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
struct litmus : suite<litmus, 2, 2, 2, 2> {
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

/* How threads read at first, in a third of the executions each. */
static reading any_reading()
{
    return static_cast<reading>(rl::rand(3));
}

/*
 * A full block [P1] [P5] [P6]: one thread sets an object until its pairs are copied into another block, reclaims, and
 * sets it again, in the memory of the first block if that is free. A second thread reads meanwhile; a third opens a
 * snapshot, whose version may end before the block does, reads it later and closes it. No thread sees a block recycled
 * while it reads it, and all reads of a block happen before it is reused.
 */
struct copy : suite<copy, 3, 1, 1, 5> {
    uint64_t info;

    void before()
    {
        store_.init(any_reading(), BY_BYTES, 2);
        info = store_.create();
        RL_ASSERT(store_.set(info, 1, 1));
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            RL_ASSERT(store_.set(info, 2, 2));
            RL_ASSERT(store_.set(info, 1, 3));
            store_.reclaim();
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

    /* All retired memory can be reclaimed. */
    void after()
    {
        RL_ASSERT(store_.reclaim_all());
        RL_ASSERT(store_.blocks[0].age > 0);
    }
};

/*
 * Help [P11]: one thread sets or frees an object and reclaims. A second only scans, so it helps the third, which reads
 * the object, in the record of a thread that has exited. The reader finds the object, and what it reads stays.
 */
struct help : suite<help, 3, 2, 2, 5> {
    uint64_t info;
    bool frees;

    void before()
    {
        store_.init(JOINED, BY_BYTES, 1);
        store_.owners = true; /* it is that of the thread that runs this */
        info = store_.create_with(store_.block_alloc(), 1);
        store_.readers_.exit(1);
        frees = rl::rand(2);
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            if (frees)
                RL_ASSERT(store_.free_object(info));
            else
                RL_ASSERT(store_.set(info, 1, 2));
            store_.reclaim();
            store_.reclaim_scan();
        } else if (index == 1) {
            store_.reclaim_scan();
        } else {
            RL_ASSERT(store_.get(info, 1, &value) ? value > 0 : frees);
        }
    }

    void after()
    {
        RL_ASSERT(store_.reclaim_all());
        RL_ASSERT(store_.blocks[0].age > 0);
    }
};

/*
 * The slot of a helped reader [P2] [P11]: one thread scans, frees the object, reclaims, so that the slot's root is
 * cleared, and scans again, while the other reads. Help stays until its section has ended.
 */
template <reading how> struct cleared : rl::test_suite<cleared<how>, 2> {
    store<2, 1, 1, 2> store_;
    uint64_t info;

    void before()
    {
        store_.init(how, BY_BYTES, 1);
        info = store_.create_with(store_.block_alloc(), 1);
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            store_.reclaim_scan();
            RL_ASSERT(store_.free_object(info));
            store_.reclaim();
            store_.reclaim_scan();
        } else {
            RL_ASSERT(!store_.get(info, 1, &value) || value == 1);
        }
    }

    void after()
    {
        RL_ASSERT(store_.reclaim_all());
        RL_ASSERT(store_.blocks[0].age == 1);
    }
};

/*
 * The number of a scan [P13]: one thread frees an object and reclaims, as far as the scan of a second one allows, which
 * may have begun before. A third, which fences itself, reads the object.
 */
struct number : suite<number, 3, 1, 1, 2> {
    uint64_t info;

    void before()
    {
        store_.init(FENCED, BY_BYTES, 1);
        info = store_.create_with(store_.block_alloc(), 1);
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            RL_ASSERT(store_.free_object(info));
            store_.reclaim();
        } else if (index == 1) {
            store_.reclaim_scan();
        } else {
            RL_ASSERT(!store_.get(info, 1, &value) || value == 1);
        }
    }
};

/*
 * Whose scan will do [P13]: one thread frees two objects, and reclaims as far as the scan of a second one allows. A
 * third reads the one freed last.
 */
struct scans : suite<scans, 3, 2, 2, 2> {
    uint64_t infos[2];

    void before()
    {
        store_.init(JOINED, BY_BYTES, 1);
        for (int i = 0; i < 2; i++)
            infos[i] = store_.create_with(store_.block_alloc(), 1);
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            for (int i = 0; i < 2; i++) {
                RL_ASSERT(store_.free_object(infos[i]));
                store_.reclaim(1);
            }
        } else if (index == 1) {
            store_.reclaim_scan();
        } else {
            RL_ASSERT(!store_.get(infos[1], 1, &value) || value == 1);
        }
    }
};

/*
 * Which list a scan was for [P13]: when one thread has the result, the arena waits for a later scan, since another
 * thread has reclaimed there meanwhile, and a third reads what that has retired.
 */
struct later : suite<later, 3, 1, 2, 3> {
    uint64_t info;

    void before()
    {
        store_.init(JOINED, BY_BYTES, 1);
        info = store_.create_with(store_.block_alloc(), 1);
        RL_ASSERT(store_.free_object(store_.create_with(store_.block_alloc(), 1)));
        store_.reclaim(1);
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            store_.reclaim(1);
        } else if (index == 1) {
            RL_ASSERT(store_.free_object(info));
            store_.reclaim(1);
        } else {
            RL_ASSERT(!store_.get(info, 1, &value) || value == 1);
        }
    }
};

/*
 * Two objects in one block [P1] [P6] [P9]: one is a dup of the other, and both are changed. The first may append,
 * unless the block is full; the second copies its version. A third thread reads both: each version keeps its contents,
 * whatever the other object has appended. An object that has copied retires the block, which is recycled only when both
 * objects have dropped it.
 */
struct share : suite<share, 3, 1, 2, 3> {
    uint64_t infos[2];
    bool full;

    void before()
    {
        full = rl::rand(2);
        store_.init(any_reading(), BY_PLACES, full ? 1 : 2);
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
            store_.reclaim();
        } else {
            RL_ASSERT(store_.get(infos[0], 1, &value) && (value == 1 || value == 2));
            RL_ASSERT(store_.get(infos[1], 1, &value) && (value == 1 || value == 3));
        }
    }

    void after()
    {
        RL_ASSERT(store_.reclaim_all());
        RL_ASSERT(store_.blocks[0].age == (full ? 1U : 0U));
    }
};

/*
 * The references of a block [P6]: one thread frees an object and reclaims, so that its block is recycled and reused. A
 * second duplicates the object meanwhile, reads the dup and frees it; a third opens a snapshot, reads it later and
 * closes it. The block stays intact until the last of them has released it, and all reads of it happen before it is
 * reused.
 */
struct references : suite<references, 3, 1, 3, 2> {
    uint64_t info, other;

    void before()
    {
        store_.init();
        store_.stocks = rl::rand(2);
        info = store_.create_with(store_.block_alloc(), 1);
        other = store_.create();
    }

    void thread(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            RL_ASSERT(store_.free_object(info));
            store_.reclaim();
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
        RL_ASSERT(store_.reclaim_all());
        RL_ASSERT(store_.blocks[0].age > 0);
    }
};

/*
 * A reference out of a stock, without a read section: one thread has a stock on a block, in which an object has its
 * second version, and a dup the first. It opens a snapshot of the object while another thread frees that, reclaims, and
 * duplicates the dup, which gets the object's slot. The snapshot is of the second version, if there is one.
 */
struct stocked : reclaimed<stocked, 2, 2, 3, 2> {
    uint64_t info, early;

    void before()
    {
        store_.init();
        info = store_.create();
        RL_ASSERT(store_.set(info, 1, 1));
        early = store_.dup(info);
        RL_ASSERT(store_.set(info, 1, 2));

        store_.block_take(store_.blocks);
        store_.stocks = true;
        VAR(store_.arenas[0].shared) = store_.blocks;
        VAR(store_.arenas[0].stock) = 1;
    }

    void thread(unsigned index)
    {
        if (index == 0) {
            entry *snapshot = store_.hold(info);
            if (snapshot) {
                RL_ASSERT(store_.read(snapshot, 1) == 2);
                store_.release(snapshot);
            }
        } else {
            RL_ASSERT(store_.free_object(info));
            store_.reclaim();
            RL_ASSERT(store_.dup(early));
        }
    }
};

/*
 * The check of a handle's generation [P2]: one thread frees an object, reclaims, and creates another, which gets the
 * same slot. A second uses the old handle meanwhile, and a third guesses the new one: any number may be used at any
 * time. Each finds its own object, complete, or none. A reader checks the generation once, before the root, which is
 * enough because slots are reused only after a grace period. A writer checks it under the lock, which a thread that
 * opens a slot does not take.
 */
struct generation : suite<generation, 3, 1, 2, 3> {
    uint64_t info, next;

    void before()
    {
        store_.init(any_reading());
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
                store_.reclaim();
            uint64_t other = store_.create_with(second, 2); /* in another slot, if the first one is in use */
            RL_ASSERT(!store_.get(info, 1, &value));
            RL_ASSERT(store_.get(other, 1, &value) && value == 2);
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
 * Owners [P12]: one thread creates an object, sets it until its pairs are copied, sets it again in the memory of the
 * first block if nobody else has come, frees it, and creates another in its slot. Two threads guess the handle, one of
 * them that of the second object. One may keep what it finds.
 */
struct owner : reclaimed<owner, 3, 1, 2, 5> {
    void before()
    {
        store_.init(rl::rand(2) ? JOINED : FENCED, BY_BYTES, 1);
        store_.owners = true;
    }

    void thread(unsigned index)
    {
        static const uint64_t first = UINT64_C(1) << INDEX_BITS;
        unsigned value = 0;
        if (index == 0) {
            uint64_t info = store_.create_with(store_.block_alloc(), 1);
            RL_ASSERT(info == first);
            RL_ASSERT(store_.set(info, 1, 2));
            RL_ASSERT(store_.set(info, 1, 3));
            RL_ASSERT(store_.get(info, 1, &value) && value == 3);
            RL_ASSERT(store_.free_object(info));
            RL_ASSERT(store_.free_object(store_.create_with(store_.block_alloc(), 4)));
        } else if (index == 1) {
            entry *snapshot = store_.hold(first);
            if (snapshot) {
                RL_ASSERT(store_.read(snapshot, 1) < 4);
                store_.release(snapshot);
            }
        } else {
            RL_ASSERT(!store_.get(2 * first, 1, &value) || value == 4);
        }
    }
};

/*
 * A record, and with it what its thread owns, goes to another thread [P12] [P14]: one creates an object and exits.
 * Another, which may get its record, reads the object, sets it and frees it. A third reads it.
 */
struct record : reclaimed<record, 3, 1, 1, 3> {
    void before()
    {
        store_.init(NEW, BY_BYTES, 1);
        store_.owners = true;
        store_.readers_.selves[0] = store_.readers_.take_record();
    }

    void thread(unsigned index)
    {
        static const uint64_t info = UINT64_C(1) << INDEX_BITS;
        unsigned value = 0;
        if (index == 0) {
            (void)store_.create_with(store_.block_alloc(), 1);
            store_.readers_.exit(0);
        } else if (index == 1) {
            if (store_.get(info, 1, &value)) {
                RL_ASSERT(value == 1 && store_.set(info, 1, 2));
                RL_ASSERT(store_.free_object(info));
            }
        } else {
            RL_ASSERT(!store_.get(info, 1, &value) || value > 0);
        }
    }
};

/* An owner that reads its object: it frees that inside a read section. */
struct inside : reclaimed<inside, 2, 1, 1, 1> {
    void before()
    {
        store_.init(JOINED, BY_BYTES, 1);
        store_.owners = true;
    }

    void thread(unsigned index)
    {
        section in;
        if (index)
            return;
        uint64_t info = store_.create_with(store_.block_alloc(), 1);
        entry *root = store_.read_begin(info, &in);
        RL_ASSERT(store_.free_object(info));
        RL_ASSERT(store_.read(root, 1) == 1);
        store_.readers_.end(in);
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
        {"litmus", 3, model_main<litmus>},
        {"copy", 0, model_main<copy>},
        {"help", 1, model_main<help>},
        {"cleared", 2, model_main<cleared<JOINED>>},
        {"fenced", 1, model_main<cleared<FENCED>>},
        {"number", 1, model_main<number>},
        {"scans", 1, model_main<scans>},
        {"later", 1, model_main<later>},
        {"share", 1, model_main<share>},
        {"dup", 1, model_main<references>},
        {"stocked", 1, model_main<stocked>},
        {"generation", 1, model_main<generation>},
        {"owner", 1, model_main<owner>},
        {"record", 1, model_main<record>},
        {"inside", 1, model_main<inside>},
    };
    for (unsigned i = 0; argc > 1 && i < sizeof models / sizeof *models; i++) {
        if (strcmp(argv[1], models[i].name) == 0)
            return models[i].run(models[i].name, models[i].bound, argc - 1, argv + 1);
    }
    return 2;
}

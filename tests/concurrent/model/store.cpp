/* SPDX-License-Identifier: BSD-3-Clause */
/* The models of the store. usage: model_store MODEL, and the arguments of model_main. */
#include "store.h"

extern "C" {
/* core/calls/object.h */
rcuinfo_status_t rcuinfo__object_reserve(uint32_t slot, const struct rcuinfo__entry *version);
rcuinfo_t rcuinfo__object_reserved(uint32_t slot);
}

/* In the end everything can be reclaimed, and blocks have ended in the memory of the first one. */
template <typename self, rl::thread_id_t threads> struct reclaimed : machine_suite<self, threads> {
    const rcuinfo__block *first; /* 0: not looked at */
    unsigned least, most;        /* so many blocks */

    reclaimed() : first(0), least(1), most(UINT32_MAX)
    {
    }

    void after()
    {
        model_new_thread(false); /* a thread does not withdraw its own help */
        RL_ASSERT(model_reclaim_all());
        RL_ASSERT(!first || (model_age(first) >= least && model_age(first) <= most));
    }
};

/*
 * publish and load [P1], and the finder, of bytes or of places [P9]: two threads set one object, whose block has room
 * for all sets; a third reads. Each version keeps its contents, whatever was appended since: keys that it lacks are
 * absent, and if a place refers to an entry beyond it, the links lead back. Version numbers never decrease. One of the
 * threads may fail after it has written an entry: then the next set copies.
 */
struct publish : machine_suite<publish, 3> {
    rcuinfo_t info;
    bool fails;

    void before()
    {
        fails = rl::rand(2);
        store_begin(JOINED, 4, rl::rand(2));
        info = create();
        RL_ASSERT(set(info, 1, 1));
    }

    void run(unsigned index)
    {
        if (index == 0) {
            RL_ASSERT(set(info, 1, 2));
        } else if (index == 1) {
            RL_ASSERT(fails ? set_in_vain(info, 2, 3) : set(info, 2, 3));
            RL_ASSERT(set(info, 1, 4));
        } else {
            uint64_t last = 0;
            for (int i = 0; i < 2; i++)
                last = read_both(last);
        }
    }

    /* Both keys of one version. A read section does not order its own accesses. */
    uint64_t read_both(uint64_t last)
    {
        rcuinfo_view_t view;
        RL_ASSERT(rcuinfo__view_begin(info, &view) == RCUINFO_SUCCESS);
        uint64_t version = rcuinfo_snapshot_version(view.snapshot);
        RL_ASSERT(version >= last);
        (void)read(view.snapshot, 1);
        (void)read(view.snapshot, 2);
        rcuinfo_view_end(&view);
        return version;
    }

    void after()
    {
        RL_ASSERT(read_both(0) == (fails ? 3U : 4U));
    }
};

/*
 * Two objects [P1] [P2]: one thread changes A and then reads B, another changes B and then reads A. At least one sees
 * the other's change, since the four calls must have one order. A change is a set or a free. The objects have separate
 * locks and stripes, so only the orders of root and generation connect the threads. With release and acquire both could
 * miss.
 */
struct litmus : machine_suite<litmus, 2> {
    rcuinfo_t infos[2];
    bool frees[2];
    bool missed[2];

    void before()
    {
        store_begin(JOINED, 2, false, 2);
        for (int i = 0; i < 2; i++) {
            infos[i] = create();
            RL_ASSERT(set(infos[i], 1, 1));
        }
        unsigned kind = rl::rand(3); /* both set; one sets and one frees; both free */
        frees[0] = kind > 1;
        frees[1] = kind > 0;
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (frees[index])
            RL_ASSERT(free_object(infos[index]));
        else
            RL_ASSERT(set(infos[index], 1, 2));
        bool found = get(infos[1 - index], 1, &value);
        missed[index] = found && value == 1;
    }

    void after()
    {
        RL_ASSERT(!missed[0] || !missed[1]);
    }
};

/* The same for snapshots out of stocks, which load a root without a read section. Each thread has an arena with a
 * reference on the object that it reads. */
struct litmus_stock : machine_suite<litmus_stock, 2> {
    rcuinfo_t infos[2];
    bool missed[2];

    void before()
    {
        store_begin(JOINED, 2, false, 2);
        for (int i = 0; i < 2; i++) {
            infos[i] = create();
            RL_ASSERT(set(infos[i], 1, 1));
        }
        model_stocks = true;
        for (unsigned i = 0; i < 2; i++)
            model_stock(infos[1 - i], i);
    }

    void run(unsigned index)
    {
        RL_ASSERT(set(infos[index], 1, 2));
        const rcuinfo_snapshot_t *snapshot = hold(infos[1 - index]);
        missed[index] = read(snapshot, 1) == 1;
        rcuinfo_snapshot_close(snapshot);
    }

    void after()
    {
        RL_ASSERT(!missed[0] || !missed[1]);
    }
};

/*
 * A full block [P1] [P5] [P6]: one thread sets an object until its pairs are copied into another block, reclaims, and
 * sets it again, in the memory of the first block if that is free. A second thread reads meanwhile; a third opens a
 * snapshot, whose version may end before the block does, reads it later and closes it. No thread sees a block recycled
 * while it reads it, and all reads of a block happen before it is reused.
 */
struct copy : reclaimed<copy, 3> {
    rcuinfo_t info;

    void before()
    {
        store_begin(any_reading());
        info = create();
        RL_ASSERT(set(info, 1, 1));
        first = model_block_of(info);
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            RL_ASSERT(set(info, 2, 2));
            RL_ASSERT(set(info, 1, 3));
            model_reclaim(2);
            RL_ASSERT(set(info, 1, 4));
        } else if (index == 1) {
            RL_ASSERT(get(info, 1, &value) && (value == 1 || value > 2));
        } else {
            const rcuinfo_snapshot_t *snapshot = hold(info);
            for (unsigned key = 1; key <= key_count; key++)
                (void)read(snapshot, key);
            rcuinfo_snapshot_close(snapshot);
        }
    }
};

/*
 * Help [P11]: one thread sets or frees an object and reclaims. A second only scans, so it helps the third, which reads
 * the object, in the record of a thread that has exited. The reader finds the object, and what it reads stays.
 */
struct help : reclaimed<help, 3> {
    rcuinfo_t info;
    bool frees;

    void before()
    {
        store_begin(JOINED, 1, false, 2);
        model_owners = true;
        store_become(rl::rand(3));
        info = create_with(build(1));
        first = model_block_of(info);
        store_become(1);
        store_exit();
        frees = rl::rand(2);
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            if (frees)
                RL_ASSERT(free_object(info));
            else
                RL_ASSERT(set(info, 1, 2));
            model_reclaim(2);
            model_scan();
        } else if (index == 1) {
            model_scan();
        } else {
            RL_ASSERT(get(info, 1, &value) ? value > 0 : frees);
        }
    }
};

/*
 * The slot of a helped reader [P2] [P11]: one thread scans, frees the object, reclaims, so that the slot's root is
 * cleared, and scans again, while the other reads. Help stays until its section has ended.
 */
template <reading how> struct cleared : reclaimed<cleared<how>, 2> {
    rcuinfo_t info;

    void before()
    {
        store_begin(how, 1);
        info = create_with(build(1));
        this->first = model_block_of(info);
        this->most = 1;
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            model_scan();
            RL_ASSERT(free_object(info));
            model_reclaim(2);
            model_scan();
        } else {
            RL_ASSERT(!get(info, 1, &value) || value == 1);
        }
    }
};

/*
 * The number of a scan [P13]: one thread frees an object and reclaims, as far as the scan of a second one allows, which
 * may have begun before. A third, which fences itself, reads the object.
 */
struct number : machine_suite<number, 3> {
    rcuinfo_t info;

    void before()
    {
        store_begin(FENCED, 1);
        info = create_with(build(1));
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            RL_ASSERT(free_object(info));
            model_reclaim(2);
        } else if (index == 1) {
            model_scan();
        } else {
            RL_ASSERT(!get(info, 1, &value) || value == 1);
        }
    }
};

/*
 * Whose scan will do [P13]: one thread frees two objects, and reclaims as far as the scan of a second one allows. A
 * third reads the one freed last.
 */
struct scans : machine_suite<scans, 3> {
    rcuinfo_t infos[2];

    void before()
    {
        store_begin(JOINED, 1, false, 2);
        for (int i = 0; i < 2; i++)
            infos[i] = create_with(build(1));
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            for (int i = 0; i < 2; i++) {
                RL_ASSERT(free_object(infos[i]));
                model_reclaim(1);
            }
        } else if (index == 1) {
            model_scan();
        } else {
            RL_ASSERT(!get(infos[1], 1, &value) || value == 1);
        }
    }
};

/*
 * Which list a scan was for [P13]: when one thread has the result, the arena waits for a later scan, since another
 * thread has reclaimed there meanwhile, and a third reads what that has retired.
 */
struct later : machine_suite<later, 3> {
    rcuinfo_t info;

    void before()
    {
        store_begin(JOINED, 1);
        info = create_with(build(1));
        RL_ASSERT(free_object(create_with(build(1))));
        model_reclaim(1);
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            model_reclaim(1);
        } else if (index == 1) {
            RL_ASSERT(free_object(info));
            model_reclaim(1);
        } else {
            RL_ASSERT(!get(info, 1, &value) || value == 1);
        }
    }
};

/*
 * Two objects in one block [P1] [P6] [P9]: one is a dup of the other, and both are changed. The first may append,
 * unless the block is full; the second copies its version. A third thread reads both: each version keeps its contents,
 * whatever the other object has appended. An object that has copied retires the block, which is recycled only when both
 * objects have dropped it.
 */
struct share : reclaimed<share, 3> {
    rcuinfo_t infos[2];
    bool full;

    void before()
    {
        full = rl::rand(2);
        store_begin(any_reading(), full ? 1 : 2, true);
        infos[0] = create();
        RL_ASSERT(set(infos[0], 1, 1));
        infos[1] = dup(infos[0]);
        first = model_block_of(infos[0]);
        least = most = full;
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            RL_ASSERT(set(infos[0], 1, 2));
        } else if (index == 1) {
            RL_ASSERT(set(infos[1], 1, 3));
            model_reclaim(2);
        } else {
            RL_ASSERT(get(infos[0], 1, &value) && (value == 1 || value == 2));
            RL_ASSERT(get(infos[1], 1, &value) && (value == 1 || value == 3));
        }
    }
};

/*
 * The references of a block [P6]: one thread frees an object and reclaims, so that its block is recycled and reused. A
 * second duplicates the object meanwhile, reads the dup and frees it; a third opens a snapshot, reads it later and
 * closes it. The block stays intact until the last of them has released it, and all reads of it happen before it is
 * reused.
 */
struct references : reclaimed<references, 3> {
    rcuinfo_t info, other;

    void before()
    {
        store_begin();
        model_stocks = rl::rand(2);
        info = create_with(build(1));
        first = model_block_of(info);
        other = create();
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            RL_ASSERT(free_object(info));
            model_reclaim(2);
            RL_ASSERT(set(other, 1, 2));
        } else if (index == 1) {
            rcuinfo_t copy = dup(info);
            if (copy) {
                RL_ASSERT(get(copy, 1, &value) && value == 1);
                RL_ASSERT(free_object(copy));
            }
        } else {
            const rcuinfo_snapshot_t *snapshot = hold(info);
            if (snapshot) {
                RL_ASSERT(read(snapshot, 1) == 1);
                rcuinfo_snapshot_close(snapshot);
            }
        }
    }
};

/*
 * A block that is in use again [P6] [P12]: one thread sets an object inside a view of it, so that its pairs are copied.
 * Another duplicates the object meanwhile, so its reference may come when the block waits already; it reclaims, and
 * sets the dup twice, the second time in the memory of the first block if nobody may read that.
 */
struct again : reclaimed<again, 2> {
    rcuinfo_t info;

    void before()
    {
        store_begin(JOINED, 1);
        model_owners = true;
        info = create_with(build(1));
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            rcuinfo_view_t view;
            RL_ASSERT(rcuinfo__view_begin(info, &view) == RCUINFO_SUCCESS);
            RL_ASSERT(set(info, 1, 2));
            RL_ASSERT(read(view.snapshot, 1) == 1);
            rcuinfo_view_end(&view);
        } else {
            rcuinfo_t copy = dup(info);
            model_reclaim(2);
            RL_ASSERT(set(copy, 1, 3));
            RL_ASSERT(set(copy, 1, 4));
            RL_ASSERT(get(copy, 1, &value) && value == 4);
        }
    }
};

/*
 * A reference out of a stock, without a read section: one thread has a stock on a block, in which an object has its
 * second version, and a dup the first. It opens a snapshot of the object while another thread frees that, reclaims, and
 * duplicates the dup, which gets the object's slot. The snapshot is of the second version, if there is one.
 */
struct stocked : reclaimed<stocked, 2> {
    rcuinfo_t info, early;

    void before()
    {
        store_begin(JOINED, 2, false, 2);
        info = create();
        RL_ASSERT(set(info, 1, 1));
        early = dup(info);
        RL_ASSERT(set(info, 1, 2));

        model_stocks = true;
        model_stock(info, 0);
    }

    void run(unsigned index)
    {
        if (index == 0) {
            const rcuinfo_snapshot_t *snapshot = hold(info);
            if (snapshot) {
                RL_ASSERT(read(snapshot, 1) == 2);
                rcuinfo_snapshot_close(snapshot);
            }
        } else {
            RL_ASSERT(free_object(info));
            model_reclaim(2);
            RL_ASSERT(dup(early));
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
struct generation : machine_suite<generation, 3> {
    rcuinfo_t info, next;
    bool freed; /* and after that the process forked, while a thread with the old handle had the lock */

    void before()
    {
        store_begin(any_reading());
        info = create();
        RL_ASSERT(set(info, 1, 1));
        next = info + generation_step; /* the same slot, one generation on */
        freed = rl::rand(2);
        if (freed) {
            RL_ASSERT(free_object(info));
            model_reclaim(2);
            left_lock = model_lock_of(info);
        }
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            const rcuinfo__entry *second = build(2); /* not in the first one's block */
            RL_ASSERT(freed || free_object(info));
            if (!broken_slot_at_once)
                model_reclaim(2);
            rcuinfo_t other = create_with(second); /* in another slot, if the first one is in use */
            RL_ASSERT(!get(info, 1, &value));
            RL_ASSERT(get(other, 1, &value) && value == 2);
        } else if (index == 1) {
            RL_ASSERT(!get(info, 1, &value) || value == 1 || value == 3);
            if (set(info, 1, 3))
                RL_ASSERT(!get(info, 1, &value) || value == 3);
        } else {
            RL_ASSERT(!get(next, 1, &value) || value == 2);
        }
    }
};

/*
 * Owners [P12]: one thread creates an object, sets it until its pairs are copied, sets it again in the memory of the
 * first block if nobody else has come, frees it, and creates another in its slot. Two threads guess the handle, one of
 * them that of the second object. One may keep what it finds.
 */
struct owner : reclaimed<owner, 3> {
    void before()
    {
        store_begin(rl::rand(2) ? JOINED : FENCED, 1);
        model_owners = true;
    }

    void run(unsigned index)
    {
        unsigned value = 0;
        if (index == 0) {
            rcuinfo_t info = create_with(build(1));
            RL_ASSERT(info == first_handle);
            RL_ASSERT(set(info, 1, 2));
            RL_ASSERT(set(info, 1, 3));
            RL_ASSERT(get(info, 1, &value) && value == 3);
            RL_ASSERT(free_object(info));
            RL_ASSERT(free_object(create_with(build(4))));
        } else if (index == 1) {
            const rcuinfo_snapshot_t *snapshot = hold(first_handle);
            if (snapshot) {
                RL_ASSERT(read(snapshot, 1) < 4);
                rcuinfo_snapshot_close(snapshot);
            }
        } else {
            RL_ASSERT(!get(first_handle + generation_step, 1, &value) || value == 4);
        }
    }
};

/*
 * A record, and with it what its thread owns, goes to another thread [P12] [P14]: one creates an object and exits.
 * Another, which may get its record, reads the object, sets it and frees it. A third reads it.
 */
struct record : reclaimed<record, 3> {
    void before()
    {
        store_begin(NEW, 1);
        model_owners = true;
        model_new_thread(true);
    }

    void run(unsigned index)
    {
        static const rcuinfo_t info = first_handle;
        unsigned value = 0;
        if (index == 0) {
            (void)create_with(build(1));
            model_exit();
        } else if (index == 1) {
            if (get(info, 1, &value)) {
                RL_ASSERT(value == 1 && set(info, 1, 2));
                RL_ASSERT(free_object(info));
            }
        } else {
            RL_ASSERT(!get(info, 1, &value) || value > 0);
        }
    }
};

/*
 * Objects that the first thread creates and all others use: the environment at load [P8], a chunk of slots [P3], and
 * the shared object of rcuinfo_env, which is created from the former and has a reserved slot in the latter. Two threads
 * request and read it, and each also creates its own object. Both get the same shared object, live, read-only and
 * complete; their own objects have separate slots.
 */
struct start : machine_suite<start, 2> {
    static const unsigned env = 1, directory = 7;
    const rcuinfo_snapshot_t *shown[2]; /* the version of the shared object, as each thread saw it */
    rcuinfo_t got[2];                   /* each thread's own object */

    void before()
    {
        store_begin(JOINED, 1);
    }

    /* env.c rcuinfo__env_shared */
    rcuinfo_t env_shared()
    {
        rcuinfo_t info = rcuinfo__object_reserved(env);
        if (info)
            return info;
        const rcuinfo__entry *version = build(static_cast<unsigned>(model_directory() - '0'));
        RL_ASSERT(rcuinfo__object_reserve(env, version) == RCUINFO_SUCCESS);
        return rcuinfo__object_reserved(env);
    }

    void run(unsigned index)
    {
        rcuinfo_view_t view;
        rcuinfo_t shared = env_shared();
        RL_ASSERT(rcuinfo__view_begin(shared, &view) == RCUINFO_SUCCESS);
        shown[index] = view.snapshot;
        RL_ASSERT(read(view.snapshot, 1) == directory);
        rcuinfo_view_end(&view);
        RL_ASSERT(!set(shared, 1, 1));
        got[index] = create();
    }

    void after()
    {
        RL_ASSERT(shown[0] == shown[1]);
        RL_ASSERT(got[0] != got[1]);
    }
};

/* The system calls of env/start.c: only the directory is known. */
extern "C" {

int model_open(const char *path, int flags)
{
    (void)path;
    return flags >= 0 ? 0 : -1;
}

ssize_t model_read(int file, void *to, size_t bytes)
{
    (void)to;
    (void)bytes;
    return file;
}

int model_close(int file)
{
    return file;
}

char *model_getcwd(char *to, size_t bytes)
{
    machine::plain(to, 1, true, 0);
    *to = '0' + start::directory;
    return bytes > 0 ? to : 0;
}

int model_uname(void *system)
{
    return system ? 0 : -1;
}

} // extern "C"

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        unsigned bound;
        int (*run)(const char *name, unsigned bound, int argc, char **argv);
    } models[] = {
        {"publish", 2, model_main<publish>},
        {"litmus", 3, model_main<litmus>},
        {"litmus_stock", 2, model_main<litmus_stock>},
        {"copy", 0, model_main<copy>},
        {"help", 1, model_main<help>},
        {"cleared", 2, model_main<cleared<JOINED>>},
        {"fenced", 1, model_main<cleared<FENCED>>},
        {"number", 1, model_main<number>},
        {"scans", 1, model_main<scans>},
        {"later", 1, model_main<later>},
        {"share", 1, model_main<share>},
        {"dup", 1, model_main<references>},
        {"again", 2, model_main<again>},
        {"stocked", 1, model_main<stocked>},
        {"generation", 1, model_main<generation>},
        {"owner", 1, model_main<owner>},
        {"record", 1, model_main<record>},
        {"start", 2, model_main<start>},
    };
    for (unsigned i = 0; argc > 1 && i < sizeof models / sizeof *models; i++) {
        if (strcmp(argv[1], models[i].name) == 0)
            return models[i].run(models[i].name, models[i].bound, argc - 1, argv + 1);
    }
    return 2;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects that the first thread creates and all others use: the environment at load [P8], a chunk of slots [P3], and
 * the shared object of rcuinfo_env, which is created from the former and has a reserved slot in the latter. Two threads
 * request and read it, and each also creates its own object. Both get the same shared object, live, read-only and
 * complete; their own objects have separate slots. A chunk has two slots here.
 */
#include "model.h"

#define HANDLE_LIVE (UINT64_C(1) << 63)
#define CHUNK_SLOTS 2U
#define CHUNKS      2U
#define RESERVED    2U
#define ENV         1U
#define OURS        7U

/* concurrent/defects.txt says what each breaks. */
static variant chunk_stored("chunk_stored"), started_stored("started_stored"), made_again("made_again"),
    made_unlocked("made_unlocked");

struct started {
    rl::var<unsigned> directory;
};

struct slot {
    rl::atomic<uint64_t> generation;
    rl::atomic<rl::var<unsigned> *> root;
    rl::var<bool> read_only;
    rl::var<unsigned> index;
    rl::mutex lock;
};

struct start : rl::test_suite<start, 2> {
    rl::atomic<started *> captured;    /* [P8] */
    rl::atomic<slot *> chunks[CHUNKS]; /* [P3] */
    rl::atomic<unsigned> used;
    started starts[2];                    /* one for each thread */
    rl::var<unsigned> versions[2];        /* likewise */
    slot memory[2 * CHUNKS][CHUNK_SLOTS]; /* the results of malloc */
    unsigned slabs;
    rl::var<unsigned> *shown[2]; /* the version of the shared object, as each thread saw it */
    unsigned got[2];             /* the slot of each thread's own object */

    void before()
    {
        slabs = 0;
        captured.store(0, memory_order_relaxed);
        for (unsigned i = 0; i < CHUNKS; i++)
            chunks[i].store(0, memory_order_relaxed);
        used.store(RESERVED, memory_order_relaxed);
    }

    /* alloc.c rcuinfo__alloc_slab: zeroed */
    slot *alloc_slab()
    {
        RL_ASSERT(slabs < 2 * CHUNKS);
        slot *chunk = memory[slabs++];
        for (unsigned i = 0; i < CHUNK_SLOTS; i++) {
            chunk[i].generation.store(0, memory_order_relaxed);
            chunk[i].root.store(0, memory_order_relaxed);
            VAR(chunk[i].read_only) = false;
            VAR(chunk[i].index) = 0;
        }
        return chunk;
    }

    /* handle.h rcuinfo__handle_slot */
    slot *handle_slot(unsigned index)
    {
        slot *chunk = chunks[index / CHUNK_SLOTS].load(RCUINFO__CHUNK_LOAD); /* [P3] acquire */
        return chunk ? &chunk[index % CHUNK_SLOTS] : 0;
    }

    /* handle.c rcuinfo__handle_reserved, for a chunk that is missing */
    slot *slot_in_new_chunk(unsigned index)
    {
        slot *chunk = alloc_slab();
        slot *none = 0;
        /* [P3] publish */
        if (chunk_stored)
            chunks[index / CHUNK_SLOTS].exchange(chunk, RCUINFO__CHUNK_PUBLISH);
        else
            chunks[index / CHUNK_SLOTS].compare_exchange_strong(none, chunk, RCUINFO__CHUNK_PUBLISH, RCUINFO__RELAXED);
        return handle_slot(index);
    }

    /* handle.c rcuinfo__handle_reserved */
    slot *handle_reserved(unsigned index)
    {
        slot *one = handle_slot(index);
        return one ? one : slot_in_new_chunk(index);
    }

    /* handle.c first_use_of_slot */
    slot *first_use_of_slot()
    {
        unsigned index = used.load(RCUINFO__RELAXED);
        slot *one;
        do {
            RL_ASSERT(index < CHUNKS * CHUNK_SLOTS);
            one = handle_reserved(index);
        } while (!used.compare_exchange_weak(index, index + 1, RCUINFO__RELAXED, RCUINFO__RELAXED));
        VAR(one->index) = index;
        return one;
    }

    /* handle.c rcuinfo__handle_open */
    void handle_open(slot *one, rl::var<unsigned> *version, bool read_only)
    {
        uint64_t generation = one->generation.load(RCUINFO__RELAXED) + 1;
        VAR(one->read_only) = read_only;
        one->root.store(version, RCUINFO__RELAXED);
        one->generation.store(generation | HANDLE_LIVE, RCUINFO__GENERATION_OPEN);
    }

    /* start.c rcuinfo__start */
    started *start_now(unsigned thread)
    {
        started *one = captured.load(RCUINFO__START_LOAD); /* [P8] acquire */
        if (one)
            return one;
        started *mine = &starts[thread];
        VAR(mine->directory) = OURS; /* read_start */
        /* [P8] publish */
        if (captured.compare_exchange_strong(one, mine, RCUINFO__START_PUBLISH, RCUINFO__START_LOAD))
            return mine;
        VAR(mine->directory) = 0; /* free_start */
        return started_stored ? mine : one;
    }

    /* object.c rcuinfo__object_reserve */
    void object_reserve(unsigned index, rl::var<unsigned> *version)
    {
        slot *one = handle_reserved(index);
        bool lives = made_unlocked && one->generation.load(RCUINFO__RELAXED) & HANDLE_LIVE;
        one->lock.lock(RL_INFO);
        if (!made_unlocked)
            lives = one->generation.load(RCUINFO__RELAXED) & HANDLE_LIVE;
        if (!lives || made_again) {
            VAR(one->index) = index;
            handle_open(one, version, true);
        }
        one->lock.unlock(RL_INFO);
    }

    /* object.c rcuinfo__object_reserved, handle.h rcuinfo__handle_root: its first generation is its last */
    slot *object_reserved(unsigned index)
    {
        slot *one = handle_slot(index);
        return one && one->generation.load(RCUINFO__GENERATION_LOAD) == (1 | HANDLE_LIVE) ? one : 0;
    }

    /* env.c rcuinfo__env_shared */
    slot *env_shared(unsigned thread)
    {
        slot *one = object_reserved(ENV);
        if (one)
            return one;
        VAR(versions[thread]) = VAR(start_now(thread)->directory); /* create_shared */
        object_reserve(ENV, &versions[thread]);
        return object_reserved(ENV);
    }

    void thread(unsigned index)
    {
        slot *shared = env_shared(index);
        RL_ASSERT(shared && VAR(shared->read_only));
        shown[index] = shared->root.load(RCUINFO__ROOT_LOAD);
        RL_ASSERT(VAR((*shown[index])) == OURS);

        slot *own = first_use_of_slot();
        handle_open(own, 0, false);
        got[index] = VAR(own->index);
    }

    void after()
    {
        RL_ASSERT(shown[0] == shown[1]);
        RL_ASSERT(got[0] != got[1]);
    }
};

int main(int argc, char **argv)
{
    return model_main<start>("start", 2, argc, argv);
}

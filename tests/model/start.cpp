/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the first comer makes and all others use: the environment at load [P8], a chunk of slots [P3], and the shared
 * object [P9] that is made of the one and lies in the other. One thread initializes MPI: from then on another object is
 * the shared one, with what is known more, which the thread level [P10] carries. Then it asks for the shared object and
 * reads it, and another thread does so twice meanwhile. For one level both get the same, and find it live, read-only
 * and whole. A chunk has one slot here, so that each object needs one.
 */
#include "model.h"

#define HANDLE_LIVE (UINT64_C(1) << 63)
#define INDEX_BITS  20
#define SLOTS       4U
#define OURS        7U
#define MORE        100U

static variant chunk_stored("chunk_stored");   /* a chunk that another thread has made is replaced */
static variant shared_stored("shared_stored"); /* the same with the shared object */
static variant level_first("level_first");     /* the level is told before what it carries */

struct started {
    rl::var<unsigned> directory;
};

struct slot {
    rl::atomic<uint64_t> generation;
    rl::atomic<unsigned> content; /* stands for the root and the version under it */
    rl::var<bool> read_only;
    rl::var<unsigned> index;
};

struct start : rl::test_suite<start, 2> {
    rl::atomic<started *> captured;   /* [P8] */
    rl::atomic<slot *> chunks[SLOTS]; /* [P3] */
    rl::atomic<unsigned> used;
    rl::atomic<uint64_t> made[2]; /* [P9] */
    rl::atomic<int> asked;        /* [P10] */
    rl::atomic<unsigned> more;
    started starts[2];      /* one for each thread */
    slot memory[2 * SLOTS]; /* what malloc gives */
    unsigned slabs;
    uint64_t got[2][2]; /* of each thread and level */

    void before()
    {
        slabs = 0;
        atomic_store_explicit(&captured, static_cast<started *>(0), memory_order_relaxed);
        for (unsigned i = 0; i < SLOTS; i++)
            atomic_store_explicit(&chunks[i], static_cast<slot *>(0), memory_order_relaxed);
        atomic_store_explicit(&used, 0U, memory_order_relaxed);
        for (unsigned i = 0; i < 2; i++) {
            atomic_store_explicit(&made[i], UINT64_C(0), memory_order_relaxed);
            got[0][i] = got[1][i] = 0;
        }
        atomic_store_explicit(&asked, 0, memory_order_relaxed);
        atomic_store_explicit(&more, 0U, memory_order_relaxed);
    }

    /* alloc.c rcuinfo__alloc_slab: zeroed */
    slot *alloc_slab()
    {
        RL_ASSERT(slabs < 2 * SLOTS);
        slot *one = &memory[slabs++];
        atomic_store_explicit(&one->generation, UINT64_C(0), memory_order_relaxed);
        atomic_store_explicit(&one->content, 0U, memory_order_relaxed);
        VAR(one->read_only) = false;
        VAR(one->index) = 0;
        return one;
    }

    /* handle.h rcuinfo__handle_slot */
    slot *handle_slot(uint64_t index)
    {
        index &= (1U << INDEX_BITS) - 1;
        return atomic_load_explicit(&chunks[index], RCUINFO__CHUNK_CONSUME); /* [P3] consume */
    }

    /* handle.c slot_in_new_chunk */
    slot *slot_in_new_chunk(unsigned index)
    {
        slot *chunk = alloc_slab();
        slot *none = 0;
        /* [P3] publish */
        if (chunk_stored)
            atomic_exchange_explicit(&chunks[index], chunk, RCUINFO__CHUNK_PUBLISH);
        else
            atomic_compare_exchange_strong_explicit(&chunks[index], &none, chunk, RCUINFO__CHUNK_PUBLISH,
                                                    RCUINFO__COUNT);
        return handle_slot(index);
    }

    /* handle.c take_fresh */
    slot *take_fresh()
    {
        unsigned index = atomic_load_explicit(&used, RCUINFO__COUNT);
        slot *one;
        do {
            RL_ASSERT(index < SLOTS);
            one = handle_slot(index);
            if (!one)
                one = slot_in_new_chunk(index);
            RL_ASSERT(one);
        } while (!atomic_compare_exchange_weak_explicit(&used, &index, index + 1, RCUINFO__COUNT, RCUINFO__COUNT));
        VAR(one->index) = index;
        return one;
    }

    /* start.c rcuinfo__start */
    started *start_now(unsigned thread)
    {
        started *one = atomic_load_explicit(&captured, RCUINFO__START_CONSUME); /* [P8] consume */
        if (one)
            return one;
        started *mine = &starts[thread];
        VAR(mine->directory) = OURS; /* capture */
        /* [P8] publish */
        if (atomic_compare_exchange_strong_explicit(&captured, &one, mine, RCUINFO__START_PUBLISH,
                                                    RCUINFO__START_CONSUME))
            return mine;
        VAR(mine->directory) = 0; /* release */
        return one;
    }

    /* shared.c make, and object.c rcuinfo__freeze: here the object is read-only from the first */
    uint64_t make_shared(unsigned thread, int level)
    {
        unsigned content = VAR(start_now(thread)->directory);
        if (level)
            content += atomic_load_explicit(&more, RCUINFO__COUNT);
        slot *one = take_fresh();
        uint64_t generation = atomic_load_explicit(&one->generation, RCUINFO__COUNT) + 1;
        VAR(one->read_only) = true;
        atomic_store_explicit(&one->content, content, RCUINFO__COUNT);
        atomic_store_explicit(&one->generation, generation | HANDLE_LIVE, RCUINFO__GENERATION_PUBLISH);
        return generation << INDEX_BITS | VAR(one->index);
    }

    /* object.c rcuinfo__discard */
    void discard(uint64_t info)
    {
        atomic_store_explicit(&handle_slot(info)->generation, info >> INDEX_BITS, RCUINFO__GENERATION_PUBLISH);
    }

    /* shared.c shared_of */
    uint64_t env_shared(unsigned thread, int level)
    {
        uint64_t info = atomic_load_explicit(&made[level], RCUINFO__SHARED_CONSUME); /* [P9] consume */
        if (info)
            return info;
        uint64_t mine = make_shared(thread, level);
        /* [P9] publish */
        if (shared_stored) {
            atomic_exchange_explicit(&made[level], mine, RCUINFO__SHARED_PUBLISH);
            return mine;
        }
        if (atomic_compare_exchange_strong_explicit(&made[level], &info, mine, RCUINFO__SHARED_PUBLISH,
                                                    RCUINFO__SHARED_CONSUME))
            return mine;
        discard(mine);
        return info;
    }

    /* mpi_handle.c rcuinfo__mpi_env_ask, and shared.c rcuinfo__env_ask */
    void initialized()
    {
        int now = atomic_load_explicit(&asked, RCUINFO__COUNT);
        if (!level_first)
            atomic_store_explicit(&more, MORE, RCUINFO__COUNT);
        /* [P10] publish */
        while (now < 1 &&
               !atomic_compare_exchange_weak_explicit(&asked, &now, 1, RCUINFO__LEVEL_PUBLISH, RCUINFO__COUNT))
            continue;
        if (level_first)
            atomic_store_explicit(&more, MORE, RCUINFO__COUNT);
    }

    void use(unsigned thread)
    {
        int level = atomic_load_explicit(&asked, RCUINFO__LEVEL_CONSUME); /* [P10] consume */
        uint64_t info = env_shared(thread, level);
        slot *one = handle_slot(info);
        RL_ASSERT(one);
        RL_ASSERT(atomic_load_explicit(&one->generation, RCUINFO__GENERATION_CONSUME) ==
                  (info >> INDEX_BITS | HANDLE_LIVE));
        RL_ASSERT(VAR(one->read_only));
        RL_ASSERT(atomic_load_explicit(&one->content, RCUINFO__ROOT_CONSUME) == (level ? OURS + MORE : OURS));
        RL_ASSERT(!got[thread][level] || got[thread][level] == info);
        got[thread][level] = info;
    }

    void thread(unsigned index)
    {
        if (index == 0)
            initialized();
        else
            use(index);
        use(index);
    }

    void after()
    {
        for (unsigned level = 0; level < 2; level++)
            RL_ASSERT(!got[0][level] || !got[1][level] || got[0][level] == got[1][level]);
    }
};

int main(int argc, char **argv)
{
    return model_main<start>("model.start", 2, argc, argv);
}

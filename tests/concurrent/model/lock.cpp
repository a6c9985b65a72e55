/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lock of a slot or an arena [P7]. Three threads take and release it, spinning at most once before they sleep in
 * the kernel until they are woken; the last one only tries. The sleep of the first waiter is short, but so long that
 * all stores have reached memory, which a fence in each thread models. The lock is exclusive, and no thread sleeps for
 * ever. The word is free at first, or as the parent of this process left it: another epoch, free or held, with sleepers
 * that this process does not have. If it was held, the holder may have been in the middle of a change. The first thread
 * that takes the lock learns that, and no other one.
 */
#include "model.h"

#define LOCK_HELD  UINT32_C(1)
#define LOCK_EPOCH UINT32_C(2)

/* concurrent/defects.txt says what each breaks. */
static variant no_epoch("no_epoch"), no_sleepers("no_sleepers"), no_wake("no_wake"), no_short("no_short"),
    no_check("no_check"), untold("untold"), try_left("try_left"), told_late("told_late");

/* The kernel checks the word and puts the thread to sleep in one step, which a wake does not interrupt. */
struct futex {
    rl::mutex bucket;
    rl::condition_variable_any sleepers;

    void wait(rl::atomic<uint32_t> *word, uint32_t expected)
    {
        bucket.lock(RL_INFO);
        if (no_check || word->load(memory_order_relaxed) == expected)
            sleepers.wait(bucket, RL_INFO);
        bucket.unlock(RL_INFO);
    }

    void wake()
    {
        bucket.lock(RL_INFO);
        sleepers.notify_one(RL_INFO);
        bucket.unlock(RL_INFO);
    }
};

struct lock : rl::test_suite<lock, 3> {
    rl::atomic<uint32_t> free_word;
    rl::atomic<uint32_t> word; /* [P7] */
    rl::atomic<uint32_t> asleep;
    futex kernel;
    rl::var<unsigned> entered;
    rl::var<bool> half_done;
    bool tries;
    unsigned expected;

    void before()
    {
        static const uint32_t words[] = {LOCK_EPOCH, 0, LOCK_HELD};
        uint32_t found = words[rl::rand(3)];
        free_word.store(LOCK_EPOCH, memory_order_relaxed);
        word.store(found, memory_order_relaxed);
        asleep.store(rl::rand(2) ? LOCK_HELD : 0, memory_order_relaxed);
        VAR(entered) = 0;
        tries = rl::rand(2);
        expected = 3;
        VAR(half_done) = found & LOCK_HELD;
    }

    bool is_held(uint32_t seen, uint32_t free)
    {
        return seen & LOCK_HELD && (no_epoch || (seen & ~(LOCK_EPOCH - 1)) == free);
    }

    bool was_left(uint32_t seen, uint32_t free)
    {
        return seen & LOCK_HELD && !is_held(seen, free);
    }

    /* lock.c rcuinfo__lock_wait */
    bool wait()
    {
        uint32_t free = free_word.load(RCUINFO__RELAXED);
        uint32_t first = word.load(RCUINFO__RELAXED);
        uint32_t seen;
        if (try_to_take(free, &seen))
            return !untold && was_left(seen, free);
        for (;;) {
            uint32_t before = asleep.exchange(free | LOCK_HELD, RCUINFO__LOCK_TAKE);
            if (try_to_take(free, &seen))
                break;
            if (before == (free | LOCK_HELD) || no_short)
                kernel.wait(&asleep, free | LOCK_HELD);
            else
                membarrier<3>();
        }
        if (no_sleepers)
            asleep.store(0, RCUINFO__RELAXED);
        return was_left(told_late ? first : seen, free);
    }

    /* lock.c try_to_take */
    bool try_to_take(uint32_t free, uint32_t *seen)
    {
        *seen = word.load(RCUINFO__RELAXED);
        return !is_held(*seen, free) && word.compare_exchange_strong(*seen, free | LOCK_HELD, RCUINFO__LOCK_TAKE,
                                                                     RCUINFO__RELAXED); /* [P7] acquire */
    }

    /* lock.h rcuinfo__lock_take */
    bool take()
    {
        uint32_t seen = free_word.load(RCUINFO__RELAXED);
        return !word.compare_exchange_strong(seen, seen | LOCK_HELD, RCUINFO__LOCK_TAKE,
                                             RCUINFO__RELAXED) /* [P7] acquire */
               && wait();
    }

    /* lock.h rcuinfo__lock_try */
    bool try_take()
    {
        uint32_t free = free_word.load(RCUINFO__RELAXED);
        uint32_t seen = try_left ? word.load(RCUINFO__RELAXED) : free;
        bool is_taken;
        do
            is_taken = !is_held(seen, free) &&
                       word.compare_exchange_strong(seen, free | LOCK_HELD, RCUINFO__LOCK_TAKE, RCUINFO__RELAXED);
        while (!is_taken && !(seen & LOCK_HELD));
        return is_taken;
    }

    /* lock.h rcuinfo__lock_give */
    void give()
    {
        uint32_t free = free_word.load(RCUINFO__RELAXED);
        word.store(free, RCUINFO__LOCK_GIVE); /* [P7] publish */
        if (asleep.load(RCUINFO__RELAXED) == (free | LOCK_HELD) && !no_wake) {
            asleep.store(0, RCUINFO__RELAXED);
            kernel.wake();
        }
    }

    void thread(unsigned index)
    {
        bool told = false;
        if (index == 2 && tries) {
            if (!try_take()) {
                expected--;
                return;
            }
        } else {
            told = take();
        }
        RL_ASSERT(told == VAR(half_done));
        VAR(half_done) = false;
        VAR(entered) = VAR(entered) + 1;
        give();
    }

    void after()
    {
        RL_ASSERT(VAR(entered) == expected);
    }
};

int main(int argc, char **argv)
{
    return model_main<lock>("lock", 2, argc, argv);
}

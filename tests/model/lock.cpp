/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lock of a slot [P7]: three threads take and give it, spinning at most once before they sleep in the kernel. Each
 * is alone with what it protects, and nobody sleeps for ever. At first the word is free, or is what the parent of this
 * process left: another epoch, free or held, with sleepers that this process does not have.
 */
#include "model.h"

#define LOCK_HELD     UINT32_C(1)
#define LOCK_SLEEPERS UINT32_C(2)
#define LOCK_EPOCH    UINT32_C(4)

static variant no_epoch("no_epoch");       /* what the parent's threads held stays held */
static variant no_sleepers("no_sleepers"); /* who has slept takes the lock as one on which nobody sleeps */
static variant no_wake("no_wake");         /* sleepers are left asleep */
static variant no_check("no_check");       /* the kernel does not look at the word again */

/* The kernel's part: it looks at the word and puts the thread to sleep in one step, which a wake does not interrupt. */
class futex
{
  public:
    void wait(rl::atomic<uint32_t> *word, uint32_t expected)
    {
        bucket.lock(RL_INFO);
        if (no_check || atomic_load_explicit(word, memory_order_relaxed) == expected)
            sleepers.wait(bucket, RL_INFO);
        bucket.unlock(RL_INFO);
    }

    void wake()
    {
        bucket.lock(RL_INFO);
        sleepers.notify_one(RL_INFO);
        bucket.unlock(RL_INFO);
    }

  private:
    rl::mutex bucket;
    rl::condition_variable_any sleepers;
};

struct lock : rl::test_suite<lock, 3> {
    rl::atomic<uint32_t> free_word;
    rl::atomic<uint32_t> word; /* [P7] */
    futex kernel;
    rl::var<unsigned> entered;

    void before()
    {
        static const uint32_t found[] = {LOCK_EPOCH, 0, LOCK_HELD, LOCK_HELD | LOCK_SLEEPERS};
        atomic_store_explicit(&free_word, LOCK_EPOCH, memory_order_relaxed);
        atomic_store_explicit(&word, found[rl::rand(4)], memory_order_relaxed);
        VAR(entered) = 0;
    }

    bool is_held(uint32_t seen, uint32_t free)
    {
        return seen & LOCK_HELD && (no_epoch || (seen & ~(LOCK_EPOCH - 1)) == free);
    }

    /* lock.c rcuinfo__lock_wait */
    void wait()
    {
        uint32_t free = atomic_load_explicit(&free_word, RCUINFO__COUNT);
        uint32_t asleep = free | LOCK_HELD | (no_sleepers ? 0 : LOCK_SLEEPERS);
        uint32_t seen = atomic_load_explicit(&word, RCUINFO__COUNT);
        if (!is_held(seen, free) &&
            atomic_compare_exchange_strong_explicit(&word, &seen, free | LOCK_HELD, RCUINFO__LOCK_TAKE, RCUINFO__COUNT))
            return;                                                                        /* [P7] consume */
        while (is_held(atomic_exchange_explicit(&word, asleep, RCUINFO__LOCK_TAKE), free)) /* [P7] consume */
            kernel.wait(&word, asleep);
    }

    /* lock.h rcuinfo__lock_take */
    void take()
    {
        uint32_t seen = atomic_load_explicit(&free_word, RCUINFO__COUNT);
        if (!atomic_compare_exchange_strong_explicit(&word, &seen, seen | LOCK_HELD, RCUINFO__LOCK_TAKE,
                                                     RCUINFO__COUNT)) /* [P7] consume */
            wait();
    }

    /* lock.h rcuinfo__lock_give */
    void give()
    {
        uint32_t free = atomic_load_explicit(&free_word, RCUINFO__COUNT);
        /* [P7] publish */
        if (atomic_exchange_explicit(&word, free, RCUINFO__LOCK_GIVE) & LOCK_SLEEPERS && !no_wake)
            kernel.wake();
    }

    void thread(unsigned)
    {
        take();
        VAR(entered) = VAR(entered) + 1;
        give();
    }

    void after()
    {
        RL_ASSERT(VAR(entered) == 3);
    }
};

int main(int argc, char **argv)
{
    return model_main<lock>("model.lock", 2, argc, argv);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lock of a slot or an arena [P7], core/lock.[ch]. Three threads take and release it, polling once before they
 * sleep in the kernel until they are woken; the last one only tries. The sleep of the first waiter is short, but so
 * long that all stores have reached memory, which a fence in each thread models. The lock is exclusive, and no thread
 * sleeps for ever. The word is free at first, or as the parent of this process left it: another epoch, free or held,
 * with sleepers that this process does not have. If it was held, the holder may have been in the middle of a change.
 * The first thread that takes the lock learns that, and no other one.
 */
#include "model.h"

extern "C" {
struct rcuinfo__lock {
    uint32_t word;
    uint32_t asleep;
};
extern uint32_t rcuinfo__lock_free;
bool rcuinfo__lock_take(rcuinfo__lock *lock);
bool rcuinfo__lock_try(rcuinfo__lock *lock);
void rcuinfo__lock_give(rcuinfo__lock *lock);
}

static const uint32_t held = 1, epoch = 2;
static const long short_sleep = 1000000;

struct lock : machine_suite<lock, 3> {
    rcuinfo__lock *word;
    rl::mutex bucket;
    rl::condition_variable_any sleepers;
    rl::var<unsigned> entered;
    rl::var<bool> half_done;
    bool tries;
    unsigned expected;
    static lock *now;

    void before()
    {
        static const uint32_t words[] = {epoch, 0, held};
        void *to_free;
        now = this;
        word = static_cast<rcuinfo__lock *>(rcuinfo__alloc_slab(sizeof *word, &to_free));
        rcuinfo__lock_free = epoch;
        word->word = words[rl::rand(3)];
        word->asleep = rl::rand(2) ? held : 0;
        VAR(entered) = 0;
        VAR(half_done) = word->word & held;
        tries = rl::rand(2);
        expected = 3;
    }

    void run(unsigned index)
    {
        bool told = false;
        if (index == 2 && tries) {
            if (!rcuinfo__lock_try(word)) {
                expected--;
                return;
            }
        } else {
            told = rcuinfo__lock_take(word);
        }
        RL_ASSERT(told == VAR(half_done));
        VAR(half_done) = false;
        VAR(entered) = VAR(entered) + 1;
        rcuinfo__lock_give(word);
    }

    void after()
    {
        RL_ASSERT(VAR(entered) == expected);
    }

    /* The kernel checks the word and puts the thread to sleep in one step, which a wake does not interrupt. */
    void wait(const uint32_t *asleep, uint32_t value)
    {
        bucket.lock(RL_INFO);
        if (broken_no_check || machine::load(asleep, rl::mo_relaxed, 0) == value)
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

lock *lock::now;

/* futex(2) */
extern "C" long model_syscall(long number, uint32_t *word, int operation, uint32_t value, const long *timeout)
{
    RL_ASSERT(number == SYS_futex);
    if (operation == FUTEX_WAKE_PRIVATE)
        lock::now->wake();
    else if (timeout[1] == short_sleep)
        machine::barrier();
    else
        lock::now->wait(word, value);
    return 0;
}

int main(int argc, char **argv)
{
    return model_main<lock>("lock", 2, argc, argv);
}

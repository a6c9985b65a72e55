/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mutex of a slot [P7]: made by the first of three threads that lock it in this fork epoch. Before, it was never
 * made, or was left by the parent of this process, locked or half made. Each thread locks the one mutex, made once, and
 * is alone with what it protects.
 */
#include "model.h"

#define EPOCH_BUSY (UINT32_C(1) << 31)

static variant no_busy("no_busy"); /* whoever finds an old mutex makes a new one */

struct epoch : rl::test_suite<epoch, 3> {
    rl::atomic<uint32_t> now;
    rl::atomic<uint32_t> slot_epoch; /* [P7] */
    rl::var<unsigned> made;          /* the content of the mutex: the epoch in which it was made */
    rl::mutex mutex;
    rl::var<unsigned> entered;

    void before()
    {
        static const uint32_t found[] = {0, 1, 1 | EPOCH_BUSY};
        atomic_store_explicit(&now, UINT32_C(2), memory_order_relaxed);
        atomic_store_explicit(&slot_epoch, found[rl::rand(3)], memory_order_relaxed);
        VAR(made) = 0;
        VAR(entered) = 0;
    }

    /* handle.c mutex_renew */
    void mutex_renew()
    {
        uint32_t current = atomic_load_explicit(&now, RCUINFO__COUNT);
        uint32_t seen = atomic_load_explicit(&slot_epoch, RCUINFO__EPOCH_CONSUME); /* [P7] consume */
        while (seen != current) {
            if (seen == (current | EPOCH_BUSY)) {
                rl::yield(1, RL_INFO);
                seen = atomic_load_explicit(&slot_epoch, RCUINFO__EPOCH_CONSUME);
            } else if (no_busy ||
                       atomic_compare_exchange_weak_explicit(&slot_epoch, &seen, current | EPOCH_BUSY,
                                                             RCUINFO__EPOCH_CONSUME, RCUINFO__EPOCH_CONSUME)) {
                VAR(made) = current;
                atomic_store_explicit(&slot_epoch, current, RCUINFO__EPOCH_PUBLISH); /* [P7] publish */
                return;
            }
        }
    }

    /* handle.c rcuinfo__handle_lock */
    void handle_lock()
    {
        if (atomic_load_explicit(&slot_epoch, RCUINFO__EPOCH_CONSUME) != atomic_load_explicit(&now, RCUINFO__COUNT))
            mutex_renew();
        RL_ASSERT(VAR(made) == 2);
        mutex.lock(RL_INFO);
    }

    void thread(unsigned)
    {
        handle_lock();
        VAR(entered) = VAR(entered) + 1;
        mutex.unlock(RL_INFO);
    }

    void after()
    {
        RL_ASSERT(VAR(entered) == 3);
    }
};

int main(int argc, char **argv)
{
    return model_main<epoch>("model.epoch", 2, argc, argv);
}

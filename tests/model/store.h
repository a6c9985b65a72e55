/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store: lib/core in small, step by step: cells (cell.c), slots and handles (handle.[ch]), the queue of retired records
 * (reclaim.c), and the calls (read.c, write.c, object.c). A snapshot is a version number and a value; the value is its
 * object's tag, so that a reader can tell whose it was.
 *
 * Left out: chunks, which have a model of their own, and the inside of a slot's lock, likewise; the list of free slots
 * that do not fit the ring; bytes that are counted ahead; the adapting of the soft limit.
 *
 * Callers owe: init in before(), threads numbered from 0; a suite has at most `cell_count` cells and `slot_count`
 * objects at a time.
 */
#ifndef TESTS_MODEL_STORE_H
#define TESTS_MODEL_STORE_H

#include "model.h"

static variant no_grace_period("no_grace_period"); /* recycled as soon as detached */
static variant detach_late("detach_late");         /* what is pushed during a grace period is taken for passed */
static variant slot_at_once("slot_at_once");       /* a freed slot goes back to the queue without a grace period */
static variant generation_missing("generation_missing"); /* a handle's generation is not looked at */
static variant root_first("root_first");                 /* it is looked at after the root was loaded, and not before */
static variant newest_first("newest_first");             /* what stays with a slot goes before its queued record */
static variant take_outside("take_outside");             /* dup adds its reference after the read section */
static variant owner_twice("owner_twice");         /* a shared cell's owner goes at retiring, and again at the drop */
static variant owner_kept("owner_kept");           /* it does not go at all */
static variant no_trylock("no_trylock");           /* threads reclaim beside each other */
static variant bytes_late("bytes_late");           /* a batch's bytes are read after its records were taken */
static variant bytes_first("bytes_first");         /* a record's bytes are added before it is pushed */
static variant wait_inside("wait_inside");         /* not even one that is in a read section spares itself the wait */
static variant no_hard_limit("no_hard_limit");     /* nobody waits for the one who reclaims */
static variant gather_late("gather_late");         /* what stays with a slot is taken after the grace period */
static variant gather_unlocked("gather_unlocked"); /* it is taken without the lock of the slot */

#define HANDLE_LIVE (UINT64_C(1) << 63)
#define INDEX_BITS  20
#define CELL_HOLD   (UINT64_C(1) << 32 | 1)
#define POISON      9999U

struct cell;
struct slot;

struct record {
    rl::var<record *> next;
    rl::var<cell *> drop;
    rl::var<bool> both;
    slot *home;   /* the object's */
    bool of_slot; /* it is the slot's own */
    size_t bytes; /* that wait because of it */
};

struct cell {
    rl::atomic<uint64_t> holders; /* [P6] */
    record rec;
    rl::var<unsigned> version;
    rl::var<unsigned> value;
    unsigned age;
};

struct slot {
    rl::atomic<uint64_t> generation; /* [P2] */
    rl::atomic<cell *> root;         /* [P1] */
    record rec;
    rl::var<bool> read_only;
    rl::mutex lock;
    rl::var<bool> queued;
    rl::var<record *> more;
    rl::var<cell *> stash;
    unsigned index;
};

/* In bytes: what a record, a cell and a slot count for. */
static const size_t record_bytes = 1;
static const size_t cell_bytes = 4;
static const size_t slot_bytes = 2;

template <rl::thread_id_t threads, unsigned stripe_count> class store
{
  public:
    static const unsigned cell_count = 8;
    static const unsigned slot_count = 5;

    rcu_domain<threads> rcu;
    cell cell_empty;
    size_t soft_limit;
    size_t hard_limit;
    size_t waiting_now;  /* bytes retired and not recycled, exactly */
    size_t waiting_most; /* the most that they were */

    void init(size_t soft = SIZE_MAX, size_t hard = SIZE_MAX)
    {
        rcu.init();
        atomic_store_explicit(&cell_empty.holders, CELL_HOLD, memory_order_relaxed);
        VAR(cell_empty.version) = 0;
        VAR(cell_empty.value) = 0;
        cell_empty.age = 0;
        cells_used = 0;
        for (unsigned i = 0; i < slot_count; i++) {
            atomic_store_explicit(&slots[i].generation, UINT64_C(0), memory_order_relaxed);
            atomic_store_explicit(&slots[i].root, static_cast<cell *>(0), memory_order_relaxed);
            VAR(slots[i].rec.both) = false;
            VAR(slots[i].queued) = false;
            VAR(slots[i].more) = static_cast<record *>(0);
            VAR(slots[i].stash) = static_cast<cell *>(0);
            slots[i].rec.home = &slots[i];
            slots[i].rec.of_slot = true;
            slots[i].index = i;
        }
        atomic_store_explicit(&used, 0U, memory_order_relaxed);
        pool.init();
        queue.init();
        for (unsigned i = 0; i < stripe_count; i++) {
            stripes[i].records.init();
            atomic_store_explicit(&stripes[i].bytes, static_cast<size_t>(0), memory_order_relaxed);
        }
        atomic_store_explicit(&closed, static_cast<size_t>(0), memory_order_relaxed);
        atomic_store_explicit(&reclaimed, static_cast<size_t>(0), memory_order_relaxed);
        VAR(detached) = 0;
        soft_limit = soft;
        hard_limit = hard;
        waiting_now = 0;
        waiting_most = 0;
    }

    /* cell.c rcuinfo__cell_alloc; malloc gives each cell once. */
    cell *cell_alloc()
    {
        cell *one;
        if (!pool.dequeue_spmc(&one)) { /* [P5] consume */
            RL_ASSERT(cells_used < cell_count);
            one = &cells[cells_used++];
            one->rec.of_slot = false;
            one->age = 0;
        }
        atomic_store_explicit(&one->holders, CELL_HOLD, RCUINFO__COUNT);
        return one;
    }

    /* cell.h rcuinfo__cell_take */
    void cell_take(cell *one)
    {
        if (one != &cell_empty)
            atomic_fetch_add_explicit(&one->holders, CELL_HOLD, RCUINFO__REFS_TAKE);
    }

    /* handle.h rcuinfo__handle_matches */
    bool handle_matches(slot *one, uint64_t info)
    {
        uint64_t wanted = info >> INDEX_BITS | HANDLE_LIVE;
        return atomic_load_explicit(&one->generation, RCUINFO__GENERATION_CONSUME) == wanted; /* [P2] consume */
    }

    slot *handle_slot(uint64_t info)
    {
        return &slots[info & ((1U << INDEX_BITS) - 1)];
    }

    /* handle.h rcuinfo__handle_root */
    cell *handle_root(uint64_t info)
    {
        slot *one = handle_slot(info);
        if (root_first) {
            cell *root = atomic_load_explicit(&one->root, RCUINFO__ROOT_CONSUME);
            return handle_matches(one, info) ? root : 0;
        }
        if (!generation_missing && !handle_matches(one, info))
            return 0;
        return atomic_load_explicit(&one->root, RCUINFO__ROOT_CONSUME); /* [P1] consume */
    }

    /* handle.c rcuinfo__handle_take */
    slot *handle_take()
    {
        slot *one;
        if (queue.dequeue_spmc(&one)) /* take_used. [P5] consume */
            return one;
        unsigned index = atomic_load_explicit(&used, RCUINFO__COUNT); /* take_fresh */
        do {
            RL_ASSERT(index < slot_count);
        } while (!atomic_compare_exchange_weak_explicit(&used, &index, index + 1, RCUINFO__COUNT, RCUINFO__COUNT));
        return &slots[index];
    }

    /* handle.c rcuinfo__handle_open */
    uint64_t handle_open(slot *one, cell *root, bool read_only)
    {
        uint64_t generation = atomic_load_explicit(&one->generation, RCUINFO__COUNT) + 1;
        VAR(one->read_only) = read_only;
        atomic_store_explicit(&one->root, root, RCUINFO__COUNT);
        /* [P2] publish */
        atomic_store_explicit(&one->generation, generation | HANDLE_LIVE, RCUINFO__GENERATION_PUBLISH);
        return generation << INDEX_BITS | one->index;
    }

    /* object.c rcuinfo_create */
    uint64_t create()
    {
        return handle_open(handle_take(), &cell_empty, false);
    }

    /* An object with a version of its own, as a dup makes it of one that its caller has just set. */
    uint64_t create_with(cell *one, unsigned value)
    {
        VAR(one->version) = 1;
        VAR(one->value) = value;
        return handle_open(handle_take(), one, false);
    }

    /* read.c rcuinfo__get: whether there is such an object; *value is checked by the caller, who knows what may stand
     * there. */
    bool get(uint64_t info, unsigned *value)
    {
        rcu.read_lock();
        cell *root = handle_root(info);
        if (root)
            *value = cell_read(root);
        rcu.read_unlock();
        return root != 0;
    }

    /* What a reader does inside its read section, or with an open snapshot. Others may run first: for Relacy an access
     * to an rl::var is one step with what came before it. */
    unsigned cell_read(cell *one)
    {
        unsigned age = one->age;
        rl::ctx().sched();
        unsigned value = VAR(one->value);
        RL_ASSERT(value != POISON);
        RL_ASSERT(one->age == age);
        return value;
    }

    /* How often the n-th cell that malloc gave was taken out of use. */
    unsigned cell_age(unsigned n)
    {
        return cells[n].age;
    }

    /* read.c rcuinfo__read_hold */
    cell *read_hold(uint64_t info)
    {
        rcu.read_lock();
        cell *root = handle_root(info);
        if (take_outside)
            rcu.read_unlock();
        if (root)
            cell_take(root);
        if (!take_outside)
            rcu.read_unlock();
        return root;
    }

    /* read.c rcuinfo__read_release */
    void read_release(cell *one)
    {
        size_t waiting = cell_close(one);
        if (waiting)
            atomic_fetch_add_explicit(&closed, waiting, RCUINFO__COUNT); /* reclaim.c rcuinfo__reclaim_count */
    }

    /* write.c commit, of a set */
    bool set(uint64_t info, unsigned value)
    {
        slot *one = handle_slot(info);
        bool balance = false;
        one->lock.lock(RL_INFO);
        cell *room = VAR(one->stash);
        if (!room) {
            one->lock.unlock(RL_INFO);
            room = cell_alloc(); /* room_make */
            one->lock.lock(RL_INFO);
        } else { /* cell.h rcuinfo__cell_unstash */
            VAR(one->stash) = VAR(room->rec.drop);
            atomic_store_explicit(&room->holders, CELL_HOLD, RCUINFO__COUNT);
        }
        bool done = handle_matches(one, info);
        if (done) {
            cell *old = atomic_load_explicit(&one->root, RCUINFO__ROOT_CONSUME); /* attempt. [P1] consume */
            VAR(room->version) = VAR(old->version) + 1;
            VAR(room->value) = value;
            balance = publish(one, room);
        }
        one->lock.unlock(RL_INFO);
        if (balance)
            reclaim_balance();
        return done;
    }

    /* object.c rcuinfo_dup; 0: there is no such object */
    uint64_t dup(uint64_t info)
    {
        cell *one = read_hold(info);
        return one ? handle_open(handle_take(), one, false) : 0;
    }

    /* object.c end_object */
    bool free_object(uint64_t info)
    {
        slot *one = handle_slot(info);
        bool balance = false;
        if (!handle_matches(one, info))
            return false;
        one->lock.lock(RL_INFO);
        bool may = handle_matches(one, info);
        if (may) {
            handle_close(one);
            cell *root = atomic_load_explicit(&one->root, RCUINFO__ROOT_CONSUME);
            VAR(one->rec.drop) = static_cast<cell *>(0);
            size_t bytes = root == &cell_empty ? 0 : cell_retire(root, &one->rec);
            if (slot_at_once)
                handle_give(one);
            else
                balance = reclaim_retire(one, &one->rec, bytes + slot_bytes);
        }
        one->lock.unlock(RL_INFO);
        if (balance)
            reclaim_balance();
        return may;
    }

    /* reclaim.c rcuinfo__reclaim_waiting */
    size_t reclaim_waiting()
    {
        size_t before;
        size_t bytes;
        do {
            before = atomic_load_explicit(&reclaimed, RCUINFO__DONE_CONSUME);
            bytes = atomic_load_explicit(&closed, RCUINFO__DONE_CONSUME);
            for (unsigned i = 0; i < stripe_count; i++)
                bytes += atomic_load_explicit(&stripes[i].bytes, RCUINFO__DONE_CONSUME);
        } while (before != atomic_load_explicit(&reclaimed, RCUINFO__COUNT));
        RL_ASSERT(bytes >= before);
        return bytes - before;
    }

    /* reclaim.c rcuinfo__reclaim_flush */
    void reclaim_flush()
    {
        reclaim_guarded(0, true);
    }

  private:
    cell cells[cell_count];
    unsigned cells_used;
    slot slots[slot_count];
    rl::atomic<unsigned> used;
    ck_ring<cell> pool;
    ck_ring<slot> queue;
    rl::mutex queue_lock;
    struct stripe {
        ck_stack<record> records; /* [P4] */
        rl::atomic<size_t> bytes;
    } stripes[stripe_count];
    rl::atomic<size_t> closed;
    rl::atomic<size_t> reclaimed;
    rl::mutex lock;
    rl::var<size_t> detached;

    /* write.c publish */
    bool publish(slot *one, cell *fresh)
    {
        /* [P1] publish */
        cell *old = atomic_exchange_explicit(&one->root, fresh, RCUINFO__ROOT_PUBLISH);
        if (old == &cell_empty)
            return false;
        VAR(fresh->rec.drop) = old;
        size_t bytes = cell_retire(old, &fresh->rec);
        return reclaim_retire(one, &fresh->rec, bytes);
    }

    /* cell.c rcuinfo__cell_retire */
    size_t cell_retire(cell *one, record *rec)
    {
        bool both = atomic_load_explicit(&one->holders, RCUINFO__COUNT) == CELL_HOLD;
        VAR(rec->both) = both || owner_twice;
        if (both)
            return cell_bytes;
        if (owner_kept)
            return 0;
        uint64_t before = atomic_fetch_sub_explicit(&one->holders, UINT64_C(1) << 32, RCUINFO__COUNT);
        RL_ASSERT(before >> 32);
        return before >> 32 == 1 ? cell_bytes : 0;
    }

    /* cell.c drop */
    bool drop(cell *one, bool both, uint64_t *owners)
    {
        uint64_t less = both ? CELL_HOLD : 1;
        uint64_t left = 0;
        /* [P6] publish, consume */
        if (!both || atomic_load_explicit(&one->holders, RCUINFO__REFS_SOLE) != CELL_HOLD)
            left = atomic_fetch_sub_explicit(&one->holders, less, RCUINFO__REFS_DROP) - less;
        *owners = left >> 32;
        RL_ASSERT(*owners <= static_cast<uint32_t>(left));
        if (static_cast<uint32_t>(left))
            return false;
        one->age++;
        VAR(one->version) = POISON;
        VAR(one->value) = POISON;
        return true;
    }

    /* cell.c rcuinfo__cell_close. A cell that goes back to malloc is not given out again here. */
    size_t cell_close(cell *one)
    {
        uint64_t owners;
        if (one == &cell_empty || drop(one, true, &owners))
            return 0;
        return owners ? 0 : cell_bytes;
    }

    /* cell.c rcuinfo__cell_drop */
    bool cell_drop(cell *one, bool both)
    {
        uint64_t owners;
        return one != &cell_empty && drop(one, both, &owners);
    }

    /* handle.c rcuinfo__handle_close */
    void handle_close(slot *one)
    {
        uint64_t generation = atomic_load_explicit(&one->generation, RCUINFO__COUNT);
        RL_ASSERT(generation & HANDLE_LIVE);
        /* [P2] publish */
        atomic_store_explicit(&one->generation, generation & ~HANDLE_LIVE, RCUINFO__GENERATION_PUBLISH);
    }

    /* handle.c rcuinfo__handle_clear */
    cell *handle_clear(slot *one)
    {
        cell *root = atomic_load_explicit(&one->root, RCUINFO__COUNT);
        atomic_store_explicit(&one->root, static_cast<cell *>(0), RCUINFO__COUNT);
        return root;
    }

    /* handle.c rcuinfo__handle_give */
    void handle_give(slot *one)
    {
        queue_lock.lock(RL_INFO);
        queue.enqueue_spmc(one); /* [P5] publish */
        queue_lock.unlock(RL_INFO);
    }

    /* reclaim.c rcuinfo__reclaim_retire; here every record is a step between looks at the limits */
    bool reclaim_retire(slot *home, record *rec, size_t bytes)
    {
        stripe *mine = &stripes[home->index % stripe_count];
        bytes += record_bytes;
        rec->home = home;
        rec->bytes = bytes;
        waiting_now += bytes;
        waiting_most = waiting_now > waiting_most ? waiting_now : waiting_most;
        if (VAR(home->queued) && !rec->of_slot) { /* retire_more */
            VAR(rec->next) = VAR(home->more);
            VAR(home->more) = rec;
            atomic_fetch_add_explicit(&mine->bytes, bytes, RCUINFO__DONE_PUBLISH);
            return true;
        }
        if (bytes_first)
            atomic_fetch_add_explicit(&mine->bytes, bytes, RCUINFO__DONE_PUBLISH);
        mine->records.push_upmc(rec); /* [P4] publish */
        if (!rec->of_slot)
            VAR(home->queued) = true;
        if (!bytes_first)
            atomic_fetch_add_explicit(&mine->bytes, bytes, RCUINFO__DONE_PUBLISH);
        return true;
    }

    /* reclaim.c detach */
    record *detach(stripe *one)
    {
        record *oldest = 0;
        record *rec = one->records.batch_pop_upmc(); /* [P4] consume */
        while (rec) {
            record *next = VAR(rec->next);
            VAR(rec->next) = oldest;
            oldest = rec;
            rec = next;
        }
        return oldest;
    }

    /* reclaim.c gather; the first record of the batch */
    record *gather(record *first)
    {
        for (record *rec = first; rec; rec = VAR(rec->next)) {
            if (rec->of_slot)
                continue;
            slot *home = rec->home;
            if (!gather_unlocked)
                home->lock.lock(RL_INFO);
            record *newest = VAR(home->more);
            VAR(home->more) = static_cast<record *>(0);
            VAR(home->queued) = false;
            if (!gather_unlocked)
                home->lock.unlock(RL_INFO);
            if (newest_first && newest && rec == first) {
                VAR(newest->next) = rec;
                return newest;
            }
            record *behind = VAR(rec->next);
            record *last = newest ? newest : rec;
            while (newest) {
                record *older = VAR(newest->next);
                VAR(newest->next) = behind;
                behind = newest;
                newest = older;
            }
            VAR(rec->next) = behind;
            rec = last;
        }
        return first;
    }

    /* reclaim.c take_stashes */
    void take_stashes()
    {
        for (unsigned i = 0; i < slot_count; i++) {
            slots[i].lock.lock(RL_INFO);
            cell *one = VAR(slots[i].stash);
            VAR(slots[i].stash) = static_cast<cell *>(0);
            slots[i].lock.unlock(RL_INFO);
            while (one) {
                cell *next = VAR(one->rec.drop);
                pool.enqueue_spmc(one); /* [P5] publish */
                one = next;
            }
        }
    }

    /* reclaim.c recycle; here a single cell goes to its object's stash too */
    void recycle(record *rec)
    {
        while (rec) {
            record *one = rec;
            rec = VAR(one->next);
            waiting_now -= one->bytes;
            slot *home = one->home;
            if (one->of_slot) {
                cell *root = handle_clear(home);
                if (cell_drop(root, VAR(one->both)))
                    pool.enqueue_spmc(root); /* [P5] publish */
                handle_give(home);
                continue;
            }
            cell *gone = VAR(one->drop);
            RL_ASSERT(gone);
            if (!cell_drop(gone, VAR(one->both)))
                continue;
            home->lock.lock(RL_INFO); /* give_stash */
            VAR(gone->rec.drop) = VAR(home->stash);
            VAR(home->stash) = gone;
            home->lock.unlock(RL_INFO);
        }
    }

    /* reclaim.c reclaim */
    void reclaim()
    {
        record *batches[stripe_count];
        if (detach_late)
            rcu.synchronize();
        size_t bytes = bytes_late ? 0 : bytes_so_far();
        for (unsigned i = 0; i < stripe_count; i++)
            batches[i] = gather_late ? detach(&stripes[i]) : gather(detach(&stripes[i]));
        if (bytes_late)
            bytes = bytes_so_far();
        VAR(detached) = bytes;
        if (!no_grace_period && !detach_late)
            rcu.synchronize();
        take_stashes();
        for (unsigned i = 0; i < stripe_count; i++)
            recycle(gather_late ? gather(batches[i]) : batches[i]);
        atomic_store_explicit(&reclaimed, bytes, RCUINFO__DONE_PUBLISH);
    }

    size_t bytes_so_far()
    {
        size_t bytes = atomic_load_explicit(&closed, RCUINFO__COUNT);
        for (unsigned i = 0; i < stripe_count; i++)
            bytes += atomic_load_explicit(&stripes[i].bytes, RCUINFO__DONE_CONSUME);
        return bytes;
    }

    /* reclaim.c reclaim_guarded */
    void reclaim_guarded(size_t limit, bool wait)
    {
        if (no_trylock) {
            reclaim();
            return;
        }
        if (wait)
            lock.lock(RL_INFO);
        if (wait || lock.try_lock(RL_INFO)) {
            if (reclaim_waiting() >= limit)
                reclaim();
            lock.unlock(RL_INFO);
        }
    }

    /* reclaim.c rcuinfo__reclaim_balance */
    void reclaim_balance()
    {
        if (soft_limit == SIZE_MAX)
            return; /* the model reclaims by itself */
        size_t bytes = reclaim_waiting();
        if (bytes >= soft_limit && (!rcu.reading() || wait_inside))
            reclaim_guarded(soft_limit, bytes >= hard_limit && !no_hard_limit);
    }
};

#endif

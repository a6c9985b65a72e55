/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store: a small lib/core with the same steps: blocks and their logs (block.[ch], log.[ch]), slots and handles
 * (handle.[ch]), the retire list and the pool (recycle.c), and the calls (read.c, write.c, object.c, reclaim.c). There
 * are two keys, which share a fingerprint and a place, so that a search for one meets the other. A value is a number;
 * 0: none. A block has both finders, and `init` selects one.
 *
 * Each entry also has the value of each key in its version, as the model's own bookkeeping. Every lookup is compared
 * with it.
 *
 * Left out: chunks, and the implementation of a slot's lock, which have their own models; deletes; the jumps of links;
 * the adjustment of the soft limit.
 *
 * Callers must call init in before(), number threads from 0, and use at most `slot_count` objects and `block_count`
 * blocks at a time.
 */
#ifndef TESTS_MODEL_STORE_H
#define TESTS_MODEL_STORE_H

#include "model.h"

static variant text_late("text_late");             /* an entry is published before its text is written */
static variant finder_late("finder_late");         /* an entry is published before the finder leads to it */
static variant finder_early("finder_early");       /* the finder leads to an entry before it is written */
static variant links_missing("links_missing");     /* an entry lacks the link to the previous one of its key */
static variant beyond_prefix("beyond_prefix");     /* a reader accepts entries beyond its version */
static variant end_kept("end_kept");               /* after a failure, the next write overwrites its entry */
static variant both_append("both_append");         /* a dup may append to the block, too */
static variant copy_beyond("copy_beyond");         /* a copy includes entries beyond its version */
static variant record_inside("record_inside");     /* the record is in the block that it drops */
static variant retire_first("retire_first");       /* a block is retired before the root is replaced */
static variant hold_missing("hold_missing");       /* an open snapshot has no reference */
static variant no_grace_period("no_grace_period"); /* recycled as soon as detached */
static variant detach_late("detach_late");         /* records pushed during a grace period are processed after it */
static variant slot_at_once("slot_at_once");       /* a freed slot is enqueued without a grace period */
static variant generation_missing("generation_missing"); /* a handle's generation is not checked */
static variant root_first("root_first");                 /* it is checked after the load of the root, not before */
static variant open_unlocked("open_unlocked");           /* opening a slot resets fields that its lock protects */
static variant match_unlocked("match_unlocked");         /* a writer checks it before it has the lock */
static variant newest_first("newest_first");             /* records are processed in the order of the stack */
static variant take_outside("take_outside");             /* dup adds its reference after the read section */
static variant
    owner_twice("owner_twice"); /* a shared block's owner is removed when it is retired, and again when dropped */
static variant owner_kept("owner_kept");       /* it is never removed */
static variant no_trylock("no_trylock");       /* threads reclaim concurrently */
static variant bytes_late("bytes_late");       /* a batch's bytes are read after its records were detached */
static variant bytes_first("bytes_first");     /* a record's bytes are added before it is pushed */
static variant wait_inside("wait_inside");     /* a thread in a read section waits, too */
static variant no_hard_limit("no_hard_limit"); /* no thread waits for the reclaiming one */

#define HANDLE_LIVE (UINT64_C(1) << 63)
#define INDEX_BITS  20
#define BLOCK_REF   (UINT64_C(1) << 32 | 1)

static const unsigned key_count = 2;
static const unsigned entry_count = 4; /* the capacity of a block */
static const unsigned word_bits = 2;
static const unsigned place_count = 3;

/* The finder of a block. */
enum finder { BY_BYTES, BY_PLACES, GONE /* the block is not in use */ };

struct block;
struct slot;

struct record {
    rl::var<record *> next; /* [P4] */
    rl::var<block *> drop;  /* 0: the slot's */
    rl::var<bool> owner;
    block *in;    /* where it lies, or 0 */
    slot *home;   /* where it lies, or 0 */
    size_t bytes; /* waiting because of it */
};

struct entry {
    rl::var<unsigned> key; /* 1 to key_count; 0: the empty version's */
    rl::var<unsigned> text;
    rl::var<unsigned> previous; /* position + 1 of the previous entry of this key, or 0 */
    block *in;
    unsigned says[key_count + 1]; /* value of each key in the version that ends here */
};

struct block {
    rl::atomic<uint64_t> refcount; /* [P6] */
    record rec;
    rl::var<unsigned> version; /* the number of a version is this + its last entry's position */
    rl::var<unsigned> find_by; /* enum finder */
    rl::atomic<unsigned> words[entry_count / word_bits]; /* a bit for each byte of the library's */
    rl::atomic<unsigned> places[place_count];            /* [P9] */
    entry entries[entry_count];
    unsigned age; /* how often it was taken out of use */
};

struct slot {
    rl::atomic<uint64_t> generation; /* [P2] */
    rl::atomic<entry *> root;        /* [P1] */
    record rec;
    rl::mutex lock;
    rl::var<bool> appends;
    unsigned index;
};

/* In bytes: what a record, a block and a slot count for. */
static const size_t record_bytes = 1;
static const size_t block_bytes = 4;
static const size_t slot_bytes = 2;

template <rl::thread_id_t threads, unsigned stripe_count, unsigned slot_count, unsigned block_count> struct store {
    rcu_domain<threads> rcu;
    size_t soft_limit;
    size_t hard_limit;
    size_t waiting_now;  /* bytes retired and not recycled, exactly */
    size_t waiting_most; /* their maximum */
    finder find_by;
    unsigned capacity;
    block empty; /* block.c rcuinfo__empty */
    block blocks[block_count];
    unsigned blocks_used;
    slot slots[slot_count];
    rl::atomic<unsigned> used;
    ck_ring<block> pool; /* [P5] */
    ck_ring<slot> queue; /* [P5] */
    struct stripe {
        ck_stack<record> records; /* [P4] */
        rl::atomic<size_t> bytes;
    } stripes[stripe_count];
    rl::atomic<size_t> closed;
    rl::atomic<size_t> recycled;
    rl::mutex reclaim_lock;

    void init(finder which = BY_BYTES, unsigned entries = 2, size_t soft = SIZE_MAX, size_t hard = SIZE_MAX)
    {
        rcu.init();
        find_by = which;
        capacity = entries;
        blocks_used = 0;
        block_init(&empty);
        block_fresh(&empty);
        memset(empty.entries[0].says, 0, sizeof empty.entries[0].says);
        VAR(empty.version) = 0;
        for (unsigned i = 0; i < slot_count; i++) {
            slots[i].generation.store(0, memory_order_relaxed);
            slots[i].root.store(0, memory_order_relaxed);
            VAR(slots[i].appends) = false;
            slots[i].rec.in = 0;
            slots[i].rec.home = &slots[i];
            slots[i].index = i;
        }
        used.store(0, memory_order_relaxed);
        pool.init();
        queue.init();
        for (unsigned i = 0; i < stripe_count; i++) {
            stripes[i].records.init();
            stripes[i].bytes.store(0, memory_order_relaxed);
        }
        closed.store(0, memory_order_relaxed);
        recycled.store(0, memory_order_relaxed);
        soft_limit = soft;
        hard_limit = hard;
        waiting_now = 0;
        waiting_most = 0;
    }

    /* recycle.c rcuinfo__recycle_alloc; malloc gives each block once. */
    block *block_alloc()
    {
        block *one = block_reuse();
        if (one)
            return one;
        RL_ASSERT(blocks_used < block_count);
        one = &blocks[blocks_used++];
        block_fresh(one);
        return block_init(one);
    }

    /* handle.h rcuinfo__handle_matches */
    bool handle_matches(slot *one, uint64_t info)
    {
        uint64_t wanted = info >> INDEX_BITS | HANDLE_LIVE;
        return one->generation.load(RCUINFO__GENERATION_LOAD) == wanted; /* [P2] acquire */
    }

    /* handle.h rcuinfo__handle_root */
    entry *handle_root(uint64_t info)
    {
        slot *one = handle_slot(info);
        if (root_first) {
            entry *root = one->root.load(RCUINFO__ROOT_LOAD);
            return handle_matches(one, info) ? root : 0;
        }
        if (!generation_missing && !handle_matches(one, info))
            return 0;
        return one->root.load(RCUINFO__ROOT_LOAD); /* [P1] acquire */
    }

    /* object.c rcuinfo_create */
    uint64_t create()
    {
        return handle_open(handle_take(), &empty.entries[0]);
    }

    /* build.c rcuinfo__build_object: an object whose first key has that value */
    uint64_t create_with(block *room, unsigned value)
    {
        return handle_open(handle_take(), copy(room, &empty.entries[0], 1, value));
    }

    /* read.c rcuinfo__get: whether the object exists, and the value of a key. */
    bool get(uint64_t info, unsigned key, unsigned *value)
    {
        rcu.read_lock();
        entry *root = handle_root(info);
        if (root)
            *value = read(root, key);
        rcu.read_unlock();
        return root != 0;
    }

    /* log.h rcuinfo__log_get: a lookup in a read section, or with an open snapshot. */
    unsigned read(entry *last, unsigned key)
    {
        unsigned age = last->in->age;
        unsigned expected = last->says[key];
        rl::ctx().sched(); /* for Relacy an access to an rl::var is one step with what came before it */
        entry *found = find(last, key);
        unsigned value = found ? VAR(found->text) : 0;
        RL_ASSERT(last->in->age == age);
        RL_ASSERT(value == expected);
        return value;
    }

    /* log.h rcuinfo__log_version */
    unsigned version(entry *last)
    {
        return VAR(last->in->version) + position(last);
    }

    /* read.c rcuinfo__object_hold */
    entry *hold(uint64_t info)
    {
        rcu.read_lock();
        entry *root = handle_root(info);
        if (take_outside)
            rcu.read_unlock();
        if (root && root != &empty.entries[0] && !hold_missing)
            root->in->refcount.fetch_add(BLOCK_REF, RCUINFO__REFS_TAKE);
        if (!take_outside)
            rcu.read_unlock();
        return root;
    }

    /* read.c rcuinfo__object_release. A block that goes back to malloc is not given out again here. */
    void release(entry *last)
    {
        uint64_t owners;
        if (!hold_missing && !block_drop(last->in, true, &owners) && !owners)
            closed.fetch_add(block_bytes, RCUINFO__COUNT); /* recycle.c rcuinfo__recycle_count */
    }

    /* write.c commit_one, of a set; with `fails`, update of that and of another edit, which cannot be made */
    bool set(uint64_t info, unsigned key, unsigned value, bool fails = false)
    {
        slot *at = handle_slot(info);
        block *room = 0;
        bool balance = false;
        bool matches = match_unlocked && handle_matches(at, info);
        for (;;) {
            at->lock.lock(RL_INFO);
            bool appends = VAR(at->appends);
            matches = match_unlocked ? matches : handle_matches(at, info);
            if (!matches || attempt(at, key, value, appends, fails, &room, &balance))
                break;
            at->lock.unlock(RL_INFO);
            room = block_alloc();
        }
        at->lock.unlock(RL_INFO);
        if (balance)
            reclaim_balance();
        return matches;
    }

    /* object.c rcuinfo__dup; 0: no such object */
    uint64_t dup(uint64_t info)
    {
        entry *root = hold(info);
        if (!root)
            return 0;
        slot *one = handle_take();
        if (both_append)
            VAR(one->appends) = true;
        return handle_open(one, root);
    }

    /* object.c rcuinfo__free */
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
            entry *root = one->root.load(RCUINFO__ROOT_LOAD);
            VAR(one->rec.drop) = static_cast<block *>(0);
            size_t bytes = block_announce(root->in, &one->rec);
            if (slot_at_once)
                handle_give(one);
            else
                balance = retire(one, &one->rec, bytes + slot_bytes);
        }
        one->lock.unlock(RL_INFO);
        if (balance)
            reclaim_balance();
        return may;
    }

    /* recycle.c rcuinfo__recycle_waiting */
    size_t waiting()
    {
        size_t before;
        size_t bytes;
        do {
            before = recycled.load(RCUINFO__DONE_LOAD);
            bytes = sum_retired();
        } while (before != recycled.load(RCUINFO__COUNT));
        RL_ASSERT(bytes >= before);
        return bytes - before;
    }

    /* reclaim.c rcuinfo__reclaim_flush */
    void reclaim_flush()
    {
        reclaim_guarded(0, true);
    }

    /* block.c rcuinfo__block_init */
    block *block_init(block *one)
    {
        for (unsigned i = 0; i < entry_count / word_bits; i++)
            one->words[i].store(0, memory_order_relaxed);
        for (unsigned i = 0; i < place_count; i++)
            one->places[i].store(0, memory_order_relaxed);
        one->refcount.store(BLOCK_REF, RCUINFO__COUNT);
        VAR(one->find_by) = find_by;
        one->rec.in = one;
        one->rec.home = 0;
        for (unsigned i = 0; i < entry_count; i++)
            one->entries[i].in = one;
        return one;
    }

    void block_fresh(block *one)
    {
        one->age = 0;
        for (unsigned i = 0; i < capacity; i++)
            VAR(one->entries[i].key) = VAR(one->entries[i].text) = VAR(one->entries[i].previous) = 0;
    }

    /* recycle.c rcuinfo__recycle_reuse */
    block *block_reuse()
    {
        block *one;
        return pool.dequeue_spmc(&one) ? block_init(one) : 0; /* [P5] acquire */
    }

    /* block.c rcuinfo__block_announce */
    size_t block_announce(block *one, record *rec)
    {
        if (one == &empty) {
            VAR(rec->owner) = false;
            return 0;
        }
        bool owner = one->refcount.load(RCUINFO__COUNT) == BLOCK_REF;
        VAR(rec->owner) = owner || owner_twice;
        if (owner)
            return block_bytes;
        if (owner_kept)
            return 0;
        uint64_t before = one->refcount.fetch_sub(UINT64_C(1) << 32, RCUINFO__COUNT);
        RL_ASSERT(before >> 32);
        return before >> 32 == 1 ? block_bytes : 0;
    }

    /* block.c rcuinfo__block_drop */
    bool block_drop(block *one, bool owner, uint64_t *owners)
    {
        uint64_t less = owner ? BLOCK_REF : 1;
        uint64_t left = 0;
        *owners = 1;
        if (one == &empty)
            return false;
        /* [P6] publish, acquire */
        if (!owner || one->refcount.load(RCUINFO__REFS_SOLE) != BLOCK_REF)
            left = one->refcount.fetch_sub(less, RCUINFO__REFS_DROP) - less;
        *owners = left >> 32;
        RL_ASSERT(*owners <= static_cast<uint32_t>(left));
        if (static_cast<uint32_t>(left))
            return false;
        one->age++;
        VAR(one->find_by) = GONE;
        for (unsigned i = 0; i < capacity; i++)
            VAR(one->entries[i].text) = 0;
        return true;
    }

    /* In the library it is beside the key, so here a read of it reads the key. */
    static unsigned position(entry *one)
    {
        RL_ASSERT(VAR(one->key) <= key_count);
        return static_cast<unsigned>(one - one->in->entries);
    }

    /* log.h rcuinfo__log_find: the newest entry of a key, or 0 */
    entry *find(entry *last, unsigned key)
    {
        unsigned prefix = beyond_prefix ? capacity : position(last) + 1;
        unsigned by = VAR(last->in->find_by);
        RL_ASSERT(by != GONE);
        return by == BY_PLACES ? probe(last->in, prefix, key) : scan(last->in, prefix, key);
    }

    /* log.h rcuinfo__log_scan */
    entry *scan(block *in, unsigned prefix, unsigned key)
    {
        unsigned bits = 0;
        for (unsigned i = 0; i * word_bits < prefix; i++)
            bits |= in->words[i].load(RCUINFO__COUNT) << i * word_bits;
        for (unsigned i = prefix; i-- > 0;) {
            if (bits & 1U << i && VAR(in->entries[i].key) == key)
                return &in->entries[i];
        }
        return 0;
    }

    /* log.h rcuinfo__log_probe; log.c rcuinfo__log_older, without the jumps */
    entry *probe(block *in, unsigned prefix, unsigned key)
    {
        for (unsigned place = 0;; place++) {
            RL_ASSERT(place < place_count);
            unsigned found = in->places[place].load(RCUINFO__PLACE_LOAD); /* [P9] acquire */
            if (!found)
                return 0;
            if (VAR(in->entries[found - 1].key) != key)
                continue;
            while (found > prefix)
                found = VAR(in->entries[found - 1].previous);
            return found ? &in->entries[found - 1] : 0;
        }
    }

    /* log.c finder_add */
    void finder_add(block *in, unsigned position, unsigned newest)
    {
        if (find_by == BY_BYTES) {
            rl::atomic<unsigned> *word = &in->words[position / word_bits];
            unsigned bits = word->load(RCUINFO__COUNT) | 1U << position % word_bits;
            word->store(bits, RCUINFO__COUNT);
            return;
        }
        unsigned place = 0;
        while (in->places[place].load(RCUINFO__COUNT) != newest) {
            place++;
            RL_ASSERT(place < place_count);
        }
        in->places[place].store(position + 1, RCUINFO__PLACE_PUBLISH); /* [P9] publish */
    }

    /* log_write.c write_entry; `newest` is the position + 1 of the newest entry of the key so far, or 0 */
    static void write_entry(entry *one, unsigned key, unsigned value, unsigned newest)
    {
        VAR(one->key) = key;
        VAR(one->text) = value;
        VAR(one->previous) = newest;
    }

    /* log.c rcuinfo__log_append, write.c attempt: 0 where the block is full */
    entry *append(slot *at, entry *last, unsigned key, unsigned value, bool fails)
    {
        block *in = last->in;
        entry *older = find(last, key);
        unsigned newest = older ? position(older) + 1 : 0;
        unsigned end = position(last) + 1;
        if (end == capacity)
            return 0;
        entry *next = &in->entries[end];
        if (finder_early)
            finder_add(in, end, newest);
        write_entry(next, key, text_late ? 0 : value, links_missing ? 0 : newest);
        if (!finder_early && !finder_late)
            finder_add(in, end, newest);
        says(next, last, key, value);
        if (fails) {
            VAR(at->appends) = end_kept;
            return next;
        }
        publish(at, last, next);
        if (finder_late)
            finder_add(in, end, newest);
        if (text_late)
            VAR(next->text) = value;
        return next;
    }

    /* log.c rcuinfo__log_copy, and an edit in place */
    entry *copy(block *room, entry *from, unsigned key, unsigned value)
    {
        unsigned values[key_count + 1] = {0};
        unsigned prefix = copy_beyond ? capacity : position(from) + 1;
        for (unsigned i = 0; i < prefix; i++)
            values[VAR(from->in->entries[i].key)] = VAR(from->in->entries[i].text);
        values[key] = value;
        unsigned n = 0;
        for (unsigned i = 1; i <= key_count; i++) {
            if (!values[i])
                continue;
            write_entry(&room->entries[n], i, values[i], 0);
            finder_add(room, n++, 0);
        }
        VAR(room->version) = version(from) + 1 - (n - 1);
        says(&room->entries[n - 1], from, key, value);
        return &room->entries[n - 1];
    }

    static void says(entry *next, const entry *last, unsigned key, unsigned value)
    {
        memcpy(next->says, last->says, sizeof next->says);
        next->says[key] = value;
    }

    slot *handle_slot(uint64_t info)
    {
        return &slots[info & ((1U << INDEX_BITS) - 1)];
    }

    /* handle.c rcuinfo__handle_take */
    slot *handle_take()
    {
        slot *one;
        if (queue.dequeue_spmc(&one)) /* rcuinfo__handle_reuse. [P5] acquire */
            return one;
        unsigned index = used.load(RCUINFO__COUNT); /* first_use_of_slot */
        do {
            RL_ASSERT(index < slot_count);
        } while (!used.compare_exchange_weak(index, index + 1, RCUINFO__COUNT, RCUINFO__COUNT));
        return &slots[index];
    }

    /* handle.c rcuinfo__handle_open */
    uint64_t handle_open(slot *one, entry *root)
    {
        uint64_t generation = one->generation.load(RCUINFO__COUNT) + 1;
        if (open_unlocked)
            VAR(one->appends) = false;
        one->root.store(root, RCUINFO__COUNT);
        /* [P2] publish */
        one->generation.store(generation | HANDLE_LIVE, RCUINFO__GENERATION_PUBLISH);
        return generation << INDEX_BITS | one->index;
    }

    /* handle.c rcuinfo__handle_close */
    void handle_close(slot *one)
    {
        uint64_t generation = one->generation.load(RCUINFO__COUNT);
        RL_ASSERT(generation & HANDLE_LIVE);
        if (!open_unlocked)
            VAR(one->appends) = false;
        /* [P2] publish */
        one->generation.store(generation & ~HANDLE_LIVE, RCUINFO__GENERATION_PUBLISH);
    }

    /* handle.c rcuinfo__handle_clear */
    entry *handle_clear(slot *one)
    {
        entry *root = one->root.load(RCUINFO__COUNT);
        one->root.store(0, RCUINFO__COUNT);
        return root;
    }

    /* handle.c rcuinfo__handle_give */
    void handle_give(slot *one)
    {
        queue.enqueue_spmc(one); /* [P5] publish */
    }

    /* write.c attempt, attempt_copy; false: there is no block to copy to */
    bool attempt(slot *at, unsigned key, unsigned value, bool appends, bool fails, block **room, bool *balance)
    {
        entry *last = at->root.load(RCUINFO__ROOT_LOAD); /* [P1] acquire */
        if (appends && append(at, last, key, value, fails))
            return true;
        if (!*room)
            *room = block_reuse();
        if (!*room)
            return false;
        if (!fails)
            *balance = publish_copy(at, last, copy(*room, last, key, value));
        return true;
    }

    /* write.c publish */
    static void publish(slot *at, entry *last, entry *next)
    {
        entry *old = at->root.exchange(next, RCUINFO__ROOT_PUBLISH); /* [P1] publish */
        RL_ASSERT(old == last);
    }

    /* write.c publish_copy */
    bool publish_copy(slot *at, entry *last, entry *next)
    {
        record *rec = record_inside ? &last->in->rec : &next->in->rec;
        if (!retire_first)
            publish(at, last, next);
        VAR(at->appends) = true;
        bool balance = false;
        if (last != &empty.entries[0]) {
            VAR(rec->drop) = last->in;
            size_t bytes = block_announce(last->in, rec);
            balance = retire(at, rec, bytes);
        }
        if (retire_first)
            publish(at, last, next);
        return balance;
    }

    /* recycle.c push_record; here every record is a step between looks at the limits */
    bool retire(slot *home, record *rec, size_t bytes)
    {
        stripe *mine = &stripes[home->index % stripe_count];
        bytes += record_bytes;
        rec->bytes = bytes;
        waiting_now += bytes;
        waiting_most = waiting_now > waiting_most ? waiting_now : waiting_most;
        if (bytes_first)
            mine->bytes.fetch_add(bytes, RCUINFO__DONE_PUBLISH);
        mine->records.push_upmc(rec); /* [P4] publish */
        if (!bytes_first)
            mine->bytes.fetch_add(bytes, RCUINFO__DONE_PUBLISH);
        return true;
    }

    /* recycle.c sum_retired */
    size_t sum_retired()
    {
        size_t bytes = closed.load(RCUINFO__DONE_LOAD);
        for (unsigned i = 0; i < stripe_count; i++)
            bytes += stripes[i].bytes.load(RCUINFO__DONE_LOAD);
        return bytes;
    }

    /* recycle.c pop_records */
    record *detach(stripe *one)
    {
        record *oldest = 0;
        record *rec = one->records.batch_pop_upmc(); /* [P4] acquire */
        if (newest_first)
            return rec;
        while (rec) {
            record *next = VAR(rec->next);
            VAR(rec->next) = oldest;
            oldest = rec;
            rec = next;
        }
        return oldest;
    }

    /* reclaim.c drop_reference */
    void drop(block *one, bool owner)
    {
        uint64_t owners;
        if (block_drop(one, owner, &owners))
            pool.enqueue_spmc(one); /* [P5] publish */
    }

    /* reclaim.c drop_of_objects */
    void drop_of_objects(record *rec)
    {
        while (rec) {
            record *next = VAR(rec->next);
            RL_ASSERT(!rec->in || VAR(rec->in->find_by) != GONE);
            waiting_now -= rec->bytes;
            if (!rec->home) {
                drop(VAR(rec->drop), VAR(rec->owner));
            } else {
                drop(handle_clear(rec->home)->in, VAR(rec->owner));
                handle_give(rec->home);
            }
            rec = next;
        }
    }

    /* reclaim.c reclaim_batch */
    void reclaim()
    {
        record *batches[stripe_count];
        if (detach_late)
            rcu.synchronize();
        size_t bytes = bytes_late ? 0 : sum_retired();
        for (unsigned i = 0; i < stripe_count; i++)
            batches[i] = detach(&stripes[i]);
        if (bytes_late)
            bytes = sum_retired();
        if (!no_grace_period && !detach_late)
            rcu.synchronize();
        for (unsigned i = 0; i < stripe_count; i++)
            drop_of_objects(batches[i]);
        recycled.store(bytes, RCUINFO__DONE_PUBLISH);
    }

    /* reclaim.c reclaim_guarded */
    void reclaim_guarded(size_t limit, bool wait)
    {
        if (no_trylock)
            return reclaim();
        if (wait)
            reclaim_lock.lock(RL_INFO);
        if (wait || reclaim_lock.try_lock(RL_INFO)) {
            if (waiting() >= limit)
                reclaim();
            reclaim_lock.unlock(RL_INFO);
        }
    }

    /* reclaim.c rcuinfo__reclaim_balance */
    void reclaim_balance()
    {
        if (soft_limit == SIZE_MAX)
            return; /* the model reclaims by itself */
        size_t bytes = waiting();
        if (bytes >= soft_limit && (!rcu.reading() || wait_inside))
            reclaim_guarded(soft_limit, bytes >= hard_limit && !no_hard_limit);
    }
};

#endif

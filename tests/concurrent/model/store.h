/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store: a small lib/core with the same steps: blocks and their logs (block.[ch], log.[ch]), slots and handles
 * (handle.[ch]), arenas (arena.[ch]), scans and reclaim (scan.[ch], reclaim.c), and the calls (read.c, write.c,
 * object.c). There are two keys, which share a fingerprint and a place, so that a search for one meets the other. A
 * value is a number; 0: none. A block has both finders, and `init` selects one.
 *
 * Each entry also has the value of each key in its version, as the model's own bookkeeping. Every lookup is compared
 * with it.
 *
 * Left out: chunks, and the implementation of locks, which have their own models; deletes; sizes of
 * blocks; the queue in which free slots wait; limits, so threads call `reclaim` themselves, as one whose arena is full.
 *
 * Callers must call init in before(), number threads from 0, and use at most `slot_count` objects and `block_count`
 * blocks at a time.
 */
#pragma once

#include "readers.h"

/* concurrent/defects.txt says what each breaks. */
static variant text_late("text_late"), finder_late("finder_late"), finder_early("finder_early"),
    links_missing("links_missing"), beyond_prefix("beyond_prefix"), end_kept("end_kept"), both_append("both_append"),
    copy_beyond("copy_beyond"), hold_missing("hold_missing"), take_outside("take_outside"), drop_early("drop_early"),
    mark_missing("mark_missing"), slot_unsaid("slot_unsaid"), left_unread("left_unread"), look_early("look_early"),
    batch_while_pinned("batch_while_pinned"), sole_first("sole_first"), any_scan("any_scan"), scan_early("scan_early"),
    detach_late("detach_late"), wants_less("wants_less"), help_late("help_late"), help_unread("help_unread"),
    help_unfenced("help_unfenced"), help_uncounted("help_uncounted"), help_reused("help_reused"),
    help_taken("help_taken"), help_any("help_any"), stock_uncounted("stock_uncounted"), stock_stays("stock_stays"),
    match_once("match_once"), slot_at_once("slot_at_once"), generation_missing("generation_missing"),
    root_first("root_first"), open_unlocked("open_unlocked"), match_unlocked("match_unlocked"),
    share_missing("share_missing"), share_late("share_late"), owned_first("owned_first"), owned_inside("owned_inside"),
    copy_unsettled("copy_unsettled");

#define HANDLE_LIVE (UINT64_C(1) << 63)
#define OWNER_SHIFT 44
#define OWNERS      ((UINT64_C(1) << 62) - (UINT64_C(1) << OWNER_SHIFT))
#define INDEX_BITS  20
#define UNMARKED    0U /* slots are marked by their index + 1 */
#define MANY        static_cast<uint32_t>(INT32_MAX)

static const unsigned key_count = 2;
static const unsigned entry_count = 4; /* the capacity of a block */
static const unsigned word_bits = 2;
static const unsigned place_count = 3;

/* The finder of a block. */
enum finder { BY_BYTES, BY_PLACES, GONE /* the block is not in use */ };

struct block;
struct slot;

struct entry {
    rl::var<unsigned> key; /* 1 to key_count; 0: the empty version's */
    rl::var<unsigned> text;
    rl::var<unsigned> previous; /* position + 1 of the previous entry of this key, or 0 */
    block *in;
    unsigned says[key_count + 1]; /* value of each key in the version that ends here */
};

struct block {
    rl::atomic<uint64_t> refcount; /* [P6] mark << 32 | references */
    rl::var<block *> next;         /* in a list */
    rl::var<uint32_t> mark;        /* while retired */
    rl::var<unsigned> version;     /* the number of a version is this + its last entry's position */
    rl::var<unsigned> find_by;     /* enum finder */
    rl::atomic<unsigned> words[entry_count / word_bits]; /* a bit for each byte of the library's */
    rl::atomic<unsigned> places[place_count];            /* [P9] */
    entry entries[entry_count];
    unsigned age; /* how often it was taken out of use */
    unsigned index;
};

struct slot {
    rl::atomic<uint64_t> generation; /* [P2] */
    rl::atomic<entry *> root;        /* [P1] */
    rl::var<slot *> next;            /* in a list */
    rl::mutex lock;
    rl::var<bool> appends;
    unsigned index;
};

struct retired {
    rl::var<slot *> slots;
    rl::var<block *> blocks;
};

struct arena {
    rl::mutex lock; /* [P7] */
    rl::var<slot *> slots;
    rl::var<block *> blocks;
    retired lists[4];
    rl::var<unsigned> stock; /* references on `shared` */
    rl::var<block *> shared;
    rl::var<bool> used;
    rl::var<unsigned> fresh; /* 0 or 1 */
    rl::var<unsigned> held;  /* 0 or 1: list 2 or 3 */
    rl::var<uint64_t> wants;
};

/* What sections may be reading: bits by slot and by page. Two blocks share a page. */
struct found {
    uint64_t number;
    bool hidden;
    uint32_t slots;
    uint32_t pages;
};

/* How threads read: without records at first; with records; without membarrier. */
enum reading { NEW, JOINED, FENCED };

template <rl::thread_id_t threads, unsigned arena_count, unsigned slot_count, unsigned block_count> struct store {
    readers<threads> readers_;
    finder find_by;
    bool stocks; /* arenas take two references at once, at the first time; the library's do that later */
    bool owners; /* threads own the objects that they create, as in the library */
    unsigned capacity;
    block empty; /* block.c rcuinfo__empty */
    block blocks[block_count];
    unsigned blocks_used;
    slot slots[slot_count];
    rl::atomic<unsigned> used;
    arena arenas[arena_count];
    rl::mutex scan_lock;
    rl::var<uint64_t> latest; /* the number of the last scan, and what it found: */
    rl::var<bool> latest_hidden;
    rl::var<uint32_t> latest_slots;
    rl::var<uint32_t> latest_pages;
    rl::atomic<uint64_t> scans; /* [P13] */

    void init(reading how = JOINED, finder which = BY_BYTES, unsigned entries = 2)
    {
        readers_.init(how != NEW, how == FENCED);
        find_by = which;
        stocks = owners = false;
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
            slots[i].index = i;
        }
        used.store(0, memory_order_relaxed);
        for (unsigned i = 0; i < arena_count; i++) {
            VAR(arenas[i].slots) = static_cast<slot *>(0);
            VAR(arenas[i].blocks) = static_cast<block *>(0);
            for (unsigned list = 0; list < 4; list++) {
                VAR(arenas[i].lists[list].slots) = static_cast<slot *>(0);
                VAR(arenas[i].lists[list].blocks) = static_cast<block *>(0);
            }
            VAR(arenas[i].fresh) = VAR(arenas[i].held) = 0;
            VAR(arenas[i].wants) = 0;
            VAR(arenas[i].stock) = 0;
            VAR(arenas[i].shared) = static_cast<block *>(0);
            VAR(arenas[i].used) = false;
        }
        VAR(latest) = 0;
        VAR(latest_hidden) = false;
        VAR(latest_slots) = VAR(latest_pages) = 0;
        scans.store(0, memory_order_relaxed);
    }

    /* arena.c rcuinfo__arena_enter */
    arena *arena_enter(bool wait)
    {
        unsigned mine = rl::ctx().current_thread() % arena_count;
        for (unsigned tries = 0; tries < arena_count; tries++) {
            if (arenas[(mine + tries) % arena_count].lock.try_lock(RL_INFO))
                return &arenas[(mine + tries) % arena_count];
        }
        if (wait)
            arenas[mine].lock.lock(RL_INFO);
        return wait ? &arenas[mine] : 0;
    }

    void arena_leave(arena *one)
    {
        one->lock.unlock(RL_INFO);
    }

    /* arena.c rcuinfo__arena_alloc; malloc gives each block once. */
    block *block_alloc()
    {
        block *one = block_reuse();
        if (one)
            return one;
        RL_ASSERT(blocks_used < block_count);
        one = &blocks[blocks_used++];
        one->index = blocks_used - 1;
        block_fresh(one);
        return block_init(one);
    }

    /* handle.h rcuinfo__handle_matches */
    bool handle_matches(slot *one, uint64_t info)
    {
        return handle_is(one->generation.load(RCUINFO__GENERATION_LOAD), info); /* [P2] acquire */
    }

    static bool handle_is(uint64_t generation, uint64_t info)
    {
        return (generation & ~OWNERS) == (info >> INDEX_BITS | HANDLE_LIVE);
    }

    /* handle.h rcuinfo__handle_enter */
    static uint64_t handle_enter(slot *one, const reader *self)
    {
        uint64_t generation = one->generation.load(RCUINFO__GENERATION_LOAD); /* [P2] acquire */
        unsigned owner = static_cast<unsigned>((generation & OWNERS) >> OWNER_SHIFT);
        if (owner && owner != self->number && !share_missing)
            generation = one->generation.fetch_and(~OWNERS, RCUINFO__SHARE); /* [P12] publish */
        return generation;
    }

    /* handle.h rcuinfo__handle_owned */
    bool handle_owned(uint64_t generation)
    {
        reader *self = readers_.self();
        unsigned owner = static_cast<unsigned>((generation & OWNERS) >> OWNER_SHIFT);
        return self && owner == self->number && (owned_inside || VAR(self->depth) == 0);
    }

    /* handle.h rcuinfo__handle_read: begins a section, unless there is no such object */
    entry *read_begin(uint64_t info, section *in)
    {
        slot *one = handle_slot(info);
        uint64_t number = readers_.begin(in, one->index + 1);
        entry *root = root_first ? one->root.load(RCUINFO__ROOT_LOAD) : 0;
        bool plainly = generation_missing || share_late;
        if (generation_missing ||
            handle_is(plainly ? one->generation.load(RCUINFO__GENERATION_LOAD) : handle_enter(one, in->record), info)) {
            if (!root_first)
                root = one->root.load(RCUINFO__ROOT_LOAD); /* [P1] acquire */
            if (share_late)
                handle_enter(one, in->record);
            if (root)
                readers_.say(*in, reinterpret_cast<uintptr_t>(root));
            if (readers_.fenced && !help_unfenced)
                RCUINFO__FENCE();
            /* [P11] acquire */
            if (in->record->helped.load(RCUINFO__HELP_LOAD) == number && !help_unread)
                root = helped(*in, info);
        } else {
            root = 0;
        }
        if (!root)
            readers_.end(*in);
        return root;
    }

    /* handle.c rcuinfo__handle_helped */
    entry *helped(const section &in, uint64_t info)
    {
        entry *root = in.record->help.load(RCUINFO__RELAXED);
        uint64_t generation = in.record->help_generation.load(RCUINFO__RELAXED);
        if (!handle_is(generation, info) && !help_any)
            return 0;
        RL_ASSERT(root);
        readers_.say(in, reinterpret_cast<uintptr_t>(root));
        return root;
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
        section in;
        entry *root = read_begin(info, &in);
        if (!root)
            return false;
        if (end_early)
            readers_.end(in);
        *value = read(root, key);
        if (!end_early)
            readers_.end(in);
        return true;
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

    /* object.c rcuinfo__object_hold */
    entry *hold(uint64_t info)
    {
        section in;
        entry *root = stocked(info);
        if (root)
            return root;
        root = read_begin(info, &in);
        if (!root)
            return 0;
        if (take_outside)
            readers_.end(in);
        if (!hold_missing)
            arena_take(root->in);
        if (!take_outside)
            readers_.end(in);
        return root;
    }

    /* object.c rcuinfo__object_release */
    void release(entry *last)
    {
        if (!hold_missing && arena_drop(last->in))
            retire(0, last->in);
    }

    /* write.c commit_one, of a set; with `fails`, update of that and of another edit, which cannot be made */
    bool set(uint64_t info, unsigned key, unsigned value, bool fails = false)
    {
        slot *at = handle_slot(info);
        block *room = 0;
        block *old = 0;
        bool matches = match_unlocked && handle_matches(at, info);
        for (;;) {
            at->lock.lock(RL_INFO);
            bool appends = VAR(at->appends);
            matches = match_unlocked ? matches : handle_matches(at, info);
            if (!matches || attempt(at, key, value, appends, fails, &room, &old))
                break;
            at->lock.unlock(RL_INFO);
            room = block_alloc();
        }
        at->lock.unlock(RL_INFO);
        if (old)
            retire(0, old);
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
        if (!handle_matches(one, info))
            return false;
        one->lock.lock(RL_INFO);
        bool may = handle_matches(one, info);
        bool owned = may && handle_close(one);
        one->lock.unlock(RL_INFO);
        if (owned) {
            block *of = end_slot(one);
            if (of)
                retire(0, of);
        } else if (may && slot_at_once) {
            arena *at = arena_enter(true);
            push(&at->slots, one);
            arena_leave(at);
        } else if (may) {
            block *of = one->root.load(RCUINFO__RELAXED)->in;
            retire(one, block_drop(of, one->index + 1) ? of : 0);
        }
        return may;
    }

    /* block.c rcuinfo__block_init */
    block *block_init(block *one)
    {
        for (unsigned i = 0; i < entry_count / word_bits; i++)
            one->words[i].store(0, memory_order_relaxed);
        for (unsigned i = 0; i < place_count; i++)
            one->places[i].store(0, memory_order_relaxed);
        one->refcount.store(1, RCUINFO__RELAXED);
        VAR(one->find_by) = find_by;
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

    /* arena.c rcuinfo__arena_reuse */
    block *block_reuse()
    {
        arena *at = arena_enter(false);
        block *one = at ? pop(&at->blocks) : 0;
        if (at)
            arena_leave(at);
        return one ? block_init(one) : 0;
    }

    /* stock.c rcuinfo__arena_take */
    void arena_take(block *of)
    {
        arena *in = &arenas[rl::ctx().current_thread() % arena_count];
        if (!stocks || of == &empty || !in->lock.try_lock(RL_INFO)) {
            block_take(of);
            return;
        }
        if (VAR(in->shared) != of)
            arena_return(in);
        VAR(in->shared) = of;
        VAR(in->used) = true;
        if (!VAR(in->stock)) {
            block_take(of, stock_uncounted ? 1 : 2);
            VAR(in->stock) = 2;
        }
        VAR(in->stock) = VAR(in->stock) - 1;
        arena_leave(in);
    }

    /* stock.c rcuinfo__arena_stocked */
    entry *stocked(uint64_t info)
    {
        slot *at = handle_slot(info);
        arena *in = &arenas[rl::ctx().current_thread() % arena_count];
        if (!stocks || !in->lock.try_lock(RL_INFO))
            return 0;
        entry *root = 0;
        readers_.settle();
        uint64_t generation = at->generation.load(RCUINFO__GENERATION_LOAD); /* [P2] acquire */
        if (VAR(in->stock) && handle_is(generation, info)) {
            root = at->root.load(RCUINFO__ROOT_LOAD); /* [P1] acquire */
            if (!root || root->in != VAR(in->shared) ||
                (!match_once && at->generation.load(RCUINFO__GENERATION_LOAD) != generation))
                root = 0;
        }
        if (root) {
            VAR(in->stock) = VAR(in->stock) - 1;
            VAR(in->used) = true;
        }
        arena_leave(in);
        return root;
    }

    /* stock.c rcuinfo__arena_keep */
    bool arena_keep(arena *in, block *of)
    {
        bool keep = VAR(in->shared) == of && VAR(in->stock) > 0;
        if (keep)
            VAR(in->stock) = VAR(in->stock) + 1;
        return keep;
    }

    /* stock.c rcuinfo__arena_drop */
    bool arena_drop(block *of)
    {
        arena *in = &arenas[rl::ctx().current_thread() % arena_count];
        bool kept = false;
        if (stocks && in->lock.try_lock(RL_INFO)) {
            kept = arena_keep(in, of);
            arena_leave(in);
        }
        return !kept && block_drop(of, UNMARKED);
    }

    /* stock.c rcuinfo__arena_return */
    void arena_return(arena *in)
    {
        unsigned n = VAR(in->stock);
        if (!n)
            return;
        if (!stock_stays)
            VAR(in->stock) = 0;
        block *of = VAR(in->shared);
        if (n > 1)
            of->refcount.fetch_sub(n - 1, RCUINFO__REFS_DROP); /* block.h rcuinfo__block_drop_some */
        if (block_drop(of, UNMARKED))
            add_fresh(in, 0, of);
    }

    /* block.h rcuinfo__block_take */
    void block_take(block *one, unsigned n = 1)
    {
        if (one != &empty) {
            uint64_t before = one->refcount.fetch_add(n, RCUINFO__REFS_TAKE);
            RL_ASSERT(static_cast<uint32_t>(before) > 0 && VAR(one->find_by) != GONE);
        }
    }

    /* block.c rcuinfo__block_drop */
    bool block_drop(block *one, uint32_t mark_of_slot)
    {
        if (one == &empty)
            return false;
        uint64_t seen = one->refcount.load(RCUINFO__REFS_SOLE);
        uint64_t next;
        uint32_t mark;
        do {
            mark = mark_missing ? 0 : static_cast<uint32_t>(seen >> 32) & MANY;
            if (mark == UNMARKED || mark == mark_of_slot)
                mark = mark_of_slot;
            else if (mark_of_slot != UNMARKED)
                mark = MANY;
            RL_ASSERT(static_cast<uint32_t>(seen));
            if (seen == 1)
                break;
            next = static_cast<uint32_t>(seen) == 1 ? 1 : static_cast<uint64_t>(mark) << 32 | ((seen - 1) & UINT32_MAX);
            /* [P6] publish, acquire */
        } while (!one->refcount.compare_exchange_weak(seen, next, RCUINFO__REFS_DROP, RCUINFO__REFS_SOLE));
        if (static_cast<uint32_t>(seen) != 1)
            return false;
        VAR(one->mark) = mark;
        return true;
    }

    /* block.h rcuinfo__block_is_sole */
    bool is_sole(block *one)
    {
        return one->refcount.load(RCUINFO__REFS_SOLE) == 1 && one != &empty; /* [P6] acquire */
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
            bits |= in->words[i].load(RCUINFO__RELAXED) << i * word_bits;
        for (unsigned i = prefix; i-- > 0;) {
            if (bits & 1U << i && VAR(in->entries[i].key) == key)
                return &in->entries[i];
        }
        return 0;
    }

    /* log.h rcuinfo__log_probe; log.c rcuinfo__log_older */
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
            unsigned bits = word->load(RCUINFO__RELAXED) | 1U << position % word_bits;
            word->store(bits, RCUINFO__RELAXED);
            return;
        }
        unsigned place = 0;
        while (in->places[place].load(RCUINFO__RELAXED) != newest) {
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

    /* arena.c rcuinfo__arena_slot */
    slot *handle_take()
    {
        arena *at = arena_enter(true);
        slot *one = pop(&at->slots);
        arena_leave(at);
        if (one)
            return one;
        unsigned index = used.load(RCUINFO__RELAXED); /* rcuinfo__handle_fresh */
        do {
            RL_ASSERT(index < slot_count);
        } while (!used.compare_exchange_weak(index, index + 1, RCUINFO__RELAXED, RCUINFO__RELAXED));
        return &slots[index];
    }

    /* handle.c rcuinfo__handle_open */
    uint64_t handle_open(slot *one, entry *root)
    {
        uint64_t generation = one->generation.load(RCUINFO__RELAXED) + 1;
        uint64_t owner = owners && readers_.self() ? readers_.self()->number : 0;
        if (open_unlocked)
            VAR(one->appends) = false;
        one->root.store(root, RCUINFO__ROOT_OPEN); /* [P1] publish */
        /* [P2] publish */
        one->generation.store(generation | owner << OWNER_SHIFT | HANDLE_LIVE, RCUINFO__GENERATION_OPEN);
        return generation << INDEX_BITS | one->index;
    }

    /* handle.c rcuinfo__handle_close */
    bool handle_close(slot *one)
    {
        uint64_t generation = one->generation.load(RCUINFO__RELAXED);
        RL_ASSERT(generation & HANDLE_LIVE);
        if (!open_unlocked)
            VAR(one->appends) = false;
        /* [P2] publish, [P12] acquire */
        uint64_t before = one->generation.exchange(generation & ~HANDLE_LIVE & ~OWNERS, RCUINFO__GENERATION_PUBLISH);
        return handle_owned(owned_first ? generation : before);
    }

    /* arena.c rcuinfo__arena_end_slot: without the queue, so that the slot may have its next object at once */
    block *end_slot(slot *one)
    {
        block *of = handle_clear(one)->in;
        bool alone = is_sole(of);
        arena *in = arena_enter(true);
        if (alone)
            block_end(in, of);
        bool last = !alone && !arena_keep(in, of) && block_drop(of, UNMARKED);
        push(&in->slots, one);
        arena_leave(in);
        return last ? of : 0;
    }

    /* arena.c rcuinfo__arena_give; the age is the model's own */
    void block_end(arena *in, block *of)
    {
        of->age++;
        VAR(of->find_by) = GONE;
        for (unsigned i = 0; i < capacity; i++)
            VAR(of->entries[i].text) = 0;
        push(&in->blocks, of);
    }

    /* handle.c rcuinfo__handle_clear */
    entry *handle_clear(slot *one)
    {
        entry *root = one->root.load(RCUINFO__RELAXED);
        one->root.store(0, RCUINFO__RELAXED);
        return root;
    }

    /* write.c attempt, attempt_copy; false: there is no block to copy to */
    bool attempt(slot *at, unsigned key, unsigned value, bool appends, bool fails, block **room, block **old)
    {
        entry *last = at->root.load(RCUINFO__ROOT_LOAD); /* [P1] acquire */
        RL_ASSERT(last);
        if (appends && append(at, last, key, value, fails))
            return true;
        if (!*room)
            *room = block_reuse();
        if (!*room)
            return false;
        if (!fails)
            *old = publish_copy(at, last, copy(*room, last, key, value));
        return true;
    }

    /* write.c publish */
    void publish(slot *at, entry *last, entry *next)
    {
        RL_ASSERT(at->root.load(RCUINFO__RELAXED) == last);
        at->root.store(next, RCUINFO__ROOT_PUBLISH); /* [P1] publish */
        readers_.settle();                           /* of an object set before */
        readers_.unsettled[rl::ctx().current_thread()] = &at->root;
    }

    /* write.c publish_copy: the old block, if it is to be retired */
    block *publish_copy(slot *at, entry *last, entry *next)
    {
        block *old = last->in;
        bool is_last = drop_early && block_drop(old, at->index + 1);
        if (is_last)
            retire(0, old);
        uint64_t generation = at->generation.load(RCUINFO__GENERATION_LOAD);
        publish(at, last, next);
        if (!copy_unsettled)
            readers_.settle();
        VAR(at->appends) = true;
        if (!owned_first)
            generation = at->generation.load(RCUINFO__GENERATION_LOAD); /* [P12] acquire */
        if (is_sole(old) && handle_owned(generation)) {
            arena *in = arena_enter(true); /* the library does so without the object's lock, or keeps a spare block */
            block_end(in, old);
            arena_leave(in);
            return 0;
        }
        return !drop_early && block_drop(old, at->index + 1) ? old : 0;
    }

    /* arena.h rcuinfo__arena_push_block, _push_slot */
    template <typename type> static void push(rl::var<type *> *list, type *one)
    {
        VAR(one->next) = VAR((*list));
        VAR((*list)) = one;
    }

    template <typename type> static type *pop(rl::var<type *> *list)
    {
        type *one = VAR((*list));
        if (one)
            VAR((*list)) = VAR(one->next);
        return one;
    }

    /* arena.h rcuinfo__arena_retire */
    static void add_fresh(arena *at, slot *one, block *of)
    {
        retired *list = &at->lists[VAR(at->fresh)];
        if (one)
            push(&list->slots, one);
        if (of)
            push(&list->blocks, of);
    }

    /* reclaim.c retire */
    void retire(slot *one, block *of)
    {
        arena *at = arena_enter(true);
        add_fresh(at, one, of);
        arena_leave(at);
    }

    /* scan.c collect */
    void collect(found *result, uint64_t said)
    {
        if (said == hidden_section)
            result->hidden = true;
        else if (is_slot(said))
            result->slots |= 1U << said_slot(said);
        else if (said && said_block(said) != &empty)
            result->pages |= 1U << said_block(said)->index / 2;
    }

    static block *said_block(uint64_t said)
    {
        return reinterpret_cast<entry *>(static_cast<uintptr_t>(said))->in;
    }

    /* scan.h rcuinfo__scan_may_be_read */
    bool may_be_read(const found &result, block *of)
    {
        if (batch_while_pinned || !(result.pages & 1U << of->index / 2))
            return false;
        for (reader *one = readers_.list.first(); one; one = VAR(one->next)) {
            for (unsigned at = 0; at < record_room; at++) {
                uint64_t said = one->says[at].load(RCUINFO__SAID); /* [P5] acquire */
                if (said && !(said & 1) && said_block(said) == of)
                    return true;
            }
        }
        return false;
    }

    /* scan.h rcuinfo__scan_may_come */
    static bool may_come(const found &result, uint32_t mark)
    {
        if (result.hidden || (result.slots && mark == MANY && !slot_unsaid))
            return true;
        return mark != UNMARKED && mark != MANY && !slot_unsaid && result.slots & 1U << mark;
    }

    /* scan.c section_of */
    static uint64_t section_of(reader *one, unsigned at, uint64_t said)
    {
        uint64_t number = one->sections[at].load(RCUINFO__RELAXED);
        return is_slot(said) && say_slot(number, said_slot(said)) == said ? number : 0;
    }

    /* scan.c withdraw_help */
    void withdraw_help(reader *one)
    {
        uint64_t helped = one->helped.load(RCUINFO__RELAXED);
        entry *given = one->help.load(RCUINFO__RELAXED);
        uint64_t said = one->says[VAR(one->help_at)].load(RCUINFO__SAID);
        uint64_t number = section_of(one, VAR(one->help_at), said);
        bool another = number && (number != helped || help_reused);
        if (!VAR(one->promised) || (said && !another && !(help_taken && said == reinterpret_cast<uintptr_t>(given))))
            return;
        RL_ASSERT(one->open != helped);
        VAR(one->promised) = false;
        one->help.store(0, RCUINFO__RELAXED);
        if (given && !help_uncounted && block_drop(given->in, UNMARKED))
            retire(0, given->in);
    }

    /* scan.c help */
    void help(reader *one, unsigned at, unsigned index, uint64_t number)
    {
        slot *of = &slots[index - 1];
        section in;
        readers_.begin(&in, index);
        uint64_t generation = handle_enter(of, in.record);
        entry *root = 0;
        if (generation & HANDLE_LIVE) {
            root = of->root.load(RCUINFO__ROOT_LOAD); /* [P1] acquire */
            if (!help_uncounted)
                block_take(root->in);
        }
        readers_.end(in);
        one->help.store(root, RCUINFO__RELAXED);
        one->help_generation.store(generation, RCUINFO__RELAXED);
        VAR(one->help_at) = at;
        VAR(one->promised) = true;
        one->helped.store(number, RCUINFO__HELP_PUBLISH); /* [P11] publish */
    }

    /* scan.c prepare */
    void prepare(reader *one)
    {
        withdraw_help(one);
        for (unsigned at = 0; at < record_room && !VAR(one->promised); at++) {
            uint64_t said = one->says[at].load(RCUINFO__SAID); /* [P5] acquire */
            uint64_t number = section_of(one, at, said);
            if (number)
                help(one, at, said_slot(said), number);
        }
    }

    /* scan.c said_next, which looks more often */
    static uint64_t said_next(const reader *one, unsigned at, uint64_t said)
    {
        uint64_t next = one->says[at].load(RCUINFO__SAID); /* [P5] acquire */
        if (next != said && left_unread)
            return 0;
        return next == said || !is_slot(next) ? next : 0;
    }

    /* scan.c collect_from */
    void collect_from(found *result, reader *one, bool helping)
    {
        for (unsigned at = 0; at <= record_room; at++) {
            uint64_t said = one->says[at].load(RCUINFO__SAID); /* [P5] acquire */
            said = look_early && is_slot(one->seen[at]) ? one->seen[at] : said;
            bool is_helped = helping && VAR(one->promised) && at == VAR(one->help_at) &&
                             section_of(one, at, said) == one->helped.load(RCUINFO__RELAXED);
            if (!is_helped)
                collect(result, is_slot(said) ? said_next(one, at, said) : said);
        }
    }

    /* scan.c scan */
    void scan()
    {
        found result = {0, false, 0, 0};
        reader *self = readers_.self();
        uint64_t number = scans.fetch_add(1, RCUINFO__SCANS) + 1; /* [P13] publish */
        if (!help_late)
            prepare_all(self);
        for (reader *one = readers_.list.first(); one && look_early; one = VAR(one->next)) {
            for (unsigned at = 0; at <= record_room; at++)
                one->seen[at] = one->says[at].load(RCUINFO__SAID);
        }
        if (!scan_early)
            readers_.fence();
        if (help_late)
            prepare_all(self);
        for (reader *one = readers_.list.first(); one; one = VAR(one->next))
            collect_from(&result, one, true);
        if (scan_early)
            readers_.fence();
        VAR(latest_hidden) = result.hidden;
        VAR(latest_slots) = result.slots;
        VAR(latest_pages) = result.pages;
        VAR(latest) = number;
    }

    void prepare_all(reader *self)
    {
        for (reader *one = readers_.list.first(); one; one = VAR(one->next)) {
            if (one != self)
                prepare(one);
        }
    }

    /* scan.c rcuinfo__scan_look */
    bool look(uint64_t wants, bool now, found *result)
    {
        if (scan_lock.try_lock(RL_INFO)) {
            if (VAR(latest) < wants)
                scan();
            *result = {VAR(latest), VAR(latest_hidden), VAR(latest_slots), VAR(latest_pages)};
            scan_lock.unlock(RL_INFO);
            return true;
        }
        if (!now)
            return false;
        result->number = scans.fetch_add(1, RCUINFO__SCANS) + 1; /* [P13] publish */
        readers_.fence();
        for (reader *one = readers_.list.first(); one; one = VAR(one->next))
            collect_from(result, one, false);
        return true;
    }

    /* reclaim.c drop */
    void drop(arena *in, const found &result, block *of, retired *to)
    {
        bool read = !sole_first && may_be_read(result, of);
        if (!is_sole(of)) {
            if (block_drop(of, UNMARKED))
                push(&to->blocks, of);
        } else if (sole_first ? may_be_read(result, of) : read) {
            VAR(of->mark) = UNMARKED;
            push(&to->blocks, of);
        } else {
            block_end(in, of);
        }
    }

    /* reclaim.c sift */
    void sift(arena *in, const found &result, retired *from, retired *to)
    {
        while (slot *one = pop(&from->slots)) {
            if (may_come(result, one->index + 1)) {
                push(&to->slots, one);
            } else {
                handle_clear(one);
                push(&in->slots, one);
            }
        }
        while (block *of = pop(&from->blocks)) {
            if (may_come(result, VAR(of->mark)))
                push(&to->blocks, of);
            else
                drop(in, result, of, to);
        }
    }

    /* reclaim.c sift_arena */
    void sift_arena(arena *in, const found &result, unsigned list)
    {
        retired *before = &in->lists[2 + VAR(in->held)];
        VAR(in->held) = 1 - VAR(in->held);
        sift(in, result, before, &in->lists[2 + VAR(in->held)]);
        sift(in, result, &in->lists[list], &in->lists[2 + VAR(in->held)]);
    }

    static void move_all(retired *from, retired *to)
    {
        while (slot *one = pop(&from->slots))
            push(&to->slots, one);
        while (block *of = pop(&from->blocks))
            push(&to->blocks, of);
    }

    /* reclaim.c reclaim_in */
    bool reclaim_in(arena *in, const found *by)
    {
        unsigned fresh = VAR(in->fresh);
        unsigned waiting = 1 - fresh;
        if (!is_empty(&in->lists[waiting]) || !is_empty(&in->lists[2 + VAR(in->held)])) {
            if (!by || (by->number < VAR(in->wants) && !any_scan))
                return true;
            sift_arena(in, *by, waiting);
            if (detach_late)
                sift_arena(in, *by, fresh);
        }
        VAR(in->wants) = scans.load(RCUINFO__SCANS_LOAD) + !wants_less; /* [P13] acquire */
        VAR(in->fresh) = waiting;
        return false;
    }

    static bool is_empty(retired *list)
    {
        return !VAR(list->slots) && !VAR(list->blocks);
    }

    /* reclaim.c reclaim_full: of the calling thread's arena, without a wait; `lists`: 1 for a part of it */
    void reclaim(int lists = 2)
    {
        arena *in = &arenas[rl::ctx().current_thread() % arena_count];
        for (int list = 0; list < lists; list++) {
            in->lock.lock(RL_INFO);
            if (!VAR(in->used)) /* reclaim.c retire */
                arena_return(in);
            VAR(in->used) = false;
            bool needs = reclaim_in(in, 0);
            uint64_t wants = VAR(in->wants);
            arena_leave(in);
            found result = {0, false, 0, 0};
            if (!needs || !look(wants, true, &result))
                continue;
            in->lock.lock(RL_INFO);
            reclaim_in(in, &result);
            arena_leave(in);
        }
    }

    /* A scan for an arena without anything in it. */
    void reclaim_scan()
    {
        found result = {0, false, 0, 0};
        look(scans.load(RCUINFO__SCANS_LOAD) + 1, false, &result);
    }

    /* reclaim.c flush_all, for after(): whether everything that is retired can be reclaimed. */
    bool reclaim_all()
    {
        readers_.self() = 0; /* a thread does not withdraw its own help */
        for (unsigned i = 0; i < 4 * arena_count; i++) {
            arena *in = &arenas[i % arena_count];
            arena_return(in);
            for (unsigned list = 0; list < 4; list++) {
                if (list != VAR(in->fresh))
                    move_all(&in->lists[list], &in->lists[VAR(in->fresh)]);
            }
            found result = {0, false, 0, 0};
            look(scans.load(RCUINFO__SCANS_LOAD) + 1, true, &result);
            VAR(in->fresh) = 1 - VAR(in->fresh);
            sift_arena(in, result, 1 - VAR(in->fresh));
        }
        bool all = true;
        for (unsigned i = 0; i < arena_count; i++) {
            for (unsigned list = 0; list < 4; list++)
                all = all && is_empty(&arenas[i].lists[list]);
        }
        return all;
    }
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readers: the records in which threads say what they read, with the steps of core/reader.[ch]. A record has room for
 * one section; further ones are hidden. Forks, and the change to fenced readers while threads read, are left out.
 */
#pragma once

#include "model.h"

/* concurrent/defects.txt says what each breaks. */
static variant no_read_section("no_read_section"), slot_late("slot_late"), say_unfenced("say_unfenced"),
    look_unfenced("look_unfenced"), end_early("end_early"), load_unsettled("load_unsettled");

struct entry;

static const unsigned record_room = 1;
static const uint64_t hidden_section = 1;
static const uint64_t section_step = 8;

struct reader {
    rl::atomic<uint64_t> says[record_room + 2]; /* [P5] */
    rl::atomic<uint64_t> sections[record_room + 2];
    rl::atomic<uint64_t> helped; /* [P11] */
    rl::var<unsigned> depth;
    rl::atomic<entry *> help;
    rl::atomic<uint64_t> help_generation;
    rl::var<unsigned> help_at;
    rl::var<unsigned> hidden;
    rl::var<bool> promised;
    rl::atomic<bool> owned;
    unsigned number;        /* 1, 2, ... */
    rl::var<reader *> next; /* [P3] */
    uint64_t open;          /* the number of the section in place 0; 0: none */
    uint64_t seen[record_room + 2];
};

struct section {
    reader *record;
    unsigned at;
};

/* The value that says a slot, and its inverse. */
static inline uint64_t say_slot(uint64_t number, unsigned slot)
{
    return number << 21 | slot << 1 | 1;
}

static inline bool is_slot(uint64_t said)
{
    return said & 1 && said != hidden_section;
}

static inline unsigned said_slot(uint64_t said)
{
    return static_cast<unsigned>(said >> 1 & ((1U << 20) - 1));
}

template <rl::thread_id_t threads> struct readers {
    ck_stack<reader> list;
    reader records[threads + 1];
    rl::atomic<entry *> *unsettled[threads]; /* the root that a thread has stored last, or 0 */
    unsigned used;
    reader *selves[threads]; /* 0: none yet */
    bool fenced;

    /* `joined`: all threads have records. */
    void init(bool joined, bool are_fenced)
    {
        list.init();
        used = 0;
        fenced = are_fenced;
        memset(unsettled, 0, sizeof unsettled);
        for (rl::thread_id_t i = 0; i < threads; i++)
            selves[i] = joined ? new_record() : 0;
    }

    reader *&self()
    {
        return selves[rl::ctx().current_thread()];
    }

    reader *new_record()
    {
        RL_ASSERT(used < threads + 1);
        reader *one = &records[used++];
        for (unsigned at = 0; at < record_room + 2; at++) {
            one->says[at].store(0, memory_order_relaxed);
            one->sections[at].store(at, memory_order_relaxed);
        }
        one->helped.store(0, memory_order_relaxed);
        one->help.store(0, memory_order_relaxed);
        one->help_generation.store(0, memory_order_relaxed);
        VAR(one->depth) = VAR(one->hidden) = VAR(one->help_at) = 0;
        VAR(one->promised) = false;
        one->open = 0;
        one->number = used;
        one->owned.store(true, memory_order_relaxed);
        list.push_upmc(one); /* [P3] publish */
        return one;
    }

    /* reader.c take_record */
    reader *take_record()
    {
        for (reader *one = list.first(); one; one = VAR(one->next)) {
            if (!one->owned.load(RCUINFO__RELAXED) && !one->owned.exchange(true, RCUINFO__RECORD_TAKE))
                return one;
        }
        return new_record();
    }

    /* reader.h rcuinfo__reader_say */
    static void say(const section &in, uint64_t what)
    {
        if (!no_read_section)
            in.record->says[in.at].store(what, RCUINFO__SAY); /* [P5] publish */
    }

    /* reader.h rcuinfo__reader_settle, after a root was stored. For Relacy, the fence does not order that store before
     * sequentially consistent loads that come after the fence, as C11 does; to exchange the root for itself does. */
    void settle()
    {
        rl::atomic<entry *> *&own = unsettled[rl::ctx().current_thread()];
        entry *root = own ? own->load(RCUINFO__RELAXED) : 0;
        while (own && !own->compare_exchange_weak(root, root, memory_order_seq_cst, memory_order_relaxed))
            ;
        own = 0;
    }

    /* reader.h rcuinfo__reader_begin */
    uint64_t begin(section *in, unsigned slot)
    {
        reader *own = self();
        if (!own) {
            own = self() = take_record();
            in->at = 0;
            VAR(own->depth) = 1;
        } else if (VAR(own->depth) < record_room) {
            in->at = VAR(own->depth);
            VAR(own->depth) = in->at + 1;
        } else {
            in->at = record_room + 1;
            VAR(own->hidden) = VAR(own->hidden) + 1;
            own->says[record_room].store(hidden_section, RCUINFO__SAY);
        }
        in->record = own;
        if (!load_unsettled)
            settle();
        uint64_t number = own->sections[in->at].load(RCUINFO__RELAXED) + section_step;
        uint64_t what = say_slot(number, slot);
        own->open = in->at ? own->open : number;
        own->sections[in->at].store(number, RCUINFO__RELAXED);
        if (!slot_late)
            say(*in, what);
        if (fenced && !say_unfenced) /* rcuinfo__reader_fence_self */
            RCUINFO__FENCE();
        return number;
    }

    /* reader.h rcuinfo__reader_end */
    void end(const section &in)
    {
        in.record->open = in.at ? in.record->open : 0;
        say(in, 0);
        if (in.at > record_room) {
            VAR(in.record->hidden) = VAR(in.record->hidden) - 1;
            if (!VAR(in.record->hidden))
                in.record->says[record_room].store(0, RCUINFO__SAY);
        } else {
            VAR(in.record->depth) = in.at;
        }
    }

    /* reader.c leave: the thread exits. It may begin another section, as another thread. */
    void exit(rl::thread_id_t thread)
    {
        reader *own = selves[thread];
        selves[thread] = 0;
        for (unsigned at = 0; at <= record_room; at++)
            own->says[at].store(0, RCUINFO__SAY);
        VAR(own->depth) = VAR(own->hidden) = 0;
        own->owned.store(false, RCUINFO__RECORD_GIVE);
    }

    /* reader.c rcuinfo__reader_fence */
    void fence()
    {
        if (!fenced)
            membarrier<threads>();
        else if (!look_unfenced)
            RCUINFO__FENCE();
    }
};

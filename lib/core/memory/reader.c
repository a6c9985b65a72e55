/* SPDX-License-Identifier: BSD-3-Clause */
/* reader: see reader.h. */
#include "core/memory/reader.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/memory/alloc.h"
#include "core/memory/lock.h"

struct rcuinfo__reader rcuinfo__reader_none = {.depth = RCUINFO__READER_ROOM};
_Thread_local struct rcuinfo__reader *rcuinfo__reader_self = &rcuinfo__reader_none;
_Thread_local bool rcuinfo__reader_unsettled;
ck_stack_t rcuinfo__reader_list = CK_STACK_INITIALIZER;

_Atomic bool rcuinfo__reader_fenced;
static _Atomic bool all_fenced; /* since then, all sections that began without a fence have ended or are visible */
static bool registered;         /* membarrier worked when the library was loaded */

/* Gives a record back, with whatever sections its thread has left open. */
static void clear(struct rcuinfo__reader *reader)
{
    for (uint32_t at = 0; at <= RCUINFO__READER_ROOM; at++)
        atomic_store_explicit(&reader->says[at], 0, RCUINFO__SAY);
    reader->depth = 0;
    reader->hidden = 0;
    reader->lists_in_use = false;
    rcuinfo__reader_give(reader);
}

void rcuinfo__reader_give(struct rcuinfo__reader *reader)
{
    atomic_store_explicit(&reader->taken, false, RCUINFO__RECORD_GIVE); /* [P14] publish */
}

bool rcuinfo__reader_take(struct rcuinfo__reader *reader)
{
    return !atomic_load_explicit(&reader->taken, RCUINFO__RELAXED) &&
           !atomic_exchange_explicit(&reader->taken, true, RCUINFO__RECORD_TAKE); /* [P14] acquire */
}

static pthread_key_t key;
static bool has_key;

/* Sections of threads without a record: of all threads, and of this one. */
static _Atomic uint32_t crowd;
static _Thread_local uint32_t in_crowd;

/* Counts sections of a thread without a record, or their end. */
static void count_in_crowd(int change)
{
    sigset_t mask;
    rcuinfo__lock_hold_signals(&mask);
    if (change > 0 && has_key) /* so that the exit of the thread ends them */
        (void)pthread_setspecific(key, &rcuinfo__reader_none);
    in_crowd += (uint32_t)change;
    atomic_fetch_add_explicit(&crowd, (uint32_t)change, RCUINFO__SAY); /* [P5] publish */
    rcuinfo__lock_release_signals(&mask);
}

/* At the exit of its thread. `value`: its record; rcuinfo__reader_none: it had none when it read. */
static void leave(void *value)
{
    static _Thread_local bool has_waited;
    struct rcuinfo__reader *reader = value;
    bool has_record = reader != &rcuinfo__reader_none;
    bool is_open = in_crowd > 0 || (has_record && (reader->depth > 0 || reader->hidden > 0));
    sigset_t mask;

    /* A view that another destructor of the thread ends: this one is called once more after all others. */
    if (is_open && !has_waited && pthread_setspecific(key, value) == 0) {
        has_waited = true;
        return;
    }

    /* A signal handler must not take the record again, or fork, in between. */
    rcuinfo__lock_hold_signals(&mask);
    rcuinfo__reader_self = &rcuinfo__reader_none;
    if (has_record)
        clear(reader);
    if (in_crowd > 0)
        count_in_crowd(-(int)in_crowd);
    rcuinfo__lock_release_signals(&mask);
}

static int barrier(int command)
{
    int saved = errno;
    int result = (int)syscall(SYS_membarrier, command, 0, 0);
    errno = saved;
    return result;
}

__attribute__((constructor(101))) static void start(void)
{
    has_key = pthread_key_create(&key, leave) == 0;
    registered = barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
    atomic_store_explicit(&rcuinfo__reader_fenced, !registered, RCUINFO__RELAXED);
    atomic_store_explicit(&all_fenced, !registered, RCUINFO__RELAXED);
}

/* A record that no thread has, or a new one; NULL without memory. */
static struct rcuinfo__reader *take_record(void)
{
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one)) {
        if (rcuinfo__reader_take(one))
            return one;
    }

    /* The first few threads need no memory. */
    enum { FIRST = 64 };
    static struct rcuinfo__reader first[FIRST];
    static _Atomic uint32_t used, numbers;
    bool any = atomic_load_explicit(&used, RCUINFO__RELAXED) < FIRST;
    uint32_t index = any ? atomic_fetch_add_explicit(&used, 1, RCUINFO__RELAXED) : FIRST;
    void *memory;
    struct rcuinfo__reader *made = index < FIRST ? &first[index] : rcuinfo__alloc_slab(sizeof *made, &memory);
    if (!made)
        return NULL;
    made->number = atomic_fetch_add_explicit(&numbers, 1, RCUINFO__RELAXED) + 1;
    for (uint32_t at = 0; at < RCUINFO__READER_ROOM + 2; at++)
        atomic_store_explicit(&made->sections[at], at, RCUINFO__RELAXED);
    atomic_store_explicit(&made->taken, true, RCUINFO__RELAXED);
    ck_stack_push_upmc(&rcuinfo__reader_list, &made->link); /* [P3] publish */
    return made;
}

bool rcuinfo__reader_crowd(void)
{
    return atomic_load_explicit(&crowd, RCUINFO__SAID) != 0; /* [P5] acquire */
}

bool rcuinfo__reader_reading(void)
{
    return in_crowd || (rcuinfo__reader_self->depth > 0 && rcuinfo__reader_self != &rcuinfo__reader_none);
}

/* Gets this thread a record. Returns false if there is no memory for one, or for its exit to give it back. Without
 * signals: a handler that reads would take another one, and of one that forks the child would give this one back. */
static bool join(void)
{
    sigset_t mask;
    rcuinfo__lock_hold_signals(&mask);
    if (rcuinfo__reader_self == &rcuinfo__reader_none) {
        struct rcuinfo__reader *self = take_record();
        if (self && (!has_key || pthread_setspecific(key, self) == 0))
            rcuinfo__reader_self = self;
        else if (self)
            rcuinfo__reader_give(self);
    }
    rcuinfo__lock_release_signals(&mask);
    return rcuinfo__reader_self != &rcuinfo__reader_none;
}

uint32_t rcuinfo__reader_number(void)
{
    if (rcuinfo__reader_self == &rcuinfo__reader_none)
        (void)join();
    return rcuinfo__reader_self->number;
}

struct rcuinfo__section rcuinfo__reader_begin_slowly(void)
{
    struct rcuinfo__section section = {.reader = rcuinfo__reader_self, .at = RCUINFO__READER_ROOM + 1};
    if (section.reader->depth < RCUINFO__READER_ROOM) { /* a signal handler has got the thread its record */
        section.at = section.reader->depth++;
    } else if (section.reader != &rcuinfo__reader_none) {
        section.reader->hidden++;
        atomic_store_explicit(&section.reader->says[RCUINFO__READER_ROOM], RCUINFO__READER_HIDDEN, RCUINFO__SAY);
    } else if (!in_crowd && join()) {
        section = (struct rcuinfo__section){.reader = rcuinfo__reader_self, .at = 0};
        section.reader->depth = 1;
    } else {
        count_in_crowd(1);
    }
    return section;
}

uint32_t rcuinfo__reader_give_up(struct rcuinfo__reader *self, uint32_t at)
{
    while (at > 0 && atomic_load_explicit(&self->says[at - 1], RCUINFO__RELAXED) == RCUINFO__READER_ENDED)
        atomic_store_explicit(&self->says[--at], 0, RCUINFO__SAY);
    RCUINFO__READER_KEEP_ORDER();
    return at;
}

void rcuinfo__reader_end_slowly(struct rcuinfo__section section)
{
    struct rcuinfo__reader *self = section.reader;
    if (self == &rcuinfo__reader_none) {
        if (in_crowd > 0) /* else the exit of the thread has ended it */
            count_in_crowd(-1);
        return;
    }

    if (section.at < RCUINFO__READER_ROOM) /* the place stays in use while one above it is */
        rcuinfo__reader_say(&section, RCUINFO__READER_ENDED);
    else if (--self->hidden == 0)
        atomic_store_explicit(&self->says[RCUINFO__READER_ROOM], 0, RCUINFO__SAY);
}

bool rcuinfo__reader_try_membarrier(void)
{
    return barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0 || !registered;
}

void rcuinfo__reader_pause(long nanoseconds)
{
    struct timespec pause = {.tv_nsec = nanoseconds};
    int saved = errno;
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    while (nanosleep(&pause, &pause) != 0 && errno == EINTR) {
    }
    pthread_setcancelstate(state, NULL);
    errno = saved;
}

void rcuinfo__reader_fence(void)
{
    if (!atomic_load_explicit(&all_fenced, RCUINFO__RELAXED)) {
        if (barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
            return;

        /* Another library's constructor may have called us before ours has registered the process. */
        if (barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 && barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
            return;

        /* From now on all sections fence themselves. Those that are open have no fence, but their stores are on their
         * way to memory, and reach it within microseconds. */
        atomic_store_explicit(&rcuinfo__reader_fenced, true, RCUINFO__RELAXED);
        rcuinfo__reader_pause(10000000);
        atomic_store_explicit(&all_fenced, true, RCUINFO__RELAXED);
    }
    RCUINFO__FENCE();
}

void rcuinfo__reader_after_fork(void)
{
    const struct rcuinfo__reader *self = rcuinfo__reader_self;
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one)) {
        if (one != self)
            clear(one);
    }
    atomic_store_explicit(&crowd, in_crowd, RCUINFO__RELAXED);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* reader: see reader.h. */
#include "core/reader.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"

struct rcuinfo__reader rcuinfo__reader_none = {.depth = RCUINFO__READER_ROOM};
_Thread_local struct rcuinfo__reader *rcuinfo__reader_self = &rcuinfo__reader_none;
ck_stack_t rcuinfo__reader_list = CK_STACK_INITIALIZER;

/* Number of records that are not ASLEEP. Sequentially consistent: either reclaim finds that a reader is awake, or the
 * reader, which woke up later, finds the new root. */
static _Atomic uint32_t awake; /* [P12] field */

static _Atomic bool fenced; /* membarrier does not work */
static bool registered;     /* it did when the library was loaded */

/* Gives a record back, with whatever sections its thread has left open. Returns its state. */
static uint32_t clear(struct rcuinfo__reader *reader)
{
    for (uint32_t at = 0; at <= RCUINFO__READER_ROOM; at++)
        atomic_store_explicit(&reader->says[at], 0, RCUINFO__SAY);
    reader->depth = 0;
    reader->hidden = 0;

    uint32_t state = atomic_exchange_explicit(&reader->state, RCUINFO__READER_ASLEEP, RCUINFO__AWAKE);
    atomic_store_explicit(&reader->owned, false, RCUINFO__SAY);
    return state;
}

/* At the exit of its thread. */
static void leave(void *record)
{
    rcuinfo__reader_self = &rcuinfo__reader_none;
    uint32_t state = clear(record);
    if (state == RCUINFO__READER_AWAKE || state == RCUINFO__READER_DROWSY)
        atomic_fetch_sub_explicit(&awake, 1, RCUINFO__AWAKE);
}

static pthread_key_t key;
static bool has_key;

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
    if (!registered)
        atomic_store_explicit(&fenced, true, RCUINFO__COUNT);
}

/* A record that no thread has, or a new one; NULL without memory. */
static struct rcuinfo__reader *take_record(void)
{
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one)) {
        bool owned = atomic_load_explicit(&one->owned, RCUINFO__COUNT);
        if (!owned && !atomic_exchange_explicit(&one->owned, true, RCUINFO__AWAKE))
            return one;
    }

    /* The first few threads need no memory. */
    static struct rcuinfo__reader first[64];
    static _Atomic uint32_t used;
    void *memory;
    uint32_t index = atomic_fetch_add_explicit(&used, 1, RCUINFO__COUNT);
    struct rcuinfo__reader *made =
        index < sizeof first / sizeof *first ? &first[index] : rcuinfo__alloc_slab(sizeof *made, &memory);
    if (!made)
        return NULL;
    made->number = index + 1;
    atomic_store_explicit(&made->owned, true, RCUINFO__COUNT);
    atomic_store_explicit(&made->state, RCUINFO__READER_ASLEEP, RCUINFO__COUNT);
    ck_stack_push_upmc(&rcuinfo__reader_list, &made->link); /* [P3] publish */
    return made;
}

/* Sections of threads without a record: of all threads, and of this one. */
static _Atomic uint32_t crowd;
static _Thread_local uint32_t in_crowd;

bool rcuinfo__reader_crowd(void)
{
    return atomic_load_explicit(&crowd, RCUINFO__AWAKE_LOAD) != 0;
}

uint32_t rcuinfo__reader_depth(void)
{
    /* Not a place that says nothing: a signal handler may have interrupted its section before the first store. */
    struct rcuinfo__reader *self = rcuinfo__reader_self;
    while (self->depth > 0 &&
           atomic_load_explicit(&self->says[self->depth - 1], RCUINFO__COUNT) == RCUINFO__READER_ENDED)
        self->depth--;
    return self->depth;
}

bool rcuinfo__reader_reading(void)
{
    return in_crowd || (rcuinfo__reader_depth() > 0 && rcuinfo__reader_self != &rcuinfo__reader_none);
}

/* Gets this thread a record. Returns false if there is no memory for one, or for its exit to give it back. */
static bool join(void)
{
    struct rcuinfo__reader *self = take_record();
    if (!self)
        return false;
    if (has_key && pthread_setspecific(key, self) != 0) {
        atomic_store_explicit(&self->owned, false, RCUINFO__SAY);
        return false;
    }
    rcuinfo__reader_self = self;
    return true;
}

uint32_t rcuinfo__reader_number(void)
{
    if (rcuinfo__reader_self == &rcuinfo__reader_none)
        (void)join();
    return rcuinfo__reader_self->number;
}

void rcuinfo__reader_begin_slowly(struct rcuinfo__section *section)
{
    section->at = RCUINFO__READER_ROOM + 1;
    if (rcuinfo__reader_depth() < RCUINFO__READER_ROOM) {
        section->at = section->reader->depth++;
    } else if (section->reader != &rcuinfo__reader_none) {
        section->reader->hidden++;
        atomic_store_explicit(&section->reader->says[RCUINFO__READER_ROOM], RCUINFO__READER_HIDDEN, RCUINFO__SAY);
    } else if (!in_crowd && join()) {
        *section = (struct rcuinfo__section){.reader = rcuinfo__reader_self, .at = 0};
        section->reader->depth = 1;
    } else {
        in_crowd++;
        atomic_fetch_add_explicit(&crowd, 1, RCUINFO__AWAKE);
    }
}

void rcuinfo__reader_end_slowly(const struct rcuinfo__section *section)
{
    struct rcuinfo__reader *self = section->reader;
    if (self == &rcuinfo__reader_none) {
        in_crowd--;
        atomic_fetch_sub_explicit(&crowd, 1, RCUINFO__AWAKE);
        return;
    }

    if (section->at < RCUINFO__READER_ROOM) /* the place stays in use while one above it is */
        rcuinfo__reader_say(section, RCUINFO__READER_ENDED);
    else if (--self->hidden == 0)
        atomic_store_explicit(&self->says[RCUINFO__READER_ROOM], 0, RCUINFO__SAY);
}

void rcuinfo__reader_wake(struct rcuinfo__reader *self)
{
    if (atomic_load_explicit(&fenced, RCUINFO__COUNT)) {
        atomic_store_explicit(&self->state, RCUINFO__READER_FENCED, RCUINFO__COUNT);
        RCUINFO__FENCE(); /* between what was said and the load of the root, as membarrier would have one */
    } else if (atomic_exchange_explicit(&self->state, RCUINFO__READER_AWAKE, RCUINFO__AWAKE) ==
               RCUINFO__READER_ASLEEP) {
        atomic_fetch_add_explicit(&awake, 1, RCUINFO__AWAKE); /* [P12] publish */
    }
}

bool rcuinfo__reader_others_awake(void)
{
    uint32_t all = atomic_load_explicit(&awake, RCUINFO__AWAKE_LOAD); /* [P12] acquire */

    /* Only then this: a scan may put the caller's own record to sleep meanwhile. */
    const struct rcuinfo__reader *self = rcuinfo__reader_self;
    bool own =
        self != &rcuinfo__reader_none && atomic_load_explicit(&self->state, RCUINFO__COUNT) != RCUINFO__READER_ASLEEP;
    return all > own || rcuinfo__reader_crowd() || atomic_load_explicit(&fenced, RCUINFO__COUNT);
}

bool rcuinfo__reader_try_membarrier(void)
{
    return barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0 || !registered;
}

void rcuinfo__reader_pause(long nanoseconds)
{
    const struct timespec pause = {.tv_nsec = nanoseconds};
    int saved = errno;
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    nanosleep(&pause, NULL);
    pthread_setcancelstate(state, NULL);
    errno = saved;
}

/* From now on all sections fence themselves. Those that are open have no fence, but their stores are on their way to
 * memory, and reach it within microseconds. */
static void fence_readers(void)
{
    atomic_store_explicit(&fenced, true, RCUINFO__AWAKE);
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one))
        atomic_store_explicit(&one->state, RCUINFO__READER_FENCED, RCUINFO__AWAKE);

    rcuinfo__reader_pause(10000000);
}

void rcuinfo__reader_fence(void)
{
    if (!atomic_load_explicit(&fenced, RCUINFO__COUNT)) {
        if (barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
            return;

        /* Another library's constructor may have called us before ours has registered the process. */
        if (barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 && barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
            return;
        fence_readers();
    }
    RCUINFO__FENCE();
}

/* Whether no section was begun since the last scan, and none is open. */
static bool is_idle(const struct rcuinfo__reader *reader)
{
    uint64_t said = 0;
    for (uint32_t at = 0; at <= RCUINFO__READER_ROOM; at++)
        said |= atomic_load_explicit(&reader->says[at], RCUINFO__SAID);
    return !(said & ~(uint64_t)RCUINFO__READER_ENDED) &&
           atomic_load_explicit(&reader->sections, RCUINFO__COUNT) == reader->seen;
}

void rcuinfo__reader_tire(struct rcuinfo__reader *reader)
{
    uint32_t state = RCUINFO__READER_AWAKE;
    if (is_idle(reader))
        atomic_compare_exchange_strong_explicit(&reader->state, &state, RCUINFO__READER_DROWSY, RCUINFO__AWAKE,
                                                RCUINFO__COUNT);
}

void rcuinfo__reader_rest(struct rcuinfo__reader *reader)
{
    /* A section that began before the fence is seen here. One that begins after it finds the state, and wakes up. */
    uint32_t state = RCUINFO__READER_DROWSY;
    bool idle = is_idle(reader);
    uint32_t next = idle ? RCUINFO__READER_ASLEEP : RCUINFO__READER_AWAKE;
    if (atomic_compare_exchange_strong_explicit(&reader->state, &state, next, RCUINFO__AWAKE, RCUINFO__COUNT) && idle)
        atomic_fetch_sub_explicit(&awake, 1, RCUINFO__AWAKE);
    reader->seen = atomic_load_explicit(&reader->sections, RCUINFO__COUNT);
}

void rcuinfo__reader_after_fork(void)
{
    const struct rcuinfo__reader *self = rcuinfo__reader_self;
    for (struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one)) {
        if (one != self)
            clear(one);
    }

    bool own =
        self != &rcuinfo__reader_none && atomic_load_explicit(&self->state, RCUINFO__COUNT) != RCUINFO__READER_ASLEEP;
    atomic_store_explicit(&awake, own, RCUINFO__AWAKE);
    atomic_store_explicit(&crowd, in_crowd, RCUINFO__AWAKE);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "linear/run.h"

#include <time.h>

#include "core/debug.h"
#include "support/check.h"
#include "support/counts.h"
#include "support/threads.h"

static struct trial {
    struct linear_history history;
    unsigned threads;     /* that perform it */
    atomic_uint missing;  /* of them, who have not come to the start yet */
    atomic_uint running;  /* of them, who have not come to their end */
    bool stops;           /* thread 0 stops in a read section until the others have come to their end */
    uint32_t unexplained; /* the operations of a part without an order, or 0 */
} batch[LINEAR_BATCH];

static const struct linear_subject *subject;
static unsigned long histories, seed = 1;
static atomic_ulong overlapping; /* histories */
static struct spin_barrier barrier = {.width = LINEAR_THREADS};
/* Set by thread 0 between two barriers. */
static unsigned long first; /* number of the batch's first history */
static unsigned size;       /* of the batch */
static bool more = true;
static time_t end;

static _Atomic uint64_t clock_now = 1;

uint64_t linear_stamp(void)
{
    return atomic_fetch_add_explicit(&clock_now, 1, memory_order_seq_cst);
}

/* While the thread performs operations: the generator of its delays, and the sync points where it yields. */
static _Thread_local struct random *yielding;
static _Thread_local uint64_t yield_at;
static _Thread_local struct trial *stop_in; /* the trial in which this thread is yet to stop, or NULL */
static _Thread_local unsigned sections;     /* sync points of read sections that it passes before */

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    struct trial *trial = stop_in;
    if (trial && point <= RCUINFO__SYNC_HOLD && sections-- == 0) {
        stop_in = NULL;
        TEAM_UNTIL(atomic_load(&trial->running) == 1);
    }
    if (!yielding || !(yield_at >> point & 1))
        return;
    unsigned spins = random_below(yielding, 256);
    if (spins < 128)
        sched_yield();
    else
        for (volatile unsigned i = 0; i < spins; i++)
            ;
}

/* Advances to the next batch, unless a history failed or the limit is reached. */
static void next_batch(void)
{
    for (unsigned i = 0; i < size; i++)
        more = more && !batch[i].unexplained;
    more = more && first + size < histories && (!end || time(NULL) < end);
    if (more) {
        unsigned long left = histories - (first += size);
        size = left < LINEAR_BATCH ? (unsigned)left : LINEAR_BATCH;
    }
}

static void prepare(unsigned i)
{
    struct trial *trial = &batch[i];
    struct random random = {seed};
    random.state = random_next(&random) + (first + i) * UINT64_C(0xd1342543de82ef95);
    trial->threads = subject->make(i, &trial->history, &random);
    atomic_store(&trial->missing, trial->threads);
    atomic_store(&trial->running, trial->threads);
    trial->stops = subject->stops && random_below(&random, 2) == 0;
}

static void perform_all(unsigned i, unsigned thread)
{
    struct linear_history *history = &batch[i].history;
    for (unsigned n = 0; n < history->count; n++) {
        if (history->ops[n].thread == thread)
            subject->perform(i, &history->ops[n]);
    }
}

static void perform_thread(unsigned i, unsigned thread, struct random *random)
{
    atomic_fetch_sub(&batch[i].missing, 1);
    TEAM_UNTIL(atomic_load(&batch[i].missing) == 0);
    yielding = random;
    yield_at = random_next(random); /* at each sync point one time in two */
    stop_in = thread == 0 && batch[i].stops ? &batch[i] : NULL;
    sections = random_below(random, 4);
    perform_all(i, thread);
    stop_in = NULL;
    yielding = NULL;
    atomic_fetch_sub(&batch[i].running, 1);
}

/* Returns whether the history has two concurrent operations on one object. */
static bool overlap(const struct linear_history *history)
{
    for (unsigned i = 0; i < history->count; i++) {
        for (unsigned j = i + 1; j < history->count; j++) {
            const struct linear_op *a = &history->ops[i], *b = &history->ops[j];
            if (a->object == b->object && a->invoked < b->returned && b->invoked < a->returned)
                return true;
        }
    }
    return false;
}

/* Removes skipped operations from the history, then checks it. */
static void check(unsigned i)
{
    struct linear_history *history = &batch[i].history;
    unsigned done = 0;
    perform_all(i, LINEAR_THREADS);
    subject->end(i, history);
    for (unsigned n = 0; n < history->count; n++) {
        if (history->ops[n].invoked)
            history->ops[done++] = history->ops[n];
    }
    history->count = done;
    batch[i].unexplained = linear_check(history);
    atomic_fetch_add(&overlapping, overlap(history));
}

static void work(unsigned index, void *unused)
{
    struct random random = {seed * LINEAR_THREADS + index};
    unsigned long phase = 0;
    (void)unused;
    while (more) {
        for (unsigned i = index; i < size; i += LINEAR_THREADS)
            prepare(i);
        spin_barrier_wait(&barrier, &phase);
        for (unsigned i = 0; i < size; i++) {
            if (index < batch[i].threads)
                perform_thread(i, index, &random);
        }
        spin_barrier_wait(&barrier, &phase);
        for (unsigned i = index; i < size; i += LINEAR_THREADS)
            check(i);
        spin_barrier_wait(&barrier, &phase);
        if (index == 0)
            next_batch();
        spin_barrier_wait(&barrier, &phase);
    }
}

/* Prints the shortest part without an order among the histories of the last batch. Returns whether there is one. */
static bool report_failure(void)
{
    const struct trial *shortest = NULL;
    int length = LINEAR_OPS + 1;
    for (const struct trial *trial = batch; trial < batch + size; trial++) {
        if (trial->unexplained && __builtin_popcount(trial->unexplained) < length) {
            shortest = trial;
            length = __builtin_popcount(trial->unexplained);
        }
    }
    if (!shortest)
        return false;
    printf("not linearizable: history %lu of seed %lu. No order explains these %d of its %u operations:\n",
           first + (unsigned long)(shortest - batch), seed, length, shortest->history.count);
    linear_print(&shortest->history, shortest->unexplained);
    return true;
}

int linear_run(const struct linear_subject *what, int argc, char *argv[])
{
    subject = what;
    histories = getenv("TEST_FULL") ? subject->histories : subject->histories / 3;
    if (argc > 1)
        histories = strtoul(argv[1], NULL, 10);
    if (argc > 2 && strcmp(argv[2], "0") != 0)
        end = time(NULL) + strtol(argv[2], NULL, 10);
    if (argc > 3)
        seed = strtoul(argv[3], NULL, 10);
    next_batch();
    if (more)
        team_run(LINEAR_THREADS, work, NULL);

    unsigned long checked = first + size, overlaps = atomic_load(&overlapping);
    bool failed = report_failure();
    printf("%lu histories checked, %lu with concurrent operations\n", checked, overlaps);
    if (failed)
        return 1;
    CHECK(checked == histories || end);
    CHECKF(overlaps >= checked / 10, "too few to say anything");
    counts_report(subject->name, "histories checked", checked);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * linearize: has threads do small random programs on the store and decides of each history whether it is linearizable.
 * Threads and memory are reused from batch to batch.
 *
 * usage: linearize [HISTORIES [FILL [SECONDS [SEED]]]]
 * One history in FILL (default: 4; 0: none) has objects with further pairs. After SECONDS it ends with what was checked
 * until then. SEED (default: 1) is that of the programs; what the threads make of them differs from run to run. Exit
 * status: 0 all are linearizable, 1 one is not, or too few had concurrent operations, or copied a block.
 */
#include <time.h>

#include "linear/perform.h"
#include "linear/search.h"
#include "support/counts.h"
#include "support/scale.h"
#include "support/threads.h"

enum { BATCH = 64, HISTORIES = TEST_SANITIZED ? 10000 : SCALED(110000), LEAST = 3 };

static unsigned long histories = HISTORIES, fill = 4, seed = 1;

static atomic_ulong per_key, overlapping, copied; /* histories; the last, in which an object came to another block */

static struct perform batch[BATCH];
static unsigned threads[BATCH]; /* of each history */
static struct linear_verdict verdicts[BATCH];
static struct spin_barrier barrier = {.width = LINEAR_THREADS};
/* Set by thread 0 between two barriers. */
static unsigned long first; /* number of the batch's first history */
static unsigned size;       /* of the batch */
static bool more = true;
static time_t end;

/* Goes on to the next batch, unless there was a failure, or enough is done. */
static void next_batch(void)
{
    for (unsigned i = 0; i < size; i++)
        more = more && verdicts[i].linearizable;
    more = more && first + size < histories && (!end || time(NULL) < end);
    if (more) {
        unsigned long left = histories - (first += size);
        size = left < BATCH ? (unsigned)left : BATCH;
    }
}

static void prepare(unsigned i)
{
    struct random random = {seed};
    random.state = random_next(&random) + (first + i) * UINT64_C(0xd1342543de82ef95);
    threads[i] = LEAST + random_below(&random, LINEAR_THREADS - LEAST + 1);
    linear_generate(&batch[i].history, &random, threads[i]);
    batch[i].fill = fill && random_below(&random, (unsigned)fill) == 0 ? fill_any(&random) : (struct fill){0};
    perform_begin(&batch[i], threads[i]);
}

/* Whether there are two operations on one object of which neither returned before the other was invoked. */
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

static void check(unsigned i, struct linear_search *search)
{
    perform_end(&batch[i]);
    verdicts[i] = linear_check(search, &batch[i].history);
    atomic_fetch_add(&per_key, verdicts[i].per_key);
    atomic_fetch_add(&overlapping, overlap(&batch[i].history));
    atomic_fetch_add(&copied, batch[i].copied);
}

static void work(unsigned index, void *unused)
{
    struct linear_search *search = linear_search_new();
    struct random random = {seed * LINEAR_THREADS + index};
    unsigned long phase = 0;
    (void)unused;
    while (more) {
        for (unsigned i = index; i < size; i += LINEAR_THREADS)
            prepare(i);
        spin_barrier_wait(&barrier, &phase);
        for (unsigned i = 0; i < size; i++) {
            if (index < threads[i])
                perform_thread(&batch[i], index, &random);
        }
        spin_barrier_wait(&barrier, &phase);
        for (unsigned i = index; i < size; i += LINEAR_THREADS)
            check(i, search);
        spin_barrier_wait(&barrier, &phase);
        if (index == 0)
            next_batch();
        spin_barrier_wait(&barrier, &phase);
    }
    linear_search_free(search);
}

/* Prints, of the histories of the last batch that are not linearizable, the part that is shortest. Returns whether
 * there is one. */
static bool report_failure(void)
{
    unsigned shortest = BATCH;
    int length = LINEAR_OPS + 1;

    for (unsigned i = 0; i < size; i++) {
        if (!verdicts[i].linearizable && __builtin_popcount(verdicts[i].part) < length) {
            shortest = i;
            length = __builtin_popcount(verdicts[i].part);
        }
    }
    if (shortest == BATCH)
        return false;

    printf("not linearizable: history %lu of seed %lu. No order explains these %d of its %u operations:\n",
           first + shortest, seed, length, batch[shortest].history.count);
    if (batch[shortest].fill.pairs)
        puts("(its objects have fixed pairs besides)");
    linear_print(stdout, &batch[shortest].history, verdicts[shortest].part);
    return true;
}

static int report(void)
{
    unsigned long checked = first + size;
    bool failed = report_failure();
    printf("%lu histories checked, %lu per key, %lu with concurrent operations, %lu with copies\n", checked,
           atomic_load(&per_key), atomic_load(&overlapping), atomic_load(&copied));
    if (!failed && (atomic_load(&overlapping) < checked / 10 || atomic_load(&copied) < checked / 10)) {
        puts("too few of them had concurrent operations, or copied a block, to say anything");
        failed = true;
    }
    if (!failed)
        counts_report("linear.histories", "histories checked", checked);
    return failed;
}

int main(int argc, char *argv[])
{
    if (argc > 1)
        histories = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        fill = strtoul(argv[2], NULL, 10);
    if (argc > 3)
        end = time(NULL) + strtol(argv[3], NULL, 10);
    if (argc > 4)
        seed = strtoul(argv[4], NULL, 10);
    next_batch();
    if (more)
        team_run(LINEAR_THREADS, work, NULL);
    return report();
}

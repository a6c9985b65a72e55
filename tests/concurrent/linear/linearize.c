/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * linearize: has threads do small random programs on the store and decides of each history whether it is linearizable.
 * Threads and memory are reused from batch to batch. See `usage` for the options and the exit status.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "linear/generate.h"
#include "linear/perform.h"
#include "linear/search.h"
#include "linear/texts.h"
#include "support/counts.h"
#include "support/scale.h"
#include "support/threads.h"

enum { BATCH = 64, HISTORIES = TEST_SANITIZED ? 10000 : SCALED(110000), FAILED = 1, USAGE = 2 };

static const char usage[] =
    "usage: linearize [--histories N] [--threads N | --threads MIN..MAX] [--seconds N] [--seed N]\n"
    "                 [--fill N]\n"
    "  --histories N       check so many (default: %d)\n"
    "  --threads MIN..MAX  of so many threads each, 2 to 4 (default: 3..4)\n"
    "  --seconds N         end after so much time with what was checked until then\n"
    "  --seed N            of the programs (default: 1); what the threads make of them differs from run to run\n"
    "  --fill N            one history in so many has objects whose blocks are nearly full (default: 4; 0: none)\n"
    "exit status: 0 all are linearizable, 1 one is not, or too few had concurrent operations, or copied a block, 2 "
    "wrong\n"
    "usage\n";

static struct options {
    unsigned long histories;
    unsigned long seconds;
    unsigned long seed;
    unsigned long least;
    unsigned long most;
    unsigned long fill;
} options = {.histories = HISTORIES, .seconds = INT_MAX, .seed = 1, .least = 3, .most = LINEAR_THREADS, .fill = 4};

/* What was checked; each thread counts for itself. */
struct tally {
    unsigned long histories;
    unsigned long per_key;
    unsigned long operations;
    unsigned long overlaps;
    unsigned long overlapping; /* histories */
    unsigned long copied;      /* histories in which an object came to another block */
};

static struct tally tallies[LINEAR_THREADS];
static struct perform batch[BATCH];
static unsigned threads[BATCH]; /* of each history */
static struct linear_verdict verdicts[BATCH];
static struct spin_barrier barrier;
/* Set by thread 0 between two barriers. */
static unsigned long first; /* number of the batch's first history */
static unsigned size;       /* of the batch */
static bool more;
static int64_t end;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static void set_size(void)
{
    unsigned long left = options.histories - first;
    size = left < BATCH ? (unsigned)left : BATCH;
}

/* Goes on to the next batch, unless this one was the last. */
static void next_batch(void)
{
    for (unsigned i = 0; i < size; i++)
        more = more && verdicts[i].linearizable;
    more = more && first + size < options.histories && now() < end;
    if (more) {
        first += size;
        set_size();
    }
    if (isatty(STDERR_FILENO) && (!more || first / BATCH % 16 == 0))
        fprintf(stderr, "\r%lu of %lu histories%s", first + (more ? 0 : size), options.histories, more ? "" : "\n");
}

static void prepare(unsigned i)
{
    struct random random = {options.seed};
    random.state = random_next(&random) + (first + i) * UINT64_C(0xd1342543de82ef95);
    threads[i] = (unsigned)options.least + random_below(&random, (unsigned)(options.most - options.least + 1));
    linear_generate(&batch[i].history, &random, threads[i]);
    batch[i].fill = options.fill && random_below(&random, (unsigned)options.fill) == 0 ? fill_any(&random) : NULL;
    perform_begin(&batch[i], threads[i]);
}

static void check(unsigned i, struct linear_search *search, struct tally *tally)
{
    perform_end(&batch[i]);
    verdicts[i] = linear_check(search, &batch[i].history);
    unsigned overlaps = linear_overlaps(&batch[i].history);
    tally->histories++;
    tally->per_key += verdicts[i].per_key;
    tally->operations += batch[i].history.count;
    tally->overlaps += overlaps;
    tally->overlapping += overlaps > 0;
    tally->copied += batch[i].copied;
}

static void work(unsigned index, void *unused)
{
    struct linear_search *search = linear_search_new();
    struct random random = {options.seed * LINEAR_THREADS + index};
    unsigned width = (unsigned)barrier.width;
    unsigned long phase = 0;
    (void)unused;
    while (more) {
        for (unsigned i = index; i < size; i += width)
            prepare(i);
        spin_barrier_wait(&barrier, &phase);
        for (unsigned i = 0; i < size; i++) {
            if (index < threads[i])
                perform_thread(&batch[i], index, &random);
        }
        spin_barrier_wait(&barrier, &phase);
        for (unsigned i = index; i < size; i += width)
            check(i, search, &tallies[index]);
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
    const struct linear_history *history = NULL;
    unsigned shortest = 0, length = LINEAR_OPS + 1;

    for (unsigned i = 0; i < size; i++) {
        unsigned operations = (unsigned)__builtin_popcount(verdicts[i].part);
        if (!verdicts[i].linearizable && operations < length) {
            history = &batch[i].history;
            shortest = i;
            length = operations;
        }
    }
    if (!history)
        return false;

    printf("not linearizable: history %lu of seed %lu. No order explains these %u of its %u operations:\n",
           first + shortest, options.seed, length, history->count);
    if (batch[shortest].fill)
        puts("(its objects have fixed pairs besides, in blocks that are nearly full)");
    linear_print(stdout, history, verdicts[shortest].part);
    return true;
}

static int report(void)
{
    struct tally sum = {0};
    for (unsigned i = 0; i < LINEAR_THREADS; i++) {
        sum.histories += tallies[i].histories;
        sum.per_key += tallies[i].per_key;
        sum.operations += tallies[i].operations;
        sum.overlaps += tallies[i].overlaps;
        sum.overlapping += tallies[i].overlapping;
        sum.copied += tallies[i].copied;
    }
    bool failed = report_failure();
    printf("%lu histories checked (per key %lu, whole %lu), operations %lu, overlapping pairs %lu in %lu histories, "
           "copies in %lu, seed %lu\n",
           sum.histories, sum.per_key, sum.histories - sum.per_key, sum.operations, sum.overlaps, sum.overlapping,
           sum.copied, options.seed);
    if (!failed && (sum.overlapping < sum.histories / 10 || sum.copied < sum.histories / 10)) {
        puts("too few of them had concurrent operations, or copied a block, to say anything");
        failed = true;
    }
    if (!failed)
        counts_report("linear.histories", "histories checked", sum.histories);
    return failed ? FAILED : 0;
}

/* Reads a number at *text and moves it on; false when there is none between least and most. */
static bool number(const char **text, unsigned long least, unsigned long most, unsigned long *to)
{
    char *behind;
    errno = 0;
    *to = strtoul(*text, &behind, 10);
    bool good = **text >= '0' && **text <= '9' && errno == 0 && *to >= least && *to <= most;
    *text = behind;
    return good;
}

static bool range(const char **text)
{
    if (!number(text, 2, LINEAR_THREADS, &options.least))
        return false;
    options.most = options.least;
    if (strncmp(*text, "..", 2) != 0)
        return true;
    *text += 2;
    return number(text, options.least, LINEAR_THREADS, &options.most);
}

static bool parse(int argc, char *argv[])
{
    static const struct option names[] = {
        {"histories", required_argument, NULL, 'h'}, {"threads", required_argument, NULL, 't'},
        {"seconds", required_argument, NULL, 's'},   {"seed", required_argument, NULL, 'e'},
        {"fill", required_argument, NULL, 'f'},      {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        const char *text = optarg;
        bool good = option == 'h'   ? number(&text, 1, ULONG_MAX / 2, &options.histories)
                    : option == 's' ? number(&text, 1, INT_MAX, &options.seconds)
                    : option == 'e' ? number(&text, 0, ULONG_MAX, &options.seed)
                    : option == 'f' ? number(&text, 0, INT_MAX, &options.fill)
                    : option == 't' ? range(&text)
                                    : false;
        if (!good || *text)
            return false;
    }
    return optind == argc;
}

int main(int argc, char *argv[])
{
    if (!parse(argc, argv)) {
        fprintf(stderr, usage, HISTORIES);
        return USAGE;
    }
    texts_make();
    set_size();
    more = true;
    end = now() + (int64_t)options.seconds;
    barrier.width = options.most;
    team_run((unsigned)options.most, work, NULL);
    return report();
}

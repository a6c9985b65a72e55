/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory is bounded, whatever a program calls: from outside, by public calls and what the kernel says of the process.
 * Loops of random calls (bodies.h) run in 1, 3 and 16 threads, each sequence in a process of its own. The bytes that
 * wait and the growth of the process stay within the bounds of bounds.h, and nothing stays at the end. Plain loops that
 * many programs have come first.
 *
 * With "forks", each sequence forks at random moments, some of them in a signal handler. Parent and child go on, and
 * nothing stays in either.
 *
 * usage: test_memory [plain | [forks] [seed]]
 * plain: only the plain loops, up to the first that fails.
 */
#include <malloc.h>
#include <sys/mman.h>

#include "promise/bodies.h"
#include "support/counts.h"
#include "support/spawn.h"

/* Sequences; TEST_FULL, as set by tools/check --full, makes ten times as many. */
enum {
    SEQUENCES = TEST_SANITIZED ? 12 : SCALED(90),
    WITH_FORKS = TEST_SANITIZED ? 6 : SCALED(45),
    FULL = 10,
    SHOWN = 20
};

static struct body_peaks *peaks; /* shared with the children */
static unsigned failed;

/* Prints what a body does if it fails, unless many have failed before. */
static void run(const struct body *body, const char *name)
{
    struct bounds_needs needs = body_needs(body);
    int status = 0;
    (void)fflush(stdout);
    *peaks = (struct body_peaks){0};
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        body_run(body, peaks);
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    size_t most = TEST_SANITIZED ? SIZE_MAX : bounds_growth(&needs); /* sanitizers keep freed memory, and its shadow */
    if (status == 0 && peaks->waiting <= bounds_waiting(&needs) && peaks->growth <= most)
        return;
    printf("failed: %s: status %#x; %zu KiB waited, and %zu may; the process grew by %zu KiB, and may by %zu\n", name,
           (unsigned)status, peaks->waiting >> 10, bounds_waiting(&needs) >> 10, peaks->growth >> 10, most >> 10);
    if (++failed <= SHOWN)
        body_print(body, stdout);
}

static void run_plain(bool until_one_fails)
{
    static const struct {
        const char *name;
        unsigned count;
        struct body_step then[3];
    } plain[] = {
        {"dup and free", 1, {{BODY_DUP, BODY_OWN, 1, 1, 1, true, false}}},
        {"a set on the dup", 1, {{BODY_DUP, BODY_OWN, 1, 1, 200, true, true}}},
        {"a snapshot", 1, {{BODY_SNAPSHOT, BODY_OWN, 1, 1, 1, true, false}}},
        {"two snapshots", 1, {{BODY_SNAPSHOT, BODY_OWN, 2, 1, 1, true, false}}},
        {"three views", 1, {{BODY_VIEW, BODY_OWN, 3, 1, 1, true, false}}},
        {"dups inside a view", 1, {{BODY_VIEW, BODY_OWN, 1, 1, 1, true, true}}},
        {"a free beside snapshots", 1, {{BODY_SNAPSHOT, BODY_OWN, 20, 20, 1000, true, true}}},
        {"hints merged inside a view",
         2,
         {{BODY_VIEW_KEPT, BODY_OWN, 1, 1, 1, true, false}, {BODY_MERGE, BODY_OWN, 1, 8, 200, false, true}}},
        {"many dups", 2, {{BODY_DUP, BODY_OWN, 9, 1, 1, true, false}, {BODY_VIEW, BODY_OWN, 1, 1, 1, true, true}}},
    };
    static const unsigned lengths[] = {200, 1000};
    for (size_t i = 0; i < 2 * sizeof plain / sizeof *plain && !(until_one_fails && failed); i++) {
        struct body body = {.threads = 1, .loops[0].count = 1 + plain[i / 2].count};
        char name[64];
        body.loops[0].steps[0] = (struct body_step){BODY_SET, BODY_OWN, 1, 1, lengths[i % 2], true, false};
        memcpy(&body.loops[0].steps[1], plain[i / 2].then, sizeof plain[i / 2].then);
        (void)snprintf(name, sizeof name, "set, %s, %u bytes", plain[i / 2].name, lengths[i % 2]);
        run(&body, name);
        printf("%s: %zu KiB waited at most, the process grew by %zu KiB\n", name, peaks->waiting >> 10,
               peaks->growth >> 10);
    }
}

static void run_random(uint64_t from, uint64_t to, bool forks)
{
    struct body_peaks most[3] = {{0, 0}};
    unsigned long runs[3] = {0};
    for (uint64_t seed = from; seed < to; seed++) {
        struct body body;
        char name[32];
        (void)snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
        body_make(&body, seed, forks);
        run(&body, name);
        struct body_peaks *worst = &most[seed % 3];
        runs[seed % 3]++;
        worst->waiting = peaks->waiting > worst->waiting ? peaks->waiting : worst->waiting;
        worst->growth = peaks->growth > worst->growth ? peaks->growth : worst->growth;
    }
    for (unsigned i = 0; i < 3; i++)
        printf("%2u threads: %lu sequences; at most %zu KiB waited, and a process grew by %zu KiB\n",
               i == 0   ? 1
               : i == 1 ? 3
                        : BODY_THREADS,
               runs[i], most[i].waiting >> 10, most[i].growth >> 10);
}

int main(int argc, char **argv)
{
    const bool forks = argc > 1 && strcmp(argv[1], "forks") == 0;
    const bool plain = argc > 1 && strcmp(argv[1], "plain") == 0;
    const char *seed = !plain && argc > 1 + forks ? argv[1 + forks] : NULL;
    const uint64_t sequences = (uint64_t)(forks ? WITH_FORKS : SEQUENCES) * (getenv("TEST_FULL") ? FULL : 1);
    const uint64_t first = seed ? strtoull(seed, NULL, 10) : 0;
    /* With an arena per thread, malloc would keep the sum of the peaks, not the peak of the sum. */
    CHECK(TEST_SANITIZED || mallopt(M_ARENA_MAX, 1) == 1);
    peaks = mmap(NULL, sizeof *peaks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(peaks != MAP_FAILED);
    if (!seed && !forks)
        run_plain(plain);
    if (!plain) {
        run_random(first, seed ? first + 1 : sequences, forks);
        counts_report(forks ? "promise.forks" : "promise.memory", "loops of random calls", (unsigned long)sequences);
    }
    if (failed)
        printf("%u failed; to repeat one: test_promise_memory%s SEED\n", failed, forks ? " forks" : "");
    return failed > 0;
}

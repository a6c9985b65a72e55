/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No call needs a thread to register: each of 20,000 short threads starts with another call, eight at a time, on
 * objects that other threads made and will free. Neither the store nor the process grows with the threads that came and
 * went.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/resident.h"
#include "support/scale.h"
#include "support/threads.h"

enum { WAVES = TEST_SANITIZED ? 200 : 2500, EARLY = WAVES / 5, WIDTH = 8, FIRST_CALLS = 10 };

/* What malloc and the pools may still take after a fifth of the threads. */
#define GROWTH_BYTES ((size_t)2 << 20)

static rcuinfo_t shared;
static rcuinfo_t made[WIDTH]; /* by a thread of the last wave, to be freed by one of this */
static unsigned wave;
static atomic_ulong sets;

static void first_call(unsigned which, rcuinfo_t *mine)
{
    char text[64];
    int flag = 0, number = sizeof text;
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t copy;
    uint64_t version;
    switch (which) {
    case 0:
        CHECK_OK(rcuinfo_get(shared, "key", sizeof text - 1, text, &flag));
        CHECK(flag == 1);
        break;
    case 1:
        CHECK_OK(rcuinfo_get_string(shared, "key", &number, text, &flag));
        CHECK(flag == 1);
        break;
    case 2:
        CHECK_OK(rcuinfo_get_nkeys(shared, &number));
        CHECK(number == 1);
        break;
    case 3:
        CHECK_OK(rcuinfo_get_nthkey(shared, 0, text));
        break;
    case 4:
        CHECK_OK(rcuinfo_set(shared, "key", "value"));
        atomic_fetch_add(&sets, 1);
        break;
    case 5:
        CHECK_OK(rcuinfo_dup(shared, &copy));
        CHECK_OK(rcuinfo_free(&copy));
        break;
    case 6:
        CHECK_OK(rcuinfo_snapshot_open(shared, &snapshot));
        rcuinfo_snapshot_close(snapshot);
        break;
    case 7:
        CHECK_OK(rcuinfo_current_version(shared, &version));
        break;
    case 8:
        (void)rcuinfo_store_drain();
        break;
    default:
        if (*mine != RCUINFO_NULL)
            CHECK_OK(rcuinfo_free(mine));
        break;
    }
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    first_call((wave + index) % FIRST_CALLS, &made[index]);
    if (made[index] != RCUINFO_NULL)
        CHECK_OK(rcuinfo_free(&made[index]));
    CHECK_OK(rcuinfo_create(&made[index]));
    CHECK_OK(rcuinfo_set(made[index], "of", "a thread that is gone"));
}

/* The same thread body again and again, each the only one besides main. */
static void *alone(void *argument)
{
    first_call(*(unsigned *)argument % FIRST_CALLS, &made[0]);
    return NULL;
}

int main(void)
{
    rcuinfo_stats_t stats;
    size_t early = 0, late;
    CHECK_OK(rcuinfo_create(&shared));
    CHECK_OK(rcuinfo_set(shared, "key", "value"));
    for (wave = 0; wave < WAVES; wave++) {
        if (wave == EARLY)
            early = resident_bytes();
        team_run(WIDTH, body, NULL);
    }
    late = resident_bytes();
    CHECKF(TEST_SANITIZED || late <= early + GROWTH_BYTES, "%zu bytes after %d threads, %zu after %d", early,
           EARLY * WIDTH, late, WAVES * WIDTH);
    for (unsigned i = 0; i < 10 * FIRST_CALLS; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, alone, &i) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    CHECK(atomic_load(&sets) > 0);
    for (unsigned i = 0; i < WIDTH; i++) {
        if (made[i] != RCUINFO_NULL)
            CHECK_OK(rcuinfo_free(&made[i]));
    }
    CHECK_OK(rcuinfo_free(&shared));
    CHECK(rcuinfo_store_drain() == 0);
    rcuinfo_store_stats(&stats);
    CHECK(stats.live == 0 && stats.retired == 0);
    printf("%zu KiB resident after %d threads, %zu after %d\n", early >> 10, EARLY * WIDTH, late >> 10, WAVES * WIDTH);
    return 0;
}

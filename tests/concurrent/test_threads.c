/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No call needs a thread to register: each of 20,000 short threads starts with another call, eight at a time, on
 * objects that other threads made and will free. Neither the store nor the process grows with the threads that came and
 * went.
 */
#include <rcuinfo/rcuinfo.h>

#include "reads.h"
#include "support/left.h"
#include "support/resident.h"
#include "support/scale.h"
#include "support/threads.h"

enum { WAVES = TEST_SANITIZED ? 200 : 2500, EARLY = WAVES / 5, WIDTH = 8, FIRST_CALLS = READS + 5 };

/* What malloc and the pools may still take after a fifth of the threads. */
#define GROWTH_BYTES ((size_t)2 << 20)

static rcuinfo_t shared;
static rcuinfo_t made[WIDTH]; /* by a thread of the last wave, to be freed by one of this */
static unsigned wave;

static void first_call(unsigned which, rcuinfo_t *mine)
{
    const rcuinfo_snapshot_t *snapshot;
    if (which < READS) {
        CHECK(reads[which].call(shared) >= reads[which].answer);
        return;
    }
    switch (which - READS) {
    case 0:
        CHECK_OK(rcuinfo_set(shared, "key", "before"));
        break;
    case 1:
        object_free(object_dup(shared));
        break;
    case 2:
        CHECK_OK(rcuinfo_snapshot_open(shared, &snapshot));
        rcuinfo_snapshot_close(snapshot);
        break;
    case 3:
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
    made[index] = OBJECT("of", "a thread that is gone");
}

int main(void)
{
    size_t early = 0, late;
    shared = OBJECT("key", "before");
    for (wave = 0; wave < WAVES; wave++) {
        if (wave == EARLY)
            early = resident_bytes();
        team_run(WIDTH, body, NULL);
    }
    late = resident_bytes();
    CHECKF(TEST_SANITIZED || late <= early + GROWTH_BYTES, "%zu bytes after %d threads, %zu after %d", early,
           EARLY * WIDTH, late, WAVES * WIDTH);
    for (unsigned i = 0; i < WIDTH; i++) {
        if (made[i] != RCUINFO_NULL)
            object_free(made[i]);
    }
    object_free(shared);
    left_nothing();
    printf("%zu KiB resident after %d threads, %zu after %d\n", early >> 10, EARLY * WIDTH, late >> 10, WAVES * WIDTH);
    return 0;
}

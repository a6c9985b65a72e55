/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * free racing with any other call on the same handle: that call finishes on the object's content or says
 * RCUINFO_ERR_INFO. It never crashes, never shows another object's content, and of two frees one succeeds.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { THREADS = 4, ROUNDS = SCALED(400000) };

static _Atomic rcuinfo_t current;
static atomic_int finished;
static atomic_ulong on_content, on_nothing, frees;

/* The handle's own text, which only its object holds. */
static void name_of(rcuinfo_t info, char *text)
{
    (void)snprintf(text, 40, "object %llu", (unsigned long long)info);
}

static rcuinfo_t make(void)
{
    rcuinfo_t info;
    char name[40];
    CHECK_OK(rcuinfo_create(&info));
    name_of(info, name);
    CHECK_OK(rcuinfo_set(info, "name", name));
    return info;
}

/* Whether the call met the object; checks that it was the object of that handle. */
static int met(rcuinfo_status_t status, const char *text, const char *name)
{
    CHECKF(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_INFO, "status %d", (int)status);
    CHECKF(status != RCUINFO_SUCCESS || strcmp(text, name) == 0, "\"%s\" for \"%s\"", text, name);
    return status == RCUINFO_SUCCESS;
}

static int one_call(rcuinfo_t info, unsigned long i)
{
    char text[48] = "#", name[40];
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    rcuinfo_status_t status;
    rcuinfo_t copy;
    int flag = 1, size = sizeof text;
    name_of(info, name);
    switch (i % 6) {
    case 0:
        status = rcuinfo_get(info, "name", sizeof text - 1, text, &flag);
        CHECK(flag == 1);
        return met(status, text, name);
    case 1:
        status = rcuinfo_get_string(info, "name", &size, text, &flag);
        CHECK(flag == 1);
        return met(status, text, name);
    case 2:
        return met(rcuinfo_get_nthkey(info, 0, text), text, "name");
    case 3:
        status = rcuinfo_dup(info, &copy);
        CHECK((status == RCUINFO_SUCCESS) == (copy != RCUINFO_NULL));
        if (status == RCUINFO_SUCCESS) {
            CHECK_OK(rcuinfo_get(copy, "name", sizeof text - 1, text, &flag));
            CHECK_OK(rcuinfo_free(&copy));
        }
        return met(status, text, name);
    case 4:
        status = rcuinfo_snapshot_open(info, &snapshot);
        if (status != RCUINFO_SUCCESS)
            return met(status, text, name);
        CHECK_OK(rcuinfo_snapshot_find(snapshot, "name", &pair));
        (void)met(status, pair.value, name);
        rcuinfo_snapshot_close(snapshot);
        return 1;
    default:
        return met(rcuinfo_set(info, "other", "value"), name, name);
    }
}

static void use(unsigned index)
{
    unsigned long hits = 0, misses = 0;
    for (unsigned long i = index; !atomic_load(&finished); i++) {
        rcuinfo_t info = atomic_load(&current);
        for (unsigned j = 0; j < 8; j++) {
            if (one_call(info, i + j))
                hits++;
            else
                misses++;
        }
        if (i % 16 == 0 && rcuinfo_free(&info) == RCUINFO_SUCCESS) {
            CHECK(info == RCUINFO_NULL);
            atomic_fetch_add(&frees, 1);
        }
    }
    atomic_fetch_add(&on_content, hits);
    atomic_fetch_add(&on_nothing, misses);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index > 0) {
        use(index);
        return;
    }
    for (unsigned long i = 0; i < ROUNDS; i++) {
        rcuinfo_t old = atomic_load(&current);
        atomic_store(&current, make());
        if (rcuinfo_free(&old) == RCUINFO_SUCCESS)
            atomic_fetch_add(&frees, 1);
    }
    atomic_store(&finished, 1);
}

int main(void)
{
    rcuinfo_t last;
    rcuinfo_stats_t stats;
    atomic_store(&current, make());
    team_run(THREADS, body, NULL);
    last = atomic_load(&current);
    if (rcuinfo_free(&last) == RCUINFO_SUCCESS)
        atomic_fetch_add(&frees, 1);
    /* Every object was freed exactly once. */
    CHECKF(atomic_load(&frees) == ROUNDS + 1, "%lu frees of %d objects", atomic_load(&frees), ROUNDS + 1);
    rcuinfo_store_stats(&stats);
    CHECK(stats.live == 0);
    CHECK(atomic_load(&on_content) > 0 && atomic_load(&on_nothing) > 0);
    CHECK(rcuinfo_store_drain() == 0);
    printf("%lu calls on content, %lu on nothing\n", atomic_load(&on_content), atomic_load(&on_nothing));
    return 0;
}

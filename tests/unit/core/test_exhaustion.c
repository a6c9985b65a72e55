/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running out of handles is an error and not a crash: create and dup say RCUINFO_ERR_NO_MEM, what lives goes on, and
 * once objects were freed there are new ones again. Holds a million objects: not built where a sanitizer makes them
 * dear.
 */
#include <pthread.h>
#include <stdlib.h>
#include <urcu/urcu-bp.h>

#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
#include "support/check.h"

#define SLOTS (1ul << RCUINFO__INDEX_BITS)
#define FEW   10000 /* and more than stay in the queue of free slots */

/* Creates objects until there are no more; returns how many. */
static size_t fill(rcuinfo_t *infos)
{
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    size_t n = 0;
    while (n <= SLOTS) {
        infos[n] = 0x1234567;
        status = rcuinfo_create(&infos[n]);
        if (status != RCUINFO_SUCCESS)
            break;
        n++;
    }
    CHECKF(status == RCUINFO_ERR_NO_MEM, "%zu objects, then status %d", n, (int)status);
    CHECK(infos[n] == RCUINFO_NULL);
    return n;
}

static void free_all(rcuinfo_t *infos, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK_OK(rcuinfo_free(&infos[i]));
}

/* Every slot has been in use and nearly all are free: threads that need a few each must not be told that none is. */
static void *come_and_go(void *unused)
{
    rcuinfo_t few[16];
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < 16; i++)
            CHECK_OK(rcuinfo_create(&few[i]));
        for (size_t i = 0; i < 16; i++)
            CHECK_OK(rcuinfo_free(&few[i]));
    }
    return unused;
}

static void few_at_once(void)
{
    pthread_t threads[8];
    for (size_t i = 0; i < 8; i++)
        CHECK(pthread_create(&threads[i], NULL, come_and_go, NULL) == 0);
    for (size_t i = 0; i < 8; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

/*
 * The table is full, and FEW objects are freed that await a grace period: create waits for it, but not inside a read
 * section of the caller's own, which would never end.
 */
static void wait_for_room(rcuinfo_t *infos)
{
    rcuinfo_t info;
    urcu_bp_read_lock();
    free_all(infos, FEW);
    CHECK_STATUS(rcuinfo_create(&info), RCUINFO_ERR_NO_MEM);
    urcu_bp_read_unlock();
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_free(&info));
}

/* The table is full, and the queue is as long as it must stay: however few objects are freed, so many can be created.
 */
static void a_few_more(rcuinfo_t *infos, size_t n)
{
    enum { MORE = 100 };
    free_all(infos, MORE);
    for (size_t i = 0; i < MORE; i++)
        CHECK_OK(rcuinfo_create(&infos[i]));
    free_all(infos, n);
}

/* A hint set is no object, and has versions of its own. */
static void hints_need_no_handle(rcuinfo_t given)
{
    static const rcuinfo_hint_t row = {.key = "key", .type = RCUINFO_HINT_INT, .initial = "0"};
    rcuinfo_schema_t *schema;
    rcuinfo_hint_set_t *hints = NULL;
    int64_t number = 0;
    CHECK_OK(rcuinfo_set(given, "key", "1"));
    CHECK_OK(rcuinfo_schema_create(NULL, &row, 1, &schema, NULL));
    CHECK_OK(rcuinfo_hint_set_create(schema, RCUINFO_NULL, NULL, NULL, &hints));
    CHECK_OK(rcuinfo_hint_set_merge(hints, given));
    CHECK_OK(rcuinfo_hint_set_read(hints, 0, &number));
    CHECK(number == 1);
    CHECK_OK(rcuinfo_hint_set_impose(hints, "key", "2"));
    CHECK_OK(rcuinfo_hint_set_read(hints, 0, &number));
    CHECK(number == 2);
    rcuinfo_hint_set_free(&hints);
    rcuinfo_schema_free(&schema);
}

int main(void)
{
    rcuinfo_t *infos = malloc((SLOTS + 1) * sizeof *infos), copy = 0x1234567, stale;
    rcuinfo_stats_t stats;
    size_t first, again;
    int nkeys = -1;
    CHECK(infos != NULL);
    first = fill(infos);
    CHECKF(first > SLOTS / 2 && first <= SLOTS, "%zu objects", first);
    /* What lives is not harmed. */
    CHECK_STATUS(rcuinfo_dup(infos[0], &copy), RCUINFO_ERR_NO_MEM);
    CHECK(copy == RCUINFO_NULL);
    CHECK_STATUS(rcuinfo_create_env(0, NULL, &copy), RCUINFO_ERR_NO_MEM);
    CHECK(copy == RCUINFO_NULL);
    hints_need_no_handle(infos[0]);
    for (size_t i = 0; i < first; i += 997) {
        CHECK_OK(rcuinfo_set(infos[i], "key", "value"));
        CHECK_OK(rcuinfo_get_nkeys(infos[i], &nkeys));
        CHECK(nkeys == 1);
    }
    rcuinfo_store_stats(&stats);
    CHECK(stats.live == first);
    stale = infos[first - 1];
    free_all(infos, first);
    CHECK_STATUS(rcuinfo_get_nkeys(stale, &nkeys), RCUINFO_ERR_INFO);
    (void)rcuinfo_store_drain();
    again = fill(infos);
    CHECKF(again > SLOTS / 2, "%zu objects the second time", again);
    CHECK_STATUS(rcuinfo_get_nkeys(stale, &nkeys), RCUINFO_ERR_INFO);
    for (size_t i = 0; i < again; i += 991) {
        CHECK_OK(rcuinfo_get_nkeys(infos[i], &nkeys));
        CHECK(nkeys == 0);
    }
    wait_for_room(infos);
    /* Half of them go: there is room for thousands more, without a drain. */
    free_all(infos + FEW, again / 2 - FEW);
    for (size_t i = 0; i < 10000; i++)
        CHECK_OK(rcuinfo_create(&infos[i]));
    free_all(infos, 10000);
    free_all(infos + again / 2, again - again / 2);
    CHECK(rcuinfo_store_drain() == 0);
    few_at_once();
    a_few_more(infos, fill(infos));
    printf("%zu objects, then %zu\n", first, again);
    free(infos);
    return 0;
}

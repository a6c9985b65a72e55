/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles over a long life: a stale one is detected for as many frees as promised, natively and in the narrow forms of
 * the MPI layers; many live at once are distinct, and survive narrowing.
 */
#include <stdbool.h>

#include <rcuinfo/rcuinfo.h>

#include "core/layer.h"
#include "support/objects.h"
#include "support/scale.h"

#define MPICH_BITS 6  /* of generation, in MPICH's int */
#define WIDE_BITS  11 /* in Open MPI's and the standard ABI's pointers */

/* Frees for which stale handles are promised to be detected; the longer promise is kept to in full in optimized builds.
 */
enum { MPICH_FREES = 1 << 18, WIDE_FREES = TEST_SCALE == 1 ? 1 << 22 : 1 << 18, BATCH = 1000 };

static void narrow_and_back(void)
{
    rcuinfo_t info = object_empty();
    uint32_t narrow = rcuinfo__handle_narrow(info, MPICH_BITS), wide = rcuinfo__handle_narrow(info, WIDE_BITS);
    CHECK(narrow != 0 && narrow >> (RCUINFO__INDEX_BITS + MPICH_BITS) == 0);
    CHECK(wide != 0 && wide >> (RCUINFO__INDEX_BITS + WIDE_BITS) == 0);
    CHECK(rcuinfo__handle_widen(narrow, MPICH_BITS) == info);
    CHECK(rcuinfo__handle_widen(wide, WIDE_BITS) == info);
    object_free(info);
    CHECK(rcuinfo__handle_widen(narrow, MPICH_BITS) == RCUINFO_NULL);
    CHECK(rcuinfo__handle_widen(wide, WIDE_BITS) == RCUINFO_NULL);
    CHECK(rcuinfo__handle_widen(0, MPICH_BITS) == RCUINFO_NULL);
    CHECK(rcuinfo__handle_widen(UINT32_MAX, MPICH_BITS) == RCUINFO_NULL);
    CHECK(rcuinfo__handle_widen(UINT32_MAX, WIDE_BITS) == RCUINFO_NULL);
}

/*
 * Holds one stale handle over `frees` further frees, one object living at a time. Draining now and then makes freed
 * slots usable again as soon as can be. (core.stale does it with the bits of MPICH.)
 */
static void stale_over(long frees, unsigned bits)
{
    rcuinfo_t stale = object_empty();
    uint32_t narrow = rcuinfo__handle_narrow(stale, bits);
    int nkeys = -1;
    object_free(stale);
    for (long i = 0; i < frees; i++) {
        rcuinfo_t info = object_empty();
        CHECKF(rcuinfo__handle_widen(narrow, bits) == RCUINFO_NULL && info != stale,
               "a handle of %u bits of generation names another object after %ld frees", bits, i);
        object_free(info);
        if (i % 16 == 0)
            (void)rcuinfo_store_drain();
    }
    CHECK_STATUS(rcuinfo_get_nkeys(stale, &nkeys), RCUINFO_ERR_INFO);
    CHECK_EQUAL(nkeys, -1);
}

/* The same with a thousand objects that live and go together, and a thousand stale handles of theirs. */
static void stale_in_batches(void)
{
    rcuinfo_t infos[BATCH], stale[BATCH];
    uint32_t narrow[BATCH];
    for (int i = 0; i < BATCH; i++) {
        stale[i] = object_empty();
        narrow[i] = rcuinfo__handle_narrow(stale[i], MPICH_BITS);
    }
    for (int i = 0; i < BATCH; i++)
        object_free(stale[i]);
    for (long frees = 0; frees + BATCH <= MPICH_FREES; frees += BATCH) {
        for (int i = 0; i < BATCH; i++)
            infos[i] = object_empty();
        for (int i = 0; i < BATCH; i++) {
            uint64_t version = 77;
            CHECKF(rcuinfo__handle_widen(narrow[i], MPICH_BITS) == RCUINFO_NULL,
                   "stale handle %d names another object after %ld frees", i, frees);
            CHECKF(rcuinfo_current_version(stale[i], &version) == RCUINFO_ERR_INFO && version == 77,
                   "stale native handle %d answers after %ld frees", i, frees);
        }
        for (int i = 0; i < BATCH; i++)
            object_free(infos[i]);
    }
}

/* Each value tells which object a handle names, so the handles are distinct. */
static void many_live_at_once(void)
{
    enum { LIVE = 100000 };
    static rcuinfo_t infos[LIVE];
    static uint32_t narrow[LIVE];
    rcuinfo_stats_t before, stats;
    char value[16];
    rcuinfo_store_stats(&before);
    for (int i = 0; i < LIVE; i++) {
        (void)snprintf(value, sizeof value, "%d", i);
        infos[i] = OBJECT("number", value);
        narrow[i] = rcuinfo__handle_narrow(infos[i], MPICH_BITS);
    }
    rcuinfo_store_stats(&stats);
    CHECK_EQUAL(stats.live - before.live, LIVE);
    for (int i = 0; i < LIVE; i++) {
        (void)snprintf(value, sizeof value, "%d", i);
        CHECK(rcuinfo__handle_widen(narrow[i], MPICH_BITS) == infos[i]);
        CHECK_VALUE(infos[i], "number", value);
    }
    for (int i = 0; i < LIVE; i++)
        object_free(infos[i]);
    rcuinfo_store_stats(&stats);
    CHECK_EQUAL(stats.live, before.live);
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
}

int main(void)
{
    narrow_and_back();
    stale_over(WIDE_FREES, WIDE_BITS);
    stale_in_batches();
    many_live_at_once();
    return 0;
}

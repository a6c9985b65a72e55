/* SPDX-License-Identifier: BSD-3-Clause */
/* Races at the sync points of hint sets and of splits. Linked with the copy of the library that has sync points. */
#include <rcuinfo/rcuinfo.h>

#include "core/memory/deferred.h"
#include "support/hints.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/sync.h"

enum { SETS = 50, SPLITS = 100 };

static rcuinfo_t info;
static int changes;
static atomic_bool go;

static void set_number(const char *number)
{
    CHECK_OK(rcuinfo_hint_set_impose(hints, "number", number));
}

static void retire_late(void)
{
    atomic_store(&go, true);
    team_wait(&sync_stands);
    set_number("6");
}

/* A version of a hint set that is retired after a batch was detached waits for a later grace period: a reader that has
 * loaded it, in a section that began after the batch's grace period, can still read it. */
static void late(unsigned index, void *argument)
{
    int64_t number = -1;
    (void)argument;
    if (index == 0) {
        set_number("5");
        set_number("4");
        set_number("5"); /* old versions to be reclaimed */
        sync_at(RCUINFO__SYNC_PASSED, 1, retire_late);
        CHECK(rcuinfo__deferred_drain() && sync_now.visits == 0);
        /* Make new versions, which reuse memory that is free. */
        for (int i = 0; i < SETS; i++)
            set_number(i % 2 ? "7" : "8");
        atomic_store(&sync_goes_on, true);
        return;
    }
    team_wait(&go);
    sync_at(RCUINFO__SYNC_READ, 1, sync_stop); /* with the version */
    CHECK_OK(rcuinfo_hint_set_read(hints, 0, &number));
    CHECKF(number == 5, "read %ld from a version with 5", (long)number);
}

static void change(enum rcuinfo__sync_point point)
{
    char number[16];
    if (point != RCUINFO__SYNC_READ && point != RCUINFO__SYNC_HOLD)
        return;
    (void)snprintf(number, sizeof number, "%d", ++changes);
    const rcuinfo_change_t both[] = {{"number", number}, {"other", number}};
    CHECK_OK(rcuinfo_update(info, both, 2, NULL));
}

/* The two views of a split come from one version, although the object changes at each sync point at which the split
 * reads. Each version has its number under a recognized key and under one that is not. */
static void split(void)
{
    info = OBJECT("number", "0", "other", "0");
    for (int i = 0; i < SPLITS; i++) {
        rcuinfo_t recognized, rest;
        char before[16];
        int seen = changes;
        (void)snprintf(before, sizeof before, "%d", seen);
        sync_now.each = change;
        CHECK_OK(rcuinfo_schema_split(hints_schema, info, &recognized, &rest));
        sync_now.each = NULL;
        CHECK(changes > seen);
        CHECK_VALUE(recognized, "number", before);
        CHECK_VALUE(rest, "other", before);
        object_free(recognized);
        object_free(rest);
    }
    object_free(info);
}

static void reclaim(void)
{
    set_number("6");
    CHECK(!rcuinfo__deferred_drain()); /* this thread is in a read section */
}

/* The text of a version that was replaced before get_info has taken a reference on it cannot be reclaimed meanwhile. */
static void get_info_holds_the_text(void)
{
    set_number("5");
    sync_at(RCUINFO__SYNC_HOLD, 1, reclaim);
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &info));
    CHECK_EQUAL(sync_now.visits, 0);
    CHECK_VALUE(info, "number", "5");
    object_free(info);
}

int main(void)
{
    hints_begin();
    team_run(2, late, NULL);
    get_info_holds_the_text();
    split();
    hints_end();
    left_nothing();
    return 0;
}

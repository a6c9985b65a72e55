/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call reads it reads within one read section: when the object is changed, or freed, between the steps of the
 * call, and all is reclaimed that can be, the call still has the version that it met, and no memory of it has gone.
 *
 * One thread plays all parts, at the sync points of the store.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "support/age.h"
#include "support/check.h"
#include "support/objects.h"

static rcuinfo_t info, changed;
static int armed, replacing;
static enum rcuinfo__sync_point place;

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (!armed || point != place)
        return;
    armed = 0;
    const _Atomic uint32_t *age = age_of(info);
    uint32_t before = atomic_load(age);
    changed = info;
    if (place == RCUINFO__SYNC_MATCHED) {
        CHECK_OK(rcuinfo_free(&changed));
    } else {
        /* Behind the version in its block, and then in another one. */
        for (int i = 0; i == 0 || (replacing && age_of(info) == age); i++) {
            CHECK_OK(rcuinfo_set(info, "key", "later"));
            CHECK_OK(rcuinfo_set(info, "other", "later"));
        }
    }
    (void)rcuinfo_store_drain();
    CHECKF(atomic_load(age) == before, "the version is gone");
}

static void call_get(void)
{
    CHECK_VALUE(info, "key", "before");
}

static void call_get_string(void)
{
    char value[16];
    int flag = 0, length = sizeof value;
    CHECK_OK(rcuinfo_get_string(info, "key", &length, value, &flag));
    CHECK(flag && length == 7 && strcmp(value, "before") == 0);
}

static void call_get_valuelen(void)
{
    int flag = 0, length = 0;
    CHECK_OK(rcuinfo_get_valuelen(info, "key", &length, &flag));
    CHECK(flag && length == 6);
}

static void call_get_nkeys(void)
{
    int nkeys = object_count(info);
    CHECK(nkeys == 1);
}

static void call_get_nthkey(void)
{
    char key[RCUINFO_MAX_KEY];
    CHECK_OK(rcuinfo_get_nthkey(info, 0, key));
    CHECK(strcmp(key, "key") == 0);
}

static void call_version(void)
{
    uint64_t version = object_version(info);
    CHECK(version == 1);
}

static void call_snapshot_open(void)
{
    rcuinfo_pair_t pair;
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    (void)rcuinfo_store_drain();
    CHECK_OK(rcuinfo_snapshot_find(snapshot, "key", &pair));
    CHECK(rcuinfo_snapshot_count(snapshot) == 1 && strcmp(pair.value, "before") == 0);
    rcuinfo_snapshot_close(snapshot);
}

static void call_dup(void)
{
    rcuinfo_t kept = info;
    rcuinfo_t copy = object_dup(info);
    (void)rcuinfo_store_drain();
    info = copy;
    call_get();
    call_get_nkeys();
    info = kept;
    CHECK_OK(rcuinfo_free(&copy));
}

static void play_once(void (*call)(void), enum rcuinfo__sync_point point)
{
    changed = RCUINFO_NULL;
    info = OBJECT("key", "before");
    place = point;
    armed = 1;
    call();
    CHECK(!armed);
    if (changed != RCUINFO_NULL)
        CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
}

static void play(void (*call)(void), enum rcuinfo__sync_point point)
{
    for (replacing = 0; replacing <= 1; replacing++)
        play_once(call, point);
}

int main(void)
{
    void (*const readers[])(void) = {call_get,       call_get_string, call_get_valuelen,
                                     call_get_nkeys, call_get_nthkey, call_version};
    void (*const takers[])(void) = {call_snapshot_open, call_dup};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        play(readers[i], RCUINFO__SYNC_MATCHED);
        play(readers[i], RCUINFO__SYNC_READ);
    }
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
        play(takers[i], RCUINFO__SYNC_MATCHED);
        play(takers[i], RCUINFO__SYNC_HOLD);
    }
    return 0;
}

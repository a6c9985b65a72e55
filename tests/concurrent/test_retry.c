/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What others do to an object before a change has its lock, or while the change allocates a block without it: the
 * object is freed, or its version needs a larger block by then, or has room for the change again.
 *
 * One thread plays both parts, at the sync point in front of the lock. With AddressSanitizer a block that is left
 * behind shows, too.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "support/left.h"
#include "support/objects.h"

enum { FEW = 7, MANY = 40 }; /* pairs: too much text for a block of 4 KiB, and too many entries */

static rcuinfo_t info;
static rcuinfo_t sharing; /* a dup of info, or RCUINFO_NULL */
static unsigned steps;    /* to the sync point at which the other part is played; 0: it was */
static void (*interfere)(void);

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (point == RCUINFO__SYNC_TO_LOCK && steps > 0 && --steps == 0)
        interfere();
}

static void free_it(void)
{
    rcuinfo_t handle = info;
    CHECK_OK(rcuinfo_free(&handle));
}

/* From here on the change may append, and needs no block. */
static void make_room(void)
{
    CHECK_OK(rcuinfo_set(info, "other0", "in the way"));
}

/* Here it may not: a dup has the block, too. */
static void grow(int pairs)
{
    char key[16], value[RCUINFO_MAX_VALUE] = "";

    memset(value, 'v', sizeof value - 1);
    for (int i = 0; i < pairs; i++) {
        (void)snprintf(key, sizeof key, "other%d", i);
        CHECK_OK(rcuinfo_set(info, key, value));
    }
    sharing = object_dup(info);
}

static void grow_text(void)
{
    grow(FEW);
}

static void grow_entries(void)
{
    grow(MANY);
}

static rcuinfo_status_t set(void)
{
    return rcuinfo_set(info, "key", "after");
}

static rcuinfo_status_t update(void)
{
    const rcuinfo_change_t changes[] = {{"new", "1"}, {"key", "after"}, {"new", NULL}};
    return rcuinfo_update(info, changes, 3, NULL);
}

static rcuinfo_status_t compare_and_set(void)
{
    int swapped = 0;
    rcuinfo_status_t status = rcuinfo_compare_and_set(info, "key", "before", "after", &swapped);
    CHECK(swapped == (status == RCUINFO_SUCCESS));
    return status;
}

static const struct {
    unsigned steps; /* 1: before the first lock, 2: once a block was allocated */
    void (*interfere)(void);
    int nkeys; /* 0: the object is gone */
} cases[] = {
    {1, free_it, 0},   {1, make_room, 2},       {1, grow_text, 1 + FEW},     {2, free_it, 0},
    {2, make_room, 2}, {2, grow_text, 1 + FEW}, {2, grow_entries, 1 + MANY},
};

static void play(rcuinfo_status_t (*change)(void), size_t which)
{
    rcuinfo_t original = OBJECT("key", "before");

    /* Before the lock, of an object that may append. Else of one that copies, since its block is not its own, and that
     * finds no block at hand. */
    info = cases[which].steps == 1 ? OBJECT("key", "before") : object_dup(original);
    CHECK(rcuinfo_store_drain() == 0);
    steps = cases[which].steps;
    interfere = cases[which].interfere;
    CHECK_STATUS(change(), cases[which].nkeys ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO);
    CHECK(steps == 0);

    if (cases[which].nkeys) {
        CHECK_VALUE(info, "key", "after");
        CHECK_EQUAL(object_count(info), cases[which].nkeys);
        object_free(info);
    }
    if (sharing != RCUINFO_NULL) {
        CHECK_VALUE(sharing, "key", "before");
        CHECK_OK(rcuinfo_free(&sharing));
    }
    CHECK_VALUE(original, "key", "before");
    object_free(original);
    left_nothing();
}

int main(void)
{
    rcuinfo_status_t (*const changes[])(void) = {set, update, compare_and_set};

    for (size_t change = 0; change < sizeof changes / sizeof *changes; change++) {
        for (size_t which = 0; which < sizeof cases / sizeof *cases; which++)
            play(changes[change], which);
    }
    return 0;
}

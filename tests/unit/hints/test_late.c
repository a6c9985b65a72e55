/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A version of a hint set that is retired after a batch was detached waits for a grace period of its own: a reader that
 * has loaded it, in a section that began after the batch's grace period, reads it to the end. Linked with the copy of
 * the library that has sync points.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "core/reclaim.h"
#include "support/threads.h"

enum { SETS = 50 };

static const rcuinfo_hint_t row = {.key = "number", .type = RCUINFO_HINT_INT, .initial = "5"};

static rcuinfo_hint_set_t *hints;
static _Thread_local int is_reader;
static atomic_int batches, go, loaded, finish;

static void set_number(const char *number)
{
    CHECK_OK(rcuinfo_hint_set_impose(hints, "number", number));
}

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    unsigned spins = 0;
    if (is_reader && point == RCUINFO__SYNC_READ) {
        atomic_store(&loaded, 1);
        while (!atomic_load(&finish))
            team_relax(&spins);
    }
    if (!is_reader && point == RCUINFO__SYNC_PASSED && atomic_fetch_add(&batches, 1) == 0) {
        atomic_store(&go, 1);
        while (!atomic_load(&loaded))
            team_relax(&spins);
        set_number("6");
    }
}

static void body(unsigned index, void *argument)
{
    unsigned spins = 0;
    (void)argument;
    if (index == 0) {
        CHECK(rcuinfo__reclaim_flush() && atomic_load(&batches) == 1);
        /* New versions, in the memory that is free. */
        for (int i = 0; i < SETS; i++)
            set_number(i % 2 ? "7" : "8");
        atomic_store(&finish, 1);
        return;
    }
    int64_t number = -1;
    while (!atomic_load(&go))
        team_relax(&spins);
    is_reader = 1;
    CHECK_OK(rcuinfo_hint_set_read(hints, 0, &number));
    CHECKF(number == 5, "%ld was read of a version with 5", (long)number);
}

int main(void)
{
    rcuinfo_schema_t *schema;
    CHECK_OK(rcuinfo_schema_create(NULL, &row, 1, &schema, NULL));
    CHECK_OK(rcuinfo_hint_set_create(schema, RCUINFO_NULL, NULL, NULL, &hints));
    team_run(2, body, NULL);
    rcuinfo_hint_set_free(&hints);
    rcuinfo_schema_free(&schema);
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two views of one split are of one version, whatever is written meanwhile: the object changes at each sync point
 * of a split at which it reads. Each version has its number under a key that is recognized and under one that is not.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "support/left.h"
#include "support/objects.h"

enum { SPLITS = 100 };

static rcuinfo_t info;
static char number[16] = "0";
static int splitting, changes;

static void change(void)
{
    const rcuinfo_change_t both[] = {{"known", number}, {"other", number}};

    (void)snprintf(number, sizeof number, "%d", ++changes);
    CHECK_OK(rcuinfo_update(info, both, 2, NULL));
}

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (!splitting || (point != RCUINFO__SYNC_READ && point != RCUINFO__SYNC_HOLD))
        return;
    splitting = 0;
    change();
    splitting = 1;
}

int main(void)
{
    const rcuinfo_hint_t row = {.key = "known"};
    rcuinfo_schema_t *schema;

    CHECK_OK(rcuinfo_schema_create(NULL, &row, 1, &schema, NULL));
    info = OBJECT("known", "0", "other", "0");
    for (int i = 0; i < SPLITS; i++) {
        rcuinfo_t recognized, rest;
        char before[sizeof number];
        int seen = changes;

        (void)strcpy(before, number);
        splitting = 1;
        CHECK_OK(rcuinfo_schema_split(schema, info, &recognized, &rest));
        splitting = 0;
        CHECK(changes > seen);
        CHECK_VALUE(recognized, "known", before);
        CHECK_VALUE(rest, "other", before);
        object_free(recognized);
        object_free(rest);
    }
    object_free(info);
    rcuinfo_schema_free(&schema);
    left_nothing();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A dup is one version of its source, and the two go their own ways: writers keep all keys of an object equal by
 * updates, other threads dup it, find all keys equal, override the dup, and find the source's next version untouched by
 * that.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { WRITERS = 2, DUPPERS = 3, KEYS = 10, UPDATES = SCALED(250000), DUPS = SCALED(150000) };

static rcuinfo_t info;
static char keys[KEYS][16];
static atomic_ulong differing; /* dups that showed another version than the one before */

static void write_on(unsigned writer)
{
    for (unsigned long i = 0; i < UPDATES; i++) {
        rcuinfo_change_t changes[KEYS];
        char value[160];
        /* Long and short in turn. */
        int length = snprintf(value, sizeof value, "w%u:%lu%*s", writer, i, i % 2 ? 130 : 1, "");
        CHECK(length > 0 && length < (int)sizeof value);
        for (unsigned k = 0; k < KEYS; k++)
            changes[k] = (rcuinfo_change_t){keys[k], value};
        CHECK_OK(rcuinfo_update(info, changes, KEYS, NULL));
    }
}

static void get_value(rcuinfo_t object, unsigned k, char *value)
{
    int flag = 0;
    CHECK_OK(rcuinfo_get(object, keys[k], 199, value, &flag));
    CHECK(flag == 1);
}

static void dup_on(unsigned index)
{
    char first[200], value[200], before[200] = "", mine[32];
    unsigned long changes = 0;
    (void)snprintf(mine, sizeof mine, "dupper %u", index);
    for (unsigned long i = 0; i < DUPS; i++) {
        rcuinfo_t copy, second;
        int nkeys;
        CHECK_OK(rcuinfo_dup(info, &copy));
        CHECK_OK(rcuinfo_get_nkeys(copy, &nkeys));
        CHECK(nkeys == KEYS);
        get_value(copy, 0, first);
        CHECKF(first[0] == 'w', "\"%s\"", first);
        for (unsigned k = 1; k < KEYS; k++) {
            get_value(copy, k, value);
            CHECKF(strcmp(value, first) == 0, "\"%s\" beside \"%s\"", value, first);
        }
        changes += strcmp(first, before) != 0;
        strcpy(before, first);
        /* What is written to the dup shows in it alone, and not in a dup of the source. */
        CHECK_OK(rcuinfo_set(copy, keys[i % KEYS], mine));
        CHECK_OK(rcuinfo_dup(copy, &second));
        CHECK_OK(rcuinfo_free(&copy));
        get_value(second, (unsigned)(i % KEYS), value);
        CHECK(strcmp(value, mine) == 0);
        get_value(second, (unsigned)((i + 1) % KEYS), value);
        CHECK(strcmp(value, first) == 0);
        CHECK_OK(rcuinfo_free(&second));
    }
    atomic_fetch_add(&differing, changes);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index < WRITERS)
        write_on(index);
    else
        dup_on(index);
}

int main(void)
{
    CHECK_OK(rcuinfo_create(&info));
    for (unsigned k = 0; k < KEYS; k++) {
        (void)snprintf(keys[k], sizeof keys[k], "key%u", k);
        CHECK_OK(rcuinfo_set(info, keys[k], "w"));
    }
    team_run(WRITERS + DUPPERS, body, NULL);
    CHECK(atomic_load(&differing) > DUPPERS);
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    printf("%lu different versions\n", atomic_load(&differing));
    return 0;
}

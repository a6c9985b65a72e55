/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * get_nthkey racing with deletes gives a key that was there or RCUINFO_ERR_ARG with the output untouched, never
 * garbage, and a key is at its own place: the last and only key comes and goes, and the tail of a longer object does.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { KEYS = 40, WRITES = SCALED(600000), READS = SCALED(1200000), READERS = 3 };

static rcuinfo_t single, tail;
static atomic_ulong found, missed;

static void key_name(char *key, int n)
{
    (void)snprintf(key, RCUINFO_MAX_KEY, "key number %d", n);
}

/* Set and delete the one key of `single`; let `tail` shrink to half its keys and grow again at its end. */
static void write_on(void)
{
    char key[RCUINFO_MAX_KEY];
    for (int i = 0; i < WRITES; i++) {
        int step = i % KEYS;
        CHECK_OK(rcuinfo_set(single, "only", "value"));
        CHECK_OK(rcuinfo_delete(single, "only"));
        if (step < KEYS / 2) {
            key_name(key, KEYS - 1 - step);
            CHECK_OK(rcuinfo_delete(tail, key));
        } else {
            key_name(key, step);
            CHECK_OK(rcuinfo_set(tail, key, "value"));
        }
    }
}

static void read_on(void)
{
    char key[RCUINFO_MAX_KEY], wanted[RCUINFO_MAX_KEY];
    unsigned long hits = 0, misses = 0;
    for (int i = 0; i < READS; i++) {
        int n = i % KEYS;
        rcuinfo_status_t status;
        strcpy(key, "#");
        status = rcuinfo_get_nthkey(single, 0, key);
        CHECKF(strcmp(key, status ? "#" : "only") == 0, "status %d, key \"%s\"", (int)status, key);
        CHECK(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_ARG);
        strcpy(key, "#");
        key_name(wanted, n);
        status = rcuinfo_get_nthkey(tail, n, key);
        CHECKF(strcmp(key, status ? "#" : wanted) == 0, "status %d, key \"%s\"", (int)status, key);
        CHECK(status == RCUINFO_SUCCESS || (status == RCUINFO_ERR_ARG && n >= KEYS / 2));
        if (status == RCUINFO_SUCCESS)
            hits++;
        else
            misses++;
    }
    atomic_fetch_add(&found, hits);
    atomic_fetch_add(&missed, misses);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0)
        write_on();
    else
        read_on();
}

int main(void)
{
    char key[RCUINFO_MAX_KEY];
    CHECK_OK(rcuinfo_create(&single));
    CHECK_OK(rcuinfo_create(&tail));
    for (int i = 0; i < KEYS; i++) {
        key_name(key, i);
        CHECK_OK(rcuinfo_set(tail, key, "value"));
    }
    team_run(1 + READERS, body, NULL);
    CHECKF(atomic_load(&missed) > 0, "no read raced with a delete");
    CHECK_OK(rcuinfo_free(&single));
    CHECK_OK(rcuinfo_free(&tail));
    printf("%lu found, %lu missed\n", atomic_load(&found), atomic_load(&missed));
    return 0;
}

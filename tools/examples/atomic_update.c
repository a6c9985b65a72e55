/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changing several keys at once. A reader sees all of an update or nothing of it, and an update that cannot be made as
 * a whole is not made at all.
 *
 * Build: cc -pthread atomic_update.c $(pkg-config --cflags --libs rcuinfo)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/rcuinfo.h>

enum { ROUNDS = 1000 };

static rcuinfo_t info;
static atomic_int stop;

static void check(rcuinfo_status_t status)
{
    if (status != RCUINFO_SUCCESS) {
        fprintf(stderr, "%s\n", rcuinfo_status_string(status));
        exit(1);
    }
}

/* Looks at both keys in one version each time, and counts those in which they differ. */
static void *read_both(void *torn)
{
    while (!atomic_load(&stop)) {
        const rcuinfo_snapshot_t *snapshot;
        rcuinfo_pair_t first, last;
        check(rcuinfo_snapshot_open(info, &snapshot));
        check(rcuinfo_snapshot_find(snapshot, "first", &first));
        check(rcuinfo_snapshot_find(snapshot, "last", &last));
        *(int *)torn += strcmp(first.value, last.value) != 0;
        rcuinfo_snapshot_close(snapshot);
    }
    return NULL;
}

int main(void)
{
    pthread_t reader;
    uint64_t version;
    size_t failed;
    int torn = 0;
    const rcuinfo_change_t begin[] = {{"first", "0"}, {"last", "0"}};

    check(rcuinfo_create(&info));
    check(rcuinfo_update(info, begin, 2, NULL));
    if (pthread_create(&reader, NULL, read_both, &torn) != 0)
        return 1;
    for (int round = 1; round <= ROUNDS; round++) {
        char number[16];
        snprintf(number, sizeof number, "%d", round);
        const rcuinfo_change_t changes[] = {{"first", number}, {"last", number}};
        check(rcuinfo_update(info, changes, 2, NULL));
    }
    atomic_store(&stop, 1);
    pthread_join(reader, NULL);

    /* Each update made one version. */
    check(rcuinfo_current_version(info, &version));
    printf("%llu versions, %d torn\n", (unsigned long long)version, torn);

    /* A change without a value deletes its key. Here the third one fails, so none is made. */
    const rcuinfo_change_t wrong[] = {{"first", "lost"}, {"last", NULL}, {"absent", NULL}};
    rcuinfo_status_t status = rcuinfo_update(info, wrong, 3, &failed);
    char value[RCUINFO_MAX_VALUE];
    int flag;
    check(rcuinfo_get(info, "first", RCUINFO_MAX_VALUE - 1, value, &flag));
    printf("change %zu: %s; first is %s\n", failed, rcuinfo_status_string(status), flag ? value : "gone");
    check(rcuinfo_free(&info));
    return 0;
}

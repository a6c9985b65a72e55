/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Going through all pairs while another thread writes. A loop over rcuinfo_get_nkeys and rcuinfo_get_nthkey would see
 * several versions of the object; a snapshot is one version, for as long as it is open, and keeps no writer waiting.
 *
 * Build: cc -pthread snapshot_loop.c $(pkg-config --cflags --libs rcuinfo)
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

/* rcuinfo_set and its like are to be checked: the compiler warns where they are not. */
static void check(rcuinfo_status_t status)
{
    if (status != RCUINFO_SUCCESS) {
        fprintf(stderr, "%s\n", rcuinfo_status_string(status));
        exit(1);
    }
}

/* Adds and removes a pair, again and again. */
static void *write_pairs(void *unused)
{
    while (!atomic_load(&stop)) {
        check(rcuinfo_set(info, "visitor", "here"));
        check(rcuinfo_delete(info, "visitor"));
    }
    return unused;
}

int main(void)
{
    const rcuinfo_change_t pairs[] = {{"cb_nodes", "4"}, {"cb_buffer_size", "1048576"}, {"access_style", "random"}};
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    pthread_t writer;
    int whole = 0;

    check(rcuinfo_create(&info));
    check(rcuinfo_update(info, pairs, 3, NULL));
    if (pthread_create(&writer, NULL, write_pairs, NULL) != 0)
        return 1;

    /* In every snapshot there are three pairs, and a fourth one or not, and each is found where it should be. */
    for (int round = 0; round < ROUNDS; round++) {
        size_t same = 0;
        check(rcuinfo_snapshot_open(info, &snapshot));
        for (size_t n = 0; n < rcuinfo_snapshot_count(snapshot); n++) {
            check(rcuinfo_snapshot_nth(snapshot, n, &pair));
            same += strcmp(pair.key, n < 3 ? pairs[n].key : "visitor") == 0;
        }
        whole += same == rcuinfo_snapshot_count(snapshot) && (same == 3 || same == 4);
        rcuinfo_snapshot_close(snapshot); /* what pair points to may be gone from here on */
    }
    atomic_store(&stop, 1);
    pthread_join(writer, NULL);
    printf("whole: %d of %d\n", whole, ROUNDS);

    /* A snapshot also outlives changes, and the object itself. */
    check(rcuinfo_snapshot_open(info, &snapshot));
    check(rcuinfo_set(info, "cb_nodes", "8"));
    check(rcuinfo_free(&info));
    check(rcuinfo_snapshot_find(snapshot, "cb_nodes", &pair));
    printf("version of %zu pairs, cb_nodes=%s\n", rcuinfo_snapshot_count(snapshot), pair.value);
    rcuinfo_snapshot_close(snapshot);
    return 0;
}

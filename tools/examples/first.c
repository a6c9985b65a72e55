/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first program, as README.md prints it: an object, two pairs set at once, and a walk through them.
 *
 * Build: cc first.c $(pkg-config --cflags --libs rcuinfo)
 */
#include <rcuinfo/rcuinfo.h>
#include <stdio.h>

int main(void)
{
    rcuinfo_t info;
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    const rcuinfo_change_t changes[] = {{"cb_nodes", "4"}, {"cb_buffer_size", "1048576"}};

    if (rcuinfo_create(&info) || rcuinfo_update(info, changes, 2, NULL) || rcuinfo_snapshot_open(info, &snapshot))
        return 1;
    for (size_t n = 0; n < rcuinfo_snapshot_count(snapshot); n++) {
        if (rcuinfo_snapshot_nth(snapshot, n, &pair) == RCUINFO_SUCCESS)
            printf("%s=%s\n", pair.key, pair.value);
    }
    rcuinfo_snapshot_close(snapshot);
    return rcuinfo_free(&info);
}

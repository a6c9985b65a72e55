/* SPDX-License-Identifier: BSD-3-Clause */
/* A program outside the source tree that uses the native interface. Prints the version and the pairs of an object. */
#include <stdio.h>
#include <rcuinfo/rcuinfo.h>

int main(void)
{
    const rcuinfo_change_t changes[] = {{"access_style", "read_once"}, {"striping_unit", "65536"}};
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t info;
    if (rcuinfo_create(&info) != RCUINFO_SUCCESS || rcuinfo_update(info, changes, 2, NULL) != RCUINFO_SUCCESS ||
        rcuinfo_snapshot_open(info, &snapshot) != RCUINFO_SUCCESS || rcuinfo_free(&info) != RCUINFO_SUCCESS)
        return 1;
    printf("rcuinfo %d.%d.%d\n", RCUINFO_VERSION_MAJOR, RCUINFO_VERSION_MINOR, RCUINFO_VERSION_PATCH);
    for (size_t i = 0; i < rcuinfo_snapshot_count(snapshot); i++) {
        rcuinfo_pair_t pair;
        if (rcuinfo_snapshot_nth(snapshot, i, &pair) != RCUINFO_SUCCESS)
            return 1;
        printf("%s=%s\n", pair.key, pair.value);
    }
    rcuinfo_snapshot_close(snapshot);
    return rcuinfo_store_drain() != 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A program outside the source tree that uses the native interface. Fails unless that is of the version of its
 * argument. */
#include <string.h>

#include <rcuinfo/rcuinfo.h>

int main(int argc, char *argv[])
{
    const rcuinfo_change_t changes[] = {{"access_style", "read_once"}, {"striping_unit", "65536"}};
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    rcuinfo_t info;

    if (argc != 2 || strcmp(argv[1], RCUINFO_VERSION) != 0 || strcmp(argv[1], rcuinfo_version_string()) != 0)
        return 1;
    if (rcuinfo_create(&info) || rcuinfo_update(info, changes, 2, NULL) || rcuinfo_snapshot_open(info, &snapshot) ||
        rcuinfo_free(&info) || rcuinfo_snapshot_nth(snapshot, 1, &pair) || strcmp(pair.value, "65536") != 0)
        return 1;
    rcuinfo_snapshot_close(snapshot);
    return rcuinfo_store_drain() != 0;
}

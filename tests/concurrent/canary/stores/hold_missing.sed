# SPDX-License-Identifier: BSD-3-Clause
# An open snapshot has no reference on its block, so the block is reused while the snapshot is open.
/^    \*snapshot = status == RCUINFO_SUCCESS/ {
s/^    /    if (status == RCUINFO_SUCCESS) rcuinfo__object_release(version); /
}
s/^        rcuinfo__object_release(rcuinfo__object_opened(snapshot));/        return;/

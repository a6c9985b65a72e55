# SPDX-License-Identifier: BSD-3-Clause
/^    \*snapshot = status == RCUINFO_SUCCESS/ {
s/^    /    if (status == RCUINFO_SUCCESS) rcuinfo__object_release(version); /
}
s/^        rcuinfo__object_release(rcuinfo__object_opened(snapshot));/        return;/

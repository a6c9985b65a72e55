# SPDX-License-Identifier: BSD-3-Clause
# Two concurrent frees both return success: the result ignores the check under the lock.
s/^    return may ? RCUINFO_SUCCESS : .*/    return RCUINFO_SUCCESS;/

# SPDX-License-Identifier: BSD-3-Clause
# Of two frees at once the second says success too: it does not go by what it found under the lock.
s/^    return may ? RCUINFO_SUCCESS : .*/    return RCUINFO_SUCCESS;/

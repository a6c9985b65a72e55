# SPDX-License-Identifier: BSD-3-Clause
# After a dup both objects take the end of their block for their own, and append to it.
s/^        status = rcuinfo__object_make(version, false, newinfo);/        status = rcuinfo__object_make(version, true, newinfo);/

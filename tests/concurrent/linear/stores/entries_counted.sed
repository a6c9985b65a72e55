# SPDX-License-Identifier: BSD-3-Clause
# An update of several keys that is appended counts as several versions.
s/^\( *\.skipped = rcuinfo__log_links(last)->skipped\) + (uint32_t)entries - 1,/\1,/

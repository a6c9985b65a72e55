# SPDX-License-Identifier: BSD-3-Clause
# A section does not say which version it reads.
s/^    atomic_store_explicit(&section->reader->says/    if (what == 0) &/

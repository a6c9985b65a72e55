# SPDX-License-Identifier: BSD-3-Clause
# A change that makes a version large counts for two.
s/rcuinfo__snapshot_head(block, old->version + 1);/rcuinfo__snapshot_head(block, old->version + 1 + !large);/

# SPDX-License-Identifier: BSD-3-Clause
# A reader looks beyond the prefix of its version where the finder is bytes.
/^    bits &= UINT32_MAX >> (RCUINFO__BLOCK_SCANNED - prefix);/ d

# SPDX-License-Identifier: BSD-3-Clause
# A reader looks beyond the prefix of its version where the finder is places.
s/__builtin_expect(found <= prefix, 1) ? entry :/true ? entry :/

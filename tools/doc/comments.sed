# SPDX-License-Identifier: BSD-3-Clause
# How Doxygen reads our docstrings, which are written for those who read the headers: the words that begin a rule begin
# a paragraph with that title (ALIASES of Doxyfile.in), and in comments status codes get their whole names. Lines stay
# lines, so that warnings name the right ones.
s/\(^\|[ *]\)Threads: /\1@threads /
s/\(^\|[ *]\)Linearizes /\1@linearizes /
s/\(^\|[ *]\)Source: /\1@source /
\#^ *\*\|/\*\*#s/\b\(SUCCESS\|ERR_\(ARG\|INFO\|KEY\|VALUE\|NOKEY\|NO_MEM\|TYPE\|FORMAT\|IO\)\)\b/#RCUINFO_\1/g

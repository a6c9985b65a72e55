# SPDX-License-Identifier: BSD-3-Clause
# Converts our docstrings, which are written for readers of the headers, for Doxygen: the words that begin a rule become
# the title of a paragraph (ALIASES in Doxyfile.in), and status codes in comments get their full names. Keeps the number
# of lines, so that the line numbers in warnings are right.
s/\(^\|[ *]\)Threads: /\1@threads /
s/\(^\|[ *]\)Linearizes /\1@linearizes /
s/\(^\|[ *]\)Source: /\1@source /
\#^ *\*\|/\*\*#s/\b\(SUCCESS\|ERR_\(ARG\|INFO\|KEY\|VALUE\|NOKEY\|NO_MEM\|TYPE\|FORMAT\|IO\)\)\b/#RCUINFO_\1/g

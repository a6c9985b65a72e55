# SPDX-License-Identifier: BSD-3-Clause
# Instead of being freed, a block is overwritten with its own bytes and never reused, so reading it is a data race.
# malloc could return it to the thread that freed it. ThreadSanitizer does not report that thread's own reads through a
# stale snapshot: it would follow whatever the block contains, and crash or loop before a race is reported.
s/^#include <errno.h>/&\
#include <malloc.h>/
s/^    free(memory);/    volatile char *bytes = memory;\
    for (size_t n = memory ? malloc_usable_size(memory) : 0; n > 0; n--)\
        bytes[n - 1] = bytes[n - 1];/

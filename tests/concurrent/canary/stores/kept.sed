# SPDX-License-Identifier: BSD-3-Clause
# A freed block is written to with its own bytes and never reused, so that reading it is still a data race. malloc could
# hand it back to the thread that freed it, whose stale snapshot may read it as far as ThreadSanitizer knows: that thread
# would follow whatever the block holds by then, and crash or loop before another thread's read is reported.
s/^#include <errno.h>/&\
#include <malloc.h>/
s/^    free(memory);/    volatile char *bytes = memory;\
    for (size_t n = memory ? malloc_usable_size(memory) : 0; n > 0; n--)\
        bytes[n - 1] = bytes[n - 1];/

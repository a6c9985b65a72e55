# SPDX-License-Identifier: BSD-3-Clause
# What is freed is written to, but stays as it is: to read it is a data race still. Malloc would give it out again, and who
# both freed it and got it again may read it, as far as ThreadSanitizer knows, and be led anywhere by what it holds now.
s/^#include <errno.h>/&\
#include <malloc.h>/
s/^    free(memory);/    volatile char *bytes = memory;\
    for (size_t n = memory ? malloc_usable_size(memory) : 0; n > 0; n--)\
        bytes[n - 1] = bytes[n - 1];/

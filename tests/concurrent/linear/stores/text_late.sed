# SPDX-License-Identifier: BSD-3-Clause
/^#include "core\/alloc.h"/ i\
#include <string.h>\

/^            (void)publish(slot, next, 1);/ {
i\
            char *text = (char *)(uintptr_t)rcuinfo__log_value(next);\
            memset(text, '#', edit.value_length);
a\
            memcpy(text, value, edit.value_length);
}

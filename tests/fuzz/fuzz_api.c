/* SPDX-License-Identifier: BSD-3-Clause */
/* Target api: decodes the input as calls of the native interface; see support/driver.h. */
#include "support/driver.h"

enum { MOST_CALLS = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    for (int i = 0; i < MOST_CALLS && in.left; i++)
        driver_call(&in, true, 0);
    driver_end();
    return 0;
}

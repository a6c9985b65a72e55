/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plain: the baseline for reading one hint: a call into a shared library that loads one atomic variable in a read
 * section of liburcu-bp; and the load and the section alone. Built with the options of librcuinfo.so.
 */
#pragma once

#include <stdint.h>

#define BENCH_EXPORTED __attribute__((visibility("default")))

BENCH_EXPORTED void bench_plain_set(int64_t value);
BENCH_EXPORTED int64_t bench_plain_read(void);
BENCH_EXPORTED int64_t bench_plain_load(void);
BENCH_EXPORTED void bench_plain_section(void);

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * faults: makes an allocation of the library fail. For programs linked with test_faults, whose allocator, the library's
 * source compiled with a malloc that can fail, replaces that of the library: in its objects, and at load in
 * librcuinfo.so and the libraries that use it.
 *
 * Any thread may call these functions.
 */
#pragma once

/* Makes the k-th allocation from now on fail, once; 0 disables this. */
void faults_fail_at(int k);

/* The number of allocations that were made to fail. */
int faults_met(void);

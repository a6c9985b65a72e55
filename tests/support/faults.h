/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * faults: makes an allocation of the library fail. For programs linked with test_faults, whose allocator, the library's
 * own text over a malloc that can fail, takes the place of the library's: in its objects, and at load in librcuinfo.so
 * and the libraries on top.
 *
 * Any thread may call these functions.
 */
#ifndef TESTS_SUPPORT_FAULTS_H
#define TESTS_SUPPORT_FAULTS_H

/* Makes the k-th allocation from now on fail, once; 0 switches this off. */
void faults_fail_at(int k);

/* The number of allocations that were made to fail. */
int faults_met(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* check: invariants that builds with RCUINFO_CHECKS (presets debug, asan, tsan) assert while they run. */
#ifndef RCUINFO_CORE_CHECK_H
#define RCUINFO_CORE_CHECK_H

#ifdef RCUINFO_CHECKS
#include <stdio.h>
#include <stdlib.h>
#define RCUINFO__CHECK(condition)                                                                                      \
    ((condition) ? (void)0 : (fprintf(stderr, "rcuinfo: %s:%d: broken: %s\n", __FILE__, __LINE__, #condition), abort()))
#else
#define RCUINFO__CHECK(condition) ((void)(0 && (condition)))
#endif

#endif

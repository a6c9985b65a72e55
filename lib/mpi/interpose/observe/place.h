/* SPDX-License-Identifier: BSD-3-Clause */
/* place: where in the program a call was made. */
#pragma once

#include "report/report.h"

/* Looks up what the other functions need: a look-up waits for a thread that is in dlopen, which may wait for a call of
 * MPI. Call at load. */
void rcuinfo__place_begin(void);

/* Whether this is one of the libraries through which programs in Fortran, C++ and Python call the C functions. */
struct rcuinfo__module;
bool rcuinfo__place_is_binding(const struct rcuinfo__module *module);

/* The place of a return address, as "FILE+0xOFFSET", to be freed by rcuinfo__alloc_free. If FILE is a library that is
 * no binding of MPI, then a newline, and the place from which the program has called it: in a Python script that is
 * "FILE:LINE", and for mpi4py it is all. NULL: not known, or no memory. Threads: any. */
char *rcuinfo__place_of(const void *caller);

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * below: the MPI library that the program has loaded. No interposer names one: the program may bring any, under any
 * name, and a host such as Python loads one late, or never.
 */
#ifndef RCUINFO_MPI_INTERPOSE_BELOW_H
#define RCUINFO_MPI_INTERPOSE_BELOW_H

#include <stdatomic.h>

/* A symbol of the MPI library; NULL: it has none of that name, or is not loaded yet. Any thread. `cache`: NULL at
 * first, and one for each name. */
void *rcuinfo__interpose_symbol(_Atomic(void *) *cache, const char *name);

/* The same for an object of the library, i.e. a variable. */
void *rcuinfo__interpose_object(_Atomic(void *) *cache, const char *name);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place: where in a program a call was made.
 */
#ifndef RCUINFO_MPI_INTERPOSE_PLACE_H
#define RCUINFO_MPI_INTERPOSE_PLACE_H

#include "hints/report.h"

/* The place of an address of code that a call returns to, "FILE+0xOFFSET"; NULL: not known, or no memory. To be freed
 * by rcuinfo__alloc_free. Any thread. */
char *rcuinfo__interpose_place(const void *caller);

/* Replaces the places in a report by what is shown of them. */
void rcuinfo__interpose_show_places(struct rcuinfo__report *report);

#endif

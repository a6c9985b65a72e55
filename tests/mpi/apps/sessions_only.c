/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of the Sessions Model only: it never calls MPI_Init, and calls a library that uses MPI. An ordinary MPI-4.0
 * program that knows nothing of rcuinfo. Prints one line for each rank; exit status 1 when anything was wrong.
 */
#include "sessions_library.h"

#include <stdio.h>

int main(void)
{
    struct sessions_result result;
    int failures = sessions_library_run(&result);
    printf("rank %d of %d: sum %ld\n", result.rank, result.size, result.sum);
    return failures != 0;
}

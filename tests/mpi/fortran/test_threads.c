/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that share one info in Fortran (threads.F90), whose compiler has added an underscore to the names. They are
 * C's, since ThreadSanitizer cannot look into OpenMP's run-time library. Prints "good".
 */
#include "support/contents.h"
#include "support/left.h"
#include "support/scale.h"
#include "support/threads.h"

void in_thread_(const int *info, const int *thread, const int *rounds);
void check_(const int *what, const int *line);

void check_(const int *what, const int *line)
{
    CHECKF(*what, "line %d of threads.F90", *line);
}

static void body(unsigned index, void *argument)
{
    int thread = (int)index, rounds = SCALED(2000);
    in_thread_(argument, &thread, &rounds);
}

int main(void)
{
    enum { THREADS = 8 };
    MPI_Info info = make_info({"shared", "a"});
    int integer = MPI_Info_toint(info), nkeys = 0;
    team_run(THREADS, body, &integer);
    CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    CHECK_EQUAL(nkeys, 1 + THREADS);
    free_info(info);
    left_nothing();
    puts("good");
    return 0;
}

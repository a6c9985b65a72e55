/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that share one info in Fortran (threads.F90), whose compiler has added an underscore to the name. They are
 * C's, since ThreadSanitizer cannot look into OpenMP's run-time library. Prints "good".
 */
#include "support/contents.h"
#include "support/left.h"
#include "support/scale.h"
#include "support/threads.h"

void in_thread_(const int *info, const int *thread, const int *rounds, int *failed);

enum { THREADS = 8 };
static const int rounds = SCALED(2000);
static atomic_int failures;

static void body(unsigned index, void *argument)
{
    int thread = (int)index, failed = 0;
    in_thread_(argument, &thread, &rounds, &failed);
    atomic_fetch_add(&failures, failed);
}

int main(void)
{
    MPI_Info info = make_info({"shared", "a"});
    int integer = MPI_Info_toint(info), nkeys = 0;
    team_run(THREADS, body, &integer);
    CHECK_EQUAL(atomic_load(&failures), 0);
    CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    CHECK_EQUAL(nkeys, 1 + THREADS);
    free_info(info);
    left_nothing();
    puts("good");
    return 0;
}

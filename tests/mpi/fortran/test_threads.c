/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of C that share one info in Fortran (threads.F90), whose compiler has added an underscore to the names. In
 * every build, also where OpenMP's run-time library would have to be built with a sanitizer, too. Prints "good".
 */
#include "support/left.h"
#include "support/scale.h"
#include "support/threads.h"

void begin_threads_(int *info);
void in_thread_(const int *info, const int *thread, const int *rounds, int *failed);
void end_threads_(int *info, const int *threads, const int *rounds, int *failed);

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
    int info = 0, threads = THREADS, failed = 0;
    begin_threads_(&info);
    team_run(THREADS, body, &info);
    end_threads_(&info, &threads, &rounds, &failed);
    CHECK(atomic_load(&failures) == 0 && failed == 0);
    left_nothing();
    puts("good");
    return 0;
}

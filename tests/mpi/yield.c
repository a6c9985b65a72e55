/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yield: waiting processes of MPICH over UCX, as of Debian 12, never yield their processor, so that each message takes
 * time slices where there are more processes than processors. In programs that contain this they do.
 */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

static unsigned (*progress)(void *worker); /* UCX's; NULL: this MPI does not use it */

__attribute__((constructor)) static void find_progress(void)
{
    *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
}

/* Called by MPICH, whose library refers to UCX's. */
unsigned ucp_worker_progress(void *worker)
{
    unsigned events = progress(worker);
    if (events == 0)
        (void)sched_yield();
    return events;
}

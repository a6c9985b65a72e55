/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before MPI_Init and after MPI_Finalize: info functions work, what names nothing is MPI_ERR_INFO, and a function that
 * needs MPI is refused by the real library, in its own words and about that function.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpose/interpose.h"

/* Runs a call that the real library ends the process for, in a child; gives what it said. */
static void run_in_child(MPI_Info info, char *said, size_t size)
{
    int ends[2], status = 0;
    CHECK_EQUAL(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        void *memory = NULL;
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        (void)MPI_Alloc_mem(8, info, &memory);
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t got;
    while (used + 1 < size && (got = read(ends[0], said + used, size - used - 1)) > 0)
        used += (size_t)got;
    said[used] = '\0';
    close(ends[0]);
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(!(WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

static void the_library_complains_about_the_call(void)
{
    MPI_Info info = make_info({"a", "1"});
    char said[4096] = "";
    for (int n = 0; n < 3; n++) {
        run_in_child(n == 0 ? info : n == 1 ? MPI_INFO_NULL : MPI_INFO_ENV, said, sizeof said);
        CHECKF(strstr(said, "Alloc_mem") && !strstr(said, "Info_"), "said: %s", said);
    }
    free_info(info);
}

static void what_names_nothing_is_refused_without_asking(void)
{
    void *memory = NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    int error = 0;
    spy_forget();
    CHECK_MPI(MPI_Alloc_mem(8, make_stale(), &memory), MPI_ERR_INFO);
    CHECK_MPI(MPI_Comm_dup_with_info(MPI_COMM_WORLD, make_stale(), &comm), MPI_ERR_INFO);
    CHECK_TEXT(came_down.function, "");
    spy.stubs = true; /* nobody can say who is the root, so the info is not read */
    CHECK_MPI(MPI_Comm_spawn("a command", MPI_ARGV_NULL, 1, make_stale(), 0, MPI_COMM_WORLD, &comm, &error),
              MPI_SUCCESS);
    CHECK(came_down.infos[0] == MPI_INFO_NULL);
    spy.stubs = false;
}

/* Of the real library's infos only MPICH's may be used before init. */
static void real_infos(void)
{
    int nkeys = -1;
    if (IS_OPENMPI) {
        static long object[64];
        CHECK_MPI(MPI_Info_get_nkeys((MPI_Info)(uintptr_t)object, &nkeys), MPI_ERR_INFO);
        CHECK_MPI(MPI_Info_get_nkeys(MPI_Info_f2c(7), &nkeys), MPI_ERR_INFO);
        CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL);
        CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_ENV)) == MPI_INFO_ENV);
        return;
    }
    MPI_Info real = make_real("a", "1");
    CHECK_EQUAL(MPI_Info_get_nkeys(real, &nkeys), phase_real_is_asked() ? MPI_SUCCESS : MPI_ERR_INFO);
    CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
}

int main(void)
{
    static test_function *const tests[] = {
        the_library_complains_about_the_call,
        what_names_nothing_is_refused_without_asking,
        real_infos,
    };
    RUN_TESTS("before MPI_Init", tests);
    interpose_begin();
    interpose_end(atomic_load(&spy.real_infos));
    phase_now = PHASE_FINALIZED;
    RUN_TESTS("after MPI_Finalize", tests);
    return 0;
}

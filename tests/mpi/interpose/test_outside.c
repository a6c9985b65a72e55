/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before MPI_Init and after MPI_Finalize an invalid handle is MPI_ERR_INFO, and a function that needs MPI fails in the
 * real library, with its own message about that function. The tool interface, which may be used then and calls no error
 * handler, accepts and returns infos.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpose/calls.h"
#include "interpose/interpose.h"

/* Runs a call for which the real library ends the process, in a child. Returns its message. */
static void run_in_child(MPI_Info info, char *said, size_t size)
{
    int status = 0;
    void *memory = NULL;
    FILE *file = tmpfile();
    CHECK(file);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(file), STDERR_FILENO);
        dup2(fileno(file), STDOUT_FILENO);
        (void)MPI_Alloc_mem(8, info, &memory);
        _exit(0);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(!(WIFEXITED(status) && WEXITSTATUS(status) == 0));
    rewind(file);
    said[fread(said, 1, size - 1, file)] = '\0';
    CHECK(fclose(file) == 0);
}

TEST(the_library_complains_about_the_call)
{
    MPI_Info info = make_info({"a", "1"});
    char said[4096] = "";
    for (int n = 0; n < 3; n++) {
        run_in_child(n == 0 ? info : n == 1 ? MPI_INFO_NULL : MPI_INFO_ENV, said, sizeof said);
        /* MPICH before 4 names no function */
        CHECKF((strstr(said, "Alloc_mem") || strstr(said, "Attempting to use an MPI routine")) &&
                   !strstr(said, "Info_"),
               "said: %s", said);
    }
    free_info(info);
}

TEST(invalid_handles_are_refused_before_mpi_init)
{
    void *memory = NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    int error = 0;
    spy_forget();
    CHECK_MPI(MPI_Alloc_mem(8, make_stale(), &memory), MPI_ERR_INFO);
    CHECK_MPI(MPI_Comm_dup_with_info(MPI_COMM_WORLD, make_stale(), &comm), MPI_ERR_INFO);
    CHECK_TEXT(came_down.function, "");
    spy.stubs = true; /* the root is unknown, so the info is not read */
    CHECK_MPI(MPI_Comm_spawn("a command", MPI_ARGV_NULL, 1, make_stale(), 0, MPI_COMM_WORLD, &comm, &error),
              MPI_SUCCESS);
    CHECK(came_down.infos[0] == MPI_INFO_NULL);
    spy.stubs = false;
}

/* Only MPICH's real infos may be used before init, from MPICH 4 on. */
TEST(real_infos)
{
    int nkeys = -1;
    if (!IS_OPENMPI && MPI_VERSION < 4)
        return;
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
    CHECK_MPI(NATIVE(PMPI_Info_free)(&real), MPI_SUCCESS);
}

#if defined(RCUINFO__HAS_MPI_T_event_handle_alloc) && !defined(OPEN_MPI)
#define HAS_TOOL 1
#else
#define HAS_TOOL 0
#endif

/* The interface is finalized last: MPICH 4.0.2 crashes if that precedes MPI_Init. */
static void begin_tool(void)
{
#if HAS_TOOL
    MPI_Info info = make_info({"a", "1"});
    MPI_T_event_registration registration = NULL;
    int provided = 0;
    CHECK_MPI(MPI_T_event_handle_alloc(0, NULL, info, &registration), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_MPI(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    free_info(info);
#endif
}

static void end_tool(void)
{
#if HAS_TOOL
    CHECK_MPI(MPI_T_finalize(), MPI_SUCCESS);
#endif
}

/* The real library's results are the same as without us. */
TEST(the_tool_interface_takes_and_gives_infos)
{
    static const char *const given[] = {"b", "2", "a", "1"};
    int functions = 0;
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        if (!HAS_TOOL || !is_tool(call->name))
            continue;
        MPI_Info info = make_info({"b", "2"}, {"a", "1"}), real = make_real("a", "1");
        spy.stubs = true;
        CHECK_MPI(call->make(false, info), MPI_SUCCESS);
        CHECK_TEXT(came_down.pairs[0], "b=2;a=1;");
        spy_forget();
        CHECK_MPI(call->make(false, make_stale()), MPI_ERR_INFO);
        CHECK_TEXT(came_down.function, "");
        spy.stubs = false;
        CHECK_EQUAL(class_of(call->make(false, info)), class_of(call->make(true, real)));
        CHECK_MPI(NATIVE(PMPI_Info_free)(&real), MPI_SUCCESS);
        free_info(info);
        functions++;
    }
    spy_give(given, 2);
    spy.stubs = true;
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        MPI_Info info = MPI_INFO_NULL;
        if (!HAS_TOOL || !is_tool(gift->name))
            continue;
        CHECK_MPI(gift->make(false, &info), MPI_SUCCESS);
        CHECK_CONTENTS(info, {"b", "2"}, {"a", "1"});
        free_info(info);
        functions++;
    }
    spy.stubs = false;
    CHECK_EQUAL(functions, HAS_TOOL ? 8 : 0);
}

int main(void)
{
    begin_tool();
    run_phase("before MPI_Init");
    interpose_begin();
    interpose_end(atomic_load(&spy.real_infos));
    phase_now = PHASE_FINALIZED;
    run_phase("after MPI_Finalize");
    end_tool();
    CHECK_EQUAL(left_live(), 0);
    CHECK(IS_OPENMPI || atomic_load(&spy.real_infos) == 1); /* the permanent one in MPICH */
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * abi: uses infos in every kind of call. It is built once for the standard ABI and runs on any library that implements
 * it. It expects what the standard promises, and relies on rcuinfo only for infos before MPI_Init and after
 * MPI_Finalize. Each rank prints the number of checks that passed; the exit status is 1 if a check failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static int good, bad;

#define CHECK(condition) check((condition), #condition)
#define CALL(call)       check((call) == MPI_SUCCESS, #call)

static void check(int right, const char *what)
{
    good += right;
    if (!right && ++bad)
        fprintf(stderr, "failed: %s\n", what);
}

static int has(MPI_Info info, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL] = "";
    int length = MPI_MAX_INFO_VAL, flag = 0;
    return MPI_Info_get_string(info, key, &length, value, &flag) == MPI_SUCCESS && flag && strcmp(value, wanted) == 0;
}

/* Checks that every pair can be read, and frees the info. */
static void take(MPI_Info info)
{
    int nkeys = -1;
    CALL(MPI_Info_get_nkeys(info, &nkeys));
    for (int n = 0; n < nkeys; n++) {
        char key[MPI_MAX_INFO_KEY] = "";
        int length = 0, flag = 0;
        if (MPI_Info_get_nthkey(info, n, key) != MPI_SUCCESS ||
            MPI_Info_get_string(info, key, &length, NULL, &flag) != MPI_SUCCESS || !flag)
            check(0, "every pair can be read");
    }
    CALL(MPI_Info_free(&info));
}

static MPI_Info make(void)
{
    MPI_Info info = MPI_INFO_NULL;
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "no_locks", "true"));
    CALL(MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE"));
    CALL(MPI_Info_set(info, "a key of our own", ""));
    return info;
}

static void infos_alone(void)
{
    const char *size = getenv("PMI_SIZE") ? getenv("PMI_SIZE") : getenv("OMPI_COMM_WORLD_SIZE");
    char program[] = "a program", *arguments[] = {program};
    MPI_Info info = make(), copy = MPI_INFO_NULL, env = MPI_INFO_NULL;
    CALL(MPI_Info_dup(info, &copy));
    CHECK(has(copy, "a key of our own", ""));
    CALL(MPI_Info_create_env(1, arguments, &env));
    CHECK(has(env, "command", "a program"));
    CHECK(size && has(env, "maxprocs", size) && has(MPI_INFO_ENV, "maxprocs", size));
    CHECK(MPI_Info_fromint(MPI_Info_toint(info)) == info);
    CHECK(MPI_Info_fromint(MPI_Info_toint(MPI_INFO_NULL)) == MPI_INFO_NULL);
    CHECK(MPI_Info_fromint(MPI_Info_toint(MPI_INFO_ENV)) == MPI_INFO_ENV);
    CALL(MPI_Info_free(&info));
    take(copy);
    take(env);
}

/* 2 conversions. */
static void sessions(void)
{
    MPI_Info info = make(), used = MPI_INFO_NULL;
    MPI_Session session = MPI_SESSION_NULL;

    CALL(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    CALL(MPI_Session_get_info(session, &used));
    CHECK(has(used, "thread_level", "MPI_THREAD_MULTIPLE"));
    CALL(MPI_Session_finalize(&session));
    take(used);
    CALL(MPI_Info_free(&info));
}

/* 10 conversions. */
static void world(void)
{
    MPI_Info info = make(), used = MPI_INFO_NULL;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_File file = MPI_FILE_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    void *memory = NULL;

    CALL(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &memory, &window));
    CALL(MPI_Win_set_info(window, info));
    CALL(MPI_Win_get_info(window, &used));
    take(used);
    CALL(MPI_Win_free(&window));

    CALL(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    CALL(MPI_Comm_get_info(comm, &used));
    take(used);
    CALL(MPI_Comm_free(&comm));
    CALL(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &comm, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Comm_free(&comm));

    CALL(MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, info, &file));
    CALL(MPI_File_get_info(file, &used));
    take(used);
    CALL(MPI_File_close(&file));

    CALL(MPI_Alloc_mem(64, info, &memory));
    CALL(MPI_Free_mem(memory));
    CALL(MPI_Abi_get_info(&used));
    take(used);
    CALL(MPI_Info_free(&info));
}

static int handled;
static MPI_Comm comm_of_errors; /* whose handler the library calls for an error in an info */

static void handler(MPI_Comm *comm, int *code, ...)
{
    handled += *comm == comm_of_errors && *code == MPI_ERR_INFO;
}

static void errors(void)
{
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    MPI_Info freed = MPI_INFO_NULL, info;
    void *memory = NULL;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    comm_of_errors = strncmp(version, "Open MPI", strlen("Open MPI")) == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF;
    CALL(MPI_Comm_create_errhandler(handler, &errhandler));
    CALL(MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler));
    CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler));
    CALL(MPI_Info_create(&freed));
    info = freed;
    CALL(MPI_Info_free(&freed));
    CHECK(MPI_Info_set(MPI_INFO_NULL, "key", "value") == MPI_ERR_INFO && handled == 1);
    CHECK(MPI_Info_set(MPI_INFO_ENV, "key", "value") == MPI_ERR_INFO && handled == 2);
    CHECK(MPI_Info_set(info, "key", "value") == MPI_ERR_INFO && handled == 3);
    CHECK(MPI_Alloc_mem(64, info, &memory) == MPI_ERR_INFO && handled == 4);
    CALL(MPI_Errhandler_free(&errhandler));
}

/* MPI_Info_* also accept infos created by the MPI library, which a tool or a Fortran binding may pass in. */
static void infos_of_the_library(void)
{
    MPI_Info real = MPI_INFO_NULL, copy = MPI_INFO_NULL;
    CALL(PMPI_Info_create(&real));
    CALL(MPI_Info_set(real, "key", "value"));
    CHECK(has(real, "key", "value"));
    CHECK(MPI_Info_toint(real) == PMPI_Info_toint(real));
    CHECK(MPI_Info_fromint(PMPI_Info_toint(real)) == real);
    CALL(MPI_Info_dup(real, &copy));
    CALL(PMPI_Info_free(&copy));
    CALL(MPI_Info_free(&real));
}

int main(int argc, char *argv[])
{
    int provided = MPI_THREAD_SINGLE, rank = -1, size = -1;
    infos_alone();
    sessions();
    CALL(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    infos_alone();
    world();
    errors();
    infos_of_the_library();
    CALL(MPI_Finalize());
    infos_alone();
    printf("rank %d of %d: sum %d\n", rank, size, good);
    return bad != 0;
}

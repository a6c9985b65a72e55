/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sessions_library: an ordinary layered library for MPI-4.0 that knows nothing of rcuinfo. It uses MPI through its own
 * sessions in its own threads, whether or not the program has initialized MPI. Threads share no session, nor anything
 * created from one. No session is finalized before all are open: MPICH 4.0.2 shuts down with the last one, and crashes
 * if another is opened after that.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#define THREADS   4
#define WORLD     "mpi://WORLD"
#define NAME_SIZE 64

/* The data of one thread. */
struct worker {
    pthread_t thread;
    int number;
    MPI_Session session;
    int rank, size; /* in mpi://WORLD */
    long sum;       /* over all processes */
};

static pthread_barrier_t all_are_open;
static int expected_size; /* from the environment; 0 if unknown */
static atomic_int failures;

static bool check(bool good, const char *what)
{
    if (!good) {
        failures++;
        fprintf(stderr, "sessions_library: failed: %s\n", what);
    }
    return good;
}

#define CHECK(condition) check((condition), #condition)
#define CALL(call)       check((call) == MPI_SUCCESS, #call)

/* Returns the value of a key, or "" if the key is absent. */
static const char *value_of(MPI_Info info, const char *key, char value[NAME_SIZE])
{
    int flag = 0;
    value[0] = '\0';
    return MPI_Info_get(info, key, NAME_SIZE - 1, value, &flag) == MPI_SUCCESS && flag ? value : "";
}

static int size_in(MPI_Info info, const char *key)
{
    char value[NAME_SIZE];
    return atoi(value_of(info, key, value));
}

/* Runs before main and before any other MPI call. */
__attribute__((constructor(101))) static void read_environment(void)
{
    MPI_Info env;
    if (MPI_Info_create_env(0, NULL, &env) != MPI_SUCCESS)
        return;
    expected_size = size_in(env, "maxprocs");
    MPI_Info_free(&env);
}

/* Opens the session, and frees the info while the session is in use. */
static bool open_session(struct worker *me)
{
    MPI_Info info;
    if (!CALL(MPI_Info_create(&info)))
        return false;
    CALL(MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE"));
    CALL(MPI_Info_set(info, "mpi_initial_errhandler", "mpi_errors_return"));
    CALL(MPI_Info_set(info, "sessions_library_hint", "a key of our own"));
    bool open = CALL(MPI_Session_init(info, MPI_ERRORS_RETURN, &me->session));
    CALL(MPI_Info_free(&info));
    return open;
}

/* Reads the name and size of every process set. */
static void read_sets(struct worker *me)
{
    int sets = 0, world_size = 0;
    CALL(MPI_Session_get_num_psets(me->session, MPI_INFO_NULL, &sets));
    for (int n = 0; n < sets; n++) {
        char name[NAME_SIZE] = "";
        int length = NAME_SIZE;
        MPI_Info info;
        if (!CALL(MPI_Session_get_nth_pset(me->session, MPI_INFO_NULL, n, &length, name)) ||
            !CALL(MPI_Session_get_pset_info(me->session, name, &info)))
            continue;
        CHECK(size_in(info, "mpi_size") > 0);
        if (strcmp(name, WORLD) == 0)
            world_size = size_in(info, "mpi_size");
        CALL(MPI_Info_free(&info));
    }
    CHECK(world_size == me->size && (expected_size == 0 || expected_size == world_size));
}

/* The tag distinguishes the communicators of the threads. */
static bool make_communicator(struct worker *me, MPI_Comm *comm)
{
    MPI_Group group;
    MPI_Info info;
    char tag[NAME_SIZE];
    if (!CALL(MPI_Group_from_session_pset(me->session, WORLD, &group)))
        return false;
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    snprintf(tag, sizeof tag, "sessions_library.%d", me->number);
    bool made = CALL(MPI_Comm_create_from_group(group, tag, info, MPI_ERRORS_RETURN, comm));
    CALL(MPI_Info_free(&info));
    CALL(MPI_Group_free(&group));
    return made;
}

static void communicate(struct worker *me)
{
    MPI_Comm comm;
    if (!make_communicator(me, &comm))
        return;
    CALL(MPI_Comm_rank(comm, &me->rank));
    CALL(MPI_Comm_size(comm, &me->size));
    long mine = (long)(me->rank + 1) * (me->number + 1);
    CALL(MPI_Allreduce(&mine, &me->sum, 1, MPI_LONG, MPI_SUM, comm));
    CALL(MPI_Comm_free(&comm));
}

/* The info that a session returns belongs to the caller, who reads and frees it here after the session is finalized. */
static void close_session(struct worker *me)
{
    MPI_Info info;
    char value[NAME_SIZE];
    CALL(MPI_Session_get_info(me->session, &info));
    CALL(MPI_Session_finalize(&me->session));
    CHECK(strcmp(value_of(info, "thread_level", value), "MPI_THREAD_MULTIPLE") == 0);
    CALL(MPI_Info_free(&info));
}

static void *work(void *argument)
{
    struct worker *me = argument;
    bool open = open_session(me);
    pthread_barrier_wait(&all_are_open);
    if (!open)
        return NULL;
    communicate(me);
    read_sets(me);
    close_session(me);
    return NULL;
}

/* Collective over all processes. Adds the sums of all threads, 30 in total on two processes, to `sum`. Prints one line
 * on stderr for each failure, and returns the number of failures. */
int sessions_library_run(int *rank, int *size, long *sum)
{
    struct worker workers[THREADS];
    if (pthread_barrier_init(&all_are_open, NULL, THREADS) != 0)
        abort();
    for (int n = 0; n < THREADS; n++) {
        workers[n] = (struct worker){.number = n};
        if (pthread_create(&workers[n].thread, NULL, work, &workers[n]) != 0)
            abort();
    }
    for (int n = 0; n < THREADS; n++) {
        pthread_join(workers[n].thread, NULL);
        *rank = workers[n].rank;
        *size = workers[n].size;
        *sum += workers[n].sum;
    }
    pthread_barrier_destroy(&all_are_open);
    return atomic_exchange(&failures, 0);
}

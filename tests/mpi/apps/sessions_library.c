/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sessions_library: see sessions_library.h. Each thread has a session, and all that it makes of it, to itself.
 *
 * No session is finalized before all have been opened: MPICH 4.0.2 takes itself down with the last one, and crashes
 * when another is opened then.
 */
#include "sessions_library.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#define WORLD     "mpi://WORLD"
#define RING_TAG  7
#define NAME_SIZE 64

/* What one thread has. The infos outlive the session. */
struct worker {
    pthread_t thread;
    int number;
    int failures;
    MPI_Session session;
    MPI_Comm comm;
    MPI_Info session_info, world_info;
    struct sessions_result result;
};

static pthread_barrier_t all_are_open;
static int expected_size; /* of the environment: 0 where it does not say */

/* Before main, and before any MPI. */
__attribute__((constructor(101))) static void read_environment(void)
{
    MPI_Info env;
    char value[NAME_SIZE] = "";
    int flag = 0;
    if (MPI_Info_create_env(0, NULL, &env) != MPI_SUCCESS)
        return;
    if (MPI_Info_get(env, "maxprocs", NAME_SIZE - 1, value, &flag) == MPI_SUCCESS && flag)
        expected_size = atoi(value);
    MPI_Info_free(&env);
}

static bool check(struct worker *me, bool good, const char *what)
{
    if (!good) {
        me->failures++;
        fprintf(stderr, "sessions_library: thread %d: not so: %s\n", me->number, what);
    }
    return good;
}

#define CHECK(condition) check(me, (condition), #condition)
#define CALL(call)       check(me, (call) == MPI_SUCCESS, #call)

static bool has_value(MPI_Info info, const char *key, const char *wanted)
{
    char value[NAME_SIZE] = "";
    int flag = 0;
    return MPI_Info_get(info, key, NAME_SIZE - 1, value, &flag) == MPI_SUCCESS && flag && strcmp(value, wanted) == 0;
}

/* The info ends before the session does. */
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

static int size_of(struct worker *me, MPI_Info info)
{
    char value[NAME_SIZE] = "";
    int flag = 0;
    CALL(MPI_Info_get(info, "mpi_size", NAME_SIZE - 1, value, &flag));
    return flag ? atoi(value) : 0;
}

/* Every process set is asked for its name and size. */
static void read_sets(struct worker *me)
{
    int sets = 0;
    bool found = false;
    CALL(MPI_Session_get_num_psets(me->session, MPI_INFO_NULL, &sets));
    for (int n = 0; n < sets; n++) {
        char name[NAME_SIZE] = "";
        int length = NAME_SIZE;
        MPI_Info info;
        if (!CALL(MPI_Session_get_nth_pset(me->session, MPI_INFO_NULL, n, &length, name)) ||
            !CALL(MPI_Session_get_pset_info(me->session, name, &info)))
            continue;
        int size = size_of(me, info);
        CHECK(size > 0);
        if (strcmp(name, WORLD) == 0 && !found) {
            found = true;
            me->result.size = size;
            me->world_info = info;
        } else {
            CALL(MPI_Info_free(&info));
        }
    }
    CHECK(found);
    CHECK(expected_size == 0 || expected_size == me->result.size);
    if (CALL(MPI_Session_get_info(me->session, &me->session_info)))
        CHECK(has_value(me->session_info, "thread_level", "MPI_THREAD_MULTIPLE"));
}

/* Each thread's communicators are distinguished by the tag. */
static bool make_communicator(struct worker *me)
{
    MPI_Group group;
    MPI_Info info;
    char tag[NAME_SIZE];
    if (!CALL(MPI_Group_from_session_pset(me->session, WORLD, &group)))
        return false;
    CALL(MPI_Info_create(&info));
    CALL(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    snprintf(tag, sizeof tag, "sessions_library.%d", me->number);
    bool made = CALL(MPI_Comm_create_from_group(group, tag, info, MPI_ERRORS_RETURN, &me->comm));
    CALL(MPI_Info_free(&info));
    CALL(MPI_Group_free(&group));
    return made;
}

/* What process `rank` brings in for a thread. */
static long share(int rank, int number)
{
    return (long)(rank + 1) * (number + 1);
}

static long thread_sum(int size, int number)
{
    long sum = 0;
    for (int rank = 0; rank < size; rank++)
        sum += share(rank, number);
    return sum;
}

static void communicate(struct worker *me)
{
    int rank = -1, size = 0;
    CALL(MPI_Comm_rank(me->comm, &rank));
    CALL(MPI_Comm_size(me->comm, &size));
    CHECK(size == me->result.size);
    me->result.rank = rank;
    long mine = share(rank, me->number), sum = 0, left = 0;
    CALL(MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, me->comm));
    CALL(MPI_Sendrecv(&mine, 1, MPI_LONG, (rank + 1) % size, RING_TAG, &left, 1, MPI_LONG, (rank + size - 1) % size,
                      RING_TAG, me->comm, MPI_STATUS_IGNORE));
    CHECK(sum == thread_sum(size, me->number));
    CHECK(left == share((rank + size - 1) % size, me->number));
    me->result.sum = sum;
}

/* What the session has given out is the library's own: it is read, and freed, when the session is gone. */
static void close_session(struct worker *me)
{
    char size[NAME_SIZE];
    CALL(MPI_Session_finalize(&me->session));
    snprintf(size, sizeof size, "%d", me->result.size);
    if (me->session_info != MPI_INFO_NULL) {
        CHECK(has_value(me->session_info, "thread_level", "MPI_THREAD_MULTIPLE"));
        CALL(MPI_Info_free(&me->session_info));
    }
    if (me->world_info != MPI_INFO_NULL) {
        CHECK(has_value(me->world_info, "mpi_size", size));
        CALL(MPI_Info_free(&me->world_info));
    }
}

static void *work(void *argument)
{
    struct worker *me = argument;
    bool open = open_session(me);
    pthread_barrier_wait(&all_are_open);
    if (!open)
        return NULL;
    read_sets(me);
    if (make_communicator(me)) {
        communicate(me);
        CALL(MPI_Comm_free(&me->comm));
    }
    close_session(me);
    return NULL;
}

int sessions_library_run(struct sessions_result *result)
{
    struct worker workers[SESSIONS_LIBRARY_THREADS];
    int failures = 0;
    if (pthread_barrier_init(&all_are_open, NULL, SESSIONS_LIBRARY_THREADS) != 0)
        abort();
    result->sum = 0;
    for (int n = 0; n < SESSIONS_LIBRARY_THREADS; n++) {
        workers[n] = (struct worker){.number = n, .session_info = MPI_INFO_NULL, .world_info = MPI_INFO_NULL};
        if (pthread_create(&workers[n].thread, NULL, work, &workers[n]) != 0)
            abort();
    }
    for (int n = 0; n < SESSIONS_LIBRARY_THREADS; n++) {
        pthread_join(workers[n].thread, NULL);
        failures += workers[n].failures;
        result->sum += workers[n].result.sum;
    }
    pthread_barrier_destroy(&all_are_open);
    result->rank = workers[0].result.rank;
    result->size = workers[0].result.size;
    return failures;
}

long sessions_library_sum(int size)
{
    long sum = 0;
    for (int n = 0; n < SESSIONS_LIBRARY_THREADS; n++)
        sum += thread_sum(size, n);
    return sum;
}

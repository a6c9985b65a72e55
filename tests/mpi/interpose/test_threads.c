/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that lend one info to the real library while another writes it: each real info is of one version, and none is
 * left.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "interpose/interpose.h"
#include "support/scale.h"

enum { LENDERS = 3, ROUNDS = TEST_SANITIZED ? 300 : 2000 };

static MPI_Info shared;
static _Atomic bool stop;

static void *lend(void *unused)
{
    for (int n = 0; n < ROUNDS; n++) {
        void *memory = NULL;
        CHECK_MPI(MPI_Alloc_mem(64, shared, &memory), MPI_SUCCESS);
        CHECK_MPI(MPI_Free_mem(memory), MPI_SUCCESS);
    }
    return unused;
}

/* Both keys have one value in every version. */
static void *write(void *unused)
{
    for (int n = 0; !atomic_load_explicit(&stop, memory_order_relaxed); n++) {
        char value[16];
        snprintf(value, sizeof value, "%d", n);
        const rcuinfo_change_t changes[] = {{"a", value}, {"b", value}};
        CHECK_OK(rcuinfo_update(rcuinfo_from_mpi(shared), changes, 2, NULL));
    }
    return unused;
}

static void lenders_and_a_writer(void)
{
    pthread_t lenders[LENDERS], writer;
    int provided = MPI_THREAD_SINGLE;
    CHECK_MPI(MPI_Query_thread(&provided), MPI_SUCCESS);
    CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE);
    shared = make_info({"a", "0"}, {"b", "0"});
    CHECK_EQUAL(pthread_create(&writer, NULL, write, NULL), 0);
    for (int n = 0; n < LENDERS; n++)
        CHECK_EQUAL(pthread_create(&lenders[n], NULL, lend, NULL), 0);
    for (int n = 0; n < LENDERS; n++)
        CHECK_EQUAL(pthread_join(lenders[n], NULL), 0);
    atomic_store_explicit(&stop, true, memory_order_relaxed);
    CHECK_EQUAL(pthread_join(writer, NULL), 0);
    free_info(shared);
}

/* What goes down is one version: the spy reads it. */
static void a_real_info_is_of_one_version(void)
{
    pthread_t writer;
    shared = make_info({"a", "0"}, {"b", "0"});
    atomic_store_explicit(&stop, false, memory_order_relaxed);
    spy.stubs = true;
    CHECK_EQUAL(pthread_create(&writer, NULL, write, NULL), 0);
    for (int n = 0; n < ROUNDS; n++) {
        void *memory = NULL;
        int a = -1, b = -2;
        CHECK_MPI(MPI_Alloc_mem(64, shared, &memory), MPI_SUCCESS);
        CHECK_EQUAL(sscanf(came_down.pairs[0], "a=%d;b=%d;", &a, &b), 2);
        CHECK_EQUAL(a, b);
    }
    atomic_store_explicit(&stop, true, memory_order_relaxed);
    CHECK_EQUAL(pthread_join(writer, NULL), 0);
    spy.stubs = false;
    free_info(shared);
}

int main(void)
{
    static test_function *const tests[] = {
        a_real_info_is_of_one_version,
        lenders_and_a_writer,
    };
    INTERPOSE_RUN(tests);
}

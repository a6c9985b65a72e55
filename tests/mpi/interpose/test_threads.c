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
static _Atomic int errors;

static void *lend(void *unused)
{
    for (int n = 0; n < ROUNDS; n++) {
        void *memory = NULL;
        if (MPI_Alloc_mem(64, shared, &memory) != MPI_SUCCESS || MPI_Free_mem(memory) != MPI_SUCCESS)
            atomic_fetch_add_explicit(&errors, 1, memory_order_relaxed);
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
        if (rcuinfo_update(rcuinfo_from_mpi(shared), changes, 2, NULL) != RCUINFO_SUCCESS)
            atomic_fetch_add_explicit(&errors, 1, memory_order_relaxed);
    }
    return unused;
}

static void lenders_and_a_writer(void **state)
{
    pthread_t lenders[LENDERS], writer;
    int provided = MPI_THREAD_SINGLE;
    (void)state;
    assert_int_equal(MPI_Query_thread(&provided), MPI_SUCCESS);
    assert_int_equal(provided, MPI_THREAD_MULTIPLE);
    shared = make_info({"a", "0"}, {"b", "0"});
    assert_int_equal(pthread_create(&writer, NULL, write, NULL), 0);
    for (int n = 0; n < LENDERS; n++)
        assert_int_equal(pthread_create(&lenders[n], NULL, lend, NULL), 0);
    for (int n = 0; n < LENDERS; n++)
        assert_int_equal(pthread_join(lenders[n], NULL), 0);
    atomic_store_explicit(&stop, true, memory_order_relaxed);
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(atomic_load_explicit(&errors, memory_order_relaxed), 0);
    free_info(shared);
}

/* What goes down is one version: the spy reads it. */
static void a_real_info_is_of_one_version(void **state)
{
    pthread_t writer;
    (void)state;
    shared = make_info({"a", "0"}, {"b", "0"});
    atomic_store_explicit(&stop, false, memory_order_relaxed);
    spy_stub(true);
    assert_int_equal(pthread_create(&writer, NULL, write, NULL), 0);
    for (int n = 0; n < ROUNDS; n++) {
        void *memory = NULL;
        int a = -1, b = -2;
        assert_int_equal(MPI_Alloc_mem(64, shared, &memory), MPI_SUCCESS);
        assert_int_equal(sscanf(spy_pairs(0), "a=%d;b=%d;", &a, &b), 2);
        assert_int_equal(a, b);
    }
    atomic_store_explicit(&stop, true, memory_order_relaxed);
    assert_int_equal(pthread_join(writer, NULL), 0);
    spy_stub(false);
    free_info(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_info_is_of_one_version),
        cmocka_unit_test(lenders_and_a_writer),
    };
    INTERPOSE_RUN(tests);
}

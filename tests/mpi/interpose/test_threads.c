/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that lend one info to the real library while another writes it: each real info is of one version, and none is
 * left.
 */
#include <malloc.h>

#include "interpose/interpose.h"
#include "support/scale.h"
#include "support/threads.h"

enum { LENDERS = 3, ROUNDS = TEST_SANITIZED ? 300 : 2000 };

static MPI_Info shared;
static atomic_uint lending;

/* Thread 0: both keys have one value in every version. */
static void write_while_others_lend(void)
{
    for (int n = 0; atomic_load(&lending) > 0; n++) {
        char value[16];
        snprintf(value, sizeof value, "%d", n);
        const rcuinfo_change_t changes[] = {{"a", value}, {"b", value}};
        CHECK_OK(rcuinfo_update(rcuinfo_from_mpi(shared), changes, 2, NULL));
    }
}

/* The others. What goes down is one version: the spy reads it. */
static void lend(unsigned thread, void *unused)
{
    (void)unused;
    if (thread == 0) {
        write_while_others_lend();
        return;
    }
    for (int n = 0; n < ROUNDS; n++) {
        void *memory = NULL;
        int a = -1, b = -2;
        CHECK_MPI(MPI_Alloc_mem(64, shared, &memory), MPI_SUCCESS);
        CHECKF(sscanf(came_down.pairs[0], "a=%d;b=%d;", &a, &b) == 2 && a == b, "%s", came_down.pairs[0]);
        if (!spy.stubs)
            CHECK_MPI(MPI_Free_mem(memory), MPI_SUCCESS);
    }
    atomic_fetch_sub(&lending, 1);
}

static void lenders_and_a_writer(void)
{
    int provided = MPI_THREAD_SINGLE;
    CHECK_MPI(MPI_Query_thread(&provided), MPI_SUCCESS);
    CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE);
    shared = make_info({"a", "0"}, {"b", "0"});
    atomic_store(&lending, LENDERS);
    team_run(LENDERS + 1, lend, NULL);
    free_info(shared);
}

/* Without the real library in between, they meet more often. */
static void stubbed(void)
{
    spy.stubs = true;
    lenders_and_a_writer();
    spy.stubs = false;
}

/* Each info that was lent is freed with its only version: the second half takes the memory of the first. */
static void no_version_is_kept(void)
{
    enum { MANY = 8000, MOST_KEPT = 1 << 20 };
    char value[200] = "";
    size_t before = 0;
    memset(value, 'v', sizeof value - 1);

    spy.stubs = true;
    for (int n = 0; n < 2 * MANY; n++) {
        MPI_Info info = make_info({"a", value});
        void *memory = NULL;
        CHECK_MPI(MPI_Alloc_mem(64, info, &memory), MPI_SUCCESS);
        free_info(info);
        if (n % MANY == MANY - 1)
            CHECK_EQUAL(rcuinfo_store_drain(), 0);
        if (n == MANY)
            before = mallinfo2().uordblks;
    }
    spy.stubs = false;

    size_t after = mallinfo2().uordblks; /* both 0 where a sanitizer allocates */
    CHECKF(after < before + MOST_KEPT, "%zu bytes, and then %zu", before, after);
}

int main(void)
{
    static test_function *const tests[] = {stubbed, lenders_and_a_writer, no_version_is_kept};
    INTERPOSE_RUN(tests);
}

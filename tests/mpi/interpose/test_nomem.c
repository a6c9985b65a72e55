/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each allocation in a forwarder fails in turn: the call returns the out-of-memory error after its error handler was
 * called, nothing is passed to the real library, no info that it returned is kept, and the next call works. A library
 * after the interposer answers in place of the real one.
 */
#include <errno.h>

#include "interpose/calls.h"
#include "interpose/interpose.h"

#include "support/counts.h"
#include "support/nomem.h"

enum { PAIRS_GIVEN = 150, MOST_FILLERS = 8192 };

/* `fails`: whether lending allocates memory, even for a single info. */
static void lend(MPI_Info info, bool fails)
{
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        bool takes = fails || strstr(call->name, "MPI_Comm_spawn") || strstr(call->name, "mpi_comm_spawn_multiple");
        int real_infos = atomic_load(&spy.real_infos), code;
        spy_forget();
        handled = 0;
        CHECK_EQUAL(NOMEM_AT(1, code = call->make(false, info)), takes);
        CHECK_EQUAL(handled, takes && !is_tool(call->name));
        CHECK_EQUAL(code, takes ? no_memory_of(call->name) : MPI_SUCCESS);
        CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
        CHECK_TEXT(came_down.function, takes ? "" : call->name);
    }
    for (const struct call *call = calls; call < calls + calls_count; call++)
        CHECK_MPI(call->make(false, info), MPI_SUCCESS);
}

/* Lending allocates a list of the hints, if there are any. MPI_INFO_ENV is lent, too, and its object is created then:
 * MPI_Init had no memory for it, and nothing else has used it. */
TEST(lending)
{
    MPI_Info info = make_info({"a", "1"}, {"b", "2"}), empty;
    CHECK_MPI(MPI_Info_create(&empty), MPI_SUCCESS);
    lend(MPI_INFO_ENV, true);
    lend(info, true);
    lend(empty, false);
    CHECK_CONTENTS(info, {"a", "1"}, {"b", "2"});
    free_info(info);
    free_info(empty);
}

/* Fails each allocation for converting a returned info. */
static void fail_each(const struct gift *gift)
{
    for (nomem_start(); nomem_next();) {
        int real_infos = atomic_load(&spy.real_infos), nkeys = -1, code;
        uint64_t live = left_live();
        MPI_Info info = flavour_handle(0x12345678);
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
        handled = 0;
        NOMEM(code = gift->make(false, &info));
        CHECK_EQUAL(handled, nomem.met && !is_tool(gift->name));
        CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
        if (nomem.met) {
            CHECK_EQUAL(code, no_memory_of(gift->name));
            CHECK(info == flavour_handle(0x12345678));
            CHECK_EQUAL(left_live(), live);
        } else {
            CHECK_MPI(code, MPI_SUCCESS);
            CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
            CHECK_EQUAL(nkeys, PAIRS_GIVEN);
            free_info(info);
        }
    }
    CHECK(nomem.count > 1);
}

TEST(taking_in)
{
    const char *given[2 * PAIRS_GIVEN];
    static char keys[PAIRS_GIVEN][16];
    for (int n = 0; n < PAIRS_GIVEN; n++) {
        (void)snprintf(keys[n], sizeof keys[n], "key%d", n);
        given[2 * n] = keys[n];
        given[2 * n + 1] = "value";
    }
    spy_give(given, PAIRS_GIVEN);
    /* A block with room for all pairs but not for all their text, and then larger ones. */
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++)
        fail_each(gift);
    spy_give(NULL, 0);
}

/* No memory for the object itself, for which the table of slots must grow. */
TEST(taking_in_without_a_slot)
{
    MPI_Info *fillers = calloc(MOST_FILLERS, sizeof *fillers), info = flavour_handle(0x12345678);
    int used = 0, code, real_infos = atomic_load(&spy.real_infos);
    spy_give(NULL, 0);
    while (!NOMEM_AT(1, code = MPI_Info_create(&fillers[used])))
        CHECK(++used < MOST_FILLERS);
    CHECK_MPI(code, MPI_ERR_NO_MEM);
    CHECK(NOMEM_AT(1, code = MPI_Comm_get_info(MPI_COMM_WORLD, &info)));
    CHECK_MPI(code, MPI_ERR_NO_MEM);
    CHECK(info == flavour_handle(0x12345678));
    CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    CHECK_MPI(MPI_Comm_get_info(MPI_COMM_WORLD, &info), MPI_SUCCESS);
    CHECK_EMPTY(info);
    free_info(info);
    for (int n = 0; n < used; n++)
        free_info(fillers[n]);
    free(fillers);
}

int main(void)
{
    CHECK(NOMEM_AT(1, interpose_begin()));
    count_errors(MPI_ERR_NO_MEM);
    int real_infos = atomic_load(&spy.real_infos);
    spy.stubs = true;
    run_phase("no memory");
    spy.stubs = false;
    interpose_end(real_infos);
    counts_report(program_invocation_short_name, "allocation points failed", (unsigned long)faults_met());
    return 0;
}

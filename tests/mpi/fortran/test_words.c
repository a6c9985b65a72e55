/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls Fortran's procedures in ways that C's functions do not have, or that the tests of interpose do not make: those
 * without an info, without ierror, with a long name, and with a second info in an array, whose string is the second one
 * of an array.
 */
#include "fortran/calls_fortran.h"
#include "interpose/calls.h"
#include "interpose/interpose.h"

static bool with_rules;

/* Calls each procedure with and without ierror: success, success without a result, failure, and with an invalid info.
 */
TEST(ierror_is_optional)
{
    enum { SUCCEEDS, WITHHOLDS, FAILS, REFUSED, WAYS };
    static const char *const pair[] = {"given", "yes"};
    for (int n = 0; n < 2 * WAYS * procedures_count; n++) {
        const struct procedure *procedure = &procedures[n / (2 * WAYS)];
        bool is_absent = n / WAYS % 2, takes = procedure->info >= 0 && procedure->kind != OUT;
        bool is_refused = n % WAYS == REFUSED && takes;
        bool gives = procedure->kind == OUT && n % WAYS != FAILS && n % WAYS != WITHHOLDS;
        int code = is_refused ? MPI_ERR_INFO : n % WAYS == FAILS ? MPI_ERR_OTHER : MPI_SUCCESS;
        MPI_Info info = make_info({"a", "1"});
        uint64_t conversions = count_conversions();
        struct words call;
        prepare(procedure, &call, is_refused ? make_stale() : info);
        if (is_absent)
            call.words[ierror_of(procedure)] = NULL;
        spy_forget();
        spy_give(pair, n % WAYS == WITHHOLDS ? -2 : 1);
        spy.answer = n % WAYS == FAILS ? MPI_ERR_OTHER : MPI_SUCCESS;
        CHECK_EQUAL(perform(procedure, &call), is_absent ? UNTOUCHED : code);
        CHECK_TEXT(came_down.function, is_refused ? "" : procedure->symbol);
        CHECK_EQUAL(count_conversions() - conversions, gives || (takes && !is_refused));
        if (gives) {
            MPI_Info given = MPI_Info_f2c(call.infos[0]);
            CHECK(is_ours(given) && given != info);
            CHECK_CONTENTS(given, {"given", "yes"});
            free_info(given);
        } else if (!is_refused) {
            CHECK_EQUAL(call.infos[0], MPI_Info_c2f(info));
        }
        free_info(info);
    }
    spy_give(NULL, 0);
    spy.answer = MPI_SUCCESS;
}

TEST(arrays_have_more_infos)
{
    MPI_Info first = make_info({"a", "1"}), second = make_info({"b", "2"});
    for (int n = 0; n < procedures_count; n++) {
        struct words call;
        if (procedures[n].kind != ARRAY)
            continue;
        uint64_t conversions = count_conversions();
        prepare(&procedures[n], &call, first);
        call.count = 2;
        call.infos[1] = MPI_Info_c2f(second);
        CHECK_MPI(perform(&procedures[n], &call), MPI_SUCCESS);
        CHECK_TEXT(came_down.pairs[0], with_rules ? "a=1;all=r;own=r;imposed=r;kind=spawn;name=s;" : "a=1;");
        CHECK_TEXT(came_down.pairs[1], with_rules ? "b=2;all=r;own=r;imposed=r;name=b;kind=special;" : "b=2;");
        CHECK_EQUAL(count_conversions() - conversions, 2);
        call.infos[1] = MPI_Info_c2f(MPI_INFO_NULL);
        CHECK_MPI(perform(&procedures[n], &call), MPI_SUCCESS);
        CHECK_EQUAL(came_down.infos[1] == MPI_INFO_NULL, !with_rules);
        call.infos[1] = MPI_Info_c2f(make_stale());
        spy_forget();
        CHECK_MPI(perform(&procedures[n], &call), MPI_ERR_INFO);
        CHECK_TEXT(came_down.function, "");
    }
    free_info(first);
    free_info(second);
}

/* Rules compare the start of a longer name; AddressSanitizer checks the room for it. */
TEST(long_names_are_cut)
{
    static char name[3000];
    MPI_Info info = make_info({"a", "1"});
    memset(name, 'n', sizeof name);
    for (int n = 0; n < procedures_count; n++) {
        struct words call;
        if (!strstr(procedures[n].symbol, "_file_open"))
            continue;
        prepare(&procedures[n], &call, info);
        call.words[1] = name;
        call.words[ierror_of(&procedures[n]) + 1] = (void *)sizeof name;
        CHECK_MPI(perform(&procedures[n], &call), MPI_SUCCESS);
        CHECK_TEXT(came_down.pairs[0], with_rules ? "a=1;all=r;own=r;imposed=r;kind=file;" : "a=1;");
    }
    free_info(info);
}

TEST(infos_are_read_only_at_the_root)
{
    uint64_t conversions = count_conversions();
    calls_root = 1;
    for (const struct call *call = calls; call < calls + calls_count; call++) {
        if (!call_waits(call)) /* calls with a root wait */
            continue;
        CHECK_MPI(call->make(false, make_stale()), MPI_SUCCESS);
        CHECK_TEXT(came_down.function, call->name);
    }
    CHECK_EQUAL(count_conversions(), conversions);
}

int main(void)
{
    with_rules = getenv("RCUINFO_HINTS") != NULL;
    CHECK(calls_count >= (IS_OPENMPI ? 25 : 8));
    return interpose_run("", false);
}

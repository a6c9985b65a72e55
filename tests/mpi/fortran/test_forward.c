/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every procedure of the interposer's table for Fortran, called as a compiler would: each word goes down as it came,
 * but that in place of the info there is a real one with its pairs, and that ierror is always there.
 */
#include "fortran/spy_fortran.h"
#include "interpose/interpose.h"

#include "core/alloc.h"
#include "mpi/interpose/fortran_table.h"

enum kind { IN, SESSION, AT_ROOT, ARRAY, OUT, INIT, FINALIZE, ABORT };

typedef void procedure_t(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                         void *);

struct row {
    const char *symbol;
    void (*procedure)(void);
    enum kind kind;
    int words, strings, info;
};

#define DECLARE(kind, symbol, count, strings, info) void symbol(RCUINFO__FORTRAN_PARAMETERS_##count);
RCUINFO__FORTRAN_PROCEDURES(DECLARE, DECLARE)

#define ROW(kind, symbol, count, strings, info) {#symbol, (void (*)(void))symbol, kind, count, strings, (info)-1},
static const struct row rows[] = {RCUINFO__FORTRAN_PROCEDURES(ROW, ROW)};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* One call: what the references name, and the words. The lengths of strings are 101 and on. */
struct call {
    MPI_Fint values[SPY_WORDS];
    MPI_Fint infos[SPY_INFOS];
    void *words[SPY_WORDS];
    MPI_Fint ierror;
};

static int ierror_of(const struct row *row)
{
    return row->words - row->strings - 1;
}

static void prepare(const struct row *row, struct call *call, MPI_Info info, MPI_Info second)
{
    *call = (struct call){.ierror = -7};
    call->infos[0] = MPI_Info_c2f(info);
    call->infos[1] = MPI_Info_c2f(second);
    for (int n = 0; n < row->words; n++) {
        call->values[n] = 1000 + n;
        call->words[n] = &call->values[n];
        if (n > ierror_of(row))
            call->words[n] = (void *)(uintptr_t)(100 + n - ierror_of(row));
    }
    call->words[ierror_of(row)] = &call->ierror;
    if (row->info >= 0)
        call->words[row->info] = call->infos;
    if (row->kind == ARRAY)
        call->values[0] = 2;
    if (row->kind == AT_ROOT || row->kind == ARRAY) {
        call->values[row->info + 1] = 0;
        call->values[row->info + 2] = PMPI_Comm_c2f(MPI_COMM_SELF);
    }
}

static void perform(const struct row *row, struct call *call)
{
    void **words = call->words;
    ((procedure_t *)row->procedure)(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
                                    words[8], words[9], words[10], words[11]);
}

/* All words but those of the info and of ierror. */
static void assert_went_down(const struct row *row, const struct call *call)
{
    const struct spy_call *seen = spy_call();
    assert_string_equal(seen->symbol, row->symbol);
    for (int n = 0; n < row->words; n++) {
        if (n == row->info || n == ierror_of(row))
            continue;
        if (seen->words[n] != call->words[n])
            fail_msg("%s: word %d has changed", row->symbol, n + 1);
    }
    assert_non_null(seen->words[ierror_of(row)]);
}

/* How many infos are converted for the row. */
static uint64_t conversions_of(const struct row *row)
{
    return row->info < 0 ? 0 : row->kind == ARRAY ? 2 : 1;
}

static void every_word_goes_down(void **state)
{
    (void)state;
    for (int n = 0; n < 2 * ROWS; n++) {
        const struct row *row = &rows[n / 2];
        struct call call;
        MPI_Info info = make_info({"a", "1"}, {"b", "2"}), second = make_info({"c", "3"});
        uint64_t before = count_conversions();
        prepare(row, &call, info, second);
        if (n % 2) /* absent */
            call.words[ierror_of(row)] = NULL;
        spy_expect(MPI_SUCCESS);
        perform(row, &call);
        assert_went_down(row, &call);
        assert_int_equal(call.ierror, n % 2 ? -7 : MPI_SUCCESS);
        assert_int_equal(count_conversions() - before, conversions_of(row));
        if (row->kind == OUT) {
            MPI_Info given = MPI_Info_f2c(call.infos[0]);
            assert_true(is_ours(given));
            assert_contents(given, {"given", "yes"});
            free_info(given);
        } else if (row->info >= 0) {
            assert_string_equal(spy_call()->pairs[0], "a=1;b=2;");
            assert_int_not_equal(spy_call()->integers[0], MPI_Info_c2f(info));
            assert_int_equal(call.infos[0], MPI_Info_c2f(info));
        }
        if (row->kind == ARRAY)
            assert_string_equal(spy_call()->pairs[1], "c=3;");
        assert_contents(info, {"a", "1"}, {"b", "2"});
        free_info(info);
        free_info(second);
    }
}

static void its_error_comes_back(void **state)
{
    (void)state;
    for (int n = 0; n < ROWS; n++) {
        struct call call;
        MPI_Info info = make_info({"a", "1"}), second = make_empty();
        prepare(&rows[n], &call, info, second);
        spy_expect(MPI_ERR_OTHER);
        perform(&rows[n], &call);
        assert_went_down(&rows[n], &call);
        assert_int_equal(call.ierror, MPI_ERR_OTHER);
        assert_int_equal(call.infos[0], MPI_Info_c2f(info));
        free_info(info);
        free_info(second);
    }
}

/* The second one of an array. */
static void a_stale_info_goes_nowhere(void **state)
{
    (void)state;
    for (int n = 0; n < ROWS; n++) {
        struct call call;
        MPI_Info good = make_empty();
        if (rows[n].info >= 0 && rows[n].kind != OUT) {
            prepare(&rows[n], &call, rows[n].kind == ARRAY ? good : make_stale(), make_stale());
            spy_expect(MPI_SUCCESS);
            perform(&rows[n], &call);
            assert_string_equal(spy_call()->symbol, "");
            assert_int_equal(class_of(call.ierror), MPI_ERR_INFO);
            call.words[ierror_of(&rows[n])] = NULL;
            perform(&rows[n], &call);
        }
        free_info(good);
    }
}

static void null_and_real_infos_pass(void **state)
{
    (void)state;
    for (int n = 0; n < ROWS; n++) {
        struct call call;
        MPI_Info real = make_real("a", "1");
        uint64_t before = count_conversions();
        if (rows[n].info >= 0 && rows[n].kind != OUT) {
            prepare(&rows[n], &call, MPI_INFO_NULL, MPI_INFO_NULL);
            spy_expect(MPI_SUCCESS);
            perform(&rows[n], &call);
            assert_string_equal(spy_call()->pairs[0], "null");
            assert_int_equal(call.ierror, MPI_SUCCESS);
            prepare(&rows[n], &call, real, MPI_INFO_NULL);
            perform(&rows[n], &call);
            assert_int_equal(spy_call()->integers[0], PMPI_Info_c2f(real));
            assert_string_equal(spy_call()->pairs[0], "a=1;");
        }
        assert_int_equal(count_conversions(), before);
        PMPI_Info_free(&real);
    }
}

static void away_from_the_root_it_does_not_count(void **state)
{
    (void)state;
    for (int n = 0; n < ROWS; n++) {
        struct call call;
        if (rows[n].kind != AT_ROOT && rows[n].kind != ARRAY)
            continue;
        prepare(&rows[n], &call, make_stale(), make_stale());
        call.values[rows[n].info + 1] = 1;
        spy_expect(MPI_SUCCESS);
        perform(&rows[n], &call);
        assert_string_equal(spy_call()->symbol, rows[n].symbol);
        assert_int_equal(call.ierror, MPI_SUCCESS);
    }
}

enum { TAKEN = 4096 };

/* What is lent is made by the real library; of the store's memory an array and what is given out need some, and none
 * that has been used before is at hand. */
static void without_memory_nothing_happens(void **state)
{
    static MPI_Info taken[TAKEN];
    MPI_Info info = make_info({"a", "1"}), second = make_empty();
    const struct row *out = rows;
    (void)state;
    while (out->kind != OUT)
        out++;
    for (int n = 0; n < TAKEN; n++) {
        struct call call;
        prepare(out, &call, info, second);
        spy_expect(MPI_SUCCESS);
        perform(out, &call);
        taken[n] = MPI_Info_f2c(call.infos[0]);
    }
    for (int n = 0; n < ROWS; n++) {
        struct call call;
        if (rows[n].kind == ARRAY || rows[n].kind == OUT) {
            prepare(&rows[n], &call, info, second);
            spy_expect(MPI_SUCCESS);
            int before = rcuinfo__alloc_faults();
            rcuinfo__alloc_fail_at(1);
            perform(&rows[n], &call);
            assert_int_equal(rcuinfo__alloc_faults() - before, 1);
            rcuinfo__alloc_fail_at(0);
            assert_int_equal(class_of(call.ierror), MPI_ERR_NO_MEM);
            assert_int_equal(call.infos[0], MPI_Info_c2f(info));
            assert_string_equal(spy_call()->symbol, rows[n].kind == ARRAY ? "" : rows[n].symbol);
        }
    }
    for (int n = 0; n < TAKEN; n++)
        free_info(taken[n]);
    free_info(info);
    free_info(second);
}

static void what_is_not_written_stays(void **state)
{
    MPI_Info info = make_info({"a", "1"}), second = make_empty();
    uint64_t live = count_live();
    (void)state;
    spy_withhold(true);
    for (int n = 0; n < ROWS; n++) {
        struct call call;
        if (rows[n].kind == OUT) {
            prepare(&rows[n], &call, info, second);
            spy_expect(MPI_SUCCESS);
            perform(&rows[n], &call);
            assert_string_equal(spy_call()->symbol, rows[n].symbol);
            assert_int_equal(call.ierror, MPI_SUCCESS);
            assert_int_equal(call.infos[0], MPI_Info_c2f(info));
        }
    }
    spy_withhold(false);
    assert_int_equal(count_live(), live);
    free_info(info);
    free_info(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_goes_down),
        cmocka_unit_test(its_error_comes_back),
        cmocka_unit_test(a_stale_info_goes_nowhere),
        cmocka_unit_test(null_and_real_infos_pass),
        cmocka_unit_test(away_from_the_root_it_does_not_count),
        cmocka_unit_test(without_memory_nothing_happens),
        cmocka_unit_test(what_is_not_written_stays),
    };
    int failed = interpose_begin();
    int real_infos = spy_real_infos();
    failed += cmocka_run_group_tests_name("forward", tests, NULL, NULL);
    failed += interpose_end(real_infos - spy_given());
    return failed != 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls every procedure of the interposer's table for Fortran as a compiler would. Each argument word is passed on
 * unchanged, except that the info is replaced by a real one with its pairs, and that ierror is always passed. Also
 * tests the pairs that the rules of the process (RCUINFO_HINTS, rules.hints) add for the procedure's object, and for
 * its name, which is in one word and has trailing blanks.
 */
#include "fortran/spy_fortran.h"
#include "interpose/interpose.h"

#include "mpi/interpose/fortran_table.h"
#include "support/nomem.h"

typedef void procedure_t(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                         void *);

struct row {
    const char *symbol;
    void (*procedure)(void);
    enum kind kind;
    int words, strings, info;
};

#define DECLARE(kind, symbol, count, strings, info)                                                                    \
    void symbol(RCUINFO__FORTRAN_EACH_##count(RCUINFO__FORTRAN_PARAMETER));
RCUINFO__FORTRAN_PROCEDURES(DECLARE, DECLARE)

#define ROW(kind, symbol, count, strings, info) {#symbol, (void (*)(void))symbol, kind, count, strings, (info)-1},
static const struct row rows[] = {RCUINFO__FORTRAN_PROCEDURES(ROW, ROW)};
enum { ROWS = sizeof rows / sizeof rows[0] };

static bool with_rules;

/* The pairs passed on without an info of the program, by the beginning of the procedure's name; the first match counts.
 * Word N of the first three reads "word-N". */
static const struct receiver {
    const char *procedure, *pairs, *second;
} receivers[] = {
    {"mpi_alloc_mem", "kind=alloc_mem;", NULL},
    {"mpi_comm_accept", "kind=port;name=1;", NULL},
    {"mpi_comm_connect", "kind=port;name=1;", NULL},
    {"mpi_comm_spawn_multiple", "kind=spawn;name=2;", "kind=spawn;name=other;"},
    {"mpi_comm_spawn", "kind=spawn;name=1;", NULL},
    {"mpi_comm_split_type", "kind=split_type;", NULL},
    {"mpi_comm_", "mpi_assert_no_any_source=true;", NULL},
    {"mpi_dist_graph_", "mpi_assert_no_any_source=true;", NULL},
    {"mpi_file_delete", "kind=file;name=1;", NULL},
    {"mpi_file_open", "kind=file;name=2;", NULL},
    {"mpi_file_", "kind=file;", NULL},
    {"mpi_intercomm_", "mpi_assert_no_any_source=true;", NULL},
    {"mpi_lookup_name", "kind=port;name=1;", NULL},
    {"mpi_open_port", "kind=port;", NULL},
    {"mpi_publish_name", "kind=port;name=1;", NULL},
    {"mpi_session_", "kind=session;", NULL},
    {"mpi_unpublish_name", "kind=port;name=1;", NULL},
    {"mpi_win_", "kind=window;", NULL},
    {"", NULL, NULL},
};

/* The last row is for procedures without rules. */
static const struct receiver *receiver_of(const struct row *row)
{
    const struct receiver *receiver = receivers;
    while (*receiver->procedure &&
           (!with_rules || strncmp(row->symbol, receiver->procedure, strlen(receiver->procedure)) != 0))
        receiver++;
    return receiver;
}

/* One call: the referenced variables, and the words. The first string has LENGTH bytes, and an array's second one
 * follows it; the lengths of the others, from 3 on, would cut a name. */
enum { LENGTH = 12 };
struct call {
    char texts[SPY_WORDS][2 * LENGTH];
    MPI_Fint count, root, comm, infos[SPY_INFOS], ierror;
    void *words[SPY_WORDS];
};

static int ierror_of(const struct row *row)
{
    return row->words - row->strings - 1;
}

static bool takes_info(const struct row *row)
{
    return row->info >= 0 && row->kind != OUT;
}

static void prepare(const struct row *row, struct call *call, MPI_Info info, MPI_Info second)
{
    static const char *const names[] = {"word-1", "word-2", "word-3", "word-4"};
    int ierror = ierror_of(row);
    void **words = call->words;
    *call = (struct call){.count = 2,
                          .comm = PMPI_Comm_c2f(MPI_COMM_SELF),
                          .infos = {MPI_Info_c2f(info), MPI_Info_c2f(second)},
                          .ierror = -7};
    for (int n = 0; n < row->words; n++) {
        char *text = call->texts[n];
        memset(text, ' ', sizeof call->texts[n]);
        memcpy(text, names[n < 4 ? n : 3], strlen(names[0]));
        memcpy(text + LENGTH, "other", strlen("other"));
        words[n] = n <= ierror ? (void *)text : (void *)(uintptr_t)(n == ierror + 1 ? LENGTH : n - ierror + 1);
    }
    words[ierror] = &call->ierror;
    if (row->info >= 0)
        words[row->info] = call->infos;
    if (row->kind == ARRAY)
        words[0] = &call->count;
    if (row->kind == AT_ROOT || row->kind == ARRAY) {
        words[row->info + 1] = &call->root;
        words[row->info + 2] = &call->comm;
    }
}

/* Makes a call in which the library returns `code`. */
static void perform(const struct row *row, struct call *call, int code)
{
    void **words = call->words;
    spy_fortran.symbol = "";
    spy_fortran.answer = code;
    ((procedure_t *)row->procedure)(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
                                    words[8], words[9], words[10], words[11]);
}

/* Checks all words except those of the info and ierror. */
static void check_went_down(const struct row *row, const struct call *call)
{
    CHECK_TEXT(spy_fortran.symbol, row->symbol);
    for (int n = 0; n < row->words; n++) {
        if (n == row->info || n == ierror_of(row))
            continue;
        CHECKF(spy_fortran.words[n] == call->words[n], "%s: word %d has changed", row->symbol, n + 1);
    }
    CHECK(spy_fortran.words[ierror_of(row)]);
}

/* Checks that the nth info passed on has the program's pairs, `first`, and those of the rules. */
static void check_pairs(const struct row *row, int n, const char *first)
{
    const char *pairs = n == 0 ? receiver_of(row)->pairs : receiver_of(row)->second;
    char expected[SPY_TEXT];
    snprintf(expected, sizeof expected, "%s%s", first, pairs ? pairs : *first ? "" : "null");
    CHECKF(strcmp(spy_fortran.pairs[n], expected) == 0, "%s: %s came down, not %s", row->symbol, spy_fortran.pairs[n],
           expected);
}

/* Calls each procedure in four ways: success, success without ierror, success without a result, and failure. */
static void every_word_goes_down(void)
{
    enum { SUCCEEDS, UNASKED, WITHHOLDS, FAILS, WAYS };
    int real_infos = atomic_load(&spy.real_infos) + spy_fortran.given, taking = 0;
    for (int n = 0; n < WAYS * ROWS; n++) {
        const struct row *row = &rows[n / WAYS];
        int code = n % WAYS == FAILS ? MPI_ERR_OTHER : MPI_SUCCESS;
        bool gives = row->kind == OUT && (n % WAYS == SUCCEEDS || n % WAYS == UNASKED);
        struct call call;
        MPI_Info info = make_info({"a", "1"}, {"b", "2"}), second = make_info({"c", "3"});
        uint64_t before = count_conversions();
        prepare(row, &call, info, second);
        if (n % WAYS == UNASKED)
            call.words[ierror_of(row)] = NULL;
        spy_fortran.withheld = n % WAYS == WITHHOLDS;
        perform(row, &call, code);
        spy_fortran.withheld = false;
        check_went_down(row, &call);
        CHECK_EQUAL(call.ierror, n % WAYS == UNASKED ? -7 : code);
        CHECK_EQUAL(count_conversions() - before, row->kind == ARRAY ? 2 : gives || takes_info(row));
        if (gives) {
            MPI_Info given = MPI_Info_f2c(call.infos[0]);
            CHECK(is_ours(given));
            CHECK_CONTENTS(given, {"given", "yes"});
            free_info(given);
        } else {
            CHECK_EQUAL(call.infos[0], MPI_Info_c2f(info));
        }
        if (takes_info(row)) {
            check_pairs(row, 0, "a=1;b=2;");
            CHECK(spy_fortran.integers[0] != MPI_Info_c2f(info));
            taking++;
        }
        if (row->kind == ARRAY)
            check_pairs(row, 1, "c=3;");
        CHECK_EQUAL(atomic_load(&spy.real_infos) + spy_fortran.given, real_infos);
        CHECK_CONTENTS(info, {"a", "1"}, {"b", "2"});
        free_info(info);
        free_info(second);
    }
    CHECK(taking >= WAYS * (IS_OPENMPI ? 25 : 8));
}

/* The second info of an array, which counts only at the root. */
static void a_stale_info_in_an_array_is_an_error(void)
{
    for (int n = 0; n < ROWS; n++) {
        struct call call;
        MPI_Info good = make_empty();
        if (takes_info(&rows[n])) {
            prepare(&rows[n], &call, rows[n].kind == ARRAY ? good : make_stale(), make_stale());
            perform(&rows[n], &call, MPI_SUCCESS);
            CHECK_TEXT(spy_fortran.symbol, "");
            CHECK_MPI(class_of(call.ierror), MPI_ERR_INFO);
            call.words[ierror_of(&rows[n])] = NULL;
            perform(&rows[n], &call, MPI_SUCCESS);
        }
        if (rows[n].kind == AT_ROOT || rows[n].kind == ARRAY) {
            prepare(&rows[n], &call, make_stale(), make_stale());
            call.root = 1;
            perform(&rows[n], &call, MPI_SUCCESS);
            CHECK_TEXT(spy_fortran.symbol, rows[n].symbol);
            CHECK_MPI(call.ierror, MPI_SUCCESS);
        }
        free_info(good);
    }
}

static void null_and_real_infos_pass(void)
{
    int real_infos = atomic_load(&spy.real_infos);
    for (int n = 0; n < ROWS; n++) {
        struct call call;
        MPI_Info real = make_real("a", "1");
        uint64_t before = count_conversions();
        bool is_ruled = *receiver_of(&rows[n])->procedure;
        if (takes_info(&rows[n])) {
            prepare(&rows[n], &call, MPI_INFO_NULL, MPI_INFO_NULL);
            perform(&rows[n], &call, MPI_SUCCESS);
            check_went_down(&rows[n], &call);
            check_pairs(&rows[n], 0, "");
            CHECK_MPI(call.ierror, MPI_SUCCESS);
            if (rows[n].kind == ARRAY)
                check_pairs(&rows[n], 1, "");
            prepare(&rows[n], &call, real, MPI_INFO_NULL);
            perform(&rows[n], &call, MPI_SUCCESS);
            CHECK_EQUAL(spy_fortran.integers[0] == PMPI_Info_c2f(real), !is_ruled);
            check_pairs(&rows[n], 0, "a=1;");
        }
        CHECK_EQUAL(count_conversions() == before, !is_ruled || !takes_info(&rows[n]));
        CHECK_MPI(PMPI_Info_free(&real), MPI_SUCCESS);
        CHECK_EQUAL(atomic_load(&spy.real_infos), real_infos);
    }
}

/* The real library creates the lent infos. The store allocates memory for arrays and for returned infos, with empty
 * pools. */
static void without_memory_nothing_happens(void)
{
    MPI_Info info = make_info({"a", "1"}), second = make_empty();
    for (int n = 0; n < ROWS; n++) {
        struct call call;
        if (rows[n].kind == ARRAY || rows[n].kind == OUT) {
            prepare(&rows[n], &call, info, second);
            CHECK_EQUAL(rcuinfo_store_drain(), 0);
            CHECK(NOMEM_AT(1, perform(&rows[n], &call, MPI_SUCCESS)));
            CHECK_MPI(class_of(call.ierror), MPI_ERR_NO_MEM);
            CHECK_EQUAL(call.infos[0], MPI_Info_c2f(info));
            CHECK_TEXT(spy_fortran.symbol, rows[n].kind == ARRAY ? "" : rows[n].symbol);
        }
    }
    free_info(info);
    free_info(second);
}

int main(void)
{
    static test_function *const tests[] = {
        every_word_goes_down,
        a_stale_info_in_an_array_is_an_error,
        null_and_real_infos_pass,
        without_memory_nothing_happens,
    };
    with_rules = getenv("RCUINFO_HINTS") != NULL;
    interpose_begin();
    int real_infos = atomic_load(&spy.real_infos);
    RUN_TESTS("forward", tests);
    interpose_end(real_infos - spy_fortran.given);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the rules that the process was started with (RCUINFO_HINTS, rules.hints) add to what each procedure of the
 * interposer's table for Fortran hands down, called as a compiler would: pairs for its object, and for the name, which
 * stands in one word, with blanks behind it.
 */
#include "fortran/spy_fortran.h"
#include "interpose/interpose.h"

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

/* What comes down without an info of the program's, by how a procedure's name begins, the first that fits. Word N of
 * the first three reads "word-N". */
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
    {"", "null", NULL},
};

static const struct receiver *receiver_of(const struct row *row)
{
    const struct receiver *receiver = receivers;
    while (strncmp(row->symbol, receiver->procedure, strlen(receiver->procedure)) != 0)
        receiver++;
    return receiver;
}

/* One call: what the references name. The first string has LENGTH bytes, an array's second one follows it; the second
 * string's length would cut a name. */
enum { LENGTH = 12 };
struct call {
    char texts[SPY_WORDS][2 * LENGTH];
    MPI_Fint count, root, comm, infos[2], ierror;
    void *words[SPY_WORDS];
};

static void perform(const struct row *row, struct call *call, MPI_Info info)
{
    static const char *const names[] = {"word-1", "word-2", "word-3", "word-4"};
    MPI_Fint integer = MPI_Info_c2f(info);
    int ierror = row->words - row->strings - 1;
    void **words = call->words;
    *call = (struct call){.count = 2, .comm = PMPI_Comm_c2f(MPI_COMM_SELF), .infos = {integer, integer}, .ierror = -7};
    for (int n = 0; n < row->words; n++) {
        char *text = call->texts[n];
        memset(text, ' ', sizeof call->texts[n]);
        memcpy(text, names[n < 4 ? n : 3], strlen(names[0]));
        memcpy(text + LENGTH, "other", strlen("other"));
        words[n] = n <= ierror ? (void *)text : (void *)(uintptr_t)(n == ierror + 1 ? LENGTH : 3);
    }
    words[ierror] = &call->ierror;
    words[row->info] = call->infos;
    if (row->kind == ARRAY)
        words[0] = &call->count;
    if (row->kind == AT_ROOT || row->kind == ARRAY) {
        words[row->info + 1] = &call->root;
        words[row->info + 2] = &call->comm;
    }
    spy_expect(MPI_SUCCESS);
    ((procedure_t *)row->procedure)(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
                                    words[8], words[9], words[10], words[11]);
    assert_string_equal(spy_call()->symbol, row->symbol);
    assert_int_equal(call->ierror, MPI_SUCCESS);
    assert_int_equal(call->infos[0], integer);
}

static void assert_pairs(const struct row *row, int n, const char *first, const char *pairs)
{
    char expected[SPY_TEXT];
    bool is_null = strcmp(pairs, "null") == 0;
    snprintf(expected, sizeof expected, "%s%s", first, is_null && *first ? "" : pairs);
    if (strcmp(spy_call()->pairs[n], expected) != 0)
        fail_msg("%s: %s came down, not %s", row->symbol, spy_call()->pairs[n], expected);
}

static void each_procedure_gets_its_own(void **state)
{
    MPI_Info info = make_info({"a", "1"}), real = make_real("b", "2");
    int real_infos = spy_real_infos(), taking = 0;
    struct call call;
    (void)state;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        if (row->kind == OUT || row->info < 0)
            continue;
        const struct receiver *receiver = receiver_of(row);
        const struct {
            MPI_Info info;
            const char *pairs;
        } given[] = {{MPI_INFO_NULL, ""}, {info, "a=1;"}, {real, "b=2;"}};
        for (int n = 0; n < 3; n++) {
            perform(row, &call, given[n].info);
            assert_pairs(row, 0, given[n].pairs, receiver->pairs);
            if (receiver->second)
                assert_pairs(row, 1, given[n].pairs, receiver->second);
            assert_int_equal(receiver->second != NULL, row->kind == ARRAY);
            assert_int_equal(spy_real_infos(), real_infos);
        }
        taking++;
    }
    assert_true(taking >= (IS_OPENMPI ? 25 : 8));
    assert_contents(info, {"a", "1"});
    free_info(info);
    assert_int_equal(PMPI_Info_free(&real), MPI_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_procedure_gets_its_own)};
    INTERPOSE_RUN(tests);
}

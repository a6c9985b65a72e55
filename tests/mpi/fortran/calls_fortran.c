/* SPDX-License-Identifier: BSD-3-Clause */
/* calls_fortran: see calls_fortran.h. */
#include "fortran/calls_fortran.h"

#include "interpose/calls.h"
#include "support/check.h"

#include "mpi/interpose/fortran_table.h"

int calls_root;

#define DECLARE(kind, symbol, count, strings, info)                                                                    \
    void symbol(RCUINFO__FORTRAN_EACH_##count(RCUINFO__FORTRAN_PARAMETER));
RCUINFO__FORTRAN_PROCEDURES(DECLARE, DECLARE)

#define PROCEDURE(kind, symbol, count, strings, info) {#symbol, (void (*)(void))symbol, kind, count, strings, (info)-1},
const struct procedure procedures[] = {RCUINFO__FORTRAN_PROCEDURES(PROCEDURE, PROCEDURE)};
const int procedures_count = sizeof procedures / sizeof procedures[0];

/* The name of the object of the procedures that have one. */
static const char *name_of(const char *symbol)
{
    if (strstr(symbol, "_file_"))
        return "interpose-1.tmp";
    return strstr(symbol, "_spawn") ? "a command" : strstr(symbol, "_name") ? "rcuinfo-1" : "a-port";
}

void prepare(const struct procedure *procedure, struct words *call, MPI_Info info)
{
    int ierror = ierror_of(procedure), name = procedure->kind == ARRAY || strstr(procedure->symbol, "_file_open");
    void **words = call->words;
    *call = (struct words){.count = 1,
                           .root = calls_root,
                           .comm = PMPI_Comm_c2f(MPI_COMM_WORLD),
                           .infos = {MPI_Info_c2f(info)},
                           .ierror = UNTOUCHED};
    memset(call->texts, ' ', sizeof call->texts);
    memcpy(call->texts[name], name_of(procedure->symbol), strlen(name_of(procedure->symbol)));
    call->texts[name][NAME_BYTES] = 'b';
    for (int n = 0; n < procedure->words; n++) {
        size_t length = n == ierror + 1 ? NAME_BYTES : (size_t)(n - ierror + 1);
        words[n] = n <= ierror ? (void *)call->texts[n] : (void *)length;
    }
    words[ierror] = &call->ierror;
    if (procedure->info >= 0)
        words[procedure->info] = call->infos;
    if (procedure->kind == ARRAY)
        words[0] = &call->count;
    if (procedure->kind == AT_ROOT || procedure->kind == ARRAY) {
        words[procedure->info + 1] = &call->root;
        words[procedure->info + 2] = &call->comm;
    }
}

int perform(const struct procedure *procedure, struct words *call)
{
    typedef void procedure_t(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                             void *);
    void **words = call->words, *const *came = came_down.words;
    MPI_Fint info = call->infos[0];
    int ierror = ierror_of(procedure);
    came_down.words[ierror] = NULL;
    ((procedure_t *)procedure->function)(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
                                         words[8], words[9], words[10], words[11]);
    for (int n = 0; came[ierror] && n < procedure->words; n++)
        CHECKF(came[n] == words[n] || n == procedure->info || n == ierror, "%s: word %d has changed", procedure->symbol,
               n + 1);
    CHECK(procedure->kind == OUT || call->infos[0] == info);
    return call->ierror;
}

static int make_call(const struct procedure *procedure, MPI_Info info)
{
    struct words call;
    prepare(procedure, &call, info);
    return perform(procedure, &call);
}

static int make_gift(const struct procedure *procedure, MPI_Info *info)
{
    struct words call;
    prepare(procedure, &call, MPI_INFO_NULL);
    call.infos[0] = UNTOUCHED;
    int code = perform(procedure, &call);
    if (call.infos[0] != UNTOUCHED)
        *info = MPI_Info_f2c(call.infos[0]);
    return code;
}

#define INDEX(kind, symbol, count, strings, info) index_##symbol,
enum { RCUINFO__FORTRAN_PROCEDURES(INDEX, INDEX) };

#define MAKE(symbol, type, make)                                                                                       \
    static int call_##symbol(bool native, type info)                                                                   \
    {                                                                                                                  \
        (void)native;                                                                                                  \
        return make(&procedures[index_##symbol], info);                                                                \
    }
#define MAKE_OF(kind, symbol, count, strings, info)                                                                    \
    CHOOSE_##kind(MAKE(symbol, MPI_Info, make_call), MAKE(symbol, MPI_Info *, make_gift))
RCUINFO__FORTRAN_PROCEDURES(MAKE_OF, MAKE_OF)

#define CALL_OF(kind, symbol, count, strings, info) CHOOSE_##kind(ENTRY(symbol), )
const struct call calls[] = {RCUINFO__FORTRAN_PROCEDURES(CALL_OF, CALL_OF)};
const int calls_count = sizeof calls / sizeof calls[0];

#define GIFT_OF(kind, symbol, count, strings, info) CHOOSE_##kind(, ENTRY(symbol))
const struct gift gifts[] = {RCUINFO__FORTRAN_PROCEDURES(GIFT_OF, GIFT_OF)};
const int gifts_count = sizeof gifts / sizeof gifts[0];

bool call_waits(const struct call *call)
{
    return strstr(call->name, "_accept") || strstr(call->name, "_connect") || strstr(call->name, "_spawn");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fortran: defines the procedures of fortran_table.h, each of which calls the next definition of the same name.
 *
 * All arguments are addresses, followed by the lengths of strings by value. So each is one word, and all words except
 * the info and ierror are passed on unchanged. ierror is optional in mpi_f08; the next procedure always gets one.
 *
 * Invariant: a loan lasts for one call of the next procedure.
 */
#include <dlfcn.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/order.h"
#include "fortran/character.h"
#include "mpi/interpose/fortran_table.h"
#include "mpi/interpose/interpose.h"
#include "mpi/interpose/table.h"
#include "mpi/mpi_fortran.h"

enum kind { IN, SESSION, AT_ROOT, ARRAY, OUT, INIT, FINALIZE, ABORT };
enum { MOST_WORDS = 12 };

struct procedure {
    _Atomic(rcuinfo__interpose_function_t) next;
    const char *name;
    enum kind kind;
    int arguments; /* ierror is the last */
    int info;      /* the index of the info among the arguments */
};

/* Finds a procedure that is not in the search order, because its library was loaded by dlopen without RTLD_GLOBAL, or
 * as a dependency of such a library: among what the caller's library depends on. */
static rcuinfo__interpose_function_t find_for(const void *caller, const char *name)
{
    rcuinfo__interpose_function_t function = NULL;
    Dl_info info, ours;
    if (!dladdr(caller, &info))
        return NULL;

    /* It is loaded already. The reference stays, as its procedure is used from now on. */
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void *found = library ? dlsym(library, name) : NULL;
    bool is_ours =
        found && dladdr(found, &info) && dladdr((void *)(uintptr_t)find_for, &ours) && info.dli_fbase == ours.dli_fbase;
    if (found && !is_ours)
        memcpy(&function, &found, sizeof function);
    (void)dlerror(); /* this error is none of the program's */
    return function;
}

/* Calls the next procedure and returns its code. Passes MOST_WORDS words to all procedures: superfluous arguments do no
 * harm, as in the calling conventions of C the caller removes them. */
static int call_next(struct procedure *procedure, void *words[], const void *caller)
{
    typedef void next_t(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    rcuinfo__interpose_function_t found = rcuinfo__interpose_next(&procedure->next, procedure->name);

    if (!found) {
        found = find_for(caller, procedure->name);
        atomic_store_explicit(&procedure->next, found, RCUINFO__RELAXED); /* as rcuinfo__interpose_next does */
    }
    if (!found)
        return rcuinfo__mpi_raise(MPI_ERR_INTERN);

    MPI_Fint code = MPI_SUCCESS;
    words[procedure->arguments - 1] = &code;

    ((next_t *)found)(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8],
                      words[9], words[10], words[11]);
    return code;
}

/* Conversions as in mpi_fortran.h, for handles of the real library. */
#if defined(RCUINFO__FLAVOUR_MPICH)
#define COMM_OF(integer)      ((MPI_Comm)(integer))
#define WIN_OF(integer)       ((MPI_Win)(integer))
#define REAL_INFO_OF(integer) ((MPI_Info)(integer))
#define INTEGER_OF_REAL(real) ((MPI_Fint)(real))
#else
#define COMM_OF(integer)      RCUINFO__PMPI(Comm_f2c)(integer)
#define WIN_OF(integer)       RCUINFO__PMPI(Win_f2c)(integer)
#define REAL_INFO_OF(integer) RCUINFO__PMPI(Info_f2c)(integer)
#define INTEGER_OF_REAL(real) ((real) == MPI_INFO_NULL ? MPI_Info_c2f(real) : RCUINFO__PMPI(Info_c2f)(real))
#endif

/* Whether the info is significant on this process. Returns a code as rcuinfo__interpose_is_root. */
static int is_significant(const struct procedure *procedure, void *const words[], bool *significant)
{
    /* Without a root, on every process. */
    *significant = true;
    if (procedure->kind != AT_ROOT && procedure->kind != ARRAY)
        return MPI_SUCCESS;

    MPI_Fint root = *(const MPI_Fint *)words[procedure->info + 1];
    MPI_Fint comm = *(const MPI_Fint *)words[procedure->info + 2];
    return rcuinfo__interpose_is_root(COMM_OF(comm), root, significant);
}

/* The functions of table.h, whether mpi.h declares them or not, with the texts of their columns. Their procedures have
 * the same arguments in the same order. */
struct function {
    const char *name;
    rcuinfo_hint_object_t object;
    const char *handle;      /* e.g. "newcomm"; "&comm": of an existing object */
    const char *object_name; /* e.g. "filename" */
    const char *arguments;   /* e.g. "(comm, filename, amode, real, fh)" */
};
#undef RCUINFO__ROW
#define RCUINFO__ROW(ROW, kind, name, object, parameters, arguments) ROW(kind, name, object, parameters, arguments)

/* clang-format off */
#define FUNCTION(name, object, handle, object_name, arguments) \
    {#name, RCUINFO_OBJECT_##object, #handle, #object_name, #arguments},
#define FUNCTION_OF(name, object, arguments)          FUNCTION_WITH(name, FUNCTION_COLUMNS object, arguments)
#define FUNCTION_COLUMNS(object, handle, object_name) object, handle, object_name
#define FUNCTION_WITH(...)                            FUNCTION(__VA_ARGS__)
#define FUNCTION_IN                                   FUNCTION_OF
#define FUNCTION_AT_ROOT                              FUNCTION_OF
#define FUNCTION_SPAWN                                FUNCTION_OF
#define FUNCTION_OUT(...)      /* no hints */
#define FUNCTION_TOOL_IN(...)
#define FUNCTION_TOOL_OUT(...)
#define FUNCTION_ROW(kind, name, object, parameters, arguments) FUNCTION_##kind(name, object, arguments)

static const struct function functions[] = {
    {"", RCUINFO_OBJECT_OTHER, "", "", ""},
    RCUINFO__INTERPOSE_TABLE(FUNCTION_ROW)
    FUNCTION(MPI_Comm_spawn_multiple, SPAWN, NULL, commands, (count, commands))
};
/* clang-format on */

static const struct function *function_of(const struct procedure *procedure)
{
    const struct function *found = functions;

    /* The longest name with which that of the procedure begins, as in "mpi_dist_graph_create_adjacent_f08_". */
    for (size_t n = 1; n < sizeof functions / sizeof *functions; n++) {
        size_t length = strlen(functions[n].name);
        if (length > strlen(found->name) && strncasecmp(functions[n].name, procedure->name, length) == 0)
            found = &functions[n];
    }
    return found;
}

/* The position of an argument, from 1; 0: there is none of that name. */
static int position_of(const char *arguments, const char *name)
{
    static const char separators[] = "(), ";
    size_t length;
    for (int position = 1; *(arguments += strspn(arguments, separators)); position++, arguments += length) {
        length = strcspn(arguments, separators);
        if (strlen(name) == length && memcmp(arguments, name, length) == 0)
            return position;
    }
    return 0;
}

static bool is_change(const struct function *function)
{
    return *function->handle == '&';
}

enum { NAME_BYTES = 1024 }; /* the rest of a longer name is ignored */

/* Whether the object and the name in a loan are used. */
static bool needs_object(void)
{
    return rcuinfo__interpose_rules || rcuinfo__interpose_observed();
}

/* Lends the nth info of a call. `name`: for that of its object, which is the nth of an array of strings if the info is
 * in an array. */
static int lend(struct rcuinfo__interpose_loan *loan, const struct procedure *procedure, void *const words[],
                const void *caller, int nth, char name[NAME_BYTES])
{
    *loan = (struct rcuinfo__interpose_loan){.info = RCUINFO__INFO_OF(((const MPI_Fint *)words[procedure->info])[nth])};
    loan->object = procedure->kind == SESSION ? RCUINFO_OBJECT_SESSION : RCUINFO_OBJECT_OTHER;

    /* Do not read the arguments for nothing. */
    if (needs_object()) {
        const struct function *function = function_of(procedure);
        int position = position_of(function->arguments, function->object_name);
        loan->function = procedure->name;
        loan->caller = caller;
        loan->object = function->object;
        loan->is_change = is_change(function);
        if (position > 0) {
            size_t length = (size_t)words[procedure->arguments]; /* the name is the first string of each of these */
            const char *text = (const char *)words[position - 1] + (size_t)nth * length;
            rcuinfo__fortran_text_in(name, NAME_BYTES - 1, text, length);
            loan->name = name;
        }
    }
    return rcuinfo__interpose_lend(loan, rcuinfo__mpi_done);
}

union handle {
    MPI_Comm comm;
    MPI_Win win;
    MPI_File file;
};

/*
 * The handle of the object of a call, for the report. If the call creates the object, it writes the handle to `made`
 * first: if it writes nothing, there is no object to ask about. The caller's variable cannot be set to a null handle
 * before the call, as it may be another argument of the same call.
 */
struct receipt {
    MPI_Fint *integer; /* the caller's variable; NULL: not needed */
    MPI_Fint made;
    union handle handle;
};

static void receipt_begin(struct receipt *receipt, const struct procedure *procedure,
                          const struct rcuinfo__interpose_loan *loan, void *words[])
{
    bool is_needed = loan->function && rcuinfo__interpose_observed() && procedure->kind != SESSION;
    const struct function *function = is_needed ? function_of(procedure) : NULL;
    int position = function ? position_of(function->arguments, function->handle + is_change(function)) : 0;

    receipt->integer = position > 0 ? words[position - 1] : NULL;
    if (receipt->integer && !loan->is_change) {
        receipt->made = INT_MIN; /* not a handle */
        words[position - 1] = &receipt->made;
    }
}

static void receipt_end(struct receipt *receipt, struct rcuinfo__interpose_loan *loan, int code)
{
    if (!receipt->integer || (!loan->is_change && receipt->made == INT_MIN))
        return;

    /* The caller gets the handle also after an error, as without the interposer. */
    if (!loan->is_change)
        *receipt->integer = receipt->made;
    if (code != MPI_SUCCESS)
        return;

    loan->handle = &receipt->handle;
    if (loan->object == RCUINFO_OBJECT_WINDOW)
        receipt->handle.win = WIN_OF(*receipt->integer);
    else if (loan->object == RCUINFO_OBJECT_FILE)
        receipt->handle.file = RCUINFO__PMPI(File_f2c)(*receipt->integer);
    else
        receipt->handle.comm = COMM_OF(*receipt->integer);
}

/* For procedures that take an info. */
static int forward_in(struct procedure *procedure, void *words[], const void *caller)
{
    struct rcuinfo__interpose_loan loan = {.info = MPI_INFO_NULL, .real = MPI_INFO_NULL};
    char name[NAME_BYTES];
    bool significant;
    int code = is_significant(procedure, words, &significant);
    if (code == MPI_SUCCESS && significant)
        code = lend(&loan, procedure, words, caller, 0, name);
    if (code != MPI_SUCCESS)
        return code;

    /* Pass on the real info, and a place for the handle of the object. */
    MPI_Fint integer = INTEGER_OF_REAL(loan.real);
    words[procedure->info] = &integer;
    struct receipt receipt;
    receipt_begin(&receipt, procedure, &loan, words);
    code = call_next(procedure, words, caller);
    receipt_end(&receipt, &loan, code);
    rcuinfo__interpose_take_back(&loan, code);
    return code;
}

/* For procedures that take an array of infos. On an error, none stays lent. */
static int forward_array(struct procedure *procedure, void *words[], const void *caller)
{
    int count = *(const MPI_Fint *)words[0], lent = 0;
    bool significant;
    int code = is_significant(procedure, words, &significant);
    if (code != MPI_SUCCESS)
        return code;

    /* No info is read on this process. */
    if (!significant || count <= 0)
        return call_next(procedure, words, caller);

    /* Room for the loans, the integers, and the names, which are needed until the call returns. */
    struct rcuinfo__interpose_loan *loans =
        rcuinfo__alloc((size_t)count * (sizeof *loans + sizeof(MPI_Fint) + (needs_object() ? NAME_BYTES : 0)));
    if (!loans)
        return rcuinfo__mpi_done(RCUINFO_ERR_NO_MEM);

    MPI_Fint *integers = (MPI_Fint *)(loans + count);
    char *names = (char *)(integers + count);
    for (; lent < count; lent++) {
        code = lend(&loans[lent], procedure, words, caller, lent, names + (size_t)lent * NAME_BYTES);
        if (code != MPI_SUCCESS)
            break;
        integers[lent] = INTEGER_OF_REAL(loans[lent].real);
    }

    if (code == MPI_SUCCESS) {
        words[procedure->info] = integers;
        code = call_next(procedure, words, caller);
    }
    while (lent-- > 0)
        rcuinfo__interpose_take_back(&loans[lent], code);
    rcuinfo__alloc_free(loans);
    return code;
}

/* For procedures that return an info. */
static int forward_out(struct procedure *procedure, void *words[], const void *caller)
{
    MPI_Fint *info_used = words[procedure->info];
    const MPI_Fint unwritten = RCUINFO__INTEGER_OF(MPI_INFO_ENV); /* see FORWARD_GIVEN in forward.c */
    MPI_Fint given = unwritten;

    words[procedure->info] = &given;
    int code = call_next(procedure, words, caller);
    if (code != MPI_SUCCESS || given == unwritten)
        return code;

    MPI_Info adopted = MPI_INFO_NULL;
    code = rcuinfo__interpose_adopt(REAL_INFO_OF(given), &adopted, rcuinfo__mpi_done);
    if (code == MPI_SUCCESS)
        *info_used = RCUINFO__INTEGER_OF(adopted);
    return code;
}

static void forward(struct procedure *procedure, void *words[], const void *caller)
{
    MPI_Fint *ierror = words[procedure->arguments - 1];
    int code = MPI_SUCCESS;

    switch (procedure->kind) {
    case IN:
    case SESSION:
    case AT_ROOT:
        code = forward_in(procedure, words, caller);
        break;
    case ARRAY:
        code = forward_array(procedure, words, caller);
        break;
    case OUT:
        code = forward_out(procedure, words, caller);
        break;
    case INIT:
        code = rcuinfo__interpose_initialized(call_next(procedure, words, caller));
        break;
    case FINALIZE:
        RCUINFO__INTERPOSE_TELL(finalizing());
        code = call_next(procedure, words, caller);
        break;
    case ABORT:
        RCUINFO__INTERPOSE_TELL(aborting());
        code = call_next(procedure, words, caller);
        break;
    }

    if (ierror) /* optional in mpi_f08: NULL if it is absent */
        *ierror = code;
}

#define PROCEDURE(its_kind, symbol, words, strings, place)                                                             \
    RCUINFO_API void symbol(RCUINFO__FORTRAN_EACH_##words(RCUINFO__FORTRAN_PARAMETER));                                \
    void symbol(RCUINFO__FORTRAN_EACH_##words(RCUINFO__FORTRAN_PARAMETER))                                             \
    {                                                                                                                  \
        static struct procedure procedure = {                                                                          \
            .name = #symbol, .kind = its_kind, .arguments = words - strings, .info = place - 1};                       \
        forward(&procedure, (void *[MOST_WORDS]){RCUINFO__FORTRAN_EACH_##words(RCUINFO__FORTRAN_WORD)},                \
                __builtin_return_address(0));                                                                          \
    }

/* For mpif.h and `use mpi`. The name with two underscores is for compilers that append two, as in fortran/info.c. */
#define OF_MPIFH(kind, symbol, words, strings, info)                                                                   \
    PROCEDURE(kind, symbol, words, strings, info)                                                                      \
    extern __typeof__(symbol) symbol##_ __attribute__((alias(#symbol), visibility("default")));

RCUINFO__FORTRAN_PROCEDURES(PROCEDURE, OF_MPIFH)

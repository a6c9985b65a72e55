/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: what the real library made of the hints that it was given (RCUINFO_HINTS_REPORT), recorded call by call,
 * gathered when the program finalizes MPI, and shown by process 0 of the world.
 *
 * Invariant: nothing here makes a call of the program fail. What there is no memory for is missing, or counted as lost.
 * One mutex guards what is recorded, and no function of the real library is called with it held.
 */
#include "mpi/interpose/interpose.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <rcuinfo/snapshot.h>

#include "core/alloc.h"
#include "env/start.h"
#include "hints/report.h"
#include "mpi/interpose/place.h"
#include "mpi/interpose/table.h"

enum { MOST_LINES = 1024, MOST_SHOWN = 40, LABELS = 512, COUNTERS = 1024, TEXT = 64, NOTE = 320, TAG = 1 };

/* Objects that have been seen, by their handles: what they are called, or which one they are of those without a name.
 */
struct label {
    rcuinfo_hint_object_t object;
    uintptr_t handle;
    char *text;
};

/* NULL when nothing is to be recorded: nobody wants it, there is no memory, or all has been shown. */
static struct rcuinfo__report *_Atomic report;
static bool is_wanted;        /* written when we are loaded */
static const char *file_name; /* "": none */
static bool is_spawned;       /* another job has started this one, and may show its own */
static pid_t process;         /* which loaded us: no child shows what its parent has recorded */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct label labels[LABELS];

/* How many objects without a name a call site has made, of a group: the same number on all its processes. */
struct counter {
    uint64_t site; /* digest; 0: free */
    unsigned count;
};
static struct counter counters[COUNTERS];

bool rcuinfo__interpose_reports(void)
{
    return __builtin_expect(report != NULL, 0);
}

#if defined(RCUINFO__FLAVOUR_ABI) || defined(RCUINFO__HAS_MPI_Session_get_info)
#define HAS_SESSIONS 1
extern __typeof__(PMPI_Session_get_info) PMPI_Session_get_info __attribute__((weak));
#else
#define HAS_SESSIONS     0
typedef int MPI_Session;
#define MPI_SESSION_NULL 0
#endif

/* A handle of a kind of object, by which the library says what is in use. */
#define COMM_AT(handle)    (*(MPI_Comm *)(handle))
#define WIN_AT(handle)     (*(MPI_Win *)(handle))
#define FILE_AT(handle)    (*(MPI_File *)(handle))
#define SESSION_AT(handle) (*(MPI_Session *)(handle))

static bool is_change(const struct rcuinfo__interpose_loan *loan)
{
    return strstr(loan->function, "_set_") != NULL; /* of an object that is there */
}

void rcuinfo__interpose_expect(const struct rcuinfo__interpose_loan *loan)
{
    if (!loan->function || !loan->handle || is_change(loan))
        return;
    if (loan->object == RCUINFO_HINT_WINDOW)
        WIN_AT(loan->handle) = MPI_WIN_NULL;
    else if (loan->object == RCUINFO_HINT_FILE)
        FILE_AT(loan->handle) = MPI_FILE_NULL;
    else if (loan->object == RCUINFO_HINT_SESSION)
        SESSION_AT(loan->handle) = MPI_SESSION_NULL;
    else
        COMM_AT(loan->handle) = MPI_COMM_NULL;
}

/* The object's handle; NULL where there is none to ask. */
static void *handle_of(const struct rcuinfo__interpose_loan *loan)
{
    void *handle = loan->handle;
    if (!handle)
        return NULL;
    bool is_null = loan->object == RCUINFO_HINT_WINDOW    ? WIN_AT(handle) == MPI_WIN_NULL
                   : loan->object == RCUINFO_HINT_FILE    ? FILE_AT(handle) == MPI_FILE_NULL
                   : loan->object == RCUINFO_HINT_SESSION ? SESSION_AT(handle) == MPI_SESSION_NULL
                                                          : COMM_AT(handle) == MPI_COMM_NULL;
    return is_null ? NULL : handle;
}

/* The hints in use of an object; MPI_INFO_NULL: the library does not say. */
static MPI_Info in_use_of(rcuinfo_hint_object_t object, void *handle)
{
    MPI_Info info = MPI_INFO_NULL;
    if (!handle)
        return info;
    if (object == RCUINFO_HINT_WINDOW)
        (void)PMPI_Win_get_info(WIN_AT(handle), &info);
    else if (object == RCUINFO_HINT_FILE)
        (void)PMPI_File_get_info(FILE_AT(handle), &info);
    else if (object != RCUINFO_HINT_SESSION)
        (void)PMPI_Comm_get_info(COMM_AT(handle), &info);
#if HAS_SESSIONS
    else if (PMPI_Session_get_info)
        (void)PMPI_Session_get_info(SESSION_AT(handle), &info);
#endif
    return info;
}

/* A number for all ranks in the world of a group; *first is that of its first process, -1: not known. */
static uint64_t digest_of(MPI_Group group, int size, int *first)
{
    MPI_Group world;
    uint64_t digest = 0;
    int *ranks = rcuinfo__alloc(2 * (size_t)size * sizeof *ranks), *in_world = ranks ? ranks + size : NULL;
    *first = -1;
    if (ranks && PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
        for (int n = 0; n < size; n++)
            ranks[n] = n;
        if (PMPI_Group_translate_ranks(group, size, ranks, world, in_world) == MPI_SUCCESS) {
            *first = in_world[0];
            for (int n = 0; n < size; n++)
                digest = digest * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)in_world[n] + 1;
        }
        (void)PMPI_Group_free(&world);
    }
    rcuinfo__alloc_free(ranks);
    return digest;
}

/* Whose object it is: "FIRST+COUNT:DIGEST", by their ranks in the world; NULL: not known. */
static const char *group_of(rcuinfo_hint_object_t object, void *handle, char text[TEXT])
{
    MPI_Group group;
    int size = 0, first = -1, code = MPI_ERR_ARG;
    if (!handle || !rcuinfo__interpose_in_world())
        return NULL;
    if (object == RCUINFO_HINT_WINDOW)
        code = PMPI_Win_get_group(WIN_AT(handle), &group);
    else if (object == RCUINFO_HINT_FILE)
        code = PMPI_File_get_group(FILE_AT(handle), &group);
    else if (object == RCUINFO_HINT_COMMUNICATOR)
        code = PMPI_Comm_group(COMM_AT(handle), &group);
    if (code != MPI_SUCCESS)
        return NULL;
    if (PMPI_Group_size(group, &size) == MPI_SUCCESS && size > 0) {
        uint64_t digest = digest_of(group, size, &first);
        snprintf(text, TEXT, "%d+%d:%" PRIx64, first, size, digest);
    }
    (void)PMPI_Group_free(&group);
    return first >= 0 ? text : NULL;
}

/* The name that the program, or the library, has given to an object; "" where there is none. */
static void ask_name(rcuinfo_hint_object_t object, void *handle, char name[MPI_MAX_OBJECT_NAME + 1])
{
    int length = 0;
    *name = '\0';
    if (object == RCUINFO_HINT_WINDOW)
        (void)PMPI_Win_get_name(WIN_AT(handle), name, &length);
    else if (object == RCUINFO_HINT_COMMUNICATOR)
        (void)PMPI_Comm_get_name(COMM_AT(handle), name, &length);
}

static uintptr_t bits_of(rcuinfo_hint_object_t object, void *handle)
{
    switch (object) {
    case RCUINFO_HINT_WINDOW:
        return (uintptr_t)WIN_AT(handle);
    case RCUINFO_HINT_FILE:
        return (uintptr_t)FILE_AT(handle);
    case RCUINFO_HINT_SESSION:
        return (uintptr_t)SESSION_AT(handle);
    default:
        return (uintptr_t)COMM_AT(handle);
    }
}

/* One hint: what was given, and what became of it. */
struct hint {
    const char *key;
    const char *given;
    const struct rcuinfo__rule *rule; /* NULL: it is the program's */
    const char *left;                 /* why it was not handed down; NULL: it was */
};

/* What holds for all hints of a call. */
struct call {
    const struct rcuinfo__interpose_loan *loan;
    MPI_Info in_use;
    const char *fields[RCUINFO__REPORT_FIELDS];
};

/* The caller holds the lock. */
static unsigned next_number(const struct call *call)
{
    static const enum rcuinfo__report_field of_site[] = {RCUINFO__REPORT_OBJECT, RCUINFO__REPORT_GROUP,
                                                         RCUINFO__REPORT_FUNCTION, RCUINFO__REPORT_PLACE};
    uint64_t digest = 1;
    for (size_t n = 0; n < sizeof of_site / sizeof *of_site; n++) {
        const char *text = call->fields[of_site[n]];
        for (; text && *text; text++)
            digest = digest * 1099511628211u ^ (unsigned char)*text;
    }
    digest |= 1;
    size_t at = digest % COUNTERS, looked_at = 0;
    while (counters[at].site != 0 && counters[at].site != digest && looked_at++ < COUNTERS)
        at = (at + 1) % COUNTERS;
    counters[at].site = digest;
    return ++counters[at].count;
}

static char *copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = rcuinfo__alloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* What an object is called: as `name` says, else as an earlier call did, else by a number; a copy. A place in the table
 * is the last object's that fell on it. The caller holds the lock. */
static char *find_label(const struct call *call, void *handle, const char *name)
{
    const struct rcuinfo__interpose_loan *loan = call->loan;
    char number[TEXT];
    uintptr_t bits = bits_of(loan->object, handle);
    struct label *label = &labels[(bits / 8 + bits * 31 + (unsigned)loan->object) % LABELS];
    bool is_known = label->handle == bits && label->object == loan->object && label->text;
    if (!*name && (!is_change(loan) || !is_known)) { /* what had this handle before is gone */
        snprintf(number, sizeof number, "#%u", next_number(call));
        name = number;
    }
    if (*name) {
        rcuinfo__alloc_free(label->text);
        label->text = copy_of(name);
        label->object = loan->object;
        label->handle = bits;
    }
    return label->text ? copy_of(label->text) : NULL;
}

/* The value in use; NULL: there is none. */
static const char *value_in_use(MPI_Info in_use, const char *key, char value[MPI_MAX_INFO_VAL + 1])
{
    int found = 0;
    value[MPI_MAX_INFO_VAL] = '\0';
    if (in_use == MPI_INFO_NULL || strlen(key) >= MPI_MAX_INFO_KEY ||
        PMPI_Info_get(in_use, key, MPI_MAX_INFO_VAL, value, &found) != MPI_SUCCESS)
        return NULL;
    return found ? value : NULL;
}

static bool is_reserved(const char *key)
{
    int object = 0;
    while (object < RCUINFO_HINT_OBJECTS && !rcuinfo__hint_row((rcuinfo_hint_object_t)object, key))
        object++;
    return object < RCUINFO_HINT_OBJECTS;
}

/* What an unknown key may be: another object's, or another key with a slip in it. */
static void guess(rcuinfo_hint_object_t object, const char *key, char note[NOTE])
{
    for (int other = 0; other < RCUINFO_HINT_OBJECTS; other++) {
        if (rcuinfo__hint_row((rcuinfo_hint_object_t)other, key)) {
            snprintf(note, NOTE, "a key of %s", rcuinfo_hint_object_name((rcuinfo_hint_object_t)other));
            return;
        }
    }
    const char *meant = rcuinfo__hint_nearest(object, RCUINFO__INTERPOSE_MPIS, key);
    if (meant)
        snprintf(note, NOTE, "did you mean '%s'?", meant);
}

/* Whether two values of a key are one: "TRUE" is "true", "04" is "4". */
static bool is_same_value(const rcuinfo_hint_t *row, const char *a, const char *b)
{
    int64_t of_a = -1, of_b = -2; /* texts have no number */
    bool are_numbers = row && rcuinfo_hint_check(row, a, &of_a, NULL) == RCUINFO_SUCCESS &&
                       rcuinfo_hint_check(row, b, &of_b, NULL) == RCUINFO_SUCCESS;
    return (are_numbers && of_a == of_b) || strcasecmp(a, b) == 0;
}

static enum rcuinfo__report_verdict judge(const struct call *call, const struct hint *hint, const rcuinfo_hint_t *row,
                                          const char *in_use, char note[NOTE])
{
    rcuinfo_fault_t fault;
    if (hint->left) {
        snprintf(note, NOTE, "%s", hint->left);
        return RCUINFO__REPORT_LEFT;
    }
    if (row && rcuinfo_hint_check(row, hint->given, NULL, &fault) == RCUINFO_ERR_TYPE) {
        snprintf(note, NOTE, "%s", fault.what);
        return RCUINFO__REPORT_BAD_VALUE;
    }
    rcuinfo_hint_object_t object = call->loan->object;
    bool is_known = row || rcuinfo__hint_of_library(RCUINFO__INTERPOSE_MPIS, hint->key) ||
                    (in_use && !rcuinfo__interpose_keeps_unknown());
    if (!is_known && object != RCUINFO_HINT_OTHER) {
        guess(call->loan->object, hint->key, note);
        return RCUINFO__REPORT_UNKNOWN;
    }
    /* What says how to split is no hint of the communicator that comes of it. */
    bool is_of_call = object == RCUINFO_HINT_SPLIT_TYPE && !rcuinfo__hint_row(RCUINFO_HINT_COMMUNICATOR, hint->key);
    if (call->in_use == MPI_INFO_NULL || is_of_call)
        return RCUINFO__REPORT_CANNOT_KNOW;
    if (!in_use)
        return RCUINFO__REPORT_IGNORED;
    return is_same_value(row, hint->given, in_use) ? RCUINFO__REPORT_TAKEN : RCUINFO__REPORT_CHANGED;
}

static void record(struct call *call, const struct hint *hint)
{
    char value[MPI_MAX_INFO_VAL + 1], note[NOTE] = "", source[PATH_MAX + NOTE];
    const rcuinfo_hint_t *row = rcuinfo__hint_row_taken(call->loan->object, hint->key);
    const char *in_use = value_in_use(call->in_use, hint->key, value);
    const char **fields = call->fields;
    fields[RCUINFO__REPORT_KEY] = hint->key;
    fields[RCUINFO__REPORT_GIVEN] = hint->given;
    fields[RCUINFO__REPORT_IN_USE] = in_use;
    enum rcuinfo__report_verdict verdict = judge(call, hint, row, in_use, note);
    bool is_others = verdict == RCUINFO__REPORT_UNKNOWN && is_reserved(hint->key);
    if (is_others && hint->rule && hint->rule->object == RCUINFO_HINT_OBJECTS)
        return; /* a line for all objects is for those that have the key */
    fields[RCUINFO__REPORT_VERDICT] = rcuinfo__report_verdict(verdict);
    if (verdict == RCUINFO__REPORT_LEFT)
        fields[RCUINFO__REPORT_IN_USE] = NULL; /* another's */
    fields[RCUINFO__REPORT_SECTION] = row ? row->section : NULL;
    fields[RCUINFO__REPORT_NOTE] = *note ? note : NULL;
    fields[RCUINFO__REPORT_SOURCE] = NULL;
    if (hint->rule) {
        snprintf(source, sizeof source, "%s:%zu", rcuinfo__interpose_rules_file(), hint->rule->line);
        fields[RCUINFO__REPORT_SOURCE] = source;
    }
    pthread_mutex_lock(&lock);
    if (report)
        (void)rcuinfo__report_add(report, fields, "0", 1);
    pthread_mutex_unlock(&lock);
}

/* Whether the program's own pair of that key goes down. */
static bool hands_down(const rcuinfo_snapshot_t *snapshot, const char *key)
{
    rcuinfo_pair_t pair;
    return snapshot && rcuinfo_snapshot_find(snapshot, key, &pair) == RCUINFO_SUCCESS &&
           !rcuinfo__interpose_left_out(pair.key, pair.key_length, pair.value_length);
}

/* The rule that takes the place of a pair of the program's; NULL: none does. */
static const struct rcuinfo__rule *imposed_over(const struct rcuinfo__rules *rules,
                                                const struct rcuinfo__interpose_loan *loan, const char *key)
{
    const struct rcuinfo__rule *rule = NULL;
    while (rules && (rule = rcuinfo__rules_next(rules, rule, loan->object, loan->name))) {
        if (rule->imposed && strcmp(rule->key, key) == 0)
            return rule;
    }
    return NULL;
}

static void record_all(struct call *call, const struct rcuinfo__rules *rules)
{
    const struct rcuinfo__interpose_loan *loan = call->loan;
    const rcuinfo_snapshot_t *snapshot = loan->snapshot;
    const struct rcuinfo__rule *rule = NULL;
    rcuinfo_pair_t pair;
    char imposed[PATH_MAX + NOTE];
    for (size_t n = 0; snapshot && rcuinfo_snapshot_nth(snapshot, n, &pair) == RCUINFO_SUCCESS; n++) {
        const struct rcuinfo__rule *over = imposed_over(rules, loan, pair.key);
        struct hint hint = {.key = pair.key, .given = pair.value};
        hint.left = rcuinfo__interpose_left_out(pair.key, pair.key_length, pair.value_length);
        if (over) {
            snprintf(imposed, sizeof imposed, "%s:%zu is imposed", rcuinfo__interpose_rules_file(), over->line);
            hint.left = imposed;
        }
        record(call, &hint);
    }
    while (rules && (rule = rcuinfo__rules_next(rules, rule, loan->object, loan->name))) {
        struct hint hint = {.key = rule->key, .given = rule->value, .rule = rule};
        hint.left = rcuinfo__interpose_left_out(rule->key, strlen(rule->key), strlen(rule->value));
        if (!hint.left && !rule->imposed && hands_down(snapshot, rule->key))
            hint.left = "the program gives it itself";
        record(call, &hint);
    }
}

void rcuinfo__interpose_note(const struct rcuinfo__interpose_loan *loan)
{
    const struct rcuinfo__rules *rules = rcuinfo__interpose_rules(loan);
    char name[MPI_MAX_OBJECT_NAME + 1], group[TEXT], *label = NULL;
    struct call call = {.loan = loan, .in_use = MPI_INFO_NULL};
    bool is_ours = loan->snapshot || loan->info == MPI_INFO_NULL; /* not an info that the library itself has made */
    if (!loan->function || !is_ours || (!loan->snapshot && !rules) || rcuinfo__interpose_is_of_library(loan->caller))
        return;
    void *handle = handle_of(loan);
    char *place = rcuinfo__interpose_place(loan->caller);
    call.in_use = in_use_of(loan->object, handle);
    call.fields[RCUINFO__REPORT_OBJECT] = rcuinfo_hint_object_name(loan->object);
    call.fields[RCUINFO__REPORT_FUNCTION] = loan->function;
    call.fields[RCUINFO__REPORT_PLACE] = place;
    call.fields[RCUINFO__REPORT_GROUP] = group_of(loan->object, handle, group);
    call.fields[RCUINFO__REPORT_NAME] = loan->name;
    if (handle) {
        ask_name(loan->object, handle, name);
        pthread_mutex_lock(&lock);
        label = find_label(&call, handle, loan->name ? loan->name : name);
        pthread_mutex_unlock(&lock);
        call.fields[RCUINFO__REPORT_NAME] = label;
    }
    record_all(&call, rules);
    if (call.in_use != MPI_INFO_NULL)
        (void)PMPI_Info_free(&call.in_use);
    rcuinfo__alloc_free(label);
    rcuinfo__alloc_free(place);
}

/* Takes what has been recorded, so that it is shown once. The caller holds the lock. */
static struct rcuinfo__report *take(void)
{
    struct rcuinfo__report *taken = report;
    report = NULL;
    pthread_mutex_unlock(&lock);
    return taken;
}

/* Shows it, and writes FILE, or FILE.NUMBER where there may be others. */
static void show(struct rcuinfo__report *taken, long processes, long number)
{
    char name[PATH_MAX], *table = NULL;
    size_t size = 0;
    bool is_whole = number < 0;
    snprintf(name, sizeof name, is_whole ? "%s" : "%s.%ld", file_name, number);
    if (*file_name) {
        FILE *file = fopen(name, "we");
        if (file)
            rcuinfo__report_write_json(taken, processes, file);
        if (!file || fclose(file) != 0)
            fprintf(stderr, "rcuinfo: cannot write '%s': %s\n", name, strerror(errno));
    }
    FILE *memory = is_whole || !*file_name ? open_memstream(&table, &size) : NULL;
    if (memory) {
        rcuinfo__report_print(taken, processes, MOST_SHOWN, memory);
        if (fclose(memory) == 0)
            (void)fwrite(table, 1, size, stderr); /* at once: others write there, too */
        free(table);
    }
}

/* What another process has recorded, by the real library's own messages. */
static void receive(struct rcuinfo__report *taken, int from, MPI_Comm comm)
{
    int size = 0;
    if (PMPI_Recv(&size, sizeof size, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return;
    char *bytes = size > 0 ? rcuinfo__alloc((size_t)size) : NULL;
    int room = bytes ? size : 0; /* the sender asks for it before it sends */
    (void)PMPI_Send(&room, sizeof room, MPI_BYTE, from, TAG, comm);
    if (room > 0 && PMPI_Recv(bytes, room, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS && taken)
        rcuinfo__report_merge(taken, bytes, (size_t)room);
    else if (taken)
        rcuinfo__report_lose(taken, 1);
    rcuinfo__alloc_free(bytes);
}

static void send(const struct rcuinfo__report *taken, int to, MPI_Comm comm)
{
    size_t length = 0;
    void *bytes = taken ? rcuinfo__report_pack(taken, &length) : NULL;
    int size = bytes && length <= INT_MAX ? (int)length : 0, room = 0;
    (void)PMPI_Send(&size, sizeof size, MPI_BYTE, to, TAG, comm);
    (void)PMPI_Recv(&room, sizeof room, MPI_BYTE, to, TAG, comm, MPI_STATUS_IGNORE);
    if (room > 0)
        (void)PMPI_Send(bytes, size, MPI_BYTE, to, TAG, comm);
    rcuinfo__alloc_free(bytes);
}

/* A communicator of its own, with no attributes of the program's, and no error handler that ends it. */
static MPI_Comm make_comm(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    if (PMPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm) != MPI_SUCCESS || comm == MPI_COMM_NULL)
        return MPI_COMM_NULL;
    (void)PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

void rcuinfo__interpose_in_use(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    if (report && PMPI_Comm_get_parent(&parent) == MPI_SUCCESS)
        is_spawned = parent != MPI_COMM_NULL;
}

void rcuinfo__interpose_finalizing(void)
{
    int rank = 0, size = 0, step = 1;
    if (!is_wanted || !rcuinfo__interpose_in_world())
        return;
    MPI_Comm comm = make_comm();
    if (comm == MPI_COMM_NULL)
        return;
    pthread_mutex_lock(&lock);
    struct rcuinfo__report *taken = take();
    (void)PMPI_Comm_rank(comm, &rank);
    (void)PMPI_Comm_size(comm, &size);
    if (taken)
        rcuinfo__report_sign(taken, rank, rcuinfo__interpose_rules_digest());
    for (; step < size && !(rank & step); step *= 2) {
        if (rank + step < size)
            receive(taken, rank + step, comm);
    }
    if (rank != 0)
        send(taken, rank - step, comm);
    if (rank == 0 && taken) {
        rcuinfo__interpose_show_places(taken);
        show(taken, size, is_spawned ? (long)getpid() : -1);
    }
    (void)PMPI_Comm_free(&comm);
    rcuinfo__report_free(taken);
}

/* The number of this process among those that its launcher has started; its process id where that does not say. */
static long own_number(void)
{
    static const char *const variables[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (size_t n = 0; n < sizeof variables / sizeof *variables; n++) {
        const char *text = rcuinfo__start_variable(variables[n]);
        if (text && *text >= '0' && *text <= '9')
            return strtol(text, NULL, 10);
    }
    return (long)getpid();
}

void rcuinfo__interpose_leave_report(bool at_exit)
{
    /* It may be the handler of a signal that came while something was recorded. */
    bool is_locked = process == getpid() && pthread_mutex_trylock(&lock) == 0;
    struct rcuinfo__report *taken = is_locked ? take() : NULL;
    if (!taken)
        return;
    if (!rcuinfo__report_is_empty(taken)) {
        long number = own_number();
        rcuinfo__report_sign(taken, number, rcuinfo__interpose_rules_digest());
        if (at_exit) /* else it may be a signal's handler, and the memory in disorder */
            rcuinfo__interpose_show_places(taken);
        show(taken, 1, number);
    }
    rcuinfo__report_free(taken);
}

__attribute__((constructor)) static void begin(void)
{
    const char *wanted = rcuinfo__start_variable("RCUINFO_HINTS_REPORT");
    if (!wanted)
        return;
    is_wanted = true;
    int left_errno = errno;
    process = getpid();
    file_name = wanted;
    report = rcuinfo__report_create(MOST_LINES);
    errno = left_errno;
}

__attribute__((destructor)) static void end(void)
{
    rcuinfo__interpose_leave_report(true);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record: records, for each call with hints, what the real library did with them.
 *
 * Invariant: nothing here makes a call of the program fail. Without memory, information is missing or counted as lost.
 * One mutex protects the report, and no function of the real library is called with it held.
 */
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <rcuinfo/snapshot.h>

#include "core/alloc.h"
#include "core/order.h"
#include "tuning/observe/ask.h"
#include "tuning/observe/place.h"
#include "tuning/observe/record.h"

enum { MOST_LINES = 1024, LABELS = 512, COUNTERS = 1024, TEXT = 64, NOTE = 320 };

/* The name of an object, or the number of an object without a name, by its handle. */
struct label {
    rcuinfo_hint_object_t object;
    uintptr_t handle;
    char *text;
};

/* NULL when not recording: it is not wanted, or has been taken. Written at load, then with the lock held. */
static struct rcuinfo__report *report;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct label labels[LABELS];

/* Counts the objects without a name that a call site has created for a group. So an object has the same number on all
 * processes of its group. */
struct counter {
    uint64_t site; /* hash of the call site and the group; 0: free */
    unsigned count;
};
static struct counter counters[COUNTERS];

/* The bits of a handle. */
static uintptr_t bits_of(rcuinfo_hint_object_t object, void *handle)
{
    switch (object) {
    case RCUINFO_HINT_WINDOW:
        return (uintptr_t)RCUINFO__WIN_AT(handle);
    case RCUINFO_HINT_FILE:
        return (uintptr_t)RCUINFO__FILE_AT(handle);
    case RCUINFO_HINT_SESSION:
        return (uintptr_t)RCUINFO__SESSION_AT(handle);
    default:
        return (uintptr_t)RCUINFO__COMM_AT(handle);
    }
}

/* A hint that is to be recorded. */
struct hint {
    const char *key;
    const char *given;
    const struct rcuinfo__rule *rule; /* NULL: given by the program */
    const char *left;                 /* why it was not passed on; NULL: it was */
};

/* What all hints of a call have in common. */
struct call {
    const struct rcuinfo__interpose_loan *loan;
    MPI_Info in_use; /* the hints in use afterwards */
    const char *fields[RCUINFO__REPORT_FIELDS];
};

/* The number of the next object without a name, from 1. Call with the lock held. */
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

    /* FNV-1, and open addressing. If the table is full, counters are shared. Odd, since 0 marks a free counter. */
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

/* A copy of the name of an object: `name` unless it is "", else the name that an earlier call gave it, else a number.
 * Of objects with the same place in the table only the last one is known. Call with the lock held. */
static char *find_label(const struct call *call, void *handle, const char *name)
{
    const struct rcuinfo__interpose_loan *loan = call->loan;
    char number[TEXT];
    uintptr_t bits = bits_of(loan->object, handle);

    /* Open MPI's handles are addresses, multiples of 8; MPICH's are numbers that differ in their last bits. */
    struct label *label = &labels[(bits / 8 + bits * 31 + (unsigned)loan->object) % LABELS];
    bool is_known = label->handle == bits && label->object == loan->object && label->text;

    /* If the call created the object, a label that has its handle is of an earlier object. */
    if (!*name && (!rcuinfo__observe_is_change(loan) || !is_known)) {
        snprintf(number, sizeof number, "#%u", next_number(call));
        name = number;
    }

    if (*name) {
        rcuinfo__alloc_free(label->text);

        /* Without memory the object has no name. */
        label->text = copy_of(name);
        label->object = loan->object;
        label->handle = bits;
    }

    return label->text ? copy_of(label->text) : NULL;
}

/* The value in use, or NULL. */
static const char *value_in_use(MPI_Info in_use, const char *key, char value[MPI_MAX_INFO_VAL + 1])
{
    int found = 0;
    value[MPI_MAX_INFO_VAL] = '\0';
    if (in_use == MPI_INFO_NULL || strlen(key) >= MPI_MAX_INFO_KEY ||
        RCUINFO__PMPI(Info_get)(in_use, key, MPI_MAX_INFO_VAL, value, &found) != MPI_SUCCESS)
        return NULL;
    return found ? value : NULL;
}

/* Whether the standard reserves a key for any kind of object. */
static bool is_reserved(const char *key)
{
    int object = 0;
    while (object < RCUINFO_HINT_OBJECTS && !rcuinfo__hint_row((rcuinfo_hint_object_t)object, key))
        object++;
    return object < RCUINFO_HINT_OBJECTS;
}

/* Notes what an unknown key may be: a key of another kind of object, or a misspelled one. */
static void note_guess(rcuinfo_hint_object_t object, const char *key, char note[NOTE])
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

/* Whether two values of a key mean the same, e.g. "TRUE" and "true", or "04" and "4". */
static bool is_same_value(const rcuinfo_hint_t *row, const char *a, const char *b)
{
    int64_t of_a = -1, of_b = -2; /* different, in case the type has no number */
    bool are_numbers = row && rcuinfo_hint_check(row, a, &of_a, NULL) == RCUINFO_SUCCESS &&
                       rcuinfo_hint_check(row, b, &of_b, NULL) == RCUINFO_SUCCESS;
    return (are_numbers && of_a == of_b) || strcasecmp(a, b) == 0;
}

/* The verdict on a hint. */
static enum rcuinfo__report_verdict judge(const struct call *call, const struct hint *hint, const rcuinfo_hint_t *row,
                                          const char *in_use, char note[NOTE])
{
    rcuinfo_fault_t fault;

    if (hint->left) {
        snprintf(note, NOTE, "%s", hint->left);
        return RCUINFO__REPORT_LEFT;
    }

    /* The standard says which values are valid, whatever the library does with others. */
    if (row && rcuinfo_hint_check(row, hint->given, NULL, &fault) == RCUINFO_ERR_TYPE) {
        snprintf(note, NOTE, "%s", fault.what);
        return RCUINFO__REPORT_BAD_VALUE;
    }

    /* A key is known if the standard or the library has it, or if a library that drops unknown keys returns it. */
    rcuinfo_hint_object_t object = call->loan->object;
    bool is_known = row || rcuinfo__hint_of_library(RCUINFO__INTERPOSE_MPIS, hint->key) ||
                    (in_use && !rcuinfo__interpose_keeps_unknown());
    if (!is_known && object != RCUINFO_HINT_OTHER) {
        note_guess(call->loan->object, hint->key, note);
        return RCUINFO__REPORT_UNKNOWN;
    }

    /* A hint on how to split is not a hint of the new communicator. */
    bool is_of_call = object == RCUINFO_HINT_SPLIT_TYPE && !rcuinfo__hint_row(RCUINFO_HINT_COMMUNICATOR, hint->key);
    if (call->in_use == MPI_INFO_NULL || is_of_call)
        return RCUINFO__REPORT_CANNOT_KNOW;

    /* The library returns the hints in use, and this one is not among them. */
    if (!in_use)
        return RCUINFO__REPORT_IGNORED;
    return is_same_value(row, hint->given, in_use) ? RCUINFO__REPORT_TAKEN : RCUINFO__REPORT_CHANGED;
}

/* Adds a hint to the report. */
static void record(struct call *call, const struct hint *hint)
{
    char value[MPI_MAX_INFO_VAL + 1], note[NOTE] = "", source[PATH_MAX + NOTE];
    const rcuinfo_hint_t *row = rcuinfo__hint_row_taken(call->loan->object, hint->key);
    const char *in_use = value_in_use(call->in_use, hint->key, value);
    const char *fields[RCUINFO__REPORT_FIELDS];

    memcpy(fields, call->fields, sizeof fields);
    fields[RCUINFO__REPORT_KEY] = hint->key;
    fields[RCUINFO__REPORT_GIVEN] = hint->given;
    fields[RCUINFO__REPORT_IN_USE] = in_use;

    enum rcuinfo__report_verdict verdict = judge(call, hint, row, in_use, note);
    bool is_others = verdict == RCUINFO__REPORT_UNKNOWN && is_reserved(hint->key);
    if (is_others && hint->rule && hint->rule->object == RCUINFO_HINT_OBJECTS)
        return; /* a rule for all objects is meant for those that have the key */

    fields[RCUINFO__REPORT_VERDICT] = rcuinfo__report_verdict(verdict);
    if (verdict == RCUINFO__REPORT_LEFT)
        fields[RCUINFO__REPORT_IN_USE] = NULL; /* the value in use has another source */
    fields[RCUINFO__REPORT_SECTION] = row ? row->section : NULL;
    fields[RCUINFO__REPORT_NOTE] = *note ? note : NULL;
    fields[RCUINFO__REPORT_SOURCE] = NULL;

    if (hint->rule) {
        snprintf(source, sizeof source, "%s:%zu", rcuinfo__interpose_rules_file(), hint->rule->line);
        fields[RCUINFO__REPORT_SOURCE] = source;
    }

    /* The report may have been taken since the call began. */
    pthread_mutex_lock(&lock);
    if (report)
        (void)rcuinfo__report_add(report, fields, "0", 1);
    pthread_mutex_unlock(&lock);
}

/* Whether a pair of the program with that key is passed on. */
static bool passes_own(const rcuinfo_snapshot_t *snapshot, const char *key)
{
    rcuinfo_pair_t pair;
    return snapshot && rcuinfo_snapshot_find(snapshot, key, &pair) == RCUINFO_SUCCESS &&
           !rcuinfo__interpose_left_out(pair.key, pair.key_length, pair.value_length);
}

/* The imposed rule that replaces a pair of the program, or NULL. */
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

/* Records the hints of a call: the pairs of the program, then those of the rules. */
static void record_all(struct call *call, const struct rcuinfo__rules *rules)
{
    const struct rcuinfo__interpose_loan *loan = call->loan;
    const rcuinfo_snapshot_t *snapshot = loan->snapshot;
    const struct rcuinfo__rule *rule = NULL;
    rcuinfo_pair_t pair;
    char imposed[PATH_MAX + NOTE];

    /* The pairs of the program. */
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

    /* The pairs of the rules. */
    while (rules && (rule = rcuinfo__rules_next(rules, rule, loan->object, loan->name))) {
        struct hint hint = {.key = rule->key, .given = rule->value, .rule = rule};
        hint.left = rcuinfo__interpose_left_out(rule->key, strlen(rule->key), strlen(rule->value));
        if (!hint.left && !rule->imposed && passes_own(snapshot, rule->key))
            hint.left = "the program sets it itself";
        record(call, &hint);
    }
}

void rcuinfo__observe_note(const struct rcuinfo__interpose_loan *loan)
{
    const struct rcuinfo__rules *rules = rcuinfo__interpose_rules(loan);
    char name[MPI_MAX_OBJECT_NAME + 1], group[RCUINFO__OBSERVE_GROUP], *label = NULL;
    struct call call = {.loan = loan, .in_use = MPI_INFO_NULL};
    bool is_ours = loan->snapshot || loan->info == MPI_INFO_NULL; /* not an info that the library created */

    /* Nothing to record if the info has no hints, or if the real library passes it to itself. */
    if (!loan->function || !is_ours || (!loan->snapshot && !rules) || rcuinfo__interpose_is_of_library(loan->caller))
        return;

    pthread_mutex_lock(&lock);
    bool is_recording = report != NULL;
    pthread_mutex_unlock(&lock);
    if (!is_recording)
        return;

    /* Ask the library without the lock. */
    void *handle = rcuinfo__observe_ask_handle(loan);
    char *place = rcuinfo__observe_place(loan->caller);
    call.in_use = rcuinfo__observe_ask_hints(loan->object, handle);
    call.fields[RCUINFO__REPORT_OBJECT] = rcuinfo_hint_object_name(loan->object);
    call.fields[RCUINFO__REPORT_FUNCTION] = loan->function;
    call.fields[RCUINFO__REPORT_PLACE] = place;
    call.fields[RCUINFO__REPORT_GROUP] = rcuinfo__observe_ask_group(loan->object, handle, group);
    call.fields[RCUINFO__REPORT_NAME] = loan->name;

    if (handle) {
        /* A name that is passed to the call, such as that of a file, is better than that of the object. */
        rcuinfo__observe_ask_name(loan->object, handle, name);
        pthread_mutex_lock(&lock);
        label = find_label(&call, handle, loan->name ? loan->name : name);
        pthread_mutex_unlock(&lock);
        call.fields[RCUINFO__REPORT_NAME] = label;
    }

    record_all(&call, rules);
    if (call.in_use != MPI_INFO_NULL)
        (void)RCUINFO__PMPI(Info_free)(&call.in_use);
    rcuinfo__alloc_free(label);
    rcuinfo__alloc_free(place);
}

struct rcuinfo__report *rcuinfo__observe_take_report(bool may_wait)
{
    if ((may_wait ? pthread_mutex_lock(&lock) : pthread_mutex_trylock(&lock)) != 0)
        return NULL;

    /* From now on nothing is recorded, so the report is the caller's alone. */
    struct rcuinfo__report *taken = report;
    report = NULL;
    pthread_mutex_unlock(&lock);
    return taken;
}

bool rcuinfo__observe_begin_report(void)
{
    report = rcuinfo__report_create(MOST_LINES);
    return report != NULL;
}

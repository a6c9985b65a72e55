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
#include "tuning/verdict.h"

enum { MOST_LINES = 1024, LABELS = 512, COUNTERS = 1024, TEXT = 64 };

/* The name of an object, or the number of an object without a name, by its handle. */
struct label {
    rcuinfo_hint_object_t object;
    uintptr_t handle;
    char *text;
    bool is_romio; /* it is a file of ROMIO's */
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
    const struct rcuinfo__lookups *lookups;
    MPI_Info in_use;       /* what the library answers afterwards */
    const char *component; /* what it is of */
    const char *system;    /* the file system of a file */
    bool is_watched;       /* look-ups are seen */
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

/* The place of an object in the table. Call with the lock held. */
static struct label *label_of(const struct call *call, void *handle)
{
    uintptr_t bits = bits_of(call->loan->object, handle);

    /* Open MPI's handles are addresses, multiples of 8; MPICH's are numbers that differ in their last bits. */
    return &labels[(bits / 8 + bits * 31 + (unsigned)call->loan->object) % LABELS];
}

/* A copy of the name of an object: `name` unless it is "", else the name that an earlier call gave it, else a number.
 * Of objects with the same place in the table only the last one is known. Call with the lock held. */
static char *find_label(const struct call *call, void *handle, const char *name, bool *was_romio)
{
    const struct rcuinfo__interpose_loan *loan = call->loan;
    char number[TEXT];
    uintptr_t bits = bits_of(loan->object, handle);
    struct label *label = label_of(call, handle);

    /* If the call created the object, a label that has its handle is of an earlier object. */
    bool is_known =
        rcuinfo__observe_is_change(loan) && label->handle == bits && label->object == loan->object && label->text;
    *was_romio = is_known && label->is_romio;
    if (!*name && !is_known) {
        snprintf(number, sizeof number, "#%u", next_number(call));
        name = number;
    }

    if (*name) {
        rcuinfo__alloc_free(label->text);

        /* Without memory the object has no name. */
        *label = (struct label){.object = loan->object, .handle = bits, .text = copy_of(name), .is_romio = *was_romio};
    }

    return label->text ? copy_of(label->text) : NULL;
}

/* Whether the standard reserves a key for another kind of object. */
static bool is_of_others(const char *key)
{
    int object = 0;
    while (object < RCUINFO_HINT_OBJECTS && !rcuinfo__keys_row((rcuinfo_hint_object_t)object, key))
        object++;
    return object < RCUINFO_HINT_OBJECTS;
}

/* Adds a line, unless the report has been taken since the call began. */
static void add_line(const char *const fields[RCUINFO__REPORT_FIELDS])
{
    pthread_mutex_lock(&lock);
    if (report)
        (void)rcuinfo__report_add(report, fields, "0", 1);
    pthread_mutex_unlock(&lock);
}

/* Adds a hint to the report. */
static void record(const struct call *call, const struct hint *hint)
{
    char value[MPI_MAX_INFO_VAL + 1], source[PATH_MAX + 32];
    const char *fields[RCUINFO__REPORT_FIELDS];
    const struct rcuinfo__lookup *lookup = rcuinfo__lookups_find(call->lookups, hint->key);
    struct rcuinfo__judgement judgement;

    const struct rcuinfo__facts facts = {
        .mpi = rcuinfo__observe_ask_version(),
        .component = call->component,
        .system = call->system,
        .object = call->loan->object,
        .key = hint->key,
        .given = hint->given,
        .left = hint->left,
        .is_watched = call->is_watched,
        .was_looked_up = lookup && lookup->was_read,
        .set = lookup ? lookup->set : NULL,
        .is_change = rcuinfo__observe_is_change(call->loan),
        .returned = rcuinfo__observe_ask_value(call->in_use, hint->key, value),
    };
    rcuinfo__verdict(&facts, &judgement);

    /* A rule for all objects is meant for those that have the key. */
    bool is_others = judgement.verdict == RCUINFO__REPORT_UNKNOWN && is_of_others(hint->key);
    if (is_others && hint->rule && hint->rule->object == RCUINFO_HINT_OBJECTS)
        return;

    memcpy(fields, call->fields, sizeof fields);
    fields[RCUINFO__REPORT_KEY] = hint->key;
    fields[RCUINFO__REPORT_GIVEN] = hint->given;
    fields[RCUINFO__REPORT_IN_USE] = judgement.in_use;
    fields[RCUINFO__REPORT_VERDICT] = rcuinfo__report_verdict(judgement.verdict);
    fields[RCUINFO__REPORT_EVIDENCE] = judgement.evidence;
    fields[RCUINFO__REPORT_SECTION] = judgement.section;
    fields[RCUINFO__REPORT_NOTE] = *judgement.note ? judgement.note : NULL;
    fields[RCUINFO__REPORT_SOURCE] = NULL;
    if (hint->rule) {
        snprintf(source, sizeof source, "%s:%zu", rcuinfo__interpose_rules_file(), hint->rule->line);
        fields[RCUINFO__REPORT_SOURCE] = source;
    }
    add_line(fields);
}

/* For rcuinfo__lookups_watch */
static void record_reader(const char *key, const char *reader)
{
    const char *fields[RCUINFO__REPORT_FIELDS] = {
        [RCUINFO__REPORT_VERDICT] = rcuinfo__report_verdict(RCUINFO__REPORT_LOOK_UP),
        [RCUINFO__REPORT_KEY] = key,
        [RCUINFO__REPORT_GIVEN] = "",
        [RCUINFO__REPORT_NOTE] = reader,
    };
    add_line(fields);
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
static void record_all(const struct call *call, const struct rcuinfo__rules *rules)
{
    const struct rcuinfo__interpose_loan *loan = call->loan;
    const rcuinfo_snapshot_t *snapshot = loan->snapshot;
    const struct rcuinfo__rule *rule = NULL;
    rcuinfo_pair_t pair;
    char imposed[PATH_MAX + 64];

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

/* Whether hints of this call are recorded. */
static bool is_recorded(const struct rcuinfo__interpose_loan *loan, const struct rcuinfo__rules *rules)
{
    bool is_ours = loan->snapshot || loan->info == MPI_INFO_NULL; /* not an info that the library created */
    bool has_hints = loan->snapshot || rules;

    /* The name of a file without hints is recorded, since it may get hints later. */
    bool has_name = loan->object == RCUINFO_HINT_FILE && loan->name && loan->handle;

    pthread_mutex_lock(&lock);
    bool is_recording = report != NULL;
    pthread_mutex_unlock(&lock);

    return is_recording && loan->function && is_ours && (has_hints || has_name) &&
           !rcuinfo__interpose_is_of_library(loan->caller);
}

/* Fills in what the calls of one object have in common: its name, to be freed, and what it is of. */
static char *describe_object(struct call *call, void *handle, char component[RCUINFO__OBSERVE_COMPONENT])
{
    const struct rcuinfo__interpose_loan *loan = call->loan;
    char name[MPI_MAX_OBJECT_NAME + 1];
    bool was_romio = false;
    char *text = NULL;

    /* A name that is passed to the call, such as that of a file, is better than that of the object. */
    if (handle) {
        rcuinfo__observe_ask_name(loan->object, handle, name);
        pthread_mutex_lock(&lock);
        text = find_label(call, handle, loan->name ? loan->name : name, &was_romio);
        pthread_mutex_unlock(&lock);
        call->fields[RCUINFO__REPORT_NAME] = text;
    }

    const char *found = rcuinfo__observe_ask_component(loan, call->in_use, call->lookups, was_romio, component);
    call->component = found;
    if (found && strncmp(found, "MPI_", 4) != 0) /* not a function, see keys.def */
        call->fields[RCUINFO__REPORT_COMPONENT] = found;
    call->is_watched = found && strncmp(found, "romio", sizeof "romio" - 1) == 0;
    if (loan->object == RCUINFO_HINT_FILE)
        call->system = rcuinfo__observe_ask_system(call->fields[RCUINFO__REPORT_NAME]);
    if (call->is_watched && !was_romio) {
        pthread_mutex_lock(&lock);
        label_of(call, handle)->is_romio = true;
        pthread_mutex_unlock(&lock);
    }
    return text;
}

/* Records the hints of a call that succeeded. */
static void note(const struct rcuinfo__interpose_loan *loan, const struct rcuinfo__lookups *lookups)
{
    const struct rcuinfo__rules *rules = rcuinfo__interpose_rules(loan);
    struct call call = {.loan = loan, .lookups = lookups, .in_use = MPI_INFO_NULL};
    char group[RCUINFO__OBSERVE_GROUP], component[RCUINFO__OBSERVE_COMPONENT];
    if (!is_recorded(loan, rules))
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

    char *name = describe_object(&call, handle, component);
    record_all(&call, rules);
    if (call.in_use != MPI_INFO_NULL)
        (void)RCUINFO__PMPI(Info_free)(&call.in_use);
    rcuinfo__alloc_free(name);
    rcuinfo__alloc_free(place);
}

/* Only look-ups of files are seen. */
void rcuinfo__observe_lent(struct rcuinfo__interpose_loan *loan)
{
    rcuinfo__observe_expect(loan);
    loan->observed = loan->object == RCUINFO_HINT_FILE ? rcuinfo__alloc(sizeof(struct rcuinfo__lookups)) : NULL;
    if (loan->observed)
        rcuinfo__lookups_begin(loan->observed);
}

void rcuinfo__observe_returned(struct rcuinfo__interpose_loan *loan, bool succeeded)
{
    static const struct rcuinfo__lookups none;
    if (loan->observed)
        rcuinfo__lookups_end(loan->observed);
    if (succeeded)
        note(loan, loan->observed ? loan->observed : &none);
    if (loan->observed)
        rcuinfo__lookups_free(loan->observed);
    rcuinfo__alloc_free(loan->observed);
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
    if (report)
        rcuinfo__lookups_watch(record_reader);
    return report != NULL;
}

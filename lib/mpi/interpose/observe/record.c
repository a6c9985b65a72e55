/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record: records, for each call with hints, what the real library did with them.
 *
 * Invariant: nothing here makes a call of the program fail. Without memory, information is missing or counted as lost.
 * One mutex protects the report, and no function of the real library is called with it held.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rcuinfo/snapshot.h>

#include "core/memory/alloc.h"
#include "core/text.h"
#include "env/start.h"
#include "report/export.h"
#include "report/lines.h"
#include "mpi/interpose/observe/ask.h"
#include "mpi/interpose/real.h"
#include "mpi/interpose/observe/journal.h"
#include "mpi/interpose/observe/labels.h"
#include "mpi/interpose/observe/place.h"
#include "mpi/interpose/observe/record.h"
#include "keys/memstream.h"
#include "report/verdict.h"

enum { MOST_LINES = 1024 };

/* NULL when not recording: it is not wanted, or has been taken. Written at load, then with the lock held. */
static struct rcuinfo__report *report;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const void *) holder; /* the thread that has the lock */
static bool records_all; /* written at load: also the values of objects other than files that no hint gave */

/* A call with an info that has not returned. A handler of the program may have left it by a longjmp: nothing here is on
 * the stack of the call. */
struct flight {
    struct rcuinfo__loan loan; /* a copy */
    const void *thread;
    char *name, *place;              /* of the object and of the call; NULL: none, or no memory */
    struct rcuinfo__lookups lookups; /* of a file: only those are seen */
    struct flight *next, **link;     /* in the list; link: what points to it, NULL: it is not in the list any more */
};
static struct flight *flights; /* with the lock held */

/*
 * A call site that gives the same hints again and again. After a few calls only some are looked at, those whose number
 * is a power of two; the others are counted in the lines of the last that was. With the lock held.
 */
enum { SITES = 256, FEW_CALLS = 32, FEW_LINES = 8 };
struct site {
    uint64_t hash; /* of the call and its hints; 0: free */
    uint64_t calls;
    struct rcuinfo__report_line *lines[FEW_LINES];
    unsigned n;
    bool is_looked_at; /* by a thread, which fills in the lines */
};
static struct site sites[SITES];

/* What all hints of a call have in common. */
struct call {
    const struct rcuinfo__loan *loan;
    const struct rcuinfo__lookups *lookups;
    MPI_Info in_use;             /* what the library answers afterwards */
    FILE *romio_hints;           /* which the library has read, too; NULL: none */
    struct site *site;           /* that gets its lines; NULL: none does */
    struct rcuinfo__facts facts; /* without those of a hint */
    const char *fields[RCUINFO__REPORT_FIELDS];
};

static void note_holder(const void *thread)
{
    atomic_store_explicit(&holder, thread, RCUINFO__RELAXED);
}

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
    note_holder(&rcuinfo__interpose_outermost);
}

static void give_lock(void)
{
    note_holder(NULL);
    pthread_mutex_unlock(&lock);
}

static bool is_holder(void)
{
    return atomic_load_explicit(&holder, RCUINFO__RELAXED) == &rcuinfo__interpose_outermost;
}

/* Adds a line, unless the report has been taken since the call began. */
static void add_line(enum rcuinfo__report_verdict verdict, const char *const fields[RCUINFO__REPORT_FIELDS],
                     struct site *site)
{
    take_lock();
    struct rcuinfo__report_line *line = report ? rcuinfo__report_add(report, verdict, fields, "0", 1) : NULL;
    if (line)
        rcuinfo__journal_add(line);
    if (site && line && site->n < FEW_LINES)
        site->lines[site->n++] = line;
    else if (site) /* a line was lost, or there are too many: each such call is looked at */
        site->n = FEW_LINES + 1;
    give_lock();
}

/* Finds the line of the file ROMIO_HINTS, whose lines are "KEY VALUE", that gives a value: FILE:LINE. */
static bool find_in_romio_hints(const struct call *call, const char *key, const char *value, char *source, size_t size)
{
    char line[MPI_MAX_INFO_KEY + MPI_MAX_INFO_VAL + 2], *rest;
    bool is_found = false;
    if (!call->romio_hints)
        return false;

    rewind(call->romio_hints);
    for (size_t number = 1; !is_found && fgets(line, sizeof line, call->romio_hints); number++) {
        const char *of_line = strtok_r(line, " \t\n", &rest), *given = strtok_r(NULL, " \t\n", &rest);
        is_found = of_line && given && strcmp(of_line, key) == 0 && strcmp(given, value) == 0;
        if (is_found)
            snprintf(source, size, "%s:%zu", rcuinfo__start_variable("ROMIO_HINTS"), number);
    }
    return is_found;
}

/* Notes what gave the value that the library has in place of a hint's. */
static void note_other(const struct call *call, const char *key, const char *in_use, char note[RCUINFO__VERDICT_NOTE])
{
    static const char *const of_intel[][2] = {
        {"cb_nodes", "I_MPI_FILESYSTEM_CB_NODES"},
        {"cb_config_list", "I_MPI_FILESYSTEM_CB_CONFIG_LIST"},
    };
    char source[RCUINFO__LEND_SOURCE];
    if (find_in_romio_hints(call, key, in_use, source, sizeof source))
        snprintf(note, RCUINFO__VERDICT_NOTE, "as in %.300s", source);
    for (size_t n = 0; n < sizeof of_intel / sizeof *of_intel && call->facts.mpi.id == RCUINFO__INTEL; n++) {
        if (strcmp(key, of_intel[n][0]) == 0 && rcuinfo__start_variable(of_intel[n][1]))
            snprintf(note, RCUINFO__VERDICT_NOTE, "by %s", of_intel[n][1]);
    }
}

/* Notes one circumstance of a verdict that says none itself. */
static void note_circumstance(const struct call *call, const struct rcuinfo__loan_hint *hint,
                              const struct rcuinfo__facts *facts, struct rcuinfo__judgement *judgement)
{
    enum rcuinfo__report_verdict verdict = judgement->verdict;
    struct rcuinfo__module module;
    if (*judgement->note)
        return;

    const char *setter = verdict == RCUINFO__REPORT_UNKNOWN && !hint->rule
                             ? rcuinfo__lookups_setter(hint->key, call->loan->caller, &module)
                             : NULL;
    if (setter)
        snprintf(judgement->note, sizeof judgement->note, "set by %.200s", setter);
    else if (verdict == RCUINFO__REPORT_CHANGED && facts->is_watched)
        note_other(call, hint->key, judgement->in_use, judgement->note);
    else if (facts->is_answer && (verdict == RCUINFO__REPORT_NOT_USED || verdict == RCUINFO__REPORT_NOT_KNOWN))
        snprintf(judgement->note, sizeof judgement->note, "as MPI has returned it");

    if (!*judgement->note && call->loan->object == RCUINFO_OBJECT_SPLIT_TYPE && !rcuinfo__ask_handle(call->loan))
        snprintf(judgement->note, sizeof judgement->note, "MPI_COMM_NULL came back");
}

/* Adds a hint to the report. */
static void record(const struct call *call, const struct rcuinfo__loan_hint *hint)
{
    char value[MPI_MAX_INFO_VAL + 1], text[RCUINFO__LEND_SOURCE];
    const char *fields[RCUINFO__REPORT_FIELDS];
    const struct rcuinfo__lookup *lookup = rcuinfo__lookups_find(call->lookups, hint->key);
    struct rcuinfo__judgement judgement;

    struct rcuinfo__facts facts = call->facts;
    facts.key = hint->key;
    facts.given = hint->value;
    facts.was_looked_up = lookup && lookup->was_read;
    facts.set = lookup ? lookup->set : NULL;
    facts.is_answer = !hint->rule && rcuinfo__lookups_note_given(hint->key, hint->value);
    facts.returned = rcuinfo__ask_value(call->in_use, hint->key, value);
    if (hint->imposed)
        facts.left = rcuinfo__lend_source(hint->imposed, " is imposed", text);
    else if (!hint->is_passed)
        facts.left = hint->unfit ? hint->unfit : "the program sets it itself";
    rcuinfo__verdict(&facts, &judgement);
    note_circumstance(call, hint, &facts, &judgement);

    /* A rule for all objects is meant for those that have the key. */
    bool is_others = judgement.verdict == RCUINFO__REPORT_UNKNOWN &&
                     rcuinfo__keys_object_of(facts.mpi.id, hint->key) != RCUINFO__OBJECT_UNKNOWN;
    if (is_others && hint->rule && hint->rule->object == RCUINFO__OBJECT_ANY)
        return;

    memcpy(fields, call->fields, sizeof fields);
    fields[RCUINFO__REPORT_KEY] = hint->key;
    fields[RCUINFO__REPORT_GIVEN] = hint->value;
    fields[RCUINFO__REPORT_IN_USE] = judgement.in_use;
    fields[RCUINFO__REPORT_EVIDENCE] = judgement.evidence;
    fields[RCUINFO__REPORT_SECTION] = judgement.section;
    fields[RCUINFO__REPORT_NOTE] = *judgement.note ? judgement.note : NULL;
    fields[RCUINFO__REPORT_SOURCE] = hint->rule ? rcuinfo__lend_source(hint->rule, "", text) : NULL;
    add_line(judgement.verdict, fields, call->site);
}

/* Records the values of the library for which no hint was given, of an object that has just been created: a file or,
 * with --hints-report=all, any. */
static void record_defaults(const struct call *call)
{
    char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1], source[RCUINFO__LEND_SOURCE];
    const char *fields[RCUINFO__REPORT_FIELDS];
    int nkeys = 0;
    if ((call->loan->object != RCUINFO_OBJECT_FILE && !records_all) || call->loan->is_change ||
        call->in_use == MPI_INFO_NULL)
        return;

    (void)RCUINFO__NEXT(PMPI_Info_get_nkeys)(call->in_use, &nkeys);
    for (int n = 0; n < nkeys; n++) {
        if (RCUINFO__NEXT(PMPI_Info_get_nthkey)(call->in_use, n, key) != MPI_SUCCESS)
            continue;
        memcpy(fields, call->fields, sizeof fields);
        fields[RCUINFO__REPORT_KEY] = key;
        fields[RCUINFO__REPORT_GIVEN] = "";
        fields[RCUINFO__REPORT_IN_USE] = rcuinfo__ask_own_value(call->loan, call->in_use, key, value);
        if (!fields[RCUINFO__REPORT_IN_USE])
            continue;
        fields[RCUINFO__REPORT_EVIDENCE] = "get_info";
        if (find_in_romio_hints(call, key, value, source, sizeof source))
            fields[RCUINFO__REPORT_SOURCE] = source;
        add_line(RCUINFO__REPORT_DEFAULT, fields, call->site);
    }
}

/* For rcuinfo__lookups_watch */
static void record_reader(const char *key, const char *reader)
{
    const char *fields[RCUINFO__REPORT_FIELDS] = {
        [RCUINFO__REPORT_KEY] = key,
        [RCUINFO__REPORT_GIVEN] = "",
        [RCUINFO__REPORT_NOTE] = reader,
    };
    (void)rcuinfo__ask_version(); /* not with the lock held, when the journal is opened */
    add_line(RCUINFO__REPORT_LOOK_UP, fields, NULL);
}

/* The hash of a call and its hints; 0: each such call is looked at. */
static uint64_t site_of(const struct rcuinfo__loan *loan)
{
    /* The name of a file may be new, and opening one takes longer than looking at its hints. */
    if (loan->rules || !loan->snapshot || loan->object == RCUINFO_OBJECT_FILE || loan->name)
        return 0;

    uint64_t hash = (uintptr_t)loan->caller ^ (uintptr_t)loan->function << 1;
    rcuinfo_pair_t pair;
    for (size_t n = 0; rcuinfo_snapshot_nth(loan->snapshot, n, &pair) == RCUINFO_SUCCESS; n++) {
        /* With their NULs. */
        hash = XXH3_64bits_withSeed(pair.key, pair.key_length + 1, hash);
        hash = XXH3_64bits_withSeed(pair.value, pair.value_length + 1, hash);
    }
    return hash | 1;
}

/* Counts a hint of an object that is not looked at: in a line without an object, which may be any. With the lock held.
 */
static struct rcuinfo__report_line *count_unseen(struct rcuinfo__report_line *line)
{
    const char *fields[RCUINFO__REPORT_FIELDS];
    memcpy(fields, line->fields, sizeof fields);
    if (!fields[RCUINFO__REPORT_NAME] && !fields[RCUINFO__REPORT_IDENTITY] && !fields[RCUINFO__REPORT_GROUP]) {
        line->count++;
        return line;
    }
    fields[RCUINFO__REPORT_NAME] = fields[RCUINFO__REPORT_IDENTITY] = fields[RCUINFO__REPORT_GROUP] = NULL;
    struct rcuinfo__report_line *unseen = rcuinfo__report_add(report, line->verdict, fields, "0", 1);
    if (unseen)
        rcuinfo__journal_add(unseen);
    return unseen ? unseen : line;
}

/* The site of a hash, a new one if there was none; NULL: no hash, or the table is full. With the lock held. */
static struct site *find_site(uint64_t hash)
{
    for (size_t n = 0; hash != 0 && n < SITES; n++) {
        struct site *site = &sites[(hash + n) % SITES];
        if (site->hash == 0)
            site->hash = hash;
        if (site->hash == hash)
            return site;
    }
    return NULL;
}

/* Counts a call. Returns whether that is all, also if nothing is recorded any more. Otherwise the caller looks at it;
 * so it does if there is no site, or another thread is looking at it. *site: to be given to done_with_site. */
static bool only_counts(const struct rcuinfo__loan *loan, struct site **site)
{
    uint64_t hash = site_of(loan);
    *site = NULL;
    take_lock();
    bool is_done = !report;
    struct site *found = report ? find_site(hash) : NULL;
    uint64_t calls = found ? ++found->calls : 0;
    if (found && !found->is_looked_at) {
        is_done = calls > FEW_CALLS && (calls & (calls - 1)) != 0 && found->n > 0 && found->n <= FEW_LINES;
        for (unsigned n = 0; is_done && n < found->n; n++)
            found->lines[n] = count_unseen(found->lines[n]);
    }
    if (found && !found->is_looked_at && !is_done) {
        *site = found;
        found->is_looked_at = true;
        found->n = 0;
    }
    give_lock();
    return is_done;
}

static void done_with_site(struct site *site)
{
    take_lock();
    if (site)
        site->is_looked_at = false;
    give_lock();
}

/* The fields of a hint that are known before its call returns. `text`: for its source. */
static void fill_in(const struct flight *flight, const struct rcuinfo__loan_hint *hint, char text[RCUINFO__LEND_SOURCE],
                    const char *fields[RCUINFO__REPORT_FIELDS])
{
    const struct rcuinfo__loan *loan = &flight->loan;
    const rcuinfo_hint_t *row = rcuinfo__keys_row_taken(loan->object, hint->key);
    memset(fields, 0, RCUINFO__REPORT_FIELDS * sizeof *fields);
    fields[RCUINFO__REPORT_OBJECT] = rcuinfo_hint_object_name(loan->object);
    fields[RCUINFO__REPORT_FUNCTION] = loan->function;
    fields[RCUINFO__REPORT_PLACE] = flight->place;
    fields[RCUINFO__REPORT_NAME] = loan->name;
    fields[RCUINFO__REPORT_KEY] = hint->key;
    fields[RCUINFO__REPORT_GIVEN] = hint->value;
    fields[RCUINFO__REPORT_SECTION] = row ? row->section : NULL;
    fields[RCUINFO__REPORT_SOURCE] = hint->rule ? rcuinfo__lend_source(hint->rule, "", text) : NULL;
}

/* Writes the calls that have not returned to the journal. With the lock held. */
static void write_flights(void)
{
    if (!rcuinfo__journal_open())
        return;
    char source[RCUINFO__LEND_SOURCE];
    struct rcuinfo__memstream text;
    struct rcuinfo__report_line line = {.verdict = RCUINFO__REPORT_NO_RETURN};
    bool has_memory = rcuinfo__memstream_begin(&text);
    for (const struct flight *flight = flights; has_memory && flight; flight = flight->next) {
        for (size_t n = 0; n < flight->loan.n_hints; n++) {
            if (flight->loan.hints[n].is_passed) {
                fill_in(flight, &flight->loan.hints[n], source, line.fields);
                rcuinfo__export_line(&line, rcuinfo__journal_number(), 1, text.file);
                fputc('\n', text.file);
            }
        }
    }
    if (rcuinfo__memstream_end(&text))
        rcuinfo__journal_set_calls(text.bytes, text.size);
    rcuinfo__alloc_free(text.bytes);
}

/* Adds the hints of a call that failed, or has not returned. With the lock held. */
static void add_unanswered(const struct flight *flight, enum rcuinfo__report_verdict verdict, const char *note)
{
    char text[RCUINFO__LEND_SOURCE];
    const char *fields[RCUINFO__REPORT_FIELDS];
    for (size_t n = 0; report && n < flight->loan.n_hints; n++) {
        const struct rcuinfo__loan_hint *hint = &flight->loan.hints[n];
        fill_in(flight, hint, text, fields);
        fields[RCUINFO__REPORT_NOTE] = note;
        struct rcuinfo__report_line *line =
            hint->is_passed ? rcuinfo__report_add(report, verdict, fields, "0", 1) : NULL;
        if (line)
            rcuinfo__journal_add(line);
    }
}

static bool has_hints(const struct rcuinfo__loan *loan)
{
    return loan->snapshot || loan->rules;
}

/* Whether a call is recorded. One that creates an object without hints is, too: the object is counted, and may get
 * hints later. */
static bool is_recorded(const struct rcuinfo__loan *loan)
{
    bool is_ours = loan->snapshot || loan->info == MPI_INFO_NULL; /* not an info that the library created */
    bool is_wanted = has_hints(loan) || (loan->handle && !loan->is_change);
    return loan->function && is_ours && is_wanted && !rcuinfo__real_has(loan->caller);
}

/* Finds what the object of a call is called. label: its texts are to be freed. */
static void describe_object(struct call *call, void *handle, struct rcuinfo__label *label)
{
    const struct rcuinfo__loan *loan = call->loan;
    char name[MPI_MAX_OBJECT_NAME + 1], path[PATH_MAX];
    *label = (struct rcuinfo__label){.name = NULL};
    if (!handle)
        return;

    /* A name that is passed to the call, such as that of a file, is better than that of the object. */
    rcuinfo__ask_name(loan->object, handle, name);
    const char *called = loan->name ? loan->name : name;
    bool is_opened = loan->object == RCUINFO_OBJECT_FILE && loan->name;
    const char *is_at = is_opened ? rcuinfo__ask_path(called, path) : NULL;
    take_lock();
    if (!loan->is_change)
        rcuinfo__labels_create(loan, call->fields[RCUINFO__REPORT_GROUP], handle, is_at);
    rcuinfo__labels_find(loan, call->fields[RCUINFO__REPORT_GROUP], handle, called, label);
    give_lock();
    call->fields[RCUINFO__REPORT_NAME] = label->name;
    call->fields[RCUINFO__REPORT_IDENTITY] = label->identity;
}

/* Finds the part of the library that the object is of, and remembers that a file is ROMIO's. */
static void describe_component(struct call *call, void *handle, bool was_romio, char component[RCUINFO__ASK_COMPONENT])
{
    const struct rcuinfo__loan *loan = call->loan;
    const char *found = rcuinfo__ask_component(loan, call->in_use, call->lookups, was_romio, component);
    call->facts.component = found;
    if (found && strncmp(found, "MPI_", 4) != 0) /* not a function, see keys.def */
        call->fields[RCUINFO__REPORT_COMPONENT] = found;
    call->facts.is_watched = found && strncmp(found, "romio", sizeof "romio" - 1) == 0;
    if (loan->object == RCUINFO_OBJECT_FILE)
        call->facts.system = rcuinfo__ask_system(call->fields[RCUINFO__REPORT_NAME]);
    if (call->facts.is_watched && handle && !was_romio) {
        take_lock();
        rcuinfo__labels_mark_romio(loan->object, handle);
        give_lock();
    }
}

/* Asks the library about the object of a call that succeeded, and records its hints. */
static void look_at(struct call *call, struct flight *flight)
{
    const struct rcuinfo__loan *loan = call->loan;
    char group[RCUINFO__ASK_GROUP], component[RCUINFO__ASK_COMPONENT];
    struct rcuinfo__label label;

    /* Without the lock. */
    void *handle = rcuinfo__ask_handle(loan);
    bool is_asked = has_hints(loan) || records_all || loan->object == RCUINFO_OBJECT_FILE;
    if (is_asked && !flight->place) /* freed with it */
        flight->place = rcuinfo__place_of(loan->caller);
    call->in_use = is_asked ? rcuinfo__ask_hints(loan->object, handle) : MPI_INFO_NULL;
    call->facts.mpi = rcuinfo__ask_version();
    call->facts.object = loan->object;
    call->facts.is_change = loan->is_change;
    call->fields[RCUINFO__REPORT_OBJECT] = rcuinfo_hint_object_name(loan->object);
    call->fields[RCUINFO__REPORT_FUNCTION] = loan->function;
    call->fields[RCUINFO__REPORT_PLACE] = flight->place;
    call->fields[RCUINFO__REPORT_GROUP] = rcuinfo__ask_group(loan->object, handle, group);
    call->fields[RCUINFO__REPORT_NAME] = loan->name;

    describe_object(call, handle, &label);
    describe_component(call, handle, label.was_romio, component);
    const char *romio_hints = call->facts.is_watched ? rcuinfo__start_variable("ROMIO_HINTS") : NULL;
    call->romio_hints = romio_hints ? fopen(romio_hints, "re") : NULL;
    for (size_t n = 0; n < loan->n_hints; n++)
        record(call, &loan->hints[n]);
    record_defaults(call);
    if (call->in_use != MPI_INFO_NULL)
        (void)RCUINFO__NEXT(PMPI_Info_free)(&call->in_use);
    if (call->romio_hints)
        (void)fclose(call->romio_hints);
    rcuinfo__alloc_free(label.name);
    rcuinfo__alloc_free(label.identity);
}

/* Counts an object whose hints are not looked at. */
static void count_object(const struct rcuinfo__loan *loan)
{
    char text[RCUINFO__ASK_GROUP];
    void *handle = loan->is_change ? NULL : rcuinfo__ask_handle(loan);
    const char *group = rcuinfo__ask_group(loan->object, handle, text);
    if (!handle)
        return;
    take_lock();
    rcuinfo__labels_create(loan, group, handle, NULL);
    give_lock();
}

static void remove_flight(struct flight *flight)
{
    if (!flight->link)
        return;
    *flight->link = flight->next;
    if (flight->next)
        flight->next->link = flight->link;
    flight->link = NULL;
}

/* Adds a call to the list. Those of this thread from deeper in the stack were left by a longjmp. */
static void add_flight(struct flight *flight)
{
    for (struct flight *other = flights, *next; other; other = next) {
        next = other->next;
        if (other->thread == flight->thread && other->loan.frame <= flight->loan.frame) {
            add_unanswered(other, RCUINFO__REPORT_NO_RETURN, NULL);
            remove_flight(other);
        }
    }
    flight->next = flights;
    flight->link = &flights;
    if (flights)
        flights->link = &flight->next;
    flights = flight;
}

void rcuinfo__record_lent(struct rcuinfo__loan *loan)
{
    rcuinfo__ask_clear_handle(loan);
    loan->observed = NULL;
    if (!is_recorded(loan))
        return;
    struct flight *flight = rcuinfo__alloc(sizeof *flight);
    loan->observed = flight;
    if (!flight) {
        take_lock();
        rcuinfo__labels_lose();
        give_lock();
        return;
    }
    *flight = (struct flight){.loan = *loan, .thread = &rcuinfo__interpose_outermost};
    flight->loan.name = flight->name = loan->name ? rcuinfo__report_format("%s", loan->name) : NULL;
    if (rcuinfo__journal_is_wanted()) {
        flight->place = has_hints(loan) ? rcuinfo__place_of(loan->caller) : NULL;
        (void)rcuinfo__ask_version(); /* not with the lock held, when the journal is opened */
    }

    take_lock();
    add_flight(flight);
    if (report)
        write_flights();
    give_lock();
    if (loan->object == RCUINFO_OBJECT_FILE)
        rcuinfo__lookups_begin(&flight->lookups);
}

/* Records the hints of a call that returned an error. */
static void record_failure(struct flight *flight, int code)
{
    char note[RCUINFO__VERDICT_NOTE];
    rcuinfo__ask_error(code, note);
    if (!flight->place)
        flight->place = rcuinfo__place_of(flight->loan.caller);
    take_lock();
    add_unanswered(flight, RCUINFO__REPORT_FAILED, note);
    give_lock();
}

void rcuinfo__record_returned(struct rcuinfo__loan *loan)
{
    struct flight *flight = loan->observed;
    if (!flight)
        return;
    struct call call = {.loan = loan, .lookups = &flight->lookups, .in_use = MPI_INFO_NULL};
    if (loan->object == RCUINFO_OBJECT_FILE)
        rcuinfo__lookups_end(&flight->lookups);
    take_lock();
    remove_flight(flight);
    give_lock();
    if (loan->code != MPI_SUCCESS) {
        record_failure(flight, loan->code);
    } else if (!only_counts(loan, &call.site)) {
        look_at(&call, flight);
        done_with_site(call.site);
    } else {
        count_object(loan);
    }

    /* Only now: until its lines are in the journal, the call itself is. */
    take_lock();
    if (report)
        write_flights();
    give_lock();
    rcuinfo__lookups_free(&flight->lookups);
    rcuinfo__alloc_free(flight->name);
    rcuinfo__alloc_free(flight->place);
    rcuinfo__alloc_free(flight);
}

void rcuinfo__record_world(void)
{
    take_lock();
    rcuinfo__journal_set_size();
    give_lock();
}

struct rcuinfo__report *rcuinfo__record_take(bool may_wait)
{
    /* At exit, another thread may be writing to a slow disk; but this may also be a handler that interrupted us. */
    struct timespec until;
    if (is_holder())
        return NULL;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    if ((may_wait ? pthread_mutex_lock(&lock) : pthread_mutex_timedlock(&lock, &until)) != 0)
        return NULL;
    note_holder(&rcuinfo__interpose_outermost);

    for (const struct flight *flight = flights; flight; flight = flight->next)
        add_unanswered(flight, RCUINFO__REPORT_NO_RETURN, NULL);

    /* From now on nothing is recorded, so the report is the caller's alone. */
    struct rcuinfo__report *taken = report;
    report = NULL;
    give_lock();
    return taken;
}

/* The child of a fork records nothing: the report is the parent's. Another thread may have had the lock, but if this
 * one has, it goes on with it. */
static void after_fork(void)
{
    if (is_holder())
        return;
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    note_holder(NULL);
    report = NULL;
    flights = NULL;
}

bool rcuinfo__record_begin(bool all)
{
    records_all = all;
    (void)pthread_atfork(NULL, NULL, after_fork);
    report = rcuinfo__report_create(MOST_LINES);
    if (report)
        rcuinfo__lookups_watch(record_reader);
    return report != NULL;
}

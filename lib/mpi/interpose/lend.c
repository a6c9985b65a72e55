/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lend: which hints a call passes to the real library, and passing them. They are the pairs of the program's info and
 * those of the hint file that the process was started with (RCUINFO_HINTS), without those that the library cannot hold
 * and, with RCUINFO_HINTS_FILTERED=yes, without those that neither the standard reserves nor the library looks up.
 *
 * Invariant: on an error, a partly filled info is freed before the error is returned. The real library raises its
 * errors itself; those of the store are passed to the caller's `done`.
 *
 * Several threads may lend at the same time, also before MPI is initialized or below MPI_THREAD_MULTIPLE. No lock is
 * needed here: each real info is known to one thread only, MPICH always protects its pool of infos by a mutex of its
 * own, and on Open MPI rcuinfo__real_can_make admits only threads that may call MPI.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rcuinfo/snapshot.h>

#include "core/memory/alloc.h"
#include "core/quiet.h"
#include "env/start.h"
#include "mpi/interpose/lend.h"
#include "mpi/interpose/real.h"

struct rcuinfo__rule *rcuinfo__lend_rules;
const struct rcuinfo__lend_observer *_Atomic rcuinfo__lend_observer;

/* Written at load. */
static const char *rules_file;
static bool is_filtered;

const char *rcuinfo__lend_source(const struct rcuinfo__rule *rule, const char *end, char *text)
{
    snprintf(text, RCUINFO__LEND_SOURCE, "%s:%zu%s", rules_file, rule->line, end);
    return text;
}

/* The rules, if any of them is for a loan; NULL: none, or the real library is the caller. */
static const struct rcuinfo__rule *rules_for(const struct rcuinfo__loan *loan)
{
    const struct rcuinfo__rule *rules = rcuinfo__lend_rules;
    if (__builtin_expect(rules == NULL, 1) || !loan->function)
        return NULL;

    /* The second test is slow, so it comes last. */
    bool apply = rcuinfo__rules_next(rules, NULL, loan->object, loan->name) != NULL;
    return apply && !rcuinfo__real_has(loan->caller) ? rules : NULL;
}

/* The reason why the library does not get a pair; NULL: it may. */
static const char *unfit(const char *key, size_t key_length, size_t value_length)
{
    if (key_length >= MPI_MAX_INFO_KEY)
        return "the key is too long for the library";
    if (value_length >= MPI_MAX_INFO_VAL)
        return "the value is too long for the library";
    if (value_length == 0 && !rcuinfo__real_takes_empty())
        return "the library does not accept empty values";
    if (__builtin_expect(is_filtered, 0) && rcuinfo__keys_object_of(RCUINFO__REAL_MPIS, key) == RCUINFO__OBJECT_UNKNOWN)
        return "RCUINFO_HINTS_FILTERED";
    return NULL;
}

/* The imposed rule that replaces a pair of the program, or NULL. */
static const struct rcuinfo__rule *imposed_over(const struct rcuinfo__loan *loan, const char *key)
{
    const struct rcuinfo__rule *rule = NULL;
    while (loan->rules && (rule = rcuinfo__rules_next(loan->rules, rule, loan->object, loan->name))) {
        if (rule->imposed && strcmp(rule->key, key) == 0)
            return rule;
    }
    return NULL;
}

/* Whether the program passes a value of its own for a key. */
static bool sets_itself(const struct rcuinfo__loan *loan, const char *key)
{
    rcuinfo_pair_t pair;
    int length, is_there = 0;
    if (loan->snapshot)
        return rcuinfo_snapshot_find(loan->snapshot, key, &pair) == RCUINFO_SUCCESS &&
               !unfit(pair.key, pair.key_length, pair.value_length);
    if (loan->info != MPI_INFO_NULL) /* the library's own */
        (void)RCUINFO__NEXT(PMPI_Info_get_valuelen)(loan->info, key, &length, &is_there);
    return is_there;
}

/* Decides what is done with each hint of a loan. Returns false without memory. */
static bool find_hints(struct rcuinfo__loan *loan)
{
    const struct rcuinfo__rule *rule = NULL;
    size_t most = loan->snapshot ? rcuinfo_snapshot_count(loan->snapshot) : 0;
    while (loan->rules && (rule = rcuinfo__rules_next(loan->rules, rule, loan->object, loan->name)))
        most++;
    loan->hints = most > 0 ? rcuinfo__alloc(most * sizeof *loan->hints) : NULL;
    loan->n_hints = loan->hints ? most : 0;
    if (!loan->hints)
        return most == 0;

    struct rcuinfo__loan_hint *hint = loan->hints;
    rcuinfo_pair_t pair;
    for (size_t n = 0; loan->snapshot && rcuinfo_snapshot_nth(loan->snapshot, n, &pair) == RCUINFO_SUCCESS; n++) {
        *hint = (struct rcuinfo__loan_hint){.key = pair.key, .value = pair.value};
        hint->unfit = unfit(pair.key, pair.key_length, pair.value_length);
        hint->imposed = imposed_over(loan, pair.key);
        hint->is_passed = !hint->unfit && !hint->imposed;
        hint++;
    }
    while (loan->rules && (rule = rcuinfo__rules_next(loan->rules, rule, loan->object, loan->name))) {
        *hint = (struct rcuinfo__loan_hint){.key = rule->key, .value = rule->value, .rule = rule};
        hint->unfit = unfit(rule->key, strlen(rule->key), strlen(rule->value));
        hint->is_passed = !hint->unfit && (rule->imposed || !sets_itself(loan, rule->key));
        hint++;
    }
    return true;
}

/* Frees what a loan has for the observer. */
static void forget(struct rcuinfo__loan *loan)
{
    rcuinfo__alloc_free(loan->hints);
    rcuinfo_snapshot_close(loan->snapshot);
    loan->hints = NULL;
    loan->n_hints = 0;
    loan->snapshot = NULL;
}

/* Sets the hints that are passed. */
static int set_hints(const struct rcuinfo__loan *loan, MPI_Info real)
{
    uint64_t left_out = 0;
    int code = MPI_SUCCESS;

    for (size_t n = 0; code == MPI_SUCCESS && n < loan->n_hints; n++) {
        const struct rcuinfo__loan_hint *hint = &loan->hints[n];
        if (hint->is_passed)
            code = RCUINFO__NEXT(PMPI_Info_set)(real, hint->key, hint->value);
        left_out += hint->unfit != NULL;
    }
    if (code == MPI_SUCCESS && left_out > 0)
        rcuinfo__counters_add(RCUINFO__COUNT_LEFT_OUT, left_out);
    return code;
}

/* Creates a real info for a loan. Returns the code of the real library, and the status of the store in *status. */
static int make_real(struct rcuinfo__loan *loan, rcuinfo_status_t *status)
{
    MPI_Info made = MPI_INFO_NULL;
    bool is_copy = !loan->snapshot && loan->info != MPI_INFO_NULL; /* of an info of the library */
    int code = is_copy ? RCUINFO__NEXT(PMPI_Info_dup)(loan->info, &made) : RCUINFO__NEXT(PMPI_Info_create)(&made);
    if (code != MPI_SUCCESS || made == MPI_INFO_NULL) /* see FORWARD_GIVEN */
        return code != MPI_SUCCESS ? code : MPI_ERR_NO_MEM;

    *status = find_hints(loan) ? RCUINFO_SUCCESS : RCUINFO_ERR_NO_MEM;
    code = *status == RCUINFO_SUCCESS ? set_hints(loan, made) : MPI_SUCCESS;
    if (*status == RCUINFO_SUCCESS && code == MPI_SUCCESS) {
        rcuinfo__counters_add(RCUINFO__COUNT_CONVERSIONS, 1);
        loan->real = made;
    } else {
        (void)RCUINFO__NEXT(PMPI_Info_free)(&made);
    }
    return code;
}

/* rcuinfo__lend without the observer. */
static int lend(struct rcuinfo__loan *loan, rcuinfo__interpose_done_t done)
{
    MPI_Info info = loan->info;
    bool is_ours = info != MPI_INFO_NULL && !rcuinfo__real_may_be(info);
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    int code = MPI_SUCCESS;
    loan->real = info;
    loan->rules = rules_for(loan);
    if (!is_ours && (!loan->rules || !rcuinfo__real_can_make()))
        return MPI_SUCCESS;

    if (is_ours)
        status = rcuinfo__snapshot_open(rcuinfo__mpi_decode(info), &loan->snapshot, RCUINFO__MPI_FLAVOUR);
    if (status != RCUINFO_SUCCESS)
        return done(rcuinfo__mpi_reading(info, status), loan->function);

    if (rcuinfo__real_can_make()) {
        code = make_real(loan, &status);
    } else { /* PMPI_Info_create would abort, and name a function that the program did not call */
        loan->real = MPI_INFO_NULL;
        (void)find_hints(loan); /* for the observer, which reads them after the call */
    }
    if (code != MPI_SUCCESS || status != RCUINFO_SUCCESS || !rcuinfo__lend_observed())
        forget(loan);
    return status == RCUINFO_SUCCESS ? code : done(status, loan->function);
}

int rcuinfo__lend(struct rcuinfo__loan *loan, rcuinfo__interpose_done_t done)
{
    int code = lend(loan, done);
    if (code == MPI_SUCCESS)
        RCUINFO__LEND_TELL(lent(loan));
    return code;
}

/* Sets in the program's info what the library has set in the real one for it. The only such key is that of
 * MPI_Comm_split_type with MPI_COMM_TYPE_HW_UNGUIDED (MPI-4.0, 7.4.2). Without memory it is left out. */
static void copy_back(const struct rcuinfo__loan *loan)
{
    static const char key[] = "mpi_hw_resource_type";
    char value[MPI_MAX_INFO_VAL + 1] = "", old[RCUINFO_MAX_VALUE + 1] = "";
    int found = 0, length = sizeof old;
    rcuinfo_t info = rcuinfo__mpi_decode(loan->info);
    const struct rcuinfo__rule *rule = NULL;

    while (loan->rules && (rule = rcuinfo__rules_next(loan->rules, rule, loan->object, loan->name))) {
        if (strcmp(rule->key, key) == 0)
            return; /* the program's info does not show what rules add */
    }
    bool is_live = rcuinfo__get_string(info, key, &length, old, &found, RCUINFO__MPI_FLAVOUR) == RCUINFO_SUCCESS;
    if (is_live && RCUINFO__NEXT(PMPI_Info_get)(loan->real, key, MPI_MAX_INFO_VAL, value, &found) == MPI_SUCCESS &&
        found && strcmp(value, old) != 0 && rcuinfo__set(info, key, value, RCUINFO__MPI_FLAVOUR) != RCUINFO_SUCCESS)
        rcuinfo__counters_add(RCUINFO__COUNT_LEFT_OUT, 1);
}

void rcuinfo__lend_end(struct rcuinfo__loan *loan)
{
    if (loan->code == MPI_SUCCESS && loan->object == RCUINFO_OBJECT_SESSION) {
        rcuinfo__real_prepare(); /* before the last real info is freed */
        rcuinfo__real_note_session();
    }
    if (__builtin_expect(loan->is_inout, 0) && loan->code == MPI_SUCCESS && loan->real != loan->info &&
        loan->info != MPI_INFO_NULL && loan->real != MPI_INFO_NULL)
        copy_back(loan);
    RCUINFO__LEND_TELL(returned(loan));
    if (loan->real != loan->info && loan->real != MPI_INFO_NULL)
        (void)RCUINFO__NEXT(PMPI_Info_free)(&loan->real);
    forget(loan);
}

/* `rcuinfo run --hints` checks the file before it starts the program; errors here are of a variable that was set by
 * other means. */
static void load_rules(void)
{
    rcuinfo_fault_t fault;
    bool is_inline;
    FILE *file = rcuinfo__rules_open(rules_file, &is_inline);
    if (is_inline)
        rules_file = "RCUINFO_HINTS";
    rcuinfo_status_t status = file ? rcuinfo__rules_load(file, &rcuinfo__lend_rules, &fault) : RCUINFO_ERR_IO;

    if (status == RCUINFO_ERR_FORMAT)
        rcuinfo__quiet_say("rcuinfo: %s:%zu:%zu: %s; this file is ignored\n", rules_file, fault.line, fault.offset + 1,
                           fault.what);
    else if (status != RCUINFO_SUCCESS)
        rcuinfo__quiet_say("rcuinfo: %s: %s; this file is ignored\n", rules_file,
                           /* NOLINTNEXTLINE(concurrency-mt-unsafe): glibc has a text for each thread */
                           status == RCUINFO_ERR_IO ? strerror(errno) : rcuinfo_status_string(status));
    if (file)
        (void)fclose(file);

    /* Their lines are ours: count the pairs. */
    size_t n = 0;
    for (struct rcuinfo__rule *rule = rcuinfo__lend_rules; rule && is_inline; rule = rule->next)
        rule->line = ++n;
}

__attribute__((constructor)) static void read_settings(void)
{
    int left_errno = errno;
    const char *filtered = rcuinfo__start_variable("RCUINFO_HINTS_FILTERED");
    is_filtered = filtered && strcmp(filtered, "yes") == 0;
    rules_file = rcuinfo__start_variable("RCUINFO_HINTS");
    if (rules_file && *rules_file)
        load_rules();
    errno = left_errno;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * convert: converts infos of the store to real ones, and real ones to infos of the store.
 *
 * Invariant: on an error, a partly filled info is freed before the error is returned. The real library raises its
 * errors itself; those of the store are passed to the caller's `done`.
 *
 * Several threads may convert at the same time, also before MPI is initialized or below MPI_THREAD_MULTIPLE. No lock is
 * needed here: each real info is known to one thread only, MPICH always protects its pool of infos by a mutex of its
 * own, and on Open MPI rcuinfo__interpose_can_make admits only threads that may call MPI.
 */
#include <string.h>

#include <rcuinfo/snapshot.h>
#include <rcuinfo/update.h>

#include "mpi/interpose/interpose.h"

const char *rcuinfo__interpose_left_out(const char *key, size_t key_length, size_t value_length)
{
    if (key_length >= MPI_MAX_INFO_KEY)
        return "the key is too long for the library";
    if (value_length >= MPI_MAX_INFO_VAL)
        return "the value is too long for the library";
    if (value_length == 0 && !rcuinfo__interpose_takes_empty())
        return "the library does not accept empty values";
    return rcuinfo__interpose_passes(key) ? NULL : "RCUINFO_HINTS_FILTERED";
}

/* Copies the pairs of a snapshot to a real info. */
static int fill_real(const rcuinfo_snapshot_t *snapshot, MPI_Info real)
{
    uint64_t left_out = 0;
    rcuinfo_pair_t pair;

    for (size_t n = 0; rcuinfo_snapshot_nth(snapshot, n, &pair) == RCUINFO_SUCCESS; n++) {
        if (rcuinfo__interpose_left_out(pair.key, pair.key_length, pair.value_length)) {
            left_out++;
            continue;
        }

        /* On an error the caller frees the info. */
        int code = RCUINFO__PMPI(Info_set)(real, pair.key, pair.value);
        if (code != MPI_SUCCESS)
            return code;
    }

    if (left_out > 0)
        rcuinfo__store_add(RCUINFO__COUNT_LEFT_OUT, left_out);
    return MPI_SUCCESS;
}

/* Adds the pairs of the rules for a loan. Only an imposed rule replaces a pair of the program. */
static int add_rules(const struct rcuinfo__interpose_loan *loan, const struct rcuinfo__rules *rules, MPI_Info real)
{
    const struct rcuinfo__rule *rule = NULL;
    uint64_t left_out = 0;
    int code = MPI_SUCCESS;

    while (code == MPI_SUCCESS && (rule = rcuinfo__rules_next(rules, rule, loan->object, loan->name))) {
        int length;
        int is_there = 0;

        if (rcuinfo__interpose_left_out(rule->key, strlen(rule->key), strlen(rule->value))) {
            left_out++;
            continue;
        }

        /* Otherwise is_there stays 0, so that the pair is overridden. */
        if (!rule->imposed)
            code = RCUINFO__PMPI(Info_get_valuelen)(real, rule->key, &length, &is_there);
        if (code == MPI_SUCCESS && !is_there)
            code = RCUINFO__PMPI(Info_set)(real, rule->key, rule->value);
    }

    if (left_out > 0)
        rcuinfo__store_add(RCUINFO__COUNT_LEFT_OUT, left_out);
    return code;
}

/* Creates a real info for a loan. snapshot: of an info of ours; NULL if the loan's info is real, or MPI_INFO_NULL. */
static int make_real(struct rcuinfo__interpose_loan *loan, const rcuinfo_snapshot_t *snapshot,
                     const struct rcuinfo__rules *rules)
{
    MPI_Info made = MPI_INFO_NULL;
    bool is_copy = !snapshot && loan->info != MPI_INFO_NULL;
    int code = is_copy ? RCUINFO__PMPI(Info_dup)(loan->info, &made) : RCUINFO__PMPI(Info_create)(&made);
    if (code != MPI_SUCCESS || made == MPI_INFO_NULL) /* see FORWARD_GIVEN */
        return code != MPI_SUCCESS ? code : MPI_ERR_NO_MEM;

    if (snapshot)
        code = fill_real(snapshot, made);
    if (code == MPI_SUCCESS && rules)
        code = add_rules(loan, rules, made);

    if (code == MPI_SUCCESS) {
        rcuinfo__store_add(RCUINFO__COUNT_CONVERSIONS, 1);
        loan->real = made;
    } else {
        (void)RCUINFO__PMPI(Info_free)(&made);
    }
    return code;
}

/* rcuinfo__interpose_lend without the observer. */
static int lend(struct rcuinfo__interpose_loan *loan, rcuinfo__interpose_done_t done)
{
    MPI_Info info = loan->info;
    const struct rcuinfo__rules *rules = rcuinfo__interpose_rules(loan);

    loan->real = info;

    /* Not an info of ours. */
    if (info == MPI_INFO_NULL || rcuinfo__interpose_may_be_real(info))
        return rules && rcuinfo__interpose_can_make() ? make_real(loan, NULL, rules) : MPI_SUCCESS;

    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_status_t status = rcuinfo__snapshot_open(rcuinfo__mpi_decode(info), &snapshot, RCUINFO__MPI_LIMITS);
    if (status != RCUINFO_SUCCESS)
        return done(rcuinfo__mpi_reading(info, status));

    int code = MPI_SUCCESS;
    if (rcuinfo__interpose_can_make())
        code = make_real(loan, snapshot, rules);
    else /* PMPI_Info_create would abort, and name a function that the program did not call; let the next one do so */
        loan->real = MPI_INFO_NULL;

    /* The observer reads the hints after the call. */
    if (code == MPI_SUCCESS && rcuinfo__interpose_observed())
        loan->snapshot = snapshot;
    else
        rcuinfo_snapshot_close(snapshot);
    return code;
}

const struct rcuinfo__interpose_observer *_Atomic rcuinfo__interpose_observer;

int rcuinfo__interpose_lend(struct rcuinfo__interpose_loan *loan, rcuinfo__interpose_done_t done)
{
    int code = lend(loan, done);
    if (code == MPI_SUCCESS && rcuinfo__interpose_observed())
        rcuinfo__interpose_observed()->lent(loan);
    return code;
}

void rcuinfo__interpose_take_back(struct rcuinfo__interpose_loan *loan, int code)
{
    if (rcuinfo__interpose_observed())
        rcuinfo__interpose_observed()->returned(loan, code == MPI_SUCCESS);

    if (loan->real != loan->info && loan->real != MPI_INFO_NULL)
        (void)RCUINFO__PMPI(Info_free)(&loan->real);
    if (loan->snapshot)
        rcuinfo_snapshot_close(loan->snapshot);
}

#define MOST_ENV 24 /* pairs of the real MPI_INFO_ENV that are read; Open MPI has up to thirteen */

/* A pair of a real info. The last byte of each is a NUL that the real library does not overwrite. */
struct pair {
    char key[MPI_MAX_INFO_KEY + 1];
    char value[MPI_MAX_INFO_VAL + 1];
};

/* Reads pair n. *usable is false if the store cannot hold it. */
static int read_pair(MPI_Info real, int n, struct pair *pair, bool *usable)
{
    int found = 0;
    pair->key[0] = pair->key[MPI_MAX_INFO_KEY] = '\0';
    pair->value[MPI_MAX_INFO_VAL] = '\0';

    int code = RCUINFO__PMPI(Info_get_nthkey)(real, n, pair->key);
    if (code == MPI_SUCCESS)
        code = RCUINFO__PMPI(Info_get)(real, pair->key, MPI_MAX_INFO_VAL, pair->value, &found);

    /* Do not trust the real library to terminate the strings. */
    size_t key_length = strnlen(pair->key, MPI_MAX_INFO_KEY);
    int length = found ? (int)strnlen(pair->value, MPI_MAX_INFO_VAL) : 0;
    if (code == MPI_SUCCESS && length >= MPI_MAX_INFO_VAL - 1) /* it may have been cut */
        code = RCUINFO__PMPI(Info_get_valuelen)(real, pair->key, &length, &found);

    *usable = found && key_length > 0 && key_length < MPI_MAX_INFO_KEY && length < MPI_MAX_INFO_VAL;
    return code;
}

/* Copies all pairs. Returns the code of the real library, and the status of the store in *status. */
static int copy_real(MPI_Info real, struct rcuinfo__build *build, rcuinfo_status_t *status)
{
    struct pair pair;
    uint64_t left_out = 0;
    int nkeys = 0;
    int code = RCUINFO__PMPI(Info_get_nkeys)(real, &nkeys);
    *status = RCUINFO_SUCCESS;
    rcuinfo__build_begin(build, nkeys > 0 ? (size_t)nkeys : 0, 0);

    for (int n = 0; n < nkeys && code == MPI_SUCCESS && *status == RCUINFO_SUCCESS; n++) {
        bool usable;
        code = read_pair(real, n, &pair, &usable);
        if (code == MPI_SUCCESS && usable)
            *status = rcuinfo__build_set(build, pair.key, pair.value, RCUINFO__MPI_LIMITS);
        left_out += code == MPI_SUCCESS && !usable;
    }

    if (code == MPI_SUCCESS && *status == RCUINFO_SUCCESS && left_out > 0)
        rcuinfo__store_add(RCUINFO__COUNT_LEFT_OUT, left_out);
    return code;
}

int rcuinfo__interpose_adopt(MPI_Info real, MPI_Info *info, rcuinfo__interpose_done_t done)
{
    struct rcuinfo__build build;
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    rcuinfo_t made;
    int code = MPI_SUCCESS;

    /* MPI_INFO_NULL becomes an empty info. */
    if (real == MPI_INFO_NULL) {
        rcuinfo__build_begin(&build, 0, 0);
    } else {
        code = copy_real(real, &build, &status);
        (void)RCUINFO__PMPI(Info_free)(&real);
    }

    if (code == MPI_SUCCESS && status == RCUINFO_SUCCESS)
        status = rcuinfo__build_object(&build, &made);
    else
        rcuinfo__build_drop(&build);

    /* An error of the real library has been raised already, one of the store has not. */
    if (code == MPI_SUCCESS)
        code = done(status);
    if (code == MPI_SUCCESS && status == RCUINFO_SUCCESS) {
        rcuinfo__store_add(RCUINFO__COUNT_CONVERSIONS, 1);
        *info = rcuinfo__mpi_encode(made);
    }
    return code;
}

void rcuinfo__interpose_real_env(void)
{
    struct pair pairs[MOST_ENV];
    rcuinfo_change_t changes[MOST_ENV];
    size_t count = 0;
    int nkeys = 0;

    int code = RCUINFO__PMPI(Info_get_nkeys)(MPI_INFO_ENV, &nkeys);
    for (int n = 0; n < nkeys && count < MOST_ENV && code == MPI_SUCCESS; n++) {
        bool usable;
        code = read_pair(MPI_INFO_ENV, n, &pairs[count], &usable);
        changes[count] = (rcuinfo_change_t){pairs[count].key, pairs[count].value};

        /* A pair that the store cannot hold is left out. */
        count += code == MPI_SUCCESS && usable;
    }

    rcuinfo__env_add(RCUINFO__MPI_ENV, RCUINFO__MPI_LIMITS, changes, count);
}

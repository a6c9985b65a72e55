/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict: see verdict.h. */
#include "report/verdict.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The rows that decide. */
struct rows {
    const rcuinfo_hint_t *standard;
    const struct rcuinfo__key *read; /* of the library, and that this version and component of it reads */
    const struct rcuinfo__key *any;  /* of the library, whichever version and component */
};

static const char separators[] = ", \t"; /* of the words of a list */

/* Whether an element of a list is in another one. */
static bool has_word(const char *list, const char *word, size_t length)
{
    for (size_t size; *(list += strspn(list, separators)); list += size) {
        size = strcspn(list, separators);
        if (size == length && strncasecmp(list, word, length) == 0)
            return true;
    }
    return false;
}

static bool has_words(const char *list, const char *words)
{
    for (size_t size; *(words += strspn(words, separators)); words += size) {
        size = strcspn(words, separators);
        if (!has_word(list, words, size))
            return false;
    }
    return true;
}

/* Whether two lists are of the same words in the same order, as the sizes of dimensions. */
static bool same_words(const char *a, const char *b)
{
    for (size_t size;; a += size, b += size) {
        a += strspn(a, separators);
        b += strspn(b, separators);
        size = strcspn(a, separators);
        if (size != strcspn(b, separators) || strncasecmp(a, b, size) != 0)
            return false;
        if (size == 0)
            return true;
    }
}

/* The word of a boolean that a library gives back as a number. */
static const char *word_of(const rcuinfo_hint_t *row, const char *value)
{
    bool is_number = row && row->type == RCUINFO_TYPE_BOOL && (*value == '0' || *value == '1') && !value[1];
    return !is_number ? value : *value == '1' ? "true" : "false";
}

bool rcuinfo__verdict_same(const rcuinfo_hint_t *row, const char *a, const char *b)
{
    int64_t of_a = -1, of_b = -2; /* different, in case the type has no number */
    if (row && (row->flags & RCUINFO_FLAG_LIST))
        return row->type == RCUINFO_TYPE_INT ? same_words(a, b) : has_words(a, b) && has_words(b, a);
    bool are_numbers = row && row->type != RCUINFO_TYPE_STRING &&
                       rcuinfo_hint_check(row, a, &of_a, NULL) == RCUINFO_SUCCESS &&
                       rcuinfo_hint_check(row, b, &of_b, NULL) == RCUINFO_SUCCESS;
    return (are_numbers && of_a == of_b) || strcasecmp(a, b) == 0;
}

/* Adds the words that are allowed to a note. */
static void list_words(const rcuinfo_hint_t *row, char note[RCUINFO__VERDICT_NOTE])
{
    size_t length = strlen(note);
    for (const char *word = row->type == RCUINFO_TYPE_CHOICE ? row->allowed : ""; *word; word += *word == ',') {
        size_t size = strcspn(word, ",");
        int wrote = snprintf(note + length, RCUINFO__VERDICT_NOTE - length, "%s%.*s",
                             word == row->allowed ? ": " : ", ", (int)size, word);
        length += wrote > 0 && length + (size_t)wrote < RCUINFO__VERDICT_NOTE ? (size_t)wrote : 0;
        word += size;
    }
}

/* Finds a fault of the value. By the standard it is one whatever the library makes of it. */
static bool is_bad(const struct rcuinfo__facts *facts, const struct rows *rows, struct rcuinfo__judgement *judgement)
{
    bool is_read = rows->read && (facts->was_looked_up || !facts->is_watched);
    rcuinfo_fault_t fault;
    bool by_standard =
        rows->standard && rcuinfo_hint_check(rows->standard, facts->given, NULL, &fault) == RCUINFO_ERR_TYPE;
    /* What the library was seen to set is more than the table knows: ROMIO takes words in capitals, too. */
    bool is_word = rows->read && rows->read->hint.type != RCUINFO_TYPE_INT;
    bool is_set = is_word && facts->set && strcmp(facts->set, facts->given) == 0;
    if (!by_standard && (is_set || facts->is_answer))
        return false;
    if (!by_standard &&
        (!is_read || rcuinfo_hint_check(&rows->read->hint, facts->given, NULL, &fault) != RCUINFO_ERR_TYPE))
        return false;

    /* A number is read as far as it goes. What is made of one that no int can hold is not known. */
    const char *what = fault.what;
    long long number = strtoll(facts->given, NULL, 10); /* long may be an int */
    if (is_read && rows->read->is_atoi && number >= INT_MIN && number <= INT_MAX)
        snprintf(judgement->note, sizeof judgement->note, "%s; %s reads it as %lld", what,
                 *rows->read->component ? rows->read->component : "the library", number);
    else
        snprintf(judgement->note, sizeof judgement->note, "%s", what);
    list_words(by_standard ? rows->standard : &rows->read->hint, judgement->note);

    judgement->verdict = RCUINFO__REPORT_BAD_VALUE;
    judgement->evidence = by_standard ? "standard" : "table";
    return true;
}

/* Notes what an unknown key may be: a key of another kind of object, or a misspelled one. */
static void note_guess(const struct rcuinfo__facts *facts, char note[RCUINFO__VERDICT_NOTE])
{
    rcuinfo_hint_object_t object = rcuinfo__keys_object_of(facts->mpi.id, facts->key);
    if (object != RCUINFO__OBJECT_UNKNOWN) {
        snprintf(note, RCUINFO__VERDICT_NOTE, "a key of %s", rcuinfo_hint_object_name(object));
        return;
    }

    const char *meant = rcuinfo__keys_nearest(facts->object, facts->mpi.id | RCUINFO__PNETCDF, facts->key);
    if (rcuinfo__keys_find(RCUINFO__PNETCDF, facts->object, facts->key))
        snprintf(note, RCUINFO__VERDICT_NOTE, "a key of PnetCDF");
    else if (meant)
        snprintf(note, RCUINFO__VERDICT_NOTE, "did you mean '%s'?", meant);
}

/* Whether the library has a value of its own for the key. */
static bool is_answered(const struct rcuinfo__facts *facts, const struct rows *rows)
{
    return facts->returned && !rcuinfo__keys_echoes(&facts->mpi, facts->object, rows->any != NULL);
}

/* What is known about whether the library used a hint. */
enum used { NOT_USED, NOT_KNOWN, USED };

static enum used was_used(const struct rcuinfo__facts *facts, const struct rows *rows,
                          struct rcuinfo__judgement *judgement)
{
    /* What was seen says more than the table, except that it does not tell what is only stored. */
    bool is_seen = facts->is_watched || facts->was_looked_up || facts->set;
    bool by_table = rows->read && !(rows->read->is_creation && facts->is_change);
    bool is_read = is_seen ? facts->was_looked_up || facts->set : by_table;

    judgement->evidence = is_seen ? "look-up" : "table";
    if (!is_seen && !rows->standard && !rows->any && is_answered(facts, rows)) {
        judgement->evidence = "get_info";
        return NOT_KNOWN;
    }
    if (is_read && rows->read && rows->read->is_idle) {
        judgement->evidence = "table";
        return NOT_USED;
    }
    if (is_read)
        return USED;

    const struct rcuinfo__key *may_read =
        rcuinfo__keys_may_read(&facts->mpi, facts->component, facts->object, facts->key);
    if (!is_seen && !rows->read && may_read) {
        snprintf(judgement->note, sizeof judgement->note, "%s reads it", may_read->component);
        return NOT_KNOWN;
    }
    return is_seen || rcuinfo__keys_covers(&facts->mpi) ? NOT_USED : NOT_KNOWN;
}

/* Notes why a hint is of no use. */
static void note_not_used(const struct rcuinfo__facts *facts, char note[RCUINFO__VERDICT_NOTE])
{
    bool is_striping = strncmp(facts->key, "striping_", sizeof "striping_" - 1) == 0;

    if (is_striping && facts->system)
        snprintf(note, RCUINFO__VERDICT_NOTE, "no effect on %s", facts->system);
    else if (facts->returned && !facts->is_change)
        snprintf(note, RCUINFO__VERDICT_NOTE, "only stored");
}

/* Judges a hint that was passed on, is known, and has a valid value. */
static void judge(const struct rcuinfo__facts *facts, const struct rows *rows, struct rcuinfo__judgement *judgement)
{
    const rcuinfo_hint_t *row = rows->standard ? rows->standard : rows->any ? &rows->any->hint : NULL;
    const char *in_use = judgement->in_use;
    enum used used = was_used(facts, rows, judgement);

    /* An answer is the library's own value if the table says so, or if it differs from what was just given. */
    bool is_same = in_use && rcuinfo__verdict_same(row, facts->given, word_of(row, in_use));
    bool is_own = facts->set || (rows->read && rows->read->is_own && is_answered(facts, rows));
    bool is_changed = in_use && !is_same && (is_own || used == USED || !facts->is_change);

    if (row && (row->flags & RCUINFO_FLAG_GET_ONLY)) {
        judgement->verdict = RCUINFO__REPORT_NOT_USED;
        judgement->evidence = row == rows->standard ? "standard" : "table";
        snprintf(judgement->note, sizeof judgement->note, "only the library sets it");
    } else if (is_changed) {
        judgement->verdict = RCUINFO__REPORT_CHANGED;
        judgement->evidence = facts->set ? "set" : "get_info";
    } else if (used == NOT_USED) {
        judgement->verdict = RCUINFO__REPORT_NOT_USED;
        note_not_used(facts, judgement->note);
    } else if (used == NOT_KNOWN) {
        judgement->verdict = RCUINFO__REPORT_NOT_KNOWN;
    } else if (is_same && is_own) {
        judgement->verdict = RCUINFO__REPORT_IN_EFFECT;
        judgement->evidence = facts->set ? "set" : "get_info";
    } else {
        judgement->verdict = RCUINFO__REPORT_READ;
    }

    if (used == USED && rows->read && rows->read->note)
        snprintf(judgement->note, sizeof judgement->note, "%s", rows->read->note);
}

void rcuinfo__verdict(const struct rcuinfo__facts *facts, struct rcuinfo__judgement *judgement)
{
    const struct rows rows = {
        .standard = rcuinfo__keys_row_taken(facts->object, facts->key),
        .read = rcuinfo__keys_read(&facts->mpi, facts->component, facts->object, facts->key),
        .any = rcuinfo__keys_find(facts->mpi.id, facts->object, facts->key),
    };
    *judgement = (struct rcuinfo__judgement){
        .evidence = "standard",
        .in_use = facts->set ? facts->set : facts->returned,
        .section = rows.standard ? rows.standard->section : NULL,
    };

    if (facts->left) {
        snprintf(judgement->note, sizeof judgement->note, "%s", facts->left);
        judgement->verdict = RCUINFO__REPORT_LEFT;
        judgement->evidence = NULL;
        judgement->in_use = NULL; /* it has another source */
        return;
    }
    if (is_bad(facts, &rows, judgement))
        return;

    bool is_known = rows.standard || rows.any || facts->was_looked_up || facts->set || facts->is_answer ||
                    is_answered(facts, &rows);
    bool is_covered = facts->is_watched || rcuinfo__keys_covers(&facts->mpi); /* else it may have keys of its own */
    if (!is_known && facts->object != RCUINFO__OBJECT_UNKNOWN)
        note_guess(facts, judgement->note);
    if (!is_known && is_covered && facts->object != RCUINFO__OBJECT_UNKNOWN) {
        judgement->verdict = RCUINFO__REPORT_UNKNOWN;
        judgement->evidence = "table";
        return;
    }

    judge(facts, &rows, judgement);
}

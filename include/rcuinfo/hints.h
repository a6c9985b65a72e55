/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hints.h
 * Hints: what a schema declares, and the hints in use of one window, communicator, file or session.
 *
 * Three things, each made of the one before:
 *  - A hint is declared by a row: key, type, allowed values, default. rcuinfo_hint_standard has the rows of the MPI
 *    standard, and anybody may write more.
 *  - A schema is rows, found by key. A key that has a row is recognized.
 *  - A hint set is what stands behind a window, communicator, file or session: the hints in use, with their parsed
 *    values. It is made of a schema and an info. rcuinfo_hints_set merges another info into it, as MPI_Win_set_info
 *    does, rcuinfo_hints_get gives a new info of what is in use, as MPI_Win_get_info does, and rcuinfo_hints_read gives
 *    one parsed value in a few nanoseconds.
 *
 * A hint that is not recognized, whose value is not of its type, that the implementation does not accept, or that
 * cannot be changed (any more) by a user, is ignored: what was in use stays. That is no error.
 *
 * Every call on a hint set takes effect at one instant between its start and its return. Handles here are addresses,
 * for the implementation that owns the set: nobody uses a set or a schema while or after it is freed.
 * Source: MPI-4.1, section 12.2.7 (Window Info) and its likes for communicators (7.4.4), sessions and files (14.2.8).
 */
#ifndef RCUINFO_HINTS_H
#define RCUINFO_HINTS_H

#include <stddef.h>
#include <stdint.h>
#include <rcuinfo/info.h>
#include <rcuinfo/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a value of a hint, or each element of a list, has to be. */
typedef enum rcuinfo_hint_type {
    RCUINFO_HINT_STRING, /**< anything */
    RCUINFO_HINT_BOOL,   /**< `true`, `false` */
    RCUINFO_HINT_INT,    /**< an integer in a range */
    RCUINFO_HINT_CHOICE, /**< one of some words */
    RCUINFO_HINT_RANGE,  /**< integers a, a:b (a to b in steps of 1) or a:b:c (in steps of c, not 0, that lead from a
                              to b), as of `soft`; no blank inside */
    RCUINFO_HINT_KIND    /**< a kind of memory and restrictors, kind[:restrictor[:...]], none of them empty; no blank
                              inside */
} rcuinfo_hint_type_t;

/** More about a hint: a sum of these. */
enum {
    RCUINFO_HINT_LIST = 1,     /**< a list (value.h) of values of the type; a STRING's elements may be anything too */
    RCUINFO_HINT_SAME = 2,     /**< has to be the same on all processes: rcuinfo_mpi_agree_schema looks at it */
    RCUINFO_HINT_ANY_CASE = 4, /**< of a CHOICE: upper and lower case (of ASCII) are one */
    RCUINFO_HINT_FIXED = 8,    /**< a user may give it when the set is created, and not change it later */
    RCUINFO_HINT_GET_ONLY = 16 /**< only the implementation sets it */
};

/** The declaration of one hint. Strings are NUL-terminated; members that are left out, zero, mean what stands there. */
typedef struct rcuinfo_hint {
    const char *key;          /**< 1 to RCUINFO_MAX_KEY - 1 bytes */
    rcuinfo_hint_type_t type; /**< of a value, or of each element of a list */
    unsigned flags;           /**< RCUINFO_HINT_LIST and its fellows, summed */
    const char *allowed;      /**< of a CHOICE: 1 to 63 words with a comma between them */
    const char *alone; /**< of a list of a CHOICE: the word, none of `allowed`, that stands for no elements, as a value
                            of blanks or nothing does in every list; NULL: there is none */
    int64_t least;     /**< of an INT: the lower end of its range, included; both ends 0: any int64_t */
    int64_t most;      /**< of an INT: the upper end of its range, included */
    const char *initial; /**< its default; NULL: it has none */
    const char *since;   /**< version of the standard that brought it, like "4.0"; NULL: not the standard's */
    const char *section; /**< where it is described, like "MPI-4.1, 12.2.1"; NULL: nowhere */
} rcuinfo_hint_t;

/** What hints are given to. */
typedef enum rcuinfo_hint_object {
    RCUINFO_HINT_WINDOW,
    RCUINFO_HINT_COMMUNICATOR,
    RCUINFO_HINT_FILE,
    RCUINFO_HINT_SESSION,
    RCUINFO_HINT_SPAWN,
    RCUINFO_HINT_PORT,
    RCUINFO_HINT_ALLOC_MEM,
    RCUINFO_HINT_SPLIT_TYPE,
    RCUINFO_HINT_INIT,        /**< the info of MPI_INIT's command line, and of MPI_SESSION_INIT beside SESSION */
    RCUINFO_HINT_PROCESS_SET, /**< what MPI_SESSION_GET_PSET_INFO gives */
    RCUINFO_HINT_ENV,         /**< MPI_INFO_ENV */
    RCUINFO_HINT_OBJECTS      /**< how many there are */
} rcuinfo_hint_object_t;

/**
 * The keys that the standard reserves for an object, in static storage.
 * @param object whose
 * @param[out] n how many there are
 * @return the first of n rows; NULL, and n untouched, when n is NULL or there is no such object
 * Threads: pure.
 */
RCUINFO_API const rcuinfo_hint_t *rcuinfo_hint_standard(rcuinfo_hint_object_t object, size_t *n);

/** The name of an object in lower case, as "window" or "split_type"; NULL when there is none. Threads: pure. */
RCUINFO_API const char *rcuinfo_hint_object_name(rcuinfo_hint_object_t object);

/**
 * Checks a value against a row, and parses it.
 * @param hint a row that is in a schema, or one of rcuinfo_hint_standard
 * @param value NUL-terminated
 * @param[out] number may be NULL; of a BOOL 1 or 0, of an INT the number, of a CHOICE the place of the word in
 * `allowed`, from 0 on, of a list of a CHOICE the sum of 2^place of its words. Untouched for all else
 * @param[out] fault may be NULL; written on ERR_TYPE
 * @return SUCCESS; ERR_ARG: hint is NULL; ERR_VALUE: value is NULL or too long; ERR_TYPE
 * Threads: pure.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hint_check(const rcuinfo_hint_t *hint, const char *value, int64_t *number,
                                                    rcuinfo_fault_t *fault);

/** Rows, found by key. Immutable. */
typedef struct rcuinfo_schema rcuinfo_schema_t;

/**
 * Makes a schema of rows: those of another schema first, then these. A row whose key is there already takes that one's
 * place.
 * @param base NULL, or a schema, which is not needed any longer afterwards
 * @param rows n of them, copied; their strings are not, and have to stay as long as the schema. May be NULL when n is 0
 * @param n how many there are
 * @param[out] schema to be freed by rcuinfo_schema_free
 * @param[out] failed may be NULL; on ERR_KEY, ERR_VALUE and ERR_TYPE the index of the first row that cannot be
 * @return SUCCESS; ERR_ARG: rows is NULL with n > 0, schema is NULL; ERR_KEY: a key is NULL, empty or too long;
 *         ERR_TYPE: a type, its flags or its range is none, a CHOICE has no words, or more than 63, or one that is
 *         empty or has a blank at an end, or `alone` is no such word or has no list of a CHOICE; ERR_VALUE: a default
 *         is too long or not of its type; ERR_NO_MEM. schema is NULL on any of these but ERR_ARG
 * Threads: any; takes no lock of ours.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_schema_create(const rcuinfo_schema_t *base, const rcuinfo_hint_t *rows,
                                                       size_t n, rcuinfo_schema_t **schema, size_t *failed);

/** Frees a schema that no hint set has any more, and sets the pointer to NULL. NULL is ignored. */
RCUINFO_API void rcuinfo_schema_free(rcuinfo_schema_t **schema);

/** How many rows it has; 0 for NULL. Threads: wait-free. */
RCUINFO_API size_t rcuinfo_schema_count(const rcuinfo_schema_t *schema);

/** Row number `row`, 0 to count - 1; NULL when there is none. Threads: wait-free. */
RCUINFO_API const rcuinfo_hint_t *rcuinfo_schema_row(const rcuinfo_schema_t *schema, size_t row);

/**
 * Finds the row of a key.
 * @param schema looked into
 * @param key looked for
 * @param[out] row its number, which never changes
 * @return SUCCESS; ERR_KEY; ERR_ARG: a pointer is NULL; ERR_NOKEY: not recognized
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_schema_find(const rcuinfo_schema_t *schema, const char *key, size_t *row);

/**
 * Views of one version of an info: the pairs whose keys are recognized, and the rest, each in the info's order. Values
 * are not looked at.
 * @param schema says what is recognized
 * @param info any object
 * @param[out] recognized a new object; may be NULL when that one is not wanted
 * @param[out] rest the same
 * @return SUCCESS; ERR_ARG: schema is NULL, or both outputs are; ERR_INFO; ERR_NO_MEM. On the last two what was wanted
 *         is RCUINFO_NULL
 * Threads: as rcuinfo_create and rcuinfo_set; takes a time proportional to the number of pairs. Linearizes at its one
 * load of the version.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_schema_split(const rcuinfo_schema_t *schema, rcuinfo_t info,
                                                      rcuinfo_t *recognized, rcuinfo_t *rest);

/** The hints in use of one window, communicator, file or session. */
typedef struct rcuinfo_hints rcuinfo_hints_t;

/**
 * An implementation's word on one hint that a user gives: recognized, of its type, and about to change what is in use.
 * Called in the order of the info, by the thread that creates or sets, while no other can change this set: so it may
 * put the change into effect, but not call set, impose or free on this set, which would wait for itself. It returns,
 * by no other way; its thread cannot be cancelled meanwhile. Reading and rcuinfo_hints_get show what was in use before.
 * When the call then fails with ERR_NO_MEM, none of what was accepted is in use. Others that change the set wait for
 * it: one who is inside a read section of liburcu-bp must not, if accept may wait for a grace period, as rcuinfo_set.
 * @param context what rcuinfo_hints_create was given
 * @param row of the hint in the schema
 * @param value NUL-terminated, as the user gave it
 * @param number as of rcuinfo_hint_check; 0 where that leaves it untouched
 * @param creating 1 in rcuinfo_hints_create, 0 in rcuinfo_hints_set
 * @return 0: refused, the hint is ignored; else accepted
 */
typedef int rcuinfo_hint_accept_t(void *context, size_t row, const char *value, int64_t number, int creating);

/**
 * Makes a hint set: the defaults, then the info's hints in their place.
 * @param schema to be kept until the set is freed
 * @param info RCUINFO_NULL: no hints are given
 * @param accept NULL: everything is accepted
 * @param context given to accept
 * @param[out] hints to be freed by rcuinfo_hints_free
 * @return SUCCESS; ERR_ARG: schema or hints is NULL; ERR_INFO; ERR_NO_MEM. hints is NULL on the last two
 * Threads: as rcuinfo_create and rcuinfo_set.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hints_create(const rcuinfo_schema_t *schema, rcuinfo_t info,
                                                      rcuinfo_hint_accept_t *accept, void *context,
                                                      rcuinfo_hints_t **hints);

/**
 * Merges an info: its hints that are not ignored come into use, all at once, and all others stay. The info is never
 * written to. It is read at one instant, and the set changes at one later; none else changes the set in between.
 * @param hints the set
 * @param info any object
 * @return SUCCESS; ERR_ARG: hints is NULL; ERR_INFO: info is no live object, RCUINFO_NULL included; ERR_NO_MEM
 * Threads: blocks on others that change the same set; otherwise as rcuinfo_set.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hints_set(rcuinfo_hints_t *hints, rcuinfo_t info);

/**
 * Sets one hint on the implementation's own behalf: accept is not asked, and FIXED and GET_ONLY do not count.
 * @param hints the set
 * @param key one that is not recognized is kept as it is, and rcuinfo_hints_get gives it
 * @param value of the type of its row
 * @return SUCCESS; ERR_KEY; ERR_VALUE; ERR_ARG: hints is NULL; ERR_TYPE: not of its type; ERR_NO_MEM
 * Threads: as rcuinfo_hints_set.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hints_impose(rcuinfo_hints_t *hints, const char *key, const char *value);

/**
 * Makes a new info of the hints in use: every hint that has a default, those of users that were not ignored, as they
 * were given, and those of the implementation. First those of the schema that had a value at creation, in its order;
 * then what came later, in the order in which it came. An empty info when there is none.
 * @param hints the set
 * @param[out] info an ordinary object of the caller's; RCUINFO_NULL on ERR_NO_MEM
 * @return SUCCESS; ERR_ARG: a pointer is NULL; ERR_NO_MEM
 * Threads: as rcuinfo_dup: constant time, no lock.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hints_get(const rcuinfo_hints_t *hints, rcuinfo_t *info);

/**
 * Reads the parsed value of one hint: no text is looked at.
 * @param hints the set
 * @param row of the hint in the schema
 * @param[out] number as of rcuinfo_hint_check
 * @return SUCCESS; ERR_ARG: a pointer is NULL, there is no such row, or it has no number (a STRING, RANGE or KIND, or a
 *         list of anything but a CHOICE); ERR_NOKEY: the hint has no value
 * Threads: wait-free. Linearizes at its one load of the set's version.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hints_read(const rcuinfo_hints_t *hints, size_t row, int64_t *number);

/**
 * Reads one hint as text, as rcuinfo_get_string does: see there for buflen and value.
 * @param hints the set
 * @param row of the hint in the schema
 * @param[in,out] buflen in: bytes in value, NUL included; out: bytes needed, NUL included
 * @param[out] value untouched, and may be NULL, when buflen is 0
 * @return SUCCESS; ERR_ARG: hints is NULL, there is no such row, buflen is NULL or negative, value is NULL with buflen
 *         > 0; ERR_NOKEY: the hint has no value, and buflen is untouched
 * Threads: wait-free. Linearizes as rcuinfo_hints_read.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hints_read_string(const rcuinfo_hints_t *hints, size_t row, int *buflen,
                                                           char *value);

/** Frees a hint set that nobody uses any more, and sets the pointer to NULL. NULL is ignored. Threads: as rcuinfo_free.
 */
RCUINFO_API void rcuinfo_hints_free(rcuinfo_hints_t **hints);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hints.h
 * Hints: their declarations, and the hints in use of a window, communicator, file or session.
 *
 *  - A row declares one hint: its key, type, allowed values and default. rcuinfo_hint_standard has the rows of the MPI
 *    standard; an implementation can declare more.
 *  - A schema is a table of rows. A key that has a row is recognized.
 *  - A hint set has the hints in use of one window, communicator, file or session, with their parsed values. It is
 *    created from a schema and an info. rcuinfo_hint_set_merge merges another info into it, like MPI_Win_set_info;
 *    rcuinfo_hint_set_get_info returns the hints in use as a new info, like MPI_Win_get_info; and
 *    rcuinfo_hint_set_read returns one parsed value in a few nanoseconds.
 *
 * A hint is ignored, and the value in use stays, if it is not recognized, if its value does not have the declared type,
 * if the implementation does not accept it, or if users may not, or may no longer, set it. This is not an error.
 *
 * Every call on a hint set takes effect at one instant between its start and its return. The handles here are pointers
 * for the implementation that owns the objects: it must not use a set or a schema during or after the call that frees
 * it. Source: MPI-4.1, section 12.2.7 (Window Info) and the corresponding text on communicators (7.4.4), sessions and
 * files (14.2.8).
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/hints.h>
 *
 * int main(void)
 * {
 *     enum { THREADS, MODE, ROWS };
 *     const rcuinfo_hint_t rows[ROWS] = {
 *         [THREADS] = {.key = "threads", .type = RCUINFO_TYPE_INT,
 *                      .least = 1, .most = 64, .initial = "4"},
 *         [MODE] = {.key = "mode", .type = RCUINFO_TYPE_CHOICE,
 *                   .allowed = "fast,exact", .initial = "fast"},
 *     };
 *     rcuinfo_schema_t *schema;
 *     rcuinfo_hint_set_t *hints;
 *     rcuinfo_t info;
 *     int64_t threads;
 *     char mode[8];
 *     size_t length;
 *
 *     // 1000 threads are too many, so this hint is ignored.
 *     if (rcuinfo_create(&info) || rcuinfo_set(info, "threads", "1000") ||
 *         rcuinfo_set(info, "mode", "exact"))
 *         return 1;
 *     if (rcuinfo_schema_create(NULL, rows, ROWS, &schema, NULL) ||
 *         rcuinfo_hint_set_create(schema, info, NULL, NULL, &hints))
 *         return 1;
 *
 *     if (rcuinfo_hint_set_read(hints, THREADS, &threads) ||
 *         rcuinfo_hint_set_read_string(hints, MODE, mode, sizeof mode,
 *                                      &length))
 *         return 1;
 *     printf("%d, %s\n", (int)threads, mode); // prints: 4, exact
 *
 *     rcuinfo_hint_set_free(&hints);
 *     rcuinfo_schema_free(&schema);
 *     return rcuinfo_free(&info);
 * }
 * @endcode
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

/** The type of the value of a hint, or of each element of a list. */
typedef enum rcuinfo_hint_type {
    RCUINFO_TYPE_STRING, /**< anything */
    RCUINFO_TYPE_BOOL,   /**< `true`, `false` */
    RCUINFO_TYPE_INT,    /**< an integer in a range */
    RCUINFO_TYPE_CHOICE, /**< one of the words in `allowed` */
    RCUINFO_TYPE_RANGE,  /**< integers: a, a:b (a to b in steps of 1) or a:b:c (a to b in steps of c, which is not 0 and
                            leads from a towards b), as for `soft`; without blanks */
    RCUINFO_TYPE_KIND    /**< a memory kind with restrictors, kind[:restrictor[:...]], none empty; without blanks */
} rcuinfo_hint_type_t;

/** Flags of a hint. */
enum {
    RCUINFO_FLAG_LIST = 1,     /**< a list (value.h) of values of the type */
    RCUINFO_FLAG_SAME = 2,     /**< must be the same on all processes; rcuinfo_mpi_agree_schema checks it */
    RCUINFO_FLAG_ANY_CASE = 4, /**< for a CHOICE: ASCII case does not matter */
    RCUINFO_FLAG_FIXED = 8,    /**< users can set it when the set is created, but not change it later */
    RCUINFO_FLAG_GET_ONLY = 16 /**< only the implementation can set it */
};

/** A row: the declaration of one hint. Strings are NUL-terminated. Members that are not needed are 0. */
typedef struct rcuinfo_hint {
    const char *key;          /**< 1 to RCUINFO_MAX_KEY - 1 bytes */
    rcuinfo_hint_type_t type; /**< of the value, or of each element of a list */
    unsigned flags;           /**< RCUINFO_FLAG_LIST, RCUINFO_FLAG_SAME etc., combined by | */
    const char *allowed;      /**< for a CHOICE: 1 to 63 words, separated by commas */
    const char *alone; /**< for a list of a CHOICE: a word, not one of `allowed`, that as the whole value stands for the
                            empty list (as does an empty or blank value of any list); NULL: none */
    int64_t least;     /**< for an INT: the smallest allowed value; if `least` and `most` are both 0: any int64_t */
    int64_t most;      /**< for an INT: the largest allowed value */
    const char *initial; /**< the default; NULL: none */
    const char *since;   /**< the version of the standard that introduced it, e.g. "4.0"; NULL: not in the standard */
    const char *section; /**< where it is described, e.g. "MPI-4.1, 12.2.1"; NULL: nowhere */
    const void *reserved[2]; /**< NULL; for later versions */
} rcuinfo_hint_t;

/** The kinds of objects that have hints. */
typedef enum rcuinfo_hint_object {
    RCUINFO_OBJECT_WINDOW,
    RCUINFO_OBJECT_COMMUNICATOR,
    RCUINFO_OBJECT_FILE,
    RCUINFO_OBJECT_SESSION,
    RCUINFO_OBJECT_SPAWN,
    RCUINFO_OBJECT_PORT,
    RCUINFO_OBJECT_ALLOC_MEM,
    RCUINFO_OBJECT_SPLIT_TYPE,
    RCUINFO_OBJECT_INIT,        /**< the command line of MPI_INIT; also MPI_SESSION_INIT, in addition to SESSION */
    RCUINFO_OBJECT_PROCESS_SET, /**< the info that MPI_SESSION_GET_PSET_INFO returns */
    RCUINFO_OBJECT_ENV,         /**< MPI_INFO_ENV */
    RCUINFO_OBJECT_COUNT        /**< the number of kinds */
} rcuinfo_hint_object_t;

/**
 * The keys that the standard reserves for a kind of object.
 * @param object the kind
 * @param[out] n the number of rows
 * @return an array of n rows, in static storage; NULL, and n untouched, if n is NULL or there is no such kind
 * Threads: wait-free.
 */
RCUINFO_API const rcuinfo_hint_t *rcuinfo_hint_standard(rcuinfo_hint_object_t object, size_t *n);

/** The name of a kind of object, e.g. "window" or "split_type"; NULL if there is no such kind. Threads: wait-free. */
RCUINFO_API const char *rcuinfo_hint_object_name(rcuinfo_hint_object_t object);

/**
 * Checks a value against a row, and parses it.
 * @param hint a row of a schema or of rcuinfo_hint_standard
 * @param value NUL-terminated
 * @param[out] number may be NULL; for a BOOL 1 or 0, for an INT the number, for a CHOICE the index of the word in
 * `allowed`, from 0, and for a list of a CHOICE the sum of 2^index of its words. Untouched for other types
 * @param[out] fault may be NULL; written on ERR_TYPE
 * @return SUCCESS; ERR_ARG: hint is NULL; ERR_VALUE: value is NULL or too long; ERR_TYPE: the value is not valid
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hint_check(const rcuinfo_hint_t *hint, const char *value, int64_t *number,
                                                    rcuinfo_fault_t *fault);

/** A table of rows. Immutable. */
typedef struct rcuinfo_schema rcuinfo_schema_t;

/**
 * Creates a schema with the rows of another schema, followed by these rows. A row whose key is there already replaces
 * the earlier row in its place.
 * @param base NULL, or a schema; it may be freed afterwards
 * @param rows n rows. They are copied, but their strings are not, and must stay valid as long as the schema. May be
 * NULL when n is 0
 * @param n number of rows
 * @param[out] schema to be freed by rcuinfo_schema_free
 * @param[out] failed may be NULL; on ERR_KEY, ERR_VALUE and ERR_TYPE the index of the first invalid row
 * @return SUCCESS; ERR_ARG: rows is NULL with n > 0, or schema is NULL; ERR_KEY: a key is NULL, empty or too long;
 * ERR_TYPE: the type, the flags or the range is invalid, a reserved member is set, a CHOICE does not have 1 to 63
 * words, a word is empty or has a blank at an end, or `alone` is not such a word, is one of `allowed`, has a comma, or
 * is not for a list of a CHOICE; ERR_VALUE: a default is too long or not valid; ERR_NO_MEM. On any error but ERR_ARG
 * schema is set to NULL. Threads: any; takes no lock of rcuinfo.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_schema_create(const rcuinfo_schema_t *base, const rcuinfo_hint_t *rows,
                                                       size_t n, rcuinfo_schema_t **schema, size_t *failed);

/** Frees a schema that no hint set uses, and sets the pointer to NULL. NULL is ignored. */
RCUINFO_API void rcuinfo_schema_free(rcuinfo_schema_t **schema);

/** The number of rows; 0 for NULL. Threads: wait-free. */
RCUINFO_API size_t rcuinfo_schema_count(const rcuinfo_schema_t *schema);

/** Row number `row`, from 0 to count - 1; NULL if there is no such row. Threads: wait-free. */
RCUINFO_API const rcuinfo_hint_t *rcuinfo_schema_row(const rcuinfo_schema_t *schema, size_t row);

/**
 * Finds the row of a key.
 * @param schema the schema
 * @param key the key
 * @param[out] row number of the row, which never changes
 * @return SUCCESS; ERR_KEY; ERR_ARG: a pointer is NULL; ERR_NOKEY: not recognized
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_schema_find(const rcuinfo_schema_t *schema, const char *key, size_t *row);

/**
 * Splits one version of an info into the pairs whose keys are recognized and the rest, each in the order of the info.
 * The values are not checked.
 * @param schema decides which keys are recognized
 * @param info any object
 * @param[out] recognized a new object with the recognized pairs; NULL if it is not needed
 * @param[out] rest a new object with the others; NULL if it is not needed
 * @return SUCCESS; ERR_ARG: schema is NULL, or both outputs are; ERR_INFO; ERR_NO_MEM. On the last two errors the
 * outputs are RCUINFO_NULL
 * Threads: as rcuinfo_create and rcuinfo_set; takes a time proportional to the number of pairs. Linearizes at its one
 * load of the version.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_schema_split(const rcuinfo_schema_t *schema, rcuinfo_t info,
                                                      rcuinfo_t *recognized, rcuinfo_t *rest);

/** The hints in use of one window, communicator, file or session. */
typedef struct rcuinfo_hint_set rcuinfo_hint_set_t;

/**
 * A callback by which the implementation accepts or refuses a hint of a user. It is called for each hint that is
 * recognized and valid, that users may set at that time, and that would change the value in use; in the order of the
 * info, by the thread that creates the set or sets the hints.
 *
 * No other thread can change the set during the call, so the callback may put the change into effect. It must not call
 * rcuinfo_hint_set_merge, rcuinfo_hint_set_impose or rcuinfo_hint_set_free on this set, which would deadlock.
 * Meanwhile, rcuinfo_hint_set_read and rcuinfo_hint_set_get_info still return the old values. If the call then fails
 * with ERR_NO_MEM, none of the accepted hints come into use.
 *
 * The callback must return, and not leave by longjmp or an exception; its thread cannot be cancelled meanwhile. Other
 * threads that change the set wait for it. If it waits for a grace period of liburcu-bp, then no thread may change the
 * set inside a read section of liburcu-bp.
 * @param context as given to rcuinfo_hint_set_create
 * @param row number of the hint's row in the schema
 * @param value NUL-terminated, as the user gave it
 * @param number as for rcuinfo_hint_check; 0 if the type has none
 * @param creating 1 in rcuinfo_hint_set_create, 0 in rcuinfo_hint_set_merge
 * @return 0: refused, so the hint is ignored; else accepted
 */
typedef int rcuinfo_hint_accept_t(void *context, size_t row, const char *value, int64_t number, int creating);

/**
 * Creates a hint set with the defaults of the schema, replaced by the hints of an info.
 * @param schema must not be freed before the set
 * @param info RCUINFO_NULL: no hints
 * @param accept NULL: accepts all hints
 * @param context passed to accept
 * @param[out] hints to be freed by rcuinfo_hint_set_free
 * @return SUCCESS; ERR_ARG: schema or hints is NULL; ERR_INFO; ERR_NO_MEM. hints is NULL on the last two
 * Threads: as rcuinfo_create and rcuinfo_set.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hint_set_create(const rcuinfo_schema_t *schema, rcuinfo_t info,
                                                         rcuinfo_hint_accept_t *accept, void *context,
                                                         rcuinfo_hint_set_t **hints);

/**
 * Merges an info into the set: its hints, except those that are ignored, come into use, all of them at once. The others
 * stay. The info is not changed. It is read at one instant, and the set changes at a later one; no other thread changes
 * the set in between.
 * @param hints the set
 * @param info any object
 * @return SUCCESS; ERR_ARG: hints is NULL; ERR_INFO: info is RCUINFO_NULL or not live; ERR_NO_MEM
 * Threads: waits for other threads that change the same set, and now and then, except inside a read section of
 * liburcu-bp, for a grace period of it, which ends without the caller's views; otherwise as rcuinfo_set.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hint_set_merge(rcuinfo_hint_set_t *hints, rcuinfo_t info);

/**
 * Sets one hint on behalf of the implementation: does not call accept, and ignores FIXED and GET_ONLY.
 * @param hints the set
 * @param key also one that is not recognized; rcuinfo_hint_set_get_info then returns it as well
 * @param value must be valid if the key is recognized
 * @return SUCCESS; ERR_KEY; ERR_VALUE; ERR_ARG: hints is NULL; ERR_TYPE: the value is not valid; ERR_NO_MEM
 * Threads: as rcuinfo_hint_set_merge.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hint_set_impose(rcuinfo_hint_set_t *hints, const char *key, const char *value);

/**
 * Returns the hints in use as a new info: those that have a default, those of users that were not ignored, with the
 * values as given, and those of the implementation. The hints that had a value when the set was created come first, in
 * the order of the schema; then the others, in the order in which they were set. The info may be empty.
 * @param hints the set
 * @param[out] info an ordinary object, to be freed by the caller; RCUINFO_NULL on ERR_NO_MEM
 * @return SUCCESS; ERR_ARG: a pointer is NULL; ERR_NO_MEM
 * Threads: as rcuinfo_dup. Constant time.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hint_set_get_info(const rcuinfo_hint_set_t *hints, rcuinfo_t *info);

/**
 * Reads the parsed value of one hint, without parsing it again.
 * @param hints the set
 * @param row number of the hint's row in the schema
 * @param[out] number as for rcuinfo_hint_check
 * @return SUCCESS; ERR_ARG: a pointer is NULL, there is no such row, or its type has no number (a STRING, RANGE or
 * KIND, or a list of anything but a CHOICE); ERR_NOKEY: the hint has no value
 * Threads: wait-free. Linearizes at its one load of the set's version.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hint_set_read(const rcuinfo_hint_set_t *hints, size_t row, int64_t *number);

/**
 * Reads one hint as text, truncated to fit the buffer, and its full length; both come from one version.
 * @param hints the set
 * @param row number of the hint's row in the schema
 * @param[out] value receives the text and its NUL; may be NULL, and is unchanged, if size is 0
 * @param size size of value, NUL included; RCUINFO_MAX_VALUE is large enough for every value
 * @param[out] length length of the text, without the NUL; the text was cut if it is not less than size
 * @return SUCCESS, also if the text was cut; ERR_ARG: hints or length is NULL, there is no such row, or value is NULL
 * with size > 0; ERR_NOKEY: the hint has no value
 * Threads: wait-free. Linearizes as rcuinfo_hint_set_read.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_hint_set_read_string(const rcuinfo_hint_set_t *hints, size_t row, char *value,
                                                              size_t size, size_t *length);

/**
 * Frees a hint set, and sets the pointer to NULL. NULL is ignored.
 * Threads: as rcuinfo_snapshot_close. No other thread may use the set during or after the call.
 */
RCUINFO_API void rcuinfo_hint_set_free(rcuinfo_hint_set_t **hints);

#ifdef __cplusplus
}
#endif

#endif

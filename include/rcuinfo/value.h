/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file value.h
 * Values with a type: booleans, integers, and lists of anything, read from an object, a snapshot or a string.
 *
 * A blank is a space or a tab. Blanks around a value and around each element of a list do not count.
 *  - A boolean is `true` or `false`, in lower case, and nothing else.
 *  - An integer is an optional sign and decimal digits, in the range of the type; no blank stands between them.
 *  - A list is elements with commas between them; a value of blanks, or of nothing, is the list of no elements. An
 *    element may be empty: "a,,b" has three, "," two.
 *
 * Parsing changes no input. A value that is not of the type gives RCUINFO_ERR_TYPE, and a fault says what is wrong and
 * where. A pointer to a fault may always be NULL, and a fault is written on RCUINFO_ERR_TYPE only (and where a call
 * says so). Source: MPI-4.0, chapter 10 (the types of info values).
 */
#ifndef RCUINFO_VALUE_H
#define RCUINFO_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include <rcuinfo/info.h>
#include <rcuinfo/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is wrong with a text or with packed bytes, and where. */
typedef struct rcuinfo_fault {
    const char *what; /**< one sentence in English, static */
    size_t line;      /**< of a file, from 1 on; else 0 */
    size_t offset;    /**< bytes from the beginning of the text, of the line of a file, or of the packed bytes */
} rcuinfo_fault_t;

/**
 * Parses a text that need not be NUL-terminated.
 * @param text length bytes
 * @param length bytes of text, any
 * @param[out] value 1 for `true`, 0 for `false`
 * @param[out] fault may be NULL; what is wrong with the text
 * @return SUCCESS; ERR_ARG: text or value is NULL; ERR_TYPE
 * Threads: pure.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_value_parse_bool(const char *text, size_t length, int *value,
                                                          rcuinfo_fault_t *fault);
/** The same of an integer in the range of int. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_value_parse_int(const char *text, size_t length, int *value,
                                                         rcuinfo_fault_t *fault);
/** The same of an integer in the range of int64_t. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_value_parse_int64(const char *text, size_t length, int64_t *value,
                                                           rcuinfo_fault_t *fault);

/**
 * Gets the value of a key as a boolean.
 * @param info any object
 * @param key looked for
 * @param[out] value 1 or 0; untouched when flag is 0
 * @param[out] flag 1: found; 0: the key is not there
 * @param[out] fault may be NULL; what is wrong with the value
 * @return SUCCESS, also for a key that is not there; ERR_KEY; ERR_ARG; ERR_INFO; ERR_TYPE
 * Threads: wait-free. Linearizes as rcuinfo_get.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_bool(rcuinfo_t info, const char *key, int *value, int *flag,
                                                  rcuinfo_fault_t *fault);
/** The same as an int. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_int(rcuinfo_t info, const char *key, int *value, int *flag,
                                                 rcuinfo_fault_t *fault);
/** The same as an int64_t. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_int64(rcuinfo_t info, const char *key, int64_t *value, int *flag,
                                                   rcuinfo_fault_t *fault);

/**
 * Gets the value of a key in a snapshot as a boolean.
 * @param snapshot an open one
 * @param key looked for
 * @param[out] value 1 or 0
 * @param[out] fault may be NULL; what is wrong with the value
 * @return SUCCESS; ERR_KEY; ERR_ARG; ERR_NOKEY: not there; ERR_TYPE
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_snapshot_get_bool(const rcuinfo_snapshot_t *snapshot, const char *key,
                                                           int *value, rcuinfo_fault_t *fault);
/** The same as an int. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_snapshot_get_int(const rcuinfo_snapshot_t *snapshot, const char *key,
                                                          int *value, rcuinfo_fault_t *fault);
/** The same as an int64_t. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_snapshot_get_int64(const rcuinfo_snapshot_t *snapshot, const char *key,
                                                            int64_t *value, rcuinfo_fault_t *fault);

/**
 * Sets a key to `true` or, for 0, to `false`.
 * @param info an object that is not read-only
 * @param key copied
 * @param value 0: `false`; anything else: `true`
 * @return as rcuinfo_set
 * Threads: as rcuinfo_set.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set_bool(rcuinfo_t info, const char *key, int value);
/** The same to an int, in decimal digits. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set_int(rcuinfo_t info, const char *key, int value);
/** The same to an int64_t, in decimal digits. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set_int64(rcuinfo_t info, const char *key, int64_t value);

/** A copy of a list, and how far it was gone through. The members are the library's. */
typedef struct rcuinfo_list {
    size_t length;                /**< bytes in text */
    size_t at;                    /**< where the next element begins */
    char text[RCUINFO_MAX_VALUE]; /**< the value, without a NUL */
} rcuinfo_list_t;

/** An element of a list, without the blanks around it: no NUL stands behind it. */
typedef struct rcuinfo_element {
    const char *text; /**< into the rcuinfo_list_t */
    size_t length;    /**< in bytes */
    size_t offset;    /**< of the element in the value */
} rcuinfo_element_t;

/**
 * Begins a list, of a text that need not be NUL-terminated.
 * @param text length bytes
 * @param length bytes of text, 0 to RCUINFO_MAX_VALUE - 1
 * @param[out] list of the caller's own, a copy: nothing needs to be given back
 * @return SUCCESS; ERR_ARG: a pointer is NULL; ERR_VALUE: too long
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_value_parse_list(const char *text, size_t length, rcuinfo_list_t *list);
/**
 * The same of the value of a key. Never ERR_TYPE: every text is a list.
 * @param info any object
 * @param key looked for
 * @param[out] list untouched when flag is 0
 * @param[out] flag 1: found; 0: the key is not there
 * @return SUCCESS, also for a key that is not there; ERR_KEY; ERR_ARG; ERR_INFO
 * Threads: wait-free. Linearizes as rcuinfo_get.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_list(rcuinfo_t info, const char *key, rcuinfo_list_t *list, int *flag);
/**
 * The same of the value of a key in a snapshot.
 * @param snapshot an open one
 * @param key looked for
 * @param[out] list of the caller's own: it outlives the snapshot
 * @return SUCCESS; ERR_KEY; ERR_ARG; ERR_NOKEY: not there
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_snapshot_get_list(const rcuinfo_snapshot_t *snapshot, const char *key,
                                                           rcuinfo_list_t *list);

/**
 * Gets the next element: its type is found by rcuinfo_value_parse_bool and its fellows, whose fault then counts from
 * the element's offset.
 * @param[in,out] list one that was begun
 * @param[out] element valid as long as the list
 * @return 1; 0 when there is none left, or a pointer is NULL, and element is untouched
 * Threads: one at a time on one list.
 */
RCUINFO_API int rcuinfo_list_next(rcuinfo_list_t *list, rcuinfo_element_t *element);

/**
 * Sets a key to a list.
 * @param info an object that is not read-only
 * @param key copied
 * @param elements n strings, none NULL, none with a comma in it or a blank at an end: they would not come back. Nor
 * does a single empty one. May be NULL when n is 0
 * @param n how many there are
 * @param[out] failed may be NULL; on ERR_TYPE the index of the first element that cannot be in a list
 * @return as rcuinfo_set; ERR_ARG: elements is NULL with n > 0; ERR_TYPE; ERR_VALUE: too long as a whole
 * Threads: as rcuinfo_set.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set_list(rcuinfo_t info, const char *key, const char *const elements[],
                                                  size_t n, size_t *failed);
/** The same of n decimal numbers. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set_list_int64(rcuinfo_t info, const char *key, const int64_t elements[],
                                                        size_t n);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file value.h
 * Typed values: booleans, integers and lists, in an object, a snapshot or a string.
 *
 * Blanks are spaces and tabs. Those around a value, and around each element of a list, are ignored.
 *  - A boolean is `true` or `false` in lower case.
 *  - An integer is an optional sign and decimal digits, without blanks between them, in the range of the type.
 *  - A list consists of elements separated by commas. An element may be empty: "a,,b" has three, "," has two. An
 *    empty or blank value is the list without elements.
 *
 * Parsing never changes its input. If a value is not of the requested type, the result is RCUINFO_ERR_TYPE, and a fault
 * says what is wrong and where. A pointer to a fault may always be NULL. Faults are written on RCUINFO_ERR_TYPE only,
 * unless a function says otherwise. Source: MPI-4.0, chapter 10 (the types of info values).
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/value.h>
 *
 * int main(void)
 * {
 *     rcuinfo_t info;
 *     rcuinfo_list_t list;
 *     rcuinfo_element_t element;
 *     rcuinfo_fault_t fault;
 *     int nodes;
 *
 *     if (rcuinfo_create(&info) ||
 *         rcuinfo_set(info, "access_style", "read_once, sequential"))
 *         return 1;
 *
 *     if (rcuinfo_get_int(info, "cb_nodes", &nodes, NULL))
 *         nodes = 4;
 *     printf("%d nodes\n", nodes); // prints: 4 nodes
 *
 *     // prints: an integer has decimal digits only
 *     if (rcuinfo_get_int(info, "access_style", &nodes, &fault))
 *         puts(fault.what);
 *
 *     // prints: read_once
 *     // prints: sequential
 *     if (rcuinfo_get_list(info, "access_style", &list))
 *         return 1;
 *     while (rcuinfo_list_next(&list, &element))
 *         printf("%.*s\n", (int)element.length, element.text);
 *     return rcuinfo_free(&info);
 * }
 * @endcode
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
    const char *what; /**< an English phrase, a static string */
    size_t line;      /**< line of the file, from 1; 0 if it is not a file */
    size_t offset;    /**< in bytes, from the beginning of the text, of the line, or of the packed bytes */
} rcuinfo_fault_t;

/**
 * Parses a boolean.
 * @param text need not be NUL-terminated
 * @param length number of bytes in text
 * @param[out] value 1 for `true`, 0 for `false`
 * @param[out] fault may be NULL; what is wrong with the text
 * @return SUCCESS; ERR_ARG: text or value is NULL; ERR_TYPE
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_value_parse_bool(const char *text, size_t length, int *value,
                                                          rcuinfo_fault_t *fault);
/** Same for an int. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_value_parse_int(const char *text, size_t length, int *value,
                                                         rcuinfo_fault_t *fault);
/** Same for an int64_t. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_value_parse_int64(const char *text, size_t length, int64_t *value,
                                                           rcuinfo_fault_t *fault);

/**
 * Gets the value of a key as a boolean.
 * @param info any object
 * @param key the key to look up
 * @param[out] value 1 or 0
 * @param[out] fault may be NULL; what is wrong with the value
 * @return SUCCESS; ERR_KEY; ERR_ARG; ERR_INFO; ERR_NOKEY: not there; ERR_TYPE
 * Threads: wait-free. Linearizes as rcuinfo_get.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_bool(rcuinfo_t info, const char *key, int *value, rcuinfo_fault_t *fault);
/** Same as an int. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_int(rcuinfo_t info, const char *key, int *value, rcuinfo_fault_t *fault);
/** Same as an int64_t. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_int64(rcuinfo_t info, const char *key, int64_t *value,
                                                   rcuinfo_fault_t *fault);

/**
 * Gets the value of a key in a snapshot as a boolean.
 * @param snapshot an open one
 * @param key the key to look up
 * @param[out] value 1 or 0
 * @param[out] fault may be NULL; what is wrong with the value
 * @return SUCCESS; ERR_KEY; ERR_ARG; ERR_NOKEY: not there; ERR_TYPE
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_snapshot_get_bool(const rcuinfo_snapshot_t *snapshot, const char *key,
                                                           int *value, rcuinfo_fault_t *fault);
/** Same as an int. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_snapshot_get_int(const rcuinfo_snapshot_t *snapshot, const char *key,
                                                          int *value, rcuinfo_fault_t *fault);
/** Same as an int64_t. */
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
/** Sets a key to an int, in decimal digits. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set_int(rcuinfo_t info, const char *key, int value);
/** Sets a key to an int64_t, in decimal digits. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set_int64(rcuinfo_t info, const char *key, int64_t value);

/** A copy of a list, and the position of an iteration over it. The members are private. */
typedef struct rcuinfo_list {
    size_t opaque_length;                /**< for the library alone, as are the other members */
    size_t opaque_at;                    /**< the next element */
    size_t opaque_reserved[2];           /**< for later versions */
    char opaque_text[RCUINFO_MAX_VALUE]; /**< the value */
} rcuinfo_list_t;

/** An element of a list, without the blanks around it. Not NUL-terminated. */
typedef struct rcuinfo_element {
    const char *text; /**< points into the rcuinfo_list_t */
    size_t length;    /**< in bytes */
    size_t offset;    /**< in bytes, from the beginning of the value */
} rcuinfo_element_t;

/**
 * Begins an iteration over a list.
 * @param text need not be NUL-terminated
 * @param length number of bytes in text, 0 to RCUINFO_MAX_VALUE - 1
 * @param[out] list receives a copy, and need not be freed
 * @return SUCCESS; ERR_ARG: a pointer is NULL; ERR_VALUE: too long
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_list_begin(const char *text, size_t length, rcuinfo_list_t *list);
/**
 * Same for the value of a key. Never ERR_TYPE, since every text is a list.
 * @param info any object
 * @param key the key to look up
 * @param[out] list receives a copy
 * @return SUCCESS; ERR_KEY; ERR_ARG; ERR_INFO; ERR_NOKEY: not there
 * Threads: wait-free. Linearizes as rcuinfo_get.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_get_list(rcuinfo_t info, const char *key, rcuinfo_list_t *list);
/**
 * Same for the value of a key in a snapshot.
 * @param snapshot an open one
 * @param key the key to look up
 * @param[out] list receives a copy, which stays valid when the snapshot is closed
 * @return SUCCESS; ERR_KEY; ERR_ARG; ERR_NOKEY: not there
 * Threads: wait-free.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_snapshot_get_list(const rcuinfo_snapshot_t *snapshot, const char *key,
                                                           rcuinfo_list_t *list);

/**
 * Gets the next element of a list. To parse it, use rcuinfo_value_parse_bool, _int or _int64; the offset of their fault
 * is relative to the element.
 * @param[in,out] list a list whose iteration was begun
 * @param[out] element valid as long as the list
 * @return 1; 0 if there are no more elements or a pointer is NULL, and element is unchanged
 * Threads: only one at a time may use a list.
 */
RCUINFO_API int rcuinfo_list_next(rcuinfo_list_t *list, rcuinfo_element_t *element);

/**
 * Sets a key to a list.
 * @param info an object that is not read-only
 * @param key copied
 * @param elements n strings that can be parsed back unchanged: not NULL, without commas, without blanks at either end,
 * and not a single empty string. May be NULL if n is 0
 * @param n number of elements
 * @param[out] failed may be NULL; on ERR_TYPE the index of the first element that is not such a string
 * @return as rcuinfo_set; ERR_ARG: elements is NULL with n > 0; ERR_TYPE; ERR_VALUE: too long as a whole
 * Threads: as rcuinfo_set.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set_list(rcuinfo_t info, const char *key, const char *const elements[],
                                                  size_t n, size_t *failed);
/** Same for n integers, in decimal digits. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_set_list_int64(rcuinfo_t info, const char *key, const int64_t elements[],
                                                        size_t n);

#ifdef __cplusplus
}
#endif

#endif

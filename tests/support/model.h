/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model: what an object is, as simply as it can be said: arrays of pairs that are searched from the front. Each
 * operation returns what the call of the same name has to return, and does what it has to do.
 *
 * Serves one thread. Strings are owned by the model.
 */
#ifndef TESTS_SUPPORT_MODEL_H
#define TESTS_SUPPORT_MODEL_H

#include <rcuinfo/rcuinfo.h>

struct model_pair {
    char *key;
    char *value;
};

struct model {
    struct model_pair *pairs;
    size_t count;
    size_t capacity;
    uint64_t version;
};

void model_init(struct model *m);
void model_clear(struct model *m);
void model_copy(struct model *to, const struct model *from);

/* The position of a key, or the count when it is not there. */
size_t model_find(const struct model *m, const char *key);

rcuinfo_status_t model_set(struct model *m, const char *key, const char *value);
rcuinfo_status_t model_delete(struct model *m, const char *key);
rcuinfo_status_t model_update(struct model *m, const rcuinfo_change_t *changes, size_t n, size_t *failed);
rcuinfo_status_t model_compare_and_set(struct model *m, const char *key, const char *expected, const char *desired,
                                       int *swapped);

/* An object, and what it has to be. A call of modelled_NAME is made on both, and they have to agree on what it gives,
 * writes and leaves alone; where the store has no memory for it, it has not happened, and would have changed something.
 * What differs ends the process. */
struct modelled {
    rcuinfo_t info; /* RCUINFO_NULL: none */
    struct model model;
};

void modelled_create(struct modelled *m);
void modelled_dup(struct modelled *to, const struct modelled *from);
void modelled_free(struct modelled *m);
rcuinfo_status_t modelled_set(struct modelled *m, const char *key, const char *value);
rcuinfo_status_t modelled_delete(struct modelled *m, const char *key);
rcuinfo_status_t modelled_update(struct modelled *m, const rcuinfo_change_t *changes, size_t n);
rcuinfo_status_t modelled_compare_and_set(struct modelled *m, const char *key, const char *expected,
                                          const char *desired);

/* All that is in the object. */
void modelled_check(const struct modelled *m);

/* A version that a snapshot keeps: what it has to be, and where its pairs lie. */
struct kept {
    const rcuinfo_snapshot_t *snapshot; /* NULL: none */
    struct model model;
    rcuinfo_pair_t *pairs;
};

/* Closes what was kept there before. */
void kept_open(struct kept *k, const struct modelled *m);

/* It is what it was, down to its pointers, and has no key of `other` (NULL: none) that it never had. Of none nothing is
 * checked, and nothing closed. */
void kept_check(const struct kept *k, const struct model *other);
void kept_close(struct kept *k);

/* 0 when the object holds what the model holds; else the difference goes to stderr. */
int model_differs_from_object(const struct model *m, rcuinfo_t info);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model: an object in the simplest form: arrays of pairs that are searched from the front. Each operation has the
 * required result and effect of the call of the same name.
 *
 * Serves one thread. Strings are owned by the model.
 */
#pragma once

#include <rcuinfo/rcuinfo.h>

struct model_pair {
    char *key;
    char *value;
};

/* All 0: empty. */
struct model {
    struct model_pair *pairs;
    size_t count;
    size_t capacity;
    uint64_t version;
};

void model_clear(struct model *m);
void model_copy(struct model *to, const struct model *from);

/* The index of a key, or the count if there is no such key. */
size_t model_find(const struct model *m, const char *key);

rcuinfo_status_t model_set(struct model *m, const char *key, const char *value);
rcuinfo_status_t model_delete(struct model *m, const char *key);
rcuinfo_status_t model_update(struct model *m, const rcuinfo_change_t *changes, size_t n, size_t *failed);
rcuinfo_status_t model_compare_and_set(struct model *m, const char *key, const char *expected, const char *desired,
                                       int *swapped);

/* An object and its model. modelled_NAME makes a call on both, which must agree on what it returns, writes and leaves
 * unchanged. If the store is out of memory, the call must have no effect, and must be one that changes the object. A
 * difference ends the process. */
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

/* Compares the whole object. */
void modelled_check(const struct modelled *m);

/* A version kept by a snapshot: its model, and the addresses of its pairs. */
struct kept {
    const rcuinfo_snapshot_t *snapshot; /* NULL: none */
    struct model model;
    rcuinfo_pair_t *pairs;
};

/* Closes what was kept there before. */
void kept_open(struct kept *k, const struct modelled *m);

/* Checks that a kept version has not changed, including its pointers, and has no key of `other` (unless NULL) that it
 * never had. Does nothing without a snapshot. */
void kept_check(const struct kept *k, const struct model *other);
void kept_close(struct kept *k);

/* Returns 0 if the object has the pairs of the model; else prints the difference to stderr. */
int model_differs_from_object(const struct model *m, rcuinfo_t info);

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

/* 0 when the object, or the snapshot, holds what the model holds; else the difference goes to stderr. */
int model_differs_from_object(const struct model *m, rcuinfo_t info);
int model_differs_from_snapshot(const struct model *m, const rcuinfo_snapshot_t *snapshot);

#endif

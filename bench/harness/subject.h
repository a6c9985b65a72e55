/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * subject: the same pairs in the store, in a bare table (table.h) and in GLib's GHashTable, and what whoever goes
 * through them is to meet at each step. And two snapshots of one more object, between which one key was set many times.
 */
#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#include <rcuinfo/snapshot.h>

#include "table.h"
#include "workload.h"

/* What a way is to meet at one step. */
struct due {
    const char *key;
    size_t tail_at; /* of its last eight bytes, the NUL included */
    uint64_t tail;
    uint64_t mask; /* of its value */
};

struct subject {
    struct workload load;
    rcuinfo_t object;
    struct table table;
    const rcuinfo_snapshot_t *old;
    const rcuinfo_snapshot_t *fresh;
    GHashTable *hash;
    GRWLock lock;
    struct due *inserted; /* one a step */
    struct due *hashed;
};

/* `sets`: of key 0, between the snapshots, and as many before: by then the store gives the object room for many. */
struct subject *subject_make(unsigned keys, unsigned value_bytes, unsigned sets);
void subject_unmake(struct subject *s);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* labels: see labels.h. */
#include "mpi/interpose/observe/labels.h"

#include <stdio.h>
#include <string.h>

#include "core/memory/alloc.h"
#include "report/lines.h"
#include "core/text.h"

enum { BUCKETS = 512, MOST_LABELS = 1 << 14, COUNTERS = 1024, TEXT = 64 };

struct label {
    struct label *next; /* in the bucket */
    uintptr_t handle;
    uint64_t group;
    char *name;     /* that a file was opened by; NULL: none */
    char *identity; /* "#NUMBER" or "#NUMBER@FIRST+COUNT", "#" without a number; of a file its path or NULL */
    rcuinfo_hint_object_t object;
    bool is_romio; /* it is a file of ROMIO's */
};
static struct label *labels[BUCKETS]; /* of all objects, also those that were freed, until their handle is used again */
static size_t labels_n;

/* Counts the objects of a kind and group. */
struct counter {
    uint64_t group; /* hash of both; 0: free */
    unsigned count;
    const void *thread; /* that has created them; NULL: several have */
};
static struct counter counters[COUNTERS];
static bool has_lost; /* an object was not counted */

static uint64_t hash_group(rcuinfo_hint_object_t object, const char *group)
{
    uint64_t hash = group ? XXH3_64bits_withSeed(group, strlen(group), object) : 2 * (uint64_t)object;
    return hash | 1; /* 0 marks a free counter */
}

/* The number of the next object of a kind and group, from 1. 0: not known, as objects were not counted, or since
 * several threads create them, perhaps in another order on another process. */
static unsigned next_number(uint64_t group)
{
    const void *thread = &rcuinfo__interpose_outermost;
    size_t at = group % COUNTERS, looked_at = 0;
    while (counters[at].group != 0 && counters[at].group != group && looked_at++ < COUNTERS)
        at = (at + 1) % COUNTERS;
    if (looked_at > COUNTERS)
        return 0;

    struct counter *counter = &counters[at];
    counter->thread = counter->group == 0 || counter->thread == thread ? thread : NULL;
    counter->group = group;
    counter->count++;
    return counter->thread && !has_lost ? counter->count : 0;
}

/* e.g. "#1@2+2"; without a number "#@2+2" */
static char *identity_of(const char *group, unsigned n)
{
    char number[TEXT] = "";
    if (n > 0)
        snprintf(number, sizeof number, "%u", n);

    const char *digest = group ? strchr(group, ':') : NULL; /* it is not that of MPI_COMM_WORLD */
    return rcuinfo__report_format("#%s%s%.*s", number, digest ? "@" : "", digest ? (int)(digest - group) : 0,
                                  digest ? group : "");
}

static char *copy(const char *text)
{
    return text ? rcuinfo__report_format("%s", text) : NULL;
}

/* Where a label is in its bucket, or the end of that. */
static struct label **find(rcuinfo_hint_object_t object, void *handle)
{
    uintptr_t bits = rcuinfo__ask_bits(object, handle);
    struct label **at = &labels[XXH3_64bits_withSeed(&bits, sizeof bits, object) % BUCKETS];
    while (*at && ((*at)->handle != bits || (*at)->object != object))
        at = &(*at)->next;
    return at;
}

/* The label of an object that has been created, in place of that of an earlier one with this handle; NULL: no memory,
 * or there are too many. */
static struct label *renew(rcuinfo_hint_object_t object, void *handle)
{
    struct label **at = find(object, handle), *label = *at;
    if (!label) {
        label = labels_n < MOST_LABELS ? rcuinfo__alloc(sizeof *label) : NULL;
        if (!label)
            return NULL;
        *label = (struct label){.handle = rcuinfo__ask_bits(object, handle), .object = object};
        *at = label;
        labels_n++;
    }
    rcuinfo__alloc_free(label->name);
    rcuinfo__alloc_free(label->identity);
    label->name = label->identity = NULL;
    label->is_romio = false;
    return label;
}

void rcuinfo__labels_create(const struct rcuinfo__loan *loan, const char *group, void *handle, const char *path)
{
    uint64_t hash = hash_group(loan->object, group);
    bool is_file = loan->object == RCUINFO_OBJECT_FILE;
    unsigned number = is_file ? 0 : next_number(hash);
    struct label *label = renew(loan->object, handle);
    if (!label)
        return;
    label->group = hash;
    label->name = is_file ? copy(loan->name) : NULL;
    label->identity = is_file && loan->name ? copy(path) : identity_of(group, number);
}

void rcuinfo__labels_find(const struct rcuinfo__loan *loan, const char *group, void *handle, const char *name,
                          struct rcuinfo__label *found)
{
    /* A label of another group is of an earlier object that had this handle. The communicator of an earlier call may
     * have been replaced by one that MPI_Comm_dup has made, which is not seen. */
    struct label *label = *find(loan->object, handle);
    bool may_be_other = loan->is_change && loan->object == RCUINFO_OBJECT_COMMUNICATOR;
    if (may_be_other || (label && label->group != hash_group(loan->object, group)))
        label = NULL;

    const char *called = *name ? name : label ? label->name : NULL;
    char *identity = label ? copy(label->identity) : identity_of(group, 0);
    *found = (struct rcuinfo__label){
        .name = called ? copy(called) : identity,
        .identity = called ? identity : NULL,
        .was_romio = label && label->is_romio,
    };
}

void rcuinfo__labels_lose(void)
{
    has_lost = true;
}

void rcuinfo__labels_mark_romio(rcuinfo_hint_object_t object, void *handle)
{
    struct label *label = *find(object, handle);
    if (label)
        label->is_romio = true;
}

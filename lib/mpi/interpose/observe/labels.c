/* SPDX-License-Identifier: BSD-3-Clause */
/* labels: see labels.h. */
#include "mpi/interpose/observe/labels.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "report/lines.h"
#include "core/text.h"

enum { LABELS = 512, COUNTERS = 1024, TEXT = 64 };

struct label {
    uintptr_t handle;
    uint64_t group;
    char *name;     /* that a file was opened by; NULL: none */
    char *identity; /* "#NUMBER" or "#NUMBER@FIRST+COUNT", "#" without a number; of a file its path or NULL */
    rcuinfo_hint_object_t object;
    bool is_known;
    bool is_romio; /* it is a file of ROMIO's */
};
static struct label labels[LABELS];

/* Counts the objects of a kind and group. */
struct counter {
    uint64_t group; /* hash of both; 0: free */
    unsigned count;
    const void *thread; /* that has created them */
};
static struct counter counters[COUNTERS];
static bool was_skipped[RCUINFO__OBJECT_UNKNOWN + 1]; /* an object of this kind was not counted */

static uint64_t hash_group(rcuinfo_hint_object_t object, const char *group)
{
    return (group ? XXH3_64bits_withSeed(group, strlen(group), object) : object) | 1; /* 0 marks a free counter */
}

/* The number of the next object of a kind and group, from 1. 0: not known, as objects were not counted, or since
 * several threads create them, perhaps in another order on another process. */
static unsigned next_number(rcuinfo_hint_object_t object, uint64_t group)
{
    const void *thread = &rcuinfo__interpose_outermost;
    size_t at = group % COUNTERS, looked_at = 0;
    while (counters[at].group != 0 && counters[at].group != group && looked_at++ < COUNTERS)
        at = (at + 1) % COUNTERS;
    if (looked_at > COUNTERS || was_skipped[object])
        return 0;

    struct counter *counter = &counters[at];
    counter->thread = counter->group == 0 || counter->thread == thread ? thread : NULL;
    counter->group = group;
    return counter->thread ? ++counter->count : 0;
}

/* The place of an object in the table. */
static struct label *label_of(rcuinfo_hint_object_t object, void *handle)
{
    uintptr_t bits = rcuinfo__observe_bits(object, handle);
    return &labels[XXH3_64bits_withSeed(&bits, sizeof bits, object) % LABELS];
}

/* e.g. "#1@2+2" */
static char *number_of(rcuinfo_hint_object_t object, const char *group, uint64_t hash)
{
    char number[TEXT] = "";
    unsigned n = next_number(object, hash);
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

void rcuinfo__labels_find(const struct rcuinfo__interpose_loan *loan, const char *group, void *handle, const char *name,
                          const char *path, struct rcuinfo__label *found)
{
    uint64_t hash = hash_group(loan->object, group);
    uintptr_t bits = rcuinfo__observe_bits(loan->object, handle);
    struct label *label = label_of(loan->object, handle);

    /* If the call created the object, or if the label is of another group, it is of an earlier object that had this
     * handle. */
    if (!loan->is_change || !label->is_known || label->handle != bits || label->object != loan->object ||
        label->group != hash) {
        bool is_opened = loan->object == RCUINFO_OBJECT_FILE && *name;
        rcuinfo__alloc_free(label->name);
        rcuinfo__alloc_free(label->identity);
        *label = (struct label){.handle = bits, .group = hash, .object = loan->object, .is_known = true};
        label->name = is_opened ? copy(name) : NULL;
        label->identity = is_opened ? copy(path) : number_of(loan->object, group, hash);
    }
    const char *called = *name ? name : label->name;
    *found = (struct rcuinfo__label){
        .name = copy(called ? called : label->identity),
        .identity = called ? copy(label->identity) : NULL,
        .was_romio = label->is_romio,
    };
}

void rcuinfo__labels_skip(rcuinfo_hint_object_t object)
{
    was_skipped[object] = true;
}

void rcuinfo__labels_mark_romio(rcuinfo_hint_object_t object, void *handle)
{
    struct label *label = label_of(object, handle);
    if (label->handle == rcuinfo__observe_bits(object, handle) && label->object == object)
        label->is_romio = true; /* else another thread's object has replaced it since */
}

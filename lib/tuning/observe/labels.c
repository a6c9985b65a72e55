/* SPDX-License-Identifier: BSD-3-Clause */
/* labels: see labels.h. */
#include "tuning/observe/labels.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "tuning/lines.h"
#include "core/text.h"

enum { LABELS = 512, COUNTERS = 1024, TEXT = 64 };

/* The name of an object, or the number of an object without a name, by its handle. */
struct label {
    uintptr_t handle;
    char *text;
    rcuinfo_hint_object_t object;
    bool is_romio; /* it is a file of ROMIO's */
};
static struct label labels[LABELS];

/* Counts the objects without a name that a call site has created for a group. So an object has the same number on all
 * processes of its group. */
struct counter {
    uint64_t site; /* hash of the call site and the group; 0: free */
    unsigned count;
};
static struct counter counters[COUNTERS];

/* The number of the next object without a name, from 1. */
static unsigned next_number(const char *const fields[RCUINFO__REPORT_FIELDS])
{
    static const enum rcuinfo__report_field of_site[] = {RCUINFO__REPORT_OBJECT, RCUINFO__REPORT_GROUP,
                                                         RCUINFO__REPORT_FUNCTION, RCUINFO__REPORT_PLACE};
    uint64_t digest = 1;

    for (size_t n = 0; n < sizeof of_site / sizeof *of_site; n++) {
        const char *text = fields[of_site[n]] ? fields[of_site[n]] : "";
        digest = XXH3_64bits_withSeed(text, strlen(text) + 1, digest); /* with its NUL */
    }

    /* Open addressing. If the table is full, counters are shared. Odd, since 0 marks a free counter. */
    digest |= 1;
    size_t at = digest % COUNTERS, looked_at = 0;
    while (counters[at].site != 0 && counters[at].site != digest && looked_at++ < COUNTERS)
        at = (at + 1) % COUNTERS;

    counters[at].site = digest;
    return ++counters[at].count;
}

/* The place of an object in the table. */
static struct label *label_of(rcuinfo_hint_object_t object, void *handle)
{
    uintptr_t bits = rcuinfo__observe_bits(object, handle);
    return &labels[XXH3_64bits_withSeed(&bits, sizeof bits, object) % LABELS];
}

char *rcuinfo__labels_find(const struct rcuinfo__interpose_loan *loan, const char *const fields[RCUINFO__REPORT_FIELDS],
                           void *handle, const char *name, bool *was_romio)
{
    char number[TEXT], from[TEXT] = "";
    const char *group = fields[RCUINFO__REPORT_GROUP];
    uintptr_t bits = rcuinfo__observe_bits(loan->object, handle);
    struct label *label = label_of(loan->object, handle);

    const char *digest = group ? strchr(group, ':') : NULL;
    if (digest) /* it is not that of MPI_COMM_WORLD */
        snprintf(from, sizeof from, "@%.*s", (int)(digest - group), group);

    /* If the call created the object, or if the label has a name that the object does not have now, or is of another
     * group, then it is of an earlier object that had this handle. Files keep the name that they were opened by. */
    bool is_known = loan->is_change && label->handle == bits && label->object == loan->object && label->text;
    if (is_known && !*name && loan->object != RCUINFO_OBJECT_FILE) {
        const char *of = strchr(label->text, '@');
        is_known = *label->text == '#' && strcmp(of ? of : "", from) == 0;
    }
    *was_romio = is_known && label->is_romio;
    if (!*name && !is_known) {
        snprintf(number, sizeof number, "#%u%.32s", next_number(fields), from); /* e.g. "#1@2+2" */
        name = number;
    }

    if (*name) {
        rcuinfo__alloc_free(label->text);

        /* Without memory the object has no name. */
        *label = (struct label){
            .object = loan->object, .handle = bits, .text = rcuinfo__report_format("%s", name), .is_romio = *was_romio};
    }

    return label->text ? rcuinfo__report_format("%s", label->text) : NULL;
}

void rcuinfo__labels_mark_romio(rcuinfo_hint_object_t object, void *handle)
{
    struct label *label = label_of(object, handle);
    if (label->handle == rcuinfo__observe_bits(object, handle) && label->object == object)
        label->is_romio = true; /* else another thread's object has replaced it since */
}

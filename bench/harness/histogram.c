/* SPDX-License-Identifier: BSD-3-Clause */
/* histogram: see histogram.h. */
#include "histogram.h"

#include <math.h>

void histogram_merge(struct histogram *to, const struct histogram *from)
{
    to->samples += from->samples;
    if (from->max > to->max)
        to->max = from->max;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        to->buckets[i] += from->buckets[i];
}

/* The largest number of nanoseconds that falls into the bucket. */
static uint64_t upper_end(unsigned bucket)
{
    unsigned row = bucket >> HISTOGRAM_STEP_BITS;
    unsigned shift = row ? row - 1 : 0;
    uint64_t first = bucket - (shift << HISTOGRAM_STEP_BITS);
    return ((first + 1) << shift) - 1;
}

uint64_t histogram_percentile(const struct histogram *histogram, double share)
{
    uint64_t wanted = (uint64_t)ceil((double)histogram->samples * share), seen = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen >= wanted && seen)
            return upper_end(i) < histogram->max ? upper_end(i) : histogram->max;
    }
    return histogram->max;
}
